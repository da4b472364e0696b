"""A shot read before it is sure that the table rests, so that the ruling is there as soon as it is.

That nothing moves any more is known a third of a second after the last motion, for a ball that fell last a second after it
was seen (`tracker.segment`). `AHEAD_S` before that moment a draft is begun: the reading of all that was seen until then. If
nothing has changed when the window closes, the draft is the reading; else the window is read once more.

What a draft rests on follows from the pictures alone, not from who reads it when: live has it read by another process at
once (`referee.reading_process`), review when it is asked for, and both get the same shot.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event

from calibration.equipment import BallId
from calibration.table import Table
from tracker.history import TrackReport
from tracker.read import read_shot
from tracker.segment import ShotWindow
from tracker.shot import Shot
from tracker.snapshot import snapshot
from tracker.tracks import Tracker

AHEAD_S = 0.2
"""A draft is begun so long before a window can close: longer leaves too little of the rest to tell where balls lie (five
pictures at 25 a second), shorter leaves too little time to read in."""
AGAIN_S = 0.2
"""Where a slow drift delays the close, there is a new draft after this time: a ball that creeps goes a millimetre in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a window holds.

    Attributes:
        until_s: The last picture it rests on.
        report: Tracks and what the tracker knows besides.
        shot: The facts; None where nothing was struck.
    """

    until_s: float
    report: TrackReport
    shot: Shot | None


class Work:
    """A window to be read, once.

    Attributes:
        window: As it was when the draft was begun.
        tracker: As it was then; nobody else changes it.
        table: The table.
        given_up: Nobody will ask for it any more.
    """

    def __init__(self, window: ShotWindow, tracker: Tracker, table: Table) -> None:
        """Nothing is read yet."""
        self.window, self.tracker, self.table = window, tracker, table
        self.given_up = False
        self.when_given_up: Callable[[], None] = lambda: None
        self._done = Event()

    @property
    def is_done(self) -> bool:
        """Read, or not to be read any more."""
        return self._done.is_set()

    def __call__(self) -> "Reading | None":
        """Read it here; None where it was given up."""
        return self.by(read_here)

    def by(self, read: "Callable[[Work], Reading | None]") -> "Reading | None":
        """Read it by these means; None where it was given up."""
        try:
            return None if self.given_up else read(self)
        finally:
            self._done.set()

    def give_up(self) -> None:
        """Nobody will ask for it any more."""
        self.given_up = True
        self.when_given_up()


Job = Callable[[], Reading | None]
Runner = Callable[[Work], Job]
"""Takes what is to be read and gives what waits for it."""


Teller = Callable[[Tracker], None]
"""Takes what was seen so far, for the draft that will come; the tracker goes on when it returns."""


def not_told(tracker: Tracker) -> None:
    """A draft brings all that it needs."""


def at_need(work: Work) -> Job:
    """Done when it is asked for; nothing runs beside."""
    return work


def read_here(work: Work) -> Reading | None:
    """Read it in this thread; None where it was given up meanwhile."""
    return read_unless(lambda: work.given_up, work.window, work.tracker, work.table)


def read_unless(given_up: Callable[[], bool], window: ShotWindow, tracker: Tracker, table: Table) -> Reading | None:
    """The reading of a draft; None where it was given up meanwhile."""
    report = tracker.report(window.start_s, window.end_s)
    # a ball moved after all: what is left to do would only keep the next draft waiting
    return None if given_up() else _with_report(window, report, table)


def read_window(window: ShotWindow, tracker: Tracker, table: Table) -> Reading:
    """A window read with everything the tracker has seen."""
    return _with_report(window, tracker.report(window.start_s, window.end_s), table)


def _with_report(window: ShotWindow, report: TrackReport, table: Table) -> Reading:
    return Reading(until_s=window.end_s, report=report, shot=read_shot(replace(window, tracks=report.tracks), table, report=report))


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What must be the same at the close for a draft to count.

    Attributes:
        last_move_s: The last motion.
        balls: What was on the bed.
    """

    last_move_s: float
    balls: frozenset[BallId]


class Draft:
    """A reading under way."""

    def __init__(self, window: ShotWindow, basis: Basis, tracker: Tracker, table: Table, run: Runner) -> None:
        """Begin it.

        Args:
            window: As it is now.
            basis: What it rests on.
            tracker: Everything seen so far; it is not changed, and may go on.
            table: The table.
            run: Who reads it and when.
        """
        self.basis, self.time_s = basis, window.end_s
        self._work = Work(window, snapshot(tracker), table)
        self._wait = run(self._work)

    @property
    def is_under_way(self) -> bool:
        """It is wanted and not done."""
        return not (self._work.given_up or self._work.is_done)

    def give_up(self) -> None:
        """Nobody will ask for it."""
        self._work.give_up()

    def reading(self) -> Reading | None:
        """The reading, waited for; None where it was given up."""
        return self._wait()
