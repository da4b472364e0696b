"""The ruling on one shot as a review shows it (design.md, `cueref review --json`); plain module."""

from dataclasses import dataclass
from typing import Any

from referee.alternatives import likeliest_fates
from referee.readings import Judgement
from referee.rules.base import State
from referee.ruling import Ruling
from referee.wording import call_text, question_text, reason_text
from tracker.shot import Shot


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotRuling:
    """What is ruled on one shot.

    Attributes:
        number: The shot's number.
        state_before: What it was judged against.
        judgement: The ruling with its doubt.
        pocketed: Balls that more likely fell than not, with the pocket.
        off_table: Balls that more likely left the table than not.
        doubts: Sentences of the shot's doubts.
        notes: What had to be assumed for it.
        provisional: It stands on the default of an earlier undecided shot.
        decided: How a person decided it (`referee.decided`), empty where nobody did or had to.
    """

    number: int
    state_before: State
    judgement: Judgement
    pocketed: tuple[tuple[str, str], ...]
    off_table: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    provisional: bool = False
    decided: str = ""

    @classmethod
    def of(
        cls, shot: Shot, state: State, judgement: Judgement, *, notes: tuple[str, ...], provisional: bool, decided: str = ""
    ) -> "ShotRuling":
        """The ruling on that shot."""
        fallen, off = likeliest_fates(shot)
        doubts = tuple(doubt.text for doubt in shot.doubts)
        return cls(
            number=shot.number,
            state_before=state,
            judgement=judgement,
            pocketed=tuple(fallen),
            off_table=tuple(off),
            doubts=doubts,
            notes=notes,
            provisional=provisional,
            decided=decided,
        )

    @property
    def certain(self) -> bool:
        """It may be stated."""
        return self.judgement.certain

    @property
    def verdict(self) -> str:
        """`legal`, `foul`, or `undecided`."""
        return self.judgement.verdict

    @property
    def ruling(self) -> Ruling:
        """The ruling, or the default that stands until a person decides."""
        return self.judgement.ruling

    @property
    def foul_codes(self) -> tuple[str, ...]:
        """The codes found; where undecided only those that every reading has."""
        if self.certain:
            return self.ruling.foul_codes
        rulings = [r for reading in self.judgement.readings for r in (reading.candidates or (reading.ruling,)) if r is not None]
        return tuple(code for code in self.ruling.foul_codes if all(code in ruling.foul_codes for ruling in rulings))

    @property
    def call(self) -> str:
        """What a referee says aloud, in English (`referee.wording.call_text` has other languages)."""
        return call_text(self.to_dict())

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasoning, a sentence each; where undecided first what is not known."""
        texts = tuple(reason_text(reason) for reason in self.ruling.reasons)
        if self.certain:
            return texts
        open_ = [question_text(reading.question) for reading in self.judgement.readings if reading.question]
        return (*(f"Not established: {what}." for what in dict.fromkeys(open_)), *self.doubts, *texts)

    def to_dict(self) -> dict[str, Any]:
        """The fields that a review adds to the shot line."""
        return {
            "state_before": self.state_before.to_dict(),
            "verdict": self.verdict,
            "default": self.judgement.default,
            "foul_codes": list(self.foul_codes),
            "clauses": list(self.ruling.clauses),
            "reasons": list(self.reasons),
            "reasoning": [{"key": item.key, "clauses": list(item.clauses), "values": dict(item.values)} for item in self.ruling.reasons],
            "pocketed": [list(item) for item in self.pocketed],
            "off_table": list(self.off_table),
            "turn": self.judgement.turn,
            "result": self.ruling.to_expect(),
            "readings": [reading.to_dict() for reading in self.judgement.readings],
            "provisional": self.provisional,
            "assumed": list(self.notes),
            **({"decided": self.decided} if self.decided else {}),
        }
