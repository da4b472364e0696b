"""Which ball was struck, and whether the stroke was seen.

The struck ball is the first to move of its own accord. Where several wake within the noise of the first (balls that
touch, a contact a few frames after the stroke) the one that was hit moves along the line of centres, away from the
striker, and a ball called cue or Y is struck far more often than any other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from calibration.equipment import BallId
from tracker.history import TrackEnd
from tracker.kinks import Kink, Path

CUE_NAMES = ("cue", "Y")
"""Balls that are struck in nearly every stroke: pool's cue ball always, the coloured ball of pyramid mostly."""
TIE_S = 0.6
"""A cue ball that wakes within this time after another ball was struck before it: its wake-up was hidden by hand or
cue, or the other's is noise."""
CLEAR_MPS = 0.15
"""A start faster than this is a stroke or a hit, if nothing else is known (the softest strokes are 0.2 m/s)."""
FASTER = 1.4
"""A struck ball slows from its start; one that gets this many times faster without being touched is carried."""
BACK = 0.5
"""Nor does it come back at this share of its start by itself."""
TAKEN_SAMPLES = 2
"""Pictures in which a hand that lifts a ball shows it, or its own fingers, beside its place; a struck one is seen longer."""
TOUCHING_M = 0.004
"""A cue ball with a smaller gap to the ball that starts first was struck and passed the whole blow on."""
FULL = 0.985
"""Least cosine between the line of two balls that touch and the way of the second, where the first gave it the whole blow."""
STAYS_M = 0.004
"""A ball no farther than this from its place was not struck: compression and shadows move a centre by as much for a while."""
STAYS_OTHER_M = 0.015
"""The same of a ball that is seldom struck: sleeves and compression over a dark one go further, the softest stroke does too."""
CREEPS_MPS, CREEPS_M = 0.06, 0.06
"""Nor was one that never goes faster than this, and no farther, where it touches nothing: it was still rolling when the shot before it
seemed to be at rest."""
CREEPS_ON_M, FOLLOWS_S = 0.02, 0.3
"""The same of a ball that is struck in nearly every stroke, and only where its rest before is no longer than this: the shot before it has
only just ended then, and a ball is at rest for longer before it is struck."""
STANDS_S = 0.1
"""A ball that rests from so soon after the first picture on was found in the wrong place there, as two whites seen as one are; or it
came to rest before the stroke that follows."""
LEAST_SHARE = 0.1
"""No ball that is hit starts ten times as fast as the one that was struck: what starts so slowly before it is noise, two whites of a
rack seen as one."""
CLEAR_SHARE = 0.4
"""In a window without fast balls a stroke starts with at least this share of the fastest start."""


def find_stroke(wakes: Mapping[BallId, Kink], reach_m: float) -> Kink | None:
    """The struck ball's first kink; None where no ball wakes.

    Args:
        wakes: First kink of each ball that was at rest.
        reach_m: Two radii.
    """
    if not wakes:
        return None
    fastest = max(kink.size_mps for kink in wakes.values())
    least = max(min(CLEAR_MPS, CLEAR_SHARE * fastest), LEAST_SHARE * fastest)
    # what creeps, jumps by a millimetre or appears from behind an arm is no stroke
    clear = sorted((kink for kink in wakes.values() if kink.size_mps > least), key=lambda kink: kink.time_s)
    if not clear:
        return None
    first = clear[0]
    early = [kink for kink in clear if kink.time_s - first.time_s < TIE_S]
    named = [kink for kink in early if kink.ball == "cue"] or _stunned(wakes.values(), first, reach_m)
    if named:
        return named[0]
    tied = [kink for kink in early if kink.time_s - first.time_s < 0.01 + 3 * (kink.sigma_s + first.sigma_s)]
    scores = [_score(kink, tied, reach_m) for kink in tied]
    return tied[int(np.argmax(scores))]


def _stunned(wakes: Iterable[Kink], first: Kink, reach_m: float) -> list[Kink]:
    """The cue ball's own start where it lay against the first ball to start and kept next to nothing of the stroke."""
    return [
        kink
        for kink in wakes
        if kink.ball == "cue"
        and abs(kink.time_s - first.time_s) < TIE_S
        and float(np.hypot(*(kink.before.coefficients[0] - first.before.coefficients[0]))) < reach_m + TOUCHING_M
    ]


def struck_before(first: Kink, paths: Mapping[BallId, Path], reach_m: float) -> Kink | None:
    """The stroke of a cue ball that kept nothing of it: it touches the ball that starts first, behind it on its line, and
    stays where it lay; None where it lies elsewhere."""
    cue = paths.get("cue")
    if cue is None or first.ball == "cue" or cue.moves:
        return None
    rest = cue.pieces[0]
    away = first.before.coefficients[0] - rest.coefficients[0]
    distance = float(np.hypot(away[0], away[1]))
    if distance > reach_m + TOUCHING_M or float(away @ first.jump_mps) < FULL * distance * first.size_mps:
        return None
    return replace(first, ball="cue", place_m=rest.coefficients[0], jump_mps=np.zeros(2), before=rest, after=rest)


def _score(kink: Kink, tied: Sequence[Kink], reach_m: float) -> float:
    """Log odds that a ball was struck rather than hit by one of those that woke with it."""
    score = 3.0 if kink.ball in CUE_NAMES else 0.0
    for other in tied:
        if other is kink:
            continue
        score += 0.5 * float(np.clip((other.time_s - kink.time_s) / (kink.sigma_s + other.sigma_s + 1e-3), -3, 3))
        away = kink.place_m - other.place_m
        distance = float(np.hypot(away[0], away[1]))
        if distance < 1.5 * reach_m and float(away @ kink.jump_mps) > 0.985 * distance * kink.size_mps:
            score -= 2.0
    return score


def stroke_unseen(paths: Mapping[BallId, Path], start_s: float, frame_s: float) -> bool:
    """Whether balls were moving already when the window began; one that stands at once says nothing of a stroke."""
    for path in paths.values():
        first, *later = path.pieces
        if later and not later[0].moving and first.end_s < start_s + STANDS_S:
            continue
        if first.moving and first.start_s < start_s + 3 * frame_s and first.count >= 3:
            way = first.position(first.end_s) - first.position(first.start_s)
            far = float(np.hypot(way[0], way[1])) > max(0.008, 6 * float(path.variance[0]) ** 0.5)
            if far and first.speed(first.start_s) > max(0.05, 5 * first.velocity_variance(first.start_s) ** 0.5):
                return True
    return False


def hardly_moved(path: Path, strike: Kink) -> bool:
    """Whether a ball stayed about where it lay: a stroke sends it farther, a bad measurement does not."""
    creeps = all(max(piece.speed(piece.start_s), piece.speed(piece.end_s)) < CREEPS_MPS for piece in path.pieces if piece.moving)
    limit_m = CREEPS_M if creeps else STAYS_OTHER_M
    if path.ball in CUE_NAMES:
        follows = strike.time_s - float(path.times_s[0]) < FOLLOWS_S
        limit_m = CREEPS_ON_M if creeps and follows else STAYS_M
    way = path.xy_m[path.times_s >= strike.low_s] - strike.before.coefficients[0]
    return float(np.hypot(*way.T).max(initial=0.0)) < limit_m


def was_taken(path: Path, end: TrackEnd | None) -> bool:
    """Whether a ball was taken off its place rather than struck: seen away from it once or twice at most, then gone under
    something that covers the bed, and on its way into no pocket. To be asked only of a ball that touched no other."""
    if end is None or not end.hidden or end.entry_s is not None or end.resting:
        return False
    off = np.hypot(*(path.xy_m - path.pieces[0].coefficients[0]).T) > STAYS_M
    return int(off.sum()) <= TAKEN_SAMPLES


def was_carried(path: Path, strike: Kink) -> bool:
    """Whether a ball was carried or pushed by hand rather than struck: it got faster after its start, or turned about,
    with nothing there to do it. To be asked only of a ball that touched no other and no cushion."""
    start = float(np.hypot(strike.jump_mps[0], strike.jump_mps[1]))
    for piece in path.pieces:
        if not piece.moving or piece.start_s < strike.time_s + 0.05:
            continue
        for time in (piece.start_s, piece.end_s):
            velocity = piece.velocity(time)
            along = float(velocity @ strike.jump_mps) / max(start, 1e-9)
            sure = 4 * piece.velocity_variance(time) ** 0.5
            if float(np.hypot(*velocity)) > FASTER * start + sure or along < -BACK * start - sure:
                return True
    return False
