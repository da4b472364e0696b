"""Events of a match log, and what corrections make of them; plain module.

A correction names an earlier event (`of`) and gives new `fields` for it, makes it `void`, or puts an event that nobody
recorded just before it (`insert`). Nothing is erased: a correction can be made void itself. An undo is a correction that says so (`undo`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from calibration.errors import InputError

EVENT_TYPES = ("rack", "state", "call", "decision", "official", "touch", "shot", "ruling", "correction")
RECORDS = ("ruling", "correction")
"""Events that are no part of the play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent:
    """One line of the log.

    Attributes:
        id: Counted from 1.
        type: One of `EVENT_TYPES`.
        fields: Its other fields. Read only.
    """

    id: int
    type: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.type not in EVENT_TYPES:
            raise InputError(f"log event {self.id}: type must be one of {', '.join(EVENT_TYPES)}, found {self.type!r}")


def corrected(events: Sequence[LogEvent]) -> tuple[LogEvent, ...]:
    """The events with what corrections say in its place; void events and the corrections themselves left out.

    Raises:
        InputError: If a correction names no earlier event, or puts in what is no event of the play.
    """
    void = _void(events)
    order: list[int] = []
    found: dict[int, LogEvent] = {}
    for event in events:
        if event.type != "correction":
            order.append(event.id)
            found[event.id] = event
        elif event.id not in void and not event.fields.get("void"):
            target = found.get(int(event.fields["of"]))
            if target is None:
                raise InputError(f"log event {event.id}: corrects event {event.fields['of']}, which is not an earlier one")
            if "insert" in event.fields:
                order.insert(order.index(target.id), event.id)
                found[event.id] = _inserted(event)
            else:
                found[target.id] = _with_fields(target, event.fields["fields"])
    return tuple(found[number] for number in order if number not in void)


def find_undone(events: Sequence[LogEvent]) -> LogEvent | None:
    """What an undo takes back: the last event or correction that still stands, and is no undo itself; None where nothing is left."""
    void = _void(events)
    for event in reversed(events):
        if event.type != "ruling" and event.id not in void and not event.fields.get("undo"):
            return event
    return None


def find_redone(events: Sequence[LogEvent]) -> LogEvent | None:
    """What a redo brings back: the last undo that stands, with nothing but undos and redos after it; None where there is none."""
    void = _void(events)
    for event in reversed(events):
        if event.type == "ruling" or event.id in void or event.fields.get("redo"):
            continue
        return event if event.fields.get("undo") else None
    return None


def _void(events: Sequence[LogEvent]) -> set[int]:
    """Ids of void events and void corrections; a later correction has the last word, so they are read from the end."""
    void: set[int] = set()
    for event in reversed(events):
        if event.type == "correction" and event.id not in void and event.fields.get("void"):
            void.add(int(event.fields["of"]))
    return void


def _inserted(event: LogEvent) -> LogEvent:
    fields = dict(event.fields["insert"])
    kind = str(fields.pop("type", None))
    if kind in RECORDS:
        raise InputError(f"log event {event.id}: a {kind} cannot be put in")
    return LogEvent(id=event.id, type=kind, fields=fields)


def _with_fields(event: LogEvent, fields: Mapping[str, Any]) -> LogEvent:
    if event.type == "shot":
        return replace(event, fields={**event.fields, "shot": {**event.fields["shot"], **fields}})
    return replace(event, fields={**event.fields, **fields})
