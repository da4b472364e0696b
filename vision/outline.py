"""Where a ball's centre is, to a fraction of a pixel, from its outline in the camera picture.

Theory: the outline of a sphere is the image of its silhouette circle: the points where rays from the camera graze it.
With the camera known, a centre (x, y) at height R predicts the whole outline, lens and perspective included. Along
the normals of the predicted outline the strongest edge is sought, and the centre moves so that predicted and seen
outline meet (Gauss-Newton on two unknowns, the radius being known). Edges are strongest changes of the picture split
into brightness against the cloth and the rest (vision.cloth), brightness at half weight, so that a shadow's edge is
weak. Highlight, stripe, number and neighbour give edges that do not fit a circle of this radius: Tukey's biweight
leaves them out. Blur widens edges and moves none.

Fails: less than a third of the outline visible leaves the centre loose along the hidden side (sigma says so); a ball
moving more than about half its radius during the exposure has no such outline (vision.streak).
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_ANGLES = 32
"""Normals along an outline: one per three pixels at a radius of 15, enough to average the pixel grid away."""
_REACH = 0.45
"""How far along a normal an edge is sought, either way, ball radii: a wrong start by a third of a radius is caught,
the far edge of a touching neighbour is not."""
_STEPS = 21
"""Samples along a normal."""
_PLACES = np.linspace(-_REACH, _REACH, _STEPS, dtype=np.float32)
_BRIGHTNESS_WEIGHT = 0.5
"""Weight of brightness against the rest of colour: full weight follows shadows, none misses black balls."""
_PRIORS = (0.32, 0.22, 0.16, 0.14)
"""How far from the predicted outline an edge is looked for in each round, standard deviation in ball radii: the start
may be a third of a radius off, the end must not follow highlights."""
_EDGE_LEAST = 9.0
"""Smallest change over one sample spread that is an edge, levels; half of the weakest ball on cloth seen (35)."""
_TUKEY_RADII = 0.14
"""Edges further than this from the outline, ball radii, do not count in the last round."""
_FLOOR_PX = 0.12
"""No centre is better than this, pixels: measured scatter of resting balls in compressed video is 0.05 to 0.1, and
the outline's own bias by highlights and chroma subsampling about as much again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A ball placed by its outline.

    Attributes:
        position_m: (x, y), metres, table frame.
        px: (x, y) of the centre in the camera picture.
        sigma_m: Standard deviation per axis, metres.
        support: Part of the outline that shows a fitting edge, 0 to 1.
        spread: Robust standard deviation of the fitting edges about the outline, ball radii.
    """

    position_m: tuple[float, float]
    px: tuple[float, float]
    sigma_m: float
    support: float
    spread: float


@dataclass(frozen=True, slots=True, eq=False)
class _Shape:
    """Outlines of N balls at their starts.

    Attributes:
        outline: Shape (N, angles, 2), pixels.
        normals: Shape (N, angles, 2), outward, length 1.
        jacobian: Shape (N, 2, 2), pixels a radius of movement in x and in y.
        slopes: Shape (N, angles, 2), radii the outline moves along its normals for a radius of movement in x, y.
        radius_px: Shape (N,).
    """

    outline: FloatArray
    normals: FloatArray
    jacobian: FloatArray
    slopes: FloatArray
    radius_px: FloatArray


class OutlineFitter:
    """Places balls of one radius seen by one camera."""

    def __init__(self, camera: CameraModel, ball_radius_m: float) -> None:
        self._camera = camera
        self._radius = ball_radius_m
        angles = np.arange(_ANGLES) * (2 * np.pi / _ANGLES)
        self._ring = np.column_stack([np.cos(angles), np.sin(angles)])
        self.angles = len(angles)

    def silhouette(self, centres_m: FloatArray, scale: float = 1.0) -> FloatArray:
        """Outline points in the picture, shape (N, angles, 2), of balls at (N, 2); `scale` widens the radius."""
        count, radius = len(centres_m), self._radius
        centres = np.column_stack([centres_m, np.full(count, radius)])
        towards = self._camera.position_m - centres
        distance = np.linalg.norm(towards, axis=1, keepdims=True)
        towards /= distance
        # Two directions across the ray: ray x (0, 1, 0) made unit, and ray x that.
        across = np.column_stack([-towards[:, 2], np.zeros(count), towards[:, 0]])
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
        (tx, ty, tz), (ax, _, az) = towards.T, across.T
        along = np.column_stack([ty * az, tz * ax - tx * az, -ty * ax])
        circle = scale * radius * np.sqrt(1 - (radius / distance) ** 2)
        base = centres + towards * radius**2 / distance
        points = base[:, None] + circle[:, None] * (self._ring[None, :, :1] * across[:, None] + self._ring[None, :, 1:] * along[:, None])
        flat = points.reshape(-1, 3)
        return self._camera.to_pixels(flat[:, :2], height_m=flat[:, 2]).reshape(count, len(self._ring), 2)

    def fit(self, image: Image, starts_m: FloatArray, cloth: FloatArray) -> list[Outline | None]:
        """Balls placed from rough starts.

        Args:
            image: Camera picture, BGR.
            starts_m: Shape (N, 2), metres, right to a third of a radius.
            cloth: Shape (N, 3), BGR of the cloth around each.

        Returns:
            One a start, in order; None where no outline is seen there.
        """
        count = len(starts_m)
        if count == 0:
            return []
        shape = self._shape(starts_m)
        unit = cloth / np.maximum(np.linalg.norm(cloth, axis=1, keepdims=True), 1.0)
        moved = np.zeros((count, 2))
        offsets, weight = np.empty(0), np.empty(0)
        for turn, prior in enumerate(_PRIORS):
            offsets, strength = self._edges(image, shape, moved, unit, prior)
            weight = self._weights(offsets, strength, shape.radius_px, turn > 1)
            if turn < len(_PRIORS) - 1:
                moved = moved + self._step(offsets, shape.slopes, weight)
        centres = starts_m + moved * self._radius
        pixels = self._camera.to_pixels(centres, height_m=self._radius)
        return self._judge(centres, pixels, moved, offsets, shape, weight)

    def _shape(self, centres: FloatArray) -> "_Shape":
        """Outlines at the starts; for the third of a radius they may move, their form and the picture's scale hold."""
        outline = self.silhouette(centres)
        small = 0.1 * self._radius
        steps = np.concatenate([centres + np.array(shift) for shift in ((0.0, 0.0), (small, 0.0), (0.0, small))])
        middle, *moved = self._camera.to_pixels(steps, height_m=self._radius).reshape(3, len(centres), 2)
        jacobian = np.stack([one - middle for one in moved], axis=2) / 0.1
        along = np.roll(outline, -1, axis=1) - np.roll(outline, 1, axis=1)
        normals = np.stack([along[..., 1], -along[..., 0]], axis=2)
        normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-9)
        outward = outline - middle[:, None]
        normals *= np.sign((normals * outward).sum(2, keepdims=True))
        radius_px = (normals * outward).sum(2).mean(axis=1)
        slopes = np.einsum("nki,nij->nkj", normals, jacobian) / radius_px[:, None, None]
        return _Shape(outline, normals, jacobian, slopes, radius_px)

    def _edges(self, image: Image, shape: "_Shape", moved: FloatArray, unit: FloatArray, prior: float) -> tuple[FloatArray, FloatArray]:
        """Edge offsets along normals in radii and their strength, shape (N, angles)."""
        outline = shape.outline + np.einsum("nij,nj->ni", shape.jacobian, moved)[:, None]
        normals, radius_px, count = shape.normals, shape.radius_px, len(moved)
        along = (normals * radius_px[:, None, None]).astype(np.float32)
        xy = outline[:, :, None].astype(np.float32) + _PLACES[:, None] * along[:, :, None]
        flat = xy.reshape(count * _ANGLES, _STEPS, 2)
        colours = np.asarray(cv2.remap(image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR), dtype=np.float32)
        colours = colours.reshape(count, _ANGLES, _STEPS, 3)
        # Change over two samples of (1 2 1)/4 smoothed colours; what of it is along the cloth's colour is brightness.
        smooth = colours[:, :, :-2] + 2 * colours[:, :, 1:-1] + colours[:, :, 2:]
        step = (smooth[:, :, 2:] - smooth[:, :, :-2]) / 4
        bright = step @ unit[:, None, :, None].astype(np.float32)
        squared = np.einsum("nksc,nksc->nks", step, step) - (1 - _BRIGHTNESS_WEIGHT**2) * bright[..., 0] ** 2
        change = np.sqrt(np.maximum(squared, 0.0))
        inner = _PLACES[2:-2]
        score = change * np.exp(-0.5 * (inner / prior) ** 2)
        best = np.clip(score.argmax(axis=2), 1, len(inner) - 2)
        rows, columns = np.indices(best.shape)
        before, at, after = (score[rows, columns, best + k] for k in (-1, 0, 1))
        bend = before - 2 * at + after
        shift = np.where(np.abs(bend) > 1e-6, 0.5 * (before - after) / np.where(bend == 0, 1.0, bend), 0.0)
        position = inner[best] + np.clip(shift, -0.5, 0.5) * (_PLACES[1] - _PLACES[0])
        strength = change[rows, columns, best]
        return position.astype(np.float64), strength.astype(np.float64)

    @staticmethod
    def _weights(offsets: FloatArray, strength: FloatArray, radius_px: FloatArray, last: bool) -> FloatArray:
        scale = np.maximum(_TUKEY_RADII * (1.0 if last else 2.2), 1.2 / radius_px)[:, None]
        inside = np.abs(offsets) < scale
        return np.where(inside & (strength > _EDGE_LEAST), (1 - (offsets / scale) ** 2) ** 2, 0.0)

    def _step(self, offsets: FloatArray, slopes: FloatArray, weight: FloatArray) -> FloatArray:
        normal = np.einsum("nk,nki,nkj->nij", weight, slopes, slopes) + 0.3 * np.eye(2)
        right = np.einsum("nk,nki,nk->ni", weight, slopes, offsets)
        step = np.linalg.solve(normal, right[..., None])[..., 0]
        return np.asarray(np.clip(step, -0.3, 0.3))

    def _judge(
        self, centres: FloatArray, pixels: FloatArray, moved: FloatArray, offsets: FloatArray, shape: "_Shape", weight: FloatArray
    ) -> list[Outline | None]:
        """Outlines of N balls from the last round; None where too little fits or the start was too far off."""
        used = weight > 0.15
        spread = 1.4826 * masked_median(np.abs(offsets), used) + 1e-3
        normal = np.einsum("nk,nki,nkj->nij", used.astype(np.float64), shape.slopes, shape.slopes) + 1e-6 * np.eye(2)
        loose = np.trace(normal, axis1=1, axis2=2) / np.linalg.det(normal)  # Trace of the inverse.
        # Neighbouring normals share pixels and errors: count a third of them as independent.
        sigma = np.hypot(spread * np.sqrt(3.0 * loose / 2), _FLOOR_PX / shape.radius_px) * self._radius
        good = (used.sum(axis=1) >= 6) & (np.linalg.norm(moved, axis=1) <= 0.9)
        rows = zip(good, centres.tolist(), pixels.tolist(), sigma.tolist(), used.mean(axis=1).tolist(), spread.tolist(), strict=True)
        return [
            Outline(position_m=(c[0], c[1]), px=(p[0], p[1]), sigma_m=one_sigma, support=support, spread=one_spread) if fine else None
            for fine, c, p, one_sigma, support, one_spread in rows
        ]


def masked_median(values: NDArray[np.floating], used: NDArray[np.bool_]) -> FloatArray:
    """Median along the last axis over the values `used`, shape of the other axes; inf where none is used."""
    ranked = np.sort(np.where(used, values, np.inf), axis=-1)
    count = used.sum(axis=-1)
    low = np.take_along_axis(ranked, np.maximum((count - 1) // 2, 0)[..., None], axis=-1)
    high = np.take_along_axis(ranked, np.minimum(count // 2, values.shape[-1] - 1)[..., None], axis=-1)
    return np.asarray((low + high)[..., 0] / 2, dtype=np.float64)
