"""Rest and wake-up: how noisy the tracks are, which balls lie still, and the paths of those that do not.

Object balls do not move by themselves: the first one to wake was hit. So it matters to tell a ball that rests in its
noise from one that moves by a millimetre. The noise is measured where balls lie (differences of neighbouring samples),
never below a floor, because what a calibration or a compressed picture adds does not show in differences. A detector
that keeps a centre while the picture stays the same gives it again and again: such a run is one measurement, not many.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tracker.history import BallTrack
from tracker.kinks import Path
from tracker.trajectory import Piece, fit_piece, fit_pieces

FloatArray = NDArray[np.float64]

NOISE_FLOOR_M = 0.0003
"""Least standard deviation of a centre per axis: what remains of the best calibration over a short path."""
BLUR_S = 0.0002
"""Noise along the path per speed, seconds: 5 % of the blur of an exposure of 1/250 s."""
JITTER_SHIFT = 4.5
"""A ball whose rest before and after agree within so many standard deviations did not move."""
JITTER_REACH = 5.0
"""Nor did it if no sample strays farther than so many standard deviations from its place."""

STRAY_SIGMAS = 8.0
"""A sample this many standard deviations off its smooth neighbours is no measurement of this ball."""
STRAY_M = 0.005
"""And at least this far: a compressed picture moves a fast ball by some millimetres."""
CREEP_MPS = 0.1
"""A first movement slower than this may be noise."""
STIR_SAMPLES, STIR_M = 4, 0.003
"""So few samples no farther than this from where the ball lay are a stir: a shadow, the cue before it, compression."""
LATE_SAMPLES, LATE_SIGMAS = 2, 3.5
"""A first movement that stays within so many deviations of where the ball lay but for its last samples is rest, and those
samples the start of what follows: noise that leans the right way bends a rest and a start into one slow curve."""
FEW_REST = 3
"""Fewer samples between two movements are no rest."""
STIR_FACTOR = 5.0
"""It then goes off this many times faster than a creep: nothing rolls so slowly first and then so fast untouched."""


def rest_noise_m(tracks: Iterable[BallTrack]) -> float:
    """Standard deviation of a centre per axis, from the quietest half of the differences; metres."""
    pools = []
    for track in tracks:
        xy = track.positions_m[track.seen]
        xy = xy[_fresh(xy)]
        if len(xy) >= 8:
            second = np.diff(xy, n=2, axis=0)
            pools.append(float(np.median(np.abs(second))) / 0.6745 / 6**0.5)
    if not pools:
        return 3 * NOISE_FLOOR_M
    pools.sort()
    return max(NOISE_FLOOR_M, pools[len(pools) // 2])


def _fresh(xy: FloatArray) -> NDArray[np.bool_]:
    """Which samples are measurements of their own, shape (n,): not the very place of the one before once more."""
    fresh = np.ones(len(xy), np.bool_)
    fresh[1:] = (xy[1:] != xy[:-1]).any(axis=1)
    return fresh


def make_path(track: BallTrack, noise_m: float) -> Path | None:
    """The pieces of one ball's path from its measured samples; None without any."""
    seen = track.seen
    times = np.ascontiguousarray(track.times_s[seen])
    xy = np.ascontiguousarray(track.positions_m[seen])
    if len(times) == 0:
        return None
    sigma = np.asarray(track.sigma_m[seen])
    strays = _strays(times, xy, noise_m)
    if strays.any():
        times, xy, sigma = times[~strays], np.ascontiguousarray(xy[~strays]), sigma[~strays]
    fresh = _fresh(xy)
    runs = np.cumsum(fresh) - 1
    variance = _variance(times, xy, sigma, noise_m) * np.bincount(runs)[runs]
    centre = np.median(xy, axis=0)
    deviation = np.abs(xy - centre) / np.sqrt(variance)[:, None]
    if _still(xy - centre, deviation, noise_m, int(fresh.sum())):
        pieces: list[Piece] = [fit_piece(times, xy, variance, first=0, last=len(times) - 1, moving=False)]
    else:
        pieces = _quiet(fit_pieces(times, xy, variance), times, xy, variance)
    return Path(ball=track.ball, times_s=times, xy_m=xy, variance=variance, pieces=tuple(pieces))


def _strays(times: FloatArray, xy: FloatArray, noise_m: float) -> NDArray[np.bool_]:
    """Single samples off a path that is smooth without them: another ball's detection, a hand, a reflection.

    At a contact the neighbours of the sample do not fit each other either, so contacts are left alone.
    """
    count = len(times)
    strays = np.zeros(count, np.bool_)
    if count < 5:
        return strays

    def off(middle: slice, left: slice, right: slice) -> FloatArray:
        share = ((times[middle] - times[left]) / (times[right] - times[left]))[:, None]
        gap = xy[middle] - (1 - share) * xy[left] - share * xy[right]
        return np.asarray(np.hypot(gap[:, 0], gap[:, 1]))

    own = off(slice(2, -2), slice(1, -3), slice(3, -1))
    before = off(slice(1, -3), slice(0, -4), slice(3, -1))
    after = off(slice(3, -1), slice(1, -3), slice(4, None))
    strays[2:-2] = (own > max(STRAY_SIGMAS * noise_m, STRAY_M)) & (np.maximum(before, after) < 0.3 * own)
    return strays


def _variance(times: FloatArray, xy: FloatArray, sigma: FloatArray, noise_m: float) -> FloatArray:
    speed = np.zeros(len(times))
    if len(times) > 2:
        step = np.hypot(*np.diff(xy, axis=0).T) / np.diff(times)
        speed[1:-1] = np.minimum(step[1:], step[:-1])
    # what a tracker claims counts where it claims more than the rest noise (a ball in a blur, half hidden)
    base = np.maximum(noise_m, np.minimum(sigma, 10 * noise_m) * 0.7)
    return np.asarray(base**2 + (BLUR_S * speed) ** 2)


def _still(offset: FloatArray, deviation: FloatArray, noise_m: float, fresh: int) -> bool:
    """Whether a ball stays at one place: no stray sample, and no shift between any two tenths of its samples."""
    if float(deviation.max()) > JITTER_REACH:
        return False
    parts = min(10, max(1, len(offset) // 5))
    means = np.array([part.mean(0) for part in np.array_split(offset, parts)])
    limit = 3.5 * noise_m * min(parts / fresh, 1.0) ** 0.5 + 0.0001
    return bool(np.abs(means).max() < limit)


def _quiet(pieces: list[Piece], times: FloatArray, xy: FloatArray, variance: FloatArray) -> list[Piece]:
    """Turn movements that lead nowhere back into rest: noise with a slow part, a sample that strayed."""
    result: list[Piece] = []
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        if not piece.moving:
            result.append(piece)
            index += 1
            continue
        stop = index
        while stop < len(pieces) and pieces[stop].moving:
            stop += 1
        if len(result) > 1 and result[-2].moving and result[-1].count < FEW_REST:
            # it has only just come there: that is no rest that what follows could lead back to
            piece = fit_piece(times, xy, variance, first=result.pop().first, last=piece.last, moving=True)
            pieces[index] = piece
        before = result[-1] if result else None
        after = pieces[stop] if stop < len(pieces) else None
        if _leads_nowhere(before, after, piece.first, pieces[stop - 1].last, xy, variance):
            first = before.first if before is not None else piece.first
            last = after.last if after is not None else pieces[stop - 1].last
            if before is not None:
                result.pop()
            # keep the joined rest in the list to be compared with what follows
            result.append(fit_piece(times, xy, variance, first=first, last=last, moving=False))
            index = stop + (1 if after is not None else 0)
        else:
            follow = pieces[index + 1] if index + 1 < stop else None
            # a creep before a rest elsewhere is the whole way there
            creeps = before is not None and follow is not None and _creeps(before, piece, times, xy, variance)
            if before is not None and (creeps or _is_before_start(before, piece, follow, xy)):
                result[-1] = fit_piece(times, xy, variance, first=before.first, last=piece.last, moving=False)
                index += 1
                continue
            rest = fit_piece(times, xy, variance, first=piece.first, last=piece.last, moving=False)
            if before is None and follow is not None and _lay_before(rest, follow, xy, variance):
                result.append(rest)
                index += 1
                continue
            still = _still_start(before, piece, xy, variance) if before is not None and follow is not None else 0
            if before is not None and still and still >= piece.count - LATE_SAMPLES:
                border = piece.first + still
                result[-1] = fit_piece(times, xy, variance, first=before.first, last=border - 1, moving=False)
                pieces = result + _later(fit_pieces(times[border:], xy[border:], variance[border:]), border)
                index = len(result)
                while index < len(pieces) and pieces[index].moving:
                    result.append(pieces[index])
                    index += 1
                continue
            steps = after is not None and after.count > 1 and stop == index + 1
            if before is not None and steps and _still_start(before, piece, xy, variance) == piece.count:
                # it lay still until it was somewhere else: one picture shows it here, the next one there
                follow = pieces[stop]
                spans = ((before.first, piece.last - 1, False), (piece.last, follow.first, True), (follow.first + 1, follow.last, False))
                result.pop()
                result += [fit_piece(times, xy, variance, first=a, last=b, moving=moves) for a, b, moves in spans]
                index = stop + 1
                continue
            result.extend(pieces[index:stop])
            index = stop
    return result


def _creeps(rest: Piece, piece: Piece, times: FloatArray, xy: FloatArray, variance: FloatArray) -> bool:
    """Whether a first movement is only the noise before the true one: slow, and its later half is where the ball lay."""
    if piece.count < 4 or piece.speed(0.5 * (piece.start_s + piece.end_s)) > CREEP_MPS:
        return False
    half = piece.first + piece.count // 2
    mean = xy[half : piece.last + 1].mean(0) - rest.coefficients[0]
    sigma = (float(variance[half]) / (piece.last + 1 - half) + rest.covariance[0, 0]) ** 0.5
    return bool(np.hypot(mean[0], mean[1]) < JITTER_SHIFT * sigma + NOISE_FLOOR_M)


def _lay_before(rest: Piece, follow: Piece, xy: FloatArray, variance: FloatArray) -> bool:
    """Whether the first samples of a ball are all about one place, and what follows is fast: noise bends a rest into a slow curve."""
    if rest.count < FEW_REST or follow.speed(follow.start_s) < STIR_FACTOR * CREEP_MPS:
        return False
    off = (xy[rest.first : rest.last + 1] - rest.coefficients[0]) / np.sqrt(variance[rest.first : rest.last + 1])[:, None]
    shifts = [float(np.hypot(*half.mean(0))) * len(half) ** 0.5 for half in np.array_split(off, 2)]
    return float(np.hypot(off[:, 0], off[:, 1]).max()) < JITTER_REACH and max(shifts) < JITTER_SHIFT


def _later(pieces: list[Piece], by: int) -> list[Piece]:
    """Pieces with their sample numbers moved on."""
    return [replace(piece, first=piece.first + by, last=piece.last + by) for piece in pieces]


def _still_start(rest: Piece, piece: Piece, xy: FloatArray, variance: FloatArray) -> int:
    """How many samples at the start of a movement still are where the ball lay, each by itself and in the mean."""
    off = xy[piece.first : piece.last + 1] - rest.coefficients[0]
    each = np.hypot(off[:, 0], off[:, 1]) / np.sqrt(variance[piece.first : piece.last + 1])
    count = np.arange(1, len(off) + 1)
    mean = np.cumsum(off, axis=0) / count[:, None]
    drift = np.hypot(mean[:, 0], mean[:, 1]) / np.sqrt(variance[piece.first] / count + rest.covariance[0, 0])
    moved = (each > LATE_SIGMAS) | (drift > JITTER_SHIFT)
    return int(np.argmax(moved)) if bool(moved.any()) else len(off)


def _is_before_start(rest: Piece, piece: Piece, follow: Piece | None, xy: FloatArray) -> bool:
    """Whether a short first movement is a stir before the blow: it stays where the ball lay, and what follows is fast."""
    if follow is None or piece.count > STIR_SAMPLES or follow.speed(follow.start_s) < STIR_FACTOR * CREEP_MPS:
        return False
    off = xy[piece.first : piece.last + 1] - rest.coefficients[0]
    return bool(np.hypot(off[:, 0], off[:, 1]).max() < STIR_M)


def _leads_nowhere(before: Piece | None, after: Piece | None, first: int, last: int, xy: FloatArray, variance: FloatArray) -> bool:
    rests = [rest for rest in (before, after) if rest is not None]
    if not rests:
        return False
    if len(rests) == 2:
        gap = rests[0].coefficients[0] - rests[1].coefficients[0]
        scale = rests[0].covariance[0, 0] + rests[1].covariance[0, 0] + 0.0001**2
        if float(gap @ gap) > JITTER_SHIFT**2 * scale:
            return False
    place = rests[0].coefficients[0]
    offset = xy[first : last + 1] - place
    stray = np.hypot(offset[:, 0], offset[:, 1]) / np.sqrt(variance[first : last + 1])
    if len(rests) == 2:
        # one wild sample, or a few, is an error of measurement, not a journey
        return float(np.quantile(stray, 0.5)) < JITTER_REACH
    mean = offset.mean(0)
    limit = JITTER_SHIFT * float(np.sqrt(variance[first] / len(offset)))
    return float(stray.max()) < JITTER_REACH and float(np.hypot(mean[0], mean[1])) < limit
