"""The limbs of a person who leans over a table: tapered capsules in space, made of cloth, skin, hair or leather.

Measures are those of a grown person bent over a cue, seen from above: from the bridge hand back to the hips about 1.2 m,
shoulders 0.36 m apart, the head above the cue, the elbow of the stroking arm high behind (pictures of players from above).
"""

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from sample_videos.ball_sets import Colour
from sample_videos.player import PlayerLook, Pose

FloatArray = NDArray[np.float64]
Point3 = tuple[float, float, float]

HIPS_M = 1.24
"""From the bridge hand back to the hips of a player of usual build."""
GRIP_M, CUE_M = 1.18, 1.46
"""From the tip to the stroking hand, and to the end of the butt."""
_REST_M = 0.35
"""From the crosspiece of a mechanical bridge to where the bridge hand would be."""
_TUFTS = 7
"""Of hair, that break the outline of a head."""
CUE_RISE = 0.07
"""Slope of a cue that clears the rail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limb:
    """A tapered capsule.

    Attributes:
        start: (x, y, z), metres.
        end: The same.
        radii: At start and end, metres.
        colour: Linear BGR.
        stuff: `cloth`, `skin`, `hair` or `leather`.
        folds: Depth of the folds over the radius.
    """

    start: Point3
    end: Point3
    radii: tuple[float, float]
    colour: Colour
    stuff: str = "cloth"
    folds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Posture:
    """Limbs in the order in which they lie over one another.

    Attributes:
        legs: On the floor, behind the table's edge.
        bridge: The hand and forearm that carry the cue, below it.
        grip: The stroking hand and forearm, above the cue; they move with it.
        body: Trunk, upper arms and head, above all.
    """

    legs: tuple[Limb, ...]
    bridge: tuple[Limb, ...]
    grip: tuple[Limb, ...]
    body: tuple[Limb, ...]


def step_back(pose: Pose) -> FloatArray:
    """How far player and cue have stepped back from the stroke, (x, y, 0), metres."""
    angle = pose.direction if pose.stand is None else pose.stand[2]
    return np.array([-cos(angle), -sin(angle), 0.0]) * pose.back_m


class _Place:
    """Positions given by how far behind the bridge hand, to the bridge side, and up."""

    def __init__(self, look: PlayerLook, origin: FloatArray, angle: float) -> None:
        self.back = np.array([-cos(angle), -sin(angle), 0.0])
        self._aside = np.array([-sin(angle), cos(angle), 0.0]) * look.side
        self._origin = origin
        self._k, self.s = look.scale, look.stride

    @classmethod
    def behind_cue(cls, look: PlayerLook, pose: Pose) -> "_Place":
        back = np.array([-cos(pose.direction), -sin(pose.direction), 0.0])
        # Behind a mechanical bridge a player stands further back.
        away = back * (_REST_M if pose.rest and pose.cue else 0.0) + step_back(pose)
        return cls(look, np.array([*pose.bridge_m, 0.0]) + away, pose.direction)

    @classmethod
    def beside(cls, look: PlayerLook, pose: Pose) -> "_Place":
        """Of a body that stands elsewhere, `pose.stand` being its hips."""
        assert pose.stand is not None
        x, y, angle = pose.stand
        ahead = np.array([cos(angle), sin(angle), 0.0]) * HIPS_M * look.stride * look.scale
        return cls(look, np.array([x, y, 0.0]) + ahead + step_back(pose), angle)

    def __call__(self, behind: float, aside: float, up: float) -> Point3:
        place = self._origin + self.back * behind * self._k + self._aside * aside * self._k
        return (float(place[0]), float(place[1]), up)


def cue_line(pose: Pose) -> tuple[FloatArray, FloatArray]:
    """The tip of the cue, shape (3,), and the way along it for a metre, both in the table frame."""
    back = np.array([-cos(pose.direction), -sin(pose.direction), 0.0])
    return np.array(pose.tip_m) + back * pose.draw_m + step_back(pose), back + np.array([0.0, 0.0, CUE_RISE])


def posture(look: PlayerLook, pose: Pose) -> Posture:
    """The limbs of a pose."""
    if pose.stand is not None:
        return _beside_the_cue(look, pose)
    at = _Place.behind_cue(look, pose)
    s = at.s
    shoulder, other = at(0.62 * s, 0.17, 0.36), at(0.74 * s, -0.18, 0.40)
    elbow, high = at(0.36 * s, 0.13, 0.12), at(1.0 * s, -0.27, 0.52)
    body = [*_trunk(look, at), Limb(start=elbow, end=shoulder, radii=(0.05, 0.072), colour=look.shirt, folds=0.10)]
    grip: list[Limb] = []
    if pose.cue:
        tip, way = cue_line(pose)
        hand = tip + way * GRIP_M
        held = (float(hand[0]), float(hand[1]), float(hand[2]) + 0.03)
        grip = [_sleeve(look, held, high, (0.034, 0.047)), *_fist(look, held, at)]
    else:
        hang = at(0.85 * s, -0.40, 0.20)
        grip = [_sleeve(look, hang, high, (0.034, 0.047)), *_fist(look, hang, at)]
    body.append(Limb(start=high, end=other, radii=(0.056, 0.08), colour=look.shirt, folds=0.10))
    if pose.rest and pose.cue:
        held = at(0.26 * s, 0.03, 0.08)
        bridge = [*_fist(look, held, at), _sleeve(look, held, elbow, (0.034, 0.044))]
    else:
        bridge = [*_hand(look, at, flat=pose.cue), _sleeve(look, at(0.07, 0.03, 0.05), elbow, (0.029, 0.044))]
    return Posture(legs=tuple(_legs(look, at)), bridge=tuple(bridge), grip=tuple(grip), body=(*body, *_head(look, at)))


def _beside_the_cue(look: PlayerLook, pose: Pose) -> Posture:
    """A player with a mechanical bridge who stands at the rail and holds both sticks out over the table."""
    hands, body = _Place.behind_cue(look, pose), _Place.beside(look, pose)
    s = body.s
    shoulder, other = body(0.66 * s, 0.17, 0.38), body(0.74 * s, -0.18, 0.40)
    tip, way = cue_line(pose)
    hand = tip + way * GRIP_M
    gripped = (float(hand[0]), float(hand[1]), float(hand[2]) + 0.03)
    held = hands(0.55, 0.09 * look.side, 0.09)
    bent, high = _elbow(held, shoulder, 0.02), _elbow(gripped, other, 0.10)
    upper = [
        Limb(start=bent, end=shoulder, radii=(0.05, 0.072), colour=look.shirt, folds=0.10),
        Limb(start=high, end=other, radii=(0.056, 0.08), colour=look.shirt, folds=0.10),
    ]
    return Posture(
        legs=tuple(_legs(look, body)),
        bridge=(*_fist(look, held, hands), _sleeve(look, held, bent, (0.034, 0.044))),
        grip=(_sleeve(look, gripped, high, (0.034, 0.047)), *_fist(look, gripped, hands)),
        body=(*_trunk(look, body), *upper, *_head(look, body)),
    )


def _elbow(hand: Point3, shoulder: Point3, rise_m: float) -> Point3:
    """Half way, a little raised."""
    x, y, z = ((h + s) / 2 for h, s in zip(hand, shoulder, strict=True))
    return x, y, z + rise_m


def _sleeve(look: PlayerLook, hand: Point3, elbow: Point3, radii: tuple[float, float]) -> Limb:
    bare = look.sleeve == look.skin
    return Limb(start=hand, end=elbow, radii=radii, colour=look.sleeve, stuff="skin" if bare else "cloth", folds=0.0 if bare else 0.05)


def _trunk(look: PlayerLook, at: _Place) -> list[Limb]:
    s = at.s
    parts = [Limb(start=at(0.66 * s, 0.12, 0.38), end=at(0.76 * s, -0.13, 0.42), radii=(0.085, 0.092), colour=look.shirt, folds=0.08)]
    for aside in (0.085, -0.095):
        start, end = at(0.70 * s, aside, 0.33), at(1.2 * s, 0.85 * aside, 0.24)
        parts.append(Limb(start=start, end=end, radii=(0.115, 0.105), colour=look.shirt, folds=0.12))
    parts.append(Limb(start=at(1.24 * s, 0.10, 0.16), end=at(1.24 * s, -0.10, 0.16), radii=(0.12, 0.12), colour=look.trousers, folds=0.06))
    return parts


def _legs(look: PlayerLook, at: _Place) -> list[Limb]:
    s = at.s
    parts = []
    for aside, behind in ((0.16, 1.45), (-0.20, 1.62)):
        foot = at(behind * s, aside, -0.72)
        toe = at(behind * s - 0.20, 1.15 * aside, -0.75)
        parts.append(Limb(start=foot, end=toe, radii=(0.045, 0.05), colour=look.shoes, stuff="leather"))
        parts.append(Limb(start=at(1.26 * s, 0.5 * aside, 0.05), end=foot, radii=(0.095, 0.06), colour=look.trousers, folds=0.08))
    return parts


def _head(look: PlayerLook, at: _Place) -> list[Limb]:
    s = at.s
    hair = look.trim if look.cap else look.hair
    stuff = "cloth" if look.cap else "hair"
    parts = [
        Limb(start=at(0.60 * s, 0.0, 0.44), end=at(0.68 * s, -0.02, 0.40), radii=(0.055, 0.06), colour=look.skin, stuff="skin"),
        Limb(start=at(0.50 * s, 0.0, 0.42), end=at(0.53 * s, 0.0, 0.44), radii=(0.056, 0.068), colour=look.skin, stuff="skin"),
        Limb(start=at(0.545 * s, 0.0, 0.50), end=at(0.60 * s, -0.01, 0.51), radii=(0.078, 0.082), colour=hair, stuff=stuff),
    ]
    for aside in (0.082, -0.082):
        parts.append(
            Limb(start=at(0.56 * s, aside, 0.46), end=at(0.575 * s, aside, 0.46), radii=(0.012, 0.012), colour=look.skin, stuff="skin")
        )
    parts += _face(look, at)
    rng = np.random.default_rng(look.seed)
    for turn in rng.uniform(0, 2 * pi, 0 if look.cap else _TUFTS):
        thick = float(rng.uniform(0.02, 0.036))
        place = at(0.575 * s + 0.062 * cos(turn), 0.052 * sin(turn), 0.515)
        parts.append(Limb(start=place, end=place, radii=(thick, thick), colour=hair, stuff=stuff))
    if look.cap:
        parts.append(Limb(start=at(0.44 * s, 0.0, 0.47), end=at(0.50 * s, 0.0, 0.48), radii=(0.062, 0.07), colour=hair))
    return parts


def _face(look: PlayerLook, at: _Place) -> list[Limb]:
    """What is seen of a face from above: nose, brows, the dark of the eyes, of some glasses."""
    s = at.s
    shade, brow = _mix(look.skin, (0.0, 0.0, 0.0), 0.6), _mix(look.skin, look.hair, 0.7)
    parts = [Limb(start=at(0.466 * s, 0.0, 0.460), end=at(0.446 * s, 0.0, 0.438), radii=(0.009, 0.012), colour=look.skin, stuff="skin")]
    for aside in (0.026, -0.026):
        eye, outer = at(0.452 * s, aside, 0.437), at(0.458 * s, 1.5 * aside, 0.434)
        parts.append(Limb(start=eye, end=outer, radii=(0.005, 0.004), colour=shade, stuff="skin"))
        inner, end = at(0.459 * s, 0.6 * aside, 0.464), at(0.466 * s, 1.7 * aside, 0.458)
        parts.append(Limb(start=inner, end=end, radii=(0.0045, 0.003), colour=brow, stuff="hair"))
    if look.seed % 5 == 0:
        frame = Limb(start=at(0.446 * s, 0.05, 0.452), end=at(0.446 * s, -0.05, 0.452), radii=(0.006, 0.006), colour=brow, stuff="leather")
        parts.append(frame)
    return parts


def _mix(one: Colour, other: Colour, share: float) -> Colour:
    blue, green, red = ((1 - share) * a + share * b for a, b in zip(one, other, strict=True))
    return (blue, green, red)


def _hand(look: PlayerLook, at: _Place, *, flat: bool) -> list[Limb]:
    """A bridge on the cloth, or (not `flat`) fingers round a ball."""
    colour, stuff = (look.glove, "cloth") if look.glove else (look.skin, "skin")
    parts = [
        Limb(start=at(0.0, 0.012, 0.04), end=at(0.06, 0.03, 0.05), radii=(0.036, 0.032), colour=colour, stuff=stuff),
        Limb(start=at(-0.004, 0.03, 0.036), end=at(0.05, 0.036, 0.044), radii=(0.028, 0.028), colour=colour, stuff=stuff),
    ]
    spread = 1.0 if flat else 0.45
    for aside, front in ((0.075, -0.062), (0.052, -0.088), (0.020, -0.096), (-0.012, -0.080)):
        root, knuckle = at(-0.012, 0.012 + 0.45 * aside, 0.042), at(0.55 * front, 0.012 + spread * 0.75 * aside, 0.040)
        end = at(front, 0.012 + spread * aside, 0.012)
        parts.append(Limb(start=root, end=knuckle, radii=(0.0125, 0.0105), colour=colour, stuff=stuff))
        parts.append(Limb(start=knuckle, end=end, radii=(0.0105, 0.0078), colour=colour if front < -0.07 else look.skin, stuff=stuff))
    thumb = at(-0.035, -0.042, 0.05)
    parts.append(Limb(start=at(0.02, -0.008, 0.045), end=thumb, radii=(0.015, 0.0105), colour=colour, stuff=stuff))
    return parts


def _fist(look: PlayerLook, hand: Point3, at: _Place) -> list[Limb]:
    x, y, z = hand
    ahead = at.back * -0.03
    parts = [Limb(start=hand, end=(x + float(ahead[0]), y + float(ahead[1]), z), radii=(0.038, 0.036), colour=look.skin, stuff="skin")]
    for k in range(3):
        way = at.back * (-0.042 + 0.024 * k)
        tip = (x + float(way[0]), y + float(way[1]), z - 0.01)
        parts.append(
            Limb(
                start=(x + 0.6 * float(way[0]), y + 0.6 * float(way[1]), z + 0.02),
                end=tip,
                radii=(0.013, 0.012),
                colour=look.skin,
                stuff="skin",
            )
        )
    return parts
