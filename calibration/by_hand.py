"""Calibration from four corners that a person read off the picture, when the automatic way fails.

Four points fit some camera nearly always, also those of a door. So with the picture at hand they are only where to look:
the noses near them give the camera, and the pockets must be where it has them. Where no noses are found there (cushions
in the dark), the corners alone give it, and the pockets must still be seen.
"""

import numpy as np
from numpy.typing import NDArray

from calibration.automatic import CalibrationFailure
from calibration.calibration import Calibration
from calibration.cloth import Cloth, cloth_inside
from calibration.covariance import place_doubt
from calibration.ends import foot_side, with_foot
from calibration.equipment import TableSpec
from calibration.errors import InputError
from calibration.pockets import check_mouths
from calibration.rubber_width import rim_places_m
from calibration.search import MOUTH_LIMIT_M, find_fit, judge_fit
from calibration.solve import SIDES, EdgePoints, Lens, Solution, distances_m, solve, start_from_quad
from calibration.table import Table
from calibration.table_fit import fit_noses

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_VISIBLE_LEAST, _HOLES_WITH_NOSES, _HOLES_LEAST, _ENDS_LEAST = 4, 0.6, 0.8, 7
"""Pockets that must be in view; share of them that must be seen as holes with the noses found and without; ends of rubber
at mouths that must be seen without."""
_HAND_MOVED, _CONTRADICTED = 0.003, 0.01
"""Shares of the table's length: how far the noses may lead away from a tap, which is good to 3 pixels, and from where on a
good automatic fit contradicts it."""
_HAND_SIGMA_M = 0.002
"""How well a person points at a corner: a pixel or two."""
_HAND_LARGEST_MM = 10.0
"""Corners farther from any camera's view of the table than this were not its corners."""


def calibrate_corners(
    corners_px: FloatArray,
    image_size_px: tuple[int, int],
    spec: TableSpec,
    foot: str | None = None,
    lens: Lens | None = None,
    image: Image | None = None,
) -> Calibration | CalibrationFailure:
    """Calibrate from the four places where neighbouring nose lines meet.

    Args:
        corners_px: Shape (4, 2), in turn round the table, any first, either way round.
        image_size_px: (width, height).
        spec: The table.
        foot: Side of the picture where the foot is; None: convention.
        lens: Where it is known.
        image: Shape (h, w, 3), BGR: the picture they were read off; None: nothing but the points is checked.

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
    table = Table(spec)
    median, largest = _residual_mm(edges, solution, spec)
    because: tuple[str, ...] = ()
    if largest >= _HAND_LARGEST_MM:
        because = (f"a corner lies {largest:.1f} mm from the model; check --corners and --table",)
    if image is not None:
        solution, edges, because = _checked(image, table, solution, edges, corners, because, lens)
        median, largest = _residual_mm([edge for edge in edges if edge.nose], solution, spec)
    calibration = Calibration(
        table=table,
        camera=solution.camera,
        foot_known=False,
        foot_side=foot_side(solution.camera, spec),
        residual_mm=(median, largest),
        good=not because,
        because=because,
        doubt=place_doubt(solution, edges, spec, lens),
    )
    return calibration if foot is None else with_foot(calibration, foot)


def _residual_mm(edges: list[EdgePoints], solution: Solution, spec: TableSpec) -> tuple[float, float]:
    away = np.concatenate([np.abs(distances_m(edge, solution, spec)) for edge in edges]) * 1000
    return float(np.median(away)), float(away.max())


def _checked(
    image: Image,
    table: Table,
    solution: Solution,
    edges: list[EdgePoints],
    corners_px: FloatArray,
    because: tuple[str, ...],
    lens: Lens | None,
) -> tuple[Solution, list[EdgePoints], tuple[str, ...]]:
    """The camera as the picture has it near the corners given, what it was fitted to, and why it is not good."""
    spec = table.spec
    automatic = find_fit(image, spec, lens)
    if not isinstance(automatic, str) and not automatic.because and not automatic.no_table:
        away = _away_m(automatic.solution, table, corners_px)
        if away > _CONTRADICTED * spec.length_m:
            said = f"a corner lies {1000 * away:.0f} mm from where the noses meet in the picture; put each where noses meet"
            return solution, edges, (*because, said)
        return automatic.solution, automatic.edges, ()
    cloth = cloth_inside(image, corners_px)
    near = _with_noses(image, cloth, table, solution, corners_px, lens)
    if near is not None:
        solution, edges = near
        because = judge_fit(solution, edges, spec, lens)[2]
    mouths = check_mouths(image, solution.camera, table, cloth, rim_places_m(solution, table))
    least, measured = (_HOLES_LEAST if near is None else _HOLES_WITH_NOSES), (_ENDS_LEAST if near is None else 0)
    if mouths.holes < least * max(mouths.visible, 1) or mouths.visible < _VISIBLE_LEAST:
        because += (f"pockets at {mouths.holes} of the {mouths.visible} places in view; are these the corners of a pool table?",)
    elif mouths.measured < measured:
        because += ("neither noses nor mouths show near these corners, so they cannot be checked; light the table evenly",)
    elif mouths.measured and mouths.off_m > MOUTH_LIMIT_M:
        because += (f"pocket {mouths.where} lies {1000 * mouths.off_m:.0f} mm from where these corners have it",)
    return solution, edges, because


def _away_m(solution: Solution, table: Table, corners_px: FloatArray) -> float:
    """Distance of the farthest corner given from a camera's corners, metres; whichever end is called the head."""
    found = solution.camera.to_pixels(list(table.corners_m().values()), height_m=table.spec.nose_height_m)
    pixel_m = table.spec.length_m / float(np.hypot(*(corners_px[1] - corners_px[0])))
    apart = np.hypot(*(found[:, None] - corners_px[None]).T)
    return float(apart.min(axis=1).max()) * pixel_m


def _with_noses(
    image: Image, cloth: Cloth, table: Table, solution: Solution, corners_px: FloatArray, lens: Lens | None
) -> tuple[Solution, list[EdgePoints]] | None:
    """The fit to the noses near the corners given; None where they are not seen, or lead away from those corners."""
    try:
        fitted = fit_noses(image, cloth, table, solution, lens)
    except ValueError:  # too few points of any edge: nothing to fit
        return None
    if isinstance(fitted, str):
        return None
    noses = {edge.side for edge in fitted[1] if edge.nose}
    near = _away_m(fitted[0], table, corners_px) < _HAND_MOVED * table.spec.length_m
    return fitted if near and len(noses) == len(SIDES) else None
