"""Judging worked cases and comparing with what they expect: `cueref judge`; plain module."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import Any

from calibration.equipment import TableSpec
from calibration.errors import InputError
from referee.rules.games import find_ruleset
from referee.scenario import Scenario, read_scenario
from referee.wording import reason_text

SETS = ("foul_codes", "options", "restored", "stays_down", "warn")
"""Fields compared without regard to order (rules.md section 0.2); in pyramid `spotted` is one too."""

POSITION_TOLERANCE_M = 0.002
"""`spotted_pos` is exact geometry, compared within 2 mm (rules.md section 0.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is said about one scenario.

    Attributes:
        id: As in the file; None where it has none.
        agrees: Every expected field has the expected value; None where nothing is expected or it could not be judged.
        result: The "expect" object found; None with an error.
        clauses: Clause ids in the order of the reasoning.
        reasons: The reasoning, a sentence each.
        error: `FIELD: what`, where it could not be judged.
        differs: The expected fields that differ.
    """

    id: str | None
    agrees: bool | None
    result: Mapping[str, Any] | None = None
    clauses: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    error: str | None = None
    differs: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The entry as `--json` prints it."""
        if self.error is not None:
            return {"id": self.id, "agrees": None, "error": self.error}
        return {"id": self.id, "agrees": self.agrees, "result": self.result, "clauses": list(self.clauses), "reasons": list(self.reasons)}


def read_scenario_file(path: Path) -> tuple[list[Any], Mapping[str, Any]]:
    """The scenario objects of a file, unread, and its default options.

    Raises:
        InputError: If it is not a scenario file.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path.name}: not a scenario file, because it is not JSON ({error}); see rules.md section 0") from error
    if not isinstance(data, dict) or not isinstance(data.get("scenarios"), list):
        raise InputError(f'{path.name}: not a scenario file, because there is no list "scenarios"; see rules.md section 0')
    if data.get("version", 1) != 1:
        raise InputError(f"{path.name}: scenario file version must be 1, found {data['version']!r}")
    defaults = data.get("defaults", {})
    if not isinstance(defaults, dict):
        raise InputError(f'{path.name}: "defaults" must be an object of options')
    return data["scenarios"], defaults


def judge_scenarios(items: list[Any], defaults: Mapping[str, Any]) -> list[Entry]:
    """One entry a scenario, in their order; one that cannot be judged does not stop the rest."""
    return [_judge_one(item, defaults) for item in items]


def differing_fields(
    expected: Mapping[str, Any], found: Mapping[str, Any], table: TableSpec, *, spotted_is_set: bool = False
) -> tuple[str, ...]:
    """Names of the expected fields that the result does not have as expected; an optional one left out equals its nothing."""
    sets = (*SETS, "spotted") if spotted_is_set else SETS
    return tuple(name for name, value in expected.items() if not _is_same(name, value, found.get(name), table, sets))


def _judge_one(item: Any, defaults: Mapping[str, Any]) -> Entry:
    name = str(item["id"]) if isinstance(item, dict) and "id" in item else None
    if not isinstance(item, dict):
        return Entry(id=name, agrees=None, error="scenario: must be an object")
    try:
        scenario = read_scenario(item, defaults)
        return _judge_read(scenario, name)
    except InputError as error:
        return Entry(id=name, agrees=None, error=str(error))


def _judge_read(scenario: Scenario, name: str | None) -> Entry:
    ruling = find_ruleset(scenario.game).judge(scenario.case)
    result = ruling.to_expect()
    differs: tuple[str, ...] = ()
    if scenario.expect is not None:
        pyramid = scenario.game.endswith("pyramid")
        differs = differing_fields(scenario.expect, result, scenario.case.state.table, spotted_is_set=pyramid)
    return Entry(
        id=name,
        agrees=None if scenario.expect is None else not differs,
        result=result,
        clauses=ruling.clauses,
        reasons=tuple(reason_text(reason) for reason in ruling.reasons),
        differs=differs,
    )


def _is_same(name: str, expected: Any, found: Any, table: TableSpec, sets: tuple[str, ...]) -> bool:
    if found is None:
        return expected in (None, False, [], {})
    if name == "spotted_pos":
        if not isinstance(expected, dict) or set(expected) != set(found):
            return False
        return all(_is_near(expected[ball], found[ball], table) for ball in expected)
    if name == "spotted_slots":
        return (
            isinstance(expected, list) and len(expected) == len(found) and all(any(_is_near(a, b, table) for b in found) for a in expected)
        )
    if name in sets:
        return isinstance(expected, list) and sorted(map(str, expected)) == sorted(map(str, found))
    return bool(expected == found)


def _is_near(expected: Any, found: Any, table: TableSpec) -> bool:
    if not (isinstance(expected, list) and len(expected) == 2 and all(isinstance(value, int | float) for value in expected)):
        return False
    dx, dy = (expected[0] - found[0]) * table.length_m, (expected[1] - found[1]) * table.width_m
    return hypot(dx, dy) <= POSITION_TOLERANCE_M
