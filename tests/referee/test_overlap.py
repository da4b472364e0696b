"""Reading ahead and writing behind keep the order, pass errors on and end when their block ends."""

import threading
from collections.abc import Iterator

import pytest

from referee.overlap import DEPTH, WriteBehind, read_ahead


def endless() -> Iterator[int]:
    """Numbers without end."""
    number = 0
    while True:
        yield number
        number += 1


def torn() -> Iterator[int]:
    """Three numbers, then an error."""
    yield from range(3)
    raise OSError("torn")


def test_items_come_in_order_and_the_thread_ends_with_them() -> None:
    """All items of a source, in order."""
    before = threading.active_count()
    with read_ahead(range(50)) as items:
        assert list(items) == list(range(50))
    assert threading.active_count() == before


def test_leaving_early_ends_the_reading_thread() -> None:
    """A block left by an error while the source still has items leaves no thread behind."""
    before = threading.active_count()

    def stopped() -> None:
        with read_ahead(endless()) as items:
            assert next(items) == 0
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert threading.active_count() == before


def test_error_of_the_source_comes_after_the_items_before_it() -> None:
    """What was read before the error is given first, then the error is raised here."""
    got = []

    def collect() -> None:
        with read_ahead(torn()) as items:
            for item in items:
                got.append(item)

    with pytest.raises(OSError, match="torn"):
        collect()
    assert got == [0, 1, 2]


def test_writing_is_complete_and_in_order_after_the_block() -> None:
    """More items than the queue holds are all written when the block is left."""
    written: list[int] = []
    with WriteBehind(written.append) as behind:
        for number in range(10 * DEPTH):
            behind.put(number)
    assert written == list(range(10 * DEPTH))


def test_error_of_the_writer_is_raised_where_items_are_put() -> None:
    """A full disk stops the job instead of being lost in the other thread."""

    def fail(number: int) -> None:
        raise OSError(f"full at {number}")

    def job() -> None:
        with WriteBehind(fail) as behind:
            for number in range(10 * DEPTH):
                behind.put(number)

    with pytest.raises(OSError, match="full at 0"):
        job()
    assert not any(thread.name == "write behind" for thread in threading.enumerate())


def test_leaving_by_an_error_drops_what_waits() -> None:
    """After Ctrl-C nothing more is written."""
    gate, written = threading.Event(), []

    def slow(number: int) -> None:
        gate.wait(5)
        written.append(number)

    def stopped() -> None:
        with WriteBehind(slow) as behind:
            for number in range(DEPTH):
                behind.put(number)
            threading.Timer(0.05, gate.set).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert len(written) <= 1
