"""States of 14.1 continuous and how they are judged, for the tests beside this file."""

from typing import Any

from calibration.equipment import find_table
from referee.notation import parse_stroke
from referee.rules.base import Call, Case, State
from referee.rules.options import read_options
from referee.rules.straight_pool import RULES
from referee.ruling import Pair, Ruling

ALL = ("cue", *(str(number) for number in range(1, 16)))
SAFETY = Call(kind="safety")
LEGAL_BREAK = "cue>1 5|foot 3|right cue|right"


def called(ball: str = "3", pocket: str = "SL") -> Call:
    """A ball and a pocket named."""
    return Call(kind="ball", ball=ball, pocket=pocket)


def a_state(balls: str = "3 5 7 8 9 11", **changes: Any) -> State:
    """A state in open play: shooter A, 20 to 15 in a match to 150, the 3 called in the left side, no fouls, refereed."""
    usual: dict[str, Any] = {
        "table": find_table("wpa-9ft"),
        "shooter": "A",
        "phase": "normal",
        "balls": ("cue", *balls.split()),
        "cue_ball": "cue",
        "cue_state": "position",
        "scores": Pair(20, 15),
        "target": 150,
        "call": called(),
    }
    return State(**usual | changes)


def a_break(**changes: Any) -> State:
    """A state before the opening break, a safety declared."""
    return a_state(balls=" ".join(ALL[1:]), **{"phase": "break", "cue_state": "hand_kitchen", "call": SAFETY, **changes})


def judge(state: State, notation: str, rest: dict[str, tuple[float, float]] | None = None, **options: Any) -> Ruling:
    """The ruling on a stroke in notation; option keys with `__` for the dot."""
    given = read_options({key.replace("__", "."): value for key, value in options.items()})
    return RULES.judge(Case(state=state, events=parse_stroke(notation, rest), options=given))
