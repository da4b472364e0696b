"""Facts of a shot where pictures are missing: less certain, never otherwise."""

import numpy as np
import pytest

from tracker.history import BallTrack
from tracker.missing import find_gaps, with_faint, with_missing
from tracker.shot import Shot, ShotEvent

STRIKE_S, FIRST_T, CUSHION_T = 10.0, 0.5, 1.5


def a_shot(rail: float = 1.0) -> Shot:
    """The 1 is met half a second after the strike, and reaches a cushion a second later."""
    return Shot(
        number=1,
        start_s=STRIKE_S,
        end_s=STRIKE_S + 4.0,
        cue_ball="cue",
        complete=True,
        before={},
        after={},
        events=(
            ShotEvent(t=0.0, type="cue_contact"),
            ShotEvent(t=FIRST_T, type="ball_ball", fields={"a": "cue", "b": "1"}),
            *((ShotEvent(t=CUSHION_T, type="ball_cushion", fields={"ball": "1", "cushion": "foot"}),) if rail > 0.5 else ()),
        ),
        first_contact={"1": 1.0},
        rail_before_contact=0.0,
        rail_after_contact=rail,
    )


def a_track(ball: str, sigma_m: float) -> BallTrack:
    """A ball at rest for a second before the strike."""
    times = np.linspace(STRIKE_S - 1, STRIKE_S - 0.1, 10)
    return BallTrack(
        ball=ball, times_s=times, positions_m=np.zeros((10, 2)), sigma_m=np.full(10, sigma_m), seen=np.ones(10, dtype=np.bool_)
    )


def test_gaps_are_measured_against_the_rate_of_the_recording() -> None:
    """Half a second is one at any rate; two pictures of 25 a second are none, nor is the step of a slow camera."""
    times = [index / 25 for index in range(50) if not 10 < index < 23 and index not in (30, 31)]

    assert find_gaps(times) == ((0.4, 0.92),)
    assert find_gaps([index / 5 for index in range(10)]) == ()
    assert find_gaps([1.0]) == ()


@pytest.mark.parametrize("gap", [(9.7, 10.2), (9.5, 9.95), (10.2, 10.45), (10.4, 10.9)])
def test_a_gap_before_the_first_contact_leaves_the_first_ball_unknown(gap: tuple[float, float]) -> None:
    """Whatever the reader made of it."""
    shot = with_missing(a_shot(), [gap])

    assert shot.first_contact == {"unknown": 1.0}
    assert shot.doubts[0].kind == "strike_not_seen"


def test_a_gap_after_it_leaves_a_cushion_that_was_seen_elsewhere() -> None:
    """The ball's way to the cushion was seen; a gap later takes nothing away."""
    assert with_missing(a_shot(), [(12.5, 13.0)]) == a_shot()


@pytest.mark.parametrize(("rail", "expected"), [(1.0, 0.75), (0.0, 0.25)])
def test_a_cushion_that_only_the_gap_can_have_held_is_not_certain(rail: float, expected: float) -> None:
    """Neither that it was touched nor that it was not."""
    shot = with_missing(a_shot(rail), [(11.3, 11.8)])

    assert shot.rail_after_contact == expected
    assert shot.first_contact == {"1": 1.0}


def test_a_gap_before_or_after_the_shot_does_not_matter() -> None:
    """It was at rest."""
    assert with_missing(a_shot(), [(8.0, 8.5), (14.5, 15.0)]) == a_shot()


@pytest.mark.parametrize(("sigma_m", "sure"), [(0.001, True), (0.007, False)])
def test_a_first_ball_that_is_hardly_seen_may_have_been_missed(sigma_m: float, sure: bool) -> None:
    """Known to a millimetre the touch stands, to seven it is half unknown."""
    assert (with_faint(a_shot(), [a_track("1", sigma_m)]) == a_shot()) is sure


@pytest.mark.parametrize(("ball", "told"), [("Y", True), ("2", False)])
def test_a_cue_ball_that_is_hardly_seen_may_have_been_struck_instead(ball: str, told: bool) -> None:
    """Of a ball that is seldom struck nothing hangs on it."""
    shot = with_faint(a_shot(), [a_track(ball, 0.007)])

    assert [(doubt.kind, doubt.t, doubt.balls) for doubt in shot.doubts] == ([("hidden", 0.0, ("Y",))] if told else [])
