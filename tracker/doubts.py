"""Why a shot is not fully known, in sentences for a person and with the balls concerned."""

from collections.abc import Sequence

import numpy as np

from calibration.equipment import BallId
from tracker.first_contact import FirstContact
from tracker.history import TrackReport
from tracker.oddities import oddities
from tracker.outlook import may_change, may_fall
from tracker.scene import Scene
from tracker.segment import ShotWindow
from tracker.shot import Doubt

WORTH_NAMING = 0.005
"""Probability of another reading from which a doubt is worth a person's time."""
UNSEEN_S = 0.3
"""A moving ball unseen for longer than this is told."""
FRAMES_MISSING_S = 0.12
"""A gap in the pictures longer than this, while balls move, is told."""


def find_doubts(scene: Scene, window: ShotWindow, first: FirstContact, report: TrackReport | None, *, complete: bool) -> Sequence[Doubt]:
    """The doubts of a shot, the gravest first."""
    doubts: list[Doubt] = []
    if scene.strike is None:
        doubts.append(Doubt(kind="strike_not_seen", text="balls were moving already when the recording began"))
    doubts += _split(scene, first)
    if not complete:
        open_ = may_change(scene.endings, scene.around)
        what = f"{', '.join(open_)} may still meet something" if open_ else "none of them can change anything any more"
        falls = tuple(ball for ball in may_fall(scene.endings, scene.around) if ball in open_)
        doubts.append(Doubt(kind="not_at_rest", text=f"the recording ends while balls roll; {what}", balls=open_, falls=falls))
    lost = tuple(ball for ball, ending in scene.endings.items() if ending.kind == "lost")
    if lost:
        doubts.append(Doubt(kind="hidden", text=f"not seen at the end: {', '.join(lost)}", balls=lost))
    unseen = tuple(ball for ball, path in scene.paths.items() if path.pieces[0].moving and path.times_s[0] > scene.strike_s)
    if unseen and scene.strike is not None:
        doubts.append(Doubt(kind="hidden", text=f"not seen before the stroke: {', '.join(unseen)}", t=0.0, balls=unseen))
    doubts += _gaps(scene, window, lost)
    if scene.clock.doubtful:
        doubts.append(Doubt(kind="clock", text="the pictures are not as far apart as their time stamps say; times are good to a picture"))
    if report is not None:
        unsure = {identity.ball: dict(identity.others) for identity in report.identities if identity.probability < 1 - WORTH_NAMING}
        if unsure:
            text = f"names not sure: {', '.join(unsure)}"
            doubts.append(Doubt(kind="identity", text=text, balls=tuple(unsure), names=unsure))
    off = tuple(ball for ball, ending in scene.endings.items() if ending.kind == "off_table" and ending.p < 0.99)
    if off:
        doubts.append(Doubt(kind="off_table", text=f"probably off the table: {', '.join(off)}", balls=off))
    return [*doubts, *oddities(scene)]


def _split(scene: Scene, first: FirstContact) -> list[Doubt]:
    likely = tuple(ball for ball, p in first.probability.items() if p >= WORTH_NAMING and ball not in ("none", "unknown"))
    likely = tuple(ball for ball in likely if ball in scene.paths)
    if len(likely) < 2 or first.time_s is None:
        return []
    text = f"hit almost together: {' or '.join(likely)} first"
    return [Doubt(kind="split_hit", text=text, t=scene.since_strike(first.time_s), balls=likely)]


def _gaps(scene: Scene, window: ShotWindow, lost: Sequence[BallId]) -> list[Doubt]:
    doubts = []
    for ball, path in scene.paths.items():
        if not path.moves or ball in lost:
            continue
        gaps = np.diff(path.times_s)
        for k in np.flatnonzero(gaps > max(UNSEEN_S, 4 * scene.frame_s)):
            way = path.xy_m[k + 1] - path.xy_m[k]
            if float(np.hypot(way[0], way[1])) > 0.02:
                text = f"{ball} was not seen for {gaps[k]:.1f} s while it moved"
                doubts.append(Doubt(kind="hidden", text=text, t=scene.since_strike(float(path.times_s[k])), balls=(ball,)))
    stamps = scene.clock.stamps_s
    for k in np.flatnonzero(np.diff(stamps) > max(FRAMES_MISSING_S, 3.5 * scene.frame_s)):
        if stamps[k + 1] > scene.clock.to_stamp(scene.strike_s):
            text = f"no pictures of the table for {stamps[k + 1] - stamps[k]:.2f} s"
            doubts.append(Doubt(kind="frames_missing", text=text, t=float(stamps[k] - scene.clock.to_stamp(scene.strike_s))))
    for start, end in window.unusable:
        text = f"another view or a torn picture from {start:.2f} s to {end:.2f} s"
        doubts.append(Doubt(kind="frames_missing", text=text, t=start - scene.clock.to_stamp(scene.strike_s)))
    return doubts
