"""Whole history: pieces of strands joined to one chain per ball.

The live tracker's strands are cut wherever motion alone did not decide. What remains are pieces that surely are one
ball each. A labelling gives every piece a ball, or calls it false; its score is the sum of
  - what the piece's looks say for that ball (nats over chance, saturated: `tracker.identity`),
  - for neighbouring pieces of one ball how well motion joins them (the exchange's cost where they met, else whether the
    way can be made in the gap, unseen in plain view or not),
  - a price for a ball that appears or ends in the open, and for every detection called false.
Two pieces of one ball may not overlap in time. The best labelling is sought by local search (`tracker.labelling`).

Fails: alike balls that meet while unseen stay as motion alone has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.equipment import BallId
from tracker.departures import sent_home
from tracker.history import FloatArray
from tracker.identity import NameBook, assign_names, fuse, spare_labels
from tracker.labelling import Labelling
from tracker.pieces import Piece, cut_strands, exchange_costs
from tracker.pockets import PocketMap
from tracker.strand import CONFIRM_COUNT, Covers, FrameRecord, Strand

_NAME_KEPT = 0.01
"""Nats by which another name must be better: none is taken away for nothing."""
_FAST_SHARE = 0.2
"""Weight in a ball's name of stretches without rest, where it was seen at rest too: a fast ball's colour is mixed with the
cloth's in every picture alike (orange over blue looks red). Zero would not hear of a stripe that only rolling shows."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chain:
    """All detections of one ball; shapes (T,), (T, 2), (T,); evidence (K,) in nats over chance; mean of their scores."""

    ball: BallId
    frames: list[int]
    times_s: FloatArray
    places_m: FloatArray
    sigma_m: FloatArray
    evidence: FloatArray
    mean_score: float


def find_chains(
    strands: Sequence[Strand],
    swaps: Sequence[tuple[int, int, int, float]],
    frames: Sequence[FrameRecord],
    first_frame: int,
    places: PocketMap,
    book: NameBook,
) -> list[Chain]:
    """One chain per ball that was on the bed, in the order of the set's names.

    Args:
        strands: With rows since `first_frame`.
        swaps: (frame, strand key, strand key, extra cost) of exchanges that motion left open.
        frames: Records since `first_frame`.
        first_frame: Number of `frames[0]`.
        places: Mouths.
        book: Names.
    """
    pieces = cut_strands(strands, frames, first_frame, places, book)
    if not pieces:
        return []
    at_once = _seen_at_once(pieces)
    labels = book.labels or spare_labels(at_once)
    own = {} if book.ball_set.distinct or not book.count else {strand.key: strand.name for strand in strands}
    search = Labelling(
        pieces=pieces,
        exchanges=exchange_costs(pieces, strands, swaps),
        covers=Covers(frames, places.table.spec.length_m, places.table.spec.width_m),
        first_frame=first_frame,
        value=[[_worth(piece, k, own.get(piece.strand) == label) for k, label in enumerate(labels)] for piece in pieces],
        rows=[[] for _ in labels],
        label=[-1] * len(pieces),
    )
    search.start()
    search.improve()
    chains = []
    for label, ball in enumerate(labels):
        members = search.rows[label]
        seen = sum(len(pieces[m].frames) for m in members)
        if seen >= CONFIRM_COUNT and any(pieces[m].on_bed for m in members):
            chains.append(_chain(ball, [pieces[m] for m in members]))
    chains = sent_home(chains, [not book.labels or book.is_alike(chain.ball) for chain in chains])
    if not book.labels:
        return _recount(chains)
    return _renamed(chains, book) if book.ball_set.distinct else chains


def _worth(piece: Piece, label: int, is_its_own: bool) -> float:
    """What calling a piece a ball is worth. Alike balls keep the name they are followed under from shot to shot."""
    evidence = float(piece.evidence[label]) if len(piece.evidence) else 0.0
    return piece.price + evidence + (_NAME_KEPT if is_its_own else 0.0)


def _renamed(chains: list[Chain], book: NameBook) -> list[Chain]:
    """Chains named by all they showed: the sum over many short pieces outweighs what `fuse` lets them count together."""
    evidence = np.array([chain.evidence for chain in chains]).reshape(len(chains), book.count)
    for row, chain in enumerate(chains):
        evidence[row, book.labels.index(chain.ball)] += _NAME_KEPT
    names = assign_names(evidence)
    named = [chain if name is None else replace(chain, ball=book.labels[name]) for chain, name in zip(chains, names, strict=True)]
    return sorted(named, key=lambda chain: book.labels.index(chain.ball))


def _seen_at_once(pieces: Sequence[Piece]) -> int:
    changes = sorted([(piece.frames[0], 1) for piece in pieces] + [(piece.frames[-1] + 1, -1) for piece in pieces])
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


def _chain(ball: BallId, members: Sequence[Piece]) -> Chain:
    rested = [piece.first_rest or piece.last_rest for piece in members]
    shares = [1.0 if rest or not any(rested) else _FAST_SHARE for rest in rested]
    weight = sum(share * piece.looks_weight for share, piece in zip(shares, members, strict=True))
    total = np.sum([share * piece.looks_sum for share, piece in zip(shares, members, strict=True)], axis=0)
    return Chain(
        ball=ball,
        frames=[frame for piece in members for frame in piece.frames],
        times_s=np.concatenate([piece.times_s for piece in members]),
        places_m=np.concatenate([piece.places_m for piece in members]),
        sigma_m=np.concatenate([piece.sigma_m for piece in members]),
        evidence=fuse(total, weight),
        mean_score=float(np.average([piece.mean_score for piece in members], weights=[len(piece.frames) for piece in members])),
    )


def _recount(chains: Sequence[Chain]) -> list[Chain]:
    """Counted names in the order of appearance, from the head to the foot where several appear at once."""
    order = sorted(chains, key=lambda chain: (chain.frames[0], float(chain.places_m[0, 0]), float(chain.places_m[0, 1])))
    return [replace(chain, ball=f"b{number}") for number, chain in enumerate(order, start=1)]
