"""Where a ball is spotted: GR-3.32 as geometry; plain module.

The ball goes on the foot spot. Where that is not free it goes on the long string behind it, as near the spot as it can
lie without moving anything; with no room up to the foot cushion, in front of the spot toward the centre. The nearest
place is either the spot or one where the ball just touches a ball in the way, so only those places are tried.
Against an object ball it lies frozen; against the cue ball a hair is left (`CUE_GAP_M`).
"""

from collections.abc import Iterable, Mapping
from math import hypot, sqrt

from calibration.equipment import TableSpec

FOOT_SPOT = (0.75, 0.5)
CENTRE_SPOT = (0.5, 0.5)
HEAD_SPOT = (0.25, 0.5)

CUE_GAP_M = 0.0005
"""Gap left to the cue ball. GR-3.32 only forbids touching; half a millimetre is the least a hand can leave, and more
than 2 mm would not be "as near as possible" (scenario files compare within 2 mm)."""

TOUCH_TOLERANCE_M = 1e-6
"""Two balls that lie frozen are not overlapping: slack for the rounding of fractions written with six digits."""


def find_spot(
    table: TableSpec,
    lying: Mapping[str, tuple[float, float]],
    *,
    cue_ball: str | None,
    gap_m: float = 0.0,
    spot: tuple[float, float] = FOOT_SPOT,
) -> tuple[float, float]:
    """(u, v) of the place for one ball.

    Args:
        table: Size of table and ball.
        lying: Balls on the table by (u, v).
        cue_ball: The one to which `CUE_GAP_M` is left; None where it is not on the table.
        gap_m: Gap left to every other ball, metres (pyramid spots close but not touching).
        spot: Where the ball belongs.

    >>> from calibration.equipment import find_table
    >>> find_spot(find_table("wpa-9ft"), {"6": (0.75, 0.5)}, cue_ball=None)
    (0.7725, 0.5)
    """
    obstacles = [(_to_m(table, place), table.ball_diameter_m + (CUE_GAP_M if ball == cue_ball else gap_m)) for ball, place in lying.items()]
    x_spot = _to_m(table, spot)[0]
    end_x = table.length_m / 2 - table.ball_radius_m
    candidates = _touching_places(obstacles)
    behind = sorted(x for x in candidates if x_spot < x <= end_x + TOUCH_TOLERANCE_M)
    in_front = sorted((x for x in candidates if -end_x <= x < x_spot), reverse=True)
    for x in (x_spot, *behind, *in_front):
        if all(hypot(x - bx, by) >= reach - TOUCH_TOLERANCE_M for (bx, by), reach in obstacles):
            return round(x / table.length_m + 0.5, 6), spot[1]
    raise ValueError(f"no room on the long string for a ball: {len(obstacles)} balls lie in the way")


def find_spots(
    table: TableSpec,
    balls: Iterable[str],
    lying: Mapping[str, tuple[float, float]],
    *,
    cue_ball: str | None,
    gap_m: float = 0.0,
) -> dict[str, tuple[float, float]]:
    """The places of several balls spotted one after the other, in the order given."""
    on_table = dict(lying)
    places: dict[str, tuple[float, float]] = {}
    for ball in balls:
        places[ball] = on_table[ball] = find_spot(table, on_table, cue_ball=cue_ball, gap_m=gap_m)
    return places


def _to_m(table: TableSpec, place: tuple[float, float]) -> tuple[float, float]:
    return (place[0] - 0.5) * table.length_m, (0.5 - place[1]) * table.width_m


def _touching_places(obstacles: Iterable[tuple[tuple[float, float], float]]) -> list[float]:
    """x on the long string where a ball just touches an obstacle, both sides of it."""
    places = []
    for (x, y), reach in obstacles:
        if abs(y) < reach:
            half = sqrt(reach**2 - y**2)
            places += [x - half, x + half]
    return places
