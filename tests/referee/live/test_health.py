"""A camera's health, and which pictures the referee may look at."""

import numpy as np
import pytest

from referee.live.health import NOT_JUDGED_S, CameraHealth, Gate, Look, look_at


def a_look(number: int, spread: float = 40.0) -> Look:
    """Of a picture told apart by its number."""
    return Look(digest=number, spread=spread)


def status_after(health: CameraHealth, now_s: float) -> str:
    """Its word then."""
    return health.status(now_s).kind


def playing(until_s: float) -> CameraHealth:
    """A camera that shows something new 25 times a second until then."""
    health = CameraHealth(0.0)
    for index in range(int(until_s * 25)):
        health.picture(index / 25, a_look(index))
    return health


def test_a_camera_that_plays_is_well() -> None:
    """From the first picture on; before it is starting."""
    assert status_after(CameraHealth(0.0), 0.5) == "starting"
    assert status_after(playing(3.0), 3.0) == "ok"


def test_no_picture_is_noticed_within_two_seconds() -> None:
    """A hiccup of half a second is not told; a camera that never showed anything is lost too."""
    health = playing(3.0)

    assert status_after(health, 3.45) == "ok"
    assert status_after(health, 4.99) == "lost"
    assert status_after(CameraHealth(0.0), 1.5) == "lost"
    health.picture(6.0, a_look(1000))
    assert status_after(health, 6.01) == "ok"


def test_a_frozen_picture_is_noticed_within_two_seconds() -> None:
    """The same picture again and again."""
    health = playing(3.0)
    for index in range(50):
        health.picture(3.0 + index / 25, a_look(74))

    assert status_after(health, 4.96) == "frozen"
    health.picture(5.0, a_look(2000))
    assert status_after(health, 5.0) == "ok"


def test_grey_pictures_are_noticed_within_two_seconds() -> None:
    """They are told as grey, not as frozen."""
    health = playing(3.0)
    for index in range(50):
        health.picture(3.0 + index / 25, a_look(5, spread=1.0))

    assert status_after(health, 4.9) == "grey"


def test_a_restart_is_shown_for_a_while() -> None:
    """Five seconds, then all is well."""
    health = playing(3.0)
    health.picture(3.0, a_look(9000), restarted=True)
    assert status_after(health, 3.1) == "restarted"

    for index in range(200):
        health.picture(3.04 + index / 25, a_look(9001 + index))
    assert status_after(health, 10.9) == "ok"


def test_the_look_tells_the_same_picture_from_another_and_grey_from_a_table() -> None:
    """One grey level of difference in one place that is looked at is another picture."""
    rng = np.random.default_rng(1)
    image = rng.integers(0, 255, (180, 320, 3), dtype=np.uint8)
    other = image.copy()
    other[4, 4, 1] ^= 1

    assert look_at(image) == look_at(image.copy())
    assert look_at(image).digest != look_at(other).digest
    assert look_at(np.full((180, 320, 3), 128, dtype=np.uint8)).is_grey
    assert not look_at(image).is_grey


def admitted(pairs: list[tuple[float, int]], fastest_mps: float) -> list[bool]:
    """Which of the pictures (time, number) may be looked at."""
    gate = Gate()
    return [gate.admits(time_s, a_look(number), fastest_mps) for time_s, number in pairs]


def test_a_picture_repeated_while_a_ball_rolls_is_held_back() -> None:
    """From a tenth of a second on, as if it were missing."""
    assert admitted([(0.00, 1), (0.04, 2), (0.08, 2), (0.12, 2), (0.16, 2), (0.20, 3)], 1.0) == [True, True, True, True, False, True]


def test_what_a_repeated_picture_seems_to_show_does_not_count() -> None:
    """Looking at the same picture twice, every ball seems to stand still."""
    gate = Gate()
    speeds = [1.0, 1.0, 0.5, 0.0, 0.0, 0.0]

    assert [gate.admits(index / 25, a_look(min(index, 1)), speed) for index, speed in enumerate(speeds)] == [
        True,
        True,
        True,
        True,
        False,
        False,
    ]


def test_doubled_fields_pass() -> None:
    """Every picture twice, at 50 a second, is a film of 25."""
    assert all(admitted([(index / 50, index // 2) for index in range(20)], 2.0))


def test_at_rest_the_same_picture_may_come_again() -> None:
    """A well packed film of a table at rest repeats itself, and the shot before must come to its end."""
    assert all(admitted([(index / 25, 1) for index in range(50)], 0.0))


def test_grey_pictures_are_always_held_back() -> None:
    """And count as unseen."""
    gate = Gate()
    gate.admits(0.0, a_look(1), 0.0)
    assert not gate.admits(1.2, a_look(2, spread=0.0), 0.0)

    assert gate.unseen_s(1.2) == pytest.approx(1.2)
    assert gate.unseen_s(1.2) > NOT_JUDGED_S


def test_a_moved_camera_is_told_until_it_stands_as_before() -> None:
    """The pipeline's drift watch says so."""
    health = playing(3.0)
    health.moved(moved=True)
    assert status_after(health, 3.0) == "moved"
    health.moved(moved=False)
    assert status_after(health, 3.1) == "ok"
