"""A tracker's snapshot as bytes, for another process to report from.

As a plain pickle it takes as long as the report itself: every look and every mask is an array of its own, every number of
every row an object, tens of thousands of each. Here rows and pictures, which never change, are sent once, a strand's new rows as
one array a column: `Packer` and `Unpacker` are the two ends. What comes out is equal to the last bit.
"""

import pickle
from bisect import bisect_right
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
        self._sent: dict[int, int] = {}

    def pack(self, tracker: Tracker) -> bytes:
        """The tracker as bytes; it is not changed. One that goes on meanwhile must be a `snapshot`."""
        frames = tracker._frames
        known = next((row + 1 for row in range(len(frames) - 1, -1, -1) if frames[row] is self._last), 0)
        sent = self._sent if known else {}  # another tracker counts its strands anew
        twin, twins, columns = copy(tracker), dict[int, Strand](), dict[int, tuple[int, _Columns]]()
        for name, value in vars(tracker).items():
            if isinstance(value, list) and value and isinstance(value[0], Strand):
                for strand in value:
                    if id(strand) not in twins:
                        old = bisect_right(strand.frames, sent.get(strand.key, -1))
                        columns[strand.key] = old, _columns(strand, old)
                        twins[id(strand)] = replace(strand, **{row: [] for row in _ROWS})
                setattr(twin, name, [twins[id(strand)] for strand in value])
        self._sent = {strand.key: strand.frames[-1] for strand in (*tracker._strands, *tracker._live) if strand.frames}
        self._last, twin._frames = (frames[-1] if frames else None), []
        return pickle.dumps((twin, columns, known, frames[known:]), protocol=5)


class Unpacker:
    """The receiving end."""

    def __init__(self) -> None:
        """Nothing has come."""
        self._frames: list[FrameRecord] = []
        self._rows: dict[int, dict[str, list[Any]]] = {}

    def unpack(self, packed: bytes) -> Tracker:
        """What was packed; for `Tracker.report` only. Bytes of strangers must not come here: they could run anything.

        Raises:
            ValueError: If something that was packed before has not come.
        """
        twin, columns, known, frames = pickle.loads(packed)
        tracker: Tracker = twin
        self._frames = [*_tail(self._frames, known), *frames]
        tracker._frames = self._frames
        before, self._rows = self._rows, {}
        for key, (old, new) in columns.items():
            kept = before.get(key, {})
            self._rows[key] = {name: [*_tail(kept.get(name, []), old), *_listed(name, new[name])] for name in _ROWS}
        lists: list[list[Any]] = [value for value in vars(tracker).values() if isinstance(value, list)]
        for strand in {id(item): item for items in lists for item in items if isinstance(item, Strand)}.values():
            for name, rows in self._rows[strand.key].items():
                setattr(strand, name, rows)
        return tracker


def _tail(rows: list[Any], count: int) -> list[Any]:
    """The last rows; older ones were forgotten."""
    if len(rows) < count:
        raise ValueError(f"{count} rows should have come before, found {len(rows)}")
    return rows[len(rows) - count :]


def _columns(strand: Strand, first: int) -> _Columns:
    """Its rows from `first` on, a column each."""
    found: _Columns = {name: np.array(getattr(strand, name)[first:], dtype=np.float64) for name in _FLOATS}
    found |= {name: np.array(getattr(strand, name)[first:], dtype=np.bool_) for name in _BOOLS}
    looks, streaks = strand.looks[first:], strand.streaks[first:]
    return found | {
        "frames": np.array(strand.frames[first:], dtype=np.int64),
        "looks": np.stack(looks) if looks else np.zeros((0, 0)),
        "streaks": np.fromiter(chain.from_iterable(streaks), dtype=np.float64, count=2 * len(streaks)),
    }


def _listed(name: str, column: NDArray[Any]) -> list[Any]:
    if name == "looks":
        return list(column)
    values: list[Any] = column.tolist()
    return list(zip(values[::2], values[1::2], strict=True)) if name == "streaks" else values
