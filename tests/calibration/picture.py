"""A plain table seen by a given camera: cloth, rubber, shade, rail and pockets, painted pixel by pixel."""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.equipment import TableSpec
from calibration.table import POCKETS, Table

FloatArray = NDArray[np.float64]


def paint(
    camera: CameraModel,
    spec: TableSpec,
    *,
    cloth: tuple[int, int, int],
    balls: list[tuple[float, float]] | None = None,
    pockets: tuple[str, ...] = POCKETS,
    marks: list[tuple[float, float]] | None = None,
) -> NDArray[np.uint8]:
    """Shape (h, w, 3), BGR: every pixel taken back to the plane of the noses and coloured by what lies there; `marks` are light spots."""
    table = Table(spec)
    width, height = camera.image_size_px
    knots = np.meshgrid(np.arange(-4.0, width + 5, 4), np.arange(-4.0, height + 5, 4))
    coarse = camera.to_table(np.column_stack([knots[0].ravel(), knots[1].ravel()]), height_m=spec.nose_height_m)
    x, y = np.meshgrid(np.arange(2 * width) / 2 - 0.25, np.arange(2 * height) / 2 - 0.25)
    at = ((x.ravel() + 4) / 4).astype(np.float32).reshape(x.shape), ((y.ravel() + 4) / 4).astype(np.float32).reshape(y.shape)
    places = cv2.remap(coarse.reshape(*knots[0].shape, 2), at[0], at[1], cv2.INTER_LINEAR)
    colours = _colours(
        np.asarray(places, dtype=np.float64).reshape(-1, 2), table, np.array(cloth, float), balls or [], pockets, marks or []
    )
    fine = colours.reshape(2 * height, 2 * width, 3)
    mean = np.asarray(cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA), dtype=np.float64)
    noise = np.random.default_rng(1).normal(0, 1.5, mean.shape)
    return np.clip(mean + noise, 0, 255).astype(np.uint8)


def sight_places(spec: TableSpec) -> list[tuple[float, float]]:
    """Where sights lie, 0.11 m outward of the noses: at eighths of the length and quarters of the width."""
    x, y = spec.length_m / 2 + 0.11, spec.width_m / 2 + 0.11
    long = [(k * spec.length_m / 8, sign * y) for sign in (-1, 1) for k in (-3, -2, -1, 1, 2, 3)]
    return long + [(sign * x, k * spec.width_m / 4) for sign in (-1, 1) for k in (-1, 0, 1)]


def _colours(
    places: FloatArray,
    table: Table,
    cloth: FloatArray,
    balls: list[tuple[float, float]],
    pockets: tuple[str, ...],
    marks: list[tuple[float, float]],
) -> FloatArray:
    spec = table.spec
    out = np.maximum(np.abs(places[:, 0]) - spec.length_m / 2, np.abs(places[:, 1]) - spec.width_m / 2)
    palette = np.array(
        [(90, 95, 100), (30, 45, 70), cloth * 0.95, cloth * 0.7, cloth, (12, 12, 12), (40, 60, 220), (215, 220, 220)], dtype=np.float64
    )
    kinds = np.digitize(-out, [-0.17, -0.05, 0.0, 0.008]).astype(np.uint8)
    for pocket in pockets:
        centre = np.array(table.mouth_centre_m(pocket))
        behind = np.array([{"H": -1.0, "S": 0.0, "F": 1.0}[pocket[0]], 1.0 if pocket[1] == "L" else -1.0])
        kinds[_within(places, centre + 0.04 * behind / np.hypot(*behind), 0.058)] = 5
    for ball in balls:
        kinds[_within(places, np.array(ball), spec.ball_radius_m)] = 6
    for mark in marks:
        kinds[_within(places, np.array(mark), 0.009)] = 7
    return np.asarray(palette[kinds], dtype=np.float64)


def _within(places: FloatArray, centre: FloatArray, radius: float) -> NDArray[np.int64]:
    """Indices of the places less than `radius` from a centre; only a band of them is measured, which takes a tenth of the time."""
    band = np.flatnonzero(np.abs(places[:, 0] - centre[0]) < radius)
    return band[np.hypot(*(places[band] - centre).T) < radius]
