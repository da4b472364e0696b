"""Automatic calibration of every real set and of fresh rendered tables, against the figures it has to reach.

    python -m benchmarks.table_finding                          the real sets of ../shared/real
    python -m benchmarks.table_finding --real DIR --sets home-8ft garage-8ball
    python -m benchmarks.table_finding --rendered 300 --seed 7  rendered tables with known cameras (--cache DIR keeps the pictures)
    python -m benchmarks.table_finding --overlays DIR           fits drawn into the pictures, to look at
    python -m benchmarks.table_finding --rendered 300 --rows F  rows are kept in F as they come; a second run goes on from there

A row a picture, then the totals. What is asked:
- every picture that shows its whole table ends good, and where a size is known the balls measure within 4 % of theirs;
- corners lie within 0.4 % of the table's length of the labels, where there are labels (TV clips; whichever end is the head);
- a picture without one end ends in a reason that says that the table runs out of the picture;
- rendered: 98 % good; balls placed by calibration alone to 0.7 mm in the median and 2.5 mm in 99 % of places; the
  stated standard deviations right within a factor of 1.5; none that is called good is wrong (anywhere by more than 15 mm).

Processor seconds are of this process on one core, decoding and rendering not counted. The exit code is 1 where
something wrong was called good, or a picture without an end was.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.automatic import CalibrationFailure, Finding, find_in_image, find_in_video
from calibration.calibration import Calibration
from calibration.equipment import TableSpec, find_table
from calibration.overlay import draw_calibration
from referee.commands.calibrate import _spec as spec_from_options
from sample_videos.training import render_training_view
from vision.capture import SAMPLES, sample_pictures

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

REAL = Path(__file__).resolve().parents[2] / "shared" / "real"
WITHOUT_END = frozenset({"IMG_2051", "IMG_3416", "IMG_3417", "IMG_3473", "IMG_3474"})
"""Pictures of small-snooker of which one end is outside (the folder's README)."""
CORNER_SHARE, BALL_SHARE = 0.004, 0.04
WRONG_M = 0.015


@dataclass(frozen=True, kw_only=True)
class Case:
    """Pictures of one table: one, or moments of a video.

    Attributes:
        group: The set it belongs to.
        name: The file's name.
        pictures: Shape (h, w, 3) each, BGR.
        spec: The table as a person would name it.
        whole: False where an end is outside the picture.
        corners_px: Labelled corners, shape (4, 2); None without labels.
        truth: The exact calibration of a rendered table.
    """

    group: str
    name: str
    pictures: list[Image]
    spec: TableSpec
    whole: bool = True
    corners_px: FloatArray | None = None
    truth: Calibration | None = None


def real_cases(root: Path, sets: list[str]) -> Iterator[Case]:
    """Pictures of the real sets, in order."""
    snooker = spec_from_options(None, 1881.0, 943.0, 52.3, None)
    two, low = (spec_from_options(None, None, None, None, proportion) for proportion in (2.0, 1.7))
    for group, spec in (
        ("home-8ft", find_table("home-8ft")),
        ("garage-8ball", two),
        ("overhead-snooker-balls", snooker),
        ("small-snooker", low),
    ):
        if group not in sets:
            continue
        for path in sorted(p for p in (root / group).iterdir() if p.suffix in (".jpg", ".png")):
            picture = np.asarray(cv2.imread(str(path)), dtype=np.uint8)
            yield Case(group=group, name=path.stem, pictures=[picture], spec=spec, whole=path.stem not in WITHOUT_END)
    for group, folder, spec in (
        ("tv-nine-ball", root / "tv-nine-ball", find_table("wpa-9ft")),
        ("overhead-clips", root / "overhead-snooker-balls" / "clips", snooker),
    ):
        for path in sorted(folder.glob("*.mp4")) if group in sets else ():
            labels = json.loads(path.with_suffix(".json").read_text())["table_px"]
            corners = np.array(list(labels.get("corners_bowed", labels["corners"]).values()), dtype=np.float64)
            pictures = list(sample_pictures(path, SAMPLES))
            yield Case(group=group, name=path.stem, pictures=pictures, spec=spec, corners_px=corners)


def rendered_cases(count: int, first_seed: int, cache: Path | None) -> Iterator[Case]:
    """Training pictures of the studio, one a seed."""
    for seed in range(first_seed, first_seed + count):
        kept = None if cache is None else cache / f"{seed}.png"
        if kept is not None and kept.is_file():
            picture = np.asarray(cv2.imread(str(kept)), dtype=np.uint8)
            truth = Calibration.from_dict(json.loads(kept.with_suffix(".json").read_text()))
        else:
            view = render_training_view(np.random.default_rng(seed))
            picture, truth = view.image, view.calibration
            if kept is not None:
                cv2.imwrite(str(kept), picture)
                kept.with_suffix(".json").write_text(json.dumps(truth.to_dict()))
        yield Case(group="rendered", name=str(seed), pictures=[picture], spec=truth.spec, truth=truth)


def place_errors_m(made: Calibration, truth: Calibration) -> tuple[FloatArray, FloatArray]:
    """Errors of balls' places on a grid over the bed, shape (N, 2), and the stated standard deviations; either end may be the head."""
    length, width, radius = truth.spec.length_m, truth.spec.width_m, truth.spec.ball_radius_m
    x, y = np.linspace(-length / 2 + 0.03, length / 2 - 0.03, 13), np.linspace(-width / 2 + 0.03, width / 2 - 0.03, 7)
    places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    read = made.camera.to_table(truth.camera.to_pixels(places, height_m=radius), height_m=radius)
    read = np.nan_to_num(read, nan=9.0)
    error = min((sign * read - places for sign in (1.0, -1.0)), key=lambda away: float(np.median(np.hypot(*away.T))))
    return error, made.position_sigma_m(read)


def corner_error_share(made: Calibration, corners_px: FloatArray) -> float:
    """Distance of the farthest corner from its label, as a share of the table's length in the picture."""
    found = np.array(list(made.corners_px().values()))
    apart = np.hypot(*(found[:, None] - corners_px[None]).T)
    length_px = max(float(np.hypot(*(corners_px[i] - corners_px[0]))) for i in (1, 3))
    return float(apart.min(axis=1).max()) / length_px


def main() -> int:
    """Run and print; the exit code."""
    options = _options()
    cv2.setNumThreads(1)
    cases = rendered_cases(options.rendered, options.seed, options.cache) if options.rendered else real_cases(options.real, options.sets)
    rows = _kept(options.rows)
    done = {(row["group"], row["name"]) for row in rows}
    for case in cases:
        if (case.group, case.name) in done:
            continue
        start = time.process_time()
        found = find_in_image(case.pictures[0], case.spec) if len(case.pictures) == 1 else find_in_video(case.pictures, case.spec)
        row = _row(case, found, time.process_time() - start)
        rows.append(row)
        if options.rows is not None:
            with options.rows.open("a") as lines:
                lines.write(json.dumps(row, default=lambda value: value.tolist()) + "\n")
        print(_line(row), flush=True)
        if options.overlays is not None and isinstance(found, Finding):
            drawn = draw_calibration(found.picture, found.calibration, found.landmarks_px, found.modelled_px)
            cv2.imwrite(str(options.overlays / f"{case.group}-{case.name}.jpg"), drawn)
    return _totals(rows)


def _kept(path: Path | None) -> list[dict[str, Any]]:
    """Rows of an earlier run."""
    if path is None or not path.is_file():
        return []
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text().splitlines()]
    return [row | {key: np.array(row[key]) for key in ("away_m", "normalised") if key in row} for row in rows]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", type=Path, default=REAL)
    parser.add_argument(
        "--sets",
        nargs="+",
        default=["home-8ft", "garage-8ball", "overhead-snooker-balls", "small-snooker", "tv-nine-ball", "overhead-clips"],
    )
    parser.add_argument("--rendered", type=int, default=0, help="how many rendered tables instead of the real sets")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", type=Path, help="folder that keeps the rendered pictures")
    parser.add_argument("--rows", type=Path, help="file of rows, one JSON object a line: gone on with where it is there")
    parser.add_argument("--overlays", type=Path, help="folder for the fits drawn into the pictures")
    options = parser.parse_args()
    if not options.rendered and not options.real.is_dir():
        parser.error(f"{options.real}: no such folder; the real pictures are third-party and not part of the repository")
    return options


def _row(case: Case, found: Finding | CalibrationFailure, cpu_s: float) -> dict[str, Any]:
    row: dict[str, Any] = {"group": case.group, "name": case.name, "whole": case.whole, "cpu_s": cpu_s, "good": False}
    if isinstance(found, CalibrationFailure):
        return row | {"reason": found.reason}
    made = found.calibration
    row |= {"good": made.good, "reason": "; ".join(made.because), "residual_mm": made.residual_mm}
    if found.balls is not None and found.balls.told and case.spec.metric:
        row["ball"] = found.balls.diameter_m / case.spec.ball_diameter_m
    if case.corners_px is not None:
        row["corner"] = corner_error_share(made, case.corners_px)
    if case.truth is not None:
        error, sigma = place_errors_m(made, case.truth)
        away = np.hypot(*error.T)
        row |= {"away_m": away, "normalised": error / sigma, "wrong": made.good and float(away.max()) > WRONG_M}
    return row


def _line(row: dict[str, Any]) -> str:
    parts = [f"{row['group']:<22} {row['name']:<32}", "good    " if row["good"] else "NOT GOOD" if "residual_mm" in row else "no table"]
    if "residual_mm" in row:
        parts.append("noses {:.2f} {:.1f} mm".format(*row["residual_mm"]))
    if "away_m" in row:
        parts.append(f"balls {1000 * np.median(row['away_m']):.2f} {1000 * row['away_m'].max():.1f} mm")
        parts.append(f"normalised {np.sqrt(np.mean(row['normalised'] ** 2)):.1f}")
    if "ball" in row:
        parts.append(f"ball size {row['ball']:.3f}")
    if "corner" in row:
        parts.append(f"corners {100 * row['corner']:.2f} %")
    parts.append(f"{row['cpu_s']:.1f} s")
    if row.get("wrong") or (row["good"] and not row["whole"]):
        parts.append("<--- WRONG")
    return "  ".join([*parts, row["reason"]])


def _totals(rows: list[dict[str, Any]]) -> int:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["group"]].append(row)
    wrong = sum(bool(row.get("wrong")) or (row["good"] and not row["whole"]) for row in rows)
    for group, some in groups.items():
        whole = [row for row in some if row["whole"]]
        parts = [f"{group}: {sum(row['good'] for row in whole)} of {len(whole)} good"]
        if len(whole) < len(some):
            named = [row for row in some if not row["whole"] and not row["good"] and "runs out of the picture" in row["reason"]]
            parts.append(f"{len(named)} of {len(some) - len(whole)} without an end refused by name of the side")
        for key, limit, centre in (("corner", CORNER_SHARE, 0.0), ("ball", BALL_SHARE, 1.0)):
            values = [abs(row[key] - centre) for row in some if key in row and row["good"]]
            if values:
                parts.append(f"{key} within {100 * limit:g} %: {sum(v <= limit for v in values)} of {len(values)}")
        placed = [row for row in some if "away_m" in row and row["good"]]
        if placed:
            away = 1000 * np.concatenate([row["away_m"] for row in placed])
            normal = np.concatenate([row["normalised"] for row in placed])
            parts.append(f"balls placed to {np.median(away):.2f} mm (99 %: {np.percentile(away, 99):.2f})")
            parts.append(f"normalised errors {np.sqrt(np.mean(normal**2)):.2f} (root mean square)")
        parts.append(f"processor {np.median([row['cpu_s'] for row in some]):.2f} s, {max(row['cpu_s'] for row in some):.2f} at most")
        print("; ".join(parts))
    print(f"wrong ones called good: {wrong}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
