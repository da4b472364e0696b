"""A person in a picture: the layers of a figure and of a cue, kept as long as the pose stays."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from sample_videos.cue import cue_box, paint_cue
from sample_videos.figure import Figure, paint_figure
from sample_videos.layers import Box
from sample_videos.looks import Lamp, Look
from sample_videos.player import PlayerLook, Pose
from sample_videos.posture import Limb, Posture, cue_line, posture

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]
Bytes = NDArray[np.uint8]

_COARSE = 8
"""Pixels a side of a sample of the shadow, which is soft."""
_HEIGHTS_M = (0.0, 0.1, 0.25, 2.0)
"""Limbs between two of these heights throw a shadow of one softness."""
_LAMPS = 2
"""Lamps whose shadows of people are shown, the strongest first."""
_FAINT = 0.02
"""A shadow that takes less of the display value is not seen."""

_BADGES_WITH_NAME = 2
"""A shirt with so many badges is a player's of a club or a country, with a name on its back."""
_TALL_M, _PITCH_M = 0.058, 0.047
"""Height of the letters of a name, and from one to the next."""
_LETTERS = {
    "A": ((0, 1, 0.5, 0), (0.5, 0, 1, 1), (0.25, 0.6, 0.75, 0.6)),
    "E": ((0, 0, 0, 1), (0, 0, 1, 0), (0, 0.5, 0.8, 0.5), (0, 1, 1, 1)),
    "H": ((0, 0, 0, 1), (1, 0, 1, 1), (0, 0.5, 1, 0.5)),
    "I": ((0.5, 0, 0.5, 1),),
    "K": ((0, 0, 0, 1), (0, 0.5, 1, 0), (0.2, 0.45, 1, 1)),
    "L": ((0, 0, 0, 1), (0, 1, 1, 1)),
    "N": ((0, 0, 0, 1), (0, 0, 1, 1), (1, 0, 1, 1)),
    "O": ((0, 0, 0, 1), (0, 0, 1, 0), (1, 0, 1, 1), (0, 1, 1, 1)),
    "T": ((0, 0, 1, 0), (0.5, 0, 0.5, 1)),
    "V": ((0, 0, 0.5, 1), (0.5, 1, 1, 0)),
}
"""Strokes (x, y, x, y) of letters in a unit square, y down."""


class Person:
    """Paints one person; `take` a pose, then ask for `boxes` and `paint`."""

    def __init__(self, camera: CameraModel, room: Look, look: PlayerLook, gain: Float32, floor: Float32) -> None:
        self.look = look
        self._camera, self._room, self._gain, self._floor = camera, room, gain, floor
        self._pose: Pose | None = None
        self._still: Pose | None = None
        self._legs: Figure | None = None
        self._bridge: Figure | None = None
        self._body: Figure | None = None
        self._grip: Figure | None = None
        self._shadow: tuple[Box, Bytes] | None = None

    def take(self, pose: Pose) -> None:
        """Stand like this."""
        if pose == self._pose:
            return
        self._pose = pose
        limbs = posture(self.look, pose)
        motion = self._motion_px(pose)
        still = replace(pose, draw_m=0.0)
        if still != self._still:
            self._still = still
            self._legs, self._bridge = self._figure(limbs.legs, motion, only=self._floor), self._figure(limbs.bridge, motion)
            self._body = self._figure(limbs.body, motion, self._badges(limbs))
            self._shadow = self._cast(limbs, pose)
        self._grip = self._figure(limbs.grip, motion)

    @property
    def boxes(self) -> list[Box]:
        """Where anything of the person may be."""
        assert self._pose is not None
        boxes = [figure.box for figure in (self._legs, self._bridge, self._body, self._grip) if figure is not None]
        if self._shadow is not None:
            boxes.append(self._shadow[0])
        if self._pose.cue:
            boxes.append(cue_box(self._camera, self._pose))
        return boxes

    def paint(self, piece: Bytes, covered: Bytes, outer: Box) -> None:
        """Paint over a piece of picture (h, w, 3) at `outer`, and mark with 1 what is hidden, both in place."""
        assert self._pose is not None
        if self._shadow is not None:
            self._darken(piece, outer)
        if self._legs is not None:
            self._legs.lay(piece, covered, outer)
        if self._bridge is not None:
            self._bridge.lay(piece, covered, outer)
        if self._pose.cue:
            paint_cue(piece, covered, outer, self._camera, self.look, self._pose, self._gain)
        for figure in (self._grip, self._body):
            if figure is not None:
                figure.lay(piece, covered, outer)

    def _figure(self, limbs: Sequence[Limb], motion: FloatArray, badges: Sequence[Limb] = (), only: Float32 | None = None) -> Figure | None:
        if not limbs:
            return None
        return paint_figure(self._camera, self._room, limbs, self._gain, seed=self.look.seed, badges=badges, motion_px=motion, only=only)

    def _motion_px(self, pose: Pose) -> FloatArray:
        if pose.motion_m == (0.0, 0.0):
            return np.zeros(2)
        place = np.array(pose.bridge_m)
        pixels = self._camera.to_pixels([place, place + pose.motion_m], height_m=0.2)
        return np.asarray(pixels[1] - pixels[0], np.float64)

    def _badges(self, limbs: Posture) -> list[Limb]:
        """Flat pieces along the cloth of trunk and arms."""
        rng = np.random.default_rng(self.look.seed)
        cloth = [limb for limb in limbs.body if limb.stuff == "cloth" and limb.colour == self.look.shirt]
        result = []
        for _ in range(self.look.badges):
            limb = cloth[int(rng.integers(len(cloth)))]
            start, end = np.array(limb.start), np.array(limb.end)
            at, long = rng.uniform(0.1, 0.8), rng.uniform(0.02, 0.06)
            way = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
            first = start + (end - start) * at
            last = first + way * long
            result.append(self._strip(first, last, float(rng.uniform(0.01, 0.04))))
        return result + (self._name(limbs) if self.look.badges >= _BADGES_WITH_NAME else [])

    def _strip(self, start: FloatArray, end: FloatArray, wide_m: float) -> Limb:
        points = [(float(p[0]), float(p[1]), float(p[2])) for p in (start, end)]
        return Limb(start=points[0], end=points[1], radii=(wide_m, wide_m), colour=self.look.trim)

    def _name(self, limbs: Posture) -> list[Limb]:
        """Letters below the shoulders, as strips."""
        shoulders, back = limbs.body[0], limbs.body[1]
        left, right = np.array(shoulders.start), np.array(shoulders.end)
        across = (right - left) * (self.look.side, self.look.side, 0)
        down = (np.array(back.end) - back.start) * (1, 1, 0)
        across, down = across / np.linalg.norm(across), down / np.linalg.norm(down)
        rng = np.random.default_rng((self.look.seed, 5))
        letters = rng.choice(list(_LETTERS), int(rng.integers(4, 8)))
        result = []
        for k, letter in enumerate(letters):
            corner = (left + right) / 2 + 0.07 * down + across * _PITCH_M * (k - len(letters) / 2)
            for x0, y0, x1, y1 in _LETTERS[str(letter)]:
                ends = [corner + _TALL_M * (0.6 * x * across + y * down) for x, y in ((x0, y0), (x1, y1))]
                result.append(self._strip(ends[0], ends[1], 0.09 * _TALL_M))
        return result

    def _cast(self, limbs: Posture, pose: Pose) -> tuple[Box, Bytes] | None:
        """The shadow on the table: a factor, 255 for full light, and its box."""
        width, height = self._camera.image_size_px
        parts = [(limb.start, limb.end, max(limb.radii)) for limb in (*limbs.bridge, *limbs.grip, *limbs.body)]
        if pose.cue:
            tip, way = cue_line(pose)
            butt = tip + way * 1.2
            parts.append(((float(tip[0]), float(tip[1]), 0.03), (float(butt[0]), float(butt[1]), 0.10), 0.012))
        small = np.zeros((height // _COARSE + 1, width // _COARSE + 1), np.float32)
        lamps = sorted(self._room.lamps, key=lambda lamp: -lamp.share)[:_LAMPS]
        for low, high in pairwise(_HEIGHTS_M):
            ends = np.array([(start, end) for start, end, _ in parts if low <= start[2] < high])
            radii = [radius for start, _, radius in parts if low <= start[2] < high]
            for lamp in lamps if radii else ():
                np.maximum(small, self._cast_limbs(small.shape, ends, radii, lamp), out=small)
        if small.max() < _FAINT:
            return None
        down, across = np.nonzero(small.max(axis=1) > _FAINT)[0], np.nonzero(small.max(axis=0) > _FAINT)[0]
        y0, y1, x0, x1 = int(down[0]), int(down[-1]) + 1, int(across[0]), int(across[-1]) + 1
        box = Box(left=x0 * _COARSE, top=y0 * _COARSE, right=min(width, x1 * _COARSE), bottom=min(height, y1 * _COARSE))
        if box.right <= box.left or box.bottom <= box.top:
            return None  # only the sample beyond the picture's edge is dark
        light = cv2.convertScaleAbs(255 - 255 * small[y0:y1, x0:x1])
        full = cv2.resize(light, ((x1 - x0) * _COARSE, (y1 - y0) * _COARSE), interpolation=cv2.INTER_LINEAR)
        full = full[: box.bottom - box.top, : box.right - box.left]
        return box, np.asarray(cv2.merge([full] * 3), np.uint8)

    def _cast_limbs(self, shape: tuple[int, ...], ends: FloatArray, radii: Sequence[float], lamp: Lamp) -> Float32:
        """Share of the light that limbs (N, 2, 3) at about one height take, in coarse samples."""
        toward, flat = np.array(lamp.centre_m), ends.reshape(-1, 3)
        shift = -(toward[:2] - flat[:, :2]) * (flat[:, 2:] / np.maximum(toward[2] - flat[:, 2:], 0.5))
        pixels = self._camera.to_pixels(flat[:, :2] + shift, height_m=0.0).reshape(-1, 2, 2)
        right = self._camera.to_pixels([(0.0, 0.0), (0.1, 0.0)])
        per_m = float(np.linalg.norm(right[1] - right[0])) / 0.1
        high = float(np.clip(ends[..., 2].mean(), 0.02, 0.6))
        layer = np.zeros(shape, np.float32)
        dark = (1 - self._room.ambient) * min(0.6, 0.75 * lamp.share) * (1 - high)
        for points, radius in zip(pixels, radii, strict=True):
            if np.isfinite(points).all():
                (ax, ay), (bx, by) = np.clip(points / _COARSE * 16, -30000, 60000).astype(int).tolist()
                cv2.line(layer, (ax, ay), (bx, by), dark, max(1, round(2 * radius * per_m / _COARSE)), cv2.LINE_8, 4)
        soft = max(1.0, 2.5 * max(lamp.half_m) / lamp.centre_m[2] * high * per_m / _COARSE)
        size = 2 * round(soft) + 1
        return np.asarray(cv2.blur(cv2.blur(layer, (size, size)), (size, size)), np.float32)

    def _darken(self, piece: Bytes, outer: Box) -> None:
        assert self._shadow is not None
        box, factor = self._shadow
        part = box.common(outer)
        if part.is_empty:
            return
        window = piece[part.within(outer)]
        np.copyto(window, cv2.multiply(window, factor[part.within(box)], scale=1 / 255))
