"""A tracker's snapshot as bytes, for another process to report from.

As a plain pickle it takes as long as the report itself: every look and every mask is an array of its own, every number of
every row an object, tens of thousands of each. Here a strand's rows are one array a column, and what is known of pictures,
which never changes, is sent once: `Packer` and `Unpacker` are the two ends. What comes out is equal to the last bit.
"""

import pickle
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracker.strand import FrameRecord, Strand
from tracker.tracks import Tracker

_FLOATS, _BOOLS = ("xs", "ys", "sigmas", "scores", "weights"), ("resting", "fallen")
_ROWS = ("frames", *_FLOATS, *_BOOLS, "looks", "streaks")
_Columns = dict[str, NDArray[Any]]


class Packer:
    """The sending end: one `Unpacker` must be given all that it makes, in order."""

    def __init__(self) -> None:
        """Nothing was sent."""
        self._last: FrameRecord | None = None

    def pack(self, tracker: Tracker) -> bytes:
        """The tracker as bytes; it is not changed. One that goes on meanwhile must be a `snapshot`."""
        twin, twins, columns = copy(tracker), dict[int, Strand](), dict[int, _Columns]()
        for name, value in vars(tracker).items():
            if isinstance(value, list) and value and isinstance(value[0], Strand):
                for strand in value:
                    if id(strand) not in twins:
                        columns[strand.key] = _columns(strand)
                        twins[id(strand)] = replace(strand, **{row: [] for row in columns[strand.key]})
                setattr(twin, name, [twins[id(strand)] for strand in value])
        frames, twin._frames = tracker._frames, []
        known = next((row + 1 for row in range(len(frames) - 1, -1, -1) if frames[row] is self._last), 0)
        self._last = frames[-1] if frames else None
        return pickle.dumps((twin, columns, known, frames[known:]), protocol=5)


class Unpacker:
    """The receiving end."""

    def __init__(self) -> None:
        """Nothing has come."""
        self._frames: list[FrameRecord] = []

    def unpack(self, packed: bytes) -> Tracker:
        """What was packed; for `Tracker.report` only. Bytes of strangers must not come here: they could run anything."""
        twin, columns, known, frames = pickle.loads(packed)
        tracker: Tracker = twin
        self._frames = [*self._frames[len(self._frames) - known :], *frames]
        tracker._frames = self._frames
        lists: list[list[Any]] = [value for value in vars(tracker).values() if isinstance(value, list)]
        for strand in {id(item): item for items in lists for item in items if isinstance(item, Strand)}.values():
            for name, column in columns[strand.key].items():
                setattr(strand, name, _listed(name, column))
        return tracker


def _columns(strand: Strand) -> _Columns:
    """Its rows, a column each; none where it has no rows."""
    count = len(strand.frames)
    if not count:
        return {}
    found: _Columns = {name: np.array(getattr(strand, name), dtype=np.float64) for name in _FLOATS}
    found |= {name: np.array(getattr(strand, name), dtype=np.bool_) for name in _BOOLS}
    return found | {
        "frames": np.array(strand.frames, dtype=np.int64),
        "looks": np.concatenate(strand.looks).reshape(count, -1),
        "streaks": np.fromiter(chain.from_iterable(strand.streaks), dtype=np.float64, count=2 * count),
    }


def _listed(name: str, column: NDArray[Any]) -> list[Any]:
    if name == "looks":
        return list(column)
    values: list[Any] = column.tolist()
    return list(zip(values[::2], values[1::2], strict=True)) if name == "streaks" else values
