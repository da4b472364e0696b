"""14.1: the steps of reasoning that a stroke gives besides its fouls and points, with their clauses; plain module."""

from referee.rules import facts, general
from referee.rules.base import Case
from referee.rules.straight_pool_calls import BREAKS, LAST_OF_RACK, is_called_made, is_safety
from referee.rules.straight_pool_near_rail import counters_after, counts_as_frozen
from referee.ruling import Pair, Reason


def legal_reasons(case: Case, fouls_after: Pair[int]) -> tuple[Reason, ...]:
    """Why a stroke without foul was legal, and what it does to the counts."""
    found = (*break_met(case), *_crossed_first(case), *_frozen_met(case), *_not_declared(case), *_split(case))
    return (*found, *_count_cleared(case, fouls_after), *_near_rail(case))


def remarks(case: Case) -> tuple[Reason, ...]:
    """What held for the stroke, legal or not."""
    phase, rebreak = case.state.phase, Reason("s141_rebreak", ("S141-6.4", "S141-12.6"))
    first = (rebreak,) if phase == "rebreak" else (Reason("s141_any_ball", ("S141-7.3b",)),) if phase == "after_rerack" else ()
    return (*first, *general.came_back(case))


def missed(case: Case) -> Reason:
    """Why the turn passes although the stroke was legal."""
    player = {"player": case.state.opponent}
    if is_safety(case):
        return Reason("s141_safety", ("S141-7.4", "S141-7.2"), player)
    if case.state.call is None:
        return Reason("s141_no_call", ("S141-7.1", "S141-1.1"), player)
    return Reason("s141_missed", ("S141-7.1", "S141-7.2", "GR-3.5"), player)


def foul_remarks(case: Case) -> tuple[Reason, ...]:
    """A declared safety must be a legal stroke too (S141-7.4)."""
    return (Reason("s141_safety_foul", ("S141-7.4",)), *remarks(case)) if is_safety(case) else remarks(case)


def no_new_rack(case: Case, spotted: tuple[str, ...]) -> tuple[Reason, ...]:
    """S141-7.3a: the fourteenth ball fell, but not legally: it comes back, and nothing is racked."""
    would_be_left = [ball for ball in case.state.object_balls if ball not in spotted]
    return (
        (Reason("s141_no_rerack", ("S141-7.3a",), {"balls": ", ".join(spotted)}),) if spotted and len(would_be_left) <= LAST_OF_RACK else ()
    )


def break_met(case: Case) -> tuple[Reason, ...]:
    """S141-6.1, 6.2: which of the two requirements an opening break without violation met."""
    if case.state.phase not in BREAKS:
        return ()
    return (Reason("s141_break_called", ("S141-6.1",)) if is_called_made(case) else Reason("s141_break_driven", ("S141-6.2", "S141-6.1")),)


def _crossed_first(case: Case) -> tuple[Reason, ...]:
    first = facts.first_contacts(case)
    if case.state.cue_state != "hand_kitchen" or not any(facts.lies_behind_head_string(case, ball) for ball in first):
        return ()
    return (Reason("s141_crossed", ("GR-3.39",), {"ball": first[0]}),)


def _frozen_met(case: Case) -> tuple[Reason, ...]:
    for ball in facts.first_contacts(case):
        clause = "S141-7.2b" if facts.declared_frozen(case, ball) else counts_as_frozen(case, ball)
        if clause is not None:
            return (Reason("frozen_met", (clause, "GR-3.38"), {"ball": ball}),)
    return ()


def _not_declared(case: Case) -> tuple[Reason, ...]:
    undeclared = any(not item.declared and item.ball in facts.first_contacts(case) for item in case.state.frozen)
    return (Reason("not_declared_frozen", ("GR-3.38",)),) if undeclared else ()


def _split(case: Case) -> tuple[Reason, ...]:
    hits = facts.first_contacts(case)
    return (Reason("split_hit", ("WPA-SPLIT",), {"balls": ", ".join(hits)}),) if len(hits) > 1 else ()


def _count_cleared(case: Case, fouls_after: Pair[int]) -> tuple[Reason, ...]:
    shooter = case.state.shooter
    if case.state.consecutive_fouls[shooter] and not fouls_after[shooter]:
        return (Reason("count_cleared", ("S141-12.2", "S141-12.7"), {"player": shooter}),)
    return ()


def _near_rail(case: Case) -> tuple[Reason, ...]:
    shooter = case.state.shooter
    before, after = case.state.near_rail.get(shooter, {}), (counters_after(case, is_legal=True) or {}).get(shooter, {})
    grown = [(ball, count) for ball, count in after.items() if count > before.get(ball, 0)]
    return tuple(Reason("s141_near_rail", ("S141-7.2c",), {"ball": ball, "count": str(count)}) for ball, count in grown)
