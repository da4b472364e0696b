"""Where the cloth lies in a picture: its colour, its region, and the four straight lines round it.

The bed and its cushions are the largest region of one colour near the middle of the picture. Colour is compared as
differences of the channels over their mean (lamp light falls off by half over a table, these hardly change, and they
stay steady where a channel of a strong colour is near zero, which ratios do not) plus lightness with a wide
tolerance (which keeps grey cloth apart from black rails). The region's four sides are found in
`calibration.outline`, once as it is and once with all narrow parts cut off: grey cloth runs on into metal castings at the corners,
and through them round the rails.

Fails: a floor of the cloth's own colour that touches it without a rail between (the outline then has no four
sides), a person hiding a whole side, a side that is wholly outside the picture.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import four_sides, meet, overlap_share

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
_OVERLAP_LEAST = 0.6
"""Overlap of a region with its four sides, intersection over union, that speaks for nothing yet."""
_OVERLAP_SURE, _SHARE_SURE = 0.96, 0.2
"""A region that fills its four sides so well, whole in the picture and so large a part of it, is the cloth: other colours are not looked
at. Cloths fill 0.94 to 0.99 of theirs, balls and an arm taken off; with the rails, or the floor, it is less than 0.93."""
_CUSHION_REACH = 0.075
"""How far outside the bed its cushions are sought, of the root of its area: rubber is 0.03 to 0.05, with the wooden
rail 0.1 or more; farther takes in a floor of the same colour."""
_SHADE = 0.012
"""Half the width of a shade that is bridged between bed and rubber, of the root of the bed's area; half a rail is 0.03."""
_NARROW, _HANGING = 0.032, 0.008
"""Radius, of the root of a region's area, of a disc that does not fit into what is cut off it: castings at corners, hollowed by their
pockets, are 0.02 to 0.03 wide; and the least share of the region that this must take for it to be looked at: square corners lose 0.002."""
_CUT_SHARE = 0.2
"""Share of a border of the picture that cloth must touch to be said to run out of it there; a rail's end is less."""
_SOME = 20_000
"""Pixels of a region, about, that its colour is taken from: more only cost time."""
_RIVAL = 0.3
"""Share of the largest region from which another of its colour may be the cloth: a floor of the cloth's colour is larger than it."""
_LIGHT_BIN, _LIGHT_REACH = 0.06, 0.2
"""Width of a histogram bin in the logarithm of lightness, and how far from a common lightness pixels may be to begin with it."""
_MODE_LEAST, _DIP = 0.1, 0.3
"""Grey cloth, grey rail and grey floor are parted by lightness alone: what is as common as the first of the commonest, with fewer than
the second of itself between them, is another. Unevenly lit cloth has no such gap."""
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
        cores: Regions of the commonest colours, commonest first, shape (h, w) each: what cloth is grown from.
    """

    chroma: NDArray[np.float32]
    lightness: NDArray[np.float32]
    scale: float
    cores: list[NDArray[np.bool_]]

    @classmethod
    def of(cls, image: Image) -> "Reduced":
        """Of a picture, shape (h, w, 3), BGR."""
        scale = min(1.0, _WORK_PX / max(image.shape[:2]))
        size = (max(8, round(image.shape[1] * scale)), max(8, round(image.shape[0] * scale)))
        small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        chroma, lightness = chroma_lightness(np.asarray(cv2.medianBlur(small, 5), dtype=np.uint8))
        return cls(chroma=chroma, lightness=lightness, scale=scale, cores=_cores(chroma, lightness))


def cut_sides(image: Image, reduced: Reduced | None = None) -> tuple[str, ...]:
    """Sides of the picture (left, right, top, bottom) at which what looks like a cloth runs out of it.

    Args:
        image: Shape (h, w, 3), BGR.
        reduced: Of the same picture, where there is one.

    Returns:
        One or two sides; none where no region does, or where it fills the picture as a page or a wall does.
    """
    small = reduced or Reduced.of(image)
    for core in small.cores:
        found = _region(small.chroma, small.lightness, core, STRICTNESS[0])
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
    beds: list[NDArray[np.bool_]] = []
    for core in small.cores:
        found = _region(chroma, lightness, core, strictness)
        if found is None or any(np.array_equal(found[0], other) for other in beds):
            continue
        bed, centre, light, tolerance = found
        beds.append(bed)
        whole = _with_cushions(bed, _distance(chroma, lightness, centre, light, tolerance, strictness[1]) < 1)
        for mask in (whole, *_without_narrow_parts(whole)):
            sides = four_sides(mask)
            if sides is None:
                continue
            quad = np.array([meet(sides[i], sides[(i + 1) % 4]) for i in range(4)])
            overlap, share = overlap_share(mask, quad)
            score = (overlap - _OVERLAP_LEAST) * float(np.sqrt(share))
            if share < _SHARE_MIN or (best is not None and score <= best[0]):
                continue
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
            if overlap > _OVERLAP_SURE and share > _SHARE_SURE and (quad > 0).all() and (quad < mask.shape[::-1]).all():
                return cloth
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


def _peaks(chroma: NDArray[np.float32], lightness: NDArray[np.float32]) -> list[tuple[FloatArray, float | None]]:
    """The commonest chroma, the middle of the picture counted more; and where lightness parts the commonest, its parts too."""
    weight = _central(chroma.shape[:2])
    edges = np.arange(-3.1, 3.1 + _CHROMA_BIN, _CHROMA_BIN)
    histogram = np.histogram2d(chroma[..., 0].ravel(), chroma[..., 1].ravel(), bins=(edges, edges), weights=weight.ravel())[0]
    histogram = np.asarray(cv2.GaussianBlur(histogram, (0, 0), 1.0), dtype=np.float64)
    peaks: list[tuple[FloatArray, float | None]] = []
    for _ in range(_CANDIDATES):
        i, j = np.unravel_index(int(histogram.argmax()), histogram.shape)
        if histogram[i, j] <= 0:
            break
        peaks.append((np.array([edges[i], edges[j]]) + _CHROMA_BIN / 2, None))
        histogram[max(0, i - 3) : i + 4, max(0, j - 3) : j + 4] = 0
    if not peaks:
        return peaks
    first = peaks[0][0]
    return peaks + [(first, light) for light in _parting_lightness(lightness, weight, _near(chroma, first))]


def _cores(chroma: NDArray[np.float32], lightness: NDArray[np.float32]) -> list[NDArray[np.bool_]]:
    """The connected regions of the commonest colours that are large enough to grow cloth from."""
    cores = []
    for peak, light in _peaks(chroma, lightness):
        near = _near(chroma, peak)
        if light is not None:
            near &= np.abs(np.log(np.maximum(lightness, 1.0) / np.float32(light))) < _LIGHT_REACH
        core = _largest(near, central=True) if near.mean() >= _SHARE_MIN / 3 else None
        if core is not None and core.mean() >= _SHARE_MIN / 3:
            cores.append(core)
    return cores


def _near(chroma: NDArray[np.float32], peak: FloatArray) -> NDArray[np.bool_]:
    across, along = chroma[..., 0] - np.float32(peak[0]), chroma[..., 1] - np.float32(peak[1])
    return np.asarray(across * across + along * along < (2 * _CHROMA_BIN) ** 2)


def _parting_lightness(lightness: NDArray[np.float32], weight: FloatArray, near: NDArray[np.bool_]) -> list[float]:
    """The commonest lightness of pixels of one chroma, and another far from it; none where they are of one lightness, as lamps leave it."""
    logs = np.log(np.maximum(lightness[near], 1.0))
    if len(logs) == 0:
        return []
    edges = np.arange(0.0, np.log(290.0) + _LIGHT_BIN, _LIGHT_BIN)
    histogram = np.histogram(logs, bins=edges, weights=weight[near])[0]
    histogram = np.asarray(cv2.GaussianBlur(histogram[None, :], (0, 0), 1.0), dtype=np.float64).ravel()
    tops = np.flatnonzero((histogram >= np.roll(histogram, 1)) & (histogram > np.roll(histogram, -1)))
    best = max(tops, key=lambda i: histogram[i])
    parted = [
        i
        for i in tops
        if histogram[i] > _MODE_LEAST * histogram[best] and histogram[min(i, best) : max(i, best) + 1].min() < _DIP * histogram[i]
    ]
    if not parted:
        return []
    other = max(parted, key=lambda i: histogram[i])
    return [float(np.exp(edges[i] + _LIGHT_BIN / 2)) for i in (best, other)]


def _region(
    chroma: NDArray[np.float32], lightness: NDArray[np.float32], core: NDArray[np.bool_], strictness: tuple[float, float]
) -> tuple[NDArray[np.bool_], FloatArray, float, float] | None:
    """The region of a colour grown from a core of it: region, chroma, lightness and tolerance; None where it is too small."""
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
    beyond = np.ones(bed.shape, np.uint8)
    cv2.fillPoly(beyond, [hull.astype(np.int32)], (0,))
    near = _distance_px(beyond) <= _CUSHION_REACH * reach
    joined = cv2.morphologyEx((cloth & near).astype(np.uint8), cv2.MORPH_CLOSE, _disc(_SHADE * reach))
    whole = _largest(joined > 0)
    return bed if whole is None else whole


def _without_narrow_parts(mask: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """The region without what hangs on it by narrow parts; empty where it has none to speak of."""
    reach = float(np.sqrt(mask.sum()))
    padded = cv2.copyMakeBorder(mask.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_REPLICATE)
    filled = np.asarray(cv2.morphologyEx(padded, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), dtype=np.uint8)
    radius = _NARROW * reach
    inner = _distance_px(filled) > radius
    opened = (_distance_px((~inner).astype(np.uint8)) <= radius)[1:-1, 1:-1] if inner.any() else inner[1:-1, 1:-1]
    whole = _largest(opened)
    return [] if whole is None or (mask & ~whole).sum() < _HANGING * mask.sum() else [whole]


def _distance_px(mask: Image) -> NDArray[np.float32]:
    """Distance of each pixel of a region from the next outside it: by it regions grow and shrink in less time than by wide discs."""
    return np.asarray(cv2.distanceTransform(mask, cv2.DIST_L2, 5), dtype=np.float32)


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
