"""The bed from straight above: one precomputed map from the camera picture to a view of constant scale.

The view lies in the plane of the ball centres (z = R), so that a ball is a disc of constant radius wherever it lies,
and a view pixel is a table place by one scale and one shift. Row 0 is at y = +top, column 0 at x = -left: the view is
never mirrored, whatever way round the camera hangs. Lens distortion is undone by the same map.

Fails softly: parts of the view that the picture does not show come out black, and `inside` says which.
"""

import math

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.calibration import Calibration

FloatArray = NDArray[np.float64]
Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

MARGIN_BALLS = 1.6
"""Seen beyond the noses, ball diameters: a corner pocket's mouth and a ball in its jaws, not the whole hole.
Less cuts balls in the jaws, more costs time and shows rails that look like balls."""
_KNOT_PX = 8
"""Distance of the map's exact knots, view pixels: half a ball, over which a lens bends lines by 0.01 px; OpenCV's own
interpolation steps are 1/32."""
SPARSE = 2
"""View pixels a pixel of `TopView.sparse`."""
_SHRINK_FROM = 2.0
"""From this many picture pixels a view pixel on, the picture is halved first: sampling finer detail only by
neighbours lets single pixels (noise, weave of the cloth) stand for their surroundings."""


class TopView:
    """Camera picture to view, and view pixels to table metres.

    Attributes:
        px_per_m: Scale of the view.
        size_px: (width, height) of the view.
        ball_radius_px: Radius of a ball in the view.
        inside: Shape (height, width), bool, True where the camera picture covers the view.
    """

    def __init__(self, calibration: Calibration, *, ball_radius_px: float) -> None:
        """Precompute the map.

        Args:
            calibration: Camera and table.
            ball_radius_px: Wanted radius of a ball in the view, pixels, > 0.
        """
        spec = calibration.spec
        margin = MARGIN_BALLS * spec.ball_diameter_m
        self.ball_radius_px = ball_radius_px
        self.px_per_m = ball_radius_px / spec.ball_radius_m
        width = int(np.ceil((spec.length_m + 2 * margin) * self.px_per_m / 8)) * 8
        height = int(np.ceil((spec.width_m + 2 * margin) * self.px_per_m / 8)) * 8
        self.size_px = (width, height)
        pixels = self._pixels(calibration)
        picture_width, picture_height = calibration.camera.image_size_px
        across, down = pixels
        self.inside = (across >= 0) & (down >= 0) & (across <= picture_width - 1) & (down <= picture_height - 1)
        row, column = height // 2, width // 2
        step = math.hypot(*(float(one[row, column + 1] - one[row, column]) for one in pixels))
        self._shrink = 2 ** max(int(np.floor(np.log2(max(step / _SHRINK_FROM, 1.0)))) + (step >= _SHRINK_FROM), 0)
        self._sparse = np.stack([np.rint(one[::SPARSE, ::SPARSE]).astype(np.int16) for one in pixels], axis=2)
        if self._shrink > 1:
            across, down = ((one + np.float32(0.5)) / np.float32(self._shrink) - np.float32(0.5) for one in pixels)
        self._map = cv2.convertMaps(across, down, cv2.CV_16SC2)

    def _pixels(self, calibration: Calibration) -> tuple[Floats, Floats]:
        """Picture pixel of every view pixel, x and y of shape (height, width), from a grid of knots and straight lines between."""
        width, height = self.size_px
        columns, rows = np.meshgrid(np.arange(0, width + _KNOT_PX, _KNOT_PX), np.arange(0, height + _KNOT_PX, _KNOT_PX))
        places = self.to_table(np.column_stack([columns.ravel(), rows.ravel()]))
        knots = calibration.camera.to_pixels(places, height_m=calibration.spec.ball_radius_m).reshape(*columns.shape, 2)
        fine_x, fine_y = np.meshgrid(np.arange(width, dtype=np.float32) / _KNOT_PX, np.arange(height, dtype=np.float32) / _KNOT_PX)
        x, y = cv2.split(cv2.remap(knots.astype(np.float32), fine_x, fine_y, cv2.INTER_LINEAR))
        return np.asarray(x, dtype=np.float32), np.asarray(y, dtype=np.float32)

    def view(self, image: Image) -> Image:
        """The bed from above, shape (height, width, 3), uint8, BGR; black where the picture does not reach."""
        return self.patch(image, slice(None), slice(None))

    def sparse(self, image: Image) -> Image:
        """Every second pixel of the view in each direction, as the picture has it there: noisier than `view`, a sixth of its time."""
        return np.asarray(cv2.remap(image, self._sparse, np.empty(0, np.int16), cv2.INTER_NEAREST), dtype=np.uint8)

    def patch(self, image: Image, rows: slice, columns: slice) -> Image:
        """The same as `view` for some rows and columns only."""
        places, fractions = np.asarray(self._map[0][rows, columns], dtype=np.int16), self._map[1][rows, columns]
        if self._shrink > 1 and places.size:
            image, corner = self._shrunk(image, places)
            places = np.asarray(places - corner, dtype=np.int16)
        return np.asarray(cv2.remap(image, places, fractions, cv2.INTER_LINEAR), dtype=np.uint8)

    def _shrunk(self, image: Image, places: NDArray[np.int16]) -> tuple[Image, NDArray[np.int16]]:
        """The part of the shrunk picture in which those places lie, with a pixel around, and its corner (x, y)."""
        factor = self._shrink
        most = np.array([image.shape[1] // factor, image.shape[0] // factor])
        # The map has no folds, so that the outermost places are on the rim.
        rim = np.concatenate([places[0], places[-1], places[:, 0], places[:, -1]])
        low = np.clip(rim.min(axis=0) - 2, 0, most - 1)
        (x0, y0), (x1, y1) = low.tolist(), np.clip(rim.max(axis=0) + 4, low + 1, most).tolist()
        part = image[y0 * factor : y1 * factor, x0 * factor : x1 * factor]
        small = cv2.resize(part, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
        return np.asarray(small, dtype=np.uint8), np.array([x0, y0], dtype=np.int16)

    def to_table(self, points_px: ArrayLike) -> FloatArray:
        """Table places (x, y) in metres of view pixels (x, y), shape (N, 2) both, in the plane of the ball centres."""
        points = np.asarray(points_px, dtype=np.float64).reshape(-1, 2)
        centre = (np.array(self.size_px) - 1) / 2
        return (points - centre) / self.px_per_m * (1.0, -1.0)

    def to_view(self, points_m: ArrayLike) -> FloatArray:
        """View pixels (x, y) of table places (x, y) in metres, shape (N, 2) both."""
        points = np.asarray(points_m, dtype=np.float64).reshape(-1, 2)
        centre = (np.array(self.size_px) - 1) / 2
        return points * (1.0, -1.0) * self.px_per_m + centre
