"""Contacts closer together than the pictures part them, by playing the moment through.

A ball struck into a cushion ten milliseconds after it was hit, or hit twice within a frame, shows one change of course
only. But what went in is known (the paths before), and what came out (the paths after): so the moment in between is
simulated many times, with the places and speeds before drawn from their doubt and restitution and friction from what
tables have, as discs that move straight between impulses. The runs that end where the balls were seen afterwards say
what happened, in which order, and when; how many other runs do as well says how surely.

Only short moments are played (some frames): every contact multiplies an error of direction, so a whole shot is beyond
this. Where no run comes near what was seen the moment stays explained by impulses alone (contacts.py).

Fails: spin turns a ball at a cushion more than is drawn here; jaws are not in the model; a cluster of a break is too
much for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from tracker.contacts import Contact
from tracker.kinks import Kink, Path
from tracker.noses import INWARD, Surroundings
from tracker.trajectory import Piece

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

DRAWS = 300
"""Runs of a moment: enough that some meet what was seen in four or five numbers, few enough for milliseconds."""
EVENTS = 6
"""Contacts that one moment may hold."""
BALLS = 5
"""Balls that one moment may hold; more are a cluster."""
LONGEST_S = 0.09
"""A longer moment is not played: friction bends what is straight here."""
LONGER_S = (0.02, 0.04, 0.06, 0.08)
"""How much longer a moment is played where its own end finds no way that meets what was seen: a ball driven into a cushion a
centimetre away is back at the one that drove it after some pictures."""
PINNED_S = 0.12
"""The longest that is played so."""
LOST_MPS, LOST_SHARE = 0.1, 0.3
"""Momentum that a moment of two balls lost, and as a share of its largest jump, from which a cushion must have taken it."""
FEW_SAMPLES = 2
"""A piece of so few samples between two changes of course has no velocity of its own."""
PLACE_M = 0.0004
"""Doubt of places besides their noise: ball size, calibration over a short way."""
BALL_RESTITUTION = (0.92, 0.98)
"""Speed of separation over that of approach between balls."""
CUSHION_RESTITUTION = (0.5, 0.95)
"""The same at a cushion: fast and spinning balls come off slower."""
CUSHION_GRIP = (0.55, 1.05)
"""Speed along a cushion after over before: its friction, and what side spin gives."""
THROW = 0.04
"""Impulse across the line of centres over the one along it."""
MEET_M = 0.002
"""How well a run must meet the places afterwards."""
MEET_SHARE = 0.05
"""How well it must meet the velocities, as a share of the fastest, and at least MEET_MPS."""
MEET_MPS = 0.03
"""Metres per second."""
FIT = 4.0
"""Chi square per number that is compared up to which the best run counts as what was seen."""
LEAST_P = 0.05
"""Contacts less likely are left out."""
NEAR_M = 0.02
"""A ball this near to the way of another takes part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touches:
    """What the struck ball touched first in a moment.

    Attributes:
        start_s: The moment.
        end_s: Its end.
        share: Ball to probability; what is left of 1 touched none.
        runs: How many runs carry that, by their weights: few say little.
    """

    start_s: float
    end_s: float
    share: Mapping[BallId, float]
    runs: float


@dataclass(slots=True)
class _Moment:
    """Changes of course that belong together, and who takes part."""

    kinks: list[Kink]
    start_s: float
    end_s: float
    before: dict[BallId, Piece]
    after: dict[BallId, Piece]


def play_moments(
    kinks: Sequence[Kink],
    contacts: Sequence[Contact],
    paths: Mapping[BallId, Path],
    around: Surroundings,
    free: Kink | None,
    frame_s: float,
) -> tuple[list[Contact], tuple[Touches, ...]]:
    """The contacts of a shot, those of moments that hold several found by playing them.

    Args:
        kinks: All changes of course.
        contacts: What explains them by impulses alone.
        paths: All balls.
        around: The bed's edge.
        free: The stroke; its moment is left alone.
        frame_s: Usual spacing of the frames.

    Returns:
        Contacts in time order, and what the struck ball touched first in each moment that it takes part in.
    """
    result = list(contacts)
    touches = []
    for group in _groups(kinks, around, frame_s):
        if len({kink.ball for kink in group}) > BALLS or any(kink is free for kink in group):
            continue
        moment = _moment(group, paths, around)
        if moment is None or not _crowded(moment, around):
            continue
        struck = free.ball if free is not None else None
        played = _play(moment, around, struck)
        for later_s in LONGER_S if played is None and _lacks_a_wall(moment, around) else ():
            longer = _longer(moment, paths, later_s)
            played = None if longer is None else _play(longer, around, struck)
            if longer is not None and played is not None:
                group = [kink for kink in kinks if kink.ball in longer.before and longer.start_s - 1e-3 <= kink.time_s <= longer.end_s]
                break
        if played is None:
            continue
        kept = [c for c in result if not _explains(c, group)]
        result = kept + played[0]
        if played[1] is not None:
            touches.append(played[1])
    result.sort(key=lambda contact: contact.time_s)
    return result, tuple(sorted(touches, key=lambda touch: touch.start_s))


def _lacks_a_wall(moment: _Moment, around: Surroundings) -> bool:
    """Whether two balls beside a cushion lost momentum that only a third party can have taken."""
    jumps = np.array([kink.jump_mps for kink in moment.kinks])
    lost = float(np.hypot(*jumps.sum(axis=0)))
    most = float(np.hypot(jumps[:, 0], jumps[:, 1]).max())
    return len({kink.ball for kink in moment.kinks}) == 2 and lost > max(LOST_MPS, LOST_SHARE * most) and bool(_walls(moment, around))


def _longer(moment: _Moment, paths: Mapping[BallId, Path], later_s: float) -> _Moment | None:
    """The moment with an end so much later, when what a ball pinned between another and a cushion does is over."""
    end = moment.end_s + later_s
    if end - moment.start_s > PINNED_S:
        return None
    after = {}
    for ball in moment.before:
        following = [piece for piece in paths[ball].pieces if piece.end_s > end and piece.count > FEW_SAMPLES]
        if not following:
            return None
        after[ball] = following[0]
    return replace(moment, end_s=end, after=after)


def _explains(contact: Contact, group: Sequence[Kink]) -> bool:
    """Whether a contact was found for these changes of course."""
    mine = {kink.ball for kink in group if kink.low_s - 1e-3 <= contact.time_s <= kink.high_s + 1e-3}
    return contact.ball in mine and (contact.other is None or contact.other in mine)


def _groups(kinks: Sequence[Kink], around: Surroundings, frame_s: float) -> list[list[Kink]]:
    label = list(range(len(kinks)))
    spans = [(float(kink.time_s), float(kink.sigma_s), float(kink.low_s), float(kink.high_s)) for kink in kinks]
    for (i, a), (j, b) in combinations(enumerate(kinks), 2):
        if label[i] == label[j]:
            continue
        (a_s, a_sigma, a_low, a_high), (b_s, b_sigma, b_low, b_high) = spans[i], spans[j]
        if a.ball == b.ball:
            linked = (a.after is b.before or b.after is a.before) and (b.before if a.after is b.before else a.before).count <= FEW_SAMPLES
        else:
            together = abs(a_s - b_s) < 1.2 * frame_s + 3 * min(a_sigma + b_sigma, frame_s)
            same = a_low <= b_high and b_low <= a_high and a_low <= a_high and b_low <= b_high
            linked = (together or same) and float(np.hypot(*(a.place_m - b.place_m))) < (2.6 * around.radius_m + NEAR_M)
        if linked:
            old, new = label[j], label[i]
            label = [new if value == old else value for value in label]
    return [[kinks[k] for k in range(len(kinks)) if label[k] == value] for value in sorted(set(label))]


def _moment(group: list[Kink], paths: Mapping[BallId, Path], around: Surroundings) -> _Moment | None:
    start, end = min(kink.low_s for kink in group), max(kink.high_s for kink in group)
    if end - start > LONGEST_S:
        return None
    before: dict[BallId, Piece] = {}
    after: dict[BallId, Piece] = {}
    for kink in sorted(group, key=lambda kink: kink.time_s):
        before.setdefault(kink.ball, kink.before)
        after[kink.ball] = kink.after
    if any(around.jaw_pocket(kink.place_m, 0.01) is not None for kink in group):
        return None
    for ball, path in paths.items():
        if ball in before or not path.times_s[0] <= start <= path.times_s[-1]:
            continue
        place = path.position(0.5 * (start + end))
        if any(float(np.hypot(*(place - kink.place_m))) < 2 * around.radius_m + NEAR_M for kink in group):
            before[ball], after[ball] = path.piece_at(start), path.piece_at(end)
    return _Moment(kinks=group, start_s=start, end_s=end, before=before, after=after) if len(before) <= BALLS else None


def _crowded(moment: _Moment, around: Surroundings) -> bool:
    """Whether more than one contact can be in it: three balls, a ball beside a nose, or a piece without a velocity."""
    balls = {kink.ball for kink in moment.kinks}
    if len(balls) > 2 or len(balls) < len(moment.kinks):
        return True
    return len(balls) > 1 and bool(_walls(moment, around))


def _walls(moment: _Moment, around: Surroundings) -> list[tuple[int, str]]:
    """Ball (by its place in the moment) and cushion that may touch in it."""
    span = moment.end_s - moment.start_s
    fastest = max(piece.speed(moment.start_s) for piece in moment.before.values())
    found = []
    for k, ball in enumerate(moment.before):
        reach = 0.004 + 0.7 * fastest * span
        for cushion in INWARD:
            places = (moment.before[ball].position(moment.start_s), moment.after[ball].position(moment.end_s))
            if min(around.gap_m(cushion, place) for place in places) < reach and around.beside_nose(cushion, places[1]):
                found.append((k, cushion))
    return found


class _Runs:
    """Many runs of one moment side by side."""

    def __init__(self, moment: _Moment, around: Surroundings) -> None:
        rng = np.random.default_rng(20240601)
        self.around = around
        self.reach_m = 2 * around.radius_m
        self.place, self.velocity = (np.empty((DRAWS, len(moment.before), 2)) for _ in range(2))
        for k, piece in enumerate(moment.before.values()):
            tau = moment.start_s - piece.origin_s
            rows = np.array([[1.0, tau, 0.5 * tau * tau], [0.0, 1.0, tau]])
            spread = rows @ piece.covariance @ rows.T + np.diag([PLACE_M**2, 1e-6 if piece.moving else 1e-18])
            noise = np.einsum("ij,njk->nik", np.linalg.cholesky(spread), rng.standard_normal((DRAWS, 2, 2)))
            self.place[:, k] = piece.position(moment.start_s) + noise[:, 0]
            self.velocity[:, k] = (piece.velocity(moment.start_s) + noise[:, 1]) if piece.moving else 0.0
        self.restitution = rng.uniform(*BALL_RESTITUTION, (DRAWS, EVENTS))
        self.rebound = rng.uniform(*CUSHION_RESTITUTION, (DRAWS, EVENTS))
        self.grip = rng.uniform(*CUSHION_GRIP, (DRAWS, EVENTS))
        self.throw = THROW * rng.standard_normal((DRAWS, EVENTS))
        self.pairs = list(combinations(range(len(moment.before)), 2))
        self.walls = _walls(moment, around)
        self.edge = np.full((DRAWS, EVENTS), -1, np.int64)
        self.when = np.full((DRAWS, EVENTS), np.nan)
        self.impulse = np.zeros((DRAWS, EVENTS))

    def run(self, span_s: float) -> None:
        """Play all runs to the end of the moment."""
        clock = np.zeros(DRAWS)
        for step in range(EVENTS):
            waits = np.stack([self._pair_wait(i, j) for i, j in self.pairs] + [self._wall_wait(k, c) for k, c in self.walls], axis=1)
            edge = np.argmin(waits, axis=1)
            wait = waits[np.arange(DRAWS), edge]
            hit = clock + wait < span_s
            advance = np.where(hit, wait, span_s - clock)
            self.place += advance[:, None, None] * self.velocity
            clock += advance
            if not hit.any():
                return
            self.edge[hit, step] = edge[hit]
            self.when[hit, step] = clock[hit]
            for value in np.unique(edge[hit]):
                rows = np.flatnonzero(hit & (edge == value))
                if value < len(self.pairs):
                    i, j = self.pairs[value]
                    self._collide(rows, i, j, step)
                else:
                    k, cushion = self.walls[value - len(self.pairs)]
                    self._rebound(rows, k, cushion, step)
        self.place += np.maximum(span_s - clock, 0.0)[:, None, None] * self.velocity

    def _pair_wait(self, i: int, j: int) -> FloatArray:
        p, v = self.place[:, j] - self.place[:, i], self.velocity[:, j] - self.velocity[:, i]
        b, square = (p * v).sum(1), np.maximum((v * v).sum(1), 1e-12)
        c = (p * p).sum(1) - self.reach_m**2
        root = b * b - square * c
        wait = np.where((b < -1e-7) & (root > 0), (-b - np.sqrt(np.maximum(root, 0))) / square, np.inf)
        return np.asarray(np.maximum(wait, 0.0))

    def _wall_wait(self, k: int, cushion: str) -> FloatArray:
        speed = self.velocity[:, k] @ INWARD[cushion]
        gap = self.around.gaps_m(cushion, self.place[:, k])
        return np.where(speed < -1e-4, np.maximum(gap, 0.0) / np.maximum(-speed, 1e-4), np.inf)

    def _collide(self, rows: IntArray, i: int, j: int, step: int) -> None:
        normal = self.place[rows, j] - self.place[rows, i]
        normal /= np.maximum(np.hypot(normal[:, 0], normal[:, 1]), 1e-9)[:, None]
        closing = ((self.velocity[rows, i] - self.velocity[rows, j]) * normal).sum(1)
        size = 0.5 * (1 + self.restitution[rows, step]) * closing
        across = np.stack([-normal[:, 1], normal[:, 0]], 1)
        push = size[:, None] * normal + (self.throw[rows, step] * size)[:, None] * across
        self.velocity[rows, i] -= push
        self.velocity[rows, j] += push
        self.impulse[rows, step] = size

    def _rebound(self, rows: IntArray, k: int, cushion: str, step: int) -> None:
        normal = INWARD[cushion]
        along = np.array([-normal[1], normal[0]])
        v = self.velocity[rows, k]
        inward, sideways = v @ normal, v @ along
        back = -self.rebound[rows, step] * inward
        self.velocity[rows, k] = back[:, None] * normal + (self.grip[rows, step] * sideways)[:, None] * along
        self.impulse[rows, step] = back - inward


def _play(moment: _Moment, around: Surroundings, struck: BallId | None) -> tuple[list[Contact], Touches | None] | None:
    runs = _Runs(moment, around)
    if not runs.pairs and not runs.walls:
        return None
    runs.run(moment.end_s - moment.start_s)
    misfit = np.zeros(DRAWS)
    fastest = float(np.hypot(runs.velocity[:, :, 0], runs.velocity[:, :, 1]).max(axis=1).mean())
    for k, piece in enumerate(moment.after.values()):
        place, velocity = piece.position(moment.end_s), piece.velocity(moment.end_s)
        s_place = piece.position_variance(moment.end_s) + MEET_M**2
        s_velocity = piece.velocity_variance(moment.end_s) + MEET_MPS**2 + (MEET_SHARE * fastest) ** 2
        misfit += ((runs.place[:, k] - place) ** 2).sum(1) / s_place + ((runs.velocity[:, k] - velocity) ** 2).sum(1) / s_velocity
    if float(misfit.min()) > FIT * 4 * len(moment.after):
        return None
    weight = np.exp(-0.5 * (misfit - misfit.min()))
    weight /= weight.sum()
    return _told(moment, runs, weight), _touches(moment, runs, weight, struck)


def _touches(moment: _Moment, runs: _Runs, weight: FloatArray, struck: BallId | None) -> Touches | None:
    names = list(moment.before)
    if struck not in names:
        return None
    me = names.index(struck)
    mine = {k: j if i == me else i for k, (i, j) in enumerate(runs.pairs) if me in (i, j)}
    share: dict[BallId, float] = {}
    for row, w in zip(runs.edge, weight, strict=True):
        first = next((mine[int(edge)] for edge in row if int(edge) in mine), None)
        if first is not None:
            share[names[first]] = share.get(names[first], 0.0) + float(w)
    return Touches(start_s=moment.start_s, end_s=moment.end_s, share=share, runs=float(1 / (weight @ weight)))


def _told(moment: _Moment, runs: _Runs, weight: FloatArray) -> list[Contact]:
    """The contacts of the likeliest order of events, each with the share of all runs that have it (so many times)."""
    orders = [tuple(int(edge) for edge in row if edge >= 0) for row in runs.edge]
    shares: dict[tuple[int, ...], float] = {}
    for order, share in zip(orders, weight, strict=True):
        shares[order] = shares.get(order, 0.0) + float(share)
    best = max(shares, key=lambda order: shares[order])
    mine = np.array([order == best for order in orders])
    local = weight * mine / float(weight[mine].sum())
    names = list(moment.before)
    found = []
    for step, edge in enumerate(best):
        times = int(best[: step + 1].count(edge))
        p = float(weight[np.array([order.count(edge) >= times for order in orders])].sum())
        if p < LEAST_P:
            continue
        when = float(np.nansum(local * np.nan_to_num(runs.when[:, step])))
        spread = float(np.sqrt(np.nansum(local * (np.nan_to_num(runs.when[:, step]) - when) ** 2)))
        time = moment.start_s + when
        gain = 4.0 + 3.0 * float(np.clip(np.log(p / max(1 - p, 1e-4)), -4, 9))
        contact = Contact(
            ball=names[0],
            time_s=time,
            sigma_s=max(spread, 2e-4),
            place_m=np.zeros(2),
            impulse_mps=float(local @ runs.impulse[:, step]),
            gain=gain,
        )
        if edge < len(runs.pairs):
            i, j = runs.pairs[edge]
            a, b = names[i], names[j]
            if moment.before[b].speed(moment.start_s) > moment.before[a].speed(moment.start_s):
                a, b = b, a
            found.append(replace(contact, ball=a, other=b, place_m=moment.before[a].position(time)))
        else:
            k, cushion = runs.walls[edge - len(runs.pairs)]
            found.append(replace(contact, ball=names[k], cushion=cushion, place_m=moment.after[names[k]].position(moment.end_s)))
    return found
