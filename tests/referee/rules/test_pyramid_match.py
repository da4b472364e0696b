"""Random pyramid games: nothing breaks, the ledger holds, players and sides can be swapped."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from calibration.equipment import find_table
from referee.rules.base import Call, Case, State, next_state
from referee.rules.options import Options
from referee.rules.pyramid import RULES, Pyramid
from referee.rules.pyramid_variants import BALLS
from referee.ruling import Pair, Ruling
from referee.words_en import REASONS
from tracker.shot import ShotEvent

GAMES, MANY_GAMES = 8, 150
STROKES = 60
CUSHIONS, POCKETS = ("head", "foot", "left", "right"), ("HL", "HR", "SL", "SR", "FL", "FR")
OPPOSITE = {"left": "right", "right": "left", "HL": "HR", "HR": "HL", "SL": "SR", "SR": "SL", "FL": "FR", "FR": "FL"}
OPTIONS = (
    Options(),
    Options(pyr_cond20="chain", pyr_pass_back=False, pyr_classic_penalty="offender_minus_5"),
    Options(pyr_cond20="seed_only", pyr_dynamic_penalty_hand="house", pyr_break_fail="rerack_offender"),
)


def random_stroke(rng: random.Random, state: State) -> Iterator[ShotEvent]:
    """Events that can follow one another, likely and unlikely ones."""
    on_bed, t = list(state.balls), 0.0
    yield ShotEvent(t=0.0, type="cue_contact")
    if rng.random() < 0.9:
        yield ShotEvent(t=0.1, type="ball_ball", fields={"a": state.cue_ball, "b": rng.choice(state.object_balls)})
    for _ in range(rng.randrange(7)):
        if len(on_bed) < 2:
            break
        t += 0.2
        ball = rng.choice(on_bed)
        kind = rng.choice(("ball_ball", "ball_cushion", "ball_cushion", "centre_line", "pocketed", "off_table", "rail_top", "touch"))
        if kind in ("off_table", "touch") and rng.random() < 0.7:
            continue
        if kind in ("pocketed", "off_table"):
            on_bed.remove(ball)
        fields: dict[str, dict[str, Any]] = {
            "ball_ball": {"a": ball, "b": rng.choice([other for other in state.balls if other != ball])},
            "ball_cushion": {"ball": ball, "cushion": rng.choice(CUSHIONS)},
            "centre_line": {"ball": ball, "dir": "to_head"},
            "pocketed": {"ball": ball, "pocket": rng.choice(POCKETS)},
            "off_table": {"ball": ball, "where": "floor"},
            "rail_top": {"ball": ball},
            "touch": {"ball": ball, "by": "hand", "actor": rng.choice(("A", "B"))},
        }
        yield ShotEvent(t=t, type=kind, fields=fields[kind])
    yield ShotEvent(t=9.0, type="stop", fields={"positions": dict(_scattered(rng, on_bed))})


def _scattered(rng: random.Random, balls: list[str]) -> Iterator[tuple[str, list[float]]]:
    places = [(u / 20, v / 10) for u in range(1, 20) for v in range(1, 10)]
    yield from ((ball, list(place)) for ball, place in zip(balls, rng.sample(places, len(balls)), strict=True))


def random_cases(rules: Pyramid, seed: int) -> Iterator[tuple[Case, Ruling]]:
    """The strokes and choices of a game, each with its ruling."""
    rng = random.Random(seed)
    options = rng.choice(OPTIONS)
    state = State(
        table=find_table("pyramid-12ft"),
        shooter="A",
        phase="normal",
        balls=BALLS,
        cue_ball="Y",
        cue_state="position",
        scores=Pair(0, 0),
        target=71 if rules.variant.is_called else 8,
    )
    state = rules.start(state)
    asked: tuple[str, ...] = ()
    for _ in range(STROKES):
        events: tuple[ShotEvent, ...] = tuple(_choices(rng, state, asked))
        if not events:
            state = _prepared(rng, rules, state)
            events = tuple(random_stroke(rng, state))
        case = Case(state=state, events=events, options=options)
        ruling = rules.judge(case)
        yield case, ruling
        if ruling.rack_over or ruling.turn == "lag":
            return
        asked = () if ruling.declaration_rejected else ruling.options
        state = next_state(rules, state, ruling)


def _choices(rng: random.Random, state: State, asked: tuple[str, ...]) -> Iterator[ShotEvent]:
    option = rng.choice(asked) if asked else None
    if "CHOOSE_PENALTY_BALL" in asked or "CHOOSE_REMOVED_BALL" in asked:
        option = next(option for option in asked if option.startswith("CHOOSE"))
    if option is not None and not option.startswith("BIH"):
        ball = rng.choice([ball for ball in state.balls if ball != "Y"])
        named = f"{option}:{ball}" if option.startswith("CHOOSE") else option
        yield ShotEvent(t=0.0, type="decision", fields={"by": state.shooter, "option": named})


def _prepared(rng: random.Random, rules: Pyramid, state: State) -> State:
    if rules.variant.cue_ball is None and state.phase not in ("break", "rebreak"):
        state = replace(state, cue_ball=rng.choice(state.balls))
    elif rules.variant.cue_ball is not None:
        state = replace(state, cue_ball="Y")
    if rules.variant.is_called:
        state = replace(state, call=Call(kind="ball", ball=rng.choice(state.object_balls), pocket=rng.choice(POCKETS)))
    return state


def swapped_players(case: Case) -> Case:
    """The same with A and B exchanged."""
    swap = {"A": "B", "B": "A"}
    state = replace(case.state, shooter=swap[case.state.shooter], scores=Pair(case.state.scores.b, case.state.scores.a))
    events = (
        replace(e, fields={k: swap.get(v, v) if k in ("actor", "by") and isinstance(v, str) else v for k, v in e.fields.items()})
        for e in case.events
    )
    return replace(case, state=state, events=tuple(events))


def mirrored(case: Case) -> Case:
    """The same with left and right exchanged."""
    call = case.state.call
    call = None if call is None else replace(call, pocket=OPPOSITE.get(call.pocket or "", call.pocket))

    def flipped(event: ShotEvent) -> ShotEvent:
        fields = {k: OPPOSITE.get(v, v) if isinstance(v, str) else v for k, v in event.fields.items()}
        if "positions" in fields:
            fields["positions"] = {ball: [u, 1 - v] for ball, (u, v) in fields["positions"].items()}
        return replace(event, fields=fields)

    return replace(case, state=replace(case.state, call=call), events=tuple(map(flipped, case.events)))


def check_game(rules: Pyramid, seed: int) -> None:
    """Every invariant on every ruling of one random game."""
    for case, ruling in random_cases(rules, seed):
        before, after = case.state.scores, ruling.scores_after
        assert after is not None
        assert after == Pair(before.a + ruling.points_delta.a, before.b + ruling.points_delta.b)
        assert ruling.foul == bool(ruling.foul_codes)
        assert {reason.key for reason in ruling.reasons} <= set(REASONS)
        assert set(ruling.balls_after) <= set(case.state.balls)
        assert ruling.rack_over == (ruling.turn == "none")
        if not rules.variant.is_called:
            booked = sum(option.startswith("CHOOSE") for option in ruling.options)
            assert len(BALLS) - after.a - after.b <= len(ruling.balls_after) <= len(BALLS) - after.a - after.b + max(booked, 1)
        for spotted, place in (ruling.spotted_pos or {}).items():
            assert spotted in ruling.balls_after
            assert place[1] == 0.5
        other = rules.judge(swapped_players(case))
        assert other.points_delta == Pair(ruling.points_delta.b, ruling.points_delta.a)
        assert (set(other.foul_codes), other.options, other.cue_next) == (set(ruling.foul_codes), ruling.options, ruling.cue_next)
        assert rules.judge(mirrored(case)).to_expect() == ruling.to_expect()


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.game)
def test_random_games(rules: Pyramid) -> None:
    """No exception; points and balls agree; swapping players swaps the result; a mirrored table changes nothing."""
    for seed in range(GAMES):
        check_game(rules, seed)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.game)
def test_many_random_games(rules: Pyramid) -> None:
    """The same, many more."""
    for seed in range(GAMES, MANY_GAMES):
        check_game(rules, seed)
