"""What is round the table: floor, the table's shadow on it, another table at the edge, chairs, bags, people who watch.

All colours are linear light. Things stand on the floor 0.8 m below the cloth, so that a camera off the middle sees them
displaced as it should. Nothing here reaches over the rails.
"""

from math import pi

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.table import Table
from sample_videos.ball_sets import from_srgb
from sample_videos.canvas import cover, noise
from sample_videos.looks import Look
from sample_videos.shapes import circle, dense, holes, rounded_rectangle

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]

FLOOR_M = -0.8
"""Height of the floor (tables stand 0.76 to 0.82 m high)."""


def paint_surroundings(rng: np.random.Generator, camera: CameraModel, places: Float32, table: Table, look: Look) -> Float32:
    """Linear light of everything outside the table, shape (H, W, 3)."""
    shape = (places.shape[0], places.shape[1])
    image = _floor(rng, places, table, look, shape)
    if look.floor == "bokeh":
        return image
    for _ in range(int(rng.poisson(2.0 * look.clutter))):
        _thing(rng, camera, table, image)
    if rng.random() < 0.35 * look.clutter:
        _other_table(rng, camera, table, look, image)
    return image


def _lay(camera: CameraModel, image: Float32, outline_m: FloatArray, height_m: float, colour: FloatArray, strength: float = 1.0) -> None:
    found = cover(camera, outline_m, height_m)
    if found is not None:
        window, share = found
        image[window] += strength * share[..., None] * (colour.astype(np.float32) - image[window])


def _moved(outline_m: FloatArray, centre: FloatArray, turned: float) -> FloatArray:
    turn = np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]])
    return np.asarray(outline_m @ turn + centre, np.float64)


def _thing(rng: np.random.Generator, camera: CameraModel, table: Table, image: Float32) -> None:
    """A stool, a bag, a box, a cable, a shoe: a few outlines of one colour with a shadow."""
    half = np.array([table.spec.length_m, table.spec.width_m]) / 2 + 0.35
    side = int(rng.integers(2))
    centre = rng.uniform(-1.2, 1.2, 2) * half
    centre[side] = rng.choice([-1.0, 1.0]) * (half[side] + rng.uniform(0.0, 0.9))
    turned, height = float(rng.uniform(0, 2 * pi)), float(rng.uniform(-0.75, -0.25))
    grey = float(rng.uniform(8, 120))
    tint = rng.uniform(0.75, 1.3, 3) if rng.random() < 0.6 else np.array([rng.uniform(1.1, 1.9), 1.0, rng.uniform(0.4, 0.8)])
    colour = np.array(from_srgb(*np.clip(grey * tint, 4, 200)))
    kind = rng.random()
    if kind < 0.35:
        outline = circle((0.0, 0.0), float(rng.uniform(0.12, 0.22)), 32)
    elif kind < 0.7:
        size = rng.uniform(0.1, 0.32, 2)
        outline = rounded_rectangle(float(size[0]), float(size[1]), float(0.3 * size.min()))
    elif kind < 0.85:
        along = np.linspace(-1.0, 1.0, 40)
        bend = 0.25 * np.cumsum(rng.normal(0, 0.2, 40))
        outline = np.concatenate([np.column_stack([along, bend]), np.column_stack([along, bend + 0.012])[::-1]])
        height, colour = FLOOR_M + 0.01, np.array(from_srgb(14, 14, 15))
    else:
        outline = rounded_rectangle(0.14, 0.05, 0.045)
        height = FLOOR_M + 0.08
        _lay(camera, image, _moved(outline + np.array([0.04, 0.16]), centre, turned), height, colour)
    spot = _moved(outline, centre, turned)
    _lay(camera, image, spot * 1.01 + 0.03, FLOOR_M, np.zeros(3), 0.5)
    _lay(camera, image, spot, height, colour)
    if kind < 0.7 and rng.random() < 0.6:
        _lay(camera, image, _moved(0.8 * outline, centre, turned), height + 0.01, 1.25 * colour)


def _other_table(rng: np.random.Generator, camera: CameraModel, table: Table, look: Look, image: Float32) -> None:
    """The edge of a table of the same hall."""
    frame = look.frame
    half = np.array([table.spec.length_m, table.spec.width_m]) / 2
    edge = frame.cushion_m + frame.rail_m
    centre = np.zeros(2)
    axis = int(rng.integers(2))
    centre[axis] = rng.choice([-1.0, 1.0]) * (2 * half[axis] + 2 * edge + rng.uniform(0.3, 1.3))
    centre[1 - axis] = rng.normal(0, 0.4)
    level = float(rng.uniform(0.35, 1.0))
    body = dense(rounded_rectangle(half[0] + edge, half[1] + edge, frame.corner_radius_m))
    _lay(camera, image, body + centre, FLOOR_M, np.zeros(3), 0.6)
    _lay(camera, image, body + centre, frame.rail_height_m, level * np.array(look.rail))
    for grown, tone in ((frame.cushion_m, 1.05), (0.0, 1.0)):
        corners = (half + grown) * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        _lay(camera, image, dense(corners) + centre, 0.0, level * tone * np.array(look.cloth))
    for hole in holes(table).values():
        _lay(camera, image, circle(hole.centre_m, hole.radius_m) + centre, 0.0, np.full(3, 0.003))


def _floor(rng: np.random.Generator, places: Float32, table: Table, look: Look, shape: tuple[int, int]) -> Float32:
    colour = np.array(look.floor_colour, np.float32)
    factor = 1 + 0.12 * noise(rng, shape, (180, 240))
    if look.floor == "carpet":
        factor += 0.12 * noise(rng, shape, (3, 3)) + 0.1 * np.sin(places[..., 0] * rng.uniform(8, 30)) * np.sin(places[..., 1] * 20)
    elif look.floor == "boards":
        factor += 0.07 * noise(rng, shape, (4, 90)) + 0.2 * ((places[..., 1] * 9) % 1 < 0.03)
    # The table's own shadow on the floor.
    edge = look.frame.cushion_m + look.frame.rail_m
    out_x = np.abs(places[..., 0]) - table.spec.length_m / 2 - edge
    out_y = np.abs(places[..., 1]) - table.spec.width_m / 2 - edge
    out = np.hypot(np.maximum(out_x, 0), np.maximum(out_y, 0))
    factor *= 1 - 0.6 * np.exp(-out / 0.12)
    floor = np.asarray(factor[..., None] * colour, np.float32)
    if look.floor == "bokeh":
        floor += _bokeh(rng, shape)
    return np.maximum(floor, 0)


def _bokeh(rng: np.random.Generator, shape: tuple[int, int]) -> Float32:
    spots = np.zeros((*shape, 3), np.float32)
    tint = rng.uniform(0.3, 1.0, 3)
    for _ in range(int(rng.integers(200, 900))):
        centre = (int(rng.integers(shape[1])), int(rng.integers(shape[0])))
        size = int(rng.integers(3, 14) * shape[1] / 1920 + 1)
        colour = tint * rng.uniform(0.2, 0.9) + rng.uniform(0, 0.2, 3)
        axes = (size, int(size * rng.uniform(0.6, 1.6)) + 1)
        cv2.ellipse(spots, centre, axes, float(rng.uniform(0, 180)), 0, 360, [float(c) for c in colour], -1, cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(spots, (0, 0), 1.5), np.float32)
