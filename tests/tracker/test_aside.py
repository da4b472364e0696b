"""Which of two balls a way meets first."""

import numpy as np
import pytest

from tracker.aside import meets_first

RADIUS_M = 0.028575
REACH_M = 2 * RADIUS_M
HEAD_BALL = np.array([1.0, 0.0])
SECOND_ROW = HEAD_BALL + RADIUS_M * np.array([3**0.5, 1.0])


@pytest.mark.parametrize(("wrong_m", "surely"), [(0.012, True), (0.055, True), (0.06, False)])
def test_the_head_ball_of_a_rack_is_met_before_the_row_behind_it(wrong_m: float, surely: bool) -> None:
    """Straight on, the second row comes first only for a way two radii beside the head ball (57 mm): the ball that touches
    both lies there."""
    assert meets_first(HEAD_BALL, SECOND_ROW, np.array([1.0, 0.0]), wrong_m, REACH_M) is surely


def test_of_two_balls_side_by_side_either_may_be_met_first() -> None:
    """A way between them, a millimetre nearer to one."""
    along = np.array([1.0, 0.0])
    left, right = np.array([1.0, 0.030]), np.array([1.0, -0.032])

    assert meets_first(left, right, along, 0.0005, REACH_M)
    assert not meets_first(left, right, along, 0.002, REACH_M)
