"""The likeliest jump of velocity along a line: when, how much, and how surely.

One coordinate that is 0 at touch and positive when apart is fitted with a turn at touch, both sides slowing as they like, and with none;
what the turn explains more is its evidence.

Fails: where samples are few on a side; where another contact lies within them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

PLACE_M = 0.0006
"""Doubt of the touching distance: nose, ball size, calibration over a short way."""
LEAST_MPS = 0.012
"""Smallest jump that can be told from what cloth and noise do."""
GAIN = 9.0
"""Evidence from which a jump counts: three standard deviations, at a place where one is likely."""
BRISK_MPS, BRISK_GAIN, AT_TOUCH_GAIN = 0.08, 2.0, 2.5
"""An approach faster than the first is no ball that dies beside the rubber: its turn is told of from the second (of 45 with less than 9
in simulated shots 37 were touches), and counts for so much more than its own evidence."""
DECELERATION_MPS2 = 1.0
"""Standard deviation of the acceleration along the normal a priori."""
ROLLING_MPS2 = 0.2
"""The same of a ball that rolls."""
LEAST_SAMPLES, FEWEST_SAMPLES = 4, 2
"""On each side of a passage; one side may have as few as the second where it is to be at touch in between."""
EARLY_FRAMES = 0.5
"""Moments long before the nearest place are tried so many frames apart: only a crawl takes so long."""
RETURNED = 1.25
"""A jump is at most so many times what a perfect return of the approach gives."""


@dataclass(frozen=True, slots=True)
class Jump:
    """The likeliest jump of velocity along a line: when, how much, and its evidence; speed of approach before it."""

    time_s: float
    sigma_s: float
    size_mps: float
    gain: float
    approach_mps: float


def likeliest_jump(
    times: FloatArray,
    gap: Callable[[float], FloatArray],
    variance: FloatArray,
    near_s: float,
    frame_s: float,
    place_m: float,
    least_gain: float | None = None,
    since_s: float | None = None,
    rolls: bool = False,
) -> Jump | None:
    """The likeliest jump of velocity in one coordinate that is 0 at touch and positive when apart; None where none counts.

    `gap` gives that coordinate at `times`, should the touch have been at the time it is asked for; `place_m` is what its
    zero is uncertain by, `least_gain` the evidence from which it counts where that is not the usual;
    the touch is sought within some frames of `near_s`, or since `since_s`.
    """
    grid = (near_s + frame_s * np.linspace(-2.5, 2.5, 21)).tolist()
    if since_s is not None:
        grid = np.arange(since_s, grid[0], EARLY_FRAMES * frame_s).tolist() + grid
    best: Jump | None = None
    chances, whens = [], []
    for when in grid:
        tau = times - when
        sides = int((tau < 0).sum()), int((tau > 0).sum())
        if min(sides) < FEWEST_SAMPLES or max(sides) < LEAST_SAMPLES:
            continue
        before, after = np.minimum(tau, 0), np.maximum(tau, 0)
        design = np.stack([np.ones_like(tau), tau, 0.5 * before * before, 0.5 * after * after, after], 1)
        normal = (design / variance[:, None]).T @ design
        right = (design / variance[:, None]).T @ gap(when)
        # straight on wherever it passed, against a turn at touch
        slows = ROLLING_MPS2 if rolls else DECELERATION_MPS2
        straight = float(right[:4] @ np.linalg.solve(normal[:4, :4] + np.diag([0.0, 0.0, slows**-2, slows**-2]), right[:4]))
        normal[2, 2] += slows**-2
        normal[3, 3] += DECELERATION_MPS2**-2
        normal[0, 0] += place_m**-2
        covariance = np.linalg.inv(normal)
        fit = covariance @ right
        size, sigma = float(fit[4]), float(covariance[4, 4] ** 0.5)
        approach = -float(fit[1])
        gain = float(right @ fit) - straight
        least = LEAST_MPS if min(sides) >= LEAST_SAMPLES else BRISK_MPS
        if min(size, approach) < least or size > 2 * RETURNED * approach + 3 * sigma:
            continue
        chances.append(gain)
        whens.append(when)
        if best is None or gain > best.gain:
            best = Jump(when, frame_s, size, gain, approach)
    brisk = best is not None and min(best.size_mps, best.approach_mps) > BRISK_MPS
    usual = BRISK_GAIN if brisk else GAIN
    if best is None or best.gain < (usual if least_gain is None else least_gain):
        return None
    weight = np.exp(0.5 * (np.array(chances) - best.gain))
    weight /= weight.sum()
    mean = float(weight @ np.array(whens))
    sigma_s = float(np.sqrt(weight @ (np.array(whens) - mean) ** 2))
    gain = best.gain + (AT_TOUCH_GAIN if brisk else 0.0)
    return Jump(mean, max(sigma_s, 0.1 * frame_s), best.size_mps, gain, best.approach_mps)
