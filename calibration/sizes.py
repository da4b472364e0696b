"""Is it the table that was named? The balls and the mouths of the pockets measured through the calibration.

A camera sees only proportions: a 9 ft table named as an 8 ft one fits as well, and every length is then 8.7 % short.
What gives it away is what lies on it. Balls come in few sizes, so their outlines are measured as if the name were
right. The silhouette of a sphere, cut by the plane through its centre, is a circle stretched by 1 / cos of the angle at
which it is seen, along the line to the camera's foot; along rays from a rough centre the steepest change of colour is
taken, the stretch is taken off, and a circle is fitted that lets a shadow's edge or a neighbour's pull on no more than
its own rays (Theil's median, repeated). Where no balls lie, mouths are compared: pool's are twice as wide, as a share
of the table, as pyramid's; between pool tables they say nothing.

Fails: balls in the cloth's own colour, balls smaller than 12 pixels; fewer than three give no opinion.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.cloth import Cloth
from calibration.equipment import TABLES, TableSpec

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_STEP_M = 0.004
"""Of the bed from above in which balls are looked for; a ball has 150 such pixels."""
_AREA = (0.3, 2.6)
"""Area of a patch that may be one ball, in balls of the named size: sizes differ by 0.7 to 1.4."""
_RAYS = 72
_REACH = (0.55, 1.6)
"""Where along a ray the outline is sought, in radii."""
_SAMPLES = 85
_AGREE = 0.05
"""Share of the radius within which a ray agrees with the circle."""
_ROUND = 0.6
"""Share of the rays that must agree: a ball with a shadow keeps 0.75, a hand or a cue 0.4."""
_WITHIN, _HOLLOW = 0.78, 0.6
"""Where a ball is looked at within its outline, and the share of cloth there from which it is none: trainers' projectors and
broadcasts draw rings round balls."""
_LIMB_PX, _LIMB = 0.25, 0.015
"""How far within its outline a ball changes steepest, in pixels and in radii: it darkens towards its edge, and a lens and a
video code blur that. Rendered balls and three real sets (52.3 and 57.15 mm) came out 2.5 to 4 % small without."""
_LEAST_PX = 12.0
"""Diameter below which an outline cannot be had to 4 %."""
_BALLS_MIN = 3
"""Balls that must be measured before a name is doubted."""
_SPREAD_MAX = 0.04
"""Largest median deviation among them, of their size: more, and they were not balls."""
_WRONG = 0.06
"""Share by which balls differ from their size before the name is doubted: outlines err by 0.02 (blur grows them in small
pictures), an 8 ft table taken for a 9 ft one is 0.087. An 8 ft home table (2235 mm) passes for the 8 ft one of 2337."""
_LIKE = 0.035
"""How closely another table must fit the balls to be suggested."""
_MOUTHS_SEEN = 0.57
"""Of a corner's mouth, nose end to nose end, what is measured outward of the noses, where the jaws have drawn together:
broadcast tables show 0.66 of it, rendered ones 0.49."""
_MOUTHS_OFF = 1.7
"""Factor by which mouths differ before the name is doubted: mouths of one game differ by 1.2, of pool and pyramid by 2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BallSizes:
    """Balls measured through a calibration.

    Attributes:
        count: How many were measured alike: two whose shadows were taken for them and one ball are no three balls.
        diameter_m: Their median, in metres of the named table; NaN where none was.
        spread_m: Median deviation from it.
    """

    count: int
    diameter_m: float
    spread_m: float

    @property
    def told(self) -> bool:
        """Whether enough balls agree."""
        return self.count >= _BALLS_MIN and self.spread_m <= _SPREAD_MAX * self.diameter_m


def measure_balls(image: Image, camera: CameraModel, spec: TableSpec, cloth: Cloth) -> BallSizes:
    """Diameters of the balls that lie alone on the bed.

    Args:
        image: Shape (h, w, 3), BGR, of that camera; one moment, no median of many.
        camera: The calibration's.
        spec: The table as named.
        cloth: Its colour.
    """
    sizes = np.array([ball.diameter_m for ball in find_balls(image, camera, spec, cloth)])
    if len(sizes) == 0:
        return BallSizes(count=0, diameter_m=float("nan"), spread_m=float("nan"))
    middle = float(np.median(sizes))
    alike = np.abs(sizes - middle) <= 2 * _SPREAD_MAX * middle
    return BallSizes(count=int(alike.sum()), diameter_m=middle, spread_m=float(np.median(np.abs(sizes - middle))))


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredBall:
    """A ball whose outline was measured.

    Attributes:
        place_m: (x, y) of its middle, table frame.
        diameter_m: In metres of the named table.
    """

    place_m: tuple[float, float]
    diameter_m: float


def find_balls(image: Image, camera: CameraModel, spec: TableSpec, cloth: Cloth, *, beyond_m: float = 0.0) -> tuple[MeasuredBall, ...]:
    """Balls that lie alone on the bed, measured by their outlines.

    Args:
        image: Shape (h, w, 3), BGR, of that camera; one moment, no median of many.
        camera: The calibration's.
        spec: The table as named.
        cloth: Its colour.
        beyond_m: How far beyond the noses patches may reach; a ball at a cushion reaches up to its nose.
    """
    found = [_measure(image, camera, spec, cloth, centre) for centre in _patches(image, camera, spec, cloth, beyond_m)]
    return tuple(ball for ball in found if ball is not None)


def doubt_name(spec: TableSpec, balls: BallSizes | None, corner_mouth_m: float | None) -> str:
    """Why the table can hardly be the one named; empty where nothing speaks against it.

    Args:
        spec: As named.
        balls: As measured; None where none were looked for.
        corner_mouth_m: Width of the corner mouths as measured; None where they were not seen.
    """
    if not spec.metric:
        return ""
    if balls is not None and balls.told:
        ratio = balls.diameter_m / spec.ball_diameter_m
        if abs(ratio - 1) <= _WRONG:
            return ""
        measured, nominal = 1000 * balls.diameter_m, 1000 * spec.ball_diameter_m
        said = f"{balls.count} balls measure {measured:.1f} mm, not {nominal:.1f} mm, if this is {_named(spec)}"
        other = _like(spec, ratio)
        if other is None:
            return f"{said}; check --table and --ball-mm"
        there = 1000 * balls.diameter_m * other.length_m / spec.length_m
        return f"{said}; looks like {other.name}: the balls measure {there:.1f} mm only then"
    if corner_mouth_m is None or spec.corner_mouth_m is None:
        return ""
    factor = corner_mouth_m / (_MOUTHS_SEEN * spec.corner_mouth_m)
    if 1 / _MOUTHS_OFF < factor < _MOUTHS_OFF:
        return ""
    kind = "pool" if factor > 1 else "pyramid"
    return (
        f"the corner mouths measure {1000 * corner_mouth_m:.0f} mm, not {1000 * _MOUTHS_SEEN * spec.corner_mouth_m:.0f} mm, if this is "
        f"{_named(spec)}; looks like a {kind} table; check --table"
    )


def _named(spec: TableSpec) -> str:
    return f"a table of {1000 * spec.length_m:.0f} mm" if spec.name == "custom" else spec.name


def _like(spec: TableSpec, ratio: float) -> TableSpec | None:
    """The table by name of this proportion on which balls measured so have their size; the closest."""
    best: tuple[float, TableSpec] | None = None
    for other in TABLES:
        if abs(other.length_m / other.width_m / (spec.length_m / spec.width_m) - 1) > 0.02:
            continue
        off = abs(ratio * spec.ball_diameter_m * other.length_m / spec.length_m / other.ball_diameter_m - 1)
        if off < _LIKE and (best is None or off < best[0]):
            best = off, other
    return None if best is None else best[1]


def _patches(image: Image, camera: CameraModel, spec: TableSpec, cloth: Cloth, beyond_m: float) -> list[FloatArray]:
    """Rough centres of compact patches of a ball's size on the bed that are not cloth, metres, table frame."""
    step = _STEP_M * spec.length_m / 2.54 if not spec.metric else _STEP_M
    half_x, half_y = spec.length_m / 2 + beyond_m, spec.width_m / 2 + beyond_m
    x, y = np.arange(-half_x + step, half_x, step), np.arange(-half_y + step, half_y, step)
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    maps = camera.to_pixels(grid.reshape(-1, 2), height_m=spec.ball_radius_m).astype(np.float32).reshape(grid.shape)
    bed = np.asarray(cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    unlike = (cloth.likeness(bed) > 1).astype(np.uint8)
    unlike = np.asarray(cv2.morphologyEx(unlike, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), dtype=np.uint8)
    count, _, stats, centres = cv2.connectedComponentsWithStats(unlike, connectivity=4)
    nominal = np.pi / 4 * (spec.ball_diameter_m / step) ** 2
    found = []
    for k in range(1, count):
        left, top, wide, high, area = (int(value) for value in stats[k])
        at_edge = left == 0 or top == 0 or left + wide == len(x) or top + high == len(y)
        if at_edge or not _AREA[0] * nominal < area < _AREA[1] * nominal or max(wide, high) > 1.6 * min(wide, high):
            continue
        if area > 0.6 * wide * high:
            found.append(np.array([x[0] + centres[k][0] * step, y[0] + centres[k][1] * step]))
    return found


def _measure(image: Image, camera: CameraModel, spec: TableSpec, cloth: Cloth, centre: FloatArray) -> MeasuredBall | None:
    """The ball round a rough centre; None where its outline is no circle, or one that is drawn round it on the cloth."""
    radius, height = spec.ball_radius_m, spec.ball_radius_m
    angles = np.linspace(0, 2 * np.pi, _RAYS, endpoint=False)
    rays = np.column_stack([np.cos(angles), np.sin(angles)])
    reach = np.linspace(*_REACH, _SAMPLES) * radius
    for _ in range(3):
        places = centre + reach[None, :, None] * rays[:, None, :]
        pixels = camera.to_pixels(places.reshape(-1, 2), height_m=height).astype(np.float32).reshape(_RAYS, _SAMPLES, 2)
        if np.ptp(pixels[:, np.searchsorted(reach, radius)], axis=0).max() < _LEAST_PX:
            return None
        pixel_m = 2 * radius / float(np.ptp(pixels[:, np.searchsorted(reach, radius)], axis=0).mean())
        seen = np.asarray(cv2.remap(image, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR), dtype=np.uint8)
        smooth = np.asarray(cv2.GaussianBlur(seen.astype(np.float64), (0, 0), sigmaX=2.5, sigmaY=0.8))
        change = np.abs(np.gradient(smooth, axis=1)).sum(axis=2)
        outline = _steepest(change, reach) * (1 + _LIMB) + _LIMB_PX * pixel_m
        flat = outline * np.sqrt(1 - _slant(camera, centre, height) ** 2 * _along_view(camera, centre, rays) ** 2)
        size, moved, agreeing = _circle(flat, rays)
        centre = centre + moved
    within = np.clip(np.searchsorted(reach, _WITHIN * outline), 0, _SAMPLES - 1)
    hollow = cloth.likeness(seen[np.arange(_RAYS), within]) < 1
    if agreeing < _ROUND or float(hollow.mean()) > _HOLLOW:
        return None
    return MeasuredBall(place_m=(float(centre[0]), float(centre[1])), diameter_m=2 * size)


def _steepest(change: FloatArray, reach: FloatArray) -> FloatArray:
    """Distance at which each ray changes most, to a part of a sample."""
    at = np.clip(change[:, 1:-1].argmax(axis=1) + 1, 1, change.shape[1] - 2)
    rows = np.arange(len(at))
    before, top, after = change[rows, at - 1], change[rows, at], change[rows, at + 1]
    bend = before - 2 * top + after
    shift = np.where(bend < 0, 0.5 * (before - after) / np.where(bend < 0, bend, -1.0), 0.0)
    return np.asarray(reach[at] + shift * (reach[1] - reach[0]), dtype=np.float64)


def _slant(camera: CameraModel, centre: FloatArray, height_m: float) -> float:
    """Sine of the angle from the vertical at which a place is seen."""
    away = centre - camera.position_m[:2]
    return float(np.hypot(*away) / np.hypot(np.hypot(*away), camera.position_m[2] - height_m))


def _along_view(camera: CameraModel, centre: FloatArray, rays: FloatArray) -> FloatArray:
    """Cosine between each ray and the direction away from the camera's foot."""
    away = centre - camera.position_m[:2]
    return np.asarray(rays @ (away / max(float(np.hypot(*away)), 1e-9)), dtype=np.float64)


def _circle(outline: FloatArray, rays: FloatArray) -> tuple[float, FloatArray, float]:
    """Radius, shift of the centre and share of agreeing rays of the circle that most rays are on."""
    keep = np.abs(outline - np.median(outline)) < 0.25 * np.median(outline)
    size, moved = float(np.median(outline)), np.zeros(2)
    for tolerance in (0.2, 0.1, _AGREE):
        model = np.column_stack([np.ones(int(keep.sum())), rays[keep]])
        size, *shift = np.linalg.lstsq(model, outline[keep], rcond=None)[0].tolist()
        moved = np.array(shift)
        off = np.abs(outline - size - rays @ moved)
        chosen = off < tolerance * size
        if chosen.sum() < 12:
            break
        keep = chosen
    return float(size), moved, float(keep.mean())
