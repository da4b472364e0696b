"""From a chain of detections to a track: what was not seen is filled in from both sides.

Rows that were measured stay as measured: the event reader fits its own paths to them, and a smoother that does not know
the contacts would round them off. Rows in between (`seen` False) are filled where something can be said:
  - rest before and after at one place: it was there all the time;
  - rest before, motion after: it stayed until it had to leave to be where it is seen next, then went straight;
  - motion before, rest after: the mirror image;
  - motion on both sides, a short gap: a cubic that meets place and velocity on both sides (Hermite).
A ball first seen at rest, uncovered by an arm, was there as long before as its place was covered; one at rest that is
covered at the end is still there. A track ends where the ball went behind a mouth for good: what is seen of it in the cup
is no place on the bed.

Fails: a contact inside a filled gap is not modelled; `sigma_m` of such rows grows to a share of the way.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import hypot

import numpy as np

from tracker.history import BallTrack, FloatArray
from tracker.pockets import PocketMap
from tracker.relabel import Chain
from tracker.strand import FrameRecord

_SIDE_S = 0.15
"""Stretch next to a gap that gives place and velocity there."""
_LONGEST_GAP_S = 0.4
"""A moving ball unseen for longer is not filled in: it may have met anything."""
_BLIND_S = 0.25
"""Time in plain view without a detection that the detector is forgiven when a resting ball is carried on."""
_SAME_M = 0.004
"""Two resting places closer than this plus noise are one."""
_REST_M = 0.006
"""Places farther than this from their middle are no rest, however badly each is known: a streak is a ball that moves."""
_TIPS_RADII = 0.3
"""So near to a side mouth's line, in ball radii, a ball that does not hang there is falling: no ball on the bed comes nearer
to the nose line than 0.96."""
_HANG_S = 0.4
"""A ball that stays still behind a mouth's line for as long stands in the jaws and is on the bed."""
_DROP_S, _DROP_MPS = 0.08, 0.4
"""Unless it came in faster than this and was not seen for so long in plain view: no shelf stops it in that time, so it fell,
and what is seen then lies in the pocket."""

_SINKS_S, _SINKS_M = 0.25, 0.12
"""A ball that sinks into a pocket is seen for so long at most, this near to the middle of the mouth: the lower it lies the nearer to the
middle of the picture a slanting view shows it, so that it seems to come back out, and darker, until it is gone."""
_SUNK_RADII = 0.3
"""How deep behind a mouth's line it must have been before, in ball radii: less is a ball that passes the mouth along a cushion."""
_FEW = 4
"""Places in the mouth after which a ball that was not lost has not fallen."""

_Row = tuple[float, float, float]


def build_track(chain: Chain, frames: Sequence[FrameRecord], first_frame: int, places: PocketMap) -> BallTrack:
    """The track of one ball over all `frames` (numbered from `first_frame`), metres and seconds."""
    chain = _until_it_sank(chain, frames, first_frame, places)
    count = _rows_on_bed(chain, frames, first_frame, places)
    numbers = chain.frames[:count]
    rows: dict[int, _Row] = {}
    """Rows that were not measured, by their picture."""
    for row in np.flatnonzero(np.diff(numbers) > 1).tolist():
        _fill_gap(rows, chain, row, numbers, frames, first_frame)
    start = _rest_at(chain, 0, 1, count)
    if start is not None:
        _carry(rows, start, range(numbers[0] - 1, first_frame - 1, -1), frames, first_frame, places)
    end = _rest_at(chain, count - 1, -1, count)
    if end is not None and count == len(chain.frames):
        _carry(rows, end, range(numbers[-1] + 1, first_frame + len(frames)), frames, first_frame, places)
    order = np.argsort([*numbers, *rows], kind="stable")
    table = np.array(list(rows.values()), dtype=np.float64).reshape(-1, 3)
    times = [frames[frame - first_frame].time_s for frame in rows]
    return BallTrack(
        ball=chain.ball,
        times_s=np.concatenate([chain.times_s[:count], times])[order],
        positions_m=np.concatenate([chain.places_m[:count], table[:, :2]])[order],
        sigma_m=np.concatenate([chain.sigma_m[:count], table[:, 2]])[order],
        seen=order < count,
    )


def _until_it_sank(chain: Chain, frames: Sequence[FrameRecord], first_frame: int, places: PocketMap) -> Chain:
    """The chain up to its deepest place behind a mouth's line, where it is gone in plain view just after that and at that mouth.

    What comes out of the jaws is seen rolling on; nothing else vanishes there.
    """
    end_s, spec = float(chain.times_s[-1]), places.table.spec
    last = places.place((float(chain.places_m[-1, 0]), float(chain.places_m[-1, 1])))
    later = frames[chain.frames[-1] + 1 - first_frame :]
    if last.distance_m > _SINKS_M or not later or later[-1].time_s - end_s < _SINKS_S:
        return chain
    x, y = places.before(places.table.mouth_centre_m(last.pocket))
    soon = [record for record in later if record.time_s - end_s < _SINKS_S]
    if any(record.is_hidden(x, y, spec.length_m, spec.width_m) for record in soon):
        return chain
    rows = range(int(np.searchsorted(chain.times_s, end_s - _SINKS_S)), len(chain.frames))
    depths = [places.place((x, y)).depth_m for x, y in chain.places_m[rows.start :].tolist()]
    deepest = int(np.argmax(depths))
    if depths[deepest] < _SUNK_RADII * spec.ball_radius_m:
        return chain
    kept = slice(0, rows[deepest] + 1)
    return replace(
        chain,
        frames=chain.frames[kept],
        times_s=chain.times_s[kept],
        places_m=chain.places_m[kept],
        sigma_m=chain.sigma_m[kept],
    )


def _rows_on_bed(chain: Chain, frames: Sequence[FrameRecord], first_frame: int, places: PocketMap) -> int:
    """Rows up to the moment the ball goes behind a mouth for good; at least one."""
    count = len(chain.frames)
    inside = next((k for k, (x, y) in enumerate(reversed(chain.places_m.tolist())) if not places.in_mouth((x, y))), count)
    fell = _fell_after(chain, count - inside, frames, first_frame, places) if 0 < inside < count else None
    if fell is not None:
        return fell + 1
    behind = 0
    for x, y in reversed(chain.places_m[-400:].tolist()):
        place = places.place((x, y))
        lip = _TIPS_RADII * places.table.spec.ball_radius_m if place.pocket[0] == "S" else 0.0
        if place.depth_m <= -lip or (place.kind == "bed" and lip == 0):
            break
        behind += 1
    if behind == 0:
        return count
    if chain.times_s[-1] - chain.times_s[count - behind] >= _HANG_S:
        # It may have rattled there before: only how it ends counts.
        tail = slice(int(np.searchsorted(chain.times_s, chain.times_s[-1] - _HANG_S)), count)
        spread = chain.places_m[tail] - np.median(chain.places_m[tail], axis=0)
        still = np.hypot(spread[:, 0], spread[:, 1]) < 0.004 + 3 * chain.sigma_m[tail]
        if still.mean() > 0.8:
            return count
    return max(count - behind + 1, 1)


def _fell_after(chain: Chain, row: int, frames: Sequence[FrameRecord], first_frame: int, places: PocketMap) -> int | None:
    """The row after which a ball, in a mouth from `row` on, was lost in plain view on its way in before it was seen lying there."""
    count, spec = len(chain.frames), places.table.spec
    for last in range(max(row - 1, 0), min(row + _FEW, count - 1)):
        if chain.times_s[last + 1] - chain.times_s[last] < _DROP_S or hypot(*_velocity(chain, last, -1, count)) < _DROP_MPS:
            continue
        # In the mouth the ball that falls is itself something that covers the bed.
        x, y = places.before((float(chain.places_m[last][0]), float(chain.places_m[last][1])))
        between = range(chain.frames[last] + 1, chain.frames[last + 1])
        hidden = sum(frames[frame - first_frame].is_hidden(x, y, spec.length_m, spec.width_m) for frame in between)
        if 2 * hidden < len(between):
            return last
    return None


def _rest_at(chain: Chain, row: int, direction: int, count: int) -> _Row | None:
    """Place of rest at a row, looking `direction` (1 later, -1 earlier); None where it moves there."""
    rows = [row]
    step = row + direction
    while 0 <= step < count and abs(chain.times_s[step] - chain.times_s[row]) <= _SIDE_S:
        rows.append(step)
        step += direction
    if len(rows) < 2:
        return None
    places = chain.places_m[rows]
    middle = np.median(places, axis=0)
    off = np.hypot(places[:, 0] - middle[0], places[:, 1] - middle[1])
    if (off > np.minimum(3 * chain.sigma_m[rows] + 0.001, _REST_M)).any():
        return None
    sigma = float(np.median(chain.sigma_m[rows])) / len(rows) ** 0.5
    return float(middle[0]), float(middle[1]), sigma


def _velocity(chain: Chain, row: int, direction: int, count: int) -> tuple[float, float]:
    """Velocity at a row from the next few rows in `direction`."""
    other = row
    while 0 <= other + direction < count and abs(other + direction - row) <= 2:
        if abs(chain.times_s[other + direction] - chain.times_s[row]) > _SIDE_S:
            break
        other += direction
    span = float(chain.times_s[other] - chain.times_s[row])
    if span == 0:
        return 0.0, 0.0
    way = (chain.places_m[other] - chain.places_m[row]) / span
    return float(way[0]), float(way[1])


def _fill_gap(
    rows: dict[int, _Row],
    chain: Chain,
    row: int,
    numbers: Sequence[int],
    frames: Sequence[FrameRecord],
    first_frame: int,
) -> None:
    count = len(numbers)
    before, after = _rest_at(chain, row, -1, count), _rest_at(chain, row + 1, 1, count)
    t0, t1 = float(chain.times_s[row]), float(chain.times_s[row + 1])
    (x0, y0), (x1, y1) = ((float(x), float(y)) for x, y in chain.places_m[row : row + 2])
    distance = hypot(x1 - x0, y1 - y0)
    v0, v1 = _velocity(chain, row, -1, count), _velocity(chain, row + 1, 1, count)
    curve = None if (before or after) or t1 - t0 > _LONGEST_GAP_S else _Curve(chain, row, v0, v1)
    for frame in range(numbers[row] + 1, numbers[row + 1]):
        time = frames[frame - first_frame].time_s
        filled: _Row | None = None
        if before and after and hypot(before[0] - after[0], before[1] - after[1]) < _SAME_M + 3 * (before[2] + after[2]):
            filled = ((before[0] + after[0]) / 2, (before[1] + after[1]) / 2, max(before[2], after[2]))
        elif before and not after:
            speed = max(hypot(*v1), distance / (t1 - t0))
            leave = t1 - distance / max(speed, 1e-6)
            share = min(max((time - leave) / max(t1 - leave, 1e-6), 0.0), 1.0)
            filled = _between(before, (x1, y1), share)
        elif after and not before:
            speed = max(hypot(*v0), distance / (t1 - t0))
            arrive = t0 + distance / max(speed, 1e-6)
            share = min(max((arrive - time) / max(arrive - t0, 1e-6), 0.0), 1.0)
            filled = _between(after, (x0, y0), share)
        elif curve is not None:
            filled = curve.at(time)
        if filled is not None:
            rows[frame] = filled


def _between(rest: _Row, moving: tuple[float, float], share: float) -> _Row:
    dx, dy = moving[0] - rest[0], moving[1] - rest[1]
    sigma = hypot(rest[2], (0.0 if share == 0 else 0.02 + 0.2 * hypot(dx, dy)))
    return rest[0] + share * dx, rest[1] + share * dy, sigma


class _Curve:
    """The cubic through two rows that leaves and reaches them at given velocities, metres per second."""

    def __init__(self, chain: Chain, row: int, v0: tuple[float, float], v1: tuple[float, float]) -> None:
        self._t0 = float(chain.times_s[row])
        self._span = float(chain.times_s[row + 1]) - self._t0
        self._p0, self._p1 = chain.places_m[row], chain.places_m[row + 1]
        self._length = float(np.hypot(*(self._p1 - self._p0)))
        self._v0, self._v1 = (_capped(np.array(v) * self._span, 2 * self._length) for v in (v0, v1))
        self._turn = float(np.hypot(*(self._v1 - self._v0)))
        self._sigma_m = float(max(chain.sigma_m[row], chain.sigma_m[row + 1]))

    def at(self, time_s: float) -> _Row:
        """Place and doubt at a time in between."""
        s = (time_s - self._t0) / self._span
        place: FloatArray = (2 * s**3 - 3 * s**2 + 1) * self._p0 + (s**3 - 2 * s**2 + s) * self._v0
        place = place + (-2 * s**3 + 3 * s**2) * self._p1 + (s**3 - s**2) * self._v1
        sigma = self._sigma_m + s * (1 - s) * (0.1 * self._length + self._turn)
        return float(place[0]), float(place[1]), sigma


def _capped(v: FloatArray, limit: float) -> FloatArray:
    length = float(np.hypot(*v))
    return v if length <= limit else np.asarray(v * (limit / length), dtype=np.float64)


def _carry(
    rows: dict[int, _Row],
    rest: _Row,
    order: range,
    frames: Sequence[FrameRecord],
    first_frame: int,
    places: PocketMap,
) -> None:
    """Carry a resting ball on through pictures that hide its place, and a few that should have shown it."""
    spec = places.table.spec
    # In a mouth what covers the bed is the hole itself, seen again: whether an arm is there is told by the bed before it.
    x, y = places.before((rest[0], rest[1]))
    blind = 0.0
    pending: list[int] = []
    step = 1 if order.step > 0 else -1
    for frame in order:
        record = frames[frame - first_frame]
        neighbour = frames[frame - step - first_frame]
        if record.is_hidden(x, y, spec.length_m, spec.width_m):
            for waiting in (*pending, frame):
                rows[waiting] = rest
            pending = []
            continue
        blind += abs(record.time_s - neighbour.time_s)
        pending.append(frame)
        if blind > _BLIND_S:
            return
    for waiting in pending:  # the recording ends within the forgiven time
        rows[waiting] = rest
