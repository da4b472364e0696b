"""Variety kept out of training: whole cloths, sets of balls, lamps and lenses that no training picture was painted with.

Names, not seeds: `KEPT_OUT` lists them, `looks.CLOTHS`, `ball_sets.MAKES`, the lamps of `looks.draw_lamps` and the lenses of
`poses.draw_camera` are what training draws from, and neither `training` nor what writes its shards may import this module
(tests/sample_videos/test_kept_out.py). Every picture here has a kept-out cloth, set, lamp and lens at once. What stays as in training:
the table's furniture, players, graphics, sensor, and how balls lie and roll.

Fails to be apart: a fifth of the training's cloths have any hue, so that hues as such are not kept out, only these cloths.
"""

import colorsys
from collections.abc import Iterator
from dataclasses import replace
from math import pi, radians

import numpy as np

from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.table import Table
from sample_videos.ball_sets import Colour, draw_set, from_srgb
from sample_videos.looks import Lamp, Look, draw_look, even_lamps
from sample_videos.poses import MAX_TILT_DEG, make_camera
from sample_videos.scene import BallInView
from sample_videos.shapes import Frame
from sample_videos.training import TrainingView, rack, random_rotation, views_of

CLOTHS: dict[str, tuple[int, int, int]] = {
    "petrol": (12, 88, 112),
    "spruce": (32, 98, 78),
    "royal": (38, 62, 168),
    "camel": (168, 122, 68),
    "plum": (98, 32, 78),
    "slate": (72, 82, 98),
    "apple": (108, 158, 58),
    "coal": (44, 44, 48),
}
"""Cloth colours by name, display RGB."""
MAKES: dict[str, dict[int, tuple[int, int, int]]] = {
    "black box": {
        1: (250, 190, 30),
        2: (12, 62, 160),
        3: (218, 28, 40),
        4: (244, 122, 168),
        5: (96, 42, 130),
        6: (4, 112, 74),
        7: (152, 98, 62),
    },
    "clubhouse": {
        1: (226, 172, 44),
        2: (34, 56, 128),
        3: (182, 40, 42),
        4: (72, 42, 98),
        5: (216, 98, 40),
        6: (34, 92, 60),
        7: (102, 36, 36),
    },
    "clear": {
        1: (252, 204, 40),
        2: (28, 78, 186),
        3: (228, 44, 44),
        4: (104, 52, 148),
        5: (244, 122, 30),
        6: (6, 124, 84),
        7: (134, 44, 40),
    },
}
"""Pool sets by name: display RGB of 1 to 7. Black box has a purple 5 beside a pink 4; clubhouse is faded, clear is light."""
_FONTS = (1, 4, 6)
"""Faces of OpenCV for the numbers; training has 0, 2 and 3."""
LAMPS = ("hoop", "long tubes", "five pendants", "skylight")
"""A round rig open in the middle, two tubes along the table, five small shades in a row, one broad light from high up."""
LENSES = ("action barrel", "pincushion", "moustache", "long tele")
"""Barrel beyond a twentieth from low down, pincushion as strong, bends that turn about, and a lens from ten metres and more."""
KEPT_OUT = {"cloths": tuple(CLOTHS), "ball sets": tuple(MAKES), "lamps": LAMPS, "lenses": LENSES}


def kept_out_views(rng: np.random.Generator, *, layouts: int = 4, racks: bool = False) -> Iterator[TrainingView]:
    """Pictures of one 9 ft table at 1920 x 1080 in which cloth, balls, lamps and lens are all of the kept-out variety.

    Args:
        rng: Source of chance; the same state gives the same pictures.
        layouts: How many.
        racks: Two more come first, from which the set can be learnt: nine balls racked, then fifteen, both with the cue ball.
    """
    table = Table(find_table("wpa-9ft"))
    look = draw_kept_out_look(rng, table)
    camera = draw_kept_out_camera(rng, table, look.frame)
    lessons = [_racked(np.random.default_rng((look.seed, count)), table, count) for count in (9, 15)] if racks else []
    yield from views_of(rng, table, look, camera, layouts=layouts, detour=False, lessons=lessons)


def _racked(rng: np.random.Generator, table: Table, count: int) -> list[BallInView]:
    """The balls 1 to `count` in a rack at the foot spot in any order, and the cue ball behind the head string."""
    quarter, radius = table.spec.length_m / 4, table.spec.ball_radius_m
    places = [place + np.array([quarter, 0.0]) for place in rack(count, radius)]
    places.append(np.array([-1.2 * quarter, rng.uniform(-0.4, 0.4)]))
    names = [*(str(number) for number in rng.permutation(np.arange(1, count + 1))), "cue"]
    return [
        BallInView(ball=name, centres_m=np.array([[*place, radius]]), rotations=random_rotation(rng)[None])
        for name, place in zip(names, places, strict=True)
    ]


def draw_kept_out_look(rng: np.random.Generator, table: Table) -> Look:
    """A look by chance, cloth, balls and lamps of the kept-out variety."""
    look = draw_look(rng, table=table)
    cloth = CLOTHS[str(rng.choice(list(CLOTHS)))]
    make = str(rng.choice(list(MAKES)))
    balls = draw_set(rng, MAKES[make], fonts=_FONTS)
    return replace(look, cloth=_dyed(rng, cloth), balls=balls, lamps=draw_kept_out_lamps(rng))


def draw_kept_out_lamps(rng: np.random.Generator, name: str | None = None) -> tuple[Lamp, ...]:
    """One of `LAMPS`, by name or by chance."""
    name = name or str(rng.choice(LAMPS))
    if name == "hoop":
        z, radius = rng.uniform(1.6, 2.6), rng.uniform(0.45, 0.8)
        lamps = [_lamp(rng.normal(0, 0.2), rng.normal(0, 0.1), z, (radius, radius), "hoop")]
    elif name == "long tubes":
        z, aside, half = rng.uniform(1.3, 2.2), rng.uniform(0.3, 0.7), rng.uniform(0.7, 1.3)
        lamps = [_lamp(rng.normal(0, 0.1), side * aside, z, (half, 0.04), "panel") for side in (-1, 1)]
    elif name == "five pendants":
        z, size = rng.uniform(0.9, 1.3), rng.uniform(0.07, 0.12)
        lamps = [_lamp((k - 2) * rng.uniform(0.48, 0.54), 0.0, z, (size, size), "round") for k in range(5)]
    else:
        z = rng.uniform(5.0, 8.0)
        lamps = [_lamp(rng.uniform(-1.5, 1.5), rng.uniform(-1.5, 1.5), z, (rng.uniform(1.0, 2.5), rng.uniform(0.8, 1.6)), "panel")]
    return even_lamps(tuple(lamps))


def draw_kept_out_camera(rng: np.random.Generator, table: Table, frame: Frame, name: str | None = None) -> CameraModel:
    """A camera with one of `LENSES`, by name or by chance."""
    name = name or str(rng.choice(LENSES))
    height, bow, turns = {
        "action barrel": (rng.uniform(1.9, 2.6), rng.uniform(-0.075, -0.05), 0.0),
        "pincushion": (rng.uniform(2.5, 5.0), rng.uniform(0.05, 0.07), 0.0),
        "moustache": (rng.uniform(2.4, 4.0), rng.uniform(-0.07, -0.05), rng.uniform(0.04, 0.07)),
        "long tele": (rng.uniform(10.0, 16.0), 0.0, 0.0),
    }[name]
    return make_camera(
        table,
        height_m=float(height),
        tilt_deg=float(rng.choice([rng.uniform(0, 3), rng.uniform(0, MAX_TILT_DEG)], p=[0.65, 0.35])),
        tilt_direction=float(rng.uniform(0, 2 * pi)),
        turn=float(rng.choice([0.0, pi]) + radians(rng.normal(0, 1.2))),
        bow=float(bow),
        bow_again=float(turns),
        fill=float(rng.uniform(0.85, 0.98)),
        image_size_px=(1920, 1080),
        shift=(float(rng.uniform(-0.8, 0.8)), float(rng.uniform(-0.8, 0.8))),
        frame=frame,
    )


def _dyed(rng: np.random.Generator, base: tuple[int, int, int]) -> Colour:
    """A cloth of a colour as dyers and wear vary it."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(c / 255 for c in base))
    turned = (hue + rng.normal(0, 0.008)) % 1.0
    red, green, blue = colorsys.hsv_to_rgb(
        turned, min(0.97, saturation * rng.uniform(0.88, 1.05)), min(1.0, value * rng.uniform(0.88, 1.08))
    )
    return from_srgb(red * 255, green * 255, blue * 255)


def _lamp(x: float, y: float, z: float, half: tuple[float, float], shape: str) -> Lamp:
    return Lamp(centre_m=(float(x), float(y), float(z)), half_m=(float(half[0]), float(half[1])), share=1.0, shape=shape)
