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
from calibration.cloth import Cloth
from calibration.covariance import place_doubt
from calibration.drift import SAME_VIEW, views_match
from calibration.ends import find_foot, foot_side, with_foot, with_foot_at
from calibration.equipment import TableSpec
from calibration.search import find_fit
from calibration.sizes import BallSizes, doubt_name, measure_balls
from calibration.solve import Lens, modelled_px
from calibration.table import Table
from calibration.usual_size import in_size_of, in_usual_size

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

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
        balls: Those that were measured as a check of the table's name; None where none were looked for.
    """

    calibration: Calibration
    picture: Image
    landmarks_px: FloatArray
    modelled_px: FloatArray
    foot_by: str
    balls: BallSizes | None = None


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
    found = _find(picture, view, spec, foot, lens)
    if isinstance(found, CalibrationFailure) or len(view) < 5:
        return found
    matches = views_match(found.calibration, picture, view)
    same = [frame for frame, match in zip(view, matches, strict=True) if match >= SAME_VIEW]
    if len(same) in (len(view), 0):
        return found
    return _find(median_picture(same), same, spec, foot, lens)


def _find(picture: Image, moments: list[Image], spec: TableSpec, foot: str | None, lens: Lens | None) -> Finding | CalibrationFailure:
    found = _find_sized(picture, moments, in_usual_size(spec), foot, lens)
    if spec.metric or isinstance(found, CalibrationFailure):
        return found
    return replace(found, calibration=in_size_of(found.calibration, spec))


def _find_sized(picture: Image, moments: list[Image], spec: TableSpec, foot: str | None, lens: Lens | None) -> Finding | CalibrationFailure:
    size = (picture.shape[1], picture.shape[0])
    scale = min(1.0, _WORK_PX / max(size))
    work = _resized(picture, scale)
    known = None if lens is None else lens.scaled((work.shape[1], work.shape[0]))
    fit = find_fit(work, spec, known)
    if isinstance(fit, str):
        return CalibrationFailure(reason=fit)
    solution, edges, cloth = fit.solution, fit.edges, fit.cloth
    calibration = Calibration(
        table=Table(spec),
        camera=solution.camera,
        foot_known=False,
        foot_side=foot_side(solution.camera, spec),
        residual_mm=fit.residual_mm,
        good=not fit.because,
        because=fit.because,
        doubt=place_doubt(solution, edges, spec, known),
    )
    by = ""
    if foot is not None:
        calibration, by = with_foot(calibration, foot), "as given"
    else:
        evidence = find_foot((_resized(moment, scale) for moment in moments), solution.camera, spec, cloth)
        if evidence is not None:
            calibration, by = with_foot_at(calibration, evidence[0]), evidence[1]
    balls = _balls([_resized(moment, scale) for moment in moments[:3]], solution.camera, spec, cloth)
    wrong = doubt_name(spec, balls, fit.mouths.corner_mouth_m)
    if wrong:
        calibration = replace(calibration, good=False, because=(*calibration.because, wrong))
    noses = [edge for edge in edges if edge.nose]
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
        balls=balls,
    )


def _balls(moments: list[Image], camera: CameraModel, spec: TableSpec, cloth: Cloth) -> BallSizes | None:
    """Balls measured in the first moment that shows enough of them, else in the first."""
    first: BallSizes | None = None
    for moment in moments:
        sizes = measure_balls(moment, camera, spec, cloth)
        if sizes.told:
            return sizes
        first = first or sizes
    return first


def _resized(image: Image, scale: float) -> Image:
    if scale >= 1:
        return image
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


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
