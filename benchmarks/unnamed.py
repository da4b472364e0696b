"""Simulated detections without names (`NNNN.det.jsonl`): tracked, read, and named back for scoring.

`NNNN.who.jsonl` says whose each detection is (null for a false one); balls that look alike carry labels of motion only, so their
shots are named by the ball that each track followed longest. A track that follows one ball for four pictures and then another for
four has exchanged them.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from calibration.equipment import find_ball_set, find_table
from calibration.table import Table
from tracker.detections_file import read_detections
from tracker.history import BallTrack
from tracker.read import read_shots
from tracker.shot import Shot
from tracker.tracks import Tracker
from vision.detection import Observation

OWN_M = 0.006
"""A track's place is a detection this near to it."""
RUN = 4
"""Pictures that make a stretch; fewer are a merged pair or a false detection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unnamed:
    """One shot read without names: the shots found, exchanges, and processor milliseconds of tracking a picture."""

    shots: tuple[Shot, ...]
    exchanged: int
    picture_ms: float


def read_unnamed(folder: Path, truth: dict[str, Any]) -> Unnamed:
    """Track and read the detections of one shot of a folder; names as in the truth."""
    table, pyramid = Table(find_table(truth["table"])), truth["table"].startswith("pyramid")
    pictures = list(read_detections(folder / f"{truth['id']}.det.jsonl"))
    owners = [json.loads(line) for line in (folder / f"{truth['id']}.who.jsonl").read_text(encoding="utf-8").splitlines()]
    tracker = Tracker(table, find_ball_set("pyramid" if pyramid else "pool"))
    begun = time.process_time()
    for picture in pictures:
        tracker.update(picture)
    spent = time.process_time() - begun
    tracks = tracker.tracks(pictures[0].time_s, pictures[-1].time_s)
    followed = {track.ball: _followed(track, pictures, owners) for track in tracks}
    shots = read_shots(tracks, table, touch_ratio=1.0)
    if pyramid:
        names = {ball: max(runs, key=lambda run: run[1])[0] for ball, runs in followed.items() if runs}
        shots = tuple(_renamed(shot, names) for shot in shots)
    exchanged = sum(max(len(runs) - 1, 0) for runs in followed.values())
    return Unnamed(shots=shots, exchanged=exchanged, picture_ms=1000 * spent / max(len(pictures), 1))


def _followed(track: BallTrack, pictures: Sequence[Observation], owners: Sequence[Sequence[str | None]]) -> list[tuple[str, int]]:
    """The balls that a track followed, one after the other, and for how many pictures."""
    times = np.array([picture.time_s for picture in pictures])
    own = []
    for time_s, place in zip(track.times_s[track.seen].tolist(), track.positions_m[track.seen], strict=True):
        k = int(np.argmin(np.abs(times - time_s)))
        seen = np.array([item.position_m for item in pictures[k].detections]).reshape(-1, 2)
        off = np.hypot(*(seen - place).T)
        if len(off) and off.min() < OWN_M and owners[k][int(off.argmin())] is not None:
            own.append(str(owners[k][int(off.argmin())]))
    runs = [(name, len(list(group))) for name, group in groupby(own)]
    merged: list[tuple[str, int]] = []
    for name, count in runs:
        if count < RUN:
            continue
        if merged and merged[-1][0] == name:
            merged[-1] = name, merged[-1][1] + count
        else:
            merged.append((name, count))
    return merged


def _renamed(shot: Shot, names: dict[str, str]) -> Shot:
    events = tuple(
        replace(
            event,
            fields={key: names.get(str(value), value) if key in ("a", "b", "ball") else value for key, value in event.fields.items()},
        )
        for event in shot.events
    )
    first: dict[str, float] = {}
    for ball, p in shot.first_contact.items():
        first[names.get(ball, ball)] = first.get(names.get(ball, ball), 0.0) + p
    return replace(shot, first_contact=first, events=events)
