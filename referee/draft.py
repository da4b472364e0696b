"""A shot read before it is sure that the table rests, so that the ruling is there as soon as it is.

That nothing moves any more is known a third of a second after the last motion, for a ball that fell last a second after it
was seen (`tracker.segment`). `AHEAD_S` before that moment a draft is begun: the reading of all that was seen until then. If
nothing has changed when the window closes, the draft is the reading; else the window is read once more.

What a draft rests on follows from the pictures alone, not from who reads it when: live has it read by another thread at
once, review when it is asked for, and both get the same shot.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

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


Job = Callable[[], Reading | None]
Runner = Callable[[Job], Job]
"""Takes what is to be done and gives what waits for it."""


def at_need(job: Job) -> Job:
    """Done when it is asked for; nothing runs beside."""
    return job


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
        self._given_up = self._is_done = False
        self._window, self._tracker, self._table = window, snapshot(tracker), table
        self._wait = run(self._read)

    @property
    def is_under_way(self) -> bool:
        """It is wanted and not done."""
        return not (self._given_up or self._is_done)

    def give_up(self) -> None:
        """Nobody will ask for it."""
        self._given_up = True

    def reading(self) -> Reading | None:
        """The reading, waited for; None where it was given up."""
        return self._wait()

    def _read(self) -> Reading | None:
        try:
            if self._given_up:
                return None
            report = self._tracker.report(self._window.start_s, self._window.end_s)
            # a ball moved after all: what is left to do would only keep the next draft waiting
            return None if self._given_up else _with_report(self._window, report, self._table)
        finally:
            self._is_done = True
