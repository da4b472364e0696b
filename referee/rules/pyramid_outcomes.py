"""What follows a pyramid stroke: points, exchange, penalty, turn, the end of the game (FREE-5 to 7, COMB-5 to 7, DYN-5,
CLA-5, PYR-22, 26, 30); plain module.

A stroke is first played out by itself (`counted` where nothing was wrong, `void` where something was); what a penalty
costs comes on top (`penalised`), so that a violation after the balls came to rest leaves the stroke standing.
"""

from collections.abc import Iterable

from referee.rules import facts
from referee.rules.base import Case
from referee.rules.pyramid_hand import ZONE_OPTIONS, current_zone, find_zone, is_placing
from referee.rules.pyramid_item20 import find_condition, rests_on_line, uses_lip
from referee.rules.pyramid_spotting import lying_after, moved_in_placing, with_spotted
from referee.rules.pyramid_variants import CLASSIC_PENALTY, INITIAL, LAST_BALL_EXTRA, Variant, ball_value, exchange_owner
from referee.ruling import Foul, Pair, Reason, Ruling, amended, other

HESITATION_S = 2.0
"""Silence before a fall from which PYR-23.3 is cited beside the others; it decides nothing else. Balls cross the table
without meeting anything in less than this unless they creep."""

TURN_KEYS = ("pyr_passed", "pyr_continues", "pyr_from_house")
"""Sentences that say who plays; a penalty or the end of the game that comes on top makes them untrue."""

RERACKED_BALLS = "15"
"""`rerack` where a full triangle is set up again."""


def next_cue(variant: Variant) -> str:
    """`cue_next` where the cue ball lies on the table (FREE-5.1: any ball may be struck)."""
    return "free_choice" if variant.cue_ball is None else "position"


def neutral(case: Case, variant: Variant, reason: Reason) -> Ruling:
    """A ruling that changes nothing: same player, scores and open choices."""
    state = case.state
    zone = current_zone(case, variant) if state.in_hand else None
    ruling = Ruling(
        turn=state.shooter,
        options=() if zone is None or state.phase in INITIAL else (ZONE_OPTIONS[zone],),
        scores_after=state.scores,
        cue_next=zone or next_cue(variant),
        next_phase={"between_shots": "normal", "premium_placement": "premium"}.get(state.phase, state.phase),
        balls_after=state.balls,
        reasons=(reason,),
    )
    if state.phase == "break_reply":
        options = break_options(case)
        ruling = amended(ruling, turn=f"decide:{state.shooter}", options=options, cue_next=None, cue_if_accept=ruling.cue_next)
    elif state.phase == "after_penalty" and zone is None and case.options.pyr_pass_back:
        ruling = amended(ruling, turn=f"decide:{state.shooter}", options=("PLAY_POSITION", "PASS_BACK"))
    if state.removal_pending:
        ruling = amended(ruling, options=("CHOOSE_REMOVED_BALL", *ruling.options))
    return amended(ruling, options_for=state.shooter if ruling.options else None)


def counted(case: Case, variant: Variant) -> Ruling:
    """PYR-22.1: a stroke without violation: points and the turn kept, or the turn passed."""
    state, player = case.state, case.state.shooter
    fallen = tuple(ball for ball, _ in facts.pocketed(case))
    own_fell = variant.own_ball == "exchanged" and variant.cue_ball in fallen
    down = tuple(dict.fromkeys(ball for ball in fallen if ball != variant.cue_ball))
    made = () if variant.is_called and not is_called_made(case) else down
    left = tuple(ball for ball in state.balls if ball not in (*made, variant.cue_ball))
    points = sum(ball_value(variant, ball) for ball in made)
    if variant.is_called and made and not left:
        points += LAST_BALL_EXTRA
    is_exchanged = own_fell and bool(left)
    ruling = _forfeited(case, _blank(case, variant, turn=player if made or own_fell else other(player)))
    ruling = amended(
        _scored(ruling, player, points + is_exchanged),
        balls_after=tuple(ball for ball in state.balls if ball not in made),
        reasons=(*ruling.reasons, *legal_reasons(case, variant), *_made_reasons(case, variant, made, own_fell=own_fell)),
    )
    if own_fell:
        turn = Reason("pyr_from_house", variant.cites["own_ball"], {"player": player})
    elif made:
        turn = Reason("pyr_continues", ("PYR-22.1",), {"player": player})
    else:
        turn = Reason("pyr_passed", variant.cites["passed"], {"player": other(player)})
    ruling = amended(ruling, reasons=(*ruling.reasons, turn))
    if own_fell:
        zone = find_zone(case, variant, left, lying_after(case, fallen), is_penalty=False)
        options = (*(("CHOOSE_REMOVED_BALL",) if is_exchanged else ()), ZONE_OPTIONS[zone])
        ruling = amended(ruling, cue_next=zone, options=options, options_for=player, next_phase="premium")
        ruling = amended(ruling, reasons=(*ruling.reasons, *_from_temp_house(zone, player)))
    ruling = with_spotted(case, variant, ruling, (ball for ball in down if ball not in made), cue_in_hand=own_fell)
    return with_end(variant, ruling, state.target, own_choice="CHOOSE_REMOVED_BALL" if is_exchanged else None)


def void(case: Case, variant: Variant) -> Ruling:
    """PYR-22.3a, 22.4, 24.4: nothing that fell counts; illegal and jumped balls are spotted, a coloured cue ball goes in hand."""
    state = case.state
    off = facts.off_table(case)
    gone = tuple(dict.fromkeys((*(ball for ball, _ in facts.pocketed(case)), *off)))
    in_hand = is_in_hand_after(case, variant)
    ruling = amended(_forfeited(case, _blank(case, variant, turn=state.opponent)), foul=True)
    ruling = amended(ruling, reasons=(*ruling.reasons, *_returns(case)))
    ruling = with_spotted(case, variant, ruling, (ball for ball in gone if ball != variant.cue_ball), cue_in_hand=in_hand)
    if in_hand:
        own = variant.cue_ball or state.cue_ball
        lying = lying_after(case, (own,)) | dict(ruling.spotted_pos or {})
        balls = [ball for ball in state.balls if ball != own]
        ruling = amended(ruling, cue_next=find_zone(case, variant, balls, lying, is_penalty=True))
    return ruling


def penalised(case: Case, variant: Variant, ruling: Ruling, fouls: tuple[Foul, ...], *, offender: str) -> Ruling:
    """PYR-30: one penalty for everything found: a point and a ball (or points) to the other player, who then decides."""
    winner = other(offender)
    reasons = [foul.to_reason() for foul in fouls]
    if len(fouls) > 1:
        reasons.append(Reason("pyr_one_penalty", ("PYR-30",)))
    ruling = amended(ruling, foul=True, foul_codes=tuple(dict.fromkeys((*ruling.foul_codes, *(foul.code for foul in fouls)))))
    ruling = amended(ruling, offender=offender, reasons=(*reasons, *_without_turn(ruling)))
    if variant.takes_penalty_ball:
        ruling = _scored(ruling, winner, 1)
        key, values = "pyr_penalty_ball", {"player": winner}
    else:
        minus = case.options.pyr_classic_penalty == "offender_minus_5"
        ruling = _scored(ruling, offender, -CLASSIC_PENALTY) if minus else _scored(ruling, winner, CLASSIC_PENALTY)
        key, values = ("pyr_points_off", {"player": offender}) if minus else ("pyr_points_to", {"player": winner})
    clauses = (*variant.cites["penalty"], "PYR-30", "PYR-29.1")
    ruling = amended(ruling, reasons=(*ruling.reasons, Reason(key, clauses, values)))
    own_choice = "CHOOSE_PENALTY_BALL" if variant.takes_penalty_ball else None
    ended = with_end(variant, ruling, case.state.target, own_choice=own_choice)
    return ended if ended.rack_over else _with_reply(case, variant, ruling, fouls, winner=winner)


def with_end(variant: Variant, ruling: Ruling, target: int, *, own_choice: str | None) -> Ruling:
    """FREE-1, COMB-1, DYN-1, CLA-1: who has the points has won; with all balls gone and nobody there nothing decides
    (A-P17). `own_choice` is a ball booked with the last point, still to be taken."""
    scores = ruling.scores_after or Pair(0, 0)
    winner = next((player for player in ("A", "B") if scores[player] >= target), None)
    left = any(ball != variant.cue_ball for ball in ruling.balls_after)
    if winner is None and left:
        return ruling
    key = (
        Reason("pyr_no_winner", ("CLA-1",))
        if winner is None
        else Reason("pyr_won", (*variant.cites["won"], "PYR-22.3n"), {"player": winner})
    )
    options = () if own_choice is None else (own_choice,)
    return amended(
        ruling,
        turn="none",
        options=options,
        options_for=winner if options else None,
        rack_over=True,
        winner=winner,
        cue_next=None,
        cue_if_accept=None,
        next_phase=None,
        reasons=(*_without_turn(ruling), key),
    )


def _without_turn(ruling: Ruling) -> tuple[Reason, ...]:
    return tuple(reason for reason in ruling.reasons if reason.key not in TURN_KEYS)


def weak_break(case: Case, variant: Variant, foul: Foul) -> Ruling:
    """PYR-12, A-P7: no points; the opponent accepts the table, or the rack is set up again (option `pyr.break_fail`)."""
    state = case.state
    ruling = amended(_blank(case, variant, turn=state.opponent), foul=True, foul_codes=(foul.code,), offender=state.shooter)
    if case.options.pyr_break_fail == "accept_or_rerack_self":
        reason = Reason("pyr_break_choice", ("PYR-12",), {"player": state.opponent})
        return amended(
            ruling,
            turn=f"decide:{state.opponent}",
            options=break_options(case),
            options_for=state.opponent,
            cue_next=None,
            cue_if_accept=next_cue(variant),
            next_phase="break_reply",
            reasons=(foul.to_reason(), reason),
        )
    breaker = state.shooter if case.options.pyr_break_fail == "rerack_offender" else state.opponent
    return reracked(case, ruling, breaker, (foul.to_reason(),))


def reracked(case: Case, ruling: Ruling, breaker: str, reasons: tuple[Reason, ...]) -> Ruling:
    """PYR-12, 8, 11: the balls are racked again and that player plays the initial stroke from the house."""
    reason = Reason("pyr_reracked", ("PYR-12", "PYR-8", "PYR-11"), {"player": breaker})
    whites = sum(ball != "Y" for ball in case.state.balls)
    return amended(
        ruling,
        turn=breaker,
        options=(),
        options_for=None,
        cue_next="hand_house",
        cue_if_accept=None,
        rerack=RERACKED_BALLS if whites == int(RERACKED_BALLS) else "incomplete",
        next_phase="break",
        reasons=(*reasons, reason),
    )


def break_options(case: Case) -> tuple[str, ...]:
    """PYR-12: what the opponent of a weak initial stroke may choose."""
    ordered = {"rerack_self_forced": ("RERACK_SELF_BREAKS",), "rerack_offender": ("RERACK_OFFENDER_BREAKS",)}
    return ordered.get(case.options.pyr_break_fail, ("ACCEPT_TABLE", "RERACK_SELF_BREAKS"))


def is_called_made(case: Case) -> bool:
    """CLA-5.2, 5.3: the ball announced fell into the pocket announced."""
    call = case.state.call
    return call is not None and call.kind == "ball" and (call.ball, call.pocket) in facts.pocketed(case)


def is_in_hand_after(case: Case, variant: Variant) -> bool:
    """The coloured cue ball fell or left the table, was in hand and not played, or a ball was touched in placing it (COMB-H2)."""
    gone = (*(ball for ball, _ in facts.pocketed(case)), *facts.off_table(case))
    if variant.cue_ball is not None and variant.cue_ball in gone:
        return True
    if not case.state.in_hand:
        return False
    if variant.cue_ball is not None and (moved_in_placing(case) or any(_is_touch_in_placing(case))):
        return True
    return not facts.is_stroke(case) or (variant.cue_ball is not None and case.state.cue_ball != variant.cue_ball)


def _is_touch_in_placing(case: Case) -> Iterable[bool]:
    touches = (event for event in facts.of_type(case, "touch") if event.fields["actor"] == case.state.shooter)
    return (is_placing(case, event) and event.fields["ball"] != case.state.cue_ball for event in touches)


def legal_reasons(case: Case, variant: Variant) -> tuple[Reason, ...]:
    """What made the stroke legal: the initial stroke's requirement, or the condition of item 20 that it completed."""
    reasons = list(_remarks(case, variant))
    if case.state.phase in INITIAL:
        return (*reasons, Reason("pyr_legal_break", ("PYR-12", *variant.cites["initial"])))
    condition = find_condition(case)
    if condition is not None:
        lip = ("PYR-20.N4",) if uses_lip(case) else ()
        from_hand = ("PYR-21.3",) if case.state.in_hand else ()
        reasons.append(Reason(condition.key, (*condition.clauses, *lip, *from_hand)))
    return tuple(reasons)


def _remarks(case: Case, variant: Variant) -> Iterable[Reason]:
    """Things seen that are no violation."""
    yield from _returns(case)
    if rests_on_line(case):
        yield Reason("pyr_on_line", ("PYR-20.N3",), {"balls": ", ".join(rests_on_line(case))})
    if case.state.in_hand and case.state.phase not in INITIAL and facts.first_contacts(case):
        zone = current_zone(case, variant)
        if zone == "hand_temp_house":
            yield from _from_temp_house("hand_temp_house", case.state.shooter)
        elif zone == "hand_house":
            yield Reason("pyr_from_hand", ("PYR-21.2a", *variant.cites["own_ball"]), {})
    if variant.cue_ball is None and case.state.phase == "after_penalty":
        yield Reason("pyr_spotted_cue", ("PYR-25.3", "FREE-2", "FREE-5.1"), {"ball": case.state.cue_ball})


def _from_temp_house(zone: str, player: str) -> tuple[Reason, ...]:
    """PYR-21.2b, where every object ball lies in the house."""
    return (Reason("pyr_temp_house", ("PYR-21.2b", "PYR-13"), {"player": player}),) if zone == "hand_temp_house" else ()


def _returns(case: Case) -> Iterable[Reason]:
    """Balls that came back by themselves, out of a pocket or over the rail top, and stayed."""
    off = facts.off_table(case)
    for key, kind, clauses, gone in (
        ("pyr_rebound", "pocket_rebound", ("PYR-22.5a",), {*off, *(ball for ball, _ in facts.pocketed(case))}),
        ("pyr_rail_top", "rail_top", ("PYR-24.2",), {*off}),
    ):
        balls = dict.fromkeys(event.fields["ball"] for event in facts.of_type(case, kind) if event.fields["ball"] not in gone)
        if balls:
            yield Reason(key, clauses, {"balls": ", ".join(balls)})


def _made_reasons(case: Case, variant: Variant, made: tuple[str, ...], *, own_fell: bool) -> tuple[Reason, ...]:
    player, reasons = case.state.shooter, []
    late = ("PYR-23.3",) if _is_hesitating(case) else ()
    if made:
        own = variant.cites["own_ball"] if variant.cue_ball is None and case.state.cue_ball in made else ()
        clauses = ("PYR-22.1", "PYR-22.2", *variant.cites["made"], *own, *late)
        reasons.append(Reason("pyr_made", clauses, {"balls": ", ".join(made), "player": player}))
    if own_fell:
        reasons.append(Reason("pyr_own_ball", ("PYR-22.1", *variant.cites["own_ball"], *late), {"player": player}))
    return tuple(reasons)


def _is_hesitating(case: Case) -> bool:
    """A ball fell long after anything else was heard of: it may have hesitated on the lip."""
    times = [event.t for event in case.events if event.type not in ("stop", "decision", "official", "touch", "clock")]
    falls = [event.t for event in facts.of_type(case, "pocketed")]
    return any(t - max([0.0, *(earlier for earlier in times if earlier < t)]) >= HESITATION_S for t in falls)


def _blank(case: Case, variant: Variant, *, turn: str) -> Ruling:
    state = case.state
    return Ruling(turn=turn, scores_after=state.scores, cue_next=next_cue(variant), next_phase="normal", balls_after=state.balls)


def _forfeited(case: Case, ruling: Ruling) -> Ruling:
    """COMB-5.2n: the exchange ball was not taken before this stroke: it stays, and its point is taken back."""
    if not case.state.removal_pending or case.state.striker not in (None, case.state.shooter):
        return ruling
    owner = exchange_owner(case.state)
    reason = Reason("pyr_forfeited", ("COMB-5.2n",), {"player": owner})
    return amended(_scored(ruling, owner, -1), removal_forfeited=True, reasons=(*ruling.reasons, reason))


def _scored(ruling: Ruling, player: str, points: int) -> Ruling:
    scores = ruling.scores_after or Pair(0, 0)
    return amended(
        ruling,
        points_delta=ruling.points_delta.replaced(player, ruling.points_delta[player] + points),
        scores_after=scores.replaced(player, scores[player] + points),
    )


def _with_reply(case: Case, variant: Variant, ruling: Ruling, fouls: tuple[Foul, ...], *, winner: str) -> Ruling:
    """PYR-30, 21.1: what the beneficiary may do: take a ball, then play, from the hand where the cue ball is in hand, or
    let the offender go on from the position."""
    options: tuple[str, ...] = ("CHOOSE_PENALTY_BALL",) if variant.takes_penalty_ball else ()
    booked = tuple(option for option in ruling.options if option == "CHOOSE_REMOVED_BALL")
    cue_next = ruling.cue_next or next_cue(variant)
    is_waiting_player = winner == case.state.shooter and any(foul.code == "INTERFERENCE" for foul in fouls)
    phase = "after_penalty"
    if cue_next in ZONE_OPTIONS:
        hand = Reason("pyr_from_house", variant.cites["hand"], {"player": winner})
        ruling = amended(ruling, reasons=(*ruling.reasons, hand, *_from_temp_house(cue_next, winner)))
        options += (ZONE_OPTIONS[cue_next],)
        phase = "premium" if booked and winner == case.state.shooter else "penalty_hand"
    else:
        options += ("PLAY_POSITION",)
        if case.options.pyr_pass_back and not is_waiting_player:
            options += ("PASS_BACK",)
    if case.state.phase in INITIAL and not facts.is_stroke(case):
        phase = "rebreak"
    turn = f"decide:{winner}" if len(options) > 1 else winner
    return amended(ruling, turn=turn, options=(*booked, *options), options_for=winner, cue_next=cue_next, next_phase=phase)
