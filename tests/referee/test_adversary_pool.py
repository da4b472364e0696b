"""Worked cases of our own for nine-ball and 14.1, combinations that the reference has not; verdicts worked out from rules.md."""

from pathlib import Path
from typing import Any

import pytest

from referee.judge import judge_scenarios, read_scenario_file

ITEMS, DEFAULTS = read_scenario_file(Path(__file__).parents[1] / "scenarios" / "adversary_pool.json")


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


def _case(**changes: Any) -> dict[str, Any]:
    item: dict[str, Any] = next(item for item in ITEMS if item["id"] == "ADV-N40")
    return item | changes


@pytest.mark.parametrize(
    ("events", "message"),
    [
        (
            [{"t": 0, "type": "ball_ball", "a": "cue", "b": "2"}, {"t": 1, "type": "stop"}],
            "events[0].type: ball_ball before the tip has met a ball: a shot by nobody",
        ),
        (
            [{"t": 0, "type": "cue_contact"}, {"t": 1, "type": "stop"}, {"t": 2, "type": "ball_ball", "a": "cue", "b": "2"}],
            "events[2].type: ball_ball after all balls have stopped",
        ),
        (
            [
                {"t": 0, "type": "cue_contact"},
                {"t": 1, "type": "pocketed", "ball": "2", "pocket": "FL"},
                {"t": 2, "type": "stop", "positions": {"2": [0.5, 0.5]}},
            ],
            "events[2].positions.2: the ball has left the table before",
        ),
    ],
)
def test_impossible_order_of_events_is_named(events: list[dict[str, Any]], message: str) -> None:
    """A shot by nobody, motion after rest and a fallen ball at rest are refused with the field."""
    entry = judge_scenarios([_case(events=events)], DEFAULTS)[0]

    assert entry.error == message


def test_ball_moved_by_hand_may_move_without_a_stroke() -> None:
    """Between strokes a touched cue ball may roll on; that is an incident, no shot by nobody."""
    events = [
        {"t": 0, "type": "touch", "ball": "cue", "by": "cue_shaft", "actor": "A"},
        {"t": 0.2, "type": "ball_ball", "a": "cue", "b": "2"},
    ]

    assert judge_scenarios([_case(events=events)], DEFAULTS)[0].error is None


def test_racks_below_zero_are_refused() -> None:
    """Nine-ball counts racks won, which cannot be taken away."""
    item = _case()
    broken = item | {"before": item["before"] | {"scores": {"A": -1, "B": 0}}}

    assert str(judge_scenarios([broken], DEFAULTS)[0].error).startswith("before.scores: racks cannot be below 0")
