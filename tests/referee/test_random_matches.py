"""Random matches of every game through the log: no exception, and what must hold of any match whatever is played in it.

The generator plays strokes with doubt, calls, choices, touches and gaps in the record; it knows no game but by its rule
set, so that a new game is played as soon as it is listed.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from math import sqrt
from random import Random
from typing import Any

import pytest

from calibration.equipment import TableSpec, find_ball_set
from calibration.errors import InputError
from referee.calls import PersonEvent
from referee.log import format_log, parse_log
from referee.log_event import LogEvent, corrected
from referee.match import Match, MatchState, fold
from referee.rules.base import State
from referee.rules.codes import CUSHIONS, POCKETS
from referee.rules.games import RULESETS
from referee.ruling import other
from referee.wording import LANGUAGES, call_text, missing_text, reason_texts
from tracker.shot import Shot

GAMES = tuple(rules.game for rules in RULESETS)
STROKES = 6
FEW, MANY = 20, 2000
"""Matches a game in the fast and in the slow tests."""
MIRROR = {"left": "right", "right": "left", **{a + b: a + ("R" if b == "L" else "L") for a in "HSF" for b in "LR"}}
CERTAIN_SHARE = 0.85
"""Shots without any doubt among all: the others have readings to judge one by one."""


@cache
def played(game: str, seed: int) -> tuple[Match, tuple[tuple[int, MatchState], ...]]:
    """A match, and after each step the number of its events with the state then."""
    return play(game, seed)


def play(game: str, seed: int, strokes: int = STROKES) -> tuple[Match, tuple[tuple[int, MatchState], ...]]:
    """A random match, the same for the same seed."""
    rng = Random(f"{game} {seed}")
    race = {"nine_ball": 2, "classic_pyramid": 40}.get(game, 8)
    match = Match.start(game, race=race, referee=rng.random() < 0.7, assume_calls=rng.random() < 0.5)
    match.record("rack", breaker=rng.choice("AB"))
    steps = [(len(match.events), match.state)]
    for number in range(1, strokes + 1):
        state = match.state.state
        assert state is not None
        for option in some_decision(rng, match, state):
            match.record("decision", time_s=20.0 * number - 5, by=state.shooter, option=option)
            steps.append((len(match.events), match.state))
        state = match.state.state
        assert state is not None
        shot = a_shot(rng, game, match, state, number)
        ruling = match.record_shot(shot, list(some_people(rng, game, shot, state)))
        steps.append((len(match.events), match.state))
        if ruling.ruling.match_over or ruling.ruling.turn in ("none", "lag"):
            break
    return match, tuple(steps)


def some_decision(rng: Random, match: Match, state: State) -> Iterator[str]:
    """Sometimes one of the choices that are open, sometimes one that is not."""
    options = match.rulings[-1].ruling.options if match.rulings else ()
    if options and rng.random() < 0.6:
        option = rng.choice(options)
        balls = [ball for ball in state.balls if ball not in ("cue", "Y")]
        yield f"{option}:{rng.choice(balls)}" if option.startswith("CHOOSE") and ":" not in option else option
    elif rng.random() < 0.05:
        yield rng.choice(("RETURN_SHOT", "ACCEPT_TABLE", "PASS_BACK", "RESTORE_BALL", "SPOT_NEAREST"))


def some_people(rng: Random, game: str, shot: Shot, state: State) -> Iterator[PersonEvent]:
    """A call where the game has calls, a push-out where it has not, a touch or a fact now and then."""
    balls = [ball for ball in shot.before if ball != shot.cue_ball]
    if game in ("straight_14_1", "classic_pyramid") and rng.random() < 0.6:
        fell = [event.fields for event in shot.events if event.type == "pocketed" and event.fields["ball"] != shot.cue_ball]
        ball, pocket = (fell[0]["ball"], fell[0]["pocket"]) if fell and rng.random() < 0.8 else (rng.choice(balls), rng.choice(POCKETS))
        yield PersonEvent(time_s=shot.start_s - 3, type="call", fields={"kind": "ball", "ball": ball, "pocket": pocket})
    if state.phase == "after_break" and rng.random() < 0.5:
        yield PersonEvent(time_s=shot.start_s - 3, type="call", fields={"kind": "push_out"})
    if rng.random() < 0.06:
        fields = {"ball": rng.choice(list(shot.before)), "by": rng.choice(("sleeve", "hand")), "actor": rng.choice("AB")}
        yield PersonEvent(time_s=shot.start_s + rng.choice((-1.0, 1.0, 9.5)), type="touch", fields=fields)
    if rng.random() < 0.04:
        yield PersonEvent(time_s=shot.start_s - 0.5, type="official", fields={"fact": rng.choice(("no_foot", "balls_moving"))})


def a_shot(rng: Random, game: str, match: Match, state: State, number: int) -> Shot:
    """A stroke over the balls that the record has, now and then over one more or one less."""
    spec = match.setup.table
    cue = state.cue_ball
    if game == "free_pyramid" and state.phase != "break":
        cue = rng.choice(state.balls)
    balls = list(state.balls)
    is_rack = state.phase in ("break", "rebreak")
    if not is_rack and len(balls) > 3 and rng.random() < 0.05:
        balls.remove(rng.choice([ball for ball in balls if ball not in (cue, "9")]))
    before = (rack(game, spec) if is_rack else {}) or scattered(rng, spec, balls)
    on_table = list(before)
    events = list(some_events(rng, cue, on_table))
    sure = rng.random() < CERTAIN_SHARE
    if not sure:
        events = [event | ({"p": rng.choice((0.2, 0.6, 0.95))} if event["t"] > 0.5 and rng.random() < 0.4 else {}) for event in events]
    gone = {event["ball"] for event in events if event["type"] in ("pocketed", "off_table") and event.get("p", 1.0) >= 0.5}
    met = [event["b"] for event in events if event["type"] == "ball_ball"]
    driven = [event.get("p", 1.0) for event in events if event["type"] == "ball_cushion"]
    first: dict[str, float] = {met[0]: 1.0} if met else {"none": 1.0}
    if met and not sure and rng.random() < 0.5:
        first = {met[0]: 0.7, rng.choice([*[ball for ball in on_table if ball not in (cue, met[0])], "unknown"]): 0.3}
    line = {"format": "cueref.shot/1", "number": number, "start_s": 20.0 * number, "end_s": 20.0 * number + 9, "cue_ball": cue}
    line |= {"complete": True, "before": before, "events": events, "first_contact": first, "rail_before_contact": 0.0}
    line |= {"after": scattered(rng, spec, [ball for ball in on_table if ball not in gone])}
    return Shot.from_dict({**line, "rail_after_contact": max(driven, default=0.0) if met else 0.0})


def some_events(rng: Random, cue: str, balls: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Contacts, cushions, crossings, falls."""
    yield {"t": 0.0, "type": "cue_contact"}
    if rng.random() < 0.04:
        return
    objects = [ball for ball in balls if ball != cue]
    lowest = min(objects, key=lambda ball: int(ball.lstrip("w")) if ball.lstrip("w").isdecimal() else 0)
    first = lowest if rng.random() < 0.75 else rng.choice(objects)
    yield {"t": 0.4, "type": "ball_ball", "a": cue, "b": first}
    for ball in balls:
        chance = rng.random()
        if chance < (0.03 if ball == cue else 0.14):
            yield {"t": 3.0, "type": "pocketed", "ball": ball, "pocket": rng.choice(POCKETS)}
        elif chance < 0.16:
            yield {"t": 3.0, "type": "off_table", "ball": ball, "where": "floor"}
        elif chance < 0.4:
            yield {"t": 1.0, "type": "ball_cushion", "ball": ball, "cushion": rng.choice(CUSHIONS)}
        elif chance < 0.5:
            yield {"t": 2.0, "type": "centre_line", "ball": ball, "dir": "to_head"}


def scattered(rng: Random, spec: TableSpec, balls: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Places farther apart than two balls; the larger part of the table, pockets left out."""
    columns, rows = int(0.8 * spec.length_m / 0.15), int(0.8 * spec.width_m / 0.15)
    places = [((i - columns / 2) * 0.15 + 0.01, (j - rows / 2) * 0.15 + 0.02) for i in range(columns) for j in range(rows)]
    return dict(zip(balls, rng.sample(places, len(balls)), strict=True))


def rack(game: str, spec: TableSpec) -> dict[str, tuple[float, float]]:
    """The rack of the game on the foot spot, and the cue ball behind the head string."""
    cue, *balls = find_ball_set(game).balls
    widths = (1, 2, 3, 2, 1) if len(balls) == 9 else (1, 2, 3, 4, 5)
    places = [(row, column - (width - 1) / 2) for row, width in enumerate(widths) for column in range(width)]
    step = spec.ball_diameter_m
    layout = {
        ball: (spec.length_m / 4 + row * step * sqrt(3) / 2, across * step) for ball, (row, across) in zip(balls, places, strict=True)
    }
    return {cue: (-spec.length_m / 4 - 0.1, 0.0), **layout}


def check_rulings(match: Match) -> None:
    """Points are what changed, balls are there once, a ruling says who is next, and doubt names its question, in every language."""
    for ruling in match.rulings:
        found, before = ruling.ruling, ruling.state_before
        assert found.scores_after is not None
        assert [found.scores_after[p] - before.scores[p] for p in "AB"] == [found.points_delta[p] for p in "AB"]
        assert len(set(found.balls_after)) == len(found.balls_after)
        assert found.foul == bool(found.foul_codes)
        assert found.turn in ("A", "B", "decide:A", "decide:B", "lag") or found.match_over or found.rack_over
        assert all(reason.clauses for reason in found.reasons)
        assert 0.5 < sum(reading.p for reading in ruling.judgement.readings) < 1.001  # the unlikeliest are not judged
        assert ruling.certain or all(reading.question for reading in ruling.judgement.readings)
        said = ruling.to_dict()
        for words in LANGUAGES.values():
            texts = [call_text(said, None, words), *reason_texts(said, words)]
            assert not any(re.search(r"[?{]|[A-Z]_[A-Z]", text) for text in texts), texts


def check_ledger(match: Match) -> None:
    """The ledger books every stroke, its points lead to the score, innings change with the player, gaps can be said."""
    entries = match.state.ledger.entries
    assert [entry.shot for entry in entries] == [ruling.number for ruling in match.rulings]
    for entry, later in itertools.pairwise(entries):
        assert later.inning - entry.inning == (later.player != entry.player)
    for item in match.state.ledger.missing:
        assert all("?" not in missing_text(item, words) for words in LANGUAGES.values())


def swapped(value: Any) -> Any:
    """The same with A and B exchanged, in strings and keys of plain data."""
    if isinstance(value, dict):
        return {swapped(key): swapped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [swapped(item) for item in value]
    return {"A": "B", "B": "A", "decide:A": "decide:B", "decide:B": "decide:A"}.get(value, value) if isinstance(value, str) else value


def mirrored(value: Any) -> Any:
    """The same with left and right exchanged; pairs of numbers are places in metres."""
    if isinstance(value, dict):
        return {key: mirrored(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if len(value) == 2 and all(isinstance(item, float) for item in value):
            return [value[0], -value[1]]
        return [mirrored(item) for item in value]
    return MIRROR.get(value, value) if isinstance(value, str) else value


def comparable(ruling: dict[str, Any], *, flip: bool = False) -> dict[str, Any]:
    """What counts in a ruling: lists that are sets in order, places in fractions rounded and perhaps mirrored."""
    result = dict(ruling["result"])
    for name in ("warn", "restored", "foul_codes", "options"):
        if name in result:
            result[name] = sorted(result[name])
    for name in ("spotted_pos", "spotted_slots"):
        pairs = result.pop(name, None) or {}
        places = list(pairs.values()) if isinstance(pairs, dict) else pairs
        result[name] = sorted((round(u, 4), round(1 - v if flip else v, 4)) for u, v in places)
    names = ("verdict", "default", "turn", "foul_codes")
    return {"result": result, **{name: ruling[name] for name in names}, "off": ruling["off_table"]}


def check_swapped(match: Match) -> None:
    """Swapping the players swaps every ruling."""
    events = [replace(event, fields=swapped(dict(event.fields))) for event in corrected(match.events) if event.type != "ruling"]
    there = [comparable(swapped(ruling.to_dict())) for ruling in match.rulings]

    assert [comparable(ruling.to_dict()) for ruling in fold(match.setup, events).rulings] == there


def check_mirrored(match: Match) -> None:
    """A mirrored table changes nothing but left and right."""
    events = [replace(event, fields=mirrored(dict(event.fields))) for event in corrected(match.events) if event.type != "ruling"]
    here = [comparable(ruling.to_dict()) for ruling in match.rulings]

    assert [comparable(ruling.to_dict(), flip=True) for ruling in fold(match.setup, events).rulings] == here


def check_prefixes(match: Match, steps: Sequence[tuple[int, MatchState]]) -> None:
    """A fold over any prefix is the state then."""
    for count, state in steps:
        assert fold(match.setup, match.events[:count]) == state


def check_round_trip(match: Match) -> None:
    """What is written reads back to the same state and is written the same again."""
    lines = format_log(match)
    again = parse_log("".join(f"{line}\n" for line in lines))

    assert (again.state, format_log(again)) == (match.state, lines)


def check_corrections(match: Match, rng: Random) -> None:
    """Correcting equals playing the corrected match from the start; an undo brings back what was."""
    target = rng.choice([event for event in match.events if event.type in ("rack", "shot", "call", "decision")])
    fields = changed_fields(rng, target)
    copy = Match(match.setup, match.events)
    try:
        copy.correct(target.id, fields, void=fields is None)
    except InputError:
        assert copy.state == match.state
        with pytest.raises(InputError):
            replayed(match, target, fields)
        return
    check_same(copy.state, replayed(match, target, fields).state)
    check_rulings(copy)
    check_round_trip(copy)
    copy.undo()
    assert copy.state == match.state


def changed_fields(rng: Random, event: LogEvent) -> dict[str, Any] | None:
    """Another breaker, pocket or choice, other facts of a shot; None to make it void."""
    if event.type == "rack":
        return {"breaker": other(str(event.fields["breaker"]))}
    if event.type == "call":
        return {"kind": "safety", "ball": None, "pocket": None} if rng.random() < 0.3 else None
    if event.type == "decision":
        return {"option": "PLAY_POSITION"} if rng.random() < 0.5 else None
    shot = event.fields["shot"]
    kept = [item for item in shot["events"] if item["type"] != "pocketed" or rng.random() < 0.5]
    choices: tuple[dict[str, Any] | None, ...] = ({"events": kept}, {"rail_after_contact": 0.0}, {"first_contact": {"none": 1.0}}, None)
    return rng.choice(choices)


def replayed(match: Match, target: LogEvent, fields: dict[str, Any] | None) -> Match:
    """The match recorded from its start with that event as it should have been."""
    again = Match(match.setup)
    for event in match.events:
        if event.type == "ruling" or (event.id == target.id and fields is None):
            continue
        data = dict(event.fields)
        if event.type == "shot":
            data = {**data["shot"], **(fields or {})} if event.id == target.id else data["shot"]
            again.record_shot(Shot.from_dict(data))
        else:
            again.record(event.type, **{**data, **(fields or {})} if event.id == target.id else data)
    return again


def check_same(one: MatchState, two: MatchState) -> None:
    """Equal but for the ids of events that still wait for their shot."""
    assert replace(one, people=()) == replace(two, people=())


def check_match(game: str, seed: int) -> None:
    """What must hold of each ruling, and one in turn of what must hold of a whole match: each costs another match or two."""
    match, steps = played(game, seed)
    check_rulings(match)
    check_ledger(match)
    checks: tuple[Callable[[], None], ...] = (
        lambda: check_prefixes(match, steps),
        lambda: check_round_trip(match),
        lambda: check_swapped(match),
        lambda: check_mirrored(match),
        lambda: check_corrections(match, Random(seed)),
    )
    checks[seed % len(checks)]()


@pytest.mark.parametrize("game", GAMES)
def test_random_matches(game: str) -> None:
    """Everything holds for fifty matches of each game."""
    for seed in range(FEW):
        check_match(game, seed)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_many_random_matches(game: str) -> None:
    """The same for two thousand."""
    for seed in range(FEW, FEW + MANY):
        check_match(game, seed)
        played.cache_clear()


@pytest.mark.parametrize("game", GAMES)
def test_random_matches_see_much_of_the_game(game: str) -> None:
    """The matches are worth something: fouls, points, choices, doubt and certainty all come up."""
    rulings = [ruling for seed in range(FEW) for ruling in played(game, seed)[0].rulings]
    codes = {code for ruling in rulings for code in ruling.ruling.foul_codes}

    assert len(codes) >= 6
    assert any(ruling.ruling.options for ruling in rulings)
    assert any(ruling.ruling.points_delta != type(ruling.ruling.points_delta)(0, 0) for ruling in rulings)
    assert {ruling.verdict for ruling in rulings} == {"legal", "foul", "undecided"}
