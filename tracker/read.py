"""Events read out of a shot's window: what happened, when, how surely. Facts only.

The order: noise from the resting balls; each ball's path in pieces (wake.py, trajectory.py); kinks (kinks.py); the
stroke is the first ball to wake; contacts that explain the kinks (contacts.py); the first contact (first_contact.py);
how each track ends (endings.py); then the three facts that most rulings hang on, with their doubt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from calibration.equipment import BallId
from calibration.table import Table
from tracker.contacts import Contact, explain
from tracker.crossings import line_crossings
from tracker.endings import Ending, find_ending
from tracker.first_contact import FirstContact, decide
from tracker.history import BallTrack
from tracker.kinks import Kink, Path, find_kinks
from tracker.noses import CALIBRATED_TOUCH_RATIO, Surroundings
from tracker.segment import ShotWindow, find_windows
from tracker.shot import Doubt, Shot, ShotEvent
from tracker.stroke import find_stroke, stroke_unseen
from tracker.wake import make_path, rest_noise_m

FloatArray = NDArray[np.float64]

LEAST_P = 0.05
"""Events less likely than this are left out (design.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """Everything read off a window before facts are stated."""

    paths: Mapping[BallId, Path]
    around: Surroundings
    frame_s: float
    end_s: float
    strike: Kink | None
    strike_s: float
    contacts: Sequence[Contact]
    wakes: Sequence[Kink]
    endings: Mapping[BallId, Ending]


def read_shots(tracks: Sequence[BallTrack], table: Table, *, touch_ratio: float = CALIBRATED_TOUCH_RATIO) -> tuple[Shot, ...]:
    """The shots of finished tracks.

    Args:
        tracks: A track per ball.
        table: The table they were measured on.
        touch_ratio: Distance of a centre from a nose at touch over the radius.
    """
    shots: list[Shot] = []
    for window in find_windows(tracks):
        shot = read_shot(window, table, number=len(shots) + 1, touch_ratio=touch_ratio)
        if shot is not None:
            shots.append(shot)
    return tuple(shots)


def read_shot(window: ShotWindow, table: Table, *, number: int = 1, touch_ratio: float = CALIBRATED_TOUCH_RATIO) -> Shot | None:
    """The shot in a window; None where nothing in it was struck.

    Args:
        window: From `Segmenter` or `find_windows`.
        table: The table.
        number: The shot's number in the recording.
        touch_ratio: Distance of a centre from a nose at touch over the radius.
    """
    scene = _read_scene(window, Surroundings(table, touch_ratio * table.spec.ball_radius_m))
    if scene is None:
        return None
    first = _first_contact(scene)
    events = _events(scene, first)
    before, after = _layouts(scene)
    rail_before, rail_after = _rails(scene, first)
    complete = window.at_rest or all(ending.kind != "rolling" for ending in scene.endings.values())
    return Shot(
        number=number,
        start_s=scene.strike_s,
        end_s=_end_s(scene, complete),
        cue_ball=scene.strike.ball if scene.strike is not None else None,
        complete=complete,
        before=before,
        after=after,
        events=tuple(events),
        first_contact=first.probability,
        rail_before_contact=rail_before,
        rail_after_contact=rail_after,
        doubts=tuple(_doubts(scene, window, first, complete)),
    )


def _read_scene(window: ShotWindow, around: Surroundings) -> _Scene | None:
    noise = rest_noise_m(window.tracks)
    times = np.unique(np.concatenate([track.times_s for track in window.tracks]))
    frame = float(np.median(np.diff(times))) if len(times) > 1 else 0.04
    paths = {path.ball: path for track in window.tracks if (path := make_path(track, noise)) is not None}
    kinks = [kink for path in paths.values() for kink in find_kinks(path)]
    if not any(path.moves for path in paths.values()):
        return None
    wakes: dict[BallId, Kink] = {}
    for kink in kinks:
        if kink.wakes and kink.ball not in wakes:
            wakes[kink.ball] = kink
    unseen = not window.strike_seen and stroke_unseen(paths, window.start_s, frame)
    strike = None if unseen else find_stroke(wakes, 2 * around.radius_m)
    free = frozenset(i for i, kink in enumerate(kinks) if kink is strike)
    contacts = explain(kinks, around, free=free, frame_s=frame)
    return _Scene(
        paths=paths,
        around=around,
        frame_s=frame,
        end_s=window.end_s,
        strike=strike,
        strike_s=strike.time_s if strike is not None else window.start_s,
        contacts=contacts,
        wakes=[kink for kink in wakes.values() if kink is not strike],
        endings={ball: find_ending(path, around, window.end_s, frame) for ball, path in paths.items()},
    )


def _first_contact(scene: _Scene) -> FirstContact:
    if scene.strike is None:
        return FirstContact(probability={"unknown": 1.0})
    reach = 2 * scene.around.radius_m
    striker = scene.paths[scene.strike.ball]
    wakes = [kink for kink in scene.wakes if kink.time_s > scene.strike_s - 0.02 - 3 * kink.sigma_s]
    resting = {ball: path.pieces[0] for ball, path in scene.paths.items() if path is not striker and not path.pieces[0].moving}
    found = decide(striker, scene.strike, wakes, resting, reach, scene.frame_s)
    if found is None:
        return FirstContact(probability={"none": 0.99, "unknown": 0.01})
    best = next(iter(found.probability))
    times = [(contact.time_s, contact.sigma_s) for contact in scene.contacts if {contact.ball, contact.other} == {scene.strike.ball, best}]
    if not times and found.time_s is not None:
        times = [(found.time_s, found.sigma_s)]
    time, sigma = min(times)
    return FirstContact(probability=found.probability, time_s=time, sigma_s=sigma, rivals=found.rivals)


def _probability(contact: Contact) -> float:
    return float(1 / (1 + np.exp(-(contact.gain - 4.0) / 3.0)))


def _events(scene: _Scene, first: FirstContact) -> list[ShotEvent]:
    start = scene.strike_s
    events = []
    if scene.strike is not None:
        events.append(ShotEvent(t=0.0, type="cue_contact", p=1.0))
    listed_first = False
    best = next(iter(first.probability))
    for contact in scene.contacts:
        p = _probability(contact)
        if contact.other is not None:
            pair = {contact.ball, contact.other}
            if scene.strike is not None and pair == {scene.strike.ball, best} and not listed_first:
                listed_first, p = True, max(p, first.probability[best])
            fields = {"a": contact.ball, "b": contact.other}
            events.append(ShotEvent(t=contact.time_s - start, type="ball_ball", p=p, fields=fields))
        else:
            jaw = {} if contact.pocket is None else {"jaw": contact.pocket}
            fields = {"ball": contact.ball, "cushion": str(contact.cushion), **jaw}
            events.append(ShotEvent(t=contact.time_s - start, type="ball_cushion", p=p, fields=fields))
    if first.time_s is not None and scene.strike is not None and not listed_first:
        fields = {"a": scene.strike.ball, "b": best}
        events.append(ShotEvent(t=first.time_s - start, type="ball_ball", p=first.probability[best], fields=fields))
    for ball, ending in scene.endings.items():
        if ending.kind == "pocketed":
            fields = {"ball": ball, "pocket": str(ending.pocket)}
            events.append(ShotEvent(t=ending.time_s - start, type="pocketed", p=ending.p, fields=fields))
        elif ending.kind == "off_table":
            events.append(ShotEvent(t=ending.time_s - start, type="off_table", p=ending.p, fields={"ball": ball, "where": "floor"}))
    for path in scene.paths.values():
        events += line_crossings(path, scene.around.table, start)
    events = [event for event in events if event.p >= LEAST_P]
    events.sort(key=lambda event: (event.t, event.type))
    return events


def _layouts(scene: _Scene) -> tuple[dict[BallId, tuple[float, float]], dict[BallId, tuple[float, float]]]:
    before: dict[BallId, tuple[float, float]] = {}
    after: dict[BallId, tuple[float, float]] = {}
    for ball, path in scene.paths.items():
        x, y = path.pieces[0].position(path.pieces[0].start_s)
        before[ball] = (float(x), float(y))
        ending = scene.endings[ball]
        if ending.kind in ("rest", "rolling"):
            after[ball] = (float(ending.place_m[0]), float(ending.place_m[1]))
    return before, after


def _rails(scene: _Scene, first: FirstContact) -> tuple[float, float]:
    """Probabilities of a cushion before the first contact (struck ball) and after it (any ball)."""
    none_before, none_after = 1.0, 1.0
    for contact in scene.contacts:
        if contact.cushion is None:
            continue
        p = _probability(contact)
        if first.time_s is None:
            later = 0.0
        else:
            sigma = (contact.sigma_s**2 + first.sigma_s**2 + 0.0005**2) ** 0.5
            later = float(ndtr((contact.time_s - first.time_s) / sigma))
        none_after *= 1 - p * later
        if scene.strike is not None and contact.ball == scene.strike.ball:
            none_before *= 1 - p * (1 - later)
    if first.time_s is None:
        return 1 - none_before, 0.0
    return 1 - none_before, 1 - none_after


def _end_s(scene: _Scene, complete: bool) -> float:
    if not complete:
        return scene.end_s
    stops = [ending.time_s for ball, ending in scene.endings.items() if scene.paths[ball].moves and ending.kind != "lost"]
    return max([scene.strike_s, *stops])


def _doubts(scene: _Scene, window: ShotWindow, first: FirstContact, complete: bool) -> list[Doubt]:
    doubts = []
    if scene.strike is None:
        doubts.append(Doubt(kind="strike_not_seen", text="balls were moving when the recording began"))
    likely = [ball for ball, p in first.probability.items() if p >= 0.01]
    if len(likely) > 1 and first.time_s is not None:
        names = " or ".join(likely)
        doubts.append(
            Doubt(kind="split_hit", text=f"hit almost together: {names} first", t=first.time_s - scene.strike_s, balls=tuple(likely))
        )
    if not complete:
        rolling = tuple(ball for ball, ending in scene.endings.items() if ending.kind == "rolling")
        doubts.append(Doubt(kind="not_at_rest", text="the recording ends while balls roll", balls=rolling))
    lost = tuple(ball for ball, ending in scene.endings.items() if ending.kind == "lost")
    if lost:
        doubts.append(Doubt(kind="hidden", text=f"not seen at the end: {', '.join(lost)}", balls=lost))
    return doubts
