"""Distances that a referee measures by eye: is a ball frozen, does the cue ball lie in its zone, how near is a rail; pure.

A camera can say that two balls do not touch. That they do touch it can only say within its doubt, and then it is for
the official to look: `touching` is "no" as soon as the gap is clearly there, "yes" only where even the doubt leaves less
than a hair, else "unsure".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot
from typing import Any

from calibration.equipment import BallId, TableSpec
from referee.live.places import Place
from referee.rules.straight_pool_near_rail import nearest_cushion

HAIR_M = 0.0005
"""A gap below this is none that a person could see, metres."""
SIGMAS = 2.0
"""So many standard deviations make a distance clear: 1 in 20 is wrong, and a person looks at it anyway."""
TOUCH_RATIO = 0.963
"""Distance of a centre from a nose at touch over the ball's radius: the nose is higher than the centre (0.635 of the
diameter, WPA), so that it meets the ball beside its widest place: sqrt(1 - 0.27**2)."""
Point = tuple[float, float]

ZONES = {
    "hand_anywhere": (-0.5, 0.5),
    "in_hand": (-0.5, 0.5),
    "hand_kitchen": (-0.5, -0.25),
    "hand_house": (-0.5, -0.25),
    "hand_temp_house": (0.25, 0.5),
}
"""Cue state to the part of the table along its length in which the cue ball may be placed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """How far two things are apart.

    Attributes:
        a: A ball.
        b: A ball, or a cushion.
        gap_m: Between their surfaces; below 0 where they seem to overlap.
        sigma_m: Standard deviation.
    """

    a: BallId
    b: str
    gap_m: float
    sigma_m: float

    @property
    def touching(self) -> str:
        """`yes`, `no` or `unsure`."""
        if self.gap_m > HAIR_M and self.gap_m > SIGMAS * self.sigma_m:
            return "no"
        return "yes" if self.gap_m + SIGMAS * self.sigma_m <= HAIR_M else "unsure"

    def to_dict(self) -> dict[str, Any]:
        """As the protocol has it."""
        return {
            "a": self.a,
            "b": self.b,
            "gap_mm": round(1000 * self.gap_m, 1),
            "sigma_mm": round(1000 * self.sigma_m, 1),
            "touching": self.touching,
        }


def measure_gap(spec: TableSpec, a: BallId, b: str, places: Mapping[BallId, Place]) -> Gap | None:
    """Between a ball and a ball or cushion; None where one is not seen at rest."""
    one, two = places.get(a), places.get(b)
    if one is None:
        return None
    if two is not None:
        gap = one.distance_m((two.x_m, two.y_m)) - spec.ball_diameter_m
        return Gap(a=a, b=b, gap_m=gap, sigma_m=hypot(one.sigma_m, two.sigma_m))
    to_nose = {
        "head": one.x_m + spec.length_m / 2,
        "foot": spec.length_m / 2 - one.x_m,
        "left": spec.width_m / 2 - one.y_m,
        "right": one.y_m + spec.width_m / 2,
    }.get(b)
    return None if to_nose is None else Gap(a=a, b=b, gap_m=to_nose - TOUCH_RATIO * spec.ball_radius_m, sigma_m=one.sigma_m)


def zone_box(cue_state: str, spec: TableSpec) -> tuple[Point, Point] | None:
    """Lower and upper corner of the zone for the cue ball's centre; None where it is not in hand."""
    part = ZONES.get(cue_state)
    if part is None:
        return None
    r = spec.ball_radius_m
    low = max(part[0] * spec.length_m, -spec.length_m / 2 + r)
    high = min(part[1] * spec.length_m, spec.length_m / 2 - r)
    return (low, r - spec.width_m / 2), (high, spec.width_m / 2 - r)


def zone_polygon(cue_state: str, spec: TableSpec) -> list[list[float]] | None:
    """The zone as a polygon."""
    box = zone_box(cue_state, spec)
    if box is None:
        return None
    (x0, y0), (x1, y1) = box
    return [[round(x, 5), round(y, 5)] for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]


def check_zone(cue_state: str, spec: TableSpec, ball: BallId, places: Mapping[BallId, Place]) -> dict[str, Any]:
    """The `zone` object of the protocol: whether the cue ball lies where it may; `inside` is None where that is too near to tell."""
    box, place = zone_box(cue_state, spec), places.get(ball)
    if box is None:
        return {"on": False, "ball": ball, "inside": None, "off_mm": None, "sigma_mm": None}
    if place is None:
        return {"on": True, "ball": ball, "inside": None, "off_mm": None, "sigma_mm": None}
    limits = [x for x in (box[0][0], box[1][0]) if abs(abs(x) - spec.length_m / 4) < 1e-6]
    beyond = [(place.x_m - x) * (1 if x == box[1][0] else -1) for x in limits]  # the strings only: cushions hold by themselves
    out_m = max([0.0, *beyond])
    nearest = min((abs(value) for value in beyond), default=1.0)
    inside = None if nearest < SIGMAS * place.sigma_m else out_m <= 0
    return {"on": True, "ball": ball, "inside": inside, "off_mm": round(1000 * out_m, 1), "sigma_mm": round(1000 * place.sigma_m, 1)}


def near_rails(spec: TableSpec, cue: BallId, places: Mapping[BallId, Place]) -> list[dict[str, Any]]:
    """14.1: object balls about a ball's width from a cushion, with the measure (S141-7.2c); `near` is None within the doubt."""
    found = []
    for ball, place in places.items():
        if ball == cue:
            continue
        fractions = (place.x_m / spec.length_m + 0.5, 0.5 - place.y_m / spec.width_m)
        cushion, gap = nearest_cushion(spec, fractions)
        limit = spec.ball_diameter_m - gap
        if limit > -0.5 * spec.ball_diameter_m:
            near = None if abs(limit) < SIGMAS * place.sigma_m else limit > 0
            found.append(
                {"ball": ball, "cushion": cushion, "gap_mm": round(1000 * gap, 1), "sigma_mm": round(1000 * place.sigma_m, 1), "near": near}
            )
    return found
