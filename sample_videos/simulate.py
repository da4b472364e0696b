"""Runs strokes through pooltool, which nothing else here needs: from a draft to its events and pieces of motion.

pooltool's table has x across and y along; here x runs from head to foot and y to the left. Its noses stand where a
ball's centre is one radius away; a real ball touches rubber, which is higher than its centre, at 0.963 radii, so the
simulated table is wider by that difference, its mouths by twice that, its jaws sharper (rubber.py has the true ones).

What pooltool lacks is scripted here: a jump flies over what lies below it and is simulated from where it lands; a ball
that jumps a rail flies on after a hard cushion contact that no later contact depends on; a ball that comes back out of a
pocket turns round at its back wall, and all others are simulated again from then on.
"""

from math import degrees, hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.table import Table
from sample_videos.drafts import Draft
from sample_videos.rubber import DEPTH_M, pockets, slack_m
from sample_videos.shapes import holes

FloatArray = NDArray[np.float64]

_POCKETS = {"lb": "HL", "lc": "SL", "lt": "FL", "rb": "HR", "rc": "SR", "rt": "FR"}
_NOSES = ("3", "6", "9", "12", "15", "18")
_OUTWARD = {"head": (-1.0, 0.0), "foot": (1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
GRAVITY = 9.81
_SPIN_DECAY = 10 * 2 / 5 / 9
"""pooltool's friction of spin on the spot, times the radius."""


def draw_physics(draft: Draft, table: Table, rng: np.random.Generator) -> dict[str, float]:
    """Friction and bounce by chance, mass by the ball's size (rules.md 1.2: 170 g; 283 g in pyramid)."""
    pyramid = table.spec.ball_diameter_m > 0.06
    return {
        "m": 0.283 if pyramid else 0.170,
        "R": table.spec.ball_radius_m,
        "u_s": float(rng.uniform(0.17, 0.24)),
        "u_r": 0.016 if draft.phase == "break" else float(rng.uniform(0.011, 0.016)),
        "e_b": 0.95,
        "e_c": float(rng.uniform(0.72, 0.82) if pyramid else rng.uniform(0.76, 0.86)),
        "f_c": 0.2,
        "u_b": 0.05,
    }


class Simulation:
    """One stroke on one table; `run` fills the draft, and may be used again from a later moment."""

    def __init__(self, draft: Draft, table: Table, physics: dict[str, float]) -> None:
        self.draft, self.table, self.physics = draft, table, physics
        self._radius = table.spec.ball_radius_m
        slack = slack_m(table)
        self._length, self._width = table.spec.length_m + 2 * slack, table.spec.width_m + 2 * slack
        self._history: dict[str, list[tuple[float, FloatArray, int]]] = {}

    def run(self) -> None:
        """From the tip contact to rest."""
        self._go(dict.fromkeys(self.draft.before), 0.0)
        self._write()

    def run_from(self, time_s: float, changed: dict[str, tuple[FloatArray, FloatArray]]) -> None:
        """Forget what came later and go on from a moment with some balls at other places and velocities, sliding.

        The pieces of the changed balls up to then stay as they are in the draft.
        """
        states: dict[str, tuple[FloatArray, int] | None] = {}
        gone = {e["ball"] for e in self.draft.events if e["type"] == "pocketed" and e["t"] <= time_s}
        for ball in self.draft.before:
            if ball in changed:
                place, velocity = changed[ball]
                rvw = np.array([self._there(place), [-velocity[1], velocity[0], 0.0], np.zeros(3)])
                states[ball] = (rvw, 2)
            elif ball not in gone:
                states[ball] = self._state(ball, time_s)
        self.draft.events = [e for e in self.draft.events if e["t"] <= time_s]
        self._history = {ball: [h for h in rows if h[0] < time_s - 1e-9] for ball, rows in self._history.items()}
        kept = [row for row in self.draft.segments if row[1] < time_s - 1e-9]
        self._go(states, time_s)
        self._write()
        late = {ball: self.draft.balls.index(ball) for ball in changed}
        fresh = [row for row in self.draft.segments if int(row[0]) not in late.values() or row[1] >= time_s - 1e-9]
        self.draft.segments = [row for row in kept if int(row[0]) in late.values()] + fresh

    def run_jump(self, upwards_mps: float, flight_s: float) -> None:
        """The cue ball flies straight on, lands after `flight_s`, and slides; nothing else moves before."""
        draft = self.draft
        speed, angle = draft.strike["V0"], draft.strike["phi"]
        velocity = speed * np.array([np.cos(angle), np.sin(angle)])
        start = draft.before[draft.cue_ball]
        draft.events = [{"t": 0.0, "type": "cue_contact"}]
        draft.segments = [[float(draft.balls.index(draft.cue_ball)), 0.0, *start, *velocity, *[0.0] * 8]]
        draft.air[draft.cue_ball] = [(0.0, flight_s, upwards_mps)]
        for ball, place in draft.before.items():
            self._history[ball] = [(0.0, np.array([self._there(place), np.zeros(3), np.zeros(3)]), 0)]
        self.run_from(flight_s, {draft.cue_ball: (start + velocity * flight_s, 0.9 * velocity)})

    def _go(self, states: dict[str, tuple[FloatArray, int] | None] | dict[str, None], start_s: float) -> None:
        import pooltool as pt

        draft = self.draft
        balls = {}
        for name, state in states.items():
            place = draft.before[name]
            balls[name] = pt.Ball.create(name, xy=tuple(self._there(place)[:2]), **self.physics)
            if state is not None:
                balls[name].state.rvw[:] = state[0]
                balls[name].state.s = state[1]
        cue = pt.Cue(cue_ball_id=draft.cue_ball)
        # pooltool's angle runs from its x (our -y) to its y (our x).
        strike = draft.strike
        if start_s == 0.0:
            cue.set_state(V0=strike["V0"], phi=degrees(strike["phi"]) + 90.0, a=strike["a"], b=strike["b"], theta=0.0)
        else:
            cue.set_state(V0=0.0)
        system = pt.System(cue=cue, table=pt.Table.from_table_specs(self._specs()), balls=balls)
        for name, ball in balls.items():
            self._history.setdefault(name, []).append((start_s, ball.state.rvw.copy(), int(ball.state.s)))
        pt.simulate(system, inplace=True, max_events=3000)
        for event in system.events:
            for agent in event.agents:
                if agent.agent_type == "ball" and agent.final is not None:
                    state = agent.final.state
                    self._history[agent.id].append((start_s + float(event.time), state.rvw.copy(), int(state.s)))
            self._add_event(event, start_s)
        draft.end_s = start_s + float(system.events[-1].time)

    def _specs(self) -> Any:
        from pooltool.objects.table.specs import PocketTableSpecs

        size, slack = pockets(self.table), slack_m(self.table)
        return PocketTableSpecs(
            l=self._length,
            w=self._width,
            cushion_width=DEPTH_M,
            cushion_height=self.table.spec.nose_height_m,
            corner_pocket_width=size.corner_mouth_m + 2 * slack,
            corner_pocket_angle=size.corner_cut_deg,
            corner_pocket_depth=size.corner_depth_m - slack * 2**0.5,
            corner_pocket_radius=size.corner_radius_m,
            corner_jaw_radius=size.corner_jaw_m - slack,
            side_pocket_width=size.side_mouth_m + 2 * slack,
            side_pocket_angle=size.side_cut_deg,
            side_pocket_depth=size.side_depth_m - slack,
            side_pocket_radius=size.side_radius_m,
            side_jaw_radius=size.side_jaw_m - slack,
        )

    def _there(self, place: FloatArray) -> FloatArray:
        return np.array([self._width / 2 - place[1], place[0] + self._length / 2, self._radius])

    def _here(self, place: FloatArray) -> tuple[float, float]:
        return float(place[1] - self._length / 2), float(self._width / 2 - place[0])

    def _state(self, ball: str, time_s: float) -> tuple[FloatArray, int]:
        start, rvw, state = next(h for h in reversed(self._history[ball]) if h[0] <= time_s)
        return self._evolved(state, rvw, max(time_s - start, 0.0)), state

    def _evolved(self, state: int, rvw: FloatArray, span: float) -> FloatArray:
        from pooltool.physics.evolve import evolve_ball_motion

        p = self.physics
        spin_friction = self._radius * _SPIN_DECAY
        last, _ = evolve_ball_motion(state, rvw.copy(), self._radius, p["m"], p["u_s"], spin_friction, p["u_r"], GRAVITY, span)
        return np.asarray(last, np.float64)

    def _write(self) -> None:
        self.draft.segments = []
        for index, name in enumerate(self.draft.balls):
            history = self._history.get(name, [])
            for i, (start, rvw, state) in enumerate(history):
                end = history[i + 1][0] if i + 1 < len(history) else start + 1.0
                if end - start < 1e-9:
                    continue
                if state == 4:
                    break
                span = min(end - start, 60.0) * 0.9999
                last = self._evolved(state, rvw, span)
                acceleration = (last[1] - rvw[1]) / span if state in (2, 3) else np.zeros(3)
                alpha = (last[2] - rvw[2]) / span if state in (1, 2, 3) else np.zeros(3)
                velocity = rvw[1] if state in (2, 3) else np.zeros(3)
                spin = rvw[2] if state in (1, 2, 3) else np.zeros(3)
                row = [
                    float(index),
                    start,
                    *self._here(rvw[0]),
                    *_turn(velocity)[:2],
                    *_turn(acceleration)[:2],
                    *_turn(spin),
                    *_turn(alpha),
                ]
                self.draft.segments.append([float(v) for v in row])

    def _add_event(self, event: Any, start_s: float) -> None:
        kind, time = str(event.event_type), start_s + float(event.time)
        balls = [agent for agent in event.agents if agent.agent_type == "ball"]
        events = self.draft.events
        if kind == "stick_ball":
            events.append({"t": time, "type": "cue_contact"})
        elif kind == "ball_ball":
            speeds = [hypot(*agent.initial.state.rvw[1][:2]) for agent in balls]
            first, second = (balls[0].id, balls[1].id) if speeds[0] >= speeds[1] else (balls[1].id, balls[0].id)
            events.append({"t": time, "type": "ball_ball", "a": first, "b": second})
        elif kind in ("ball_linear_cushion", "ball_circular_cushion"):
            x, y = self._here(balls[0].initial.state.rvw[0])
            half_x, half_y = self._length / 2, self._width / 2
            gaps = {"head": x + half_x, "foot": half_x - x, "left": half_y - y, "right": y + half_y}
            cushion = min(gaps, key=lambda name: gaps[name])
            entry = {"t": time, "type": "ball_cushion", "ball": balls[0].id, "cushion": cushion}
            if str(event.ids[1]) not in _NOSES:
                mouths = {name: self.table.mouth_centre_m(name) for name in _POCKETS.values()}
                entry["jaw"] = min(mouths, key=lambda name: hypot(x - mouths[name][0], y - mouths[name][1]))
            events.append(entry)
        elif kind == "ball_pocket":
            events.append({"t": time, "type": "pocketed", "ball": balls[0].id, "pocket": _POCKETS[str(event.ids[1])]})


def _turn(vector: FloatArray) -> FloatArray:
    return np.array([vector[1], -vector[0], vector[2]])


def simulate(draft: Draft, table: Table, rng: np.random.Generator) -> Simulation:
    """Simulate a draft, its jump included; fills its events, segments and end."""
    simulation = Simulation(draft, table, draw_physics(draft, table, rng))
    if draft.carry is None:
        simulation.run()
    else:
        simulation.run_jump(*draft.carry)
    return simulation


def position_and_velocity(draft: Draft, ball: str, time_s: float) -> tuple[FloatArray, FloatArray]:
    """(x, y) and (vx, vy) of a ball just before a moment."""
    index = draft.balls.index(ball)
    row = np.array([r for r in draft.segments if r[0] == index and r[1] < time_s - 1e-9][-1])
    dt = time_s - row[1]
    return row[2:4] + row[4:6] * dt + 0.5 * row[6:8] * dt * dt, row[4:6] + row[6:8] * dt


def fly(draft: Draft, table: Table, *, cue: bool) -> bool:
    """Let a ball that hits a cushion hard, and touches nothing later, fly over the rail; False where none does."""
    for event in draft.events:
        if event["type"] != "ball_cushion" or "jaw" in event or (event["ball"] == draft.cue_ball) != cue:
            continue
        ball, time = event["ball"], event["t"]
        later = [e for e in draft.events if e["t"] > time and ball in (e.get("a"), e.get("b"), e.get("ball"))]
        if any(e["type"] in ("ball_ball", "pocketed") for e in later):
            continue
        place, velocity = position_and_velocity(draft, ball, time)
        speed_out = float(velocity @ np.array(_OUTWARD[event["cushion"]]))
        if speed_out < 2.2 or _passes_a_pocket(table, place, velocity / speed_out):
            continue
        index = draft.balls.index(ball)
        draft.events = [e for e in draft.events if e not in later]
        draft.segments = [r for r in draft.segments if not (r[0] == index and r[1] >= time - 1e-9)]
        draft.off_table[ball] = [time, *place, table.spec.ball_radius_m, *(0.75 * velocity), 1.6]
        draft.events.append({"t": round(time + 0.30, 6), "type": "off_table", "ball": ball, "where": "floor"})
        draft.events.sort(key=lambda e: e["t"])
        draft.end_s = max(draft.end_s, draft.events[-1]["t"])
        return True
    return False


def rebound(simulation: Simulation) -> bool:
    """Let a ball that falls fast come back from its pocket's back wall onto the bed; False where none is fast enough."""
    draft, table = simulation.draft, simulation.table
    for event in draft.events:
        if event["type"] != "pocketed" or event["ball"] == draft.cue_ball:
            continue
        ball, time, pocket = event["ball"], event["t"], event["pocket"]
        place, velocity = position_and_velocity(draft, ball, time)
        outward = np.array(holes(table)[pocket].outward)
        if float(velocity @ outward) < 1.2:
            continue
        depth = 0.35 * holes(table)[pocket].radius_m
        way = velocity / hypot(*velocity)
        there, back = depth / hypot(*velocity), depth / (0.45 * hypot(*velocity))
        # It comes straight out of the mouth, so that it meets no jaw on its first way.
        turn, leave = time + there, time + there + back
        index = draft.balls.index(ball)
        deep = place + way * depth
        draft.events = [e for e in draft.events if e is not event]
        draft.segments.append([float(index), time, *place, *velocity, *[0.0] * 8])
        draft.segments.append([float(index), turn, *deep, *(-0.45 * velocity), *[0.0] * 8])
        simulation.run_from(leave, {ball: (place, -0.45 * velocity)})
        draft.events.append({"t": round(turn, 6), "type": "pocket_rebound", "ball": ball, "pocket": pocket})
        draft.events.sort(key=lambda e: e["t"])
        return True
    return False


def _passes_a_pocket(table: Table, place: FloatArray, per_outward: FloatArray) -> bool:
    """Whether a ball that flies on over the rail comes near a hole, so that from above it might have dropped."""
    path = [place + per_outward * s for s in (0.0, 0.04, 0.08, 0.12, 0.16)]
    return any(hypot(*(point - np.array(hole.centre_m))) < 0.17 for hole in holes(table).values() for point in path)
