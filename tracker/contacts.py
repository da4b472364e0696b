"""Who touched what: kinks explained by impulses between balls and from cushions.

Theory: a contact changes velocities along its line of centres (balls, equal masses, so by opposite amounts) or along
the normal of a nose. Kinks that belong together in time and place form a group; every pair of its balls that is about
two radii apart, and every nose within reach of one, is a candidate contact with an impulse >= 0. The set of contacts
that leaves the least of the jumps unexplained, at a price for each, is what happened. Slack for what the model leaves
out: throw between balls, friction on cushions.

The instant of a contact comes from the kink itself and from the geometry: when the paths before it bring the centres
two radii apart, or a centre its distance from the nose.

Where it fails: contacts far below the noise leave no kink; more than two contacts of one ball within a frame are told
by their sum only; in a cluster of a break the list is a likely one, not the true one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from calibration.equipment import BallId
from tracker.kinks import Kink
from tracker.noses import INWARD, Surroundings
from tracker.trajectory import Piece

FloatArray = NDArray[np.float64]

GAP_M = 0.0025
"""Slack of a gap between candidates for a contact: calibration over a short distance, ball size."""
THROW = 0.08
"""Impulse across the line of centres over the one along it (friction between balls)."""
RAIL_FRICTION = 0.35
"""The same between ball and cushion, and what a cushion's spin does."""
EDGE_COST = 9.0
"""Price of a contact in units of chi square: three standard deviations."""
AT_NOSE_COST = 3.0
"""Price of a cushion contact where a ball that came towards the nose changes its course just there."""
AT_NOSE_M = 0.001
"""Just there."""
STOP_MPS = 0.012
"""A stop that friction explains but for less than this is no change of course."""
STOP_SIGMA_MPS = 0.005
"""Doubt of what friction takes from a ball that stops."""
JAW_STOP_MPS = 0.05
"""A stop at a jaw that friction explains but for less than this is none of the jaw's: its normal is free to fit anything."""
EXHAUSTIVE_EDGES = 7
"""Up to so many candidates all subsets are tried; more (breaks) are taken one after the other."""
ONE_TOUCH_S = 0.02
"""Two contacts of the same two closer than this are one to anybody at the table, and seldom parted by the pictures."""
FEW_SAMPLES = 2
"""A piece of so few samples between two changes of course may hold one that belongs to its neighbour."""
PROMPT_FRAMES, START_FRAMES = 0.3, 0.1
"""A start from rest known to so many frames tells the time of a contact, to so many frames at best."""
ONE_BOUNCE_S = 0.045
"""Two touches of one nose closer than this are one bounce told twice: a ball pinned to it by another needs longer to be back."""
ECHO_S, TELLING_GAIN = 0.15, 4.0
"""Nor does it come back to the nose so soon by itself (of 19,000 simulated touches 4 were followed by another of the same nose within
that time with no other contact in between); a contact of less evidence than the second is none that drove it back."""
GEOMETRY_M = 0.0004
"""What two radii and a nose are uncertain by, for times from geometry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One contact.

    Attributes:
        ball: The ball; with another ball the one that came faster.
        other: The other ball; None at a cushion.
        cushion: The cushion; None between balls.
        pocket: The pocket whose lip or facing was touched; None elsewhere.
        time_s: When.
        sigma_s: Standard deviation of that.
        place_m: Centre of `ball`.
        impulse_mps: Change of velocity along the normal.
        gain: Chi square that goes unexplained without this contact.
    """

    ball: BallId
    other: BallId | None = None
    cushion: str | None = None
    pocket: str | None = None
    time_s: float
    sigma_s: float
    place_m: FloatArray
    impulse_mps: float
    gain: float


@dataclass(slots=True)
class _Edge:
    first: int
    second: int | None
    normal: FloatArray
    time_s: float
    sigma_s: float
    cushion: str | None = None
    pocket: str | None = None
    cost: float = EDGE_COST


def touch_time(a: Piece, b: Piece, distance_m: float, low_s: float, high_s: float) -> tuple[float, float] | None:
    """First time in a span at which two pieces come within a distance of each other, and the closing speed there.

    None when they do not, or are within it all along.
    """
    grid = np.linspace(low_s, high_s, 33)
    ta, tb = grid - a.origin_s, grid - b.origin_s
    pa = a.coefficients[0] + ta[:, None] * a.coefficients[1] + 0.5 * (ta * ta)[:, None] * a.coefficients[2]
    pb = b.coefficients[0] + tb[:, None] * b.coefficients[1] + 0.5 * (tb * tb)[:, None] * b.coefficients[2]
    gap = np.hypot(*(pa - pb).T) - distance_m
    crossing = np.flatnonzero((gap[:-1] > 0) & (gap[1:] <= 0))
    if len(crossing) == 0:
        return None
    k = int(crossing[0])
    step = grid[1] - grid[0]
    closing = float((gap[k] - gap[k + 1]) / step)
    return float(grid[k] + step * gap[k] / (gap[k] - gap[k + 1])), closing


def explain(kinks: Sequence[Kink], around: Surroundings, *, free: frozenset[int], frame_s: float) -> list[Contact]:
    """The contacts behind the kinks of a shot.

    Args:
        kinks: All kinks, any order.
        around: The bed's edge.
        free: Indices of kinks that had another cause as well (the stroke itself): they may be partners of others but
            need no explanation.
        frame_s: Usual spacing of the frames.

    Returns:
        Contacts in time order.
    """
    edges = [edge for i, kink in enumerate(kinks) for edge in _wall_edges(i, kink, around, frame_s)]
    edges += _pair_edges(kinks, around, frame_s)
    contacts: list[Contact] = []
    for group in _groups(len(kinks), edges):
        local = [edge for edge in edges if edge.first in group]
        if local:
            contacts += _solve(kinks, local, sorted(group), free)
    contacts.sort(key=lambda contact: contact.time_s)
    return contacts


def separate(contacts: Sequence[Contact]) -> list[Contact]:
    """The contacts in time order, those of the same two that no eye parts taken as one, the surer of them."""
    kept: list[Contact] = []
    for contact in sorted(contacts, key=lambda contact: contact.time_s):
        same = next((k for k, other in enumerate(kept) if _one_touch(other, contact)), None)
        if same is None:
            kept.append(contact)
        elif contact.gain > 2 * kept[same].gain:
            kept[same] = contact
    return _without_echoes(sorted(kept, key=lambda contact: contact.time_s))


def _without_echoes(contacts: Sequence[Contact]) -> list[Contact]:
    """The contacts less the weaker of two touches of one nose that follow each other with nothing to drive the ball back in between."""
    dropped: set[int] = set()
    last: dict[BallId, int] = {}
    for k, contact in enumerate(contacts):
        if contact.gain < TELLING_GAIN:
            continue
        before = last.get(contact.ball)
        if before is not None and _is_echo(contacts[before], contact):
            weaker, stronger = (before, k) if contacts[before].gain < contact.gain else (k, before)
            dropped.add(weaker)
            last[contact.ball] = stronger
            continue
        last[contact.ball] = k
        if contact.other is not None:
            last[contact.other] = k
    return [contact for k, contact in enumerate(contacts) if k not in dropped]


def _is_echo(a: Contact, b: Contact) -> bool:
    same = a.cushion is not None and a.cushion == b.cushion and a.pocket is b.pocket is None
    return same and b.time_s - a.time_s < ECHO_S


def _one_touch(a: Contact, b: Contact) -> bool:
    if a.other is None or b.other is None:
        same = a.other is b.other and a.ball == b.ball and a.cushion == b.cushion
        return same and abs(a.time_s - b.time_s) < (ONE_BOUNCE_S if a.pocket is b.pocket is None else ONE_TOUCH_S)
    return {a.ball, a.other} == {b.ball, b.other} and abs(a.time_s - b.time_s) < ONE_TOUCH_S


def _wall_edges(index: int, kink: Kink, around: Surroundings, frame_s: float) -> list[_Edge]:
    if kink.wakes:
        slack = GAP_M
    else:
        slack = (
            GAP_M
            + 3 * kink.before.position_variance(kink.low_s) ** 0.5
            + 0.8 * kink.before.speed(kink.low_s) * min(kink.sigma_s + 0.2 * (kink.high_s - kink.low_s), frame_s)
        )
    edges = []
    for cushion, normal in INWARD.items():
        incoming = float(normal @ kink.before.velocity(kink.time_s))
        gap = around.gap_m(cushion, kink.place_m)
        # of two pictures between two contacts the first may still lie on the way in
        known = kink.high_s if kink.after.count > FEW_SAMPLES or kink.wakes else kink.after.end_s
        deepest = min(gap, around.gap_m(cushion, kink.before.position(known)))
        if min(abs(gap), abs(deepest)) > slack and not (deepest < 0 < gap):
            continue
        outgoing = float(normal @ kink.after.velocity(kink.time_s))
        if not around.beside_nose(cushion, kink.place_m) or incoming > 0.02 or float(normal @ kink.jump_mps) <= 0:
            continue
        # a cushion sends a ball back; one that only slows was slowed by something else (or the clock lies)
        if outgoing < -0.2 * abs(incoming) - 3 * kink.variance**0.5 and not kink.wakes:
            continue
        time, sigma = kink.time_s, kink.sigma_s
        if incoming < -0.02 and not kink.wakes:
            crossing = kink.time_s + gap_time(around, cushion, kink.before, kink.time_s)
            if abs(crossing - kink.time_s) < 2 * frame_s + (kink.high_s - kink.low_s):
                g_sigma = (kink.before.position_variance(crossing) + GEOMETRY_M**2) ** 0.5 / -incoming
                told = ((kink.time_s, kink.sigma_s + 1e-4), (crossing, g_sigma))
                time, sigma = _blend(told if known == kink.high_s else told[1:])
        # a ball that stops lies there or came back a little: of its way in and its place the nearer one counts
        ways = (kink.before, kink.after) if kink.stops else (kink.before,)
        at_nose = any(
            abs(around.gap_m(cushion, at.position(kink.time_s))) < AT_NOSE_M + 2 * at.position_variance(kink.time_s) ** 0.5 for at in ways
        )
        turned = not kink.stops or kink.size_mps > STOP_MPS
        cost = AT_NOSE_COST if at_nose and turned and incoming < -0.01 else EDGE_COST
        edges.append(_Edge(index, None, normal, time, sigma, cushion=cushion, cost=cost))
    pocket = around.jaw_pocket(kink.place_m, slack)
    if pocket is not None and not kink.wakes and not (kink.stops and kink.size_mps < JAW_STOP_MPS):
        size = max(kink.size_mps, 1e-9)
        edges.append(
            _Edge(index, None, kink.jump_mps / size, kink.time_s, kink.sigma_s, cushion=around.nearest_cushion(kink.place_m), pocket=pocket)
        )
    return edges


def gap_time(around: Surroundings, cushion: str, piece: Piece, near_s: float) -> float:
    """Time from `near_s` until a piece's centre is at touching distance of a nose (one Newton step, two repeats)."""
    offset = 0.0
    for _ in range(3):
        gap = around.gap_m(cushion, piece.position(near_s + offset))
        rate = float(INWARD[cushion] @ piece.velocity(near_s + offset))
        if abs(rate) < 1e-3:
            break
        offset -= float(np.clip(gap / rate, -0.1, 0.1))
    return offset


def _pair_edges(kinks: Sequence[Kink], around: Surroundings, frame_s: float) -> list[_Edge]:
    reach = 2 * around.radius_m
    edges = []
    for (i, a), (j, b) in combinations(enumerate(kinks), 2):
        if a.ball == b.ball:
            continue
        apart = abs(a.time_s - b.time_s)
        if apart > 0.6 * frame_s + 3 * (a.sigma_s + b.sigma_s) and (a.low_s > b.high_s or b.low_s > a.high_s):
            continue
        if float(np.hypot(*(a.place_m - b.place_m))) > 1.5 * reach + 0.05:
            continue
        edge = _pair_edge(i, a, j, b, reach, frame_s)
        if edge is not None:
            edges.append(edge)
    return edges


def _pair_edge(i: int, a: Kink, j: int, b: Kink, reach: float, frame_s: float) -> _Edge | None:
    time, sigma = _blend(((a.time_s, a.sigma_s + 1e-4), (b.time_s, b.sigma_s + 1e-4)))
    if abs(a.time_s - b.time_s) > 4 * (a.sigma_s + b.sigma_s) + 1e-3:
        # one of the two hides a second contact; a start from rest hides none before it, else the times say no more than the span
        starts = [kink for kink in (a, b) if kink.wakes and kink.sigma_s < PROMPT_FRAMES * frame_s]
        if len(starts) == 1:
            time, sigma = starts[0].time_s, max(2 * starts[0].sigma_s, START_FRAMES * frame_s)
        else:
            sigma = max(sigma, 0.5 * abs(a.time_s - b.time_s))
    low, high = min(a.low_s, b.low_s) - 0.5 * frame_s, max(a.high_s, b.high_s) + 0.5 * frame_s
    found = touch_time(a.before, b.before, reach, low, high)
    relative = float(np.hypot(*(a.before.velocity(time) - b.before.velocity(time))))
    place_sigma = (a.before.position_variance(time) + b.before.position_variance(time)) ** 0.5
    if found is not None:
        when, closing = found
        g_sigma = (place_sigma**2 + GEOMETRY_M**2) ** 0.5 / max(closing, 0.02)
        if abs(when - time) < 3 * (g_sigma + sigma) + 0.3 * frame_s:
            time, sigma = _blend(((time, sigma), (when, g_sigma)))
        normal_at = when
    else:
        normal_at = time
    offset = b.before.position(normal_at) - a.before.position(normal_at)
    distance = float(np.hypot(offset[0], offset[1]))
    if found is None and abs(distance - reach) > GAP_M + 3 * place_sigma + 0.8 * relative * min(sigma + 0.2 * frame_s, frame_s):
        return None
    return _Edge(i, j, offset / max(distance, 1e-9), time, sigma)


def _blend(values: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Mean of (value, deviation) weighted by inverse variance."""
    weights = np.array([1 / max(sigma, 1e-6) ** 2 for _, sigma in values])
    mean = float((weights * np.array([value for value, _ in values])).sum() / weights.sum())
    return mean, float(weights.sum() ** -0.5)


def _groups(count: int, edges: Sequence[_Edge]) -> list[set[int]]:
    parent = list(range(count))

    def root(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    for edge in edges:
        if edge.second is not None:
            parent[root(edge.first)] = root(edge.second)
    groups: dict[int, set[int]] = {}
    for k in range(count):
        groups.setdefault(root(k), set()).add(k)
    return list(groups.values())


def _solve(kinks: Sequence[Kink], edges: list[_Edge], group: list[int], free: frozenset[int]) -> list[Contact]:
    rows, target = _system(kinks, edges, group, free)

    def cost(chosen: tuple[int, ...]) -> tuple[float, FloatArray]:
        if not chosen or len(target) == 0:
            return float(target @ target), np.zeros(len(chosen))
        impulses, residual = nnls(rows[:, chosen], target)
        return float(residual**2) + sum(edges[k].cost for k in chosen), np.asarray(impulses)

    best: tuple[int, ...] = ()
    best_cost = cost(())[0]
    if len(edges) <= EXHAUSTIVE_EDGES:
        for size in range(1, len(edges) + 1):
            for chosen in combinations(range(len(edges)), size):
                value = cost(chosen)[0]
                if value < best_cost:
                    best, best_cost = chosen, value
    else:
        while True:
            options = [(cost((*best, k))[0], k) for k in range(len(edges)) if k not in best]
            if not options or min(options)[0] >= best_cost:
                break
            best_cost, k = min(options)
            best = (*best, k)
    impulses = cost(best)[1]
    contacts = []
    for k, impulse in zip(best, impulses, strict=True):
        if impulse <= 0:
            continue
        without = cost(tuple(other for other in best if other != k))[0]
        contacts.append(_contact(kinks, edges[k], float(impulse), without - best_cost))
    return contacts


def _system(kinks: Sequence[Kink], edges: list[_Edge], group: list[int], free: frozenset[int]) -> tuple[FloatArray, FloatArray]:
    """Whitened equations: jumps of velocity as sums of impulses."""
    rows: list[FloatArray] = []
    target: list[float] = []
    for index in group:
        if index in free:
            continue
        kink = kinks[index]
        mine = [(k, edge) for k, edge in enumerate(edges) if index in (edge.first, edge.second)]
        size = kink.size_mps
        base = kink.variance + (THROW * size) ** 2 + (STOP_SIGMA_MPS if kink.stops else 0.01) ** 2
        walls = [edge.normal for _, edge in mine if edge.cushion is not None and edge.pocket is None]
        axes = np.eye(2)
        spread = np.array([base, base])
        if walls:
            normal = walls[0]
            axes = np.array([normal, [-normal[1], normal[0]]])
            spread = np.array([base, base + (RAIL_FRICTION * abs(float(normal @ kink.jump_mps))) ** 2])
        for axis, variance in zip(axes, spread, strict=True):
            row = np.zeros(len(edges))
            for k, edge in mine:
                sign = 1.0 if edge.second is None or edge.second == index else -1.0
                row[k] = sign * float(axis @ edge.normal)
            rows.append(row / variance**0.5)
            target.append(float(axis @ kink.jump_mps) / variance**0.5)
    return np.array(rows).reshape(len(rows), len(edges)), np.array(target)


def _contact(kinks: Sequence[Kink], edge: _Edge, impulse: float, gain: float) -> Contact:
    a = kinks[edge.first]
    if edge.second is None:
        return Contact(
            ball=a.ball,
            cushion=edge.cushion,
            pocket=edge.pocket,
            time_s=edge.time_s,
            sigma_s=edge.sigma_s,
            place_m=a.place_m,
            impulse_mps=impulse,
            gain=gain,
        )
    b = kinks[edge.second]
    if b.before.speed(edge.time_s) > a.before.speed(edge.time_s):
        a, b = b, a
    return Contact(ball=a.ball, other=b.ball, time_s=edge.time_s, sigma_s=edge.sigma_s, place_m=a.place_m, impulse_mps=impulse, gain=gain)
