"""The match as a log folded to a state: shots, corrections, assumptions, what follows an undecided shot."""

from dataclasses import replace
from math import sqrt
from typing import Any

import pytest

from calibration.equipment import find_table
from calibration.errors import InputError
from referee.calls import PersonEvent
from referee.layout import is_racked
from referee.log_event import LogEvent, corrected
from referee.match import Match, find_differences, fold, recorded_rulings
from tracker.shot import Doubt, Shot

R = 0.028575
ROWS = ((0, 0), (1, -1), (1, 1), (2, -2), (2, 0), (2, 2), (3, -1), (3, 1), (4, 0))
RACK = {ball: (0.635 + row * R * sqrt(3), side * R) for ball, (row, side) in zip("123495678", ROWS, strict=True)}
SPREAD = {ball: (-0.8 + 0.18 * int(ball), 0.3) for ball in "123456789"}


def a_shot(number: int, balls: str, *events: dict[str, Any], first: dict[str, float], rail: float = 1.0, **fields: Any) -> Shot:
    """A shot over balls spread on the table (or the rack, for `rack`)."""
    layout = {**(RACK if balls == "rack" else {ball: SPREAD[ball] for ball in balls.split()}), "cue": (-0.9, 0.1)}
    line = {
        "format": "cueref.shot/1",
        "number": number,
        "start_s": 20.0 * number,
        "end_s": 20.0 * number + 5,
        "cue_ball": "cue",
        "complete": True,
        "before": layout,
        "after": {},
        "events": [{"t": 0.0, "type": "cue_contact"}, *events],
        "first_contact": first,
        "rail_before_contact": 0.0,
        "rail_after_contact": rail,
    }
    return Shot.from_dict(line | fields)


def falls(ball: str, pocket: str = "FL") -> dict[str, Any]:
    """The ball falls."""
    return {"t": 2.0, "type": "pocketed", "ball": ball, "pocket": pocket}


def cushion(ball: str) -> dict[str, Any]:
    """The ball reaches a cushion."""
    return {"t": 1.0, "type": "ball_cushion", "ball": ball, "cushion": "foot"}


def a_match(**changes: Any) -> Match:
    """Nine-ball between Ann and Bo, race to 3."""
    return Match.start("nine_ball", **{"players": ("Ann", "Bo"), "race": 3, **changes})


def test_recording_that_starts_with_a_rack_starts_with_the_break() -> None:
    """All balls racked: phase break; what was assumed is listed."""
    match = a_match()
    ruling = match.record_shot(a_shot(1, "rack", falls("3"), first={"1": 1.0}))

    assert (ruling.state_before.phase, ruling.verdict, ruling.ruling.push_out_available) == ("break", "legal", True)
    assert match.assumed == ("phase: break", "shooter: A", "fouls: none", "score: 0-0", "call: none")


def test_recording_that_starts_in_mid_rack_starts_from_the_position() -> None:
    """No rack: phase normal, the balls that lie there, no fouls, shooter A; all of it listed."""
    match = a_match()
    ruling = match.record_shot(a_shot(1, "3 5 9", cushion("3"), first={"3": 1.0}))

    assert (ruling.state_before.phase, ruling.state_before.balls, ruling.verdict) == ("normal", ("cue", "3", "5", "9"), "legal")
    assert "phase: normal" in match.assumed
    assert "shooter: A" in match.assumed


def test_shots_follow_one_another() -> None:
    """Turn, balls and score go on from shot to shot."""
    match = a_match()
    match.record_shot(a_shot(1, "3 5 9", falls("3"), first={"3": 1.0}))
    match.record_shot(a_shot(2, "5 9", cushion("5"), first={"5": 1.0}))
    third = match.record_shot(a_shot(3, "5 9", falls("9"), first={"5": 1.0}))

    assert (third.state_before.shooter, third.ruling.winner, match.score) == ("B", "B", {"A": 0, "B": 1})
    assert match.state.state is not None
    assert (match.state.state.phase, match.shot_count) == ("break", 3)


def test_review_fields_are_those_of_the_design() -> None:
    """A ruling gives every field that a review adds to a shot line."""
    ruling = a_match().record_shot(a_shot(1, "3 5 9", falls("3"), first={"3": 1.0}))
    data = ruling.to_dict()

    names = {"state_before", "verdict", "default", "foul_codes", "clauses", "reasons", "pocketed", "off_table"}
    names |= {"turn", "result", "readings"}
    assert names <= set(data)
    assert (data["verdict"], data["default"], data["pocketed"], data["turn"]) == ("legal", None, [["3", "FL"]], "A")
    assert data["state_before"]["positions"]["cue"] == [0.145669, 0.421260]


def test_undecided_shot_goes_on_with_the_default() -> None:
    """The fold takes the rule book's default, and everything after it is provisional."""
    match = a_match()
    split = match.record_shot(a_shot(1, "3 5 9", cushion("3"), first={"3": 0.5, "5": 0.5}))
    after = match.record_shot(a_shot(2, "3 5 9", cushion("3"), first={"3": 1.0}))

    assert (split.verdict, split.provisional, after.verdict, after.provisional) == ("undecided", False, "legal", True)
    assert after.state_before.cue_state == "position"
    assert split.foul_codes == ()
    assert split.reasons[0] == "Not established: first ball 3 or 5."
    assert split.call.startswith("Undecided: first ball 3 or 5.")


def test_correction_judges_everything_after_it_again() -> None:
    """A person says which ball was first; the shot and the next are ruled again, and the log keeps what was said."""
    match = a_match()
    match.record_shot(a_shot(1, "3 5 9", cushion("3"), first={"3": 0.5, "5": 0.5}))
    match.record_shot(a_shot(2, "3 5 9", cushion("3"), first={"3": 1.0}))
    before = match.events
    changed = match.correct(1, {"first_contact": {"5": 1.0}})

    assert [(difference.shot, difference.now["verdict"]) for difference in changed] == [(1, "foul"), (2, "legal")]
    assert match.rulings[1].state_before.cue_state == "hand_anywhere"
    assert not match.rulings[1].provisional
    assert match.events[: len(before)] == before
    assert recorded_rulings(match.events)[1]["verdict"] == "foul"
    assert find_differences(recorded_rulings(match.events), match.rulings) == ()


def test_correction_can_be_taken_back() -> None:
    """A void correction leaves the match as it was."""
    match = a_match()
    match.record_shot(a_shot(1, "3 5 9", cushion("3"), first={"3": 1.0}))
    match.correct(1, {"first_contact": {"5": 1.0}})
    wrong = match.events[2].id
    match.correct(wrong, void=True)

    assert match.rulings[0].verdict == "legal"


def test_void_shot_is_left_out() -> None:
    """A shot that was none (a ball moved by hand) is made void, not erased."""
    match = a_match()
    match.record_shot(a_shot(1, "3 5 9", cushion("3"), first={"3": 1.0}))
    match.correct(1, void=True)

    assert (match.rulings, match.shot_count) == ((), 1)


def test_bad_correction_leaves_the_match_unchanged() -> None:
    """A correction of nothing, or to nonsense, is refused."""
    match = a_match()
    match.record_shot(a_shot(1, "3 5 9", cushion("3"), first={"3": 1.0}))
    before = (match.events, match.state)
    for of, fields in ((99, {}), (1, {"events": [{"t": 0.0, "type": "nonsense"}]})):
        with pytest.raises(InputError):
            match.correct(of, fields)
        assert (match.events, match.state) == before


def test_fold_over_any_prefix_is_the_state_then() -> None:
    """The state is nothing but the fold of the log."""
    match = a_match()
    states = []
    for number, ball in enumerate("35", start=1):
        match.record_shot(a_shot(number, "3 5 9"[2 * (number - 1) :], falls(ball), first={ball: 1.0}))
        states.append((len(match.events), match.state))

    for length, state in states:
        assert fold(match.setup, match.events[:length]) == state


def test_push_out_is_declared_and_answered() -> None:
    """A call before the stroke after the break, and a choice after it."""
    match = a_match()
    match.record_shot(a_shot(1, "rack", falls("3"), first={"1": 1.0}))
    said = PersonEvent(time_s=30.0, type="call", fields={"kind": "push_out"})
    pushed = match.record_shot(a_shot(2, "1 2 4 5 6 7 8 9", first={"none": 1.0}, rail=0.0), [said])
    match.record("decision", by="B", option="RETURN_SHOT", time_s=50.0)
    third = match.record_shot(a_shot(3, "1 2 4 5 6 7 8 9", cushion("1"), first={"1": 1.0}))

    assert (pushed.verdict, pushed.ruling.turn) == ("legal", "decide:B")
    assert third.state_before.shooter == "A"


def test_choice_that_nobody_recorded_is_assumed_and_listed() -> None:
    """Whoever was to choose after a push-out and simply shot played from the position."""
    match = a_match()
    match.record_shot(a_shot(1, "rack", falls("3"), first={"1": 1.0}))
    said = PersonEvent(time_s=30.0, type="decision", fields={"by": "A", "option": "DECLARE_PUSH_OUT"})
    match.record_shot(a_shot(2, "1 2 4 5 6 7 8 9", first={"none": 1.0}, rail=0.0), [said])
    third = match.record_shot(a_shot(3, "1 2 4 5 6 7 8 9", cushion("1"), first={"1": 1.0}))

    assert third.state_before.shooter == "B"
    assert "decision before shot 3: player B PLAY_POSITION" in match.assumed


def test_official_fact_and_touch_belong_to_the_next_shot() -> None:
    """What people established before a shot is judged with it."""
    match = a_match()
    touch = PersonEvent(time_s=19.0, type="touch", fields={"ball": "5", "by": "sleeve", "actor": "A"})
    push = PersonEvent(time_s=19.5, type="official", fields={"fact": "push"})
    ruling = match.record_shot(a_shot(1, "3 5 9", cushion("3"), first={"3": 1.0}), [touch, push])

    assert set(ruling.foul_codes) == {"TOUCH", "PUSH"}


def test_nonsense_from_people_is_refused_and_not_recorded() -> None:
    """An unknown fact names its line in the log and leaves the log as it was."""
    match = a_match()
    with pytest.raises(InputError, match="official in log event 1"):
        match.record_shot(a_shot(1, "3 9", first={"3": 1.0}), [PersonEvent(time_s=1.0, type="official", fields={"fact": "weather"})])

    assert match.events == ()


def test_ball_missing_from_the_layout_is_doubt() -> None:
    """By the log the 3 is still there; were it, the 5 would be the wrong ball: undecided, and listed."""
    match = a_match()
    match.record_shot(a_shot(1, "3 5 9", cushion("3"), first={"3": 1.0}))
    ruling = match.record_shot(a_shot(2, "5 9", cushion("5"), first={"5": 1.0}))

    assert (ruling.verdict, ruling.judgement.readings[0].differs) == ("undecided", "whether 3 was on the table")
    assert "balls: 3 not seen before shot 2, though on the table by the log" in ruling.notes


def test_ball_that_is_seen_is_there() -> None:
    """A ball on the table that the log knows nothing of is taken from the picture and listed."""
    match = a_match()
    match.record_shot(a_shot(1, "5 9", cushion("5"), first={"5": 1.0}))
    ruling = match.record_shot(a_shot(2, "3 5 9", cushion("3"), first={"3": 1.0}))

    assert (ruling.verdict, ruling.state_before.balls) == ("legal", ("cue", "3", "5", "9"))
    assert any(note.startswith("balls: 3 on the table") for note in match.assumed)


def test_nine_that_is_hidden_stays_in_the_rack() -> None:
    """Without the 9 there is no rack to play, so a 9 that is not seen is there."""
    ruling = a_match().record_shot(a_shot(1, "3 5", cushion("3"), first={"3": 1.0}))

    assert ruling.state_before.balls == ("cue", "3", "5", "9")


def test_new_rack_in_the_middle_is_assumed() -> None:
    """A cut in the recording: nine balls racked again open a break."""
    match = a_match()
    match.record_shot(a_shot(1, "3 5 9", cushion("3"), first={"3": 1.0}))
    ruling = match.record_shot(a_shot(2, "rack", falls("2"), first={"1": 1.0}))

    assert ruling.state_before.phase == "break"
    assert "rack: a new rack before shot 2, player B breaking" in match.assumed


def test_fourteen_that_still_stand_racked_are_no_new_rack() -> None:
    """14.1: the fifteenth ball falls without touching the fourteen. The next stroke meets them in open play, not at an opening break."""
    rows = [(row, side) for row in range(1, 5) for side in range(-row, row + 1, 2)]
    fourteen = {ball: (0.635 + row * R * sqrt(3), side * R) for ball, (row, side) in zip((*map(str, range(2, 16)),), rows, strict=True)}
    match = Match.start("straight_14_1", players=("Ann", "Bo"))
    before = {"cue": (-0.3, 0.1), "1": (0.0, 0.3), **fourteen}
    match.record("call", kind="ball", ball="1", pocket="FL")
    match.record_shot(replace(a_shot(1, "1", falls("1"), first={"1": 1.0}), before=before))
    standing = {"cue": (-0.3, 0.1), **fourteen}
    ruling = match.record_shot(replace(a_shot(2, "2", first={"2": 1.0}), before=standing))

    assert ruling.state_before.phase == "normal"
    assert not any(note.startswith("rack:") for note in match.assumed)


def test_break_that_is_not_in_the_recording() -> None:
    """After a rack the next shot lies in open play: the break was cut away."""
    match = a_match()
    match.record_shot(a_shot(1, "9", falls("9"), first={"9": 1.0}))
    ruling = match.record_shot(a_shot(2, "3 5 9", cushion("3"), first={"3": 1.0}))

    assert (ruling.state_before.phase, match.score) == ("normal", {"A": 1, "B": 0})
    assert "phase: normal at shot 2, because no rack stood there" in match.assumed


def test_rack_event_says_who_breaks() -> None:
    """The lag is told, not seen."""
    match = a_match()
    match.record("rack", breaker="B")
    ruling = match.record_shot(a_shot(1, "rack", falls("3"), first={"1": 1.0}))

    assert (ruling.state_before.shooter, ruling.state_before.phase, match.assumed) == ("B", "break", ())


def test_rack_is_told_from_a_cluster() -> None:
    """A rack wherever it stands, a ball missed or not; not once it is broken."""
    spec = find_table("wpa-9ft")
    broken = {**RACK, "8": (0.9, 0.3)}

    assert is_racked(RACK, spec, "nine_ball")
    assert is_racked({ball: (x - 0.1, y) for ball, (x, y) in RACK.items()}, spec, "nine_ball")
    assert is_racked({ball: place for ball, place in RACK.items() if ball != "8"}, spec, "nine_ball")
    assert not is_racked(broken, spec, "nine_ball")
    assert not is_racked({ball: place for ball, place in RACK.items() if ball in "123"}, spec, "nine_ball")


def test_balls_of_a_rack_that_hid_each_other_belong_to_it() -> None:
    """The 6 and the 8 were first seen on their way, as a doubt says: where they were then is not where they lay."""
    unseen = Doubt(kind="hidden", text="not seen before the stroke: 6, 8", t=0.0, balls=("6", "8"))
    shot = a_shot(1, "rack", falls("3"), first={"1": 1.0})
    ruling = a_match().record_shot(replace(shot, before={**shot.before, "6": (0.9, 0.3), "8": (0.9, -0.4)}, doubts=(unseen,)))

    assert ruling.state_before.phase == "break"
    assert "6" in ruling.state_before.balls
    assert "6" not in ruling.state_before.positions


def test_ball_that_may_lie_there_unseen_leaves_what_does_not_hang_on_it() -> None:
    """The 7 is on the table by the log and not seen. The 3 is the lowest with it or without; after the shot it is still looked for."""
    match = a_match()
    match.record_shot(a_shot(1, "3 5 7 9", cushion("3"), first={"3": 1.0}))
    ruling = match.record_shot(a_shot(2, "3 5 9", cushion("3"), first={"3": 1.0}))

    assert (ruling.verdict, ruling.state_before.balls) == ("legal", ("cue", "3", "5", "7", "9"))
    assert match.state.state is not None
    assert "7" in match.state.state.balls


def test_lowest_ball_that_may_lie_there_unseen_leaves_the_shot_open() -> None:
    """The 2 is on the table by the log and not seen: the 3 was the wrong ball if it lay there."""
    match = a_match()
    match.record_shot(a_shot(1, "2 3 5 9", cushion("2"), first={"2": 1.0}))

    assert match.record_shot(a_shot(2, "3 5 9", cushion("3"), first={"3": 1.0})).verdict == "undecided"


def test_spot_is_not_stated_when_the_ends_are_not_known() -> None:
    """Where head and foot were named by convention, no place on the table is."""
    match = a_match(ends_known=False)
    ruling = match.record_shot(a_shot(1, "3 9", falls("9"), falls("cue", "SL"), first={"3": 1.0}))

    assert (ruling.ruling.spotted, ruling.ruling.spotted_pos) == (("9",), None)


def test_match_without_a_race_is_never_over() -> None:
    """No length agreed: no end is called, and that is listed."""
    match = a_match(race=None)

    assert match.assumed == ("race: none agreed, no match end is called",)


def test_game_that_is_not_built_is_refused() -> None:
    """One line, before anything is recorded."""
    with pytest.raises(InputError, match="not built"):
        Match.start("snooker", table=find_table("wpa-9ft"))


def test_correction_of_a_later_event_is_refused() -> None:
    """A log is read from the front: only what stands there can be corrected."""
    with pytest.raises(InputError, match="not an earlier one"):
        corrected([LogEvent(id=1, type="correction", fields={"of": 2, "fields": {}}), LogEvent(id=2, type="rack", fields={"breaker": "A"})])


def test_unknown_event_is_refused() -> None:
    """The log knows its own words only."""
    with pytest.raises(InputError, match="type must be one of"):
        LogEvent(id=1, type="weather")
