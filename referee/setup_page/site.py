"""Routes of the calibration page: the page, its picture, its actions. No state of its own but the bench."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from calibration.errors import InputError
from referee.live.access import Keeper, headers, is_known_host, is_own_origin
from referee.setup_page.bench import Bench

WEB = Path(__file__).parent / "web"
FILES = {"page.css": "text/css", "page.js": "text/javascript", "handles.js": "text/javascript", "lens.js": "text/javascript"}
COOKIE = "cueref_calibrate"
MOST_BYTES = 4096
"""Longest request: four corners have 100 bytes."""
_QUALITY = 92

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Site:
    """The application; every answer carries the headers of the live pages, and only who has the link is answered."""

    def __init__(self, bench: Bench, keeper: Keeper, hosts: frozenset[str] = frozenset()) -> None:
        """Pages over that bench.

        Args:
            bench: What is calibrated.
            keeper: Knows the link's secret.
            hosts: Names that this server is addressed by, besides numbers.
        """
        self._bench, self._keeper, self._hosts = bench, keeper, hosts
        self._jpeg: tuple[int, bytes] | None = None
        actions = {"find": self._find, "corners": self._corners, "foot": self._foot, "save": self._save, "retake": self._retake}
        self._app = Starlette(
            routes=[
                Route("/", self._page, methods=["GET"]),
                Route("/static/{name}", self._static, methods=["GET"]),
                Route("/state", self._state, methods=["GET"]),
                Route("/picture.jpg", self._picture, methods=["GET"]),
                *(Route(f"/{name}", self._post(action), methods=["POST"]) for name, action in actions.items()),
            ]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] == "http" and not is_known_host(Headers(scope=scope).get("host"), self._hosts):
            await PlainTextResponse("unknown host", 421, headers=headers())(scope, receive, send)
            return

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                for name, value in headers().items():
                    found[name] = value
            await send(message)

        await self._app(scope, receive, guarded)

    def _opens(self, request: Request) -> bool:
        return self._keeper.is_official(request.cookies.get(COOKIE))

    async def _page(self, request: Request) -> Response:
        key = request.query_params.get("key")
        if key is not None:
            answer: Response = RedirectResponse("/", 303)
            if self._keeper.opens(key):
                answer.set_cookie(COOKIE, self._keeper.cookie, path="/", httponly=True, samesite="strict")
            return answer
        if not self._opens(request):
            return PlainTextResponse("open the link that cueref calibrate --page printed; it holds the key", 403)
        return FileResponse(WEB / "index.html", media_type="text/html")

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        return FileResponse(WEB / name, media_type=FILES[name]) if name in FILES else PlainTextResponse("not found", 404)

    async def _state(self, request: Request) -> Response:
        return JSONResponse(self._bench.state()) if self._opens(request) else PlainTextResponse("not allowed", 403)

    async def _picture(self, request: Request) -> Response:
        if not self._opens(request):
            return PlainTextResponse("not allowed", 403)
        return Response(await run_in_threadpool(self._encoded), media_type="image/jpeg")

    def _encoded(self) -> bytes:
        version = self._bench.version
        if self._jpeg is None or self._jpeg[0] != version:
            encoded = cv2.imencode(".jpg", self._bench.picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1]
            self._jpeg = version, encoded.tobytes()
        return self._jpeg[1]

    def _post(self, action: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Request], Awaitable[Response]]:
        async def post(request: Request) -> Response:
            if not self._opens(request) or not is_own_origin(request.headers.get("origin"), request.headers.get("host")):
                return PlainTextResponse("not allowed", 403)
            body = b""
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    return JSONResponse({"error": "too long"}, 413)
            try:
                data = json.loads(body or b"{}")
                if not isinstance(data, dict):
                    raise InputError("not an object")
                return JSONResponse(await run_in_threadpool(action, data))
            except (InputError, OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
                return JSONResponse({"error": str(error)}, 400)

        return post

    def _find(self, data: dict[str, Any]) -> dict[str, Any]:
        return self._bench.find(data)

    def _retake(self, data: dict[str, Any]) -> dict[str, Any]:
        return self._bench.retake()

    def _save(self, data: dict[str, Any]) -> dict[str, Any]:
        return self._bench.save()

    def _foot(self, data: dict[str, Any]) -> dict[str, Any]:
        x, y = _numbers([data.get("x"), data.get("y")])
        return self._bench.foot(float(x), float(y))

    def _corners(self, data: dict[str, Any]) -> dict[str, Any]:
        points = _numbers(data.get("corners"))
        if points.shape != (4, 2):
            raise InputError("corners: four places [x, y] in pixels")
        return self._bench.corners(points)


def _numbers(value: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("places are numbers in pixels") from error
    if not np.isfinite(numbers).all() or np.abs(numbers).max(initial=0.0) > 1e5:
        raise InputError("places are numbers in pixels")
    return numbers


def make_server(site: Site) -> uvicorn.Server:
    """The web server: quiet, no names of software, no access log (it would hold the key)."""
    return uvicorn.Server(
        uvicorn.Config(site, log_level="error", access_log=False, server_header=False, lifespan="off", timeout_graceful_shutdown=2)
    )
