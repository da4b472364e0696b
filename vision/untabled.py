"""A stand-in calibration for a picture whose table is not known: pixels for metres, seen from straight above.

Theory: the cloth is the largest region of one colour; its bounding box takes the place of the bed, one unit a pixel,
under a camera so high that nothing leans. The ball's radius is voted for: round pieces of foreground on the cloth,
most of them of one size, tell it. The same eyes then work on it as on any table.

Fails: with fewer than two separate round pieces there is no size; an oblique picture has balls of many sizes, of
which the middle one is taken; pockets are not known, so a ball in a pocket is a ball.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.cloth import find_cloth
from calibration.equipment import TableSpec
from calibration.table import Table

Image = NDArray[np.uint8]

_HEIGHT = 1000.0
"""Height of the stand-in camera over the picture's width: high enough that a ball's outline is its disc."""
_SIZES = (0.006, 0.04)
"""Least and largest ball radius over the longer side of the cloth's box: a 12 ft table has 0.0096, a small one 0.02."""
_ROUND = 0.78
"""Area of a round piece over that of its smallest enclosing circle; two touching balls have 0.5, a ball and its
shadow 0.75."""


def stand_in(image: Image) -> Calibration | None:
    """The stand-in for one picture; None where no cloth or no ball size can be made out.

    Args:
        image: Shape (H, W, 3), BGR.
    """
    cloth = find_cloth(image)
    if cloth is None:
        return None
    corners = np.clip(cloth.quad_px, 0, np.array(image.shape[1::-1]) - 1)
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    radius = _ball_radius_px(cloth.likeness(image) < 1.0, (left, top, right, bottom))
    if radius is None:
        return None
    return _flat(image.shape[1], image.shape[0], (float(left), float(top), float(right), float(bottom)), radius)


def _ball_radius_px(like: NDArray[np.bool_], box: tuple[float, float, float, float]) -> float | None:
    left, top, right, bottom = (round(float(v)) for v in box)
    longer = max(right - left, bottom - top)
    part = (~like[top:bottom, left:right]).astype(np.uint8)
    part = np.asarray(cv2.morphologyEx(part, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)
    outlines, _ = cv2.findContours(part, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    radii = []
    for outline in outlines:
        _, radius = cv2.minEnclosingCircle(outline)
        area = cv2.contourArea(outline)
        if _SIZES[0] * longer < radius < _SIZES[1] * longer and area > _ROUND * np.pi * radius**2:
            radii.append(float(np.sqrt(area / np.pi)) + 0.5)
    if len(radii) < 2:
        return None
    return float(np.median(radii))


def _flat(width: int, height: int, box: tuple[float, float, float, float], radius: float) -> Calibration:
    left, top, right, bottom = box
    long_side, short_side = right - left, bottom - top
    upright = short_side > long_side
    spec = TableSpec(
        name="custom",
        length_m=max(long_side, short_side),
        width_m=min(long_side, short_side),
        ball_diameter_m=2 * radius,
        metric=False,
    )
    distance = _HEIGHT * width
    middle = ((left + right) / 2, (top + bottom) / 2)
    matrix = np.array([[distance, 0.0, middle[0]], [0.0, distance, middle[1]], [0.0, 0.0, 1.0]])
    rotation = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]) if upright else np.diag([1.0, -1.0, -1.0])
    camera = CameraModel(
        matrix=matrix,
        distortion=np.zeros(5),
        rotation=rotation,
        translation_m=np.array([0.0, 0.0, distance + radius]),
        image_size_px=(width, height),
    )
    return Calibration(
        table=Table(spec),
        camera=camera,
        foot_known=False,
        foot_side="bottom" if upright else "right",
        residual_mm=(0.0, 0.0),
        good=False,
        because=("a stand-in: no table is known",),
    )
