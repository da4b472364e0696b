"""What a person says about the state between strokes: who shoots, the score, what is on the table; plain module.

A log event `state` holds fields of the "before" object (rules.md section 0.1). They take the place of what the fold has
there, or of what would be assumed where nothing has been seen yet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from calibration.equipment import TABLES
from calibration.errors import InputError
from referee.rules.base import Ruleset, State
from referee.scenario import read_state

GIVEN_FIELDS = (
    "shooter",
    "phase",
    "balls",
    "cue_ball",
    "cue_state",
    "scores",
    "consecutive_fouls",
    "warned",
    "near_rail",
    "frozen",
    "last_breaker",
    "apex_vacant",
    "removal_pending",
    "clock",
)
"""Positions are the layout's, table and target the match's."""
NOTES = {"shooter": "shooter", "phase": "phase", "scores": "score", "consecutive_fouls": "fouls", "last_breaker": "breaker"}
"""Field to the assumption that it makes needless."""


def with_given(rules: Ruleset, state: State, given: Mapping[str, Any]) -> State:
    """The state with the fields that a person gave.

    Raises:
        InputError: `before.FIELD: what`, if a field is unknown, or the game cannot have such a state.
    """
    unknown = [name for name in given if name not in GIVEN_FIELDS]
    if unknown:
        raise InputError(f"before.{unknown[0]}: cannot be set; there are {', '.join(GIVEN_FIELDS)}")
    read = read_state({**state.to_dict(), "table": TABLES[0].name, "positions": {}, "call": None, **given})
    changed = replace(state, **{name: getattr(read, name) for name in given})
    rules.check(changed)
    return changed


def without_assumed(notes: Sequence[str], given: Mapping[str, Any]) -> list[str]:
    """The assumptions that the fields given do not answer.

    >>> without_assumed(["shooter: A", "call: none"], {"shooter": "B"})
    ['call: none']
    """
    answered = {NOTES[name] for name in given if name in NOTES}
    return [note for note in notes if note.partition(":")[0] not in answered]
