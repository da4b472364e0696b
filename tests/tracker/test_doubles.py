"""Detections that are not one ball each."""

from numpy.testing import assert_allclose

from tracker.doubles import with_whole_blurs, without_doubles, without_merged_at_rest
from tracker.motion import BallFilter
from vision.detection import Detection

RADIUS_M = 0.0286
STEP_S = 0.04


def _disc(x: float, y: float, score: float = 0.9) -> Detection:
    return Detection(position_m=(x, y), sigma_m=0.001, score=score, likelihood={})


def _rolling(x: float, y: float, vx: float) -> BallFilter:
    """A ball seen three times on its way along x, last at (x, y)."""
    motion = BallFilter(time_s=0.0, x=x - 2 * vx * STEP_S, y=y, sigma_m=0.001)
    for back in (1, 0):
        motion.update((2 - back) * STEP_S, x - back * vx * STEP_S, y, 0.001, STEP_S)
    return motion


def test_the_doubtful_one_of_two_centres_in_one_ball_is_dropped() -> None:
    """Two discs a centimetre apart are one ball; the one beside it stays."""
    sure, doubtful, other = _disc(0.0, 0.0, 0.9), _disc(0.01, 0.0, 0.4), _disc(0.06, 0.0, 0.3)

    assert without_doubles([doubtful, sure, other], RADIUS_M) == [sure, other]


def test_two_ends_of_a_blur_become_one_streak() -> None:
    """A ball at 2.5 m/s is expected 10 cm on; discs at 7 and 13 cm on its line are its blur's ends."""
    motion = _rolling(0.0, 0.0, 2.5)
    (joined,) = with_whole_blurs([_disc(0.07, 0.001), _disc(0.13, -0.001)], [(motion, STEP_S)], RADIUS_M)

    assert_allclose(joined.position_m, (0.1, 0.0), atol=1e-9)
    assert joined.streak_m == ((0.07, 0.001), (0.13, -0.001))


def test_two_balls_on_one_line_stay_two() -> None:
    """Where another ball is known to lie at one of the two places, nothing is joined; nor for a slow ball."""
    moving, resting = _rolling(0.0, 0.0, 2.5), BallFilter(time_s=0.0, x=0.13, y=0.0, sigma_m=0.001, resting=True)
    pair = [_disc(0.07, 0.0), _disc(0.13, 0.0)]

    assert with_whole_blurs(pair, [(moving, STEP_S), (resting, STEP_S)], RADIUS_M) == pair
    assert with_whole_blurs(pair, [(_rolling(0.0, 0.0, 0.5), STEP_S)], RADIUS_M) == pair


def test_what_lies_between_two_resting_balls_that_do_not_show_is_neither() -> None:
    """Two balls that touch, seen as one in their middle: dropped. With one of them in view it is another ball, or false."""
    places = ((0.0, 0.0), (2 * RADIUS_M, 0.0), (0.5, 0.0))
    lie = [(BallFilter(time_s=0.0, x=x, y=y, sigma_m=0.001, resting=True), STEP_S) for x, y in places]
    between, other = _disc(RADIUS_M, 0.001), _disc(0.5, 0.0)

    assert without_merged_at_rest([between, other], lie, RADIUS_M) == [other]
    both = [between, _disc(0.001, 0.0), other]
    assert without_merged_at_rest(both, lie, RADIUS_M) == both
