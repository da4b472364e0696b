"""What the referee can say in one language: tables of texts with places for values; plain module, standard library only.

Every language fills the same tables with the same keys (`referee.words_en`, `referee.words_ru`); a test finds what is
missing. How they are put together is in `referee.wording`, once for all languages: terminal, report and video.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Texts = Mapping[str, str]
"""Key to a text; `{name}` in it is a place for a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The texts of one language. All tables are read only.

    Attributes:
        language: `en`, `ru`.
        reasons: Key of a `referee.ruling.Reason` (a foul code or a step of the reasoning) to its sentence.
        foul_calls: Foul code to its short form, as said aloud.
        plain_fouls: The short form where the values that it needs are not known.
        questions: What separates the readings of an undecided shot.
        missing: What the ledger says must be missing from the record.
        cue_next: Where the next cue ball is played from, as said aloud.
        options: Choices, as what a player may do.
        games: Names of the games.
        pockets: Names of the pockets.
        balls: Names of balls: `cue`, `Y`, `white`, `number`, `any` (with {ball}), `none`.
        events: Events of a shot.
        doubts: Kinds of doubt.
        values: Values that are words themselves (`sleeve`, `jump`, `head`) in this language; others stay.
        phrases: The parts that calls are put together from.
        labels: Headings and remarks of the report.
    """

    language: str
    reasons: Texts
    foul_calls: Texts
    plain_fouls: Texts
    questions: Texts
    missing: Texts
    cue_next: Texts
    options: Texts
    games: Texts
    pockets: Texts
    balls: Texts
    events: Texts
    doubts: Texts
    values: Texts
    phrases: Texts
    labels: Texts


def value_text(value: str, words: Words) -> str:
    """A value in the language; of `CODE:ball` the code is, and the ball stays."""
    code, colon, ball = value.partition(":")
    if value in words.values or code not in words.values or not colon:
        return words.values.get(value, value)
    return f"{words.values[code]} ({ball})"


def fill(text: str, values: Texts, words: Words) -> str:
    """The text with its values; one that is missing shows as a question mark rather than stopping the referee.

    A value may be a list with commas; each of its parts is put into the language.
    """
    for key, value in values.items():
        said = ", ".join(value_text(part, words) for part in value.split(", "))
        text = text.replace("{" + key + "}", said)
    head, *rest = text.split("{")
    return head + "".join("?" + part.partition("}")[2] for part in rest)
