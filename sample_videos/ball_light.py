"""Light on a ball: lamps, the room, the cloth below, and the balls beside it.

Diffuse: each lamp as a point at its middle, a broad one wrapped a little beyond its terminator; the room's light from
above; light thrown back by the cloth. Mirrored, by Schlick's Fresnel term: the outlines of the lamps, the cloth, the
room, and neighbouring balls. A neighbour shades twice: it takes its share of the room's light (form factor of a sphere
from a surface element) and stands in the way of lamps, with a soft edge as wide as the lamp looks.

Fails: neighbours mirror in one colour, lit from above only, and second mirror images are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sample_videos.ball_sets import Colour
from sample_videos.looks import Lamp, Look, lamp_falloff

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]
Field = tuple[Float32, Float32, Float32]
"""Three components of a vector at each sample, each shape (h, w)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A ball that stands near: (x, y, z) of its middle and its mean colour, linear BGR."""

    centre_m: tuple[float, float, float]
    colour: Colour


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Beside:
    """A neighbour as seen from each sample of the surface: way to its middle over the radius, and its square."""

    way: Field
    far2: Float32
    colour: Float32

    def gap(self, toward: Field | tuple[float, float, float]) -> tuple[Float32, Float32]:
        """How far along and how near a ray in direction `toward` passes its middle, in radii."""
        along = _dot(self.way, toward)
        return along, np.sqrt(np.maximum(self.far2 - along * along, 0))


def _dot(a: Field, b: Field | tuple[float, float, float]) -> Float32:
    result: Float32 = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return result


def light(
    look: Look, centre_m: FloatArray, radius_m: float, normal: Field, ray: Field, polish: float, neighbours: Sequence[Neighbour]
) -> tuple[Float32, Float32]:
    """Light by which paint is seen, and light that is mirrored over it, both shape (h, w, 3), linear BGR.

    Args:
        look: The scene.
        centre_m: (x, y, z) of the ball.
        radius_m: Its radius.
        normal: Of the surface at each sample.
        ray: From the eye at each sample.
        polish: Share of the mirror's strength, 0 to 1.
        neighbours: Balls within a few radii.
    """
    up = normal[2]
    facing = _dot(ray, normal)
    mirror: Field = (ray[0] - 2 * facing * normal[0], ray[1] - 2 * facing * normal[1], ray[2] - 2 * facing * normal[2])
    beside = [_beside(n, centre_m, radius_m, normal) for n in neighbours]
    cloth = np.array(look.cloth, np.float32)
    open_sky, glow_back = np.ones_like(up), None
    for ball in beside:
        form = np.clip(_dot(ball.way, normal), 0, None) / np.maximum(ball.far2, 1) ** 1.5
        open_sky = open_sky - np.minimum(form, 0.9)
        thrown = (0.35 * form)[..., None] * ball.colour
        glow_back = thrown if glow_back is None else glow_back + thrown
    scalar = look.ambient * (0.5 + 0.5 * up) * np.clip(open_sky, 0.05, 1)
    glints = np.zeros_like(up)
    for lamp in look.lamps:
        direct, glint = _lamp(look, lamp, centre_m, normal, mirror, beside, polish)
        scalar += direct
        glints += glint
    paint = scalar[..., None] + (0.45 * (0.5 - 0.5 * up))[..., None] * cloth
    if glow_back is not None:
        paint += glow_back
    fresnel = (0.04 + 0.96 * np.clip(1 + facing, 0, 1) ** 5) * np.float32(polish)
    around = np.where((mirror[2] < 0)[..., None], 0.6 * cloth, np.float32(0.5 * look.ambient))
    for ball in beside:
        along, gap = ball.gap(mirror)
        hit = np.where(along > 0, np.clip((1 - gap) / 0.12 + 0.5, 0, 1), 0).astype(np.float32)
        # Where it is met: bright above, dark below.
        rise = (along - np.sqrt(np.maximum(1 - gap * gap, 0))) * mirror[2] - ball.way[2]
        around += hit[..., None] * ((0.15 + 0.85 * np.clip(0.5 + 0.5 * rise, 0, 1))[..., None] * ball.colour - around)
        glints *= 1 - hit
    over = (0.7 * fresnel)[..., None] * around + (fresnel * np.minimum(look.shine * glints, 60))[..., None]
    return paint.astype(np.float32), over.astype(np.float32)


def _beside(neighbour: Neighbour, centre_m: FloatArray, radius_m: float, normal: Field) -> _Beside:
    offset = ((np.array(neighbour.centre_m) - centre_m) / radius_m).astype(np.float32)
    way = (offset[0] - normal[0], offset[1] - normal[1], offset[2] - normal[2])
    return _Beside(way=way, far2=_dot(way, way), colour=np.array(neighbour.colour, np.float32))


def _lamp(
    look: Look, lamp: Lamp, centre_m: FloatArray, normal: Field, mirror: Field, beside: list[_Beside], polish: float
) -> tuple[Float32, Float32]:
    to_lamp = np.array(lamp.centre_m) - centre_m
    distance = float(np.linalg.norm(to_lamp))
    tx, ty, tz = (float(v) for v in to_lamp / distance)
    strength = (1 - look.ambient) * lamp.share * float(lamp_falloff(lamp.centre_m, centre_m[None, :2])[0]) / max(tz, 0.15)
    wrap = min(0.45, max(lamp.half_m) / lamp.centre_m[2])
    direct = np.maximum((_dot(normal, (tx, ty, tz)) + wrap) / (1 + wrap), 0) * np.float32(strength)
    for ball in beside:
        along, gap = ball.gap((tx, ty, tz))
        soft = np.maximum(2 * max(lamp.half_m) / distance * along, 0.1)
        direct = direct * np.where(along > 0, 1 - np.clip((1 - gap) / soft + 0.5, 0, 1), 1)
    reach = np.float32(to_lamp[2]) / np.maximum(mirror[2], 0.05)
    soft_m = (0.04 + 0.2 * (1 - polish)) * lamp.centre_m[2]
    x, y = (np.asarray(mirror[k] * reach - np.float32(to_lamp[k]), np.float32) for k in (0, 1))
    glint = lamp.image(x, y, soft_m) * (mirror[2] > 0.05)
    return direct.astype(np.float32), (glint * np.float32(lamp.share)).astype(np.float32)
