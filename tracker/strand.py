"""A strand: detections that the live tracker joined to one ball, with what is needed to cut and rejoin them later."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import hypot, log, nan

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from tracker.history import BoolArray, FloatArray
from tracker.motion import BallFilter
from vision.detection import Detection

_ODDS_LIMIT = 6.0
"""Log-odds kept at most: what was a ball for minutes can still turn out a hand within a second."""
_LEFT_S, _LEFT_M, _MOUTH_M = 0.1, 0.01, 0.12
"""A ball seen behind a mouth's line after it was out of sight so long and moved so far lies in the pocket, seen slantwise or
through the mouth: one that came to hang there was seen coming. And how near a ball was last seen that fell there."""
CONFIRM_COUNT = 3
"""Detections that make a ball of a strand; one or two are more often a hand or a highlight."""

_NOWHERE = (nan, nan)
EXPECTED_PLACES = (slice(1, 4), slice(4, 6), slice(7, 9), slice(9, 11))
"""Where `Strand.expected` holds the prediction, the last place, the place left and the first step."""

_ROWS = ("frames", "xs", "ys", "sigmas", "scores", "resting", "fallen", "weights", "looks", "streaks")


@dataclass(slots=True)
class Strand:
    """One ball as the live tracker sees it.

    Attributes:
        key: Counted from 0.
        motion: State of the filter.
        true_s: True time of the last measurement as far as inferred.
        name: Current name; "" while none fits.
        looks_sum: Shape (K,), weighted sum of log likelihood ratios.
        looks_weight: Sum of the weights.
        frames, xs, ys, sigmas, scores, resting, weights, looks: A row per detection.
        fallen: And whether it is seen in a mouth where it, or another, had gone out of sight on the way in: nothing on the bed.
        streaks: (x, y) from end to end of the streak that a detection was, (0, 0) of a disc; metres, the sign says nothing.
        cuts: Rows at which a new piece starts because motion alone did not decide, and the cost of going on as it did.
        ball_odds: Log-odds by scores alone that it is a ball, limited.
        unseen_s: Time in plain view without a detection.
        finished: No longer followed.
    """

    key: int
    motion: BallFilter
    true_s: float
    looks_sum: FloatArray
    looks_weight: float = 0.0
    name: BallId = ""
    frames: list[int] = field(default_factory=list)
    xs: list[float] = field(default_factory=list)
    ys: list[float] = field(default_factory=list)
    sigmas: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    resting: list[bool] = field(default_factory=list)
    fallen: list[bool] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    looks: list[FloatArray] = field(default_factory=list)
    streaks: list[tuple[float, float]] = field(default_factory=list)
    cuts: dict[int, float] = field(default_factory=dict)
    unseen_s: float = 0.0
    ball_odds: float = 0.0
    finished: bool = False

    @property
    def confirmed(self) -> bool:
        """Seen often and surely enough to be a ball."""
        return len(self.frames) >= CONFIRM_COUNT and self.ball_odds > 0

    def expected(self, wait_s: float) -> tuple[float, ...]:
        """What its next picture is expected from, as one row: making an array costs more than filling it.

        The wait; prediction (x, y, sigma); last place; speed; the place it seemed to leave, NaN where none; its first step; ball odds;
        whether it has just appeared. `EXPECTED_PLACES` are the pairs and the triple in it.
        """
        motion = self.motion
        memory = motion.memory or _NOWHERE
        appeared = len(self.frames) == 1 and self.unseen_s == 0
        place = *motion.predict(wait_s), motion.x, motion.y
        return wait_s, *place, motion.speed_mps, *memory, *motion.woken, self.ball_odds, float(appeared)

    def append(self, frame: int, item: Detection, weight: float, log_ratio: FloatArray, *, fallen: bool = False) -> None:
        """Add a detection with the weight of its looks and its log likelihood ratios (K,)."""
        score = item.score
        share = min(max(score, 0.05), 0.95)
        self.ball_odds = min(max(self.ball_odds + log(share / (1 - share)), -_ODDS_LIMIT), _ODDS_LIMIT)
        self.frames.append(frame)
        self.xs.append(item.position_m[0])
        self.ys.append(item.position_m[1])
        self.sigmas.append(item.sigma_m)
        (ax, ay), (bx, by) = item.streak_m or ((0.0, 0.0), (0.0, 0.0))
        self.streaks.append((bx - ax, by - ay))
        self.scores.append(score)
        self.resting.append(self.motion.resting)
        self.fallen.append(fallen)
        self.weights.append(weight)
        self.looks.append(log_ratio)
        self.looks_sum = self.looks_sum + weight * log_ratio
        self.looks_weight += weight

    def lies_in_pocket(self, gap_s: float, way_m: float) -> bool:
        """What a detection of it behind a mouth's line is, so long after the last one (s) and so far from it (m)."""
        return (bool(self.fallen) and self.fallen[-1]) or (gap_s > _LEFT_S and way_m > _LEFT_M)

    def ended_at(self, place_m: tuple[float, float]) -> bool:
        """True where it was last seen near `place_m`, metres, and is followed no more."""
        return self.finished and bool(self.frames) and hypot(self.xs[-1] - place_m[0], self.ys[-1] - place_m[1]) < _MOUTH_M

    def cut(self, cost: float) -> None:
        """Start a new piece with the last row; `cost` is that of its link, by motion alone."""
        row = len(self.frames) - 1
        if row > 0:
            self.cuts[row] = cost

    def copied(self) -> "Strand":
        """A copy whose rows do not grow with this one's."""
        twin = replace(self, cuts=dict(self.cuts))
        for name in _ROWS:
            setattr(twin, name, list(getattr(self, name)))
        return twin

    def forget(self, before_frame: int) -> None:
        """Drop rows of earlier frames; what they said about the name stays in the live sums."""
        keep = next((row for row, frame in enumerate(self.frames) if frame >= before_frame), len(self.frames))
        if keep == 0:
            return
        for name in _ROWS:
            del getattr(self, name)[:keep]
        self.cuts = {row - keep: cost for row, cost in self.cuts.items() if row > keep}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrameRecord:
    """What of one picture is kept.

    Attributes:
        time_s: Its stamp.
        usable: It showed the table.
        hidden: Covered part of the bed, packed bits; None where not known.
        shape: (rows, columns) of the mask.
        cups: (pocket, x, y, score, log likelihood ratios (K,)) of balls seen in pockets.
        outside: (x, y, score) of balls seen beyond the noses.
    """

    time_s: float
    usable: bool
    hidden: NDArray[np.uint8] | None
    shape: tuple[int, int]
    cups: tuple[tuple[str, float, float, float, FloatArray], ...]
    outside: tuple[tuple[float, float, float], ...]

    def is_hidden(self, x_m: float, y_m: float, length_m: float, width_m: float) -> bool:
        """True where something covers the bed at (x, y) or the picture does not show the table; False beyond the bed."""
        if not self.usable:
            return True
        if self.hidden is None:
            return False
        bit = _bit(x_m, y_m, length_m, width_m, self.shape)
        return bit is not None and bool((int(self.hidden[bit >> 3]) >> (7 - (bit & 7))) & 1)


class Covers:
    """How often something covers a place: `FrameRecord.is_hidden` of many pictures at once.

    Args:
        frames: Records in time order.
        length_m: Of the bed.
        width_m: Of the bed.
    """

    def __init__(self, frames: Sequence[FrameRecord], length_m: float, width_m: float) -> None:
        self._length_m, self._width_m = length_m, width_m
        self._unusable = np.array([not record.usable for record in frames], dtype=np.bool_)
        self._sums: dict[tuple[int | None, ...], NDArray[np.int64]] = {}
        self._groups: list[tuple[tuple[int, int], NDArray[np.intp], NDArray[np.uint8]]] = []
        shapes = [record.shape if record.usable and record.hidden is not None else None for record in frames]
        for shape in dict.fromkeys(shape for shape in shapes if shape is not None):
            rows = np.array([row for row, other in enumerate(shapes) if other == shape], dtype=np.intp)
            masks = np.stack([np.asarray(frames[row].hidden, dtype=np.uint8) for row in rows.tolist()])
            self._groups.append((shape, rows, masks))

    def count(self, x_m: float, y_m: float, rows: range) -> int:
        """In how many of these pictures (x, y) is covered or the picture does not show the table."""
        cells = tuple(_bit(x_m, y_m, self._length_m, self._width_m, shape) for shape, _, _ in self._groups)
        if cells not in self._sums:
            covered = self._unusable.copy()
            for bit, (_, numbers, masks) in zip(cells, self._groups, strict=True):
                if bit is not None:
                    covered[numbers] = (masks[:, bit >> 3] >> (7 - (bit & 7))) & 1
            self._sums[cells] = np.concatenate([[0], np.cumsum(covered)])
        sums = self._sums[cells]
        return int(sums[rows.stop] - sums[rows.start]) if rows else 0


def _bit(x_m: float, y_m: float, length_m: float, width_m: float, shape: tuple[int, int]) -> int | None:
    """Number of the mask's bit at (x, y); None beyond the bed."""
    rows, columns = shape
    column, row = int((x_m / length_m + 0.5) * columns), int((0.5 - y_m / width_m) * rows)
    return row * columns + column if 0 <= row < rows and 0 <= column < columns else None


def pack_mask(mask: BoolArray | None) -> tuple[NDArray[np.uint8] | None, tuple[int, int]]:
    """The mask as packed bits and its shape: an hour of pictures then stays in memory."""
    if mask is None:
        return None, (0, 0)
    return np.asarray(np.packbits(mask), dtype=np.uint8), (int(mask.shape[0]), int(mask.shape[1]))
