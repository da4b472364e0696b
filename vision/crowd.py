"""Balls do not overlap: what places measured one by one must give up to each other.

Theory: two centres are at least a diameter apart. An edge seen where dark balls touch, or a neighbour's mirror image, pulls
an outline into its neighbour by a millimetre or two; where two places are nearer than a diameter, the overlap is
shared out by their variances, pair after pair, until none is left (successive projection onto convex-like bounds, a
few turns for a rack). Places that do not overlap are not touched: that balls lie tight is not assumed.

Fails: a calibration whose scale is wrong by more than the tolerance pushes touching balls apart.
"""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_TOLERANCE = 0.004
"""Overlap that is left alone, diameters: 0.2 mm, what the scale of a good calibration is wrong by."""
_MOST = 0.25
"""Overlap above which one of the two is no ball, diameters: nothing is mended then."""
_TURNS = 12
"""Turns over all pairs: a rack of fifteen settles to a tenth of a millimetre in ten."""

_TOUCHING, _AGREE, _PAIRS = 2.5, 0.8, 2
"""Rough places this near, ball radii, may be of touching balls; corners this near to each other mean the same ball, and so
many pairs must say so."""


def kept_apart(places: FloatArray, sigmas: FloatArray, diameter: float) -> FloatArray:
    """Places of balls with the overlaps taken out, shape (N, 2).

    Args:
        places: Shape (N, 2), measured one by one.
        sigmas: Shape (N,), how badly each is known, > 0, same unit.
        diameter: Of all balls.
    """
    apart = np.array(places, dtype=np.float64)
    if len(apart) < 2:
        return apart
    gaps = np.hypot(*(apart[:, None] - apart[None]).transpose(2, 0, 1))
    near = np.argwhere(np.triu(gaps < 1.2 * diameter, 1) & (gaps > (1 - _MOST) * diameter))
    if not (gaps[near[:, 0], near[:, 1]] < (1 - _TOLERANCE) * diameter).any():
        return apart
    power = sigmas**2
    for _ in range(_TURNS):
        for one, other in near.tolist():
            between = apart[other] - apart[one]
            gap = float(np.hypot(*between))
            overlap = (1 - _TOLERANCE) * diameter - gap
            if overlap > 0:
                push = between / gap * overlap / (power[one] + power[other])
                apart[one] -= power[one] * push
                apart[other] += power[other] * push
    return apart


def gaps_in_rack(places: FloatArray, radius: float) -> FloatArray:
    """Where a rack lacks a ball that touching pairs of others leave room for, shape (M, 2).

    Each touching pair makes an equilateral triangle with a ball on either side of it; where two or more of them agree and
    nothing is known yet, there may be one.

    Args:
        places: Shape (N, 2), roughly known, to half a radius.
        radius: Of all balls, same unit.
    """
    one, other = np.nonzero(np.triu(_apart(places, places) < _TOUCHING * radius, 1))
    if len(one) < _PAIRS:
        return np.empty((0, 2))
    middle, along = (places[one] + places[other]) / 2, places[other] - places[one]
    across = np.column_stack([-along[:, 1], along[:, 0]]) / np.hypot(*along.T)[:, None] * (np.sqrt(3) * radius)
    corners = np.concatenate([middle + across, middle - across])
    corners = corners[_apart(corners, places).min(axis=1) > radius]
    found: list[FloatArray] = []
    while len(corners):
        near = _apart(corners, corners[:1])[:, 0] < _AGREE * radius
        if near.sum() >= _PAIRS:
            found.append(corners[near].mean(axis=0))
        corners = corners[~near]
    return np.array(found).reshape(-1, 2)


def _apart(one: FloatArray, other: FloatArray) -> FloatArray:
    """Distances, shape (N, M)."""
    return np.asarray(np.hypot(*(one[:, None] - other[None]).transpose(2, 0, 1)), dtype=np.float64)
