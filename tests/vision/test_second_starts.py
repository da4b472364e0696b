"""Places of balls that rest, from one picture to the next, and of balls of which little is seen."""

import sys
from pathlib import Path

import numpy as np
import pytest

from vision.outline import Outline
from vision.second_starts import joined, steady

sys.path.insert(0, str(Path(__file__).parent))
from pictures import a_calibration

RADIUS_M = 0.02
CAMERA = a_calibration().camera


def placed(x_m: float, sigma_m: float = 0.0003) -> Outline:
    """A ball at (x, 0), a thousand pixels a metre."""
    return Outline(position_m=(x_m, 0.0), px=(1000 * x_m, 0.0), sigma_m=sigma_m, support=1.0, met=1.0, spread=0.02)


def test_a_ball_whose_pixels_are_the_same_stays_half_way_to_where_it_was() -> None:
    """Found 0.4 mm on, it is placed 0.2 mm on, in the picture too; one not told to be still, or 3 mm off, is where it is found."""
    fits: list[Outline | None] = [placed(0.1004), placed(0.2004), placed(0.303), None]
    last = {0: placed(0.1), 1: placed(0.2), 2: placed(0.3), 3: placed(0.4)}
    steady(fits, last, [0, 2, 3], RADIUS_M)

    assert [fit.position_m[0] if fit else None for fit in fits] == [pytest.approx(0.1002), 0.2004, 0.303, None]
    assert fits[0] is not None
    assert fits[0].px[0] == pytest.approx(100.2)


@pytest.mark.parametrize(
    ("sigma_m", "start_m", "by_piece", "place_m"),
    [(0.0011, 0.101, True, 0.1005), (0.0003, 0.101, True, 0.1), (0.0011, 0.101, False, 0.1), (0.0011, 0.106, True, 0.1)],
)
def test_a_loose_outline_is_averaged_with_its_piece(sigma_m: float, start_m: float, by_piece: bool, place_m: float) -> None:
    """As badly known as its piece, 1.1 mm, it lies half way, known better by the root of two; not if sharp, of the network, or 6 mm off."""
    fits: list[Outline | None] = [placed(0.1, sigma_m), None]
    joined(fits, np.array([[start_m, 0.0], [0.0, 0.0]]), [by_piece, True], CAMERA, RADIUS_M)

    (fit, none) = fits
    assert none is None
    assert fit is not None
    assert fit.position_m[0] == pytest.approx(place_m)
    moved = place_m != 0.1
    assert fit.sigma_m == pytest.approx(sigma_m / 2**0.5 if moved else sigma_m)
    if moved:
        assert fit.px == pytest.approx(tuple(CAMERA.to_pixels([(place_m, 0.0)], height_m=RADIUS_M)[0]))
