"""Tracks files: what is written is read again, and what is wrong is named by its line."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from calibration.errors import InputError
from tracker.history import BallTrack
from tracker.tracks_file import read_tracks, write_tracks

HEADER = "time_s,ball,x_m,y_m,sigma_m,seen\n"


def _track(ball: str, start_s: float = 0.0) -> BallTrack:
    return BallTrack(
        ball=ball,
        times_s=start_s + np.array([0.0, 0.04, 0.08]),
        positions_m=np.array([[0.1, 0.2], [0.15, 0.2], [0.2, 0.2]]),
        sigma_m=np.array([0.001, 0.001, 0.004]),
        seen=np.array([True, True, False]),
    )


@pytest.mark.parametrize("name", ["tracks.csv", "tracks.csv.gz"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    """Two tracks come back as they were, from either kind of file."""
    path = tmp_path / name
    write_tracks(path, (_track("cue"), _track("3", 0.04)))
    cue, three = read_tracks(path)
    assert (cue.ball, three.ball) == ("cue", "3")
    np.testing.assert_allclose(three.times_s, [0.04, 0.08, 0.12])
    np.testing.assert_allclose(cue.positions_m, [[0.1, 0.2], [0.15, 0.2], [0.2, 0.2]])
    assert cue.seen.tolist() == [True, True, False]
    assert not list(tmp_path.glob("*.part"))


def test_the_same_tracks_give_the_same_bytes(tmp_path: Path) -> None:
    """The archive carries no time."""
    for name in ("a.csv.gz", "b.csv.gz"):
        write_tracks(tmp_path / name, (_track("cue"),))
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_a_file_with_only_the_header_has_no_tracks(tmp_path: Path) -> None:
    """Nothing seen is an empty tuple."""
    path = tmp_path / "empty.csv"
    path.write_text(HEADER)
    assert read_tracks(path) == ()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("0.0,cue,0.1,0.2,0.001\n", "line 2: expected 6 fields"),
        ("0.0,cue,0.1,0.2,0.001,1\n0.1,cue,here,0.2,0.001,1\n", "line 3: x_m must be a number, found 'here'"),
        ("0.0,cue,nan,0.2,0.001,1\n", "line 2: x_m must be finite"),
        ("0.0,cue,640.0,360.0,1.0,1\n", "positions are in metres"),
        ("0.0,cue,0.1,0.2,0.001,2\n", "line 2: seen must be 0 or 1"),
        ("0.1,cue,0.1,0.2,0.001,1\n0.1,cue,0.1,0.2,0.001,1\n", "line 3: ball cue at 0.1 s comes after 0.1 s"),
        ("0.1,,0.1,0.2,0.001,1\n", "line 2: no ball is named"),
        ("0.1,cue,0.1,0.2,-0.001,1\n", "line 2: sigma_m must not be negative"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, body: str, message: str) -> None:
    """The message says which line and what is wrong with it."""
    path = tmp_path / "tracks.csv"
    path.write_text(HEADER + body)
    with pytest.raises(InputError, match=message):
        read_tracks(path)


@pytest.mark.parametrize("content", [b"", b"not a table\n", b"\xff\xfe\x00", gzip.compress(b"time_s")[:-4]])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """A file that holds no tracks gives one line, not a traceback."""
    path = tmp_path / "tracks.csv.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"tracks\.csv\.gz"):
        read_tracks(path)
