"""Paint of the balls as maps of the sphere: longitude to the right, latitude downwards, linear BGR.

The number's disc sits on the equator, where the map is not stretched, twice, on opposite sides; a stripe runs along it.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from sample_videos.ball_sets import BallLook, Colour, from_srgb

WIDTH, HEIGHT = 192, 96
"""Size of one map; at 192 a texel is about one pixel for a ball of 60 pixels, twice a usual one."""

_PAPER = from_srgb(246, 243, 232)
_STRIPE_HALF = 0.62
"""Half width of a stripe, radians of latitude (makers: 0.55 to 0.65)."""
_DOT_RADIUS = 0.17


def make_skins(look: BallLook) -> list[NDArray[np.float32]]:
    """A ball's map, shape (HEIGHT, WIDTH, 3) float32, and the same at half and a quarter of the size."""
    skins = [_skin(look)]
    for _ in range(2):
        height, width = skins[-1].shape[:2]
        skins.append(np.asarray(cv2.resize(skins[-1], (width // 2, height // 2), interpolation=cv2.INTER_AREA), np.float32))
    return skins


def _directions() -> NDArray[np.float64]:
    longitude = (np.arange(WIDTH) + 0.5) / WIDTH * 2 * np.pi - np.pi
    latitude = np.pi / 2 - (np.arange(HEIGHT) + 0.5) / HEIGHT * np.pi
    lon, lat = np.meshgrid(longitude, latitude)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)


_DIRECTIONS = _directions()


def _skin(look: BallLook) -> NDArray[np.float32]:
    paper = np.array(_PAPER, dtype=np.float64)
    skin = np.empty((HEIGHT, WIDTH, 3))
    if look.stripe:
        latitude = np.arcsin(_DIRECTIONS[..., 2])
        band = _edge(_STRIPE_HALF - np.abs(latitude))
        skin[:] = paper + band * (np.array(look.colour) - paper)
    else:
        skin[:] = np.array(look.colour)
    if look.number is not None:
        for side in (1.0, -1.0):
            _number(skin, look, look.number, side)
    if look.dots is not None:
        for axis in range(3):
            for sign in (1.0, -1.0):
                _disc(skin, np.eye(3)[axis] * sign, _DOT_RADIUS, look.dots)
    if look.scuffs > 0:
        _scuff(skin, look)
    return skin.astype(np.float32)


def _edge(inside: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coverage from a signed angular distance, one texel soft."""
    return np.clip(inside * WIDTH / (2 * np.pi) + 0.5, 0, 1)[..., None]


def _disc(skin: NDArray[np.float64], centre: NDArray[np.float64], radius: float, colour: Colour) -> None:
    angle = np.arccos(np.clip(_DIRECTIONS @ centre, -1, 1))
    skin += _edge(radius - angle) * (np.array(colour) - skin)


def _number(skin: NDArray[np.float64], look: BallLook, number: int, side: float) -> None:
    radius = look.disc
    if look.paper:
        _disc(skin, np.array([side, 0.0, 0.0]), radius, _PAPER)
    size = 128
    stamp = np.zeros((size, size), np.uint8)
    text, font = str(number), look.font
    scale = (2.6 if number < 10 else 1.9) * (1.0 if look.paper else 1.25)
    (width, height), _ = cv2.getTextSize(text, font, scale, 8)
    cv2.putText(stamp, text, ((size - width) // 2, (size + height) // 2), font, scale, 255, 8, cv2.LINE_AA)
    # Orthographic stamp: y of the sphere to the right as seen from outside, z up.
    reach = 1.15 * np.sin(radius)
    map_x = (side * _DIRECTIONS[..., 1] / reach * 0.5 + 0.5) * size
    map_y = (0.5 - _DIRECTIONS[..., 2] / reach * 0.5) * size
    soft = cv2.GaussianBlur(stamp, (0, 0), 2.0)
    ink = cv2.remap(soft, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_LINEAR, borderValue=0)
    front = (_DIRECTIONS[..., 0] * side > 0)[..., None]
    skin += front * (ink[..., None] / 255.0) * (np.array(look.ink) - skin)


def _scuff(skin: NDArray[np.float64], look: BallLook) -> None:
    """What play leaves on a ball: yellowed patches, marks of chalk, fine scratches."""
    rng = np.random.default_rng(look.seed)
    cloud = cv2.resize(rng.standard_normal((5, 9)).astype(np.float32), (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)
    skin *= 1 - 0.10 * look.scuffs * np.clip(cloud, -1, 2)[..., None] * np.array([1.6, 1.0, 0.6])
    for _ in range(int(rng.poisson(9 * look.scuffs))):
        centre = rng.standard_normal(3)
        chalk = from_srgb(120, 150, 190) if rng.random() < 0.6 else from_srgb(90, 80, 70)
        angle = np.arccos(np.clip(_DIRECTIONS @ (centre / np.linalg.norm(centre)), -1, 1))
        mark = np.clip((rng.uniform(0.04, 0.16) - angle) * WIDTH / (2 * np.pi) / 3 + 0.5, 0, 1)[..., None]
        skin += mark * rng.uniform(0.1, 0.45) * look.scuffs * (np.array(chalk) - skin)
    for _ in range(int(rng.poisson(14 * look.scuffs))):
        normal = rng.standard_normal(3)
        ring = np.abs(_DIRECTIONS @ (normal / np.linalg.norm(normal)) - rng.uniform(-0.8, 0.8))
        where = np.clip(1 - ring * WIDTH / (2 * np.pi) / 0.8, 0, 1) * (cloud * rng.normal() > 0.5)
        skin *= 1 - (0.25 * look.scuffs * where)[..., None]
    np.clip(skin, 0.0, 1.0, out=skin)
