"""One table in one light before one camera, and pictures of it with balls, players and graphics.

The empty table is painted once. Balls at rest are painted once per place and laid into a finished background, already
blurred and sharpened as the camera does; a picture copies the background and draws anew only the windows in which a
ball or a person moves, then adds the sensor's noise and the graphics. Same input in the same order, same pictures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.equipment import BallId
from calibration.table import Table
from sample_videos.ball_light import Neighbour
from sample_videos.ball_picture import BallPainter, Patch, middle_of
from sample_videos.graphics import Graphics, split_graphics
from sample_videos.layers import Box, blend, box_at, merged, shade
from sample_videos.looks import GAMMA, Look
from sample_videos.people import Person
from sample_videos.player import PlayerLook, Pose
from sample_videos.rays import LocalRays
from sample_videos.sensor import MARGIN, Exposer
from sample_videos.table_picture import FINE, paint_table

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]
Bytes = NDArray[np.uint8]

_NEAR = 4.6
"""Balls whose middles are nearer than this many radii shade one another and are mirrored."""
_MOVED_M = 4e-4
"""A neighbour that moves by less changes nothing that can be seen."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BallInView:
    """A ball during one exposure.

    Attributes:
        ball: Its id.
        centres_m: Shape (K, 3), at K moments spread over the exposure; K is 1 at rest.
        rotations: Shape (K, 3, 3), ball to table.
    """

    ball: BallId
    centres_m: FloatArray
    rotations: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class View:
    """A finished picture with its truth.

    Attributes:
        image: Shape (H, W, 3), uint8 BGR.
        visible: Ball to the share of its disc that can be seen, 0 to 1.
        covered: Shape (H, W), uint8: 0 nothing, 1 person or cue, 2 graphics.
    """

    image: Bytes
    visible: dict[BallId, float]
    covered: Bytes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Item:
    """A ball ready to be laid into the picture: its patch, its shadows (left, top, factor, share), all within `box`."""

    key: tuple[object, ...]
    ball: BallId
    mark: int
    order: tuple[bool, float]
    patch: Patch
    shadows: tuple[tuple[int, int, Float32, float], ...]
    box: Box
    half: float
    area: int
    """Coverage above which a pixel counts as the ball's, and how many pixels do."""


class Scene:
    """Paints pictures of one table; `camera`, `table` and `look` are read only."""

    def __init__(
        self, camera: CameraModel, table: Table, look: Look, graphics: tuple[Float32, Float32] | None = None, *, fine: int = FINE
    ) -> None:
        self.camera, self.table, self.look, self._fine = camera, table, look, fine
        self.empty = paint_table(camera, table, look, fine=fine)
        self.painter = BallPainter(camera, look, table.spec.ball_radius_m, nose_height_m=table.spec.nose_height_m)
        self.exposer = Exposer(look.sensor, camera.image_size_px, np.random.default_rng(look.seed + 1))
        width, height = camera.image_size_px
        self._whole = Box(left=0, top=0, right=width, bottom=height)
        self._graphics: list[Graphics] = split_graphics(graphics)
        self._gain = (np.array(look.sensor.gain) * look.exposure_gain).astype(np.float32)
        self._marks = {ball: k for k, ball in enumerate(look.balls, start=1)}
        self._eye = camera.position_m
        self._resting: dict[BallId, Item] = {}
        self._raw = np.asarray(cv2.convertScaleAbs(np.maximum(self.empty.image, 0)), np.uint8)
        self._background = self.exposer.focus_bytes(self._raw)
        self._top = np.zeros((height, width), np.uint8)
        self._people: dict[int, Person] = {}

    def moved(self, camera: CameraModel) -> "Scene":
        """The same table, light and graphics before another camera."""
        scene = Scene(camera, self.table, self.look, None, fine=self._fine)
        scene._graphics = self._graphics
        return scene

    def camera_dict(self) -> dict[str, Any]:
        """The camera as a table file has it."""
        table = Calibration(table=self.table, camera=self.camera, foot_known=True, foot_side="left", residual_mm=(0.0, 0.0), good=True)
        camera: dict[str, Any] = table.to_dict()["camera"]
        return camera

    def render(self, balls: Sequence[BallInView], *people: tuple[PlayerLook, Pose] | None) -> View:
        """The picture of balls, of people who lean over them, and of the graphics."""
        items = self.items(balls)
        resting = {item.ball: item for item, ball in zip(items, balls, strict=True) if len(ball.centres_m) == 1}
        self._settle(resting)
        image, top = self._background.copy(), self._top.copy()
        covered = np.zeros(top.shape, np.uint8)
        persons = [self._person(k, look, pose) for k, (look, pose) in enumerate(p for p in people if p is not None)]
        changed = [item.box for item in items if item.ball not in resting] + [box for person in persons for box in person.boxes]
        moving = [item for item in items if item.ball not in resting]
        for box in merged(b.grown(MARGIN).common(self._whole) for b in changed):
            outer = box.grown(MARGIN).common(self._whole)
            if all(item.box.common(outer).is_empty for item in moving):
                piece, marks = self._raw[outer.window].copy(), self._top[outer.window]
            else:
                piece, marks = self._compose(outer, items)
            for person in persons:
                person.paint(piece, covered[outer.window], outer)
            image[box.window] = self.exposer.focus_bytes(piece)[box.within(outer)]
            top[box.window] = marks[box.within(outer)]
        image = self.exposer.grain(image)
        for part in self._graphics:
            part.lay(image, covered)
        return View(image=image, visible={item.ball: self._visible(item, top, covered) for item in items}, covered=covered)

    def piece(self, box: Box, items: Sequence[Item], person: Person | None = None) -> tuple[Bytes, Bytes, Bytes]:
        """A window as light falls on the sensor: picture (h, w, 3), which ball is on top (marks), what is covered (h, w)."""
        piece, marks = self._compose(box, items)
        covered = np.zeros_like(marks)
        if person is not None:
            person.paint(piece, covered, box)
        return piece, marks, covered

    def person(self, look: PlayerLook, pose: Pose) -> Person:
        """A person ready to be painted into pieces."""
        person = Person(self.camera, self.look, look, self._gain, self.empty.floor)
        person.take(pose)
        return person

    def items(self, balls: Sequence[BallInView], *, fine: int = 2) -> list[Item]:
        """Balls ready to be laid into pictures, each seen with its neighbours."""
        if not balls:
            return []
        rays = self.painter.rays(np.stack([middle_of(ball.centres_m) for ball in balls]))
        return [self._item(ball, balls, ray, fine=fine) for ball, ray in zip(balls, rays, strict=True)]

    def _settle(self, resting: dict[BallId, Item]) -> None:
        """Bring the finished background to these balls at rest, where they differ from those in it."""
        old = self._resting
        gone = [item.box for ball, item in old.items() if resting.get(ball) is not item]
        new = [item.box for ball, item in resting.items() if old.get(ball) is not item]
        self._resting = resting
        for box in merged(b.grown(MARGIN).common(self._whole) for b in gone + new):
            outer = box.grown(MARGIN).common(self._whole)
            piece, marks = self._compose(outer, list(resting.values()))
            self._raw[box.window] = piece[box.within(outer)]
            self._background[box.window] = self.exposer.focus_bytes(piece)[box.within(outer)]
            self._top[box.window] = marks[box.within(outer)]

    def _compose(self, outer: Box, items: Sequence[Item]) -> tuple[Bytes, Bytes]:
        """The picture in a box, and which ball is on top; balls only."""
        piece = self.empty.image[outer.window].copy()
        marks = np.zeros(piece.shape[:2], np.uint8)
        inside = [item for item in items if not item.box.common(outer).is_empty]
        if inside:
            cloth, high = self.empty.cloth[outer.window], 1 - self.empty.low[outer.window]
            for item in inside:
                for left, upper, factor, share in item.shadows:
                    shade(piece, outer, left, upper, factor, cloth, share)
            for item in sorted(inside, key=lambda i: i.order):
                blend(piece, outer, item.patch, high)
                self._mark(marks, outer, item, high)
        return np.asarray(cv2.convertScaleAbs(piece), np.uint8), marks

    def _mark(self, marks: Bytes, outer: Box, item: Item, high: Float32) -> None:
        own = box_at(item.patch.left, item.patch.top, item.patch.alpha)
        part = own.common(outer)
        if part.is_empty:
            return
        here, there = part.within(own), part.within(outer)
        alpha = item.patch.alpha[here] - high[there] * item.patch.low[here]
        marks[there][alpha > item.half] = item.mark

    def _visible(self, item: Item, top: Bytes, covered: Bytes) -> float:
        own = box_at(item.patch.left, item.patch.top, item.patch.alpha)
        area = item.area
        part = own.common(self._whole)
        if part.is_empty or area == 0:
            return 0.0
        seen = (top[part.window] == item.mark) & (covered[part.window] == 0)
        return min(1.0, float(seen.sum()) / area)

    def _item(self, ball: BallInView, all_balls: Sequence[BallInView], rays: LocalRays, *, fine: int) -> Item:
        still = len(ball.centres_m) == 1
        neighbours = self._neighbours(ball, all_balls) if still else ()
        spots = tuple(round(v / _MOVED_M) for n in neighbours for v in n.centre_m)
        key = (ball.centres_m.tobytes(), ball.rotations.tobytes(), spots)
        known = self._resting.get(ball.ball)
        if still and known is not None and known.key == key:
            return known
        limits = np.array([self.table.spec.length_m, self.table.spec.width_m]) / 2 + self.look.frame.cushion_m + 0.09
        inside = bool((np.abs(ball.centres_m[0, :2]) < limits).all())
        if still:
            patch = self.painter.paint(
                ball.ball, ball.centres_m[0], ball.rotations[0], fine=fine, neighbours=neighbours, inside=inside, rays=rays
            )
        else:
            patch = self.painter.streak(ball.ball, ball.centres_m, ball.rotations, inside=inside, rays=rays)
        shadows = self._shadows(ball)
        box = box_at(patch.left, patch.top, patch.alpha)
        for left, upper, factor, _ in shadows:
            box = box.joined(box_at(left, upper, factor))
        first = ball.centres_m[0]
        order = (bool(first[2] > 0), -float(np.hypot(*(first[:2] - self._eye[:2]))))
        half = 0.5 * max(1e-3, float(patch.alpha.max()))
        return Item(
            half=half,
            area=int(np.count_nonzero(patch.alpha > half)),
            key=key,
            ball=ball.ball,
            mark=self._marks[ball.ball],
            order=order,
            patch=patch,
            shadows=shadows,
            box=box.common(self._whole),
        )

    def _neighbours(self, ball: BallInView, all_balls: Sequence[BallInView]) -> tuple[Neighbour, ...]:
        centre, near = ball.centres_m[0], _NEAR * self.table.spec.ball_radius_m
        result = []
        for other in all_balls:
            place = other.centres_m[0]
            if other is not ball and len(other.centres_m) == 1 and float(((place - centre) ** 2).sum()) < near * near:
                spot = (float(place[0]), float(place[1]), float(place[2]))
                result.append(Neighbour(centre_m=spot, colour=self.painter.mean_colour(other.ball)))
        return tuple(result)

    def _shadows(self, ball: BallInView) -> tuple[tuple[int, int, Float32, float], ...]:
        radius = self.table.spec.ball_radius_m
        path = float(np.linalg.norm(ball.centres_m[-1] - ball.centres_m[0]))
        count = 1 + min(2, int(path / (2 * radius)))
        picked = np.linspace(0, len(ball.centres_m) - 1, count + 2)[1:-1].round().astype(int)
        cast = self.painter.shadow if len(ball.centres_m) == 1 else self.painter.passing_shadow
        return tuple((*cast(c), 1 / count) for c in ball.centres_m[picked] if c[2] > 0.5 * radius)

    def _person(self, index: int, look: PlayerLook, pose: Pose) -> Person:
        person = self._people.get(index)
        if person is None or person.look is not look:
            person = self._people[index] = self.person(look, pose)
        person.take(pose)
        return person


__all__ = ["GAMMA", "BallInView", "Item", "Scene", "View"]
