"""The match log as a file: `cueref.match/1`, JSON Lines, a header and an event a line; plain module.

No wall clock, machine, path or random id stands in it: times are the recording's, ids are counted. It is written
beside its place and renamed, or grown at its end; a last line that was cut off in the middle (no line break at its end)
was never there.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from calibration.equipment import TABLES, TableSpec
from calibration.errors import InputError
from referee.log_event import LogEvent
from referee.match import Match
from referee.match_setup import EDITION, MatchSetup
from referee.rules.options import read_options
from referee.ruling import Pair

FORMAT = "cueref.match/1"
RESERVED = ("id", "type")


def write_log(path: Path, match: Match) -> None:
    """Write the whole log, beside its place first and then renamed, so that it is never half-written."""
    partial = path.with_name(path.name + ".part")
    partial.write_text("".join(f"{line}\n" for line in format_log(match)), encoding="utf-8")
    partial.replace(path)


def append_events(path: Path, events: Iterable[LogEvent]) -> None:
    """Grow a log at its end, in one write; a line that was cut off there before is dropped first."""
    text = "".join(f"{format_event(event)}\n" for event in events)
    with path.open("r+b") as file:
        whole = file.read()
        file.seek(whole.rfind(b"\n") + 1)
        file.truncate()
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def read_log(path: Path) -> Match:
    """The match of a log, judged by the rules as they are now.

    Raises:
        InputError: If it is not such a log; the message names the line.
        OSError: If it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name}: not a match log, because it is not text") from error
    return parse_log(text, name=path.name)


def parse_log(text: str, *, name: str = "match log") -> Match:
    """The match of a log's text.

    Raises:
        InputError: If it is not such a log; the message names the line.
    """
    lines = text[: text.rfind("\n") + 1].splitlines()
    if not lines:
        raise InputError(f"{name}: empty, so that it is no match log; its first line must have format {FORMAT!r}")
    setup = _read_header(_parse_line(lines[0], name, 1), name)
    events: list[LogEvent] = []
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            events.append(_read_event(_parse_line(line, name, number), name, number, last=events[-1].id if events else 0))
    try:
        return Match(setup, events)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def format_log(match: Match) -> list[str]:
    """The lines of the log, header first."""
    return [json.dumps(format_header(match.setup), ensure_ascii=False), *(format_event(event) for event in match.events)]


def format_header(setup: MatchSetup) -> dict[str, Any]:
    """The first line of a log."""
    spec = setup.table
    return {
        "format": FORMAT,
        "game": setup.game,
        "players": setup.players.to_dict(),
        "race": setup.race,
        "options": setup.options.to_dict(),
        "referee": setup.referee,
        "certain_at": setup.certain_at,
        "table": {"name": spec.name, "length_m": spec.length_m, "width_m": spec.width_m, "ball_diameter_m": spec.ball_diameter_m},
        "ends_known": setup.ends_known,
        **({"assume_calls": True} if setup.assume_calls else {}),
        "edition": EDITION,
        "assumed": list(setup.assumed),
    }


def format_event(event: LogEvent) -> str:
    """An event's line."""
    return json.dumps({"id": event.id, "type": event.type, **event.fields}, ensure_ascii=False)


def _read_header(data: Mapping[str, Any], name: str) -> MatchSetup:
    if data.get("format") != FORMAT:
        raise InputError(f"{name}, line 1: format must be {FORMAT!r}, found {data.get('format')!r}")
    try:
        table = data["table"]
        given = TableSpec(
            name=str(table["name"]),
            length_m=float(table["length_m"]),
            width_m=float(table["width_m"]),
            ball_diameter_m=float(table["ball_diameter_m"]),
        )
        known = next((spec for spec in TABLES if spec.name == given.name), given)
        sizes = ("length_m", "width_m", "ball_diameter_m")
        spec = known if all(getattr(known, size) == getattr(given, size) for size in sizes) else given
        return MatchSetup(
            game=str(data["game"]),
            players=Pair(str(data["players"]["A"]), str(data["players"]["B"])),
            race=int(data["race"]),
            options=read_options(data.get("options", {}), where="options"),
            referee=bool(data.get("referee", True)),
            certain_at=float(data["certain_at"]),
            table=spec,
            ends_known=bool(data.get("ends_known", True)),
            assume_calls=bool(data.get("assume_calls", False)),
            assumed=tuple(map(str, data.get("assumed", ()))),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{name}, line 1: missing or malformed field {error}") from error


def _read_event(data: Mapping[str, Any], name: str, number: int, *, last: int) -> LogEvent:
    ident = data.get("id")
    if not isinstance(ident, int) or isinstance(ident, bool) or ident <= last:
        raise InputError(f"{name}, line {number}: id must be a whole number above {last}, found {ident!r}")
    fields = {key: value for key, value in data.items() if key not in RESERVED}
    needed = {"shot": ("shot",), "rack": ("breaker",), "correction": ("of",), "ruling": ("number", "verdict")}
    kind = str(data.get("type"))
    for key in needed.get(kind, ()):
        if key not in fields:
            raise InputError(f"{name}, line {number}: a {kind} needs the field {key!r}")
    if kind == "correction" and not fields.get("void") and not isinstance(fields.get("insert", fields.get("fields")), dict):
        raise InputError(f"{name}, line {number}: a correction needs new fields, an event to insert, or void")
    try:
        return LogEvent(id=ident, type=kind, fields=fields)
    except InputError as error:
        raise InputError(f"{name}, line {number}: {error}") from error


def _parse_line(line: str, name: str, number: int) -> Mapping[str, Any]:
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{name}, line {number}: not JSON: {error.msg}") from error
    if not isinstance(data, dict):
        raise InputError(f"{name}, line {number}: must be an object")
    return data
