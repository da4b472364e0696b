"""What an official can do, message by message (docs/live-protocol.md): read strictly, checked before it is recorded.

Each action is one function of the session and the message. It raises `InputError` where the message is malformed or what it
asks for cannot be now; nothing has changed then. A person's word is checked against the state as it is, so that it can
never stop the judging of the shot it belongs to.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from calibration.errors import InputError
from referee.decided import decision_of
from referee.given_state import with_given
from referee.layout import open_rack
from referee.live.facts import fixed_fields
from referee.live.match_view import find_options, shot_lines, spots_due
from referee.live.session import Session
from referee.live.shot_clock import extended, set_clock
from referee.live.texts import REFUSED
from referee.log_event import EVENT_TYPES, RECORDS
from referee.match import Difference
from referee.rules.base import State
from referee.rules.codes import CUSHIONS
from referee.rules.games import find_ruleset
from referee.rules.options import read_options
from referee.ruling import PLAYERS, Pair
from referee.scenario import read_call, read_events

Message = Mapping[str, Any]
MOVING = REFUSED["moving"]["en"]
NAME_LENGTH = 40
"""Longest name of a player."""


def carry_out(session: Session, message: Message) -> None:
    """Do what the message asks; on disk and shown when it returns.

    Raises:
        InputError: If it cannot be done; nothing has changed.
        OSError: If the match cannot be written; nothing has changed.
    """
    action = ACTIONS.get(str(message.get("action")))
    if action is None:
        raise InputError(f"action: there is no {str(message.get('action'))[:40]!r}")
    with session.match.lock:
        action(session, message)
        session.turn_changed()
        session.show_match()


def _call(session: Session, message: Message) -> None:
    _refuse_moving(session)
    fields = {key: message[key] for key in ("kind", "ball", "pocket") if key in message}
    read_call(fields, _state(session).balls)
    if fields["kind"] == "push_out" and "DECLARE_PUSH_OUT" not in find_options(session.match)[0]:
        raise InputError("a push-out is not open now")
    session.match.record("call", time_s=_time(session), **fields)


def _frozen(session: Session, message: Message) -> None:
    _refuse_moving(session)
    state = _state(session)
    ball, to = _one_of(message, "ball", state.balls), _one_of(message, "to", (*CUSHIONS, "cue"))
    if session.match.state.state is None:
        raise InputError("nothing has been seen yet; start the rack first")
    others = [item.to_dict() for item in state.frozen if (item.ball, item.to) != (ball, to)]
    session.match.record("state", frozen=[*others, {"ball": ball, "to": to, "declared": True}])


def _choose(session: Session, message: Message) -> None:
    _refuse_moving(session)
    options, chooser = find_options(session.match)
    option, ball = _text(message, "option"), message.get("ball")
    asked = ("EXTENSION", "RESTORE_BALL", "SPOT_NEAREST")  # may be asked for though nobody offers them
    if option not in options and option not in asked:
        raise InputError(f"{option[:40]} is not offered now; there is {', '.join(options) or 'nothing to choose'}")
    by = str(message.get("by", chooser or _state(session).shooter))
    said = option if ball is None else f"{option}:{ball}"
    fields = {"by": by, "option": said}
    _check_event("decision", fields, _state(session))
    session.match.record("decision", time_s=_time(session), **fields)


def _official(session: Session, message: Message) -> None:
    _person(session, "official", {key: message[key] for key in ("fact", "ball", "restorable") if key in message}, message.get("shot"))


def _touch(session: Session, message: Message) -> None:
    _person(session, "touch", {key: message[key] for key in ("ball", "by", "actor", "deliberate") if key in message}, message.get("shot"))


def _interference(session: Session, message: Message) -> None:
    restorable = _flag(message, "restorable", True)
    _person(session, "official", {"fact": "outside_interference", "restorable": restorable}, None)
    if restorable:
        try:
            session.put_back(on=True)
        except InputError:
            return  # nothing was seen yet, so that there is nothing to show


def _decide(session: Session, message: Message) -> None:
    _, ruling, event = _shot(session, message)
    index = message.get("choice")
    if index is not None and (isinstance(index, bool) or not isinstance(index, int)):
        raise InputError("choice: must be a place in the shot's choices")
    decided = decision_of(ruling.judgement, _text(message, "word"), index)
    _corrected(session, lambda: session.match.correct(event, {"decided": decided}))


def _fix(session: Session, message: Message) -> None:
    line, _, event = _shot(session, message)
    facts = message.get("facts")
    if not isinstance(facts, Mapping):
        raise InputError("facts: must be an object")
    fields = fixed_fields(line, facts, find_ruleset(session.match.setup.game).ball_set.balls)
    _corrected(session, lambda: session.match.correct(event, fields))


def _correct(session: Session, message: Message) -> None:
    of = message.get("event")
    if isinstance(of, bool) or not isinstance(of, int):
        raise InputError("event: must be the number of an event")
    target = next((event for event in session.match.events if event.id == of), None)
    if target is None or (target.type in RECORDS and not message.get("void")):
        raise InputError(f"event: {of} cannot be corrected")
    fields, insert = message.get("fields"), message.get("insert")
    if message.get("void") is True:
        _corrected(session, lambda: session.match.correct(of, void=True))
    elif isinstance(insert, Mapping):
        kind = str(insert.get("type"))
        if kind not in EVENT_TYPES or kind in (*RECORDS, "shot"):
            raise InputError(f"insert.type: {kind[:40]!r} cannot be put in")
        _check_fields(session, kind, {key: value for key, value in insert.items() if key != "type"})
        _corrected(session, lambda: session.match.correct(of, insert=insert))
    elif isinstance(fields, Mapping):
        if target.type != "shot":
            _check_fields(session, target.type, {**target.fields, **fields})
        _corrected(session, lambda: session.match.correct(of, fields))
    else:
        raise InputError("correct: needs fields, insert, or void")


def _undo(session: Session, message: Message) -> None:
    _corrected(session, session.match.undo)


def _redo(session: Session, message: Message) -> None:
    _corrected(session, session.match.redo)


def _set_state(session: Session, message: Message) -> None:
    fields = message.get("fields")
    if not isinstance(fields, Mapping) or not fields:
        raise InputError("fields: must be an object")
    _check_fields(session, "state", fields)
    session.match.record("state", **fields)


def _rack(session: Session, message: Message) -> None:
    state = session.match.state.state
    breaker = message.get("breaker") or (None if state is None else state.shooter) or "A"
    session.match.record("rack", breaker=_one_of({"breaker": breaker}, "breaker", PLAYERS))
    session.resume()


def _pause(session: Session, message: Message) -> None:
    session.pause()


def _resume(session: Session, message: Message) -> None:
    session.resume()


def _timeout(session: Session, message: Message) -> None:
    session.pause(_one_of(message, "player", PLAYERS))


def _clock(session: Session, message: Message) -> None:
    limit, extension, each = (message.get(key) for key in ("limit_s", "extension_s", "extensions_each"))
    for key, value in (("limit_s", limit), ("extension_s", extension), ("extensions_each", each)):
        if (value is None and key == "limit_s") or (value is not None and (isinstance(value, bool) or not isinstance(value, int | float))):
            raise InputError(f"clock.{key}: must be a number")
    count = None if each is None else int(each)
    session.set_clock(set_clock(session.shot_clock, limit_s=limit or 0.0, extension_s=extension, each=count))


def _extension(session: Session, message: Message) -> None:
    player = _one_of(message, "player", PLAYERS)
    clock = extended(session.shot_clock, player)
    state = session.match.state.state
    if state is not None and state.clock is not None:  # pyramid: the rules count it (PYR-26.5)
        session.match.record("decision", time_s=_time(session), by=player, option="EXTENSION")
    session.set_clock(clock)


def _setup(session: Session, message: Message) -> None:
    changes: dict[str, Any] = {}
    players, race = message.get("players"), message.get("race")
    if players is not None:
        if not isinstance(players, Mapping) or set(players) != set(PLAYERS):
            raise InputError("players: must be an object with A and B")
        names = [" ".join(str(players[player]).split())[:NAME_LENGTH] for player in PLAYERS]
        if not all(names) or names[0] == names[1]:
            raise InputError("players: two different names")
        changes["players"] = Pair(*names)
    if race is not None:
        if isinstance(race, bool) or not isinstance(race, int):
            raise InputError("race: must be a whole number")
        changes["race"] = race
    if not changes:
        raise InputError("setup: nothing to change")
    _corrected(session, lambda: session.match.change_setup(**changes))


def _house_rule(session: Session, message: Message) -> None:
    key, options = _text(message, "key"), session.match.setup.options
    changed = read_options({**options.to_dict(), key: message.get("value")}, where="house_rule")
    _corrected(session, lambda: session.match.change_setup(options=changed))


def _spot_done(session: Session, message: Message) -> None:
    ball = _one_of(message, "ball", tuple(spots_due(session.match)))
    session.want(replace(session.wanted, spotted=tuple(dict.fromkeys((*session.wanted.spotted, ball)))))


def _put_back(session: Session, message: Message) -> None:
    shot = message.get("shot")
    if shot is not None and (isinstance(shot, bool) or not isinstance(shot, int)):
        raise InputError("shot: must be a number")
    session.put_back(on=_flag(message, "on", True), shot=shot)


def _watch(session: Session, message: Message) -> None:
    session.want(session.wanted.watching(message.get("pairs")))


ACTIONS: Mapping[str, Callable[[Session, Message], None]] = {
    "call": _call,
    "frozen": _frozen,
    "choose": _choose,
    "official": _official,
    "touch": _touch,
    "interference": _interference,
    "decide": _decide,
    "fix": _fix,
    "correct": _correct,
    "undo": _undo,
    "redo": _redo,
    "state": _set_state,
    "start": _rack,
    "next_rack": _rack,
    "pause": _pause,
    "resume": _resume,
    "timeout": _timeout,
    "clock": _clock,
    "extension": _extension,
    "setup": _setup,
    "house_rule": _house_rule,
    "spot_done": _spot_done,
    "put_back": _put_back,
    "watch": _watch,
}
"""Every action; all of them are for officials only."""


def _person(session: Session, kind: str, fields: Mapping[str, Any], shot: Any) -> None:
    """What a person states: of an earlier shot, or of the one under way or next."""
    _check_event(kind, fields, _state(session) if shot is None else _state_before(session, shot))
    if shot is None:
        session.match.record(kind, time_s=_time(session), **fields)
        return
    line, _, event = _shot(session, {"shot": shot})
    insert = {"type": kind, "time_s": line["start_s"], **fields}
    _corrected(session, lambda: session.match.correct(event, insert=insert))


def _corrected(session: Session, change: Callable[[], tuple[Difference, ...]]) -> None:
    before = session.calls()
    session.tell_changes(change(), before)


def _check_fields(session: Session, kind: str, fields: Mapping[str, Any]) -> None:
    """An event of the log that a person writes, against the state as it is."""
    said = {key: value for key, value in fields.items() if key != "time_s"}
    if kind == "call":
        read_call(said, _all_balls(session))
    elif kind == "rack":
        _one_of(said, "breaker", PLAYERS)
    elif kind == "state":
        with_given(find_ruleset(session.match.setup.game), _state(session), said)
    elif kind in ("decision", "official", "touch"):
        _check_event(kind, said, replace(_state(session), balls=_all_balls(session)))


def _check_event(kind: str, fields: Mapping[str, Any], state: State) -> None:
    read_events([{"t": 0.0, "type": kind, **fields}], state, extra_facts=True)


def _state(session: Session) -> State:
    """As it is; before anything was seen, with everything on the table."""
    state = session.match.state.state
    return state if state is not None else open_rack(session.match.setup, None, "A")


def _state_before(session: Session, shot: Any) -> State:
    found = next((ruling.state_before for ruling in session.match.rulings if ruling.number == shot), None)
    if found is None:
        raise InputError(f"shot: there is no shot {str(shot)[:20]}")
    return found


def _all_balls(session: Session) -> tuple[str, ...]:
    return find_ruleset(session.match.setup.game).ball_set.balls


def _shot(session: Session, message: Message) -> tuple[Mapping[str, Any], Any, int]:
    for line, ruling, event, _ in shot_lines(session.match):
        if ruling.number == message.get("shot"):
            return line, ruling, event
    raise InputError(f"shot: there is no shot {str(message.get('shot'))[:20]}")


def _time(session: Session) -> float:
    return round(session.time_s, 3)


def _refuse_moving(session: Session) -> None:
    if session.moving:
        raise InputError(MOVING)


def _text(message: Message, key: str) -> str:
    value = message.get(key)
    if not isinstance(value, str):
        raise InputError(f"{key}: must be a text")
    return value


def _flag(message: Message, key: str, default: bool) -> bool:
    value = message.get(key, default)
    if not isinstance(value, bool):
        raise InputError(f"{key}: must be true or false")
    return value


def _one_of(message: Message, key: str, allowed: tuple[str, ...]) -> str:
    value = message.get(key)
    if value not in allowed or not isinstance(value, str):
        raise InputError(f"{key}: must be one of {', '.join(allowed) or 'none now'}, found {str(value)[:20]!r}")
    return value
