"""Setting balls up by hand: spotting, and putting back a layout, each ball with the millimetres it is off; pure.

A ball is done from `DONE_M` on: a person cannot set one nearer without tools, and the camera cannot tell. Balls that
look alike are matched to the places so that the sum of the distances is least; numbered ones go where their number was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from calibration.equipment import BallId
from referee.live.places import Place

DONE_M = 0.0015
"""Nearer than this a ball is where it belongs, metres: "2 mm left" is shown, one and a half are the camera's own doubt."""
LOOKED_FOR_M = 0.25
"""A ball that looks like others is taken for the one being set up when it lies within this of the place, metres."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One ball to be set up.

    Attributes:
        ball: Which.
        to: Where its centre belongs.
        at: Where it is; None while it is not seen.
        off_m: How far off; None while it is not seen.
        sigma_m: How well that is known.
        done: It is there.
    """

    ball: BallId
    to: Point
    at: Point | None = None
    off_m: float | None = None
    sigma_m: float | None = None
    done: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As the protocol has it, millimetres to a tenth."""
        return {
            "ball": self.ball,
            "to": [round(value, 4) for value in self.to],
            "at": None if self.at is None else [round(value, 4) for value in self.at],
            "off_mm": _mm(self.off_m),
            "sigma_mm": _mm(self.sigma_m),
            "done": self.done,
        }


def goals(
    wanted: Mapping[BallId, Point], places: Mapping[BallId, Place], *, distinct: bool, done: Sequence[BallId] = ()
) -> tuple[Goal, ...]:
    """How far the setting up has come.

    Args:
        wanted: Where balls belong, in the order in which they are set up.
        places: Where resting balls lie.
        distinct: Balls are told apart by their looks; else by the nearest place only.
        done: Balls that a person says are done.
    """
    pairs = {ball: ball for ball in wanted if ball in places} if distinct else _nearest(wanted, places)
    return tuple(_goal(ball, to, places.get(pairs.get(ball, "")), ball in done) for ball, to in wanted.items())


def _goal(ball: BallId, to: Point, place: Place | None, is_said_done: bool) -> Goal:
    if place is None:
        return Goal(ball=ball, to=to, done=is_said_done)
    off = place.distance_m(to)
    at = (place.x_m, place.y_m)
    return Goal(ball=ball, to=to, at=at, off_m=off, sigma_m=place.sigma_m, done=is_said_done or off <= max(DONE_M, place.sigma_m))


def _nearest(wanted: Mapping[BallId, Point], places: Mapping[BallId, Place]) -> dict[BallId, BallId]:
    """Ball wanted to the ball that lies there or nearest; a coloured ball keeps its own place."""
    pairs = {ball: ball for ball in wanted if ball in places and not _is_alike(ball)}
    left = [ball for ball in wanted if _is_alike(ball)]
    free = [ball for ball in places if _is_alike(ball)]
    if left and free:
        cost = np.array([[hypot(wanted[a][0] - places[b].x_m, wanted[a][1] - places[b].y_m) for b in free] for a in left])
        for row, column in zip(*linear_sum_assignment(np.minimum(cost, 10 * LOOKED_FOR_M)), strict=True):
            if cost[row, column] <= LOOKED_FOR_M:
                pairs[left[row]] = free[column]
    return pairs


def _is_alike(ball: BallId) -> bool:
    return ball.startswith(("w", "b"))


def _mm(value_m: float | None) -> float | None:
    return None if value_m is None else round(1000 * value_m, 1)
