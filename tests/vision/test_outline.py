"""Centres from outlines: what pulls them, and whether what is said of their error is true."""

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.outline import Outline, OutlineFitter, sigma_px

sys.path.insert(0, str(Path(__file__).parent))
from pictures import CLOTH, a_calibration, a_picture

CALIBRATION = a_calibration()
RADIUS = CALIBRATION.spec.ball_radius_m
PLACE = (0.3, 0.2)
PLAIN = a_picture(CALIBRATION, {}, noise=0.0).astype(np.float64)
BALL = np.clip((PLAIN - a_picture(CALIBRATION, {"8": PLACE}, noise=0.0)).sum(axis=2) / float(np.sum(CLOTH) - 69), 0, 1)[..., None]
"""How much of each pixel the ball at PLACE covers."""
NOISE = np.random.default_rng(5).normal(0, 1.5, PLAIN.shape)


def picture(around: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    """A ball of one colour at PLACE before what lies around, with noise."""
    return np.asarray(np.clip(around * (1 - BALL) + np.array(colour) * BALL + NOISE, 0, 255), dtype=np.uint8)


def fitted(image: np.ndarray, start_off: tuple[float, float] = (0.1, 0.1)) -> Outline:
    """The ball at PLACE, from a start some radii off."""
    start = np.array([PLACE]) + RADIUS * np.array(start_off)
    (found,) = OutlineFitter(CALIBRATION.camera, RADIUS).fit(image, start, np.array([CLOTH], dtype=np.float64))
    assert found is not None
    return found


def off_px(found: Outline) -> float:
    """How far from the middle of what was drawn, pixels."""
    rows, columns = np.indices(BALL.shape[:2])
    middle = [float((axis * BALL[..., 0]).sum() / BALL.sum()) for axis in (columns, rows)]
    return float(np.hypot(*np.subtract(found.px, middle)))


@pytest.mark.parametrize("start_off", [(0.3, 0.0), (-0.2, 0.25), (0.0, -0.3)])
def test_a_shadow_beside_a_black_ball_does_not_pull_it(start_off: tuple[float, float]) -> None:
    """A shadow half as dark as the cloth, a third of a radius to one side, moves the black ball by less than a quarter of a pixel."""
    u, v = CALIBRATION.camera.to_pixels([PLACE], height_m=RADIUS)[0]
    shade = np.zeros(PLAIN.shape[:2], np.float64)
    cv2.circle(shade, (round(u + 3), round(v + 2)), 10, 1.0, -1)
    shaded = PLAIN * (1 - 0.45 * cv2.GaussianBlur(shade, (0, 0), 1.5)[..., None])
    found = fitted(picture(shaded, (23, 23, 23)), start_off)

    assert off_px(found) < 0.25
    assert found.support > 0.8


def test_a_faint_ball_says_that_it_is_less_sure() -> None:
    """One that differs little from the cloth against a clear one."""
    clear = picture(PLAIN, (45, 35, 215))
    faint = picture(PLAIN, (CLOTH[0] - 25, CLOTH[1] - 10, CLOTH[2] + 30))

    sure = fitted(clear).sigma_m
    assert 1000 * sure < 0.3
    assert fitted(faint).sigma_m > 1.5 * sure


def test_the_law_grows_with_scatter_and_looseness_and_falls_with_contrast() -> None:
    """Twice the scatter or half the directions is more, twice the contrast less, and nothing is below the floor."""
    told = np.array([[0.3, 30.0, 0.0625], [0.6, 30.0, 0.0625], [0.3, 30.0, 0.125], [0.3, 60.0, 0.0625]])
    plain, scattered, loose, strong = sigma_px(told)

    assert min(scattered, loose) > 1.5 * plain
    assert plain > strong > 0.05
