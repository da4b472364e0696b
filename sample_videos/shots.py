"""The library of simulated shots and the motion of balls in them, exact at any moment.

Between two events a ball moves with constant acceleration and its spin changes evenly; `shots.npz` holds these pieces.
What follows is scripted: a pocketed ball goes on into the hole and falls; a ball that jumped a rail flies on.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from calibration.errors import InputError
from calibration.table import Table
from sample_videos.shapes import holes
from sample_videos.training import random_rotation

FloatArray = NDArray[np.float64]

_STEP_S = 0.002
"""Grid on which orientations are kept; at 60 turns a second a ball turns 43 degrees in a step, beyond any stroke."""
_GRAVITY = 9.81
_FALL_M = 0.055
"""How far below the cloth a ball comes to lie that stays visible in its pocket."""
_MIRROR = {"left": "right", "right": "left", "HL": "HR", "HR": "HL", "SL": "SR", "SR": "SL", "FL": "FR", "FR": "FL"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedShot:
    """One shot; times from the tip contact.

    Attributes:
        kind: What it was made to be: `legal_pot`, `no_rail`, ..
        phase: `break` or `normal`.
        before: Layout at rest, metres.
        events: In the vocabulary of rules.md 0.1, t in seconds.
        strike: Speed `V0` (m/s) and direction `phi` (radians) of the cue.
        end_s: When all is at rest.
        segments: Ball to rows (t0, p2, v2, a2, w3, alpha3).
        off_table: Ball to (t, x, y, z, vx, vy, vz) at the moment it left the bed.
    """

    kind: str
    phase: str
    before: dict[BallId, tuple[float, float]]
    events: tuple[dict[str, Any], ...]
    strike: dict[str, float]
    end_s: float
    segments: dict[BallId, FloatArray]
    off_table: dict[BallId, tuple[float, ...]]


@cache
def read_library() -> tuple[SimulatedShot, ...]:
    """Every shot of the library that comes with the package."""
    with (files("sample_videos") / "shots.npz").open("rb") as stream:
        data = np.load(stream)
        meta, rows = json.loads(data["meta"].tobytes().decode()), data["segments"]
    library = []
    for index, entry in enumerate(meta):
        mine = rows[rows[:, 0] == index][:, 1:]
        library.append(
            SimulatedShot(
                kind=entry["kind"],
                phase=entry["phase"],
                before={ball: (place[0], place[1]) for ball, place in entry["before"].items()},
                events=tuple(entry["events"]),
                strike=entry["strike"],
                end_s=entry["end_s"],
                segments={ball: mine[mine[:, 0] == k][:, 1:] for k, ball in enumerate(entry["balls"])},
                off_table={ball: tuple(values) for ball, values in entry["off_table"].items()},
            )
        )
    return tuple(library)


def kinds() -> tuple[str, ...]:
    """The kinds of shot there are."""
    return tuple(dict.fromkeys(shot.kind for shot in read_library()))


def find_shots(kind: str) -> tuple[SimulatedShot, ...]:
    """All shots of one kind, each also mirrored across the long string.

    Raises:
        InputError: If there is no such kind.
    """
    plain = [shot for shot in read_library() if shot.kind == kind]
    if not plain:
        raise InputError(f"no shot is called {kind!r}; there are {', '.join(kinds())}")
    return tuple(plain + [mirrored(shot) for shot in plain])


def mirrored(shot: SimulatedShot) -> SimulatedShot:
    """The shot seen in a mirror along the long string: left and right change places, spin turns over."""
    # A mirror across y turns vectors (x, -y) and axial vectors (-x, y, -z).
    signs = np.array([1, 1, -1, 1, -1, 1, -1, -1, 1, -1, -1, 1, -1], dtype=float)
    events = []
    for event in shot.events:
        events.append({k: (_MIRROR.get(v, v) if k in ("cushion", "pocket", "jaw") else v) for k, v in event.items()})
    flip = (1, 1, -1, 1, 1, -1, 1)
    return SimulatedShot(
        kind=shot.kind,
        phase=shot.phase,
        before={ball: (x, -y) for ball, (x, y) in shot.before.items()},
        events=tuple(events),
        strike={**shot.strike, "phi": -shot.strike["phi"]},
        end_s=shot.end_s,
        segments={ball: rows * signs for ball, rows in shot.segments.items()},
        off_table={ball: tuple(f * v for f, v in zip(flip, values, strict=True)) for ball, values in shot.off_table.items()},
    )


class Motion:
    """Where every ball is, and how it is turned, at any time from the tip contact."""

    def __init__(self, shot: SimulatedShot, table: Table, rng: np.random.Generator, *, stay_visible: bool = True) -> None:
        self.shot, self.table = shot, table
        self._radius = table.spec.ball_radius_m
        self._gone: dict[BallId, tuple[float, str]] = {e["ball"]: (e["t"], e["pocket"]) for e in shot.events if e["type"] == "pocketed"}
        self._stays: dict[BallId, bool] = {}
        taken: set[str] = set()
        for ball, (_, pocket) in sorted(self._gone.items(), key=lambda item: item[1][0]):
            self._stays[ball] = stay_visible and pocket not in taken
            taken.add(pocket)
        self._turned = {ball: self._orientations(ball, random_rotation(rng)) for ball in shot.before}

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
        return np.array([place[0], place[1], self._radius])

    def rotation(self, ball: BallId, time_s: float) -> FloatArray:
        """Ball to table, shape (3, 3)."""
        grid = self._turned[ball]
        return np.asarray(grid[int(np.clip(round(time_s / _STEP_S), 0, len(grid) - 1))], np.float64)

    def is_moving(self, ball: BallId, time_s: float, exposure_s: float) -> bool:
        """Whether it moves by more than a twentieth of a millimetre, or turns, during an exposure."""
        start, end = self.centre(ball, time_s - exposure_s / 2), self.centre(ball, time_s + exposure_s / 2)
        if start is None or end is None:
            return False
        turned = np.abs(self.rotation(ball, time_s - exposure_s / 2) - self.rotation(ball, time_s + exposure_s / 2)).max()
        return bool(np.linalg.norm(end - start) > 5e-5 or turned > 0.02)

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
            height = max(height, -_FALL_M)
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
        result = np.empty((len(times), 3, 3))
        current = first
        for i in range(len(times)):
            result[i] = current
            if angle[i] > 1e-7:
                current = _rotation(axis[i], angle[i]) @ current
        return result


def _rotation(axis: FloatArray, angle: float) -> FloatArray:
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross), np.float64)
