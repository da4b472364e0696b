"""The drawing of a shot."""

from xml.etree import ElementTree

from calibration.equipment import find_table
from calibration.table import Table
from referee.diagram import draw_shot, drawing_size, place_at

TABLE = Table(find_table("wpa-9ft"))
SHOT = {
    "number": 1,
    "cue_ball": "cue",
    "before": {"cue": [0.0, 0.0], "9": [0.635, 0.3175]},
    "after": {"cue": [0.0, 0.001]},
    "events": [
        {"t": 0.5, "type": "ball_ball", "a": "cue", "b": "9", "p": 1.0},
        {"t": 1.0, "type": "pocketed", "ball": "9", "pocket": "FL"},
    ],
}


def elements(svg: str, name: str) -> list[ElementTree.Element]:
    """Elements of the drawing with that class, in order."""
    return [element for element in ElementTree.fromstring(svg).iter() if name in element.get("class", "").split()]


def test_a_ball_a_quarter_of_the_length_towards_the_foot_is_drawn_right_and_up() -> None:
    """x = L/4 is 250 thousandths to the right; y = W/4 (to the left of the player) is 125 up."""
    centres = [(ball.get("cx"), ball.get("cy")) for ball in elements(draw_shot(TABLE, SHOT), "ball")]

    assert ("250.0", "-125.0") in centres


def test_the_drawing_has_the_proportions_of_the_table() -> None:
    """A 2 : 1 bed with the same rail all round."""
    width, height = drawing_size(TABLE)

    assert width - height == 500


def test_a_ball_that_stayed_is_drawn_once() -> None:
    """A millimetre is below what the drawing shows; the cue ball gets no second outline."""
    assert elements(draw_shot(TABLE, SHOT), "after") == []


def test_first_contact_is_ringed_where_the_cue_ball_was() -> None:
    """The cue ball was half way along its path at half of the time."""
    svg = draw_shot(TABLE, SHOT, {"cue": [(0.0, 0.0, 0.0), (1.0, 0.508, 0.254)]})
    ring = elements(svg, "first")[0]

    assert (ring.get("cx"), ring.get("cy")) == ("100.0", "-50.0")


def test_without_a_path_no_contact_is_placed() -> None:
    """Where a ball was at a moment is not guessed."""
    assert elements(draw_shot(TABLE, SHOT), "mark") == []


def test_pocketed_ball_lies_in_its_pocket() -> None:
    """The 9 fell at the foot on the left: right and up of the bed's corner."""
    last = elements(draw_shot(TABLE, SHOT), "ball")[-1]

    assert float(last.get("cx", "0")) > 500
    assert float(last.get("cy", "0")) < -250


def test_names_from_a_file_cannot_break_out_of_the_drawing() -> None:
    """A ball's name is text, whatever it holds."""
    svg = draw_shot(TABLE, {"before": {"b<script>": [0, 0]}, "after": {}, "events": []})

    assert "<script>" not in svg
    ElementTree.fromstring(svg)


def test_place_at_holds_the_ends() -> None:
    """Before and after its path a ball is where the path begins and ends."""
    path = [(0.25, 0.0, 0.0), (0.75, 1.0, 0.5)]

    assert [place_at(path, t) for t in (0.0, 0.5, 9.0)] == [(0.0, 0.0), (0.5, 0.25), (1.0, 0.5)]
    assert place_at([], 0.0) is None


def test_a_path_keeps_its_corners_and_loses_the_points_between() -> None:
    """201 points of a ball that runs to a cushion and back at an angle are drawn as three."""
    there = [(t / 100, 0.01 * t, 0.004 * t) for t in range(101)]
    back = [(1 + t / 100, 1.0 + 0.002 * t, 0.4 - 0.003 * t) for t in range(1, 101)]
    line = elements(draw_shot(TABLE, SHOT, {"cue": [*there, *back]}), "path")[0].get("d", "")

    assert line.count("L") == 2
