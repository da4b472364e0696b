"""What the live server says to people beyond the rulings, in every language at once; standard library only."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.wording import LANGUAGES, ball_name, player_name, pocket_name
from referee.words import Words, fill

Text = dict[str, str]
"""Language to text."""

CAMERA: Mapping[str, Text] = {
    "starting": {"en": "The camera is starting.", "ru": "Камера запускается."},
    "ok": {"en": "The camera works.", "ru": "Камера работает."},
    "lost": {"en": "The camera is lost; trying again.", "ru": "Камера потеряна; подключаемся снова."},
    "frozen": {"en": "The picture stands still.", "ru": "Изображение застыло."},
    "grey": {"en": "The camera shows an empty picture.", "ru": "Камера показывает пустое изображение."},
    "moved": {
        "en": "The camera has been moved: nothing is judged until it stands as before, or the table is found again.",
        "ru": "Камеру сдвинули: судейства нет, пока она не встанет на место или стол не будет найден заново.",
    },
    "restarted": {"en": "The camera has started again.", "ru": "Камера перезапустилась."},
    "ended": {"en": "The recording is over.", "ru": "Запись закончилась."},
}
SAID: Mapping[str, Text] = {
    "push_out": {"en": "push-out declared", "ru": "объявлен пуш-аут"},
    "safety": {"en": "safety declared", "ru": "объявлен отыгрыш"},
    "ball": {"en": "called: {ball}, {pocket}", "ru": "заказ: {ball}, {pocket}"},
    "frozen": {"en": "declared frozen: {ball}", "ru": "объявлен стоящим вплотную: {ball}"},
    "touch": {"en": "touched: {ball}", "ru": "касание: {ball}"},
    "official": {"en": "the official states: {fact}", "ru": "судья установил: {fact}"},
    "decision": {"en": "decided: {option}", "ru": "решение: {option}"},
    "state": {"en": "set by hand: {fields}", "ru": "задано вручную: {fields}"},
    "rack": {"en": "new rack, player {breaker} breaks", "ru": "новая партия, разбивает игрок {breaker}"},
}
FACTS: Mapping[str, Text] = {
    "no_foot": {"en": "no foot on the floor", "ru": "ни одна нога не стояла на полу"},
    "balls_moving": {"en": "balls were moving", "ru": "шары ещё двигались"},
    "ball_moved": {"en": "a ball was moved", "ru": "шар сдвинут"},
    "outside_interference": {"en": "outside interference", "ru": "вмешательство извне"},
    "deliberate_interference": {"en": "deliberate interference", "ru": "умышленное вмешательство"},
    "placement_zone_request": {"en": "the zone was asked for", "ru": "спрошена зона установки"},
    "push": {"en": "push stroke", "ru": "пропих"},
    "tip_only": {"en": "not struck with the tip", "ru": "удар не наклейкой"},
    "illegal_jump": {"en": "illegal jump", "ru": "неправильный прыжок"},
    "responsibility": {"en": "disturbed by the player's things", "ru": "помеха от вещей игрока"},
    "unsportsmanlike": {"en": "unsportsmanlike conduct", "ru": "неспортивное поведение"},
    "stalemate": {"en": "stalemate", "ru": "безвыходное положение"},
}
ON: Mapping[str, Text] = {
    "any": {"en": "any ball", "ru": "любой шар"},
    "any_called": {"en": "any ball, called with its pocket", "ru": "любой шар с заказом лузы"},
}
SPOKEN: Mapping[str, Text] = {
    "ten": {"en": "Ten seconds.", "ru": "Десять секунд."},
    "time": {"en": "Time.", "ru": "Время."},
    "lost": {
        "en": "A shot could not be read or written and is not in the match: put it in by hand.",
        "ru": "Удар не удалось прочитать или записать, его нет в матче: внесите его вручную.",
    },
    "two_fouls": {"en": "{name} is on two fouls.", "ru": "{name}: два фола подряд."},
}
REFUSED: Mapping[str, Text] = {
    "reader": {"en": "only the official can do this", "ru": "это может только судья"},
    "moving": {"en": "balls are moving: declare before the stroke", "ru": "шары движутся: объявлять до удара"},
    "malformed": {"en": "the message cannot be read", "ru": "сообщение не разобрать"},
    "flood": {"en": "too many messages; slow down", "ru": "слишком много сообщений; помедленнее"},
    "too_large": {"en": "the message is too large", "ru": "сообщение слишком велико"},
    "not_written": {
        "en": "the match cannot be written to disk; nothing was changed",
        "ru": "запись на диск не удалась; ничего не изменено",
    },
}
NOT_JUDGED: Mapping[str, str] = {
    "lost": "the camera was lost",
    "frozen": "the picture stood still",
    "grey": "the picture was empty",
    "stalled": "no picture came for too long",
    "paused": "refereeing was paused",
}


def both(make: Callable[[Words], str]) -> Text:
    """A text in every language."""
    return {language: make(words) for language, words in LANGUAGES.items()}


def lists(make: Callable[[Words], Sequence[str]]) -> dict[str, list[str]]:
    """Several texts in every language."""
    return {language: list(make(words)) for language, words in LANGUAGES.items()}


def filled(text: Text, make: Callable[[Words], Mapping[str, str]]) -> Text:
    """A text of these tables with its values."""
    return {language: fill(text[language], make(words), words) for language, words in LANGUAGES.items()}


def plain(text: str) -> Text:
    """A text that there is in one language only."""
    return dict.fromkeys(LANGUAGES, text)


def said_text(kind: str, fields: Mapping[str, Any]) -> Text:
    """What a person said, from the log event."""
    if kind == "call":
        key = str(fields.get("kind"))
        return filled(
            SAID.get(key, plain(key)), lambda w: {"ball": ball_name(fields.get("ball"), w), "pocket": pocket_name(fields.get("pocket"), w)}
        )
    if kind == "state" and "frozen" in fields:
        return filled(SAID["frozen"], lambda w: {"ball": ", ".join(ball_name(item.get("ball"), w) for item in fields["frozen"])})
    if kind == "state":
        return filled(SAID["state"], lambda w: {"fields": ", ".join(key for key in fields if key != "time_s")})
    if kind == "official":
        return {
            key: text.replace("{fact}", FACTS.get(str(fields.get("fact")), plain(str(fields.get("fact"))))[key])
            for key, text in SAID["official"].items()
        }
    if kind == "touch":
        return filled(SAID["touch"], lambda w: {"ball": ball_name(fields.get("ball"), w)})
    return filled(SAID.get(kind, plain(kind)), lambda w: {key: str(value) for key, value in fields.items()})


def two_fouls_text(player: str, players: Mapping[str, str]) -> Text:
    """The warning to a player on two fouls (N9-13.3)."""
    return {
        key: text[:1].upper() + text[1:]
        for key, text in filled(SPOKEN["two_fouls"], lambda w: {"name": player_name(player, players, w)}).items()
    }
