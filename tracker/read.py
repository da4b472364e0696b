"""Events read out of a shot's window: what happened, when, how surely. Facts only.

The order: true time (truetime.py); noise from the resting balls; each ball's path in pieces (wake.py, trajectory.py);
kinks (kinks.py); the stroke is the first ball to wake (stroke.py); contacts that explain the kinks (contacts.py); how
each track ends (endings.py); then the facts that rulings hang on, with their doubt (facts.py, first_contact.py).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.equipment import BallId
from calibration.table import Table
from tracker.before import double_hit, near_touches
from tracker.contacts import Contact
from tracker.crossings import line_crossings
from tracker.doubts import find_doubts
from tracker.facts import contact_probability, find_first_contact, with_identities
from tracker.finished import find_windows
from tracker.first_contact import FirstContact
from tracker.history import BallTrack, TrackReport
from tracker.noses import CALIBRATED_TOUCH_RATIO, EXACT_SLACK_M, INWARD, Surroundings
from tracker.rails import lips, rails
from tracker.scene import Scene, read_scene, read_ways
from tracker.segment import ShotWindow
from tracker.shot import Shot, ShotEvent

LEAST_P = 0.05
"""Events less likely than this are left out (design.md)."""
MEASURED_SLACK_M = 0.005
"""The same for a table found in a picture: shadows and parallax move a nose line by some millimetres."""
SHOWN_BY = 3
"""So many clear cushion contacts show at which distance a ball touches a nose."""
CLEAR_MPS = 0.25
"""A cushion contact is clear from this impulse: its place is then known to a millimetre."""
LEAST_RATIO, SHOWN_SIGMAS, PLACE_RATIO = 0.01, 3.0, 0.015
"""They are believed where they differ from what is known by so much and by so many deviations of their mean; each is known to the third
part of a radius at best: noise of a few places must not move the noses of a table that is known."""
RATIO_RANGE = (0.95, 1.0)
"""Touching distances over the radius that occur (design.md)."""


def read_shots(tracks: Sequence[BallTrack], table: Table, *, touch_ratio: float = CALIBRATED_TOUCH_RATIO) -> tuple[Shot, ...]:
    """The shots of finished tracks.

    Args:
        tracks: A track per ball.
        table: The table they were measured on.
        touch_ratio: Distance of a centre from a nose at touch over the radius, used where the tracks do not show it.
    """
    shots: list[Shot] = []
    for window in find_windows(tracks):
        shot = read_shot(window, table, number=len(shots) + 1, touch_ratio=touch_ratio)
        if shot is not None:
            shots.append(shot)
    return tuple(shots)


def read_shot(
    window: ShotWindow,
    table: Table,
    *,
    number: int = 1,
    touch_ratio: float = CALIBRATED_TOUCH_RATIO,
    report: TrackReport | None = None,
) -> Shot | None:
    """The shot in a window; None where nothing in it was struck.

    Args:
        window: From `Segmenter` or `find_windows`.
        table: The table.
        number: The shot's number in the recording.
        touch_ratio: Distance of a centre from a nose at touch over the radius, used where the tracks do not show it.
        report: What the tracker knows besides the tracks (ends, names, clock) for the same window.
    """
    slack = EXACT_SLACK_M if touch_ratio >= 1 else MEASURED_SLACK_M
    around = Surroundings(table, touch_ratio * table.spec.ball_radius_m, slack)
    ways = read_ways(window, report)
    scene = read_scene(window, ways, around, report) if ways is not None else None
    if ways is None or scene is None:
        return None
    shown = _shown_ratio(scene, touch_ratio)
    if shown is not None:
        scene = read_scene(window, ways, replace(around, touch_m=shown * table.spec.ball_radius_m), report) or scene
    contact = find_first_contact(scene)
    first = with_identities(contact, report.identities) if report is not None else contact
    events = _events(scene, contact)
    before, after = _layouts(scene)
    rail_before, rail_after = rails(scene, contact)
    complete = window.at_rest or all(ending.kind != "rolling" for ending in scene.endings.values())
    return Shot(
        number=number,
        start_s=scene.clock.to_stamp(scene.strike_s),
        end_s=scene.clock.to_stamp(_end_s(scene, complete)),
        cue_ball=scene.strike.ball if scene.strike is not None else None,
        complete=complete,
        before=before,
        after=after,
        events=tuple(events),
        first_contact=first.probability,
        rail_before_contact=rail_before,
        rail_after_contact=rail_after,
        doubts=tuple(find_doubts(scene, window, first, report, complete=complete)),
        near=near_touches(scene),
        double_hit=double_hit(scene, contact),
    )


def _shown_ratio(scene: Scene, taken: float) -> float | None:
    """Touching distance over radius as the clear cushion contacts show it; None where too few, or no surer than what is `taken`."""
    radius = scene.around.radius_m
    half = np.array([scene.around.table.spec.length_m, scene.around.table.spec.width_m]) / 2
    ratios = []
    for contact in scene.contacts:
        if contact.cushion is None or contact.pocket is not None or contact.impulse_mps < CLEAR_MPS:
            continue
        axis = 0 if contact.cushion in ("head", "foot") else 1
        distance = half[axis] + float(INWARD[contact.cushion] @ contact.place_m)
        if abs(distance - radius) < 0.006:
            ratios.append(distance / radius)
    if len(ratios) < SHOWN_BY:
        return None
    shown = float(np.clip(np.median(ratios), *RATIO_RANGE))
    spread = max(float(np.std(ratios)), PLACE_RATIO) / len(ratios) ** 0.5
    return shown if abs(shown - taken) > max(LEAST_RATIO, SHOWN_SIGMAS * spread) else None


def _events(scene: Scene, first: FirstContact) -> list[ShotEvent]:
    events = [ShotEvent(t=0.0, type="cue_contact", p=1.0)] if scene.strike is not None else []
    best = next(iter(first.probability))
    listed = False
    for contact in scene.contacts:
        is_first = scene.strike is not None and {contact.ball, contact.other} == {scene.strike.ball, best} and not listed
        event = _contact_event(scene, contact)
        if is_first:
            listed = True
            event = replace(event, p=max(event.p, first.probability[best]))
        events.append(event)
    if first.time_s is not None and scene.strike is not None and not listed:
        fields = {"a": scene.strike.ball, "b": best}
        events.append(ShotEvent(t=scene.since_strike(first.time_s), type="ball_ball", p=first.probability[best], fields=fields))
    events += _ending_events(scene)
    for path in scene.paths.values():
        events += [replace(event, t=scene.since_strike(event.t)) for event in line_crossings(path, scene.around.table)]
    events = [event for event in events if event.p >= LEAST_P]
    events.sort(key=lambda event: (event.t, event.type))
    return events


def _contact_event(scene: Scene, contact: Contact) -> ShotEvent:
    t, p = scene.since_strike(contact.time_s), contact_probability(contact)
    if contact.other is not None:
        return ShotEvent(t=t, type="ball_ball", p=p, fields={"a": contact.ball, "b": contact.other})
    jaw = {} if contact.pocket is None else {"jaw": contact.pocket}
    return ShotEvent(t=t, type="ball_cushion", p=p, fields={"ball": contact.ball, "cushion": str(contact.cushion), **jaw})


def _ending_events(scene: Scene) -> list[ShotEvent]:
    events = []
    touched = lips(scene)
    for ball, ending in scene.endings.items():
        t = scene.since_strike(ending.time_s)
        if ending.kind == "pocketed":
            events.append(ShotEvent(t=t, type="pocketed", p=ending.p, fields={"ball": ball, "pocket": str(ending.pocket)}))
            if ball in touched:
                cushion = scene.around.nearest_cushion(ending.place_m)
                fields = {"ball": ball, "cushion": cushion, "jaw": str(ending.pocket)}
                p, when = touched[ball]
                events.append(ShotEvent(t=scene.since_strike(when), type="ball_cushion", p=ending.p * p, fields=fields))
        elif ending.kind == "off_table":
            events.append(ShotEvent(t=t, type="off_table", p=ending.p, fields={"ball": ball, "where": "floor"}))
        elif ending.kind == "lost" and ending.pocket is not None:
            events.append(ShotEvent(t=t, type="pocketed", p=ending.p_pocketed, fields={"ball": ball, "pocket": ending.pocket}))
    return events


def _layouts(scene: Scene) -> tuple[dict[BallId, tuple[float, float]], dict[BallId, tuple[float, float]]]:
    before: dict[BallId, tuple[float, float]] = {}
    after: dict[BallId, tuple[float, float]] = {}
    for ball, path in scene.paths.items():
        x, y = path.pieces[0].position(path.pieces[0].start_s)
        before[ball] = (float(x), float(y))
        ending = scene.endings[ball]
        if ending.kind in ("rest", "rolling"):
            after[ball] = (float(ending.place_m[0]), float(ending.place_m[1]))
    return before, after


def _end_s(scene: Scene, complete: bool) -> float:
    if not complete:
        return scene.end_s
    stops = [ending.time_s for ball, ending in scene.endings.items() if scene.paths[ball].moves and ending.kind != "lost"]
    return max([scene.strike_s, *stops])
