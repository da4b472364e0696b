"""Pictures of balls and of their shadows for one camera and look.

A ball is a sphere cut by the pixel's ray. Its light: the lamps as points at their middles (diffuse), the room's light
from above, light thrown back by the cloth from below, mirror images of the lamps (their real outline) and of the cloth
by Schlick's Fresnel term. A shadow on the cloth is, for each lamp, a disc softened by the lamp's size, plus the light
of the room that the sphere takes from the cloth round its point of contact (form factor (R/d)^3 of a sphere above a plane).

Fails: balls throw no shadow on each other and mirror no neighbours; a lens bent so strongly that it is not linear over
one ball (about 30 pixels) shifts its outline by a few hundredths of a pixel.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.equipment import BallId
from sample_videos.ball_skin import HEIGHT, WIDTH, make_atlas
from sample_videos.looks import GAMMA, Look, encode, lamp_falloff, vignette

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patch:
    """A piece of picture: top left pixel, colour 0..255 shape (N, h, w, 3), coverage (N, h, w)."""

    left: NDArray[np.int64]
    top: NDArray[np.int64]
    colour: Float32
    alpha: Float32


class BallPainter:
    """Paints balls of one set in one light through one camera."""

    def __init__(self, camera: CameraModel, look: Look, radius_m: float) -> None:
        self.camera, self.look, self.radius_m = camera, look, radius_m
        self._atlas, self._index = make_atlas(look.balls)
        self._eye = camera.position_m
        gain = np.array(look.sensor.gain) * look.exposure_gain
        self._gain = gain.astype(np.float32)

    def pixel_frames(self, centres_m: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Pixels of points (N, 3) and d(ray direction)/d(pixel) there: (N, 2), (N, 3, 3) rows ray, d/du, d/dv."""
        pixels = self.camera.to_pixels(centres_m[:, :2], height_m=centres_m[:, 2])
        step = 4.0
        aside, down = np.array([step, 0.0]), np.array([0.0, step])
        grid = np.concatenate([pixels, pixels + aside, pixels - aside, pixels + down, pixels - down])
        plane = self.camera.to_table(grid, height_m=0.0)
        rays = np.column_stack([plane, np.zeros(len(plane))]) - self._eye
        rays /= -rays[:, 2:3]
        n = len(pixels)
        du = (rays[n : 2 * n] - rays[2 * n : 3 * n]) / (2 * step)
        dv = (rays[3 * n : 4 * n] - rays[4 * n :]) / (2 * step)
        return pixels, np.stack([rays[:n], du, dv], axis=1)

    def paint(self, balls: list[BallId], centres_m: FloatArray, rotations: FloatArray, *, fine: int = 1) -> Patch:
        """Pictures of balls at centres (N, 3) turned by rotations (N, 3, 3), ball to table, `fine` samples a pixel side."""
        pixels, frames = self.pixel_frames(centres_m)
        scale = np.linalg.norm(frames[:, 1], axis=1)  # change of ray per pixel at unit depth
        depth = self._eye[2] - centres_m[:, 2]
        half = int(np.ceil(1.06 * self.radius_m / (depth * scale).min())) + 2
        left = np.round(pixels[:, 0]).astype(np.int64) - half
        top = np.round(pixels[:, 1]).astype(np.int64) - half
        size = 2 * half + 1
        offsets = (np.arange(size * fine) + 0.5) / fine - 0.5
        u = (left - pixels[:, 0])[:, None] + offsets
        v = (top - pixels[:, 1])[:, None] + offsets
        n = len(balls)
        f = frames.astype(np.float32)
        rays = (
            f[:, None, None, 0]
            + u[:, None, :, None].astype(np.float32) * f[:, None, None, 1]
            + v[:, :, None, None].astype(np.float32) * f[:, None, None, 2]
        )
        rays /= np.sqrt(np.einsum("nhwc,nhwc->nhw", rays, rays))[..., None]
        to_eye = (self._eye - centres_m).astype(np.float32)
        along = -np.einsum("nhwc,nc->nhw", rays, to_eye)
        closest = to_eye[:, None, None] + along[..., None] * rays
        miss = np.sqrt(np.einsum("nhwc,nhwc->nhw", closest, closest)) / self.radius_m
        pixel = (scale * depth / self.radius_m).astype(np.float32)
        alpha = np.clip((1.0 - miss) / pixel[:, None, None] * fine + 0.5, 0, 1).astype(np.float32)
        inside = np.minimum(miss, 0.998)
        closest *= (inside / np.maximum(miss, 1e-6))[..., None] / self.radius_m
        normal = closest - np.sqrt(1 - inside * inside)[..., None] * rays
        light = self._light(balls, centres_m, rotations, normal, rays)
        dim = vignette(pixels, self.camera.image_size_px, self.look.sensor.vignette)
        colour = encode(light * self._gain * dim[:, None, None, None]) * alpha[..., None]
        if fine > 1:
            shape = (n, size, fine, size, fine)
            alpha = alpha.reshape(shape).mean(axis=(2, 4))
            colour = colour.reshape(*shape, 3).mean(axis=(2, 4))
        return Patch(left=left, top=top, colour=colour, alpha=alpha)

    def _light(self, balls: list[BallId], centres: FloatArray, rotations: FloatArray, normal: Float32, rays: Float32) -> Float32:
        look = self.look
        local = np.einsum("nhwc,ncd->nhwd", normal, rotations.astype(np.float32))
        map_x = (np.arctan2(local[..., 1], local[..., 0]) * (WIDTH / (2 * np.pi)) + WIDTH / 2 - 0.5).astype(np.float32)
        lat = np.arcsin(np.clip(local[..., 2], -1, 1))
        map_y = np.clip((0.5 - lat / np.pi) * HEIGHT - 0.5, 0, HEIGHT - 1)
        index = np.array([self._index[ball] for ball in balls], np.float32)
        map_y = (map_y + index[:, None, None] * HEIGHT).astype(np.float32)
        shape = map_x.shape
        flat = (shape[0] * shape[1], shape[2])
        albedo = cv2.remap(self._atlas, np.clip(map_x, 0, WIDTH - 1).reshape(flat), map_y.reshape(flat), cv2.INTER_LINEAR)
        albedo = albedo.reshape(*shape, 3)
        up = normal[..., 2]
        cloth = np.array(look.cloth, np.float32)
        sky = look.ambient * (0.5 + 0.5 * up)
        bounce = (0.45 * (0.5 - 0.5 * up))[..., None] * cloth
        direct = np.zeros(shape, np.float32)
        mirror = rays - 2 * np.einsum("nhwc,nhwc->nhw", rays, normal)[..., None] * normal
        glints = np.zeros(shape, np.float32)
        place = centres.astype(np.float32)
        for lamp in look.lamps:
            to_lamp = np.array(lamp.centre_m, np.float32) - place
            distance = np.linalg.norm(to_lamp, axis=1)
            toward = to_lamp / distance[:, None]
            strength = (1 - look.ambient) * lamp.share * lamp_falloff(lamp.centre_m, place[:, :2])
            # A broad lamp still lights what is a little beyond its terminator.
            wrap = min(0.45, max(lamp.half_m) / lamp.centre_m[2])
            cosine = (np.einsum("nhwc,nc->nhw", normal, toward) + wrap) / (1 + wrap)
            facing = strength / np.maximum(toward[:, 2], 0.15)
            direct += np.maximum(cosine, 0) * facing[:, None, None].astype(np.float32)
            reach = to_lamp[:, 2, None, None] / np.maximum(mirror[..., 2], 0.05)
            soft = 0.04 * lamp.centre_m[2]
            in_x = (lamp.half_m[0] - np.abs(mirror[..., 0] * reach - to_lamp[:, 0, None, None])) / soft + 0.5
            in_y = (lamp.half_m[1] - np.abs(mirror[..., 1] * reach - to_lamp[:, 1, None, None])) / soft + 0.5
            hit = np.clip(in_x, 0, 1) * np.clip(in_y, 0, 1) * (mirror[..., 2] > 0.05)
            glints += hit.astype(np.float32) * np.float32(lamp.share)
        grazing = 1 + np.einsum("nhwc,nhwc->nhw", rays, normal)
        fresnel = 0.04 + 0.96 * np.clip(grazing, 0, 1) ** 5
        surroundings = np.where(mirror[..., 2:3] < 0, 0.6 * cloth, np.float32(0.5 * look.ambient))
        glow = look.shine * glints + 0.0
        light = albedo * ((direct + sky)[..., None] + bounce)
        light += (0.7 * fresnel)[..., None] * surroundings + (fresnel * np.minimum(glow, 60))[..., None]
        depth_shade = np.clip(1.0 + (place[:, 2] - self.radius_m) / 0.07, 0.06, 1.0)
        shaded: Float32 = (light * depth_shade[:, None, None, None]).astype(np.float32)
        return shaded

    def shadow(self, centre_m: FloatArray) -> tuple[int, int, Float32]:
        """Left, top and the factor on display values (h, w), 0 to 1, that a ball at (3,) puts on the cloth round it."""
        radius, look = self.radius_m, self.look
        foot = np.array([[centre_m[0], centre_m[1], 0.0]])
        pixels, frames = self.pixel_frames(foot)
        px_m = float(self._eye[2] * np.linalg.norm(frames[0, 1]))
        half = int(2.9 * radius / px_m) + 1
        left, top = round(float(pixels[0, 0])) - half, round(float(pixels[0, 1])) - half
        axis = np.arange(2 * half + 1)
        u, v = axis + left - pixels[0, 0], axis + top - pixels[0, 1]
        eye_z = float(self._eye[2])
        x = (eye_z * (u[None, :] * frames[0, 1, 0] + v[:, None] * frames[0, 2, 0])).astype(np.float32)
        y = (eye_z * (u[None, :] * frames[0, 1, 1] + v[:, None] * frames[0, 2, 1])).astype(np.float32)
        distance2 = x * x + y * y + np.float32(centre_m[2] ** 2)
        taken = radius**2 * centre_m[2] / distance2**1.5
        dark = look.ambient * 0.9 * taken
        total = np.float32(look.ambient)
        for lamp in look.lamps:
            toward = np.array(lamp.centre_m) - centre_m
            share = (1 - look.ambient) * lamp.share * float(lamp_falloff(lamp.centre_m, foot[:, :2].astype(np.float32))[0])
            stretch = centre_m[2] / max(toward[2], 0.2)
            shift = -toward[:2] * stretch
            slant = float(np.hypot(*toward[:2])) / max(toward[2], 0.2)
            soft = max(0.15 * radius, 2 * stretch * max(lamp.half_m))
            away = _ellipse_distance(x - shift[0], y - shift[1], toward[:2], slant)
            cover = np.clip((radius - away) / soft + 0.5, 0, 1)
            # A lamp that looks larger than the ball from the cloth is never wholly hidden.
            full = min(1.0, (radius / max(1e-6, stretch * max(lamp.half_m))) ** 1.0)
            dark = dark + share * cover * cover * (3 - 2 * cover) * full
            total = total + share
        factor: Float32 = np.power(np.clip(1 - dark / total, 0.02, 1), 1 / GAMMA).astype(np.float32)
        return left, top, factor


def _ellipse_distance(x: Float32, y: Float32, axis: FloatArray, slant: float) -> Float32:
    """Distance from the middle of a shadow stretched along `axis` by a lamp that stands low."""
    length = float(np.hypot(*axis))
    if length < 1e-6:
        return np.asarray(np.hypot(x, y), np.float32)
    ax, ay = axis / length
    along = (x * ax + y * ay) / np.float32(np.sqrt(1 + slant * slant))
    across = -x * ay + y * ax
    return np.asarray(np.hypot(along, across), np.float32)
