"""What the calibration page works on, without page or server."""

import numpy as np
import pytest

from calibration.automatic import Finding
from calibration.equipment import find_table
from calibration.errors import InputError
from referee.setup_page.bench import Bench, parse_table


def test_a_picture_of_nothing_has_a_reason_and_cannot_be_saved() -> None:
    """Grey: a reason, no lines, corners that cannot be a table, no foot, and saving is refused with nothing written."""
    saved: list[Finding] = []
    bench = Bench(lambda: [np.full((180, 320, 3), 128, np.uint8)], find_table("wpa-9ft"), saved.append)
    state = bench.state()

    assert state["found"] is None
    assert "no table" in state["reason"]
    with pytest.raises(InputError, match="in turn"):
        bench.corners(np.array([[10.0, 10], [300, 170], [300, 10], [10, 170]]))
    with pytest.raises(InputError, match="no table yet"):
        bench.foot(10.0, 90.0)
    with pytest.raises(InputError, match="not good enough"):
        bench.save()
    assert saved == []


def test_tables_by_name_and_by_tape_measure() -> None:
    """A name, three sizes, or nothing; two sizes are refused."""
    assert parse_table({}) is None
    named, measured = parse_table({"name": "bar-7ft"}), parse_table({"length_mm": "1881", "width_mm": 943, "ball_mm": 52.3})
    assert named is not None
    assert measured is not None
    assert (named.length_m, measured.length_m, measured.ball_diameter_m) == (1.9304, 1.881, 0.0523)
    with pytest.raises(InputError, match="all three"):
        parse_table({"length_mm": 1881, "width_mm": "wide"})
