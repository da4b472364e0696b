"""How tracks end: the evidence for pocketed, off the table, still there but not seen.

A ball is not pocketed because it vanished. For it speak: a path that enters a mouth, a last place at or behind the
mouth's line, a ball in the cup afterwards that was not there before, the bed in plain view meanwhile. Against it: the
place or the way hidden when it was last seen, a path that leads elsewhere, a last place in the open at rest. Each adds to
log-odds; the sizes below are set by hand from what each is worth and rounded, not fitted to clips.

A ball that rested and was gone when another one reached it was struck so hard that no picture shows it: it left along
the line of centres (a cut throws it off by at most a few degrees; Alciatore, TP A.14), and that line takes the place of
its path.

Fails: a ball picked up by hand at a mouth looks pocketed; the event reader knows whether somebody handled balls.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, hypot, log

import numpy as np

from calibration.equipment import BallId
from tracker.history import BallTrack, TrackEnd
from tracker.identity import NameBook
from tracker.pockets import PocketMap
from tracker.strand import FrameRecord

_SOON_S = 0.5
"""A straight path that enters a mouth later than this says little: roll-off, spin and cushions come between."""
_OPEN_END_S = 0.12
"""A track that lasts until this close to the end of the recording has not ended."""
_CUP_S = 4.0
"""A ball in the cup has to be seen within this time to be the one that fell (100 pictures at 25 a second)."""
_CUP_NEAR_M = 0.03
"""A ball in the cup this close to one that lay there before is the same."""
_THROW = 0.07
"""Half width of the fan in which a struck ball leaves the line of centres, radians: throw 3 degrees, a place of the
striker 2 mm off another 2 to 4."""
_STRUCK_SOON_S = 1.5
"""A struck ball that no picture shows is fast: it reaches a mouth within this time at the speed it was given."""
_APPROACH_S = 0.15
"""The striker reaches a ball within this time after both were last seen."""
_STRIKER_MPS = 0.5
"""A slower ball gives no speed that makes a ball vanish."""
_PART_OF_TABLE = 0.7
"""A place covered in a larger share of the pictures is a shadowed mouth or a graphic at the rim, not an arm."""
_JUST_AFTER_S = 0.2
"""Something that covers the place within this time after the ball was last seen may have hidden it."""
_GHOST_S = 1.0
"""A place watched this long without its ball: shorter, a ball in a player's shadow could pass for a ghost."""
_GHOST_SHARE = 0.6
"""Share of its pictures in which a track was seen below which it can be a ghost: balls half under an arm reach 0.7 to 0.8,
knuckles 0.2 to 0.5."""
_GHOST_SCORE = 0.75
"""Mean score below which it can be one: balls at rest in the open have 0.95 and more, hands 0.3 to 0.7."""
_TURN_SHARE = 0.15
"""Last step off the mean of the last two by this share: the ball turned in between, and the mean leads nowhere."""
_JUMP_MPS = 1.5
"""A ball slower than this seldom jumps a cushion: it came back and was missed as likely."""
_SEEN_SHARE = 0.6
"""Share of pictures in which a fast ball that still ran on the bed would be seen."""
_NEXT_PICTURE_S = 0.06
"""A ball is expected in the next picture but one at 25 a second: where it reached a nose in between, it may be in the air."""
_BEYOND_S = 0.3
"""A ball that jumps a cushion is over the rail for about this time; later it is out of the picture or on the floor."""
_NEAR_MOUTH_M = 0.25
"""Nearer to a mouth than this, a ball lost at a nose met a jaw and fell more often than it jumped."""
_AT_MOUTH_M = 0.09
"""Last place this close to the middle of a mouth counts as at the mouth: a fast ball's last picture is before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clues:
    entry_s: float | None
    behind: bool
    at_mouth: bool
    inwards: bool
    resting: bool
    struck: bool
    hidden: bool
    in_cup: bool
    off: bool
    beyond: bool
    watched_s: float
    fast: bool = True
    missed: float = 0.0


def read_ends(
    gone: Sequence[BallTrack],
    tracks: Sequence[BallTrack],
    frames: Sequence[FrameRecord],
    places: PocketMap,
    book: NameBook,
    to_s: float,
) -> tuple[TrackEnd, ...]:
    """One entry per track that ends before `to_s` and before the last picture.

    Args:
        gone: Tracks not seen again after the stretch.
        tracks: All of the stretch.
        frames: Everything remembered, in time order.
        places: Mouths.
        book: Names, for the looks of balls in cups.
        to_s: End of the stretch, seconds.
    """
    if not frames:
        return ()
    last_s = min(to_s, frames[-1].time_s)
    ends = []
    for track in gone:
        if track.seen.any() and track.times_s[-1] < last_s - _OPEN_END_S:
            ends.append(_read_end(track, tracks, frames, places, book))
    return tuple(ends)


def find_ghosts(ends: Sequence[TrackEnd], tracks: Sequence[BallTrack], scores: Mapping[BallId, float]) -> frozenset[BallId]:
    """Tracks that are no ball: at rest, seen off and on or with doubt, and gone for good in plain view though nothing touched them.

    A ball at rest is seen in nearly every picture and goes nowhere by itself; knuckles, a watch or a sleeve on the bed look
    like one now and then and leave with the player.

    Args:
        ends: How tracks ended.
        tracks: All of them.
        scores: Mean score of each track's detections.
    """
    weak = {track.ball for track in tracks if track.seen.mean() < _GHOST_SHARE or scores[track.ball] < _GHOST_SCORE}
    return frozenset(end.ball for end in ends if end.ball in weak and end.resting and end.in_pocket is None and end.watched_s >= _GHOST_S)


def _read_end(track: BallTrack, tracks: Sequence[BallTrack], frames: Sequence[FrameRecord], places: PocketMap, book: NameBook) -> TrackEnd:
    row = int(np.flatnonzero(track.seen)[-1])
    time = float(track.times_s[row])
    x, y = (float(v) for v in track.positions_m[row])
    velocity, resting = _last_motion(track, row)
    here = places.place((x, y))
    away = _struck(track, row, tracks, places.table.spec.ball_radius_m) if resting else None
    if away is not None:
        velocity, resting = away, False
    entry = places.entry((x, y), velocity, spread=_THROW if away is not None else 0.0)
    soon = entry is not None and (entry[1] <= _SOON_S or (away is not None and entry[1] <= _STRUCK_SOON_S))
    pocket = entry[0] if entry is not None and soon else here.pocket
    middle = places.table.mouth_centre_m(pocket)
    distance = hypot(x - middle[0], y - middle[1])
    inwards = velocity[0] * (middle[0] - x) + velocity[1] * (middle[1] - y) > 0
    hidden, watched = _view(frames, time, (x, y), middle, places)
    cup = _new_in_cup(track, time, frames, book)
    beyond = not resting and _seen_beyond(time, (x, y), velocity, frames)
    leaves = not soon and not resting and distance > _NEAR_MOUTH_M and _leaves_soon((x, y), velocity, places)
    off = here.kind == "outside" or beyond or leaves
    clues = _Clues(
        entry_s=entry[1] if entry is not None and soon else None,
        behind=here.depth_m > 0 and here.kind in ("jaws", "cup"),
        at_mouth=distance < _AT_MOUTH_M,
        inwards=inwards,
        resting=resting,
        struck=away is not None,
        hidden=hidden,
        in_cup=cup is not None and (cup[0] == pocket or distance > 0.5),
        off=off,
        beyond=beyond,
        watched_s=watched,
        fast=hypot(*velocity) > _JUMP_MPS,
        missed=_pictures_to_mouths((x, y), velocity, frames, places) if leaves else 0.0,
    )
    p_pocketed, p_off, p_hidden = _weigh(clues)
    if cup is not None and clues.in_cup:
        pocket = cup[0]
    return TrackEnd(
        ball=track.ball,
        time_s=time,
        position_m=(x, y),
        velocity_mps=velocity,
        sigma_m=float(track.sigma_m[row]),
        resting=resting,
        pocket=pocket,
        pocket_distance_m=distance,
        entry_s=clues.entry_s,
        hidden=hidden,
        watched_s=watched,
        in_pocket=cup[0] if cup else None,
        in_pocket_s=cup[1] if cup else None,
        off_table=off,
        p_pocketed=p_pocketed,
        p_off_table=p_off,
        p_hidden=p_hidden,
    )


def _last_motion(track: BallTrack, row: int) -> tuple[tuple[float, float], bool]:
    """Velocity over the last few measured rows, and whether the ball rests there; a ball that turned has the last step's."""
    rows = [k for k in np.flatnonzero(track.seen[: row + 1])[-4:] if track.times_s[row] - track.times_s[k] < 0.25]
    if len(rows) < 2:
        return (0.0, 0.0), False
    first = rows[-min(3, len(rows))]
    span = float(track.times_s[row] - track.times_s[first])
    way = track.positions_m[row] - track.positions_m[first]
    still = len(rows) >= 3 and float(np.hypot(*way)) < 3 * float(track.sigma_m[row]) + 0.0015
    if still:
        return (0.0, 0.0), True
    step_s = float(track.times_s[row] - track.times_s[rows[-2]])
    step = track.positions_m[row] - track.positions_m[rows[-2]]
    if float(np.hypot(*(way * (step_s / span) - step))) > _TURN_SHARE * float(np.hypot(*step)) + 6 * float(track.sigma_m[row]):
        way, span = step, step_s
    return (float(way[0]) / span, float(way[1]) / span), False


def _struck(track: BallTrack, row: int, tracks: Sequence[BallTrack], radius_m: float) -> tuple[float, float] | None:
    """Velocity with which a resting ball left when another one reached it just after `row`; None where none did.

    The speed is that of the other ball times the cosine of the cut, a little more than it can be.
    """
    x, y = (float(v) for v in track.positions_m[row])
    time = float(track.times_s[row])
    best: tuple[float, tuple[float, float]] | None = None
    for other in tracks:
        if other.ball == track.ball:
            continue
        rows = [k for k in np.flatnonzero(other.seen) if time - _APPROACH_S <= other.times_s[k] <= time + 1e-6]
        if len(rows) < 2:
            continue
        first, last = rows[-2], rows[-1]
        span = float(other.times_s[last] - other.times_s[first])
        px, py = (float(v) for v in other.positions_m[last])
        vx, vy = (float(v) / span for v in other.positions_m[last] - other.positions_m[first])
        speed = hypot(vx, vy)
        if speed < _STRIKER_MPS:
            continue
        ahead = ((x - px) * vx + (y - py) * vy) / speed
        across = ((x - px) * vy - (y - py) * vx) / speed
        if abs(across) >= 2 * radius_m or ahead < 0:
            continue
        wait = (ahead - (4 * radius_m**2 - across**2) ** 0.5) / speed
        if wait > _APPROACH_S or (best is not None and wait >= best[0]):
            continue
        nx, ny = (x - px - vx * wait) / (2 * radius_m), (y - py - vy * wait) / (2 * radius_m)
        push = max(vx * nx + vy * ny, 0.1)
        best = (wait, (nx * push, ny * push))
    return None if best is None else best[1]


def _view(
    frames: Sequence[FrameRecord], time_s: float, place: tuple[float, float], mouth: tuple[float, float], places: PocketMap
) -> tuple[bool, float]:
    """Whether last place or way to the mouth was covered around the end, and for how long both were in view afterwards."""
    spec = places.table.spec
    near = hypot(mouth[0] - place[0], mouth[1] - place[1]) < 0.3
    points = [_on_bed(place, places)]
    if near:
        points += [_on_bed((place[0] + s * (mouth[0] - place[0]), place[1] + s * (mouth[1] - place[1])), places) for s in (0.5, 1.0)]
    covered = np.array([[record.is_hidden(x, y, spec.length_m, spec.width_m) for x, y in points] for record in frames])
    usable = np.array([record.usable for record in frames])
    always = covered[usable].mean(axis=0) > _PART_OF_TABLE if usable.any() else np.zeros(len(points), dtype=bool)
    plain = ~(covered & ~always).any(axis=1) & usable
    times = np.array([record.time_s for record in frames])
    later = times > time_s + 1e-9
    spans = np.diff(times, prepend=times[0])
    hidden = bool((~plain & later & (times - time_s < _JUST_AFTER_S)).any())
    return hidden, float(spans[plain & later].sum())


def _on_bed(point: tuple[float, float], places: PocketMap) -> tuple[float, float]:
    """The nearest place at which a ball can lie clear of the cushions and, in a mouth, the bed before it: masks are uncertain at
    noses, and in a mouth they show the hole or what lies in it."""
    x, y = (max(-limit, min(limit, value)) for value, limit in zip(places.before(point), (places.limit_x_m, places.limit_y_m), strict=True))
    return x, y


def _new_in_cup(track: BallTrack, time_s: float, frames: Sequence[FrameRecord], book: NameBook) -> tuple[str, float] | None:
    """Pocket and time where a ball shows in a cup after `time_s` that did not lie there before."""
    before: dict[str, list[tuple[float, float]]] = {}
    column = book.labels.index(track.ball) if track.ball in book.labels and book.ball_set.distinct else None
    counts: dict[str, tuple[int, float]] = {}
    for record in frames:
        for pocket, x, y, score, looks in record.cups:
            if record.time_s <= time_s:
                before.setdefault(pocket, []).append((x, y))
                continue
            if record.time_s > time_s + _CUP_S or score < 0.3:
                continue
            if any(hypot(x - bx, y - by) < _CUP_NEAR_M for bx, by in before.get(pocket, ())):
                continue
            if column is not None and float(looks[column]) < -2.5:
                continue
            count, first = counts.get(pocket, (0, record.time_s))
            counts[pocket] = (count + 1, first)
    likely = [(count, pocket, first) for pocket, (count, first) in counts.items() if count >= 2]
    if not likely:
        return None
    _, pocket, first = max(likely)
    return pocket, first


def _leaves_soon(place: tuple[float, float], velocity: tuple[float, float], places: PocketMap) -> bool:
    """True for a fast ball that reached a nose just after it was last seen: it may have jumped the cushion."""
    if hypot(*velocity) < _STRIKER_MPS:
        return False
    x_out = abs(place[0]) + abs(velocity[0]) * _NEXT_PICTURE_S > places.limit_x_m + 0.01 and place[0] * velocity[0] > 0
    y_out = abs(place[1]) + abs(velocity[1]) * _NEXT_PICTURE_S > places.limit_y_m + 0.01 and place[1] * velocity[1] > 0
    return x_out or y_out


def _pictures_to_mouths(
    place: tuple[float, float], velocity: tuple[float, float], frames: Sequence[FrameRecord], places: PocketMap
) -> float:
    """How many pictures would have shown a ball on its way to the nearest mouth at that speed."""
    times = np.array([record.time_s for record in frames])
    spacing = float(np.median(np.diff(times))) if len(times) > 1 else 0.04
    way = float(np.hypot(*(places.middles_m - place).T).min()) - _AT_MOUTH_M
    return max(way, 0.0) / max(hypot(*velocity), 1e-6) / max(spacing, 1e-3)


def _seen_beyond(time_s: float, place: tuple[float, float], velocity: tuple[float, float], frames: Sequence[FrameRecord]) -> bool:
    """Whether something round showed over a cushion just afterwards, on the ball's straight path, where nothing was before."""
    speed = hypot(*velocity)
    if speed < _STRIKER_MPS:
        return False
    along = (velocity[0] / speed, velocity[1] / speed)
    before: list[tuple[float, float]] = []
    for record in frames:
        if record.time_s > time_s + _BEYOND_S:
            return False
        for x, y, _ in record.outside:
            dx, dy = x - place[0], y - place[1]
            ahead, aside = dx * along[0] + dy * along[1], abs(dy * along[0] - dx * along[1])
            if record.time_s <= time_s:
                before.append((x, y))
            elif (
                0 < ahead < 1.3 * speed * (record.time_s - time_s) + _CUP_NEAR_M
                and aside < _CUP_NEAR_M
                and all(hypot(x - bx, y - by) > _CUP_NEAR_M for bx, by in before)
            ):
                return True
    return False


def _weigh(clues: _Clues) -> tuple[float, float, float]:
    """Probabilities of pocketed, off the table, still there."""
    pocketed = -1.0
    if clues.entry_s is not None:
        pocketed += 3.5 if clues.entry_s < 0.25 or clues.struck else 2.0
    if clues.behind:
        pocketed += 2.5
    elif clues.at_mouth:
        pocketed += 1.5 if clues.inwards or clues.resting else 0.5
    if clues.in_cup:
        pocketed += 3.0
    if clues.entry_s is None and not clues.behind and not clues.at_mouth and not clues.struck:
        pocketed -= 2.0
    pocketed += log(1 - _SEEN_SHARE) * min(clues.missed, 5.0)
    seen = min(clues.watched_s, 2.5)
    hidden = 0.5 + (2.0 if clues.hidden else 0.0) + (1.5 if clues.resting else 0.0) - 2.0 * seen
    if clues.off and not clues.fast:
        hidden += 2.5  # it came back from the cushion, or lies at it, and is missed
    off = -3.5 + (5.0 if clues.off else 0.0) + (3.0 if clues.beyond else 0.0)
    top = max(pocketed, hidden, off)
    weights = [exp(value - top) for value in (pocketed, off, hidden)]
    total = sum(weights)
    return weights[0] / total, weights[1] / total, weights[2] / total
