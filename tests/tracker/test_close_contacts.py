"""Tests of what lies at the edge of sight: contacts a few milliseconds apart, soft ones, near misses, what nearly touches."""

from collections.abc import Mapping

import numpy as np
import pytest
from ways import Way, legs

from calibration.equipment import find_table
from calibration.table import Table
from tracker.contacts import Contact, separate
from tracker.history import BallTrack
from tracker.read import read_shots
from tracker.shot import Shot

TABLE = Table(find_table("wpa-9ft"))
R = 0.028575
FOOT_X = 1.27 - R
STRIKE_S = 0.5


def read(
    ways: Mapping[str, Way],
    until_s: float = 6.0,
    *,
    rate_hz: float = 60.0,
    sigma_m: float = 0.001,
    gone_s: Mapping[str, float] | None = None,
) -> Shot:
    """The one shot of balls on known ways, seen at 60 Hz with 1 mm noise, those of `gone_s` until then."""
    rng = np.random.default_rng(5)
    tracks = []
    for ball, way in ways.items():
        times = np.arange(0.0, min(until_s, (gone_s or {}).get(ball, until_s)), 1 / rate_hz)
        xy = np.array([way(float(t)) for t in times]) + sigma_m * rng.standard_normal((len(times), 2))
        seen = np.ones(len(times), np.bool_)
        tracks.append(BallTrack(ball=ball, times_s=times, positions_m=xy, sigma_m=np.full(len(times), sigma_m), seen=seen))
    (shot,) = read_shots(tuple(tracks), TABLE, touch_ratio=1.0)
    return shot


def test_a_ball_driven_into_the_cushion_just_behind_it_touched_both() -> None:
    """The 1 lies 8 mm off the foot cushion and is hit at 1 m/s: ball, then 11 ms later cushion, in that order."""
    normal = np.array([np.cos(0.5), np.sin(0.5)])
    one = np.array([FOOT_X - 0.008, 0.2])
    meet = one - 2 * R * normal
    start = meet - np.array([0.6, 0.0])
    hit = STRIKE_S + (1.0 - np.sqrt(1 - 2 * 0.1 * 0.6)) / 0.1
    speed = 1.0 - 0.1 * (hit - STRIKE_S)
    push = 0.96 * speed * normal[0] * normal
    rail = hit + 0.008 / push[0]
    shot = read(
        {
            "cue": legs((start[0], start[1]), (STRIKE_S, 1.0, 0.0), (hit, speed - push[0], -push[1])),
            "1": legs((one[0], one[1]), (hit, push[0], push[1]), (rail, -0.8 * push[0], push[1])),
        }
    )

    found = [(event.type, event.fields.get("cushion")) for event in shot.events if event.type.startswith("ball_") and event.p >= 0.5]
    assert found[:2] == [("ball_ball", None), ("ball_cushion", "foot")]
    times = [event.t for event in shot.events if event.type.startswith("ball_") and event.p >= 0.5]
    assert abs(times[1] - times[0] - (rail - hit)) < 0.006
    assert shot.rail_after_contact > 0.9


def test_a_ball_that_kisses_the_cushion_at_eight_centimetres_a_second_touched_it() -> None:
    """The 1 reaches the foot cushion at 0.08 m/s and comes back at 0.06."""
    hit, way = 1.0, 0.3
    push = float(np.sqrt(0.08**2 + 2 * 0.1 * way))
    arrival = hit + (push - 0.08) / 0.1
    meet = FOOT_X - way - 2 * R
    shot = read(
        {
            "cue": legs((meet - 0.3 * (hit - STRIKE_S) + 0.05 * (hit - STRIKE_S) ** 2, 0.0), (STRIKE_S, 0.3, 0.0), (hit, 0.02, 0.0)),
            "1": legs((FOOT_X - way, 0.0), (hit, push, 0.0), (arrival, -0.06, 0.0)),
        },
        until_s=8.0,
    )

    assert [event.fields["cushion"] for event in shot.events if event.type == "ball_cushion" and event.p >= 0.5] == ["foot"]


def test_a_miss_by_a_millimetre_at_speed_is_a_miss() -> None:
    """The cue ball passes the 1 at 1.5 m/s with a gap of one millimetre."""
    shot = read({"cue": legs((-0.8, 0.0), (STRIKE_S, 1.5, 0.0), (1.7, 0.0, 0.0)), "1": legs((0.0, 2 * R + 0.001))})

    assert shot.first_contact["none"] > 0.98


def test_a_cue_ball_that_dies_beside_a_ball_may_have_touched_it() -> None:
    """It stops with a gap of a tenth of a millimetre: that cannot be told from a touch, and is not claimed to be."""
    way = 0.25
    speed = float(np.sqrt(2 * 0.1 * way))
    shot = read({"cue": legs((-way - 2 * R - 0.0001, 0.0), (STRIKE_S, speed, 0.0)), "1": legs((0.0, 0.0))}, until_s=8.0)

    assert shot.first_contact["unknown"] > 0.1
    assert not [event for event in shot.events if event.type == "ball_ball" and event.p >= 0.5]


def test_balls_that_nearly_touch_are_listed() -> None:
    """The 1 lies a third of a millimetre off the left cushion, the 2 five millimetres off the right one."""
    ways = {
        "cue": legs((-0.6, 0.0), (STRIKE_S, 0.6, 0.0)),
        "1": legs((0.5, 0.635 - R - 0.0003)),
        "2": legs((0.5, -0.635 + R + 0.005)),
    }
    shot = read(ways, until_s=8.0)

    assert [(near.ball, near.to) for near in shot.near] == [("1", "left")]
    assert abs(shot.near[0].gap_m - 0.0003) < 3 * shot.near[0].sigma_m


def test_a_cue_ball_that_follows_at_once_was_hit_twice() -> None:
    """Two centimetres before a full hit: with three tenths of the other's speed right after it two blows, with a twentieth one."""
    hits = {}
    for kept in (0.3, 0.05):
        hit = STRIKE_S + 0.02 / 2.0
        hits[kept] = read(
            {
                "cue": legs((-0.3, 0.0), (STRIKE_S, 2.0, 0.0), (hit, kept * 1.5, 0.0)),
                "1": legs((-0.3 + 0.02 + 2 * R, 0.0), (hit, 1.5, 0.0)),
            },
            until_s=4.0,
        ).double_hit

    assert (hits[0.3] or 0.0) > 0.9
    assert hits[0.05] is not None
    assert hits[0.05] < 0.1


def test_a_cushion_right_after_the_stroke_is_found() -> None:
    """Struck at a nose 5 cm away at 2.5 m/s the cue ball is on its way back in the second picture at 30 a second."""
    nose_y = 0.635 - R
    touch = 0.5 + 0.05 / 2.5
    ways: dict[str, Way] = {"cue": legs((-0.5, nose_y - 0.05), (0.5, 1.2, 2.5), (touch, 1.0, -1.8)), "3": legs((0.9, 0.3))}
    shot = read(ways, 2.0, rate_hz=30.0, sigma_m=0.0015)
    cushions = [event for event in shot.events if event.type == "ball_cushion"]
    assert cushions[0].fields == {"ball": "cue", "cushion": "left"}
    assert cushions[0].t == pytest.approx(0.02, abs=0.006)
    assert shot.rail_before_contact > 0.99


def test_a_ball_pinned_against_a_cushion_touches_it() -> None:
    """A ball 14 mm off the head cushion, driven into it, meets the cue ball again on its way back: three contacts in 40 ms."""
    place = -1.27 + R + 0.014
    nose = 1.0 + 0.014 / 0.65
    again = nose + 0.0143
    ways = {
        "cue": legs((place + 2 * R + 0.4075, 0.0), (0.5, -0.84, 0.0), (1.0, -0.19, 0.0), (again, 0.35, 0.1)),
        "1": legs((place, 0.0), (1.0, -0.65, 0.0), (nose, 0.5, 0.0), (again, -0.02, -0.08)),
    }
    shot = read(ways, 4.0)
    assert shot.rail_after_contact > 0.9
    assert next(iter(shot.first_contact)) == "1"


def test_the_first_ball_of_a_row_that_stands_still_is_hit_when_it_was_hit() -> None:
    """The 1 passes the blow on to the 2 and is hit again after the cue ball came back from a cushion: no cushion before it."""
    hit_x = -0.01
    back = 1.0 + (0.9 - np.sqrt(0.81 - 0.2 * (hit_x + 1.27 - R))) / 0.1
    ways = {
        "cue": legs((hit_x - 0.4875, 0.0), (0.5, 1.0, 0.0), (1.0, -0.9, 0.0), (back, 0.7, 0.0), (back + 2.3, 0.1, 0.0)),
        "1": legs((hit_x + 2 * R, 0.0), (back + 2.3, 0.35, 0.0)),
        "2": legs((hit_x + 4 * R + 0.0002, 0.0), (1.0, 0.8, 0.05)),
    }
    shot = read(ways, 7.0)
    assert shot.first_contact["1"] > 0.9
    assert shot.rail_before_contact < 0.01


def test_a_ball_seen_once_on_its_way_into_a_mouth_fell() -> None:
    """Hit 9 cm before a side pocket at 2.6 m/s the ball shows in one picture of 30 a second before it is gone."""
    hit_s = 1.005
    ways = {
        "cue": legs((0.0, 0.53 - 2 * R - 3.0 * 0.1 + 0.0005), (hit_s - 0.1, 0.0, 3.0), (hit_s, 0.4, 0.15)),
        "1": legs((0.0, 0.53), (hit_s, 0.0, 2.6)),
    }
    shot = read(ways, 3.0, rate_hz=30.0, gone_s={"1": hit_s + 0.04})
    fallen = [event for event in shot.events if event.type == "pocketed"]
    assert [event.fields for event in fallen] == [{"ball": "1", "pocket": "SL"}]
    assert fallen[0].p > 0.9


@pytest.mark.parametrize("gap_m", [0.0005, 0.002])
def test_two_balls_that_roll_past_each_other_do_not_touch(gap_m: float) -> None:
    """A ball that was hit crosses the cue ball's way, half a millimetre from it: their distance falls and rises, neither turns."""
    shot = read(
        {
            "cue": legs((-0.8, 0.0), (STRIKE_S, 1.0, 0.0), (STRIKE_S + 0.3, 0.0, -0.5)),
            "1": legs((-0.503, 0.0 + 2 * R * 0.05), (STRIKE_S + 0.3, 1.1, 0.0)),
            "2": legs((0.9, -0.3), (STRIKE_S + 0.5, -1.5, 0.0)),
            "3": legs((0.1, -0.3 - 2 * R - gap_m), (STRIKE_S + 0.5, 1.2, 0.0)),
        }
    )
    pairs = [{event.fields["a"], event.fields["b"]} for event in shot.events if event.type == "ball_ball"]
    assert {"2", "3"} not in pairs


def test_a_ball_that_crawls_to_a_cushion_and_back_touched_it() -> None:
    """The 1 comes to the nose at 2.5 cm/s, goes back at 3 cm/s and dies 4.5 mm off: its places tell what its speeds hardly do."""
    hit, reached = 1.0, 1.0 + (0.25 - np.sqrt(0.25**2 - 0.2 * 0.309)) / 0.1
    shot = read(
        {
            "cue": legs((FOOT_X - 0.309 - 2 * R - 0.11875, 0.2), (STRIKE_S, 0.25, 0.0), (hit, 0.01, 0.0)),
            "1": legs((FOOT_X - 0.309, 0.2), (hit, 0.25, 0.0), (reached, -0.03, 0.0)),
        },
        until_s=reached + 1.5,
        sigma_m=0.0012,
    )

    (touch,) = [event for event in shot.events if event.type == "ball_cushion" and event.p >= 0.5]
    assert (touch.fields["ball"], touch.fields["cushion"]) == ("1", "foot")
    assert abs(touch.t - (reached - STRIKE_S)) < 0.05
    assert shot.rail_after_contact > 0.5


def test_two_touches_of_one_nose_with_nothing_in_between_are_one_bounce() -> None:
    """The surer of two touches 80 ms apart is kept; with another ball in between both are."""

    def contact(time_s: float, gain: float, other: str | None = None) -> Contact:
        cushion = None if other else "foot"
        return Contact(ball="1", other=other, cushion=cushion, time_s=time_s, sigma_s=1e-3, place_m=np.zeros(2), impulse_mps=0.2, gain=gain)

    first, second = contact(1.0, 60.0), contact(1.08, 12.0)
    assert separate([first, second]) == [first]
    met = contact(1.04, 40.0, other="2")
    assert separate([first, met, second]) == [first, met, second]


def test_noise_that_leans_one_way_before_the_stroke_is_no_stroke() -> None:
    """The cue ball seems to lie 1.3 mm aside from a quarter second before it is struck on: it is struck when it leaves."""
    far = legs((0.0, 0.0), (STRIKE_S, 1.2, 0.0), (1.0, 0.2, 0.0))

    def way(time_s: float) -> tuple[float, float]:
        x, y = far(time_s)
        return (x, y) if time_s < 0.25 else (x, y + 0.0013)

    shot = read({"cue": way, "1": legs((0.5875 + 2 * R, 0.0), (1.0, 1.0, 0.0))}, rate_hz=120.0)

    assert shot.cue_ball == "cue"
    assert abs(shot.start_s - STRIKE_S) < 0.02


def test_a_ball_pinned_to_a_cushion_that_rolls_off_by_millimetres_was_hit() -> None:
    """The 1 lies frozen to the foot cushion, gives the blow back to the cue ball and creeps 4 mm away later: cushion touched."""
    hit = STRIKE_S + (1.0 - np.sqrt(1 - 2 * 0.1 * 0.6)) / 0.1
    shot = read(
        {
            "cue": legs((FOOT_X - 2 * R - 0.6, 0.2), (STRIKE_S, 1.0, 0.0), (hit, -0.5, 0.0)),
            "1": legs((FOOT_X, 0.2), (hit + 0.15, -0.02, 0.02)),
        }
    )

    assert max(shot.first_contact, key=lambda ball: shot.first_contact[ball]) == "1"
    assert shot.rail_after_contact > 0.5
