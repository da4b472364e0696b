"""Detections that are not one ball each: one ball found twice, two balls found as one."""

from collections.abc import Sequence
from math import hypot

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


def without_merged(bed: list[Detection], motions: Sequence[tuple[BallFilter, float]], radius_m: float) -> list[Detection]:
    """Detections less those in the middle of two touching balls: both balls are then carried on unseen.

    Args:
        bed: Detections, fewer than balls.
        motions: Each ball's filter and the time to predict it by, seconds.
        radius_m: Of a ball.
    """
    places = [motion.predict(wait) for motion, wait in motions]
    merged: set[int] = set()
    for i, (ax, ay, a_sigma) in enumerate(places):
        for k, (bx, by, b_sigma) in enumerate(places[i + 1 :], start=i + 1):
            if abs(bx - ax) > TOUCHING_RADII[1] * radius_m or max(a_sigma, b_sigma) > KNOWN_RADII * radius_m:
                continue
            if not TOUCHING_RADII[0] * radius_m < hypot(bx - ax, by - ay) < TOUCHING_RADII[1] * radius_m:
                continue
            middle = (ax + bx) / 2, (ay + by) / 2
            speed = max(motions[i][0].speed_mps, motions[k][0].speed_mps)
            reach = 2.2 * radius_m + speed * motions[i][1]
            others = [place for n, place in enumerate(places) if n not in (i, k)]
            near = [
                j
                for j, item in enumerate(bed)
                if apart_m(item.position_m, middle) < reach
                and all(apart_m(item.position_m, other) > ANOTHER_RADII * radius_m for other in others)
            ]
            if len(near) == 1 and apart_m(bed[near[0]].position_m, middle) < MIDDLE_RADII * radius_m:
                merged.add(near[0])
    return [item for j, item in enumerate(bed) if j not in merged]
