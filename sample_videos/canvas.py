"""Outlines filled into a map of materials, and single outlines laid over a picture, both as the camera sees them."""

from enum import IntEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Window = tuple[slice, slice]

FINE = 3
"""Samples a pixel side in the map of materials; at 1 edges are stairs, beyond 4 nothing is gained."""
_SHIFT = 4


class Material(IntEnum):
    """What is seen at a sample of the map."""

    FLOOR = 0
    RAIL = 1
    IRON = 2
    LINER = 3
    HOLE = 4
    CUP = 5
    BED = 6
    CUSHION = 7
    DIAMOND = 8
    CHALK = 9


class Canvas:
    """A map of materials, `fine` samples a pixel side."""

    def __init__(self, camera: CameraModel, fine: int) -> None:
        self.camera, self.fine = camera, fine
        width, height = camera.image_size_px
        self.labels: Bytes = np.zeros((height * fine, width * fine), np.uint8)

    def fill(self, points_m: FloatArray, height_m: float | FloatArray, material: Material, only: Material | None = None) -> None:
        """Fill an outline (N, 2), metres, at one height or (N,) heights; `only` where another material is."""
        heights = np.broadcast_to(np.asarray(height_m, float), (len(points_m),))
        pixels = self.camera.to_pixels(points_m, height_m=heights)
        if only is None:
            fill(self.labels, pixels, int(material), self.fine)
            return
        mask = np.zeros_like(self.labels)
        fill(mask, pixels, 1, self.fine)
        self.labels[(mask > 0) & (self.labels == int(only))] = int(material)

    def weight(self, *materials: Material) -> Float32:
        """Share of each pixel that shows one of the materials, shape (H, W)."""
        chosen = np.zeros_like(self.labels)
        for material in materials:
            mark = np.array([int(material)])
            chosen = np.asarray(cv2.bitwise_or(chosen, cv2.inRange(self.labels, mark, mark)), np.uint8)
        small = cv2.resize(chosen, self.camera.image_size_px, interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.float32) / np.float32(255)


def fill(target: Bytes, pixels: FloatArray, value: int, fine: int) -> None:
    """Fill a polygon given in picture pixels on a canvas `fine` times as large.

    OpenCV also paints every sample that the outline touches, half a sample too much all round; the outline is drawn in
    by that much first, else each nose would lie 0.2 to 0.3 pixels inside its true place.
    """
    scaled = (pixels + 0.5) * fine - 0.5
    if not np.isfinite(scaled).all():
        return
    along = np.roll(scaled, -1, axis=0) - np.roll(scaled, 1, axis=0)
    x, y = scaled[:, 0], scaled[:, 1]
    turning = np.sign(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) or 1.0
    inward = turning * np.column_stack([-along[:, 1], along[:, 0]]) / np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    scaled = scaled + 0.5 * inward
    cv2.fillPoly(target, [np.round(scaled * 2**_SHIFT).astype(np.int32)], value, cv2.LINE_8, _SHIFT)


def cover(camera: CameraModel, outline_m: FloatArray, height_m: float) -> tuple[Window, Float32] | None:
    """Window of the picture round an outline (N, 2), and the share of its pixels inside; None where it is out of sight."""
    pixels = camera.to_pixels(outline_m, height_m=height_m)
    if not np.isfinite(pixels).all():
        return None
    size = np.array(camera.image_size_px)
    low = np.clip(np.floor(pixels.min(axis=0)).astype(int) - 2, 0, size)
    high = np.clip(np.ceil(pixels.max(axis=0)).astype(int) + 3, 0, size)
    if (high - low).min() < 1:
        return None
    times = 4 if (high - low).max() < 400 else 2
    mask = np.zeros((times * (high[1] - low[1]), times * (high[0] - low[0])), np.uint8)
    fill(mask, pixels - low, 255, times)
    small = cv2.resize(mask, (int(high[0] - low[0]), int(high[1] - low[1])), interpolation=cv2.INTER_AREA)
    return (slice(low[1], high[1]), slice(low[0], high[0])), np.asarray(small, np.float32) / np.float32(255)


def noise(rng: np.random.Generator, shape: tuple[int, int], cells: tuple[int, int]) -> Float32:
    """Smooth noise of deviation about 1 whose lumps are as large as `cells` (rows, columns), pixels."""
    coarse = rng.standard_normal((max(2, shape[0] // cells[0]), max(2, shape[1] // cells[1]))).astype(np.float32)
    return np.asarray(cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC), np.float32)
