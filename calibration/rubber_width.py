"""How wide the rubber is, and with that which step in lightness on each side is its nose.

Every distance from the rubber's outer edge is voted for by the steps in lightness found there on all four sides (see
`landmarks`). From a low camera the rubber seems up to twice as wide on the sides far from it, since its back is higher than its
nose; then no common width is sought, but on each side by itself the dark line that lies under a nose.

Fails: noses that show on fewer than two sides; a shade's edge at one distance on all of them.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.landmarks import Step, Strip, long_steps
from calibration.solve import SIDES, EdgePoints, Solution, distances_m, side_points_m
from calibration.table import Table

FloatArray = NDArray[np.float64]

_RUBBER_RANGE_M = (0.018, 0.085)
"""Widths of rubber that are tried: of real tables 0.03 to 0.07 seen from above."""
_SLACK_M = 0.003
"""How far a side may be from the common width: tilt, parallax of the rail, a rough lens."""
_FIRST_AMONG = 0.75
"""Of several steps the outermost with this share of the best votes is the nose: a shade's edge comes after its nose."""
BACK_HEIGHT_M, _BACK_HEIGHT_FREE_M = 0.012, 0.05
"""How much higher than the nose the rubber's back, or the edge of the rail that hides it, may be; and where the table's size is not known,
which may be a toy's, brought to a usual size."""
_WEAK_LOW, _AGREE_LOW = 0.7, 3.0
"""As `_WEAK`, for what must not vote: the shading of the rubber itself; and the sides, of four, that must then agree on a width for
it to be one although the camera is low."""
_NO_WIDTH = 2.3
"""From this many times the slack on, what the sides share by chance is no width, and without dark lines there are no noses."""
_LINE_NEAREST_M = 0.012
"""Least width of rubber seen from a low camera on the side that it stands over."""
_LINE_M, _LINE_SHARE, _LINE_STRENGTH = 0.025, 0.6, 0.018
"""The dark line under a nose: its greatest width, the share of a cushion that must show both its edges, and their least strength;
the shading of the rubber itself has strengths of 0.01 to 0.03, but no second edge as strong."""
_ALONE, _ALONE_STRONGER = 0.04, 2.5
"""Strength from which a step alone is the nose's, if so much stronger than all others on the rubber and beside it: rendered noses give
0.06 to 0.13 with 0.01 to 0.03 for the rest."""
_WEAK = 0.3
"""Part of the strongest step's strength from which a step counts in full: noses in dim light show a third of their shade's
edge, the rubber's own unevenness a seventh of its nose."""


def find_noses(
    strips: dict[str, Strip], outer_m: dict[str, float], metres_per_pixel: float, slants: dict[str, float], *, metric: bool = True
) -> dict[str, Step]:
    """For each side the step that is its nose: those at one distance from the outer edge on all sides, outermost first.

    Args:
        strips: From `unroll`, with a camera fitted to the outer edges.
        outer_m: Where each side's outer edge was found, outward of the rough nose line.
        metres_per_pixel: In the plane of the noses.
        slants: From `sight_slants`: the rubber's back is higher than its nose, so from a low camera it seems wider on the far sides.
        metric: Whether the table's size is known.
    """
    candidates = {side: long_steps(strips[side], metres_per_pixel) for side in outer_m}
    widths = np.arange(max(_RUBBER_RANGE_M[0], 5 * metres_per_pixel), _RUBBER_RANGE_M[1], 0.0005)
    slack = max(_SLACK_M, metres_per_pixel)
    slanted = float(np.ptp([slants.get(side, 0.0) for side in outer_m]))
    if slanted * (BACK_HEIGHT_M if metric else _BACK_HEIGHT_FREE_M) > slack:
        lines = {side: line for side in outer_m if (line := _dark_line(candidates[side], outer_m[side])) is not None}
        if slanted * BACK_HEIGHT_M > _NO_WIDTH * slack:
            return _with_fourth(lines, candidates, outer_m, slack) if len(lines) >= 3 else {}
        if len(lines) == len(SIDES) or (len(lines) >= 3 and _width_votes(candidates, outer_m, widths, slack, _WEAK_LOW).max() < _AGREE_LOW):
            return lines
    total = _width_votes(candidates, outer_m, widths, slack)
    tops = np.flatnonzero((total >= np.roll(total, 1)) & (total >= np.roll(total, -1)) & (total >= _FIRST_AMONG * total.max()))
    width = widths[tops[0]] if len(tops) and total.max() > 0 else np.inf
    chosen = {}
    for side, found in candidates.items():
        near = [step for step in found if abs(outer_m[side] - step.outward_m - width) < 2 * slack]
        if near:
            strongest = max(step.share for step in near)
            step = next(step for step in near if step.share >= _FIRST_AMONG * strongest)
            chosen[side] = replace(step, outward_m=outer_m[side] - float(width))
    return chosen


def _dark_line(found: list[Step], outer_m: float) -> Step | None:
    """The step into the dark line under a nose: the line's other edge is the strongest that gets brighter inward; None without one.

    A step that gets darker, and is far stronger than all others there, is one too where the line's other edge is lost in a shade.
    """
    within = [step for step in found if _LINE_NEAREST_M < outer_m - step.outward_m < _RUBBER_RANGE_M[1]]
    inner = [step for step in within if step.share > _LINE_SHARE]
    first = max(inner, key=lambda step: step.strength, default=None)
    if (
        first is not None
        and first.sign < 0
        and first.strength > _ALONE
        and all(step is first or _ALONE_STRONGER * step.strength < first.strength for step in within)
    ):
        return first
    ends = [step for step in inner if step.sign > 0]
    if not ends:
        return None
    end = max(ends, key=lambda step: step.strength)
    starts = [step for step in inner if step.sign < 0 and 0 < step.outward_m - end.outward_m < _LINE_M]
    start = max(starts, key=lambda step: step.strength, default=None)
    return start if start is not None and min(start.strength, end.strength) > _LINE_STRENGTH else None


def _with_fourth(lines: dict[str, Step], candidates: dict[str, list[Step]], outer_m: dict[str, float], slack_m: float) -> dict[str, Step]:
    """Three dark lines and, on the fourth side, the strongest darkening step about as far in as they are; as they are without one."""
    usual = float(np.median([outer_m[side] - line.outward_m for side, line in lines.items()]))
    out = dict(lines)
    for side in outer_m.keys() - lines.keys():
        near = [
            step
            for step in candidates[side]
            if step.sign < 0 and step.strength > _LINE_STRENGTH and abs(outer_m[side] - step.outward_m - usual) < 2 * slack_m
        ]
        if near:
            out[side] = max(near, key=lambda step: step.strength)
    return out


def _width_votes(
    candidates: dict[str, list[Step]], edge_m: dict[str, float], widths: FloatArray, slack_m: float, weak: float = _WEAK
) -> FloatArray:
    """How many sides show a step at each distance from the rubber's outer edge, weak ones counted less; shape as `widths`."""
    total = np.zeros(len(widths))
    for side, found in candidates.items():
        inner = [step for step in found if _RUBBER_RANGE_M[0] < edge_m[side] - step.outward_m < _RUBBER_RANGE_M[1]]
        enough = weak * max((step.strength for step in inner), default=0.0)
        votes = [
            step.share * min(1.0, step.strength / enough) * np.exp(-(((edge_m[side] - step.outward_m - widths) / slack_m) ** 2) / 2)
            for step in inner
        ]
        if votes:
            total += np.max(votes, axis=0)
    return total


def sight_slants(camera: CameraModel, table: Table) -> dict[str, float]:
    """For each side how far outward a metre of height above its nose seems to lie, metres: the tangent of the line of sight."""
    place = camera.position_m
    out = {}
    for side in SIDES:
        middle = side_points_m(side, np.zeros(1), np.zeros(1), table.spec)[0]
        outward = side_points_m(side, np.zeros(1), np.ones(1), table.spec)[0] - middle
        out[side] = float(outward @ (middle - place[:2]) / max(place[2] - table.spec.nose_height_m, 1e-3))
    return out


def rim_places_m(solution: Solution, table: Table, edges: Sequence[EdgePoints] = ()) -> dict[str, float]:
    """For each side where the outer edge of its rubber is seen, outward of its nose in the plane of the noses, metres.

    As the fit has it, or, on sides whose outer edge is among `edges`, as found there.
    """
    fitted = {side: solution.rubber_m + solution.back_m * slant for side, slant in sight_slants(solution.camera, table).items()}
    found = {e.side: fitted[e.side] + float(np.median(distances_m(e, solution, table.spec))) for e in edges if e.outer}
    return fitted | found
