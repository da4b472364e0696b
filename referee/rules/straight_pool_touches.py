"""14.1: balls touched, accidentally or on purpose, and what is put back (S141-7.5a, GR-3.21, 1.16, 3.31); plain module."""

from dataclasses import replace

from referee.rules import facts, general
from referee.rules.base import Case
from referee.ruling import Foul, Reason, Ruling, other
from tracker.shot import ShotEvent


def deliberate(case: Case) -> Foul | None:
    """S141-7.5a: the shooter catches, touches or influences a ball on its way to a pocket or to the racking area."""
    return deliberate_by(case, case.state.shooter)


def deliberate_by(case: Case, player: str) -> Foul | None:
    """S141-7.5a by that player. An official who states it without a touch in the record means the shooter."""
    touches = [event for event in facts.of_type(case, "touch") if event.fields["actor"] == player and _is_deliberate(case, event)]
    if touches:
        values = {"ball": touches[0].fields["ball"], "by": touches[0].fields["by"], "player": player}
        return Foul("DELIBERATE", ("S141-7.5a", "GR-3.29"), values)
    untouched = not any(facts.of_type(case, "touch"))
    if untouched and player == case.state.shooter and "deliberate_interference" in facts.official_facts(case):
        return Foul("DELIBERATE", ("S141-7.5a", "GR-3.29"), {"ball": "-", "by": "-", "player": player})
    return None


def touch(case: Case) -> Foul | None:
    """GR-3.21: a ball touched otherwise, before the balls came to rest; a deliberate touch is 7.5a alone."""
    others = tuple(event for event in case.events if event.type != "touch" or not _is_deliberate(case, event))
    return general.touch(replace(case, events=others))


def with_restored(case: Case, ruling: Ruling) -> Ruling:
    """GR-3.21, GR-3.31, GR-1.16: what is put back after the stroke or incident, or may be."""
    if ruling.match_over or ruling.restored:
        return ruling
    dropped = tuple(event.fields["ball"] for event in general.spontaneous_drops(case))
    put_back = _to_put_back(case) if case.state.referee or "PLACEMENT" in ruling.foul_codes else ()
    back = tuple(ball for ball in dict.fromkeys((*dropped, *put_back)) if ball not in ruling.spotted)
    if back and ruling.rerack == "none":
        clauses = (*(("GR-3.31",) if dropped else ()), *(("GR-3.21",) if put_back else ()))
        on_table = tuple(dict.fromkeys((*ruling.balls_after, *back)))
        ruling = replace(
            ruling, restored=back, balls_after=on_table, reasons=(*ruling.reasons, Reason("put_back", clauses, {"balls": ", ".join(back)}))
        )
    forgiven = () if ruling.rerack == "15" else general.forgiven_touches(case)
    player = _asker(case, forgiven)
    if not forgiven or "DELIBERATE" in ruling.foul_codes or (ruling.foul and ruling.options_for == other(player)):
        return ruling  # none, none by accident, or the choice is with the player who moved it
    reason = Reason("may_restore", ("GR-1.16",), {"balls": ", ".join(forgiven), "player": player})
    return replace(ruling, options=(*ruling.options, "RESTORE_BALL"), options_for=player, reasons=(*ruling.reasons, reason))


def _is_deliberate(case: Case, event: ShotEvent) -> bool:
    """On purpose, said of the touch or by the official, on a ball that was moving to a pocket or the racking area.

    A hand held in a pocket is on purpose unless the record says otherwise.
    """
    in_pocket = event.fields["by"] == "hand_in_pocket"
    stated = "deliberate_interference" in facts.official_facts(case)
    meant = bool(event.fields.get("deliberate", stated or in_pocket))
    return meant and (in_pocket or stated or "ball_moving_to" in event.fields)


def _to_put_back(case: Case) -> tuple[str, ...]:
    """Object balls touched while they lay still, and the cue ball where it was touched as it lay in position."""
    is_cue_lying = not facts.is_stroke(case) and not case.state.in_hand
    balls = []
    for event in case.events:
        if event.type != "touch" or "ball_moving_to" in event.fields or _is_deliberate(case, event):
            continue
        ball = event.fields["ball"]
        if ball != case.state.cue_ball or is_cue_lying:
            balls.append(ball)
    return tuple(dict.fromkeys(balls))


def _asker(case: Case, forgiven: tuple[str, ...]) -> str:
    """GR-1.16: the opponent of whoever moved the ball."""
    actors = {event.fields["actor"] for event in facts.of_type(case, "touch") if event.fields["ball"] in forgiven}
    return case.state.shooter if actors == {case.state.opponent} else case.state.opponent
