"""14.1: the new rack and who moves for it, S141-T with its geometry (S141-7.3a, 7.6, 1.3); plain module.

When the fourteenth ball of a rack has fallen, fourteen balls are racked again with the place on the foot spot empty.
A ball stands in the way when the triangle, lowered straight down, would meet it: its centre is nearer than a ball to
the triangle of the rack-ball centres (rules.md section 1.3). A ball is "on" a spot when one spotted there would meet it.
Where the fifteenth ball (row) and the cue ball (column) lie gives the cell of the table.

Failure cases: a ball whose place is not known is taken to lie far from rack, spots and head string (section 0.1); within
3 mm of the limit the official decides (section 3.3): `referee.limits` asks him.
"""

from dataclasses import dataclass
from math import hypot, sqrt

from calibration.equipment import TableSpec
from referee.rules.facts import HEAD_STRING_U
from referee.rules.spotting import FOOT_SPOT, HEAD_SPOT

Place = tuple[float, float]

ROWS = 5
"""Rows of the triangle."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of S141-T: what happens to the fifteenth ball and to the cue ball.

    Attributes:
        fifteenth: `stays`, `foot_spot`, `head_spot` or `centre_spot`.
        cue_next: `position`, `hand_kitchen` (A-S9), `head_spot` or `centre_spot`.
    """

    fifteenth: str
    cue_next: str

    @property
    def rerack(self) -> str:
        """Balls racked: with the fifteenth on the foot spot the triangle is full."""
        return "15" if self.fifteenth == "foot_spot" else "14"


TABLE: dict[tuple[str, str], Cell] = {
    ("R1", "C1"): Cell("foot_spot", "hand_kitchen"),
    ("R1", "C2"): Cell("head_spot", "position"),
    ("R1", "C3"): Cell("centre_spot", "position"),
    ("R2", "C1"): Cell("foot_spot", "hand_kitchen"),
    ("R2", "C2"): Cell("foot_spot", "position"),
    ("R2", "C3"): Cell("foot_spot", "position"),
    ("R3", "C1"): Cell("stays", "head_spot"),
    ("R3", "C2"): Cell("stays", "position"),
    ("R3", "C3"): Cell("stays", "position"),
    ("R4", "C1"): Cell("stays", "hand_kitchen"),
    ("R4", "C2"): Cell("stays", "position"),
    ("R4", "C3"): Cell("stays", "position"),
    ("R5", "C1"): Cell("stays", "centre_spot"),
    ("R5", "C2"): Cell("stays", "position"),
    ("R5", "C3"): Cell("stays", "position"),
}
"""S141-T, rows by the fifteenth ball, columns by the cue ball (A-S11)."""


def fifteenth_row(table: TableSpec, place: Place | None, *, is_down: bool) -> str:
    """Where the fifteenth ball is: R1 in the rack, R2 pocketed, R3 behind the head string, R4 elsewhere, R5 on the head spot."""
    if is_down:
        return "R2"
    if place is None:
        return "R4"
    if is_in_rack(table, place):
        return "R1"
    if is_on_spot(table, place, HEAD_SPOT):
        return "R5"
    return "R3" if place[0] < HEAD_STRING_U else "R4"  # on the string is not behind it (GR-3.16)


def cue_column(table: TableSpec, place: Place | None) -> str:
    """Where the cue ball is: C1 in the rack, C3 on the head spot, C2 neither."""
    if place is None:
        return "C2"
    if is_in_rack(table, place):
        return "C1"
    return "C3" if is_on_spot(table, place, HEAD_SPOT) else "C2"


def is_on_spot(table: TableSpec, place: Place, spot: Place) -> bool:
    """A ball set on the spot would meet the one lying there.

    >>> from calibration.equipment import find_table
    >>> is_on_spot(find_table("wpa-9ft"), (0.252, 0.505), HEAD_SPOT), is_on_spot(find_table("wpa-9ft"), (0.45, 0.3), HEAD_SPOT)
    (True, False)
    """
    (x, y), (a, b) = _to_m(table, place), _to_m(table, spot)
    return hypot(x - a, y - b) < table.ball_diameter_m


def is_in_rack(table: TableSpec, place: Place) -> bool:
    """The ball would be met by the triangle lowered straight down (S141-7.6).

    >>> from calibration.equipment import find_table
    >>> is_in_rack(find_table("wpa-9ft"), (0.79, 0.52)), is_in_rack(find_table("wpa-9ft"), (0.72, 0.5))
    (True, False)
    """
    return _distance_to_triangle(_to_m(table, place), _corners(table)) < table.ball_diameter_m


def rack_places(table: TableSpec, *, apex: bool) -> tuple[Place, ...]:
    """(u, v) of the balls of a rack, row by row from the foot spot; without the apex fourteen."""
    x, _ = _to_m(table, FOOT_SPOT)
    step = sqrt(3) * table.ball_radius_m
    places = []
    for row in range(0 if apex else 1, ROWS):
        for column in range(row + 1):
            y = (2 * column - row) * table.ball_radius_m
            places.append(((x + row * step) / table.length_m + 0.5, 0.5 - y / table.width_m))
    return tuple(places)


def _corners(table: TableSpec) -> tuple[Place, Place, Place]:
    """Centres of the three corner balls, metres: apex, then the rear corners."""
    x, y = _to_m(table, FOOT_SPOT)
    deep, half = (ROWS - 1) * sqrt(3) * table.ball_radius_m, (ROWS - 1) * table.ball_radius_m
    return (x, y), (x + deep, y + half), (x + deep, y - half)


def _distance_to_triangle(point: Place, corners: tuple[Place, Place, Place]) -> float:
    edges = tuple(zip(corners, (*corners[1:], corners[0]), strict=True))
    sides = [(b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) for a, b in edges]
    if all(side <= 0 for side in sides) or all(side >= 0 for side in sides):
        return 0.0
    return min(_distance_to_segment(point, a, b) for a, b in edges)


def _distance_to_segment(point: Place, a: Place, b: Place) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    along = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / (dx * dx + dy * dy)
    along = min(1.0, max(0.0, along))
    return hypot(point[0] - a[0] - along * dx, point[1] - a[1] - along * dy)


def _to_m(table: TableSpec, place: Place) -> Place:
    return (place[0] - 0.5) * table.length_m, (0.5 - place[1]) * table.width_m
