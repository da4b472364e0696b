"""A shot's facts as a person corrects them, turned into fields of its shot line; pure.

What a person states is certain: probabilities become 1 or 0, and the doubts that it answers are gone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.errors import InputError
from calibration.table import POCKETS
from tracker.shot import NOT_JUDGED

FACTS = ("cue_ball", "first", "rail_after", "pocketed", "off_table")
NONE = "none"
ANSWERED = {
    "cue_ball": ("strike_not_seen",),
    "first": ("split_hit", "identity", "strike_not_seen"),
    "rail_after": (),
    "pocketed": ("hidden", "not_at_rest"),
    "off_table": ("off_table",),
}
"""Fact to the kinds of doubt that it settles."""


def fixed_fields(line: Mapping[str, Any], facts: Mapping[str, Any], balls: Sequence[str]) -> dict[str, Any]:
    """The fields of a correction of the shot line.

    Args:
        line: As it stands.
        facts: Any of `FACTS`.
        balls: Of the game.

    Raises:
        InputError: `facts.FIELD: what`.
    """
    unknown = [key for key in facts if key not in FACTS]
    if unknown or not facts:
        raise InputError(f"facts.{unknown[0] if unknown else ''}: there are {', '.join(FACTS)}")
    fields: dict[str, Any] = {}
    if "cue_ball" in facts:
        fields["cue_ball"] = _ball(facts["cue_ball"], balls, "cue_ball")
    if "first" in facts:
        first = facts["first"]
        fields["first_contact"] = {NONE if first == NONE else _ball(first, balls, "first"): 1.0}
        if first == NONE:
            fields["rail_after_contact"] = 0.0
    if "rail_after" in facts:
        if not isinstance(facts["rail_after"], bool):
            raise InputError("facts.rail_after: must be true or false")
        fields["rail_after_contact"] = 1.0 if facts["rail_after"] else 0.0
    if "pocketed" in facts or "off_table" in facts:
        fields |= _ends(line, facts, balls)
    settled = {kind for key in facts for kind in ANSWERED[key]}
    fields["doubts"] = [doubt for doubt in line.get("doubts") or () if not _is_settled(doubt, settled, facts)]
    return fields


def _ends(line: Mapping[str, Any], facts: Mapping[str, Any], balls: Sequence[str]) -> dict[str, Any]:
    """Events and layout with other balls fallen or off the table."""
    fallen, off = _pairs(facts, line, balls), _list(facts, line, balls)
    end_t = max([0.0, float(line["end_s"]) - float(line["start_s"])])
    before = [event for event in line["events"] if event["type"] in ("pocketed", "off_table")]
    others = [event for event in line["events"] if event["type"] not in ("pocketed", "off_table")]
    times = {event["ball"]: event["t"] for event in before}
    new = [{"t": times.get(ball, end_t), "type": "pocketed", "ball": ball, "pocket": pocket, "p": 1.0} for ball, pocket in fallen]
    new += [{"t": times.get(ball, end_t), "type": "off_table", "ball": ball, "where": "floor", "p": 1.0} for ball in off]
    gone = {ball for ball, _ in fallen} | set(off)
    after = {ball: place for ball, place in line["after"].items() if ball not in gone}
    return {"events": sorted([*others, *new], key=lambda event: event["t"]), "after": after, "complete": True}


def _pairs(facts: Mapping[str, Any], line: Mapping[str, Any], balls: Sequence[str]) -> list[tuple[str, str]]:
    given = facts.get("pocketed")
    if given is None:
        return [(e["ball"], e["pocket"]) for e in line["events"] if e["type"] == "pocketed" and e.get("p", 1.0) >= 0.5]
    if not isinstance(given, list) or any(not isinstance(pair, list) or len(pair) != 2 or pair[1] not in POCKETS for pair in given):
        raise InputError(f"facts.pocketed: must be a list of [ball, pocket], pockets {', '.join(POCKETS)}")
    pairs = [(_ball(ball, balls, "pocketed"), str(pocket)) for ball, pocket in given]
    if len({ball for ball, _ in pairs}) != len(pairs):
        raise InputError("facts.pocketed: a ball falls once")
    return pairs


def _list(facts: Mapping[str, Any], line: Mapping[str, Any], balls: Sequence[str]) -> list[str]:
    given = facts.get("off_table")
    if given is None:
        return [e["ball"] for e in line["events"] if e["type"] == "off_table" and e.get("p", 1.0) >= 0.5]
    if not isinstance(given, list):
        raise InputError("facts.off_table: must be a list of balls")
    return list(dict.fromkeys(_ball(ball, balls, "off_table") for ball in given))


def _is_settled(doubt: Mapping[str, Any], settled: set[str], facts: Mapping[str, Any]) -> bool:
    """A shot that was not judged is settled by who was first and what fell together."""
    kind = doubt.get("kind")
    if kind == "frames_missing" and str(doubt.get("text", "")).startswith(NOT_JUDGED):
        return "first" in facts and "pocketed" in facts
    return kind in settled


def _ball(value: Any, balls: Sequence[str], field: str) -> str:
    if not isinstance(value, str) or value not in balls:
        raise InputError(f"facts.{field}: must be a ball of the game, found {str(value)[:20]!r}")
    return value
