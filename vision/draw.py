"""Drawing on pictures of a table: outline, rings round balls, trails, marks, a caption. Changes the picture given.

Everything is given in pixels of the picture that is drawn on; sizes follow from its height, so that a small and a
large picture look alike. OpenCV's built-in letters know ASCII only: other letters are brought down to it.
"""

import unicodedata
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from vision.palette import Rgb, ball_rgb, label

Image = NDArray[np.uint8]
FloatArray = NDArray[np.float64]

OUTLINE: Rgb = (255, 255, 255)
FIRST: Rgb = (255, 224, 64)
_INK: Rgb = (18, 20, 22)
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_SHIFT = 4
"""Fractional bits of coordinates: without them a resting ring jumps by a pixel with the noise of its place."""


def ascii_text(text: str) -> str:
    """The text in letters that OpenCV can draw; what has no such form becomes `?`.

    >>> ascii_text("Žižkov, 9 ★")
    'Zizkov, 9 ?'
    """
    letters = (letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return "".join(letters).encode("ascii", "replace").decode()


def draw_polyline(image: Image, points_px: FloatArray, colour: Rgb, *, width_px: int = 1, closed: bool = False) -> None:
    """A line through points, shape (N, 2), pixels; points that are not finite break nothing, they are left out."""
    points = points_px[np.isfinite(points_px).all(axis=1)]
    if len(points) > 1:
        cv2.polylines(image, [_fixed(points)], closed, _bgr(colour), width_px, cv2.LINE_AA, _SHIFT)


def draw_trail(image: Image, points_px: FloatArray, ball: BallId) -> None:
    """The path of a ball so far, shape (N, 2), pixels: its colour on a dark seam, so that it shows on any cloth."""
    width = max(1, round(image.shape[0] / 360))
    draw_polyline(image, points_px, _INK, width_px=width + 2)
    draw_polyline(image, points_px, ball_rgb(ball), width_px=width)


def draw_ball(image: Image, centre_px: tuple[float, float], radius_px: float, ball: BallId, *, seen: bool) -> None:
    """A ring in the ball's colour with its name beside it; thin and dark where the ball is carried on, not seen."""
    centre = _fixed(np.array([centre_px]))[0, 0]
    radius = round((radius_px + 2.0) * (1 << _SHIFT))
    at = (int(centre[0]), int(centre[1]))
    if seen:
        cv2.circle(image, at, radius, _bgr(_INK), 4, cv2.LINE_AA, _SHIFT)
        cv2.circle(image, at, radius, _bgr(ball_rgb(ball)), 2, cv2.LINE_AA, _SHIFT)
    else:
        cv2.circle(image, at, radius, _bgr(_INK), 1, cv2.LINE_AA, _SHIFT)
    name = label(ball)
    if name:
        corner = (centre_px[0] + 0.8 * radius_px + 2, centre_px[1] - 0.8 * radius_px - 2)
        draw_text(image, name, corner, OUTLINE, size=image.shape[0] / 1500)


def draw_ring(image: Image, centre_px: tuple[float, float], radius_px: float, colour: Rgb) -> None:
    """A bold ring, for the place of an event."""
    x, y = (round(value * (1 << _SHIFT)) for value in centre_px)
    radius = round(radius_px * (1 << _SHIFT))
    cv2.circle(image, (x, y), radius, _bgr(_INK), 5, cv2.LINE_AA, _SHIFT)
    cv2.circle(image, (x, y), radius, _bgr(colour), 2, cv2.LINE_AA, _SHIFT)


def draw_text(image: Image, text: str, corner_px: tuple[float, float], colour: Rgb, *, size: float) -> None:
    """Text with a dark seam, its lower left corner at the place given; `size` is OpenCV's font scale."""
    at = (round(corner_px[0]), round(corner_px[1]))
    cv2.putText(image, ascii_text(text), at, _FONT, size, _bgr(_INK), 3, cv2.LINE_AA)
    cv2.putText(image, ascii_text(text), at, _FONT, size, _bgr(colour), 1, cv2.LINE_AA)


def draw_caption(image: Image, lines: Sequence[tuple[str, Rgb]]) -> None:
    """Lines of text on a dark band at the bottom of the picture, the first line uppermost."""
    if not lines:
        return
    height, width = image.shape[:2]
    step = round(height / 18)
    top = height - step * len(lines) - step // 3
    band = image[top:]
    np.copyto(band, cv2.convertScaleAbs(band, alpha=0.28))
    for index, (text, colour) in enumerate(lines):
        plain, size = ascii_text(text), height / 760
        (long, _), _ = cv2.getTextSize(plain, _FONT, size, 1)
        size *= min(1.0, 0.96 * width / max(long, 1))
        at = (round(0.02 * width), top + step * (index + 1) - step // 5)
        cv2.putText(image, plain, at, _FONT, size, _bgr(colour), 1, cv2.LINE_AA)


def _fixed(points_px: FloatArray) -> NDArray[np.int32]:
    """Fixed-point coordinates as OpenCV wants them, shape (N, 1, 2); far outside is clipped, it is not seen anyway."""
    clipped = np.clip(points_px, -20000, 20000)
    return np.asarray(np.rint(clipped * (1 << _SHIFT)), dtype=np.int32).reshape(-1, 1, 2)


def _bgr(colour: Rgb) -> tuple[int, int, int]:
    return colour[2], colour[1], colour[0]
