"""Where a ball's centre is, to a fraction of a pixel, from its outline in the camera picture.

Theory: the outline of a sphere is the image of its silhouette circle: the points where rays from the camera graze it.
With the camera known, a centre (x, y) at height R predicts the whole outline, lens and perspective included. Changes of
the picture along the normals of the start's outline are read once; every centre nearby would have its outline cross each
normal somewhere, and the centre whose outline meets most change, all normals together, is where the search goes on: one
shadow or one number cannot outvote a circle (Hough's idea with the radius known). From there an edge is sought along each
normal (vision.normals), and the centre moves so that predicted and seen outline meet (Gauss-Newton on two unknowns).
What does not fit a circle of this radius Tukey's biweight leaves out. Blur widens edges and moves none.

How badly a centre is known is told by what its outline shows: how far its edges lie off it on average (m, pixels), how weak
the weaker ones are (s, levels), and how loosely the directions seen hold it (l, the mean variance an axis for edges of
variance 1): sigma^2 = floor^2 + (k m^a s^-b l^c)^2 pixels, fitted to rendered balls by benchmarks/fit_sigma.py.

Fails: less than a third of the outline visible leaves the centre loose along the hidden side (sigma says so); a ball
moving more than about half its radius during the exposure has no such outline (vision.streak).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from vision.forms import FormGrid, Forms, forms
from vision.normals import Normals, best_move, nearest_edges

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_STEPS_TO_MEET = 3
"""Steps in which the centre moves to the edges: with one less, half of the outward pull of a vote that wants cloth beyond stays."""
_EDGE_LEAST = 9.0
"""Smallest change over one sample spread that is an edge, levels; half of the weakest ball on cloth seen (35)."""
_HELD = 0.3
"""How many edges' weight holds a centre where it is in a step: without any, a few edges on one side throw it off."""
_TUKEY_RADII = 0.12
"""Edges further than this from the outline, ball radii, do not count."""
_LEAST_EDGES = 6
"""Edges without which there is no outline: two unknowns, and as many again to tell a circle from a corner."""
_USED, _FITTING = 0.05, 0.15
"""Weight from which an edge is one of the outline, and from which it speaks for there being one: within 0.09 radii. Crossings of
light and folds have edges about a circle by chance, spread evenly; edges of balls lie within 0.03, of the faintest within 0.06."""
FLOOR_PX = 0.06
"""No centre is better than this, pixels: measured scatter of resting balls in compressed video is 0.05 to 0.1 along both axes
together."""
SIGMA_LAW = (424.0, 1.52, 0.74, 1.34)
"""k, a, b, c of the module's formula."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A ball placed by its outline.

    Attributes:
        position_m: (x, y), metres, table frame.
        px: (x, y) of the centre in the camera picture.
        sigma_m: Standard deviation per axis, metres.
        support: Part of the outline where the strongest edge fits, 0 to 1: how surely there is a ball.
        met: Part where some edge fits, 0 to 1: of two places for one ball, the better one has more.
        spread: Robust standard deviation of the fitting edges about the outline, ball radii.
    """

    position_m: tuple[float, float]
    px: tuple[float, float]
    sigma_m: float
    support: float
    met: float
    spread: float


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Edges of N balls about their outlines where the search ended.

    Attributes:
        moved: Shape (N, 2), radii from the starts.
        offsets: Shape (N, angles), radii outwards of the outline.
        strength: Shape (N, angles), levels.
        weight: Shape (N, angles), 0 where an edge is none of the outline.
        met: Shape (N,), part of the outline where some edge fits, if not the strongest.
        slopes: Shape (N, angles, 2), radii the outline moves along its normals for a radius of movement in x, y.
        radius_px: Shape (N,).
    """

    moved: FloatArray
    offsets: FloatArray
    strength: FloatArray
    weight: FloatArray
    met: FloatArray
    slopes: FloatArray
    radius_px: FloatArray

    @property
    def used(self) -> NDArray[np.bool_]:
        """Which edges are the outline's, shape (N, angles)."""
        return np.asarray(self.weight > _USED, dtype=np.bool_)

    def unsure(self) -> FloatArray:
        """What tells how badly a centre is known, shape (N, 3): mean distance of the edges off the outline in pixels, strength
        of the weaker ones in levels, and mean variance an axis for edges of variance 1."""
        used = self.used
        count = np.maximum(used.sum(axis=1), 1)
        mean_px = (np.abs(self.offsets) * used).sum(axis=1) / count * self.radius_px
        ranked = np.sort(np.where(used, self.strength, np.inf), axis=1)
        weak = np.take_along_axis(ranked, (count // 4)[:, None], axis=1)[:, 0]
        normal = np.einsum("nk,nki,nkj->nij", used.astype(np.float64), self.slopes, self.slopes) + 1e-6 * np.eye(2)
        loose = np.trace(normal, axis1=1, axis2=2) / np.linalg.det(normal) / 2  # Half the trace of the inverse.
        return np.column_stack([np.maximum(mean_px, 0.01), np.clip(weak, _EDGE_LEAST, 255.0), loose])


class OutlineFitter:
    """Places balls of one radius seen by one camera."""

    def __init__(self, camera: CameraModel, ball_radius_m: float, *, half_size_m: tuple[float, float] | None = None) -> None:
        """Give the camera and the balls' radius.

        Args:
            camera: Of the pictures.
            ball_radius_m: Metres.
            half_size_m: Half length and half width of the bed, metres, where many pictures are to come: forms are then made
                for it beforehand (vision.forms).
        """
        self._camera = camera
        self._radius = ball_radius_m
        self._forms = FormGrid(camera, ball_radius_m, half_size_m) if half_size_m is not None else None

    def silhouette(self, centres_m: FloatArray) -> FloatArray:
        """Outline points in the picture, shape (N, ANGLES, 2), of balls at (N, 2)."""
        return self._forms_of(centres_m).outline

    def fit(self, image: Image, starts_m: FloatArray, cloth: FloatArray) -> list[Outline | None]:
        """Balls placed from rough starts.

        Args:
            image: Camera picture, BGR.
            starts_m: Shape (N, 2), metres, right to a third of a radius.
            cloth: Shape (N, 3), BGR of the cloth around each.

        Returns:
            One a start, in order; None where no outline is seen there.
        """
        if len(starts_m) == 0:
            return []
        edges = self.settle(image, starts_m, cloth)
        centres = starts_m + edges.moved * self._radius
        return self._judge(centres, self._camera.to_pixels(centres, height_m=self._radius), edges)

    def settle(self, image: Image, starts_m: FloatArray, cloth: FloatArray) -> Edges:
        """What `fit` finds of each start before it is judged; at least one start."""
        count = len(starts_m)
        shape = self._forms_of(starts_m)
        normals = Normals.of(image, shape.outline, shape.normals * shape.radius_px[:, None, None], cloth)
        moved = best_move(normals.votes(), shape.slopes)
        change, since = normals.change(shape.moved_px(moved)), np.zeros((count, 2))
        bend = np.stack([shape.slopes[..., 0] ** 2, shape.slopes[..., 1] ** 2, shape.slopes.prod(axis=2)], axis=2)
        for _ in range(_STEPS_TO_MEET):
            (edges,) = nearest_edges(change, (shape.slopes @ since[..., None])[..., 0], even=(True,))
            since = since + self._step(edges[0], shape.slopes, bend, self._weights(*edges, shape.radius_px))
        moved = moved + since
        (any_offsets, any_strength), (offsets, strength) = nearest_edges(normals.change(shape.moved_px(moved)), even=(True, False))
        any_weight = self._weights(any_offsets, any_strength, shape.radius_px)
        weight = self._weights(offsets, strength, shape.radius_px)
        # A ring of light about a ball, or the white within a stripe's rim, is stronger than the rim all the way round.
        outshone = ((weight > _USED).sum(axis=1) < _LEAST_EDGES)[:, None]
        offsets, strength, weight = (
            np.where(outshone, one, other) for one, other in ((any_offsets, offsets), (any_strength, strength), (any_weight, weight))
        )
        return Edges(moved, offsets, strength, weight, (any_weight > _FITTING).mean(axis=1), shape.slopes, shape.radius_px)

    def _forms_of(self, centres_m: FloatArray) -> Forms:
        return forms(self._camera, self._radius, centres_m) if self._forms is None else self._forms.at(centres_m)

    @staticmethod
    def _weights(offsets: FloatArray, strength: FloatArray, radius_px: FloatArray) -> FloatArray:
        scale = np.maximum(_TUKEY_RADII, 1.2 / radius_px)[:, None]
        inside = np.abs(offsets) < scale
        return np.where(inside & (strength > _EDGE_LEAST), (1 - (offsets / scale) ** 2) ** 2, 0.0)

    @staticmethod
    def _step(offsets: FloatArray, slopes: FloatArray, bend: FloatArray, weight: FloatArray) -> FloatArray:
        """Gauss-Newton's step, shape (N, 2), held a little; `bend` has the products xx, yy, xy of slopes, shape (N, angles, 3)."""
        xx, yy, xy = (weight[:, None] @ bend)[:, 0].T
        x, y = ((weight * offsets)[:, None] @ slopes)[:, 0].T
        xx, yy = xx + _HELD, yy + _HELD
        step = np.column_stack([yy * x - xy * y, xx * y - xy * x]) / (xx * yy - xy * xy)[:, None]
        return np.asarray(np.clip(step, -0.3, 0.3))

    def _judge(self, centres: FloatArray, pixels: FloatArray, edges: Edges) -> list[Outline | None]:
        """Outlines of N balls; None where too little fits or the start was too far off."""
        used = edges.used
        spread = 1.4826 * masked_median(np.abs(edges.offsets), used) + 1e-3
        sigma = np.minimum(sigma_px(edges.unsure()) / edges.radius_px, 1.0) * self._radius
        good = (used.sum(axis=1) >= _LEAST_EDGES) & (np.linalg.norm(edges.moved, axis=1) <= 0.9)
        support = (edges.weight > _FITTING).mean(axis=1)
        told = np.column_stack([centres, pixels, sigma, support, edges.met, spread])
        return [
            Outline(position_m=(x, y), px=(u, v), sigma_m=one_sigma, support=part, met=met, spread=one_spread) if fine else None
            for fine, (x, y, u, v, one_sigma, part, met, one_spread) in zip(good, told.tolist(), strict=True)
        ]


def sigma_px(unsure: FloatArray, law: tuple[float, float, float, float] = SIGMA_LAW, floor_px: float = FLOOR_PX) -> FloatArray:
    """Standard deviation an axis, pixels, shape (N,), of what `Edges.unsure` gives, shape (N, 3)."""
    mean_px, weak, loose = unsure.T
    k, a, b, c = law
    return np.asarray(np.hypot(floor_px, k * mean_px**a * weak**-b * loose**c), dtype=np.float64)


def masked_median(values: NDArray[np.floating], used: NDArray[np.bool_]) -> FloatArray:
    """Median along the last axis over the values `used`, shape of the other axes; inf where none is used."""
    ranked = np.sort(np.where(used, values, np.inf), axis=-1)
    count = used.sum(axis=-1)
    low = np.take_along_axis(ranked, np.maximum((count - 1) // 2, 0)[..., None], axis=-1)
    high = np.take_along_axis(ranked, np.minimum(count // 2, values.shape[-1] - 1)[..., None], axis=-1)
    return np.asarray((low + high)[..., 0] / 2, dtype=np.float64)
