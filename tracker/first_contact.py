"""Which ball the struck ball touched first.

Object balls do not move by themselves: the first one to wake was hit. Where several wake within a few frames three
evidences decide, each as a probability: the race (the path of the struck ball, with its doubt, against the balls at
rest: whose circle does it enter first), the wake times, and the outcome (a ball hit first takes its share of the full
speed, one hit second its share of what is left). The outcome says nothing where the two lines of centres are a right
angle apart; the race then is the limit (about 1 ms at 60 fps and 1 mm).

Where it fails: fewer than two frames between stroke and contact leave no path; hits closer than 0.1 ms are both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from calibration.equipment import BallId
from tracker.contacts import touch_time
from tracker.kinks import Kink, Path
from tracker.trajectory import Piece

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
STRAY_WAKE = 0.01
"""Share of wake-up times that are off by more than they claim (a ball in a cluster that creeps first)."""
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


def rivals_of(wakes: Sequence[Kink], frame_s: float) -> list[Kink]:
    """The object balls that woke first or within a few frames of the first."""
    if not wakes:
        return []
    ordered = sorted(wakes, key=lambda kink: kink.time_s)
    limit = ordered[0].time_s + max(TOGETHER_S, 3 * frame_s)
    return [kink for kink in ordered if kink.time_s - 2 * kink.sigma_s <= limit]


def decide(striker: Path, strike: Kink, wakes: Sequence[Kink], reach_m: float, frame_s: float) -> FirstContact | None:
    """Who of the balls that woke was hit first by the struck ball; None when none of them can have been.

    Args:
        striker: Path of the struck ball.
        strike: Its first kink.
        wakes: First kinks of the other balls, all after the stroke.
        reach_m: Two radii.
        frame_s: Usual spacing of the frames.
    """
    rivals = rivals_of([kink for kink in wakes if _reachable(striker, kink, reach_m, frame_s)] or wakes, frame_s)
    if not rivals:
        return None
    approach, window = _approach(striker, strike, rivals, frame_s)
    race, times = _race(approach, rivals, reach_m, window)
    able = [k for k in range(len(rivals)) if race[k] > 0 or len(rivals) == 1]
    if not able:
        # the path reaches none of them: the nearest to it among those that woke first
        able = [int(np.argmin([_miss(approach, kink, window) for kink in rivals]))]
    log = np.full(len(rivals), -np.inf)
    for k in able:
        log[k] = np.log(max(race[k], 0.5 / DRAWS) if len(able) > 1 else 1.0)
        for j in able:
            if j != k:
                sigma = (rivals[k].sigma_s ** 2 + rivals[j].sigma_s ** 2 + 0.0003**2) ** 0.5
                later = float(ndtr((rivals[j].time_s - rivals[k].time_s) / sigma))
                log[k] += float(np.log(STRAY_WAKE + (1 - STRAY_WAKE) * later))
    if len(able) > 1:
        log += OUTCOME_TEMPER * _outcome(approach, rivals, able, times)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    order = np.argsort(-weight)
    probability = {rivals[k].ball: float(weight[k]) for k in order if weight[k] > 1e-4}
    total = sum(probability.values())
    best = rivals[int(order[0])]
    return FirstContact(
        probability={ball: p / total for ball, p in probability.items()},
        time_s=best.time_s,
        sigma_s=best.sigma_s,
        rivals=tuple(rivals[k].ball for k in order if weight[k] > 1e-4),
    )


def _reachable(striker: Path, kink: Kink, reach_m: float, frame_s: float) -> bool:
    """Whether the struck ball was anywhere near a ball when that woke."""
    spread = frame_s + 3 * kink.sigma_s
    nearest = min(
        float(np.hypot(*(striker.position(t) - kink.before.coefficients[0])))
        for t in np.linspace(kink.time_s - spread, kink.time_s + spread, 9)
    )
    speed = max(striker.piece_at(kink.time_s - frame_s).speed(kink.time_s), striker.piece_at(kink.time_s + frame_s).speed(kink.time_s))
    return nearest < reach_m + 0.004 + speed * 0.6 * frame_s


def _approach(striker: Path, strike: Kink, rivals: Sequence[Kink], frame_s: float) -> tuple[Piece, tuple[float, float]]:
    """The moving piece of the struck ball that leads to the contact, and the span in which it is to be looked for."""
    first = min(kink.time_s for kink in rivals)
    low = first - max(0.06, 2.5 * frame_s)
    high = max(kink.time_s for kink in rivals) + max(0.03, 1.5 * frame_s)
    moving = [piece for piece in striker.pieces if piece.moving]
    leading = [piece for piece in moving if piece.start_s < first - 0.25 * frame_s and piece.start_s >= strike.low_s - 1e-6]
    piece = leading[-1] if leading else striker.piece_at(first)
    if piece.count <= 2 and len(leading) > 1:
        piece = leading[-2]
    return piece, (max(low, strike.time_s - 0.5 * frame_s), high)


def _race(piece: Piece, rivals: Sequence[Kink], reach_m: float, window: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
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
    for k, kink in enumerate(rivals):
        place = kink.before.coefficients[0]
        sigma = (kink.before.covariance[0, 0] + (0.5 * SYSTEMATIC_M) ** 2) ** 0.5
        centre = place + sigma * rng.standard_normal((DRAWS, 1, 2))
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


def _miss(piece: Piece, kink: Kink, window: tuple[float, float]) -> float:
    grid = np.linspace(*window, 65)
    return min(float(np.hypot(*(piece.position(t) - kink.before.coefficients[0]))) for t in grid)


def _outcome(piece: Piece, rivals: Sequence[Kink], able: Sequence[int], times: FloatArray) -> FloatArray:
    """Log likelihood of the speeds after contact for each ball having been hit first (two at a time, the first two)."""
    log = np.zeros(len(rivals))
    pair = sorted(able, key=lambda k: rivals[k].time_s)[:2]
    measured = {}
    for k in pair:
        when = times[k] if np.isfinite(times[k]) else rivals[k].time_s
        centre = rivals[k].before.coefficients[0]
        normal = centre - piece.position(when)
        normal = normal / max(float(np.hypot(*normal)), 1e-9)
        measured[k] = (normal, float(normal @ rivals[k].jump_mps), rivals[k].variance)
    when = float(np.nanmin([times[k] if np.isfinite(times[k]) else rivals[k].time_s for k in pair]))
    incoming = piece.velocity(when)
    share = (1 + RESTITUTION) / 2
    for first, second in (pair, pair[::-1]):
        n1, s1, v1 = measured[first]
        n2, s2, v2 = measured[second]
        j1 = share * max(0.0, float(incoming @ n1))
        j2 = share * max(0.0, float((incoming - j1 * n1) @ n2))
        # what the second ball is given back to the first, when the struck ball meets it again
        for got, want, variance in ((s1, j1, v1), (s2, j2, v2)):
            spread = variance + (OUTCOME_SLACK * max(want, 0.3 * float(np.hypot(*incoming)))) ** 2
            log[first] -= 0.5 * (got - want) ** 2 / spread
    return log


def geometry_time(striker: Path, strike: Kink, kink: Kink, reach_m: float, frame_s: float) -> tuple[float, float] | None:
    """When the struck ball's path comes within reach of a resting ball, and the deviation of that time."""
    piece, window = _approach(striker, strike, [kink], frame_s)
    found = touch_time(piece, kink.before, reach_m, *window)
    if found is None:
        return None
    time, closing = found
    spread = (piece.position_variance(time) + kink.before.covariance[0, 0] + SYSTEMATIC_M**2) ** 0.5
    return time, spread / max(closing, 0.02)
