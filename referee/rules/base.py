"""What every rule set works on: the state before a stroke, a case to judge, and the shape of a rule set; plain module.

State   the "before" object of rules.md section 0.1: what was fixed before the stroke
Case    a state, the events that followed, and the organiser's options: all that a ruling may depend on
Ruleset pure methods; each game is one module with one `RULES` object, listed in `referee.rules.games`
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from calibration.equipment import SCENARIO_TABLE_NAMES, BallSet, TableSpec
from referee.rules.options import Options
from referee.ruling import Pair, Ruling, other
from tracker.shot import ShotEvent

PHASES = (
    "break",
    "rebreak",
    "after_break",
    "push_out_reply",
    "normal",
    "between_shots",
    "break_reply",
    "three_foul_reply",
    "after_rerack",
    "premium",
    "premium_placement",
    "penalty_hand",
    "after_penalty",
)
CUE_STATES = (
    "position",
    "hand_anywhere",
    "hand_kitchen",
    "hand_house",
    "hand_temp_house",
    "in_hand",
    "free_choice",
    "head_spot",
    "centre_spot",
)
"""`before.cue_state` and `expect.cue_next`: a fold carries the one on as the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What the shooter declared before the stroke.

    Attributes:
        kind: `ball`, `safety` or `push_out`.
        ball: The ball named, for `ball`.
        pocket: The pocket named, for `ball`.
    """

    kind: str
    ball: str | None = None
    pocket: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The call as files write it."""
        return {"kind": self.kind} if self.kind != "ball" else {"kind": "ball", "ball": self.ball, "pocket": self.pocket}


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """A ball that touched a cushion or the cue ball before the stroke.

    Attributes:
        ball: Which.
        to: `head`, `foot`, `left`, `right`, or `cue`.
        declared: Whether it was announced before the stroke (GR-3.38 asks for that).
    """

    ball: str
    to: str
    declared: bool

    def to_dict(self) -> dict[str, Any]:
        """As files write it."""
        return {"ball": self.ball, "to": self.to, "declared": self.declared}


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The time limit (PYR-26)."""

    limit_s: float
    introduced: bool
    extensions_used: Pair[int]
    deciding_game: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything fixed before a stroke, decision or incident.

    Attributes:
        table: Size of table and balls.
        shooter: Whose inning it is; where a choice is open, who decides.
        phase: One of `PHASES`.
        balls: On the table, cue ball included.
        cue_ball: The ball to be struck.
        cue_state: Where the cue ball may lie, one of `CUE_STATES`.
        positions: (u, v), fractions of the playing surface; a ball without one lies far from every spot, line and
            cushion in question. Read only.
        scores: Racks in nine-ball, points elsewhere.
        target: Racks or points to win.
        consecutive_fouls: Fouls in a row, per player.
        warned: Told that he is on two fouls, per player.
        referee: False in play without a referee.
        striker: Who struck, where that was not the shooter.
    """

    table: TableSpec
    shooter: str
    phase: str
    balls: tuple[str, ...]
    cue_ball: str
    cue_state: str
    positions: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    scores: Pair[int]
    target: int
    consecutive_fouls: Pair[int] = field(default_factory=lambda: Pair(0, 0))
    warned: Pair[bool] = field(default_factory=lambda: Pair(False, False))
    referee: bool = True
    call: Call | None = None
    frozen: tuple[Frozen, ...] = ()
    near_rail: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    clock: Clock | None = None
    rack_pocketed: int | None = None
    apex_vacant: bool | None = None
    last_breaker: str | None = None
    removal_pending: bool | None = None
    striker: str | None = None

    @property
    def object_balls(self) -> tuple[str, ...]:
        """The balls on the table but the cue ball."""
        return tuple(ball for ball in self.balls if ball != self.cue_ball)

    @property
    def opponent(self) -> str:
        """The other player than the shooter."""
        return other(self.shooter)

    @property
    def in_hand(self) -> bool:
        """The cue ball may be placed."""
        return "hand" in self.cue_state

    def to_dict(self) -> dict[str, Any]:
        """The "before" object."""
        names = {known: name for name, known in SCENARIO_TABLE_NAMES.items()}
        data: dict[str, Any] = {
            "table": names.get(self.table.name, self.table.name),
            "shooter": self.shooter,
            "phase": self.phase,
            "balls": list(self.balls),
            "cue_ball": self.cue_ball,
            "cue_state": self.cue_state,
            "positions": {ball: [round(u, 6), round(v, 6)] for ball, (u, v) in self.positions.items()},
            "scores": self.scores.to_dict(),
            "target": self.target,
            "consecutive_fouls": self.consecutive_fouls.to_dict(),
            "warned": self.warned.to_dict(),
            "referee": self.referee,
            "call": None if self.call is None else self.call.to_dict(),
            "frozen": [item.to_dict() for item in self.frozen],
        }
        optional = {"last_breaker": self.last_breaker, "rack_pocketed": self.rack_pocketed, "apex_vacant": self.apex_vacant}
        optional |= {"removal_pending": self.removal_pending}
        data |= {key: value for key, value in optional.items() if value is not None}
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that a ruling may depend on.

    Attributes:
        state: Before the stroke.
        events: What followed, in time order, taken as having happened.
        options: The organiser's settings.
        zones_known: False where a camera gave the positions: whether a ball was set inside a zone is then for the
            official to say (N9-2 and GR-3.22 are C+O), and no placement is punished on its word.
    """

    state: State
    events: tuple[ShotEvent, ...]
    options: Options = field(default_factory=Options)
    zones_known: bool = True


class Ruleset(Protocol):
    """The rules of one game. No state of its own; nothing given to it is changed."""

    @property
    def game(self) -> str:
        """Name in files (`nine_ball`)."""
        ...

    @property
    def ball_set(self) -> BallSet:
        """Its balls, the cue ball first."""
        ...

    @property
    def table_name(self) -> str:
        """The table it is usually played on."""
        ...

    def check(self, state: State) -> None:
        """Raise `InputError("before.FIELD: what")` where the state cannot occur in this game."""
        ...

    def judge(self, case: Case) -> Ruling:
        """The ruling on a stroke (there is a `cue_contact`), a decision or an incident between strokes.

        Raises:
            InputError: `FIELD: what`, where the case lacks something the rules need.
        """
        ...

    def assumed_reply(self, state: State) -> str | None:
        """The option taken for granted where a choice was open and the player simply shot; None where none was open."""
        ...

    def start(self, state: State) -> State:
        """The state at the first stroke of a rack that `state.shooter` breaks: balls, phase and cue ball set."""
        ...


def next_state(rules: Ruleset, state: State, ruling: Ruling) -> State:
    """The state after a ruling, before people place or choose anything.

    A warning counts as given: the scoreboard shows it (A-N7). After a rack the next one is set up; after the match
    the state stays as it is but for the scores.
    """
    fouls = ruling.fouls_after or state.consecutive_fouls
    warned = Pair(*((state.warned[p] or p in (ruling.warn or ())) and fouls[p] >= 2 for p in ("A", "B")))
    after = replace(
        state,
        shooter=ruling.decider or state.shooter,
        scores=ruling.scores_after or state.scores,
        consecutive_fouls=fouls,
        warned=warned,
        call=None,
        frozen=(),
        striker=None,
        positions={},
    )
    if ruling.match_over:
        return after
    if ruling.next_phase == "break":
        if ruling.score_kept and ruling.balls_after:  # an initial stroke in mid-game (PYR-27.2) keeps what is left
            after = replace(after, phase="break", balls=ruling.balls_after)
        return replace(rules.start(after), last_breaker=after.shooter)
    breaker = state.shooter if state.phase == "break" else state.last_breaker
    balls = ruling.balls_after
    used = ruling.extensions_used_after
    clock = after.clock if after.clock is None or used is None else replace(after.clock, extensions_used=used)
    return replace(
        after,
        phase=ruling.next_phase or "normal",
        balls=balls,
        cue_ball=after.cue_ball if after.cue_ball in balls else (*balls, after.cue_ball)[0],
        clock=clock,
        removal_pending=True if "CHOOSE_REMOVED_BALL" in ruling.options else None,
        cue_state=ruling.cue_next or ruling.cue_if_accept or "position",
        last_breaker=breaker,
        near_rail=ruling.near_rail_after or {},
        rack_pocketed=None,  # counted from the balls on the table
        apex_vacant=True if ruling.rerack == "14" else None,
    )
