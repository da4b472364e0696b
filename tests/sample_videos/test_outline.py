"""A ball's outline in the picture is the outline of a sphere seen through the camera and its lens."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.table import Table
from sample_videos.ball_picture import BallPainter
from sample_videos.looks import Lamp, Look, Sensor, draw_look
from sample_videos.poses import make_camera
from sample_videos.scene import BallInView, Scene

FloatArray = NDArray[np.float64]
RAYS = 90
LIMIT_PX = 0.1
PLACES = [(u, v) for u in (-0.98, -0.5, 0.0, 0.98) for v in (-0.97, 0.0, 0.97)]
"""Shares of the half length and half width where balls lie: the middle, the noses, the corners."""
CAMERAS = [(2.0, 15.0, 0.04), (2.0, 15.0, -0.04), (2.0, 0.0, 0.04), (3.0, 8.0, -0.03), (4.0, 15.0, 0.02), (4.0, 0.0, 0.0), (9.0, 3.0, 0.0)]
"""Height (m), tilt (degrees) and bow of the lens, over the range that the recipes draw from."""


def _table(name: str) -> Table:
    return Table(find_table(name))


def _camera(table: Table, height_m: float, tilt_deg: float, bow: float, size: tuple[int, int] = (1920, 1080)) -> CameraModel:
    return make_camera(
        table,
        height_m=height_m,
        tilt_deg=tilt_deg,
        tilt_direction=1.1,
        turn=0.02,
        bow=bow,
        fill=0.95,
        image_size_px=size,
        shift=(0.3, -0.4),
    )


def _plain(table: Table) -> Look:
    """A white ball over a black cloth in even light, through a sensor without faults."""
    look = draw_look(np.random.default_rng(3), table=table)
    balls = {
        name: replace(ball, colour=(0.9, 0.9, 0.9), dots=None, scuffs=0.0, polish=0.0, stripe=False) for name, ball in look.balls.items()
    }
    return replace(
        look,
        cloth=(0.0, 0.0, 0.0),
        lamps=(Lamp(centre_m=(0.0, 0.0, 50.0), half_m=(0.5, 0.5), share=0.0),),
        ambient=1.0,
        lines=False,
        spots=False,
        wear=0.0,
        exposure_gain=1.0,
        balls=balls,
        sensor=Sensor(blur_px=0.0, sharpen=0.0, noise=0.0, vignette=0.0),
    )


def outline_px(camera: CameraModel, centre_m: FloatArray, radius_m: float, count: int = 720) -> FloatArray:
    """The outline of a sphere: where its tangents through the eye touch it, projected; shape (count, 2)."""
    to_eye = camera.position_m - centre_m
    distance = float(np.linalg.norm(to_eye))
    axis = to_eye / distance
    first = np.cross(axis, [1.0, 0.0, 0.0])
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)[:, None]
    shrink = radius_m / distance
    touch = centre_m + radius_m * (shrink * axis + np.sqrt(1 - shrink**2) * (np.cos(angle) * first + np.sin(angle) * second))
    return camera.to_pixels(touch[:, :2], height_m=touch[:, 2])


def _reach(points: FloatArray, middle: FloatArray) -> FloatArray:
    """Distance of a closed outline from a point inside it along `RAYS` directions."""
    away = points - middle
    angle = np.arctan2(away[:, 1], away[:, 0])
    order = np.argsort(angle)
    rays = np.linspace(-np.pi, np.pi, RAYS, endpoint=False)
    return np.interp(rays, angle[order], np.hypot(*away[order].T), period=2 * np.pi)


def _edge(values: FloatArray, middle: FloatArray, expected: FloatArray, window_px: float) -> FloatArray:
    """Where a picture (h, w) of a bright disc falls to half along `RAYS` directions; NaN where it does not near `expected`."""
    rays = np.linspace(-np.pi, np.pi, RAYS, endpoint=False)
    steps = np.arange(-window_px, window_px, 0.02)
    found = np.full(RAYS, np.nan)
    for k, angle in enumerate(rays):
        along = expected[k] + steps
        x = (middle[0] + along * np.cos(angle)).astype(np.float32)[None]
        y = (middle[1] + along * np.sin(angle)).astype(np.float32)[None]
        line = cv2.remap(values.astype(np.float32), x, y, cv2.INTER_LINEAR)[0]
        below = np.nonzero(line < 0.5 * (line[:8].mean() + line[-8:].mean()))[0]
        if len(below):
            found[k] = along[below[0]]
    return found


@pytest.mark.parametrize(("height_m", "tilt_deg", "bow"), CAMERAS)
@pytest.mark.parametrize("name", ["wpa-9ft", "pyramid-12ft"])
def test_coverage_ends_at_the_outline_of_the_sphere(name: str, height_m: float, tilt_deg: float, bow: float) -> None:
    """Coverage of half lies on the projected outline to a tenth of a pixel, median over 90 rays, all over the table."""
    table = _table(name)
    radius = table.spec.ball_radius_m
    camera = _camera(table, height_m, tilt_deg, bow)
    look = _plain(table)
    painter = BallPainter(camera, look, radius)
    ball = next(iter(look.balls))
    half = np.array([table.spec.length_m / 2, table.spec.width_m / 2]) - radius
    for place in PLACES:
        centre = np.array([*(half * place), radius])
        patch = painter.paint(ball, centre, np.eye(3))
        middle = camera.to_pixels(centre[None, :2], height_m=radius)[0] - (patch.left, patch.top)
        expected = _reach(outline_px(camera, centre, radius) - (patch.left, patch.top), middle)
        errors = _edge(patch.alpha, middle, expected, 1.5) - expected

        # Reading an edge between pixels scatters by 0.05; a ball drawn too large or aside would show in the mean.
        assert np.median(np.abs(errors)) < LIMIT_PX, (place, np.median(np.abs(errors)))
        assert abs(errors.mean()) < 0.2 * LIMIT_PX, (place, errors.mean())


@pytest.mark.parametrize(("height_m", "tilt_deg", "bow"), [(2.0, 15.0, -0.04), (4.0, 0.0, 0.02)])
def test_the_finished_picture_has_the_outline_of_the_sphere(height_m: float, tilt_deg: float, bow: float) -> None:
    """On the 8-bit picture without noise the edge lies on the projected outline to a tenth of a pixel, median over 90 rays."""
    table = _table("wpa-9ft")
    radius = table.spec.ball_radius_m
    camera = _camera(table, height_m, tilt_deg, bow, (1280, 720))
    scene = Scene(camera, table, _plain(table), fine=1)
    half = np.array([table.spec.length_m / 2, table.spec.width_m / 2]) - 2 * radius
    names = [name for name in scene.look.balls if name != "8"][: len(PLACES)]
    centres = [np.array([*(half * place), radius]) for place in PLACES]
    balls = [BallInView(ball=name, centres_m=centre[None], rotations=np.eye(3)[None]) for name, centre in zip(names, centres, strict=True)]
    image = scene.render(balls).image[..., 1].astype(np.float64)
    for centre in centres:
        middle = camera.to_pixels(centre[None, :2], height_m=radius)[0]
        expected = _reach(outline_px(camera, centre, radius), middle)
        errors = np.abs(_edge(image, middle, expected, 1.5) - expected)

        assert np.nanmedian(errors) < LIMIT_PX, (centre, np.nanmedian(errors))
