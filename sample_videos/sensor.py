"""From light to the camera's picture: lens blur, sharpening with its halos, noise, 8 bits."""

import cv2
import numpy as np
from numpy.typing import NDArray

from sample_videos.looks import Sensor

Bytes = NDArray[np.uint8]


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

    def expose(self, image: NDArray[np.float32]) -> Bytes:
        """The camera's picture of display values (H, W, 3)."""
        picture = cv2.convertScaleAbs(np.maximum(image, 0))
        if self.sensor.blur_px > 0.2:
            picture = cv2.GaussianBlur(picture, (0, 0), self.sensor.blur_px)
        if self.sensor.sharpen > 0:
            soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
            picture = cv2.addWeighted(picture, 1 + self.sensor.sharpen, soft, -self.sensor.sharpen, 0)
        width, height = self.size_px
        x, y = (int(v) for v in self._rng.integers(0, self._pad, 2))
        window = (slice(y, y + height), slice(x, x + width))
        return np.asarray(cv2.subtract(cv2.add(picture, self._plus[window]), self._minus[window]), np.uint8)
