"""Whole passages of play from the library: shots, hands between them, what people say, and how it is ruled.

`matches.npz` holds scripts as steps (script.py makes them). Here they become a `passages.Passage` on the clock of a
file, its calls file, and the truth of every shot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from calibration.equipment import find_table
from calibration.errors import InputError
from calibration.table import Table
from sample_videos.passages import Move, Passage
from sample_videos.scene import Scene
from sample_videos.shots import SimulatedShot, mirrored, mirrored_names, unpack_shots
from sample_videos.truth import shot_truth

PLAYERS = ("A", "B", "R", "X")
"""Who acts: the two players, the referee, a bystander; their places in `Recording.players`."""
_SAID_AFTER_S = 0.4
"""From rest, or from the last hand, to what is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A passage as the library keeps it.

    Attributes:
        name: `nine_ball_rack_1`, ..
        game: By its name in files.
        table: By its name.
        start: Layout at the beginning, metres.
        steps: In order; kinds `shot`, `hand`, `say`, `drop`, `wait` (script.py). Read only.
        shots: Those of all steps `shot`, in order.
    """

    name: str
    game: str
    table: str
    start: dict[str, tuple[float, float]]
    steps: tuple[dict[str, Any], ...]
    shots: tuple[SimulatedShot, ...]


@cache
def read_matches() -> tuple[Match, ...]:
    """Every passage of the library that comes with the package."""
    shots, extra = unpack_shots((files("sample_videos") / "matches.npz").read_bytes())
    result = []
    for passage in extra["passages"]:
        steps = tuple(passage["steps"])
        result.append(
            Match(
                name=passage["name"],
                game=passage["game"],
                table=passage["table"],
                start={ball: (place[0], place[1]) for ball, place in passage["start"].items()},
                steps=steps,
                shots=tuple(shots[step["shot"]] for step in steps if step["do"] == "shot"),
            )
        )
    return tuple(result)


def find_matches(game: str, name: str | None = None) -> tuple[Match, ...]:
    """The passages of a game, or the one of that name, or those whose names begin so.

    Raises:
        InputError: If there is none.
    """
    found = tuple(m for m in read_matches() if m.game == game and (name is None or m.name == name or m.name.startswith(f"{name}_")))
    if not found:
        there = ", ".join(m.name for m in read_matches())
        raise InputError(f"no passage of {game} is called {name!r}; there are {there}")
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A passage on a file's clock.

    Attributes:
        passage: What happens.
        shots: (step, shot, time of the tip contact, time of rest), in order.
        calls: Lines of the calls file.
        hands: What hands did, with times.
        incidents: What happened by itself between shots, with times.
    """

    passage: Passage
    shots: list[tuple[dict[str, Any], SimulatedShot, float, float]]
    calls: list[dict[str, Any]]
    hands: list[dict[str, Any]]
    incidents: list[dict[str, Any]]


def tell(match: Match, rng: np.random.Generator, *, mirror: bool = False, length_s: float | None = None, stay_visible: bool = True) -> Told:
    """Put a passage on the clock.

    Args:
        match: Which.
        rng: How the balls lie turned.
        mirror: Left and right exchanged, as for `shots.mirrored`.
        length_s: At most so long, but at least one shot: the passage ends at rest.
        stay_visible: Pocketed balls stay to be seen in their pockets, one in each.
    """
    sign = -1.0 if mirror else 1.0
    table = Table(find_table(match.table))
    passage = Passage(table, {ball: (x, sign * y) for ball, (x, y) in match.start.items()}, rng, stay_visible=stay_visible)
    told = Told(passage, [], [], [], [])
    shots = iter(match.shots)
    ends: list[tuple[float, int, int, int]] = []
    for step in match.steps:
        if step["do"] == "shot":
            shot = next(shots)
            shot = mirrored(shot) if mirror else shot
            passage.add_shot(shot, PLAYERS.index(step["player"]))
            told.shots.append((step, shot, passage.strikes[-1], passage.rests[-1]))
            ends.append((passage.now_s, len(told.shots), len(told.calls), len(told.hands)))
        elif step["do"] == "hand":
            _hand(told, step, sign)
        elif step["do"] == "say":
            passage.add_wait(_SAID_AFTER_S)
            told.calls.append({"time_s": round(passage.now_s, 2), **(mirrored_names(step["fields"]) if mirror else step["fields"])})
        elif step["do"] == "drop":
            pocket = mirrored_names({"pocket": step["pocket"]})["pocket"] if mirror else step["pocket"]
            told.incidents.append({"time_s": round(passage.now_s, 3), "type": "spontaneous_drop", "ball": step["ball"], "pocket": pocket})
            passage.add_drop(step["ball"], pocket)
        else:
            passage.add_wait(step["seconds"])
    fitting = [end for end in ends if length_s is None or end[0] <= length_s] or ends[:1]
    passage.now_s, *counts = fitting[-1] if length_s is not None else (passage.now_s, len(told.shots), len(told.calls), len(told.hands))
    del told.shots[counts[0] :], told.calls[counts[1] :], told.hands[counts[2] :]
    told.incidents[:] = [incident for incident in told.incidents if incident["time_s"] < passage.now_s]
    return told


def _hand(told: Told, step: Mapping[str, Any], sign: float) -> None:
    moves = [
        Move(ball=m["ball"], to=None if m["to"] is None else (m["to"][0], sign * m["to"][1]), lifted=m["lifted"])
        for m in step["moves"]
        if m["to"] is not None or told.passage.is_seen(m["ball"])
    ]
    if not moves:
        return
    start = told.passage.now_s
    if step["together"]:
        told.passage.add_rack(moves, PLAYERS.index(step["player"]))
    else:
        told.passage.add_moves(moves, PLAYERS.index(step["player"]))
    told.hands.append(
        {
            "from_s": round(start, 3),
            "to_s": round(told.passage.now_s, 3),
            "player": step["player"],
            "why": step["why"],
            "moves": [{"ball": m.ball, "to": None if m.to is None else [round(v, 6) for v in m.to]} for m in moves],
        }
    )


def match_truth(match: Match, told: Told, scene: Scene, *, mirror: bool = False) -> dict[str, Any]:
    """Game, every shot with the state before it and its ruling, what was said, what hands did."""
    shots = []
    for step, shot, strike_s, rest_s in told.shots:
        before = step["before"]
        if mirror:
            before = {**before, "positions": {b: [u, round(1 - v, 6)] for b, (u, v) in before["positions"].items()}}
            before["call"] = None if before["call"] is None else mirrored_names(before["call"])
        known = shot_truth(shot, strike_s, rest_s, scene)
        shots.append({**known, "player": step["player"], "state_before": before, "ruling": step["ruling"]})
    return {
        "game": match.game,
        "passage": match.name,
        "players": ["A", "B"],
        "shots": shots,
        "calls": told.calls,
        "hands": told.hands,
        "incidents": told.incidents,
    }
