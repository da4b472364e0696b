"""What follows a pyramid stroke: points, exchange, penalty, spotting, turn, the end of the game."""

from typing import Any

import pytest

from calibration.equipment import find_table
from referee.notation import parse_stroke
from referee.rules.base import Call, Case, State
from referee.rules.options import Options
from referee.rules.pyramid import CLASSIC_RULES, COMBINED_RULES, DYNAMIC_RULES, FREE_RULES, Pyramid
from referee.ruling import Pair, Ruling

WHITES = tuple(f"w{number}" for number in range(1, 11))
RACK = ("Y", *(f"w{number}" for number in range(1, 16)))
PENALTY = ("CHOOSE_PENALTY_BALL", "PLAY_POSITION", "PASS_BACK")


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


def judge(rules: Pyramid, stroke: str, *, rest: Any = None, rules_options: dict[str, Any] | None = None, **changes: Any) -> Ruling:
    """The ruling on a stroke."""
    case = Case(state=a_state(rules, **changes), events=parse_stroke(stroke, rest), options=Options(**rules_options or {}))
    return rules.judge(case)


@pytest.mark.parametrize(
    ("stroke", "points", "gone"),
    [("w4>w7 w7@FL", 1, {"w7"}), ("w4>w7 w4@FL", 1, {"w4"}), ("w4>w7 w4@FL w7@FR Y@SL", 3, {"w4", "w7", "Y"}), ("w4>Y Y@FL", 1, {"Y"})],
)
def test_free_every_ball_counts(stroke: str, points: int, gone: set[str]) -> None:
    """FREE-5.2, 5.4, 5.5: object balls and the cue ball, the coloured one too, a point each; the turn is kept."""
    ruling = judge(FREE_RULES, stroke)

    assert (ruling.points_delta, ruling.turn, ruling.cue_next, ruling.spotted) == (Pair(points, 0), "A", "free_choice", ())
    assert {"Y", *WHITES} - set(ruling.balls_after) == gone


def test_combined_own_ball_and_an_object_ball() -> None:
    """COMB-5.1, 5.2, 5.3: both count; the exchange ball is booked and still on the table, the cue ball in hand."""
    ruling = judge(COMBINED_RULES, "Y>w7 w7@FR Y@FL")

    assert (ruling.points_delta, ruling.turn, ruling.options) == (Pair(2, 0), "A", ("CHOOSE_REMOVED_BALL", "BIH_HOUSE"))
    assert (ruling.cue_next, ruling.next_phase, ruling.options_for) == ("hand_house", "premium", "A")
    assert "Y" in ruling.balls_after
    assert "w7" not in ruling.balls_after


def test_dynamic_own_ball() -> None:
    """DYN-5.2: from any point; the option of the penalty hand has no say."""
    for option in ("anywhere", "house"):
        ruling = judge(DYNAMIC_RULES, "Y>w7 Y@FL", rules_options={"pyr_dynamic_penalty_hand": option})
        assert (ruling.options, ruling.cue_next) == (("CHOOSE_REMOVED_BALL", "BIH_ANYWHERE"), "hand_anywhere")


@pytest.mark.parametrize(("option", "zone"), [("anywhere", "BIH_ANYWHERE"), ("house", "BIH_HOUSE")])
def test_dynamic_after_an_illegal_cue_ball(option: str, zone: str) -> None:
    """DYN-7, A-P8: from any point, or from the house where the organiser says so."""
    ruling = judge(DYNAMIC_RULES, "Y|left Y@FL", rules_options={"pyr_dynamic_penalty_hand": option})

    assert (ruling.options, ruling.cue_next) == (("CHOOSE_PENALTY_BALL", zone), zone.replace("BIH_", "hand_").lower())
    assert (ruling.turn, ruling.next_phase, ruling.points_delta) == ("decide:B", "penalty_hand", Pair(0, 1))


def test_every_object_ball_in_the_house() -> None:
    """PYR-21.2b: the premium stroke is played from behind the rear line, unless a ball is spotted there first."""
    left = {"balls": ("Y", "w3", "w7"), "scores": Pair(6, 7)}
    rest = {"w3": (0.1, 0.3), "w7": (0.2, 0.6)}

    legal = judge(COMBINED_RULES, "Y>w7 Y@FL", rest=rest, **left | {"scores": Pair(5, 6)})
    assert (legal.options, legal.cue_next) == (("CHOOSE_REMOVED_BALL", "BIH_TEMP_HOUSE"), "hand_temp_house")
    illegal = judge(COMBINED_RULES, "Y@FL", rest=rest, **left | {"scores": Pair(5, 6)})
    assert illegal.cue_next == "hand_temp_house"
    spotted = judge(COMBINED_RULES, "Y>w7 Y@FL w7!", rest={"w3": (0.1, 0.3)}, **left | {"scores": Pair(5, 6)})
    assert (spotted.cue_next, spotted.spotted) == ("hand_house", ("w7",))
    on_line = judge(COMBINED_RULES, "Y>w7 Y@FL", rest={**rest, "w7": (0.25, 0.6)}, **left | {"scores": Pair(5, 6)})
    assert on_line.cue_next == "hand_house"


@pytest.mark.parametrize(
    ("stroke", "delta", "turn"),
    [
        ("Y>w7 w7|foot w7~", Pair(-1, 0), "B"),
        ("Y>w7 w7@FL", Pair(0, 0), "A"),
        ("Y>w7 Y@FL", Pair(0, 0), "A"),
        ("Y|foot", Pair(-1, 1), "decide:B"),
    ],
)
def test_exchange_ball_not_taken(stroke: str, delta: Pair[int], turn: str) -> None:
    """COMB-5.2n: the booked point is taken back, whatever the stroke itself brings."""
    ruling = judge(
        COMBINED_RULES,
        stroke,
        phase="premium",
        cue_state="hand_house",
        removal_pending=True,
        scores=Pair(3, 3),
        positions={"Y": (0.2, 0.5)},
    )

    assert (ruling.points_delta, ruling.turn, ruling.removal_forfeited) == (delta, turn, True)
    assert ruling.scores_after == Pair(3 + delta.a, 3 + delta.b)


def test_penalty_leaves_a_choice() -> None:
    """FREE-7, COMB-7, PYR-30: a point and a ball, then play or pass back; one penalty however many violations."""
    for rules, cue_next in ((FREE_RULES, "free_choice"), (COMBINED_RULES, "position"), (DYNAMIC_RULES, "position")):
        cue = "w4" if rules is FREE_RULES else "Y"
        ruling = judge(rules, f"{cue}>w7 tip2 w7~ w9!")
        assert (ruling.points_delta, ruling.turn, ruling.options) == (Pair(0, 1), "decide:B", PENALTY)
        assert (ruling.cue_next, ruling.next_phase, ruling.options_for, ruling.offender) == (cue_next, "after_penalty", "B", "A")
        closed = judge(rules, f"{cue}|left", rules_options={"pyr_pass_back": False})
        assert closed.options == ("CHOOSE_PENALTY_BALL", "PLAY_POSITION")


@pytest.mark.parametrize(("penalty", "delta"), [("opponent_plus_5", Pair(0, 5)), ("offender_minus_5", Pair(-5, 0))])
def test_classic_penalty(penalty: str, delta: Pair[int]) -> None:
    """CLA-6, A-P17: five points change; no ball is taken; the opponent plays or passes back, or plays from the house."""
    lies = judge(CLASSIC_RULES, "Y|left", rules_options={"pyr_classic_penalty": penalty})
    hand = judge(CLASSIC_RULES, "Y>w8 Y@FL", rules_options={"pyr_classic_penalty": penalty})
    off = judge(CLASSIC_RULES, "Y>w8 w8|foot w8~ Y!", rules_options={"pyr_classic_penalty": penalty})

    assert (lies.points_delta, lies.turn, lies.options) == (delta, "decide:B", ("PLAY_POSITION", "PASS_BACK"))
    for ruling in (hand, off):
        assert (ruling.points_delta, ruling.turn, ruling.options) == (delta, "B", ("BIH_HOUSE",))
        assert (ruling.cue_next, ruling.next_phase) == ("hand_house", "penalty_hand")


def test_classic_calls() -> None:
    """CLA-5.2 to 5.4: only the ball and pocket announced; with it all fall for points, without it all is spotted."""
    call = Call(kind="ball", ball="w8", pocket="FL")

    assert judge(CLASSIC_RULES, "Y>w8 w8@FL w1@FR", call=call).points_delta == Pair(19, 0)
    for stroke, given in (("Y>w8 w8@FR", call), ("Y>w8 w3@FL", call), ("Y>w8 w8@FL", None), ("Y>w8 w8@FL", Call(kind="safety"))):
        ruling = judge(CLASSIC_RULES, stroke, call=given)
        assert (ruling.points_delta, ruling.turn, len(ruling.spotted), ruling.foul) == (Pair(0, 0), "B", 1, False)
        assert set(ruling.balls_after) == {"Y", *WHITES}


@pytest.mark.parametrize(
    ("stroke", "points"), [("Y>w5 w5@SR", 5), ("Y>w5 w5@SR w12@FL", 27), ("Y>w5 w12@FL w5@SR", 27), ("Y>w12 w12@SR", 0)]
)
def test_classic_last_ball(stroke: str, points: int) -> None:
    """CLA-5.1: the last object ball on the table carries ten extra, once."""
    call = Call(kind="ball", ball="w5", pocket="SR")

    assert judge(CLASSIC_RULES, stroke, call=call, balls=("Y", "w5", "w12"), scores=Pair(20, 30)).points_delta == Pair(points, 0)


def test_classic_with_all_balls_gone() -> None:
    """A-P17: at 70 to 70 nothing here decides; the game is over all the same."""
    call = Call(kind="ball", ball="w5", pocket="SR")
    ruling = judge(CLASSIC_RULES, "Y>w5 w5@SR", call=call, balls=("Y", "w5"), scores=Pair(55, 70))

    assert (ruling.rack_over, ruling.winner, ruling.turn, ruling.scores_after) == (True, None, "none", Pair(70, 70))


def test_classic_shorter_game() -> None:
    """CLA-1: a 51-point variant."""
    call = Call(kind="ball", ball="w8", pocket="FL")

    assert judge(CLASSIC_RULES, "Y>w8 w8@FL", call=call, scores=Pair(43, 20), target=51).winner == "A"
    assert judge(CLASSIC_RULES, "Y|left", scores=Pair(43, 66)).winner == "B"


@pytest.mark.parametrize(
    ("rules", "stroke", "winner", "options"),
    [
        (FREE_RULES, "w4>w2 w2@FL", "A", ()),
        (FREE_RULES, "w4|left", "B", ("CHOOSE_PENALTY_BALL",)),
        (FREE_RULES, "w4>w2 w2@FL . A:hand:w1", "A", ()),
        (FREE_RULES, "w4>w2 w2|foot w2~ . A:hand:w1", "B", ("CHOOSE_PENALTY_BALL",)),
        (COMBINED_RULES, "Y>w2 Y@FL", "A", ("CHOOSE_REMOVED_BALL",)),
        (COMBINED_RULES, "Y@FL", "B", ("CHOOSE_PENALTY_BALL",)),
        (COMBINED_RULES, "Y>w2 w2|foot w2~ . B:hand:w1", "A", ("CHOOSE_PENALTY_BALL",)),
    ],
)
def test_end_of_the_game(rules: Pyramid, stroke: str, winner: str, options: tuple[str, ...]) -> None:
    """FREE-1, COMB-1, PYR-22.3n: eight points end the game, by a penalty or exchange ball too; then nothing is penalised."""
    ruling = judge(rules, stroke, balls=("Y", "w1", "w2", "w4"), scores=Pair(7, 7))

    assert (ruling.rack_over, ruling.match_over, ruling.winner, ruling.turn) == (True, False, winner, "none")
    assert (ruling.options, ruling.cue_next, ruling.next_phase) == (options, None, None)


def test_no_ball_is_left_to_exchange() -> None:
    """COMB-5.2: the last white and the cue ball fall together; there is nothing to take for the cue ball."""
    ruling = judge(COMBINED_RULES, "Y>w2 w2@FL Y@FR", balls=("Y", "w2"), scores=Pair(5, 3), target=20)

    assert ruling.points_delta == Pair(1, 0)


def test_touch_after_a_legal_own_ball() -> None:
    """PYR-22.3b: the exchange stands, the penalty comes on top, and the opponent plays from the house."""
    ruling = judge(COMBINED_RULES, "Y>w7 Y@FL . A:hand:w1")

    assert (ruling.points_delta, ruling.turn, ruling.foul_codes) == (Pair(1, 1), "decide:B", ("TOUCH_AFTER",))
    assert set(ruling.options) == {"CHOOSE_REMOVED_BALL", "CHOOSE_PENALTY_BALL", "BIH_HOUSE"}


@pytest.mark.parametrize(
    ("option", "turn", "options", "rerack"),
    [
        ("accept_or_rerack_self", "decide:B", ("ACCEPT_TABLE", "RERACK_SELF_BREAKS"), None),
        ("rerack_self_forced", "B", (), "15"),
        ("rerack_offender", "A", (), "15"),
    ],
)
def test_weak_initial_stroke(option: str, turn: str, options: tuple[str, ...], rerack: str | None) -> None:
    """PYR-12, A-P7: no points; the opponent chooses, or the rack is set up again."""
    whole = {"phase": "break", "cue_state": "hand_house", "balls": RACK, "scores": Pair(0, 0)}
    ruling = judge(COMBINED_RULES, "Y>w1 w11|left", rules_options={"pyr_break_fail": option}, **whole)

    assert (ruling.foul_codes, ruling.points_delta, ruling.turn, ruling.options) == (("BREAK_WEAK",), Pair(0, 0), turn, options)
    assert (ruling.rerack, ruling.cue_if_accept) == (rerack, "position" if rerack is None else None)
    assert ruling.cue_next == (None if rerack is None else "hand_house")


def test_other_violation_on_the_initial_stroke() -> None:
    """PYR-12, 30: the penalty comes before the choice."""
    whole = {"phase": "break", "cue_state": "hand_house", "balls": RACK, "scores": Pair(0, 0)}
    ruling = judge(COMBINED_RULES, "Y>w1 w11|left Y!", **whole)

    assert (ruling.points_delta, ruling.options) == (Pair(0, 1), ("CHOOSE_PENALTY_BALL", "BIH_HOUSE"))


GAP_U = 0.069 / 3.55


@pytest.mark.parametrize(
    ("rest", "u"),
    [
        ({}, 0.75),
        ({"w2": (0.75, 0.5)}, 0.75 + GAP_U),
        ({"w2": (0.75 + GAP_U, 0.5)}, 0.75),
        ({"w2": (0.75 - 0.5 * GAP_U, 0.5)}, 0.75 + 0.5 * GAP_U),
        ({"w4": (0.75, 0.5)}, 0.75 + GAP_U),
    ],
)
def test_spotting_one_ball(rest: dict[str, tuple[float, float]], u: float) -> None:
    """PYR-25.2a, c: on the rear mark, else as near it behind as it can lie without touching, the cue ball included."""
    ruling = judge(FREE_RULES, "w4>w7 w7|foot w7~ w9!", rest=rest)

    assert ruling.spotted_pos is not None
    assert ruling.spotted_pos["w9"] == pytest.approx((u, 0.5), abs=1e-6)


def test_spotting_several_balls_and_the_gap() -> None:
    """PYR-25.2b, A-P11: in a row with the gap that the organiser sets, an unmoved ball in the way included."""
    ruling = judge(FREE_RULES, "w4>w7 w7~ w8@FL w9! w10!", positions={"w2": (0.78, 0.5)}, rules_options={"pyr_spot_gap_mm": 3})
    step = 0.071 / 3.55

    assert ruling.spotted == ("w8", "w9", "w10")
    assert ruling.spotted_slots is not None
    assert [u for u, _ in ruling.spotted_slots] == pytest.approx([0.75, 0.78 + step, 0.78 + 2 * step], abs=1e-6)


def test_spotting_takes_no_notice_of_a_cue_ball_in_hand() -> None:
    """PYR-21.1: it will be lifted, so that its old place is free."""
    ruling = judge(COMBINED_RULES, "Y>w7 Y@FL w7!", positions={"Y": (0.75, 0.5)})

    assert ruling.spotted_pos == {"w7": (0.75, 0.5)}


@pytest.mark.parametrize(("rest_s", "points", "restored"), [(4.9, 2, None), (5.0, 1, ("w9",)), (None, 1, ("w9",))])
def test_ball_on_the_lip(rest_s: float | None, points: int, restored: tuple[str, ...] | None) -> None:
    """PYR-23.1, 23.3, A-P10: under five seconds it fell with the stroke, after that by itself."""
    waited = {} if rest_s is None else {"rest_s": rest_s}
    events = list(parse_stroke("w4>w7 w7@FL"))
    drop = type(events[0])(t=0.25, type="spontaneous_drop", fields={"ball": "w9", "pocket": "HL", "during_shot": True, **waited})
    ruling = FREE_RULES.judge(Case(state=a_state(FREE_RULES), events=(*events[:3], drop, *events[3:])))

    assert (ruling.points_delta, ruling.restored) == (Pair(points, 0), restored)
    assert ("w9" in ruling.balls_after) == (restored is not None)


def test_stroke_at_a_ball_that_fell_by_itself() -> None:
    """PYR-23.2: everything back, the same stroke again, nothing punished; from the hand it is again from the hand."""
    events = list(parse_stroke("Y|foot"))
    drop = type(events[0])(t=0.05, type="spontaneous_drop", fields={"ball": "w9", "pocket": "HL", "would_be_hit": True})
    state = a_state(COMBINED_RULES, phase="premium", cue_state="hand_house")
    ruling = COMBINED_RULES.judge(Case(state=state, events=(events[0], drop, *events[1:])))

    assert (ruling.foul, ruling.replay, ruling.restored, ruling.turn) == (False, True, ("*",), "A")
    assert (ruling.cue_next, ruling.next_phase, ruling.points_delta) == ("hand_house", "premium", Pair(0, 0))
