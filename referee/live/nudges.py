"""When a nudged camera stops the judging, and when it goes on: after several looks in a row, a second apart; pure."""

from collections.abc import Callable

from calibration.nudge import NudgeWatch
from referee.live.media import Image
from vision.frame import Frame

STEP_S = 1.0
"""Between two looks at the rails, seconds: each takes 25 ms."""
LOOKS = 3
"""So many looks in a row must say the same: a table that is leaned on shakes, and comes back."""


class Nudges:
    """Whether the camera stands where it was calibrated; same pictures in the same order, same answers."""

    def __init__(self, make: Callable[[Image], NudgeWatch] | None) -> None:
        """Nothing is said before there is a reference, or without a way to make one."""
        self._make = make
        self._watch: NudgeWatch | None = None
        self._looked_s: float | None = None
        self._others = 0
        self.moved = False

    def take_reference(self, frame: Frame) -> None:
        """A picture that shows the table as calibrated; only the first one counts."""
        if self._watch is None and self._make is not None:
            self._watch = self._make(frame.image)

    def is_moved(self, frame: Frame) -> bool:
        """Look at a picture, where it is time to; whether the camera has been moved."""
        if self._watch is None or (self._looked_s is not None and 0 <= frame.time_s - self._looked_s < STEP_S):
            return self.moved
        self._looked_s = frame.time_s
        shift = self._watch.shift(frame.image)
        if shift.sides_m:
            self._others = self._others + 1 if shift.is_nudged != self.moved else 0
        if self._others >= LOOKS:
            self.moved, self._others = not self.moved, 0
        return self.moved
