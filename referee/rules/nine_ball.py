"""Nine-ball (rules.md section 2.2), with the general rules where it is silent; plain module.

Judged: N9-1.1 to N9-1.5, N9-3 to N9-13, N9-14.3, WPA-REG16. Asked of a person: the rack (N9-2), placing (N9-10.2), the
declaration of a push-out (N9-6.2), touches and warnings (N9-12, N9-13.3), stalemate (N9-15).

    break --foul--> normal             after_break --declared--> push_out_reply --either choice--> normal
    break --legal--> after_break       after_break --otherwise--> normal
    break --WPA-REG16 missed--> break_reply --accepted--> normal, --handed back--> after_break
"""

from collections.abc import Callable
from dataclasses import replace

from calibration.equipment import GAME_TABLES, find_ball_set
from calibration.errors import InputError
from referee.rules import facts, general
from referee.rules.base import Case, State
from referee.rules.nine_ball_between import REPLIES, judge_between
from referee.rules.nine_ball_outcomes import (
    after_foul,
    illegal_break,
    neutral,
    push_out_played,
    rack_won,
    stroke_played,
    with_restored,
)
from referee.ruling import Foul, Pair, Ruling

Check = Callable[[Case], Foul | None]
"""One question of the rule book about a stroke."""

BALLS = ("cue", *(str(number) for number in range(1, 10)))
PHASES = ("break", "after_break", "push_out_reply", "break_reply", "normal", "between_shots")
BREAK_RAILS = 4
"""Numbered balls that a break must bring to a cushion when none falls (N9-4.1)."""
THREE_POINT_BALLS = 3
"""Object balls pocketed or past the head string that WPA-REG16 asks for."""


def lowest_ball(state: State) -> str:
    """The ball that the cue ball must meet first (N9-1.2)."""
    return min(state.object_balls, key=int)


def few_rails(case: Case) -> Foul | None:
    """N9-4.1: on the break a ball falls or at least four numbered balls reach a cushion."""
    count = len(facts.numbered_to_cushion(case))
    if facts.pocketed_balls(case) or count >= BREAK_RAILS:
        return None
    return Foul("BREAK_FEW_RAILS", ("N9-4.1", "N9-4.2"), {"count": str(count)})


def wrong_first(case: Case) -> Foul | None:
    """N9-8, N9-1.2 (N9-4.1, N9-14.2 on the break): the lowest ball is met first."""
    on = lowest_ball(case.state)
    first = facts.first_contact(case, on=(on,))
    if first in (None, on):
        return None
    clauses = ("N9-4.1", "N9-14.2", "N9-8") if case.state.phase == "break" else ("N9-8", "N9-1.2")
    return Foul("WRONG_FIRST", clauses, {"first": str(first), "on": on})


def nothing_met(case: Case) -> Foul | None:
    """N9-8, GR-3.18: no ball is met at all."""
    undeclared = ("N9-6.2",) if case.state.phase == "after_break" else ()
    return _also(general.no_contact(case), *undeclared, "N9-8", "N9-9")


def no_rail(case: Case) -> Foul | None:
    """N9-9: after the contact a ball falls or any ball reaches a cushion. A frozen ball has its own rule, GR-3.38."""
    return None if frozen_ball(case) else _also(general.no_rail(case), "N9-9")


def frozen_ball(case: Case) -> Foul | None:
    """GR-3.38 for the ball met first, where announced (A-N12)."""
    return _also(general.frozen(case, facts.first_contact(case, on=(lowest_ball(case.state),))), "N9-9")


def cue_ball_off(case: Case) -> Foul | None:
    """GR-3.28, N9-4.2: the cue ball off the table."""
    return _also(general.cue_ball_off(case), *(("N9-4.2",) if case.state.phase == "break" else ()))


def scratch(case: Case) -> Foul | None:
    """GR-3.20, N9-4.2: the cue ball pocketed."""
    return _also(general.scratch(case), *(("N9-4.2",) if case.state.phase == "break" else ()))


def object_ball_off(case: Case) -> Foul | None:
    """N9-4.3 on the break, else GR-3.28 with N9-11 (A-N5)."""
    return _also(general.object_ball_off(case), "N9-4.3" if case.state.phase == "break" else "N9-11.1", "N9-11.2")


def jump_masse(case: Case) -> Foul | None:
    """N9-12: without a referee, the obstructing ball moves in an attempt to jump, curve or masse round it."""
    if general.is_all_ball_fouls(case):
        return None
    for event in facts.touches(case, actor=case.state.shooter):
        if event.fields["ball"] != case.state.cue_ball and event.fields.get("stroke") in general.OBSTRUCTED_STROKES:
            return Foul("JUMP_MASSE", ("N9-12",), {"ball": event.fields["ball"], "stroke": event.fields["stroke"]})
    return None


def bad_placement(case: Case) -> Foul | None:
    """N9-10.1, N9-2: played from a place where the cue ball may not be set, or a ball touched while setting it."""
    touched = _also(general.touched_while_placing(case), "N9-10.1")
    if touched or not case.zones_known or general.placement_fault(case) is None:
        return touched
    return Foul("PLACEMENT", ("N9-2", "N9-4.2") if case.state.phase == "break" else ("N9-10.1",), {"ball": "cue"})


STROKE_CHECKS: tuple[Check, ...] = (
    wrong_first,  # N9-8
    nothing_met,  # N9-8, N9-9
    no_rail,  # N9-9
    bad_placement,  # N9-10, GR-3.22
    object_ball_off,  # N9-11, GR-3.28
    jump_masse,  # N9-12
    scratch,  # GR-3.20
    general.touch,  # GR-3.21
    general.double_hit,  # GR-3.23
    cue_ball_off,  # GR-3.28
    frozen_ball,  # GR-3.38
    general.from_kitchen,  # GR-3.39
    general.touch_after,  # GR-3.21
)
"""Every check of an ordinary stroke, in the order of the book. All run; every foul found is listed (N9-7.3)."""

BREAK_CHECKS: tuple[Check, ...] = (few_rails, *STROKE_CHECKS)
"""N9-4.0: the other stroke rules apply to the break too."""

SUSPENDED_BY_PUSH_OUT = (wrong_first, nothing_met, no_rail, frozen_ball)
"""N9-6.2: neither contact nor cushion is required."""

PUSH_OUT_CHECKS = tuple(check for check in STROKE_CHECKS if check not in SUSPENDED_BY_PUSH_OUT)


class NineBall:
    """Nine-ball as a `Ruleset`."""

    game = "nine_ball"
    ball_set = find_ball_set("nine")
    table_name = GAME_TABLES[game]

    def check(self, state: State) -> None:
        """Refuse a state that cannot occur: another ball than 1 to 9, no 9, a break without all nine."""
        unknown = [ball for ball in state.balls if ball not in BALLS]
        if unknown:
            raise InputError(f"before.balls: {unknown[0]!r} is no ball of nine-ball (cue, 1 to 9)")
        if state.cue_ball != "cue":
            raise InputError(f"before.cue_ball: must be 'cue', found {state.cue_ball!r}")
        if "9" not in state.balls:
            raise InputError("before.balls: the 9 is not on the table, so the rack is over")
        if min(state.scores.a, state.scores.b) < 0:
            raise InputError(f"before.scores: racks cannot be below 0, found {state.scores.to_dict()}")
        if state.phase not in PHASES:
            raise InputError(f"before.phase: {state.phase!r} does not occur in nine-ball")
        if state.phase == "break" and len(state.balls) != len(BALLS):
            raise InputError("before.balls: a break needs all nine balls on the table")
        if state.cue_state not in ("position", "hand_anywhere", "hand_kitchen", "in_hand"):
            raise InputError(f"before.cue_state: {state.cue_state!r} does not occur in nine-ball")

    def judge(self, case: Case) -> Ruling:
        """The ruling on a stroke, a decision or an incident between strokes."""
        self.check(case.state)
        case = _as_read(case)
        return _judge_stroke(case) if facts.is_stroke(case) else judge_between(case)

    def assumed_reply(self, state: State) -> str | None:
        """Who simply shoots plays from the position."""
        return REPLIES.get(state.phase, (None,))[0]

    def start(self, state: State) -> State:
        """All nine balls racked, the cue ball in hand behind the head string, no fouls (N9-2, N9-13.2)."""
        fouls = state.consecutive_fouls
        clean = replace(fouls, a=0, b=0)
        return replace(state, phase="break", balls=BALLS, cue_ball="cue", cue_state="hand_kitchen", consecutive_fouls=clean)


RULES = NineBall()


def find_fouls(case: Case) -> tuple[Foul, ...]:
    """Every foul of the shooter on the stroke, in the order of the checks."""
    checks = STROKE_CHECKS
    if case.state.phase == "break":
        checks = BREAK_CHECKS
    elif is_push_out(case):
        checks = PUSH_OUT_CHECKS
    found = tuple(foul for check in checks if (foul := check(case)) is not None)
    return _without_replaced(found + general.stated(case))


def is_push_out(case: Case) -> bool:
    """N9-6.1, N9-6.2: declared before the stroke, and the stroke right after a legal break."""
    return case.state.phase == "after_break" and _is_declared(case)


def _as_read(case: Case) -> Case:
    """N9-13.2, N9-14.1: at the break no foul of the rack exists yet. GR-3.31: a short hanger fell with the stroke."""
    if case.state.phase == "break":
        case = replace(case, state=replace(case.state, consecutive_fouls=Pair(0, 0), warned=Pair(False, False)))
    return general.with_short_hangers_fallen(case)


def _judge_stroke(case: Case) -> Ruling:
    """The order of work of rules.md section 3.1."""
    state = case.state
    if (undone := _undone(case)) is not None:
        return undone
    if (foul := general.out_of_turn(case)) is not None:
        return after_foul(case, (foul,), offender=state.opponent)
    ruling = _judge_played(case)
    if _is_declared(case) and state.phase != "after_break":
        ruling = replace(ruling, declaration_rejected=True, reasons=(general.TOO_LATE, *ruling.reasons))
    return general.with_put_back_later(case, with_restored(case, ruling))


def _judge_played(case: Case) -> Ruling:
    fouls = find_fouls(case)
    if "9" in facts.pocketed_balls(case):
        # N9-14.3: the rack ended with the stroke, so that a touch after it is nothing any more.
        fouls = tuple(foul for foul in fouls if foul.code != "TOUCH_AFTER") if _is_winning(case, fouls) else fouls
    if fouls:
        return after_foul(case, fouls, offender=case.state.shooter)
    intruder = general.interference(case)
    if is_push_out(case):
        played = push_out_played(case)
    elif case.state.phase == "break" and _misses_three_points(case):
        played = illegal_break(case)
    elif _is_winning(case, ()):
        return rack_won(case)
    else:
        played = stroke_played(case)
    return played if intruder is None else after_foul(case, (intruder,), offender=case.state.opponent)


def _undone(case: Case) -> Ruling | None:
    """Strokes that do not count: moved from outside (GR-3.35), or at a ball that dropped by itself (GR-3.31)."""
    if general.is_undone_from_outside(case):
        return judge_between(case)
    ball = general.dropped_as_shot_at(case)
    if ball is None:
        return None
    return replace(
        neutral(case, "dropped_as_shot_at", ("GR-3.31",), {"ball": ball}),
        replay=True,
        restored=(ball, "cue"),
        cue_next=case.state.cue_state,
        next_phase=case.state.phase,
        balls_after=case.state.balls,
    )


def _is_winning(case: Case, fouls: tuple[Foul, ...]) -> bool:
    """N9-5.3: the 9 falls on a legal shot; on the break only where the organiser lets it win (A-N3)."""
    if any(foul.code != "TOUCH_AFTER" for foul in fouls) or "9" not in facts.pocketed_balls(case) or is_push_out(case):
        return False
    return case.state.phase != "break" or (case.options.nine_nine_on_break == "wins" and not _misses_three_points(case))


def _misses_three_points(case: Case) -> bool:
    """WPA-REG16: fewer than three object balls pocketed or past the head string."""
    if not case.options.nine_three_point_break:
        return False
    points = {*facts.pocketed_balls(case), *facts.crossed_head_string(case, "to_head")} - {case.state.cue_ball}
    return len(points) < THREE_POINT_BALLS


def _is_declared(case: Case) -> bool:
    decided = any(event.fields["option"] == "DECLARE_PUSH_OUT" for event in facts.before_tip(case) if event.type == "decision")
    return decided or (case.state.call is not None and case.state.call.kind == "push_out")


def _without_replaced(fouls: tuple[Foul, ...]) -> tuple[Foul, ...]:
    """JUMP_MASSE replaces TOUCH (section 0.2); a foul is listed once."""
    codes = [foul.code for foul in fouls]
    kept = [foul for foul in fouls if not (foul.code == "TOUCH" and "JUMP_MASSE" in codes)]
    return tuple({foul.code: foul for foul in kept}.values())


def _also(foul: Foul | None, *clauses: str) -> Foul | None:
    """The same foul citing the game's own clauses first."""
    return None if foul is None else Foul(foul.code, (*clauses, *foul.clauses), foul.values)
