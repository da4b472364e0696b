"""The camera model: pixels and table points are two sides of one thing."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.camera import CameraModel


def tilted(tilt: float, k1: float, height: float) -> CameraModel:
    """A camera `height` above the table, tilted, with barrel or pincushion."""
    rotation = np.asarray(cv2.Rodrigues(np.array([tilt, tilt / 2, 0.3]))[0]) @ np.diag([1.0, -1.0, -1.0])
    matrix = np.array([[1500.0, 0, 960], [0, 1500.0, 540], [0, 0, 1]])
    distortion = np.array([k1, 0.0, 0.001, -0.001, 0.0])
    return CameraModel(
        matrix=matrix, distortion=distortion, rotation=rotation, translation_m=np.array([0.1, 0.05, height]), image_size_px=(1920, 1080)
    )


@given(
    x=st.floats(-1.2, 1.2),
    y=st.floats(-0.6, 0.6),
    z=st.floats(0, 0.06),
    tilt=st.floats(-0.35, 0.35),
    k1=st.floats(-0.12, 0.12),
    height=st.floats(2.5, 5),
)
@settings(max_examples=60, deadline=None)
def test_a_point_comes_back_from_its_pixel(x: float, y: float, z: float, tilt: float, k1: float, height: float) -> None:
    """Table to pixel to table gives the same place to a hundredth of a millimetre, whatever tilt, lens and plane."""
    camera = tilted(tilt, k1, height)
    back = camera.to_table(camera.to_pixels([[x, y]], height_m=z), height_m=z)
    assert np.abs(back - [[x, y]]).max() < 1e-5


def test_an_overhead_pixel_is_where_similar_triangles_put_it() -> None:
    """Half a metre at 2 m and a focal length of 1000 px is 250 px from the middle, y downwards."""
    camera = CameraModel.overhead(height_m=2.0, image_size_px=(1001, 1001), focal_px=1000)
    assert camera.to_pixels([[0.5, 0.25]]).tolist() == [[750.0, 375.0]]


def test_a_ball_read_on_the_bed_would_be_wrong_by_the_parallax() -> None:
    """A ball centre 28.6 mm up, 1 m out, under a camera at 2 m, seems 14.5 mm farther out on the bed."""
    camera = CameraModel.overhead(height_m=2.0, image_size_px=(1920, 1080), focal_px=1000)
    pixel = camera.to_pixels([[1.0, 0.0]], height_m=0.0286)
    assert camera.to_table(pixel, height_m=0.0)[0, 0] == pytest.approx(1.0145, abs=1e-4)


def test_a_pixel_above_the_horizon_has_no_place() -> None:
    """A ray that never meets the plane gives NaN, not a far-off number."""
    rotation = np.asarray(cv2.Rodrigues(np.array([1.4, 0.0, 0.0]))[0]) @ np.diag([1.0, -1.0, -1.0])
    camera = CameraModel(
        matrix=np.array([[1000.0, 0, 500], [0, 1000.0, 500], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=rotation,
        translation_m=np.array([0, 0, 2.0]),
        image_size_px=(1000, 1000),
    )
    rows = camera.to_table([[500.0, 0.0], [500.0, 999.0]], height_m=0.0)
    assert np.isnan(rows).any()


def test_no_points_give_no_pixels() -> None:
    """An empty list of points is an empty (0, 2) array."""
    assert CameraModel.overhead(height_m=2.0, image_size_px=(100, 100)).to_pixels([]).shape == (0, 2)
