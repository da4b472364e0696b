"""Where the time of a review goes: CPU milliseconds a frame by stage, and how many times decoding that is.

    python benchmarks/review_speed.py VIDEO [--game nine-ball] [--table NAME_OR_FILE] [--seconds 10]

Runs the stages one after the other in one thread. Processor time, not the clock on the wall; the ratio to decoding alone
(measured in the same run) is the figure to compare between machines and between busy and idle hours.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import cv2
import numpy as np

from calibration.calibration import Calibration, read_calibration
from calibration.equipment import GAME_TABLES, find_ball_set, find_table, parse_game
from referee.annotate import annotate_video
from referee.review import find_table_in
from tracker.history import TableState
from tracker.segment import tracks_of
from tracker.tracks import Tracker
from vision.capture import open_video
from vision.eyes import Eyes
from vision.frame import Frame

Result = TypeVar("Result")
STAGES = ("decode", "see", "see, no shortcuts", "track", "annotate")
REFERENCE_TIMES = 20
ASKED_MS = {"see": 9.0, "see, no shortcuts": 20.0}
"""Milliseconds a frame of 1080p60 play on an idle machine: detection and refinement, and a full look at every picture."""


@dataclass
class Clock:
    """CPU seconds by stage."""

    spent_s: dict[str, float] = field(default_factory=dict)

    def run(self, stage: str, job: Callable[[], Result]) -> Result:
        """The job's result; its CPU time goes to the stage."""
        begun = _spent_s()
        try:
            return job()
        finally:
            self.spent_s[stage] = self.spent_s.get(stage, 0.0) + _spent_s() - begun


def _shown(video: Path, seconds: float) -> Iterator[Frame]:
    """The first seconds of a video, opened when its first picture is asked for."""
    with open_video(video) as source:
        yield from takewhile(lambda frame: frame.time_s < seconds, source)


def _spent_s() -> float:
    """CPU seconds of this process and of those that it has ended, so far."""
    return sum(os.times()[:4])


def measure(video: Path, calibration: Calibration, balls: str, seconds: float, clock: Clock) -> int:
    """Run the stages over the first seconds of a video; gives the number of frames."""
    ball_set = find_ball_set(balls)
    quick, full, tracker = Eyes(calibration, ball_set), Eyes(calibration, ball_set, shortcuts=False), Tracker(calibration.table, ball_set)
    states: list[TableState] = []
    count, rate_hz = 0, 25.0
    with open_video(video) as source:
        rate_hz = source.rate_hz or rate_hz
        frames: Iterator[Frame] = iter(source)
        while (frame := clock.run("decode", lambda: next(frames, None))) is not None and frame.time_s < seconds:
            now = frame
            seen = clock.run("see", lambda: quick.look(now))  # noqa: B023 - run at once
            clock.run("see, no shortcuts", lambda: full.look(now))  # noqa: B023
            states.append(clock.run("track", lambda: tracker.update(seen)))  # noqa: B023
            count += 1
    with TemporaryDirectory() as folder:
        shown = _shown(video, seconds)
        target = Path(folder) / "annotated.mp4"
        clock.run("annotate", lambda: annotate_video(target, shown, calibration, tracks_of(states), {"shots": []}, fps=rate_hz))
    clock.spent_s["annotate"] -= clock.spent_s["decode"]
    return count


def reference_s() -> float:
    """CPU seconds of a fixed piece of work like that of the eyes: a picture of 1920 x 1080 blurred and turned, mean of twenty."""
    image = np.random.default_rng(0).integers(0, 255, (1080, 1920, 3), dtype=np.uint8)
    turn = cv2.getRotationMatrix2D((960.0, 540.0), 30.0, 1.0)
    begun = _spent_s()
    for _ in range(REFERENCE_TIMES):
        cv2.warpAffine(cv2.GaussianBlur(image, (5, 5), 0), turn, (1920, 1080))
    return (_spent_s() - begun) / REFERENCE_TIMES


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video", type=Path)
    parser.add_argument("--game", default="nine-ball")
    parser.add_argument("--table", help="table file or name; default: the usual table of the game")
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    game, clock = parse_game(options.game), Clock()
    if options.table and options.table.endswith(".json"):
        calibration = read_calibration(Path(options.table))
    else:
        calibration = clock.run("find the table", lambda: find_table_in(options.video, find_table(options.table or GAME_TABLES[game])))
    frames = measure(options.video, calibration, game, options.seconds, clock)
    decode_s, fixed_s = clock.spent_s["decode"], reference_s()
    print(f"{frames} frames of {options.video.name}; CPU; reference (a picture blurred and turned) {1000 * fixed_s:.2f} ms")
    for stage in STAGES:
        spent_s = clock.spent_s[stage]
        asked = f"   ({ASKED_MS[stage]:.0f} ms asked)" if stage in ASKED_MS else ""
        print(f"  {stage:20} {1000 * spent_s / max(frames, 1):7.2f} ms a frame   {spent_s / decode_s:5.2f} x decoding{asked}")
    if "find the table" in clock.spent_s:
        print(f"  {'find the table':20} {clock.spent_s['find the table']:7.2f} s once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
