"""Decoding and seeing at the same time: frames read ahead of their use by another thread.

Decoders let other threads run while they work, so a second core carries them. Order is kept and nothing is shared but the
queue, so results do not depend on how the threads run. An error on either side, or Ctrl-C, ends both: the block is left
only when the other thread has ended.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import Full, Queue
from threading import Event, Thread
from typing import TypeVar

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
