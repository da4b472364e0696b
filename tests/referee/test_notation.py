"""A stroke in one line."""

import pytest

from referee.notation import NotationError, parse_stroke
from tracker.shot import ShotEvent


def test_words_become_events_in_order() -> None:
    """Every word of the notation, once."""
    events = parse_stroke("A:hand:6:jump cue>2= 2|left* 6_ 4^ 4v tip2 fact:push 2@FL 6! .", {"cue": (0.5, 0.5)})

    assert [event.type for event in events] == [
        "cue_contact",
        "touch",
        "ball_ball",
        "ball_cushion",
        "rail_top",
        "head_line",
        "head_line",
        "cue_contact",
        "official",
        "pocketed",
        "off_table",
        "stop",
    ]
    assert events[1].fields == {"ball": "6", "by": "hand", "actor": "A", "stroke": "jump"}
    assert events[2].fields == {"a": "cue", "b": "2", "simultaneous_group": 1}
    assert events[3] == ShotEvent(t=0.3, type="ball_cushion", fields={"ball": "2", "cushion": "left", "from_frozen": True})
    assert events[-1].fields == {"positions": {"cue": [0.5, 0.5]}}


def test_word_that_is_none_is_named() -> None:
    """The message gives the word."""
    with pytest.raises(NotationError, match="'2#FL'"):
        parse_stroke("cue>2 2#FL")
