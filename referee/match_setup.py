"""What was agreed before the first stroke: the header of a match log; plain module."""

from dataclasses import dataclass, field

from calibration.equipment import TableSpec
from referee.readings import CERTAIN_AT
from referee.rules.options import Options
from referee.ruling import Pair

EDITION = "rules.md of 2026: seeds of nine-ball, 14.1 and pyramid, with BCA general rules"
"""The rule book that the clause ids belong to."""

NO_RACE = 1000
"""Racks to win where no length was agreed: a score that no evening reaches, so that no match is called over."""
USUAL_RACE = {"straight_14_1": 150, "free_pyramid": 8, "combined_pyramid": 8, "dynamic_pyramid": 8, "classic_pyramid": 71}
"""Points to win (S141-1.5, FREE-1, COMB-1, DYN-1, CLA-1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSetup:
    """What was agreed before the first stroke.

    Attributes:
        game: Name of the game.
        players: Names.
        race: Racks or points to win.
        options: The organiser's settings.
        referee: False in play without a referee.
        certain_at: Probability from which a ruling is stated.
        table: Size of table and balls.
        assume_calls: Where a needed call is missing, the ball that fell is taken as called, and said to be assumed.
        ends_known: False where head and foot were named by convention only: nothing that hangs on them is then stated.
        assumed: What nobody said and was taken for granted.
    """

    game: str
    players: Pair[str] = field(default_factory=lambda: Pair("A", "B"))
    race: int = NO_RACE
    options: Options = field(default_factory=Options)
    referee: bool = True
    certain_at: float = CERTAIN_AT
    table: TableSpec
    assume_calls: bool = False
    ends_known: bool = True
    assumed: tuple[str, ...] = ()
