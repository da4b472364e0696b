"""Which ball it is, as probabilities: by looks alone, and jointly under "each ball exists once".

Theory: a ball of the set is a kind (white, solid, stripe, black) with a colour. Its looks (vision.looks) are scored
as density of the white in the outer ring given the kind, times density of the dark part, times a Student t of the
colour's distance in Lab, whose wide tail stands for other makes, dyes and lamps. The make of the set (standard pool,
or the television set with a pink 4 and a brown 7) is hidden and the same for all balls in a picture: makes are
weighed by how well each explains all balls together. Everything is tempered, because the pictures of one shot repeat
the same error: fusing 50 frames must not turn a guess into certainty.

One picture's names: over all ways to give each detection another ball or none, the marginals of the product of
likelihoods, by dynamic programming over sets of balls (a permanent, exact up to 10 balls and with weak names left
out above that).

Fails: a stripe with its white pole up shows no colour and looks like the cue ball (both stay likely); yellow-white
light makes ivory and yellow meet; pyramid whites have no names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from calibration.equipment import BallId, BallSet
from vision.looks import Looks

FloatArray = NDArray[np.float64]

_YELLOW, _BLUE, _RED, _PURPLE = (242, 180, 40), (15, 60, 160), (215, 35, 45), (85, 45, 130)
_ORANGE, _GREEN, _MAROON, _BLACK = (240, 95, 40), (25, 95, 70), (125, 30, 40), (25, 25, 28)
_PINK, _BROWN = (240, 100, 145), (155, 80, 45)
MAKES: Mapping[str, tuple[tuple[int, int, int], ...]] = {
    "standard": (_YELLOW, _BLUE, _RED, _PURPLE, _ORANGE, _GREEN, _MAROON, _BLACK),
    "television": (_YELLOW, _BLUE, _RED, _PINK, _ORANGE, _GREEN, _BROWN, _BLACK),
}
"""Red, green, blue of balls 1 to 8 under white light, by make; 9 to 15 repeat 1 to 7 as stripes. From makers' sheets
(WPA equipment specification names the colours only); the tails below cover the rest."""
_PYRAMID_COLOURED = ((170, 30, 35), (225, 170, 30))
"""The coloured ball of a pyramid set: dark red or yellow."""

_LIGHTNESS_SPREAD, _HUE_SPREAD = 11.0, 13.0
"""Standard deviation of a ball's colour about its make's, Lab units: pictures of one set in one room scatter by 2 to
4, sets of one make in different rooms by 10. Smaller is sure of wrong names, larger cannot tell red from orange."""
_TAIL = 5.0
"""Degrees of freedom of the colour's Student t."""
_TEMPER = 0.6
"""Exponent on a picture's likelihood: pictures of a resting ball repeat one error."""
_FLOOR = 1e-4
"""No name is less likely than this by looks alone: glare, a hand's shade and a bad frame are commoner."""
_STRANGER = 0.02
"""Prior that a detection is none of the balls (chalk, a finger, a logo)."""
_WIDE_SET = 12
"""Above so many names the sum over sets is restricted to likely ones, for time."""


@dataclass(frozen=True, slots=True)
class _Model:
    kind: str
    lab: FloatArray


def likelihoods(looks: Sequence[Looks], ball_set: BallSet) -> list[dict[BallId, float]]:
    """Ball to probability by looks alone for each detection of one picture, each adding up to 1.

    An unnamed set gives empty mappings. Pyramid whites share their probability equally.
    """
    if not ball_set.balls or not looks:
        return [{} for _ in looks]
    if ball_set.name == "pyramid":
        return [_pyramid(one, ball_set) for one in looks]
    tables = [np.array([[_score(one, _model(ball, make)) for ball in ball_set.balls] for one in looks]) for make in MAKES]
    evidence = np.array([float(np.log(table.sum(axis=1)).sum()) for table in tables])
    weight = np.exp(np.clip(evidence - evidence.max(), -30, 0) * _TEMPER)
    weight /= weight.sum()
    mixed = sum(w * (table / table.sum(axis=1, keepdims=True)) for w, table in zip(weight, tables, strict=True))
    tempered = np.asarray(mixed) ** _TEMPER
    tempered = np.maximum(tempered / tempered.sum(axis=1, keepdims=True), _FLOOR)
    tempered /= tempered.sum(axis=1, keepdims=True)
    return [dict(zip(ball_set.balls, (float(p) for p in row), strict=True)) for row in tempered]


@cache
def _model(ball: BallId, make: str) -> _Model:
    if ball == "cue":
        return _Model("white", _lab((235, 230, 215)))
    number = int(ball)
    colours = MAKES[make]
    if number == 8:
        return _Model("black", _lab(colours[7]))
    return _Model("solid" if number < 8 else "stripe", _lab(colours[(number - 1) % 8 if number < 8 else number - 9]))


def _lab(rgb: tuple[int, int, int]) -> FloatArray:
    pixel = np.array([[rgb[::-1]]], dtype=np.float32) / 255
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_BGR2LAB)[0, 0], dtype=np.float64)


def _score(looks: Looks, model: _Model) -> float:
    """Density of the looks given the ball, up to a common factor."""
    return _white_density(looks, model.kind) * _dark_density(looks.dark, model.kind) * _colour_density(looks, model)


def _white_density(looks: Looks, kind: str) -> float:
    rim, white = looks.rim_white, looks.white
    if kind == "white":
        return _half_normal(1 - rim, 0.10) * 0.98 + 0.02
    if kind == "stripe":
        # Caps at both rims: a third of the ring and more; end-on, white all over but for a thin coloured rim.
        level = 1.6 if 0.30 <= rim <= 0.72 else 1.6 * float(np.exp(-(((0.30 - rim) / 0.07) ** 2))) if rim < 0.30 else _taper(rim)
        return 0.97 * level + 0.03
    return _half_normal(max(rim, 0.6 * white), 0.14) * 0.98 + 0.02


def _taper(rim: float) -> float:
    return 1.6 * float(np.exp(-(((rim - 0.72) / 0.11) ** 2))) + 0.05


def _dark_density(dark: float, kind: str) -> float:
    if kind == "black":
        return 0.05 + 1.6 / (1 + float(np.exp(-(dark - 0.33) / 0.06)))
    return _half_normal(dark, 0.12) * 0.98 + 0.02


def _half_normal(value: float, spread: float) -> float:
    return float(np.exp(-0.5 * (value / spread) ** 2)) * 0.8 / spread


def _colour_density(looks: Looks, model: _Model) -> float:
    if model.kind == "white":
        # What is coloured on the cue ball is its dots and reflections: any colour.
        return float(np.exp(-looks.coloured / 0.08)) + 0.01
    lightness, hue = _LIGHTNESS_SPREAD, _HUE_SPREAD
    lab = np.array(looks.lab)
    if model.kind == "black":
        # A black ball shows the room and the cloth as reflections: dark, of any hue.
        distance = (max(lab[0] - 20.0, 0.0) / lightness) ** 2 + (np.hypot(lab[1], lab[2]) / 40.0) ** 2
    else:
        distance = ((lab[0] - model.lab[0]) / lightness) ** 2 + ((lab[1:] - model.lab[1:]) ** 2).sum() / hue**2
    return float((1 + distance / _TAIL) ** (-(_TAIL + 3) / 2))


def _pyramid(looks: Looks, ball_set: BallSet) -> dict[BallId, float]:
    coloured = max(_colour_density(looks, _Model("solid", _lab(rgb))) * _half_normal(looks.rim_white, 0.14) for rgb in _PYRAMID_COLOURED)
    white = _white_density(looks, "white") * _colour_density(looks, _Model("white", _lab((235, 230, 215))))
    share = coloured**_TEMPER / (coloured**_TEMPER + white**_TEMPER)
    share = float(np.clip(share, _FLOOR, 1 - _FLOOR))
    whites = len(ball_set.balls) - 1
    return {ball: share if ball == "Y" else (1 - share) / whites for ball in ball_set.balls}


def assign_names(picture: Sequence[Mapping[BallId, float]], balls: Sequence[BallId]) -> list[dict[BallId | None, float]]:
    """Names of one picture's detections under "each ball exists once".

    Args:
        picture: For each detection, ball to likelihood.
        balls: All names there are.

    Returns:
        For each detection, name (None: none of them) to posterior probability, adding up to 1.
    """
    count = len(picture)
    if count == 0:
        return []
    table = np.array([[one.get(ball, 0.0) for ball in balls] for one in picture], dtype=np.float64)
    table = _best_marginals(table) if max(len(balls), count) > _WIDE_SET else _exact_marginals(table)
    names: list[BallId | None] = [*balls, None]
    return [dict(zip(names, (float(p) for p in row), strict=True)) for row in table]


def best_names(picture: Sequence[Mapping[BallId, float]], balls: Sequence[BallId]) -> list[BallId | None]:
    """The likeliest names of one picture's detections, each used once; None for what is likelier none of the balls."""
    posterior = assign_names(picture, balls)
    if not posterior:
        return []
    table = np.array([[one[ball] for ball in balls] + [one[None]] * len(posterior) for one in posterior])
    rows, columns = linear_sum_assignment(-np.log(np.maximum(table, 1e-12)))
    names: list[BallId | None] = [None] * len(posterior)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        names[row] = balls[column] if column < len(balls) else None
    return names


def _exact_marginals(table: FloatArray) -> FloatArray:
    """Marginals, shape (N, M + 1), last column none, by forward and backward sums over sets of used names."""
    count, names = table.shape
    sets = 1 << names
    free = [np.flatnonzero((np.arange(sets) >> name) & 1 == 0) for name in range(names)]
    forward = np.zeros((count + 1, sets))
    forward[0, 0] = 1.0
    for row in range(count):
        forward[row + 1] = _STRANGER / names * forward[row]
        for name in range(names):
            forward[row + 1, free[name] | (1 << name)] += table[row, name] * forward[row, free[name]]
        forward[row + 1] /= forward[row + 1].sum()
    backward = np.ones(sets)
    result = np.zeros((count, names + 1))
    for row in range(count - 1, -1, -1):
        result[row, names] = _STRANGER / names * (forward[row] * backward).sum()
        earlier = _STRANGER / names * backward
        for name in range(names):
            gain = table[row, name] * backward[free[name] | (1 << name)]
            result[row, name] = (forward[row, free[name]] * gain).sum()
            earlier[free[name]] += gain
        backward = earlier / earlier.max()
    return np.asarray(result / result.sum(axis=1, keepdims=True))


def _best_marginals(table: FloatArray) -> FloatArray:
    """Marginals by balancing rows and columns (Sinkhorn), each name used at most once; for large sets.

    The balanced table is the best mean-field stand-in for the permanent's marginals (Huber & Law 2008 bound its
    error); it is a little less sure than the exact one.
    """
    count, names = table.shape
    full = np.column_stack([table, np.full(count, _STRANGER / names)])
    left = np.ones(names)
    for _ in range(60):
        scaled = full * np.append(left, 1.0)
        scaled /= scaled.sum(axis=1, keepdims=True)
        used = scaled[:, :names].sum(axis=0)
        left = left / np.maximum(used, 1.0)
    scaled = full * np.append(left, 1.0)
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))
