"""The library of shots obeys mechanics, and its truth says what its events say."""

from itertools import pairwise

import numpy as np
import pytest

from calibration.equipment import find_table
from calibration.errors import InputError
from calibration.table import Table
from sample_videos.motion import Motion
from sample_videos.shots import SimulatedShot, find_shots, kinds, mirrored, read_library
from sample_videos.truth import facts, nine_ball_ruling

TABLE = Table(find_table("wpa-9ft"))
RADIUS = TABLE.spec.ball_radius_m


def _positions(shot: SimulatedShot, times: np.ndarray) -> dict[str, np.ndarray]:
    gone = {e["ball"]: e["t"] for e in shot.events if e["type"] == "pocketed"}
    gone.update({ball: values[0] for ball, values in shot.off_table.items()})
    result = {}
    for ball, rows in shot.segments.items():
        row = rows[np.clip(np.searchsorted(rows[:, 0], times, side="right") - 1, 0, None)]
        dt = (times - row[:, 0])[:, None]
        place = row[:, 1:3] + row[:, 3:5] * dt + 0.5 * row[:, 5:7] * dt * dt
        place[times > gone.get(ball, np.inf)] = np.nan
        result[ball] = place
    return result


@pytest.mark.parametrize("index", range(0, len(read_library()), 3))
def test_balls_never_overlap(index: int) -> None:
    """No two centres come nearer than a diameter less 0.15 mm, at any thousandth of a second."""
    shot = read_library()[index]
    places = list(_positions(shot, np.arange(0, shot.end_s, 0.001)).values())
    gaps = [np.hypot(*(a - b).T) for i, a in enumerate(places) for b in places[i + 1 :]]

    assert np.nanmin(np.append(np.concatenate(gaps) if gaps else [], 1.0)) > 2 * RADIUS - 1.5e-4


@pytest.mark.parametrize("shot", read_library()[::2], ids=lambda shot: shot.kind)
def test_energy_never_grows(shot: SimulatedShot) -> None:
    """Kinetic energy of all balls, spin included, does not grow after the tip contact, to one percent of the start."""
    times = np.arange(0.0005, shot.end_s, 0.003)
    total = np.zeros(len(times))
    gone = {e["ball"]: e["t"] for e in shot.events if e["type"] == "pocketed"}
    gone.update({ball: values[0] for ball, values in shot.off_table.items()})
    for ball, rows in shot.segments.items():
        row = rows[np.clip(np.searchsorted(rows[:, 0], times, side="right") - 1, 0, None)]
        dt = (times - row[:, 0])[:, None]
        speed2 = ((row[:, 3:5] + row[:, 5:7] * dt) ** 2).sum(axis=1)
        spin2 = ((row[:, 7:10] + row[:, 10:13] * dt) ** 2).sum(axis=1)
        total += np.where(times > gone.get(ball, np.inf), 0.0, 0.5 * speed2 + 0.2 * RADIUS**2 * spin2)

    assert np.diff(total).max() < 0.01 * total[0]


def test_every_kind_is_ruled_as_it_is_called() -> None:
    """The ruling that follows from the events has the foul that the shot was made to be."""
    expected = {
        "no_contact": ["NO_CONTACT"],
        "wrong_first": ["WRONG_FIRST"],
        "wrong_first_pot": ["WRONG_FIRST"],
        "no_rail": ["NO_RAIL"],
        "scratch": ["SCRATCH"],
        "object_off": ["OB_OFF"],
        "cue_off": ["CUE_OFF"],
    }
    for shot in read_library():
        ruling = nine_ball_ruling(shot, facts(shot))

        assert ruling["foul_codes"] == expected.get(shot.kind, []), shot.kind
    assert set(expected) <= set(kinds())


def test_a_legal_pot_keeps_the_turn() -> None:
    """After the lowest ball is hit first and falls, the shooter goes on."""
    shot = find_shots("legal_pot")[0]
    ruling = nine_ball_ruling(shot, facts(shot))

    assert (ruling["verdict"], ruling["turn"], ruling["rack_over"]) == ("legal", "A", False)


def test_break_is_racked_by_the_rules() -> None:
    """The 1 is at the apex on the foot spot, the 9 in the middle, the cue ball behind the head string."""
    shot = find_shots("break_pot")[0]
    step = np.sqrt(3) * RADIUS

    assert shot.before["1"] == pytest.approx((TABLE.spec.length_m / 4, 0.0), abs=0.001)
    assert shot.before["9"] == pytest.approx((TABLE.spec.length_m / 4 + 2 * step, 0.0), abs=0.002)
    assert shot.before["cue"][0] < TABLE.head_string_m


def test_mirrored_twice_is_the_shot_itself() -> None:
    """A mirror across the long string changes left and right, and nothing when used twice."""
    shot = find_shots("break_pot")[0]
    once, twice = mirrored(shot), mirrored(mirrored(shot))

    assert once.before["cue"] == (shot.before["cue"][0], -shot.before["cue"][1])
    assert twice.events == shot.events
    assert all(np.allclose(twice.segments[ball], rows) for ball, rows in shot.segments.items())


def test_a_pocketed_ball_falls_inside_its_hole() -> None:
    """After it is pocketed a ball sinks, never jumps, and stays within the pocket."""
    shot = find_shots("legal_pot")[0]
    motion = Motion(shot, TABLE, np.random.default_rng(1))
    event = next(e for e in shot.events if e["type"] == "pocketed")
    path = [motion.centre(event["ball"], event["t"] + k * 0.002) for k in range(-5, 200)]
    steps = [float(np.linalg.norm(b - a)) for a, b in pairwise(path) if a is not None and b is not None]

    assert max(steps) < 0.012
    assert path[-1] is not None
    assert path[-1][2] < 0
    assert np.hypot(path[-1][0] - TABLE.mouth_centre_m(event["pocket"])[0], path[-1][1] - TABLE.mouth_centre_m(event["pocket"])[1]) < 0.15


def test_an_unknown_kind_is_refused() -> None:
    """The message lists the kinds there are."""
    with pytest.raises(InputError, match="legal_pot"):
        find_shots("moon_shot")
