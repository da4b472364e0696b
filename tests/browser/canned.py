"""States of a match as the protocol sends them (docs/live-protocol.md), made by hand, and a referee that plays them to a page.

With them the pages are tried without a camera, a server or a match: each state is exactly what a test says it is.
"""

import json
from collections.abc import Callable, Mapping
from math import sqrt
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page, Route, WebSocketRoute

Message = dict[str, Any]

ADDRESS = "http://cueref.test"
WEB = Path(__file__).resolve().parents[2] / "referee" / "live" / "web"
PAGES = {"/": "index.html", "/official": "official.html", "/overlay": "overlay.html"}
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self' "
    "ws://cueref.test; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
LENGTH_M, WIDTH_M = 2.54, 1.27


def both(english: str, russian: str | None = None) -> dict[str, str]:
    """A text for people in both languages."""
    return {"en": english, "ru": russian if russian is not None else english}


def a_table(camera: Mapping[str, Any] | None = None) -> Message:
    """A nine-foot table as `match.table` has it."""
    x, y, cut, side = LENGTH_M / 2, WIDTH_M / 2, 0.1159 / sqrt(2), 0.1286 / 2
    corners = {"HL": (-1, 1), "HR": (-1, -1), "FL": (1, 1), "FR": (1, -1)}
    pockets = {name: [[sx * x, sy * (y - cut)], [sx * (x - cut), sy * y]] for name, (sx, sy) in corners.items()}
    pockets |= {name: [[-side, sy * y], [side, sy * y]] for name, sy in (("SL", 1), ("SR", -1))}
    return {
        "name": "wpa-9ft",
        "length_m": LENGTH_M,
        "width_m": WIDTH_M,
        "ball_diameter_m": 0.05715,
        "head_string_m": -x / 2,
        "pockets": pockets,
        "spots": {"head": [-x / 2, 0.0], "centre": [0.0, 0.0], "foot": [x / 2, 0.0]},
        "camera": camera,
    }


def a_shot(**fields: Any) -> Message:
    """Shot 3: the 1 in the right foot corner, as the sample `legal_pot` has it."""
    return {
        "number": 3,
        "event": 7,
        "player": "A",
        "start_s": 2.4,
        "end_s": 5.8,
        "verdict": "legal",
        "default": "legal",
        "decided": "",
        "judged": True,
        "provisional": False,
        "foul_codes": [],
        "inning": 5,
        "scores": {"A": 2, "B": 1},
        "call": both("Legal: 1-ball pocketed. Ann continues.", "По правилам: шар 1 в лузе. Ann продолжает."),
        "clauses": [
            {"id": "N9-5", "text": both("A ball that falls on a legal shot keeps the inning.", "Сыгранный шар продолжает подход.")}
        ],
        "reasons": {
            "en": ["Pocketed on a legal shot: 1. Player A continues."],
            "ru": ["Сыграно по правилам: 1. Игрок A продолжает подход."],
        },
        "doubts": {"en": [], "ru": []},
        "readings": [{"p": 0.9994, "verdict": "legal", "foul_codes": [], "differs": both("")}],
        "choices": [],
        "facts": {"cue_ball": "cue", "first": {"1": 0.999}, "rail_after": 0.999, "pocketed": [["1", "FR"]], "off_table": []},
        "events": [
            {"t": 0.136, "type": "ball_ball", "a": "cue", "b": "1", "p": 0.999, "text": both("cue ball meets 1-ball")},
            {
                "t": 1.33,
                "type": "pocketed",
                "ball": "1",
                "pocket": "FR",
                "p": 0.999,
                "text": both("1-ball falls into the right foot pocket"),
            },
            {
                "t": 1.634,
                "type": "ball_cushion",
                "ball": "2",
                "cushion": "left",
                "p": 0.97,
                "text": both("2-ball touches the left cushion"),
            },
        ],
        "before": {"cue": [-1.06, -0.407], "1": [-0.656, -0.3], "2": [-0.689, -0.06], "4": [0.363, 0.424], "9": [0.977, -0.371]},
        "after": {"cue": [-0.407, 0.083], "2": [-0.884, 0.41], "4": [0.363, 0.424], "9": [0.977, -0.371]},
        "paths": {
            "cue": [[0.0, -1.06, -0.407], [0.136, -0.71, -0.317], [0.3, -0.671, -0.114], [0.5, -0.6, -0.06], [1.6, -0.407, 0.083]],
            "1": [[0.136, -0.656, -0.3], [1.33, 1.24, -0.606]],
            "2": [[0.3, -0.689, -0.06], [1.634, -0.81, 0.607], [2.4, -0.884, 0.41]],
        },
        "still": "/shots/3/still.jpg",
        "clip": None,
    } | fields


def an_undecided_shot(**fields: Any) -> Message:
    """Shot 2: the 3 or the 5 first."""
    undecided = both("Undecided: first ball 3 or 5. Until a person decides: no foul.", "Не решено: первым задет шар 3 или 5.")
    legal, foul = both("Legal, nothing pocketed. Ann to shoot."), both("Foul: 5-ball first. Ball in hand.", "Фол: первым задет шар 5.")
    differs = both("first ball 3 or 5", "первым задет шар 3 или 5")
    shot = a_shot(
        number=2,
        event=4,
        player="B",
        verdict="undecided",
        call=undecided,
        clauses=[{"id": "N9-8", "text": both("The cue ball must meet the lowest ball first.", "Первым должен быть задет младший шар.")}],
        reasons={"en": ["Not established: first ball 3 or 5."], "ru": ["Не установлено: первым задет шар 3 или 5."]},
        doubts={"en": ["hit almost together: 3 and 5"], "ru": ["Неразличимые касания: шар 3, шар 5"]},
        readings=[
            {"p": 0.62, "verdict": "legal", "foul_codes": [], "differs": differs},
            {"p": 0.38, "verdict": "foul", "foul_codes": ["WRONG_FIRST"], "differs": differs},
        ],
        choices=[
            {"word": "stands", "verdict": "legal", "foul_codes": [], "p": 0.62, "call": legal},
            {"word": "overturned", "verdict": "foul", "foul_codes": ["WRONG_FIRST"], "p": 0.38, "call": foul},
            {"word": "too_close", "verdict": "legal", "foul_codes": [], "p": 0.62, "call": legal},
        ],
        still="/shots/2/still.jpg",
    )
    return shot | fields


def a_match(**fields: Any) -> Message:
    """Nine-ball, Ann 2, Bo 1, Ann to shoot at the 2."""
    last = fields.pop("last", a_shot())
    first = {"number": 1, "event": 2, "player": "A", "decided": "", "provisional": False, "start_s": 1.0, "end_s": 3.0, "inning": 4}
    history = [
        {
            **first,
            "verdict": "legal",
            "call": both("Legal: 6-ball pocketed. Ann continues.", "По правилам: шар 6 в лузе. Ann продолжает."),
            "scores": {"A": 2, "B": 1},
        },
        {
            **first,
            "number": 2,
            "event": 4,
            "player": "B",
            "verdict": "foul",
            "call": both("Foul: no rail. Ball in hand.", "Фол: нет борта после касания. Биток с руки."),
            "scores": {"A": 2, "B": 1},
        },
        {**first, **{key: last[key] for key in ("number", "event", "player", "verdict", "call", "scores", "decided")}},
    ]
    return {
        "game": "nine_ball",
        "game_name": both("Nine-ball", "Пул «девятка»"),
        "players": {"A": "Ann", "B": "Bo"},
        "race": 7,
        "table": a_table(),
        "balls": ["cue", *map(str, range(1, 10))],
        "status": "playing",
        "score": {"A": 2, "B": 1},
        "inning": 5,
        "shooter": "A",
        "deciding": None,
        "phase": "normal",
        "fouls": {"A": {"count": 0, "on_two": False, "warned": False}, "B": {"count": 2, "on_two": True, "warned": True}},
        "on": {"balls": ["2"], "text": both("2-ball", "шар 2")},
        "on_table": ["cue", "2", "4", "9"],
        "call_needed": False,
        "call": None,
        "declared": [],
        "push_out": {"allowed": False, "declared": False},
        "cue": {"ball": "cue", "state": "position", "in_hand": False, "zone": None, "text": both("where it lies", "на месте")},
        "options": {"player": None, "list": []},
        "spot": [],
        "provisional": False,
        "rack_over": False,
        "match_over": False,
        "winner": None,
        "last": last,
        "undecided": [],
        "history": history,
        "people": [],
        "house_rules": [
            {
                "key": "nine.break_order",
                "value": "winner",
                "default": "winner",
                "choices": ["winner", "alternate", "loser", "trailing"],
            },
            {"key": "nine.three_point_break", "value": False, "default": False, "choices": [True, False]},
            {"key": "pool.hanging_s", "value": 5.0, "default": 5.0, "choices": None},
        ],
        "can": {"undo": True, "redo": False},
        "assumed": ["race: 7"],
        "missing": {"en": [], "ru": []},
    } | fields


def a_live(balls: Mapping[str, tuple[float, float]] | None = None, **fields: Any) -> Message:
    """What the camera sees: the balls of shot 3 at rest, a clock of 35 s, a camera that works, nothing to help with."""
    places = balls if balls is not None else {"cue": (-0.407, 0.083), "2": (-0.884, 0.41), "4": (0.363, 0.424), "9": (0.977, -0.371)}
    table = {"time_s": 6.0, "moving": False, "handled": False, "usable": True}
    return {
        "table": {**table, "balls": [[ball, x, y, "seen", 0.001] for ball, (x, y) in places.items()]},
        "clock": a_clock(),
        "camera": {"status": "ok", "since_s": 9.0, "text": both("The camera works."), "rate_hz": 30.0, "judged_hz": 30.0, "missed": 0.0},
        "help": a_help(),
    } | fields


def a_clock(**fields: Any) -> Message:
    """Ann's clock at 21 of 35 s, paused so that it stands still in a test."""
    return {
        "state": "paused",
        "player": "A",
        "limit_s": 35.0,
        "left_s": 21.0,
        "since_rest_s": 14.0,
        "ten": False,
        "extension_s": 25.0,
        "extensions": {"A": 0, "B": 1},
        "extensions_each": 1,
    } | fields


def a_help(**fields: Any) -> Message:
    """Nothing to help with."""
    nothing = {"on": False}
    return {"spot": [], "put_back": nothing, "rack": nothing, "zone": nothing, "frozen": [], "near_rail": []} | fields


class Canned:
    """A referee without a match: shows a page one state, notes what the page asks for, and answers as the test says.

    Attributes:
        asked: The `do` messages so far, ids left out.
        refuse: A reason to refuse everything with, or None.
        answers: False to leave everything unanswered.
    """

    def __init__(self, page: Page, match: Message | None = None, live: Message | None = None, role: str = "official") -> None:
        self.match = match if match is not None else a_match()
        self.live = live if live is not None else a_live()
        self.role = role
        self.asked: list[Message] = []
        self.sent: list[Message] = []
        self.refuse: dict[str, str] | None = None
        self.answers = True
        self.accepts = True
        self.on_do: Callable[[Message], None] | None = None
        self.sockets: list[WebSocketRoute] = []
        self.page = page
        page.route(f"{ADDRESS}/**", self._serve)
        page.route_web_socket("**/ws", self._connected)

    def open(self, path: str) -> None:
        """Open one of the pages and wait until it has the state."""
        self.page.goto(f"{ADDRESS}{path}")
        self.page.wait_for_selector("[data-score=A]")

    def send(self, **message: Any) -> None:
        """A message to the page."""
        self.sockets[-1].send(json.dumps(message))

    def change(self, **fields: Any) -> None:
        """Another state of the match."""
        self.match = self.match | fields
        self.send(type="match", seq=1, match=self.match)

    def see(self, **parts: Any) -> None:
        """Other parts of what is live."""
        self.live = self.live | parts
        for name, part in parts.items():
            self.send(type=name, **{name: part})

    def cut(self, comes_back: bool = True) -> None:
        """Break the line."""
        self.accepts = comes_back
        self.sockets[-1].close()

    def _connected(self, socket: WebSocketRoute) -> None:
        if not self.accepts:
            socket.close()
            return
        self.sockets.append(socket)
        socket.on_message(self._said)
        self._greet(socket)

    def _greet(self, socket: WebSocketRoute) -> None:
        socket.send(json.dumps({"type": "snapshot", "seq": 1, "role": self.role, "match": self.match, "live": self.live}))

    def _said(self, text: str | bytes) -> None:
        message = json.loads(text)
        if message["type"] == "hello":
            self._greet(self.sockets[-1])
            return
        self.sent.append(message)
        self.asked.append({key: value for key, value in message.items() if key not in ("type", "id")})
        if self.on_do is not None:
            self.on_do(self.asked[-1])
        if self.answers and self.refuse is not None:
            self.send(type="refused", id=message["id"], why=self.refuse)
        elif self.answers:
            self.send(type="done", id=message["id"])

    def _serve(self, route: Route) -> None:
        path = urlsplit(route.request.url).path
        file = WEB / PAGES[path] if path in PAGES else WEB / path.removeprefix("/static/")
        if path.endswith("still.jpg") or path in ("/camera", "/qr.svg", "/qr-public.svg"):
            route.fulfill(content_type="image/svg+xml", body=_PICTURE)
        elif path.startswith("/shots/"):
            route.fulfill(json=a_shot(number=int(path.rsplit("/", 1)[1])))
        elif file.is_file():
            headers = {"Content-Security-Policy": POLICY, "Content-Type": TYPES[file.suffix]}
            route.fulfill(body=file.read_bytes(), headers=headers)
        else:
            route.fulfill(status=404, body="")


_PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9"><rect width="16" height="9" fill="#3b5b52"/></svg>'
