"""Where the cloth lies in a picture: its colour, its region, and the four straight lines round it.

The bed and its cushions are the largest region of one colour near the middle of the picture. Colour is compared as
differences of the channels over their mean (lamp light falls off by half over a table, these hardly change, and they
stay steady where a channel of a strong colour is near zero, which ratios do not) plus lightness with a wide
tolerance (which keeps grey cloth apart from black rails). The region's outline is broken by pockets, arms and
graphics, so its four sides are voted for by pairs of outline points (RANSAC, Fischler & Bolles 1981, fixed seed).

Fails: a floor of the cloth's own colour that touches it without a rail between (the outline then has no four
sides), a person hiding a whole side, a side that is wholly outside the picture.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_WORK_PX = 640
"""Longer side of the reduced picture in which the cloth is sought; outlines to 1.5 px of 1080p are enough here,
smaller loses the gap between two tables, larger only costs time."""
_DARK = 20.0
"""Added to a channel, of 255: below it sensor noise makes the chroma of dark pixels random."""
_CHROMA_BIN = 0.05
"""Width of a histogram bin in chroma; cloth under one lamp spreads over about 0.1."""
_CHROMA_TOLERANCE = (0.18, 0.45)
"""Least and largest distance in chroma that still counts as cloth: less loses its dim corners, more takes in rails."""
_SHARE_MIN = 0.06
"""Least share of the picture; a table smaller than this has too few pixels for millimetres."""
_CUSHION_REACH = 0.075
"""How far outside the bed its cushions are sought, of the root of its area: rubber is 0.03 to 0.05, with the wooden
rail 0.1 or more; farther takes in a floor of the same colour."""
_SHADE = 0.012
"""Half the width of a shade that is bridged between bed and rubber, of the root of the bed's area; half a rail is 0.03."""
_CUT_SHARE = 0.2
"""Share of a border of the picture that cloth must touch to be said to run out of it there; a rail's end is less."""
_SOME = 20_000
"""Pixels of a region, about, that its colour is taken from: more only cost time."""
_RIVAL = 0.3
"""Share of the largest region from which another of its colour may be the cloth: a floor of the cloth's colour is larger than it."""
_CANDIDATES = 4
"""Colours tried; the floor can be larger than the cloth."""
STRICTNESS = ((1.0, 3.5), (1.0, 1.8), (0.55, 3.5), (0.55, 1.8), (0.35, 1.35), (0.35, 1.2))
"""Ways to tell cloth from its surroundings, usual one first: share of the tolerance in chroma, and factor in lightness
that is a tolerance. Grey cloth between grey rails differs in lightness only, tan cloth between brown rails by little
chroma; but these split cloth that lamps light unevenly."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cloth:
    """The region of cloth in a picture.

    Attributes:
        mask: Shape (h, w), bool, of the reduced picture.
        scale: Reduced over full size, so that full = reduced / scale.
        sides_px: Shape (4, 3), lines a x + b y + c = 0 of the full picture, unit normal inwards, in turn round the cloth.
        quad_px: Shape (4, 2), where side i meets side i + 1, full picture.
        chroma: Median of (blue - green, red - green) over the mean channel, shape (2,).
        lightness: Median of the mean channel, 0..255.
        tolerance: Largest distance in chroma of cloth.
        shade: Factor in lightness that is a tolerance.
    """

    mask: NDArray[np.bool_]
    scale: float
    sides_px: FloatArray
    quad_px: FloatArray
    chroma: FloatArray
    lightness: float
    tolerance: float
    shade: float

    def likeness(self, image: Image) -> NDArray[np.float32]:
        """How far each pixel is from cloth, in tolerances: below 1 is cloth; shape (h, w)."""
        chroma, lightness = chroma_lightness(image)
        return _distance(chroma, lightness, self.chroma, self.lightness, self.tolerance, self.shade)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reduced:
    """A picture reduced to what cloth is sought in, with the colours that it may have.

    Attributes:
        chroma: Shape (h, w, 2), as in `Cloth`.
        lightness: Shape (h, w), mean channel.
        scale: Reduced over full size.
        peaks: Shape (2,) each, the commonest chroma, commonest first.
    """

    chroma: NDArray[np.float32]
    lightness: NDArray[np.float32]
    scale: float
    peaks: list[FloatArray]

    @classmethod
    def of(cls, image: Image) -> "Reduced":
        """Of a picture, shape (h, w, 3), BGR."""
        scale = min(1.0, _WORK_PX / max(image.shape[:2]))
        size = (max(8, round(image.shape[1] * scale)), max(8, round(image.shape[0] * scale)))
        small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        chroma, lightness = chroma_lightness(np.asarray(cv2.medianBlur(small, 5), dtype=np.uint8))
        return cls(chroma=chroma, lightness=lightness, scale=scale, peaks=_peaks(chroma))


def cut_sides(image: Image, reduced: Reduced | None = None) -> tuple[str, ...]:
    """Sides of the picture (left, right, top, bottom) at which what looks like a cloth runs out of it.

    Args:
        image: Shape (h, w, 3), BGR.
        reduced: Of the same picture, where there is one.

    Returns:
        One or two sides; none where no region does, or where it fills the picture as a page or a wall does.
    """
    small = reduced or Reduced.of(image)
    for peak in small.peaks:
        found = _region(small.chroma, small.lightness, peak, STRICTNESS[0])
        if found is None:
            continue
        mask = found[0]
        borders = {"left": mask[:, :3], "right": mask[:, -3:], "top": mask[:3], "bottom": mask[-3:]}
        cut = tuple(side for side, border in borders.items() if border.mean() > _CUT_SHARE)
        if 1 <= len(cut) <= 2:
            return cut
    return ()


def find_cloth(image: Image, strictness: tuple[float, float] = STRICTNESS[0], reduced: Reduced | None = None) -> Cloth | None:
    """The cloth of the table in a picture.

    Args:
        image: Shape (h, w, 3), BGR.
        strictness: One of `STRICTNESS`.
        reduced: Of the same picture, where it is looked through several times.

    Returns:
        None where no region of one colour has four sides.
    """
    small = reduced or Reduced.of(image)
    chroma, lightness, scale = small.chroma, small.lightness, small.scale
    best: tuple[float, Cloth] | None = None
    for peak in small.peaks:
        found = _region(chroma, lightness, peak, strictness)
        if found is None:
            continue
        mask, centre, light, tolerance = found
        mask = _with_cushions(mask, _distance(chroma, lightness, centre, light, tolerance, strictness[1]) < 1)
        sides = _four_sides(mask)
        if sides is None:
            continue
        quad = np.array([meet(sides[i], sides[(i + 1) % 4]) for i in range(4)])
        score = _quad_score(mask, quad)
        if best is None or score > best[0]:
            full = sides.copy()
            full[:, 2] = (sides[:, 2] - 0.5 * (1 - scale) * (sides[:, 0] + sides[:, 1])) / scale
            cloth = Cloth(
                mask=mask,
                scale=scale,
                sides_px=full,
                quad_px=(quad + 0.5) / scale - 0.5,
                chroma=centre,
                lightness=light,
                tolerance=tolerance,
                shade=strictness[1],
            )
            best = score, cloth
    return best[1] if best and best[0] > 0 else None


def cloth_inside(image: Image, quad_px: FloatArray) -> Cloth:
    """The cloth of a table whose outline a person gave: the usual colour well inside it.

    Args:
        image: Shape (h, w, 3), BGR.
        quad_px: Shape (4, 2), in turn round the table.
    """
    small = Reduced.of(image)
    chroma, lightness, scale = small.chroma, small.lightness, small.scale
    middle = quad_px.mean(axis=0)
    inner = ((middle + 0.85 * (quad_px - middle)) + 0.5) * scale - 0.5
    drawn = np.zeros(lightness.shape, np.uint8)
    cv2.fillPoly(drawn, [np.round(inner).astype(np.int32)], (1,))
    inside = drawn > 0
    if not inside.any():
        inside[:] = True
    centre = np.asarray(np.median(chroma[inside], axis=0), dtype=np.float64)
    spread = np.percentile(np.hypot(*(chroma[inside] - centre).T), 75)
    return Cloth(
        mask=inside,
        scale=scale,
        sides_px=np.zeros((4, 3)),
        quad_px=quad_px,
        chroma=centre,
        lightness=float(np.median(lightness[inside])),
        tolerance=float(np.clip(2.5 * spread, *_CHROMA_TOLERANCE)),
        shade=STRICTNESS[0][1],
    )


def meet(first: FloatArray, second: FloatArray) -> FloatArray:
    """Where two lines (a, b, c) cross, shape (2,); far away or NaN where they are parallel."""
    point = np.cross(first, second)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(point[:2] / point[2], dtype=np.float64)


def chroma_lightness(image: Image) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Chroma as in `Cloth`, shape (..., 2), and lightness, shape (...), of BGR pixels, shape (..., 3)."""
    values = image.astype(np.float32) + np.float32(_DARK)
    lightness = values.mean(axis=-1)
    chroma = np.stack([values[..., 0] - values[..., 1], values[..., 2] - values[..., 1]], axis=-1) / lightness[..., None]
    return chroma, lightness


def _distance(
    chroma: NDArray[np.float32], lightness: NDArray[np.float32], centre: FloatArray, light: float, tolerance: float, shade: float
) -> NDArray[np.float32]:
    across, along = chroma[..., 0] - np.float32(centre[0]), chroma[..., 1] - np.float32(centre[1])
    away = (across * across + along * along) * np.float32(1 / tolerance**2)
    beyond = np.abs(np.log(lightness * np.float32(1 / light))) * np.float32(1 / np.log(shade)) - np.float32(0.45)
    beyond = np.maximum(beyond, np.float32(0))
    return np.asarray(np.sqrt(away + beyond * beyond), dtype=np.float32)


@lru_cache(maxsize=4)
def _central(shape: tuple[int, ...]) -> FloatArray:
    """How much each pixel of a picture counts, the middle most; shape (h, w). Kept, as it is asked for at every colour."""
    y, x = np.mgrid[-1 : 1 : shape[0] * 1j, -1 : 1 : shape[1] * 1j]
    return np.asarray(np.exp(-(x**2 + y**2)), dtype=np.float64)


def _peaks(chroma: NDArray[np.float32]) -> list[FloatArray]:
    """The commonest chroma, the middle of the picture counted more."""
    weight = _central(chroma.shape[:2])
    edges = np.arange(-3.1, 3.1 + _CHROMA_BIN, _CHROMA_BIN)
    histogram = np.histogram2d(chroma[..., 0].ravel(), chroma[..., 1].ravel(), bins=(edges, edges), weights=weight.ravel())[0]
    histogram = np.asarray(cv2.GaussianBlur(histogram, (0, 0), 1.0), dtype=np.float64)
    peaks: list[FloatArray] = []
    for _ in range(_CANDIDATES):
        i, j = np.unravel_index(int(histogram.argmax()), histogram.shape)
        if histogram[i, j] <= 0:
            break
        peaks.append(np.array([edges[i], edges[j]]) + _CHROMA_BIN / 2)
        histogram[max(0, i - 3) : i + 4, max(0, j - 3) : j + 4] = 0
    return peaks


def _region(
    chroma: NDArray[np.float32], lightness: NDArray[np.float32], peak: FloatArray, strictness: tuple[float, float]
) -> tuple[NDArray[np.bool_], FloatArray, float, float] | None:
    across, along = chroma[..., 0] - np.float32(peak[0]), chroma[..., 1] - np.float32(peak[1])
    near = across * across + along * along < (2 * _CHROMA_BIN) ** 2
    core = _largest(near, central=True)
    if core is None or core.mean() < _SHARE_MIN / 3:
        return None
    for _ in range(3):
        some = np.flatnonzero(core)
        some = some[:: 1 + len(some) // _SOME]
        colours = chroma.reshape(-1, 2)[some]
        centre = np.asarray(np.median(colours, axis=0), dtype=np.float64)
        light = float(np.median(lightness.ravel()[some]))
        spread = np.percentile(np.hypot(*(colours - centre).T), 90)
        tolerance = strictness[0] * float(np.clip(2.5 * spread, *_CHROMA_TOLERANCE))
        grown = _largest(_distance(chroma, lightness, centre, light, tolerance, strictness[1]) < 1, central=True)
        if grown is None:
            return None
        if np.array_equal(grown, core):  # a further round would only repeat this one
            break
        core = grown
    if core.mean() < _SHARE_MIN:
        return None
    return core, centre, light, tolerance


def _with_cushions(bed: NDArray[np.bool_], cloth: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The bed and what is of its colour close by, across the dark line or shade under the noses."""
    outline = cv2.findContours(bed.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]
    hull = cv2.convexHull(max(outline, key=len))  # of its few outer pixels; of all of them it costs ten times as much
    reach = float(np.sqrt(cv2.contourArea(hull)))
    near = np.zeros(bed.shape, np.uint8)
    cv2.fillPoly(near, [hull.astype(np.int32)], (1,))
    near = np.asarray(cv2.dilate(near, _disc(_CUSHION_REACH * reach)), dtype=np.uint8)
    joined = cv2.morphologyEx((cloth & (near > 0)).astype(np.uint8), cv2.MORPH_CLOSE, _disc(_SHADE * reach))
    whole = _largest(joined > 0)
    return bed if whole is None else whole


def _disc(radius: float) -> Image:
    size = 2 * max(1, round(radius)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), dtype=np.uint8)


def _largest(mask: NDArray[np.bool_], *, central: bool = False) -> NDArray[np.bool_] | None:
    """The largest connected part, thin bridges cut and small holes closed; of several large ones with `central` the one in the middle."""
    opened = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=4)
    if count < 2:
        return None
    area = np.asarray(stats[1:, cv2.CC_STAT_AREA], dtype=np.float64)
    if central and count > 2 and np.partition(area, -2)[-2] > _RIVAL * area.max():
        area = np.asarray(np.bincount(labels.ravel(), weights=_central(mask.shape).ravel())[1:], dtype=np.float64)
    best = 1 + int(np.argmax(area))
    return np.asarray(labels == best)


def _four_sides(mask: NDArray[np.bool_]) -> FloatArray | None:
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


def _quad_score(mask: NDArray[np.bool_], quad: FloatArray) -> float:
    """Overlap of region and quadrilateral (intersection over union inside the picture) times the root of its share."""
    drawn = np.zeros(mask.shape, np.uint8)
    cv2.fillPoly(drawn, [np.round(quad).astype(np.int32)], (1,))
    filled = drawn.astype(bool)
    union = float((filled | mask).sum())
    if union == 0 or filled.mean() < _SHARE_MIN:
        return 0.0
    overlap = float((filled & mask).sum()) / union
    return (overlap - 0.6) * float(np.sqrt(filled.mean()))
