"""The drift watch beside the pipeline: which stretches of a recording were seen by a camera that had been moved.

The first picture that shows the table is what later ones are compared with. From a movement on, places are wrong by as
much as it was, so a shot that reaches into such a stretch is recorded and not judged. No input or output, no clock.
"""

from dataclasses import dataclass

from calibration.calibration import Calibration
from calibration.watch import MOVED, Drift, DriftWatch
from vision.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedStretch:
    """A stretch seen by a camera that had been moved.

    Attributes:
        from_s: First reading beyond the limit.
        to_s: Last one, so far.
        why: Half a sentence for a person.
    """

    from_s: float
    to_s: float
    why: str


class CameraWatch:
    """Follows the camera of one recording."""

    def __init__(self, calibration: Calibration) -> None:
        """Begin with the next picture that shows the table."""
        self._calibration = calibration
        self._watch: DriftWatch | None = None
        self._stretches: list[MovedStretch] = []
        self.drift: Drift | None = None

    @property
    def stretches(self) -> tuple[MovedStretch, ...]:
        """Stretches so far, in order."""
        return tuple(self._stretches)

    def look(self, frame: Frame, *, usable: bool) -> None:
        """Take the next picture; one that does not show the table at all says nothing of the camera."""
        if not usable:
            return
        if self._watch is None:
            self._watch = DriftWatch(self._calibration, frame.image)
        if not self._watch.due(frame.time_s):
            return
        self.drift = drift = self._watch.update(frame.time_s, frame.image)
        if drift.kind not in MOVED:
            return
        last = self._stretches[-1] if self._stretches else None
        if last is not None and drift.since_s <= last.to_s:
            self._stretches[-1] = MovedStretch(from_s=last.from_s, to_s=drift.time_s, why=last.why)
        else:
            self._stretches.append(MovedStretch(from_s=drift.since_s, to_s=drift.time_s, why=drift.text))

    def moved_within(self, start_s: float, end_s: float) -> str:
        """Why a shot between those times cannot be judged; empty where the camera stood still."""
        for stretch in self._stretches:
            if stretch.from_s <= end_s and stretch.to_s >= start_s:
                return stretch.why
        return ""
