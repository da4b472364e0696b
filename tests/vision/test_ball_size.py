"""Ball size from the picture where only the table's proportion is known."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.table import Table
from vision.ball_size import with_ball_size

sys.path.insert(0, str(Path(__file__).parent))
from pictures import a_calibration, a_picture

CALIBRATION = a_calibration()
PICTURE = a_picture(CALIBRATION, {"cue": (-0.7, 0.2), "1": (0.5, -0.3), "3": (0.9, 0.1), "8": (0.6, 0.45), "2": (0.0, 0.0)})


@pytest.mark.parametrize("wrong", [0.9, 1.1])
def test_a_size_wrong_by_a_tenth_is_put_right(wrong: float) -> None:
    """Balls drawn at 57.15 mm on a table whose balls are thought to be 51 or 63: within 3 %."""
    spec = replace(CALIBRATION.spec, name="custom", metric=False, ball_diameter_m=wrong * CALIBRATION.spec.ball_diameter_m)
    found = with_ball_size(replace(CALIBRATION, table=Table(spec)), PICTURE)

    assert found.spec.ball_diameter_m == pytest.approx(CALIBRATION.spec.ball_diameter_m, rel=0.03)


def test_a_known_size_and_a_table_without_balls_stay_as_they_are() -> None:
    """Nothing is measured where millimetres are known, nothing believed where there are no balls."""
    loose = replace(CALIBRATION, table=Table(replace(CALIBRATION.spec, name="custom", metric=False)))

    assert with_ball_size(CALIBRATION, PICTURE) is CALIBRATION
    assert with_ball_size(loose, np.full_like(PICTURE, 90)) is loose
