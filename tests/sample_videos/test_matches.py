"""The rulings that the passages' scripts state by hand are those of the rule books, and truth and calls belong together."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from calibration.equipment import find_table
from calibration.errors import InputError
from calibration.table import Table
from referee.judge import judge_scenarios
from sample_videos.matches import Match, find_matches, read_matches, tell
from sample_videos.shots import SimulatedShot
from sample_videos.truth import crossings


def _scenarios(match: Match) -> list[dict[str, Any]]:
    table = Table(find_table(match.table))
    steps = [step for step in match.steps if step["do"] == "shot"]
    return [
        {
            "id": f"{match.name}-{number}",
            "game": match.game,
            "before": step["before"],
            "events": [*_events(shot, table), {"t": shot.end_s + 1.0, "type": "stop", "positions": _fractions(shot.after, table)}],
            "expect": step["ruling"],
        }
        for number, (step, shot) in enumerate(zip(steps, match.shots, strict=True), start=1)
    ]


def _events(shot: SimulatedShot, table: Table) -> list[dict[str, Any]]:
    return sorted([*shot.events, *crossings(shot, table)], key=lambda event: event["t"])


def _fractions(layout: dict[str, tuple[float, float]], table: Table) -> dict[str, list[float]]:
    return {ball: [x / table.spec.length_m + 0.5, 0.5 - y / table.spec.width_m] for ball, (x, y) in layout.items()}


@pytest.mark.parametrize("match", read_matches(), ids=lambda match: match.name)
def test_rulings_stated_by_hand_are_those_of_the_rule_books(match: Match) -> None:
    """`cueref judge` agrees with the script on every shot of every passage."""
    for entry in judge_scenarios(_scenarios(match), {}):
        assert entry.agrees, (entry.id, entry.error, entry.differs, entry.result)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("nine_ball", ("push_out", "THREE_FOULS", "hand", "win")),
        ("straight_14_1", ("rerack", "safety")),
        ("free_pyramid", ("penalty", "spotted", "own")),
        ("combined_pyramid", ("penalty", "spotted", "premium", "house")),
    ],
)
def test_passages_show_what_their_game_needs(game: str, words: tuple[str, ...]) -> None:
    """Break, push-out, foul, ball in hand and win; re-rack with the fifteenth ball; penalty, premium stroke and spotting."""
    steps = [step for match in find_matches(game) for step in match.steps]
    shots = [step for step in steps if step["do"] == "shot"]
    shown = {
        "push_out": any((step["before"]["call"] or {}).get("kind") == "push_out" for step in shots),
        "safety": any((step["before"]["call"] or {}).get("kind") == "safety" for step in shots),
        "THREE_FOULS": any("THREE_FOULS" in step["ruling"]["foul_codes"] for step in shots),
        "hand": any(step["do"] == "hand" and step["why"] == "ball in hand" for step in steps),
        "win": any(step["ruling"]["rack_over"] for step in shots),
        "rerack": any(step["ruling"].get("fifteenth") for step in shots) and any(s["do"] == "hand" and s["together"] for s in steps),
        "penalty": any(step["ruling"]["foul"] for step in shots),
        "spotted": any(step["do"] == "hand" and step["why"] == "spotted" for step in steps),
        "own": any(e["type"] == "pocketed" and e["ball"] == s.cue_ball for m in find_matches(game) for s in m.shots for e in s.events),
        "premium": any(step["before"]["phase"] == "premium" for step in shots),
        "house": any(step["before"]["phase"] == "penalty_hand" for step in shots),
    }

    assert all(shown[word] for word in words), shown


@pytest.mark.parametrize("match", read_matches()[2::5], ids=lambda match: match.name)
def test_balls_never_jump_between_shots_and_hands(match: Match) -> None:
    """From picture to picture a ball moves no further than a fast ball does, and never lies on the bed twice or inside another."""
    told = tell(match, np.random.default_rng(1))
    passage = told.passage
    for ball in passage.balls:
        places = [passage.centre(ball, t) for t in np.arange(0, passage.end_s, 0.02)]
        for before, after in pairwise(places):
            if before is not None and after is not None:
                assert np.linalg.norm(after - before) < 0.2, (match.name, ball)


def test_a_passage_is_cut_at_rest_after_the_length_asked_for() -> None:
    """Fewer shots, none after the end; a length too short for one shot still shows one."""
    match = find_matches("nine_ball", "nine_ball_rack_3")[0]
    whole = tell(match, np.random.default_rng(1))
    part = tell(match, np.random.default_rng(1), length_s=whole.shots[1][3] + 1.5)
    least = tell(match, np.random.default_rng(1), length_s=1.0)

    assert len(part.shots) == 2
    assert part.passage.end_s <= whole.shots[1][3] + 1.5
    assert part.shots[-1][3] < part.passage.end_s
    assert len(least.shots) == 1
    assert all(call["time_s"] < part.passage.end_s for call in part.calls)


def test_what_is_said_lies_between_the_shots_it_belongs_to() -> None:
    """Each line of a calls file comes after the rest before it and before the tip contact that it is for."""
    for name in ("nine_ball_rack_3", "straight_rerack_1", "combined_pyramid_1", "classic_pyramid_1"):
        match = next(m for m in read_matches() if m.name == name)
        told = tell(match, np.random.default_rng(1))
        strikes = [strike for _, _, strike, _ in told.shots]
        for (step, _, strike, _), last in zip(told.shots[1:], told.shots, strict=False):
            call = step["before"]["call"]
            if call is not None:
                times = [line["time_s"] for line in told.calls if line["type"] == "call" and last[3] < line["time_s"] < strike]
                assert times, match.name
        assert strikes == sorted(strikes)


def test_mirrored_passages_mirror_their_calls() -> None:
    """In a mirror along the long string a called pocket on the left is one on the right."""
    match = find_matches("straight_14_1")[0]
    plain = [line for line in tell(match, np.random.default_rng(1)).calls if "pocket" in line]
    turned = [line for line in tell(match, np.random.default_rng(1), mirror=True).calls if "pocket" in line]

    assert [line["pocket"][1] for line in plain] == [{"L": "R", "R": "L"}[line["pocket"][1]] for line in turned]


def test_an_unknown_passage_is_refused() -> None:
    """The message names those there are."""
    with pytest.raises(InputError, match="nine_ball_rack_1"):
        find_matches("nine_ball", "moon_match")
