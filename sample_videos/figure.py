"""Limbs painted as one figure: a map of heights over the picture, lit like a relief, with folds, hair and badges.

Each limb raises the map to its own surface; where limbs meet the map is softened, so that a sleeve runs into its shirt.
Slopes of the map give the light, materials the colour. The map is made at a fraction of the picture's size: about 240
samples a metre, which is what cloth and skin need; the cue, which needs more, is painted apart (cue.py).

Fails: limbs hide one another by height alone, as seen from straight above.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from sample_videos.ball_sets import Colour
from sample_videos.layers import Box
from sample_videos.looks import Look, encode, lamp_falloff
from sample_videos.posture import Limb

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]
Bytes = NDArray[np.uint8]

_SAMPLES_A_M = 240.0
_FADE = {"cloth": 0.07, "skin": 0.04, "hair": 0.15, "leather": 0.03}
"""How much the colour of a material varies."""
_NOWHERE = -9.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Figure:
    """A painted figure: display values times coverage and what shines through, both (h, w, 3) uint8, and where they lie."""

    box: Box
    colour: Bytes
    through: Bytes

    def lay(self, piece: Bytes, covered: Bytes, outer: Box) -> None:
        """Lay it over a piece of picture (h, w, 3) at `outer`, and mark what it hides with 1, both in place."""
        part = self.box.common(outer)
        if part.is_empty:
            return
        there, here = part.within(outer), part.within(self.box)
        window, through = piece[there], self.through[here]
        np.copyto(window, cv2.add(cv2.multiply(window, through, scale=1 / 255), self.colour[here]))
        covered[there][through[..., 0] < 128] = 1


def samples(camera: CameraModel) -> int:
    """Pixels a sample of the map of heights."""
    pixels = camera.to_pixels([(0.0, 0.0), (0.1, 0.0)])
    return max(1, int(np.linalg.norm(pixels[1] - pixels[0]) / 0.1 / _SAMPLES_A_M + 0.4))


def paint_figure(
    camera: CameraModel,
    room: Look,
    limbs: Sequence[Limb],
    gain: Float32,
    *,
    seed: int,
    badges: Sequence[Limb] = (),
    motion_px: FloatArray,
    only: Float32 | None = None,
) -> Figure | None:
    """A figure of limbs in the light of a room; None where nothing of it is in the picture.

    Args:
        camera: Which looks.
        room: Its light.
        limbs: At least one.
        gain: Of the sensor, for B, G, R.
        seed: Of folds and hair.
        badges: Flat pieces of one colour on the cloth, painted where cloth is on top.
        motion_px: (x, y) of its motion during the exposure, pixels.
        only: Share of each pixel of the whole picture that it can hide, shape (H, W); None for all.
    """
    step = samples(camera)
    parts = [*limbs, *badges]
    ends = np.array([(limb.start, limb.end) for limb in parts]).reshape(-1, 3)
    pixels = camera.to_pixels(ends[:, :2], height_m=ends[:, 2])
    per_m = np.linalg.norm(camera.to_pixels(ends[:, :2] + (0.01, 0.0), height_m=ends[:, 2]) - pixels, axis=1) / 0.01
    if not np.isfinite(pixels).all():
        return None
    radii = per_m.reshape(-1, 2) * np.array([limb.radii for limb in parts])
    box = _box(camera, pixels, radii, step, motion_px)
    if box.is_empty:
        return None
    shape = ((box.bottom - box.top) // step, (box.right - box.left) // step)
    axes = ((pixels - (box.left, box.top) + 0.5) / step - 0.5).reshape(-1, 2, 2)
    relief = _Relief(shape)
    for index, limb in enumerate(limbs):
        relief.raise_limb(index, limb, axes[index], radii[index] / step)
    cloth = [k for k, limb in enumerate(limbs) if limb.stuff == "cloth"]
    for index in range(len(limbs), len(parts)):
        relief.print_badge(axes[index], radii[index] / step, cloth)
    ink = badges[0].colour if badges else (0.0, 0.0, 0.0)
    colour = relief.lit(room, limbs, float(np.median(per_m)) / step, gain, seed, ink)
    alpha = relief.alpha
    colour *= alpha[..., None]
    if float(np.hypot(*motion_px)) > 1.5 * step:
        kernel = _line(motion_px / step)
        colour, alpha = (np.asarray(cv2.filter2D(part, -1, kernel, borderType=cv2.BORDER_CONSTANT), np.float32) for part in (colour, alpha))
    if step > 1:
        size = (box.right - box.left, box.bottom - box.top)
        colour, alpha = (np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_LINEAR), np.float32) for part in (colour, alpha))
    if only is not None:
        colour, alpha = colour * only[box.window][..., None], alpha * only[box.window]
    through = np.asarray(cv2.convertScaleAbs(255 - 255 * alpha), np.uint8)
    return Figure(box=box, colour=np.asarray(cv2.convertScaleAbs(colour), np.uint8), through=np.asarray(cv2.merge([through] * 3), np.uint8))


def _box(camera: CameraModel, pixels: FloatArray, radii: FloatArray, step: int, motion_px: FloatArray) -> Box:
    width, height = camera.image_size_px
    reach = radii.reshape(-1)[:, None] + 2 * step + np.abs(motion_px).max() / 2
    low, high = (pixels - reach).min(axis=0), (pixels + reach).max(axis=0)
    left, top = (max(0, int(v)) // step * step for v in low)
    right, bottom = (max(0, min(int(v), edge)) // step * step for v, edge in zip(high + step, (width, height), strict=True))
    return Box(left=left, top=top, right=right, bottom=bottom)


class _Relief:
    """The map of heights: what is on top of each sample, how high, how covered."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.height = np.full(shape, np.float32(_NOWHERE))
        self.which = np.zeros(shape, np.uint8)
        self.alpha = np.zeros(shape, np.float32)
        self.ink: Float32 | None = None

    def raise_limb(self, index: int, limb: Limb, axis: FloatArray, radii: FloatArray) -> None:
        found = _distance(self.alpha.shape, axis, radii)
        if found is None:
            return
        window, distance, radius, share = found
        cover = np.clip(radius - distance + 0.5, 0, 1)
        deep = np.sqrt(np.clip(1 - (distance / radius) ** 2, 0, 1))
        middle = np.float32(limb.start[2]) + share * np.float32(limb.end[2] - limb.start[2])
        thick = np.float32(limb.radii[0]) + share * np.float32(limb.radii[1] - limb.radii[0])
        height = np.where(cover > 0, middle + thick * deep, np.float32(_NOWHERE))
        better = height > self.height[window]
        np.copyto(self.height[window], height, where=better)
        self.which[window][better] = index
        np.maximum(self.alpha[window], cover, out=self.alpha[window])

    def print_badge(self, axis: FloatArray, radii: FloatArray, on: Sequence[int]) -> None:
        """Ink where one of the limbs `on` is on top."""
        along = axis[1] - axis[0]
        across = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-6) * radii[0]
        corners = np.array([axis[0] + across, axis[1] + across, axis[1] - across, axis[0] - across])
        low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
        high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 2, self.which.shape[::-1])
        if (high - low).min() < 1:
            return
        window = (slice(low[1], high[1]), slice(low[0], high[0]))
        mask = np.zeros_like(self.which[window])
        cv2.fillConvexPoly(mask, np.round((corners - low) * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
        mask[~np.isin(self.which[window], on) | (self.alpha[window] < 0.9)] = 0
        if self.ink is None:
            self.ink = np.zeros_like(self.alpha)
        np.maximum(self.ink[window], mask * np.float32(1 / 255), out=self.ink[window])

    def lit(self, room: Look, limbs: Sequence[Limb], samples_a_m: float, gain: Float32, seed: int, ink: Colour) -> Float32:
        """Display values, shape (h, w, 3)."""
        inside = (self.height > _NOWHERE).astype(np.float32)
        folds = np.array([limb.folds * max(limb.radii) for limb in limbs], np.float32)[self.which]
        height = np.where(inside > 0, self.height, 0) + folds * _folds(self.height.shape, seed)
        soft = cv2.GaussianBlur(height * inside, (0, 0), 1.6) / np.maximum(cv2.GaussianBlur(inside, (0, 0), 1.6), 1e-3)
        slope_x = cv2.Sobel(soft, cv2.CV_32F, 1, 0, ksize=3, scale=samples_a_m / 8)
        slope_y = cv2.Sobel(soft, cv2.CV_32F, 0, 1, ksize=3, scale=samples_a_m / 8)
        steep = 1 / np.sqrt(1 + slope_x**2 + slope_y**2)
        level = np.array([_level(room, limb) for limb in limbs], np.float32)[self.which]
        vary = np.array([_FADE[limb.stuff] for limb in limbs], np.float32)[self.which]
        tone = level * (0.25 + 0.75 * steep) * (1 + vary * _hair(self.height.shape, seed))
        colours = np.array([limb.colour for limb in limbs], np.float32) * gain
        # Blurred a little, so that the borders between materials are no stairs.
        paint = colours[self.which]
        if self.ink is not None:
            paint += self.ink[..., None] * (np.array(ink, np.float32) * gain - paint)
        shown = cv2.GaussianBlur(np.asarray(tone[..., None] * paint, np.float32), (0, 0), 0.6)
        return encode(np.asarray(shown, np.float32))


def _distance(shape: tuple[int, ...], axis: FloatArray, radii: FloatArray) -> tuple[tuple[slice, slice], Float32, Float32, Float32] | None:
    """Window, distance from the axis, radius and share of the way along it, of a tapered limb."""
    margin = radii.max() + 1.5
    low = np.maximum(np.floor(axis.min(axis=0) - margin).astype(int), 0)
    high = np.minimum(np.ceil(axis.max(axis=0) + margin).astype(int) + 1, (shape[1], shape[0]))
    if (high - low).min() < 1:
        return None
    x = np.arange(low[0], high[0], dtype=np.float32)[None, :] - np.float32(axis[0, 0])
    y = np.arange(low[1], high[1], dtype=np.float32)[:, None] - np.float32(axis[0, 1])
    way = (axis[1] - axis[0]).astype(np.float32)
    share = np.clip((x * way[0] + y * way[1]) / max(float(way @ way), 1e-6), 0, 1)
    radius = np.float32(radii[0]) + share * np.float32(radii[1] - radii[0])
    away_x, away_y = x - share * way[0], y - share * way[1]
    distance = np.sqrt(away_x * away_x + away_y * away_y)
    return (slice(low[1], high[1]), slice(low[0], high[0])), distance, np.maximum(radius, 0.3), share


def _level(room: Look, limb: Limb) -> float:
    """Light on a limb, 1 being what the cloth has in the middle."""
    place = (np.array(limb.start[:2]) + np.array(limb.end[:2]))[None] / 2
    lamps = sum(lamp.share * float(lamp_falloff(lamp.centre_m, place)[0]) for lamp in room.lamps)
    return room.ambient + (1 - room.ambient) * min(1.2, lamps)


def _tile(seed: int, cells: tuple[int, int]) -> Float32:
    rng = np.random.default_rng(seed)
    return np.asarray(cv2.resize(rng.standard_normal(cells).astype(np.float32), (320, 320), interpolation=cv2.INTER_CUBIC), np.float32)


def _spread(tile: Float32, shape: tuple[int, ...]) -> Float32:
    """The tile repeated over a shape."""
    times = (-(-shape[0] // tile.shape[0]), -(-shape[1] // tile.shape[1]))
    return np.asarray(np.tile(tile, times)[: shape[0], : shape[1]], np.float32)


def _folds(shape: tuple[int, ...], seed: int) -> Float32:
    return _spread(0.5 * _tile(seed, (22, 40)) + 0.35 * _tile(seed + 1, (9, 11)), shape)


def _hair(shape: tuple[int, ...], seed: int) -> Float32:
    return _spread(0.6 * _tile(seed + 2, (110, 64)) + 0.5 * _tile(seed + 3, (40, 48)), shape)


def _line(motion: FloatArray) -> Float32:
    """A blur along a line, shape odd by odd, sum 1."""
    half = int(np.ceil(np.abs(motion).max() / 2)) + 1
    kernel = np.zeros((2 * half + 1, 2 * half + 1), np.float32)
    ends = [tuple(int(v) for v in np.round((half + sign * motion / 2) * 16)) for sign in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA if kernel.dtype == np.uint8 else cv2.LINE_8, 4)
    return kernel / max(float(kernel.sum()), 1e-6)
