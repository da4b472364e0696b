"""The trained network on the rectified bed: where whole balls are, how surely, and what people and graphics cover.

Theory: a small fully convolutional network (vision/training, models/MODEL_CARD.md) looks at the view scaled to a ball
radius of 5 pixels and gives maps at a quarter of that: a centre's score peaks at a ball (centres as points, Zhou, Wang
& Kraehenbuehl 2019), with the rest of the way to the true centre beside it. Its places are good to about a tenth of a
radius; placing to the millimetre stays with the outlines.

Fails: balls far from the expected size (by a fifth), a ball less than a third visible, anything round and shaded that
the renderer never showed. Says nothing of names.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from calibration.errors import InputError
from vision.changes import Box, join_boxes

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

MODEL = Path(__file__).parent / "models" / "model.onnx"
_RADIUS_PX = 5.0
"""Ball radius that the network was trained at, give or take a sixth."""
_STRIDE = 4
_MULTIPLE = 16
"""Sides of its input are multiples of this; the rest is black."""
_LEAST = 0.1
"""Peaks below this are not handed on; balls have 0.3 and more."""
_MILD = 0.65
"""Scale down to which two pixels in each direction are enough to take for a mean."""
_AROUND, _CONTEXT = 4, 16
"""How far from a change cells are made again, and how much around those the network then sees, input pixels: a cell, and three
radii. (Its deepest cell sees 14 radii each way, little of it counts: scores change by 0.003, the hundredth of them by 0.05.)"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sight:
    """What the network makes of one view.

    Attributes:
        centres_px: Shape (N, 2), (x, y) in pixels of the view, best first.
        scores: Shape (N,), 0 to 1.
        covered: Shape of the view, float32: how surely a person, cue or graphic is there.
    """

    centres_px: FloatArray
    scores: FloatArray
    covered: NDArray[np.float32]


class Network:
    """The network, loaded once; one thread, as cameras and pages run beside it."""

    def __init__(self, model: Path = MODEL) -> None:
        """Load the model.

        Raises:
            InputError: The file is missing or no model of this kind.
        """
        self._maps: NDArray[np.float32] | None = None
        self._sight: Sight | None = None
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
            self._input = self._session.get_inputs()[0].name
        except Exception as error:  # onnxruntime raises a class of its own for every kind of fault
            raise InputError(f"{model}: not a network that can be run; install cueref again") from error

    def look(self, view: Image, ball_radius_px: float, changed: Sequence[Box] | None = None) -> Sight:
        """Balls and cover in a view.

        Args:
            view: Shape (h, w, 3), uint8, BGR, all balls of one size.
            ball_radius_px: That size.
            changed: Boxes of the view outside which it is as at the last call; None where nothing is known. The last
                sight is given again where there are none.
        """
        last, size = self._sight, (view.shape[1], view.shape[0])
        if changed is not None and last is not None and last.covered.shape != view.shape[:2]:
            changed = None
        if changed is not None and last is not None and not changed:
            return last
        scale = _RADIUS_PX / ball_radius_px
        shape = (max(1, round(size[0] * scale)), max(1, round(size[1] * scale)))
        # Areas, as at training, cost seven times as much by so little; the difference is a fifth of a level.
        small = np.asarray(cv2.resize(view, shape, interpolation=cv2.INTER_LINEAR if scale > _MILD else cv2.INTER_AREA), dtype=np.uint8)
        if changed is None or self._maps is None:
            self._maps = self._run(small)
        else:
            boxes = [_grown(_scaled(box, scale), _AROUND, small.shape, _STRIDE) for box in changed]
            for box in join_boxes(boxes, _CONTEXT):
                self._renew(self._maps, small, box)
        self._sight = _read(self._maps, small, size)
        return self._sight

    def _renew(self, maps: NDArray[np.float32], small: Image, box: Box) -> None:
        """Bring a part up to date; what lies further off than the context is taken not to matter for it."""
        wide = _grown(box, _CONTEXT, small.shape, _MULTIPLE)
        part = self._run(small[wide])
        inner = tuple(
            slice((one.start - all_.start) // _STRIDE, -(-(one.stop - all_.start) // _STRIDE)) for one, all_ in zip(box, wide, strict=True)
        )
        cells = tuple(slice(one.start // _STRIDE, -(-one.stop // _STRIDE)) for one in box)
        maps[:, cells[0], cells[1]] = part[:, inner[0], inner[1]]

    def _run(self, small: Image) -> NDArray[np.float32]:
        """Maps of a view at the network's scale, shape (5, h / 4, w / 4), rounded up."""
        height, width = small.shape[:2]
        padded = cv2.copyMakeBorder(small, 0, -height % _MULTIPLE, 0, -width % _MULTIPLE, cv2.BORDER_CONSTANT, value=(0.0, 0.0, 0.0))
        (maps,) = self._session.run(None, {self._input: cv2.dnn.blobFromImage(padded, 1 / 255)})
        return np.asarray(maps[0, :, : -(-height // _STRIDE), : -(-width // _STRIDE)], dtype=np.float32)


def _read(maps: NDArray[np.float32], small: Image, size: tuple[int, int]) -> Sight:
    """What maps say of the view of that `size`, (width, height)."""
    shape = np.array((small.shape[1], small.shape[0]))
    covered = _sigmoid(maps[3:5]).max(axis=0)
    # What is a hand is no ball: two heads see more than one.
    centres, scores = _peaks(_sigmoid(maps[0]) * (1 - covered), maps[1:3])
    inside = (centres < shape - 0.5).all(axis=1)
    covered = cv2.resize(covered, (covered.shape[1] * _STRIDE, covered.shape[0] * _STRIDE), interpolation=cv2.INTER_LINEAR)
    return Sight(
        centres_px=(centres[inside] + 0.5) * (np.array(size) / shape) - 0.5,
        scores=scores[inside],
        covered=np.asarray(cv2.resize(covered[: shape[1], : shape[0]], size), dtype=np.float32),
    )


def _scaled(box: Box, scale: float) -> Box:
    """A box of the view in pixels of the input, all that it touches."""
    rows, columns = (slice(int(one.start * scale), math.ceil(one.stop * scale)) for one in box)
    return rows, columns


def _grown(box: Box, reach: int, shape: tuple[int, ...], multiple: int) -> Box:
    """A box with `reach` pixels more on each side, out to multiples of a number, cut at the edges."""
    rows, columns = (
        slice(max(one.start - reach, 0) // multiple * multiple, min(-(-(one.stop + reach) // multiple) * multiple, side))
        for one, side in zip(box, shape, strict=False)
    )
    return rows, columns


def _sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float32)


def _peaks(centre: NDArray[np.float32], offset: NDArray[np.float32]) -> tuple[FloatArray, FloatArray]:
    """Highest cells of their neighbourhoods, with their offsets, in input pixels, best first."""
    rows, columns = np.nonzero((centre >= cv2.dilate(centre, np.ones((3, 3), np.uint8))) & (centre > _LEAST))
    order = np.argsort(-centre[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    cells = np.column_stack([columns + offset[0, rows, columns], rows + offset[1, rows, columns]]).astype(np.float64)
    return (cells + 0.5) * _STRIDE - 0.5, centre[rows, columns].astype(np.float64)
