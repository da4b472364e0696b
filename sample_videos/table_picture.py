"""The picture of the empty table: outlines painted one over the other into a map of materials, then coloured.

The map of materials is made at `FINE` times the picture's size and averaged, so that every edge (nose, jaw, hole) lies
where the camera model puts it, smooth to a fraction of a pixel. Outlines are painted from far to near: floor, rails,
irons, liners, holes, bed, cushions; each at its height, so that near things hide far ones as they should.

Fails: a camera tilted beyond about 20 degrees would see the outer sides of the rails, which are not painted.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.table import Table
from sample_videos.bystanders import paint_bystanders
from sample_videos.canvas import FINE, Canvas, Material, fill, noise
from sample_videos.cloth_marks import paint_marks
from sample_videos.hollows import paint_glare, paint_holes, paint_metal
from sample_videos.looks import GAMMA, Look, encode, lamp_falloff
from sample_videos.shapes import circle, cushions, dense, diamonds, holes, rounded_rectangle, throat
from sample_videos.surroundings import paint_surroundings

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Bool = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TablePicture:
    """An empty table as seen.

    Attributes:
        image: Shape (H, W, 3), display values 0..255, float32 BGR, before the sensor.
        bed: Share of each pixel that shows the bed, shape (H, W), float32.
        low: Share that shows bed, hole or floor: where a ball below the rails can be seen.
        cloth: Share that shows bed or cushion: where shadows fall.
        floor: Share that shows the floor.
    """

    image: Float32
    bed: Float32
    low: Float32
    cloth: Float32
    floor: Float32


def paint_table(camera: CameraModel, table: Table, look: Look, *, fine: int = FINE) -> TablePicture:
    """The empty table through a camera in a light; `fine` samples a pixel side."""
    rng = np.random.default_rng(look.seed)
    canvas = _outline(Canvas(camera, fine), table, look)
    width, height = camera.image_size_px
    places = _places(camera)
    light = _lamp_light(table, look, places)
    bed, cushion = canvas.weight(Material.BED), canvas.weight(Material.CUSHION)
    grain = _grain(rng, (height, width), look)
    cloth = np.array(look.cloth, np.float32)
    bed_colour = (light * grain)[..., None] * cloth
    slope = np.float32(1 + rng.uniform(-0.10, 0.14))
    cushion_colour = (slope * grain * _edge_free(light))[..., None] * cloth
    image = bed[..., None] * bed_colour + cushion[..., None] * cushion_colour
    flat = {
        Material.LINER: look.liner,
        Material.DIAMOND: look.diamond_colour,
        Material.CHALK: look.chalk,
    }
    for material, colour in flat.items():
        image += canvas.weight(material)[..., None] * np.array(colour, np.float32)
    glare = (look.rail_gloss * 0.5 * paint_glare(camera, places, look))[..., None]
    floor = canvas.weight(Material.FLOOR)
    hollow = paint_holes(rng, camera, places, table, look)
    image += canvas.weight(Material.HOLE)[..., None] * hollow
    image += canvas.weight(Material.CUP)[..., None] * (0.5 * hollow + 0.6 * np.array(look.cup, np.float32))
    image += canvas.weight(Material.IRON)[..., None] * (paint_metal(rng, places, table, look) + glare)
    image += canvas.weight(Material.RAIL)[..., None] * (_rail(rng, places, table, look) + glare)
    image += floor[..., None] * paint_surroundings(rng, camera, places, table, look)
    image = paint_marks(rng, camera, table, look, image, bed)
    gain = np.array(look.sensor.gain, np.float32) * np.float32(look.exposure_gain)
    across = ((np.arange(width, dtype=np.float32) - width / 2) / (width / 2)) ** 2
    down = ((np.arange(height, dtype=np.float32) - height / 2) / (height / 2)) ** 2
    image *= (1 - np.float32(look.sensor.vignette / 2) * (down[:, None] + across[None, :]))[..., None] * gain
    display = encode(image)
    if look.clutter > 0:
        paint_bystanders(np.random.default_rng(look.seed + 3), camera, table, look, display, floor)
    low = canvas.weight(Material.BED, Material.HOLE, Material.CUP, Material.LINER, Material.FLOOR)
    return TablePicture(image=display, bed=bed, low=low, cloth=np.minimum(1, bed + cushion), floor=floor)


def _outline(canvas: Canvas, table: Table, look: Look) -> Canvas:
    frame, nose = look.frame, table.spec.nose_height_m
    top = frame.rail_height_m
    half_x, half_y = table.spec.length_m / 2, table.spec.width_m / 2
    edge = frame.cushion_m + frame.rail_m
    body = dense(rounded_rectangle(half_x + edge, half_y + edge, min(frame.corner_radius_m, edge)))
    canvas.fill(body, top, Material.RAIL)
    if look.iron is not None:
        _irons(canvas, table, look, body)
    mark = 0.011
    for x, y, angle in diamonds(table, frame):
        if look.diamond == "circle":
            shape = circle((x, y), 0.6 * mark, 16)
        else:
            long = np.array([np.cos(angle), np.sin(angle)]) * mark * 1.3
            short = np.array([-np.sin(angle), np.cos(angle)]) * mark * 0.55
            shape = np.array([x, y]) + np.array([long, short, -long, -short])
        canvas.fill(shape, top, Material.DIAMOND)
    pockets = holes(table)
    for hole in pockets.values():
        canvas.fill(circle(hole.centre_m, hole.radius_m + frame.liner_m), top, Material.LINER)
        canvas.fill(circle(hole.centre_m, hole.radius_m), top, Material.HOLE)
    bed = np.array([(-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y)])
    canvas.fill(dense(bed * (1 + 0.9 * frame.cushion_m / np.array([half_x, half_y]))), 0.0, Material.BED)
    for name, hole in pockets.items():
        canvas.fill(dense(throat(table, frame, name)), 0.0, Material.BED)
        canvas.fill(circle(hole.centre_m, hole.radius_m), 0.0, Material.HOLE)
        if sum(look.cup) > 0.02:
            inner = np.array(hole.centre_m) - 0.12 * hole.radius_m * np.array(hole.outward)
            canvas.fill(circle((inner[0], inner[1]), 0.72 * hole.radius_m), -0.06, Material.CUP, only=Material.HOLE)
    for nose_line, back in cushions(table, frame):
        outline = dense(np.concatenate([nose_line, back[::-1]]))
        out = np.maximum(np.abs(outline[:, 0]) - half_x, np.abs(outline[:, 1]) - half_y)
        rise = np.clip(out / frame.cushion_m, 0, 1)
        canvas.fill(outline, nose + rise * (top - nose), Material.CUSHION)
    _chalks(canvas, table, look)
    return canvas


def _chalks(canvas: Canvas, table: Table, look: Look) -> None:
    """Cubes of chalk left on the rails."""
    rng = np.random.default_rng(look.seed + 2)
    half_x, half_y = table.spec.length_m / 2, table.spec.width_m / 2
    inset = look.frame.cushion_m + rng.uniform(0.2, 0.8) * look.frame.rail_m
    for _ in range(look.chalks):
        along, side = rng.uniform(-0.9, 0.9), rng.choice([-1, 1])
        place = (along * half_x, side * (half_y + inset)) if rng.random() < 0.6 else (side * (half_x + inset), along * half_y)
        turned = rng.uniform(0, np.pi)
        corners = np.array([(np.cos(turned + k * np.pi / 2), np.sin(turned + k * np.pi / 2)) for k in range(4)])
        canvas.fill(np.array(place) + 0.015 * corners, look.frame.rail_height_m + 0.02, Material.CHALK)


def _irons(canvas: Canvas, table: Table, look: Look, body: FloatArray) -> None:
    frame = look.frame
    half_x, half_y = table.spec.length_m / 2, table.spec.width_m / 2
    edge = frame.cushion_m + frame.rail_m
    reach = 0.09 + 0.03 * np.random.default_rng(look.seed).random()
    cut_x, cut_y = half_x - reach + 0.05, half_y - reach + 0.05
    for sx in (-1, 1):
        for sy in (-1, 1):
            corner = np.maximum(body * (sx, sy), (cut_x, cut_y)) * (sx, sy)
            canvas.fill(corner, frame.rail_height_m, Material.IRON)
    for sy in (-1, 1):
        wide, near, far = 0.085, half_y + 0.4 * frame.cushion_m, half_y + edge
        plate = np.array([(-wide, sy * near), (wide, sy * near), (wide, sy * far), (-wide, sy * far)])
        canvas.fill(plate, frame.rail_height_m, Material.IRON)


def _places(camera: CameraModel) -> Float32:
    """Table position at z = 0 of every pixel, shape (H, W, 2); from every eighth pixel, which is exact to 0.01 pixel."""
    width, height = camera.image_size_px
    step = 8
    columns, rows = np.meshgrid(np.arange(0, width + step, step), np.arange(0, height + step, step))
    coarse = camera.to_table(np.column_stack([columns.ravel(), rows.ravel()]), height_m=0.0)
    grid = np.nan_to_num(coarse, nan=9.0).reshape(*columns.shape, 2).astype(np.float32)
    at_x, at_y = np.arange(width, dtype=np.float32) / step, np.arange(height, dtype=np.float32) / step
    map_x, map_y = np.meshgrid(at_x, at_y)
    return np.asarray(cv2.remap(grid, map_x, map_y, cv2.INTER_LINEAR), np.float32)


def _lamp_light(table: Table, look: Look, places: Float32) -> Float32:
    """Light on the bed, shape (H, W): 1 on average, with the noses' shadows and the dimness beside them."""
    half_x, half_y = table.spec.length_m / 2, table.spec.width_m / 2
    nose = table.spec.nose_height_m
    light = np.full(places.shape[:2], np.float32(look.ambient))
    # Distance inside the noses of a point; the rubber above takes part of the room's light.
    inside = np.minimum(half_x - np.abs(places[..., 0]), half_y - np.abs(places[..., 1]))
    under = _under_rubber(table, places)
    # In a pocket's mouth, outside the nose lines, no rubber is above.
    clear = np.where(under, 0.0, np.where(inside > 0, inside, nose))
    light *= 1 - 0.75 * np.exp(-clear / (0.6 * nose))
    for lamp in look.lamps:
        share = (1 - look.ambient) * lamp.share
        seen = np.ones(places.shape[:2], np.float32)
        for axis, half in ((0, half_x), (1, half_y)):
            for sign in (-1, 1):
                # A point at depth d inside a nose is lit where the ray to the lamp passes above it.
                lean = (sign * lamp.centre_m[axis] - half) / lamp.centre_m[2]
                edge = nose * lean
                soft = max(0.004, 2 * nose * lamp.half_m[axis] / lamp.centre_m[2])
                depth = half - sign * places[..., axis]
                seen *= np.where((depth < -0.003) & ~under, 0.9, np.clip((depth - edge) / soft + 0.5, 0, 1))
        light += np.float32(share) * lamp_falloff(lamp.centre_m, places) * seen
    for patch in look.sun:
        light += patch.share * patch.inside(places)
    return light


def _under_rubber(table: Table, places: Float32) -> Bool:
    """Where the bed lies under a cushion: what a camera off the middle sees of it below the nose is in the deepest shade."""
    under = np.zeros(places.shape[:2], bool)
    for parts in table.noses_m().values():
        for a, b in parts:
            across = int(abs(a[0] - b[0]) > abs(a[1] - b[1]))
            low, high = sorted((a[1 - across], b[1 - across]))
            beyond = places[..., across] * np.sign(a[across]) > abs(a[across])
            under |= beyond & (places[..., 1 - across] > low) & (places[..., 1 - across] < high)
    return under


def _edge_free(light: Float32) -> Float32:
    """The light without the noses' shadows: what falls on the cushions' tops."""
    small = cv2.resize(light, (48, 27), interpolation=cv2.INTER_AREA)
    small = cv2.dilate(small, np.ones((3, 3), np.uint8))
    return np.asarray(cv2.resize(small, light.shape[::-1], interpolation=cv2.INTER_CUBIC), np.float32)


def _grain(rng: np.random.Generator, shape: tuple[int, int], look: Look) -> Float32:
    """Weave and wear of the cloth as a factor round 1."""
    weave = cv2.GaussianBlur(rng.standard_normal(shape, dtype=np.float32), (0, 0), 0.7)
    grain = 1 + 2.2 * look.cloth_noise * weave
    grain += 0.02 * (0.3 + look.wear) * noise(rng, shape, (40, 40)) + 0.012 * look.wear * noise(rng, shape, (9, 16))
    return np.asarray(grain, np.float32)


def _rail(rng: np.random.Generator, places: Float32, table: Table, look: Look) -> Float32:
    shape = (places.shape[0], places.shape[1])
    long = np.abs(places[..., 1]) > table.spec.width_m / 2 + 0.3 * look.frame.cushion_m
    wood = np.where(long, noise(rng, shape, (4, 60)), noise(rng, shape, (60, 4)))
    fine = np.where(long, noise(rng, shape, (2, 24)), noise(rng, shape, (24, 2)))
    factor = 1 + look.rail_grain * (0.7 * wood + 0.5 * fine)
    # The edges are rounded: a lighter line inside, a darker one outside.
    beyond = np.maximum(np.abs(places[..., 0]) - table.spec.length_m / 2, np.abs(places[..., 1]) - table.spec.width_m / 2)
    outer = look.frame.cushion_m + look.frame.rail_m
    factor *= 1 + 0.25 * np.exp(-np.abs(beyond - look.frame.cushion_m) / 0.004) - 0.4 * np.clip((beyond - outer + 0.015) / 0.015, 0, 1)
    return np.asarray(np.clip(factor, 0.05, 3)[..., None] * np.array(look.rail, np.float32), np.float32)


__all__ = ["FINE", "GAMMA", "Material", "TablePicture", "fill", "paint_table"]
