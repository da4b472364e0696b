"""Pieces of picture laid over one another in windows, so that only what changed is drawn again."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sample_videos.ball_picture import Patch
from sample_videos.looks import GAMMA, encode

Float32 = NDArray[np.float32]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle of pixels; right and bottom are the first ones outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def is_empty(self) -> bool:
        """Whether it has no pixel."""
        return self.right <= self.left or self.bottom <= self.top

    @property
    def window(self) -> tuple[slice, slice]:
        """Rows and columns of a whole picture."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def within(self, outer: "Box") -> tuple[slice, slice]:
        """Rows and columns of a piece that begins at the corner of `outer`."""
        return slice(self.top - outer.top, self.bottom - outer.top), slice(self.left - outer.left, self.right - outer.left)

    def grown(self, margin: int) -> "Box":
        """With a margin all round."""
        return Box(left=self.left - margin, top=self.top - margin, right=self.right + margin, bottom=self.bottom + margin)

    def common(self, other: "Box") -> "Box":
        """What both share; may be empty."""
        return Box(
            left=max(self.left, other.left),
            top=max(self.top, other.top),
            right=min(self.right, other.right),
            bottom=min(self.bottom, other.bottom),
        )

    def joined(self, other: "Box") -> "Box":
        """The smallest box round both."""
        return Box(
            left=min(self.left, other.left),
            top=min(self.top, other.top),
            right=max(self.right, other.right),
            bottom=max(self.bottom, other.bottom),
        )


def box_at(left: int, top: int, piece: NDArray[np.generic]) -> Box:
    """Box of a piece (h, w, ..) whose first pixel is at (left, top)."""
    return Box(left=left, top=top, right=left + piece.shape[1], bottom=top + piece.shape[0])


def merged(boxes: Iterable[Box]) -> list[Box]:
    """Boxes that share no pixel and cover all the given ones; those that overlap are joined."""
    result: list[Box] = []
    for new in boxes:
        box = new
        again = not box.is_empty
        while again:
            again = False
            for other in result:
                if not box.common(other).is_empty:
                    result.remove(other)
                    box = box.joined(other)
                    again = True
                    break
        if not box.is_empty:
            result.append(box)
    return result


def decode(display: Float32) -> Float32:
    """Linear light of display values 0..255."""
    return np.asarray(_DECODED[np.clip(display * np.float32(4), 0, 1020).astype(np.int32)], np.float32)


_DECODED = (np.arange(1021, dtype=np.float32) / 1020) ** np.float32(GAMMA)


def blend(target: Float32, box: Box, patch: Patch, high: Float32) -> None:
    """Lay a ball over a piece of picture of display values that begins at the corner of `box`, in place.

    Args:
        target: Shape (h, w, 3).
        box: Where `target` is.
        patch: The ball.
        high: Share of each pixel of `target` that shows something as high as the cushions, shape (h, w).
    """
    own = box_at(patch.left, patch.top, patch.alpha)
    part = own.common(box)
    if part.is_empty:
        return
    there, here = part.within(box), part.within(own)
    alpha, colour = patch.alpha[here], patch.colour[here]
    cover = high[there]
    if cover.any():
        seen = np.asarray(1 - cover * patch.low[here] / np.maximum(alpha, 1e-6), np.float32)
        alpha, colour = alpha * seen, colour * seen[..., None]
    window = target[there]
    if patch.linear:
        window[:] = encode((1 - alpha)[..., None] * decode(window) + colour)
    else:
        window *= (1 - alpha)[..., None]
        window += colour


def shade(target: Float32, box: Box, left: int, top: int, factor: Float32, cloth: Float32, share: float) -> None:
    """Darken a piece of picture by a shadow where it shows cloth; shares multiply, so that n shares of a shadow give it once."""
    own = box_at(left, top, factor)
    part = own.common(box)
    if part.is_empty:
        return
    there = part.within(box)
    dark = factor[part.within(own)]
    if share != 1:
        dark = dark ** np.float32(share)
    target[there] *= (1 - cloth[there] * (1 - dark))[..., None]
