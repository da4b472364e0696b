"""The network on rendered and drawn views, the evidence it is weighed with, and a model that cannot be read."""

import sys
from pathlib import Path

import numpy as np
import pytest

from calibration.errors import InputError
from sample_videos.training import TrainingView, render_training_view
from vision.evidence import KNOWN, ball_score, hangs, network_at, on_streak
from vision.network import Network
from vision.rectify import TopView

sys.path.insert(0, str(Path(__file__).parent))
from pictures import a_calibration, a_picture

RADIUS_PX = 7.0


@pytest.fixture(scope="module")
def network() -> Network:
    """The network that is delivered."""
    return Network()


@pytest.fixture(scope="module")
def rendered() -> TrainingView:
    """A picture that no training saw, with a player over the bed: the first from here on."""
    for seed in range(900_020, 900_060):
        view = render_training_view(np.random.default_rng(seed))
        bed = TopView(view.calibration, ball_radius_px=RADIUS_PX)
        if (bed.view(np.repeat((view.covered == 1).astype(np.uint8)[..., None] * 255, 3, axis=2)) > 127).mean() > 0.04:
            return view
    raise AssertionError("no player in forty pictures")


def test_rendered_balls_are_seen_where_they_are(network: Network) -> None:
    """Of the balls in full view in five pictures nine in ten have a known peak within a third of a radius."""
    near = []
    for seed in range(900_020, 900_025):
        rendered = render_training_view(np.random.default_rng(seed))
        view = TopView(rendered.calibration, ball_radius_px=RADIUS_PX)
        sight = network.look(view.view(rendered.image), RADIUS_PX)
        wanted = view.to_view([(ball.x_m, ball.y_m) for ball in rendered.balls if ball.on_bed and ball.visible > 0.9])
        seen = sight.centres_px[sight.scores >= KNOWN]
        near += list(np.hypot(*(wanted[:, None] - seen[None]).transpose(2, 0, 1)).min(axis=1) < RADIUS_PX / 3)

    assert len(near) >= 30
    assert np.mean(near) >= 0.9


def test_people_and_graphics_are_covered_and_cloth_is_not(network: Network, rendered: TrainingView) -> None:
    """What covers the picture has ten times the cover of the rest, edges included."""
    view = TopView(rendered.calibration, ball_radius_px=RADIUS_PX)
    sight = network.look(view.view(rendered.image), RADIUS_PX)
    truth = view.view(np.repeat((rendered.covered > 0).astype(np.uint8)[..., None] * 255, 3, axis=2))[..., 0] > 127

    assert truth.any()
    assert sight.covered[truth].mean() > 10 * sight.covered[~truth].mean()


def test_empty_table_shows_no_ball(network: Network) -> None:
    """Cloth, rails and pockets of a drawn table: nothing on the bed is known as a ball."""
    calibration = a_calibration()
    view = TopView(calibration, ball_radius_px=RADIUS_PX)
    sight = network.look(view.view(a_picture(calibration, {})), RADIUS_PX)
    places = view.to_table(sight.centres_px[sight.scores >= KNOWN])

    assert not (np.abs(places) < (1.2, 0.56)).all(axis=1).any()


def test_size_of_the_view_does_not_matter(network: Network) -> None:
    """A view twice as fine gives the same places, in its own pixels."""
    calibration = a_calibration()
    image = a_picture(calibration, {"3": (0.3, 0.1)})
    places = []
    for radius in (RADIUS_PX, 2 * RADIUS_PX):
        view = TopView(calibration, ball_radius_px=radius)
        sight = network.look(view.view(image), radius)
        near = view.to_table(sight.centres_px)
        places.append(near[np.hypot(*(near - (0.3, 0.1)).T).argmin()])

    assert np.hypot(*(places[0] - (0.3, 0.1))) < 0.008
    assert np.hypot(*(places[0] - places[1])) < 0.005


def test_what_has_not_changed_is_not_worked_through_again(network: Network) -> None:
    """Without a changed box the sight is the one before; with one, only what lies in it is new."""
    calibration = a_calibration()
    view = TopView(calibration, ball_radius_px=RADIUS_PX)
    first, moved = (view.view(a_picture(calibration, {"3": (x, 0.1), "1": (-0.5, -0.2)})) for x in (0.3, 0.33))
    x, y = (round(float(v)) for v in view.to_view([(0.315, 0.1)])[0])
    sight = network.look(first, RADIUS_PX)

    assert network.look(first, RADIUS_PX, ()) is sight
    again = network.look(moved, RADIUS_PX, [(slice(y - 16, y + 16), slice(x - 20, x + 20))])
    whole = Network().look(moved, RADIUS_PX)
    assert again.centres_px == pytest.approx(whole.centres_px, abs=0.3)


def test_a_file_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    """A torn model file is an input error that says what to do."""
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not a model")

    with pytest.raises(InputError, match="install cueref again") as caught:
        Network(path)
    assert "\n" not in str(caught.value)


def test_the_networks_word_buys_outline() -> None:
    """Half an outline is a ball when lone, in something larger only with the network's word, and never on a sleeve without."""
    assert ball_score(0.5, 1.0, 0.0, 0.8, 1.0) is not None
    assert ball_score(0.5, 0.3, 0.0, 0.8, 1.0) is None
    assert ball_score(0.5, 0.3, 0.9, 0.8, 1.0) is not None
    assert ball_score(0.97, 0.3, 0.0, 0.8, 1.0) is not None
    assert ball_score(0.97, 0.3, 0.0, 0.1, 1.0) is None


def test_a_disc_that_shows_cloth_is_a_ball_only_by_the_networks_word() -> None:
    """Lines of light that cross make a whole outline round bare cloth; a ball in the cloth's colour is known to the network."""
    assert ball_score(1.0, 1.0, 0.4, 0.8, 0.7) is None
    assert ball_score(0.9, 0.0, 0.5, 0.3, 0.3) is None
    assert ball_score(0.9, 0.0, 0.5, 0.9, 0.3) is not None
    assert ball_score(0.22, 0.0, 0.72, 1.0, 0.3) is not None
    assert ball_score(0.66, 0.7, 0.56, 1.0, 0.7) is not None


def test_patches_on_clothes_need_a_surer_word() -> None:
    """Where no cloth is seen about it the network's 0.69 is not enough; where cloth is nearly all round, a cue that touches is no bar."""
    assert ball_score(0.84, 0.2, 0.69, 0.0, 1.0) is None
    assert ball_score(0.84, 0.2, 0.8, 0.0, 1.0) is not None
    assert ball_score(0.7, 0.2, 0.2, 0.8, 1.0) is not None
    assert ball_score(0.7, 0.2, 0.2, 0.6, 1.0) is None


def test_a_ball_hangs_in_a_mouth_by_the_networks_word_or_by_the_cloth_about_it() -> None:
    """A hole may be seen all round; it has no cloth about it and no word of the network."""
    assert hangs(np.array([0.94, 1.0, 0.9, 0.6]), np.array([0.37, 0.21, 0.7, 0.4]), np.array([0.67, 0.46, 0.4, 0.7])).tolist() == [
        True,
        False,
        True,
        False,
    ]


def test_more_of_an_outline_or_of_the_networks_word_never_lowers_a_score() -> None:
    """Scores rise with both, for a piece explained and for one that is not."""
    grid = np.linspace(0, 1, 21)
    for explained in (0.3, 0.8, 1.0):
        table = np.array([[ball_score(s, explained, n, 0.8, 1.0) or 0.0 for n in grid] for s in grid])
        assert (np.diff(table, axis=0) >= 0).all()
        assert table.max() <= 1.0


def test_the_best_score_within_reach_counts() -> None:
    """Two peaks near a place give the higher, a place far from all gives nothing."""
    scores = network_at(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0.01, 0.0], [0.0, 0.01]]), np.array([0.4, 0.7]), 0.02)

    assert scores.tolist() == [0.7, 0.0]


def test_places_on_a_streak() -> None:
    """Along the middle line and round its ends, not beside it or beyond."""
    ends = np.array([[0.0, 0.0], [0.1, 0.0]])
    places = np.array([[0.05, 0.01], [0.05, 0.03], [0.115, 0.0], [0.13, 0.0], [-0.01, 0.01]])

    assert on_streak(places, ends, 0.02).tolist() == [True, False, True, False, True]
