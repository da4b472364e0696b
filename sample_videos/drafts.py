"""Layouts and strokes by chance that are likely to become shots of a wanted kind."""

from dataclasses import dataclass, field
from math import atan2, cos, hypot, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import find_table
from calibration.table import Table

FloatArray = NDArray[np.float64]
Layout = dict[str, FloatArray]

TABLE = Table(find_table("wpa-9ft"))
RADIUS = TABLE.spec.ball_radius_m


@dataclass(slots=True, kw_only=True)
class Draft:
    """A shot as it comes from the simulation; `segments` rows are ball index, t0, p2, v2, a2, w3, alpha3."""

    kind: str
    before: Layout
    balls: list[str]
    strike: dict[str, float]
    events: list[dict[str, Any]] = field(default_factory=list)
    segments: list[list[float]] = field(default_factory=list)
    end_s: float = 0.0
    off_table: dict[str, list[float]] = field(default_factory=dict)
    phase: str = "normal"


def _place(rng: np.random.Generator, taken: Layout, clear: float = 0.08) -> FloatArray:
    half = np.array([TABLE.spec.length_m, TABLE.spec.width_m]) / 2 - RADIUS - 0.03
    while True:
        place = rng.uniform(-half, half)
        if all(hypot(*(place - other)) > 2 * RADIUS + clear for other in taken.values()):
            return np.asarray(place, np.float64)


def _free(start: FloatArray, end: FloatArray, layout: Layout, skip: tuple[str, ...]) -> bool:
    along = (end - start) / hypot(*(end - start))
    for name, place in layout.items():
        offset = place - start
        s = float(offset @ along)
        if name not in skip and 0 < s < hypot(*(end - start)) + RADIUS and abs(along[0] * offset[1] - along[1] * offset[0]) < 2.2 * RADIUS:
            return False
    return True


def _aim(layout: Layout, target: str, goal: FloatArray) -> tuple[float, float] | None:
    """Direction of the cue ball that sends the target to the goal, and the cosine of the cut; None where blocked."""
    to_goal = (goal - layout[target]) / hypot(*(goal - layout[target]))
    ghost = layout[target] - 2 * RADIUS * to_goal
    shot = ghost - layout["cue"]
    distance = hypot(*shot)
    if (
        distance < 0.15
        or not _free(layout["cue"], ghost, layout, ("cue", target))
        or not _free(layout[target], goal, layout, ("cue", target))
    ):
        return None
    return atan2(shot[1], shot[0]), float(shot @ to_goal / distance)


def _random_layout(rng: np.random.Generator, count: int) -> Layout:
    numbers = sorted(int(n) for n in rng.choice(8, count - 1, replace=False) + 1)
    layout: Layout = {}
    for name in ["cue", *(str(n) for n in numbers), "9"]:
        layout[name] = _place(rng, layout)
    return layout


def lowest(layout: Layout) -> str:
    return str(min(int(b) for b in layout if b != "cue"))


def _goals() -> list[FloatArray]:
    return [np.array(TABLE.mouth_centre_m(name)) for name in ("HL", "HR", "SL", "SR", "FL", "FR")]


def draft_pot(rng: np.random.Generator, kind: str) -> Draft | None:
    layout = _random_layout(rng, 1 if kind == "nine_pot" else int(rng.integers(4, 8)))
    target = lowest(layout)
    if kind == "wrong_first":
        target = str(rng.choice([b for b in layout if b not in ("cue", target)]))
    aim = _aim(layout, target, _goals()[int(rng.integers(6))])
    if aim is None or aim[1] < 0.5:
        return None
    speed = {"no_rail": rng.uniform(0.3, 0.8), "safety": rng.uniform(0.5, 1.1)}.get(kind, rng.uniform(1.0, 2.2))
    angle = aim[0] + (rng.normal(0, 0.02) if kind in ("miss", "safety", "no_rail", "no_contact") else rng.normal(0, 0.002))
    strike = {"V0": float(speed), "phi": float(angle), "a": float(rng.normal(0, 0.08)), "b": float(rng.uniform(-0.35, 0.35))}
    return Draft(kind=kind, before=layout, balls=list(layout), strike=strike)


def draft_open(rng: np.random.Generator, kind: str) -> Draft | None:
    """A stroke in any direction: kicks, strokes that touch nothing."""
    layout = _random_layout(rng, int(rng.integers(3, 7)))
    strike = {"V0": float(rng.uniform(0.9, 2.0)), "phi": float(rng.uniform(-np.pi, np.pi)), "a": 0.0, "b": float(rng.uniform(-0.1, 0.3))}
    return Draft(kind=kind, before=layout, balls=list(layout), strike=strike)


def draft_combination(rng: np.random.Generator, kind: str) -> Draft | None:
    layout = _random_layout(rng, 5)
    first = lowest(layout)
    second = str(rng.choice([b for b in layout if b not in ("cue", first)]))
    goal = _goals()[int(rng.integers(6))]
    to_goal = (goal - layout[second]) / hypot(*(goal - layout[second]))
    ghost = layout[second] - 2 * RADIUS * to_goal
    turned = rng.normal(0, 0.3)
    back = np.array([to_goal[0] * cos(turned) - to_goal[1] * sin(turned), to_goal[0] * sin(turned) + to_goal[1] * cos(turned)])
    layout[first] = ghost - back * rng.uniform(0.01, 0.2)
    if any(hypot(*(layout[first] - p)) < 2 * RADIUS + 0.005 for b, p in layout.items() if b != first):
        return None
    aim = _aim(layout, first, ghost)
    if aim is None or aim[1] < 0.7:
        return None
    strike = {"V0": float(rng.uniform(1.2, 2.4)), "phi": float(aim[0]), "a": 0.0, "b": 0.0}
    return Draft(kind=kind, before=layout, balls=list(layout), strike=strike)


def draft_break(rng: np.random.Generator, kind: str) -> Draft | None:
    step = 2 * RADIUS + 2e-4
    apex = np.array([TABLE.spec.length_m / 4, 0.0])
    rows = [(i, k - (n - 1) / 2) for i, n in enumerate((1, 2, 3, 2, 1)) for k in range(n)]
    places = [apex + np.array([i * step * 3**0.5 / 2, k * step]) + rng.uniform(-8e-5, 8e-5, 2) for i, k in rows]
    others = [str(n) for n in rng.permutation(np.arange(2, 9))]
    names = ["1", *others[:3], "9", *others[3:]]
    layout: Layout = {"cue": np.array([-TABLE.spec.length_m / 4 - rng.uniform(0.02, 0.15), rng.uniform(-0.35, 0.35)])}
    layout.update(zip(names, places, strict=True))
    shot = apex - layout["cue"]
    strike = {"V0": float(rng.uniform(5.5, 8.5)), "phi": atan2(shot[1], shot[0]) + float(rng.normal(0, 0.002)), "a": 0.0, "b": -0.05}
    return Draft(kind=kind, before=layout, balls=list(layout), strike=strike, phase="break")


def draft_hard(rng: np.random.Generator, kind: str) -> Draft | None:
    draft = draft_pot(rng, kind)
    if draft is None:
        return None
    draft.strike["V0"] = float(rng.uniform(4.5, 6.5))
    draft.strike["phi"] += float(rng.normal(0, 0.01))
    return draft
