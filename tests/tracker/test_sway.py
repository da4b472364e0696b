"""Pictures that sway: what all resting balls do together is taken off, what one does is not."""

import numpy as np
from numpy.testing import assert_allclose

from tracker.history import BallTrack
from tracker.sway import steadied

TIMES_S = np.arange(100) * 0.04
RESTS_M = {"1": (0.4, 0.1), "2": (-0.3, 0.2), "3": (0.1, -0.4), "4": (-0.6, -0.1)}


def _track(ball: str, places_m: np.ndarray) -> BallTrack:
    """A ball seen in every picture."""
    return BallTrack(
        ball=ball,
        times_s=TIMES_S.copy(),
        positions_m=places_m,
        sigma_m=np.full(len(TIMES_S), 0.0005),
        seen=np.ones(len(TIMES_S), dtype=np.bool_),
    )


def _scene(shift_m: np.ndarray, noise_m: float) -> list[BallTrack]:
    """Four balls at rest and one that rolls at 1 m/s, all stepping aside with the picture."""
    rng = np.random.default_rng(1)
    rolling = np.column_stack([-1.0 + 0.5 * TIMES_S, np.zeros_like(TIMES_S)])
    balls = {ball: np.tile(place, (len(TIMES_S), 1)) for ball, place in RESTS_M.items()} | {"cue": rolling}
    return [_track(ball, places + shift_m + noise_m * rng.standard_normal(places.shape)) for ball, places in balls.items()]


def test_common_step_is_taken_off_all_balls() -> None:
    """A picture that stands 2 mm higher and lower in turn leaves resting balls at rest and a rolling one on its line."""
    shift = np.zeros((len(TIMES_S), 2))
    shift[:, 1] = np.where(np.arange(len(TIMES_S)) // 3 % 2 == 0, 0.001, -0.001)
    tracks = {track.ball: track for track in steadied(_scene(shift, 0.0001))}

    for ball in RESTS_M:
        assert tracks[ball].positions_m[:, 1].std() < 0.0002
    assert np.abs(np.diff(tracks["cue"].positions_m[:, 1])).max() < 0.0006


def test_noise_of_each_ball_is_left_alone() -> None:
    """Balls that tremble each for itself are not moved at all."""
    tracks = _scene(np.zeros((len(TIMES_S), 2)), 0.001)

    for before, after in zip(tracks, steadied(tracks), strict=True):
        assert_allclose(after.positions_m, before.positions_m, atol=0)


def test_one_ball_that_moves_is_no_sway() -> None:
    """A single ball that steps aside by 3 mm has moved; the others lie still and prove it."""
    tracks = _scene(np.zeros((len(TIMES_S), 2)), 0.0002)
    moved = tracks[0].positions_m.copy()
    moved[50:, 0] += 0.003
    tracks[0] = _track("1", moved)
    after = steadied(tracks)

    assert after[0].positions_m[60:, 0].mean() - after[0].positions_m[:40, 0].mean() > 0.0028
    assert abs(after[1].positions_m[60:, 0].mean() - after[1].positions_m[:40, 0].mean()) < 0.0003


def test_two_balls_say_nothing() -> None:
    """With two resting balls a common step is theirs as likely as the picture's, and stays."""
    shift = np.zeros((len(TIMES_S), 2))
    shift[::2, 1] = 0.002
    tracks = [track for track in _scene(shift, 0.0001) if track.ball in ("1", "2", "cue")]

    assert all(after is before for before, after in zip(tracks, steadied(tracks), strict=True))
