"""Balls without a table: size and cloth are found, whatever the scale; where there are none, it says so."""

import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.equipment import find_ball_set
from vision.rounds import evened, fit_rounds
from vision.untabled import Untabled

sys.path.insert(0, str(Path(__file__).parent))
from pictures import a_calibration, a_picture

BALLS = {"cue": (-0.7, 0.2), "1": (0.5, -0.3), "3": (0.9, 0.1), "8": (0.6, 0.45)}


@pytest.mark.parametrize("part", [(slice(None), slice(None), 0.7), (slice(None), slice(520, 940), 1.0)])
def test_balls_are_found_at_any_scale_and_with_ends_out_of_the_picture(part: tuple[slice, slice, float]) -> None:
    """A whole table smaller, and half a table: the same balls, to a pixel, and nothing else."""
    calibration = a_calibration()
    rows, columns, scale = part
    image = cv2.resize(a_picture(calibration, BALLS)[rows, columns], None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    wanted = calibration.camera.to_pixels(list(BALLS.values()), height_m=calibration.spec.ball_radius_m)
    wanted = (wanted - (columns.start or 0, 0) + 0.5) * scale - 0.5
    wanted = wanted[(wanted > 0).all(axis=1) & (wanted[:, 0] < image.shape[1])]
    found = np.array([one.px for one in Untabled(find_ball_set("any")).look(np.asarray(image, dtype=np.uint8)).detections])

    assert len(found) == len(wanted)
    assert all(np.hypot(*(found - place).T).min() < 1.0 for place in wanted)


def test_a_table_without_balls_is_refused_with_a_reason() -> None:
    """Nothing of one size on one cloth: no ball, and one line that says what to do."""
    seen = Untabled(find_ball_set("any")).look(a_picture(a_calibration(), {}))

    assert not seen.usable
    assert "--table" in seen.why


def test_stretched_discs_are_measured_in_the_dark() -> None:
    """Centre, size and stretch of an ellipse 48 by 60 pixels at a twentieth of full brightness."""
    image = np.full((200, 200, 3), (5, 12, 6), dtype=np.uint8)
    cv2.ellipse(image, ((102.0, 97.0), (48.0, 60.0), 30.0), (10, 8, 26), -1)
    rounds = fit_rounds(evened(image), np.array([[108.0, 92.0]]), 30.0)

    assert rounds.usable[0]
    assert rounds.support[0] > 0.9
    assert np.hypot(*(rounds.centres_px[0] - (102.0, 97.0))) < 1.0
    assert rounds.radii_px[0] == pytest.approx(27.0, abs=1.0)
