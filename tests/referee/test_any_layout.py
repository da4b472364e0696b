"""Whatever a camera makes of the table, a shot is judged: one that is refused is lost, and every shot after it."""

from random import Random
from typing import Any

import pytest

from calibration.equipment import TableSpec
from referee.match import Match
from referee.rules.codes import POCKETS
from referee.rules.games import RULESETS, find_ruleset
from tracker.shot import Shot

GAMES = tuple(rules.game for rules in RULESETS)


def any_shot(rng: Random, game: str, number: int, table: TableSpec) -> Shot:
    """Balls anywhere, any of them missing from the layout, the cue ball too; any ball struck, or none."""
    names = find_ruleset(game).ball_set.balls
    some = rng.sample(names, rng.choice((0, 1, 2, 4, len(names) - 2, len(names) - 1, len(names))))
    before = {ball: (rng.uniform(-0.45, 0.45) * table.length_m, rng.uniform(-0.45, 0.45) * table.width_m) for ball in some}
    cue = rng.choice((None, names[0], names[0], names[0], rng.choice(names)))
    others = [ball for ball in before if ball != cue]
    first = rng.choice(others) if others and rng.random() < 0.8 else None
    fell = [ball for ball in before if rng.random() < 0.15]
    events: list[dict[str, Any]] = [] if cue is None else [{"t": 0.0, "type": "cue_contact"}]
    if cue and first:
        events.append({"t": 0.3, "type": "ball_ball", "a": cue, "b": first})
    events += [{"t": 1.0 + k, "type": "pocketed", "ball": ball, "pocket": rng.choice(POCKETS)} for k, ball in enumerate(fell)]
    line: dict[str, Any] = {"format": "cueref.shot/1", "number": number, "start_s": 20.0 * number, "end_s": 20.0 * number + 9}
    line |= {"cue_ball": cue, "complete": True, "before": before, "events": events}
    line |= {"after": {ball: place for ball, place in before.items() if ball not in fell}}
    line |= {"first_contact": {first or rng.choice(("none", "unknown")): 1.0}}
    return Shot.from_dict({**line, "rail_before_contact": 0.0, "rail_after_contact": rng.choice((0.0, 1.0))})


@pytest.mark.parametrize("game", GAMES)
def test_no_layout_makes_a_shot_impossible(game: str) -> None:
    """Twelve matches of four shots, half of them from a rack that nobody saw broken: each shot has its ruling."""
    for seed in range(12):
        rng = Random(f"{game} {seed}")
        match = Match.start(game, race=7)
        if seed % 2:
            match.record("rack", breaker="A")
        for number in range(1, 5):
            match.record_shot(any_shot(rng, game, number, match.setup.table))
        assert [ruling.number for ruling in match.rulings] == [1, 2, 3, 4]


def test_a_rack_broken_unseen_with_the_cue_ball_hidden_goes_on() -> None:
    """A rack was due, four balls lie about and an arm hides the cue ball: the state has it all the same, and so has the next shot."""
    match = Match.start("nine_ball", race=7)
    match.record("rack", breaker="A")
    lying = {"1": (0.2, 0.1), "2": (0.4, -0.2), "9": (-0.3, 0.3)}
    line: dict[str, Any] = {"format": "cueref.shot/1", "cue_ball": "cue", "complete": True, "before": lying, "after": lying}
    line |= {"events": [{"t": 0.0, "type": "cue_contact"}], "first_contact": {"1": 1.0}, "rail_before_contact": 0.0}
    line |= {"rail_after_contact": 1.0}
    for number in (1, 2):
        match.record_shot(Shot.from_dict({**line, "number": number, "start_s": 10.0 * number, "end_s": 10.0 * number + 3}))

    assert match.state.state is not None
    assert match.state.state.balls == ("cue", "1", "2", "9")
    assert match.rulings[1].state_before.cue_ball == "cue"
