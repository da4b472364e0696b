"""Nine-ball between strokes: choices, incidents, placing the cue ball."""

import sys
from pathlib import Path
from typing import Any

import pytest

from referee.notation import parse_stroke
from referee.rules.base import State
from referee.ruling import Pair
from tracker.shot import ShotEvent

sys.path.insert(0, str(Path(__file__).parent))
from nine_cases import a_break, a_state, incident


@pytest.mark.parametrize(("option", "turn"), [("PLAY_POSITION", "B"), ("RETURN_SHOT", "A")])
def test_reply_to_a_push_out(option: str, turn: str) -> None:
    """N9-6.4: play or give back; neither may push out again."""
    state = a_state(phase="push_out_reply", shooter="B")
    ruling = incident(state, ShotEvent(t=0.0, type="decision", fields={"by": "B", "option": option}))

    assert (ruling.turn, ruling.push_out_available, ruling.next_phase, ruling.foul) == (turn, False, "normal", False)


def test_choice_that_is_not_open_changes_nothing() -> None:
    """A choice out of place, or by the wrong player, is refused."""
    reply = a_state(phase="push_out_reply", shooter="B")
    refused = incident(reply, ShotEvent(t=0.0, type="decision", fields={"by": "A", "option": "PLAY_POSITION"}))
    late = incident(a_state(), ShotEvent(t=0.0, type="decision", fields={"by": "A", "option": "RETURN_SHOT"}))

    assert (refused.declaration_rejected, refused.turn) == (True, "decide:B")
    assert (late.declaration_rejected, late.turn) == (True, "A")


def test_third_foul_between_strokes_counts_too() -> None:
    """N9-13.4: a foul between strokes ends the inning and counts."""
    ruling = incident(
        a_state(consecutive_fouls=Pair(2, 0), warned=Pair(True, False)),
        ShotEvent(t=0.0, type="touch", fields={"ball": "6", "by": "hand", "actor": "A"}),
    )

    assert ruling.foul_codes == ("TOUCH", "THREE_FOULS")


def test_ball_touched_with_the_cue_ball_in_hand() -> None:
    """N9-10.1, GR-3.22: a foul, referee or not; the ball goes back."""
    touch = ShotEvent(t=0.0, type="touch", fields={"ball": "6", "by": "cue_ball_in_hand", "actor": "A"})
    for referee in (True, False):
        ruling = incident(a_state(cue_state="hand_anywhere", referee=referee), touch)
        assert (ruling.foul_codes, ruling.restored, ruling.turn) == (("PLACEMENT",), ("6",), "B")


def test_cue_ball_in_hand_may_be_handled() -> None:
    """N9-10.2: moving the cue ball in hand is no foul; touching it in play is."""
    touch = ShotEvent(t=0.0, type="touch", fields={"ball": "cue", "by": "hand", "actor": "A"})

    assert incident(a_state(cue_state="hand_anywhere"), touch).foul_codes == ()
    assert incident(a_state(), touch).foul_codes == ("TOUCH",)


@pytest.mark.parametrize(
    ("state", "place", "rejected"),
    [
        (a_state(cue_state="hand_anywhere", positions={"6": (0.5, 0.5)}), [0.3, 0.3], None),
        (a_state(cue_state="hand_anywhere", positions={"6": (0.5, 0.5)}), [0.5225, 0.5], True),
        (a_state(cue_state="hand_anywhere", positions={"6": (0.5, 0.5)}), [0.524, 0.5], None),
        (a_state(cue_state="hand_anywhere"), [1.2, 0.5], True),
        (a_break(), [0.2499, 0.5], None),
        (a_break(), [0.25, 0.5], True),
    ],
)
def test_where_the_cue_ball_may_be_placed(state: State, place: list[float], rejected: bool | None) -> None:
    """N9-10.1, N9-2, GR-3.16: not against a ball, not on the head string; it is placed again, which is no foul."""
    ruling = incident(state, ShotEvent(t=0.0, type="placement", fields={"ball": "cue", "pos": place}))

    assert (ruling.placement_rejected, ruling.foul) == (rejected, False)


def drop(rest_s: float, **more: Any) -> ShotEvent:
    """The 6 drops by itself after hanging for that long."""
    return ShotEvent(t=1.0, type="spontaneous_drop", fields={"ball": "6", "pocket": "FL", "rest_s": rest_s, **more})


def test_hanging_ball_that_drops_by_itself() -> None:
    """GR-3.31: put back after five seconds; before that it belongs to the stroke before and stays down."""
    late, soon = incident(a_state(), drop(5.0)), incident(a_state(), drop(4.9))

    assert (late.restored, late.turn, late.balls_after) == (("6",), "A", ("cue", "2", "6", "9"))
    assert (soon.restored, soon.stays_down, soon.balls_after) == (None, ("6",), ("cue", "2", "9"))
    assert incident(a_state(), drop(7.0), pool__hanging_s=10).restored is None


def test_hanging_ball_that_drops_as_it_is_shot_at() -> None:
    """GR-3.31: cue ball and object ball go back, and he shoots again."""
    tip = ShotEvent(t=0.0, type="cue_contact")
    ruling = incident(a_state(), tip, drop(8.0, during_shot=True, would_be_hit=True))

    assert (ruling.replay, ruling.foul, ruling.turn) == (True, False, "A")
    assert set(ruling.restored or ()) == {"cue", "6"}


def test_hanging_ball_that_drops_during_a_stroke_elsewhere() -> None:
    """GR-3.31: it is put back and the stroke is judged as it was."""
    played = (*parse_stroke("cue>2 2|foot ."), drop(8.0, during_shot=True))
    ruling = incident(a_state(), *played)

    assert (ruling.restored, ruling.turn, ruling.foul) == (("6",), "B", False)


def outside(restorable: bool) -> ShotEvent:
    """An official states outside interference."""
    return ShotEvent(t=0.0, type="official", fields={"fact": "outside_interference", "restorable": restorable})


def test_outside_interference() -> None:
    """GR-3.35: put back without a penalty; else the rack is played again by the same breaker, the score kept."""
    state = a_state(last_breaker="B", consecutive_fouls=Pair(1, 2))
    back, again = incident(state, outside(True)), incident(state, outside(False))

    assert (back.restored, back.turn, back.fouls_after) == (("*",), "A", Pair(1, 2))
    assert (again.turn, again.next_phase, again.cue_next, again.fouls_after) == ("B", "break", "hand_kitchen", Pair(0, 0))


def test_stalemate_is_broken_again_by_the_breaker() -> None:
    """N9-15: the original breaker breaks again."""
    ruling = incident(a_state(last_breaker="B"), ShotEvent(t=0.0, type="official", fields={"fact": "stalemate"}))

    assert (ruling.turn, ruling.next_phase) == ("B", "break")


@pytest.mark.parametrize(
    ("option", "turn", "phase", "push_out"),
    [("ACCEPT_TABLE_NO_PUSH_OUT", "B", "normal", False), ("RETURN_SHOT_PUSH_OUT_ALLOWED", "A", "after_break", True)],
)
def test_reply_to_a_break_without_three_points(option: str, turn: str, phase: str, push_out: bool) -> None:
    """WPA-REG16: accept without a push-out, or hand back with one."""
    state = a_state(phase="break_reply", shooter="B")
    ruling = incident(state, ShotEvent(t=0.0, type="decision", fields={"by": "B", "option": option}))

    assert (ruling.turn, ruling.next_phase, ruling.push_out_available) == (turn, phase, push_out)
