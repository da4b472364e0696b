"""What may have been called where nobody said so: a call-shot game judges every call that would change the ruling; plain module.

Where no ball fell, a call makes no difference, and none is supposed. Where balls fell, each of them may have been the
called one, or none: the ruling is certain only if all of these give it, otherwise a person is asked what was called.
"""

from referee.rules.base import Call
from tracker.shot import Shot

CALL_SHOT_GAMES = ("straight_14_1",)
"""Games in which ball and pocket are named before the stroke (S141-1.1)."""


def possible_calls(game: str, call: Call | None, shot: Shot) -> tuple[Call | None, ...]:
    """The calls that can have been made for a shot, the recorded one alone where there is one.

    Without one, first no call at all: that nothing counts is what stands until a person says otherwise.
    """
    if call is not None or game not in CALL_SHOT_GAMES:
        return (call,)
    fell = [
        (event.fields["ball"], event.fields["pocket"])
        for event in shot.events
        if event.type == "pocketed" and event.fields["ball"] != shot.cue_ball
    ]
    return (None, *(Call(kind="ball", ball=ball, pocket=pocket) for ball, pocket in dict.fromkeys(fell)))
