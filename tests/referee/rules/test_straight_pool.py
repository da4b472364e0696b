"""14.1 strokes, clause by clause: one clear and one foul case at least for each clause that is judged."""

import sys
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import InputError
from referee.notation import parse_stroke
from referee.rules.base import Call, Case, Frozen, State
from referee.rules.straight_pool import RULES
from referee.ruling import Pair
from tracker.shot import ShotEvent

sys.path.insert(0, str(Path(__file__).parent))
from straight_cases import LEGAL_BREAK, SAFETY, a_break, a_state, called, judge

STROKES = [
    # clause, state, stroke, foul codes
    ("S141-6.1", a_break(call=called("5", "FR")), "cue>1 5@FR", ()),
    ("S141-6.1", a_break(call=called("5", "FR")), "cue>1 5@FL", ("BREAK_VIOLATION",)),
    ("S141-6.1", a_break(call=called("5", "FR")), "cue>1 5@FR cue@HL", ("SCRATCH",)),
    ("S141-6.2", a_break(), LEGAL_BREAK, ()),
    ("S141-6.2", a_break(), "cue>1 5|foot 5|left cue|right", ("BREAK_VIOLATION",)),
    ("S141-6.2", a_break(), "cue>1 5|foot 3|right", ("BREAK_VIOLATION",)),
    ("S141-6.2", a_break(), "cue|foot cue>1 5|foot 3|right", ("BREAK_VIOLATION",)),
    ("S141-6.2", a_break(), "cue>1 5|foot 7@FL cue|right", ()),
    ("S141-6.2", a_break(phase="rebreak"), "cue>1 5|foot cue|right", ("BREAK_VIOLATION",)),
    ("S141-6.3", a_break(), "cue|foot", ("BREAK_VIOLATION", "NO_CONTACT")),
    ("S141-6.3", a_break(), "cue>1", ("BREAK_VIOLATION", "NO_RAIL")),
    ("S141-6.6", a_break(), f"{LEGAL_BREAK} cue@HL", ("SCRATCH",)),
    ("S141-7.1", a_state(), "cue>3 3@SL", ()),
    ("S141-7.1", a_state(), "cue>5 5>3 3@SL", ()),
    ("S141-7.2", a_state(), "cue>3 3|left", ()),
    ("S141-7.2", a_state(), "cue>3", ("NO_RAIL",)),
    ("S141-7.2", a_state(), "cue|left cue>3", ("NO_RAIL",)),
    ("S141-7.2", a_state(), "cue|left", ("NO_CONTACT",)),
    ("S141-7.2", a_state(), "cue>9 9>8 8@FL", ()),
    ("S141-7.3b", a_break(phase="after_rerack", cue_state="position", call=called()), "cue>3 3|foot", ()),
    ("S141-7.3b", a_break(phase="after_rerack", cue_state="position", call=called()), "cue>3", ("NO_RAIL",)),
    ("S141-7.4", a_state(call=SAFETY), "cue>3 cue|left", ()),
    ("S141-7.4", a_state(call=SAFETY), "cue>3", ("NO_RAIL",)),
    ("S141-9", a_state(), "cue>3 3|left 8_", ()),
    ("S141-9", a_state(), "cue>3 3|left 8!", ("OB_OFF",)),
    ("S141-10", a_state(), "cue>3 3|left cue@SR", ("SCRATCH",)),
    ("S141-10", a_state(), "cue>3 3|left cue!", ("CUE_OFF",)),
    ("S141-11.1", a_state(), "cue>3 8! cue@SR", ("OB_OFF", "SCRATCH")),
    ("GR-3.13", a_state(), "fact:no_foot cue>3 3@SL", ("FEET",)),
    ("GR-3.14", a_state(), "fact:balls_moving cue>3 3@SL", ("BALLS_MOVING",)),
    ("GR-3.21", a_state(), "A:sleeve:8 cue>3 3@SL", ("TOUCH",)),
    ("GR-3.21", a_state(referee=False), "A:sleeve:8 cue>3 3@SL", ()),
    ("GR-3.21", a_state(), "cue>3 3@SL . A:sleeve:8", ("TOUCH_AFTER",)),
    ("GR-3.23", a_state(), "cue>3 tip2 3@SL", ("DOUBLE_HIT",)),
    ("GR-3.24", a_state(), "fact:push cue>3 3@SL", ("PUSH",)),
    ("WPA-SPLIT", a_state(frozen=(Frozen(ball="3", to="left", declared=True),)), "cue>3= cue>5= 5|left*", ()),
    ("WPA-8.4", a_state(), "cue>3 cue@SR", ("SCRATCH",)),
]


@pytest.mark.parametrize(("clause", "state", "stroke", "codes"), STROKES, ids=[f"{row[0]} {row[2]}" for row in STROKES])
def test_stroke_has_the_fouls_of_the_clause(clause: str, state: State, stroke: str, codes: tuple[str, ...]) -> None:
    """Every violation of a stroke is found, and no other."""
    ruling = judge(state, stroke)

    assert tuple(sorted(ruling.foul_codes)) == codes
    assert ruling.foul == bool(codes)


FROZEN_9 = a_state(call=SAFETY, frozen=(Frozen(ball="9", to="right", declared=True),))
FROZEN_STROKES = [
    ("own cushion only", "cue>9 9|right*", ("FROZEN",)),
    ("nothing at all", "cue>9", ("FROZEN",)),
    ("cue ball to a cushion", "cue>9 9|right* cue|right", ()),
    ("another cushion", "cue>9 9|foot", ()),
    ("another ball to a cushion", "cue>9 9>8 8|right", ()),
    ("another ball to the cushion it touched", "cue>9 9>8 8|right*", ("FROZEN",)),
    ("leaves, meets a ball, comes back", "cue>9 9>8 9|right", ()),
    ("a ball falls", "cue>9 9|right* 8@FL", ()),
    ("another ball first", "cue>8 8>9 8|foot", ()),
]


@pytest.mark.parametrize(("what", "stroke", "codes"), FROZEN_STROKES, ids=[row[0] for row in FROZEN_STROKES])
def test_declared_frozen_ball_met_first(what: str, stroke: str, codes: tuple[str, ...]) -> None:
    """S141-7.2b: one of the things of GR-3.38 must follow; FROZEN stands in place of NO_RAIL."""
    assert judge(FROZEN_9, stroke).foul_codes == codes


def test_cue_ball_that_falls_counts_as_driven_for_a_frozen_ball_too() -> None:
    """WPA-8.4, A-S5: what was met first being frozen changes nothing about that; by option it is no cushion."""
    assert judge(FROZEN_9, "cue>9 9|right* cue@FL").foul_codes == ("SCRATCH",)
    assert set(judge(FROZEN_9, "cue>9 9|right* cue@FL", pool__pocketed_is_rail=False).foul_codes) == {"FROZEN", "SCRATCH"}
    assert judge(FROZEN_9, "cue>9 9|right* 8!").foul_codes == ("OB_OFF",)


def test_ball_not_announced_is_not_frozen() -> None:
    """GR-3.38: without the announcement its own cushion counts."""
    state = a_state(call=SAFETY, frozen=(Frozen(ball="9", to="right", declared=False),))

    assert judge(state, "cue>9 9|right*").foul_codes == ()


@pytest.mark.parametrize(
    ("call", "stroke", "points", "turn", "spotted"),
    [
        (called(), "cue>3 3@SL", 1, "A", ()),
        (called(), "cue>3 3@SL 8@FL 5@FR", 3, "A", ()),
        (called(), "cue>3 3@FL", 0, "B", ("3",)),
        (called(), "cue>3 11@FL 8@FR 3|left", 0, "B", ("8", "11")),
        (called(), "cue>3 3|left", 0, "B", ()),
        (None, "cue>3 3@SL", 0, "B", ("3",)),
        (SAFETY, "cue>3 3@SL", 0, "B", ("3",)),
        (SAFETY, "cue>3 3|left", 0, "B", ()),
    ],
)
def test_points_turn_and_spotting_of_a_legal_stroke(
    call: Call | None, stroke: str, points: int, turn: str, spotted: tuple[str, ...]
) -> None:
    """S141-7.1, 7.4, 8: the called ball keeps the turn and everything counts; else nothing does, and what fell is spotted."""
    ruling = judge(a_state(call=call), stroke)

    assert (ruling.points_delta, ruling.turn, ruling.spotted) == (Pair(points, 0), turn, spotted)
    assert (ruling.cue_next, ruling.foul, ruling.rerack, ruling.rack_over) == ("position", False, "none", False)
    assert ruling.scores_after == Pair(20 + points, 15)
    assert len(ruling.balls_after) == 7 - points


def test_called_ball_that_comes_back_from_the_pocket_is_not_made() -> None:
    """GR-3.11: a rebound is no pocketed ball."""
    back = ShotEvent(t=2.0, type="pocket_rebound", fields={"ball": "3", "pocket": "SL"})
    *events, stop = parse_stroke("cue>3 3|left")
    ruling = RULES.judge(Case(state=a_state(), events=(*events, back, stop)))

    assert (ruling.foul, ruling.turn, ruling.points_delta) == (False, "B", Pair(0, 0))


def test_pocketed_balls_as_rails_can_be_switched_off() -> None:
    """A-S5: without pool.pocketed_is_rail a ball that falls on the break is not driven to a cushion."""
    stroke = "cue>1 5|foot 7@FL cue|right"

    assert judge(a_break(), stroke, pool__pocketed_is_rail=False).foul_codes == ("BREAK_VIOLATION",)


def test_touch_after_rest_leaves_the_stroke_standing() -> None:
    """GR-3.15, 3.21: the stroke was over, so its ball counts and the count was cleared; the touch is a new foul."""
    ruling = judge(a_state(consecutive_fouls=Pair(2, 0), warned=Pair(True, False)), "cue>3 3@SL 8@FL . A:sleeve:5")

    assert (ruling.points_delta, ruling.spotted, ruling.turn) == (Pair(1, 0), (), "B")
    assert (ruling.fouls_after, ruling.restored) == (Pair(1, 0), ("5",))


def test_object_ball_touched_without_a_referee() -> None:
    """GR-1.16, A-N8: no foul, the opponent may have it put back; all-ball fouls make it one."""
    state = a_state(referee=False)
    free = judge(state, "A:sleeve:8 cue>3 3@SL")
    strict = judge(state, "A:sleeve:8 cue>3 3@SL", pool__no_referee_fouls="all_balls")

    assert (free.foul, free.points_delta, free.options, free.options_for) == (False, Pair(1, 0), ("RESTORE_BALL",), "B")
    assert (strict.foul_codes, strict.points_delta) == (("TOUCH",), Pair(-1, 0))


KITCHEN = {"cue_state": "hand_kitchen", "positions": {"cue": (0.1, 0.5), "3": (0.18, 0.6), "8": (0.6, 0.5), "11": (0.25, 0.2)}}


@pytest.mark.parametrize(
    ("what", "stroke", "codes"),
    [
        ("straight at it", "cue>3 3|head", ("KITCHEN",)),
        ("off the head cushion", "cue|head cue>3 3|head", ("KITCHEN",)),
        ("across the string first", "cuev cue|foot cue>3 3|head", ()),
        ("a ball below the string", "cue>8 8|foot", ()),
        ("a ball on the string", "cue>11 11|head", ()),
        ("a split hit with one below", "cue>3= cue>8= 8|foot", ()),
        ("then a ball behind it", "cue>8 cue>3 3|head", ()),
    ],
)
def test_from_behind_the_head_string(what: str, stroke: str, codes: tuple[str, ...]) -> None:
    """GR-3.39, 3.16, A-S19: the first ball must lie on or below the string or be reached across it; the cue ball then stays."""
    ruling = judge(a_state(**KITCHEN), stroke)

    assert ruling.foul_codes == codes
    assert ruling.cue_next == "position"


@pytest.mark.parametrize(("u", "codes"), [(0.2, ()), (0.25, ("PLACEMENT",)), (0.3, ("PLACEMENT",))])
def test_played_from_outside_the_kitchen(u: float, codes: tuple[str, ...]) -> None:
    """GR-3.10, 3.16: the cue ball in hand lies behind the string; on it is not behind it."""
    state = a_state(cue_state="hand_kitchen", positions={"cue": (u, 0.5)})

    assert judge(state, "cue>3 3|left").foul_codes == codes
    assert judge(a_state(cue_state="in_hand", positions={"cue": (u, 0.5)}), "cue>3 3|left").foul_codes == codes


def test_reaching_the_target_ends_the_match_at_once() -> None:
    """S141-1.5, 13.2: with the agreed points the match is over; a foul on the last ball wins nothing."""
    won = judge(a_state(scores=Pair(148, -2), consecutive_fouls=Pair(0, 2)), "cue>3 3@SL 8@FL")
    lost = judge(a_state(scores=Pair(149, 0)), "cue>3 3@SL cue@SR")
    after = judge(a_state(scores=Pair(149, 0)), "cue>3 3@SL . A:sleeve:8")

    assert (won.match_over, won.rack_over, won.winner, won.turn, won.scores_after) == (True, True, "A", "none", Pair(150, -2))
    assert (won.fouls_after, won.cue_next, won.rerack) == (Pair(0, 2), None, "none")
    assert (lost.match_over, lost.scores_after) == (False, Pair(148, 0))
    assert (after.match_over, after.foul) == (True, False)


def test_hanging_ball_that_drops_with_the_stroke_is_made() -> None:
    """GR-3.31: less than five seconds on the lip belongs to the stroke; longer, the ball goes back."""
    *events, stop = parse_stroke("cue>3 3|left")
    for rest_s, points, restored in ((2.0, 1, None), (6.0, 0, ("3",))):
        drop = ShotEvent(t=2.0 + rest_s, type="spontaneous_drop", fields={"ball": "3", "pocket": "SL", "rest_s": rest_s})
        ruling = RULES.judge(Case(state=a_state(), events=(*events, stop, drop)))
        assert (ruling.points_delta, ruling.restored, ruling.spotted) == (Pair(points, 0), restored, ())


def test_ball_that_drops_as_it_is_shot_at() -> None:
    """GR-3.31: everything goes back and the same player shoots again; no point, no foul, no change of the count."""
    *events, stop = parse_stroke("cue|left")
    drop = ShotEvent(t=0.2, type="spontaneous_drop", fields={"ball": "3", "pocket": "SL", "rest_s": 9.0, "would_be_hit": True})
    ruling = RULES.judge(Case(state=a_state(consecutive_fouls=Pair(1, 0)), events=(*events, drop, stop)))

    assert (ruling.replay, ruling.turn, ruling.foul, ruling.fouls_after) == (True, "A", False, Pair(1, 0))
    assert set(ruling.restored or ()) == {"3", "cue"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"balls": "3 16"}, "before.balls: '16' is no ball of 14.1"),
        ({"balls": ""}, "before.balls: no object ball"),
        ({"phase": "push_out_reply"}, "before.phase"),
        ({"phase": "break"}, "before.balls: phase break needs all fifteen"),
        ({"phase": "after_rerack"}, "before.balls: phase after_rerack needs all fifteen"),
        ({"cue_state": "hand_anywhere"}, "before.cue_state"),
        ({"cue_ball": "3"}, "before.cue_ball"),
        ({"call": Call(kind="push_out")}, "before.call.kind"),
        ({"call": called("cue")}, "before.call.ball"),
        ({"rack_pocketed": 3}, "before.rack_pocketed: 3 with 6 of 15 balls on the table; must be 9"),
    ],
)
def test_state_that_cannot_occur_is_refused(changes: dict[str, Any], message: str) -> None:
    """An impossible state is named, not judged."""
    with pytest.raises(InputError) as error:
        RULES.check(a_state(**changes))

    assert str(error.value).startswith(message)
