"""Nine-ball: the steps of reasoning that a foul-free stroke gives, with their clauses; plain module."""

from referee.rules import facts, general
from referee.rules.base import Case
from referee.ruling import Reason


def legal_reasons(case: Case) -> tuple[Reason, ...]:
    """Why a stroke was legal although it might not look so: split hits, frozen balls, balls that came back."""
    return (*_split(case), *_frozen(case), *_three_points(case), *general.came_back(case))


def played_reasons(case: Case, made: tuple[str, ...], turn: str) -> tuple[Reason, ...]:
    """Why the turn is kept or passes; `made` are the object balls that fell."""
    state = case.state
    reasons = list(legal_reasons(case))
    if state.phase == "break":
        reasons.append(Reason("legal_break", ("N9-2", "N9-4.1"), {}))
        reasons.append(Reason("kept" if made else "passed", ("N9-5.2",), {"balls": ", ".join(made), "player": turn}))
        reasons.append(Reason("push_out_open", ("N9-5.1", "N9-6.1"), {"player": turn}))
    elif made:
        reasons.append(Reason("kept", ("N9-1.2", "N9-1.3", "N9-1.4"), {"balls": ", ".join(made), "player": turn}))
    else:
        reasons.append(Reason("passed", ("N9-9", "N9-1.5", "GR-3.5"), {"player": turn}))
    if state.consecutive_fouls[state.shooter]:
        reasons.append(Reason("count_cleared", ("N9-13.1",), {"player": state.shooter}))
    return tuple(reasons)


def warning_reasons(players: tuple[str, ...] | None) -> tuple[Reason, ...]:
    """N9-13.3, WPA-6.14: who must be told that he is on two fouls."""
    return tuple(Reason("to_be_warned", ("N9-13.3", "WPA-6.14"), {"player": player}) for player in players or ())


def _split(case: Case) -> tuple[Reason, ...]:
    hits = facts.first_contacts(case)
    return (Reason("split_hit", ("N9-8", "WPA-SPLIT"), {"balls": ", ".join(hits)}),) if len(hits) > 1 else ()


def _frozen(case: Case) -> tuple[Reason, ...]:
    hits = facts.first_contacts(case)
    met = [ball for ball in hits if facts.declared_frozen(case, ball)]
    if met:
        return (Reason("frozen_met", ("GR-3.38",), {"ball": met[0]}),)
    undeclared = any(item.ball in hits for item in case.state.frozen)
    return (Reason("not_declared_frozen", ("GR-3.38",), {}),) if undeclared else ()


def _three_points(case: Case) -> tuple[Reason, ...]:
    is_asked = case.state.phase == "break" and case.options.nine_three_point_break
    return (Reason("three_points_made", ("WPA-REG16",)),) if is_asked else ()
