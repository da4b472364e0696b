"""One picture's assignment."""

from dataclasses import replace

import numpy as np

from tracker.associate import Expected, Seen, assign, first_steps

NAN = np.full((2, 2), np.nan)


def _two(
    places: list[tuple[float, float]],
    looks: np.ndarray | None = None,
    reach: float = 0.0,
    push: np.ndarray | None = None,
    woken: tuple[float, float] = (0.0, 0.0),
    missed: float = 3.0,
) -> Expected:
    at = np.array(places)
    return Expected(
        predicted_m=at, straight_m=at, sigma_m=np.array([0.0005, 0.0005]), step_m=np.zeros((2, 2)), last_m=at, memory_m=NAN,
        gap_s=np.array([0.04, 0.04]), reach_mps=np.full(2, reach), contact=np.full(2, reach > 0),
        push_m=np.zeros((2, 2)) if push is None else push, woken=np.array([woken, (0.0, 0.0)]), solid=np.ones(2, dtype=bool),
        bounced=np.zeros(2, dtype=bool), missed_cost=np.array([missed, missed]), ball_odds=np.full(2, np.inf),
        looks=np.zeros((2, 0)) if looks is None else looks,
    )  # fmt: skip


def _seen(places: list[tuple[float, float]], looks: np.ndarray | None = None) -> Seen:
    count = len(places)
    return Seen(
        position_m=np.array(places).reshape(count, 2),
        sigma_m=np.full(count, 0.001),
        score=np.full(count, 0.9),
        looks=np.zeros((count, 0)) if looks is None else looks,
    )


def test_a_detection_at_a_resting_place_is_that_ball() -> None:
    """Whatever moves nearby: the place decides, and the passer-by is the other."""
    result = assign(_two([(0.0, 0.0), (0.06, 0.0)], reach=3.0), _seen([(0.02, 0.06), (0.0005, 0.0)]))
    assert {(i, j) for i, j, _ in result.pairs} == {(0, 1), (1, 0)}


def test_far_detections_are_new() -> None:
    """Nothing goes a metre in 40 ms."""
    result = assign(_two([(0.0, 0.0), (0.3, 0.0)]), _seen([(1.0, 0.3)]))
    assert result.pairs == ()
    assert result.new == (0,)


def test_two_balls_scattered_within_reach_are_told_by_their_looks() -> None:
    """Motion leaves the exchange open and says so; looks choose."""
    sure = np.array([[0.95, 0.05], [0.05, 0.95]])
    expected = _two([(0.0, 0.0), (0.06, 0.0)], looks=sure, reach=4.0)
    straight = assign(expected, _seen([(-0.03, 0.08), (0.09, 0.08)], looks=sure))
    crossed = assign(expected, _seen([(-0.03, 0.08), (0.09, 0.08)], looks=sure[::-1]))
    assert {(i, j) for i, j, _ in straight.pairs} == {(0, 0), (1, 1)}
    assert {(i, j) for i, j, _ in crossed.pairs} == {(0, 1), (1, 0)}
    assert len(straight.swaps) == 1


def test_nothing_seen_and_nothing_expected() -> None:
    """Empty inputs give empty results."""
    assert assign(_two([(0.0, 0.0), (0.3, 0.0)]), _seen([])).pairs == ()


def test_a_ball_at_rest_does_not_come_back_at_the_one_that_hit_it() -> None:
    """One detection is left of two balls, on the side that the striker came from: it is the striker."""
    push = np.array([[0.0, 0.0], [0.08, 0.0]])
    result = assign(_two([(0.0, 0.0), (0.08, 0.0)], reach=2.0, push=push), _seen([(0.045, -0.03)]))
    assert [(i, j) for i, j, _ in result.pairs] == [(0, 0)]


def test_equal_balls_that_fly_apart_keep_their_order() -> None:
    """Motion alone prefers the shorter leaps, though either ball could have gone to either place; the doubt is kept."""
    result = assign(_two([(0.0, 0.0), (0.06, 0.0)], reach=4.0), _seen([(0.12, 0.05), (-0.06, 0.05)]))
    assert {(i, j) for i, j, _ in result.pairs} == {(0, 1), (1, 0)}
    assert len(result.swaps) == 1


def test_a_ball_struck_late_between_two_pictures_goes_on_as_it_began() -> None:
    """A few millimetres beside another ball under a sleeve, then eight centimetres: forwards it is that ball, backwards a new one."""
    expected = _two([(0.0, 0.0), (0.08, 0.0)], woken=(-0.8, 0.6), missed=0.1)
    assert [(i, j) for i, j, _ in assign(expected, _seen([(-0.064, 0.048)])).pairs] == [(0, 0)]
    assert assign(expected, _seen([(0.064, -0.048)])).pairs == ()


def test_a_ball_that_appears_beside_one_just_lost_goes_on_from_there() -> None:
    """Lost at (0, 0) a picture before another appears at (0.03, 0.04): it goes 3:4, whatever lies at rest around."""
    places = np.array([(0.0, 0.0), (0.03, 0.04), (0.03, 0.05)])
    steps = first_steps(places, np.array([0.08, 0.04, 0.04]), np.array([False, True, False]))
    assert np.allclose(steps, [(0.0, 0.0), (0.6, 0.8), (0.0, 0.0)])


def test_a_ball_that_appears_out_of_reach_of_the_lost_one_has_no_course() -> None:
    """Nothing goes a metre in 40 ms."""
    steps = first_steps(np.array([(0.0, 0.0), (1.0, 0.0)]), np.array([0.08, 0.04]), np.array([False, True]))
    assert not steps.any()


def test_what_was_seen_once_and_may_be_no_ball_takes_no_detection_from_one() -> None:
    """The detection lies a little nearer to a thing of even odds than to a ball, both at the one place where either can be."""
    expected = _two([(0.0, 0.0), (0.06, 0.0)], reach=3.0)
    here = _seen([(0.034, 0.0)])
    doubted = replace(expected, ball_odds=np.array([np.inf, 0.0]))
    assert [(i, j) for i, j, _ in assign(expected, here).pairs] == [(1, 0)]
    assert [(i, j) for i, j, _ in assign(doubted, here).pairs] == [(0, 0)]
