"""14.1: balls near a cushion, counters and when they count as frozen (S141-7.2c to 7.2f)."""

from typing import Any

import pytest

from calibration.equipment import find_table
from referee.notation import parse_stroke
from referee.rules.base import Call, Case, State
from referee.rules.options import read_options
from referee.rules.straight_pool import RULES
from referee.rules.straight_pool_near_rail import nearest_cushion
from referee.ruling import Pair, Ruling

NEAR, AWAY = (0.5, 0.05), (0.5, 0.3)
SAFETY = Call(kind="safety")
NEAR_SAFETY = "cue>6 6|left"


def a_state(**changes: Any) -> State:
    """The 6 lies 35 mm from the left cushion, a safety is declared, shooter A."""
    usual: dict[str, Any] = {
        "table": find_table("wpa-9ft"),
        "shooter": "A",
        "phase": "normal",
        "balls": ("cue", "3", "6", "9"),
        "cue_ball": "cue",
        "cue_state": "position",
        "positions": {"6": NEAR},
        "scores": Pair(20, 15),
        "target": 150,
        "call": SAFETY,
    }
    return State(**usual | changes)


def judge(stroke: str, *, rest: tuple[float, float] | None = NEAR, options: dict[str, Any] | None = None, **changes: Any) -> Ruling:
    """The ruling on a stroke after which the 6 lies at `rest`."""
    events = parse_stroke(stroke, None if rest is None else {"6": rest})
    return RULES.judge(Case(state=a_state(**changes), events=events, options=read_options(options or {})))


@pytest.mark.parametrize(
    ("what", "changes", "after"),
    [
        ("the first", {}, {"A": {"6": 1}}),
        ("the second", {"near_rail": {"A": {"6": 1}}}, {"A": {"6": 2}}),
        ("each player has his own", {"near_rail": {"B": {"6": 2}}}, {"A": {"6": 1}, "B": {"6": 2}}),
        ("a called ball missed is another kind of stroke", {"call": Call(kind="ball", ball="6", pocket="SL")}, None),
        ("no longer near", {"near_rail": {"A": {"6": 1}}, "rest": AWAY}, {"A": {"6": 0}}),
        ("at another cushion", {"near_rail": {"A": {"6": 1}}, "rest": (0.04, 0.1)}, {"A": {"6": 0}}),
        ("near at all", {"positions": {"6": AWAY}, "rest": AWAY}, None),
        ("frozen, so not near", {"positions": {"6": (0.5, 0.0225)}}, None),
        ("switched off", {"near_rail": {"A": {"6": 1}}, "options": {"s141.near_rail_rule": False}}, None),
    ],
)
def test_safeties_by_the_nearest_cushion_only_are_counted(what: str, changes: dict[str, Any], after: Any) -> None:
    """S141-7.2c, A-S14: declared, legal, that ball first, no other cushion."""
    ruling = judge(NEAR_SAFETY, **changes)

    assert (ruling.near_rail_after, ruling.foul) == (after, False)


@pytest.mark.parametrize(
    ("what", "stroke"),
    [
        ("another cushion by the cue ball", "cue>6 6|left cue|head"),
        ("another cushion by another ball", "cue>6 6|left 9|foot"),
        ("a ball falls", "cue>6 6|left 9@FL"),
        ("another ball first", "cue>9 9>6 6|left"),
        ("another ball altogether", "cue>9 9|foot"),
        ("a foul", "cue>6 6|left cue@HL"),
    ],
)
def test_another_kind_of_stroke_takes_the_counter_back(what: str, stroke: str) -> None:
    """Section 3.3: the ball stays listed while it is near; the other player's counter goes when it was struck otherwise."""
    ruling = judge(stroke, near_rail={"A": {"6": 1}, "B": {"6": 2}})

    is_untouched = ">6" not in stroke
    assert ruling.near_rail_after == {"A": {"6": 0}, "B": {"6": 2 if is_untouched else 0}}


FROZEN_STROKES = [
    ("the nearest cushion only", NEAR_SAFETY, True),
    ("nothing", "cue>6", True),
    ("the cue ball to a cushion", "cue>6 6|left cue|head", False),
    ("the cue ball to the same cushion", "cue>6 6|left cue|left", False),
    ("another cushion", "cue>6 6|foot", False),
    ("another ball to a cushion", "cue>6 6>9 9|left", False),
    ("a ball falls", "cue>6 6|left 9@FL", False),
    ("another ball first", "cue>9 9>6 6|left", False),
    ("a split hit with another ball", "cue>6= cue>9= 6|left", False),
]


@pytest.mark.parametrize(("what", "stroke", "foul"), FROZEN_STROKES, ids=[row[0] for row in FROZEN_STROKES])
def test_after_two_the_ball_counts_as_frozen(what: str, stroke: str, foul: bool) -> None:
    """S141-7.2d: when it is met first, GR-3.38 must be met, whatever was called."""
    for call in (SAFETY, Call(kind="ball", ball="6", pocket="SL"), None):
        ruling = judge(stroke, near_rail={"A": {"6": 2}}, call=call)
        assert ruling.foul_codes == (("FROZEN",) if foul else ())
        assert ruling.points_delta.a in ((-1,) if foul else (0,))


@pytest.mark.parametrize(
    ("what", "changes", "foul"),
    [
        ("one safety so far", {"near_rail": {"A": {"6": 1}}}, False),
        ("the other player's two", {"near_rail": {"B": {"6": 2}}}, False),
        ("on a foul, never played before", {"consecutive_fouls": Pair(1, 0)}, True),
        ("the other player on a foul", {"consecutive_fouls": Pair(0, 1)}, False),
        ("on a foul, the ball not near", {"consecutive_fouls": Pair(1, 0), "positions": {"6": AWAY}}, False),
        ("on a foul, no place known", {"consecutive_fouls": Pair(1, 0), "positions": {}}, False),
        ("measured by the official", {"consecutive_fouls": Pair(1, 0), "positions": {}, "near_rail": {"A": {"6": 0}}}, True),
        ("rule switched off", {"consecutive_fouls": Pair(1, 0), "options": {"s141.near_rail_rule": False}}, False),
    ],
)
def test_when_the_ball_counts_as_frozen(what: str, changes: dict[str, Any], foul: bool) -> None:
    """S141-7.2d, 7.2e: after two of his own safeties, or at once after a foul."""
    assert ("FROZEN" in judge(NEAR_SAFETY, **changes).foul_codes) == foul


def test_third_foul_on_a_near_ball_leaves_no_choice() -> None:
    """S141-7.2f, A-S3: sixteen off, all fifteen racked, the player on two fouls must break."""
    ruling = judge(NEAR_SAFETY, consecutive_fouls=Pair(2, 0), warned=Pair(True, False))

    assert ruling.foul_codes == ("FROZEN", "THREE_FOULS")
    assert (ruling.points_delta, ruling.turn, ruling.options) == (Pair(-16, 0), "A", ())
    assert (ruling.rerack, ruling.cue_next, ruling.next_phase) == ("15", "hand_kitchen", "rebreak")
    assert (ruling.fouls_after, ruling.near_rail_after) == (Pair(0, 0), None)


def test_third_foul_otherwise_on_a_near_ball_leaves_the_choice() -> None:
    """S141-12.6: the requirement was met, the scratch is an ordinary third foul."""
    ruling = judge("cue>6 6|foot cue@HL", consecutive_fouls=Pair(2, 0), warned=Pair(True, False))

    assert (ruling.foul_codes, ruling.turn) == (("SCRATCH", "THREE_FOULS"), "decide:B")


@pytest.mark.parametrize(
    ("place", "cushion", "gap_mm"),
    [((0.02, 0.5), "head", 22.2), ((0.98, 0.5), "foot", 22.2), ((0.5, 0.05), "left", 34.9), ((0.5, 0.95), "right", 34.9)],
)
def test_nearest_cushion(place: tuple[float, float], cushion: str, gap_mm: float) -> None:
    """The gap is between ball and nose."""
    name, gap_m = nearest_cushion(find_table("wpa-9ft"), place)

    assert (name, round(gap_m * 1000, 1)) == (cushion, gap_mm)


def test_within_a_balls_width_is_a_gap_below_one_diameter() -> None:
    """A-S14: the limit itself is out."""
    table = find_table("wpa-9ft")
    for gap_m, foul in ((table.ball_diameter_m - 0.001, True), (table.ball_diameter_m + 0.001, False)):
        place = (0.5, (gap_m + table.ball_radius_m) / table.width_m)
        assert judge(NEAR_SAFETY, positions={"6": place}, consecutive_fouls=Pair(1, 0)).foul == foul


def test_cushion_of_a_measured_ball_without_a_place_is_the_one_it_is_driven_to() -> None:
    """Another ball's cushion says nothing about it."""
    measured: dict[str, Any] = {"positions": {}, "near_rail": {"A": {"6": 2}}}

    assert judge("cue>6 9|foot* 6|left", **measured).foul_codes == ("FROZEN",)
    assert judge("cue>6 6|left 6|foot", **measured).foul_codes == ()


def test_ball_that_is_gone_is_listed_no_more() -> None:
    """It will be spotted or has scored: either way it is not near that cushion."""
    for stroke in ("cue>6 6@FL", "cue>6 6!"):
        assert judge(stroke, rest=None, near_rail={"A": {"6": 1}, "B": {"6": 2}}).near_rail_after is None


@pytest.mark.parametrize(
    ("clause", "changes"),
    [
        ("S141-7.2d", {"near_rail": {"A": {"6": 2}}}),
        ("S141-7.2e", {"consecutive_fouls": Pair(1, 0)}),
        ("S141-7.2f", {"consecutive_fouls": Pair(2, 0), "warned": Pair(True, False)}),
    ],
)
def test_clause_that_makes_the_ball_frozen_is_cited(clause: str, changes: dict[str, Any]) -> None:
    """Each of the three has its own reason, whether the requirement is met or not."""
    others = {"S141-7.2d", "S141-7.2e", "S141-7.2f"} - {clause}
    for stroke in (NEAR_SAFETY, "cue>6 6|foot"):
        cited = judge(stroke, **changes).clauses
        assert clause in cited
        assert not others & set(cited)
