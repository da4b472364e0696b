"""Drawn pictures of a table seen from straight above, with exact places."""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.table import POCKETS, Table

CLOTH = (190, 120, 20)
COLOURS = {
    "cue": (225, 235, 240),
    "1": (40, 180, 240),
    "2": (150, 50, 15),
    "3": (45, 35, 215),
    "6": (70, 95, 25),
    "8": (25, 22, 22),
}
OVER = 3
"""Drawn so many times larger and averaged down: edges are then right to a few hundredths of a pixel."""


def a_calibration(size: tuple[int, int] = (960, 540)) -> Calibration:
    """A 9 ft table in the middle of the picture, head at the left."""
    camera = CameraModel.overhead(height_m=4.0, image_size_px=size, focal_px=1.42 * size[0])
    return Calibration(
        table=Table(find_table("wpa-9ft")), camera=camera, foot_known=True, foot_side="right", residual_mm=(0.0, 0.0), good=True
    )


def a_picture(
    calibration: Calibration, balls: dict[str, tuple[float, float]], *, streak_m: tuple[float, float] = (0.0, 0.0), noise: float = 1.5
) -> NDArray[np.uint8]:
    """Balls at table places on cloth with rails and dark pockets; `streak_m` smears all of them along it."""
    width, height = calibration.camera.image_size_px
    picture = np.full((height * OVER, width * OVER, 3), 60, np.uint8)
    spec = calibration.spec
    cushion = 0.05
    half = np.array([spec.length_m / 2 + cushion, spec.width_m / 2 + cushion])
    first, last = calibration.camera.to_pixels([-half * (1, -1), half * (1, -1)])
    cv2.rectangle(picture, _point(first), _point(last), CLOTH, -1)
    for pocket in POCKETS:
        middle = calibration.camera.to_pixels([np.array(calibration.table.mouth_centre_m(pocket)) * 1.06])[0]
        cv2.circle(picture, _point(middle), int(1.9 * spec.ball_radius_m * _scale(calibration) * OVER), (15, 15, 15), -1)
    moments = np.linspace(-0.5, 0.5, 9) if any(streak_m) else np.zeros(1)
    total = np.zeros((height, width, 3))
    for moment in moments:
        drawn = picture.copy()
        for name, place in balls.items():
            pixel = calibration.camera.to_pixels([np.array(place) + moment * np.array(streak_m)], height_m=spec.ball_radius_m)[0]
            cv2.circle(drawn, _point(pixel), round(spec.ball_radius_m * _scale(calibration) * OVER), COLOURS[name], -1)
        total += cv2.resize(drawn, (width, height), interpolation=cv2.INTER_AREA)
    blurred = cv2.GaussianBlur(total / len(moments), (0, 0), 0.6)
    return np.clip(blurred + np.random.default_rng(3).normal(0, noise, blurred.shape), 0, 255).astype(np.uint8)


def _scale(calibration: Calibration) -> float:
    radius = calibration.spec.ball_radius_m
    a, b = calibration.camera.to_pixels([(0.0, 0.0), (1.0, 0.0)], height_m=radius)
    return float(b[0] - a[0])


def _point(pixel: NDArray[np.float64]) -> tuple[int, int]:
    x, y = (pixel + 0.5) * OVER - 0.5
    return round(float(x)), round(float(y))
