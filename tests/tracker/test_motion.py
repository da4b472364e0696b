"""One ball's filter: rest, roll, contact, a false start."""

import pytest

from tracker.motion import BallFilter


def _fed(places: list[float], dt_s: float = 0.02, sigma_m: float = 0.001) -> BallFilter:
    motion = BallFilter(time_s=0.0, x=places[0], y=0.0, sigma_m=sigma_m)
    for index, x in enumerate(places[1:], start=1):
        motion.update(index * dt_s, x, 0.0, sigma_m, dt_s)
    return motion


def test_a_resting_place_gains_precision() -> None:
    """Fifty detections a millimetre apart: the mean is known to less than half a millimetre."""
    motion = _fed([0.0005 * (-1) ** k for k in range(50)])
    assert motion.resting
    assert motion.x == pytest.approx(0.0, abs=0.0002)
    assert motion.predict(1.0)[2] < 0.0006


def test_a_roll_is_predicted() -> None:
    """1 m/s for half a second: the next place is known to a few millimetres."""
    motion = _fed([0.02 * k for k in range(25)])
    assert not motion.resting
    x, _, sigma = motion.predict(0.02)
    assert x == pytest.approx(0.5, abs=0.001)
    assert sigma < 0.003


def test_a_contact_starts_the_velocity_afresh() -> None:
    """Two detections after turning round, the filter goes the other way."""
    motion = _fed([0.02 * k for k in range(20)] + [0.37, 0.35, 0.33])
    assert motion.vx == pytest.approx(-1.0, abs=0.1)


def test_a_start_wakes_and_a_false_start_is_taken_back() -> None:
    """A single detection elsewhere does not move the ball for good."""
    motion = _fed([0.0] * 20 + [0.3])
    assert not motion.resting
    assert motion.memory == pytest.approx((0.0, 0.0), abs=1e-6)
    motion.update(0.42, 0.0, 0.0, 0.001, 0.02)
    assert motion.resting
    assert motion.x == pytest.approx(0.0, abs=1e-6)


def test_a_slow_roll_is_not_rest_for_long() -> None:
    """0.05 m/s moves a millimetre in 20 ms: after half a second the filter rolls or follows within its noise."""
    motion = _fed([0.001 * k for k in range(30)])
    assert motion.predict(0.0)[0] == pytest.approx(0.029, abs=0.006)


def test_a_repeated_picture_measures_no_time() -> None:
    """With no time gone neither place nor velocity change."""
    motion = _fed([0.02 * k for k in range(20)])
    before = motion.vx
    motion.update(0.4, 0.38, 0.0, 0.001, 0.0)
    assert motion.vx == before
