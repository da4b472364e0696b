"""A moved camera stops the judging after three looks, and lets it go on after three more."""

import json
from pathlib import Path

import cv2
import numpy as np

from calibration.calibration import Calibration
from calibration.nudge import NudgeWatch
from referee.live.health import CameraHealth, Look
from referee.live.nudges import LOOKS, Nudges
from vision.capture import sample_pictures
from vision.frame import Frame

SAMPLES = Path(__file__).parents[3] / "sample_videos"


def test_three_looks_in_a_row_and_back() -> None:
    """One look that differs, a table that is leaned on, changes nothing."""
    truth = json.loads((SAMPLES / "legal_pot.json").read_text(encoding="utf-8"))
    calibration = Calibration.from_dict(truth["table"])
    still = next(iter(sample_pictures(SAMPLES / "legal_pot.mp4", 1)))
    away = np.asarray(
        cv2.warpAffine(still, np.array([[1.0, 0, 5], [0, 1, 0]]), still.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8
    )
    nudges = Nudges(lambda image: NudgeWatch(calibration, image))
    nudges.take_reference(Frame(index=0, time_s=0.0, image=still))
    pictures = [still, away, still, *[away] * LOOKS, away, *[still] * LOOKS]
    said = [nudges.is_moved(Frame(index=index, time_s=float(index), image=image)) for index, image in enumerate(pictures)]

    assert said == [False] * (2 + LOOKS) + [True, True] + [True] * (LOOKS - 1) + [False]


def test_without_a_reference_nothing_is_said() -> None:
    """A camera that has not shown the table yet."""
    assert not Nudges(None).is_moved(Frame(index=0, time_s=0.0, image=np.zeros((4, 4, 3), dtype=np.uint8)))


def test_people_are_told() -> None:
    """Until it stands as before."""
    health = CameraHealth(0.0)
    health.picture(0.1, Look(digest=1, spread=40.0))
    health.moved(moved=True)
    assert health.status(0.2).kind == "moved"
    health.moved(moved=False)
    assert health.status(0.3).kind == "ok"
