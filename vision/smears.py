"""What the network says of streaks: which are balls that move, which are two balls side by side, and which are nothing it knows.

Theory: a piece of foreground as wide as a ball and longer is a ball smeared over the exposure, or a bar of a broadcast's graphics,
a finger, or two balls that touch and have one colour. The network was asked for the middle of smeared balls, so a smear has its
word near the middle, a long one at a few places along it; two balls have it at both ends, a diameter apart; bars and
fingers have none. Where it has none, a ball at rest in a ring of projected light may lie there, too much changed for the network:
its outline is then looked for from both ends, and must be seen as that of a ball among balls.

Fails: a smear so faint that the network has no word on it is called doubtful; bars as long as the smear of a break are not.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.evidence import SMEAR_KNOWN, VOUCHED
from vision.proposals import Proposals

FloatArray = NDArray[np.float64]

_BESIDE_RADII = 0.6
"""How far off a streak's middle line a word is still about it, ball radii: the network errs by 0.3, a ball that touches lies at 2."""
_AT_END_RADII = 0.5
"""And how far from its end a word is about that end."""
_APART_RADII = (1.7, 2.4)
"""Distance of two balls that touch, with the network's error, ball radii: of rendered smears none has two such sure words, of one
and a half radii and nearer many do."""
_LONG_RADII = 4.5
"""Path of a smear, ball radii, from which the network's word is no evidence: of cue balls that break at 7 m/s (path 5.9) it has 0.0
to 0.17 in six real pictures, of others up to 3.9 it has 0.5 and more."""
_EXPLAINED = 0.7
"""How far the piece of a streak that the network does not know counts as explained by balls at its ends."""


def weighed(proposals: Proposals, centres_px: FloatArray, scores: FloatArray, radius_px: float) -> Proposals:
    """The proposals without streaks that are two balls, each other with whether the network knows it; the ends of those that it
    does not know are discs too.

    Args:
        proposals: What the foreground alone says.
        centres_px: Shape (N, 2), where the network sees balls, same pixels.
        scores: Shape (N,), how surely.
        radius_px: A ball's.
    """
    left, discs = [], []
    for streak in proposals.streaks:
        ends = np.array(streak.ends_px)
        along = ends[1] - ends[0]
        length = max(float(np.hypot(*along)), 1e-9)
        share = (centres_px - ends[0]) @ along / length
        aside = np.hypot(*(centres_px - ends[0] - np.clip(share, 0.0, length)[:, None] * along / length).T)
        beside = aside < _BESIDE_RADII * radius_px
        if not _two(share[beside & (scores >= VOUCHED)], length, radius_px):
            known = length > _LONG_RADII * radius_px or bool((scores[beside] >= SMEAR_KNOWN).any())
            left.append(replace(streak, known=known))
            discs += [] if known else list(streak.ends_px)
    return Proposals(
        np.concatenate([proposals.discs_px, np.array(discs, dtype=np.float64).reshape(-1, 2)]),
        np.concatenate([proposals.explained, np.full(len(discs), _EXPLAINED)]),
        tuple(left),
    )


def _two(places: FloatArray, length: float, radius_px: float) -> bool:
    """Whether sure words, pixels along a streak, are two as far apart as balls that touch, one at an end; beyond the other, shadow."""
    if len(places) != 2:
        return False
    low, high = sorted(places.tolist())
    at_end = low < _AT_END_RADII * radius_px or high > length - _AT_END_RADII * radius_px
    return bool(at_end and _APART_RADII[0] * radius_px < high - low < _APART_RADII[1] * radius_px)
