"""Nine-ball between strokes: decisions, incidents, placing the cue ball (N9-6.4, 10, 13.4, GR-3.31, 3.35); plain module."""

from dataclasses import replace

from calibration.errors import InputError
from referee.rules import facts, general
from referee.rules.base import Case
from referee.rules.nine_ball_outcomes import after_foul, neutral, with_restored
from referee.ruling import Foul, Reason, Ruling
from tracker.shot import ShotEvent

REPLIES = {
    "push_out_reply": ("PLAY_POSITION", "RETURN_SHOT"),
    "break_reply": ("ACCEPT_TABLE_NO_PUSH_OUT", "RETURN_SHOT_PUSH_OUT_ALLOWED"),
}
"""What the player in turn may choose; the first is what is assumed when he simply plays."""


def judge_between(case: Case) -> Ruling:
    """The ruling where no stroke was made, or one that is undone."""
    if general.is_interfered_from_outside(case):
        return _from_outside(case)
    if "stalemate" in facts.official_facts(case):
        return _rack_again(case, "stalemate", ("N9-15",))
    fouls, offender = _fouls_between(case)
    if fouls:
        return with_restored(case, after_foul(case, fouls, offender=offender))
    decision = next(facts.of_type(case, "decision"), None)
    if decision is not None:
        return with_restored(case, _decided(case, decision))
    ruling = _waiting(case)
    if general.placement_fault(case) is not None:
        reason = Reason("placed_wrong", ("N9-2", "GR-3.16") if case.state.cue_state == "hand_kitchen" else ("N9-10.1",), {})
        ruling = replace(ruling, placement_rejected=True, reasons=(reason,))
    return with_restored(case, ruling)


def _fouls_between(case: Case) -> tuple[tuple[Foul, ...], str]:
    """N9-13.4: a foul between strokes ends the inning; by the other player it is his (GR-3.41)."""
    checks = (general.touched_while_placing, general.touch)
    found = tuple(_cited(foul) for check in checks if (foul := check(case)) is not None) + general.stated(case)
    if found:
        return found, case.state.shooter
    intruder = general.interference(case)
    return ((intruder,), case.state.opponent) if intruder else ((), case.state.shooter)


def _cited(foul: Foul) -> Foul:
    return replace(foul, clauses=("N9-10.1", *foul.clauses)) if foul.code == "PLACEMENT" else foul


def _waiting(case: Case) -> Ruling:
    """Nothing that changes the turn: a ball put back, the cue ball moved in hand (N9-10.2)."""
    state = case.state
    late = general.late_drops(case)
    ruling = neutral(case, "play_on", ("GR-3.31",) if list(facts.of_type(case, "spontaneous_drop")) else ("N9-10.2",))
    if late:
        ruling = replace(ruling, stays_down=late, balls_after=tuple(ball for ball in state.balls if ball not in late))
    options = {"hand_anywhere": ("BIH_ANYWHERE",), "in_hand": ("BIH_ANYWHERE",), "hand_kitchen": ("BIH_KITCHEN",)}.get(state.cue_state, ())
    if state.phase in REPLIES:
        return replace(
            ruling, turn=f"decide:{state.shooter}", options=REPLIES[state.phase], options_for=state.shooter, next_phase=state.phase
        )
    if state.phase == "after_break":
        options = ("DECLARE_PUSH_OUT",)
    cue_next = "hand_anywhere" if state.cue_state == "in_hand" else state.cue_state
    phase = state.phase if state.phase == "break" else ruling.next_phase
    return replace(ruling, options=options, options_for=state.shooter if options else None, cue_next=cue_next, next_phase=phase)


def _decided(case: Case, decision: ShotEvent) -> Ruling:
    """N9-6.4, WPA-REG16, GR-1.16, N9-6.1: a choice; one that was not open is refused and changes nothing."""
    state, option, by = case.state, decision.fields["option"], decision.fields["by"]
    if by not in ("A", "B"):
        raise InputError(f"events.by: must be A or B, found {by!r}")
    clauses = ("WPA-REG16",) if state.phase == "break_reply" else ("N9-6.4",)
    if by == state.shooter and option in REPLIES.get(state.phase, ()):
        ruling = neutral(case, option, clauses, {"player": state.shooter, "other": state.opponent})
        if option in ("PLAY_POSITION", "ACCEPT_TABLE_NO_PUSH_OUT"):
            return replace(ruling, push_out_available=False)
        may_push = option == "RETURN_SHOT_PUSH_OUT_ALLOWED"
        return replace(
            ruling,
            turn=state.opponent,
            push_out_available=may_push,
            next_phase="after_break" if may_push else "normal",
            options=("DECLARE_PUSH_OUT",) if may_push else (),
            options_for=state.opponent if may_push else None,
        )
    if option == "RESTORE_BALL" and not state.referee:
        return replace(neutral(case, "restored", ("GR-1.16",), {"player": by}), restored=general.balls_to_restore(case))
    if option == "DECLARE_PUSH_OUT" and state.phase == "after_break" and by == state.shooter:
        return neutral(case, "push_out_declared", ("N9-6.1", "N9-6.2"), {"player": by})
    if option == "BIH_ANYWHERE" and state.in_hand and by == state.shooter:
        return _waiting(case)
    refused = Reason("refused", ("N9-6.1",) if option == "DECLARE_PUSH_OUT" else ("N9-6.4",), {"player": by, "option": option})
    return replace(_waiting(case), declaration_rejected=True, reasons=(refused,))


def _from_outside(case: Case) -> Ruling:
    """GR-3.35: put back without a penalty, or the rack is played again by the same breaker."""
    if not general.is_restorable(case):
        return _rack_again(case, "rack_lost", ("GR-3.35",))
    balls = general.touched_object_balls(case)
    moved_cue = any(event.fields["ball"] == case.state.cue_ball for event in facts.of_type(case, "touch"))
    restored = ("*",) if facts.is_stroke(case) or not (balls or moved_cue) else (*balls, *((case.state.cue_ball,) if moved_cue else ()))
    ruling = replace(_waiting(case), reasons=(Reason("outside", ("GR-3.35",), {}),), restored=restored)
    return replace(ruling, replay=True, next_phase=case.state.phase) if facts.is_stroke(case) else ruling


def _rack_again(case: Case, key: str, clauses: tuple[str, ...]) -> Ruling:
    """The rack is racked again for the player who broke it; scores stay, counts start again (N9-13.2)."""
    state = case.state
    breaker = state.shooter if state.phase == "break" else state.last_breaker
    ruling = neutral(case, key, clauses, {"player": breaker or "-"})
    return replace(
        ruling,
        turn=breaker or "lag",
        next_breaker=breaker,
        replay=True,
        score_kept=True,
        cue_next="hand_kitchen",
        options=(),
        push_out_available=False,
        next_phase="break",
        fouls_after=type(state.consecutive_fouls)(0, 0),
    )
