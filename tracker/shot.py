"""A shot as facts: the border between what happened and what it means; plain module, standard library only.

A `Shot` is the shot line of design.md (`cueref.shot/1`): the layout before and after, events in time order with the
probability that each happened as stated, and the three facts that most rulings hang on with their doubt. Nothing
here says what a fact means: the cue ball is simply the ball that was struck.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.equipment import BallId
from calibration.errors import InputError

FORMAT = "cueref.shot/1"

EVENT_TYPES = (
    "cue_contact",
    "ball_ball",
    "ball_cushion",
    "pocketed",
    "pocket_rebound",
    "off_table",
    "rail_top",
    "centre_line",
    "head_line",
    "touch",
    "placement",
    "spontaneous_drop",
    "clock",
    "official",
    "decision",
    "stop",
)
"""Event vocabulary (rules.md section 0.1)."""

DOUBT_KINDS = (
    "split_hit",
    "hidden",
    "frames_missing",
    "clock",
    "identity",
    "moved_by_hand",
    "not_at_rest",
    "strike_not_seen",
    "off_table",
    "jump",
    "calibration",
)

NOT_JUDGED = "not judged"
"""A `frames_missing` doubt that begins so says that the camera was away while the shot was under way: nothing is stated on it."""

EVENT_FIELDS = ("t", "type", "p")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotEvent:
    """One event of a shot.

    Attributes:
        t: Seconds from the tip contact.
        type: One of `EVENT_TYPES`.
        p: Probability that it happened as stated, 0 to 1.
        fields: The other fields of that type (rules.md section 0.1): `a`, `b`, `ball`, `cushion`, `pocket`, ... Read only.
    """

    t: float
    type: str
    p: float = 1.0
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.type not in EVENT_TYPES:
            raise InputError(f"event type must be one of {', '.join(EVENT_TYPES)}, found {self.type!r}")
        if not 0 <= self.p <= 1:
            raise InputError(f"event {self.type} at {self.t}: p must lie in 0..1, found {self.p}")

    def to_dict(self) -> dict[str, Any]:
        """The event as in a shot line."""
        return {"t": round(self.t, 5), "type": self.type, **self.fields, "p": round(self.p, 6)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "ShotEvent":
        """The event of a shot line; `p` is 1 where it is not given."""
        rest = {key: value for key, value in data.items() if key not in EVENT_FIELDS}
        return cls(t=float(data["t"]), type=str(data["type"]), p=float(data.get("p", 1.0)), fields=rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearTouch:
    """A ball that may have touched something before the stroke; whether it counts as frozen is for a person to declare.

    Attributes:
        ball: The ball.
        to: A cushion, or the struck ball.
        gap_m: Gap as measured, metres; noise may make it negative.
        sigma_m: Standard deviation of that.
    """

    ball: BallId
    to: str
    gap_m: float
    sigma_m: float

    def to_dict(self) -> dict[str, Any]:
        """As in a shot line, millimetres."""
        return {"ball": self.ball, "to": self.to, "gap_mm": round(1e3 * self.gap_m, 2), "sigma_mm": round(1e3 * self.sigma_m, 2)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "NearTouch":
        """From a shot line."""
        return cls(ball=data["ball"], to=str(data["to"]), gap_m=1e-3 * float(data["gap_mm"]), sigma_m=1e-3 * float(data["sigma_mm"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Why a shot is not fully known.

    Attributes:
        kind: One of `DOUBT_KINDS`.
        text: One sentence for a person.
        t: Seconds from the tip contact; None where it holds for the whole shot.
        balls: The balls concerned.
        names: For `identity`: ball to the other names it may bear, with their probabilities. Read only.
        falls: For `not_at_rest`: those of `balls` that can yet reach a mouth; None where that was not looked at.
    """

    kind: str
    text: str
    t: float | None = None
    balls: tuple[BallId, ...] = ()
    names: Mapping[BallId, Mapping[BallId, float]] = field(default_factory=dict)
    falls: tuple[BallId, ...] | None = None

    def __post_init__(self) -> None:
        if self.kind not in DOUBT_KINDS:
            raise InputError(f"doubt kind must be one of {', '.join(DOUBT_KINDS)}, found {self.kind!r}")

    def to_dict(self) -> dict[str, Any]:
        """The doubt as in a shot line."""
        time = {} if self.t is None else {"t": round(self.t, 5)}
        names = {ball: {name: round(p, 6) for name, p in others.items()} for ball, others in self.names.items()}
        falls = {} if self.falls is None else {"falls": list(self.falls)}
        return {"kind": self.kind, **time, "balls": list(self.balls), **falls, "text": self.text, **({"names": names} if names else {})}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Doubt":
        """The doubt of a shot line."""
        t = data.get("t")
        return cls(
            kind=data["kind"],
            text=data.get("text", ""),
            t=None if t is None else float(t),
            balls=tuple(data.get("balls", ())),
            names=data.get("names", {}),
            falls=None if data.get("falls") is None else tuple(data["falls"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One stroke from tip contact to rest.

    Attributes:
        number: Counted from 1 in the recording.
        start_s: Tip contact, seconds on the recording's clock.
        end_s: Rest, or the last frame.
        cue_ball: The ball that was struck; None where that was not seen.
        complete: False when the recording ends before rest.
        before: Layout at the tip contact, ball to (x, y) in metres.
        after: Layout at rest.
        before_px: The same layout in pixels of the picture; empty when tracks came without a camera.
        events: In time order, p >= 0.05.
        first_contact: Ball id, "none" or "unknown" to probability; adds up to 1.
        rail_before_contact: Probability that the cue ball touched a cushion before its first ball.
        rail_after_contact: Probability that after the first contact any ball touched a cushion.
        doubts: What could be wrong.
        near: Balls that may have touched a cushion or the struck ball before the stroke.
        double_hit: Probability that the tip met the struck ball twice, where it can be told; a hint for a person, never judged alone.
    """

    number: int
    start_s: float
    end_s: float
    cue_ball: BallId | None
    complete: bool
    before: Mapping[BallId, tuple[float, float]]
    after: Mapping[BallId, tuple[float, float]]
    events: tuple[ShotEvent, ...]
    first_contact: Mapping[str, float]
    rail_before_contact: float
    rail_after_contact: float
    before_px: Mapping[BallId, tuple[float, float]] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    near: tuple[NearTouch, ...] = ()
    double_hit: float | None = None

    @property
    def judged(self) -> bool:
        """False where the camera was away while it was under way."""
        return not any(doubt.kind == "frames_missing" and doubt.text.startswith(NOT_JUDGED) for doubt in self.doubts)

    @property
    def known_before(self) -> dict[BallId, tuple[float, float]]:
        """The layout before it without the balls hardly seen there, or first seen on their way (a `hidden` doubt at 0 s).

        Of these is known that they were on the table, not where.
        """
        unseen = {ball for doubt in self.doubts if doubt.kind == "hidden" and doubt.t == 0.0 for ball in doubt.balls}
        return {ball: place for ball, place in self.before.items() if ball not in unseen}

    def to_dict(self) -> dict[str, Any]:
        """The shot line."""

        def places(layout: Mapping[BallId, tuple[float, float]], digits: int) -> dict[str, list[float]]:
            return {ball: [round(x, digits), round(y, digits)] for ball, (x, y) in layout.items()}

        return {
            "format": FORMAT,
            "number": self.number,
            "start_s": round(self.start_s, 5),
            "end_s": round(self.end_s, 5),
            "cue_ball": self.cue_ball,
            "complete": self.complete,
            "before": places(self.before, 5),
            "after": places(self.after, 5),
            "before_px": places(self.before_px, 2),
            "events": [event.to_dict() for event in self.events],
            "first_contact": {key: round(p, 6) for key, p in self.first_contact.items()},
            "rail_before_contact": round(self.rail_before_contact, 6),
            "rail_after_contact": round(self.rail_after_contact, 6),
            "doubts": [doubt.to_dict() for doubt in self.doubts],
            **({"near": [near.to_dict() for near in self.near]} if self.near else {}),
            **({} if self.double_hit is None else {"double_hit": round(self.double_hit, 4)}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Shot":
        """The shot of a shot line.

        Raises:
            InputError: If the format is another one or a field is missing; the message names it.
        """
        if data.get("format") != FORMAT:
            raise InputError(f"shot line: format must be {FORMAT!r}, found {data.get('format')!r}")

        def places(key: str) -> dict[BallId, tuple[float, float]]:
            return {ball: (float(x), float(y)) for ball, (x, y) in data.get(key, {}).items()}

        try:
            return cls(
                number=int(data["number"]),
                start_s=float(data["start_s"]),
                end_s=float(data["end_s"]),
                cue_ball=data["cue_ball"],
                complete=bool(data["complete"]),
                before=places("before"),
                after=places("after"),
                before_px=places("before_px"),
                events=tuple(ShotEvent.from_dict(event) for event in data["events"]),
                first_contact={str(key): float(p) for key, p in data["first_contact"].items()},
                rail_before_contact=float(data["rail_before_contact"]),
                rail_after_contact=float(data["rail_after_contact"]),
                doubts=tuple(Doubt.from_dict(doubt) for doubt in data.get("doubts", ())),
                near=tuple(NearTouch.from_dict(near) for near in data.get("near", ())),
                double_hit=None if data.get("double_hit") is None else float(data["double_hit"]),
            )
        except (KeyError, TypeError) as error:
            raise InputError(f"shot line {data.get('number', '?')}: missing or malformed field {error}") from error


def write_shots(path: Path, shots: Iterable[Shot]) -> None:
    """Write shots as JSON Lines, beside the target first and then renamed, so that it is never half-written."""
    partial = path.with_name(path.name + ".part")
    partial.write_text("".join(json.dumps(shot.to_dict()) + "\n" for shot in shots), encoding="utf-8")
    partial.replace(path)
