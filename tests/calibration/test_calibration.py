"""The table file: what is written comes back, what is torn is told."""

import json
from pathlib import Path

import numpy as np
import pytest

from calibration.calibration import Calibration, read_calibration, write_calibration
from calibration.camera import CameraModel
from calibration.ends import turned, with_foot, with_foot_at
from calibration.equipment import find_table
from calibration.errors import InputError
from calibration.table import Table


@pytest.fixture
def made() -> Calibration:
    """A 9 ft table from straight above, foot at the right."""
    camera = CameraModel.overhead(height_m=3.0, image_size_px=(1920, 1080))
    return Calibration(
        table=Table(find_table("wpa-9ft")), camera=camera, foot_known=False, foot_side="right", residual_mm=(0.5, 2.0), good=True
    )


def test_a_table_file_comes_back(made: Calibration, tmp_path: Path) -> None:
    """Written and read again, every field and every pixel is the same."""
    write_calibration(tmp_path / "t.json", made)
    back = read_calibration(tmp_path / "t.json")
    assert back.to_dict() == made.to_dict()
    assert list(tmp_path.iterdir()) == [tmp_path / "t.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": "cueref.table/1"}', "\x00\xff"])
def test_a_file_that_is_no_table_is_told_in_one_line(text: str, tmp_path: Path) -> None:
    """Empty, torn, another format, fields missing: always an InputError that names the file."""
    path = tmp_path / "t.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"t\.json"):
        read_calibration(path)


def test_a_missing_field_is_named(made: Calibration) -> None:
    """The message says which field is missing."""
    data = json.loads(json.dumps(made.to_dict()))
    del data["camera"]["R"]
    with pytest.raises(InputError, match="R"):
        Calibration.from_dict(data)


def test_naming_the_other_end_turns_the_table_and_does_not_mirror_it(made: Calibration) -> None:
    """Foot at the left puts the foot corners at the left, and left is still left of a person looking at the foot."""
    other = with_foot(made, "left")
    assert other.foot_known
    assert other.corners_px()["foot_left"] == pytest.approx(made.corners_px()["head_right"])
    assert np.linalg.det(other.camera.rotation) == pytest.approx(1.0)


def test_turning_twice_changes_nothing(made: Calibration) -> None:
    """Two half turns are none."""
    assert np.allclose(turned(turned(made.camera)).rotation, made.camera.rotation)


def test_a_rack_at_negative_x_is_the_foot(made: Calibration) -> None:
    """Evidence at x < 0 turns the table, so that the rack is at positive x afterwards."""
    assert with_foot_at(made, -0.6).foot_side == "left"
    assert with_foot_at(made, 0.6).foot_side == "right"


def test_a_foot_at_a_long_side_is_refused(made: Calibration) -> None:
    """The foot of a table that lies across the picture cannot be at its top."""
    with pytest.raises(InputError, match="top"):
        with_foot(made, "top")
