"""Detections that are not one ball each: one ball found twice, the two ends of its blur, two balls found as one."""

from collections.abc import Sequence
from dataclasses import replace
from math import hypot

import numpy as np

from tracker.motion import BallFilter
from vision.detection import Detection

TOUCHING_RADII = (1.7, 2.7)
"""Predicted centres this far apart can have run together in the picture; nearer is a wrong prediction, farther are two."""
KNOWN_RADII = 0.3
"""Standard deviation of a prediction up to which it says where a ball is."""
MIDDLE_RADII = 0.35
"""A detection this near to the middle between two balls is both; a ball of its own is a radius off it."""
ANOTHER_RADII = 0.6
"""A detection this near to where another ball is expected is that ball."""

FAST_RADII = 1.5
"""A ball that runs this far from picture to picture can show the two ends of its blur as two discs."""
ASIDE_RADII = 0.35
"""How far off its straight way both ends lie at most."""
STEP_SHARE = 0.5
"""Share of the step that the middle may be off the expected place: a stamp that lies, a slide."""
BLUR_RADII = (1.0, 4.0)
"""How far apart the ends are; nearer is one ball found twice, farther no shutter is open for."""


def apart_m(a: Sequence[float], b: Sequence[float]) -> float:
    """Distance of two places, metres."""
    return hypot(a[0] - b[0], a[1] - b[1])


def without_doubles(bed: list[Detection], radius_m: float) -> list[Detection]:
    """Detections in their order, less the doubtful one of two whose centres are closer than a ball's radius."""
    dropped: set[int] = set()
    for i, item in enumerate(bed):
        x, y = item.position_m
        for j in range(i):
            if j in dropped or abs(bed[j].position_m[0] - x) > radius_m or apart_m(bed[j].position_m, (x, y)) > radius_m:
                continue
            if bed[j].score >= item.score:
                dropped.add(i)
                break
            dropped.add(j)
    return [item for index, item in enumerate(bed) if index not in dropped] if dropped else bed


def with_whole_blurs(bed: list[Detection], motions: Sequence[tuple[BallFilter, float]], radius_m: float) -> list[Detection]:
    """Detections with the two ends of a fast ball's blur joined to one streak.

    The ends of a blur are sharper than its middle where the ball shines: two discs on the way of a ball, as far before as
    behind where it must be, and nothing else that either could be.
    """
    for motion, wait in motions:
        step = motion.speed_mps * wait
        if motion.resting or not motion.settled or step < FAST_RADII * radius_m:
            continue
        ux, uy = motion.vx / motion.speed_mps, motion.vy / motion.speed_mps
        near = []
        for j, item in enumerate(bed):
            dx, dy = item.position_m[0] - motion.x, item.position_m[1] - motion.y
            along = dx * ux + dy * uy
            if item.streak_m is None and 0 < along < 2 * step and abs(dy * ux - dx * uy) < ASIDE_RADII * radius_m:
                near.append((along, j))
        if len(near) != 2:
            continue
        (first, i), (second, j) = sorted(near)
        middle = (first + second) / 2
        if not BLUR_RADII[0] * radius_m < second - first < min(BLUR_RADII[1] * radius_m, step) or abs(middle - step) > STEP_SHARE * step:
            continue
        others = [other.predict(gap) for other, gap in motions if other is not motion]
        if any(apart_m(bed[k].position_m, place) < radius_m for k in (i, j) for place in others):
            continue
        a, b = bed[i], bed[j]
        joined = replace(
            a,
            position_m=((a.position_m[0] + b.position_m[0]) / 2, (a.position_m[1] + b.position_m[1]) / 2),
            sigma_m=max(a.sigma_m, b.sigma_m, 0.1 * (second - first)),
            score=max(a.score, b.score),
            streak_m=(a.position_m, b.position_m),
        )
        bed = [joined if k == i else item for k, item in enumerate(bed) if k != j]
    return bed


def without_merged(bed: list[Detection], motions: Sequence[tuple[BallFilter, float]], radius_m: float) -> list[Detection]:
    """Detections less those in the middle of two touching balls: both balls are then carried on unseen.

    Args:
        bed: Detections, fewer than balls.
        motions: Each ball's filter and the time to predict it by, seconds.
        radius_m: Of a ball.
    """
    if not motions or not bed:
        return bed
    x, y, sigma = np.array([motion.predict(wait) for motion, wait in motions]).T
    apart = np.hypot(x[:, None] - x, y[:, None] - y)
    known = sigma <= KNOWN_RADII * radius_m
    touching = (apart > TOUCHING_RADII[0] * radius_m) & (apart < TOUCHING_RADII[1] * radius_m) & known[:, None] & known
    pairs = np.argwhere(np.triu(touching, 1)).tolist()
    if not pairs:
        return bed
    seen = np.array([item.position_m for item in bed])
    own = np.hypot(seen[:, :1] - x, seen[:, 1:] - y) <= ANOTHER_RADII * radius_m
    claims = own.sum(axis=1)
    first, second = np.array(pairs).T
    off = np.hypot(seen[:, 0] - ((x[first] + x[second]) / 2)[:, None], seen[:, 1] - ((y[first] + y[second]) / 2)[:, None])
    merged: set[int] = set()
    for row in np.flatnonzero((off < MIDDLE_RADII * radius_m).any(axis=1)).tolist():
        i, k = pairs[row]
        speed = max(motions[i][0].speed_mps, motions[k][0].speed_mps)
        others = claims - own[:, i] - own[:, k]
        near = np.flatnonzero((off[row] < 2.2 * radius_m + speed * motions[i][1]) & (others == 0))
        if len(near) == 1 and off[row, near[0]] < MIDDLE_RADII * radius_m:
            merged.add(int(near[0]))
    if not merged:
        return bed
    return [item for j, item in enumerate(bed) if j not in merged]


def without_merged_at_rest(bed: list[Detection], motions: Sequence[tuple[BallFilter, float]], radius_m: float) -> list[Detection]:
    """Detections less those in the middle of two balls at rest that touch, where neither shows by itself; a ball is taken
    for resting until it is told to move (`BallFilter.told_mps`), and out of reach of those that are.

    In a rack several pairs run together in one picture, and a false ball elsewhere hides that balls are missing; but where
    balls lie is known, and a ball that was struck is not half a ball's width away and its neighbour gone.

    Args:
        bed: Detections.
        motions: Each ball's filter and the time to predict it by, seconds.
        radius_m: Of a ball.
    """
    told = [motion.told_mps for motion, _ in motions]
    lie = np.array([(motion.x, motion.y) for (motion, _), speed in zip(motions, told, strict=True) if speed == 0]).reshape(-1, 2)
    fast = [
        (motion.x, motion.y, speed * wait * 1.3 + TOUCHING_RADII[1] * radius_m)
        for (motion, wait), speed in zip(motions, told, strict=True)
        if speed > 0
    ]
    if fast:  # what they may have hit
        x, y, reach = np.array(fast).T
        lie = lie[(np.hypot(lie[:, :1] - x, lie[:, 1:] - y) > reach).all(axis=1)]
    if len(lie) < 2 or not bed:
        return bed
    seen = np.array([item.position_m for item in bed])
    apart = np.hypot(lie[:, None, 0] - seen[None, :, 0], lie[:, None, 1] - seen[None, :, 1])
    own = apart < ANOTHER_RADII * radius_m
    unseen = lie[~own.any(axis=1)]
    stray = np.flatnonzero(~own.any(axis=0))
    if len(unseen) < 2 or not len(stray):
        return bed
    first, second = np.triu_indices(len(unseen), 1)
    near = np.hypot(*(unseen[first] - unseen[second]).T)
    pair = (near > TOUCHING_RADII[0] * radius_m) & (near < TOUCHING_RADII[1] * radius_m)
    middles = 0.5 * (unseen[first] + unseen[second])[pair]
    off = np.hypot(middles[:, None, 0] - seen[None, stray, 0], middles[:, None, 1] - seen[None, stray, 1])
    merged = set(stray[(off < MIDDLE_RADII * radius_m).any(axis=0)].tolist())
    return [item for j, item in enumerate(bed) if j not in merged] if merged else bed
