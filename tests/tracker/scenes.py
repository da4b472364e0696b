"""Hand-made pictures of balls for tracker tests: paths in, observations out, no randomness."""

from collections.abc import Mapping

import numpy as np

from calibration.equipment import find_ball_set, find_table
from calibration.table import Table
from tracker.history import BoolArray
from tracker.tracks import Tracker
from vision.detection import Detection, Observation

TABLE = Table(find_table("wpa-9ft"))
STEP_S = 0.04
NAMES = find_ball_set("nine").balls

Place = tuple[float, float]


def looks(ball: str, sure: float = 0.9) -> dict[str, float]:
    """Likelihood of a detection that looks like `ball`."""
    rest = (1 - sure) / (len(NAMES) - 1)
    return {name: sure if name == ball else rest for name in NAMES}


def wobble(index: int, sigma_m: float) -> float:
    """Repeatable noise of about that size: a low-discrepancy sequence, uniform with that standard deviation."""
    return sigma_m * 3.46 * ((index * 0.618034) % 1.0 - 0.5)


def detection(ball: str | None, place: Place, index: int = 0, sigma_m: float = 0.001, score: float = 0.95) -> Detection:
    """A ball seen at a place, a little off; without looks where `ball` is None."""
    x, y = place[0] + wobble(index, sigma_m), place[1] + wobble(index + 7, sigma_m)
    return Detection(position_m=(x, y), sigma_m=sigma_m, score=score, likelihood=looks(ball) if ball else {})


def picture(
    index: int, balls: Mapping[str, Place | None], extra: tuple[Detection, ...] = (), occluded: BoolArray | None = None
) -> Observation:
    """One picture; a ball whose place is None is not detected."""
    seen = [detection(ball, place, index * 10 + k) for k, (ball, place) in enumerate(balls.items()) if place is not None]
    return Observation(time_s=index * STEP_S, detections=(*seen, *extra), occluded=occluded)


def cover(x_from: float, x_to: float, y_from: float, y_to: float) -> BoolArray:
    """A mask that covers a rectangle of the bed, metres."""
    mask = np.zeros((64, 128), dtype=np.bool_)
    spec = TABLE.spec
    columns = [round((x / spec.length_m + 0.5) * 128) for x in (x_from, x_to)]
    rows = [round((0.5 - y / spec.width_m) * 64) for y in (y_to, y_from)]
    mask[max(rows[0], 0) : rows[1], max(columns[0], 0) : columns[1]] = True
    return mask


def tracker(balls: str = "nine") -> Tracker:
    """A tracker of a 9 ft table."""
    return Tracker(TABLE, find_ball_set(balls))


def roll(start: Place, velocity: Place, time_s: float) -> Place:
    """Where a ball is that rolls from `start`, slowing by 0.1 m/s^2; stands once it has stopped."""
    speed = float(np.hypot(*velocity))
    if speed == 0 or time_s <= 0:
        return start
    time_s = min(time_s, speed / 0.1)
    way = speed * time_s - 0.05 * time_s**2
    return start[0] + velocity[0] / speed * way, start[1] + velocity[1] / speed * way
