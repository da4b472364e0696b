"""Pictures agree with the camera model, and the same seed gives the same pictures."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.table import Table
from sample_videos.ball_picture import BallPainter
from sample_videos.looks import Lamp, Look, Sensor, draw_look
from sample_videos.poses import make_camera
from sample_videos.scene import BallInView, Scene
from sample_videos.training import render_training_view

TABLE = Table(find_table("wpa-9ft"))
RADIUS = TABLE.spec.ball_radius_m


def _plain_look() -> Look:
    look = draw_look(np.random.default_rng(3), cloth="dark green")
    lamp = Lamp(centre_m=(0.0, 0.0, 50.0), half_m=(0.5, 0.5), share=0.0)
    return replace(
        look,
        lamps=(lamp,),
        ambient=1.0,
        wear=0.0,
        cloth_noise=0.0,
        lines=False,
        spots=False,
        shine=0.0,
        exposure_gain=1.0,
        sensor=Sensor(blur_px=0.0, sharpen=0.0, noise=0.0, vignette=0.0),
    )


def _camera(tilt_deg: float, bow: float) -> CameraModel:
    return make_camera(TABLE, height_m=3.0, tilt_deg=tilt_deg, tilt_direction=0.7, turn=0.02, bow=bow, fill=0.9, image_size_px=(1280, 720))


@pytest.fixture(scope="module")
def scene() -> Scene:
    """A table seen somewhat aslant through a bent lens, in flat light, without noise."""
    return Scene(_camera(3.0, 0.02), TABLE, _plain_look())


@pytest.mark.parametrize(("tilt_deg", "bow"), [(0.0, 0.0), (8.0, 0.03), (14.0, -0.03)])
def test_ball_is_where_the_camera_model_puts_it(tilt_deg: float, bow: float) -> None:
    """The centroid of a painted ball's coverage is the projection of its centre to 0.2 pixels, all over the table."""
    painter = BallPainter(_camera(tilt_deg, bow), _plain_look(), RADIUS)
    places = [(0.0, 0.0), (1.1, 0.5), (-1.1, 0.5), (1.1, -0.5), (-0.4, 0.2)]
    centres = np.array([[x, y, RADIUS] for x, y in places])
    expected = painter.camera.to_pixels(centres[:, :2], height_m=RADIUS)
    for centre, pixel in zip(centres, expected, strict=True):
        patch = painter.paint("cue", centre, np.eye(3), fine=2)
        rows, columns = np.indices(patch.alpha.shape)
        weight = patch.alpha / patch.alpha.sum()
        actual = np.array([(weight * columns).sum() + patch.left, (weight * rows).sum() + patch.top])

        assert np.linalg.norm(actual - pixel) < 0.2


def test_ball_has_its_size_in_the_finished_picture(scene: Scene) -> None:
    """A white ball on plain cloth covers as many pixels as its disc has, to 3 percent, centred to 0.2 pixels."""
    ball = BallInView(ball="cue", centres_m=np.array([[0.3, -0.2, RADIUS]]), rotations=np.eye(3)[None])
    with_ball = scene.render([ball]).image.astype(float).sum(axis=2)
    empty = scene.render([]).image.astype(float).sum(axis=2)
    brighter = np.clip((with_ball - empty) / (with_ball - empty).max(), 0, None)
    area = float((brighter > 0.3).sum())
    rows, columns = np.nonzero(brighter > 0.3)
    centre = scene.camera.to_pixels([(0.3, -0.2)], height_m=RADIUS)[0]
    edge = scene.camera.to_pixels([(0.3 + RADIUS, -0.2)], height_m=RADIUS)[0]

    assert area == pytest.approx(np.pi * float(np.linalg.norm(edge - centre)) ** 2, rel=0.03)
    assert np.hypot(columns.mean() - centre[0], rows.mean() - centre[1]) < 0.2


def test_nose_line_is_where_the_camera_model_puts_it(scene: Scene) -> None:
    """The bed ends at the projected nose lines, at nose height, to 0.1 pixels on average along them."""
    half_x, half_y = TABLE.spec.length_m / 2, TABLE.spec.width_m / 2
    steps = np.linspace(0.15, 0.4, 60)
    for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
        places = np.column_stack([np.full(60, sign * half_x), steps]) if axis == 0 else np.column_stack([steps, np.full(60, sign * half_y)])
        errors = []
        for x, y in scene.camera.to_pixels(places, height_m=TABLE.spec.nose_height_m):
            column, row = round(x), round(y)
            line = scene.empty.bed[row, column - 10 : column + 11] if axis == 0 else scene.empty.bed[row - 10 : row + 11, column]
            along, middle = (x, column) if axis == 0 else (y, row)
            low = line[0] > 0.5  # the bed is at the lower end
            errors.append((middle - 10.5 + line.sum() if low else middle + 10.5 - line.sum()) - along)

        assert abs(np.mean(errors)) < 0.1


def test_a_hidden_ball_is_told_as_hidden(scene: Scene) -> None:
    """A ball under another in the picture's order keeps its visible share between 0 and 1, a free one has 1."""
    balls = [
        BallInView(ball=name, centres_m=np.array([[x, 0.0, RADIUS]]), rotations=np.eye(3)[None])
        for name, x in (("1", 0.0), ("2", 0.5 * RADIUS), ("3", 0.5))
    ]
    visible = scene.render(balls).visible

    assert visible["3"] == 1.0
    assert 0.2 < min(visible["1"], visible["2"]) < 0.9


def test_the_same_seed_gives_the_same_picture() -> None:
    """Pictures and truth depend on the generator's state alone; another seed's picture differs by many grey levels even from afar."""
    first, again, other = (render_training_view(np.random.default_rng(seed)) for seed in (5, 5, 6))

    assert np.array_equal(first.image, again.image)
    assert first.balls == again.balls
    small, differs = (cv2.resize(view.image, (32, 18), interpolation=cv2.INTER_AREA).astype(float) for view in (first, other))
    assert np.abs(small - differs).mean() > 10


def test_training_truth_agrees_with_its_calibration() -> None:
    """Pixels of balls on the bed go back to their positions through the camera, at one radius above the cloth."""
    view = render_training_view(np.random.default_rng(12))
    on_bed = [ball for ball in view.balls if ball.on_bed]
    radius = view.calibration.spec.ball_radius_m
    places = view.calibration.camera.to_table([ball.px for ball in on_bed], height_m=radius)

    assert np.allclose(places, [(ball.x_m, ball.y_m) for ball in on_bed], atol=2e-4)
    gaps = [np.hypot(a.x_m - b.x_m, a.y_m - b.y_m) for i, a in enumerate(on_bed) for b in on_bed[i + 1 :]]
    assert min(gaps) >= 2 * radius - 1e-9
