"""Clauses that the reasoning of pyramid cites, and the phases that follow."""

from pathlib import Path
from typing import Any

import pytest

from calibration.equipment import find_table
from referee.judge import judge_scenarios, read_scenario_file
from referee.notation import parse_stroke
from referee.rules.base import Case, State
from referee.rules.pyramid import COMBINED_RULES, FREE_RULES, Pyramid
from referee.ruling import Pair, Ruling
from tracker.shot import ShotEvent

RACK = ("Y", *(f"w{number}" for number in range(1, 16)))
BREAK = {"phase": "break", "cue_state": "hand_house", "cue_ball": "Y", "balls": RACK, "scores": Pair(0, 0)}


def judge(rules: Pyramid, *events: ShotEvent, rest: Any = None, **changes: Any) -> Ruling:
    """The ruling, A to shoot at 5 to 5 with six balls on the table."""
    usual: dict[str, Any] = {
        "table": find_table("pyramid-12ft"),
        "shooter": "A",
        "phase": "normal",
        "balls": ("Y", "w1", "w4", "w7", "w9", "w12"),
        "cue_ball": "w4" if rules is FREE_RULES else "Y",
        "cue_state": "position",
        "scores": Pair(5, 5),
        "target": 8,
    }
    return rules.judge(Case(state=State(**usual | changes), events=events))


def touch(ball: str, actor: str, by: str = "hand") -> ShotEvent:
    """A ball touched before any stroke."""
    return ShotEvent(t=0.0, type="touch", fields={"ball": ball, "by": by, "actor": actor})


def test_worked_cases_cite_their_clauses(shared: Path) -> None:
    """Every clause that the reference gives for a pyramid case is among those cited."""
    items, defaults = read_scenario_file(shared / "scenarios.json")
    pairs = [(item, entry) for item, entry in zip(items, judge_scenarios(items, defaults), strict=True) if "pyramid" in item["game"]]
    missing = {item["id"]: set(item["clause_ids"]) - set(entry.clauses) for item, entry in pairs}

    assert len(pairs) == 77
    assert {ident: clauses for ident, clauses in missing.items() if clauses} == {}


@pytest.mark.parametrize(
    ("rest", "clauses", "others"),
    [
        ({}, {"PYR-25.2a"}, {"PYR-25.2b", "PYR-25.2c", "PYR-25.2d"}),
        ({"w1": (0.75, 0.5)}, {"PYR-25.2a", "PYR-25.2c"}, {"PYR-25.2b", "PYR-25.2d"}),
    ],
)
def test_clauses_of_spotting(rest: dict[str, tuple[float, float]], clauses: set[str], others: set[str]) -> None:
    """PYR-25.2: only what had a say is cited; jumped and illegal balls have their own clause."""
    ruling = judge(FREE_RULES, *parse_stroke("w4>w7 w7|foot w7~ w9!", rest))

    assert clauses | {"PYR-24.4"} <= set(ruling.clauses)
    assert not (others | {"PYR-22.4"}) & set(ruling.clauses)
    assert "PYR-22.4" in judge(FREE_RULES, *parse_stroke("w4>w7 tip2 w7@FL")).clauses


def test_one_penalty_is_said_only_of_several() -> None:
    """PYR-30: "several violations are one penalty" needs several."""
    one, two = judge(FREE_RULES, *parse_stroke("w4|left")), judge(FREE_RULES, *parse_stroke("w4|left tip2"))

    assert [sum(reason.key == "pyr_one_penalty" for reason in ruling.reasons) for ruling in (one, two)] == [0, 1]


def test_phases_after_a_penalty() -> None:
    """A stroke was played: after_penalty, on the initial stroke too; before it was played, it is still to come."""
    played = judge(COMBINED_RULES, *parse_stroke("Y>w1 Y>w2 w1@FL tip2"), **BREAK)
    waiting = judge(COMBINED_RULES, touch("w1", "A", "sleeve"), **BREAK)
    free = judge(FREE_RULES, *parse_stroke("Y>w1 w1@FL tip2"), **BREAK)

    assert (played.next_phase, played.cue_next) == ("after_penalty", "position")
    assert (waiting.next_phase, waiting.cue_next, waiting.turn) == ("rebreak", "hand_house", "decide:B")
    assert (free.next_phase, free.cue_next) == ("after_penalty", "free_choice")
    assert judge(COMBINED_RULES, touch("w1", "B")).next_phase == "after_penalty"
    assert judge(COMBINED_RULES, touch("w1", "B"), phase="penalty_hand", cue_state="hand_house").next_phase == "penalty_hand"


def test_ball_said_to_have_moved_without_a_placing() -> None:
    """COMB-H2 needs the cue ball in hand; elsewhere nobody is blamed for a ball that moved."""
    moved = ShotEvent(t=0.0, type="official", fields={"fact": "ball_moved", "ball": "w7"})
    placed = ShotEvent(t=-1.0, type="placement", fields={"ball": "Y", "pos": [0.1, 0.5]})

    assert judge(COMBINED_RULES, moved).foul is False
    assert judge(COMBINED_RULES, placed, moved).foul is False
    assert judge(COMBINED_RULES, placed, moved, phase="premium", cue_state="hand_house").foul_codes == ("PLACEMENT",)
    assert judge(COMBINED_RULES, moved, phase="premium", cue_state="hand_house").foul is False


def test_hesitating_ball_is_named() -> None:
    """PYR-23.3 is cited where a ball falls long after everything else."""
    strike, hit, fall, stop = parse_stroke("w4>w7 w7@FL")
    late = ShotEvent(t=4.0, type=fall.type, fields=fall.fields)
    rest = ShotEvent(t=5.0, type=stop.type, fields=stop.fields)

    assert "PYR-23.3" in judge(FREE_RULES, strike, hit, late, rest).clauses
    assert "PYR-23.3" not in judge(FREE_RULES, strike, hit, fall, stop).clauses


def test_own_ball_is_cited_where_it_fell() -> None:
    """FREE-5.4 belongs to the cue ball that falls, PYR-21.2a to strokes from the hand."""
    assert "FREE-5.4" in judge(FREE_RULES, *parse_stroke("w4>w7 w4@FL")).clauses
    assert "FREE-5.4" not in judge(FREE_RULES, *parse_stroke("w4>w7 w7@FL")).clauses
    from_hand = judge(COMBINED_RULES, *parse_stroke("Y>w7 w7@FL"), phase="premium", cue_state="hand_house")
    assert "PYR-21.2a" in from_hand.clauses
    assert "PYR-21.2a" not in judge(COMBINED_RULES, *parse_stroke("Y>w7 w7@FL")).clauses
