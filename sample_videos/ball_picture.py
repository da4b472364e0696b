"""Pictures of balls and of their shadows for one camera and look.

A ball is a sphere cut by the ray of each sample (rays.py); its outline is where rays just miss it, softened over one
sample along the steepest way. Light is ball_light.py's. A ball that moves during the exposure is one sphere in the light
of the middle of its way, its paint turned and moved through the moments given, averaged in linear light as a sensor does.
A shadow on the cloth is, for each lamp, a disc softened by the lamp's size, plus the light of the room that the sphere
takes from the cloth round its point of contact (form factor (R/d)^3 of a sphere above a plane).

Fails: a streak longer than a metre has one light and one size all along.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.equipment import BallId
from sample_videos.ball_light import Neighbour, light
from sample_videos.ball_skin import make_skins
from sample_videos.looks import GAMMA, Look, encode, lamp_falloff, vignette
from sample_videos.rays import LocalRays, directions, local_rays

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]

_LARGE_PX = 11.0
"""Radius above which a shadow is drawn at every fourth pixel."""
_FAINT = 0.985
"""A shadow that leaves more of the display value is left out."""
_GRID_M = 0.05
"""Over this way a shadow changes its shape by less than can be seen while it moves."""
_TURNS = 8
"""Most turns of the paint that one streak shows; beyond that it is smeared past telling."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patch:
    """A piece of picture.

    Attributes:
        left: Column of its first pixel.
        top: Row of its first pixel.
        colour: Shape (h, w, 3), times coverage; display values 0..255, or light where `linear`.
        alpha: Coverage, shape (h, w).
        low: Coverage by what is lower than the cushions' noses, which cushions and rails can hide; shape (h, w).
        linear: Whether `colour` is linear light 0..1.
    """

    left: int
    top: int
    colour: Float32
    alpha: Float32
    low: Float32
    linear: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sphere:
    """A sphere cut by rays: where, how covered, and its surface at each sample."""

    left: int
    top: int
    alpha: Float32
    normal: tuple[Float32, Float32, Float32]
    ray: tuple[Float32, Float32, Float32]
    texels_px: float


class BallPainter:
    """Paints balls of one set in one light through one camera."""

    def __init__(self, camera: CameraModel, look: Look, radius_m: float, *, nose_height_m: float | None = None) -> None:
        self.camera, self.look, self.radius_m = camera, look, radius_m
        self._nose_m = 1.27 * radius_m if nose_height_m is None else nose_height_m
        self._skins: dict[BallId, list[Float32]] = {}
        self._passing: dict[tuple[int, ...], tuple[int, int, Float32]] = {}
        self._eye = camera.position_m
        self._gain = (np.array(look.sensor.gain) * look.exposure_gain).astype(np.float32)

    def rays(self, centres_m: FloatArray) -> list[LocalRays]:
        """Rays round centres (N, 3); for many at once, which takes hardly longer than for one."""
        return local_rays(self.camera, centres_m)

    def _skin(self, ball: BallId) -> list[Float32]:
        if ball not in self._skins:
            self._skins[ball] = make_skins(self.look.balls[ball])
        return self._skins[ball]

    def mean_colour(self, ball: BallId) -> tuple[float, float, float]:
        """Colour of a ball from afar, linear BGR."""
        blue, green, red = self._skin(ball)[-1].mean(axis=(0, 1))
        return float(blue), float(green), float(red)

    def paint(
        self,
        ball: BallId,
        centre_m: FloatArray,
        rotation: FloatArray,
        *,
        rays: LocalRays | None = None,
        fine: int = 2,
        neighbours: Sequence[Neighbour] = (),
        inside: bool = True,
    ) -> Patch:
        """A ball at rest.

        Args:
            ball: Which.
            centre_m: Shape (3,).
            rotation: Shape (3, 3), ball to table.
            rays: Of its centre, where known.
            fine: Samples a pixel side.
            neighbours: Balls that shade it and mirror in it.
            inside: Whether it is within the table's outline: one far below the cloth is then in the dark of a pocket.
        """
        sphere = self._cut(centre_m, rays or self.rays(centre_m[None])[0], fine)
        paint, over = self._light(ball, centre_m, sphere, neighbours, inside=inside)
        colour = encode(self._albedo(ball, rotation, sphere) * paint + over) * sphere.alpha[..., None]
        low = np.asarray(np.where(centre_m[2] + self.radius_m * sphere.normal[2] < self._nose_m, sphere.alpha, 0), np.float32)
        if fine == 1:
            return Patch(left=sphere.left, top=sphere.top, colour=colour, alpha=sphere.alpha, low=low)
        size = (sphere.alpha.shape[1] // fine, sphere.alpha.shape[0] // fine)
        small = [np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.float32) for part in (colour, sphere.alpha, low)]
        return Patch(left=sphere.left, top=sphere.top, colour=small[0], alpha=small[1], low=small[2])

    def streak(
        self, ball: BallId, centres_m: FloatArray, rotations: FloatArray, *, rays: LocalRays | None = None, inside: bool = True
    ) -> Patch:
        """A ball that moves through centres (K, 3), turned by rotations (K, 3, 3), equally long at each.

        `rays` are those of `middle_of(centres_m)`, where known.
        """
        count = len(centres_m)
        middle = middle_of(centres_m)
        rays = rays or self.rays(middle[None])[0]
        sphere = self._cut(middle, rays, 1)
        paint, over = self._light(ball, middle, sphere, (), inside=inside)
        pixels = self.camera.to_pixels(centres_m[:, :2], height_m=centres_m[:, 2])
        away = pixels - rays.pixel
        before, after = np.floor(away.min(axis=0)).astype(int), np.ceil(away.max(axis=0)).astype(int)
        height, width = sphere.alpha.shape
        size = (int(width + after[0] - before[0]), int(height + after[1] - before[1]))
        low = np.asarray(np.where(middle[2] + self.radius_m * sphere.normal[2] < self._nose_m, sphere.alpha, 0), np.float32)
        total, total_low = np.zeros((size[1], size[0], 4), np.float32), np.zeros((size[1], size[0]), np.float32)
        groups = np.array_split(np.arange(count), min(count, _TURNS))
        for group in groups:
            colour = (self._albedo(ball, rotations[group[len(group) // 2]], sphere) * paint + over) * sphere.alpha[..., None]
            layer = np.dstack([np.minimum(colour, 4 * sphere.alpha[..., None]), sphere.alpha])
            for k in group:
                shift = np.array([[1, 0, away[k, 0] - before[0]], [0, 1, away[k, 1] - before[1]]])
                total += cv2.warpAffine(layer, shift, size, flags=cv2.INTER_LINEAR)
                total_low += cv2.warpAffine(low, shift, size, flags=cv2.INTER_LINEAR)
        total /= count
        return Patch(
            left=sphere.left + int(before[0]),
            top=sphere.top + int(before[1]),
            colour=np.ascontiguousarray(total[..., :3]),
            alpha=np.ascontiguousarray(total[..., 3]),
            low=np.asarray(total_low / count, np.float32),
            linear=True,
        )

    def _cut(self, centre_m: FloatArray, rays: LocalRays, fine: int) -> _Sphere:
        near, _ = rays.m_per_px
        half = int(np.ceil(1.04 * self.radius_m * rays.slant / near)) + 2
        left, top = round(float(rays.pixel[0])) - half, round(float(rays.pixel[1])) - half
        offsets = (np.arange((2 * half + 1) * fine) + 0.5) / fine - 0.5
        u = (left - rays.pixel[0] + offsets)[None, :].astype(np.float32)
        v = (top - rays.pixel[1] + offsets)[:, None].astype(np.float32)
        ray = directions(self.camera, rays, u, v)
        to_eye = ((self._eye - centre_m) / self.radius_m).astype(np.float32)
        along = -(ray[0] * to_eye[0] + ray[1] * to_eye[1] + ray[2] * to_eye[2])
        closest = [to_eye[k] + along * ray[k] for k in range(3)]
        miss = np.sqrt(closest[0] ** 2 + closest[1] ** 2 + closest[2] ** 2)
        down, across = np.gradient(miss)
        alpha = np.clip((1 - miss) / np.maximum(np.sqrt(down * down + across * across), 1e-4) + 0.5, 0, 1)
        inside = np.minimum(miss, 0.998)
        scale, deep = inside / np.maximum(miss, 1e-6), np.sqrt(1 - inside * inside)
        normal = tuple(closest[k] * scale - deep * ray[k] for k in range(3))
        return _Sphere(
            left=left, top=top, alpha=alpha, normal=(normal[0], normal[1], normal[2]), ray=ray, texels_px=near / fine / self.radius_m
        )

    def _albedo(self, ball: BallId, rotation: FloatArray, sphere: _Sphere) -> Float32:
        r, (x, y, z) = rotation.astype(np.float32), sphere.normal
        local = [r[0, k] * x + r[1, k] * y + r[2, k] * z for k in range(3)]
        # The map whose texels are about as large as the samples.
        skins, level = self._skin(ball), 0
        while level + 1 < len(skins) and sphere.texels_px > 1.4 * 2 * np.pi / skins[level].shape[1]:
            level += 1
        skin = skins[level]
        height, width = skin.shape[:2]
        longitude = np.asarray(cv2.phase(local[0], local[1]), np.float32)  # 0 to 2 pi
        map_x = np.mod(longitude * np.float32(width / (2 * np.pi)) + np.float32(width / 2), width) - np.float32(0.5)
        latitude = np.arcsin(np.clip(local[2], -1, 1))
        map_y = np.float32(height / 2 - 0.5) - latitude * np.float32(height / np.pi)
        return np.asarray(cv2.remap(skin, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.float32)

    def _light(
        self, ball: BallId, centre_m: FloatArray, sphere: _Sphere, neighbours: Sequence[Neighbour], *, inside: bool
    ) -> tuple[Float32, Float32]:
        polish = self.look.balls[ball].polish
        paint, over = light(self.look, centre_m, self.radius_m, sphere.normal, sphere.ray, polish, neighbours)
        middle = np.array([[sphere.left + sphere.alpha.shape[1] / 2, sphere.top + sphere.alpha.shape[0] / 2]])
        dim = float(vignette(middle, self.camera.image_size_px, self.look.sensor.vignette)[0])
        if inside:
            dim *= float(np.clip(1.0 + (centre_m[2] - self.radius_m) / 0.07, 0.06, 1.0))
        return paint * (self._gain * np.float32(dim)), over * (self._gain * np.float32(dim))

    def passing_shadow(self, centre_m: FloatArray) -> tuple[int, int, Float32]:
        """`shadow` of a ball in motion: that of the nearest place on a grid, moved to its own."""
        cell = tuple(int(v) for v in np.round(centre_m / _GRID_M))
        if cell not in self._passing:
            place = np.array([cell[0] * _GRID_M, cell[1] * _GRID_M, max(cell[2] * _GRID_M, self.radius_m)])
            foot = self.camera.to_pixels([place[:2]])[0]
            left, top, factor = self.shadow(place)
            self._passing[cell] = (left - round(float(foot[0])), top - round(float(foot[1])), factor)
        left, top, factor = self._passing[cell]
        foot = self.camera.to_pixels([centre_m[:2]])[0]
        return left + round(float(foot[0])), top + round(float(foot[1])), factor

    def shadow(self, centre_m: FloatArray) -> tuple[int, int, Float32]:
        """Left, top and the factor on display values (h, w), 0 to 1, that a ball at (3,) puts on the cloth round it."""
        radius, look = self.radius_m, self.look
        foot = np.array([[centre_m[0], centre_m[1], 0.0]])
        pixels = self.camera.to_pixels(np.concatenate([foot[:, :2], foot[:, :2] + (0.01, 0.0), foot[:, :2] + (0.0, 0.01)]))
        to_px = np.column_stack([pixels[1] - pixels[0], pixels[2] - pixels[0]]) / 0.01
        to_m = np.linalg.inv(to_px)
        shifts = [_cast(centre_m, lamp.centre_m) for lamp in look.lamps]
        reach = 2.6 * radius + max((float(np.hypot(*s)) for s, _ in shifts), default=0.0)
        # A shadow is soft: every second pixel is enough, every fourth for a large ball.
        px_m = float(np.linalg.norm(to_px, 2))
        step = 4 if px_m * radius > _LARGE_PX else 2
        half = int(min(reach, 6 * radius) * px_m / step) + 1
        left, top = round(float(pixels[0, 0])) - step * half, round(float(pixels[0, 1])) - step * half
        axis = np.arange(2 * half + 1, dtype=np.float32) * step + np.float32((step - 1) / 2)
        u, v = (axis + np.float32(left - pixels[0, 0]))[None, :], (axis + np.float32(top - pixels[0, 1]))[:, None]
        x, y = (np.float32(to_m[k, 0]) * u + np.float32(to_m[k, 1]) * v for k in range(2))
        height = max(float(centre_m[2]), 0.5 * radius)
        dark = look.ambient * 0.9 * radius**2 * height / (x * x + y * y + np.float32(height**2)) ** 1.5
        total = look.ambient
        for lamp, (shift, stretch) in zip(look.lamps, shifts, strict=True):
            toward = np.array(lamp.centre_m) - centre_m
            share = (1 - look.ambient) * lamp.share * float(lamp_falloff(lamp.centre_m, foot[:, :2])[0])
            slant = float(np.hypot(*toward[:2])) / max(toward[2], 0.2)
            soft = max(0.15 * radius, 2 * stretch * max(lamp.half_m))
            away = _ellipse_distance(x - np.float32(shift[0]), y - np.float32(shift[1]), toward[:2], slant)
            cover = np.clip((radius - away) / soft + 0.5, 0, 1)
            # A lamp that looks larger than the ball from the cloth is never wholly hidden.
            full = min(1.0, radius / max(1e-6, stretch * max(lamp.half_m)))
            dark = dark + share * full * cover * cover * (3 - 2 * cover)
            total += share
        factor = np.power(np.clip(1 - dark / np.float32(total), 0.02, 1), 1 / GAMMA).astype(np.float32)
        rows, columns = np.nonzero((factor < _FAINT).any(axis=1))[0], np.nonzero((factor < _FAINT).any(axis=0))[0]
        if len(rows) == 0:
            return left, top, np.ones((1, 1), np.float32)
        part = factor[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        size = (step * part.shape[1], step * part.shape[0])
        return left + step * int(columns[0]), top + step * int(rows[0]), np.asarray(cv2.resize(part, size), np.float32)


def middle_of(centres_m: FloatArray) -> FloatArray:
    """The middle of a way through centres (K, 3)."""
    count = len(centres_m)
    return centres_m[count // 2] if count % 2 else np.asarray((centres_m[count // 2 - 1] + centres_m[count // 2]) / 2)


def _cast(centre_m: FloatArray, lamp_m: tuple[float, float, float]) -> tuple[FloatArray, float]:
    """Where the middle of a lamp's shadow lies from the point below the ball, and height over the lamp's height above it."""
    toward = np.array(lamp_m) - centre_m
    stretch = float(centre_m[2]) / max(float(toward[2]), 0.2)
    return -toward[:2] * stretch, stretch


def _ellipse_distance(x: Float32, y: Float32, axis: FloatArray, slant: float) -> Float32:
    """Distance from the middle of a shadow stretched along `axis` by a lamp that stands low."""
    length = float(np.hypot(*axis))
    if length < 1e-6:
        return np.asarray(np.hypot(x, y), np.float32)
    ax, ay = axis / length
    along = (x * ax + y * ay) / np.float32(np.sqrt(1 + slant * slant))
    across = -x * ay + y * ax
    return np.asarray(np.hypot(along, across), np.float32)
