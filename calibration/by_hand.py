"""Calibration from four corners that a person read off the picture, when the automatic way fails."""

import numpy as np
from numpy.typing import NDArray

from calibration.automatic import CalibrationFailure
from calibration.calibration import Calibration
from calibration.covariance import place_doubt
from calibration.ends import foot_side, with_foot
from calibration.equipment import TableSpec
from calibration.errors import InputError
from calibration.solve import SIDES, EdgePoints, Lens, distances_m, solve, start_from_quad
from calibration.table import Table

FloatArray = NDArray[np.float64]

_HAND_SIGMA_M = 0.002
"""How well a person points at a corner: a pixel or two."""
_HAND_LARGEST_MM = 10.0
"""Corners farther from any camera's view of the table than this were not its corners."""


def calibrate_corners(
    corners_px: FloatArray, image_size_px: tuple[int, int], spec: TableSpec, foot: str | None = None, lens: Lens | None = None
) -> Calibration | CalibrationFailure:
    """Calibrate from the four places where neighbouring nose lines meet.

    Args:
        corners_px: Shape (4, 2), in turn round the table, any first, either way round.
        image_size_px: (width, height).
        spec: The table.
        foot: Side of the picture where the foot is; None: convention.
        lens: Where it is known.

    Raises:
        InputError: If the corners do not go round a table.
    """
    corners = np.asarray(corners_px, dtype=np.float64)
    x, y = corners.T
    area = float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2)
    turns = [
        np.cross(np.append(b - a, 0), np.append(c - b, 0))[2]
        for a, b, c in zip(corners, np.roll(corners, -1, 0), np.roll(corners, -2, 0), strict=True)
    ]
    if abs(area) < 100 or not (np.all(np.array(turns) > 0) or np.all(np.array(turns) < 0)):
        raise InputError("--corners: the four points do not go round a table; give them in turn, for instance clockwise")
    if area < 0:
        corners = corners[::-1]
    lengths = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
    if lengths[0] + lengths[2] < lengths[1] + lengths[3]:
        corners = np.roll(corners, -1, axis=0)
    along = (corners[1] + corners[2] - corners[0] - corners[3]) / 2
    if along[np.argmax(np.abs(along))] < 0:
        corners = np.roll(corners, -2, axis=0)
    start = start_from_quad(corners, spec, image_size_px, lens, rubber_m=0.0)
    if start is None:
        return CalibrationFailure(reason="--corners: no camera above a table of this size sees these four points")
    ends = {"left": (0, 1), "foot": (1, 2), "right": (2, 3), "head": (3, 0)}
    edges = []
    for side in SIDES:
        half = (spec.width_m if side in ("head", "foot") else spec.length_m) / 2
        points = corners[list(ends[side])]
        edges.append(EdgePoints(side=side, points_px=points, along_m=np.array([-half, half]), outer=False, sigma_m=_HAND_SIGMA_M))
    solution = solve(edges, spec, image_size_px, start, lens)
    away = np.concatenate([np.abs(distances_m(edge, solution, spec)) for edge in edges]) * 1000
    because = () if away.max() < _HAND_LARGEST_MM else (f"a corner lies {away.max():.1f} mm from the model; check --corners and --table",)
    calibration = Calibration(
        table=Table(spec),
        camera=solution.camera,
        foot_known=False,
        foot_side=foot_side(solution.camera, spec),
        residual_mm=(float(np.median(away)), float(away.max())),
        good=not because,
        because=because,
        doubt=place_doubt(solution, edges, spec, image_size_px, lens),
    )
    return calibration if foot is None else with_foot(calibration, foot)
