"""The `cueref.review/1` object of design.md: a match with its shots as a review shows them; plain module."""

from collections.abc import Mapping, Sequence
from typing import Any

from referee.log_event import corrected
from referee.match import Match

FORMAT = "cueref.review/1"


def review_object(
    match: Match, *, table: Mapping[str, Any] | None = None, bad_intervals: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """A match as one object.

    Args:
        match: With its log; shots stand as corrected, rulings as they are now.
        table: The table file as an object; by default what the log says of the table, which has no camera.
        bad_intervals: `from_s`, `to_s` and `why` of the parts of the recording that could not be judged.
    """
    shots = [event.fields["shot"] for event in corrected(match.events) if event.type == "shot"]
    return {
        "format": FORMAT,
        "game": match.setup.game,
        "table": dict(table) if table is not None else _table_of(match),
        "players": match.setup.players.to_dict(),
        "assumed": list(match.assumed),
        "shots": [{**shot, **ruling.to_dict()} for shot, ruling in zip(shots, match.rulings, strict=True)],
        "score": match.score,
        "ledger": [entry.to_dict() for entry in match.state.ledger.entries],
        "bad_intervals": [dict(interval) for interval in bad_intervals],
    }


def _table_of(match: Match) -> dict[str, Any]:
    spec = match.setup.table
    return {
        "name": spec.name,
        "length_m": spec.length_m,
        "width_m": spec.width_m,
        "ball_diameter_m": spec.ball_diameter_m,
        "metric": spec.metric,
        "foot_known": match.setup.ends_known,
    }
