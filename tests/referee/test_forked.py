"""Reading ahead in another process: the same items in the same order, errors passed on, nothing left behind."""

import os
import signal
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from referee.forked import can_fork, read_forked

SLOT_BYTES = 40_000

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def one_thread() -> Iterator[None]:
    """OpenCV without threads of its own, as a review has it."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    if not can_fork():
        pytest.skip("this system has no safe fork")
    yield
    cv2.setNumThreads(threads)


def pictures(count: int, side: int = 100) -> Iterator[tuple[int, np.ndarray]]:
    """Numbered squares, all pixels the number."""
    for number in range(count):
        yield number, np.full((side, side, 3), number, np.uint8)


def test_pictures_come_in_order_and_whole() -> None:
    """Forty pictures, more than there are slots, none of which is kept."""
    with read_forked(lambda: pictures(40), SLOT_BYTES) as items:
        seen = [(number, int(picture.min()), int(picture.max())) for number, picture in items]

    assert seen == [(number, number, number) for number in range(40)]


def test_pictures_that_are_kept_stay_as_they_were() -> None:
    """All forty are held to the end: the other side neither waits for them nor writes over them."""
    with read_forked(lambda: pictures(40), SLOT_BYTES) as items:
        kept = list(items)

        assert [int(picture.max()) for _, picture in kept] == list(range(40))
        assert [int(picture.min()) for _, picture in kept] == list(range(40))


def test_a_picture_too_large_for_a_slot_comes_too() -> None:
    """Three times the room that was expected."""
    with read_forked(lambda: pictures(3, side=200), SLOT_BYTES) as items:
        assert [int(picture.sum()) for _, picture in items] == [0, 120_000, 240_000]


def test_an_error_comes_where_its_item_would_have() -> None:
    """Two pictures, then what went wrong in the other process."""

    def torn() -> Iterator[tuple[int, np.ndarray]]:
        yield from pictures(2)
        raise OSError("disk gone")

    got: list[int] = []

    def collect() -> None:
        with read_forked(torn, SLOT_BYTES) as items:
            got.extend(number for number, _ in items)

    with pytest.raises(OSError, match="disk gone"):
        collect()
    assert got == [0, 1]


def own_number() -> Iterator[int]:
    """The number of the process that reads, for ever."""
    while True:
        yield os.getpid()


def test_leaving_early_leaves_no_process() -> None:
    """After the first item the block is left while the other process waits: it is gone."""
    with read_forked(own_number, SLOT_BYTES) as items:
        other = next(items)

    assert other != os.getpid()
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)


def test_a_process_killed_from_outside_is_told() -> None:
    """Not waited for for ever: one line, what to do."""
    with read_forked(own_number, SLOT_BYTES) as items:
        os.kill(next(items), signal.SIGKILL)
        with pytest.raises(OSError, match="stopped from outside"):
            for _ in items:
                pass
