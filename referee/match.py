"""A match is a log: append-only events, and a state that is a fold over them; plain module.

    MatchState   what the events so far add up to
    Match        the log and its state together, for those who write it

Events (`referee.log_event`): `rack` (who breaks), `state` (what a person says of it), `call`, `decision`, `official`,
`touch` (rules.md section 0.1, `time_s` on the recording's clock), `shot` (a shot line), `ruling` (what was said then),
`correction`. A correction names an earlier event and gives new fields for it, makes it void, or puts another before it;
nothing is erased, and all after it is judged again.

While a shot is undecided the fold goes on with the rule book's default, and what follows is provisional; a verdict that
the decision would change is undecided with it (`referee.unsettled`). The layout seen before a shot has the last word on
which balls are there; where it contradicts the log, both are judged, and only a ruling that holds for both is stated.
What had to be assumed is listed, never silent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from calibration.equipment import TableSpec, find_table
from calibration.errors import InputError
from referee.alike import on_table
from referee.calls import PersonEvent
from referee.decided import with_decision
from referee.given_state import with_given
from referee.judging import Said, judge_in, person_event
from referee.layout import open_rack
from referee.ledger import Ledger, after_shot, between, racked
from referee.log_event import LogEvent, corrected, find_redone, find_undone
from referee.match_setup import NO_RACE, USUAL_RACE, MatchSetup
from referee.readings import CERTAIN_AT
from referee.rules.base import Call, Case, State, next_state
from referee.rules.games import find_ruleset
from referee.rules.options import Options
from referee.ruling import Pair, Ruling
from referee.scenario import read_call
from referee.shot_ruling import ShotRuling
from referee.unsettled import Otherwise, judge_otherwise, left_open, onward, weighed
from tracker.shot import Shot


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """What the events so far add up to.

    Attributes:
        state: Before the next stroke; None until a rack or a shot says what is on the table.
        provisional: An earlier shot is undecided, and everything since stands on its default.
        others: What would hold instead had it been decided otherwise.
        people: Touches and official facts that wait for their shot.
        rulings: On every shot, in order.
        assumed: What had to be taken for granted.
        given: Fields of the first state that people gave before anything was seen.
        ledger: The score, a line a shot, with what must be missing.
    """

    state: State | None = None
    provisional: bool = False
    others: tuple[Otherwise, ...] = ()
    people: tuple[LogEvent, ...] = ()
    call: Call | None = None
    rulings: tuple[ShotRuling, ...] = ()
    assumed: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A shot that is ruled otherwise than before.

    Attributes:
        shot: Its number.
        was: The ruling before, as in a review.
        now: The ruling now.
    """

    shot: int
    was: Mapping[str, Any]
    now: Mapping[str, Any]

    @property
    def fields(self) -> tuple[str, ...]:
        """What differs: `verdict`, `turn`, ..."""
        return tuple(name for name in COMPARED if self.was.get(name) != self.now.get(name))

    def to_dict(self) -> dict[str, Any]:
        """As `cueref rejudge --json` prints it."""
        return {
            "shot": self.shot,
            "fields": list(self.fields),
            "was": {name: self.was.get(name) for name in self.fields},
            "now": {name: self.now.get(name) for name in self.fields},
        }


COMPARED = ("verdict", "default", "foul_codes", "pocketed", "off_table", "turn", "result", "provisional")
"""What makes two rulings different; wording, clauses cited and the smaller readings do not."""


def fold(setup: MatchSetup, events: Iterable[LogEvent]) -> MatchState:
    """The state after all events, corrections applied where they belong."""
    state = MatchState(assumed=setup.assumed)
    for event in corrected(tuple(events)):
        state = step(setup, state, event)
    return state


def step(setup: MatchSetup, match: MatchState, event: LogEvent) -> MatchState:
    """The state after one more event; a ruling in the log is a record of what was said and changes nothing."""
    if event.type == "rack":
        breaker = str(event.fields["breaker"])
        return replace(
            match,
            state=open_rack(setup, match.state, breaker),
            others=onward(match.others, lambda state: open_rack(setup, state, breaker)),
            ledger=racked(match.ledger, match.state, breaker),
        )
    if event.type == "state":
        return _given(setup, match, event)
    if event.type == "call":
        return _called(match, event)
    if event.type == "decision":
        return _decided(setup, match, event)
    if event.type in ("official", "touch"):
        return replace(match, people=(*match.people, event))
    if event.type != "shot":
        return match
    line = event.fields["shot"]
    return _shot(setup, match, Shot.from_dict(line), line.get("decided"))


class Match:
    """A log and its state. `record_*` and `correct` append; nothing else changes it."""

    def __init__(self, setup: MatchSetup, events: Iterable[LogEvent] = ()) -> None:
        """A match of that setup, with the events of its log so far."""
        find_ruleset(setup.game)
        self.setup = setup
        self._events = list(events)
        self._state = fold(setup, self._events)

    @classmethod
    def start(
        cls,
        game: str,
        *,
        players: tuple[str, str] = ("A", "B"),
        race: int | None = None,
        options: Options | None = None,
        table: TableSpec | None = None,
        referee: bool = True,
        certain_at: float = CERTAIN_AT,
        ends_known: bool = True,
        assume_calls: bool = False,
        assumed: Sequence[str] = (),
    ) -> "Match":
        """A new match; what is not given is taken as usual and listed in `assumed`.

        Raises:
            InputError: If the game is not built, or the race is not a number above 0.
        """
        notes = list(assumed)
        if race is None:
            race = USUAL_RACE.get(game, NO_RACE)
            notes.append("race: none agreed, no match end is called" if race == NO_RACE else f"race: {race}")
        if race < 1:
            raise InputError(f"race must be 1 or more, found {race}")
        spec = table or find_table(find_ruleset(game).table_name)
        setup = MatchSetup(
            game=game,
            players=Pair(*players),
            race=race,
            options=options or Options(),
            referee=referee,
            certain_at=certain_at,
            table=spec,
            ends_known=ends_known,
            assume_calls=assume_calls,
            assumed=tuple(notes),
        )
        return cls(setup)

    @property
    def events(self) -> tuple[LogEvent, ...]:
        """The log."""
        return tuple(self._events)

    @property
    def state(self) -> MatchState:
        """What the log adds up to."""
        return self._state

    @property
    def score(self) -> dict[str, int]:
        """Racks or points of A and B."""
        state = self._state.state
        return {"A": 0, "B": 0} if state is None else state.scores.to_dict()

    @property
    def rulings(self) -> tuple[ShotRuling, ...]:
        """On every shot so far, as they stand now."""
        return self._state.rulings

    @property
    def shot_count(self) -> int:
        """Shots recorded so far."""
        return sum(event.type == "shot" for event in self._events)

    @property
    def assumed(self) -> tuple[str, ...]:
        """What had to be taken for granted so far."""
        return self._state.assumed

    def record(self, kind: str, /, **fields: Any) -> None:
        """Append an event other than a shot, ruling or correction.

        Raises:
            InputError: If it cannot be what it says; nothing is appended then.
        """
        self._append([LogEvent(id=self._next_id(), type=kind, fields=fields)])

    def record_shot(self, shot: Shot, people: Sequence[PersonEvent] = ()) -> ShotRuling:
        """Append a shot with what people said about it before, and the ruling on it; gives the ruling.

        Raises:
            InputError: If something people said cannot be; nothing is appended then.
        """
        said = [(event.type, {"time_s": event.time_s, **event.fields}) for event in people]
        first = self._next_id()
        new = [LogEvent(id=first + index, type=kind, fields=fields) for index, (kind, fields) in enumerate(said)]
        new.append(LogEvent(id=first + len(new), type="shot", fields={"shot": shot.to_dict()}))
        self._append(new)
        ruling = self._state.rulings[-1]
        self._events.append(_ruling_event(self._next_id(), ruling))
        return ruling

    def undo(self) -> tuple[Difference, ...]:
        """Take back the last event or correction that stands, by a correction; once more takes back the one before.

        What a review adds with a shot (calls, touches) are events of their own.

        Raises:
            InputError: If nothing is left to take back.
        """
        last = find_undone(self._events)
        if last is None:
            raise InputError("nothing is left to undo")
        return self._correct({"of": last.id, "void": True, "undo": True})

    def redo(self) -> tuple[Difference, ...]:
        """Bring back what the last undo took, where nothing was recorded since.

        Raises:
            InputError: If there is nothing to bring back.
        """
        last = find_redone(self._events)
        if last is None:
            raise InputError("nothing is left to redo")
        return self._correct({"of": last.id, "void": True, "redo": True})

    def correct(
        self, of: int, fields: Mapping[str, Any] | None = None, *, void: bool = False, insert: Mapping[str, Any] | None = None
    ) -> tuple[Difference, ...]:
        """Append a correction of an earlier event, judge everything after it again and append what is now ruled.

        Args:
            of: Id of the event.
            fields: New fields for it; for a shot, fields of its shot line.
            void: It did not happen.
            insert: An event with its `type` that nobody recorded, to stand just before it.

        Raises:
            InputError: If there is no such event or it would no longer make sense; the match is then unchanged.
        """
        if all(event.id != of for event in self._events):
            raise InputError(f"there is no event {of} in the log to correct")
        change: dict[str, Any] = {"of": of, "void": True} if void else {"of": of, "fields": dict(fields or {})}
        if insert is not None:
            change = {"of": of, "insert": dict(insert)}
        return self._correct(change)

    def _correct(self, change: Mapping[str, Any]) -> tuple[Difference, ...]:
        before = {ruling.number: ruling.to_dict() for ruling in self._state.rulings}
        events = [*self._events, LogEvent(id=self._next_id(), type="correction", fields=change)]
        state = fold(self.setup, events)
        self._events, self._state = events, state
        changed = find_differences(before, state.rulings)
        by_number = {ruling.number: ruling for ruling in state.rulings}
        for difference in changed:
            if difference.shot in by_number:
                self._events.append(_ruling_event(self._next_id(), by_number[difference.shot]))
        return changed

    def _append(self, events: Sequence[LogEvent]) -> None:
        state = self._state
        for event in events:
            state = step(self.setup, state, event)
        self._events += events
        self._state = state

    def _next_id(self) -> int:
        return self._events[-1].id + 1 if self._events else 1


def find_differences(before: Mapping[int, Mapping[str, Any]], now: Iterable[ShotRuling]) -> tuple[Difference, ...]:
    """The shots that are ruled otherwise than before, in order; one that is gone has an empty `now`."""
    after = {ruling.number: ruling.to_dict() for ruling in now}
    numbers = sorted({*before, *after})
    pairs = [Difference(shot=number, was=before.get(number, {}), now=after.get(number, {})) for number in numbers]
    return tuple(difference for difference in pairs if difference.fields)


def recorded_rulings(events: Iterable[LogEvent]) -> dict[int, Mapping[str, Any]]:
    """What the log last said about each shot, by its number."""
    return {int(event.fields["number"]): event.fields for event in events if event.type == "ruling"}


def _ruling_event(number: int, ruling: ShotRuling) -> LogEvent:
    return LogEvent(id=number, type="ruling", fields={"number": ruling.number, **ruling.to_dict()})


def _given(setup: MatchSetup, match: MatchState, event: LogEvent) -> MatchState:
    """A person says how things stand."""
    fields = {key: value for key, value in event.fields.items() if key != "time_s"}
    if match.state is None:
        return replace(match, given={**match.given, **fields})
    rules = find_ruleset(setup.game)
    try:
        given = with_given(rules, match.state, fields)
    except InputError as error:
        raise InputError(f"state in log event {event.id}: {error}") from error
    return replace(match, state=given, others=onward(match.others, lambda state: with_given(rules, state, fields)))


def _called(match: MatchState, event: LogEvent) -> MatchState:
    data = {key: value for key, value in event.fields.items() if key != "time_s"}
    try:
        return replace(match, call=read_call(data, None))
    except InputError as error:
        raise InputError(f"call in log event {event.id}: {error}") from error


def _decided(setup: MatchSetup, match: MatchState, event: LogEvent) -> MatchState:
    """A choice between strokes; a push-out is declared for the next stroke and waits for it as a call does."""
    if event.fields.get("option") == "DECLARE_PUSH_OUT":
        return replace(match, call=Call(kind="push_out"))
    if match.state is None:
        return replace(match, assumed=(*match.assumed, f"decision {event.fields.get('option')} before anything was seen: left out"))
    rules, state = find_ruleset(setup.game), match.state

    def chosen(state: State) -> Ruling:
        said = replace(event, fields=on_table(rules, state, event.fields))
        return rules.judge(Case(state=state, events=(person_event(said, state, 0.0),), options=setup.options))

    ruling = chosen(state)
    return replace(
        match,
        state=next_state(rules, state, ruling),
        others=onward(match.others, lambda other: next_state(rules, other, chosen(other))),
        ledger=between(match.ledger, ruling),
    )


def _shot(setup: MatchSetup, match: MatchState, shot: Shot, decided: Mapping[str, Any] | None) -> MatchState:
    """Judge one shot against what the log and the layout say was there, or take what a person decided, and go on from it."""
    said = Said(call=match.call, people=match.people, given=match.given if match.state is None else {})
    found = judge_in(setup, match.state, shot, said, provisional=match.provisional)
    others = judge_otherwise(setup, match.others, shot, said)
    judgement, word = with_decision(weighed(found.judgement, others, certain_at=setup.certain_at), decided)
    ruling = ShotRuling.of(shot, found.state, judgement, notes=found.notes, provisional=match.provisional, decided=word)
    new = [note for note in found.notes if note not in match.assumed]
    after = next_state(find_ruleset(setup.game), found.state, judgement.ruling)
    is_known = not match.rulings or match.rulings[-1].certain
    return MatchState(
        state=after,
        provisional=match.provisional or not judgement.certain,
        others=left_open(setup, found.state, judgement if word else found.judgement, shot.number, others, after),
        rulings=(*match.rulings, ruling),
        assumed=(*match.assumed, *new),
        ledger=after_shot(setup, match.ledger, match.state, found.state, shot, judgement.ruling, after, is_known=is_known),
    )
