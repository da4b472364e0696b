"""The report of a match: one HTML file that needs nothing else, for a phone and for a desk.

Input is the `cueref.review/1` object of design.md; what only a recording can give (paths, a still picture) comes
beside it and may be missing. The page has no script and asks for nothing over a network: style, diagrams and pictures
are in it, and the only links out are to the annotated video beside it.
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from calibration.equipment import TableSpec, find_table
from calibration.errors import InputError
from calibration.table import Table
from referee.diagram import Paths, draw_shot, drawing_size
from referee.wording import (
    ball_name,
    call_text,
    clock_text,
    doubt_text,
    event_text,
    find_words,
    foul_text,
    game_name,
    missing_text,
    player_name,
    pocket_name,
    read_reasons,
    reading_text,
    reason_texts,
)
from referee.words import Words, fill

FORMAT = "cueref.review/1"
FILE_NAME = "report.html"
VIDEO_NAME = "annotated.mp4"
_TEMPLATES = Path(__file__).parent / "templates"
_LEAD_IN_S = 1.0
"""A link into the video starts this long before the strike, so that the layout is seen first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotMedia:
    """What a recording shows of one shot beyond its facts.

    Attributes:
        paths: Ball to its places, (t, x, y) with t in seconds from the tip contact and x, y in metres. Read only.
        still_jpeg: A small picture as a JPEG file; None where there is none.
        still_text: What the picture shows, one line or the key of a label.
    """

    paths: Paths = field(default_factory=dict)
    still_jpeg: bytes | None = None
    still_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A line of a list in the page: a short left part and a text."""

    left: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShotView:
    """One shot, every text ready for the page."""

    title: str
    number: int
    time: str
    shooter: str
    call: str
    tone: str
    badge: str
    provisional: bool
    diagram: Markup
    has_paths: bool
    clauses: Sequence[_Row]
    reasons: Sequence[str]
    readings: Sequence[_Row]
    facts: Sequence[_Row]
    doubts: Sequence[str]
    events: Sequence[_Row]
    video: str
    still: str
    still_text: str


def write_report(
    directory: Path,
    review: Mapping[str, Any],
    *,
    media: Mapping[int, ShotMedia] | None = None,
    clause_texts: Mapping[str, str] | None = None,
    video: str | None = None,
    language: str = "en",
) -> Path:
    """Write `report.html` into the folder, beside it first and then renamed, and give its path.

    Args:
        directory: Made if missing.
        review: The `cueref.review/1` object.
        media: By shot number.
        clause_texts: Clause id to one line, by default those of `read_clause_texts`; a clause without a text is shown by id.
        video: Name of the annotated video beside the report; by default `annotated.mp4` where it exists already.
        language: `en` or `ru`; the texts of the clauses are English in both.

    Raises:
        InputError: If `review` is not such an object; the message names the field.
        OSError: If the folder cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if video is None and (directory / VIDEO_NAME).exists():
        video = VIDEO_NAME
    page = render_report(review, media=media, clause_texts=clause_texts, video=video, language=language)
    target = directory / FILE_NAME
    partial = directory / (FILE_NAME + ".part")
    try:
        partial.write_text(page, encoding="utf-8")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target


def render_report(
    review: Mapping[str, Any],
    *,
    media: Mapping[int, ShotMedia] | None = None,
    clause_texts: Mapping[str, str] | None = None,
    video: str | None = None,
    language: str = "en",
) -> str:
    """The page as text; arguments and errors as for `write_report`."""
    words = find_words(language)
    texts = read_clause_texts() if clause_texts is None else clause_texts
    if review.get("format") != FORMAT:
        raise InputError(f"report: format must be {FORMAT!r}, found {review.get('format')!r}; give the output of cueref review --json")
    try:
        table = Table(_table_spec(review["table"]))
        players = review.get("players") or {}
        views = [
            _shot_view(shot, table, (media or {}).get(int(shot["number"]), ShotMedia()), texts, players, video, words)
            for shot in review["shots"]
        ]
        head = _head(review, table.spec, players, words)
        bad = [
            _Row(
                left=f"{_part(gap, words)}{clock_text(float(gap['from_s']))} {words.labels['to']} {clock_text(float(gap['to_s']))}",
                text=str(gap["why"]),
            )
            for gap in review.get("bad_intervals") or ()
        ]
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"report: missing or malformed field: {error}; give the output of cueref review --json") from error
    undecided = sum(view.badge == "undecided" for view in views)
    counts = {"shots": str(len(views)), "certain": str(len(views) - undecided), "undecided": str(undecided)}
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html").render(
        head=head,
        say=words.labels,
        language=words.language,
        shots=views,
        counts=fill(words.labels["counts"], counts, words),
        assumed=[str(line) for line in review.get("assumed") or ()],
        missing=[missing_text(item, words) for entry in review.get("ledger") or () for item in read_reasons(entry.get("missing") or ())],
        bad_intervals=bad,
        video=video or "",
        upright="{1:.1f} / {0:.1f}".format(*drawing_size(table)),
    )


def read_clause_texts() -> Mapping[str, str]:
    """One line for each clause of the rules, by its id."""
    texts: dict[str, str] = json.loads((_TEMPLATES / "clauses_en.json").read_text(encoding="utf-8"))
    return texts


def _table_spec(table: Mapping[str, Any]) -> TableSpec:
    try:
        mouths = find_table(str(table["name"]))
        corner, side = mouths.corner_mouth_m, mouths.side_mouth_m
    except InputError:
        corner = side = None
    return TableSpec(
        name=str(table["name"]),
        length_m=float(table["length_m"]),
        width_m=float(table["width_m"]),
        ball_diameter_m=float(table["ball_diameter_m"]),
        corner_mouth_m=corner,
        side_mouth_m=side,
        metric=bool(table.get("metric", True)),
    )


def _head(review: Mapping[str, Any], spec: TableSpec, players: Mapping[str, str], words: Words) -> Mapping[str, str]:
    labels = words.labels
    size = f"{spec.length_m * 1000:.0f} x {spec.width_m * 1000:.0f} mm" if spec.metric else labels["size_unknown"]
    residual = (review["table"].get("residual_mm") or {}).get("median")
    measured = isinstance(residual, int | float) and spec.metric
    fit = fill(labels["fitted"], {"residual": f"{residual:.1f}"}, words) if measured else ""
    ends = "" if review["table"].get("foot_known", True) else labels["ends"]
    score = review.get("score") or {}
    named = {player: player_name(player, players, words) for player in score}
    return {
        "game": game_name(str(review["game"]), words),
        "table": fill(labels["table"], {"name": spec.name, "size": size}, words) + fit + ends,
        "score": ", ".join(f"{named[player][:1].upper()}{named[player][1:]} {points}" for player, points in score.items()),
    }


def _shot_view(
    shot: Mapping[str, Any],
    table: Table,
    media: ShotMedia,
    clause_texts: Mapping[str, str],
    players: Mapping[str, str],
    video: str | None,
    words: Words,
) -> _ShotView:
    start_s, end_s = float(shot["start_s"]), float(shot["end_s"])
    verdict = str(shot["verdict"])
    shooter = (shot.get("state_before") or {}).get("shooter")
    still = f"data:image/jpeg;base64,{b64encode(media.still_jpeg).decode()}" if media.still_jpeg else ""
    return _ShotView(
        title=fill(words.labels["shot"], {"number": str(shot["number"])}, words),
        number=int(shot["number"]),
        time=_part(shot, words) + clock_text(start_s),
        shooter=player_name(str(shooter), players, words) if shooter else "",
        call=call_text(shot, players, words),
        tone=verdict,
        badge="undecided" if verdict == "undecided" else "certain",
        provisional=bool(shot.get("provisional")),
        diagram=Markup(draw_shot(table, shot, media.paths, words)),  # escapes every text itself
        has_paths=bool(media.paths),
        clauses=[_Row(left=str(clause), text=clause_texts.get(str(clause), "")) for clause in shot.get("clauses") or ()],
        reasons=reason_texts(shot, words),
        readings=_readings(shot, words) if verdict == "undecided" else (),
        facts=_facts(shot, words),
        doubts=[doubt_text(doubt, words) for doubt in shot.get("doubts") or ()],
        events=[_event_row(event, start_s, words) for event in shot.get("events") or ()],
        video=f"{_video_of(shot, video)}#t={max(0.0, start_s - _LEAD_IN_S):.2f},{end_s:.2f}" if video else "",
        still=still,
        still_text=words.labels.get(media.still_text or "still", media.still_text),
    )


def _part(item: Mapping[str, Any], words: Words) -> str:
    """Which recording a time belongs to, where there are several."""
    return fill(words.labels["part"], {"number": str(int(item["video"]))}, words) + ", " if "video" in item else ""


def _video_of(shot: Mapping[str, Any], first: str) -> str:
    """The annotated video of the recording that a shot is in: `annotated.mp4`, `annotated-2.mp4`, ..."""
    name = Path(first)
    number = int(shot.get("video", 1))
    return first if number == 1 else f"{name.stem}-{number}{name.suffix}"


def _readings(shot: Mapping[str, Any], words: Words) -> list[_Row]:
    rows = []
    for reading in shot.get("readings") or ():
        codes = ", ".join(foul_text(str(code), {}, words) for code in reading.get("foul_codes") or ())
        verdict = str(reading.get("verdict", ""))
        name = "open" if verdict == "undecided" else verdict
        said = words.labels.get(name, name) + (f" ({codes})" if codes else "")
        differs = reading_text(reading, words)
        rows.append(_Row(left=percent(float(reading["p"])), text=f"{said}: {differs}" if differs else said))
    return rows


def _facts(shot: Mapping[str, Any], words: Words) -> list[_Row]:
    """What the ruling rests on, each with its chance where that is not 1."""
    labels = words.labels
    names = {"none": labels["no_ball"], "unknown": labels["not_seen"]}
    contacts = sorted((shot.get("first_contact") or {}).items(), key=lambda item: -item[1])
    first = [f"{names.get(key) or ball_name(key, words)}{_chance(float(p))}" for key, p in contacts if p >= 0.001]
    rows = [_Row(left=labels["first_contact"], text=", ".join(first))] if first else []
    if "rail_after_contact" in shot:
        rows.append(_Row(left=labels["rail_after"], text=_likely(float(shot["rail_after_contact"]), labels)))
    fallen = [f"{ball_name(ball, words)}, {pocket_name(pocket, words)}" for ball, pocket in shot.get("pocketed") or ()]
    rows.append(_Row(left=labels["pocketed"], text="; ".join(fallen) or labels["nothing"]))
    gone = [ball_name(ball, words) for ball in shot.get("off_table") or ()]
    return [*rows, _Row(left=labels["off_table"], text=", ".join(gone))] if gone else rows


def _likely(p: float, labels: Mapping[str, str]) -> str:
    return f"{labels['yes']}{_chance(p)}" if p >= 0.5 else f"{labels['no']}{_chance(1 - p)}"


def _chance(p: float) -> str:
    return "" if p >= 0.9995 else f" ({percent(p)})"


def percent(p: float) -> str:
    """A probability for people; never a rounded "100 %" for what is not certain.

    >>> percent(0.873), percent(0.9999), percent(0.0002), percent(1.0)
    ('87 %', '> 99.9 %', '< 0.1 %', '100 %')
    """
    if p >= 1.0:
        return "100 %"
    if p > 0.999:
        return "> 99.9 %"
    if 0.0 < p < 0.001:
        return "< 0.1 %"
    return f"{100 * p:.1f} %" if p > 0.99 or p < 0.01 else f"{100 * p:.0f} %"


def _event_row(event: Mapping[str, Any], start_s: float, words: Words) -> _Row:
    t, p = float(event.get("t", 0.0)), float(event.get("p", 1.0))
    return _Row(left=clock_text(start_s + t), text=event_text(event, words) + _chance(p))
