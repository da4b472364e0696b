"""Tests of cushions told by where a ball would have rolled on to, and by momentum."""

import numpy as np
import pytest

from calibration.equipment import find_table
from calibration.table import Table
from tracker.kinks import Kink, Path
from tracker.noses import Surroundings
from tracker.rebounds import given_back, stopped_short, turned_back
from tracker.trajectory import Piece

R = 0.028575
AROUND = Surroundings(Table(find_table("wpa-9ft")), R)
FRAME_S = 1 / 30
TOUCH_X = 1.27 - R


def piece(x: float, vx: float, start_s: float, end_s: float, *, moving: bool = True, slowing: float = 0.1) -> Piece:
    """A ball at 0.3 m from the long axis whose place and speed are known at the end of a stretch."""
    count = max(2, round((end_s - start_s) / FRAME_S))
    return Piece(
        first=0,
        last=count - 1,
        moving=moving,
        origin_s=end_s,
        coefficients=np.array([[x, 0.3], [vx, 0.0], [-slowing if moving else 0.0, 0.0]]),
        covariance=np.diag([2.5e-7, 1e-6 if moving else 0.0, 1e-6 if moving else 0.0]),
        start_s=start_s,
        end_s=end_s,
    )


def path(ball: str, *pieces: Piece) -> Path:
    """A path of which only the pieces count."""
    times = np.arange(0.0, pieces[-1].end_s, FRAME_S)
    return Path(ball=ball, times_s=times, xy_m=np.zeros((len(times), 2)), variance=np.full(len(times), 4e-6), pieces=pieces)


@pytest.mark.parametrize(("rest_x", "touched"), [(TOUCH_X - 0.004, True), (TOUCH_X - 0.02 + 0.05, False)])
def test_a_ball_that_stands_where_it_would_have_rolled_on_was_stopped_by_the_nose(rest_x: float, touched: bool) -> None:
    """2 cm off the nose at 0.1 m/s it has 5 cm to go: 1.6 cm on it stands only by the nose, 5 cm on by itself."""
    ball = path(
        "1", piece(0.9, 0.0, 0.0, 0.5, moving=False), piece(TOUCH_X - 0.02, 0.1, 1.0, 3.0), piece(rest_x, 0.0, 3.4, 5.0, moving=False)
    )
    found = stopped_short({"1": ball}, [], AROUND, 0.5, FRAME_S)
    sure = [contact.cushion for contact in found if contact.gain > 10]
    assert sure == (["foot"] if touched else [])


@pytest.mark.parametrize(("left_mps", "touched"), [(0.05, True), (0.95, False)])
def test_momentum_that_neither_of_two_balls_has_came_from_the_nose(left_mps: float, touched: bool) -> None:
    """The cue ball loses 1 m/s towards the foot cushion: the 1, 2 cm from it, has that or has given it to the nose."""
    place = np.array([TOUCH_X - 0.02 - 2 * R, 0.3])
    kink = Kink(
        ball="cue",
        time_s=1.0,
        sigma_s=0.001,
        low_s=0.98,
        high_s=1.02,
        place_m=place,
        jump_mps=np.array([-1.0, 0.0]),
        variance=1e-4,
        before=piece(float(place[0]), 1.0, 0.0, 0.98),
        after=piece(float(place[0]), 0.0, 1.02, 2.0),
    )
    way = piece(TOUCH_X - 0.01, 0.0, 1.02, 2.0)
    way.coefficients[:] = [[TOUCH_X - 0.02, 0.3], [left_mps, 0.0], [0.0, 0.0]]
    one = path("1", piece(TOUCH_X - 0.02, 0.0, 0.0, 0.98, moving=False), way)
    found = given_back([kink], [], {"1": one}, AROUND, FRAME_S)
    assert [(contact.ball, contact.cushion) for contact in found] == ([("1", "foot")] if touched else [])


@pytest.mark.parametrize(("other_x", "touched"), [(0.0, True), (TOUCH_X - 0.05 + 2 * R, False)])
def test_a_ball_that_turns_back_before_a_nose_was_turned_by_it_unless_a_ball_lay_there(other_x: float, touched: bool) -> None:
    """5 cm off the foot cushion, at 1 m/s a picture and a half away, a ball turns back with nothing else there."""
    before, after = piece(TOUCH_X - 0.05, 1.0, 0.5, 1.0), piece(TOUCH_X - 0.06, -0.8, 1.03, 1.5)
    kink = Kink(
        ball="1",
        time_s=1.0,
        sigma_s=0.005,
        low_s=1.0,
        high_s=1.03,
        place_m=np.array([TOUCH_X - 0.05, 0.3]),
        jump_mps=np.array([-1.8, 0.0]),
        variance=1e-4,
        before=before,
        after=after,
    )
    paths = {"1": path("1", before, after), "2": path("2", piece(other_x, 0.0, 0.0, 2.0, moving=False))}
    assert [contact.cushion for contact in turned_back([kink], [], paths, AROUND, FRAME_S)] == (["foot"] if touched else [])
