"""Which ball it is, as probabilities: by looks alone, and jointly under "each ball exists once".

Theory: a ball of the set is a kind (white, solid, stripe, black) with a dye. Its looks (vision.looks) are scored as
density of the white in the outer ring given the kind, times density of the dark part, times density of the colour
given the dye and the light (vision.dyes). Which dyes the set has (its make: a pink 4 comes with a brown 7) and the
light are hidden and the same for all balls of a picture: they are weighed by how well each explains all balls
together. So is a turn of all hues, from a camera or a recording whose colours are off: rare, but then every ball is
odd in the same way. Make and turn hold for a whole recording, so what earlier pictures told of them is kept, as a mean
in which a picture counts by how much it told: pictures of one table repeat themselves and may not add up.

One picture's names: over all ways to give each detection another ball or none, the marginals of the product of
likelihoods, by dynamic programming over sets of balls (a permanent, exact up to 10 balls and with weak names left
out above that).

Fails: a stripe with its white pole up shows no colour and looks like the cue ball (both stay likely); a make that is
none of `MAKES` is named by the nearest dyes, with less certainty only as far as the colours are odd.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from calibration.equipment import BallId, BallSet
from vision.dyes import read_dyes
from vision.looks import Looks

FloatArray = NDArray[np.float64]

_COMMON = {1: "yellow", 2: "blue", 3: "red", 6: "green"}
MAKES: tuple[tuple[float, Mapping[int, str]], ...] = (
    (0.35, {**_COMMON, 4: "purple", 5: "orange", 7: "maroon"}),
    (0.15, {**_COMMON, 4: "purple", 5: "orangered", 7: "maroon"}),
    (0.20, {**_COMMON, 4: "pink", 5: "orangered", 7: "brown"}),
    (0.15, {**_COMMON, 4: "pink", 5: "orange", 7: "brown"}),
    (0.15, {**_COMMON, 4: "pink", 5: "purple", 7: "brown"}),
)
"""Sets of balls that are sold: how common, and the dyes of 1 to 7; 9 to 15 repeat them as stripes. Makers' sheets: standard
sets, the television sets, and the black-box sets whose 5 is purple so that it cannot be taken for the 3."""
TURNS: tuple[tuple[float, float], ...] = ((0.94, 0.0), (0.02, 15.0), (0.02, -15.0), (0.01, 30.0), (0.01, -30.0))
"""How common, and by how many degrees all hues are turned: names hold within 8 degrees of each. Phosphor and LED lamps turn
hues by 5 to 10 degrees, a recording through a wrong colour matrix or a mixing desk by up to 30."""
_GUESSES = tuple((share * p, make, turn) for share, make in MAKES for p, turn in TURNS)
_PRIOR = np.array([share for share, _, _ in _GUESSES])
_PYRAMID_COLOURED = ((170, 30, 35), (225, 170, 30))
"""The coloured ball of a pyramid set: dark red or yellow."""
_PYRAMID_SPREAD = (11.0, 13.0)
"""Standard deviation of its lightness and of its hue, Lab units, over rooms."""

_ANY_COLOUR = 3e-6
"""Density per cubic Lab unit of a colour that says nothing: reflections on a white ball, its dots."""
_BLACK_COLOUR = 1.5e-5
"""The same at the middle of what a black ball shows: dark, of any hue, for it reflects the room and the cloth."""
_NO_COLOUR = (60.0, 0.06)
"""How much likelier a white ball is for showing no colour at all, and the coloured part at which that has faded (1/e)."""
_STRIPE_SHOWN = 0.15
"""Coloured part from which on a stripe's colour is its dye's: less is an edge mixed with white by blur."""
_FLOOR = 1e-4
"""No name is less likely than this by looks alone: glare, a hand's shade and a bad frame are commoner."""
_STRANGER = 0.02
"""Prior that a detection is none of the balls (chalk, a finger, a logo)."""
_ODD = -12.5
"""Log density of looks below which no ball explains them: of rendered and real balls 0.5 % are below, of hands, sleeves and
cues taken for balls about half; e-fold oddity for every nat further down."""
_WIDE_SET = 12
"""Above so many names the sum over sets is restricted to likely ones, for time."""
_LEAST_TOLD = 1e-6
"""Weight of a picture that tells nothing of make and turn."""
_WEIGHED_EACH = 16
"""Only every so manieth picture is asked about all makes and turns, for time; the first ones all are."""
_DEAD = 1e-3
"""A make and turn less likely than this is left out in between: names change by less than the floor of the tracker."""

_WHITE, _SOLID, _STRIPE, _BLACK_KIND = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What the looks of one detection say.

    Attributes:
        likelihood: Ball to probability, adding up to 1; empty where the set has no names.
        plausible: How well any ball explains the looks at all: 1 for what a ball may look like, towards 0 for grey stripes
            and skin; a factor on the odds that this is a ball.
    """

    likelihood: dict[BallId, float]
    plausible: float = 1.0


class Namer:
    """Names the balls of one recording, picture by picture; remembers what the pictures told of the set's make."""

    def __init__(self, ball_set: BallSet) -> None:
        self._balls = ball_set
        self._told = np.zeros(len(_GUESSES))
        self._weight = 0.0
        self._shares = _PRIOR
        self._pictures = 0
        self._context: tuple[NDArray[np.intp], FloatArray] | None = None

    def read(self, looks: Sequence[Looks], second: Sequence[Mapping[BallId, float]] | None = None) -> list[Naming]:
        """Names by looks alone for each detection of one picture.

        An unnamed set gives empty mappings. Pyramid whites share their probability equally.

        Args:
            looks: Of all balls of one picture.
            second: What another source says of each detection, probabilities of names from equal odds; it is taken for
                independent of the looks, so whoever hands it in tempers it first. An empty mapping says nothing.
        """
        balls = self._balls.balls
        if not balls or not looks:
            return [Naming(likelihood={}) for _ in looks]
        if self._balls.name == "pyramid":
            return [Naming(likelihood=likelihood) for likelihood in _pyramid(looks, self._balls)]
        whole = self._pictures < _WEIGHED_EACH or self._pictures % _WEIGHED_EACH == 0
        self._pictures += 1
        alive = np.arange(len(_GUESSES)) if whole else np.flatnonzero(self._shares > _DEAD)
        tables = _densities(looks, balls, alive)
        for row, other in enumerate(second or ()):
            if other:
                tables[:, :, row] *= np.maximum([other.get(ball, 0.0) for ball in balls], _FLOOR)
        totals = np.maximum(tables.sum(axis=-1), 1e-30)
        evidence = np.log(totals + _STRANGER * _ANY_COLOUR).sum(axis=-1)
        lights = np.exp(evidence - evidence.max(axis=1, keepdims=True))
        if whole:
            self._weigh(evidence.max(axis=1) + np.log(lights.mean(axis=1)))
        weight = self._shares[alive, None] * lights / lights.sum(axis=1, keepdims=True)
        self._context = alive, weight
        return self._named(tables, totals, weight)

    def read_beside(self, looks: Sequence[Looks]) -> list[Naming]:
        """The same for balls seen beside those of the last `read`, whose light and make they share."""
        if self._context is None or not looks:
            return self.read(looks)
        alive, weight = self._context
        tables = _densities(looks, self._balls.balls, alive)
        return self._named(tables, np.maximum(tables.sum(axis=-1), 1e-30), weight)

    def _named(self, tables: FloatArray, totals: FloatArray, weight: FloatArray) -> list[Naming]:
        """Names from densities, shape (guesses, lights, N, M), their sums over names and the weights of guess and light."""
        balls = self._balls.balls
        mixed = np.einsum("gln,glnm->nm", weight[..., None] / totals, tables)
        odd = np.log(np.einsum("gl,gln->n", weight, totals)) - _ODD
        mixed = np.maximum(mixed / mixed.sum(axis=1, keepdims=True), _FLOOR)
        mixed /= mixed.sum(axis=1, keepdims=True)
        plausible = np.exp(np.minimum(odd, 0.0)).tolist()
        return [
            Naming(likelihood=dict(zip(balls, row, strict=True)), plausible=p) for row, p in zip(mixed.tolist(), plausible, strict=True)
        ]

    def likelihoods(self, looks: Sequence[Looks], second: Sequence[Mapping[BallId, float]] | None = None) -> list[dict[BallId, float]]:
        """Ball to probability of each detection, as `read` has it."""
        return [naming.likelihood for naming in self.read(looks, second)]

    def _weigh(self, evidence: FloatArray) -> None:
        """Take in what a picture tells of makes and turns, log evidence of shape (guesses,)."""
        now = _posterior(evidence)
        # Squared, so that hours without the telling balls do not thin out what minutes with them told.
        told = float((now * np.log(np.maximum(now, 1e-12) / _PRIOR)).sum()) ** 2 + _LEAST_TOLD
        self._told += told * (evidence - evidence.max())
        self._weight += told
        self._shares = _posterior(self._told / self._weight)


def likelihoods(looks: Sequence[Looks], ball_set: BallSet) -> list[dict[BallId, float]]:
    """`Namer.likelihoods` of one picture alone."""
    return Namer(ball_set).likelihoods(looks)


def _posterior(evidence: FloatArray) -> FloatArray:
    shares = _PRIOR * np.exp(evidence - evidence.max())
    return np.asarray(shares / shares.sum(), dtype=np.float64)


@cache
def _columns(balls: tuple[BallId, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Kind of each ball, shape (M,), and its dye's column in each guess, shape (guesses, M); 0 without a dye."""
    kinds, numbers = [], []
    for ball in balls:
        number = 0 if ball == "cue" else int(ball)
        kinds.append(_WHITE if number == 0 else _BLACK_KIND if number == 8 else _SOLID if number < 8 else _STRIPE)
        numbers.append(number - 8 if number > 8 else number)
    dyes = read_dyes().names
    columns = [[dyes.index(make[number]) if number in make else 0 for number in numbers] for _, make, _ in _GUESSES]
    return np.array(kinds, dtype=np.intp), np.array(columns, dtype=np.intp)


def _densities(looks: Sequence[Looks], balls: tuple[BallId, ...], alive: NDArray[np.intp]) -> FloatArray:
    """Density of each detection's looks given guess, light and ball, shape (alive guesses, lights, N, M)."""
    kinds, columns = _columns(balls)
    lab = np.array([one.lab for one in looks])
    coloured = np.array([one.coloured for one in looks])
    turned = {turn: read_dyes().density(_turned_back(lab, turn)) for turn in {_GUESSES[guess][2] for guess in alive}}
    tables = np.stack([turned[_GUESSES[guess][2]][:, :, columns[guess]] for guess in alive])
    boost, fade = _NO_COLOUR
    colourless = _ANY_COLOUR * (1 + boost * np.exp(-coloured / fade))
    tables[..., kinds == _WHITE] = colourless[:, None]
    # A stripe seen from its white end shows its dye in a thin edge or not at all: white then says what it says of any ball.
    shown = np.minimum(coloured / _STRIPE_SHOWN, 1.0)[:, None]
    stripes = kinds == _STRIPE
    tables[..., stripes] = shown * tables[..., stripes] + (1 - shown) * colourless[:, None]
    distance = (np.maximum(lab[:, 0] - 25.0, 0.0) / 13.0) ** 2 + (lab[:, 1] ** 2 + lab[:, 2] ** 2) / 30.0**2
    tables[..., kinds == _BLACK_KIND] = (_BLACK_COLOUR * np.exp(-0.5 * distance))[:, None]
    return np.asarray(tables * _kind_density(looks)[:, kinds], dtype=np.float64)


def _turned_back(lab: FloatArray, degrees: float) -> FloatArray:
    """Colours before all hues were turned by `degrees`, shape (N, 3)."""
    if degrees == 0.0:
        return lab
    hsv = cv2.cvtColor(cv2.cvtColor(lab[None].astype(np.float32), cv2.COLOR_LAB2BGR), cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0] - degrees) % 360.0
    return np.asarray(cv2.cvtColor(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), cv2.COLOR_BGR2LAB)[0], dtype=np.float64)


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


def _pyramid(looks: Sequence[Looks], ball_set: BallSet) -> list[dict[BallId, float]]:
    """The coloured ball by its colour; every white shares the rest."""
    kinds = _kind_density(looks)
    coloured = np.array([one.coloured for one in looks])
    middles = cv2.cvtColor(np.array([_PYRAMID_COLOURED], dtype=np.float32)[..., ::-1] / 255, cv2.COLOR_BGR2LAB)[0]
    away = np.array([one.lab for one in looks])[:, None] - np.asarray(middles, dtype=np.float64)
    lightness, hue = _PYRAMID_SPREAD
    distance = (away[..., 0] / lightness) ** 2 + (away[..., 1:] ** 2).sum(axis=2) / hue**2
    as_coloured = kinds[:, _SOLID] * ((1 + distance / 5) ** -4.0).max(axis=1)
    as_white = kinds[:, _WHITE] * (np.exp(-coloured / 0.08) + 0.01)
    share = np.clip(as_coloured / (as_coloured + as_white), 3 * _FLOOR, 1 - 3 * _FLOOR)
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
