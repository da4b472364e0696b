"""Nine-ball states and how they are judged, for the tests beside this file."""

from typing import Any

from calibration.equipment import find_table
from referee.notation import parse_stroke
from referee.rules.base import Case, State
from referee.rules.nine_ball import RULES
from referee.rules.options import read_options
from referee.ruling import Pair, Ruling
from tracker.shot import ShotEvent

ALL = ("cue", *(str(number) for number in range(1, 10)))
LEGAL_BREAK = "cue>1 4|left 7|foot 2|right 9|left"


def a_state(balls: str = "2 6 9", **changes: Any) -> State:
    """A state in open play: shooter A, score 3 to 2 in a race to 7, no fouls, refereed."""
    usual: dict[str, Any] = {
        "table": find_table("wpa-9ft"),
        "shooter": "A",
        "phase": "normal",
        "balls": ("cue", *balls.split()),
        "cue_ball": "cue",
        "cue_state": "position",
        "scores": Pair(3, 2),
        "target": 7,
    }
    return State(**usual | changes)


def a_break(**changes: Any) -> State:
    """A state before the break."""
    return a_state(balls=" ".join(ALL[1:]), **{"phase": "break", "cue_state": "hand_kitchen", **changes})


def judge(state: State, notation: str, rest: dict[str, tuple[float, float]] | None = None, **options: Any) -> Ruling:
    """The ruling on a stroke in notation; option keys with `__` for the dot."""
    given = read_options({key.replace("__", "."): value for key, value in options.items()})
    return RULES.judge(Case(state=state, events=parse_stroke(notation, rest), options=given))


def incident(state: State, *found: ShotEvent, **options: Any) -> Ruling:
    """The ruling on what happens between strokes."""
    given = read_options({key.replace("__", "."): value for key, value in options.items()})
    return RULES.judge(Case(state=state, events=found, options=given))
