"""People who stand beside the table and watch: seen from above, heads and shoulders, with their feet in front of them."""

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.table import Table
from sample_videos.figure import paint_figure
from sample_videos.looks import Look
from sample_videos.player import PlayerLook, draw_player
from sample_videos.posture import Limb

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]


def paint_bystanders(rng: np.random.Generator, camera: CameraModel, table: Table, look: Look, image: Float32, floor: Float32) -> None:
    """Paint some people over the floor of a picture (H, W, 3) of display values, in place; the table hides them.

    Args:
        rng: Source of chance.
        camera: Which looks.
        table: Beside which they stand.
        look: The scene; its `clutter` says how many people are likely.
        image: The empty table.
        floor: Share of each pixel that shows the floor, shape (H, W).
    """
    gain = (np.array(look.sensor.gain) * look.exposure_gain).astype(np.float32)
    half = np.array([table.spec.length_m, table.spec.width_m]) / 2 + look.frame.cushion_m + look.frame.rail_m
    for _ in range(int(rng.poisson(0.45 * look.clutter))):
        axis = int(rng.integers(2))
        place = rng.uniform(-1.1, 1.1, 2) * half
        place[axis] = rng.choice([-1.0, 1.0]) * (half[axis] + rng.uniform(0.3, 0.9))
        toward = -place / np.linalg.norm(place)
        person = draw_player(rng)
        limbs = _standing(person, place, float(np.arctan2(toward[1], toward[0]) + rng.normal(0, 0.5)))
        figure = paint_figure(camera, look, limbs, gain, seed=person.seed, motion_px=np.zeros(2), only=floor)
        if figure is not None:
            window = image[figure.box.window]
            window *= figure.through.astype(np.float32) / 255
            window += figure.colour


def _standing(look: PlayerLook, place: FloatArray, direction: float) -> list[Limb]:
    ahead = np.array([np.cos(direction), np.sin(direction)])
    left = np.array([-ahead[1], ahead[0]])

    def at(front: float, aside: float, up: float) -> tuple[float, float, float]:
        spot = place + ahead * front * look.scale + left * aside * look.scale
        return (float(spot[0]), float(spot[1]), up)

    limbs = []
    for side in (-1.0, 1.0):
        limbs.append(Limb(start=at(-0.04, 0.1 * side, -0.74), end=at(0.16, 0.13 * side, -0.76), radii=(0.045, 0.05), colour=look.shoes))
        limbs.append(Limb(start=at(0.0, 0.09 * side, 0.1), end=at(0.0, 0.1 * side, -0.7), radii=(0.085, 0.06), colour=look.trousers))
        elbow, hand = at(-0.02, 0.29 * side, 0.30), at(0.16, 0.17 * side, 0.22)
        limbs.append(Limb(start=at(0.0, 0.2 * side, 0.58), end=elbow, radii=(0.062, 0.05), colour=look.shirt, folds=0.08))
        limbs.append(Limb(start=elbow, end=hand, radii=(0.045, 0.034), colour=look.sleeve))
        limbs.append(Limb(start=hand, end=at(0.21, 0.14 * side, 0.21), radii=(0.04, 0.03), colour=look.skin, stuff="skin"))
    limbs.append(Limb(start=at(0.0, 0.17, 0.58), end=at(0.0, -0.17, 0.58), radii=(0.085, 0.085), colour=look.shirt, folds=0.08))
    limbs.append(Limb(start=at(0.03, 0.08, 0.40), end=at(0.03, -0.08, 0.40), radii=(0.12, 0.12), colour=look.shirt, folds=0.08))
    limbs.append(Limb(start=at(0.05, 0.0, 0.74), end=at(0.08, 0.0, 0.74), radii=(0.06, 0.05), colour=look.skin, stuff="skin"))
    crown = look.trim if look.cap else look.hair
    limbs.append(
        Limb(start=at(-0.03, 0.0, 0.80), end=at(0.03, 0.0, 0.81), radii=(0.08, 0.076), colour=crown, stuff="cloth" if look.cap else "hair")
    )
    return limbs
