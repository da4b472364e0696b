"""Soft contacts: those that bend a path too little to part it into pieces.

A ball turns only where something is that can turn it. So wherever a path comes to touching distance of a nose, or two
paths to two radii of each other, without a contact having been found, one number is asked for: the jump of velocity
along the normal there. Both sides may slow differently (sliding, rolling), place and speed across the normal go on
unbroken; so a jump counts from three standard deviations, where a free change of course in the open needs many more.

Fails: below 10 to 20 mm/s the jump is hidden in the noise; where another contact follows within a few frames there are
too few samples to tell.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from calibration.table import POCKETS
from tracker.contacts import Contact
from tracker.jaws import jaw_gaps_m, jaw_sigma_m
from tracker.jump import LEAST_MPS, LEAST_SAMPLES, PLACE_M, likeliest_jump
from tracker.kinks import Path
from tracker.noses import INWARD, Surroundings
from tracker.trajectory import Piece

FloatArray = NDArray[np.float64]

WINDOW_S = 0.25
"""Samples on each side of a passage that are fitted: longer meets the next change of sliding, shorter loses slow ones."""
TURNING_S = 0.2
"""A rest shorter than this between two movements is the turn of a slow ball."""
NEAR_M = 0.0025
"""A passage is asked about from this distance beyond touch, besides its noise."""
CUT_M = 0.006
"""And by so much a curve laid through a turn cuts its corner: 0.3 m/s in the middle of a third of a second."""
STEEP_MPS2, CUT_SHARE = 3.0, 0.06
"""No cloth turns a ball faster than the first, so a curve that does so away from a nose hides a bounce, whose corner it cuts by up to
the second part of that acceleration times its duration squared (a curve of least squares through a bounce in its middle: 0.025)."""
BACK_M, BACK_SIGMAS, BACK_SAMPLES = 0.002, 5.0, 5
"""A ball that comes nearer to a nose by so much, and so many deviations of so many samples, and goes as far off again was sent back:
what rolls to its end by itself stays there."""
BACK_GAIN = 16.0
"""What such a way counts for: a nose may lie elsewhere, and something else have turned the ball just there."""
ROLLING_WINDOW_S = 0.7
"""The same before it of a ball that rolls: nothing else changes its slowing."""
ROLLS_S, ROLLS_MPS = 0.4, 0.3
"""So long after a contact a ball this slow has ceased to slide."""
ARRIVED_M = 0.0015
"""A smooth way is laid through a soft touch; it is this much nearer long after the touch than at it."""
ONCE_FRAMES = 3.5
"""Two touches of one rubber within so many pictures are one."""
GRADIENT_M = 1e-4
"""Step by which the way off a rounded lip is told."""
KNOWN_SIGMAS = 2.0
"""Samples nearer than this to another contact may lie on either side of it."""


def soft_contacts(
    paths: Mapping[BallId, Path], contacts: Sequence[Contact], around: Surroundings, since_s: float, frame_s: float
) -> list[Contact]:
    """Contacts that are not among those found, in no order.

    Args:
        paths: All balls.
        contacts: Those found from changes of course.
        around: The bed's edge.
        since_s: The stroke; nothing before it.
        frame_s: Usual spacing of the frames.
    """
    busy = {
        ball: sorted((c.time_s, KNOWN_SIGMAS * min(c.sigma_s, frame_s)) for c in contacts if ball in (c.ball, c.other)) for ball in paths
    }
    movers = {ball: _Way(path, busy[ball], since_s, frame_s) for ball, path in paths.items() if path.moves}
    found = []
    for way in movers.values():
        for cushion in INWARD:
            found += _cushion(way, cushion, around, frame_s)
        for pocket in POCKETS:
            found += _jaw(way, pocket, around, frame_s)
    found = _once(found, contacts, frame_s)
    names = sorted(movers)
    for k, a in enumerate(names):
        for b in names[k + 1 :]:
            found += _pair(movers[a], movers[b], 2 * around.radius_m, frame_s)
    return found


def _once(found: Sequence[Contact], contacts: Sequence[Contact], frame_s: float) -> list[Contact]:
    """Touches of rubber less those that are another one told twice: the way so near to a turn is bent by it."""
    kept: list[Contact] = []
    for touch in sorted(found, key=lambda touch: -touch.gain):
        mine = [other for other in (*contacts, *kept) if other.ball == touch.ball and other.cushion is not None]
        mine = [other for other in mine if other.cushion == touch.cushion or touch.pocket is not None]
        if all(abs(other.time_s - touch.time_s) > ONCE_FRAMES * frame_s for other in mine):
            kept.append(touch)
    return kept


class _Way:
    """One moving ball: its samples, smooth places, and the stretches between known contacts."""

    def __init__(self, path: Path, busy: Sequence[tuple[float, float]], since_s: float, frame_s: float) -> None:
        self.path = path
        self.times_s = path.times_s
        self.smooth_m = np.concatenate([_places(piece, path.times_s[piece.first : piece.last + 1]) for piece in path.pieces])
        moving = [piece.moving for piece in path.pieces]
        for k in range(1, len(moving) - 1):
            piece = path.pieces[k]
            # it turned there: a ball that comes back from a cushion at a crawl stands still for some pictures
            moving[k] |= moving[k - 1] and path.pieces[k + 1].moving and piece.end_s - piece.start_s < TURNING_S
        self.moving = np.concatenate([np.full(piece.count, moves) for piece, moves in zip(path.pieces, moving, strict=True)])
        self.moving &= path.times_s > since_s + frame_s
        self.borders = np.array([since_s, *(time for time, _ in busy), np.inf])
        self.doubts_s = np.array([0.0, *(doubt for _, doubt in busy), 0.0])

    def corners_m(self, inward: FloatArray) -> FloatArray:
        """By how much each sample's piece may cut the corner of a turn away from a nose, shape (N,); 0 where cloth bends it so."""
        cuts = [
            CUT_SHARE * steep * (piece.end_s - piece.start_s) ** 2 if (steep := float(inward @ piece.coefficients[2])) > STEEP_MPS2 else 0.0
            for piece in self.path.pieces
        ]
        return np.repeat(cuts, [piece.count for piece in self.path.pieces])

    def stretch(self, time_s: float) -> tuple[float, float]:
        """From the known contact before a time to the one after it, less what these are uncertain by."""
        k = min(int(np.searchsorted(self.borders, time_s)), len(self.borders) - 1)
        return float(self.borders[k - 1] + self.doubts_s[k - 1]), float(self.borders[k] - self.doubts_s[k])


def _places(piece: Piece, times: FloatArray) -> FloatArray:
    tau = times - piece.origin_s
    p, v, a = piece.coefficients
    return np.asarray(p + tau[:, None] * v + 0.5 * (tau * tau)[:, None] * a)


def _cushion(way: _Way, cushion: str, around: Surroundings, frame_s: float) -> list[Contact]:
    gap = around.gaps_m(cushion, way.smooth_m)
    limit = NEAR_M + 2 * np.sqrt(way.path.variance / 4) + way.corners_m(INWARD[cushion])
    found = []
    for k in _minima(gap, way.moving & (gap < limit)):
        place = way.smooth_m[k]
        if around.beside_nose(cushion, place):
            gaps_m = partial(around.gaps_m, cushion)
            found += _touch(way, k, gaps_m, PLACE_M, frame_s, (cushion, None)) or _return(way, k, gaps_m, frame_s, cushion)
    return found


def _return(way: _Way, index: int, gaps_m: Callable[[FloatArray], FloatArray], frame_s: float, cushion: str) -> list[Contact]:
    """The touch of a ball that rolled to a nose and back, however slowly: its places tell it where its speeds do not."""
    time = float(way.times_s[index])
    low, high = way.stretch(time)
    rows = np.flatnonzero((way.times_s > low) & (way.times_s < high))
    if len(rows) < 3 * BACK_SAMPLES:
        return []
    gap = gaps_m(way.path.xy_m[rows])
    means = _running(gap, BACK_SAMPLES)
    first = max(0, int(np.searchsorted(rows, index)) - BACK_SAMPLES)
    k = first + int(means[first : first + BACK_SAMPLES + 1].argmin())
    before, after = gap[:k], gap[k + BACK_SAMPLES :]
    if min(len(before), len(after)) < BACK_SAMPLES or abs(float(means[k])) > NEAR_M:
        return []
    # of the highest of many means noise is a part: longer ones hold less of it
    far = (float(_running(side, min(len(side), 3 * BACK_SAMPLES)).max()) for side in (before, after))
    back_m = min(far) - float(means[k])
    sigma_m = float((way.path.variance[rows].max() / BACK_SAMPLES) ** 0.5)
    if back_m < max(BACK_M, BACK_SIGMAS * sigma_m):
        return []
    use = _window(way, time, low, high)
    jump = likeliest_jump(
        way.times_s[use],
        partial(_same, gaps_m(way.path.xy_m[use])),
        way.path.variance[use],
        time,
        frame_s,
        PLACE_M,
        0.0,
        _arrived_s(way, index, gaps_m),
    )
    middle = rows[k + BACK_SAMPLES // 2]
    contact = Contact(
        ball=way.path.ball,
        cushion=cushion,
        time_s=float(way.times_s[middle]) if jump is None else jump.time_s,
        sigma_s=BACK_SAMPLES * frame_s if jump is None else jump.sigma_s,
        place_m=way.smooth_m[middle],
        impulse_mps=LEAST_MPS if jump is None else jump.size_mps,
        gain=BACK_GAIN,
    )
    return [contact]


def _running(values: FloatArray, count: int) -> FloatArray:
    """Means of `count` neighbours, shape (n - count + 1,)."""
    return np.convolve(values, np.full(count, 1 / count), "valid")


def _jaw(way: _Way, pocket: str, around: Surroundings, frame_s: float) -> list[Contact]:
    """Touches of the lips and facings of a mouth."""
    away = way.smooth_m - np.array(around.table.mouth_centre_m(pocket))
    near = way.moving & (np.hypot(away[:, 0], away[:, 1]) < around.mouth_half_m(pocket) + 2 * around.radius_m)
    if not near.any():
        return []
    gap = np.full(len(near), np.inf)
    gap[near] = jaw_gaps_m(way.smooth_m[near], pocket, around)
    rubber_m = jaw_sigma_m(around)
    limit = NEAR_M + CUT_M + rubber_m + 2 * np.sqrt(way.path.variance / 4)
    found = []
    for k in _minima(gap, near & (gap < limit)):
        place = way.smooth_m[k]
        cushion = around.nearest_cushion(place)
        if around.beside_nose(cushion, place):
            continue
        at, right, up = jaw_gaps_m(place + GRADIENT_M * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), pocket, around)
        normal = np.array([right - at, up - at])
        normal /= max(float(np.hypot(*normal)), 1e-12)
        found += _touch(way, k, partial(_flat, at - float(place @ normal), normal), rubber_m, frame_s, (cushion, pocket))
    return found


def _flat(offset_m: float, normal: FloatArray, points_m: FloatArray) -> FloatArray:
    return np.asarray(offset_m + points_m @ normal)


def _touch(
    way: _Way,
    index: int,
    gaps_m: Callable[[FloatArray], FloatArray],
    place_m: float,
    frame_s: float,
    rubber: tuple[str, str | None],
) -> list[Contact]:
    """The touch of rubber (cushion, and pocket where it is a jaw) about a sample; none where the ball did not turn there."""
    time = float(way.times_s[index])
    low, high = way.stretch(time)
    rolls = _rolls(way, time)
    use = _window(way, time, low, high, ROLLING_WINDOW_S if rolls else WINDOW_S)
    z, since_s = gaps_m(way.path.xy_m[use]), _arrived_s(way, index, gaps_m)
    jump = likeliest_jump(way.times_s[use], partial(_same, z), way.path.variance[use], time, frame_s, place_m, since_s=since_s, rolls=rolls)
    if jump is None:
        return []
    contact = Contact(
        ball=way.path.ball,
        cushion=rubber[0],
        pocket=rubber[1],
        time_s=jump.time_s,
        sigma_s=jump.sigma_s,
        place_m=way.smooth_m[index],
        impulse_mps=jump.size_mps,
        gain=jump.gain,
    )
    return [contact]


def _rolls(way: _Way, time_s: float) -> bool:
    """Whether a ball must roll at a time: it is slow, and the last contact is long ago."""
    speed = way.path.piece_at(time_s - ROLLS_S / 2).speed(time_s - ROLLS_S / 2)
    return way.stretch(time_s)[0] < time_s - ROLLS_S and speed < ROLLS_MPS


def _arrived_s(way: _Way, index: int, gaps_m: Callable[[FloatArray], FloatArray]) -> float:
    """When a ball came as near as it will but for ARRIVED_M, by its smooth way: one that crawls may have touched and stayed since."""
    first = int(np.searchsorted(way.times_s, way.times_s[index] - WINDOW_S))
    gaps = gaps_m(way.smooth_m[first : index + 1])
    return float(way.times_s[first + int(np.flatnonzero(gaps < gaps[-1] + ARRIVED_M)[0])])


def _same(gap_m: FloatArray, when_s: float) -> FloatArray:
    return gap_m


def _window(way: _Way, time: float, low: float, high: float, reach_s: float = WINDOW_S) -> NDArray[np.int64]:
    t = way.times_s
    # a ball that stands still tells nothing about a jump: only the samples of this motion count
    start = stop = int(np.searchsorted(t, time))
    start, stop = min(start, len(t) - 1), min(stop, len(t) - 1)
    while start > 0 and way.moving[start - 1] and t[start - 1] > max(low, time - reach_s):
        start -= 1
    while stop + 1 < len(t) and way.moving[stop + 1] and t[stop + 1] < min(high, time + WINDOW_S):
        stop += 1
    return np.arange(start, stop + 1)


def _minima(gap: FloatArray, wanted: NDArray[np.bool_]) -> list[int]:
    """The sample of least gap in each run of wanted ones."""
    found = []
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]])))
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        found.append(int(start + np.argmin(gap[start:stop])))
    return found


def _pair(a: _Way, b: _Way, reach_m: float, frame_s: float) -> list[Contact]:
    if a.times_s[-1] < b.times_s[0] or b.times_s[-1] < a.times_s[0]:
        return []
    _, ia, ib = np.intersect1d(a.times_s, b.times_s, assume_unique=True, return_indices=True)
    if len(ia) < 2 * LEAST_SAMPLES:
        return []
    distance = np.hypot(*(a.smooth_m[ia] - b.smooth_m[ib]).T) - reach_m
    if float(distance.min()) > 2 * NEAR_M:
        return []
    limit = NEAR_M + 2 * np.sqrt((a.path.variance[ia] + b.path.variance[ib]) / 4)
    found = []
    for k in _minima(distance, (a.moving[ia] & b.moving[ib]) & (distance < limit)):
        time = float(a.times_s[ia[k]])
        (la, ha), (lb, hb) = a.stretch(time), b.stretch(time)
        ua, ub = _window(a, time, max(la, lb), min(ha, hb)), _window(b, time, max(la, lb), min(ha, hb))
        _, ja, jb = np.intersect1d(a.times_s[ua], b.times_s[ub], assume_unique=True, return_indices=True)
        if len(ja) < 2 * LEAST_SAMPLES:
            continue
        ja, jb = ua[ja], ub[jb]
        offset = b.smooth_m[ib[k]] - a.smooth_m[ia[k]]
        normal = offset / max(float(np.hypot(*offset)), 1e-9)
        gap = _LineOfCentres(a.times_s[ja], b.path.xy_m[jb] - a.path.xy_m[ja], b.smooth_m[jb] - a.smooth_m[ja], reach_m)
        jump = likeliest_jump(a.times_s[ja], gap, a.path.variance[ja] + b.path.variance[jb], time, frame_s, PLACE_M)
        if jump is not None:
            first, second = (a, b) if _toward(a, ia[k], normal) > _toward(b, ib[k], -normal) else (b, a)
            found.append(
                Contact(
                    ball=first.path.ball,
                    other=second.path.ball,
                    time_s=jump.time_s,
                    sigma_s=jump.sigma_s,
                    place_m=first.path.position(jump.time_s),
                    impulse_mps=jump.size_mps / 2,
                    gain=jump.gain,
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class _LineOfCentres:
    """The gap of two balls along their line of centres at an instant.

    The distance itself would bend without any contact: two balls that pass each other come nearer and go apart again.

    Attributes:
        times_s: Shape (N,).
        away_m: From one to the other as measured, (N, 2).
        smooth_m: The same, smoothed.
        reach_m: Two radii.
    """

    times_s: FloatArray
    away_m: FloatArray
    smooth_m: FloatArray
    reach_m: float

    def __call__(self, when_s: float) -> FloatArray:
        x, y = (float(np.interp(when_s, self.times_s, self.smooth_m[:, axis])) for axis in (0, 1))
        return np.asarray(self.away_m @ np.array([x, y]) / max(float(np.hypot(x, y)), 1e-9) - self.reach_m, dtype=np.float64)


def _toward(way: _Way, index: int, normal: FloatArray) -> float:
    return float(way.path.piece_at(float(way.times_s[index])).velocity(float(way.times_s[index])) @ normal)
