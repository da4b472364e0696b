"""Windows of finished tracks: the segmenter's rules (`tracker.segment`), every ball's rows at once.

Live, each picture's state goes through `Segmenter`. Finished tracks are known whole, so whether a ball moves is worked out for all
its rows together, and only the opening and closing of windows goes picture by picture. The windows are the same.

Fails: where `Segmenter` does; a mouth is not known here, so a ball that fell keeps a window open as long as a hidden one.
"""

from collections.abc import Sequence
from math import hypot

import numpy as np
from numpy.typing import NDArray

from tracker.history import BallTrack
from tracker.segment import (
    DRIFT_MPS,
    DRIFT_SIGMAS,
    FIRST_NOISE_M,
    HIDDEN_S,
    LAG_S,
    LEAD_S,
    LONGEST_DRIFT_S,
    MOVED_M,
    NOISE_FACTOR,
    NOISE_GAIN,
    NOISE_JUMP,
    QUIET_S,
    REST_S,
    SPAN_S,
    ShotWindow,
    had_rest,
)

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


class _Ball:
    """Whether a ball moves, row by row of what was seen of it."""

    def __init__(self, track: BallTrack) -> None:
        self.times_s = track.times_s[track.seen]
        self.places_m = track.positions_m[track.seen]
        known, self.moves, self.noise_m2 = _motion(self.times_s, self.places_m)
        last = np.maximum.accumulate(np.where(known, np.arange(len(known)), -1))
        self.moving: BoolArray = (last >= 0) & self.moves[last] if len(last) else self.moves

    def rolls_hidden(self, time_s: float) -> bool:
        """Whether it moved when it was last seen, not too long ago."""
        row = self._row(time_s)
        return row >= 0 and bool(self.moving[row]) and time_s - float(self.times_s[row]) < HIDDEN_S

    def drifts(self, time_s: float) -> bool:
        """Whether the time that is to be quiet shows a steady drift."""
        row = self._row(time_s)
        rows = slice(int(np.searchsorted(self.times_s, time_s - QUIET_S, "right")), row + 1)
        times = self.times_s[rows]
        if len(times) < 5:
            return False
        tau = times - times.mean()
        spread = float(tau @ tau)
        slope = tau @ self.places_m[rows] / spread
        return bool(hypot(float(slope[0]), float(slope[1])) > max(DRIFT_MPS, DRIFT_SIGMAS * (float(self.noise_m2[row]) / spread) ** 0.5))

    def _row(self, time_s: float) -> int:
        return int(np.searchsorted(self.times_s, time_s, "right")) - 1


def _motion(times: FloatArray, places: FloatArray) -> tuple[BoolArray, BoolArray, FloatArray]:
    """Whether enough is known to tell, whether the ball moves, and its noise (square metres), each (n,)."""
    rows = np.arange(1, len(times) + 1)
    start = np.searchsorted(times, times - REST_S, "left")
    new = np.searchsorted(times, times - SPAN_S, "right")
    low = np.searchsorted(times, times - LAG_S - SPAN_S, "left")
    high = np.searchsorted(times, times - LAG_S + 0.5 * SPAN_S, "right")
    count, earlier = rows - new, high - low
    known = (count >= 2) & (earlier >= 2)
    count, earlier = np.maximum(count, 1), np.maximum(earlier, 1)
    sums = np.concatenate([np.zeros((1, 2)), np.cumsum(places, axis=0)])
    shift = (sums[rows] - sums[new]) / count[:, None] - (sums[high] - sums[low]) / earlier[:, None]
    second = np.zeros(len(times))
    second[2:] = ((places[2:] - 2 * places[1:-1] + places[:-2]) ** 2).sum(axis=1) / 12
    noise, level = [], FIRST_NOISE_M**2
    for tells, value in zip((known & (rows - start >= 4)).tolist(), second.tolist(), strict=True):
        if tells:
            level += NOISE_GAIN * (min(value, NOISE_JUMP * level) - level)
        noise.append(level)
    noise_m2 = np.array(noise, dtype=np.float64)
    limit = np.maximum(MOVED_M, NOISE_FACTOR * np.sqrt(noise_m2 * (1 / count + 1 / earlier)))
    return known, known & (np.hypot(shift[:, 0], shift[:, 1]) > limit), noise_m2


def find_windows(tracks: Sequence[BallTrack]) -> tuple[ShotWindow, ...]:
    """The windows of finished tracks, by the same rules as live."""
    if not tracks:
        return ()
    balls = [_Ball(track) for track in tracks]
    times = np.unique(np.concatenate([track.times_s for track in tracks]))
    moving = np.zeros(len(times), dtype=np.bool_)
    for ball in balls:
        moving[np.searchsorted(times, ball.times_s[ball.moves])] = True
    windows: list[ShotWindow] = []
    move_s: float | None = None
    first_s, last_move_s, since_s = float(times[0]), -np.inf, -np.inf
    for now_s, moves in zip(times.tolist(), moving.tolist(), strict=True):
        if moves:
            last_move_s = now_s
            move_s = now_s if move_s is None else move_s
        if move_s is None or now_s - last_move_s < QUIET_S or _restless(balls, now_s, last_move_s):
            continue
        windows.append(_window(tracks, times, first_s, move_s, since_s, now_s, at_rest=True))
        move_s, since_s = None, last_move_s - 0.5 * LAG_S
    if move_s is not None:
        windows.append(_window(tracks, times, first_s, move_s, since_s, float(times[-1]), at_rest=False))
    return tuple(windows)


def _restless(balls: Sequence[_Ball], now_s: float, last_move_s: float) -> bool:
    drift = now_s - last_move_s < LONGEST_DRIFT_S and any(ball.drifts(now_s) for ball in balls)
    return drift or any(ball.rolls_hidden(now_s) for ball in balls)


def _window(
    tracks: Sequence[BallTrack], times: FloatArray, first_s: float, move_s: float, since_s: float, end_s: float, *, at_rest: bool
) -> ShotWindow:
    """The stretch from the rest before, none of it before what closed the shot before (`since_s`, excluded), to `end_s`."""
    inside = times[(times >= move_s - LEAD_S) & (times > since_s)]
    parts = [part for track in tracks if (part := track.between(float(inside[0]), end_s)) is not None]
    return ShotWindow(
        start_s=float(inside[0]),
        move_s=move_s,
        end_s=end_s,
        strike_seen=had_rest(move_s, first_s),
        at_rest=at_rest,
        tracks=tuple(sorted(parts, key=lambda part: float(part.times_s[0]))),
    )
