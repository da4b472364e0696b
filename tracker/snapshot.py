"""A tracker as it is at one moment, for another thread to report from while the tracker itself goes on."""

from copy import copy

from tracker.strand import Strand
from tracker.tracks import Tracker


def snapshot(tracker: Tracker) -> Tracker:
    """A copy whose history does not grow or get forgotten with the tracker's.

    Every list it holds is copied, strands with their rows; what never changes (records of pictures, table, names) is shared.
    For `Tracker.report` only: what its strands know of motion is the other's.
    """
    twin, strands = copy(tracker), dict[int, Strand]()
    for name, value in vars(tracker).items():
        if isinstance(value, list):
            setattr(twin, name, [_copied(item, strands) if isinstance(item, Strand) else item for item in value])
    return twin


def _copied(strand: Strand, known: dict[int, Strand]) -> Strand:
    if strand.key not in known:
        known[strand.key] = strand.copied()
    return known[strand.key]
