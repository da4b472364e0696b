"""What balls do that no contact explains: moved by a hand, gone over another ball, turned where no cushion is said to be.

Facts of motion only: a ball that lay still and lies elsewhere afterwards though nothing that moved came near it was moved
by something that is not followed. One whose places pass over a ball that stays where it is was above it. Cushions that
send balls back away from where the table has its noses say that the table is not known well.

Fails: what a hand does while a rolling ball passes is laid to that ball; a jump is told only where it leads over a ball.
"""

from collections.abc import Sequence

import numpy as np

from calibration.equipment import BallId
from tracker.contacts import Contact
from tracker.kinks import Path
from tracker.scene import Scene
from tracker.shot import Doubt

MOVED_M = 0.006
"""A ball that lies this far from its place was moved: what compression and shadows do to a centre is less."""
MOVED_SIGMAS = 6.0
"""And so many standard deviations of its places."""
REACH_M, AROUND_S = 0.03, 0.15
"""What came this near to touching it, within this time of its start, may have moved it."""
OVER_M, OVER_SIGMAS = 0.008, 3.0
"""Two centres are nearer than two radii by more than this, and so many standard deviations, only where one is above the other."""
OVER_FRAMES = 1.6
"""Between two neighbouring pictures a ball that touches nothing goes straight."""
CLEAR_MPS = 0.25
"""A cushion contact is clear from this impulse: its place is then known to a millimetre."""
ASTRAY_M, ASTRAY_CONTACTS = 0.012, 4
"""Clear cushion contacts this far off their noses, in the middle of at least so many."""


def oddities(scene: Scene) -> list[Doubt]:
    """The doubts `moved_by_hand`, `jump` and `calibration` of a shot."""
    doubts = [doubt for path in scene.paths.values() if (doubt := _moved_by_hand(scene, path)) is not None]
    doubts += _jumps(scene)
    off = _noses_off_m(scene)
    if off is not None:
        doubts.append(Doubt(kind="calibration", text=f"balls turned {1000 * off:.0f} mm off the cushions: the table is not known well"))
    return doubts


def _moved_by_hand(scene: Scene, path: Path) -> Doubt | None:
    first, last = path.pieces[0], path.pieces[-1]
    own = scene.strike is not None and path.ball == scene.strike.ball
    if own or not path.moves or first.moving or last.moving or any(path.ball in (c.ball, c.other) for c in scene.contacts):
        return None
    way = float(np.hypot(*(last.coefficients[0] - first.coefficients[0])))
    if way < MOVED_M + MOVED_SIGMAS * (first.covariance[0, 0] + last.covariance[0, 0]) ** 0.5:
        return None
    start = first.end_s
    if _anything_near(scene, path, start, path.pieces[1].start_s):
        return None
    text = f"{path.ball} lies {1000 * way:.0f} mm from its place though no ball came near it: moved by hand, sleeve or cue"
    return Doubt(kind="moved_by_hand", text=text, t=scene.since_strike(start), balls=(path.ball,))


def _anything_near(scene: Scene, path: Path, start_s: float, seen_s: float) -> bool:
    """Whether a moving ball was near enough to have moved it when it started."""
    place = path.pieces[0].coefficients[0]
    for other in scene.paths.values():
        if other is path or not other.moves:
            continue
        times = np.linspace(start_s - AROUND_S, seen_s + AROUND_S, 41)
        moving = np.array([other.piece_at(float(t)).moving for t in times])
        gaps = np.hypot(*(other.positions(times) - place).T) - 2 * scene.around.radius_m
        if bool((gaps[moving] < REACH_M).any()):
            return True
    return False


def _jumps(scene: Scene) -> list[Doubt]:
    found: list[Doubt] = []
    for over in scene.paths.values():
        if not over.moves:
            continue
        for under in scene.paths.values():
            time = None if under is over else _passes_over(scene, over, under)
            if time is not None:
                text = f"{over.ball} may have gone over {under.ball}: their centres came nearer than two balls can lie"
                found.append(Doubt(kind="jump", text=text, t=scene.since_strike(time), balls=(over.ball, under.ball)))
    return found


def _passes_over(scene: Scene, over: Path, under: Path) -> float | None:
    """When a ball was seen over one that lay still all the while; None where it was not."""
    rest = next((piece for piece in under.pieces if not piece.moving and piece.end_s > scene.strike_s), None)
    if rest is None:
        return None
    times, places = over.times_s, over.xy_m - rest.coefficients[0]
    way = np.diff(places, axis=0)
    share = np.clip(-(places[:-1] * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-12), 0, 1)
    gaps = np.hypot(*(places[:-1] + share[:, None] * way).T) - 2 * scene.around.radius_m
    deep = OVER_M + OVER_SIGMAS * (over.variance[:-1] + rest.covariance[0, 0]) ** 0.5
    inside = (times[:-1] > max(scene.strike_s, rest.start_s)) & (times[1:] < rest.end_s - AROUND_S)
    inside &= (np.diff(times) < OVER_FRAMES * scene.frame_s) & (np.hypot(way[:, 0], way[:, 1]) > OVER_M)
    mine = np.array([contact.time_s for contact in scene.contacts if over.ball in (contact.ball, contact.other)])
    for k in np.flatnonzero(inside & (gaps < -deep)).tolist():
        turned = bool(((mine > times[k] - scene.frame_s) & (mine < times[k + 1] + scene.frame_s)).any())
        if not turned and not _touched(scene.contacts, over.ball, under.ball, float(times[k])):
            return float(times[k])
    return None


def _touched(contacts: Sequence[Contact], a: BallId, b: BallId, time_s: float) -> bool:
    return any({c.ball, c.other} == {a, b} and abs(c.time_s - time_s) < AROUND_S for c in contacts)


def _noses_off_m(scene: Scene) -> float | None:
    """How far off the noses balls turned, the middle of all clear contacts; None where they are few, or right."""
    offs = [
        abs(scene.around.gap_m(contact.cushion, contact.place_m))
        for contact in scene.contacts
        if contact.cushion is not None and contact.pocket is None and contact.impulse_mps >= CLEAR_MPS
    ]
    middle = float(np.median(offs)) if len(offs) >= ASTRAY_CONTACTS else 0.0
    return middle if middle > ASTRAY_M else None
