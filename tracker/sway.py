"""Pictures that sway: balls at rest that all step aside together are the picture's doing, not theirs.

Fields of a 50-field source shown one by one stand half a line higher and lower in turn; a camera on a boom trembles. Each
ball at rest then keeps its distance to every other one. So a ball's place is read as its place of rest plus a shift common
to all balls of that picture (two-way table of rest by picture; medians over balls, means over pictures, Tukey 1977,
chapter 10), and the shift is taken off every ball, moving ones as well. It is taken off only along an axis and in a stretch
in which it explains most of what the resting balls do: independent noise of n balls leaves (n - 1) / n unexplained.

Fails: fewer than three balls at rest say nothing; a picture that turns or breathes is left as it is.
"""

from collections.abc import Sequence

import numpy as np

from tracker.history import BallTrack, BoolArray, FloatArray

REST_SPAN_S = 0.5
"""Rest that is compared: a ball that stays at its place over this long. Shorter takes slow rolls for rest, longer wastes
the rest between two contacts."""
REST_M = 0.004
"""How far a ball at rest may stray in it: noise and sway together; a ball at 16 mm/s leaves it within the span."""
LEAST_BALLS = 3
"""Balls at rest that tell a common shift from one ball's noise."""
UNEXPLAINED = 0.55
"""Share of what noise leaves unexplained below which a sway is believed."""
WINDOW_S = 0.6
"""Stretch around a picture that tells: shorter takes chance for sway, longer spreads a sway over pictures without."""
ROUNDS = 3
"""Rounds of the table; the second changes a tenth of a millimetre, the third nothing that counts."""


def steadied(tracks: Sequence[BallTrack]) -> tuple[BallTrack, ...]:
    """The tracks less what all resting balls do together; the same where they do nothing together."""
    times = np.unique(np.concatenate([track.times_s for track in tracks])) if tracks else np.zeros(0)
    shift = common_shift(tracks, times)
    if shift is None:
        return tuple(tracks)
    result = []
    for track in tracks:
        off = shift[np.searchsorted(times, track.times_s)] * track.seen[:, None]
        result.append(
            BallTrack(
                ball=track.ball,
                times_s=track.times_s.copy(),
                positions_m=track.positions_m - off,
                sigma_m=track.sigma_m.copy(),
                seen=track.seen.copy(),
            )
        )
    return tuple(result)


def common_shift(tracks: Sequence[BallTrack], times_s: FloatArray) -> FloatArray | None:
    """How far the picture stands off its usual place at each of `times_s`, shape (T, 2), metres; None where it stands still."""
    runs = [(track, run) for track in tracks for run in _rests(track)]
    if len(runs) < LEAST_BALLS:
        return None
    table = np.full((len(runs), len(times_s), 2), np.nan)
    for row, (track, run) in enumerate(runs):
        table[row, np.searchsorted(times_s, track.times_s[run])] = track.positions_m[run]
    full = np.isfinite(table[:, :, 0]).sum(axis=0) >= LEAST_BALLS
    if not full.any():
        return None
    usable = table[:, full]
    usable = usable[np.isfinite(usable[:, :, 0]).any(axis=1)]
    plain = usable - np.nanmean(usable, axis=1, keepdims=True)
    if not _believed(plain, plain - np.nanmean(plain, axis=0), times_s[full]).any():
        return None  # most recordings stand still, and means are quick
    shift = np.nanmedian(plain, axis=0)
    for _ in range(ROUNDS):
        rest = np.nanmean(usable - shift, axis=1, keepdims=True)
        shift = np.nanmedian(usable - rest, axis=0)
    believed = _believed(plain, usable - rest - shift, times_s[full])
    if not believed.any():
        return None
    result = np.zeros((len(times_s), 2))
    result[full] = np.where(believed, shift, 0.0)
    return result


def _believed(plain: FloatArray, left: FloatArray, times_s: FloatArray) -> BoolArray:
    """Where a common shift explains most of the scatter around, by picture and axis, shape (T, 2).

    Args:
        plain: Shape (balls, T, 2), places less each ball's mean.
        left: The same less the common shift.
        times_s: Shape (T,).
    """
    balls = np.isfinite(plain[:, :, 0]).sum(axis=0)
    low, high = (np.searchsorted(times_s, times_s + side) for side in (-WINDOW_S / 2, WINDOW_S / 2))

    def around(values: FloatArray) -> FloatArray:
        sums = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
        return np.asarray(sums[high] - sums[low])

    count = around(balls[:, None].astype(np.float64)) / np.maximum(high - low, 1)[:, None]
    scatter, unexplained = around(np.nansum(plain**2, axis=0)), around(np.nansum(left**2, axis=0))
    return np.asarray(unexplained < UNEXPLAINED * (1 - 1 / count) * scatter)


def _rests(track: BallTrack) -> list[BoolArray]:
    """Rows of each stretch that a ball surely lay still, masks of shape (T,): neighbouring spells within `REST_M`."""
    seen = np.flatnonzero(track.seen)
    if len(seen) < 4:
        return []
    times, places = track.times_s[seen], track.positions_m[seen]
    spell = ((times - times[0]) / (REST_SPAN_S / 2)).astype(np.int64)
    first = np.flatnonzero(np.diff(spell, prepend=-1))
    low, high = np.minimum.reduceat(places, first), np.maximum.reduceat(places, first)
    both = (np.maximum(high[1:], high[:-1]) - np.minimum(low[1:], low[:-1])).max(axis=1) < 2 * REST_M
    both &= np.diff(spell[first]) == 1
    still = np.append(both, False) | np.insert(both, 0, False)
    # a rest ends where two neighbouring spells do not belong together
    label = np.cumsum(np.insert(~both, 0, False))
    row_label = np.where(still, label, -1)[np.searchsorted(first, np.arange(len(seen)), "right") - 1]
    runs = []
    for value in np.unique(row_label[row_label >= 0]).tolist():
        mask = np.zeros(len(track.times_s), dtype=np.bool_)
        mask[seen[row_label == value]] = True
        runs.append(mask)
    return runs
