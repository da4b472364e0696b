"""Rulings and events in a referee's words, one place for terminal, report and video; standard library only.

Input is a shot of the `cueref.review/1` object (design.md). Unknown codes are shown as they stand: a new rule must
never be hidden by a missing word.
"""

from collections.abc import Mapping
from typing import Any

from calibration.equipment import BallId
from referee.words_en import FOUL_CALLS

Shot = Mapping[str, Any]
"""A shot of the review object."""

GAMES = {
    "nine_ball": "Nine-ball",
    "straight_14_1": "14.1 continuous",
    "free_pyramid": "Free pyramid",
    "combined_pyramid": "Combined pyramid",
    "dynamic_pyramid": "Dynamic pyramid",
    "classic_pyramid": "Classic pyramid",
}
POCKETS = {
    "HL": "head left corner",
    "HR": "head right corner",
    "SL": "left side",
    "SR": "right side",
    "FL": "foot left corner",
    "FR": "foot right corner",
}
PLAIN_FOULS = {
    "WRONG_FIRST": "wrong ball first",
    "FROZEN": "frozen ball not played as required",
    "OB_OFF": "object ball off the table",
    "BALL_OFF": "ball off the table",
    "BREAK_FEW_RAILS": "break, nothing pocketed and fewer than four balls to a rail",
    "BREAK_VIOLATION": "break requirement not met",
    "BREAK_WEAK": "break too weak",
    "KITCHEN": "played straight at a ball behind the head string",
    "DELIBERATE": "deliberate foul",
    "TIME": "out of time",
}
"""Foul codes without their values, where `referee.words_en` has no form that does without."""
CUE_NEXT = {
    "hand_anywhere": "Ball in hand",
    "hand_kitchen": "Ball in hand behind the head string",
    "hand_house": "Ball in hand from the house",
    "hand_temp_house": "Ball in hand behind the rear line",
    "head_spot": "Cue ball on the head spot",
    "centre_spot": "Cue ball on the centre spot",
    "free_choice": "Any ball may be struck",
}
OPTIONS = {
    "DECLARE_PUSH_OUT": "may declare a push-out",
    "PLAY_POSITION": "play from the position",
    "RETURN_SHOT": "give the shot back",
    "RESTORE_BALL": "have the moved ball put back",
    "RERACK_OFFENDER_BREAKS": "have the balls racked again, the offender breaks",
    "RERACK_SELF_BREAKS": "have the balls racked again and break",
    "ACCEPT_TABLE": "take the table as it lies",
}


def ball_name(ball: BallId | None) -> str:
    """How a referee calls a ball.

    >>> ball_name("cue"), ball_name("3"), ball_name("w2"), ball_name(None)
    ('cue ball', '3-ball', 'white 2', 'a ball')
    """
    if ball is None:
        return "a ball"
    if ball == "cue":
        return "cue ball"
    if ball == "Y":
        return "coloured ball"
    if ball.startswith("w") and ball[1:].isdecimal():
        return f"white {ball[1:]}"
    return f"{ball}-ball" if ball.isdecimal() else f"ball {ball}"


def pocket_name(pocket: str | None) -> str:
    """A pocket in words; an unknown one as it stands."""
    return f"{POCKETS[pocket]} pocket" if pocket in POCKETS else str(pocket or "a pocket")


def game_name(game: str) -> str:
    """A game in words; an unknown one as it stands."""
    return GAMES.get(game, game)


def clock_text(time_s: float) -> str:
    """A time of the recording as a person reads it off a player.

    >>> clock_text(72.049), clock_text(3675.5)
    ('1:12.05', '1:01:15.50')
    """
    hundredths = round(time_s * 100)
    minutes, rest = divmod(abs(hundredths), 6000)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if hundredths < 0 else ""
    start = f"{hours}:{minutes:02d}" if hours else f"{minutes}"
    return f"{sign}{start}:{rest / 100:05.2f}"


def event_text(event: Mapping[str, Any]) -> str:
    """One event of a shot in words, without its time.

    >>> event_text({"type": "ball_ball", "a": "cue", "b": "3"})
    'cue ball meets 3-ball'
    """
    kind = str(event.get("type"))
    ball = ball_name(event.get("ball"))
    texts = {
        "cue_contact": "tip strikes the cue ball",
        "ball_ball": f"{ball_name(event.get('a'))} meets {ball_name(event.get('b'))}",
        "ball_cushion": f"{ball} touches the {event.get('cushion')} cushion",
        "pocketed": f"{ball} falls into the {pocket_name(event.get('pocket'))}",
        "pocket_rebound": f"{ball} comes back out of the {pocket_name(event.get('pocket'))}",
        "off_table": f"{ball} leaves the table",
        "rail_top": f"{ball} touches the top of a rail and comes back",
        "centre_line": f"{ball} crosses the centre line",
        "head_line": f"{ball} crosses the head string",
        "spontaneous_drop": f"{ball} falls by itself into the {pocket_name(event.get('pocket'))}",
        "touch": f"{ball} is touched ({event.get('by', 'other')})",
        "placement": f"{ball} is placed",
        "stop": "all balls at rest",
    }
    return texts.get(kind, kind.replace("_", " "))


def player_name(player: str, players: Mapping[str, str] | None) -> str:
    """The name given for A or B, else "player A"; "A" itself is no name."""
    name = (players or {}).get(player)
    return name if name and name != player else f"player {player}"


def call_text(shot: Shot, players: Mapping[str, str] | None = None) -> str:
    """The call of one shot in one line, as it would be spoken.

    Args:
        shot: A shot of the review object.
        players: Names for A and B where given.

    >>> call_text({"verdict": "foul", "foul_codes": ["WRONG_FIRST"], "first_contact": {"5": 1.0}, "turn": "B",
    ...            "result": {"cue_next": "hand_anywhere"}})
    'Foul: 5-ball first. Ball in hand for player B.'
    """
    verdict = shot.get("verdict")
    if verdict == "undecided":
        return _undecided(shot)
    result: Mapping[str, Any] = shot.get("result") or {}
    fallen = [str(ball) for ball, _ in shot.get("pocketed") or ()]
    if verdict == "foul":
        said = [f"Foul: {', '.join(foul_text(str(code), shot) for code in shot.get('foul_codes') or ())}."]
    elif _is_push_out(shot):
        said = ["Push-out."]
    elif fallen:
        said = [f"Legal: {_join([ball_name(ball) for ball in fallen])} pocketed."]
    else:
        said = ["Legal, nothing pocketed."]
    spotted = [ball_name(ball) for ball in result.get("spotted") or ()]
    if spotted:
        said.append(f"{_join(spotted).capitalize()} spotted.")
    said.append(_next(shot, result, players))
    return " ".join(part for part in said if part)


def _undecided(shot: Shot) -> str:
    differs = list(dict.fromkeys(str(reading["differs"]) for reading in shot.get("readings") or () if reading.get("differs")))
    why = "; ".join(differs[:2]) or next(iter(shot.get("reasons") or ()), "")
    default = {"legal": "no foul", "foul": "foul"}.get(str(shot.get("default")), "")
    stands = f" Until a person decides: {default}." if default else ""
    return f"Undecided: {why.rstrip('.')}.{stands}" if why else f"Undecided.{stands}"


def _is_push_out(shot: Shot) -> bool:
    call = (shot.get("state_before") or {}).get("call") or {}
    return call.get("kind") == "push_out"


def foul_text(code: str, shot: Shot) -> str:
    """A foul code in words, with the balls where the shot tells them."""
    contacts = {key: p for key, p in (shot.get("first_contact") or {}).items() if key not in ("none", "unknown")}
    if code == "WRONG_FIRST" and contacts:
        return f"{ball_name(max(contacts, key=lambda key: contacts[key]))} first"
    gone = [ball_name(ball) for ball in shot.get("off_table") or () if ball != shot.get("cue_ball")]
    if code == "OB_OFF" and gone:
        return f"{_join(gone)} off the table"
    said = FOUL_CALLS.get(code, code)
    return PLAIN_FOULS.get(code, code) if "{" in said or code not in FOUL_CALLS else said


def _next(shot: Shot, result: Mapping[str, Any], players: Mapping[str, str] | None) -> str:
    turn = str(shot.get("turn") or result.get("turn") or "")
    winner = result.get("winner")
    if result.get("match_over"):
        return f"Match to {player_name(str(winner), players)}." if winner else "Match over."
    if result.get("rack_over"):
        return f"Rack to {player_name(str(winner), players)}." if winner else "Rack over."
    decides = turn.startswith("decide:")
    name = player_name(turn.removeprefix("decide:"), players) if turn.removeprefix("decide:") in ("A", "B") else ""
    if not name:
        return ""
    cue_next = CUE_NEXT.get(str(result.get("cue_next")), "")
    if cue_next:
        return f"{cue_next} for {name}."
    if decides:
        options = [OPTIONS.get(option, option) for option in result.get("options") or ()]
        return f"{_capital(name)} decides{': ' + ' or '.join(options) if options else ''}."
    shooter = (shot.get("state_before") or {}).get("shooter")
    push_out = " A push-out may be declared." if result.get("push_out_available") else ""
    return (f"{_capital(name)} continues." if turn == shooter else f"{_capital(name)} to shoot.") + push_out


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _join(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
