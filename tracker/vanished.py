"""Balls that were lost from sight at the instant they were hit.

A dark ball at four metres a second on dark cloth is a smear that no detector finds. Its track ends at rest, and another
ball changes its course two radii away at that moment. Then it was hit, and momentum says how it left: with the velocity
that the other lost. If that way leads into a mouth and the ball is not seen on the bed again, it fell there.

Fails: throw and the noise of the other ball's course bend the way by some degrees, so far mouths are not told apart well.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from calibration.equipment import BallId
from calibration.table import POCKETS
from tracker.endings import Ending
from tracker.history import TrackEnd
from tracker.kinks import Kink, Path
from tracker.noses import Surroundings
from tracker.trajectory import Piece

REACH_SLACK_M = 0.012
"""Distance of the centres from two radii at the kink: at 25 pictures a second the meeting point is known to a centimetre."""
LEAST_MPS = 0.8
"""A slower ball would have been seen moving off."""
FALL_S = 1.5
"""It reaches the mouth within this time or is slow enough to be seen."""
ABSENT_S = 3.0
"""Bed in plain view for so long without it: it is not there any more."""
P_ABSENT, P_LIKELY = 0.99, 0.85
"""Probability of the fall when the ball stays away for ABSENT_S, and when the recording is too short to say."""


def vanished_wakes(paths: Mapping[BallId, Path], kinks: Sequence[Kink], reach_m: float, end_s: float, frame_s: float) -> list[Kink]:
    """Wake-ups of balls that were last seen at rest when another ball's course changed beside them."""
    found = []
    for ball, path in paths.items():
        rest, last = path.pieces[-1], float(path.times_s[-1])
        if rest.moving or end_s - last < max(0.25, 4 * frame_s):
            continue
        place = rest.position(last)
        near = [
            kink
            for kink in kinks
            if kink.ball != ball
            and not kink.wakes
            and last - 0.5 * frame_s <= kink.time_s <= last + 3 * frame_s
            and abs(float(np.hypot(*(kink.place_m - place))) - reach_m) < REACH_SLACK_M
            and kink.size_mps > LEAST_MPS
            and float((kink.place_m - place) @ kink.jump_mps) > 0.8 * reach_m * kink.size_mps
        ]
        if near:
            found.append(_wake(path, rest, max(near, key=lambda kink: kink.size_mps)))
    return found


def _wake(path: Path, rest: Piece, cause: Kink) -> Kink:
    jump = -cause.jump_mps
    coefficients = np.array([rest.coefficients[0], jump, np.zeros(2)])
    spread = cause.variance + (0.05 * cause.size_mps) ** 2
    covariance = np.diag([float(rest.covariance[0, 0]), spread, 1.0])
    after = Piece(
        first=rest.last,
        last=rest.last,
        moving=True,
        origin_s=cause.time_s,
        coefficients=coefficients,
        covariance=covariance,
        start_s=cause.high_s,
        end_s=cause.high_s,
    )
    return Kink(
        ball=path.ball,
        time_s=cause.time_s,
        sigma_s=cause.sigma_s,
        low_s=cause.low_s,
        high_s=cause.high_s,
        place_m=rest.coefficients[0],
        jump_mps=jump,
        variance=spread,
        before=rest,
        after=after,
    )


def vanished_ending(wake: Kink, around: Surroundings, end_s: float, evidence: TrackEnd | None) -> Ending:
    """Where a ball that vanished when hit has gone: into the mouth that its way leads to, or out of sight."""
    place = wake.place_m
    best: tuple[float, str, float] | None = None
    for pocket in POCKETS:
        outward = around.outward(pocket)
        rate = float(wake.jump_mps @ outward)
        if rate <= 0:
            continue
        wait = -around.depth_m(pocket, place) / rate
        miss = float(np.hypot(*(place + wake.jump_mps * wait - np.array(around.table.mouth_centre_m(pocket)))))
        if 0 < wait < FALL_S and (best is None or miss < best[0]):
            best = miss, pocket, wait
    absent = evidence.watched_s if evidence is not None else 0.0
    if best is not None and best[0] < 1.3 * around.mouth_half_m(best[1]):
        p = P_ABSENT if absent >= ABSENT_S else P_LIKELY
        return Ending(kind="pocketed", p=p, time_s=wake.time_s + best[2], place_m=place, pocket=best[1])
    return Ending(kind="lost", p=0.9, time_s=min(end_s, wake.time_s), place_m=place)
