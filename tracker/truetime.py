"""True time for the physics: stamps corrected where the rolling balls contradict them.

`clock.read_clock` says for each picture how long it really came after the one before. Where at least two pictures are
contradicted the tracks are put on the corrected clock, repeated pictures are dropped, and every time that is stated is
carried back to the recording's own clock (design.md: the estimate is for the tracker's physics, never for the file).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tracker.clock import read_clock
from tracker.history import BallTrack, ClockReport, FloatArray

REPEATED = 0.15
"""A picture that came after less than this share of the stamped time shows the one before again."""
GRID = 0.5
"""Pictures of a 50-field source are a whole number of half periods apart."""
NEAR_GRID = 0.17
"""A measured spacing this near to the grid is on it."""

LEAST_PICTURES = 3
"""So many pictures must lie on the grid away from their stamps: fewer are ball contacts taken for a clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueTime:
    """Two clocks side by side.

    Attributes:
        stamps_s: Shape (T,), the recording's clock.
        true_s: Shape (T,), corrected.
        doubtful: Whether the stamps were contradicted.
    """

    stamps_s: FloatArray
    true_s: FloatArray
    doubtful: bool

    def to_true(self, stamp_s: float) -> float:
        """Corrected time of a stamp."""
        return _carry(stamp_s, self.stamps_s, self.true_s)

    def to_stamp(self, true_s: float) -> float:
        """The recording's time of a corrected one."""
        return _carry(true_s, self.true_s, self.stamps_s)

    def correct(self, tracks: Sequence[BallTrack]) -> tuple[BallTrack, ...]:
        """The tracks on the corrected clock, without repeated pictures."""
        if not self.doubtful:
            return tuple(tracks)
        result = []
        for track in tracks:
            times = np.array([self.to_true(float(time)) for time in track.times_s])
            keep = np.concatenate([[True], np.diff(np.maximum.accumulate(times)) > 1e-6]) if len(times) else np.zeros(0, bool)
            result.append(
                BallTrack(
                    ball=track.ball,
                    times_s=times[keep],
                    positions_m=track.positions_m[keep].copy(),
                    sigma_m=track.sigma_m[keep].copy(),
                    seen=track.seen[keep].copy(),
                )
            )
        return tuple(result)


def _carry(time_s: float, source: FloatArray, target: FloatArray) -> float:
    if len(source) == 0:
        return time_s
    if time_s <= source[0]:
        return float(target[0] + time_s - source[0])
    if time_s >= source[-1]:
        return float(target[-1] + time_s - source[-1])
    return float(np.interp(time_s, source, target))


def true_time(tracks: Sequence[BallTrack], clock: ClockReport | None = None) -> TrueTime:
    """The corrected clock of some tracks; the stamps themselves where nothing speaks against them."""
    stamps = np.unique(np.concatenate([track.times_s for track in tracks])) if tracks else np.zeros(0)
    report = clock if clock is not None else read_clock(tracks, stamps.tolist())
    if not report.doubtful or len(stamps) < 2:
        return TrueTime(stamps_s=stamps, true_s=stamps, doubtful=False)
    spacing = np.ones(len(stamps))
    for time, value in zip(report.times_s, report.spacing, strict=True):
        k = int(np.searchsorted(stamps, time - 1e-6))
        if k < len(stamps) and abs(stamps[k] - time) < 1e-3:
            spacing[k] = value
    nearest = np.round(spacing / GRID) * GRID
    spacing = np.where(np.abs(spacing - nearest) < NEAR_GRID, nearest, spacing)
    spacing[spacing < REPEATED] = 0.0
    if int((np.abs(spacing - nearest) < 1e-9)[nearest != 1].sum()) < LEAST_PICTURES:
        return TrueTime(stamps_s=stamps, true_s=stamps, doubtful=False)
    true = stamps[0] + np.concatenate([[0.0], np.cumsum(np.diff(stamps) * spacing[1:])])
    return TrueTime(stamps_s=stamps, true_s=true, doubtful=True)
