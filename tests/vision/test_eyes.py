"""Balls found, placed, named; what hides them; pictures of something else."""

import pickle
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.equipment import find_ball_set
from vision.detection import Observation
from vision.eyes import Eyes
from vision.frame import Frame
from vision.identify import best_names
from vision.surface import Glance

sys.path.insert(0, str(Path(__file__).parent))
from pictures import a_calibration, a_picture

CALIBRATION = a_calibration()
NINE = find_ball_set("nine")
BALLS = {"cue": (-0.7, 0.2), "1": (0.5, -0.3), "2": (0.2, 0.4), "3": (0.9, 0.1), "6": (-0.2, -0.45), "8": (0.6, 0.45)}


def look(image: np.ndarray) -> Observation:
    """One picture through fresh eyes."""
    return Eyes(CALIBRATION, NINE).look(Frame(index=0, time_s=0.0, image=image))


def by_place(seen: Observation, place: tuple[float, float]) -> tuple[float, str | None]:
    """Distance in metres and name of the detection nearest to a place."""
    names = best_names([one.likelihood for one in seen.detections], NINE.balls)
    away = [float(np.hypot(*np.subtract(one.position_m, place))) for one in seen.detections]
    nearest = int(np.argmin(away))
    return away[nearest], names[nearest]


def test_every_ball_is_found_placed_and_named() -> None:
    """Six balls, blue and black on blue cloth among them, to a millimetre and by name; nothing else."""
    seen = look(a_picture(CALIBRATION, BALLS))

    assert len(seen.detections) == len(BALLS)
    for name, place in BALLS.items():
        away, called = by_place(seen, place)
        assert called == name
        assert away < 0.001


def test_touching_balls_come_apart() -> None:
    """Three frozen balls and one at the nose are four balls, each within two millimetres."""
    step = 0.05715
    balls = {"1": (0.3, 0.1), "3": (0.3 + step, 0.1), "8": (0.3 + step / 2, 0.1 + step * 0.8661), "cue": (1.27 - step / 2, 0.0)}

    seen = look(a_picture(CALIBRATION, balls))

    assert len(seen.detections) == 4
    assert all(by_place(seen, place)[0] < 0.002 for place in balls.values())


def test_moving_ball_is_a_streak_with_two_ends() -> None:
    """A ball that moves three diameters during the exposure is one detection, its ends within a fifth of a radius or so."""
    seen = look(a_picture(CALIBRATION, {"3": (0.1, 0.1)}, streak_m=(0.15, 0.05)))

    assert len(seen.detections) == 1
    streak = seen.detections[0].streak_m
    assert streak is not None
    ends = sorted(streak)
    assert np.hypot(*np.subtract(ends[0], (0.025, 0.075))) < 0.015
    assert np.hypot(*np.subtract(ends[1], (0.175, 0.125))) < 0.015


def test_arm_hides_the_bed_and_is_no_ball() -> None:
    """A sleeve from the rail over the bed is occlusion; a ball beside it is still seen."""
    image = a_picture(CALIBRATION, {"1": (0.5, -0.3), "cue": (-0.6, 0.3)})
    (x0, y0), (x1, y1) = CALIBRATION.camera.to_pixels([(0.0, 0.8), (0.1, 0.1)]).round().astype(int)
    cv2.line(image, (int(x0), int(y0)), (int(x1), int(y1)), (60, 70, 80), 50)

    seen = look(image)

    assert [one.score >= 0.5 for one in seen.detections].count(True) == 2
    assert seen.is_hidden((0.05, 0.4), 2.54, 1.27)
    assert not seen.is_hidden((0.8, 0.0), 2.54, 1.27)


def test_other_view_is_not_usable() -> None:
    """A picture without the cloth is refused with a reason, and the cloth learnt before is kept for the pictures after."""
    eyes = Eyes(CALIBRATION, NINE)
    table = a_picture(CALIBRATION, BALLS)
    crowd = np.random.default_rng(1).integers(0, 255, table.shape, dtype=np.uint8)
    first = eyes.look(Frame(index=0, time_s=0.0, image=table))
    other = eyes.look(Frame(index=1, time_s=2.0, image=crowd))
    again = eyes.look(Frame(index=2, time_s=2.1, image=table))

    assert first.usable
    assert not other.usable
    assert "another view" in other.why
    assert len(again.detections) == len(first.detections)


def test_same_pictures_give_the_same_observations() -> None:
    """Two eyes fed the same frames agree to the last bit."""
    frames = [Frame(index=i, time_s=0.6 * i, image=a_picture(CALIBRATION, BALLS, noise=1.0 + i)) for i in range(3)]
    one, two = Eyes(CALIBRATION, NINE), Eyes(CALIBRATION, NINE)

    assert [one.look(frame).detections for frame in frames] == [two.look(frame).detections for frame in frames]


def test_picture_of_another_size_is_refused() -> None:
    """A picture that cannot belong to the calibration says so."""
    seen = look(np.zeros((480, 640, 3), np.uint8))

    assert not seen.usable
    assert "640x480" in seen.why


@pytest.mark.parametrize("hue", [40, 80, 140])
def test_any_cloth(hue: int) -> None:
    """No cloth colour is built in: the same balls on the same picture turned in hue are found again."""
    image = a_picture(CALIBRATION, BALLS)
    hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0].astype(int) + hue) % 180

    seen = look(np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)))

    assert all(by_place(seen, place)[0] < 0.0015 for place in BALLS.values())


def test_what_another_process_glanced_at_is_as_good_as_ones_own() -> None:
    """Four pictures, the second like the first, in the third a ball elsewhere, the last a second later: the same is seen, and
    what did not change is the same object."""
    first, moved = a_picture(CALIBRATION, BALLS), a_picture(CALIBRATION, {**BALLS, "6": (-0.5, -0.45)})
    frames = [
        Frame(index=i, time_s=t, image=image) for i, (t, image) in enumerate([(0.0, first), (0.04, first), (0.08, moved), (1.1, moved)])
    ]
    alone, other, told = Eyes(CALIBRATION, NINE), Eyes(CALIBRATION, NINE), Eyes(CALIBRATION, NINE)
    heard: list[Glance] = []
    last: Glance | None = None
    for frame in frames:
        glance = other.glance(frame, other.sight(frame))
        assert glance is not None
        after = pickle.loads(pickle.dumps(glance.news(last))).after(heard[-1] if heard else None)
        heard.append(after)
        last = glance
        assert told.look(frame, after).detections == alone.look(frame).detections

    assert heard[1] is heard[0]
    assert heard[2].cloth is heard[0].cloth
    assert heard[3].cloth is not heard[0].cloth
