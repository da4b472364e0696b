"""14.1 between strokes: choices, requests, incidents and placing."""

from typing import Any

import pytest

from calibration.equipment import find_table
from referee.notation import parse_stroke
from referee.rules.base import Call, Case, State, next_state
from referee.rules.straight_pool import RULES
from referee.ruling import Pair, Ruling
from tracker.shot import ShotEvent

REPLIES = ("ACCEPT_TABLE", "RERACK_OFFENDER_BREAKS")
KITCHEN = {"shooter": "B", "phase": "between_shots", "cue_state": "hand_kitchen", "balls": ("cue", "3", "12")}


def a_state(**changes: Any) -> State:
    """Between strokes, shooter A, 20 to 15, no fouls, refereed."""
    usual: dict[str, Any] = {
        "table": find_table("wpa-9ft"),
        "shooter": "A",
        "phase": "between_shots",
        "balls": ("cue", "3", "5", "8"),
        "cue_ball": "cue",
        "cue_state": "position",
        "scores": Pair(20, 15),
        "target": 150,
    }
    return State(**usual | changes)


def an_event(kind: str, **fields: Any) -> ShotEvent:
    """One event at time 0."""
    return ShotEvent(t=0.0, type=kind, fields=fields)


def incident(state: State, *found: ShotEvent) -> Ruling:
    """The ruling on what happens between strokes."""
    return RULES.judge(Case(state=state, events=found))


def decide(state: State, option: str, by: str = "B") -> Ruling:
    """The ruling on a choice or request."""
    return incident(state, an_event("decision", by=by, option=option))


@pytest.mark.parametrize("phase", ["break_reply", "three_foul_reply"])
@pytest.mark.parametrize(("cue_state", "options"), [("position", ()), ("hand_kitchen", ("BIH_KITCHEN",)), ("in_hand", ("BIH_KITCHEN",))])
def test_accepting_the_table(phase: str, cue_state: str, options: tuple[str, ...]) -> None:
    """S141-6.4, 7.5c, 12.6: he plays on, from the position or from behind the head string."""
    ruling = decide(a_state(shooter="B", phase=phase, cue_state=cue_state), "ACCEPT_TABLE")

    assert (ruling.turn, ruling.next_phase, ruling.options, ruling.rerack) == ("B", "normal", options, "none")
    assert ruling.cue_next == ("position" if cue_state == "position" else "hand_kitchen")
    assert ruling.declaration_rejected is None


@pytest.mark.parametrize("phase", ["break_reply", "three_foul_reply"])
def test_having_the_offender_break(phase: str) -> None:
    """S141-6.4, 7.5c, 12.6: fifteen racked, the offender breaks, counts and scores stay."""
    state = a_state(shooter="B", phase=phase, consecutive_fouls=Pair(1, 2), near_rail={"A": {"3": 1}})
    ruling = decide(state, "RERACK_OFFENDER_BREAKS")
    after = next_state(RULES, state, ruling)

    assert (ruling.turn, ruling.rerack, ruling.cue_next, ruling.next_phase) == ("A", "15", "hand_kitchen", "rebreak")
    assert (after.shooter, after.phase, len(after.balls), after.consecutive_fouls, after.near_rail) == ("A", "rebreak", 16, Pair(1, 2), {})
    RULES.check(after)


@pytest.mark.parametrize(
    ("state", "option", "by", "turn"),
    [
        (a_state(shooter="B", phase="break_reply"), "ACCEPT_TABLE", "A", "decide:B"),
        (a_state(shooter="B", phase="break_reply"), "SPOT_NEAREST", "B", "decide:B"),
        (a_state(), "ACCEPT_TABLE", "A", "A"),
        (a_state(), "RERACK_OFFENDER_BREAKS", "B", "A"),
        (a_state(), "PASS_BACK", "A", "A"),
        (a_state(), "RESTORE_BALL", "B", "A"),
        (a_state(referee=False), "PASS_BACK", "A", "A"),
        (a_state(), "SPOT_NEAREST", "A", "A"),
    ],
)
def test_choice_that_is_not_open_is_refused(state: State, option: str, by: str, turn: str) -> None:
    """Nothing changes, and what was open stays open."""
    ruling = decide(state, option, by)

    assert (ruling.declaration_rejected, ruling.turn, ruling.foul) == (True, turn, False)
    assert ruling.options == (REPLIES if turn == "decide:B" else ())


def test_who_simply_shoots_has_accepted() -> None:
    """The review goes on without a recorded choice."""
    assert RULES.assumed_reply(a_state(phase="three_foul_reply")) == "ACCEPT_TABLE"
    assert RULES.assumed_reply(a_state()) is None


def test_spotting_the_ball_nearest_the_head_string() -> None:
    """S141-7.7: on request, on the foot spot."""
    state = a_state(**KITCHEN, positions={"3": (0.1, 0.6), "12": (0.2, 0.3)})
    ruling = decide(state, "SPOT_NEAREST")

    assert (ruling.spotted, ruling.spotted_pos, ruling.options) == (("12",), {"12": (0.75, 0.5)}, ("BIH_KITCHEN",))
    assert (ruling.turn, ruling.cue_next) == ("B", "hand_kitchen")


def test_equals_are_the_players_choice() -> None:
    """S141-7.7: with equals he chooses, then the ball is spotted; one that is not among them is refused."""
    state = a_state(**{**KITCHEN, "balls": ("cue", "3", "12", "5")}, positions={"3": (0.18, 0.6), "12": (0.18, 0.3), "5": (0.1, 0.5)})
    asked, chosen, wrong = (decide(state, option) for option in ("SPOT_NEAREST", "CHOOSE_SPOT_BALL:12", "CHOOSE_SPOT_BALL:5"))

    assert (asked.turn, asked.options, asked.spotted) == ("decide:B", ("CHOOSE_SPOT_BALL:3", "CHOOSE_SPOT_BALL:12"), ())
    assert (chosen.turn, chosen.spotted) == ("B", ("12",))
    assert (wrong.declaration_rejected, wrong.spotted) == (True, ())


@pytest.mark.parametrize(
    ("positions", "by"),
    [
        ({"3": (0.18, 0.6), "12": (0.25, 0.3)}, "B"),
        ({"3": (0.18, 0.6), "12": (0.6, 0.3)}, "B"),
        ({"3": (0.18, 0.6)}, "B"),
        ({"3": (0.18, 0.6), "12": (0.2, 0.3)}, "A"),
    ],
)
def test_request_with_a_playable_ball_is_refused(positions: dict[str, tuple[float, float]], by: str) -> None:
    """S141-7.7, GR-3.16: a ball on or below the string is playable; only the player in hand may ask."""
    ruling = decide(a_state(**KITCHEN, positions=positions), "SPOT_NEAREST", by)

    assert (ruling.declaration_rejected, ruling.spotted, ruling.turn) == (True, (), "B")


def test_request_is_offered_after_a_scratch() -> None:
    """S141-7.7: with every object ball behind the head string the incoming player may ask."""
    state = a_state(phase="normal", balls=("cue", "3", "12"), call=Call(kind="safety"), positions={"12": (0.2, 0.3)})
    behind = RULES.judge(Case(state=state, events=parse_stroke("cue>3 3|head cue@FL", {"3": (0.1, 0.6)})))
    below = RULES.judge(Case(state=state, events=parse_stroke("cue>3 3|head cue@FL", {"3": (0.4, 0.6)})))

    assert behind.options == ("BIH_KITCHEN", "SPOT_NEAREST")
    assert below.options == ("BIH_KITCHEN",)


@pytest.mark.parametrize(("pos", "rejected"), [([0.2, 0.5], None), ([0.25, 0.5], True), ([0.4, 0.5], True), ([0.1, 0.6], True)])
def test_placing_in_the_kitchen(pos: list[float], rejected: bool | None) -> None:
    """GR-3.10, 3.16, 3.22: behind the string, not on it, not against a ball; a wrong place is to be corrected."""
    ruling = incident(a_state(**KITCHEN, positions={"3": (0.1, 0.61)}), an_event("placement", ball="cue", pos=pos))

    assert (ruling.placement_rejected, ruling.turn, ruling.foul) == (rejected, "B", False)
    assert (ruling.cue_next, ruling.options) == ("hand_kitchen", ("BIH_KITCHEN",))


def test_ball_touched_while_placing() -> None:
    """GR-3.22, 3.40: a foul; the cue ball was not yet in play, so the other player has it in hand too."""
    touch = an_event("touch", ball="3", by="cue_ball_in_hand", actor="B")
    ruling = incident(a_state(**KITCHEN), touch)

    assert (ruling.foul_codes, ruling.points_delta, ruling.turn) == (("PLACEMENT",), Pair(0, -1), "A")
    assert (ruling.cue_next, ruling.options, ruling.restored) == ("hand_kitchen", ("BIH_KITCHEN",), ("3",))


@pytest.mark.parametrize(
    ("actor", "codes", "points", "turn"), [("A", ("TOUCH",), Pair(-1, 0), "B"), ("B", ("INTERFERENCE",), Pair(0, -1), "A")]
)
@pytest.mark.parametrize("ball", ["8", "cue"])
def test_ball_touched_between_strokes(actor: str, codes: tuple[str, ...], points: Pair[int], turn: str, ball: str) -> None:
    """GR-3.21, 3.41: one point off for whoever touched it; it is put back and the other goes on."""
    ruling = incident(a_state(), an_event("touch", ball=ball, by="sleeve", actor=actor))

    assert (ruling.foul_codes, ruling.points_delta, ruling.turn) == (codes, points, turn)
    assert (ruling.restored, ruling.cue_next) == ((ball,), "position")


def test_third_foul_between_strokes() -> None:
    """S141-12.4: a foul without a stroke is the third as well."""
    state = a_state(consecutive_fouls=Pair(2, 0), warned=Pair(True, False))
    ruling = incident(state, an_event("touch", ball="8", by="sleeve", actor="A"))

    assert (ruling.points_delta, ruling.turn, ruling.options) == (Pair(-16, 0), "decide:B", REPLIES)


def test_touch_without_a_referee_may_be_put_back() -> None:
    """GR-1.16: no foul; the opponent of whoever did it may ask, and then it is done."""
    state = a_state(referee=False)
    own, others = (incident(state, an_event("touch", ball="8", by="sleeve", actor=actor)) for actor in ("A", "B"))
    asked = decide(state, "RESTORE_BALL")

    assert (own.foul, own.options, own.options_for) == (False, ("RESTORE_BALL",), "B")
    assert others.options_for == "A"
    assert asked.restored == ("*",)


@pytest.mark.parametrize(
    ("rest_s", "call", "points", "turn", "spotted", "restored"),
    [
        (7.0, None, 0, "A", (), ("8",)),
        (2.0, None, 0, "A", ("8",), None),
        (2.0, Call(kind="ball", ball="8", pocket="FL"), 1, "A", (), None),
        (7.0, Call(kind="ball", ball="8", pocket="FL"), 0, "A", (), ("8",)),
    ],
)
def test_hanging_ball_that_drops_by_itself(
    rest_s: float, call: Call | None, points: int, turn: str, spotted: tuple[str, ...], restored: tuple[str, ...] | None
) -> None:
    """GR-3.31: after five seconds it goes back; before that it fell with the stroke and counts where it was called."""
    ruling = incident(a_state(call=call), an_event("spontaneous_drop", ball="8", pocket="FL", rest_s=rest_s))

    assert (ruling.points_delta, ruling.turn, ruling.spotted, ruling.restored) == (Pair(points, 0), turn, spotted, restored)
    assert ruling.foul is False


def test_moved_from_outside() -> None:
    """GR-3.35: put back without a penalty; if that cannot be, a lag and a new opening break, score and counts kept."""
    state = a_state(consecutive_fouls=Pair(1, 2))
    restored = incident(state, an_event("official", fact="outside_interference", restorable=True))
    lost = incident(state, an_event("official", fact="outside_interference", restorable=False))

    assert (restored.restored, restored.turn, restored.foul, restored.rerack) == (("*",), "A", False, "none")
    assert (lost.turn, lost.rerack, lost.next_phase, lost.score_kept, lost.fouls_after) == ("lag", "15", "break", True, Pair(1, 2))
    assert lost.scores_after == Pair(20, 15)


def test_stroke_disturbed_from_outside_is_played_again() -> None:
    """GR-3.35: everything goes back, nothing counts."""
    state = a_state(phase="normal", call=Call(kind="ball", ball="3", pocket="SL"))
    ruling = RULES.judge(Case(state=state, events=parse_stroke("cue>3 outsider:hand:3 3@SL")))

    assert (ruling.replay, ruling.restored, ruling.turn, ruling.points_delta) == (True, ("*",), "A", Pair(0, 0))


def test_stalemate() -> None:
    """GR-3.35 read for a stalemate: a lag and a new opening break, score kept."""
    ruling = incident(a_state(), an_event("official", fact="stalemate"))

    assert (ruling.turn, ruling.rerack, ruling.score_kept) == ("lag", "15", True)


def test_player_who_comes_to_the_table_on_two_fouls_untold_is_warned() -> None:
    """WPA-6.14, S141-12.3."""
    assert incident(a_state(consecutive_fouls=Pair(2, 0)), an_event("official", fact="placement_zone_request")).warn == ("A",)


def test_foul_by_whoever_was_to_choose_ends_his_choice() -> None:
    """GR-3.21: the other player goes on, the cue ball as it would have been accepted."""
    touch = an_event("touch", ball="8", by="sleeve", actor="B")
    for cue_state in ("position", "hand_kitchen"):
        ruling = incident(a_state(shooter="B", phase="three_foul_reply", cue_state=cue_state), touch)
        assert (ruling.turn, ruling.cue_next, ruling.cue_if_accept, ruling.next_phase) == ("A", cue_state, None, "normal")


def test_foul_by_the_offender_leaves_the_choice_open() -> None:
    """GR-3.41: the point is his, the choice stays where it was."""
    ruling = incident(a_state(shooter="B", phase="break_reply"), an_event("touch", ball="8", by="sleeve", actor="A"))

    assert (ruling.turn, ruling.options, ruling.points_delta, ruling.next_phase) == ("decide:B", REPLIES, Pair(-1, 0), "break_reply")


@pytest.mark.parametrize("rest_s", [2.0, 9.0])
def test_hanging_ball_that_was_counted_as_down_is_on_the_table_again(rest_s: float) -> None:
    """GR-3.31: spotted or put back, either way it is in play."""
    ruling = incident(a_state(), an_event("spontaneous_drop", ball="11", pocket="FL", rest_s=rest_s))

    assert set(ruling.balls_after) == {"cue", "3", "5", "8", "11"}


@pytest.mark.parametrize(("changes", "options_for"), [({}, None), ({"cue_state": "hand_kitchen"}, "A"), ({"phase": "break_reply"}, "A")])
def test_nothing_is_lost_while_nothing_happens(changes: dict[str, Any], options_for: str | None) -> None:
    """Counters of near-rail balls, counts and open choices stand."""
    state = a_state(near_rail={"A": {"3": 1}}, consecutive_fouls=Pair(1, 0), **changes)
    ruling = incident(state, an_event("official", fact="ball_moved", ball="3"))

    assert (ruling.near_rail_after, ruling.fouls_after, ruling.options_for) == ({"A": {"3": 1}}, Pair(1, 0), options_for)
    assert (ruling.balls_after, ruling.scores_after, ruling.foul) == (state.balls, state.scores, False)


@pytest.mark.parametrize(
    ("phase", "cue_state", "clauses"),
    [
        ("break_reply", "position", {"S141-6.4"}),
        ("break_reply", "hand_kitchen", {"S141-6.4"}),
        ("three_foul_reply", "position", {"S141-12.6"}),
        ("three_foul_reply", "hand_kitchen", {"S141-12.6", "S141-7.5c"}),
    ],
)
def test_choice_cites_what_opened_it(phase: str, cue_state: str, clauses: set[str]) -> None:
    """A third foul, a deliberate one (always with the kitchen), or a breaking violation."""
    ruling = decide(a_state(shooter="B", phase=phase, cue_state=cue_state), "ACCEPT_TABLE")

    assert set(ruling.clauses) == clauses
