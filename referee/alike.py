"""Whites of pyramid that a camera cannot tell apart; plain module.

Their names are labels: `w7` is the ball followed under that name, not the one with a 7 on it. So of the balls that the log
expects and those that a layout shows only the numbers of whites can agree or differ, and a white that a person names in a
decision without its being on the table by the log (a calls file with the numbers on the balls) is one of those that are.

Not for classic pyramid, where a ball's number is its worth (CLA-5.1): there the labels stand for the numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from referee.rules.base import Ruleset, State
from referee.rules.pyramid import Pyramid
from referee.rules.pyramid_variants import COLOURED


def are_alike(rules: Ruleset) -> bool:
    """True for games whose whites count alike."""
    return isinstance(rules, Pyramid) and not rules.variant.is_called


def as_seen(rules: Ruleset, state: State, seen: Sequence[str]) -> State:
    """The state with the labels of a layout: each white it lacks stands for one it shows under another label."""
    if not are_alike(rules):
        return state
    missing = [ball for ball in state.balls if ball not in seen and ball != COLOURED]
    further = [ball for ball in seen if ball not in state.balls and ball != COLOURED]
    names = dict(zip(missing, further, strict=False))
    if not names:
        return state
    return replace(
        state,
        balls=tuple(ball for ball in rules.ball_set.balls if ball in {names.get(old, old) for old in state.balls}),
        positions={names.get(ball, ball): place for ball, place in state.positions.items()},
        cue_ball=names.get(state.cue_ball, state.cue_ball),
    )


def on_table(rules: Ruleset, state: State, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """A decision's fields, the white it names being one that is on the table by the log."""
    option, _, ball = str(fields.get("option", "")).partition(":")
    if not are_alike(rules) or ball in ("", COLOURED) or ball not in rules.ball_set.balls or ball in state.balls:
        return fields
    whites = [white for white in state.balls if white not in (COLOURED, state.cue_ball)]
    return {**fields, "option": f"{option}:{whites[-1]}"} if whites else fields
