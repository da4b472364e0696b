"""A table at rest for minutes: does a ball appear, vanish or change its name, and how much do resting places tremble?

Usage: python benchmarks/still_scene.py [--minutes 10] [--scenes 2] [--fps 25] [--seed S]

A scene is painted once; each picture of it then gets what cameras and rooms add: new noise, the flicker of lamps and a slow drift
of the exposure, reflections that come and go on the balls (somebody passes before a lamp), a faint patch of light that wanders
over the cloth (a door, a screen), and JPEG's blocks. The pictures go through the eyes and the tracker as in `cueref track`.

Counted, picture by picture, against the first second: balls that the tracker gains, loses or renames; pictures in which the eyes
alone see a ball more or less (a detection counts from a score of 0.5 on) or name one otherwise. Trembling: standard deviation
an axis of each ball's places, of the eyes alone and as the tracker hands them on. Asked for: no ball gained, lost or renamed; 0.1 mm.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import click
import cv2
import numpy as np

from calibration.calibration import Calibration
from calibration.equipment import find_ball_set, find_table
from calibration.table import Table
from sample_videos.looks import Sensor, draw_look
from sample_videos.poses import draw_camera
from sample_videos.scene import BallInView, Scene
from sample_videos.training import foot_side, lying_balls
from tracker.tracks import Tracker
from vision.detection import Detection
from vision.eyes import Eyes
from vision.frame import Frame
from vision.identify import best_names

SCORE = 0.5
SETTLED_S = 1.0
FLICKER, FLICKER_HZ = 0.012, 4.3
"""Share of the light, and the beat of lamps against the camera."""
DRIFT, DRIFT_S = 0.05, 45.0
NOISE = 2.0
"""Grey levels."""
QUALITY = 88
_TILE = 96
_SAME_RADII = 0.5


@dataclass
class Count:
    """What one scene showed."""

    pictures: int = 0
    gained: int = 0
    lost: int = 0
    more: int = 0
    fewer: int = 0
    named_otherwise: int = 0
    notes: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def make_scene(seed: int) -> tuple[np.ndarray, Calibration, list[BallInView]]:
    """One picture of balls at rest without noise, its table, and the balls."""
    rng = np.random.default_rng(seed)
    table = Table(find_table("wpa-9ft"))
    look = draw_look(rng, table=table)
    look = replace(look, sensor=Sensor(blur_px=0.6, sharpen=0.3, noise=0.0, exposure_s=0.01))
    camera = draw_camera(rng, table, (1920, 1080), look.frame)
    scene = Scene(camera, table, look, None, fine=2)
    calibration = Calibration(table=table, camera=camera, foot_known=True, foot_side=foot_side(scene), residual_mm=(0.0, 0.0), good=True)
    balls = [
        replace(ball, centres_m=ball.centres_m[:1], rotations=ball.rotations[:1]) for ball in lying_balls(rng, table, look) if _whole(ball)
    ]
    return scene.render(balls).image, calibration, balls


def _whole(ball: BallInView) -> bool:
    return bool(ball.centres_m[0, 2] > 0)


def pictures(
    image: np.ndarray, calibration: Calibration, balls: list[BallInView], count: int, fps: float, seed: int
) -> Iterator[np.ndarray]:
    """What a camera makes of the scene, picture by picture."""
    rng = np.random.default_rng(seed)
    height, width = image.shape[:2]
    grain = cv2.GaussianBlur(rng.standard_normal((height + _TILE, width + _TILE, 3), dtype=np.float32), (0, 0), 0.6) * 1.8 * NOISE
    plus, minus = (np.clip(np.round(part), 0, 255).astype(np.uint8) for part in (grain, -grain))
    spots = _reflections(calibration, balls, rng)
    patch = _patch(height, width)
    for number in range(count):
        time = number / fps
        gain = 1 + FLICKER * np.sin(2 * np.pi * FLICKER_HZ * time) + DRIFT * np.sin(2 * np.pi * time / DRIFT_S)
        picture = cv2.convertScaleAbs(image, alpha=float(gain))
        for (x, y), size, period, phase in spots:
            strength = 150 * max(0.0, np.sin(2 * np.pi * time / period + phase)) ** 4
            if strength > 3:
                _add_spot(picture, x, y, size, strength)
        left = int((width - patch.shape[1]) * (0.5 + 0.5 * np.sin(2 * np.pi * time / 37)))
        window = picture[int(0.1 * height) : int(0.1 * height) + patch.shape[0], left : left + patch.shape[1]]
        cv2.add(window, patch, dst=window)
        y, x = rng.integers(0, _TILE, 2)
        cut = (slice(y, y + height), slice(x, x + width))
        picture = cv2.subtract(cv2.add(picture, plus[cut]), minus[cut])
        yield np.asarray(cv2.imdecode(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1], cv2.IMREAD_COLOR), np.uint8)


def _reflections(
    calibration: Calibration, balls: list[BallInView], rng: np.random.Generator
) -> list[tuple[tuple[float, float], float, float, float]]:
    """A second highlight on each ball: where, its size, its period and phase."""
    radius = calibration.spec.ball_radius_m
    middles = np.array([ball.centres_m[0, :2] for ball in balls])
    spots = middles + rng.uniform(-0.45, 0.45, middles.shape) * radius
    pixels = calibration.camera.to_pixels(spots, height_m=1.5 * radius)
    beside = calibration.camera.to_pixels(spots + np.array((radius, 0.0)), height_m=1.5 * radius)
    sizes = np.hypot(*(beside - pixels).T)
    return [
        ((float(x), float(y)), 0.13 * float(size), float(rng.uniform(5, 40)), float(rng.uniform(0, 6.3)))
        for (x, y), size in zip(pixels, sizes, strict=True)
    ]


def _add_spot(picture: np.ndarray, x: float, y: float, size: float, strength: float) -> None:
    reach = int(np.ceil(4 * size))
    column, row = round(x), round(y)
    rows, columns = np.mgrid[row - reach : row + reach + 1, column - reach : column + reach + 1]
    if rows.min() < 0 or columns.min() < 0 or rows.max() >= picture.shape[0] or columns.max() >= picture.shape[1]:
        return
    light = strength * np.exp(-((rows - y) ** 2 + (columns - x) ** 2) / (2 * size**2))
    window = picture[row - reach : row + reach + 1, column - reach : column + reach + 1]
    window[:] = np.clip(window + light[..., None], 0, 255).astype(np.uint8)


def _patch(height: int, width: int) -> np.ndarray:
    """A soft patch of light, up to 14 levels."""
    rows, columns = np.mgrid[0 : int(0.8 * height), 0 : int(0.5 * width)].astype(np.float32)
    middle, reach = np.array([rows.shape[0], rows.shape[1]]) / 2, np.array([rows.shape[0], rows.shape[1]]) / 4
    light = 14 * np.exp(-0.5 * ((rows - middle[0]) / reach[0]) ** 2 - 0.5 * ((columns - middle[1]) / reach[1]) ** 2)
    return np.repeat(light.astype(np.uint8)[..., None], 3, axis=2)


def run(seed: int, minutes: float, fps: float) -> tuple[Count, str]:
    """One scene."""
    image, calibration, balls = make_scene(seed)
    names = {ball.ball for ball in balls}
    ball_set = find_ball_set("pool" if any(int(name) > 9 for name in names - {"cue"}) else "nine")
    eyes, tracker, count = Eyes(calibration, ball_set), Tracker(calibration.table, ball_set), Count()
    places: dict[str, list[tuple[float, float]]] = defaultdict(list)
    followed: dict[str, list[tuple[float, float]]] = defaultdict(list)
    known: set[str] = set()
    first: dict[str, tuple[float, float]] = {}
    total = int(60 * minutes * fps)
    source = pictures(image, calibration, balls, total, fps, seed)
    with click.progressbar(source, length=total, label=f"scene {seed}", file=sys.stderr, update_min_steps=250) as bar:
        for number, picture in enumerate(bar):
            time = number / fps
            observation = eyes.look(Frame(index=number, time_s=time, image=picture))
            state = tracker.update(observation)
            detections = [one for one in observation.detections if one.score >= SCORE]
            called = best_names([one.likelihood for one in detections], ball_set.balls)
            now = {ball.ball: ball.position_m for ball in state.balls}
            if time < SETTLED_S:
                first = {name: one.position_m for name, one in zip(called, detections, strict=True) if name}
                known = set(now)
                continue
            count.pictures += 1
            for name in sorted(set(now) - known):
                count.gained += 1
                count.notes[f"tracker gained {name}"] += 1
            for name in sorted(known - set(now)):
                count.lost += 1
                count.notes[f"tracker lost {name}"] += 1
            known = set(now)
            for name, position in now.items():
                followed[name].append(position)
            _compare(first, called, detections, calibration.spec.ball_radius_m, count, places)
    return count, _told(count, names, first, places, followed)


def _compare(
    first: dict[str, tuple[float, float]],
    called: list[str | None],
    detections: list[Detection],
    radius: float,
    count: Count,
    places: dict[str, list[tuple[float, float]]],
) -> None:
    """Lay what the eyes see now beside what they saw first."""
    left = dict(first)
    for name, one in zip(called, detections, strict=True):
        near = [ball for ball, place in left.items() if np.hypot(*np.subtract(place, one.position_m)) < _SAME_RADII * radius]
        if not near:
            count.more += 1
            count.notes[f"eyes saw one more, called {name}"] += 1
            continue
        left.pop(near[0])
        places[near[0]].append(one.position_m)
        if name != near[0]:
            count.named_otherwise += 1
            count.notes[f"eyes called {near[0]} {name}"] += 1
    count.fewer += len(left)
    for name in left:
        count.notes[f"eyes did not see {name}"] += 1


def _told(
    count: Count,
    names: set[str],
    first: dict[str, tuple[float, float]],
    places: dict[str, list[tuple[float, float]]],
    followed: dict[str, list[tuple[float, float]]],
) -> str:
    by_eyes, by_tracker = (
        [1000 * float(np.std(np.array(one), axis=0).max()) for one in rows.values() if one] for rows in (places, followed)
    )
    lines = [
        f"{count.pictures} pictures, {len(names)} balls there, {len(first)} seen, {len(names & set(first))} of these by their names",
        f"  tracker: gained {count.gained}, lost {count.lost} (0 and 0); trembling of a ball median {np.median(by_tracker):.3f}, "
        f"worst {max(by_tracker):.3f} mm (0.1)",
        f"  eyes, picture by picture: one more {count.more}, one fewer {count.fewer}, named otherwise {count.named_otherwise}; trembling "
        f"median {np.median(by_eyes):.3f}, worst {max(by_eyes):.3f} mm",
    ]
    return "\n".join(lines + [f"    {note}: {times}" for note, times in sorted(count.notes.items())])


def main() -> None:
    """Print a paragraph a scene."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--scenes", type=int, default=2)
    parser.add_argument("--fps", type=float, default=25.0)
    parser.add_argument("--seed", type=int, default=900_000)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for seed in range(options.seed, options.seed + options.scenes):
        sys.stdout.write(run(seed, options.minutes, options.fps)[1] + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
