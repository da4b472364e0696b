"""Edges of the cushions in the picture, to a fraction of a pixel.

With a rough camera each side of the table is unrolled into a strip: one axis along the cushion, one across it. Across
runs, from outside: wooden rail, outer edge of the rubber, rubber, nose, bed. Rubber and bed have one colour, and
which of the two is brighter, and whether a shade or a line lies between, depends on the lamps; a cast shadow has a
second edge farther in. What does not depend on them: the rubber is of one width on all four sides. So every distance
from the outer edge is voted for by the steps in lightness found there on all sides (Hough's idea along one axis), and
a shadow's edge, at another distance on each side, loses.

Lightness enters as its logarithm, so that a dim end of the table counts as much as a bright one; medians along
blocks of the cushion pass over balls, chalk and cue sticks.

Fails: noses that show on fewer than two sides; lamps straight above with equal shadows all round, whose edge is then
as good a guess as the nose (the nose's is the sharper and outer one and is preferred).
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.cloth import Cloth
from calibration.solve import SIDES, EdgePoints, side_points_m
from calibration.table import Table

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_BLOCK_M = 0.04
"""Length of cushion whose pixels share one profile: a ball and a half; longer hides the bow, shorter is noisy."""
_BLOCK_SAMPLES = 9
"""Pixels along a block that its median is taken of."""
_KNOT = 8
"""Every how many samples across a side their pixels are computed, straight between: 4 pixels of a lens bend by less than 0.01."""
_STEP_MIN = 0.012
"""Least change of log lightness per pixel that counts as a step; compression leaves 0.005 on plain cloth."""
_STRONGEST = 6.0
"""A block counts for at most this many times the least step: one bright thing on a cushion is no line along it."""
_HALO_PX, _HALO_STRONGER = 4.0, 2.5
"""Sharpening in the camera puts a weak step of the other sign 2 to 3 pixels beside a strong one: by this much weaker. The two
edges of a thin dark line are alike to a factor of 2."""
_SHARE_SHOWN = 0.35
"""Least share of a cushion that must show a step for it to be a line along the cushion."""
_OUTERMOST_OF = 0.35
"""Of several steps of one sign at a place the outermost with this share of the strongest is the nose: where a shade
begins a little inside the nose's own dark line, that step can be the stronger."""
_BLUR_PX = 1.1
"""Blur with which a nose is seen, that of `steps` (1 pixel) and of lens and video (0.5) together; with 1.25 rendered noses came out
0.4 mm too far in."""
_THIN_M = 0.0012
"""Half the width of the dark line under a nose, at least: lines of 1 to 4 mm are seen."""
_LOG_SHIFT = 5
"""Samples, of half a pixel, by which the steepest place of a step's logarithm can be from that of the step."""
_INWARD_SHARE = 0.85
"""Share of the reach in which a nose is sought inward of where it is expected: an edge farther in is a shadow's."""
_INWARD_M, _OUTWARD_M = 0.10, 0.07
"""The strip's reach inside the rough nose line and outside the rough outer edge."""
_ROUGH_M, _RAIL_PX = 0.012, 15.0
"""And at least so far outside as that edge usually is off, and so many pixels of rail beyond it, which in a small picture is more."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strip:
    """One side of the table unrolled.

    Attributes:
        side: One of `solve.SIDES`.
        along_m: Middle of each block, shape (B,), from the middle of the cushion, clockwise.
        outward_m: Shape (N,), distance outward from the rough nose line, descending (from outside to inside).
        lightness: Shape (B, N), log of the median lightness; NaN outside the picture.
        colour: Shape (B, N, 3), median BGR.
        unlike: Shape (B, N), median distance from the cloth's colour, below 1 is cloth.
    """

    side: str
    along_m: FloatArray
    outward_m: FloatArray
    lightness: FloatArray
    colour: Image
    unlike: FloatArray


def unroll(image: Image, camera: CameraModel, table: Table, cloth: Cloth, rubber_m: float) -> dict[str, Strip]:
    """The four strips, mouths left out.

    Args:
        image: Shape (h, w, 3), BGR.
        camera: A rough model of it.
        table: The table.
        cloth: Its colour.
        rubber_m: Rough width of the rubber.
    """
    scale = _pixels_per_metre(camera, table)
    beyond = max(_OUTWARD_M, _ROUGH_M + _RAIL_PX / scale)
    outward = np.arange(rubber_m + beyond, -_INWARD_M, -0.5 / scale)
    strips = {}
    for side in SIDES:
        middles = block_places_m(table, side)
        values, hidden = _sample(image, camera, table, side, middles, outward)
        strips[side] = Strip(
            side=side,
            along_m=middles,
            outward_m=outward,
            lightness=np.where(hidden, np.nan, np.log(values.mean(axis=2, dtype=np.float64) + 8.0)),
            colour=values,
            unlike=np.where(hidden, np.nan, cloth.likeness(values)),
        )
    return strips


def _sample(
    image: Image, camera: CameraModel, table: Table, side: str, middles: FloatArray, outward: FloatArray
) -> tuple[Image, NDArray[np.bool_]]:
    """Median colours of the blocks, shape (B, N, 3), and where they lie outside the picture, shape (B, N)."""
    ends = np.stack([middles - _BLOCK_M / 2, middles + _BLOCK_M / 2], axis=1)
    knots = outward[np.unique(np.append(np.arange(0, len(outward), _KNOT), len(outward) - 1))]
    grid = side_points_m(side, np.repeat(ends.ravel(), len(knots)), np.tile(knots, ends.size), table.spec)
    coarse = camera.to_pixels(grid, height_m=table.spec.nose_height_m).reshape(len(middles), 2, len(knots), 2)
    before = np.minimum(np.arange(len(outward)) // _KNOT, len(knots) - 2)
    on = ((outward - knots[before]) / (knots[before + 1] - knots[before]))[:, None]
    pixels = coarse[:, :, before] + on * (coarse[:, :, before + 1] - coarse[:, :, before])
    share = ((np.arange(_BLOCK_SAMPLES, dtype=np.float32) + np.float32(0.5)) / np.float32(_BLOCK_SAMPLES))[:, None, None, None]
    first, last = pixels[None, :, 0].astype(np.float32), pixels[None, :, 1].astype(np.float32)
    maps = first + share * (last - first)
    flat = maps.reshape(-1, len(outward), 2)
    values = np.asarray(cv2.remap(image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    height, width = image.shape[:2]
    x, y = maps[..., 0], maps[..., 1]
    outside = ~((x >= 0) & (y >= 0) & (x <= width - 1) & (y <= height - 1))
    return _middle(values.reshape(_BLOCK_SAMPLES, len(middles), len(outward), 3)), outside.any(axis=0)


def _middle(samples: Image) -> Image:
    """Median over the first axis, by a sorting network on whole arrays (odd-even transposition; Knuth, TAOCP 3, 5.3.4)."""
    rows: list[Image] = list(samples)
    for turn in range(len(rows)):
        for i in range(turn % 2, len(rows) - 1, 2):
            rows[i], rows[i + 1] = np.minimum(rows[i], rows[i + 1]), np.maximum(rows[i], rows[i + 1])
    return rows[len(rows) // 2]


def _pixels_per_metre(camera: CameraModel, table: Table) -> float:
    corners = camera.to_pixels(list(table.corners_m().values()), height_m=table.spec.nose_height_m)
    return float(np.hypot(*(corners[2] - corners[0])) + np.hypot(*(corners[3] - corners[1]))) / 2 / table.spec.length_m


def block_places_m(table: Table, side: str) -> FloatArray:
    """Middles of the blocks in which a cushion is measured, clear of the mouths, from its middle clockwise; shape (B,)."""
    margin = _BLOCK_M / 2 + 0.015
    cut = table.corner_mouth_m / np.sqrt(2)
    if side in ("head", "foot"):
        reach = table.spec.width_m / 2 - cut - margin
        return np.linspace(-reach, reach, max(2, round(2 * reach / _BLOCK_M)))
    reach = table.spec.length_m / 2 - cut - margin
    inner = table.side_mouth_m / 2 + margin
    half = np.linspace(inner, reach, max(2, round((reach - inner) / _BLOCK_M)))
    return np.concatenate([-half[::-1], half])


def block_count(table: Table, side: str) -> int:
    """How many blocks a cushion is measured in: the most landmarks that its nose can have."""
    return len(block_places_m(table, side))


def agreeing(along: FloatArray, outward: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """The points, shape (N,) each, that lie near one smooth curve; None where too few do."""
    if len(along) < 5:
        return None
    keep = np.abs(outward - np.median(outward)) < 0.012
    for _ in range(3):
        if keep.sum() < 5:
            return None
        curve = np.polyval(np.polyfit(along[keep], outward[keep], 2), along)
        spread = 1.4826 * np.median(np.abs(outward[keep] - curve[keep]))
        keep = np.abs(outward - curve) < max(3 * spread, 0.001)
    return (along[keep], outward[keep]) if keep.sum() >= max(5, 0.25 * len(along)) else None


def steps(strip: Strip, metres_per_pixel: float) -> FloatArray:
    """Change of log lightness per pixel going inwards, smoothed over about a pixel; shape (B, N); 0 where not seen."""
    return _change(strip, strip.lightness, metres_per_pixel)


def _change(strip: Strip, light: FloatArray, metres_per_pixel: float) -> FloatArray:
    filled = np.where(np.isfinite(light), light, 0.0)
    seen = cv2.erode(np.isfinite(light).astype(np.uint8), np.ones((1, 9), np.uint8)) > 0
    sigma = metres_per_pixel / abs(strip.outward_m[1] - strip.outward_m[0])
    reach = int(np.ceil(3 * sigma))
    x = np.arange(-reach, reach + 1)
    kernel = -x * np.exp(-(x**2) / (2 * sigma**2))
    kernel = -kernel / np.abs(kernel * x).sum() * sigma
    change = np.asarray(cv2.filter2D(filled, cv2.CV_64F, kernel[None, :], borderType=cv2.BORDER_REPLICATE))
    return np.where(seen, change, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A long step in lightness along a cushion.

    Attributes:
        outward_m: Where, outward of the rough nose line.
        sign: 1 where it gets brighter going inwards, -1 where darker.
        share: How much of the cushion shows it, 0 to 1.
        strength: Change of log lightness per pixel, its mean along the cushion.
    """

    outward_m: float
    sign: int
    share: float
    strength: float = 0.0


def long_steps(strip: Strip, metres_per_pixel: float) -> list[Step]:
    """The steps in lightness that run along a cushion, outermost first."""
    change = steps(strip, metres_per_pixel)
    usable = (change != 0).any(axis=1)
    if usable.sum() < 4:
        return []
    change = change[usable]
    bed = change[:, strip.outward_m < -0.05]
    level = max(_STEP_MIN, 4 * float(np.median(np.abs(bed))) if bed.size else 0.0)
    spacing = abs(strip.outward_m[1] - strip.outward_m[0])
    slack = max(1, round(1.5 * metres_per_pixel / spacing))
    found = []
    for sign in (1, -1):
        shown = np.asarray(cv2.dilate(np.clip(sign * change / level, 0, 1), np.ones((1, 2 * slack + 1))), dtype=np.float64)
        share = shown.mean(axis=0)
        strength = np.clip(sign * change, 0, _STRONGEST * level).mean(axis=0)
        strength = np.asarray(cv2.GaussianBlur(strength[None, :], (0, 0), 1.0), dtype=np.float64).ravel()
        tops = np.flatnonzero((strength[1:-1] > strength[:-2]) & (strength[1:-1] >= strength[2:]) & (share[1:-1] > _SHARE_SHOWN)) + 1
        found += [Step(outward_m=float(strip.outward_m[i]), sign=sign, share=float(share[i]), strength=float(strength[i])) for i in tops]
    return [step for step in sorted(found, key=lambda step: -step.outward_m) if not _overshoots(step, found, metres_per_pixel)]


def _overshoots(step: Step, steps: list[Step], metres_per_pixel: float) -> bool:
    """True where a step is what sharpening adds beside another: of the other sign, near it, much weaker."""
    return any(
        other.sign != step.sign
        and abs(other.outward_m - step.outward_m) < _HALO_PX * metres_per_pixel
        and other.strength > _HALO_STRONGER * step.strength
        for other in steps
    )


def nose_edges(strips: dict[str, Strip], camera: CameraModel, table: Table, noses: dict[str, Step], reach_m: float) -> list[EdgePoints]:
    """Points on the nose lines.

    Args:
        strips: From `unroll`.
        camera: The model they were unrolled with.
        table: The table.
        noses: What each nose looks like and where it is expected, outward of the model's nose line.
        reach_m: How far from there they are sought.
    """
    metres_per_pixel = 1 / _pixels_per_metre(camera, table)
    edges = []
    for side, strip in strips.items():
        if side not in noses:
            continue
        change = noses[side].sign * steps(strip, metres_per_pixel)
        plain = noses[side].sign * _change(strip, np.exp(strip.lightness), metres_per_pixel)
        beyond = reach_m + (_BLUR_PX * metres_per_pixel if noses[side].sign < 0 else 0.0)
        away = strip.outward_m - noses[side].outward_m
        window = np.flatnonzero((away > -_INWARD_SHARE * reach_m) & (away < beyond))
        along, outward, depths = [], [], []
        for middle, profile, unbent in zip(strip.along_m, change, plain, strict=True):
            inside = window[1:-1]
            tops = inside[(profile[inside] > profile[inside - 1]) & (profile[inside] >= profile[inside + 1])]
            tops = tops[profile[tops] > max(_STEP_MIN / 2, _OUTERMOST_OF * profile[tops].max(initial=0.0))]
            if len(tops) == 0:
                continue
            i = int(tops[0])
            place = _steepest(unbent, i)
            along.append(middle)
            outward.append(strip.outward_m[0] + place * (strip.outward_m[1] - strip.outward_m[0]))
            turns = np.flatnonzero(profile[i:] <= 0)
            if len(turns):
                j = i + int(turns[0])
                share = profile[j - 1] / (profile[j - 1] - profile[j]) if j > i else 0.0
                depths.append((j - 1 + share - place) * (strip.outward_m[0] - strip.outward_m[1]))
        points = agreeing(np.array(along), np.array(outward))
        if points is not None:
            points = points[0], points[1] - _line_bias(noses[side], depths, metres_per_pixel)
            pixels = camera.to_pixels(side_points_m(side, *points, table.spec), height_m=table.spec.nose_height_m)
            edges.append(EdgePoints(side=side, points_px=pixels, along_m=points[0], outer=False, sigma_m=0.001))
    return edges


def _steepest(change: FloatArray, near: int) -> float:
    """Index, to a part of a sample, of the steepest place next to one where the logarithm is steepest.

    A blurred step is steepest in its middle, but its logarithm nearer to its dark side, by the square of the blur times the
    logarithm's slope: 0.2 to 0.6 pixels at noses.
    """
    window = np.arange(max(1, near - _LOG_SHIFT), min(len(change) - 1, near + _LOG_SHIFT + 1))
    tops = window[(change[window] > change[window - 1]) & (change[window] >= change[window + 1])]
    if len(tops) == 0:
        tops = np.array([near])
    i = int(tops[np.argmin(np.abs(tops - near))])
    left, top, right = change[i - 1 : i + 2]
    bend = left - 2 * top + right
    return i + (float(0.5 * (left - right) / bend) if bend < 0 else 0.0)


def _line_bias(nose: Step, depths: list[float], metres_per_pixel: float) -> float:
    """How far outward of the nose its step is seen, where the nose is the edge of a thin dark line, metres.

    Blur moves the two edges of a thin line apart: its steepest place lies a blur's width from its middle, however thin
    the line is. `depths` are the distances from there to the darkest place.
    """
    if nose.sign > 0 or not depths:
        return 0.0
    depth = max(0.0, float(np.median(depths)))
    blur = _BLUR_PX * metres_per_pixel
    return max(0.0, depth - float(np.sqrt(max(depth**2 - blur**2, _THIN_M**2))))
