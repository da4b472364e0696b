"""The first contact of a shot with its probabilities, from its scene.

The ball that first_contact.py finds. Where no ball woke, "none" as far as the struck ball's path kept clear of every
ball: a graze that moves nothing is invisible, so a passage within a millimetre leaves "unknown" a share, and so do
stretches in which the struck ball was not seen near other balls. Which cushions were touched before and after it is
told by rails.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from calibration.equipment import BallId
from tracker.aside import meets_first
from tracker.certainty import SHORT_FLIGHT_SAMPLES, tempered
from tracker.contacts import Contact
from tracker.first_contact import TOUCHING_M, FirstContact, decide
from tracker.history import BallIdentity
from tracker.kinks import Path
from tracker.outlook import may_change
from tracker.scene import Scene
from tracker.stroke import CLEAR_MPS
from tracker.trajectory import Piece, fit_piece

FloatArray = NDArray[np.float64]

GAIN_MIDDLE = 4.0
"""Evidence (chi square) at which a contact is as likely as not."""
GAIN_SCALE = 3.0
"""Evidence per unit of log odds."""
PASSING_SIGMA_M = 0.0005
"""Doubt of a closest approach besides that of the path and the place: calibration over a short way, ball size."""
ROLL_M_PER_MPS2 = 2.5
"""Way of a ball over the square of the speed it was given: it slides, keeps 5/7 of it and rolls on against 0.1 m/s^2."""
MOVED_M, MOVED_SIGMAS = 0.0002, 4.0
"""Doubt of how far a ball moved besides the noise of its places, and the most deviations that it may have moved by unseen."""
LAY_SAMPLES, LAY_M, LAY_MPS = 3, 0.03, 0.05
"""A ball seen so often before the stroke that goes no farther and no faster than this about it lay still until then."""
APPEARED_P = 0.8
"""Probability that the struck ball met one that was first seen rolling: a hand may have sent it, or another ball that lay unseen."""
SAME_CONTACT_S = 0.05
"""A contact this near to the time at which the first ball was hit, besides the doubt of both, is that contact."""
MET_P = 0.5
"""A contact less likely than this does not stand for a start that was not found."""
UNSEEN_FRAMES = 5.0
"""A struck ball unseen for longer than this many frames may have met another ball first than the one it is said to."""
EARLIER_SHARE = 0.9
"""Weight of such a contact: it is told from the struck ball alone."""
HIDDEN_SHARE = 0.3
"""Share of such contacts that were another ball's: with an arm of 20 cm over the place one in four."""
UNSEEN_S = 0.3
"""Struck ball unseen for longer than this: it may have touched something meanwhile."""
NEAR_GAP_M = 0.02
"""A ball this near to the way that the struck ball went unseen may have been touched."""
RACE_WEIGHT = 0.5
"""Power of race and wake times beside the played moment, which holds part of them already: 1 counts the path twice, 0
forgets the wake times."""
TOGETHER_S, LEFT_OUT_P = 0.013, 0.001
"""Touches this close are a split hit, and the least share that its second ball has where hardly a picture shows the way there."""
ASIDE_M, ASIDE_SIGMAS = 0.012, 5.0
"""How far across itself a way told by one picture or two may be wrong where it ends: this, or so many deviations of the last place,
carried on to there. Blur at 8 m/s leaves 3 mm, and one place half way doubles it."""


def contact_probability(contact: Contact) -> float:
    """Probability that a contact happened."""
    return float(1 / (1 + np.exp(-np.clip((contact.gain - GAIN_MIDDLE) / GAIN_SCALE, -50, 50))))


def find_first_contact(scene: Scene) -> FirstContact:
    """Which ball the struck ball touched first, `none` or `unknown`."""
    strike = scene.strike
    if strike is None:
        return FirstContact(probability={"unknown": 1.0})
    reach = 2 * scene.around.radius_m
    striker = scene.paths[strike.ball]
    wakes = [kink for kink in scene.wakes if kink.time_s > scene.strike_s - 0.02 - 3 * kink.sigma_s]
    tip = strike if strike.time_s < scene.strike_s else replace(strike, time_s=scene.strike_s)
    others = ((ball, _lay(path, scene.strike_s)) for ball, path in scene.paths.items() if path is not striker)
    resting = {ball: piece for ball, piece in others if piece is not None}
    found = decide(striker, tip, wakes, resting, reach, scene.frame_s)
    if found is None:
        return _met(scene, strike.ball) or _appeared(scene, striker) or _no_contact(scene, striker)
    found = _behind(scene, striker, _earlier(scene, _played(scene, found)))
    best = next(iter(found.probability))
    time, sigma = _when(scene, best, found)
    probability = found.probability
    if _hidden_at(scene, striker, best, time):
        probability = {ball: (1 - HIDDEN_SHARE) * p for ball, p in probability.items()} | {"unknown": HIDDEN_SHARE}
    flight = int(((striker.times_s > scene.strike_s) & (striker.times_s < time)).sum())
    short = flight <= SHORT_FLIGHT_SAMPLES
    probability = tempered(_with_touched(scene, strike.ball, best, probability, time) if short else probability, flight)
    return FirstContact(probability=probability, time_s=time, sigma_s=sigma, rivals=found.rivals)


def _met(scene: Scene, struck: BallId) -> FirstContact | None:
    """The first contact with a ball whose start was not found: one pinned to a cushion, which stayed where it lay, or one that
    went off so slowly that its rest and its start are one slow curve; None without one."""
    for contact in scene.contacts:
        if struck not in (contact.ball, contact.other) or contact.other is None:
            continue
        ball, p = contact.other if contact.ball == struck else contact.ball, contact_probability(contact)
        if p > MET_P or not scene.paths[ball].moves:
            return FirstContact(probability={ball: p, "none": 1 - p}, time_s=contact.time_s, sigma_s=contact.sigma_s, rivals=(ball,))
    return None


def _appeared(scene: Scene, striker: Path) -> FirstContact | None:
    """The first contact with a ball that was not seen before it rolled: something set it in motion; None without one."""
    for path in sorted(scene.paths.values(), key=lambda path: float(path.times_s[0])):
        first, since_s = path.pieces[0], float(path.times_s[0])
        if path is striker or not first.moving or since_s <= scene.strike_s or first.count < LAY_SAMPLES:
            continue
        if first.speed(first.start_s) > CLEAR_MPS:
            mixed = {path.ball: APPEARED_P, "unknown": 1 - APPEARED_P}
            return FirstContact(probability=mixed, time_s=since_s, sigma_s=0.5 * (since_s - scene.strike_s), rivals=(path.ball,))
    return None


def _lay(path: Path, strike_s: float) -> Piece | None:
    """Where a ball lay at the stroke; None for one that moved. The first ball of a rack that passes the whole blow on and goes
    on by millimetres is one slow curve from before it to after it."""
    first = path.pieces[0]
    if not first.moving:
        return first
    count = int((path.times_s <= strike_s).sum())
    way = first.position(first.end_s) - first.position(first.start_s)
    if count < LAY_SAMPLES or float(np.hypot(way[0], way[1])) > LAY_M or first.speed(strike_s) > LAY_MPS:
        return None
    return fit_piece(path.times_s, path.xy_m, path.variance, first=0, last=count - 1, moving=False)


def _with_touched(scene: Scene, striker: BallId, best: BallId, probability: Mapping[str, float], time_s: float) -> dict[str, float]:
    """The answer with each ball that was touched nearly together with the first one among the rivals: where so few pictures
    show the way, their order is no surer for the race having left one out; but for those that only quite another way met first."""
    touches: dict[BallId | None, float] = {wake.ball: wake.time_s for wake in scene.wakes if wake.ball in probability}
    touches |= {c.other if c.ball == striker else c.ball: c.time_s for c in scene.contacts if striker in (c.ball, c.other)}
    shares = dict(probability)
    for ball, time in touches.items():
        if ball is None or best not in touches or ball == best or abs(time - touches[best]) >= TOGETHER_S:
            continue
        if not _is_aside(scene, scene.paths[striker], best, ball, time_s):
            shares[ball] = max(shares.get(ball, 0.0), LEFT_OUT_P)
    return {ball: p / sum(shares.values()) for ball, p in shares.items()}


def _is_aside(scene: Scene, striker: Path, best: BallId, other: BallId, time_s: float) -> bool:
    """Whether the way of the struck ball, from where it lay to where it was last seen before the first contact, would have to be
    shifted farther than it can be wrong for it to have met another ball before that one: a rack's second row behind its head ball."""
    flown = np.flatnonzero((striker.times_s > scene.strike_s) & (striker.times_s < time_s))
    lain, first, second = (_lay(scene.paths[ball], scene.strike_s) for ball in (striker.ball, best, other))
    if not len(flown) or lain is None or first is None or second is None:
        return False
    start, seen = lain.position(scene.strike_s), striker.xy_m[flown[-1]]
    way = float(np.hypot(*(seen - start)))
    if way < 2 * scene.around.radius_m:
        return False
    to_first, to_second = first.position(scene.strike_s) - start, second.position(scene.strike_s) - start
    carried = float(np.hypot(*to_first)) / way
    wrong_m = max(ASIDE_M, ASIDE_SIGMAS * carried * float(striker.variance[flown[-1]]) ** 0.5)
    return meets_first(to_first, to_second, (seen - start) / way, wrong_m, 2 * scene.around.radius_m)


def _behind(scene: Scene, striker: Path, found: FirstContact) -> FirstContact:
    """The answer against balls that woke earlier while the struck ball was out of sight: nothing else can have moved them."""
    if found.time_s is None:
        return found
    spans = np.diff(striker.times_s)
    best: tuple[float, BallId, float, float] | None = None
    for k in np.flatnonzero((spans > UNSEEN_FRAMES * scene.frame_s) & (striker.times_s[1:] > scene.strike_s)).tolist():
        low, high = float(striker.times_s[k]), float(striker.times_s[k + 1])
        if high > found.time_s - scene.frame_s:
            break
        woken = [wake for wake in scene.wakes if wake.size_mps > CLEAR_MPS and low < wake.high_s and wake.low_s < high]
        near = [
            (_off_segment(wake.before.coefficients[0], striker.xy_m[k], striker.xy_m[k + 1]), wake.ball, wake.time_s, 0.25 * (high - low))
            for wake in woken
            if wake.high_s < found.time_s
        ]
        best = best or min(near, default=None)
    if best is None or found.probability.get(best[1], 0.0) > 0.5:
        return found
    other = next(iter(found.probability))
    mixed = {best[1]: EARLIER_SHARE, other: 1 - EARLIER_SHARE}
    return FirstContact(probability=mixed, time_s=max(best[2], scene.strike_s), sigma_s=best[3], rivals=tuple(mixed))


def _when(scene: Scene, best: BallId, found: FirstContact) -> tuple[float, float]:
    """Time of the first contact and its deviation: of the contact found between the two that is nearest to where the ball
    was hit, not of a later one (the first ball of a rack passes the blow on and is hit again)."""
    assert scene.strike is not None
    assert found.time_s is not None
    pair = {scene.strike.ball, best}
    near = []
    for contact in scene.contacts:
        off = abs(contact.time_s - found.time_s)
        sigma = contact.sigma_s + found.sigma_s + 0.5 * scene.frame_s
        if {contact.ball, contact.other} == pair and off < SAME_CONTACT_S + 3 * sigma:
            near.append((off / sigma, contact.time_s, contact.sigma_s))
    return min(near)[1:] if near else (found.time_s, found.sigma_s)


def _hidden_at(scene: Scene, striker: Path, best: BallId, time_s: float) -> bool:
    """Whether the struck ball was out of sight when the first contact is said to have been, and another ball began to
    move, or was out of sight beside it, in the same stretch: then that may have been hit before."""
    long = UNSEEN_FRAMES * scene.frame_s
    k = int(np.searchsorted(striker.times_s, time_s))
    if not 0 < k < len(striker.times_s) or striker.times_s[k] - striker.times_s[k - 1] < long:
        return False
    low, high = float(striker.times_s[k - 1]), float(striker.times_s[k])
    ends = striker.xy_m[k - 1], striker.xy_m[k]
    reach = 2 * scene.around.radius_m + NEAR_GAP_M
    for ball, path in scene.paths.items():
        if ball == best or path is striker:
            continue
        seen = path.times_s[(path.times_s > low) & (path.times_s < high)]
        place = path.position(low)
        near = min(_off_segment(place, ends[0], ends[1]), _off_segment(place, ends[0], scene.paths[best].position(low))) < reach
        woke = any(kink.ball == ball and low < kink.high_s and kink.low_s < high for kink in scene.wakes)
        if woke or (near and len(seen) < 2):
            return True
    return False


def _earlier(scene: Scene, found: FirstContact) -> FirstContact:
    """The answer against the contacts: a ball out of sight when it was hit has no wake-up time, but what the struck ball
    lost may tell that it was hit before the one that woke first."""
    assert scene.strike is not None
    if found.time_s is None:
        return found
    for contact in scene.contacts:
        if scene.strike.ball not in (contact.ball, contact.other) or contact.other is None:
            continue
        ball = contact.other if contact.ball == scene.strike.ball else contact.ball
        if contact.time_s > found.time_s - scene.frame_s - 3 * (contact.sigma_s + found.sigma_s):
            break
        woke = any(kink.ball == ball and kink.low_s - scene.frame_s < contact.time_s < kink.high_s + scene.frame_s for kink in scene.wakes)
        if woke and found.probability.get(ball, 0.0) < 0.5:
            best = next(iter(found.probability))
            if _lay_together(scene, ball, best):
                # one that passes the whole blow on to those that touch it wakes after them: which was hit the race has told
                return replace(found, time_s=contact.time_s, sigma_s=contact.sigma_s)
            p = EARLIER_SHARE * contact_probability(contact)
            mixed = {name: (1 - p) * value for name, value in found.probability.items()}
            mixed[ball] = mixed.get(ball, 0.0) + p
            order = sorted(mixed, key=lambda name: -mixed[name])
            return replace(found, probability={name: mixed[name] for name in order}, time_s=contact.time_s, rivals=tuple(order))
    return found


def _lay_together(scene: Scene, a: BallId, b: BallId) -> bool:
    """Whether two balls touched each other where they lay."""
    places = [scene.paths[ball].pieces[0] for ball in (a, b) if ball in scene.paths]
    if len(places) < 2 or any(piece.moving for piece in places):
        return False
    off = places[0].coefficients[0] - places[1].coefficients[0]
    return float(np.hypot(off[0], off[1])) < 2 * scene.around.radius_m + TOUCHING_M


def _played(scene: Scene, found: FirstContact) -> FirstContact:
    """The answer with the moment of the first contact played through, where it was: it weighs race and outcome together."""
    touch = next((t for t in scene.touches if found.time_s is not None and t.start_s - 0.01 <= found.time_s <= t.end_s + 0.01), None)
    if touch is None:
        return found
    both = [ball for ball in found.probability if touch.share.get(ball, 0.0) > 0]
    mass = sum(found.probability[ball] for ball in both)
    if len(both) < 2 or mass < 0.5:
        return found
    floor = 1 / (touch.runs + 2)
    w = {ball: (touch.share[ball] + floor) * found.probability[ball] ** RACE_WEIGHT for ball in both}
    total = sum(w.values())
    mixed = dict(found.probability) | {ball: mass * value / total for ball, value in w.items()}
    order = sorted(mixed, key=lambda ball: -mixed[ball])
    return replace(found, probability={ball: mixed[ball] for ball in order}, rivals=tuple(order))


def _no_contact(scene: Scene, striker: Path) -> FirstContact:
    unknown = 0.002
    others = {ball: path for ball, path in scene.paths.items() if path is not striker}
    spans = np.diff(striker.times_s)
    for k in np.flatnonzero((spans > max(UNSEEN_S, 3.5 * scene.frame_s)) & (striker.times_s[1:] > scene.strike_s)):
        middle = 0.5 * (striker.times_s[k] + striker.times_s[k + 1])
        ends = striker.xy_m[k], striker.xy_m[k + 1]
        near = min((_off_segment(path.pieces[0].coefficients[0], *ends) for path in others.values()), default=np.inf)
        if near < 2 * scene.around.radius_m + NEAR_GAP_M and striker.piece_at(float(middle)).speed(float(middle)) > 0.02:
            unknown = max(unknown, 0.3)
    for path in others.values():
        unknown = max(unknown, _grazed(scene, striker, path))
    if scene.endings[striker.ball].kind == "lost" or striker.ball in may_change(scene.endings, scene.around):
        unknown = max(unknown, 0.05)
    return FirstContact(probability={"none": 1 - unknown, "unknown": unknown})


def _grazed(scene: Scene, striker: Path, path: Path) -> float:
    """Probability that the struck ball touched a ball that was not seen to move.

    A touch of depth d at the speed v gives the other ball v sqrt(d / R), which rolls in proportion to d. Its places before and after
    leave little way open, so at speed only a few micrometres of depth go unseen, of all that the measured gap leaves open.
    """
    rest = path.pieces[0]
    radius = scene.around.radius_m
    reach = 2 * radius
    times = striker.times_s[striker.times_s > scene.strike_s]
    if not len(times):
        return 0.0
    grid = np.linspace(scene.strike_s, float(times[-1]), max(50, int(400 * (times[-1] - scene.strike_s))))
    gaps = np.hypot(*(striker.positions(grid) - rest.coefficients[0]).T) - reach
    k = int(np.argmin(gaps))
    piece = striker.piece_at(float(grid[k]))
    sigma = (piece.position_variance(float(grid[k])) + rest.covariance[0, 0] + PASSING_SIGMA_M**2) ** 0.5
    if gaps[k] > 6 * sigma:
        return 0.0
    unseen_m = _unseen_way_m(path, float(grid[k]), rest.coefficients[0] - striker.position(float(grid[k])))
    depth = min(reach, radius * unseen_m / ROLL_M_PER_MPS2 / max(piece.speed(float(grid[k])), 0.02) ** 2)
    apart = float(ndtr(gaps[k] / sigma))
    touched = float(ndtr((depth + gaps[k]) / sigma)) - apart
    return touched / max(touched + apart, 1e-9)


def _unseen_way_m(path: Path, time_s: float, away: FloatArray) -> float:
    """How far a ball that did not seem to move can have been pushed along a direction, (2,), at a time: the likelihoods of all such
    ways together, over that of none."""
    before = path.times_s < time_s
    counts = max(1, int(before.sum())), max(1, int((~before).sum()))
    sigma = float(np.hypot(float(path.variance.mean() * (1 / counts[0] + 1 / counts[1])) ** 0.5, MOVED_M))
    moved = 0.0
    if before.any() and not before.all():
        moved = float((path.xy_m[~before].mean(axis=0) - path.xy_m[before].mean(axis=0)) @ away) / max(float(np.hypot(*away)), 1e-9)
    z = float(np.clip(moved / sigma, -MOVED_SIGMAS, MOVED_SIGMAS))
    likely = float(ndtr(z)) * float(np.sqrt(2 * np.pi) * np.exp(0.5 * z * z))
    return sigma * min(likely, MOVED_SIGMAS)


def _off_segment(point: FloatArray, start: FloatArray, end: FloatArray) -> float:
    """Distance of a point from a straight way."""
    way = end - start
    share = float(np.clip((point - start) @ way / max(float(way @ way), 1e-12), 0, 1))
    return float(np.hypot(*(point - start - share * way)))


def with_identities(first: FirstContact, identities: Sequence[BallIdentity]) -> FirstContact:
    """The first contact by true names, where tracks may carry wrong ones."""
    known = {identity.ball: identity for identity in identities}
    mixed: dict[str, float] = {}
    for ball, p in first.probability.items():
        identity = known.get(ball)
        if identity is None:
            mixed[ball] = mixed.get(ball, 0.0) + p
            continue
        others = sum(share for _, share in identity.others)
        scale = (1 - identity.probability) / others if others > 0 else 0.0
        mixed[ball] = mixed.get(ball, 0.0) + p * (identity.probability if others > 0 else 1.0)
        for name, share in identity.others:
            mixed[name] = mixed.get(name, 0.0) + p * share * scale
    kept = {ball: p for ball, p in sorted(mixed.items(), key=lambda item: -item[1]) if p > 1e-4}
    total = sum(kept.values())
    return replace(first, probability={ball: p / total for ball, p in kept.items()})
