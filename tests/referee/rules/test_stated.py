"""What only an official can state is a foul in every game, by its own code and clause."""

import pytest

from calibration.equipment import find_table
from referee.notation import parse_stroke
from referee.rules.base import Case, Ruleset, State
from referee.rules.games import RULESETS
from referee.ruling import Pair

CODES = {
    "tip_only": ("TIP_ONLY", "GR-3.3"),
    "no_foot": ("FEET", "GR-3.13"),
    "balls_moving": ("BALLS_MOVING", "GR-3.14"),
    "push": ("PUSH", "GR-3.24"),
    "responsibility": ("RESPONSIBILITY", "GR-3.25"),
    "illegal_jump": ("ILLEGAL_JUMP", "GR-3.26/27"),
    "unsportsmanlike": ("UNSPORTSMANLIKE", "GR-3.29"),
}
"""Section 0.2, with the clause of pool."""


@pytest.mark.parametrize("fact", CODES)
@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.game)
def test_stated_fact_is_a_foul(rules: Ruleset, fact: str) -> None:
    """A stroke that is legal otherwise: the fact alone makes it a foul, and the shot passes."""
    cue, first, second, *_ = rules.ball_set.balls
    state = State(
        table=find_table(rules.table_name),
        shooter="A",
        phase="normal",
        balls=rules.ball_set.balls,
        cue_ball=cue,
        cue_state="position",
        scores=Pair(0, 0),
        target=50,
    )
    stroke = f"{cue}>{first} {first}|foot {first}|left {second}|head"
    code, clause = CODES[fact]
    clean = rules.judge(Case(state=state, events=parse_stroke(stroke)))
    stated = rules.judge(Case(state=state, events=parse_stroke(f"{stroke} fact:{fact}")))

    assert clean.foul_codes == ()
    assert stated.foul_codes == (code,)
    assert clause in stated.clauses or not cue.startswith("cue")
    assert stated.decider == "B"
