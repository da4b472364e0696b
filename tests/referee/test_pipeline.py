"""The pipeline over an idle table: an evening does not fill the memory."""

import json
from pathlib import Path

import numpy as np

from calibration.calibration import Calibration
from referee.match import Match
from referee.pipeline import IDLE_S, KEEP_S, Pipeline
from referee.rules.games import find_ruleset
from vision.frame import Frame

SAMPLES = Path(__file__).parents[2] / "sample_videos"


def test_an_idle_table_is_forgotten_after_a_while() -> None:
    """A picture of nothing every twenty seconds: at most IDLE_S and KEEP_S of them are held."""
    truth = json.loads((SAMPLES / "legal_pot.json").read_text(encoding="utf-8"))
    calibration = Calibration.from_dict(truth["table"])
    pipeline = Pipeline(calibration, find_ruleset("nine_ball").ball_set, Match.start("nine_ball", race=3))
    width, height = calibration.camera.image_size_px
    image = np.full((height, width, 3), 90, dtype=np.uint8)
    for index in range(12):
        pipeline.feed(Frame(index=index, time_s=20.0 * index, image=image))

    held = pipeline.history_s
    assert held <= IDLE_S + KEEP_S + 20
