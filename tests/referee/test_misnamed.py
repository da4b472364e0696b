"""Balls that may bear another name than the tracker gave them."""

from dataclasses import replace

import pytest

from calibration.equipment import find_table
from referee.misnamed import Naming
from referee.readings import judge_shot
from referee.rules.base import State
from referee.rules.games import find_ruleset
from referee.ruling import Pair
from tracker.shot import Doubt, Shot, ShotEvent


def _shot(first: dict[str, float], balls: tuple[str, ...]) -> Shot:
    """The cue ball meets the 5, the 5 falls."""
    events = (
        ShotEvent(t=0.0, type="cue_contact"),
        ShotEvent(t=0.3, type="ball_ball", fields={"a": "cue", "b": "5"}),
        ShotEvent(t=0.9, type="pocketed", fields={"ball": "5", "pocket": "FL"}),
    )
    places = {ball: (0.1 * index, 0.0) for index, ball in enumerate(balls)}
    return Shot(
        number=1,
        start_s=1.0,
        end_s=5.0,
        cue_ball="cue",
        complete=True,
        before=places,
        after={ball: place for ball, place in places.items() if ball != "5"},
        events=events,
        first_contact=first,
        rail_before_contact=0.0,
        rail_after_contact=1.0,
    )


def _verdict(first: dict[str, float], balls: tuple[str, ...], doubts: tuple[Doubt, ...] = ()) -> str:
    state = State(
        table=find_table("wpa-9ft"),
        shooter="A",
        phase="normal",
        balls=balls,
        cue_ball="cue",
        cue_state="position",
        scores=Pair(0, 0),
        target=7,
    )
    return judge_shot(find_ruleset("nine_ball"), [state], replace(_shot(first, balls), doubts=doubts)).verdict


@pytest.mark.parametrize(
    ("first", "balls", "expected"),
    [
        ({"5": 0.9, "3": 0.1}, ("cue", "5", "7", "9"), "legal"),  # lowest as a 5 and as a 3
        ({"5": 0.9, "8": 0.1}, ("cue", "5", "7", "9"), "undecided"),  # as an 8 it would not be the lowest
        ({"5": 0.9, "7": 0.1}, ("cue", "5", "7", "9"), "undecided"),  # the 7 is there: it may have been met itself
        ({"5": 0.9, "3": 0.1}, ("cue", "4", "5", "9"), "undecided"),  # as a 3 it would be below the 4
        ({"5": 0.9, "6": 0.1}, ("cue", "4", "5", "9"), "foul"),  # above the 4 under either name
    ],
)
def test_a_name_in_doubt_counts_only_where_it_changes_the_ruling(first: dict[str, float], balls: tuple[str, ...], expected: str) -> None:
    """The ball met may be another one that is not in the layout; the ruling is the same as long as its rank is."""
    assert expected == _verdict(first, balls)


def test_nothing_is_judged_under_a_name_that_no_ball_can_bear() -> None:
    """Where no ball of the layout was met, a stranger's share stays a reading of its own."""
    shot = replace(_shot({"none": 0.9, "3": 0.1}, ("cue", "5", "9")), events=(ShotEvent(t=0.0, type="cue_contact"),))
    state = State(
        table=find_table("wpa-9ft"),
        shooter="A",
        phase="normal",
        balls=("cue", "5", "9"),
        cue_ball="cue",
        cue_state="position",
        scores=Pair(0, 0),
        target=7,
    )
    assert judge_shot(find_ruleset("nine_ball"), [state], shot).verdict == "undecided"


@pytest.mark.parametrize(
    ("ball", "other", "p", "expected"),
    [
        ("7", "2", 0.1, "undecided"),  # a 2 on the table makes the 5 the wrong ball
        ("7", "2", 0.004, "legal"),  # too unlikely to matter
        ("7", "8", 0.3, "legal"),  # above the 5 under either name
        ("9", "7", 0.3, "legal"),  # exchanged, both above the 5
        ("9", "1", 0.3, "legal"),  # no rack is played without the 9
    ],
)
def test_a_name_in_doubt_elsewhere_on_the_table_counts_where_it_makes_another_ball_the_lowest(
    ball: str, other: str, p: float, expected: str
) -> None:
    """The 5 is met and falls; another ball's name is in doubt."""
    doubt = Doubt(kind="identity", text="names not sure", balls=(ball,), names={ball: {other: p}})

    assert expected == _verdict({"5": 1.0}, ("cue", "5", "7", "9"), (doubt,))


def test_a_name_that_came_free_is_that_of_a_ball_which_a_rack_brings_back() -> None:
    """The 3 on the table may be the 5; fourteen are racked anew. Whichever it is, all fifteen are there, each once."""
    naming = Naming(p=0.1, shot=_shot({"5": 1.0}, ("cue", "5", "7")), names={"3": "5"})
    assert naming.put_back(["1", "2", "3", "4", "5"]) == ["1", "2", "5", "4", "3"]
