"""What stated probabilities of the first contact were worth: the table in tracker/certainty.py, and how it is met.

    python benchmarks/fit_certainty.py SIMDIR [SIMDIR...]

A SIMDIR holds `truth.jsonl` and `NNNN.csv.gz` (see ../shared/sim; make them with seeds that no other proof uses). Shots in
which the cue ball met a second ball within 60 ms, and breaks, are read with the table put aside. Two lists are printed: of
the likeliest of several balls, by how many pictures showed the cue ball between tip and contact, how often what was stated
was right, and for short flights the monotone table of log odds (pooled by isotonic regression, pool adjacent violators,
one half added to each count) to be copied.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from math import log
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from calibration.equipment import find_table
from calibration.table import Table
from tracker import certainty
from tracker.read import read_shots
from tracker.tracks_file import read_tracks

CLOSE_MS = 60.0
"""A second ball met later than this is no rival."""
SOFT_MPS = {True: 0.05, False: 0.1}
"""First contacts softer than this, at 60 pictures a second and more or fewer, are not to be seen and count neither way."""
BANDS = (0.0, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999, 1.01)


def main() -> int:
    """Read, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    certainty.SHORT_FLIGHT = ((0.0, 0.0), (20.0, 20.0))
    counted: dict[bool, list[tuple[float, bool]]] = {True: [], False: []}
    for folder in parser.parse_args().folders:
        for line in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
            truth = json.loads(line)
            gap = truth["second_contact_gap_ms"]
            pair = [e for e in truth["events"] if e["type"] == "ball_ball" and truth["cue_ball"] in (e["a"], e["b"])]
            close = (gap is not None and gap < CLOSE_MS) or "break" in truth["category"]
            if not close or not pair or (gap is not None and gap < 0.1) or pair[0]["dv_mps"] < SOFT_MPS[truth["fps"] >= 60]:
                continue
            tracks = read_tracks(folder / f"{truth['id']}.csv.gz")
            for shot in read_shots(tracks, Table(find_table(truth["table"])), touch_ratio=1.0):
                best = next(iter(shot.first_contact))
                if sum(name not in ("none", "unknown") for name in shot.first_contact) > 1:
                    short = pair[0]["t"] * truth["fps"] < certainty.SHORT_FLIGHT_SAMPLES + 0.5
                    counted[short].append((shot.first_contact[best], best == truth["first_contact"]))
    for short, facts in counted.items():
        sys.stdout.write(f"{'short flights' if short else 'others'}: {len(facts)} facts\n")
        for low, high in pairwise(BANDS):
            band = [(p, ok) for p, ok in facts if low <= p < high]
            if band:
                claimed, wrong = sum(1 - p for p, _ in band), sum(not ok for _, ok in band)
                sys.stdout.write(f"  {low:g} to {high:g}: {len(band)}, {wrong} wrong, {claimed:.2f} claimed\n")
    for stated, kept in isotonic(counted[True]):
        sys.stdout.write(f"  ({stated:.1f}, {kept:.1f})\n")
    return 0


def isotonic(facts: Sequence[tuple[float, bool]]) -> list[tuple[float, float]]:
    """Log odds stated and met of pools of neighbours whose shares right rise (pool adjacent violators)."""
    pools: list[list[float]] = []
    for p, ok in sorted(facts):
        pools.append([log(p / max(1 - p, 1e-6)), float(ok), 1.0])
        while len(pools) > 1 and pools[-2][1] / pools[-2][2] >= pools[-1][1] / pools[-1][2]:
            stated, right, count = pools.pop()
            last = pools[-1]
            last[0] = (last[0] * last[2] + stated * count) / (last[2] + count)
            last[1], last[2] = last[1] + right, last[2] + count
    return [(stated, log((right + 0.5) / (count - right + 0.5))) for stated, right, count in pools]


if __name__ == "__main__":
    sys.exit(main())
