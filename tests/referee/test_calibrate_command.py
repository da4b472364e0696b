"""`cueref calibrate` from the command line: options, checks of balls, refusals. Finding itself is tested in tests/calibration."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.calibration import Calibration, write_calibration
from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.table import Table
from referee.cli import main

SPEC = find_table("wpa-9ft")
CAMERA = CameraModel.overhead(height_m=3.2, image_size_px=(1280, 720), focal_px=1060.0)


def files(folder: Path, ball: tuple[float, float]) -> tuple[Path, Path]:
    """A picture of one ball on blue cloth, and the table file of its camera."""
    image = np.full((720, 1280, 3), (40, 60, 80), np.uint8)
    corners = CAMERA.to_pixels([(-1.32, 0.685), (1.32, 0.685), (1.32, -0.685), (-1.32, -0.685)], height_m=0.036)
    cv2.fillPoly(image, [np.round(corners).astype(np.int32)], (190, 120, 10))
    middle = CAMERA.to_pixels([ball], height_m=SPEC.ball_radius_m)[0]
    cv2.circle(image, np.round(middle * 16).astype(int).tolist(), round(16 * 1060 * 0.0285 / 3.17), (40, 60, 220), -1, cv2.LINE_AA, 4)
    picture, table = folder / "check.png", folder / "t.json"
    cv2.imwrite(str(picture), cv2.GaussianBlur(image, (0, 0), 0.8))
    made = Calibration(table=Table(SPEC), camera=CAMERA, foot_known=True, foot_side="right", residual_mm=(0.1, 0.5), good=True)
    write_calibration(table, made)
    return picture, table


@pytest.mark.parametrize(("x_m", "code", "passes"), [(0.635, 0, True), (0.648, 1, False)])
def test_a_ball_on_or_beside_the_foot_spot_is_read_back(
    x_m: float, code: int, passes: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the spot: code 0; 13 mm beside it: code 1; the figures are on standard output, as JSON and nothing else."""
    picture, table = files(tmp_path, (x_m, 0.0))

    assert main(["calibrate", "--check", str(picture), "--table", str(table), "--json"]) == code
    (line,) = json.loads(capsys.readouterr().out)
    assert (line["meant"], line["passes"]) == ("foot spot", passes)
    assert line["off_m"][0] == pytest.approx(x_m - 0.635, abs=0.0015)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--check", "PICTURE", "--table", "none.json"], "no such table file"),
        (["--image", "PICTURE", "--table", "wpa-9ft", "--length-mm", "2000"], "not several of them"),
        (["--image", "PICTURE", "--length-mm", "2000", "--ball-mm", "57"], "go together"),
        (["--image", "PICTURE", "--table", "wpa-9ft", "--ball-mm", "0"], "above 0"),
        (["--page", "--table", "wpa-9ft"], "one of --image, --video and --camera"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Code 2, one line on standard error, nothing written."""
    picture, _ = files(tmp_path, (0.0, 0.0))
    before = sorted(tmp_path.iterdir())

    assert main(["calibrate", *(str(picture) if option == "PICTURE" else option for option in options)]) == 2
    error = capsys.readouterr().err.strip()
    assert said in error
    assert "\n" not in error
    assert sorted(tmp_path.iterdir()) == before
