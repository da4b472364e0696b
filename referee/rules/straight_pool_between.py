"""14.1 between strokes: choices, requests, incidents, placing (S141-6.4, 7.5c, 7.7, 12.6, GR-3.10, 3.31, 3.35); plain module."""

from dataclasses import replace

from calibration.errors import InputError
from referee.rules import facts, general
from referee.rules.base import Case
from referee.rules.spotting import FOOT_SPOT
from referee.rules.straight_pool_calls import BALLS, REPLIES, REPLY_PHASES, is_called_made
from referee.rules.straight_pool_outcomes import counted, hand_options, is_all_behind, neutral, with_spotted
from referee.rules.straight_pool_penalties import penalised, players_to_warn
from referee.rules.straight_pool_touches import deliberate, deliberate_by, touch, with_restored
from referee.ruling import Foul, Reason, Ruling
from tracker.shot import ShotEvent

EQUAL_M = 0.0001
"""Distances from the head string that differ by less are equal (S141-7.7): files round places to 0.25 mm at 9 ft, and a
coarser step would call a ball equal that a person sees lie nearer."""


def judge_between(case: Case) -> Ruling:
    """The ruling where no stroke was made, or one that is undone."""
    if general.is_interfered_from_outside(case):
        return _from_outside(case)
    if "stalemate" in facts.official_facts(case):
        return _abandoned(case, Reason("s141_stalemate", ("GR-3.35",), {}))
    ruling = with_restored(case, _with_fouls(case, _undisturbed(case)))
    return replace(ruling, warn=players_to_warn(case, ruling))


def _undisturbed(case: Case) -> Ruling:
    """The decision, late drop or placement, fouls left aside."""
    decision = next(facts.of_type(case, "decision"), None)
    if decision is not None:
        return _decided(case, decision)
    if general.late_drops(case):
        return _fell_late(case)
    ruling = neutral(case, Reason("play_on", ("GR-3.31",) if any(facts.of_type(case, "spontaneous_drop")) else ("GR-3.37",)))
    if general.placement_fault(case) is None:
        return ruling
    return replace(ruling, placement_rejected=True, reasons=(Reason("placed_wrong", ("GR-3.10", "GR-3.16")),))


def _with_fouls(case: Case, ruling: Ruling) -> Ruling:
    """GR-3.21, 3.22, S141-7.5a: a foul between strokes ends the inning; by the other player it is his (GR-3.41)."""
    checks = (deliberate, general.touched_while_placing, touch, general.touch_after)
    found = tuple(foul for check in checks if (foul := check(case)) is not None) + general.stated(case)
    if found:
        return penalised(case, ruling, found, offender=case.state.shooter)
    intruder: Foul | None = deliberate_by(case, case.state.opponent) or general.interference(case)
    return ruling if intruder is None else penalised(case, ruling, (intruder,), offender=case.state.opponent)


def _decided(case: Case, decision: ShotEvent) -> Ruling:
    """A choice or request; one that is not open is refused and changes nothing."""
    state, option, by = case.state, decision.fields["option"], decision.fields["by"]
    if by not in ("A", "B"):
        raise InputError(f"events.by: must be A or B, found {by!r}")
    if option == "RESTORE_BALL" and not state.referee:
        reason = Reason("restored", ("GR-1.16",), {"player": by})
        return replace(neutral(case, reason), restored=general.balls_to_restore(case))
    if by == state.shooter and state.phase in REPLY_PHASES and option in REPLIES:
        return _accepted(case) if option == "ACCEPT_TABLE" else _reracked(case)
    if by == state.shooter and state.phase not in REPLY_PHASES and state.cue_state == "hand_kitchen":
        if option == "BIH_KITCHEN":
            return neutral(case, Reason("s141_kitchen", ("GR-3.10",), {"player": by}))
        if option.startswith(("SPOT_NEAREST", "CHOOSE_SPOT_BALL")) and (spotted := _spot_nearest(case, option)) is not None:
            return spotted
    clauses = ("S141-7.7", "GR-3.16") if "SPOT" in option else ("S141-6.4", "S141-12.6")
    return replace(_asked_again(case), declaration_rejected=True, reasons=(Reason("refused", clauses, {"player": by, "option": option}),))


def _accepted(case: Case) -> Ruling:
    """S141-6.4, 7.5c, 12.6: he plays the table as it lies, or with the cue ball in hand behind the head string."""
    state = case.state
    options = hand_options(state, state.cue_state, state.positions)
    reason = Reason("ACCEPT_TABLE", _reply_clauses(case), {"player": state.shooter})
    ruling = replace(neutral(case, reason), turn=state.shooter, cue_next=state.cue_state, cue_if_accept=None, next_phase="normal")
    return replace(ruling, options=options, options_for=state.shooter if options else None)


def _reracked(case: Case) -> Ruling:
    """S141-6.4, 7.5c, 12.6: all fifteen racked, and the offender breaks under the rules of the opening break (S141-6)."""
    values = {"player": case.state.shooter, "other": case.state.opponent}
    ruling = neutral(case, Reason("RERACK_OFFENDER_BREAKS", (*_reply_clauses(case), "S141-6.1"), values))
    return replace(
        ruling,
        turn=case.state.opponent,
        options=(),
        options_for=None,
        rerack="15",
        cue_next="hand_kitchen",
        cue_if_accept=None,
        next_phase="rebreak",
        near_rail_after=None,
        balls_after=BALLS,
    )


def _reply_clauses(case: Case) -> tuple[str, ...]:
    if case.state.phase == "break_reply":
        return ("S141-6.4",)
    return ("S141-12.6", "S141-7.5c") if case.state.cue_state == "hand_kitchen" else ("S141-12.6",)


def _spot_nearest(case: Case, option: str) -> Ruling | None:
    """S141-7.7: the ball nearest the head string goes on the foot spot; of equals the player chooses. None where refused.

    The spot is free: every object ball lies behind the head string, and the cue ball is in hand.
    """
    nearest = _nearest(case)
    chosen = option.partition(":")[2] if option.startswith("CHOOSE_SPOT_BALL") else (nearest[0] if len(nearest) == 1 else None)
    player = case.state.shooter
    if not nearest or (chosen is not None and chosen not in nearest):
        return None
    if chosen is None:
        options = tuple(f"CHOOSE_SPOT_BALL:{ball}" for ball in nearest)
        reason = Reason("s141_equal", ("S141-7.7",), {"player": player, "balls": ", ".join(nearest)})
        return replace(neutral(case, reason), turn=f"decide:{player}", options=options, options_for=player)
    reason = Reason("s141_spot_nearest", ("S141-7.7", "GR-3.32"), {"player": player, "ball": chosen})
    return replace(neutral(case, reason), spotted=(chosen,), spotted_pos={chosen: FOOT_SPOT}, options=("BIH_KITCHEN",), options_for=player)


def _nearest(case: Case) -> tuple[str, ...]:
    """The object balls nearest the head string, ascending; none where they do not all lie behind it."""
    state = case.state
    if not is_all_behind(state, state.positions):
        return ()
    best = max(state.positions[ball][0] for ball in state.object_balls)
    near = [ball for ball in state.object_balls if (best - state.positions[ball][0]) * state.table.length_m < EQUAL_M]
    return tuple(sorted(near, key=int))


def _asked_again(case: Case) -> Ruling:
    """Nothing has changed: the same player, and what was open to him still is."""
    return neutral(case, Reason("play_on", ("GR-3.37",)))


def _fell_late(case: Case) -> Ruling:
    """GR-3.31 the other way round: a ball that hung too short to be put back fell with the stroke before; where that
    stroke called it the player scores it, else it is spotted (S141-8)."""
    drops = {event.fields["ball"]: event.fields["pocket"] for event in facts.of_type(case, "spontaneous_drop")}
    events = tuple(ShotEvent(t=0.0, type="pocketed", fields={"ball": ball, "pocket": drops[ball]}) for ball in general.late_drops(case))
    on_table = tuple(dict.fromkeys((*case.state.balls, *general.late_drops(case))))
    fallen = replace(case, events=events, state=replace(case.state, balls=on_table))
    if is_called_made(fallen):
        return counted(fallen)
    ruling = neutral(case, Reason("s141_fell_late", ("GR-3.31",), {"balls": ", ".join(general.late_drops(case))}))
    return with_spotted(fallen, ruling, ("S141-8",))


def _from_outside(case: Case) -> Ruling:
    """GR-3.35: put back without a penalty, or the rack is abandoned and the players lag for a new opening break."""
    if not general.is_restorable(case):
        return _abandoned(case, Reason("s141_rack_lost", ("GR-3.35",)))
    touched = tuple(dict.fromkeys(event.fields["ball"] for event in facts.of_type(case, "touch")))
    restored = ("*",) if facts.is_stroke(case) or not touched else touched
    ruling = replace(neutral(case, Reason("outside", ("GR-3.35",))), restored=restored)
    return replace(ruling, replay=True, next_phase=case.state.phase) if facts.is_stroke(case) else ruling


def _abandoned(case: Case, reason: Reason) -> Ruling:
    """GR-3.35: fifteen balls racked, a lag for the break, the score kept; counts are not reset by a new rack (section 3.3)."""
    return replace(
        neutral(case, reason),
        turn="lag",
        options=(),
        options_for=None,
        rerack="15",
        cue_next="hand_kitchen",
        cue_if_accept=None,
        next_phase="break",
        near_rail_after=None,
        score_kept=True,
        balls_after=BALLS,
    )
