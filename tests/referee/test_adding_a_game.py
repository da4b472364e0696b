"""docs/adding-a-game.md, proven: ten-ball as one module and one line in the list of games."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calibration.equipment import BallSet
from calibration.errors import InputError
from referee.cli import main
from referee.log import format_log, parse_log
from referee.match import Match
from referee.report import render_report
from referee.review_object import review_object
from referee.rules import facts, games, general
from referee.rules.base import Case, State
from referee.ruling import Foul, Pair, Reason, Ruling
from tracker.shot import Shot

# ---- the module: referee/rules/ten_ball.py would be this ----

BALLS = ("cue", *(str(number) for number in range(1, 11)))
BREAK_RAILS = 4


def lowest_ball(state: State) -> str:
    """The ball to be met first."""
    return min(state.object_balls, key=int)


def wrong_first(case: Case) -> Foul | None:
    """10B-1: the lowest ball is met first."""
    on = lowest_ball(case.state)
    first = facts.first_contact(case, on=(on,))
    return None if first in (None, on) else Foul("WRONG_FIRST", ("10B-1",), {"first": str(first), "on": on})


def few_rails(case: Case) -> Foul | None:
    """10B-2: on the break a ball falls or four reach a cushion."""
    count = len(facts.numbered_to_cushion(case))
    is_met = case.state.phase != "break" or facts.pocketed_balls(case) or count >= BREAK_RAILS
    return None if is_met else Foul("BREAK_FEW_RAILS", ("10B-2",), {"count": str(count)})


CHECKS = (few_rails, wrong_first, general.no_contact, general.no_rail, general.object_ball_off, general.scratch, general.cue_ball_off)


class TenBall:
    """Ten-ball, call shot, without push-out and three fouls."""

    game = "ten_ball"
    ball_set = BallSet(name="ten", balls=BALLS, distinct=True)
    table_name = "wpa-9ft"

    def check(self, state: State) -> None:
        """All balls are ten-ball's, and the 10 is there."""
        if not set(state.balls) <= set(BALLS):
            raise InputError("before.balls: ten-ball has cue and 1 to 10")
        if "10" not in state.balls:
            raise InputError("before.balls: the 10 is not on the table, so the rack is over")

    def judge(self, case: Case) -> Ruling:
        """Foul: ball in hand. The 10, called: the rack. A called ball: go on."""
        self.check(case.state)
        state = case.state
        if not facts.is_stroke(case):
            return Ruling(turn=state.shooter, scores_after=state.scores, balls_after=state.balls, reasons=(Reason("play_on", ("10B-0",)),))
        fouls = tuple(foul for check in CHECKS if (foul := check(case)) is not None)
        gone = {*facts.pocketed_balls(case), *facts.off_table(case)} - {"cue"}
        made = not fouls and state.call is not None and (state.call.ball, state.call.pocket) in facts.pocketed(case)
        left = tuple(ball for ball in state.balls if ball not in gone or ball == "10")
        if made and state.call is not None and state.call.ball == "10":
            scores = state.scores.replaced(state.shooter, state.scores[state.shooter] + 1)
            won = scores[state.shooter] >= state.target
            points = Pair(0, 0).replaced(state.shooter, 1)
            ending: dict[str, Any] = {"rack_over": True, "match_over": won, "winner": state.shooter, "scores_after": scores}
            reason = Reason("next_breaker", ("10B-3",), {"player": state.shooter})
            return Ruling(
                turn="none" if won else state.shooter,
                points_delta=points,
                next_phase="break",
                balls_after=left,
                reasons=(reason,),
                **ending,
            )
        turn = state.shooter if made else state.opponent
        key = "ball_in_hand" if fouls else "kept" if made else "passed"
        reasons = (*(foul.to_reason() for foul in fouls), Reason(key, ("10B-4",), {"player": turn, "balls": ", ".join(sorted(gone))}))
        return Ruling(
            foul=bool(fouls),
            foul_codes=tuple(foul.code for foul in fouls),
            turn=turn,
            spotted=("10",) if "10" in gone else (),
            scores_after=state.scores,
            cue_next="hand_anywhere" if fouls else "position",
            next_phase="normal",
            balls_after=left,
            reasons=reasons,
        )

    def assumed_reply(self, state: State) -> str | None:
        """No choices here."""
        return None

    def start(self, state: State) -> State:
        """All ten racked."""
        return replace(state, phase="break", balls=BALLS, cue_ball="cue", cue_state="hand_kitchen")


RULES = TenBall()

# ---- the line: it stands in referee/rules/games.py ----


@pytest.fixture(autouse=True)
def _listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """RULESETS with the new game in it."""
    monkeypatch.setattr(games, "RULESETS", (*games.RULESETS, RULES))


def a_shot(number: int, balls: str, *falls: str, first: dict[str, float], start_s: float = 0.0) -> Shot:
    """A stroke over balls spread on the table."""
    layout = {"cue": (-1.0, -0.3), **{ball: (-0.9 + 0.15 * int(ball), 0.3) for ball in balls.split()}}
    events: list[dict[str, Any]] = [
        {"t": 0.0, "type": "cue_contact"},
        {"t": 0.4, "type": "ball_ball", "a": "cue", "b": next(iter(first))},
        {"t": 0.9, "type": "ball_cushion", "ball": next(iter(first)), "cushion": "foot"},
        *({"t": 1.5, "type": "pocketed", "ball": ball, "pocket": "FL"} for ball in falls),
    ]
    line = {"format": "cueref.shot/1", "number": number, "start_s": 20.0 * number, "end_s": 20.0 * number + 5, "cue_ball": "cue"}
    line |= {"complete": True, "before": layout, "after": {}, "events": events, "first_contact": first}
    return Shot.from_dict({**line, "rail_before_contact": 0.0, "rail_after_contact": 1.0})


def call(match: Match, ball: str) -> None:
    """That ball in FL is called."""
    match.record("call", kind="ball", ball=ball, pocket="FL")


def test_a_match_is_folded_with_calls_doubt_and_log() -> None:
    """A called ball, a split hit that nobody can decide, the 10: nothing but the module knows the game."""
    match = Match.start("ten_ball", race=2)
    call(match, "2")
    kept = match.record_shot(a_shot(1, "2 5 10", "2", first={"2": 1.0}))
    split = match.record_shot(a_shot(2, "5 9 10", first={"5": 0.6, "9": 0.4}))
    call(match, "10")
    won = match.record_shot(a_shot(3, "9 10", "10", first={"9": 1.0}))

    assert (kept.verdict, kept.ruling.turn) == ("legal", "A")
    assert (split.verdict, split.judgement.readings[0].differs) == ("undecided", "first ball 5 or 9")
    assert (won.ruling.rack_over, sum(match.score.values())) == (True, 1)
    assert parse_log("".join(f"{line}\n" for line in format_log(match))).state == match.state


def test_the_report_shows_it_in_either_language() -> None:
    """Sentences that other games have are there; the name of the game is shown as it stands."""
    match = Match.start("ten_ball", race=2)
    match.record_shot(a_shot(1, "2 5 10", first={"5": 1.0}))

    assert "Foul: 5-ball first. Ball in hand." in render_report(review_object(match))
    assert "Фол: первым задет шар 5. Биток с руки." in render_report(review_object(match), language="ru")


def test_worked_cases_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`cueref judge` takes the game by its name."""
    before = {
        "table": "wpa9",
        "shooter": "A",
        "phase": "normal",
        "balls": ["cue", "3", "10"],
        "cue_ball": "cue",
        "cue_state": "position",
        "scores": {"A": 0, "B": 0},
        "target": 5,
        "call": {"kind": "ball", "ball": "10", "pocket": "SL"},
    }
    before |= {"consecutive_fouls": {"A": 0, "B": 0}, "warned": {"A": False, "B": False}, "referee": True, "positions": {}, "frozen": []}
    events = [{"t": 0, "type": "cue_contact"}, {"t": 0.3, "type": "ball_ball", "a": "cue", "b": "3"}]
    events += [{"t": 1, "type": "pocketed", "ball": "10", "pocket": "SL"}, {"t": 3, "type": "stop"}]
    case = {"id": "T-1", "game": "ten_ball", "before": before, "events": events, "expect": {"foul": False, "winner": "A"}}
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"version": 1, "scenarios": [case]}), encoding="utf-8")

    assert main(["judge", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["agrees"] is True


def test_the_command_line_knows_its_name() -> None:
    """With hyphens too."""
    assert games.parse_game("ten-ball") == "ten_ball"
