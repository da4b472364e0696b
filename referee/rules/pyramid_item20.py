"""Item 20 of the general rules of pyramid and the initial stroke of item 12: order of events; plain module.

Theory. Item 20 asks for one of several short chains of events after the cue ball has met an object ball. A chain is
carried by a ball, and handed on by a collision: the ball that was moving (`a`) drives the other (`b`), which then
carries on what the first had behind it. So each ball has a trail: cushions it rebounded from, itself or through the
ball that drove it, and whether the centre line lies behind it in the same sense. A cushion, a crossing or a collision
completes a condition where the trail of that ball already holds what must come before (PYR-20.N1).

    cushion, then another cushion   2r     crossing, then cushion          3r
    cushion, then crossing          4a/4b  cushion or crossing, then a ball frozen to a cushion  3c
    any ball pocketed               c1     two balls, a cushion each       2u (profile `union`)

A ball pressed into the cushion that it already touched has not rebounded; such strokes have their own rule (N2).
The lip of a middle pocket is a crossing and, by A-P4, not a cushion. A ball that comes to rest on the centre line has
crossed it in the striker's favour (A-P2, the reading of the lost note N3).

Failure cases. Who drove whom in a collision of two moving balls is a judgement (`a` as the event says). Handing on
through several balls is read in the striker's favour. The number of times a long cushion's halves are met does not
matter (A-P21).
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from referee.rules import facts
from referee.rules.base import Case
from tracker.shot import ShotEvent

CENTRE_U = 0.5
"""The centre line."""
ON_LINE_M = 0.002
"""A ball at rest this near the centre line has reached it in the striker's favour (A-P2)."""
MIDDLE_POCKETS = ("SL", "SR")
CUSHIONS_TO_DISPERSE = 3
"""Balls that an initial stroke brings to cushions where none falls; with two a third crosses the centre line (PYR-12)."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of item 20 that a stroke completed: the key of its sentence and its clauses."""

    key: str
    clauses: tuple[str, ...]


POCKETED = Condition("pyr_20_c1", ("PYR-20.c1",))
TWO_CUSHIONS = Condition("pyr_20_2r", ("PYR-20.2r",))
TWO_BALLS = Condition("pyr_20_2u", ("PYR-20.2u",))
LINE_CUSHION = Condition("pyr_20_3r", ("PYR-20.3r",))
FROZEN_AFTER_LINE = Condition("pyr_20_3c", ("PYR-20.3c", "PYR-20.3r"))
FROZEN_AFTER_CUSHION = Condition("pyr_20_3c", ("PYR-20.3c",))
CUSHION_LINE = Condition("pyr_20_4a", ("PYR-20.4a",))
CUSHION_ROLLS = Condition("pyr_20_4b", ("PYR-20.4b",))
TWO_COLLISIONS = Condition("pyr_20_n2a", ("PYR-20.N2a",))
ANNOUNCED = Condition("pyr_20_n2b", ("PYR-20.N2b",))
CONDITIONS = (
    POCKETED,
    TWO_CUSHIONS,
    TWO_BALLS,
    LINE_CUSHION,
    FROZEN_AFTER_LINE,
    FROZEN_AFTER_CUSHION,
    CUSHION_LINE,
    CUSHION_ROLLS,
    TWO_COLLISIONS,
    ANNOUNCED,
)

NOT_IN_SEED_ONLY = (TWO_CUSHIONS, LINE_CUSHION)
"""Reconstructed alternatives, left out by the profile `seed_only` (A-P1)."""


@dataclass(slots=True)
class _Trail:
    """What lies behind a ball: cushions and crossings, and which of it is its own doing."""

    cushions: set[str] = field(default_factory=set)
    own_cushions: set[str] = field(default_factory=set)
    is_over: bool = False
    is_over_itself: bool = False


def find_condition(case: Case) -> Condition | None:
    """PYR-20: the first condition completed, under the profile that the organiser chose; None where none was."""
    if any(event.type == "pocketed" for event in facts.after_contact(case)):
        return POCKETED
    found = next(_frozen_ball_strokes(case), None)
    return found or next(_chains(case), None)


def is_dispersed(case: Case) -> bool:
    """PYR-12: a ball falls, or three balls reach cushions, or two do and a third crosses the centre line."""
    if any(event.type == "pocketed" for event in facts.after_contact(case)):
        return True
    at_cushion = {event.fields["ball"] for event in facts.after_contact(case) if _is_cushion(event)}
    over = {event.fields["ball"] for event in facts.after_contact(case) if is_crossing(event)} | set(_on_line(case))
    if len(at_cushion) >= CUSHIONS_TO_DISPERSE:
        return True
    return any(len(at_cushion - {ball}) >= CUSHIONS_TO_DISPERSE - 1 for ball in over)


def is_crossing(event: ShotEvent) -> bool:
    """`cross_centre`: the line itself, or the lip of a middle pocket, or back out of one (PYR-20.N4)."""
    if event.type == "centre_line":
        return True
    return _is_middle_lip(event) or (event.type == "pocket_rebound" and event.fields["pocket"] in MIDDLE_POCKETS)


def uses_lip(case: Case) -> bool:
    """A lip of a middle pocket was met after the contact, so that N4 has a say."""
    return any(is_crossing(event) and event.type != "centre_line" for event in facts.after_contact(case))


def rests_on_line(case: Case) -> tuple[str, ...]:
    """Balls that came to rest on the centre line (A-P2)."""
    return _on_line(case)


def _is_middle_lip(event: ShotEvent) -> bool:
    return event.type == "ball_cushion" and event.fields.get("jaw") in MIDDLE_POCKETS


def _is_cushion(event: ShotEvent) -> bool:
    return event.type == "ball_cushion" and not event.fields.get("from_frozen") and not _is_middle_lip(event)


def _chains(case: Case) -> Iterator[Condition]:
    """Alternatives (2), (2'), (3) and (4) in the order in which the stroke completes them."""
    trails: defaultdict[str, _Trail] = defaultdict(_Trail)  # also of a ball that the layout did not show
    struck = facts.first_contacts(case)
    standing = {ball: own for ball, own in _frozen_to_cushions(case).items() if ball not in struck}
    reached: set[str] = set()
    excluded = NOT_IN_SEED_ONLY if case.options.pyr_cond20 == "seed_only" else ()
    for event in facts.after_contact(case):
        if event.type == "ball_ball":
            yield from _collide(trails, standing, event.fields["a"], event.fields["b"])
        elif is_crossing(event):
            yield from _cross(trails[event.fields["ball"]])
        elif _is_cushion(event):
            reached.add(event.fields["ball"])
            found = _rebound(trails[event.fields["ball"]], event.fields["cushion"])
            yield from (condition for condition in found if condition not in excluded)
            if case.options.pyr_cond20 == "union" and len(reached) > 1:
                yield TWO_BALLS
    for ball in _on_line(case):
        yield from _cross(trails[ball])


def _collide(trails: defaultdict[str, _Trail], standing: dict[str, set[str]], mover: str, met: str) -> Iterator[Condition]:
    """A ball touches one that stands frozen (3c), and drives it: what lies behind the mover lies behind the driven ball."""
    if met in standing and trails[mover].is_over_itself:
        yield FROZEN_AFTER_LINE
    elif met in standing and trails[mover].own_cushions:
        yield FROZEN_AFTER_CUSHION
    standing.pop(met, None)
    trails[met].cushions |= trails[mover].cushions
    trails[met].is_over |= trails[mover].is_over


def _cross(trail: _Trail) -> Iterator[Condition]:
    """(4): a cushion lies behind the ball that crosses, its own (a) or that of the ball that rolled it (b)."""
    if trail.cushions:
        yield CUSHION_LINE if trail.own_cushions else CUSHION_ROLLS
    trail.is_over = trail.is_over_itself = True


def _rebound(trail: _Trail, cushion: str) -> Iterator[Condition]:
    """(2): another cushion lies behind it; (3): the centre line does."""
    if trail.cushions - {cushion}:
        yield TWO_CUSHIONS
    if trail.is_over:
        yield LINE_CUSHION
    trail.cushions.add(cushion)
    trail.own_cushions.add(cushion)


def _frozen_ball_strokes(case: Case) -> Iterator[Condition]:
    """N2: the cue ball meets a ball frozen to a cushion and goes to another cushion or over the line, after a second
    collision with it (a) or after the first one, where the ball had been announced (b)."""
    cue, standing = case.state.cue_ball, _frozen_to_cushions(case)
    announced = {item.ball for item in case.state.frozen if item.declared}
    met: dict[str, set[str]] = {}
    twice: set[str] = set()
    index = facts.contact_index(case)
    for event in () if index is None else (case.events[index], *facts.after_contact(case)):
        if event.type == "ball_ball":
            pair = (event.fields["a"], event.fields["b"])
            other = pair[1] if pair[0] == cue else pair[0]
            if cue in pair and other in met:
                twice.add(other)
            elif cue in pair and other in standing:
                met[other] = standing[other]
            for ball in pair:
                standing.pop(ball, None)
        elif event.fields.get("ball") == cue and (is_crossing(event) or _is_cushion(event)):
            done = [ball for ball, own in met.items() if is_crossing(event) or event.fields["cushion"] not in own]
            yield from (TWO_COLLISIONS for ball in done if ball in twice)
            yield from (ANNOUNCED for ball in done if ball in announced)


def _frozen_to_cushions(case: Case) -> dict[str, set[str]]:
    """Balls that stood frozen to a cushion before the stroke, with the cushions, announced or not (N2a asks for no word)."""
    found: dict[str, set[str]] = {}
    for item in case.state.frozen:
        if item.to != "cue":
            found.setdefault(item.ball, set()).add(item.to)
    return found


def _on_line(case: Case) -> tuple[str, ...]:
    """Balls set in motion that came to rest on the centre line without passing it."""
    stop = next(facts.of_type(case, "stop"), None)
    places = {} if stop is None else stop.fields.get("positions", {})
    moved = {event.fields[key] for event in facts.after_contact(case) for key in ("a", "b", "ball") if key in event.fields}
    moved |= {case.state.cue_ball, *facts.first_contacts(case)}
    length_m = case.state.table.length_m
    near = [ball for ball, (u, _) in places.items() if ball in moved and abs(u - CENTRE_U) * length_m <= ON_LINE_M]
    before = case.state.positions
    return tuple(ball for ball in near if ball not in before or abs(before[ball][0] - CENTRE_U) * length_m > ON_LINE_M)
