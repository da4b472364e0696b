"""When a picture was taken, from the camera's own stamps and from when it arrived; pure, no clock of its own.

Theory: stamps are exact but their zero is anything, and it can jump (a camera that starts again counts from nothing).
Arrivals are on this machine's clock, but late by whatever the network and the decoder take. So time runs by the
stamps as long as they go forwards about as fast as the arrivals, and is carried over a jump by the arrivals.

A picture that arrives late with a stamp that fits is late, not wrong: a burst after a hiccup keeps its true times. One
stamped in the past, or far ahead of what can have passed, says that the camera's clock began anew.

Stamps that drift out of step with the arrivals again and again are no clock (a decoder that counts pictures at a rate of its
own): from the second time on, arrivals alone are believed.

Fails: a camera whose clock is a per cent fast or slow is believed; nothing in one match needs better.
"""

from dataclasses import dataclass

AHEAD_S = 1.0
"""A stamp further ahead of the time that has passed is a new clock: less would call a burst one, more would let a jump
lengthen a shot clock."""
BEHIND_S = 10.0
"""Stamps that fell this far behind the arrivals are out of step: no network holds pictures back that long and delivers them."""
MOST_DRIFTS = 1
"""So often may stamps drift out of step before they are believed no more: once, because the first pictures of a stream come in
a burst from up to two seconds back."""
LEAST_STEP_S = 1e-4
"""Two pictures are at least this far apart: stamps nearer than this are the same picture sent twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamped:
    """The time of one picture.

    Attributes:
        time_s: Seconds since the first picture, never falling.
        restarted: The camera's clock began anew at this picture.
        is_new: False where the stamp is that of the picture before: the same one again.
    """

    time_s: float
    restarted: bool = False
    is_new: bool = True


class StampClock:
    """Gives pictures their times; same stamps and arrivals in the same order, same times."""

    def __init__(self, start_s: float = 0.0) -> None:
        """The first picture gets `start_s`."""
        self._time_s = start_s
        self._stamp_s: float | None = None
        self._arrival_s: float | None = None
        self._late_s = 0.0
        self._drifted = 0

    def time_of(self, stamp_s: float | None, arrival_s: float) -> Stamped:
        """The time of the next picture.

        Args:
            stamp_s: The camera's stamp, seconds from anywhere; None where it gives none.
            arrival_s: When it was here, seconds on a clock that never goes back.
        """
        if self._drifted > MOST_DRIFTS:
            stamp_s = None
        before_s, arrived_s, first = self._stamp_s, self._arrival_s, self._arrival_s is None
        self._stamp_s, self._arrival_s = stamp_s, arrival_s
        if first or arrived_s is None:
            return Stamped(time_s=self._time_s)
        passed_s = max(0.0, arrival_s - arrived_s)
        if stamp_s is None or before_s is None:
            return self._step(passed_s, restarted=False)
        step_s = stamp_s - before_s
        if step_s < 0 or step_s - passed_s > AHEAD_S:
            self._late_s = 0.0
            return self._step(passed_s, restarted=True)
        self._late_s += passed_s - step_s
        if not -AHEAD_S <= self._late_s <= BEHIND_S:
            self._late_s, self._drifted = 0.0, self._drifted + 1
            return self._step(passed_s, restarted=False)
        return self._step(step_s, restarted=False)

    def _step(self, step_s: float, *, restarted: bool) -> Stamped:
        is_new = step_s >= LEAST_STEP_S
        if is_new:
            self._time_s += step_s
        return Stamped(time_s=self._time_s, restarted=restarted, is_new=is_new or restarted)
