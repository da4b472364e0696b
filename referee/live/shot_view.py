"""One shot as the pages show it (docs/live-protocol.md): call, why, doubts, what can be decided, paths; pure."""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

from referee.decided import choices
from referee.live.texts import Text, both, lists
from referee.report import read_clause_texts
from referee.ruling import Ruling
from referee.shot_ruling import ShotRuling
from referee.wording import call_text, doubt_text, event_text, reading_text, reason_texts
from tracker.shot import Shot

ShotLine = Mapping[str, Any]
Paths = Mapping[str, Any]
"""Ball to its places [t, x, y]."""


class ShotViews:
    """Views of shots kept until what they show has changed: after an evening a new shot would wait for all texts of all others."""

    def __init__(self) -> None:
        """None yet."""
        self._kept: dict[tuple[str, int], tuple[tuple[Any, ...], dict[str, Any]]] = {}

    def view(self, kind: str, number: int, of: tuple[Any, ...], make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The view of that kind of a shot, made where `of`, all that it shows, is not as it was."""
        known = self._kept.get((kind, number))
        if known is None or known[0] != of:
            known = self._kept[kind, number] = of, make()
        return known[1]

    def keep(self, kind: str, numbers: Collection[int]) -> None:
        """Forget the views of that kind of all other shots."""
        self._kept = {key: view for key, view in self._kept.items() if key[0] != kind or key[1] in numbers}


def call_texts(line: ShotLine, ruling: ShotRuling, players: Mapping[str, str]) -> Text:
    """The call in every language."""
    shot = {**line, **ruling.to_dict()}
    return both(lambda words: call_text(shot, players, words))


def brief_view(line: ShotLine, ruling: ShotRuling, event: int, players: Mapping[str, str], entry: Mapping[str, Any]) -> dict[str, Any]:
    """A line of the history.

    Args:
        line: The shot line as it stands.
        ruling: On it.
        event: Its id in the log.
        players: Names.
        entry: Its line in the ledger.
    """
    return {
        "number": ruling.number,
        "event": event,
        "player": ruling.state_before.shooter,
        "verdict": ruling.verdict,
        "decided": ruling.decided,
        "provisional": ruling.provisional,
        "start_s": line["start_s"],
        "end_s": line["end_s"],
        "call": call_texts(line, ruling, players),
        "scores": entry.get("scores"),
        "inning": entry.get("inning"),
    }


def shot_view(
    line: ShotLine,
    ruling: ShotRuling,
    event: int,
    players: Mapping[str, str],
    entry: Mapping[str, Any],
    *,
    paths: Paths | None = None,
    media: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """A shot whole; arguments as for `brief_view`.

    Args:
        paths: Where its balls went.
        media: Which of `still.jpg` and `clip.mp4` there are.
    """
    data = ruling.to_dict()
    shot = {**line, **data}
    number, clauses = ruling.number, _clauses()
    return {
        **brief_view(line, ruling, event, players, entry),
        "default": data["default"],
        "judged": Shot.from_dict(line).judged,
        "foul_codes": data["foul_codes"],
        "clauses": [{"id": clause, "text": dict.fromkeys(("en", "ru"), clauses.get(clause, ""))} for clause in data["clauses"]],
        "reasons": lists(lambda words: reason_texts(shot, words)),
        "doubts": lists(lambda words: [doubt_text(doubt, words) for doubt in line.get("doubts") or ()]),
        "readings": [
            {
                "p": reading["p"],
                "verdict": reading["verdict"],
                "foul_codes": reading["foul_codes"],
                "differs": both(lambda words, reading=reading: reading_text(reading, words)),  # type: ignore[misc]
            }
            for reading in data["readings"]
        ],
        "choices": [
            {
                "word": choice.word,
                "verdict": "foul" if choice.ruling.foul else "legal",
                "foul_codes": list(choice.ruling.foul_codes),
                "p": round(choice.p, 4),
                "call": _choice_texts(shot, choice.ruling, players),
            }
            for choice in choices(ruling.judgement)
        ],
        "facts": {
            "cue_ball": line["cue_ball"],
            "first": dict(line["first_contact"]),
            "rail_after": line["rail_after_contact"],
            "pocketed": data["pocketed"],
            "off_table": data["off_table"],
        },
        "events": [
            {"t": item["t"], "type": item["type"], "p": item["p"], "text": both(lambda words, item=item: event_text(item, words))}  # type: ignore[misc]
            for item in line["events"]
        ],
        "before": line["before"],
        "after": line["after"],
        "paths": dict(paths or {}),
        "still": f"/shots/{number}/still.jpg" if "still.jpg" in media else None,
        "clip": f"/shots/{number}/clip.mp4" if "clip.mp4" in media else None,
    }


def _choice_texts(shot: Mapping[str, Any], ruling: Ruling, players: Mapping[str, str]) -> Text:
    """The call if the shot were ruled so."""
    said = {
        **shot,
        "verdict": "foul" if ruling.foul else "legal",
        "foul_codes": list(ruling.foul_codes),
        "turn": ruling.turn,
        "result": ruling.to_expect(),
        "reasoning": [{"key": item.key, "clauses": list(item.clauses), "values": dict(item.values)} for item in ruling.reasons],
    }
    return both(lambda words: call_text(said, players, words))


@cache
def _clauses() -> Mapping[str, str]:
    """Read once: it is a file."""
    return read_clause_texts()


def thinned(paths: Mapping[str, Any], most: int = 90) -> dict[str, list[list[float]]]:
    """Paths with at most so many places a ball, for sending: a place each 60 ms of a long shot is enough for the eye."""
    sent = {}
    for ball, path in paths.items():
        step = max(1, -(-len(path) // most))
        kept = [*path[::step], *(path[-1:] if (len(path) - 1) % step else ())]
        sent[ball] = [[round(t, 3), round(x, 4), round(y, 4)] for t, x, y in kept]
    return sent
