"""Cushions that are told by what only they can do, where a touch falls between two pictures or bends a path by nothing to be seen.

A ball that rolls slows in proportion to time, so where it would have stopped is known from the way behind it. One that comes to
rest short of that, though its way led on into a nose, was stopped by the nose (`stopped_short`), and one that turns back with nothing
but a nose near was turned by it, however badly its samples tell where (`turned_back`). And two balls that meet keep
their momentum between them: what both together have afterwards and had not before, inward from a nose, the nose gave the one that
lay beside it (`given_back`), however few pictures show its way there and back.

Fails: a cloth that slows a ball more at the cushion than away from it; a third ball that nobody saw.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from tracker.contacts import Contact
from tracker.kinks import Kink, Path
from tracker.noses import INWARD, Surroundings
from tracker.trajectory import Piece

FloatArray = NDArray[np.float64]

ROLLED_S, ROLLED_SAMPLES = 0.4, 10
"""A way this long in so many samples tells how a ball slows."""
SLOWING_MPS2 = (0.03, 0.25)
"""How a rolling ball slows, least and most: faster than that it slides, and will slow less."""
SLOWING_SHARE, PLACE_M = 0.1, 0.0008
"""Doubt of how it slows beyond the way behind it, and of a nose and a place of rest."""
GOES_ON_MPS = 0.05
"""A ball that leads to a nose slower than this touches it by a hair: no picture tells that."""
PRIOR = 0.003
"""Odds a priori of a touch where a ball came to rest as far on as it would have by itself: four deviations short of that are sure."""
FREE_S = 0.15
"""No other contact of the ball so long before its rest, nor after the way that leads there: that stopped it."""
GIVEN_MPS, GIVEN_SIGMAS, GIVEN_SHARE = 0.2, 5.0, 0.4
"""Least momentum (per mass) that a nose gave, in m/s, in deviations, and of what the ball that came changed by."""
ASIDE_SHARE = 0.5
"""Most of it that may lie along the nose: friction there takes and gives little."""
TURNED_MPS, TURNED_SIGMAS, TURNED_GAIN = 0.3, 6.0, 12.0
"""A ball that comes towards a nose and goes from it, each at half of this at least and the change at so many deviations, was turned by it
where nothing else was near; and what that counts for."""
TWO_FRAMES = 2.0
"""What happened within so many pictures cannot be told apart."""
REACH_SLACK_M = 0.004
"""How far from two radii two balls may seem where they met, besides what they go in a picture."""
GAIN_MIDDLE, GAIN_SCALE, MOST_GAIN, GIVEN_GAIN = 4.0, 3.0, 19.0, 16.0
"""Evidence of even odds and of one nat (as facts.GAIN_MIDDLE, GAIN_SCALE); the most for a ball that stopped, and what a momentum
counts for: a cause nobody saw stays possible."""


def stopped_short(
    paths: Mapping[BallId, Path], contacts: Sequence[Contact], around: Surroundings, since_s: float, frame_s: float
) -> list[Contact]:
    """Cushion contacts of balls that came to rest where they would have rolled on into a nose."""
    found = []
    for path in paths.values():
        rest = path.pieces[-1]
        if rest.moving or len(path.pieces) < 3 or rest.count < ROLLED_SAMPLES:
            continue
        ways = [piece for piece in path.pieces[:-1] if piece.moving and piece.start_s > since_s and _shows_slowing(piece)]
        busy = [contact.time_s for contact in contacts if path.ball in (contact.ball, contact.other)]
        if not ways or any(time > ways[-1].end_s - FREE_S for time in busy):
            continue
        found += _stopped(path.ball, ways[-1], rest, around, frame_s)
    return found


def _shows_slowing(piece: Piece) -> bool:
    return piece.count >= ROLLED_SAMPLES and piece.end_s - piece.start_s >= ROLLED_S and piece.speed(piece.end_s) > GOES_ON_MPS


def _stopped(ball: BallId, way: Piece, rest: Piece, around: Surroundings, frame_s: float) -> list[Contact]:
    """The nose that a ball was stopped by after a way, if one was."""
    velocity, place = way.velocity(way.end_s), way.position(way.end_s)
    speed = float(np.hypot(velocity[0], velocity[1]))
    ahead = velocity / speed
    slowing = -float(way.coefficients[2] @ ahead)
    if not SLOWING_MPS2[0] < slowing < SLOWING_MPS2[1]:
        return []
    further = speed**2 / (2 * slowing)
    spread = float(
        np.hypot(speed / slowing * way.velocity_variance(way.end_s) ** 0.5, further * float(way.covariance[2, 2]) ** 0.5 / slowing)
    )
    spread = float(np.linalg.norm([spread, SLOWING_SHARE * further, way.position_variance(way.end_s) ** 0.5, PLACE_M]))
    short = further - float((rest.coefficients[0] - place) @ ahead)
    for cushion, inward in INWARD.items():
        steep = -float(inward @ ahead)
        gap = around.gap_m(cushion, place)
        if steep <= 0.1 or gap <= 0 or not around.beside_nose(cushion, place + ahead * gap / steep):
            continue
        beyond = further - gap / steep
        at_nose = (max(0.0, speed**2 - 2 * slowing * gap / steep)) ** 0.5 * steep
        if beyond < spread or at_nose < GOES_ON_MPS / 2:
            continue
        odds = PRIOR * float(np.exp(0.5 * min(max(short, 0.0) / spread, 8.0) ** 2))
        wait = (speed - (max(0.0, speed**2 - 2 * slowing * gap / steep)) ** 0.5) / slowing
        return [
            Contact(
                ball=ball,
                cushion=cushion,
                time_s=way.end_s + wait,
                sigma_s=frame_s,
                place_m=place + ahead * gap / steep,
                impulse_mps=2 * at_nose,
                gain=min(GAIN_MIDDLE + GAIN_SCALE * float(np.log(odds)), MOST_GAIN),
            )
        ]
    return []


def given_back(
    kinks: Sequence[Kink], contacts: Sequence[Contact], paths: Mapping[BallId, Path], around: Surroundings, frame_s: float
) -> list[Contact]:
    """Cushion contacts of balls at rest that were hit and gave the blow back from a nose within a picture or two."""
    found = []
    for kink in kinks:
        if kink.wakes or kink.size_mps < GIVEN_MPS:
            continue
        for path in paths.values():
            rest, way = _hit_at(path, kink, frame_s)
            if path.ball == kink.ball or rest is None:
                continue
            offset = kink.place_m - rest.coefficients[0]
            apart = abs(float(np.hypot(offset[0], offset[1])) - 2 * around.radius_m)
            if apart > REACH_SLACK_M + 0.5 * kink.before.speed(kink.time_s) * frame_s:
                continue
            gain = np.zeros(2) if way is None else way.velocity(way.start_s)
            variance = kink.variance + (0.0 if way is None else way.velocity_variance(way.start_s))
            found += _giver(kink, path.ball, rest, kink.jump_mps + gain, variance, contacts, around, frame_s)
    return found


def turned_back(
    kinks: Sequence[Kink], contacts: Sequence[Contact], paths: Mapping[BallId, Path], around: Surroundings, frame_s: float
) -> list[Contact]:
    """Cushion contacts of balls that turned back from a nose a picture or two before they seem to have reached it: the first picture of the
    way back was taken for one of the way there, or the other way round, so that the turn seems to be where no nose is."""
    found = []
    for kink in kinks:
        busy = any(kink.ball in (c.ball, c.other) and abs(c.time_s - kink.time_s) < TWO_FRAMES * frame_s for c in contacts)
        if kink.wakes or kink.stops or busy or kink.size_mps < max(TURNED_MPS, TURNED_SIGMAS * kink.variance**0.5):
            continue
        for cushion, inward in INWARD.items():
            came = -float(inward @ kink.before.velocity(kink.before.end_s))
            goes = float(inward @ kink.after.velocity(kink.after.end_s))
            gap = around.gap_m(cushion, kink.place_m)
            near = around.beside_nose(cushion, kink.place_m) and gap < came * TWO_FRAMES * frame_s
            reach = 2 * around.radius_m + max(came, goes) * TWO_FRAMES * frame_s
            alone = all(
                path.ball == kink.ball or float(np.hypot(*(path.position(kink.time_s) - kink.place_m))) > reach for path in paths.values()
            )
            if near and alone and min(came, goes) > TURNED_MPS / 2:
                wait = min(gap / came, frame_s)
                place = kink.place_m - gap * inward
                turn = Contact(
                    ball=kink.ball,
                    cushion=cushion,
                    time_s=kink.time_s + wait,
                    sigma_s=0.5 * frame_s,
                    place_m=place,
                    impulse_mps=came + goes,
                    gain=TURNED_GAIN,
                )
                found.append(turn)
    return found


def _hit_at(path: Path, kink: Kink, frame_s: float) -> tuple[Piece | None, Piece | None]:
    """Where a ball lay when another one turned, and its way from there; None, None for one that moved."""
    for rest, way in pairwise(path.pieces):
        if not rest.moving and abs(0.5 * (rest.end_s + way.start_s) - kink.time_s) < TWO_FRAMES * frame_s:
            return rest, way
    return None, None


def _giver(
    kink: Kink,
    ball: BallId,
    rest: Piece,
    given_mps: FloatArray,
    variance: float,
    contacts: Sequence[Contact],
    around: Surroundings,
    frame_s: float,
) -> list[Contact]:
    """The nose that gave two balls together a momentum (per mass) that they had not, if it was one beside the ball that was hit."""
    for cushion, inward in INWARD.items():
        given = float(inward @ given_mps)
        aside = float(np.hypot(*(given_mps - given * inward)))
        gap = around.gap_m(cushion, rest.coefficients[0])
        mine = (c for c in contacts if c.cushion is not None and c.ball in (ball, kink.ball))
        known = any(abs(c.time_s - kink.time_s) < 2 * TWO_FRAMES * frame_s for c in mine)
        sure = given > max(GIVEN_MPS, GIVEN_SIGMAS * variance**0.5, GIVEN_SHARE * kink.size_mps) and aside < ASIDE_SHARE * given
        near = around.beside_nose(cushion, rest.coefficients[0]) and gap < kink.size_mps * TWO_FRAMES * frame_s
        own = around.gap_m(cushion, kink.place_m) > 2 * kink.before.speed(kink.time_s) * frame_s * 0.5
        behind = float(inward @ (kink.place_m - rest.coefficients[0])) > 0
        others = any(
            other not in (ball, kink.ball) and other is not None and abs(c.time_s - kink.time_s) < TWO_FRAMES * frame_s
            for c in contacts
            if ball in (c.ball, c.other) or kink.ball in (c.ball, c.other)
            for other in (c.ball, c.other)
        )
        if sure and near and behind and own and not known and not others:
            return [
                Contact(
                    ball=ball,
                    cushion=cushion,
                    time_s=kink.time_s + min(gap / max(kink.size_mps, 1e-3), frame_s),
                    sigma_s=0.5 * frame_s,
                    place_m=rest.coefficients[0] - gap * inward,
                    impulse_mps=given,
                    gain=GIVEN_GAIN,
                )
            ]
    return []
