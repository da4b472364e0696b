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
_EXPOSURES = (0.8, 1.0, 1.2, 1.4)
"""How much brighter colours may be than white lets expect: cameras clip whites in bright rooms and leave colours pale
(1.4 in the brightest home picture seen), hidden and the same for all balls of a picture."""
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


@dataclass(frozen=True, slots=True, eq=False)
class _Guess:
    """A set of balls under one assumption on make and exposure: kinds (M,) and colours in Lab (M, 3)."""

    kinds: NDArray[np.intp]
    lab: FloatArray


_WHITE, _SOLID, _STRIPE, _BLACK_KIND = range(4)


def likelihoods(looks: Sequence[Looks], ball_set: BallSet) -> list[dict[BallId, float]]:
    """Ball to probability by looks alone for each detection of one picture, each adding up to 1.

    An unnamed set gives empty mappings. Pyramid whites share their probability equally.
    """
    if not ball_set.balls or not looks:
        return [{} for _ in looks]
    if ball_set.name == "pyramid":
        return _pyramid(looks, ball_set)
    guesses = _guesses(ball_set.balls)
    kinds = _kind_density(looks)
    tables = [kinds[:, guess.kinds] * _colour_density(looks, guess) for guess in guesses]
    evidence = np.array([float(np.log(table.sum(axis=1)).sum()) for table in tables])
    weight = np.exp(np.clip(evidence - evidence.max(), -30, 0) * _TEMPER)
    weight /= weight.sum()
    mixed = sum(w * (table / table.sum(axis=1, keepdims=True)) for w, table in zip(weight, tables, strict=True))
    tempered = np.asarray(mixed) ** _TEMPER
    tempered = np.maximum(tempered / tempered.sum(axis=1, keepdims=True), _FLOOR)
    tempered /= tempered.sum(axis=1, keepdims=True)
    return [dict(zip(ball_set.balls, (float(p) for p in row), strict=True)) for row in tempered]


@cache
def _guesses(balls: tuple[BallId, ...]) -> tuple[_Guess, ...]:
    kinds, colours = [], []
    for ball in balls:
        number = 0 if ball == "cue" else int(ball)
        kinds.append(_WHITE if number == 0 else _BLACK_KIND if number == 8 else _SOLID if number < 8 else _STRIPE)
        colours.append(number - 1 if 0 < number <= 8 else max(number - 9, 0))
    made = []
    for make in MAKES.values():
        for exposure in _EXPOSURES:
            rgb = np.clip(np.array([make[colour] for colour in colours]) * exposure, 0, 255)
            made.append(_Guess(np.array(kinds, dtype=np.intp), _lab(rgb)))
    return tuple(made)


def _lab(rgb: FloatArray) -> FloatArray:
    pixels = np.asarray(rgb, dtype=np.float32)[None, :, ::-1] / 255
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB)[0], dtype=np.float64)


def _kind_density(looks: Sequence[Looks]) -> FloatArray:
    """Density of white and dark parts given white, solid, stripe, black; shape (N, 4), up to a common factor."""
    rim, white, dark = (np.array([getattr(one, name) for one in looks]) for name in ("rim_white", "white", "dark"))
    as_white = _half_normal(1 - rim, 0.10) * 0.98 + 0.02
    # A stripe's caps take a third of the ring and more; end-on all of it is white but for a thin coloured edge.
    low, high = np.minimum(rim - 0.30, 0) / 0.07, np.maximum(rim - 0.72, 0) / 0.11
    as_stripe = 1.6 * np.exp(-(low**2) - high**2) + 0.05
    as_solid = _half_normal(np.maximum(rim, 0.6 * white), 0.14) * 0.98 + 0.02
    bright = _half_normal(dark, 0.12) * 0.98 + 0.02
    black = 0.05 + 1.6 / (1 + np.exp(-(dark - 0.33) / 0.06))
    return np.column_stack([as_white * bright, as_solid * bright, as_stripe * bright, as_solid * black])


def _half_normal(value: FloatArray, spread: float) -> FloatArray:
    return np.asarray(np.exp(-0.5 * (value / spread) ** 2) * 0.8 / spread)


def _colour_density(looks: Sequence[Looks], guess: _Guess) -> FloatArray:
    """Density of the coloured part's colour given each ball, shape (N, M)."""
    lab = np.array([one.lab for one in looks])
    coloured = np.array([one.coloured for one in looks])
    difference = lab[:, None] - guess.lab[None]
    distance = (difference[..., 0] / _LIGHTNESS_SPREAD) ** 2 + (difference[..., 1:] ** 2).sum(2) / _HUE_SPREAD**2
    # A black ball shows the room and the cloth as reflections: dark, of any hue.
    reflected = (np.maximum(lab[:, 0] - 20.0, 0.0) / _LIGHTNESS_SPREAD) ** 2 + (lab[:, 1] ** 2 + lab[:, 2] ** 2) / 40.0**2
    distance = np.where(guess.kinds == _BLACK_KIND, reflected[:, None], distance)
    density = (1 + distance / _TAIL) ** (-(_TAIL + 3) / 2)
    # What is coloured on the cue ball is its dots and reflections: any colour.
    return np.asarray(np.where(guess.kinds == _WHITE, (np.exp(-coloured / 0.08) + 0.01)[:, None], density))


def _pyramid(looks: Sequence[Looks], ball_set: BallSet) -> list[dict[BallId, float]]:
    kinds = _kind_density(looks)
    guess = _Guess(np.array([_WHITE, _SOLID, _SOLID]), _lab(np.array([(235, 230, 215), *_PYRAMID_COLOURED])))
    table = (kinds[:, guess.kinds] * _colour_density(looks, guess)) ** _TEMPER
    coloured = table[:, 1:].max(axis=1)
    share = np.clip(coloured / (coloured + table[:, 0]), _FLOOR, 1 - _FLOOR)
    whites = len(ball_set.balls) - 1
    return [{ball: float(p if ball == "Y" else (1 - p) / whites) for ball in ball_set.balls} for p in share]


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
