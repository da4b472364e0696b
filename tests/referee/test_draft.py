"""Drafts: a shot read before the table is known to rest, by whoever, is the shot read later."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import scenes as s

from referee.draft import Basis, Draft, Runner, at_need, read_window
from tracker.segment import Segmenter, ShotWindow
from tracker.tracks import Tracker

STRIKE = 40
"""Number of the first picture that shows the cue ball under way."""


def place(index: int) -> tuple[float, float]:
    """The cue ball: struck at 0.4 m/s, it stops after half a metre."""
    tau = min(max(0, index - STRIKE + 1) * s.STEP_S, 2.5)
    return -0.5 + 0.4 * tau - 0.08 * tau * tau, 0.1


def played(until: int) -> tuple[Tracker, Segmenter]:
    """Tracker and segmenter after so many pictures."""
    tracker, segmenter = s.tracker(), Segmenter()
    for index in range(until):
        segmenter.update(tracker.update(s.picture(index, {"cue": place(index), "1": (0.9, -0.3)})))
    return tracker, segmenter


def drafted(run: Runner) -> tuple[Draft, Tracker, ShotWindow]:
    """A draft begun when the cue ball has just stopped, the tracker that goes on and the window as it was then."""
    tracker, segmenter = played(STRIKE + 66)
    window = segmenter.preview()
    draft = Draft(window, Basis(last_move_s=segmenter.last_move_s, balls=frozenset({"cue", "1"})), tracker, s.TABLE, run)
    return draft, tracker, window


def test_a_draft_is_what_had_been_read_at_once_whoever_reads_it_and_whatever_comes_meanwhile() -> None:
    """The cue ball is moved on by hand before the draft is read: not a thing of that is in it."""
    with ThreadPoolExecutor(1) as pool:
        for run in (at_need, lambda job: pool.submit(job).result):
            draft, tracker, window = drafted(run)
            now = read_window(window, played(STRIKE + 66)[0], s.TABLE)
            for index in range(STRIKE + 66, STRIKE + 90):
                x, y = place(index)
                tracker.update(s.picture(index, {"cue": (x + 0.01 * (index - STRIKE - 66), y), "1": (0.9, -0.3)}))
            tracker.forget(1.0)
            reading = draft.reading()

            assert now.shot is not None
            assert reading is not None
            assert reading.shot == now.shot
            assert reading.until_s == window.end_s
            assert not draft.is_under_way


def test_the_shot_of_a_draft_is_whole() -> None:
    """Struck ball, its way of half a metre and its rest: known from the first pictures that show it still."""
    draft, _, _ = drafted(at_need)
    reading = draft.reading()

    assert reading is not None
    assert reading.shot is not None
    assert reading.shot.complete
    assert reading.shot.cue_ball == "cue"
    assert reading.shot.after["cue"] == pytest.approx((0.0, 0.1), abs=0.003)


def test_a_draft_given_up_is_not_read() -> None:
    """Nobody waits for it, and it costs nothing any more."""
    draft, _, _ = drafted(at_need)
    draft.give_up()

    assert draft.reading() is None
    assert not draft.is_under_way
