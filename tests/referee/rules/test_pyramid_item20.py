"""Item 20 and the initial stroke of pyramid: which orders of events satisfy them."""

from typing import Any

import pytest

from calibration.equipment import find_table
from referee.notation import parse_stroke
from referee.rules.base import Case, Frozen, State
from referee.rules.options import Options
from referee.rules.pyramid_item20 import CONDITIONS, find_condition, is_dispersed
from referee.ruling import Pair
from referee.words_en import REASONS

LEFT, LEFT_SAID = Frozen(ball="w7", to="left", declared=False), Frozen(ball="w7", to="left", declared=True)
HEAD = Frozen(ball="w12", to="head", declared=False)


def a_case(stroke: str, *, frozen: tuple[Frozen, ...] = (), profile: str = "union", rest: Any = None, **changes: Any) -> Case:
    """A stroke of w4 in free pyramid."""
    usual: dict[str, Any] = {
        "table": find_table("pyramid-12ft"),
        "shooter": "A",
        "phase": "normal",
        "balls": ("Y", "w1", "w4", "w7", "w9", "w12"),
        "cue_ball": "w4",
        "cue_state": "free_choice",
        "scores": Pair(5, 5),
        "target": 8,
        "frozen": frozen,
    }
    return Case(state=State(**usual | changes), events=parse_stroke(stroke, rest), options=Options(pyr_cond20=profile))


def found(stroke: str, **given: Any) -> str | None:
    """The condition met, by the last part of its key."""
    condition = find_condition(a_case(stroke, **given))
    return None if condition is None else condition.key.removeprefix("pyr_20_")


@pytest.mark.parametrize(
    ("stroke", "condition"),
    [
        ("w4>w7 w9@FL", "c1"),
        ("w4>w7 w4@FL", "c1"),
        ("w4>w7 w7|left w7|right", "2r"),
        ("w4>w7 w7|left w7>w9 w9|foot", "2r"),
        ("w4>w7 w7|left w7>w9 w9>w1 w1|foot", "2r"),
        ("w4>w7 w7~ w7|left", "3r"),
        ("w4>w7 w7~ w7>w9 w9|left", "3r"),
        ("w4>w7 w4|left w4~", "4a"),
        ("w4>w7 w7|head w7>w9 w9~", "4b"),
        ("w4>w7 w7|left w7>w4 w4~", "4b"),
        ("w4>w7 w7|left w7|left/SL", "4a"),
        ("w4>w7 w7|left/SL w7|foot", "3r"),
        ("w4>w7 w7|left w7%SR", "4a"),
    ],
)
@pytest.mark.parametrize("profile", ["chain", "union"])
def test_chains_that_satisfy(stroke: str, condition: str, profile: str) -> None:
    """PYR-20.c1, 2r, 3r, 4a, 4b, N4: each in its order, by one ball or by a ball that it drives."""
    assert found(stroke, profile=profile) == condition


@pytest.mark.parametrize(
    "stroke",
    [
        "w4>w7",
        "w4>w7 w7|left",
        "w4>w7 w7~",
        "w4>w7 w7~ w7~",
        "w4|left w4>w7 w7~",
        "w4~ w4>w7 w7|left",
        "w4>w7 w7|left w4~",
        "w4>w7 w7>w9 w7|left w9~",
        "w4>w7 w7~ w9|left",
        "w4>w7 w7|left w7|left",
        "w4>w7 w7|left/SL",
        "w4>w7 w7|left/SL w7~",
        "w4>w7 w9|left w7|right/SR w7~",
        "w4>w7 w7_",
        "w4>w7 w7|left w7%FL",
    ],
)
def test_orders_that_do_not_satisfy(stroke: str) -> None:
    """PYR-20.N1: half a chain, the wrong order, another ball, or the lip of a middle pocket alone (A-P4)."""
    assert found(stroke, profile="chain") is None


def test_two_balls_a_cushion_each_is_the_profiles_affair() -> None:
    """PYR-20.2u, A-P3: accepted by `union` only, the same cushion too; one ball twice or a middle lip is not two."""
    for stroke in ("w4>w7 w7|left w4|right", "w4>w7 w7|left w9|left"):
        assert [found(stroke, profile=profile) for profile in ("union", "chain", "seed_only")] == ["2u", None, None]
    assert found("w4>w7 w7|left w7|left") is None
    assert found("w4>w7 w7|left/SL w4|right") is None
    assert found("w4|left w4>w7 w7|right") is None


def test_only_what_the_seed_shows() -> None:
    """A-P1: `seed_only` knows pocket, (3c), (4) and N2."""
    assert found("w4>w7 w7|left w7|right", profile="seed_only") is None
    assert found("w4>w7 w7~ w7|left", profile="seed_only") is None
    assert found("w4>w7 w7|left w7~", profile="seed_only") == "4a"
    assert found("w4>w7 w7|left w7|right w7~", profile="seed_only") == "4a"
    assert found("w4>w7 w9@FL", profile="seed_only") == "c1"
    assert found("w4>w7 w7~ w7>w12", profile="seed_only", frozen=(HEAD,)) == "3c"
    assert found("w4>w7 w7|left* w4|right", profile="seed_only", frozen=(LEFT_SAID,)) == "n2b"


@pytest.mark.parametrize(
    ("stroke", "condition"),
    [
        ("w4>w7 w7~ w7>w12", "3c"),
        ("w4>w7 w7|left w7>w12", "3c"),
        ("w4>w7 w4|left w4>w12", "3c"),
        ("w4>w7 w7>w12", None),
        ("w4>w7 w7~ w4>w12", None),
        ("w4>w7 w4>w12 w7~ w7>w12", None),
        ("w4>w7 w7~ w7>w9", None),
    ],
)
def test_touching_a_frozen_ball(stroke: str, condition: str | None) -> None:
    """PYR-20.3c: after the line or a cushion, by that ball, while the other still stands frozen; announced or not."""
    assert found(stroke, frozen=(HEAD,)) == condition


@pytest.mark.parametrize(
    ("stroke", "silent", "said"),
    [
        ("w4>w7 w7|left* w7>w4 w4|right", "n2a", "n2a"),
        ("w4>w7 w7|left* w4>w7 w4~", "n2a", "n2a"),
        ("w4>w7 w7|left* w7>w4 w4|left", None, None),
        ("w4>w7 w7|left* w4|right", None, "n2b"),
        ("w4>w7 w7|left* w4~", None, "n2b"),
        ("w4>w7 w7|left* w4|right/SR", None, "n2b"),
        ("w4>w7 w7|left* w4|left", None, None),
        ("w4>w7 w7|left* w9|right", None, None),
        ("w4>w7 w7|left* w7~", None, None),
        ("w4>w7 w7|left* w7|right", None, None),
        ("w4>w9 w9>w7 w4>w7 w4|right", None, None),
        ("w4>w9 w4>w7 w4|right", None, "n2b"),
    ],
)
def test_first_ball_frozen_to_a_cushion(stroke: str, silent: str | None, said: str | None) -> None:
    """PYR-20.N2a, N2b: a second collision makes it legal in any case, a single one only where the ball was announced."""
    assert [found(stroke, frozen=(LEFT,)), found(stroke, frozen=(LEFT_SAID,))] == [silent, said]


def test_frozen_in_a_corner() -> None:
    """Another cushion is one that the ball did not touch."""
    corner = (Frozen(ball="w7", to="left", declared=True), Frozen(ball="w7", to="foot", declared=True))

    assert found("w4>w7 w4|foot", frozen=corner) is None
    assert found("w4>w7 w4|head", frozen=corner) == "n2b"
    assert found("w4>w7 w4|right", frozen=(Frozen(ball="w7", to="cue", declared=True),)) is None


@pytest.mark.parametrize(("u", "condition"), [(0.5, "4a"), (0.5005, "4a"), (0.5006, None)])
def test_ball_at_rest_on_the_centre_line(u: float, condition: str | None) -> None:
    """PYR-20.N3, A-P2: within 2 mm of the line is read in the striker's favour; one that lay there already is not."""
    assert found("w4>w7 w7|foot", rest={"w7": (u, 0.3)}) == condition
    assert found("w4>w7 w7|foot", rest={"w9": (0.5, 0.3)}) is None
    assert found("w4>w7 w7|foot", rest={"w7": (0.5, 0.3)}, positions={"w7": (0.5, 0.8)}) is None


def test_cushion_that_cannot_be_told_from_the_contact() -> None:
    """A tie is read in the striker's favour."""
    assert found("w4|left= w4>w7= w4|right") == "2r"


@pytest.mark.parametrize(
    ("stroke", "dispersed"),
    [
        ("w4>w7 w9@FL", True),
        ("w4>w7 w7|left w9|right w4|foot", True),
        ("w4>w7 w7|left w9|right w12~", True),
        ("w4>w7 w7|left w9|right w7~", False),
        ("w4>w7 w7|left w9|right w4|foot w4~", True),
        ("w4>w7 w7|left w7|right w7|foot", False),
        ("w4>w7 w7|left w9|right", False),
        ("w4~ w4>w7 w7|left w9|right", False),
        ("w4|left w4>w7 w7|left w9|right", False),
        ("w4>w7 w7|left w12~ w9~", False),
        ("w4>w7 w7|left w9|right w12|left/SL", True),
    ],
)
def test_initial_stroke(stroke: str, dispersed: bool) -> None:
    """PYR-12: a ball falls, three balls to cushions, or two and a third over the line."""
    assert is_dispersed(a_case(stroke, phase="break")) == dispersed


def test_every_condition_has_its_sentence() -> None:
    """Keys of the reasoning are keys of the words."""
    assert {condition.key for condition in CONDITIONS} <= set(REASONS)


@pytest.mark.parametrize("stroke", ["w4>w7 w7|left* w4|right w4>w7", "w4>w7 w4~ w4>w7"])
def test_a_ball_that_the_stroke_has_struck_stands_frozen_no_more(stroke: str) -> None:
    """PYR-20.3c, N2b: coming back to the ball that the first contact drove from its cushion is no (c)."""
    assert found(stroke, frozen=(LEFT,)) is None
