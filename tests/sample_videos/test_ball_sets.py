"""Ball sets are whole, look as they should, and lie on the tables they belong to."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.equipment import TABLES, find_ball_set, find_table
from calibration.table import Table
from sample_videos.ball_sets import MAKES, BallLook, balls_of, draw_balls
from sample_videos.ball_skin import make_skins
from sample_videos.looks import draw_look
from sample_videos.shapes import cushions, draw_frame, holes, is_tight


@pytest.mark.parametrize("name", ["pool", "pyramid"])
def test_a_set_has_every_ball_of_its_name(name: str) -> None:
    """Pool has `cue` and 1 to 15, pyramid `Y` and w1 to w15."""
    balls = draw_balls(np.random.default_rng(1), ball_set=name)

    assert set(balls) == set(find_ball_set(name).balls)


@pytest.mark.parametrize("make", ["red", "yellow"])
def test_pyramid_has_one_coloured_ball_among_numbered_whites(make: str) -> None:
    """The whites differ by their printed number alone, the cue ball has none and is red or yellow (BGR)."""
    balls = draw_balls(np.random.default_rng(2), ball_set="pyramid", make=make)
    blue, green, red = balls["Y"].colour
    whites = np.array([balls[f"w{n}"].colour for n in range(1, 16)])

    assert balls["Y"].number is None
    assert [balls[f"w{n}"].number for n in range(1, 16)] == list(range(1, 16))
    assert (red > 3 * green) if make == "red" else (red > green > 3 * blue)
    assert whites.std(axis=0).max() < 0.05 < whites.min()


def test_worn_balls_carry_marks_and_new_ones_do_not() -> None:
    """The paint of an unnumbered new ball is one colour; scuffs vary it, and stay within what paint can reflect."""
    ball = BallLook(colour=(0.1, 0.2, 0.6), stripe=False, number=None, seed=4)
    new = make_skins(ball)[0]
    worn = make_skins(replace(ball, scuffs=0.8))[0]

    assert new.std(axis=(0, 1)).max() < 1e-3 < 0.02 < worn.std(axis=(0, 1)).max()
    assert 0 <= worn.min() <= worn.max() <= 1


def test_makes_of_pool_differ_where_television_does() -> None:
    """4 and 7 have other colours on television than in a standard set, 3 has about the same."""
    standard, television = MAKES["standard"], MAKES["television"]

    assert max(abs(a - b) for a, b in zip(standard[4], television[4], strict=True)) > 60
    assert max(abs(a - b) for a, b in zip(standard[3], television[3], strict=True)) < 60


@pytest.mark.parametrize("spec", TABLES, ids=lambda spec: spec.name)
def test_every_table_has_six_holes_behind_its_mouths(spec) -> None:  # type: ignore[no-untyped-def]
    """A ball fits into each hole, whose near edge lies behind the mouth line, and fits between the facings."""
    table = Table(spec)
    for name, hole in holes(table).items():
        mouth = np.array(table.mouth_centre_m(name))
        beyond = float((np.array(hole.centre_m) - mouth) @ np.array(hole.outward))

        assert hole.radius_m > spec.ball_radius_m
        assert -0.002 < beyond - hole.radius_m < 0.06
    assert len(cushions(table, draw_frame(np.random.default_rng(1), table))) == 6


def test_the_table_decides_which_balls_lie_on_it() -> None:
    """A 12 ft pyramid table gets pyramid balls and tight pockets, a pool table pool balls."""
    pyramid, pool = Table(find_table("pyramid-12ft")), Table(find_table("wpa-9ft"))

    assert "Y" in draw_look(np.random.default_rng(5), table=pyramid).balls
    assert "cue" in draw_look(np.random.default_rng(5), table=pool).balls
    assert (is_tight(pyramid), is_tight(pool)) == (True, False)
    assert balls_of(pyramid.spec).name == "pyramid"
