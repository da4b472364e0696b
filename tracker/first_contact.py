"""Which ball the struck ball touched first.

Object balls do not move by themselves: the first one to wake was hit. Where several wake within a few frames three
evidences decide, each as a probability: the race (the path of the struck ball, with its doubt, against the balls at
rest: whose circle does it enter first), the wake times, and the outcome (a ball hit first takes its share of the full
speed, one hit second its share of what is left). The outcome says nothing where the two lines of centres are a right
angle apart; the race then is the limit (about 1 ms at 60 fps and 1 mm).

Where it fails: fewer than two frames between stroke and contact leave no path; hits closer than 0.1 ms are both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from calibration.equipment import BallId
from tracker.aside import floor_shares
from tracker.kinks import Kink, Path
from tracker.trajectory import Piece, fit_piece

FloatArray = NDArray[np.float64]

TOGETHER_S = 0.05
"""Balls that wake within this time of the first (or within three frames) compete for having been hit first."""
SYSTEMATIC_M = 0.0004
"""What calibration bends a path by, across it, within a shot: without it a race of 0.1 mm would be called sure."""
RESTITUTION = 0.95
"""Speed of separation over that of approach between balls: 0.92 to 0.98."""
OUTCOME_SLACK = 0.06
"""Relative doubt of a speed after contact: restitution, throw, friction on the cloth before the first frames."""
DRAWS = 400
"""Paths drawn for the race; 400 resolve 0.3 %."""
THROW = 0.05
"""A ball leaves off the line of centres by so much (radians): friction between balls, at most three degrees."""
OUTCOME_LIMIT = 25.0
"""Largest chi square that one speed may count: a third ball or a cushion may have changed it."""
OUTCOME_NATS = 8.0
"""What speeds say at most: beyond that neither order explains them, and something else happened meanwhile."""
OUTCOME_SIGMA_S = 0.014
"""Where a start is known worse than this something may have turned the ball since: its speed is not that of the blow."""
STIR_MPS, PASSED_M = 0.04, 0.012
"""A start as slow as this is noise as likely as a graze; and a graze needs the struck ball nearer than this to touching."""
SURE_MPS, SURE_SIGMAS = 0.15, 5.0
"""A start this fast, or this many deviations off rest, is none of the measurement's, wherever the struck ball was."""
FAR_SHARE = 0.3
"""Probability that such a ball was moved by something else: a hand, a ball that was not seen to be hit."""
NEAR_MOMENTS = 12
"""Moments on each side of a wake-up at which the way of the struck ball is looked at."""
ANCHOR_SIGMAS = 2.0
"""The first to wake for sure is sought this many deviations late: a creep of unknown start must not come before a blow."""
SLOW_START_M = 0.0007
"""Way that a slow start hides in the noise: at 0.03 m/s its time is known to 50 ms only."""
NO_WAKE = 0.02
"""Likelihood of a ball being hit first and standing still, where it touches another that takes the blow on."""
NEVER_WAKES = 1e-6
"""The same of a ball that touches none: at what it would have to take unseen the path would have to graze it to micrometres."""
RACE_FLOOR = 1e-3
"""Least probability of the race: the path may be bent where it was not seen."""
MISS_SCALE_M = 0.002
"""Where no drawn path reaches a ball, each such distance beyond reach costs one unit of log odds."""
STROKE_WAY_M = 0.0003
"""Way of the ball while the tip is on it."""
STRAIGHT_MPS2 = 0.4
"""Acceleration a priori just after a stroke: across the way it is next to none (swerve), along it 2 m/s^2 of sliding shifts
the time, not the order. Looser lets three noisy samples bend the path by centimetres."""
TOUCHING_M = 0.004
"""Balls with a smaller gap wake together when one is hit, and share its blow: neither wake times nor speeds tell them."""
STRAY_WAKE = 0.01
"""Share of wake-up times that are off by more than they claim (a ball in a cluster that creeps first)."""
FEW_SAMPLES, FEW_SHARE = 2, 0.3
"""A ball seen so few times before its next change of course tells its speed to such a share: one of them may be beyond that."""
SENT_ON_FRAMES = 1.5
"""A ball that meets another within so many pictures of being hit shows no speed of its own in between."""
OUTCOME_TEMPER = 0.5
"""Weight of the outcome's log odds: two-impulse collisions are a crude model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstContact:
    """The answer.

    Attributes:
        probability: Ball, "none" or "unknown" to probability; adds up to 1.
        time_s: When the likeliest ball was hit; None without a contact.
        sigma_s: Standard deviation of that.
        rivals: Balls that competed, the likeliest first.
    """

    probability: Mapping[str, float]
    time_s: float | None = None
    sigma_s: float = 0.0
    rivals: tuple[BallId, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rival:
    """A ball that may have been hit first: where it lay, and its wake-up if it had one."""

    ball: BallId
    place_m: FloatArray
    place_variance: float
    kink: Kink | None
    not_before_s: float = -np.inf
    """The struck ball was not near it earlier."""

    @property
    def wake_sigma_s(self) -> float:
        """Deviation of the wake time, with what a slow start adds."""
        kink = self.kink
        return 1.0 if kink is None else (kink.sigma_s**2 + (SLOW_START_M / max(kink.size_mps, 1e-3)) ** 2) ** 0.5


def decide(
    striker: Path, strike: Kink, wakes: Sequence[Kink], resting: Mapping[BallId, Piece], reach_m: float, frame_s: float
) -> FirstContact | None:
    """Who was hit first by the struck ball; None when no ball woke that it can have reached.

    Args:
        striker: Path of the struck ball.
        strike: Its first kink.
        wakes: First kinks of the other balls, all after the stroke.
        resting: Where each other ball lay at the stroke.
        reach_m: Two radii.
        frame_s: Usual spacing of the frames.
    """
    woken = [_Rival(k.ball, k.before.coefficients[0], float(k.before.covariance[0, 0]), k) for k in wakes]
    near = []
    for rival in woken:
        came = _came_near(striker, rival, resting, reach_m, frame_s)
        if came is not None:
            near.append(replace(rival, not_before_s=came))
    far = 0.0 if near else FAR_SHARE
    near = near or [rival for rival in woken if _surely_woke(rival)]
    near = [rival for rival in near if not _only_stirs(striker, rival, reach_m)] or near
    if not near:
        return None
    anchor = min(near, key=lambda rival: _wake(rival) + ANCHOR_SIGMAS * rival.wake_sigma_s)
    limit = _wake(anchor) + max(TOGETHER_S, 3 * frame_s)
    rivals = [rival for rival in near if _wake(rival) - 2 * rival.wake_sigma_s <= limit]
    named = {rival.ball for rival in rivals}
    # a ball in the path that did not wake soon: in a cluster the one hit may stand still at first
    rivals += [
        _Rival(ball, piece.coefficients[0], float(piece.covariance[0, 0]), None) for ball, piece in resting.items() if ball not in named
    ]
    approach, window = way_there(striker, strike, _wake(anchor), limit, frame_s)
    race, times = _race(approach, rivals, reach_m, window)
    cluster = _clusters(rivals, reach_m)  # of all: those of a rack touch one another through such as have not woken
    keep = [k for k in range(len(rivals)) if race[k] > 0 or rivals[k].ball in named]
    rivals, race, times, cluster = [rivals[k] for k in keep], race[keep], times[keep], [cluster[k] for k in keep]
    if not (race > 0).any():
        # the path reaches none of them: then it is the nearest to it that counts
        race = np.exp(-np.array([max(0.0, _miss(approach, rival, window) - reach_m) for rival in rivals]) / MISS_SCALE_M)
        race /= max(float(race.sum()), 1e-12)
    least = RACE_FLOOR / len(rivals) * floor_shares(approach, np.array([rival.place_m for rival in rivals]), race, times, reach_m)
    log = np.log(np.maximum(race, least))
    log += np.array([_wake_evidence(k, rivals, cluster) for k in range(len(rivals))])
    awake = sorted((k for k, rival in enumerate(rivals) if rival.kink is not None), key=lambda k: _wake(rivals[k]))[:2]
    if len(awake) == 2 and all(cluster.count(cluster[k]) == 1 for k in awake):
        log += OUTCOME_TEMPER * _outcome(approach, rivals, awake, times, reach_m, frame_s)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    order = [int(k) for k in np.argsort(-weight) if weight[k] > 1e-4]
    total = float(weight[order].sum())
    best = rivals[order[0]]
    return FirstContact(
        probability={rivals[k].ball: (1 - far) * float(weight[k]) / total for k in order} | ({"unknown": far} if far else {}),
        time_s=best.kink.time_s
        if best.kink is not None and best.wake_sigma_s < 0.03
        else float(np.nan_to_num(times[order[0]], nan=_wake(anchor))),
        sigma_s=min(best.wake_sigma_s, frame_s),
        rivals=tuple(rivals[k].ball for k in order),
    )


def _wake(rival: _Rival) -> float:
    return max(rival.kink.time_s, rival.not_before_s) if rival.kink is not None else np.inf


def _surely_woke(rival: _Rival) -> bool:
    """Whether a ball that the struck ball was not near moved all the same: noise leaves its place by some millimetres, too."""
    return rival.kink is not None and (rival.kink.size_mps > SURE_MPS or rival.kink.size_mps > SURE_SIGMAS * rival.kink.variance**0.5)


def _clusters(rivals: Sequence[_Rival], reach_m: float) -> list[int]:
    """A label per ball, the same for balls that touch, directly or through others."""
    label = list(range(len(rivals)))
    for j, b in enumerate(rivals):
        for i, a in enumerate(rivals[:j]):
            if label[i] != label[j] and float(np.hypot(*(a.place_m - b.place_m))) < reach_m + TOUCHING_M:
                old, new = label[j], label[i]
                label = [new if value == old else value for value in label]
    return label


def _wake_evidence(index: int, rivals: Sequence[_Rival], cluster: Sequence[int]) -> float:
    """Log likelihood that a ball woke before those of other clusters."""
    kink = rivals[index].kink
    if kink is None:
        passed_on = any(cluster[j] == cluster[index] and other.kink is not None for j, other in enumerate(rivals))
        return float(np.log(NO_WAKE if passed_on else NEVER_WAKES))
    log = 0.0
    for j, other in enumerate(rivals):
        if cluster[j] != cluster[index] and other.kink is not None:
            sigma = (rivals[index].wake_sigma_s ** 2 + other.wake_sigma_s**2 + 0.0003**2) ** 0.5
            later = float(ndtr((_wake(other) - _wake(rivals[index])) / sigma))
            log += float(np.log(STRAY_WAKE + (1 - STRAY_WAKE) * later))
    return max(log, float(np.log(STRAY_WAKE)) - 2)


def _came_near(striker: Path, rival: _Rival, resting: Mapping[BallId, Piece], reach_m: float, frame_s: float) -> float | None:
    """When the struck ball came near a ball that woke, about the time it did, or near one that touches it and may stand
    still itself; None where it was near neither: nothing is hit before."""
    kink = rival.kink
    if kink is None:
        return None
    spread = frame_s + 3 * min(rival.wake_sigma_s, 0.05)
    moments = np.linspace(kink.time_s - spread, kink.time_s + spread, 2 * NEAR_MOMENTS + 1)
    touching = [piece.coefficients[0] for ball, piece in resting.items() if ball != rival.ball]
    places = [rival.place_m, *(place for place in touching if float(np.hypot(*(place - rival.place_m))) <= reach_m + TOUCHING_M)]
    speed = max(striker.piece_at(kink.time_s - frame_s).speed(kink.time_s), striker.piece_at(kink.time_s + frame_s).speed(kink.time_s))
    way = np.array([striker.position(float(t)) for t in moments])
    nearest = np.min([np.hypot(way[:, 0] - x, way[:, 1] - y) for x, y in places], axis=0)
    inside = np.flatnonzero(nearest < reach_m + 0.004 + speed * 0.6 * frame_s)
    return float(moments[inside[0]]) if len(inside) else None


def _only_stirs(striker: Path, rival: _Rival, reach_m: float) -> bool:
    """Whether a ball that crept off can be left out: the struck ball passed it at a distance while it did."""
    kink = rival.kink
    if kink is None or kink.size_mps > STIR_MPS:
        return False
    spread = 3 * min(rival.wake_sigma_s, TOGETHER_S)
    moments = np.linspace(kink.time_s - spread, kink.time_s + spread, 33)
    return min(float(np.hypot(*(striker.position(t) - rival.place_m))) for t in moments) > reach_m + PASSED_M


def way_there(striker: Path, strike: Kink, first: float, last: float, frame_s: float) -> tuple[Piece, tuple[float, float]]:
    """The path of the struck ball that leads to the contact, and the span in which it is to be looked for."""
    window = max(first - max(0.06, 2.5 * frame_s), strike.time_s - 0.5 * frame_s), last + max(0.03, 1.5 * frame_s)
    moving = [piece for piece in striker.pieces if piece.moving and piece.start_s >= strike.low_s - 1e-6]
    leading = [piece for piece in moving if piece.start_s < first - 0.25 * frame_s]
    # a way that begins with the last picture before the contact is the way after it
    begun = striker.times_s < first
    leading = [piece for piece in leading if int(begun[piece.first : piece.last + 1].sum()) > 1] or leading
    if len(leading) > 1 and leading[-1].count >= 4:
        return leading[-1], window
    if len(leading) > 1 and leading[-1].count <= 2 and leading[-2].count >= 4:
        return leading[-2], window
    # the first way after the stroke: its samples, and the place where the ball lay (it was there at the tip contact)
    start = leading[0].first if leading else (moving[0].first if moving else len(striker.times_s) - 1)
    stop = leading[0].last if leading else start
    stop = max(start, min(stop, int(np.searchsorted(striker.times_s, first, "right")) - 1))
    times = np.concatenate([[strike.time_s], striker.times_s[start : stop + 1]])
    places = np.concatenate([[strike.before.position(strike.time_s)], striker.xy_m[start : stop + 1]])
    at_rest = strike.before.position_variance(strike.time_s) + (STROKE_WAY_M) ** 2
    variance = np.concatenate([[at_rest], striker.variance[start : stop + 1]])
    return fit_piece(times, places, variance, first=0, last=len(times) - 1, moving=True, acceleration_prior_mps2=STRAIGHT_MPS2), window


def _race(piece: Piece, rivals: Sequence[_Rival], reach_m: float, window: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
    """Share of drawn paths that enter each ball's circle first, and the mean time of entry (nan: never)."""
    rng = np.random.default_rng(20240501)
    grid = np.linspace(*window, 65)
    tau = grid - piece.origin_s
    basis = np.stack([np.ones_like(tau), tau, 0.5 * tau * tau])
    root = np.linalg.cholesky(piece.covariance + np.diag([1e-14, 1e-12, 1e-12]))
    noise = np.einsum("ij,njk->nik", root, rng.standard_normal((DRAWS, 3, 2)))
    paths = np.einsum("ig,nik->ngk", basis, piece.coefficients[None] + noise)
    paths += SYSTEMATIC_M * rng.standard_normal((DRAWS, 1, 2))
    entry = np.full((DRAWS, len(rivals)), np.inf)
    for k, rival in enumerate(rivals):
        sigma = (rival.place_variance + (0.5 * SYSTEMATIC_M) ** 2) ** 0.5
        centre = rival.place_m + sigma * rng.standard_normal((DRAWS, 1, 2))
        gap = np.hypot(paths[:, :, 0] - centre[:, :, 0], paths[:, :, 1] - centre[:, :, 1]) - reach_m
        inside = gap <= 0
        hit = inside.any(1)
        index = np.argmax(inside, axis=1)
        before = np.maximum(index - 1, 0)
        row = np.arange(DRAWS)
        g0, g1 = gap[row, before], gap[row, index]
        share = np.where(index > 0, g0 / np.maximum(g0 - g1, 1e-9), 0.0)
        entry[hit, k] = (grid[before] + share * (grid[1] - grid[0]))[hit]
    winner = np.argmin(entry, axis=1)
    any_hit = np.isfinite(entry).any(1)
    race = np.array([float((any_hit & (winner == k)).sum()) for k in range(len(rivals))]) / max(1, int(any_hit.sum()))
    times = np.array([float(np.mean(column[np.isfinite(column)])) if np.isfinite(column).any() else np.nan for column in entry.T])
    return race, times


def _miss(piece: Piece, rival: _Rival, window: tuple[float, float]) -> float:
    grid = np.linspace(*window, 65)
    return min(float(np.hypot(*(piece.position(t) - rival.place_m))) for t in grid)


def _outcome(piece: Piece, rivals: Sequence[_Rival], awake: Sequence[int], times: FloatArray, reach_m: float, frame_s: float) -> FloatArray:
    """Log likelihood of the speeds after contact for each ball having been hit first, of the two that woke first (`awake`)."""
    log = np.zeros(len(rivals))
    if any((kink := rivals[k].kink) is not None and kink.sigma_s > OUTCOME_SIGMA_S for k in awake):
        return log
    told = {k: _departure(piece, rivals[k], float(times[k]) if np.isfinite(times[k]) else _wake(rivals[k]), reach_m) for k in awake}
    incoming = piece.velocity(min(t.time_s for t in told.values()))
    speed = float(np.hypot(*incoming))
    share = (1 + RESTITUTION) / 2
    if any(
        _sent_on(rivals[a], rivals[b], told[a].normal, share * float(incoming @ told[a].normal), reach_m, frame_s) for a, b in _both(awake)
    ):
        return log
    for first, second in _both(awake):
        left = incoming - share * max(0.0, float(incoming @ told[first].normal)) * told[first].normal
        for k, velocity in ((first, incoming), (second, left)):
            normal = told[k].normal
            want = share * max(0.0, float(velocity @ normal))
            across = float(velocity[0] * normal[1] - velocity[1] * normal[0])
            spread = told[k].variance + (OUTCOME_SLACK * max(want, 0.3 * speed)) ** 2 + (across * told[k].angle_sigma) ** 2
            log[first] -= 0.5 * min((told[k].speed_mps - want) ** 2 / spread, OUTCOME_LIMIT)
    log = np.logaddexp(log, -OUTCOME_NATS)
    for k in range(len(rivals)):
        if k not in awake:
            log[k] = max(log[j] for j in awake)
    return np.asarray(log)


@dataclass(frozen=True, slots=True)
class _Departure:
    """How a ball that was hit left: line of centres and its doubt (radians), speed along it and its variance; when it was hit."""

    normal: FloatArray
    angle_sigma: float
    speed_mps: float
    variance: float
    time_s: float


def _departure(piece: Piece, rival: _Rival, when_s: float, reach_m: float) -> _Departure:
    """The line of centres as the places of the two balls tell it and as the way of the one that was hit does."""
    kink = rival.kink
    assert kink is not None
    offset = rival.place_m - piece.position(when_s)
    place = (piece.position_variance(when_s) + rival.place_variance + SYSTEMATIC_M**2) ** 0.5 / reach_m
    way = (kink.variance / max(kink.size_mps, 1e-3) ** 2 + THROW**2) ** 0.5
    line = offset / max(float(np.hypot(*offset)), 1e-9) / place**2 + kink.jump_mps / max(kink.size_mps, 1e-9) / way**2
    normal = line / max(float(np.hypot(*line)), 1e-9)
    few = FEW_SHARE * kink.size_mps if kink.after.count <= FEW_SAMPLES else 0.0
    return _Departure(
        normal=normal,
        angle_sigma=(place**-2 + way**-2) ** -0.5,
        speed_mps=float(normal @ kink.jump_mps),
        variance=kink.variance + few**2,
        time_s=when_s,
    )


def _both(pair: Sequence[int]) -> tuple[tuple[int, int], tuple[int, int]]:
    a, b = pair
    return (a, b), (b, a)


def _sent_on(a: _Rival, b: _Rival, normal: FloatArray, speed_mps: float, reach_m: float, frame_s: float) -> bool:
    """Whether the first ball, hit along a line of centres, would meet the second within a picture or two: its speed is then
    what it kept, and the other's what it gave."""
    away = b.place_m - a.place_m
    along, aside = float(away @ normal), abs(float(normal[0] * away[1] - normal[1] * away[0]))
    if along <= 0 or aside >= reach_m or speed_mps <= 0:
        return False
    return float(along - (reach_m**2 - aside**2) ** 0.5) < SENT_ON_FRAMES * frame_s * speed_mps
