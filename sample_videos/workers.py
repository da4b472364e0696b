"""Work spread over processes, its results in the order of the jobs whatever the number of processes.

Painting is many short calls into numpy, which threads cannot share: they wait for the interpreter's lock. Here each
worker is a fresh interpreter (started by `spawn`, the same on every system, copying no lock of the caller's), takes one
job at a time and sends the result back through its own pipe. A job must say everything that its result depends on, seeds
included; then results depend neither on how many workers there are nor on which of them was quicker.

Workers write no files and ignore Ctrl-C: their caller is interrupted, and ends them. When the caller dies without a
word, they find their pipe closed and end too.

Fails: a worker that is killed from outside (memory) ends the iteration with an error; a script that does not keep its
work under `if __name__ == "__main__":` cannot start workers at all, which is Python's own rule for `spawn`.
"""

import multiprocessing
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

import cv2

Job = TypeVar("Job")
Result = TypeVar("Result")

_AHEAD = 2
"""Jobs given out before the oldest is delivered, a worker: with 1 all wait for the slowest, more hold more results in memory."""
_END_S = 5.0
"""A worker told to end that has not after so long is killed; one that writes no files loses nothing by it."""


def in_order(make: Callable[[Job], Result], jobs: Iterable[Job], *, workers: int) -> Generator[Result]:
    """The results of jobs, in their order, made by worker processes.

    Close the iterator (`contextlib.closing`) where it may be left before its end: its workers end with it.

    Args:
        make: A function of a module (workers import it); jobs and results go through pickle.
        jobs: May be endless.
        workers: Processes; 1 or fewer makes everything in this one and starts none.

    Raises:
        RuntimeError: If a worker ended by itself.
        Exception: What a job raised, after the results before it.
    """
    if workers <= 1:
        yield from map(make, jobs)
        return
    waiting = enumerate(jobs)
    done: dict[int, tuple[Result, Exception | None]] = {}
    wanted = given = 0
    with _crew(make, workers) as idle:
        busy: list[Connection] = []
        while True:
            while idle and given < wanted + _AHEAD * workers and (job := next(waiting, None)) is not None:
                _send(idle[-1], job)
                busy.append(idle.pop())
                given += 1
            if wanted in done:
                result, error = done.pop(wanted)
                if error is not None:
                    raise error
                yield result
                wanted += 1
            elif busy:
                ready = wait(busy)
                pipe = next(p for p in busy if p in ready)
                number, result, error = _receive(pipe)
                done[number] = result, error
                busy.remove(pipe)
                idle.append(pipe)
            else:
                return


@contextmanager
def _crew(make: Callable[[Any], Any], workers: int) -> Iterator[list[Connection]]:
    """Running workers, by the pipes to them."""
    spawn = multiprocessing.get_context("spawn")
    pipes: list[Connection] = []
    crew: list[BaseProcess] = []
    try:
        for _ in range(workers):
            mine, theirs = spawn.Pipe()
            pipes.append(mine)
            crew.append(spawn.Process(target=_work, args=(theirs, make), daemon=True))
            with _deaf():
                crew[-1].start()
            theirs.close()
        yield list(pipes)
    finally:
        for worker in crew:
            if worker.pid is not None:
                worker.terminate()
        for pipe in pipes:
            pipe.close()
        for worker in crew:
            if worker.pid is not None:
                worker.join(_END_S)
                if worker.exitcode is None:
                    worker.kill()


@contextmanager
def _deaf() -> Iterator[None]:
    """Ctrl-C does nothing for a moment: a process started meanwhile goes on ignoring it, from its first instruction."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(pipe: Connection, make: Callable[[Any], Any]) -> None:
    """A worker: jobs in, results out, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    cv2.setNumThreads(1)  # The processes share the cores already.
    try:
        while True:
            number, job = pipe.recv()
            answer: tuple[int, Any, Exception | None]
            try:
                answer = (number, make(job), None)
            except Exception as error:  # Whatever it is, the caller hears of it and this worker goes on.
                answer = (number, None, error)
            pipe.send(answer)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


_GONE = (
    "a worker ended by itself: out of memory, killed, or started from a script without `if __name__ == '__main__':`; workers=1 needs none"
)


def _send(pipe: Connection, job: tuple[int, Any]) -> None:
    try:
        pipe.send(job)
    except (BrokenPipeError, ConnectionResetError):
        raise RuntimeError(_GONE) from None


def _receive(pipe: Connection) -> tuple[int, Any, Exception | None]:
    """Number of the job, its result, or what it raised."""
    try:
        number, result, error = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise RuntimeError(_GONE) from None
    return number, result, error
