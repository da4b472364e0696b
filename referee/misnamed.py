"""A ball that may bear another name than the tracker gave it; plain module, standard library only.

`first_contact` of a shot line can give a share to a ball that is not in the layout. No such ball can have been met: it is
the likeliest ball that may be that one. The doubt `identity` says the same of every other ball. In such a reading the ball
has the other name throughout, before, during and after the shot (two balls exchange names where both are there), so that
a 5 which may be a 3 is still the lowest ball when nothing lower is on the table, and a 7 which may be a 2 can make it the
wrong one. Rulings are compared with the names put back: whether a fallen ball is called 5 or 3 changes no ruling by itself.

Fails: doubts about several names at once are weighed one at a time, as if they excluded each other.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from referee.rules.base import State
from tracker.shot import Shot

NO_BALLS = ("none", "unknown")
MOST_IN_DOUBT = 0.99
"""Single doubts are weighed as if they excluded each other; their sum is held below this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """One way to name the balls of a shot.

    Attributes:
        p: Its probability.
        shot: The shot under these names.
        names: The tracker's name to the other one; empty for the tracker's own. Read only.
    """

    p: float
    shot: Shot
    names: Mapping[str, str] = field(default_factory=dict)

    def rename(self, state: State) -> State:
        """A state under these names."""
        if not self.names:
            return state
        return replace(
            state,
            balls=tuple(self.names.get(ball, ball) for ball in state.balls),
            positions={self.names.get(ball, ball): place for ball, place in state.positions.items()},
        )

    def put_back(self, value: Any) -> Any:
        """A ruling's data with the tracker's names; a ball that a rack brings back bears the name that came free."""
        if not self.names:
            return value
        back = {new: old for old, new in self.names.items()}
        for old in self.names.keys() - back.keys():
            back[old] = self._last_name(old)
        return _mapped(value, back)

    def _last_name(self, ball: str) -> str:
        while ball in self.names:
            ball = self.names[ball]
        return ball


def namings(shot: Shot) -> Iterator[Naming]:
    """The tracker's names first, then every other single doubt about a name; their probabilities add up to 1."""
    strangers = {name: p for name, p in shot.first_contact.items() if name not in shot.before and name not in NO_BALLS and p > 0}
    known = {name: p for name, p in shot.first_contact.items() if name not in strangers}
    met = max((name for name in known if name not in NO_BALLS), key=lambda name: known[name], default=None)
    others: list[tuple[float, dict[str, str]]] = []
    if met is None:
        known = dict(shot.first_contact)
    else:
        others += [(p, {met: name}) for name, p in strangers.items()]
    others += [(p, names) for p, names in _doubted(shot) if met not in names]
    total = sum(p for p, _ in others)
    scale = min(1.0, MOST_IN_DOUBT / total) if total > 0 else 1.0
    kept = 1.0 - sum(p for name, p in shot.first_contact.items() if name not in known)  # what is left out of 1 stays left out
    yield Naming(p=1.0 - scale * total, shot=replace(shot, first_contact={name: p / kept for name, p in known.items()}))
    for p, names in others:
        yield Naming(p=scale * p, shot=_renamed(shot, names, met if met in names else None), names=names)


def _doubted(shot: Shot) -> Iterator[tuple[float, dict[str, str]]]:
    """Other names of balls but the struck one, which no name makes another; each pair of names once."""
    pairs: set[frozenset[str]] = set()
    for doubt in shot.doubts:
        for ball, others in doubt.names.items():
            for name, p in others.items():
                pair = frozenset((ball, name))
                if shot.cue_ball in pair or ball not in shot.before or pair in pairs:
                    continue
                pairs.add(pair)
                yield p, {ball: name, name: ball} if name in shot.before else {ball: name}


def _renamed(shot: Shot, names: Mapping[str, str], met: str | None) -> Shot:
    """The shot with other names; `met`, where given, is renamed and was surely the ball met first."""
    firsts = {names[met]: 1.0} if met is not None else {names.get(name, name): p for name, p in shot.first_contact.items()}
    return replace(
        shot,
        before={names.get(ball, ball): place for ball, place in shot.before.items()},
        after={names.get(ball, ball): place for ball, place in shot.after.items()},
        before_px={names.get(ball, ball): place for ball, place in shot.before_px.items()},
        events=tuple(replace(event, fields=_mapped(dict(event.fields), names)) for event in shot.events),
        first_contact=firsts,
        doubts=tuple(replace(doubt, balls=tuple(names.get(ball, ball) for ball in doubt.balls)) for doubt in shot.doubts),
    )


def _mapped(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list | tuple):
        return [_mapped(item, names) for item in value]
    if isinstance(value, Mapping):
        return {names.get(key, key): _mapped(item, names) for key, item in value.items()}
    return value
