"""From the thread that reads the camera to the one that looks: what cannot be handled in time is dropped, never queued up.

In time is within `LATE_S` while looking keeps up with the camera: a pause for reading a finished shot then costs
nothing. Once it has not kept up (pictures were taken late for a while), every other picture is left out as soon as they are
late again, for a steady half of the pictures tells more than all of one second and none of the next; where even that is not
enough, only the newest is taken. What was dropped is counted: to the tracker it is missing.

Once balls have stopped, only that they rest has to be seen, and soon, for the ruling waits for the picture that shows it: what
waits is then left out for newer ones. While the shot is read and judged few pictures do, and the reading has the processor.
"""

from collections import deque
from dataclasses import dataclass
from math import inf
from threading import Condition

from referee.live.cameras import Captured
from referee.live.health import Look

LATE_S = 0.6
"""A picture older than this is dropped: half a second of reading a shot is bridged, and a ruling still comes within one."""
BEHIND_S = 0.25
"""When pictures are taken this late for a while, looking does not keep up."""
BEHIND_FOR_S = 1.0
"""How long a while is: catching up after a shot's reading takes less where looking is half as fast again as the camera."""
CAUGHT_UP_S = 0.04
"""When one is taken this soon after its arrival, it does again."""
SLOW_FOR_S = 30.0
"""For how long it is remembered that looking did not keep up."""
SPARING_S = 0.055
"""Least time between pictures while a shot is read: 15 or so a second tell rest from motion."""
APART_S = 0.075
"""Most time between two pictures that is made by leaving out older ones for newer: `tracker.segment` wants two in any 0.15 s, or
it would not see a slow ball move."""
THINNED_S, NEWEST_S = 0.035, 0.08
"""In that time: as late as this, every other picture is left out, or all that are older."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arrived:
    """A picture with its true time.

    Attributes:
        captured: As it came.
        time_s: True time on the match's clock.
        look: For telling the same picture from another.
        dropped_before: Pictures dropped just before it.
    """

    captured: Captured
    time_s: float
    look: Look
    dropped_before: int = 0


class Handoff:
    """A short queue between two threads.

    Args:
        lossless: Never drop, let the reader wait instead: for a recording that is to be judged whole.

    Attributes:
        came: Pictures handed over.
        taken: Pictures taken.
        spared: Pictures left out because balls had just stopped or a shot was being read.
    """

    def __init__(self, *, lossless: bool = False) -> None:
        self._lossless = lossless
        self._waiting: deque[Arrived] = deque()
        self._changed = Condition()
        self._dropped = 0
        self._late_since_s: float | None = None
        self._slow_until_s = -inf
        self._last_s = self._last_time_s = -inf
        self._over = False
        self.taken = 0
        self.came = 0
        self.spared = 0

    def put(self, arrived: Arrived) -> None:
        """Hand a picture over."""
        with self._changed:
            while self._lossless and len(self._waiting) >= 4 and not self._over:
                self._changed.wait(0.1)
            self.came += 1
            self._waiting.append(arrived)
            self._changed.notify_all()

    def close(self) -> None:
        """There will be no more."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    @property
    def waiting(self) -> int:
        """Pictures handed over and not yet taken or dropped."""
        with self._changed:
            return len(self._waiting)

    @property
    def is_over(self) -> bool:
        """Closed, and everything taken."""
        with self._changed:
            return self._over and not self._waiting

    def take(
        self, now_s: float, timeout_s: float, *, newest: bool = False, sparing: bool = False, awaited_s: float = inf
    ) -> tuple[Arrived, int] | None:
        """The next picture and how many were dropped before it; None where none comes in time.

        Args:
            now_s: On the clock of the arrivals.
            timeout_s: How long to wait for one.
            newest: Balls have just stopped.
            sparing: A shot is being read.
            awaited_s: The first picture from this time on is not left out for a newer one.
        """
        with self._changed:
            if not self._waiting and not self._over:
                self._changed.wait(timeout_s)
            if not self._lossless:
                self._spare(newest=newest, sparing=sparing, awaited_s=awaited_s)
            if not self._waiting:
                return None
            if not self._lossless:
                self._drop(now_s)
            found, dropped, self._dropped = self._waiting.popleft(), self._dropped, 0
            self.taken += 1
            self._last_s, self._last_time_s = found.captured.arrival_s, found.time_s
            self._changed.notify_all()
            return found, dropped

    def _drop(self, now_s: float) -> None:
        late_s = now_s - self._waiting[0].captured.arrival_s
        if late_s < CAUGHT_UP_S:
            self._late_since_s = None
        elif late_s > BEHIND_S and self._late_since_s is None:
            self._late_since_s = now_s
        if self._late_since_s is not None and now_s - self._late_since_s >= BEHIND_FOR_S:
            self._slow_until_s = now_s + SLOW_FOR_S
        slow = now_s < self._slow_until_s
        if slow and late_s > THINNED_S:
            self._leave_out()
        while len(self._waiting) > 1 and now_s - self._waiting[0].captured.arrival_s > (NEWEST_S if slow else LATE_S):
            self._leave_out()

    def _spare(self, *, newest: bool, sparing: bool, awaited_s: float) -> None:
        while (self._waiting and not self._last_time_s < awaited_s <= self._waiting[0].time_s) and (
            (sparing and self._waiting[0].captured.arrival_s < self._last_s + SPARING_S)
            or (newest and len(self._waiting) > 1 and self._waiting[1].captured.arrival_s < self._last_s + APART_S)
        ):
            self._waiting.popleft()
            self._dropped += 1
            self.spared += 1

    def _leave_out(self) -> None:
        """The next picture is dropped, unless it is the only one."""
        if len(self._waiting) > 1:
            self._waiting.popleft()
            self._dropped += 1
