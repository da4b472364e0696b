"""Tests of event reading on hand-made tracks: straight rolls at constant slowing, contacts at chosen instants."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from ways import Way, legs

from calibration.equipment import find_table
from calibration.table import Table
from tracker.history import BallTrack
from tracker.read import read_shots
from tracker.shot import Shot

TABLE = Table(find_table("wpa-9ft"))
RADIUS_M = 0.028575

STRIKE_S = 0.5
HIT_S = 1.0
SPEED_MPS = 1.0
AFTER_MPS = SPEED_MPS - 0.1 * (HIT_S - STRIKE_S)
HIT_X_M = -0.5 + SPEED_MPS * 0.5 - 0.5 * 0.1 * 0.25
OBJECT_X_M = HIT_X_M + 2 * RADIUS_M


def still(x_m: float, y_m: float) -> Way:
    """A ball that does not move."""
    return lambda _: (x_m, y_m)


def tracks(
    ways: Mapping[str, Way],
    *,
    until_s: float,
    rate_hz: float = 60.0,
    sigma_m: float = 0.001,
    seed: int = 1,
    seen: Callable[[str, float], bool] = lambda _ball, _time: True,
    true_time: Callable[[float], float] = lambda stamp: stamp,
) -> tuple[BallTrack, ...]:
    """Tracks of balls on known ways, with noise; `true_time` says when a picture with a stamp was really taken."""
    rng = np.random.default_rng(seed)
    stamps = np.arange(0.0, until_s, 1 / rate_hz)
    result = []
    for ball, way in ways.items():
        times = np.array([t for t in stamps if seen(ball, float(t))])
        xy = np.array([way(true_time(float(t))) for t in times]) + sigma_m * rng.standard_normal((len(times), 2))
        result.append(
            BallTrack(ball=ball, times_s=times, positions_m=xy, sigma_m=np.full(len(times), sigma_m), seen=np.ones(len(times), np.bool_))
        )
    return tuple(result)


def stun_shot() -> dict[str, Way]:
    """The cue ball rolls along the long string, hits the 1 full at 1.0 s and stops dead; the 1 goes on to the foot cushion."""
    arrival = HIT_S + _time_for(1.27 - RADIUS_M - OBJECT_X_M, AFTER_MPS)
    back = -0.8 * (AFTER_MPS - 0.1 * (arrival - HIT_S))
    return {
        "cue": legs((-0.5, 0.0), (STRIKE_S, SPEED_MPS, 0.0), (HIT_S, 0.0, 0.0)),
        "1": legs((OBJECT_X_M, 0.0), (HIT_S, AFTER_MPS, 0.0), (arrival, back, 0.0)),
        "2": still(0.3, 0.4),
    }


def _time_for(way_m: float, speed_mps: float) -> float:
    return float((speed_mps - np.sqrt(speed_mps**2 - 2 * 0.1 * way_m)) / 0.1)


def only(found: tuple[Shot, ...]) -> Shot:
    assert len(found) == 1
    return found[0]


def test_a_full_hit_is_read_with_its_times() -> None:
    """Stroke, contact and cushion of a full hit come out within milliseconds, and nothing else does."""
    shot = only(read_shots(tracks(stun_shot(), until_s=9.0), TABLE, touch_ratio=1.0))

    assert shot.cue_ball == "cue"
    assert shot.complete
    assert abs(shot.start_s - STRIKE_S) < 0.003
    assert shot.first_contact["1"] > 0.99
    kinds = [(event.type, event.fields.get("cushion")) for event in shot.events if event.type.startswith("ball_") and event.p >= 0.5]
    assert kinds == [("ball_ball", None), ("ball_cushion", "foot")]
    assert abs(shot.start_s + next(event.t for event in shot.events if event.type == "ball_ball") - HIT_S) < 0.003
    assert shot.rail_after_contact > 0.99
    assert shot.rail_before_contact < 0.01


@pytest.mark.parametrize("turn", ["x", "y"])
def test_mirrored_shots_give_mirrored_facts(turn: str) -> None:
    """A shot seen mirrored gives the same first contact and the opposite cushion."""
    sign = np.array([-1.0, 1.0]) if turn == "x" else np.array([1.0, -1.0])
    ways = {ball: (lambda t, way=way: tuple(sign * np.array(way(t)))) for ball, way in stun_shot().items()}
    shot = only(read_shots(tracks(ways, until_s=9.0), TABLE, touch_ratio=1.0))

    assert shot.first_contact["1"] > 0.99
    assert {event.fields["cushion"] for event in shot.events if event.type == "ball_cushion"} == {"head" if turn == "x" else "foot"}


def test_repeated_pictures_make_no_contacts() -> None:
    """At 25 fps with every fifth picture shown twice, no contact is invented and the true ones stay."""

    def shown(stamp: float) -> float:
        frame = round(stamp * 25)
        return (frame - (1 if frame % 5 == 4 else 0)) / 25

    shot = only(read_shots(tracks(stun_shot(), until_s=9.0, rate_hz=25, true_time=shown), TABLE, touch_ratio=1.0))

    assert shot.first_contact["1"] > 0.9
    contacts = [event for event in shot.events if event.type in ("ball_ball", "ball_cushion") and event.p >= 0.5]
    assert [event.type for event in contacts] == ["ball_ball", "ball_cushion"]


def test_irregular_pictures_make_no_contacts() -> None:
    """Pictures 20 and 60 ms apart under stamps of 40 bring speeds that jump by two; no contact is invented."""

    def taken(stamp: float) -> float:
        frame = round(stamp * 25)
        return frame / 25 + (0.02 if frame % 4 in (1, 2) else 0.0)

    shot = only(read_shots(tracks(stun_shot(), until_s=9.0, rate_hz=25, true_time=taken), TABLE, touch_ratio=1.0))

    assert shot.first_contact["1"] > 0.9
    contacts = [event for event in shot.events if event.type in ("ball_ball", "ball_cushion") and event.p >= 0.5]
    assert [event.type for event in contacts] == ["ball_ball", "ball_cushion"]


def test_a_contact_between_missing_pictures_is_still_known() -> None:
    """Pictures missing from 80 ms before to 80 ms after the contact: who was hit is certain, when to some milliseconds."""
    seen = lambda _, t: abs(t - HIT_S) > 0.08  # noqa: E731
    shot = only(read_shots(tracks(stun_shot(), until_s=9.0, seen=seen), TABLE, touch_ratio=1.0))

    assert shot.first_contact["1"] > 0.99
    assert abs(shot.start_s + next(event.t for event in shot.events if event.type == "ball_ball") - HIT_S) < 0.01


def test_a_cue_ball_hidden_at_the_stroke_is_still_the_one_struck() -> None:
    """A hand hides the cue ball until 150 ms after the stroke: it is named as struck, and its first ball is known."""
    seen = lambda ball, t: ball != "cue" or not 0.3 < t < 0.65  # noqa: E731
    shot = only(read_shots(tracks(stun_shot(), until_s=9.0, seen=seen), TABLE, touch_ratio=1.0))

    assert shot.cue_ball == "cue"
    assert shot.first_contact["1"] > 0.99
    assert abs(shot.start_s - STRIKE_S) < 0.03


def test_nothing_is_claimed_of_a_stroke_before_the_recording() -> None:
    """A recording that starts after the stroke says so and leaves the first contact unknown."""
    late = {ball: (lambda t, way=way: way(t + 0.8)) for ball, way in stun_shot().items()}
    shot = only(read_shots(tracks(late, until_s=8.0), TABLE, touch_ratio=1.0))

    assert shot.cue_ball is None
    assert dict(shot.first_contact) == {"unknown": 1.0}
    assert shot.doubts[0].kind == "strike_not_seen"


def test_a_recording_that_ends_early_names_the_balls_that_matter() -> None:
    """Ended with the 1 on its way to the foot cushion: not complete, and the 1 may still touch something."""
    shot = only(read_shots(tracks(stun_shot(), until_s=1.5), TABLE, touch_ratio=1.0))

    assert not shot.complete
    assert [doubt.balls for doubt in shot.doubts if doubt.kind == "not_at_rest"] == [("1",)]
    assert shot.rail_after_contact < 0.5


def test_a_stray_detection_is_no_journey() -> None:
    """One sample of the cue ball half a table away changes nothing."""
    made = tracks(stun_shot(), until_s=9.0)
    cue = made[0]
    places = cue.positions_m.copy()
    places[45] = (0.9, 0.3)
    bad = type(cue)(ball="cue", times_s=cue.times_s, positions_m=places, sigma_m=cue.sigma_m, seen=cue.seen)
    shot = only(read_shots((bad, *made[1:]), TABLE, touch_ratio=1.0))

    assert shot.first_contact["1"] > 0.99
    assert sum(event.type in ("ball_ball", "ball_cushion") and event.p >= 0.5 for event in shot.events) == 2


def test_a_ball_that_vanishes_at_rest_is_not_pocketed() -> None:
    """A ball in the open that is not seen any more (an arm over it) is hidden, not pocketed."""
    seen = lambda ball, t: ball != "2" or t < 2.0  # noqa: E731
    shot = only(read_shots(tracks(stun_shot(), until_s=9.0, seen=seen), TABLE, touch_ratio=1.0))

    assert not [event for event in shot.events if event.type == "pocketed"]
    assert ("2",) in [doubt.balls for doubt in shot.doubts if doubt.kind == "hidden"]


def test_a_ball_first_seen_on_its_way_lay_nobody_knows_where() -> None:
    """The 1 is seen from half a second after it was hit: on the table for sure, but not where it is seen first."""
    seen = lambda ball, t: ball != "1" or t > STRIKE_S + 1.0  # noqa: E731
    shot = only(read_shots(tracks(stun_shot(), until_s=9.0, seen=seen), TABLE, touch_ratio=1.0))

    assert [(doubt.t, doubt.balls) for doubt in shot.doubts if doubt.kind == "hidden"] == [(0.0, ("1",))]


def test_a_ball_that_runs_into_a_mouth_and_is_gone_is_pocketed() -> None:
    """The 1 leaves the cue ball towards the foot left pocket and is last seen in its mouth."""
    target = np.array(TABLE.mouth_centre_m("FL"))
    ways = stun_shot()
    direction = target - np.array([OBJECT_X_M, 0.0])
    direction /= np.hypot(*direction)
    arrival = HIT_S + _time_for(float(np.hypot(*(target - np.array([OBJECT_X_M, 0.0])))), AFTER_MPS)
    ways["1"] = legs((OBJECT_X_M, 0.0), (HIT_S, AFTER_MPS * direction[0], AFTER_MPS * direction[1]))
    ways["cue"] = legs((-0.5, 0.0), (STRIKE_S, SPEED_MPS, 0.0), (HIT_S, 0.1, -0.3))
    seen = lambda ball, t: ball != "1" or t < arrival  # noqa: E731
    shot = only(read_shots(tracks(ways, until_s=9.0, seen=seen), TABLE, touch_ratio=1.0))

    fallen = [event for event in shot.events if event.type == "pocketed"]
    assert [(event.fields["ball"], event.fields["pocket"]) for event in fallen] == [("1", "FL")]
    assert fallen[0].p > 0.99
    assert "1" not in shot.after


def test_the_ball_that_woke_while_the_cue_ball_was_hidden_was_hit_first() -> None:
    """The 1 goes off behind an arm that hides the cue ball; the 3, touched in plain view a second later, was not the first."""
    x = HIT_X_M + 0.25 * 1.0 - 0.05
    ways = {
        "cue": legs((-0.5, 0.0), (STRIKE_S, SPEED_MPS, 0.0), (HIT_S, 0.25, 0.0), (HIT_S + 1.0, 0.05, 0.0)),
        "1": legs((OBJECT_X_M, 0.0), (HIT_S, 0.7, 0.05)),
        "3": legs((x + 2 * RADIUS_M, 0.0), (HIT_S + 1.0, 0.15, 0.0)),
    }
    (shot,) = read_shots(tracks(ways, until_s=5.0, seen=lambda ball, time: ball != "cue" or not 0.54 < time < 1.6), TABLE, touch_ratio=1.0)
    assert next(iter(shot.first_contact)) == "1"
    assert shot.first_contact["1"] < 0.99
