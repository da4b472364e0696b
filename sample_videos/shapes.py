"""Outlines of a table in the table frame, metres: what the picture of the empty table is painted from.

A pool pocket's jaws follow the WPA cut angles: a facing leaves the nose line at 38 degrees in a corner and 76 degrees in
a side pocket, so that the throat narrows outwards. The hole is a circle whose near edge lies behind the mouth line in a
corner and at the nose line in a side pocket (measured on pictures of tournament tables). A pyramid pocket lets a ball
through with a few millimetres to spare: its facings run nearly along the pocket's axis, and its hole, little wider than
the ball, begins behind a short channel of cloth (MKP equipment requirements: channel 5 to 6 mm narrower, lips 5 and 11 mm).
"""

from dataclasses import dataclass
from math import cos, pi, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from calibration.table import POCKETS, Table

FloatArray = NDArray[np.float64]

_CORNER_FACING = radians(38.0)
_SIDE_FACING = radians(76.0)
_TIGHT_CORNER, _TIGHT_SIDE = radians(43.0), radians(88.0)
"""The same of pockets that are made for the ball, as in pyramid."""
_TIGHT_MOUTH = 1.4
"""A corner mouth below this many ball diameters is a pyramid pocket (pyramid 1.07, snooker 1.6, pool 2.0)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Sizes of what surrounds the playing surface, metres.

    Attributes:
        cushion_m: Nose to the inner edge of the rail.
        rail_m: Width of the rail's top outside the cushion.
        rail_height_m: Height of the rail's top above the cloth.
        corner_radius_m: Rounding of the outer corners.
        liner_m: Width of the leather or rubber ring round a hole.
    """

    cushion_m: float = 0.050
    rail_m: float = 0.105
    rail_height_m: float = 0.040
    corner_radius_m: float = 0.06
    liner_m: float = 0.012


def is_tight(table: Table) -> bool:
    """Whether its pockets are those of pyramid: hardly wider than a ball."""
    return table.corner_mouth_m < _TIGHT_MOUTH * table.spec.ball_diameter_m


def draw_frame(rng: np.random.Generator, table: Table | None = None) -> Frame:
    """Sizes by chance, of a pool table where none is given; a pyramid table has broad, high rails."""
    cushion, rail, corner, liner = (float(rng.uniform(*r)) for r in ((0.042, 0.055), (0.08, 0.14), (0.01, 0.12), (0.006, 0.022)))
    if table is not None and is_tight(table):
        return Frame(
            cushion_m=cushion + 0.012, rail_m=rail + 0.03, rail_height_m=0.048, corner_radius_m=0.5 * corner, liner_m=0.006 + 0.5 * liner
        )
    return Frame(cushion_m=cushion, rail_m=rail, corner_radius_m=corner, liner_m=liner)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """One pocket hole: a circle in the bed.

    Attributes:
        centre_m: (x, y).
        radius_m: Radius.
        outward: Unit (x, y) from the table to the pocket.
    """

    centre_m: tuple[float, float]
    radius_m: float
    outward: tuple[float, float]


def holes(table: Table) -> dict[str, Hole]:
    """The six holes by pocket name."""
    x, y = table.spec.length_m / 2, table.spec.width_m / 2
    corner, side = table.corner_mouth_m / 2, table.side_mouth_m / 2
    # Radius of a hole, and how far its middle is beyond the crossing of the noses, or beyond the nose.
    round_corner, beyond_corner, round_side, beyond_side = corner, 0.72 * corner, 0.98 * side, 0.98 * side
    if is_tight(table):
        round_corner = round_side = 0.64 * table.spec.ball_diameter_m
        beyond_corner, beyond_side = round_corner - 0.008, round_side + 0.016
    result = {}
    for name in POCKETS:
        sign_y = 1.0 if name[1] == "L" else -1.0
        if name[0] == "S":
            result[name] = Hole(centre_m=(0.0, sign_y * (y + beyond_side)), radius_m=round_side, outward=(0.0, sign_y))
            continue
        sign_x = 1.0 if name[0] == "F" else -1.0
        offset = beyond_corner / sqrt(2)
        centre = (sign_x * (x + offset), sign_y * (y + offset))
        result[name] = Hole(centre_m=centre, radius_m=round_corner, outward=(sign_x / sqrt(2), sign_y / sqrt(2)))
    return result


def cushions(table: Table, frame: Frame) -> list[tuple[FloatArray, FloatArray]]:
    """The six cushions as (nose line, back line), each shape (2, 2), running the same way; facings join their ends."""
    half_x, half_y = table.spec.length_m / 2, table.spec.width_m / 2
    corner_angle, side_angle = (_TIGHT_CORNER, _TIGHT_SIDE) if is_tight(table) else (_CORNER_FACING, _SIDE_FACING)
    result = []
    for name, segments in table.noses_m().items():
        for start, end in segments:
            nose = np.array([start, end], dtype=np.float64)
            along = (nose[1] - nose[0]) / np.linalg.norm(nose[1] - nose[0])
            out = {"head": (-1.0, 0.0), "foot": (1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}[name]
            back = nose + np.array(out) * frame.cushion_m
            for i, sign in ((0, -1.0), (1, 1.0)):
                corner = abs(abs(nose[i, 0]) - half_x) < 0.2 * half_y and abs(abs(nose[i, 1]) - half_y) < 0.2 * half_y
                angle = corner_angle if corner else side_angle
                back[i] += sign * along * frame.cushion_m * cos(angle) / sin(angle)
            result.append((nose, back))
    return result


def throat(table: Table, frame: Frame, name: str) -> FloatArray:
    """The bed in a pocket's mouth, shape (4, 2): two mouth ends and the same outwards; the facings cover its sides."""
    first, second = (np.array(p) for p in table.mouth_m(name))
    outward = np.array(holes(table)[name].outward)
    depth = frame.cushion_m * (1.62 if name[0] != "S" else 0.95)
    return np.array([first, second, second + outward * depth, first + outward * depth])


def circle(centre: tuple[float, float], radius: float, count: int = 48) -> FloatArray:
    """A circle as a polygon, shape (count, 2)."""
    angle = np.linspace(0, 2 * pi, count, endpoint=False)
    return np.column_stack([centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle)])


def rounded_rectangle(half_x: float, half_y: float, radius: float, steps: int = 10) -> FloatArray:
    """A rectangle round the origin with rounded corners, shape (4 steps, 2)."""
    points = []
    for quarter in range(4):
        sx, sy = ((1, 1), (-1, 1), (-1, -1), (1, -1))[quarter]
        for angle in np.linspace(quarter * pi / 2, (quarter + 1) * pi / 2, steps):
            points.append((sx * (half_x - radius) + radius * cos(angle), sy * (half_y - radius) + radius * sin(angle)))
    return np.array(points)


def dense(points: FloatArray, step_m: float = 0.06) -> FloatArray:
    """The closed polygon with more points on its sides, so that a bent lens bends it."""
    pieces = []
    for start, end in zip(points, np.roll(points, -1, axis=0), strict=True):
        count = max(1, int(np.linalg.norm(end - start) / step_m))
        pieces.append(start + (end - start) * np.linspace(0, 1, count, endpoint=False)[:, None])
    return np.concatenate(pieces)


def diamonds(table: Table, frame: Frame) -> list[tuple[float, float, float]]:
    """Sights on the rails: (x, y, direction of the long axis in radians)."""
    half_x, half_y = table.spec.length_m / 2, table.spec.width_m / 2
    inset = frame.cushion_m + 0.5 * frame.rail_m
    result = []
    for sign in (-1.0, 1.0):
        for k in (-3, -2, -1, 1, 2, 3):
            result.append((k * table.spec.length_m / 8, sign * (half_y + inset), pi / 2))
        for k in (-1, 0, 1):
            result.append((sign * (half_x + inset), k * table.spec.width_m / 4, 0.0))
    return result
