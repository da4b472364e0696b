"""The drift watch beside the pipeline: stretches seen by a moved camera, and the shots that reach into them."""

import json
from pathlib import Path

import cv2
import numpy as np

from calibration.calibration import Calibration
from referee.moved import CameraWatch
from vision.capture import open_video
from vision.frame import Frame

SAMPLES = Path(__file__).parents[2] / "sample_videos"


def test_a_shot_after_a_nudge_is_not_judged_and_one_before_is() -> None:
    """A sample's first picture for six seconds, from the third on moved by five pixels."""
    truth = json.loads((SAMPLES / "legal_pot.json").read_text(encoding="utf-8"))
    with open_video(SAMPLES / "legal_pot.mp4") as source:
        still = next(iter(source)).image
    height, width = still.shape[:2]
    nudged = np.asarray(
        cv2.warpAffine(still, np.array([[1.0, 0, 5], [0, 1, 0]]), (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
    watch = CameraWatch(Calibration.from_dict(truth["table"]))
    for index in range(60):
        watch.look(Frame(index=index, time_s=index / 10, image=still if index < 30 else nudged), usable=True)

    assert watch.moved_within(0.0, 2.5) == ""
    assert "the camera was moved" in watch.moved_within(2.0, 5.5)
    (stretch,) = watch.stretches
    assert 3.0 <= stretch.from_s <= 3.5
    assert stretch.to_s > 5.5


def test_pictures_that_do_not_show_the_table_say_nothing() -> None:
    """Without a usable picture there is no reference and no verdict."""
    truth = json.loads((SAMPLES / "legal_pot.json").read_text(encoding="utf-8"))
    watch = CameraWatch(Calibration.from_dict(truth["table"]))
    watch.look(Frame(index=0, time_s=0.0, image=np.zeros((540, 960, 3), np.uint8)), usable=False)

    assert watch.drift is None
    assert watch.stretches == ()
