"""A table as geometry in the table frame; plain module, standard library only.

Seen from above, origin at the centre spot on the cloth, metres, right-handed, z up:

            head_left (HL)        SL         foot_left (FL)
                 +----------------+----------------+   y = +W/2   left cushion
                 |        :                :       |
          head   |        :                :       |   foot        ---> x, head to foot
         cushion |        * head spot      * foot  |  cushion
                 |        :                :       |
                 +----------------+----------------+   y = -W/2   right cushion
            head_right (HR)       SR         foot_right (FR)
              x = -L/2           x = 0           x = +L/2

Left and right are those of a person looking from head to foot. The lines are the noses of the cushions.
Rule files use fractions u = x/L + 1/2, v = 1/2 - y/W (rules.md section 1.1).
"""

from dataclasses import dataclass
from math import sqrt

from calibration.equipment import TableSpec

Point = tuple[float, float]
"""(x, y) in metres, table frame."""

POCKETS = ("HL", "HR", "SL", "SR", "FL", "FR")
CUSHIONS = ("head", "foot", "left", "right")
CORNERS = ("head_left", "head_right", "foot_left", "foot_right")

FALLBACK_CORNER_MOUTH = 2.03
"""Corner mouth in ball diameters where no standard gives one (WPA: 2.00 to 2.06)."""
FALLBACK_SIDE_MOUTH = 2.25
"""Side mouth in ball diameters where no standard gives one (WPA: 2.22 to 2.28)."""


@dataclass(frozen=True, slots=True)
class Table:
    """Spots, strings, cushions and pockets of a table of the given size.

    Attributes:
        spec: The nominal or measured size.
    """

    spec: TableSpec

    @property
    def corner_mouth_m(self) -> float:
        """Distance between the two nose ends of a corner pocket, metres."""
        return self.spec.corner_mouth_m or FALLBACK_CORNER_MOUTH * self.spec.ball_diameter_m

    @property
    def side_mouth_m(self) -> float:
        """Distance between the two nose ends of a side pocket, metres."""
        return self.spec.side_mouth_m or FALLBACK_SIDE_MOUTH * self.spec.ball_diameter_m

    def corners_m(self) -> dict[str, Point]:
        """Where neighbouring nose lines meet, by the names of `CORNERS`."""
        x, y = self.spec.length_m / 2, self.spec.width_m / 2
        return {"head_left": (-x, y), "head_right": (-x, -y), "foot_left": (x, y), "foot_right": (x, -y)}

    def mouth_m(self, pocket: str) -> tuple[Point, Point]:
        """The two nose ends of a pocket: on the short cushion first for a corner, nearer the head first for a side.

        Raises:
            ValueError: If `pocket` is not one of `POCKETS`.
        """
        if pocket not in POCKETS:
            raise ValueError(f"pocket must be one of {POCKETS}, found {pocket!r}")
        y = self.spec.width_m / 2 * (1 if pocket[1] == "L" else -1)
        if pocket[0] == "S":
            half = self.side_mouth_m / 2
            return (-half, y), (half, y)
        x = self.spec.length_m / 2 * (1 if pocket[0] == "F" else -1)
        cut = self.corner_mouth_m / sqrt(2)
        return (x, y - cut if y > 0 else y + cut), (x - cut if x > 0 else x + cut, y)

    def mouth_centre_m(self, pocket: str) -> Point:
        """Middle between the two nose ends of a pocket."""
        (ax, ay), (bx, by) = self.mouth_m(pocket)
        return (ax + bx) / 2, (ay + by) / 2

    def noses_m(self) -> dict[str, tuple[tuple[Point, Point], ...]]:
        """Nose segments of each cushion, pocket mouths left out; a long cushion has two."""
        head = (self.mouth_m("HL")[0], self.mouth_m("HR")[0])
        foot = (self.mouth_m("FL")[0], self.mouth_m("FR")[0])
        sides = {}
        for name, letter in (("left", "L"), ("right", "R")):
            near, far = self.mouth_m(f"S{letter}")
            sides[name] = ((self.mouth_m(f"H{letter}")[1], near), (far, self.mouth_m(f"F{letter}")[1]))
        return {"head": (head,), "foot": (foot,), **sides}

    def spots_m(self) -> dict[str, Point]:
        """Head, centre and foot spot."""
        quarter = self.spec.length_m / 4
        return {"head": (-quarter, 0.0), "centre": (0.0, 0.0), "foot": (quarter, 0.0)}

    @property
    def head_string_m(self) -> float:
        """x of the head string (house line), metres; behind it means x strictly below."""
        return -self.spec.length_m / 4

    def to_fractions(self, point: Point) -> Point:
        """(u, v) of rule files from (x, y) in metres.

        >>> from calibration.equipment import find_table
        >>> Table(find_table("wpa-9ft")).to_fractions((0.635, 0.0))
        (0.75, 0.5)
        """
        return point[0] / self.spec.length_m + 0.5, 0.5 - point[1] / self.spec.width_m

    def from_fractions(self, fractions: Point) -> Point:
        """(x, y) in metres from (u, v) of rule files."""
        return (fractions[0] - 0.5) * self.spec.length_m, (0.5 - fractions[1]) * self.spec.width_m
