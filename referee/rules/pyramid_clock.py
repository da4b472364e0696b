"""The time limit of pyramid (item 26): when it has run out, and who may have it doubled; plain module."""

from dataclasses import dataclass, replace

from referee.rules import facts
from referee.rules.base import Case, Clock
from referee.ruling import Foul, Pair, Reason, Ruling
from tracker.shot import ShotEvent

EXTENSIONS = 1
"""Extensions of a player in a game (PYR-26.5, A-P9)."""
EXTENSIONS_DECIDING = 2
"""The same in a deciding game at level match score (PYR-26.6)."""
SLACK_S = 1e-6
"""Rounding of clock times; anything longer would be time that a player did not have."""


@dataclass(frozen=True, slots=True)
class Extensions:
    """What became of the requests before a stroke.

    Attributes:
        used: Extensions used, per player; None without a clock.
        is_doubled: The limit of this stroke is doubled.
        is_refused: A request was refused.
        clauses: Why it was refused.
    """

    used: Pair[int] | None
    is_doubled: bool = False
    is_refused: bool = False
    clauses: tuple[str, ...] = ()


def find_extensions(case: Case) -> Extensions:
    """PYR-26.5 to 26.7: the shooter's requests, in order; one doubling a stroke."""
    clock = case.state.clock
    found = Extensions(used=None if clock is None else clock.extensions_used)
    for event in facts.before_tip(case):
        if event.type == "decision" and event.fields["option"] == "EXTENSION":
            found = _requested(case, found, event)
    return found


def out_of_time(case: Case) -> Foul | None:
    """PYR-26.4, 26.2: the stroke came, or did not come, after the limit ran out; only where it was introduced (26.1)."""
    clock = case.state.clock
    if clock is None or not clock.introduced:
        return None
    extensions = find_extensions(case)
    allowed_s = clock.limit_s * (2 if extensions.is_doubled else 1)
    start_s = _start_s(case)
    late = any(
        event.type == "clock" and event.fields["event"] == "expired" and (start_s is None or event.t - start_s >= allowed_s - SLACK_S)
        for event in facts.before_tip(case)
    )
    tip = next(facts.of_type(case, "cue_contact"), None)
    late = late or (tip is not None and start_s is not None and tip.t - start_s > allowed_s + SLACK_S)
    return Foul("TIME", ("PYR-26.2", "PYR-26.4", *extensions.clauses), {"limit": f"{allowed_s:g}"}) if late else None


def with_clock(case: Case, ruling: Ruling) -> Ruling:
    """What the requests did, and which extensions are used."""
    clock = case.state.clock
    extensions = find_extensions(case)
    if clock is None and not extensions.is_refused:
        return ruling
    reasons: list[Reason] = []
    if clock is not None and not clock.introduced:
        reasons.append(Reason("pyr_no_limit", ("PYR-26.1",)))
    if extensions.is_doubled:
        reasons.append(Reason("pyr_extension", ("PYR-26.5", "PYR-26.7", *_deciding(clock)), {"player": case.state.shooter}))
    if extensions.is_refused:
        reasons.append(Reason("pyr_extension_refused", extensions.clauses, {"player": case.state.shooter}))
        ruling = replace(ruling, declaration_rejected=True)
    if clock is not None and (clock.introduced or extensions.is_refused):
        ruling = replace(ruling, extensions_used_after=extensions.used)
    return replace(ruling, reasons=(*reasons, *ruling.reasons))


def _requested(case: Case, found: Extensions, event: ShotEvent) -> Extensions:
    clock, player = case.state.clock, event.fields["by"]
    refusal = _refusal(case, found, event)
    if clock is None or found.used is None or refusal:
        return Extensions(found.used, found.is_doubled, True, tuple(dict.fromkeys((*found.clauses, *refusal))))
    return Extensions(found.used.replaced(player, found.used[player] + 1), True, found.is_refused, found.clauses)


def _refusal(case: Case, found: Extensions, event: ShotEvent) -> tuple[str, ...]:
    """Clauses against the request; none where it is granted."""
    clock, player = case.state.clock, event.fields["by"]
    if clock is None or found.used is None or not clock.introduced:
        return ("PYR-26.1",)
    clauses: list[str] = []
    most = EXTENSIONS_DECIDING if clock.deciding_game else EXTENSIONS
    if player != case.state.shooter or found.is_doubled or found.used[player] >= most:
        clauses += ["PYR-26.5", *_deciding(clock)]
    start_s = _start_s(case)
    if not event.fields.get("acknowledged", True) or (start_s is not None and event.t - start_s > clock.limit_s):
        clauses.append("PYR-26.7")
    return tuple(clauses)


def _deciding(clock: Clock | None) -> tuple[str, ...]:
    return ("PYR-26.6",) if clock is not None and clock.deciding_game else ()


def _start_s(case: Case) -> float | None:
    """When the clock was last started: the end of the previous stroke (PYR-26.2); None where that was not told."""
    starts = [event.t for event in facts.before_tip(case) if event.type == "clock" and event.fields["event"] == "start"]
    return starts[-1] if starts else None
