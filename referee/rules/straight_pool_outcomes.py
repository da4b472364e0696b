"""14.1: what follows a stroke: points, spotting, the new rack, the end (S141-1, 5, 7.1 to 7.4, 8, 9, 13); plain module.

A stroke is first played out by itself (`counted` where it was legal, `void` where it was not); what a foul costs comes
on top (`referee.rules.straight_pool_penalties`), so that a foul after the balls came to rest leaves the stroke standing.
"""

from collections.abc import Mapping

from referee.rules import facts, general
from referee.rules.base import Case, State
from referee.rules.spotting import find_spots
from referee.rules.straight_pool_calls import BALLS, BREAKS, LAST_OF_RACK, REPLIES, REPLY_PHASES, is_called_made, is_safety
from referee.rules.straight_pool_near_rail import counters_after
from referee.rules.straight_pool_rack import TABLE, cue_column, fifteenth_row, rack_places
from referee.rules.straight_pool_reasons import foul_remarks, legal_reasons, missed, no_new_rack, remarks
from referee.ruling import Pair, Reason, Ruling, amended


def neutral(case: Case, reason: Reason) -> Ruling:
    """A ruling that changes nothing: same shooter, counts, scores and open choice."""
    state = case.state
    is_reply = state.phase in REPLY_PHASES
    kept = state.phase in (*BREAKS, *REPLY_PHASES, "after_rerack")
    return Ruling(
        turn=f"decide:{state.shooter}" if is_reply else state.shooter,
        options=REPLIES if is_reply else hand_options(state, state.cue_state, state.positions),
        options_for=state.shooter if is_reply or state.in_hand else None,
        fouls_after=state.consecutive_fouls,
        scores_after=state.scores,
        rerack="none",
        cue_next=None if is_reply else state.cue_state,
        cue_if_accept=state.cue_state if is_reply else None,
        next_phase=state.phase if kept else "normal",
        near_rail_after=state.near_rail or None,
        balls_after=state.balls,
        reasons=(reason,),
    )


def counted(case: Case) -> Ruling:
    """S141-1.2, 7.1, 7.4: a stroke without foul: points and the turn kept, or the turn passed and what fell spotted."""
    if is_called_made(case):
        return _scored(case)
    state = case.state
    clears = case.options.s141_legal_miss_clears or is_safety(case)
    fouls_after = state.consecutive_fouls.replaced(state.shooter, 0) if clears else state.consecutive_fouls
    ruling = Ruling(
        turn=state.opponent,
        fouls_after=fouls_after,
        scores_after=state.scores,
        rerack="none",
        cue_next="position",
        next_phase="normal",
        near_rail_after=counters_after(case, is_legal=True),
        reasons=(*remarks(case), *legal_reasons(case, fouls_after), missed(case)),
    )
    return with_spotted(case, ruling, ("S141-7.4", "S141-8") if is_safety(case) else ("S141-8",))


def void(case: Case, *, in_kitchen: bool) -> Ruling:
    """S141-13.3, 8, 9, GR-3.17: a stroke with a foul: nothing counts, all that fell or left the table is spotted.

    `in_kitchen`: the foul gives the cue ball in hand, wherever it lies.
    """
    state = case.state
    in_hand = in_kitchen or facts.is_cue_pocketed(case) or state.cue_ball in facts.off_table(case)
    ruling = Ruling(
        turn=state.opponent,
        fouls_after=state.consecutive_fouls,
        scores_after=state.scores,
        rerack="none",
        cue_next="hand_kitchen" if in_hand else "position",
        next_phase="normal",
        near_rail_after=counters_after(case, is_legal=False),
        reasons=foul_remarks(case),
    )
    return with_spotted(case, ruling, ("S141-13.3", "S141-8"))


def with_spotted(case: Case, ruling: Ruling, clauses: tuple[str, ...]) -> Ruling:
    """GR-3.32, A-S15: what fell without counting or left the table, spotted in ascending order."""
    state = case.state
    off = tuple(ball for ball in facts.off_table(case) if ball != state.cue_ball)
    gone = (*facts.pocketed_balls(case), *off, *general.late_drops(case))
    spotted = tuple(sorted(set(gone), key=int))
    ruling = amended(ruling, balls_after=tuple(dict.fromkeys((*state.balls, *spotted))))
    if not spotted:
        return ruling
    lying = _lying_after(case, spotted)
    if ruling.cue_next != "position":
        lying.pop(state.cue_ball, None)  # in hand: it will be lifted before the next stroke
    places = find_spots(state.table, spotted, lying, cue_ball=state.cue_ball)
    reason = Reason("s141_spotted", (*clauses, *(("S141-9",) if off else ()), "GR-3.32"), {"balls": ", ".join(spotted)})
    return amended(ruling, spotted=spotted, spotted_pos=places, reasons=(*ruling.reasons, reason, *no_new_rack(case, spotted)))


def hand_options(state: State, cue_next: str, lying: Mapping[str, tuple[float, float]]) -> tuple[str, ...]:
    """GR-3.10, S141-7.7: with the cue ball in hand he places it; with every object ball behind the head string he may
    have the nearest one spotted."""
    if cue_next != "hand_kitchen":
        return ()
    return ("BIH_KITCHEN", "SPOT_NEAREST") if is_all_behind(state, lying) else ("BIH_KITCHEN",)


def is_all_behind(state: State, lying: Mapping[str, tuple[float, float]]) -> bool:
    """S141-7.7: every object ball is known to lie behind the head string; on the string is not behind it (GR-3.16)."""
    return all(ball in lying and lying[ball][0] < facts.HEAD_STRING_U for ball in state.object_balls)


def _scored(case: Case) -> Ruling:
    """S141-1.2, 5, 7.1: a point for every ball of the stroke; the end at once, a new rack, or on with the same player."""
    state = case.state
    made = facts.pocketed_balls(case)
    scores = state.scores.replaced(state.shooter, state.scores[state.shooter] + len(made))
    fouls_after = state.consecutive_fouls.replaced(state.shooter, 0)
    made_reason = Reason("s141_made", ("S141-7.1", "S141-5", "S141-1.2", "GR-3.4"), {"balls": ", ".join(made), "player": state.shooter})
    ruling = Ruling(
        points_delta=Pair(0, 0).replaced(state.shooter, len(made)),
        turn=state.shooter,
        fouls_after=fouls_after,
        scores_after=scores,
        rerack="none",
        cue_next="position",
        next_phase="normal",
        near_rail_after=counters_after(case, is_legal=True),
        balls_after=tuple(ball for ball in state.balls if ball not in made),
        reasons=(*remarks(case), *legal_reasons(case, fouls_after), made_reason),
    )
    if scores[state.shooter] >= state.target:
        reason = Reason("s141_match_over", ("S141-1.5", "S141-13.1", "S141-13.2"), {"player": state.shooter, "points": str(state.target)})
        over = amended(ruling, turn="none", rack_over=True, match_over=True, winner=state.shooter, cue_next=None, next_phase=None)
        return amended(over, near_rail_after=None, reasons=(*ruling.reasons, reason))
    left = tuple(ball for ball in state.object_balls if ball not in made)
    return _racked_again(case, ruling, left) if len(left) <= LAST_OF_RACK else ruling


def _racked_again(case: Case, ruling: Ruling, left: tuple[str, ...]) -> Ruling:
    """S141-7.3a, 7.6, S141-T: fourteen or fifteen balls are racked, and the same player goes on."""
    lying, table = _lying_after(case, ()), case.state.table
    row = fifteenth_row(table, lying.get(left[0]) if left else None, is_down=not left)
    column = cue_column(table, lying.get(case.state.cue_ball))
    cell = TABLE[row, column]
    clauses = ("S141-7.3a", "S141-1.3", "S141-7.6", f"S141-T.{row}{column}", *(("GR-3.16",) if row in ("R3", "R4") else ()))
    reasons = (Reason("s141_rerack", clauses, {"balls": cell.rerack}), Reason("s141_any_ball", ("S141-7.3b",)))
    return amended(
        ruling,
        rerack=cell.rerack,
        fifteenth=cell.fifteenth,
        cue_next=cell.cue_next,
        next_phase="after_rerack",
        near_rail_after=None,
        balls_after=BALLS,
        reasons=(*ruling.reasons, *reasons),
    )


def _lying_after(case: Case, gone: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """(u, v) of what lies in the way of spotting: balls at rest, balls put back, and a new rack that nothing has touched."""
    state = case.state
    lying = {ball: place for ball, place in facts.rest_positions(case).items() if ball not in gone}
    back = {event.fields["ball"] for event in facts.of_type(case, "touch", "spontaneous_drop")} - set(gone) - {state.cue_ball}
    lying |= {ball: state.positions[ball] for ball in back if ball in state.positions and ball not in lying}
    if state.phase != "after_rerack":
        return lying
    moved = {event.fields[key] for event in case.events for key in ("a", "b", "ball") if key in event.fields}
    racked = [ball for ball in state.object_balls if ball not in moved and ball not in state.positions]
    places = rack_places(state.table, apex=state.apex_vacant is False)
    return lying | dict(zip((f"racked {ball}" for ball in racked), places, strict=True)) if len(racked) == len(places) else lying
