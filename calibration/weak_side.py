"""A cushion whose nose hardly shows: is what was found there its nose at all?

A graphic's edge, a cue or a wrinkle beside a hidden nose gives a few landmarks in a row, and a camera tilts readily to fit
them: the residuals stay small and a ball at that side is centimetres off. The other three noses fix the camera too, less
well. So one weak side is left out, the nose is sought again where the others have it, and only what lies there is let in.
Where the others cannot say it to some millimetres, the side stays out and the doubt of places, now large, tells.

A nose that is seen whole can be false too: `calibration.contradiction`.

Fails: two weak sides; then nothing is left out, and their coverage has to refuse them.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.cloth import Cloth
from calibration.covariance import place_sigma_m
from calibration.landmarks import Step, block_places_m, nose_edges, unroll
from calibration.rubber_edge import outer_edges
from calibration.rubber_width import rim_places_m
from calibration.sights import FAR_M, are_astray, find_sights, held_by_sights
from calibration.solve import SIDES, EdgePoints, Lens, Solution, distances_m, side_points_m, solve
from calibration.table import Table

Image = NDArray[np.uint8]

_WEAK, _FIRM, _HALF, _RIM = 0.45, 0.6, 0.2, 0.3
"""Shares of a cushion: its nose is weak below the first; below the second too where one half of it shows less than the third, or
its outer edge less than the fourth. Of 119 rendered tables those more than 4 mm off had noses of 0.00 to 0.50."""
_KNOWN_M = 0.008
"""Largest doubt of where the other three sides have a nose for it to be sought there: beyond, a shade's edge lies as near."""
_UNEVEN_M, _MORE_UNEVEN = 0.0008, 2.5
"""A nose is doubted too where its points scatter by more about the model than the first, and by so much more than the others': a graphic's
edge that runs askew over a cushion tilts the camera, which then fits all four sides, this one worst. Worn noses scatter by 0.6 mm."""
_EVENER = 0.6
"""Share of that scatter that remains where the others have the nose, if it was not the nose before."""
_NEAR_M = 0.003
"""How far, beside its doubt, an outer edge may lie from where the others have it: rails differ that much."""


def with_weak_side_checked(
    image: Image, cloth: Cloth, table: Table, solution: Solution, edges: list[EdgePoints], places: dict[str, Step], lens: Lens | None
) -> tuple[Solution, list[EdgePoints]]:
    """A fit with its one weak side confirmed by the other three, or left out; unchanged where no side, or several, are weak.

    Args:
        image: Shape (h, w, 3), BGR.
        cloth: Its colour.
        table: The table.
        solution: The fit.
        edges: What it was fitted to.
        places: What the noses look like.
        lens: Where it is known.
    """
    weak = weak_sides(edges, table)
    uneven = () if weak else _uneven_sides(solution, edges, table)
    weak = weak or list(uneven)
    if len(weak) != 1:
        return solution, edges
    side, spec, size = weak[0], table.spec, (image.shape[1], image.shape[0])
    without, others = held_without(image, table, solution, edges, side, lens)
    sigma = across_sigma_m(without, others, table, side, lens)
    if sigma > _KNOWN_M:
        stays = _share(edges, table, side, outer=False) >= _WEAK and _share(edges, table, side, outer=True) > _RIM
        return (solution, edges) if stays else (without, others)
    kept = sought_again(image, cloth, table, without, side, places, sigma)
    if not kept:
        return without, others
    again = solve([*others, *kept], spec, size, without.parameters, lens)
    if uneven and _scatter_m(again, kept, table).get(side, 0.0) > _EVENER * _scatter_m(solution, edges, table)[side]:
        # Worn, or hidden here and there, as long as its rail shows too; else a graphic over both.
        return (solution, edges) if _share(edges, table, side, outer=True) > _RIM else (without, others)
    return again, [*others, *kept]


def held_without(
    image: Image, table: Table, solution: Solution, edges: Sequence[EdgePoints], side: str, lens: Lens | None
) -> tuple[Solution, list[EdgePoints]]:
    """The fit that the other three sides give, held by the sights of the rails where they show, with what it was fitted to."""
    others = [edge for edge in edges if edge.side != side]
    without = solve(others, table.spec, (image.shape[1], image.shape[0]), solution.parameters, lens)
    return _with_sights(image, table, without, others, side, lens)


def sought_again(
    image: Image, cloth: Cloth, table: Table, without: Solution, side: str, places: dict[str, Step], sigma_m: float, most_m: float = np.inf
) -> list[EdgePoints]:
    """Nose and outer edge of a side, sought where the other sides have them; those that show on enough of the cushion.

    Args:
        image: Shape (h, w, 3), BGR.
        cloth: Its colour.
        table: The table.
        without: The fit to the others.
        side: The side.
        places: What the noses look like.
        sigma_m: How well the others know the place.
        most_m: Farthest from there that the nose may be.
    """
    rim_m = rim_places_m(without, table)
    strips = unroll(image, without.camera, table, cloth, max(rim_m.values()))
    metres_per_pixel = table.spec.length_m / max(
        1.0, float(np.hypot(*np.ptp(without.camera.to_pixels(_long_m(table), height_m=0.0), axis=0)))
    )
    sign = 1 if sum(place.sign for name, place in places.items() if name != side) > 0 else -1
    reach = min(max(0.0045, 1.5 * metres_per_pixel, sigma_m), most_m)
    alone = {side: strips[side]}
    noses = nose_edges(alone, without.camera, table, {side: Step(outward_m=0.0, sign=sign, share=1.0)}, reach)
    rims = outer_edges(alone, without.camera, table, rim_m, 0.01)
    kept = [edge for edge in noses if _share(noses, table, side, outer=False) >= _WEAK]
    return kept + [
        edge
        for edge in rims
        if _share(rims, table, side, outer=True) > _RIM
        and abs(float(np.median(distances_m(edge, without, table.spec)))) < _NEAR_M + sigma_m
    ]


def _with_sights(
    image: Image, table: Table, solution: Solution, others: list[EdgePoints], side: str, lens: Lens | None
) -> tuple[Solution, list[EdgePoints]]:
    """A fit to three noses held by the sights too, which say where the fourth is; unchanged where none show."""
    sights = find_sights(image, solution, table, [name for name in SIDES if name != side], FAR_M)
    if not sights:
        return solution, others
    held, sights = held_by_sights(others, sights, table, solution, lens)
    if not sights:
        return solution, others
    own = find_sights(image, held, table, [side], FAR_M, near_m=sights[0].sight_m)
    sights += own + [replace(edge, across=True) for edge in own]
    held, sights = held_by_sights(others, sights, table, held, lens)
    return (solution, others) if not sights or are_astray(sights, held, table) else (held, [*others, *sights])


def _long_m(table: Table) -> list[tuple[float, float]]:
    half = table.spec.length_m / 2
    return [(-half, 0.0), (half, 0.0)]


def weak_sides(edges: Sequence[EdgePoints], table: Table) -> list[str]:
    """Sides whose nose shows on too little of its cushion to be believed by itself."""
    return [side for side in SIDES if _is_weak(edges, table, side)]


def _scatter_m(solution: Solution, edges: Sequence[EdgePoints], table: Table) -> dict[str, float]:
    """Standard deviation of each nose's points about the model, metres."""
    return {e.side: float(np.std(distances_m(e, solution, table.spec))) for e in edges if e.nose}


def _uneven_sides(solution: Solution, edges: Sequence[EdgePoints], table: Table) -> Sequence[str]:
    """The side whose nose fits the model clearly worse than the other three do; none where all are alike."""
    scatter = _scatter_m(solution, edges, table)
    worst = max(scatter, key=lambda side: scatter[side], default="")
    others = [value for side, value in scatter.items() if side != worst]
    if len(others) < len(SIDES) - 1 or scatter[worst] < max(_UNEVEN_M, _MORE_UNEVEN * float(np.median(others))):
        return ()
    return (worst,)


def _share(edges: Sequence[EdgePoints], table: Table, side: str, *, outer: bool) -> float:
    """Share of a cushion on which its nose, or the outer edge of its rubber, was found."""
    return sum(len(e.along_m) for e in edges if e.side == side and (e.outer if outer else e.nose)) / len(block_places_m(table, side))


def _is_weak(edges: Sequence[EdgePoints], table: Table, side: str) -> bool:
    share = _share(edges, table, side, outer=False)
    along = np.concatenate([np.zeros(0), *(e.along_m for e in edges if e.side == side and e.nose)])
    blocks = block_places_m(table, side)
    half = min(float((along < 0).sum() / (blocks < 0).sum()), float((along > 0).sum() / (blocks > 0).sum()))
    return share < _WEAK or (share < _FIRM and (half < _HALF or _share(edges, table, side, outer=True) < _RIM))


def across_sigma_m(solution: Solution, edges: Sequence[EdgePoints], table: Table, side: str, lens: Lens | None) -> float:
    """Standard deviation, across it, with which a fit knows the place of a nose, the largest along it, metres."""
    length = table.spec.width_m if side in ("head", "foot") else table.spec.length_m
    places = side_points_m(side, np.array([-0.45, 0.0, 0.45]) * length, np.zeros(3), table.spec)
    sigma = place_sigma_m(solution, edges, table.spec, places, lens)
    return float(sigma[:, 0 if side in ("head", "foot") else 1].max())
