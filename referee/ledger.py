"""The score ledger of a match: a line a stroke, and what must be missing where the lines do not add up; plain module.

What must hold:
    balls    what is on the table and what is down are the whole set: before a stroke exactly the balls lie there that
             the record left there
    racks    a new rack stands only when the record has ended the last one, and a break that is due finds one
    points   14.1: from rack to rack the points, penalties put back, are the balls that left the table (multiples of 14)
    innings  they alternate: who breaks a rack is who the record says

Where one does not hold, a stroke, a hand or a decision is missing from the record, or something was read wrongly. The
ledger says where; it changes no ruling.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from referee.layout import is_racked, stands_racked
from referee.match_setup import MatchSetup
from referee.rules.base import State
from referee.rules.games import find_ruleset
from referee.ruling import Pair, Reason, Ruling
from tracker.shot import Shot

BREAKS = ("break", "rebreak", "after_rerack")
"""Phases in which a rack is expected to stand."""
SHOWN = 6
"""Balls named one by one in a gap; more are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One stroke in the ledger.

    Attributes:
        shot: Its number.
        player: Whose inning it was.
        inning: Counted from 1; a new one begins when the other player is at the table.
        points: What it changed, racks in nine-ball.
        scores: After it.
        balls: Object balls on the table after it.
        missing: What must be missing before it, as keys of `referee.words.Words.missing` with values.
    """

    shot: int
    player: str
    inning: int
    points: Pair[int]
    scores: Pair[int]
    balls: int
    missing: tuple[Reason, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As files write it."""
        return {
            "shot": self.shot,
            "player": self.player,
            "inning": self.inning,
            "points": self.points.to_dict(),
            "scores": self.scores.to_dict(),
            "balls": self.balls,
            "missing": [{"key": item.key, "values": dict(item.values)} for item in self.missing],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The strokes so far.

    Attributes:
        entries: In order.
        made: Points made since the last rack, penalties put back; None where the record began in the middle of a rack.
        pending: Found between strokes, for the next entry.
    """

    entries: tuple[Entry, ...] = ()
    made: int | None = None
    pending: tuple[Reason, ...] = field(default_factory=tuple)

    @property
    def missing(self) -> tuple[Reason, ...]:
        """Everything that must be missing, in order."""
        return (*(item for entry in self.entries for item in entry.missing), *self.pending)


def racked(ledger: Ledger, expected: State | None, breaker: str) -> Ledger:
    """The ledger after somebody recorded a new rack."""
    found: list[Reason] = []
    if expected is not None and expected.phase in BREAKS and expected.shooter != breaker:
        found.append(Reason("breaker", (), {"player": breaker, "other": expected.shooter}))
    return replace(ledger, made=0, pending=(*ledger.pending, *found))


def between(ledger: Ledger, ruling: Ruling) -> Ledger:
    """The ledger after a decision or incident between strokes."""
    made = 0 if _is_new_rack(ruling) else None if ledger.made is None else ledger.made + _made(ruling)
    return replace(ledger, made=made)


def after_shot(
    setup: MatchSetup,
    ledger: Ledger,
    expected: State | None,
    used: State,
    shot: Shot,
    ruling: Ruling,
    after: State,
    *,
    is_known: bool = True,
) -> Ledger:
    """The ledger after a stroke.

    Args:
        setup: The match.
        ledger: Before it.
        expected: The state that the record left; None at its beginning.
        used: The state that the stroke was judged against.
        shot: The stroke, with the layout before it.
        ruling: On it.
        after: The state after it.
        is_known: The stroke before was certain; else the layout says what it did, and no ball is missed.
    """
    new_rack = (expected is None or expected.phase not in BREAKS) and (used.phase in BREAKS or _is_rerack(setup, expected, shot))
    made = 0 if new_rack else ledger.made
    missing = [*ledger.pending, *_gaps(setup, ledger, expected, shot, new_rack=new_rack, is_known=is_known)]
    if made is not None:
        made += _made(ruling)
        left = len(used.object_balls) - _made(ruling)
        if setup.game == "straight_14_1" and ruling.rerack in ("14", "15") and _is_run_out(ruling) and made != 15 - left:
            missing.append(Reason("points_short", (), {"shot": str(shot.number + 1), "points": str(made), "due": str(15 - left)}))
    last = ledger.entries[-1] if ledger.entries else None
    inning = 1 if last is None else last.inning + (last.player != used.shooter)
    entry = Entry(
        shot=shot.number,
        player=used.shooter,
        inning=inning,
        points=ruling.points_delta,
        scores=after.scores,
        balls=len(after.object_balls),
        missing=tuple(missing),
    )
    return Ledger(entries=(*ledger.entries, entry), made=0 if _is_new_rack(ruling) else made)


def _gaps(setup: MatchSetup, ledger: Ledger, expected: State | None, shot: Shot, *, new_rack: bool, is_known: bool) -> list[Reason]:
    """What must be missing between the state that the record left and the layout before the shot."""
    if expected is None or not shot.before or not is_known:
        return []
    number = str(shot.number)
    if new_rack:
        left = str(len(expected.object_balls))
        found = [Reason("rack_unfinished", (), {"shot": number, "count": left})]
        if setup.game == "straight_14_1" and ledger.made is not None:
            found.append(Reason("points_short", (), {"shot": number, "points": str(ledger.made), "due": "14"}))
        return found
    if expected.phase == "break" and not stands_racked(setup, shot):
        return [Reason("break_missing", (), {"shot": number})]
    return _ball_gaps(setup, expected, shot.before, number)


def _ball_gaps(setup: MatchSetup, expected: State, seen: Mapping[str, object], number: str) -> list[Reason]:
    """Balls of the record that are not there, and the other way round; by number only where they look alike."""
    ball_set = find_ruleset(setup.game).ball_set
    if not ball_set.distinct:
        count, due = len([ball for ball in seen if ball in ball_set.balls]), len(expected.balls)
        return [] if count == due else [Reason("balls_differ", (), {"shot": number, "count": str(count), "due": str(due)})]
    gone = [ball for ball in expected.object_balls if ball not in seen]
    back = [ball for ball in ball_set.balls if ball in seen and ball not in expected.balls]
    pairs = (("ball_gone", gone), ("ball_back", back))
    return [Reason(key, (), {"shot": number, "balls": _named(balls)}) for key, balls in pairs if balls]


def _is_rerack(setup: MatchSetup, expected: State | None, shot: Shot) -> bool:
    """14.1: fourteen balls stand racked beside the fifteenth, though the record has several of them down."""
    if setup.game != "straight_14_1" or expected is None or len(expected.object_balls) > 13:
        return False
    others = ({ball: place for ball, place in shot.before.items() if ball != left} for left in shot.before if left != "cue")
    return any(is_racked(layout, setup.table, setup.game) for layout in others)


def _named(balls: list[str]) -> str:
    return ", ".join(balls) if len(balls) <= SHOWN else str(len(balls))


def _made(ruling: Ruling) -> int:
    """Balls that scored on it; what a foul took off does not hide them."""
    named = [reason.values["balls"].split(", ") for reason in ruling.reasons if reason.key == "s141_made"]
    if named:
        return sum(len(balls) for balls in named)
    return max(0, ruling.points_delta["A"]) + max(0, ruling.points_delta["B"])


def _is_new_rack(ruling: Ruling) -> bool:
    return ruling.rack_over or ruling.next_phase in ("break", "rebreak") or ruling.rerack in ("14", "15")


def _is_run_out(ruling: Ruling) -> bool:
    """The rack is new because its balls are gone, not because somebody chose or a penalty ordered it."""
    return not ruling.foul and any(reason.key == "s141_rerack" for reason in ruling.reasons)
