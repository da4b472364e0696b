"""Places that have not changed are not looked at again, and the results are the same within noise."""

import sys
from pathlib import Path

import cv2
import numpy as np

from calibration.equipment import find_ball_set
from vision.eyes import Eyes
from vision.frame import Frame
from vision.stillness import BallMemory, KnownBall, PieceMemory, around

sys.path.insert(0, str(Path(__file__).parent))
from pictures import a_calibration, a_picture

SPOT = np.array([30.0, 30.0])
START = np.array([[0.5, 0.1]])


def a_ball(shift_px: float = 0.0, noise: float = 0.0) -> np.ndarray:
    """A bright disc of radius 10 on a dark ground at (30 + shift, 30), drawn eight times larger and averaged down."""
    large = np.full((61 * 8, 61 * 8, 3), 60, np.uint8)
    centre = (round((30.5 + shift_px) * 8), round(30.5 * 8))
    cv2.circle(large, centre, 80, (220, 200, 180), -1)
    small = cv2.resize(large, (61, 61), interpolation=cv2.INTER_AREA).astype(np.float64)
    return np.clip(small + np.random.default_rng(int(8 * shift_px) + 1).normal(0, noise, small.shape), 0, 255).astype(np.uint8)


def known_ball(image: np.ndarray) -> BallMemory[str]:
    """A memory that holds one ball at `SPOT`."""
    memory: BallMemory[str] = BallMemory(0.0286)
    box = around(image, SPOT, 16)
    memory.keep([KnownBall((0.5, 0.1), box, image[box].copy(), "it", 0.0)])
    return memory


def test_noise_is_no_movement_and_an_eighth_of_a_pixel_is() -> None:
    """What was found of a ball holds under fresh noise; not when it moved by an eighth of a pixel, nor a second later."""
    memory = known_ball(a_ball(noise=1.5))

    assert memory.all_hold(a_ball(noise=1.4), 0.04)
    assert not memory.all_hold(a_ball(shift_px=0.125, noise=1.5), 0.04)
    assert not memory.all_hold(a_ball(noise=1.4), 1.0)


def test_what_was_found_nearby_is_told_whether_it_holds_or_not() -> None:
    """The find from a start 3 mm off is told; half a ball off nothing was known."""
    memory = known_ball(a_ball())
    near, far = memory.near(np.add(START, [[0.003, 0.0], [0.03, 0.0]]))

    assert near is not None
    assert near.find == "it"
    assert far is None


def test_other_colour_at_the_same_place_is_looked_at() -> None:
    """A ball that turned its other side up without moving is not the same picture."""
    memory = known_ball(a_ball())
    turned = a_ball()
    turned[25:36, 25:36] = (40, 40, 200)

    assert not memory.all_hold(turned, 0.04)


def test_piece_is_recalled_until_a_part_of_it_changes() -> None:
    """A piece whose rim trembles by a pixel is recalled; a gap opening in it is not."""
    view = a_ball(noise=1.5)
    memory: PieceMemory[str] = PieceMemory(pad_px=5)
    memory.keep(view, (slice(20, 41), slice(20, 41)), 314, "it", 0.0)
    memory.turn_page()
    trembling = (slice(20, 42), slice(19, 41))

    assert memory.recall(a_ball(noise=1.4), trembling, 318, 0.04) == "it"

    opened = view.copy()
    opened[:, 30:32] = 60
    assert memory.recall(opened, trembling, 318, 0.04) is None


def test_shortcuts_change_nothing_beyond_noise() -> None:
    """Resting, touching, creeping and rolling balls: every picture worked through in full gives the same balls."""
    calibration, balls = a_calibration(), find_ball_set("nine")
    quick, full = Eyes(calibration, balls), Eyes(calibration, balls, shortcuts=False)
    for index in range(14):
        at_rest = {"cue": (-0.7, 0.2), "3": (0.9, 0.1), "8": (0.9, 0.15715)}
        moving = {"1": (0.5, -0.3 + 0.0003 * index), "2": (-0.4 + 0.02 * index, 0.4)}
        image = a_picture(calibration, at_rest | moving)
        image = cv2.add(image, np.random.default_rng(index).integers(0, 4, image.shape, dtype=np.uint8))
        one, other = (eyes.look(Frame(index=index, time_s=index / 25, image=image)) for eyes in (quick, full))
        assert len(one.detections) == len(other.detections) == 5
        for ball in other.detections:
            near = min(one.detections, key=lambda seen: float(np.hypot(*np.subtract(seen.position_m, ball.position_m))))
            assert np.hypot(*np.subtract(near.position_m, ball.position_m)) < 0.0005
            assert max(abs(near.likelihood[name] - p) for name, p in ball.likelihood.items()) < 0.15
