"""What follows a nine-ball stroke: turn, spotting, foul counts, the next rack (N9-3, 5, 6, 7, 11, 13); plain module."""

from collections.abc import Mapping

from calibration.errors import InputError
from referee.rules import facts, general
from referee.rules.base import Case
from referee.rules.nine_ball_reasons import legal_reasons, played_reasons, warning_reasons
from referee.rules.spotting import find_spot
from referee.ruling import Foul, Pair, Reason, Ruling, amended, other

FOULS_TO_LOSE = 3
"""Fouls in a row that lose the rack (N9-13.1)."""


def neutral(case: Case, key: str, clauses: tuple[str, ...], values: Mapping[str, str] | None = None) -> Ruling:
    """A ruling that changes nothing: same shooter, counts and scores."""
    state = case.state
    return Ruling(
        turn=state.shooter,
        fouls_after=state.consecutive_fouls,
        scores_after=state.scores,
        push_out_available=state.phase == "after_break",
        cue_next=state.cue_state,
        next_phase="after_break" if state.phase == "after_break" else "normal",
        balls_after=state.balls,
        reasons=(Reason(key, clauses, values or {}),),
    )


def after_foul(case: Case, fouls: tuple[Foul, ...], *, offender: str) -> Ruling:
    """N9-7, N9-13: the opponent has the cue ball in hand, or has won the rack on the third foul."""
    state = case.state
    count, warned = state.consecutive_fouls[offender] + 1, state.warned[offender]
    reasons = [foul.to_reason() for foul in fouls]
    if len(fouls) > 1:
        reasons.append(Reason("one_foul", ("N9-7.3", "GR-3.30"), {}))
    codes = tuple(foul.code for foul in fouls)
    if count >= FOULS_TO_LOSE and (warned or case.options.nine_unwarned_third == "loses_rack"):
        reasons.append(Reason("three_fouls", ("N9-13.1", "N9-13.2", "N9-13.3"), {"player": offender}))
        over = _rack_over(case, winner=other(offender), reasons=tuple(reasons))
        return amended(over, foul=True, foul_codes=(*codes, "THREE_FOULS"), offender=offender)
    if count >= FOULS_TO_LOSE:
        count = FOULS_TO_LOSE - 1
        reasons.append(Reason("unwarned_third", ("N9-13.3", "WPA-6.14"), {"player": offender}))
    fouls_after = state.consecutive_fouls.replaced(offender, count)
    clauses = ("N9-7.2", "N9-6.6") if state.phase == "break" else ("N9-7.2",)
    if state.phase == "after_break" and state.call is not None:
        clauses = ("N9-6.5", *clauses)
    reasons.append(Reason("ball_in_hand", clauses, {"player": other(offender)}))
    if not facts.is_stroke(case):
        reasons.insert(-1, Reason("inning_over", ("N9-13.4",), {"player": offender}))
    warn = _to_warn(case, fouls_after, next_player=other(offender))
    ruling = Ruling(
        foul=True,
        foul_codes=codes,
        turn=other(offender),
        options=("BIH_ANYWHERE",),
        options_for=other(offender),
        cue_next="hand_anywhere",
        offender=offender,
        fouls_after=fouls_after,
        scores_after=state.scores,
        push_out_available=False,
        next_phase="normal",
        warn=warn,
        reasons=(*reasons, *warning_reasons(warn)),
    )
    return _with_balls(case, ruling, spot_nine=True)


def stroke_played(case: Case) -> Ruling:
    """N9-1.3, N9-1.5, N9-5.2: a foul-free stroke that does not end the rack; a break opens the push-out."""
    state = case.state
    made = facts.pocketed_balls(case)
    turn = state.shooter if made else state.opponent
    is_break = state.phase == "break"
    fouls_after = state.consecutive_fouls.replaced(state.shooter, 0)
    ruling = Ruling(
        turn=turn,
        options=("DECLARE_PUSH_OUT",) if is_break else (),
        options_for=turn if is_break else None,
        cue_next="position",
        fouls_after=fouls_after,
        scores_after=state.scores,
        push_out_available=is_break,
        next_phase="after_break" if is_break else "normal",
        warn=_to_warn(case, fouls_after, next_player=turn),
        reasons=played_reasons(case, made, turn),
    )
    return _with_balls(case, ruling, spot_nine=True)


def push_out_played(case: Case) -> Ruling:
    """N9-6.3, N9-6.4: balls stay down, the 9 is spotted, and the opponent chooses."""
    state = case.state
    fouls_after = state.consecutive_fouls.replaced(state.shooter, 0)
    ruling = Ruling(
        turn=f"decide:{state.opponent}",
        options=("PLAY_POSITION", "RETURN_SHOT"),
        options_for=state.opponent,
        cue_next="position",
        fouls_after=fouls_after,
        scores_after=state.scores,
        push_out_available=False,
        next_phase="push_out_reply",
        reasons=(Reason("push_out", ("N9-6.1", "N9-6.2", "N9-6.3", "N9-6.4"), {"player": state.opponent}),),
    )
    return _with_balls(case, ruling, spot_nine=True)


def illegal_break(case: Case) -> Ruling:
    """WPA-REG16: no foul; the opponent accepts without a push-out or hands back with one; a 9 made is spotted."""
    state = case.state
    ruling = Ruling(
        turn=f"decide:{state.opponent}",
        options=("ACCEPT_TABLE_NO_PUSH_OUT", "RETURN_SHOT_PUSH_OUT_ALLOWED"),
        options_for=state.opponent,
        cue_next="position",
        fouls_after=state.consecutive_fouls.replaced(state.shooter, 0),
        scores_after=state.scores,
        push_out_available=False,
        next_phase="break_reply",
        reasons=(Reason("three_point_break", ("WPA-REG16",), {"player": state.opponent}),),
    )
    return _with_balls(case, ruling, spot_nine=True)


def rack_won(case: Case) -> Ruling:
    """N9-5.3, N9-14.3: the 9 falls on a legal shot."""
    clauses = ("N9-4.1", "N9-5.3", "N9-14.3") if case.state.phase == "break" else ("N9-1.2", "N9-5.3", "N9-14.3")
    reasons = (*legal_reasons(case), Reason("rack_won", clauses, {"player": case.state.shooter}))
    ruling = _rack_over(case, winner=case.state.shooter, reasons=reasons)
    return amended(ruling, stays_down=_gone(case))


def with_restored(case: Case, ruling: Ruling) -> Ruling:
    """GR-3.21, GR-3.31, GR-1.16: what is put back after the stroke or incident, or may be."""
    if ruling.rack_over:
        return ruling
    dropped = tuple(event.fields["ball"] for event in general.spontaneous_drops(case))
    back = dropped + (general.touched_object_balls(case) if case.state.referee or "PLACEMENT" in ruling.foul_codes else ())
    back = tuple(ball for ball in dict.fromkeys(back) if ball not in facts.pocketed_balls(case) or ball in dropped)
    if back:
        clauses = ("GR-3.31",) if dropped else ("GR-3.21",)
        reason = Reason("put_back", clauses, {"balls": ", ".join(back)})
        ruling = amended(ruling, restored=(*(ruling.restored or ()), *back), reasons=(*ruling.reasons, reason))
    forgiven = () if "JUMP_MASSE" in ruling.foul_codes else general.forgiven_touches(case)
    player = other(general.forgiven_actor(case))
    if forgiven and not (ruling.foul and ruling.options_for == other(player)):
        reason = Reason("may_restore", ("N9-12", "GR-1.16"), {"balls": ", ".join(forgiven), "player": player})
        ruling = amended(ruling, options=(*ruling.options, "RESTORE_BALL"), options_for=player, reasons=(*ruling.reasons, reason))
    return ruling


def find_next_breaker(case: Case, *, winner: str, scores: Pair[int]) -> str:
    """N9-3, GR-3.36: the winner, or who the organiser says; level racks under `trailing` leave it with the winner."""
    order = case.options.nine_break_order
    if order == "alternate":
        last = case.state.shooter if case.state.phase == "break" else case.state.last_breaker
        if last is None:
            raise InputError("before.last_breaker: missing, and nine.break_order=alternate needs it")
        return other(last)
    if order == "loser":
        return other(winner)
    if order == "trailing" and scores["A"] != scores["B"]:
        return "A" if scores["A"] < scores["B"] else "B"
    return winner


def _rack_over(case: Case, *, winner: str, reasons: tuple[Reason, ...]) -> Ruling:
    """One rack to the winner, clean counts, and who breaks next or that the match is over (N9-1.5, N9-13.2)."""
    scores = case.state.scores.replaced(winner, case.state.scores[winner] + 1)
    is_match_over = scores[winner] >= case.state.target
    breaker = None if is_match_over else find_next_breaker(case, winner=winner, scores=scores)
    last = [Reason("match_over", ("N9-1.5",), {"player": winner})]
    if breaker is not None:
        last = [Reason("next_breaker", ("N9-3",), {"player": breaker})]
    if case.state.consecutive_fouls != Pair(0, 0):
        last.append(Reason("counts_restart", ("N9-13.2",)))
    return Ruling(
        turn="none" if breaker is None else breaker,
        points_delta=Pair(0, 0).replaced(winner, 1),
        rack_over=True,
        match_over=is_match_over,
        winner=winner,
        next_breaker=breaker,
        fouls_after=Pair(0, 0),
        scores_after=scores,
        next_phase=None if is_match_over else "break",
        reasons=(*reasons, *last),
    )


def _to_warn(case: Case, fouls_after: Pair[int], *, next_player: str) -> tuple[str, ...] | None:
    """N9-13.3, WPA-6.14: whoever has just reached two fouls, or comes to the table on two without having been told."""
    on_two = FOULS_TO_LOSE - 1
    new = {p for p in ("A", "B") if fouls_after[p] == on_two and case.state.consecutive_fouls[p] < on_two}
    untold = {
        p for p in ("A", "B") if fouls_after[p] == on_two and not case.state.warned[p] and (p == next_player or p == case.state.shooter)
    }
    return tuple(sorted(new | untold)) or None


def _gone(case: Case) -> tuple[str, ...]:
    """Object balls that fell or left the table on the stroke."""
    gone = (*facts.pocketed_balls(case), *facts.off_table(case), *general.late_drops(case))
    return tuple(dict.fromkeys(ball for ball in gone if ball != case.state.cue_ball))


def _with_balls(case: Case, ruling: Ruling, *, spot_nine: bool) -> Ruling:
    """N9-7.1, N9-11.2, N9-6.3: what fell stays down; of all balls only the 9 is spotted (GR-3.32)."""
    gone = _gone(case)
    spotted = ("9",) if spot_nine and "9" in gone else ()
    down = tuple(ball for ball in gone if ball not in spotted)
    ruling = amended(ruling, stays_down=down, spotted=spotted, balls_after=tuple(ball for ball in case.state.balls if ball not in down))
    if down:
        ruling = amended(ruling, reasons=(*ruling.reasons, Reason("stay_down", _down_clauses(case, ruling), {"balls": ", ".join(down)})))
    if not spotted:
        return ruling
    lying = {ball: place for ball, place in facts.rest_positions(case).items() if ball in ruling.balls_after and ball != "9"}
    if ruling.cue_next != "position":
        lying.pop(case.state.cue_ball, None)  # in hand: it will be lifted before the next stroke
    place = find_spot(case.state.table, lying, cue_ball=case.state.cue_ball)
    reason = Reason("nine_spotted", (*_down_clauses(case, ruling), "GR-3.32"), {})
    return amended(ruling, spotted_pos={"9": place}, reasons=(*ruling.reasons, reason))


def _down_clauses(case: Case, ruling: Ruling) -> tuple[str, ...]:
    jumped = ("N9-11.2",) if facts.off_table(case) else ()
    if ruling.foul:
        return ("N9-7.1", *jumped)
    return ("N9-6.3",) if ruling.next_phase == "push_out_reply" else ("N9-1.3",)
