"""Read all simulated shots of a folder in one process and score them.

    python benchmarks/sim_events.py SIMDIR [SIMDIR...] [--out DIR] [--limit N]

A SIMDIR holds `truth.jsonl` and `NNNN.csv.gz` (see ../shared/sim). Shots are written to DIR/<name of SIMDIR> (a temporary
folder by default) as `cueref shots` would write them, then scored by the scorer beside the folder (`score.py`).
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from calibration.equipment import find_table
from calibration.table import Table
from tracker.read import read_shots
from tracker.shot import write_shots
from tracker.tracks_file import read_tracks


def read_folder(folder: Path, out: Path, limit: int | None = None) -> list[float]:
    """Read every shot of a folder; seconds each took, reading the file not counted."""
    out.mkdir(parents=True, exist_ok=True)
    spent = []
    for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()[:limit]:
        truth = json.loads(line)
        tracks = read_tracks(folder / f"{truth['id']}.csv.gz")
        begun = time.perf_counter()
        shots = read_shots(tracks, Table(find_table(truth["table"])), touch_ratio=1.0)
        spent.append(time.perf_counter() - begun)
        write_shots(out / f"{truth['id']}.jsonl", shots)
    return spent


def main() -> int:
    """Read and score each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--scorer", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        base = options.out or Path(scratch)
        for folder in options.folders:
            out = base / folder.name
            spent = sorted(read_folder(folder, out, options.limit))
            sys.stdout.write(f"== {folder.name}: {len(spent)} shots, median {spent[len(spent) // 2]:.3f} s, longest {spent[-1]:.3f} s\n")
            sys.stdout.flush()
            scorer = options.scorer or next(path / "score.py" for path in folder.resolve().parents if (path / "score.py").is_file())
            os.spawnv(os.P_WAIT, sys.executable, [sys.executable, str(scorer), str(folder), str(out)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
