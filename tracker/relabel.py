"""Whole history: pieces of strands joined to one chain per ball.

The live tracker's strands are cut wherever motion alone did not decide. What remains are pieces that surely are one
ball each. A labelling gives every piece a ball, or calls it false; its score is the sum of
  - what the piece's looks say for that ball (nats over chance, saturated: `tracker.identity`),
  - for neighbouring pieces of one ball how well motion joins them (the exchange's cost where they met, else whether the
    way can be made in the gap, unseen in plain view or not),
  - a price for a ball that appears or ends in the open, and for every detection called false.
Two pieces of one ball may not overlap in time. The best labelling is sought by local search from the strands as they
are: move a piece (evicting what is in its way), exchange the rest of two balls from a moment on. Every step is
deterministic and improves the score, so it ends.

Fails: alike balls that meet while unseen stay as motion alone has it; local search can miss a better labelling that
needs three exchanges at once (not seen in simulated breaks).
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import hypot, log

import numpy as np

from calibration.equipment import BallId
from tracker.history import FloatArray
from tracker.identity import NameBook, assign_names, fuse, spare_labels
from tracker.pieces import LINK_LIMIT, Piece, cut_strands, exchange_costs
from tracker.pockets import PocketMap
from tracker.strand import FrameRecord, Strand

_FORBIDDEN = -1e6
_FASTEST_MPS = 12.0
_NAME_KEPT = 0.01
"""Nats by which another name must be better: none is taken away for nothing."""
_FAST_SHARE = 0.2
"""Weight in a ball's name of stretches without rest: a fast ball's colour is mixed with the cloth's in every picture alike
(orange over blue looks red), so many short stretches of one ball err together. Zero would not hear of a stripe that only
rolling shows, one lets the pieces of a break outvote the rest before and after."""
_SWEEPS = 8
"""Rounds of local search at most; two or three are usual."""


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


@dataclass(slots=True)
class _Search:
    """A labelling and the moves that improve it; `rows[label]` are that ball's pieces in time order (so by index)."""

    pieces: list[Piece]
    exchanges: dict[tuple[int, int], float]
    frames: Sequence[FrameRecord]
    first_frame: int
    places: PocketMap
    value: list[list[float]]
    rows: list[list[int]]
    label: list[int]
    links: dict[tuple[int, int], float] = field(default_factory=dict)

    def join(self, before: int | None, after: int | None) -> float:
        """Score of two pieces as neighbours; None stands for the start or the end of the ball."""
        if before is None:
            return 0.0 if after is None else -self.pieces[after].start_price
        if after is None:
            return -self.pieces[before].end_price
        key = (before, after)
        if key not in self.links:
            self.links[key] = self._link(self.pieces[before], self.pieces[after])
        return self.links[key]

    def _link(self, a: Piece, b: Piece) -> float:
        if b.frames[0] <= a.frames[-1]:
            return _FORBIDDEN
        known = self.exchanges.get((a.index, b.index))
        if known is not None:
            return known
        gap = float(b.times_s[0] - a.times_s[-1])
        dx, dy = (float(v) for v in b.places_m[0] - a.places_m[-1])
        distance = hypot(dx, dy)
        if distance > _FASTEST_MPS * gap + 0.05:
            return _FORBIDDEN
        missed = self._missed_s(a, b)
        if distance < 0.004 + 4 * float(a.sigma_m[-1] + b.sigma_m[0]) and (a.last_rest or b.first_rest):
            return -0.1 - min(2.0 * missed, 4.0)
        speed = max(hypot(*a.last_v), hypot(*b.first_v), 0.2)
        reach = 0.03 + 1.3 * speed * gap
        ahead = hypot(dx - a.last_v[0] * gap, dy - a.last_v[1] * gap)
        fit = 0.5 * log(1 + (min(ahead, distance) / 0.03) ** 2)
        score = -0.3 - fit if distance <= reach else -4.0 - fit
        return max(score, -LINK_LIMIT) - min(20.0 * missed, 6.0)

    def _missed_s(self, a: Piece, b: Piece) -> float:
        """Time in plain view between two pieces in which nothing was detected, looked at where `a` ended."""
        spec = self.places.table.spec
        x, y = (float(value) for value in a.places_m[-1])
        between = range(a.frames[-1] + 1, b.frames[0])
        missed = sum(not self.frames[frame - self.first_frame].is_hidden(x, y, spec.length_m, spec.width_m) for frame in between)
        return missed / max(len(between), 1) * float(b.times_s[0] - a.times_s[-1])

    def improve(self) -> None:
        """Moves until none gains."""
        for _ in range(_SWEEPS):
            moved = [self._move(index) for index in range(len(self.pieces))]
            if not self._exchange_tails() and not any(moved):
                return

    def slot(self, index: int, label: int) -> tuple[int, int]:
        """Range of `rows[label]` that a piece would push out: those that overlap it in time."""
        members = self.rows[label]
        own = self.pieces[index]
        low = bisect_left(members, index)
        while low > 0 and self.pieces[members[low - 1]].frames[-1] >= own.frames[0]:
            low -= 1
        high = low
        while high < len(members) and self.pieces[members[high]].frames[0] <= own.frames[-1]:
            high += 1
        return low, high

    def _path(self, before: int | None, inner: Sequence[int], after: int | None, label: int) -> float:
        """Score of `inner` as that ball's pieces between two neighbours."""
        total, last = 0.0, before
        for index in inner:
            total += self.join(last, index) + self.value[index][label]
            last = index
        return total + self.join(last, after)

    def insertion(self, index: int, label: int) -> tuple[float, list[int]]:
        """Gain of giving a piece to a ball, and the pieces pushed out."""
        members = self.rows[label]
        low, high = self.slot(index, label)
        before = members[low - 1] if low > 0 else None
        after = members[high] if high < len(members) else None
        out = members[low:high]
        return self._path(before, [index], after, label) - self._path(before, out, after, label), out

    def _move(self, index: int) -> bool:
        """Give a piece to the ball (or to none) that gains most; what is in its way goes where it came from, or out."""
        old = self.label[index]
        before = after = None
        loss = 0.0
        if old >= 0:
            members = self.rows[old]
            at = bisect_left(members, index)
            before = members[at - 1] if at > 0 else None
            after = members[at + 1] if at + 1 < len(members) else None
            loss = self._path(before, [index], after, old)
        best = 1e-6
        plan: tuple[int, list[int], int] | None = None
        removal = self.join(before, after) - loss if old >= 0 else 0.0
        if removal > best:
            best, plan = removal, (-1, [], -1)
        unnamed_tried = False
        for label in range(len(self.rows)):
            if label == old:
                continue
            if not self.rows[label] and len(self.pieces[index].evidence) == 0:
                if unnamed_tried:
                    continue  # balls without names are all alike
                unnamed_tried = True
            gain, out = self.insertion(index, label)
            if gain + removal > best:
                best, plan = gain + removal, (label, out, -1)
            if out and old >= 0 and self._fits(before, out, after):
                total = gain + self._path(before, out, after, old) - loss
                if total > best:
                    best, plan = total, (label, out, old)
        if plan is None:
            return False
        label, out, target = plan
        for member in out:
            self.place(member, target)
        self.place(index, label)
        return True

    def _fits(self, before: int | None, inner: Sequence[int], after: int | None) -> bool:
        pieces = self.pieces
        return (before is None or pieces[before].frames[-1] < pieces[inner[0]].frames[0]) and (
            after is None or pieces[inner[-1]].frames[-1] < pieces[after].frames[0]
        )

    def place(self, index: int, label: int) -> None:
        """Give a piece to a ball; -1 for none."""
        old = self.label[index]
        if old >= 0:
            self.rows[old].remove(index)
        if label >= 0:
            insort(self.rows[label], index)
        self.label[index] = label

    def _exchange_tails(self) -> bool:
        """Exchange all that two balls are from some moment on, where that gains."""
        changed = False
        for a in range(len(self.rows)):
            for b in range(a + 1, len(self.rows)):
                changed |= self._exchange_pair(a, b)
        return changed

    def _exchange_pair(self, a: int, b: int) -> bool:
        mine, other = self.rows[a], self.rows[b]
        if not mine and not other:
            return False
        gain_a = _tail_sums([self.value[m][b] - self.value[m][a] for m in mine])
        gain_b = _tail_sums([self.value[m][a] - self.value[m][b] for m in other])
        best, cut = 1e-6, None
        for start in {*mine, *other}:
            i, k = bisect_left(mine, start), bisect_left(other, start)
            if i == 0 and k == 0 and len(self.pieces[start].evidence) == 0:
                continue
            a_last, b_last = (mine[i - 1] if i else None), (other[k - 1] if k else None)
            a_next, b_next = (mine[i] if i < len(mine) else None), (other[k] if k < len(other) else None)
            gain = gain_a[i] + gain_b[k] + self.join(a_last, b_next) + self.join(b_last, a_next)
            gain -= self.join(a_last, a_next) + self.join(b_last, b_next)
            if gain > best + 1e-9 or (cut is not None and abs(gain - best) <= 1e-9 and start < cut):
                best, cut = gain, start
        if cut is None:
            return False
        i, k = bisect_left(mine, cut), bisect_left(other, cut)
        self.rows[a], self.rows[b] = mine[:i] + other[k:], other[:k] + mine[i:]
        for label in (a, b):
            for member in self.rows[label]:
                self.label[member] = label
        return True


def _tail_sums(values: Sequence[float]) -> list[float]:
    """Sum of the values from each index on, one more entry (0) at the end."""
    sums = [0.0]
    for value in reversed(values):
        sums.append(sums[-1] + value)
    return sums[::-1]


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
    search = _Search(
        pieces=pieces,
        exchanges=exchange_costs(pieces, strands, swaps),
        frames=frames,
        first_frame=first_frame,
        places=places,
        value=[_values(piece, len(labels), book) for piece in pieces],
        rows=[[] for _ in labels],
        label=[-1] * len(pieces),
    )
    _start(search)
    search.improve()
    chains = []
    for label, ball in enumerate(labels):
        members = search.rows[label]
        if members and any(pieces[m].on_bed for m in members):
            chains.append(_chain(ball, [pieces[m] for m in members]))
    if not book.labels:
        return _recount(chains)
    return _renamed(chains, book) if book.ball_set.distinct else chains


def _renamed(chains: list[Chain], book: NameBook) -> list[Chain]:
    """Chains named by all they showed: the sum over many short pieces outweighs what `fuse` lets them count together."""
    evidence = np.array([chain.evidence for chain in chains]).reshape(len(chains), book.count)
    for row, chain in enumerate(chains):
        evidence[row, book.labels.index(chain.ball)] += _NAME_KEPT
    names = assign_names(evidence)
    named = [chain if name is None else replace(chain, ball=book.labels[name]) for chain, name in zip(chains, names, strict=True)]
    return sorted(named, key=lambda chain: book.labels.index(chain.ball))


def _values(piece: Piece, count: int, book: NameBook) -> list[float]:
    """What calling a piece each of `count` balls is worth, nats."""
    if not book.count:
        return [piece.price] * count
    share = 1.0 if piece.first_rest or piece.last_rest else _FAST_SHARE
    return [piece.price + share * value for value in piece.evidence.tolist()]


def _start(search: _Search) -> None:
    """First labelling: the strands as they are, longest first, each to the ball that gains most."""
    by_strand: dict[int, list[int]] = {}
    for piece in search.pieces:
        by_strand.setdefault(piece.strand, []).append(piece.index)
    order = sorted(by_strand, key=lambda key: (-sum(len(search.pieces[m].frames) for m in by_strand[key]), key))
    for key in order:
        own = by_strand[key]
        best, best_label = 0.0, -1
        for label in range(len(search.rows)):
            if any(low < high for low, high in (search.slot(m, label) for m in own)):
                continue
            for m in own:
                search.place(m, label)
            members = search.rows[label]
            gain = search._path(None, members, None, label)
            for m in own:
                search.place(m, -1)
            gain -= search._path(None, search.rows[label], None, label)
            if gain > best:
                best, best_label = gain, label
        for m in own:
            search.place(m, best_label)


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
