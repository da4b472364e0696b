"""True times of pictures from stamps and arrivals."""

from itertools import pairwise

import pytest

from referee.live.stamps import StampClock, Stamped


def times(pairs: list[tuple[float | None, float]], start_s: float = 0.0) -> list[Stamped]:
    """What the clock says to pairs of stamp and arrival."""
    clock = StampClock(start_s)
    return [clock.time_of(stamp, arrival) for stamp, arrival in pairs]


def test_time_runs_by_the_stamps_however_late_pictures_arrive() -> None:
    """A burst after a hiccup keeps its true times."""
    found = times([(7.00, 0.0), (7.04, 0.9), (7.08, 0.91), (7.12, 0.92)])

    assert [round(item.time_s, 3) for item in found] == [0.0, 0.04, 0.08, 0.12]
    assert not any(item.restarted for item in found)


def test_without_stamps_arrivals_count() -> None:
    """A camera that stamps nothing is timed by when its pictures are here."""
    found = times([(None, 5.0), (None, 5.04), (None, 5.1)], start_s=30.0)

    assert [round(item.time_s, 3) for item in found] == [30.0, 30.04, 30.1]


@pytest.mark.parametrize("stamp", [0.02, 500.0])
def test_a_clock_that_jumps_is_carried_over_by_the_arrivals_and_told(stamp: float) -> None:
    """Back to nothing or far ahead: the match's time goes on by what has passed here, and later stamps count from there."""
    found = times([(90.0, 0.0), (90.04, 0.04), (stamp, 3.04), (stamp + 0.04, 3.08)])

    assert [round(item.time_s, 3) for item in found] == [0.0, 0.04, 3.04, 3.08]
    assert [item.restarted for item in found] == [False, False, True, False]


def test_a_pause_in_stamps_and_arrivals_is_no_restart() -> None:
    """No picture for three seconds, then they go on with true stamps."""
    assert [item.restarted for item in times([(1.0, 0.0), (4.0, 3.0)])] == [False, False]


def test_the_same_stamp_again_is_the_same_picture() -> None:
    """It is not new, and time does not move."""
    found = times([(1.0, 0.0), (1.0, 0.01), (1.04, 0.04)])

    assert [item.is_new for item in found] == [True, False, True]
    assert [round(item.time_s, 3) for item in found] == [0.0, 0.0, 0.04]


def test_stamps_that_drift_are_no_clock() -> None:
    """A decoder counts 25 a second, and 30 come: no restart is told, and time ends up that of the arrivals."""
    found = times([(index / 25, index / 30) for index in range(1200)])

    assert not any(item.restarted for item in found)
    steps = [b.time_s - a.time_s for a, b in pairwise(found[900:])]
    assert max(steps) == pytest.approx(1 / 30)
    assert abs(found[-1].time_s - 1199 / 30) < 2.5
