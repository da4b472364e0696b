"""Wake-ups that no contact explains: the ball that must have caused them.

A ball at rest is moved by another one. Where the other's change of course was too quick or too small to be found, its
path still says that it passed there at that moment, and the ball moved off along the line of centres.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from calibration.equipment import BallId
from tracker.contacts import Contact
from tracker.kinks import Kink, Path
from tracker.noses import INWARD, Surroundings
from tracker.trajectory import Piece

ALONG = 0.7
"""Cosine between the line of centres and the way the ball moved off; a place between frames is not known better."""
PINNED_MPS, PINNED_GAP_M, PINNED_ALONG = 0.1, 0.003, 0.95
"""Least turn at a ball that stays, how near to touching the nose and the other one it is, and the cosine of the turn with their
line: a free ball would have been seen to leave."""
STAYS_S, STAYS_M = 0.2, 0.008
"""A ball no farther than this from where it lay so long after stays: the cushion gave it back what it took, and it rolls by millimetres."""
DRIVEN_SIGMAS, DRIVEN_M, DRIVEN_MPS = 4.0, 0.004, 0.05
"""A ball is nearer to a nose than it lay and leaves it where both are told by so many deviations and are more than this."""
DRIVEN_GAP_M, DRIVEN_SAMPLES = 0.05, 3
"""No farther off the nose than a fast ball goes in a picture, and no other ball so near that may have turned it; samples of its way."""
GAIN = 12.0
"""Evidence given to such a contact: the wake-up is sure, its cause likely."""


def missing_causes(
    kinks: Sequence[Kink],
    contacts: Sequence[Contact],
    paths: Mapping[BallId, Path],
    strike: Kink | None,
    around: Surroundings,
    frame_s: float,
) -> list[Contact]:
    """Contacts for the wake-ups that have none."""
    found = []
    for kink in kinks:
        if not kink.wakes or kink is strike or kink.size_mps < 5 * kink.variance**0.5:
            continue
        if any(
            kink.ball in (contact.ball, contact.other) and contact.other is not None and abs(contact.time_s - kink.time_s) < 2 * frame_s
            for contact in contacts
        ):
            continue
        best = min(
            (option for path in paths.values() if path.ball != kink.ball and (option := _passes(path, kink, around, frame_s)) is not None),
            default=None,
        )
        if best is not None:
            _, ball, time = best
            found.append(
                Contact(
                    ball=ball,
                    other=kink.ball,
                    time_s=time,
                    sigma_s=max(kink.sigma_s, 0.1 * frame_s),
                    place_m=kink.place_m,
                    impulse_mps=kink.size_mps,
                    gain=GAIN,
                )
            )
    return found


def pinned_partners(
    kinks: Sequence[Kink], contacts: Sequence[Contact], paths: Mapping[BallId, Path], around: Surroundings, frame_s: float
) -> list[Contact]:
    """Contacts with balls that lie against a nose and stay there: the cushion took the blow and gave it back.

    A ball in the open that turns where nothing but such a ball is, away from it along the line of centres, met it.
    """
    found = []
    for kink in kinks:
        if kink.wakes or kink.stops or kink.size_mps < max(PINNED_MPS, 5 * kink.variance**0.5):
            continue
        if any(kink.ball in (contact.ball, contact.other) and abs(contact.time_s - kink.time_s) < 2 * frame_s for contact in contacts):
            continue
        for path in paths.values():
            rest = path.piece_at(kink.time_s)
            offset = kink.place_m - rest.coefficients[0]
            distance = float(np.hypot(offset[0], offset[1]))
            slack = PINNED_GAP_M + kink.before.speed(kink.time_s) * kink.sigma_s
            if (
                not _stays(path, kink.time_s, rest)
                or abs(distance - 2 * around.radius_m) > slack
                or float(offset @ kink.jump_mps) < PINNED_ALONG * distance * kink.size_mps
            ):
                continue
            cushion = around.nearest_cushion(rest.coefficients[0])
            if around.gap_m(cushion, rest.coefficients[0]) > PINNED_GAP_M or float(INWARD[cushion] @ offset) <= 0:
                continue
            hit = Contact(
                ball=kink.ball,
                other=path.ball,
                time_s=kink.time_s,
                sigma_s=max(kink.sigma_s, 0.1 * frame_s),
                place_m=kink.place_m,
                impulse_mps=kink.size_mps,
                gain=GAIN,
            )
            found += [hit, replace(hit, ball=path.ball, other=None, cushion=cushion, place_m=rest.coefficients[0])]
    return found


def driven_unseen(
    contacts: Sequence[Contact], paths: Mapping[BallId, Path], around: Surroundings, strike: Kink | None, frame_s: float
) -> list[Contact]:
    """Cushion contacts of balls that were driven into a nose and back between two pictures: nearer to it than they lay when they are seen
    again, and on their way from it. What the stroke itself does is another's (`tracker.early`)."""
    found = []
    for path in paths.values():
        for rest, way in pairwise(path.pieces):
            early = strike is not None and (rest is strike.before or way.start_s < strike.time_s)
            if rest.moving or not way.moving or early or way.count < DRIVEN_SAMPLES:
                continue
            lay, first = rest.coefficients[0], path.xy_m[way.first]
            for cushion, inward in INWARD.items():
                nearer = float(inward @ (lay - first))
                sigma = (rest.position_variance(rest.end_s) + float(path.variance[way.first])) ** 0.5
                leaving = float(inward @ way.velocity(way.start_s))
                sure = nearer > DRIVEN_SIGMAS * sigma + DRIVEN_M and leaving > max(
                    DRIVEN_MPS, DRIVEN_SIGMAS * way.velocity_variance(way.start_s) ** 0.5
                )
                near = around.beside_nose(cushion, first) and around.gap_m(cushion, first) < DRIVEN_GAP_M
                known = any(path.ball == c.ball and c.cushion is not None and abs(c.time_s - way.start_s) < 2 * frame_s for c in contacts)
                others = (other.position(way.start_s) for other in paths.values() if other is not path)
                met = any(
                    float(inward @ (first - place)) > 0 and float(np.hypot(*(first - place))) < 2 * around.radius_m + DRIVEN_GAP_M
                    for place in others
                )
                if sure and near and not known and not met:
                    found.append(
                        Contact(
                            ball=path.ball,
                            cushion=cushion,
                            time_s=0.5 * (rest.end_s + way.start_s),
                            sigma_s=0.3 * (way.start_s - rest.end_s),
                            place_m=first,
                            impulse_mps=2 * leaving,
                            gain=GAIN,
                        )
                    )
    return found


def _stays(path: Path, time_s: float, rest: Piece) -> bool:
    """Whether a ball lies still at a time and some millimetres from there at most soon after."""
    if rest.moving:
        return False
    later = path.positions(time_s + STAYS_S * np.linspace(0.25, 1.0, 4))
    return not path.moves or float(np.hypot(*(later - rest.coefficients[0]).T).max()) < STAYS_M


def _passes(path: Path, kink: Kink, around: Surroundings, frame_s: float) -> tuple[float, BallId, float] | None:
    """How far off a ball was that may have hit the one that woke, its name and the time; None where it cannot have."""
    spread = min(0.05, frame_s + 2 * kink.sigma_s)
    speed = max(piece.speed(kink.time_s) for piece in (path.piece_at(kink.time_s - spread), path.piece_at(kink.time_s + spread)))
    if speed < 0.02:
        return None
    moments = np.linspace(kink.time_s - spread, kink.time_s + spread, 17)
    offsets = [kink.before.coefficients[0] - path.position(float(t)) for t in moments]
    gaps = [abs(float(np.hypot(o[0], o[1])) - 2 * around.radius_m) for o in offsets]
    k = int(np.argmin(gaps))
    length = max(float(np.hypot(*offsets[k])), 1e-9)
    if gaps[k] > 0.004 + 0.6 * speed * frame_s or float(offsets[k] @ kink.jump_mps) < ALONG * length * kink.size_mps:
        return None
    return gaps[k], path.ball, kink.time_s
