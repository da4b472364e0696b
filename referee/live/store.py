"""Matches on disk: every event is there before anybody sees it; SQLite by default, any database that SQLAlchemy knows.

    matches   a header line a match (the first line of its log)
    events    a line an event, as in a log; (match, id) is the key, so that nothing is there twice
    notes     small things of the hall that are no part of the log: where a file was played to, how the shot clock is set

A change of the match is one transaction: all its events or none. SQLite runs in WAL mode with `synchronous=FULL`, so that
neither a killed process nor a power cut loses what was committed. Header and events together are the log as
`referee.log` reads it; nothing is in the database that a log file would not say, notes aside.

StoreError   the database cannot be opened, read or written; the message never holds its address, which may hold a password.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Engine, Integer, MetaData, Table, Text, create_engine, delete, event, insert, select, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from referee.log import format_event, format_header
from referee.log_event import LogEvent
from referee.match_setup import MatchSetup

_METADATA = MetaData()
_MATCHES = Table("matches", _METADATA, Column("match", Text, primary_key=True), Column("header", Text, nullable=False))
_EVENTS = Table(
    "events",
    _METADATA,
    Column("match", Text, primary_key=True),
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
)
_NOTES = Table(
    "notes",
    _METADATA,
    Column("match", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)


class StoreError(OSError):
    """The database cannot be used; one line, without its address."""


class MatchStore:
    """One match in a database."""

    def __init__(self, url: str, match: str = "match") -> None:
        """Open the database, made if missing.

        Args:
            url: As SQLAlchemy takes it, for instance `sqlite:////srv/hall/match.sqlite`.
            match: Name of the match, so that many can be in one database.

        Raises:
            StoreError: If it cannot be opened.
        """
        self.match = match
        try:
            self._engine = create_engine(make_url(url))
            if self._engine.dialect.name == "sqlite":
                event.listen(self._engine, "connect", _set_up_sqlite)
            _METADATA.create_all(self._engine)
        except (SQLAlchemyError, ImportError) as error:
            raise StoreError(f"the store cannot be opened: {_reason(error)}") from error

    @classmethod
    def in_folder(cls, folder: Path, match: str = "match") -> "MatchStore":
        """The store of a folder: SQLite, `match.sqlite`."""
        return cls(f"sqlite:///{(folder / 'match.sqlite').resolve()}", match)

    @property
    def engine(self) -> Engine:
        """The database."""
        return self._engine

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def log_text(self) -> str | None:
        """The match log as text, as a file holds it; None where there is no such match.

        Raises:
            StoreError: If it cannot be read.
        """
        try:
            with self._engine.connect() as connection:
                header = connection.execute(select(_MATCHES.c.header).where(_MATCHES.c.match == self.match)).scalar()
                lines = connection.execute(select(_EVENTS.c.line).where(_EVENTS.c.match == self.match).order_by(_EVENTS.c.id)).scalars()
                return None if header is None else "".join(f"{line}\n" for line in (header, *lines))
        except SQLAlchemyError as error:
            raise StoreError(f"the store cannot be read: {_reason(error)}") from error

    def begin(self, setup: MatchSetup, events: Iterable[LogEvent] = ()) -> None:
        """Put a new match there, with the events it has already."""
        header = json.dumps(format_header(setup), ensure_ascii=False)
        self._write(insert(_MATCHES).values(match=self.match, header=header), *self._insertions(events))

    def append(self, events: Iterable[LogEvent], *, setup: MatchSetup | None = None) -> None:
        """Write events, all or none; with `setup` the header too.

        Raises:
            StoreError: If they cannot be written, one that is there already among them; nothing is then.
        """
        header = [] if setup is None else [_header_update(self.match, setup)]
        self._write(*header, *self._insertions(events))

    def put(self, key: str, value: Any) -> None:
        """Keep a note, in place of the one of that name."""
        where = (_NOTES.c.match == self.match) & (_NOTES.c.key == key)
        text = json.dumps(value, ensure_ascii=False)
        self._write(delete(_NOTES).where(where), insert(_NOTES).values(match=self.match, key=key, value=text))

    def notes(self) -> dict[str, Any]:
        """Every note by its name."""
        try:
            with self._engine.connect() as connection:
                rows = connection.execute(select(_NOTES.c.key, _NOTES.c.value).where(_NOTES.c.match == self.match))
                return {str(key): json.loads(value) for key, value in rows}
        except SQLAlchemyError as error:
            raise StoreError(f"the store cannot be read: {_reason(error)}") from error

    def _insertions(self, events: Iterable[LogEvent]) -> list[Any]:
        rows = [{"match": self.match, "id": item.id, "line": format_event(item)} for item in events]
        return [insert(_EVENTS).values(rows)] if rows else []

    def _write(self, *statements: Any) -> None:
        try:
            with self._engine.begin() as connection:
                for statement in statements:
                    connection.execute(statement)
        except SQLAlchemyError as error:
            raise StoreError(f"the match cannot be written: {_reason(error)}") from error


def _header_update(match: str, setup: MatchSetup) -> Any:
    return update(_MATCHES).where(_MATCHES.c.match == match).values(header=json.dumps(format_header(setup), ensure_ascii=False))


def _set_up_sqlite(connection: Any, _record: Mapping[str, Any]) -> None:
    cursor = connection.cursor()
    for line in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()


def _reason(error: BaseException) -> str:
    """What the driver says, without statement, values and address."""
    cause = getattr(error, "orig", None) or error
    text = " ".join(str(cause).split())
    return type(cause).__name__ if "://" in text or not text else text
