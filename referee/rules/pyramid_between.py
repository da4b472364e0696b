"""Pyramid between strokes: choices, placing, incidents (PYR-21.2b, 23, 26, 27, 28, 30, COMB-5.2, COMB-H); plain module."""

from dataclasses import replace

from calibration.errors import InputError
from referee.rules import facts, general
from referee.rules.base import Case, State
from referee.rules.pyramid_checks import BETWEEN_CHECKS, interference, stated
from referee.rules.pyramid_hand import ZONE_OPTIONS, current_zone, placement_fault
from referee.rules.pyramid_outcomes import break_options, counted, neutral, next_cue, penalised, reracked, with_end
from referee.rules.pyramid_spotting import with_put_back
from referee.rules.pyramid_variants import BALLS, COLOURED, Variant, exchange_owner, sorted_balls
from referee.ruling import Foul, Reason, Ruling, other
from tracker.shot import ShotEvent

PENALTY_REPLIES = ("after_penalty", "penalty_hand", "rebreak")
"""Phases in which a penalty ball can still be taken; `rebreak` is an initial stroke that a penalty goes before."""
REFUSED_BY = {
    **dict.fromkeys(("ACCEPT_TABLE", "RERACK_SELF_BREAKS", "RERACK_OFFENDER_BREAKS"), ("PYR-12",)),
    "CHOOSE_REMOVED_BALL": ("COMB-5.2", "COMB-5.2n"),
}
"""The clause under which a choice is open or not, where it is not that of penalties."""


def judge_between(case: Case, variant: Variant) -> Ruling:
    """The ruling where no stroke was made, or one that is undone by an outsider."""
    if general.is_interfered_from_outside(case):
        return from_outside(case, variant)
    if any(facts.of_type(case, "pocketed")):
        return _fell_late(case, variant)
    return with_put_back(case, _with_fouls(case, variant, _undisturbed(case, variant)))


def after_decisions(case: Case, variant: Variant) -> tuple[Case, tuple[Reason, ...]]:
    """The case with what was decided before the tip contact worked into its state (a ball taken, a table accepted), and
    what was refused."""
    refused: list[Reason] = []
    for event in facts.before_tip(case):
        if event.type == "decision" and event.fields["option"] != "EXTENSION":
            ruling = decide(case, variant, event)
            refused += ruling.reasons if ruling.declaration_rejected else ()
            case = replace(case, state=_state_after(case.state, ruling, event))
    return case, tuple(refused)


def decide(case: Case, variant: Variant, event: ShotEvent) -> Ruling:
    """A choice; one that was not open is refused and changes nothing."""
    state = case.state
    option, _, ball = str(event.fields["option"]).partition(":")
    by = event.fields["by"]
    if by not in ("A", "B"):
        raise InputError(f"events.by: must be A or B, found {by!r}")
    choices = {
        "CHOOSE_PENALTY_BALL": _take_penalty_ball,
        "CHOOSE_REMOVED_BALL": _take_exchange_ball,
        "PLAY_POSITION": _play_position,
        "PASS_BACK": _pass_back,
        "ACCEPT_TABLE": _accept_table,
        "RERACK_SELF_BREAKS": _rerack,
        "RERACK_OFFENDER_BREAKS": _rerack,
        **dict.fromkeys(ZONE_OPTIONS.values(), _from_hand),
    }
    chooser = exchange_owner(state) if option == "CHOOSE_REMOVED_BALL" else state.shooter
    made = choices[option](case, variant, option, ball or None) if by == chooser and option in choices else None
    if made is not None:
        return made
    clauses = REFUSED_BY.get(option, ("PYR-30",))
    refused = Reason("refused", clauses, {"player": by, "option": option})
    return replace(neutral(case, variant, refused), declaration_rejected=True)


def from_outside(case: Case, variant: Variant) -> Ruling:
    """PYR-27.1: put back without a penalty. PYR-27.2, 27.3: where that is impossible the balls are racked and lagged for."""
    if not general.is_restorable(case):
        return _position_lost(case, variant)
    touched = _moved_from_outside(case)
    is_stroke = facts.is_stroke(case)
    ruling = neutral(case, variant, Reason("outside", ("PYR-27.1",)))
    ruling = replace(ruling, restored=("*",) if is_stroke or not touched else touched)
    return replace(ruling, replay=True, next_phase=case.state.phase) if is_stroke else ruling


def after_outsider(later: Case, variant: Variant, ruling: Ruling) -> Ruling:
    """PYR-27: what happens from outside once the balls lie still leaves the stroke standing, with its points (27.3).

    Args:
        later: What happened after the stop.
        variant: The game.
        ruling: The stroke's.
    """
    if ruling.rack_over or not general.is_interfered_from_outside(later):
        return ruling
    if general.is_restorable(later):
        restored = tuple(dict.fromkeys((*(ruling.restored or ()), *_moved_from_outside(later)))) or ("*",)
        return replace(ruling, restored=restored, reasons=(*ruling.reasons, Reason("outside", ("PYR-27.1",))))
    balls = ruling.balls_after or later.state.balls
    lost = _position_lost(replace(later, state=replace(later.state, balls=balls)), variant)
    kept = {name: getattr(ruling, name) for name in ("foul", "foul_codes", "offender", "points_delta", "scores_after")}
    return replace(lost, **kept, removal_forfeited=ruling.removal_forfeited, reasons=(*ruling.reasons, *lost.reasons))


def _moved_from_outside(case: Case) -> tuple[str, ...]:
    """The balls that were touched, or that an official names."""
    moved = (*facts.of_type(case, "touch"), *facts.of_type(case, "official"))
    return tuple(dict.fromkeys(event.fields["ball"] for event in moved if "ball" in event.fields))


def _position_lost(case: Case, variant: Variant) -> Ruling:
    state = case.state
    whites = tuple(ball for ball in sorted_balls(state.balls) if ball != COLOURED)
    is_back = COLOURED not in state.balls
    kept = whites[:-1] if is_back else whites
    full = len(kept) == len(BALLS) - 1
    clauses = ("PYR-27.2", "PYR-27.3", "PYR-8", "PYR-10", "PYR-12")
    return replace(
        neutral(case, variant, Reason("pyr_position_lost", clauses)),
        turn="lag",
        options=(),
        options_for=None,
        cue_next="hand_house",
        cue_if_accept=None,
        rerack="15" if full else "incomplete",
        coloured_returned_for_white=is_back,
        score_kept=True,
        next_phase="break",
        balls_after=(COLOURED, *kept),
    )


def _undisturbed(case: Case, variant: Variant) -> Ruling:
    """The decisions, request or placement, violations left aside."""
    ruling = neutral(case, variant, _quiet_reason(case, variant))
    for event in facts.of_type(case, "decision"):
        if event.fields["option"] != "EXTENSION":
            ruling = decide(case, variant, event)
            case = replace(case, state=_state_after(case.state, ruling, event))
    if case.state.in_hand and placement_fault(case, current_zone(case, variant)) is not None:
        zone = ("PYR-21.2b",) if current_zone(case, variant) == "hand_temp_house" else ()
        reason = Reason("placed_wrong", ("COMB-H1", "COMB-H3", "PYR-2.2", "PYR-11", *zone))
        ruling = replace(neutral(case, variant, reason), placement_rejected=True)
    return ruling


def _quiet_reason(case: Case, variant: Variant) -> Reason:
    if case.state.in_hand and current_zone(case, variant) == "hand_temp_house":
        return Reason("pyr_temp_house", ("PYR-21.2b", "PYR-13"), {"player": case.state.shooter})
    if any(facts.of_type(case, "spontaneous_drop")):
        return Reason("play_on", ("PYR-23.1",))
    if case.state.in_hand and (any(facts.of_type(case, "placement")) or "placement_zone_request" in facts.official_facts(case)):
        clauses = variant.cites["own_ball" if case.state.phase.startswith("premium") else "hand"]
        zone = ("PYR-21.2b",) if current_zone(case, variant) == "hand_house" else ()
        return Reason("pyr_placing", (*clauses, *zone), {"player": case.state.shooter})
    if any(event.fields["event"] == "warning_10s" for event in facts.of_type(case, "clock")):
        return Reason("play_on", ("PYR-26.3",))
    return Reason("play_on", ("PYR-14",))


def _with_fouls(case: Case, variant: Variant, ruling: Ruling) -> Ruling:
    """PYR-6, 26.4, COMB-H2: a violation between strokes is a penalty on whose it was (PYR-28)."""
    found: tuple[Foul, ...] = tuple(foul for check in BETWEEN_CHECKS if (foul := check(case, variant)) is not None) + stated(case)
    offender = case.state.shooter
    if not found:
        intruder = interference(case, variant)
        found, offender = ((intruder,), case.state.opponent) if intruder is not None else ((), offender)
    if not found:
        return ruling
    zone = find_after_foul(case, variant, offender)
    booked = ("CHOOSE_REMOVED_BALL",) if case.state.removal_pending else ()
    told = tuple(reason for reason in ruling.reasons if reason.key != "play_on")
    base = replace(ruling, reasons=told, options=booked, options_for=None, cue_next=zone, cue_if_accept=None, placement_rejected=None)
    ruling = penalised(case, variant, base, found, offender=offender)
    if offender == case.state.opponent and case.state.in_hand and not ruling.rack_over:
        kept = {"premium_placement": "premium", "break": "rebreak"}.get(case.state.phase, case.state.phase)
        ruling = replace(ruling, next_phase=kept)
    return ruling


def find_after_foul(case: Case, variant: Variant, offender: str) -> str:
    """`cue_next` after a violation between strokes: the cue ball lies, or stays in hand for whoever plays next."""
    if not case.state.in_hand:
        return next_cue(variant)
    if offender == case.state.opponent or case.state.phase in ("break", "rebreak"):
        return current_zone(case, variant)
    held = replace(case.state, phase="penalty_hand", cue_state="in_hand")
    return current_zone(replace(case, state=held), variant)


def _fell_late(case: Case, variant: Variant) -> Ruling:
    """PYR-23.3, A-P10: a ball that hesitated on the lip for less than the waiting time fell with the stroke before."""
    balls = ", ".join(dict.fromkeys(ball for ball, _ in facts.pocketed(case)))
    reason = Reason("pyr_fell_late", ("PYR-23.3",), {"balls": balls, "player": case.state.shooter})
    state = replace(case.state, removal_pending=None, phase="normal")
    ruling = counted(replace(case, state=state), variant)
    return replace(ruling, reasons=(reason, *ruling.reasons))


def _take_penalty_ball(case: Case, variant: Variant, option: str, ball: str | None) -> Ruling | None:
    """FREE-7, COMB-7, PYR-30: any ball from the table to his shelf (its point is booked already)."""
    state = case.state
    if not variant.takes_penalty_ball or state.phase not in PENALTY_REPLIES or not _is_takeable(state, variant, ball):
        return None
    if state.phase == "rebreak" and len(state.balls) + state.scores.a + state.scores.b <= len(BALLS):
        return None  # nothing is owed
    values = {"player": state.shooter, "ball": ball or "-"}
    return _taken(case, variant, Reason(option, (*variant.cites["penalty"], "PYR-30"), values), ball)


def _take_exchange_ball(case: Case, variant: Variant, option: str, ball: str | None) -> Ruling | None:
    """COMB-5.2, DYN-5.2: an object ball in exchange for the cue ball (its point is booked already)."""
    state = case.state
    if variant.own_ball != "exchanged" or not state.removal_pending or not _is_takeable(state, variant, ball):
        return None
    values = {"player": state.shooter, "ball": ball or "-"}
    after = replace(case, state=replace(state, removal_pending=None))
    return _taken(after, variant, Reason(option, variant.cites["own_ball"], values), ball)


def _taken(case: Case, variant: Variant, reason: Reason, ball: str | None) -> Ruling:
    left = tuple(other_ball for other_ball in case.state.balls if other_ball != ball)
    ruling = neutral(replace(case, state=replace(case.state, balls=left)), variant, reason)
    return with_end(variant, ruling, case.state.target, own_choice=None)


def _is_takeable(state: State, variant: Variant, ball: str | None) -> bool:
    """A ball on the table, not the coloured cue ball; which one may be left unsaid."""
    return ball is None or (ball in state.balls and ball != variant.cue_ball)


def _play_position(case: Case, variant: Variant, option: str, ball: str | None) -> Ruling | None:
    """PYR-30: he plays from the position."""
    if case.state.phase != "after_penalty" or case.state.in_hand:
        return None
    reason = Reason(option, ("PYR-30",), {"player": case.state.shooter})
    return _turned(case, variant, reason, case.state.shooter)


def _pass_back(case: Case, variant: Variant, option: str, ball: str | None) -> Ruling | None:
    """PYR-30, A-P6: he lets the offender go on from the position; not where the next stroke is from the hand."""
    if not case.options.pyr_pass_back or case.state.phase != "after_penalty" or case.state.in_hand:
        return None
    values = {"player": case.state.shooter, "other": case.state.opponent}
    return _turned(case, variant, Reason(option, ("PYR-30",), values), case.state.opponent)


def _turned(case: Case, variant: Variant, reason: Reason, player: str) -> Ruling:
    ruling = neutral(case, variant, reason)
    return replace(ruling, turn=player, options=(), options_for=None, cue_next=next_cue(variant), cue_if_accept=None, next_phase="normal")


def _accept_table(case: Case, variant: Variant, option: str, ball: str | None) -> Ruling | None:
    """PYR-12: after a weak initial stroke he takes the table as it lies."""
    if case.state.phase != "break_reply" or option not in break_options(case):
        return None
    return _turned(case, variant, Reason(option, ("PYR-12",), {"player": case.state.shooter}), case.state.shooter)


def _rerack(case: Case, variant: Variant, option: str, ball: str | None) -> Ruling | None:
    """PYR-12: after a weak initial stroke he has the balls racked and breaks himself, or the offender does (option)."""
    state = case.state
    if state.phase != "break_reply" or option not in break_options(case):
        return None
    breaker = state.shooter if option == "RERACK_SELF_BREAKS" else state.opponent
    ruling = neutral(case, variant, Reason("play_on", ("PYR-12",)))
    return reracked(case, ruling, breaker, (Reason(option, ("PYR-12",), {"player": state.shooter}),))


def _from_hand(case: Case, variant: Variant, option: str, ball: str | None) -> Ruling | None:
    """PYR-21.1, 21.2b, DYN-5.2: the cue ball is placed in the zone of this stroke."""
    if not case.state.in_hand or ZONE_OPTIONS[current_zone(case, variant)] != option:
        return None
    return neutral(case, variant, Reason("pyr_placing", variant.cites["hand"], {"player": case.state.shooter}))


def _state_after(state: State, ruling: Ruling, event: ShotEvent) -> State:
    """The state that the next decision finds."""
    if ruling.declaration_rejected or ruling.rack_over:
        return state
    taken = str(event.fields["option"]).startswith("CHOOSE_REMOVED_BALL")
    balls = ruling.balls_after or state.balls
    return replace(
        state,
        shooter=ruling.decider or other(state.shooter),
        balls=balls,
        positions={ball: place for ball, place in state.positions.items() if ball in balls},
        phase=ruling.next_phase or state.phase,
        cue_state=ruling.cue_next or state.cue_state,
        removal_pending=None if taken else state.removal_pending,
    )
