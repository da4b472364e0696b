"""What a person has to know before and about a stroke that no rule judges alone: balls that nearly touch, a double hit.

Balls frozen to a cushion or to the cue ball are for the official to declare; from above their gap is known to some tenths
of a millimetre, so those that may touch are listed with gap and doubt. A cue ball that follows a near-full hit on a ball
close by, right after the contact, was hit twice: one blow leaves it next to nothing of its speed along the line of
centres (2 to 8 % of the other's), a second one a fifth or more.

Fails: softer than a metre a second, thinner than half full, and closer than 3 mm nothing can be said from above; a cue
held high gives the cue ball follow at once.
"""

import numpy as np
from scipy.special import ndtr

from calibration.equipment import BallId
from tracker.first_contact import FirstContact
from tracker.noses import INWARD
from tracker.scene import Scene
from tracker.shot import NearTouch

NEAR_M = 0.0015
"""A gap that may be smaller than this is listed: rules let the official declare what is closer than he can see."""
GAP_SIGMA_M = 0.0003
"""Doubt of a gap besides the noise of the places: calibration over a ball's width, ball size."""
DOUBLE_GAP_M = (0.003, 0.05)
"""Between cue ball and object ball: nearer nothing can be said, farther the cue is out of the way."""
DOUBLE_LEAST_MPS = 1.0
"""Speed of the object ball from which the share of the cue ball can be told."""
FULL = 0.8
"""Cosine between the way of the cue ball and the line of centres from which a hit is near enough to full."""
KEPT = 0.14
"""Share of the object ball's speed that the cue ball keeps along the line of centres, half way between one blow and two."""
KEPT_SIGMA = 0.03
"""Doubt of that share: restitution, follow within the first pictures."""


def near_touches(scene: Scene) -> tuple[NearTouch, ...]:
    """Balls that may have touched a cushion or the struck ball before the stroke, in order of their names."""
    around = scene.around
    rests = {ball: path.pieces[0] for ball, path in scene.paths.items() if not path.pieces[0].moving}
    struck = scene.strike.ball if scene.strike is not None else None
    found = []
    for ball, rest in sorted(rests.items()):
        place, variance = rest.coefficients[0], float(rest.covariance[0, 0])
        for cushion in INWARD:
            gap, sigma = around.gap_m(cushion, place), (variance + GAP_SIGMA_M**2) ** 0.5
            if gap - 2 * sigma < NEAR_M and gap < 2 * NEAR_M and around.beside_nose(cushion, place):
                found.append(NearTouch(ball=ball, to=cushion, gap_m=gap, sigma_m=sigma))
        if struck in rests and ball != struck:
            other = rests[struck]
            gap = float(np.hypot(*(place - other.coefficients[0]))) - 2 * around.radius_m
            sigma = (variance + float(other.covariance[0, 0]) + GAP_SIGMA_M**2) ** 0.5
            if gap - 2 * sigma < NEAR_M and gap < 2 * NEAR_M:
                found.append(NearTouch(ball=ball, to=struck, gap_m=gap, sigma_m=sigma))
    return tuple(found)


def double_hit(scene: Scene, first: FirstContact) -> float | None:
    """Probability that the tip met the cue ball twice, as its way after the contact tells; None where it cannot be told."""
    best: BallId = next(iter(first.probability))
    wake = next((kink for kink in scene.wakes if kink.ball == best), None)
    if scene.strike is None or first.time_s is None or wake is None:
        return None
    striker = scene.paths[scene.strike.ball]
    start = scene.strike.before.coefficients[0]
    gap = float(np.hypot(*(wake.before.coefficients[0] - start))) - 2 * scene.around.radius_m
    if not DOUBLE_GAP_M[0] <= gap <= DOUBLE_GAP_M[1]:
        return None
    speed = wake.size_mps
    normal = wake.jump_mps / max(speed, 1e-9)
    toward = wake.before.coefficients[0] - start
    if speed < DOUBLE_LEAST_MPS or float(toward @ normal) < FULL * float(np.hypot(*toward)):
        return None
    after = next((piece for piece in striker.pieces if piece.start_s > first.time_s - 1e-4 and piece.count >= 3), None)
    if after is None or after.start_s - first.time_s > 2.5 * scene.frame_s:
        return None
    kept = float(after.velocity(after.start_s) @ normal) / speed
    sigma = (KEPT_SIGMA**2 + (after.velocity_variance(after.start_s) + wake.variance) / speed**2) ** 0.5
    return float(ndtr((kept - KEPT) / sigma))
