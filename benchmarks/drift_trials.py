"""Does the drift watch notice nudges, and nothing else? Trials on rendered play.

    python -m benchmarks.drift_trials                              10 tables, 10 nudges each, ten minutes of play on each of 3 tables
    python -m benchmarks.drift_trials --tables 30 --trials 20 --minutes 10 --plays 5 --seed 40

Each table is rendered with its room from one camera, empty for the reference and several times in play: other balls, people and cues
over it. These pictures follow each other as in a match (each stays for half a second to four seconds), with noise, and with steps
of the light between them. A nudge moves the whole picture by 3 to 5 mm on the cloth in one of eight directions, at once, and must be
noticed within two seconds. Play without a nudge must give no alarm.

Asked: 99 % of nudges within 2 s; no alarm in ten minutes of play. The exit code is 1 where either is missed. Processor time is of the
watch alone, a reading.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.watch import MOVED, OTHER_VIEW, DriftWatch
from sample_videos.training import training_views

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

WITHIN_S = 2.0
NUDGE_M = (0.003, 0.005)
DIRECTIONS = 8
PICTURE_S = 0.1
"""Between two pictures of the play, of which the watch takes those that are due."""
STAY_S = (0.5, 4.0)
"""How long people and balls stay as they are."""
LIGHT = (0.75, 1.2)
"""Lamps and exposure, as a factor."""
NOISE = 2.5
"""Standard deviation of a pixel, of 255: a webcam indoors."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One table from one camera.

    Attributes:
        calibration: Exact.
        reference: As calibrated, shape (h, w, 3), BGR.
        plays: The same view with people and balls.
    """

    calibration: Calibration
    reference: Image
    plays: list[Image]


def scene(seed: int, layouts: int) -> Scene:
    """A rendered table: the first layout is the reference."""
    views = list(training_views(np.random.default_rng(seed), layouts=layouts + 1))
    return Scene(calibration=views[0].calibration, reference=views[0].image, plays=[view.image for view in views[1:]])


def metres_per_pixel(calibration: Calibration) -> float:
    """In the middle of the cloth."""
    across = calibration.camera.to_pixels([[-0.1, 0.0], [0.1, 0.0]], height_m=0.0)
    return 0.2 / float(np.hypot(*(across[1] - across[0])))


def play(scene: Scene, rng: np.random.Generator, noise: list[Image]) -> Iterator[tuple[int, float, Image, tuple[int, int]]]:
    """Layout, light, noise and its offset of each picture, without end."""
    while True:
        layout, light = int(rng.integers(len(scene.plays))), float(rng.uniform(*LIGHT))
        for _ in range(max(1, round(float(rng.uniform(*STAY_S)) / PICTURE_S))):
            yield layout, light, noise[int(rng.integers(len(noise)))], (int(rng.integers(64)), int(rng.integers(64)))


def shown(picture: Image, light: float, noise: Image, offset: tuple[int, int]) -> Image:
    """A picture as a camera gives it."""
    height, width = picture.shape[:2]
    grain = noise[offset[0] : offset[0] + height, offset[1] : offset[1] + width]
    return np.asarray(cv2.addWeighted(picture, light, grain, 1.0, -128.0), dtype=np.uint8)


def moved(picture: Image, shift_px: FloatArray) -> Image:
    """A picture after a nudge."""
    matrix = np.array([[1.0, 0.0, shift_px[0]], [0.0, 1.0, shift_px[1]]])
    size = (picture.shape[1], picture.shape[0])
    return np.asarray(cv2.warpAffine(picture, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)


@dataclass(kw_only=True)
class Totals:
    """What the trials gave; see `main`."""

    nudges: int = 0
    noticed_s: list[float] | None = None
    early: int = 0
    played_s: float = 0.0
    alarms: int = 0
    readings: int = 0
    spent_s: float = 0.0


def watch(totals: Totals, watcher: DriftWatch, time_s: float, picture: Image) -> bool:
    """Whether the watch stops rulings after a picture."""
    start = time.process_time()
    said = watcher.update(time_s, picture)
    totals.spent_s += time.process_time() - start
    totals.readings += 1
    return said.kind in MOVED or said.kind == OTHER_VIEW


def nudge(totals: Totals, scene: Scene, number: int, rng: np.random.Generator, noise: list[Image]) -> str:
    """One trial; what went wrong, empty where nothing."""
    watcher = DriftWatch(scene.calibration, scene.reference)
    turn = 2 * np.pi * (number % DIRECTIONS + rng.uniform(-0.5, 0.5)) / DIRECTIONS
    by_m, at_s = float(rng.uniform(*NUDGE_M)), float(rng.uniform(4.0, 7.0))
    after = replace(
        scene, plays=[moved(p, by_m / metres_per_pixel(scene.calibration) * np.array([np.cos(turn), np.sin(turn)])) for p in scene.plays]
    )
    totals.nudges += 1
    said = f"nudge {number}: {1000 * by_m:.1f} mm towards {np.degrees(turn) % 360:.0f} degrees"
    for i, (layout, light, grain, offset) in enumerate(play(scene, rng, noise)):
        now = i * PICTURE_S
        if now > at_s + WITHIN_S:
            return f"{said}: not noticed"
        if not watcher.due(now):
            continue
        if watch(totals, watcher, now, shown((scene if now < at_s else after).plays[layout], light, grain, offset)):
            if now < at_s:
                totals.early += 1
                return f"{said}: alarm before it"
            totals.noticed_s = [*(totals.noticed_s or []), now - at_s]
            return ""
    return ""


def long_play(totals: Totals, scene: Scene, minutes: float, rng: np.random.Generator, noise: list[Image]) -> str:
    """Play without a nudge; what went wrong, empty where nothing."""
    watcher, alarm = DriftWatch(scene.calibration, scene.reference), ""
    for i, (layout, light, grain, offset) in enumerate(play(scene, rng, noise)):
        now = i * PICTURE_S
        if now > 60 * minutes:
            break
        if watcher.due(now) and watch(totals, watcher, now, shown(scene.plays[layout], light, grain, offset)) and not alarm:
            totals.alarms += 1
            alarm = f"alarm after {now:.1f} s of play"
    totals.played_s += 60 * minutes
    return alarm


def main() -> int:
    """Run and print; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--trials", type=int, default=10, help="nudges a table")
    parser.add_argument("--plays", type=int, default=3, help="tables on which play without a nudge is watched")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--layouts", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    totals = Totals()
    for seed in range(options.seed, options.seed + options.tables):
        here, rng = scene(seed, options.layouts), np.random.default_rng(seed + 1_000_000)
        size = (here.reference.shape[0] + 64, here.reference.shape[1] + 64, 3)
        noise = [np.clip(128 + rng.normal(0, NOISE, size), 0, 255).astype(np.uint8) for _ in range(3)]
        said = [nudge(totals, here, number, rng, noise) for number in range(options.trials)]
        if seed - options.seed < options.plays:
            said.append(long_play(totals, here, options.minutes, rng, noise))
        wrong = [text for text in said if text]
        usable = DriftWatch(here.calibration, here.reference).usable
        print(f"table {seed}{'' if usable else ' (frame not usable)'}: {'; '.join(wrong) or 'all noticed, no alarm'}", flush=True)
    noticed = totals.noticed_s or [np.nan]
    print(
        f"{len(totals.noticed_s or [])} of {totals.nudges} nudges noticed within {WITHIN_S:g} s (latest {max(noticed):.1f}, "
        f"median {np.median(noticed):.1f}), {totals.early} alarms before one; {totals.alarms} alarms in "
        f"{totals.played_s / 60:.0f} minutes of play; {1000 * totals.spent_s / max(1, totals.readings):.0f} ms a reading"
    )
    return int(len(totals.noticed_s or []) < 0.99 * totals.nudges or totals.alarms > 0)


if __name__ == "__main__":
    sys.exit(main())
