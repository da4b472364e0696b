"""Where on a table a ball's centre can be while the ball is on the bed, and where that lies in a view."""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table import POCKETS, Table
from vision.rectify import TopView

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]

_BEYOND_NOSE = 0.35
"""How far outside the nose lines a centre may lie, ball radii: a hard ball presses the rubber by 0.1, the noses are
calibrated to 0.1."""
_IN_JAWS = {"corner": 1.4, "side": 0.3}
"""How far beyond the line of a mouth a centre may lie, ball radii: a shelf's depth (WPA: 25 to 57 mm at corners, 0 to
10 mm at sides). Beyond, a ball is in the pocket and no longer on the bed: behind the shallowest shelf one lies at 1.9."""
_SHELF_M = 0.036
"""And no farther than this, metres: the larger balls of pyramid have no deeper shelves, and behind them the dark hole of a
tight pocket is as round as a ball."""
_POOL_BALL_M = 0.06
"""Larger balls are pyramid's."""
_STRIP = 0.45
"""How far outside the nose lines a ball's pixels are looked for, ball radii: more takes the noses in."""


class Bed:
    """The bed of one table, jaws included."""

    def __init__(self, table: Table) -> None:
        """Precompute the lines of the mouths."""
        spec = table.spec
        self._radius = spec.ball_radius_m
        self._half = np.array([spec.length_m, spec.width_m]) / 2
        ends = np.array([table.mouth_m(pocket) for pocket in POCKETS])
        across = ends[:, 1] - ends[:, 0]
        width = np.linalg.norm(across, axis=1)
        self._middle, self._along, self._half_width = ends.mean(axis=1), across / width[:, None], width / 2
        out = np.column_stack([self._along[:, 1], -self._along[:, 0]])
        self._out = out * np.sign((out * self._middle).sum(axis=1, keepdims=True))
        self._deep = np.array([_IN_JAWS["side" if pocket[0] == "S" else "corner"] for pocket in POCKETS]) * self._radius
        if spec.metric and spec.ball_diameter_m > _POOL_BALL_M:
            self._deep = np.minimum(self._deep, _SHELF_M)

    def holds(self, places: FloatArray) -> Mask:
        """Where a ball's centre can be, shape (N,) of places (N, 2) in metres."""
        inside = (np.abs(places) < self._half + _BEYOND_NOSE * self._radius).all(axis=1)
        from_middle = places[:, None] - self._middle
        beyond = np.einsum("nmi,mi->nm", from_middle, self._out)
        within = np.abs(np.einsum("nmi,mi->nm", from_middle, self._along)) < self._half_width
        deep = beyond >= self._deep
        inside |= (within & (beyond > -self._radius) & ~deep).any(axis=1)
        inside &= ~(within & deep).any(axis=1)
        return np.asarray(inside, dtype=np.bool_)

    def in_jaws(self, places: FloatArray) -> Mask:
        """Which places (N, 2), metres, lie in a mouth, beyond its line, where holes and what lies in them are seen too: shape (N,)."""
        from_middle = places[:, None] - self._middle
        within = np.abs(np.einsum("nmi,mi->nm", from_middle, self._along)) < self._half_width
        return np.asarray((within & (np.einsum("nmi,mi->nm", from_middle, self._out) > 0)).any(axis=1), dtype=np.bool_)

    def zone(self, view: TopView) -> Mask:
        """View pixels that a ball on the bed can cover, to two pixels."""
        width, height = view.size_px
        columns, rows = np.meshgrid(np.arange(0.5, width, 2), np.arange(0.5, height, 2))
        places = view.to_table(np.column_stack([columns.ravel(), rows.ravel()]))
        held = self.holds(places)
        near = (np.abs(places) < self._half + _STRIP * self._radius).all(axis=1)
        near &= held | (np.abs(places) < self._half).all(axis=1)
        coarse = (near | held).reshape(columns.shape)
        return np.asarray(coarse.repeat(2, axis=0).repeat(2, axis=1)[:height, :width] & view.inside, dtype=np.bool_)

    def hole_rims(self, view: TopView) -> Mask:
        """View pixels at the inner rim of the holes: a piece of foreground that reaches them may be the hole itself."""
        rim = np.zeros((view.size_px[1], view.size_px[0]), np.uint8)
        deepest = self._middle + self._deep[:, None] * self._out
        half = self._half_width[:, None] * self._along
        for first, last in zip(view.to_view(deepest - half), view.to_view(deepest + half), strict=True):
            ends = [(round(float(x)), round(float(y))) for x, y in (first, last)]
            cv2.line(rim, ends[0], ends[1], 1, 5)
        return np.asarray(rim > 0, dtype=np.bool_)
