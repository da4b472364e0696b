"""Pyramid between strokes: choices, placing, clock, incidents, states that cannot be."""

from typing import Any

import pytest

from calibration.equipment import find_table
from calibration.errors import InputError
from referee.notation import parse_stroke
from referee.rules.base import Call, Case, Clock, State, next_state
from referee.rules.options import Options
from referee.rules.pyramid import CLASSIC_RULES, COMBINED_RULES, DYNAMIC_RULES, FREE_RULES, RULES, Pyramid
from referee.ruling import Pair, Ruling
from tracker.shot import ShotEvent

WHITES = tuple(f"w{number}" for number in range(1, 11))


def a_state(rules: Pyramid, **changes: Any) -> State:
    """Ten whites and the coloured ball, B to decide or play at 2 to 4."""
    usual: dict[str, Any] = {
        "table": find_table("pyramid-12ft"),
        "shooter": "B",
        "phase": "normal",
        "balls": ("Y", *WHITES),
        "cue_ball": "w4" if rules is FREE_RULES else "Y",
        "cue_state": "position",
        "scores": Pair(2, 4),
        "target": 71 if rules is CLASSIC_RULES else 8,
    }
    return State(**usual | changes)


def an_event(kind: str, t: float = 0.0, **fields: Any) -> ShotEvent:
    """One event."""
    return ShotEvent(t=t, type=kind, fields=fields)


def decide(rules: Pyramid, option: str, *, by: str = "B", options: Options | None = None, **changes: Any) -> Ruling:
    """The ruling on a choice."""
    event = an_event("decision", by=by, option=option)
    return rules.judge(Case(state=a_state(rules, **changes), events=(event,), options=options or Options()))


def incident(rules: Pyramid, *events: ShotEvent, **changes: Any) -> Ruling:
    """The ruling on what happens between strokes."""
    return rules.judge(Case(state=a_state(rules, **changes), events=events))


@pytest.mark.parametrize(("option", "turn"), [("PLAY_POSITION", "B"), ("PASS_BACK", "A")])
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.game)
def test_playing_or_passing_back(rules: Pyramid, option: str, turn: str) -> None:
    """PYR-30: after a penalty the beneficiary plays or lets the offender go on; nothing is booked again."""
    ruling = decide(rules, option, phase="after_penalty")

    assert (ruling.turn, ruling.options, ruling.points_delta, ruling.foul) == (turn, (), Pair(0, 0), False)
    assert (ruling.cue_next, ruling.next_phase) == ("free_choice" if rules is FREE_RULES else "position", "normal")


def test_choices_that_are_not_open() -> None:
    """PYR-30: not from the hand, not by the other player, not without a penalty, not where the organiser closed it."""
    closed = [
        decide(COMBINED_RULES, "PASS_BACK", phase="penalty_hand", cue_state="hand_house"),
        decide(FREE_RULES, "PASS_BACK", phase="after_penalty", by="A"),
        decide(FREE_RULES, "PASS_BACK"),
        decide(FREE_RULES, "PASS_BACK", phase="after_penalty", options=Options(pyr_pass_back=False)),
        decide(FREE_RULES, "CHOOSE_PENALTY_BALL:w3"),
        decide(CLASSIC_RULES, "CHOOSE_PENALTY_BALL:w3", phase="after_penalty"),
        decide(COMBINED_RULES, "CHOOSE_PENALTY_BALL:Y", phase="after_penalty"),
        decide(FREE_RULES, "CHOOSE_PENALTY_BALL:w15", phase="after_penalty"),
        decide(COMBINED_RULES, "CHOOSE_REMOVED_BALL:w3", phase="premium", cue_state="hand_house"),
        decide(FREE_RULES, "ACCEPT_TABLE"),
        decide(FREE_RULES, "RERACK_OFFENDER_BREAKS", phase="break_reply"),
        decide(FREE_RULES, "RESTORE_BALL"),
        decide(COMBINED_RULES, "BIH_ANYWHERE", phase="premium", cue_state="hand_house"),
    ]

    assert [ruling.declaration_rejected for ruling in closed] == [True] * len(closed)
    assert all(ruling.points_delta == Pair(0, 0) and not ruling.foul and ruling.turn.endswith("B") for ruling in closed)


def test_taking_the_penalty_ball() -> None:
    """FREE-7, COMB-7: any ball from the table, a spotted one too; its point was booked with the penalty."""
    free = decide(FREE_RULES, "CHOOSE_PENALTY_BALL:Y", phase="after_penalty")
    hand = decide(COMBINED_RULES, "CHOOSE_PENALTY_BALL:w3", phase="penalty_hand", cue_state="hand_house")

    assert (free.points_delta, free.turn, free.options) == (Pair(0, 0), "decide:B", ("PLAY_POSITION", "PASS_BACK"))
    assert "Y" not in free.balls_after
    assert (hand.turn, hand.options, hand.cue_next, hand.next_phase) == ("B", ("BIH_HOUSE",), "hand_house", "penalty_hand")
    assert "w3" not in hand.balls_after


def test_taking_the_exchange_ball() -> None:
    """COMB-5.2, DYN-5.2: an object ball, its point booked with the stroke; then the stroke is no forfeit."""
    pending = {"phase": "premium", "cue_state": "hand_house", "removal_pending": True}
    ruling = decide(COMBINED_RULES, "CHOOSE_REMOVED_BALL:w3", **pending)
    assert (ruling.turn, ruling.options, ruling.points_delta) == ("B", ("BIH_HOUSE",), Pair(0, 0))
    assert "w3" not in ruling.balls_after
    assert decide(COMBINED_RULES, "CHOOSE_REMOVED_BALL:Y", **pending).declaration_rejected

    chosen = an_event("decision", -3.0, by="B", option="CHOOSE_REMOVED_BALL:w3")
    played = incident(COMBINED_RULES, chosen, *parse_stroke("Y>w7 w7@FL"), **pending)
    assert (played.points_delta, played.removal_forfeited) == (Pair(0, 1), None)
    assert {"w3", "w7"}.isdisjoint(played.balls_after)
    late = incident(COMBINED_RULES, chosen, *parse_stroke("Y>w7 w7@FL"), phase="premium", cue_state="hand_house")
    assert (late.points_delta, late.declaration_rejected, "w3" in late.balls_after) == (Pair(0, 1), True, True)


def test_several_choices_one_after_the_other() -> None:
    """PYR-30: the ball is taken, then the table is passed back."""
    events = [an_event("decision", float(i), by="B", option=option) for i, option in enumerate(("CHOOSE_PENALTY_BALL:w3", "PASS_BACK"))]
    ruling = incident(FREE_RULES, *events, phase="after_penalty")

    assert (ruling.turn, ruling.declaration_rejected) == ("A", None)
    assert "w3" not in ruling.balls_after


def test_replies_to_a_weak_initial_stroke() -> None:
    """PYR-12: the table as it lies, or a new rack that he breaks himself."""
    rack = {"phase": "break_reply", "balls": ("Y", *(f"w{n}" for n in range(1, 16))), "scores": Pair(0, 0)}
    accepted, again = decide(COMBINED_RULES, "ACCEPT_TABLE", **rack), decide(COMBINED_RULES, "RERACK_SELF_BREAKS", **rack)

    assert (accepted.turn, accepted.cue_next, accepted.options) == ("B", "position", ())
    assert (again.turn, again.cue_next, again.rerack, again.next_phase) == ("B", "hand_house", "15", "break")
    assert COMBINED_RULES.assumed_reply(a_state(COMBINED_RULES, **rack)) == "ACCEPT_TABLE"
    assert COMBINED_RULES.assumed_reply(a_state(COMBINED_RULES, phase="after_penalty")) == "PLAY_POSITION"
    assert COMBINED_RULES.assumed_reply(a_state(COMBINED_RULES)) is None


@pytest.mark.parametrize(
    ("rules", "phase", "cue_state", "place", "rejected"),
    [
        (COMBINED_RULES, "premium_placement", "in_hand", (0.2499, 0.5), None),
        (COMBINED_RULES, "premium_placement", "in_hand", (0.25, 0.5), True),
        (COMBINED_RULES, "penalty_hand", "hand_house", (0.3, 0.5), True),
        (COMBINED_RULES, "penalty_hand", "hand_house", (0.1, 0.335), True),
        (COMBINED_RULES, "penalty_hand", "hand_house", (0.1, 0.34), None),
        (CLASSIC_RULES, "penalty_hand", "hand_house", (0.3, 0.5), True),
        (DYNAMIC_RULES, "premium_placement", "in_hand", (0.8, 0.5), None),
        (DYNAMIC_RULES, "premium_placement", "in_hand", (0.1, 0.32), True),
        (FREE_RULES, "break", "hand_house", (0.25, 0.5), True),
    ],
)
def test_placing(rules: Pyramid, phase: str, cue_state: str, place: tuple[float, float], rejected: bool | None) -> None:
    """COMB-H1, H3, PYR-11, DYN-5.2: strictly inside the zone and touching nothing; a warning, no penalty yet."""
    cue = {"cue_ball": "Y", "phase": phase, "cue_state": cue_state, "positions": {"w3": (0.1, 0.3)}}
    ruling = incident(rules, an_event("placement", ball="Y", pos=list(place)), **cue)

    assert (ruling.placement_rejected, ruling.foul, ruling.turn) == (rejected, False, "B")
    assert ruling.cue_next == ("hand_anywhere" if rules is DYNAMIC_RULES else "hand_house")


@pytest.mark.parametrize(("u", "rejected"), [(0.76, None), (0.75, True), (0.2, True)])
def test_temporary_house(u: float, rejected: bool | None) -> None:
    """PYR-21.2b, A-P13: with every object ball in the house, strictly behind the rear line."""
    left = {"balls": ("Y", "w3", "w7"), "positions": {"w3": (0.1, 0.3), "w7": (0.2, 0.6)}, "scores": Pair(6, 7)}
    hand = {"phase": "premium_placement", "cue_state": "in_hand"}
    ruling = incident(COMBINED_RULES, an_event("placement", ball="Y", pos=[u, 0.5]), **left, **hand)

    assert (ruling.placement_rejected, ruling.options, ruling.cue_next) == (rejected, ("BIH_TEMP_HOUSE",), "hand_temp_house")


def test_stroke_from_the_temporary_house() -> None:
    """PYR-21.2a, 21.2b: a ball in the real house may be met first from there; from the real house it may not."""
    left = {"balls": ("Y", "w3", "w7"), "scores": Pair(6, 7), "phase": "premium", "cue_state": "hand_house"}
    lying = {"w3": (0.1, 0.3), "w7": (0.2, 0.6)}
    right_end = incident(COMBINED_RULES, *parse_stroke("Y>w3 w3@HL"), **left, positions={**lying, "Y": (0.9, 0.5)})
    wrong_end = incident(COMBINED_RULES, *parse_stroke("Y>w3 w3@HL"), **left, positions={**lying, "Y": (0.1, 0.8)})

    assert (right_end.foul_codes, right_end.winner) == ((), "B")
    assert set(wrong_end.foul_codes) == {"HOUSE_FIRST", "PLACEMENT"}


def test_ball_touched_while_placing() -> None:
    """COMB-H2, DYN-7, CLA-5.5: a penalty, and the opponent plays from the hand; the ball is put back."""
    moved = (an_event("placement", ball="Y", pos=[0.1, 0.5]), an_event("touch", 0.1, ball="w3", by="cue_ball_in_hand", actor="B"))
    said = (moved[0], an_event("official", 0.1, fact="ball_moved", ball="w3"))
    hand = {"phase": "premium_placement", "cue_state": "in_hand"}

    for events in (moved, said):
        ruling = incident(COMBINED_RULES, *events, **hand)
        assert (ruling.foul_codes, ruling.points_delta, ruling.turn) == (("PLACEMENT",), Pair(1, 0), "decide:A")
        assert (ruling.options, ruling.restored) == (("CHOOSE_PENALTY_BALL", "BIH_HOUSE"), ("w3",))
    assert incident(DYNAMIC_RULES, *moved, **hand).options == ("CHOOSE_PENALTY_BALL", "BIH_ANYWHERE")
    assert incident(CLASSIC_RULES, *moved, phase="penalty_hand", cue_state="in_hand").options == ("BIH_HOUSE",)
    assert incident(COMBINED_RULES, an_event("touch", ball="Y", by="hand", actor="B"), **hand).foul is False


def test_touch_between_strokes() -> None:
    """PYR-6, 28: the player in turn has a penalty; so has the other, and the player in turn goes on, his hand kept."""
    own = incident(FREE_RULES, an_event("touch", ball="w3", by="sleeve", actor="B"))
    other = incident(COMBINED_RULES, an_event("touch", ball="w3", by="hand", actor="A"), phase="premium", cue_state="hand_house")

    assert (own.foul_codes, own.turn, own.restored, own.points_delta) == (("TOUCH",), "decide:A", ("w3",), Pair(1, 0))
    pending = incident(
        COMBINED_RULES, an_event("touch", ball="w3", by="hand", actor="B"), phase="premium", cue_state="hand_house", removal_pending=True
    )
    assert set(pending.options) == {"CHOOSE_REMOVED_BALL", "CHOOSE_PENALTY_BALL", "BIH_HOUSE"}
    assert own.options == ("CHOOSE_PENALTY_BALL", "PLAY_POSITION", "PASS_BACK")
    assert (other.foul_codes, other.turn, other.offender, other.points_delta) == (("INTERFERENCE",), "decide:B", "A", Pair(0, 1))
    assert (other.options, other.cue_next, other.next_phase) == (("CHOOSE_PENALTY_BALL", "BIH_HOUSE"), "hand_house", "premium")


def a_clock(used: int = 0, **changes: Any) -> Clock:
    """45 seconds, introduced."""
    usual: dict[str, Any] = {"limit_s": 45.0, "introduced": True, "extensions_used": Pair(0, used), "deciding_game": False}
    return Clock(**usual | changes)


def timed(clock: Clock | None, *requests_s: float, used_s: float, by: str = "B", acknowledged: bool = True) -> Ruling:
    """A legal miss so many seconds after the previous stroke, with requests so many seconds after it."""
    requests = [an_event("decision", t - used_s, by=by, option="EXTENSION", acknowledged=acknowledged) for t in requests_s]
    events = (an_event("clock", -used_s, event="start"), *requests, *parse_stroke("w4>w7 w7|foot w7~"))
    return incident(FREE_RULES, *events, clock=clock)


@pytest.mark.parametrize(
    ("clock", "requests", "used_s", "late", "rejected", "used"),
    [
        (a_clock(), (), 45.0, False, None, 0),
        (a_clock(), (), 45.1, True, None, 0),
        (a_clock(), (44.0,), 90.0, False, None, 1),
        (a_clock(), (44.0,), 90.1, True, None, 1),
        (a_clock(), (46.0,), 80.0, True, True, 0),
        (a_clock(used=1), (30.0,), 40.0, False, True, 1),
        (a_clock(used=1, deciding_game=True), (30.0,), 80.0, False, None, 2),
        (a_clock(used=2, deciding_game=True), (30.0,), 80.0, True, True, 2),
        (a_clock(deciding_game=True), (30.0, 40.0), 80.0, False, True, 1),
        (a_clock(introduced=False), (), 500.0, False, None, None),
        (a_clock(introduced=False), (30.0,), 500.0, False, True, 0),
        (None, (), 500.0, False, None, None),
    ],
)
def test_time_limit(
    clock: Clock | None, requests: tuple[float, ...], used_s: float, late: bool, rejected: bool | None, used: int | None
) -> None:
    """PYR-26.1 to 26.7: 45 s once introduced, doubled once a game on request in time, twice in a deciding game."""
    ruling = timed(clock, *requests, used_s=used_s)

    assert (ruling.foul_codes, ruling.declaration_rejected) == (("TIME",) if late else (), rejected)
    assert ruling.extensions_used_after == (None if used is None else Pair(0, used))


def test_requests_that_do_not_count() -> None:
    """PYR-26.5, 26.7: not noticed by the referee, or made by the other player."""
    assert timed(a_clock(), 30.0, used_s=80.0, acknowledged=False).declaration_rejected
    assert timed(a_clock(), 30.0, used_s=80.0, acknowledged=False).foul_codes == ("TIME",)
    assert timed(a_clock(), 30.0, used_s=80.0, by="A").foul_codes == ("TIME",)


def test_clock_runs_out() -> None:
    """PYR-26.4: the position is kept and the turn passes; an extended limit runs twice as long; from the hand as from the hand."""
    start = an_event("clock", 0.0, event="start")
    ask = an_event("decision", 10.0, by="B", option="EXTENSION")

    def expired(t: float) -> ShotEvent:
        return an_event("clock", t, event="expired")

    plain = incident(FREE_RULES, start, an_event("clock", 35.0, event="warning_10s"), expired(45.0), clock=a_clock())
    assert (plain.foul_codes, plain.turn, plain.points_delta) == (("TIME",), "decide:A", Pair(1, 0))
    assert incident(FREE_RULES, start, ask, expired(45.0), clock=a_clock()).foul_codes == ()
    assert incident(FREE_RULES, start, ask, expired(90.0), clock=a_clock()).foul_codes == ("TIME",)
    assert incident(FREE_RULES, expired(0.0), clock=a_clock()).foul_codes == ("TIME",)
    assert incident(FREE_RULES, expired(0.0), clock=a_clock(introduced=False)).foul_codes == ()
    asked = incident(FREE_RULES, start, ask, clock=a_clock())
    assert (asked.turn, asked.extensions_used_after, asked.declaration_rejected) == ("B", Pair(0, 1), None)
    hand = incident(COMBINED_RULES, expired(0.0), clock=a_clock(), phase="premium", cue_state="hand_house")
    assert (hand.options, hand.cue_next) == (("CHOOSE_PENALTY_BALL", "BIH_HOUSE"), "hand_house")


def test_late_stroke_counts_for_nothing() -> None:
    """PYR-26.4, 22.3a: what falls after the limit is spotted."""
    ruling = incident(FREE_RULES, an_event("clock", -50.0, event="start"), *parse_stroke("w4>w7 w7@FL"), clock=a_clock())

    assert (ruling.foul_codes, ruling.points_delta, ruling.spotted) == (("TIME",), Pair(1, 0), ("w7",))


def test_hanging_ball_between_strokes() -> None:
    """PYR-23.1: put back; PYR-23.3: one that hung too short fell with the stroke before and counts."""
    long = incident(FREE_RULES, an_event("spontaneous_drop", ball="w3", pocket="FL", rest_s=8))
    short = incident(FREE_RULES, an_event("spontaneous_drop", ball="w3", pocket="FL", rest_s=2))

    assert (long.restored, long.turn, long.points_delta, long.foul) == (("w3",), "B", Pair(0, 0), False)
    assert (short.points_delta, short.turn, short.restored) == (Pair(0, 1), "B", None)


def test_moved_from_outside() -> None:
    """PYR-27.1: back without a penalty; with nothing named, everything."""
    touch = an_event("touch", ball="w3", by="other", actor="outsider")
    said = an_event("official", fact="outside_interference", restorable=True)

    assert incident(FREE_RULES, touch).restored == ("w3",)
    assert incident(FREE_RULES, said).restored == ("*",)
    undone = incident(COMBINED_RULES, *parse_stroke("Y>w7 fact:outside_interference w7@FL"))
    assert (undone.replay, undone.restored, undone.turn, undone.points_delta) == (True, ("*",), "B", Pair(0, 0))


@pytest.mark.parametrize(
    ("rules", "balls", "returned", "rerack", "left"),
    [
        (FREE_RULES, ("w1", "w4", "w5"), True, "incomplete", ("Y", "w1", "w4")),
        (FREE_RULES, ("Y", "w4", "w5"), False, "incomplete", ("Y", "w4", "w5")),
        (COMBINED_RULES, ("Y", "w4", "w5"), False, "incomplete", ("Y", "w4", "w5")),
        (COMBINED_RULES, ("Y", *(f"w{n}" for n in range(1, 16))), False, "15", ("Y", *(f"w{n}" for n in range(1, 16)))),
    ],
)
def test_position_lost(rules: Pyramid, balls: tuple[str, ...], returned: bool, rerack: str, left: tuple[str, ...]) -> None:
    """PYR-27.2, 27.3: the coloured ball back for a white, the rest racked, a lag, the score kept, an initial stroke."""
    state = a_state(rules, balls=balls, cue_ball="w4" if rules is FREE_RULES else "Y")
    ruling = rules.judge(Case(state=state, events=(an_event("official", fact="outside_interference", restorable=False),)))
    after = next_state(rules, state, ruling)

    assert (ruling.turn, ruling.rerack, ruling.coloured_returned_for_white, ruling.score_kept) == ("lag", rerack, returned, True)
    assert (ruling.cue_next, ruling.next_phase, ruling.balls_after) == ("hand_house", "break", left)
    if rerack == "incomplete":
        assert (after.phase, after.balls, after.scores, after.cue_ball) == ("break", left, Pair(2, 4), "Y")


def test_next_state_keeps_what_a_later_stroke_needs() -> None:
    """The exchange ball, the extensions, and a cue ball that is still there."""
    state = a_state(COMBINED_RULES, clock=a_clock())
    booked = COMBINED_RULES.judge(Case(state=state, events=parse_stroke("Y>w7 Y@FL")))
    after = next_state(COMBINED_RULES, state, booked)
    assert (after.removal_pending, after.phase, after.cue_state, after.clock) == (True, "premium", "hand_house", a_clock())

    free = a_state(FREE_RULES)
    gone = next_state(FREE_RULES, free, FREE_RULES.judge(Case(state=free, events=parse_stroke("w4>w7 w4@FL"))))
    assert gone.cue_ball in gone.balls
    FREE_RULES.check(gone)


@pytest.mark.parametrize(
    ("rules", "changes", "field"),
    [
        (FREE_RULES, {"balls": ("cue", "w4")}, "before.balls"),
        (COMBINED_RULES, {"balls": ("w1", "w4"), "cue_ball": "w1"}, "before.balls"),
        (FREE_RULES, {"cue_ball": "w15"}, "before.cue_ball"),
        (FREE_RULES, {"phase": "push_out_reply"}, "before.phase"),
        (FREE_RULES, {"cue_state": "hand_kitchen"}, "before.cue_state"),
        (CLASSIC_RULES, {"phase": "premium"}, "before.phase"),
        (FREE_RULES, {"removal_pending": True}, "before.removal_pending"),
        (COMBINED_RULES, {"cue_state": "hand_anywhere"}, "before.cue_state"),
        (CLASSIC_RULES, {"call": Call(kind="push_out")}, "before.call"),
    ],
)
def test_states_that_cannot_be(rules: Pyramid, changes: dict[str, Any], field: str) -> None:
    """The message names the field."""
    with pytest.raises(InputError, match=field):
        rules.check(a_state(rules, **changes))


def test_ledger_of_balls_and_points() -> None:
    """Section 0.1: balls on the table and points add up; only a ball booked but still to be taken may lie there."""
    FREE_RULES.check_ledger(a_state(FREE_RULES, scores=Pair(2, 3)))
    FREE_RULES.check_ledger(a_state(FREE_RULES, scores=Pair(2, 4), phase="after_penalty"))
    COMBINED_RULES.check_ledger(a_state(COMBINED_RULES, scores=Pair(3, 3), phase="premium", removal_pending=True))
    CLASSIC_RULES.check_ledger(a_state(CLASSIC_RULES, scores=Pair(60, 4)))
    for changes in (
        {"scores": Pair(2, 2)},
        {"scores": Pair(3, 4)},
        {"scores": Pair(2, 4)},
        {"scores": Pair(2, 3), "phase": "premium", "removal_pending": True},
        {"scores": Pair(3, 3), "phase": "premium"},
    ):
        with pytest.raises(InputError, match=r"before\.balls"):
            COMBINED_RULES.check_ledger(a_state(COMBINED_RULES, **changes))
    with pytest.raises(InputError, match=r"before\.scores"):
        FREE_RULES.check_ledger(a_state(FREE_RULES, scores=Pair(-1, 6)))


def test_no_point_is_taken_from_the_player_who_had_nothing_booked() -> None:
    """COMB-5.2n, PYR-22.3b: A's exchange ball is still open when his touch after the stroke brings B to the table from the
    hand; only A may take it, and what B's stroke forfeits is A's point."""
    open_ball = {"phase": "penalty_hand", "cue_state": "hand_house", "removal_pending": True, "scores": Pair(3, 4)}
    by_b, by_a = (decide(COMBINED_RULES, "CHOOSE_REMOVED_BALL:w3", by=player, **open_ball) for player in ("B", "A"))
    stroke = incident(COMBINED_RULES, *parse_stroke("Y>w7 w7@FL"), **open_ball)

    assert (by_b.declaration_rejected, by_a.declaration_rejected) == (True, None)
    assert "w3" not in by_a.balls_after
    assert (stroke.removal_forfeited, stroke.points_delta) == (True, Pair(-1, 1))


def test_the_replies_to_a_weak_initial_stroke_are_those_of_the_option() -> None:
    """A-P7: only the re-rack that the organiser chose is open, and it says who breaks."""
    rack = {"phase": "break_reply", "balls": ("Y", *(f"w{n}" for n in range(1, 16))), "scores": Pair(0, 0)}
    options = Options(pyr_break_fail="rerack_offender")
    again, refused = (decide(FREE_RULES, option, options=options, **rack) for option in ("RERACK_OFFENDER_BREAKS", "ACCEPT_TABLE"))

    assert (again.turn, again.rerack, again.next_phase) == ("A", "15", "break")
    assert (refused.declaration_rejected, refused.options, refused.reasons[0].clauses) == (True, ("RERACK_OFFENDER_BREAKS",), ("PYR-12",))


def test_a_penalty_between_strokes_does_not_say_that_nothing_changes() -> None:
    """PYR-26.4, 28: the sentence for a quiet event is left out beside a penalty."""
    ruling = incident(FREE_RULES, an_event("touch", ball="w3", by="hand", actor="A"))

    assert "play_on" not in {reason.key for reason in ruling.reasons}
