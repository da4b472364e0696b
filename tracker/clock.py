"""What the rolling balls say about the time stamps.

A 50-field source shown at 25 pictures a second has pictures 20, 40 or 60 ms apart under stamps 40 ms apart; repeated
pictures are 0 apart, lost ones 80. A rolling ball keeps its speed within a few per cent from picture to picture, so its
step over the steady step of its neighbours in time is the true spacing over the stamped one. All balls that roll
undisturbed must agree; a contact changes one ball's steps for good, a lying stamp changes all of them once.

Fails: with one ball rolling a stamp is only doubted when the speed comes back afterwards; with none nothing is known.
"""

from collections.abc import Sequence

import numpy as np

from tracker.history import BallTrack, BoolArray, ClockReport, FloatArray

_OFF = 0.25
"""Deviation of step over expected step above which a stamp is doubted: 20 or 60 ms under 40 are off by 0.5, a slide
slows a ball by at most 0.1 in 40 ms."""
_AGREE = 0.15
"""Balls agree when their ratios differ by less."""
_LONGEST = 3.2
"""Largest ratio taken for a clock: more pictures lost than two in a row are the capture's to report."""
_SLOWEST_STEP_SIGMAS = 16.0
"""A step must be this many standard deviations long to measure time with: its ratio is then good to a tenth."""
_DOUBTFUL_PICTURES = 3
"""Contradicted stamps that make a clock doubtful; one or two can be contacts that fell into one picture."""
_SIDE = 4
"""Steps on each side that give the steady step."""


def picture_factor(steps: Sequence[tuple[float, float]]) -> float:
    """True over stamped spacing of the newest picture; 1 unless two or more balls agree on another one.

    Args:
        steps: (step over expected step, standard deviation) of each ball that rolls on undisturbed.
    """
    if len(steps) < 2:
        return 1.0
    ratios = np.array([ratio for ratio, _ in steps])
    middle = float(np.median(ratios))
    agreeing = np.abs(ratios - middle) < _AGREE
    if abs(middle - 1) < _OFF or agreeing.sum() < max(2, 0.6 * len(ratios)) or not -_AGREE < middle < _LONGEST:
        return 1.0
    return max(float(ratios[agreeing].mean()), 0.0)


def read_clock(tracks: Sequence[BallTrack], times_s: Sequence[float], *, repeated: int = 0) -> ClockReport:
    """True spacing of the pictures at `times_s`, from finished tracks; `repeated` pictures were left out of the tracks."""
    times = np.asarray(times_s, dtype=np.float64)
    votes: list[list[tuple[float, bool]]] = [[] for _ in times]
    for track in tracks:
        for time, ratio, lasting in _ratios(track):
            index = int(np.searchsorted(times, time - 1e-9))
            if index < len(times):
                votes[index].append((ratio, lasting))
    spacing = np.ones(len(times))
    for index, entries in enumerate(votes):
        if not entries:
            continue
        ratios = sorted(ratio for ratio, _ in entries)  # a handful: arrays would take longer to make than to use
        middle = (ratios[(len(ratios) - 1) // 2] + ratios[len(ratios) // 2]) / 2
        agreeing = sum(abs(ratio - middle) < _AGREE for ratio in ratios)
        alone = len(entries) == 1 and entries[0][1]
        if abs(middle - 1) > _OFF and middle < _LONGEST and (agreeing >= max(2, 0.7 * len(ratios)) or alone):
            spacing[index] = max(middle, 0.0)
    doubtful = int((np.abs(spacing - 1) > _OFF).sum()) + repeated >= _DOUBTFUL_PICTURES
    return ClockReport(times_s=times, spacing=spacing, doubtful=doubtful)


def _ratios(track: BallTrack) -> list[tuple[float, float, bool]]:
    """(time, step over steady step, speed the same before and after) of each undisturbed step of a rolling ball."""
    seen = np.flatnonzero(track.seen)
    if len(seen) < 2 * _SIDE:
        return []
    times, places, sigma = track.times_s[seen], track.positions_m[seen], track.sigma_m[seen]
    spans = np.diff(times)
    ways = np.diff(places, axis=0)
    lengths = np.hypot(ways[:, 0], ways[:, 1])
    speeds = lengths / spans
    width = 2 * _SIDE + 1
    if len(spans) < width:
        return []
    windows = np.lib.stride_tricks.sliding_window_view(speeds, width)
    left, right = np.median(windows[:, :_SIDE], axis=1), np.median(windows[:, _SIDE + 1 :], axis=1)
    middle = slice(_SIDE, len(spans) - _SIDE)
    steady = (left + right) / 2 * spans[middle]
    even = np.lib.stride_tricks.sliding_window_view(spans < 1.5 * float(np.median(spans)), width).all(axis=1)
    rolls = even & (steady > _SLOWEST_STEP_SIGMAS * sigma[1:][middle]) & (np.abs(left - right) < 0.15 * (left + right))
    chosen = np.flatnonzero(rolls)
    chosen = chosen[_straight(np.lib.stride_tricks.sliding_window_view(ways, width, axis=0)[chosen])]
    lasting = np.abs(left - right) < 0.05 * (left + right)
    stepped = lengths[chosen + _SIDE] / steady[chosen]
    return list(zip(times[chosen + _SIDE + 1].tolist(), stepped.tolist(), lasting[chosen].tolist(), strict=True))


def _straight(ways: FloatArray) -> BoolArray:
    """Which of several runs of steps, (n, 2, steps), go straight, (n,)."""
    total = ways.sum(axis=2)
    length = np.hypot(total[:, 0], total[:, 1])
    across = np.abs(ways[:, 1] * total[:, :1] - ways[:, 0] * total[:, 1:]) / np.maximum(length, 1e-9)[:, None]
    return np.asarray((across < 0.1 * length[:, None] / ways.shape[2] + 0.002).all(axis=1))
