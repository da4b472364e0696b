"""Tests of cutting shots out of states."""

from collections.abc import Callable

import numpy as np
from ways import legs

from calibration.equipment import find_table
from calibration.table import Table
from tracker.finished import find_windows
from tracker.history import BallTrack, TableState, TrackedBall
from tracker.pockets import PocketMap
from tracker.read import read_shot
from tracker.segment import Segmenter, ShotWindow

TABLE = Table(find_table("wpa-9ft"))
Way = Callable[[float], tuple[float, float] | None]


def windows(ways: dict[str, Way], until_s: float, rate_hz: float = 50.0) -> list[ShotWindow]:
    """Windows of balls on known ways with half a millimetre of noise; a way gives None while the ball is not seen."""
    rng = np.random.default_rng(3)
    segmenter = Segmenter(PocketMap(TABLE))
    found = []
    for time in np.arange(0.0, until_s, 1 / rate_hz):
        balls = []
        for name, way in ways.items():
            place = way(float(time))
            if place is not None:
                x, y = np.array(place) + 0.0005 * rng.standard_normal(2)
                balls.append(TrackedBall(ball=name, position_m=(float(x), float(y)), velocity_mps=(0.0, 0.0), sigma_m=0.0005, seen=True))
        window = segmenter.update(TableState(time_s=float(time), balls=tuple(balls)))
        if window is not None:
            found.append(window)
    last = segmenter.finish()
    return found if last is None else [*found, last]


def roll(start_s: float, speed_mps: float) -> Way:
    """From rest at x = -0.5, rolling along x from a time on, slowing by 0.1 m/s^2."""

    def place(time: float) -> tuple[float, float]:
        tau = min(max(0.0, time - start_s), speed_mps / 0.1)
        return -0.5 + speed_mps * tau - 0.05 * tau * tau, 0.2

    return place


def test_a_slow_roll_is_not_rest() -> None:
    """A ball struck at 0.3 m/s rolls for 3 s; the window closes after it has stopped, not while it creeps."""
    (window,) = windows({"cue": roll(1.0, 0.3)}, 7.0)

    assert window.at_rest
    assert 1.0 < window.move_s < 1.2
    assert window.end_s > 3.9
    assert window.start_s < 0.5


def test_two_strokes_are_two_windows() -> None:
    """A second stroke two seconds after rest opens a second window that begins in the rest between them."""

    def twice(time: float) -> tuple[float, float]:
        first, second = roll(1.0, 0.4)(min(time, 7.0)), roll(8.0, 0.4)(time)
        return first[0] + second[0] + 0.5, 0.2

    first, second = windows({"cue": twice}, 14.0)

    assert first.end_s < second.move_s
    assert 6.0 > second.start_s - 0.5 > first.move_s
    assert second.at_rest


def test_a_ball_hidden_while_it_rolls_keeps_its_window_open() -> None:
    """An arm over a rolling ball for 0.7 s does not end the shot."""
    hidden = roll(1.0, 0.5)
    found = windows({"cue": lambda time: None if 2.0 < time < 2.7 else hidden(time), "1": lambda _: (0.9, -0.3)}, 9.0)

    assert len(found) == 1


def test_a_ball_that_fell_is_not_waited_for_as_one_behind_an_arm() -> None:
    """Two balls vanish while they roll at 1 m/s, one before the foot left corner, one in mid-table: told after 1 s and 1.5 s."""
    ends = []
    for x, y in ((1.2, 0.57), (0.0, 0.0)):

        def gone(time: float, x: float = x, y: float = y) -> tuple[float, float] | None:
            left_s = 3.0 - max(time, 2.0)
            return None if left_s < 0 else (x - 0.8 * left_s, y - 0.6 * left_s)

        (window,) = windows({"cue": gone, "1": lambda _: (0.9, -0.3)}, 6.0)
        ends.append(window.end_s)

    assert abs(ends[0] - 4.0) < 0.05
    assert abs(ends[1] - 4.5) < 0.05


def test_the_close_of_a_window_is_foreseen() -> None:
    """From the last motion on the closing time stands, and a preview just before the close is the window but for its end."""
    segmenter, foreseen = Segmenter(), {}
    way = roll(1.0, 0.3)
    for time in np.arange(0.0, 6.0, 0.02):
        ball = TrackedBall(ball="cue", position_m=way(float(time)), velocity_mps=(0.0, 0.0), sigma_m=0.0005, seen=True)
        window = segmenter.update(TableState(time_s=float(time), balls=(ball,)))
        if window is not None:
            break
        if segmenter.moving:
            foreseen[float(time)] = segmenter.closing_s, segmenter.preview()

    assert window is not None
    told = [time for time, (closing_s, _) in foreseen.items() if abs(closing_s - window.end_s) < 0.021]
    assert min(told) < window.end_s - 0.3
    preview = foreseen[max(told)][1]
    assert (preview.start_s, preview.move_s, preview.strike_seen) == (window.start_s, window.move_s, window.strike_seen)


def test_a_ball_placed_by_hand_is_no_shot() -> None:
    """The cue ball carried along a bow, slow at first, then faster, then set down: a window, but no shot."""

    def carried(time: float) -> tuple[float, float]:
        share = float(np.clip((time - 1.0) / 1.5, 0.0, 1.0))
        eased = share * share * (3 - 2 * share)
        return -0.5 + 0.6 * eased, 0.2 + 0.15 * float(np.sin(np.pi * eased))

    found = windows({"cue": carried, "1": lambda _: (0.9, -0.3)}, 5.0)

    assert [read_shot(window, TABLE) for window in found] == [None]


def test_rest_is_no_window() -> None:
    """Ten seconds of resting balls with noise open no window."""
    assert windows({"cue": lambda _: (0.1, 0.2), "1": lambda _: (0.9, -0.3)}, 10.0) == []


def test_windows_of_finished_tracks_are_those_of_their_states() -> None:
    """Two shots with a hand's moment in between, one ball hidden for a while: picture by picture or all at once, the same windows."""
    rng = np.random.default_rng(11)
    cue = legs((-0.5, 0.0), (0.8, 0.5, 0.1), (2.4, 0.2, -0.1), (7.5, -0.3, 0.1))
    one = legs((0.3, 0.1), (2.4, 0.15, 0.1))
    times = np.arange(0.0, 13.0, 1 / 30)
    tracks = []
    for ball, way in (("cue", cue), ("1", one), ("2", legs((0.9, -0.4)))):
        xy = np.array([way(float(time)) for time in times]) + 0.001 * rng.standard_normal((len(times), 2))
        seen = rng.random(len(times)) > 0.1
        seen[90:140] &= ball != "1"
        tracks.append(BallTrack(ball=ball, times_s=times, positions_m=xy, sigma_m=np.full(len(times), 0.001), seen=seen))
    segmenter, windows = Segmenter(), []
    for k, time in enumerate(times.tolist()):
        balls = [
            TrackedBall(
                ball=track.ball,
                position_m=(float(track.positions_m[k, 0]), float(track.positions_m[k, 1])),
                velocity_mps=(0.0, 0.0),
                sigma_m=0.001,
                seen=bool(track.seen[k]),
            )
            for track in tracks
        ]
        window = segmenter.update(TableState(time_s=time, balls=tuple(balls)))
        windows += [] if window is None else [window]
    last = segmenter.finish()
    windows += [] if last is None else [last]

    found = find_windows(tracks)
    assert len(found) == len(windows) >= 2
    for ours, theirs in zip(found, windows, strict=True):
        assert (ours.start_s, ours.move_s, ours.end_s) == (theirs.start_s, theirs.move_s, theirs.end_s)
        assert (ours.strike_seen, ours.at_rest) == (theirs.strike_seen, theirs.at_rest)
        assert [track.ball for track in ours.tracks] == [track.ball for track in theirs.tracks]
        for a, b in zip(ours.tracks, theirs.tracks, strict=True):
            assert np.array_equal(a.times_s, b.times_s)
            assert np.array_equal(a.positions_m, b.positions_m)
