"""The camera fitted to a picture whose cloth is known: outline, edges of the rubber, noses.

Four outer lines -> rough camera -> strips -> outer edges of the rubber, twice or three times -> its width -> noses, three times.
What can go wrong on one side is mended at the end: a nose that hardly shows (`weak_side`), and a line along a nose that passes for it
(`contradiction`).

Fails: where the outline is wrong by more than 35 mm, or the noses do not show; then `search` tries another one.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.cloth import Cloth
from calibration.contradiction import with_false_nose_mended
from calibration.equipment import TableSpec
from calibration.landmarks import nose_edges, unroll
from calibration.pockets import see_holes
from calibration.rubber_edge import outer_edges
from calibration.rubber_width import find_noses, rim_places_m, sight_slants
from calibration.sights import with_sights, without_false_side
from calibration.solve import SIDES, EdgePoints, Lens, Solution, camera_from, solve, start_from_quad
from calibration.table import Table
from calibration.weak_side import with_weak_side_checked

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

POCKETS_MIN, POCKETS_SHARE = 4, 0.5
"""Pockets that must be in the picture, and share of them that must be there; a ball or a hand may fill one or two."""
_SETTLED_M = 0.012
"""Once the corners move less than this by a round of fits to the rubber's edges, the next narrower reach is passed over."""
NO_OUTLINE = "the cloth's outline is not that of a table seen from above; use --corners"
TOO_FEW_EDGES = "fewer than two straight edges of cloth; use --corners"
OUTLINE_SIGMA_M = 0.01
"""How well the outline of the reduced picture gives an edge, its bow by the lens included."""


def no_pockets(holes: int, visible: int) -> str:
    """Why a rectangle with so many holes at the places of pockets that are in view is no table."""
    return f"a rectangle of cloth, but pockets at {holes} of the {visible} places in view; not a pool table?"


def fit_table(
    image: Image, cloth: Cloth, table: Table, lens: Lens | None = None, without: str = ""
) -> tuple[Solution, list[EdgePoints]] | str:
    """The camera of a picture whose cloth is known, and the landmarks it was fitted to; or why there is none.

    Args:
        image: Shape (h, w, 3), BGR.
        cloth: Found in it.
        table: The table.
        lens: Where it is known.
        without: A side whose outline is not believed; empty for none.
    """
    spec, size = table.spec, (image.shape[1], image.shape[0])
    quad = ordered_quad(cloth)
    start = start_from_quad(quad, spec, size, lens)
    if start is None:
        return NO_OUTLINE
    solution = Solution(camera=camera_from(start, size, lens), rubber_m=float(start[9]), parameters=start)
    outline = [edge for edge in _outline_edges(quad, spec) if edge.side != without]
    if without:
        solution = solve(outline, spec, size, solution.parameters, lens, exact=False)
    edges: list[EdgePoints] = []
    moved_m = np.inf
    for reach in (0.035, 0.025, 0.012):
        if reach == 0.025 and moved_m < _SETTLED_M and len({edge.side for edge in edges if edge.sigma_m < OUTLINE_SIGMA_M}) == len(SIDES):
            continue
        if not _sees_table(solution.camera, table):
            return NO_OUTLINE
        rims = rim_places_m(solution, table)
        strips = unroll(image, solution.camera, table, cloth, max(rims.values()))
        edges = outer_edges(strips, solution.camera, table, rims, reach)
        if reach > 0.012:
            edges = [edge for edge in edges if edge.side != without]
        found = {edge.side for edge in edges}
        if len(found) < 2:
            return TOO_FEW_EDGES
        edges += [edge for edge in outline if edge.side not in found]
        before = solution
        solution = solve(edges, spec, size, solution.parameters, lens, exact=False)
        moved_m = _apart_m(before.camera, solution.camera, table)
        if not _sees_table(solution.camera, table):
            return NO_OUTLINE
        visible, holes = see_holes(image, solution.camera, table, cloth)
        if visible >= POCKETS_MIN and holes == 0:  # a centimetre off, some of six pockets would still be seen
            return no_pockets(holes, visible)
    return fit_noses(image, cloth, table, without_false_side(image, table, solution, edges, lens), lens)


def fit_noses(
    image: Image, cloth: Cloth, table: Table, solution: Solution, lens: Lens | None = None
) -> tuple[Solution, list[EdgePoints]] | str:
    """The camera fitted to the noses near where a rough one has them, and the landmarks; or why there is none.

    Args:
        image: Shape (h, w, 3), BGR.
        cloth: Its colour.
        table: The table.
        solution: A rough camera, to a centimetre.
        lens: Where it is known.
    """
    spec, size = table.spec, (image.shape[1], image.shape[0])
    rims = rim_places_m(solution, table)
    strips = unroll(image, solution.camera, table, cloth, max(rims.values()))
    metres_per_pixel = 1 / _scale(solution.camera, table)
    edges = outer_edges(strips, solution.camera, table, rims, 0.012)
    outer = rim_places_m(solution, table, edges)
    places = find_noses(strips, outer, metres_per_pixel, sight_slants(solution.camera, table), metric=spec.metric)
    reach = max(0.0045, 1.5 * metres_per_pixel)
    for again in (True, True, False):
        noses = nose_edges(strips, solution.camera, table, places, reach)
        if len(noses) < 2:
            return "the noses of the cushions do not show; use --corners"
        solution = solve([*noses, *edges], spec, size, solution.parameters, lens)
        if not _sees_table(solution.camera, table):
            return "the noses of the cushions do not fit one camera; use --corners"
        if not again:
            break
        rims = rim_places_m(solution, table, edges)
        strips = unroll(image, solution.camera, table, cloth, max(rims.values()))
        edges = outer_edges(strips, solution.camera, table, rims, 0.01)
        places, reach = {side: replace(place, outward_m=0.0) for side, place in places.items()}, max(0.003, 1.2 * metres_per_pixel)
    solution, edges = with_weak_side_checked(image, cloth, table, solution, [*noses, *edges], places, lens)
    solution, edges = with_sights(image, table, solution, edges, lens)
    return with_false_nose_mended(image, cloth, table, solution, edges, places, lens)


def _outline_edges(quad: FloatArray, spec: TableSpec) -> list[EdgePoints]:
    """The rough outline as edges, for sides whose own edge is hidden: a hand, a lamp or a gap in the rail."""
    share = np.linspace(0.15, 0.85, 8)
    edges = []
    for side, i in (("left", 0), ("foot", 1), ("right", 2), ("head", 3)):
        length = spec.width_m if side in ("head", "foot") else spec.length_m
        points = quad[i] + share[:, None] * (quad[(i + 1) % 4] - quad[i])
        edges.append(EdgePoints(side=side, points_px=points, along_m=(share - 0.5) * length, outer=True, sigma_m=OUTLINE_SIGMA_M))
    return edges


def ordered_quad(cloth: Cloth) -> FloatArray:
    """Corners of the outer rectangle from head-left clockwise; the head is the left or top end of the picture."""
    quad = cloth.quad_px
    lengths = np.hypot(*(np.roll(quad, -1, axis=0) - quad).T)
    first = 0 if lengths[0] + lengths[2] > lengths[1] + lengths[3] else 1
    turned = np.roll(quad, -first, axis=0)
    if not _head_first(turned):
        turned = np.roll(turned, -2, axis=0)
    return turned


def _head_first(quad: FloatArray) -> bool:
    along = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
    return bool(along[0] > 0) if abs(along[0]) >= abs(along[1]) else bool(along[1] > 0)


def _apart_m(first: CameraModel, second: CameraModel, table: Table) -> float:
    """How far apart two cameras see the corners of a table at most, metres."""
    here, there = (camera.to_pixels(list(table.corners_m().values()), height_m=table.spec.nose_height_m) for camera in (first, second))
    return float(np.nan_to_num(np.hypot(*(here - there).T), nan=np.inf).max()) / max(_scale(second, table), 1e-6)


def _sees_table(camera: CameraModel, table: Table) -> bool:
    """Whether the table's corners lie before the camera, at a size that a picture can have: a fit can run away."""
    corners = camera.to_pixels(list(table.corners_m().values()), height_m=table.spec.nose_height_m)
    return bool(np.isfinite(corners).all() and np.abs(corners).max() < 5 * max(camera.image_size_px) and np.ptp(corners, axis=0).min() > 20)


def _scale(camera: CameraModel, table: Table) -> float:
    ends = camera.to_pixels([[-table.spec.length_m / 2, 0], [table.spec.length_m / 2, 0]], height_m=table.spec.nose_height_m)
    return float(np.hypot(*(ends[1] - ends[0]))) / table.spec.length_m
