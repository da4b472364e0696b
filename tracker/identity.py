"""Names: looks fused over time as correlated evidence, and each ball once.

A detection's likelihood is evidence, but two hundred pictures of one ball in one light are not two hundred
observations: what confuses a name in one picture confuses it in the next. So a stretch of track counts with the mean of
its log-likelihoods (weighted: sharp, surely found, on the bed, and `news`: another side of the ball or another moment)
times a count that saturates (`COUNT_LIMIT`). A share of uniform likelihood is mixed in first, so that no single picture
can exclude a name.

The names of all tracks are decided together (Hungarian), and a name's probability is the softmax over the best joint
assignments with that track forced to each name (max-marginals): a track that looks like 4 or 7 is the 7 once another
one surely is the 4.

Fails: sets with balls that look alike from above (`distinct` false): a name is then a label of motion only. A
systematically wrong appearance model is believed up to the saturated count, never more.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter

import numpy as np
from scipy.optimize import linear_sum_assignment

from calibration.equipment import BallId, BallSet
from tracker.history import BallIdentity, FloatArray

COUNT_LIMIT = 2.0
"""Pictures that looks count for at most, however many there are: a picture's likelihood already allows for another make
and lamp, which the next picture only shows again, but its noise averages out. Of 3,700 balls in 49 rendered sets held out of
the fit: at 1, 39 % of names are above 0.99 and 0.1 % of those wrong; at 2, 77 % and 0.4 %, and stated probabilities are met
within 0.04; at 3, 85 % and 0.7 %, and what is stated as 0.9 is met in 0.8."""
_SAME_VIEW_S = 0.15
"""Time after which a ball at rest may be counted anew: hands, shadows and compression change within it. Longer lets few
pictures of a rolling ball outweigh seconds of rest, shorter lets the one side that a resting ball shows outweigh all
the sides that it shows while it rolls (a stripe lying on its white end)."""
_NEW_VIEW_RADII = 1.5
"""Way in ball radii over which a rolling ball shows another side (86 degrees)."""
_UNIFORM_SHARE = 0.03
"""Share of every likelihood that is taken for blind: 1 % of wrong names, more in blur."""
_SPARE = 4
"""Labels above the balls seen at once where balls carry no names: a ball lost and found again may need one."""


class NameBook:
    """The names of a ball set as columns of arrays.

    Attributes:
        labels: Ids, one a column; empty for a set without names.
        column: The number of each.
    """

    def __init__(self, ball_set: BallSet) -> None:
        self.ball_set = ball_set
        self.labels: tuple[BallId, ...] = ball_set.balls
        self.column = {ball: index for index, ball in enumerate(self.labels)}
        self._values = itemgetter(*self.labels) if len(self.labels) > 1 else None
        self._alike = [index for index, ball in enumerate(self.labels) if not ball_set.distinct and ball != "Y"]

    @property
    def count(self) -> int:
        """Number of names."""
        return len(self.labels)

    def vectors(self, likelihoods: Sequence[Mapping[BallId, float]]) -> FloatArray:
        """Likelihood of each name for each of M detections, shape (M, K), rows adding up to 1; uniform where nothing is known.

        Names outside the set are taken for nothing known; alike balls share what falls on any of them.
        """
        rows = [self._row(likelihood) for likelihood in likelihoods]
        table = np.array(rows, dtype=np.float64).reshape(len(rows), self.count)
        if not self.count:
            return table
        if self._alike:
            table[:, self._alike] = table[:, self._alike].mean(axis=1, keepdims=True)
        total = table.sum(axis=1, keepdims=True)
        known = np.minimum(total, 1.0) * (1 - _UNIFORM_SHARE)
        return np.asarray(known * table / np.maximum(total, 1e-12) + (1 - known) / self.count, dtype=np.float64)

    def _row(self, likelihood: Mapping[BallId, float]) -> Sequence[float]:
        if self._values is not None and len(likelihood) >= self.count:
            try:
                return tuple(self._values(likelihood))
            except KeyError:
                pass
        return [likelihood.get(ball, 0.0) for ball in self.labels]

    def is_alike(self, ball: BallId) -> bool:
        """True where looks cannot tell this ball from others of the set."""
        return self.column.get(ball) in self._alike

    def log_ratio(self, vectors: FloatArray) -> FloatArray:
        """Log of likelihood over chance, same shape (..., K)."""
        return np.asarray(np.log(np.maximum(vectors * max(self.count, 1), 1e-12)), dtype=np.float64)


def news(gap_s: float, way_m: float, radius_m: float) -> float:
    """How far a picture of a ball is more than the one before it once again, 0 to 1."""
    return min(gap_s / _SAME_VIEW_S + way_m / (_NEW_VIEW_RADII * radius_m), 1.0)


def fuse(log_ratio_sum: FloatArray, weight: float) -> FloatArray:
    """Evidence of a stretch, shape (K,), nats over chance, from its weighted sum and its weight."""
    if weight <= 0:
        return np.zeros_like(log_ratio_sum)
    return np.asarray(log_ratio_sum / weight * min(weight, COUNT_LIMIT), dtype=np.float64)


def fuse_all(log_ratio_sums: FloatArray, weights: FloatArray) -> FloatArray:
    """`fuse` of N stretches at once, (N, K) and (N,) to (N, K)."""
    known = weights > 0
    share = np.where(known, np.minimum(weights, COUNT_LIMIT), 0.0) / np.where(known, weights, 1.0)
    return np.asarray(log_ratio_sums * share[:, None], dtype=np.float64)


def fused_probabilities(evidence: FloatArray) -> FloatArray:
    """Probability of each name from evidence in nats, shape (..., K); each alone, not joint."""
    if evidence.shape[-1] == 0:
        return evidence
    top = np.exp(evidence - evidence.max(axis=-1, keepdims=True))
    return np.asarray(top / top.sum(axis=-1, keepdims=True), dtype=np.float64)


def assign_names(evidence: FloatArray) -> list[int | None]:
    """The best joint naming: for each of N tracks a column of (N, K), each at most once; None where K is too small."""
    names: list[int | None] = [None] * len(evidence)
    if evidence.size:
        for row, column in zip(*linear_sum_assignment(-evidence), strict=True):
            names[int(row)] = int(column)
    return names


def joint_probabilities(evidence: FloatArray) -> FloatArray:
    """Max-marginals of the joint naming, shape (N, K) with N <= K: each row adds up to 1."""
    count, names = evidence.shape
    scores = np.full((count, names), -np.inf)
    for row in range(count):
        rest = np.delete(evidence, row, axis=0)
        for column in range(names):
            others = np.delete(rest, column, axis=1)
            total = evidence[row, column]
            if len(others) and others.shape[1]:
                total += others[linear_sum_assignment(-others)].sum()
            scores[row, column] = total
    return fused_probabilities(scores)


def identities(names: Sequence[BallId], evidence: FloatArray, book: NameBook) -> tuple[BallIdentity, ...]:
    """How surely each of N tracks carries its name, (N, K) evidence in nats; 1 where the set has no looks to tell.

    Balls that look alike share what falls on any of them: their names are labels.
    """
    if evidence.size == 0 or len(evidence) > evidence.shape[1]:
        return tuple(BallIdentity(ball=name, probability=1.0) for name in names)
    result = []
    for name, row in zip(names, joint_probabilities(evidence), strict=True):
        shares = dict(zip(book.labels, row.tolist(), strict=True))
        if book.is_alike(name):
            own = sum(p for label, p in shares.items() if book.is_alike(label))
            shares = {label: p for label, p in shares.items() if not book.is_alike(label)}
        else:
            own = shares.pop(name, 0.0)
        ranked = sorted(shares.items(), key=lambda item: -item[1])
        result.append(BallIdentity(ball=name, probability=min(own, 1.0), others=tuple(item for item in ranked if item[1] >= 0.001)))
    return tuple(result)


def spare_labels(seen_at_once: int) -> tuple[BallId, ...]:
    """Counted names for a set without names: `b1`, `b2`, .."""
    return tuple(f"b{number}" for number in range(1, seen_at_once + _SPARE + 1))
