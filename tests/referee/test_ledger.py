"""The score ledger: what it books, and where it says that something must be missing."""

import json
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.log import write_log
from referee.match import Match
from referee.report import render_report
from referee.review_object import review_object
from referee.wording import missing_text
from tracker.shot import Shot

SIDE_M = 0.05715


def spread(balls: str) -> dict[str, tuple[float, float]]:
    """Balls in a row along the table, far from each other, the cue ball beside them."""
    return {"cue": (-1.0, -0.4), **{ball: (-0.9 + 0.12 * int(ball), 0.3) for ball in balls.split()}}


def rack_of(count: int) -> dict[str, tuple[float, float]]:
    """A triangle of balls 1 to `count` on the foot spot, row by row, and the cue ball behind the head string."""
    places = [(row, column) for row in range(5) for column in range(row + 1)]
    rack = {
        str(number + 1): (0.635 + row * 0.866 * SIDE_M, (column - row / 2) * SIDE_M) for number, (row, column) in enumerate(places[:count])
    }
    return {"cue": (-0.9, 0.0), **rack}


def a_shot(number: int, before: dict[str, tuple[float, float]], *falls: str, first: str = "1") -> Shot:
    """A stroke that drives a ball to a cushion, with these balls down in FL."""
    start_s = 10.0 * number
    events = [
        {"t": 0.0, "type": "cue_contact"},
        {"t": 0.4, "type": "ball_ball", "a": "cue", "b": first},
        *({"t": 0.8 + 0.01 * i, "type": "ball_cushion", "ball": ball, "cushion": "foot"} for i, ball in enumerate(before)),
        *({"t": 1.5 + 0.1 * i, "type": "pocketed", "ball": ball, "pocket": "FL"} for i, ball in enumerate(falls)),
    ]
    after = {ball: place for ball, place in before.items() if ball not in falls}
    line: dict[str, Any] = {"format": "cueref.shot/1", "number": number, "start_s": start_s, "end_s": start_s + 5, "cue_ball": "cue"}
    line |= {"complete": True, "before": before, "after": after, "events": events, "first_contact": {first: 1.0}}
    return Shot.from_dict({**line, "rail_before_contact": 0.0, "rail_after_contact": 1.0})


def a_match(*shots: Shot, game: str = "nine_ball") -> Match:
    """A match of these strokes."""
    match = Match.start(game, race=100, assume_calls=True)
    for shot in shots:
        match.record_shot(shot)
    return match


def found(match: Match) -> list[tuple[int, str, dict[str, str]]]:
    """Every gap with the shot it stands before."""
    return [(entry.shot, item.key, dict(item.values)) for entry in match.state.ledger.entries for item in entry.missing]


def test_a_whole_record_misses_nothing() -> None:
    """Balls that fell are gone, all others are there; innings are counted when the player changes."""
    match = a_match(a_shot(1, spread("1 2 5 9"), "1"), a_shot(2, spread("2 5 9"), first="2"), a_shot(3, spread("2 5 9"), "2", first="2"))
    entries = match.state.ledger.entries

    assert found(match) == []
    assert [(entry.player, entry.inning, entry.balls) for entry in entries] == [("A", 1, 3), ("A", 1, 3), ("B", 2, 2)]


def test_a_ball_that_went_without_a_stroke_is_missed() -> None:
    """The 2 lay there after shot 1 and not before shot 2."""
    match = a_match(a_shot(1, spread("1 2 5 9"), "1"), a_shot(2, spread("5 9"), first="5"))

    assert found(match) == [(2, "ball_gone", {"shot": "2", "balls": "2"})]
    assert missing_text(match.state.ledger.missing[0]).startswith("On the table by the record, but not seen before shot 2: 2.")


def test_a_ball_that_came_back_is_told() -> None:
    """The 1 fell at shot 1 and lies there before shot 2."""
    match = a_match(a_shot(1, spread("1 2 5 9"), "1"), a_shot(2, spread("1 2 5 9")))

    assert found(match) == [(2, "ball_back", {"shot": "2", "balls": "1"})]


def test_a_rack_that_never_ended_is_missed() -> None:
    """A new rack of nine stands though three balls of the last one were left."""
    nine = rack_of(9) | {"4": (0.635 + 2 * 0.866 * SIDE_M, 0.0)}
    match = a_match(a_shot(1, spread("1 2 5 9"), "1"), a_shot(2, nine))

    assert found(match)[0] == (2, "rack_unfinished", {"shot": "2", "count": "3"})


def test_a_break_that_was_not_seen_is_missed() -> None:
    """The rack was won, so a break is due; balls lie spread instead."""
    match = a_match(a_shot(1, spread("1 9"), "1", "9"), a_shot(2, spread("1 2 5 9")))

    assert found(match) == [(2, "break_missing", {"shot": "2"})]


def test_the_wrong_breaker_means_a_missing_inning() -> None:
    """A won the rack and breaks by the record; a rack event says B."""
    match = a_match(a_shot(1, spread("1 9"), "1", "9"))
    match.record("rack", breaker="B")

    assert [item.key for item in match.state.ledger.missing] == ["breaker"]


def test_points_of_a_rack_of_14_1_are_fourteen() -> None:
    """Twelve of the fourteen balls are recorded, then a new rack stands: two points are due."""
    first = a_shot(1, rack_of(15), "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12")
    match = a_match(first, a_shot(2, rack_of(14) | {"15": (0.0, 0.4)}), game="straight_14_1")

    assert match.score == {"A": 12, "B": 0}
    assert found(match) == [
        (2, "rack_unfinished", {"shot": "2", "count": "3"}),
        (2, "points_short", {"shot": "2", "points": "12", "due": "14"}),
    ]


def test_a_full_rack_of_14_1_adds_up() -> None:
    """Fourteen balls down, a new rack of fourteen, the next one made: nothing is missing."""
    first = a_shot(1, rack_of(15), *(str(number) for number in range(1, 15)))
    match = a_match(first, a_shot(2, rack_of(14) | {"15": (0.0, 0.4)}, "15", first="15"), game="straight_14_1")

    assert match.score == {"A": 15, "B": 0}
    assert found(match) == []


def test_after_an_undecided_stroke_the_layout_counts() -> None:
    """Whether the 1 fell was not known; that it is gone before the next stroke answers it and misses nothing."""
    doubtful = a_shot(1, spread("1 2 5 9"), "1").to_dict()
    doubtful["events"][-1]["p"] = 0.6
    match = a_match(Shot.from_dict(doubtful), a_shot(2, spread("2 5 9"), first="2"))

    assert (match.rulings[0].certain, found(match)) == (False, [])


def test_rejudge_and_report_show_the_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the terminal, in the JSON, and in the report in either language."""
    match = a_match(a_shot(1, spread("1 2 5 9"), "1"), a_shot(2, spread("5 9"), first="5"))
    write_log(tmp_path / "match.jsonl", match)

    main(["rejudge", str(tmp_path / "match.jsonl")])
    assert "but not seen before shot 2: 2." in capsys.readouterr().out
    main(["rejudge", str(tmp_path / "match.jsonl"), "--json"])
    assert json.loads(capsys.readouterr().out)["ledger"][1]["missing"] == [{"key": "ball_gone", "values": {"shot": "2", "balls": "2"}}]
    assert "Something must be missing from the record" in render_report(review_object(match))
    assert "перед ударом 2 не видны: 2." in render_report(review_object(match), language="ru")
