"""14.1: what fouls cost and what they open: points, counts, choices, deliberate fouls, fouls of the other player."""

import sys
from pathlib import Path
from typing import Any

import pytest

from referee.notation import parse_stroke
from referee.rules.base import Call, Case, State
from referee.rules.options import read_options
from referee.rules.straight_pool import RULES
from referee.ruling import Pair
from tracker.shot import ShotEvent

sys.path.insert(0, str(Path(__file__).parent))
from straight_cases import LEGAL_BREAK, SAFETY, a_break, a_state, called, judge


def touched(stroke: str, **fields: Any) -> tuple[ShotEvent, ...]:
    """A stroke with a touch by hand of player A just before rest, unless the fields say otherwise."""
    *events, stop = parse_stroke(stroke)
    return (*events, ShotEvent(t=5.0, type="touch", fields={"ball": "8", "by": "hand", "actor": "A", **fields}), stop)


@pytest.mark.parametrize(
    ("stroke", "cue_next", "options"),
    [
        ("cue>3", "position", ()),
        ("cue|left", "position", ()),
        ("cue>3 3|left 8!", "position", ()),
        ("cue>3 3|left cue@SR", "hand_kitchen", ("BIH_KITCHEN",)),
        ("cue>3 3|left cue!", "hand_kitchen", ("BIH_KITCHEN",)),
    ],
)
def test_ordinary_foul_costs_a_point_and_the_turn(stroke: str, cue_next: str, options: tuple[str, ...]) -> None:
    """S141-10, 11: one point off; the cue ball stays where it lies but for a scratch or a jumped cue ball."""
    ruling = judge(a_state(), stroke)

    assert (ruling.points_delta, ruling.turn, ruling.cue_next, ruling.options) == (Pair(-1, 0), "B", cue_next, options)
    assert (ruling.fouls_after, ruling.offender, ruling.next_phase) == (Pair(1, 0), "A", "normal")


def test_balls_of_a_foul_stroke_come_back_in_order() -> None:
    """S141-13.3, 9, A-S15: pocketed and jumped balls are spotted together, ascending, and nothing counts."""
    ruling = judge(a_state(), "cue>3 3@SL 11@FL 8! cue@SR")

    assert (ruling.spotted, ruling.points_delta) == (("3", "8", "11"), Pair(-1, 0))
    assert set(ruling.balls_after) == set(a_state().balls)


@pytest.mark.parametrize(
    ("stroke", "cue_if_accept"), [("cue>1 5|foot cue|right", "position"), ("cue>1 5|foot cue@HL", "hand_kitchen"), ("cue!", "hand_kitchen")]
)
def test_breaking_violation_costs_two_and_stays_out_of_the_count(stroke: str, cue_if_accept: str) -> None:
    """S141-6.3 to 6.5, A-S4: two points off, whatever else was wrong; the opponent chooses; the count stays."""
    ruling = judge(a_break(consecutive_fouls=Pair(2, 0), warned=Pair(True, False)), stroke)

    assert (ruling.points_delta, ruling.fouls_after, ruling.turn) == (Pair(-2, 0), Pair(2, 0), "decide:B")
    assert (ruling.options, ruling.options_for) == (("ACCEPT_TABLE", "RERACK_OFFENDER_BREAKS"), "B")
    assert (ruling.cue_if_accept, ruling.cue_next, ruling.next_phase) == (cue_if_accept, None, "break_reply")


def test_foul_on_a_legal_break_is_an_ordinary_foul() -> None:
    """S141-6.6: one point off, counted; the opponent is in hand behind the head string and the balls stay."""
    ruling = judge(a_break(), f"{LEGAL_BREAK} cue@HL")

    assert (ruling.points_delta, ruling.fouls_after, ruling.turn) == (Pair(-1, 0), Pair(1, 0), "B")
    assert (ruling.cue_next, ruling.rerack, len(ruling.balls_after)) == ("hand_kitchen", "none", 16)


THIRD = {"consecutive_fouls": Pair(2, 1), "warned": Pair(True, False)}


@pytest.mark.parametrize(("stroke", "cue_if_accept"), [("cue>3", "position"), ("cue>3 3|left cue@SR", "hand_kitchen")])
def test_third_foul_in_a_row(stroke: str, cue_if_accept: str) -> None:
    """S141-12.4 to 12.6: sixteen off, the record clear, the opponent chooses."""
    ruling = judge(a_state(**THIRD), stroke)

    assert "THREE_FOULS" in ruling.foul_codes
    assert (ruling.points_delta, ruling.scores_after, ruling.fouls_after) == (Pair(-16, 0), Pair(4, 15), Pair(0, 1))
    assert (ruling.turn, ruling.cue_if_accept, ruling.next_phase) == ("decide:B", cue_if_accept, "three_foul_reply")


def test_three_fouls_cost_eighteen() -> None:
    """S141-12, 13.1: from nought to minus eighteen; the second brings the announcement."""
    state = a_state(scores=Pair(0, 0))
    first = judge(state, "cue>3")
    second = judge(a_state(scores=Pair(-1, 0), consecutive_fouls=Pair(1, 0)), "cue>3")
    third = judge(a_state(scores=Pair(-2, 0), **THIRD), "cue>3")

    assert [r.scores_after for r in (first, second, third)] == [Pair(-1, 0), Pair(-2, 0), Pair(-18, 0)]
    assert (first.warn, second.warn) == (None, ("A",))


def test_third_foul_can_force_the_rack() -> None:
    """A-S3: with s141.third_foul=forced_rerack there is no choice."""
    ruling = judge(a_state(**THIRD), "cue>3 8@FL cue@SR", s141__third_foul="forced_rerack")

    assert (ruling.turn, ruling.options, ruling.rerack, ruling.next_phase) == ("A", (), "15", "rebreak")
    assert (ruling.cue_next, ruling.spotted, len(ruling.balls_after)) == ("hand_kitchen", (), 16)


def test_unwarned_third_foul_is_the_second() -> None:
    """S141-12.3, WPA-6.14: without the announcement one point off and the count stays at two."""
    ruling = judge(a_state(consecutive_fouls=Pair(2, 0)), "cue>3")

    assert (ruling.foul_codes, ruling.points_delta, ruling.fouls_after) == (("NO_RAIL",), Pair(-1, 0), Pair(2, 0))
    assert (ruling.warn, ruling.turn) == (("A",), "B")


@pytest.mark.parametrize(
    ("call", "stroke", "clears", "strictly"),
    [
        (called(), "cue>3 3@SL", True, True),
        (SAFETY, "cue>3 3|left", True, True),
        (called(), "cue>3 3|left", True, False),
        (called(), "cue>3", False, False),
    ],
)
def test_what_clears_the_count(call: Call, stroke: str, clears: bool, strictly: bool) -> None:
    """S141-12.2, A-S2: any stroke without foul, or by option only a made ball or a safety."""
    state = a_state(call=call, consecutive_fouls=Pair(1, 2), warned=Pair(False, True))
    usual, strict = judge(state, stroke), judge(state, stroke, s141__legal_miss_clears=False)

    assert usual.fouls_after is not None
    assert strict.fouls_after is not None
    assert ((usual.fouls_after.a == 0), (strict.fouls_after.a == 0)) == (clears, strictly)
    assert usual.fouls_after.b == 2


DELIBERATE = [
    ("on its way to a pocket", {"deliberate": True, "ball_moving_to": "pocket"}, ("DELIBERATE",)),
    ("on its way to the rack", {"deliberate": True, "ball_moving_to": "rack_area", "ball": "cue"}, ("DELIBERATE",)),
    ("hand in a pocket", {"by": "hand_in_pocket"}, ("DELIBERATE",)),
    ("by accident", {"ball_moving_to": "pocket"}, ("TOUCH",)),
    ("by accident, said so", {"deliberate": False, "by": "hand_in_pocket"}, ("TOUCH",)),
    ("a ball that goes nowhere", {"deliberate": True}, ("TOUCH",)),
]


@pytest.mark.parametrize(("what", "fields", "codes"), DELIBERATE, ids=[row[0] for row in DELIBERATE])
def test_deliberate_touch(what: str, fields: dict[str, Any], codes: tuple[str, ...]) -> None:
    """S141-7.5a: on purpose, and a ball moving to a pocket or to the racking area; anything else is a plain touch."""
    ruling = RULES.judge(Case(state=a_state(), events=touched("cue>3 3@SL", **fields)))

    assert ruling.foul_codes == codes
    assert ruling.points_delta == Pair(-16 if codes == ("DELIBERATE",) else -1, 0)
    assert ruling.spotted == ("3",)


def test_official_calls_a_touch_deliberate() -> None:
    """S141-7.5a: the official settles the intent."""
    events = touched("cue>3 3|left", ball_moving_to="pocket")
    stated = ShotEvent(t=6.0, type="official", fields={"fact": "deliberate_interference"})

    assert RULES.judge(Case(state=a_state(), events=(*events, stated))).foul_codes == ("DELIBERATE",)


def test_deliberate_foul_gives_the_choice_with_the_kitchen() -> None:
    """S141-7.5b, 7.5c, A-S7: sixteen off, one entry in the count, the opponent accepts behind the head string or has A break."""
    events = touched("cue>3 3|left", deliberate=True, ball_moving_to="pocket")
    ruling = RULES.judge(Case(state=a_state(), events=events))

    assert (ruling.points_delta, ruling.fouls_after, ruling.turn) == (Pair(-16, 0), Pair(1, 0), "decide:B")
    assert (ruling.options, ruling.cue_if_accept) == (("ACCEPT_TABLE", "RERACK_OFFENDER_BREAKS"), "hand_kitchen")


def test_deliberate_third_foul_is_charged_once() -> None:
    """A-S7: sixteen once, the count clear, the options of 7.5."""
    events = touched("cue>3 3|left", deliberate=True, ball_moving_to="pocket")
    ruling = RULES.judge(Case(state=a_state(**THIRD), events=events))

    assert (set(ruling.foul_codes), ruling.points_delta, ruling.fouls_after) == ({"DELIBERATE", "THREE_FOULS"}, Pair(-16, 0), Pair(0, 1))
    assert (ruling.turn, ruling.cue_if_accept) == ("decide:B", "hand_kitchen")


def test_options_of_the_deliberate_foul() -> None:
    """A-S7, A-S8: it may stay out of the count, and the official may set the points."""
    events = touched("cue>3 3|left", deliberate=True, ball_moving_to="pocket")
    uncounted = RULES.judge(Case(state=a_state(), events=events, options=read_options({"s141.deliberate_counts": False})))
    unfixed = RULES.judge(Case(state=a_state(), events=events, options=read_options({"s141.deliberate_penalty": 0})))

    assert (uncounted.fouls_after, uncounted.points_delta) == (Pair(0, 0), Pair(-16, 0))
    assert unfixed.points_delta == Pair(0, 0)


def test_deliberate_touch_by_the_other_player() -> None:
    """S141-7.5a, GR-3.41: the foul is his, and the shooter chooses; the shooter's ball counts."""
    events = touched("cue>3 3@SL", actor="B", deliberate=True, ball_moving_to="pocket")
    ruling = RULES.judge(Case(state=a_state(), events=events))

    assert (ruling.foul_codes, ruling.points_delta, ruling.offender) == (("DELIBERATE",), Pair(1, -16), "B")
    assert (ruling.turn, ruling.fouls_after, ruling.cue_if_accept) == ("decide:A", Pair(0, 1), "hand_kitchen")


def test_interference_costs_the_other_player_a_point() -> None:
    """GR-3.41: the shooter's stroke stands and he goes on; the touched ball is put back."""
    made = judge(a_state(), "cue>3 3@SL B:hand:8")
    missed = judge(a_state(), "cue>3 3|left B:hand:8")

    assert (made.points_delta, made.turn, made.restored) == (Pair(1, -1), "A", ("8",))
    assert (missed.points_delta, missed.turn, missed.fouls_after) == (Pair(0, -1), "A", Pair(0, 1))


def test_stroke_out_of_turn() -> None:
    """GR-3.41: a point off for whoever played, nothing counts, the other goes on; a scratch gives him the kitchen."""
    plain, scratch = judge(a_state(striker="B"), "cue>3 3@SL"), judge(a_state(striker="B"), "cue>3 3@SL cue@SR")

    assert (plain.foul_codes, plain.points_delta, plain.turn, plain.spotted) == (("OUT_OF_TURN",), Pair(0, -1), "A", ("3",))
    assert (plain.cue_next, scratch.cue_next, scratch.points_delta) == ("position", "hand_kitchen", Pair(0, -1))


def test_interfering_player_on_his_second_foul_is_warned() -> None:
    """S141-12.3: whoever reaches two is told, whose inning it is or not."""
    state = a_state(consecutive_fouls=Pair(0, 1))

    assert judge(state, "cue>3 3@SL B:hand:8").warn == ("B",)
    assert judge(state, "cue>3 3@SL").warn is None


CITED = [
    # state, stroke, clauses that must stand in the reasoning, clauses that must not
    (a_state(), "cue>3", {"S141-7.2", "S141-11.1", "S141-11.2", "S141-12.1"}, {"S141-10", "S141-12.3", "S141-13.1"}),
    (a_state(consecutive_fouls=Pair(1, 0)), "cue>3", {"S141-12.3"}, {"S141-12.4"}),
    (a_state(), "cue>3 3|left cue@SR", {"S141-10", "S141-11.1"}, {"S141-6.6", "S141-11.2"}),
    (a_break(), f"{LEGAL_BREAK} cue@SR", {"S141-6.6", "S141-10"}, {"S141-6.3"}),
    (a_break(), "cue>1 cue|left", {"S141-6.3", "S141-6.4", "S141-6.5"}, {"S141-10", "S141-12.6"}),
    (a_break(), "cue>1 cue@SR", {"S141-6.4", "S141-10"}, {"S141-12.1"}),
    (a_state(**THIRD), "cue>3", {"S141-12.4", "S141-12.5", "S141-12.6"}, {"S141-10", "S141-6.4", "S141-7.5c"}),
    (a_state(scores=Pair(0, 0)), "cue>3", {"S141-13.1"}, {"S141-12.4"}),
    (a_state(scores=Pair(1, 0)), "cue>3", {"S141-11.1"}, {"S141-13.1"}),
]


@pytest.mark.parametrize(("state", "stroke", "cited", "left_out"), CITED, ids=[f"{row[1]} {sorted(row[2])[0]}" for row in CITED])
def test_reasoning_cites_the_clauses_that_apply(state: State, stroke: str, cited: set[str], left_out: set[str]) -> None:
    """And none that do not."""
    clauses = set(judge(state, stroke).clauses)

    assert cited <= clauses
    assert not left_out & clauses


def test_deliberate_foul_cites_its_own_choice() -> None:
    """S141-7.5c stands for itself."""
    events = touched("cue>3 3|left", deliberate=True, ball_moving_to="pocket")
    clauses = set(RULES.judge(Case(state=a_state(), events=events)).clauses)

    assert clauses >= {"S141-7.5a", "S141-7.5b", "S141-7.5c"}
    assert not clauses & {"S141-10", "S141-12.6", "S141-6.4"}


def test_official_states_a_deliberate_foul_that_no_touch_records() -> None:
    """S141-7.5a: it is the shooter's; where a touch is recorded, its actor's."""
    stated = ShotEvent(t=6.0, type="official", fields={"fact": "deliberate_interference"})
    alone = RULES.judge(Case(state=a_state(), events=(*parse_stroke("cue>3 3|left"), stated)))
    others = RULES.judge(Case(state=a_state(), events=(*touched("cue>3 3|left", actor="B", ball_moving_to="pocket"), stated)))

    assert (alone.foul_codes, alone.points_delta, alone.offender) == (("DELIBERATE",), Pair(-16, 0), "A")
    assert (others.foul_codes, others.points_delta, others.offender) == (("DELIBERATE",), Pair(0, -16), "B")


def test_nothing_is_put_back_after_the_match() -> None:
    """S141-1.5: a ball touched during the winning stroke matters no more."""
    ruling = judge(a_state(scores=Pair(149, 0)), "cue>3 B:hand:8 3@SL")

    assert (ruling.match_over, ruling.restored, ruling.points_delta) == (True, None, Pair(1, 0))


@pytest.mark.parametrize(
    ("stroke", "restored"),
    [("A:sleeve:8 cue>3 3|left", ("8",)), ("A:sleeve:cue cue>3 3|left", None), ("cue>3 3|left A:sleeve:8 A:hand:5", ("8", "5"))],
)
def test_what_is_put_back_after_a_touch(stroke: str, restored: tuple[str, ...] | None) -> None:
    """GR-3.21: object balls that lay still; the cue ball of a stroke that was played stays where it came to rest."""
    assert judge(a_state(), stroke).restored == restored


def test_moving_ball_that_was_touched_stays_where_it_stopped() -> None:
    """S141-7.5a, GR-3.21: nobody knows where it would have gone."""
    for fields in ({}, {"deliberate": True}):
        events = touched("cue>3 3|left", ball_moving_to="pocket", **fields)
        assert RULES.judge(Case(state=a_state(), events=events)).restored is None
