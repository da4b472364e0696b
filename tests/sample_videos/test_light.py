"""Balls shade, mirror and hide one another, cushions hide balls, and motion is blurred as long as the shutter is open."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.equipment import find_table
from calibration.table import Table
from sample_videos.ball_light import Neighbour
from sample_videos.ball_picture import BallPainter
from sample_videos.looks import Lamp, draw_look
from sample_videos.player import Pose, draw_player
from sample_videos.poses import make_camera
from sample_videos.scene import BallInView, Scene
from sample_videos.sensor import Exposer

FloatArray = NDArray[np.float64]
TABLE = Table(find_table("wpa-9ft"))
RADIUS = TABLE.spec.ball_radius_m


def _scene(*, height_m: float = 3.0, tilt_deg: float = 0.0, tilt_direction: float = 0.0, lamp: Lamp | None = None) -> Scene:
    camera = make_camera(
        TABLE, height_m=height_m, tilt_deg=tilt_deg, tilt_direction=tilt_direction, turn=0.0, bow=0.0, fill=0.9, image_size_px=(960, 540)
    )
    look = draw_look(np.random.default_rng(4), cloth="green", table=TABLE)
    lamps = (lamp or Lamp(centre_m=(0.0, 0.0, 2.0), half_m=(0.3, 0.3), share=1.0),)
    sensor = replace(look.sensor, noise=0.0, blur_px=0.0, sharpen=0.0)
    return Scene(camera, TABLE, replace(look, lamps=lamps, ambient=0.4, sensor=sensor, sun=(), cloth_noise=0.03), fine=1)


def _ball(name: str, x: float, y: float, z: float = RADIUS) -> BallInView:
    return BallInView(ball=name, centres_m=np.array([[x, y, z]]), rotations=np.eye(3)[None])


def test_a_ball_beside_shades_the_side_that_faces_it() -> None:
    """A white ball is darker where a black neighbour touches it than at its other side."""
    scene = _scene()
    painter = BallPainter(scene.camera, scene.look, RADIUS)
    centre = np.array([0.2, 0.1, RADIUS])
    alone = painter.paint("cue", centre, np.eye(3))
    beside = painter.paint(
        "cue", centre, np.eye(3), neighbours=[Neighbour(centre_m=(0.2 + 2 * RADIUS, 0.1, RADIUS), colour=(0.0, 0.0, 0.0))]
    )
    loss = (alone.colour - beside.colour).sum(axis=2)
    middle = loss.shape[1] // 2

    assert loss[:, middle + 2 :].sum() > 5 * abs(loss[:, : middle - 2].sum())
    assert np.array_equal(alone.alpha, beside.alpha)


def test_a_ball_behind_a_cushion_is_partly_hidden() -> None:
    """From a camera low beyond the rail a ball frozen to that rail's cushion loses some of its disc, one in the middle nothing."""
    scene = _scene(height_m=3.0, tilt_deg=45.0, tilt_direction=np.pi / 2)
    frozen = _ball("1", 0.3, TABLE.spec.width_m / 2 - 0.963 * RADIUS)
    free = _ball("2", 0.3, 0.0)
    visible = scene.render([frozen, free]).visible

    assert visible["2"] == pytest.approx(1.0, abs=0.01)
    assert 0.7 < visible["1"] < 0.99


def test_motion_blur_is_as_long_as_the_way_during_the_exposure() -> None:
    """A ball that moves 60 mm while the shutter is open covers its diameter and 60 mm, and its middle half fully."""
    scene = _scene()
    steps = np.linspace(-0.03, 0.03, 20)
    streak = BallInView(
        ball="cue", centres_m=np.column_stack([steps, np.zeros(20), np.full(20, RADIUS)]), rotations=np.stack([np.eye(3)] * 20)
    )
    item = scene.items([streak])[0]
    across = item.patch.alpha.max(axis=0)
    pixels = scene.camera.to_pixels([(0.0, 0.0), (0.06 + 2 * RADIUS, 0.0)], height_m=RADIUS)

    assert (across > 0.02).sum() == pytest.approx(float(pixels[1, 0] - pixels[0, 0]), abs=2.5)
    assert item.patch.alpha.max() == pytest.approx(2 * RADIUS / 0.06, abs=0.06)


def test_a_moving_ball_leaves_no_trace() -> None:
    """When it has gone, the picture is the one without it."""
    scene = _scene()
    resting = [_ball("1", 0.5, 0.1), _ball("2", 0.56, 0.12)]
    before = scene.render(resting).image
    for k in range(3):
        path = np.array([[0.4 + 0.03 * k, 0.1, RADIUS], [0.42 + 0.03 * k, 0.1, RADIUS]])
        scene.render([*resting, BallInView(ball="cue", centres_m=path, rotations=np.stack([np.eye(3)] * 2))])
    after = scene.render(resting).image

    assert np.array_equal(before, after)


def test_a_window_drawn_anew_joins_the_rest_without_a_seam() -> None:
    """Balls drawn into a finished background one by one give the picture that blurring and sharpening the whole gives."""
    scene = _scene()
    sharp = replace(scene.look.sensor, blur_px=0.8, sharpen=1.0)
    scene.exposer = Exposer(sharp, scene.camera.image_size_px, np.random.default_rng(1))
    scene._background = scene.exposer.focus_bytes(scene._raw)
    balls = [_ball("1", -0.5, 0.1), _ball("2", -0.3, 0.12), _ball("3", 0.4, -0.3)]
    for count in (1, 2, 3):
        step_by_step = scene.render(balls[:count]).image
    whole, _ = scene._compose(scene._whole, scene.items(balls))

    assert np.array_equal(step_by_step, scene.exposer.focus_bytes(whole))


def test_a_person_hides_what_is_below() -> None:
    """A ball under the forearm is not to be seen, one a metre away is, and what is covered is marked."""
    scene = _scene()
    pose = Pose(tip_m=(0.0, 0.0, RADIUS), direction=0.0, bridge_m=(-0.2, 0.0))
    player = replace(draw_player(np.random.default_rng(1)), side=1.0, scale=1.0, stride=1.0)
    view = scene.render([_ball("1", -0.40, 0.08), _ball("2", 0.8, -0.3)], (player, pose))

    assert view.visible["1"] < 0.5
    assert view.visible["2"] > 0.98
    assert 0.02 < (view.covered == 1).mean() < 0.4


def test_a_lamp_low_at_one_side_throws_the_shadow_to_the_other() -> None:
    """With the lamp at the left the cloth right of a ball is darker than the cloth left of it."""
    scene = _scene(lamp=Lamp(centre_m=(-1.5, 0.0, 1.0), half_m=(0.05, 0.05), share=1.0))
    empty = scene.render([]).image.astype(float).sum(axis=2)
    image = scene.render([_ball("8", 0.0, 0.0)]).image.astype(float).sum(axis=2)
    x, y = np.round(scene.camera.to_pixels([(0.0, 0.0)])[0]).astype(int)
    loss = (empty - image)[y - 2 : y + 3]

    assert loss[:, x + 14 : x + 22].mean() > 3 * max(1.0, loss[:, x - 22 : x - 14].mean())


def test_lamps_are_mirrored_in_their_shape() -> None:
    """A panel is bright all over, a ring dark in the middle, a round shade without corners, three tubes are three stripes."""
    panel, shade, ring, tubes = (
        Lamp(centre_m=(0.0, 0.0, 2.0), half_m=(0.6, 0.3), share=1.0, shape=shape, parts=3) for shape in ("panel", "round", "ring", "tubes")
    )
    x, y = np.meshgrid(np.linspace(-0.7, 0.7, 141, dtype=np.float32), np.linspace(-0.4, 0.4, 161, dtype=np.float32))
    middle = (80, 70)

    seen = {lamp.shape: lamp.image(x, y, 0.01) for lamp in (panel, shade, ring, tubes)}

    assert seen["panel"][middle] == seen["round"][middle] == seen["panel"][25, 15] == seen["ring"][25, 15] == 1
    assert seen["ring"][middle] == seen["round"][25, 15] == 0
    assert np.count_nonzero(np.diff(seen["tubes"][:, 70] > 0.5)) == 6
    assert all(image[0].max() == 0 for image in seen.values())
