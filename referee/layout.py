"""What the layout before a shot says about the state: a rack, the balls there, what the log expects otherwise; plain module."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import dist, sqrt

from calibration.equipment import TableSpec
from calibration.errors import InputError
from calibration.table import Table
from referee.alike import as_seen
from referee.match_setup import MatchSetup
from referee.rules.base import Case, Ruleset, State, next_state
from referee.rules.games import find_ruleset
from referee.rules.pyramid import Pyramid
from referee.ruling import Pair
from tracker.shot import Shot, ShotEvent

RACK_SLACK_RADII = 1.5
"""How far beyond the farthest place of a tight rack a ball may lie, in radii: a loose rack opens by a few millimetres,
a detection errs by less, and a broken rack has some ball farther than this at once."""
MISSING_IN_RACK = 1
"""Balls of a rack that may not have been seen: a leaning player hides one or two for a moment, and a rack of nine with
more missing could as well be a cluster left in play."""
UNSEEN_IN_RACK = 0.4
"""Share of a rack that may have been seen only once it flew apart: from afar the balls of a rack run together."""


def find_states(setup: MatchSetup, state: State | None, shot: Shot, *, provisional: bool) -> tuple[list[State], list[str]]:
    """The states that can have been before a shot, the likelier first, and what had to be assumed.

    Args:
        setup: The match.
        state: By the log; None at its beginning.
        shot: With the layout at the tip contact.
        provisional: The log stands on an undecided shot, so that the layout alone counts.
    """
    rules = find_ruleset(setup.game)
    notes: list[str] = []
    seen = tuple(ball for ball in rules.ball_set.balls if ball in shot.before)
    racked = stands_racked(setup, shot)
    if state is None:
        state = _first_state(setup, rules, seen, racked=racked, notes=notes)
    if setup.game == "classic_pyramid":
        notes.append("numbers: the labels of the whites are taken as their numbers (CLA-5.1), which a camera does not read")
    is_owed = isinstance(rules, Pyramid) and rules.is_ball_owed(state)
    state = as_seen(rules, _with_reply(rules, state, shot, notes), seen)
    if racked and not _stands_untouched(rules, state, seen) and state.phase not in ("break", "rebreak", "after_rerack"):
        notes.append(f"rack: a new rack before shot {shot.number}, player {state.shooter} breaking")
        state = rules.start(state)
    elif state.phase == "break" and not racked and seen:
        notes.append(f"phase: normal at shot {shot.number}, because no rack stood there")
        state = replace(_in_play(state), balls=seen, last_breaker=state.shooter)
    if setup.game.endswith("pyramid") and shot.cue_ball is not None:
        state = replace(state, cue_ball=shot.cue_ball)
    state = _possible(rules, state, seen)
    taken = [ball for ball in state.balls if ball not in seen and ball != state.cue_ball] if is_owed else []
    left = tuple(ball for ball in state.balls if ball not in taken)
    if len(taken) == 1 and set(_valid_balls(rules, state, left)) == set(left):
        notes.append(f"balls: {taken[0]} gone before shot {shot.number}, taken to the shelf as penalty or exchange ball")
        state = replace(state, balls=left, removal_pending=None)
    states = [state] if state.phase == "break" else _by_balls(rules, state, seen, shot, notes, provisional=provisional)
    places = {ball: Table(setup.table).to_fractions(place) for ball, place in shot.known_before.items()}
    return [replace(item, positions={ball: places[ball] for ball in item.balls if ball in places}) for item in states], notes


def open_rack(setup: MatchSetup, state: State | None, breaker: str) -> State:
    """The state at the break of a new rack."""
    blank = state or _blank(setup)
    return replace(find_ruleset(setup.game).start(replace(blank, shooter=breaker)), last_breaker=breaker)


def stands_racked(setup: MatchSetup, shot: Shot) -> bool:
    """The balls lay together as a rack before a shot."""
    known = shot.known_before
    return is_racked(known, setup.table, setup.game, unseen=len(shot.before) - len(known))


def is_racked(layout: Mapping[str, tuple[float, float]], table: TableSpec, game: str, *, unseen: int = 0) -> bool:
    """All object balls lie together as a rack: a diamond of nine, a triangle of fifteen.

    Args:
        layout: Where the balls lie, metres.
        table: For the size of the balls.
        game: For their number.
        unseen: Balls besides these that are on the table, nobody knows where: in a rack some hide each other.

    >>> from calibration.equipment import find_table
    >>> is_racked({}, find_table("wpa-9ft"), "nine_ball")
    False
    """
    cue, *numbered = find_ruleset(game).ball_set.balls
    balls = [ball for ball in numbered if ball in layout and ball != cue]
    full = len(numbered)
    if len(balls) < full - MISSING_IN_RACK - min(unseen, UNSEEN_IN_RACK * full):
        return False
    places = [layout[ball] for ball in balls]
    centre = (sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places))
    rows = (sqrt(8 * full + 1) - 1) / 2  # of a triangle
    farthest = (
        2 * sqrt(3) if full == 9 else 2 * (rows - 1) / sqrt(3)
    ) + RACK_SLACK_RADII  # centre of the rack to its farthest ball, in radii
    return all(dist(place, centre) <= farthest * table.ball_radius_m for place in places)


def _blank(setup: MatchSetup) -> State:
    balls = find_ruleset(setup.game).ball_set.balls
    return State(
        table=setup.table,
        shooter="A",
        phase="normal",
        balls=balls,
        cue_ball=balls[0],
        cue_state="position",
        scores=Pair(0, 0),
        target=setup.race,
        referee=setup.referee,
    )


def _first_state(setup: MatchSetup, rules: Ruleset, seen: Sequence[str], *, racked: bool, notes: list[str]) -> State:
    """The recording starts in mid-match: break where a rack is hit, else from the position (design.md)."""
    notes += [f"phase: {'break' if racked else 'normal'}", "shooter: A", "fouls: none", "score: 0-0", "call: none"]
    blank = replace(_blank(setup), last_breaker="A")
    if racked:
        return rules.start(blank)
    notes.append("breaker: A")
    return replace(blank, balls=_valid_balls(rules, blank, seen) or blank.balls)


def _with_reply(rules: Ruleset, state: State, shot: Shot, notes: list[str]) -> State:
    """A choice that nobody recorded: whoever was to choose is taken to have played from the position."""
    option = rules.assumed_reply(state)
    if option is None:
        return state
    notes.append(f"decision before shot {shot.number}: player {state.shooter} {option}")
    case = Case(state=state, events=(ShotEvent(t=0.0, type="decision", fields={"by": state.shooter, "option": option}),))
    return next_state(rules, state, rules.judge(case))


def _stands_untouched(rules: Ruleset, state: State, seen: Sequence[str]) -> bool:
    """A rack that is one ball short by the log too: the fourteen of 14.1, the fifteenth having fallen without touching them."""
    return len(seen) < len(rules.ball_set.balls) and set(seen) == set(state.balls)


def _in_play(state: State) -> State:
    """The same from where the balls lie."""
    return replace(state, phase="normal", cue_state="position", rack_pocketed=None, removal_pending=None)


def _possible(rules: Ruleset, state: State, seen: Sequence[str]) -> State:
    """The state where it can be; else the nearest that can.

    A layout may lack what the game cannot be without (the cue ball behind an arm, after a break that nobody saw). The shot
    has to be judged all the same: one that is refused is lost, and every shot after it.
    """
    for item in (state, _in_play(state)):
        for balls in (item.balls, seen, (*item.balls, *seen), rules.ball_set.balls):
            whole = _valid_balls(rules, item, balls)
            if whole:
                return state if item is state and set(whole) == set(state.balls) else replace(item, balls=whole)
    return state


def _by_balls(rules: Ruleset, state: State, seen: Sequence[str], shot: Shot, notes: list[str], *, provisional: bool) -> list[State]:
    """The balls seen, and where the log knows of more, those too."""
    missing = [ball for ball in state.balls if ball not in seen and ball != state.cue_ball]
    extra = [ball for ball in seen if ball not in state.balls]
    if not missing and not extra:
        return [state]
    if extra:
        notes.append(f"balls: {', '.join(extra)} on the table before shot {shot.number}, though not by the log")
    if missing:
        notes.append(f"balls: {', '.join(missing)} not seen before shot {shot.number}, though on the table by the log")
    choices = [seen] if provisional else [seen, (*seen, *missing)]
    found = [balls for choice in choices if (balls := _valid_balls(rules, state, choice))]
    return [replace(state, balls=balls) for balls in dict.fromkeys(found)] or [state]


def _valid_balls(rules: Ruleset, state: State, balls: Sequence[str]) -> tuple[str, ...]:
    """The balls as a state can have them, the cue ball and what the game cannot be without added; empty where that fails."""
    order = rules.ball_set.balls
    for added in ((state.cue_ball,), (state.cue_ball, "9")):
        whole = tuple(ball for ball in order if ball in (*balls, *added))
        try:
            rules.check(replace(state, balls=whole))
        except InputError:
            continue
        return whole
    return ()
