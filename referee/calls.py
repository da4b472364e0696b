"""What only people know, told to a review as a file: calls, decisions, official facts, touches.

One JSON object a line, `{"time_s": 12.5, "type": "call", "kind": "push_out"}`; the other fields are those of
rules.md section 0.1 for a call, or for a decision, official or touch event. Each belongs to the first shot whose tip contact
comes at or after its time. Plain module, standard library only.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.errors import InputError

PERSON_EVENT_TYPES = ("call", "decision", "official", "touch")


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonEvent:
    """One thing a person said or an official established.

    Attributes:
        time_s: Seconds on the recording's clock.
        type: One of `PERSON_EVENT_TYPES`.
        fields: The other fields of that type (rules.md section 0.1). Read only.
    """

    time_s: float
    type: str
    fields: Mapping[str, Any] = field(default_factory=dict)


def read_calls(path: Path) -> tuple[PersonEvent, ...]:
    """The events of a calls file in order of time; an empty file gives none.

    Raises:
        InputError: If a line is not such an object; the message names file and line.
        OSError: If the file cannot be read.
    """
    events = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a calls file: not text") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            events.append(_parse(line, f"{path}, line {number}"))
    return tuple(sorted(events, key=lambda event: event.time_s))


def _parse(line: str, where: str) -> PersonEvent:
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON: {error.msg}") from error
    if not isinstance(data, dict):
        raise InputError(f"{where}: expected an object with time_s and type")
    time_s, kind = data.pop("time_s", None), data.pop("type", None)
    if isinstance(time_s, bool) or not isinstance(time_s, int | float):
        raise InputError(f"{where}: time_s must be a number of seconds, found {time_s!r}")
    if kind not in PERSON_EVENT_TYPES:
        raise InputError(f"{where}: type must be one of {', '.join(PERSON_EVENT_TYPES)}, found {kind!r}")
    return PersonEvent(time_s=float(time_s), type=kind, fields=data)
