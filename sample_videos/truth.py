"""What is true of a shot: facts from its exact events, and the nine-ball ruling that follows from them.

The ruling is written out here on its own, from rules.md 2.2 (N9-1.2, 1.3, 4.1, 4.3, 8, 9, 11, GR-3.20), so that the
videos can judge the referee; it knows only what these videos show: no push-outs, no touched balls, no earlier fouls.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from calibration.calibration import Calibration
from calibration.table import Table
from sample_videos.passages import Passage
from sample_videos.scene import Scene
from sample_videos.shots import SimulatedShot
from sample_videos.training import foot_side

FORMAT = "cueref.truth/1"
_CROSSING_STEP_S = 0.002
"""Between looks for a crossing; a line passed and passed back in less is not a crossing that anybody sees."""


def film_truth(passage: Passage, scene: Scene, fps: float, recipe: Mapping[str, Any]) -> dict[str, Any]:
    """What is true of a whole film but its game, shots and pictures: camera, table, rates, how it was made."""
    calibration = Calibration(
        table=scene.table, camera=scene.camera, foot_known=True, foot_side=foot_side(scene), residual_mm=(0.0, 0.0), good=True
    )
    return {
        "format": FORMAT,
        "video": "",
        "recipe": dict(recipe),
        "fps": fps,
        "frames": 0,
        "exposure_s": round(scene.look.sensor.exposure_s, 5),
        "table": calibration.to_dict(),
    }


def shot_truth(shot: SimulatedShot, strike_s: float, rest_s: float, scene: Scene) -> dict[str, Any]:
    """One shot on the file's clock: layouts, events, facts."""
    pixels = scene.camera.to_pixels(list(shot.before.values()), height_m=scene.table.spec.ball_radius_m)
    return {
        "kind": shot.kind,
        "cue_ball": shot.cue_ball,
        "strike_s": round(strike_s, 4),
        "rest_s": round(rest_s, 4),
        "before": {ball: [round(v, 6) for v in place] for ball, place in shot.before.items()},
        "before_px": {b: [round(float(x), 2), round(float(y), 2)] for b, (x, y) in zip(shot.before, pixels, strict=True)},
        "after": {ball: [round(v, 6) for v in place] for ball, place in shot.after.items()},
        "events": [{**e, "t": round(e["t"], 5)} for e in sorted([*shot.events, *crossings(shot, scene.table)], key=lambda e: e["t"])],
        **facts(shot),
    }


def crossings(shot: SimulatedShot, table: Table) -> list[dict[str, Any]]:
    """Events `centre_line` and `head_line`: every time a centre passes the middle or a quarter of the length from the head."""
    events = []
    fallen = {e["ball"]: e["t"] for e in shot.events if e["type"] in ("pocketed", "off_table")}
    times = np.arange(0.0, shot.end_s + _CROSSING_STEP_S, _CROSSING_STEP_S)
    for ball, rows in shot.segments.items():
        row = rows[np.clip(np.searchsorted(rows[:, 0], times, side="right") - 1, 0, None)]
        dt = times - row[:, 0]
        x = row[:, 1] + row[:, 3] * dt + 0.5 * row[:, 5] * dt * dt
        for kind, line in (("centre_line", 0.0), ("head_line", table.head_string_m)):
            over = x > line
            for k in np.nonzero(over[1:] != over[:-1])[0]:
                share = (line - x[k]) / (x[k + 1] - x[k])
                time = float(times[k] + share * _CROSSING_STEP_S)
                if time < fallen.get(ball, np.inf):
                    events.append({"t": round(time, 5), "type": kind, "ball": ball, "dir": "to_foot" if over[k + 1] else "to_head"})
    return events


def facts(shot: SimulatedShot) -> dict[str, Any]:
    """First contact, cushions, pocketed balls and balls off the table of a shot."""
    mine = shot.cue_ball
    hits = [e for e in shot.events if e["type"] == "ball_ball" and mine in (e["a"], e["b"])]
    first = (hits[0]["b"] if hits[0]["a"] == mine else hits[0]["a"]) if hits else None
    start = hits[0]["t"] if hits else float("inf")
    rails = [e for e in shot.events if e["type"] == "ball_cushion"]
    return {
        "first_contact": first,
        "first_contact_t": hits[0]["t"] if hits else None,
        "rail_after_contact": any(e["t"] > start for e in rails),
        "rail_before_contact": any(e["t"] < start and e["ball"] == mine for e in rails) and first is not None,
        "pocketed": [[e["ball"], e["pocket"]] for e in shot.events if e["type"] == "pocketed"],
        "off_table": [e["ball"] for e in shot.events if e["type"] == "off_table"],
    }


def nine_ball_ruling(shot: SimulatedShot, known: Mapping[str, Any]) -> dict[str, Any]:
    """Phase, state before, verdict, foul codes and whose turn it is, by plain nine-ball."""
    balls = sorted(shot.before, key=lambda b: -1 if b == "cue" else int(b))
    down = [ball for ball, _ in known["pocketed"]]
    codes = _codes(shot, known, balls, down)
    numbered = [ball for ball in down if ball != "cue"]
    won = not codes and "9" in numbered
    spotted = ["9"] if codes and ("9" in numbered or "9" in known["off_table"]) else []
    return {
        "phase": shot.phase,
        "state_before": {
            "table": "wpa9",
            "shooter": "A",
            "phase": shot.phase,
            "balls": balls,
            "cue_ball": "cue",
            "cue_state": "hand_kitchen" if shot.phase == "break" else "position",
            "scores": {"A": 0, "B": 0},
            "consecutive_fouls": {"A": 0, "B": 0},
            "call": None,
        },
        "verdict": "foul" if codes else "legal",
        "foul_codes": codes,
        "turn": "A" if numbered and not codes else "B",
        "rack_over": won,
        "spotted": spotted,
    }


def _codes(shot: SimulatedShot, known: Mapping[str, Any], balls: list[str], down: list[str]) -> list[str]:
    codes = []
    lowest = next(ball for ball in balls if ball != "cue")
    if known["first_contact"] is None:
        codes.append("NO_CONTACT")
    else:
        if known["first_contact"] != lowest:
            codes.append("WRONG_FIRST")
        if not down and not known["rail_after_contact"] and not known["off_table"]:
            codes.append("NO_RAIL")
    if "cue" in down:
        codes.append("SCRATCH")
    if "cue" in known["off_table"]:
        codes.append("CUE_OFF")
    if any(ball != "cue" for ball in known["off_table"]):
        codes.append("OB_OFF")
    if shot.phase == "break" and not [ball for ball in down if ball != "cue"]:
        driven = {e["ball"] for e in shot.events if e["type"] == "ball_cushion" and e["ball"] != "cue"}
        if len(driven) < 4:
            codes.append("BREAK_FEW_RAILS")
    return codes
