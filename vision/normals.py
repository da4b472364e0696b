"""What a picture shows along the normals of outlines: where it changes, how surely that is a ball's rim, and where circles meet it.

Theory: colours are read at even places along each normal, a fifth of a radius apart for five, smoothed by (1 2 1)/4, and
their differences over two places are the change there. Differences are split into brightness against the cloth and the rest,
brightness at less weight, so that a shadow's edge is weak. A change votes for a rim in full where cloth lies beyond it, as
it does beyond a rim and not beyond a number, a stripe or a highlight; and where it goes from the ball's colour to the
cloth's: a number in white on a dark ball grows darker outwards where the rim beside it grows lighter.

Fails: a stripe's white half goes the other way than its colour, and a shadow the same way as a dark ball.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.forms import ANGLES

FloatArray = NDArray[np.float64]
Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

_REACH = 0.45
"""How far along a normal an edge is sought, either way, ball radii: a wrong start by a third of a radius is caught,
the far edge of a touching neighbour is not."""
_STEPS = 21
"""Samples along a normal."""
_SPACING = 2 * _REACH / (_STEPS - 1)
_PLACES = np.linspace(-_REACH, _REACH, _STEPS, dtype=np.float32)
_INNER = _PLACES[2:-2]
"""Where changes are known, which need two samples either side."""
_BEYOND = 3
"""How many samples outwards of a change its outer side is looked at: past what blur and chroma of half the width mix."""
_PLACES_WITH_BEYOND = np.concatenate([_PLACES, _REACH + _SPACING * np.arange(1, _BEYOND)]).astype(np.float32)
_LIKE_CLOTH, _UNLIKE_VOTE = 60.0, 0.1
"""Distance from the cloth's colour at which half of a change's vote is lost, levels, beyond the folds and the dirt of cloth; and
what is left of it where something else lies there, for in a rack hardly any cloth is seen."""
_WRONG_WAY, _APART = 0.3, 30.0
"""What is left of the vote of a change across or against the way from ball to cloth: less loses stripes. And how far apart in
colour these must be for the way to tell half as much as it can, levels: light and noise turn a shorter one."""
_WITHIN = slice(2, 7, 4)
"""Two places at a normal's inner end, 0.6 and 0.8 of a radius out: most of them round the ball show its usual colour."""
_BRIGHTNESS_WEIGHT = 0.7
"""Weight of brightness against the rest of colour: full weight follows shadows, none misses black balls."""
_VOTE_HALF = 12.0
"""Change that has half a full vote, levels: above, a white number counts hardly more than a ball's rim in the shade."""
_VOTE_PULL = 0.7
"""Part of all votes that a start a radius off must win over: without it a blank cloth votes for anything."""
_FAR, _FINE = 0.4, 0.08
"""How far from the start centres are voted on, and how finely at first, ball radii; a vote is about 0.1 wide."""
_PRIOR = 0.20
"""How far from the predicted outline an edge is looked for, standard deviation in ball radii: narrower holds
the centre to the vote's, wider follows highlights."""
_STRENGTH_HALF = 40.0
"""Change that counts half against a nearer one while the centre moves, levels: without it a white number ten times as strong as
the rim of a ball in the cloth's colour is taken for the rim. Not so when it is told how well an outline fits: folds fit too."""
_SMOOTH = np.array([[1.0, 2.0, 1.0]], dtype=np.float32) / 4
_CHANGE = np.array([[-1.0, -2.0, 0.0, 2.0, 1.0]], dtype=np.float32) / 4
"""The difference over two places of what is smoothed by the other."""
_SUM = np.ones((1, 3), dtype=np.float32)


def _grid(reach: float, step: float) -> FloatArray:
    """Points (x, y) of a square grid within a circle, shape (M, 2)."""
    line = np.arange(-round(reach / step), round(reach / step) + 1) * step
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    return np.asarray(points[np.hypot(*points.T) <= reach + 1e-9], dtype=np.float64)


_NEARBY, _CLOSE = _grid(_FAR, _FINE), _grid(1.5 * _FINE, _FINE / 2)
_PULLED = _VOTE_PULL * ANGLES * (_NEARBY**2).sum(axis=1)
_BEND = np.linalg.pinv(np.column_stack([np.ones(len(_CLOSE)), _CLOSE, _CLOSE**2, _CLOSE.prod(axis=1)]))
"""Turns votes on the close grid into the six terms of a paraboloid."""


@dataclass(frozen=True, slots=True, eq=False)
class Normals:
    """Normals of N outlines in one picture.

    Attributes:
        image: BGR.
        outline: Shape (N, ANGLES, 2), pixels.
        spokes: Shape (N * ANGLES, places, 2), from there to where colours are read, pixels.
        cloth: Shape (N, 3), BGR around each.
        weights: Shape (3, 3): takes differences of colour to such as brightness against the cloth weighs less in.
    """

    image: Image
    outline: Floats
    spokes: Floats
    cloth: Floats
    weights: FloatArray

    @classmethod
    def of(cls, image: Image, outline: FloatArray, along: FloatArray, cloth: FloatArray) -> "Normals":
        """Normals given by their directions, outward and a ball's radius long, shape (N, ANGLES, 2), pixels."""
        usual = cloth.sum(axis=0)
        usual = usual / max(float(np.linalg.norm(usual)), 1e-9)
        weights = np.eye(3) - (1 - _BRIGHTNESS_WEIGHT) * np.outer(usual, usual)
        spokes = _PLACES_WITH_BEYOND[:, None] * along.reshape(-1, 1, 2).astype(np.float32)
        return cls(image, outline.astype(np.float32), spokes, cloth.astype(np.float32), weights)

    def change(self, moved_px: FloatArray) -> Floats:
        """Change, levels, shape (N, ANGLES, samples), along the normals of the outlines moved by (N, 2) pixels."""
        return self._size(cv2.filter2D(self._colours(moved_px, _STEPS), cv2.CV_32F, _CHANGE)[:, 2:-2])

    def votes(self) -> Floats:
        """What each place votes for a rim there, 0 to 1, shape (N, ANGLES, samples)."""
        colours = self._colours(np.zeros((len(self.outline), 2)), len(_PLACES_WITH_BEYOND))
        step = np.asarray(cv2.filter2D(colours, cv2.CV_32F, _CHANGE)[:, 2 : _STEPS - 2], dtype=np.float32)
        smooth = np.asarray(cv2.filter2D(colours, cv2.CV_32F, _SMOOTH), dtype=np.float32)
        change = self._size(step) * self._right_way(step, smooth[:, _WITHIN])
        outer = smooth[:, 2 + _BEYOND : _STEPS - 2 + _BEYOND]
        outside = self._size(outer - np.repeat(self.cloth, ANGLES, axis=0)[:, None]) / np.float32(_LIKE_CLOTH)
        change *= np.float32(_UNLIKE_VOTE) + np.float32(1 - _UNLIKE_VOTE) / (1 + outside * outside)
        return change / (change + np.float32(_VOTE_HALF))

    def _right_way(self, step: Floats, inner: Floats) -> Floats:
        """How far changes (N * ANGLES, S, 3) go from the colour of the balls, whose inside is given, to the cloth's."""
        count = len(self.outline)
        inside = inner.reshape(count, -1, 3)
        way = self.cloth - np.partition(inside, inside.shape[1] // 2, axis=1)[:, inside.shape[1] // 2]
        apart = np.linalg.norm(way, axis=1, keepdims=True)
        way = np.repeat(way / np.maximum(apart, np.float32(1.0)), ANGLES, axis=0)[:, :, None]
        along = (step @ way)[..., 0] / np.maximum(np.sqrt(np.einsum("ksc,ksc->ks", step, step)), np.float32(1.0))
        lost = np.float32(1 - _WRONG_WAY) * (apart / (apart + np.float32(_APART)))[:, :, None]
        return np.asarray(1 - lost * (1 - np.clip(along, 0.0, 1.0).reshape(count, ANGLES, -1)), dtype=np.float32)

    def _colours(self, moved_px: FloatArray, places: int) -> Image:
        """Shape (N * ANGLES, places, 3)."""
        xy = (self.outline + moved_px[:, None].astype(np.float32)).reshape(-1, 1, 2) + self.spokes[:, :places]
        return np.asarray(cv2.remap(self.image, xy[..., 0], xy[..., 1], cv2.INTER_LINEAR), dtype=np.uint8)

    def _size(self, differences: NDArray[np.generic]) -> Floats:
        """Length of differences of colour, shape (N * ANGLES, S, 3), brightness at less weight: shape (N, ANGLES, S)."""
        weighed = cv2.transform(np.ascontiguousarray(differences), self.weights)
        size = cv2.sqrt(cv2.transform(cv2.multiply(weighed, weighed), _SUM))
        return np.asarray(size, dtype=np.float32).reshape(len(self.outline), ANGLES, -1)


def best_move(votes: Floats, slopes: FloatArray) -> FloatArray:
    """Moves, shape (N, 2) radii, after which outlines meet most votes.

    Args:
        votes: Of `Normals.votes`.
        slopes: Shape (N, ANGLES, 2), radii that outlines move along their normals for a radius of movement in x and in y.
    """
    count, _, samples = votes.shape
    flat = votes.ravel()
    starts = (np.arange(count * ANGLES) * samples).reshape(count, ANGLES, 1)
    middle = (samples - 1) / 2
    steps = (slopes / _SPACING).astype(np.float32)
    rough = np.clip(np.rint(steps @ _NEARBY.T.astype(np.float32) + np.float32(middle)).astype(np.intp), 0, samples - 1)
    best = _NEARBY[(flat[starts + rough].sum(axis=1) - _PULLED).argmax(axis=1)]
    place = np.clip(steps @ (best[:, None] + _CLOSE).transpose(0, 2, 1).astype(np.float32) + np.float32(middle), 0, samples - 1.001)
    first = place.astype(np.intp)
    share = place - first
    first += starts
    met = flat[first] * (1 - share) + flat[first + 1] * share
    _, dx, dy, xx, yy, xy = (met.sum(axis=1) @ _BEND.T).T
    # The top of the paraboloid, where it has one.
    bend = 4 * xx * yy - xy**2
    peaked = (xx < 0) & (bend > 1e-3)
    top = np.column_stack([xy * dy - 2 * yy * dx, xy * dx - 2 * xx * dy]) / np.where(peaked, bend, 1.0)[:, None]
    return np.asarray(best + np.where(peaked[:, None], np.clip(top, -_FINE, _FINE), 0.0))


def nearest_edges(change: Floats, since: FloatArray | None = None, *, even: Sequence[bool]) -> tuple[tuple[FloatArray, FloatArray], ...]:
    """Edges nearest to outlines that moved outwards by `since`, (N, ANGLES) radii, since `change` was read.

    Args:
        change: Of `Normals.change`.
        since: None where they did not move.
        even: Whether a strong edge is to count little more than a weak one; for each answer wanted.

    Returns:
        Offsets outwards of those outlines in radii and the edges' strength in levels, both of shape (N, ANGLES); one a wish.
    """
    away = _INNER if since is None else _INNER - since[..., None].astype(np.float32)
    score = change * np.exp(np.float32(-0.5 / _PRIOR**2) * away * away)
    return tuple(_edges(change, score, score / (change + np.float32(_STRENGTH_HALF)) if one else score, since) for one in even)


def _edges(change: Floats, score: Floats, ranked: Floats, since: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    best = np.clip(ranked.argmax(axis=2), 1, len(_INNER) - 2)
    flat = score.ravel()
    index = best + (np.arange(best.size) * len(_INNER)).reshape(best.shape)
    before, at, after = flat[index - 1], flat[index], flat[index + 1]
    bend = np.minimum(before - 2 * at + after, np.float32(-1e-6))
    position = _INNER[best] + np.clip(0.5 * (before - after) / bend, -0.5, 0.5) * np.float32(_SPACING)
    return (position if since is None else position - since).astype(np.float64), change.ravel()[index].astype(np.float64)
