"""The pages and what they ask for: routes, headers, roles (docs/live-protocol.md). No rules and no state of its own."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from referee.live.access import COOKIE, Keeper, headers, is_known_host, is_own_origin
from referee.live.match_view import shot_lines
from referee.live.media import CLIP, STILL, Pictures
from referee.live.session import Session
from referee.live.shot_view import shot_view
from referee.live.talk import Answers, Talk
from referee.log import format_log

WEB = Path(__file__).parent / "web"
PAGES = {"/": "index.html", "/official": "official.html", "/overlay": "overlay.html"}
NAME = re.compile(r"(?:[a-z0-9_-]+/)?[a-z0-9_-]+\.(?:css|js|svg|html|webmanifest|woff2|png)")
"""What a static file may be called: nothing that could lead out of the folder."""
NUMBER = re.compile(r"[0-9]{1,6}")
"""A shot's number; Python refuses to read one of 5,000 digits, which is nothing that an answer should hang on."""
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json"}
MOST_PAGES = 200
"""Pages connected at the same time; a hall has a tablet, some screens and a few dozen phones. Officials are never turned away:
readers must not be able to keep them from the match."""
MOST_VIEWERS = 24
"""Camera pictures sent at the same time: each takes 2.7 MB a second of the hall's network."""
BOUNDARY = "picture"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@dataclass(slots=True, kw_only=True, eq=False)
class Site:
    """Everything that the routes need.

    Attributes:
        session: The match.
        keeper: Who may officiate.
        pictures: The camera's pictures.
        shots: Folder of stills and clips.
        links: Addresses for the QR codes: `official` (with the secret) and `public`.
        hosts: Names that this server is addressed by; empty for any.
        clock: Seconds, for the limit of messages.
    """

    session: Session
    keeper: Keeper
    pictures: Pictures
    shots: Path
    links: dict[str, str] = field(default_factory=dict)
    hosts: frozenset[str] = frozenset()
    clock: Callable[[], float] = monotonic
    answers: Answers = field(default_factory=Answers)
    connected: int = 0

    def is_official(self, connection: HTTPConnection) -> bool:
        """Whether this request carries the official's cookie."""
        return self.keeper.is_official(connection.cookies.get(COOKIE))


def make_app(site: Site) -> "Guard":
    """The application, its answers guarded."""
    routes = [
        *(Route(path, _page(site, name), methods=["GET"]) for path, name in PAGES.items()),
        Route("/static/{name:path}", _static, methods=["GET"]),
        Route("/camera", partial(_camera, site), methods=["GET"]),
        Route("/camera.jpg", partial(_picture, site), methods=["GET"]),
        Route("/shots/{number}", partial(_shot, site), methods=["GET"]),
        Route("/shots/{number}/{name}", partial(_shot_file, site), methods=["GET"]),
        Route("/log", partial(_log, site), methods=["GET"]),
        Route("/qr.svg", partial(_qr, site, "official"), methods=["GET"]),
        Route("/qr-public.svg", partial(_qr, site, "public"), methods=["GET"]),
        WebSocketRoute("/ws", _socket(site)),
    ]
    return Guard(Starlette(routes=routes), site)


class Guard:
    """Headers on every answer; requests by a foreign name of this server, or with a body, are refused before anything looks at them."""

    def __init__(self, app: Starlette, site: Site) -> None:
        """Around that application."""
        self._app, self._site = app, site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if not is_known_host(Headers(scope=scope).get("host"), self._site.hosts):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
                return
            await PlainTextResponse("unknown host", 421, headers=headers())(scope, receive, send)
            return
        framed = scope["path"] == "/overlay"

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                for name, value in headers(framed=framed).items():
                    found[name] = value
            await send(message)

        await self._app(scope, receive, guarded)


def _page(site: Site, name: str) -> Callable[[Request], Awaitable[Response]]:
    async def page(request: Request) -> Response:
        key = request.query_params.get("key")
        if name == "official.html" and key is not None:
            answer: Response = RedirectResponse("/official", 303)
            if site.keeper.opens(key):
                secure = request.url.scheme == "https"
                answer.set_cookie(COOKIE, site.keeper.cookie, path="/", httponly=True, samesite="strict", secure=secure)
            return answer
        return _file(WEB / name, "text/html")

    return page


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if NAME.fullmatch(name) is None:
        return PlainTextResponse("not found", 404)
    return _file(WEB / name, TYPES.get(Path(name).suffix))


def _file(path: Path, media_type: str | None) -> Response:
    return FileResponse(path, media_type=media_type) if path.is_file() else PlainTextResponse("not found", 404)


async def _shot(site: Site, request: Request) -> Response:
    number = request.path_params["number"]
    if NUMBER.fullmatch(number) is None:
        return PlainTextResponse("not found", 404)
    return await asyncio.to_thread(_shot_answer, site, int(number))


def _shot_answer(site: Site, number: int) -> Response:
    """In a thread: while a correction is worked out or a disk waited for, the match is locked, and the pages must not wait with it."""
    with site.session.match.lock:
        beside, players = site.session.beside(), site.session.match.setup.players.to_dict()
        for line, ruling, event, entry in shot_lines(site.session.match):
            if ruling.number == number:
                files = beside.media(number)
                return JSONResponse(shot_view(line, ruling, event, players, entry, paths=beside.paths.get(number), media=files))
    return PlainTextResponse("not found", 404)


async def _shot_file(site: Site, request: Request) -> Response:
    name = request.path_params["name"]
    number = request.path_params["number"]
    if name not in (STILL, CLIP) or NUMBER.fullmatch(number) is None:
        return PlainTextResponse("not found", 404)
    path = site.shots / str(int(number)) / name
    return _file(path, "video/mp4" if name == CLIP else "image/jpeg")


async def _log(site: Site, request: Request) -> Response:
    if not site.is_official(request):
        return PlainTextResponse("only the official can do this", 403)
    text = await asyncio.to_thread(_log_text, site)
    return Response(text, media_type="application/jsonl", headers={"content-disposition": 'attachment; filename="match.jsonl"'})


def _log_text(site: Site) -> str:
    with site.session.match.lock:
        return "".join(f"{line}\n" for line in format_log(site.session.match))


async def _qr(site: Site, link: str, request: Request) -> Response:
    import segno

    if link == "official" and not site.is_official(request):
        return PlainTextResponse("only the official can do this", 403)
    code = segno.make(site.links.get(link, str(request.base_url)), error="m")
    drawn = BytesIO()
    code.save(drawn, kind="svg", xmldecl=False, scale=6, dark="#000", light="#fff", border=3)  # with its namespace: it is shown by an <img>
    return Response(drawn.getvalue(), media_type="image/svg+xml")


async def _picture(site: Site, request: Request) -> Response:
    newest = site.pictures.newest()
    return PlainTextResponse("no picture yet", 503) if newest is None else Response(newest[1], media_type="image/jpeg")


async def _camera(site: Site, request: Request) -> Response:
    """The picture as it is now: always the newest, never a queue; each is sent when the one before it has gone."""
    if site.pictures.viewers >= MOST_VIEWERS and not site.is_official(request):
        return PlainTextResponse("too many watch the camera already", 503)

    async def parts() -> AsyncIterator[bytes]:
        loop, changed, shown = asyncio.get_running_loop(), asyncio.Event(), -1

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(changed.set)

        site.pictures.listen(wake)
        try:
            yield f"--{BOUNDARY}\r\n".encode()
            while not await request.is_disconnected():
                newest = site.pictures.newest()
                if newest is not None and newest[0] != shown:
                    shown, jpeg, time_s = newest
                    head = f"Content-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\nX-Time: {time_s:.3f}\r\n\r\n"
                    # The boundary goes with the picture: a browser shows a part when it sees the next boundary, one picture late otherwise.
                    yield head.encode() + jpeg + f"\r\n--{BOUNDARY}\r\n".encode()
                changed.clear()
                try:
                    await asyncio.wait_for(changed.wait(), 1.0)
                except TimeoutError:
                    continue
        finally:
            site.pictures.forget(wake)

    return StreamingResponse(parts(), media_type=f"multipart/x-mixed-replace; boundary={BOUNDARY}")


def _socket(site: Site) -> Callable[[WebSocket], Awaitable[None]]:
    async def socket(connection: WebSocket) -> None:
        host, origin = connection.headers.get("host"), connection.headers.get("origin")
        is_official = site.is_official(connection)
        is_full = site.connected >= MOST_PAGES and not is_official
        if not is_own_origin(origin, host) or is_full:
            await connection.close(1008)
            return
        await connection.accept()
        site.connected += 1
        try:
            talk = Talk(connection, site.session, site.answers, official=is_official, clock=site.clock)
            await talk.run()
        finally:
            site.connected -= 1

    return socket
