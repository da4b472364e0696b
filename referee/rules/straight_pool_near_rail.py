"""14.1: balls near a cushion, the safeties on them and when they count as frozen (S141-7.2c to 7.2f, A-S14); plain module.

A ball that does not touch a cushion but lies within a ball's width of one may be used for two legal safeties in a row
"using only the nearest cushion": the cue ball meets it first, the safety is declared, and no ball reaches another
cushion or a pocket. After two, or at once while the player is on a foul, the ball counts as frozen to that cushion.
The counter of a ball goes back when the player makes another kind of stroke, when the ball is struck otherwise by
anybody, and when it leaves the band of its cushion. `s141.near_rail_rule=false` switches all of it off.

Failure cases: without a position the official's measurement is what the counter says (a ball listed there is near a
cushion); its cushion is then taken to be the one it was first driven to.
"""

from collections.abc import Mapping
from dataclasses import replace

from calibration.equipment import TableSpec
from referee.rules import facts
from referee.rules.base import Case, Frozen
from referee.rules.facts import TOUCHING_M

SAFETIES_ALLOWED = 2
"""Consecutive legal safeties of a player on one ball by its nearest cushion only (S141-7.2c)."""

Counters = Mapping[str, Mapping[str, int]]


def nearest_cushion(table: TableSpec, place: tuple[float, float]) -> tuple[str, float]:
    """The nearest cushion and the gap between ball and nose, metres.

    >>> from calibration.equipment import find_table
    >>> name, gap_m = nearest_cushion(find_table("wpa-9ft"), (0.5, 0.05))
    >>> name, round(gap_m, 4)
    ('left', 0.0349)
    """
    (u, v), r = place, table.ball_radius_m
    gaps = {
        "head": u * table.length_m - r,
        "foot": (1 - u) * table.length_m - r,
        "left": v * table.width_m - r,
        "right": (1 - v) * table.width_m - r,
    }
    return min(gaps.items(), key=lambda item: item[1])


def near_cushion(case: Case, ball: str) -> str | None:
    """Before the stroke the ball lay within a ball's width of this cushion without touching it; None where it did not."""
    place = case.state.positions.get(ball)
    if place is not None:
        name, gap_m = nearest_cushion(case.state.table, place)
        return name if TOUCHING_M < gap_m < case.state.table.ball_diameter_m else None
    if all(ball not in counts for counts in case.state.near_rail.values()):
        return None
    driven = (event for event in facts.after_contact(case) if event.type == "ball_cushion" and event.fields["ball"] == ball)
    first = next(driven, None)
    return "cue" if first is None else first.fields["cushion"]


def counts_as_frozen(case: Case, ball: str) -> str | None:
    """The clause that makes the ball count as frozen for the shooter: S141-7.2d, 7.2e or 7.2f; None where it does not.

    7.2e and 7.2f: the count of fouls in a row is above zero exactly when the stroke before was a foul.
    """
    if not case.options.s141_near_rail_rule:
        return None
    shooter = case.state.shooter
    fouls = case.state.consecutive_fouls[shooter]
    if not fouls and case.state.near_rail.get(shooter, {}).get(ball, 0) < SAFETIES_ALLOWED:
        return None
    if facts.declared_frozen(case, ball) or near_cushion(case, ball) is None:
        return None
    return "S141-7.2d" if not fouls else "S141-7.2e" if fouls == 1 else "S141-7.2f"


def with_frozen(case: Case, ball: str) -> Case:
    """The same case with the ball frozen to its nearest cushion, as S141-7.2d reads it."""
    item = Frozen(ball=ball, to=near_cushion(case, ball) or "cue", declared=True)
    return replace(case, state=replace(case.state, frozen=(*case.state.frozen, item)))


def counters_after(case: Case, *, is_legal: bool) -> dict[str, dict[str, int]] | None:
    """The counters after a stroke; None where there are none. A ball once listed stays listed, at 0, while it is on the table."""
    if not case.options.s141_near_rail_rule:
        return None
    used = _used_ball(case) if is_legal else None
    after: dict[str, dict[str, int]] = {}
    for player in ("A", "B"):
        before = case.state.near_rail.get(player, {})
        on_table = {ball: count for ball, count in before.items() if ball not in {*facts.pocketed_balls(case), *facts.off_table(case)}}
        counts = {ball: _count_after(case, player, ball, count, used) for ball, count in on_table.items()}
        if player == case.state.shooter and used is not None and _is_still_near(case, used):
            counts[used] = before.get(used, 0) + 1
        if counts:
            after[player] = counts
    return after or None


def _count_after(case: Case, player: str, ball: str, count: int, used: str | None) -> int:
    if not _is_still_near(case, ball):
        return 0
    if player == case.state.shooter:
        return count if ball == used else 0
    return count if ball == used or not _is_moved(case, ball) else 0


def _used_ball(case: Case) -> str | None:
    """The near ball on which the stroke was a safety by its nearest cushion only; None for any other stroke."""
    hits = facts.first_contacts(case)
    if case.state.call is None or case.state.call.kind != "safety" or len(hits) != 1:
        return None
    own = near_cushion(case, hits[0])
    reached = {event.fields.get("cushion") for event in facts.of_type(case, "ball_cushion", "rail_top")}
    return hits[0] if own is not None and reached <= {own} and not facts.pocketed(case) else None


def _is_still_near(case: Case, ball: str) -> bool:
    """The ball is on the table and, where its place is known, within a ball's width of the same cushion as before."""
    if ball in facts.pocketed_balls(case) or ball in facts.off_table(case):
        return False
    before, after = case.state.positions.get(ball), facts.rest_positions(case).get(ball)
    if after is None:
        return True
    name, gap_m = nearest_cushion(case.state.table, after)
    is_same = before is None or nearest_cushion(case.state.table, before)[0] == name
    return is_same and gap_m < case.state.table.ball_diameter_m


def _is_moved(case: Case, ball: str) -> bool:
    return any(event.type == "ball_ball" and ball in (event.fields["a"], event.fields["b"]) for event in case.events)
