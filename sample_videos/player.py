"""A player seen from above: a cue, a bridge hand, arms, a head and a trunk made of tapered limbs in space.

Good enough to hide balls, to move and to have the colours and sizes of people; not a likeness of anybody.
"""

from dataclasses import dataclass
from math import cos, sin

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from sample_videos.looks import Colour, encode, from_srgb

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLook:
    """Colours and build of a player, linear BGR."""

    shirt: Colour
    sleeve: Colour
    skin: Colour
    glove: Colour | None
    hair: Colour
    cue: Colour
    butt: Colour
    side: float
    """1 when the bridge arm is on the player's left, -1 right."""
    scale: float
    stride: float
    """How far the trunk stands behind the bridge hand, factor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pose:
    """Where a player is.

    Attributes:
        tip_m: (x, y, z) of the cue's tip.
        direction: Of the stroke, radians.
        bridge_m: (x, y) of the bridge hand's front.
        back_m: How far the whole player has stepped back from the aiming stance; the cue goes with him.
        draw_m: How far the cue is drawn back or (below 0) through.
        cue: False for a person who only reaches in with a hand; `bridge_m` is then where the hand is.
    """

    tip_m: tuple[float, float, float]
    direction: float
    bridge_m: tuple[float, float]
    back_m: float = 0.0
    draw_m: float = 0.0
    cue: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Limb:
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radii: tuple[float, float]
    colour: Colour
    folds: float = 0.0


def draw_player(rng: np.random.Generator) -> PlayerLook:
    """A player by chance."""
    shirt = from_srgb(*rng.uniform(10, 230, 3)) if rng.random() < 0.5 else from_srgb(*(rng.uniform(8, 70),) * 3)
    skin = np.array([(235, 190, 160), (205, 150, 115), (150, 100, 70), (95, 62, 45)][int(rng.integers(4))]) * rng.uniform(0.85, 1.05)
    wood = np.array([(225, 195, 140), (190, 150, 95), (60, 60, 64), (120, 85, 55)][int(rng.integers(4))])
    skin_colour = from_srgb(*skin)
    grey = float(rng.uniform(8, 40))
    return PlayerLook(
        shirt=shirt,
        sleeve=skin_colour if rng.random() < 0.55 else (shirt if rng.random() < 0.6 else from_srgb(15, 15, 18)),
        skin=skin_colour,
        glove=from_srgb(18, 18, 20) if rng.random() < 0.3 else None,
        hair=from_srgb(*((40, 28, 20), (18, 15, 14), (120, 85, 45), (150, 150, 150), (200, 165, 140))[int(rng.integers(5))]),
        cue=from_srgb(*wood),
        butt=from_srgb(grey, grey * rng.uniform(0.5, 1), grey),
        side=float(rng.choice([-1.0, 1.0], p=[0.15, 0.85])),
        scale=float(rng.uniform(0.92, 1.08)),
        stride=float(rng.uniform(0.9, 1.15)),
    )


def limbs(look: PlayerLook, pose: Pose) -> list[_Limb]:
    """The limbs of a pose, lowest first."""
    back = np.array([-cos(pose.direction), -sin(pose.direction), 0.0])
    left = np.array([-sin(pose.direction), cos(pose.direction), 0.0]) * look.side
    origin = np.array([*pose.bridge_m, 0.0]) + back * pose.back_m
    k, s = look.scale, look.stride

    def at(behind: float, aside: float, up: float) -> tuple[float, float, float]:
        place = origin + back * behind * k + left * aside * k
        return (float(place[0]), float(place[1]), up)

    hand = look.glove or look.skin
    rise = 0.07
    tip = np.array(pose.tip_m) + back * (pose.back_m + pose.draw_m)
    slope = back + np.array([0.0, 0.0, rise])
    cue_at = [tip + slope * d for d in (0.0, 0.012, 0.74, 1.46)]
    grip = tip + slope * 1.18
    shoulder, other = at(0.62 * s, 0.17, 0.36), at(0.74 * s, -0.18, 0.40)
    elbow, high = at(0.36 * s, 0.13, 0.12), at(1.0 * s, -0.27, 0.52)
    g = (float(grip[0]), float(grip[1]), float(grip[2]))

    def cue(a: int, b: int, r: tuple[float, float], colour: Colour) -> _Limb:
        return _Limb(start=_triple(cue_at[a]), end=_triple(cue_at[b]), radii=r, colour=colour)

    parts = [
        _Limb(start=at(1.15 * s, 0.0, 0.20), end=at(1.6 * s, 0.05, -0.3), radii=(0.16, 0.12), colour=from_srgb(14, 14, 18)),
        _Limb(start=at(0.70 * s, 0.0, 0.30), end=at(1.2 * s, -0.03, 0.22), radii=(0.19, 0.16), colour=look.shirt, folds=0.12),
        _Limb(start=g, end=high, radii=(0.035, 0.048), colour=look.sleeve),
        cue(2, 3, (0.010, 0.0155), look.butt),
        cue(1, 2, (0.0062, 0.010), look.cue),
        cue(0, 1, (0.0055, 0.0062), from_srgb(60, 110, 160)),
        _Limb(start=g, end=g, radii=(0.045, 0.045), colour=look.skin),
    ]
    if not pose.cue:
        parts = parts[:2]
    for aside, behind in ((0.07, -0.075), (0.045, -0.095), (0.0, -0.085), (-0.045, -0.02)):
        front = at(behind, aside, 0.012)
        parts.append(_Limb(start=at(0.0, 0.5 * aside, 0.03), end=front, radii=(0.012, 0.008), colour=hand))
    parts += [
        _Limb(start=at(0.0, 0.012, 0.04), end=at(0.06, 0.03, 0.05), radii=(0.038, 0.033), colour=hand),
        _Limb(start=at(0.07, 0.03, 0.05), end=elbow, radii=(0.028, 0.044), colour=look.sleeve, folds=0.05),
        _Limb(start=elbow, end=shoulder, radii=(0.05, 0.075), colour=look.shirt, folds=0.1),
        _Limb(start=shoulder, end=other, radii=(0.09, 0.10), colour=look.shirt, folds=0.12),
        _Limb(start=high, end=other, radii=(0.055, 0.085), colour=look.shirt, folds=0.1),
        _Limb(start=at(0.56 * s, 0.0, 0.50), end=at(0.60 * s, -0.01, 0.54), radii=(0.085, 0.095), colour=look.hair, folds=0.06),
    ]
    return parts


def _triple(point: FloatArray) -> tuple[float, float, float]:
    return (float(point[0]), float(point[1]), float(point[2]))


def paint_player(image: Float32, camera: CameraModel, look: PlayerLook, pose: Pose, gain: Float32) -> Float32:
    """Paint a player over a picture (H, W, 3) of display values, in place; gives the covered share, shape (H, W)."""
    cover = np.zeros(image.shape[:2], np.float32)
    parts = limbs(look, pose)
    _shade_cloth(image, camera, parts)
    for part in parts:
        _paint_limb(image, cover, camera, part, gain)
    return cover


def _outline(camera: CameraModel, part: _Limb) -> tuple[FloatArray, FloatArray]:
    ends = np.array([part.start, part.end])
    pixels = camera.to_pixels(ends[:, :2], height_m=ends[:, 2])
    beside = camera.to_pixels(ends[:, :2] + (0.01, 0.0), height_m=ends[:, 2])
    per_m = np.linalg.norm(beside - pixels, axis=1) / 0.01
    return pixels, per_m * np.array(part.radii)


def _field(shape: tuple[int, int], pixels: FloatArray, radii: FloatArray, grow: float) -> tuple[slice, slice, Float32, Float32] | None:
    """Rows, columns, distance from the axis over the radius, radius, of a tapered limb."""
    margin = radii.max() * (1 + grow) + 2
    low = np.maximum(np.floor(pixels.min(axis=0) - margin).astype(int), 0)
    high = np.minimum(np.ceil(pixels.max(axis=0) + margin).astype(int) + 1, (shape[1], shape[0]))
    if not np.isfinite(pixels).all() or (high - low).min() < 1:
        return None
    x = np.arange(low[0], high[0], dtype=np.float32)[None, :] - np.float32(pixels[0, 0])
    y = np.arange(low[1], high[1], dtype=np.float32)[:, None] - np.float32(pixels[0, 1])
    axis = (pixels[1] - pixels[0]).astype(np.float32)
    length2 = float(axis @ axis)
    t = np.clip((x * axis[0] + y * axis[1]) / max(length2, 1e-6), 0, 1)
    radius = np.float32(radii[0]) + t * np.float32(radii[1] - radii[0])
    distance = np.hypot(x - t * axis[0], y - t * axis[1])
    return slice(low[1], high[1]), slice(low[0], high[0]), distance, radius


def _paint_limb(image: Float32, cover: Float32, camera: CameraModel, part: _Limb, gain: Float32) -> None:
    pixels, radii = _outline(camera, part)
    field = _field(cover.shape, pixels, radii, 0.0)
    if field is None:
        return
    rows, columns, distance, radius = field
    alpha = np.clip(radius - distance + 0.5, 0, 1)
    round_light = 0.35 + 0.65 * np.sqrt(np.clip(1 - (distance / radius) ** 2, 0, 1))
    if part.folds:
        grid_y, grid_x = np.ogrid[rows, columns]
        wave = np.sin(grid_x * 0.09 + 2.5 * np.sin(grid_y * 0.05)) * np.sin(grid_y * 0.11 + 2 * np.sin(grid_x * 0.03))
        round_light = round_light * (1 + part.folds * 2 * wave.astype(np.float32))
    light = round_light[..., None] * (np.array(part.colour, np.float32) * gain)
    target = image[rows, columns]
    target += alpha[..., None] * (encode(light.astype(np.float32)) - target)
    cover[rows, columns] = np.maximum(cover[rows, columns], alpha)


def _shade_cloth(image: Float32, camera: CameraModel, parts: list[_Limb]) -> None:
    """A soft shadow under the limbs that lie low over the table, at a quarter of the size."""
    height, width = image.shape[:2]
    small = np.zeros((height // 4 + 1, width // 4 + 1), np.float32)
    for part in parts:
        if part.start[2] < 0 or part.end[2] < 0:
            continue
        flat = _Limb(start=(*part.start[:2], 0.0), end=(*part.end[:2], 0.0), radii=part.radii, colour=part.colour)
        pixels, radii = _outline(camera, flat)
        field = _field(small.shape, pixels / 4, radii / 4, 1.0)
        if field is None:
            continue
        rows, columns, distance, radius = field
        near = float(np.clip(0.03 / (0.03 + min(part.start[2], part.end[2])), 0.1, 0.6))
        shade = near * np.clip(1.6 - distance / np.maximum(radius, 1.0), 0, 1)
        small[rows, columns] = np.maximum(small[rows, columns], shade)
    small = cv2.GaussianBlur(small, (0, 0), 1.5)
    if small.max() > 0.01:
        down, across = np.nonzero(small.max(axis=1) > 0.01)[0], np.nonzero(small.max(axis=0) > 0.01)[0]
        y0, y1, x0, x1 = int(down[0]), int(down[-1]) + 1, int(across[0]), int(across[-1]) + 1
        top, bottom, left, right = 4 * y0, min(height, 4 * y1), 4 * x0, min(width, 4 * x1)
        full = cv2.resize(small[y0:y1, x0:x1], (right - left, bottom - top))
        image[top:bottom, left:right] *= 1 - 0.7 * full[..., None]
