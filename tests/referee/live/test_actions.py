"""What an official does, message by message: it is done, or refused and nothing has changed."""

import json
from pathlib import Path
from typing import Any

import plays
import pytest

from calibration.errors import InputError
from referee.live.actions import ACTIONS, carry_out
from referee.live.session import Session
from referee.pipeline import FrameUpdate
from tracker.history import TableState, TrackedBall
from vision.detection import Observation

a_shot, HandClock = plays.a_shot, plays.HandClock


def a_session(folder: Path, game: str = "nine_ball", **agreed: Any) -> Session:
    """A match on disk with its session."""
    session: Session = plays.a_session(folder, game, **agreed)
    return session


def do(session: Session, action: str, **fields: Any) -> None:
    """As a page sends it, through JSON."""
    carry_out(session, json.loads(json.dumps({"type": "do", "id": "c1", "action": action, **fields})))


def shown(session: Session) -> dict[str, Any]:
    """The match as pages see it."""
    found: dict[str, Any] = json.loads(session.board.read()[0]["match"])["match"]
    return found


def posts(session: Session) -> list[dict[str, Any]]:
    """Everything that was posted."""
    from referee.live.board import Mark

    return [json.loads(text) for text in session.board.news(Mark({}, 0))[1]]


def test_ball_and_pocket_are_called_for_the_next_stroke(tmp_path: Path) -> None:
    """14.1: the called ball counts."""
    session = a_session(tmp_path, "straight_14_1", race=100)
    do(session, "call", kind="ball", ball="1", pocket="FL")
    assert shown(session)["call"] == {"kind": "ball", "ball": "1", "pocket": "FL"}
    ruling = session.match.record_shot(a_shot(1, "1 2 5 9", "1"))

    assert (ruling.verdict, session.match.score) == ("legal", {"A": 1, "B": 0})


def test_a_call_while_balls_move_is_refused(tmp_path: Path) -> None:
    """It would be a call after the stroke."""
    session = a_session(tmp_path)
    session.moving = True
    with pytest.raises(InputError, match="balls are moving"):
        do(session, "call", kind="safety")

    assert session.match.events == ()


def test_a_push_out_must_be_open(tmp_path: Path) -> None:
    """Only after the break."""
    session = a_session(tmp_path)
    with pytest.raises(InputError, match="push-out"):
        do(session, "call", kind="push_out")
    do(session, "start", breaker="B")
    do(session, "state", fields={"phase": "after_break", "balls": ["cue", "1", "2", "5", "9"]})
    do(session, "choose", option="DECLARE_PUSH_OUT")

    assert shown(session)["push_out"]["declared"]


def test_decided_overturned_and_undone_and_redone(tmp_path: Path) -> None:
    """What follows is judged again, and the difference is told."""
    session = a_session(tmp_path)
    session.match.record_shot(a_shot(1, b1=0.6, b2=0.4))
    session.match.record_shot(a_shot(2))
    do(session, "decide", shot=1, word="overturned")
    assert [item["verdict"] for item in shown(session)["history"]] == ["foul", "legal"]
    assert shown(session)["undecided"] == []
    (changed,) = [post for post in posts(session) if post["type"] == "changed"]
    assert changed["shots"][0]["now"]["en"].startswith("Foul: 2-ball first.")

    do(session, "undo")
    assert [item["number"] for item in shown(session)["undecided"]] == [1]
    do(session, "redo")
    assert shown(session)["undecided"] == []


def test_facts_are_corrected(tmp_path: Path) -> None:
    """The 2 was first, and the 1 fell into SR after all; what was said stays in the log."""
    session = a_session(tmp_path)
    session.match.record_shot(a_shot(1))
    do(session, "fix", shot=1, facts={"first": "2"})
    assert shown(session)["last"]["foul_codes"] == ["WRONG_FIRST"]
    do(session, "fix", shot=1, facts={"first": "1", "pocketed": [["1", "SR"]]})
    assert (shown(session)["last"]["verdict"], shown(session)["last"]["facts"]["pocketed"]) == ("legal", [["1", "SR"]])
    do(session, "fix", shot=1, facts={"off_table": ["1"], "pocketed": []})
    assert shown(session)["last"]["foul_codes"] == ["OB_OFF"]
    do(session, "fix", shot=1, facts={"first": "none", "off_table": [], "pocketed": []})

    assert shown(session)["last"]["foul_codes"] == ["NO_CONTACT"]
    assert sum(event.type == "correction" for event in session.match.events) == 4


def test_what_an_official_states_belongs_to_the_next_stroke_or_an_earlier_one(tmp_path: Path) -> None:
    """No foot on the floor: a foul of the shot named."""
    session = a_session(tmp_path)
    session.match.record_shot(a_shot(1))
    do(session, "official", fact="no_foot", shot=1)
    assert shown(session)["last"]["foul_codes"] == ["FEET"]
    do(session, "touch", ball="2", by="sleeve", actor="A")

    assert [item["type"] for item in shown(session)["people"]] == ["touch"]
    assert shown(session)["people"][0]["text"]["en"] == "touched: 2-ball"


def test_a_frozen_ball_is_declared(tmp_path: Path) -> None:
    """It stands in the state of the next stroke."""
    session = a_session(tmp_path)
    session.match.record_shot(a_shot(1))
    do(session, "frozen", ball="2", to="foot")

    assert shown(session)["declared"] == [{"ball": "2", "to": "foot", "declared": True}]


def test_interference_shows_the_ghosts_of_the_last_rest(tmp_path: Path) -> None:
    """Put back, no penalty; the shooter stays."""
    session = a_session(tmp_path)
    session.match.record_shot(a_shot(1))
    do(session, "put_back", on=True, shot=1)
    ghosts = json.loads(session.board.read()[0]["help"])["put_back"]
    assert (ghosts["on"], len(ghosts["balls"])) == (True, 5)
    do(session, "put_back", on=False)
    shooter = shown(session)["shooter"]
    do(session, "interference")

    assert shown(session)["shooter"] == shooter
    assert json.loads(session.board.read()[0]["help"])["put_back"]["on"] is False


def test_the_shot_clock_is_set_extended_and_paused(tmp_path: Path) -> None:
    """A time-out stops it; going on starts it again."""
    clock = HandClock()
    session = plays.a_session(tmp_path, clock=clock)
    do(session, "clock", limit_s=35, extension_s=20, extensions_each=1)
    with pytest.raises(InputError, match="not running"):
        do(session, "extension", player="A")
    do(session, "timeout", player="A")
    assert json.loads(session.board.read()[0]["clock"])["state"] == "paused"
    assert shown(session)["status"] == "paused"
    assert json.loads(session.board.read()[0]["clock"])["timeout"] == "A"
    do(session, "resume")

    assert json.loads(session.board.read()[0]["clock"])["limit_s"] == 35.0


def test_names_race_and_house_rules_change(tmp_path: Path) -> None:
    """The log's header says so."""
    session = a_session(tmp_path)
    do(session, "setup", players={"A": "Ann", "B": "Bo"}, race=9)
    do(session, "house_rule", key="nine.break_order", value="alternate")
    view = shown(session)

    assert (view["players"], view["race"]) == ({"A": "Ann", "B": "Bo"}, 9)
    assert {item["key"]: item["value"] for item in view["house_rules"]}["nine.break_order"] == "alternate"


def test_a_stroke_starts_and_a_rest_is_seen(tmp_path: Path) -> None:
    """The driver's pictures move the table, the clock and the ghosts."""
    clock = HandClock()
    session = plays.a_session(tmp_path, clock=clock)

    def see(time_s: float, *, moving: bool) -> None:
        ball = TrackedBall(ball="cue", position_m=(0.1, 0.2), velocity_mps=(0.0, 0.0), sigma_m=0.001, seen=True)
        state = TableState(time_s=time_s, balls=(ball,))
        session.frame_seen(FrameUpdate(observation=Observation(time_s=time_s, detections=()), state=state), moving=moving)

    see(0.0, moving=False)
    see(0.5, moving=False)
    see(1.0, moving=True)
    assert json.loads(session.board.read()[0]["table"])["moving"] is True
    do(session, "put_back", on=True)

    assert json.loads(session.board.read()[0]["help"])["put_back"]["balls"][0]["to"] == [0.1, 0.2]


BAD: list[dict[str, Any]] = [
    {"action": "no such thing"},
    {"action": "call"},
    {"action": "call", "kind": "ball", "ball": "77", "pocket": "FL"},
    {"action": "call", "kind": "ball", "ball": "1", "pocket": "XX"},
    {"action": "call", "kind": ["ball"]},
    {"action": "frozen", "ball": "1", "to": "ceiling"},
    {"action": "choose", "option": "RETURN_SHOT"},
    {"action": "choose", "option": 7},
    {"action": "official", "fact": "he cheated"},
    {"action": "official"},
    {"action": "official", "fact": "no_foot", "shot": 99},
    {"action": "touch", "ball": "1", "by": "wand", "actor": "A"},
    {"action": "decide", "shot": 1, "word": "stands"},
    {"action": "decide", "shot": "1", "word": "stands"},
    {"action": "fix", "shot": 1, "facts": {}},
    {"action": "fix", "shot": 1, "facts": {"first": "cloud"}},
    {"action": "fix", "shot": 1, "facts": {"pocketed": [["1", "XX"]]}},
    {"action": "fix", "shot": 1, "facts": {"pocketed": [["1", "FL"], ["1", "FR"]]}},
    {"action": "fix", "shot": 1, "facts": {"colour": "red"}},
    {"action": "correct", "event": 999, "void": True},
    {"action": "correct", "event": 1},
    {"action": "correct", "event": 1, "insert": {"type": "ruling"}},
    {"action": "correct", "event": 1, "insert": {"type": "shot", "shot": {}}},
    {"action": "correct", "event": 1, "fields": {"events": 5}},
    {"action": "correct", "event": True, "void": True},
    {"action": "state", "fields": {"shooter": "C"}},
    {"action": "state", "fields": {"positions": {}}},
    {"action": "state", "fields": []},
    {"action": "start", "breaker": "C"},
    {"action": "clock", "limit_s": -5},
    {"action": "clock", "limit_s": "35"},
    {"action": "clock"},
    {"action": "extension", "player": "C"},
    {"action": "setup"},
    {"action": "setup", "players": {"A": "x"}},
    {"action": "setup", "players": {"A": "x", "B": "x"}},
    {"action": "setup", "race": 0},
    {"action": "house_rule", "key": "nine.no_such", "value": 1},
    {"action": "house_rule", "key": "nine.break_order", "value": "coin"},
    {"action": "spot_done", "ball": "9"},
    {"action": "put_back", "on": "yes"},
    {"action": "put_back", "on": True, "shot": 99},
    {"action": "watch", "pairs": "all"},
    {"action": "timeout", "player": "C"},
    {"action": None},
]


@pytest.mark.parametrize("message", BAD, ids=lambda message: json.dumps(message)[:60])
def test_what_cannot_be_is_refused_and_changes_nothing(tmp_path: Path, message: dict[str, Any]) -> None:
    """One line says why."""
    session = a_session(tmp_path)
    session.match.record_shot(a_shot(1))
    before = (session.match.events, session.match.state, session.match.setup)
    with pytest.raises((InputError, ValueError, TypeError, KeyError, AttributeError)):
        carry_out(session, message)

    assert (session.match.events, session.match.state, session.match.setup) == before


def test_every_action_is_in_the_protocol() -> None:
    """And the other way round."""
    text = (Path(__file__).parents[3] / "docs/live-protocol.md").read_text(encoding="utf-8")

    assert all(f"`{name}`" in text for name in ACTIONS)
