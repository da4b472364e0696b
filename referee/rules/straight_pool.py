"""14.1 continuous (rules.md section 2.3), with the general rules where it is silent; plain module.

Judged: S141-1.1 to 1.5, 5, 6.1 to 6.6, 7.1 to 7.7, 8 to 13 and S141-T. Asked of a person: calls and safeties (S141-1.1,
7.4), the measuring of a ball near a cushion (7.2c), frozen balls (7.2b), whether a touch was deliberate (7.5a), the
choices of 6.4, 7.5c, 7.7 and 12.6. Not judged: where 1 and 5 lie in the opening rack (S141-4, A-S12).

    break --legal--> normal      break --violation--> break_reply --accepted--> normal, --racked again--> rebreak
    normal --fourteenth ball--> after_rerack --> normal
    normal --third or deliberate foul--> three_foul_reply --accepted--> normal, --racked again--> rebreak
    rebreak as break; after_rerack has no break requirement (S141-7.3b)
"""

from dataclasses import replace

from calibration.equipment import GAME_TABLES, find_ball_set
from calibration.errors import InputError
from referee.rules import facts, general
from referee.rules.base import Case, State
from referee.rules.straight_pool_between import judge_between
from referee.rules.straight_pool_calls import BALLS, BREAKS, REPLY_PHASES, is_called_made
from referee.rules.straight_pool_near_rail import counts_as_frozen, with_frozen
from referee.rules.straight_pool_outcomes import counted, neutral, void
from referee.rules.straight_pool_penalties import penalised, players_to_warn
from referee.rules.straight_pool_reasons import break_met
from referee.rules.straight_pool_touches import deliberate, deliberate_by, touch, with_restored
from referee.ruling import Foul, Reason, Ruling

PHASES = (*BREAKS, *REPLY_PHASES, "after_rerack", "normal", "between_shots")
CUE_STATES = ("position", "hand_kitchen", "in_hand", "head_spot", "centre_spot")
DRIVEN_ON_BREAK = 2
"""Object balls that an opening break must drive to cushions where the called ball is not made (S141-6.2)."""


def break_violation(case: Case) -> Foul | None:
    """S141-6.1 to 6.3: the called ball is made, or the cue ball and two object balls reach a cushion after the contact.

    A called ball that falls together with a scratch was made (A-S6).
    """
    driven = facts.driven_to_cushion(case)
    count = len(facts.numbered_to_cushion(case))
    if is_called_made(case) or (case.state.cue_ball in driven and count >= DRIVEN_ON_BREAK):
        return None
    cue = "reached" if case.state.cue_ball in driven else "missed"
    return Foul("BREAK_VIOLATION", ("S141-6.1", "S141-6.2", "S141-6.3"), {"count": str(count), "cue": cue})


def nothing_met(case: Case) -> Foul | None:
    """S141-7.2, GR-3.18: the cue ball meets an object ball; any will do."""
    return _also(general.no_contact(case), "S141-7.2")


def no_rail(case: Case) -> Foul | None:
    """S141-7.2, GR-3.19: after the contact a ball falls or any ball reaches a cushion."""
    return _also(general.no_rail(case), "S141-7.2")


def frozen_ball(case: Case) -> Foul | None:
    """S141-7.2b, GR-3.38: the ball met first was announced as frozen."""
    free = tuple(ball for ball in facts.first_contacts(case) if not facts.declared_frozen(case, ball))
    return _also(general.frozen(case, facts.first_contact(case, on=free)), "S141-7.2b", "S141-7.2")


def near_rail_ball(case: Case) -> Foul | None:
    """S141-7.2d to 7.2f: the ball met first counts as frozen to its nearest cushion, and GR-3.38 is not met."""
    free = tuple(ball for ball in facts.first_contacts(case) if counts_as_frozen(case, ball) is None)
    first = facts.first_contact(case, on=free)
    clause = None if first is None else counts_as_frozen(case, first)
    if first is None or clause is None:
        return None
    return _also(general.frozen(with_frozen(case, first), first), "S141-7.2c", clause)


def object_ball_off(case: Case) -> Foul | None:
    """S141-9, GR-3.28: an object ball off the table."""
    return _also(general.object_ball_off(case), "S141-9")


def scratch(case: Case) -> Foul | None:
    """S141-10, GR-3.20: the cue ball pocketed."""
    return _also(general.scratch(case), "S141-10")


def cue_ball_off(case: Case) -> Foul | None:
    """S141-10, GR-3.28: the cue ball off the table."""
    return _also(general.cue_ball_off(case), "S141-10")


def bad_placement(case: Case) -> Foul | None:
    """GR-3.10, GR-3.22: played from a place where the cue ball may not be set, or a ball touched while setting it."""
    touched = general.touched_while_placing(case)
    if touched or not case.zones_known or general.placement_fault(case) is None:
        return touched
    return Foul("PLACEMENT", ("GR-3.10", "GR-3.16", "GR-3.22"), {"ball": case.state.cue_ball})


STROKE_CHECKS = (
    nothing_met,  # S141-7.2
    no_rail,  # S141-7.2
    frozen_ball,  # S141-7.2b
    near_rail_ball,  # S141-7.2d to 7.2f
    deliberate,  # S141-7.5a
    object_ball_off,  # S141-9
    scratch,  # S141-10
    cue_ball_off,  # S141-10
    bad_placement,  # GR-3.10, GR-3.22
    touch,  # GR-3.21
    general.double_hit,  # GR-3.23
    general.from_kitchen,  # GR-3.39
)
"""Every check of a stroke, in the order of the book. All run; every foul found is listed, one is punished (A-S16)."""

BREAK_CHECKS = (break_violation, *STROKE_CHECKS)
"""An opening break, the first one or one that was ordered (S141-6, 12.6)."""


class StraightPool:
    """14.1 continuous as a `Ruleset`."""

    game = "straight_14_1"
    ball_set = find_ball_set("pool")
    table_name = GAME_TABLES[game]

    def check(self, state: State) -> None:
        """Refuse a state that cannot occur: an unknown ball, a break without all fifteen, a call that 14.1 does not know."""
        unknown = [ball for ball in state.balls if ball not in BALLS]
        if unknown:
            raise InputError(f"before.balls: {unknown[0]!r} is no ball of 14.1 (cue, 1 to 15)")
        if state.cue_ball != "cue":
            raise InputError(f"before.cue_ball: must be 'cue', found {state.cue_ball!r}")
        if not state.object_balls:
            raise InputError("before.balls: no object ball is on the table")
        if state.phase not in PHASES:
            raise InputError(f"before.phase: {state.phase!r} does not occur in 14.1")
        if state.phase in (*BREAKS, "after_rerack") and len(state.balls) != len(BALLS):
            raise InputError(f"before.balls: phase {state.phase} needs all fifteen balls on the table")
        if state.cue_state not in CUE_STATES:
            raise InputError(f"before.cue_state: {state.cue_state!r} does not occur in 14.1")
        if state.call is not None and state.call.kind == "push_out":
            raise InputError("before.call.kind: a push-out does not occur in 14.1")
        if state.call is not None and state.call.ball == "cue":
            raise InputError("before.call.ball: must be an object ball, found 'cue'")
        pocketed = len(BALLS) - len(state.balls)
        if state.rack_pocketed not in (None, pocketed):
            raise InputError(
                f"before.rack_pocketed: {state.rack_pocketed} with {len(state.object_balls)} of 15 balls on the table; must be {pocketed}"
            )

    def judge(self, case: Case) -> Ruling:
        """The ruling on a stroke, a decision or an incident between strokes."""
        self.check(case.state)
        case = _as_read(case)
        return _judge_stroke(case) if facts.is_stroke(case) else judge_between(case)

    def assumed_reply(self, state: State) -> str | None:
        """Who simply shoots after a breaking violation, a third or a deliberate foul has accepted the table."""
        return "ACCEPT_TABLE" if state.phase in REPLY_PHASES else None

    def start(self, state: State) -> State:
        """All fifteen balls racked, the cue ball in hand behind the head string (S141-4); counts carry over (section 3.3)."""
        return replace(
            state, phase="break", balls=BALLS, cue_ball="cue", cue_state="hand_kitchen", near_rail={}, rack_pocketed=0, apex_vacant=False
        )


RULES = StraightPool()


def find_fouls(case: Case) -> tuple[Foul, ...]:
    """Every foul of the shooter while the balls moved or before, in the order of the checks."""
    checks = BREAK_CHECKS if case.state.phase in BREAKS else STROKE_CHECKS
    found = tuple(foul for check in checks if (foul := check(case)) is not None)
    return _without_replaced(found + general.stated(case))


def _judge_stroke(case: Case) -> Ruling:
    """The order of work of rules.md section 3.1."""
    undone = _undone(case)
    if undone is not None:
        return undone
    if (foul := general.out_of_turn(case)) is not None:
        return with_restored(case, _out_of_turn(case, foul))
    return general.with_put_back_later(case, with_restored(case, _judge_played(case)))


def _judge_played(case: Case) -> Ruling:
    shooter, opponent = case.state.shooter, case.state.opponent
    fouls, late = find_fouls(case), general.touch_after(case)
    if fouls:
        ruling = _fouled(case, fouls if late is None else (*fouls, late))
    else:
        ruling = counted(case)
        if ruling.match_over:
            return ruling  # the match ended with the stroke: a touch after it is nothing any more
        if late is not None:
            ruling = penalised(case, ruling, (late,), offender=shooter)
    intruder = deliberate_by(case, opponent) or general.interference(case)
    if intruder is not None:
        ruling = penalised(case, ruling, (intruder,), offender=opponent)
    return replace(ruling, warn=players_to_warn(case, ruling))


def _fouled(case: Case, fouls: tuple[Foul, ...]) -> Ruling:
    codes = {foul.code for foul in fouls}
    played = void(case, in_kitchen="DELIBERATE" in codes)
    if "BREAK_VIOLATION" not in codes:
        played = replace(played, reasons=(*played.reasons, *break_met(case)))
    return penalised(case, played, fouls, offender=case.state.shooter)


def _out_of_turn(case: Case, first: Foul) -> Ruling:
    """GR-3.41: the foul of whoever struck; nothing counts, and the player whose inning it is goes on."""
    state = replace(case.state, shooter=case.state.opponent, striker=None, phase="normal")
    return _fouled(replace(case, state=state), (first, *find_fouls(replace(case, state=state))))


def _undone(case: Case) -> Ruling | None:
    """Strokes that do not count: moved from outside (GR-3.35), or at a ball that dropped by itself (GR-3.31)."""
    if general.is_undone_from_outside(case):
        return judge_between(case)
    ball = general.dropped_as_shot_at(case)
    if ball is None:
        return None
    ruling = neutral(case, Reason("dropped_as_shot_at", ("GR-3.31",), {"ball": ball}))
    return replace(ruling, replay=True, restored=(ball, case.state.cue_ball), next_phase=case.state.phase)


def _as_read(case: Case) -> Case:
    """In hand means behind the head string (S141-10), and a ball that hung too short to be put back fell with the stroke
    (GR-3.31): it is read as pocketed."""
    if case.state.cue_state == "in_hand":
        case = replace(case, state=replace(case.state, cue_state="hand_kitchen"))
    return general.with_short_hangers_fallen(case)


def _without_replaced(fouls: tuple[Foul, ...]) -> tuple[Foul, ...]:
    """FROZEN replaces NO_RAIL (section 0.2); a foul is listed once."""
    is_frozen = any(foul.code == "FROZEN" for foul in fouls)
    kept = [foul for foul in fouls if not (foul.code == "NO_RAIL" and is_frozen)]
    return tuple({foul.code: foul for foul in reversed(kept)}.values())[::-1]


def _also(foul: Foul | None, *clauses: str) -> Foul | None:
    """The same foul citing the game's own clauses first."""
    return None if foul is None else Foul(foul.code, (*clauses, *foul.clauses), foul.values)
