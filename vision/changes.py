"""Where the bed looks otherwise than when it was last worked through: most of it stands still in most pictures.

Theory: every second pixel of the view is taken from the picture as it is and compared with what it was when its place was
last worked through. Noise has no sign, so the difference is averaged over half a ball before it is measured: single pixels
then count for a third, and the edge of a ball that moved by a tenth of its radius for all it is worth. As the comparison is
never with the last picture, slow movement adds up until it shows. Changed places are gathered into a few boxes; once a second
of the recording everything is worked through, so that no single picture counts for long.

Fails safely: a noisy camera, a flickering lamp or a step of the exposure is a change everywhere.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.rectify import SPARSE, TopView
from vision.stillness import fresh

Image = NDArray[np.uint8]
Box = tuple[slice, slice]
"""Rows and columns."""

_LEVELS = 6
"""Mean difference that is a change, levels of 255: a ball that moved by a tenth of its radius shows 9, noise and compression
1 to 4."""
_PAD = 3
"""Side of the square, sparse pixels, over which it is averaged: half a ball at the view's scale."""
_SPREAD_PX = 4
"""View pixels around a change that may show some of it: blur, and the step of the comparison."""
_GATHER = 9
"""Sparse pixels: changes as near as this, a ball and a half, are one from the start."""
_MOST_BOXES = 24
_MOST_SHARE = 0.6
"""More boxes or more of the view than this: all of it."""
_CALL_PX = 3000
"""What one more box costs, as pixels of work: from it follows which boxes are worth joining."""


class ChangeMeter:
    """Compares the pictures of one camera; the same pictures at the same times give the same boxes."""

    def __init__(self, view: TopView) -> None:
        """Nothing known yet: the first picture is a change everywhere."""
        self._view = view
        self._known: Image | None = None
        self._since_s = 0.0

    def changed(self, image: Image, time_s: float) -> tuple[Box, ...] | None:
        """Boxes of the view that are to be worked through again; None for all of it.

        Args:
            image: Camera picture, shape (H, W, 3), uint8.
            time_s: Of the picture; another second of the recording is a change everywhere.
        """
        now = self._view.sparse(image)
        if self._known is None or not fresh(self._since_s, time_s):
            self._known, self._since_s = now, time_s
            return None
        boxes = self._differing(now, self._known)
        if boxes is None:
            self._known = now
            return None
        for rows, columns in boxes:
            part = slice(rows.start // SPARSE, rows.stop // SPARSE), slice(columns.start // SPARSE, columns.stop // SPARSE)
            self._known[part] = now[part]
        return boxes

    def _differing(self, now: Image, known: Image) -> tuple[Box, ...] | None:
        difference = cv2.blur(cv2.subtract(now, known, dtype=cv2.CV_16S), (_PAD, _PAD))
        calm = cv2.inRange(difference, (1 - _LEVELS,) * 3, (_LEVELS - 1,) * 3)
        gathered = cv2.erode(calm, np.ones((_GATHER, _GATHER), np.uint8))
        outlines, _ = cv2.findContours(cv2.bitwise_not(gathered), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        if not outlines:
            return ()
        if len(outlines) > _MOST_BOXES:
            return None
        shrink = (_GATHER - 1) // 2
        height, width = self._view.size_px[1], self._view.size_px[0]
        boxes = join_boxes(
            [
                (_spread((top, top + down), shrink, height), _spread((left, left + across), shrink, width))
                for left, top, across, down in map(cv2.boundingRect, outlines)
            ]
        )
        return boxes if sum(_area(box) for box in boxes) < _MOST_SHARE * height * width else None


def join_boxes(boxes: Sequence[Box], reach_px: int = 0) -> tuple[Box, ...]:
    """Fewer boxes that cover the same, as long as joining two is less work than both.

    Args:
        boxes: Rows and columns, pixels.
        reach_px: So much more on each side is worked through with a box.
    """
    left = list(boxes)
    joined: list[Box] = []
    while left:
        box = left.pop()
        for index, other in enumerate(left):
            both = _around(box, other)
            if _area(both, reach_px) <= _area(box, reach_px) + _area(other, reach_px) + _CALL_PX:
                left[index] = both
                break
        else:
            joined.append(box)
    return tuple(joined)


def _spread(ends: tuple[int, int], shrink: int, side: int) -> slice:
    """From gathered sparse pixels to the view's: what gathering added taken off again, what a change may reach put on."""
    low = SPARSE * (ends[0] + (shrink if ends[0] > 0 else 0)) - _SPREAD_PX
    high = SPARSE * (ends[1] - (shrink if SPARSE * ends[1] < side else 0)) + _SPREAD_PX
    return slice(max(low, 0) // SPARSE * SPARSE, min(high, side))


def _around(one: Box, other: Box) -> Box:
    rows, columns = (slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other, strict=True))
    return rows, columns


def _area(box: Box, reach_px: int = 0) -> int:
    rows, columns = box
    return int((rows.stop - rows.start + 2 * reach_px) * (columns.stop - columns.start + 2 * reach_px))
