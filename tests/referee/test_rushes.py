"""referee.rushes: small pictures kept for a second use, all of them or none."""

import numpy as np

from referee.rushes import Rushes
from vision.frame import Frame


def frames(count: int) -> list[Frame]:
    """Grey pictures, each a little lighter than the last."""
    return [Frame(index=i, time_s=i / 25, image=np.full((1080, 1920, 3), 20 + 10 * i, np.uint8)) for i in range(count)]


def test_a_short_recording_comes_again_small_with_its_times() -> None:
    """Three pictures of 1920 pixels width come back as three of 960, in order, in their colour."""
    rushes = Rushes((1920, 1080))
    for frame in frames(3):
        rushes.keep(frame)
    again = list(rushes.frames() or ())
    assert [(frame.index, frame.time_s, frame.image.shape) for frame in again] == [(i, i / 25, (540, 960, 3)) for i in range(3)]
    assert [abs(int(frame.image.mean()) - 20 - 10 * i) <= 1 for i, frame in enumerate(again)] == [True] * 3


def test_a_long_recording_is_let_go() -> None:
    """Room for two pictures of 777,600 bytes: with the third nothing is kept."""
    rushes = Rushes((1920, 1080), most_bytes=2 * 960 * 540 * 3 // 2)
    for frame in frames(3):
        rushes.keep(frame)
    assert rushes.frames() is None
