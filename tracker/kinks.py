"""Changes of course: where the velocity of a ball jumps, how much, when and how surely.

Neighbouring pieces of a ball's path (trajectory.py) meet in a knot. A knot with a jump of velocity that the noise does
not explain is a kink; the transition from sliding to rolling has none. A ball that starts from rest wakes (its first
kink), a ball that stops dead has one too. Pieces too short to carry a velocity of their own lie between contacts that
are closer than the pictures can part: they are swallowed and the kink spans them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from tracker.trajectory import SPEED_PRIOR_MPS, Piece

FloatArray = NDArray[np.float64]

MIN_JUMP_MPS = 0.012
"""Smallest change of velocity that can be a contact: below it cloth and noise do the same."""
SIGNIFICANT = 3.3
"""A jump counts from this many standard deviations; lower makes kinks of bends, higher loses soft contacts."""
SHORT_SAMPLES = 1
"""A piece of so few samples has no velocity of its own."""
BRIEF_REST_S = 0.12
"""A stop shorter than this between two fast movements is no rest."""
BRISK_MPS = 0.1
"""What counts as fast there."""
UNSEEN_SHARE = 0.25
"""Standard deviation of a start in a stretch without samples, over its length: anywhere in it."""
UNSEEN_FRAMES = 4.5
"""Longer than this many frames a stretch counts as unseen."""
CROOKED_SIGMAS, CROOKED_M = 4.0, 0.004
"""A way that passes farther from where the ball lay than this did not begin there."""
ROLLING_MPS2 = (0.06, 0.15)
"""A ball that stops by itself was slowed by so much (rolling friction of fast and slow cloths)."""
STOP_PLACE_M = 0.0006
"""Where a ball stands and where it was seen to move last is known to about this."""
PROMPT_SIGMAS = 8.0
"""A ball so many deviations off its place at the sample after its rest started in between."""
ONSET_BEFORE_S = 0.4
"""Rest that is fitted together with the first movement to time a wake-up."""
ONSET_AFTER_S = 0.35
"""Movement that is fitted: longer reaches into rolling, shorter loses slow balls in the noise."""
ONSET_DECELERATION_MPS2 = 1.2
"""Standard deviation of the acceleration just after a wake-up of a ball that has any spin (one that was struck)."""
SLIDES_MPS2 = (1.5, 2.1, 2.7)
"""A ball that was hit has no spin: it slides, slowed by one of these (sliding friction 0.15 to 0.27), until it rolls with five
sevenths of its speed. One curve through both starts late by a fifth of that time and too slow by up to two sevenths."""
LEAST_START_MPS = 0.02
"""A slower start is noise; no way of sliding is told from it."""
SLIDE_ROUNDS = 3
"""How long it slides hangs on its speed, which is sought in so many rounds."""
ROLLS_MPS2 = 0.1
"""And is slowed by this from then on."""
SPIN_COST = 10.0
"""Price in chi square of a start with any spin: two more numbers that the samples must be worth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """One ball's samples and pieces.

    Attributes:
        ball: Name.
        times_s: Shape (n,), of the samples.
        xy_m: Shape (n, 2).
        variance: Shape (n,), square metres per axis.
        pieces: In time order.
    """

    ball: BallId
    times_s: FloatArray
    xy_m: FloatArray
    variance: FloatArray
    pieces: tuple[Piece, ...]

    def piece_at(self, time_s: float) -> Piece:
        """The piece that holds at a time; the nearest one in gaps and beyond the ends."""
        best = self.pieces[0]
        for piece in self.pieces:
            if time_s < piece.start_s:
                middle = 0.5 * (best.end_s + piece.start_s)
                return best if time_s < middle else piece
            best = piece
        return best

    def position(self, time_s: float) -> FloatArray:
        """Where the ball is, metres."""
        return self.piece_at(time_s).position(time_s)

    def positions(self, times_s: FloatArray) -> FloatArray:
        """Where the ball is at many times in order, shape (n,) to (n, 2), metres."""
        starts = np.array([0.5 * (a.end_s + b.start_s) for a, b in pairwise(self.pieces)])
        index = np.searchsorted(starts, times_s)
        origins = np.array([piece.origin_s for piece in self.pieces])
        coefficients = np.array([piece.coefficients for piece in self.pieces])[index]
        tau = (times_s - origins[index])[:, None]
        return np.asarray(coefficients[:, 0] + tau * coefficients[:, 1] + 0.5 * tau * tau * coefficients[:, 2])

    @property
    def moves(self) -> bool:
        """Whether it moves at all."""
        return any(piece.moving for piece in self.pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kink:
    """A jump of velocity.

    Attributes:
        ball: Name.
        time_s: Where the pieces meet.
        sigma_s: Standard deviation of that time.
        low_s: Last sample before.
        high_s: First sample after.
        place_m: Shape (2,), where.
        jump_mps: Shape (2,), velocity after less velocity before.
        variance: Of the jump, (m/s)^2 per axis.
        before: Piece before.
        after: Piece after.
    """

    ball: BallId
    time_s: float
    sigma_s: float
    low_s: float
    high_s: float
    place_m: FloatArray
    jump_mps: FloatArray
    variance: float
    before: Piece
    after: Piece

    @property
    def size_mps(self) -> float:
        """Length of the jump."""
        return float(np.hypot(self.jump_mps[0], self.jump_mps[1]))

    @property
    def wakes(self) -> bool:
        """Whether the ball was at rest before."""
        return not self.before.moving

    @property
    def stops(self) -> bool:
        """Whether the ball is at rest after."""
        return not self.after.moving


def meet(before: Piece, after: Piece) -> tuple[float, float, FloatArray, float, float]:
    """Where two pieces come closest: time, its deviation, jump of velocity, its variance per axis, mismatch in metres."""
    low, high = before.end_s, after.start_s
    margin = 0.5 * (high - low)
    time = 0.5 * (low + high)
    for _ in range(3):
        gap = after.position(time) - before.position(time)
        jump = after.velocity(time) - before.velocity(time)
        square = float(jump @ jump)
        if square < 1e-12:
            break
        time = float(np.clip(time - float(gap @ jump) / square, low - margin, high + margin))
    gap = after.position(time) - before.position(time)
    jump = after.velocity(time) - before.velocity(time)
    variance = before.velocity_variance(time) + after.velocity_variance(time)
    place_variance = before.position_variance(time) + after.position_variance(time)
    size = float(np.hypot(jump[0], jump[1]))
    sigma = min((place_variance**0.5) / max(size, 1e-6), (high - low) / 2 + 1e-4)
    return time, sigma, jump, variance, float(np.hypot(gap[0], gap[1]))


def find_kinks(path: Path) -> list[Kink]:
    """The kinks of one ball in time order."""
    pieces: Sequence[Piece] = path.pieces
    kinks: list[Kink] = []
    index = 0
    while index + 1 < len(pieces):
        before, follow = pieces[index], index + 1
        # swallow pieces too short for a velocity, unless the path ends with them
        while follow + 1 < len(pieces) and _too_short(before, pieces[follow], pieces[follow + 1]):
            follow += 1
        kink = _kink(path, before, pieces[follow])
        if kink is not None:
            kinks.append(kink)
        index = follow
    return kinks


def _too_short(before: Piece, piece: Piece, after: Piece) -> bool:
    """Whether a piece says nothing of its own: one sample, or a stop of a moment between two fast movements (a picture
    shown twice at a turning point)."""
    if piece.moving:
        return piece.count <= SHORT_SAMPLES
    brief = piece.end_s - piece.start_s < BRIEF_REST_S and before.moving and after.moving
    return brief and min(before.speed(before.end_s), after.speed(after.start_s)) > BRISK_MPS


def _kink(path: Path, before: Piece, after: Piece) -> Kink | None:
    if not before.moving and not after.moving:
        return None
    time, sigma, jump, variance, _ = meet(before, after)
    if not before.moving:
        time, sigma, jump, variance = wake_time(path, before, after, time)
        step = float(np.median(np.diff(path.times_s[-60:]))) if len(path.times_s) > 2 else 0.04
        # unseen for long: what was seen afterwards need not be how it started
        unseen = float(np.diff(path.times_s[before.last : after.first + 1]).max())
        crooked = _is_crooked(before, after, time, float(path.variance[before.last]))
        sigma = float(np.hypot(sigma, UNSEEN_SHARE * unseen)) if crooked or unseen > UNSEEN_FRAMES * step else sigma
    elif not after.moving:
        jump = _beyond_friction(before, after)
    size = float(np.hypot(jump[0], jump[1]))
    if before.moving and size < max(SIGNIFICANT * variance**0.5, MIN_JUMP_MPS):
        return None
    weight_before, weight_after = before.position_variance(time), after.position_variance(time)
    share = weight_after / max(weight_before + weight_after, 1e-12)
    place = share * before.position(time) + (1 - share) * after.position(time)
    return Kink(
        ball=path.ball,
        time_s=time,
        sigma_s=sigma,
        low_s=before.end_s,
        high_s=after.start_s,
        place_m=np.asarray(place),
        jump_mps=jump,
        variance=variance,
        before=before,
        after=after,
    )


def _is_crooked(rest: Piece, after: Piece, time_s: float, variance: float) -> bool:
    """Whether the way after a wake-up does not come from where the ball lay: it turned unseen, and its start is not told by it."""
    low, high = rest.end_s, after.start_s
    offs = [after.position(t) - rest.position(t) for t in (*np.linspace(low, high, 7), time_s)]
    sigma = (after.position_variance(low) + variance) ** 0.5
    return bool(min(float(np.hypot(off[0], off[1])) for off in offs) > CROOKED_SIGMAS * sigma + CROOKED_M)


def _beyond_friction(before: Piece, after: Piece) -> FloatArray:
    """What a ball that stops lost of its velocity besides what friction takes on the way to where it stands."""
    time = before.end_s
    velocity = before.velocity(time)
    speed = max(float(np.hypot(velocity[0], velocity[1])), 1e-9)
    slowing = float(np.clip(-float(before.coefficients[2] @ velocity) / speed, *ROLLING_MPS2))
    way = max(0.0, float((after.coefficients[0] - before.position(time)) @ velocity) / speed)
    friction = (2 * slowing * (way + STOP_PLACE_M)) ** 0.5
    return np.asarray(-velocity * max(0.0, 1 - friction / speed))


def wake_time(path: Path, before: Piece, after: Piece, guess_s: float) -> tuple[float, float, FloatArray, float]:
    """When a resting ball began to move: maximum likelihood over rest, then a start that slides until it rolls, or one with
    any spin, joined without a step.

    Args:
        path: The ball's samples.
        before: Its rest.
        after: Its first movement.
        guess_s: Where the two pieces meet.

    Returns:
        Time and its standard deviation, seconds, the velocity just after, shape (2,), and its variance per axis.
    """
    t = path.times_s
    stop = min(after.end_s, after.start_s + ONSET_AFTER_S)
    use = (t >= before.start_s) & (t >= before.end_s - ONSET_BEFORE_S) & (t <= stop)
    times, xy, weight = t[use], path.xy_m[use], 1.0 / path.variance[use]
    step = float(np.median(np.diff(times))) if len(times) > 1 else 0.02
    low = max(float(times[0]), min(before.end_s - 3 * step, guess_s - 3 * step))
    high = max(after.start_s + 1e-4, min(stop - step, guess_s + 0.25))
    first = min(before.last + 1, len(t) - 1)
    off = path.xy_m[first] - before.coefficients[0]
    if float(np.hypot(off[0], off[1])) > PROMPT_SIGMAS * float(path.variance[first]) ** 0.5:
        # off its place for sure by the next sample: neither a later start nor an earlier one, whatever turned it since
        low, high = before.end_s - 0.2 * step, float(t[first])
    earlier = max(1e-12, before.covariance[0, 0])
    result = guess_s, step / 4, after.velocity(guess_s), after.velocity_variance(guess_s)
    for _ in range(3):
        grid = np.linspace(low, high, 61)
        cost, velocity, spread = _start_costs(grid, times, xy - before.coefficients[0], weight, earlier)
        chance = np.exp(-0.5 * (cost - cost.min()))
        chance /= chance.sum()
        mean = float(chance @ grid)
        sigma = float(np.sqrt(chance @ (grid - mean) ** 2))
        off = velocity - chance @ velocity
        variance = float(chance @ (spread + 0.5 * (off * off).sum(axis=1)))
        result = mean, max(sigma, 1e-5), chance @ velocity, max(variance, 1e-8)
        span = max(6 * sigma, 2.5 * float(grid[1] - grid[0]))
        low, high = max(low, mean - span), min(high, mean + span)
    return result


def _start_costs(
    grid: FloatArray, times: FloatArray, offset: FloatArray, weight: FloatArray, place_variance: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Chi square of rest-then-start, all ways of starting weighed, start velocities, and their variance per axis: (g,), (g, 2), (g,)."""
    cost, velocity, spread = _onset_costs(grid, times, offset, weight, place_variance)
    slide_cost, slide_velocity, slide_spread = _slide_costs(grid, times, offset, weight, place_variance, velocity)
    table = np.concatenate([cost[None] + SPIN_COST, slide_cost])
    velocities, spreads = np.concatenate([velocity[None], slide_velocity]), np.concatenate([spread[None], slide_spread])
    least = table.min(axis=0)
    chance = np.exp(-0.5 * (table - least))
    total = chance.sum(axis=0)
    chance /= total
    mean = (chance[..., None] * velocities).sum(axis=0)
    off = velocities - mean
    spread = (chance * (spreads + 0.5 * (off * off).sum(axis=2))).sum(axis=0)
    return np.asarray(least - 2 * np.log(total)), np.asarray(mean), np.asarray(spread)


def _slide_costs(
    grid: FloatArray, times: FloatArray, offset: FloatArray, weight: FloatArray, place_variance: float, guess_mps: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Chi square of rest, then a slide from a velocity until it rolls, that velocity and its variance, for each of the frictions
    and start times: (m, g), (m, g, 2), (m, g)."""
    tau = np.maximum(times[None, :] - grid[:, None], 0.0)[None]
    slides = np.array(SLIDES_MPS2)[:, None]
    speed = np.broadcast_to(np.maximum(np.hypot(guess_mps[:, 0], guess_mps[:, 1]), LEAST_START_MPS), (len(slides), len(grid)))
    square = float((weight[:, None] * offset * offset).sum())
    s00, r0 = float(weight.sum()) + 0.25 / place_variance, weight @ offset
    weighted = weight[:, None] * offset
    cost, velocity, spread = np.empty(0), np.empty(0), np.empty(0)
    for _ in range(SLIDE_ROUNDS):
        sliding = np.minimum(tau, (2 / 7 * speed / slides)[..., None])
        rolling = tau - sliding
        way = sliding - (0.5 * slides / speed)[..., None] * sliding**2 + rolling * (5 / 7 - (0.5 * ROLLS_MPS2 / speed)[..., None] * rolling)
        s01, s11 = way @ weight, (way * way) @ weight + SPEED_PRIOR_MPS**-2
        r1 = way @ weighted
        determinant = s00 * s11 - s01 * s01
        place = (s11[..., None] * r0 - s01[..., None] * r1) / determinant[..., None]
        velocity = (s00 * r1 - s01[..., None] * r0) / determinant[..., None]
        cost = square - (place * r0).sum(axis=2) - (velocity * r1).sum(axis=2)
        spread = s00 / determinant
        speed = np.maximum(np.hypot(velocity[..., 0], velocity[..., 1]), LEAST_START_MPS)
    return np.asarray(cost), np.asarray(velocity), np.asarray(spread)


def _onset_costs(
    grid: FloatArray, times: FloatArray, offset: FloatArray, weight: FloatArray, place_variance: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Chi square of rest-then-start for each start time, (g,), the start velocities, (g, 2), and their variance, (g,)."""
    tau = np.maximum(times[None, :] - grid[:, None], 0.0)
    design = np.stack([np.ones_like(tau), tau, 0.5 * tau * tau], axis=2)
    weighted = design * weight[None, :, None]
    normal = np.einsum("gni,gnj->gij", weighted, design)
    normal += np.diag([0.25 / place_variance, SPEED_PRIOR_MPS**-2, ONSET_DECELERATION_MPS2**-2])
    right = np.einsum("gni,nk->gik", weighted, offset)
    solution = np.linalg.solve(normal, right)
    cost = float((weight[:, None] * offset * offset).sum()) - np.einsum("gik,gik->g", right, solution)
    return np.asarray(cost), np.asarray(solution[:, 1, :]), np.asarray(np.linalg.inv(normal)[:, 1, 1])
