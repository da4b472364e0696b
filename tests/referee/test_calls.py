"""Calls files."""

from pathlib import Path

import pytest

from calibration.errors import InputError
from referee.calls import PersonEvent, read_calls


def test_events_come_in_order_of_time(tmp_path: Path) -> None:
    """Lines may stand in any order; blank lines say nothing."""
    file = tmp_path / "calls.jsonl"
    file.write_text('{"time_s": 9, "type": "official", "fact": "no_foot"}\n\n{"time_s": 2.5, "type": "call", "kind": "push_out"}\n')

    expected = (
        PersonEvent(time_s=2.5, type="call", fields={"kind": "push_out"}),
        PersonEvent(time_s=9.0, type="official", fields={"fact": "no_foot"}),
    )
    assert expected == read_calls(file)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "not JSON"),
        ("[1]", "expected an object"),
        ('{"type": "call"}', "time_s must be a number"),
        ('{"time_s": true, "type": "call"}', "time_s must be a number"),
        ('{"time_s": 1, "type": "pocketed"}', "type must be one of"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    """The message says which line is wrong and how."""
    file = tmp_path / "calls.jsonl"
    file.write_text('{"time_s": 1, "type": "call", "kind": "safety"}\n' + line + "\n")

    with pytest.raises(InputError, match=rf"line 2: .*{said}"):
        read_calls(file)
