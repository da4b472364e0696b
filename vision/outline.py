"""Where a ball's centre is, to a fraction of a pixel, from its outline in the camera picture.

Theory: the outline of a sphere is the image of its silhouette circle: the points where rays from the camera graze it.
With the camera known, a centre (x, y) at height R predicts the whole outline, lens and perspective included. Changes of
the picture along the normals of the start's outline are read once; every centre nearby would have its outline cross each
normal somewhere, and the centre whose outline meets most change, all normals together, is where the search goes on: one
shadow or one number cannot outvote a circle (Hough's idea with the radius known). From there the strongest edge is sought
along each normal, and the centre moves so that predicted and seen outline meet (Gauss-Newton on two unknowns). Changes are
split into brightness against the cloth and the rest (vision.cloth), brightness at less weight, so that a shadow's edge is
weak. Highlight, stripe, number and neighbour give edges that do not fit a circle of this radius: Tukey's biweight
leaves them out. Blur widens edges and moves none.

How badly a centre is known is told by what its outline shows: how far its edges lie off it on average (m, pixels), how weak
the weaker ones are (s, levels), and how loosely the directions seen hold it (l, the mean variance an axis for edges of
variance 1): sigma^2 = floor^2 + (k m^a s^-b l^c)^2 pixels, fitted to rendered balls by benchmarks/fit_sigma.py.

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
_BEYOND = 3
"""How many samples outwards of a change its outer side is looked at: past what blur and chroma of half the width mix."""
_PLACES_WITH_BEYOND = np.concatenate([_PLACES, _REACH + (_PLACES[1] - _PLACES[0]) * np.arange(1, _BEYOND)]).astype(np.float32)
_LIKE_CLOTH, _UNLIKE_VOTE = 60.0, 0.1
"""Distance from the cloth's colour at which half of a change's vote is lost, levels, beyond the folds and the dirt of cloth; and
what is left of it where something else lies there, for in a rack hardly any cloth is seen."""
_BRIGHTNESS_WEIGHT = 0.7
"""Weight of brightness against the rest of colour: full weight follows shadows, none misses black balls."""
_VOTE_HALF = 12.0
"""Change that has half a full vote, levels: above, a white number counts hardly more than a ball's rim in the shade."""
_VOTE_PULL = 0.7
"""Part of all votes that a start a radius off must win over: without it a blank cloth votes for anything."""
_FAR, _FINE = 0.4, 0.08
"""How far from the start centres are voted on, and how finely at first, ball radii; a vote is about 0.1 wide."""
_STEPS_TO_MEET = 3
"""Steps in which the centre moves to the edges: with one less, half of the outward pull of a vote that wants cloth beyond stays."""
_PRIOR = 0.20
"""How far from the predicted outline an edge is looked for, standard deviation in ball radii: narrower holds
the centre to the vote's, wider follows highlights."""
_STRENGTH_HALF = 40.0
"""Change that counts half against a nearer one while the centre moves, levels: without it a white number ten times as strong as
the rim of a ball in the cloth's colour is taken for the rim. Not so when it is told how well an outline fits: folds fit too."""
_EDGE_LEAST = 9.0
"""Smallest change over one sample spread that is an edge, levels; half of the weakest ball on cloth seen (35)."""
_TUKEY_RADII = 0.12
"""Edges further than this from the outline, ball radii, do not count."""
_USED, _FITTING = 0.05, 0.15
"""Weight from which an edge is one of the outline, and from which it speaks for there being one: within 0.09 radii. Crossings of
light and folds have edges about a circle by chance, spread evenly; edges of balls lie within 0.03, of the faintest within 0.06."""
FLOOR_PX = 0.06
"""No centre is better than this, pixels: measured scatter of resting balls in compressed video is 0.05 to 0.1 along both axes
together."""
SIGMA_LAW = (424.0, 1.52, 0.74, 1.34)
"""k, a, b, c of the module's formula."""


def _grid(reach: float, step: float) -> FloatArray:
    """Points (x, y) of a square grid within a circle, shape (M, 2)."""
    line = np.arange(-round(reach / step), round(reach / step) + 1) * step
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    return np.asarray(points[np.hypot(*points.T) <= reach + 1e-9], dtype=np.float64)


_NEARBY, _CLOSE = _grid(_FAR, _FINE), _grid(1.5 * _FINE, _FINE / 2)
_BEND = np.linalg.pinv(np.column_stack([np.ones(len(_CLOSE)), _CLOSE, _CLOSE**2, _CLOSE.prod(axis=1)]))
"""Turns votes on the close grid into the six terms of a paraboloid."""


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
        if len(starts_m) == 0:
            return []
        edges = self.settle(image, starts_m, cloth)
        centres = starts_m + edges.moved * self._radius
        return self._judge(centres, self._camera.to_pixels(centres, height_m=self._radius), edges)

    def settle(self, image: Image, starts_m: FloatArray, cloth: FloatArray) -> Edges:
        """What `fit` finds of each start before it is judged; at least one start."""
        count = len(starts_m)
        shape = self._shape(starts_m)
        unit = cloth / np.maximum(np.linalg.norm(cloth, axis=1, keepdims=True), 1.0)
        moved = self._vote(self._votes(image, shape, cloth, unit), shape.slopes)
        change, since = self._change(image, shape, moved, unit), np.zeros((count, 2))
        for _ in range(_STEPS_TO_MEET):
            offsets, strength = self._edges(change, np.einsum("nki,ni->nk", shape.slopes, since), even=True)
            since = since + self._step(offsets, shape.slopes, self._weights(offsets, strength, shape.radius_px))
        moved = moved + since
        change, still = self._change(image, shape, moved, unit), np.zeros((count, _ANGLES))
        met = self._weights(*self._edges(change, still, even=True), shape.radius_px) > _FITTING
        offsets, strength = self._edges(change, still, even=False)
        weight = self._weights(offsets, strength, shape.radius_px)
        return Edges(moved, offsets, strength, weight, met.mean(axis=1), shape.slopes, shape.radius_px)

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

    def _votes(self, image: Image, shape: "_Shape", cloth: FloatArray, unit: FloatArray) -> NDArray[np.float32]:
        """What each place along the normals of the starts' outlines votes for an edge there, 0 to 1, shape (N, angles, samples - 4)."""
        smooth = self._smooth(image, shape, np.zeros((len(cloth), 2)), _PLACES_WITH_BEYOND)
        change = _size(smooth[:, :, 2 : _STEPS - 2] - smooth[:, :, : _STEPS - 4], unit)
        outside = _size(smooth[:, :, 1 + _BEYOND :] - cloth[:, None, None].astype(np.float32), unit)
        change = change * (_UNLIKE_VOTE + (1 - _UNLIKE_VOTE) / (1 + (outside / np.float32(_LIKE_CLOTH)) ** 2))
        return np.asarray(change / (change + np.float32(_VOTE_HALF)), dtype=np.float32)

    def _change(self, image: Image, shape: "_Shape", moved: FloatArray, unit: FloatArray) -> NDArray[np.float32]:
        """Change of the picture along normals of outlines moved by (N, 2) radii, shape (N, angles, samples - 4), levels."""
        smooth = self._smooth(image, shape, moved, _PLACES)
        return _size(smooth[:, :, 2:] - smooth[:, :, :-2], unit)

    @staticmethod
    def _smooth(image: Image, shape: "_Shape", moved: FloatArray, places: NDArray[np.float32]) -> NDArray[np.float32]:
        """Colours at S places along normals of outlines moved by (N, 2) radii, smoothed by (1 2 1)/4, shape (N, angles, S - 2, 3)."""
        outline = shape.outline + np.einsum("nij,nj->ni", shape.jacobian, moved)[:, None]
        along = (shape.normals * shape.radius_px[:, None, None]).astype(np.float32)
        xy = outline[:, :, None].astype(np.float32) + places[:, None] * along[:, :, None]
        flat = xy.reshape(len(moved) * _ANGLES, len(places), 2)
        colours = np.asarray(cv2.remap(image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR), dtype=np.float32)
        colours = colours.reshape(len(moved), _ANGLES, len(places), 3)
        return np.asarray((colours[:, :, :-2] + 2 * colours[:, :, 1:-1] + colours[:, :, 2:]) / 4, dtype=np.float32)

    @staticmethod
    def _vote(full: NDArray[np.float32], slopes: FloatArray) -> FloatArray:
        """Moves, shape (N, 2) radii, after which outlines meet most votes."""
        count, samples = len(full), full.shape[2]
        spacing = float(_PLACES[1] - _PLACES[0])
        rows, columns = np.arange(count)[:, None, None], np.arange(_ANGLES)[None, :, None]

        def votes(moves: FloatArray) -> FloatArray:
            place = np.einsum("nki,nmi->nkm", slopes, moves) / spacing + (samples - 1) / 2
            first = np.clip(place.astype(np.intp), 0, samples - 2)
            share = np.clip(place - first, 0.0, 1.0)
            return np.asarray((full[rows, columns, first] * (1 - share) + full[rows, columns, first + 1] * share).sum(axis=1))

        nearby = np.broadcast_to(_NEARBY, (count, *_NEARBY.shape))
        best = _NEARBY[(votes(nearby) - _VOTE_PULL * _ANGLES * (_NEARBY**2).sum(axis=1)).argmax(axis=1)]
        _, dx, dy, xx, yy, xy = (votes(best[:, None] + _CLOSE) @ _BEND.T).T
        # The top of the paraboloid, where it has one.
        bend = 4 * xx * yy - xy**2
        peaked = (xx < 0) & (bend > 1e-3)
        top = np.column_stack([xy * dy - 2 * yy * dx, xy * dx - 2 * xx * dy]) / np.where(peaked, bend, 1.0)[:, None]
        return np.asarray(best + np.where(peaked[:, None], np.clip(top, -_FINE, _FINE), 0.0))

    @staticmethod
    def _edges(change: NDArray[np.float32], since: FloatArray, *, even: bool) -> tuple[FloatArray, FloatArray]:
        """Edges nearest to outlines that moved outwards by `since` (N, angles), radii, since `change` was read.

        Returns:
            Offsets outwards of those outlines in radii and the edges' strength, shape (N, angles); `even` where a strong one is to
            count little more than a weak one.
        """
        inner = _PLACES[2:-2]
        near = np.exp(-0.5 * ((inner - since[..., None].astype(np.float32)) / np.float32(_PRIOR)) ** 2)
        score = change * near
        ranked = score / (change + np.float32(_STRENGTH_HALF)) if even else score
        best = np.clip(ranked.argmax(axis=2), 1, len(inner) - 2)
        rows, columns = np.indices(best.shape)
        before, at, after = (score[rows, columns, best + k] for k in (-1, 0, 1))
        bend = before - 2 * at + after
        shift = np.where(bend < -1e-6, 0.5 * (before - after) / np.where(bend == 0, 1.0, bend), 0.0)
        position = inner[best] + np.clip(shift, -0.5, 0.5) * (_PLACES[1] - _PLACES[0]) - since
        strength = change[rows, columns, best]
        return position.astype(np.float64), strength.astype(np.float64)

    @staticmethod
    def _weights(offsets: FloatArray, strength: FloatArray, radius_px: FloatArray) -> FloatArray:
        scale = np.maximum(_TUKEY_RADII, 1.2 / radius_px)[:, None]
        inside = np.abs(offsets) < scale
        return np.where(inside & (strength > _EDGE_LEAST), (1 - (offsets / scale) ** 2) ** 2, 0.0)

    def _step(self, offsets: FloatArray, slopes: FloatArray, weight: FloatArray) -> FloatArray:
        normal = np.einsum("nk,nki,nkj->nij", weight, slopes, slopes) + 0.3 * np.eye(2)
        right = np.einsum("nk,nki,nk->ni", weight, slopes, offsets)
        step = np.linalg.solve(normal, right[..., None])[..., 0]
        return np.asarray(np.clip(step, -0.3, 0.3))

    def _judge(self, centres: FloatArray, pixels: FloatArray, edges: Edges) -> list[Outline | None]:
        """Outlines of N balls; None where too little fits or the start was too far off."""
        used = edges.used
        spread = 1.4826 * masked_median(np.abs(edges.offsets), used) + 1e-3
        sigma = np.minimum(sigma_px(edges.unsure()) / edges.radius_px, 1.0) * self._radius
        good = (used.sum(axis=1) >= 6) & (np.linalg.norm(edges.moved, axis=1) <= 0.9)
        support = (edges.weight > _FITTING).mean(axis=1)
        told = np.column_stack([centres, pixels, sigma, support, edges.met, spread])
        return [
            Outline(position_m=(x, y), px=(u, v), sigma_m=one_sigma, support=part, met=met, spread=one_spread) if fine else None
            for fine, (x, y, u, v, one_sigma, part, met, one_spread) in zip(good, told.tolist(), strict=True)
        ]


def _size(colours: NDArray[np.float32], unit: FloatArray) -> NDArray[np.float32]:
    """Length of differences of colour, shape (N, angles, S, 3), with what of it is along the cloth's, brightness, at less weight."""
    bright = colours @ unit[:, None, :, None].astype(np.float32)
    squared = np.einsum("nksc,nksc->nks", colours, colours) - np.float32(1 - _BRIGHTNESS_WEIGHT**2) * bright[..., 0] ** 2
    return np.asarray(np.sqrt(np.maximum(squared, 0.0)), dtype=np.float32)


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
