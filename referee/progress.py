"""How far a long job is, on stderr: part done, rate, time left. Shows nothing where it would disturb.

The unit is a second of the recording, because a header's frame count is only an estimate and people think in match
time. On a terminal it is one live line; elsewhere (a log file, a pipe) a plain line for each tenth of the way.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

Advance = Callable[[float], None]
"""Takes how far the job is: seconds of the recording since its start."""


@contextmanager
def show_progress(what: str, total_s: float, *, quiet: bool = False) -> Iterator[Advance]:
    """Show a job's progress while the block runs.

    Args:
        what: A few words, for instance "Reviewing match.mp4".
        total_s: Length of the recording, seconds; 0 where it is not known (then no share and no time left are shown).
        quiet: Show nothing, as under `--json`.
    """
    if quiet:
        yield lambda done_s: None
    elif sys.stderr.isatty():
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), _Speed(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=total_s or None)
            yield lambda done_s: bar.update(task, completed=min(done_s, total_s) if total_s else done_s)
    else:
        yield _Lines(what, total_s)


class _Speed(ProgressColumn):
    """How many times faster than the recording itself the job runs."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}x real time")


class _Lines:
    """A line on stderr for each tenth of the way."""

    def __init__(self, what: str, total_s: float) -> None:
        self._what, self._total_s, self._tenths, self._begun_s = what, total_s, 0, time.monotonic()

    def __call__(self, done_s: float) -> None:
        tenths = min(10, int(10 * done_s / self._total_s)) if self._total_s > 0 else 0
        if tenths > self._tenths:
            self._tenths = tenths
            speed = done_s / max(time.monotonic() - self._begun_s, 1e-6)
            left_s = (self._total_s - done_s) / speed
            share = f"{10 * tenths} %, {done_s:.1f} of {self._total_s:.1f} s"
            sys.stderr.write(f"{self._what}: {share}, {speed:.1f}x real time, {max(left_s, 0.0):.0f} s left\n")
            sys.stderr.flush()
