"""General rules of pocket billiards (rules.md section 2.1), shared by nine-ball and 14.1; plain module.

Each check gives the foul it is named for, or None. Checks know nothing of each other: what suspends or replaces what
is for the game's own list. Incidents that stop or undo a stroke are at the end.

Judged here: GR-1.16, 3.3 (stated), 3.10, 3.11, 3.13 (stated), 3.14 (stated), 3.16, 3.18 to 3.28, 3.31, 3.32
(`referee.rules.spotting`), 3.35, 3.38 to 3.41, WPA-SPLIT, WPA-8.4 (`referee.rules.facts`).
Not judged: what cannot be seen from above unless an official states it (`docs/rule-coverage.md` has the list).
"""

from dataclasses import replace

from referee.rules import facts
from referee.rules.base import Case
from referee.ruling import Foul, Reason, Ruling
from tracker.shot import ShotEvent

STATED_FOULS = {
    "tip_only": Foul("TIP_ONLY", ("GR-3.3",)),
    "no_foot": Foul("FEET", ("GR-3.13",)),
    "balls_moving": Foul("BALLS_MOVING", ("GR-3.14",)),
    "push": Foul("PUSH", ("GR-3.24",)),
    "responsibility": Foul("RESPONSIBILITY", ("GR-3.25",)),
    "illegal_jump": Foul("ILLEGAL_JUMP", ("GR-3.26/27",)),
    "unsportsmanlike": Foul("UNSPORTSMANLIKE", ("GR-3.29",)),
}
"""Official facts that are a foul by themselves. Scenario files know only `no_foot` and `balls_moving`."""

TOO_LATE = Reason("declared_too_late", ("N9-6.1",))
"""A declaration that the game does not take any more."""

OBSTRUCTED_STROKES = ("jump", "curve", "masse")
"""Strokes over or round an obstructing ball (N9-12)."""


def no_contact(case: Case) -> Foul | None:
    """GR-3.18: the cue ball must touch an object ball."""
    return None if facts.first_contacts(case) else Foul("NO_CONTACT", ("GR-3.18",))


def no_rail(case: Case) -> Foul | None:
    """GR-3.19: after the contact a numbered ball falls or any ball reaches a cushion."""
    if not facts.first_contacts(case) or facts.pocketed_balls(case) or facts.driven_to_cushion(case):
        return None
    return Foul("NO_RAIL", ("GR-3.19",))


def frozen(case: Case, first: str | None) -> Foul | None:
    """GR-3.38: what must happen after first meeting a ball announced as frozen; `first` as the game reads a tie."""
    places = () if first is None else facts.declared_frozen(case, first)
    if first is None or not places or _is_frozen_rule_met(case, first):
        return None
    return Foul("FROZEN", ("GR-3.38",), {"ball": first, "to": places[0].to})


def scratch(case: Case) -> Foul | None:
    """GR-3.20: the cue ball pocketed."""
    for ball, pocket in facts.pocketed(case):
        if ball == case.state.cue_ball:
            return Foul("SCRATCH", ("GR-3.20",), {"pocket": pocket})
    return None


def cue_ball_off(case: Case) -> Foul | None:
    """GR-3.28: the cue ball off the table."""
    return Foul("CUE_OFF", ("GR-3.28",)) if case.state.cue_ball in facts.off_table(case) else None


def object_ball_off(case: Case) -> Foul | None:
    """GR-3.28: an object ball off the table."""
    balls = [ball for ball in facts.off_table(case) if ball != case.state.cue_ball]
    return Foul("OB_OFF", ("GR-3.28",), {"balls": ", ".join(balls)}) if balls else None


def double_hit(case: Case) -> Foul | None:
    """GR-3.23: a second contact of tip and cue ball."""
    return Foul("DOUBLE_HIT", ("GR-3.23",)) if facts.tip_contacts(case) > 1 else None


def from_kitchen(case: Case) -> Foul | None:
    """GR-3.39: from behind the head string the cue ball crosses it before it meets a ball that lies behind it."""
    if case.state.cue_state != "hand_kitchen" or not case.zones_known:
        return None
    crossed = any(e.type == "head_line" and e.fields["ball"] == case.state.cue_ball for e in facts.before_contact(case))
    first = facts.first_contacts(case)
    if crossed or not first or not all(facts.lies_behind_head_string(case, ball) for ball in first):
        return None
    return Foul("KITCHEN", ("GR-3.39",), {"ball": first[0]})


def stated(case: Case) -> tuple[Foul, ...]:
    """GR-3.3, 3.13, 3.14, 3.24 to 3.27: what only an official can state."""
    return tuple(STATED_FOULS[fact] for fact in dict.fromkeys(facts.official_facts(case)) if fact in STATED_FOULS)


def touch(case: Case) -> Foul | None:
    """GR-3.21, GR-1.16, GR-3.29: a ball touched by the player otherwise than with the tip, before the balls came to rest."""
    for event in facts.touches(case, actor=case.state.shooter):
        ball = event.fields["ball"]
        if not _is_placing(case, event) and (ball == case.state.cue_ball or is_all_ball_fouls(case)):
            return Foul("TOUCH", ("GR-3.21",), {"ball": ball, "by": event.fields["by"]})
    return None


def touch_after(case: Case) -> Foul | None:
    """GR-3.21: the same after the balls came to rest; the stroke itself stands."""
    for event in facts.touches_after_stop(case):
        ball = event.fields["ball"]
        if event.fields["actor"] == case.state.shooter and (ball == case.state.cue_ball or is_all_ball_fouls(case)):
            return Foul("TOUCH_AFTER", ("GR-3.21",), {"ball": ball, "by": event.fields["by"]})
    return None


def interference(case: Case) -> Foul | None:
    """GR-3.41: the player who is not shooting touches a ball; the foul is his."""
    for event in facts.of_type(case, "touch"):
        ball = event.fields["ball"]
        if event.fields["actor"] == case.state.opponent and (ball == case.state.cue_ball or is_all_ball_fouls(case)):
            return Foul("INTERFERENCE", ("GR-3.41",), {"ball": ball, "player": case.state.opponent})
    return None


def out_of_turn(case: Case) -> Foul | None:
    """GR-3.41: the player whose inning it is not strikes; the foul is his."""
    if case.state.striker in (None, case.state.shooter):
        return None
    return Foul("OUT_OF_TURN", ("GR-3.41",), {"player": str(case.state.striker)})


def touched_while_placing(case: Case) -> Foul | None:
    """GR-3.22, GR-3.40: an object ball touched with the cue ball in hand, or moved while it is placed."""
    for event in facts.touches(case, actor=case.state.shooter):
        if event.fields["ball"] != case.state.cue_ball and _is_placing(case, event):
            return Foul("PLACEMENT", ("GR-3.22", "GR-3.40"), {"ball": event.fields["ball"]})
    return None


def placement_fault(case: Case) -> str | None:
    """GR-3.10, GR-3.16, N9-10.1: why the cue ball in hand may not lie where it was last set; None where it may.

    `outside` the playing surface, `kitchen` (on or past the head string), `touching` an object ball.
    """
    state = case.state
    if not state.in_hand:
        return None
    place = facts.cue_ball_set_at(case)
    if place is None:
        return None
    u, v = place
    if not (0 <= u <= 1 and 0 <= v <= 1):
        return "outside"
    if state.cue_state == "hand_kitchen" and u >= facts.HEAD_STRING_U:
        return "kitchen"
    return "touching" if facts.touches_a_ball(case, place) else None


def is_all_ball_fouls(case: Case) -> bool:
    """Every touched ball is a foul: with a referee, or where the organiser says so (A-N8)."""
    return case.state.referee or case.options.pool_no_referee_fouls == "all_balls"


def forgiven_touches(case: Case) -> tuple[str, ...]:
    """GR-1.16: object balls touched by accident that are no foul without a referee; the other player may have them put back.

    So may he where the stroke was a foul for another reason.
    """
    return tuple(dict.fromkeys(event.fields["ball"] for event in _forgiven(case)))


def forgiven_actor(case: Case) -> str:
    """Who touched the first of them; the shooter where there is none."""
    actor: str = next((event.fields["actor"] for event in _forgiven(case)), case.state.shooter)
    return actor


def _forgiven(case: Case) -> tuple[ShotEvent, ...]:
    if is_all_ball_fouls(case):
        return ()
    touched = [event for event in facts.of_type(case, "touch") if event.fields["actor"] in ("A", "B") and not _is_placing(case, event)]
    return tuple(event for event in touched if event.fields["ball"] != case.state.cue_ball)


def touched_object_balls(case: Case) -> tuple[str, ...]:
    """GR-3.21: with a referee a moved object ball is put back, whoever moved it; one that was rolling has no place to go to."""
    balls = [event.fields["ball"] for event in facts.of_type(case, "touch") if "ball_moving_to" not in event.fields]
    return tuple(dict.fromkeys(ball for ball in balls if ball != case.state.cue_ball))


def balls_to_restore(case: Case) -> tuple[str, ...]:
    """GR-1.16: what RESTORE_BALL puts back: the object balls touched, or stated as moved; all where nothing is said."""
    stated = [event.fields.get("ball") for event in facts.of_type(case, "official") if event.fields["fact"] == "ball_moved"]
    moved = tuple(dict.fromkeys(ball for ball in stated if ball not in (None, case.state.cue_ball)))
    return touched_object_balls(case) or moved or ("*",)


def spontaneous_drops(case: Case) -> tuple[ShotEvent, ...]:
    """GR-3.31: balls that hung long enough and then dropped by themselves; they are put back."""
    least_s = case.options.pool_hanging_s
    return tuple(event for event in facts.of_type(case, "spontaneous_drop") if event.fields.get("rest_s", least_s) >= least_s)


def late_drops(case: Case) -> tuple[str, ...]:
    """GR-3.31 the other way round: balls that hung for less and dropped belong to the stroke before; they stay down."""
    kept = spontaneous_drops(case)
    return tuple(event.fields["ball"] for event in facts.of_type(case, "spontaneous_drop") if event not in kept)


def with_short_hangers_fallen(case: Case) -> Case:
    """GR-3.31: in a stroke, a ball that hung too short to be put back fell with it: it is read as pocketed."""
    if not facts.is_stroke(case):
        return case
    short = {ball for ball in late_drops(case) if ball in case.state.balls}
    return replace(case, events=tuple(_as_pocketed(event) if event.fields.get("ball") in short else event for event in case.events))


def _as_pocketed(event: ShotEvent) -> ShotEvent:
    if event.type != "spontaneous_drop":
        return event
    return ShotEvent(t=event.t, type="pocketed", fields={"ball": event.fields["ball"], "pocket": event.fields["pocket"]})


def dropped_as_shot_at(case: Case) -> str | None:
    """GR-3.31: a ball that dropped by itself just when the cue ball would have hit it: everything back, shoot again."""
    for event in spontaneous_drops(case):
        if event.fields.get("would_be_hit") and facts.is_stroke(case):
            ball: str = event.fields["ball"]
            return ball
    return None


def came_back(case: Case) -> tuple[Reason, ...]:
    """GR-3.28, GR-3.11: balls that rode a rail top or left a pocket again by themselves, and so count for nothing."""
    off = facts.off_table(case)
    rode = dict.fromkeys(event.fields["ball"] for event in facts.of_type(case, "rail_top") if event.fields["ball"] not in off)
    back = dict.fromkeys(event.fields["ball"] for event in facts.of_type(case, "pocket_rebound"))
    found = (Reason("rail_top_back", ("GR-3.28",), {"balls": ", ".join(rode)}),) if rode else ()
    return (*found, *((Reason("rebound", ("GR-3.11",), {"balls": ", ".join(back)}),) if back else ()))


def is_interfered_from_outside(case: Case) -> bool:
    """GR-3.35: an outsider moved something."""
    return "outside_interference" in facts.official_facts(case) or bool(facts.touches(case, actor="outsider"))


def is_restorable(case: Case) -> bool:
    """GR-3.35: the position can be put back (said so, or not denied)."""
    return all(
        event.fields.get("restorable", True) for event in facts.of_type(case, "official") if event.fields["fact"] == "outside_interference"
    )


def is_undone_from_outside(case: Case) -> bool:
    """GR-3.35: the outsider's doing undoes the stroke: it came while balls moved, or the position after it is lost."""
    during, later = facts.split_at_rest(case)
    return is_interfered_from_outside(during) or (is_interfered_from_outside(later) and not is_restorable(later))


def with_put_back_later(case: Case, ruling: Ruling) -> Ruling:
    """GR-3.35, 3.15: what an outsider moved after the stroke had ended goes back; the stroke stands."""
    _, later = facts.split_at_rest(case)
    if ruling.rack_over or not is_interfered_from_outside(later):
        return ruling
    moved = dict.fromkeys(event.fields["ball"] for event in facts.of_type(later, "touch", "official") if "ball" in event.fields)
    restored = tuple(dict.fromkeys((*(ruling.restored or ()), *moved))) or ("*",)
    return replace(ruling, restored=restored, reasons=(*ruling.reasons, Reason("outside", ("GR-3.35",), {})))


def _is_placing(case: Case, event: ShotEvent) -> bool:
    """The touch happened with the cue ball in hand before the stroke: by that ball, or while it was being placed."""
    if not case.state.in_hand:
        return False
    index = case.events.index(event)
    if any(earlier.type == "cue_contact" for earlier in case.events[:index]):
        return False
    handled = event.fields["ball"] == case.state.cue_ball or event.fields["by"] == "cue_ball_in_hand"
    return handled or any(other.type == "placement" for other in case.events[:index])


def _is_frozen_rule_met(case: Case, ball: str) -> bool:
    if facts.pocketed_balls(case):
        return True
    own = {item.to for item in facts.declared_frozen(case, ball)}
    for event in facts.after_contact(case):
        if event.type in ("pocketed", "off_table") and case.options.pool_pocketed_is_rail:
            return True  # WPA-8.4: it counts as driven to a cushion
        if event.type not in ("ball_cushion", "rail_top"):
            continue
        mover = event.fields["ball"]
        if mover == case.state.cue_ball:
            return True
        if mover == ball:
            if event.fields.get("cushion") not in own or not facts.is_forced_into_own_cushion(case, event):
                return True
        elif not event.fields.get("from_frozen"):
            return True
    return False
