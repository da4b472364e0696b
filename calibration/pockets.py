"""Do the pockets lie where the model has them? A check that does not use what the model was fitted to.

Four straight lines of cloth can be had wrong: a graphic's edge over one rail, a rail of the cloth's colour, an end
outside the picture. The fit then still passes through them, and only the pockets tell. Two looks: is there a hole
behind each mouth, and along the rubber beside each mouth, where does the cloth begin? How wide mouths are differs
between tables, so only differences between mouths count: all corners are cut alike, and a middle pocket is as far
from one end as from the other.

Fails: cushions covered at the mouths say nothing; a camera tilted by 15 degrees sees a middle pocket up to 5 mm to
one side, since its hole lies lower than the noses.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.cloth import Cloth, chroma_lightness
from calibration.solve import side_points_m
from calibration.table import POCKETS, Table

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_HOLE_SHARE = 0.5
"""Share of the disc behind a mouth that is not cloth where there is a pocket; the shelf is cloth."""
_HOLE_STEPS = (0.55, 0.9)
"""How far behind a mouth it is looked for, in ball diameters: still within the rubber's width where there is no pocket."""
_DARK_SHARE = 0.55
"""Below this share of the bed's lightness close by it is no cloth, whatever its colour: grey cloth and a dark hole
differ in nothing else; shadows of noses keep 0.7."""
_DEPTHS = (0.22, 0.35, 0.48)
"""Distances outward of the nose at which the rubber is followed, of its width: clear of the nose's line and of the rail."""
_CLEAR_OF_MOUTHS = np.concatenate([np.linspace(-0.38, -0.12, 14), np.linspace(0.12, 0.38, 14)])
"""Places along a cushion, of its length, where no mouth is: there the rubber's own lightness is taken, which in a lamp's shade is
half the bed's."""
_STEP_M = 0.003
"""Distance of the samples along the rubber."""
_TOLERANCE_MIN = 0.12
"""Least tolerance in chroma along the rubber: cloth told strictly from rails of nearly its colour loses itself in the noise of dim
light, and what ends it here is a hole."""
_OWN_COLOUR = 1.2
"""How far, in tolerances, the rubber's colour may be from the bed's for the mouths to be told from it by its own: more is a rail's."""
_SMOOTH_M = 0.0045
"""Smoothing along the rubber: single pixels of dark cloth are noise, a mouth is twenty times longer."""
_REACH_M = 0.16
"""How far on either side of a mouth the rubber is followed: one and a half mouths."""
_CLEAR_M = 0.03
"""Length of cloth after which the mouth has ended: chalk and a ball's edge are shorter than a gap in the mouth is."""
_ARMS = (
    ("left", -1, "HL"),
    ("left", 1, "FL"),
    ("right", 1, "HR"),
    ("right", -1, "FR"),
    ("head", -1, "HR"),
    ("head", 1, "HL"),
    ("foot", -1, "FL"),
    ("foot", 1, "FR"),
)
"""Cushion, direction along it (clockwise 1) and corner pocket at that end of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MouthCheck:
    """What the mouths say of a model.

    Attributes:
        visible: Pockets that lie in the picture.
        holes: Those behind whose mouth there is no cloth.
        measured: Ends of rubber that could be seen.
        off_m: Disagreement of a pocket with the others, metres, the second largest; 0 where fewer than two were seen.
            One pocket is easily covered by a person or filled by a ball; a wrong side has two.
        where: That pocket, empty where fewer than two were seen.
        corner_mouth_m: Distance of the two ends of rubber at a corner, the usual one; None where fewer than four were seen.
    """

    visible: int
    holes: int
    measured: int
    off_m: float
    where: str
    corner_mouth_m: float | None = None


def check_mouths(image: Image, camera: CameraModel, table: Table, cloth: Cloth, rims_m: dict[str, float]) -> MouthCheck:
    """Compare the pockets in a picture with those of the model.

    Args:
        image: Shape (h, w, 3), BGR.
        camera: A model of it.
        table: The table.
        cloth: Its colour.
        rims_m: For each side how wide its rubber is seen in the plane of the noses.
    """
    visible, holes = see_holes(image, camera, table, cloth)
    corner = _corner_ends_m(image, camera, table, cloth, rims_m)
    middle = _middle_offsets_m(image, camera, table, cloth, rims_m)
    away = dict(middle)
    usual = float(np.median([end for _, end in corner])) if len(corner) >= 4 else None
    for name, end in corner:
        if usual is not None:
            away[name] = max(away.get(name, 0.0), abs(end - usual))
    ranked = sorted(away, key=lambda name: -away[name])
    where = ranked[1] if len(ranked) > 1 else ""
    return MouthCheck(
        visible=visible,
        holes=holes,
        measured=len(corner) + 2 * len(middle),
        off_m=away[where] if where else 0.0,
        where=where,
        corner_mouth_m=None if usual is None else usual * float(np.sqrt(2)),
    )


def _inside(pixels: FloatArray, image: Image) -> bool:
    height, width = image.shape[:2]
    return bool(((pixels >= 0) & (pixels <= [width - 1, height - 1])).all())


def _look(image: Image, pixels: FloatArray) -> Image:
    at = pixels.astype(np.float32)
    seen: Image = np.asarray(cv2.remap(image, at[None, :, 0], at[None, :, 1], cv2.INTER_LINEAR), dtype=np.uint8)[0]
    return seen


def _lightness(image: Image, camera: CameraModel, places_m: FloatArray, height_m: float) -> float:
    """Median lightness of points at a height, those outside the picture taken at its edge."""
    height, width = image.shape[:2]
    pixels = np.clip(camera.to_pixels(places_m, height_m=height_m), 0, [width - 1, height - 1])
    return float(np.median(_look(image, pixels).mean(axis=1)))


def _no_cloth(seen: Image, cloth: Cloth, lightness: float) -> NDArray[np.bool_]:
    return np.asarray((cloth.likeness(seen) > 1) | (seen.mean(axis=-1) < _DARK_SHARE * lightness))


def see_holes(image: Image, camera: CameraModel, table: Table, cloth: Cloth) -> tuple[int, int]:
    """How many pockets lie in the picture, and behind how many of their mouths there is no cloth; arguments as for `check_mouths`."""
    ball = table.spec.ball_diameter_m
    angles, radii = np.meshgrid(np.linspace(0, 2 * np.pi, 12, endpoint=False), np.array([0.1, 0.25, 0.4]) * ball)
    disc = np.column_stack([(radii * np.cos(angles)).ravel(), (radii * np.sin(angles)).ravel()])
    visible = holes = 0
    for pocket in POCKETS:
        centre = np.array(table.mouth_centre_m(pocket))
        outward = np.array([{"H": -1.0, "S": 0.0, "F": 1.0}[pocket[0]], 1.0 if pocket[1] == "L" else -1.0])
        outward /= np.hypot(*outward)
        light = _lightness(image, camera, centre - np.arange(0.5, 4, 0.25)[:, None] * ball * outward, 0.0)
        shares = []
        for step in _HOLE_STEPS:
            pixels = camera.to_pixels(centre + step * ball * outward + disc, height_m=0.0)
            if _inside(pixels, image):
                shares.append(float(_no_cloth(_look(image, pixels), cloth, light).mean()))
        visible += int(bool(shares))
        holes += int(bool(shares) and max(shares) > _HOLE_SHARE)
    return visible, holes


def _shaded(cloth: Cloth, rubber: Image) -> Cloth:
    """The cloth as its colour is on the rubber, if that is near to it: shade of a dark picture is less green than green cloth in light."""
    chroma, lightness = chroma_lightness(rubber)
    own = np.asarray(np.median(chroma, axis=0), dtype=np.float64)
    if np.hypot(*(own - cloth.chroma)) > _OWN_COLOUR * cloth.tolerance:
        return cloth
    return replace(cloth, chroma=own, lightness=float(np.median(lightness)))


def _along_rubber(
    image: Image, camera: CameraModel, table: Table, cloth: Cloth, rubber_m: float, side: str, along_m: FloatArray
) -> NDArray[np.bool_] | None:
    """Where along the rubber there is no cloth, shape as `along_m`; None where it leaves the picture."""
    height = table.spec.nose_height_m
    rows = []
    light = _lightness(image, camera, side_points_m(side, along_m, np.full(len(along_m), -0.06), table.spec), 0.0)
    length = table.spec.width_m if side in ("head", "foot") else table.spec.length_m
    clear, wide = _CLEAR_OF_MOUTHS * length, replace(cloth, tolerance=max(cloth.tolerance, _TOLERANCE_MIN))
    inside = np.array(image.shape[1::-1]) - 1
    for depth in _DEPTHS:
        pixels = camera.to_pixels(side_points_m(side, along_m, np.full(len(along_m), depth * rubber_m), table.spec), height_m=height)
        if not _inside(pixels, image):
            return None
        beside = camera.to_pixels(side_points_m(side, clear, np.full(len(clear), depth * rubber_m), table.spec), height_m=height)
        rubber = _look(image, np.clip(beside, 0, inside))
        seen = np.asarray(cv2.GaussianBlur(_look(image, pixels)[None], (9, 1), _SMOOTH_M / _STEP_M), dtype=np.uint8)[0]
        rows.append(_no_cloth(seen, _shaded(wide, rubber), min(light, float(np.median(rubber.mean(axis=1))))))
    return np.asarray(np.sum(rows, axis=0) >= 2)


def _first_clear(empty: NDArray[np.bool_]) -> int | None:
    """First index of a long run of cloth."""
    run = max(2, round(_CLEAR_M / _STEP_M))
    for i in range(len(empty) - run):
        if not empty[i : i + run].any():
            return i
    return None


def _corner_ends_m(image: Image, camera: CameraModel, table: Table, cloth: Cloth, rims_m: dict[str, float]) -> list[tuple[str, float]]:
    """For each end of rubber at a corner that can be seen: pocket, and distance from the corner at which cloth begins."""
    found = []
    distance = np.arange(-0.03, table.corner_mouth_m / np.sqrt(2) + _REACH_M, _STEP_M)
    for side, direction, pocket in _ARMS:
        half = (table.spec.width_m if side in ("head", "foot") else table.spec.length_m) / 2
        empty = _along_rubber(image, camera, table, cloth, rims_m[side], side, direction * (half - distance))
        start = None if empty is None else _first_clear(empty)
        if start is not None and empty is not None and empty[:start].sum() * _STEP_M > 0.02:
            found.append((pocket, float(distance[start])))
    return found


def _middle_offsets_m(image: Image, camera: CameraModel, table: Table, cloth: Cloth, rims_m: dict[str, float]) -> list[tuple[str, float]]:
    """For each middle pocket that can be seen: its name, and how far its middle is from the model's, metres."""
    found = []
    along = np.arange(0.0, table.side_mouth_m / 2 + _REACH_M, _STEP_M)
    for side, pocket in (("left", "SL"), ("right", "SR")):
        arms = [_along_rubber(image, camera, table, cloth, rims_m[side], side, sign * along) for sign in (1, -1)]
        if any(arm is None for arm in arms):
            continue
        ends = [_first_clear(arm) for arm in arms if arm is not None]
        if ends[0] is not None and ends[1] is not None and ends[0] + ends[1] > 0:
            found.append((pocket, abs(ends[0] - ends[1]) * _STEP_M / 2))
    return found
