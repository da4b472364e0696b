"""The rubber at a mouth: rounded lips at the ends of the noses and straight facings that lead into the pocket.

Fails: roundings differ from maker to maker; on a table found in a picture the rubber is known to some millimetres only.
"""

from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from tracker.noses import EXACT_SLACK_M, Surroundings

FloatArray = NDArray[np.float64]

LIP_SIGMA_M = 0.004
"""Doubt of the place of the rubber at a mouth where the table was found in a picture."""
EXACT_SIGMA_M = 0.0012
"""The same where the table is known by its numbers: how far the lips are rounded."""
FACINGS_DEG = {"pool": (7.0, 14.0), "pyramid": (1.5, 8.0)}
"""How far the facings of a corner and of a side lean in from the axis of the pocket (WPA: 142 and 104 degrees between nose
and facing; pyramid tables: near parallel)."""
ROUNDING_M = {"pool": (0.012, 0.008), "pyramid": (0.004, 0.004)}
"""Radius of the lips of a corner and of a side: pool's rubber is cut round, pyramid's nearly sharp."""
PYRAMID_MOUTH = 1.4
"""Mouths narrower than this many ball diameters are cut as those of pyramid."""


def jaw_sigma_m(around: Surroundings) -> float:
    """What the place of the rubber at the mouths of a table is uncertain by, metres."""
    return EXACT_SIGMA_M if around.slack_m <= EXACT_SLACK_M else LIP_SIGMA_M


def jaw_gaps_m(points_m: FloatArray, pocket: str, around: Surroundings) -> FloatArray:
    """Distance between a ball and the rubber of a mouth, negative where it presses into it; centres (n, 2) to (n,), metres."""
    away = points_m - np.array(around.table.mouth_centre_m(pocket))
    outward = around.outward(pocket)
    u, s = away @ np.array([-outward[1], outward[0]]), away @ outward
    nearest = np.minimum(rubber_distance_m(u, s, pocket, around), rubber_distance_m(-u, s, pocket, around))
    return np.asarray(nearest - around.radius_m)


def rubber_distance_m(u_m: FloatArray, s_m: FloatArray, pocket: str, around: Surroundings) -> FloatArray:
    """Distance of places from the rubber on the positive side of a mouth, metres.

    Args:
        u_m: Shape (n,), along the line of the nose ends from its middle.
        s_m: Shape (n,), behind that line, into the pocket.
        pocket: Which.
        around: The table.
    """
    side = int(pocket[0] == "S")
    half = around.mouth_half_m(pocket)
    kind = "pyramid" if 2 * half < PYRAMID_MOUTH * 2 * around.radius_m else "pool"
    lean, rounding = radians(FACINGS_DEG[kind][side]), ROUNDING_M[kind][side]
    nose = np.array([1.0, 0.0]) if side else np.array([cos(radians(45)), -sin(radians(45))])
    facing = np.array([-sin(lean), cos(lean)])
    middle = nose + facing
    angle = np.arccos(float(nose @ facing))
    centre = np.array([half, 0.0]) + middle / np.hypot(*middle) * rounding / sin(angle / 2)
    points = np.stack([u_m, s_m], axis=1) - centre
    distance = np.hypot(points[:, 0], points[:, 1]) - rounding
    # beside the straight parts, beyond where the rounding ends, the distance is that of their lines
    for way in (nose, facing):
        along = points @ way
        normal = np.array([-way[1], way[0]])
        normal = -normal if float(normal @ (centre - np.array([half, 0.0]))) > 0 else normal
        distance = np.where(along > 0, points @ normal - rounding, distance)
    return np.asarray(distance)
