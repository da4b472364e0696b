"""The referee's sentences in English, one place for all of them; plain module.

`REASONS` maps the key of a `referee.ruling.Reason` (a foul code or a step of the reasoning) to a sentence with places
for its values. `short_call` is what a referee says aloud; the reasoning with its clauses stands behind it.
A key without a sentence is shown as it stands: a new rule must never be hidden by a missing word.
"""

from collections.abc import Mapping

from referee.ruling import Reason, Ruling

REASONS: dict[str, str] = {
    # Fouls
    "NO_CONTACT": "The cue ball touched no object ball.",
    "WRONG_FIRST": "The cue ball met the {first}-ball first; the {on}-ball was on.",
    "NO_RAIL": "After the contact no ball fell and no ball reached a cushion.",
    "FROZEN": "The {ball}-ball was announced frozen ({to}); after it was met first nothing fell or reached a cushion that counts.",
    "SCRATCH": "The cue ball fell into pocket {pocket}.",
    "CUE_OFF": "The cue ball left the table.",
    "OB_OFF": "Off the table: {balls}.",
    "BREAK_FEW_RAILS": "The break pocketed nothing and brought {count} numbered balls to a cushion; four are needed.",
    "TOUCH": "Ball {ball} was touched ({by}).",
    "TOUCH_AFTER": "Ball {ball} was touched ({by}) after the balls had come to rest.",
    "PLACEMENT": "Ball {ball}: the cue ball in hand was not placed as the rules require, or touched a ball while being placed.",
    "DOUBLE_HIT": "The tip met the cue ball a second time.",
    "PUSH": "The tip stayed on the cue ball longer than a stroke.",
    "TIP_ONLY": "The cue ball was struck with something other than the tip.",
    "FEET": "No foot was on the floor at the stroke.",
    "BALLS_MOVING": "The stroke was made before the balls had come to rest.",
    "JUMP_MASSE": "Without a referee: the obstructing {ball}-ball moved in an attempt to {stroke}.",
    "KITCHEN": "From behind the head string the {ball}-ball, which lies behind it too, was played directly.",
    "ILLEGAL_JUMP": "The cue ball was scooped into the air.",
    "RESPONSIBILITY": "Something that the player brought to the table disturbed a ball.",
    "UNSPORTSMANLIKE": "Unsportsmanlike conduct, stated by the official.",
    "INTERFERENCE": "Player {player}, whose inning it is not, touched ball {ball}.",
    "OUT_OF_TURN": "Player {player} shot out of turn.",
    # Consequences
    "one_foul": "Several violations in one stroke are one foul.",
    "three_fouls": "Third foul in a row by player {player}, who had been warned: the rack is lost.",
    "unwarned_third": "Player {player} had not been warned, so this third foul counts as the second.",
    "ball_in_hand": "Player {player} has the cue ball in hand anywhere on the table.",
    "inning_over": "A foul between strokes ends the inning of player {player}.",
    "rack_won": "The 9 fell on a legal shot: rack to player {player}.",
    "match_over": "Player {player} has the agreed number of racks and wins the match.",
    "next_breaker": "Player {player} breaks next.",
    "legal_break": "The break was legal.",
    "kept": "Pocketed on a legal shot: {balls}. Player {player} continues.",
    "passed": "Nothing fell on a legal shot; player {player} plays from the position.",
    "push_out_open": "Player {player} may declare a push-out.",
    "push_out": "Push-out without a foul: player {player} plays from the position or gives the shot back.",
    "declared_too_late": "The push-out was not open on this stroke; the declaration is refused.",
    "split_hit": "Hits that could not be told apart ({balls}) are read in the shooter's favour.",
    "not_declared_frozen": "The ball was not announced as frozen, so that its cushion counts.",
    "count_cleared": "The foul count of player {player} is cleared.",
    "counts_restart": "Foul counts start again with the next rack.",
    "three_point_break": "Fewer than three balls fell or passed the head string: player {player} accepts the table or hands it back.",
    "stay_down": "These balls stay down: {balls}.",
    "nine_spotted": "The 9 is spotted.",
    # Between strokes
    "put_back": "Put back where they were: {balls}.",
    "may_restore": "Without a referee touching {balls} is no foul; player {player} may have it put back.",
    "dropped_as_shot_at": "The hanging {ball}-ball dropped as it was shot at: it and the cue ball go back, and the stroke is played again.",
    "play_on": "Nothing changes; play goes on.",
    "placed_wrong": "The cue ball may not lie there; it is to be placed again.",
    "PLAY_POSITION": "Player {player} plays from the position.",
    "RETURN_SHOT": "Player {player} gives the shot back to player {other}.",
    "ACCEPT_TABLE_NO_PUSH_OUT": "Player {player} accepts the table, without a push-out.",
    "RETURN_SHOT_PUSH_OUT_ALLOWED": "Player {player} hands the shot back to player {other}, who may push out.",
    "push_out_declared": "Player {player} declares a push-out.",
    "restored": "Player {player} has the moved ball put back.",
    "refused": "{option} is not open to player {player} now; nothing changes.",
    "outside": "Moved from outside: put back, no penalty.",
    "rack_lost": "Moved from outside and not to be put back: the rack is played again with the same breaker.",
    "stalemate": "Stalemate: the player who broke breaks again.",
    # 14.1 continuous: fouls
    "BREAK_VIOLATION": "The break made no called ball; the cue ball {cue} a cushion and {count} object balls did: it and two are needed.",
    "DELIBERATE": "Player {player} deliberately influenced ball {ball} on its way to a pocket or to the racking area.",
    # 14.1 continuous: the stroke
    "s141_made": "Called and made: {balls}. A point each for player {player}, who continues.",
    "s141_missed": "The called ball was not made; player {player} plays from the position.",
    "s141_safety": "A declared safety, legally played; player {player} is next.",
    "s141_safety_foul": "A safety must be a legal stroke too.",
    "s141_no_call": "Nothing was called, so nothing counts; player {player} is next.",
    "s141_break_called": "The called ball was made, so the break is legal.",
    "s141_break_driven": "The cue ball and two object balls reached cushions, so the break is legal.",
    "s141_rebreak": "An ordered break is played under the rules of the opening break.",
    "s141_any_ball": "After a new rack any ball may be played, and there is no break requirement.",
    "s141_crossed": "The cue ball crossed the head string before it met the {ball}-ball.",
    "s141_frozen_met": "The {ball}-ball counts as frozen, and what that asks for was done.",
    "s141_rail_top": "It rode the rail top and came back by itself, so it is not off the table: {balls}.",
    "s141_rebound": "It came back from the pocket, so it is not pocketed: {balls}.",
    "s141_near_rail": "Safety number {count} in a row on the {ball}-ball by its nearest cushion only; after two the ball counts as frozen.",
    "s141_spotted": "Spotted: {balls}.",
    "s141_no_rerack": "The fourteenth ball did not fall legally ({balls}), so nothing is racked.",
    "s141_rerack": "The fourteenth ball has fallen: {balls} balls are racked.",
    "s141_match_over": "Player {player} has reached {points} points and wins.",
    # 14.1 continuous: penalties
    "s141_points": "{points} point off for player {player}, now on {count} in a row.",
    "s141_break_points": "Breaking violation: {points} points off for player {player}, without an entry in the foul count.",
    "s141_third_points": "Third foul in a row: {points} points off for player {player}, whose record is then clear.",
    "s141_deliberate_points": "Deliberate foul: {points} points off for player {player}.",
    "s141_below_zero": "The score of player {player} is {points}; it may be below zero.",
    "s141_choice": "Player {player} accepts the table, or has all fifteen racked and player {other} break.",
    "s141_must_break": "All fifteen are racked, and player {player} must break.",
    "s141_kitchen": "Player {player} has the cue ball in hand behind the head string.",
    "s141_lies": "Player {player} takes the cue ball where it lies.",
    # 14.1 continuous: between strokes
    "ACCEPT_TABLE": "Player {player} accepts the table.",
    "RERACK_OFFENDER_BREAKS": "Player {player} has all fifteen racked, and player {other} breaks.",
    "s141_spot_nearest": "All object balls lie behind the head string; at player {player}'s wish the nearest, the {ball}-ball, is spotted.",
    "s141_equal": "Equally near the head string: {balls}. Player {player} chooses which is spotted.",
    "s141_fell_late": "Hung too short to be put back and fell with the stroke before: {balls}.",
    "s141_rack_lost": "Moved from outside and not to be put back: the rack is abandoned, and a lag decides who breaks; the score stays.",
    "s141_stalemate": "Stalemate: the rack is abandoned, and a lag decides who breaks; the score stays.",
}

FOUL_CALLS: dict[str, str] = {
    "NO_CONTACT": "no ball hit",
    "WRONG_FIRST": "{first}-ball first",
    "NO_RAIL": "no rail after contact",
    "FROZEN": "frozen {ball}-ball",
    "SCRATCH": "scratch",
    "CUE_OFF": "cue ball off the table",
    "OB_OFF": "off the table: {balls}",
    "BREAK_FEW_RAILS": "break, {count} balls to a rail",
    "TOUCH": "ball touched",
    "TOUCH_AFTER": "ball touched after the shot",
    "PLACEMENT": "placement",
    "DOUBLE_HIT": "double hit",
    "PUSH": "push",
    "FEET": "no foot on the floor",
    "BALLS_MOVING": "balls moving",
    "JUMP_MASSE": "ball moved in a jump or masse",
    "BREAK_VIOLATION": "breaking violation",
    "KITCHEN": "played directly at a ball behind the head string",
    "DELIBERATE": "deliberate foul",
    "THREE_FOULS": "third foul in a row",
    "INTERFERENCE": "interference",
    "OUT_OF_TURN": "out of turn",
}
"""The short form of a foul, as said aloud."""

CUE_CALLS = {"hand_anywhere": "Ball in hand.", "hand_kitchen": "Ball in hand behind the head string."}


def reason_text(reason: Reason) -> str:
    """The sentence of a reason.

    >>> reason_text(Reason("WRONG_FIRST", ("N9-8",), {"first": "5", "on": "3"}))
    'The cue ball met the 5-ball first; the 3-ball was on.'
    """
    return _fill(REASONS.get(reason.key, reason.key), reason.values)


def short_call(ruling: Ruling) -> str:
    """What a referee says aloud: the call first, then what it means for the next stroke.

    >>> short_call(Ruling(foul=True, foul_codes=("SCRATCH",), turn="B", cue_next="hand_anywhere"))
    'Foul: scratch. Ball in hand.'
    """
    after = f" Match to {ruling.winner}." if ruling.match_over else f" Rack to {ruling.winner}." if ruling.rack_over else ""
    if ruling.foul:
        values = {reason.key: reason.values for reason in ruling.reasons}
        fouls = ", ".join(_fill(FOUL_CALLS.get(code, code), values.get(code, {})) for code in ruling.foul_codes)
        cue = CUE_CALLS.get(ruling.cue_next or "", "")
        return f"Foul: {fouls}.{after or (' ' + cue if cue else '')}"
    if after:
        return f"Legal.{after}"
    if ruling.turn.startswith("decide:"):
        return f"Legal. Player {ruling.decider} chooses."
    return f"Legal. Player {ruling.decider or '-'} to shoot."


def _fill(text: str, values: Mapping[str, str]) -> str:
    """The sentence with its values; one that is missing shows as a question mark rather than stopping the referee."""
    for key, value in values.items():
        text = text.replace("{" + key + "}", value)
    head, *rest = text.split("{")
    return head + "".join("?" + part.partition("}")[2] for part in rest)
