"""Passes and stops just short of a touch: how many are called one.

    python benchmarks/near_touches.py [--count 1000] [--fps 60] [--sigma-mm 1] [--seed 1]

Needs nothing but the tracker: a cue ball slides, rolls and passes a ball at rest by 0.05 to 8 mm, or dies 0.4 to 10 mm from
a cushion (both spread evenly in their logarithm), seen with white noise, 2 % of detections missing, from any phase of the
shutter. Straight ways, friction as in limits.md of the shared reference (sliding 0.15 to 0.27, rolling 0.006 to 0.014 of g); no
spin, no other ball. What is counted: a contact with p >= 0.5, and a cushion fact of 0.5 or more. Exit code 1 where a pass is
called a contact, or more than one stop in a hundred a touch.
"""

import argparse
import os
import sys
import time
from math import exp, log, sqrt

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import find_table
from calibration.table import Table
from tracker.history import BallTrack
from tracker.read import read_shots

FloatArray = NDArray[np.float64]
TABLE = Table(find_table("wpa-9ft"))
RADIUS_M = TABLE.spec.ball_radius_m
GRAVITY_MPS2 = 9.81
STRIKE_S, AFTER_S = 0.5, 0.5


def rolled_m(times_s: FloatArray, speed_mps: float, slide: float, roll: float) -> FloatArray:
    """Way of a ball struck without spin at those times after the stroke, metres: it slides to 5/7 of its speed, then rolls."""
    slide_s = 2 * speed_mps / (7 * slide * GRAVITY_MPS2)
    left_mps = 5 / 7 * speed_mps
    sliding = np.clip(times_s, 0, slide_s)
    rolling = np.clip(times_s - slide_s, 0, left_mps / (roll * GRAVITY_MPS2))
    way = speed_mps * sliding - 0.5 * slide * GRAVITY_MPS2 * sliding**2 + left_mps * rolling - 0.5 * roll * GRAVITY_MPS2 * rolling**2
    return np.asarray(way, dtype=np.float64)


def speed_for(way_m: float, slide: float, roll: float) -> float:
    """Speed of a stroke after which a ball stops after that way, m/s."""
    per_square = (1 - 25 / 49) / (2 * slide * GRAVITY_MPS2) + 25 / 49 / (2 * roll * GRAVITY_MPS2)
    return sqrt(way_m / per_square)


def seen(ball: str, times_s: FloatArray, places_m: FloatArray, sigma_m: float, chance: np.random.Generator) -> BallTrack:
    """A track with noise and gaps."""
    kept = chance.random(len(times_s)) >= 0.02
    noisy = places_m + sigma_m * chance.standard_normal(places_m.shape)
    return BallTrack(
        ball=ball,
        times_s=times_s[kept],
        positions_m=noisy[kept],
        sigma_m=np.full(int(kept.sum()), sigma_m),
        seen=np.ones(int(kept.sum()), dtype=np.bool_),
    )


def is_called(kind: str, fps: float, sigma_m: float, chance: np.random.Generator) -> tuple[bool, float]:
    """Make one pass (`pass`) or stop (`stop`); whether it is called a touch, and by how much it was none, metres."""
    slide, roll = chance.uniform(0.15, 0.27), chance.uniform(0.006, 0.014)
    angle = chance.uniform(-0.35, 0.35)
    along, aside = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    if kind == "pass":
        gap = exp(chance.uniform(log(5e-5), log(8e-3)))
        start = np.array([-0.9, chance.uniform(-0.1, 0.1)])
        speed = chance.uniform(0.8, 1.6) * speed_for(0.9, slide, roll)
        other = start + chance.uniform(0.25, 0.8) * along + chance.choice([-1.0, 1.0]) * (2 * RADIUS_M + gap) * aside
        until = (TABLE.spec.length_m / 2 - RADIUS_M - 0.02 - start[0]) / along[0]  # a picture before the cushion
    else:
        gap = exp(chance.uniform(log(4e-4), log(1e-2)))
        way = chance.uniform(0.2, 1.0)
        start = np.array([TABLE.spec.length_m / 2 - RADIUS_M - gap, chance.uniform(-0.3, 0.3)]) - way * along
        speed, until, other = speed_for(way, slide, roll), way, np.array([-0.5, 0.5])
    frames = np.arange(0.0, 20.0, 1 / fps) + chance.random() / fps
    travelled = rolled_m(frames - STRIKE_S, speed, slide, roll)
    stop_s = STRIKE_S + 2 * speed / (7 * slide * GRAVITY_MPS2) + 5 / 7 * speed / (roll * GRAVITY_MPS2)
    keep = (frames < stop_s + AFTER_S) & (travelled <= until + 1e-9)
    frames, travelled = frames[keep], travelled[keep]
    tracks = (
        seen("cue", frames, start + travelled[:, None] * along, sigma_m, chance),
        seen("1", frames, np.tile(other, (len(frames), 1)), sigma_m, chance),
    )
    shots = read_shots(tracks, TABLE, touch_ratio=1.0)
    if kind == "pass":
        return any(event.type == "ball_ball" and event.p >= 0.5 for shot in shots for event in shot.events), gap
    touches = [event for shot in shots for event in shot.events if event.type == "ball_cushion" and event.p >= 0.5]
    facts = [max(shot.rail_before_contact, shot.rail_after_contact) for shot in shots]
    return bool(touches) or max(facts, default=0.0) >= 0.5, gap


def count_called(kind: str, count: int, *, fps: float = 60.0, sigma_mm: float = 1.0, seed: int = 1) -> int:
    """How many of `count` passes (`pass`) or stops (`stop`) are called a touch."""
    chance = np.random.default_rng([seed, len(kind), ord(kind[0])])
    return sum(is_called(kind, fps, sigma_mm / 1000, chance)[0] for _ in range(count))


def main() -> int:
    """Both kinds, a line each, and the gaps of what was called a touch."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--fps", type=float, default=60.0)
    parser.add_argument("--sigma-mm", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    good = True
    for kind, allowed in (("pass", 0.0), ("stop", 0.01)):
        chance = np.random.default_rng([options.seed, len(kind), ord(kind[0])])
        begun = time.process_time()
        results = [is_called(kind, options.fps, options.sigma_mm / 1000, chance) for _ in range(options.count)]
        wrong = sorted(gap for called, gap in results if called)
        spent = (time.process_time() - begun) / max(options.count, 1)
        gaps = " ".join(f"{1000 * gap:.2f}" for gap in wrong)
        sys.stdout.write(f"{kind}: {len(wrong)} of {options.count} called a touch, {spent:.3f} s each; their gaps in mm: {gaps or '-'}\n")
        sys.stdout.flush()
        good &= len(wrong) <= allowed * options.count
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
