"""Training crops from rendered shards: turned, scaled, recoloured, spoilt, with hands and lights added, and their targets.

The renderer's people have one build and its rings of light none, so both are drawn over here as well, roughly but in
every colour: what the network must learn is that only a whole sphere of the right size on cloth is a ball.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.layers import STRIDE

Floats = NDArray[np.float32]
Array = NDArray[np.float64]
Image = NDArray[np.uint8]

CROP = 160
"""Side of a crop, pixels: 32 ball radii, an arm is seen as an arm."""
_CELLS = CROP // STRIDE
SHARD_RADIUS_PX, RADIUS_PX = 6.0, 5.0
"""Ball radius in the shards and as the network sees it."""
_SCALES = (0.84, 1.19)
"""Errors of a ball's size by a wrong table and by parallax reach a tenth."""
_LEAST_VISIBLE = 0.35
"""Balls less visible are neither wanted nor forbidden, nor are those smeared by more than `_MOST_SMEARED` radii to either side of
their middle: 8 m/s during a 50th of a second."""
_MOST_SMEARED = 3.0
_CENTRE_CELLS = 0.7
"""Spread of a centre's target: its neighbours, 0.8 R off, are then forbidden for a third only."""


@dataclass(frozen=True, slots=True)
class Crop:
    """One example: picture (3, CROP, CROP), then maps of `_CELLS` squared: centre and its weight (1, ...), offset (2, ...),
    class (...) with -1 for none, whether offsets count (...), body and graphics (2, ...)."""

    picture: Floats
    centre: Floats
    weight: Floats
    offset: Floats
    kind: NDArray[np.int64]
    here: Floats
    cover: Floats


class Pictures:
    """Endless crops from a folder of shards."""

    def __init__(self, folder: Path, rng: np.random.Generator) -> None:
        self._folder, self._rng = folder, rng
        self._known: dict[str, tuple[Image, Image, Floats]] = {}
        self.refresh()

    def __len__(self) -> int:
        return len(self._known)

    def refresh(self) -> None:
        """Take in shards made since."""
        for path in sorted(self._folder.glob("*.npz")):
            if path.name not in self._known and ".part" not in path.name:
                data = np.load(path)
                self._known[path.name] = (data["images"], data["covered"], data["balls"])
        self._tables = list(self._known.values())

    def crop(self) -> Crop:
        """One example by chance."""
        rng = self._rng
        images, covers, balls = self._tables[rng.integers(len(self._tables))]
        index = int(rng.integers(len(images)))
        mine = balls[balls[:, 0] == index].astype(np.float64)
        matrix = _placing(rng, images.shape[1:3], mine)
        size = (CROP, CROP)
        outside = tuple(float(v) for v in rng.uniform(0, 255, 3) * (rng.random() < 0.5))
        picture = np.asarray(cv2.warpAffine(images[index], matrix, size, flags=cv2.INTER_LINEAR, borderValue=outside), np.uint8)
        cover = np.asarray(cv2.warpAffine(covers[index], matrix, size, flags=cv2.INTER_NEAREST), np.uint8)
        places = mine[:, 1:3] @ matrix[:, :2].T + matrix[:, 2]
        smear = np.linalg.norm(mine[:, 5:7] @ matrix[:, :2].T, axis=1) / RADIUS_PX
        blank = np.zeros(size, np.uint8)
        if rng.random() < 0.3:
            blank = draw_hand(rng, picture)
        if rng.random() < 0.2:
            draw_lights(rng, picture)
        cover[blank > 0] = 1
        visible = np.where([_touched(blank, place) for place in places], 0.0, mine[:, 4]) if len(mine) else mine[:, 4]
        spoilt, true_hue = recolour(rng, spoil(rng, picture))
        wanted = (visible >= _LEAST_VISIBLE) & (smear <= _MOST_SMEARED)
        return targets(spoilt, places, mine[:, 3] if true_hue else np.full(len(mine), -1.0), wanted, mine[:, 7] > 0, cover)


def _placing(rng: np.random.Generator, shape: tuple[int, ...], balls: Array) -> NDArray[np.float64]:
    """Shard pixels to crop pixels: a place, a turn, a mirror, a scale."""
    height, width = shape
    middle = np.array([rng.uniform(0.1, 0.9) * width, rng.uniform(0.1, 0.9) * height])
    if len(balls) and rng.random() < 0.7:
        middle = np.asarray(balls[rng.integers(len(balls)), 1:3] + rng.uniform(-0.35, 0.35, 2) * CROP, dtype=np.float64)
    angle = rng.integers(4) * np.pi / 2 + rng.normal(0, 0.15)
    scale = RADIUS_PX / SHARD_RADIUS_PX * np.exp(rng.uniform(*np.log(_SCALES)))
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    if rng.random() < 0.5:
        turn[:, 0] *= -1
    return np.column_stack([turn, np.full(2, (CROP - 1) / 2) - turn @ middle])


def _touched(blank: Image, place: Array) -> bool:
    """True where something was drawn over a ball."""
    x, y = (round(float(v)) for v in place)
    reach = round(RADIUS_PX)
    return bool(blank[max(y - reach, 0) : max(y + reach + 1, 0), max(x - reach, 0) : max(x + reach + 1, 0)].any())


def draw_hand(rng: np.random.Generator, picture: Image) -> Image:
    """A hand with sleeve, badge, watch or cue somewhere, in place; where it was drawn."""
    mask = np.zeros(picture.shape[:2], np.uint8)
    skin = np.array([110, 140, 190]) * rng.uniform(0.25, 1.3) * np.exp(rng.normal(0, 0.15, 3))
    cloth = rng.uniform(0, 255, 3) if rng.random() < 0.6 else np.full(3, rng.choice([10.0, 40.0, 235.0]))
    palm = rng.uniform(0.1, 0.9, 2) * CROP
    ahead = rng.uniform(0, 2 * np.pi)
    layer = picture.copy()

    def stroke(start: Array, end: Array, width: float, colour: Array) -> None:
        for target, value in ((layer, tuple(float(v) for v in np.clip(colour, 0, 255))), (mask, (1.0,))):
            ends = [tuple(round(float(v)) for v in point) for point in (start, end)]
            cv2.line(target, ends[0], ends[1], value, max(1, round(width)), cv2.LINE_AA if target is layer else cv2.LINE_8)

    back = palm - rng.uniform(30, 200) * np.array([np.cos(ahead), np.sin(ahead)])
    wide = rng.uniform(10, 26)
    stroke(back, palm, wide, cloth)
    stroke(back + (palm - back) * rng.uniform(0.2, 0.9), palm, wide * rng.uniform(0.5, 0.9), skin)
    stroke(palm, palm + rng.normal(0, 3, 2), rng.uniform(9, 18), skin)
    for finger in np.linspace(-0.8, 0.8, int(rng.integers(0, 6))):
        angle = ahead + finger + rng.normal(0, 0.15)
        tip = palm + rng.uniform(8, 20) * np.array([np.cos(angle), np.sin(angle)])
        gloved = rng.random() < 0.2
        stroke(palm, tip, rng.uniform(2.5, 5), cloth if gloved else skin * rng.uniform(0.75, 1.15))
    for _ in range(int(rng.integers(0, 3))):  # Round things on sleeves.
        spot = back + (palm - back) * rng.uniform(0, 1)
        stroke(spot, spot, 2 * RADIUS_PX * rng.uniform(0.4, 1.3), rng.uniform(0, 255, 3))
    for _ in range(int(rng.integers(0, 3))):  # Patches, and bars of letters.
        spot = back + (palm - back) * rng.uniform(0, 1) + rng.normal(0, wide / 4, 2)
        sides = 2 * RADIUS_PX * rng.uniform(0.4, 1.5, 2)
        box = cv2.boxPoints((tuple(spot.tolist()), tuple(sides.tolist()), float(rng.uniform(0, 90))))
        colour = tuple(float(v) for v in rng.uniform(0, 255, 3))
        for target, value in ((layer, colour), (mask, (1.0,))):
            cv2.fillConvexPoly(target, np.rint(np.asarray(box)).astype(np.int32), value)
    if rng.random() < 0.5:
        angle = ahead + rng.normal(0, 0.3)
        stroke(
            palm - 200 * np.array([np.cos(angle), np.sin(angle)]),
            palm + rng.uniform(5, 90) * np.array([np.cos(angle), np.sin(angle)]),
            2.5,
            skin,
        )
    shade = cv2.resize(rng.uniform(0.6, 1.2, (8, 8)).astype(np.float32), (CROP, CROP), interpolation=cv2.INTER_CUBIC)
    picture[mask > 0] = np.clip(layer * shade[..., None], 0, 255).astype(np.uint8)[mask > 0]
    return mask


def draw_lights(rng: np.random.Generator, picture: Image) -> None:
    """Projected rings and spots of light, in place: they add light and are no balls."""
    light = np.zeros(picture.shape, np.float32)
    for _ in range(int(rng.integers(1, 5))):
        at = tuple(int(v) for v in rng.uniform(0, CROP, 2))
        colour = tuple(float(v) for v in rng.uniform(0, 120, 3))
        cv2.circle(light, at, int(RADIUS_PX * rng.uniform(0.6, 4)), colour, int(rng.choice([-1, 1, 2, 3])), cv2.LINE_AA)
    picture[:] = np.clip(picture + cv2.GaussianBlur(light, (0, 0), rng.uniform(0.3, 1.5)), 0, 255).astype(np.uint8)


def spoil(rng: np.random.Generator, picture: Image) -> Image:
    """Blur, a detour through a smaller picture, compression."""
    kind = rng.random()
    if kind < 0.25:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.4, 1.3)), np.uint8)
    elif kind < 0.4:
        side = int(CROP * rng.uniform(0.45, 0.9))
        small = cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA)
        picture = np.asarray(cv2.resize(small, (CROP, CROP), interpolation=cv2.INTER_LINEAR), np.uint8)
    elif kind < 0.5:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.0)
        picture = np.asarray(cv2.addWeighted(picture, 2.0, soft, -1.0, 0.0), np.uint8)
    if rng.random() < 0.3:
        _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(25, 90))])
        picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return picture


def recolour(rng: np.random.Generator, picture: Image) -> tuple[Floats, bool]:
    """Another lamp, exposure, sensor, 0..1, and whether balls keep their colours (else only places are learnt)."""
    true_hue = rng.random() > 0.3
    if not true_hue:
        hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
        hsv[..., 0] = (hsv[..., 0].astype(np.int32) + int(rng.integers(180))) % 180
        picture = np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), np.uint8)
    values = picture.astype(np.float32) / 255
    gains = np.exp(rng.normal(0, 0.08, 3)) * np.exp(rng.normal(0, 0.25))
    values = np.clip(values * gains.astype(np.float32), 0, 1) ** np.float32(np.exp(rng.normal(0, 0.2)))
    if rng.random() < 0.3:
        grey = values.mean(axis=2, keepdims=True)
        values = grey + (values - grey) * np.float32(rng.uniform(0.5, 1.3))
    if rng.random() < 0.2:
        start, end = rng.uniform(0.5, 1.2, 2)
        ramp = np.linspace(start, end, CROP, dtype=np.float32)
        values = values * (ramp[:, None, None] if rng.random() < 0.5 else ramp[None, :, None])
    if rng.random() < 0.4:
        values = values + np.float32(rng.uniform(0.005, 0.035)) * rng.standard_normal(values.shape, dtype=np.float32)
    return np.asarray(np.clip(values, 0, 1), dtype=np.float32), bool(true_hue)


def targets(picture: Floats, places: Array, kinds: Array, wanted: NDArray[np.bool_], on_bed: NDArray[np.bool_], cover: Image) -> Crop:
    """A crop's maps: balls not wanted but on the bed are neither asked for nor forbidden, balls in pockets forbidden."""
    centre, weight = np.zeros((1, _CELLS, _CELLS), np.float32), np.ones((1, _CELLS, _CELLS), np.float32)
    offset, here = np.zeros((2, _CELLS, _CELLS), np.float32), np.zeros((_CELLS, _CELLS), np.float32)
    kind = np.full((_CELLS, _CELLS), -1, np.int64)
    rows, columns = np.mgrid[:_CELLS, :_CELLS]
    for (x, y), what, want, on in zip((places + 0.5) / STRIDE - 0.5, kinds, wanted, on_bed, strict=True):
        if not on or not (-3 < x < _CELLS + 2 and -3 < y < _CELLS + 2):
            continue
        near = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * _CENTRE_CELLS**2))
        if not want:
            weight[0][near > 0.02] = 0.0
            continue
        centre[0] = np.maximum(centre[0], near)
        column, row = round(float(x)), round(float(y))
        if 0 <= row < _CELLS and 0 <= column < _CELLS:
            centre[0, row, column] = 1.0
        around = (np.abs(columns - column) <= 1) & (np.abs(rows - row) <= 1) & (near > 0.3)
        offset[0][around], offset[1][around] = (x - columns)[around], (y - rows)[around]
        here[around], kind[around] = 1.0, int(what)
    weight[centre == 1] = 1.0
    parts = [(cover == value).reshape(_CELLS, STRIDE, _CELLS, STRIDE).mean((1, 3)) for value in (1, 2)]
    return Crop(np.ascontiguousarray(picture.transpose(2, 0, 1)), centre, weight, offset, kind, here, np.stack(parts).astype(np.float32))
