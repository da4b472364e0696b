"""Strings shots into a passage: looks for strokes that do what a script wants, and keeps what people do between them.

A script (scripts_pool.py, scripts_pyramid.py) says in its own words what has to happen and how it is to be ruled; the
state before every stroke and the ruling on it are written by hand there, and never taken from the product's rules.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import atan2, hypot
from typing import Any

import numpy as np

from sample_videos.drafts import Draft, Drafter, Layout, turned
from sample_videos.kinds import Outcome, finished, is_sound
from sample_videos.shots import SimulatedShot
from sample_videos.simulate import Simulation, simulate

Stroke = tuple[Layout, str, float, float, float]
"""Layout at the stroke, ball to strike, direction (radians), speed (m/s), height of the tip (radii)."""
Want = Callable[[Outcome, Simulation], bool]
_LONGEST_S = 9.0
_MOST_REFUSED = 4000
"""Placements refused in a row after which there is none."""
_CLEAR_S = 0.06
"""The cue ball's contacts with two balls lie this far apart, so that which was first can be seen."""


def ruling(turn: str, *codes: str, points: tuple[int, int] = (0, 0), options: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """An "expect" object of rules.md 0.1; legal without codes."""
    return {
        "foul": bool(codes),
        "foul_codes": list(codes),
        "points_delta": {"A": points[0], "B": points[1]},
        "turn": turn,
        "spotted": [],
        "options": list(options),
        "rack_over": False,
        "match_over": False,
        **more,
    }


@dataclass(slots=True)
class Script:
    """A passage while it is being made.

    Attributes:
        game: Its name in files.
        drafter: Of the table, with the passage's chance.
        layout: Balls as they lie now.
        state: The "before" object of rules.md 0.1, as the script keeps it.
        steps: What happens, in order, for matches.py.
        shots: The shots that steps of the kind `shot` number.
    """

    game: str
    drafter: Drafter
    layout: Layout
    state: dict[str, Any]
    start: dict[str, tuple[float, float]] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)
    shots: list[SimulatedShot] = field(default_factory=list)
    tries: int = 0

    def __post_init__(self) -> None:
        self.start = {ball: (float(place[0]), float(place[1])) for ball, place in self.layout.items()}

    @property
    def rng(self) -> np.random.Generator:
        """The passage's chance."""
        return self.drafter.rng

    def say(self, **fields: Any) -> None:
        """A line of the calls file: a call, a decision, an official fact, a touch."""
        self.steps.append({"do": "say", "fields": fields})

    def move(self, player: str, moves: list[tuple[str, Any]], why: str, *, lifted: bool = True, together: bool = False) -> None:
        """A hand puts balls somewhere (None: off the table)."""
        step = [{"ball": b, "to": None if to is None else [float(to[0]), float(to[1])], "lifted": lifted} for b, to in moves]
        self.steps.append({"do": "hand", "player": player, "moves": step, "why": why, "together": together})
        for ball, to in moves:
            if to is None:
                self.layout.pop(ball, None)
            else:
                self.layout[ball] = np.array(to, np.float64)

    def find(self, proposals: Iterator[Stroke], want: Want, *, most: int = 3000, target: str = "") -> Draft | None:
        """The first proposed stroke that does what is wanted, soundly and so that it can be seen."""
        for _, (layout, cue, phi, speed, height) in zip(range(most), proposals, strict=False):
            self.tries += 1
            draft = Draft(
                kind="match",
                before={ball: place.copy() for ball, place in layout.items()},
                strike={"V0": float(speed), "phi": float(phi), "a": 0.0, "b": float(height)},
                table=self.drafter.name,
                cue_ball=cue,
                target=target,
                phase="break" if self.state["phase"] == "break" else "normal",
            )
            try:
                simulation = simulate(draft, self.drafter.table, self.rng)
            except AssertionError:
                continue  # pooltool gives up on a few contacts with sharp jaws
            outcome = Outcome(draft, self.drafter)
            if draft.end_s > _LONGEST_S or (outcome.gap <= _CLEAR_S and draft.phase != "break") or not want(outcome, simulation):
                continue
            if is_sound(finished(draft), self.drafter.table) and not _lies_in_a_mouth(draft, self.drafter):
                return draft
        return None

    def play(self, draft: Draft, expect: dict[str, Any], *, call: dict[str, Any] | None = None) -> SimulatedShot:
        """Add a stroke with the state it is judged against and its ruling; the layout goes on from its end.

        Where the cue ball was placed from hand, the hand comes first.
        """
        player = self.state["shooter"]
        moved = [b for b, place in draft.before.items() if b not in self.layout or hypot(*(place - self.layout[b])) > 1e-6]
        if moved:
            self.move(player, [(ball, draft.before[ball]) for ball in moved], "ball in hand")
        if call is not None:
            self.say(type="call", **call)
        shot = finished(draft)
        spec = self.drafter.table.spec
        before = {
            **self.state,
            "balls": list(shot.before),
            "cue_ball": shot.cue_ball,
            "positions": {b: [round(x / spec.length_m + 0.5, 6), round(0.5 - y / spec.width_m, 6)] for b, (x, y) in shot.before.items()},
            "call": call,
        }
        self.steps.append({"do": "shot", "shot": len(self.shots), "player": player, "before": before, "ruling": expect})
        self.shots.append(shot)
        self.layout = {ball: np.array(place) for ball, place in shot.after.items()}
        return shot

    def then(self, **fields: Any) -> None:
        """What the state is from here on."""
        self.state = {**self.state, **fields}

    def drop(self, ball: str, pocket: str) -> None:
        """A ball that hung over a pocket falls by itself."""
        self.steps.append({"do": "drop", "ball": ball, "pocket": pocket})
        self.layout.pop(ball)

    def wait(self, seconds: float) -> None:
        """Nothing happens."""
        self.steps.append({"do": "wait", "seconds": seconds})

    def pots(self, cues: list[str], *, targets: list[str] | None = None) -> Iterator[Stroke]:
        """Strokes that send a ball towards a pocket, the fuller cuts first, each tried several times."""
        d, found = self.drafter, []
        for cue in cues:
            for target in targets or [b for b in self.layout if b != cue]:
                if target == cue:
                    continue
                for pocket, goal in d.goals.items():
                    aim = _aimed(d, self.layout, cue, target, goal)
                    if aim is not None and aim[1] > 0.35 and d.enters(self.layout[target], pocket):
                        way = float(hypot(*(goal - self.layout[target])) + hypot(*(self.layout[target] - self.layout[cue])))
                        found.append((way / aim[1] ** 2, cue, aim[0]))
        found.sort(key=lambda item: item[0])
        while found:
            for _, cue, phi in found[:12]:
                yield self.layout, cue, phi + self.rng.normal(0, 0.003), self.rng.uniform(0.9, 2.2), self.rng.uniform(-0.3, 0.3)

    def pots_from_hand(self, cue: str, targets: list[str], zone: Callable[[Any], bool]) -> Iterator[Stroke]:
        """Strokes at a ball towards a pocket with the cue ball placed for it."""
        d = self.drafter
        others = {ball: place for ball, place in self.layout.items() if ball != cue}
        refused = 0
        while refused < _MOST_REFUSED:
            refused += 1
            target = str(self.rng.choice(targets))
            pocket = str(self.rng.choice(list(d.goals)))
            ghost = d.ghost(others, target, d.goals[pocket])
            back = turned((ghost - others[target]) / (2 * d.radius), self.rng.uniform(-0.6, 0.6))
            place = ghost + back * self.rng.uniform(0.2, 0.9)
            half = np.array([d.table.spec.length_m, d.table.spec.width_m]) / 2 - d.radius - 0.04
            layout = {cue: place, **others}
            if (np.abs(place) > half).any() or not zone(place) or not d.enters(others[target], pocket):
                continue
            if any(hypot(*(place - other)) < 2 * d.radius + 0.03 for other in others.values()):
                continue
            aim = _aimed(d, layout, cue, target, d.goals[pocket])
            if aim is not None:
                refused = 0
                yield layout, cue, aim[0] + self.rng.normal(0, 0.002), self.rng.uniform(0.9, 2.0), self.rng.uniform(-0.3, 0.3)

    def towards(self, cue: str, target: str, *, slow: float = 0.5, fast: float = 2.0) -> Iterator[Stroke]:
        """Strokes at a ball, full or thin."""
        d = self.drafter
        while True:
            way = self.layout[target] - self.layout[cue]
            offset = self.rng.uniform(-0.95, 0.95) * 2 * d.radius
            phi = atan2(way[1], way[0]) + float(np.arcsin(np.clip(offset / hypot(*way), -1, 1)))
            yield self.layout, cue, phi, self.rng.uniform(slow, fast), self.rng.uniform(-0.3, 0.3)

    def anywhere(self, cues: list[str], *, slow: float = 0.5, fast: float = 2.5) -> Iterator[Stroke]:
        """Strokes in any direction."""
        while True:
            cue = str(self.rng.choice(cues))
            yield self.layout, cue, self.rng.uniform(-np.pi, np.pi), self.rng.uniform(slow, fast), self.rng.uniform(-0.3, 0.3)

    def own_balls(self, cues: list[str]) -> Iterator[Stroke]:
        """Strokes after which the rolling cue ball goes on from a ball towards a pocket.

        A rolling ball that hits with a cut of `c` leaves its way by an angle whose tangent is
        sin c cos c / (sin^2 c + 2/5) (Alciatore, "The 30 degree rule", billiards.colostate.edu).
        """
        d, found = self.drafter, []
        shares = np.concatenate([np.linspace(-0.97, -0.1, 60), np.linspace(0.1, 0.97, 60)])
        for cue in cues:
            for target in [b for b in self.layout if b != cue]:
                way = self.layout[target] - self.layout[cue]
                length = float(hypot(*way))
                if length < 4 * d.radius:
                    continue
                for share in shares:
                    phi = atan2(way[1], way[0]) + float(np.arcsin(np.clip(share * 2 * d.radius / length, -1, 1)))
                    along = np.array([np.cos(phi), np.sin(phi)])
                    ahead = float(way @ along) - 2 * d.radius * float(np.sqrt(1 - share**2))
                    ghost = self.layout[cue] + along * ahead
                    cut = float(np.arcsin(abs(share)))
                    bend = atan2(np.sin(cut) * np.cos(cut), np.sin(cut) ** 2 + 0.4)
                    leave = turned(along, bend * (1.0 if share > 0 else -1.0))
                    for pocket, goal in d.goals.items():
                        off = goal - ghost
                        miss = abs(leave[0] * off[1] - leave[1] * off[0])
                        skip = (cue, target)
                        good = float(leave @ off) > 0.1 and miss < 0.02 and d.enters(ghost, pocket)
                        if good and d.free(self.layout[cue], ghost, self.layout, skip) and d.free(ghost, goal, self.layout, skip):
                            found.append((float(hypot(*off)) + length, cue, phi))
        found.sort(key=lambda item: item[0])
        while found:
            for _, cue, phi in found[:40]:
                yield self.layout, cue, phi + self.rng.normal(0, 0.004), self.rng.uniform(1.0, 2.2), self.rng.uniform(0.1, 0.4)

    def passage(self, name: str) -> dict[str, Any]:
        """For the library file; shots are numbered from 0 within it."""
        return {"name": name, "game": self.game, "table": self.drafter.name, "start": self.start, "steps": self.steps}


def _aimed(d: Drafter, layout: Layout, cue: str, target: str, goal: np.ndarray) -> tuple[float, float] | None:
    kept, d.cue = d.cue, cue
    try:
        return d.aim(layout, target, goal)
    finally:
        d.cue = kept


def _lies_in_a_mouth(draft: Draft, d: Drafter) -> bool:
    """Whether a ball comes to rest so near a pocket that whether it fell is a question of its own."""
    shot = finished(draft)
    moved = [place for ball, place in shot.after.items() if hypot(*np.subtract(place, shot.before[ball])) > 1e-4]
    return any(hypot(*(np.array(place) - goal)) < 1.6 * d.radius for place in moved for goal in d.goals.values())


class Unfinished(Exception):
    """A script found no stroke that does what it wants; another seed may."""


def need(draft: Draft | None) -> Draft:
    """The draft, or the end of this attempt."""
    if draft is None:
        raise Unfinished
    return draft
