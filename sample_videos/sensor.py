"""From light to the camera's picture: lens blur, sharpening with its halos, noise, 8 bits."""

import cv2
import numpy as np
from numpy.typing import NDArray

from sample_videos.looks import Sensor

Bytes = NDArray[np.uint8]

MARGIN = 8
"""Pixels round a window that its own blur and sharpening reach into: 7 for the widest blur and the mask."""


class Exposer:
    """Turns display values into pictures with the faults of one sensor; noise differs from picture to picture."""

    def __init__(self, sensor: Sensor, size_px: tuple[int, int], rng: np.random.Generator) -> None:
        self.sensor, self.size_px, self._rng = sensor, size_px, rng
        self._pad = 64
        shape = (size_px[1] + self._pad, size_px[0] + self._pad, 3)
        grain = rng.standard_normal(shape, dtype=np.float32)
        # Cameras and encoders leave noise that hangs together over two pixels.
        grain = cv2.GaussianBlur(grain, (0, 0), 0.6) * np.float32(1.8 * sensor.noise)
        self._plus = np.clip(np.round(grain), 0, 255).astype(np.uint8)
        self._minus = np.clip(np.round(-grain), 0, 255).astype(np.uint8)

    def focus(self, image: NDArray[np.float32]) -> Bytes:
        """What the lens and the camera's sharpening make of display values (h, w, 3), without noise."""
        return self.focus_bytes(np.asarray(cv2.convertScaleAbs(np.maximum(image, 0)), np.uint8))

    def focus_bytes(self, picture: Bytes) -> Bytes:
        """The same of 8-bit display values."""
        if self.sensor.blur_px > 0.2:
            picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), self.sensor.blur_px), np.uint8)
        if self.sensor.sharpen > 0:
            soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
            picture = np.asarray(cv2.addWeighted(picture, 1 + self.sensor.sharpen, soft, -self.sensor.sharpen, 0), np.uint8)
        return picture

    def grain(self, picture: Bytes) -> Bytes:
        """A picture (h, w, 3), at most of the sensor's size, with the next draw of noise."""
        height, width = picture.shape[:2]
        spare_x, spare_y = self._plus.shape[1] - width + 1, self._plus.shape[0] - height + 1
        x, y = int(self._rng.integers(0, spare_x)), int(self._rng.integers(0, spare_y))
        if self.sensor.noise <= 0:
            return picture
        window = (slice(y, y + height), slice(x, x + width))
        return np.asarray(cv2.subtract(cv2.add(picture, self._plus[window]), self._minus[window]), np.uint8)

    def expose(self, image: NDArray[np.float32]) -> Bytes:
        """The camera's picture of display values (H, W, 3)."""
        return self.grain(self.focus(image))
