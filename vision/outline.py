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
        across = np.cross(towards, (0.0, 1.0, 0.0))
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
        along = np.cross(towards, across)
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
        centres = np.array(starts_m, dtype=np.float64)
        unit = cloth / np.maximum(np.linalg.norm(cloth, axis=1, keepdims=True), 1.0)
        slopes = self._slopes(centres)
        offsets, weight, radius_px = np.empty(0), np.empty(0), np.empty(0)
        for turn, prior in enumerate(_PRIORS):
            offsets, strength, radius_px = self._edges(image, centres, unit, prior)
            weight = self._weights(offsets, strength, radius_px, turn > 1)
            if turn < len(_PRIORS) - 1:
                centres = centres + self._step(offsets, slopes, weight)
        pixels = self._camera.to_pixels(centres, height_m=self._radius)
        found: list[Outline | None] = []
        for index in range(count):
            found.append(self._judge(index, centres, pixels, offsets, slopes, weight, radius_px, starts_m))
        return found

    def _edges(self, image: Image, centres: FloatArray, unit: FloatArray, prior: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Edge offsets along normals in radii and their strength, shape (N, angles), and the radius in pixels, (N,)."""
        outline = self.silhouette(centres)
        wider = self.silhouette(centres, scale=1.1)
        normals, radius_px = _normals(outline, wider)
        places = np.linspace(-_REACH, _REACH, _STEPS)
        t = places[None, None, :] * radius_px[:, None, None]
        xy = outline[:, :, None] + t[..., None] * normals[:, :, None]
        flat = xy.reshape(len(centres) * _ANGLES, _STEPS, 2).astype(np.float32)
        colours = np.asarray(cv2.remap(image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR), dtype=np.float32)
        colours = colours.reshape(len(centres), _ANGLES, _STEPS, 3)
        bright = np.einsum("nksc,nc->nks", colours, unit)
        rest = colours - bright[..., None] * unit[:, None, None, :]
        features = np.concatenate([rest, _BRIGHTNESS_WEIGHT * bright[..., None]], axis=3)
        smooth = (features[:, :, :-2] + 2 * features[:, :, 1:-1] + features[:, :, 2:]) / 4
        change = np.sqrt(((smooth[:, :, 2:] - smooth[:, :, :-2]) ** 2).sum(3))
        inner = places[2:-2]
        score = change * np.exp(-0.5 * (inner / prior) ** 2)
        best = np.clip(score.argmax(axis=2), 1, len(inner) - 2)
        rows, columns = np.indices(best.shape)
        before, at, after = (score[rows, columns, best + k] for k in (-1, 0, 1))
        bend = before - 2 * at + after
        shift = np.where(np.abs(bend) > 1e-6, 0.5 * (before - after) / np.where(bend == 0, 1.0, bend), 0.0)
        position = inner[best] + np.clip(shift, -0.5, 0.5) * (places[1] - places[0])
        strength = change[rows, columns, best]
        return position, strength, radius_px

    def _slopes(self, centres: FloatArray) -> FloatArray:
        """How far the outline moves along its normals for a small movement in x and in y, shape (N, angles, 2)."""
        outline = self.silhouette(centres)
        normals, radius_px = _normals(outline, self.silhouette(centres, scale=1.1))
        small = 0.05
        slopes = []
        for axis in (0, 1):
            moved = centres.copy()
            moved[:, axis] += small * self._radius
            slopes.append(((self.silhouette(moved) - outline) * normals).sum(2) / radius_px[:, None] / small)
        return np.stack(slopes, axis=2)

    @staticmethod
    def _weights(offsets: FloatArray, strength: FloatArray, radius_px: FloatArray, last: bool) -> FloatArray:
        scale = np.maximum(_TUKEY_RADII * (1.0 if last else 2.2), 1.2 / radius_px)[:, None]
        inside = np.abs(offsets) < scale
        return np.where(inside & (strength > _EDGE_LEAST), (1 - (offsets / scale) ** 2) ** 2, 0.0)

    def _step(self, offsets: FloatArray, slopes: FloatArray, weight: FloatArray) -> FloatArray:
        normal = np.einsum("nk,nki,nkj->nij", weight, slopes, slopes) + 0.3 * np.eye(2)
        right = np.einsum("nk,nki,nk->ni", weight, slopes, offsets)
        step = np.linalg.solve(normal, right[..., None])[..., 0]
        return np.asarray(np.clip(step, -0.3, 0.3) * self._radius)

    def _judge(
        self,
        index: int,
        centres: FloatArray,
        pixels: FloatArray,
        offsets: FloatArray,
        slopes: FloatArray,
        weight: FloatArray,
        radius_px: FloatArray,
        starts_m: FloatArray,
    ) -> Outline | None:
        used = weight[index] > 0.15
        support = float(used.mean())
        if used.sum() < 6 or np.linalg.norm(centres[index] - starts_m[index]) > 0.9 * self._radius:
            return None
        spread = float(1.4826 * np.median(np.abs(offsets[index][used]))) + 1e-3
        normal = np.einsum("ki,kj->ij", slopes[index][used], slopes[index][used]) + 1e-6 * np.eye(2)
        # Neighbouring normals share pixels and errors: count a third of them as independent.
        spreading = spread * float(np.sqrt(3.0 * np.trace(np.linalg.inv(normal)) / 2))
        sigma = float(np.hypot(spreading, _FLOOR_PX / radius_px[index])) * self._radius
        (x, y), (px, py) = centres[index], pixels[index]
        return Outline(position_m=(float(x), float(y)), px=(float(px), float(py)), sigma_m=sigma, support=support, spread=spread)


def _normals(outline: FloatArray, wider: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Unit normals of outlines, shape (N, angles, 2), and the mean radius in pixels, (N,), from one a tenth wider."""
    normals = wider - outline
    lengths = np.linalg.norm(normals, axis=2)
    return normals / np.maximum(lengths, 1e-9)[..., None], lengths.mean(axis=1) / 0.1
