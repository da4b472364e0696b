"""Where balls lie after a pyramid stroke, and where illegal and jumped ones are spotted (items 22.4, 24.4, 25); plain module.

A spotted ball goes on the rear mark, or as near it as it can lie on the spotting line without touching, behind the mark
first and on the extension toward the centre only where no place is left behind (PYR-25.2). Order is free; ascending is
proposed (A-P11). Every ball, the cue ball too, is left the same gap (option `pyr.spot_gap_mm`).
"""

from collections.abc import Iterable

from referee.rules import facts, general
from referee.rules.base import Case
from referee.rules.pyramid_variants import Variant, sorted_balls
from referee.rules.spotting import find_spots
from referee.ruling import Reason, Ruling, amended


def lying_after(case: Case, gone: Iterable[str]) -> dict[str, tuple[float, float]]:
    """(u, v) of the balls after the stroke, as far as known: those put back where they were, those in `gone` nowhere."""
    lying = facts.rest_positions(case)
    back = put_back(case)
    lying |= {ball: case.state.positions[ball] for ball in back if ball in case.state.positions and ball not in lying}
    away = set(gone)
    return {ball: place for ball, place in lying.items() if ball not in away}


def put_back(case: Case) -> tuple[str, ...]:
    """PYR-23.1, 22.3, 28: hanging balls that fell by themselves, and balls at rest that somebody touched.

    A ball that was in motion when it was touched has no place to go back to; nor has a cue ball that was in hand.
    """
    dropped = [event.fields["ball"] for event in facts.of_type(case, "spontaneous_drop")]
    touched = [event.fields["ball"] for event in facts.of_type(case, "touch") if not _was_moving(case, event.fields["ball"])]
    touched += moved_in_placing(case)
    in_hand = (case.state.cue_ball,) if case.state.in_hand else ()
    gone = {*facts.off_table(case), *(ball for ball, _ in facts.pocketed(case)), *in_hand} - set(dropped)
    return tuple(ball for ball in dict.fromkeys((*dropped, *touched)) if ball not in gone)


def moved_in_placing(case: Case) -> tuple[str, ...]:
    """COMB-H2: balls that an official saw move while the cue ball was placed, whoever did not see the touch."""
    if not case.state.in_hand or not any(event.type == "placement" for event in facts.before_tip(case)):
        return ()
    facts_stated = [event.fields for event in facts.before_tip(case) if event.type == "official"]
    return tuple(fields["ball"] for fields in facts_stated if fields["fact"] == "ball_moved" and "ball" in fields)


def stands_despite_outsider(case: Case) -> bool:
    """PYR-27.1: all that an outsider moved during a stroke lay still, so that it is put back and the stroke stands."""
    touched = facts.touches(case, actor="outsider")
    if not touched or not facts.is_stroke(case) or not general.is_restorable(case):
        return False
    involved = {event.fields[key] for event in case.events for key in ("a", "b", "ball") if key in event.fields and event.type != "touch"}
    return all(event.fields["ball"] not in involved | {case.state.cue_ball} for event in touched)


def with_put_back(case: Case, ruling: Ruling) -> Ruling:
    """The balls that go back where they were."""
    back = put_back(case)
    if not back or ruling.rack_over:
        return ruling
    clauses = ("PYR-23.1",) if any(facts.of_type(case, "spontaneous_drop")) else ("PYR-6",)
    if any(event.fields["actor"] == "outsider" for event in facts.of_type(case, "touch")):
        clauses = ("PYR-27.1",)
    reason = Reason("put_back", clauses, {"balls": ", ".join(back)})
    balls = ruling.balls_after and tuple(dict.fromkeys((*ruling.balls_after, *back)))
    return amended(ruling, restored=back, balls_after=balls, reasons=(*ruling.reasons, reason))


def with_spotted(case: Case, variant: Variant, ruling: Ruling, spotted: Iterable[str], *, cue_in_hand: bool) -> Ruling:
    """PYR-25: the places of the balls that are spotted after the stroke and before the next."""
    balls = sorted_balls(spotted)
    if not balls:
        return ruling
    gone = (*balls, variant.cue_ball) if cue_in_hand and variant.cue_ball else balls
    lying = lying_after(case, gone)
    places = find_spots(case.state.table, balls, lying, cue_ball=None, gap_m=case.options.pyr_spot_gap_mm / 1000)
    off = ("PYR-24.4",) if set(balls) & set(facts.off_table(case)) else ()
    fallen = ("PYR-22.3a", "PYR-22.4") if set(balls) - set(facts.off_table(case)) and ruling.foul else ()
    layout: tuple[str, ...] = ("PYR-25.2a",) if len(balls) == 1 else ("PYR-25.2a", "PYR-25.2b")
    if any(place != (0.75, 0.5) for place in list(places.values())[:1]):
        layout += ("PYR-25.2c",)
    if any(u < 0.75 for u, _ in places.values()):
        layout += ("PYR-25.2d",)
    clauses = (*fallen, *off, "PYR-25.1", *layout, *variant.cites["spotted"])
    reason = Reason("pyr_spotted", tuple(dict.fromkeys(clauses)), {"balls": ", ".join(balls)})
    return amended(ruling, spotted=balls, spotted_pos=places, spotted_slots=tuple(places.values()), reasons=(*ruling.reasons, reason))


def _was_moving(case: Case, ball: str) -> bool:
    """Something moved it on the stroke before the touch (it may be put back only where it lay still)."""
    struck = False
    for event in case.events:
        if event.type == "touch" and event.fields["ball"] == ball:
            return struck and not any(earlier.type == "stop" for earlier in case.events[: case.events.index(event)])
        struck = struck or (event.type == "cue_contact" and ball == case.state.cue_ball)
        struck = struck or (event.type == "ball_ball" and ball in (event.fields["a"], event.fields["b"]))
    return False
