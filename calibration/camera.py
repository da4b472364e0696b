"""The camera: a pinhole with Brown-Conrady lens distortion, and the planes it looks down on.

Table to pixel: X_c = R X + t, divide by depth, distort with (k1, k2, p1, p2, k3), multiply by K (OpenCV's model;
Brown 1966, Hartley & Zisserman 2nd ed. section 6.1 and 7.4). Pixel to table needs a plane: the ray through the
undistorted pixel is cut with z = height. A ball's centre rides one radius above the cloth, a nose 1.27 radii.

Fails: a pixel whose ray runs parallel to or away from the plane has no table point (NaN); a distortion so strong
that it folds is not invertible, the fixed-point iteration then stops at its best and the round trip is off.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

_UNDISTORT_STEPS = 25
"""Fixed-point steps; each shrinks the error by the distortion's slope, 10 % barrel reaches 1e-10 in about 20."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CameraModel:
    """One camera in the table frame.

    Attributes:
        matrix: K, shape (3, 3), pixels.
        distortion: Shape (5,), k1 k2 p1 p2 k3.
        rotation: R, shape (3, 3), table to camera.
        translation_m: t, shape (3,), metres.
        image_size_px: (width, height).
    """

    matrix: FloatArray
    distortion: FloatArray
    rotation: FloatArray
    translation_m: FloatArray
    image_size_px: tuple[int, int]

    def __post_init__(self) -> None:
        shapes = (self.matrix.shape, self.distortion.shape, self.rotation.shape, self.translation_m.shape)
        if shapes != ((3, 3), (5,), (3, 3), (3,)):
            raise ValueError(f"camera: expected shapes (3, 3), (5,), (3, 3), (3,), found {shapes}")
        for array in (self.matrix, self.distortion, self.rotation, self.translation_m):
            array.setflags(write=False)

    @classmethod
    def overhead(cls, *, height_m: float, image_size_px: tuple[int, int], focal_px: float | None = None) -> "CameraModel":
        """An ideal camera straight above the centre spot, head of the table at the left of the picture.

        Args:
            height_m: Above the cloth, metres.
            image_size_px: (width, height).
            focal_px: Focal length in pixels; default 0.8 of the width.
        """
        width, height = image_size_px
        focal = focal_px or 0.8 * width
        matrix = np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])
        rotation = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])
        return cls(
            matrix=matrix,
            distortion=np.zeros(5),
            rotation=rotation,
            translation_m=np.array([0.0, 0.0, height_m]),
            image_size_px=image_size_px,
        )

    def to_pixels(self, points_m: ArrayLike, *, height_m: float | ArrayLike = 0.0) -> FloatArray:
        """Pixels of table points that lie `height_m` above the bed.

        Args:
            points_m: Shape (N, 2), metres, (x, y), table frame.
            height_m: One height for all, or shape (N,), metres above the cloth.

        Returns:
            Shape (N, 2), pixels (x, y), lens distortion included; an empty input gives an empty (0, 2) array.

        Raises:
            ValueError: If `points_m` is not (N, 2).
        """
        points = _as_points(points_m)
        raised = self.rotation[:, 2:] * np.asarray(height_m, dtype=np.float64).reshape(-1) + self.translation_m[:, None]
        across, down, depth = self.rotation[:, :2] @ points.T + raised
        depth = np.where(depth > 0, depth, np.nan)
        x, y = across / depth, down / depth
        radial, dx, dy = self._distort(x, y)
        pixels = np.empty((len(points), 2))
        (fx, skew, cx), (_, fy, cy), _ = self.matrix.tolist()
        distorted_y = y * radial + dy
        pixels[:, 0] = fx * (x * radial + dx) + skew * distorted_y + cx
        pixels[:, 1] = fy * distorted_y + cy
        return pixels

    def to_table(self, points_px: ArrayLike, *, height_m: float) -> FloatArray:
        """Table positions seen at the given pixels, on the plane `height_m` above the bed.

        Pass the ball radius for ball centres: read as bed points they are wrong by centimetres near the rails.

        Args:
            points_px: Shape (N, 2), pixels, (x, y) with y downwards, distorted as captured.
            height_m: Height of the plane above the cloth, metres.

        Returns:
            Shape (N, 2), metres, table frame. Points at or above the horizon are NaN.

        Raises:
            ValueError: If `points_px` is not (N, 2).

        >>> camera = CameraModel.overhead(height_m=3.0, image_size_px=(1920, 1080))
        >>> camera.to_table(camera.to_pixels([[0.5, 0.2]], height_m=0.0), height_m=0.0).round(6).tolist()
        [[0.5, 0.2]]
        """
        points = _as_points(points_px)
        if len(points) == 0:
            return np.empty((0, 2))
        rays = np.column_stack([self._undistort(points), np.ones(len(points))]) @ self.rotation
        centre = self.position_m
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = (height_m - centre[2]) / rays[:, 2]
        scale = np.where(scale > 0, scale, np.nan)
        return centre[:2] + scale[:, None] * rays[:, :2]

    def _distort(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        k1, k2, p1, p2, k3 = self.distortion.tolist()
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        return radial, 2 * p1 * x * y + p2 * (r2 + 2 * x * x), p1 * (r2 + 2 * y * y) + 2 * p2 * x * y

    def _undistort(self, points_px: FloatArray) -> FloatArray:
        homogeneous = np.column_stack([points_px, np.ones(len(points_px))])
        target: FloatArray = np.asarray(np.linalg.solve(self.matrix, homogeneous.T).T[:, :2], dtype=np.float64)
        normal = target.copy()
        for _ in range(_UNDISTORT_STEPS):
            radial, dx, dy = self._distort(normal[:, 0], normal[:, 1])
            normal = (target - np.column_stack([dx, dy])) / radial[:, None]
        return normal

    @property
    def position_m(self) -> FloatArray:
        """Where the camera is, shape (3,), metres, table frame."""
        return -self.rotation.T @ self.translation_m


def _as_points(points: ArrayLike) -> FloatArray:
    array = np.asarray(points, dtype=np.float64)
    if array.size == 0:
        return np.empty((0, 2))
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"points must have shape (N, 2), found {array.shape}")
    return array
