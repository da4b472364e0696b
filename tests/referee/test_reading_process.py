"""A process of its own reads what had been read here, and its loss loses nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
import test_draft as drafts

from referee.draft import Job, Work, read_window
from referee.reading_process import ReadingProcess
from tracker.packed import Packer, Unpacker

ENDED = """import sys; sys.path[:] = {path!r}
from referee.reading_process import ReadingProcess
r = ReadingProcess(); r.start(); print(r.pid); """


@pytest.fixture(name="reading")
def started() -> Iterator[ReadingProcess]:
    """One that runs."""
    reading = ReadingProcess()
    reading.start()
    yield reading
    reading.close()


def through(reading: ReadingProcess, work: Work) -> Job:
    """A draft read there when it is asked for."""
    return lambda: work.by(reading.read)


def test_the_other_process_reads_what_is_read_here(reading: ReadingProcess) -> None:
    """The same shot, tracks and evidence; again when the process was killed, and by the next one."""
    pid = reading.pid
    assert pid is not None
    for loss in (False, True, False):
        if loss:
            os.kill(pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        draft, tracker, window = drafts.drafted(lambda work: through(reading, work))
        here, there = read_window(window, tracker, drafts.s.TABLE), draft.reading()

        assert there is not None
        assert there.shot is not None
        assert there.shot == here.shot
        assert there.until_s == here.until_s
        assert repr(there.report) == repr(here.report)
        assert not draft.is_under_way
    assert reading.pid not in (None, pid)  # it was started again


def test_what_it_was_told_before_need_not_come_with_the_draft(reading: ReadingProcess) -> None:
    """Half of the pictures beforehand, by the same tracker or by one that is followed no more: the same shot; also when all that
    was told is lost with the process."""
    for loss in (False, True):
        for other in (False, True):
            tracker, segmenter = drafts.played(drafts.STRIKE + 20)
            reading.tell(drafts.played(drafts.STRIKE + 30)[0] if other else tracker)
            if loss and reading.pid is not None:
                os.kill(reading.pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
            for index in range(drafts.STRIKE + 20, drafts.STRIKE + 66):
                segmenter.update(tracker.update(drafts.s.picture(index, {"cue": drafts.place(index), "1": (0.9, -0.3)})))
            here = read_window(segmenter.preview(), tracker, drafts.s.TABLE)
            there = Work(segmenter.preview(), tracker, drafts.s.TABLE).by(reading.read)

            assert there is not None
            assert there.shot == here.shot
            assert repr(there.report) == repr(here.report)


def test_a_draft_given_up_is_not_waited_for_and_the_next_one_is_read(reading: ReadingProcess) -> None:
    """Also where the word comes late, for a draft that has been read."""
    for _ in range(2):
        draft, _, _ = drafts.drafted(lambda work: through(reading, work))
        draft.give_up()
        assert draft.reading() is None

        draft, _, _ = drafts.drafted(lambda work: through(reading, work))
        assert draft.reading() is not None
        draft.give_up()


def test_without_a_process_it_is_read_here() -> None:
    """None was started."""
    draft, _, _ = drafts.drafted(lambda work: through(ReadingProcess(), work))
    assert draft.reading() is not None


@pytest.mark.skipif(sys.platform == "win32", reason="asks for processes by signals")
@pytest.mark.parametrize("end", ["sys.stdin.read()", "r.close(); sys.stdin.read()"])
def test_it_ends_with_the_program_however_that_ends(end: str) -> None:
    """The program is killed: its helper's end of a pipe that both hold tells when both are gone."""
    program = subprocess.Popen(
        [sys.executable, "-c", ENDED.format(path=sys.path) + "sys.stdout.flush(); " + end],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    assert int(program.stdout.readline()) > 0
    program.kill()
    _, errors = program.communicate(timeout=20)  # the helper holds the program's errors open until it ends

    assert errors == b""


def test_what_is_packed_comes_out_equal() -> None:
    """Every row of every strand, what is known of both lists as one, and every picture, sent once, also when old ones are forgotten."""
    packer, unpacker, sizes = Packer(), Unpacker(), list[int]()
    tracker, _ = drafts.played(drafts.STRIKE)
    for begin, end in ((drafts.STRIKE, drafts.STRIKE + 10), (drafts.STRIKE + 10, drafts.STRIKE + 40), (0, 0)):
        for index in range(begin, end):
            tracker.update(drafts.s.picture(index, {"cue": drafts.place(index), "1": (0.9, -0.3)}))
        tracker.forget(end * drafts.s.STEP_S - 1.0)
        packed = packer.pack(tracker)
        twin = unpacker.unpack(packed)
        sizes.append(len(packed))

        assert [frame.time_s for frame in twin._frames] == [frame.time_s for frame in tracker._frames]
        assert len(twin._strands) == len(tracker._strands) > 0
        assert {id(strand) for strand in twin._live} <= {id(strand) for strand in twin._strands}
        for mine, its in zip(tracker._strands, twin._strands, strict=True):
            assert (mine.frames, mine.xs, mine.streaks, mine.resting, mine.cuts) == (its.frames, its.xs, its.streaks, its.resting, its.cuts)
            assert all((a == b).all() for a, b in zip(mine.looks, its.looks, strict=True))
    assert sizes[2] < sizes[1]  # nothing was new
