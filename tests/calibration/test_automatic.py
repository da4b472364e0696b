"""Automatic calibration on painted tables whose truth is known exactly."""

import cv2
import numpy as np
import pytest

from calibration.automatic import CalibrationFailure, calibrate_image, calibrate_video
from calibration.by_hand import calibrate_corners
from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.drift import SAME_VIEW, view_matches
from calibration.equipment import find_table
from calibration.errors import InputError
from calibration.table import Table

from .picture import paint

SPEC = find_table("wpa-9ft")


def above(*, roll_deg: float = 0.0, tilt_deg: float = 0.0, k1: float = 0.0, height_m: float = 3.0) -> CameraModel:
    """A 960 x 540 camera over the table."""
    turn = np.asarray(cv2.Rodrigues(np.array([0.0, 0.0, np.radians(roll_deg)]))[0])
    tilt = np.asarray(cv2.Rodrigues(np.array([np.radians(tilt_deg), 0.0, 0.0]))[0])
    return CameraModel(
        matrix=np.array([[900.0, 0, 479.5], [0, 900.0, 269.5], [0, 0, 1]]),
        distortion=np.array([k1, 0.0, 0.0, 0.0, 0.0]),
        rotation=tilt @ turn @ np.diag([1.0, -1.0, -1.0]),
        translation_m=np.array([0.0, 0.0, height_m]),
        image_size_px=(960, 540),
    )


def corner_errors_px(found: Calibration, truth: CameraModel) -> list[float]:
    """Distance of every found corner from the nearest true one."""
    true = truth.to_pixels(list(Table(SPEC).corners_m().values()), height_m=SPEC.nose_height_m)
    return [float(np.hypot(*(true - corner).T).min()) for corner in found.corners_px().values()]


@pytest.mark.parametrize(
    ("camera", "cloth"),
    [
        (above(), (190, 120, 10)),
        (above(k1=-0.12, height_m=3.2), (60, 130, 20)),
        (above(roll_deg=20, tilt_deg=12, height_m=4.0), (40, 40, 150)),
    ],
    ids=["blue, straight", "green, barrel lens", "red, turned and tilted"],
)
def test_a_painted_table_is_found_to_a_pixel(camera: CameraModel, cloth: tuple[int, int, int]) -> None:
    """Corners within a pixel (2.5 to 4.5 mm here) whatever cloth, lens, tilt and turn, and the fit calls itself good."""
    found = calibrate_image(paint(camera, SPEC, cloth=cloth, balls=[(0.3, 0.2), (-0.7, -0.4)]), SPEC)
    assert isinstance(found, Calibration)
    assert found.good, found.because
    assert not found.foot_known
    assert max(corner_errors_px(found, camera)) < 1.0


def test_a_picture_of_something_else_gives_a_reason() -> None:
    """A flat grey picture, noise, and a rectangle of cloth without pockets are no table."""
    grey = np.full((540, 960, 3), 128, np.uint8)
    noise = np.random.default_rng(2).integers(0, 255, (540, 960, 3), dtype=np.uint8)
    rectangle = grey.copy()
    rectangle[100:440, 150:810] = (60, 130, 20)
    for picture in (grey, noise, rectangle):
        assert isinstance(calibrate_image(picture, SPEC), CalibrationFailure)


def test_other_views_and_people_are_left_out_of_a_clip() -> None:
    """Three frames of another view and a bar that moves over the table do not move the corners."""
    camera = above()
    table = paint(camera, SPEC, cloth=(190, 120, 10))
    other = np.random.default_rng(3).integers(0, 255, table.shape, dtype=np.uint8)
    frames = []
    for i in range(9):
        frame = table.copy()
        frame[:, 100 * i : 100 * i + 90] = (70, 80, 160)
        frames.append(frame)
    found = calibrate_video([*frames[:4], other, other, *frames[4:], other], SPEC)
    assert isinstance(found, Calibration)
    assert max(corner_errors_px(found, camera)) < 1.0
    assert view_matches(found, table, other) < SAME_VIEW
    assert view_matches(found, table, frames[3]) > SAME_VIEW


def test_a_rack_tells_the_foot() -> None:
    """Fifteen balls racked at the right, late in a recording of an empty table, are the foot."""
    camera, d = above(), SPEC.ball_diameter_m
    rack = [(0.635 + i * d * 0.866, (j - i / 2) * d) for i in range(5) for j in range(i + 1)]
    empty, racked = (paint(camera, SPEC, cloth=(190, 120, 10), balls=balls) for balls in ([], rack))
    found = calibrate_video([empty] * 5 + [racked], SPEC)
    assert isinstance(found, Calibration)
    assert (found.foot_known, found.foot_side) == (True, "right")


def test_four_corners_by_hand_give_the_camera_back() -> None:
    """True corners, given anticlockwise from any one, give the true corners again."""
    camera = above(tilt_deg=8)
    true = camera.to_pixels(list(Table(SPEC).corners_m().values()), height_m=SPEC.nose_height_m)
    found = calibrate_corners(true[[3, 2, 0, 1]], (960, 540), SPEC)
    assert isinstance(found, Calibration)
    assert max(corner_errors_px(found, camera)) < 0.5


def test_four_corners_of_an_exact_rectangle_are_seen_from_above() -> None:
    """Whole pixels straight above make an exact rectangle, anywhere in the picture."""
    for right in (0.0, 40.0):
        found = calibrate_corners(np.array([[94.0, 77], [865, 77], [865, 462], [94, 462]]) + np.array([right, 0]), (960, 540), SPEC)
        assert isinstance(found, Calibration)
        assert found.good


def test_corners_that_cross_over_are_refused() -> None:
    """Four points in a bow-tie order go round no table."""
    with pytest.raises(InputError, match="in turn"):
        calibrate_corners(np.array([[100, 100], [800, 400], [800, 100], [100, 400]]), (960, 540), SPEC)


def test_corners_beside_the_table_are_not_good_and_true_ones_are_refined() -> None:
    """With the picture at hand four wrong points say how far they are off; taps good to two pixels become exact."""
    camera = above(tilt_deg=5)
    picture = paint(camera, SPEC, cloth=(190, 120, 10))
    true = camera.to_pixels(list(Table(SPEC).corners_m().values()), height_m=SPEC.nose_height_m)[[0, 2, 3, 1]]
    wrong = calibrate_corners(true + np.array([40, 10]), (960, 540), SPEC, image=picture)
    right = calibrate_corners(true + np.array([[1.5, -1], [-1, 1], [1, 1.5], [0, -1.5]]), (960, 540), SPEC, image=picture)

    assert isinstance(wrong, Calibration)
    assert isinstance(right, Calibration)
    assert not wrong.good
    assert "from where the noses meet" in wrong.because[0]
    assert right.good
    assert max(corner_errors_px(right, camera)) < 1.0
