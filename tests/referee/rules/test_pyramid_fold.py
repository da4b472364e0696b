"""Pyramid from shots with doubt: order of events as questions, balls taken to the shelf between shots."""

from typing import Any

import pytest

from referee.match import Match
from tracker.shot import Shot

LAYOUT = {"Y": [-1.2, 0.0], "w1": [0.5, 0.3], "w2": [0.9, -0.5], "w3": [-0.3, 0.6], "w4": [0.2, -0.2]}


def an_event(t: float, kind: str, p: float = 1.0, **fields: Any) -> dict[str, Any]:
    """One event of a shot line."""
    return {"t": t, "type": kind, "p": p, **fields}


def a_shot(number: int, events: list[dict[str, Any]], *, cue: str = "Y", gone: str = "", fallen: str = "", **more: Any) -> Shot:
    """A shot at w1; `gone` was off the table before it, `fallen` is afterwards."""
    before = {ball: place for ball, place in LAYOUT.items() if ball not in gone.split()}
    return Shot.from_dict(
        {
            "format": "cueref.shot/1",
            "number": number,
            "start_s": 10.0 * number,
            "end_s": 10.0 * number + 6,
            "cue_ball": cue,
            "complete": True,
            "before": before,
            "after": {ball: place for ball, place in before.items() if ball not in fallen.split()},
            "before_px": {},
            "events": [an_event(0.0, "cue_contact"), an_event(0.4, "ball_ball", a=cue, b="w1"), *events],
            "first_contact": {"w1": 1.0},
            "rail_before_contact": 0.0,
            "rail_after_contact": 0.99,
            "doubts": [],
            **more,
        }
    )


def pocketed(ball: str) -> dict[str, Any]:
    """That ball falls."""
    return an_event(0.9, "pocketed", ball=ball, pocket="FL")


@pytest.mark.parametrize(
    ("p", "verdict", "default"),
    [(0.999, "legal", None), (0.6, "undecided", "legal"), (0.3, "undecided", "legal"), (0.002, "foul", None)],
)
def test_crossing_that_decides(p: float, verdict: str, default: str | None) -> None:
    """PYR-20.4a hangs on one crossing: the ruling is as sure as that is, and by default there is no foul (A-G3)."""
    events = [an_event(0.8, "ball_cushion", ball="w1", cushion="foot"), an_event(1.2, "centre_line", p=p, ball="w1", dir="to_head")]
    ruling = Match.start("combined_pyramid").record_shot(a_shot(1, events))

    assert (ruling.verdict, ruling.judgement.default) == (verdict, default)


def test_doubt_that_changes_nothing() -> None:
    """PYR-20.c1: with a ball down no crossing matters."""
    events = [an_event(0.8, "ball_cushion", p=0.5, ball="w1", cushion="foot"), pocketed("w2")]

    assert Match.start("combined_pyramid").record_shot(a_shot(1, events, fallen="w2")).verdict == "legal"


def test_recording_that_ends_while_balls_roll() -> None:
    """A ball still rolling may complete a condition yet, so that no violation is stated."""
    doubt = {"kind": "not_at_rest", "balls": ["w1"], "text": "w1 still rolls"}
    ruling = Match.start("combined_pyramid").record_shot(a_shot(1, [], complete=False, doubts=[doubt]))

    assert ruling.verdict == "undecided"


def test_exchange_ball_taken_or_not() -> None:
    """COMB-5.2, 5.2n: the layout before the next shot shows it; where nothing is gone the point is taken back."""
    for gone, score in (("w4", 2), ("", 1)):
        match = Match.start("combined_pyramid")
        match.record_shot(a_shot(1, [pocketed("Y")], fallen="Y"))
        ruling = match.record_shot(a_shot(2, [pocketed("w2")], gone=gone, fallen="w2"))
        assert (ruling.verdict, match.score["A"]) == ("legal", score)


def test_penalty_ball_taken() -> None:
    """FREE-7: one ball fewer after a penalty is the penalty ball, the last cue ball too; two fewer are not."""
    match = Match.start("free_pyramid")
    match.record_shot(a_shot(1, [], cue="w2"))
    ruling = match.record_shot(a_shot(2, [pocketed("w1")], cue="w3", gone="w2", fallen="w1"))

    assert (ruling.verdict, match.score) == ("legal", {"A": 0, "B": 2})
    assert any("w2 gone before shot 2" in note for note in ruling.notes)
    other = Match.start("free_pyramid")
    other.record_shot(a_shot(1, [], cue="w2"))
    assert not any("shelf" in note for note in other.record_shot(a_shot(2, [], cue="w3", gone="w2 w4")).notes)


def test_classic_without_a_recorded_call() -> None:
    """CLA-5.2: what was announced is not seen, so that nothing is stated about a ball that fell."""
    unknown = Match.start("classic_pyramid").record_shot(a_shot(1, [pocketed("w2")], fallen="w2"))
    assumed = Match.start("classic_pyramid", assume_calls=True).record_shot(a_shot(1, [pocketed("w2")], fallen="w2"))

    assert (unknown.verdict, assumed.verdict) == ("undecided", "legal")
    assert assumed.ruling.points_delta.a == 2
    assert any(note.startswith("numbers:") for note in assumed.notes)
