"""Everything read off a shot's window before facts are stated: paths, stroke, contacts, endings.

All times in a scene are on the corrected clock (truetime.py); what is stated goes back to the recording's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.equipment import BallId
from tracker.causes import driven_unseen, missing_causes, pinned_partners
from tracker.contacts import Contact, explain, separate
from tracker.early import early_cushion
from tracker.endings import Ending, find_ending, with_last_step
from tracker.history import BallTrack, TrackEnd, TrackReport
from tracker.kinks import Kink, Path, find_kinks
from tracker.noses import Surroundings
from tracker.parting import parted
from tracker.rebounds import given_back, stopped_short, turned_back
from tracker.segment import ShotWindow
from tracker.soft import soft_contacts
from tracker.stroke import CLEAR_MPS, CUE_NAMES, TOUCHING_M, find_stroke, hardly_moved, stroke_unseen, struck_before, was_carried, was_taken
from tracker.sway import steadied
from tracker.synthesis import Touches, play_moments
from tracker.truetime import TrueTime, true_time
from tracker.vanished import vanished_ending, vanished_wakes
from tracker.wake import make_path, rest_noise_m

VISIT_M = 0.03
"""A ball that came this near to where another was last seen may have moved it: places between frames are not known."""

START_SIGMAS, STIR_M = 3.0, 0.0025
"""A start of fewer deviations may be none at all, if it leads no farther than this."""
SET_RIGHT_M, BLOW_MPS = 0.01, 0.3
"""How far a cue ball creeps under a hand or a tip that sets it right before the blow, and a start that is surely one."""
ROLLED_M, ROLLED_SAMPLES = 0.2, 8
"""A smooth way this long in so many pictures is a ball's: a hand or a shadow taken for it makes none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One shot as paths and changes of course.

    Attributes:
        paths: Ball to path.
        around: The bed's edge.
        clock: Corrected against stamped time.
        frame_s: Usual spacing of the pictures.
        end_s: Last picture.
        strike: First kink of the struck ball; None where it was not seen.
        strike_s: Tip contact; the first picture where it was not seen.
        contacts: In time order.
        wakes: First kinks of the other balls that lay still.
        endings: How each track ends.
        touches: What the struck ball touched first in moments that were played through, in time order.
    """

    paths: Mapping[BallId, Path]
    around: Surroundings
    clock: TrueTime
    frame_s: float
    end_s: float
    strike: Kink | None
    strike_s: float
    contacts: Sequence[Contact]
    wakes: Sequence[Kink]
    endings: Mapping[BallId, Ending]
    touches: Sequence[Touches] = ()

    def since_strike(self, true_s: float) -> float:
        """Seconds from the tip contact on the recording's clock."""
        return self.clock.to_stamp(true_s) - self.clock.to_stamp(self.strike_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What the tracks of a window say by themselves, wherever the edge of the bed is: clock, paths, changes of course.

    Attributes:
        clock: Corrected against stamped time.
        tracks: On the corrected clock.
        frame_s: Usual spacing of the pictures.
        paths: Ball to path.
        kinks: Of all balls, each ball's in time order.
    """

    clock: TrueTime
    tracks: Sequence[BallTrack]
    frame_s: float
    paths: Mapping[BallId, Path]
    kinks: Sequence[Kink]


def read_ways(window: ShotWindow, report: TrackReport | None) -> Ways | None:
    """The ways of a window; None where no ball moves."""
    if not window.tracks:
        return None
    clock = true_time(window.tracks, report.clock if report is not None else None)
    tracks = steadied(clock.correct(window.tracks))
    noise = rest_noise_m(tracks)
    times = np.unique(np.concatenate([track.times_s for track in tracks]))
    frame = float(np.median(np.diff(times))) if len(times) > 1 else 0.04
    paths = {path.ball: path for track in tracks if (path := make_path(track, noise)) is not None}
    if not any(path.moves for path in paths.values()):
        return None
    kinks = [kink for path in paths.values() for kink in _without_stir(find_kinks(path))]
    return Ways(clock=clock, tracks=tracks, frame_s=frame, paths=paths, kinks=kinks)


def read_scene(window: ShotWindow, ways: Ways, around: Surroundings, report: TrackReport | None) -> Scene | None:
    """The scene of a window; None where the ball that moves was not struck."""
    clock, tracks, frame, paths, kinks = ways.clock, ways.tracks, ways.frame_s, dict(ways.paths), list(ways.kinks)
    start, end = clock.to_true(window.start_s), clock.to_true(window.end_s)
    gone = vanished_wakes(paths, kinks, 2 * around.radius_m, end, frame)
    kinks += gone
    wakes = _starts(kinks)
    wakes |= {kink.ball: kink for kink in gone}  # what it seemed to do before was a drift of the measurement
    unseen = not window.strike_seen and stroke_unseen(paths, start, frame)
    strike = None if unseen else find_stroke(wakes, 2 * around.radius_m)
    passed = struck_before(strike, paths, 2 * around.radius_m) if strike is not None else None
    if passed is not None:
        strike = passed
        kinks.append(passed)
    free = frozenset(i for i, kink in enumerate(kinks) if kink is strike)
    contacts = explain(kinks, around, free=free, frame_s=frame)
    contacts, touches = play_moments(kinks, contacts, paths, around, strike, frame)
    contacts += missing_causes(kinks, contacts, paths, strike, around, frame)
    contacts += pinned_partners(kinks, contacts, paths, around, frame)
    contacts += driven_unseen(contacts, paths, around, strike, frame)
    contacts += given_back(kinks, contacts, paths, around, frame)
    early = early_cushion(paths[strike.ball], strike, contacts, around, frame) if strike is not None else None
    if early is not None:
        contacts.append(early[0])
    since = strike.time_s if strike is not None else start
    contacts += soft_contacts(paths, contacts, around, since, frame)
    contacts += stopped_short(paths, contacts, around, since, frame)
    contacts += turned_back(kinks, contacts, paths, around, frame)
    contacts = separate(contacts)
    alone = strike is not None and not any(strike.ball in (c.ball, c.other) and c.time_s > strike.low_s for c in contacts)
    ends = {} if report is None else {track_end.ball: track_end for track_end in report.ends}
    if strike is not None and alone and not _others_played(wakes, paths, strike):
        path = paths[strike.ball]
        if _not_struck(path, strike) or was_taken(path, ends.get(strike.ball)):
            return None
    if strike is None and not unseen:
        return None
    paths = {ball: parted(path, contacts, frame) for ball, path in paths.items()}
    paths = {ball: with_last_step(path, [c.time_s for c in contacts if ball in (c.ball, c.other)]) for ball, path in paths.items()}
    endings = _caused(_endings(paths, tracks, around, end, frame, report), paths, contacts, strike, around)
    endings |= {kink.ball: vanished_ending(kink, around, end, ends.get(kink.ball)) for kink in gone}
    return Scene(
        paths=paths,
        around=around,
        clock=clock,
        frame_s=frame,
        end_s=end,
        strike=strike,
        strike_s=early[1] if early is not None else _tip_s(strike, wakes, around) if strike is not None else start,
        contacts=contacts,
        wakes=[kink for kink in wakes.values() if kink is not strike],
        endings=endings,
        touches=touches,
    )


def _without_stir(kinks: Sequence[Kink]) -> list[Kink]:
    """One ball's kinks, in time order. A start of no speed at a place that it has not left when it really starts is noise, or a hand
    that sets the ball right: the blow came when it left."""
    first = kinks[0] if kinks else None
    if first is None or not first.wakes or first.size_mps >= CLEAR_MPS:
        return list(kinks)
    for k, kink in enumerate(kinks[1:], start=1):
        way = kink.place_m - first.before.coefficients[0]
        if float(np.hypot(way[0], way[1])) >= (SET_RIGHT_M if kink.ball in CUE_NAMES else STIR_M):
            break
        if kink.size_mps > BLOW_MPS and not kink.wakes and kink.after.moving:
            return [replace(kink, before=first.before), *kinks[k + 1 :]]
    return list(kinks)


def _starts(kinks: Sequence[Kink]) -> dict[BallId, Kink]:
    """The first start of each ball from rest, in the order of `kinks`; one that shows no speed of its own and leads to rest again is noise
    that leaned one way for a while, where another follows."""
    starts: dict[BallId, Kink] = {}
    for kink in kinks:
        if not kink.wakes:
            continue
        first = starts.get(kink.ball)
        if first is None or (kink.size_mps > CLEAR_MPS and _is_stir(first, kink)):
            starts[kink.ball] = kink
    return starts


def _is_stir(first: Kink, later: Kink) -> bool:
    way = later.before.coefficients[0] - first.before.coefficients[0]
    return first.size_mps < START_SIGMAS * first.variance**0.5 and float(np.hypot(way[0], way[1])) < STIR_M


def _tip_s(strike: Kink, wakes: Mapping[BallId, Kink], around: Surroundings) -> float:
    """When the tip met the ball: a ball that passes the whole blow on to one that it touches starts later, or never."""
    touching = [
        kink.time_s
        for kink in wakes.values()
        if kink is not strike
        and kink.size_mps > CLEAR_MPS
        and float(np.hypot(*(kink.before.coefficients[0] - strike.before.coefficients[0]))) < 2 * around.radius_m + TOUCHING_M
    ]
    if touching and strike.size_mps < CLEAR_MPS and min(touching) > strike.time_s:
        return min(touching)  # of its own start, after that, hardly anything is seen, and what seems one before is noise
    return min([strike.time_s, *touching])


def _not_struck(path: Path, strike: Kink) -> bool:
    return hardly_moved(path, strike) or was_carried(path, strike)


def _others_played(wakes: Mapping[BallId, Kink], paths: Mapping[BallId, Path], strike: Kink) -> bool:
    """Whether another ball started as balls do that are hit, and ran on: no hand that carries one does that, an arm that hid how
    the first was struck does."""
    return any(
        kink is not strike and kink.size_mps > CLEAR_MPS and kink.time_s > strike.time_s and not _not_struck(paths[ball], kink)
        for ball, kink in wakes.items()
    )


def _endings(
    paths: Mapping[BallId, Path],
    tracks: Sequence[BallTrack],
    around: Surroundings,
    end_s: float,
    frame_s: float,
    report: TrackReport | None,
) -> dict[BallId, Ending]:
    ends = {end.ball: end for end in report.ends} if report is not None else {}
    last_rows = {track.ball: float(track.times_s[-1]) for track in tracks}
    endings = {}
    for ball, path in paths.items():
        ending = find_ending(path, around, end_s, frame_s)
        if ball in ends:
            ending = _weighed(ending, ends[ball])
        elif report is not None and ending.kind in ("lost", "pocketed", "off_table") and last_rows[ball] > end_s - 1.5 * frame_s:
            # the tracker carries it on to the last picture: it knows of no end
            ending = replace(ending, kind="rest", p=0.9)
        endings[ball] = ending
    return endings


def _weighed(ending: Ending, end: TrackEnd) -> Ending:
    """An ending with the tracker's evidence (who covered what, a ball seen in the cup) taken in."""
    if ending.kind == "pocketed":
        same = ending.pocket == end.pocket
        theirs = end.p_pocketed if same else 0.0
        p = max(ending.p, theirs) if theirs > 0.9 else 0.5 * (ending.p + theirs)
        return replace(ending, p=p, pocket=ending.pocket if same or ending.p > end.p_pocketed else end.pocket)
    if ending.kind in ("lost", "off_table", "rest", "rolling"):
        if end.p_pocketed > max(0.5, end.p_off_table):
            return replace(ending, kind="pocketed", p=end.p_pocketed, pocket=end.pocket)
        if end.p_off_table > 0.5:
            return replace(ending, kind="off_table", p=end.p_off_table)
        if ending.kind == "lost" and end.p_pocketed >= 0.05:
            return replace(ending, p_pocketed=end.p_pocketed, pocket=end.pocket)
    return ending


def _caused(
    endings: Mapping[BallId, Ending], paths: Mapping[BallId, Path], contacts: Sequence[Contact], strike: Kink | None, around: Surroundings
) -> dict[BallId, Ending]:
    """Endings without falls that nothing can have caused.

    A ball that lay still, that nothing touched and that nothing came near after it was last seen did not fall: it is
    hidden, or its track took something else for the ball.
    """
    hit = {name for contact in contacts for name in (contact.ball, contact.other)}
    result = {}
    for ball, ending in endings.items():
        path = paths[ball]
        own = strike is None or ball == strike.ball
        idle = not own and ball not in hit and not _rolled(path)
        if idle and ending.kind in ("pocketed", "off_table", "lost") and not _visited(path, paths, around):
            ending = replace(ending, kind="lost", pocket=None, p_pocketed=0.0)
        result[ball] = ending
    return result


def _rolled(path: Path) -> bool:
    """Whether a ball was seen on its way for long: something moved it, seen or not."""
    return any(
        piece.moving
        and piece.count >= ROLLED_SAMPLES
        and float(np.hypot(*(piece.position(piece.end_s) - piece.position(piece.start_s)))) > ROLLED_M
        for piece in path.pieces
    )


def _visited(path: Path, paths: Mapping[BallId, Path], around: Surroundings) -> bool:
    """Whether a moving ball came to where a ball was last seen, or lay before that, after it left."""
    rest = path.pieces[0] if not path.pieces[0].moving and len(path.pieces) > 1 else None
    places = [(float(path.times_s[-1]), path.xy_m[-1])] + ([(rest.end_s, rest.coefficients[0])] if rest is not None else [])
    for other in paths.values():
        if other is path or not other.moves:
            continue
        for last, place in places:
            later = other.times_s > last - 0.1
            if other.times_s[-1] <= last or not later.any():
                continue
            if float(np.hypot(*(other.xy_m[later] - place).T).min()) < 2 * around.radius_m + VISIT_M:
                return True
    return False
