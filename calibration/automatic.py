"""Automatic calibration: a picture, or frames of a video, in; a calibrated table out, with no manual step.

Cloth -> four outer lines -> rough camera -> strips -> width of the rubber -> noses -> joint fit, twice. Pure: no file,
no clock, fixed seed. Every way it can fail gives a reason that a person can act on.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.clip import main_view, median_picture
from calibration.cloth import Cloth, find_cloth
from calibration.drift import SAME_VIEW, views_match
from calibration.ends import find_foot, foot_side, with_foot, with_foot_at
from calibration.equipment import TableSpec
from calibration.landmarks import block_count, find_noses, nose_edges, outer_edges, pockets_seen, unroll
from calibration.solve import SIDES, EdgePoints, Lens, Solution, camera_from, distances_m, modelled_px, solve, start_from_quad
from calibration.table import Table

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_POCKETS_MIN, _POCKETS_SHARE = 4, 0.5
"""Pockets that must be in the picture, and share of them that must be there; a ball or a hand may fill one or two."""
_COVERAGE_MIN = 0.2
"""Least share of a cushion on which its nose must be found: a player and his arm hide up to half of a short one."""
_MEDIAN_MM, _LARGEST_MM = 1.5, 6.0
"""Residuals of a good table: a ball is placed to 2 mm; real noses are straight to about 1 mm, dirt and chalk give 4."""
_OUTLINE_SIGMA_M = 0.01
"""How well the outline of the reduced picture gives an edge, its bow by the lens included."""
_NOMINAL_M = 2.3
"""Length that a table known by its proportion only is fitted with: between 7 and 9 ft, so that widths of rubber and
lengths of blocks, which do not scale with the table much, are about right."""
_WORK_PX = 2000
"""Longer side of the picture that is measured in; edges are found to 0.2 px, 0.3 mm of a 9 ft table here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFailure:
    """No table was found.

    Attributes:
        reason: One line: what was not found and what to do.
    """

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Finding:
    """A calibration with what it was made from, to be shown.

    Attributes:
        calibration: The result.
        picture: What was measured, shape (h, w, 3), BGR, full size.
        landmarks_px: Shape (N, 2), points found on noses, full size.
        modelled_px: Shape (N, 2), where the model has the nearest point of the nose.
        foot_by: What the foot was known by; empty where it is not.
    """

    calibration: Calibration
    picture: Image
    landmarks_px: FloatArray
    modelled_px: FloatArray
    foot_by: str


def calibrate_image(image: Image, spec: TableSpec, foot: str | None = None) -> Calibration | CalibrationFailure:
    """Calibrate from one picture.

    Args:
        image: Shape (h, w, 3), BGR.
        spec: The table.
        foot: Side of the picture where the foot is (left, right, top, bottom); None to find out.

    Raises:
        InputError: If no end of the table lies at the side given as `foot`.
    """
    found = find_in_image(image, spec, foot)
    return found if isinstance(found, CalibrationFailure) else found.calibration


def calibrate_video(frames: Iterable[Image], spec: TableSpec, foot: str | None = None) -> Calibration | CalibrationFailure:
    """Calibrate from frames of one camera spread over a recording, its first among them (a rack shows in it).

    Args:
        frames: Each of shape (h, w, 3), BGR; 10 to 30 do, they are all held in memory.
        spec: The table.
        foot: Side of the picture where the foot is (left, right, top, bottom); None to find out.

    Raises:
        InputError: If no end of the table lies at the side given as `foot`.
    """
    found = find_in_video(frames, spec, foot)
    return found if isinstance(found, CalibrationFailure) else found.calibration


def find_in_image(image: Image, spec: TableSpec, foot: str | None = None, lens: Lens | None = None) -> Finding | CalibrationFailure:
    """As `calibrate_image`, with what the result was made from; `lens` where the camera's is known."""
    return _find(image, [image], spec, foot, lens)


def find_in_video(
    frames: Iterable[Image], spec: TableSpec, foot: str | None = None, lens: Lens | None = None
) -> Finding | CalibrationFailure:
    """As `calibrate_video`, with what the result was made from; `lens` where the camera's is known."""
    collected = list(frames)
    if not collected:
        return CalibrationFailure(reason="no picture in the recording")
    view = main_view(collected)
    picture = median_picture(view)
    found = _find(picture, view[:3], spec, foot, lens)
    if isinstance(found, CalibrationFailure) or len(view) < 5:
        return found
    matches = views_match(found.calibration, picture, view)
    same = [frame for frame, match in zip(view, matches, strict=True) if match >= SAME_VIEW]
    if len(same) in (len(view), 0):
        return found
    return _find(median_picture(same), same[:3], spec, foot, lens)


def _find(picture: Image, moments: list[Image], spec: TableSpec, foot: str | None, lens: Lens | None) -> Finding | CalibrationFailure:
    size = (picture.shape[1], picture.shape[0])
    scale = min(1.0, _WORK_PX / max(size))
    work = _resized(picture, scale)
    cloth = find_cloth(work)
    if cloth is None:
        return CalibrationFailure(reason="no table seen from above: no cloth of one colour with four sides")
    table = Table(spec)
    fitted = fit_table(work, cloth, table, None if lens is None else lens.scaled((work.shape[1], work.shape[0])))
    if isinstance(fitted, CalibrationFailure):
        return fitted
    solution, edges = fitted
    visible, holes = pockets_seen(work, solution.camera, table, cloth)
    if holes < _POCKETS_SHARE * visible or visible < _POCKETS_MIN:
        return CalibrationFailure(reason=f"a rectangle of cloth, but pockets at {holes} of the {visible} places in view; not a pool table?")
    median, largest, because = judge_fit(solution, edges, spec)
    calibration = Calibration(
        table=table,
        camera=solution.camera,
        foot_known=False,
        foot_side=foot_side(solution.camera, spec),
        residual_mm=(median, largest),
        good=not because,
        because=because,
    )
    by = ""
    if foot is not None:
        calibration, by = with_foot(calibration, foot), "as given"
    else:
        evidence = find_foot([_resized(moment, scale) for moment in moments], solution.camera, spec, cloth)
        if evidence is not None:
            calibration, by = with_foot_at(calibration, evidence[0]), evidence[1]
    noses = [edge for edge in edges if not edge.outer]
    landmarks = np.concatenate([edge.points_px for edge in noses])
    modelled = np.concatenate([modelled_px(edge, solution, spec) for edge in noses])
    if scale < 1:
        calibration = replace(calibration, camera=_rescaled(calibration.camera, size))
    factor = size[0] / work.shape[1]
    return Finding(
        calibration=calibration,
        picture=picture,
        landmarks_px=(landmarks + 0.5) * factor - 0.5,
        modelled_px=(modelled + 0.5) * factor - 0.5,
        foot_by=by,
    )


def _resized(image: Image, scale: float) -> Image:
    if scale >= 1:
        return image
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def judge_fit(solution: Solution, edges: list[EdgePoints], spec: TableSpec) -> tuple[float, float, tuple[str, ...]]:
    """Median and largest residual of the noses in millimetres, and why the fit is not good (empty when it is)."""
    noses = {edge.side: np.abs(distances_m(edge, solution, spec)) * 1000 for edge in edges if not edge.outer}
    away = np.concatenate(list(noses.values()))
    median, largest = float(np.median(away)), float(away.max())
    because = []
    if median > _MEDIAN_MM:
        because.append(f"noses lie {median:.1f} mm from the model in the median, limit {_MEDIAN_MM:g}; is it the right table size?")
    if largest > _LARGEST_MM:
        because.append(f"a nose point lies {largest:.1f} mm from the model, limit {_LARGEST_MM:g}")
    for side, found in noses.items():
        share = len(found) / block_count(Table(spec), side)
        if share < _COVERAGE_MIN:
            because.append(
                f"only {100 * share:.0f} % of the nose of the {side} cushion was found, at least {100 * _COVERAGE_MIN:.0f} are needed"
            )
    missing = [side for side in SIDES if side not in noses]
    unseen = [side for side in missing if side not in {edge.side for edge in edges}]
    if len(missing) > 1 or unseen:
        because.append(f"the nose of the {' and the '.join(missing)} cushion was not found")
    return median, largest, tuple(because)


def fit_table(image: Image, cloth: Cloth, table: Table, lens: Lens | None = None) -> tuple[Solution, list[EdgePoints]] | CalibrationFailure:
    """The camera of a picture whose cloth is known, and the landmarks it was fitted to."""
    spec, size = table.spec, (image.shape[1], image.shape[0])
    quad = ordered_quad(cloth)
    start = start_from_quad(quad, spec, size, lens)
    if start is None:
        return CalibrationFailure(reason="the cloth's outline is not that of a table seen from above; use --corners")
    solution = Solution(camera=camera_from(start, size, lens), rubber_m=float(start[9]), parameters=start)
    edges: list[EdgePoints] = []
    for reach in (0.035, 0.025, 0.012):
        strips = unroll(image, solution.camera, table, cloth, solution.rubber_m)
        edges = outer_edges(strips, solution.camera, table, solution.rubber_m, reach)
        found = {edge.side for edge in edges}
        if len(found) < 2:
            return CalibrationFailure(reason="fewer than two straight edges of cloth; use --corners")
        edges += [edge for edge in _outline_edges(quad, spec) if edge.side not in found]
        solution = solve(edges, spec, size, solution.parameters, lens)
    strips = unroll(image, solution.camera, table, cloth, solution.rubber_m)
    metres_per_pixel = 1 / _scale(solution.camera, table)
    edges = outer_edges(strips, solution.camera, table, solution.rubber_m, 0.012)
    outer = dict.fromkeys(SIDES, solution.rubber_m)
    outer |= {e.side: solution.rubber_m + float(np.median(distances_m(e, solution, spec))) for e in edges}
    places = find_noses(strips, outer, metres_per_pixel)
    reach = max(0.0045, 1.5 * metres_per_pixel)
    for _ in range(3):
        noses = nose_edges(strips, solution.camera, table, places, reach)
        if len(noses) < 2:
            return CalibrationFailure(reason="the noses of the cushions do not show; use --corners")
        solution = solve([*noses, *edges], spec, size, solution.parameters, lens)
        strips = unroll(image, solution.camera, table, cloth, solution.rubber_m)
        edges = outer_edges(strips, solution.camera, table, solution.rubber_m, 0.01)
        places, reach = {side: replace(place, outward_m=0.0) for side, place in places.items()}, max(0.003, 1.2 * metres_per_pixel)
    return solution, [*noses, *edges]


def _outline_edges(quad: FloatArray, spec: TableSpec) -> list[EdgePoints]:
    """The rough outline as edges, for sides whose own edge is hidden: a hand, a lamp or a gap in the rail."""
    share = np.linspace(0.15, 0.85, 8)
    edges = []
    for side, i in (("left", 0), ("foot", 1), ("right", 2), ("head", 3)):
        length = spec.width_m if side in ("head", "foot") else spec.length_m
        points = quad[i] + share[:, None] * (quad[(i + 1) % 4] - quad[i])
        edges.append(EdgePoints(side=side, points_px=points, along_m=(share - 0.5) * length, outer=True, sigma_m=_OUTLINE_SIGMA_M))
    return edges


def ordered_quad(cloth: Cloth) -> FloatArray:
    """Corners of the outer rectangle from head-left clockwise; the head is the left or top end of the picture."""
    quad = cloth.quad_px
    lengths = np.hypot(*(np.roll(quad, -1, axis=0) - quad).T)
    first = 0 if lengths[0] + lengths[2] > lengths[1] + lengths[3] else 1
    turned = np.roll(quad, -first, axis=0)
    if not _head_first(turned):
        turned = np.roll(turned, -2, axis=0)
    return turned


def _head_first(quad: FloatArray) -> bool:
    along = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
    return bool(along[0] > 0) if abs(along[0]) >= abs(along[1]) else bool(along[1] > 0)


def _scale(camera: CameraModel, table: Table) -> float:
    ends = camera.to_pixels([[-table.spec.length_m / 2, 0], [table.spec.length_m / 2, 0]], height_m=table.spec.nose_height_m)
    return float(np.hypot(*(ends[1] - ends[0]))) / table.spec.length_m


def _rescaled(camera: CameraModel, size: tuple[int, int]) -> CameraModel:
    factor = size[0] / camera.image_size_px[0]
    matrix = camera.matrix.copy()
    matrix[:2, :2] *= factor
    matrix[:2, 2] = (matrix[:2, 2] + 0.5) * factor - 0.5
    return CameraModel(
        matrix=matrix,
        distortion=camera.distortion.copy(),
        rotation=camera.rotation.copy(),
        translation_m=camera.translation_m.copy(),
        image_size_px=size,
    )
