"""14.1 matches of random strokes, choices and incidents: no exception, and what the clauses allow is all that changes."""

from collections.abc import Iterator
from dataclasses import replace
from math import hypot
from random import Random
from typing import Any

import pytest

from calibration.equipment import find_table
from referee.rules.base import Call, Case, Frozen, State, next_state
from referee.rules.codes import CUSHIONS, POCKETS
from referee.rules.options import Options
from referee.rules.straight_pool import RULES
from referee.ruling import Pair, Ruling, other
from tracker.shot import ShotEvent

TABLE = find_table("wpa-9ft")
GRID = [(0.0225 + 0.03 * i, 0.045 + 0.065 * j) for i in range(32) for j in range(15)]
"""Places farther apart than a ball, some of them in the rack, in the kitchen and near cushions."""
STROKES_PER_MATCH = 30
OFF = {"BREAK_VIOLATION": 2, "DELIBERATE": 16, "THREE_FOULS": 16}
"""What a code takes off where it is not one point."""
MIRROR = {"left": "right", "right": "left", **{a + b: a + ("R" if b == "L" else "L") for a in "HSF" for b in "LR"}}

Step = tuple[Case, Ruling, State]


def play(seed: int) -> Iterator[Step]:
    """A random match: cases, their rulings and the states after them."""
    rng = Random(seed)
    options = Options(
        s141_third_foul=rng.choice(("seed_choice", "forced_rerack")),
        s141_legal_miss_clears=rng.random() < 0.7,
        s141_deliberate_counts=rng.random() < 0.7,
        pool_pocketed_is_rail=rng.random() < 0.7,
    )
    blank = State(
        table=TABLE,
        shooter="A",
        phase="break",
        balls=("cue",),
        cue_ball="cue",
        cue_state="hand_kitchen",
        scores=Pair(0, 0),
        target=rng.choice((10, 40)),
        referee=rng.random() < 0.7,
    )
    state, skill = RULES.start(blank), rng.choice((0.2, 1.0, 1.0))
    for _ in range(STROKES_PER_MATCH):
        case = Case(state=a_situation(rng, state), events=(), options=options)
        case = replace(case, events=tuple(some_events(rng, case.state, skill)))
        ruling = RULES.judge(case)
        state = next_state(RULES, case.state, ruling)
        if ruling.turn == "lag":
            state = replace(state, shooter=rng.choice("AB"))
        state = replace(state, positions=places_after(case, ruling))
        yield case, ruling, state
        if ruling.match_over:
            return


def a_situation(rng: Random, state: State) -> State:
    """The state with a call, perhaps a frozen ball, and the cue ball placed where it is in hand."""
    balls = state.object_balls
    call = rng.choice(
        [Call(kind="safety"), None, *(Call(kind="ball", ball=rng.choice(balls), pocket=rng.choice(POCKETS)) for _ in range(4))]
    )
    frozen = (Frozen(ball=rng.choice(balls), to=rng.choice((*CUSHIONS, "cue")), declared=rng.random() < 0.7),) if rng.random() < 0.2 else ()
    return replace(state, call=call, frozen=frozen, striker=other(state.shooter) if rng.random() < 0.03 else None)


def some_events(rng: Random, state: State, skill: float) -> Iterator[ShotEvent]:
    """A decision, an incident or a stroke, in time order."""
    kind = rng.random()
    if state.phase.endswith("reply") and kind < 0.9:
        option = rng.choice(("ACCEPT_TABLE", "RERACK_OFFENDER_BREAKS", "SPOT_NEAREST"))
        yield an_event(0, "decision", by=rng.choice((state.shooter, state.shooter, other(state.shooter))), option=option)
    elif kind < 0.06:
        yield an_event(0, "decision", by=rng.choice("AB"), option=rng.choice(("SPOT_NEAREST", "RESTORE_BALL", "BIH_KITCHEN")))
    elif kind < 0.1:
        yield a_touch(rng, state, 0)
    elif kind < 0.12:
        yield an_event(0, "official", fact="outside_interference", restorable=rng.random() < 0.5)
    elif kind < 0.15:
        ball, pocket = rng.choice(state.object_balls), rng.choice(POCKETS)
        yield an_event(0, "spontaneous_drop", ball=ball, pocket=pocket, rest_s=rng.choice((1, 9)))
    else:
        yield from a_stroke(rng, state, skill)


def a_stroke(rng: Random, state: State, skill: float) -> Iterator[ShotEvent]:
    """A stroke; a skilled player makes the called ball, often with others, and seldom fouls."""
    if rng.random() < 0.05:
        yield a_touch(rng, state, -1)
    yield an_event(0, "cue_contact")
    if rng.random() < 0.2:
        yield an_event(1, "ball_cushion", ball="cue", cushion=rng.choice(CUSHIONS))
    gone: set[str] = set()
    if rng.random() < 0.95:
        yield an_event(2, "ball_ball", a="cue", b=rng.choice(state.object_balls))
        call = state.call
        if call is not None and call.ball is not None and rng.random() < 0.3 + 0.7 * skill:
            gone.add(call.ball)
            yield an_event(3, "pocketed", ball=call.ball, pocket=call.pocket if rng.random() < 0.5 + 0.5 * skill else rng.choice(POCKETS))
        for ball in state.balls:
            chance = rng.random() + (0.035 if ball == "cue" and skill == 1 else 0)
            if ball in gone:
                continue
            if chance < 0.02 + 0.1 * skill * (ball != "cue"):
                gone.add(ball)
                yield an_event(4, "pocketed", ball=ball, pocket=rng.choice(POCKETS))
            elif chance < 0.05 and skill < 1:
                gone.add(ball)
                yield an_event(4, "off_table", ball=ball, where="floor")
            elif chance < 0.2:
                yield an_event(4, "ball_cushion", ball=ball, cushion=rng.choice(CUSHIONS), from_frozen=rng.random() < 0.2)
    if rng.random() < 0.04:
        yield a_touch(rng, state, 5, deliberate=rng.random() < 0.5, ball_moving_to=rng.choice(("pocket", "rack_area")))
    left = [ball for ball in state.balls if ball not in gone]
    yield an_event(9, "stop", positions={ball: list(place) for ball, place in zip(left, rng.sample(GRID, len(left)), strict=True)})
    if rng.random() < 0.03:
        yield a_touch(rng, state, 10)


def a_touch(rng: Random, state: State, t: float, **fields: Any) -> ShotEvent:
    """A ball touched by somebody."""
    by = rng.choice(("sleeve", "hand", "hand_in_pocket", "cue_ball_in_hand"))
    return an_event(t, "touch", ball=rng.choice(state.balls), by=by, actor=rng.choice(("A", "B")), **fields)


def an_event(t: float, kind: str, **fields: Any) -> ShotEvent:
    """One event."""
    return ShotEvent(t=float(t), type=kind, fields=fields)


def places_after(case: Case, ruling: Ruling) -> dict[str, tuple[float, float]]:
    """Where balls are known to lie after the spotting; nowhere after a new rack."""
    if ruling.rerack != "none":
        return {}
    stop = next((event.fields["positions"] for event in case.events if event.type == "stop"), None)
    lying = dict(case.state.positions) if stop is None else {ball: (place[0], place[1]) for ball, place in stop.items()}
    lying |= dict(ruling.spotted_pos or {})
    if ruling.cue_next != "position":
        lying.pop("cue", None)
    return {ball: place for ball, place in lying.items() if ball in ruling.balls_after}


def check_step(case: Case, ruling: Ruling, after: State) -> None:
    """What the clauses allow, and nothing else."""
    state = case.state
    assert ruling.scores_after is not None
    assert ruling.fouls_after is not None
    for player in ("A", "B"):
        assert ruling.scores_after[player] == state.scores[player] + ruling.points_delta[player]
        assert 0 <= ruling.fouls_after[player] <= 2
    check_points(case, ruling)
    check_balls(case, ruling)
    assert ruling.match_over == (max(ruling.scores_after.a, ruling.scores_after.b) >= state.target)
    assert (ruling.winner is not None) == ruling.match_over
    assert ruling.turn in ("A", "B", "decide:A", "decide:B", "lag") or ruling.match_over
    assert not ruling.turn.startswith("decide") or ruling.options
    assert ruling.foul == bool(ruling.foul_codes)
    assert all(reason.clauses for reason in ruling.reasons)
    if not ruling.match_over:
        RULES.check(after)


def check_points(case: Case, ruling: Ruling) -> None:
    """S141-5, 6.3, 7.5b, 11, 12.4: a point a ball for the shooter only, and 1, 2 or 16 off for a foul, 16 at most by its codes."""
    shooter = case.state.shooter
    fell = sum(event.type in ("pocketed", "spontaneous_drop") and event.fields["ball"] != "cue" for event in case.events)
    costs = {1, *(OFF[code] for code in ruling.foul_codes if code in OFF)} if ruling.foul else set()
    for player in ("A", "B"):
        made = range(fell + 1) if player == shooter else range(1)
        assert ruling.points_delta[player] in {points - off for points in made for off in {0, *costs}}
    if ruling.offender is not None:
        made = range(fell + 1) if ruling.offender == shooter else range(1)
        assert ruling.points_delta[ruling.offender] in {points - off for points in made for off in costs}


def check_balls(case: Case, ruling: Ruling) -> None:
    """S141-8, 9, 1.3: what scored is down, all else is on the table once, and nothing spotted lies in another ball."""
    made = max(ruling.points_delta[case.state.shooter], 0)
    after = ruling.balls_after
    assert len(set(after)) == len(after)
    assert "cue" in after
    if ruling.rerack == "none" and not ruling.foul:
        dropped = sum(event.type == "spontaneous_drop" for event in case.events)
        assert len(case.state.balls) - made - dropped <= len(after) <= len(case.state.balls)
        assert len(after) == len(case.state.balls) - made
    elif ruling.rerack != "none":
        assert len(after) == 16
    places = {ball: place for ball, place in places_after(case, ruling).items() if ball != "cue" or ruling.cue_next == "position"}
    spotted = ruling.spotted_pos or {}
    for ball in spotted if ruling.rerack == "none" else ():
        for neighbour, place in places.items():
            if neighbour != ball:
                dx, dy = (place[0] - spotted[ball][0]) * TABLE.length_m, (place[1] - spotted[ball][1]) * TABLE.width_m
                assert hypot(dx, dy) > TABLE.ball_diameter_m - 1e-5


def swapped(value: Any) -> Any:
    """The same with A and B exchanged, in strings and keys of plain data."""
    if isinstance(value, dict):
        return {swapped(key): swapped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(swapped(item) for item in value)
    return {"A": "B", "B": "A", "decide:A": "decide:B", "decide:B": "decide:A"}.get(value, value) if isinstance(value, str) else value


def mirrored(value: Any) -> Any:
    """The same with left and right exchanged."""
    if isinstance(value, dict):
        return {key: mirrored(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        if len(value) == 2 and all(isinstance(item, float) for item in value):
            return type(value)((value[0], 1 - value[1]))
        return type(value)(mirrored(item) for item in value)
    return MIRROR.get(value, value) if isinstance(value, str) else value


def swapped_case(case: Case) -> Case:
    """The case with the players exchanged."""
    state = case.state

    def turned(pair: Pair[Any]) -> Pair[Any]:
        return Pair(pair.b, pair.a)

    changed = replace(
        state,
        shooter=other(state.shooter),
        striker=swapped(state.striker),
        scores=turned(state.scores),
        consecutive_fouls=turned(state.consecutive_fouls),
        warned=turned(state.warned),
        near_rail=swapped(dict(state.near_rail)),
        last_breaker=swapped(state.last_breaker),
    )
    return replace(case, state=changed, events=tuple(replace(e, fields=swapped(dict(e.fields))) for e in case.events))


def mirrored_case(case: Case) -> Case:
    """The case with left and right exchanged."""
    state, call = case.state, case.state.call
    changed = replace(
        state,
        positions=mirrored(dict(state.positions)),
        frozen=tuple(replace(item, to=mirrored(item.to)) for item in state.frozen),
        call=None if call is None else replace(call, pocket=mirrored(call.pocket)),
    )
    return replace(case, state=changed, events=tuple(replace(e, fields=mirrored(dict(e.fields))) for e in case.events))


def sorted_sets(data: dict[str, Any]) -> dict[str, Any]:
    """A ruling in which the order of players and balls put back means nothing, and places are rounded."""
    data = {key: sorted(value) if key in ("warn", "restored", "foul_codes") else value for key, value in data.items()}
    if data.get("spotted_pos"):
        data["spotted_pos"] = {ball: [round(x, 5) for x in place] for ball, place in data["spotted_pos"].items()}
    return data


def check_symmetry(case: Case, ruling: Ruling) -> None:
    """Swapping the players swaps the ruling; a mirrored table mirrors it."""
    assert sorted_sets(RULES.judge(swapped_case(case)).to_expect()) == sorted_sets(swapped(ruling.to_expect()))
    assert sorted_sets(RULES.judge(mirrored_case(case)).to_expect()) == sorted_sets(mirrored(ruling.to_expect()))


def check_match(seed: int) -> None:
    """One random match."""
    for case, ruling, after in play(seed):
        check_step(case, ruling, after)
        check_symmetry(case, ruling)


@pytest.mark.parametrize("seed", range(50))
def test_random_match(seed: int) -> None:
    """Invariants and symmetries hold through a whole match."""
    check_match(seed)


@pytest.mark.slow
def test_many_random_matches() -> None:
    """The same for two thousand matches."""
    for seed in range(1000, 3000):
        check_match(seed)


def test_random_matches_see_all_of_the_game() -> None:
    """The matches are worth something: racks, breaks, choices, third fouls and match ends all come up."""
    seen: set[str] = set()
    for seed in range(80):
        for case, ruling, _ in play(seed):
            seen |= {*ruling.foul_codes, ruling.rerack or "", case.state.phase, *(("won",) if ruling.match_over else ())}

    assert seen >= {"14", "15", "rebreak", "after_rerack", "break_reply", "three_foul_reply", "won"}
    assert seen >= {
        "BREAK_VIOLATION",
        "DELIBERATE",
        "FROZEN",
        "INTERFERENCE",
        "NO_CONTACT",
        "OB_OFF",
        "OUT_OF_TURN",
        "SCRATCH",
        "THREE_FOULS",
    }
