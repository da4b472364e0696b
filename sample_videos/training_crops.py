"""Training crops: many small windows round balls, hands, pockets and cloth, with exact truth, hundreds a second.

A table, a light and a camera are painted once and used for many layouts; of each layout only windows are painted, and
each of them goes through one of several lenses, sensors and codecs. Mirror images and quarter turns are pictures of equal
right, but for the numbers on the balls; a crop says whether it is mirrored.
Batches come in the same order and with the same content for any number of worker processes.
"""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import count

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.equipment import BallId, find_table
from calibration.table import Table
from sample_videos.layers import Box
from sample_videos.looks import draw_look
from sample_videos.people import Person
from sample_videos.poses import draw_camera
from sample_videos.scene import BallInView, Scene
from sample_videos.sensor import Finish
from sample_videos.training import POOL_TABLES, leaning_player, lying_balls
from sample_videos.workers import in_order

FloatArray = NDArray[np.float64]
Bytes = NDArray[np.uint8]

CROP_LAYOUTS = 20
"""Layouts a table: fewer waste its painting, more make a batch of one colour."""
_PER_BALL = 6
"""Windows round each ball of a layout."""
_ELSEWHERE = 3
"""Windows at other places of a layout: cloth, noses, pockets, rails, hands."""
_WINDOW = (640, 480)
"""Part of a picture that is painted, pixels; a crop's window lies in it."""
_BEYOND_PX = 60.0
"""A ball beyond the edge by more than this shows nothing of itself."""
_SIZES = ((1920, 1080), (1920, 1080), (1600, 900), (1280, 720), (1280, 720), (960, 540))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CropBatch:
    """Crops of one table, and the balls in them.

    Attributes:
        images: Shape (N, s, s, 3), uint8 BGR.
        covered: Shape (N, s, s), uint8: 1 where a person or a cue hides the table.
        mirrored: Shape (N,), whether the crop is a mirror image: numbers on its balls are then unreadable.
        crop: Shape (M,), in which crop a ball is.
        names: M ids.
        centres_px: Shape (M, 2), in the crop, (0, 0) being the centre of its first pixel; in the middle of the exposure.
        radii_px: Shape (M,), mean radius of the outline.
        visible: Shape (M,), share of the disc that is to be seen in the crop, 0 to 1.
        streaks_px: Shape (M, 2), from the start to the end of the exposure.
        on_bed: Shape (M,), False in a pocket.
        table: Name of the table.
    """

    images: Bytes
    covered: Bytes
    mirrored: NDArray[np.bool_]
    crop: NDArray[np.int64]
    names: tuple[BallId, ...]
    centres_px: FloatArray
    radii_px: FloatArray
    visible: FloatArray
    streaks_px: FloatArray
    on_bed: NDArray[np.bool_]
    table: str


def training_crops(
    seed: int,
    *,
    size_px: int = 112,
    tables: tuple[str, ...] = (*POOL_TABLES, "pyramid-12ft"),
    layouts: int = CROP_LAYOUTS,
    workers: int = 2,
) -> Generator[CropBatch]:
    """Batches of crops without end, one table each.

    Close it (`contextlib.closing`) or read on to the end of the program: its workers end with it.

    Args:
        seed: The same seed gives the same batches, whatever the number of workers.
        size_px: Side of a crop.
        tables: Names of `calibration.equipment` to draw from.
        layouts: Layouts a table.
        workers: Processes that paint, beside this one; 1 paints in this one. More than one need a script that keeps its
            work under `if __name__ == "__main__":`.
    """
    make = partial(crop_batch, size_px=size_px, tables=tables, layouts=layouts)
    with closing(in_order(make, ((seed, number) for number in count()), workers=workers)) as batches:
        yield from batches


def crop_batch(
    seed: tuple[int, int], *, size_px: int = 112, tables: tuple[str, ...] = POOL_TABLES, layouts: int = CROP_LAYOUTS
) -> CropBatch:
    """The crops of one table."""
    rng = np.random.default_rng(seed)
    table = Table(find_table(tables[int(rng.integers(len(tables)))]))
    look = draw_look(rng, table=table)
    whole = draw_camera(rng, table, _SIZES[int(rng.integers(len(_SIZES)))], look.frame)
    scene = Scene(_part(rng, whole, table), table, look, fine=2)
    batch = _Batch(scene, rng, size_px)
    for _ in range(layouts):
        balls = _in_view(scene, lying_balls(rng, table, look))
        person = scene.person(*leaning_player(rng, table, balls)) if rng.random() < 0.4 else None
        batch.add_layout(balls, person)
    return batch.done()


def _part(rng: np.random.Generator, camera: CameraModel, table: Table) -> CameraModel:
    """The camera that sees only a window of the picture, round some place of the table: the rest need not be painted."""
    size = np.minimum(_WINDOW, camera.image_size_px)
    place = rng.uniform(-1, 1, 2) * (table.spec.length_m / 2, table.spec.width_m / 2)
    corner = np.clip(camera.to_pixels([place])[0] - size / 2, 0, np.array(camera.image_size_px) - size).round()
    matrix = camera.matrix.copy()
    matrix[:2, 2] -= corner
    return CameraModel(
        matrix=matrix,
        distortion=camera.distortion.copy(),
        rotation=camera.rotation.copy(),
        translation_m=camera.translation_m.copy(),
        image_size_px=(int(size[0]), int(size[1])),
    )


def _in_view(scene: Scene, balls: list[BallInView]) -> list[BallInView]:
    """The balls that can be seen, or throw a shadow, in the picture."""
    middles = np.array([ball.centres_m.mean(axis=0) for ball in balls])
    pixels = scene.camera.to_pixels(middles[:, :2], height_m=middles[:, 2])
    near = ((pixels > -_BEYOND_PX) & (pixels < np.array(scene.camera.image_size_px) + _BEYOND_PX)).all(axis=1)
    return [balls[k] for k in np.nonzero(near)[0]]


class _Batch:
    def __init__(self, scene: Scene, rng: np.random.Generator, size_px: int) -> None:
        self._scene, self._rng, self._size = scene, rng, size_px
        self._whole = Box(left=0, top=0, right=scene.camera.image_size_px[0], bottom=scene.camera.image_size_px[1])
        self._images: list[Bytes] = []
        self._covered: list[Bytes] = []
        self._mirrored: list[bool] = []
        self._rows: list[tuple[int, BallId, float, float, float, float, float, float, bool]] = []

    def add_layout(self, balls: list[BallInView], person: Person | None) -> None:
        """Cut the windows of one layout."""
        scene = self._scene
        items = scene.items(balls, fine=1)
        middles, streaks, radii = self._project(balls) if balls else (np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
        view, shown, hidden = scene.piece(self._whole, items, person)
        shown[hidden > 0] = 0
        finish = Finish.draw(self._rng)
        view = finish.seen(view, self._rng)
        for box in self._boxes(middles, person):
            turned = (bool(self._rng.random() < 0.5), int(self._rng.integers(4)))
            marks = shown[box.window]
            covered = np.ascontiguousarray(hidden[box.window])
            picture = finish.encoded(np.ascontiguousarray(view[box.window]), self._rng)
            away, reach = middles - (box.left, box.top), 0.5 * radii[:, None]
            for k in np.nonzero(((away > -reach) & (away < self._size - 1 + reach)).all(axis=1))[0].tolist():
                share = np.count_nonzero(marks == items[k].mark) / max(items[k].area, 1)
                self._note(balls[k], away[k], float(radii[k]), streaks[k], min(1.0, share), turned)
            self._images.append(_turn(picture, turned))
            self._covered.append(_turn(covered, turned))
            self._mirrored.append(turned[0])

    def _project(self, balls: list[BallInView]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Pixels of the middles (M, 2), ways during the exposure (M, 2) and radii (M,)."""
        camera, radius = self._scene.camera, self._scene.table.spec.ball_radius_m
        points = np.stack([np.stack([b.centres_m.mean(axis=0) for b in balls])] * 4)
        points[1], points[2] = np.stack([b.centres_m[0] for b in balls]), np.stack([b.centres_m[-1] for b in balls])
        points[3, :, 0] += radius
        flat = points.reshape(-1, 3)
        pixels = camera.to_pixels(flat[:, :2], height_m=flat[:, 2]).reshape(4, -1, 2)
        return pixels[0], pixels[2] - pixels[1], np.hypot(*(pixels[3] - pixels[0]).T)

    def done(self) -> CropBatch:
        """Everything so far."""
        rows = self._rows
        numbers = np.array([row[2:8] for row in rows], np.float64).reshape(-1, 6)
        return CropBatch(
            images=np.stack(self._images),
            covered=np.stack(self._covered),
            mirrored=np.array(self._mirrored, bool),
            crop=np.array([row[0] for row in rows], np.int64),
            names=tuple(row[1] for row in rows),
            centres_px=numbers[:, :2],
            radii_px=numbers[:, 2],
            visible=numbers[:, 3],
            streaks_px=numbers[:, 4:],
            on_bed=np.array([row[8] for row in rows], bool),
            table=self._scene.table.spec.name,
        )

    def _note(self, ball: BallInView, away: FloatArray, radius: float, streak: FloatArray, share: float, turned: tuple[bool, int]) -> None:
        x, y = _turn_point(away, self._size, turned)
        middle = (self._size - 1) / 2
        dx, dy = _turn_point(streak + middle, self._size, turned)
        on_bed = bool(ball.centres_m[0, 2] > 0)
        self._rows.append((len(self._images), ball.ball, x, y, radius, share, dx - middle, dy - middle, on_bed))

    def _boxes(self, middles: FloatArray, person: Person | None) -> list[Box]:
        rng, size = self._rng, self._size
        width, height = self._scene.camera.image_size_px
        inside = [m for m in middles if (m > 0).all() and (m < (width, height)).all()]
        spots = [middle + rng.uniform(-0.42, 0.42, 2) * size for middle in inside for _ in range(_PER_BALL)]
        spots += list(rng.uniform(0, 1, (_ELSEWHERE, 2)) * (width, height))
        if person is not None:
            for box in person.boxes[:2]:
                spots.append(np.array([rng.uniform(box.left, box.right + 1), rng.uniform(box.top, box.bottom + 1)]))
        result = []
        for spot in spots:
            left, top = (min(max(round(float(v) - size / 2), 0), limit - size) for v, limit in zip(spot, (width, height), strict=True))
            result.append(Box(left=left, top=top, right=left + size, bottom=top + size))
        return result


_QUARTERS = (None, cv2.ROTATE_90_COUNTERCLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_CLOCKWISE)


def _turn(piece: Bytes, turned: tuple[bool, int]) -> Bytes:
    mirror, quarters = turned
    if mirror:
        piece = np.asarray(cv2.flip(piece, 1), np.uint8)
    way = _QUARTERS[quarters]
    return piece if way is None else np.asarray(cv2.rotate(piece, way), np.uint8)


def _turn_point(point: FloatArray, size: int, turned: tuple[bool, int]) -> tuple[float, float]:
    """Where `_turn` puts a pixel."""
    x, y = float(point[0]), float(point[1])
    last = size - 1
    if turned[0]:
        x = last - x
    for _ in range(turned[1]):
        x, y = y, last - x
    return x, y
