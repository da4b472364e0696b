"""What a stated probability is worth, from counts: where evidence claims more than it kept, it is brought down to that.

Two things are told by counts alone (benchmarks/fit_certainty.py reads simulated shots whose truth is known, prints the
table, and says on how many shots it rests):

- Who was hit first, of several near each other, where the struck ball was seen in two pictures or fewer between the tip
  and the contact: its way is then an aim from one or two places, and race, wake times and outcome lean on the same few
  places, so what adds up to 0.999 was right in 0.87. With three pictures or more the stated numbers were met, and stay.
- Nothing is surer than what is not modelled: one fact in some thousands is wrong for a reason that no evidence here sees.
"""

from collections.abc import Mapping
from math import exp, log

import numpy as np

SHORT_FLIGHT_SAMPLES = 2
"""So many places of the struck ball between tip and contact, or fewer, tell its way badly."""
SHORT_FLIGHT = ((0.0, 0.0), (2.2, 1.0), (4.6, 1.7), (7.0, 2.0))
"""Log odds stated and kept for the likeliest of several balls after such a flight: 54 simulated shots, 12 of them wrong."""
RIVAL_P = 0.0006
"""A ball less likely than this is none of the several: it has no more than the floor of the race (first_contact.RACE_FLOOR), as
those in a rack behind the one that was hit."""
FLOOR = 0.0006
"""Least probability that a fact is otherwise: of some 5,000 facts stated above 0.999 on fresh simulated shots two or three were."""


def tempered(probability: Mapping[str, float], flight_samples: int) -> dict[str, float]:
    """The first contact's probabilities with what counts say of them, adding up to 1.

    Args:
        probability: Ball, "none" or "unknown" to probability, adding up to 1.
        flight_samples: Places of the struck ball seen between the tip contact and the first contact.
    """
    order = sorted(probability, key=lambda name: -probability[name])
    best = order[0]
    p = probability[best]
    rivals = [name for name in order if name not in ("none", "unknown") and probability[name] > RIVAL_P]
    if flight_samples <= SHORT_FLIGHT_SAMPLES and len(rivals) > 1 and p > 0.5:
        stated = log(p / max(1 - p, 1e-9))
        known = np.array(SHORT_FLIGHT)
        p = 1 / (1 + exp(-float(np.interp(stated, known[:, 0], known[:, 1]))))
    p = min(p, 1 - FLOOR)
    if p >= probability[best]:
        return {name: probability[name] for name in order}
    left = 1 - probability[best]
    if left < 1e-9:
        return {best: p, "unknown": 1 - p} if best != "unknown" else dict(probability)
    return {best: p} | {name: probability[name] * (1 - p) / left for name in order[1:]}


def bounded(probability: float) -> float:
    """A fact's probability, never surer than anything is."""
    return min(max(probability, FLOOR), 1 - FLOOR)
