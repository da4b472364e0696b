"""Is the rack right before the break: the balls, their places, the apex on its spot, and tight; pure.

The balls that lie together are laid over the lattice of a rack that starts at the ball nearest the head, so that a rack
set off its spot is still read as a rack. Gaps are differences of places near each other, which the camera knows better
than the places: most of what is wrong with one is wrong with its neighbour too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import dist, sqrt
from typing import Any

from calibration.equipment import BallId, TableSpec
from referee.live.places import Place
from referee.rules.options import Options

TIGHT_M = 0.001
"""A gap up to this is tight, metres: a template leaves as much."""
APEX_M = 0.003
"""The apex ball is on its spot within this, metres: a spot is 10 mm wide, a person sets to a few millimetres."""
SLOT_RADII = 1.0
"""A ball within this of a slot of the lattice stands in it, ball radii."""
FEWEST = 3
"""Fewer balls than this together are no rack."""

Slot = tuple[int, int]
"""(row, place in the row from the right), the apex being (0, 0)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RackCheck:
    """What is to be said of a rack.

    Attributes:
        missing: Balls of the rack that are not in it; by number only where they can be told apart.
        extra: Balls in it that do not belong.
        misplaced: Balls that must stand elsewhere in it.
        apex_off_m: Apex ball to its spot; None where none stands there.
        widest_gap_m: Largest gap between neighbours; None without neighbours.
        sigma_m: How well the gap is known.
    """

    missing: tuple[str, ...]
    extra: tuple[str, ...]
    misplaced: tuple[str, ...]
    apex_off_m: float | None
    widest_gap_m: float | None
    sigma_m: float | None

    @property
    def tight(self) -> bool | None:
        """No gap that can be seen; None where the camera cannot tell."""
        if self.widest_gap_m is None or self.sigma_m is None:
            return None
        if self.widest_gap_m <= TIGHT_M:
            return True
        return None if self.widest_gap_m <= TIGHT_M + 2 * self.sigma_m else False

    @property
    def ok(self) -> bool:
        """Nothing to be said against it."""
        on_spot = self.apex_off_m is None or self.apex_off_m <= APEX_M
        return not (self.missing or self.extra or self.misplaced) and on_spot and self.tight is not False

    def to_dict(self) -> dict[str, Any]:
        """As the protocol has it."""
        return {
            "on": True,
            "ok": self.ok,
            "missing": list(self.missing),
            "extra": list(self.extra),
            "misplaced": list(self.misplaced),
            "apex_off_mm": _mm(self.apex_off_m),
            "widest_gap_mm": _mm(self.widest_gap_m),
            "sigma_mm": _mm(self.sigma_m),
            "tight": self.tight,
        }


def lattice(game: str, spec: TableSpec, *, apex_vacant: bool = False) -> dict[Slot, tuple[float, float]]:
    """Slot to the place of its ball, metres, the apex on the foot spot."""
    rows = (1, 2, 3, 2, 1) if game == "nine_ball" else (1, 2, 3, 4, 5)
    step = sqrt(3) * spec.ball_radius_m
    slots = {
        (row, k): (spec.length_m / 4 + row * step, (2 * k - (n - 1)) * spec.ball_radius_m) for row, n in enumerate(rows) for k in range(n)
    }
    return {slot: place for slot, place in slots.items() if not (apex_vacant and slot == (0, 0))}


def check_rack(
    game: str,
    spec: TableSpec,
    balls: Sequence[BallId],
    places: Mapping[BallId, Place],
    options: Options,
    *,
    distinct: bool,
    apex_vacant: bool = False,
) -> RackCheck | None:
    """What is to be said of the rack; None where the balls do not lie as one.

    Args:
        game: Name as in files.
        spec: Table and balls.
        balls: That belong in the rack.
        places: Where resting balls lie.
        options: House rules: which ball stands on the spot.
        distinct: Balls are told apart by their looks.
        apex_vacant: 14.1: the rack of fourteen.
    """
    slots = lattice(game, spec, apex_vacant=apex_vacant)
    candidates = {ball: place for ball, place in places.items() if ball in balls or ball not in ("cue", "Y")}
    stands = _stands(slots, candidates, spec, anchored=not apex_vacant)
    if len(stands) < min(FEWEST, len(slots)) or len(stands) < len(slots) // 2:
        return None
    in_rack = set(stands.values())
    missing: tuple[str, ...] = tuple(ball for ball in balls if ball not in in_rack)
    if not distinct:
        missing = missing[: max(0, len(slots) - len(stands))]
    apex = stands.get((0, 0))
    gap, sigma = _widest_gap(slots, stands, candidates, spec)
    return RackCheck(
        missing=missing,
        extra=tuple(sorted(in_rack - set(balls))) if distinct else (),
        misplaced=_misplaced(game, stands, options) if distinct else (),
        apex_off_m=None if apex is None else candidates[apex].distance_m(slots[(0, 0)]),
        widest_gap_m=gap,
        sigma_m=sigma,
    )


def _stands(
    slots: Mapping[Slot, tuple[float, float]], places: Mapping[BallId, Place], spec: TableSpec, *, anchored: bool
) -> dict[Slot, BallId]:
    """Slot to the ball in it, the lattice shifted to the ball nearest the head among those about the spot."""
    reach = 6 * spec.ball_diameter_m
    middle = (spec.length_m / 4 + 2 * sqrt(3) * spec.ball_radius_m, 0.0)
    near = {ball: place for ball, place in places.items() if place.distance_m(middle) < reach}
    if not near:
        return {}
    shift = (0.0, 0.0)
    if anchored:
        apex = min(near.values(), key=lambda place: place.x_m)
        shift = (apex.x_m - slots[(0, 0)][0], apex.y_m - slots[(0, 0)][1])
    stands: dict[Slot, BallId] = {}
    for slot, (x, y) in slots.items():
        at = (x + shift[0], y + shift[1])
        ball = min(near, key=lambda name: near[name].distance_m(at))
        if near[ball].distance_m(at) <= SLOT_RADII * spec.ball_radius_m and ball not in stands.values():
            stands[slot] = ball
    return stands


def _widest_gap(
    slots: Mapping[Slot, tuple[float, float]], stands: Mapping[Slot, BallId], places: Mapping[BallId, Place], spec: TableSpec
) -> tuple[float | None, float | None]:
    found: list[tuple[float, float]] = []
    filled = list(stands)
    for index, one in enumerate(filled):
        for two in filled[index + 1 :]:
            if dist(slots[one], slots[two]) < 1.1 * spec.ball_diameter_m:
                a, b = places[stands[one]], places[stands[two]]
                found.append((a.distance_m((b.x_m, b.y_m)) - spec.ball_diameter_m, sqrt(a.sigma_m**2 + b.sigma_m**2)))
    return max(found) if found else (None, None)


def _misplaced(game: str, stands: Mapping[Slot, BallId], options: Options) -> tuple[str, ...]:
    """N9-2: the 1 on the spot (or the 9, A-N1), the 9 in the middle. S141-5: the 1 and the 5 at the back corners."""
    if game == "nine_ball":
        wanted = {(0, 0): "9" if options.nine_nine_on_spot else "1"}
        if not options.nine_nine_on_spot:
            wanted[(2, 1)] = "9"
        return tuple(ball for slot, ball in wanted.items() if stands.get(slot) not in (ball, None))
    if game == "straight_14_1" and options.s141_rack_1_and_5:
        corners = {stands.get((4, 0)), stands.get((4, 4))} - {None}
        return tuple(ball for ball in ("1", "5") if ball in stands.values() and ball not in corners)
    return ()


def _mm(value_m: float | None) -> float | None:
    return None if value_m is None else round(1000 * value_m, 1)
