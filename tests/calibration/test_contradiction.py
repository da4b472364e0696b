"""A line that runs along a nose and passes for it: on a painted table whose camera is known."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.contradiction import noses_against_others, with_false_nose_mended
from calibration.equipment import find_table
from calibration.landmarks import Step
from calibration.search import Fit, find_fit
from calibration.solve import SIDES, EdgePoints, side_points_m, solve
from calibration.table import Table

from .picture import paint, sight_places

SPEC = find_table("wpa-9ft")
SIZE = (960, 540)


def _camera() -> CameraModel:
    """A 960 x 540 camera, tilted by three degrees."""
    tilt = np.asarray(cv2.Rodrigues(np.array([0.05, 0.02, 0.01]))[0], dtype=np.float64)
    return CameraModel(
        matrix=np.array([[900.0, 0, 479.5], [0, 900.0, 269.5], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=tilt @ np.diag([1.0, -1.0, -1.0]),
        translation_m=np.array([0.0, 0.0, 3.1]),
        image_size_px=SIZE,
    )


def _line(side: str, inward_m: float) -> EdgePoints:
    """Points in a row along all of a cushion, inward of its nose."""
    along = np.linspace(-1.1, 1.1, 40)
    points = _camera().to_pixels(side_points_m(side, along, np.full(40, -inward_m), SPEC), height_m=SPEC.nose_height_m)
    return EdgePoints(side=side, points_px=points, along_m=along, outer=False, sigma_m=0.001)


def _corners_px(camera: CameraModel) -> np.ndarray:
    return camera.to_pixels(list(Table(SPEC).corners_m().values()), height_m=SPEC.nose_height_m)


@pytest.fixture(scope="module")
def seen() -> tuple[np.ndarray, Fit]:
    """A painted table with sights, and the fit to it."""
    image = paint(_camera(), SPEC, cloth=(190, 120, 10), marks=sight_places(SPEC))
    fit = find_fit(image, SPEC)
    assert isinstance(fit, Fit)
    return image, fit


def test_four_true_noses_agree(seen: tuple[np.ndarray, Fit]) -> None:
    """Each lies within 2 mm of where the other three and the sights have it."""
    image, fit = seen
    found = noses_against_others(image, Table(SPEC), fit.solution, fit.edges, None)

    assert {one.side for one in found} == set(SIDES)
    assert not any(one.false for one in found)
    assert max(abs(one.off_m) for one in found) < 0.002


def test_a_line_12_mm_within_a_nose_is_told_and_the_nose_found(seen: tuple[np.ndarray, Fit]) -> None:
    """It fits a camera with the other three; not with the sights. Where those have the nose, there it shows."""
    image, fit = seen
    table = Table(SPEC)
    others = [edge for edge in fit.edges if edge.sight_m is None and edge.side != "right"]
    edges = [*others, _line("right", 0.012)]
    bent = solve(edges, SPEC, SIZE, fit.solution.parameters)
    worst = noses_against_others(image, table, bent, edges, None)[0]
    assert worst.side == "right"
    assert worst.false
    assert worst.off_m == pytest.approx(-0.012, abs=0.003)

    places = {side: Step(outward_m=0.0, sign=-1, share=1.0) for side in SIDES}
    mended = with_false_nose_mended(image, fit.cloth, table, bent, edges, places, None)

    assert not isinstance(mended, str)
    assert any(edge.side == "right" and edge.nose for edge in mended[1])
    assert np.abs(_corners_px(mended[0].camera) - _corners_px(_camera())).max() < 1.0


def test_a_table_half_a_per_cent_wider_than_its_name_has_no_false_nose(seen: tuple[np.ndarray, Fit]) -> None:
    """Its noses lie 6 mm from where the others of the named table have them, but its sights lie along with them."""
    image, fit = seen
    named = replace(SPEC, width_m=SPEC.width_m / 1.005)
    edges = [edge for edge in fit.edges if edge.sight_m is None]
    solution = solve(edges, named, SIZE, fit.solution.parameters)
    found = noses_against_others(image, Table(named), solution, edges, None)

    assert len(found) == 4
    assert not any(one.false for one in found)


def test_without_sights_nothing_is_judged() -> None:
    """Three noses alone cannot say whether the fourth is false or the table another."""
    image = paint(_camera(), SPEC, cloth=(190, 120, 10))
    fit = find_fit(image, SPEC)
    assert isinstance(fit, Fit)

    assert noses_against_others(image, Table(SPEC), fit.solution, fit.edges, None) == []
