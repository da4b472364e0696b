"""Pages, rights and limits: what a page is sent, and what nobody gets by any trick."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import plays
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from referee.live.access import BURST, COOKIE, MOST_BYTES, Keeper, RateLimit, is_own_origin
from referee.live.actions import ACTIONS
from referee.live.media import Pictures, files_of
from referee.live.web import MOST_PAGES, MOST_VIEWERS, Site, make_app
from referee.log import parse_log

SOCKET = "ws://127.0.0.1:8080/ws"
ORIGIN = {"origin": "http://127.0.0.1:8080"}


class Hall:
    """A running match with its site."""

    def __init__(self, folder: Path) -> None:
        self.clock = plays.HandClock()
        self.shots = folder / "shots"
        self.session = plays.a_session(folder, clock=self.clock, media=lambda number: files_of(self.shots, number))
        self.session.match.record_shot(plays.a_shot(1, b1=0.6, b2=0.4))
        self.keeper = Keeper("the-secret-of-this-start")
        (self.shots / "1").mkdir(parents=True)
        (self.shots / "1" / "still.jpg").write_bytes(b"a picture")
        (folder / "private.txt").write_text("not for the web")
        links = {"official": "http://127.0.0.1:8080/official?key=the-secret-of-this-start", "public": "http://127.0.0.1:8080/"}
        self.site = Site(session=self.session, keeper=self.keeper, pictures=Pictures(), shots=self.shots, links=links, clock=self.clock)
        self.site.hosts = frozenset({"localhost"})

    def page(self, *, official: bool = False) -> TestClient:
        """A browser, with the official's cookie or without."""
        client = TestClient(make_app(self.site), base_url="http://127.0.0.1:8080", follow_redirects=False)
        if official:
            client.cookies.set(COOKIE, self.keeper.cookie)
        return client


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A match in a hall."""
    hall = Hall(tmp_path)
    yield hall
    hall.session.match._store.close()


def until(socket: Any, kind: str) -> dict[str, Any]:
    """The next message of that kind."""
    while True:
        message: dict[str, Any] = json.loads(socket.receive_text())
        if message["type"] == kind:
            return message


def test_the_link_gives_the_right_once_and_hides_the_secret(hall: Hall) -> None:
    """It sets a cookie that scripts cannot read and other sites do not send, which does not hold the secret."""
    answer = hall.page().get("/official?key=the-secret-of-this-start")

    assert (answer.status_code, answer.headers["location"]) == (303, "/official")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert "the-secret" not in cookie


@pytest.mark.parametrize("key", ["", "wrong", "the-secret-of-this-star", "\u00e9\u2603"])
def test_a_wrong_key_gives_nothing(hall: Hall, key: str) -> None:
    """It is sent on to the page all the same, as a reader."""
    answer = hall.page().get("/official", params={"key": key})

    assert answer.status_code == 303
    assert "set-cookie" not in answer.headers


def test_a_page_gets_a_snapshot_and_what_changes(hall: Hall) -> None:
    """The role is the cookie's; a change by the official reaches the reader."""
    with (
        hall.page(official=True).websocket_connect(SOCKET, headers=ORIGIN) as official,
        hall.page().websocket_connect(SOCKET, headers=ORIGIN) as reader,
    ):
        first, second = until(official, "snapshot"), until(reader, "snapshot")
        assert (first["role"], second["role"]) == ("official", "reader")
        assert first["match"] == second["match"]
        assert set(first["live"]) == {"table", "clock", "camera", "help"}
        official.send_text(json.dumps({"type": "do", "id": "c1", "action": "decide", "shot": 1, "word": "overturned"}))

        assert until(official, "done") == {"type": "done", "id": "c1"}
        assert until(reader, "match")["match"]["last"]["verdict"] == "foul"


def test_a_page_that_was_offline_catches_up(hall: Hall) -> None:
    """It gets the match as it is now, whatever it missed."""
    with hall.page().websocket_connect(SOCKET, headers=ORIGIN) as page:
        before = until(page, "snapshot")["seq"]
    hall.session.match.record_shot(plays.a_shot(2))
    with hall.page().websocket_connect(SOCKET, headers=ORIGIN) as page:
        again = until(page, "snapshot")

    assert again["seq"] > before
    assert [item["number"] for item in again["match"]["history"]] == [1, 2]


def test_a_message_sent_again_is_carried_out_once(hall: Hall) -> None:
    """The answer was lost with the line: the page sends it again over a new one."""
    for _ in range(2):
        with hall.page(official=True).websocket_connect(SOCKET, headers=ORIGIN) as page:
            page.send_text(json.dumps({"type": "do", "id": "c7", "action": "call", "kind": "safety"}))
            assert until(page, "done")["id"] == "c7"

    assert sum(event.type == "call" for event in hall.session.match.events) == 1


@pytest.mark.parametrize("action", sorted(ACTIONS))
def test_a_reader_cannot_officiate_by_any_message(hall: Hall, action: str) -> None:
    """Every action, with fields that an official could send; a forged cookie is none."""
    fields = {
        "kind": "safety",
        "shot": 1,
        "word": "stands",
        "breaker": "A",
        "limit_s": 35,
        "player": "A",
        "race": 9,
        "on": True,
        "pairs": [],
    }
    before, wanted = hall.session.match.events, hall.session.wanted
    page = hall.page()
    page.cookies.set(COOKIE, hall.keeper.secret)
    with page.websocket_connect(SOCKET, headers=ORIGIN) as socket:
        socket.send_text(json.dumps({"type": "do", "id": "c1", "action": action, **fields}))
        assert until(socket, "refused")["why"]["en"] == "only the official can do this"

    assert (hall.session.match.events, hall.session.wanted, hall.session.status) == (before, wanted, "playing")


def test_a_reader_gets_neither_log_nor_the_officials_link(hall: Hall) -> None:
    """The official does, and the log is that of a review."""
    for path in ("/log", "/qr.svg"):
        assert hall.page().get(path).status_code == 403
    log = hall.page(official=True).get("/log")

    assert parse_log(log.text).events == hall.session.match.events
    assert hall.page(official=True).get("/qr.svg").headers["content-type"] == "image/svg+xml"
    assert hall.page().get("/qr-public.svg").status_code == 200


def test_no_route_takes_anything_but_get(hall: Hall) -> None:
    """There is nothing to post to."""
    for path in ("/", "/official", "/overlay", "/ws", "/log", "/shots/1", "/camera.jpg", "/qr.svg"):
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            assert hall.page(official=True).request(method, path).status_code in (404, 405)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://127.0.0.1:8081", "null", "", None, "http://127.0.0.1:8080.evil.example", "http://[::1"]
)
def test_a_foreign_origin_cannot_connect(hall: Hall, origin: str | None) -> None:
    """Not even with the official's cookie, which a browser would send along."""
    with (
        pytest.raises(WebSocketDisconnect),
        hall.page(official=True).websocket_connect(SOCKET, headers={} if origin is None else {"origin": origin}),
    ):
        pass


def test_a_foreign_name_of_this_machine_is_refused(hall: Hall) -> None:
    """A page elsewhere whose name is made to resolve here (DNS rebinding)."""
    foreign = TestClient(make_app(hall.site), base_url="http://evil.example:8080")
    assert foreign.get("/").status_code == 421
    with (
        pytest.raises(WebSocketDisconnect),
        foreign.websocket_connect("ws://evil.example:8080/ws", headers={"origin": "http://evil.example:8080"}),
    ):
        pass


MALFORMED = [
    "",
    "not json",
    "[]",
    "null",
    "3",
    '{"type": "do"}',
    '{"type": "do", "id": 5, "action": "undo"}',
    '{"type": "do", "id": "", "action": "undo"}',
    json.dumps({"type": "do", "id": "x" * 65, "action": "undo"}),
    '{"type": "no such"}',
    '{"type": "do", "id": "c1", "action": "clock", "limit_s": NaN}',
    '{"type": "do", "id": "c1", "action": "clock", "limit_s": 1e999}',
    "[" * 5000,
    '{"type": "do", "id": "c1", "action": {"a": 1}}',
]


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_messages_are_refused_while_the_match_goes_on(hall: Hall, text: str) -> None:
    """The same page can still officiate."""
    before = hall.session.match.events
    with hall.page(official=True).websocket_connect(SOCKET, headers=ORIGIN) as page:
        page.send_text(text)
        until(page, "refused")
        assert hall.session.match.events == before
        page.send_bytes(b"\x00\xff")
        until(page, "refused")
        page.send_text(json.dumps({"type": "do", "id": "ok", "action": "call", "kind": "safety"}))
        assert until(page, "done")["id"] == "ok"


def test_an_oversized_message_is_refused(hall: Hall) -> None:
    """One byte too many."""
    with hall.page(official=True).websocket_connect(SOCKET, headers=ORIGIN) as page:
        page.send_text(json.dumps({"type": "do", "id": "c1", "action": "undo", "more": "x" * MOST_BYTES}))
        assert until(page, "refused")["why"]["en"] == "the message is too large"


def test_a_flood_is_refused_and_then_cut_off_while_others_go_on(hall: Hall) -> None:
    """The clock stands still: after the burst every message is one too many."""
    with hall.page(official=True).websocket_connect(SOCKET, headers=ORIGIN) as other:
        with hall.page(official=True).websocket_connect(SOCKET, headers=ORIGIN) as page:
            for number in range(int(BURST) + 70):
                page.send_text(json.dumps({"type": "do", "id": f"f{number}", "action": "watch", "pairs": []}))
            with pytest.raises(WebSocketDisconnect) as closed:
                until(page, "never")
            assert closed.value.code == 1008
        other.send_text(json.dumps({"type": "do", "id": "ok", "action": "call", "kind": "safety"}))
        assert until(other, "done")["id"] == "ok"


def test_the_rate_limit_fills_again() -> None:
    """Forty at once, then twenty a second."""
    limit = RateLimit(0.0)
    assert sum(limit.allows(0.0) for _ in range(100)) == 40
    assert sum(limit.allows(1.0) for _ in range(100)) == 20
    assert limit.is_exhausted


TRICKS = [
    "/static/../web.py",
    "/static/..%2fweb.py",
    "/static/%2e%2e/web.py",
    "/static/..%5cweb.py",
    "/static//etc/passwd",
    "/static/js/../../web.py",
    "/static/js/%2e%2e/%2e%2e/session.py",
    "/static/.hidden",
    "/static/",
    "/static/index.html%00.css",
    "/shots/1/../../private.txt",
    "/shots/1/..%2f..%2fprivate.txt",
    "/shots/1/private.txt",
    "/shots/..%2f/still.jpg",
    "/shots/-1/still.jpg",
    "/shots/9/still.jpg",
    "/shots/1/still.jpg%00",
    "/match.sqlite",
    "/..%2fmatch.sqlite",
    "/docs",
    "/openapi.json",
]


@pytest.mark.parametrize("path", TRICKS)
def test_path_tricks_find_nothing(hall: Hall, path: str) -> None:
    """Sent as they stand, without the client tidying them up."""
    found: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        found.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")],
    }
    scope |= {"http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "root_path": ""}

    async def ask() -> None:
        await make_app(hall.site)(scope, receive, send)

    asyncio.run(ask())
    assert found[0]["status"] in (404, 405)


def test_what_there_is_of_a_shot_is_found(hall: Hall) -> None:
    """And nothing else."""
    page = hall.page()

    assert page.get("/shots/1/still.jpg").content == b"a picture"
    assert page.get("/shots/1/clip.mp4").status_code == 404
    assert page.get("/shots/1").json()["still"] == "/shots/1/still.jpg"
    assert page.get("/shots/7").status_code == 404
    assert page.get("/camera.jpg").status_code == 503


def test_only_so_many_watch_the_camera(hall: Hall) -> None:
    """The hall's network is for the match."""
    for number in range(MOST_VIEWERS):
        hall.site.pictures.listen(lambda number=number: None)  # type: ignore[misc]

    assert hall.page().get("/camera").status_code == 503


@pytest.mark.parametrize("path", ["/", "/official", "/overlay", "/nothing", "/static/css/base.css", "/shots/1", "/camera.jpg"])
def test_every_answer_has_its_headers(hall: Hall, path: str) -> None:
    """Only the overlay may be framed."""
    found = hall.page().get(path).headers

    assert found["x-content-type-options"] == "nosniff"
    assert found["referrer-policy"] == "no-referrer"
    policy = found["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert ("frame-ancestors 'none'" in policy) == (path != "/overlay")
    assert ("x-frame-options" in found) == (path != "/overlay")


def test_no_page_holds_a_script_of_its_own(hall: Hall) -> None:
    """The policy would refuse it."""
    for path in ("/", "/official", "/overlay"):
        text = hall.page().get(path).text
        assert "<script>" not in text
        assert " style=" not in text
        assert "the-secret" not in text


def test_an_origin_is_compared_whole() -> None:
    """Name and port; the case of letters does not count."""
    assert is_own_origin("http://Hall:8080", "hall:8080")
    assert not is_own_origin("http://hall", "hall:8080")
    assert not is_own_origin("file://", "hall:8080")


def test_readers_cannot_keep_an_official_out(hall: Hall) -> None:
    """All places are taken: one more reader is turned away, the official is not."""
    hall.site.connected = MOST_PAGES
    with pytest.raises(WebSocketDisconnect), hall.page().websocket_connect(SOCKET, headers=ORIGIN):
        pass
    with hall.page(official=True).websocket_connect(SOCKET, headers=ORIGIN) as official:
        assert until(official, "snapshot")["role"] == "official"


def test_a_shots_number_of_five_thousand_digits_is_no_shot(hall: Hall) -> None:
    """Python refuses to read such a number: not found, and no fault of the server."""
    for path in ("/shots/" + "9" * 5000, "/shots/" + "9" * 5000 + "/still.jpg", "/shots/-1", "/shots/1e3"):
        assert hall.page().get(path).status_code == 404


def test_half_a_character_is_answered(hall: Hall) -> None:
    """JSON can name half of a character, which no line can carry back as it is."""
    with hall.page(official=True).websocket_connect(SOCKET, headers=ORIGIN) as official:
        official.send_text('{"type": "do", "id": "\\ud800", "action": "choose", "option": "\\ud800"}')
        while '"refused"' not in (answer := official.receive_text()):
            pass
    assert answer.isascii()
    assert json.loads(answer)["id"] == "\ud800"


def test_a_match_that_is_busy_does_not_hold_up_the_pages(hall: Hall) -> None:
    """While a correction is worked out or a disk waited for, whoever asks for a shot waits, and everybody else does not."""
    with hall.page(official=True) as client, ThreadPoolExecutor(3) as beside:
        with hall.session.match.lock:
            waiting = [beside.submit(client.get, path) for path in ("/shots/1", "/log")]
            assert beside.submit(client.get, "/").result(20).status_code == 200
            assert not any(answer.done() for answer in waiting)
        assert [answer.result(20).status_code for answer in waiting] == [200, 200]
