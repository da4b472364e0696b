"""The tracker at the pockets: what fell, what hangs, what only seems to come back."""

import numpy as np
import pytest
import scenes as s

from tracker.history import BallTrack, TrackReport


def _track(report: TrackReport, ball: str) -> BallTrack:
    return next(track for track in report.tracks if track.ball == ball)


def test_a_ball_that_rattles_and_hangs_is_on_the_bed() -> None:
    """It rolls into the jaws, swings there for a second and a half and stops on the shelf, 25 mm behind the mouth's line."""
    tracker = s.tracker()
    for index in range(70):
        time = index * s.STEP_S
        lip = (1.2466, 0.6116)
        if time < 0.6:
            place = (lip[0] - 0.5 * (0.6 - time), lip[1] - 0.5 * (0.6 - time))
        else:
            swing = 0.008 * min(max(0.0, 2.2 - time), 1.0) * float(np.sin(12 * time))
            place = (lip[0] + swing, lip[1] - swing)
        tracker.update(s.picture(index, {"cue": (0.0, 0.0), "9": place}))
    nine = _track(tracker.report(0.0, 10.0), "9")
    assert len(nine.times_s) == 70
    assert nine.seen.all()


def test_a_ball_that_runs_in_and_is_seen_lying_in_the_pocket_fell() -> None:
    """At 1.2 m/s into a corner, lost in plain view for a sixth of a second, then still 20 mm behind the line: it is off the bed."""
    tracker = s.tracker()
    for index in range(70):
        time = index * s.STEP_S
        lying = (1.2466, 0.6116) if time > 0.77 else None
        place = (1.25 - 0.85 * (0.6 - time), 0.615 - 0.85 * (0.6 - time)) if time < 0.6 else lying
        tracker.update(s.picture(index, {"cue": (0.0, 0.0), "9": place}))
    assert _track(tracker.report(0.0, 10.0), "9").times_s[-1] < 0.65


def test_a_ball_seen_lying_in_a_pocket_slantwise_just_before_the_mouth_fell() -> None:
    """At 1.2 m/s into a corner, lost in plain view; then three times 12 mm before the line, in the hole that a slanting view shows
    there, and the hole covers the bed from then on."""
    tracker = s.tracker()
    hole, none = s.cover(1.2, 1.27, 0.55, 0.635), s.cover(0.0, 0.0, 0.0, 0.0)
    for index in range(70):
        time = index * s.STEP_S
        lying = (1.2236, 0.5886) if 0.87 < time < 1.0 else None
        place = (1.25 - 0.85 * (0.6 - time), 0.615 - 0.85 * (0.6 - time)) if time < 0.56 else lying
        tracker.update(s.picture(index, {"cue": (0.0, 0.0), "9": place}, occluded=hole if place is None and time > 0.6 else none))
    report = tracker.report(0.0, 10.0)
    assert _track(report, "9").times_s[-1] < 0.6
    assert report.ends[0].p_pocketed > 0.9


def test_a_ball_that_lies_in_a_pocket_is_no_other_ball_whatever_its_colour_there() -> None:
    """The 9 runs in; a third of a second later something lies 20 mm behind the line, in the pocket's dark like the 4: no ball."""
    tracker = s.tracker()
    for index in range(90):
        time = index * s.STEP_S
        places = {"cue": (0.0, 0.0), "9": (1.25 - 0.85 * (0.6 - time), 0.615 - 0.85 * (0.6 - time)) if time < 0.6 else None}
        tracker.update(s.picture(index, places | {"4": (1.2466, 0.6116) if time > 0.9 else None}))
    assert [track.ball for track in tracker.report(0.0, 10.0).tracks] == ["cue", "9"]


def test_a_ball_that_sinks_into_a_pocket_seems_to_come_back_out() -> None:
    """It stops 25 mm behind the line; in three pictures it shows 20, 45 and 80 mm nearer to the middle of the table, and is gone."""
    path = [(1.25 - 0.034 * k, -0.615 + 0.034 * k) for k in range(8, -1, -1)]
    sinking = [(1.236, -0.601), (1.218, -0.583), (1.193, -0.558)]
    report = _pot([path[0]] * 10 + path + sinking + [None] * 40)
    (end,) = report.ends
    assert (end.ball, end.pocket) == ("5", "FR")
    assert end.p_pocketed > 0.99


def test_a_ball_that_is_hidden_as_it_comes_out_of_the_jaws_is_not_pocketed_for_sure() -> None:
    """The same places, but an arm lies over the mouth in the next pictures: it may have rolled on under it."""
    tracker = s.tracker()
    path = [(1.25 - 0.034 * k, -0.615 + 0.034 * k) for k in range(8, -1, -1)] + [(1.236, -0.601), (1.218, -0.583), (1.193, -0.558)]
    arm = s.cover(1.0, 1.27, -0.635, -0.35)
    for index in range(60):
        place = path[min(max(index - 10, 0), len(path) - 1)] if index < 10 + len(path) else None
        tracker.update(s.picture(index, {"cue": (0.0, 0.0), "5": place}, occluded=arm if place is None else np.zeros_like(arm)))
    (end,) = tracker.report(0.0, 100.0).ends
    assert end.p_pocketed < 0.9


def _pot(ball_places: list[tuple[float, float] | None]) -> TrackReport:
    tracker = s.tracker()
    for index, place in enumerate(ball_places):
        tracker.update(s.picture(index, {"cue": (0.0, 0.0), "5": place}))
    report = tracker.report(0.0, 100.0)
    assert isinstance(report, TrackReport)
    return report


def test_a_ball_that_runs_into_a_mouth_is_pocketed_there() -> None:
    """Its track ends at the foot right mouth moving inwards, and the mouth was in view."""
    path = [(0.9 + 0.04 * 1.0 * k, -(0.9 + 0.04 * 1.0 * k - 0.635)) for k in range(8)]
    report = _pot([(0.9, -0.265)] * 10 + path + [None] * 40)
    (end,) = report.ends
    assert (end.ball, end.pocket) == ("5", "FR")
    assert end.p_pocketed > 0.98
    assert end.watched_s > 1.0
    assert _track(report, "5").times_s[-1] < 0.8


def test_a_ball_that_comes_out_of_the_jaws_is_not_pocketed() -> None:
    """A rattle: in to the mouth's line, unseen for two pictures, out again and at rest."""
    inwards = [(1.0 + 0.03 * k, -0.365 - 0.03 * k) for k in range(8)]
    out = [(1.19 - 0.01 * k, -0.57 + 0.002 * k) for k in range(12)]
    report = _pot([(1.0, -0.365)] * 10 + inwards + [None, None] + out + [out[-1]] * 20)
    assert report.ends == ()
    assert _track(report, "5").times_s[-1] == pytest.approx(0.04 * 51)


def test_a_ball_that_comes_back_after_the_stretch_has_not_ended() -> None:
    """Asked about the first second only, what was seen later still counts."""
    inwards = [(1.0 + 0.03 * k, -0.365 - 0.03 * k) for k in range(8)]
    tracker = s.tracker()
    for index, place in enumerate([(1.0, -0.365)] * 10 + inwards + [None] * 12 + [(1.1, -0.55)] * 20):
        tracker.update(s.picture(index, {"cue": (0.0, 0.0), "5": place}))
    assert tracker.report(0.0, 1.1).ends == ()


def test_a_ball_lost_under_an_arm_is_hidden_not_pocketed() -> None:
    """It rested near a mouth, the arm came, and nothing is known since."""
    tracker = s.tracker()
    arm = s.cover(0.9, 1.27, -0.63, -0.3)
    for index in range(60):
        covered = index >= 20
        places = {"cue": (0.0, 0.0), "5": None if covered else (1.1, -0.5)}
        tracker.update(s.picture(index, places, occluded=arm if covered else np.zeros_like(arm)))
    report = tracker.report(0.0, 10.0)
    assert report.ends == ()
    five = _track(report, "5")
    assert len(five.times_s) == 60
    assert not five.seen[20:].any()
