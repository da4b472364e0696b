"""The path of one ball as pieces between changes of course.

Between contacts a ball slides (its acceleration is constant, up to mu_s g, in any direction) and then rolls (straight,
slowing by mu_r g): both are quadratics of time, and so is rest. A change of course is a knot between two quadratics at
which the velocity jumps. Sub-frame times of contacts come from where neighbouring pieces meet: with the noise sigma of
a centre and a jump of dv the time is known to about 3 sigma / (sqrt(n) dv), far below the frame period.

The pieces are the optimal partition of the samples (dynamic programming): a piece costs its squared residuals in units
of the noise plus a price for being there. Short pieces are kept sane by weak priors on speed and acceleration.

Where it fails: two contacts closer than about a frame fuse into one knot (contacts.py explains such a knot by several
partners); irregular time stamps bend the pieces (clock.py undoes what it can); a ball in the air is a quadratic too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

SPEED_PRIOR_MPS = 3.0
"""Standard deviation of a piece's speed a priori; only pieces of one or two samples feel it."""
ACCELERATION_PRIOR_MPS2 = 1.5
"""Standard deviation of a piece's acceleration a priori: sliding gives up to 2.6, rolling 0.1. Tighter bends fast
slides into two pieces, looser lets a piece of three samples take any shape."""
MOVE_COST = 22.0
"""Price of a moving piece in units of chi square: six numbers and a place. Lower invents changes of course, higher
swallows soft contacts."""
REST_COST = 7.0
"""Price of a resting piece: two numbers and a place."""
WINDOW_S = 2.0
"""Longest piece that is tried, seconds; longer ones come out as several with a smooth knot."""
MIN_REST_S = 0.06
"""Shortest rest, seconds: below that a turning point of a slow ball would pass for one."""

LENGTHS_AT_ONCE = 8
"""Lengths of pieces that are weighed at once: their sums stay in the cache."""

STEP_SAMPLES = 14
"""On each side of a step between two rests so many samples may belong to the movement: a graze rolls a ball on for a
quarter second."""

STEP_GRID = 3
"""Ends of that movement are tried so many samples apart: a graze is too slow for more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A quadratic over some samples.

    Attributes:
        first: Index of the first sample in the ball's own samples.
        last: Index of the last sample, included.
        moving: False for a rest.
        origin_s: Time about which the coefficients hold.
        coefficients: Shape (3, 2): position, velocity, acceleration; metres and seconds.
        covariance: Shape (3, 3), of the coefficients per axis.
        start_s: Time of the first sample.
        end_s: Time of the last sample.
    """

    first: int
    last: int
    moving: bool
    origin_s: float
    coefficients: FloatArray
    covariance: FloatArray
    start_s: float
    end_s: float

    @property
    def count(self) -> int:
        """Number of samples."""
        return self.last - self.first + 1

    def position(self, time_s: float) -> FloatArray:
        """Shape (2,), metres."""
        tau = float(time_s) - self.origin_s
        (px, py), (vx, vy), (ax, ay) = self.coefficients.tolist()
        return np.array([px + vx * tau + 0.5 * ax * tau * tau, py + vy * tau + 0.5 * ay * tau * tau])

    def positions(self, times_s: FloatArray) -> FloatArray:
        """At many times, shape (n,) to (n, 2), metres."""
        tau = (times_s - self.origin_s)[:, None]
        p, v, a = self.coefficients
        return np.asarray(p + v * tau + 0.5 * a * tau * tau)

    def velocity(self, time_s: float) -> FloatArray:
        """Shape (2,), metres per second."""
        tau = float(time_s) - self.origin_s
        _, (vx, vy), (ax, ay) = self.coefficients.tolist()
        return np.array([vx + ax * tau, vy + ay * tau])

    def speed(self, time_s: float) -> float:
        """Metres per second."""
        v = self.velocity(time_s)
        return float(np.hypot(v[0], v[1]))

    def position_variance(self, time_s: float) -> float:
        """Square metres per axis."""
        tau = time_s - self.origin_s
        row = np.array([1.0, tau, 0.5 * tau * tau])
        return float(row @ self.covariance @ row)

    def velocity_variance(self, time_s: float) -> float:
        """(m/s)^2 per axis."""
        row = np.array([0.0, 1.0, time_s - self.origin_s])
        return float(row @ self.covariance @ row)


def fit_piece(
    times_s: FloatArray,
    xy_m: FloatArray,
    variance: FloatArray,
    *,
    first: int,
    last: int,
    moving: bool,
    acceleration_prior_mps2: float = ACCELERATION_PRIOR_MPS2,
) -> Piece:
    """The quadratic (or the mean, at rest) over samples `first` to `last`.

    Args:
        times_s: Shape (n,).
        xy_m: Shape (n, 2).
        variance: Shape (n,), square metres per axis.
        first: First sample.
        last: Last sample, included.
        moving: False fits a constant.
        acceleration_prior_mps2: Standard deviation of the acceleration a priori.
    """
    t, x, w = times_s[first : last + 1], xy_m[first : last + 1], 1.0 / variance[first : last + 1]
    origin = float((t * w).sum() / w.sum())
    tau = t - origin
    if not moving:
        coefficients: FloatArray = np.zeros((3, 2))
        coefficients[0] = (x * w[:, None]).sum(0) / w.sum()
        covariance: FloatArray = np.zeros((3, 3))
        covariance[0, 0] = 1.0 / w.sum()
    else:
        design = np.stack([np.ones_like(tau), tau, 0.5 * tau * tau], 1)
        normal = design.T @ (design * w[:, None])
        normal[1, 1] += SPEED_PRIOR_MPS**-2
        normal[2, 2] += acceleration_prior_mps2**-2
        covariance = np.asarray(np.linalg.inv(normal), np.float64)
        coefficients = np.asarray(covariance @ (design.T @ (x * w[:, None])), np.float64)
    return Piece(
        first=first,
        last=last,
        moving=moving,
        origin_s=origin,
        coefficients=coefficients,
        covariance=covariance,
        start_s=float(t[0]),
        end_s=float(t[-1]),
    )


def fit_pieces(times_s: FloatArray, xy_m: FloatArray, variance: FloatArray) -> list[Piece]:
    """The best partition of a ball's samples into rests and quadratics.

    Args:
        times_s: Shape (n,), increasing, seconds.
        xy_m: Shape (n, 2), metres.
        variance: Shape (n,), square metres per axis.

    Returns:
        Pieces in time order that cover every sample once; empty without samples.
    """
    count = len(times_s)
    if count == 0:
        return []
    step = float(np.median(np.diff(times_s))) if count > 1 else 1.0
    width = int(min(count, max(4, round(WINDOW_S / max(step, 1e-4)))))
    move, rest = _window_costs(times_s, xy_m, variance, width)
    cost = np.minimum(move, rest)
    is_move = move < rest
    best = np.full(count + 1, np.inf)
    best[0] = 0.0
    back = np.zeros(count + 1, np.int64)
    # columns of `cost` start at a sample, so a diagonal ends at one: lay it out by end for quick slices
    by_end = np.full((count, width), np.inf)
    for length in range(width):
        by_end[length:, length] = cost[length, : count - length]
    for end in range(count):
        longest = min(end + 1, width)
        total = best[end + 1 - longest : end + 1][::-1] + by_end[end, :longest]
        choice = int(np.argmin(total))
        best[end + 1] = total[choice]
        back[end + 1] = end - choice
    pieces: list[Piece] = []
    stop = count
    while stop > 0:
        start = int(back[stop])
        moving = bool(is_move[stop - 1 - start, start])
        pieces.append(fit_piece(times_s, xy_m, variance, first=start, last=stop - 1, moving=moving))
        stop = start
    pieces.reverse()
    return _insert_moves(_merge_rests(pieces, times_s, xy_m, variance), times_s, xy_m, variance)


def _window_costs(times_s: FloatArray, xy_m: FloatArray, variance: FloatArray, width: int) -> tuple[FloatArray, FloatArray]:
    """Cost of every piece of up to `width` samples that starts at a sample, moving and at rest: two (width, n), by length and start."""
    count = len(times_s)
    move, rest = np.empty((width, count)), np.empty((width, count))
    # by length and start, some lengths of all starts at a time: what is worked on stays in the cache, and sums add whole rows
    times = sliding_window_view(np.concatenate([times_s, np.full(width - 1, times_s[-1])]), count)
    inverse = sliding_window_view(np.concatenate([1.0 / variance, np.zeros(width - 1)]), count)
    places = [sliding_window_view(np.concatenate([axis, np.repeat(axis[-1:], width - 1)]), count) for axis in np.ascontiguousarray(xy_m.T)]
    sums: FloatArray = np.zeros((12, 1, count))
    for low in range(0, width, LENGTHS_AT_ONCE):
        some = slice(low, min(low + LENGTHS_AT_ONCE, width))
        t = times[some] - times_s
        x, y = (axis[some] - axis[0] for axis in places)
        sums = _running_sums(t, x, y, inverse[some], sums[:, -1])
        _costs(sums, move[some], rest[some])
        move[some] += MOVE_COST
        rest[some] += REST_COST
        rest[some][t < MIN_REST_S] = np.inf
    beyond = np.arange(width)[:, None] > count - 1 - np.arange(count)
    move[beyond] = rest[beyond] = np.inf
    return move, rest


def _running_sums(t: FloatArray, x: FloatArray, y: FloatArray, inverse: FloatArray, before: FloatArray) -> FloatArray:
    """Weighted sums of 1, t, t^2, t^3/2, t^4/4, r^2, x, xt, xt^2/2, y, yt, yt^2/2 up to each length, shape (12, lengths, n)."""
    half = 0.5 * t * t
    sums = np.empty((12, *t.shape))
    sums[0], sums[1] = 1.0, t
    np.multiply(t, t, out=sums[2])
    np.multiply(t, half, out=sums[3])
    np.multiply(half, half, out=sums[4])
    np.add(x * x, y * y, out=sums[5])
    for row, value in ((6, x), (9, y)):
        sums[row] = value
        np.multiply(value, t, out=sums[row + 1])
        np.multiply(value, half, out=sums[row + 2])
    sums *= inverse
    sums[:, 0] += before
    for length in range(1, len(t)):
        sums[:, length] += sums[:, length - 1]
    return sums


def _costs(sums: FloatArray, move: FloatArray, rest: FloatArray) -> None:
    """Squared residuals of the pieces with these sums, (12, lengths, n), moving and at rest, into two arrays (lengths, n)."""
    s0, s1, s2, s3, s4, square = sums[:6]
    s02 = 0.5 * s2
    # Cholesky of the 3x3 normal matrix [s0 s1 s02; s1 s2 s3; s02 s3 s4] with the priors, for all pieces at once
    l10, l20 = s1 / s0, s02 / s0
    d1 = s2 + SPEED_PRIOR_MPS**-2
    d1 -= l10 * s1
    e12 = s3 - l10 * s02
    l21 = e12 / d1
    d2 = s4 + ACCELERATION_PRIOR_MPS2**-2
    d2 -= np.multiply(l20, s02, out=s02)
    d2 -= np.multiply(l21, e12, out=e12)
    move[:] = rest[:] = square
    u1, u2, product = np.empty_like(s0), np.empty_like(s0), np.empty_like(s0)
    for r0, r1, r2 in (sums[6:9], sums[9:12]):
        np.subtract(r1, np.multiply(l10, r0, out=product), out=u1)
        np.subtract(r2, np.multiply(l20, r0, out=product), out=u2)
        u2 -= np.multiply(l21, u1, out=product)
        mean = np.divide(np.multiply(r0, r0, out=product), s0, out=product)
        move -= mean
        rest -= mean
        move -= np.divide(np.multiply(u1, u1, out=product), d1, out=product)
        move -= np.divide(np.multiply(u2, u2, out=product), d2, out=product)


def _merge_rests(pieces: list[Piece], times_s: FloatArray, xy_m: FloatArray, variance: FloatArray) -> list[Piece]:
    """Join rests that follow each other at the same place (the window is shorter than a long rest)."""
    merged: list[Piece] = []
    for piece in pieces:
        before = merged[-1] if merged else None
        if before is not None and not before.moving and not piece.moving:
            gap = piece.coefficients[0] - before.coefficients[0]
            if float(gap @ gap) < 16 * (piece.covariance[0, 0] + before.covariance[0, 0]) + 0.0005**2:
                merged[-1] = fit_piece(times_s, xy_m, variance, first=before.first, last=piece.last, moving=False)
                continue
        merged.append(piece)
    return merged


def _insert_moves(pieces: list[Piece], times_s: FloatArray, xy_m: FloatArray, variance: FloatArray) -> list[Piece]:
    """A movement between rests at two places: a short one is cheaper left out, but a ball does not jump."""
    result: list[Piece] = []
    for piece in pieces:
        before = result[-1] if result else None
        if before is None or before.moving or piece.moving:
            result.append(piece)
            continue
        best: tuple[float, int, int] | None = None
        for start in range(max(before.first + 1, before.last - STEP_SAMPLES), before.last + 2, STEP_GRID):
            # the second rest may be the slow start of a longer movement, and nothing of it remain
            ends = range(max(start + 1, piece.first - 1), min(piece.last, piece.first + STEP_SAMPLES) + 1, STEP_GRID)
            for stop in {*ends, min(piece.last, piece.first + STEP_SAMPLES)}:
                spans = ((before.first, start - 1, False), (start, stop, True), (stop + 1, piece.last, False))
                cost = sum(_misfit(times_s, xy_m, variance, *span) for span in spans if span[1] >= span[0])
                cost += REST_COST if stop < piece.last else 0.0
                if stop > start and (best is None or cost < best[0]):
                    best = cost, start, stop
        if best is None:
            result.append(piece)
            continue
        _, start, stop = best
        result[-1] = fit_piece(times_s, xy_m, variance, first=before.first, last=start - 1, moving=False)
        result.append(fit_piece(times_s, xy_m, variance, first=start, last=stop, moving=True))
        if stop < piece.last:
            result.append(fit_piece(times_s, xy_m, variance, first=stop + 1, last=piece.last, moving=False))
    return result


def _misfit(times_s: FloatArray, xy_m: FloatArray, variance: FloatArray, first: int, last: int, moving: bool) -> float:
    piece = fit_piece(times_s, xy_m, variance, first=first, last=last, moving=moving)
    tau = (times_s[first : last + 1] - piece.origin_s)[:, None]
    p, v, a = piece.coefficients
    off = xy_m[first : last + 1] - (p + v * tau + 0.5 * a * tau * tau)
    return float((off * off / variance[first : last + 1, None]).sum())
