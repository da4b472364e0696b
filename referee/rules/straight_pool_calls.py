"""14.1: what was called and when a stroke is a break; plain module.

The seed asks for a call on every stroke and knows no obvious ones (A-S13); a stroke without a call scores nothing.
"""

from referee.rules import facts
from referee.rules.base import Case

BALLS = ("cue", *(str(number) for number in range(1, 16)))
BREAKS = ("break", "rebreak")
"""Phases under the rules of the opening break (S141-6)."""
REPLY_PHASES = ("break_reply", "three_foul_reply")
REPLIES = ("ACCEPT_TABLE", "RERACK_OFFENDER_BREAKS")
"""The choice after a breaking violation, a third or a deliberate foul (S141-6.4, 7.5c, 12.6)."""
LAST_OF_RACK = 1
"""Object balls left when a new rack is due: the fourteenth has fallen (S141-7.3a)."""


def is_called_made(case: Case) -> bool:
    """S141-1.1, 7.1: the ball named fell into the pocket named."""
    call = case.state.call
    return call is not None and call.kind == "ball" and (call.ball, call.pocket) in facts.pocketed(case)


def is_safety(case: Case) -> bool:
    """S141-7.4: a safety was declared."""
    return case.state.call is not None and case.state.call.kind == "safety"
