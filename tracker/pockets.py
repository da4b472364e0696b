"""Where a ball is with respect to the six mouths: on the bed, in the jaws, in the cup, or beyond the noses.

A pocket's mouth is the line between its two nose ends (`Table.mouth_m`). Behind it comes a shelf on which a ball
still lies on the slate (WPA equipment specification: corner 25 to 57 mm, side 0 to 10 mm), and then the cup:

          bed        |  shelf ("jaws")  |   cup
      depth < 0      0                shelf_m           depth = distance behind the mouth line

Fails: a table whose shelves are much deeper than WPA's shows balls "in the cup" that still stand on the slate; a
calibration that is off by more than a centimetre at a mouth shifts both borders by as much.
"""

from dataclasses import dataclass
from math import hypot, inf

import numpy as np
from numpy.typing import NDArray

from calibration.table import POCKETS, Point, Table

FloatArray = NDArray[np.float64]

CORNER_SHELF_M = 0.055
"""Slate behind a corner mouth, metres (WPA: 1 to 2.25 inches). Smaller calls a hanging ball pocketed, larger takes
a ball that circles in the cup for one that still stands."""
SIDE_SHELF_M = 0.020
"""Slate behind a side mouth (WPA: 0 to 0.375 inches), plus one centimetre for the calibration."""
_MOUTH_MARGIN = 1.15
"""Half mouth widths to either side of the middle that still count as this mouth: jaws open outwards."""
_NOSE_MARGIN_M = 0.012
"""A centre this far beyond where a ball touches the nose is still on the bed: calibration and blur. Smaller throws
away balls at a cushion, larger lets chalk on the rail become a ball."""
CUSHION_RADII = 0.963
"""Horizontal distance of centre and nose at contact, in ball radii (limits.md section 5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a centre lies.

    Attributes:
        kind: "bed", "jaws", "cup" or "outside".
        pocket: The pocket whose mouth it is in or behind; the nearest one otherwise.
        depth_m: Distance behind that mouth's line; negative before it.
        distance_m: From the middle of that mouth.
    """

    kind: str
    pocket: str
    depth_m: float
    distance_m: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mouth:
    name: str
    middle: Point
    outwards: Point
    half_m: float
    shelf_m: float


class PocketMap:
    """Places of one table.

    Args:
        table: Geometry; sizes in metres.
    """

    def __init__(self, table: Table) -> None:
        spec = table.spec
        self.table = table
        self.limit_x_m = spec.length_m / 2 - CUSHION_RADII * spec.ball_radius_m
        self.limit_y_m = spec.width_m / 2 - CUSHION_RADII * spec.ball_radius_m
        self._mouths = tuple(_mouth(table, name) for name in POCKETS)
        ends = [end for name in POCKETS for end in table.mouth_m(name) if name[0] != "S"]
        self._open_x_m = min(abs(x) for x, _ in ends)
        self.middles_m = np.array([mouth.middle for mouth in self._mouths], dtype=np.float64)

    def is_open(self, position_m: Point) -> bool:
        """True for a centre that surely is on the bed and before every mouth: most are, and this is quick."""
        return abs(position_m[0]) < self._open_x_m and abs(position_m[1]) <= self.limit_y_m

    def place(self, position_m: Point) -> Place:
        """Where a centre at `position_m` lies."""
        mouth = min(self._mouths, key=lambda m: hypot(position_m[0] - m.middle[0], position_m[1] - m.middle[1]))
        dx, dy = position_m[0] - mouth.middle[0], position_m[1] - mouth.middle[1]
        depth = dx * mouth.outwards[0] + dy * mouth.outwards[1]
        across = abs(dy * mouth.outwards[0] - dx * mouth.outwards[1])
        inside = abs(position_m[0]) <= self.limit_x_m + _NOSE_MARGIN_M and abs(position_m[1]) <= self.limit_y_m + _NOSE_MARGIN_M
        kind = "bed" if inside else "outside"
        if depth > 0 and across <= _MOUTH_MARGIN * mouth.half_m + depth:
            kind = "jaws" if depth <= mouth.shelf_m else "cup"
        elif not inside and depth > -self.table.spec.ball_diameter_m and across <= mouth.half_m:
            kind = "jaws"  # before the line of a mouth a ball can lie beyond the noses' line of either cushion
        return Place(kind=kind, pocket=mouth.name, depth_m=depth, distance_m=hypot(dx, dy))

    def in_mouth(self, position_m: Point) -> bool:
        """Behind a mouth's line, or so near before it that the hole, and what lies in it seen slantwise, shows there."""
        place, spec = self.place(position_m), self.table.spec
        if place.distance_m < spec.ball_diameter_m and place.depth_m > -spec.ball_radius_m:
            return True
        return place.depth_m > 0 and place.kind != "bed"

    def before(self, position_m: Point) -> Point:
        """For a place in a mouth, the one on the bed a ball's width before the mouth's line; else the place itself."""
        if not self.in_mouth(position_m):
            return position_m
        place = self.place(position_m)
        mouth = next(mouth for mouth in self._mouths if mouth.name == place.pocket)
        back = place.depth_m + self.table.spec.ball_diameter_m
        return position_m[0] - back * mouth.outwards[0], position_m[1] - back * mouth.outwards[1]

    def reflected(self, places_m: FloatArray) -> FloatArray:
        """Where straight steps to places, (N, 2), end after the cushions; restitution 0.75 across, what is lost along is noise."""
        limits = np.array([self.limit_x_m, self.limit_y_m])
        beyond = np.abs(places_m) - limits
        return np.asarray(np.where(beyond > 0, np.sign(places_m) * np.maximum(limits - 0.75 * beyond, 0.0), places_m), dtype=np.float64)

    def entry(self, position_m: Point, velocity_mps: Point, *, spread: float = 0.0) -> tuple[str, float] | None:
        """The mouth that a straight path reaches first and after how many seconds; None where it reaches none.

        A centre that is behind a mouth's line already is there at once.

        Args:
            position_m: (x, y), table frame.
            velocity_mps: (vx, vy).
            spread: Half width of the fan of directions, radians.
        """
        best: tuple[str, float] | None = None
        best_s = inf
        for mouth in self._mouths:
            depth = (position_m[0] - mouth.middle[0]) * mouth.outwards[0] + (position_m[1] - mouth.middle[1]) * mouth.outwards[1]
            speed = velocity_mps[0] * mouth.outwards[0] + velocity_mps[1] * mouth.outwards[1]
            if depth < 0 and speed <= 1e-6:
                continue
            wait = 0.0 if depth >= 0 else -depth / speed
            x, y = position_m[0] + wait * velocity_mps[0], position_m[1] + wait * velocity_mps[1]
            across = abs((y - mouth.middle[1]) * mouth.outwards[0] - (x - mouth.middle[0]) * mouth.outwards[1])
            fan = spread * hypot(x - position_m[0], y - position_m[1])
            if across <= _MOUTH_MARGIN * mouth.half_m + max(depth, 0.0) + fan and depth < 3 * mouth.half_m and wait < best_s:
                best, best_s = (mouth.name, wait), wait
        return best


def _mouth(table: Table, name: str) -> _Mouth:
    (ax, ay), (bx, by) = table.mouth_m(name)
    half = hypot(bx - ax, by - ay) / 2
    nx, ny = (ay - by) / (2 * half), (bx - ax) / (2 * half)
    middle = table.mouth_centre_m(name)
    if nx * middle[0] + ny * middle[1] < 0:  # outwards points away from the centre spot
        nx, ny = -nx, -ny
    shelf = SIDE_SHELF_M if name[0] == "S" else CORNER_SHELF_M
    return _Mouth(name=name, middle=middle, outwards=(nx, ny), half_m=half, shelf_m=shelf)
