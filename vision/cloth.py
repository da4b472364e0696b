"""What the empty bed looks like in this room's light, and what differs from it.

Theory: the light over a bed varies slowly, so the cloth's colour at a place is a smooth field c(x, y); along the
cushions it also falls off by a profile (the shadow under the nose, the lit top of the cushion) that is the same all
along a cushion half. The field is a mean over pixels that look like cloth, coarse to fine; the profile is the median
along each half cushion of picture over field. A pixel p is then split into brightness s = p.c / c.c and a rest
p - s c: a shadow changes s only, a ball also the rest. Foreground is a rest above the noise, or s outside what shadow
and lamp can do.

Fails: where less than about a third of the bed is cloth (another view, a crowd over the table) there is no field;
`share` says so. A ball of exactly the cloth's hue is seen by its brightness only. Hard light patterns projected on
the bed are foreground.
"""

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import POCKETS, Table
from vision.rectify import TopView

FloatImage = NDArray[np.float32]
Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_CELL = 8
"""View pixels a cell of the coarse field, about one ball radius: smaller follows balls, larger smears lamp edges."""
_SMOOTH_CELLS = 2.0
"""Standard deviation of the field's smoothing, cells: about two balls across, so that one ball cannot bend it."""
_HUE_TOLERANCE = 0.30
"""Largest rest over brightness of a pixel that may count as cloth in the first round (0.1 is camera noise in dim
light, 0.5 another colour)."""
_DARKEST, _BRIGHTEST = 0.45, 1.35
"""Brightness against the field that shadow and lamp can explain. Contact shadows measured 0.5 to 0.9 on four tables;
black balls 0.05 to 0.3; white balls on blue cloth 1.5 and more."""
_REST_LEAST = 14.0
"""Smallest rest that is foreground, levels of 255: compression and cloth weave stay below 8, a dark blue ball on
light blue cloth has 35."""
_REST_PER_NOISE = 5.0
"""And at least so many times the median rest of the bed, for noisy cameras."""
_CLEAR_ACROSS = 0.35
"""Part of a line across a cushion that must look like cloth for the line to tell the profile: the bed's half of it."""
_CLEAR_ALONG = 0.2
"""Part of a half cushion that must be clear; with less the profile would be that of a sleeve."""
_PROFILE_SAMPLES = 80
"""Lines that a profile's median is taken over; more costs time and changes it by less than a level."""
_HOLE_DIFFERS = (0.35, 0.2)
"""Difference of a hole from the cloth, part of the cloth's brightness, from which it can be told from it, and down to which it
stays told: grey leather on dark cloth has 0.3 to 0.4, and a step of the light may not turn a table into another view."""
_SUM = np.ones((1, 3), np.float32)


@dataclass(frozen=True, eq=False)
class Cloth:
    """The cloth's colour at every view pixel.

    Attributes:
        colour: Shape (height, width, 3), float32, BGR levels.
        usual: Shape (3,), BGR, its middle over the bed.
        noise: Median rest of cloth pixels, levels.
        share: Part of the uncovered bed that looks like cloth, 0 to 1.
    """

    colour: FloatImage
    usual: NDArray[np.float32]
    noise: float
    share: float

    @cached_property
    def power(self) -> FloatImage:
        """Squared length of the colour, shape (height, width)."""
        return np.asarray(_dot(self.colour, self.colour), dtype=np.float32)

    @cached_property
    def scaled(self) -> FloatImage:
        """Colour over `power`: its product with a pixel is the pixel's brightness against the cloth."""
        return np.asarray(self.colour / self.power[..., None], dtype=np.float32)


class ClothLearner:
    """Learns a `Cloth` from views of one table; holds only geometry, so the same view gives the same cloth."""

    def __init__(self, view: TopView, table: Table) -> None:
        width, height = view.size_px
        corners = view.to_view([table.corners_m()["head_left"], table.corners_m()["foot_right"]])
        (self._left, self._top), (self._right, self._bottom) = (tuple(round(float(v)) for v in corner) for corner in corners)
        self.bed = np.zeros((height, width), dtype=bool)
        self.bed[self._top : self._bottom, self._left : self._right] = True
        self.bed &= view.inside
        self._radius = view.ball_radius_px
        self._strips = self._make_strips(view, table)
        square = np.array([(x, y) for y in range(-2, 3) for x in range(-2, 3)])
        holes = np.array([_hole(table, view, name) for name in POCKETS])[:, None] + square
        self._holes = np.clip(holes, 0, np.array(view.size_px) - 1)

    def _make_strips(self, view: TopView, table: Table) -> list[tuple[slice, slice, int]]:
        """(rows, columns, axis along the cushion) of each half cushion, from beyond the nose to well inside."""
        out, reach = int(1.2 * self._radius), int(3 * self._radius)
        strips = []
        for name, parts in table.noses_m().items():
            for ends in parts:
                (x0, y0), (x1, y1) = view.to_view(list(ends))
                xs, ys = sorted((int(x0), int(x1))), sorted((int(y0), int(y1)))
                if name in ("left", "right"):
                    rows = (
                        slice(max(self._top - out, 0), self._top + reach)
                        if name == "left"
                        else slice(self._bottom - reach, self._bottom + out)
                    )
                    strips.append((rows, slice(xs[0], xs[1]), 1))
                else:
                    columns = (
                        slice(max(self._left - out, 0), self._left + reach)
                        if name == "head"
                        else slice(self._right - reach, self._right + out)
                    )
                    strips.append((slice(ys[0], ys[1]), columns, 0))
        return strips

    def learn(self, view: Image, covered: Mask) -> Cloth:
        """The cloth as one view shows it.

        Args:
            view: Shape (height, width, 3), uint8, BGR, from `TopView.view`.
            covered: Shape (height, width): where people and graphics are, of which nothing is learnt: a sleeve in about
                the cloth's colour would pass for it.
        """
        inside = (self.bed & ~covered)[::2, ::2]
        if not inside.any():
            return Cloth(colour=np.ones(view.shape, np.float32), usual=np.ones(3, np.float32), noise=0.0, share=0.0)
        half = np.ascontiguousarray(view[::2, ::2])
        usual = np.maximum(np.median(half[inside], axis=0), 1.0).astype(np.float32)
        colour = np.broadcast_to(usual, half.shape).astype(np.float32)
        like = inside
        for tolerance in (_HUE_TOLERANCE, _HUE_TOLERANCE / 2):
            brightness, rest = split(half, colour)
            scale = np.maximum(brightness, 0.1) * np.sqrt(_dot(colour, colour))
            like = inside & (rest < np.maximum(tolerance * scale, _REST_LEAST)) & (brightness > _DARKEST) & (brightness < 1 / _DARKEST)
            coarse = self._field(half, like, usual)
            colour = _spread(coarse, half.shape)
        noise = float(np.median(split(half, colour)[1][inside][::3]))
        usual = np.median(colour[inside][::31], axis=0).astype(np.float32)
        whole = np.repeat(np.repeat(like, 2, axis=0), 2, axis=1)
        colour = self._add_profiles(view, _spread(coarse, view.shape), whole)
        return Cloth(colour=colour, usual=usual, noise=noise, share=float(like[inside].mean()))

    def _field(self, half: Image, like: Mask, usual: NDArray[np.float32]) -> FloatImage:
        """Mean cloth colour in coarse cells, smoothed over its gaps."""
        small = (like.shape[1] * 2 // _CELL, like.shape[0] * 2 // _CELL)
        weight = cv2.resize(like.astype(np.float32), small, interpolation=cv2.INTER_AREA)
        total = cv2.resize(half * like[..., None].astype(np.float32), small, interpolation=cv2.INTER_AREA)
        faint = np.float32(1e-3)  # Pulls cells without any cloth nearby to the usual colour.
        wide = cv2.GaussianBlur(weight, (0, 0), _SMOOTH_CELLS, borderType=cv2.BORDER_CONSTANT)
        mean = cv2.GaussianBlur(total, (0, 0), _SMOOTH_CELLS, borderType=cv2.BORDER_CONSTANT)
        return np.asarray((mean + faint * usual) / (wide + faint)[..., None], dtype=np.float32)

    def _add_profiles(self, view: Image, colour: FloatImage, like: Mask) -> FloatImage:
        for rows, columns, axis in self._strips:
            clear = like[rows, columns].mean(axis=1 - axis) > _CLEAR_ACROSS
            if clear.sum() < _CLEAR_ALONG * max(clear.size, 1) or clear.size < 2:
                continue
            ratio = view[rows, columns].astype(np.float32) / colour[rows, columns]
            places = np.flatnonzero(clear)[:: max(1, int(clear.sum()) // _PROFILE_SAMPLES)]
            profile = np.median(np.take(ratio, places, axis=axis), axis=axis, keepdims=True)
            colour[rows, columns] *= np.clip(profile, 0.08, 3.0)
        return np.maximum(colour, 1.0)

    def pockets_seen(self, view: Image, cloth: Cloth) -> tuple[int, int]:
        """How many of the six pockets differ clearly, and how many differ at all, from cloth: a view of something else shows
        no pockets where they belong."""
        middles = np.median(view[self._holes[..., 1], self._holes[..., 0]], axis=1)
        away = np.linalg.norm(middles - cloth.usual, axis=1)
        clearly, at_all = (int((away > share * np.linalg.norm(cloth.usual)).sum()) for share in _HOLE_DIFFERS)
        return clearly, at_all


def split(view: Image, colour: FloatImage) -> tuple[FloatImage, FloatImage]:
    """Brightness against the cloth and the rest that no change of light explains, shape (height, width) each.

    Source: brightness and chromaticity distortion of Horprasert, Harwood & Davis 1999, without their normalisation.
    """
    pixels = view.astype(np.float32)
    power = _dot(colour, colour)
    brightness = _dot(pixels, colour) / power
    squared = _dot(pixels, pixels) - brightness * brightness * power
    return np.asarray(brightness, dtype=np.float32), np.sqrt(np.maximum(squared, 0.0), dtype=np.float32)


def _spread(coarse: FloatImage, shape: tuple[int, ...]) -> FloatImage:
    """A coarse field at every pixel of a picture of the given shape."""
    return np.maximum(np.asarray(cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR), dtype=np.float32), 1.0)


def _dot(one: FloatImage, other: FloatImage) -> FloatImage:
    """Sum of products over the channels, shape (height, width); a fifth of einsum's time on three channels."""
    return np.asarray(cv2.transform(cv2.multiply(one, other), _SUM), dtype=np.float32)


def foreground(view: Image, cloth: Cloth, box: tuple[slice, slice] = (slice(None), slice(None))) -> Mask:
    """Where something other than lit or shadowed cloth is seen, in a box of the view, of the box's shape."""
    least = max(_REST_LEAST, _REST_PER_NOISE * cloth.noise)
    pixels = view[box].astype(np.float32)
    brightness = _dot(pixels, cloth.scaled[box])
    squared = _dot(pixels, pixels) - brightness * brightness * cloth.power[box]
    return np.asarray((squared > least * least) | (brightness > _BRIGHTEST) | (brightness < _DARKEST), dtype=np.bool_)


def _hole(table: Table, view: TopView, name: str) -> tuple[int, int]:
    """A view pixel inside the hole: half a ball beyond the middle of the mouth, away from the centre spot."""
    x, y = table.mouth_centre_m(name)
    away = np.array([0.0 if name[0] == "S" else np.sign(x), np.sign(y)])
    place = np.array([x, y]) + away / np.linalg.norm(away) * 0.6 * table.spec.ball_diameter_m
    px = view.to_view(place)[0]
    return round(float(px[0])), round(float(px[1]))
