"""How tracks end: balls that leave the table over a cushion."""

import pytest
import scenes as s

from tracker.history import TrackEnd


def _end_of_the_cue_ball(
    start: tuple[float, float], velocity: tuple[float, float], until_s: float, over: tuple[float, float] | None, pictures: int = 70
) -> TrackEnd:
    """The cue ball rests for 0.4 s, runs and is not seen after `until_s`, but for one picture at `over` where given."""
    tracker = s.tracker()
    for index in range(pictures):
        time = index * s.STEP_S - 0.4
        cue = s.roll(start, velocity, max(time, 0.0)) if time <= until_s else over if time <= until_s + s.STEP_S + 1e-9 else None
        tracker.update(s.picture(index, {"cue": cue, "3": (0.3, 0.2), "7": (-0.7, 0.4)}))
    return next(end for end in tracker.report(0.0, 10.0).ends if end.ball == "cue")


def test_a_ball_seen_over_the_cushion_and_never_again_left_the_table() -> None:
    """Its last place on the bed is 7 cm from the nose; the next picture shows it over the rubber."""
    end = _end_of_the_cue_ball((0.3, -0.1), (0.0, -2.0), 0.24, (0.3, -0.64))
    assert end.off_table
    assert end.p_off_table > 0.99


def test_a_ball_lost_at_a_nose_may_have_left_the_table() -> None:
    """Nobody saw it over the cushion, and the recording goes on for half a second: likely, not sure."""
    end = _end_of_the_cue_ball((0.3, -0.1), (0.0, -2.0), 0.24, None, pictures=30)
    assert 0.6 < end.p_off_table < 0.99


def test_a_fast_ball_lost_at_a_nose_and_never_seen_again_left_the_table() -> None:
    """The bed lies in plain view for two seconds, and on the way to the next pocket several pictures would have shown it."""
    end = _end_of_the_cue_ball((0.3, -0.1), (0.0, -2.0), 0.24, None, pictures=90)
    assert end.p_off_table > 0.99


def test_a_slow_ball_lost_at_a_nose_is_likelier_missed() -> None:
    """At 0.7 m/s no ball jumps a cushion."""
    end = _end_of_the_cue_ball((0.3, -0.43), (0.0, -0.7), 0.24, None)
    assert end.p_off_table < 0.95


@pytest.mark.parametrize("over", [None, (1.2, -0.58)])
def test_a_ball_lost_beside_a_mouth_did_not_jump_the_cushion(over: tuple[float, float] | None) -> None:
    """It ran at the foot cushion 10 cm from the corner pocket: a jaw is likelier than a flight."""
    end = _end_of_the_cue_ball((0.8, -0.53), (2.0, 0.0), 0.2, over)
    assert end.p_off_table < 0.5


@pytest.mark.parametrize(("every", "expected"), [(3, False), (1, True)])
def test_what_rests_off_and_on_and_leaves_untouched_was_no_ball(every: int, expected: bool) -> None:
    """Something like a 5 shows in every third picture for 1.6 s and is gone in plain view; seen in each, it stays a ball."""
    tracker = s.tracker()
    for index in range(100):
        shown = (0.9, -0.2) if index < 40 and index % every == 0 else None
        tracker.update(s.picture(index, {"cue": (-0.5, 0.1), "3": (0.3, 0.2), "5": shown}))
    assert ("5" in {track.ball for track in tracker.report(0.0, 10.0).tracks}) == expected
