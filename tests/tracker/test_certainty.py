"""What counts say of stated probabilities."""

import pytest

from tracker.certainty import FLOOR, bounded, tempered
from tracker.first_contact import RACE_FLOOR


def test_a_race_after_a_short_flight_is_never_sure() -> None:
    """Two places of the cue ball: 0.999 of two balls becomes less than 0.9, the rest is the other's; three places leave it."""
    stated = {"3": 0.999, "5": 0.001}
    short, long = tempered(stated, 2), tempered(stated, 3)
    assert 0.8 < short["3"] < 0.9
    assert sum(short.values()) == pytest.approx(1)
    assert list(short) == ["3", "5"]
    assert long["3"] == pytest.approx(0.999)


def test_balls_that_the_race_left_no_more_than_its_floor_are_no_rivals() -> None:
    """Two in the rack behind the one that was hit, each at a third of the floor, after one place of the cue ball."""
    assert tempered({"1": 1 - 2 * RACE_FLOOR / 3, "2": RACE_FLOOR / 3, "6": RACE_FLOOR / 3}, 1)["1"] > 0.999


def test_the_order_of_certainty_is_kept() -> None:
    """What was surer stays surer."""
    kept = [tempered({"3": p, "5": 1 - p}, 1)["3"] for p in (0.55, 0.7, 0.9, 0.99, 0.9999)]
    assert kept == sorted(kept)


def test_nothing_is_surer_than_what_is_not_modelled() -> None:
    """A lone ball keeps a share for what was not seen; so does a cushion."""
    assert tempered({"3": 1.0}, 20) == {"3": 1 - FLOOR, "unknown": pytest.approx(FLOOR)}
    assert tempered({"unknown": 1.0}, 0) == {"unknown": 1.0}
    assert (bounded(1.0), bounded(0.0)) == (1 - FLOOR, FLOOR)
