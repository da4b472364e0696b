"""Rulings as values."""

import pytest

from referee.ruling import Ruling, amended


def test_an_amended_ruling_differs_in_the_fields_named_and_leaves_the_first_as_it_was() -> None:
    """What `dataclasses.replace` gives, too."""
    ruling = Ruling(turn="A", foul_codes=("SCRATCH",))

    assert amended(ruling, turn="B", foul=True) == Ruling(turn="B", foul=True, foul_codes=("SCRATCH",))
    assert ruling == Ruling(turn="A", foul_codes=("SCRATCH",))


def test_a_field_that_rulings_do_not_have_is_refused() -> None:
    """Otherwise a wrong name would be lost in silence."""
    with pytest.raises(TypeError, match="no field"):
        amended(Ruling(turn="A"), colour="B")
