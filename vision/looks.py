"""What a ball's disc looks like: how much of it is white, coloured, dark, and which colour.

Theory: the disc's pixels out to 0.85 R are divided by the white of this room (the brightest near-neutral part of any
ball in the picture, else what the camera calls white) and by the local light (the cloth's field), then sorted. White
is bright and hardly saturated: stripe balls' white, the number's disc, highlights. Dark is dark. The rest is the
ball's own colour; its middle is taken in CIE Lab, where distances are about as large as they look.

Fails: coloured light so strong that no ball looks neutral; a disc smeared over a stripe mixes white and colour
(moving balls are therefore read with less confidence by whoever uses this).
"""

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.forms import ANGLES
from vision.outline import OutlineFitter, masked_median

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

READ_RADII = 0.85
"""Pixels further out mix with the cloth by blur and by the chroma's coarser grid."""
_RINGS = (0.0, 0.2, 0.38, 0.55, 0.7, READ_RADII)
_RIM = 0.6
"""Outer ring from here on, radii: two thirds of a stripe's white lie there, a number's disc mostly does not."""
_WHITE_SATURATION = 0.32
"""White pixels stay below, saturation 0 to 1 after the white balance; a yellow stripe has 0.7, ivory 0.2."""
_WHITE_VALUE = 0.62
"""White pixels are at least so bright against the room's white; a shadowed side of a white ball has 0.65."""
_DARK_VALUE = 0.26
"""Darker pixels are black: green and blue balls in the shade keep a channel above 0.3."""
_NEUTRAL, _WARM = 0.40, 0.5
"""Largest saturation of what may be taken for the room's white, before the balance, and where nothing is so neutral: lamps of
2700 K seen by a camera set for daylight give 0.45, a tan or pink ball has as much under a neutral one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """One ball's appearance.

    Attributes:
        white: Part of the disc that is white, 0 to 1.
        rim_white: White part of the outer ring alone: the number's disc of a solid ball covers little of it.
        dark: Part that is black.
        coloured: The rest.
        lab: Middle colour of the coloured part, CIE L a b (L 0 to 100); of everything where nothing is coloured.
    """

    white: float
    rim_white: float
    dark: float
    coloured: float
    lab: tuple[float, float, float]


def sample_discs(image: Image, centres_m: FloatArray, fitter: OutlineFitter) -> Image:
    """Pixels of each ball's disc, ring by ring, shape (N, samples, 3), BGR."""
    if len(centres_m) == 0:
        return np.empty((0, ANGLES * (len(_RINGS) - 1), 3), dtype=np.uint8)
    outline = fitter.silhouette(centres_m)
    return sample_outlines(image, outline, outline.mean(axis=1))


def sample_outlines(image: Image, outlines_px: FloatArray, centres_px: FloatArray) -> Image:
    """The same for discs whose outlines are known, shape (N, angles, 2) about (N, 2)."""
    if len(outlines_px) == 0:
        return np.empty((0, outlines_px.shape[1] * (len(_RINGS) - 1), 3), dtype=np.uint8)
    middle = centres_px[:, None]
    points = np.concatenate([middle + ring * (outlines_px - middle) for ring in _RINGS[1:]], axis=1).astype(np.float32)
    return np.asarray(cv2.remap(image, points[..., 0], points[..., 1], cv2.INTER_LINEAR), dtype=np.uint8)


def room_white(discs: Image, light: FloatArray) -> NDArray[np.float32]:
    """BGR that white looks like in a picture, each 0 to about 1, told from all its balls; arguments as for `judge_looks`."""
    return _room_white(_lit(discs, light)) if len(discs) else np.ones(3, dtype=np.float32)


def judge_looks(discs: Image, light: FloatArray, white_bgr: NDArray[np.float32] | None = None) -> list[Looks]:
    """Appearance of the balls of one picture together, because they share its white.

    Args:
        discs: From `sample_discs`.
        light: Shape (N,), brightness of the cloth around each ball over its usual brightness.
        white_bgr: The room's, from `room_white` on all balls of a picture shortly before, where these are only some; None to
            tell it from these.
    """
    if len(discs) == 0:
        return []
    angles = discs.shape[1] // (len(_RINGS) - 1)
    weights = np.repeat([(b + a) * (b - a) for a, b in pairwise(_RINGS)], angles)
    pixels = _lit(discs, light)
    pixels = np.clip(pixels / (_room_white(pixels) if white_bgr is None else white_bgr), np.float32(0.0), np.float32(1.2))
    blue, green, red = np.ascontiguousarray(pixels.transpose(2, 0, 1))
    value, low = np.maximum(np.maximum(blue, green), red), np.minimum(np.minimum(blue, green), red)
    saturation = 1 - low / np.maximum(value, 1e-6)
    white = (saturation < _WHITE_SATURATION) & (value > _WHITE_VALUE)
    dark = value < _DARK_VALUE
    coloured = ~white & ~dark
    rim = weights * np.repeat(np.array(_RINGS[1:]) > _RIM, angles)
    shares = np.stack([white @ weights, dark @ weights, coloured @ weights], axis=1) / weights.sum()
    rim_white = white @ rim / rim.sum()
    lab = np.asarray(cv2.cvtColor(np.minimum(pixels, np.float32(1.0)), cv2.COLOR_BGR2LAB), dtype=np.float32)
    own = coloured | ~coloured.any(axis=1, keepdims=True)
    middles = masked_median(lab.transpose(0, 2, 1), own[:, None, :])
    return [
        Looks(white=parts[0], rim_white=rim_part, dark=parts[1], coloured=parts[2], lab=(middle[0], middle[1], middle[2]))
        for parts, rim_part, middle in zip(shares.tolist(), rim_white.tolist(), middles.tolist(), strict=True)
    ]


def _lit(discs: Image, light: FloatArray) -> NDArray[np.float32]:
    """Pixels over the light that falls on them, 0 to about 1."""
    scale = (255.0 * np.clip(light, 0.5, 1.6)).astype(np.float32)
    return np.asarray(discs / scale[:, None, None], dtype=np.float32)


def _room_white(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """BGR that white looks like here, each 0 to about 1: from the brightest near-neutral pixels of all balls."""
    flat = pixels.reshape(-1, 3)
    blue, green, red = np.ascontiguousarray(flat.T)
    value = np.maximum(np.maximum(blue, green), red)
    low = np.minimum(np.minimum(blue, green), red)
    brightest = _quantile(value, 0.98)
    for saturation in (_NEUTRAL, _WARM):
        neutral = low > (1 - saturation) * np.maximum(value, 1e-6)
        if neutral.sum() >= 0.02 * len(flat):
            break
    else:
        return np.full(3, max(brightest, 0.3), dtype=np.float32)
    bright = flat[neutral & (value >= _quantile(value[neutral], 0.6))]
    white = np.median(bright, axis=0)
    # Black balls' numbers alone are not white enough to scale by.
    return np.asarray(np.maximum(white, 0.5 * brightest), dtype=np.float32)


def _quantile(values: NDArray[np.float32], share: float) -> float:
    """The value with this share of all below it; a tenth of `np.quantile`'s time, no value between two is made up."""
    place = round(share * (len(values) - 1))
    return float(np.partition(values, place)[place])
