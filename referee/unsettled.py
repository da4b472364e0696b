"""What an undecided shot leaves open for those after it; plain module.

Until a person decides, the match goes on with the rule book's default and all that follows is provisional: who shoots
and the score may still change. What is said of a later shot must not: the same stroke can be legal or a foul, and a ball
that falls can end the rack or not, by whether the cue ball was in hand, a push-out open, a foul the third. So the states
that the other possible rulings leave are carried along with their probabilities, and a later shot is judged in each. Its
ruling is certain only where those in which it is the same add up to `certain_at`.

A choice that people made between strokes is taken into every state; one in which it cannot be made is dropped, for they
would not have made it. So is one in which the match is over: whoever plays on plays for the case that it is not.

Fails: of many open decisions only the likeliest `MOST` states are carried, and what is undecided in one of these is
taken by its default there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from calibration.errors import InputError
from referee.decided import choices
from referee.judging import Judged, Said, judge_in
from referee.match_setup import MatchSetup
from referee.readings import JudgedReading, Judgement
from referee.rules.base import State, next_state
from referee.rules.games import find_ruleset
from referee.ruling import Reason, Ruling
from tracker.shot import Shot

MOST = 4
"""States carried beside the default's: each costs another judging of every shot, some ten milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Otherwise:
    """A state that would hold had a shot been decided otherwise.

    Attributes:
        state: Before the next stroke.
        p: Its probability; what all of them leave of 1 is the default's.
        shot: The undecided shot.
    """

    state: State
    p: float
    shot: int


def onward(others: Sequence[Otherwise], change: Callable[[State], State]) -> tuple[Otherwise, ...]:
    """The states after something that happened between strokes; those in which it cannot have happened are dropped."""
    kept = []
    for other in others:
        try:
            kept.append(replace(other, state=change(other.state)))
        except InputError:
            continue
    return tuple(kept)


def judge_otherwise(setup: MatchSetup, others: Sequence[Otherwise], shot: Shot, said: Said) -> tuple[tuple[Otherwise, Judged], ...]:
    """The shot judged in each of the other states."""
    judged = []
    for other in others:
        try:
            judged.append((other, judge_in(setup, other.state, shot, said, provisional=True)))
        except InputError:
            continue
    return tuple(judged)


def weighed(judgement: Judgement, others: Sequence[tuple[Otherwise, Judged]], *, certain_at: float) -> Judgement:
    """The judgement, undecided where it hangs on an earlier shot that is.

    Args:
        judgement: In the state that the defaults leave.
        others: In the other states.
        certain_at: Probability from which a ruling is stated.
    """
    if not judgement.certain:
        return judgement
    said = _outcome(judgement.ruling)
    differing = [(other, found.judgement) for other, found in others if _outcome(found.judgement.ruling) != said]
    if sum(other.p for other, _ in differing) <= 1 - certain_at:
        return judgement
    share = 1 - sum(other.p for other, _ in differing)
    shots = dict.fromkeys(other.shot for other, _ in differing)
    question = (Reason("earlier_call", (), {"shots": ", ".join(map(str, shots))}),)
    first = judgement.readings[0]
    readings: list[JudgedReading] = [replace(first, p=share, ruling=judgement.ruling, question=question, candidates=())]
    for other, found in differing:
        example = found.readings[0].example
        readings.append(JudgedReading(p=other.p, ruling=found.ruling, example=example, question=question))
    return Judgement(certain=False, ruling=judgement.ruling, readings=tuple(readings))


def left_open(
    setup: MatchSetup, before: State, judgement: Judgement, number: int, others: Sequence[tuple[Otherwise, Judged]], after: State
) -> tuple[Otherwise, ...]:
    """The other states after a shot, the likeliest first.

    Args:
        setup: The match.
        before: The state it was judged in.
        judgement: On it in that state, or as a person decided it.
        number: Its number.
        others: It judged in the other states.
        after: The state that the default leaves; equal ones are no other.
    """
    rules = find_ruleset(setup.game)
    main_p = 1 - sum(other.p for other, _ in others)
    found = [
        replace(other, state=next_state(rules, judged.state, judged.judgement.ruling))
        for other, judged in others
        if not judged.judgement.ruling.match_over
    ]
    possible = [item for item in choices(judgement) if item.word != "too_close"]
    total = sum(item.p for item in possible)
    for item in possible[1:]:
        if item.ruling.match_over:
            continue
        share = item.p / total if total > 0 else 1 / len(possible)
        found.append(Otherwise(state=next_state(rules, before, item.ruling), p=main_p * share, shot=number))
    found = [other for other in found if other.state != after and other.p > 0]
    return tuple(sorted(found, key=lambda other: -other.p)[:MOST])


def _outcome(ruling: Ruling) -> tuple[object, ...]:
    """What is said of a shot whatever the score and whoever shot."""
    return ruling.foul, ruling.foul_codes, ruling.rack_over, ruling.match_over
