"""What is kept out of training is kept out of it by name, and is told from what training draws."""

import ast
from pathlib import Path

import numpy as np
import pytest

from calibration.equipment import find_table
from calibration.table import Table
from sample_videos import ball_sets, looks
from sample_videos.kept_out import CLOTHS, KEPT_OUT, LAMPS, LENSES, MAKES, draw_kept_out_camera, draw_kept_out_lamps, kept_out_views
from sample_videos.shapes import Frame

ROOT = Path(__file__).parents[2]
TRAINS = ("sample_videos/training.py", "sample_videos/training_crops.py", "sample_videos/dataset.py", "benchmarks/training_pictures.py")
TABLE = Table(find_table("wpa-9ft"))


def test_names_kept_out_are_none_that_training_draws_from() -> None:
    """No cloth and no set has a name or a colour of training's, and each list is in the summary."""
    assert not set(CLOTHS) & set(looks.CLOTHS)
    assert not set(CLOTHS.values()) & set(looks.CLOTHS.values())
    assert not set(MAKES) & set(ball_sets.MAKES)
    assert all(colours not in ball_sets.MAKES.values() for colours in MAKES.values())
    assert {"cloths": tuple(CLOTHS), "ball sets": tuple(MAKES), "lamps": LAMPS, "lenses": LENSES} == KEPT_OUT


@pytest.mark.parametrize("path", [*TRAINS, *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "vision" / "training").glob("*.py"))])
def test_what_trains_does_not_know_what_is_kept_out(path: str) -> None:
    """Neither the studio's training pictures nor the scripts that train import the kept-out variety."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    imports = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imports += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    assert not [name for name in imports if "kept_out" in name]


@pytest.mark.parametrize("name", LENSES)
def test_lenses_kept_out_bend_more_than_training_s_or_see_from_further(name: str) -> None:
    """Training's lenses bend by 4 % at most and stand 9 m off at most; the whole table stays in the picture."""
    camera = draw_kept_out_camera(np.random.default_rng(1), TABLE, Frame(), name)
    half = np.array([TABLE.spec.length_m / 2, TABLE.spec.width_m / 2])
    corner = float(np.hypot(*(half + Frame().cushion_m + Frame().rail_m))) / camera.position_m[2]
    bend = max(abs(camera.distortion[0]) * corner**2, abs(camera.distortion[1]) * corner**4)
    corners = camera.to_pixels([half, -half])

    assert bend > 0.045 or camera.position_m[2] > 9.5
    assert ((corners > 0) & (corners < camera.image_size_px)).all()


@pytest.mark.parametrize("name", LAMPS)
def test_lamps_kept_out_light_the_bed_as_much_as_any(name: str) -> None:
    """The direct light is 1 on average over the bed."""
    lamps = draw_kept_out_lamps(np.random.default_rng(2), name)
    x, y = np.meshgrid(np.linspace(-1.2, 1.2, 13), np.linspace(-0.6, 0.6, 7))
    places = np.column_stack([x.ravel(), y.ravel()])

    assert sum(lamp.share * float(looks.lamp_falloff(lamp.centre_m, places).mean()) for lamp in lamps) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.slow
def test_pictures_of_the_kept_out_variety_are_1080p_of_a_9_ft_table() -> None:
    """The pictures on which the figures of the model card are measured."""
    view = next(kept_out_views(np.random.default_rng(3), layouts=1))
    assert view.image.shape == (1080, 1920, 3)
    assert view.calibration.spec.name == "wpa-9ft"
    assert view.balls
