"""Drafts read by a process of their own: a thread would share the interpreter with the one that sees sixty pictures a second.

The process is a fresh interpreter, not a copy of this one, whose threads may hold any lock; it starts before the first
shot is played. What it needs goes through its standard input, what it read comes back through its standard output: eight
bytes of length and a pickle, or in eight bytes the number of a draft that is not wanted any more. While balls move it is
told now and then what was seen, so that a draft brings little. What it gives is what reading here gives.

It ends when its input does, so it outlives nobody: a program that is killed closes it with its last file. Ctrl-C is for
the program. Where it cannot be started, is killed or does not answer within `PATIENCE_S`, the shot is read here; it is
started again `STARTS` times at most.
"""

import gc
import logging
import os
import pickle
import subprocess
import sys
from math import inf
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import IO

from referee.draft import Reading, Work, read_here, read_unless
from tracker.packed import Packer, Unpacker
from tracker.tracks import Tracker

PATIENCE_S = 5.0
"""How long an answer is waited for: the longest shot takes a second; a process that hangs must not keep its ruling."""
LOOK_S = 0.5
"""How often that is looked at: a timer for each answer would be a thread more to start just when time is short."""
PIPE_BYTES = 1 << 20
"""Room in its pipes where the system allows it: a draft is megabytes, and each time the pipe is full its writer loses its turn."""
STARTS = 4
"""How often it is started: more would be a machine without memory, which each new one makes worse."""
_NUMBER_BYTES, _NO_DRAFT = 8, 0
_MAIN = "import sys; sys.path[:] = {path!r}; import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); from {name} import serve; serve()"
_Answer = tuple[Reading | None] | Exception

log = logging.getLogger(__name__)


class ReadingProcess:
    """A process that reads drafts, for one thread at a time."""

    def __init__(self) -> None:
        """Nothing runs before `start`."""
        self._process: subprocess.Popen[bytes] | None = None
        self._lock, self._starts, self._closed, self._sent = Lock(), 0, False, 0
        self._packer = Packer()
        self._due: tuple[float, subprocess.Popen[bytes] | None] = (inf, None)
        self._ended: Event | None = None

    @property
    def pid(self) -> int | None:
        """Its number; None where none runs."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start it where that is possible; it gets ready beside."""
        with self._lock:
            if self._closed or self._process is not None or self._starts >= STARTS or not _is_python():
                return
            self._starts += 1
            main = _MAIN.format(path=sys.path, name=__name__)
            try:
                self._process = _started([sys.executable, "-c", main])
            except OSError as error:
                log.warning("shots are read without a process of their own: %s", error)
                self._starts = STARTS
                return
            self._packer = Packer()
            if self._ended is None:
                self._ended = Event()
                Thread(target=self._watch, args=(self._ended,), name="patience", daemon=True).start()

    def tell(self, tracker: Tracker) -> None:
        """Send what has been seen so far ahead of the draft that will be read: it then has only the rest to bring."""
        process = self._process
        if process is None:
            return
        self._due = monotonic() + PATIENCE_S, process
        try:
            self._send(process, pickle.dumps((_NO_DRAFT, None, self._packer.pack(tracker), None), protocol=5))
        except (OSError, ValueError):  # it has ended: the next draft sees that
            self._packer = Packer()
        finally:
            self._due = inf, None

    def read(self, work: Work) -> Reading | None:
        """Read a draft there, else here; None where it was given up."""
        process = self._process
        if process is None:
            return read_here(work)
        self._sent = number = self._sent + 1
        work.when_given_up = lambda: self._not_wanted(process, number)
        self._due = monotonic() + PATIENCE_S, process
        try:
            self._send(process, pickle.dumps((number, work.window, self._packer.pack(work.tracker), work.table), protocol=5))
            if work.given_up:
                self._not_wanted(process, number)
            answer: _Answer | None = pickle.loads(_told(process.stdout))
        except (OSError, EOFError, ValueError, pickle.PickleError):  # it has ended, or its pipes are closed
            answer = None
        finally:
            self._due = inf, None
        if isinstance(answer, tuple):
            return answer[0]
        self._packer = Packer()  # what it has of what it was sent is not known
        if answer is None and not self._closed:
            log.warning("the process that reads shots has ended; they are read here until it runs again")
            self._end()
            self.start()
        # An error there is one here as well, with its whole story.
        return None if work.given_up or self._closed else read_here(work)

    def close(self) -> None:
        """End it; a reading under way is given up."""
        self._closed = True
        if self._ended is not None:
            self._ended.set()
        self._end()

    def _watch(self, ended: Event) -> None:
        """End a process that does not answer."""
        while not ended.wait(LOOK_S):
            due_s, process = self._due
            if process is not None and monotonic() > due_s:
                process.kill()

    def _not_wanted(self, process: "subprocess.Popen[bytes]", number: int) -> None:
        try:
            self._send(process, number.to_bytes(_NUMBER_BYTES, "little"))
        except (OSError, ValueError):  # it has ended: whoever waits for it sees that
            return

    def _send(self, process: "subprocess.Popen[bytes]", told: bytes) -> None:
        with self._lock:
            _send(process.stdin, told)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()  # it owns nothing that could be left half done
        process.wait()
        for pipe in (process.stdin, process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:  # what was not sent is not wanted any more
                continue


def _is_python() -> bool:
    """What runs this can run other Python: a program frozen into one file would start itself once more."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def _started(command: list[str]) -> "subprocess.Popen[bytes]":
    """The process, with pipes as wide as may be."""
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pipesize=PIPE_BYTES)
    except OSError:  # more than this user may have
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _send(to: IO[bytes] | None, told: bytes) -> None:
    assert to is not None
    to.write(len(told).to_bytes(_NUMBER_BYTES, "little") + told)
    to.flush()


def _told(source: IO[bytes] | None) -> bytes:
    """The next message; raises EOFError where there is none."""
    assert source is not None
    length = source.read(_NUMBER_BYTES)
    told = source.read(int.from_bytes(length, "little"))
    if len(length) < _NUMBER_BYTES or len(told) < int.from_bytes(length, "little"):
        raise EOFError
    return told


def serve() -> None:
    """The process: read what comes in until it ends."""
    gc.disable()  # tens of thousands of rows come in and go at once; looking for rings among them takes as long as reading
    source, out, sys.stdout = sys.stdin.buffer, sys.stdout.buffer, sys.stderr
    inbox, unpacker = _Inbox(source), Unpacker()
    Thread(target=inbox.listen, daemon=True).start()
    try:
        while True:
            answer = _answer(inbox.drafts.get(), inbox, unpacker)
            if answer is not None:
                _send(out, pickle.dumps(answer, protocol=5))
                gc.collect()
    except OSError:
        os._exit(0)


def _answer(told: bytes, inbox: "_Inbox", unpacker: Unpacker) -> _Answer | None:
    """What is answered; None where nothing was asked."""
    number = -1
    try:
        number, window, packed, table = pickle.loads(told)
        tracker = unpacker.unpack(packed)
        return None if number == _NO_DRAFT else (read_unless(lambda: inbox.not_wanted >= number, window, tracker, table),)
    except Exception as error:
        # As text: not every error can be sent. What came ahead of a draft is missed when that comes.
        return None if number == _NO_DRAFT else RuntimeError(repr(error))


class _Inbox:
    """What the process is told: drafts in their order, and up to which number they are not wanted any more."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source, self.not_wanted = source, 0
        self.drafts: SimpleQueue[bytes] = SimpleQueue()

    def listen(self) -> None:
        """Take what comes; the program's end is the process's."""
        try:
            while True:
                told = _told(self._source)
                if len(told) == _NUMBER_BYTES:
                    self.not_wanted = int.from_bytes(told, "little")
                else:
                    self.drafts.put(told)
        except (OSError, EOFError):
            os._exit(0)
