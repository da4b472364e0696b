"""One shot judged from one state of the log, with what the layout and people say beside it; plain module."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from calibration.errors import InputError
from referee.given_state import with_given, without_assumed
from referee.layout import find_states
from referee.log_event import LogEvent
from referee.match_setup import MatchSetup
from referee.missing_call import assumed_call, possible_calls
from referee.readings import Judgement, judge_shot
from referee.rules.base import Call, State
from referee.rules.games import find_ruleset
from referee.scenario import read_events
from tracker.shot import Shot, ShotEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What people said that waits for a shot.

    Attributes:
        call: The ball and pocket, safety or push-out called.
        people: Touches and official facts.
        given: Fields of the first state that people gave before anything was seen.
    """

    call: Call | None = None
    people: Sequence[LogEvent] = ()
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A shot judged.

    Attributes:
        state: The likeliest state before it; where the ruling holds in all, the one with most balls: what the log knows of and
            the layout lacks is not lost for the shots to come.
        judgement: The ruling with its doubt.
        notes: What had to be assumed.
    """

    state: State
    judgement: Judgement
    notes: tuple[str, ...]


def judge_in(setup: MatchSetup, state: State | None, shot: Shot, said: Said, *, provisional: bool) -> Judged:
    """Judge a shot against what the log and the layout say was there.

    Args:
        setup: The match.
        state: By the log; None at its beginning.
        shot: Its facts.
        said: What people said before it.
        provisional: The log stands on an undecided shot.

    Raises:
        InputError: If what people said cannot be in that state.
    """
    rules = find_ruleset(setup.game)
    states, notes = find_states(setup, state, shot, provisional=provisional)
    if said.given:
        states, notes = [with_given(rules, item, said.given) for item in states], without_assumed(notes, said.given)
    call = said.call
    if call is None and setup.assume_calls and (call := assumed_call(setup.game, shot)) is not None:
        notes.append(f"call: the {call.ball} in {call.pocket} at shot {shot.number}, because it fell")
    states = [
        replace(item, call=possible) for item in states for possible in possible_calls(setup.game, call, shot, ends_known=setup.ends_known)
    ]
    people = tuple(person_event(event, states[0], shot.start_s) for event in said.people)
    judgement = judge_shot(rules, states, shot, people=people, options=setup.options, certain_at=setup.certain_at)
    before = max(states, key=lambda item: len(item.balls)) if judgement.certain else states[0]
    return Judged(state=before, judgement=judgement if setup.ends_known else _without_ends(judgement), notes=tuple(notes))


def person_event(event: LogEvent, state: State, start_s: float) -> ShotEvent:
    """A person's event as one of the case, its time counted from the tip contact.

    Raises:
        InputError: If it cannot be in that state.
    """
    data = {key: value for key, value in event.fields.items() if key != "time_s"}
    t = float(event.fields.get("time_s", start_s)) - start_s
    try:
        return read_events([{"t": t, "type": event.type, **data}], state, extra_facts=True)[0]
    except InputError as error:
        raise InputError(f"{event.type} in log event {event.id}: {error}") from error


def _without_ends(judgement: Judgement) -> Judgement:
    """Nothing that hangs on head and foot is stated where these were named by convention only."""
    return replace(judgement, ruling=replace(judgement.ruling, spotted_pos=None, spotted_slots=None))
