"""The drift watch on a painted table: what moves the camera is told apart from what happens at a table."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.shift import ShiftMeter, _gradients, _structure
from calibration.table import Table
from calibration.watch import HIDDEN, NUDGED, OTHER_VIEW, SAGGING, STEADY, TABLE_MOVED, ZOOMED, Drift, DriftWatch

from .picture import paint

Image = NDArray[np.uint8]
SPEC = find_table("wpa-9ft")
PIXEL_M = 3.2 / 800
CAMERA = CameraModel(
    matrix=np.array([[800.0, 0, 479.5], [0, 800.0, 269.5], [0, 0, 1]]),
    distortion=np.zeros(5),
    rotation=np.diag([1.0, -1.0, -1.0]),
    translation_m=np.array([0.0, 0.0, 3.2]),
    image_size_px=(960, 540),
)
MADE = Calibration(table=Table(SPEC), camera=CAMERA, foot_known=True, foot_side="right", residual_mm=(0.0, 0.0), good=True)


@pytest.fixture(scope="module")
def table() -> Image:
    """The calibrated view, the floor with a pattern."""
    picture = paint(CAMERA, SPEC, cloth=(190, 120, 10))
    rng = np.random.default_rng(4)
    floor = cv2.resize(rng.integers(60, 160, (54, 96, 3), dtype=np.uint8), (960, 540), interpolation=cv2.INTER_CUBIC)
    on_floor = (picture.astype(int) - (90, 95, 100)).__abs__().max(axis=2) < 12
    picture[on_floor] = floor[on_floor]
    return picture


def warped(picture: Image, *, right_px: float = 0.0, zoom: float = 1.0) -> Image:
    """The picture after the camera was moved or zoomed."""
    matrix = cv2.getRotationMatrix2D((479.5, 269.5), 0.0, zoom)
    matrix[0, 2] += right_px
    return np.asarray(cv2.warpAffine(picture, matrix, (960, 540), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def follow(table: Image, seen: Callable[[float], Image], until_s: float, step_s: float = 0.3) -> list[Drift]:
    """What the watch says of pictures over time."""
    watch = DriftWatch(MADE, table)
    return [watch.update(time_s, seen(time_s)) for time_s in np.arange(0.0, until_s, step_s).tolist()]


def test_a_nudge_of_3_mm_is_noticed_within_two_seconds(table: Image) -> None:
    """Steady before it, nudged at most two seconds after; rulings stop from the nudge on and a new calibration is offered."""
    moved = warped(table, right_px=0.0031 / PIXEL_M)
    said = follow(table, lambda t: table if t < 3.0 else moved, 5.0)

    assert {drift.kind for drift in said if 1.0 < drift.time_s < 3.0} == {STEADY}
    assert said[-1].kind == NUDGED
    assert (said[-1].stop, said[-1].offer, said[-1].may_recalibrate) == (True, True, True)
    assert said[-1].moved_m == pytest.approx(0.0031, abs=0.0005)
    assert 3.0 <= said[-1].since_s <= 3.6
    assert min(drift.time_s for drift in said if drift.stop) < 5.0


def test_people_balls_light_and_noise_give_no_alarm(table: Image) -> None:
    """A player who walks along the table, balls that move, a lamp that dims and noise: never a reason to stop."""
    rng = np.random.default_rng(1)

    def seen(time_s: float) -> Image:
        picture = table.copy()
        x = int(120 * time_s) % 960
        cv2.ellipse(picture, (x, 520), (70, 190), 0, 0, 360, (40, 50, 70), -1)
        cv2.line(picture, (x, 420), (x + 90, 180), (120, 170, 210), 5)
        cv2.circle(picture, tuple(rng.integers((250, 150), (700, 400)).tolist()), 7, (30, 40, 220), -1)
        light = 0.6 if 3 < time_s < 6 else 1.15 if time_s > 8 else 1.0
        return np.clip(picture * light + rng.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)

    said = follow(table, seen, 12.0)

    assert not any(drift.stop for drift in said)
    assert said[-1].kind == STEADY


def test_a_slow_sag_adds_up(table: Image) -> None:
    """A sixth of a millimetre a second is a sag once it has added up; it is not taken for a nudge."""
    said = follow(table, lambda t: warped(table, right_px=0.00015 * t / PIXEL_M), 20.0, step_s=0.6)

    assert said[-1].kind == SAGGING
    assert not any(drift.stop for drift in said if drift.time_s < 14)


def test_a_changed_zoom_is_named(table: Image) -> None:
    """Corners move outward, the middle stays."""
    said = follow(table, lambda t: table if t < 2 else warped(table, zoom=1.006), 4.5)

    assert said[-1].kind == ZOOMED


def test_a_pushed_table_is_told_from_a_moved_camera_by_the_floor(table: Image) -> None:
    """The table moves 12 mm, the pattern of the floor does not."""
    pushed = warped(table, right_px=3.0)
    x, y = np.meshgrid(np.arange(960), np.arange(540))
    floor = (np.abs(x - 479.5) > (1.27 + 0.19) / PIXEL_M) | (np.abs(y - 269.5) > (0.635 + 0.19) / PIXEL_M)
    pushed[floor] = table[floor]
    said = follow(table, lambda t: table if t < 2 else pushed, 4.5)

    assert said[-1].kind == TABLE_MOVED


def test_a_table_that_is_leaned_on_springs_back(table: Image) -> None:
    """Moved for three seconds: rulings stop for these, and go on afterwards."""
    moved = warped(table, right_px=1.5)
    said = follow(table, lambda t: moved if 2 < t < 5 else table, 8.0)

    assert any(drift.stop for drift in said)
    assert said[-1].kind == STEADY


def test_another_view_and_a_crowd_are_no_movement(table: Image) -> None:
    """Noise is another view, nothing to recalibrate; a frame that is mostly covered is hidden, nothing to stop."""
    other = np.random.default_rng(3).integers(0, 255, table.shape, dtype=np.uint8)
    covered = table.copy()
    covered[:, 200:760] = (40, 50, 70)

    assert follow(table, lambda t: table if t < 1 else other, 4.0)[-1].kind == OTHER_VIEW
    crowd = follow(table, lambda t: table if t < 1 else covered, 4.0)[-1]
    assert (crowd.kind, crowd.stop) in ((HIDDEN, False), (STEADY, False))


def test_a_nudge_beyond_the_reach_of_the_patches_is_measured(table: Image) -> None:
    """Forty pixels are found on the whole picture first."""
    said = follow(table, lambda t: table if t < 2 else warped(table, right_px=40), 4.5)

    assert said[-1].kind == NUDGED
    assert said[-1].moved_m == pytest.approx(40 * PIXEL_M, rel=0.1)


def test_a_dim_frame_in_noise_is_watched_by_what_it_shows(table: Image) -> None:
    """Rubber and rail a few grey levels apart, noise of two: along an edge nothing is told, across it the patches still agree."""
    rng = np.random.default_rng(4)

    def dim(picture: Image) -> Image:
        faint = 40 + 0.1 * picture.astype(np.float64)
        return np.clip(faint + rng.normal(0, 2.0, picture.shape), 0, 255).astype(np.uint8)

    shift = ShiftMeter(MADE, dim(table)).measure(dim(warped(table, right_px=1.5)))

    assert shift.agreeing > 0.8
    assert shift.moved_m == pytest.approx(1.5 * PIXEL_M, abs=0.0006)


def test_a_faint_edge_in_noise_tells_nothing_along_itself() -> None:
    """Eight grey levels across and noise of three: with the noise of a plain patch taken off, a movement along the edge has no weight."""
    rng = np.random.default_rng(2)

    def noisy(edge: float) -> Image:
        light = np.where(np.arange(41) < 20, 60.0, 60.0 + edge)
        return np.clip(light + rng.normal(0, 3.0, (41, 41)), 0, 255).astype(np.uint8)

    noise = float(_gradients(noisy(0.0))[0][1])
    across, along = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    strength = _structure(noisy(8.0), noise)

    assert np.hypot(*(strength @ across)) > 0.95
    assert np.hypot(*(strength @ along)) < 0.05
    assert np.hypot(*(_structure(noisy(8.0), 0.0) @ along)) > 0.2
