"""Worked cases of our own for the four pyramid games, combinations that the reference has not; verdicts from rules.md."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from referee.judge import judge_scenarios, read_scenario_file

ITEMS, DEFAULTS = read_scenario_file(Path(__file__).parents[1] / "scenarios" / "adversary_pyramid.json")


def test_every_case_agrees() -> None:
    """The rulings are those worked out by hand, and every clause named with a case is cited."""
    wrong = {}
    for item, entry in zip(ITEMS, judge_scenarios(ITEMS, DEFAULTS), strict=True):
        uncited = set(item["clause_ids"]) - set(entry.clauses)
        if not entry.agrees or uncited:
            wrong[entry.id] = (entry.differs, entry.error, uncited)

    assert wrong == {}


def test_ids_differ() -> None:
    """No case hides another."""
    assert len({item["id"] for item in ITEMS}) == len(ITEMS)


def test_the_reasoning_says_who_plays_only_where_nothing_came_on_top() -> None:
    """A penalty after the stroke, or the end of the game, leaves no sentence that the shooter continues."""
    entries = [entry for entry in judge_scenarios(ITEMS, DEFAULTS) if entry.result is not None]
    ended = [entry for entry in entries if entry.result["turn"].startswith(("decide", "none"))]

    assert len(ended) > 100
    assert [entry.id for entry in ended if any("continues" in reason for reason in entry.reasons)] == []


def changed(case_id: str, path: str, value: Any) -> dict[str, Any]:
    """A case with one field set, `before.scores` or `events.2.jaw`."""
    item: dict[str, Any] = deepcopy(next(item for item in ITEMS if item["id"] == case_id))
    *way, last = path.split(".")
    place: Any = item
    for key in way:
        place = place[int(key)] if isinstance(place, list) else place[key]
    place[last] = value
    return item


@pytest.mark.parametrize(
    ("case_id", "path", "value", "message"),
    [
        ("APY-F-03", "before.humidity", 3, "before.humidity: unknown field"),
        ("APY-F-03", "before.scores", {"A": 3, "B": 3}, "before.balls: 11 on the table with scores 3:3; must be 10"),
        ("APY-F-03", "before.scores", {"A": -1, "B": 6}, "before.scores: "),
        ("APY-F-03", "before.scores", {"A": 8, "B": -3}, "before.scores: 8 reaches the target"),
        ("APY-F-03", "before.phase", "premium", "before.phase: no ball is exchanged"),
        ("APY-M-32", "before.removal_pending", True, "before.balls: 11 on the table with scores 2:3; must be 12"),
        ("APY-K-01", "before.call", {"kind": "ball", "ball": "Y", "pocket": "FL"}, "before.call.ball: "),
        ("APY-C20-13", "events.2.jaw", "SR", "events[2].jaw: pocket SR does not lie at the left cushion"),
        ("APY-F-03", "rules_options", {"pyr.spot_gap_mm": 5}, "rules_options.pyr.spot_gap_mm: must be 0.5 to 3"),
        ("APY-F-03", "game", "snooker", "game: 'snooker' is not built yet"),
    ],
)
def test_impossible_cases_name_the_field(case_id: str, path: str, value: Any, message: str) -> None:
    """A case that cannot be is an entry with the field and what is wrong with it."""
    entry = judge_scenarios([changed(case_id, path, value)], DEFAULTS)[0]

    assert entry.agrees is None
    assert str(entry.error).startswith(message)
