"""Tests of how balls start, turn and end where few pictures show it: what is known of their physics tells the rest."""

from collections.abc import Mapping

import numpy as np
import pytest
from ways import Way, legs

from calibration.equipment import find_table
from calibration.table import Table
from tracker.contacts import Contact
from tracker.history import BallTrack
from tracker.kinks import Path, find_kinks
from tracker.parting import parted
from tracker.read import read_shots
from tracker.shot import Shot
from tracker.trajectory import fit_piece
from tracker.wake import make_path

TABLE = Table(find_table("wpa-9ft"))
R = 0.028575
STRIKE_S = 0.5
LEFT_Y = 0.635 - R


def slid(start: tuple[float, float], begin_s: float, velocity: tuple[float, float], slides_mps2: float = 2.0) -> Way:
    """A ball that is hit without spin: it slides until it has five sevenths of its speed, and rolls on at that."""
    speed = float(np.hypot(*velocity))
    slide_s = 2 * speed / (7 * slides_mps2)

    def place(time_s: float) -> tuple[float, float]:
        tau = max(0.0, time_s - begin_s)
        early, late = min(tau, slide_s), max(0.0, tau - slide_s)
        late = min(late, 5 / 7 * speed / 0.1)
        way = speed * early - 0.5 * slides_mps2 * early**2 + 5 / 7 * speed * late - 0.05 * late**2
        return start[0] + way * velocity[0] / speed, start[1] + way * velocity[1] / speed

    return place


def track(ball: str, way: Way, until_s: float, rate_hz: float, sigma_m: float, seed: int) -> BallTrack:
    """A ball seen with noise."""
    times = np.arange(0.0, until_s, 1 / rate_hz)
    xy = np.array([way(float(time)) for time in times]) + sigma_m * np.random.default_rng(seed).standard_normal((len(times), 2))
    return BallTrack(
        ball=ball, times_s=times, positions_m=xy, sigma_m=np.full(len(times), sigma_m), seen=np.ones(len(times), dtype=np.bool_)
    )


def read(ways: Mapping[str, Way], until_s: float, rate_hz: float = 30.0) -> Shot:
    """The shot of balls seen with 1 mm noise."""
    tracks = [track(ball, way, until_s, rate_hz, 0.001, 3 + k) for k, (ball, way) in enumerate(ways.items())]
    (shot,) = read_shots(tuple(tracks), TABLE, touch_ratio=1.0)
    return shot


def test_a_start_that_slides_and_then_rolls_is_told_in_time_and_speed() -> None:
    """A ball hit at 0.6 m/s slides for 86 ms: its start is told to 3 ms and to 5 %, not late by 15 ms and slow by 20 %."""
    wakes = []
    for seed in range(5):
        path = make_path(track("1", slid((0.0, 0.0), 1.01, (0.6, 0.0)), 3.0, 30.0, 0.001, seed), 0.001)
        assert path is not None
        wakes.append(find_kinks(path)[0])

    assert np.mean([wake.time_s for wake in wakes]) == pytest.approx(1.01, abs=0.003)
    assert np.mean([wake.size_mps for wake in wakes]) == pytest.approx(0.6, rel=0.05)
    assert all(abs(wake.time_s - 1.01) < 4 * wake.sigma_s for wake in wakes)


def test_a_cue_ball_that_gave_the_whole_blow_to_a_touching_ball_was_struck() -> None:
    """The cue ball lies against the 1 and never moves; the 1 leaves on their line: the cue ball was struck and touched it."""
    shot = read({"cue": legs((0.0, 0.0)), "1": slid((2 * R, 0.0), STRIKE_S, (0.8, 0.0))}, 4.0)

    assert shot.cue_ball == "cue"
    assert shot.first_contact["1"] > 0.9


def test_a_ball_that_leaves_across_the_line_was_struck_itself() -> None:
    """The same two balls, but the 1 leaves at right angles: nothing that the cue ball gave it."""
    shot = read({"cue": legs((0.0, 0.0)), "1": slid((2 * R, 0.0), STRIKE_S, (0.0, 0.8))}, 4.0)

    assert shot.cue_ball == "1"


def test_a_ball_that_creeps_off_a_metre_away_was_not_surely_hit() -> None:
    """The 1 moves by 7 mm when the cue ball dies a metre away from it: who moved it is not known."""
    shot = read({"cue": legs((0.0, 0.0), (STRIKE_S, 0.3, 0.0)), "1": legs((-0.9, -0.5), (3.2, 0.03, 0.0))}, 3.7)

    assert max(shot.first_contact.values()) < 0.9


def test_a_cushion_two_pictures_before_a_ball_is_told() -> None:
    """The cue ball comes off the left cushion and hits the 1 0.08 s later, two pictures in between: a cushion before it."""
    rail = STRIKE_S + 0.3
    back = 0.3 * 0.75
    start = (-0.9, LEFT_Y - 0.3 * 0.3)
    meet = np.array([-0.9 + 1.5 * 0.3 + 1.3 * 0.08, LEFT_Y - back * 0.08])
    one = (float(meet[0] + 2 * R), float(meet[1]))
    shot = read(
        {
            "cue": legs(start, (STRIKE_S, 1.5, 0.3), (rail, 1.3, -back), (rail + 0.08, 0.05, -back)),
            "1": slid(one, rail + 0.08, (1.2, 0.0)),
        },
        4.0,
    )

    assert shot.rail_before_contact > 0.9


def test_a_ball_that_a_jaw_turns_softly_touched_it() -> None:
    """The 1 rolls into the side mouth at 0.3 m/s, meets the lip and lies there: the jaw of SL was touched."""
    turn = (-0.034, 0.6135)
    down = (turn[0], turn[1] - 0.25 * 0.4)
    ways = {
        "cue": legs((down[0], down[1] - 0.3 - 2 * R), (STRIKE_S, 1.0, 0.0)),
        "1": legs(down, (1.0, 0.0, 0.27), (1.38, 0.16, 0.03)),
    }
    ways["cue"] = legs((down[0], down[1] - 2 * R - 0.2), (STRIKE_S, 0.0, 0.42), (1.0, 0.0, 0.05))
    shot = read(ways, 3.5)

    jaws = [event.fields.get("jaw") for event in shot.events if event.type == "ball_cushion" and event.p >= 0.5]
    assert jaws == ["SL"]
    assert shot.rail_after_contact > 0.5


def test_a_recording_that_ends_with_a_ball_between_the_lips_ends_with_its_fall() -> None:
    """The cue ball runs into the side pocket at 0.7 m/s and the last picture shows it on the line between the lips."""
    way = legs((0.0, 0.2), (STRIKE_S, 0.0, 0.75))
    times = np.arange(0.0, 3.0, 1 / 60)
    last = next(float(time) for time in times if way(float(time))[1] > 0.634)
    shot = read({"cue": way, "1": legs((0.5, 0.0))}, last, 60.0)

    assert [(event.fields["ball"], event.fields["pocket"]) for event in shot.events if event.type == "pocketed"] == [("cue", "SL")]


def test_a_piece_is_parted_at_a_contact_inside_it() -> None:
    """One curve laid through a graze at 0.5 s: afterwards the way is told by what follows."""
    times = np.arange(0.0, 1.0, 1 / 30)
    xy = np.stack([times, 0.1 * np.maximum(times - 0.5, 0.0)], axis=1)
    variance = np.full(len(times), 1e-6)
    piece = fit_piece(times, xy, variance, first=0, last=len(times) - 1, moving=True)
    path = Path(ball="cue", times_s=times, xy_m=xy, variance=variance, pieces=(piece,))
    graze = Contact(ball="cue", other="1", time_s=0.505, sigma_s=0.002, place_m=np.zeros(2), impulse_mps=0.1, gain=12.0)

    first, second = parted(path, [graze], 1 / 30).pieces

    assert first.end_s < 0.505 < second.start_s
    assert second.velocity(second.end_s)[1] == pytest.approx(0.1, abs=1e-3)


def test_a_ball_that_dies_at_the_nose_and_comes_back_a_centimetre_may_have_touched_it() -> None:
    """The cue ball grazes the 1 and reaches the left cushion at 0.1 m/s, to roll back by a centimetre: not surely no cushion."""
    arrive = STRIKE_S + 2.0
    start = (0.0, LEFT_Y - 0.3 * 2.0 + 0.05 * 2.0**2)
    shot = read(
        {
            "cue": legs(start, (STRIKE_S, 0.0, 0.3), (arrive, 0.0, -0.05)),
            "1": slid((0.02, start[1] + 0.15 + (4 * R * R - 0.02**2) ** 0.5), STRIKE_S + 0.53, (0.2, 0.25)),
        },
        5.0,
    )

    assert shot.rail_after_contact > 0.2


def test_a_stroke_that_two_pictures_do_not_show_makes_no_cushion() -> None:
    """The cue ball lies 14 cm off the left cushion, is not seen for two pictures and goes the other way at 4 m/s."""
    way = legs((-0.6, LEFT_Y - 0.137), (0.568, 0.6, -4.2))
    full = track("cue", way, 0.8, 30.0, 0.001, 4)
    kept = ~((full.times_s > 0.49) & (full.times_s < 0.55))
    cue = BallTrack(
        ball="cue",
        times_s=full.times_s[kept],
        positions_m=full.positions_m[kept],
        sigma_m=full.sigma_m[kept],
        seen=full.seen[kept],
    )
    (shot,) = read_shots((cue, track("1", legs((0.8, 0.3)), 0.8, 30.0, 0.001, 5)), TABLE, touch_ratio=1.0)

    assert [event.fields["cushion"] for event in shot.events if event.type == "ball_cushion" and event.t < 0.1] == []


def test_a_ball_pinned_to_the_cushion_that_stays_there_was_hit() -> None:
    """The cue ball bounces off the 1, which lies against the left cushion and does not move: it was touched, and its cushion."""
    hit = STRIKE_S + 1.0
    normal = np.array([0.3, 0.954])
    meet = np.array([0.3, LEFT_Y]) - 2 * R * normal
    start = meet - np.array([0.4417, 0.2793])
    shot = read(
        {"cue": legs((float(start[0]), float(start[1])), (STRIKE_S, 0.484, 0.306), (hit, 0.31, -0.034)), "1": legs((0.3, LEFT_Y))}, 4.0
    )

    assert max(shot.first_contact, key=lambda ball: shot.first_contact[ball]) == "1"
    assert shot.rail_after_contact > 0.5


def test_a_ball_driven_against_the_nose_and_back_between_two_pictures_touched_it() -> None:
    """The 1 lies 25 mm off the nose, is driven there and seen 6 mm off it in the next picture, on its way back for half a second."""
    hit = 1.0
    shot = read(
        {
            "cue": legs((0.2, LEFT_Y - 0.025 - 2 * R - 0.475), (STRIKE_S, 0.0, 1.0), (hit, 0.25, -0.15)),
            "1": legs((0.2, LEFT_Y - 0.025), (hit, 0.0, 1.25), (hit + 0.02, 0.15, -0.35)),
        },
        4.0,
    )

    assert any(event.type == "ball_cushion" and event.fields["ball"] == "1" and event.p > 0.5 for event in shot.events)
    assert shot.rail_after_contact > 0.5


def _path(before_mm: list[tuple[float, float]], still: int) -> Path | None:
    """The path at 30 a second with 2 mm noise of a ball seen `still` times at one place, then as listed, then on its way."""
    wobble = [(1.5, -1.0), (-2.0, 0.5), (0.5, 2.0), (0.0, -1.5)]
    (x, y), (u, v) = before_mm[-1], before_mm[-2]
    on = [(x + k * (x - u) * 0.97, y + k * (y - v) * 0.97) for k in range(1, 20)]
    xy = np.array([*(wobble[k % 4] for k in range(still)), *before_mm, *on]) / 1000
    times = np.arange(len(xy)) / 30
    seen = np.ones(len(xy), dtype=np.bool_)
    return make_path(BallTrack(ball="1", times_s=times, positions_m=xy, sigma_m=np.full(len(xy), 0.002), seen=seen), 0.002)


def test_ways_after_a_late_start_are_no_rests() -> None:
    """Hit, off a cushion two pictures later and turned by another ball in two more: a way there that begins with a sample of the
    rest is cut anew, and what follows it stays a movement."""
    path = _path([(4.9, 1.5), (105.3, 1.1), (201.7, -5.9), (148.1, -2.6), (70.4, -7.2), (3.0, -10.4), (-53.6, -38.4), (-101.8, -63.5)], 26)

    assert path is not None
    assert [piece.moving for piece in path.pieces].count(False) == 1


def test_noise_before_the_first_blow_is_rest() -> None:
    """Fifteen samples of noise that happen to lie on a slow curve, then a stroke at 9 m/s: the ball lay there."""
    xy = 0.0021 * np.random.default_rng(182).standard_normal((22, 2))
    xy[15:, 0] += 0.3 * np.arange(1, 8)
    seen = np.ones(22, dtype=np.bool_)
    path = make_path(BallTrack(ball="Y", times_s=np.arange(22) / 30, positions_m=xy, sigma_m=np.full(22, 0.002), seen=seen), 0.0016)

    assert path is not None
    assert not path.pieces[0].moving
