"""vision.cloth: what of a view the cloth is learnt from."""

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.table import POCKETS
from vision.cloth import ClothLearner
from vision.rectify import TopView

sys.path.insert(0, str(Path(__file__).parent))
from pictures import a_calibration

CLOTH = (70, 124, 112)
SLEEVE = (75, 110, 80)
LYING = (slice(100, 200), slice(200, 260))
"""Where the sleeve lies: 7 by 4 balls."""


def under_the_sleeve(*, known: bool) -> np.ndarray:
    """The cloth's colour learnt in the middle of the sleeve, which is in nearly the same colour."""
    calibration = a_calibration()
    top = TopView(calibration, ball_radius_px=7.0)
    view = np.full((top.size_px[1], top.size_px[0], 3), CLOTH, np.uint8)
    view[LYING] = SLEEVE
    covered = np.zeros(view.shape[:2], dtype=bool)
    covered[LYING] = known
    return ClothLearner(top, calibration.table).learn(view, covered).colour[150, 230]


def test_a_sleeve_in_the_cloths_colour_is_not_learnt() -> None:
    """What is known to be covered takes its colour from around."""
    assert under_the_sleeve(known=True) == pytest.approx(CLOTH, abs=2.0)
    assert under_the_sleeve(known=False) == pytest.approx(SLEEVE, abs=4.0)


@pytest.mark.parametrize(("hole", "told"), [((15, 15, 15), (6, 6)), ((56, 54, 52), (0, 6)), ((84, 78, 64), (0, 0))])
def test_grey_leather_on_dark_cloth_is_told_from_it_faintly(hole: tuple[int, int, int], told: tuple[int, int]) -> None:
    """Black holes stand out of slate clearly, grey ones at all, and the cloth itself not at all."""
    cloth = (90, 80, 66)
    calibration = a_calibration()
    top = TopView(calibration, ball_radius_px=7.0)
    view = np.full((top.size_px[1], top.size_px[0], 3), cloth, np.uint8)
    learner = ClothLearner(top, calibration.table)
    learnt = learner.learn(view, np.zeros(view.shape[:2], dtype=bool))
    holes = view.copy()
    for pocket in POCKETS:
        middle = top.to_view([np.array(calibration.table.mouth_centre_m(pocket)) * 1.04])[0]
        cv2.circle(holes, (round(middle[0]), round(middle[1])), 12, hole, -1)

    assert learner.pockets_seen(holes, learnt) == told
