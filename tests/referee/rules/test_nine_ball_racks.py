"""Nine-ball racks: breaks, three fouls, who breaks next, and the fold from stroke to stroke."""

import sys
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import InputError
from referee.rules.base import State, next_state
from referee.rules.nine_ball import RULES
from referee.ruling import Pair, Ruling

sys.path.insert(0, str(Path(__file__).parent))
from nine_cases import ALL, LEGAL_BREAK, a_break, a_state, judge


def test_nine_on_a_legal_shot_wins_the_rack() -> None:
    """N9-5.3: rack to the shooter, counts clean, he breaks again."""
    ruling = judge(a_state(consecutive_fouls=Pair(2, 1)), "cue>2 2>9 9@FL")

    assert (ruling.rack_over, ruling.winner, ruling.points_delta, ruling.next_breaker) == (True, "A", Pair(1, 0), "A")
    assert (ruling.fouls_after, ruling.cue_next, ruling.match_over) == (Pair(0, 0), None, False)


def test_last_rack_wins_the_match() -> None:
    """N9-1.5: with the agreed number of racks the match is over and nobody breaks."""
    ruling = judge(a_state(scores=Pair(6, 6)), "cue>2 2>9 9@FL")

    assert (ruling.match_over, ruling.turn, ruling.next_breaker) == (True, "none", None)


@pytest.mark.parametrize(
    ("order", "state", "breaker"),
    [
        ("winner", a_state(), "A"),
        ("loser", a_state(), "B"),
        ("alternate", a_state(last_breaker="A"), "B"),
        ("alternate", a_state(last_breaker="B"), "A"),
        ("trailing", a_state(scores=Pair(1, 3)), "A"),
        ("trailing", a_state(scores=Pair(4, 1)), "B"),
        ("trailing", a_state(scores=Pair(1, 2)), "A"),
    ],
)
def test_next_breaker_as_the_organiser_says(order: str, state: State, breaker: str) -> None:
    """N9-3: winner, loser, alternate or the player behind in racks; level racks stay with the winner."""
    assert judge(state, "cue>2 2>9 9@FL", nine__break_order=order).next_breaker == breaker


def test_alternate_breaks_need_the_last_breaker() -> None:
    """Who broke last is not guessed."""
    with pytest.raises(InputError, match=r"before\.last_breaker: missing"):
        judge(a_state(), "cue>2 2>9 9@FL", nine__break_order="alternate")


def test_nine_on_the_break() -> None:
    """A-N3: it wins, or is spotted where the organiser says so, and the breaker goes on."""
    won, spotted = judge(a_break(), "cue>1 9@FL"), judge(a_break(), "cue>1 9@FL", nine__nine_on_break="spotted")

    assert (won.rack_over, spotted.rack_over, spotted.spotted, spotted.turn) == (True, False, ("9",), "A")


def test_legal_break_opens_the_push_out() -> None:
    """N9-5.1, N9-5.2: with a ball down the breaker, else the opponent, may push out."""
    made, dry = judge(a_break(), "cue>1 3@FL"), judge(a_break(), LEGAL_BREAK)

    assert (made.turn, dry.turn) == ("A", "B")
    assert made.options == dry.options == ("DECLARE_PUSH_OUT",)
    assert made.push_out_available is dry.push_out_available is True


def test_foul_break_closes_the_push_out() -> None:
    """N9-6.6, A-N4: after any foul break there is no push-out."""
    for stroke in (f"{LEGAL_BREAK} cue@FL", "cue>2 4@FL", "cue>1"):
        ruling = judge(a_break(), stroke)
        assert (ruling.push_out_available, ruling.next_phase) == (False, "normal")


THIRD = a_state(consecutive_fouls=Pair(2, 0), warned=Pair(True, False))


def test_third_foul_after_a_warning_loses_the_rack() -> None:
    """N9-13.1: rack to the opponent, counts clean."""
    ruling = judge(THIRD, "cue>6 6|foot")

    assert ruling.foul_codes == ("WRONG_FIRST", "THREE_FOULS")
    assert (ruling.winner, ruling.points_delta, ruling.fouls_after, ruling.turn) == ("B", Pair(0, 1), Pair(0, 0), "B")


def test_third_foul_without_a_warning() -> None:
    """N9-13.3, A-N7: it counts as the second, or loses the rack where the organiser says so."""
    state = a_state(consecutive_fouls=Pair(2, 0))
    second, lost = judge(state, "cue>6 6|foot"), judge(state, "cue>6 6|foot", nine__unwarned_third="loses_rack")

    assert (second.fouls_after, second.warn, second.rack_over) == (Pair(2, 0), ("A",), False)
    assert (lost.winner, lost.rack_over) == ("B", True)


def test_second_foul_calls_for_a_warning() -> None:
    """N9-13.3: between the second and the third foul the player is warned."""
    assert judge(a_state(consecutive_fouls=Pair(1, 0)), "cue>6 6|foot").warn == ("A",)
    assert judge(a_state(), "cue>6 6|foot").warn is None


def test_legal_stroke_clears_the_count() -> None:
    """N9-13.1: only fouls on successive strokes add up; the opponent's count stays."""
    assert judge(a_state(consecutive_fouls=Pair(2, 1)), "cue>2 2|foot").fouls_after == Pair(0, 1)


def three_points(stroke: str, **more: Any) -> Ruling:
    """A break under WPA-REG16."""
    return judge(a_break(), stroke, nine__three_point_break=True, **more)


def test_three_point_break() -> None:
    """WPA-REG16: pocketed balls and balls past the head string add up to three; else the opponent chooses, no foul."""
    enough, few = three_points(f"{LEGAL_BREAK} 4^ 7^ 2^"), three_points(f"{LEGAL_BREAK} 4^ 7^ 7^")
    mixed, cue_only = three_points("cue>1 3@FL 4^ 7^"), three_points(f"{LEGAL_BREAK} 4^ 7^ cue^")

    assert (enough.turn, mixed.turn) == ("B", "A")
    for ruling in (few, cue_only):
        assert (ruling.foul, ruling.turn) == (False, "decide:B")
        assert ruling.options == ("ACCEPT_TABLE_NO_PUSH_OUT", "RETURN_SHOT_PUSH_OUT_ALLOWED")


def test_nine_on_a_break_without_three_points_is_spotted() -> None:
    """WPA-REG16: a 9 made on an illegal break does not win."""
    ruling = three_points("cue>1 9@FL 4^")

    assert (ruling.rack_over, ruling.spotted, ruling.turn) == (False, ("9",), "decide:B")
    assert three_points("cue>1 9@FL 4^ 7^").rack_over


def test_foul_break_without_three_points_is_a_foul() -> None:
    """A foul is a foul, whatever the points."""
    assert three_points(f"{LEGAL_BREAK} cue@FL").foul_codes == ("SCRATCH",)


def test_fold_sets_up_the_next_rack() -> None:
    """After a rack the breaker of the next one stands before nine balls with the cue ball in hand."""
    state = a_state(consecutive_fouls=Pair(1, 1))
    after = next_state(RULES, state, judge(state, "cue>2 9@FL"))

    assert (after.phase, after.shooter, after.scores, after.balls) == ("break", "A", Pair(4, 2), ALL)
    assert (after.cue_state, after.consecutive_fouls, after.last_breaker) == ("hand_kitchen", Pair(0, 0), "A")


def test_fold_carries_the_table_on() -> None:
    """After a stroke balls, turn, place of the cue ball and warnings are those of the ruling."""
    state = a_state(consecutive_fouls=Pair(1, 0), last_breaker="B")
    after = next_state(RULES, state, judge(state, "cue>6 6@FL"))

    assert (after.balls, after.shooter, after.cue_state) == (("cue", "2", "9"), "B", "hand_anywhere")
    assert (after.consecutive_fouls, after.warned, after.last_breaker) == (Pair(2, 0), Pair(True, False), "B")


def test_fold_forgets_a_warning_with_the_count() -> None:
    """Who has cleared two fouls must be warned anew before he can lose by three."""
    after = next_state(RULES, THIRD, judge(THIRD, "cue>2 2|foot"))

    assert (after.consecutive_fouls, after.warned) == (Pair(0, 0), Pair(False, False))
