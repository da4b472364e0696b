"""Rendered pictures beside real ones on one sheet, for a person to look for what gives the rendered ones away.

Usage: python benchmarks/contact_sheet.py FOLDER [--seed S] [--count 48] [--width 480]

Writes FOLDER/sheet.jpg (COUNT random rendered pictures, and 12 real ones beneath where `../shared/real` is there) and
FOLDER/NN.png, the rendered pictures at full size. Real pictures belong to others: the sheet is for looking at, never
for the repository; FOLDER must lie outside it.
"""

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np

from calibration.equipment import TABLES
from sample_videos.training import training_views

ROOT = Path(__file__).resolve().parents[1]
REAL = ROOT.parent / "shared" / "real"
REAL_COUNT = 12
COLUMNS = 6


def rendered(seed: int, count: int) -> list[np.ndarray]:
    """Random pictures: every table, cloth, camera and light."""
    names = [spec.name for spec in TABLES] + ["wpa-9ft"] * 3
    rng = np.random.default_rng(seed)
    return [
        next(training_views(np.random.default_rng([seed, k]), layouts=1, table_name=str(rng.choice(names)))).image for k in range(count)
    ]


def real() -> list[np.ndarray]:
    """Frames of the real clips and pictures that are there, at most twelve, spread over all of them."""
    files = sorted(path for path in REAL.rglob("*") if path.suffix in (".mp4", ".jpg", ".png") and path.parent.name != "pyramid-look")
    pictures = []
    for path in [files[k] for k in np.linspace(0, len(files) - 1, min(REAL_COUNT, len(files))).astype(int)]:
        if path.suffix == ".mp4":
            capture = cv2.VideoCapture(str(path))
            capture.set(cv2.CAP_PROP_POS_FRAMES, capture.get(cv2.CAP_PROP_FRAME_COUNT) // 3)
            good, picture = capture.read()
        else:
            picture = cv2.imread(str(path))
            good = picture is not None
        if good:
            pictures.append(picture)
    return pictures


def sheet(pictures: list[np.ndarray], width: int) -> np.ndarray:
    """Pictures in rows, each fitted into 16:9 on black."""
    height = width * 9 // 16
    cells = []
    for picture in pictures:
        scale = min(width / picture.shape[1], height / picture.shape[0])
        small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        cell = np.zeros((height, width, 3), np.uint8)
        cell[: small.shape[0], : small.shape[1]] = small
        cells.append(cell)
    cells += [np.zeros((height, width, 3), np.uint8)] * (-len(cells) % COLUMNS)
    return np.vstack([np.hstack(cells[k : k + COLUMNS]) for k in range(0, len(cells), COLUMNS)])


def main() -> None:
    """Write the sheet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=48)
    parser.add_argument("--width", type=int, default=480)
    options = parser.parse_args()
    if options.folder.resolve().is_relative_to(ROOT):
        sys.exit(f"{options.folder}: lies in the repository, where real pictures must not be; name a folder outside it")
    options.folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    made = rendered(options.seed, options.count)
    for k, picture in enumerate(made):
        cv2.imwrite(str(options.folder / f"{k:02d}.png"), picture)
    beside = real() if REAL.is_dir() else []
    if not beside:
        print("no ../shared/real here: the sheet has rendered pictures only")
    whole = [sheet(made, options.width)] + (
        [np.full((12, COLUMNS * options.width, 3), 255, np.uint8), sheet(beside, options.width)] if beside else []
    )
    target = options.folder / "sheet.jpg"
    cv2.imwrite(str(target), np.vstack(whole), [cv2.IMWRITE_JPEG_QUALITY, 92])
    print(f"{target}: {len(made)} rendered, {len(beside)} real")


if __name__ == "__main__":
    main()
