"""The ways in which a shot can have happened: its facts with their doubt, as axes; plain module.

An axis is one question ("which ball first?") with its possible answers. Answers with a probability multiply; an `open`
axis is one that nobody can weigh (a ball still rolls, the strike was not seen): a ruling has to hold for every answer.

The marginal facts of the shot line rule over the events: `first_contact` says which ball was first and
`rail_after_contact` whether anything reached a cushion after it; the probabilities of the single contacts and cushions
are not multiplied in again. What a ball's track says about its end (pocketed, off the table, still there) is one
question a ball. On a break that pockets nothing, how many numbered balls reached a cushion is one more.

In pyramid the order of contacts, cushions and crossings decides (PYR-20), so that each one that is neither sure nor all
but excluded is a question of its own there (`trail`), and the two marginal facts about cushions are not asked.

What a camera proposes and an official must confirm (a touch, a second tip contact) is not judged on the camera's word.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from calibration.table import POCKETS, Table
from referee.rules.base import Case, State
from referee.rules.options import Options
from tracker.shot import Shot, ShotEvent

LEAST_JOINT_P = 0.001
"""Readings less likely than this are not judged (design.md, doubt is data)."""
LIKELY = 0.5
"""Events that decide nothing by themselves are taken as they are more likely to be."""
NONE, UNKNOWN = "none", "unknown"
STAYS = ""
"""A ball that is on the table at the end."""
TRAIL_TYPES = ("ball_ball", "ball_cushion", "rail_top", "centre_line", "pocket_rebound", "head_line")
"""Events of which item 20 of pyramid asks in what order they came."""
MOST_ASKED = 5
"""So many doubtful events of a stroke are asked one by one (at most 2**5 readings); surer ones are taken as they are likelier."""
FULL_PRODUCT_BALLS = 4
"""Up to so many open balls every combination is judged (at most 2**4 of them); beyond, each ball alone and all together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way in which the shot can have happened.

    Attributes:
        p: Joint probability of the answers that have one.
        first: Ball first met, `none`, or `unknown` (cannot be judged as it stands).
        rail: A ball reached a cushion after the first contact.
        fates: Balls that left the bed, with the pocket (`FL`) or `off` as how; the others stay. Read only.
        rail_balls: How many numbered balls reached a cushion; None where that was not asked.
        open_rail: Balls that may yet reach a cushion, taken to have done so.
        trail: Places in the event list of the contacts, cushions and crossings that happened, where each is asked; else None.
        state: The state it is judged against.
    """

    p: float
    first: str
    rail: bool
    fates: Mapping[str, str] = field(default_factory=dict)
    rail_balls: int | None = None
    open_rail: tuple[str, ...] = ()
    trail: frozenset[int] | None = None
    state: State


def closed_readings(shot: Shot, state: State) -> list[Reading]:
    """Every reading of what has a probability, joint probability above `LEAST_JOINT_P`, likeliest first."""
    found = []
    for first, p_first in first_contacts(shot).items():
        for rail, p_rail in [(first != NONE, 1.0)] if _is_order_judged(state) else _rails(shot, first):
            for fates, p_fates in _all_fates(shot):
                base = p_first * p_rail * p_fates
                if base <= LEAST_JOINT_P:
                    continue
                for count, p_count in _rail_counts(shot, state, rail=rail, fates=fates):
                    if base * p_count <= LEAST_JOINT_P:
                        continue
                    for trail, p_trail in _trails(shot, state, decides=rail and not any(how in POCKETS for how in fates.values())):
                        p = base * p_count * p_trail
                        found.append(Reading(p=p, first=first, rail=rail, fates=fates, rail_balls=count, trail=trail, state=state))
    return sorted(found, key=lambda reading: -reading.p)


def open_variants(reading: Reading, shot: Shot, states: Sequence[State]) -> Iterator[Reading]:
    """The reading as it stands, then with every other answer to what nobody can weigh.

    Args:
        reading: From `closed_readings`.
        shot: The same shot.
        states: The states that can have been before it, the likelier first.
    """
    rolling = [ball for ball in open_balls(shot) if ball not in reading.fates]
    rails = (False, True) if rolling and _can_rail_matter(reading) else (False,)
    firsts = possible_firsts(shot, states) if reading.first == UNKNOWN else (reading.first,)
    falling = [ball for ball in rolling if ball not in _kept_from_mouths(shot)]
    for state, first, falls, reach in product(states, firsts, _falls(falling, states[0]), rails):
        rail = (reading.rail or reach) and first != NONE
        yield Reading(
            p=reading.p,
            first=first,
            rail=rail,
            fates={**reading.fates, **falls},
            rail_balls=reading.rail_balls,
            open_rail=tuple(rolling) if reach and first != NONE else (),
            trail=reading.trail,
            state=state,
        )
        if reading.first == UNKNOWN and not reading.rail and first != NONE:
            yield Reading(p=reading.p, first=first, rail=True, fates={**reading.fates, **falls}, rail_balls=None, state=state)


def first_contacts(shot: Shot) -> dict[str, float]:
    """`first_contact`; what it leaves out of 1 is unknown too."""
    known = {ball: p for ball, p in shot.first_contact.items() if p > 0}
    missing = 1.0 - sum(known.values())
    if missing > LEAST_JOINT_P:
        known[UNKNOWN] = known.get(UNKNOWN, 0.0) + missing
    return known


def possible_firsts(shot: Shot, states: Sequence[State]) -> tuple[str, ...]:
    """What can have been met first where that was not seen: every object ball, and none if no object ball stirred."""
    balls = tuple(dict.fromkeys(ball for state in states for ball in state.object_balls))
    cue = states[0].cue_ball
    stirred = any(
        event.p >= LIKELY and any(event.fields.get(key) not in (None, cue) for key in ("a", "b", "ball"))
        for event in shot.events
        if event.type in ("ball_ball", "ball_cushion", "pocketed", "off_table")
    )
    return balls if stirred else (*balls, NONE)


def open_balls(shot: Shot) -> tuple[str, ...]:
    """Balls whose end nobody can weigh: listed by a `not_at_rest` doubt as able to change something yet, or lost from
    sight after they had been set in motion.

    A recording that ends before rest without saying which balls matter leaves every ball open.
    """
    doubts = [doubt for doubt in shot.doubts if doubt.kind == "not_at_rest"]
    balls = [ball for doubt in doubts for ball in doubt.balls]
    if not shot.complete and not doubts:
        balls += list(shot.after)
    moved = {event.fields[key] for event in shot.events for key in ("a", "b", "ball") if key in event.fields} | {shot.cue_ball}
    balls += [ball for doubt in shot.doubts if doubt.kind == "hidden" for ball in doubt.balls if ball in moved and ball not in shot.after]
    weighed = {event.fields["ball"] for event in shot.events if event.type in ("pocketed", "off_table")}
    return tuple(ball for ball in dict.fromkeys(balls) if ball not in weighed)


def _kept_from_mouths(shot: Shot) -> set[str]:
    """Balls that may yet meet something but reach no mouth any more, as a `not_at_rest` doubt says."""
    doubts = [doubt for doubt in shot.doubts if doubt.kind == "not_at_rest" and doubt.falls is not None]
    return {ball for doubt in doubts for ball in doubt.balls if ball not in (doubt.falls or ())}


def likeliest_fates(shot: Shot) -> tuple[list[tuple[str, str]], list[str]]:
    """Balls more likely pocketed than not, with the likeliest pocket, and balls more likely off the table; in order of time."""
    fallen, off = [], []
    for ball, fates in _fates(shot).items():
        pocket = max(fates, key=lambda how: fates[how] if how in POCKETS else -1.0)
        if sum(p for how, p in fates.items() if how in POCKETS) >= LIKELY:
            fallen.append((ball, pocket))
        elif fates.get("off", 0.0) >= LIKELY:
            off.append(ball)
    return fallen, off


def to_case(reading: Reading, shot: Shot, people: Sequence[ShotEvent], options: Options) -> Case:
    """The reading as events that a rule set can judge, with what people stated among them."""
    cue = reading.state.cue_ball
    t_contact = _contact_time(reading, shot, cue)
    events = [ShotEvent(t=0.0, type="cue_contact"), *_contacts(reading, shot, cue, t_contact), *_cushions(reading, shot, cue, t_contact)]
    for ball, how in reading.fates.items():
        kind, extra = ("off_table", {"where": "floor"}) if how == "off" else ("pocketed", {"pocket": how})
        seen = [event.t for event in shot.events if event.type == kind and event.fields["ball"] == ball]
        t = seen[0] if seen else max(shot.end_s - shot.start_s, t_contact)
        events.append(ShotEvent(t=t, type=kind, fields={"ball": ball, **extra}))
    lines = _happened(reading, shot, "head_line", "centre_line", "pocket_rebound")
    if reading.trail is not None:  # a ball still rolling may yet cross the centre line too
        lines += [ShotEvent(t=shot.end_s, type="centre_line", fields={"ball": ball, "dir": "to_foot"}) for ball in reading.open_rail]
    table = Table(reading.state.table)
    rest = {ball: list(table.to_fractions(place)) for ball, place in shot.after.items() if ball not in reading.fates}
    end_s = max([shot.end_s - shot.start_s, *(event.t for event in events)])
    stop = ShotEvent(t=end_s, type="stop", fields={"positions": rest})
    stroke = sorted([*events, *lines], key=lambda event: (event.t, event.type != "cue_contact", event.type != "ball_ball"))
    before = [event for event in people if event.t < 0]
    during = sorted([*stroke, *(event for event in people if 0 <= event.t <= end_s)], key=lambda event: event.t)
    after = [event for event in people if event.t > end_s]
    return Case(state=reading.state, events=(*before, *during, stop, *after), options=options, zones_known=False)


def _is_order_judged(state: State) -> bool:
    """Pyramid: the order of contacts, cushions and crossings decides (PYR-20)."""
    return any(ball.startswith("w") for ball in state.balls)


def _trails(shot: Shot, state: State, *, decides: bool) -> Iterator[tuple[frozenset[int] | None, float]]:
    """Which contacts, cushions and crossings happened, where their order is judged; the least sure are asked one by one.

    With a ball down or no contact at all it `decides` nothing (PYR-20.c1, 29L.1). Answers are not dropped for being
    unlikely: there are few, and together they can be more than a little.
    """
    if not _is_order_judged(state):
        yield None, 1.0
        return
    single = [index for index, event in enumerate(shot.events) if event.type in TRAIL_TYPES]
    doubtful = [index for index in single if LEAST_JOINT_P < shot.events[index].p < 1 - LEAST_JOINT_P]
    asked = sorted(doubtful, key=lambda index: abs(shot.events[index].p - LIKELY))[: MOST_ASKED if decides else 0]
    sure = {index for index in single if index not in asked and shot.events[index].p >= LIKELY}
    for answers in product((True, False), repeat=len(asked)):
        p = prod(shot.events[index].p if yes else 1 - shot.events[index].p for index, yes in zip(asked, answers, strict=True))
        if p > 0:
            yield frozenset(sure | {index for index, yes in zip(asked, answers, strict=True) if yes}), p


def _happened(reading: Reading, shot: Shot, *types: str) -> list[ShotEvent]:
    """The events of these types that happened in the reading."""
    trail = reading.trail
    return [
        event for index, event in enumerate(shot.events) if event.type in types and (event.p >= LIKELY if trail is None else index in trail)
    ]


def _rails(shot: Shot, first: str) -> list[tuple[bool, float]]:
    """Whether a cushion was reached after the contact; given as a share of all cases, asked here of those with a contact."""
    if first == NONE:
        return [(False, 1.0)]
    contact = 1.0 - first_contacts(shot).get(NONE, 0.0)
    p = min(1.0, shot.rail_after_contact / contact) if contact > 0 else 0.0
    return [(rail, share) for rail, share in ((True, p), (False, 1.0 - p)) if share > 0]


def _fates(shot: Shot) -> dict[str, dict[str, float]]:
    """Ball to the ways in which it can have left the bed, each with its probability; several pockets exclude each other."""
    fates: dict[str, dict[str, float]] = {}
    for event in shot.events:
        if event.type in ("pocketed", "off_table"):
            how = "off" if event.type == "off_table" else str(event.fields["pocket"])
            ways = fates.setdefault(event.fields["ball"], {})
            ways[how] = min(1.0, ways.get(how, 0.0) + event.p)
    for ball, ways in fates.items():
        total = sum(ways.values())
        if total > 1:
            fates[ball] = {how: p / total for how, p in ways.items()}
    return fates


def _all_fates(shot: Shot) -> Iterator[tuple[dict[str, str], float]]:
    fates = _fates(shot)
    choices = [[*ways.items(), (STAYS, max(0.0, 1.0 - sum(ways.values())))] for ways in fates.values()]
    likely = [[choice for choice in ways if choice[1] > LEAST_JOINT_P] for ways in choices]
    for combination in product(*likely):
        p = prod(share for _, share in combination)
        if p > LEAST_JOINT_P:
            yield {ball: how for ball, (how, _) in zip(fates, combination, strict=True) if how != STAYS}, p


def _cushion_balls(shot: Shot, cue: str) -> dict[str, float]:
    """Numbered ball to the probability that it reached a cushion at all."""
    missed: dict[str, float] = {}
    for event in shot.events:
        if event.type in ("ball_cushion", "rail_top") and event.fields["ball"] != cue:
            ball = event.fields["ball"]
            missed[ball] = missed.get(ball, 1.0) * (1.0 - event.p)
    return {ball: 1.0 - p for ball, p in sorted(missed.items(), key=lambda item: item[1])}


def _rail_counts(shot: Shot, state: State, *, rail: bool, fates: Mapping[str, str]) -> list[tuple[int | None, float]]:
    """How many numbered balls reached a cushion; asked only on a break that pockets nothing, where it can matter."""
    fallen = any(how in POCKETS and ball != state.cue_ball for ball, how in fates.items())
    if state.phase not in ("break", "rebreak") or fallen or _is_order_judged(state):
        return [(None, 1.0)]
    if not rail:
        return [(0, 1.0)]
    counts = [1.0]
    for p in _cushion_balls(shot, state.cue_ball).values():
        counts = [a * (1.0 - p) + b * p for a, b in zip([*counts, 0.0], [0.0, *counts], strict=True)]
    return [(count, p) for count, p in enumerate(counts) if p > LEAST_JOINT_P]


def _can_rail_matter(reading: Reading) -> bool:
    return not reading.rail or reading.rail_balls is not None or reading.trail is not None


def _falls(rolling: Sequence[str], state: State) -> list[dict[str, str]]:
    """Which of the balls still rolling fall yet; the pocket called, where one was, and another."""
    called = state.call.pocket if state.call is not None and state.call.pocket is not None else POCKETS[0]
    pockets = [called] if state.call is None or state.call.pocket is None else [called, next(p for p in POCKETS if p != called)]
    if len(rolling) <= FULL_PRODUCT_BALLS:
        ways = product((STAYS, *pockets), repeat=len(rolling))
        return [{ball: how for ball, how in zip(rolling, way, strict=True) if how != STAYS} for way in ways]
    return [{}, *({ball: pocket} for ball in rolling for pocket in pockets), dict.fromkeys(rolling, called)]


def _contact_time(reading: Reading, shot: Shot, cue: str) -> float:
    hits = [event for event in shot.events if event.type == "ball_ball" and cue in (event.fields["a"], event.fields["b"])]
    own = [event.t for event in hits if reading.first in (event.fields["a"], event.fields["b"])]
    return max(0.0, min(own or [event.t for event in hits] or [0.0]))


def _contacts(reading: Reading, shot: Shot, cue: str, t_contact: float) -> Iterator[ShotEvent]:
    """Ball contacts of the reading: the cue ball's first is with `first`, later ones as they are more likely."""
    if reading.first != NONE:
        yield ShotEvent(t=t_contact, type="ball_ball", fields={"a": cue, "b": reading.first})
    for event in _happened(reading, shot, "ball_ball"):
        if cue in (event.fields["a"], event.fields["b"]) and (reading.first == NONE or event.t <= t_contact):
            continue
        yield ShotEvent(t=event.t, type="ball_ball", fields={"a": event.fields["a"], "b": event.fields["b"]})


def _cushions(reading: Reading, shot: Shot, cue: str, t_contact: float) -> Iterator[ShotEvent]:
    """Cushions of the reading: none after the contact unless `rail`, and then at least one."""
    if reading.trail is not None:
        yield from _happened(reading, shot, "ball_cushion", "rail_top")
        for ball in reading.open_rail:
            yield ShotEvent(t=shot.end_s, type="ball_cushion", fields={"ball": ball, "cushion": "foot"})
        return
    cushions = [event for event in shot.events if event.type in ("ball_cushion", "rail_top")]
    yield from (event for event in cushions if event.t < t_contact and event.p >= LIKELY)
    if not reading.rail:
        return
    later = [event for event in cushions if event.t >= t_contact]
    kept = [event for event in later if event.p >= LIKELY] or sorted(later, key=lambda event: -event.p)[:1]
    if reading.rail_balls is not None:
        balls = {cue, *list(_cushion_balls(shot, cue))[: reading.rail_balls]}
        kept = [event for event in later if event.fields["ball"] in balls]
    end_s = max(shot.end_s - shot.start_s, t_contact)
    yield from kept
    yield from (ShotEvent(t=end_s, type="ball_cushion", fields={"ball": ball, "cushion": "foot"}) for ball in reading.open_rail)
    if not kept and not reading.open_rail:
        yield ShotEvent(t=end_s, type="ball_cushion", fields={"ball": cue, "cushion": "foot"})
