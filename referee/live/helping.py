"""Everything that helps hands at the table, put together from where the balls lie now: the `help` object of the protocol; pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from calibration.equipment import BallId
from calibration.errors import InputError
from calibration.table import CUSHIONS
from referee.live.gaps import check_zone, measure_gap, near_rails
from referee.live.match_view import spots_due
from referee.live.places import Place
from referee.live.racks import check_rack
from referee.live.spots import goals
from referee.match import Match
from referee.rules.base import State
from referee.rules.games import find_ruleset

MOST_PAIRS = 4
"""Gaps watched at the same time."""
RACK_PHASES = ("break", "rebreak", "after_rerack")
Layout = Mapping[BallId, tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What people want help with.

    Attributes:
        put_back: The layout to be put back; None where none is.
        put_back_shot: The shot before which it was; None for the last rest.
        pairs: Gaps to be watched.
        spotted: Balls that a person says are spotted.
    """

    put_back: Layout | None = None
    put_back_shot: int | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    spotted: tuple[BallId, ...] = field(default_factory=tuple)

    def watching(self, pairs: object) -> "Wanted":
        """With other gaps.

        Raises:
            InputError: If they are no pairs of a ball and a ball or cushion.
        """
        if not isinstance(pairs, list) or len(pairs) > MOST_PAIRS:
            raise InputError(f"pairs: must be a list of at most {MOST_PAIRS}")
        read = []
        for pair in pairs:
            if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(item, str) and len(item) <= 8 for item in pair)):
                raise InputError("pairs: each must be a ball and a ball or cushion")
            read.append((pair[0], pair[1]) if pair[0] not in CUSHIONS else (pair[1], pair[0]))
        return replace(self, pairs=tuple(read))


def help_view(match: Match, places: Mapping[BallId, Place], wanted: Wanted, spots_m: Layout | None = None) -> dict[str, Any]:
    """The `help` object.

    Args:
        match: What is due.
        places: Where resting balls lie.
        wanted: What people asked for.
        spots_m: Balls to be spotted and where, where that is known already (`spots_due`).
    """
    spec, state = match.setup.table, match.state.state
    distinct = find_ruleset(match.setup.game).ball_set.distinct
    due = spots_due(match) if spots_m is None else spots_m
    spots = [item.to_dict() for item in goals(due, places, distinct=distinct, done=wanted.spotted)]
    gaps = [gap for a, b in wanted.pairs if (gap := measure_gap(spec, a, b, places)) is not None]
    cue = None if state is None else state.cue_ball
    return {
        "spot": spots,
        "put_back": _put_back(wanted, places, distinct=distinct),
        "rack": _rack(match, state, places, distinct=distinct),
        "zone": check_zone("" if state is None else state.cue_state, spec, cue or "cue", places),
        "frozen": [gap.to_dict() for gap in gaps],
        "near_rail": near_rails(spec, cue or "cue", places) if match.setup.game == "straight_14_1" else [],
    }


def _put_back(wanted: Wanted, places: Mapping[BallId, Place], *, distinct: bool) -> dict[str, Any]:
    if wanted.put_back is None:
        return {"on": False, "shot": None, "done": False, "balls": []}
    balls = goals(wanted.put_back, places, distinct=distinct)
    return {
        "on": True,
        "shot": wanted.put_back_shot,
        "done": all(item.done for item in balls),
        "balls": [item.to_dict() for item in balls],
    }


def _rack(match: Match, state: State | None, places: Mapping[BallId, Place], *, distinct: bool) -> dict[str, Any]:
    check = None
    if match.setup.ends_known and (state is None or state.phase in RACK_PHASES):
        rules = find_ruleset(match.setup.game)
        balls = rules.ball_set.balls if state is None else state.balls
        cue = rules.ball_set.balls[0] if state is None else state.cue_ball
        vacant = bool(state is not None and state.apex_vacant)
        in_rack = [ball for ball in balls if ball != cue]
        if vacant:  # the fifteenth lies elsewhere
            in_rack = [ball for ball in in_rack if ball not in places or places[ball].x_m > 0]
        check = check_rack(match.setup.game, match.setup.table, in_rack, places, match.setup.options, distinct=distinct, apex_vacant=vacant)
    if check is not None:
        return check.to_dict()
    empty: dict[str, Any] = {
        "missing": [],
        "extra": [],
        "misplaced": [],
        "apex_off_mm": None,
        "widest_gap_mm": None,
        "sigma_mm": None,
        "tight": None,
    }
    return {"on": False, "ok": False, **empty}
