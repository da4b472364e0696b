"""One table in one light before one camera, and pictures of it with balls, players and graphics."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.equipment import BallId
from calibration.table import Table
from sample_videos.ball_picture import BallPainter, Patch
from sample_videos.looks import GAMMA, Look
from sample_videos.player import PlayerLook, Pose, paint_player
from sample_videos.sensor import Exposer
from sample_videos.table_picture import FINE, paint_table

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]
Bytes = NDArray[np.uint8]

_PERSON, _GRAPHIC = 254, 255
"""Marks in a picture's map of what is on top; balls count from 1."""


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


class Scene:
    """Paints pictures; the empty table is painted once, balls at rest once per place."""

    def __init__(
        self, camera: CameraModel, table: Table, look: Look, graphics: tuple[Float32, Float32] | None = None, *, fine: int = FINE
    ) -> None:
        self.camera, self.table, self.look = camera, table, look
        self.empty = paint_table(camera, table, look, fine=fine)
        self.painter = BallPainter(camera, look, table.spec.ball_radius_m)
        self.exposer = Exposer(look.sensor, camera.image_size_px, np.random.default_rng(look.seed + 1))
        self._graphics = _crop(graphics)
        self._gain = (np.array(look.sensor.gain) * look.exposure_gain).astype(np.float32)
        self._resting: tuple[tuple[object, ...], Float32, NDArray[np.uint8], dict[BallId, int]] | None = None

    def render(self, balls: list[BallInView], player: tuple[PlayerLook, Pose] | None = None) -> View:
        """The picture of balls, of a player who leans over them, and of the graphics."""
        still = [b for b in balls if len(b.centres_m) == 1]
        moving = [b for b in balls if len(b.centres_m) > 1]
        image, top, areas = self._still(still)
        image, top, areas = image.copy(), top.copy(), dict(areas)
        self._paint(image, top, areas, moving, fine=1)
        covered = np.zeros(top.shape, np.uint8)
        if player is not None:
            cover = paint_player(image, self.camera, player[0], player[1], self._gain)
            hidden = cover > 0.5
            top[hidden] = _PERSON
            covered[hidden] = 1
        if self._graphics is not None:
            rows, columns, layer, alpha = self._graphics
            window = image[rows, columns]
            window += alpha[..., None] * (layer - window)
            hidden = alpha > 0.5
            top[rows, columns][hidden] = _GRAPHIC
            covered[rows, columns][hidden] = 2
        counts = np.bincount(top.ravel(), minlength=256)
        order = {ball: k for k, ball in enumerate(self.look.balls, start=1)}
        visible = {b.ball: min(1.0, float(counts[order[b.ball]]) / areas[b.ball]) if areas[b.ball] else 0.0 for b in balls}
        return View(image=self.exposer.expose(image), visible=visible, covered=covered)

    def _still(self, balls: list[BallInView]) -> tuple[Float32, NDArray[np.uint8], dict[BallId, int]]:
        key = tuple((b.ball, b.centres_m.tobytes(), b.rotations.tobytes()) for b in balls)
        if self._resting is None or self._resting[0] != key:
            image = self.empty.image.copy()
            top = np.zeros(image.shape[:2], np.uint8)
            areas: dict[BallId, int] = {}
            self._paint(image, top, areas, balls, fine=2)
            self._resting = (key, image, top, areas)
        return self._resting[1:]

    def _paint(self, image: Float32, top: NDArray[np.uint8], areas: dict[BallId, int], balls: list[BallInView], *, fine: int) -> None:
        if not balls:
            return
        eye = self.camera.position_m
        balls = sorted(balls, key=lambda b: (b.centres_m[0, 2] > 0, -float(np.hypot(*(b.centres_m[0, :2] - eye[:2])))))
        order = {ball: k for k, ball in enumerate(self.look.balls, start=1)}
        for ball in balls:
            path = float(np.linalg.norm(ball.centres_m[-1] - ball.centres_m[0]))
            count = 1 + min(2, int(path / self.table.spec.ball_radius_m))
            for centre in ball.centres_m[np.linspace(0, len(ball.centres_m) - 1, count + 2)[1:-1].round().astype(int)]:
                if centre[2] > 0.5 * self.table.spec.ball_radius_m:
                    self._shade(image, centre, 1 / count)
        names = [b.ball for b in balls for _ in b.centres_m]
        centres = np.concatenate([b.centres_m for b in balls])
        patch = self.painter.paint(names, centres, np.concatenate([b.rotations for b in balls]), fine=fine)
        start = 0
        for ball in balls:
            count = len(ball.centres_m)
            low = float(ball.centres_m[:, 2].min()) < 0.9 * self.table.spec.ball_radius_m
            areas[ball.ball] = self._blend(image, top, patch, slice(start, start + count), order[ball.ball], low)
            start += count

    def _shade(self, image: Float32, centre: FloatArray, share: float) -> None:
        left, upper, factor = self.painter.shadow(centre)
        window = _window(image.shape, left, upper, factor.shape)
        if window is None:
            return
        rows, columns, inner = window
        cloth = self.empty.cloth[rows, columns]
        # Shares multiply, so that n shares of the same shadow give it once.
        image[rows, columns] *= (1 - cloth * (1 - factor[inner] ** np.float32(share)))[..., None]

    def _blend(self, image: Float32, top: NDArray[np.uint8], patch: Patch, chosen: slice, mark: int, low: bool) -> int:
        """Blend one ball's pictures over the image; gives how many pixels it covers by half or more."""
        lefts, uppers = patch.left[chosen], patch.top[chosen]
        size = patch.alpha.shape[1]
        left, upper = int(lefts.min()), int(uppers.min())
        shape = (int(uppers.max()) - upper + size, int(lefts.max()) - left + size)
        alpha, colour = np.zeros(shape, np.float32), np.zeros((*shape, 3), np.float32)
        for x, y, a, c in zip(lefts - left, uppers - upper, patch.alpha[chosen], patch.colour[chosen], strict=True):
            alpha[y : y + size, x : x + size] += a
            colour[y : y + size, x : x + size] += c
        alpha /= len(lefts)
        colour /= len(lefts)
        area = int((alpha > 0.5 * alpha.max()).sum())
        window = _window(image.shape, left, upper, shape)
        if window is None:
            return area
        rows, columns, inner = window
        alpha, colour = alpha[inner], colour[inner]
        if low:
            seen = self.empty.low[rows, columns]
            alpha, colour = alpha * seen, colour * seen[..., None]
        target = image[rows, columns]
        target *= 1 - alpha[..., None]
        target += colour
        top[rows, columns][alpha > 0.5 * max(1e-3, float(alpha.max()))] = mark
        return area


def _window(shape: tuple[int, ...], left: int, upper: int, size: tuple[int, ...]) -> tuple[slice, slice, tuple[slice, slice]] | None:
    x0, y0 = max(left, 0), max(upper, 0)
    x1, y1 = min(left + size[1], shape[1]), min(upper + size[0], shape[0])
    if x1 <= x0 or y1 <= y0:
        return None
    return slice(y0, y1), slice(x0, x1), (slice(y0 - upper, y1 - upper), slice(x0 - left, x1 - left))


def _crop(graphics: tuple[Float32, Float32] | None) -> tuple[slice, slice, Float32, Float32] | None:
    if graphics is None or graphics[1].max() <= 0:
        return None
    layer, alpha = graphics
    rows, columns = np.nonzero(alpha.max(axis=1))[0], np.nonzero(alpha.max(axis=0))[0]
    box = (slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1))
    return box[0], box[1], layer[box], alpha[box]


__all__ = ["GAMMA", "BallInView", "Scene", "View"]
