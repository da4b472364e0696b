"""Free, combined, dynamic and classic pyramid (rules.md sections 2.4 to 2.8); plain module.

The games are data (`referee.rules.pyramid_variants`); the general rules of pyramid are the code. Judged: items 8, 11, 12
and 20 to 30, FREE, COMB, DYN, CLA. Asked of a person: rack and lag (PYR-8, 10), feet, push, touches, requests, whether a
hanging ball would have been hit (23.2), which ball is taken. Not judged: equipment (PYR-1), the 45 degrees of 5.3.

    break --dispersed--> normal       break --weak--> break_reply --accepted--> normal, --racked again--> rebreak
    normal --penalty--> after_penalty --played or passed back--> normal
    normal --illegal cue ball--> penalty_hand --> normal       normal --legal own ball--> premium --> normal
"""

from dataclasses import dataclass, replace

from calibration.equipment import GAME_TABLES, BallSet, find_ball_set
from calibration.errors import InputError
from referee.rules import facts, general
from referee.rules.base import Case, State
from referee.rules.pyramid_between import PENALTY_REPLIES, after_decisions, after_outsider, judge_between
from referee.rules.pyramid_checks import find_fouls, interference_after, touch_after
from referee.rules.pyramid_clock import with_clock
from referee.rules.pyramid_outcomes import counted, neutral, penalised, void, weak_break
from referee.rules.pyramid_spotting import stands_despite_outsider, with_put_back
from referee.rules.pyramid_variants import BALLS, CLASSIC, COLOURED, COMBINED, DYNAMIC, FREE, INITIAL, Variant
from referee.ruling import Foul, Pair, Reason, Ruling
from tracker.shot import ShotEvent

PHASES = (*INITIAL, "break_reply", "normal", "between_shots", "premium", "premium_placement", "after_penalty", "penalty_hand")
CUE_STATES = ("position", "free_choice", "hand_house", "hand_temp_house", "hand_anywhere", "in_hand")
BALLS_OF_POINTS = {"free_pyramid": 16, "combined_pyramid": 16, "dynamic_pyramid": 16}
"""Balls that the two scores and the table add up to (section 0.1), where a ball is a point."""


@dataclass(frozen=True, slots=True)
class Pyramid:
    """One of the four games as a `Ruleset`."""

    variant: Variant

    @property
    def game(self) -> str:
        """Name in files."""
        return self.variant.game

    @property
    def ball_set(self) -> BallSet:
        """The coloured ball and fifteen whites."""
        return find_ball_set("pyramid")

    @property
    def table_name(self) -> str:
        """Twelve feet."""
        return GAME_TABLES[self.game]

    def check(self, state: State) -> None:
        """Refuse a state that cannot occur: an unknown ball, a coloured cue ball that is gone, a phase or zone of pool."""
        unknown = [ball for ball in state.balls if ball not in BALLS]
        if unknown:
            raise InputError(f"before.balls: {unknown[0]!r} is no ball of pyramid (Y, w1 to w15)")
        if self.variant.cue_ball is not None and COLOURED not in state.balls:
            raise InputError(f"before.balls: {COLOURED!r} is missing; the coloured cue ball never leaves the game here")
        if len(state.balls) < 2:
            raise InputError("before.balls: no object ball is on the table")
        if state.cue_ball not in state.balls:
            raise InputError(f"before.cue_ball: {state.cue_ball!r} is not on the table")
        if state.phase not in PHASES:
            raise InputError(f"before.phase: {state.phase!r} does not occur in pyramid")
        if state.cue_state not in CUE_STATES:
            raise InputError(f"before.cue_state: {state.cue_state!r} does not occur in pyramid")
        if self.variant.own_ball != "exchanged" and (state.removal_pending or state.phase.startswith("premium")):
            field = "removal_pending" if state.removal_pending else "phase"
            raise InputError(f"before.{field}: no ball is exchanged for the cue ball in {self.game}")
        if state.cue_state == "hand_anywhere" and self.variant.premium_hand != "hand_anywhere":
            raise InputError(f"before.cue_state: from the hand the cue ball enters in the house in {self.game}")
        if state.call is not None and state.call.kind == "push_out":
            raise InputError("before.call.kind: a push-out does not occur in pyramid")
        if state.call is not None and state.call.ball is not None and state.call.ball == self.variant.cue_ball:
            raise InputError("before.call.ball: an object ball is called, not the cue ball")
        if self.variant.cue_ball is None and state.phase == "penalty_hand":
            raise InputError(f"before.phase: {state.phase!r} does not occur in {self.game}, where no cue ball comes in hand")

    def check_ledger(self, state: State) -> None:
        """Refuse scores that do not agree with the balls on the table (section 0.1): only a ball booked may still lie there."""
        whole = BALLS_OF_POINTS.get(self.game)
        if whole is None:
            return
        due = whole - state.scores.a - state.scores.b
        least = 1 if state.removal_pending else 0
        most = least + (state.phase in PENALTY_REPLIES)
        if min(state.scores.a, state.scores.b) < 0:
            raise InputError("before.scores: no point is below zero where a ball is a point")
        if not least <= len(state.balls) - due <= most:
            due += least
            raise InputError(f"before.balls: {len(state.balls)} on the table with scores {state.scores.a}:{state.scores.b}; must be {due}")

    def is_ball_owed(self, state: State) -> bool:
        """A penalty or exchange ball is booked and may still have to be taken from the table (COMB-5.2, PYR-30)."""
        is_penalty = state.phase in ("after_penalty", "penalty_hand") and self.variant.takes_penalty_ball
        return is_penalty or bool(state.removal_pending)

    def judge(self, case: Case) -> Ruling:
        """The ruling on a stroke, a decision or an incident between strokes."""
        self.check(case.state)
        case = _as_read(case)
        ruling = _judge_stroke(case, self.variant) if facts.is_stroke(case) else judge_between(case, self.variant)
        return with_clock(case, ruling)

    def assumed_reply(self, state: State) -> str | None:
        """Who simply shoots has accepted the table, or plays from the position."""
        if state.phase == "after_penalty" and not state.in_hand:
            return "PLAY_POSITION"
        return "ACCEPT_TABLE" if state.phase == "break_reply" else None

    def start(self, state: State) -> State:
        """All balls racked, the coloured ball in the house, no points (PYR-8, 11). An initial stroke that was ordered in
        mid-game keeps score and balls (PYR-27.2, 27.3)."""
        resumed = state.phase in INITIAL and 2 <= len(state.balls) < len(BALLS) and COLOURED in state.balls
        balls = state.balls if resumed else BALLS
        scores = state.scores if resumed else Pair(0, 0)
        return replace(
            state, phase="break", balls=balls, cue_ball=COLOURED, cue_state="hand_house", scores=scores, removal_pending=None, call=None
        )


FREE_RULES, COMBINED_RULES, DYNAMIC_RULES, CLASSIC_RULES = (Pyramid(variant) for variant in (FREE, COMBINED, DYNAMIC, CLASSIC))
RULES = (FREE_RULES, COMBINED_RULES, DYNAMIC_RULES, CLASSIC_RULES)


def _judge_stroke(case: Case, variant: Variant) -> Ruling:
    """The order of work of rules.md section 3.1."""
    case, refused = after_decisions(case, variant)
    stroke, later = facts.split_at_rest(case)
    ruling = _undone(stroke, variant)
    if ruling is None:
        ruling = after_outsider(later, variant, with_put_back(case, _judge_played(case, variant)))
    return replace(ruling, declaration_rejected=True, reasons=(*refused, *ruling.reasons)) if refused else ruling


def _judge_played(case: Case, variant: Variant) -> Ruling:
    state = case.state
    fouls = find_fouls(case, variant)
    late = touch_after(case, variant)
    intruder = interference_after(case, variant)
    if fouls:
        return _fouled(case, variant, fouls if late is None else (*fouls, late), intruder)
    ruling = counted(case, variant)
    if ruling.rack_over:
        return ruling  # PYR-22.3n: the game ended with the stroke, so that a touch after it is nothing any more
    if late is not None:
        ruling = penalised(case, variant, ruling, (late,), offender=state.shooter)
    if intruder is not None and not ruling.rack_over:
        ruling = penalised(case, variant, ruling, (intruder,), offender=state.opponent)
    return ruling


def _fouled(case: Case, variant: Variant, fouls: tuple[Foul, ...], intruder: Foul | None) -> Ruling:
    """One penalty on whoever did wrong; a weak initial stroke alone is none (PYR-12)."""
    state = case.state
    codes = {foul.code for foul in fouls}
    if codes == {"BREAK_WEAK"}:
        ruling = weak_break(case, variant, fouls[0])
    elif codes <= {"INTERFERENCE", "CUE_ILLEGAL_POCKET"}:
        return penalised(case, variant, void(case, variant), fouls, offender=state.opponent)
    else:
        offender = state.striker or state.shooter
        ruling = penalised(case, variant, void(case, variant), fouls, offender=offender)
    return ruling if intruder is None or ruling.rack_over else penalised(case, variant, ruling, (intruder,), offender=state.opponent)


def _undone(case: Case, variant: Variant) -> Ruling | None:
    """Strokes that do not count: moved from outside (PYR-27), or a ball that fell by itself before it was hit (PYR-23.2)."""
    if general.is_interfered_from_outside(case) and not stands_despite_outsider(case):
        return judge_between(case, variant)
    hit = [event.fields["ball"] for event in facts.of_type(case, "spontaneous_drop") if event.fields.get("would_be_hit")]
    if not hit:
        return None
    ruling = neutral(case, variant, Reason("pyr_replay", ("PYR-23.2",), {"ball": hit[0]}))
    return replace(ruling, replay=True, restored=("*",), next_phase=case.state.phase)


def _as_read(case: Case) -> Case:
    """PYR-23.3, A-P10: a ball that hesitated on the lip for less than the waiting time was pocketed by the stroke."""
    return replace(case, events=tuple(_fallen(event, case.options.pyr_lip_wait_s) for event in case.events))


def _fallen(event: ShotEvent, wait_s: float) -> ShotEvent:
    if event.type != "spontaneous_drop" or event.fields.get("rest_s", wait_s) >= wait_s:
        return event
    return ShotEvent(t=event.t, type="pocketed", fields={"ball": event.fields["ball"], "pocket": event.fields["pocket"]})
