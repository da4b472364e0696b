"""What a person makes of an undecided shot: it stands, it is overturned, or it is too close to call; plain module.

The facts stay as the camera saw them, with their doubt; the decision is written beside them in the log, as a field
`decided` of the shot. It names the ruling by what it says, not by a place in a list, so that it still holds when an
earlier correction has the shot judged again. Where no possible ruling says so any more, the shot is undecided again.

    stands      the rule book's default, which was in force until now
    overturned  another ruling that the readings allow, the likeliest of those named
    too_close   looked at and not to be told: the default, for good
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from calibration.errors import InputError
from referee.readings import JudgedReading, Judgement, find_verdict
from referee.ruling import Ruling

WORDS = ("stands", "overturned", "too_close")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One ruling that a person can decide for.

    Attributes:
        word: One of `WORDS`.
        ruling: What then holds.
        p: Probability of the readings that give it; of open readings, which have none, their share.
    """

    word: str
    ruling: Ruling
    p: float


def choices(judgement: Judgement) -> tuple[Choice, ...]:
    """What can be decided on a shot, the default first and `too_close` last; empty where it is certain."""
    if judgement.certain:
        return ()
    chances: list[tuple[Ruling, float]] = []
    for reading in judgement.readings:
        for ruling in rulings_of(reading):
            known = next((index for index, (other, _) in enumerate(chances) if _says_same(other, ruling)), None)
            if known is None:
                chances.append((ruling, reading.p))
            else:
                chances[known] = (chances[known][0], chances[known][1] + reading.p)
    default = judgement.ruling
    p_default = next((p for ruling, p in chances if _says_same(ruling, default)), 0.0)
    others = [Choice(word="overturned", ruling=ruling, p=min(p, 1.0)) for ruling, p in chances if not _says_same(ruling, default)]
    others.sort(key=lambda choice: (choice.ruling.foul == default.foul, -choice.p))
    first, last = (Choice(word=word, ruling=default, p=min(p_default, 1.0)) for word in ("stands", "too_close"))
    return (first, *others, last)


def decision_of(judgement: Judgement, word: str, index: int | None = None) -> dict[str, Any]:
    """The field `decided` of a shot line for a word and, where several rulings are possible, a place in `choices`.

    Raises:
        InputError: If the shot is not undecided, or nothing can be decided so.
    """
    if word not in WORDS:
        raise InputError(f"decided.word: must be one of {', '.join(WORDS)}, found {word!r}")
    possible = choices(judgement)
    if not possible:
        raise InputError("the shot is not undecided; correct its facts instead")
    if index is not None and not (0 <= index < len(possible) and possible[index].word == word):
        raise InputError(f"decided.choice: {index} is no choice that is {word}")
    picked = possible[index] if index is not None else next((choice for choice in possible if choice.word == word), None)
    if picked is None:
        raise InputError("no other ruling is possible on what was seen; correct the facts instead")
    return {"word": word, **_said(picked.ruling)}


def with_decision(judgement: Judgement, decided: Mapping[str, Any] | None) -> tuple[Judgement, str]:
    """The judgement as a person decided it, and the word; unchanged, with no word, where nothing was or need be decided."""
    if not decided or judgement.certain:
        return judgement, ""
    word = str(decided.get("word"))
    for choice in choices(judgement):
        said = _said(choice.ruling)
        if choice.word == word and all(said.get(key) == value for key, value in decided.items() if key != "word"):
            return replace(judgement, certain=True, ruling=choice.ruling), word
    return judgement, ""


def rulings_of(reading: JudgedReading) -> Sequence[Ruling]:
    """The rulings that a reading gives or may give."""
    return reading.candidates or ((reading.ruling,) if reading.ruling is not None else ())


def _said(ruling: Ruling) -> dict[str, Any]:
    """What tells a ruling from another for those at the table."""
    return {
        "verdict": find_verdict(ruling),
        "foul_codes": list(ruling.foul_codes),
        "turn": ruling.turn,
        "points_delta": ruling.points_delta.to_dict(),
        "spotted": list(ruling.spotted),
    }


def _says_same(one: Ruling, two: Ruling) -> bool:
    return _said(one) == _said(two)
