"""What balls that still roll when the recording ends can do yet.

A rolling ball goes on along its line and slows by 0.05 to 0.15 m/s^2, depending on the cloth: so it ends between
v^2 / 0.3 and v^2 / 0.1 metres on. Within the longest way, in a corridor that widens for spin and roll-off, it may meet a
cushion, a mouth or another ball; a ball that can meet none of them changes nothing any more.

What can still fall is fewer: a ball leaves its line only where it meets something, it then has no more way left than
before, and one that it hits gets no more of it than that. So a mouth that is farther than what is left of the way, from
where something is met, stays empty. Ways add up where two rolling balls meet: energies do, and a way is energy over friction.
"""

from bisect import bisect_left
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from calibration.table import POCKETS
from tracker.endings import Ending
from tracker.noses import INWARD, Surroundings

FloatArray = NDArray[np.float64]

LEAST_SLOWING_MPS2 = 0.05
"""Fastest cloth: a ball goes on the farthest."""
WIDENING = 0.06
"""Half width of the corridor per length: three degrees and a half of curve or roll-off."""
MARGIN_M = 0.004
"""Slack of a meeting: calibration and the noise of the last place."""
STEP_M = 0.005
"""Spacing of the places that are tried along the way."""


def may_change(endings: Mapping[BallId, Ending], around: Surroundings) -> tuple[BallId, ...]:
    """The balls that still roll and may yet meet a cushion, a mouth or a ball, and the balls they may meet; sorted."""
    ways = {ball: _way(ending) for ball, ending in endings.items() if ending.kind in ("rolling", "rest")}
    found: set[BallId] = set()
    for ball, ending in endings.items():
        if ending.kind != "rolling":
            continue
        way = ways[ball]
        slack = MARGIN_M + WIDENING * np.hypot(*(way - way[0]).T)
        if _meets_edge(way, slack, around):
            found.add(ball)
        for other, theirs in ways.items():
            if other != ball and _meet(way, slack, theirs, 2 * around.radius_m):
                found |= {ball, other}
    return tuple(sorted(found))


def may_fall(endings: Mapping[BallId, Ending], around: Surroundings) -> tuple[BallId, ...]:
    """The balls that can yet reach a mouth, by their own way or after meetings; sorted."""
    ways = {ball: _way(ending) for ball, ending in endings.items() if ending.kind in ("rolling", "rest")}
    found: set[BallId] = set()
    for ball, way in ways.items():
        run = np.hypot(*(way - way[0]).T)
        if float(run[-1]) == 0:
            continue
        slack = MARGIN_M + WIDENING * run
        if bool((_to_mouths(way, around) < slack[:, None]).any()):
            found.add(ball)
        met = _first_meeting(ball, ways, slack, around)
        if met is not None:
            there = {**ways, ball: way[met : met + 1]}
            found |= _falls_after(ball, float(run[-1] - run[met]), there, around)
    return tuple(sorted(found))


def _falls_after(ball: BallId, left_m: float, ways: Mapping[BallId, FloatArray], around: Surroundings) -> set[BallId]:
    """What can reach a mouth once a ball has met something and may go anywhere with `left_m` of its way left."""
    found: set[BallId] = set()
    waiting, done = {ball: left_m}, set[BallId]()
    while waiting:
        ball = max(waiting, key=lambda name: waiting[name])
        left = waiting.pop(ball)
        done.add(ball)
        if float(_to_mouths(ways[ball], around).min()) < left:
            found.add(ball)
        for other, theirs in ways.items():
            apart = ways[ball][:, None] - theirs[None]
            gap = max(float(np.hypot(apart[..., 0], apart[..., 1]).min()) - 2 * around.radius_m, 0.0)
            if other not in done and gap < left:
                own = float(np.hypot(*(theirs[-1] - theirs[0])))
                waiting[other] = max(waiting.get(other, 0.0), left - gap + own)
    return found


def _to_mouths(places: FloatArray, around: Surroundings) -> FloatArray:
    """Way from each place to where a ball hangs in each mouth, shape (n, 6), metres."""
    middles = np.array([around.table.mouth_centre_m(pocket) for pocket in POCKETS])
    halves = np.array([around.mouth_half_m(pocket) for pocket in POCKETS])
    return np.asarray(np.hypot(*np.moveaxis(places[:, None] - middles[None], 2, 0)) - halves)


def _first_meeting(ball: BallId, ways: Mapping[BallId, FloatArray], slack: FloatArray, around: Surroundings) -> int | None:
    """Index of the first place on a ball's way at which it can meet a cushion or another ball; None where it meets nothing."""
    way = ways[ball]

    def meets(stop: int) -> bool:
        part = way[:stop]
        if stop > 1 and _meets_edge(part, slack[:stop], around):
            return True
        return any(_meet(part, slack[:stop], theirs, 2 * around.radius_m) for other, theirs in ways.items() if other != ball)

    if not meets(len(way)):
        return None
    return bisect_left(range(1, len(way) + 1), True, key=meets)


def _way(ending: Ending) -> FloatArray:
    """Places along the longest way, shape (n, 2)."""
    if ending.kind != "rolling":
        return ending.place_m[None, :]
    vx, vy = ending.velocity_mps
    speed = float(np.hypot(vx, vy))
    length = speed * speed / (2 * LEAST_SLOWING_MPS2)
    along = np.linspace(0.0, length, max(2, int(np.ceil(min(length, 8.0) / STEP_M))))
    return np.asarray(ending.place_m[None, :] + along[:, None] * np.array([[vx, vy]]) / max(speed, 1e-9))


def _meets_edge(way: FloatArray, slack: FloatArray, around: Surroundings) -> bool:
    half = np.array([around.table.spec.length_m, around.table.spec.width_m]) / 2 - around.touch_m
    gap = (half - np.abs(way)).min(axis=1)
    # a ball that lies on a cushion already and rolls along it touches nothing new until the end of that cushion
    inward = [normal for cushion, normal in INWARD.items() if abs(around.gap_m(cushion, way[0])) < MARGIN_M]
    direction = way[-1] - way[0]
    if any(float(direction @ normal) >= -1e-3 * float(np.hypot(*direction)) for normal in inward):
        keep = np.hypot(*(way - way[0]).T) > 2 * around.radius_m
        return bool((gap - slack)[keep].min(initial=1.0) < 0)
    return bool((gap - slack).min() < 0)


def _meet(way: FloatArray, slack: FloatArray, other: FloatArray, reach_m: float) -> bool:
    distance = np.hypot(way[:, None, 0] - other[None, :, 0], way[:, None, 1] - other[None, :, 1])
    closing = distance < distance[0, 0] - 1e-4
    return bool(((distance < reach_m + slack[:, None]) & closing).any())
