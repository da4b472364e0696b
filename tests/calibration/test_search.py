"""What is no table, or not wholly in view, is refused with a reason; the pockets are what a fit is checked by."""

import numpy as np
import pytest

from calibration.automatic import CalibrationFailure, calibrate_image
from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.cloth import find_cloth
from calibration.ends import find_foot
from calibration.equipment import find_table
from calibration.pockets import check_mouths
from calibration.solve import SIDES
from calibration.table import Table

from .picture import paint

SPEC = find_table("wpa-9ft")
BLUE = (190, 120, 10)
RIMS = dict.fromkeys(SIDES, 0.05)


def camera(*, right_px: float = 0.0, x_m: float = 0.0) -> CameraModel:
    """A 960 x 540 camera straight above; the table moved to the right in the picture, the camera along the table."""
    return CameraModel(
        matrix=np.array([[900.0, 0, 479.5 + right_px], [0, 900.0, 269.5], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=np.diag([1.0, -1.0, -1.0]),
        translation_m=np.array([-x_m, 0.0, 3.0]),
        image_size_px=(960, 540),
    )


@pytest.mark.parametrize(("right_px", "side"), [(230.0, "right"), (-230.0, "left")])
def test_an_end_outside_the_picture_is_named(right_px: float, side: str) -> None:
    """The reason says at which side of the picture the table runs out of it."""
    found = calibrate_image(paint(camera(right_px=right_px), SPEC, cloth=BLUE), SPEC)
    assert isinstance(found, CalibrationFailure)
    assert f"out of the picture at the {side};" in found.reason


@pytest.mark.slow
def test_a_carom_table_is_no_pool_table() -> None:
    """Cloth, cushions and rails without pockets are refused, and the reason is the pockets."""
    found = calibrate_image(paint(camera(), SPEC, cloth=BLUE, pockets=()), SPEC)
    assert isinstance(found, CalibrationFailure)
    assert "pockets at 0 of the 6" in found.reason


def test_mouths_agree_with_the_true_camera_and_with_no_other() -> None:
    """With the true camera all twelve ends of rubber are where they belong; 60 mm along the table they are not."""
    picture = paint(camera(), SPEC, cloth=BLUE)
    cloth = find_cloth(picture)
    assert cloth is not None
    right = check_mouths(picture, camera(), Table(SPEC), cloth, RIMS)
    wrong = check_mouths(picture, camera(x_m=0.06), Table(SPEC), cloth, RIMS)
    assert (right.visible, right.holes) == (6, 6)
    assert right.measured >= 10
    assert right.off_m < 0.012
    assert wrong.off_m > 0.025


def test_no_hole_is_seen_where_there_are_no_pockets() -> None:
    """On a carom table, with the true camera, none of the six places has a hole."""
    picture = paint(camera(), SPEC, cloth=BLUE, pockets=())
    cloth = find_cloth(picture)
    assert cloth is not None
    assert check_mouths(picture, camera(), Table(SPEC), cloth, RIMS).holes == 0


@pytest.mark.slow
def test_a_bar_over_a_rail_gives_no_wrong_table() -> None:
    """A graphic over a third of a long cushion: the table is right, or is not called good."""
    picture = paint(camera(), SPEC, cloth=BLUE)
    picture[440:480, 250:700] = (160, 60, 140)
    found = calibrate_image(picture, SPEC)
    if isinstance(found, Calibration) and found.good:
        true = camera().to_pixels(list(Table(SPEC).corners_m().values()), height_m=SPEC.nose_height_m)
        assert max(float(np.hypot(*(true - corner).T).min()) for corner in found.corners_px().values()) < 2.0


def test_a_line_across_the_head_names_the_ends_and_a_step_of_brightness_does_not() -> None:
    """A thin white line at x = -L/4 puts the foot at positive x; a step of one grey level at the same place says nothing."""
    picture = paint(camera(), SPEC, cloth=BLUE)
    cloth = find_cloth(picture)
    assert cloth is not None
    column = int(camera().to_pixels([[-SPEC.length_m / 4, 0.0]])[0, 0])
    lined, stepped = picture.copy(), picture.copy()
    lined[95:445, column : column + 2] = np.clip(lined[95:445, column : column + 2].astype(int) + 25, 0, 255)
    stepped[95:445, :column] = np.clip(stepped[95:445, :column].astype(int) + 1, 0, 255)
    assert find_foot([lined], camera(), SPEC, cloth) == (1.0, "line across the head")
    assert find_foot([stepped], camera(), SPEC, cloth) is None
