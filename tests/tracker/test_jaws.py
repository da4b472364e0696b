"""Tests of touches at the mouths: distance from rubber at places that a ruler gives."""

import numpy as np
import pytest

from calibration.equipment import find_table
from calibration.table import Table
from tracker.jaws import rubber_distance_m
from tracker.noses import Surroundings

TABLE = Table(find_table("wpa-9ft"))
AROUND = Surroundings(TABLE, 0.028575)


def distance(u_m: float, s_m: float, pocket: str) -> float:
    return float(rubber_distance_m(np.array([u_m]), np.array([s_m]), pocket, AROUND)[0])


@pytest.mark.parametrize("pocket", ["HL", "SL"])
def test_the_middle_of_a_mouth_is_half_its_width_away(pocket: str) -> None:
    """In the middle between the nose ends the rubber is about half the mouth away (facings lean in a little)."""
    half = AROUND.mouth_half_m(pocket)

    assert half - 0.003 < distance(0.0, 0.0, pocket) <= half


def test_beside_a_side_pocket_the_rubber_is_the_nose_line() -> None:
    """Well beside a side pocket the distance is that from the nose line."""
    assert distance(0.15, -0.08, "SR") == pytest.approx(0.08, abs=1e-6)


def test_before_a_corner_the_rubber_is_the_nose_line() -> None:
    """Ten centimetres along the cushion from a corner's nose end, five off it: five centimetres."""
    half = AROUND.mouth_half_m("FR")
    along = np.array([1.0, -1.0]) / np.sqrt(2)
    inward = np.array([-1.0, -1.0]) / np.sqrt(2)
    u, s = np.array([half, 0.0]) + 0.1 * along + 0.05 * inward

    assert distance(float(u), float(s), "FR") == pytest.approx(0.05, abs=1e-6)


def test_facings_lead_in() -> None:
    """Deeper in a corner the rubber is nearer: the facings lean in by seven degrees."""
    assert distance(0.0, 0.03, "HR") < distance(0.0, 0.0, "HR")
