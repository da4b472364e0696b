"""Decoding, seeing and encoding at the same time: frames read ahead of their use, pictures written behind.

Decoder and encoder let other threads run while they work, so a second core carries them. Order is kept on both sides
and nothing is shared but the queues, so results do not depend on how the threads run. An error on either side, or
Ctrl-C, ends both: the block is left only when the other thread has ended.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

Item = TypeVar("Item")

TURN_S = 0.0005
"""How long a thread may keep the interpreter while others wait, seconds (`sys.setswitchinterval`): Python's own 5 ms are longer
than a decoder needs for a picture, which then waits as long again for the next."""
DEPTH = 4
"""Items waiting between two threads: fewer and a slow frame stalls both, more only take memory (6 MB a 1080p frame)."""
_LOOK_UP_S = 0.1
"""How often a waiting thread looks whether it should end, seconds."""


@contextmanager
def read_ahead(items: Iterable[Item], depth: int = DEPTH) -> Iterator[Iterator[Item]]:
    """Give the items in their order, taken from the source by another thread a little ahead.

    An error of the source is raised where its item would have come.
    """
    queue: Queue[tuple[Item | None, BaseException | None]] = Queue(depth)
    stop = Event()

    def put(entry: tuple[Item | None, BaseException | None]) -> bool:
        while not stop.is_set():
            try:
                queue.put(entry, timeout=_LOOK_UP_S)
                return True
            except Full:
                continue
        return False

    def read() -> None:
        try:
            for item in items:
                if not put((item, None)):
                    return
            put((None, StopIteration()))
        except BaseException as error:
            put((None, error))

    def give() -> Iterator[Item]:
        while True:
            item, error = queue.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            if item is not None:
                yield item

    thread = Thread(target=read, name="read ahead", daemon=True)
    thread.start()
    try:
        yield give()
    finally:
        stop.set()
        thread.join()


class WriteBehind(Generic[Item]):
    """Hands items to a function that runs in another thread, one after the other, in the order given.

    Use as a context manager: leaving the block waits until all is done; leaving it by an error drops what waits.
    """

    def __init__(self, write: Callable[[Item], None], depth: int = DEPTH) -> None:
        """Nothing runs before the block is entered."""
        self._write = write
        self._queue: Queue[tuple[Item] | None] = Queue(depth)
        self._stop = Event()
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, name="write behind", daemon=True)

    def put(self, item: Item) -> None:
        """Hand over one item; waits while the queue is full.

        Raises:
            BaseException: What the function raised on an earlier item.
        """
        self._put((item,))

    def _put(self, entry: tuple[Item] | None) -> None:
        while self._error is None:
            try:
                self._queue.put(entry, timeout=_LOOK_UP_S)
                return
            except Full:
                continue
        raise self._error

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                entry = self._queue.get(timeout=_LOOK_UP_S)
            except Empty:
                continue
            if entry is None:
                return
            try:
                self._write(entry[0])
            except BaseException as error:
                self._error = error
                return

    def __enter__(self) -> "WriteBehind[Item]":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._put(None)
        finally:
            if kind is not None:
                self._stop.set()
            self._thread.join()
        if kind is None and self._error is not None:
            raise self._error
