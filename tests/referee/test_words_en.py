"""Every reason has its sentence, and every sentence its reason."""

import re
from pathlib import Path

from referee.ruling import Reason, Ruling
from referee.words_en import FOUL_CALLS, REASONS, reason_text, short_call

RULES = Path(__file__).parents[2] / "referee" / "rules"


def test_every_reason_in_the_rules_has_a_sentence() -> None:
    """The keys of fouls and reasons written in the rules are keys of the words."""
    source = "".join(path.read_text(encoding="utf-8") for path in RULES.glob("*.py"))
    keys = set(re.findall(r'\b(?:Reason|Foul)\(\s*"(\w+)"', source)) | set(re.findall(r'neutral\(case, "(\w+)"', source))

    assert len(keys) > 40
    assert keys - set(REASONS) == set()


def test_sentence_takes_its_values() -> None:
    """Values fill their places; one that is missing shows and stops nothing; an unknown key shows itself."""
    assert reason_text(Reason("WRONG_FIRST", (), {"first": "5", "on": "3"})) == "The cue ball met the 5-ball first; the 3-ball was on."
    assert reason_text(Reason("WRONG_FIRST", (), {"on": "3"})) == "The cue ball met the ?-ball first; the 3-ball was on."
    assert reason_text(Reason("NEW_RULE", ())) == "NEW_RULE"


def test_short_call_comes_first_and_is_short() -> None:
    """The call, then what it means for the next stroke."""
    wrong = Reason("WRONG_FIRST", (), {"first": "5", "on": "3"})
    foul = Ruling(foul=True, foul_codes=("WRONG_FIRST",), turn="B", cue_next="hand_anywhere", reasons=(wrong,))

    assert short_call(foul) == "Foul: 5-ball first. Ball in hand."
    assert short_call(Ruling(turn="A")) == "Legal. Player A to shoot."
    assert short_call(Ruling(turn="decide:B")) == "Legal. Player B chooses."
    assert short_call(Ruling(turn="A", rack_over=True, winner="A")) == "Legal. Rack to A."
    assert short_call(Ruling(turn="none", rack_over=True, match_over=True, winner="A")) == "Legal. Match to A."


def test_short_calls_are_of_known_fouls() -> None:
    """Every short form belongs to a foul with a sentence, the third in a row aside, which stands for its own."""
    assert set(FOUL_CALLS) - set(REASONS) == {"THREE_FOULS"}
