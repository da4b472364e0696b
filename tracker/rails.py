"""The cushions of a shot: before the first contact (struck ball) and after it (any ball), with their probabilities.

Each cushion contact counts with the probability of being one and of its order in time. A ball pocketed close to a lip may
have touched it in its last frames; one that came within a millimetre of a nose may have touched it unseen.

Where the struck ball met a cushion and its first ball within a picture or two, its change of course holds both and tells
neither time. But its way before leads to the one or to the other first, and the ball that was hit tells its own time.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from calibration.equipment import BallId
from tracker.certainty import bounded
from tracker.contacts import Contact, gap_time, touch_time
from tracker.facts import PASSING_SIGMA_M, contact_probability
from tracker.first_contact import FirstContact, way_there
from tracker.kinks import Path
from tracker.lips import lip_touch
from tracker.noses import INWARD
from tracker.scene import VISIT_M, Scene
from tracker.trajectory import Piece, fit_piece

FloatArray = NDArray[np.float64]

LEADING_SAMPLES, LEADING_MPS = 3, 0.1
"""A way of so many samples that comes to the nose this fast leads somewhere; with as many between two contacts both have times."""
LIKELY_P = 0.9
"""A contact of two balls this likely was one."""
TIMES_NATS = 3.0
"""What the times of two contacts in one change of course say at most."""
PROMPT_FRAMES, PROMPT_NATS = 0.2, 6.0
"""Where the ball that was hit tells the time of the contact to so many frames, they say so much."""
MET_FRAMES = 2.5
"""Contacts farther than this beyond the last picture of that way are not told by it."""
SOFT_GAP_M = 0.0005
"""A ball this near to a nose touches it as likely as not, as far as the place tells."""
SOFT_SIGMA_M = 0.0008
"""Doubt of the place of a nose and of a ball beside it."""
STRAIGHT_OFF = 0.5
"""Cosine between the way of a ball and the normal of the nose that it lay against from which nothing pressed it into it."""
DRIVEN_COS, DRIVEN_MPS, DRIVEN_GAP_M, DRIVEN_SHARE = 0.3, 0.05, 0.003, 0.9
"""A ball that was hit from so far off along its nose, with so much speed into it, and lay no farther from it, was driven into it; but where
nothing parted them before, whether that is a touch after the hit is a matter of words."""
TURN_STEPS, TURN_M = 17, 0.004
"""Places of a stretch that are looked at, and by how much it comes nearer and goes off again to be a turn."""
TURN_GAP_M, TURN_SHARE = 0.002, 0.8
"""A curve laid through a turn at the nose cuts its corner by so much, and the share of such turns that were touches: nothing
else turns a rolling ball."""
SOFT_SHARE = 0.4
"""Share of balls there that touched without a visible change of course (touches below 0.05 m/s)."""


def rails(scene: Scene, first: FirstContact) -> tuple[float, float]:
    """Probabilities of a cushion before the first contact (struck ball) and after it (any ball)."""
    none_before, none_after = 1.0, 1.0
    first = _not_after_others(scene, first)
    for contact in scene.contacts:
        if contact.cushion is None:
            continue
        p = contact_probability(contact)
        later = 0.0 if first.time_s is None else _order(scene, contact, first)
        if later and scene.strike is not None and contact.ball != scene.strike.ball and not scene.paths[contact.ball].pieces[0].moving:
            # it lay still until the struck ball, or one that it moved, came to it
            later = 1.0
        none_after *= 1 - p * later
        if scene.strike is not None and contact.ball == scene.strike.ball:
            none_before *= 1 - p * (1 - later)
    struck = scene.strike.ball if scene.strike is not None else None
    ending = scene.endings.get(struck) if struck is not None else None
    early = ending is not None and ending.kind == "pocketed" and (first.time_s is None or ending.time_s < first.time_s)
    if early and struck is not None and ending is not None and not _lip_listed(scene, struck):
        none_before *= 1 - ending.p * _lip(scene, struck)[0]
    if first.time_s is None:
        return 1 - none_before, 0.0
    for ball, ending in scene.endings.items():
        if ending.kind == "pocketed" and ending.time_s > first.time_s and not _lip_listed(scene, ball):
            none_after *= 1 - ending.p * _lip(scene, ball)[0]
    return 1 - none_before, bounded(1 - none_after * (1 - _unseen_touch(scene, first.time_s)))


def _not_after_others(scene: Scene, first: FirstContact) -> FirstContact:
    """The first contact no later than any contact of the struck ball with another: whichever ball was first, it was by then."""
    if first.time_s is None or scene.strike is None:
        return first
    struck = scene.strike.ball
    met = [
        (contact.time_s, contact.sigma_s)
        for contact in scene.contacts
        if contact.other is not None and struck in (contact.ball, contact.other) and contact_probability(contact) > LIKELY_P
    ]
    time, sigma = min([(first.time_s, first.sigma_s), *met])
    return replace(first, time_s=time, sigma_s=sigma)


def _unseen_touch(scene: Scene, since_s: float) -> float:
    """Probability that a ball touched a cushion too softly to change its course visibly: one that came within a
    millimetre or two of a nose after the first contact without a cushion contact being found there."""
    most = 0.0
    for ball, path in scene.paths.items():
        if not path.moves:
            continue
        listed = {contact.cushion for contact in scene.contacts if contact.ball == ball}
        for cushion in set(INWARD) - listed:
            most = max(most, _pressed_where_it_lay(scene, path, cushion, since_s))
        for piece in path.pieces:
            if piece.end_s <= since_s or not (piece.moving or piece.start_s > since_s):
                continue
            begin = max(piece.start_s, since_s)
            times = np.linspace(begin, max(piece.end_s, begin), TURN_STEPS)
            places = piece.positions(times)
            for cushion in INWARD:
                if cushion not in listed:
                    most = max(most, _died_beside(scene, piece, cushion, times, places))
    return most


def _pressed_where_it_lay(scene: Scene, path: Path, cushion: str, since_s: float) -> float:
    """Probability that a ball that lay against a nose was pressed into it when it was hit: it did not go straight off it."""
    rest, follow = path.pieces[0], path.pieces[min(1, len(path.pieces) - 1)]
    if rest.moving or not follow.moving or rest.end_s < since_s - 2 * scene.frame_s:
        return 0.0
    velocity, place = follow.velocity(follow.start_s), rest.coefficients[0]
    if float(INWARD[cushion] @ velocity) > STRAIGHT_OFF * float(np.hypot(*velocity)) or not scene.around.beside_nose(cushion, place):
        return 0.0
    sigma = (SOFT_SIGMA_M**2 + float(rest.covariance[0, 0])) ** 0.5
    gap = scene.around.gap_m(cushion, place)
    if _driven_into(scene, path, cushion, since_s):
        return DRIVEN_SHARE * float(ndtr((DRIVEN_GAP_M - gap) / sigma))
    return SOFT_SHARE * float(ndtr((SOFT_GAP_M - gap) / sigma))


def _driven_into(scene: Scene, path: Path, cushion: str, since_s: float) -> bool:
    """Whether the struck ball, when it met a ball where that lay, came at it from the bed's side: along the line of their centres
    the blow went into the nose."""
    if scene.strike is None or path.ball == scene.strike.ball:
        return False
    striker, rest = scene.paths[scene.strike.ball], path.pieces[0]
    if abs(rest.end_s - since_s) > 2 * scene.frame_s:
        return False
    moments = np.linspace(since_s - scene.frame_s, since_s + scene.frame_s, 9)
    away = rest.coefficients[0] - striker.positions(moments)
    k = int(np.argmin(np.hypot(away[:, 0], away[:, 1])))
    line = away[k] / max(float(np.hypot(*away[k])), 1e-9)
    came = striker.piece_at(since_s - 2 * scene.frame_s).velocity(since_s - 2 * scene.frame_s)
    into = -float(INWARD[cushion] @ line)
    return into > DRIVEN_COS and into * float(came @ line) > DRIVEN_MPS and float(np.hypot(*away[k])) < 2 * scene.around.radius_m + VISIT_M


def _died_beside(scene: Scene, piece: Piece, cushion: str, times: FloatArray, places: FloatArray) -> float:
    """Probability that a ball touched a nose in a stretch of its way, (n,) and (n, 2): where that begins or ends beside it, or
    turns back."""
    gaps = scene.around.gaps_m(cushion, places)
    most = 0.0
    for k in {0, len(times) - 1, int(np.argmin(gaps))}:
        turns = min(gaps[0], gaps[-1]) - gaps[k] > TURN_M
        if not scene.around.beside_nose(cushion, places[k]) or not (turns or k in (0, len(times) - 1)):
            continue
        sigma = (SOFT_SIGMA_M**2 + piece.position_variance(float(times[k]))) ** 0.5
        near, share = (TURN_GAP_M, TURN_SHARE) if turns else (SOFT_GAP_M, SOFT_SHARE)
        most = max(most, share * float(ndtr((near - float(gaps[k])) / sigma)))
    return most


def _order(scene: Scene, contact: Contact, first: FirstContact) -> float:
    """Probability that a cushion contact came after the first contact.

    Where the struck ball met both within a picture or two its change of course holds both and tells neither time; but
    its way before leads to the one or to the other first.
    """
    later = _later(contact, first)
    if scene.strike is None or contact.ball != scene.strike.ball or contact.pocket is not None or first.time_s is None:
        return later
    best = next(iter(first.probability))
    early, late = sorted((contact.time_s, first.time_s))
    path = scene.paths[contact.ball]
    rest = scene.paths[best].pieces[0] if best in scene.paths else None
    known = int(((path.times_s > early - 1e-4) & (path.times_s < late)).sum())
    way = None if rest is None or rest.moving or known >= LEADING_SAMPLES else _way_there(scene, path, early)
    if rest is None or way is None or late - way.end_s > MET_FRAMES * scene.frame_s:
        return later
    speed = -float(INWARD[str(contact.cushion)] @ way.velocity(way.end_s))
    if speed < LEADING_MPS:
        return later
    reach = 2 * scene.around.radius_m
    nose_s = way.end_s + gap_time(scene.around, str(contact.cushion), way, way.end_s)
    horizon = max(nose_s, late) + MET_FRAMES * scene.frame_s
    sigma_m = (way.position_variance(late) + PASSING_SIGMA_M**2) ** 0.5
    limit = TIMES_NATS if first.sigma_s > PROMPT_FRAMES * scene.frame_s else PROMPT_NATS
    met = touch_time(way, rest, reach, way.end_s - scene.frame_s, horizon)
    if met is not None:
        sigma_s = sigma_m * float(np.hypot(1 / speed, 1 / max(met[1], 0.05)))
        return _both(float(ndtr((nose_s - met[0]) / sigma_s)), later, limit)
    clear = _clear_m(way, rest, way.end_s - scene.frame_s, nose_s) - reach
    # neither way may lead to it: then it is the one that comes nearer
    back = path.piece_at(late + scene.frame_s)
    off = max(0.0, _clear_m(back, rest, contact.time_s, max(late, contact.time_s) + scene.frame_s) - reach)
    odds = 0.5 * ((off / (back.position_variance(back.start_s) ** 0.5 + PASSING_SIGMA_M)) ** 2 - (max(clear, 0.0) / sigma_m) ** 2)
    return _both(float(1 / (1 + np.exp(-np.clip(odds, -20, 20)))), later, limit)


def _way_there(scene: Scene, path: Path, early_s: float) -> Piece | None:
    """The way of the struck ball to the first of two contacts; None where it is not known."""
    assert scene.strike is not None
    way, _ = way_there(path, scene.strike, early_s, early_s, scene.frame_s)
    count = int((path.times_s[way.first : way.last + 1] <= early_s).sum())
    if way.end_s > early_s and LEADING_SAMPLES <= count < way.count:
        # what lies beyond the first of the two contacts is no part of the way there
        way = fit_piece(path.times_s, path.xy_m, path.variance, first=way.first, last=way.first + count - 1, moving=True)
    return way if way.count >= LEADING_SAMPLES else None


def _clear_m(way: Piece, rest: Piece, low_s: float, high_s: float) -> float:
    """Least distance of a way from a place within a span, metres."""
    grid = np.linspace(low_s, high_s, 33)
    return min(float(np.hypot(*(way.position(float(time)) - rest.coefficients[0]))) for time in grid)


def _both(way: float, times: float, limit_nats: float) -> float:
    """Probability from where the way leads and from the times found, which count for so much only."""
    odds = float(np.clip(np.log(max(way, 1e-9) / max(1 - way, 1e-9)), -20, 20))
    told = float(np.clip(np.log(max(times, 1e-9) / max(1 - times, 1e-9)), -limit_nats, limit_nats))
    return float(1 / (1 + np.exp(-odds - told)))


def _later(contact: Contact, first: FirstContact) -> float:
    assert first.time_s is not None
    sigma = (contact.sigma_s**2 + first.sigma_s**2 + 0.0005**2) ** 0.5
    return float(ndtr((contact.time_s - first.time_s) / sigma))


def _lip(scene: Scene, ball: BallId) -> tuple[float, float]:
    listed = [contact.time_s for contact in scene.contacts if ball in (contact.ball, contact.other)]
    return lip_touch(scene.paths[ball], scene.endings[ball], scene.around, listed)


def _lip_listed(scene: Scene, ball: BallId) -> bool:
    """Whether a contact at the mouth just before the fall is among the contacts already."""
    ending = scene.endings[ball]
    return any(
        contact.ball == ball and contact.cushion is not None and abs(contact.time_s - ending.time_s) < 0.06 for contact in scene.contacts
    )


def lips(scene: Scene) -> Mapping[BallId, tuple[float, float]]:
    """Balls that fell without a listed lip contact, with the probability that there was one and its time."""
    return {ball: _lip(scene, ball) for ball, ending in scene.endings.items() if ending.kind == "pocketed" and not _lip_listed(scene, ball)}
