"""Makes `matches.npz`, the library of passages; needs pooltool (README.md, "Making the library again").

python -m sample_videos.match_library sample_videos/matches.npz
"""

import sys
from pathlib import Path
from typing import Any

from sample_videos import scripts_pool, scripts_pyramid
from sample_videos.script import Unfinished
from sample_videos.shots import SimulatedShot, pack_shots

_SEED = 40
_MOST_TRIES = 40


def make_matches(seed: int, names: list[str]) -> tuple[list[SimulatedShot], list[dict[str, Any]]]:
    """Passages by name, as many of each as its script says; tells its progress on stderr."""
    shots: list[SimulatedShot] = []
    passages: list[dict[str, Any]] = []
    for name, (script, tables) in {**scripts_pool.SCRIPTS, **scripts_pyramid.SCRIPTS}.items():
        if names and name not in names:
            continue
        found = 0
        for table, wanted in tables.items():
            done = 0
            for attempt in range(_MOST_TRIES):
                if done == wanted:
                    break
                try:
                    made = script(seed + attempt, table)
                except Unfinished:
                    sys.stderr.write(f"{name} on {table}: attempt {attempt} leads nowhere\n")
                    continue
                found, done = found + 1, done + 1
                passage = made.passage(f"{name}_{found}")
                for step in passage["steps"]:
                    if step["do"] == "shot":
                        step["shot"] += len(shots)
                shots += made.shots
                passages.append(passage)
                sys.stderr.write(f"{passage['name']} on {table}: {len(made.shots)} shots, {made.tries} strokes tried\n")
                sys.stderr.flush()
    return shots, passages


def main() -> None:
    """Write the library to the path given; further arguments name the passages wanted."""
    target = Path(sys.argv[1])
    shots, passages = make_matches(_SEED, sys.argv[2:])
    partial = target.with_name(target.name + ".part")
    partial.write_bytes(pack_shots(shots, {"passages": passages}))
    partial.replace(target)
    sys.stderr.write(f"{target}: {len(passages)} passages, {len(shots)} shots, {target.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
