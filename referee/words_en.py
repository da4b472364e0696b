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
    # Pyramid: violations
    "COND20": "None of the conditions of item 20 was completed in its order after the contact.",
    "BREAK_WEAK": "The initial stroke did not disperse the balls: none fell, and too few reached cushions.",
    "WRONG_CUE_BALL": "Ball {ball} was struck; only the coloured ball is the cue ball here.",
    "HOUSE_FIRST": "From the hand, ball {ball} inside the house was met first.",
    "SVOI_FROM_HAND": "The cue ball fell on a stroke from the hand, on which only an object ball may fall.",
    "CUE_ILLEGAL_POCKET": "The cue ball fell on a stroke that was not legal.",
    "BALL_OFF": "Off the table: {balls}.",
    "TIME": "The time limit of {limit} s was exceeded.",
    # Pyramid: why a stroke is legal
    "pyr_20_c1": "A ball fell, which satisfies item 20.",
    "pyr_20_2r": "A ball came off a cushion, and it or a ball that it drove reached another one.",
    "pyr_20_2u": "Two balls each reached a cushion.",
    "pyr_20_3r": "A ball crossed the centre line, and it or a ball that it drove reached a cushion.",
    "pyr_20_3c": "A ball crossed the centre line or came off a cushion and touched a ball frozen to a cushion.",
    "pyr_20_4a": "A ball came off a cushion and crossed the centre line.",
    "pyr_20_4b": "A ball came off a cushion and rolled another over the centre line.",
    "pyr_20_n2a": "The frozen ball met the cue ball a second time and sent it to another cushion or over the centre line.",
    "pyr_20_n2b": "The ball had been announced as frozen, and the cue ball went to another cushion or over the centre line.",
    "pyr_legal_break": "The initial stroke dispersed the balls.",
    "pyr_rebound": "It jumped back from the pocket, so it is not pocketed: {balls}.",
    "pyr_rail_top": "It touched the top of a cushion and came back by itself, so it is not off the table: {balls}.",
    "pyr_on_line": "At rest on the centre line counts as a crossing in the striker's favour: {balls}.",
    "pyr_from_hand": "From the hand a ball outside the house was met first, so any ball may fall that the game allows.",
    "pyr_spotted_cue": "Any ball may be the cue ball, a spotted one too: {ball}.",
    # Pyramid: what follows
    "pyr_made": "Legally pocketed: {balls}. They count for player {player}, who continues.",
    "pyr_own_ball": "The cue ball fell off an object ball: player {player} takes an object ball for it and plays from the hand.",
    "pyr_passed": "Nothing counted on a legal stroke; player {player} plays.",
    "pyr_forfeited": "The exchange ball was not taken before the stroke: it stays, and the point of player {player} is taken back.",
    "pyr_spotted": "Spotted: {balls}.",
    "pyr_one_penalty": "Several violations in one stroke are one penalty.",
    "pyr_penalty_ball": "Penalty: player {player} takes a ball from the table, one point.",
    "pyr_points_to": "Penalty: five points to player {player}.",
    "pyr_points_off": "Penalty: five points off for player {player}.",
    "pyr_from_house": "Player {player} plays from the hand.",
    "pyr_won": "Player {player} has the points and wins the game.",
    "pyr_no_winner": "All balls are gone and nobody has the points: the tournament's rules decide.",
    "pyr_break_choice": "Player {player} takes the table as it lies, or has the balls racked again and breaks.",
    "pyr_reracked": "The balls are racked again, and player {player} plays the initial stroke.",
    # Pyramid: between strokes
    "pyr_replay": "Ball {ball} fell by itself before it would have been hit: everything goes back, and the stroke is played again.",
    "pyr_fell_late": "Hesitated on the lip and fell with the stroke before: {balls}. It counts for player {player}.",
    "pyr_temp_house": "All object balls lie in the house: player {player} plays from behind the rear line.",
    "pyr_placing": "Player {player} places the cue ball.",
    "pyr_position_lost": "The position is lost: the balls are racked again, a lag decides who plays the initial stroke, the score stays.",
    "pyr_no_limit": "No time limit has been introduced.",
    "pyr_extension": "Player {player} has announced an extension in time: the limit is doubled for this stroke.",
    "pyr_extension_refused": "The extension that player {player} asked for is refused.",
    "CHOOSE_PENALTY_BALL": "Player {player} takes his penalty ball: {ball}.",
    "CHOOSE_REMOVED_BALL": "Player {player} takes a ball in exchange for the cue ball: {ball}.",
    "PASS_BACK": "Player {player} lets player {other} go on from the position.",
    "RERACK_SELF_BREAKS": "Player {player} has the balls racked again and breaks.",
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
    "COND20": "item 20 not met",
    "BREAK_WEAK": "initial stroke too weak",
    "WRONG_CUE_BALL": "wrong cue ball",
    "HOUSE_FIRST": "ball in the house first",
    "SVOI_FROM_HAND": "cue ball pocketed from the hand",
    "CUE_ILLEGAL_POCKET": "cue ball illegally pocketed",
    "BALL_OFF": "off the table: {balls}",
    "TIME": "time",
}
"""The short form of a foul, as said aloud."""

CUE_CALLS = {"hand_anywhere": "Ball in hand.", "hand_kitchen": "Ball in hand behind the head string.", "hand_house": "From the house."}


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
