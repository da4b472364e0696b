"""Table geometry, checked by hand on a 9 ft table."""

import pytest

from calibration.equipment import TableSpec, find_table, parse_game
from calibration.errors import InputError
from calibration.table import POCKETS, Table

NINE = Table(find_table("wpa-9ft"))


def test_corners_lie_half_a_length_and_half_a_width_out() -> None:
    """2540 x 1270 mm puts the corners at 1.27 and 0.635 m; left is at positive y."""
    assert NINE.corners_m()["head_left"] == (-1.27, 0.635)
    assert NINE.corners_m()["foot_right"] == (1.27, -0.635)


def test_a_mouth_is_as_wide_as_stated() -> None:
    """The two nose ends of every pocket are one mouth apart."""
    for pocket in POCKETS:
        (ax, ay), (bx, by) = NINE.mouth_m(pocket)
        width = NINE.side_mouth_m if pocket[0] == "S" else NINE.corner_mouth_m
        assert ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 == pytest.approx(width)


def test_left_pockets_lie_left_of_a_person_looking_at_the_foot() -> None:
    """Every pocket that ends on L has positive y, every one on R negative."""
    assert all((NINE.mouth_centre_m(pocket)[1] > 0) == (pocket[1] == "L") for pocket in POCKETS)


def test_fractions_come_back() -> None:
    """The foot spot is (0.75, 0.5) of rule files and comes back to metres."""
    assert NINE.from_fractions((0.75, 0.5)) == (0.635, 0.0)


def test_a_long_cushion_has_two_noses_and_a_short_one_has_one() -> None:
    """Six rubbers, none of them across a mouth."""
    noses = NINE.noses_m()
    assert [len(noses[name]) for name in ("head", "foot", "left", "right")] == [1, 1, 2, 2]


def test_an_unknown_table_is_named_and_the_known_ones_are_listed() -> None:
    """The message says what was asked for and what there is."""
    with pytest.raises(InputError, match=r"10ft.*wpa-9ft"):
        find_table("10ft")


def test_a_table_wider_than_long_is_refused() -> None:
    """Swapped sizes are told, not turned silently."""
    with pytest.raises(InputError, match="swap"):
        TableSpec(name="custom", length_m=1.0, width_m=2.0, ball_diameter_m=0.057)


@pytest.mark.parametrize(("text", "game"), [("nine-ball", "nine_ball"), ("14.1", "straight_14_1"), ("Free-Pyramid", "free_pyramid")])
def test_games_by_every_spelling(text: str, game: str) -> None:
    """Hyphens, capitals and 14.1 are understood."""
    assert parse_game(text) == game
