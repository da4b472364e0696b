"""Calibrating again after the camera was moved."""

import cv2
import numpy as np

from calibration.automatic import CalibrationFailure, find_in_image
from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.ends import with_foot
from calibration.equipment import find_table
from calibration.renew import recalibrate

from .picture import paint


def test_a_nudged_camera_is_calibrated_again_with_the_same_ends() -> None:
    """The corners move by what the picture moved; the foot that a person gave at the left stays there."""
    spec = find_table("wpa-9ft")
    camera = CameraModel(
        matrix=np.array([[800.0, 0, 479.5], [0, 800.0, 269.5], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=np.diag([1.0, -1.0, -1.0]),
        translation_m=np.array([0.0, 0.0, 3.2]),
        image_size_px=(960, 540),
    )
    picture = paint(camera, spec, cloth=(190, 120, 10))
    found = find_in_image(picture, spec)
    assert not isinstance(found, CalibrationFailure)
    before = with_foot(found.calibration, "left")
    moved = np.asarray(cv2.warpAffine(picture, np.array([[1.0, 0, 6], [0, 1, -4]]), (960, 540), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    after = recalibrate(before, [moved])

    assert isinstance(after, Calibration)
    assert (after.good, after.foot_known, after.foot_side) == (True, True, "left")
    was, now = (np.array(list(c.corners_px().values())) for c in (before, after))
    assert np.abs(now - was - [6, -4]).max() < 0.7
