"""Graphics that a broadcast lays over the picture: score bar, strip of small balls, logo, clock. All names are made up."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from sample_videos.looks import BallLook, encode

Float32 = NDArray[np.float32]

_NAMES = ("Alder", "Birch", "Cedar", "Doyle", "Esser", "Frost", "Grant", "Haas", "Ivers", "Jonas", "Kern", "Lund")
_FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Graphics:
    """One rectangle of graphics: picture times coverage (h, w, 3), coverage (h, w, 1), both float32, at (left, top)."""

    left: int
    top: int
    layer: Float32
    alpha: Float32

    def lay(self, image: NDArray[np.uint8], covered: NDArray[np.uint8]) -> None:
        """Lay it over a finished picture (H, W, 3), and mark (H, W) with 2 where it hides more than half."""
        rows = slice(self.top, self.top + self.alpha.shape[0])
        columns = slice(self.left, self.left + self.alpha.shape[1])
        window = image[rows, columns]
        window[:] = window * (1 - self.alpha) + self.layer
        covered[rows, columns][self.alpha[..., 0] > 0.5] = 2


def split_graphics(graphics: tuple[Float32, Float32] | None) -> list[Graphics]:
    """A layer of graphics as `draw_graphics` gives it, cut into the rectangles in which there is something."""
    if graphics is None:
        return []
    layer, alpha = graphics
    solid = np.asarray(cv2.dilate((alpha > 0).astype(np.uint8), np.ones((9, 41), np.uint8)), np.uint8)
    count, _, boxes, _ = cv2.connectedComponentsWithStats(solid)
    result = []
    for x, y, w, h in boxes[1:count, :4].tolist():
        cover = alpha[y : y + h, x : x + w, None].copy()
        result.append(Graphics(left=x, top=y, layer=layer[y : y + h, x : x + w] * cover, alpha=cover))
    return result


def draw_graphics(rng: np.random.Generator, size_px: tuple[int, int], balls: dict[str, BallLook]) -> tuple[Float32, Float32]:
    """A layer of graphics by chance: picture (H, W, 3) of display values and coverage (H, W), 0 to 1."""
    width, height = size_px
    unit = width / 1920
    layer, cover = np.zeros((height, width, 3), np.uint8), np.zeros((height, width), np.uint8)
    if rng.random() < 0.8:
        _score_bar(rng, layer, cover, unit, balls)
    if rng.random() < 0.6:
        _logo(rng, layer, cover, unit)
    return layer.astype(np.float32), cover.astype(np.float32) / np.float32(255)


def _box(layer: NDArray[np.uint8], cover: NDArray[np.uint8], box: tuple[int, int, int, int], colour: list[int], alpha: int) -> None:
    cv2.rectangle(layer, box[:2], box[2:], colour, -1)
    cv2.rectangle(cover, box[:2], box[2:], alpha, -1)


def _text(rng: np.random.Generator, layer: NDArray[np.uint8], place: tuple[int, int], text: str, scale: float, colour: list[int]) -> None:
    cv2.putText(layer, text, place, _FONTS[int(rng.integers(2))], scale, colour, max(1, round(2 * scale)), cv2.LINE_AA)


def _score_bar(
    rng: np.random.Generator, layer: NDArray[np.uint8], cover: NDArray[np.uint8], unit: float, balls: dict[str, BallLook]
) -> None:
    height, width = cover.shape
    bar = int(rng.uniform(36, 60) * unit)
    left = int(width * rng.uniform(0.04, 0.25))
    bottom = rng.random() < 0.85
    top = int(height - bar - rng.uniform(40, 110) * unit) if bottom else int(rng.uniform(5, 30) * unit)
    colour = [int(c) for c in rng.uniform(0, 190, 3)]
    alpha = int(rng.uniform(200, 255))
    _box(layer, cover, (left, top, width - left, top + bar), colour, alpha)
    middle = int(0.09 * width)
    _box(layer, cover, (width // 2 - middle, top, width // 2 + middle, top + bar), [15, 15, 15], alpha)
    white = [245, 245, 245]
    names = rng.choice(len(_NAMES), 2, replace=False)
    scale, base = 0.022 * bar, top + int(0.72 * bar)
    _text(rng, layer, (left + int(0.12 * width), base), _NAMES[int(names[0])], scale, white)
    _text(rng, layer, (width // 2 + int(0.15 * width), base), _NAMES[int(names[1])], scale, white)
    _text(
        rng, layer, (width // 2 - middle + 8, base), f"{rng.integers(11)} Race {rng.integers(5, 15)} {rng.integers(11)}", 0.8 * scale, white
    )
    if bottom and rng.random() < 0.8:
        count = int(rng.integers(2, 10))
        radius = int(16 * unit)
        middle_y = min(height - radius - 4, top + bar + int(1.8 * radius))
        start = width // 2 - count * radius * 5 // 4
        _box(
            layer,
            cover,
            (start - radius, middle_y - radius - 4, start + count * radius * 5 // 2, middle_y + radius + 4),
            [250, 250, 250],
            255,
        )
        for k in range(count):
            name = str(9 - k) if str(9 - k) in balls else f"w{9 - k}"
            look = balls[name]
            shade = encode(np.array(look.colour, np.float32))
            centre = (start + int((k + 0.5) * 2.5 * radius), middle_y)
            cv2.circle(layer, centre, radius, [int(c) for c in shade], -1, cv2.LINE_AA)
            cv2.circle(layer, centre, int(0.55 * radius), [250, 250, 250], -1, cv2.LINE_AA)
            _text(rng, layer, (centre[0] - int(0.35 * radius), centre[1] + int(0.35 * radius)), str(9 - k), 0.5 * unit, [20, 20, 20])


def _logo(rng: np.random.Generator, layer: NDArray[np.uint8], cover: NDArray[np.uint8], unit: float) -> None:
    height, width = cover.shape
    w, h = int(rng.uniform(90, 220) * unit), int(rng.uniform(35, 70) * unit)
    x = int(rng.uniform(0.72, 0.85) * width) if rng.random() < 0.6 else int(rng.uniform(0.02, 0.08) * width)
    y = int(rng.uniform(0.03, 0.1) * height)
    stamp = np.zeros_like(cover)
    cv2.rectangle(stamp, (x, y), (x + h, y + h), 255, max(2, int(4 * unit)), cv2.LINE_AA)
    scale = 0.025 * h
    cv2.putText(stamp, "SPORT", (x + h + 6, y + int(0.8 * h)), _FONTS[1], scale, 255, max(1, round(2 * scale)), cv2.LINE_AA)
    layer[stamp > 0] = (235, 235, 235)
    np.maximum(cover, (stamp * rng.uniform(0.6, 1.0)).astype(np.uint8), out=cover)
    if rng.random() < 0.5:
        _box(layer, cover, (x, y + h + 6, x + w // 3, y + h + 6 + h // 3), [20, 130, 240], 255)
