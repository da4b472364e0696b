"""The match as pages show it, against what was written down by hand."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import plays
import pytest

from referee.live.match_view import Beside, find_options, match_view, spots_due
from referee.live.shot_view import ShotViews
from referee.match import Match
from referee.rules.games import RULESETS
from referee.ruling import Pair
from tracker.shot import NOT_JUDGED, Doubt

a_shot = plays.a_shot
PROTOCOL = Path(__file__).parents[3] / "docs/live-protocol.md"


def a_match() -> Match:
    """A pots the 1, then it is not known whether the 2 or the 5 was met first."""
    match = Match.start("nine_ball", players=("Ann", "Bo"), race=3)
    match.record_shot(a_shot(1, "1 2 5 9", "1"))
    match.record_shot(a_shot(2, "2 5 9", b2=0.6, b5=0.4))
    return match


def test_a_match_that_has_not_begun_waits() -> None:
    """Nothing is claimed."""
    view = match_view(Match.start("nine_ball", race=None))

    assert (view["status"], view["shooter"], view["last"], view["race"]) == ("waiting", None, None, None)
    assert view["can"] == {"undo": False, "redo": False}


def test_score_shooter_and_what_is_on() -> None:
    """After the second shot the default stands: B to shoot at the 2."""
    view = match_view(a_match())

    assert (view["score"], view["shooter"], view["on"]["balls"], view["provisional"]) == ({"A": 0, "B": 0}, "B", ["2"], True)
    assert view["on"]["text"] == {"en": "2-ball", "ru": "шар 2"}
    assert [item["number"] for item in view["history"]] == [1, 2]
    assert view["history"][0]["call"]["en"] == "Legal: 1-ball pocketed. Ann continues."


def test_an_undecided_shot_waits_in_the_queue_with_what_can_be_decided() -> None:
    """Default first, too close last, each with the call it would give."""
    (shot,) = match_view(a_match())["undecided"]

    assert (shot["number"], shot["verdict"], shot["default"]) == (2, "undecided", "legal")
    assert [(item["word"], item["verdict"]) for item in shot["choices"]] == [
        ("stands", "legal"),
        ("overturned", "foul"),
        ("too_close", "legal"),
    ]
    assert shot["choices"][1]["call"]["en"] == "Foul: 5-ball first. Ball in hand."
    assert shot["readings"][0]["differs"]["en"] == "first ball 2 or 5"


def test_two_fouls_are_warned_of() -> None:
    """B fouls twice with a miss of A between."""
    match = Match.start("nine_ball", race=3)
    match.record("state", shooter="B")
    for number, first in enumerate(("5", "1", "5"), start=1):
        match.record_shot(a_shot(number, "1 2 5 9", **{f"b{first}": 1.0}))
    view = match_view(match)

    assert view["fouls"]["B"] == {"count": 2, "on_two": True, "warned": True}
    assert view["fouls"]["A"]["count"] == 0
    assert (view["cue"]["in_hand"], view["cue"]["state"]) == (True, "hand_anywhere")
    assert view["cue"]["zone"] is not None


def test_options_are_those_of_the_rules_and_change_with_a_choice() -> None:
    """A push-out may be declared after the break; after it the other player has the choice."""
    match = Match.start("nine_ball", race=3)
    match.record("state", phase="after_break")
    match.record_shot(a_shot(1))
    match.record("rack", breaker="A")
    match.record("state", phase="after_break", balls=["cue", "1", "2", "5", "9"])
    assert find_options(match) == (("DECLARE_PUSH_OUT",), "A")
    match.record("call", kind="push_out")
    match.record_shot(a_shot(2))
    options, player = find_options(match)
    assert (set(options), player) == ({"PLAY_POSITION", "RETURN_SHOT"}, "B")
    assert match_view(match)["deciding"] == "B"

    match.record("decision", by="B", option="RETURN_SHOT")
    assert find_options(match) == ((), None)
    assert match_view(match)["shooter"] == "A"


def test_a_ball_to_be_spotted_has_its_place() -> None:
    """The 9 fell on a foul: it belongs on the foot spot."""
    match = Match.start("nine_ball", race=3)
    match.record_shot(a_shot(1, "1 2 5 9", "9", b5=1.0))

    assert spots_due(match) == {"9": (0.635, 0.0)}


def test_a_shot_that_the_camera_did_not_see_is_not_judged() -> None:
    """It waits for a person, whatever its facts seem to say; facts from a person settle it."""
    match, shot = Match.start("nine_ball", race=3), a_shot(1, "1 2 5 9", "1")
    lost = type(shot).from_dict({**shot.to_dict(), "doubts": [Doubt(kind="frames_missing", text=f"{NOT_JUDGED}: away").to_dict()]})
    match.record_shot(lost)
    view = match_view(match)

    assert [(item["number"], item["judged"], item["verdict"]) for item in view["undecided"]] == [(1, False, "undecided")]
    assert "camera" in view["undecided"][0]["call"]["en"]


def _keys(value: Any, path: str = "") -> set[str]:
    """Every path of keys in an object; of a list only what it holds."""
    if isinstance(value, dict):
        return {f"{path}.{key}" for key in value}.union(*(_keys(item, f"{path}.{key}") for key, item in value.items()))
    return set()


def test_every_key_of_the_protocol_is_there() -> None:
    """What docs/live-protocol.md shows of a match and of a shot is what is sent."""
    blocks = re.findall(r"```json\n(.*?)```", PROTOCOL.read_text(encoding="utf-8"), re.DOTALL)
    view = match_view(a_match())
    match, shot = json.loads(blocks[1])["match"], json.loads(blocks[2])

    assert set(match) == set(view)
    assert set(shot) == set(view["undecided"][0])
    for key in ("cue", "push_out", "fouls", "can", "on"):
        assert _keys(match[key]) == _keys(view[key])
    assert set(match["history"][0]) == set(view["history"][0])


@pytest.mark.parametrize("game", [rules.game for rules in RULESETS])
def test_every_game_is_shown_before_and_after_its_rack_is_set(game: str) -> None:
    """What is on, the zone of the cue ball, house rules; as JSON."""
    match = Match.start(game)
    json.dumps(match_view(match))
    match.record("rack", breaker="B")
    view = json.loads(json.dumps(match_view(match)))

    assert (view["shooter"], view["phase"], view["status"]) == ("B", "break", "playing")
    assert view["on"]["text"]["ru"]
    assert view["cue"]["in_hand"] == (view["cue"]["zone"] is not None)
    assert len(view["on_table"]) == len(view["balls"])


def test_views_that_are_kept_show_what_is() -> None:
    """After every change of a match: shots, correction, undo, other names, a still that has come."""
    match, views, files = a_match(), ShotViews(), set[str]()

    def check() -> None:
        beside = Beside(media=lambda number: frozenset(files))
        assert match_view(match, beside, views) == match_view(match, beside)

    check()
    match.record_shot(a_shot(3, "2 5 9", "2"))
    check()
    match.correct(match.events[1].id, {"doubts": [], "first_contact": {"2": 1.0}})
    check()
    match.undo()
    check()
    files.add("still.jpg")
    check()
    match.setup = replace(match.setup, players=Pair("Cy", "Di"))
    check()
