"""Read simulated shots in one process, score them, and write the page about accuracy.

    python benchmarks/sim_events.py SIMDIR [SIMDIR...] [--out DIR] [--every N] [--keep] [--report docs/accuracy.md]

A SIMDIR holds `truth.jsonl` and `NNNN.csv.gz` (see ../shared/sim; its tools make as many more as one likes, with other
seeds), or detections without names (benchmarks/unnamed.py), which are tracked first. Shots are written to DIR/<name of
SIMDIR> (a temporary folder by default) as `cueref shots` would write them, then scored by the scorer beside the folder
(`score.py`, or `--scorer`). `--every N` takes every Nth shot, `--keep` leaves shots that DIR holds already. `--report` writes
the page and its diagrams beside it (benchmarks/accuracy_page.py); `--near N` makes N passes and N stops without a touch for
it (benchmarks/near_touches.py).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))

from accuracy_page import Condition, write_page
from near_touches import count_called
from unnamed import read_unnamed

from calibration.equipment import find_table
from calibration.table import Table
from tracker.read import read_shots
from tracker.shot import write_shots
from tracker.tracks_file import read_tracks

EXCHANGES, SECONDS = "exchanges.txt", "seconds.txt"
"""Beside the shots, a line each: exchanges of balls and milliseconds of tracking a picture (no names), seconds of reading (names)."""


def read_folder(folder: Path, out: Path, *, every: int = 1, keep: bool = False) -> None:
    """Read the shots of a folder; what each took is kept beside them."""
    out.mkdir(parents=True, exist_ok=True)
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()[::every]:
        truth = json.loads(line)
        target = out / f"{truth['id']}.jsonl"
        if keep and target.exists():
            continue
        if (folder / f"{truth['id']}.det.jsonl").exists():
            unnamed = read_unnamed(folder, truth)
            write_shots(target, unnamed.shots)
            _note(out / EXCHANGES, f"{unnamed.exchanged} {unnamed.picture_ms:.3f}")
            continue
        tracks = read_tracks(folder / f"{truth['id']}.csv.gz")
        begun = time.process_time()
        shots = read_shots(tracks, Table(find_table(truth["table"])), touch_ratio=1.0)
        _note(out / SECONDS, f"{time.process_time() - begun:.4f}")
        write_shots(target, shots)


def _note(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as kept:
        kept.write(line + "\n")


def seconds(out: Path) -> float | None:
    """Median processor seconds that a shot of a folder took, reading the file not counted; None where none was read from tracks."""
    if not (out / SECONDS).exists():
        return None
    spent = sorted(float(line) for line in (out / SECONDS).read_text(encoding="utf-8").splitlines())
    return spent[len(spent) // 2]


def score_folder(folder: Path, out: Path, scorer: Path) -> dict[str, Any]:
    """What the scorer says of the shots that were read."""
    lines = (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    read = [line for line in lines if (out / f"{json.loads(line)['id']}.jsonl").exists()]
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "truth.jsonl").write_text("\n".join(read) + "\n", encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(scorer), scratch, str(out), "--json"], check=True, capture_output=True, text=True, encoding="utf-8"
        )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def exchanges(out: Path) -> int | None:
    """How many balls were exchanged in a folder of shots that were tracked first; None where names were given."""
    if not (out / EXCHANGES).exists():
        return None
    return sum(int(line.split()[0]) for line in (out / EXCHANGES).read_text(encoding="utf-8").splitlines())


def near_contacts(folder: Path, out: Path) -> dict[str, tuple[int, int]]:
    """How many passes without a touch, and stops short of a cushion, there were, and how many were called touches."""
    counts = {"nearmiss": [0, 0], "softrail": [0, 0]}
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        truth = json.loads(line)
        path = out / f"{truth['id']}.jsonl"
        if not path.exists() or truth["category"] not in counts:
            continue
        shots = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
        if truth["category"] == "softrail":
            if truth["margin"] <= -0.0004:
                counts["softrail"][0] += 1
                counts["softrail"][1] += any(shot["rail_after_contact"] >= 0.5 for shot in shots)
            continue
        pairs = [{event["a"], event["b"]} for event in truth["events"] if event["type"] == "ball_ball"]
        said = [event for shot in shots for event in shot["events"] if event["type"] == "ball_ball" and event["p"] >= 0.5]
        counts["nearmiss"][0] += 1
        counts["nearmiss"][1] += any({event["a"], event["b"]} == {"cue", "1"} for event in said) and {"cue", "1"} not in pairs
    return {kind: (total, wrong) for kind, (total, wrong) in counts.items()}


def main() -> int:
    """Read and score each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--scorer", type=Path)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--note", default="", help="what a reader of the page must know of this run")
    parser.add_argument("--near", type=int, default=0, help="passes and stops without a touch to make for the page")
    options = parser.parse_args()
    conditions = []
    with tempfile.TemporaryDirectory() as scratch:
        base = options.out or Path(scratch)
        for folder in options.folders:
            out = base / folder.name
            read_folder(folder, out, every=options.every, keep=options.keep)
            scorer = options.scorer or next(path / "score.py" for path in folder.resolve().parents if (path / "score.py").is_file())
            result = score_folder(folder, out, scorer)
            middle = seconds(out)
            condition = Condition(
                name=folder.name, result=result, seconds=middle, near=near_contacts(folder, out), exchanged=exchanges(out)
            )
            conditions.append(condition)
            sys.stdout.write(f"== {folder.name}: {result['shots']} shots, median {middle} s\n")
            for key, value in result.items():
                if key != "wrong":
                    sys.stdout.write(f"{key:28} {value}\n")
            for item in result["wrong"]:
                sys.stdout.write("   " + " ".join(str(part) for part in item) + "\n")
            sys.stdout.flush()
    if options.report:
        made = [(options.near, count_called(kind, options.near)) for kind in ("pass", "stop")] if options.near else []
        write_page(options.report, conditions, options.note, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
