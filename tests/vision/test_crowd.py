"""vision.crowd: overlapping places give way by how badly they are known."""

import numpy as np
import pytest

from vision.crowd import gaps_in_rack, kept_apart

DIAMETER = 0.05715


def test_the_ball_known_worse_gives_way() -> None:
    """An overlap of 1 mm between a place known to 0.1 mm and one known to 1 mm moves the second by all but a hundredth."""
    places = np.array([[0.0, 0.0], [DIAMETER - 0.001, 0.0]])
    apart = kept_apart(places, np.array([0.0001, 0.001]), DIAMETER)
    assert apart[0] == pytest.approx([0.0, 0.0], abs=0.00002)
    assert np.hypot(*(apart[1] - apart[0])) == pytest.approx(DIAMETER, rel=0.005)


def test_balls_that_do_not_overlap_stay_where_they_are() -> None:
    """Touching, 5 mm apart and far away: not moved at all."""
    places = np.array([[0.0, 0.0], [DIAMETER, 0.0], [0.0, DIAMETER + 0.005], [0.9, 0.3]])
    assert (kept_apart(places, np.full(4, 0.001), DIAMETER) == places).all()


def test_a_tight_rack_comes_out_of_its_noise() -> None:
    """Ten tight balls measured with 1.5 mm of noise: no pair is left overlapping by more than the tolerance."""
    rows = [(i * DIAMETER * 0.8661, (j - i / 2) * DIAMETER) for i in range(4) for j in range(i + 1)]
    noisy = np.array(rows) + np.random.default_rng(3).normal(0, 0.0015, (10, 2))
    apart = kept_apart(noisy, np.full(10, 0.0015), DIAMETER)
    gaps = np.hypot(*(apart[:, None] - apart[None]).transpose(2, 0, 1))[np.triu_indices(10, 1)]
    assert gaps.min() > 0.993 * DIAMETER


def test_one_ball_taken_for_two_is_not_pulled_in_two() -> None:
    """Two places within half a diameter are no two balls: nothing is mended."""
    places = np.array([[0.0, 0.0], [0.02, 0.0]])
    assert (kept_apart(places, np.full(2, 0.001), DIAMETER) == places).all()


def test_a_rack_knows_where_a_ball_is_missing() -> None:
    """Of a nine-ball diamond with places 3 mm off, the ball that is left out is told to 5 mm, and no other inside it."""
    row, column = DIAMETER * 0.8661, DIAMETER / 2
    diamond = np.array([(x * row, y * column) for x in range(5) for y in range(-4, 5) if abs(y) <= 2 - abs(x - 2) and (x + y) % 2 == 0])
    rough = diamond + np.random.default_rng(5).normal(0, 0.003, diamond.shape)
    left_out = int(np.hypot(*(diamond - (row, column)).T).argmin())
    found = gaps_in_rack(np.delete(rough, left_out, axis=0), DIAMETER / 2)
    away = np.hypot(*(found - diamond[left_out]).T)
    assert len(diamond) == 9
    assert away.min() < 0.005
    inside = (np.hypot(*(found[:, None] - diamond[None]).transpose(2, 0, 1)) < DIAMETER / 2).any(axis=1)
    assert inside.sum() == 1


def test_a_pair_alone_lacks_nothing() -> None:
    """Two touching balls and one far away."""
    assert len(gaps_in_rack(np.array([[0.0, 0.0], [DIAMETER, 0.0], [0.9, 0.3]]), DIAMETER / 2)) == 0
