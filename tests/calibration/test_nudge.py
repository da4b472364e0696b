"""A nudged camera is noticed; people, light and noise are not taken for one."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.nudge import NUDGED_M, NudgeWatch, Shift
from vision.capture import sample_pictures

Image = NDArray[np.uint8]
SAMPLES = Path(__file__).parents[2] / "sample_videos"


@pytest.fixture(scope="module", params=["legal_pot", "break"])
def view(request: pytest.FixtureRequest) -> tuple[Calibration, Image]:
    """A sample's table and a picture of it."""
    truth = json.loads((SAMPLES / f"{request.param}.json").read_text(encoding="utf-8"))
    return Calibration.from_dict(truth["table"]), next(iter(sample_pictures(SAMPLES / f"{request.param}.mp4", 1)))


def moved(image: Image, x_px: float, y_px: float) -> Image:
    """As a camera sees it that was nudged by so much."""
    height, width = image.shape[:2]
    matrix = np.array([[1, 0, x_px], [0, 1, y_px]], dtype=np.float64)
    return np.asarray(cv2.warpAffine(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)


def px_per_m(calibration: Calibration) -> float:
    """Scale at the middle of the table."""
    points = calibration.camera.to_pixels([(0.0, 0.0), (0.1, 0.0)], height_m=0.0)
    return float(10 * np.hypot(*(points[1] - points[0])))


def test_a_camera_that_stands_still_has_not_moved(view: tuple[Calibration, Image]) -> None:
    """Whatever the noise and the lamps."""
    calibration, image = view
    noisy = np.random.default_rng(1).normal(0, 6, image.shape) + 0.8 * image.astype(np.float64) + 10
    found = NudgeWatch(calibration, image).shift(np.clip(noisy, 0, 255).astype(np.uint8))

    assert len(found.sides_m) >= 3
    assert found.largest_m < 0.001


@pytest.mark.parametrize(("x_m", "y_m"), [(0.008, 0.0), (0.0, -0.006), (-0.01, 0.01)])
def test_a_nudge_of_some_millimetres_is_measured(view: tuple[Calibration, Image], x_m: float, y_m: float) -> None:
    """To about a millimetre, on the sides that it moves across."""
    calibration, image = view
    scale = px_per_m(calibration)
    found = NudgeWatch(calibration, image).shift(moved(image, x_m * scale, y_m * scale))

    assert found.is_nudged
    assert found.largest_m == pytest.approx(max(abs(x_m), abs(y_m)), abs=0.002)


def test_a_player_who_leans_over_a_rail_is_no_nudge(view: tuple[Calibration, Image]) -> None:
    """Half of one side is covered."""
    calibration, image = view
    covered = image.copy()
    height, width = image.shape[:2]
    covered[: height // 3, : width // 2] = (40, 60, 120)
    covered[height // 2 :, : width // 8] = (20, 20, 20)

    assert NudgeWatch(calibration, image).shift(covered).largest_m < NUDGED_M


def test_another_view_says_nothing(view: tuple[Calibration, Image]) -> None:
    """It is not this table at all; the eyes find it unusable."""
    calibration, image = view

    assert NudgeWatch(calibration, image).shift(np.full_like(image, 90)).sides_m == {}


def test_one_side_alone_is_a_shadow() -> None:
    """A nudge moves opposite sides; one that looks so by itself is told by nobody else."""
    assert not Shift(sides_m={"head": 0.006, "foot": 0.0002, "left": 0.0, "right": 0.0}).is_nudged
    assert not Shift(sides_m={"head": 0.006, "foot": 0.006}).is_nudged
    assert Shift(sides_m={"head": 0.006, "foot": -0.005}).is_nudged
    assert Shift(sides_m={"head": 0.006, "left": 0.005, "right": 0.007}).is_nudged
