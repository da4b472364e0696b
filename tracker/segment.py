"""Shots cut out of the flow of states: from rest, through a stroke, to rest again.

A ball moves when the mean of its last places has left the mean of those a quarter second before by more than the noise
can. So a slow roll is not rest (10 mm/s is 2.5 mm in that time), and jitter is not motion. The table rests when no ball
has moved for half a second. A window opens when the first ball moves and closes at rest; it reaches back over the rest
before, because that is where the layout is read.

What is not a shot: a ball carried or pushed by hand has no sudden start: it is fastest later, it turns without touching
anything, it stands and goes on. Such a window is dropped (the ball's new place is part of the next window's rest). So
is one in which balls only appear and vanish (racking, taking balls out).

A recording that opens with balls in motion gives a window whose strike was not seen, one that closes before rest a
window that is not complete. What serves live states serves finished tracks (`tracker.finished`) by the same rules.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import hypot, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from tracker.history import BallTrack, TableState, TrackedBall
from tracker.pockets import PocketMap

FloatArray = NDArray[np.float64]

SPAN_S = 0.10
"""Places are averaged over this time."""
LAG_S = 0.25
"""Two means this far apart are compared: shorter misses slow rolls, longer reports rest late."""
MOVED_M = 0.0018
"""Least shift of a mean that is motion: 7 mm/s; a ball that slow stops within a millimetre."""
NOISE_FACTOR = 5.0
"""A shift must also exceed this many standard deviations of the difference of the means."""
FIRST_NOISE_M = 0.0015
"""Noise of a centre taken for granted until differences have told it (a second or so)."""
NOISE_GAIN, NOISE_JUMP = 0.05, 9.0
"""Share of a new difference in the noise, and how many times the noise one may count for: a stroke is no noise."""
REST_S = 0.5
"""No ball moved for this long: the table rests. Shorter splits a shot in which a ball turns back slowly."""
QUIET_S = 0.35
"""That is so when no mean has shown motion for this long: they show it up to a quarter of a second after its end."""
DRIFT_MPS = 0.004
"""A ball that drifts faster over that time has not stopped."""
DRIFT_SIGMAS = 3.0
"""Nor has one whose drift is that significant; together with DRIFT_MPS: noise alone must not keep a shot open."""
LONGEST_DRIFT_S = 2.5
"""A ball too slow to be noticed stops within this time: 10 mm/s at the least friction takes 0.2 s."""
HIDDEN_S = 1.5
"""A ball that moved when it was last seen keeps the table from resting for so long: arms are gone by then."""
FELL_S = 1.0
"""The same for one that was last seen in a mouth or on a straight way into one: it fell, or it rattles, and what rattles is seen
again sooner. Shorter leaves too little to tell the fall by, longer makes everybody wait for the call."""
ENTERS_S = 0.15
"""That way takes no longer: about two balls' widths at 1 m/s."""
AT_MOUTH_M = 0.09
"""Nearer than this to the middle of a mouth a ball is in it, wherever its last step led."""
LEAD_S = 3.0
"""Rest before a stroke that a window takes along, seconds."""
KEEP_S = 4.0
"""States kept while the table rests, seconds."""
FORGET_ROWS = 400
"""Places of a ball that are past before they are dropped: dropping each at once costs more than it saves."""
SUDDEN_S = 0.25
"""A struck ball is fastest within this time of its start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotWindow:
    """The stretch of tracks that holds one shot.

    Attributes:
        start_s: First frame, in the rest before the stroke where that was recorded.
        move_s: When the first ball was seen to move; a little late, event reading finds the instant.
        end_s: Last frame.
        strike_seen: False when balls may have been moving in the first frame already (event reading decides).
        at_rest: Whether the table rested at the end.
        tracks: Every ball seen in the window.
        handled: Spans in which a person or cue covered part of the bed, seconds.
        unusable: Spans without a usable picture of the table, seconds.
    """

    start_s: float
    move_s: float
    end_s: float
    strike_seen: bool
    at_rest: bool
    tracks: tuple[BallTrack, ...]
    handled: tuple[tuple[float, float], ...] = ()
    unusable: tuple[tuple[float, float], ...] = ()


@dataclass(slots=True)
class _Watch:
    """Recent places of one ball, with running sums so that a mean costs no loop."""

    times_s: list[float] = field(default_factory=list)
    xs: list[float] = field(default_factory=list)
    ys: list[float] = field(default_factory=list)
    sums: list[tuple[float, float]] = field(default_factory=lambda: [(0.0, 0.0)])
    start: int = 0
    noise_m2: float = FIRST_NOISE_M**2
    moving: bool = False
    seen_s: float = -inf

    def moves(self, time_s: float, x: float, y: float) -> bool | None:
        """Take a place; whether the ball moves, None while too little is known."""
        times, sums = self.times_s, self.sums
        times.append(time_s)
        self.xs.append(x)
        self.ys.append(y)
        sums.append((sums[-1][0] + x, sums[-1][1] + y))
        while times[self.start] < time_s - REST_S:
            self.start += 1
        if self.start > FORGET_ROWS:
            self._forget()
        new = bisect_right(times, time_s - SPAN_S, self.start)
        old = bisect_left(times, time_s - LAG_S - SPAN_S, self.start), bisect_right(times, time_s - LAG_S + 0.5 * SPAN_S, self.start)
        count, earlier = len(times) - new, old[1] - old[0]
        if count < 2 or earlier < 2:
            return None
        shift = hypot(
            (sums[-1][0] - sums[new][0]) / count - (sums[old[1]][0] - sums[old[0]][0]) / earlier,
            (sums[-1][1] - sums[new][1]) / count - (sums[old[1]][1] - sums[old[0]][1]) / earlier,
        )
        if len(times) - self.start >= 4:
            xs, ys = self.xs, self.ys
            second = ((xs[-1] - 2 * xs[-2] + xs[-3]) ** 2 + (ys[-1] - 2 * ys[-2] + ys[-3]) ** 2) / 12
            # slow to follow jumps, so that a stroke does not pass for noise
            self.noise_m2 += NOISE_GAIN * (min(second, NOISE_JUMP * self.noise_m2) - self.noise_m2)
        limit = max(MOVED_M, NOISE_FACTOR * sqrt(self.noise_m2 * (1 / count + 1 / earlier)))
        return shift > limit

    def _forget(self) -> None:
        del self.times_s[: self.start], self.xs[: self.start], self.ys[: self.start], self.sums[: self.start]
        self.start = 0

    def last_velocity(self) -> tuple[float, float]:
        """Of the last step, metres per second; nothing where there was none."""
        times = self.times_s
        if len(times) - self.start < 2 or times[-1] <= times[-2]:
            return 0.0, 0.0
        step_s = times[-1] - times[-2]
        return (self.xs[-1] - self.xs[-2]) / step_s, (self.ys[-1] - self.ys[-2]) / step_s

    def drifts(self, time_s: float) -> bool:
        """Whether the time that is to be quiet shows a steady drift: a roll too slow to be seen in a quarter second."""
        first = bisect_right(self.times_s, time_s - QUIET_S, self.start)
        times = np.array(self.times_s[first:])
        if len(times) < 5:
            return False
        tau = times - times.mean()
        spread = float(tau @ tau)
        slope = tau @ np.column_stack([self.xs[first:], self.ys[first:]]) / spread
        return bool(np.hypot(slope[0], slope[1]) > max(DRIFT_MPS, DRIFT_SIGMAS * (self.noise_m2 / spread) ** 0.5))


class Segmenter:
    """Cuts shots out of states, one at a time; same states in the same order, same windows."""

    def __init__(self, places: PocketMap | None = None) -> None:
        """Start at the beginning of a recording.

        Args:
            places: Mouths of the table: where a ball that moved when it was last seen has fallen. None where not known.
        """
        self._places = places
        self._states: list[TableState] = []
        self._watches: dict[BallId, _Watch] = {}
        self._first_s: float | None = None
        self._move_s: float | None = None
        self._last_move_s = -inf
        self._strike_seen = True

    @property
    def moving(self) -> bool:
        """Whether a window is open."""
        return self._move_s is not None

    @property
    def last_move_s(self) -> float:
        """When a ball was last told to move."""
        return self._last_move_s

    @property
    def closing_s(self) -> float:
        """When the open window will close should nothing move any more; a slow drift can delay it."""
        now_s = self._states[-1].time_s
        waits = (watch.seen_s + self._wait_s(watch) for watch in self._watches.values() if self._may_roll(watch, now_s))
        return max([self._last_move_s + QUIET_S, *waits])

    def preview(self) -> ShotWindow:
        """The open window as it would be if it closed now at rest, without tracks; it stays open.

        Raises:
            ValueError: If no window is open.
        """
        if self._move_s is None:
            raise ValueError("no window is open")
        return self._window(self._move_s, self._since(self._move_s), at_rest=True, tracks=())

    def update(self, state: TableState) -> ShotWindow | None:
        """Take the next state; the window that it closes, if any."""
        if self._first_s is None:
            self._first_s = state.time_s
        self._states.append(state)
        if state.usable:
            # every watch has to be fed, so no short cut at the first ball that moves
            moving = [ball.ball for ball in state.balls if ball.seen and self._moves(state.time_s, ball)]
            if moving:
                self._last_move_s = state.time_s
                if self._move_s is None:
                    self._open(state.time_s)
        if self._move_s is None:
            self._forget(state.time_s - KEEP_S)
            return None
        if state.time_s - self._last_move_s < QUIET_S:
            return None
        if self._restless(state.time_s):
            return None
        return self._close(at_rest=True)

    def finish(self) -> ShotWindow | None:
        """The recording ends; the window that was open, if any."""
        return self._close(at_rest=False) if self._move_s is not None else None

    def _moves(self, time_s: float, ball: TrackedBall) -> bool:
        watch = self._watches.setdefault(ball.ball, _Watch())
        moves = watch.moves(time_s, *ball.position_m)
        watch.seen_s = time_s
        if moves is not None:
            watch.moving = moves
        return bool(moves)

    def _restless(self, time_s: float) -> bool:
        """Whether a ball drifts slowly, or one that rolled when it was last seen may be rolling behind an arm."""
        if time_s - self._last_move_s < LONGEST_DRIFT_S and any(watch.drifts(time_s) for watch in self._watches.values()):
            return True
        return any(self._may_roll(watch, time_s) for watch in self._watches.values())

    def _may_roll(self, watch: _Watch, time_s: float) -> bool:
        """Whether a ball that moved when it was last seen has not been gone for long enough."""
        return watch.moving and time_s - watch.seen_s < HIDDEN_S and time_s - watch.seen_s < self._wait_s(watch)

    def _wait_s(self, watch: _Watch) -> float:
        if self._places is None:
            return HIDDEN_S
        last = watch.xs[-1], watch.ys[-1]
        entry = self._places.entry(last, watch.last_velocity())
        fell = entry is not None and entry[1] <= ENTERS_S
        return FELL_S if fell or self._places.place(last).distance_m < AT_MOUTH_M else HIDDEN_S

    def _open(self, time_s: float) -> None:
        self._move_s = time_s
        first = self._first_s if self._first_s is not None else time_s
        self._strike_seen = had_rest(time_s, first)

    def _forget(self, before_s: float) -> None:
        drop = 0
        while drop < len(self._states) and self._states[drop].time_s < before_s:
            drop += 1
        if drop > 50:
            del self._states[:drop]

    def _close(self, *, at_rest: bool) -> ShotWindow | None:
        move = self._move_s if self._move_s is not None else 0.0
        states = self._since(move)
        window = self._window(move, states, at_rest=at_rest, tracks=tracks_of(states))
        self._move_s = None
        self._strike_seen = True
        # the rest that closed this shot is the layout before the next
        self._states = [state for state in self._states if state.time_s > self._last_move_s - 0.5 * LAG_S]
        return window

    def _since(self, move_s: float) -> list[TableState]:
        return [state for state in self._states if state.time_s >= move_s - LEAD_S]

    def _window(self, move_s: float, states: Sequence[TableState], *, at_rest: bool, tracks: tuple[BallTrack, ...]) -> ShotWindow:
        return ShotWindow(
            start_s=states[0].time_s,
            move_s=move_s,
            end_s=states[-1].time_s,
            strike_seen=self._strike_seen,
            at_rest=at_rest,
            tracks=tracks,
            handled=_spans(states, lambda state: state.handled),
            unusable=_spans(states, lambda state: not state.usable),
        )


def _spans(states: Sequence[TableState], test: Callable[[TableState], bool]) -> tuple[tuple[float, float], ...]:
    spans: list[tuple[float, float]] = []
    start: float | None = None
    for state in states:
        if test(state):
            start = state.time_s if start is None else start
        elif start is not None:
            spans.append((start, state.time_s))
            start = None
    if start is not None:
        spans.append((start, states[-1].time_s))
    return tuple(spans)


def tracks_of(states: Iterable[TableState]) -> tuple[BallTrack, ...]:
    """The tracks that states hold, a ball each, in order of first appearance."""
    rows: dict[BallId, list[tuple[float, float, float, float, bool]]] = {}
    for state in states:
        if not state.usable:
            continue
        for ball in state.balls:
            rows.setdefault(ball.ball, []).append((state.time_s, *ball.position_m, ball.sigma_m, ball.seen))
    tracks = []
    for name, data in rows.items():
        numbers = np.array([row[:4] for row in data], dtype=np.float64)
        tracks.append(
            BallTrack(
                ball=name,
                times_s=numbers[:, 0].copy(),
                positions_m=numbers[:, 1:3].copy(),
                sigma_m=numbers[:, 3].copy(),
                seen=np.array([row[4] for row in data], dtype=np.bool_),
            )
        )
    return tuple(tracks)


def had_rest(move_s: float, first_s: float) -> bool:
    """Whether a recording that begins at `first_s` shows rest before what is seen to move at `move_s`: motion is noticed late, so
    what moves soon after the beginning may have moved from the first picture on."""
    return move_s - first_s > LAG_S + 2 * SPAN_S
