"""14.1: the table of the fourteenth and fifteenth balls, its geometry, and spotting."""

from math import hypot, sqrt
from typing import Any

import pytest

from calibration.equipment import find_table
from referee.notation import parse_stroke
from referee.rules.base import Call, Case, State, next_state
from referee.rules.straight_pool import RULES
from referee.rules.straight_pool_rack import fifteenth_row, is_in_rack, is_on_spot, rack_places
from referee.ruling import Pair, Ruling

TABLE = find_table("wpa-9ft")
Place = tuple[float, float]

CUE = {"C1": (0.8, 0.46), "C2": (0.45, 0.3), "C3": (0.252, 0.505)}
FIFTEENTH = {"R1": (0.79, 0.52), "R3": (0.12, 0.3), "R4": (0.5, 0.8), "R5": (0.248, 0.495)}
CELLS = {
    # rack, fifteenth, cue ball, by the book's own table
    ("R1", "C1"): ("15", "foot_spot", "hand_kitchen"),
    ("R1", "C2"): ("14", "head_spot", "position"),
    ("R1", "C3"): ("14", "centre_spot", "position"),
    ("R2", "C1"): ("15", "foot_spot", "hand_kitchen"),
    ("R2", "C2"): ("15", "foot_spot", "position"),
    ("R2", "C3"): ("15", "foot_spot", "position"),
    ("R3", "C1"): ("14", "stays", "head_spot"),
    ("R3", "C2"): ("14", "stays", "position"),
    ("R3", "C3"): ("14", "stays", "position"),
    ("R4", "C1"): ("14", "stays", "hand_kitchen"),
    ("R4", "C2"): ("14", "stays", "position"),
    ("R4", "C3"): ("14", "stays", "position"),
    ("R5", "C1"): ("14", "stays", "centre_spot"),
    ("R5", "C2"): ("14", "stays", "position"),
}
"""R5C3 needs both balls on one spot without touching; it has its own test."""


def last_but_one(stroke: str = "cue>4 4@SL", rest: dict[str, Place] | None = None, **changes: Any) -> Ruling:
    """The 4 is called and the 10 is the other ball left."""
    return RULES.judge(Case(state=a_state(**changes), events=parse_stroke(stroke, rest)))


def a_state(**changes: Any) -> State:
    """The fourteenth ball is on: 4 and 10 are left, the 4 called in the left side."""
    usual: dict[str, Any] = {
        "table": TABLE,
        "shooter": "A",
        "phase": "normal",
        "balls": ("cue", "4", "10"),
        "cue_ball": "cue",
        "cue_state": "position",
        "scores": Pair(20, 15),
        "target": 150,
        "call": Call(kind="ball", ball="4", pocket="SL"),
    }
    return State(**usual | changes)


@pytest.mark.parametrize("cell", CELLS)
def test_who_moves_for_the_new_rack(cell: tuple[str, str]) -> None:
    """S141-T: every cell, the same player goes on, and all sixteen balls are there again."""
    row, column = cell
    stroke = "cue>4 4@SL 10@FL" if row == "R2" else "cue>4 4@SL"
    rest = {"cue": CUE[column]} | ({} if row == "R2" else {"10": FIFTEENTH[row]})
    ruling = last_but_one(stroke, rest)

    assert (ruling.rerack, ruling.fifteenth, ruling.cue_next) == CELLS[cell]
    assert (ruling.turn, ruling.next_phase, ruling.rack_over) == ("A", "after_rerack", False)
    assert (f"S141-T.{row}{column}" in ruling.clauses, len(ruling.balls_after)) == (True, 16)
    assert ruling.points_delta == Pair(2 if row == "R2" else 1, 0)


def test_both_balls_on_the_head_spot_stay() -> None:
    """S141-T.R5C3: each would meet a ball set on the spot."""
    ruling = last_but_one(rest={"cue": (0.2365, 0.5), "10": (0.2635, 0.5)})

    assert ("S141-T.R5C3" in ruling.clauses, ruling.fifteenth, ruling.cue_next) == (True, "stays", "position")


def test_ball_on_the_head_string_is_not_behind_it() -> None:
    """GR-3.16: the fifteenth exactly on the string is in the field of play, so the cue ball goes in hand."""
    assert last_but_one(rest={"cue": CUE["C1"], "10": (0.25, 0.2)}).cue_next == "hand_kitchen"
    assert last_but_one(rest={"cue": CUE["C1"], "10": (0.2499, 0.2)}).cue_next == "head_spot"


def test_fifteenth_that_nothing_moved_lies_where_it_lay() -> None:
    """The place before the stroke holds for a ball that no event names."""
    ruling = last_but_one(rest={"cue": CUE["C2"]}, positions={"4": (0.3, 0.1), "10": FIFTEENTH["R1"]})

    assert (ruling.fifteenth, ruling.rerack) == ("head_spot", "14")


@pytest.mark.parametrize(
    ("call", "stroke"),
    [
        (Call(kind="safety"), "cue>4 4@SL"),
        (Call(kind="ball", ball="4", pocket="SL"), "cue>4 4@FL"),
        (Call(kind="ball", ball="4", pocket="SL"), "cue>4 4@SL cue@FL"),
        (Call(kind="ball", ball="4", pocket="SL"), "cue>4 4@SL 10!"),
        (None, "cue>4 4@SL 10@FL"),
    ],
)
def test_fourteenth_ball_that_does_not_fall_legally_is_spotted(call: Call | None, stroke: str) -> None:
    """S141-7.3a, 7.4, 13.3: no new rack; both balls are there again."""
    ruling = last_but_one(stroke, call=call)

    assert (ruling.rerack, ruling.fifteenth, set(ruling.balls_after)) == ("none", None, {"cue", "4", "10"})
    assert "4" in ruling.spotted


def test_three_balls_at_once_bring_the_new_rack_too() -> None:
    """S141-7.3a: the fourteenth may be one of several."""
    ruling = last_but_one("cue>4 4@SL 7@FL", {"10": FIFTEENTH["R4"]}, balls=("cue", "4", "7", "10"))

    assert (ruling.rerack, ruling.points_delta) == ("14", Pair(2, 0))


def test_last_ball_of_the_match_racks_nothing() -> None:
    """S141-1.5: the match ends at once."""
    ruling = last_but_one(scores=Pair(149, 15))

    assert (ruling.match_over, ruling.rerack, ruling.fifteenth) == (True, "none", None)


def test_touch_after_the_new_rack_hands_it_to_the_other_player() -> None:
    """S141-7.3a, GR-3.15: the rack stands, the touch is a foul of its own."""
    ruling = last_but_one("cue>4 4@SL . A:sleeve:10", {"cue": CUE["C2"], "10": FIFTEENTH["R4"]})

    assert (ruling.rerack, ruling.turn, ruling.points_delta, ruling.next_phase) == ("14", "B", Pair(0, 0), "after_rerack")


def test_state_after_the_new_rack() -> None:
    """Fifteen balls, apex vacant, counts carried on."""
    before = a_state(rack_pocketed=13, consecutive_fouls=Pair(0, 2))
    ruling = RULES.judge(Case(state=before, events=parse_stroke("cue>4 4@SL", {"10": FIFTEENTH["R4"], "cue": CUE["C1"]})))
    after = next_state(RULES, before, ruling)

    assert (after.phase, after.cue_state, after.apex_vacant, len(after.balls)) == ("after_rerack", "hand_kitchen", True, 16)
    assert after.consecutive_fouls == Pair(0, 2)
    RULES.check(after)


@pytest.mark.parametrize("name", ["wpa-9ft", "bar-7ft"])
def test_outline_of_the_rack(name: str) -> None:
    """S141-7.6: a ball just clear of the triangle of places is out, a millimetre nearer it is in, on every side."""
    table = find_table(name)
    d, r, length, width = table.ball_diameter_m, table.ball_radius_m, table.length_m, table.width_m
    rear_u = 0.75 + 4 * sqrt(3) * r / length
    for sign in (-1, 1):
        assert is_in_rack(table, (rear_u, 0.5 + sign * (4 * r + d - 0.001) / width))
        assert not is_in_rack(table, (rear_u, 0.5 + sign * (4 * r + d + 0.001) / width))
    assert is_in_rack(table, (0.75 - (d - 0.001) / length, 0.5))
    assert not is_in_rack(table, (0.75 - (d + 0.001) / length, 0.5))
    assert is_in_rack(table, (rear_u + (d - 0.001) / length, 0.5))
    assert not is_in_rack(table, (rear_u + (d + 0.001) / length, 0.5))
    assert is_in_rack(table, ((0.75 + rear_u) / 2, 0.5))


def test_on_a_spot_means_a_ball_there_would_meet_it() -> None:
    """S141-T note: nearer than a diameter."""
    d_u = TABLE.ball_diameter_m / TABLE.length_m

    assert is_on_spot(TABLE, (0.25 + d_u - 0.0001, 0.5), (0.25, 0.5))
    assert not is_on_spot(TABLE, (0.25 + d_u + 0.0001, 0.5), (0.25, 0.5))
    assert fifteenth_row(TABLE, (0.25 - d_u - 0.0001, 0.5), is_down=False) == "R3"


def test_places_of_a_tight_rack_touch() -> None:
    """Section 1.3: fifteen places, fourteen without the apex, the nearest neighbours a diameter apart."""
    places = [((u - 0.5) * TABLE.length_m, (v - 0.5) * TABLE.width_m) for u, v in rack_places(TABLE, apex=True)]
    nearest = [min(hypot(a[0] - b[0], a[1] - b[1]) for b in places if b != a) for a in places]

    assert (len(places), len(rack_places(TABLE, apex=False))) == (15, 14)
    assert nearest == pytest.approx([TABLE.ball_diameter_m] * 15)
    assert places[0] == pytest.approx((0.25 * TABLE.length_m, 0.0))


FULL = ("cue", *(str(number) for number in range(1, 16)))
AFTER = {"phase": "after_rerack", "balls": FULL, "apex_vacant": True, "call": Call(kind="safety")}


def test_ball_goes_into_the_vacant_apex() -> None:
    """GR-3.32: nothing disturbed the rack, so the foot spot is free."""
    assert last_but_one("cue>10 10@HL", **AFTER).spotted_pos == {"10": (0.75, 0.5)}


def test_cue_ball_in_the_vacant_apex_sends_the_ball_behind_the_rack() -> None:
    """GR-3.32: as near the foot spot as possible without moving anything: behind the last row, touching its middle ball."""
    ruling = last_but_one("cue>10 10@HL", {"cue": (0.75, 0.5)}, **AFTER)

    rear_u = 0.75 + 4 * sqrt(3) * TABLE.ball_radius_m / TABLE.length_m
    assert ruling.spotted_pos is not None
    assert ruling.spotted_pos["10"] == pytest.approx((rear_u + TABLE.ball_diameter_m / TABLE.length_m, 0.5), abs=1e-5)


def test_spotting_order_and_obstacles() -> None:
    """GR-3.32, A-S15: ascending from the foot spot, frozen to an object ball, clear of the cue ball."""
    rest = {"cue": (0.3, 0.3), "8": (0.75, 0.5), "10": (0.5, 0.1)}
    state = {"balls": ("cue", "3", "7", "8", "10"), "call": Call(kind="ball", ball="10", pocket="FL")}
    ruling = last_but_one("cue>10 10|left 7@FR 3@SR", rest, **state)
    beside = last_but_one("cue>10 10|left 7@FR", rest | {"cue": (0.75, 0.5), "8": (0.2, 0.2)}, **state)

    assert ruling.spotted == ("3", "7")
    assert ruling.spotted_pos == {"3": (0.7725, 0.5), "7": (0.795, 0.5)}
    assert beside.spotted_pos is not None
    assert 0 < (beside.spotted_pos["7"][0] - 0.7725) * TABLE.length_m < 0.002


def test_cue_ball_in_hand_is_no_obstacle() -> None:
    """It is lifted before the next stroke: after a deliberate foul the ball goes on the foot spot under it."""
    *events, stop = parse_stroke("cue>4 4@SL", {"cue": (0.75, 0.5)})
    (touch,) = [e for e in parse_stroke("A:hand:10") if e.type == "touch"]
    meant = type(touch)(t=5.0, type="touch", fields={**touch.fields, "deliberate": True, "ball_moving_to": "pocket"})
    ruling = RULES.judge(Case(state=a_state(), events=(*events, meant, stop)))

    assert ruling.spotted_pos == {"4": (0.75, 0.5)}


def test_ball_that_is_put_back_is_in_the_way_again() -> None:
    """GR-3.21, 3.32: the touched 10 goes back on the foot spot, so the 4 lies behind it."""
    ruling = last_but_one("A:sleeve:10 cue>4 4@SL", positions={"10": (0.75, 0.5)})

    assert (ruling.restored, ruling.spotted_pos) == (("10",), {"4": (0.7725, 0.5)})
