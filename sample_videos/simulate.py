"""Makes `shots.npz`, the library of simulated nine-ball shots; needs pooltool, which nothing else here needs.

    python -m sample_videos.simulate sample_videos/shots.npz

Run it in an environment of its own (README.md, "Making the library again"). pooltool's table has x across and y along;
here x runs from head to foot and y to the left. Its noses stand where a ball's centre is one radius away; a real ball
touches a nose, which is higher than its centre, at 0.963 radii, so the simulated table is wider by that difference.

A shot is kept when its events make it what its kind says, when no two balls ever overlap and no ball leaves the table.
A ball that jumps the rail is scripted: after a hard cushion contact that no later contact depends on, it flies on.
"""

import json
import sys
from collections.abc import Callable
from math import degrees, hypot
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sample_videos.drafts import (
    RADIUS,
    TABLE,
    Draft,
    draft_break,
    draft_combination,
    draft_hard,
    draft_open,
    draft_pot,
    lowest,
)
from sample_videos.shapes import holes

FloatArray = NDArray[np.float64]

NOSE_CONTACT = 0.963
"""Distance of centre and nose line at contact over the radius (sqrt(1 - (2 * 0.635 - 1)^2))."""
_SLACK = (1 - NOSE_CONTACT) * RADIUS
_LENGTH, _WIDTH = TABLE.spec.length_m + 2 * _SLACK, TABLE.spec.width_m + 2 * _SLACK
_POCKETS = {"lb": "HL", "lc": "SL", "lt": "FL", "rb": "HR", "rc": "SR", "rt": "FR"}
GRAVITY = 9.81


def run_pooltool(draft: Draft, rng: np.random.Generator) -> None:
    """Simulate a draft; fills its events, segments and end."""
    import pooltool as pt
    from pooltool.objects.table.specs import PocketTableSpecs
    from pooltool.physics.evolve import evolve_ball_motion

    inch = 0.0254
    spec = PocketTableSpecs(
        l=_LENGTH,
        w=_WIDTH,
        cushion_width=2 * inch,
        cushion_height=TABLE.spec.nose_height_m,
        corner_pocket_width=TABLE.corner_mouth_m,
        corner_pocket_angle=6.0,
        corner_pocket_depth=0.0417,
        corner_pocket_radius=0.058,
        corner_jaw_radius=0.012,
        side_pocket_width=TABLE.side_mouth_m,
        side_pocket_angle=14.0,
        side_pocket_depth=0.0635,
        side_pocket_radius=0.0635,
        side_jaw_radius=0.008,
    )
    roll = 0.016 if draft.phase == "break" else float(rng.uniform(0.011, 0.016))
    physics = {
        "m": 0.170,
        "R": RADIUS,
        "u_s": float(rng.uniform(0.17, 0.24)),
        "u_r": roll,
        "e_b": 0.95,
        "e_c": float(rng.uniform(0.76, 0.86)),
        "f_c": 0.2,
        "u_b": 0.05,
    }
    spin_friction = RADIUS * 10 * 2 / 5 / 9
    balls = {
        name: pt.Ball.create(name, xy=(_WIDTH / 2 - place[1], place[0] + _LENGTH / 2), **physics) for name, place in draft.before.items()
    }
    cue = pt.Cue(cue_ball_id="cue")
    # pooltool's angle runs from its x (our -y) to its y (our x).
    cue.set_state(V0=draft.strike["V0"], phi=degrees(draft.strike["phi"]) + 90.0, a=draft.strike["a"], b=draft.strike["b"], theta=0.0)
    system = pt.System(cue=cue, table=pt.Table.from_table_specs(spec), balls=balls)
    pt.simulate(system, inplace=True, max_events=2500)
    states: dict[str, list[tuple[float, FloatArray, int]]] = {name: [(0.0, balls[name].history[0].rvw.copy(), 0)] for name in draft.before}
    for event in system.events:
        for agent in event.agents:
            if agent.agent_type == "ball" and agent.final is not None:
                states[agent.id].append((float(event.time), agent.final.state.rvw.copy(), int(agent.final.state.s)))
        _add_event(draft, event)
    draft.end_s = float(system.events[-1].time)
    for index, name in enumerate(draft.balls):
        history = states[name]
        for i, (start, rvw, state) in enumerate(history):
            end = history[i + 1][0] if i + 1 < len(history) else start + 1.0
            if end - start < 1e-9:
                continue
            if state == 4:
                break
            span = min(end - start, 60.0)
            last, _ = evolve_ball_motion(
                state, rvw.copy(), RADIUS, 0.17, physics["u_s"], spin_friction, physics["u_r"], GRAVITY, span * 0.9999
            )
            acceleration = (last[1] - rvw[1]) / (span * 0.9999) if state in (2, 3) else np.zeros(3)
            alpha = (last[2] - rvw[2]) / (span * 0.9999) if state in (1, 2, 3) else np.zeros(3)
            place = (rvw[0][1] - _LENGTH / 2, _WIDTH / 2 - rvw[0][0])
            row = [float(index), start, *place, *_turn(rvw[1])[:2], *_turn(acceleration)[:2], *_turn(rvw[2]), *_turn(alpha)]
            draft.segments.append([float(v) for v in row])


def _turn(vector: FloatArray) -> FloatArray:
    return np.array([vector[1], -vector[0], vector[2]])


def _add_event(draft: Draft, event: Any) -> None:
    kind, time = str(event.event_type), float(event.time)
    balls = [agent for agent in event.agents if agent.agent_type == "ball"]
    if kind == "stick_ball":
        draft.events.append({"t": time, "type": "cue_contact"})
    elif kind == "ball_ball":
        speeds = [hypot(*agent.initial.state.rvw[1][:2]) for agent in balls]
        first, second = (balls[0].id, balls[1].id) if speeds[0] >= speeds[1] else (balls[1].id, balls[0].id)
        draft.events.append({"t": time, "type": "ball_ball", "a": first, "b": second})
    elif kind in ("ball_linear_cushion", "ball_circular_cushion"):
        place = balls[0].initial.state.rvw[0]
        x, y = place[1] - _LENGTH / 2, _WIDTH / 2 - place[0]
        gaps = {"head": x + _LENGTH / 2, "foot": _LENGTH / 2 - x, "left": _WIDTH / 2 - y, "right": y + _WIDTH / 2}
        cushion = min(gaps, key=lambda name: gaps[name])
        entry = {"t": time, "type": "ball_cushion", "ball": balls[0].id, "cushion": cushion}
        if str(event.ids[1]) not in ("3", "6", "9", "12", "15", "18"):
            entry["jaw"] = min(
                _POCKETS.values(), key=lambda name: hypot(x - TABLE.mouth_centre_m(name)[0], y - TABLE.mouth_centre_m(name)[1])
            )
        draft.events.append(entry)
    elif kind == "ball_pocket":
        draft.events.append({"t": time, "type": "pocketed", "ball": balls[0].id, "pocket": _POCKETS[str(event.ids[1])]})


def positions(draft: Draft, times: FloatArray) -> dict[str, FloatArray]:
    """Centres (T, 2) of each ball; NaN after it was pocketed or flew off."""
    rows = np.array(draft.segments)
    gone = {e["ball"]: e["t"] for e in draft.events if e["type"] in ("pocketed", "off_table")}
    result = {}
    for index, name in enumerate(draft.balls):
        mine = rows[rows[:, 0] == index]
        which = np.clip(np.searchsorted(mine[:, 1], times, side="right") - 1, 0, None)
        dt = (times - mine[which, 1])[:, None]
        place = mine[which, 2:4] + mine[which, 4:6] * dt + 0.5 * mine[which, 6:8] * dt * dt
        place[times > gone.get(name, np.inf)] = np.nan
        result[name] = place
    return result


def is_sound(draft: Draft) -> bool:
    """No overlaps, no ball outside its mouths, no jump from one segment to the next."""
    times = np.arange(0, draft.end_s, 0.002)
    places = positions(draft, times)
    names = list(places)
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            gap = np.hypot(*(places[first] - places[second]).T)
            if np.nanmin(np.append(gap, 9.0)) < 2 * RADIUS - 1.5e-4:
                return False
        steps = np.hypot(*np.diff(places[first], axis=0).T)
        if np.nanmax(np.append(steps, 0.0)) > 0.002 * 12:
            return False
    return True


def contact_gap(draft: Draft) -> float:
    """Seconds between the cue ball's first contact with a ball and its contact with a second one; infinite without."""
    touched = [e for e in draft.events if e["type"] == "ball_ball" and "cue" in (e["a"], e["b"])]
    others = {(e["b"] if e["a"] == "cue" else e["a"]): e["t"] for e in reversed(touched)}
    order = sorted(others.values())
    return order[1] - order[0] if len(order) > 1 else float("inf")


def fits(draft: Draft) -> bool:
    """Whether the events make the shot what its kind says."""
    first = next(
        (e["b"] if e["a"] == "cue" else e["a"] for e in draft.events if e["type"] == "ball_ball" and "cue" in (e["a"], e["b"])), None
    )
    start = next((e["t"] for e in draft.events if e["type"] == "ball_ball"), 1e9)
    rails = [e for e in draft.events if e["type"] == "ball_cushion" and e["t"] > start]
    before = [e for e in draft.events if e["type"] == "ball_cushion" and e["t"] < start]
    potted = [e["ball"] for e in draft.events if e["type"] == "pocketed"]
    target = lowest(draft.before)
    good = first == target and "cue" not in potted
    driven = {e["ball"] for e in rails if e["ball"] != "cue"}
    checks: dict[str, Callable[[], bool]] = {
        "legal_pot": lambda: good and potted == [target] and not before,
        "nine_pot": lambda: good and "9" in potted,
        "combination": lambda: good and len(potted) == 1 and potted[0] not in (target, "9"),
        "miss": lambda: good and not potted and bool(rails),
        "safety": lambda: good and not potted and bool(rails),
        "kick": lambda: good and bool(before) and (bool(rails) or bool(potted)) and "9" not in potted,
        "break_pot": lambda: good and 1 <= len(potted) <= 3 and "9" not in potted,
        "break_dry": lambda: good and not potted and len(driven) >= 4,
        "no_contact": lambda: first is None and not potted and bool([e for e in draft.events if e["type"] == "ball_cushion"]),
        "wrong_first": lambda: first not in (None, target) and not potted and bool(rails) and start > 0.2,
        "wrong_first_pot": lambda: first not in (None, target) and len(potted) == 1 and "cue" not in potted and "9" not in potted,
        "no_rail": lambda: first == target and not potted and not rails and not before and start > 0.15,
        "scratch": lambda: first == target and potted == ["cue"] and bool(rails),
        "object_off": lambda: good and not before and _fly(draft, cue=False),
        "cue_off": lambda: good and not before and not potted and _fly(draft, cue=True),
    }
    return contact_gap(draft) > 0.08 and checks[draft.kind]()


def _fly(draft: Draft, *, cue: bool) -> bool:
    """Let a ball that hits a cushion hard, and touches nothing later, fly over the rail; False where none does."""
    rows = np.array(draft.segments)
    for event in draft.events:
        if event["type"] != "ball_cushion" or "jaw" in event or (event["ball"] == "cue") != cue:
            continue
        ball, time = event["ball"], event["t"]
        later = [e for e in draft.events if e["t"] > time and ball in (e.get("a"), e.get("b"), e.get("ball"))]
        if any(e["type"] in ("ball_ball", "pocketed") for e in later):
            continue
        index = draft.balls.index(ball)
        mine = rows[(rows[:, 0] == index) & (rows[:, 1] < time - 1e-9)][-1]
        dt = time - mine[1]
        velocity = mine[4:6] + mine[6:8] * dt
        place = mine[2:4] + mine[4:6] * dt + 0.5 * mine[6:8] * dt * dt
        outward = np.array({"head": (-1, 0), "foot": (1, 0), "left": (0, 1), "right": (0, -1)}[event["cushion"]])
        speed_out = float(velocity @ outward)
        if speed_out < 2.2 or _passes_a_pocket(place, velocity / speed_out):
            continue
        draft.events = [e for e in draft.events if e not in later]
        draft.segments = [r for r in draft.segments if not (r[0] == index and r[1] >= time - 1e-9)]
        flight = 0.75 * velocity
        draft.off_table[ball] = [time, *place, RADIUS, *flight, 1.6]
        draft.events.append({"t": round(time + 0.30, 6), "type": "off_table", "ball": ball, "where": "floor"})
        draft.events.sort(key=lambda e: e["t"])
        ends = [e["t"] for e in draft.events]
        draft.end_s = max(draft.end_s, ends[-1])
        return True
    return False


def _passes_a_pocket(place: FloatArray, per_outward: FloatArray) -> bool:
    """Whether a ball that flies on over the rail comes near a hole, so that from above it might have dropped."""
    path = [place + per_outward * s for s in (0.0, 0.04, 0.08, 0.12, 0.16)]
    return any(hypot(*(point - np.array(hole.centre_m))) < 0.17 for hole in holes(TABLE).values() for point in path)


KINDS: dict[str, tuple[Callable[[np.random.Generator, str], Draft | None], int, float]] = {
    "legal_pot": (draft_pot, 6, 4.2),
    "nine_pot": (draft_pot, 2, 5.0),
    "combination": (draft_combination, 3, 5.0),
    "miss": (draft_pot, 4, 5.0),
    "safety": (draft_pot, 4, 4.5),
    "kick": (draft_open, 4, 5.5),
    "break_pot": (draft_break, 5, 6.0),
    "break_dry": (draft_break, 2, 6.0),
    "no_contact": (draft_open, 5, 4.5),
    "wrong_first": (draft_pot, 6, 4.2),
    "wrong_first_pot": (draft_pot, 3, 4.5),
    "no_rail": (draft_pot, 5, 4.5),
    "scratch": (draft_pot, 5, 5.0),
    "object_off": (draft_hard, 4, 6.5),
    "cue_off": (draft_hard, 3, 6.5),
}
"""Kind to its maker, how many are wanted, and the longest time to rest, seconds."""


def make_library(seed: int) -> list[Draft]:
    """All shots; tells its progress on stderr."""
    rng = np.random.default_rng(seed)
    library: list[Draft] = []
    for kind, (maker, wanted, longest) in KINDS.items():
        found = tries = 0
        while found < wanted and tries < 300:
            draft = maker(rng, "wrong_first" if kind == "wrong_first_pot" else kind)
            if draft is None:
                continue
            tries += 1
            draft.kind = kind
            run_pooltool(draft, rng)
            if draft.end_s <= longest and fits(draft) and draft.end_s <= longest and is_sound(draft):
                library.append(draft)
                found += 1
        sys.stderr.write(f"{kind}: {found} of {wanted} in {tries} tries\n")
    return library


def main() -> None:
    """Write the library to the path given."""
    library = make_library(20)
    meta = [
        {
            "kind": d.kind,
            "phase": d.phase,
            "balls": d.balls,
            "before": {b: [round(float(v), 6) for v in p] for b, p in d.before.items()},
            "strike": {k: round(v, 5) for k, v in d.strike.items()},
            "events": [{**e, "t": round(e["t"], 6)} for e in d.events],
            "end_s": round(d.end_s, 6),
            "off_table": d.off_table,
        }
        for d in library
    ]
    rows = np.concatenate([np.column_stack([np.full(len(d.segments), i), np.array(d.segments)]) for i, d in enumerate(library)])
    target = Path(sys.argv[1])
    partial = target.with_name(target.name + ".part.npz")
    np.savez_compressed(partial, meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), segments=rows)
    partial.replace(target)
    sys.stderr.write(f"{target}: {len(library)} shots, {target.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
