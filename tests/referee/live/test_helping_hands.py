"""Spotting, put-back, rack, zone and gaps, on layouts that a hand can check."""

from math import sqrt

import pytest

from calibration.equipment import find_table
from calibration.errors import InputError
from referee.live.gaps import check_zone, measure_gap, near_rails, zone_box
from referee.live.helping import Wanted, help_view
from referee.live.places import Place, RestPlaces
from referee.live.racks import RackCheck, check_rack, lattice
from referee.live.spots import goals
from referee.match import Match
from referee.rules.options import Options
from tracker.history import TableState, TrackedBall

SPEC = find_table("wpa-9ft")
RADIUS = SPEC.ball_radius_m
NINE = {(0, 0): "1", (1, 0): "2", (1, 1): "3", (2, 0): "4", (2, 1): "9", (2, 2): "5", (3, 0): "6", (3, 1): "7", (4, 0): "8"}


def at(x_m: float, y_m: float, sigma_m: float = 0.0005) -> Place:
    """A resting ball."""
    return Place(x_m=x_m, y_m=y_m, sigma_m=sigma_m)


def a_rack(**moved_mm: tuple[float, float]) -> dict[str, Place]:
    """A tight rack of nine, single balls moved: `b4=(2, 0)` is the 4, 2 mm towards the foot."""
    places = {ball: lattice("nine_ball", SPEC)[slot] for slot, ball in NINE.items()}
    shift = {name.removeprefix("b"): by for name, by in moved_mm.items()}
    return {ball: at(x + shift.get(ball, (0, 0))[0] / 1000, y + shift.get(ball, (0, 0))[1] / 1000) for ball, (x, y) in places.items()}


def check(places: dict[str, Place], options: Options | None = None) -> RackCheck:
    """The rack of nine."""
    found = check_rack("nine_ball", SPEC, list("123456789"), places, options or Options(), distinct=True)
    assert found is not None
    return found


def test_a_ball_two_millimetres_off_is_not_done_and_one_millimetre_is() -> None:
    """The tick comes from 1.5 mm on."""
    spot = {"9": (0.635, 0.0)}
    (two,), (one,) = (goals(spot, {"9": at(0.635 + off, 0.0)}, distinct=True) for off in (0.002, 0.001))

    assert (two.off_m, two.done) == (pytest.approx(0.002), False)
    assert one.done
    assert two.to_dict() == {"ball": "9", "to": [0.635, 0.0], "at": [0.637, 0.0], "off_mm": 2.0, "sigma_mm": 0.5, "done": False}


def test_a_ball_that_is_not_seen_is_done_only_by_a_person() -> None:
    """An arm hides it, or the official says so."""
    assert not goals({"9": (0.635, 0.0)}, {}, distinct=True)[0].done
    assert goals({"9": (0.635, 0.0)}, {}, distinct=True, done=["9"])[0].done


def test_white_balls_go_to_the_nearest_place_whatever_their_labels() -> None:
    """Labels of whites hold within a recording only; the coloured ball keeps its own place."""
    wanted = {"w1": (0.1, 0.0), "w2": (0.5, 0.0), "Y": (-0.5, 0.0)}
    found = goals(wanted, {"w7": at(0.501, 0.0), "w9": at(0.1, 0.001), "Y": at(-0.5, 0.0)}, distinct=False)

    assert [(item.ball, round(1000 * (item.off_m or 0)), item.done) for item in found] == [("w1", 1, True), ("w2", 1, True), ("Y", 0, True)]


def test_a_tight_rack_on_its_spot_is_right() -> None:
    """The 1 on the spot, the 9 in the middle."""
    found = check(a_rack())

    assert found.ok
    assert found.tight
    assert found.apex_off_m == pytest.approx(0.0, abs=1e-9)


def test_a_gap_a_missing_ball_and_a_wrong_place_are_told() -> None:
    """Each by itself."""
    loose = check(a_rack(b8=(4, 0)))
    assert (loose.tight, loose.ok, round(1000 * (loose.widest_gap_m or 0), 1)) == (False, False, pytest.approx(3.5, abs=0.4))

    assert check({ball: place for ball, place in a_rack().items() if ball != "6"}).missing == ("6",)

    swapped = a_rack()
    swapped["9"], swapped["4"] = swapped["4"], swapped["9"]
    assert check(swapped).misplaced == ("9",)
    assert check(swapped, Options(nine_nine_on_spot=True)).misplaced == ("9",)


def test_a_rack_off_its_spot_is_a_rack_all_the_same() -> None:
    """8 mm towards the foot: tight, but not on the spot."""
    found = check(a_rack(**{f"b{ball}": (8, 0) for ball in "123456789"}))

    assert (found.tight, found.ok, found.apex_off_m) == (True, False, pytest.approx(0.008))


def test_balls_about_the_table_are_no_rack() -> None:
    """Nothing is said."""
    spread = {str(n): at(-1.0 + 0.2 * n, 0.3) for n in range(1, 10)}

    assert check_rack("nine_ball", SPEC, list("123456789"), spread, Options(), distinct=True) is None


def test_a_gap_of_two_millimetres_is_no_touch_and_a_tenth_is_for_the_official() -> None:
    """Between balls, and to a cushion."""
    near = {"3": at(0.0, 0.0), "5": at(2 * RADIUS + 0.002, 0.0), "7": at(0.5, -0.635 + 0.963 * RADIUS + 0.0001)}
    apart, frozen = measure_gap(SPEC, "3", "5", near), measure_gap(SPEC, "7", "right", near)

    assert apart is not None
    assert frozen is not None
    assert (apart.touching, round(1000 * apart.gap_m, 1)) == ("no", 2.0)
    assert (frozen.touching, round(1000 * frozen.gap_m, 1)) == ("unsure", 0.1)
    assert measure_gap(SPEC, "3", "8", near) is None


@pytest.mark.parametrize(("x_m", "inside", "off_mm"), [(-0.7, True, 0.0), (-0.6, False, 35.0), (-0.6345, None, 0.5)])
def test_the_kitchen_ends_at_the_head_string(x_m: float, inside: bool | None, off_mm: float) -> None:
    """Within the camera's doubt it is for the official."""
    found = check_zone("hand_kitchen", SPEC, "cue", {"cue": at(x_m, 0.1)})

    assert (found["inside"], found["off_mm"]) == (inside, off_mm)


def test_anywhere_is_everywhere_and_a_ball_not_in_hand_has_no_zone() -> None:
    """The whole bed, one radius from the noses."""
    assert check_zone("hand_anywhere", SPEC, "cue", {"cue": at(1.1, 0.6)})["inside"] is True
    assert check_zone("position", SPEC, "cue", {"cue": at(0.0, 0.0)})["on"] is False
    assert zone_box("hand_anywhere", SPEC) == ((RADIUS - 1.27, RADIUS - 0.635), (1.27 - RADIUS, 0.635 - RADIUS))


def test_balls_near_a_rail_are_measured() -> None:
    """S141-7.2c: within a ball's width of the left cushion; on the limit it is for the official."""
    places = {"cue": at(0.0, 0.6), "4": at(0.0, 0.635 - RADIUS - 0.03), "5": at(0.5, 0.635 - RADIUS - 2 * RADIUS), "6": at(0.2, 0.0)}
    found = {item["ball"]: (item["cushion"], item["near"]) for item in near_rails(SPEC, "cue", places)}

    assert found == {"4": ("left", True), "5": ("left", None)}


def a_state(time_s: float, x_m: float, speed_mps: float = 0.0, seen: bool = True) -> TableState:
    """The cue ball alone."""
    ball = TrackedBall(ball="cue", position_m=(x_m, 0.0), velocity_mps=(speed_mps, 0.0), sigma_m=0.001, seen=seen)
    return TableState(time_s=time_s, balls=(ball,))


def test_a_resting_ball_is_averaged_and_a_moved_one_begins_anew() -> None:
    """The scatter of half a millimetre goes; what a camera cannot know stays."""
    rest = RestPlaces()
    for index in range(20):
        places = rest.update(a_state(index / 25, 0.1 + (0.0005 if index % 2 else -0.0005)))
    assert abs(places["cue"].x_m - 0.1) < 1e-4
    assert 0.0007 < places["cue"].sigma_m < 0.0008

    assert rest.update(a_state(1.0, 0.12))["cue"].x_m == 0.12
    assert "cue" not in rest.update(a_state(1.04, 0.13, speed_mps=0.3))


def test_help_of_a_match_that_has_not_begun_checks_the_rack() -> None:
    """Nothing else is due."""
    found = help_view(Match.start("nine_ball", race=3), a_rack(), Wanted())

    assert found["rack"]["ok"] is True
    assert found["spot"] == []
    assert found["put_back"]["on"] is False


def test_ghosts_show_what_is_to_be_put_back() -> None:
    """20 mm off, and done when it is there."""
    wanted = Wanted(put_back={"5": (0.1, 0.2)})
    off, done = (help_view(Match.start("nine_ball", race=3), {"5": at(x, 0.2)}, wanted)["put_back"] for x in (0.12, 0.1))

    assert (off["done"], off["balls"][0]["off_mm"]) == (False, 20.0)
    assert done["done"]


@pytest.mark.parametrize("pairs", ["3", [["3"]], [["3", 5]], [["a", "b"]] * 5, [["3", "x" * 50]]])
def test_pairs_that_are_none_are_refused(pairs: object) -> None:
    """They come from a page."""
    with pytest.raises(InputError, match="pairs"):
        Wanted().watching(pairs)


def test_the_lattice_is_a_rack() -> None:
    """Nine balls, the last 4 rows of sqrt(3) radii behind the spot."""
    slots = lattice("nine_ball", SPEC)

    assert len(slots) == 9
    assert slots[(4, 0)] == (pytest.approx(0.635 + 4 * sqrt(3) * RADIUS), 0.0)
    assert len(lattice("straight_14_1", SPEC, apex_vacant=True)) == 14
