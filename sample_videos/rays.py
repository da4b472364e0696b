"""The rays of the pixels round a point, exact enough to draw an outline with.

Over the width of a ball a lens's bend is followed to second order: the normalised picture coordinates (x, y), z = 1, are
a quadratic in the offset from the point's own pixel, fitted to nine pixels. Directions follow by turning (x, y, 1) into
the table frame, so that perspective itself is not approximated. What is left is the bend's third order, below a
thousandth of a pixel for a ball of 60 pixels and a lens that bows the table's edge by 4 percent.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]

_NINE = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)], np.float64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LocalRays:
    """Rays round one point.

    Attributes:
        pixel: Where the point is seen, shape (2,).
        terms: Shape (6, 2): of 1, u, v, u u, v v, u v in x and y, for offsets (u, v) from `pixel`.
        depth_m: Of the point along the camera's axis.
    """

    pixel: FloatArray
    terms: FloatArray
    depth_m: float

    @property
    def m_per_px(self) -> tuple[float, float]:
        """Smallest and largest way, metres, that one pixel covers at the point, seen square to the ray's axis."""
        low, high = np.linalg.svd(self.terms[1:3])[1][::-1]
        return float(low) * self.depth_m, float(high) * self.depth_m

    @property
    def slant(self) -> float:
        """Length of (x, y, 1): how much an image of a sphere is stretched outwards."""
        return float(np.sqrt(1 + (self.terms[0] ** 2).sum()))


def local_rays(camera: CameraModel, points_m: FloatArray, reach_px: float = 20.0) -> list[LocalRays]:
    """Rays round each of the points (N, 3), fitted over `reach_px` pixels each way."""
    pixels = camera.to_pixels(points_m[:, :2], height_m=points_m[:, 2])
    grid = (pixels[:, None, :] + reach_px * _NINE).reshape(-1, 2)
    eye = camera.position_m
    plane = camera.to_table(grid, height_m=0.0)
    seen = np.column_stack([plane - eye[:2], np.full(len(plane), -eye[2])]) @ camera.rotation.T
    xy = (seen[:, :2] / seen[:, 2:]).reshape(len(points_m), 9, 2)
    middle, right, left, down, up = (xy[:, k] for k in range(5))
    terms = np.stack(
        [
            middle,
            (right - left) / (2 * reach_px),
            (down - up) / (2 * reach_px),
            (right + left - 2 * middle) / (2 * reach_px**2),
            (down + up - 2 * middle) / (2 * reach_px**2),
            (xy[:, 5] - xy[:, 6] - xy[:, 7] + xy[:, 8]) / (4 * reach_px**2),
        ],
        axis=1,
    )
    depths = points_m @ camera.rotation[2] + camera.translation_m[2]
    return [LocalRays(pixel=p, terms=t, depth_m=float(d)) for p, t, d in zip(pixels, terms, depths, strict=True)]


def directions(camera: CameraModel, rays: LocalRays, u: Float32, v: Float32) -> tuple[Float32, Float32, Float32]:
    """Unit directions in the table frame at offsets `u` (1, w) and `v` (h, 1), as three arrays (h, w)."""
    t = rays.terms.astype(np.float32)
    x = (t[0, 0] + (t[1, 0] + t[3, 0] * u) * u) + (t[2, 0] + t[4, 0] * v) * v + t[5, 0] * u * v
    y = (t[0, 1] + (t[1, 1] + t[3, 1] * u) * u) + (t[2, 1] + t[4, 1] * v) * v + t[5, 1] * u * v
    r = camera.rotation.astype(np.float32)
    scale = 1 / np.sqrt(x * x + y * y + 1)
    x, y = x * scale, y * scale
    return (
        r[0, 0] * x + r[1, 0] * y + r[2, 0] * scale,
        r[0, 1] * x + r[1, 1] * y + r[2, 1] * scale,
        r[0, 2] * x + r[1, 2] * y + r[2, 2] * scale,
    )
