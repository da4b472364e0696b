"""The trained network on the rectified bed: where whole balls are, how surely, and what people and graphics cover.

Theory: a small fully convolutional network (vision/training, models/MODEL_CARD.md) looks at the view scaled to a ball
radius of 5 pixels and gives maps at a quarter of that: a centre's score peaks at a ball (centres as points, Zhou, Wang
& Kraehenbuehl 2019), with the rest of the way to the true centre beside it. Its places are good to about a tenth of a
radius; placing to the millimetre stays with the outlines.

Fails: balls far from the expected size (by a fifth), a ball less than a third visible, anything round and shaded that
the renderer never showed. Says nothing of names.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from calibration.errors import InputError

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
_KEPT_S = 1.0
"""A sight is made again in another second of the recording, so that no single picture counts for long."""
_PAD, _SAME_LEVELS = 5, 6.0
"""Side of the square of input pixels, half a ball, over which a difference is averaged, and the levels of 255 from which
it is a change: a ball that moved a tenth of its radius shows 10, noise and compression 2 to 5."""


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


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What was seen in a view, at the network's scale."""

    small: Image
    time_s: float
    sight: Sight

    def holds(self, small: Image, time_s: float) -> bool:
        """True where nothing has changed, up to noise."""
        if self.time_s // _KEPT_S != time_s // _KEPT_S or small.shape != self.small.shape:
            return False
        return bool(cv2.blur(cv2.absdiff(small, self.small), (_PAD, _PAD)).max() < _SAME_LEVELS)


class Network:
    """The network, loaded once; one thread, as cameras and pages run beside it."""

    def __init__(self, model: Path = MODEL) -> None:
        """Load the model.

        Raises:
            InputError: The file is missing or no model of this kind.
        """
        self._last: _Known | None = None
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            self._session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
            self._input = self._session.get_inputs()[0].name
        except Exception as error:  # onnxruntime raises a class of its own for every kind of fault
            raise InputError(f"{model}: not a network that can be run; install cueref again") from error

    def look(self, view: Image, ball_radius_px: float, time_s: float | None = None) -> Sight:
        """Balls and cover in a view.

        Args:
            view: Shape (h, w, 3), uint8, BGR, all balls of one size.
            ball_radius_px: That size.
            time_s: Where given, the sight of an earlier view of this second of the recording is given again while
                nothing has changed.
        """
        height, width = view.shape[:2]
        scale = _RADIUS_PX / ball_radius_px
        shape = (max(1, round(width * scale)), max(1, round(height * scale)))
        # Areas, as at training, cost seven times as much by so little; the difference is a fifth of a level.
        small = np.asarray(cv2.resize(view, shape, interpolation=cv2.INTER_LINEAR if scale > _MILD else cv2.INTER_AREA), dtype=np.uint8)
        if time_s is not None and self._last is not None and self._last.holds(small, time_s):
            return self._last.sight
        sight = self._run(small, (width, height))
        self._last = None if time_s is None else _Known(small, time_s, sight)
        return sight

    def _run(self, small: Image, size: tuple[int, int]) -> Sight:
        """A view at the network's scale; `size` is the view's own (width, height)."""
        shape = (small.shape[1], small.shape[0])
        below, right = -shape[1] % _MULTIPLE, -shape[0] % _MULTIPLE
        padded = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_CONSTANT, value=(0.0, 0.0, 0.0))
        (maps,) = self._session.run(None, {self._input: cv2.dnn.blobFromImage(padded, 1 / 255)})
        scale = np.array(size) / shape
        covered = _sigmoid(maps[0, 3:5]).max(axis=0)
        # What is a hand is no ball: two heads see more than one.
        centres, scores = _peaks(_sigmoid(maps[0, 0]) * (1 - covered), maps[0, 1:3])
        inside = (centres < np.array(shape) - 0.5).all(axis=1)
        covered = cv2.resize(covered, (padded.shape[1], padded.shape[0]), interpolation=cv2.INTER_LINEAR)
        return Sight(
            centres_px=(centres[inside] + 0.5) * scale - 0.5,
            scores=scores[inside],
            covered=np.asarray(cv2.resize(covered[: shape[1], : shape[0]], size), dtype=np.float32),
        )


def _sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(1 / (1 + np.exp(-logits)), dtype=np.float32)


def _peaks(centre: NDArray[np.float32], offset: NDArray[np.float32]) -> tuple[FloatArray, FloatArray]:
    """Highest cells of their neighbourhoods, with their offsets, in input pixels, best first."""
    rows, columns = np.nonzero((centre >= cv2.dilate(centre, np.ones((3, 3), np.uint8))) & (centre > _LEAST))
    order = np.argsort(-centre[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    cells = np.column_stack([columns + offset[0, rows, columns], rows + offset[1, rows, columns]]).astype(np.float64)
    return (cells + 0.5) * _STRIDE - 0.5, centre[rows, columns].astype(np.float64)
