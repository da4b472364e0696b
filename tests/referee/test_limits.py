"""14.1: the fifteenth ball or the cue ball within 3 mm of a limit when the rack is new."""

from typing import Any

import pytest

from calibration.equipment import find_table
from referee.match import Match
from referee.rules.straight_pool_rack import is_in_rack
from referee.wording import call_text, find_words
from tracker.shot import Shot

TABLE = find_table("wpa-9ft")
LIMIT_X_M = 0.635 - TABLE.ball_diameter_m
"""On the long string the triangle, lowered, meets a ball from here on: one ball before the foot spot."""


def a_run(fifteenth: tuple[float, float], cue: tuple[float, float] = (0.0, -0.4)) -> Match:
    """A makes the fourteenth ball; the 15 lies there at the end."""
    before = {"cue": (-0.2, -0.3), "14": (0.2, 0.4), "15": fifteenth}
    events: list[dict[str, Any]] = [
        {"t": 0.0, "type": "cue_contact"},
        {"t": 0.4, "type": "ball_ball", "a": "cue", "b": "14"},
        {"t": 1.5, "type": "pocketed", "ball": "14", "pocket": "FL"},
    ]
    line = {"format": "cueref.shot/1", "number": 1, "start_s": 20.0, "end_s": 25.0, "cue_ball": "cue", "complete": True}
    line |= {"before": before, "after": {"cue": cue, "15": fifteenth}, "events": events, "first_contact": {"14": 1.0}}
    match = Match.start("straight_14_1", race=100, assume_calls=True)
    match.record_shot(Shot.from_dict({**line, "rail_before_contact": 0.0, "rail_after_contact": 0.0}))
    return match


@pytest.mark.parametrize("off_mm", [-4.0, -2.0, 2.0, 4.0])
def test_a_ball_near_the_outline_of_the_rack_is_for_a_person(off_mm: float) -> None:
    """Beyond 3 mm either way it is decided; within, the question is named."""
    place = (LIMIT_X_M + off_mm / 1000, 0.0)
    ruling = a_run(place).rulings[0]

    assert is_in_rack(TABLE, (place[0] / TABLE.length_m + 0.5, 0.5)) == (off_mm > 0)
    assert ruling.certain == (abs(off_mm) > 3)
    if not ruling.certain:
        assert [reading.differs for reading in ruling.judgement.readings] == ["whether 15 lies in the rack, within 3 mm of its limit"]
    else:
        assert ruling.ruling.fifteenth == ("head_spot" if off_mm > 0 else "stays")


def test_the_cue_ball_has_limits_too() -> None:
    """2 mm inside the rack's outline: in hand or not is for a person."""
    ruling = a_run((0.0, 0.4), cue=(LIMIT_X_M + 0.002, 0.0)).rulings[0]

    assert ruling.judgement.readings[0].differs == "whether cue lies in the rack, within 3 mm of its limit"
    assert call_text(ruling.to_dict(), None, find_words("ru")).startswith("Не решено: биток: лежит ли в месте пирамиды")


def test_a_limit_that_decides_nothing_is_not_asked() -> None:
    """The head string matters only while the cue ball is in the rack."""
    string_m = -TABLE.length_m / 4

    assert a_run((string_m + 0.001, 0.3)).rulings[0].certain
    assert not a_run((string_m + 0.001, 0.3), cue=(0.7, 0.0)).rulings[0].certain


def test_a_place_that_an_official_gives_settles_it() -> None:
    """He sees that the ball is clear, and says so by a correction."""
    match = a_run((LIMIT_X_M + 0.001, 0.0))
    shot = next(event for event in match.events if event.type == "shot")
    match.correct(shot.id, {"after": {**shot.fields["shot"]["after"], "15": [LIMIT_X_M - 0.01, 0.0]}})

    assert (match.rulings[0].certain, match.rulings[0].ruling.fifteenth) == (True, "stays")
