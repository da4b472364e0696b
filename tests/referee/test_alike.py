"""Whites of pyramid under other labels: only their number says anything."""

from dataclasses import replace

import pytest

from referee.alike import as_seen, on_table
from referee.layout import open_rack
from referee.match import Match
from referee.rules.base import State
from referee.rules.games import find_ruleset


def _state(game: str, *balls: str) -> State:
    return replace(open_rack(Match.start(game).setup, None, "A"), phase="normal", balls=balls, cue_ball=balls[-1])


def test_a_white_under_another_label_is_the_one_that_is_missing() -> None:
    """The log has w1, w2 and w7, the layout w1, w2 and w9: three whites are three whites."""
    state = as_seen(find_ruleset("free_pyramid"), _state("free_pyramid", "Y", "w1", "w2", "w7"), ("Y", "w1", "w2", "w9"))
    assert (state.balls, state.cue_ball) == (("Y", "w1", "w2", "w9"), "w9")


def test_a_white_too_few_stays_missing() -> None:
    """Three by the log, two seen under labels of their own: one of the three is not there."""
    state = as_seen(find_ruleset("free_pyramid"), _state("free_pyramid", "Y", "w1", "w2", "w7"), ("Y", "w8", "w9"))
    assert state.balls == ("Y", "w7", "w8", "w9")


def test_in_classic_pyramid_a_label_is_a_number() -> None:
    """CLA-5.1: the 9 is not the 7."""
    before = _state("classic_pyramid", "Y", "w1", "w2", "w7")
    assert as_seen(find_ruleset("classic_pyramid"), before, ("Y", "w1", "w2", "w9")) == before


@pytest.mark.parametrize(("said", "taken"), [("w10", "w2"), ("w1", "w1"), ("Y", "Y")])
def test_a_white_named_by_its_number_is_one_of_those_on_the_table(said: str, taken: str) -> None:
    """The 10 is not on the table by the log: the last white that is, never the cue ball (w7); one that is keeps its name."""
    fields = {"by": "A", "option": f"CHOOSE_PENALTY_BALL:{said}"}
    state = _state("free_pyramid", "Y", "w1", "w2", "w7")
    assert on_table(find_ruleset("free_pyramid"), state, fields)["option"] == f"CHOOSE_PENALTY_BALL:{taken}"
