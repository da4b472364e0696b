"""Places at the mouths of a 9 ft table."""

import pytest

from calibration.equipment import find_table
from calibration.table import POCKETS, Table
from tracker.pockets import PocketMap

TABLE = Table(find_table("wpa-9ft"))
MAP = PocketMap(TABLE)


@pytest.mark.parametrize(
    ("place", "kind", "pocket"),
    [
        ((0.0, 0.0), "bed", "SL"),
        ((1.24, 0.2), "bed", "FL"),
        ((1.24, 0.607), "jaws", "FL"),
        ((1.30, 0.665), "cup", "FL"),
        ((0.0, 0.645), "jaws", "SL"),
        ((0.0, -0.68), "cup", "SR"),
        ((0.6, 0.66), "outside", "SL"),
        ((1.30, 0.0), "outside", "FL"),
    ],
)
def test_places(place: tuple[float, float], kind: str, pocket: str) -> None:
    """Bed, jaws, cup and beyond, and the pocket where there is one."""
    found = MAP.place(place)
    assert found.kind == kind
    if kind in ("jaws", "cup"):
        assert found.pocket == pocket


@pytest.mark.parametrize("pocket", POCKETS)
def test_a_straight_path_enters_the_mouth_it_leads_to(pocket: str) -> None:
    """From the centre spot at 1 m/s, after as many seconds as the mouth's middle is metres away."""
    x, y = TABLE.mouth_centre_m(pocket)
    distance = (x * x + y * y) ** 0.5
    found = MAP.entry((0.0, 0.0), (x / distance, y / distance))
    assert found is not None
    assert found[0] == pocket
    assert found[1] == pytest.approx(distance, rel=0.05)


def test_a_path_beside_the_mouth_enters_none_but_with_a_fan() -> None:
    """A hand's breadth off the side mouth; a fan of 0.2 rad reaches it."""
    assert MAP.entry((0.12, 0.0), (0.0, 1.0)) is None
    found = MAP.entry((0.12, 0.0), (0.0, 1.0), spread=0.2)
    assert found is not None
    assert found[0] == "SL"


def test_a_ball_moving_away_enters_none() -> None:
    """Along the long string no mouth lies ahead."""
    assert MAP.entry((0.5, 0.0), (1.0, 0.0)) is None
