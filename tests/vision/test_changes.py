"""vision.changes: what of a bed is to be worked through again."""

import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.changes import Box, ChangeMeter, join_boxes
from vision.rectify import TopView

sys.path.insert(0, str(Path(__file__).parent))
from pictures import a_calibration, a_picture

CALIBRATION = a_calibration()
VIEW = TopView(CALIBRATION, ball_radius_px=7.0)
RESTING = {"8": (0.9, 0.3)}


def noisy(balls: dict[str, tuple[float, float]], seed: int) -> np.ndarray:
    """A picture with three levels of noise."""
    return a_picture(CALIBRATION, balls, noise=3.0 + seed / 1000)


def holds(box: Box, place_m: tuple[float, float]) -> bool:
    """Whether a place on the table lies in a box of the view."""
    x, y = VIEW.to_view([place_m])[0]
    return box[0].start <= y < box[0].stop and box[1].start <= x < box[1].stop


def test_a_still_table_has_not_changed_until_the_next_second() -> None:
    """First picture everything, then nothing under noise, and everything again in another second of the recording."""
    meter = ChangeMeter(VIEW)
    assert meter.changed(noisy(RESTING, 0), 0.1) is None
    assert meter.changed(noisy(RESTING, 1), 0.2) == ()
    assert meter.changed(noisy(RESTING, 2), 1.0) is None


def test_balls_that_move_apart_are_boxes_of_their_own() -> None:
    """Two balls half a table apart move by 2 cm: a box about each, and together a thirtieth of the view at most."""
    meter = ChangeMeter(VIEW)
    meter.changed(noisy(RESTING | {"1": (-0.8, 0.1), "3": (0.4, -0.3)}, 0), 0.0)
    boxes = meter.changed(noisy(RESTING | {"1": (-0.78, 0.1), "3": (0.4, -0.32)}, 1), 0.04)
    assert boxes is not None
    assert len(boxes) == 2
    for place in ((-0.8, 0.1), (-0.78, 0.1), (0.4, -0.3), (0.4, -0.32)):
        assert sum(holds(box, place) for box in boxes) == 1
    assert sum((r.stop - r.start) * (c.stop - c.start) for r, c in boxes) < VIEW.size_px[0] * VIEW.size_px[1] / 30


def test_slow_movement_adds_up() -> None:
    """A ball that creeps by 0.3 mm a picture is a change before it has moved 5 mm."""
    meter = ChangeMeter(VIEW)
    meter.changed(noisy(RESTING | {"3": (0.2, 0.1)}, 0), 0.0)
    noticed = [bool(meter.changed(noisy(RESTING | {"3": (0.2 + 0.0003 * step, 0.1)}, step), step / 100)) for step in range(1, 17)]
    assert any(noticed)


def test_a_step_of_the_light_is_a_change_everywhere() -> None:
    """Everything brighter by 20 levels."""
    meter = ChangeMeter(VIEW)
    image = noisy(RESTING, 0)
    meter.changed(image, 0.0)
    assert meter.changed(np.clip(image.astype(int) + 20, 0, 255).astype(np.uint8), 0.04) is None


@given(st.lists(st.tuples(*[st.integers(0, 300)] * 2, *[st.integers(1, 90)] * 2), max_size=12), st.integers(0, 40))
def test_joined_boxes_cover_what_the_boxes_did(sides: list[tuple[int, int, int, int]], reach: int) -> None:
    """No box is lost, and there are not more of them."""
    boxes = [(slice(top, top + down), slice(left, left + across)) for top, left, down, across in sides]
    joined = join_boxes(boxes, reach)
    assert len(joined) <= len(boxes)
    for rows, columns in boxes:
        assert any(r.start <= rows.start and rows.stop <= r.stop and c.start <= columns.start and columns.stop <= c.stop for r, c in joined)


def test_boxes_far_apart_stay_apart() -> None:
    """Two of 20 x 20 pixels at opposite ends of a view are not worth the whole view."""
    boxes = [(slice(0, 20), slice(0, 20)), (slice(300, 320), slice(600, 620))]
    assert sorted(join_boxes(boxes), key=lambda box: box[0].start) == boxes
