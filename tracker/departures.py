"""Which of several balls that look alike went where when a rack flew apart, told by their ways back.

In the first pictures after a break a ball goes farther than balls lie apart, and the live tracker, which knows no more than
the places it left, may give one ball's places to its neighbour. Later each goes straight for some pictures. Carried back to the
moment of the blow these ways lead to where the balls lay; all ways and places of balls that left at about the same time are
matched together, the moment itself being sought too. A way is given to another ball only where that explains clearly more.

Fails: balls that meet again before they are seen going straight; balls that lie in each other's way of flight, where the moment of the
blow is known to less than what parts them.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

from tracker.history import FloatArray

if TYPE_CHECKING:
    from tracker.relabel import Chain

REST_SAMPLES, LATE_SAMPLES = 5, 3
"""A ball that stays in its noise for so many pictures lies; and how many may come between that and its leap."""
REST_M, REST_SIGMAS = 0.001, 3.0
"""Noise of a place of rest besides that of its detections, and how many deviations of them."""
LEAP_M = 0.02
"""A step this long is one to another ball's place, or that of two found as one: balls that touch are 50 mm apart at least."""
WAY_SAMPLES, LEAST_SAMPLES = 5, 3
"""Places of a way that are carried back: more meet the next contact, fewer tell no direction."""
WAY_S = 0.15
"""And within so long."""
STRAIGHT_SHARE = 0.04
"""Places off a straight way by no more than this share of a step, besides their noise, are of one way."""
TOGETHER_S = 0.12
"""Balls that leave within this time of the first left at one blow."""
MOMENTS = 9
"""Times of the blow that are tried between the two pictures around it."""
PLACE_M, DELAY_S = 0.008, 0.002
"""Doubt of where a way leads back to: contacts in the rack; and of when each ball was reached by the blow."""
MOST_NATS = 10.0
"""What one way can speak against one place: another contact may have bent it."""
MOST_FRAMES, LATER_FRAMES = 8, 2
"""Pictures between two departures that can have been taken for each other, and how long after them the exchange may have come: two
balls found as one leave the place of both."""
EXCHANGE_NATS = 6.0
"""By so much the ways must fit better after an exchange."""


@dataclass(frozen=True, slots=True)
class _Departure:
    """A ball leaving its rest: the row of its first place off it, where it lay, and the way on."""

    chain: int
    row: int
    time_s: float
    place_m: FloatArray
    times_s: FloatArray
    way_m: FloatArray
    sigma_m: float


def sent_home(chains: Sequence["Chain"], alike: Sequence[bool]) -> list["Chain"]:
    """The chains, with what followed a common departure exchanged among those that look alike where their ways say so."""
    result = list(chains)
    departures = [item for index in range(len(result)) if alike[index] for item in _departures(index, result[index])]
    departures.sort(key=lambda item: item.time_s)
    while departures:
        group = [item for item in departures if item.time_s <= departures[0].time_s + TOGETHER_S]
        group = [item for k, item in enumerate(group) if item.chain not in {other.chain for other in group[:k]}]
        departures = [item for item in departures if item.time_s > group[-1].time_s]
        if len(group) > 1:
            _exchange(result, group)
    return result


def _departures(index: int, chain: "Chain") -> list[_Departure]:
    """Where a ball that lay leaps: one that is exchanged with another is at once where that is."""
    places, limit = chain.places_m, REST_SIGMAS * chain.sigma_m + REST_M
    steps = np.diff(places, axis=0)
    leaps = np.flatnonzero(steps[:, 0] ** 2 + steps[:, 1] ** 2 > LEAP_M**2)
    found: list[_Departure] = []
    for row in leaps[leaps >= REST_SAMPLES].tolist():
        if found and row < found[-1].row + WAY_SAMPLES:
            continue
        stop = next((row + 1 - late for late in range(LATE_SAMPLES + 1) if _rests(places, limit, row + 1 - late)), None)
        way = None if stop is None else _way(chain, row + 1)
        if stop is not None and way is not None:
            place = places[stop - REST_SAMPLES : stop].mean(axis=0)
            time_s, sigma_m = float(chain.times_s[row + 1]), float(chain.sigma_m[row + 1])
            found.append(_Departure(index, row + 1, time_s, place, chain.times_s[way], places[way], sigma_m))
    return found


def _rests(places: FloatArray, limit: FloatArray, stop: int) -> bool:
    """Whether a ball lay in the rows just before one."""
    rows = slice(stop - REST_SAMPLES, stop)
    if stop < REST_SAMPLES or float(np.hypot(*(places[stop - 1] - places[stop - REST_SAMPLES]))) > 2 * float(limit[stop - 1]):
        return False
    return bool((np.hypot(*(places[rows] - places[rows].mean(axis=0)).T) < limit[rows]).all())


def _way(chain: "Chain", first: int) -> slice | None:
    """Rows of the first straight way from a row on; the row itself may still be another ball's."""
    for skip in (0, 1, 2):
        for count in range(WAY_SAMPLES, LEAST_SAMPLES - 1, -1):
            rows = slice(first + skip, first + skip + count)
            times, places = chain.times_s[rows], chain.places_m[rows]
            if len(times) < count or times[-1] - chain.times_s[first] > WAY_S:
                continue
            tau = times - times.mean()
            velocity = tau @ places / (tau @ tau)
            off = places - places.mean(axis=0) - tau[:, None] * velocity
            step = float(np.hypot(*velocity)) * float(times[-1] - times[0]) / (count - 1)
            if (np.hypot(*off.T) < REST_SIGMAS * chain.sigma_m[rows] + STRAIGHT_SHARE * step).all():
                return rows
    return None


def _exchange(chains: list["Chain"], group: Sequence[_Departure]) -> None:
    """Exchange what follows the departures of a group among its chains, in place, where that explains more."""
    before = max(
        (float(chains[item.chain].times_s[item.row - 1]) for item in group if chains[item.chain].times_s[item.row - 1] < group[0].time_s),
        default=group[0].time_s,
    )
    allowed = np.array([[_may_follow(chains, one, other) for other in group] for one in group])
    best: tuple[float, list[int]] | None = None
    same = np.inf
    for moment in np.linspace(before, group[0].time_s, MOMENTS):
        cost = np.where(allowed, _costs(group, float(moment)), 1e6)
        rows, columns = linear_sum_assignment(cost)
        total = float(cost[rows, columns].sum())
        same = min(same, float(np.trace(cost)))
        if best is None or total < best[0]:
            best = total, [int(column) for column in columns]
    if best is None or same - best[0] < EXCHANGE_NATS:
        return
    for cycle in _cycles(best[1]):
        _rejoin(chains, [group[k] for k in cycle], [group[best[1][k]] for k in cycle])


def _may_follow(chains: Sequence["Chain"], one: _Departure, other: _Departure) -> bool:
    return abs(chains[one.chain].frames[one.row] - chains[other.chain].frames[other.row]) <= MOST_FRAMES


def _cycles(targets: Sequence[int]) -> list[list[int]]:
    """The parts of a permutation in which each goes elsewhere."""
    left, cycles = {k for k, target in enumerate(targets) if target != k}, []
    while left:
        cycle = [min(left)]
        while targets[cycle[-1]] != cycle[0]:
            cycle.append(targets[cycle[-1]])
        left -= set(cycle)
        cycles.append(cycle)
    return cycles


def _rejoin(chains: list["Chain"], heads: Sequence[_Departure], tails: Sequence[_Departure]) -> None:
    """Let each head go on with its tail, in place, from the picture on at which the steps so made are shortest in all."""
    before, after = [chains[item.chain] for item in heads], [chains[item.chain] for item in tails]
    first = [chain.frames[item.row] for chain, item in zip(before, heads, strict=True)]
    best: tuple[float, list[tuple[int, int]]] | None = None
    for frame in range(min(first) - 1, max(first) + LATER_FRAMES + 1):
        rows = [(bisect_left(a.frames, frame), bisect_left(b.frames, frame)) for a, b in zip(before, after, strict=True)]
        ends = list(zip(before, after, rows, strict=True))
        if any(not head or tail >= len(b.frames) for _, b, (head, tail) in ends):
            continue
        steps = sum(float(np.hypot(*(b.places_m[tail] - a.places_m[head - 1]))) for a, b, (head, tail) in ends)
        if best is None or steps < best[0]:
            best = steps, rows
    if best is not None:
        for item, a, b, (head, tail) in zip(heads, before, after, best[1], strict=True):
            chains[item.chain] = _followed_by(a, head, b, tail)


def _costs(group: Sequence[_Departure], moment_s: float) -> FloatArray:
    """What speaks against each way (column) leading back to each place (row), nats."""
    cost = np.zeros((len(group), len(group)))
    for column, item in enumerate(group):
        tau = item.times_s - item.times_s.mean()
        velocity = tau @ item.way_m / (tau @ tau)
        lead = moment_s - float(item.times_s.mean())
        back = item.way_m.mean(axis=0) + lead * velocity
        square = PLACE_M**2 + item.sigma_m**2 * (1 / len(tau) + lead**2 / float(tau @ tau))
        along = square + (DELAY_S * float(np.hypot(*velocity))) ** 2
        unit = velocity / max(float(np.hypot(*velocity)), 1e-9)
        for row, other in enumerate(group):
            off = other.place_m - back
            ahead = float(off @ unit)
            cost[row, column] = min(0.5 * (ahead**2 / along + (float(off @ off) - ahead**2) / square), MOST_NATS)
    return cost


def _followed_by(head: "Chain", head_row: int, tail: "Chain", tail_row: int) -> "Chain":
    return replace(
        head,
        frames=head.frames[:head_row] + tail.frames[tail_row:],
        times_s=np.concatenate([head.times_s[:head_row], tail.times_s[tail_row:]]),
        places_m=np.concatenate([head.places_m[:head_row], tail.places_m[tail_row:]]),
        sigma_m=np.concatenate([head.sigma_m[:head_row], tail.sigma_m[tail_row:]]),
    )
