"""Which detection belongs to which ball: one global assignment a picture.

For each ball and detection the likelihood of the place is a mixture over what a ball can do until the next picture: go
on, stay (a new ball, a repeated picture), go on while the stamps lie by up to a factor of two, come back from a cushion,
go back to the place it seemed to leave, change course in a contact (within reach, rather near than far), be struck (anywhere a cue can
send it). Looks multiply it by their agreement. Against it stand "not detected" for each ball and "new or false" for each
detection. The cheapest assignment (negative log-likelihoods; Kuhn 1955, as scipy's linear_sum_assignment) is taken. A
resting ball's own place is known to a millimetre, so a detection there is its own by ten nats before anything else can
claim it.

Where exchanging the detections of two balls would cost little by motion alone, the pair is reported: looks before and
after decide later (`tracker.relabel`).

Fails: two balls of the same looks that meet within one picture; a picture gap in which every ball moves.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from tracker.history import BoolArray, FloatArray

_STRIKE_MPS = 12.0
"""Fastest ball (a break, limits.md section 6): farther than this times the gap nothing can have gone."""
_CLOCK_SHARE = 0.35
"""Standard deviation of a step along its course as a share of the step, where the stamps may lie (20 to 60 ms under 40)."""
_WEIGHTS = {"course": 0.7, "stay": 0.1, "clock": 0.1, "memory": 0.05, "contact": 0.05, "free": 0.002, "strike": 1e-3, "woken": 0.05}
"""Shares of the mixture; `free` is a contact where no other ball is near enough to cause one (cushion, jaw, unseen ball)."""
_ONWARD = 0.9
"""Cosine within which a ball that has just left its rest goes on as it began: struck shortly before that picture it had moved by
millimetres, which tell its course to a few degrees and nothing of its speed."""
_LEFT_S = 0.1
"""A ball last seen so long before another appeared may be that one: a few pictures, else it would have been seen elsewhere."""
_STRIKE_GAP_S = 0.04
"""Gap between pictures for which `strike` holds. At twice the rate a ball that hides in another's blur would else be taken
for one that was struck onto its neighbour's place: a rack changes its names from picture to picture."""
_SCATTER, _FLAT = 0.4, 0.2
"""Standard deviation of a leap by a contact as a share of its reach, and the share of leaps that are spread evenly over it. A
rack that flies apart keeps its order: with all leaps alike likely, equal balls change names (6 in 10 breaks, now 2)."""
_AGAINST = 0.2
"""What is left of a contact's likelihood where a ball at rest would come back at the one that hit it: only off a cushion."""
_MISSED = 3.0
"""Cost of not detecting a ball in plain view: one in twenty."""
_MISSED_HIDDEN = 0.1
"""Cost of not detecting a ball that something covers."""
_NEW = 4.0
"""Cost of a detection that is no known ball: 0.06 a picture on a 9 ft table."""
_LOOKS_LIMITS = (-4.0, 3.0)
"""Smallest and largest log agreement of looks: blur and light confuse names, so they never outweigh a known place."""
_SWAP_NATS = 6.0
"""An exchange that motion alone does not exclude by this much is left to the looks."""
_WEAK_NATS = -1.0
"""A link this costly by motion alone is cut and looked at again with all evidence."""


@dataclass(slots=True, kw_only=True)
class Expected:
    """What is known of N balls before a picture; arrays of shape (N,) or (N, 2), metres and metres per second.

    Attributes:
        predicted_m: By constant velocity, cushions reflected.
        straight_m: By constant velocity, cushions ignored.
        sigma_m: Of the prediction.
        step_m: Way from the last place to the straight prediction, (N, 2).
        last_m: Last known place.
        memory_m: Place it seemed to leave; NaN where none.
        gap_s: Time since it was last measured.
        reach_mps: Highest speed a contact can leave it with.
        contact: Another ball or a cushion is near enough for a contact.
        push_m: From the one ball that can hit a ball at rest to that ball, (N, 2); zero where none or several can.
        woken: Unit vector of its first step, (N, 2), where it left its rest in its last picture or has appeared in it
            (`first_steps`); zero elsewhere.
        solid: Surely a ball; what is not cannot be struck and cannot leap.
        bounced: Prediction reflected at a cushion.
        missed_cost: Cost of not seeing it.
        ball_odds: Log-odds by its scores that it is a ball at all; infinite for what surely is one.
        looks: Shape (N, K), probability of each name so far.
    """

    predicted_m: FloatArray
    straight_m: FloatArray
    sigma_m: FloatArray
    step_m: FloatArray
    last_m: FloatArray
    memory_m: FloatArray
    gap_s: FloatArray
    reach_mps: FloatArray
    contact: BoolArray
    push_m: FloatArray
    woken: FloatArray
    solid: BoolArray
    bounced: BoolArray
    missed_cost: FloatArray
    ball_odds: FloatArray
    looks: FloatArray


@dataclass(slots=True, kw_only=True)
class Seen:
    """M detections: place (M, 2), sigma (M,), metres; score (M,); likelihood of each name (M, K)."""

    position_m: FloatArray
    sigma_m: FloatArray
    score: FloatArray
    looks: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Result of one picture.

    Attributes:
        pairs: (ball, detection, cost by motion) of each match.
        new: Detections that belong to no ball.
        swaps: (ball, ball, extra cost) of exchanges that motion alone leaves open.
    """

    pairs: tuple[tuple[int, int, float], ...]
    new: tuple[int, ...]
    swaps: tuple[tuple[int, int, float], ...]

    @staticmethod
    def is_weak(cost: float) -> bool:
        """True for a link that motion alone does not carry."""
        return cost > _WEAK_NATS


def missed_cost(*, hidden: bool, crowded: bool, near_mouth: bool) -> float:
    """Cost of not detecting a ball: small where covered, middling where balls touch and blur, or a mouth is near."""
    if hidden:
        return _MISSED_HIDDEN
    return _MISSED / 2 if crowded or near_mouth else _MISSED


def first_steps(last_m: FloatArray, gap_s: FloatArray, appeared: BoolArray) -> FloatArray:
    """Unit vectors from the nearest ball just lost to one that has appeared in the last picture, (N, 2); zero elsewhere.

    A struck ball that something half covers at that moment is lost and appears anew in the next picture. Of its speed
    nothing is known then, and it would appear anew in each that follows.

    Args:
        last_m: Last known places, (N, 2).
        gap_s: Time since then, (N,).
        appeared: Balls seen for the first time in the last picture, (N,).
    """
    steps = np.zeros_like(last_m)
    for k in np.flatnonzero(appeared).tolist():
        ago = gap_s - gap_s[k]
        lost = np.flatnonzero((ago > 1e-6) & (ago <= _LEFT_S))
        way = last_m[k] - last_m[lost]
        length = np.hypot(way[:, 0], way[:, 1])
        near = np.flatnonzero((length > 1e-6) & (length <= _STRIKE_MPS * ago[lost]))
        if len(near):
            best = near[length[near].argmin()]
            steps[k] = way[best] / length[best]
    return steps


def assign(expected: Expected, seen: Seen) -> Assignment:
    """The likeliest assignment of M detections to N balls; each to at most one."""
    count, found = len(expected.sigma_m), len(seen.sigma_m)
    if count == 0 or found == 0:
        return Assignment(pairs=(), new=tuple(range(found)), swaps=())
    motion = _motion_cost(expected, seen)
    none = np.exp(-np.logaddexp(0.0, expected.ball_odds))  # the chance that it is no ball: then it takes nothing, and is not missed
    missed = -np.log(none + (1 - none) * np.exp(-expected.missed_cost))
    cost = motion - _agreement(expected.looks, seen.looks) - np.log1p(-none)[:, None]
    big = 1e6
    table = np.full((count + found, found + count), big)
    table[:count, :found] = np.minimum(cost, big)
    table[np.arange(count), found + np.arange(count)] = missed
    table[count + np.arange(found), np.arange(found)] = _NEW - 1.5 * (1 - seen.score)
    table[count:, found:] = 0.0
    rows, columns = linear_sum_assignment(table)
    matched = [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if i < count and j < found and cost[i, j] < big / 2]
    taken = {j for _, j in matched}
    return Assignment(
        pairs=tuple((i, j, float(motion[i, j])) for i, j in matched),
        new=tuple(j for j in range(found) if j not in taken),
        swaps=_swaps(matched, motion),
    )


def _motion_cost(expected: Expected, seen: Seen) -> FloatArray:
    # x and y apart, in arrays of their own: strided views of pairs take half as long again
    sigma = np.sqrt(expected.sigma_m[:, None] ** 2 + seen.sigma_m[None, :] ** 2)
    x, y = np.ascontiguousarray(seen.position_m.T)[:, None, :]
    predicted_x, predicted_y = np.ascontiguousarray(expected.predicted_m.T)[:, :, None]
    off_x, off_y = x - predicted_x, y - predicted_y
    square = sigma**2
    area = 2 * np.pi * square
    likelihood = _WEIGHTS["course"] * _gauss(off_x, off_y, square, area)
    step_x, step_y = np.ascontiguousarray(expected.step_m.T)[:, :, None]
    step = np.hypot(step_x, step_y)
    length = np.maximum(step, 1e-9)
    stands = step < 1e-9
    unit_x, unit_y = np.where(stands, 1.0, step_x / length), np.where(stands, 0.0, step_y / length)
    along = off_x * unit_x + off_y * unit_y
    across = off_y * unit_x - off_x * unit_y
    wide_along = np.hypot(sigma, _CLOCK_SHARE * step)
    wide_across = np.hypot(sigma, np.where(expected.bounced, 0.25, 0.03)[:, None] * step)
    exponent = (along / wide_along) ** 2 + (across / wide_across) ** 2
    likelihood += _WEIGHTS["clock"] * np.exp(-exponent / 2) / (2 * np.pi * wide_along * wide_across)
    if expected.bounced.any():
        straight_x, straight_y = expected.straight_m.T[:, :, None]
        straight = _gauss(x - straight_x, y - straight_y, square, area)
        likelihood += np.where(expected.bounced[:, None], 0.3, 0.0) * straight
    kept = np.isfinite(expected.memory_m[:, 0])
    if kept.any():
        memory_x, memory_y = expected.memory_m[kept].T[:, :, None]
        likelihood[kept] += _WEIGHTS["memory"] * _gauss(x - memory_x, y - memory_y, square[kept], area[kept])
    last_x, last_y = np.ascontiguousarray(expected.last_m.T)[:, :, None]
    away_x, away_y = x - last_x, y - last_y
    distance = np.hypot(away_x, away_y)
    reach = (expected.reach_mps * expected.gap_s * 1.2 + 0.01 + 3 * expected.sigma_m)[:, None]
    at_rest = np.hypot(seen.sigma_m[None, :], 0.001) * 1.4
    likelihood += _WEIGHTS["stay"] * _gauss(away_x, away_y, at_rest**2, 2 * np.pi * at_rest**2)
    contact = np.where(expected.contact, _WEIGHTS["contact"], _WEIGHTS["free"])[:, None] / (np.pi * reach**2)
    near = np.exp(-0.5 * (distance / (_SCATTER * reach)) ** 2) / (2 * _SCATTER**2)
    contact = contact * ((1 - _FLAT) * near + _FLAT)
    if expected.push_m.any():
        push_x, push_y = expected.push_m.T[:, :, None]
        contact = np.where(away_x * push_x + away_y * push_y < 0, _AGAINST * contact, contact)
    likelihood += np.where(distance <= reach, contact, 0.0)
    far = _STRIKE_MPS * expected.gap_s + 0.03
    within = distance <= far[:, None]
    # per second a stroke is as likely at any rate of pictures, and so it must be per square metre within its reach
    often = np.minimum(expected.gap_s / _STRIKE_GAP_S, 1.0) ** 2
    strike = np.where(expected.solid, _WEIGHTS["strike"] * often, 0.0)
    likelihood += np.where(within, (strike / (np.pi * far**2))[:, None], 0.0)
    if expected.woken.any():
        woken_x, woken_y = expected.woken.T[:, :, None]
        onward = (away_x * woken_x + away_y * woken_y > _ONWARD * distance) & within & expected.solid[:, None]
        likelihood += np.where(onward, (_WEIGHTS["woken"] / (np.arccos(_ONWARD) * far**2))[:, None], 0.0)
    return np.asarray(-np.log(np.maximum(likelihood, 1e-300)), dtype=np.float64)


def _gauss(x: FloatArray, y: FloatArray, square: FloatArray, area: FloatArray) -> FloatArray:
    """Density at an offset, of a given variance; `area` is two pi times that."""
    return np.asarray(np.exp(-np.minimum((x**2 + y**2) / square, 1400) / 2) / area, dtype=np.float64)


def _agreement(balls: FloatArray, detections: FloatArray) -> FloatArray:
    """Log of how much better than chance the looks agree, (N, M); 0 where no name is known."""
    names = balls.shape[1]
    if names == 0:
        return np.zeros((len(balls), len(detections)))
    return np.asarray(np.clip(np.log(np.maximum(names * (balls @ detections.T), 1e-9)), *_LOOKS_LIMITS), dtype=np.float64)


def _swaps(matched: list[tuple[int, int]], motion: FloatArray) -> tuple[tuple[int, int, float], ...]:
    if len(matched) < 2:
        return ()
    balls, own = (np.array(side) for side in zip(*matched, strict=True))
    crossed = motion[np.ix_(balls, own)]
    kept = np.diagonal(crossed)
    extra = crossed + crossed.T - kept[:, None] - kept[None, :]
    pairs = np.argwhere(extra < _SWAP_NATS).tolist()  # each with itself and, but for few, no other
    return tuple((matched[i][0], matched[k][0], float(extra[i, k])) for i, k in pairs if i < k)
