"""GR-3.32 as geometry: the foot spot, behind it, in front of it, never against the cue ball."""

from math import hypot

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.equipment import find_table
from referee.rules.spotting import find_spot, find_spots

TABLE = find_table("wpa-9ft")
D = TABLE.ball_diameter_m
STEP = D / TABLE.length_m
"""A diameter in fractions of the length: 0.0225 at 9 ft."""


def metres(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Distance of two places given in fractions."""
    return hypot((a[0] - b[0]) * TABLE.length_m, (a[1] - b[1]) * TABLE.width_m)


def test_free_foot_spot_takes_the_ball() -> None:
    """Nothing in the way: exactly the foot spot."""
    assert find_spot(TABLE, {"6": (0.2, 0.2)}, cue_ball=None) == (0.75, 0.5)


def test_ball_on_the_spot_sends_it_behind() -> None:
    """Frozen to an object ball on the spot, one diameter toward the foot."""
    assert find_spot(TABLE, {"6": (0.75, 0.5)}, cue_ball=None) == (0.7725, 0.5)


def test_ball_beside_the_line_is_touched_where_the_ball_first_fits() -> None:
    """A ball half a diameter beside the spot: behind it at sqrt(3)/2 of a diameter."""
    beside = (0.75, 0.5 + 0.5 * D / TABLE.width_m)

    assert find_spot(TABLE, {"6": beside}, cue_ball=None)[0] == pytest.approx(0.75 + STEP * 3**0.5 / 2, abs=1e-6)


def test_row_of_balls_is_passed_to_its_end() -> None:
    """Three frozen balls from the spot on: behind the third."""
    row = {str(i): (0.75 + i * STEP, 0.5) for i in range(3)}

    assert find_spot(TABLE, row, cue_ball=None)[0] == pytest.approx(0.75 + 3 * STEP, abs=1e-6)


def test_gap_too_small_for_a_ball_is_passed_over() -> None:
    """Between the ball on the spot and one 1.9 diameters behind it no ball fits."""
    row = {"1": (0.75, 0.5), "2": (0.75 + 1.9 * STEP, 0.5)}

    assert find_spot(TABLE, row, cue_ball=None)[0] == pytest.approx(0.75 + 2.9 * STEP, abs=1e-6)


def test_no_room_behind_sends_it_in_front() -> None:
    """The line full to the foot cushion: in front of the spot, toward the centre."""
    row = {str(i): (0.75 + i * STEP, 0.5) for i in range(11)}

    assert find_spot(TABLE, row, cue_ball=None)[0] == pytest.approx(0.75 - STEP, abs=1e-6)


def test_cue_ball_is_never_touched() -> None:
    """A hair is left to the cue ball, less than the 2 mm of "as near as possible"."""
    place = find_spot(TABLE, {"cue": (0.75, 0.5)}, cue_ball="cue")

    assert D < metres(place, (0.75, 0.5)) < D + 0.002


def test_several_balls_go_one_behind_the_other() -> None:
    """In the order given, each frozen to the one before."""
    assert find_spots(TABLE, ("3", "7"), {}, cue_ball=None) == {"3": (0.75, 0.5), "7": (0.7725, 0.5)}


PLACES = st.tuples(st.floats(0.0125, 0.9875), st.floats(0.025, 0.975))


@given(st.lists(PLACES, max_size=9))
def test_place_is_free_and_no_nearer_one_behind_the_spot_is(places: list[tuple[float, float]]) -> None:
    """Wherever balls lie, the place overlaps none, and every place between the spot and it would."""
    lying = {str(number): place for number, place in enumerate(places)}
    found = find_spot(TABLE, lying, cue_ball=None)

    assert all(metres(found, place) >= D - 1e-5 for place in places)
    if found[0] > 0.75:
        for part in range(20):
            nearer = (0.75 + (found[0] - 0.75) * part / 20, 0.5)
            assert any(metres(nearer, place) < D + 1e-5 for place in places)
