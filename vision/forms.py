"""The form of a ball's outline in the picture, wherever the ball lies: its points, their normals, and how they move with it.

Theory: the outline of a sphere is the image of the circle in which rays from the camera graze it (its silhouette), lens and
perspective included. For the third of a radius that a search moves, form and scale hold. The form changes slowly over the
bed, so for a recording it is worked out once on a grid and interpolated between: over a step of the grid it bends by some
thousandths of a pixel. Where the ball's centre is in the picture is never interpolated.

Fails: outside the grid, a ball's width beyond the noses, forms are those of its edge.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel

FloatArray = NDArray[np.float64]

ANGLES = 32
"""Normals along an outline: one per three pixels at a radius of 15, enough to average the pixel grid away."""
_TURNS = np.arange(ANGLES) * (2 * np.pi / ANGLES)
_RING = np.column_stack([np.cos(_TURNS), np.sin(_TURNS)])
_STEP_RADII = 2.0
"""Between places of the grid, ball radii."""
_BEYOND_RADII = 3.0
"""How far beyond the noses it reaches, ball radii."""
_SMALL = 0.1
"""Movement by which slopes are told, ball radii."""


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """Outlines of N balls in the picture.

    Attributes:
        outline: Shape (N, ANGLES, 2), pixels.
        normals: Shape (N, ANGLES, 2), outward, length 1.
        jacobian: Shape (N, 2, 2), pixels a radius of movement in x and in y.
        slopes: Shape (N, ANGLES, 2), radii the outline moves along its normals for a radius of movement in x, y.
        radius_px: Shape (N,).
    """

    outline: FloatArray
    normals: FloatArray
    jacobian: FloatArray
    slopes: FloatArray
    radius_px: FloatArray

    def moved_px(self, moved: FloatArray) -> FloatArray:
        """Moves of (N, 2) radii in pixels."""
        return np.asarray(np.einsum("nij,nj->ni", self.jacobian, moved), dtype=np.float64)


def forms(camera: CameraModel, radius_m: float, centres_m: FloatArray) -> Forms:
    """Forms of balls at (N, 2), metres."""
    outline = _silhouette(camera, radius_m, centres_m)
    small = _SMALL * radius_m
    steps = np.concatenate([centres_m + np.array(shift) for shift in ((0.0, 0.0), (small, 0.0), (0.0, small))])
    middle, *moved = camera.to_pixels(steps, height_m=radius_m).reshape(3, len(centres_m), 2)
    jacobian = np.stack([one - middle for one in moved], axis=2) / _SMALL
    along = np.roll(outline, -1, axis=1) - np.roll(outline, 1, axis=1)
    normals = np.stack([along[..., 1], -along[..., 0]], axis=2)
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-9)
    outward = outline - middle[:, None]
    normals *= np.sign((normals * outward).sum(2, keepdims=True))
    radius_px = (normals * outward).sum(2).mean(axis=1)
    slopes = np.einsum("nki,nij->nkj", normals, jacobian) / radius_px[:, None, None]
    return Forms(outline, normals, jacobian, slopes, radius_px)


class FormGrid:
    """The forms of one radius of balls on one bed before one camera."""

    def __init__(self, camera: CameraModel, radius_m: float, half_size_m: tuple[float, float]) -> None:
        """Work the grid out (20 ms).

        Args:
            camera: Of the pictures.
            radius_m: A ball's.
            half_size_m: Half length and half width of the bed.
        """
        self._camera, self._radius, self._step = camera, radius_m, _STEP_RADII * radius_m
        reach = [math.ceil((half + _BEYOND_RADII * radius_m) / self._step) for half in half_size_m]
        self._low = -np.array(reach, dtype=np.float64)
        self._last = np.array([2.0 * count for count in reach]) - 1e-6
        self._columns = 2 * reach[0] + 1
        x, y = np.meshgrid(*(np.arange(-count, count + 1) * self._step for count in reach))
        places = np.column_stack([x.ravel(), y.ravel()])
        known, middles = forms(camera, radius_m, places), camera.to_pixels(places, height_m=radius_m)
        parts = (known.outline - middles[:, None], known.normals, known.slopes, known.jacobian, known.radius_px)
        self._table = np.concatenate([part.reshape(len(places), -1) for part in parts], axis=1)

    def at(self, centres_m: FloatArray) -> Forms:
        """Forms of balls at (N, 2), metres."""
        count = len(centres_m)
        place = np.clip(centres_m / self._step - self._low, 0.0, self._last)
        cell = place.astype(np.intp)
        (right, up), (left, down) = (place - cell).T, (1 - (place - cell)).T
        corner = cell[:, 1] * self._columns + cell[:, 0]
        shares = np.stack([left * down, right * down, left * up, right * up], axis=1)
        corners = corner[:, None] + np.array([0, 1, self._columns, self._columns + 1])
        rows = (shares[:, None] @ self._table[corners])[:, 0]
        outline, normals, slopes = rows[:, : 6 * ANGLES].reshape(count, 3, ANGLES, 2).transpose(1, 0, 2, 3)
        middles = self._camera.to_pixels(centres_m, height_m=self._radius)
        jacobian = rows[:, 6 * ANGLES : 6 * ANGLES + 4].reshape(count, 2, 2)
        return Forms(outline + middles[:, None], normals, jacobian, slopes, rows[:, -1])


def _silhouette(camera: CameraModel, radius_m: float, centres_m: FloatArray) -> FloatArray:
    """Outline points in the picture, shape (N, ANGLES, 2), of balls at (N, 2)."""
    count = len(centres_m)
    centres = np.column_stack([centres_m, np.full(count, radius_m)])
    towards = camera.position_m - centres
    distance = np.linalg.norm(towards, axis=1, keepdims=True)
    towards /= distance
    # Two directions across the ray: ray x (0, 1, 0) made unit, and ray x that.
    across = np.column_stack([-towards[:, 2], np.zeros(count), towards[:, 0]])
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
    (tx, ty, tz), (ax, _, az) = towards.T, across.T
    along = np.column_stack([ty * az, tz * ax - tx * az, -ty * ax])
    circle = radius_m * np.sqrt(1 - (radius_m / distance) ** 2)
    base = centres + towards * radius_m**2 / distance
    points = base[:, None] + circle[:, None] * (_RING[None, :, :1] * across[:, None] + _RING[None, :, 1:] * along[:, None])
    flat = points.reshape(-1, 3)
    return camera.to_pixels(flat[:, :2], height_m=flat[:, 2]).reshape(count, ANGLES, 2)
