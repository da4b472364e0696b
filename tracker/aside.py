"""Whether a way must lead to one ball before another, however wrong it is across itself.

A ball that lies behind another one, as a rack's second row behind its head ball or one of two that touch, is met first by no way
that is anything like the one that was seen: then neither the noise of that way nor what was not seen of it is a reason to
doubt who was hit first.
"""

import numpy as np
from numpy.typing import NDArray

from tracker.trajectory import Piece

FloatArray = NDArray[np.float64]

SHIFTS = 41
"""Ways tried from one side to the other, less than a millimetre apart."""
WRONG_M, WRONG_SIGMAS = 0.012, 6.0
"""How far across itself a way that was seen may be wrong where it ends: this, or so many deviations of it."""
FLOOR_SHARE = 0.1
"""What is left of the least probability of a race for a ball that no such way meets first."""


def meets_first(first_m: FloatArray, second_m: FloatArray, along: FloatArray, wrong_m: float, reach_m: float) -> bool:
    """Whether a ball on its way meets the first of two before the second however its way is shifted across itself.

    Args:
        first_m: Where the first lies, from the start of the way, metres, shape (2,).
        second_m: The same of the second.
        along: The way's direction, shape (2,), of length 1.
        wrong_m: How far to either side the way may be shifted.
        reach_m: Two radii.
    """
    shifts = np.linspace(-wrong_m, wrong_m, SHIFTS)
    return bool((_met_after(first_m, along, shifts, reach_m) < _met_after(second_m, along, shifts, reach_m)).all())


def _met_after(ball_m: FloatArray, along: FloatArray, shifts: FloatArray, reach_m: float) -> FloatArray:
    """How far along each of the shifted ways a ball is met, metres; infinite where it is passed."""
    inside = reach_m**2 - (float(along[0] * ball_m[1] - along[1] * ball_m[0]) - shifts) ** 2
    return np.where(inside > 0, float(ball_m @ along) - np.sqrt(np.maximum(inside, 0.0)), np.inf)


def floor_shares(way: Piece, places_m: FloatArray, race: FloatArray, times_s: FloatArray, reach_m: float) -> FloatArray:
    """What share of the least probability of a race is left for each of N balls, shape (N,).

    Args:
        way: Of the ball that meets one of them.
        places_m: Where they lie, (N, 2).
        race: Share of drawn ways that meet each first, (N,).
        times_s: When each is met, (N,); nan where never.
        reach_m: Two radii.
    """
    shares = np.ones(len(race))
    best = int(np.argmax(race))
    if not np.isfinite(times_s[best]):
        return shares
    place, velocity = way.position(float(times_s[best])), way.velocity(float(times_s[best]))
    along = velocity / max(float(np.hypot(velocity[0], velocity[1])), 1e-9)
    wrong_m = max(WRONG_M, WRONG_SIGMAS * way.position_variance(float(times_s[best])) ** 0.5)
    first_m = places_m[best] - place
    aside = [k for k in np.flatnonzero(race == 0).tolist() if meets_first(first_m, places_m[k] - place, along, wrong_m, reach_m)]
    shares[aside] = FLOOR_SHARE
    return shares
