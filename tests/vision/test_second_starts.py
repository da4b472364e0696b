"""Places of balls that rest, from one picture to the next."""

import pytest

from vision.outline import Outline
from vision.second_starts import steady

RADIUS_M = 0.028


def placed(x_m: float) -> Outline:
    """A ball at (x, 0), a thousand pixels a metre."""
    return Outline(position_m=(x_m, 0.0), px=(1000 * x_m, 0.0), sigma_m=0.0003, support=1.0, met=1.0, spread=0.02)


def test_a_ball_whose_pixels_are_the_same_stays_half_way_to_where_it_was() -> None:
    """Found 0.4 mm on, it is placed 0.2 mm on, in the picture too; one not told to be still, or 3 mm off, is where it is found."""
    fits: list[Outline | None] = [placed(0.1004), placed(0.2004), placed(0.303), None]
    last = {0: placed(0.1), 1: placed(0.2), 2: placed(0.3), 3: placed(0.4)}
    steady(fits, last, [0, 2, 3], RADIUS_M)

    assert [fit.position_m[0] if fit else None for fit in fits] == [pytest.approx(0.1002), 0.2004, 0.303, None]
    assert fits[0] is not None
    assert fits[0].px[0] == pytest.approx(100.2)
