"""The library of shots obeys mechanics, and its truth says what its events say."""

from itertools import pairwise

import numpy as np
import pytest

from calibration.equipment import find_ball_set, find_table
from calibration.errors import InputError
from calibration.table import Table
from sample_videos.motion import Motion
from sample_videos.shots import find_shots, kinds, mirrored, read_library
from sample_videos.truth import facts, nine_ball_ruling

TABLE = Table(find_table("wpa-9ft"))
RADIUS = TABLE.spec.ball_radius_m


def test_every_kind_is_ruled_as_it_is_called() -> None:
    """The ruling that follows from the events has the foul that a shot of nine-ball was made to be."""
    expected: dict[str, list[str]] = {
        **{kind: [] for kind in ("legal_pot", "nine_pot", "miss", "safety", "kick", "break_pot", "break_dry")},
        "no_contact": ["NO_CONTACT"],
        "wrong_first": ["WRONG_FIRST"],
        "wrong_first_pot": ["WRONG_FIRST"],
        "no_rail": ["NO_RAIL"],
        "scratch": ["SCRATCH"],
        "object_off": ["OB_OFF"],
        "cue_off": ["CUE_OFF"],
    }
    nine = set(find_ball_set("nine_ball").balls)
    for shot in read_library():
        if shot.kind in expected and set(shot.before) <= nine:
            ruling = nine_ball_ruling(shot, facts(shot))

            assert ruling["foul_codes"] == expected[shot.kind] or shot.table == "pyramid-12ft", shot.kind
    assert set(expected) <= set(kinds("wpa-9ft"))


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
