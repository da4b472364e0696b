"""Balls that were lost from sight at the instant they were hit.

A dark ball at four metres a second on dark cloth is a smear that no detector finds. Its track ends at rest, and another
ball changes its course two radii away at that moment. Then it was hit, and momentum says how it left: with the velocity
that the other lost. If that way leads into a mouth and the ball is not seen on the bed again, it fell there.

Of a fast ball few pictures show the way in, and the piece fitted to them may swallow the first picture of the way out. So
each picture around the meeting is tried as the last before it: the way in is drawn to where it touches the ball at rest,
the way out back to that time, and the split at which they meet best counts.

Fails: throw and the noise of the other ball's course bend the way by some degrees, so far mouths are not told apart well.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from calibration.table import POCKETS
from tracker.contacts import touch_time
from tracker.endings import Ending
from tracker.history import TrackEnd
from tracker.kinks import Kink, Path
from tracker.noses import Surroundings
from tracker.trajectory import Piece, fit_piece

REACH_SLACK_M = 0.012
"""Distance of the centres from two radii at the kink: at 25 pictures a second the meeting point is known to a centimetre."""
ALONG = 0.8
"""Least cosine between the change of course and the line of centres: throw, noise of short ways."""
SIDE_S = 0.15
"""Samples on either side that tell a way: of a fast ball the first few, before it slows or meets something else."""
MEETING_M = 0.02
"""How near way in and way out come at the meeting: a streak tells its ball to half a centimetre, two of them draw a way."""
MEETING_SIGMA_M = 0.006
"""Standard deviation of that."""
SLIDING_MPS2 = 2.0
"""Standard deviation of a fast ball's acceleration (sliding gives up to 2.6): looser bends one way around the contact."""
CREEP_MPS = 0.03
"""A last movement slower than this is a drift of the measurement: the ball lay there when it was hit."""
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
        if rest.moving and rest.speed(last) < CREEP_MPS:
            rest = fit_piece(path.times_s, path.xy_m, path.variance, first=rest.first, last=rest.last, moving=False)
        if rest.moving or end_s - last < max(0.25, 4 * frame_s):
            continue
        place = rest.position(last)
        turns = [kink for kink in kinks if kink.ball != ball and not kink.wakes]
        turns += [kink for other in paths.values() if other.ball != ball and (kink := _turn(other, rest, last, kinks, reach_m, frame_s))]
        near = [
            kink
            for kink in turns
            if last - 0.5 * frame_s <= kink.time_s <= last + 3 * frame_s
            and abs(float(np.hypot(*(kink.place_m - place))) - reach_m) < REACH_SLACK_M
            and kink.size_mps > LEAST_MPS
            and float((kink.place_m - place) @ kink.jump_mps) > ALONG * reach_m * kink.size_mps
        ]
        if near:
            found.append(_wake(path, rest, max(near, key=lambda kink: kink.size_mps)))
    return found


def _turn(path: Path, rest: Piece, last_s: float, kinks: Sequence[Kink], reach_m: float, frame_s: float) -> Kink | None:
    """The change of course of a ball where it touched one at rest that vanished, by the best split of its samples."""
    start = next((kink for kink in kinks if kink.ball == path.ball and kink.wakes), None)
    moving = path.times_s > start.time_s if start is not None else np.ones(len(path.times_s), np.bool_)
    best: tuple[float, Kink] | None = None
    for k in range(len(path.times_s) - 2):
        if not (last_s - 1.5 * frame_s < path.times_s[k] < last_s + 2.5 * frame_s):
            continue
        before = _side(path, moving & (np.arange(len(moving)) <= k), path.times_s[k], start)
        after = _side(path, np.arange(len(moving)) > k, path.times_s[k + 1], None)
        if before is None or after is None:
            continue
        met = touch_time(before[0], rest, reach_m, before[0].end_s - frame_s, after[0].start_s + 0.5 * frame_s)
        if met is None:
            continue
        kink = _kink_at(path, before[0], after[0], met[0])
        apart = float(np.hypot(*(kink.place_m - after[0].position(met[0]))))
        along = float((kink.place_m - rest.coefficients[0]) @ kink.jump_mps)
        if apart > MEETING_M or along < ALONG * reach_m * kink.size_mps:
            continue
        badness = before[1] + after[1] + (apart / MEETING_SIGMA_M) ** 2
        if best is None or badness < best[0]:
            best = badness, kink
    return None if best is None else best[1]


def _side(path: Path, rows: NDArray[np.bool_], near_s: float, start: Kink | None) -> tuple[Piece, float] | None:
    """A way fitted to the samples among `rows` near a time, and to the start from rest where that is near, and how badly it
    fits (chi square); None from one place."""
    use = rows & (np.abs(path.times_s - near_s) < SIDE_S)
    times, places, variance = path.times_s[use], path.xy_m[use], path.variance[use]
    if start is not None and near_s - start.time_s < SIDE_S:
        times = np.concatenate([[start.time_s], times])
        places = np.concatenate([[start.before.coefficients[0]], places])
        variance = np.concatenate([[start.before.position_variance(start.time_s) + 1e-8], variance])
    if len(times) < 2:
        return None
    piece = fit_piece(times, places, variance, first=0, last=len(times) - 1, moving=True, acceleration_prior_mps2=SLIDING_MPS2)
    off = places - np.array([piece.position(float(time)) for time in times])
    bend = piece.coefficients[2] / SLIDING_MPS2
    return piece, float(((off**2).sum(axis=1) / variance).sum() + bend @ bend)


def _kink_at(path: Path, before: Piece, after: Piece, time_s: float) -> Kink:
    return Kink(
        ball=path.ball,
        time_s=time_s,
        sigma_s=0.25 * (after.start_s - before.end_s),
        low_s=before.end_s,
        high_s=after.start_s,
        place_m=before.position(time_s),
        jump_mps=after.velocity(time_s) - before.velocity(time_s),
        variance=before.velocity_variance(time_s) + after.velocity_variance(time_s),
        before=before,
        after=after,
    )


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
