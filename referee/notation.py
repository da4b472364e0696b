"""A stroke in one line, for tests, logs and talk; plain module, standard library only.

    cue>2     the cue ball meets the 2            cue>6= cue>2=   hits that could not be told apart
    2|foot    the 2 reaches the foot cushion      2|left*         ... the one it was frozen to and had not left
    2@FL      the 2 falls in the foot left pocket 6!              the 6 leaves the table
    6_        the 6 rides a rail top and returns  4^  4v          the 4 passes the head string to the head, to the foot
    4~        the 4 passes the centre line        2|left/SL    the 2 meets the lip of a pocket
    2%FL      the 2 comes back out of a pocket
    tip2      the tip meets the cue ball again    A:hand:6:jump   player A touches the 6 by hand (in a jump stroke)
    fact:push an official states a fact           .               all balls at rest

The tip contact is understood at the start, rest at the end unless it is written. Times only keep the order.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from tracker.shot import ShotEvent

STEP_S = 0.1
"""Time between two words of a stroke; only the order means anything."""

Fields = dict[str, Any]


class NotationError(ValueError):
    """A word that is not notation; the message gives it."""


def parse_stroke(text: str, rest: Mapping[str, tuple[float, float]] | None = None) -> tuple[ShotEvent, ...]:
    """The events of a stroke.

    Args:
        text: As above.
        rest: (u, v) of balls at rest, where they matter.

    Raises:
        NotationError: If a word is none of those above.

    >>> [event.type for event in parse_stroke("cue>2 2@FL")]
    ['cue_contact', 'ball_ball', 'pocketed', 'stop']
    """
    words = text.split()
    if "." not in words:
        words.append(".")
    events = [ShotEvent(t=0.0, type="cue_contact")]
    for index, word in enumerate(words, start=1):
        kind, fields = _parse_word(word)
        if kind == "stop":
            fields = {"positions": {ball: list(place) for ball, place in (rest or {}).items()}}
        events.append(ShotEvent(t=round(index * STEP_S, 6), type=kind, fields=fields))
    return tuple(events)


def _parse_word(word: str) -> tuple[str, Fields]:
    for pattern, make in _WORDS:
        if match := re.fullmatch(pattern, word):
            return make(match)
    raise NotationError(f"{word!r} is no word of the notation of a stroke")


def _contact(match: re.Match[str]) -> tuple[str, Fields]:
    tied = {"simultaneous_group": 1} if match[3] else {}
    return "ball_ball", {"a": match[1], "b": match[2], **tied}


def _cushion(match: re.Match[str]) -> tuple[str, Fields]:
    marks: dict[str, Fields] = {"": {}, "*": {"from_frozen": True}, "=": {"simultaneous_group": 1}}
    jaw = {"jaw": match[4]} if match[4] else {}
    return "ball_cushion", {"ball": match[1], "cushion": match[2], **marks[match[3]], **jaw}


def _touch(match: re.Match[str]) -> tuple[str, Fields]:
    stroke = {"stroke": match[4]} if match[4] else {}
    return "touch", {"ball": match[3], "by": match[2], "actor": match[1], **stroke}


def _mark(match: re.Match[str]) -> tuple[str, Fields]:
    marks: dict[str, tuple[str, Fields]] = {
        "!": ("off_table", {"where": "floor"}),
        "_": ("rail_top", {}),
        "~": ("centre_line", {"dir": "to_foot"}),
        "^": ("head_line", {"dir": "to_head"}),
        "v": ("head_line", {"dir": "to_foot"}),
    }
    kind, extra = marks[match[2]]
    return kind, {"ball": match[1], **extra}


_BALL = r"(cue|Y|w?\d+)"
_WORDS: tuple[tuple[str, Callable[[re.Match[str]], tuple[str, Fields]]], ...] = (
    (r"\.", lambda match: ("stop", {})),
    (r"tip2", lambda match: ("cue_contact", {"second": True})),
    (r"fact:(\w+)", lambda match: ("official", {"fact": match[1]})),
    (rf"(A|B|outsider):(\w+):{_BALL}(?::(\w+))?", _touch),
    (rf"{_BALL}>{_BALL}(=?)", _contact),
    (rf"{_BALL}\|(head|foot|left|right)([*=]?)(?:/([HSF][LR]))?", _cushion),
    (rf"{_BALL}%([HSF][LR])", lambda match: ("pocket_rebound", {"ball": match[1], "pocket": match[2]})),
    (rf"{_BALL}@([HSF][LR])", lambda match: ("pocketed", {"ball": match[1], "pocket": match[2]})),
    (rf"{_BALL}([!_^v~])", _mark),
)
