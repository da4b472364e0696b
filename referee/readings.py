"""From a shot with its doubt to a ruling with its doubt: every consistent reading judged against the same state; plain module.

Theory of operation. `referee.alternatives` lists the readings whose joint probability is above 0.001. Each is judged.
Readings whose rulings are equal (the same "expect" object and the same balls gone) are added up. Where a reading leaves
something open that nobody can weigh, it counts for a ruling only if every answer gives that ruling; otherwise its
probability belongs to nobody. The ruling is certain when the readings that give it add up to at least `certain_at`.

Until a person decides an undecided shot, the rule book's own default stands: no foul without establishment, and a split
hit in the shooter's favour (A-G2, A-G3), so the likeliest reading without a foul, and the likeliest of all where every
one is a foul.

A ball that may bear another name is judged under each (`referee.misnamed`).

Failure cases. Doubts without numbers (`identity`, `frames_missing`, `jump`, ...) say why a probability is what it is;
they change no ruling by themselves. A strike that was not seen leaves the ruling undecided whatever the readings say:
balls may have fallen before the recording began. So does a stroke that seems to have been played with another ball than
the cue ball: a ball named wrongly is likelier than that.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from calibration.errors import InputError
from calibration.table import POCKETS
from referee.alternatives import LEAST_JOINT_P, UNKNOWN, Reading, closed_readings, open_variants, to_case
from referee.limits import near_limits
from referee.misnamed import Naming, namings
from referee.rules.base import Ruleset, State
from referee.rules.options import Options
from referee.ruling import Reason, Ruling
from referee.wording import question_text
from tracker.shot import Shot, ShotEvent

CERTAIN_AT = 0.99
"""Match setting `certain_at`: readings with one ruling must add up to this before it is stated (design.md)."""

_CUE_BALLS = ("cue", "Y")
"""The balls that are told from all others by their colour and are struck, in pool and pyramid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedReading:
    """The readings that give one ruling, or that give none.

    Attributes:
        p: Their probabilities added up.
        ruling: What they give; None where something open would change it.
        example: The likeliest of them.
        question: In what it differs from the likeliest ruling, or what is open (keys of `referee.words.Words.questions`).
        candidates: The rulings that the open answers give, where `ruling` is None.
    """

    p: float
    ruling: Ruling | None
    example: Reading
    question: tuple[Reason, ...] = ()
    candidates: tuple[Ruling, ...] = ()

    @property
    def verdict(self) -> str:
        """`legal`, `foul` or `undecided`."""
        return "undecided" if self.ruling is None else find_verdict(self.ruling)

    @property
    def differs(self) -> str:
        """The question in words: `first ball 3 or 5`."""
        return question_text(self.question)

    def to_dict(self) -> dict[str, Any]:
        """The reading as in a review."""
        codes = [] if self.ruling is None else list(self.ruling.foul_codes)
        question = [{"key": item.key, "values": dict(item.values)} for item in self.question]
        return {"p": round(self.p, 6), "verdict": self.verdict, "foul_codes": codes, "differs": self.differs, "question": question}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A ruling with its doubt.

    Attributes:
        certain: It may be stated.
        ruling: The ruling, or the default that stands until a person decides.
        readings: What else it could be, likeliest first; one entry where nothing else can be.
    """

    certain: bool
    ruling: Ruling
    readings: tuple[JudgedReading, ...] = field(default_factory=tuple)

    @property
    def verdict(self) -> str:
        """`legal` and `foul` only when certain."""
        return find_verdict(self.ruling) if self.certain else "undecided"

    @property
    def default(self) -> str | None:
        """The rule book's reading where undecided."""
        return None if self.certain else find_verdict(self.ruling)

    @property
    def turn(self) -> str | None:
        """Who is next; None where the readings differ."""
        turns = {ruling.turn for reading in self.readings for ruling in (reading.candidates or (reading.ruling,)) if ruling is not None}
        return self.ruling.turn if self.certain or turns == {self.ruling.turn} else None


def find_verdict(ruling: Ruling) -> str:
    """`legal` or `foul`."""
    return "foul" if ruling.foul else "legal"


def judge_shot(
    rules: Ruleset,
    states: Sequence[State],
    shot: Shot,
    *,
    people: Sequence[ShotEvent] = (),
    options: Options | None = None,
    certain_at: float = CERTAIN_AT,
) -> Judgement:
    """The ruling on a shot.

    Args:
        rules: The game.
        states: The states that can have been before it, the likelier first; more than one where layout and log disagree.
        shot: Its facts with their doubt.
        people: What people stated about it (touches, official facts), `t` from the tip contact.
        options: The organiser's settings.
        certain_at: Probability from which a ruling is stated.
    """
    settings = options or Options()
    why = _why_unseen(shot, states[0])
    if why:
        shot = replace(shot, first_contact={UNKNOWN: 1.0})
    groups: dict[str, JudgedReading] = {}
    for naming in _possible_namings(rules, shot, states):
        named = [naming.rename(state) for state in states]
        seen = closed_readings(naming.shot, named[0]) or [Reading(p=1.0, first=UNKNOWN, rail=False, state=named[0])]
        for reading in seen:
            weighed = replace(reading, p=reading.p * naming.p)
            if weighed.p <= LEAST_JOINT_P:
                continue
            judged = _judge_reading(rules, weighed, naming.shot, named, people, settings)
            key = _key(judged, naming)
            known = groups.get(key)
            groups[key] = judged if known is None else replace(known, p=known.p + judged.p)
    ordered = sorted(groups.values(), key=lambda judged: -judged.p)
    best = ordered[0]
    if best.ruling is not None and best.p >= certain_at and not why:
        return Judgement(certain=True, ruling=best.ruling, readings=_with_differences(ordered))
    readings = tuple(replace(judged, question=why or judged.question) for judged in _with_differences(ordered))
    return Judgement(certain=False, ruling=_default(ordered, certain_at), readings=readings)


def _possible_namings(rules: Ruleset, shot: Shot, states: Sequence[State]) -> list[Naming]:
    """The ways to name the balls that leave a position of the game (in nine-ball: with the 9 on the table)."""
    first, *others = namings(shot)
    possible = [first]
    for naming in others:
        try:
            for state in states:
                rules.check(naming.rename(state))
        except InputError:
            continue
        possible.append(naming)
    total = sum(naming.p for naming in possible)
    return [replace(naming, p=naming.p / total) for naming in possible]


def _why_unseen(shot: Shot, state: State) -> tuple[Reason, ...]:
    """Why nothing about the stroke can be stated, whatever the readings say; empty where something can."""
    if any(doubt.kind == "strike_not_seen" for doubt in shot.doubts):
        return (Reason("strike_not_seen", ()),)
    if not shot.judged:
        return (Reason("not_judged", ()),)
    # A coloured cue ball that hardly anybody saw lie there may have been struck out of sight, onto the one that was seen to start.
    unseen = [ball for ball in _CUE_BALLS if ball in state.balls and ball not in shot.known_before]
    if shot.cue_ball not in (None, state.cue_ball) or (unseen and shot.cue_ball not in (None, *unseen)):
        return (Reason("struck_ball", (), {"ball": str(shot.cue_ball)}),)
    return ()


def _judge_reading(
    rules: Ruleset, reading: Reading, shot: Shot, states: Sequence[State], people: Sequence[ShotEvent], options: Options
) -> JudgedReading:
    """The one ruling that every answer to what is open gives, or all that they give."""
    rulings: dict[str, tuple[Ruling, Reading, Reason | None]] = {}
    for variant in open_variants(reading, shot, states):
        case = to_case(variant, shot, people, options)
        ruling = rules.judge(case)
        key = _ruling_key(ruling, variant.state)
        if key not in rulings or len(ruling.balls_after) > len(rulings[key][0].balls_after):
            rulings[key] = (ruling, variant, None)
        for moved, question in near_limits(case, ruling):
            ruling = rules.judge(moved)
            rulings.setdefault(_ruling_key(ruling, variant.state), (ruling, variant, question))
    (ruling, example, _), *others = rulings.values()
    if not others:
        return JudgedReading(p=reading.p, ruling=ruling, example=reading)
    candidates = tuple(ruling for ruling, _, _ in rulings.values())
    what = others[0][2] or _open_question(example, others[0][1], unknown_first=reading.first == UNKNOWN)
    return JudgedReading(p=reading.p, ruling=None, example=reading, question=(what,), candidates=candidates)


def _ruling_key(ruling: Ruling, state: State, naming: Naming | None = None) -> str:
    """Equal for rulings that are the same to everybody: all consequences, and which balls go and come.

    A ball that may have lain there unseen, and of which nothing hangs, makes no other ruling.
    """
    data, before, after = ruling.to_expect(), set(state.balls), set(ruling.balls_after)
    gone, come = list(before - after), list(after - before)
    if naming is not None:
        data, gone, come = naming.put_back(data), naming.put_back(gone), naming.put_back(come)
    return json.dumps([data, sorted(gone), sorted(come)], sort_keys=True)


def _key(judged: JudgedReading, naming: Naming) -> str:
    return f"open: {judged.question}" if judged.ruling is None else _ruling_key(judged.ruling, judged.example.state, naming)


def _default(ordered: Sequence[JudgedReading], certain_at: float) -> Ruling:
    """The likeliest reading without a foul; the likeliest where some foul is certain and only which, or what it leaves, is open
    (A-G2, A-G3: no foul that is not established)."""
    given = [[ruling for ruling in (judged.candidates or (judged.ruling,)) if ruling is not None] for judged in ordered]
    rulings = [ruling for some in given for ruling in some]
    fouls = sum(judged.p for judged, some in zip(ordered, given, strict=True) if some and all(ruling.foul for ruling in some))
    return rulings[0] if fouls >= certain_at else next((ruling for ruling in rulings if not ruling.foul), rulings[0])


def _with_differences(ordered: Sequence[JudgedReading]) -> tuple[JudgedReading, ...]:
    """Each reading told apart from the likeliest one; the likeliest from the next."""
    if len(ordered) < 2:
        return tuple(ordered)
    first, second = ordered[0], ordered[1]
    told = [replace(first, question=first.question or _difference(first.example, second.example))]
    told += [replace(judged, question=judged.question or _difference(judged.example, first.example)) for judged in ordered[1:]]
    return tuple(told)


def _open_question(one: Reading, two: Reading, *, unknown_first: bool) -> Reason:
    if unknown_first:
        return Reason("first_not_seen", ())
    if one.state.call != two.state.call:
        return Reason("what_called", ())
    if one.state is not two.state:
        missing = sorted(set(one.state.balls) ^ set(two.state.balls))
        return Reason("was_on_table" if len(missing) == 1 else "were_on_table", (), {"balls": ", ".join(missing)})
    falls = sorted(set(two.fates) - set(one.fates))
    if falls:
        return Reason("still_falls" if len(falls) == 1 else "still_fall", (), {"balls": ", ".join(falls)})
    return Reason("still_reaches" if len(two.open_rail) == 1 else "still_reach", (), {"balls": ", ".join(two.open_rail)})


def _difference(one: Reading, two: Reading) -> tuple[Reason, ...]:
    """The questions that the two readings answer differently."""
    parts = []
    if one.first != two.first:
        balls = sorted((one.first, two.first), key=lambda ball: (not ball.isdecimal(), ball.zfill(2)))
        parts.append(Reason("first_ball", (), {"one": balls[0], "two": balls[1]}))
    elif one.rail != two.rail:
        parts.append(Reason("cushion", ()))
    elif one.rail_balls != two.rail_balls:
        parts.append(Reason("break_rails", (), {"one": str(one.rail_balls), "two": str(two.rail_balls)}))
    for ball in sorted({*one.fates, *two.fates}):
        ways = (one.fates.get(ball), two.fates.get(ball))
        if ways[0] != ways[1]:
            parts.append(Reason("fate", (), {"ball": ball, "one": _way(ways[0]), "two": _way(ways[1])}))
    return tuple(parts) or (Reason("details", ()),)


def _way(how: str | None) -> str:
    if how is None:
        return "on the table"
    return f"pocketed {how}" if how in POCKETS else "off the table"
