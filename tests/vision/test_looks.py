"""A ball's looks under the light of the room."""

import numpy as np
import pytest

from vision.looks import judge_looks, room_white

SAMPLES = 60
"""Twelve angles in each of the five rings."""


def _discs(*colours_bgr: tuple[int, int, int]) -> np.ndarray:
    return np.array([[colour] * SAMPLES for colour in colours_bgr], dtype=np.uint8)


@pytest.mark.parametrize("lamp_bgr", [(235, 240, 240), (145, 200, 235), (128, 200, 240)])
def test_white_balls_are_white_under_any_lamp(lamp_bgr: tuple[int, int, int]) -> None:
    """Daylight, a lamp at the limit of the first look (saturation 0.38), one of 2700 K seen for daylight (0.47)."""
    discs, light = _discs(lamp_bgr, lamp_bgr, lamp_bgr), np.ones(3)
    assert room_white(discs, light) == pytest.approx(np.array(lamp_bgr) / 255, abs=0.02)
    assert all(look.white > 0.95 for look in judge_looks(discs, light))


def test_tan_ball_is_no_white_where_there_is_one() -> None:
    """Saturation 0.45 beside a white ball: coloured."""
    white, tan = judge_looks(_discs((240, 240, 240), (110, 150, 200)), np.ones(2))
    assert white.white > 0.95
    assert tan.coloured > 0.95
