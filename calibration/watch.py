"""Is the camera still where it was calibrated? A pure stage over time: pictures in, a verdict with advice out.

What happens at a table looks like this in the frame's movement (calibration.shift), and is told apart by it:

  people, cues, balls      patches vanish or disagree, the others stand still      steady, or hidden
  lamps, exposure          correlation does not mind                               steady
  somebody leans on it     moves and springs back within seconds                   steady again, noted by the intervals
  a nudge                  all patches move as one, at once, and stay              nudged
  a slow sag               the same over ten seconds or more                     sagging
  another zoom             patches move away from or towards the middle            zoomed
  the table was pushed     the frame moves, floor and chairs do not                table_moved
  another view             nothing correlates any more                             other_view

A reading counts when enough of the frame is seen and moves as one; the median over the last second decides, so that
trembling and single torn pictures do not. The limit is 2.6 mm on the cloth: 3 mm must be noticed, and readings of a
steady camera scatter by 0.1 to 0.3 mm. Movement is always measured against the picture of the calibration, so a sag adds up.
Patches that people covered in that picture are taken anew once the view has been steady for a while without them.

Fails: a table and camera moved together (nothing changes, and nothing needs to); a nudge smaller than the limit.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.shift import Shift, ShiftMeter

Image = NDArray[np.uint8]

LIMIT_M = 0.0026
"""Movement on the cloth from which the calibration no longer holds. Broadcasts that show the fields of a picture one by one
sway by up to 2.4 mm with nothing moved; from 3 mm on a ball is taken for touching a cushion that it missed."""
_BACK_M = 0.0013
"""Movement below which a camera that had moved is back: well below the limit, so that the verdict does not flicker."""
_EVERY_S, _CALM_S = 0.3, 0.5
"""Between two readings, and while nothing moves: a nudge is noticed within one second and a half, and the watch takes 2 % of
a core."""
_WINDOW_S = 1.25
"""Readings that decide together: longer than a bump's ringing (0.3 s), short enough to tell within 2 s."""
_LEAST = 3
"""Readings in it that must have seen the frame."""
_SEEN, _AGREEING = 0.3, 0.65
"""Share of patches that must be found, and of those that must move as one: two people over the table leave half."""
_GONE_SEEN = 0.12
"""Share of patches below which it is another view and no crowd: another picture correlates by chance at 0.05."""
_GONE_S = 1.0
_SAG_S = 8.0
"""A movement that took longer from a quarter of the limit on is a sag; a nudge takes one."""
_ZOOM_SHARE = 0.6
"""Share of the movement at the corners that zoom must make up to be called that."""
_AROUND_STILL = 0.3
"""Share of the table's movement below which the surroundings stand still."""
_REFRESH_S = 20.0
"""A view that was steady for so long may give new patches for those that were covered."""
_REFRESH_M = 0.0004

STEADY, HIDDEN, NUDGED, SAGGING, ZOOMED, TABLE_MOVED, OTHER_VIEW = (
    "steady",
    "hidden",
    "nudged",
    "sagging",
    "zoomed",
    "table_moved",
    "other_view",
)
MOVED = frozenset({NUDGED, SAGGING, ZOOMED, TABLE_MOVED})
"""Kinds after which the table must be calibrated again."""

_TEXTS = {
    STEADY: "the camera stands as calibrated",
    HIDDEN: "too little of the table's frame is seen to say whether the camera moved",
    NUDGED: "the camera was moved",
    SAGGING: "the camera is sagging",
    ZOOMED: "the camera's zoom was changed",
    TABLE_MOVED: "the table was moved",
    OTHER_VIEW: "the picture does not show the table as calibrated",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """What the watch says at a moment.

    Attributes:
        time_s: Of the picture.
        kind: One of the module's kinds.
        moved_m: Movement at the worst corner, metres on the cloth; NaN where it is not seen.
        since_s: When this kind began; for a movement its first reading beyond the limit.
        text: One half sentence for a person.
        stop: No automatic rulings from `since_s` on.
        offer: Recalibration is to be offered.
        may_recalibrate: It may be done by itself once nothing moves and nobody stands over the table: the view is steady
            again, and nearly all of the frame is seen. Whether balls are at rest the caller knows.
    """

    time_s: float
    kind: str
    moved_m: float
    since_s: float
    text: str
    stop: bool
    offer: bool
    may_recalibrate: bool


class DriftWatch:
    """Follows one camera; the same pictures at the same times give the same verdicts."""

    def __init__(self, calibration: Calibration, reference: Image) -> None:
        """Watch a calibrated view.

        Args:
            calibration: Of the reference.
            reference: Shape (h, w, 3), BGR: the picture that was calibrated, or one that shows the same.
        """
        self._meter = ShiftMeter(calibration, reference)
        self._readings: deque[tuple[float, Shift]] = deque()
        self._due_s = -np.inf
        self._quiet_s = self._seen_s = self._refreshed_s = -np.inf
        self._beyond_s: float | None = None
        self._drift: Drift | None = None

    @property
    def usable(self) -> bool:
        """Whether the frame shows enough to be watched; else every verdict is `hidden`."""
        return self._meter.usable

    def due(self, time_s: float) -> bool:
        """Whether a picture of that time would be looked at; others may be left out to save decoding."""
        return bool(time_s >= self._due_s)

    def update(self, time_s: float, image: Image) -> Drift:
        """The verdict after a picture.

        Args:
            time_s: Of the picture, not before the last one's.
            image: Shape (h, w, 3), BGR.
        """
        if self._drift is not None and not self.due(time_s):
            return self._drift
        shift = self._meter.measure(image)
        calm = self._drift is not None and self._drift.kind == STEADY and shift.moved_m < LIMIT_M / 2
        self._due_s = time_s + (_CALM_S if calm else _EVERY_S) - 1e-6
        if shift.seen >= _GONE_SEEN or not np.isfinite(self._seen_s):
            self._seen_s = time_s
        self._readings.append((time_s, shift))
        while time_s - self._readings[0][0] > _WINDOW_S:
            self._readings.popleft()
        sure = [s for _, s in self._readings if s.seen >= _SEEN and s.agreeing >= _AGREEING]
        if len(sure) >= _LEAST:
            self._drift = self._judge(time_s, sure)
        elif time_s - self._seen_s >= _GONE_S:
            self._drift = self._say(time_s, OTHER_VIEW, float("nan"))
        elif self._drift is None or self._drift.kind not in MOVED:
            self._drift = self._say(time_s, HIDDEN, float("nan"))
        else:
            self._drift = self._say(time_s, self._drift.kind, self._drift.moved_m)
        if self._drift.kind == STEADY and time_s - self._refreshed_s > _REFRESH_S and self._drift.moved_m < _REFRESH_M:
            if np.isfinite(self._refreshed_s) and time_s - self._drift.since_s > _REFRESH_S:
                self._meter.refresh(image)
            self._refreshed_s = time_s
        return self._drift

    def _judge(self, time_s: float, sure: list[Shift]) -> Drift:
        middle = np.median([s.parameters for s in sure], axis=0)
        moved = self._meter.moved_m((float(middle[0]), float(middle[1]), float(middle[2]), float(middle[3])))
        had_moved = self._drift is not None and self._drift.kind in MOVED
        if moved < LIMIT_M / 4:
            self._quiet_s = time_s
        if moved < (_BACK_M if had_moved else LIMIT_M):
            return self._say(time_s, STEADY, moved)
        if not had_moved and sum(not s.moved_m < LIMIT_M for s in sure) < _LEAST:
            return self._say(time_s, STEADY, moved)
        if had_moved and self._drift is not None:
            return self._say(time_s, self._drift.kind, moved)
        zoom = self._meter.moved_m((0.0, 0.0, 0.0, float(middle[3])))
        around = [s.around_moved_m for s in sure if np.isfinite(s.around_moved_m)]
        if zoom > _ZOOM_SHARE * moved and zoom > self._meter.moved_m((float(middle[0]), float(middle[1]), float(middle[2]), 0.0)):
            kind = ZOOMED
        elif len(around) >= _LEAST and float(np.median(around)) < _AROUND_STILL * moved:
            kind = TABLE_MOVED
        elif np.isfinite(self._quiet_s) and time_s - self._quiet_s > _SAG_S:
            kind = SAGGING
        else:
            kind = NUDGED
        return self._say(time_s, kind, moved)

    def _say(self, time_s: float, kind: str, moved_m: float) -> Drift:
        last = self._drift
        if last is not None and last.kind == kind:
            since = last.since_s
        elif kind in MOVED:
            since = min(t for t, s in self._readings if not s.moved_m < LIMIT_M)
        else:
            since = time_s
        text = _TEXTS[kind] + (f" by {1000 * moved_m:.0f} mm on the cloth" if kind in MOVED else "")
        steady_again = all(s.seen >= 0.9 and s.agreeing >= 0.9 for _, s in self._readings) and len(self._readings) >= _LEAST
        return Drift(
            time_s=time_s,
            kind=kind,
            moved_m=moved_m,
            since_s=since,
            text=text,
            stop=kind in MOVED or kind == OTHER_VIEW,
            offer=kind in MOVED,
            may_recalibrate=kind in MOVED and steady_again and self._settled(),
        )

    def _settled(self) -> bool:
        """Whether the readings of the last second agree on where the view is now."""
        moves = np.array([s.parameters for _, s in self._readings])
        return all(self._meter.moved_m(tuple(m)) < LIMIT_M / 2 for m in moves - np.median(moves, axis=0))
