"""Every version of every file format stays readable: one file of each lies in tests/formats, never rewritten."""

import json
from pathlib import Path

import pytest

from calibration.calibration import Calibration, read_calibration, write_calibration
from calibration.errors import InputError
from referee.calls import read_calls
from referee.log import read_log, write_log
from referee.report import write_report
from tracker.shot import Shot, write_shots
from tracker.tracks_file import read_tracks, write_tracks

FORMATS = Path(__file__).parent / "formats"


def test_table_1_is_read_and_written_back_the_same(tmp_path: Path) -> None:
    """`cueref.table/1`: size, camera, quality."""
    calibration = read_calibration(FORMATS / "table-1.json")
    write_calibration(tmp_path / "table.json", calibration)

    assert calibration.spec.name == "wpa-9ft"
    assert calibration.residual_mm == (1.2, 3.9)
    assert json.loads((FORMATS / "table-1.json").read_text()) == json.loads((tmp_path / "table.json").read_text())


def test_shot_1_is_read_and_written_back_the_same(tmp_path: Path) -> None:
    """`cueref.shot/1`: layouts, events, doubts, a shot a line."""
    lines = (FORMATS / "shots-1.jsonl").read_text(encoding="utf-8").splitlines()
    shots = [Shot.from_dict(json.loads(line)) for line in lines]
    write_shots(tmp_path / "shots.jsonl", shots)

    assert [shot.number for shot in shots] == [1, 2, 3]
    assert shots[2].doubts[0].kind == "split_hit"
    assert [json.loads(line) for line in lines] == [json.loads(line) for line in (tmp_path / "shots.jsonl").read_text().splitlines()]


def test_tracks_are_read_and_written_back_the_same(tmp_path: Path) -> None:
    """`time_s,ball,x_m,y_m,sigma_m,seen`, plain and gzipped."""
    tracks = read_tracks(FORMATS / "tracks.csv")
    write_tracks(tmp_path / "tracks.csv.gz", tracks)
    again = read_tracks(tmp_path / "tracks.csv.gz")

    assert [track.ball for track in tracks] == ["cue", "3"]
    assert tracks[0].seen.tolist() == [True, False]
    assert [track.positions_m.tolist() for track in tracks] == [track.positions_m.tolist() for track in again]


def test_calls_are_read() -> None:
    """What only people know, a line each."""
    calls = read_calls(FORMATS / "calls.jsonl")

    assert [(call.time_s, call.type) for call in calls] == [(12.5, "call"), (30.0, "decision")]


def test_match_1_is_read_and_written_back_the_same(tmp_path: Path) -> None:
    """`cueref.match/1`: a header and an event a line."""
    match = read_log(FORMATS / "match-1.jsonl")
    write_log(tmp_path / "match.jsonl", match)

    assert [event.type for event in match.events] == ["shot", "ruling"] * 3
    assert match.setup.players.to_dict() == {"A": "Ann", "B": "Bo"}
    assert (FORMATS / "match-1.jsonl").read_text(encoding="utf-8") == (tmp_path / "match.jsonl").read_text(encoding="utf-8")


def test_review_1_is_read(tmp_path: Path) -> None:
    """`cueref.review/1`: what `cueref review --json` prints makes a report."""
    page = write_report(tmp_path, json.loads((FORMATS / "review-1.json").read_text(encoding="utf-8"))).read_text(encoding="utf-8")

    assert "Foul: 8-ball first." in page


@pytest.mark.parametrize("version", ["cueref.table/2", "cueref.shot/1", None])
def test_a_format_that_is_not_known_is_refused(version: str | None) -> None:
    """A newer file is told, not half understood."""
    data = json.loads((FORMATS / "table-1.json").read_text(encoding="utf-8"))

    with pytest.raises(InputError, match=r"cueref\.table/1"):
        Calibration.from_dict({**data, "format": version})
