"""`cueref detect`: what it prints, and what it does with pictures that do not fit."""

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.calibration import write_calibration
from referee.cli import main

sys.path.insert(0, str(Path(__file__).parent))
from pictures import a_calibration, a_picture

BALLS = {"cue": (-0.7, 0.2), "1": (0.5, -0.3), "3": (0.9, 0.1), "8": (0.6, 0.45)}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table file and, beside it, a picture of that table and one of another size."""
    calibration = a_calibration()
    write_calibration(tmp_path / "table.json", calibration)
    cv2.imwrite(str(tmp_path / "balls.png"), a_picture(calibration, BALLS))
    cv2.imwrite(str(tmp_path / "small.png"), np.zeros((90, 160, 3), np.uint8))
    return tmp_path / "table.json"


def test_json_holds_an_entry_a_picture_and_errors_beside_results(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Balls of the picture that fits, an error for the other, exit code 1, and nothing but JSON on standard output."""
    good, bad = str(table.parent / "balls.png"), str(table.parent / "small.png")
    code = main(["detect", good, bad, "--table", str(table), "--json", "--balls", "nine", "--draw", str(table.parent / "drawn")])
    entries = json.loads(capsys.readouterr().out)

    assert code == 1
    assert [entry["image"] for entry in entries] == [good, bad]
    assert {ball["ball"] for ball in entries[0]["balls"]} == set(BALLS)
    assert set(entries[0]["balls"][0]) == {"ball", "x_m", "y_m", "px", "sigma_m", "score", "likelihood"}
    assert "160x90" in entries[1]["error"]
    assert (table.parent / "drawn" / "balls.png").is_file()


def test_without_a_table_only_pixels_are_claimed(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--no-table` finds the same balls by colour and size alone and claims no metres; `any` names none."""
    code = main(["detect", str(table.parent / "balls.png"), "--no-table", "--json", "--balls", "any"])
    (entry,) = json.loads(capsys.readouterr().out)
    calibration = a_calibration()
    wanted = calibration.camera.to_pixels(list(BALLS.values()), height_m=calibration.spec.ball_radius_m)

    assert code == 0
    assert all(ball["x_m"] is None and ball["ball"] is None for ball in entry["balls"])
    assert all(min(np.hypot(*np.subtract(ball["px"], place)) for ball in entry["balls"]) < 1.0 for place in wanted)


@pytest.mark.parametrize("arguments", [["none.png", "--no-table"], ["table.json", "--no-table"], ["balls.png"]])
def test_bad_input_is_one_line_and_exit_code_2(table: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    """A missing picture, a file that is no picture, and neither table nor --no-table."""
    code = main(["detect", str(table.parent / arguments[0]), *arguments[1:]])
    out = capsys.readouterr()

    assert code == 2
    assert out.out == ""
    assert len(out.err.strip().splitlines()) == 1
