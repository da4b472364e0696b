"""14.1: what a foul costs and what it opens (S141-6.3 to 6.6, 7.2f, 7.5, 10 to 13); plain module.

One deduction a stroke (A-S16), the gravest: a deliberate foul 16, a breaking violation 2 and no entry in the count
(A-S4), any other foul 1; the third in a row 16, never added to another 16 (A-S7). Then the other player

    takes the cue ball where it lies           after most fouls (S141-11.2, A-S19)
    has it in hand behind the head string      after a scratch or with the cue ball off the table (S141-10)
    accepts the table or has all racked again  after a breaking violation, a third or a deliberate foul
    watches the offender break again           after a third foul by S141-7.2f, or by `s141.third_foul=forced_rerack`
"""

from dataclasses import replace

from referee.rules import facts
from referee.rules.base import Case
from referee.rules.straight_pool_calls import BALLS, BREAKS, REPLIES
from referee.rules.straight_pool_outcomes import hand_options
from referee.ruling import Foul, Pair, Reason, Ruling, other

POINTS_OFF = 1
"""S141-11.1."""
BREAK_POINTS_OFF = 2
"""S141-6.3."""
THIRD_POINTS_OFF = 16
"""S141-12.4: one and a further fifteen."""
THIRD = 3
"""Fouls in a row that bring the heavy penalty."""
NEAR_RAIL_CLAUSES = ("S141-7.2d", "S141-7.2e", "S141-7.2f")


def penalised(case: Case, played: Ruling, fouls: tuple[Foul, ...], *, offender: str) -> Ruling:
    """The ruling on the play with the penalty of `offender` on top; `played` carries points, spotting and place of the cue ball."""
    before = case.state.consecutive_fouls if played.fouls_after is None else played.fouls_after
    codes = tuple(foul.code for foul in fouls)
    reasons = [foul.to_reason() for foul in fouls]
    if len(fouls) > 1:
        reasons.append(Reason("one_foul", ("GR-3.30",), {}))
    is_deliberate = "DELIBERATE" in codes
    is_violation = "BREAK_VIOLATION" in codes and not is_deliberate
    count, why = before[offender], None
    if not is_violation:
        count, why = _count(case, before[offender], offender=offender, is_deliberate=is_deliberate)
    is_third = count >= THIRD
    off = _points_off(case, is_violation=is_violation, is_deliberate=is_deliberate, is_third=is_third)
    scores = case.state.scores if played.scores_after is None else played.scores_after
    ruling = replace(
        played,
        foul=True,
        foul_codes=(*played.foul_codes, *codes, *(("THREE_FOULS",) if is_third else ())),
        offender=played.offender or offender,
        points_delta=played.points_delta.replaced(offender, played.points_delta[offender] - off),
        scores_after=scores.replaced(offender, scores[offender] - off),
        fouls_after=before.replaced(offender, 0 if is_third else count),
    )
    reasons += [] if why is None else [why]
    reasons.append(_points_reason(offender, off, is_violation=is_violation, is_deliberate=is_deliberate, is_third=is_third, count=count))
    if scores[offender] < off:
        reasons.append(Reason("s141_below_zero", ("S141-13.1",), {"player": offender, "points": str(scores[offender] - off)}))
    ruling = replace(ruling, reasons=(*reasons, *played.reasons))
    if played.foul:
        return _warned(case, ruling)  # the shooter's own foul has settled who goes on
    if is_third and _is_near_rail(fouls):
        return _warned(case, _breaks_again(ruling, offender, ("S141-7.2f",)))
    if is_third and case.options.s141_third_foul == "forced_rerack":
        return _warned(case, _breaks_again(ruling, offender, ("S141-12.6",)))
    if is_violation or is_third or is_deliberate:
        phase = "break_reply" if is_violation else "three_foul_reply"
        return _warned(case, _choice(ruling, offender, phase=phase, in_kitchen=is_deliberate))
    return _warned(case, _goes_on(case, ruling, offender))


def _count(case: Case, before: int, *, offender: str, is_deliberate: bool) -> tuple[int, Reason | None]:
    """S141-12.1 to 12.4, A-S7, WPA-6.14: the fouls in a row with this one; an unwarned third counts as the second."""
    if is_deliberate and not case.options.s141_deliberate_counts:
        return before, None
    count = before + 1
    if count >= THIRD and not case.state.warned[offender]:
        return THIRD - 1, Reason("unwarned_third", ("S141-12.3", "WPA-6.14"), {"player": offender})
    return count, None


def _points_off(case: Case, *, is_violation: bool, is_deliberate: bool, is_third: bool) -> int:
    points = POINTS_OFF
    if is_violation:
        points = BREAK_POINTS_OFF
    elif is_deliberate:
        points = case.options.s141_deliberate_penalty
    return max(points, THIRD_POINTS_OFF) if is_third else points


def _points_reason(offender: str, off: int, *, is_violation: bool, is_deliberate: bool, is_third: bool, count: int) -> Reason:
    values = {"player": offender, "points": str(off), "count": str(count)}
    if is_violation:
        return Reason("s141_break_points", ("S141-6.3", "S141-6.5"), values)
    if is_third:
        deliberate = ("S141-7.5b",) if is_deliberate else ()
        return Reason("s141_third_points", (*deliberate, "S141-12.4", "S141-12.5"), values)
    if is_deliberate:
        return Reason("s141_deliberate_points", ("S141-7.5b",), values)
    return Reason("s141_points", ("S141-11.1", "S141-12.1", *(("S141-12.3",) if count == THIRD - 1 else ()), "S141-12.7"), values)


def _choice(ruling: Ruling, offender: str, *, phase: str, in_kitchen: bool) -> Ruling:
    """S141-6.4, 7.5c, 12.6: the other player accepts the table or has the offender break all fifteen again."""
    decider = other(offender)
    clauses: tuple[str, ...] = ("S141-7.5c",) if in_kitchen else ("S141-6.4",) if phase == "break_reply" else ("S141-12.6",)
    cue = "hand_kitchen" if in_kitchen or ruling.cue_next == "hand_kitchen" else ruling.cue_next
    clauses = (*clauses, "S141-10") if cue == "hand_kitchen" and not in_kitchen else clauses
    reason = Reason("s141_choice", clauses, {"player": decider, "other": offender})
    return replace(
        ruling,
        turn=f"decide:{decider}",
        options=REPLIES,
        options_for=decider,
        cue_next=None,
        cue_if_accept=cue or ruling.cue_if_accept,
        next_phase=phase,
        reasons=(*ruling.reasons, reason),
    )


def _breaks_again(ruling: Ruling, offender: str, clauses: tuple[str, ...]) -> Ruling:
    """S141-7.2f, A-S3: no choice; all fifteen are racked and the offender breaks."""
    reason = Reason("s141_must_break", clauses, {"player": offender})
    return replace(
        ruling,
        turn=offender,
        options=(),
        options_for=None,
        spotted=(),
        spotted_pos=None,
        rerack="15",
        fifteenth=None,
        cue_next="hand_kitchen",
        cue_if_accept=None,
        next_phase="rebreak",
        near_rail_after=None,
        balls_after=BALLS,
        reasons=(*ruling.reasons, reason),
    )


def _goes_on(case: Case, ruling: Ruling, offender: str) -> Ruling:
    """S141-11.2, 10, 6.6: the other player goes on, the cue ball where it lies or in hand behind the head string."""
    player = other(offender)
    if ruling.turn == f"decide:{player}":
        return ruling  # the choice that was open to him stays open
    if ruling.cue_next == "hand_kitchen":
        clauses = ("S141-6.6", "S141-10") if case.state.phase in BREAKS and facts.is_stroke(case) else ("S141-10",)
        reason = Reason("s141_kitchen", clauses, {"player": player})
    else:
        reason = Reason("s141_lies", ("S141-11.2",), {"player": player})
    lying = facts.rest_positions(case) | dict(ruling.spotted_pos or {})
    options = hand_options(case.state, ruling.cue_next or "position", lying)
    return replace(
        ruling,
        turn=player,
        options=options,
        options_for=player if options else None,
        cue_next=ruling.cue_next or ruling.cue_if_accept or "position",
        cue_if_accept=None,
        next_phase="normal" if ruling.next_phase in ("break_reply", "three_foul_reply") else ruling.next_phase,
        reasons=(*ruling.reasons, reason),
    )


def _warned(case: Case, ruling: Ruling) -> Ruling:
    """S141-12.3, WPA-6.14: who has just reached two fouls, or comes to the table on two untold, is told."""
    return replace(ruling, warn=players_to_warn(case, ruling))


def players_to_warn(case: Case, ruling: Ruling) -> tuple[str, ...] | None:
    """The players who must be told that they are on two fouls."""
    state, on_two = case.state, THIRD - 1
    counts: Pair[int] = state.consecutive_fouls if ruling.fouls_after is None else ruling.fouls_after
    new = {p for p in ("A", "B") if counts[p] == on_two and state.consecutive_fouls[p] < on_two}
    untold = {p for p in ("A", "B") if counts[p] == on_two and not state.warned[p] and p in (state.shooter, ruling.decider)}
    return tuple(sorted(new | untold)) or None


def _is_near_rail(fouls: tuple[Foul, ...]) -> bool:
    return any(clause in NEAR_RAIL_CLAUSES for foul in fouls for clause in foul.clauses)
