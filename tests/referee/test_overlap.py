"""Reading ahead keeps the order, passes errors on and ends when its block ends."""

import threading
from collections.abc import Iterator

import pytest

from referee.overlap import read_ahead


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
