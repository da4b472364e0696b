"""A person decides an undecided shot: stands, overturned, too close; it holds through what is judged again."""

from typing import Any

import pytest

from calibration.errors import InputError
from referee.decided import choices, decision_of
from referee.log import format_log, parse_log
from referee.match import Match
from tracker.shot import Shot

LAYOUT = {"cue": (-0.9, 0.1), "1": (-0.6, 0.3), "2": (-0.4, 0.3), "5": (0.1, 0.3), "9": (0.8, 0.3)}


def a_shot(number: int, balls: str, **first: float) -> Shot:
    """A stroke that drives a ball to a cushion; `b1=0.6, b2=0.4` is who was met first."""
    line: dict[str, Any] = {"format": "cueref.shot/1", "number": number, "start_s": 20.0 * number, "end_s": 20.0 * number + 5}
    line |= {"cue_ball": "cue", "complete": True, "before": {ball: LAYOUT[ball] for ball in balls.split()}, "after": {}}
    line |= {"events": [{"t": 0.0, "type": "cue_contact"}, {"t": 1.0, "type": "ball_cushion", "ball": "1", "cushion": "foot"}]}
    line |= {"first_contact": {ball.removeprefix("b"): p for ball, p in first.items()}}
    return Shot.from_dict({**line, "rail_before_contact": 0.0, "rail_after_contact": 1.0})


def a_match() -> Match:
    """Nine-ball: whether the 1 or the 2 was first is not known; then player B plays on."""
    match = Match.start("nine_ball", race=3)
    match.record_shot(a_shot(1, "cue 1 2 5 9", b1=0.6, b2=0.4))
    match.record_shot(a_shot(2, "cue 1 2 5 9", b1=1.0))
    return match


def decide(match: Match, word: str, index: int | None = None) -> None:
    """As the official's page does."""
    match.correct(1, {"decided": decision_of(match.rulings[0].judgement, word, index)})


def test_the_default_comes_first_and_too_close_last() -> None:
    """The shooter's favour, then the foul."""
    found = choices(a_match().rulings[0].judgement)

    assert [(choice.word, choice.ruling.foul, round(choice.p, 2)) for choice in found] == [
        ("stands", False, 0.6),
        ("overturned", True, 0.4),
        ("too_close", False, 0.6),
    ]


@pytest.mark.parametrize(("word", "verdict"), [("stands", "legal"), ("overturned", "foul"), ("too_close", "legal")])
def test_a_decision_makes_the_shot_certain_and_what_follows_no_longer_provisional(word: str, verdict: str) -> None:
    """The facts keep their doubt; the ruling says who decided."""
    match = a_match()
    assert match.rulings[1].provisional
    decide(match, word)

    assert (match.rulings[0].verdict, match.rulings[0].decided) == (verdict, word)
    assert len(match.rulings[0].judgement.readings) == 2
    assert not match.rulings[1].provisional


def test_a_decision_is_in_the_log_and_can_be_undone_and_redone() -> None:
    """It comes back from the file; undo makes the shot undecided, redo decides it again."""
    match = a_match()
    decide(match, "overturned")
    again = parse_log("".join(f"{line}\n" for line in format_log(match)))
    assert again.state == match.state

    match.undo()
    assert match.rulings[0].verdict == "undecided"
    match.redo()
    assert match.rulings[0].verdict == "foul"
    match.undo()
    assert match.rulings[0].verdict == "undecided"


def test_redo_follows_undo_only() -> None:
    """Two undos are brought back one after the other; after something new there is nothing to bring back."""
    match = a_match()
    match.undo()
    match.undo()
    match.redo()
    assert [ruling.number for ruling in match.rulings] == [1]
    match.redo()
    assert [ruling.number for ruling in match.rulings] == [1, 2]
    with pytest.raises(InputError, match="redo"):
        match.redo()

    match.undo()
    match.record("call", kind="push_out")
    with pytest.raises(InputError, match="redo"):
        match.redo()


def test_a_decision_on_a_ruling_that_is_no_longer_possible_leaves_the_shot_undecided() -> None:
    """The 1 was not there: the foul decided for cannot be."""
    match = a_match()
    decide(match, "overturned")
    match.correct(1, {"before": {ball: LAYOUT[ball] for ball in ("cue", "2", "5", "9")}, "first_contact": {"2": 0.6, "5": 0.4}})
    assert match.rulings[0].verdict == "foul"

    match.correct(1, {"first_contact": {"2": 1.0}})
    assert (match.rulings[0].verdict, match.rulings[0].decided) == ("legal", "")


def test_only_what_is_open_can_be_decided() -> None:
    """A certain shot is corrected by its facts; an unknown word or place in the list is refused."""
    judgement = a_match().rulings[0].judgement
    with pytest.raises(InputError, match="not undecided"):
        decision_of(a_match().rulings[1].judgement, "stands")
    with pytest.raises(InputError, match="word"):
        decision_of(judgement, "maybe")
    with pytest.raises(InputError, match="no choice"):
        decision_of(judgement, "overturned", 0)
