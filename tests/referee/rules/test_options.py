"""The organiser's settings: keys, defaults, and values that are refused."""

from pathlib import Path

import pytest

from calibration.errors import InputError
from referee.judge import read_scenario_file
from referee.rules.options import DEFAULTS, KEYS, parse_option, read_options


def test_defaults_are_those_of_the_rule_book(shared: Path) -> None:
    """Key for key the defaults of the reference file."""
    _, defaults = read_scenario_file(shared / "scenarios.json")

    assert {key: getattr(DEFAULTS, name) for key, name in KEYS.items()} == defaults


def test_only_what_differs_is_written() -> None:
    """A setting at its default is not in the file."""
    assert read_options({"nine.break_order": "loser", "pool.hanging_s": 5}).to_dict() == {"nine.break_order": "loser"}


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("nine.nine_on_spot=true", ("nine.nine_on_spot", True)),
        ("nine.break_order = loser", ("nine.break_order", "loser")),
        ("pool.hanging_s=4.5", ("pool.hanging_s", 4.5)),
        ("s141.deliberate_penalty=0", ("s141.deliberate_penalty", 0)),
    ],
)
def test_option_of_a_command_line(text: str, pair: tuple[str, object]) -> None:
    """`option=value` with the value's own kind."""
    assert parse_option(text) == pair


def test_option_without_a_value_is_refused() -> None:
    """What was expected is said."""
    with pytest.raises(InputError, match="expected option=value"):
        parse_option("nine.nine_on_spot")


def test_value_of_another_kind_is_refused() -> None:
    """True is not the number 1, nor the other way round."""
    for key, value in (("s141.deliberate_penalty", True), ("nine.nine_on_spot", 1), ("pool.hanging_s", "long")):
        with pytest.raises(InputError, match=key):
            read_options({key: value})


@pytest.mark.parametrize("gap", [0.5, 1, 3])
def test_bounds_of_a_number(gap: float) -> None:
    """Section 5.1 gives the gap of spotted balls from 0.5 to 3 mm, both included."""
    assert read_options({"pyr.spot_gap_mm": gap}).pyr_spot_gap_mm == gap
    for outside in (0.4, 3.1):
        with pytest.raises(InputError, match=r"pyr\.spot_gap_mm: must be 0\.5 to 3"):
            read_options({"pyr.spot_gap_mm": outside})
