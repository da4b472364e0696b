"""A match that is on disk before it is shown, and that several threads may use."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, RLock
from typing import Any

from calibration.errors import InputError
from referee.calls import PersonEvent
from referee.live.store import MatchStore, StoreError
from referee.log import parse_log
from referee.log_event import LogEvent
from referee.match import Difference, Match, find_differences, fold
from referee.match_setup import MatchSetup
from referee.shot_ruling import ShotRuling
from tracker.shot import Shot

TRIES, RETRY_S = 20, 0.5
"""How often and how far apart a shot is tried to be written: ten seconds, in which a person can free a disk."""

log = logging.getLogger(__name__)


class KeptMatch(Match):
    """A match whose every change is committed to a store first; where that fails, nothing has changed.

    Attributes:
        lock: Held during a change; hold it to read several things that belong together.
        revision: Counts the changes since the program started.
    """

    def __init__(self, store: MatchStore, setup: MatchSetup, events: Iterable[LogEvent] = ()) -> None:
        """A match of that setup that is in the store already."""
        super().__init__(setup, events)
        self.lock = RLock()
        self.revision = 0
        self._store = store
        self._listeners: list[Callable[[], None]] = []

    @classmethod
    def resume(cls, store: MatchStore) -> "KeptMatch | None":
        """The match of the store, where it was left; None where there is none.

        Raises:
            InputError: If what is there is no match log.
        """
        text = store.log_text()
        if text is None:
            return None
        found = parse_log(text, name="the match in the store")
        return cls(store, found.setup, found.events)

    @classmethod
    def begin(cls, store: MatchStore, match: Match) -> "KeptMatch":
        """Put a match into the store, a new one or one from a log file."""
        store.begin(match.setup, match.events)
        return cls(store, match.setup, match.events)

    def listen(self, listener: Callable[[], None]) -> None:
        """Have a function called after each change, when that is on disk."""
        self._listeners.append(listener)

    def record(self, kind: str, /, **fields: Any) -> None:
        """As `Match.record`, on disk when it returns."""
        with self._kept():
            super().record(kind, **fields)

    def record_shot(self, shot: Shot, people: Sequence[PersonEvent] = ()) -> ShotRuling:
        """As `Match.record_shot`, on disk when it returns.

        A shot must never be lost for what people said about it: where a word of theirs cannot be (a touched ball that
        turns out not to have been there), it is made void, the last one first, and stays in the log as such. Nor for a
        store that does not take it at once (a full disk, a database that starts again): it is tried for a while.

        Raises:
            StoreError: If it could not be written; nothing has changed.
        """
        for _ in range(TRIES - 1):
            try:
                return self._record_shot(shot, people)
            except StoreError:
                log.warning("a shot could not be written; trying again")
                Event().wait(RETRY_S)
        return self._record_shot(shot, people)

    def _record_shot(self, shot: Shot, people: Sequence[PersonEvent]) -> ShotRuling:
        with self.lock:
            while True:
                try:
                    with self._kept():
                        return super().record_shot(shot, people)
                except InputError:
                    if people:
                        people = people[:-1]
                    elif self._state.people:
                        self.correct(self._state.people[-1].id, void=True)
                    else:
                        raise

    def undo(self) -> tuple[Difference, ...]:
        """As `Match.undo`, on disk when it returns."""
        with self._kept():
            return super().undo()

    def redo(self) -> tuple[Difference, ...]:
        """As `Match.redo`, on disk when it returns."""
        with self._kept():
            return super().redo()

    def correct(
        self, of: int, fields: Mapping[str, Any] | None = None, *, void: bool = False, insert: Mapping[str, Any] | None = None
    ) -> tuple[Difference, ...]:
        """As `Match.correct`, on disk when it returns."""
        with self._kept():
            return super().correct(of, fields, void=void, insert=insert)

    def change_setup(self, **changes: Any) -> tuple[Difference, ...]:
        """Other names, length or house rules; the whole match is judged again under them.

        Raises:
            InputError: If the match would no longer make sense; it is then unchanged.
        """
        with self.lock:
            setup = replace(self.setup, **changes)
            if setup.race < 1:
                raise InputError(f"race must be 1 or more, found {setup.race}")
            before = {ruling.number: ruling.to_dict() for ruling in self.rulings}
            state = fold(setup, self._events)
            changed = find_differences(before, state.rulings)
            by_number = {ruling.number: ruling for ruling in state.rulings}
            new = [
                LogEvent(id=self._next_id() + index, type="ruling", fields={"number": item.shot, **by_number[item.shot].to_dict()})
                for index, item in enumerate(item for item in changed if item.shot in by_number)
            ]
            self._store.append(new, setup=setup)
            self.setup, self._events, self._state = setup, [*self._events, *new], state
            self.revision += 1
        self._tell()
        return changed

    @contextmanager
    def _kept(self) -> Iterator[None]:
        with self.lock:
            events, state = list(self._events), self._state
            try:
                yield
                self._store.append(self._events[len(events) :])
            except BaseException:
                self._events, self._state = events, state
                raise
            self.revision += 1
        self._tell()

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()
