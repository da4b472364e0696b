"""The violations of pyramid, a small function each (rules.md sections 2.4 to 2.8); plain module.

Each check gives the foul it is named for, or None, and knows nothing of the others. What excludes or replaces what
(section 0.2) is in `find_fouls` in plain sight.
"""

from collections.abc import Callable, Sequence

from referee.rules import facts
from referee.rules.base import Case
from referee.rules.pyramid_clock import out_of_time
from referee.rules.pyramid_hand import current_zone, is_inside, is_placing, placement_fault
from referee.rules.pyramid_item20 import find_condition, is_crossing, is_dispersed, uses_lip
from referee.rules.pyramid_spotting import moved_in_placing
from referee.rules.pyramid_variants import INITIAL, Variant
from referee.ruling import Foul
from tracker.shot import ShotEvent

Check = Callable[[Case, Variant], Foul | None]
"""One question of the rule book about a stroke of that game."""

STATED_FOULS = {
    "tip_only": Foul("TIP_ONLY", ("PYR-5.1",)),
    "no_foot": Foul("FEET", ("PYR-29L.3", "PYR-5.2")),
    "balls_moving": Foul("BALLS_MOVING", ("PYR-29L.2", "PYR-14")),
    "push": Foul("PUSH", ("PYR-5.3",)),
    "illegal_jump": Foul("ILLEGAL_JUMP", ("PYR-5.3",)),
    "responsibility": Foul("RESPONSIBILITY", ("PYR-6",)),
    "unsportsmanlike": Foul("UNSPORTSMANLIKE", ("PYR-29.1",)),
}
"""Official facts that are a violation by themselves. Scenario files know only `no_foot` and `balls_moving`."""


def no_contact(case: Case, variant: Variant) -> Foul | None:
    """PYR-29L.1: the cue ball must touch an object ball."""
    return None if facts.first_contacts(case) else Foul("NO_CONTACT", ("PYR-29L.1",))


def no_condition(case: Case, variant: Variant) -> Foul | None:
    """PYR-20, N1 (21.3 from the hand): the stroke completes one of the conditions of item 20, in its order."""
    if not facts.first_contacts(case) or find_condition(case) is not None:
        return None
    missed = ("PYR-20.4a",) if any(is_crossing(event) for event in facts.after_contact(case)) else ()
    lip = ("PYR-20.N4",) if uses_lip(case) else ()
    struck = {item.ball for item in case.state.frozen if item.to != "cue" and item.ball in facts.first_contacts(case)}
    frozen = (*(("PYR-20.N2a",) if struck & _met_again(case) else ()), *(("PYR-20.N2b",) if struck else ()))
    from_hand = ("PYR-21.3",) if case.state.in_hand else ()
    return Foul("COND20", ("PYR-20", "PYR-20.N1", *missed, *lip, *frozen, *from_hand, *variant.cites["item20"]))


def weak_break(case: Case, variant: Variant) -> Foul | None:
    """PYR-12: the initial stroke pockets a ball or disperses the rack."""
    if not facts.first_contacts(case) or is_dispersed(case):
        return None
    return Foul("BREAK_WEAK", ("PYR-12", *variant.cites["initial"]))


def wrong_cue_ball(case: Case, variant: Variant) -> Foul | None:
    """COMB-2, PYR-25.3: only the coloured ball is struck; in free pyramid that holds for the initial stroke (FREE-2)."""
    own = variant.cue_ball or ("Y" if case.state.phase in INITIAL else None)
    if own is None or case.state.cue_ball == own or own not in case.state.balls:
        return None
    return Foul("WRONG_CUE_BALL", variant.cites["wrong_cue"], {"ball": case.state.cue_ball})


def house_first(case: Case, variant: Variant) -> Foul | None:
    """PYR-21.2a: from the hand the cue ball first meets a ball outside the house; hits that cannot be told apart are read
    in the striker's favour."""
    first = facts.first_contacts(case)
    if not case.state.in_hand or not first:
        return None
    zone = current_zone(case, variant)
    if zone == "hand_temp_house" and is_inside("hand_house", case.state.positions.get(case.state.cue_ball)):
        zone = "hand_house"  # played from the wrong end
    if not all(is_inside(zone, case.state.positions.get(ball)) for ball in first):
        return None
    return Foul("HOUSE_FIRST", ("PYR-21.2a",), {"ball": first[0]})


def own_ball_from_hand(case: Case, variant: Variant) -> Foul | None:
    """DYN-5.3, DYN-7: the cue ball falls on a premium or penalty stroke of dynamic pyramid."""
    if variant.own_ball_from_hand or not case.state.in_hand or case.state.phase in INITIAL or not _is_coloured_pocketed(case, variant):
        return None
    return Foul("SVOI_FROM_HAND", ("DYN-5.3", *(("DYN-7",) if case.state.phase == "penalty_hand" else ())))


def scratch(case: Case, variant: Variant) -> Foul | None:
    """CLA-5.5: the cue ball falls in classic pyramid."""
    if variant.own_ball != "penalty" or not _is_coloured_pocketed(case, variant):
        return None
    pocket = next(pocket for ball, pocket in facts.pocketed(case) if ball == variant.cue_ball)
    return Foul("SCRATCH", ("CLA-5.5",), {"pocket": pocket})


def cue_ball_off(case: Case, variant: Variant) -> Foul | None:
    """PYR-24.3, 29L.4: the coloured cue ball off the table; it goes in hand instead of being spotted (PYR-21.1, A-P14)."""
    if variant.cue_ball is None or variant.cue_ball not in facts.off_table(case):
        return None
    return Foul("CUE_OFF", ("PYR-24.3", "PYR-29L.4", "PYR-24.1", *_returned(case, (variant.cue_ball,)), *variant.cites["hand"]))


def ball_off(case: Case, variant: Variant) -> Foul | None:
    """PYR-24.3, 24.1, 22.5b, 29L.4: any other ball off the table, in free pyramid the cue ball too."""
    balls = [ball for ball in facts.off_table(case) if ball != variant.cue_ball]
    if not balls:
        return None
    clauses = ("PYR-24.3", "PYR-29L.4", "PYR-24.1", *_returned(case, balls))
    return Foul("BALL_OFF", clauses, {"balls": ", ".join(balls)})


def placement(case: Case, variant: Variant) -> Foul | None:
    """COMB-H2: a ball touched while the cue ball is placed. COMB-H3: played from where it may not lie, against the warning."""
    for event in facts.touches(case, actor=_striker(case)):
        if event.fields["ball"] != case.state.cue_ball and is_placing(case, event):
            return Foul("PLACEMENT", ("COMB-H2", "PYR-6"), {"ball": event.fields["ball"]})
    for ball in moved_in_placing(case):
        return Foul("PLACEMENT", ("COMB-H2", "PYR-6"), {"ball": ball})
    if not case.zones_known or not case.state.in_hand or not facts.is_stroke(case):
        return None
    if placement_fault(case, current_zone(case, variant)) is None:
        return None
    return Foul("PLACEMENT", ("COMB-H3", "COMB-H1", "PYR-11"), {"ball": case.state.cue_ball})


def touch(case: Case, variant: Variant) -> Foul | None:
    """PYR-6: a ball touched by the striker otherwise than with the tip, before the balls came to rest."""
    for event in facts.touches(case, actor=_striker(case)):
        if not is_placing(case, event):
            return Foul("TOUCH", ("PYR-6",), {"ball": event.fields["ball"], "by": event.fields["by"]})
    return None


def touch_after(case: Case, variant: Variant) -> Foul | None:
    """PYR-22.3b, PYR-6: the same after the balls came to rest; what fell stands."""
    for event in facts.touches_after_stop(case):
        if event.fields["actor"] == _striker(case):
            return Foul("TOUCH_AFTER", ("PYR-22.3b", "PYR-6"), {"ball": event.fields["ball"], "by": event.fields["by"]})
    return None


def double_hit(case: Case, variant: Variant) -> Foul | None:
    """PYR-5.3: a second contact of tip and cue ball."""
    return Foul("DOUBLE_HIT", ("PYR-5.3",)) if facts.tip_contacts(case) > 1 else None


def time_limit(case: Case, variant: Variant) -> Foul | None:
    """PYR-26.4: the time limit exceeded."""
    return out_of_time(case)


def interference(case: Case, variant: Variant) -> Foul | None:
    """PYR-28, 29L.5: the player whose inning it is not touches a ball, during the stroke or between strokes."""
    return _interference(case, facts.touches(case, actor=case.state.opponent))


def interference_after(case: Case, variant: Variant) -> Foul | None:
    """PYR-28, 29L.5: the same once the balls lie still after a stroke."""
    return _interference(case, tuple(e for e in facts.touches_after_stop(case) if e.fields["actor"] == case.state.opponent))


def out_of_turn(case: Case, variant: Variant) -> Foul | None:
    """PYR-28, 29L.5: a stroke by the player whose inning it is not."""
    striker = _striker(case)
    return None if striker == case.state.shooter else Foul("OUT_OF_TURN", ("PYR-28", "PYR-29L.5"), {"player": striker})


STROKE_CHECKS: tuple[Check, ...] = (
    out_of_turn,  # PYR-28
    no_contact,  # PYR-29L.1
    no_condition,  # PYR-20
    wrong_cue_ball,  # COMB-2, PYR-25.3
    house_first,  # PYR-21.2a
    own_ball_from_hand,  # DYN-5.3
    scratch,  # CLA-5.5
    cue_ball_off,  # PYR-24.3
    ball_off,  # PYR-24.3
    placement,  # COMB-H2, COMB-H3
    touch,  # PYR-6
    double_hit,  # PYR-5.3
    time_limit,  # PYR-26.4
    interference,  # PYR-28
)
"""Every check of a stroke. All run; every violation found is listed, one penalty is applied (PYR-30)."""

INITIAL_CHECKS: tuple[Check, ...] = tuple(weak_break if check is no_condition else check for check in STROKE_CHECKS)
"""The initial stroke has its own requirement in place of item 20 (PYR-12, FREE-5.6)."""

BETWEEN_CHECKS: tuple[Check, ...] = (placement, touch, time_limit)
"""What the player in turn can do wrong without a stroke."""


def find_fouls(case: Case, variant: Variant) -> tuple[Foul, ...]:
    """Every violation between the start and the end of the stroke, in the order of the checks."""
    checks = INITIAL_CHECKS if case.state.phase in INITIAL else STROKE_CHECKS
    found = tuple(foul for check in checks if (foul := check(case, variant)) is not None) + stated(case)
    illegal = illegal_own_ball(case, variant, found)
    return found if illegal is None else (*found, illegal)


def illegal_own_ball(case: Case, variant: Variant, found: tuple[Foul, ...]) -> Foul | None:
    """PYR-21.1, 22.3a: the coloured cue ball falls on a stroke with another violation; SVOI_FROM_HAND stands for it."""
    if variant.own_ball != "exchanged" or not found or not _is_coloured_pocketed(case, variant):
        return None
    if any(foul.code == "SVOI_FROM_HAND" for foul in found):
        return None
    return Foul("CUE_ILLEGAL_POCKET", ("PYR-21.1", "PYR-22.3a"))


def stated(case: Case) -> tuple[Foul, ...]:
    """PYR-5.1, 5.2, 5.3, 29L.2, 29L.3: what only an official can state."""
    return tuple(STATED_FOULS[fact] for fact in dict.fromkeys(facts.official_facts(case)) if fact in STATED_FOULS)


def _striker(case: Case) -> str:
    return case.state.striker or case.state.shooter


def _met_again(case: Case) -> set[str]:
    """Balls that the cue ball met after the first contact."""
    cue = case.state.cue_ball
    pairs = ({event.fields["a"], event.fields["b"]} for event in facts.after_contact(case) if event.type == "ball_ball")
    return {ball for pair in pairs if cue in pair for ball in pair - {cue}}


def _returned(case: Case, balls: Sequence[str]) -> tuple[str, ...]:
    """PYR-22.5b, where one of those balls touched something foreign and came back."""
    back = {event.fields["ball"] for event in facts.of_type(case, "off_table") if event.fields.get("where") == "object_return"}
    return ("PYR-22.5b",) if back & set(balls) else ()


def _is_coloured_pocketed(case: Case, variant: Variant) -> bool:
    return variant.cue_ball is not None and any(ball == variant.cue_ball for ball, _ in facts.pocketed(case))


def _interference(case: Case, touches: tuple[ShotEvent, ...]) -> Foul | None:
    player = case.state.opponent
    if not touches or _striker(case) == player:
        return None
    return Foul("INTERFERENCE", ("PYR-28", "PYR-29L.5"), {"player": player, "ball": touches[0].fields["ball"]})
