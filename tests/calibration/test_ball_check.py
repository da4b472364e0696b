"""Balls put at known places are read back, whatever the camera."""

import cv2
import numpy as np
import pytest

from calibration.ball_check import check_balls
from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.errors import InputError
from calibration.table import Table

SPEC = find_table("wpa-9ft")
TOUCH = 0.963 * SPEC.ball_radius_m
CAMERA = CameraModel(
    matrix=np.array([[1600.0, 0, 959.5], [0, 1600.0, 539.5], [0, 0, 1]]),
    distortion=np.zeros(5),
    rotation=np.diag([1.0, -1.0, -1.0]),
    translation_m=np.array([0.0, 0.0, 3.2]),
    image_size_px=(1920, 1080),
)
MADE = Calibration(table=Table(SPEC), camera=CAMERA, foot_known=True, foot_side="right", residual_mm=(0.0, 0.0), good=True)


def picture(balls: list[tuple[float, float]]) -> np.ndarray:
    """Blue cloth inside brown rails, red discs where the camera sees balls."""
    image = np.full((1080, 1920, 3), (40, 60, 80), np.uint8)
    corners = CAMERA.to_pixels([(-1.32, 0.685), (1.32, 0.685), (1.32, -0.685), (-1.32, -0.685)], height_m=0.036)
    cv2.fillPoly(image, [np.round(corners).astype(np.int32)], (190, 120, 10))
    for ball in balls:
        middle = CAMERA.to_pixels([ball], height_m=SPEC.ball_radius_m)[0]
        radius = SPEC.ball_radius_m * 1600 / (3.2 - SPEC.ball_radius_m)
        cv2.circle(image, np.round(middle * 16).astype(int).tolist(), round(16 * radius), (40, 60, 220), -1, cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.8), dtype=np.uint8)


def test_a_ball_on_the_spot_at_a_cushion_and_in_a_corner_are_read_to_a_millimetre() -> None:
    """Three balls in their places: what each was meant for, and next to no error."""
    corner = (-SPEC.length_m / 2 + TOUCH, SPEC.width_m / 2 - TOUCH)
    checks = check_balls(picture([(0.635, 0.0), (0.3, -SPEC.width_m / 2 + TOUCH), corner]), MADE)

    assert sorted(check.meant for check in checks) == ["foot spot", "head and left cushion", "right cushion"]
    assert all(check.passes for check in checks)
    assert max(abs(off) for check in checks for off in check.off_m) < 0.001


def test_a_ball_beside_its_place_does_not_pass() -> None:
    """8 mm off the foot spot is read as 8 mm; a ball in the middle of nowhere is only measured."""
    on_spot, anywhere = sorted(check_balls(picture([(0.643, 0.0), (0.2, 0.3)]), MADE), key=lambda check: -check.place_m[0])

    assert on_spot.off_m[0] == pytest.approx(0.008, abs=0.001)
    assert not on_spot.passes
    assert (anywhere.meant, anywhere.passes) == ("", True)
    assert anywhere.place_m == pytest.approx((0.2, 0.3), abs=0.001)


def test_a_picture_of_another_size_or_without_balls_is_refused() -> None:
    """The message says what to do."""
    with pytest.raises(InputError, match="960x540, the table file is for 1920x1080"):
        check_balls(np.zeros((540, 960, 3), np.uint8), MADE)
    with pytest.raises(InputError, match="no ball lies alone"):
        check_balls(picture([]), MADE)
