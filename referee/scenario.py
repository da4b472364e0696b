"""Reading worked cases (rules.md section 0): strict, one line per fault, `FIELD: what`; plain module.

Nothing is guessed: an unknown field, a value outside its closed list, a ball that acts after it fell, balls that lie in
each other are all refused, because a case misread would be judged confidently and wrongly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from calibration.equipment import TableSpec, find_table
from calibration.errors import InputError
from referee.rules.base import CUE_STATES, PHASES, Call, Case, Clock, Frozen, State
from referee.rules.codes import CUSHIONS, EVENT_FIELDS, EXPECT_FIELDS, EXTRA_FACTS, FIELD_VALUES, OPTION_CODES, PLAYERS, POCKETS
from referee.rules.games import find_ruleset
from referee.rules.options import read_options
from referee.rules.pyramid import Pyramid
from referee.ruling import Pair
from tracker.shot import ShotEvent

SCENARIO_FIELDS = ("id", "game", "title", "story", "clause_ids", "doubtful", "basis", "rules_options", "before", "events", "expect")
REQUIRED_BEFORE = ("table", "shooter", "phase", "balls", "cue_ball", "cue_state", "scores", "target")
OPTIONAL_BEFORE = (
    "positions",
    "consecutive_fouls",
    "warned",
    "referee",
    "call",
    "frozen",
    "near_rail",
    "clock",
    "rack_pocketed",
    "apex_vacant",
    "last_breaker",
    "removal_pending",
    "striker",
)
OVERLAP_M = 0.001
"""Balls whose centres are nearer than a diameter less this lie in each other: files round positions to 1 mm at worst."""

MOTION = ("ball_ball", "ball_cushion", "pocketed", "off_table", "centre_line", "head_line", "rail_top", "pocket_rebound")
"""Events of a ball that moves."""
SETS_IN_MOTION = ("cue_contact", "touch", "official", "spontaneous_drop")
"""Events that can have set a ball in motion, or say that one was (`balls_moving`)."""

LIPS = {"head": ("HL", "HR"), "foot": ("FL", "FR"), "left": ("HL", "SL", "FL"), "right": ("HR", "SR", "FR")}
"""The pockets whose lip each cushion has at its ends and in the middle."""

MAX_FOULS = 2
"""A third foul in a row ends in a penalty and clears the count, so no state holds more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One worked case.

    Attributes:
        id: As in the file.
        game: Name of the game.
        case: What is judged.
        expect: The expected fields; None where the file gives none. Read only.
    """

    id: str
    game: str
    case: Case
    expect: Mapping[str, Any] | None


def read_scenario(data: Mapping[str, Any], defaults: Mapping[str, Any]) -> Scenario:
    """The case of one scenario object, with the file's defaults for the options it does not set.

    Raises:
        InputError: `FIELD: what`.
    """
    _refuse_unknown(data, SCENARIO_FIELDS, "")
    for key in ("game", "before", "events"):
        if key not in data:
            raise InputError(f"{key}: missing")
    game = data["game"]
    rules = find_ruleset(game)
    given = _mapping(data.get("rules_options", {}), "rules_options")
    options = read_options({**defaults, **given})
    state = read_state(_mapping(data["before"], "before"))
    rules.check(state)
    if isinstance(rules, Pyramid):
        rules.check_ledger(state)
    expect = data.get("expect")
    if expect is not None:
        _refuse_unknown(_mapping(expect, "expect"), EXPECT_FIELDS, "expect.")
    events = read_events(data["events"], state)
    _refuse_unmoved_motion(events)
    case = Case(state=state, events=events, options=options)
    return Scenario(id=str(data.get("id")), game=game, case=case, expect=expect)


def read_state(data: Mapping[str, Any]) -> State:
    """The state of a "before" object.

    Raises:
        InputError: `before.FIELD: what`.
    """
    _refuse_unknown(data, REQUIRED_BEFORE + OPTIONAL_BEFORE, "before.")
    for key in REQUIRED_BEFORE:
        if key not in data:
            raise InputError(f"before.{key}: missing")
    try:
        table = find_table(str(data["table"]))
    except InputError as error:
        raise InputError(f"before.table: {error}") from error
    balls = _balls(data["balls"])
    cue_ball = _one_of(data["cue_ball"], balls, "before.cue_ball")
    scores, target = _pair(data["scores"], "before.scores", int), data["target"]
    if not _is_int(target) or target < 1:
        raise InputError(f"before.target: must be a whole number above 0, found {target!r}")
    if max(scores.a, scores.b) >= target:
        raise InputError(f"before.scores: {max(scores.a, scores.b)} reaches the target {target}, so the match is over")
    fouls = _pair(data.get("consecutive_fouls", {"A": 0, "B": 0}), "before.consecutive_fouls", int)
    if not all(0 <= count <= MAX_FOULS for count in (fouls.a, fouls.b)):
        raise InputError(f"before.consecutive_fouls: must be 0 to {MAX_FOULS}, found {fouls.to_dict()}")
    return State(
        table=table,
        shooter=_one_of(data["shooter"], PLAYERS, "before.shooter"),
        phase=_one_of(data["phase"], PHASES, "before.phase"),
        balls=balls,
        cue_ball=cue_ball,
        cue_state=_one_of(data["cue_state"], CUE_STATES, "before.cue_state"),
        positions=_positions(data.get("positions", {}), balls, table, "before.positions"),
        scores=scores,
        target=target,
        consecutive_fouls=fouls,
        warned=_pair(data.get("warned", {"A": False, "B": False}), "before.warned", bool),
        referee=_bool(data.get("referee", True), "before.referee"),
        call=read_call(data.get("call"), balls),
        frozen=_frozen(data.get("frozen", []), balls),
        near_rail=_near_rail(data.get("near_rail", {}), balls),
        clock=_clock(data.get("clock")),
        rack_pocketed=_optional_int(data.get("rack_pocketed"), "before.rack_pocketed"),
        apex_vacant=None if data.get("apex_vacant") is None else _bool(data["apex_vacant"], "before.apex_vacant"),
        last_breaker=None if data.get("last_breaker") is None else _one_of(data["last_breaker"], PLAYERS, "before.last_breaker"),
        removal_pending=None if data.get("removal_pending") is None else _bool(data["removal_pending"], "before.removal_pending"),
        striker=None if data.get("striker") is None else _one_of(data["striker"], PLAYERS, "before.striker"),
    )


def read_events(data: Any, state: State, *, extra_facts: bool = False) -> tuple[ShotEvent, ...]:
    """The events of a case, checked against the state they follow.

    Raises:
        InputError: `events[N].FIELD: what`.
    """
    if not isinstance(data, list):
        raise InputError(f"events: must be a list, found {type(data).__name__}")
    events: list[ShotEvent] = []
    gone: set[str] = set()
    for index, item in enumerate(data):
        where = f"events[{index}]"
        event = _event(_mapping(item, where), where, state, extra_facts=extra_facts)
        if events and event.t < events[-1].t:
            raise InputError(f"{where}.t: {event.t} lies before the event in front of it, {events[-1].t}")
        if event.type in MOTION:
            for key in ("a", "b", "ball"):
                if event.fields.get(key) in gone:
                    raise InputError(f"{where}.{key}: ball {event.fields[key]} has left the table before")
        if event.type == "spontaneous_drop" or _has_left(event):
            gone.add(event.fields["ball"])
        events.append(event)
    return tuple(events)


def _refuse_unmoved_motion(events: Sequence[ShotEvent]) -> None:
    """A shot by nobody, a ball that moves on after all have stopped, a fallen ball that lies on the table, a lip of another
    cushion."""
    is_moved = is_stopped = False
    gone: set[str] = set()
    for index, event in enumerate(events):
        if event.type in SETS_IN_MOTION:
            is_moved = True
        elif event.type in MOTION and not is_moved:
            why = "after all balls have stopped" if is_stopped else "before the tip has met a ball: a shot by nobody"
            raise InputError(f"events[{index}].type: {event.type} {why}")
        elif event.type == "stop":
            lying = next((ball for ball in event.fields.get("positions", {}) if ball in gone), None)
            if lying is not None:
                raise InputError(f"events[{index}].positions.{lying}: the ball has left the table before")
            is_moved, is_stopped = False, True
        if event.fields.get("jaw") and event.fields["jaw"] not in LIPS[event.fields["cushion"]]:
            raise InputError(f"events[{index}].jaw: pocket {event.fields['jaw']} does not lie at the {event.fields['cushion']} cushion")
        if _has_left(event):
            gone.add(event.fields["ball"])


def _has_left(event: ShotEvent) -> bool:
    """The ball is on the bed no more; one that touched something foreign and came back may still hit, fall and lie."""
    return event.type == "pocketed" or (event.type == "off_table" and event.fields.get("where") != "object_return")


def _event(data: Mapping[str, Any], where: str, state: State, *, extra_facts: bool) -> ShotEvent:
    kind = data.get("type")
    if not isinstance(kind, str) or kind not in EVENT_FIELDS:
        raise InputError(f"{where}.type: unknown event {kind!r}")
    required, optional = EVENT_FIELDS[kind]
    _refuse_unknown(data, ("t", "type", *required, *optional), f"{where}.")
    for key in ("t", *required):
        if key not in data:
            raise InputError(f"{where}.{key}: missing")
    if not _is_number(data["t"]):
        raise InputError(f"{where}.t: must be seconds, found {data['t']!r}")
    fields = {key: value for key, value in data.items() if key not in ("t", "type")}
    for key, value in fields.items():
        _check_field(kind, key, value, f"{where}.{key}", state, extra_facts=extra_facts)
    if kind == "ball_ball" and fields["a"] == fields["b"]:
        raise InputError(f"{where}.b: a ball cannot hit itself")
    return ShotEvent(t=float(data["t"]), type=kind, fields=fields)


def _check_field(kind: str, key: str, value: Any, where: str, state: State, *, extra_facts: bool) -> None:
    if key in ("a", "b", "ball"):
        hanging = kind == "spontaneous_drop"  # a ball that hung may have been counted as down already
        if value not in state.balls and not (hanging and isinstance(value, str)):
            raise InputError(f"{where}: ball {value!r} is not on the table")
    elif kind == "decision" and key == "by":
        _one_of(value, PLAYERS, where)
    elif kind == "decision" and key == "option":
        _one_of(str(value).split(":")[0], OPTION_CODES, where)
    elif key == "fact" and extra_facts:
        _one_of(value, FIELD_VALUES["fact"] + EXTRA_FACTS, where)
    elif key in FIELD_VALUES:
        _one_of(value, FIELD_VALUES[key], where)
    elif key in ("second", "from_frozen", "deliberate", "during_shot", "would_be_hit", "restorable", "acknowledged"):
        _bool(value, where)
    elif key == "pos":
        _place(value, where)
    elif key == "positions":
        _positions(value, state.balls, state.table, where)
    elif key == "rest_s" and not _is_number(value):
        raise InputError(f"{where}: must be seconds, found {value!r}")


def _balls(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(ball, str) for ball in value):
        raise InputError("before.balls: must be a list of ball ids")
    if len(set(value)) != len(value):
        twice = next(ball for ball in value if value.count(ball) > 1)
        raise InputError(f"before.balls: ball {twice!r} is listed twice")
    if len(value) == 1:
        raise InputError("before.balls: no object ball is on the table")
    return tuple(value)


def _positions(value: Any, balls: Sequence[str], table: TableSpec, where: str) -> dict[str, tuple[float, float]]:
    places: dict[str, tuple[float, float]] = {}
    for ball, place in _mapping(value, where).items():
        if ball not in balls:
            raise InputError(f"{where}.{ball}: the ball is not on the table")
        u, v = _place(place, f"{where}.{ball}")
        if not (0 <= u <= 1 and 0 <= v <= 1):
            raise InputError(f"{where}.{ball}: ({u}, {v}) lies outside the playing surface")
        for earlier, (a, b) in places.items():
            if hypot((u - a) * table.length_m, (v - b) * table.width_m) < table.ball_diameter_m - OVERLAP_M:
                raise InputError(f"{where}.{ball}: the ball lies inside ball {earlier}")
        places[ball] = (u, v)
    return places


def read_call(value: Any, balls: Sequence[str] | None) -> Call | None:
    """A declaration; `balls` are those on the table, None where that is not known yet.

    Raises:
        InputError: `before.call.FIELD: what`.
    """
    if value is None:
        return None
    data = _mapping(value, "before.call")
    kind = _one_of(data.get("kind"), ("ball", "safety", "push_out"), "before.call.kind")
    _refuse_unknown(data, ("kind", "ball", "pocket") if kind == "ball" else ("kind",), "before.call.")
    if kind != "ball":
        return Call(kind=kind)
    ball = data.get("ball")
    if balls is not None or not isinstance(ball, str):
        ball = _one_of(ball, balls or (), "before.call.ball")
    return Call(
        kind=kind,
        ball=ball,
        pocket=_one_of(data.get("pocket"), POCKETS, "before.call.pocket"),
    )


def _frozen(value: Any, balls: Sequence[str]) -> tuple[Frozen, ...]:
    if not isinstance(value, list):
        raise InputError("before.frozen: must be a list")
    items = []
    for index, item in enumerate(value):
        where = f"before.frozen[{index}]"
        data = _mapping(item, where)
        _refuse_unknown(data, ("ball", "to", "declared"), f"{where}.")
        ball, to = _one_of(data.get("ball"), balls, f"{where}.ball"), _one_of(data.get("to"), (*CUSHIONS, "cue"), f"{where}.to")
        items.append(Frozen(ball=ball, to=to, declared=_bool(data.get("declared"), f"{where}.declared")))
    return tuple(items)


def _near_rail(value: Any, balls: Sequence[str]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for player, item in _mapping(value, "before.near_rail").items():
        _one_of(player, PLAYERS, "before.near_rail")
        where = f"before.near_rail.{player}"
        counts[player] = {_one_of(ball, balls, where): _count(count, f"{where}.{ball}") for ball, count in _mapping(item, where).items()}
    return counts


def _clock(value: Any) -> Clock | None:
    if value is None:
        return None
    data = _mapping(value, "before.clock")
    names = ("limit_s", "introduced", "extensions_used", "deciding_game")
    _refuse_unknown(data, names, "before.clock.")
    for name in names:
        if name not in data:
            raise InputError(f"before.clock.{name}: missing")
    if not _is_number(data["limit_s"]):
        raise InputError(f"before.clock.limit_s: must be seconds, found {data['limit_s']!r}")
    return Clock(
        limit_s=float(data["limit_s"]),
        introduced=_bool(data["introduced"], "before.clock.introduced"),
        extensions_used=_pair(data["extensions_used"], "before.clock.extensions_used", int),
        deciding_game=_bool(data["deciding_game"], "before.clock.deciding_game"),
    )


def _pair(value: Any, where: str, kind: type[Any]) -> Pair[Any]:
    data = _mapping(value, where)
    if set(data) != set(PLAYERS):
        raise InputError(f"{where}: must have A and B, found {', '.join(map(str, data))}")
    check = _int if kind is int else _bool
    return Pair(check(data["A"], f"{where}.A"), check(data["B"], f"{where}.B"))


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: must be an object, found {type(value).__name__}")
    return value


def _place(value: Any, where: str) -> tuple[float, float]:
    if not (isinstance(value, list) and len(value) == 2 and all(_is_number(item) for item in value)):
        raise InputError(f"{where}: must be [u, v], found {value!r}")
    return float(value[0]), float(value[1])


def _one_of(value: Any, allowed: Sequence[str], where: str) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"{where}: must be one of {', '.join(allowed)}, found {value!r}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -1e9 < value < 1e9


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _int(value: Any, where: str) -> int:
    if not _is_int(value):
        raise InputError(f"{where}: must be a whole number, found {value!r}")
    return int(value)


def _count(value: Any, where: str) -> int:
    if _int(value, where) < 0:
        raise InputError(f"{where}: must be 0 or more, found {value}")
    return int(value)


def _optional_int(value: Any, where: str) -> int | None:
    return None if value is None else _int(value, where)


def _bool(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{where}: must be true or false, found {value!r}")
    return value


def _refuse_unknown(data: Mapping[str, Any], known: Sequence[str], prefix: str) -> None:
    for key in data:
        if key not in known:
            raise InputError(f"{prefix}{key}: unknown field")
