"""Which end of the table is the foot: a rack before the break, a line across the head, or what a person says.

Named ends are a turn of the table frame by 180 degrees, nothing else; a mirrored frame cannot come out.

Evidence, strongest first: a rack (one compact patch of 9 to 15 balls between the foot spot and a quarter of the way to the
foot cushion, cloth all round it), at any time, for balls lie so thick only where they were racked; a thin line across the
whole width at the head string or, with a D, at the baulk, on one end only. A cluster of balls in mid-game that fills exactly
the rack's place at the other end would mislead the first.
"""

from collections.abc import Iterable
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.cloth import Cloth
from calibration.equipment import TableSpec
from calibration.errors import InputError

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

SIDES_OF_PICTURE = ("left", "right", "top", "bottom")
_DIRECTIONS = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "top": (0.0, -1.0), "bottom": (0.0, 1.0)}
_BED_PX = 512
"""Length of the bed as it is looked at here: 5 mm a pixel on 9 ft, a ball is 11."""
_RACK_BALLS = (7.0, 21.0)
"""Least and largest area of a rack, in discs of a ball: nine in a diamond to fifteen in a triangle with gaps and shadow."""
_LINE_PICTURES = 3
"""Pictures from whose median a line is told: balls and arms move away from it."""
_LINE_NOISE = 8.0
"""How many times stronger than the usual unevenness of the bed a drawn line must be."""
_LINE_ALONE = 2.5
"""How many times stronger than any other column it must be: at less the bed has several such lines, and none tells."""
_LINE_BANDS = 8
"""Parts of the width in which it must show, all but two of them: balls and arms cover the others."""


def foot_side(camera: CameraModel, spec: TableSpec) -> str:
    """Side of the picture at which the foot lies: left, right, top or bottom."""
    along = _foot_direction(camera, spec)
    return max(SIDES_OF_PICTURE, key=lambda side: float(along @ np.array(_DIRECTIONS[side])))


def _foot_direction(camera: CameraModel, spec: TableSpec) -> FloatArray:
    ends = camera.to_pixels([[-spec.length_m / 2, 0.0], [spec.length_m / 2, 0.0]], height_m=0.0)
    along = ends[1] - ends[0]
    return np.asarray(along / np.hypot(*along), dtype=np.float64)


def turned(camera: CameraModel) -> CameraModel:
    """The same camera over the table turned by 180 degrees: head and foot change names."""
    half_turn = np.diag([-1.0, -1.0, 1.0])
    return CameraModel(
        matrix=camera.matrix.copy(),
        distortion=camera.distortion.copy(),
        rotation=camera.rotation @ half_turn,
        translation_m=camera.translation_m.copy(),
        image_size_px=camera.image_size_px,
    )


def with_foot(calibration: Calibration, side: str) -> Calibration:
    """The calibration with the foot at that side of the picture, known from now on.

    Args:
        calibration: Any.
        side: left, right, top or bottom.

    Raises:
        InputError: If no end of the table lies towards that side.
    """
    if side not in SIDES_OF_PICTURE:
        raise InputError(f"foot side must be one of {', '.join(SIDES_OF_PICTURE)}, found {side!r}")
    towards = float(_foot_direction(calibration.camera, calibration.spec) @ np.array(_DIRECTIONS[side]))
    if abs(towards) < 0.38:
        here = foot_side(calibration.camera, calibration.spec)
        raise InputError(f"no end of the table is at the {side} of the picture; its long axis runs to the {here}; give an end")
    return replace(calibration if towards > 0 else with_ends_swapped(calibration), foot_known=True, foot_side=side)


def with_foot_at(calibration: Calibration, x_m: float) -> Calibration:
    """The calibration with the foot at the end where x has the sign of `x_m` (a rack seen there), known from now on."""
    right = calibration if x_m >= 0 else with_ends_swapped(calibration)
    return replace(right, foot_known=True, foot_side=foot_side(right.camera, calibration.spec))


def with_ends_swapped(calibration: Calibration) -> Calibration:
    """The calibration with head and foot named the other way round; what is known of the foot stays as it was."""
    doubt = None if calibration.doubt is None else calibration.doubt.turned()
    camera = turned(calibration.camera)
    return replace(calibration, camera=camera, foot_side=foot_side(camera, calibration.spec), doubt=doubt)


def find_foot(images: Iterable[Image], camera: CameraModel, spec: TableSpec, cloth: Cloth) -> tuple[float, str] | None:
    """At which end the foot is.

    Args:
        images: Pictures of this camera, BGR, in order of time; looked at until one shows a rack.
        camera: Model of it; its naming of the ends does not matter.
        spec: The table.
        cloth: Its colour.

    Returns:
        1.0 where the foot is at positive x of the given camera, -1.0 at negative, with the evidence; None where
        nothing tells.
    """
    maps = _bed_maps(camera, spec)
    beds: list[FloatArray] = []
    for image in images:
        picture = _bed(image, maps)
        unlike = cloth.likeness(picture)
        found = [sign for sign in (1.0, -1.0) if _has_rack(unlike if sign > 0 else unlike[::-1, ::-1], spec)]
        if len(found) == 1:
            return found[0], "rack"
        if len(beds) < _LINE_PICTURES:
            beds.append(picture.mean(axis=2))
    end = _line_end(np.asarray(np.median(beds, axis=0), dtype=np.float64))
    return None if end == 0 else (end, "line across the head")


def _bed_maps(camera: CameraModel, spec: TableSpec) -> NDArray[np.float32]:
    """Where the pixels of the playing surface seen from above lie in the picture, shape (height, width, 2)."""
    width = _BED_PX
    height = round(_BED_PX * spec.width_m / spec.length_m)
    x = (np.arange(width) + 0.5) / width * spec.length_m - spec.length_m / 2
    y = spec.width_m / 2 - (np.arange(height) + 0.5) / height * spec.width_m
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return camera.to_pixels(grid, height_m=0.0).astype(np.float32).reshape(height, width, 2)


def _bed(image: Image, maps: NDArray[np.float32]) -> Image:
    """The playing surface from above, head left, left cushion up, BGR."""
    return np.asarray(cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _has_rack(unlike: NDArray[np.float32], spec: TableSpec) -> bool:
    """Whether one compact patch of 9 to 15 balls sits behind the foot spot (bed from above, foot at the right)."""
    height, width = unlike.shape
    per_metre = width / spec.length_m
    ball = spec.ball_diameter_m
    centre = ((0.75 * spec.length_m + 1.6 * ball) * per_metre, height / 2)
    y, x = np.mgrid[0:height, 0:width]
    away = np.hypot(x - centre[0], y - centre[1]) / per_metre
    patch = cv2.morphologyEx((unlike > 1).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    inside, ring = patch[away < 3.4 * ball], patch[(away > 3.9 * ball) & (away < 5.2 * ball)]
    discs = float(inside.sum()) / (np.pi / 4 * (ball * per_metre) ** 2)
    if not _RACK_BALLS[0] < discs < _RACK_BALLS[1] or ring.mean() > 0.06:
        return False
    labels, stats = cv2.connectedComponentsWithStats((patch * (away < 3.6 * ball)).astype(np.uint8))[1:3]
    del labels
    largest = stats[1:][np.argmax(stats[1:, cv2.CC_STAT_AREA])]
    wide, high = largest[cv2.CC_STAT_WIDTH] / per_metre / ball, largest[cv2.CC_STAT_HEIGHT] / per_metre / ball
    return bool(largest[cv2.CC_STAT_AREA] > 0.75 * inside.sum() and 2.4 < wide < 6.5 and 2.4 < high < 6.5)


def _line_end(bed: FloatArray) -> float:
    """1.0 where the only line across the whole width runs at the left, a fifth to a quarter in; -1.0 at the right; 0.0 none.

    The line must stand out in nearly every band of the width, with one sign, and from every other column of the bed:
    steps of brightness of an encoder, rows of balls and worn places do neither.
    """
    smooth = np.log(bed + 8.0)
    ridge = np.zeros_like(smooth)
    ridge[:, 2:-2] = smooth[:, 2:-2] - (smooth[:, :-4] + smooth[:, 4:]) / 2
    bands = []
    for band in np.array_split(ridge[6:-6], _LINE_BANDS):
        ranked = np.sort(band, axis=0)
        bands.append(ranked[len(ranked) // 4 : -(len(ranked) // 4)].mean(axis=0))
    shown = np.median(bands, axis=0)
    width = len(shown)
    middle = slice(round(0.06 * width), round(0.94 * width))
    noise = 1.4826 * float(np.median(np.abs(shown[middle]))) + 5e-4
    spread = 1.4826 * np.median(np.abs(np.stack(bands)[:, middle]), axis=1) + 5e-4
    places = np.concatenate([np.arange(round(0.19 * width), round(0.265 * width)), np.arange(round(0.735 * width), round(0.81 * width))])
    best = int(places[np.argmax(np.abs(shown[places]))])
    others = np.abs(shown).copy()
    others[max(0, best - 5) : best + 6] = 0.0
    agreeing = sum(float(band[best]) * np.sign(shown[best]) > 3 * own for band, own in zip(bands, spread, strict=True))
    strength = abs(float(shown[best]))
    if strength < _LINE_NOISE * noise or strength < _LINE_ALONE * others[middle].max() or agreeing < _LINE_BANDS - 2:
        return 0.0
    return 1.0 if best < width / 2 else -1.0
