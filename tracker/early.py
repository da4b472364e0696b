"""Cushions that the struck ball meets so soon after the stroke that the pictures hardly show its way there.

A ball struck at a cushion a hand's breadth away is on its way back in the second or third picture. A piece of one or two
samples has no velocity of its own, so no change of course is found (or one in the wrong place). But where it lay is known
to a fraction of a millimetre, it leaves on a straight way, and it turns at the nose and nowhere else. So two stories are
fitted to the samples up to the first contact that is known, for every time of stroke and of touch: straight on, and to
the nose and back with what cushions return. The second counts where it explains what the first leaves.

Fails: two cushions in a corner within these few pictures; a ball frozen to the cushion that it is struck into.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracker.contacts import Contact
from tracker.kinks import Kink, Path
from tracker.noses import INWARD, Surroundings
from tracker.trajectory import ACCELERATION_PRIOR_MPS2, SPEED_PRIOR_MPS

FloatArray = NDArray[np.float64]

SAMPLES = 7
"""Samples after the stroke that are looked at: a longer way there is found as a piece of its own."""
LEG_SAMPLES = 3
"""One of the two ways holds at most so many."""
LEAST_SAMPLES = 3
"""Fewer leave nothing to compare."""
APPROACH_MPS = 0.1
"""A slower approach is left to the ways of telling soft contacts."""
PLACE_M = 0.0006
"""Doubt of the nose and of the place at rest besides noise."""
RETURN, RETURN_SPREAD = 0.72, 0.15
"""Speed across the nose after over before: cushions give 0.5 to 0.95."""
GRIP, GRIP_SPREAD = 0.8, 0.2
"""The same along it, and its spread as a share of the speed of approach as well (spin)."""
GAIN = 14.0
"""Chi square that the turn must explain: two times and a speed more than going straight on has."""
EXPLAINED = 0.6
"""And the share of what going straight on leaves unexplained: a bad measurement leaves both with it."""
GRIP_MPS = 0.05
"""And besides."""
LEAST_S, LEAST_SIGMA_S = 0.001, 0.0003
"""Least time from the stroke to the nose, and least deviation of the time of touch."""
GRID = 15
"""Times of stroke, and of touch in each frame, that are tried."""


@dataclass(frozen=True, slots=True)
class _Leg:
    """The samples in question: times, offsets across and along a nose, variance."""

    times_s: FloatArray
    xy_m: FloatArray
    variance: FloatArray


def early_cushion(
    path: Path, strike: Kink, contacts: Sequence[Contact], around: Surroundings, frame_s: float
) -> tuple[Contact, float] | None:
    """The cushion met right after the stroke and the time of the stroke that goes with it; None where there is none.

    Args:
        path: Of the struck ball.
        strike: Its first change of course.
        contacts: Those found.
        around: The bed's edge.
        frame_s: Usual spacing of the pictures.
    """
    mine = [contact for contact in contacts if strike.ball in (contact.ball, contact.other)]
    first = min((contact.time_s - 2 * contact.sigma_s for contact in mine if contact.time_s > strike.low_s - frame_s), default=np.inf)
    start = strike.before.last + 1
    stop = min(start + SAMPLES, int(np.searchsorted(path.times_s, first)))
    if stop - start < LEAST_SAMPLES or strike.before.moving:
        return None
    leg = _Leg(path.times_s[start:stop], path.xy_m[start:stop], path.variance[start:stop])
    place = strike.before.position(strike.time_s)
    steps = np.diff(np.concatenate([place[None], leg.xy_m]), axis=0)
    fastest = float((np.hypot(steps[:, 0], steps[:, 1])[1:] / np.diff(leg.times_s)).max())
    earliest = strike.before.end_s
    best: tuple[Contact, float] | None = None
    for cushion, normal in INWARD.items():
        gap = around.gap_m(cushion, place)
        if not PLACE_M < gap < fastest * (float(leg.times_s[-1]) - earliest) or not around.beside_nose(cushion, leg.xy_m[0]):
            continue
        found = _turn(leg, place, normal, gap, (earliest, strike.before.position_variance(strike.time_s)), frame_s)
        if found is not None and (best is None or found[0] > best[0].gain):
            gain, tip_s, touch_s, sigma_s, impulse = found
            where = place + (leg.xy_m[-1] - place) * 0.5
            where = where - normal * around.gap_m(cushion, where)
            best = (
                Contact(ball=strike.ball, cushion=cushion, time_s=touch_s, sigma_s=sigma_s, place_m=where, impulse_mps=impulse, gain=gain),
                tip_s,
            )
    return best


def _turn(
    leg: _Leg, place: FloatArray, normal: FloatArray, gap: float, rest: tuple[float, float], frame_s: float
) -> tuple[float, float, float, float, float] | None:
    """Gain, time of stroke, time of touch with its deviation, and impulse of a turn at a nose; None where none counts."""
    earliest, rest_variance = rest
    along = np.array([-normal[1], normal[0]])
    across = np.stack([(leg.xy_m - place) @ normal, (leg.xy_m - place) @ along])
    tips = np.linspace(earliest, float(leg.times_s[0]), GRID, endpoint=False)
    # the first sample may be of before the stroke where pictures are missing
    late = np.linspace(earliest, float(leg.times_s[1]), 2 * GRID, endpoint=False)
    straight = float(_straight(leg, across, late, rest_variance).min())
    if straight < GAIN:
        return None
    span = float(leg.times_s[-1]) - earliest
    touches = np.linspace(earliest, float(leg.times_s[-1]), max(GRID, int(GRID * span / frame_s)))
    tip, touch = (grid.ravel() for grid in np.meshgrid(tips, touches, indexing="ij"))
    count = (leg.times_s < touch[:, None]).sum(axis=1)
    wanted = (touch > tip + LEAST_S) & (gap > APPROACH_MPS * (touch - tip)) & (count < len(leg.times_s))
    wanted &= np.minimum(count, len(leg.times_s) - count) <= LEG_SAMPLES
    if not wanted.any():
        return None
    tip, touch = tip[wanted], touch[wanted]
    chi, back = _there_and_back(leg, across, tip, touch, gap, rest_variance)
    k = int(np.argmin(chi))
    gain = straight - float(chi[k])
    if gain < max(GAIN, EXPLAINED * straight) or back[k] <= 0:
        return None
    weight = np.exp(-0.5 * (chi - chi[k]))
    weight /= weight.sum()
    mean = float(weight @ touch)
    sigma = float(np.sqrt(weight @ (touch - mean) ** 2))
    impulse = gap / float(touch[k] - tip[k]) + float(back[k])
    return gain, float(weight @ tip), mean, max(sigma, LEAST_SIGMA_S), impulse


def _straight(leg: _Leg, across: FloatArray, tips_s: FloatArray, rest_variance: float) -> FloatArray:
    """Chi square of a way from where the ball lay that slows but does not turn, for each time of stroke."""
    tau = np.maximum(leg.times_s - tips_s[:, None], 0.0)
    rows = np.stack([np.ones_like(tau), tau, 0.5 * tau * tau], axis=2)
    prior = np.diag([1 / (rest_variance + PLACE_M**2), SPEED_PRIOR_MPS**-2, ACCELERATION_PRIOR_MPS2**-2])
    costs = [_costs(rows, values, leg.variance, prior[None], np.zeros((len(tips_s), 3)))[0] for values in across]
    return np.asarray(costs[0] + costs[1])


def _there_and_back(
    leg: _Leg, across: FloatArray, tip_s: FloatArray, touch_s: FloatArray, gap: float, rest_variance: float
) -> tuple[FloatArray, FloatArray]:
    """Chi square of ways to the nose and back, and the speed away from the nose after it, for each pair of times."""
    tau = leg.times_s - touch_s[:, None]
    before, after = np.minimum(tau, 0.0), np.maximum(tau, 0.0)
    # place at the touch, velocities before and after it, accelerations before and after it
    rows = np.stack([np.ones_like(tau), before, after, 0.5 * before * before, 0.5 * after * after], axis=2)
    lead = tip_s - touch_s
    zero = np.zeros_like(lead)
    start = np.stack([zero + 1.0, lead, zero, 0.5 * lead * lead, zero], axis=1)
    at_rest = start[:, :, None] * start[:, None, :] / (rest_variance + PLACE_M**2)
    free = np.diag([0.0, SPEED_PRIOR_MPS**-2, 0.0, ACCELERATION_PRIOR_MPS2**-2, ACCELERATION_PRIOR_MPS2**-2])
    approach = gap / (touch_s - tip_s)
    total, back = zero, zero
    for k, (share, spread) in enumerate(((-RETURN, RETURN_SPREAD * approach), (GRIP, GRIP_SPREAD * approach + GRIP_MPS))):
        turn = np.array([0.0, -share, 1.0, 0.0, 0.0])
        prior = free + at_rest + np.outer(turn, turn) / spread[:, None, None] ** 2
        pull = np.zeros((len(lead), 5))
        if k == 0:
            prior[:, 0, 0] += PLACE_M**-2
            pull[:, 0] = -gap / PLACE_M**2
            total = total + (gap / PLACE_M) ** 2
        cost, solution = _costs(rows, across[k], leg.variance, prior, pull)
        total = total + cost
        back = solution[:, 2] if k == 0 else back
    return total, back


def _costs(
    rows: FloatArray, target: FloatArray, variance: FloatArray, prior: FloatArray, pull: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Least squares with priors, many at once: chi square at the best, shape (g,), and the best, shape (g, numbers)."""
    weighted = rows / variance[:, None]
    right = np.einsum("gni,n->gi", weighted, target) + pull
    normal = np.einsum("gni,gnj->gij", weighted, rows) + prior
    solution = np.linalg.solve(normal, right[:, :, None])[:, :, 0]
    return np.asarray(float(target @ (target / variance)) - (right * solution).sum(axis=1)), np.asarray(solution)
