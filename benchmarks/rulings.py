"""How many rulings a second: one core, every game that is built.

    python -m benchmarks.rulings [--seconds 2] [--profile]

Cases are the worked scenarios beside the checkout (`../shared/scenarios.json`) where they are there, else a few strokes
written here. A ruling is one `Ruleset.judge` of a case that has been read; reading a file is not counted.
"""

import argparse
import cProfile
import pstats
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from calibration.equipment import GAME_TABLES, find_ball_set, find_table
from calibration.errors import InputError
from referee.judge import read_scenario_file
from referee.notation import parse_stroke
from referee.rules.base import Case, Ruleset, State
from referee.rules.games import RULESETS
from referee.ruling import Pair
from referee.scenario import read_scenario

SCENARIOS = Path(__file__).resolve().parents[2] / "shared" / "scenarios.json"
NEEDED_HZ = 3000.0
"""Rulings a second that the issue of the rule books asks for."""
STROKES = {"cue": ("cue>1 1|foot", "cue>3 3|left 3@FL", "cue>1 cue@SR", ""), "Y": ("Y>w1 w1|foot", "Y>w2 w2@FL", "Y>w1 Y@SR", "")}
"""Strokes by cue ball where the scenarios are missing: a miss, a pot, a scratch, nothing met."""


def cases_of(rules: Ruleset) -> list[Case]:
    """The cases of a game."""
    if SCENARIOS.exists():
        items, defaults = read_scenario_file(SCENARIOS)
        return [read_scenario(item, defaults).case for item in items if item["game"] == rules.game]
    balls = find_ball_set(rules.game).balls
    state = State(
        table=find_table(GAME_TABLES[rules.game]),
        shooter="A",
        phase="normal",
        balls=balls,
        cue_ball=balls[0],
        cue_state="position",
        scores=Pair(0, 0),
        target=8,
    )
    return [Case(state=state, events=parse_stroke(text)) for text in STROKES[balls[0]]]


def rate_hz(rules: Ruleset, cases: Sequence[Case], seconds: float) -> float:
    """Rulings a second over at least that many seconds of processor time."""
    count, start = 0, time.process_time()
    while (passed := time.process_time() - start) < seconds:
        for case in cases:
            rules.judge(case)
        count += len(cases)
    return count / passed


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line a game; 1 if any is slower than needed."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="processor time a game")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    given = parser.parse_args(arguments)
    slow = False
    profile = cProfile.Profile()
    for rules in RULESETS:
        try:
            cases = cases_of(rules)
            if given.profile:
                profile.runcall(rate_hz, rules, cases, given.seconds)
                continue
            rate = rate_hz(rules, cases, given.seconds)
        except InputError as error:
            sys.stdout.write(f"{rules.game:18} {error}\n")
            continue
        slow = slow or rate < NEEDED_HZ
        sys.stdout.write(f"{rules.game:18} {rate:8.0f} rulings a second ({len(cases)} cases; {NEEDED_HZ:.0f} needed)\n")
    if given.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)
    return 1 if slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
