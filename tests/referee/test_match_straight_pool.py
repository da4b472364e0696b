"""A match of 14.1 as a log: calls, choices and corrections in the fold."""

from typing import Any

import pytest

from referee.log import format_log, parse_log
from referee.match import Match
from tracker.shot import Shot

LAYOUT = {ball: [-0.6 + 0.15 * int(ball), 0.3] for ball in "345678"}


def a_shot(number: int, balls: str, *events: dict[str, Any], rail: float = 1.0) -> Shot:
    """A certain shot at the first of the balls."""
    first = balls.split()[0]
    line = {
        "format": "cueref.shot/1",
        "number": number,
        "start_s": 20.0 * number,
        "end_s": 20.0 * number + 5,
        "cue_ball": "cue",
        "complete": True,
        "before": {ball: LAYOUT[ball] for ball in balls.split()} | {"cue": [-0.9, 0.1]},
        "after": {},
        "events": [{"t": 0.0, "type": "cue_contact"}, {"t": 0.4, "type": "ball_ball", "a": "cue", "b": first}, *events],
        "first_contact": {first: 1.0},
        "rail_before_contact": 0.0,
        "rail_after_contact": rail,
    }
    return Shot.from_dict(line)


def falls(ball: str) -> dict[str, Any]:
    """The ball falls into the left side pocket."""
    return {"t": 2.0, "type": "pocketed", "ball": ball, "pocket": "SL"}


@pytest.fixture
def match() -> Match:
    """A makes the 3, fouls on the 4; B fouls, A fouls twice more, so that B is to choose."""
    match = Match.start("straight_14_1", race=100)
    match.record("call", time_s=19.0, kind="ball", ball="3", pocket="SL")
    match.record_shot(a_shot(1, "3 4 5 6 7 8", falls("3")))
    for number in range(2, 7):
        match.record_shot(a_shot(number, "4 5 6 7 8", rail=0.0))
    return match


def test_points_counts_and_turns_add_up(match: Match) -> None:
    """S141-11, 12: A has 1 - 1 - 1 - 16, B two fouls; the third one gives B the choice."""
    state = match.state.state

    assert match.score == {"A": -17, "B": -2}
    assert state is not None
    assert (state.shooter, state.phase, state.consecutive_fouls.to_dict()) == ("B", "three_foul_reply", {"A": 0, "B": 2})


def test_a_recorded_choice_sets_up_the_break(match: Match) -> None:
    """S141-12.6: A breaks all fifteen, under the rules of the opening break."""
    match.record("decision", time_s=130.0, by="B", option="RERACK_OFFENDER_BREAKS")
    state = match.state.state

    assert state is not None
    assert (state.shooter, state.phase, len(state.balls), state.cue_state) == ("A", "rebreak", 16, "hand_kitchen")


def test_correcting_the_call_judges_everything_again(match: Match) -> None:
    """Another pocket was called: the 3 does not count, the turn passed, and all later fouls change owners."""
    call = next(event for event in match.events if event.type == "call")
    changed = match.correct(call.id, {"pocket": "SR"})

    assert [difference.shot for difference in changed] == [1, 2, 3, 4, 5, 6]
    assert match.score == {"A": -2, "B": -18}


def test_log_round_trip(match: Match) -> None:
    """What is written reads back to the same state."""
    text = "".join(f"{line}\n" for line in format_log(match))

    assert parse_log(text).state == match.state
