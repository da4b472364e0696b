"""What is drawn and left on the cloth: shade lines below the noses, strings, spots, a rack's outline, chalk, burns."""

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.table import Table
from sample_videos.canvas import cover
from sample_videos.looks import Look
from sample_videos.shapes import circle, cushions, dense

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]


def paint_marks(rng: np.random.Generator, camera: CameraModel, table: Table, look: Look, image: Float32, bed: Float32) -> Float32:
    """Nose shade lines, head string, spots, chalk marks: thin strips blended over the linear picture."""
    half_x, half_y = table.spec.length_m / 2, table.spec.width_m / 2
    marks: list[tuple[FloatArray, float, float, float]] = []  # outline, height, factor, strength of white
    shade, thick = float(rng.uniform(0.10, 0.45)), float(rng.uniform(0.0012, 0.0035))
    for nose_line, back in cushions(table, look.frame):
        # The shade under a nose runs on along the facings into the pockets.
        for end in (0, 1):
            facing = back[end] - nose_line[end]
            off = np.array([-facing[1], facing[0]]) / max(float(np.linalg.norm(facing)), 1e-9) * (1.0 if end else -1.0)
            off = off if off @ (nose_line[end] - nose_line[1 - end]) > 0 else -off
            strip = np.array(
                [nose_line[end], nose_line[end] + 0.8 * facing, nose_line[end] + 0.8 * facing + off * 0.006, nose_line[end] + off * 0.004]
            )
            marks.append((strip, 0.0, 0.45, 0.0))
        inward = -np.sign(nose_line.mean(axis=0)) * (np.abs(np.abs(nose_line).mean(axis=0) - (half_x, half_y)) < 1e-3)
        strip = np.concatenate([nose_line, nose_line[::-1] + inward * thick])
        marks.append((dense(strip), table.spec.nose_height_m, 1 - shade, 0.0))
    if look.lines:
        x, w = table.head_string_m, float(rng.uniform(0.0008, 0.002))
        strip = np.array([(x - w, -half_y), (x + w, -half_y), (x + w, half_y), (x - w, half_y)])
        dark = rng.random() < 0.4
        marks.append((dense(strip), 0.0, 0.5 if dark else 1.0, 0.0 if dark else float(rng.uniform(0.02, 0.25))))
    if look.spots:
        dark = rng.random() < 0.5
        for spot in list(table.spots_m().values())[:: int(rng.choice([1, 2]))]:
            marks.append((circle(spot, float(rng.uniform(0.004, 0.012)), 20), 0.0, 0.15 if dark else 1.0, 0.0 if dark else 0.5))
    for _ in range(int(rng.poisson(20 * look.wear))):
        start = np.array([rng.uniform(-half_x, half_x), rng.uniform(-half_y, half_y)])
        along = rng.normal(0, 0.025, 2)
        across = np.array([-along[1], along[0]]) / (np.linalg.norm(along) + 1e-9) * 0.0012
        marks.append((np.array([start, start + along, start + along + across, start + across]), 0.0, 1.0, float(rng.uniform(0.02, 0.12))))
    marks += _extra_lines(rng, table, look)
    for outline, z, factor, white in marks:
        found = cover(camera, outline, z)
        if found is not None:
            window, share = found
            share = (share * bed[window] if z == 0 else share)[..., None]
            image[window] = image[window] * (1 - share * (1 - factor)) + share * np.float32(white)
    _dust(rng, camera, table, look, image, bed)
    return image


def _extra_lines(rng: np.random.Generator, table: Table, look: Look) -> list[tuple[FloatArray, float, float, float]]:
    """Lines that some halls draw: foot string, long string, the outline of the rack, a D."""
    half_y, foot, radius = table.spec.width_m / 2, table.spec.length_m / 4, table.spec.ball_radius_m
    wide = float(rng.uniform(0.0008, 0.002))
    tone = (0.55, 0.0) if rng.random() < 0.5 else (1.0, float(rng.uniform(0.03, 0.2)))
    strips: list[FloatArray] = []
    if "foot string" in look.extra_lines:
        strips.append(_strip(np.array([(foot, -half_y), (foot, half_y)]), wide))
    if "long string" in look.extra_lines:
        strips.append(_strip(np.array([(foot, 0.0), (2 * foot, 0.0)]), wide))
    if "rack" in look.extra_lines:
        far, out = foot + 4 * radius * 3**0.5 + radius, 5.6 * radius
        corners = np.array([(foot - 1.6 * radius, 0.0), (far, out), (far, -out), (foot - 1.6 * radius, 0.0)])
        strips += [_strip(corners[k : k + 2], wide) for k in range(3)]
    if "d" in look.extra_lines:
        angle = np.linspace(np.pi / 2, 3 * np.pi / 2, 40)
        reach = table.spec.width_m / 6
        arc = np.column_stack([table.head_string_m + reach * np.cos(angle), reach * np.sin(angle)])
        strips += [_strip(arc[k : k + 2], wide) for k in range(39)]
    return [(strip, 0.0, *tone) for strip in strips]


def _strip(ends: FloatArray, wide: float) -> FloatArray:
    way = ends[1] - ends[0]
    across = np.array([-way[1], way[0]]) / max(float(np.linalg.norm(way)), 1e-9) * wide
    return dense(np.array([ends[0] - across, ends[1] - across, ends[1] + across, ends[0] + across]))


def _dust(rng: np.random.Generator, camera: CameraModel, table: Table, look: Look, image: Float32, bed: Float32) -> None:
    """Specks of chalk and burns: small soft dots, most where balls are struck and racked."""
    count = int(rng.poisson(60 * look.wear))
    if count == 0:
        return
    half = np.array([table.spec.length_m, table.spec.width_m]) / 2
    places = np.where(rng.random((count, 1)) < 0.5, rng.uniform(-half, half, (count, 2)), rng.normal(0, 0.16, (count, 2)))
    places[:, 0] += np.where(rng.random(count) < 0.3, table.spec.length_m / 4, 0.0)
    pixels = camera.to_pixels(places)
    chalk = np.array(look.chalk, np.float32)
    for (x, y), size in zip(pixels, rng.uniform(0.4, 1.6, count), strict=True):
        if not (3 < x < image.shape[1] - 4 and 3 < y < image.shape[0] - 4):
            continue
        left, top = int(x) - 3, int(y) - 3
        rows, columns = np.ogrid[0:8, 0:8]
        spot = np.exp(-((columns + left - x) ** 2 + (rows + top - y) ** 2) / (2 * size * size)).astype(np.float32)
        window = (slice(top, top + 8), slice(left, left + 8))
        strength = (spot * bed[window] * np.float32(rng.uniform(0.05, 0.45)))[..., None]
        image[window] += strength * ((chalk if rng.random() < 0.7 else np.float32(0.2) * image[window]) - image[window])
