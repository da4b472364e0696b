"""Sets of balls as they are made: paint, numbers, wear; and how a set is drawn by chance.

Pool: a number in a white disc, twice; stripes are white with a band. Makers' sets agree on hues except for television
sets, whose 4, 5 and 7 are pink, orange-red and brown. Pyramid: fifteen whites of one tint, from bone to yellow, a number
printed on the ball itself twice, and one coloured ball, dark red or yellow (makers' pictures; MKP equipment rules).
Colours are linear reflectances in BGR, 0 to 1.
"""

import colorsys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.equipment import BallId, BallSet, TableSpec, find_ball_set

Colour = tuple[float, float, float]
GAMMA = 2.2


def from_srgb(red: float, green: float, blue: float) -> Colour:
    """Linear BGR of a display colour given as 0..255."""
    return ((blue / 255) ** GAMMA, (green / 255) ** GAMMA, (red / 255) ** GAMMA)


_INK = from_srgb(18, 18, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class BallLook:
    """Paint of one ball.

    Attributes:
        colour: Of the ball, or of its stripe.
        stripe: True for a white ball with a band.
        number: None for an unnumbered ball.
        disc: Radius of the number's white disc, radians as seen from the centre; without paper the reach of the number.
        dots: Colour of the dots of a cue ball, None without.
        paper: False prints the number on the ball's own colour.
        ink: Colour of the number.
        font: Which of the faces of OpenCV the number has.
        polish: Share of the mirror's strength that wear has left, 0 dull to 1 new.
        scuffs: Strength of scratches, chalk and yellowed patches, 0 none to 1.
        seed: Where the scuffs are.
    """

    colour: Colour
    stripe: bool
    number: int | None
    disc: float = 0.42
    dots: Colour | None = None
    paper: bool = True
    ink: Colour = _INK
    font: int = 2
    polish: float = 1.0
    scuffs: float = 0.0
    seed: int = 0


_STANDARD = {1: (238, 186, 20), 2: (20, 50, 150), 3: (205, 25, 30), 4: (75, 30, 115), 5: (235, 95, 15), 6: (10, 95, 60), 7: (115, 25, 30)}
_TELEVISION = {
    **_STANDARD,
    1: (250, 180, 10),
    2: (15, 60, 170),
    3: (225, 15, 40),
    4: (240, 90, 150),
    5: (250, 80, 30),
    6: (5, 85, 65),
    7: (150, 75, 30),
}
_BRIGHT = {**_TELEVISION, 2: (10, 95, 200), 4: (250, 120, 175), 6: (20, 140, 80), 7: (185, 125, 75)}
MAKES = {"standard": _STANDARD, "television": _TELEVISION, "bright": _BRIGHT}
"""Pool sets by name: display RGB of 1 to 7; 9 to 15 have the same bands, 8 is black."""
_BLACK = (14, 14, 18)
_IVORY = (246, 240, 224)
_PYRAMID_WHITES = ((226, 220, 192), (236, 208, 140), (242, 240, 230), (230, 212, 165))
"""Bone, yellowed, bleached, aged (two makes' pictures and what age does to resin)."""
_PYRAMID_CUES = {"red": (112, 24, 36), "wine": (92, 16, 28), "yellow": (238, 176, 36), "orange": (236, 138, 44)}
"""The coloured ball of pyramid by name, display RGB; red is the usual one."""


def balls_of(spec: TableSpec) -> BallSet:
    """The set that is played on a table: pyramid where its balls have 68 mm, else pool."""
    return find_ball_set("pyramid" if spec.ball_diameter_m > 0.064 else "pool")


def draw_balls(
    rng: np.random.Generator, *, television: bool | None = None, ball_set: str = "pool", make: str | None = None
) -> dict[BallId, BallLook]:
    """A whole set by chance, new or worn, with this light's deviations.

    Args:
        rng: Source of chance.
        television: Whether 4, 5 and 7 are pink, orange-red and brown; None for either. Pool only.
        ball_set: `pool` (or `nine`) for 1 to 15 and `cue`, `pyramid` for `Y` and `w1` to `w15`.
        make: A name of `MAKES`, or of the coloured ball in pyramid (`red`, `wine`, `yellow`, `orange`).
    """
    if ball_set == "pyramid":
        return _draw_pyramid(rng, make)
    if make is None:
        television = bool(rng.random() < 0.5) if television is None else television
        make = ("television" if rng.random() < 0.75 else "bright") if television else "standard"
    return draw_set(rng, MAKES[make])


def draw_set(
    rng: np.random.Generator, colours: Mapping[int, tuple[int, int, int]], *, fonts: Sequence[int] = (0, 2, 3)
) -> dict[BallId, BallLook]:
    """A pool set of one make by chance.

    Args:
        rng: Source of chance.
        colours: Display RGB of 1 to 7.
        fonts: Faces of OpenCV that its numbers may have.
    """
    disc, font = float(rng.uniform(0.34, 0.50)), int(rng.choice(fonts))
    saturation, brightness = rng.uniform(0.88, 1.15), rng.uniform(0.85, 1.2)
    worn = _Wear(rng)
    balls: dict[BallId, BallLook] = {}
    for number in range(1, 16):
        base = _BLACK if number == 8 else colours[number - 8 if number > 8 else number]
        hue, sat, value = colorsys.rgb_to_hsv(*(c / 255 for c in base))
        hue = (hue + rng.normal(0, 0.008)) % 1.0
        red, green, blue = colorsys.hsv_to_rgb(hue, min(1.0, sat * saturation), min(1.0, value * brightness))
        polish, scuffs, seed = worn.draw(rng)
        balls[str(number)] = BallLook(
            colour=from_srgb(red * 255, green * 255, blue * 255),
            stripe=number > 8,
            number=number,
            disc=disc,
            font=font,
            polish=polish,
            scuffs=scuffs,
            seed=seed,
        )
    dots = (None, from_srgb(200, 20, 30), from_srgb(160, 15, 25), from_srgb(20, 40, 150))[int(rng.choice(4, p=[0.2, 0.45, 0.25, 0.1]))]
    polish, scuffs, seed = worn.draw(rng)
    balls["cue"] = BallLook(
        colour=_tinted(rng, _IVORY), stripe=False, number=None, dots=dots, polish=polish, scuffs=min(1.0, 1.5 * scuffs), seed=seed
    )
    return balls


class _Wear:
    """How a set has been used: all its balls alike, each a little different."""

    def __init__(self, rng: np.random.Generator) -> None:
        new = rng.random() < 0.5
        self.polish = float(rng.uniform(0.85, 1.0) if new else rng.uniform(0.25, 0.9))
        self.scuffs = float(rng.uniform(0.0, 0.12) if new else rng.uniform(0.1, 0.8))

    def draw(self, rng: np.random.Generator) -> tuple[float, float, int]:
        return (
            float(np.clip(self.polish * rng.uniform(0.85, 1.1), 0.15, 1)),
            float(np.clip(self.scuffs * rng.uniform(0.5, 1.4), 0, 1)),
            int(rng.integers(2**31)),
        )


def _tinted(rng: np.random.Generator, base: tuple[int, int, int]) -> Colour:
    tint = np.clip(np.array(from_srgb(*base)) * rng.uniform([0.85, 0.93, 0.97], 1.0), 0, 1)
    return (float(tint[0]), float(tint[1]), float(tint[2]))


def _draw_pyramid(rng: np.random.Generator, make: str | None) -> dict[BallId, BallLook]:
    white = _tinted(rng, _PYRAMID_WHITES[int(rng.choice(4, p=[0.4, 0.25, 0.15, 0.2]))])
    cue = make or str(rng.choice(list(_PYRAMID_CUES), p=[0.4, 0.2, 0.25, 0.15]))
    grey = float(rng.uniform(15, 55))
    ink = from_srgb(grey, grey, grey * 1.1)
    reach, font = float(rng.uniform(0.24, 0.34)), int(rng.choice([0, 2, 3]))
    worn = _Wear(rng)
    polish, scuffs, seed = worn.draw(rng)
    hue = np.clip(np.array(from_srgb(*_PYRAMID_CUES[cue])) * rng.uniform(0.8, 1.15), 0, 1)
    coloured = (float(hue[0]), float(hue[1]), float(hue[2]))
    balls = {"Y": BallLook(colour=coloured, stripe=False, number=None, polish=polish, scuffs=scuffs, seed=seed)}
    for number in range(1, 16):
        polish, scuffs, seed = worn.draw(rng)
        own = np.clip(np.array(white) * rng.normal(1.0, 0.015), 0, 1)
        balls[f"w{number}"] = BallLook(
            colour=(float(own[0]), float(own[1]), float(own[2])),
            stripe=False,
            number=number,
            disc=reach,
            paper=False,
            ink=ink,
            font=font,
            polish=polish,
            scuffs=scuffs,
            seed=seed,
        )
    return balls
