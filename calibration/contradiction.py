"""Each nose against the other three: does it lie where they, and the sights of the rails, have it?

A graphic's edge that runs along a nose, a few millimetres from it, passes for the nose: its points lie in a row, and a camera
tilts readily to fit all four sides. What does not fit then are the sights, which divide the way from nose to nose evenly. So each
side is left out in turn; where the camera that the others and the sights give has its nose clearly elsewhere than it was found, by
that camera's own doubt, one of the four is false, most likely the one that is farthest off. It is sought again where the others
have it, nearer than what was found before; and if it does not show there, it stays out.

A table is seldom exactly twice as long as wide, or as a tape says: half a per cent moves noses by 5 mm against each other. Such a
table's sights move along, so how they, and the nose across, lie along the two rails beside a nose is carried on to it in a straight
line, and only what remains speaks against it. Without sights nothing is judged.

Fails: two false sides; a false side by less than the doubt of the others, 1 to 2 mm.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.cloth import Cloth
from calibration.landmarks import Step
from calibration.sights import SIGHT_REACH_M, are_astray, find_sights, held_by_sights
from calibration.solve import SIDES, EdgePoints, Lens, Solution, distances_m, side_points_m, solve
from calibration.table import Table
from calibration.weak_side import across_sigma_m, held_without, sought_again

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_SIGMAS, _KNOWN_M = 3.0, 0.003
"""How many standard deviations off a nose is false, and how well the others must know its place for that: of 440 rendered tables
three were wrong by 4 to 11 mm, with 4.0 to 6.7 standard deviations, the others had up to 2.6."""
_NOSE_WEIGHT, _LEAST_BESIDE = 3.0, 4
"""How much better than a sight's place that of a nose is known; and how many of both are needed beside a nose to carry on to it."""
_NEARER = 0.7
"""How far from where the others have it a false nose is sought again, of how far off it was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A nose and where the others have it.

    Attributes:
        side: Its cushion.
        off_m: How far outward of there it was found, the larger of its two halves' medians.
        sigma_m: Standard deviation with which the others know it.
    """

    side: str
    off_m: float
    sigma_m: float

    @property
    def sigmas(self) -> float:
        """How many standard deviations it is off."""
        return abs(self.off_m) / self.sigma_m

    @property
    def false(self) -> bool:
        """Whether it can hardly be the nose."""
        return self.sigma_m < _KNOWN_M and self.sigmas > _SIGMAS


def noses_against_others(
    image: Image, table: Table, solution: Solution, edges: Sequence[EdgePoints], lens: Lens | None
) -> list[Contradiction]:
    """Every nose that was found, farthest off first.

    Args:
        image: Shape (h, w, 3), BGR.
        table: The table.
        solution: The fit.
        edges: What it was fitted to, sights or none among it.
        lens: Where it is known.
    """
    lines = [edge for edge in edges if edge.sight_m is None]
    sights = [edge for edge in edges if edge.lengthwise] or find_sights(image, solution, table, SIDES, SIGHT_REACH_M)
    found = []
    for nose in (edge for edge in lines if edge.nose and sights):
        others = [edge for edge in lines if edge.side != nose.side]
        without, near = held_by_sights(others, sights, table, solution, lens)
        held = [*others, *near]
        carried = _carried_on_m(held, without, table, nose.side)
        if carried is None or are_astray(near, without, table):
            continue
        away = distances_m(nose, without, table.spec)
        halves = [half for half in (away[nose.along_m < 0], away[nose.along_m >= 0]) if len(half) >= 3]
        off = max((float(np.median(half)) for half in halves), key=abs, default=0.0) - carried
        found.append(Contradiction(side=nose.side, off_m=off, sigma_m=across_sigma_m(without, held, table, nose.side, lens)))
    return sorted(found, key=lambda one: -one.sigmas)


def _carried_on_m(held: Sequence[EdgePoints], solution: Solution, table: Table, side: str) -> float | None:
    """How far outward a nose is by what the sights beside it and the nose across from it are off; None with too few of them."""
    middle, out = side_points_m(side, np.zeros(2), np.array([0.0, 1.0]), table.spec)
    outward = out - middle
    places, away, weights = [], [], []
    for edge in held:
        at = side_points_m(edge.side, edge.along_m, np.zeros(len(edge.along_m)), table.spec) @ outward
        one_way = np.diff(side_points_m(edge.side, np.array([0.0, 1.0]), np.zeros(2), table.spec), axis=0)[0] @ outward
        if edge.lengthwise and abs(one_way) > 0.5:
            places.append(at)
            away.append(one_way * distances_m(edge, solution, table.spec))
            weights.append(np.ones(len(at)))
        elif edge.nose and abs(one_way) < 0.5:
            places.append(at[:1])
            away.append(np.array([-float(np.median(distances_m(edge, solution, table.spec)))]))
            weights.append(np.array([_NOSE_WEIGHT]))
    if sum(len(some) for some in places) < _LEAST_BESIDE:
        return None
    slope, start = np.polyfit(np.concatenate(places), np.concatenate(away), 1, w=np.concatenate(weights))
    return float(start + slope * (middle @ outward))


def with_false_nose_mended(
    image: Image, cloth: Cloth, table: Table, solution: Solution, edges: list[EdgePoints], places: dict[str, Step], lens: Lens | None
) -> tuple[Solution, list[EdgePoints]] | str:
    """A fit without a false nose; unchanged where all four agree. Why there is none, where they do not and no one of them is the cause.

    Args:
        image: Shape (h, w, 3), BGR.
        cloth: Its colour.
        table: The table.
        solution: The fit.
        edges: What it was fitted to.
        places: What the noses look like.
        lens: Where it is known.
    """
    false = [one for one in noses_against_others(image, table, solution, edges, lens) if one.false]
    if not false:
        return solution, edges
    worst = false[0]
    lines = [edge for edge in edges if edge.sight_m is None]
    without, others = held_without(image, table, solution, lines, worst.side, lens)
    kept = sought_again(image, cloth, table, without, worst.side, places, worst.sigma_m, _NEARER * abs(worst.off_m))
    mended = solve([*others, *kept], table.spec, (image.shape[1], image.shape[0]), without.parameters, lens), [*others, *kept]
    for made, used in (mended, (without, others)) if kept else ((without, others),):
        if not any(one.false for one in noses_against_others(image, table, made, used, lens)):
            return made, used
    return (
        f"the nose of the {worst.side} cushion was found {1000 * abs(worst.off_m):.0f} mm from where the others have it; "
        "a graphic or a shadow along it, or another table? use --corners"
    )
