"""Calls and events in words."""

from typing import Any

import pytest

from calibration.errors import InputError
from referee.wording import call_text, event_text, find_words, foul_text, reason_texts

FOUL = {"verdict": "foul", "foul_codes": ["NO_RAIL"], "turn": "B", "result": {"cue_next": "hand_anywhere"}}
LEGAL = {
    "verdict": "legal",
    "turn": "A",
    "state_before": {"shooter": "A"},
    "pocketed": [["3", "FL"], ["4", "SR"]],
    "result": {"cue_next": "position"},
}


@pytest.mark.parametrize(
    ("shot", "expected"),
    [
        (FOUL, "Foul: no rail after contact. Ball in hand."),
        (LEGAL, "Legal: 3-ball and 4-ball pocketed. Ann continues."),
        ({**LEGAL, "pocketed": [], "turn": "B"}, "Legal, nothing pocketed. Bo to shoot."),
        ({**LEGAL, "result": {"rack_over": True, "winner": "A"}}, "Legal: 3-ball and 4-ball pocketed. Rack to Ann."),
        ({**LEGAL, "result": {"match_over": True, "winner": "A"}}, "Legal: 3-ball and 4-ball pocketed. Match to Ann."),
        ({**FOUL, "foul_codes": ["SCRATCH", "ODD_NEW_CODE"]}, "Foul: scratch, ODD_NEW_CODE. Ball in hand."),
        (
            {**FOUL, "result": {"cue_next": "hand_anywhere", "spotted": ["9"]}},
            "Foul: no rail after contact. 9-ball spotted. Ball in hand.",
        ),
        ({"verdict": "undecided", "reasons": ["The strike was not seen."]}, "Undecided: The strike was not seen."),
        ({"verdict": "undecided"}, "Undecided."),
    ],
)
def test_call_is_spoken_as_a_referee_would(shot: dict[str, Any], expected: str) -> None:
    """Verdict, why, what is put back, who goes on."""
    assert expected == call_text(shot, {"A": "Ann", "B": "Bo"})


def test_undecided_call_names_what_it_hangs_on_once() -> None:
    """Two readings that differ in the same thing name it once, with the rule book's default."""
    readings = [
        {"p": 0.6, "verdict": "legal", "differs": "first ball 3 or 5"},
        {"p": 0.4, "verdict": "foul", "differs": "first ball 3 or 5"},
    ]

    assert call_text({"verdict": "undecided", "readings": readings, "default": "legal"}) == (
        "Undecided: first ball 3 or 5. Until a person decides: no foul."
    )


def test_push_out_is_called_and_leaves_the_choice_to_the_opponent() -> None:
    """After a push-out the other player decides who shoots."""
    shot = {
        "verdict": "legal",
        "turn": "decide:A",
        "state_before": {"shooter": "B", "call": {"kind": "push_out"}},
        "result": {"cue_next": "position", "options": ["PLAY_POSITION", "RETURN_SHOT"]},
    }

    assert call_text(shot) == "Push-out. Player A decides: play from the position or give the shot back."


def test_wrong_ball_first_names_the_likeliest_ball() -> None:
    """The ball that was hit, not "none" or "unknown"."""
    assert foul_text("WRONG_FIRST", {"first_contact": {"unknown": 0.6, "5": 0.3, "8": 0.1}}) == "5-ball first"


def test_an_unknown_event_is_shown_as_it_stands() -> None:
    """A new event type is never hidden."""
    assert event_text({"type": "ball_swap"}) == "ball swap"


def test_the_same_call_in_russian() -> None:
    """Call first, short; values and names put into the language."""
    russian = find_words("ru")
    wrong = {**FOUL, "foul_codes": ["WRONG_FIRST"], "reasoning": [{"key": "WRONG_FIRST", "values": {"first": "5", "on": "3"}}]}
    split = {
        "verdict": "undecided",
        "default": "legal",
        "readings": [{"question": [{"key": "first_ball", "values": {"one": "3", "two": "5"}}]}],
    }

    assert call_text(wrong, None, russian) == "Фол: первым задет шар 5. Биток с руки."
    assert call_text(LEGAL, {"A": "Анна"}, russian) == "По правилам: шар 3 и шар 4 в лузе. Анна продолжает."
    assert call_text(split, None, russian) == "Не решено: первым задет шар 3 или 5. До решения судьи: без фола."
    assert reason_texts(wrong, russian) == ["Первым биток коснулся шара 5; должен был шара 3."]


def test_unknown_language_is_refused() -> None:
    """The message lists those there are."""
    with pytest.raises(InputError, match="'fr'; there are en, ru"):
        find_words("fr")
