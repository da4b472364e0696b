"""One page's WebSocket: what is sent to it, and what becomes of what it sends."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from calibration.errors import InputError
from referee.live.access import MOST_BYTES, RateLimit
from referee.live.actions import carry_out
from referee.live.board import Board, Mark
from referee.live.session import Session
from referee.live.texts import REFUSED, Text, plain

VALUES = ("match", "table", "clock", "camera", "help")
BEAT_S = 1.5
"""Something is sent at least this often, so that a page can tell a dead line, seconds."""
SLOWEST_S = 10.0
"""A page that does not take a message for so long is gone, seconds."""
REMEMBERED = 500
"""Answers kept, so that a message sent again after a broken line is carried out once."""
ID_LENGTH = 64


class Answers:
    """Answers to messages by their id, for pages that send one again; shared by all pages."""

    def __init__(self) -> None:
        """None yet."""
        self._lock = Lock()
        self._answers: OrderedDict[str, dict[str, Any]] = OrderedDict()

    def answer(self, ident: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The answer to that message, worked out once."""
        with self._lock:
            if ident not in self._answers:
                self._answers[ident] = work()
                while len(self._answers) > REMEMBERED:
                    self._answers.popitem(last=False)
            return self._answers[ident]


class Talk:
    """A connection with one page."""

    def __init__(self, socket: WebSocket, session: Session, answers: Answers, *, official: bool, clock: Callable[[], float]) -> None:
        """A connection that has been accepted."""
        self._socket, self._session, self._answers, self._official, self._clock = socket, session, answers, official, clock
        self._board: Board = session.board
        self._mark = Mark({}, 0)
        self._sending = asyncio.Lock()

    async def run(self) -> None:
        """Talk until the page is gone."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(changed.set)

        self._board.listen(wake)
        sender = asyncio.create_task(self._tell(changed))
        try:
            await self._listen()
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            self._board.forget(wake)
            sender.cancel()

    async def _snapshot(self) -> None:
        texts, self._mark = self._board.read()
        match = texts.get("match", '{"seq":0,"match":{}}')
        live = ",".join(f'"{name}":{texts.get(name, "{}")}' for name in VALUES if name != "match")
        role = "official" if self._official else "reader"
        await self._send(f'{{"type":"snapshot","role":"{role}",{match[1:-1]},"live":{{{live}}}}}')

    async def _tell(self, changed: asyncio.Event) -> None:
        """Send what is new, for as long as the page takes it."""
        try:
            async with self._sending:
                await self._snapshot()
            while True:
                try:
                    await asyncio.wait_for(changed.wait(), BEAT_S)
                except TimeoutError:
                    await self._send('{"type":"beat"}')
                    continue
                changed.clear()
                async with self._sending:
                    texts, posts, self._mark = self._board.news(self._mark)
                    for name in VALUES:
                        if name in texts:
                            body = texts[name][1:-1] if name == "match" else f'"{name}":{texts[name]}'
                            await self._send(f'{{"type":"{name}",{body}}}')
                    for post in posts:
                        await self._send(post)
        except (WebSocketDisconnect, RuntimeError, TimeoutError, OSError):
            if self._socket.client_state is WebSocketState.CONNECTED:
                await self._socket.close(1001)

    async def _listen(self) -> None:
        limit = RateLimit(self._clock())
        while True:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            if not limit.allows(self._clock()):
                if limit.is_exhausted:
                    await self._socket.close(1008)
                    return
                await self._refuse(None, REFUSED["flood"])
                continue
            text = received.get("text")
            if text is None or len(text) > MOST_BYTES:
                await self._refuse(None, REFUSED["malformed" if text is None else "too_large"])
                continue
            await self._heard(text)

    async def _heard(self, text: str) -> None:
        try:
            message = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            await self._refuse(None, REFUSED["malformed"])
            return
        ident = message.get("id")
        is_named = isinstance(ident, str) and 0 < len(ident) <= ID_LENGTH
        if message.get("type") == "hello":
            async with self._sending:
                await self._snapshot()
        elif message.get("type") != "do" or not is_named:
            await self._refuse(ident if is_named else None, REFUSED["malformed"])
        elif not self._official:
            await self._refuse(str(ident), REFUSED["reader"])
        else:
            answer = await asyncio.to_thread(self._answers.answer, str(ident), lambda: self._done(message))
            await self._send(json.dumps(answer))  # in ASCII: what a message held, half a character included, may be in it

    def _done(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            carry_out(self._session, message)
        except OSError:
            return {"type": "refused", "id": message["id"], "why": REFUSED["not_written"]}
        except (InputError, ValueError, TypeError, KeyError, AttributeError) as error:
            return {"type": "refused", "id": message["id"], "why": _why(error)}
        return {"type": "done", "id": message["id"]}

    async def _refuse(self, ident: str | None, why: Text) -> None:
        await self._send(json.dumps({"type": "refused", "id": ident, "why": why}))

    async def _send(self, text: str) -> None:
        await asyncio.wait_for(self._socket.send_text(text), SLOWEST_S)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _why(error: BaseException) -> Text:
    """A refusal in words; those that are known in every language."""
    said = str(error) if isinstance(error, InputError) else ""
    for text in REFUSED.values():
        if said == text["en"]:
            return text
    return plain(said) if said else REFUSED["malformed"]
