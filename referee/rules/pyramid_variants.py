"""The four pyramid games as data: in what they differ (rules.md sections 2.5 to 2.8); plain module.

What they have in common is code and cites the general rules of pyramid (section 2.4); a role of `Variant.cites` names
the clauses of a game's own section that say the same thing there.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.rules.base import State

COLOURED = "Y"
"""The ball without a number (PYR-3)."""
BALLS = (COLOURED, *(f"w{number}" for number in range(1, 16)))

INITIAL = ("break", "rebreak")
"""Phases in which the stroke is an initial stroke (PYR-12)."""

ROLES = ("won", "made", "own_ball", "passed", "item20", "penalty", "hand", "wrong_cue", "initial", "spotted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One game.

    Attributes:
        game: Name in files.
        cue_ball: The only ball that may be struck; None where any may.
        own_ball: What a cue ball that falls off an object ball is: `scores` (a point by itself), `exchanged` (an object
            ball is taken for it and a premium stroke follows), `penalty`.
        premium_hand: Where the premium stroke is played from.
        own_ball_from_hand: The cue ball may fall on a premium or penalty stroke.
        is_called: Ball and pocket are announced, and balls are worth their numbers.
        takes_penalty_ball: The opponent of the offender takes a ball to his shelf; else points change hands.
        cites: Clauses of the game by role, one of `ROLES`. Read only.
    """

    game: str
    cue_ball: str | None
    own_ball: str
    premium_hand: str = "hand_house"
    own_ball_from_hand: bool = True
    is_called: bool = False
    takes_penalty_ball: bool = True
    cites: Mapping[str, tuple[str, ...]]


FREE = Variant(
    game="free_pyramid",
    cue_ball=None,
    own_ball="scores",
    cites={
        "won": ("FREE-1",),
        "made": ("FREE-5.2", "FREE-5.5", "FREE-6"),
        "own_ball": ("FREE-5.4",),
        "passed": ("FREE-5.3",),
        "item20": ("FREE-5.6",),
        "penalty": ("FREE-6", "FREE-7"),
        "hand": ("PYR-11",),
        "wrong_cue": ("FREE-2",),
        "initial": ("FREE-4",),
        "spotted": ("FREE-7",),
    },
)

_COMBINED_CITES: dict[str, tuple[str, ...]] = {
    "won": ("COMB-1",),
    "made": ("COMB-5.3", "COMB-6"),
    "own_ball": ("COMB-5.1", "COMB-5.2", "PYR-21.1", "COMB-6"),
    "passed": ("COMB-5.4",),
    "item20": ("COMB-5.4",),
    "penalty": ("COMB-6", "COMB-7"),
    "hand": ("COMB-7", "PYR-21.1"),
    "wrong_cue": ("COMB-2", "PYR-25.3"),
    "initial": ("COMB-4",),
    "spotted": ("COMB-8",),
}

COMBINED = Variant(game="combined_pyramid", cue_ball=COLOURED, own_ball="exchanged", cites=_COMBINED_CITES)

DYNAMIC = Variant(
    game="dynamic_pyramid",
    cue_ball=COLOURED,
    own_ball="exchanged",
    premium_hand="hand_anywhere",
    own_ball_from_hand=False,
    cites=_COMBINED_CITES
    | {
        "won": ("DYN-1", "COMB-1"),
        "made": ("DYN-5.1", "DYN-5.2", "COMB-5.3"),
        "own_ball": ("DYN-5.1", "DYN-5.2"),
        "passed": ("DYN-8",),
        "item20": ("DYN-8",),
        "hand": ("DYN-7",),
        "wrong_cue": ("DYN-2", "COMB-2", "DYN-8", "PYR-25.3"),
        "initial": ("DYN-4",),
        "spotted": ("DYN-8",),
    },
)

CLASSIC = Variant(
    game="classic_pyramid",
    cue_ball=COLOURED,
    own_ball="penalty",
    is_called=True,
    takes_penalty_ball=False,
    cites={
        "won": ("CLA-1",),
        "made": ("CLA-5.1", "CLA-5.2", "CLA-5.3"),
        "own_ball": ("CLA-5.5",),
        "passed": ("CLA-5.4",),
        "item20": (),
        "penalty": ("CLA-6",),
        "hand": ("CLA-5.5",),
        "wrong_cue": ("CLA-2", "PYR-25.3"),
        "initial": ("CLA-3",),
        "spotted": ("CLA-5.4", "PYR-25.1"),
    },
)

VARIANTS = (FREE, COMBINED, DYNAMIC, CLASSIC)


def exchange_owner(state: State) -> str:
    """COMB-5.2: who has an exchange ball booked: the player in turn, unless his opponent's penalty has since brought him to
    the table (a violation after the stroke on which the cue ball fell, or before the next: PYR-22.3b, 26.4)."""
    return state.opponent if state.phase in ("after_penalty", "penalty_hand") else state.shooter


ACE_VALUE = 11
"""What the ball 1 is worth in classic pyramid (CLA-5.1)."""
LAST_BALL_EXTRA = 10
"""What the last object ball on the table is worth beyond its number (CLA-5.1: 130 + 10)."""
CLASSIC_PENALTY = 5
"""Points of a penalty in classic pyramid (CLA-6, A-P17)."""


def ball_value(variant: Variant, ball: str) -> int:
    """Points of a counted ball: its number in classic pyramid, the ace 11; one elsewhere (CLA-5.1, FREE-6, COMB-6).

    >>> ball_value(CLASSIC, "w1"), ball_value(CLASSIC, "w8"), ball_value(FREE, "w8")
    (11, 8, 1)
    """
    if not variant.is_called:
        return 1
    number = ball_number(ball)
    return ACE_VALUE if number == 1 else number


def ball_number(ball: str) -> int:
    """Number of a ball, 0 for the coloured one: the order in which balls are named."""
    return 0 if ball == COLOURED else int(ball[1:])


def sorted_balls(balls: Any) -> tuple[str, ...]:
    """Balls in ascending order, each once."""
    return tuple(sorted(set(balls), key=ball_number))
