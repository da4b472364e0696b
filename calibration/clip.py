"""One clean picture out of many: people and balls move and vanish from the median, the table stays.

Fails: a person who stands still for more than half of the pictures stays in it.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

_THUMB_PX = (64, 36)
_OTHER_VIEW = 28.0
"""Median difference of thumbnails, of 255, above which a picture is of another view; people change less than half
of the pixels, so the median hardly sees them; a change of exposure stays below 15."""
_BAND_ROWS = 16
"""Rows sorted at a time, so that all pictures' rows stay in the processor's cache; only time depends on it."""
MEDIAN_OF = 11
"""Pictures that go into a median: odd, and enough that one player's positions differ; more only costs time."""


def main_view(frames: Sequence[Image]) -> list[Image]:
    """The frames of the commonest size and view, cuts to other views left out."""
    sizes = [frame.shape for frame in frames]
    common = max(set(sizes), key=lambda size: (sizes.count(size), size))
    kept = [frame for frame in frames if frame.shape == common]
    step = max(1, min(common[1] // (4 * _THUMB_PX[0]), common[0] // (4 * _THUMB_PX[1])))  # sixteen pixels a thumb's are enough
    thumbs = np.stack([cv2.resize(frame[::step, ::step], _THUMB_PX, interpolation=cv2.INTER_AREA) for frame in kept]).astype(np.float32)
    differences = np.stack([np.median(np.abs(thumbs - thumb).max(axis=-1), axis=(1, 2)) for thumb in thumbs])
    alike = differences < _OTHER_VIEW
    centre = int(np.argmax(alike.sum(axis=1) - differences.mean(axis=1) / 1000))
    return [frame for frame, same in zip(kept, alike[centre], strict=True) if same]


def median_picture(frames: Sequence[Image]) -> Image:
    """Pixelwise median of at most `MEDIAN_OF` of the frames, spread evenly; shape as theirs.

    A sorting network on whole pictures (Knuth, The Art of Computer Programming 3, 5.3.4, odd-even transposition).
    """
    count = min(len(frames), MEDIAN_OF)
    count -= 1 - count % 2
    chosen = np.linspace(0, len(frames) - 1, count).round().astype(int)
    middle = np.empty_like(frames[0])
    for top in range(0, len(middle), _BAND_ROWS):
        band = slice(top, top + _BAND_ROWS)
        rows: list[Image] = [frames[i][band] for i in chosen]
        for turn in range(count):
            for i in range(turn % 2, count - 1, 2):
                low, high = cv2.min(rows[i], rows[i + 1]), cv2.max(rows[i], rows[i + 1])
                rows[i], rows[i + 1] = np.asarray(low, dtype=np.uint8), np.asarray(high, dtype=np.uint8)
        middle[band] = rows[count // 2]
    return middle
