"""sample_videos.encoder: what is written is what was painted, where it was painted."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from sample_videos.encoder import Encoder


def test_colours_lie_where_they_were_painted(tmp_path: Path) -> None:
    """A red square on green, twelve pixels wide about (38.5, 26.5), has its middle there to a tenth of a pixel."""
    picture = np.full((64, 96, 3), (60, 110, 20), np.uint8)
    picture[21:33, 33:45] = (40, 40, 200)
    path = tmp_path / "square.mp4"
    with Encoder(path, (96, 64), 25.0, crf=10) as encoder:
        for index in range(3):
            encoder.add(picture, index / 25)
    read, seen = cv2.VideoCapture(str(path)).read()
    assert read
    redness = np.clip(seen[..., 2].astype(float) - 60, 0, None)
    middle = [(redness.sum(axis=0) @ np.arange(96)) / redness.sum(), (redness.sum(axis=1) @ np.arange(64)) / redness.sum()]
    assert middle == pytest.approx([38.5, 26.5], abs=0.1)
