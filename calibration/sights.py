"""The sights on the rails: small marks at every eighth of the length and every quarter of the width.

Where sights lie along a rail is fixed by the noses (a pool table's sights divide the way from nose to nose); how far out on the
rail they lie is not, but it is the same on every side. So round each of the eighteen places the rail is unrolled, what runs along
it (grain, edges) is taken off, and small marks that remain are candidates; the one distance outward at which most places have a
mark, all of them brighter or all darker than the rail, is that of the sights (Hough's idea along one axis). Marks at other places
along the rail, such as the screws of toy tables, fit no camera and are left out together.

They say where a nose must be that nothing else shows: the sights of the two neighbouring rails give the scale across, and its own
rail's sights lie as far out from it as the others do from theirs.

Fails: tables without sights, with sights inlaid at other places, or seen too small (below two pixels): then there are none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.solve import SIDES, EdgePoints, Lens, Solution, distances_m, side_points_m, solve
from calibration.table import Table

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_EIGHTHS, _QUARTERS = np.array([-3, -2, -1, 1, 2, 3]) / 8, np.array([-1, 0, 1]) / 4
"""Where sights lie along long and short rails, of their length from nose to nose."""
_STEP_M = 0.002
"""Distance of the samples on the rail; sights are 9 to 30 mm."""
_OUTWARD_M = (0.008, 0.12)
"""Where sights are sought, outward of the rubber's outer edge: rails are 80 to 140 mm wide."""
_SMALLEST_M, _LARGEST_M = 0.004, 0.04
"""Extent of a mark that may be a sight, each way; smaller is grain, larger chalk or a hand."""
_FILLED = 0.35
"""Least part of its box that a mark fills: a slender diamond fills half."""
_CONTRAST, _NOISES = 7.0, 5.0
"""Least contrast of a mark with its rail (white on white wood has 8), in grey levels and in standard deviations of what lies beside it."""
_LINED_UP_M, _LINED_UP_FAR_M = 0.005, 0.012
"""How closely the marks lie at one distance outward: sights do to 2 mm, and a lens is not known yet; and while a side may be wrong."""
_SHARE, _LEAST = 0.55, 6
"""Of the places in view that must have a mark there, and how many: a person and a graphic hide up to half."""
_SIGMA_M = 0.002
"""How far a sight lies from where it should, and how well its middle is seen."""
SIGHT_REACH_M = 0.025
"""How far along the rail sights are sought where four noses hold the camera."""
FAR_M = 0.09
"""The same while a side may be wrong, or only three noses hold it: a third of the sights' distance from each other."""
_ROUGHLY_M, _SURELY_M = 0.005, 0.002
"""Median distance along the rails to which sights agree with a camera fitted to outer edges alone, and to one that is right."""
_STRAY_M, _STRAY = 0.005, 4.0
"""A single mark so far from its place, and so many times as far as the usual one, is chalk, a screw or a graphic's end."""
_ASTRAY_M = 0.004
"""Median distance along the rails beyond which marks that line up are no sights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """A small mark on a rail.

    Attributes:
        side: The rail.
        place_m: Where along it a sight belongs, from its middle, clockwise.
        along_m: Where the mark is along it.
        outward_m: And outward of the nose line.
        sign: 1 brighter than the rail, -1 darker.
        contrast: Grey levels.
    """

    side: str
    place_m: float
    along_m: float
    outward_m: float
    sign: int
    contrast: float


def find_sights(
    image: Image, solution: Solution, table: Table, sides: Sequence[str], reach_m: float, near_m: float | None = None
) -> list[EdgePoints]:
    """The sights of some rails, at most one edge of points a rail.

    Args:
        image: Shape (h, w, 3), BGR.
        solution: A fit that has these rails' own noses to a centimetre.
        table: The table.
        sides: Rails that are looked at.
        reach_m: How far along the rail from its place a sight is sought.
        near_m: How far outward of the noses they lie, where it is known.

    Returns:
        Empty where no sights show.
    """
    places, marks = 0, []
    for side in sides:
        for place in _places_m(side, table):
            found = _marks(image, solution, table, side, float(place), reach_m)
            places += found is not None
            marks += found or []
    chosen = _lined_up(marks, places, near_m, _LINED_UP_M if reach_m < FAR_M else _LINED_UP_FAR_M)
    edges = []
    for side in sides:
        own = [mark for mark in chosen if mark.side == side]
        if own:
            at = side_points_m(side, [m.along_m for m in own], [m.outward_m for m in own], table.spec)
            pixels = solution.camera.to_pixels(at, height_m=table.spec.nose_height_m + solution.back_m)
            edges.append(
                EdgePoints(
                    side=side,
                    points_px=pixels,
                    along_m=np.array([m.place_m for m in own]),
                    outer=False,
                    sigma_m=_SIGMA_M,
                    sight_m=float(np.median([m.outward_m for m in chosen])),
                )
            )
    return edges


def with_sights(
    image: Image, table: Table, solution: Solution, edges: list[EdgePoints], lens: Lens | None
) -> tuple[Solution, list[EdgePoints]]:
    """A fit to noses held by the sights of all rails too; unchanged where it has them already, and where none show."""
    if any(edge.sight_m is not None for edge in edges):
        return solution, edges
    sights = find_sights(image, solution, table, SIDES, SIGHT_REACH_M)
    if not sights:
        return solution, edges
    held, sights = held_by_sights(edges, sights, table, solution, lens)
    return (solution, edges) if are_astray(sights, held, table) else (held, [*edges, *sights])


def held_by_sights(
    edges: Sequence[EdgePoints], sights: Sequence[EdgePoints], table: Table, solution: Solution, lens: Lens | None
) -> tuple[Solution, list[EdgePoints]]:
    """The fit to edges and sights, and those of the sights that it was fitted to: single marks that lie elsewhere are none.

    Args:
        edges: Of noses and rubber.
        sights: Held along their rails or across.
        table: The table.
        solution: To start from.
        lens: Where it is known.
    """
    spec, size = table.spec, solution.camera.image_size_px
    held = solve([*edges, *sights], spec, size, solution.parameters, lens)
    away = [np.abs(distances_m(edge, held, spec)) for edge in sights]
    far = max(_STRAY_M, _STRAY * float(np.median(np.concatenate([np.zeros(0), *away])))) if sights else 0.0
    if not any((one > far).any() for one in away):
        return held, list(sights)
    near = [
        replace(edge, points_px=edge.points_px[one <= far], along_m=edge.along_m[one <= far])
        for edge, one in zip(sights, away, strict=True)
        if (one <= far).any()
    ]
    return solve([*edges, *near], spec, size, held.parameters, lens), near


def without_false_side(image: Image, table: Table, solution: Solution, edges: Sequence[EdgePoints], lens: Lens | None) -> Solution:
    """A rough fit to the outer edges of the rubber, one of which a graphic has, put right by the sights of the rails.

    With a side wrong by centimetres no camera has the sights where they belong; with that side left out one has. Unchanged where no
    sights show, where they agree with all sides, and where no one side is the cause.
    """
    spec, size = table.spec, (image.shape[1], image.shape[0])
    sights = find_sights(image, solution, table, SIDES, FAR_M)
    if not sights or _astray_m(sights, solution, table) < _ROUGHLY_M:
        return solution
    best: tuple[float, Solution, list[EdgePoints]] | None = None
    for side in SIDES:
        others = [edge for edge in edges if edge.side != side]
        held = solve([*others, *sights], spec, size, solution.parameters, lens, exact=False)
        astray = _astray_m(sights, held, table)
        if best is None or astray < best[0]:
            best = astray, held, others
    if best is None or best[0] > _SURELY_M:
        return solution
    _, held, others = best
    for reach in (FAR_M, SIGHT_REACH_M):
        sights = find_sights(image, held, table, SIDES, reach)
        if not sights:
            return solution
        held = solve([*others, *sights], spec, size, held.parameters, lens, exact=False)
    return held if _astray_m(sights, held, table) < _SURELY_M else solution


def _astray_m(sights: Sequence[EdgePoints], solution: Solution, table: Table) -> float:
    """Median distance of sights from their places along the rails."""
    return float(np.median(np.concatenate([np.abs(distances_m(edge, solution, table.spec)) for edge in sights if edge.lengthwise])))


def are_astray(sights: Sequence[EdgePoints], solution: Solution, table: Table) -> bool:
    """Whether marks that line up lie at other places along the rails than sights do."""
    return _astray_m(sights, solution, table) > _ASTRAY_M


def _places_m(side: str, table: Table) -> FloatArray:
    return _QUARTERS * table.spec.width_m if side in ("head", "foot") else _EIGHTHS * table.spec.length_m


def _marks(image: Image, solution: Solution, table: Table, side: str, place_m: float, reach_m: float) -> list[_Mark] | None:
    """Small marks near one place; None where it lies outside the picture."""
    spec = table.spec
    along = place_m + np.arange(-reach_m - 0.02, reach_m + 0.02, _STEP_M)
    outward = solution.rubber_m + np.arange(*_OUTWARD_M, _STEP_M)
    grid = side_points_m(side, np.repeat(along, len(outward)), np.tile(outward, len(along)), spec)
    pixels = solution.camera.to_pixels(grid, height_m=spec.nose_height_m + solution.back_m).astype(np.float32)
    height, width = image.shape[:2]
    if not np.isfinite(pixels).all() or not ((pixels >= 0) & (pixels <= [width - 1, height - 1])).all():
        return None
    maps = pixels.reshape(len(along), len(outward), 2)
    light = cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR).mean(axis=2, dtype=np.float32)
    light = cv2.GaussianBlur(light, (3, 3), 0)
    beside = np.asarray(light - np.median(light, axis=0), dtype=np.float32)  # grain and edges run along the rail
    least = max(_CONTRAST, _NOISES * 1.4826 * float(np.median(np.abs(beside))))
    found = []
    for sign in (1, -1):
        found += [
            _Mark(side=side, place_m=place_m, along_m=float(a), outward_m=float(d), sign=sign, contrast=contrast)
            for a, d, contrast in _blobs(sign * beside, least, along, outward)
            if abs(a - place_m) <= reach_m
        ]
    return found


def _blobs(shown: NDArray[np.float32], least: float, along: FloatArray, outward: FloatArray) -> list[tuple[float, float, float]]:
    """Middles of compact patches above a level and their contrast; a patch is what is above half of its own highest value."""
    count, labels, boxes, _ = cv2.connectedComponentsWithStats((shown > least).astype(np.uint8), connectivity=4)
    found = []
    for k in range(1, count):
        left, top, wide, high = (int(v) for v in boxes[k, :4])
        window = shown[top : top + high, left : left + wide]
        own = labels[top : top + high, left : left + wide] == k
        own &= window > window[own].max() / 2
        rows, columns = np.nonzero(own)
        extents = np.ptp(rows) + 1, np.ptp(columns) + 1
        small = min(extents) * _STEP_M < _SMALLEST_M or max(extents) * _STEP_M > _LARGEST_M or own.sum() < _FILLED * extents[0] * extents[1]
        if small or left + columns.min() == 0 or left + columns.max() == shown.shape[1] - 1:
            continue
        weights = window[own].astype(np.float64)
        a = along[0] + _STEP_M * (top + np.average(rows, weights=weights))
        d = outward[0] + _STEP_M * (left + np.average(columns, weights=weights))
        found.append((float(a), float(d), float(weights.max())))
    return found


def _lined_up(marks: Sequence[_Mark], places: int, near_m: float | None, apart_m: float) -> list[_Mark]:
    """The marks at one distance outward, one a place; none where too few lie there.

    Of several distances the one whose marks show most: grain lines up at as many places, with a tenth of a sight's contrast.
    """
    best: list[_Mark] = []
    most = 0.0
    for middle in marks:
        if near_m is not None and abs(middle.outward_m - near_m) > 3 * apart_m:
            continue
        near = [mark for mark in marks if mark.sign == middle.sign and abs(mark.outward_m - middle.outward_m) < apart_m]
        chosen = {(mark.side, mark.place_m): mark for mark in sorted(near, key=lambda mark: mark.contrast)}
        shown = sum(float(np.sqrt(mark.contrast)) for mark in chosen.values())
        if shown > most:
            most, best = shown, list(chosen.values())
    enough = len(best) >= max(_LEAST if near_m is None else 2, _SHARE * places)
    return best if enough else []
