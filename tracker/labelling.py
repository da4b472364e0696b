"""Which piece is which ball: a labelling with a score, and the local search that improves it.

It starts from the strands as they are, the longest first. Then three moves, each taken only where it raises the score, so
the search ends: give a piece to another ball (what is in its way goes back or out), exchange all that two balls are from a
moment on, and find a ball for a long stretch called false at the cost of two others (`rescue`). All are deterministic.

Fails: a better labelling that needs four balls moved at once.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import hypot, log

from tracker.pieces import LINK_LIMIT, Piece
from tracker.strand import Covers

_FORBIDDEN = -1e6
_FASTEST_MPS = 12.0
"""Nothing goes faster: a break is 11 to 13 m/s at the tip, less at the rack."""
_ASIDE_M = 0.01
"""How far off its line a ball that goes straight is seen: two streaks are told to some millimetres."""
_ASIDE_SHARE = 0.03
"""And this share of the way: a streak of five centimetres tells its direction to two degrees."""
_STRUCK_NATS = 1.0
"""Price of a ball at rest that is under way in the next picture: strokes and hits are rare, but each ball has them."""
_ONWARD_NATS = 0.3
"""Price of a step that leads on."""
_MISSED_NATS_PER_S, _MISSED_LIMIT = 20.0, 6.0
"""Price of a moving ball's time in plain view without a detection, and the most of it."""
_RESCUE_NATS = 4.0
"""Price of calling something false from which a place is sought for it at the cost of two others: three streaks in line."""
_MOST_RUNS = 60
"""Such stretches that are tried in a round; a break has five."""
_SWEEPS = 8
"""Rounds of local search at most; two or three are usual."""


@dataclass(slots=True)
class Labelling:
    """A labelling and the moves that improve it.

    Attributes:
        pieces: In time order.
        exchanges: Scores of joining two pieces where strands were cut.
        covers: What covers the bed in the records since `first_frame`.
        first_frame: Number of the first of them.
        value: What calling each piece each ball is worth, nats over calling it false.
        rows: Each ball's pieces in time order, so by index.
        label: Each piece's ball; -1 for none.
        links: Scores of joints found so far.
    """

    pieces: list[Piece]
    exchanges: dict[tuple[int, int], float]
    covers: Covers
    first_frame: int
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
        gap = float(b.times_s[0] - a.times_s[-1])
        dx, dy = (float(v) for v in b.places_m[0] - a.places_m[-1])
        distance = hypot(dx, dy)
        if known is None and distance > _FASTEST_MPS * gap + 0.05:
            return _FORBIDDEN
        missed = self._missed_s(a, b)
        if distance < 0.004 + 4 * float(a.sigma_m[-1] + b.sigma_m[0]) and (a.last_rest or b.first_rest):
            return -0.1 - min(2.0 * missed, 4.0) if known is None else known
        along = self._along(a, b, (dx, dy))
        if along is not None:
            score = along - min(_MISSED_NATS_PER_S * missed, _MISSED_LIMIT)
            return score if known is None else max(known, score)
        if known is not None:
            return known
        speed = max(hypot(*a.last_v), hypot(*b.first_v), 0.2)
        reach = 0.03 + 1.3 * speed * gap
        ahead = hypot(dx - a.last_v[0] * gap, dy - a.last_v[1] * gap)
        fit = 0.5 * log(1 + (min(ahead, distance) / 0.03) ** 2)
        score = -_ONWARD_NATS - fit if distance <= reach else -4.0 - fit
        return max(score, -LINK_LIMIT) - min(_MISSED_NATS_PER_S * missed, _MISSED_LIMIT)

    def _along(self, a: Piece, b: Piece, way: tuple[float, float]) -> float | None:
        """Score of a step that a start from rest, or a piece of one picture, explains by its direction; None for others."""
        if not a.last_rest and min(len(a.frames), len(b.frames)) > 1:
            return None
        aside = _aside(way, None if a.last_rest else a.last_way, None if b.first_rest else b.first_way)
        if aside is None:
            return None
        spread = _ASIDE_M + _ASIDE_SHARE * hypot(*way) + float(a.sigma_m[-1] + b.sigma_m[0])
        return max(-(_STRUCK_NATS if a.last_rest else _ONWARD_NATS) - 0.5 * log(1 + (aside / spread) ** 2), -LINK_LIMIT)

    def _missed_s(self, a: Piece, b: Piece) -> float:
        """Time in plain view between two pieces in which nothing was detected, looked at where `a` ended."""
        x, y = (float(value) for value in a.places_m[-1])
        between = range(a.frames[-1] + 1 - self.first_frame, b.frames[0] - self.first_frame)
        missed = len(between) - self.covers.count(x, y, between)
        return missed / max(len(between), 1) * float(b.times_s[0] - a.times_s[-1])

    def start(self) -> None:
        """First labelling: the strands as they are, longest first, each to the ball that gains most."""
        by_strand: dict[int, list[int]] = {}
        for piece in self.pieces:
            by_strand.setdefault(piece.strand, []).append(piece.index)
        order = sorted(by_strand, key=lambda key: (-sum(len(self.pieces[m].frames) for m in by_strand[key]), key))
        for key in order:
            own = by_strand[key]
            best, best_label = 0.0, -1
            for label in range(len(self.rows)):
                if any(low < high for low, high in (self.slot(m, label) for m in own)):
                    continue
                for m in own:
                    self.place(m, label)
                members = self.rows[label]
                gain = self._path(None, members, None, label)
                for m in own:
                    self.place(m, -1)
                gain -= self._path(None, self.rows[label], None, label)
                if gain > best:
                    best, best_label = gain, label
            for m in own:
                self.place(m, best_label)

    def improve(self) -> None:
        """Moves until none gains."""
        for _ in range(_SWEEPS):
            moved = [self._move(index) for index in range(len(self.pieces))]
            if not self._exchange_tails() and not any(moved) and not self._rescue():
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
        links, value, join = self.links, self.value, self.join
        for index in inner:
            known = links.get((last, index)) if last is not None else None
            total += (join(last, index) if known is None else known) + value[index][label]
            last = index
        return total + join(last, after)

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

    def _rescue(self) -> bool:
        """Find a ball for what was called false though it looks like one for long: those in its way move on together.

        A third ball may have to give way to them; what it loses is called false for now and sought a place by the next moves.
        """
        now = [self._whole(members, label) for label, members in enumerate(self.rows)]
        for group in self._false_groups():
            best, plan = 1e-6, None
            for label in range(len(self.rows)):
                out = [m for m in self.rows[label] if any(self._overlap(m, index) for index in group)]
                kept = [m for m in self.rows[label] if m not in out]
                gain = self._whole(sorted([*kept, *group]), label) - now[label]
                for target in range(-1, len(self.rows)):
                    if target == label or (target < 0) != (not out):
                        continue
                    second: list[int] = []
                    total = gain
                    if target >= 0:
                        second = [m for m in self.rows[target] if any(self._overlap(m, index) for index in out)]
                        stay = [m for m in self.rows[target] if m not in second]
                        total += self._whole(sorted([*stay, *out]), target) - now[target]
                    if total > best:
                        best, plan = total, (label, out, target, second)
            if plan is not None:
                label, out, target, second = plan
                for members, to in ((second, -1), (out, target), (group, label)):
                    for index in members:
                        self.place(index, to)
                return True
        return False

    def _false_groups(self) -> list[list[int]]:
        """Neighbouring pieces of one strand that are called false though together they are worth a ball, and parts of them."""
        runs: list[list[int]] = []
        last: dict[int, bool] = {}
        by_strand: dict[int, list[list[int]]] = {}
        for piece in self.pieces:
            false = self.label[piece.index] < 0
            if false and last.get(piece.strand):
                by_strand[piece.strand][-1].append(piece.index)
            elif false:
                by_strand.setdefault(piece.strand, []).append([piece.index])
            last[piece.strand] = false
        for group in (group for groups in by_strand.values() for group in groups):
            parts = [group[start:stop] for start in range(len(group)) for stop in range(len(group), start, -1)]
            runs += [part for part in parts if sum(self.pieces[index].price for index in part) > _RESCUE_NATS]
        return runs[:_MOST_RUNS]

    def _overlap(self, a: int, b: int) -> bool:
        one, two = self.pieces[a].frames, self.pieces[b].frames
        return one[0] <= two[-1] and two[0] <= one[-1]

    def _whole(self, members: Sequence[int], label: int) -> float:
        return self._path(None, members, None, label) if members else 0.0

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


def _aside(way: tuple[float, float], last: tuple[float, float] | None, first: tuple[float, float] | None) -> float | None:
    """How far off the line of a movement a step ends, metres, the larger of both ends; None where no movement tells."""
    offs = [abs(way[0] * line[1] - way[1] * line[0]) for line in (last, first) if line is not None]
    return max(offs) if offs else None


def _tail_sums(values: Sequence[float]) -> list[float]:
    """Sum of the values from each index on, one more entry (0) at the end."""
    sums = [0.0]
    for value in reversed(values):
        sums.append(sums[-1] + value)
    return sums[::-1]
