"""Videos from outside: time stamps, and one line for each thing that is no video."""

from pathlib import Path

import av
import numpy as np
import pytest

from calibration.errors import InputError
from vision.capture import open_video, sample_pictures


def write_video(path: Path, stamps_ms: list[int]) -> None:
    """A small video with pictures at the given stamps; picture i is a grey of 20 i."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=1000)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for index, stamp in enumerate(stamps_ms):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), 20 * index, np.uint8), format="bgr24")
            frame.pts = stamp
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def test_time_stamps_are_the_containers(tmp_path: Path) -> None:
    """Unevenly spaced pictures keep their spacing, counted from the first one shown."""
    path = tmp_path / "uneven.mp4"
    write_video(path, [0, 20, 60, 120, 160])

    frames = list(open_video(path))

    assert [frame.index for frame in frames] == [0, 1, 2, 3, 4]
    assert [round(frame.time_s, 3) for frame in frames] == [0.0, 0.02, 0.06, 0.12, 0.16]
    assert [round(float(frame.image.mean()) / 20) for frame in frames] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("name", "content", "words"), [("empty.mp4", b"", "empty"), ("text.mp4", b"hello, not a video\n", "not a video")])
def test_what_is_no_video_is_refused_in_one_line(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    """An empty file and a text file named .mp4 are each told as what they are."""
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(InputError) as caught:
        open_video(path)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    """A name that leads nowhere, and one that leads to a folder."""
    with pytest.raises(InputError, match="no such video file"):
        open_video(tmp_path / "none.mp4")
    with pytest.raises(InputError, match="folder"):
        open_video(tmp_path)


def test_torn_video_gives_what_can_be_decoded_and_says_so(tmp_path: Path) -> None:
    """A file cut off in the middle shows its first part and then tells that it was cut; the whole one tells nothing."""
    whole, torn = tmp_path / "whole.avi", tmp_path / "torn.avi"
    with av.open(str(whole), "w") as container:
        stream = container.add_stream("mjpeg", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        random = np.random.default_rng(0)
        for _ in range(100):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(random.integers(0, 255, (48, 64, 3), dtype=np.uint8), format="bgr24")))
        container.mux(stream.encode())
    data = whole.read_bytes()
    torn.write_bytes(data[: len(data) // 2])

    source, rest = open_video(whole), open_video(torn)
    shown, shown_torn = len(list(source)), len(list(rest))

    assert (shown, source.torn) == (100, "")
    assert 30 < shown_torn < 70
    assert "cut off" in rest.torn


def test_skipping_begins_at_the_picture_asked_for(tmp_path: Path) -> None:
    """By reading on near the start, by a jump further on; times are the same as without."""
    path = tmp_path / "long.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for index in range(500):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.full((48, 64, 3), index % 250, np.uint8), format="bgr24")))
        container.mux(stream.encode())
    with open_video(path) as source:
        shown = [int(frame.image[0, 0, 0]) for frame in source]
    for time_s in (0.0, 0.4, 3.0, 15.0):
        with open_video(path) as source:
            source.skip_to(time_s)
            frame = next(iter(source))
        assert frame.time_s == pytest.approx(time_s, abs=1e-3)
        assert int(frame.image[0, 0, 0]) == shown[round(25 * time_s)]


def test_samples_are_spread_evenly_over_the_recording(tmp_path: Path) -> None:
    """Twelve pictures 40 ms apart: every third of them, the first among them, give or take the one beside it."""
    path = tmp_path / "even.mp4"
    write_video(path, [40 * index for index in range(12)])

    greys = [round(float(picture.mean()) / 20) for picture in sample_pictures(path, 4)]

    assert len(greys) == 4
    assert greys[0] == 0
    assert all(abs(grey - wanted) <= 1 for grey, wanted in zip(greys, (0, 3, 6, 9), strict=True))


def test_a_phone_held_upright_is_sampled_the_way_it_plays(tmp_path: Path) -> None:
    """Samples of a recording that players turn by a quarter are turned like the pictures of the recording itself."""
    path = tmp_path / "upright.mp4"
    write_video(path, [40 * index for index in range(12)])
    path.write_bytes(turned_by_a_quarter(path.read_bytes()))

    shapes = {picture.shape for picture in sample_pictures(path, 4)}

    assert shapes == {next(iter(open_video(path))).image.shape} == {(64, 48, 3)}


def turned_by_a_quarter(film: bytes) -> bytes:
    """An MP4 file whose track header has the display matrix of a quarter turn (ISO/IEC 14496-12, section 8.3.2)."""
    one = (0x10000).to_bytes(4, "big")
    upright = one + bytes(12) + one + bytes(12) + (0x40000000).to_bytes(4, "big")
    turned = bytes(4) + one + bytes(4) + (-0x10000).to_bytes(4, "big", signed=True) + bytes(16) + (0x40000000).to_bytes(4, "big")
    header = film.index(b"tkhd")
    place = film.index(upright, header)
    return film[:place] + turned + film[place + len(upright) :]
