"""The camera that fits a picture of a table: tried the usual way first, then other ways until the pockets agree.

One way is: cloth -> four outer lines -> rough camera -> strips -> width of the rubber -> noses -> joint fit, twice.
What can go wrong in it: a colour of cloth that takes in the rails or the floor (then a stricter one is tried), and one
side whose edge is not the cloth's (a graphic, a person, a table beside it: then the camera starts from the other
three sides). A result counts as good only where pockets and mouths lie where the model has them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.cloth import STRICTNESS, Cloth, Reduced, cut_sides, find_cloth
from calibration.covariance import place_doubt
from calibration.equipment import TableSpec
from calibration.landmarks import block_count
from calibration.pockets import MouthCheck, check_mouths
from calibration.rubber_width import BACK_HEIGHT_M, rim_places_m, sight_slants
from calibration.solve import SIDES, EdgePoints, Lens, Solution, distances_m, side_points_m, solve
from calibration.table import Table
from calibration.table_fit import (
    NO_OUTLINE,
    OUTLINE_SIGMA_M,
    POCKETS_MIN,
    POCKETS_SHARE,
    TOO_FEW_EDGES,
    fit_table,
    no_pockets,
    ordered_quad,
)
from calibration.weak_side import weak_sides

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

MOUTH_LIMIT_M = 0.025
"""Largest disagreement of mouths: chalk, irons, a ball in the jaws and parallax give 0.02, a wrong side 0.03 to 0.3."""
_MOUTH_LIMIT_FIRM_M = 0.03
"""The same where all four noses show well: then a tilted view of a middle pocket and a person at another are likelier."""
_READ_TO_M = 0.0015
"""How well such a disagreement is read: rubber is followed in steps of 3 mm."""
_MOUTH_SHARE = (0.36, 1.6)
"""Corner mouths over their standard width, as measured along the rubber: real and rendered tables give 0.40 to 1.2, among
them some that are right to half a millimetre; noses taken too far in or out gave 0.38 to 0.53 and 1.96."""
_ENDS_MIN, _ENDS_BLIND = 7, 10
"""Ends of rubber at mouths, of 12, that must be seen to be checked: two people hide two pockets; and where a whole nose
was not found: then nothing but the pockets on its side says where it is, a graphic's edge fits the rest as well."""
_COVERAGE_MIN = 0.2
"""Least share of a cushion on which its nose must be found: a player and his arm hide up to half of a short one."""
_COVERAGE_ALL = 0.5
"""The same of all cushions together: edges of shadows, taken for noses that do not show, fit on less than half."""
_DOUBT_MAX_M = 0.0045
"""Largest standard deviation of a ball's place anywhere: with all four noses 0.0015 to 0.003, without one that matters 0.01 and
more."""
_RUBBER_LEAST_M = 0.024
"""Least width of rubber of a good fit: real tables show 0.028 to 0.07; a crease of the rubber taken for its nose gave 0.016 to 0.022."""
_RUBBER_MOST_M = 0.075
"""Most: the edge between rail and rubber, taken for a nose inside the rail's own edge, gave 0.082."""
_MEDIAN_MM, _LARGEST_MM = 1.5, 6.0
"""Residuals of a good table: a ball is placed to 2 mm; real noses are straight to about 1 mm, dirt and chalk give 4."""
_SOFT_MM, _ASKEW_MM = 0.6, 3.7
"""Residual and difference in width of rubber between the sides that together tell edges of shadows from noses: those
are soft, and each side's is at a distance of its own. Real rubber alone differs by up to 5 mm, as it is seen."""
_UNKNOWN = 2.0
"""That difference may be so much larger where only a proportion is known: people round it, and a toy table brought to a usual size
has rubber twice as large as any."""
_UNKNOWN_LIMITS = 1.3
"""The same of the limits for mouths and for the doubt of places, which are of a usual size: half of what a toy table is blown up by."""
_PROPORTIONS = np.arange(1.5, 2.55, 0.05)
"""Length to width of tables, tried where the named one does not fit."""
_CLEARLY = 0.6
"""Share of the residual that another proportion must come down to: worn noses keep 0.9 under any, a wrong name halves it."""
_FITS_MM = 0.4
"""Residual with which the named proportion fits as well as any can: others are not tried."""
_SAME_PX = 2.5
"""Pixels of the reduced picture by which outlines that are the same differ."""
_EFFORT, _EFFORT_OUTLINE, _EFFORT_NONE = 2.0, 0.35, 0.05
"""After how many whole fits no further way is begun, and what one counts that ended before its noses were fitted, or at its outline:
a picture shall be refused in 1.5 s too, and of 660 rendered tables none needed more."""
_EFFORT_CUT = 1.0
"""The same where the cloth seems to run out of the picture: whole tables at its edge are found by the first whole fit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """A camera with what it was fitted to.

    Attributes:
        solution: Camera and width of the rubber.
        edges: Landmarks.
        cloth: As found.
        residual_mm: Median and largest distance of a nose point from the model.
        mouths: What the pockets say.
        because: Why it is not good; empty when it is.
    """

    solution: Solution
    edges: list[EdgePoints]
    cloth: Cloth
    residual_mm: tuple[float, float]
    mouths: MouthCheck
    because: tuple[str, ...]

    @property
    def no_table(self) -> str:
        """Why this is no table at all; empty where it can be one."""
        if self.mouths.visible < POCKETS_MIN or self.mouths.holes < POCKETS_SHARE * self.mouths.visible:
            return no_pockets(self.mouths.holes, self.mouths.visible)
        return ""

    @property
    def rank(self) -> tuple[bool, int, float]:
        """Larger is better, among results that are not good."""
        return not self.no_table, -len(self.because), -self.mouths.off_m


def find_fit(image: Image, spec: TableSpec, lens: Lens | None = None) -> Fit | str:
    """The camera of a picture, or why there is none.

    Args:
        image: Shape (h, w, 3), BGR.
        spec: The table.
        lens: Where it is known, for a picture of this size.
    """
    best: Fit | None = None
    reason = "no table seen from above: no cloth of one colour with four sides"
    reduced = Reduced.of(image)
    spent = 0.0
    cut: tuple[str, ...] | None = None
    for made in _ways(image, spec, lens, reduced):
        if isinstance(made, Fit):
            if not made.because and not made.no_table:
                return made
            if best is None or made.rank > best.rank:
                best = made
            spent += _EFFORT if _nose_outside(made, Table(spec)) else 1.0
        else:
            reason = made
            spent += _EFFORT_NONE if made in (NO_OUTLINE, TOO_FEW_EDGES) else _EFFORT_OUTLINE
        cut = cut_sides(image, reduced) if cut is None else cut
        if spent >= (_EFFORT_CUT if cut else _EFFORT):
            break
    if cut is None:
        cut = cut_sides(image, reduced)
    if best is not None and not best.because:
        cut = ()
    outside = f"what looks like its cloth runs out of the picture at the {' and the '.join(cut)}; the whole table must be in view"
    if best is None:
        return f"no table seen whole from above: {outside}" if cut else reason
    if best.no_table:
        return f"{best.no_table}; {outside}" if cut else best.no_table
    if cut:
        return replace(best, because=(*best.because, outside))
    other = _other_proportion(best, spec, (image.shape[1], image.shape[0]), lens)
    return (
        replace(best, because=(*best.because, f"it looks {other:.2f} times as long as wide, not {spec.length_m / spec.width_m:.2f}"))
        if other
        else best
    )


def _other_proportion(fit: Fit, spec: TableSpec, size_px: tuple[int, int], lens: Lens | None) -> float:
    """Length to width of the table that the landmarks fit clearly better; 0 where none does."""
    named, best, found = spec.length_m / spec.width_m, fit.residual_mm[0] * _CLEARLY, 0.0
    if fit.residual_mm[0] < _FITS_MM:
        return 0.0
    for proportion in _PROPORTIONS:
        other = replace(spec, width_m=spec.length_m / proportion)
        share = {side: other.width_m / spec.width_m if side in ("head", "foot") else 1.0 for side in SIDES}
        edges = [replace(edge, along_m=edge.along_m * share[edge.side]) for edge in fit.edges]
        solution = solve(edges, other, size_px, fit.solution.parameters, lens, exact=False)
        away = np.concatenate([np.abs(distances_m(edge, solution, other)) for edge in edges if edge.nose])
        if 1000 * np.median(away) < best and abs(proportion / named - 1) > 0.025:
            best, found = 1000 * float(np.median(away)), float(proportion)
    return found


def _ways(image: Image, spec: TableSpec, lens: Lens | None, reduced: Reduced | None = None) -> Iterator[Fit | str]:
    """Results of one way after the other, made only when asked for."""
    cloths: list[Cloth] = []
    pockets = False
    tried: set[str] = set()
    farthest: tuple[Fit | str, Cloth] | None = None
    for strictness in STRICTNESS:
        cloth = find_cloth(image, strictness, reduced)
        if cloth is None or any(_same_quad(cloth, other) for other in cloths):
            continue
        cloths.append(cloth)
        made = _fit(image, cloth, Table(spec), lens, "")
        pockets = pockets or (made.mouths.holes > 0 if isinstance(made, Fit) else "pockets at 0" not in made)
        yield made
        if len(cloths) == 1 and isinstance(made, Fit) and _one_side_missing(made, Table(spec)):
            tried.add(_lowest_first(cloth)[0])
            yield _fit(image, cloth, Table(spec), lens, _lowest_first(cloth)[0])
        if farthest is None or (isinstance(made, Fit) and not isinstance(farthest[0], Fit)):
            farthest = made, cloth
    if farthest is None or not pockets:
        return
    for side in _lowest_first(farthest[1]):  # one wrong side leaves the pockets of the others where they are
        if side not in tried:
            yield _fit(image, farthest[1], Table(spec), lens, side)


def _one_side_missing(fit: Fit, table: Table) -> bool:
    """Whether all noses but one were found: then an outline that is wrong at one side is likelier than one that is wrong all round."""
    return not fit.no_table and len(weak_sides(fit.edges, table)) == 1


def _nose_outside(fit: Fit, table: Table) -> bool:
    """Whether a nose that was not found lies for the most part outside the picture: no other way will find it either."""
    missing = [side for side in SIDES if not any(edge.nose for edge in fit.edges if edge.side == side)]
    width, height = fit.solution.camera.image_size_px
    along = np.linspace(-0.4, 0.4, 9)
    for side in missing:
        length = table.spec.width_m if side in ("head", "foot") else table.spec.length_m
        places = side_points_m(side, along * length, np.zeros(len(along)), table.spec)
        pixels = fit.solution.camera.to_pixels(places, height_m=table.spec.nose_height_m)
        inside = (pixels > 0).all(axis=1) & (pixels < [width - 1, height - 1]).all(axis=1)
        if inside.mean() < 0.5:
            return True
    return False


def _lowest_first(cloth: Cloth) -> list[str]:
    """Sides of the table from the bottom of the picture upwards: broadcasts lay their score bars there."""
    quad = ordered_quad(cloth)
    middles = (quad + np.roll(quad, -1, axis=0)) / 2
    return [side for _, side in sorted(zip(-middles[:, 1], ("left", "foot", "right", "head"), strict=True))]


def _same_quad(first: Cloth, second: Cloth) -> bool:
    """Whether the outlines differ by less than what the fit mends by itself: of 28 tables that took several ways none was found by one more
    of these."""
    return bool(np.abs(ordered_quad(first) - ordered_quad(second)).max() * first.scale < _SAME_PX)


def _fit(image: Image, cloth: Cloth, table: Table, lens: Lens | None, without: str) -> Fit | str:
    fitted = fit_table(image, cloth, table, lens, without)
    if isinstance(fitted, str):
        return fitted
    solution, edges = fitted
    mouths = check_mouths(image, solution.camera, table, cloth, rim_places_m(solution, table))
    median, largest, because = judge_fit(solution, edges, table.spec, lens)
    blind = len({edge.side for edge in edges if edge.nose or edge.across}) < len(SIDES)
    if mouths.measured < (_ENDS_BLIND if blind else _ENDS_MIN) or 3 * mouths.holes < 2 * mouths.visible:
        because += (
            f"too few pockets show to check it: {mouths.holes} of {mouths.visible}, {mouths.measured} of 12 ends of cushions at them",
        )
    limit = (MOUTH_LIMIT_M if weak_sides(edges, table) else _MOUTH_LIMIT_FIRM_M) * (1.0 if table.spec.metric else _UNKNOWN_LIMITS)
    if mouths.off_m > limit + _READ_TO_M:
        because += (f"pocket {mouths.where} lies {1000 * mouths.off_m:.0f} mm from where the model has it, limit {1000 * limit:.0f}",)
    if table.spec.metric and mouths.corner_mouth_m is not None:
        share = mouths.corner_mouth_m / table.corner_mouth_m
        if not _MOUTH_SHARE[0] < share < _MOUTH_SHARE[1]:
            because += (
                f"the corner mouths come out {1000 * mouths.corner_mouth_m:.0f} mm wide, usual are "
                f"{1000 * table.corner_mouth_m:.0f}; edges of shadows, or another table?",
            )
    return Fit(solution=solution, edges=edges, cloth=cloth, residual_mm=(median, largest), mouths=mouths, because=because)


def judge_fit(
    solution: Solution, edges: list[EdgePoints], spec: TableSpec, lens: Lens | None = None
) -> tuple[float, float, tuple[str, ...]]:
    """Median and largest residual of the noses in millimetres, and why the fit is not good (empty when it is)."""
    noses = {edge.side: np.abs(distances_m(edge, solution, spec)) * 1000 for edge in edges if edge.nose}
    away = np.concatenate(list(noses.values()))
    median, largest = float(np.median(away)), float(away.max())
    because = []
    counts = {side: len(found) / block_count(Table(spec), side) for side, found in noses.items()}
    if sum(counts.values()) / len(SIDES) < _COVERAGE_ALL:
        because.append(f"only {25 * sum(counts.values()):.0f} % of the noses were found, at least {100 * _COVERAGE_ALL:.0f} are needed")
    if median > _MEDIAN_MM:
        because.append(f"noses lie {median:.1f} mm from the model in the median, limit {_MEDIAN_MM:g}; is it the right table size?")
    if largest > _LARGEST_MM:
        because.append(f"a nose point lies {largest:.1f} mm from the model, limit {_LARGEST_MM:g}")
    for side, share in counts.items():
        if share < _COVERAGE_MIN:
            because.append(
                f"only {100 * share:.0f} % of the nose of the {side} cushion was found, at least {100 * _COVERAGE_MIN:.0f} are needed"
            )
    askew = _askew_mm(solution, edges, spec)
    if median > _SOFT_MM and askew > _ASKEW_MM * (1.0 if spec.metric else _UNKNOWN):
        because.append(f"what was taken for the noses is soft and runs askew by {askew:.1f} mm; edges of shadows?")
    worst = float(np.hypot(*place_doubt(solution, edges, spec, lens).sigma_m.reshape(-1, 2).T).max())
    if worst > _DOUBT_MAX_M * (1.0 if spec.metric else _UNKNOWN_LIMITS):
        weak = min(SIDES, key=lambda side: counts.get(side, 0.0))
        because.append(f"the nose of the {weak} cushion hardly shows, and without it balls are placed to {1000 * worst:.0f} mm only")
    rubber_m = float(np.mean(list(rim_places_m(solution, Table(spec)).values())))
    if rubber_m < _RUBBER_LEAST_M or (spec.metric and rubber_m > _RUBBER_MOST_M):
        nearer = "nearer to" if rubber_m < _RUBBER_LEAST_M else "farther from"
        because.append(f"what was taken for the noses lies {nearer} the rail than any rubber is wide; more even light, or --corners")
    weak_ones = weak_sides(edges, Table(spec))
    if len(weak_ones) > 1:
        because.append(f"the noses of the {' and the '.join(weak_ones)} cushions show on too little of their length")
    missing = [side for side in SIDES if side not in noses]
    unseen = [side for side in missing if side not in {edge.side for edge in edges}]
    if len(missing) > 1 or unseen:
        because.append(f"the nose of the {' and the '.join(missing)} cushion was not found")
    return median, largest, tuple(because)


def _askew_mm(solution: Solution, edges: list[EdgePoints], spec: TableSpec) -> float:
    """Difference in width of rubber between the sides that no height of its back above the noses explains, millimetres."""
    slants = sight_slants(solution.camera, Table(spec))
    outer = [e for e in edges if e.outer and e.sigma_m < OUTLINE_SIGMA_M]
    if len(outer) < 2:
        return 0.0
    widths = np.array([float(np.median(distances_m(e, solution, spec))) * 1000 for e in outer])
    slant = np.array([slants[e.side] for e in outer])
    return min(float(np.ptp(widths - 1000 * height * slant)) for height in np.linspace(0.0, 3 * BACK_HEIGHT_M, 7))
