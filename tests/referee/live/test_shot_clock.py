"""The shot clock, with times as a hand could write them down."""

import pytest

from calibration.errors import InputError
from referee.live.shot_clock import Reading, ShotClock, extended, paused, rested, resumed, set_clock, struck, turned


def a_clock(rest_s: float = 100.0) -> ShotClock:
    """35 seconds, player A's since rest."""
    return rested(set_clock(ShotClock(), limit_s=35.0), rest_s, "A")


def left_s(clock: ShotClock, time_s: float) -> float:
    """What it shows."""
    found = clock.reading(time_s).left_s
    assert found is not None
    return found


def test_it_counts_from_true_rest() -> None:
    """The shot was read 0.8 s after the last ball stopped: so much has gone already."""
    assert left_s(a_clock(), 100.8) == pytest.approx(34.2)


@pytest.mark.parametrize(
    ("time_s", "state", "ten"), [(124.9, "running", False), (125.0, "running", True), (134.9, "running", True), (135.0, "expired", True)]
)
def test_the_last_ten_seconds_are_announced(time_s: float, state: str, ten: bool) -> None:
    """And the end is told."""
    found = a_clock().reading(time_s)

    assert (found.state, found.ten) == (state, ten)


def test_a_stroke_stops_it() -> None:
    """Until the next rest it waits."""
    assert struck(a_clock()).reading(110.0) == Reading(state="waiting")


def test_without_a_limit_it_only_counts() -> None:
    """It is off, and shows how long the table rests."""
    found = rested(ShotClock(), 100.0, "A").reading(112.0)

    assert (found.state, found.since_rest_s, found.left_s) == ("off", 12.0, None)


def test_an_extension_adds_its_time_once_a_rack() -> None:
    """The second is refused; a new rack gives it back; the other player has his own."""
    clock = extended(a_clock(), "A")
    assert left_s(clock, 130.0) == pytest.approx(30.0)
    with pytest.raises(InputError, match="no extension left"):
        extended(clock, "A")
    with pytest.raises(InputError, match="not the time"):
        extended(clock, "B")

    later = rested(struck(clock), 200.0, "A")
    with pytest.raises(InputError, match="no extension left"):
        extended(later, "A")
    assert extended(rested(struck(clock), 200.0, "A", new_rack=True), "A").granted_s == 25.0


def test_a_pause_does_not_count() -> None:
    """Ten seconds gone, a minute's pause, five more."""
    clock = resumed(paused(a_clock(), 110.0), 170.0)

    assert left_s(clock, 175.0) == pytest.approx(20.0)
    assert paused(a_clock(), 110.0).reading(150.0).state == "paused"
    assert left_s(paused(a_clock(), 110.0), 150.0) == pytest.approx(25.0)


def test_a_pause_over_a_rest_counts_from_its_end() -> None:
    """Paused while balls rolled: the time begins when it is resumed."""
    clock = rested(paused(struck(a_clock()), 150.0), 160.0, "B")

    assert left_s(resumed(clock, 300.0), 305.0) == pytest.approx(30.0)


def test_a_choice_that_gives_the_turn_away_starts_the_time_anew() -> None:
    """The shot was given back: A's time begins; nothing begins where the turn stays."""
    clock = turned(a_clock(), "B", 120.0)

    assert (clock.player, left_s(clock, 121.0)) == ("B", pytest.approx(34.0))
    assert turned(a_clock(), "A", 120.0) == a_clock()


@pytest.mark.parametrize("limit_s", [-1.0, 1e9, float("nan")])
def test_a_limit_that_cannot_be_is_refused(limit_s: float) -> None:
    """It says what may be."""
    with pytest.raises(InputError, match="limit_s"):
        set_clock(ShotClock(), limit_s=limit_s)
