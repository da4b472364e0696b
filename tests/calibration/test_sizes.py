"""A wrong name of the table is noticed by what lies on it."""

from dataclasses import replace

import cv2
import numpy as np

from calibration.automatic import CalibrationFailure, find_in_image
from calibration.camera import CameraModel
from calibration.cloth import cloth_inside
from calibration.equipment import find_table
from calibration.sizes import BallSizes, doubt_name, measure_balls

from .picture import paint

NINE, EIGHT = find_table("wpa-9ft"), find_table("wpa-8ft")


def balls(diameter_m: float, count: int = 5) -> BallSizes:
    return BallSizes(count=count, diameter_m=diameter_m, spread_m=0.0005)


def test_balls_too_large_by_the_name_suggest_the_right_one() -> None:
    """57.15 mm balls on a 9 ft table named 8 ft measure 52.6: the message names the 9 ft table and the size there."""
    said = doubt_name(EIGHT, balls(0.0526), None)

    assert "looks like wpa-9ft: the balls measure 57.2 mm only then" in said
    assert doubt_name(NINE, balls(0.0571), None) == ""


def test_two_balls_or_a_measured_ball_size_raise_no_doubt() -> None:
    """Fewer than three balls say nothing; snooker balls named as such are right."""
    assert doubt_name(EIGHT, balls(0.0526, count=2), None) == ""
    assert doubt_name(replace(NINE, ball_diameter_m=0.0524), balls(0.0526), None) == ""


def test_mouths_tell_pool_from_pyramid_without_balls() -> None:
    """Half way to the rail a pool table's mouths measure 57 to 76 mm; 90 are no pyramid table's, 35 no pool table's."""
    assert "looks like a pool table" in doubt_name(find_table("pyramid-12ft"), None, 0.09)
    assert "looks like a pyramid table" in doubt_name(NINE, None, 0.035)
    assert doubt_name(NINE, None, 0.057) == doubt_name(NINE, None, 0.076) == ""


def test_a_painted_9_ft_table_named_8_ft_is_not_good() -> None:
    """The fit is as good under either name; the balls are not, and the right name is suggested."""
    camera = CameraModel(
        matrix=np.array([[900.0, 0, 479.5], [0, 900.0, 269.5], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=np.diag([1.0, -1.0, -1.0]),
        translation_m=np.array([0.0, 0.0, 3.0]),
        image_size_px=(960, 540),
    )
    flat = replace(NINE, ball_diameter_m=0.97 * NINE.ball_diameter_m)  # painted discs do not darken towards their edge
    picture = paint(camera, flat, cloth=(190, 120, 10), balls=[(0.3, 0.2), (-0.7, -0.4), (0.9, -0.1), (-0.2, 0.35)])
    found = find_in_image(picture, EIGHT)

    assert not isinstance(found, CalibrationFailure)
    assert found.balls is not None
    assert found.balls.count == 4
    assert not found.calibration.good
    assert "looks like wpa-9ft" in " ".join(found.calibration.because)


def test_rings_round_balls_are_not_taken_for_them() -> None:
    """A projector's bright ring of one and a half times the ball's radius: the ball is measured or nothing is, never the ring."""
    camera = CameraModel.overhead(height_m=3.0, image_size_px=(480, 360), focal_px=1800.0)
    picture = np.full((360, 480, 3), (190, 120, 10), np.uint8)
    for centre in ((120, 100), (350, 120), (240, 270)):
        cv2.circle(picture, centre, 17, (120, 70, 60), -1, cv2.LINE_AA)
        cv2.circle(picture, centre, 26, (240, 240, 240), 2, cv2.LINE_AA)
    cloth = cloth_inside(picture, np.array([[0.0, 0], [479, 0], [479, 359], [0, 359]]))
    sizes = measure_balls(picture, camera, NINE, cloth)

    assert sizes.count == 0 or abs(sizes.diameter_m / NINE.ball_diameter_m - 1) < 0.08
