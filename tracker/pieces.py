"""Pieces of strands: stretches that surely are one ball, or one thing that is none, and what speaks for and against them.

A strand is cut wherever motion alone did not decide whose the next detection was (`tracker.associate`). Each piece carries
its looks (nats over chance, `tracker.identity`), the price of calling it false (log-odds of its scores), the price of a
ball that appears or ends there, and place and velocity at both ends for joining it to others (`tracker.relabel`).

Fails: a hand that scores like a ball for a second costs as much to call false as a ball.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot

import numpy as np

from tracker.history import BoolArray, FloatArray
from tracker.identity import NameBook, fuse
from tracker.pockets import PocketMap
from tracker.strand import FrameRecord, Strand

_FALSE_ROW = (-1.0, 1.5)
"""Price of calling one detection false, the log-odds of its score within these limits: a hand scores below one half."""
_FALSE_LIMITS = (-6.0, 14.0)
"""Price of calling a whole piece false, within these limits: the pictures of one thing err alike, whatever their number."""
_STREAK_NATS, _ALONG = 1.5, 0.25
"""What a streak that lies on the way to the next adds to that, and the sine of the angle between them up to which it does:
its score says little, two that agree in place, time and direction a great deal."""
_STILL, _STILL_S = 0.5, 0.1
"""Part of its length by which a streak must have moved on in the next picture, which comes within that time, to be a ball's:
its ends are as far apart as the ball moved during the exposure, and pictures are no closer than exposures."""
_OPEN_NATS = (6.0, 4.0)
"""Price of a ball that appears, or ends, in plain view away from a mouth: a detector loses balls more often than it misses
one for long."""
_HIDDEN_NATS = (1.0, 2.5)
"""Price of a ball that appears or ends where something covers the bed, at rest or moving: a hand is more likely."""
LINK_LIMIT = 7.0
"""Price of the least likely way that a ball can go at all; more would split what a hand moved."""
_SIDE_S = 0.15
"""Stretch at a piece's end from which place and velocity there are taken."""


@dataclass(slots=True, kw_only=True, eq=False)
class Piece:
    """Detections that surely are one ball (or one false thing); rows in time order.

    `first_way` and `last_way` are the directions in which it moves at its ends, of length 1: by its places, else by the
    streak that a single picture shows (the sign then says nothing); None where nothing tells.
    """

    index: int
    strand: int
    frames: list[int]
    times_s: FloatArray
    places_m: FloatArray
    sigma_m: FloatArray
    evidence: FloatArray
    looks_sum: FloatArray
    looks_weight: float
    price: float
    mean_score: float
    on_bed: bool
    first_v: tuple[float, float] = (0.0, 0.0)
    last_v: tuple[float, float] = (0.0, 0.0)
    first_rest: bool = False
    last_rest: bool = False
    first_way: tuple[float, float] | None = None
    last_way: tuple[float, float] | None = None
    start_price: float = 0.0
    end_price: float = 0.0


def cut_strands(
    strands: Sequence[Strand], frames: Sequence[FrameRecord], first_frame: int, places: PocketMap, book: NameBook
) -> list[Piece]:
    """All pieces in the order of their first rows, with what speaks for and against them.

    Args:
        strands: With rows since `first_frame`.
        frames: Records since `first_frame`.
        first_frame: Number of `frames[0]`.
        places: Mouths.
        book: Names.
    """
    pieces: list[Piece] = []
    for strand in strands:
        borders = [0, *sorted(strand.cuts), len(strand.frames)]
        for low, high in pairwise(borders):
            if high > low:
                pieces.append(_piece(strand, low, high, frames, first_frame, places, book))
    pieces.sort(key=lambda piece: (piece.frames[0], piece.strand))
    for index, piece in enumerate(pieces):
        piece.index = index
        _price_ends(piece, frames, first_frame, places)
    return pieces


def _piece(
    strand: Strand, low: int, high: int, frames: Sequence[FrameRecord], first_frame: int, places: PocketMap, book: NameBook
) -> Piece:
    numbers = strand.frames[low:high]
    times = np.array([frames[frame - first_frame].time_s for frame in numbers])
    centres = np.column_stack([strand.xs[low:high], strand.ys[low:high]])
    sigma = np.array(strand.sigmas[low:high])
    weights = np.array(strand.weights[low:high])
    scores = np.array(strand.scores[low:high])
    looks_sum = np.array(weights @ np.array(strand.looks[low:high]).reshape(high - low, book.count))
    weight = float(weights.sum())
    first_v, first_rest = _end_motion(times, centres, sigma)
    last_v, last_rest = _end_motion(times[::-1], centres[::-1], sigma[::-1])
    return Piece(
        index=-1,
        strand=strand.key,
        frames=numbers,
        times_s=times,
        places_m=centres,
        sigma_m=sigma,
        evidence=fuse(looks_sum, weight),
        looks_sum=looks_sum,
        looks_weight=weight,
        price=_price(times, centres, scores, strand.streaks[low:high]),
        mean_score=float(scores.mean()),
        on_bed=(first_rest and not strand.fallen[low]) or any(places.place((float(x), float(y))).depth_m <= 0 for x, y in centres),
        first_v=first_v,
        last_v=last_v,
        first_rest=first_rest,
        last_rest=last_rest,
        first_way=None if first_rest else _way(first_v, strand.streaks[low]),
        last_way=None if last_rest else _way(last_v, strand.streaks[high - 1]),
    )


def _price(times: FloatArray, centres: FloatArray, scores: FloatArray, streaks: Sequence[tuple[float, float]]) -> float:
    """Price of calling a piece false, nats."""
    odds = np.where(_standing(times, centres, streaks), _FALSE_ROW[0], score_odds(scores))
    return float(np.clip(odds.sum() + _STREAK_NATS * _on_their_way(centres, streaks), *_FALSE_LIMITS))


def _standing(times: FloatArray, centres: FloatArray, streaks: Sequence[tuple[float, float]]) -> BoolArray:
    """Which rows are streaks that stay where they are on both sides in time, shape (N,): shade or dirt, not a ball in flight.

    A ball that turns round at a cushion may be back at its place once, so the pictures before and after must agree."""
    lengths = np.array([hypot(x, y) for x, y in streaks])
    stays = (np.hypot(*np.diff(centres, axis=0).T) < _STILL * np.minimum(lengths[1:], lengths[:-1])) & (np.diff(times) < _STILL_S)
    return np.asarray(np.append(stays, False) & np.append(False, stays), dtype=np.bool_)


def _on_their_way(centres: FloatArray, streaks: Sequence[tuple[float, float]]) -> int:
    """How many rows are streaks that point to the next row or the one before: only what flies looks so twice."""
    ways = np.array(streaks, dtype=np.float64).reshape(-1, 2)
    (x, y), (dx, dy) = ways.T, np.diff(centres, axis=0).T
    length, step = np.hypot(x, y), np.hypot(dx, dy)
    after = np.abs(x[:-1] * dy - y[:-1] * dx) < _ALONG * length[:-1] * step
    before = np.abs(x[1:] * dy - y[1:] * dx) < _ALONG * length[1:] * step
    return int(np.count_nonzero(np.append(after, False) | np.append(False, before)))


def _way(velocity: tuple[float, float], streak: tuple[float, float]) -> tuple[float, float] | None:
    """Direction of length 1 from a velocity, else from a streak."""
    for x, y in (velocity, streak):
        length = hypot(x, y)
        if length > 0:
            return x / length, y / length
    return None


def score_odds(scores: FloatArray) -> FloatArray:
    """Log-odds that detections are balls, limited, same shape."""
    share = np.clip(scores, 0.01, 0.99)
    return np.asarray(np.clip(np.log(share / (1 - share)), *_FALSE_ROW), dtype=np.float64)


def _end_motion(times: FloatArray, places: FloatArray, sigma: FloatArray) -> tuple[tuple[float, float], bool]:
    """Velocity at the first row and whether the ball rests there, from the first rows."""
    near: BoolArray = np.abs(times - times[0]) <= _SIDE_S
    count = int(near.sum())
    if count < 2:
        return (0.0, 0.0), False
    spread = places[:count] - places[:count].mean(axis=0)
    rest = count >= 3 and bool((np.hypot(spread[:, 0], spread[:, 1]) < 3 * sigma[:count] + 0.001).all())
    if rest:
        return (0.0, 0.0), True
    use = min(count, 3)
    span = float(times[use - 1] - times[0])
    way = places[use - 1] - places[0]
    return (float(way[0]) / span, float(way[1]) / span), False


def _price_ends(piece: Piece, frames: Sequence[FrameRecord], first: int, places: PocketMap) -> None:
    spec = places.table.spec
    length, width = spec.length_m, spec.width_m
    x, y = (float(v) for v in piece.places_m[0])
    early = piece.times_s[0] - frames[0].time_s < 0.2
    before = frames[max(piece.frames[0] - 1 - first, 0)]
    if not early:
        hidden = before.is_hidden(x, y, length, width)
        piece.start_price = _HIDDEN_NATS[0 if piece.first_rest else 1] if hidden else _OPEN_NATS[0]
    x, y = (float(v) for v in piece.places_m[-1])
    late = frames[-1].time_s - piece.times_s[-1] < 0.2
    after = frames[min(piece.frames[-1] + 1 - first, len(frames) - 1)]
    if not late:
        entry = places.entry((x, y), piece.last_v)
        falls = places.place((x, y)).depth_m > 0 or (entry is not None and entry[1] < 0.4)
        hidden = after.is_hidden(x, y, length, width)
        piece.end_price = 0.5 if falls else _HIDDEN_NATS[0 if piece.last_rest else 1] if hidden else _OPEN_NATS[1]


def exchange_costs(
    pieces: Sequence[Piece], strands: Sequence[Strand], swaps: Sequence[tuple[int, int, int, float]]
) -> dict[tuple[int, int], float]:
    """Scores of joining pieces at a cut: as the live tracker had it, or exchanged with another strand."""
    starts = {(piece.strand, piece.frames[0]): piece.index for piece in pieces}
    stops: dict[tuple[int, int], int] = {}
    by_strand: dict[int, list[Piece]] = {}
    for piece in pieces:
        by_strand.setdefault(piece.strand, []).append(piece)
    costs: dict[tuple[int, int], float] = {}
    for strand in strands:
        own = by_strand.get(strand.key, [])
        for (a, b), row in zip(pairwise(own), sorted(strand.cuts), strict=True):
            costs[a.index, b.index] = -min(max(strand.cuts[row], 0.0), LINK_LIMIT)
            stops[b.strand, b.frames[0]] = a.index
    for frame, i, k, extra in swaps:
        for one, other in ((i, k), (k, i)):
            stop, start = stops.get((one, frame)), starts.get((other, frame))
            if stop is not None and start is not None:
                same = costs[stop, starts[one, frame]]
                costs[stop, start] = max(same - max(extra, 0.0) / 2, -LINK_LIMIT)
    return costs
