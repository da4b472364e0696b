"""14.1 shots for which nobody recorded a call."""

from typing import Any

from referee.calls import PersonEvent
from referee.log import format_log, parse_log
from referee.match import Match
from referee.missing_call import assumed_call, possible_calls
from referee.rules.base import Call
from tracker.shot import Shot

LAYOUT = {ball: [-0.6 + 0.15 * int(ball), 0.3] for ball in "345678"} | {"cue": [-0.9, 0.1]}


def a_shot(*events: dict[str, Any], first: str = "3", rail: float = 1.0) -> Shot:
    """A certain shot over six balls spread on the table."""
    line = {
        "format": "cueref.shot/1",
        "number": 1,
        "start_s": 10.0,
        "end_s": 15.0,
        "cue_ball": "cue",
        "complete": True,
        "before": LAYOUT,
        "after": {},
        "events": [{"t": 0.0, "type": "cue_contact"}, {"t": 0.4, "type": "ball_ball", "a": "cue", "b": first}, *events],
        "first_contact": {first: 1.0},
        "rail_before_contact": 0.0,
        "rail_after_contact": rail,
    }
    return Shot.from_dict(line)


def falls(ball: str, pocket: str = "SL") -> dict[str, Any]:
    """The ball falls."""
    return {"t": 2.0, "type": "pocketed", "ball": ball, "pocket": pocket}


def a_ruling(shot: Shot, *people: PersonEvent) -> Any:
    """The first ruling of a match of 14.1 that a recording starts in the middle of."""
    return Match.start("straight_14_1", race=100).record_shot(shot, people)


def test_a_ball_that_fell_without_a_recorded_call_is_undecided() -> None:
    """Whether it counts hangs on the call, so a person is asked; until then nothing counts."""
    ruling = a_ruling(a_shot(falls("3")))
    said = ruling.to_dict()

    assert (said["verdict"], said["default"], said["turn"]) == ("undecided", "legal", None)
    assert said["readings"][0]["differs"] == "what was called"
    assert said["result"]["points_delta"] == {"A": 0, "B": 0}


def test_a_recorded_call_decides() -> None:
    """S141-7.1: ball and pocket as named, one point and the turn kept."""
    call = PersonEvent(time_s=9.0, type="call", fields={"kind": "ball", "ball": "3", "pocket": "SL"})
    said = a_ruling(a_shot(falls("3")), call).to_dict()

    assert (said["verdict"], said["turn"], said["result"]["points_delta"]) == ("legal", "A", {"A": 1, "B": 0})


def test_without_a_ball_down_no_call_is_missed() -> None:
    """A legal stroke and a foul are certain whatever was called."""
    legal = a_ruling(a_shot({"t": 1.0, "type": "ball_cushion", "ball": "3", "cushion": "foot"})).to_dict()
    foul = a_ruling(a_shot(rail=0.0)).to_dict()

    assert (legal["verdict"], legal["turn"]) == ("legal", "B")
    assert (foul["verdict"], foul["foul_codes"]) == ("foul", ["NO_RAIL"])


def test_a_foul_with_a_ball_down_is_certain_too() -> None:
    """S141-13.3: nothing counts on a foul, so the call changes nothing."""
    said = a_ruling(a_shot(falls("3"), falls("cue", "SR"))).to_dict()

    assert (said["verdict"], said["foul_codes"], said["result"]["spotted"]) == ("foul", ["SCRATCH"], ["3"])


def test_every_ball_that_fell_may_have_been_called() -> None:
    """No call first; the cue ball is no call; a game without calls supposes none."""
    shot = a_shot(falls("3"), falls("5", "FL"), falls("cue", "SR"))
    three, five = Call(kind="ball", ball="3", pocket="SL"), Call(kind="ball", ball="5", pocket="FL")

    assert possible_calls("straight_14_1", None, shot) == (None, three, five)
    assert possible_calls("straight_14_1", five, shot) == (five,)
    assert possible_calls("nine_ball", None, shot) == (None,)


def test_the_ball_that_fell_can_be_taken_as_called() -> None:
    """Where the match is set up so, the ruling is stated, and that the call was assumed is said with it and kept in the log."""
    match = Match.start("straight_14_1", race=100, assume_calls=True)
    said = match.record_shot(a_shot(falls("3"), falls("5", "FL"))).to_dict()
    again = parse_log("".join(f"{line}\n" for line in format_log(match)))

    assert (said["verdict"], said["turn"], said["result"]["points_delta"]) == ("legal", "A", {"A": 2, "B": 0})
    assert "call: the 3 in SL at shot 1, because it fell" in said["assumed"]
    assert again.state == match.state


def test_an_assumed_call_gives_way_to_a_recorded_one() -> None:
    """The recorded call was of another pocket, so nothing counts and nothing is assumed."""
    match = Match.start("straight_14_1", race=100, assume_calls=True)
    call = PersonEvent(time_s=9.0, type="call", fields={"kind": "ball", "ball": "3", "pocket": "FR"})
    said = match.record_shot(a_shot(falls("3")), [call]).to_dict()

    assert (said["verdict"], said["turn"], [note for note in said["assumed"] if note.startswith("call: the")]) == ("legal", "B", [])


def test_the_surest_ball_is_assumed_and_only_where_calls_are_needed() -> None:
    """A ball that hardly fell is not taken before one that did; nine-ball has no calls."""
    doubtful = {**falls("5", "FL"), "p": 0.2, "t": 1.0}

    assert assumed_call("straight_14_1", a_shot(doubtful, falls("3"))) == Call(kind="ball", ball="3", pocket="SL")
    assert assumed_call("straight_14_1", a_shot()) is None
    assert assumed_call("nine_ball", a_shot(falls("3"))) is None


def test_a_number_that_was_not_read_is_not_taken_for_the_called_one() -> None:
    """CLA-5.2: the call is of ball 3, a white fell in its pocket under a label; it may be the 3 or another."""
    doubt = {"kind": "identity", "balls": ["w8"], "text": "the numbers of the whites that fell were not read: w8"}
    shot = Shot.from_dict(a_shot(falls("w8", "HL")).to_dict() | {"doubts": [doubt]})
    called = Call(kind="ball", ball="w3", pocket="HL")

    assert possible_calls("classic_pyramid", called, shot) == (None, Call(kind="ball", ball="w8", pocket="HL"))
    assert possible_calls("classic_pyramid", Call(kind="ball", ball="w3", pocket="SR"), shot)[0] is not None


def test_a_pocket_by_name_is_one_of_two_where_the_ends_are_not_known() -> None:
    """HL is FR when the other end is the foot."""
    called = Call(kind="ball", ball="3", pocket="HL")

    assert possible_calls("straight_14_1", called, a_shot(), ends_known=False) == (called, Call(kind="ball", ball="3", pocket="FR"))
