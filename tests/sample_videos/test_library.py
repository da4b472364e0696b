"""Every trajectory of the library and of the passages: no overlap, nothing through rubber, no ball lost, no energy won."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.equipment import find_table
from calibration.table import Table
from sample_videos.kinds import places
from sample_videos.matches import read_matches
from sample_videos.rubber import NOSE_CONTACT, rubber
from sample_videos.shapes import holes
from sample_videos.shots import SimulatedShot, read_library

STEP_S = 0.001
TOLERANCE_M = 2e-4
COARSE = 5
FAST_M = 0.07
"""Two balls at 14 m/s towards each other come no nearer than this within half of `COARSE` steps."""
TABLES = ("wpa-9ft", "wpa-8ft", "home-8ft", "bar-7ft", "pyramid-12ft")
KINDS = {
    *("cut", "bank", "kick", "combination", "carom", "safety", "miss", "frozen_ball", "frozen_rail", "split", "near_miss"),
    *("rattle", "hanging", "hangs", "jump", "hard", "rebound", "no_contact"),
}


@cache
def _table(name: str) -> Table:
    return Table(find_table(name))


def _all_shots() -> list[SimulatedShot]:
    return [*read_library(), *(shot for match in read_matches() for shot in match.shots)]


def _shots(table: str) -> list[SimulatedShot]:
    return [shot for shot in _all_shots() if shot.table == table]


def _moving(path: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Samples at which a ball is elsewhere than a sample before; its first sample counts."""
    steps = np.abs(np.diff(path, axis=0, prepend=path[:1] + 1.0)).sum(axis=1)
    return np.asarray(steps > 0)


@pytest.mark.parametrize("table", TABLES)
def test_no_two_balls_overlap_and_none_goes_through_a_cushion(table: str) -> None:
    """At any thousandth of a second two centres are a diameter less 0.2 mm apart or more, and 0.963 radii from all rubber, to 0.2 mm.

    Jaws and facings are rubber; what is in the hole, or has flown over a rail, is no more on the bed.
    """
    geometry = _table(table)
    for shot in _shots(table):
        paths = places(shot, np.arange(0, shot.end_s + STEP_S, STEP_S))
        awake = {ball: _moving(path) for ball, path in paths.items()}
        for a, b in combinations(paths, 2):
            apart = np.linalg.norm(paths[a][::COARSE] - paths[b][::COARSE], axis=1)
            if np.nanmin(np.append(apart, 1.0)) > geometry.spec.ball_diameter_m + FAST_M:
                continue
            either = awake[a] | awake[b]
            gap = np.linalg.norm(paths[a][either] - paths[b][either], axis=1)

            assert np.nanmin(np.append(gap, 1.0)) >= geometry.spec.ball_diameter_m - TOLERANCE_M, (shot.kind, a, b)
        _check_rubber(shot, geometry, paths, awake)


def _check_rubber(shot: SimulatedShot, geometry: Table, paths: dict[str, NDArray[np.float64]], awake: dict[str, NDArray[np.bool_]]) -> None:
    walls, radius = rubber(geometry), geometry.spec.ball_radius_m
    half = np.array([geometry.spec.length_m, geometry.spec.width_m]) / 2
    back = {e["ball"] for e in shot.events if e["type"] == "pocket_rebound"}
    for ball, path in paths.items():
        flat = path[np.isfinite(path[:, 0]) & awake[ball]][:, :2]
        inside = (half - np.abs(flat)).min(axis=1)
        near = flat[(inside < 1.5 * radius) & ((inside > 0) | (ball not in back))]  # inside its pocket a rebound is scripted
        if len(near):
            assert walls.clearance_m(near).min() >= NOSE_CONTACT * radius - TOLERANCE_M, (shot.kind, ball)


@pytest.mark.parametrize("table", TABLES)
def test_every_ball_is_accounted_for(table: str) -> None:
    """Balls before are balls after, pocketed and off the table; those left lie still on the bed; those pocketed fell over a hole."""
    geometry = _table(table)
    half = np.array([geometry.spec.length_m, geometry.spec.width_m]) / 2
    for shot in _shots(table):
        down = [e["ball"] for e in shot.events if e["type"] == "pocketed"]
        off = [e["ball"] for e in shot.events if e["type"] == "off_table"]

        assert sorted([*shot.after, *down, *off]) == sorted(shot.before), shot.kind
        assert set(off) == set(shot.off_table), shot.kind
        for ball, place in shot.after.items():
            rows = shot.segments[ball]
            speed = rows[-1, 3:5] + rows[-1, 5:7] * max(shot.end_s - rows[-1, 0], 0.0)
            assert (np.abs(place) < half + 0.03).all(), (shot.kind, ball)
            assert np.linalg.norm(speed) < 0.005, (shot.kind, ball)
        for event in shot.events:
            if event["type"] == "pocketed":
                hole = holes(geometry)[event["pocket"]]
                end = places(shot, np.array([event["t"] - 1e-6]))[event["ball"]][0, :2]
                assert np.linalg.norm(end - hole.centre_m) < hole.radius_m + 0.002, (shot.kind, event)


@pytest.mark.parametrize("table", TABLES)
def test_energy_never_grows(table: str) -> None:
    """Energy of motion and spin does not grow after the tip contact, to one percent of the start; a jump's flight is left out."""
    radius = _table(table).spec.ball_radius_m
    for shot in _shots(table):
        landed = max([end for flights in shot.air.values() for _, end, _ in flights], default=0.0)
        times = np.arange(landed + 0.0005, shot.end_s, 0.003)
        total = np.zeros(len(times))
        gone = {e["ball"]: e["t"] for e in shot.events if e["type"] == "pocketed"}
        gone.update({ball: values[0] for ball, values in shot.off_table.items()})
        for ball, rows in shot.segments.items():
            row = rows[np.clip(np.searchsorted(rows[:, 0], times, side="right") - 1, 0, None)]
            dt = (times - row[:, 0])[:, None]
            speed2 = ((row[:, 3:5] + row[:, 5:7] * dt) ** 2).sum(axis=1)
            spin2 = ((row[:, 7:10] + row[:, 10:13] * dt) ** 2).sum(axis=1)
            total += np.where(times > gone.get(ball, np.inf), 0.0, 0.5 * speed2 + 0.2 * radius**2 * spin2)

        if len(total) > 1 and not any(e["type"] == "pocket_rebound" for e in shot.events):
            assert np.diff(total).max() < 0.01 * total[0], shot.kind


def test_there_are_four_hundred_shots_of_every_kind_and_table() -> None:
    """At least 400 single shots; every kind of the issue on a pool table and on the pyramid table."""
    library = read_library()

    assert len(library) >= 400
    for table in TABLES:
        assert sum(shot.table == table for shot in library) >= 40, table
        there = {shot.kind for shot in library if shot.table == table}
        assert there >= KINDS, (table, KINDS - there)
        assert {"break", "break_dry"} & there, table
        assert {"scratch", "svoi"} & there, table


def test_a_passage_goes_on_where_the_last_shot_ended() -> None:
    """Every shot of a passage starts from the layout that shots and hands before it have left."""
    for match in read_matches():
        layout = dict(match.start)
        shots = iter(match.shots)
        for step in match.steps:
            if step["do"] == "hand":
                for move in step["moves"]:
                    layout.pop(move["ball"], None)
                    if move["to"] is not None:
                        layout[move["ball"]] = tuple(move["to"])
            elif step["do"] == "drop":
                layout.pop(step["ball"])
            elif step["do"] == "shot":
                shot = next(shots)
                assert set(shot.before) == set(layout), match.name
                assert max(np.hypot(*np.subtract(shot.before[b], layout[b])) for b in layout) < 1e-5, match.name
                layout = dict(shot.after)
