"""How a ball's track ends: at rest, still rolling, in a pocket, off the table, or out of sight.

Nothing is pocketed because it vanished: a track that ends counts as pocketed when its last path leads into a mouth
within the time it needs, or when its last places lie deeper in a mouth than a ball can rest. A ball that was at rest
when it was lost is hidden, wherever it lay.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracker.kinks import Path
from tracker.noses import CORNER_HANG_RATIO, INWARD, SIDE_HANG_RATIO, Surroundings
from tracker.trajectory import ACCELERATION_PRIOR_MPS2, Piece

FloatArray = NDArray[np.float64]

LOST_S = 0.25
"""A track that ends this much before the last frame has ended; shorter gaps are missed detections."""
ENTRY_S = 0.35
"""A ball that runs into a pocket is expected in the mouth within this time of its last sample."""
LEAST_STEP_S = 0.002
"""Over a shorter time than this a step is noise."""
NEXT_MPS, NEXT_S, NEXT_P = 0.25, 0.05, 0.99
"""A ball this fast that reaches the line between the lips within this time rolls over the shelf (0.1 m/s^2 takes 0.1 m/s of it
there), and the probability that it falls."""
STILL_MPS = 0.012
"""Slower than this at the last sample is at rest: it stops within a few millimetres."""
STOOD_S, STOOD_P, LAY_P = 0.25, 0.993, 0.6
"""A ball that came to a mouth, seemed to stand there for no longer than this and was not seen again tipped over the edge: an arm would
have to come at that moment and stay. The probability of that, and for one that had lain there for longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The end of one ball's track.

    Attributes:
        kind: `rest`, `rolling`, `pocketed`, `off_table` or `lost`.
        p: Probability of that kind (and pocket) as stated.
        time_s: Of the end: rest reached, mouth entered, last seen.
        place_m: Shape (2,), last place on the bed.
        pocket: Where it fell.
        velocity_mps: At the last sample, of a ball that still rolls.
        p_pocketed: Probability that a lost ball fell into `pocket`.
    """

    kind: str
    p: float
    time_s: float
    place_m: FloatArray
    pocket: str | None = None
    velocity_mps: tuple[float, float] = (0.0, 0.0)
    p_pocketed: float = 0.0


def with_last_step(path: Path, contacts_s: Sequence[float]) -> Path:
    """The path with a way to go on by where its last piece is a single sample, which alone has no velocity.

    It came there from where it was touched last, if that was in between, else from the sample before.

    Args:
        path: Of a ball.
        contacts_s: When it touched something, seconds.
    """
    last = path.pieces[-1]
    if len(path.pieces) < 2 or not last.moving or last.count > 1:
        return path
    before = path.pieces[-2]
    time, place = last.end_s, last.position(last.end_s)
    touched = [when for when in contacts_s if before.end_s <= when < time]
    origin_s = max(touched) if touched else before.end_s
    span = time - origin_s
    if span < LEAST_STEP_S:
        return path
    start = before.position(origin_s)
    spread = (before.position_variance(origin_s) + float(path.variance[-1])) / span**2
    step = replace(
        last,
        origin_s=time,
        coefficients=np.array([place, (place - start) / span, np.zeros(2)]),
        covariance=np.diag([float(path.variance[-1]), spread, ACCELERATION_PRIOR_MPS2**2]),
    )
    return replace(path, pieces=(*path.pieces[:-1], step))


def find_ending(path: Path, around: Surroundings, end_s: float, frame_s: float) -> Ending:
    """How the track of a ball ends in a recording that goes on until `end_s`."""
    last = path.pieces[-1]
    time = float(path.times_s[-1])
    place = last.position(time)
    ended = end_s - time > max(LOST_S, 3 * frame_s)
    deep = _lies_in(path, around)
    if deep is not None:
        return Ending(kind="pocketed", p=0.995, time_s=deep[1], place_m=place, pocket=deep[0])
    speed = last.speed(time) if last.moving else 0.0
    if ended or end_s - time > 1.5 * frame_s:
        found = _falls(path, last, around, time, frame_s)
        if found is not None and (ended or found[1] > 0.9):
            pocket, p, entry = found
            return Ending(kind="pocketed", p=p if ended else 0.8 * p, time_s=entry, place_m=place, pocket=pocket)
        if ended:
            outside = min(around.gap_m(cushion, place) for cushion in INWARD)
            if outside < -0.5 * around.radius_m:
                return Ending(kind="off_table", p=0.9, time_s=time, place_m=place)
            if speed > 0.5 and outside < speed * 2 * frame_s:
                return Ending(kind="off_table", p=0.4, time_s=time, place_m=place)
            return Ending(kind="lost", p=0.9, time_s=time, place_m=place)
    if speed > STILL_MPS:
        mouth = _falls_next(last, around, time)
        if mouth is not None:
            return Ending(kind="pocketed", p=NEXT_P, time_s=time, place_m=place, pocket=mouth)
        vx, vy = last.velocity(time)
        return Ending(kind="rolling", p=0.99, time_s=time, place_m=place, velocity_mps=(float(vx), float(vy)))
    return Ending(kind="rest", p=0.99, time_s=last.start_s if not last.moving else time, place_m=place)


def _falls_next(last: Piece, around: Surroundings, time: float) -> str | None:
    """The pocket that a ball is about to fall into in the last picture there is: it goes clear between the lips, too fast to
    stop on the shelf."""
    place, velocity = last.position(time), last.velocity(time)
    pocket = around.nearest_pocket(place)
    outward = around.outward(pocket)
    rate, depth = float(velocity @ outward), around.depth_m(pocket, place)
    if rate < NEXT_MPS or -depth > rate * NEXT_S:
        return None
    crossing = place - depth * (velocity / rate if depth < 0 else outward)
    aside = float(np.hypot(*(crossing - np.array(around.table.mouth_centre_m(pocket)))))
    return pocket if aside < around.mouth_half_m(pocket) - around.radius_m else None


def _lies_in(path: Path, around: Surroundings) -> tuple[str, float] | None:
    """The pocket in which the last places lie, deeper than a ball rests on its lip, and when it got there."""
    place = path.xy_m[-1]
    pocket = around.nearest_pocket(place)
    limit = around.radius_m * (SIDE_HANG_RATIO if pocket[0] == "S" else CORNER_HANG_RATIO)
    if around.depth_m(pocket, place) < limit or around.mouth_distance_m(pocket, place) > 5 * around.radius_m:
        return None
    depth = [around.depth_m(pocket, point) for point in path.xy_m[-40:]]
    inside = len(depth)
    while inside > 0 and depth[inside - 1] > 0.5 * limit:
        inside -= 1
    return pocket, float(path.times_s[len(path.xy_m) - len(depth) + min(inside, len(depth) - 1)])


def _falls(path: Path, last: Piece, around: Surroundings, time: float, frame_s: float) -> tuple[str, float, float] | None:
    """Pocket, probability and time of entry of a ball whose track ends on the way into a mouth."""
    place = last.position(time)
    velocity = last.velocity(time) if last.moving else np.zeros(2)
    speed = float(np.hypot(velocity[0], velocity[1]))
    pocket = around.nearest_pocket(place)
    half = around.mouth_half_m(pocket)
    distance = around.mouth_distance_m(pocket, place)
    mouth = np.array(around.table.mouth_centre_m(pocket))
    near = distance < half + 0.6 * around.radius_m
    if speed < STILL_MPS:
        came = len(path.pieces) > 1 and path.pieces[-2].moving and time - path.pieces[-2].end_s < max(STOOD_S, 4 * frame_s)
        in_mouth = near and around.depth_m(pocket, place) > -0.3 * around.radius_m
        return (pocket, STOOD_P if came else LAY_P, time) if in_mouth else None
    direction = velocity / speed
    # where the path crosses the line of the nose ends, measured along it
    outward = around.outward(pocket)
    rate = float(velocity @ outward)
    depth = around.depth_m(pocket, place)
    if depth > 0 or (near and rate > 0):
        return pocket, 0.999 if near else 0.98, time + 0.5 * frame_s
    if rate > 0:
        wait = -depth / rate
        crossing = place + velocity * wait
        offset = float(np.hypot(*(crossing - mouth)))
        allowed = max(ENTRY_S, 3 * frame_s)
        if wait < allowed and offset < half:
            return pocket, 0.998 if wait < 3 * frame_s + 0.05 else 0.97, time + wait
        if wait < 3 * frame_s + 0.03 and offset < half + 1.2 * around.radius_m:
            return pocket, 0.97, time + wait
    # a ball that touched a lip in its last frame: near the mouth, any direction
    lead = float((mouth - place) @ direction)
    if distance < half + 1.2 * around.radius_m + speed * 1.5 * frame_s and lead > -around.radius_m:
        return pocket, 0.93, time + frame_s
    return None
