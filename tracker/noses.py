"""What a ball can touch that does not move: noses, jaws, and the mouths it can fall into.

A ball touches a nose with its side above the middle, so its centre is then `touch_m` from the nose line: 0.963 radii on
a real table (nose at 0.635 diameters), one radius where tracks come from a simulation that knows no heights.
Between two nose ends lies a mouth; its lips are rounded and its facings differ from maker to maker, so a jaw contact
is told by its place alone: near a nose end or behind the nose line within a mouth.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.table import POCKETS, Point, Table

FloatArray = NDArray[np.float64]

CALIBRATED_TOUCH_RATIO = 0.963
"""Horizontal distance of centre and nose at touch over the radius: sqrt(1 - 0.27^2), nose 0.27 radii above the centre."""

INWARD = {
    "head": np.array([1.0, 0.0]),
    "foot": np.array([-1.0, 0.0]),
    "left": np.array([0.0, -1.0]),
    "right": np.array([0.0, 1.0]),
}
"""Unit normals into the bed."""

EXACT_SLACK_M = 0.0025
"""Doubt of the touching distance for a table by name: its noses are where the numbers say."""

CORNER_HANG_RATIO = 1.8
"""A ball can rest on the shelf of a corner pocket with its centre this many radii behind the line of the nose ends (shelf
25 to 57 mm); one deeper lies in the pocket. Smaller calls a ball on the lip pocketed, larger misses one in the cup."""
SIDE_HANG_RATIO = 1.0
"""The same for a side pocket (shelf up to 10 mm, and the ball tips over its middle)."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Geometry of the bed's edge for centres of balls.

    Attributes:
        table: The table.
        touch_m: Distance of a centre from a nose line when the ball touches it, metres.
        slack_m: What that distance is uncertain by, metres.
    """

    table: Table
    touch_m: float
    slack_m: float = 0.0025
    _middles_m: FloatArray = field(init=False, repr=False, compare=False)
    _outward: dict[str, FloatArray] = field(init=False, repr=False, compare=False)
    _noses_m: dict[str, tuple[tuple[Point, Point], ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """What is asked for thousands of times is worked out once."""
        object.__setattr__(self, "_middles_m", np.array([self.table.mouth_centre_m(pocket) for pocket in POCKETS]))
        object.__setattr__(self, "_outward", {pocket: _outward(self.table, pocket) for pocket in POCKETS})
        object.__setattr__(self, "_noses_m", self.table.noses_m())

    @property
    def radius_m(self) -> float:
        """Radius of a ball, metres."""
        return self.table.spec.ball_radius_m

    def gap_m(self, cushion: str, point: FloatArray) -> float:
        """Distance between a ball and a nose line, metres; negative where the ball presses into it."""
        half = (self.table.spec.length_m if cushion in ("head", "foot") else self.table.spec.width_m) / 2
        return half + float(INWARD[cushion] @ point) - self.touch_m

    def gaps_m(self, cushion: str, points_m: FloatArray) -> FloatArray:
        """`gap_m` of many places, shape (n, 2) to (n,)."""
        half = (self.table.spec.length_m if cushion in ("head", "foot") else self.table.spec.width_m) / 2
        return np.asarray(half - self.touch_m + points_m @ INWARD[cushion])

    def beside_nose(self, cushion: str, point: FloatArray) -> bool:
        """Whether the nose is there, not a mouth."""
        along = 1 if cushion in ("head", "foot") else 0
        for start, end in self._noses_m[cushion]:
            low, high = sorted((start[along], end[along]))
            if low - 0.1 * self.radius_m <= point[along] <= high + 0.1 * self.radius_m:
                return True
        return False

    def nearest_cushion(self, point: FloatArray) -> str:
        """The cushion whose nose line is nearest."""
        return min(INWARD, key=lambda cushion: self.gap_m(cushion, point))

    def nearest_pocket(self, point: FloatArray) -> str:
        """The pocket whose mouth centre is nearest."""
        return POCKETS[int(np.argmin(np.hypot(point[0] - self._middles_m[:, 0], point[1] - self._middles_m[:, 1])))]

    def mouth_distance_m(self, pocket: str, point: FloatArray) -> float:
        """Distance from the middle of a mouth, metres."""
        x, y = self._middles_m[POCKETS.index(pocket)]
        return float(np.hypot(point[0] - x, point[1] - y))

    def depth_m(self, pocket: str, point: FloatArray) -> float:
        """How far a centre is behind the line between a mouth's nose ends, metres; negative on the bed side."""
        return float((point - self._middles_m[POCKETS.index(pocket)]) @ self._outward[pocket])

    def outward(self, pocket: str) -> FloatArray:
        """Unit vector from the bed into a pocket, across the line of its nose ends."""
        return self._outward[pocket]

    def mouth_half_m(self, pocket: str) -> float:
        """Half the width of a mouth, metres."""
        return (self.table.side_mouth_m if pocket[0] == "S" else self.table.corner_mouth_m) / 2

    def jaw_pocket(self, point: FloatArray, slack_m: float) -> str | None:
        """The pocket whose lip or facing a ball at this place can touch; None where there is none.

        Args:
            point: Centre of the ball, metres.
            slack_m: Uncertainty of the place.
        """
        pocket = self.nearest_pocket(point)
        reach = self.mouth_half_m(pocket) + 0.8 * self.radius_m + slack_m
        near_edge = min(self.gap_m(cushion, point) for cushion in INWARD) < 0.6 * self.radius_m + slack_m
        return pocket if near_edge and self.mouth_distance_m(pocket, point) < reach else None


def _outward(table: Table, pocket: str) -> FloatArray:
    (ax, ay), (bx, by) = table.mouth_m(pocket)
    normal = np.array([by - ay, ax - bx])
    normal /= np.hypot(normal[0], normal[1])
    return normal if float(normal @ np.array(table.mouth_centre_m(pocket))) > 0 else -normal
