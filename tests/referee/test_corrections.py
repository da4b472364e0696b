"""Corrections: undo, an event put in afterwards, and what a person says about the state."""

from typing import Any

import pytest

from calibration.errors import InputError
from referee.log import format_log, parse_log
from referee.match import Match
from tracker.shot import Shot

SPREAD = {ball: (-0.8 + 0.18 * int(ball), 0.3) for ball in "123456789"}


def a_shot(number: int, balls: str, *falls: str, first: str, game_pocket: str = "FL") -> Shot:
    """A certain stroke over balls spread on the table that drives the first ball to a cushion."""
    layout = {**{ball: SPREAD[ball] for ball in balls.split()}, "cue": (-0.9, 0.1)}
    events: list[dict[str, Any]] = [
        {"t": 0.0, "type": "cue_contact"},
        {"t": 0.5, "type": "ball_ball", "a": "cue", "b": first},
        {"t": 1.0, "type": "ball_cushion", "ball": first, "cushion": "foot"},
        *({"t": 2.0, "type": "pocketed", "ball": ball, "pocket": game_pocket} for ball in falls),
    ]
    line = {"format": "cueref.shot/1", "number": number, "start_s": 20.0 * number, "end_s": 20.0 * number + 5, "cue_ball": "cue"}
    line |= {"complete": True, "before": layout, "after": {}, "events": events, "first_contact": {first: 1.0}}
    return Shot.from_dict({**line, "rail_before_contact": 0.0, "rail_after_contact": 1.0})


def a_match() -> Match:
    """Nine-ball: A pots the 1 and misses, B meets the wrong ball."""
    match = Match.start("nine_ball", race=3)
    match.record_shot(a_shot(1, "1 2 5 9", "1", first="1"))
    match.record_shot(a_shot(2, "2 5 9", first="2"))
    match.record_shot(a_shot(3, "2 5 9", first="5"))
    return match


def test_undo_takes_back_the_last_event_and_then_the_one_before() -> None:
    """Nothing is erased; the shots that stand are judged as if the others had never been."""
    match = a_match()

    assert [difference.shot for difference in match.undo()] == [3]
    assert [ruling.number for ruling in match.rulings] == [1, 2]
    match.undo()
    assert [ruling.number for ruling in match.rulings] == [1]
    assert sum(event.type == "shot" for event in match.events) == 3


def test_undo_takes_back_a_correction() -> None:
    """The 5-ball was first after all."""
    match = a_match()
    match.correct(match.events[-2].id, {"first_contact": {"2": 1.0}})
    assert match.rulings[-1].verdict == "legal"

    match.undo()
    assert match.rulings[-1].foul_codes == ("WRONG_FIRST",)


def test_undo_takes_back_a_void_correction() -> None:
    """A shot that was struck out is back."""
    match = a_match()
    match.correct(match.events[-2].id, void=True)
    match.undo()

    assert [ruling.number for ruling in match.rulings] == [1, 2, 3]


def test_undo_can_be_undone_by_making_it_void() -> None:
    """A void correction is no correction."""
    match = a_match()
    match.undo()
    taken_back = next(event for event in match.events if event.type == "correction")
    match.correct(taken_back.id, void=True)

    assert [ruling.number for ruling in match.rulings] == [1, 2, 3]


def test_nothing_to_undo_is_told() -> None:
    """An empty match has nothing to take back."""
    with pytest.raises(InputError, match="nothing is left to undo"):
        Match.start("nine_ball", race=3).undo()


def test_a_call_that_nobody_recorded_can_be_put_in() -> None:
    """14.1: the shot was undecided for want of a call; it stands before its shot, and can be corrected itself."""
    match = Match.start("straight_14_1", race=100)
    match.record_shot(a_shot(1, "1 2 5 9", "1", first="1"))
    shot = next(event.id for event in match.events if event.type == "shot")
    assert match.rulings[0].verdict == "undecided"

    match.correct(shot, insert={"type": "call", "kind": "ball", "ball": "1", "pocket": "FL"})
    assert (match.rulings[0].verdict, match.score) == ("legal", {"A": 1, "B": 0})

    put_in = next(event.id for event in match.events if event.type == "correction")
    match.correct(put_in, {"pocket": "SR"})
    assert match.score == {"A": 0, "B": 0}
    again = parse_log("".join(f"{line}\n" for line in format_log(match)))
    assert again.state == match.state


def test_a_record_cannot_be_put_in() -> None:
    """A ruling is what was said then; the match is unchanged."""
    match = a_match()
    before = match.events

    with pytest.raises(InputError, match="a ruling cannot be put in"):
        match.correct(1, insert={"type": "ruling", "number": 1})
    assert match.events == before


def test_a_position_can_be_corrected() -> None:
    """The 2 lay there too, so that meeting the 5 first was a foul."""
    match = Match.start("nine_ball", race=3)
    match.record_shot(a_shot(1, "5 9", first="5"))
    assert match.rulings[0].verdict == "legal"

    match.correct(1, {"before": {**a_shot(1, "2 5 9", first="5").to_dict()["before"]}})
    assert match.rulings[0].foul_codes == ("WRONG_FIRST",)


def test_state_given_before_the_first_shot_is_assumed_no_more() -> None:
    """B shoots at 2-1 and on two fouls; none of that is listed as assumed."""
    match = Match.start("nine_ball", race=5)
    match.record("state", shooter="B", scores={"A": 2, "B": 1}, consecutive_fouls={"A": 0, "B": 2}, warned={"A": False, "B": True})
    match.record_shot(a_shot(1, "2 5 9", first="5"))

    assert match.score == {"A": 3, "B": 1}
    assert match.rulings[0].foul_codes == ("WRONG_FIRST", "THREE_FOULS")
    assert not any(note.startswith(("shooter:", "score:", "fouls:")) for note in match.assumed)


def test_state_given_later_takes_the_place_of_the_record() -> None:
    """After shot 1 the scoreboard is put right."""
    match = a_match()
    match.record("state", scores={"A": 1, "B": 2}, shooter="B")
    state = match.state.state

    assert state is not None
    assert (state.scores.to_dict(), state.shooter) == ({"A": 1, "B": 2}, "B")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target": 3}, "before.target: cannot be set"),
        ({"balls": ["cue", "2"]}, "the 9 is not on the table"),
        ({"shooter": "C"}, "before.shooter"),
    ],
)
def test_state_that_cannot_be_is_refused(given: dict[str, Any], message: str) -> None:
    """The message names the field, and the log stays as it was."""
    match = a_match()
    events = match.events

    with pytest.raises(InputError, match=message):
        match.record("state", **given)
    assert match.events == events
