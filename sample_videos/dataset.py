"""Pictures and crops for training as files: what the command `python -m sample_videos dataset` writes.

Workers paint and encode, the caller writes: a table's files depend on the seed and the table's number alone, and whoever
is interrupted leaves whole files.
"""

import io
import json
from collections.abc import Generator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from sample_videos.training import TrainingView, training_views
from sample_videos.training_crops import CROP_LAYOUTS, CropBatch, training_crops
from sample_videos.workers import in_order

LAYOUTS = 6
"""Pictures a table."""

Job = tuple[int, int, int]
"""Seed, number of the table, how many pictures of it."""


def write_pictures(folder: Path, *, count: int, seed: int, workers: int) -> Generator[int]:
    """Write `NNNNN.png`, `NNNNN_covered.png` and `NNNNN.json` a picture.

    Args:
        folder: Is there.
        count: How many pictures.
        seed: The same seed gives the same files, whatever the number of workers.
        workers: Processes that paint.

    Yields:
        How many pictures were written, a table at a time.
    """
    jobs = [(seed, first // LAYOUTS, min(LAYOUTS, count - first)) for first in range(0, count, LAYOUTS)]
    number = 0
    with closing(in_order(encoded_table, jobs, workers=workers)) as tables:
        for table in tables:
            for files in table:
                for ending, data in files.items():
                    _write(folder / f"{number:05d}{ending}", data)
                number += 1
            yield len(table)


def encoded_table(job: Job) -> list[dict[str, bytes]]:
    """The files of each picture of one table, by the ending of their names."""
    seed, number, layouts = job
    return [_encoded(view) for view in training_views(np.random.default_rng((seed, number)), layouts=layouts)]


def write_crops(folder: Path, *, count: int, seed: int, size_px: int, workers: int, layouts: int = CROP_LAYOUTS) -> Generator[int]:
    """Write `NNNNN.npz` a table, with the fields of `training_crops.CropBatch`, until there are at least `count` crops.

    Yields:
        How many crops were written.
    """
    done = 0
    with closing(training_crops(seed, size_px=size_px, layouts=layouts, workers=workers)) as batches:
        for number, batch in enumerate(batches):
            _write(folder / f"{number:05d}.npz", _packed(batch))
            done += len(batch.images)
            yield len(batch.images)
            if done >= count:
                return


def _encoded(view: TrainingView) -> dict[str, bytes]:
    balls = [
        {"ball": b.ball, "x_m": b.x_m, "y_m": b.y_m, "px": b.px, "visible": b.visible, "streak_m": b.streak_m, "on_bed": b.on_bed}
        for b in view.balls
    ]
    truth = {"format": "cueref.picture/1", "table": view.calibration.to_dict(), "balls": balls}
    return {
        ".png": _png(view.image),
        "_covered.png": _png(view.covered),
        ".json": (json.dumps(truth) + "\n").encode(),
    }


def _png(image: np.ndarray[Any, Any]) -> bytes:
    good, data = cv2.imencode(".png", image)
    assert good
    return data.tobytes()


def _packed(batch: CropBatch) -> bytes:
    into = io.BytesIO()
    # Not compressed: noise does not shrink, and trying takes longer than painting.
    np.savez(into, allow_pickle=False, **{field.name: np.asarray(getattr(batch, field.name)) for field in fields(batch)})
    return into.getvalue()


def _write(path: Path, data: bytes) -> None:
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
