"""The match as the pages show it: the `match` object of docs/live-protocol.md; pure, a fold of the log and nothing else."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from calibration.calibration import Calibration
from calibration.errors import InputError
from calibration.table import POCKETS, Table
from referee.live.gaps import zone_polygon
from referee.live.shot_view import ShotViews, brief_view, shot_view
from referee.live.texts import ON, both, lists, plain, said_text
from referee.log_event import LogEvent, corrected, find_redone, find_undone
from referee.match import Match
from referee.match_setup import NO_RACE
from referee.missing_call import CALL_SHOT_GAMES
from referee.rules.base import Case, State
from referee.rules.games import find_ruleset
from referee.rules.nine_ball import lowest_ball
from referee.rules.options import CHOICES, DEFAULTS, KEYS
from referee.rules.spotting import find_spots
from referee.ruling import PLAYERS, Ruling
from referee.shot_ruling import ShotRuling
from referee.wording import ball_name, game_name, missing_text
from referee.words import value_text

BALL_OPTIONS = ("CHOOSE_PENALTY_BALL", "CHOOSE_REMOVED_BALL")
"""Choices that name a ball."""
SHOWN_SHOTS = 400
"""Shots in the history that is sent: more than an evening has; older ones are at /shots/N."""


_ShotLine = tuple[Mapping[str, Any], ShotRuling, int, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What the server knows beside the log.

    Attributes:
        status: `playing` or `paused`.
        paths: Shot number to the paths of its balls.
        media: Gives the files there are of a shot.
        calibration: Camera over the table; None where there is none.
        spotted: Balls that a person says are spotted.
    """

    status: str = "playing"
    paths: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    media: Callable[[int], frozenset[str]] = lambda number: frozenset()
    calibration: Calibration | None = None


def match_view(match: Match, beside: Beside | None = None, views: ShotViews | None = None) -> dict[str, Any]:
    """The `match` object.

    Args:
        match: The match.
        beside: What is shown beside its log.
        views: Of its shots, kept from one time to the next.
    """
    beside, views = beside or Beside(), views or ShotViews()
    setup, state, players = match.setup, match.state.state, match.setup.players.to_dict()
    shots = shot_lines(match)
    last = match.rulings[-1] if match.rulings else None
    ruling = last.ruling if last is not None else None
    table = Table(setup.table)
    over = bool(ruling is not None and ruling.match_over)
    options, chooser = find_options(match)
    briefs = [views.view("brief", shot[1].number, (*shot, players), partial(_brief, shot, players)) for shot in shots[-SHOWN_SHOTS:]]
    wholes = {shot[1].number: _whole(shot, players, beside, views) for shot in shots if shot[1].verdict == "undecided" or shot[1] is last}
    views.keep("whole", wholes)
    return {
        "game": setup.game,
        "game_name": both(lambda words: game_name(setup.game, words)),
        "players": players,
        "race": None if setup.race == NO_RACE else setup.race,
        "table": _table(table, beside.calibration),
        "balls": list(find_ruleset(setup.game).ball_set.balls),
        "status": "over" if over else beside.status if state is not None or beside.status != "playing" else "waiting",
        "score": match.score,
        "inning": shots[-1][3]["inning"] if shots else 1,
        "shooter": None if state is None else state.shooter,
        "deciding": chooser if options and set(options) != {"DECLARE_PUSH_OUT"} else None,
        "phase": None if state is None else state.phase,
        "fouls": {player: _fouls(state, player) for player in PLAYERS},
        "on": _on(setup.game, state),
        "on_table": [] if state is None else list(state.balls),
        "call_needed": setup.game in CALL_SHOT_GAMES,
        "call": None if match.state.call is None else match.state.call.to_dict(),
        "declared": [] if state is None else [item.to_dict() for item in state.frozen],
        "push_out": {
            "allowed": "DECLARE_PUSH_OUT" in options,
            "declared": match.state.call is not None and match.state.call.kind == "push_out",
        },
        "cue": _cue(state, table),
        "options": {"player": chooser, "list": [_option(option, state) for option in options]},
        "spot": [{"ball": ball, "at": list(at)} for ball, at in spots_due(match).items()],
        "provisional": match.state.provisional,
        "rack_over": bool(ruling is not None and ruling.rack_over),
        "match_over": over,
        "winner": ruling.winner if over and ruling is not None else None,
        "last": None if last is None else wholes[last.number],
        "undecided": [wholes[item.number] for _, item, _, _ in shots if item.verdict == "undecided"],
        "history": briefs,
        "people": [_said(event) for event in match.state.people],
        "house_rules": house_rules(match),
        "can": {"undo": find_undone(match.events) is not None, "redo": find_redone(match.events) is not None},
        "assumed": list(match.assumed),
        "missing": lists(lambda words: [missing_text(item, words) for item in match.state.ledger.missing]),
    }


def shot_lines(match: Match) -> list[_ShotLine]:
    """Every shot as it stands: its line, the ruling, its event in the log, its line in the ledger."""
    events = [event for event in corrected(match.events) if event.type == "shot"]
    entries = [entry.to_dict() for entry in match.state.ledger.entries]
    return [(event.fields["shot"], ruling, event.id, entry) for event, ruling, entry in zip(events, match.rulings, entries, strict=True)]


def _brief(shot: _ShotLine, players: Mapping[str, str]) -> dict[str, Any]:
    line, ruling, event, entry = shot
    return brief_view(line, ruling, event, players, entry)


def _whole(shot: _ShotLine, players: Mapping[str, str], beside: Beside, views: ShotViews) -> dict[str, Any]:
    line, ruling, event, entry = shot
    paths, media = beside.paths.get(ruling.number), beside.media(ruling.number)

    def make() -> dict[str, Any]:
        return shot_view(line, ruling, event, players, entry, paths=paths, media=media)

    return views.view("whole", ruling.number, (*shot, players, paths, media), make)


def find_options(match: Match) -> tuple[tuple[str, ...], str | None]:
    """What the rules offer now, and to whom."""
    state = match.state.state
    if state is None:
        return (), None
    play = [event for event in corrected(match.events) if event.type in ("shot", "decision", "rack", "state")]
    if play and play[-1].type == "shot" and match.rulings:
        ruling: Ruling | None = match.rulings[-1].ruling
    else:
        ruling = _waiting(match, state)
    if ruling is None or ruling.match_over:
        return (), None
    offered = tuple(option for option in ruling.options if not (option.startswith("BIH") and len(ruling.options) == 1))
    return offered, (ruling.options_for or ruling.decider or state.shooter) if offered else None


def spots_due(match: Match) -> dict[str, tuple[float, float]]:
    """Balls that the last ruling has set up, and where, metres; empty where head and foot are not known."""
    if not match.rulings or not match.setup.ends_known:
        return {}
    ruling, table = match.rulings[-1].ruling, Table(match.setup.table)
    if ruling.rack_over or ruling.next_phase == "break":
        return {}
    places = dict(ruling.spotted_pos or {})
    if ruling.spotted_slots:
        places |= dict(zip(ruling.spotted, ruling.spotted_slots, strict=False))
    missing = [ball for ball in ruling.spotted if ball not in places]
    if missing:
        line = shot_lines(match)[-1][0]
        lying = {ball: table.to_fractions((place[0], place[1])) for ball, place in line["after"].items() if ball not in ruling.spotted}
        cue = match.rulings[-1].state_before.cue_ball
        places |= find_spots(match.setup.table, missing, lying, cue_ball=cue)
    return {ball: table.from_fractions(places[ball]) for ball in ruling.spotted if ball in places}


def house_rules(match: Match) -> list[dict[str, Any]]:
    """Every house rule with its value and what else it may be."""
    rows = []
    for key, name in KEYS.items():
        default = getattr(DEFAULTS, name)
        choices = CHOICES.get(key) or ((True, False) if isinstance(default, bool) else None)
        value = getattr(match.setup.options, name)
        rows.append({"key": key, "value": value, "default": default, "choices": None if choices is None else list(choices)})
    return rows


def _waiting(match: Match, state: State) -> Ruling | None:
    try:
        return find_ruleset(match.setup.game).judge(Case(state=state, events=(), options=match.setup.options))
    except (InputError, ValueError):
        return None


def _table(table: Table, calibration: Calibration | None) -> dict[str, Any]:
    spec = table.spec
    camera = None
    if calibration is not None:
        written = calibration.to_dict()
        camera = {"image_size_px": written["image_size_px"], **written["camera"]}
    return {
        "name": spec.name,
        "length_m": spec.length_m,
        "width_m": spec.width_m,
        "ball_diameter_m": spec.ball_diameter_m,
        "head_string_m": table.head_string_m,
        "pockets": {name: [[round(x, 5), round(y, 5)] for x, y in table.mouth_m(name)] for name in POCKETS},
        "spots": {name: list(place) for name, place in table.spots_m().items()},
        "ends_known": calibration is None or calibration.foot_known,
        "camera": camera,
    }


def _fouls(state: State | None, player: str) -> dict[str, Any]:
    count = 0 if state is None else state.consecutive_fouls[player]
    return {"count": count, "on_two": count == 2, "warned": state is not None and state.warned[player]}


def _on(game: str, state: State | None) -> dict[str, Any]:
    if state is None:
        return {"balls": [], "text": plain("")}
    if game == "nine_ball":
        ball = lowest_ball(state)
        return {"balls": [ball], "text": both(lambda words: ball_name(ball, words))}
    return {"balls": list(state.object_balls), "text": dict(ON["any_called" if game in CALL_SHOT_GAMES else "any"])}


def _cue(state: State | None, table: Table) -> dict[str, Any]:
    if state is None:
        return {"ball": None, "state": None, "in_hand": False, "zone": None, "text": plain("")}
    said = both(lambda words: words.cue_next.get(state.cue_state, ""))
    return {
        "ball": state.cue_ball,
        "state": state.cue_state,
        "in_hand": state.in_hand,
        "zone": zone_polygon(state.cue_state, table.spec),
        "text": said,
    }


def _option(option: str, state: State | None) -> dict[str, Any]:
    balls: Sequence[str] = state.object_balls if state is not None and option in BALL_OPTIONS else ()
    return {"option": option, "text": both(lambda words: value_text(option, words)), "balls": list(balls)}


def _said(event: LogEvent) -> dict[str, Any]:
    fields = {key: value for key, value in event.fields.items() if key != "time_s"}
    return {"event": event.id, "type": event.type, "fields": fields, "text": said_text(event.type, fields)}
