"""Where balls may be: pieces of foreground sorted into discs, streaks and things that hide the bed.

Theory, on the view where every ball has the same radius R: a piece of the size and roundness of one ball is a disc.
Any other piece large enough to hold a ball is searched for circles of that radius: every strong edge votes for the
two points one R to either side along its gradient (Hough's transform with the radius known; Kimme, Ballard &
Sklansky 1975), peaks are discs; so a rack, a ball touched by a hand and two touching balls come apart. A piece that
its discs do not explain, as wide as a ball and longer, clear of everything else, is one moving ball smeared over the
exposure: the middle line of a stadium. What is left over is somebody's arm, cue or clothes.

Fails: balls of like colour in a rack without visible gaps give weak votes; two balls rolling side by side at the same
speed are one wide streak (left over, so hidden, not invented); a sleeve with a round badge of a ball's size.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.rectify import TopView

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
_PAIR_APART = 1.5
"""Distance of a streak's ends from which it may be two touching balls (theirs are 2 apart), radii."""
_PAIR_DIFFERS = 80.0
"""Difference in colour of the ends that one ball cannot show, levels: a rolling stripe is smeared to 60 and less."""
_VOTE_LEAST = 0.30
"""Votes of a disc, part of a full outline: a rack's inner balls get 0.4 and more, clothes mostly 0.1 to 0.25."""
_EDGE_LEAST = 40.0
"""Gradient (Scharr over 16) that may vote, levels per pixel of the fine view; blur halves a sharp edge of 80."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Streak:
    """A ball smeared along a line, in view pixels: both ends of its centre's path."""

    ends_px: tuple[tuple[float, float], tuple[float, float]]


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


def find_proposals(mask: Mask, image: Image, seen: Image, view: TopView, fine: TopView, at_holes: Mask) -> Proposals:
    """Discs and streaks in a foreground mask.

    Args:
        mask: Shape of the view, foreground where balls may be (pockets and rails already taken out).
        image: Camera picture, BGR.
        seen: The picture in the view of `mask`.
        view: That view.
        fine: A finer view of the same table for telling touching balls apart.
        at_holes: Where a piece may be the hole of a pocket: only a circle is believed there, no streak.
    """
    radius = view.ball_radius_px
    solid = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, centroids = cv2.connectedComponentsWithStats(solid, connectivity=4)
    full = np.pi * radius**2
    discs: list[tuple[float, float]] = []
    parts: list[float] = []
    streaks: list[Streak] = []
    for piece in range(1, count):
        left, top, width, height, area = (int(v) for v in stats[piece])
        if area < 0.3 * full:
            continue
        box = (slice(top, top + height), slice(left, left + width))
        part = labels[box] == piece
        shape = _half_axes(part)
        if _LEAST_AREA * full < area < _MOST_AREA * full and shape[0] < _ROUND * shape[1]:
            discs.append((float(centroids[piece][0]), float(centroids[piece][1])))
            parts.append(1.0)
            continue
        found = find_circles(image, fine, view, box, part)
        explained = _explained(part, found - np.array((left, top)), radius) if len(found) else 0.0
        streak = _as_streak(part, shape, (left, top), radius)
        if streak is not None and explained < 0.75 and not (part & at_holes[box]).any():
            pair = _as_pair(seen, streak, radius)
            if pair is None:
                streaks.append(streak)
            else:
                discs.extend(pair)
                parts.extend([1.0, 1.0])
            continue
        if not len(found) and area < _SHADED_AREA * full:
            # Too faint for votes, wider than a ball by its shadow: where the piece is thickest.
            depth = cv2.distanceTransform(np.pad(part.astype(np.uint8), 1), cv2.DIST_L2, 3)
            row, column = np.unravel_index(int(depth.argmax()), depth.shape)
            found, explained = np.array([(left + column - 1.0, top + row - 1.0)]), _FAINT
        discs.extend((float(x), float(y)) for x, y in found)
        parts.extend([explained] * len(found))
    return Proposals(np.array(discs, dtype=np.float64).reshape(-1, 2), np.array(parts, dtype=np.float64), tuple(streaks))


def _half_axes(part: Mask) -> tuple[float, float, float, float]:
    """Half lengths of the ellipse of equal moments, long first, and its direction (dx, dy)."""
    moments = cv2.moments(part.astype(np.uint8), True)
    area = max(moments["m00"], 1.0)
    # A pixel is a square, not a point: a twelfth more.
    xx, yy, xy = moments["mu20"] / area + 1 / 12, moments["mu02"] / area + 1 / 12, moments["mu11"] / area
    middle, apart = (xx + yy) / 2, float(np.hypot((xx - yy) / 2, xy))
    angle = 0.5 * float(np.arctan2(2 * xy, xx - yy))
    return 2 * float(np.sqrt(middle + apart)), 2 * float(np.sqrt(max(middle - apart, 1 / 12))), float(np.cos(angle)), float(np.sin(angle))


def _as_streak(part: Mask, shape: tuple[float, float, float, float], origin: tuple[int, int], radius: float) -> Streak | None:
    _, _, dx, dy = shape
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


def find_circles(image: Image, fine: TopView, view: TopView, box: tuple[slice, slice], part: Mask | None) -> FloatArray:
    """Centres, in view pixels, shape (N, 2), of circles of the ball's radius inside a box of the view, best first."""
    scale = fine.px_per_m / view.px_per_m
    radius = fine.ball_radius_px
    pad = int(np.ceil(0.6 * radius))
    corner = fine.to_view(view.to_table([[box[1].start, box[0].start]]))[0]
    opposite = fine.to_view(view.to_table([[box[1].stop - 1, box[0].stop - 1]]))[0]
    x0, y0 = (max(int(v) - pad, 0) for v in corner)
    x1, y1 = (int(v) + pad + 2 for v in opposite)
    patch = fine.patch(image, slice(y0, y1), slice(x0, x1))
    votes = _vote(patch, radius)
    if part is not None:
        votes = votes * _grown(part, votes.shape, scale, (x0 - corner[0], y0 - corner[1]), radius)
    centres = _peaks(votes, radius) + np.array((x0, y0))
    return view.to_view(fine.to_table(centres)) if len(centres) else np.empty((0, 2))


def _vote(patch: Image, radius: float) -> FloatArray:
    """Votes for centres, part of a full outline, shape of the patch."""
    smooth = cv2.GaussianBlur(patch, (0, 0), 0.08 * radius)
    dx = cv2.Scharr(smooth, cv2.CV_32F, 1, 0) / 16
    dy = cv2.Scharr(smooth, cv2.CV_32F, 0, 1) / 16
    size = dx**2 + dy**2
    channel = size.argmax(axis=2)[..., None]
    gx, gy = (np.take_along_axis(g, channel, axis=2)[..., 0] for g in (dx, dy))
    magnitude = np.sqrt(np.take_along_axis(size, channel, axis=2)[..., 0])
    rows, columns = np.nonzero(magnitude > _EDGE_LEAST / 4)
    strength = magnitude[rows, columns]
    ux, uy = gx[rows, columns] / strength, gy[rows, columns] / strength
    weight = np.minimum(strength / _EDGE_LEAST, 1.0)
    height, width = magnitude.shape
    votes = np.zeros(height * width)
    for sign in (1.0, -1.0):
        x = np.rint(columns + sign * radius * ux).astype(np.intp)
        y = np.rint(rows + sign * radius * uy).astype(np.intp)
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        votes += np.bincount(y[inside] * width + x[inside], weights=weight[inside], minlength=height * width)
    sigma = 0.11 * radius
    smoothed = cv2.GaussianBlur(votes.reshape(height, width), (0, 0), sigma)
    # An outline two edge pixels thick, all votes within the smoothing's own spread: 1.
    return np.asarray(smoothed / (2 * np.pi * radius * 2.0 / (4 * np.pi * sigma**2)), dtype=np.float64)


def _grown(part: Mask, shape: tuple[int, ...], scale: float, shift: tuple[float, float], radius: float) -> Mask:
    """The piece in the fine patch; a centre lies on its own ball."""
    matrix = np.array([[scale, 0.0, -shift[0]], [0.0, scale, -shift[1]]])
    grown = cv2.warpAffine(part.astype(np.uint8), matrix, (shape[1], shape[0]), flags=cv2.INTER_NEAREST)
    return np.asarray(cv2.erode(grown, np.ones((int(0.6 * radius) | 1,) * 2, np.uint8)) > 0, dtype=np.bool_)


def _peaks(votes: FloatArray, radius: float) -> FloatArray:
    """Peaks no nearer to each other than balls can be, best first, shape (N, 2) as (x, y)."""
    around = cv2.dilate(votes, np.ones((int(radius) | 1,) * 2, np.uint8))
    rows, columns = np.nonzero((votes >= around) & (votes > _VOTE_LEAST))
    order = np.argsort(-votes[rows, columns], kind="stable")
    kept: list[tuple[float, float]] = []
    for x, y in zip(columns[order], rows[order], strict=True):
        if all((x - u) ** 2 + (y - v) ** 2 > (1.6 * radius) ** 2 for u, v in kept):
            kept.append((float(x), float(y)))
    return np.array(kept, dtype=np.float64).reshape(-1, 2)
