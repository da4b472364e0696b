"""Pockets and metal as they look: holes with a lit far wall, a shelf of cloth, cups; castings that shine.

The wall of a hole shows where the camera looks into it: on the side away from the camera, brighter towards its rim, dark
below. Castings are metal brushed along the rail with one broad gleam; both only change light, never an outline.
"""

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.table import Table
from sample_videos.canvas import noise
from sample_videos.looks import Look
from sample_videos.shapes import holes

Float32 = NDArray[np.float32]


def paint_holes(rng: np.random.Generator, camera: CameraModel, places: Float32, table: Table, look: Look) -> Float32:
    """Linear light of the holes, shape (H, W, 3); black elsewhere."""
    image = np.full((*places.shape[:2], 3), np.float32(0.0025))
    leather = np.array(look.liner, np.float32)
    depth, sheen = float(rng.uniform(0.35, 0.75)), float(rng.uniform(0.3, 1.6))
    eye = camera.position_m
    for hole in holes(table).values():
        centre = np.array(hole.centre_m)
        found = _window(camera, centre, 1.5 * hole.radius_m)
        if found is None:
            continue
        away = (places[found] - centre.astype(np.float32)) / np.float32(hole.radius_m)
        far = np.sqrt((away**2).sum(axis=-1))
        # What is seen of the wall: the side turned to the camera, and the outer side where the rim is lower.
        toward = (centre - eye[:2]) / max(float(eye[2]), 0.5)
        lean = np.array(hole.outward) * 0.35 + toward
        side = (away @ lean.astype(np.float32)) / np.maximum(far, 1e-3)
        inner = np.clip((far - depth) / (1 - depth), 0, 1.3)
        wall = inner**1.5 * np.clip(0.35 + 1.4 * side, 0.05, 1.2)
        streak = 1 + 0.5 * np.sin(np.arctan2(away[..., 1], away[..., 0]) * float(rng.integers(3, 9)) + float(rng.uniform(0, 6)))
        image[found] = 0.0025 + (sheen * wall * streak)[..., None].astype(np.float32) * leather
    return image


def paint_metal(rng: np.random.Generator, places: Float32, table: Table, look: Look) -> Float32:
    """Linear light of castings, shape (H, W, 3)."""
    shape = (places.shape[0], places.shape[1])
    colour = np.array(look.iron or look.rail, np.float32)
    turn = float(rng.uniform(0, np.pi))
    along = places[..., 0] * np.float32(np.cos(turn)) + places[..., 1] * np.float32(np.sin(turn))
    gleam = np.sin(along * float(rng.uniform(5, 16)) + float(rng.uniform(0, 6)))
    tone = 0.92 + 0.22 * gleam * look.rail_gloss / 0.4 + 0.05 * noise(rng, shape, (2, 40))
    beyond = np.maximum(np.abs(places[..., 0]) - table.spec.length_m / 2, np.abs(places[..., 1]) - table.spec.width_m / 2)
    edge = look.frame.cushion_m + look.frame.rail_m
    tone *= 1 - 0.35 * np.clip((beyond - edge + 0.02) / 0.02, 0, 1)
    return np.asarray(np.clip(tone, 0.1, 2)[..., None] * colour, np.float32)


def paint_glare(camera: CameraModel, places: Float32, look: Look) -> Float32:
    """Light of the lamps mirrored by a polished rail, shape (H, W), 0 to 1."""
    eye = camera.position_m
    glare = np.zeros(places.shape[:2], np.float32)
    for lamp in look.lamps[:2]:
        reach = np.float32(lamp.centre_m[2] / eye[2])
        soft = 0.12 * lamp.centre_m[2]
        inside = np.ones_like(glare)
        for axis in (0, 1):
            mirrored = places[..., axis] * (1 + reach) - np.float32(eye[axis]) * reach
            inside *= np.clip((lamp.half_m[axis] - np.abs(mirrored - np.float32(lamp.centre_m[axis]))) / soft + 0.5, 0, 1)
        glare += np.float32(lamp.share) * inside
    return np.minimum(glare, 1)


def _window(camera: CameraModel, centre: NDArray[np.float64], reach_m: float) -> tuple[slice, slice] | None:
    corners = centre + reach_m * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    pixels = camera.to_pixels(corners)
    if not np.isfinite(pixels).all():
        return None
    low = np.clip(np.floor(pixels.min(axis=0)).astype(int), 0, camera.image_size_px)
    high = np.clip(np.ceil(pixels.max(axis=0)).astype(int) + 1, 0, camera.image_size_px)
    if (high - low).min() < 1:
        return None
    return slice(low[1], high[1]), slice(low[0], high[0])
