"""Rulings and events in a referee's words, put together once for terminal, report and video; standard library only.

Input is a shot of the `cueref.review/1` object (design.md), which holds the reasoning as keys and values, so that it
can be said in any language there is. Unknown keys are shown as they stand: a new rule must never be hidden by a
missing word.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.equipment import BallId
from calibration.errors import InputError
from referee import words_en, words_ru
from referee.ruling import Reason
from referee.words import Words, fill, value_text

Shot = Mapping[str, Any]
"""A shot of the review object."""

ENGLISH = words_en.WORDS
LANGUAGES: Mapping[str, Words] = {words.language: words for words in (ENGLISH, words_ru.WORDS)}


def find_words(language: str) -> Words:
    """The texts of a language.

    Raises:
        InputError: If there are none.
    """
    if language not in LANGUAGES:
        raise InputError(f"no texts in the language {language!r}; there are {', '.join(LANGUAGES)}")
    return LANGUAGES[language]


def reason_text(reason: Reason, words: Words = ENGLISH) -> str:
    """The sentence of a reason.

    >>> reason_text(Reason("WRONG_FIRST", ("N9-8",), {"first": "5", "on": "3"}))
    'The cue ball met the 5-ball first; the 3-ball was on.'
    """
    return fill(words.reasons.get(reason.key, reason.key), reason.values, words)


def question_text(questions: Sequence[Reason], words: Words = ENGLISH) -> str:
    """What separates readings, in words.

    >>> question_text([Reason("first_ball", (), {"one": "3", "two": "5"})])
    'first ball 3 or 5'
    """
    return "; ".join(fill(words.questions.get(item.key, item.key), item.values, words) for item in questions)


def missing_text(item: Reason, words: Words = ENGLISH) -> str:
    """What the ledger says must be missing."""
    return fill(words.missing.get(item.key, item.key), item.values, words)


def read_reasons(items: Sequence[Mapping[str, Any]]) -> list[Reason]:
    """Reasons or questions of a review object."""
    return [Reason(str(item["key"]), tuple(item.get("clauses") or ()), item.get("values") or {}) for item in items]


def ball_name(ball: BallId | None, words: Words = ENGLISH) -> str:
    """How a referee calls a ball.

    >>> ball_name("cue"), ball_name("3"), ball_name("w2"), ball_name(None)
    ('cue ball', '3-ball', 'white 2', 'a ball')
    """
    if ball is None:
        return words.balls["none"]
    if ball in ("cue", "Y"):
        return words.balls[ball]
    if ball.startswith("w") and ball[1:].isdecimal():
        return fill(words.balls["white"], {"n": ball[1:]}, words)
    return fill(words.balls["number" if ball.isdecimal() else "any"], {"n": ball}, words)


def pocket_name(pocket: str | None, words: Words = ENGLISH) -> str:
    """A pocket in words; an unknown one as it stands."""
    return words.pockets.get(pocket or "any", str(pocket))


def game_name(game: str, words: Words = ENGLISH) -> str:
    """A game in words; an unknown one as it stands."""
    return words.games.get(game, game)


def clock_text(time_s: float) -> str:
    """A time of the recording as a person reads it off a player.

    >>> clock_text(72.049), clock_text(3675.5)
    ('1:12.05', '1:01:15.50')
    """
    hundredths = round(time_s * 100)
    minutes, rest = divmod(abs(hundredths), 6000)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if hundredths < 0 else ""
    start = f"{hours}:{minutes:02d}" if hours else f"{minutes}"
    return f"{sign}{start}:{rest / 100:05.2f}"


def event_text(event: Mapping[str, Any], words: Words = ENGLISH) -> str:
    """One event of a shot in words, without its time.

    >>> event_text({"type": "ball_ball", "a": "cue", "b": "3"})
    'cue ball meets 3-ball'
    """
    kind = str(event.get("type"))
    values = {name: ball_name(event.get(name), words) for name in ("ball", "a", "b")}
    values |= {"pocket": pocket_name(event.get("pocket"), words), "cushion": str(event.get("cushion")), "by": str(event.get("by", "other"))}
    return fill(words.events.get(kind, kind.replace("_", " ")), values, words)


def doubt_text(doubt: Mapping[str, Any], words: Words = ENGLISH) -> str:
    """A doubt; its own sentence is English, so that other languages say its kind and the balls."""
    kind = str(doubt.get("kind", ""))
    if words is ENGLISH:
        return str(doubt.get("text") or words.doubts.get(kind, kind))
    balls = ", ".join(ball_name(ball, words) for ball in doubt.get("balls") or ())
    said = words.doubts.get(kind, kind)
    return _capital(f"{said}: {balls}" if balls else said)


def player_name(player: str, players: Mapping[str, str] | None, words: Words = ENGLISH) -> str:
    """The name given for A or B, else "player A"; "A" itself is no name."""
    name = (players or {}).get(player)
    return name if name and name != player else fill(words.phrases["player"], {"player": player}, words)


def call_text(shot: Shot, players: Mapping[str, str] | None = None, words: Words = ENGLISH) -> str:
    """The call of one shot in one line, as it would be spoken.

    Args:
        shot: A shot of the review object.
        players: Names for A and B where given.
        words: The language.

    >>> call_text({"verdict": "foul", "foul_codes": ["WRONG_FIRST"], "first_contact": {"5": 1.0}, "turn": "B",
    ...            "result": {"cue_next": "hand_anywhere"}})
    'Foul: 5-ball first. Ball in hand.'
    """
    if shot.get("verdict") == "undecided":
        return _undecided(shot, words)
    said = _spoken(shot, words)
    result: Mapping[str, Any] = shot.get("result") or {}
    spotted = [ball_name(ball, words) for ball in result.get("spotted") or ()]
    if spotted:
        said.append(_capital(fill(words.phrases["spotted"], {"balls": _join(spotted, words)}, words)))
    return " ".join([*said, *_next(shot, result, players, words)])


def foul_text(code: str, shot: Shot, words: Words = ENGLISH) -> str:
    """A foul code in words, with the balls where the shot tells them."""
    text = words.foul_calls.get(code, words.plain_fouls.get(code, code))
    values = next((reason.values for reason in read_reasons(shot.get("reasoning") or ()) if reason.key == code), {})
    if "{" not in text:
        return text
    contacts = {key: p for key, p in (shot.get("first_contact") or {}).items() if key not in ("none", "unknown")}
    if not values and code == "WRONG_FIRST" and contacts:
        values = {"first": max(contacts, key=lambda key: contacts[key])}
    gone = [str(ball) for ball in shot.get("off_table") or () if ball != shot.get("cue_ball")]
    if not values and code in ("OB_OFF", "BALL_OFF") and gone:
        values = {"balls": ", ".join(gone)}
    return fill(text, values, words) if values else words.plain_fouls.get(code, fill(text, {}, words))


def reason_texts(shot: Shot, words: Words = ENGLISH) -> list[str]:
    """The reasoning of a shot, a sentence each; where undecided first what is not established.

    A shot of an old review holds sentences only, and keeps them.
    """
    if "reasoning" not in shot:
        return [str(reason) for reason in shot.get("reasons") or ()]
    texts = [reason_text(reason, words) for reason in read_reasons(shot["reasoning"])]
    if shot.get("verdict") != "undecided":
        return texts
    open_ = dict.fromkeys(_asked(shot, words))
    return [*(fill(words.phrases["not_established"], {"why": why}, words) for why in open_), *texts]


def reading_text(reading: Mapping[str, Any], words: Words = ENGLISH) -> str:
    """What separates a reading of a shot from the others."""
    return question_text(read_reasons(reading["question"]), words) if "question" in reading else str(reading.get("differs") or "")


def _asked(shot: Shot, words: Words) -> list[str]:
    return [text for reading in shot.get("readings") or () if (text := reading_text(reading, words))]


def _spoken(shot: Shot, words: Words) -> list[str]:
    """The call itself."""
    fallen = [ball_name(str(ball), words) for ball, _ in shot.get("pocketed") or ()]
    if shot.get("verdict") == "foul":
        fouls = ", ".join(foul_text(str(code), shot, words) for code in shot.get("foul_codes") or ())
        return [fill(words.phrases["foul"], {"fouls": fouls}, words)]
    call = (shot.get("state_before") or {}).get("call") or {}
    if call.get("kind") == "push_out":
        return [words.phrases["push_out"]]
    return [fill(words.phrases["legal_made"], {"balls": _join(fallen, words)}, words) if fallen else words.phrases["legal"]]


def _undecided(shot: Shot, words: Words) -> str:
    why = "; ".join(list(dict.fromkeys(_asked(shot, words)))[:2]) or next(iter(shot.get("reasons") or ()), "")
    default = words.phrases.get(f"stands_{shot.get('default')}")
    stands = [fill(words.phrases["stands"], {"default": default}, words)] if default else []
    said = fill(words.phrases["undecided_why"], {"why": why.rstrip(".")}, words) if why else words.phrases["undecided"]
    return " ".join([said, *stands])


def _next(shot: Shot, result: Mapping[str, Any], players: Mapping[str, str] | None, words: Words) -> list[str]:
    """Who goes on, and from where. After a foul the hand says it all: it is the opponent's."""
    phrases, turn = words.phrases, str(shot.get("turn") or result.get("turn") or "")
    for over in ("match", "rack"):
        if result.get(f"{over}_over"):
            winner = result.get("winner")
            values = {"name": player_name(str(winner), players, words)}
            return [fill(phrases[f"{over}_to"], values, words) if winner else phrases[f"{over}_over"]]
    player = turn.removeprefix("decide:")
    if player not in ("A", "B"):
        return [phrases["lag"]] if player == "lag" else []
    name = player_name(player, players, words)
    cue_next = words.cue_next.get(str(result.get("cue_next")))
    if cue_next is not None:
        plain = shot.get("verdict") == "foul" and "hand" in str(result.get("cue_next"))
        return [f"{cue_next}." if plain else fill(phrases["cue_for"], {"cue": cue_next, "name": name}, words)]
    if turn.startswith("decide:"):
        options = f" {phrases['or']} ".join(value_text(str(option), words) for option in result.get("options") or ())
        return [_capital(fill(phrases["decides_options" if options else "decides"], {"name": name, "options": options}, words))]
    shooter = (shot.get("state_before") or {}).get("shooter")
    said = [_capital(fill(phrases["continues" if turn == shooter else "to_shoot"], {"name": name}, words))]
    return [*said, phrases["push_out_open"]] if result.get("push_out_available") else said


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _join(items: Sequence[str], words: Words) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {words.phrases['and']} {items[-1]}"
