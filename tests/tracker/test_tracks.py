"""The tracker on hand-made pictures: balls, arms, pockets, names and clocks."""

from dataclasses import replace

import numpy as np
import pytest
import scenes as s

from calibration.equipment import find_ball_set, find_table
from calibration.table import Table
from tracker.history import BallTrack, TrackReport
from tracker.tracks import Tracker
from vision.detection import Detection, Observation


def _track(report: TrackReport, ball: str) -> BallTrack:
    return next(track for track in report.tracks if track.ball == ball)


def test_resting_balls_stay_where_they_are() -> None:
    """After two seconds the places are known better than one detection shows them."""
    tracker = s.tracker()
    places = {"cue": (-0.5, 0.1), "1": (0.3, 0.2), "9": (0.6, -0.4)}
    for index in range(50):
        state = tracker.update(s.picture(index, places))
    for ball in state.balls:
        assert np.hypot(*np.subtract(ball.position_m, places[ball.ball])) < 0.0005
        assert ball.velocity_mps == (0.0, 0.0)
        assert ball.sigma_m < 0.0008
    assert {ball.ball for ball in state.balls} == set(places)


def test_a_hit_passes_the_motion_on_without_exchanging_names() -> None:
    """The cue ball stops at the 3, the 3 goes on: both keep their names through the contact."""
    tracker = s.tracker()
    for index in range(42):
        time = index * s.STEP_S - 0.4
        hit = 0.5
        cue = s.roll((-0.8, 0.0), (1.6, 0.0), min(max(time, 0), hit))
        three = s.roll((cue[0] + 0.05715, 0.0) if time > hit else (-0.0125 + 0.05715, 0.0), (1.5, 0.0), max(time - hit, 0))
        tracker.update(s.picture(index, {"cue": cue, "3": three, "7": (0.2, 0.4)}))
    report = tracker.report(0.0, 10.0)
    assert {track.ball for track in report.tracks} == {"cue", "3", "7"}
    assert _track(report, "cue").positions_m[-1, 0] < 0.0
    assert _track(report, "3").positions_m[-1, 0] > 1.0
    assert all(track.seen.all() and len(track.times_s) == 42 for track in report.tracks)
    assert all(identity.probability > 0.99 for identity in report.identities)


def test_streaks_that_follow_each_other_are_a_ball_however_it_turned() -> None:
    """A break drives the 7 into one corner, off both cushions there and along the rail into the other: no pocket took it before."""
    tracker = s.tracker()
    way = [(0.790, -0.145), (0.963, -0.434), (1.108, -0.523), (1.199, -0.314), (1.214, -0.115), (1.167, 0.065), (1.200, 0.247)]
    shift = [(0.03, -0.05), (0.03, -0.05), (0.02, 0.04), (0.02, 0.03), (0.01, -0.03), (0.01, 0.03), (0.00, 0.04)]
    for index in range(40):
        places = {"cue": (0.0, 0.0), "7": (0.735, -0.057)} if index < 20 else {"cue": (0.0, 0.0)}
        picture = s.picture(index, places)
        if 20 <= index < 20 + len(way):
            (x, y), (dx, dy) = way[index - 20], shift[index - 20]
            streak = replace(s.detection("7", (x, y), index, score=0.7), streak_m=((x - dx / 2, y - dy / 2), (x + dx / 2, y + dy / 2)))
            picture = replace(picture, detections=(*picture.detections, replace(streak, likelihood=dict.fromkeys(streak.likelihood, 0.1))))
        tracker.update(picture)
    seven = _track(tracker.report(0.0, 10.0), "7")
    assert seven.times_s[-1] == pytest.approx(26 * s.STEP_S)


def test_a_streak_that_stands_still_is_no_ball() -> None:
    """Shade that looks like a ball in flight, at the same place in ten pictures: what flies is somewhere else in the next."""
    tracker = s.tracker()
    for index in range(40):
        picture = s.picture(index, {"cue": (0.0, 0.0)})
        if 20 <= index < 30:
            streak = replace(s.detection("7", (0.5, 0.3), index, score=0.7), streak_m=((0.5, 0.28), (0.5, 0.32)))
            picture = replace(picture, detections=(*picture.detections, streak))
        tracker.update(picture)
    assert [track.ball for track in tracker.report(0.0, 10.0).tracks] == ["cue"]


def test_a_ball_under_an_arm_was_there_all_the_time() -> None:
    """The 4 is uncovered after the strike; its track reaches back to the first picture as not seen."""
    tracker = s.tracker()
    arm = s.cover(-0.7, -0.3, -0.3, 0.3)
    for index in range(40):
        covered = index < 20
        places = {"cue": (0.3, 0.3), "4": None if covered else (-0.5, 0.1)}
        tracker.update(s.picture(index, places, occluded=arm if covered else np.zeros_like(arm)))
    four = _track(tracker.report(0.0, 10.0), "4")
    assert len(four.times_s) == 40
    assert not four.seen[:20].any()
    assert four.seen[20:].all()
    np.testing.assert_allclose(four.positions_m[0], (-0.5, 0.1), atol=0.002)


def test_a_ball_that_appears_in_the_open_was_not_there_before() -> None:
    """A ball placed by hand where the bed was in view has no track before."""
    tracker = s.tracker()
    for index in range(40):
        tracker.update(s.picture(index, {"cue": (0.3, 0.3), "4": None if index < 20 else (-0.5, 0.1)}))
    four = _track(tracker.report(0.0, 10.0), "4")
    assert four.times_s[0] > 0.5


def test_a_ball_struck_out_of_sight_left_along_the_line_of_centres() -> None:
    """The 2 stands between the cue ball's path and the foot left mouth and is never seen moving."""
    tracker = s.tracker()
    direction = np.array([1.23, 0.595]) / np.hypot(1.23, 0.595)
    contact = -0.05715 * direction
    for index in range(70):
        time = index * s.STEP_S - 0.44
        cue = contact + direction * 4.0 * min(max(time, 0.0) - 0.15, 0.0)
        tracker.update(s.picture(index, {"cue": tuple(cue), "2": (0.0, 0.0) if time <= 0.12 else None}))
    (end,) = tracker.report(0.0, 10.0).ends
    assert (end.ball, end.pocket) == ("2", "FL")
    assert end.p_pocketed > 0.9


def test_wrong_names_and_false_balls_do_not_confuse() -> None:
    """One picture in ten names a ball wrongly, one in five shows something that is none."""
    tracker = s.tracker()
    places = {"cue": (-0.5, 0.1), "1": (0.3, 0.2), "9": (0.6, -0.4)}
    for index in range(60):
        shown = dict(places)
        extra = ()
        if index % 10 == 3:
            shown = {"cue": places["cue"], "9": places["1"], "1": places["9"]}
        if index % 5 == 0:
            extra = (s.detection("5", (1.1 * np.sin(index), 0.5 * np.cos(3 * index)), score=0.4),)
        tracker.update(s.picture(index, shown, extra))
    report = tracker.report(0.0, 10.0)
    assert {track.ball for track in report.tracks} == set(places)
    for track in report.tracks:
        np.testing.assert_allclose(track.positions_m[-1], places[track.ball], atol=0.003)


def test_two_touching_balls_seen_as_one_are_carried_on() -> None:
    """A detection in the middle of both is neither of them."""
    tracker = s.tracker()
    a, b = (0.3, 0.0), (0.358, 0.0)
    for index in range(40):
        if index in (20, 21, 30):
            tracker.update(s.picture(index, {"cue": (-0.5, 0.0)}, (s.detection("1", (0.329, 0.0)),)))
        else:
            tracker.update(s.picture(index, {"cue": (-0.5, 0.0), "1": a, "2": b}))
    report = tracker.report(0.0, 10.0)
    assert {track.ball for track in report.tracks} == {"cue", "1", "2"}
    for ball, place in (("1", a), ("2", b)):
        track = _track(report, ball)
        assert len(track.times_s) == 40
        np.testing.assert_allclose(track.positions_m, np.tile(place, (40, 1)), atol=0.003)


def test_a_crossing_out_of_sight_is_undone_by_the_looks() -> None:
    """Two balls bounce off each other unseen; motion says they passed, the looks say they did not."""
    tracker = s.tracker()
    for index in range(60):
        way = abs(index - 30) * 0.03 + 0.029
        hidden = abs(index - 30) < 3
        tracker.update(s.picture(index, {"3": None if hidden else (-way, 0.002), "6": None if hidden else (way, -0.002)}))
    report = tracker.report(0.0, 10.0)
    three, six = _track(report, "3"), _track(report, "6")
    assert (three.positions_m[three.seen, 0] < 0).all()
    assert (six.positions_m[six.seen, 0] > 0).all()


def test_a_white_keeps_its_label_when_another_has_left_the_table() -> None:
    """One of three is taken away, the first by label. The labels are only names, but the other two are followed under theirs."""
    tracker = s.tracker("pyramid")
    places = [(-0.5, 0.1), (0.3, 0.2), (0.6, -0.4)]
    white = {"Y": 0.01} | {f"w{number}": 0.066 for number in range(1, 16)}
    for index in range(200):
        seen = places if index < 50 else places[1:]
        balls = tuple(replace(s.detection(None, place, index), likelihood=white) for place in seen)
        tracker.update(Observation(time_s=index * s.STEP_S, detections=balls))
    before = {track.ball for track in tracker.report(0.0, 1.5).tracks if track.positions_m[0, 0] > 0}
    tracker.forget(6.0)
    assert before == {"w2", "w3"}
    assert {track.ball for track in tracker.report(6.0, 8.0).tracks} == before


def test_balls_without_names_are_counted() -> None:
    """The set `any` gives b1, b2 from head to foot."""
    tracker = s.tracker("any")
    for index in range(30):
        extra = tuple(s.detection(None, place, index + k) for k, place in enumerate([(0.4, 0.0), (-0.4, 0.1)]))
        state = tracker.update(s.picture(index, {}, extra))
    assert {ball.ball for ball in state.balls} == {"b1", "b2"}
    first, second = tracker.tracks(0.0, 10.0)
    assert (first.ball, second.ball) == ("b1", "b2")
    assert first.positions_m[0, 0] < 0 < second.positions_m[0, 0]


def test_lying_stamps_are_noticed_and_forgiven() -> None:
    """Three balls roll on steadily while the pictures come 20 or 60 ms apart under stamps of 40."""
    tracker = s.tracker()
    true_s = 0.0
    spans = [0.04] * 12 + [0.02, 0.06, 0.04, 0.04, 0.04, 0.04, 0.04] * 4
    for index, span in enumerate(spans):
        true_s += span
        rolling = {
            "cue": s.roll((-1.1, 0.3), (1.2, 0.1), true_s),
            "1": s.roll((1.1, -0.4), (-1.0, 0.2), true_s),
            "2": s.roll((-0.9, -0.5), (0.9, 0.0), true_s),
        }
        tracker.update(s.picture(index, rolling))
    report = tracker.report(0.0, 10.0)
    assert report.clock.doubtful
    assert report.clock.spacing[12] == pytest.approx(0.5, abs=0.1)
    assert report.clock.spacing[13] == pytest.approx(1.5, abs=0.1)
    assert len(report.tracks) == 3
    assert all(track.seen.all() for track in report.tracks)


def test_honest_stamps_are_not_doubted() -> None:
    """The same without the lie."""
    tracker = s.tracker()
    for index in range(40):
        time = index * s.STEP_S
        tracker.update(s.picture(index, {"cue": s.roll((-1.1, 0.3), (1.2, 0.1), time), "1": s.roll((1.1, -0.4), (-1.0, 0.2), time)}))
    assert not tracker.report(0.0, 10.0).clock.doubtful


def test_another_view_hides_everything_and_loses_nothing() -> None:
    """Two seconds of another picture; afterwards every ball is the one it was."""
    tracker = s.tracker()
    places = {"cue": (-0.5, 0.1), "1": (0.3, 0.2)}
    for index in range(100):
        if 20 <= index < 70:
            blind = s.Observation(time_s=index * s.STEP_S, detections=(), usable=False, why="another view")
            state = tracker.update(blind)
            assert not state.usable
        else:
            state = tracker.update(s.picture(index, places))
    report = tracker.report(0.0, 10.0)
    assert {track.ball for track in report.tracks} == set(places)
    assert report.ends == ()
    assert all(len(track.times_s) == 100 for track in report.tracks)


def test_forgetting_keeps_names_and_places() -> None:
    """After the early pictures are dropped the later ones give the same balls."""
    tracker = s.tracker()
    places = {"cue": (-0.5, 0.1), "1": (0.3, 0.2)}
    for index in range(100):
        tracker.update(s.picture(index, places))
        if index == 60:
            tracker.forget(2.0)
    tracks = tracker.tracks(2.0, 10.0)
    assert {track.ball for track in tracks} == set(places)
    assert all(len(track.times_s) == 50 for track in tracks)


def test_the_same_pictures_give_the_same_tracks() -> None:
    """No clock and no chance."""
    results = []
    for _ in range(2):
        tracker = s.tracker()
        for index in range(40):
            tracker.update(s.picture(index, {"cue": s.roll((-1.0, 0.0), (1.5, 0.4), index * s.STEP_S), "1": (0.3, 0.2)}))
        results.append(tracker.tracks(0.0, 10.0))
    for one, other in zip(*results, strict=True):
        assert one.ball == other.ball
        np.testing.assert_array_equal(one.positions_m, other.positions_m)


def test_pictures_out_of_order_are_refused() -> None:
    """Time does not go back."""
    tracker = s.tracker()
    tracker.update(s.picture(3, {"cue": (0.0, 0.0)}))
    with pytest.raises(ValueError, match="time order"):
        tracker.update(s.picture(2, {"cue": (0.0, 0.0)}))


def test_a_rack_of_balls_that_look_alike_keeps_its_places() -> None:
    """Six whites that touch, two pairs run together in every fourth picture, a false ball shows now and then: no ball changes place."""
    radius = 0.034
    rack = [(row * radius * 3**0.5, (2 * k - row) * radius) for row in range(3) for k in range(row + 1)]
    pairs = [((0, 1), (3, 4)), ((1, 2), (4, 5)), ((2, 5), (1, 3)), ((0, 2), (1, 4))]
    follow = Tracker(Table(find_table("pyramid-12ft")), find_ball_set("pyramid"))
    for index in range(60):
        merged = pairs[(index * 7) % 4] if index % 4 == 3 else ()
        whole = [k for k in range(6) if not any(k in pair for pair in merged)]
        middles = [((rack[a][0] + rack[b][0]) / 2, (rack[a][1] + rack[b][1]) / 2) for a, b in merged]
        places = [rack[k] for k in whole] + middles + ([(-1.0, 0.3)] if index % 20 == 5 else [])
        looks = {f"w{number}": 0.06 for number in range(1, 16)}
        seen = [
            Detection(position_m=s.detection(None, place, index * 10 + k).position_m, sigma_m=0.001, score=0.9, likelihood=looks)
            for k, place in enumerate(places)
        ]
        follow.update(Observation(time_s=index / 60, detections=tuple(seen)))
    near = [track for track in follow.tracks(0.2, 1.0) if track.positions_m[-1, 0] > -0.5]
    assert len(near) == 6
    assert max(float(np.hypot(*(track.positions_m[track.seen] - track.positions_m[-1]).T).max()) for track in near) < 0.01


def test_a_rack_whose_pairs_run_together_from_the_first_picture_stays_where_it_is() -> None:
    """Fifteen whites, each touching pair found as one in a tenth of the pictures: every place has one track before the stroke."""
    radius, chance = 0.034, np.random.default_rng(5)
    rack = [(row * radius * 3**0.5, (2 * k - row) * radius) for row in range(5) for k in range(row + 1)]
    follow = Tracker(Table(find_table("pyramid-12ft")), find_ball_set("pyramid"))
    looks = {f"w{number}": 0.06 for number in range(1, 16)}
    for index in range(36):
        places = [(x + chance.normal(0, 0.001), y + chance.normal(0, 0.001)) for x, y in rack]
        row = 0
        while row < len(places):
            mates = [k for k in range(row + 1, len(places)) if np.hypot(*np.subtract(places[row], places[k])) < 2.1 * radius]
            mate = next((k for k in mates if chance.random() < 0.1), None)
            if mate is not None:
                (ax, ay), (bx, by) = places[row], places.pop(mate)
                places[row] = ((ax + bx) / 2, (ay + by) / 2)
            row += 1
        cue = Detection(position_m=(-1.0, 0.1), sigma_m=0.001, score=0.9, likelihood={"Y": 0.97})
        seen = tuple(Detection(position_m=place, sigma_m=0.001, score=0.9, likelihood=looks) for place in places)
        follow.update(Observation(time_s=index / 60, detections=(cue, *seen)))
    tracks = follow.tracks(0.2, 0.6)
    assert len(tracks) == 16
    assert max(float(np.hypot(*(track.positions_m[track.seen] - track.positions_m[-1]).T).max()) for track in tracks) < 0.01
