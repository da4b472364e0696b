"""The newest of everything, from the threads that make it to the pages that show it.

A page is sent what has changed since it was last sent something, never a backlog: a slow page sees fewer table
pictures, not older ones. What must not be missed (something to be said, the differences of a correction) is a post, kept
in order for as long as anybody may want it.
"""

import json
from collections import deque
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

POSTS_KEPT = 100
"""Posts a page may be behind with; one that is further behind gets a new snapshot anyway."""


class Board:
    """Values by name, each with a version, and posts; used from any thread."""

    def __init__(self) -> None:
        """Nothing on it."""
        self._lock = Lock()
        self._texts: dict[str, str] = {}
        self._versions: dict[str, int] = {}
        self._posts: deque[tuple[int, str]] = deque(maxlen=POSTS_KEPT)
        self._posted = 0
        self._listeners: set[Callable[[], None]] = set()

    def listen(self, listener: Callable[[], None]) -> None:
        """Have a function called after each change, from whatever thread makes it; it must return at once."""
        with self._lock:
            self._listeners = {*self._listeners, listener}

    def forget(self, listener: Callable[[], None]) -> None:
        """Call it no more."""
        with self._lock:
            self._listeners = self._listeners - {listener}

    def put(self, name: str, value: Mapping[str, Any]) -> None:
        """Show a value; the same as before is no change."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            if self._texts.get(name) == text:
                return
            self._texts[name] = text
            self._versions[name] = self._versions.get(name, 0) + 1
            listeners = self._listeners
        for listener in listeners:
            listener()

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a message to every page once."""
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            self._posted += 1
            self._posts.append((self._posted, text))
            listeners = self._listeners
        for listener in listeners:
            listener()

    def read(self) -> "tuple[dict[str, str], Mark]":
        """Every value as JSON text, and a mark from which `news` goes on."""
        with self._lock:
            return dict(self._texts), Mark(dict(self._versions), self._posted)

    def news(self, mark: "Mark") -> tuple[dict[str, str], list[str], "Mark"]:
        """Values that changed since the mark, posts since then, and a new mark."""
        with self._lock:
            changed = {name: text for name, text in self._texts.items() if mark.versions.get(name) != self._versions[name]}
            posts = [text for number, text in self._posts if number > mark.posted]
            return changed, posts, Mark(dict(self._versions), self._posted)


class Mark:
    """How much of the board somebody has seen."""

    __slots__ = ("posted", "versions")

    def __init__(self, versions: dict[str, int], posted: int) -> None:
        """Seen up to those."""
        self.versions, self.posted = versions, posted
