"""Sights of the rails as landmarks: on painted tables whose camera is known."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.automatic import calibrate_image
from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.search import Fit, find_fit
from calibration.sights import find_sights, held_by_sights, with_sights
from calibration.solve import SIDES, distances_m
from calibration.table import Table

from .picture import paint, sight_places

SPEC = find_table("wpa-9ft")
BLUE = (190, 120, 10)


def _camera() -> CameraModel:
    """A 960 x 540 camera, tilted by three degrees."""
    tilt = np.asarray(cv2.Rodrigues(np.array([0.05, 0.02, 0.01]))[0], dtype=np.float64)
    return CameraModel(
        matrix=np.array([[900.0, 0, 479.5], [0, 900.0, 269.5], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=tilt @ np.diag([1.0, -1.0, -1.0]),
        translation_m=np.array([0.0, 0.0, 3.1]),
        image_size_px=(960, 540),
    )


def _corners_off_px(camera: CameraModel) -> float:
    corners = list(Table(SPEC).corners_m().values())
    there, here = (c.to_pixels(corners, height_m=SPEC.nose_height_m) for c in (_camera(), camera))
    return min(float(np.hypot(*(here - order).T).max()) for order in (there, there[[3, 2, 1, 0]]))


def _barred(image: np.ndarray) -> np.ndarray:
    """With a graphic over the nose and the rubber of the right cushion, and over its middle pocket; its rail shows."""
    ends = _camera().to_pixels([[-1.15, -0.56], [1.15, -0.56], [1.15, -0.695], [-1.15, -0.695]], height_m=SPEC.nose_height_m)
    barred = image.copy()
    cv2.fillPoly(barred, [np.round(ends).astype(np.int32)], (160, 60, 140))
    return barred


@pytest.fixture(scope="module")
def seen() -> tuple[np.ndarray, Fit]:
    """A painted table with sights, and the fit to it."""
    image = paint(_camera(), SPEC, cloth=BLUE, marks=sight_places(SPEC))
    fit = find_fit(image, SPEC)
    assert isinstance(fit, Fit)
    return image, fit


def test_all_sights_are_found_where_the_table_has_them(seen: tuple[np.ndarray, Fit]) -> None:
    """Eighteen of them, each within 2 mm of its eighth or quarter, 110 mm outward."""
    image, fit = seen
    sights = find_sights(image, fit.solution, Table(SPEC), SIDES, 0.025)
    away = np.concatenate([distances_m(edge, fit.solution, SPEC) for edge in sights])

    assert len(away) == 18
    assert np.abs(away).max() < 0.002
    assert [edge.sight_m for edge in sights] == pytest.approx([0.11] * 4, abs=0.003)
    assert len({edge.side for edge in fit.edges if edge.lengthwise}) == 4


def test_marks_at_other_places_are_no_sights(seen: tuple[np.ndarray, Fit]) -> None:
    """Screws 12 mm beside the eighths, by turns to either side, line up as well, but fit no camera: the fit stays as it was."""
    beside = [(x + 0.012 * (-1) ** i, y) for i, (x, y) in enumerate(sight_places(SPEC)) if abs(y) > 0.65]
    image = paint(_camera(), SPEC, cloth=BLUE, marks=beside)
    noses = [edge for edge in seen[1].edges if edge.sight_m is None]
    found = find_sights(image, seen[1].solution, Table(SPEC), SIDES, 0.025)

    assert sum(len(edge.along_m) for edge in found) == 12
    assert with_sights(image, Table(SPEC), seen[1].solution, noses, None) == (seen[1].solution, noses)


def test_a_single_stray_mark_is_dropped(seen: tuple[np.ndarray, Fit]) -> None:
    """One of eighteen sights moved by 60 mm along its rail: the fit is that of the other seventeen."""
    image, fit = seen
    noses = [edge for edge in fit.edges if edge.sight_m is None]
    sights = find_sights(image, fit.solution, Table(SPEC), SIDES, 0.025)
    moved = sights[0].points_px.copy()
    moved[0] += 20.0
    held, near = held_by_sights(noses, [replace(sights[0], points_px=moved), *sights[1:]], Table(SPEC), fit.solution, None)

    assert sum(len(edge.along_m) for edge in near) == 17
    assert max(float(np.abs(distances_m(edge, held, SPEC)).max()) for edge in near) < 0.002


def test_sights_say_where_a_nose_is_that_a_graphic_covers(seen: tuple[np.ndarray, Fit]) -> None:
    """A bar over nose and rubber of a whole long cushion: found by the sights, to a pixel."""
    found = calibrate_image(_barred(seen[0]), SPEC)

    assert isinstance(found, Calibration)
    assert found.good, found.because
    assert _corners_off_px(found.camera) < 1.2


@pytest.mark.slow
def test_without_sights_a_covered_nose_is_not_called_good() -> None:
    """The same bar on a table without sights: nothing else says where that nose is."""
    found = calibrate_image(_barred(paint(_camera(), SPEC, cloth=BLUE)), SPEC)

    assert not isinstance(found, Calibration) or not found.good
