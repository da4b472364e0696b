"""Every text that the rules, readings and report ask for is there, in every language."""

import re
from dataclasses import fields
from pathlib import Path
from string import Formatter

import pytest

from referee.phrases_ru import VALUES
from referee.rules.codes import EVENT_FIELDS, FIELD_VALUES, OPTION_CODES
from referee.ruling import Reason
from referee.wording import ENGLISH, LANGUAGES, find_words, reason_text
from referee.words import Words, fill
from tracker.shot import DOUBT_KINDS

REFEREE = Path(__file__).parents[2] / "referee"
TABLES = [field.name for field in fields(Words) if field.name not in ("language", "values")]
MADE = ('\\b(?:Reason|Foul)\\(\\s*"(\\w+)"', 'neutral\\(case, "(\\w+)"', '(?:key, values|key) = "(\\w+)"', 'key="(\\w+)"')
"""How the rules write the key of a reason."""


def written(folder: Path, *patterns: str) -> set[str]:
    """What the patterns find in the sources of a folder."""
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    return {key for pattern in patterns for key in re.findall(pattern, source)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_in_the_rules_has_a_sentence(language: str) -> None:
    """The keys of fouls and reasons written in the rules are keys of the words, in each language."""
    keys = written(REFEREE / "rules", *MADE)

    assert len(keys) > 80
    assert keys - set(find_words(language).reasons) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_foul_has_a_short_form(language: str) -> None:
    """A code that the rules can find is said aloud in each language."""
    codes = {*written(REFEREE / "rules", '\\bFoul\\(\\s*"(\\w+)"'), "THREE_FOULS"}

    assert len(codes) > 25
    assert codes - set(find_words(language).foul_calls) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_and_gap_has_a_text(language: str) -> None:
    """What the readings ask and what the ledger misses can be said, and so can events, doubts and choices."""
    words = find_words(language)

    assert written(REFEREE, 'Reason\\(\\s*"(\\w+)"') - {"WRONG_FIRST", "first_ball"} <= {*words.questions, *words.missing}
    assert set(EVENT_FIELDS) - {"clock", "official", "decision"} <= set(words.events)
    assert set(words.doubts) == set(DOUBT_KINDS)
    assert set(words.options) == set(OPTION_CODES)


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
@pytest.mark.parametrize("table", TABLES)
def test_languages_have_the_same_texts_with_the_same_places(language: str, table: str) -> None:
    """A text that one language lacks, or one that forgets a value, is found."""
    english, other = getattr(ENGLISH, table), getattr(find_words(language), table)

    assert set(other) == set(english)
    assert {key: places(other[key]) for key in other} == {key: places(english[key]) for key in english}
    assert all(text.strip() for text in other.values())


def places(text: str) -> set[str]:
    """The values that a text has places for."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_values_that_are_words_are_russian_too() -> None:
    """How a ball was touched and the stroke played, cushions and choices are English words in a log."""
    assert {*FIELD_VALUES["by"], *FIELD_VALUES["stroke"], *FIELD_VALUES["cushion"], *OPTION_CODES} - {"plain"} <= set(VALUES)


def test_sentence_takes_its_values() -> None:
    """Values fill their places; one that is missing shows and stops nothing; an unknown key shows itself."""
    assert reason_text(Reason("WRONG_FIRST", (), {"first": "5", "on": "3"})) == "The cue ball met the 5-ball first; the 3-ball was on."
    assert reason_text(Reason("WRONG_FIRST", (), {"on": "3"})) == "The cue ball met the ?-ball first; the 3-ball was on."
    assert reason_text(Reason("NEW_RULE", ())) == "NEW_RULE"


def test_value_is_put_into_the_language() -> None:
    """A list too, part by part; what is no word stays."""
    russian = find_words("ru")

    assert reason_text(Reason("TOUCH", (), {"ball": "5", "by": "sleeve"}), russian) == "Касание шара 5 (рукавом)."
    assert fill("{balls}", {"balls": "cue, 7"}, russian) == "биток, 7"


def test_choice_that_names_a_ball_is_said() -> None:
    """The code is put into words, the ball stays."""
    refused = Reason("refused", (), {"player": "A", "option": "CHOOSE_SPOT_BALL:3"})

    assert reason_text(refused) == "Player A may not choose the ball to be spotted (3) now; nothing changes."
    assert reason_text(refused, find_words("ru")) == "Игроку A сейчас не разрешено: выбрать выставляемый шар (3); ничего не меняется."
