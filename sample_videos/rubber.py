"""Where cushions and pocket jaws stand, and which places of a ball's centre they forbid.

A cushion is its nose line, at each end a jaw rounded with a small radius, and from there a straight facing into the
pocket. All are met by a ball at nose height, where the ball is narrower than at its equator: its centre comes to within
`NOSE_CONTACT` radii of the rubber (rules.md 1.2 for mouths, lips and nose height; facings as cut on usual tables).
"""

from dataclasses import dataclass
from math import cos, hypot, pi, radians, sin, tan

import numpy as np
from numpy.typing import NDArray

from calibration.table import Table
from sample_videos.shapes import holes

FloatArray = NDArray[np.float64]

NOSE_CONTACT = 0.963
"""Distance of centre and rubber at contact over the radius (sqrt(1 - (2 * 0.635 - 1)^2))."""
DEPTH_M = 0.0508
"""Length of the facings, measured across the cushion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pockets:
    """Sizes of a table's pockets, metres and degrees.

    Attributes:
        corner_mouth_m: Between the nose ends of a corner.
        side_mouth_m: Between those of a side pocket.
        corner_jaw_m: Radius of the rounding at a corner's nose ends.
        side_jaw_m: At a side pocket's.
        corner_cut_deg: By how much a corner's facings close in on its axis.
        side_cut_deg: By how much a side pocket's do.
        corner_depth_m: From the corner point of the nose lines out to the hole's middle.
        corner_radius_m: Of the hole.
        side_depth_m: From the nose line out to the hole's middle.
        side_radius_m: Of the hole.
    """

    corner_mouth_m: float
    side_mouth_m: float
    corner_jaw_m: float
    side_jaw_m: float
    corner_cut_deg: float
    side_cut_deg: float
    corner_depth_m: float
    corner_radius_m: float
    side_depth_m: float
    side_radius_m: float


def slack_m(table: Table) -> float:
    """How much nearer than a radius a centre comes to the rubber, metres."""
    return (1 - NOSE_CONTACT) * table.spec.ball_radius_m


def pockets(table: Table) -> Pockets:
    """The pockets of a table; pyramid's have narrow mouths, nearly parallel facings and sharp lips."""
    hole = holes(table)
    corner, side = hole["FL"], hole["SL"]
    x, y = table.spec.length_m / 2, table.spec.width_m / 2
    narrow = table.corner_mouth_m < 1.3 * table.spec.ball_diameter_m
    return Pockets(
        corner_mouth_m=table.corner_mouth_m,
        side_mouth_m=table.side_mouth_m,
        corner_jaw_m=0.005 if narrow else 0.012,
        side_jaw_m=0.011 if narrow else 0.008,
        corner_cut_deg=1.5 if narrow else 6.0,
        side_cut_deg=8.0 if narrow else 14.0,
        corner_depth_m=hypot(corner.centre_m[0] - x, corner.centre_m[1] - y),
        corner_radius_m=corner.radius_m,
        side_depth_m=side.centre_m[1] - y,
        side_radius_m=side.radius_m,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Rubber:
    """Noses and facings as segments, shape (N, 2, 2), and jaws as circles (x, y, radius), shape (M, 3); metres."""

    segments: FloatArray
    jaws: FloatArray

    def clearance_m(self, places: FloatArray) -> FloatArray:
        """Distance of each place (T, 2) from the nearest rubber; a path sampled closely enough shows a crossing by a distance near 0."""
        start, along = self.segments[:, 0], self.segments[:, 1] - self.segments[:, 0]
        share = ((places[:, None] - start) * along).sum(axis=2) / (along**2).sum(axis=1)
        nearest = start + np.clip(share, 0, 1)[..., None] * along
        to_lines = np.linalg.norm(places[:, None] - nearest, axis=2).min(axis=1)
        to_jaws = (np.linalg.norm(places[:, None] - self.jaws[:, :2], axis=2) - self.jaws[:, 2]).min(axis=1)
        return np.asarray(np.minimum(to_lines, to_jaws), np.float64)


def rubber(table: Table) -> Rubber:
    """The six cushions of a table with their jaws and facings."""
    size = pockets(table)
    x, y = table.spec.length_m / 2, table.spec.width_m / 2
    corner, side = radians(45 + size.corner_cut_deg), radians(size.side_cut_deg)
    segments: list[list[tuple[float, float]]] = []
    jaws: list[tuple[float, float, float]] = []
    cut = size.corner_mouth_m / 2**0.5
    half = size.side_mouth_m / 2
    # Each end of a cushion: its nose end, the way along the nose, the way out, and how far the facing leans.
    for sign_y in (-1.0, 1.0):
        for sign_x in (-1.0, 1.0):
            out = (0.0, sign_y)
            near = _end((sign_x * half, sign_y * y), (sign_x, 0.0), out, side, size.side_jaw_m, segments, jaws)
            far = _end((sign_x * (x - cut), sign_y * y), (-sign_x, 0.0), out, corner, size.corner_jaw_m, segments, jaws)
            segments.append([near, far])
    for sign_x in (-1.0, 1.0):
        out = (sign_x, 0.0)
        ends = [_end((sign_x * x, s * (y - cut)), (0.0, -s), out, corner, size.corner_jaw_m, segments, jaws) for s in (-1.0, 1.0)]
        segments.append(ends)
    return Rubber(np.array(segments), np.array(jaws))


def _end(
    tip: tuple[float, float],
    along: tuple[float, float],
    out: tuple[float, float],
    lean: float,
    radius: float,
    segments: list[list[tuple[float, float]]],
    jaws: list[tuple[float, float, float]],
) -> tuple[float, float]:
    """Add the facing and the jaw of one end; gives where the straight nose begins. `lean` is from straight out, towards the pocket."""
    back = radius / tan((pi / 2 + lean) / 2)
    way = (cos(lean) * out[0] - sin(lean) * along[0], cos(lean) * out[1] - sin(lean) * along[1])
    long = DEPTH_M / cos(lean)
    segments.append(
        [
            (tip[0] + way[0] * back, tip[1] + way[1] * back),
            (tip[0] + way[0] * long, tip[1] + way[1] * long),
        ]
    )
    start = (tip[0] + along[0] * back, tip[1] + along[1] * back)
    jaws.append((start[0] + out[0] * radius, start[1] + out[1] * radius, radius))
    return start
