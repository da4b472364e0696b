"""Shots after one that is undecided: certain where every decision leaves the same call, undecided with it where not."""

from typing import Any

from referee.decided import decision_of
from referee.match import Match
from tracker.shot import Shot

LAYOUT = {"cue": (-0.9, 0.1), "1": (-0.6, 0.3), "2": (-0.4, 0.3), "5": (0.1, 0.3), "9": (0.8, 0.3)}


def a_shot(number: int, **first: float) -> Shot:
    """A stroke that drives a ball to a cushion; `b1=0.6, b2=0.4` is who was met first, the 1 is on."""
    line: dict[str, Any] = {"format": "cueref.shot/1", "number": number, "start_s": 20.0 * number, "end_s": 20.0 * number + 5}
    line |= {"cue_ball": "cue", "complete": True, "before": LAYOUT, "after": {}}
    line |= {"events": [{"t": 0.0, "type": "cue_contact"}, {"t": 1.0, "type": "ball_cushion", "ball": "1", "cushion": "foot"}]}
    line |= {"first_contact": {ball.removeprefix("b"): p for ball, p in first.items()}}
    return Shot.from_dict({**line, "rail_before_contact": 0.0, "rail_after_contact": 1.0})


def a_match(split: float) -> Match:
    """Player A, on one foul, meets the 1 or (with the rest of the chance) the 2 first, B plays well, A meets the 2 first."""
    match = Match.start("nine_ball", race=3)
    match.record("state", shooter="A", phase="normal", consecutive_fouls={"A": 1, "B": 0})
    match.record_shot(a_shot(1, b1=split, b2=1 - split))
    match.record_shot(a_shot(2, b1=1.0))
    match.record_shot(a_shot(3, b2=1.0))
    return match


def test_a_foul_that_may_be_the_third_is_not_called_before_it_is_known_whether_there_was_a_second() -> None:
    """The stroke between is legal whatever is decided; the foul after it ends the rack or not by that decision."""
    match = a_match(0.6)
    second, third = match.rulings[1:]

    assert (second.verdict, second.provisional) == ("legal", True)
    assert (third.verdict, third.judgement.default, third.foul_codes) == ("undecided", "foul", ("WRONG_FIRST",))
    assert third.reasons[0] == "Not established: what is decided on shot 1."
    assert [(round(reading.p, 2), reading.ruling is not None and reading.ruling.rack_over) for reading in third.judgement.readings] == [
        (0.6, False),
        (0.4, True),
    ]


def test_the_decision_settles_what_hung_on_it() -> None:
    """Overturned, the foul is the third and the rack is over; it stands, and it is the first."""
    for word, rack_over in (("overturned", True), ("stands", False)):
        match = a_match(0.6)
        changed = match.correct(2, {"decided": decision_of(match.rulings[0].judgement, word)})

        assert (match.rulings[2].verdict, match.rulings[2].ruling.rack_over) == ("foul", rack_over)
        assert not match.rulings[2].provisional
        assert 3 in [difference.shot for difference in changed]


def test_what_is_known_well_enough_holds_back_nothing() -> None:
    """With 0.995 for the 1 the first stroke is certain, and so is all that follows."""
    assert [ruling.verdict for ruling in a_match(0.995).rulings] == ["legal", "legal", "foul"]


def test_a_match_that_one_decision_would_have_ended_goes_on_for_all_that_follow() -> None:
    """Race to 1: the third foul would have ended the match, so that call waits; the strokes after it do not."""
    match = Match.start("nine_ball", race=1)
    match.record("state", shooter="A", phase="normal", consecutive_fouls={"A": 1, "B": 0})
    match.record_shot(a_shot(1, b1=0.6, b2=0.4))
    match.record_shot(a_shot(2, b1=1.0))
    match.record_shot(a_shot(3, b2=1.0))
    match.record_shot(a_shot(4, b1=1.0))

    assert [ruling.verdict for ruling in match.rulings] == ["undecided", "legal", "undecided", "legal"]
    assert all(ruling.provisional for ruling in match.rulings[1:])


def test_what_people_said_between_strokes_counts_in_every_state() -> None:
    """An official gives A no fouls: whatever is decided on the first stroke, the third is A's first foul."""
    match = Match.start("nine_ball", race=3)
    match.record("state", shooter="A", phase="normal", consecutive_fouls={"A": 1, "B": 0})
    match.record_shot(a_shot(1, b1=0.6, b2=0.4))
    match.record_shot(a_shot(2, b1=1.0))
    match.record("state", time_s=55.0, consecutive_fouls={"A": 0, "B": 0})
    match.record_shot(a_shot(3, b2=1.0))

    assert match.rulings[2].verdict == "foul"
    assert match.rulings[2].provisional
