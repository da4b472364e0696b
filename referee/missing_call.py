"""What may have been called where nobody said so: a call-shot game judges every call that would change the ruling; plain module.

Where no ball fell, a call makes no difference, and none is supposed. Where balls fell, each of them may have been the
called one, or none: the ruling is certain only if all of these give it, otherwise a person is asked what was called.
Where the match is set up so (`--assume-calls`), the ball that fell is taken as called instead, and said to be assumed.
"""

from dataclasses import replace

from referee.rules.base import Call
from tracker.shot import Shot

CALL_SHOT_GAMES = ("straight_14_1", "classic_pyramid")
"""Games in which ball and pocket are named before the stroke (S141-1.1, CLA-5.2)."""

_NEVER_CALLED = ("cue", "Y")
"""Also where another ball was struck, or none that was seen."""
_TURNED = {"HL": "FR", "FR": "HL", "HR": "FL", "FL": "HR", "SL": "SR", "SR": "SL"}
"""The pockets when the other end is the foot."""


def possible_calls(game: str, call: Call | None, shot: Shot, *, ends_known: bool = True) -> tuple[Call | None, ...]:
    """The calls that can have been made for a shot, the recorded one alone where there is one.

    Without one, first no call at all: that nothing counts is what stands until a person says otherwise. A call by number
    where the numbers of the balls that fell were not read may or may not be of one of those in the called pocket; and where
    nothing shows which end is the foot, the pocket of that name may be either of two.
    """
    if game not in CALL_SHOT_GAMES:
        return (call,)
    if call is not None:
        return _as_labelled(call, shot, ends_known)
    return (None, *(Call(kind="ball", ball=ball, pocket=pocket) for ball, pocket in _falls(shot)))


def _as_labelled(call: Call, shot: Shot, ends_known: bool) -> tuple[Call | None, ...]:
    """The call in the names of the recording: its ball may be any unread one that fell in its pocket, or none of them."""
    pockets = [call.pocket] if ends_known or call.pocket is None else [call.pocket, _TURNED[call.pocket]]
    unread = {ball for doubt in shot.doubts if doubt.kind == "identity" and not doubt.names for ball in doubt.balls}
    fell = [place for place in _falls(shot) if place[0] in unread and place[1] in pockets]
    if fell:
        return (None, *(Call(kind="ball", ball=ball, pocket=pocket) for ball, pocket in fell))
    return tuple(replace(call, pocket=pocket) for pocket in pockets)


def assumed_call(game: str, shot: Shot) -> Call | None:
    """The ball that fell as the called one: the surest, and of equals the first; None where nothing fell or no call is needed."""
    falls = _falls(shot) if game in CALL_SHOT_GAMES else {}
    if not falls:
        return None
    ball, pocket = max(falls, key=lambda fall: round(falls[fall], 1))
    return Call(kind="ball", ball=ball, pocket=pocket)


def _falls(shot: Shot) -> dict[tuple[str, str], float]:
    """Object balls that may have fallen and where, in order of time, with the chance."""
    fell: dict[tuple[str, str], float] = {}
    for event in shot.events:
        if event.type == "pocketed" and event.fields["ball"] not in (*_NEVER_CALLED, shot.cue_ball):
            place = (event.fields["ball"], event.fields["pocket"])
            fell[place] = max(event.p, fell.get(place, 0.0))
    return fell
