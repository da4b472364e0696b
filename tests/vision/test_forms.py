"""Outlines interpolated from a grid against outlines worked out ball by ball."""

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calibration.camera import CameraModel
from vision.forms import FormGrid, forms

RADIUS_M = 0.028575
HALF_SIZE_M = (1.27, 0.635)
TILTED = CameraModel(
    matrix=np.array([[1300.0, 0.0, 959.5], [0.0, 1300.0, 539.5], [0.0, 0.0, 1.0]]),
    distortion=np.array([-0.2, 0.05, 0.001, -0.001, 0.0]),
    rotation=np.diag([1.0, -1.0, -1.0]) @ cv2.Rodrigues(np.array([0.25, 0.1, 0.4]))[0],
    translation_m=np.array([0.1, -0.05, 2.6]),
    image_size_px=(1920, 1080),
)
GRID = FormGrid(TILTED, RADIUS_M, HALF_SIZE_M)


@given(x=st.floats(-1.3, 1.3), y=st.floats(-0.66, 0.66))
def test_a_form_from_the_grid_is_that_of_the_place(x: float, y: float) -> None:
    """Anywhere on the bed, under a tilted camera with a barrel lens: outlines to two thousandths of a pixel, slopes to as many."""
    place = np.array([[x, y]])
    exact, grid = forms(TILTED, RADIUS_M, place), GRID.at(place)

    assert np.abs(exact.outline - grid.outline).max() < 0.002
    assert np.abs(exact.slopes - grid.slopes).max() < 2e-3
    assert np.abs(exact.normals - grid.normals).max() < 1e-3
    assert np.abs(exact.jacobian - grid.jacobian).max() < 0.002
    assert abs(exact.radius_px - grid.radius_px)[0] < 0.01


def test_a_ball_far_outside_has_the_form_at_the_edge() -> None:
    """A start two metres off the table gives numbers, not an error."""
    assert np.isfinite(GRID.at(np.array([[3.0, -2.0]])).slopes).all()
