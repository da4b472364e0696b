"""Detections files: what is written is read again, and what is wrong is named by its line."""

from pathlib import Path

import numpy as np
import pytest

from calibration.errors import InputError
from tracker.detections_file import read_detections, write_detections
from vision.detection import Detection, Observation


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """Places, names, streaks and the mask come back."""
    mask = np.zeros((4, 8), dtype=bool)
    mask[1:3, 2:5] = True
    ball = Detection(
        position_m=(0.1, -0.2),
        sigma_m=0.001,
        score=0.9,
        px=(12.5, 7.25),
        likelihood={"3": 0.75, "5": 0.25},
        streak_m=((0.0, 0.0), (0.2, 0.1)),
    )
    path = tmp_path / "d.jsonl"
    write_detections(
        path,
        [
            Observation(time_s=0.0, detections=(ball,), occluded=mask),
            Observation(time_s=0.04, detections=(), usable=False, why="another view"),
        ],
    )
    first, second = read_detections(path)
    assert first.detections == (ball,)
    assert first.occluded is not None
    assert first.occluded.tolist() == mask.tolist()
    assert (second.usable, second.why, second.occluded) == (False, "another view", None)


@pytest.mark.parametrize("mask", [np.zeros((2, 3), dtype=bool), np.ones((2, 3), dtype=bool)])
def test_a_plain_mask_comes_back(tmp_path: Path, mask: np.ndarray) -> None:
    """Nothing covered and all covered are runs as well."""
    path = tmp_path / "d.jsonl"
    write_detections(path, [Observation(time_s=0.0, detections=(), occluded=mask)])
    (only,) = read_detections(path)
    assert only.occluded is not None
    assert only.occluded.tolist() == mask.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no detections in it"),
        ('{"time_s": 0}\n', "line 1: detections must be a list"),
        ('{"time_s": 0, "detections": []}\nnot json\n', "line 2: not a line of JSON"),
        ('{"time_s": 1, "detections": []}\n{"time_s": 0, "detections": []}\n', "line 2: time_s 0.0 comes after 1.0"),
        ('{"time_s": 0, "detections": [{"x_m": 1}]}\n', "line 1: detection 1: y_m must be a number"),
        ('{"time_s": 0, "detections": [{"x_m": 640, "y_m": 300}]}\n', "positions are in metres"),
        ('{"time_s": 0, "detections": [{"x_m": 0, "y_m": 0, "sigma_m": 0}]}\n', "sigma_m must be above 0"),
        ('{"time_s": 0, "detections": [{"x_m": 0, "y_m": 0, "likelihood": {"3": "yes"}}]}\n', "likelihood must map"),
        ('{"time_s": 0, "detections": [], "occluded": {"shape": [2, 2], "runs": [3]}}\n', "must add up to 2 x 2"),
        ("[1, 2]\n", "line 1: expected an object"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    """The message says which line and what is wrong with it."""
    path = tmp_path / "d.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_detections(path))
