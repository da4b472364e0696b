"""From light to the camera's picture: lens blur, sharpening with its halos, noise, 8 bits."""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from sample_videos.looks import Sensor

Bytes = NDArray[np.uint8]

MARGIN = 8
"""Pixels round a window that its own blur and sharpening reach into: 7 for the widest blur and the mask."""

_PAD = 64
"""Pixels by which the noise is larger than a picture: each picture takes another window of it."""


def _draw_noise(rng: np.random.Generator, size_px: tuple[int, int], noise: float) -> tuple[Bytes, Bytes]:
    grain = rng.standard_normal((size_px[1], size_px[0], 3), dtype=np.float32)
    # Cameras and encoders leave noise that hangs together over two pixels.
    grain = cv2.GaussianBlur(grain, (0, 0), 0.6) * np.float32(1.8 * noise)
    return np.clip(np.round(grain), 0, 255).astype(np.uint8), np.clip(np.round(-grain), 0, 255).astype(np.uint8)


def _focus(picture: Bytes, blur_px: float, sharpen: float) -> Bytes:
    if blur_px > 0.2:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur_px), np.uint8)
    if sharpen > 0:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.2)
        picture = np.asarray(cv2.addWeighted(picture, 1 + sharpen, soft, -sharpen, 0), np.uint8)
    return picture


class Exposer:
    """Turns display values into pictures with the faults of one sensor; noise differs from picture to picture."""

    def __init__(self, sensor: Sensor, size_px: tuple[int, int], rng: np.random.Generator) -> None:
        self.sensor, self.size_px, self._rng = sensor, size_px, rng
        self._grain: tuple[Bytes, Bytes] | None = None

    def focus(self, image: NDArray[np.float32]) -> Bytes:
        """What the lens and the camera's sharpening make of display values (h, w, 3), without noise."""
        return self.focus_bytes(np.asarray(cv2.convertScaleAbs(np.maximum(image, 0)), np.uint8))

    def focus_bytes(self, picture: Bytes) -> Bytes:
        """The same of 8-bit display values."""
        return _focus(picture, self.sensor.blur_px, self.sensor.sharpen)

    def grain(self, picture: Bytes) -> Bytes:
        """A picture (h, w, 3), at most of the sensor's size, with the next draw of noise."""
        if self.sensor.noise <= 0:
            return picture
        plus, minus = self._grain = self._grain or self._draw_grain()
        height, width = picture.shape[:2]
        x, y = int(self._rng.integers(0, plus.shape[1] - width + 1)), int(self._rng.integers(0, plus.shape[0] - height + 1))
        window = (slice(y, y + height), slice(x, x + width))
        return np.asarray(cv2.subtract(cv2.add(picture, plus[window]), minus[window]), np.uint8)

    def _draw_grain(self) -> tuple[Bytes, Bytes]:
        """What noise adds and takes, over somewhat more than a picture."""
        return _draw_noise(self._rng, (self.size_px[0] + _PAD, self.size_px[1] + _PAD), self.sensor.noise)

    def expose(self, image: NDArray[np.float32]) -> Bytes:
        """The camera's picture of display values (H, W, 3)."""
        return self.grain(self.focus(image))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """What a lens, a sensor and a codec do to a picture, each drawn by chance.

    Attributes:
        blur_px: Of the lens.
        sharpen: Strength of the unsharp mask.
        noise: Standard deviation, grey levels.
        gain: Factors on display values of B, G, R.
        chroma_px: Blur of the colour alone, which codecs keep at half size.
        quality: Of JPEG, which leaves blocks like a video codec's, about; 0 for none.
    """

    blur_px: float
    sharpen: float
    noise: float
    gain: tuple[float, float, float]
    chroma_px: float
    quality: int

    @classmethod
    def draw(cls, rng: np.random.Generator) -> "Finish":
        """One by chance."""
        level, tint = rng.uniform(0.8, 1.15), rng.normal(1.0, 0.03, 3)
        return cls(
            blur_px=float(rng.uniform(0.0, 1.1)),
            sharpen=float(rng.choice([0.0, rng.uniform(0.2, 1.3)])),
            noise=float(rng.uniform(0.0, 5.0)),
            gain=(float(level * tint[0]), float(level * tint[1]), float(level * tint[2])),
            chroma_px=float(rng.choice([0.0, rng.uniform(0.6, 2.0)])),
            quality=0 if rng.random() < 0.35 else int(rng.integers(30, 95)),
        )

    def seen(self, piece: Bytes, rng: np.random.Generator) -> Bytes:
        """A picture (h, w, 3), no larger than the tile of noise (768 x 576), as the sensor gives it."""
        piece = _focus(piece, self.blur_px, self.sharpen)
        curve = np.clip(np.arange(256)[:, None] * np.array(self.gain), 0, 255).round().astype(np.uint8)[:, None]
        plus, minus = _noise_tiles(round(self.noise * 2) / 2)
        y, x = (int(rng.integers(0, plus.shape[k] - piece.shape[k] + 1)) for k in (0, 1))
        window = (slice(y, y + piece.shape[0]), slice(x, x + piece.shape[1]))
        picture = np.asarray(cv2.subtract(cv2.add(cv2.LUT(piece, curve), plus[window]), minus[window]), np.uint8)
        if self.chroma_px > 0:
            parts = cv2.cvtColor(picture, cv2.COLOR_BGR2YCrCb)
            parts[..., 1:] = cv2.GaussianBlur(parts[..., 1:], (0, 0), self.chroma_px)
            picture = np.asarray(cv2.cvtColor(parts, cv2.COLOR_YCrCb2BGR), np.uint8)
        return picture

    def encoded(self, picture: Bytes, rng: np.random.Generator) -> Bytes:
        """A window of it (h, w, 3) as the codec leaves it."""
        if not self.quality or rng.random() < 0.2:
            return picture
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(np.clip(self.quality + rng.normal(0, 8), 20, 97))])
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


@cache
def _noise_tiles(noise: float) -> tuple[Bytes, Bytes]:
    """What noise adds and takes, shape (576, 768, 3)."""
    return _draw_noise(np.random.default_rng(1), (768, 576), noise)
