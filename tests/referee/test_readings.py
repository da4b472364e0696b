"""Doubt: every reading judged, equal rulings added up, certain only when they reach the limit."""

from dataclasses import replace
from typing import Any

import pytest

from calibration.equipment import find_table
from referee.alternatives import closed_readings, open_balls, to_case
from referee.readings import judge_shot
from referee.rules.base import State
from referee.rules.games import find_ruleset
from referee.rules.options import Options
from referee.ruling import Pair
from tracker.shot import Doubt, Shot, ShotEvent

RULES = find_ruleset("nine_ball")
NINE = " ".join(str(number) for number in range(1, 10))


def a_state(balls: str = "3 5 9", **changes: Any) -> State:
    """Open play, shooter A."""
    usual: dict[str, Any] = {
        "table": find_table("wpa-9ft"),
        "shooter": "A",
        "phase": "normal",
        "balls": ("cue", *balls.split()),
        "cue_ball": "cue",
        "cue_state": "position",
        "scores": Pair(0, 0),
        "target": 7,
    }
    return State(**usual | changes)


def event(t: float, kind: str, p: float = 1.0, **fields: Any) -> ShotEvent:
    """One event with its probability."""
    return ShotEvent(t=t, type=kind, p=p, fields=fields)


def a_shot(
    *events: ShotEvent,
    first: dict[str, float] | None = None,
    rail: float = 1.0,
    doubts: tuple[Doubt, ...] = (),
    complete: bool = True,
    cue_ball: str | None = "cue",
) -> Shot:
    """A stroke that meets the 3 and sends it to the foot cushion, with more events and doubt as given."""
    usual = (event(0.0, "cue_contact"), event(0.4, "ball_ball", a="cue", b="3"), event(1.0, "ball_cushion", ball="3", cushion="foot"))
    return Shot(
        number=1,
        start_s=10.0,
        end_s=14.0,
        cue_ball=cue_ball,
        complete=complete,
        before={},
        after={"cue": (0.0, 0.0), "3": (0.5, 0.2), "5": (-0.5, 0.1), "9": (0.2, -0.3)},
        events=(*usual, *events),
        first_contact={"3": 1.0} if first is None else first,
        rail_before_contact=0.0,
        rail_after_contact=rail,
        doubts=doubts,
    )


def test_sure_shot_is_ruled_with_certainty() -> None:
    """One reading, one ruling."""
    judgement = judge_shot(RULES, [a_state()], a_shot())

    assert (judgement.verdict, judgement.default, judgement.turn, len(judgement.readings)) == ("legal", None, "B", 1)


def test_ruling_is_certain_from_ninety_nine_in_a_hundred() -> None:
    """Readings that give one ruling must add up to at least 0.99; the match may ask for another limit."""
    sure, unsure = a_shot(first={"3": 0.99, "5": 0.01}), a_shot(first={"3": 0.985, "5": 0.015})

    assert judge_shot(RULES, [a_state()], sure).verdict == "legal"
    assert judge_shot(RULES, [a_state()], unsure).verdict == "undecided"
    assert judge_shot(RULES, [a_state()], unsure, certain_at=0.98).verdict == "legal"


def test_split_hit_is_undecided_with_the_shooter_favoured() -> None:
    """Two likely first balls give two rulings; the default is the one without a foul, likelier or not."""
    judgement = judge_shot(RULES, [a_state()], a_shot(first={"3": 0.3, "5": 0.7}))

    assert (judgement.verdict, judgement.default) == ("undecided", "legal")
    assert [reading.differs for reading in judgement.readings] == ["first ball 3 or 5", "first ball 3 or 5"]
    assert [round(reading.p, 3) for reading in judgement.readings] == [0.7, 0.3]


def test_a_certain_foul_stands_while_what_it_leaves_is_open() -> None:
    """The wrong ball was hit, whether the cue ball fell is not known: a foul until a person decides."""
    fell = event(2.0, "pocketed", p=0.45, ball="cue", pocket="FL")
    judgement = judge_shot(RULES, [a_state()], a_shot(fell, first={"5": 0.994, "unknown": 0.006}))

    assert (judgement.verdict, judgement.default) == ("undecided", "foul")
    assert "WRONG_FIRST" in judgement.ruling.foul_codes


def test_readings_with_one_ruling_add_up() -> None:
    """A foul in every reading is certain although nobody knows which wrong ball was met first, where the codes agree."""
    judgement = judge_shot(RULES, [a_state()], a_shot(first={"5": 0.5, "9": 0.5}))

    assert (judgement.verdict, judgement.ruling.foul_codes) == ("foul", ("WRONG_FIRST",))


def test_unlikely_rail_does_not_matter_when_a_ball_falls() -> None:
    """With a ball surely down no cushion is needed, so its doubt changes nothing."""
    judgement = judge_shot(RULES, [a_state()], a_shot(event(2.0, "pocketed", ball="3", pocket="FL"), rail=0.4))

    assert (judgement.verdict, judgement.turn) == ("legal", "A")


def test_marginal_facts_are_not_multiplied_by_their_events() -> None:
    """`rail_after_contact` and `first_contact` say it all: weak single events take nothing away from them."""
    weak = a_shot(rail=0.999)
    weak = Shot.from_dict(
        {**weak.to_dict(), "events": [{"t": 0, "type": "cue_contact"}, {"t": 0.4, "type": "ball_ball", "a": "cue", "b": "3", "p": 0.3}]}
    )

    judgement = judge_shot(RULES, [a_state()], weak)
    assert (judgement.verdict, round(judgement.readings[0].p, 3)) == ("legal", 0.999)


def test_rail_is_asked_of_shots_with_a_contact() -> None:
    """`rail_after_contact` counts shots without a contact as without: 0.5 of all is all of those that hit something."""
    judgement = judge_shot(RULES, [a_state()], a_shot(first={"3": 0.5, "none": 0.5}, rail=0.5))

    assert sorted((reading.verdict, round(reading.p, 3)) for reading in judgement.readings) == [("foul", 0.5), ("legal", 0.5)]


def test_doubtful_pot_is_undecided_between_turns() -> None:
    """A ball that may have fallen: with a rail both are legal, but the turn differs, so nothing is stated."""
    judgement = judge_shot(RULES, [a_state()], a_shot(event(2.0, "pocketed", 0.9, ball="3", pocket="FL")))

    assert (judgement.verdict, judgement.default, judgement.turn) == ("undecided", "legal", None)
    assert judgement.ruling.turn == "A"
    assert judgement.readings[0].differs == "3 pocketed FL or on the table"


def test_pocket_does_not_matter_in_nine_ball() -> None:
    """Two pockets for one ball exclude each other and give one ruling."""
    events = (event(2.0, "pocketed", 0.6, ball="3", pocket="FL"), event(2.0, "pocketed", 0.4, ball="3", pocket="SL"))

    assert judge_shot(RULES, [a_state()], a_shot(*events)).verdict == "legal"


def test_unknown_first_ball_is_undecided() -> None:
    """What was hidden is not guessed, and the rule book's default stands beside it."""
    judgement = judge_shot(RULES, [a_state()], a_shot(first={"unknown": 1.0}))

    assert (judgement.verdict, judgement.default, judgement.readings[0].differs) == ("undecided", "legal", "first ball not seen")


def test_unknown_first_ball_that_cannot_matter_is_no_doubt() -> None:
    """With the 9 alone on the table and something stirred, it was the 9."""
    shot = Shot.from_dict(
        {**a_shot(first={"unknown": 1.0}).to_dict(), "events": [{"t": 1.0, "type": "pocketed", "ball": "9", "pocket": "FL"}]}
    )

    judgement = judge_shot(RULES, [a_state("9")], shot)
    assert (judgement.verdict, judgement.ruling.winner) == ("legal", "A")


def test_probability_left_out_of_the_first_contact_is_unknown() -> None:
    """What does not add up to 1 is not known."""
    assert judge_shot(RULES, [a_state()], a_shot(first={"3": 0.9})).verdict == "undecided"


@pytest.mark.parametrize("first", [{"3": 1.0}, {"unknown": 1.0}])
def test_strike_that_was_not_seen_is_undecided(first: dict[str, float]) -> None:
    """Balls may have fallen before the recording began, whatever the rest says."""
    doubt = Doubt(kind="strike_not_seen", text="starts late")

    judgement = judge_shot(RULES, [a_state()], a_shot(first=first, doubts=(doubt,)))

    assert (judgement.verdict, judgement.readings[0].differs) == ("undecided", "the strike is not in the recording")


def test_another_ball_struck_than_the_cue_ball_is_undecided() -> None:
    """A name read wrongly is likelier than a player who strikes the 5."""
    judgement = judge_shot(RULES, [a_state()], a_shot(cue_ball="5", first={"9": 1.0}))

    assert (judgement.verdict, judgement.default) == ("undecided", "legal")
    assert judgement.readings[0].differs == "the struck ball was read as 5"


@pytest.mark.parametrize(
    ("seen", "faint", "verdict"),
    [(("Y", "w3", "w5"), (), "foul"), (("w3", "w5"), (), "undecided"), (("Y", "w3", "w5"), ("Y",), "undecided")],
)
def test_a_white_struck_is_a_foul_only_where_the_coloured_ball_was_seen(
    seen: tuple[str, ...], faint: tuple[str, ...], verdict: str
) -> None:
    """A coloured ball in the cloth's colour may have been struck unseen, onto the white that was seen to start."""
    state = State(
        table=find_table("pyramid-12ft"),
        shooter="A",
        phase="normal",
        balls=("Y", "w3", "w5"),
        cue_ball="w3",
        cue_state="position",
        scores=Pair(2, 1),
        target=8,
    )
    shot = replace(
        a_shot(cue_ball="w3", first={"w5": 1.0}),
        before={ball: (0.1 * n, 0.2) for n, ball in enumerate(seen)},
        after={ball: (0.1 * n, 0.3) for n, ball in enumerate(("Y", "w3", "w5"))},
        events=(event(0.0, "cue_contact"), event(0.4, "ball_ball", a="w3", b="w5"), event(1.0, "ball_cushion", ball="w5", cushion="foot")),
        doubts=tuple(Doubt(kind="hidden", t=0.0, balls=(ball,), text="hardly seen") for ball in faint),
    )
    assert judge_shot(find_ruleset("dynamic_pyramid"), [state], shot).verdict == verdict


def not_at_rest(*balls: str) -> tuple[Doubt, ...]:
    """The recording ends while these balls can still change something."""
    return (Doubt(kind="not_at_rest", text="balls roll at the end", balls=balls),)


def test_rolling_balls_that_cannot_change_anything_leave_it_certain() -> None:
    """A not_at_rest doubt without balls says that what still rolls does not matter."""
    assert judge_shot(RULES, [a_state()], a_shot(doubts=not_at_rest(), complete=False)).verdict == "legal"


def test_rolling_ball_that_may_fall_leaves_it_undecided() -> None:
    """If the 5 fell yet, the turn would stay: undecided."""
    judgement = judge_shot(RULES, [a_state()], a_shot(doubts=not_at_rest("5"), complete=False))

    assert (judgement.verdict, judgement.readings[0].differs) == ("undecided", "whether 5 still falls")


def test_rolling_ball_that_may_reach_a_cushion_leaves_a_missing_rail_undecided() -> None:
    """No rail so far, but a ball still rolls: whether it gets there decides."""
    shot = a_shot(rail=0.0, doubts=not_at_rest("9"), complete=False)
    judgement = judge_shot(RULES, [a_state()], shot)

    assert (judgement.verdict, judgement.default) == ("undecided", "legal")


def test_rolling_ball_that_reaches_no_mouth_any_more_leaves_the_turn_certain() -> None:
    """The 5 may yet touch a cushion but no pocket: with a rail seen already nothing is left to decide."""
    doubts = (Doubt(kind="not_at_rest", text="balls roll at the end", balls=("5",), falls=()),)
    shot = a_shot(doubts=doubts, complete=False)

    assert judge_shot(RULES, [a_state()], shot).verdict == "legal"
    assert judge_shot(RULES, [a_state()], a_shot(rail=0.0, doubts=doubts, complete=False)).verdict == "undecided"
    assert Shot.from_dict(shot.to_dict()).doubts == doubts


def test_recording_that_ends_early_without_a_word_leaves_every_ball_open() -> None:
    """Without a doubt that says which balls matter, all may."""
    assert set(open_balls(a_shot(complete=False))) == {"cue", "3", "5", "9"}
    assert judge_shot(RULES, [a_state()], a_shot(complete=False)).verdict == "undecided"


def test_foul_stays_certain_when_what_rolls_cannot_undo_it() -> None:
    """Wrong ball first and a scratch: the cue ball is down, and a 5 rolling to a cushion changes nothing."""
    shot = a_shot(event(2.0, "pocketed", ball="cue", pocket="FL"), first={"5": 1.0}, doubts=not_at_rest("cue"), complete=False)

    assert judge_shot(RULES, [a_state()], shot).ruling.foul_codes == ("WRONG_FIRST", "SCRATCH")
    assert judge_shot(RULES, [a_state()], shot).verdict == "foul"


def test_ball_lost_from_sight_while_moving_may_have_fallen() -> None:
    """Nothing is pocketed because it vanished, and nothing stayed because nobody saw it fall."""
    shot = Shot.from_dict({**a_shot().to_dict(), "after": {"cue": [0, 0], "5": [0.1, 0.1], "9": [0.4, 0.4]}})
    hidden = Shot.from_dict({**shot.to_dict(), "doubts": [{"kind": "hidden", "balls": ["3"], "text": "an arm"}]})

    assert open_balls(hidden) == ("3",)
    assert judge_shot(RULES, [a_state()], hidden).verdict == "undecided"


def test_ball_hidden_at_rest_stays_where_it_was() -> None:
    """A ball that nothing touched is no doubt when an arm hides it."""
    doubt = Doubt(kind="hidden", text="an arm", balls=("5",))

    unseen = Shot.from_dict({**a_shot(doubts=(doubt,)).to_dict(), "after": {"cue": [0, 0], "3": [0.5, 0.2], "9": [0.2, -0.3]}})

    assert judge_shot(RULES, [a_state()], unseen).verdict == "legal"


def a_break(*ps: float) -> Shot:
    """A break that meets the 1 and brings numbered balls 2, 3, .. to a cushion with these probabilities."""
    cushions = [event(0.5 + 0.1 * i, "ball_cushion", p, ball=str(i + 2), cushion="left") for i, p in enumerate(ps)]
    base = a_shot(first={"1": 1.0})
    return Shot.from_dict({**base.to_dict(), "events": [item.to_dict() for item in (event(0.0, "cue_contact"), *cushions)]})


def test_break_counts_balls_to_a_cushion_with_their_doubt() -> None:
    """Four sure balls are legal, three a foul; a doubtful fourth leaves it undecided with its probability."""
    state = a_state(NINE, phase="break", cue_state="hand_kitchen")
    sure, few, doubtful = (judge_shot(RULES, [state], a_break(*ps)) for ps in ((1, 1, 1, 1), (1, 1, 1), (1, 1, 1, 0.6)))

    assert (sure.verdict, few.verdict, doubtful.verdict) == ("legal", "foul", "undecided")
    assert [(reading.verdict, round(reading.p, 3)) for reading in doubtful.readings] == [("legal", 0.6), ("foul", 0.4)]


def test_break_with_many_doubtful_cushions_adds_them_up() -> None:
    """Eight balls at 0.9 each leave fewer than four in 4 of 10000 cases: certain, though no single one is."""
    state = a_state(NINE, phase="break", cue_state="hand_kitchen")

    assert judge_shot(RULES, [state], a_break(*[0.9] * 8)).verdict == "legal"


def test_cushions_do_not_matter_on_a_break_that_pockets_a_ball() -> None:
    """N9-4.1: one ball down excuses the count."""
    state = a_state(NINE, phase="break", cue_state="hand_kitchen")
    shot = a_break(0.5)
    down = Shot.from_dict(
        {**shot.to_dict(), "events": [*shot.to_dict()["events"], {"t": 2.0, "type": "pocketed", "ball": "4", "pocket": "FL"}]}
    )

    assert judge_shot(RULES, [state], down).verdict == "legal"


def test_layout_and_log_that_disagree_must_agree_on_the_ruling() -> None:
    """If the 2 was on the table after all, the 3 was the wrong ball: undecided. If the 7 was, nothing changes."""
    differs = judge_shot(RULES, [a_state("3 5 9"), a_state("2 3 5 9")], a_shot())
    same = judge_shot(RULES, [a_state("3 5 9"), a_state("3 5 9")], a_shot())

    assert (differs.verdict, differs.readings[0].differs) == ("undecided", "whether 2 was on the table")
    assert same.verdict == "legal"


def test_people_are_believed() -> None:
    """A second tip contact by camera is not judged; an official's word is."""
    camera = a_shot(event(0.45, "cue_contact", second=True), event(0.5, "touch", ball="5", by="hand", actor="A"))
    stated = judge_shot(RULES, [a_state()], a_shot(), people=[event(-0.5, "official", fact="no_foot")])

    assert judge_shot(RULES, [a_state()], camera).verdict == "legal"
    assert stated.ruling.foul_codes == ("FEET",)


def test_reading_becomes_events_in_order_of_time() -> None:
    """A reading with the 5 first puts that contact first and keeps what came after."""
    shot = a_shot(event(0.45, "ball_ball", a="cue", b="5"), first={"3": 0.5, "5": 0.5})
    reading = next(item for item in closed_readings(shot, a_state()) if item.first == "5")
    case = to_case(reading, shot, (), Options())

    times = [item.t for item in case.events]
    assert times == sorted(times)
    assert case.events[1].fields == {"a": "cue", "b": "5"}
    assert case.zones_known is False


def test_probabilities_of_the_readings_add_up_to_one() -> None:
    """Nothing is lost or counted twice but what is below 0.001."""
    events = (event(2.0, "pocketed", 0.7, ball="3", pocket="FL"), event(2.5, "pocketed", 0.2, ball="cue", pocket="SL"))
    judgement = judge_shot(RULES, [a_state()], a_shot(*events, first={"3": 0.6, "5": 0.3, "none": 0.1}, rail=0.5))

    assert sum(reading.p for reading in judgement.readings) == pytest.approx(1.0, abs=0.01)
