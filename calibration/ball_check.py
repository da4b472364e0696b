"""Balls that a person put down where the table says where they are: read back in millimetres.

A ball on a spot, one that touches a cushion, one that touches two near a corner. What is known of such a place does not
come from the camera: a spot is where two strings cross, and a ball that touches a nose has its middle 0.963 radii away
from it (the nose is higher than the middle). The difference is the error of calibration, of the placing and of the outline.

Fails: a ball in the cloth's colour; two balls that touch (they must lie alone); a ball meant for a place but more than
three centimetres away from it counts as one that lies anywhere.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.cloth import find_cloth
from calibration.equipment import NOSE_HEIGHT_RATIO
from calibration.errors import InputError
from calibration.sizes import find_balls

Image = NDArray[np.uint8]

_NEAR_M = 0.03
"""Within which a ball is taken to be meant for a place: people put balls down to a few millimetres."""
_PLACED_M = 0.0015
"""How well a person puts a ball on a spot; against a cushion he is exact."""
_LIMIT_M = 0.003
"""Error up to which a place passes whatever is stated: the least that a ruling depends on."""
TOUCH_RADII = sqrt(1 - (2 * NOSE_HEIGHT_RATIO - 1) ** 2)
"""Distance of a ball's middle from the nose it touches, in radii: 0.963."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BallCheck:
    """One ball read back.

    Attributes:
        place_m: (x, y) as measured, table frame.
        diameter_m: As measured.
        meant: What it was put at: `foot spot`, `left cushion`, `head and left cushion`; empty where at nothing known.
        off_m: (x, y) by which it was read wrong there; 0 along a cushion, where nothing is known.
        sigma_m: (x, y), one standard deviation from calibration alone; NaN where the table file does not say.
        passes: Within three standard deviations and the care of the person, or within 3 mm; True where at nothing known.
    """

    place_m: tuple[float, float]
    diameter_m: float
    meant: str
    off_m: tuple[float, float]
    sigma_m: tuple[float, float]
    passes: bool


def check_balls(image: Image, calibration: Calibration) -> tuple[BallCheck, ...]:
    """Read back the balls in a picture of the calibrated view.

    Args:
        image: Shape (h, w, 3), BGR.
        calibration: Of that view.

    Raises:
        InputError: If the picture has another size, shows no cloth, or no ball that lies alone.
    """
    size = (image.shape[1], image.shape[0])
    if size != calibration.camera.image_size_px:
        expected = "x".join(map(str, calibration.camera.image_size_px))
        raise InputError(f"the picture is {size[0]}x{size[1]}, the table file is for {expected}; take it with the calibrated camera")
    cloth = find_cloth(image)
    if cloth is None:
        raise InputError("no cloth is seen in the picture; take it with the calibrated camera, lamps on")
    spec = calibration.spec
    found = find_balls(image, calibration.camera, spec, cloth, beyond_m=spec.ball_radius_m)
    checks = tuple(_check(calibration, ball.place_m, ball.diameter_m) for ball in found if _on_bed(calibration, ball.place_m))
    if not checks:
        raise InputError("no ball lies alone on the bed; put one on the foot spot, one against a cushion, apart from others")
    return checks


def _on_bed(calibration: Calibration, place: tuple[float, float]) -> bool:
    spec = calibration.spec
    slack = 0.5 * spec.ball_radius_m
    return abs(place[0]) < spec.length_m / 2 - slack and abs(place[1]) < spec.width_m / 2 - slack


def _check(calibration: Calibration, place: tuple[float, float], diameter_m: float) -> BallCheck:
    meant, off, placed = _nearest(calibration, place)
    sigma = calibration.position_sigma_m([place])[0]
    allowed = [max(_LIMIT_M, 3 * float(np.hypot(0.0 if np.isnan(s) else s, placed))) for s in sigma]
    return BallCheck(
        place_m=place,
        diameter_m=diameter_m,
        meant=meant,
        off_m=off,
        sigma_m=(float(sigma[0]), float(sigma[1])),
        passes=abs(off[0]) <= allowed[0] and abs(off[1]) <= allowed[1],
    )


def _nearest(calibration: Calibration, place: tuple[float, float]) -> tuple[str, tuple[float, float], float]:
    """What a ball there was meant for, how far off it is, and how well a person places it."""
    x, y = place
    for name, (sx, sy) in calibration.table.spots_m().items():
        if np.hypot(x - sx, y - sy) < _NEAR_M:
            return f"{name} spot", (x - sx, y - sy), _PLACED_M
    spec, touch = calibration.spec, TOUCH_RADII * calibration.spec.ball_radius_m
    from_end, from_side = spec.length_m / 2 - touch - abs(x), spec.width_m / 2 - touch - abs(y)
    names, off = [], [0.0, 0.0]
    if abs(from_end) < _NEAR_M:
        names.append("foot" if x > 0 else "head")
        off[0] = -from_end if x > 0 else from_end
    if abs(from_side) < _NEAR_M:
        names.append("left" if y > 0 else "right")
        off[1] = -from_side if y > 0 else from_side
    return (" and ".join(names) + " cushion" if names else ""), (off[0], off[1]), 0.0
