"""Cameras over a table, drawn by chance: near or far, off centre, tilted, turned, with a bent lens."""

from math import cos, hypot, pi, radians, sin, tan

import numpy as np

from calibration.camera import CameraModel
from calibration.table import Table
from sample_videos.shapes import Frame

MAX_TILT_DEG = 15.0
"""The product promises to work up to this tilt; beyond it pockets hide behind their jaws."""


def make_camera(
    table: Table,
    *,
    height_m: float,
    tilt_deg: float,
    tilt_direction: float,
    turn: float,
    bow: float,
    fill: float,
    image_size_px: tuple[int, int],
    shift: tuple[float, float] = (0.0, 0.0),
    frame: Frame | None = None,
    bow_again: float = 0.0,
) -> CameraModel:
    """A camera that looks at the table's middle and has the whole table in its picture.

    Args:
        table: Where it looks.
        height_m: Above the cloth, metres.
        tilt_deg: Between its axis and the vertical, degrees.
        tilt_direction: Where it stands off the centre, radians in the table frame.
        turn: Direction in the table frame, radians, that runs to the right in the picture.
        bow: Radial displacement at the table's corner over its distance from the middle; below 0 barrel.
        fill: Share of the picture's smaller room that the table fills, 0 to 1.
        image_size_px: (width, height).
        shift: Displacement of the table in the picture, in shares of the room left free, -1 to 1 each way.
        frame: Sizes of the rails.
        bow_again: The same of the next term of the lens, which grows with the fourth power: of the other sign than `bow` it
            makes lines wave.
    """
    frame = frame or Frame()
    width, height = image_size_px
    reach = height_m * tan(radians(tilt_deg))
    position = np.array([reach * cos(tilt_direction), reach * sin(tilt_direction), height_m])
    forward = -position / np.linalg.norm(position)
    right = np.array([cos(turn), sin(turn), 0.0])
    right -= right.dot(forward) * forward
    right /= np.linalg.norm(right)
    rotation = np.vstack([right, np.cross(forward, right), forward])
    edge = frame.cushion_m + frame.rail_m
    half_x, half_y = table.spec.length_m / 2 + edge, table.spec.width_m / 2 + edge
    radius = hypot(half_x, half_y) / height_m
    k1 = bow / radius**2
    probe = CameraModel(
        matrix=np.eye(3),
        distortion=np.array([k1, bow_again / radius**4, 0.0, 0.0, 0.0]),
        rotation=rotation,
        translation_m=-rotation @ position,
        image_size_px=image_size_px,
    )
    outline = [(sx * half_x, sy * half_y) for sx in (-1, 0, 1) for sy in (-1, 0, 1)]
    seen = probe.to_pixels(outline, height_m=frame.rail_height_m)
    low, high = seen.min(axis=0), seen.max(axis=0)
    focal = fill * min(width / (high[0] - low[0]), height / (high[1] - low[1]))
    room = np.array([width, height]) - focal * (high - low)
    middle = np.array([(width - 1) / 2, (height - 1) / 2]) + 0.5 * room * np.array(shift) - focal * (low + high) / 2
    # The principal point of a real camera is near the picture's middle; the table then sits where it projects.
    matrix = np.array([[focal, 0.0, middle[0]], [0.0, focal, middle[1]], [0.0, 0.0, 1.0]])
    return CameraModel(
        matrix=matrix,
        distortion=probe.distortion.copy(),
        rotation=rotation,
        translation_m=probe.translation_m.copy(),
        image_size_px=image_size_px,
    )


def draw_camera(
    rng: np.random.Generator, table: Table, image_size_px: tuple[int, int], frame: Frame, *, upright: bool = False
) -> CameraModel:
    """A camera by chance: near with a wide lens (2 to 4 m) or telephoto from far above, head left or right (`upright`: top or bottom)."""
    far = rng.random() < 0.45
    return make_camera(
        table,
        height_m=float(rng.uniform(4.0, 9.0) if far else rng.uniform(2.0, 4.0)),
        tilt_deg=float(rng.choice([0.0, rng.uniform(0, 3), rng.uniform(0, MAX_TILT_DEG)], p=[0.15, 0.5, 0.35])),
        tilt_direction=float(rng.uniform(0, 2 * pi)),
        turn=float(rng.choice([0.0, pi]) + radians(rng.normal(0, 1.2)) + (pi / 2 if upright else 0.0)),
        bow=float(rng.choice([0.0, rng.uniform(-0.04, 0.04)])),
        fill=float(rng.uniform(0.72, 0.98)),
        image_size_px=image_size_px,
        shift=(float(rng.uniform(-0.8, 0.8)), float(rng.uniform(-0.8, 0.8))),
        frame=frame,
    )
