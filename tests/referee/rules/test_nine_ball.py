"""Nine-ball, clause by clause: one clear and one foul case at least for each clause that is judged."""

import sys
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import InputError
from referee.notation import parse_stroke
from referee.rules.base import Call, Case, Frozen, State
from referee.rules.nine_ball import RULES, lowest_ball
from referee.ruling import Pair
from tracker.shot import ShotEvent

sys.path.insert(0, str(Path(__file__).parent))
from nine_cases import LEGAL_BREAK, a_break, a_state, incident, judge

STROKES = [
    # clause, state, stroke, foul codes
    ("N9-1.2", a_state(), "cue>2 2|foot", ()),
    ("N9-1.2", a_state(), "cue>6 6|foot", ("WRONG_FIRST",)),
    ("N9-4.1", a_break(), LEGAL_BREAK, ()),
    ("N9-4.1", a_break(), "cue>1 4|left 7|foot 2|right", ("BREAK_FEW_RAILS",)),
    ("N9-4.1", a_break(), "cue>1 4|left 4|foot 4|right 7|foot", ("BREAK_FEW_RAILS",)),
    ("N9-4.1", a_break(), "cue>1 4|left 7|foot 2|right cue|left", ("BREAK_FEW_RAILS",)),
    ("N9-4.1", a_break(), "cue>1 3@FL", ()),
    ("N9-4.1", a_break(), "cue>2 2>1 4|left 7|foot 2|right 9|left", ("WRONG_FIRST",)),
    ("N9-4.0", a_break(), "cue>1", ("BREAK_FEW_RAILS", "NO_RAIL")),
    ("N9-4.0", a_break(), "cue|foot", ("BREAK_FEW_RAILS", "NO_CONTACT")),
    ("N9-4.0", a_break(), f"{LEGAL_BREAK} tip2", ("DOUBLE_HIT",)),
    ("N9-4.2", a_break(), f"{LEGAL_BREAK} cue@SL", ("SCRATCH",)),
    ("N9-4.2", a_break(), f"{LEGAL_BREAK} cue!", ("CUE_OFF",)),
    ("N9-4.2", a_break(), "cue>1 4|left cue@SL", ("BREAK_FEW_RAILS", "SCRATCH")),
    ("N9-4.3", a_break(), f"{LEGAL_BREAK} 5!", ("OB_OFF",)),
    ("N9-6.2", a_state(phase="after_break", call=Call(kind="push_out")), "", ()),
    ("N9-6.2", a_state(phase="after_break"), "", ("NO_CONTACT",)),
    ("N9-6.2", a_state(phase="after_break", call=Call(kind="push_out")), "cue>6", ()),
    ("N9-6.2", a_state(phase="after_break"), "cue>6", ("NO_RAIL", "WRONG_FIRST")),
    ("N9-6.5", a_state(phase="after_break", call=Call(kind="push_out")), "cue>6 cue@FL", ("SCRATCH",)),
    ("N9-6.5", a_state(phase="after_break", call=Call(kind="push_out")), "cue>6 6!", ("OB_OFF",)),
    ("N9-6.5", a_state(phase="after_break", call=Call(kind="push_out")), "cue>6 tip2", ("DOUBLE_HIT",)),
    ("N9-7.3", a_state(), "cue>6 6! cue@FL", ("OB_OFF", "SCRATCH", "WRONG_FIRST")),
    ("N9-8", a_state(), "cue>2 2>6 6@FL", ()),
    ("N9-8", a_state(), "cue>9 9>2 2@FL", ("WRONG_FIRST",)),
    ("N9-9", a_state(), "cue>2 cue|left", ()),
    ("N9-9", a_state(), "cue>2 2@FL", ()),
    ("N9-9", a_state(), "cue>2 6_", ()),
    ("N9-9", a_state(), "cue|left cue>2", ("NO_RAIL",)),
    ("N9-11.1", a_state(), "cue>2 2|foot 2_", ()),
    ("N9-11.1", a_state(), "cue>2 2!", ("OB_OFF",)),
    ("N9-12", a_state(referee=False), "A:bridge:6:plain cue>2 2|foot", ()),
    ("N9-12", a_state(referee=False), "A:bridge:6:masse cue>2 2|foot", ("JUMP_MASSE",)),
    ("N9-12", a_state(referee=True), "A:bridge:6:jump cue>2 2|foot", ("TOUCH",)),
    ("GR-3.13", a_state(), "fact:no_foot cue>2 2|foot", ("FEET",)),
    ("GR-3.14", a_state(), "fact:balls_moving cue>2 2|foot", ("BALLS_MOVING",)),
    ("GR-3.20", a_state(), "cue>2 2|foot cue@HL", ("SCRATCH",)),
    ("GR-3.21", a_state(), "cue>2 2|foot A:sleeve:6", ("TOUCH",)),
    ("GR-3.21", a_state(referee=False), "cue>2 2|foot A:sleeve:cue", ("TOUCH",)),
    ("GR-3.21", a_state(), "cue>2 2|foot . A:hand:6", ("TOUCH_AFTER",)),
    ("GR-3.23", a_state(), "cue>2 tip2 2|foot", ("DOUBLE_HIT",)),
    ("GR-3.24", a_state(), "fact:push cue>2 2|foot", ("PUSH",)),
    ("GR-3.28", a_state(), "cue>2 2|foot cue!", ("CUE_OFF",)),
    ("WPA-8.4", a_state(), "cue>2 cue@FL", ("SCRATCH",)),
    ("WPA-SPLIT", a_state(), "cue>6= cue>2= 2|foot", ()),
    ("WPA-SPLIT", a_state(), "cue>6= cue>9= 9|foot", ("WRONG_FIRST",)),
    ("WPA-SPLIT", a_state(), "cue|foot= cue>2=", ()),
]


@pytest.mark.parametrize(("clause", "state", "stroke", "codes"), STROKES, ids=[f"{row[0]} {row[2]}" for row in STROKES])
def test_stroke_has_the_fouls_of_the_clause(clause: str, state: State, stroke: str, codes: tuple[str, ...]) -> None:
    """Every violation of a stroke is found, and no other."""
    ruling = judge(state, stroke)

    assert tuple(sorted(ruling.foul_codes)) == codes
    assert ruling.foul == bool(codes)


FROZEN_2 = a_state(frozen=(Frozen(ball="2", to="left", declared=True),))
FROZEN_STROKES = [
    ("own cushion only", "cue>2 2|left*", ("FROZEN",)),
    ("own cushion without meeting a ball on the way", "cue>2 2|left", ("FROZEN",)),
    ("leaves, meets a ball, comes back", "cue>2 2>6 2|left", ()),
    ("another rail", "cue>2 2|foot", ()),
    ("cue ball to any rail", "cue>2 2|left* cue|left", ()),
    ("another ball to a rail", "cue>2 2>6 6|foot", ()),
    ("a ball falls", "cue>2 2|left* 6@FL", ()),
    ("another ball was touching its rail", "cue>2 2>6 6|foot*", ("FROZEN",)),
]


@pytest.mark.parametrize(("what", "stroke", "codes"), FROZEN_STROKES, ids=[row[0] for row in FROZEN_STROKES])
def test_frozen_ball_met_first(what: str, stroke: str, codes: tuple[str, ...]) -> None:
    """After first meeting a ball announced as frozen one of the four things of GR-3.38 must follow."""
    assert judge(FROZEN_2, stroke).foul_codes == codes


def test_frozen_ball_that_was_not_announced_is_not_frozen() -> None:
    """Without the announcement its own cushion counts (GR-3.38)."""
    state = a_state(frozen=(Frozen(ball="2", to="left", declared=False),))

    assert judge(state, "cue>2 2|left*").foul_codes == ()


def test_ball_frozen_to_the_cue_ball_needs_a_cushion_too() -> None:
    """A ball announced as touching the cue ball falls under GR-3.38 as well."""
    state = a_state(frozen=(Frozen(ball="2", to="cue", declared=True),))

    assert judge(state, "cue>2").foul_codes == ("FROZEN",)
    assert judge(state, "cue>2 2|left").foul_codes == ()


def test_declared_frozen_ball_of_another_place_gives_no_rail() -> None:
    """A ball announced frozen and pressed into its own cushion does not count for N9-9 either (WPA-8.4)."""
    state = a_state(frozen=(Frozen(ball="6", to="left", declared=True),))

    assert judge(state, "cue>2 2>6 6|left*").foul_codes == ("NO_RAIL",)


def test_pocketed_balls_as_rails_can_be_switched_off() -> None:
    """Without pool.pocketed_is_rail a cue ball that falls is no cushion."""
    assert judge(a_state(), "cue>2 cue@FL", pool__pocketed_is_rail=False).foul_codes == ("NO_RAIL", "SCRATCH")


def test_foul_gives_ball_in_hand_and_leaves_balls_down() -> None:
    """N9-7.1, N9-7.2: inning over, balls stay down, cue ball in hand anywhere, one foul counted."""
    ruling = judge(a_state(), "cue>6 6@FL cue@FR")

    assert (ruling.turn, ruling.cue_next, ruling.options) == ("B", "hand_anywhere", ("BIH_ANYWHERE",))
    assert (ruling.stays_down, ruling.spotted, ruling.fouls_after) == (("6",), (), Pair(1, 0))
    assert ruling.balls_after == ("cue", "2", "9")


def test_nine_on_a_foul_is_spotted() -> None:
    """N9-7.1: of all balls only the 9 comes back, on the foot spot."""
    ruling = judge(a_state(), "cue>2 2>9 9@FL 6@FR cue@FR", {"2": (0.2, 0.2)})

    assert (ruling.spotted, ruling.spotted_pos, ruling.stays_down) == (("9",), {"9": (0.75, 0.5)}, ("6",))
    assert not ruling.rack_over
    assert "9" in ruling.balls_after


def test_cue_ball_in_hand_is_not_in_the_way_of_the_nine() -> None:
    """GR-3.32: it will be lifted, so the 9 goes on the foot spot although the cue ball came to rest there."""
    assert judge(a_state(), "cue>6 9@FL", {"cue": (0.75, 0.5)}).spotted_pos == {"9": (0.75, 0.5)}


def test_ball_that_comes_back_out_of_a_pocket() -> None:
    """GR-3.11, WPA-8.4: it is not pocketed, but the jaws that it met are cushion."""
    rebound = ShotEvent(t=0.5, type="pocket_rebound", fields={"ball": "2", "pocket": "FL"})
    played = parse_stroke("cue>2 .")
    ruling = RULES.judge(Case(state=a_state(), events=(*played[:2], rebound, *played[2:])))

    assert (ruling.foul, ruling.turn, ruling.stays_down) == (False, "B", ())


def test_push_out_suspends_the_frozen_ball_rule() -> None:
    """N9-6.2: neither contact nor cushion is required, of a frozen ball either."""
    frozen = (Frozen(ball="2", to="left", declared=True),)
    state = a_state(phase="after_break", call=Call(kind="push_out"), frozen=frozen)

    assert judge(state, "cue>2 2|left*").foul_codes == ()


def test_nine_off_the_table_is_spotted() -> None:
    """N9-11.2: the 9 off the table is a foul and comes back; another ball does not."""
    assert judge(a_state(), "cue>2 2|foot 9!").spotted == ("9",)
    assert judge(a_state(), "cue>2 2|foot 6!").stays_down == ("6",)


def test_cue_ball_in_the_way_of_the_nine_on_a_push_out() -> None:
    """GR-3.32: the 9 lies as near the foot spot as can be without touching the cue ball."""
    state = a_state(phase="after_break", call=Call(kind="push_out"))
    ruling = judge(state, "cue>9 9@FL", {"cue": (0.75, 0.5)})

    assert ruling.spotted_pos is not None
    gap_m = (ruling.spotted_pos["9"][0] - 0.75) * 2.54 - 0.05715
    assert 0 < gap_m < 0.002


def test_touch_after_the_winning_stroke_is_nothing() -> None:
    """N9-14.3: the rack ended with the stroke, so a ball touched afterwards costs nothing."""
    ruling = judge(a_state(), "cue>2 2>9 9@FL . A:hand:6")

    assert (ruling.rack_over, ruling.foul) == (True, False)


def test_push_out_spots_the_nine_and_asks_the_opponent() -> None:
    """N9-6.3, N9-6.4: other balls stay down, and the opponent chooses."""
    ruling = judge(a_state(phase="after_break", call=Call(kind="push_out"), consecutive_fouls=Pair(2, 0)), "cue>9 9@FL 6@FR")

    assert (ruling.turn, ruling.options, ruling.spotted) == ("decide:B", ("PLAY_POSITION", "RETURN_SHOT"), ("9",))
    assert (ruling.stays_down, ruling.fouls_after, ruling.next_phase) == (("6",), Pair(0, 0), "push_out_reply")


def test_push_out_too_late_is_refused() -> None:
    """N9-6.1: in any other phase the declaration is refused and the stroke is an ordinary one."""
    ruling = judge(a_state(call=Call(kind="push_out")), "cue>6 6|foot")

    assert (ruling.declaration_rejected, ruling.foul_codes) == (True, ("WRONG_FIRST",))


def test_break_from_the_wrong_side_of_the_head_string() -> None:
    """N9-4.2: a break requirement missed is a foul, where an official vouches for the place; a camera does not."""
    state = a_break(positions={"cue": (0.3, 0.5)})
    seen = Case(state=state, events=parse_stroke(LEGAL_BREAK), zones_known=False)

    assert judge(state, LEGAL_BREAK).foul_codes == ("PLACEMENT",)
    assert RULES.judge(seen).foul_codes == ()


def test_object_ball_touched_without_a_referee() -> None:
    """GR-1.16, A-N8: no foul, the opponent may have it put back; all-ball fouls make it one."""
    state = a_state(referee=False)
    free = judge(state, "cue>2 2|foot A:sleeve:6")
    strict = judge(state, "cue>2 2|foot A:sleeve:6", pool__no_referee_fouls="all_balls")

    by_opponent = judge(state, "cue>2 2|foot B:sleeve:6")

    assert (free.foul, free.options, free.options_for, free.turn) == (False, ("RESTORE_BALL",), "B", "B")
    assert (by_opponent.options, by_opponent.options_for, by_opponent.turn) == (("RESTORE_BALL",), "A", "B")
    assert strict.foul_codes == ("TOUCH",)


def test_interference_by_the_other_player() -> None:
    """GR-3.41: the foul is on him who was not shooting."""
    during = judge(a_state(), "cue>2 2|foot B:hand:6")
    between = incident(a_state(), ShotEvent(t=0.0, type="touch", fields={"ball": "6", "by": "hand", "actor": "B"}))

    for ruling in (during, between):
        assert (ruling.foul_codes, ruling.offender, ruling.turn) == (("INTERFERENCE",), "B", "A")
        assert ruling.fouls_after == Pair(0, 1)


def test_stroke_out_of_turn() -> None:
    """GR-3.41: whoever plays out of turn fouls, whatever the stroke did."""
    ruling = judge(a_state(striker="B"), "cue>2 2@FL")

    assert (ruling.foul_codes, ruling.offender, ruling.turn, ruling.cue_next) == (("OUT_OF_TURN",), "B", "A", "hand_anywhere")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"balls": "2 6"}, "before.balls: the 9 is not on the table"),
        ({"balls": "9 12"}, "before.balls: '12' is no ball of nine-ball"),
        ({"phase": "premium"}, "before.phase"),
        ({"phase": "break"}, "before.balls: a break needs all nine balls"),
        ({"cue_state": "hand_house"}, "before.cue_state"),
        ({"cue_ball": "9"}, "before.cue_ball"),
    ],
)
def test_state_that_cannot_occur_is_refused(changes: dict[str, Any], message: str) -> None:
    """An impossible state is named, not judged."""
    with pytest.raises(InputError) as error:
        RULES.check(a_state(**changes))

    assert str(error.value).startswith(message)


def test_swapping_the_players_swaps_the_ruling() -> None:
    """Nothing hangs on who is called A."""
    swap = {"A": "B", "B": "A"}
    for stroke in ("cue>2 2|foot", "cue>6 6|foot", "cue>2 2@FL", "cue>2 9@FL", "cue>2 9@FL cue@FR"):
        one = judge(a_state(consecutive_fouls=Pair(2, 1), warned=Pair(True, False)), stroke)
        state = a_state(shooter="B", scores=Pair(2, 3), consecutive_fouls=Pair(1, 2), warned=Pair(False, True))
        two = judge(state, stroke)
        assert (swap[one.turn], one.points_delta.a, one.foul_codes) == (two.turn, two.points_delta.b, two.foul_codes)


def test_judging_changes_nothing_given() -> None:
    """State and events are the same before and after (they are frozen, and what they hold is left alone)."""
    state = a_state(positions={"6": (0.75, 0.5)})
    before, played = state.to_dict(), parse_stroke("cue>2 9@FL cue@FR", {"6": (0.75, 0.5)})
    copy = [event.to_dict() for event in played]
    RULES.judge(Case(state=state, events=played))

    assert (state.to_dict(), [event.to_dict() for event in played]) == (before, copy)


def test_lowest_ball_goes_by_number() -> None:
    """The lowest ball is the smallest number, not the first name."""
    assert lowest_ball(a_state("9 5 3")) == "3"
