"""`cueref track` on files of detections: tracks out, one line for what cannot be used."""

import json
from pathlib import Path

import pytest

from referee.cli import main
from tracker.tracks_file import read_tracks


def _detections(path: Path) -> Path:
    lines = []
    for index in range(30):
        balls = [{"x_m": -0.4, "y_m": 0.1, "likelihood": {"cue": 0.9}}, {"x_m": 0.3 + 0.02 * index, "y_m": 0.0, "likelihood": {"3": 0.9}}]
        lines.append(json.dumps({"time_s": index * 0.04, "detections": [{"sigma_m": 0.001, "score": 0.9, **ball} for ball in balls]}))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("name", ["tracks.csv", "tracks.csv.gz"])
def test_detections_become_tracks(tmp_path: Path, name: str) -> None:
    """Two balls, named, a row a picture."""
    source = _detections(tmp_path / "d.jsonl")
    assert main(["track", str(source), "--table", "wpa-9ft", "--balls", "nine", "-o", str(tmp_path / name), "--quiet"]) == 0
    tracks = {track.ball: track for track in read_tracks(tmp_path / name)}
    assert set(tracks) == {"cue", "3"}
    assert all(len(track.times_s) == 30 and track.seen.all() for track in tracks.values())


def test_detections_written_again_are_the_same(tmp_path: Path) -> None:
    """The file of what was seen can be tracked again with the same result."""
    source, again = _detections(tmp_path / "d.jsonl"), tmp_path / "again.jsonl"
    common = ["--table", "wpa-9ft", "--game", "nine-ball", "--quiet"]
    assert main(["track", str(source), *common, "-o", str(tmp_path / "a.csv"), "--detections", str(again)]) == 0
    assert main(["track", str(again), *common, "-o", str(tmp_path / "b.csv")]) == 0
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [('{"time_s": 0, "detections": []}\nbroken\n', "line 2"), ("", "no detections in it")],
)
def test_what_cannot_be_used_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    """Exit code 2, the line named, nothing written."""
    source = tmp_path / "d.jsonl"
    source.write_text(text)
    assert main(["track", str(source), "--table", "wpa-9ft", "-o", str(tmp_path / "t.csv"), "--quiet"]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.mp4", "--table", "wpa-9ft", "-o", "t.csv"], "no such file"),
        (["d.jsonl", "-o", "t.csv"], "say which table"),
        (["d.jsonl", "--table", "wpa-9ft", "-o", "nowhere/t.csv"], "no folder"),
        (["d.jsonl", "--table", "round", "-o", "t.csv"], "no table is called"),
    ],
)
def test_wrong_arguments_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """One line, exit code 2."""
    monkeypatch.chdir(tmp_path)
    _detections(tmp_path / "d.jsonl")
    assert main(["track", *arguments]) == 2
    assert message in capsys.readouterr().err
