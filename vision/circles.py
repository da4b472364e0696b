"""Circles of a ball's radius in pieces of foreground that are more than one ball.

Theory: every strong edge votes for the two points one R to either side along its gradient (Hough's transform with the radius
known; Kimme, Ballard & Sklansky 1975); peaks are circles. Votes are counted on a finer view, where touching balls come
apart. What was found stays found where the picture has not changed: only the rest is searched again.

Fails: balls of like colour in a rack without visible gaps give weak votes; a sleeve with a round badge of a ball's size.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.changes import Box, join_boxes
from vision.rectify import TopView

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_VOTE_LEAST = 0.30
"""Votes of a disc, part of a full outline: a rack's inner balls get 0.4 and more, clothes mostly 0.1 to 0.25."""
_EDGE_LEAST = 40.0
"""Gradient (Scharr over 16) that may vote, levels per pixel of the fine view; blur halves a sharp edge of 80."""
_APART_RADII = 1.6
"""No two circles are nearer: touching balls are 2 apart."""
_WITHIN_RADII = 0.3
"""A centre lies at least so deep in its piece, ball radii."""
_REACH_RADII = 1.3
"""How far from a centre the edges that vote for it lie, with the blur of their gradients."""


class CircleFinder:
    """Finds circles on one table, picture after picture."""

    def __init__(self, view: TopView, fine: TopView) -> None:
        """Nothing known yet.

        Args:
            view: In whose pixels pieces and places are.
            fine: A finer view of the same table, about as fine as the picture.
        """
        self._view, self._fine = view, fine
        self._searched = np.zeros((view.size_px[1], view.size_px[0]), dtype=np.bool_)
        self._places = np.empty((0, 2))
        self._votes = np.empty(0)
        depth = 2 * round(_WITHIN_RADII * view.ball_radius_px) + 1
        self._depth = np.ones((depth, depth), np.uint8)

    def renew(self, changed: Sequence[Box] | None) -> None:
        """A new picture begins, which differs from the last in those boxes of the view; None for everywhere."""
        if changed is None:
            self._searched[:] = False
            return
        for box in changed:
            self._searched[self._grown(box)] = False

    def within(self, image: Image, box: Box, part: Mask) -> FloatArray:
        """Centres of the circles in a piece, view pixels, shape (N, 2), best first.

        Args:
            image: Camera picture, BGR.
            box: The piece's, in the view.
            part: Shape of the box: the piece.
        """
        deep = cv2.erode(part.astype(np.uint8), self._depth, borderType=cv2.BORDER_CONSTANT, borderValue=0)
        missing = np.where(self._searched[box], np.uint8(0), deep)
        if missing.any():
            _, _, stats, _ = cv2.connectedComponentsWithStats(missing, connectivity=8)
            boxes = [
                (slice(box[0].start + top, box[0].start + top + down), slice(box[1].start + left, box[1].start + left + across))
                for left, top, across, down, _ in stats[1:].tolist()
            ]
            for region in join_boxes(boxes, self._reach_px):
                self._search(image, region)
        columns, rows = (np.rint(self._places).astype(int) - (box[1].start, box[0].start)).T
        inside = (rows >= 0) & (rows < part.shape[0]) & (columns >= 0) & (columns < part.shape[1])
        inside[inside] = deep[rows[inside], columns[inside]] > 0
        return _kept_apart(self._places[inside], self._votes[inside], _APART_RADII * self._view.ball_radius_px)

    @property
    def _reach_px(self) -> int:
        return int(np.ceil(_REACH_RADII * self._view.ball_radius_px))

    def _grown(self, box: Box) -> Box:
        rows, columns = (slice(max(side.start - self._reach_px, 0), side.stop + self._reach_px) for side in box)
        return rows, columns

    def _search(self, image: Image, region: Box) -> None:
        """Find the circles whose centres lie in a part of the view."""
        found, votes = find_circles(image, self._fine, self._view, region)
        (top, bottom), (left, right) = ((side.start, side.stop) for side in region)

        def inside(places: FloatArray) -> Mask:
            return np.asarray(((places >= (left - 0.5, top - 0.5)) & (places < (right - 0.5, bottom - 0.5))).all(axis=1), dtype=np.bool_)

        new, old = inside(found), ~inside(self._places)
        self._places = np.concatenate([self._places[old], found[new]])
        self._votes = np.concatenate([self._votes[old], votes[new]])
        self._searched[region] = True


def find_circles(image: Image, fine: TopView, view: TopView, box: Box) -> tuple[FloatArray, FloatArray]:
    """Centres, in view pixels, shape (N, 2), and votes, shape (N,), of circles of the ball's radius in and about a box of the view."""
    radius = fine.ball_radius_px
    pad = int(np.ceil(_REACH_RADII * radius))
    corner = fine.to_view(view.to_table([[box[1].start, box[0].start]]))[0]
    opposite = fine.to_view(view.to_table([[box[1].stop - 1, box[0].stop - 1]]))[0]
    x0, y0 = (max(int(v) - pad, 0) for v in corner)
    x1, y1 = (int(v) + pad + 2 for v in opposite)
    votes = _vote(fine.patch(image, slice(y0, y1), slice(x0, x1)), radius)
    around = cv2.dilate(votes, np.ones((int(radius) | 1,) * 2, np.uint8))
    rows, columns = np.nonzero((votes >= around) & (votes > _VOTE_LEAST))
    centres = np.column_stack([columns + x0, rows + y0]).astype(np.float64)
    return view.to_view(fine.to_table(centres)), votes[rows, columns].astype(np.float64)


def _vote(patch: Image, radius: float) -> NDArray[np.float32]:
    """Votes for centres, part of a full outline, shape of the patch."""
    smooth = cv2.GaussianBlur(patch, (0, 0), 0.08 * radius)
    dx, dy = (np.asarray(cv2.Scharr(smooth, cv2.CV_16S, one, 1 - one)) for one in (1, 0))
    # Each channel's squared gradient; the strongest channel speaks. Only pixels above the least strength are worked on.
    size = cv2.multiply(dx, dx, dtype=cv2.CV_32F)
    size = np.asarray(cv2.accumulateProduct(dy.astype(np.float32), dy.astype(np.float32), size), dtype=np.float32)
    strongest = cv2.max(cv2.max(size[..., 0], size[..., 1]), size[..., 2])
    height, width = strongest.shape
    places = np.flatnonzero(strongest > (16 * _EDGE_LEAST / 4) ** 2).astype(np.int32)
    rows, columns = np.divmod(places, np.int32(width))
    channel = size.reshape(-1, 3)[places].argmax(axis=1)
    strength = np.sqrt(strongest.ravel()[places])
    reach = np.float32(radius) / strength
    ux, uy = dx.reshape(-1, 3)[places, channel] * reach, dy.reshape(-1, 3)[places, channel] * reach
    weight = np.minimum(strength / np.float32(16 * _EDGE_LEAST), 1.0)
    x = np.rint(np.concatenate([columns + ux, columns - ux])).astype(np.int32)
    y = np.rint(np.concatenate([rows + uy, rows - uy])).astype(np.int32)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    votes = np.bincount(y[inside] * width + x[inside], weights=np.concatenate([weight, weight])[inside], minlength=height * width)
    sigma = 0.11 * radius
    smoothed = cv2.GaussianBlur(votes.reshape(height, width).astype(np.float32), (0, 0), sigma)
    # An outline two edge pixels thick, all votes within the smoothing's own spread: 1.
    return np.asarray(smoothed / np.float32(2 * np.pi * radius * 2.0 / (4 * np.pi * sigma**2)), dtype=np.float32)


def _kept_apart(places: FloatArray, votes: FloatArray, least_px: float) -> FloatArray:
    """The best of those that are nearer to each other than balls can be, best first, shape (N, 2)."""
    kept: list[tuple[float, float]] = []
    for x, y in places[np.argsort(-votes, kind="stable")].tolist():
        if all((x - u) ** 2 + (y - v) ** 2 > least_px**2 for u, v in kept):
            kept.append((x, y))
    return np.array(kept, dtype=np.float64).reshape(-1, 2)
