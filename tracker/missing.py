"""What a shot's facts are worth where pictures of it are missing.

Theory. The reader joins what it sees on both sides of a gap as if the balls had gone straight on, which is right for a
picture or two. Over a longer gap a ball of 2 m/s crosses a quarter of the table: it can have met another ball, a cushion
and a third in it, and nothing afterwards tells. So:

    a gap at the strike or before the first contact    the strike was not seen: what was met first is unknown
    a gap after it                                     a cushion that only the gap can have held is as likely as not

Pockets need nothing here: how a ball ended is weighed by the tracker from where it was last seen (tracker.evidence).

Fails: a gap that held nothing makes a clear shot undecided. That is the right way round.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from tracker.history import BallTrack
from tracker.shot import Doubt, Shot
from tracker.stroke import CUE_NAMES

LEAST_GAP_S = 0.12
"""A gap longer than this is one: three pictures at 25 a second; physics bridges less (tracker.doubts names the same length)."""
LEAST_GAP_PERIODS = 3.5
"""And longer than so many pictures of this recording."""
MARGIN_S = 0.12
"""How far the reader's strike and first contact may be off because of the gap: what it could not see it puts at its edge."""
WEIGHT = 0.5
"""Share of the answer that a gap takes: cushion or none then differ by too little to be certain."""
FAINT_M = 0.004
"""Stated deviation of a ball at rest from which a touch of it is not told from a miss: seen balls have 0.2 to 2 mm."""
CLEAR_P = 0.95
"""A cushion contact seen outside every gap from this probability stands."""


def find_gaps(times_s: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """The stretches without a picture among the times of usable pictures, ascending."""
    times = np.asarray(times_s, dtype=np.float64)
    steps = np.diff(times)
    if len(steps) == 0:
        return ()
    least = max(LEAST_GAP_S, LEAST_GAP_PERIODS * float(np.median(steps)))
    return tuple((float(times[k]), float(times[k + 1])) for k in np.flatnonzero(steps > least))


def with_missing(shot: Shot, gaps: Iterable[tuple[float, float]]) -> Shot:
    """The shot with its facts as doubtful as the gaps make them.

    Args:
        shot: As read.
        gaps: From `find_gaps`, on the shot's clock.
    """
    first_s = shot.start_s + _first_contact_t(shot)
    relevant = [(start, end) for start, end in gaps if end > shot.start_s - MARGIN_S and start < shot.end_s]
    early = [(start, end) for start, end in relevant if start < first_s + MARGIN_S]
    if early:
        longest = max(end - start for start, end in early)
        text = f"the pictures at the strike are missing ({longest:.2f} s)"
        shot = replace(shot, first_contact={"unknown": 1.0}, doubts=(Doubt(kind="strike_not_seen", text=text), *shot.doubts))
    if relevant and not _is_rail_seen(shot, first_s, relevant):
        shot = replace(shot, rail_after_contact=(1 - WEIGHT) * shot.rail_after_contact + WEIGHT / 2)
    return shot


def with_faint(shot: Shot, tracks: Sequence[BallTrack]) -> Shot:
    """The shot with its stroke and first contact in doubt where they hang on a ball that is hardly seen where it lay.

    In the cloth's own colour its place may be off by a third of a ball, whatever the pictures agree on: a near miss then passes for
    a hit. A ball that is mostly struck may have been struck there, with nobody seeing it, onto the one that was seen to start.
    """
    faint = {track.ball for track in tracks if _is_faint(track, shot.start_s)}
    best = max(shot.first_contact, key=lambda ball: shot.first_contact[ball])
    if best in faint:
        halved = {ball: p / 2 for ball, p in shot.first_contact.items()}
        halved["unknown"] = halved.get("unknown", 0.0) + 0.5
        text = f"{best} is hardly seen where it lay: it may have been missed"
        shot = replace(shot, first_contact=halved, doubts=(Doubt(kind="hidden", balls=(best,), text=text), *shot.doubts))
    for ball in sorted(faint.intersection(CUE_NAMES) - {shot.cue_ball}):
        text = f"{ball} is hardly seen where it lay: it may have been struck"
        shot = replace(shot, doubts=(Doubt(kind="hidden", t=0.0, balls=(ball,), text=text), *shot.doubts))
    return shot


def _is_faint(track: BallTrack, strike_s: float) -> bool:
    """Where the ball lay before the strike is known badly."""
    lay = track.seen & (track.times_s < strike_s)
    return bool(lay.any()) and float(np.median(track.sigma_m[lay])) >= FAINT_M


def _first_contact_t(shot: Shot) -> float:
    """Seconds from the tip to the cue ball's first ball; to the end where it met none."""
    times = [event.t for event in shot.events if event.type == "ball_ball" and shot.cue_ball in (event.fields["a"], event.fields["b"])]
    return min(times, default=shot.end_s - shot.start_s)


def _is_rail_seen(shot: Shot, first_s: float, gaps: Sequence[tuple[float, float]]) -> bool:
    """A cushion contact after the first contact that no gap can have made up."""
    for event in shot.events:
        if event.type in ("ball_cushion", "pocketed") and event.p >= CLEAR_P:
            time_s = shot.start_s + event.t
            if time_s > first_s and not any(start - MARGIN_S < time_s < end + MARGIN_S for start, end in gaps):
                return True
    return False
