"""Layouts and strokes by chance that are likely to become shots of a wanted kind; strokes before they are simulated."""

from dataclasses import dataclass, field
from math import atan2, cos, hypot, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import find_table
from calibration.table import POCKETS, Table
from sample_videos.rubber import NOSE_CONTACT
from sample_videos.shapes import holes

FloatArray = NDArray[np.float64]
Layout = dict[str, FloatArray]


@dataclass(slots=True, kw_only=True)
class Draft:
    """A shot before and after its simulation; `segments` rows are ball index, t0, p2, v2, a2, w3, alpha3.

    `target` is the ball that the stroke is meant for, `carry` the flight of a jump (speed upwards, seconds), if any.
    """

    kind: str
    before: Layout
    strike: dict[str, float]
    table: str = "wpa-9ft"
    cue_ball: str = "cue"
    target: str = ""
    phase: str = "normal"
    carry: tuple[float, float] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    segments: list[list[float]] = field(default_factory=list)
    end_s: float = 0.0
    off_table: dict[str, list[float]] = field(default_factory=dict)
    air: dict[str, list[tuple[float, float, float]]] = field(default_factory=dict)

    @property
    def balls(self) -> list[str]:
        """All balls, in the order of their numbers in `segments`."""
        return list(self.before)


class Drafter:
    """Draws layouts and strokes on one table.

    `nine` plays with a cue ball and 1 to 9 and aims at the lowest; else pool with 15 balls, or pyramid with 16.
    """

    def __init__(self, table_name: str, rng: np.random.Generator, *, nine: bool = True) -> None:
        self.name, self.rng, self.nine = table_name, rng, nine
        self.table = Table(find_table(table_name))
        self.radius = self.table.spec.ball_radius_m
        self.pyramid = self.table.spec.ball_diameter_m > 0.06
        self.cue = "Y" if self.pyramid else "cue"
        self.goals = {name: np.array(self.table.mouth_centre_m(name)) for name in POCKETS}

    def draft(self, kind: str, layout: Layout, target: str, *, speed: float, phi: float, side: float = 0.0, height: float = 0.0) -> Draft:
        """A stroke; `side` and `height` are where the tip hits, in radii."""
        strike = {"V0": float(speed), "phi": float(phi), "a": float(side), "b": float(height)}
        return Draft(kind=kind, before=layout, strike=strike, table=self.name, cue_ball=self.cue, target=target)

    def layout(self, count: int) -> Layout:
        """A cue ball and that many others, anywhere."""
        layout: Layout = {}
        for name in [self.cue, *self.names(count)]:
            layout[name] = self.place(layout)
        return layout

    def names(self, count: int) -> list[str]:
        """That many object balls; nine-ball always has the 9."""
        if self.pyramid:
            return [f"w{n}" for n in sorted(int(n) for n in self.rng.choice(15, count, replace=False) + 1)]
        if self.nine:
            return [*(str(n) for n in sorted(int(n) for n in self.rng.choice(8, max(count - 1, 0), replace=False) + 1)), "9"]
        return [str(n) for n in sorted(int(n) for n in self.rng.choice(15, count, replace=False) + 1)]

    def place(self, taken: Layout, clear: float = 0.08) -> FloatArray:
        """A free place away from cushions and other balls."""
        half = np.array([self.table.spec.length_m, self.table.spec.width_m]) / 2 - self.radius - 0.03
        while True:
            place = self.rng.uniform(-half, half)
            if all(hypot(*(place - other)) > 2 * self.radius + clear for other in taken.values()):
                return np.asarray(place, np.float64)

    def lowest(self, layout: Layout) -> str:
        """The ball to aim at: the lowest in nine-ball, any otherwise."""
        others = [b for b in layout if b != self.cue]
        return min(others, key=int) if self.nine and not self.pyramid else str(self.rng.choice(others))

    def free(self, start: FloatArray, end: FloatArray, layout: Layout, skip: tuple[str, ...]) -> bool:
        """Whether a ball can roll from place to place without meeting another."""
        length = hypot(*(end - start))
        if length < 1e-9:
            return True
        along = (end - start) / length
        for name, place in layout.items():
            offset = place - start
            s = float(offset @ along)
            if name not in skip and 0 < s < length + self.radius and abs(along[0] * offset[1] - along[1] * offset[0]) < 2.2 * self.radius:
                return False
        return True

    def ghost(self, layout: Layout, target: str, goal: FloatArray) -> FloatArray:
        """Where the cue ball has to be when it sends the target to the goal."""
        to_goal = (goal - layout[target]) / hypot(*(goal - layout[target]))
        return np.asarray(layout[target] - 2 * self.radius * to_goal)

    def aim(self, layout: Layout, target: str, goal: FloatArray) -> tuple[float, float] | None:
        """Direction of the cue ball that sends the target to the goal, and the cosine of the cut; None where blocked."""
        ghost = self.ghost(layout, target, goal)
        shot = ghost - layout[self.cue]
        distance = hypot(*shot)
        skip = (self.cue, target)
        if distance < 0.15 or not self.free(layout[self.cue], ghost, layout, skip) or not self.free(layout[target], goal, layout, skip):
            return None
        to_goal = (layout[target] - ghost) / (2 * self.radius)
        return atan2(shot[1], shot[0]), float(shot @ to_goal / distance)

    def pick_goal(self, layout: Layout, target: str) -> tuple[str, float, float] | None:
        """A pocket that the target can be played to: its name, the direction, the cosine; the fuller cuts first."""
        found = []
        for name, goal in self.goals.items():
            aim = self.aim(layout, target, goal)
            if aim is not None and aim[1] > 0.4 and self.enters(layout[target], name):
                found.append((name, *aim))
        if not found:
            return None
        found.sort(key=lambda item: -item[2])
        return found[0] if self.rng.random() < 0.6 else found[int(self.rng.integers(len(found)))]

    def enters(self, place: FloatArray, pocket: str) -> bool:
        """Whether the way to a pocket is steep enough for its mouth; narrow ones forgive less."""
        way = self.goals[pocket] - place
        cosine = float(way @ np.array(holes(self.table)[pocket].outward)) / max(hypot(*way), 1e-9)
        return cosine > ((0.9 if self.pyramid else 0.72) if pocket[0] == "S" else (0.82 if self.pyramid else 0.5))

    def toward(self, layout: Layout, target: str, offset_m: float = 0.0) -> float:
        """Direction from the cue ball to the target, past its middle by an offset to the left."""
        way = layout[target] - layout[self.cue]
        return atan2(way[1], way[0]) + float(np.arcsin(np.clip(offset_m / hypot(*way), -1, 1)))

    def beside_nose(self, layout: Layout, gap_m: float) -> FloatArray:
        """A free place at a gap from the nose of some cushion, away from its pockets."""
        x, y = self.table.spec.length_m / 2, self.table.spec.width_m / 2
        reach = NOSE_CONTACT * self.radius + gap_m
        while True:
            if self.rng.random() < 0.6:
                place = np.array([self.rng.choice([-1, 1]) * self.rng.uniform(0.2 * x, 0.8 * x), self.rng.choice([-1, 1]) * (y - reach)])
            else:
                place = np.array([self.rng.choice([-1, 1]) * (x - reach), self.rng.uniform(-0.6 * y, 0.6 * y)])
            if all(hypot(*(place - other)) > 2 * self.radius + 0.02 for other in layout.values()):
                return place

    def at_lip(self, pocket: str, over_m: float) -> FloatArray:
        """A place in a pocket's mouth, that far before the hole's edge."""
        hole = holes(self.table)[pocket]
        return np.array(hole.centre_m) - np.array(hole.outward) * (hole.radius_m + over_m)

    def rack(self, names: list[str], gap_m: float) -> Layout:
        """Object balls in a diamond of nine or a triangle of fifteen, apex on the foot spot."""
        step = 2 * self.radius + gap_m
        apex = np.array([self.table.spec.length_m / 4, 0.0])
        rows = (1, 2, 3, 2, 1) if len(names) == 9 else (1, 2, 3, 4, 5)
        places = [
            apex + np.array([i * step * 3**0.5 / 2, (k - (n - 1) / 2) * step]) + self.rng.uniform(-0.4 * gap_m, 0.4 * gap_m, 2)
            for i, n in enumerate(rows)
            for k in range(n)
        ]
        return dict(zip(names, places, strict=True))


def turned(vector: FloatArray, angle: float) -> FloatArray:
    """A vector (2,) turned to the left."""
    return np.array([vector[0] * cos(angle) - vector[1] * sin(angle), vector[0] * sin(angle) + vector[1] * cos(angle)])
