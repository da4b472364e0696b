"""Rendered pictures for training the detector, as the detector sees them: rectified, with truth in view pixels.

Usage: python benchmarks/training_pictures.py FOLDER [--tables N] [--seed S] [--workers W] [--like-balls] [--moving]

Writes one shard a table, `SEED.npz`: `images` (N, h, w, 3) uint8 BGR, `covered` (N, h, w) uint8 (0 nothing, 1 person
or cue, 2 graphics), `balls` (M, 8) float32: picture, x, y, class (index into the 16 names cue, 1..15), share visible,
streak half length along x, along y, 1 on the bed or 0 in a pocket. View pixels, one ball radius being 6 of them: a
little more than the network sees, so that training can scale both ways without blowing up.
`--like-balls` gives each table a cloth in about the colour of one of its balls: chance alone makes too few of them for a
network to learn what a ball shows there. `--moving` lets most balls roll in half of the pictures, half of them fast. Nothing here
draws from `sample_videos.kept_out`.
It stands here and not in vision/, because nothing in the product may import sample_videos. Shards are painted by worker
processes; each depends on its seed alone, and one that is there is whole.
"""

import argparse
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import click
import cv2
import numpy as np

from calibration.equipment import BallId
from sample_videos.ball_sets import BallLook, Colour, draw_balls
from sample_videos.training import USUAL_SPEEDS, training_views
from sample_videos.workers import in_order
from vision.rectify import TopView

NAMES = ("cue", *(str(n) for n in range(1, 16)))
LAYOUTS = 8
RADIUS_PX = 6.0
MOVING = (0.2, 0.3, 0.5)
"""Shares of resting, slow and fast balls with `--moving`."""


def shard(seed: int, *, like_balls: bool = False, moving: bool = False) -> dict[str, np.ndarray]:
    """One table's pictures."""
    images, covered, balls = [], [], []
    top = None
    rng = np.random.default_rng(seed)
    known, cloth = _hiding(rng) if like_balls else (None, None)
    speeds = MOVING if moving else USUAL_SPEEDS
    for index, picture in enumerate(training_views(rng, layouts=LAYOUTS, balls=known, cloth=cloth, speeds=speeds)):
        top = top or TopView(picture.calibration, ball_radius_px=RADIUS_PX)
        images.append(top.view(picture.image))
        kinds = [
            top.view(np.repeat((picture.covered == kind).astype(np.uint8)[..., None] * 255, 3, axis=2))[..., 0] > 127 for kind in (1, 2)
        ]
        covered.append(kinds[0] + 2 * kinds[1].astype(np.uint8))
        for ball in picture.balls:
            (x, y), ends = top.to_view([(ball.x_m, ball.y_m)])[0], top.to_view(ball.streak_m)
            half = (ends[1] - ends[0]) / 2
            balls.append((index, x, y, NAMES.index(ball.ball), ball.visible, half[0], half[1], ball.on_bed))
    return {"images": np.stack(images), "covered": np.stack(covered), "balls": np.array(balls, dtype=np.float32)}


def _hiding(rng: np.random.Generator) -> tuple[dict[BallId, BallLook], Colour]:
    """A set of balls, and a cloth in which one of its solids hides."""
    known = draw_balls(rng)
    colour = np.array(known[str(rng.integers(1, 9))].colour) * np.exp(rng.normal(0, 0.2, 3)) * rng.uniform(0.7, 1.2) + 0.01
    blue, green, red = np.clip(colour, 0, 0.9).tolist()
    return known, (blue, green, red)


def main() -> None:
    """Render shards until there are enough; shards that exist are kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--like-balls", action="store_true", help="cloths in about the colour of a ball")
    parser.add_argument("--moving", action="store_true", help="most balls roll, half of them fast")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    seeds = [seed for seed in range(options.seed, options.seed + options.tables) if not (options.folder / f"{seed}.npz").exists()]
    with (
        closing(in_order(partial(shard, like_balls=options.like_balls, moving=options.moving), seeds, workers=options.workers)) as shards,
        click.progressbar(shards, length=len(seeds), label="tables", file=sys.stderr, show_pos=True) as bar,
    ):
        for seed, arrays in zip(seeds, bar, strict=True):
            unfinished = options.folder / f"{seed}.part.npz"
            np.savez_compressed(unfinished, **arrays)
            unfinished.replace(options.folder / f"{seed}.npz")


if __name__ == "__main__":
    main()
