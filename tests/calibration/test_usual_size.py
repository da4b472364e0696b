"""Tables of which only the proportion is known."""

import numpy as np
import pytest

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.doubt import PlaceDoubt
from calibration.equipment import TableSpec, find_table
from calibration.table import Table
from calibration.usual_size import in_size_of, in_usual_size

PROPORTION = TableSpec(name="custom", length_m=1.0, width_m=0.5, ball_diameter_m=0.025, metric=False)


def test_a_table_of_known_size_stays_as_it_is() -> None:
    """Only a proportion is brought to a usual length."""
    assert in_usual_size(find_table("bar-7ft")) == find_table("bar-7ft")


def test_the_usual_size_has_the_same_proportions() -> None:
    """Length, width and ball grow alike, and no millimetres are claimed."""
    usual = in_usual_size(PROPORTION)

    assert usual.length_m > 1.5
    assert usual.length_m / usual.width_m == pytest.approx(2.0)
    assert usual.ball_diameter_m / usual.length_m == pytest.approx(0.025)
    assert not usual.metric


def test_brought_back_every_place_is_seen_at_the_same_pixel() -> None:
    """A table and a camera both half as large give the same picture; residuals and doubts shrink with them."""
    usual = in_usual_size(PROPORTION)
    made = Calibration(
        table=Table(usual),
        camera=CameraModel.overhead(height_m=3.0, image_size_px=(1280, 720)),
        foot_known=False,
        foot_side="right",
        residual_mm=(0.5, 2.0),
        good=True,
        doubt=PlaceDoubt(x_m=np.array([-1.0, 1.0]), y_m=np.array([-0.5, 0.5]), sigma_m=np.full((2, 2, 2), 0.002)),
    )
    back = in_size_of(made, PROPORTION)

    assert back.spec == PROPORTION
    for corner, pixel in made.corners_px().items():
        assert back.corners_px()[corner] == pytest.approx(pixel, abs=1e-6)
    assert back.residual_mm[0] == pytest.approx(0.5 / usual.length_m)
    assert back.position_sigma_m([[0.0, 0.0]])[0, 0] == pytest.approx(0.002 / usual.length_m)
