"""How the dyes of pool balls look through a camera, whatever the lamp: densities of a colour given the dye.

Theory: makers dye alike but not the same (an orange may be nearly red, a 7 maroon or brown), and a lamp, an exposure
or a white balance moves all balls of a picture together. So a ball's colour in Lab, after the room's white is divided
out (vision.looks), is taken as

    middle of the dye  +  how that dye answers to the light . z  +  what is left

with a few hidden numbers z, standard normal, shared by all balls of a picture, and a Student t for what is left
(another maker, another side of the ball, blur). z is summed over a fixed set of points, so a picture's likelihood is
a sum over lights: a dark red beside a bright red is the maroon, a lone one is what its light allows. Middles, answers
and spreads are fitted by factor analysis (benchmarks/fit_dyes.py) to rendered tables with wider makes and lamps than
any real pictures at hand; no real picture takes part in the fit.

Fails: a dye nobody renders (a clear 8, a set in pastel) is only caught by the tail; coloured lamps that leave no
white anywhere.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

FloatArray = NDArray[np.float64]

_LIGHTS = 32
"""Points over which the hidden light is summed: 16 name 0.5 % fewer rendered balls right, 64 no more."""
_LIGHT_WIDTH = 1.2
"""Lights are drawn so much wider than the rendered ones: real rooms are odder than drawn ones."""
_SPREAD_WIDTH = 1.25
"""What is left is so much wider than among rendered makes, for the same reason; 1.0 is sure of one wrong name in 1,400
on tables held out, 1.5 unsure of twice as many."""
_TAIL = 6.0
"""Degrees of freedom of the Student t: 4 to 10 name held out tables equally well."""


@dataclass(frozen=True, slots=True, eq=False)
class Dyes:
    """Densities of colours given dye and light.

    Attributes:
        names: Of the D dyes, a column each.
        whiten: Shape (D, 3, 3), turns Lab differences of a dye into units of its spread.
        middles: Shape (G, D, 3), whitened middles under each of G lights.
        height: Shape (D,), log density at the middle.
    """

    names: tuple[str, ...]
    whiten: FloatArray
    middles: FloatArray
    height: FloatArray

    def density(self, lab: FloatArray) -> FloatArray:
        """Density per cubic Lab unit of colours (N, 3) given light and dye, shape (G, N, D)."""
        own = np.einsum("dij,nj->ndi", self.whiten, lab)
        distance = ((own[None] - self.middles[:, None]) ** 2).sum(axis=-1)
        return np.asarray(np.exp(self.height) * (1 + distance / _TAIL) ** (-(_TAIL + 3) / 2), dtype=np.float64)


@cache
def read_dyes() -> Dyes:
    """The fitted dyes that come with the package."""
    stored = json.loads(files("vision").joinpath("models/dyes.json").read_text(encoding="utf-8"))["dyes"]
    return make_dyes(stored)


def make_dyes(stored: Mapping[str, Mapping[str, object]]) -> Dyes:
    """Dyes from their fit: by name `lab` (3), `light` (3, K) and `covariance` (3, 3)."""
    middle, answer, covariance = (
        np.array([dye[key] for dye in stored.values()], dtype=np.float64) for key in ("lab", "light", "covariance")
    )
    lights = _normal_points(_LIGHTS, answer.shape[2]) * _LIGHT_WIDTH
    whiten = np.linalg.cholesky(np.linalg.inv(covariance * _SPREAD_WIDTH**2)).transpose(0, 2, 1)
    centres = middle + np.einsum("dik,gk->gdi", answer, lights)
    constant = math.lgamma((_TAIL + 3) / 2) - math.lgamma(_TAIL / 2) - 1.5 * math.log(_TAIL * math.pi)
    return Dyes(
        names=tuple(stored),
        whiten=whiten,
        middles=np.einsum("dij,gdj->gdi", whiten, centres),
        height=constant + np.log(np.abs(np.linalg.det(whiten))),
    )


def _normal_points(count: int, dimensions: int) -> FloatArray:
    """Evenly spread standard normal points, shape (count, dimensions): the additive sequence of the generalised golden ratio."""
    ratio = 2.0
    for _ in range(50):
        ratio = (1 + ratio) ** (1 / (dimensions + 1))
    steps = ratio ** -np.arange(1, dimensions + 1)
    even = (0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0
    return np.asarray(ndtri(even), dtype=np.float64)
