"""Questions a rule asks of a stroke: the definitions of rules.md section 1.4, each in one place; plain module.

Rules never filter events themselves. Time order is the order of the event list: events with equal times happened in
the order given. Hits in one `simultaneous_group` could not be told apart; `first_contacts` gives them as a set.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import hypot

from referee.rules.base import Case, Frozen
from tracker.shot import ShotEvent

HEAD_STRING_U = 0.25
"""The head string; behind it means strictly less (GR-3.16)."""

TOUCHING_M = 0.0002
"""Balls nearer than this touch: positions in files have four to six digits (0.2 mm at 9 ft); more would call a legal
hair's breadth a touch."""


def of_type(case: Case, *types: str) -> Iterator[ShotEvent]:
    """The events of these types, in order."""
    return (event for event in case.events if event.type in types)


def is_stroke(case: Case) -> bool:
    """The tip met the cue ball; otherwise the case is a decision or an incident between strokes."""
    return any(of_type(case, "cue_contact"))


def contact_index(case: Case) -> int | None:
    """Place in the event list of the first hit of the cue ball on an object ball after the tip; None without one."""
    struck = False
    for index, event in enumerate(case.events):
        struck = struck or event.type == "cue_contact"
        if struck and event.type == "ball_ball" and case.state.cue_ball in (event.fields["a"], event.fields["b"]):
            return index
    return None


def first_contacts(case: Case) -> tuple[str, ...]:
    """`first`: the object ball that the cue ball touched first; several where the hits could not be separated."""
    index = contact_index(case)
    if index is None:
        return ()
    first = case.events[index]
    group = first.fields.get("simultaneous_group")
    tied = [event for event in case.events[index:] if _is_cue_hit(case, event) and event.fields.get("simultaneous_group") == group]
    hits = [first] if group is None else tied
    return tuple(dict.fromkeys(_other_ball(case, event) for event in hits))


def first_contact(case: Case, *, on: tuple[str, ...]) -> str | None:
    """`first`, a tie read in the shooter's favour: a ball that was on, where one is among them (WPA-SPLIT, A-G2)."""
    hits = first_contacts(case)
    return next((ball for ball in hits if ball in on), hits[0] if hits else None)


def after_contact(case: Case) -> tuple[ShotEvent, ...]:
    """The events after the first contact; one that could not be separated from it counts as after it (WPA-SPLIT)."""
    index = contact_index(case)
    if index is None:
        return ()
    group = case.events[index].fields.get("simultaneous_group")
    tied = [event for event in case.events[:index] if group is not None and event.fields.get("simultaneous_group") == group]
    return (*tied, *case.events[index + 1 :])


def before_contact(case: Case) -> tuple[ShotEvent, ...]:
    """The events before the first contact; all of them without one."""
    index = contact_index(case)
    return case.events if index is None else case.events[:index]


def pocketed(case: Case) -> tuple[tuple[str, str], ...]:
    """Balls that dropped and stayed down, with the pocket, in order (GR-3.11); a rebound is another event."""
    return tuple((event.fields["ball"], event.fields["pocket"]) for event in of_type(case, "pocketed"))


def pocketed_balls(case: Case) -> tuple[str, ...]:
    """Object balls that dropped and stayed down, in order."""
    return tuple(ball for ball, _ in pocketed(case) if ball != case.state.cue_ball)


def off_table(case: Case) -> tuple[str, ...]:
    """Balls that ended off the bed, in order (GR-3.28, N9-11.1); riding a rail top and returning is another event."""
    return tuple(dict.fromkeys(event.fields["ball"] for event in of_type(case, "off_table")))


def is_cue_pocketed(case: Case) -> bool:
    """The cue ball fell."""
    return any(ball == case.state.cue_ball for ball, _ in pocketed(case))


def declared_frozen(case: Case, ball: str) -> tuple[Frozen, ...]:
    """Where that ball was announced to be frozen; one not announced is not frozen (GR-3.38)."""
    return tuple(item for item in case.state.frozen if item.ball == ball and item.declared)


def driven_to_cushion(case: Case) -> tuple[str, ...]:
    """`rail_after`: balls that reached a cushion after the first contact, once each, in order.

    Pocketed and jumped balls count (option `pool.pocketed_is_rail`, WPA-8.4); jaws and rail tops are cushion, so that a
    ball that came back out of a pocket has met one; a ball announced frozen counts at its own cushion only after leaving
    and returning.
    """
    counted: tuple[str, ...] = ("ball_cushion", "rail_top", "pocket_rebound")
    if case.options.pool_pocketed_is_rail:
        counted += ("pocketed", "off_table")
    reached = [event for event in after_contact(case) if event.type in counted and not is_forced_into_own_cushion(case, event)]
    return tuple(dict.fromkeys(event.fields["ball"] for event in reached))


def numbered_to_cushion(case: Case) -> tuple[str, ...]:
    """`rail_count`: object balls driven to a cushion, each once, the cue ball never (A-N2)."""
    return tuple(ball for ball in driven_to_cushion(case) if ball != case.state.cue_ball)


def is_forced_into_own_cushion(case: Case, event: ShotEvent) -> bool:
    """A cushion contact of a ball announced frozen to that cushion that it did not leave, meet a ball and return to."""
    if event.type != "ball_cushion":
        return False
    ball = event.fields["ball"]
    if all(item.to != event.fields["cushion"] for item in declared_frozen(case, ball)):
        return False
    return bool(event.fields.get("from_frozen")) or not _met_a_ball_between(case, ball, event)


def crossed_head_string(case: Case, direction: str) -> tuple[str, ...]:
    """`cross_head`: balls whose centre passed the head string that way (`to_head`, `to_foot`), once each."""
    return tuple(dict.fromkeys(event.fields["ball"] for event in of_type(case, "head_line") if event.fields["dir"] == direction))


def lies_behind_head_string(case: Case, ball: str) -> bool:
    """Before the stroke the ball's centre lay behind the head string; on the string is not behind it (GR-3.16)."""
    place = case.state.positions.get(ball)
    return place is not None and place[0] < HEAD_STRING_U


def before_tip(case: Case) -> tuple[ShotEvent, ...]:
    """The events before the tip meets the cue ball; all of them without a stroke."""
    for index, event in enumerate(case.events):
        if event.type == "cue_contact":
            return case.events[:index]
    return case.events


def cue_ball_set_at(case: Case) -> tuple[float, float] | None:
    """Where the cue ball was last set from the hand, parts of the table's length and width; None where nobody told."""
    placed = [event.fields["pos"] for event in before_tip(case) if event.type == "placement"]
    if placed:
        u, v = placed[-1]
        return float(u), float(v)
    return case.state.positions.get(case.state.cue_ball) if is_stroke(case) else None


def touches_a_ball(case: Case, place: tuple[float, float]) -> bool:
    """Whether the cue ball touches another one at that place, to `TOUCHING_M`."""
    state = case.state
    reach = state.table.ball_diameter_m + TOUCHING_M
    lying = (other for ball, other in state.positions.items() if ball != state.cue_ball)
    return any(hypot((place[0] - u) * state.table.length_m, (place[1] - v) * state.table.width_m) <= reach for u, v in lying)


def tip_contacts(case: Case) -> int:
    """How often the tip met the cue ball."""
    return sum(1 for _ in of_type(case, "cue_contact"))


def official_facts(case: Case) -> tuple[str, ...]:
    """What an official stated, in order."""
    return tuple(event.fields["fact"] for event in of_type(case, "official"))


def touches(case: Case, *, actor: str) -> tuple[ShotEvent, ...]:
    """Balls touched by a person (`A`, `B`, `outsider`) otherwise than with the tip, before the balls came to rest."""
    return tuple(event for event in _until_stop(case) if event.type == "touch" and event.fields["actor"] == actor)


def touches_after_stop(case: Case) -> tuple[ShotEvent, ...]:
    """Touches after the balls came to rest."""
    return tuple(event for event in case.events[len(_until_stop(case)) :] if event.type == "touch")


def split_at_rest(case: Case) -> tuple[Case, Case]:
    """The stroke until all balls have come to rest, the stop included, and what happened afterwards (PYR-14, GR-3.15)."""
    end = len(_until_stop(case)) + 1
    return replace(case, events=case.events[:end]), replace(case, events=case.events[end:])


def rest_positions(case: Case) -> dict[str, tuple[float, float]]:
    """(u, v) of the balls at rest after the stroke, as far as known.

    A ball that no event names has not moved, so that its place before the stroke holds.
    """
    stop = next(of_type(case, "stop"), None)
    given = {} if stop is None else stop.fields.get("positions", {})
    moved = {case.state.cue_ball} if is_stroke(case) else set()
    for event in case.events:
        moved |= {event.fields[key] for key in ("a", "b", "ball") if key in event.fields}
    still = {ball: place for ball, place in case.state.positions.items() if ball not in moved}
    return still | {ball: (float(place[0]), float(place[1])) for ball, place in given.items()}


def _is_cue_hit(case: Case, event: ShotEvent) -> bool:
    return event.type == "ball_ball" and case.state.cue_ball in (event.fields["a"], event.fields["b"])


def _other_ball(case: Case, event: ShotEvent) -> str:
    ball: str = event.fields["b"] if event.fields["a"] == case.state.cue_ball else event.fields["a"]
    return ball


def _until_stop(case: Case) -> tuple[ShotEvent, ...]:
    for index, event in enumerate(case.events):
        if event.type == "stop":
            return case.events[:index]
    return case.events


def _met_a_ball_between(case: Case, ball: str, cushion: ShotEvent) -> bool:
    """After the cue ball's first hit on something, and before this cushion contact, the ball met another ball."""
    index = contact_index(case)
    start = 0 if index is None else index + 1
    for event in case.events[start:]:
        if event is cushion:
            return False
        if event.type == "ball_ball" and ball in (event.fields["a"], event.fields["b"]):
            return True
    return False
