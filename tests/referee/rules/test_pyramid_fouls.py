"""Violations of pyramid: a clear and a foul case for each check, and what the codes exclude."""

from typing import Any

import pytest

from calibration.equipment import find_table
from referee.notation import parse_stroke
from referee.rules.base import Call, Case, State
from referee.rules.options import Options
from referee.rules.pyramid import CLASSIC_RULES, COMBINED_RULES, DYNAMIC_RULES, FREE_RULES, RULES, Pyramid
from referee.ruling import Pair, Ruling
from tracker.shot import ShotEvent

WHITES = tuple(f"w{number}" for number in range(1, 11))
MISS = "w7|foot w7~"


def a_state(rules: Pyramid, **changes: Any) -> State:
    """Ten whites and the coloured ball, A to shoot at 2 to 3."""
    usual: dict[str, Any] = {
        "table": find_table("pyramid-12ft"),
        "shooter": "A",
        "phase": "normal",
        "balls": ("Y", *WHITES),
        "cue_ball": "w4" if rules is FREE_RULES else "Y",
        "cue_state": "position",
        "scores": Pair(2, 3),
        "target": 71 if rules is CLASSIC_RULES else 8,
    }
    return State(**usual | changes)


def judge(rules: Pyramid, stroke: str, *, options: Options | None = None, rest: Any = None, **changes: Any) -> Ruling:
    """The ruling on a stroke, `*` in it being the cue ball."""
    state = a_state(rules, **changes)
    events = parse_stroke(stroke.replace("*>", f"{state.cue_ball}>").replace("*", state.cue_ball), rest)
    return rules.judge(Case(state=state, events=events, options=options or Options()))


def codes(rules: Pyramid, stroke: str, **changes: Any) -> set[str]:
    """The codes found."""
    return set(judge(rules, stroke, **changes).foul_codes)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.game)
@pytest.mark.parametrize(
    ("stroke", "found"),
    [
        ("*>w7 w7|foot w7~", set()),
        ("*|foot *~", {"NO_CONTACT"}),
        ("*>w7 w7~", {"COND20"}),
        ("*>w7 w7|foot w7~ w9!", {"BALL_OFF"}),
        ("*>w7 w7~ w9!", {"COND20", "BALL_OFF"}),
        ("*>w7 w9! w7@FL", {"BALL_OFF"}),
        ("*>w7 w7_ w7|foot w7~", set()),
        ("*>w7 tip2 w7|foot w7~", {"DOUBLE_HIT"}),
        ("A:clothing:w2 *>w7 w7|foot w7~", {"TOUCH"}),
        ("*>w7 w7|foot w7~ A:clothing:w2", {"TOUCH"}),
        ("*>w7 w7|foot w7~ . A:clothing:w2", {"TOUCH_AFTER"}),
        ("*>w7 w7|foot w7~ B:hand:w2", {"INTERFERENCE"}),
        ("*>w7 w7|foot w7~ . B:hand:w2", {"INTERFERENCE"}),
        ("fact:no_foot *>w7 w7|foot w7~", {"FEET"}),
        ("fact:balls_moving *>w7 w7|foot w7~", {"BALLS_MOVING"}),
        ("fact:push *>w7 w7|foot w7~", {"PUSH"}),
        ("fact:tip_only *>w7 w7|foot w7~", {"TIP_ONLY"}),
        ("fact:responsibility *>w7 w7|foot w7~", {"RESPONSIBILITY"}),
        ("fact:no_foot tip2 *|left", {"FEET", "DOUBLE_HIT", "NO_CONTACT"}),
    ],
)
def test_codes_that_every_game_knows(rules: Pyramid, stroke: str, found: set[str]) -> None:
    """PYR-5, 6, 20, 22.3, 24, 28, 29L: every violation is listed; a miss without one lists nothing."""
    ruling = judge(rules, stroke)

    assert (set(ruling.foul_codes), ruling.foul) == (found, bool(found))


def test_cue_ball_of_each_game() -> None:
    """COMB-2, PYR-25.3, FREE-2: only the coloured ball, but in free pyramid any, save on the initial stroke."""
    for rules in (COMBINED_RULES, DYNAMIC_RULES, CLASSIC_RULES):
        assert codes(rules, "*>w7 w7|foot w7~", cue_ball="w4") == {"WRONG_CUE_BALL"}
        assert codes(rules, "*>w7 w7|foot w7~") == set()
    assert codes(FREE_RULES, "*>w7 w7|foot w7~", cue_ball="w9") == set()
    whole = {"phase": "break", "balls": ("Y", *(f"w{n}" for n in range(1, 16))), "scores": Pair(0, 0)}
    assert codes(FREE_RULES, "*>w7 w7@FL", cue_ball="w9", **whole) == {"WRONG_CUE_BALL"}
    assert codes(FREE_RULES, "*>w7 w7@FL", cue_ball="Y", cue_state="hand_house", **whole) == set()


def test_own_ball_fallen() -> None:
    """FREE-5.4, COMB-5.1, DYN-5.1, CLA-5.5: a point, an exchange, an exchange, a penalty."""
    assert codes(FREE_RULES, "*>w7 *@FL") == set()
    assert codes(COMBINED_RULES, "*>w7 *@FL") == set()
    assert codes(DYNAMIC_RULES, "*>w7 *@FL") == set()
    assert codes(CLASSIC_RULES, "*>w7 *@FL") == {"SCRATCH"}


@pytest.mark.parametrize(("stroke", "other"), [("*@FL", "NO_CONTACT"), ("*>w7 *@FL tip2", "DOUBLE_HIT"), ("*>w7 *@FL w9!", "BALL_OFF")])
def test_own_ball_fallen_on_a_stroke_with_another_violation(stroke: str, other: str) -> None:
    """PYR-21.1: CUE_ILLEGAL_POCKET comes with the other code in combined and dynamic; classic has SCRATCH, free nothing."""
    assert codes(COMBINED_RULES, stroke) == {other, "CUE_ILLEGAL_POCKET"}
    assert codes(DYNAMIC_RULES, stroke) == {other, "CUE_ILLEGAL_POCKET"}
    assert codes(CLASSIC_RULES, stroke) == {other, "SCRATCH"}
    assert codes(FREE_RULES, stroke) == {other}


def test_coloured_ball_fallen_off_a_white_that_was_struck() -> None:
    """COMB-2 with PYR-21.1: the coloured ball is illegal and goes in hand."""
    ruling = judge(COMBINED_RULES, "w4>Y Y@FL", cue_ball="w4")

    assert set(ruling.foul_codes) == {"WRONG_CUE_BALL", "CUE_ILLEGAL_POCKET"}
    assert (ruling.cue_next, ruling.spotted) == ("hand_house", ())


@pytest.mark.parametrize("phase", ["premium", "penalty_hand"])
def test_own_ball_from_the_hand_in_dynamic(phase: str) -> None:
    """DYN-5.3, DYN-7: a penalty on premium and penalty strokes, in place of CUE_ILLEGAL_POCKET; combined allows it."""
    hand = {"phase": phase, "cue_state": "hand_anywhere"}

    assert codes(DYNAMIC_RULES, "*>w7 *@FL", **hand) == {"SVOI_FROM_HAND"}
    assert codes(DYNAMIC_RULES, "*@FL", **hand) == {"NO_CONTACT", "SVOI_FROM_HAND"}
    assert codes(DYNAMIC_RULES, "*>w7 w7@FL", **hand) == set()
    assert codes(COMBINED_RULES, "*>w7 *@FL", phase=phase, cue_state="hand_house") == set()


def test_own_ball_on_the_initial_stroke_of_dynamic() -> None:
    """DYN-5.3 speaks of the premium stroke; the initial stroke allows any ball."""
    assert codes(DYNAMIC_RULES, "*>w7 *@FL", phase="break", cue_state="hand_house") == set()


def test_off_the_table() -> None:
    """PYR-24.3: the coloured cue ball has a code of its own where it is the cue ball; both may be listed."""
    for rules in (COMBINED_RULES, DYNAMIC_RULES, CLASSIC_RULES):
        assert codes(rules, "*>w7 w7|foot w7~ *!") == {"CUE_OFF"}
        assert codes(rules, "*>w7 w7|foot w7~ *! w9!") == {"CUE_OFF", "BALL_OFF"}
    assert codes(FREE_RULES, "*>w7 w7|foot w7~ *!") == {"BALL_OFF"}
    assert codes(FREE_RULES, "*>w7 w7|foot w7~ Y!") == {"BALL_OFF"}


def test_initial_stroke() -> None:
    """PYR-12 in place of item 20; without a contact there is nothing more to judge; other violations are penalties."""
    first = {"phase": "break", "cue_state": "hand_house"}

    assert codes(COMBINED_RULES, "*>w7 w7|foot", **first) == {"BREAK_WEAK"}
    assert codes(COMBINED_RULES, "*>w7 w7|foot w7|left", **first) == {"BREAK_WEAK"}
    assert codes(COMBINED_RULES, "*>w7 w7|foot w9|left *|head", **first) == set()
    assert codes(COMBINED_RULES, "*|foot", **first) == {"NO_CONTACT"}
    assert codes(COMBINED_RULES, "*>w7 w7|foot *!", **first) == {"BREAK_WEAK", "CUE_OFF"}


@pytest.mark.parametrize(
    ("place", "stroke", "found"),
    [
        ((0.2, 0.5), "*>w3 w3@HL", {"HOUSE_FIRST"}),
        ((0.25, 0.5), "*>w3 w3@HL", set()),
        ((0.6, 0.5), "*>w3 w3@HL", set()),
        ((0.2, 0.5), "*>w7 *>w3 w3@HL", set()),
        ((0.2, 0.5), "*>w3= *>w7= w3@HL", set()),
    ],
)
def test_ball_in_the_house_first(place: tuple[float, float], stroke: str, found: set[str]) -> None:
    """PYR-21.2a: the line lies outside; afterwards any ball may be met; a tie is read in the striker's favour."""
    places = {"Y": (0.05, 0.2), "w3": place, "w7": (0.6, 0.2)}

    assert codes(COMBINED_RULES, stroke, phase="premium", cue_state="hand_house", positions=places) == found
    assert codes(CLASSIC_RULES, stroke, phase="penalty_hand", cue_state="hand_house", positions=places) == found
    assert codes(DYNAMIC_RULES, stroke, phase="premium", cue_state="hand_anywhere", positions=places) == set()
    assert codes(COMBINED_RULES, stroke, positions=places) == set()


def test_item_20_from_the_hand() -> None:
    """PYR-21.3: such strokes satisfy item 20 too."""
    assert codes(COMBINED_RULES, "*>w7 w7~", phase="penalty_hand", cue_state="hand_house") == {"COND20"}
    assert codes(DYNAMIC_RULES, "*>w7 w7|left", phase="premium", cue_state="hand_anywhere") == {"COND20"}


def test_out_of_turn() -> None:
    """PYR-28: a stroke by the player whose inning it is not is his penalty, and nothing on it counts."""
    ruling = judge(COMBINED_RULES, "*>w7 w7@FL", striker="B")

    assert (ruling.foul_codes, ruling.points_delta, ruling.turn) == (("OUT_OF_TURN",), Pair(1, 0), "decide:A")
    assert (ruling.spotted, ruling.offender, ruling.options_for) == (("w7",), "B", "A")
    assert codes(COMBINED_RULES, "*>w7 w7@FL", striker="A") == set()


def test_out_of_turn_with_the_cue_ball_fallen() -> None:
    """PYR-28, 21.1: all codes; the player whose inning it is plays from the house."""
    ruling = judge(COMBINED_RULES, "*>w7 *@FL", striker="B")

    assert set(ruling.foul_codes) == {"OUT_OF_TURN", "CUE_ILLEGAL_POCKET"}
    assert (ruling.turn, ruling.options, ruling.cue_next) == ("decide:A", ("CHOOSE_PENALTY_BALL", "BIH_HOUSE"), "hand_house")


def test_interference_makes_what_fell_illegal() -> None:
    """PYR-22.3a: any violation between start and end of the stroke, PYR-28: a penalty on the player who waits."""
    during, after = judge(FREE_RULES, "*>w7 w7@FL B:hand:w2"), judge(FREE_RULES, "*>w7 w7@FL . B:hand:w2")

    assert (during.points_delta, during.spotted, during.turn, during.offender) == (Pair(1, 0), ("w7",), "decide:A", "B")
    assert (after.points_delta, after.spotted, after.turn, after.restored) == (Pair(2, 0), (), "decide:A", ("w2",))
    assert during.options == ("CHOOSE_PENALTY_BALL", "PLAY_POSITION")


def test_outsider_moves_a_ball_during_the_stroke() -> None:
    """PYR-27.1: a ball that lay still is put back and the stroke stands; else everything goes back."""
    still, moving = judge(FREE_RULES, "*>w7 outsider:other:w2 w7@FL"), judge(FREE_RULES, "*>w7 outsider:other:w7 w7@FL")

    assert (still.points_delta, still.restored, still.replay, still.foul) == (Pair(1, 0), ("w2",), None, False)
    assert (moving.points_delta, moving.restored, moving.replay, moving.turn) == (Pair(0, 0), ("*",), True, "A")


def test_touched_ball_that_moved_has_no_place_to_go_back_to() -> None:
    """PYR-6: a ball at rest is put back, one in motion is not, and one touched after rest is."""
    assert judge(FREE_RULES, "*>w7 w7|foot w7~ A:sleeve:w2").restored == ("w2",)
    assert judge(FREE_RULES, "*>w7 A:sleeve:w7 w7|foot w7~").restored is None
    assert judge(FREE_RULES, "*>w7 w7|foot w7~ . A:sleeve:w7").restored == ("w7",)


def test_call_does_not_excuse_item_20() -> None:
    """PYR-20 holds in classic pyramid too; an uncalled ball that falls satisfies it as a fact."""
    call = Call(kind="ball", ball="w8", pocket="FL")

    assert codes(CLASSIC_RULES, "*>w8 w8|foot", call=call) == {"COND20"}
    assert codes(CLASSIC_RULES, "*>w8 w8|foot w3@FR", call=call) == set()


def test_placement_before_the_stroke() -> None:
    """COMB-H2, COMB-H3: a ball touched in placing, or played from where the cue ball may not lie."""
    places = {"Y": (0.2, 0.5), "w3": (0.1, 0.3)}
    hand = {"phase": "premium", "cue_state": "hand_house"}

    def stroke(*before: ShotEvent, **changes: Any) -> Ruling:
        state = a_state(COMBINED_RULES, **hand | {"positions": places} | changes)
        return COMBINED_RULES.judge(Case(state=state, events=(*before, *parse_stroke("Y>w7 w7|foot w7~"))))

    def placed(u: float, v: float) -> ShotEvent:
        return ShotEvent(t=-5.0, type="placement", fields={"ball": "Y", "pos": [u, v]})

    touched = ShotEvent(t=-4.0, type="touch", fields={"ball": "w3", "by": "cue_ball_in_hand", "actor": "A"})
    assert stroke().foul_codes == ()
    assert stroke(placed(0.24, 0.5)).foul_codes == ()
    assert stroke(placed(0.25, 0.5)).foul_codes == ("PLACEMENT",)
    assert stroke(placed(0.3, 0.5), placed(0.2, 0.5)).foul_codes == ()
    assert stroke(positions={"Y": (0.3, 0.5)}).foul_codes == ("PLACEMENT",)
    assert stroke(placed(0.1, 0.33)).foul_codes == ("PLACEMENT",)
    hit = stroke(placed(0.1, 0.34), touched)
    assert (hit.foul_codes, hit.cue_next, hit.restored) == (("PLACEMENT",), "hand_house", ("w3",))
