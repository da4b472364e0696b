"""The four straight sides of a region: lines that its outline, broken by pockets, arms and graphics, votes for.

Pairs of outline points propose lines, all points near one vote for it (RANSAC, Fischler & Bolles 1981, fixed seed); the four
strongest whose normals go round the region are its sides.

Fails: a region whose outline runs elsewhere on half of a side or more.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def meet(first: FloatArray, second: FloatArray) -> FloatArray:
    """Where two lines (a, b, c) cross, shape (2,); far away or NaN where they are parallel."""
    point = np.cross(first, second)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(point[:2] / point[2], dtype=np.float64)


def four_sides(mask: NDArray[np.bool_]) -> FloatArray | None:
    """Lines (a, b, c) of the four sides in turn, normals inwards, reduced picture."""
    height, width = mask.shape
    contours = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
    if not contours:
        return None
    outline = max(contours, key=len).reshape(-1, 2).astype(np.float64)
    hull = cv2.convexHull(outline.astype(np.float32))
    centre = np.asarray(hull.reshape(-1, 2).mean(axis=0), dtype=np.float64)
    inside = (outline[:, 0] > 1) & (outline[:, 1] > 1) & (outline[:, 0] < width - 2) & (outline[:, 1] < height - 2)
    outline = outline[inside]
    if len(outline) < 40:
        return None
    depth = np.array([cv2.pointPolygonTest(hull, (float(x), float(y)), True) for x, y in outline[::2]])
    points = outline[::2][depth < 0.04 * max(mask.shape)]
    tolerance = 0.004 * max(mask.shape)
    generator = np.random.default_rng(5)
    lines: list[FloatArray] = []
    spans: list[float] = []
    for _ in range(6):
        found = _best_line(points, centre, tolerance, generator)
        if found is None:
            break
        line, support = found
        along = support @ np.array([-line[1], line[0]])
        if not any(
            abs(line[:2] @ other[:2]) > 0.93
            and np.abs(line[:2] @ other[:2] * other[2] - line[2]) < 0.08 * max(mask.shape)
            and line[:2] @ other[:2] > 0
            for other in lines
        ):
            lines.append(line)
            spans.append(float(np.ptp(along)))
        points = points[np.abs(points @ line[:2] + line[2]) > 2 * tolerance]
    return _round_trip(lines, centre, mask.shape)


def _best_line(
    points: FloatArray, centre: FloatArray, tolerance: float, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray] | None:
    if len(points) < 12:
        return None
    first = points[generator.integers(len(points), size=400)]
    second = points[generator.integers(len(points), size=400)]
    step = second - first
    length = np.hypot(*step.T)
    usable = length > 12 * tolerance
    if not usable.any():
        return None
    first, step, length = first[usable], step[usable], length[usable]
    normals = np.column_stack([-step[:, 1], step[:, 0]]) / length[:, None]
    offsets = -(normals * first).sum(axis=1)
    votes = (np.abs(points @ normals.T + offsets) < tolerance).sum(axis=0)
    best = int(votes.argmax())
    support = points[np.abs(points @ normals[best] + offsets[best]) < tolerance]
    if len(support) < 12:
        return None
    vx, vy, x0, y0 = np.asarray(cv2.fitLine(support.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01)).ravel()
    normal = np.array([-vy, vx], dtype=np.float64)
    offset = -float(normal @ np.array([x0, y0]))
    if normal @ centre + offset < 0:
        normal, offset = -normal, -offset
    return np.array([*normal, offset]), support


def _round_trip(lines: list[FloatArray], centre: FloatArray, shape: tuple[int, int]) -> FloatArray | None:
    """Four of the lines, strongest first, whose normals go round the cloth; None where there are no four."""
    chosen: list[FloatArray] = []
    for line in lines:
        if all(line[:2] @ other[:2] < 0.7 for other in chosen) and len(chosen) < 4:
            chosen.append(line)
    if len(chosen) < 4:
        return None
    chosen.sort(key=lambda line: float(np.arctan2(line[1], line[0])))
    ordered = np.array(chosen)
    quad = np.array([meet(ordered[i], ordered[(i + 1) % 4]) for i in range(4)])
    if not np.isfinite(quad).all() or np.abs(quad - centre).max() > 2 * max(shape):
        return None
    return ordered


def overlap_share(mask: NDArray[np.bool_], quad: FloatArray) -> tuple[float, float]:
    """Overlap of region and quadrilateral, intersection over union inside the picture, and the quadrilateral's share of the picture."""
    drawn = np.zeros(mask.shape, np.uint8)
    cv2.fillPoly(drawn, [np.round(quad).astype(np.int32)], (1,))
    filled = drawn.astype(bool)
    union = float((filled | mask).sum())
    return (float((filled & mask).sum()) / union if union else 0.0), float(filled.mean())
