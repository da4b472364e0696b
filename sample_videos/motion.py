"""The motion of balls in a simulated shot, exact at any moment.

Between two events a ball moves with constant acceleration and its spin changes evenly. What the simulation lacks is
scripted: a pocketed ball goes on into the hole, falls and lies there; one that jumped a rail flies on; one that was
jumped with flies over what lies below it.
"""

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from calibration.table import Table
from sample_videos.shapes import holes
from sample_videos.shots import SimulatedShot
from sample_videos.training import random_rotation

FloatArray = NDArray[np.float64]

_STEP_S = 0.002
"""Grid on which orientations are kept; at 60 turns a second a ball turns 43 degrees in a step, beyond any stroke."""
_GRAVITY = 9.81
FALL_M = 0.055
"""How far below the cloth a ball comes to lie that stays visible in its pocket."""


class Motion:
    """Where every ball is, and how it is turned, at any time from the tip contact."""

    def __init__(
        self,
        shot: SimulatedShot,
        table: Table,
        rng: np.random.Generator,
        *,
        stay_visible: bool = True,
        turned: Mapping[BallId, FloatArray] | None = None,
        full: Collection[str] = (),
    ) -> None:
        """`turned`: how balls lie at the start (by chance where missing); `full`: pockets in which a ball lies already."""
        self.shot, self.table = shot, table
        self._radius = table.spec.ball_radius_m
        self._gone: dict[BallId, tuple[float, str]] = {e["ball"]: (e["t"], e["pocket"]) for e in shot.events if e["type"] == "pocketed"}
        self._stays: dict[BallId, bool] = {}
        taken = set(full)
        for ball, (_, pocket) in sorted(self._gone.items(), key=lambda item: item[1][0]):
            self._stays[ball] = stay_visible and pocket not in taken
            taken.add(pocket)
        first = dict(turned or {})
        self._turned = {ball: self._orientations(ball, first[ball] if ball in first else random_rotation(rng)) for ball in shot.before}

    def is_on_bed(self, ball: BallId, time_s: float) -> bool:
        """True until the ball drops or leaves the bed."""
        flown = self.shot.off_table.get(ball)
        gone = self._gone[ball][0] if ball in self._gone else (flown[0] if flown else np.inf)
        return bool(time_s < gone)

    def centre(self, ball: BallId, time_s: float) -> FloatArray | None:
        """(x, y, z) of the centre, metres; None where the ball is out of sight for good."""
        if ball in self._gone and time_s >= self._gone[ball][0]:
            return self._falling(ball, time_s)
        flown = self.shot.off_table.get(ball)
        if flown is not None and time_s >= flown[0]:
            dt = time_s - flown[0]
            height = flown[3] + flown[6] * dt - 0.5 * _GRAVITY * dt * dt
            return np.array([flown[1] + flown[4] * dt, flown[2] + flown[5] * dt, height]) if height > -0.75 else None
        place, _ = self._on_bed(ball, time_s)
        return np.array([place[0], place[1], self._radius + self._height(ball, time_s)])

    def _height(self, ball: BallId, time_s: float) -> float:
        for start, end, speed in self.shot.air.get(ball, ()):
            if start < time_s < end:
                dt = time_s - start
                return max(0.0, speed * dt - 0.5 * _GRAVITY * dt * dt)
        return 0.0

    def rotation(self, ball: BallId, time_s: float) -> FloatArray:
        """Ball to table, shape (3, 3)."""
        grid = self._turned[ball]
        return np.asarray(grid[int(np.clip(round(time_s / _STEP_S), 0, len(grid) - 1))], np.float64)

    def _on_bed(self, ball: BallId, time_s: float) -> tuple[FloatArray, FloatArray]:
        rows = self.shot.segments[ball]
        row = rows[max(0, int(np.searchsorted(rows[:, 0], max(time_s, 0.0), side="right")) - 1)]
        dt = max(time_s, 0.0) - row[0]
        return row[1:3] + row[3:5] * dt + 0.5 * row[5:7] * dt * dt, row[3:5] + row[5:7] * dt

    def _falling(self, ball: BallId, time_s: float) -> FloatArray | None:
        start, pocket = self._gone[ball]
        hole = holes(self.table)[pocket]
        place, velocity = self._on_bed(ball, start - 1e-6)
        dt = time_s - start
        fade = float(np.exp(-dt / 0.12))
        rest = np.array(hole.centre_m) - 0.1 * hole.radius_m * np.array(hole.outward)
        at = rest + (place - rest + velocity * dt * fade) * fade
        off = at - np.array(hole.centre_m)
        room = max(hole.radius_m - 0.55 * self._radius, 0.01)
        start_off = float(np.hypot(*(place - np.array(hole.centre_m))))
        room = max(room, start_off * fade)
        if np.hypot(*off) > room:
            at = np.array(hole.centre_m) + off * room / np.hypot(*off)
        height = self._radius - 0.5 * _GRAVITY * dt * dt
        if self._stays[ball]:
            height = max(height, -FALL_M)
        elif height < -0.14:
            return None
        return np.array([at[0], at[1], height])

    def _orientations(self, ball: BallId, first: FloatArray) -> FloatArray:
        times = np.arange(0, self.shot.end_s + 0.5, _STEP_S)
        rows = self.shot.segments[ball]
        which = np.clip(np.searchsorted(rows[:, 0], times, side="right") - 1, 0, None)
        dt = (times - rows[which, 0])[:, None]
        spin = rows[which, 7:10] + rows[which, 10:13] * dt
        last = min(self._gone.get(ball, (np.inf, ""))[0] + 0.3, self.shot.end_s)
        spin[times > last] = 0.0
        angle = np.linalg.norm(spin, axis=1) * _STEP_S
        axis = spin / np.maximum(np.linalg.norm(spin, axis=1), 1e-9)[:, None]
        steps = np.concatenate([first[None], _rotations(axis[:-1], angle[:-1])])
        # Products from the first step to each, by doubling: every round joins runs twice as long.
        length = 1
        while length < len(steps):
            steps[length:] = steps[length:] @ steps[:-length]
            length *= 2
        return steps


def _rotations(axis: FloatArray, angle: FloatArray) -> FloatArray:
    """Rotation matrices (N, 3, 3) about unit axes (N, 3) by angles (N,), radians."""
    x, y, z = axis.T
    cross = np.zeros((len(axis), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2] = -z, y
    cross[:, 1, 0], cross[:, 1, 2] = z, -x
    cross[:, 2, 0], cross[:, 2, 1] = -y, x
    sine, rest = np.sin(angle)[:, None, None], (1 - np.cos(angle))[:, None, None]
    return np.asarray(np.eye(3) + sine * cross + rest * (cross @ cross), np.float64)
