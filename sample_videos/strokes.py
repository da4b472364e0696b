"""Drafts by kind: which layout and stroke are likely to become a cut, a bank, a split hit, ..

Each function draws once and gives None where the draw leads nowhere; kinds.py says which outcome is then kept.
"""

from collections.abc import Callable
from math import atan2, hypot

import numpy as np

from sample_videos.drafts import Draft, Drafter, turned

Maker = Callable[[Drafter, str], Draft | None]

_SPEEDS = {"no_rail": (0.3, 0.8), "safety": (0.5, 1.1), "hard": (3.5, 6.5), "hangs": (0.7, 1.6)}
_LOOSE = {"miss", "safety", "no_rail", "no_contact", "hard", "rattle"}


def _count(d: Drafter, low: int, high: int) -> int:
    return int(d.rng.integers(low, high)) + (0 if d.nine and not d.pyramid else int(d.rng.integers(0, 6)))


def draft_pot(d: Drafter, kind: str) -> Draft | None:
    """The target towards a pocket; loosely for misses and safeties, at another ball for wrong hits."""
    layout = d.layout(1 if kind == "nine_pot" else _count(d, 4, 8))
    target = d.lowest(layout)
    if kind in ("wrong_first", "wrong_first_pot"):
        others = [b for b in layout if b not in (d.cue, target)]
        if not others:
            return None
        target = str(d.rng.choice(others))
    goal = d.pick_goal(layout, target)
    if goal is None:
        return None
    low, high = _SPEEDS.get(kind, (1.0, 2.4))
    spread = 0.02 if kind in _LOOSE else 0.002
    if kind == "rattle":
        spread = 0.006
    return d.draft(
        kind,
        layout,
        target,
        speed=d.rng.uniform(low, high),
        phi=goal[1] + d.rng.normal(0, spread * (0.4 if d.pyramid and kind in ("cut", "svoi", "scratch") else 1.0)),
        side=d.rng.normal(0, 0.08),
        height=d.rng.uniform(-0.35, 0.35),
    )


def draft_open(d: Drafter, kind: str) -> Draft | None:
    """A stroke in any direction: kicks, strokes that touch nothing."""
    layout = d.layout(_count(d, 3, 7))
    return d.draft(
        kind, layout, d.lowest(layout), speed=d.rng.uniform(0.9, 2.4), phi=d.rng.uniform(-np.pi, np.pi), height=d.rng.uniform(-0.1, 0.3)
    )


def draft_combination(d: Drafter, kind: str) -> Draft | None:
    """A first ball just behind a second one, in line with a pocket."""
    layout = d.layout(_count(d, 4, 6))
    first = d.lowest(layout)
    second = str(d.rng.choice([b for b in layout if b not in (d.cue, first)]))
    goal = list(d.goals.values())[int(d.rng.integers(6))]
    ghost = d.ghost(layout, second, goal)
    back = turned((layout[second] - ghost) / (2 * d.radius), d.rng.normal(0, 0.3))
    layout[first] = ghost - back * d.rng.uniform(0.01, 0.15)
    if not _clear(d, layout, first, 0.005):
        return None
    aim = d.aim(layout, first, ghost)
    if aim is None or aim[1] < 0.7:
        return None
    return d.draft(kind, layout, first, speed=d.rng.uniform(1.2, 2.6), phi=aim[0])


def draft_bank(d: Drafter, kind: str) -> Draft | None:
    """The target to a pocket's mirror image behind a cushion."""
    layout = d.layout(_count(d, 2, 5))
    target = d.lowest(layout)
    x, y = d.table.spec.length_m / 2 - d.radius, d.table.spec.width_m / 2 - d.radius
    pocket = list(d.goals)[int(d.rng.integers(6))]
    goal = d.goals[pocket].copy()
    axis = int(d.rng.integers(2))
    goal[axis] = d.rng.choice([-1, 1]) * 2 * (x, y)[axis] - goal[axis]
    aim = d.aim(layout, target, goal)
    last = goal - layout[target]
    last[axis] = -last[axis]
    if aim is None or aim[1] < 0.5 or not d.enters(d.goals[pocket] - last, pocket):
        return None
    # A cushion returns a ball at a flatter angle than the mirror says, the more so the slower it comes.
    return d.draft(kind, layout, target, speed=d.rng.uniform(1.3, 3.0), phi=aim[0] + d.rng.normal(0, 0.01))


def draft_carom(d: Drafter, kind: str) -> Draft | None:
    """A second ball near a pocket, met by the cue ball as it leaves the first one."""
    layout = d.layout(_count(d, 2, 4))
    first = d.lowest(layout)
    second = str(d.rng.choice([b for b in layout if b not in (d.cue, first)]))
    pocket = list(d.goals)[int(d.rng.integers(6))]
    layout[second] = d.at_lip(pocket, d.rng.uniform(0.002, 0.05)) + d.rng.normal(0, 0.002, 2)
    way = layout[first] - layout[d.cue]
    if hypot(*way) < 0.2 or not d.free(layout[d.cue], layout[first], layout, (d.cue, first)):
        return None
    # After a rolling hit the cue ball leaves near the tangent line; the half-ball hit turns it by a third of a right angle.
    offset = d.rng.uniform(-0.9, 0.9) * 2 * d.radius
    return d.draft(kind, layout, first, speed=d.rng.uniform(1.0, 2.4), phi=d.toward(layout, first, offset), height=d.rng.uniform(-0.3, 0.3))


def draft_frozen_ball(d: Drafter, kind: str) -> Draft | None:
    """The cue ball touches the target at the start."""
    layout = d.layout(_count(d, 2, 5))
    target = d.lowest(layout)
    way = turned(np.array([1.0, 0.0]), d.rng.uniform(-np.pi, np.pi))
    layout[d.cue] = layout[target] - way * (2 * d.radius + d.rng.uniform(1e-6, 5e-5))
    if not _clear(d, layout, d.cue, 0.0):
        return None
    return d.draft(kind, layout, target, speed=d.rng.uniform(0.6, 2.2), phi=atan2(way[1], way[0]) + d.rng.uniform(-1.1, 1.1))


def draft_frozen_rail(d: Drafter, kind: str) -> Draft | None:
    """The target touches a cushion at the start."""
    layout = d.layout(_count(d, 2, 5))
    target = d.lowest(layout)
    layout[target] = d.beside_nose(layout, d.rng.uniform(1e-6, 1e-4))
    way = layout[target] - layout[d.cue]
    if hypot(*way) < 0.2 or not d.free(layout[d.cue], layout[target], layout, (d.cue, target)):
        return None
    offset = d.rng.uniform(-0.8, 0.8) * 2 * d.radius
    return d.draft(
        kind, layout, target, speed=d.rng.uniform(0.6, 2.4), phi=d.toward(layout, target, offset), height=d.rng.uniform(-0.2, 0.3)
    )


def draft_split(d: Drafter, kind: str) -> Draft | None:
    """Two balls side by side, hit within some milliseconds of each other."""
    layout = d.layout(_count(d, 2, 5))
    first = d.lowest(layout)
    second = str(d.rng.choice([b for b in layout if b not in (d.cue, first)]))
    way = turned(np.array([1.0, 0.0]), d.rng.uniform(-np.pi, np.pi))
    speed = d.rng.uniform(0.8, 3.0)
    left, right = np.radians(d.rng.uniform(31, 70)), np.radians(d.rng.uniform(31, 70))
    if d.rng.random() < 0.5:
        left, right = -left, -right
    meet = layout[d.cue] + way * d.rng.uniform(0.3, 0.9)
    # The second contact comes `later` seconds after the first; the cue ball has slowed to about 0.9 of its speed.
    later = d.rng.uniform(0.0003, 0.012)
    layout[first] = meet + 2 * d.radius * turned(way, left)
    layout[second] = meet + way * 0.9 * speed * later + 2 * d.radius * turned(way, -right)
    if not (
        _clear(d, layout, first, 0.0) and _clear(d, layout, second, 0.0) and d.free(layout[d.cue], meet, layout, (d.cue, first, second))
    ):
        return None
    return d.draft(kind, layout, first, speed=speed, phi=atan2(way[1], way[0]))


def draft_near_miss(d: Drafter, kind: str) -> Draft | None:
    """Past the target by a few millimetres."""
    layout = d.layout(_count(d, 3, 6))
    target = d.lowest(layout)
    if not d.free(layout[d.cue], layout[target], layout, (d.cue, target)) or hypot(*(layout[target] - layout[d.cue])) < 0.25:
        return None
    offset = d.rng.choice([-1, 1]) * (2 * d.radius + d.rng.uniform(0.0002, 0.008))
    return d.draft(kind, layout, target, speed=d.rng.uniform(0.8, 2.4), phi=d.toward(layout, target, offset))


def draft_hanging(d: Drafter, kind: str) -> Draft | None:
    """The target hangs over a pocket."""
    layout = d.layout(_count(d, 3, 6))
    target = d.lowest(layout)
    layout[target] = d.at_lip(list(d.goals)[int(d.rng.integers(6))], d.rng.uniform(0.001, 0.012))
    if not _clear(d, layout, target, 0.01) or not d.free(layout[d.cue], layout[target], layout, (d.cue, target)):
        return None
    offset = d.rng.uniform(-1.0, 1.0) * 1.6 * d.radius
    return d.draft(
        kind, layout, target, speed=d.rng.uniform(0.5, 1.8), phi=d.toward(layout, target, offset), height=d.rng.uniform(-0.4, 0.2)
    )


def draft_jump(d: Drafter, kind: str) -> Draft | None:
    """Over a ball that is in the way of the target."""
    layout = d.layout(_count(d, 2, 4))
    target = d.lowest(layout)
    blocker = str(d.rng.choice([b for b in layout if b not in (d.cue, target)]))
    way = layout[target] - layout[d.cue]
    distance = hypot(*way)
    upwards, speed = d.rng.uniform(1.35, 1.7), d.rng.uniform(1.6, 2.4)
    flight = 2 * upwards / 9.81
    if distance < speed * flight + 0.25:
        return None
    layout[blocker] = layout[d.cue] + way / distance * speed * flight * d.rng.uniform(0.42, 0.58)
    if not d.free(layout[d.cue], layout[target], layout, (d.cue, target, blocker)) or not _clear(d, layout, blocker, 0.06):
        return None
    draft = d.draft(kind, layout, target, speed=speed, phi=d.toward(layout, target, d.rng.uniform(-0.5, 0.5) * d.radius))
    draft.carry = (float(upwards), float(flight))
    return draft


def draft_break(d: Drafter, kind: str) -> Draft | None:
    """A full rack and a cue ball behind the head string."""
    if d.nine and not d.pyramid:
        others = [str(n) for n in d.rng.permutation(np.arange(2, 9))]
        names = ["1", *others[:3], "9", *others[3:]]
    else:
        names = [f"{'w' if d.pyramid else ''}{n}" for n in d.rng.permutation(np.arange(1, 16))]
    rack = d.rack(names, 2e-4 if d.nine else float(d.rng.choice([1e-4, 2e-4, 5e-4])))
    head = -d.table.spec.length_m / 4
    cue = np.array([head - d.rng.uniform(0.02, 0.15), d.rng.uniform(-0.28, 0.28) * d.table.spec.width_m])
    apex = rack[names[0]]
    way = apex - cue
    hit = d.rng.normal(0, 0.002 if d.nine else 0.012)
    speed = d.rng.uniform(5.5, 8.5) if not d.pyramid else d.rng.uniform(3.5, 7.5)
    draft = d.draft(kind, {d.cue: cue, **rack}, names[0], speed=speed, phi=atan2(way[1], way[0]) + hit, height=-0.05)
    draft.phase = "break"
    return draft


def draft_hard(d: Drafter, kind: str) -> Draft | None:
    """A pot played far too hard, for balls that leave the table."""
    draft = draft_pot(d, kind)
    if draft is not None:
        draft.strike["V0"] = float(d.rng.uniform(4.5, 6.5))
        draft.strike["phi"] += float(d.rng.normal(0, 0.01))
    return draft


def _clear(d: Drafter, layout: dict[str, np.ndarray], ball: str, gap_m: float) -> bool:
    """Whether a ball lies on the bed and apart from all others."""
    half = np.array([d.table.spec.length_m, d.table.spec.width_m]) / 2 - d.radius
    inside = bool((np.abs(layout[ball]) <= half + 0.03).all())
    return inside and all(hypot(*(layout[ball] - place)) > 2 * d.radius + gap_m for name, place in layout.items() if name != ball)
