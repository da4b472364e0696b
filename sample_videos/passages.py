"""A passage of play on one table: shots one after the other, and what hands do to the balls between them.

A passage is built forwards in time; each ball gets a row of legs (at rest, in a shot, carried, fallen, gone), each of
which starts where the last one ended, turned as it was turned. Times are seconds on the file's clock.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from calibration.table import Table
from sample_videos.motion import FALL_M, Motion
from sample_videos.player import Pose
from sample_videos.shapes import holes
from sample_videos.shots import SimulatedShot
from sample_videos.stance import REACH_S, reach_pose, smooth, stroke_pose
from sample_videos.training import random_rotation

FloatArray = NDArray[np.float64]
Point = tuple[float, float]

LEAD_S = 2.4
"""From the first picture, or from rest, to the strike: half a second alone, then the player comes in and aims."""
TAIL_S = 0.9
"""Stillness after a shot; a reader needs 0.7 s to call it rest."""
_CARRY_MPS = 0.9
"""Usual speed of a ball in a hand."""
_LIFT_M = 0.09
"""How high a hand lifts a ball off the cloth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A ball moved by hand.

    Attributes:
        ball: Which.
        to: Where it is put; None takes it off the table.
        lifted: False pushes it along the cloth.
    """

    ball: BallId
    to: Point | None
    lifted: bool = True


class _Leg(Protocol):
    def centre(self, time_s: float) -> FloatArray | None: ...
    def rotation(self, time_s: float) -> FloatArray: ...
    def on_bed(self, time_s: float) -> bool: ...


@dataclass(frozen=True, slots=True)
class _Still:
    """At rest on the bed or in a pocket, or (None) nowhere."""

    place: FloatArray | None
    turned: FloatArray
    bed: bool

    def centre(self, time_s: float) -> FloatArray | None:
        return self.place

    def rotation(self, time_s: float) -> FloatArray:
        return self.turned

    def on_bed(self, time_s: float) -> bool:
        return self.bed


@dataclass(frozen=True, slots=True)
class _Struck:
    """A ball in a shot."""

    motion: Motion
    ball: BallId
    strike_s: float

    def centre(self, time_s: float) -> FloatArray | None:
        return self.motion.centre(self.ball, time_s - self.strike_s)

    def rotation(self, time_s: float) -> FloatArray:
        return self.motion.rotation(self.ball, time_s - self.strike_s)

    def on_bed(self, time_s: float) -> bool:
        return self.motion.is_on_bed(self.ball, time_s - self.strike_s)


@dataclass(frozen=True, slots=True)
class _Carried:
    """A ball in a hand, from place to place."""

    start: FloatArray
    end: FloatArray
    from_s: float
    to_s: float
    lift_m: float
    turned: FloatArray

    def centre(self, time_s: float) -> FloatArray | None:
        share = (time_s - self.from_s) / (self.to_s - self.from_s)
        place = self.start + (self.end - self.start) * smooth(share)
        return np.asarray(place + np.array([0.0, 0.0, self.lift_m * float(np.sin(pi * min(max(share, 0.0), 1.0)))]))

    def rotation(self, time_s: float) -> FloatArray:
        return self.turned

    def on_bed(self, time_s: float) -> bool:
        level = self.lift_m == 0.0 and self.start[2] == self.end[2]
        return level or not self.from_s < time_s < self.to_s


@dataclass(frozen=True, slots=True)
class _Dropping:
    """A ball that falls from the lip of a pocket into it."""

    start: FloatArray
    rest: FloatArray
    from_s: float
    turned: FloatArray

    def centre(self, time_s: float) -> FloatArray | None:
        dt = max(time_s - self.from_s, 0.0)
        place = self.start + (self.rest - self.start) * (1 - float(np.exp(-((dt / 0.16) ** 2))))
        place[2] = max(self.start[2] - 0.5 * 9.81 * max(dt - 0.08, 0.0) ** 2, self.rest[2])
        return np.asarray(place)

    def rotation(self, time_s: float) -> FloatArray:
        return self.turned

    def on_bed(self, time_s: float) -> bool:
        return time_s < self.from_s + 0.1


@dataclass(frozen=True, slots=True)
class _Stroke:
    player: int
    shot: SimulatedShot
    strike_s: float
    table: Table

    def pose(self, time_s: float) -> Pose | None:
        return stroke_pose(self.shot, self.table, time_s - self.strike_s)


@dataclass(frozen=True, slots=True)
class _Reach:
    """A hand that comes in, follows a ball (or stays at a place), and goes."""

    player: int
    table: Table
    path: tuple[tuple[float, FloatArray], ...]

    def pose(self, time_s: float) -> Pose | None:
        start, end = self.path[0][0], self.path[-1][0]
        if not start - REACH_S < time_s < end + REACH_S:
            return None
        times = [t for t, _ in self.path]
        k = min(max(bisect_right(times, time_s), 1), len(times) - 1) if len(times) > 1 else 0
        place = self.path[k][1]
        if k:
            (t0, a), (t1, b) = self.path[k - 1], self.path[k]
            place = a + (b - a) * smooth((time_s - t0) / max(t1 - t0, 1e-6))
        away = (start - time_s) / REACH_S if time_s < start else (time_s - end) / REACH_S
        return reach_pose(self.table, place, max(away, 0.0))


class Passage:
    """Shots and hands on one table; a `play.Play`.

    Attributes:
        now_s: The time up to which it is built.
        strikes: Time of each tip contact.
    """

    def __init__(self, table: Table, placed: Mapping[BallId, Point], rng: np.random.Generator, *, stay_visible: bool = True) -> None:
        self.table = table
        self.now_s = 0.0
        self.strikes: list[float] = []
        self.rests: list[float] = []
        self._rng = rng
        self._stay_visible = stay_visible
        self._radius = table.spec.ball_radius_m
        self._legs: dict[BallId, list[tuple[float, _Leg]]] = {}
        self._acts: list[_Stroke | _Reach] = []
        self._full: dict[str, BallId] = {}
        for ball, place in placed.items():
            self._legs[ball] = [(0.0, _Still(self._at(place), random_rotation(rng), True))]

    @property
    def balls(self) -> tuple[BallId, ...]:
        """Every ball there is at some time."""
        return tuple(self._legs)

    @property
    def end_s(self) -> float:
        """The time up to which it is built."""
        return self.now_s

    def layout(self, time_s: float) -> dict[BallId, Point]:
        """Places of the balls on the bed, metres."""
        result = {}
        for ball in self._legs:
            place = self.centre(ball, time_s)
            if place is not None and self.is_on_bed(ball, time_s):
                result[ball] = (float(place[0]), float(place[1]))
        return result

    def is_seen(self, ball: BallId) -> bool:
        """Whether a ball lies anywhere in the picture now, a pocket included."""
        return ball in self._legs and self.centre(ball, self.now_s) is not None

    def add_wait(self, seconds: float) -> None:
        """Nothing happens for a while."""
        self.now_s += seconds

    def add_shot(self, shot: SimulatedShot, player: int) -> None:
        """A stroke; it starts from the layout as it is, and ends `TAIL_S` after rest."""
        strike = self.now_s + LEAD_S
        turned = {ball: self.rotation(ball, self.now_s) for ball in shot.before if ball in self._legs}
        motion = Motion(shot, self.table, self._rng, stay_visible=self._stay_visible, turned=turned, full=set(self._full))
        for ball in shot.before:
            legs = self._legs.setdefault(ball, [])
            legs.append((self.now_s, _Struck(motion, ball, strike)))
        for event in shot.events:
            if event["type"] == "pocketed":
                self._full.setdefault(event["pocket"], event["ball"])
        self._acts.append(_Stroke(player, shot, strike, self.table))
        self.strikes.append(strike)
        rest = strike + max(shot.end_s, *(e["t"] + 0.4 for e in shot.events))
        self.rests.append(rest)
        self.now_s = max(rest, strike + 1.2) + TAIL_S

    def add_moves(self, moves: Sequence[Move], player: int) -> None:
        """A hand comes in and moves balls, one after the other, then goes."""
        clock = self.now_s + REACH_S
        path: list[tuple[float, FloatArray]] = []
        for move in moves:
            start = self.centre(move.ball, clock) if move.ball in self._legs else None
            outside = self._outside(move.to if start is None else (float(start[0]), float(start[1])))
            begin = outside if start is None else start
            end = outside if move.to is None else self._at(move.to)
            if path:
                gap = float(np.linalg.norm(begin[:2] - path[-1][1])) / (1.3 * _CARRY_MPS)
                clock += max(gap, 0.12)
            path.append((clock, begin[:2].copy()))
            length = float(np.linalg.norm(end[:2] - begin[:2]))
            done = clock + max(0.35, length / _CARRY_MPS)
            turned = self.rotation(move.ball, clock) if move.ball in self._legs else random_rotation(self._rng)
            legs = self._legs.setdefault(move.ball, [(0.0, _Still(None, turned, False))])
            legs.append((clock, _Carried(begin, end, clock, done, _LIFT_M if move.lifted else 0.0, turned)))
            legs.append((done, _Still(None if move.to is None else end, turned, move.to is not None)))
            self._full = {pocket: ball for pocket, ball in self._full.items() if ball != move.ball}
            clock = done
            path.append((clock, end[:2].copy()))
        self._acts.append(_Reach(player, self.table, tuple(path)))
        self.now_s = clock + REACH_S + 0.2

    def add_rack(self, moves: Sequence[Move], player: int) -> None:
        """Balls set up all at once, as with a triangle: they come over the foot rail in their places to one another."""
        start = self.now_s + REACH_S
        middle = np.mean([move.to or (0.0, 0.0) for move in moves], axis=0)
        shift = np.array([self.table.spec.length_m / 2 + 0.35 - middle[0], 0.0, _LIFT_M])
        done = start + 1.4
        for move in moves:
            assert move.to is not None, move
            turned = random_rotation(self._rng)
            end = self._at(move.to)
            legs = self._legs.setdefault(move.ball, [(0.0, _Still(None, turned, False))])
            legs.append((self.now_s, _Still(None, turned, False)))  # out of the pockets first
            legs.append((start, _Carried(end + shift, end, start, done, 0.0, turned)))
            legs.append((done, _Still(end, turned, True)))
        self._full = {pocket: ball for pocket, ball in self._full.items() if ball not in {move.ball for move in moves}}
        self._acts.append(_Reach(player, self.table, ((start, middle + shift[:2]), (done, middle), (done + 0.5, middle))))
        self.now_s = done + 0.5 + REACH_S + 0.2

    def add_reach(self, place: Point, player: int, seconds: float = 0.8) -> None:
        """A hand that comes over the table, touches nothing, and goes."""
        start = self.now_s + REACH_S
        spot = np.array(place, np.float64)
        self._acts.append(_Reach(player, self.table, ((start, spot), (start + seconds, spot))))
        self.now_s = start + seconds + REACH_S + 0.2

    def add_drop(self, ball: BallId, pocket: str) -> None:
        """A ball that hung over a pocket falls in by itself."""
        start = self.centre(ball, self.now_s)
        assert start is not None, ball
        hole = holes(self.table)[pocket]
        rest = np.array([*hole.centre_m, -FALL_M])
        self._legs[ball].append((self.now_s, _Dropping(start, rest, self.now_s, self.rotation(ball, self.now_s))))
        self.now_s += 0.6 + TAIL_S

    def centre(self, ball: BallId, time_s: float) -> FloatArray | None:
        """(x, y, z) of the centre; None where it is out of sight."""
        return self._leg(ball, time_s).centre(time_s)

    def rotation(self, ball: BallId, time_s: float) -> FloatArray:
        """Ball to table."""
        return self._leg(ball, time_s).rotation(time_s)

    def is_on_bed(self, ball: BallId, time_s: float) -> bool:
        """Whether it lies or rolls on the cloth."""
        leg = self._leg(ball, time_s)
        return leg.on_bed(time_s) and leg.centre(time_s) is not None

    def people(self, time_s: float) -> list[tuple[int, Pose]]:
        """Who stands how."""
        poses = [(act.player, act.pose(time_s)) for act in self._acts]
        return [(player, pose) for player, pose in poses if pose is not None]

    def _leg(self, ball: BallId, time_s: float) -> _Leg:
        legs = self._legs[ball]
        return legs[max(0, bisect_right([t for t, _ in legs], time_s) - 1)][1]

    def _at(self, place: Point) -> FloatArray:
        return np.array([place[0], place[1], self._radius])

    def _outside(self, place: Point | None) -> FloatArray:
        """Where a ball comes from, or goes to, outside the picture: beyond the nearest side."""
        assert place is not None
        half_x, half_y = self.table.spec.length_m / 2, self.table.spec.width_m / 2
        gaps = {(-1, 0): place[0] + half_x, (1, 0): half_x - place[0], (0, 1): half_y - place[1], (0, -1): place[1] + half_y}
        side = min(gaps, key=lambda name: gaps[name])
        out = np.array(side, np.float64)
        far = np.array([half_x, half_y]) + 0.6
        spot = np.where(out == 0, np.array(place), out * far)
        return np.array([spot[0], spot[1], self._radius + _LIFT_M])
