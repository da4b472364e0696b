"""What tells a ball that was struck from one that a hand took."""

from dataclasses import replace

import numpy as np
import pytest

from tracker.history import BallTrack, TrackEnd
from tracker.kinks import Path
from tracker.stroke import stroke_unseen, was_taken
from tracker.wake import make_path

TAKEN = TrackEnd(
    ball="w3", time_s=1.04, position_m=(0.33, -0.6), velocity_mps=(-0.5, 0.1), sigma_m=0.004, resting=False, pocket="SR",
    pocket_distance_m=0.44, entry_s=None, hidden=True, watched_s=3.0, in_pocket=None, in_pocket_s=None, off_table=False,
    p_pocketed=0.3, p_off_table=0.2, p_hidden=0.5,
)  # fmt: skip


def _path(samples_off: int) -> Path:
    """At rest for a second at 25 pictures a second, then so many pictures each 20 mm farther."""
    places = np.array([(0.35, -0.6)] * 25 + [(0.35 - 0.02 * k, -0.6) for k in range(1, samples_off + 1)])
    count = len(places)
    places[:, 1] += 0.0002 * (-1.0) ** np.arange(count)
    track = BallTrack(
        ball="w3", times_s=0.04 * np.arange(count), positions_m=places, sigma_m=np.full(count, 0.0005), seen=np.ones(count, dtype=bool)
    )
    path = make_path(track, 0.0002)
    assert path is not None
    return path


def test_a_ball_last_seen_beside_its_place_under_a_hand_was_taken() -> None:
    """One picture 20 mm off, then gone: fingers that lift it. In five pictures it rolls."""
    assert was_taken(_path(1), TAKEN)
    assert not was_taken(_path(5), TAKEN)


@pytest.mark.parametrize("seen", [{"hidden": False}, {"entry_s": 0.1}])
def test_a_ball_that_goes_in_plain_view_or_into_a_pocket_was_not_taken(seen: dict[str, object]) -> None:
    """Nothing over it, or a mouth ahead of it: a stroke can do that."""
    assert not was_taken(_path(1), replace(TAKEN, **seen))


def test_without_knowing_how_it_ended_nothing_is_taken() -> None:
    """Tracks from a file come without that."""
    assert not was_taken(_path(1), None)


@pytest.mark.parametrize(("rows", "unseen"), [(3, False), (12, True)])
def test_a_ball_that_stands_at_once_was_not_struck_before_the_recording(rows: int, unseen: bool) -> None:
    """It is seen 20 mm nearer from picture to picture: in three of them (two whites of a rack seen as one), or for half a second."""
    places = np.array([(0.02 * (rows - k), 0.0) for k in range(rows)] + [(0.0, 0.0)] * 40)
    places[:, 1] += 0.0002 * (-1.0) ** np.arange(len(places))
    count = len(places)
    track = BallTrack(
        ball="w3", times_s=0.04 * np.arange(count), positions_m=places, sigma_m=np.full(count, 0.0005), seen=np.ones(count, dtype=bool)
    )
    path = make_path(track, 0.0002)
    assert path is not None
    assert stroke_unseen({"w3": path}, 0.0, 0.04) is unseen
