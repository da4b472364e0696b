"""What an outsider does once the balls lie still leaves the stroke standing, in every game (GR-3.15, 3.35; PYR-14, 27)."""

from typing import Any

import pytest

from calibration.equipment import find_table
from referee.notation import parse_stroke
from referee.rules.base import Call, Case, State
from referee.rules.games import find_ruleset
from referee.ruling import Pair
from tracker.shot import ShotEvent

COMMON: dict[str, Any] = {"shooter": "A", "phase": "normal", "cue_state": "position"}
GAMES: dict[str, tuple[dict[str, Any], str]] = {
    "nine_ball": (
        {"table": "wpa-9ft", "balls": ("cue", "1", "3", "9"), "cue_ball": "cue", "scores": Pair(1, 1), "target": 7},
        "cue>1 1@FL",
    ),
    "straight_14_1": (
        {
            "table": "wpa-9ft",
            "balls": ("cue", "1", "3", "9"),
            "cue_ball": "cue",
            "scores": Pair(1, 1),
            "target": 50,
            "call": Call(kind="ball", ball="1", pocket="FL"),
        },
        "cue>1 1@FL",
    ),
    "free_pyramid": (
        {"table": "pyramid-12ft", "balls": ("Y", "w1", "w3", "w9"), "cue_ball": "Y", "scores": Pair(6, 6), "target": 8},
        "Y>w1 w1@FL",
    ),
}


def played(game: str, *later: ShotEvent) -> Any:
    """The ruling on a legal stroke that pockets a ball, with what happened after the balls had stopped."""
    state, stroke = GAMES[game]
    given = COMMON | state | {"table": find_table(state["table"])}
    return find_ruleset(game).judge(Case(state=State(**given), events=(*parse_stroke(stroke), *later)))


@pytest.mark.parametrize("game", GAMES)
def test_a_ball_moved_after_the_stroke_goes_back_and_the_stroke_counts(game: str) -> None:
    """The touch and the official's word name the ball; turn and points are those of the stroke alone."""
    ball = GAMES[game][0]["balls"][2]
    alone = played(game)
    ruling = played(
        game,
        ShotEvent(t=60.0, type="touch", fields={"ball": ball, "by": "other", "actor": "outsider"}),
        ShotEvent(t=61.0, type="official", fields={"fact": "outside_interference", "restorable": True}),
    )

    assert (ruling.points_delta, ruling.turn, ruling.replay) == (alone.points_delta, alone.turn, None)
    assert ruling.restored == (ball,)


def test_a_position_lost_after_the_stroke_keeps_its_point() -> None:
    """PYR-27.2, 27.3: racked and lagged for; the score is the one after the stroke."""
    ruling = played("free_pyramid", ShotEvent(t=60.0, type="official", fields={"fact": "outside_interference", "restorable": False}))

    assert (ruling.points_delta, ruling.scores_after, ruling.turn, ruling.rerack) == (Pair(1, 0), Pair(7, 6), "lag", "incomplete")
