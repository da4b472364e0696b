"""What the network's words along a streak say of it."""

import numpy as np
import pytest

from vision.proposals import Proposals, Streak
from vision.smears import weighed

RADIUS_PX = 7.0
STREAK = Streak(ends_px=((100.0, 50.0), (115.0, 50.0)))


def weigh(*words: tuple[float, float, float]) -> Proposals:
    """The streak weighed with words (x, y, score)."""
    rows = np.array(words, dtype=np.float64).reshape(-1, 3)
    alone = Proposals(np.array([[10.0, 10.0]]), np.ones(1), (STREAK,))
    return weighed(alone, rows[:, :2], rows[:, 2], RADIUS_PX)


@pytest.mark.parametrize(
    ("words", "known"), [([(107.0, 52.0, 0.5)], True), ([(107.0, 60.0, 0.9)], False), ([(107.0, 50.0, 0.2)], False), ([], False)]
)
def test_a_streak_is_known_by_a_word_on_it(words: list[tuple[float, float, float]], known: bool) -> None:
    """A word on its middle line will do; one more than half a radius beside it, a weak one, and none do not: its ends may then be balls."""
    seen = weigh(*words)

    assert [streak.known for streak in seen.streaks] == [known]
    assert seen.streaks[0].ends_px == STREAK.ends_px
    assert len(seen.discs_px) == len(seen.explained) == (1 if known else 3)


def test_sure_words_a_diameter_apart_at_its_ends_are_two_balls() -> None:
    """Two touching balls of one colour are no streak; two words nearer to each other are one smeared ball, as are unsure ones."""
    assert weigh((100.5, 50.0, 0.9), (114.5, 51.0, 0.7)).streaks == ()
    assert len(weigh((103.0, 50.0, 0.9), (113.0, 50.0, 0.9)).streaks) == 1
    assert len(weigh((100.5, 50.0, 0.9), (114.5, 50.0, 0.4)).streaks) == 1


def test_two_balls_in_a_streak_may_have_a_shadow_beyond_them() -> None:
    """A diameter apart, one at an end, of a piece that reaches on by a radius and a half; in the middle of as long a smear they are not."""
    longer = Streak(ends_px=((90.0, 50.0), (115.0, 50.0)))
    for words, left in (([[101.0, 50.0], [115.0, 50.0]], 0), ([[95.5, 50.0], [109.5, 50.0]], 1)):
        alone = Proposals(np.empty((0, 2)), np.empty(0), (longer,))
        assert len(weighed(alone, np.array(words), np.array([0.9, 0.8]), RADIUS_PX).streaks) == left


def test_the_smear_of_a_break_needs_no_word() -> None:
    """Six radii long, with none: the network was not shown such; its ends are no discs."""
    long = Streak(ends_px=((100.0, 50.0), (142.0, 50.0)))
    seen = weighed(Proposals(np.empty((0, 2)), np.empty(0), (long,)), np.empty((0, 2)), np.empty(0), RADIUS_PX)

    assert [streak.known for streak in seen.streaks] == [True]
    assert len(seen.discs_px) == 0
