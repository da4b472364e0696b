"""Whether a ball that fell touched a lip or a facing of its pocket on the way in, as its last path tells.

Seen from above the rubber ends on either side of a mouth in a rounded lip and a straight facing that leads into the
pocket. The last path, carried on straight to where the ball drops, passes both at some distance; a distance under a
radius is a touch. How surely follows from the doubt of the path and of the rubber: on a table known by its numbers a
millimetre, on one found in a picture several.

Fails: roundings differ from maker to maker; a ball that touched one lip is carried on straight as if it had not, so of
two touches one is told.
"""

from collections.abc import Sequence
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from tracker.endings import Ending
from tracker.jaws import jaw_sigma_m, rubber_distance_m
from tracker.kinks import Path
from tracker.noses import Surroundings
from tracker.trajectory import Piece, fit_piece

FloatArray = NDArray[np.float64]

DROP_RATIO = (1.45, 0.0)
"""Way in radii from the line of the nose ends to where a ball drops on the axis of a corner (shelf) and of a side."""
DROP_ARC = 0.6
"""How much farther, in radii, the edge of the bed may lie beside the axis within reach of a ball's centre."""
STEPS = 40
"""Places that are tried along the way in."""
SLOW_MPS = 0.02
"""A ball that hardly moves towards the pocket any more was turned there."""
TURNED_SAMPLES = 12
"""A last piece of so few samples began at the pocket."""
FEW_SAMPLES = 2
"""Of so few a touch may lie between the first and the last: they say less than the way that they seem to show."""
TURNED = 0.15
"""Probability that such a turn was a touch where neither way leads into the rubber: some turns are noise."""
DETOUR_SHARE, DETOUR_M = 0.12, 0.004
"""How much longer the way from place to place by the rubber may be than the straight one, as a standard deviation: the speeds on either
side are known to some per cent. And by how much it is longer from the noise of the places alone."""
RING_RATIO = (-3.0, 2.5, 2.5)
"""Where centres that touch the rubber are sought, in radii: depth from and to, and how far beyond a lip."""
RING_STEPS = 45
"""Places in each direction there: steps of a quarter of a radius."""
STAYED = 0.4
"""Probability of a touch for one that lost its way in: it came to rest in the mouth before it tipped, or it was turned."""
LEADING_SAMPLES = 4
"""So many places show a way that the last ones can be off."""
PASSING_M = 0.0006
"""Doubt of where a way leads besides that of its places."""
TURN_CHI, TURN_NATS = 8.0, 3.0
"""Chi square a sample from which the last places are off the way, and what a turn of any size costs against it, nats."""
AGAIN_S = 0.03
"""A touch known this near (seconds) to where a ball turned is what turned it."""
CERTAIN = 0.005
"""Probability left for a touch, and for none, however clear the path."""


def lip_touch(path: Path, ending: Ending, around: Surroundings, listed_s: Sequence[float] = ()) -> tuple[float, float]:
    """Probability that a ball that fell touched the rubber at its pocket in its last samples or after them, and when.

    Args:
        path: Of the ball.
        ending: A fall.
        around: The table.
        listed_s: When it touched a cushion or a ball, as known already.
    """
    last = path.pieces[-1]
    time = float(path.times_s[-1])
    if ending.pocket is None or not last.moving:
        return 0.5, ending.time_s
    outward = around.outward(ending.pocket)
    velocity = last.velocity(time)
    if float(velocity @ outward) < SLOW_MPS:
        return STAYED, ending.time_s
    p, when = _pressed(last, time, ending.pocket, around)
    late = _turned_late(path, ending.pocket, around, listed_s)
    if late is not None and late[0] > p:
        return late
    before = path.pieces[-2] if len(path.pieces) > 1 else last
    known = any(before.end_s - AGAIN_S < listed < last.start_s + AGAIN_S for listed in listed_s)
    if last.count > TURNED_SAMPLES or known or not before.moving:
        hidden = _hidden_between(path, last.first, last.last, ending.pocket, around) if last.count <= FEW_SAMPLES else 0.0
        return (hidden, time) if p < hidden else (p, when)
    # it turned just before it fell, and nothing is known that turned it: a lip that the way before leads into, or one at all
    if float(before.velocity(before.end_s) @ outward) > SLOW_MPS:
        earlier, then = _pressed(before, before.end_s, ending.pocket, around)
        if earlier > p and then < last.start_s + 0.5 * (last.start_s - before.end_s):
            return max(earlier, TURNED), then
    turned = _hidden_between(path, max(before.last - 1, before.first), min(last.first + 1, last.last), ending.pocket, around)
    return (p, when) if p > turned else (turned, last.start_s)


def _hidden_between(path: Path, one: int, other: int, pocket: str, around: Surroundings) -> float:
    """Probability of a touch between two samples that no way tells: less the longer the way from one by the rubber to the other is."""
    outward = around.outward(pocket)
    mouth = np.array(around.table.mouth_centre_m(pocket))
    frame = np.stack([np.array([-outward[1], outward[0]]), outward])
    start, stop = (frame @ (path.xy_m[k] - mouth) for k in (one, other))
    ring = _ring(pocket, around)
    straight = float(np.hypot(*(stop - start)))
    by_rubber = np.hypot(ring[:, 0] - start[0], ring[:, 1] - start[1]) + np.hypot(ring[:, 0] - stop[0], ring[:, 1] - stop[1])
    longer = float(by_rubber.min()) - straight - DETOUR_M - 2 * float(path.variance[one] + path.variance[other]) ** 0.5
    share = max(longer, 0.0) / max(straight, around.radius_m)
    return TURNED * exp(-0.5 * min(share / DETOUR_SHARE, 10.0) ** 2)


def _ring(pocket: str, around: Surroundings) -> FloatArray:
    """Places of a centre, (N, 2) across and outward from the middle of the mouth, from which a ball touches the rubber."""
    radius, half = around.radius_m, around.mouth_half_m(pocket)
    low, high, beyond = RING_RATIO
    across = np.linspace(-half - beyond * radius, half + beyond * radius, 2 * RING_STEPS)
    depth = np.linspace(low * radius, high * radius, RING_STEPS)
    u, s = (grid.ravel() for grid in np.meshgrid(across, depth))
    clear = np.minimum(rubber_distance_m(np.abs(u), s, pocket, around), rubber_distance_m(-np.abs(u), s, pocket, around))
    touching = clear < radius
    return np.stack([u[touching], s[touching]], axis=1)


def _turned_late(path: Path, pocket: str, around: Surroundings, listed_s: Sequence[float]) -> tuple[float, float] | None:
    """Probability of a touch from its last one or two places, off the way that the others lead, and when; None without them.

    A turn of one or two samples makes no piece of its own but bends the last one; at a pocket only rubber turns a ball.
    """
    last = path.pieces[-1]
    best: tuple[float, float] | None = None
    for left in (1, 2):
        stop = last.last - left
        if stop - last.first + 1 < LEADING_SAMPLES:
            break
        way = fit_piece(path.times_s, path.xy_m, path.variance, first=last.first, last=stop, moving=True)
        chi = 0.0
        for k in range(stop + 1, last.last + 1):
            time = float(path.times_s[k])
            off = path.xy_m[k] - way.position(time)
            chi += float(off @ off) / (way.position_variance(time) + float(path.variance[k]) + PASSING_M**2)
        if any(way.end_s - AGAIN_S < listed < last.end_s for listed in listed_s):
            return None
        if float(way.velocity(way.end_s) @ around.outward(pocket)) < SLOW_MPS:
            continue
        geometry, when = _pressed(way, way.end_s, pocket, around)
        odds = 0.5 * chi / left - TURN_NATS + log(geometry / (1 - geometry))
        p = float(np.clip(1 / (1 + exp(-np.clip(odds, -30, 30))), CERTAIN, 1 - CERTAIN))
        if chi > TURN_CHI * left and (best is None or p > best[0]):
            best = p, min(when, last.end_s)
    return best


def _pressed(piece: Piece, time: float, pocket: str, around: Surroundings) -> tuple[float, float]:
    """Probability that a ball that goes on along a piece from a time touches the rubber before it drops, and when."""
    worst, when = _deepest(piece, time, pocket, around)
    rubber = jaw_sigma_m(around)
    sigma = (rubber**2 + piece.position_variance(when)) ** 0.5
    return float(np.clip(ndtr(worst / sigma), CERTAIN, 1 - CERTAIN)), when


def _deepest(last: Piece, time: float, pocket: str, around: Surroundings) -> tuple[float, float]:
    """How far a ball carried on presses into the rubber before it drops (negative: how far it clears it), and when first."""
    side = int(pocket[0] == "S")
    radius = around.radius_m
    outward = around.outward(pocket)
    across = np.array([-outward[1], outward[0]])
    mouth = np.array(around.table.mouth_centre_m(pocket))
    place, velocity = last.position(time) - mouth, last.velocity(time)
    rate = float(velocity @ outward)
    depth = float(place @ outward)
    half = around.mouth_half_m(pocket)
    stop = max((DROP_RATIO[side] + DROP_ARC) * radius, depth + 1e-4)
    waits = np.linspace(0.0, (stop - depth) / rate, STEPS)
    u = float(place @ across) + waits * float(velocity @ across)
    s = depth + waits * rate
    abs_u = np.abs(u)
    # the bed ends in an arc as wide as the mouth, so beside the axis a ball drops later
    edge = DROP_RATIO[side] * radius + half - np.sqrt(np.maximum(half**2 - abs_u**2, 0.0))
    count = max(1, int(np.argmax(s > edge)) if bool((s > edge).any()) else STEPS)
    abs_u, s = abs_u[:count], s[:count]
    clear = np.minimum(rubber_distance_m(abs_u, s, pocket, around), rubber_distance_m(-abs_u, s, pocket, around))
    pressed = radius - clear
    inside = np.flatnonzero(pressed > 0)
    k = int(inside[0]) if len(inside) else int(np.argmax(pressed))
    return float(pressed.max()), time + float(waits[k])
