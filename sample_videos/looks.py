"""How a scene looks: lamps, cloth, rails, floor, balls, sensor; and how all that is drawn by chance.

Colours are linear reflectances in BGR, 0 to 1; pictures are encoded with a gamma of 2.2 when they are painted.
"""

import colorsys
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from calibration.table import Table
from sample_videos.ball_sets import GAMMA, BallLook, Colour, balls_of, draw_balls, from_srgb
from sample_videos.shapes import Frame, draw_frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Lamp:
    """A lamp that shines down; its light is that of a rectangle, its mirror image has its shape.

    Attributes:
        centre_m: (x, y, z).
        half_m: Half sizes along x and y.
        share: Its share of the direct light on the cloth.
        shape: `panel`, `round`, `ring` (a rig open in the middle), `hoop` (a round one) or `tubes` (along its longer side).
        parts: How many tubes.
    """

    centre_m: tuple[float, float, float]
    half_m: tuple[float, float]
    share: float
    shape: str = "panel"
    parts: int = 1

    def image(self, x: NDArray[np.float32], y: NDArray[np.float32], soft_m: float) -> NDArray[np.float32]:
        """How much of it is seen at places beside its middle in its plane, 0 to 1, with edges as soft as given."""
        half_x, half_y = self.half_m
        if self.shape in ("round", "hoop"):
            reach, size = np.hypot(x / half_x, y / half_y), min(self.half_m) / soft_m
            disc = np.clip((1 - reach) * size + 0.5, 0, 1)
            hole = np.clip((0.75 - reach) * size + 0.5, 0, 1) if self.shape == "hoop" else 0.0
            return np.asarray(disc - hole, np.float32)
        inside = _bar(x, half_x, soft_m) * _bar(y, half_y, soft_m)
        if self.shape == "ring":
            inside = inside - _bar(x, 0.62 * half_x, soft_m) * _bar(y, 0.62 * half_y, soft_m)
        elif self.shape == "tubes":
            across, half = (y, half_y) if half_x >= half_y else (x, half_x)
            place = (across / half * 0.5 + 0.5) * self.parts
            away = np.abs(place - np.floor(place) - 0.5) * (2 * half / self.parts)
            inside = inside * np.clip((0.22 * 2 * half / self.parts - away) / soft_m + 0.5, 0, 1)
        return np.asarray(inside, np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sunlight:
    """A patch of light from a window on the cloth, with the shadow of its bars.

    Attributes:
        centre_m: (x, y).
        half_m: Half sizes along its own axes.
        turned: Of its axes, radians.
        bars: How many panes it has along its first axis.
        share: Its light over the mean of the lamps'.
    """

    centre_m: tuple[float, float]
    half_m: tuple[float, float]
    turned: float
    bars: int
    share: float

    def inside(self, places_m: NDArray[np.float32]) -> NDArray[np.float32]:
        """Share of its light that reaches places (..., 2)."""
        x, y = places_m[..., 0] - np.float32(self.centre_m[0]), places_m[..., 1] - np.float32(self.centre_m[1])
        along = x * np.float32(np.cos(self.turned)) + y * np.float32(np.sin(self.turned))
        across = y * np.float32(np.cos(self.turned)) - x * np.float32(np.sin(self.turned))
        soft = 0.03
        lit = np.clip((self.half_m[0] - np.abs(along)) / soft, 0, 1) * np.clip((self.half_m[1] - np.abs(across)) / soft, 0, 1)
        pane = (along / self.half_m[0] * 0.5 + 0.5) * self.bars % 1.0
        return np.asarray(lit * np.clip((0.5 - np.abs(pane - 0.5)) * 25, 0.15, 1), np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """What the camera does to the light.

    Attributes:
        blur_px: Standard deviation of the lens blur.
        sharpen: Strength of the unsharp mask; 0 none.
        noise: Standard deviation, grey levels.
        gain: Factors for B, G, R.
        vignette: Loss of light in the picture's corners, share.
        exposure_s: Length of the exposure.
    """

    blur_px: float = 0.5
    sharpen: float = 0.4
    noise: float = 1.5
    gain: Colour = (1.0, 1.0, 1.0)
    vignette: float = 0.1
    exposure_s: float = 0.010


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Everything about a scene that is not geometry of the table or the camera."""

    cloth: Colour
    cloth_noise: float
    wear: float
    lines: bool
    spots: bool
    frame: Frame
    rail: Colour
    rail_gloss: float
    iron: Colour | None
    liner: Colour
    cup: Colour
    diamond: str
    diamond_colour: Colour
    chalk: Colour
    chalks: int
    lamps: tuple[Lamp, ...]
    ambient: float
    shine: float
    floor: str
    floor_colour: Colour
    balls: dict[BallId, BallLook] = field(default_factory=dict)
    sensor: Sensor = field(default_factory=Sensor)
    exposure_gain: float = 1.0
    seed: int = 0
    extra_lines: tuple[str, ...] = ()
    """Of `foot string`, `long string`, `rack`, `d`."""
    sun: tuple[Sunlight, ...] = ()
    clutter: float = 0.0
    """How much stands round the table, 0 nothing to 2."""
    rail_grain: float = 0.18
    """Contrast of the wood."""


CLOTHS = {
    "blue": (0, 125, 215),
    "tournament blue": (25, 110, 165),
    "green": (20, 120, 60),
    "blue-green": (20, 165, 145),
    "dark green": (15, 80, 50),
    "red": (150, 25, 35),
    "burgundy": (100, 20, 40),
    "grey": (115, 118, 120),
    "tan": (185, 150, 105),
    "purple": (85, 50, 130),
    "olive": (110, 120, 60),
    "orange": (205, 105, 35),
}
"""Cloth colours by name, display RGB."""


def draw_cloth(rng: np.random.Generator, name: str | None = None) -> Colour:
    """A cloth colour: a named one with some deviation, or any hue."""
    if name is None and rng.random() < 0.2:
        # Any hue, but dyed wool: what is bright is not deep, and yellow and violet are rarely both.
        value = rng.uniform(0.25, 0.8)
        red, green, blue = colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.25, 1.05 - 0.45 * value), value)
        return from_srgb(red * 255, green * 255, blue * 255)
    weights = np.array([6, 4, 4, 4, 3, 2, 1, 2, 1.5, 0.7, 1, 0.5], dtype=float)
    base = CLOTHS[name or str(rng.choice(list(CLOTHS), p=weights / weights.sum()))]
    hue, sat, value = colorsys.rgb_to_hsv(*(c / 255 for c in base))
    hue = (hue + rng.normal(0, 0.012)) % 1.0
    red, green, blue = colorsys.hsv_to_rgb(hue, min(0.97, sat * rng.uniform(0.78, 1.05)), min(1.0, value * rng.uniform(0.8, 1.08)))
    return from_srgb(red * 255, green * 255, blue * 255)


def draw_lamps(rng: np.random.Generator) -> tuple[Lamp, ...]:
    """Lamps: a broad rig over the table, a row of shades, ceiling spots, or a window to one side.

    Their shares are such that the direct light is 1 on average over a 9 ft bed.
    """
    return even_lamps(_draw_lamps(rng))


def even_lamps(lamps: tuple[Lamp, ...]) -> tuple[Lamp, ...]:
    """The same with their shares in the same proportion, such that the direct light is 1 on average over a 9 ft bed."""
    x, y = np.meshgrid(np.linspace(-1.2, 1.2, 13), np.linspace(-0.6, 0.6, 7))
    places = np.column_stack([x.ravel(), y.ravel()])
    mean = sum(lamp.share * float(lamp_falloff(lamp.centre_m, places).mean()) for lamp in lamps)
    return tuple(replace(lamp, share=lamp.share / mean) for lamp in lamps)


def lamp_falloff(lamp_m: tuple[float, float, float], points_m: NDArray[np.float32] | NDArray[np.float64]) -> NDArray[np.float32]:
    """Light of a lamp on cloth at (..., 2) over that straight below it, by the laws of cosines and distance."""
    z2 = lamp_m[2] ** 2
    d2 = (points_m[..., 0] - lamp_m[0]) ** 2 + (points_m[..., 1] - lamp_m[1]) ** 2 + z2
    result: NDArray[np.float32] = ((z2 / d2) ** 2).astype(np.float32)
    return result


def _draw_lamps(rng: np.random.Generator) -> tuple[Lamp, ...]:
    kind = int(rng.choice(4, p=[0.4, 0.25, 0.25, 0.1]))
    if kind == 0:
        z = rng.uniform(1.8, 5.0)
        half = (rng.uniform(0.1, 0.55) * z, rng.uniform(0.05, 0.25) * z)
        return (_lamp(rng.normal(0, 0.15), rng.normal(0, 0.1), z, half, 1.0),)
    if kind == 1:
        count, z = int(rng.integers(2, 4)), rng.uniform(0.85, 1.4)
        size = rng.uniform(0.1, 0.25)
        return tuple(_lamp((k - (count - 1) / 2) * rng.uniform(0.75, 0.85), 0.0, z, (size, size), 1 / count) for k in range(count))
    if kind == 2:
        count = int(rng.integers(1, 5))
        shares = rng.dirichlet(np.full(count, 3.0))
        return tuple(
            _lamp(rng.uniform(-2.2, 2.2), rng.uniform(-1.6, 1.6), rng.uniform(1.6, 2.8), (rng.uniform(0.03, 0.3),) * 2, float(share))
            for share in shares
        )
    side = rng.choice([-1.0, 1.0])
    main = _lamp(rng.uniform(-1, 1), side * rng.uniform(1.5, 3), rng.uniform(1.5, 2.5), (0.6, 0.4), rng.uniform(0.4, 0.7))
    return (main, _lamp(rng.normal(0, 0.3), rng.normal(0, 0.3), 2.0, (0.3, 0.1), 1 - main.share))


def _bar(along: NDArray[np.float32], half: float, soft_m: float) -> NDArray[np.float32]:
    return np.asarray(np.clip((half - np.abs(along)) / soft_m + 0.5, 0, 1), np.float32)


def _shaped(lamps: tuple[Lamp, ...], seed: int) -> tuple[Lamp, ...]:
    """Lamps of one make: panels, shades, a ring or tubes; drawn apart, so that nothing else of a seed changes."""
    rng = np.random.default_rng((seed, 77))
    broad = max(max(lamp.half_m) / lamp.centre_m[2] for lamp in lamps) > _BROAD
    shape = str(rng.choice(["panel", "ring", "tubes"], p=[0.45, 0.2, 0.35]) if broad else rng.choice(["panel", "round"], p=[0.35, 0.65]))
    parts = int(rng.integers(2, 5))
    return tuple(replace(lamp, shape=shape, parts=parts) for lamp in lamps)


def _lamp(x: float, y: float, z: float, half: tuple[float, float], share: float) -> Lamp:
    return Lamp(centre_m=(float(x), float(y), float(z)), half_m=(float(half[0]), float(half[1])), share=float(share))


_BROAD = 0.25
"""Half size over height above which a lamp is a rig or a panel and no shade or spot."""
_EXTRA_LINES = (("foot string", 0.08), ("long string", 0.12), ("rack", 0.12), ("d", 0.06))
"""Lines that not every hall draws, and how often."""


def _draw_sun(rng: np.random.Generator) -> tuple[Sunlight, ...]:
    return (
        Sunlight(
            centre_m=(float(rng.uniform(-1.4, 1.4)), float(rng.uniform(-0.9, 0.9))),
            half_m=(float(rng.uniform(0.2, 0.7)), float(rng.uniform(0.1, 0.35))),
            turned=float(rng.uniform(0, np.pi)),
            bars=int(rng.integers(1, 4)),
            share=float(rng.uniform(0.15, 0.9)),
        ),
    )


_RAILS = ((45, 42, 42), (30, 28, 30), (80, 40, 28), (110, 60, 35), (150, 105, 65), (190, 185, 178), (60, 30, 25))


def draw_look(
    rng: np.random.Generator,
    *,
    cloth: str | None = None,
    television: bool | None = None,
    table: Table | None = None,
    ball_set: str | None = None,
    make: str | None = None,
) -> Look:
    """A scene's look by chance; the same generator state gives the same look.

    Args:
        rng: Source of chance.
        cloth: A name of `CLOTHS`; None for any colour.
        television: See `draw_balls`.
        table: Where it is; None for a pool table.
        ball_set: `pool` or `pyramid`; None for what is played on the table.
        make: See `draw_balls`.
    """
    ball_set = ball_set or (balls_of(table.spec).name if table is not None else "pool")
    rail = np.array(_RAILS[int(rng.integers(len(_RAILS)))]) * rng.uniform(0.7, 1.2)
    iron = None if rng.random() < 0.3 else float(rng.uniform(40, 215))
    diamond = float(rng.uniform(170, 250))
    grain = float(rng.uniform(25, 190))
    floor = grain * rng.uniform(0.85, 1.15, 3)
    liner, cup = float(rng.uniform(14, 75)), float(rng.uniform(5, 70) if rng.random() < 0.35 else 4)
    sharp = rng.random()
    gain = rng.normal(1.0, 0.04, 3)
    look = Look(
        cloth=draw_cloth(rng, cloth),
        cloth_noise=float(rng.uniform(0.004, 0.03)),
        wear=float(rng.uniform(0, 1) ** 2),
        lines=bool(rng.random() < 0.5),
        spots=bool(rng.random() < 0.5),
        frame=draw_frame(rng, table),
        rail=from_srgb(*np.clip(rail, 5, 245)),
        rail_gloss=float(rng.uniform(0, 0.4)),
        iron=None if iron is None else from_srgb(iron, iron * 0.98, iron * 0.99),
        liner=from_srgb(liner, liner, liner),
        cup=from_srgb(cup * rng.uniform(1, 1.5), cup, cup),
        diamond=str(rng.choice(["diamond", "circle"])),
        diamond_colour=from_srgb(diamond, diamond, diamond * 0.97),
        chalk=from_srgb(*((30, 90, 160), (60, 130, 200), (25, 110, 70), (190, 190, 190))[int(rng.integers(4))]),
        chalks=int(rng.choice([0, 1, 2, 3], p=[0.55, 0.25, 0.15, 0.05])),
        lamps=draw_lamps(rng),
        ambient=float(rng.uniform(0.15, 0.55)),
        shine=float(rng.uniform(2, 30)),
        floor=str(rng.choice(["plain", "carpet", "boards", "bokeh"], p=[0.4, 0.25, 0.2, 0.15])),
        floor_colour=from_srgb(*np.clip(floor, 5, 245)),
        balls=draw_balls(rng, television=television, ball_set=ball_set, make=make),
        sensor=Sensor(
            blur_px=float(rng.uniform(0.25, 1.0)),
            sharpen=0.0 if sharp < 0.4 else float(rng.uniform(0.2, 1.2)),
            noise=float(rng.uniform(0.3, 5.0)),
            gain=(float(gain[0]), float(gain[1]), float(gain[2])),
            vignette=float(rng.uniform(0, 0.25)),
            exposure_s=float(rng.uniform(0.002, 0.020)),
        ),
        exposure_gain=float(rng.uniform(0.75, 1.2)),
        seed=int(rng.integers(2**31)),
        extra_lines=tuple(name for name, share in _EXTRA_LINES if rng.random() < share),
        sun=_draw_sun(rng) if rng.random() < 0.07 else (),
        clutter=float(rng.choice([0.0, rng.uniform(0.3, 2.0)], p=[0.35, 0.65])),
        rail_grain=float(rng.uniform(0.02, 0.22)),
    )
    return replace(look, lamps=_shaped(look.lamps, look.seed))


def encode(linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """Display value 0..255 of linear light (..., 3), clipped at white."""
    clipped = np.ascontiguousarray(np.clip(linear, 0.0, 1.0), np.float32)
    power = cv2.pow(clipped.reshape(-1, 3), 1 / GAMMA)  # three times as fast as numpy's
    return np.asarray(power, np.float32).reshape(linear.shape) * np.float32(255)


def vignette(points_px: NDArray[np.float64], size_px: tuple[int, int], loss: float) -> NDArray[np.float32]:
    """Share of the light that reaches pixels (..., 2): 1 in the middle, 1 - loss in the corners."""
    half = np.array(size_px) / 2
    r2 = (((points_px - half) / half) ** 2).sum(axis=-1) / 2
    return np.asarray(1 - loss * r2, np.float32)


__all__ = [
    "CLOTHS",
    "GAMMA",
    "BallLook",
    "Colour",
    "Frame",
    "Lamp",
    "Look",
    "Sensor",
    "Sunlight",
    "draw_balls",
    "draw_cloth",
    "draw_lamps",
    "draw_look",
    "encode",
    "from_srgb",
    "lamp_falloff",
    "vignette",
]
