"""Pictures for training a detector: tables, light, balls, people and graphics of all kinds, with exact truth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import pi

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.equipment import BallId, find_ball_set, find_table
from calibration.table import Table
from sample_videos.graphics import draw_graphics
from sample_videos.looks import BallLook, Colour, Look, draw_look
from sample_videos.player import PlayerLook, Pose, draw_player
from sample_videos.poses import draw_camera
from sample_videos.scene import BallInView, Scene, View
from sample_videos.shapes import holes

FloatArray = NDArray[np.float64]

POOL_TABLES = ("wpa-9ft", "wpa-9ft", "wpa-9ft", "wpa-8ft", "home-8ft", "bar-7ft")
"""Tables of pool, as often as they are drawn."""
_HIPS_M = 1.15
"""From a player's bridge hand to the hips, which stay outside the table."""
_STEP_RADII = 0.22
"""Distance of the moments that are averaged over an exposure, in radii; beyond 0.3 a fast ball shows as a row of discs."""
USUAL_SPEEDS = (0.5, 0.35, 0.15)
"""Shares of resting, slow and fast balls in a picture in which any move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BallTruth:
    """One ball in a picture.

    Attributes:
        ball: Id.
        x_m: Centre in the middle of the exposure, metres, table frame.
        y_m: The same across.
        z_m: Height of the centre above the cloth; one radius unless it lies in a pocket.
        px: Its picture point.
        visible: Share of its disc that can be seen, 0 to 1.
        streak_m: ((x, y), (x, y)) of the centre at the start and end of the exposure; equal at rest.
        on_bed: False for a ball that lies in a pocket.
    """

    ball: BallId
    x_m: float
    y_m: float
    z_m: float
    px: tuple[float, float]
    visible: float
    streak_m: tuple[tuple[float, float], tuple[float, float]]
    on_bed: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrainingView:
    """A picture with its truth.

    Attributes:
        image: Shape (H, W, 3), uint8 BGR, the whole camera picture.
        calibration: Exact.
        balls: All balls on the bed and visible ones in pockets.
        covered: Shape (H, W), uint8: 0 nothing, 1 person or cue, 2 graphics over the picture.
        exposure_s: Length of the exposure: a ball's way in it over this is its speed.
    """

    image: NDArray[np.uint8]
    calibration: Calibration
    balls: tuple[BallTruth, ...]
    covered: NDArray[np.uint8]
    exposure_s: float


def render_training_view(rng: np.random.Generator) -> TrainingView:
    """One picture of one table; `training_views` gives several of the same table for less work."""
    return next(training_views(rng, layouts=1))


def training_views(
    rng: np.random.Generator,
    *,
    layouts: int = 6,
    table_name: str = "",
    balls: dict[BallId, BallLook] | None = None,
    cloth: Colour | None = None,
    speeds: tuple[float, float, float] = USUAL_SPEEDS,
) -> Iterator[TrainingView]:
    """Pictures of one table, camera and light with different balls and people.

    Args:
        rng: Source of chance; the same state gives the same pictures.
        layouts: How many.
        table_name: A name of `calibration.equipment`; empty for one of the pool tables by chance.
        balls: The set to play with; None for one by chance.
        cloth: Its colour; None for one by chance.
        speeds: As of `lying_balls`.
    """
    table = Table(find_table(table_name or POOL_TABLES[int(rng.integers(len(POOL_TABLES)))]))
    look = draw_look(rng, table=table)
    if balls is not None:
        look = replace(look, balls=balls)
    if cloth is not None:
        look = replace(look, cloth=cloth)
    size = ((1920, 1080), (1280, 720), (1280, 720), (1600, 900))[int(rng.integers(4))]
    upright = bool(rng.random() < 0.08)
    size = size[::-1] if upright else size
    camera = draw_camera(rng, table, size, look.frame, upright=upright)
    yield from views_of(rng, table, look, camera, layouts=layouts, speeds=speeds)


def views_of(
    rng: np.random.Generator,
    table: Table,
    look: Look,
    camera: CameraModel,
    *,
    layouts: int,
    detour: bool = True,
    lessons: Sequence[list[BallInView]] = (),
    speeds: tuple[float, float, float] = USUAL_SPEEDS,
) -> Iterator[TrainingView]:
    """Pictures of one table, look and camera, with graphics, balls and people by chance.

    Args:
        rng: Source of chance; the same state gives the same pictures.
        table: The table.
        look: Cloth, lamps, balls, sensor.
        camera: What sees it.
        layouts: How many.
        detour: Whether some pictures come by way of a smaller one, as re-encoded recordings do.
        lessons: Balls of pictures that come before these, without people, and change nothing in these.
        speeds: As of `lying_balls`.
    """
    graphics = draw_graphics(rng, camera.image_size_px, look.balls) if rng.random() < 0.4 else None
    scene = Scene(camera, table, look, graphics, fine=2)
    calibration = Calibration(table=table, camera=camera, foot_known=True, foot_side=foot_side(scene), residual_mm=(0.0, 0.0), good=True)
    own = np.random.default_rng(look.seed)
    for lying in lessons:
        view = scene.render(lying)
        yield _view(scene, calibration, lying, view, _compress(own, view.image, detour=detour))
    for _ in range(layouts):
        lying = lying_balls(rng, table, look, speeds)
        player = leaning_player(rng, table, lying) if rng.random() < 0.45 else None
        view = scene.render(lying, player)
        truth = tuple(_truth(scene, ball, view.visible[ball.ball]) for ball in lying)
        image = _project(rng, scene, view.image, truth) if rng.random() < 0.05 else view.image
        yield _view(scene, calibration, lying, view, _compress(rng, image, detour=detour))


def _view(scene: Scene, calibration: Calibration, balls: list[BallInView], view: View, image: NDArray[np.uint8]) -> TrainingView:
    truth = tuple(_truth(scene, ball, view.visible[ball.ball]) for ball in balls)
    exposure_s = scene.look.sensor.exposure_s
    return TrainingView(image=image, calibration=calibration, balls=truth, covered=view.covered, exposure_s=exposure_s)


def foot_side(scene: Scene) -> str:
    """Side of the picture where the foot end lies."""
    half = scene.table.spec.length_m / 2
    head, foot = scene.camera.to_pixels([(-half, 0.0), (half, 0.0)])
    dx, dy = foot - head
    return ("right" if dx > 0 else "left") if abs(dx) >= abs(dy) else ("bottom" if dy > 0 else "top")


def subframes(path_m: float, radius_m: float) -> int:
    """How many moments of an exposure to average for a ball that moves `path_m` in it."""
    return int(np.clip(np.ceil(path_m / (_STEP_RADII * radius_m)) + 1, 3, 30))


def random_rotation(rng: np.random.Generator) -> FloatArray:
    """A uniformly random rotation, shape (3, 3)."""
    q, r = np.linalg.qr(rng.standard_normal((3, 3)))
    q = q * np.sign(np.diag(r))
    if np.linalg.det(q) < 0:
        q[:, 0] = -q[:, 0]
    return np.asarray(q, np.float64)


def turn(rotation: FloatArray, vector: FloatArray) -> FloatArray:
    """The rotation after a further turn by a rotation vector, radians, table frame."""
    more, _ = cv2.Rodrigues(np.asarray(vector, np.float64))
    return np.asarray(more @ rotation, np.float64)


def lying_balls(rng: np.random.Generator, table: Table, look: Look, speeds: tuple[float, float, float] = USUAL_SPEEDS) -> list[BallInView]:
    """Balls of one exposure: at rest, moving, touching, at noses, in jaws, racked, some in pockets.

    Args:
        rng: Source of chance.
        table: The table.
        look: Whose balls, and whose exposure.
        speeds: Shares of resting, slow (to 1.5 m/s) and fast balls (to 9 m/s) where any move, in half of the pictures.
    """
    exposure_s = look.sensor.exposure_s
    nine = rng.random() < 0.7
    ids = list(find_ball_set("nine" if nine else "pool").balls) if "cue" in look.balls else list(look.balls)
    keep = [b for b in ids if b in ("cue", "Y") or rng.random() < rng.uniform(0.3, 1.0)] if rng.random() < 0.85 else ids
    if rng.random() < 0.05:
        keep = keep[1:]
    radius = table.spec.ball_radius_m
    places = _layout(rng, table, len(keep))
    rng.shuffle(keep)
    moving = rng.random() < 0.5
    result = []
    for ball, place in zip(keep, places, strict=False):
        rotation = random_rotation(rng)
        speed = float(rng.choice([0.0, rng.uniform(0, 1.5), rng.uniform(1, 9)], p=speeds)) if moving else 0.0
        angle = rng.uniform(0, 2 * pi)
        velocity = speed * np.array([np.cos(angle), np.sin(angle)])
        times = np.linspace(-0.5, 0.5, subframes(speed * exposure_s, radius)) * exposure_s if speed > 0 else np.zeros(1)
        centres = np.column_stack([place + times[:, None] * velocity, np.full(len(times), radius)])
        spin = np.array([-velocity[1], velocity[0], rng.normal(0, 5)]) / radius
        rotations = np.stack([turn(rotation, spin * t) for t in times])
        result.append(BallInView(ball=ball, centres_m=centres, rotations=rotations))
    if rng.random() < 0.3:
        result += _in_pockets(rng, table, [b for b in ids if b not in keep])
    return result


def _layout(rng: np.random.Generator, table: Table, count: int) -> FloatArray:
    """Places of balls at rest: anywhere, in clusters, at noses, in jaws, or racked."""
    radius = table.spec.ball_radius_m
    half = np.array([table.spec.length_m / 2, table.spec.width_m / 2]) - 0.963 * radius
    places: list[FloatArray] = []
    if rng.random() < 0.12:
        places = [p + np.array([table.spec.length_m / 4, 0.0]) for p in rack(count - 1 if count > 9 else min(9, count - 1), radius)]
    while len(places) < count:
        kind = rng.random()
        place = rng.uniform(-half, half)
        if kind < 0.15 and places:
            angle = rng.uniform(0, 2 * pi)
            distance = 2 * radius * (1.0 + float(rng.choice([1e-4, rng.uniform(0, 0.3)])))
            place = places[int(rng.integers(len(places)))] + distance * np.array([np.cos(angle), np.sin(angle)])
        elif kind < 0.27:
            axis = int(rng.integers(2))
            place[axis] = rng.choice([-1, 1]) * (half[axis] - float(rng.choice([0.0, rng.uniform(0, 0.02)])))
        elif kind < 0.31:
            mouth = np.array(table.mouth_centre_m(("HL", "HR", "SL", "SR", "FL", "FR")[int(rng.integers(6))]))
            place = mouth * (1 - rng.uniform(0.0, 0.06))
            if all(np.linalg.norm(place - q) > 2 * radius for q in places):
                places.append(place)
            continue
        if (np.abs(place) <= half + 1e-9).all() and all(np.linalg.norm(place - q) >= 2 * radius for q in places):
            places.append(place)
    return np.array(places).reshape(-1, 2)


def rack(count: int, radius_m: float) -> list[FloatArray]:
    """Places of a diamond of nine or of a triangle, apex at the origin, toward +x; row by row."""
    rows = (1, 2, 3, 2, 1) if count <= 9 else (1, 2, 3, 4, 5)
    step = 2 * radius_m * 1.0005
    places = [np.array([i * step * 3**0.5 / 2, (k - (n - 1) / 2) * step]) for i, n in enumerate(rows) for k in range(n)]
    return places[: max(count, 0)]


def _in_pockets(rng: np.random.Generator, table: Table, free: list[BallId]) -> list[BallInView]:
    result = []
    pockets = list(holes(table).values())
    for index, ball in zip(rng.permutation(6), free[: int(rng.integers(1, 3))], strict=False):
        hole = pockets[int(index)]
        inside = np.array(hole.centre_m) - np.array(hole.outward) * 0.3 * hole.radius_m + rng.normal(0, 0.006, 2)
        centre = np.array([[*inside, rng.uniform(-0.055, -0.02)]])
        result.append(BallInView(ball=ball, centres_m=centre, rotations=random_rotation(rng)[None]))
    return result


def leaning_player(rng: np.random.Generator, table: Table, balls: list[BallInView]) -> tuple[PlayerLook, Pose]:
    """A player aiming at some ball from the nearest rail, walking past with an arm over the table, or reaching in with a hand."""
    target = balls[int(rng.integers(len(balls)))].centres_m[0] if balls else np.zeros(3)
    angle = float(rng.uniform(0, 2 * pi))
    if rng.random() < 0.7:
        outside = np.array([np.sign(target[0] or 1) * table.spec.length_m / 2, 0.0])
        if table.spec.width_m / 2 - abs(target[1]) < table.spec.length_m / 2 - abs(target[0]):
            outside = np.array([target[0], np.sign(target[1] or 1) * table.spec.width_m / 2])
        toward = target[:2] - outside
        angle = float(np.arctan2(toward[1], toward[0]) + rng.normal(0, 0.5))
    gap = table.spec.ball_radius_m + float(rng.choice([rng.uniform(0.005, 0.08), rng.uniform(0, 0.4)]))
    direction = np.array([np.cos(angle), np.sin(angle)])
    tip = target[:2] - direction * gap
    bridge = tip - direction * rng.uniform(0.12, 0.28)
    pose = Pose(
        tip_m=(float(tip[0]), float(tip[1]), 0.03),
        direction=angle,
        bridge_m=(float(bridge[0]), float(bridge[1])),
        back_m=max(float(rng.choice([0.0, rng.uniform(0, 0.8)])), _to_edge(table, bridge, direction) - _HIPS_M),
        draw_m=float(rng.uniform(-0.1, 0.15)),
        cue=bool(rng.random() < 0.85),
        rest=bool(rng.random() < 0.06),
        motion_m=(float(rng.normal(0, 0.012)), float(rng.normal(0, 0.012))) if rng.random() < 0.3 else (0.0, 0.0),
    )
    return draw_player(rng), pose


def _to_edge(table: Table, place: FloatArray, direction: FloatArray) -> float:
    """How far it is from a place back, against a direction, to the nose lines."""
    half = np.array([table.spec.length_m, table.spec.width_m]) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        ways = np.where(direction == 0, np.inf, (place + np.sign(direction) * half) / direction)
    return float(max(ways.min(), 0.0))


def _truth(scene: Scene, ball: BallInView, visible: float) -> BallTruth:
    centre = ball.centres_m.mean(axis=0)
    pixel = scene.camera.to_pixels([centre[:2]], height_m=float(centre[2]))[0]
    start, end = ball.centres_m[0], ball.centres_m[-1]
    return BallTruth(
        ball=ball.ball,
        x_m=float(centre[0]),
        y_m=float(centre[1]),
        z_m=float(centre[2]),
        px=(float(pixel[0]), float(pixel[1])),
        visible=visible,
        streak_m=((float(start[0]), float(start[1])), (float(end[0]), float(end[1]))),
        on_bed=bool(centre[2] > 0),
    )


def _project(rng: np.random.Generator, scene: Scene, image: NDArray[np.uint8], balls: tuple[BallTruth, ...]) -> NDArray[np.uint8]:
    """Light of a projector over the table, as trainers use it: rings round balls, and lines."""
    light = np.zeros_like(image)
    radius = scene.table.spec.ball_radius_m
    colour = [int(c) for c in rng.uniform(60, 255, 3)]
    grown, chosen = float(rng.uniform(1.4, 2.2)), rng.random()
    for ball in balls:
        if ball.on_bed and rng.random() < chosen:
            beside = scene.camera.to_pixels([(ball.x_m + radius, ball.y_m)], height_m=ball.z_m)[0]
            size = grown * float(np.hypot(*(beside - np.array(ball.px))))
            cv2.circle(light, (round(16 * ball.px[0]), round(16 * ball.px[1])), round(16 * size), colour, 2, cv2.LINE_AA, 4)
    for _ in range(int(rng.integers(0, 3))):
        half = np.array([scene.table.spec.length_m, scene.table.spec.width_m]) / 2
        ends = scene.camera.to_pixels(rng.uniform(-1, 1, (2, 2)) * half)
        (ax, ay), (bx, by) = np.round(ends).astype(int).tolist()
        cv2.line(light, (ax, ay), (bx, by), colour, 2, cv2.LINE_AA)
    return np.asarray(cv2.add(image, light), np.uint8)


def _compress(rng: np.random.Generator, image: NDArray[np.uint8], *, detour: bool) -> NDArray[np.uint8]:
    """What encoders leave: blocks, chroma at half size, sometimes a detour through a smaller picture."""
    kind = rng.random()
    if kind < 0.15:
        return image
    height, width = image.shape[:2]
    if kind < 0.4 and detour:
        factor = rng.uniform(0.5, 0.9)
        small = cv2.resize(image, (int(width * factor), int(height * factor)), interpolation=cv2.INTER_AREA)
        image = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)
    if rng.random() < 0.4:
        picture = cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb)
        picture[..., 1:] = cv2.GaussianBlur(picture[..., 1:], (0, 0), rng.uniform(0.6, 2.0))
        image = np.asarray(cv2.cvtColor(picture, cv2.COLOR_YCrCb2BGR), np.uint8)
    quality = int(rng.uniform(35, 95))
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
