"""Makes `shots.npz`, the library of single shots; needs pooltool (README.md, "Making the library again").

    python -m sample_videos.kinds sample_videos/shots.npz

A shot is kept when its events make it what its kind says and when it is sound: no two balls overlap, none enters rubber.
"""

import sys
from collections.abc import Callable
from math import hypot
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.table import Table
from sample_videos.drafts import Draft, Drafter
from sample_videos.rubber import NOSE_CONTACT, rubber
from sample_videos.shapes import holes
from sample_videos.shots import SimulatedShot, pack_shots
from sample_videos.simulate import fly, rebound, simulate
from sample_videos.strokes import (
    Maker,
    draft_bank,
    draft_break,
    draft_carom,
    draft_combination,
    draft_frozen_ball,
    draft_frozen_rail,
    draft_hanging,
    draft_hard,
    draft_jump,
    draft_near_miss,
    draft_open,
    draft_pot,
    draft_split,
)

FloatArray = NDArray[np.float64]
_SEED = 20
_GAP_M = 1.5e-4
"""Overlap that rounding of contacts may show."""
_SOON_S = 0.08
"""Two contacts of the cue ball closer than this are a matter of split hits, and only kept as such."""


def finished(draft: Draft) -> SimulatedShot:
    """The draft as a shot of the library."""
    rows = np.array(draft.segments)
    segments = {}
    for index, ball in enumerate(draft.balls):
        mine = rows[rows[:, 0] == index][:, 1:]
        segments[ball] = mine[np.argsort(mine[:, 0], kind="stable")]
    return SimulatedShot(
        kind=draft.kind,
        phase=draft.phase,
        before={ball: (float(place[0]), float(place[1])) for ball, place in draft.before.items()},
        events=tuple(draft.events),
        strike=draft.strike,
        end_s=round(draft.end_s, 6),
        segments=segments,
        off_table={ball: tuple(values) for ball, values in draft.off_table.items()},
        table=draft.table,
        cue_ball=draft.cue_ball,
        air={ball: tuple(flights) for ball, flights in draft.air.items()},
    )


def places(shot: SimulatedShot, times: FloatArray) -> dict[str, FloatArray]:
    """Centres (T, 3) of each ball, z above its place at rest; NaN after it was pocketed or flew off."""
    gone = {e["ball"]: e["t"] for e in shot.events if e["type"] == "pocketed"}
    gone.update({ball: values[0] for ball, values in shot.off_table.items()})
    result = {}
    for ball, rows in shot.segments.items():
        row = rows[np.clip(np.searchsorted(rows[:, 0], times, side="right") - 1, 0, None)]
        dt = (times - row[:, 0])[:, None]
        place = np.zeros((len(times), 3))
        place[:, :2] = row[:, 1:3] + row[:, 3:5] * dt + 0.5 * row[:, 5:7] * dt * dt
        for start, end, speed in shot.air.get(ball, ()):
            up = (times > start) & (times < end)
            place[up, 2] = speed * (times[up] - start) - 0.5 * 9.81 * (times[up] - start) ** 2
        place[times > gone.get(ball, np.inf)] = np.nan
        result[ball] = place
    return result


def is_sound(shot: SimulatedShot, table: Table, step_s: float = 0.002) -> bool:
    """No overlaps, no ball in the rubber, no jump from one piece of motion to the next."""
    times = np.arange(0, shot.end_s + step_s, step_s)
    paths = places(shot, times)
    radius = table.spec.ball_radius_m
    names = list(paths)
    walls = rubber(table)
    rebounds = {e["ball"] for e in shot.events if e["type"] == "pocket_rebound"}
    half = np.array([table.spec.length_m, table.spec.width_m]) / 2
    for i, first in enumerate(names):
        path = paths[first]
        if np.nanmax(np.append(np.linalg.norm(np.diff(path, axis=0), axis=1), 0.0)) > step_s * 13:
            return False
        for second in names[i + 1 :]:
            if np.nanmin(np.append(np.linalg.norm(path - paths[second], axis=1), 9.0)) < 2 * radius - _GAP_M:
                return False
        lain = path[np.isfinite(path[:, 0])][:, :2]
        moved = lain[np.append(True, np.abs(np.diff(lain, axis=0)).sum(axis=1) > 0)]
        if first in rebounds:  # deep in its pocket it is scripted
            moved = moved[(half - np.abs(moved)).min(axis=1) > 0]
        if walls.clearance_m(moved).min() < NOSE_CONTACT * radius - 1.5e-4:
            return False
    return all((np.abs(place) < half + 0.03).all() for place in shot.after.values())


class Outcome:
    """What came of a draft, and whether that is what its kind says."""

    def __init__(self, draft: Draft, drafter: Drafter) -> None:
        self.draft, self.d = draft, drafter
        cue = draft.cue_ball
        hits = [e for e in draft.events if e["type"] == "ball_ball" and cue in (e["a"], e["b"])]
        self.touched = [e["b"] if e["a"] == cue else e["a"] for e in hits]
        self.first = self.touched[0] if hits else None
        start = hits[0]["t"] if hits else 1e9
        self.start = start
        cushions = [e for e in draft.events if e["type"] == "ball_cushion"]
        self.rails = [e for e in cushions if e["t"] > start]
        self.early = [e for e in cushions if e["t"] < start]
        self.potted = [e["ball"] for e in draft.events if e["type"] == "pocketed"]
        self.target = drafter.lowest(draft.before) if drafter.nine and not drafter.pyramid else draft.target
        self.good = self.first == self.target and cue not in self.potted
        others = {ball: e["t"] for ball, e in zip(reversed(self.touched), reversed(hits), strict=True)}
        order = sorted(others.values())
        self.gap = order[1] - order[0] if len(order) > 1 else float("inf")

    def fits(self, simulation: object) -> bool:
        """Whether the events make the shot what its kind says."""
        kind, cue, table = self.draft.kind, self.draft.cue_ball, self.d.table
        good, potted, rails, early = self.good, self.potted, self.rails, self.early
        driven = {e["ball"] for e in rails if e["ball"] != cue}
        bare = kind not in ("split", "break", "frozen_ball") and self.gap <= _SOON_S
        checks: dict[str, Callable[[], bool]] = {
            "legal_pot": lambda: good and potted == [self.target] and not early,
            "cut": lambda: good and potted == [self.target] and not early,
            "nine_pot": lambda: good and "9" in potted,
            "combination": lambda: good and len(potted) == 1 and potted[0] not in (self.target, "9"),
            "miss": lambda: good and not potted and bool(rails),
            "safety": lambda: good and not potted and bool(rails),
            "kick": lambda: good and bool(early) and (bool(rails) or bool(potted)) and "9" not in potted,
            "break_pot": lambda: good and 1 <= len(potted) <= 3 and "9" not in potted,
            "break_dry": lambda: good and not potted and len(driven) >= 4,
            "break": lambda: self.first is not None and cue not in potted and len(driven) >= 4,
            "no_contact": lambda: self.first is None and not potted and bool(early),
            "wrong_first": lambda: self.first not in (None, self.target) and not potted and bool(rails) and self.start > 0.2,
            "wrong_first_pot": lambda: self.first not in (None, self.target) and len(potted) == 1 and potted[0] not in (cue, "9"),
            "no_rail": lambda: self.first == self.target and not potted and not rails and not early and self.start > 0.15,
            "scratch": lambda: self.first == self.target and potted == [cue] and bool(rails),
            "svoi": lambda: self.first == self.target and potted == [cue],
            "object_off": lambda: good and not early and fly(self.draft, table, cue=False),
            "cue_off": lambda: good and not early and not potted and fly(self.draft, table, cue=True),
            "bank": lambda: good and potted == [self.target] and self._banked(),
            "carom": lambda: self.first == self.target and len(potted) == 1 and potted[0] in self.touched[1:],
            "frozen_ball": lambda: self.first == self.target and self.start < 0.01,
            "frozen_rail": lambda: self.first == self.target,
            "split": lambda: 0.00005 < self.gap < 0.012,
            "near_miss": lambda: self.target not in self.touched and 5e-5 < self._closest() - 2 * self.d.radius < 0.008,
            "rattle": lambda: self._rattled(),
            "hanging": lambda: self.first == self.target and self.target in potted and "9" not in potted[1:],
            "hangs": lambda: bool(self._at_lips()),
            "jump": lambda: good and self.start > (self.draft.carry or (0, 0))[1] and not early,
            "hard": lambda: good,
            "rebound": lambda: self.first == self.target and cue not in potted and rebound(simulation),  # type: ignore[arg-type]
        }
        return not bare and checks[kind]()

    def _banked(self) -> bool:
        fall = next(e["t"] for e in self.draft.events if e["type"] == "pocketed")
        return any(e["ball"] == self.target and "jaw" not in e and e["t"] < fall for e in self.rails)

    def _closest(self) -> float:
        times = np.arange(0, self.draft.end_s, 0.001)
        paths = places(finished(self.draft), times)
        return float(np.nanmin(np.linalg.norm(paths[self.draft.cue_ball] - paths[self.target], axis=1)))

    def _rattled(self) -> bool:
        jaws = [e for e in self.rails if "jaw" in e and e["ball"] not in self.potted and e["ball"] != self.draft.cue_ball]
        return self.good and any(sum(e["ball"] == f["ball"] and e["jaw"] == f["jaw"] for f in jaws) >= 2 for e in jaws)

    def _at_lips(self) -> list[str]:
        shot = finished(self.draft)
        holes_at = holes(self.d.table).values()
        return [
            ball
            for ball, place in shot.after.items()
            if ball != self.draft.cue_ball
            and place != shot.before[ball]
            and any(hypot(place[0] - h.centre_m[0], place[1] - h.centre_m[1]) < h.radius_m + 0.6 * self.d.radius for h in holes_at)
        ]


_NINE: dict[str, tuple[Maker, float]] = {
    "legal_pot": (draft_pot, 4.2),
    "nine_pot": (draft_pot, 5.0),
    "combination": (draft_combination, 5.0),
    "miss": (draft_pot, 5.0),
    "safety": (draft_pot, 4.5),
    "kick": (draft_open, 5.5),
    "break_pot": (draft_break, 6.0),
    "break_dry": (draft_break, 6.0),
    "no_contact": (draft_open, 4.5),
    "wrong_first": (draft_pot, 4.2),
    "wrong_first_pot": (draft_pot, 4.5),
    "no_rail": (draft_pot, 4.5),
    "scratch": (draft_pot, 5.0),
    "object_off": (draft_hard, 6.5),
    "cue_off": (draft_hard, 6.5),
}
"""Kinds of nine-ball: maker, longest time to rest in seconds."""
_ANY: dict[str, tuple[Maker, float]] = {
    "cut": (draft_pot, 6.0),
    "bank": (draft_bank, 7.0),
    "carom": (draft_carom, 7.0),
    "frozen_ball": (draft_frozen_ball, 7.0),
    "frozen_rail": (draft_frozen_rail, 7.0),
    "split": (draft_split, 7.0),
    "near_miss": (draft_near_miss, 7.0),
    "rattle": (draft_pot, 7.0),
    "hanging": (draft_hanging, 6.0),
    "hangs": (draft_pot, 7.0),
    "jump": (draft_jump, 7.0),
    "hard": (draft_pot, 9.0),
    "rebound": (draft_hard, 9.0),
}
"""Kinds of every table and set."""
_PYRAMID: dict[str, tuple[Maker, float]] = {
    **_ANY,
    "svoi": (draft_pot, 7.0),
    **{kind: _NINE[kind] for kind in ("combination", "miss", "safety", "kick", "no_contact", "no_rail", "object_off", "cue_off")},
    "break": (draft_break, 9.0),
}
_NINE_WANTED = {
    "legal_pot": 6,
    "break_pot": 5,
    "no_contact": 5,
    "wrong_first": 6,
    "no_rail": 5,
    "scratch": 5,
    "miss": 4,
    "safety": 4,
    "kick": 4,
}
_MOST_TRIES = 1500


def _wanted(table: str, kind: str) -> int:
    if table == "wpa-9ft":
        return _NINE_WANTED.get(kind, 3) if kind in _NINE else 6
    if table == "pyramid-12ft":
        return 8 if kind in ("break", "cut", "safety", "split") else 5
    return 2 if kind in _NINE else 3


def make_library(seed: int) -> list[SimulatedShot]:
    """All shots; tells its progress on stderr."""
    library: list[SimulatedShot] = []
    for number, name in enumerate(("wpa-9ft", "wpa-8ft", "home-8ft", "bar-7ft", "pyramid-12ft")):
        groups = ((_PYRAMID, False),) if name == "pyramid-12ft" else ((_NINE, True), ({**_ANY, "break": (draft_break, 9.0)}, False))
        for kinds, nine in groups:
            for place, (kind, (maker, longest)) in enumerate(kinds.items()):
                rng = np.random.default_rng([seed, number, int(nine), place])
                library += make_some(name, kind, maker, longest, _wanted(name, kind), rng, nine=nine)
    return library


def make_some(
    name: str, kind: str, maker: Maker, longest: float, wanted: int, rng: np.random.Generator, *, nine: bool
) -> list[SimulatedShot]:
    """That many shots of a kind on a table, as far as chance gives them."""
    found: list[SimulatedShot] = []
    tries = 0
    while len(found) < wanted and tries < _MOST_TRIES:
        # Half of the kinds of every set are drawn with the balls of nine-ball, so that they serve it too.
        drafter = Drafter(name, rng, nine=nine or (kind != "break" and len(found) % 2 == 0))
        draft = maker(drafter, kind)
        if draft is None:
            continue
        tries += 1
        try:
            simulation = simulate(draft, drafter.table, rng)
            if draft.end_s > longest or not Outcome(draft, drafter).fits(simulation) or draft.end_s > longest:
                continue
        except AssertionError:
            continue  # pooltool gives up on a few contacts with sharp jaws
        shot = finished(draft)
        if is_sound(shot, drafter.table):
            found.append(shot)
    sys.stderr.write(f"{name} {kind}: {len(found)} of {wanted} in {tries} tries\n")
    return found


def main() -> None:
    """Write the library to the path given."""
    library = make_library(_SEED)
    target = Path(sys.argv[1])
    partial = target.with_name(target.name + ".part")
    partial.write_bytes(pack_shots(library))
    partial.replace(target)
    sys.stderr.write(f"{target}: {len(library)} shots, {target.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
