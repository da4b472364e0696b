"""The fit drawn back into the picture, for a person to check with one look."""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.table import POCKETS

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_NOSE, _MOUTH, _STRING = (0, 255, 255), (255, 0, 255), (255, 255, 255)
_RESIDUAL = (0, 0, 255)
_DOUBT = (120, 255, 120)
_DOUBT_EXAGGERATION = 30.0
"""A millimetre of doubt becomes a ball's radius."""
_EXAGGERATION = 10.0
"""Residuals are drawn this many times longer than they are: a millimetre is about half a pixel."""


def draw_calibration(
    image: Image, calibration: Calibration, landmarks_px: FloatArray | None = None, modelled_px: FloatArray | None = None
) -> Image:
    """A copy of the picture with noses, mouths, spots, strings, (ten times longer) residuals and (thirty times larger) doubts of places.

    Args:
        image: Shape (h, w, 3), BGR, of the calibrated view.
        calibration: What to draw.
        landmarks_px: Shape (N, 2), where nose points were found.
        modelled_px: Shape (N, 2), where the model has them.
    """
    drawn = image.copy()
    table, spec = calibration.table, calibration.spec
    wide = max(1, round(max(image.shape[:2]) / 1000))
    for cushion in table.noses_m().values():
        for start, end in cushion:
            _curve(drawn, calibration, np.linspace(start, end, 30), spec.nose_height_m, _NOSE, wide)
    for pocket in POCKETS:
        _curve(drawn, calibration, np.array(table.mouth_m(pocket)), spec.nose_height_m, _MOUTH, wide)
    half = spec.width_m / 2
    for x in (table.head_string_m, 0.0, -table.head_string_m):
        _curve(drawn, calibration, np.array([[x, y] for y in np.linspace(-half, half, 20)]), 0.0, _STRING, 1)
    if calibration.doubt is not None:
        _doubts(drawn, calibration, wide)
    for name, spot in table.spots_m().items():
        _label(drawn, calibration, spot, name, wide)
    for name, corner in ((pocket, table.mouth_centre_m(pocket)) for pocket in POCKETS):
        _label(drawn, calibration, corner, name, wide)
    if landmarks_px is not None and modelled_px is not None:
        for found, model in zip(landmarks_px, modelled_px, strict=True):
            tip = model + _EXAGGERATION * (found - model)
            cv2.line(drawn, _whole(model), _whole(tip), _RESIDUAL, wide, cv2.LINE_AA)
    head = f"{spec.name}: median {calibration.residual_mm[0]:.2f} mm, largest {calibration.residual_mm[1]:.2f} mm, "
    head += "good" if calibration.good else "not good"
    head += f", foot {calibration.foot_side}" + ("" if calibration.foot_known else " (not known)")
    cv2.putText(drawn, head, (10, 30 * wide), cv2.FONT_HERSHEY_SIMPLEX, 0.8 * wide, (0, 0, 0), 4 * wide, cv2.LINE_AA)
    cv2.putText(drawn, head, (10, 30 * wide), cv2.FONT_HERSHEY_SIMPLEX, 0.8 * wide, (255, 255, 255), 2 * wide, cv2.LINE_AA)
    return drawn


def _doubts(image: Image, calibration: Calibration, wide: int) -> None:
    """How well balls are placed: ellipses of one standard deviation, many times larger, with the figure in millimetres."""
    spec = calibration.spec
    for x in np.linspace(-0.45, 0.45, 5) * spec.length_m:
        for y in np.linspace(-0.4, 0.4, 3) * spec.width_m:
            sigma = calibration.position_sigma_m([[x, y]])[0]
            angles = np.linspace(0, 2 * np.pi, 25)
            ring = np.array([x, y]) + _DOUBT_EXAGGERATION * sigma * np.column_stack([np.cos(angles), np.sin(angles)])
            _curve(image, calibration, ring, spec.ball_radius_m, _DOUBT, wide)
            place = calibration.camera.to_pixels([[x, y]], height_m=spec.ball_radius_m)[0]
            if spec.metric and np.isfinite(place).all():
                text = f"{1000 * float(np.hypot(*sigma)):.1f} mm"
                cv2.putText(
                    image,
                    text,
                    _whole(place + np.array([-16.0, 5.0]) * wide),
                    cv2.FONT_HERSHEY_SIMPLEX,
                    0.45 * wide,
                    _DOUBT,
                    wide,
                    cv2.LINE_AA,
                )


def _curve(image: Image, calibration: Calibration, points_m: FloatArray, height_m: float, colour: tuple[int, int, int], wide: int) -> None:
    pixels = calibration.camera.to_pixels(points_m, height_m=height_m)
    if np.isfinite(pixels).all():
        cv2.polylines(image, [np.round(pixels * 16).astype(np.int32)], False, colour, wide, cv2.LINE_AA, 4)


def _label(image: Image, calibration: Calibration, point_m: tuple[float, float], text: str, wide: int) -> None:
    pixel = calibration.camera.to_pixels([point_m], height_m=0.0)[0]
    if np.isfinite(pixel).all():
        cv2.circle(image, _whole(pixel), 3 * wide, _MOUTH, wide, cv2.LINE_AA)
        cv2.putText(image, text, _whole(pixel + 6 * wide), cv2.FONT_HERSHEY_SIMPLEX, 0.5 * wide, _STRING, wide, cv2.LINE_AA)


def _whole(point: FloatArray) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))
