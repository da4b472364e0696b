"""Passages of the four games of pyramid: what has to happen, and how it is ruled (rules.md 2.4 to 2.8, clauses beside each)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sample_videos.drafts import Draft, Drafter
from sample_videos.kinds import Outcome
from sample_videos.script import Script, need, ruling
from sample_videos.scripts_pool import no_contact
from sample_videos.simulate import Simulation, fly

_PENALTY = ("CHOOSE_PENALTY_BALL", "PLAY_POSITION", "PASS_BACK")
_SPOT_ROOM_M = 0.003
"""The rear mark counts as free when no ball comes nearer to one spotted there."""


def _state(d: Drafter, **fields: Any) -> dict[str, Any]:
    return {
        "table": d.name,
        "shooter": "A",
        "phase": "normal",
        "cue_state": "position",
        "scores": {"A": 0, "B": 0},
        "target": 8,
        "referee": True,
        "frozen": [],
        "clock": None,
        **fields,
    }


def _start(seed: int, table: str, game: str, number: int) -> Script:
    """In the middle of a game: eight whites and the coloured ball are left, A is at the table."""
    d = Drafter(table, np.random.default_rng([seed, number]), nine=False)
    return Script(game, d, d.layout(8), _state(d, scores={"A": 4, "B": 3}))


def _one_falls(o: Outcome, _: Simulation) -> bool:
    return o.first is not None and len(o.potted) == 1 and o.potted[0] not in ("Y", o.draft.cue_ball) and not o.early


def _own_ball_falls(o: Outcome, _: Simulation) -> bool:
    return o.first is not None and o.potted == [o.draft.cue_ball] and not o.early


def _score(s: Script, a: int, b: int) -> dict[str, int]:
    return {"A": s.state["scores"]["A"] + a, "B": s.state["scores"]["B"] + b}


def _point(s: Script, player: str) -> tuple[int, int]:
    return (1, 0) if player == "A" else (0, 1)


def _shelve(s: Script, player: str, draft: Draft) -> None:
    """The player takes what fell out of its pocket to his shelf (PYR-22.2)."""
    s.move(player, [(e["ball"], None) for e in draft.events if e["type"] == "pocketed"], "to the shelf")


def _pot(s: Script, cues: list[str]) -> None:
    """The player in turn pots one ball (PYR-20.c1, FREE-5.2) and goes on."""
    player = s.state["shooter"]
    draft = need(s.find(s.pots(cues), _one_falls, most=2500))
    s.play(draft, ruling(player, points=_point(s, player)))
    _shelve(s, player, draft)
    s.then(phase="normal", cue_state="position", scores=_score(s, *_point(s, player)))


def _take(s: Script, player: str, option: str) -> None:
    """The player takes a ball from the table to his shelf, one far from everything."""
    whites = [b for b in s.layout if b != "Y"]
    gaps = {b: min(float(np.hypot(*(s.layout[b] - p))) for c, p in s.layout.items() if c != b) for b in whites}
    ball = max(gaps, key=lambda b: gaps[b])
    s.say(type="decision", by=player, option=f"{option}:{ball}")
    s.move(player, [(ball, None)], "to the shelf")


def _spot_is_free(o: Outcome) -> bool:
    from sample_videos.kinds import finished

    spot = np.array([o.d.table.spec.length_m / 4, 0.0])
    return all(np.hypot(*(np.array(p) - spot)) > 2 * o.d.radius + _SPOT_ROOM_M for p in finished(o.draft).after.values())


def _spot(s: Script, ball: str) -> None:
    """The referee puts a ball on the rear mark (PYR-25.2a)."""
    s.move("R", [(ball, np.array([s.drafter.table.spec.length_m / 4, 0.0]))], "spotted")


def _penalty(s: Script, offender: str) -> None:
    """The other player takes a ball and plays from the position (PYR-30, FREE-7)."""
    other = "B" if offender == "A" else "A"
    s.then(shooter=other, phase="after_penalty", scores=_score(s, *_point(s, other)))
    _take(s, other, "CHOOSE_PENALTY_BALL")
    s.say(type="decision", by=other, option="PLAY_POSITION")


def free_pyramid(seed: int, table: str) -> Script:
    """A pots, then meets nothing: a penalty ball for B; B drives a ball off the table, it is spotted; A pots his own ball."""
    s = _start(seed, table, "free_pyramid", 5)
    _pot(s, list(s.layout))
    missed = need(s.find(s.anywhere(list(s.layout), fast=1.8), no_contact, most=2500))
    s.play(missed, ruling("decide:B", "NO_CONTACT", points=(0, 1), options=_PENALTY))  # PYR-29L.1, FREE-7
    _penalty(s, "A")

    def over_the_rail(o: Outcome, _: Simulation) -> bool:
        rails = {e["ball"] for e in o.rails}
        good = o.first is not None and not o.potted and not o.early and len(rails) >= 2
        return good and fly(o.draft, o.d.table, cue=False) and _spot_is_free(o)

    off = need(s.find(s.anywhere(list(s.layout), slow=3.5, fast=6.0), over_the_rail, most=3000))
    flown = next(iter(off.off_table))
    s.play(off, ruling("decide:A", "BALL_OFF", points=(1, 0), spotted=[flown], options=_PENALTY))  # PYR-24.3, 24.4
    _spot(s, flown)
    _penalty(s, "B")
    own = need(s.find(s.own_balls(list(s.layout)), _own_ball_falls, most=2500))
    s.play(own, ruling("A", points=(1, 0)))  # FREE-5.4
    s.then(phase="normal", scores=_score(s, 1, 0))
    return s


def combined_pyramid(seed: int, table: str) -> Script:
    """A pots the cue ball: an exchange ball and a premium stroke, on which a ball of the house is hit first and falls;
    it is spotted, B takes a ball and pots one, then pots the cue ball without a hit; A, from the house, pots."""
    s = _start(seed, table, "combined_pyramid", 6)
    own = need(s.find(s.own_balls(["Y"]), _own_ball_falls, most=2500))
    # COMB-5.2: the exchange ball is the point.
    s.play(own, ruling("A", points=(1, 0), options=("CHOOSE_REMOVED_BALL", "BIH_HOUSE"), cue_next="hand_house", next_phase="premium"))
    s.then(phase="premium", cue_state="hand_house", scores=_score(s, 1, 0))
    _take(s, "A", "CHOOSE_REMOVED_BALL")
    head = -s.drafter.table.spec.length_m / 4
    inside = [b for b, p in s.layout.items() if b != "Y" and p[0] < head - 0.01]

    def house_first(o: Outcome, _: Simulation) -> bool:
        good = o.first in inside and len(o.potted) == 1 and o.potted[0] != "Y" and not o.early
        return good and _spot_is_free(o)

    if not inside:
        need(None)
    zone = _in_house(s)
    draft = need(s.find(s.pots_from_hand("Y", inside, zone), house_first, most=1500))
    fallen = next(e["ball"] for e in draft.events if e["type"] == "pocketed")
    s.play(draft, ruling("decide:B", "HOUSE_FIRST", points=(0, 1), spotted=[fallen], options=_PENALTY))  # PYR-21.2a, 22.4
    s.then(cue_state="position")
    _spot(s, fallen)
    _penalty(s, "A")
    _pot(s, ["Y"])

    def lost(o: Outcome, _: Simulation) -> bool:
        return o.first is None and o.potted == ["Y"]

    draft = need(s.find(_at_pockets(s), lost, most=2500))
    hand = ("CHOOSE_PENALTY_BALL", "BIH_HOUSE")
    # PYR-29L.1, 21.1, COMB-7.
    s.play(
        draft,
        ruling(
            "decide:A", "NO_CONTACT", "CUE_ILLEGAL_POCKET", points=(1, 0), options=hand, cue_next="hand_house", next_phase="penalty_hand"
        ),
    )
    s.then(shooter="A", phase="penalty_hand", cue_state="hand_house", scores=_score(s, 1, 0))
    _take(s, "A", "CHOOSE_PENALTY_BALL")
    outside = [b for b, p in s.layout.items() if b != "Y" and p[0] > head + 0.05]

    def from_house(o: Outcome, _: Simulation) -> bool:
        return o.first in outside and len(o.potted) == 1 and o.potted[0] != "Y" and not o.early

    draft = need(s.find(s.pots_from_hand("Y", outside, zone), from_house, most=2500))
    s.play(draft, ruling("A", points=(1, 0)))
    s.then(phase="normal", scores=_score(s, 1, 0))
    return s


def dynamic_pyramid(seed: int, table: str) -> Script:
    """A pots the cue ball: an exchange ball and a premium stroke from anywhere, on which a ball falls; then A misses."""
    s = _start(seed, table, "dynamic_pyramid", 8)
    own = need(s.find(s.own_balls(["Y"]), _own_ball_falls, most=2500))
    options = ("CHOOSE_REMOVED_BALL", "BIH_ANYWHERE")
    s.play(own, ruling("A", points=(1, 0), options=options, cue_next="hand_anywhere", next_phase="premium"))  # DYN-5.2
    s.then(phase="premium", cue_state="hand_anywhere", scores=_score(s, 1, 0))
    _take(s, "A", "CHOOSE_REMOVED_BALL")
    whites = [b for b in s.layout if b != "Y"]
    draft = need(s.find(s.pots_from_hand("Y", whites, lambda _: True), _one_falls, most=1500))
    s.play(draft, ruling("A", points=(1, 0)))
    _shelve(s, "A", draft)
    s.then(phase="normal", cue_state="position", scores=_score(s, 1, 0))
    _miss(s)
    return s


def classic_pyramid(seed: int, table: str) -> Script:
    """A calls a ball and pots it, for its number; then he calls another and misses."""
    s = _start(seed, table, "classic_pyramid", 9)
    s.then(scores={"A": 24, "B": 31}, target=71)
    draft = need(s.find(s.pots(["Y"]), _one_falls, most=900))
    fallen = next(e for e in draft.events if e["type"] == "pocketed")
    number = int(fallen["ball"][1:])
    points = 11 if number == 1 else number  # CLA-5.1
    s.play(draft, ruling("A", points=(points, 0)), call={"kind": "ball", "ball": fallen["ball"], "pocket": fallen["pocket"]})
    _shelve(s, "A", draft)
    s.then(scores=_score(s, points, 0))
    _miss(s, called=True)
    return s


def _miss(s: Script, *, called: bool = False) -> None:
    """The player in turn drives two balls or more to cushions, and none falls (PYR-20.2u): the other is next."""

    def missed(o: Outcome, _: Simulation) -> bool:
        return o.first is not None and not o.potted and not o.early and len({e["ball"] for e in o.rails}) >= 2

    draft = need(s.find(s.anywhere(["Y"], slow=1.2, fast=2.5), missed, most=800))
    first = Outcome(draft, s.drafter).first
    call = {"kind": "ball", "ball": first, "pocket": "FL"} if called else None
    other = "A" if s.state["shooter"] == "B" else "B"
    s.play(draft, ruling(other), call=call)
    s.then(shooter=other)


def _in_house(s: Script) -> Callable[[Any], bool]:
    head = -s.drafter.table.spec.length_m / 4
    return lambda place: bool(place[0] < head - 0.02)


def _at_pockets(s: Script) -> Any:
    """Strokes straight at pockets that no ball is in the way of."""
    d = s.drafter
    start = s.layout["Y"]
    ways = [g for name, g in d.goals.items() if d.enters(start, name) and d.free(start, g, s.layout, ("Y",))]
    while ways:
        goal = ways[int(s.rng.integers(len(ways)))] - start
        yield s.layout, "Y", float(np.arctan2(goal[1], goal[0])) + s.rng.normal(0, 0.004), s.rng.uniform(1.0, 2.0), 0.2


SCRIPTS: dict[str, tuple[Callable[[int, str], Script], dict[str, int]]] = {
    "free_pyramid": (free_pyramid, {"pyramid-12ft": 2}),
    "combined_pyramid": (combined_pyramid, {"pyramid-12ft": 2}),
    "dynamic_pyramid": (dynamic_pyramid, {"pyramid-12ft": 2}),
    "classic_pyramid": (classic_pyramid, {"pyramid-12ft": 1}),
}
"""Name to its script and how many are made of it on each table."""
