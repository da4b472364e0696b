"""How fast the studio works: pictures a second of a finished film, and training crops a second.

Usage: python benchmarks/studio_speed.py [--crops N] [--workers W] [--only films|crops]

A film at 1920x1080 with everything on: worn balls that shade one another, a player who comes, strikes and leaves, motion
blur, noise, sharpening, graphics, flicker, H.264 at 8 Mb/s, truth. Wanted: 15 pictures and 500 crops a second on two cores.
Both are given by the wall clock and by processor time: on a machine that does other work the wall clock says less, and
processor time over two cores is what an idle pair of cores would need at least. The start of the workers counts.
"""

import argparse
import resource
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from sample_videos.effects import draw_effects
from sample_videos.graphics import draw_graphics
from sample_videos.recipes import Wishes, make_recording
from sample_videos.scene import Scene
from sample_videos.training_crops import training_crops
from sample_videos.video import write_recording

KINDS = ("legal_pot", "break_pot", "safety")


def film(kind: str, seed: int, folder: Path) -> tuple[int, float, float]:
    """Pictures, wall seconds, processor seconds of one film; painting the empty table is not counted."""
    recording = make_recording(kind, seed, Wishes(size_px=(1920, 1080), fps=25.0))
    scene = recording.scene
    rng = np.random.default_rng(seed)
    scene = Scene(scene.camera, scene.table, scene.look, draw_graphics(rng, scene.camera.image_size_px, scene.look.balls))
    effects = replace(draw_effects(rng, ("flicker", "drift"), recording.play.end_s), bit_rate_mbps=8.0)
    wall, processor = time.perf_counter(), time.process_time()
    truth = write_recording(replace(recording, scene=scene, effects=effects), folder / f"{kind}.mp4")
    return truth["frames"], time.perf_counter() - wall, time.process_time() - processor


def crops(count: int, workers: int) -> tuple[int, float, float]:
    """Crops, wall seconds, processor seconds of all processes; tables, start and end of the workers and all."""
    wall, processor, done = time.perf_counter(), _processor_s(), 0
    with closing(training_crops(7, workers=workers)) as batches:
        for batch in batches:
            done += len(batch.images)
            if done >= count:
                break
        took = time.perf_counter() - wall
    return done, took, _processor_s() - processor


def _processor_s() -> float:
    """Of this process and of the children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    """Print both figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--crops", type=int, default=4000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", choices=("films", "crops"))
    options = parser.parse_args()
    cv2.setNumThreads(1)
    if options.only != "crops":
        films()
    if options.only != "films":
        done, wall, processor = crops(options.crops, options.workers)
        print(f"crops        {done / wall:6.0f} crops/s wall, {2 * done / processor:6.0f} by the processor time of two cores (wanted 500)")


def films() -> None:
    """Print each film's figures and those of all."""
    total = np.zeros(3)
    with tempfile.TemporaryDirectory() as folder:
        for seed, kind in enumerate(KINDS, start=1):
            found = film(kind, seed, Path(folder))
            total += found
            print(
                f"{kind:12} {found[0]:4d} pictures  {found[0] / found[1]:6.1f} /s wall  {1000 * found[2] / found[0]:6.1f} ms processor each"
            )
    rate = 2 * total[0] / total[2]
    print(f"films        {total[0] / total[1]:6.1f} pictures/s wall, {rate:6.1f} by the processor time of two cores (wanted 15)")


if __name__ == "__main__":
    main()
