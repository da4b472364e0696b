"""The annotated video."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.table import Table
from referee.annotate import CALL_SHOWN_S, Overlay, annotate_video
from referee.video_file import AnnotatedWriter
from tracker.history import BallTrack
from vision.frame import Frame

SIZE = (320, 180)
TIMES_S = (0.0, 0.04, 0.08, 0.14, 0.16, 0.2)
SHOT: dict[str, Any] = {
    "number": 4,
    "start_s": 0.04,
    "end_s": 0.2,
    "verdict": "legal",
    "turn": "A",
    "cue_ball": "cue",
    "events": [{"t": 0.0, "type": "cue_contact", "p": 1.0}, {"t": 0.1, "type": "ball_ball", "a": "cue", "b": "1", "p": 1.0}],
}


def a_calibration() -> Calibration:
    """A camera straight above a 9 ft table that fills most of a small picture."""
    return Calibration(
        table=Table(find_table("wpa-9ft")),
        camera=CameraModel.overhead(height_m=3.0, image_size_px=SIZE),
        foot_known=True,
        foot_side="right",
        residual_mm=(1.0, 2.0),
        good=True,
    )


def frames() -> Iterator[Frame]:
    """A grey recording with uneven time stamps."""
    for index, time_s in enumerate(TIMES_S):
        yield Frame(index=index, time_s=time_s, image=np.full((SIZE[1], SIZE[0], 3), 90, dtype=np.uint8))


def a_track(ball: str, start_m: tuple[float, float], step_m: float) -> BallTrack:
    """A ball that moves along x by the same step in each frame."""
    count = len(TIMES_S)
    places = np.array(start_m) + np.outer(np.arange(count) * step_m, [1.0, 0.0])
    return BallTrack(
        ball=ball, times_s=np.array(TIMES_S), positions_m=places, sigma_m=np.full(count, 0.001), seen=np.ones(count, dtype=bool)
    )


def times_of(path: Path) -> list[float]:
    """Times at which the pictures of a video are shown, seconds."""
    with av.open(str(path)) as container:
        return [round(float(frame.pts * frame.time_base), 4) for frame in container.decode(video=0)]


def test_times_are_those_of_the_recording_and_the_last_call_is_held(tmp_path: Path) -> None:
    """Uneven stamps stay uneven; the last picture is repeated until the call has been shown long enough."""
    target = tmp_path / "annotated.mp4"
    stills = annotate_video(target, frames(), a_calibration(), [a_track("cue", (0.0, 0.0), 0.05)], {"shots": [SHOT]})

    assert [*TIMES_S, 0.24, 0.2 + CALL_SHOWN_S] == times_of(target)
    assert list(stills) == [4]
    assert stills[4].jpeg.startswith(b"\xff\xd8")
    assert stills[4].text == "still_contact"
    assert [path.name for path in tmp_path.iterdir()] == ["annotated.mp4"]


def test_an_error_half_way_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither the target nor the file beside it."""

    def torn() -> Iterator[Frame]:
        yield next(frames())
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        annotate_video(tmp_path / "annotated.mp4", torn(), a_calibration(), [], {"shots": []})

    assert list(tmp_path.iterdir()) == []


def test_a_recording_without_pictures_gives_no_file(tmp_path: Path) -> None:
    """An empty mp4 would look like a fault of the player."""
    annotate_video(tmp_path / "annotated.mp4", [], a_calibration(), [], {"shots": []})

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    """The command line turns it into one line."""
    with pytest.raises(OSError, match="missing"):
        AnnotatedWriter(tmp_path / "missing" / "annotated.mp4", SIZE, 25.0)


def test_wide_pictures_are_scaled_down_to_even_sizes(tmp_path: Path) -> None:
    """H.264 in 4:2:0 has no odd sizes."""
    writer = AnnotatedWriter(tmp_path / "annotated.mp4", (1921, 1081), 25.0, most_width_px=641)
    writer.discard()

    assert writer.size_px == (640, 360)


def test_a_ring_lies_round_its_ball_and_follows_the_time() -> None:
    """A ball at rest at the centre spot is ringed there while its track has a row, and not after it."""
    overlay = Overlay(a_calibration(), [a_track("3", (0.0, 0.0), 0.0)], [], size_px=SIZE)
    plain = np.full((SIZE[1], SIZE[0], 3), 90, dtype=np.uint8)
    now, later = plain.copy(), plain.copy()
    overlay.draw(now, 0.08)
    overlay.draw(later, 5.0)
    changed = np.argwhere((now != later).any(axis=2))

    assert len(changed) > 0
    assert np.abs(changed.mean(axis=0) - [89.5, 159.5]).max() < 6


def test_the_call_is_shown_after_its_shot_only() -> None:
    """The caption's band darkens the foot of the picture during the shot and while the call stays."""
    overlay = Overlay(a_calibration(), [], [SHOT], size_px=SIZE)
    brightness = {}
    for time_s in (0.0, 0.05, 1.0, 0.2 + CALL_SHOWN_S + 0.1):
        image = np.full((SIZE[1], SIZE[0], 3), 90, dtype=np.uint8)
        overlay.draw(image, time_s)
        brightness[time_s] = int(image[-1, -1, 0])

    assert list(brightness.values()) == [90, 25, 25, 90]
