"""Players: how one looks, and how one stands; posture.py makes limbs of it, figure.py and cue.py paint them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sample_videos.ball_sets import Colour, from_srgb

_DARK = (0.004, 0.004, 0.004)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerLook:
    """Colours and build of a player, linear BGR."""

    shirt: Colour
    sleeve: Colour
    skin: Colour
    glove: Colour | None
    hair: Colour
    cue: Colour
    butt: Colour
    side: float
    """1 when the bridge arm is on the player's left, -1 right."""
    scale: float
    stride: float
    """How far the trunk stands behind the bridge hand, factor."""
    trousers: Colour = _DARK
    shoes: Colour = _DARK
    trim: Colour = (0.8, 0.8, 0.8)
    """Of the badges and stripes on the shirt."""
    badges: int = 0
    """How many badges the shirt has."""
    cap: bool = False
    """Whether a cap hides the hair, in the colour of the trim."""
    seed: int = 0
    """Where the badges are, and how the cloth folds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pose:
    """Where a player is.

    Attributes:
        tip_m: (x, y, z) of the cue's tip.
        direction: Of the stroke, radians.
        bridge_m: (x, y) of the bridge hand's front.
        back_m: How far the whole player has stepped back from the aiming stance; the cue goes with him.
        draw_m: How far the cue is drawn back or (below 0) through.
        rest: True where a mechanical bridge carries the cue instead of the hand at `bridge_m`.
        motion_m: How far the whole body moves during the exposure, (x, y), metres.
        cue: False for a person who only reaches in with a hand; `bridge_m` is then where the hand is.
        stand: (x, y, angle) of the hips and of where the body faces, where the player does not stand behind the cue's line.
    """

    tip_m: tuple[float, float, float]
    direction: float
    bridge_m: tuple[float, float]
    back_m: float = 0.0
    draw_m: float = 0.0
    cue: bool = True
    rest: bool = False
    motion_m: tuple[float, float] = (0.0, 0.0)
    stand: tuple[float, float, float] | None = None


def _dyed(display: NDArray[np.float64]) -> Colour:
    """A colour as shirts have it: nothing glows."""
    return from_srgb(*(0.7 * display + 0.3 * display.mean()))


def draw_player(rng: np.random.Generator) -> PlayerLook:
    """A player by chance."""
    shirt = _dyed(rng.uniform(10, 230, 3)) if rng.random() < 0.5 else from_srgb(*(rng.uniform(8, 70),) * 3)
    skin = np.array([(235, 190, 160), (205, 150, 115), (150, 100, 70), (95, 62, 45)][int(rng.integers(4))]) * rng.uniform(0.85, 1.05)
    wood = np.array([(225, 195, 140), (190, 150, 95), (60, 60, 64), (120, 85, 55)][int(rng.integers(4))])
    skin_colour = from_srgb(*skin)
    grey = float(rng.uniform(8, 40))
    return PlayerLook(
        shirt=shirt,
        sleeve=skin_colour if rng.random() < 0.55 else (shirt if rng.random() < 0.6 else from_srgb(15, 15, 18)),
        skin=skin_colour,
        glove=from_srgb(18, 18, 20) if rng.random() < 0.3 else None,
        hair=from_srgb(*((40, 28, 20), (18, 15, 14), (120, 85, 45), (150, 150, 150), (200, 165, 140))[int(rng.integers(5))]),
        cue=from_srgb(*wood),
        butt=from_srgb(grey, grey * rng.uniform(0.5, 1), grey),
        side=float(rng.choice([-1.0, 1.0], p=[0.15, 0.85])),
        scale=float(rng.uniform(0.92, 1.08)),
        stride=float(rng.uniform(0.9, 1.15)),
        trousers=from_srgb(*(rng.uniform(8, 45),) * 3) if rng.random() < 0.7 else from_srgb(*rng.uniform(25, 120, 3)),
        shoes=from_srgb(*(float(rng.choice([12, 25, 190])),) * 3),
        trim=from_srgb(*rng.uniform(20, 250, 3)),
        badges=int(rng.choice([0, 1, 2, 4, 6])),
        cap=bool(rng.random() < 0.12),
        seed=int(rng.integers(2**31)),
    )
