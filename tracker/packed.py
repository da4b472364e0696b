"""A tracker's snapshot as bytes, for another process to report from.

As a plain pickle it takes as long as the report itself: the looks are an array of their own for every detection, tens of
thousands. Here they are one array a strand; all else is pickled as it is. What comes out is equal to the last bit.
"""

import pickle
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from tracker.history import FloatArray
from tracker.strand import Strand
from tracker.tracks import Tracker


def pack(tracker: Tracker) -> bytes:
    """The tracker as bytes; it is not changed. One that goes on meanwhile must be a `snapshot`."""
    twin, twins, looks = copy(tracker), dict[int, Strand](), dict[int, FloatArray]()
    for name, value in vars(tracker).items():
        if isinstance(value, list) and value and isinstance(value[0], Strand):
            for strand in value:
                if id(strand) not in twins and strand.looks:
                    looks[strand.key] = np.array(strand.looks)
                twins.setdefault(id(strand), replace(strand, looks=[]))
            setattr(twin, name, [twins[id(strand)] for strand in value])
    return pickle.dumps((twin, looks), protocol=5)


def unpack(packed: bytes) -> Tracker:
    """What `pack` was given; for `Tracker.report` only. Bytes of strangers must not come here: they could run anything."""
    twin, looks = pickle.loads(packed)
    tracker: Tracker = twin
    lists: list[list[Any]] = [value for value in vars(tracker).values() if isinstance(value, list)]
    for strand in {id(item): item for items in lists for item in items if isinstance(item, Strand)}.values():
        if strand.key in looks:
            strand.looks = list(looks[strand.key])
    return tracker
