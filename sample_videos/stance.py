"""How a player stands before, during and after a stroke, and how a hand reaches in: poses over time."""

from math import cos, hypot, pi, sin

import numpy as np
from numpy.typing import NDArray

from calibration.table import Table
from sample_videos.player import Pose
from sample_videos.posture import GRIP_M
from sample_videos.shots import SimulatedShot

FloatArray = NDArray[np.float64]

ENTER_S, AIM_S, LEAVE_S, GONE_S = -1.9, -1.1, 0.45, 1.2
"""From the tip contact: when a player comes into the picture, aims, turns to go, is out of it."""
REACH_S = 0.55
"""How long a hand takes to come in or to go."""
_LONGEST_REACH_M = 1.0
"""From the edge of the bed to the bridge hand; farther away a player takes the mechanical bridge."""
_REST_STANDS_BACK_M = 0.45
"""Behind a mechanical bridge the hips are farther from its crosspiece by so much, less what they must be outside."""
_HIPS_OUTSIDE_M = 0.16
"""Of a player who leans against the rail: cushion and rail are wider than the trunk is thick."""
_BEHIND_GRIP_M = 0.25
"""How far behind his stroking hand, along the cue, a player stands who reaches in from the side."""
_AWAY_M = 1.9
"""How far a player who is not there stands back."""


def stroke_pose(shot: SimulatedShot, table: Table, time_s: float) -> Pose | None:
    """Where the player of a shot is at a time from its tip contact; None while he is away."""
    if not ENTER_S < time_s < GONE_S:
        return None
    radius_m = table.spec.ball_radius_m
    angle = shot.strike["phi"]
    direction = np.array([cos(angle), sin(angle)])
    tip = np.array(shot.before[shot.cue_ball]) - direction * radius_m
    bridge = tip - direction * _bridge_length(shot, tip, direction)
    if time_s < AIM_S:
        back = _AWAY_M * (1 - smooth((time_s - ENTER_S) / (AIM_S - ENTER_S)))
    else:
        back = _AWAY_M * smooth((time_s - LEAVE_S) / (GONE_S - LEAVE_S))
    return Pose(
        tip_m=(float(tip[0]), float(tip[1]), radius_m),
        direction=angle,
        bridge_m=(float(bridge[0]), float(bridge[1])),
        back_m=back,
        draw_m=_draw(time_s, shot.strike["V0"]),
        rest=_inside_m(table, bridge, -direction) > _LONGEST_REACH_M,
        stand=_beside(table, tip, bridge, direction),
    )


def reach_pose(table: Table, place: FloatArray, away: float) -> Pose:
    """A person whose hand is at a place on the table, come in from the nearest side; `away` 0 there, 1 out of the picture."""
    half_x, half_y = table.spec.length_m / 2, table.spec.width_m / 2
    gaps = {0.0: place[0] + half_x, pi: half_x - place[0], -pi / 2: half_y - place[1], pi / 2: place[1] + half_y}
    direction = min(gaps, key=lambda name: gaps[name])
    return Pose(
        tip_m=(float(place[0]), float(place[1]), 0.0),
        direction=direction,
        bridge_m=(float(place[0]), float(place[1])),
        back_m=_AWAY_M * smooth(away),
        cue=False,
    )


def _beside(table: Table, tip: FloatArray, bridge: FloatArray, direction: FloatArray) -> tuple[float, float, float] | None:
    """Hips and facing of a player who would stand on the bed behind his cue: he goes to the rail nearest to his stroking hand.

    None where behind the cue there is floor to stand on.
    """
    inside_m = _inside_m(table, bridge, -direction)
    if inside_m <= _LONGEST_REACH_M + _REST_STANDS_BACK_M:
        return None
    grip = tip - direction * GRIP_M
    half = np.array([table.spec.length_m, table.spec.width_m]) / 2
    gaps = half - np.abs(grip)
    axis = int(np.argmin(gaps))
    hips = grip.copy()
    hips[axis] = np.copysign(half[axis] + _HIPS_OUTSIDE_M, grip[axis])
    hips[1 - axis] = np.clip(hips[1 - axis] - _BEHIND_GRIP_M * direction[1 - axis], -half[1 - axis], half[1 - axis])
    facing = 0.7 * grip + 0.3 * bridge - hips
    return float(hips[0]), float(hips[1]), float(np.arctan2(facing[1], facing[0]))


def _inside_m(table: Table, place: FloatArray, way: FloatArray) -> float:
    """How far it is from a place on the bed along a way to the edge of the bed; 0 outside."""
    half = np.array([table.spec.length_m, table.spec.width_m]) / 2
    far = [(h - p * np.sign(w)) / abs(w) for h, p, w in zip(half, place, way, strict=True) if abs(w) > 1e-9]
    return max(0.0, float(min(far)))


def smooth(share: float) -> float:
    """0 to 1 with level ends."""
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


def _bridge_length(shot: SimulatedShot, tip: FloatArray, direction: FloatArray) -> float:
    others = [p for b, p in shot.before.items() if b != shot.cue_ball]
    for length in (0.20, 0.24, 0.16, 0.28, 0.13):
        if all(hypot(*(tip - direction * length - p)) > 0.10 for p in others):
            return length
    return 0.20


def _draw(time_s: float, speed_mps: float) -> float:
    """How far the tip is behind its place of contact: two practice strokes, the stroke, the follow-through."""
    pull = 0.06 + 0.02 * min(speed_mps, 6.0)
    rest = 0.018
    if time_s < -0.35:
        return rest + 0.5 * pull * (0.5 - 0.5 * cos(2 * np.pi * (time_s + 1.1) / 0.375)) if time_s > -1.1 else rest
    run = max(0.05, min(0.2, 2 * pull / max(speed_mps, 0.3)))
    if time_s < -run:
        return rest + (pull - rest) * smooth((time_s + 0.35) / max(0.35 - run, 1e-3))
    if time_s < 0:
        return pull * (1 - ((time_s + run) / run) ** 2)
    return -0.5 * pull * smooth(time_s / 0.12) if time_s < 0.25 else -0.5 * pull * (1 - smooth((time_s - 0.25) / 0.2))
