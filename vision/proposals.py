"""Where balls may be: pieces of foreground sorted into discs, streaks and things that hide the bed.

Theory, on the view where every ball has the same radius R: a piece of the size and roundness of one ball is a disc.
Any other piece large enough to hold a ball is searched for circles of that radius (vision.circles), which are discs; so a
rack, a ball touched by a hand and two touching balls come apart. A piece that
its discs do not explain, as wide as a ball and longer, clear of everything else, is one moving ball smeared over the
exposure: the middle line of a stadium. What is left over is somebody's arm, cue or clothes.

Fails: balls of like colour in a rack without visible gaps give weak votes; two balls rolling side by side at the same
speed are one wide streak (left over, so hidden, not invented); a sleeve with a round badge of a ball's size.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.circles import CircleFinder
from vision.stillness import PieceMemory

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_LEAST_AREA, _MOST_AREA = 0.45, 1.65
"""Area of a lone disc over pi R^2: a shadowed or faint rim takes off a half, blur and shadow add as much."""
_ROUND = 1.35
"""Longest over shortest half axis of a lone disc; a ball moving less than a third of a radius stays below."""
_SHADED_AREA = 2.4
"""Largest area over pi R^2 of one ball with its shadow under a nose."""
_FAINT = 0.7
"""How far such a piece counts as explained: its outline must be seen as well as a packed ball's."""
_WIDTH = (0.62, 1.35)
"""Half width of a streak over R."""
_LONGEST = 9.0
"""Longest streak, ball radii end to end: 8 m/s during a 25th of a second is 11, seen from balls broken hard with a
shutter half open; longer is a cue."""
_FULL = 0.72
"""Part of a streak's stadium that must be foreground."""
_NOT_ALONE = 0.99
"""Several discs are never explained as a lone ball is: one of them may be the shadow of another."""
_SPLIT, _TWO = 0.75, 2
"""Part of a piece on discs from which it is these discs; but two may be the ends of a streak."""
_BOTH_ENDS = 2.25
"""From this distance on two discs of one colour with no waist between them are both ends of a smeared ball: touching balls are 2
apart, found to 0.1, and whatever lies further apart shows cloth between."""
_WAIST = 0.8
"""Width of a streak's middle over that of its ends: two touching balls have 0.3 to 0.7, their contact's shadow included."""
_SLICE_PX = 1.5
"""Half the length of the slices in which that is measured, view pixels."""
_PAIR_APART = 1.5
"""Distance of a streak's ends from which it may be two touching balls (theirs are 2 apart), radii."""
_PAIR_DIFFERS = 80.0
"""Difference in colour of the ends that one ball cannot show, levels: a rolling stripe is smeared to 60 and less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Streak:
    """A ball smeared along a line, in view pixels: both ends of its centre's path, and whether the network knows it."""

    ends_px: tuple[tuple[float, float], tuple[float, float]]
    known: bool = True


@dataclass(frozen=True, slots=True)
class Content:
    """What one piece of foreground holds, view pixels: centres of discs, their `Proposals.explained`, streaks."""

    discs_px: tuple[tuple[float, float], ...]
    explained: float
    streaks: tuple[Streak, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ellipse:
    """Half axes, direction (dx, dy) of the long one, middle (x, y) in the piece's box."""

    long: float
    short: float
    along: tuple[float, float]
    middle: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """What the pieces of foreground may be, in view pixels.

    Attributes:
        discs_px: Shape (N, 2), rough centres.
        explained: Shape (N,), part of the disc's piece of foreground that lies on discs: 1 for a lone ball, low for a
            circle found on somebody's sleeve.
        streaks: Moving balls.
    """

    discs_px: FloatArray
    explained: FloatArray
    streaks: tuple[Streak, ...]


def find_proposals(
    mask: Mask,
    image: Image,
    seen: Image,
    circles: CircleFinder,
    radius: float,
    at_holes: Mask,
    *,
    memory: PieceMemory[Content] | None = None,
    time_s: float = 0.0,
) -> Proposals:
    """Discs and streaks in a foreground mask.

    Args:
        mask: Shape of the view, foreground where balls may be (pockets and rails already taken out).
        image: Camera picture, BGR.
        seen: The picture in the view of `mask`.
        circles: Finds circles in that view.
        radius: A ball's there, pixels.
        at_holes: Where a piece may be the hole of a pocket: only a circle is believed there, no streak.
        memory: What the picture before showed; pieces that have not changed are not searched again.
        time_s: Time of the picture, for the memory.
    """
    if memory is not None:
        memory.turn_page()
    solid = np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)
    full = np.pi * radius**2
    discs: list[tuple[float, float]] = []
    parts: list[float] = []
    streaks: list[Streak] = []
    for box, part, area in _pieces(solid, 0.3 * full):
        shape = _ellipse(part)
        if _LEAST_AREA * full < area < _MOST_AREA * full and shape.long < _ROUND * shape.short:
            discs.append((box[1].start + shape.middle[0], box[0].start + shape.middle[1]))
            parts.append(1.0)
            continue
        content = memory.recall(seen, box, area, time_s) if memory is not None else None
        if content is None:
            found = circles.within(image, box, part)
            content = _sort(part, shape, box, found, seen, radius, bool((part & at_holes[box]).any()))
            if memory is not None:
                memory.keep(seen, box, area, content, time_s)
        discs.extend(content.discs_px)
        parts.extend([content.explained] * len(content.discs_px))
        streaks.extend(content.streaks)
    return Proposals(np.array(discs, dtype=np.float64).reshape(-1, 2), np.array(parts, dtype=np.float64), tuple(streaks))


def _pieces(solid: Image, least_area: float) -> Iterator[tuple[tuple[slice, slice], Mask, int]]:
    """Connected pieces of at least an area: box in the view, mask in that box, area; by label, so always in one order.

    Labels and sums over the foreground alone: OpenCV's own statistics run over the background too, five times slower.
    """
    count, labels = cv2.connectedComponentsWithAlgorithm(solid, 4, cv2.CV_16U, cv2.CCL_GRANA)
    places = np.flatnonzero(solid.view(np.bool_)).astype(np.int32)
    owner = labels.ravel()[places]
    areas = np.bincount(owner, minlength=count)
    for piece in np.flatnonzero(areas >= least_area).tolist():
        own = places[owner == piece]
        columns = own % np.int32(solid.shape[1])
        top, bottom = int(own[0]) // solid.shape[1], int(own[-1]) // solid.shape[1]
        box = (slice(top, bottom + 1), slice(int(columns.min()), int(columns.max()) + 1))
        yield box, labels[box] == piece, int(areas[piece])


def _sort(part: Mask, shape: _Ellipse, box: tuple[slice, slice], found: FloatArray, seen: Image, radius: float, at_hole: bool) -> Content:
    """What a piece that is no lone disc holds, given the circles `found` in it."""
    left, top, full = box[1].start, box[0].start, np.pi * radius**2
    area = int(np.count_nonzero(part))
    explained = _explained(part, found - np.array((left, top)), radius) if len(found) else 0.0
    if len(found) > 1:
        explained = min(explained, _NOT_ALONE)
    streak = _as_streak(part, shape, (left, top), radius) if not at_hole and (explained < _SPLIT or len(found) == _TWO) else None
    if streak is not None and explained >= _SPLIT:
        # Two discs, or both ends of one smeared ball: whoever sees their outlines can tell.
        two = math.dist(*found.tolist()) < _BOTH_ENDS * radius or _as_pair(seen, streak, radius) is not None
        smeared = not two and _is_straight(part, streak, (left, top))
        return Content(tuple((float(x), float(y)) for x, y in found), explained, (streak,) if smeared else ())
    if streak is not None:
        pair = _as_pair(seen, streak, radius)
        return Content((), 0.0, (streak,)) if pair is None else Content(tuple(pair), 1.0, ())
    if not len(found) and area < _SHADED_AREA * full:
        # Too faint for votes, wider than a ball by its shadow: where the piece is thickest.
        depth = cv2.distanceTransform(np.pad(part.astype(np.uint8), 1), cv2.DIST_L2, 3)
        row, column = np.unravel_index(int(depth.argmax()), depth.shape)
        return Content(((left + float(column) - 1.0, top + float(row) - 1.0),), _FAINT, ())
    return Content(tuple((float(x), float(y)) for x, y in found), explained, ())


def _ellipse(part: Mask) -> _Ellipse:
    """The ellipse of equal moments."""
    moments = cv2.moments(part.astype(np.uint8), True)
    area = max(moments["m00"], 1.0)
    # A pixel is a square, not a point: a twelfth more.
    xx, yy, xy = moments["mu20"] / area + 1 / 12, moments["mu02"] / area + 1 / 12, moments["mu11"] / area
    middle, apart = (xx + yy) / 2, math.hypot((xx - yy) / 2, xy)
    angle = 0.5 * math.atan2(2 * xy, xx - yy)
    return _Ellipse(
        long=2 * math.sqrt(middle + apart),
        short=2 * math.sqrt(max(middle - apart, 1 / 12)),
        along=(math.cos(angle), math.sin(angle)),
        middle=(moments["m10"] / area, moments["m01"] / area),
    )


def _as_streak(part: Mask, shape: _Ellipse, origin: tuple[int, int], radius: float) -> Streak | None:
    dx, dy = shape.along
    rows, columns = np.nonzero(part)
    along, across = columns * dx + rows * dy, -columns * dy + rows * dx
    low, high = np.percentile(along, (0.5, 99.5)) + np.array((-0.5, 0.5))
    middle = float(np.median(across))
    half_width = float(np.percentile(np.abs(across - middle), 96)) + 0.5
    length = high - low
    if not (_WIDTH[0] * radius < half_width < _WIDTH[1] * radius and 2.5 * radius < length < _LONGEST * radius):
        return None
    stadium = (length - 2 * radius) * 2 * half_width + np.pi * radius * half_width
    if len(rows) < _FULL * stadium:
        return None
    ends = [
        (along_end * dx - middle * dy + origin[0], along_end * dy + middle * dx + origin[1]) for along_end in (low + radius, high - radius)
    ]
    return Streak(ends_px=((float(ends[0][0]), float(ends[0][1])), (float(ends[1][0]), float(ends[1][1]))))


def _is_straight(part: Mask, streak: Streak, origin: tuple[int, int]) -> bool:
    """Whether a streak is as wide in its middle as at its ends."""
    (x0, y0), (x1, y1) = streak.ends_px
    length = math.hypot(x1 - x0, y1 - y0)
    if length < 1.0:
        return False
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    rows, columns = np.nonzero(part)
    along = (columns + origin[0] - x0) * dx + (rows + origin[1] - y0) * dy
    middle, ends = np.abs(along - length / 2) < _SLICE_PX, (np.abs(along) < _SLICE_PX) | (np.abs(along - length) < _SLICE_PX)
    return bool(2 * np.count_nonzero(middle) >= _WAIST * np.count_nonzero(ends))


def _as_pair(seen: Image, streak: Streak, radius: float) -> list[tuple[float, float]] | None:
    """Both ends as balls where a streak's ends differ in colour: two touching balls; None for one moving ball."""
    (x0, y0), (x1, y1) = streak.ends_px
    if np.hypot(x1 - x0, y1 - y0) < _PAIR_APART * radius:
        return None
    reach = max(int(0.5 * radius), 1)
    colours = []
    for x, y in streak.ends_px:
        column, row = round(x), round(y)
        part = seen[max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1]
        if part.size == 0:
            return None
        colours.append(np.median(part.reshape(-1, 3).astype(np.float64), axis=0))
    if np.linalg.norm(colours[0] - colours[1]) < _PAIR_DIFFERS:
        return None
    return [(x0, y0), (x1, y1)]


def _explained(part: Mask, centres: FloatArray, radius: float) -> float:
    """Part of a piece that lies on the discs."""
    cover = np.zeros(part.shape, np.uint8)
    for x, y in centres:
        cv2.circle(cover, (round(x), round(y)), round(1.15 * radius), 1, -1)
    return float((part & (cover > 0)).sum() / max(part.sum(), 1))
