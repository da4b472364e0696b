"""Shots written by hand for live tests, and a session over them."""

from pathlib import Path
from typing import Any

from referee.live.board import Board
from referee.live.kept_match import KeptMatch
from referee.live.session import Session
from referee.live.store import MatchStore
from referee.match import Match
from tracker.shot import Shot

LAYOUT = {ball: (-0.8 + 0.18 * int(ball), 0.3) for ball in "123456789"} | {"cue": (-0.9, 0.1)}


class HandClock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def a_shot(number: int, balls: str = "1 2 5 9", *falls: str, **first: float) -> Shot:
    """A stroke over balls at rest; `b1=0.6, b2=0.4` is who was met first (the 1 where nothing is said); those that fall fall in FL."""
    names = ["cue", *balls.split()]
    events: list[dict[str, Any]] = [
        {"t": 0.0, "type": "cue_contact"},
        {"t": 0.5, "type": "ball_ball", "a": "cue", "b": names[1]},
        {"t": 1.0, "type": "ball_cushion", "ball": names[1], "cushion": "foot"},
        *({"t": 2.0, "type": "pocketed", "ball": ball, "pocket": "FL"} for ball in falls),
    ]
    line: dict[str, Any] = {"format": "cueref.shot/1", "number": number, "start_s": 20.0 * number, "end_s": 20.0 * number + 5}
    line |= {"cue_ball": "cue", "complete": True, "before": {ball: LAYOUT[ball] for ball in names}, "events": events}
    line |= {"after": {ball: LAYOUT[ball] for ball in names if ball not in falls}}
    line |= {"first_contact": {ball.removeprefix("b"): p for ball, p in first.items()} or {names[1]: 1.0}}
    return Shot.from_dict({**line, "rail_before_contact": 0.0, "rail_after_contact": 1.0})


def a_kept_match(folder: Path, game: str = "nine_ball", **agreed: Any) -> tuple[MatchStore, KeptMatch]:
    """A new match on disk."""
    store = MatchStore.in_folder(folder)
    return store, KeptMatch.begin(store, Match.start(game, race=agreed.pop("race", 3), **agreed))


def a_session(folder: Path, game: str = "nine_ball", clock: HandClock | None = None, **agreed: Any) -> Session:
    """A session of a new match on disk."""
    media = agreed.pop("media", lambda number: frozenset())
    store, match = a_kept_match(folder, game, **agreed)
    return Session(match, store, Board(), clock=clock or HandClock(), media=media)
