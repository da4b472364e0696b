"""What was found where the picture has not changed since: balls at rest need no second look.

Theory: an outline or a group of circles is a function of the pixels around it. The pixels are kept with what was found
in them; where a later picture shows the same pixels, up to noise, the find holds. "The same" is measured twice: the
mean difference against the level that light and compression explain, and, for a ball, the shift that explains the
difference best (Lucas & Kanade 1981, one step, least squares over all pixels), which sees a fiftieth of a pixel where
a mean would take it for noise. The comparison is always with the picture of the find, so slow movement adds up until
it shows; and a find is made again after a while in any case, so that no single unlucky picture is kept for long.

Fails safely: a noisy camera exceeds the levels and every picture is worked through in full.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Box = tuple[slice, slice]
Find = TypeVar("Find")

_KEPT_S = 1.0
"""A find is made again in another second of the recording, all at once so that names are fused once: longer keeps one
picture's error (0.1 px) for longer, shorter works for nothing."""
_SAME_LEVELS = 4.0
"""Mean difference of a ball's pixels up to which it may be at rest, levels of 255: compression and camera noise give 1
to 2.5 in good light, a ball that moved half a pixel 4 to 8, a shadow falling on it 10 and more."""
_SHIFT_PX = 0.06
"""Shift that counts as movement, picture pixels: the scatter of a resting ball's outline is 0.05 to 0.1."""
_PIECE_LEVELS = 12.0
"""Difference of the mean over a fifth of a ball of the view at which a piece is searched again, levels: a ball coming
apart from another shows 30 and more, compression 2 to 6."""
_BOX_PX = 2
"""How far the edges of a piece may tremble, view pixels: a third of a radius."""
_PART_SHARE = 0.08
"""Part of a piece's pixels that may come and go with noise at its rim."""
_START_RADII = 0.25
"""How far a rough start may tremble, ball radii; the outline is found from a third of a radius."""


@dataclass(slots=True, eq=False)
class KnownBall(Generic[Find]):
    """What was found from one start, and the pixels it was found in.

    Attributes:
        start_m: (x, y), metres, the rough start.
        box: Where the pixels lie in the picture.
        pixels: As they were.
        find: What was found there.
        since_s: Time of that picture.
        shift_of: Shape (2, pixels): difference of pixels to shift (x, y), made when first needed.
    """

    start_m: tuple[float, float]
    box: Box
    pixels: Image
    find: Find
    since_s: float
    shift_of: NDArray[np.float32] | None = None

    def holds(self, image: Image, time_s: float) -> bool:
        """True where the picture shows the same ball at the same place, and it need not be looked for again."""
        return fresh(self.since_s, time_s) and self.is_still(image)

    def is_still(self, image: Image) -> bool:
        """True where the picture shows the same ball at the same place."""
        now = image[self.box]
        if cv2.norm(now, self.pixels, cv2.NORM_L1) > _SAME_LEVELS * now.size:
            return False
        if self.shift_of is None:
            self.shift_of = _shift_solver(self.pixels)
        difference = cv2.subtract(now, self.pixels, dtype=cv2.CV_32F)
        return bool(np.abs(self.shift_of @ np.asarray(difference).ravel()).max() < _SHIFT_PX)


class BallMemory(Generic[Find]):
    """Finds by start, of the last picture that was looked at."""

    def __init__(self, radius_m: float) -> None:
        """Empty; `radius_m` is a ball's."""
        self._reach_m = _START_RADII * radius_m
        self._known: list[KnownBall[Find]] = []

    def near(self, starts_m: FloatArray) -> list[KnownBall[Find] | None]:
        """For each start, shape (N, 2), what is known from there, whether it holds or not; else None."""
        if not self._known or not len(starts_m):
            return [None] * len(starts_m)
        places = np.array([known.start_m for known in self._known])
        away = np.hypot(*(starts_m[:, None] - places[None]).transpose(2, 0, 1))
        return [self._known[index] if away[row, index] < self._reach_m else None for row, index in enumerate(away.argmin(axis=1).tolist())]

    def all_hold(self, image: Image, time_s: float) -> bool:
        """True where every ball known is still as it was."""
        return all(known.holds(image, time_s) for known in self._known)

    def keep(self, known: Sequence[KnownBall[Find]]) -> None:
        """Remember these and nothing else."""
        self._known = list(known)


def fresh(since_s: float, now_s: float) -> bool:
    """True while a find is not to be made again: within one second of the recording."""
    return since_s // _KEPT_S == now_s // _KEPT_S


def around(image: Image, px: FloatArray, reach_px: float) -> Box:
    """The square of pixels about (x, y), cut at the edges of the picture."""
    height, width = image.shape[:2]
    x, y, reach = round(float(px[0])), round(float(px[1])), int(np.ceil(reach_px))
    return slice(min(max(y - reach, 0), height - 1), max(y + reach + 1, 1)), slice(min(max(x - reach, 0), width - 1), max(x + reach + 1, 1))


def _shift_solver(pixels: Image) -> NDArray[np.float32]:
    """Least squares from a difference of pixels to the shift (x, y) of what they show, shape (2, pixels)."""
    smooth = cv2.GaussianBlur(pixels, (3, 3), 0)
    slopes = np.stack([-np.asarray(cv2.Scharr(smooth, cv2.CV_32F, dx, 1 - dx)).ravel() / 32 for dx in (1, 0)])
    normal = slopes @ slopes.T + np.eye(2, dtype=np.float32)
    return np.asarray(np.linalg.inv(normal) @ slopes, dtype=np.float32)


@dataclass(slots=True, eq=False)
class _KnownPiece(Generic[Find]):
    box: Box
    area: int
    wide: Box
    pixels: Image
    find: Find
    since_s: float


@dataclass(slots=True, eq=False)
class PieceMemory(Generic[Find]):
    """Finds by piece of foreground, of the last picture that was looked at, in view pixels."""

    pad_px: int
    _known: list[_KnownPiece[Find]] = field(default_factory=list)
    _next: list[_KnownPiece[Find]] = field(default_factory=list)

    def turn_page(self) -> None:
        """A new picture begins: what the last one neither found nor recalled is forgotten."""
        self._known, self._next = self._next, []

    def recall(self, seen: Image, box: Box, area: int, time_s: float) -> Find | None:
        """What was found in this piece, where it and the pixels around it are still the same; else None."""
        for known in self._known:
            if (
                fresh(known.since_s, time_s)
                and abs(area - known.area) <= _PART_SHARE * known.area
                and all(abs(a.start - b.start) <= _BOX_PX and abs(a.stop - b.stop) <= _BOX_PX for a, b in zip(box, known.box, strict=True))
                and self._same(seen[known.wide], known.pixels)
            ):
                self._next.append(known)
                return known.find
        return None

    def _same(self, now: Image, then: Image) -> bool:
        difference = cv2.blur(cv2.absdiff(now, then), (self.pad_px, self.pad_px))
        return bool(difference.max() < _PIECE_LEVELS)

    def keep(self, seen: Image, box: Box, area: int, find: Find, time_s: float) -> None:
        """Remember what was found in a piece."""
        wide = (slice(max(box[0].start - 3, 0), box[0].stop + 3), slice(max(box[1].start - 3, 0), box[1].stop + 3))
        self._next.append(_KnownPiece(box, area, wide, seen[wide].copy(), find, time_s))
