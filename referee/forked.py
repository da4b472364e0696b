"""Reading ahead in a process of its own: two threads of Python hardly share two cores, two processes do.

Theory: the process is forked, so it has all that was made before (calibration, maps, network) without making it again. Items
come back through a pipe as pickles; their arrays (protocol 5, out of band) lie in pages that both processes see, a slot an item,
so that a picture is copied once and never sent. A slot is free again when nothing here holds an array of it any more;
where too many are held, arrays are copied out at once, so the other side never waits for what is never let go.

Only where a fork is safe: on Linux, and while OpenCV has no threads of its own (a lock that one of them holds would stay locked
in the copy). Elsewhere the caller reads ahead by a thread (`referee.overlap`); results do not depend on it.

Fails: a process that is killed from outside ends the items with an error, as a torn file would. A source that uses a video opened
before the fork waits for threads of the decoder that were not copied, until patience ends.
"""

import mmap
import os
import pickle
import signal
import sys
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from multiprocessing.connection import Connection, Pipe
from typing import Any, NoReturn, TypeVar

import cv2
import numpy as np

from referee.overlap import read_ahead

Item = TypeVar("Item")

_SLOTS = 6
"""Items under way: fewer and a slow one stalls both sides, more only take memory (8 MB a 1080p picture)."""
_TO_SPARE = 3
"""Slots that the other side may count on: with fewer free, arrays are copied out."""
_ALIGN = 64
"""Arrays begin at multiples of this, bytes: a line of the processor's cache."""
_PATIENCE_S = 120.0
"""How long an item is waited for, seconds: a sleeping disk wakes in ten; for ever would be a program that hangs."""


def can_fork() -> bool:
    """Whether a copy of this process is sure to run."""
    return sys.platform == "linux" and cv2.getNumThreads() == 1


def read_beside(source: Callable[[], Iterable[Item]], slot_bytes: int) -> AbstractContextManager[Iterator[Item]]:
    """As `read_forked` where that is safe, else by a thread."""
    return read_forked(source, slot_bytes) if can_fork() else read_ahead(source())


@contextmanager
def read_forked(source: Callable[[], Iterable[Item]], slot_bytes: int) -> Iterator[Iterator[Item]]:
    """Give the items in their order, taken from the source by another process a little ahead.

    An error of the source is raised where its item would have come. The process has ended when the block is left.

    Args:
        source: Called in the other process, which has a copy of everything here as it is now; it must open its own files.
        slot_bytes: Room for the arrays of an item; one with more is sent, at more cost.
    """
    slot_bytes = -(-slot_bytes // mmap.PAGESIZE) * mmap.PAGESIZE
    pages = mmap.mmap(-1, _SLOTS * slot_bytes)
    items, items_out = Pipe(duplex=False)
    free_in, free = Pipe(duplex=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Of threads at a fork: `can_fork` has looked at those that matter.
        process = os.fork()
    if process == 0:
        items.close()
        free.close()
        _serve(source, _Slots(pages, slot_bytes, free_in), items_out)
    items_out.close()
    free_in.close()
    try:
        yield _Received(items, free, pages, slot_bytes)
    finally:
        os.kill(process, signal.SIGKILL)  # It owns nothing that could be left half done.
        os.waitpid(process, 0)
        items.close()
        free.close()


class _Slots:
    """The other side's view of the shared pages."""

    def __init__(self, pages: mmap.mmap, slot_bytes: int, freed: Connection) -> None:
        self._pages, self._bytes, self._freed = memoryview(pages), slot_bytes, freed
        self._free = list(range(_SLOTS))

    def put(self, arrays: list[pickle.PickleBuffer]) -> tuple[int, list[int]] | None:
        """Copy arrays into a free slot, waiting for one: its number and where each begins; None where they have no room."""
        parts = [array.raw() for array in arrays]
        starts, end = [], 0
        for part in parts:
            starts.append(end)
            end = -(-(end + part.nbytes) // _ALIGN) * _ALIGN
        if end > self._bytes:
            return None
        while not self._free or self._freed.poll():
            self._free.extend(self._freed.recv_bytes())
        slot = self._free.pop()
        for start, part in zip(starts, parts, strict=True):
            self._pages[slot * self._bytes + start : slot * self._bytes + start + part.nbytes] = part
        return slot, starts


def _serve(source: Callable[[], Iterable[Any]], slots: _Slots, out: Connection) -> NoReturn:
    """Send all items, then how it ended; never returns. Ends as well when nobody takes them any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that is being talked to; it ends this one.
    try:
        try:
            for item in source():
                arrays: list[pickle.PickleBuffer] = []
                told = pickle.dumps(item, protocol=5, buffer_callback=arrays.append)
                place = slots.put(arrays)
                if place is None:
                    out.send((pickle.dumps(item, protocol=5), None, ()))
                else:
                    out.send((told, place, [array.raw().nbytes for array in arrays]))
            out.send(None)
        except (BrokenPipeError, EOFError):
            raise
        except Exception as error:
            out.send(error)
    except BaseException:
        os._exit(1)
    os._exit(0)


class _Received(Iterator[Any]):
    """Items as they come."""

    def __init__(self, items: Connection, free: Connection, pages: mmap.mmap, slot_bytes: int) -> None:
        self._items, self._free, self._pages, self._bytes = items, free, pages, slot_bytes
        self._held = 0

    def __next__(self) -> Any:
        try:
            if not self._items.poll(_PATIENCE_S):
                raise OSError(f"no picture came for {_PATIENCE_S:.0f} s; the disk that the video is on may hang")
            told = self._items.recv()
        except EOFError as error:
            raise OSError("the process that reads the video was stopped from outside; start again") from error
        if told is None:
            raise StopIteration
        if isinstance(told, Exception):
            raise told
        item, place, lengths = told
        if place is None:
            return pickle.loads(item)
        slot, starts = place
        # An array of its own on the pages, which whatever is made of it keeps alive.
        end = max((start + length for start, length in zip(starts, lengths, strict=True)), default=0)
        pages = np.frombuffer(self._pages, dtype=np.uint8, count=end, offset=slot * self._bytes)
        if _SLOTS - self._held > _TO_SPARE:
            self._held += 1
            weakref.finalize(pages, self._let_go, slot)
        else:
            pages = pages.copy()
            self._give_back(slot)
        pages.setflags(write=False)
        return pickle.loads(item, buffers=[pages[start : start + length] for start, length in zip(starts, lengths, strict=True)])

    def _let_go(self, slot: int) -> None:
        self._held -= 1
        self._give_back(slot)

    def _give_back(self, slot: int) -> None:
        try:
            self._free.send_bytes(bytes([slot]))
        except OSError:  # Nobody reads ahead any more: the source is at its end, or the block was left.
            return
