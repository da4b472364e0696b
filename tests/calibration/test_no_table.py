"""Sixty pictures and corner sets that are no overhead six-pocket table: all end in a clear reason, none is accepted."""

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.automatic import CalibrationFailure, calibrate_image
from calibration.by_hand import calibrate_corners
from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.errors import InputError
from calibration.table import Table

from .picture import paint

Image = NDArray[np.uint8]
SPEC = find_table("wpa-9ft")
SIZE = (960, 540)
CLOTHS = ((190, 120, 10), (60, 130, 20), (40, 40, 150), (120, 125, 130), (90, 170, 200))
pytestmark = pytest.mark.slow


def camera(*, right_px: float = 0.0, down_px: float = 0.0, height_m: float = 3.0, tilt_deg: float = 0.0) -> CameraModel:
    """A 960 x 540 camera over the table."""
    tilt = np.asarray(cv2.Rodrigues(np.array([np.radians(tilt_deg), 0.0, 0.0]))[0])
    return CameraModel(
        matrix=np.array([[900.0, 0, 479.5 + right_px], [0, 900.0, 269.5 + down_px], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=tilt @ np.diag([1.0, -1.0, -1.0]),
        translation_m=np.array([0.0, 0.0, height_m]),
        image_size_px=SIZE,
    )


def flat(colour: tuple[int, int, int]) -> Image:
    """One colour."""
    return np.full((SIZE[1], SIZE[0], 3), colour, np.uint8)


def speckled(image: Image, seed: int, level: float = 2.0) -> Image:
    """With a camera's noise."""
    return np.clip(image + np.random.default_rng(seed).normal(0, level, image.shape), 0, 255).astype(np.uint8)


def room(seed: int) -> Image:
    """Wall, floor, cupboards, a window: rectangles of many colours seen from the front."""
    rng = np.random.default_rng(seed)
    image = flat((170, 180, 185))
    cv2.rectangle(image, (0, 380), (960, 540), (60, 80, 110), -1)
    for _ in range(9):
        x, y = int(rng.integers(0, 850)), int(rng.integers(40, 400))
        wide, high = int(rng.integers(40, 260)), int(rng.integers(40, 220))
        cv2.rectangle(image, (x, y), (x + wide, y + high), tuple(rng.integers(20, 230, 3).tolist()), -1)
    return speckled(np.asarray(cv2.GaussianBlur(image, (0, 0), 1.0), dtype=np.uint8), seed)


def document(seed: int) -> Image:
    """A page of text on a desk."""
    rng = np.random.default_rng(seed)
    image = flat((50, 70, 100))
    cv2.rectangle(image, (180, 40), (780, 500), (235, 238, 240), -1)
    for row in range(70, 480, 18):
        x = 210
        while x < 730:
            wide = int(rng.integers(10, 60))
            cv2.rectangle(image, (x, row), (min(x + wide, 750), row + 6), (50, 50, 50), -1)
            x += wide + 8
    turn = cv2.getRotationMatrix2D((480, 270), float(rng.uniform(-20, 20)), 1.0)
    return speckled(np.asarray(cv2.warpAffine(image, turn, SIZE, borderValue=(50, 70, 100)), dtype=np.uint8), seed)


def rectangle(cloth: tuple[int, int, int], proportion: float) -> Image:
    """A bordered rectangle of cloth, without pockets."""
    image = flat((100, 95, 90))
    high = 330
    wide = round(high * proportion)
    for grow, colour in ((40, (30, 45, 70)), (0, cloth)):
        cv2.rectangle(image, (480 - wide // 2 - grow, 105 - grow), (480 + wide // 2 + grow, 435 + grow), colour, -1)
    return speckled(image, 3)


def pictures() -> Iterator[tuple[str, Image]]:
    """Forty pictures, with what they are."""
    for i, cloth in enumerate(CLOTHS[:3]):
        yield f"carom {i}", paint(camera(tilt_deg=4.0 * i), SPEC, cloth=cloth, pockets=())
    for i in range(6):
        yield f"room {i}", room(i)
        yield f"document {i}", document(i)
    for i in range(4):
        rng = np.random.default_rng(i)
        yield f"noise {i}", rng.integers(0, 256, (SIZE[1], SIZE[0], 3), dtype=np.uint8)
        coarse = rng.integers(0, 256, (9, 16, 3), dtype=np.uint8)
        yield f"blobs {i}", np.asarray(cv2.resize(coarse, SIZE, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    for name, level in (("black", 0), ("nearly black", 6), ("grey", 128), ("white", 255)):
        yield name, speckled(flat((level, level, level)), level, 1.0)
    for i, (right, down) in enumerate(((250.0, 0.0), (-250.0, 0.0), (420.0, 0.0), (-420.0, 0.0), (260.0, 40.0), (-300.0, -30.0))):
        yield f"end out {i}", paint(camera(right_px=right, down_px=down), SPEC, cloth=CLOTHS[i % 3])
    for i, proportion in enumerate((1.0, 1.4, 2.0, 2.2, 2.2, 2.6)):
        yield f"rectangle {proportion} {i}", rectangle(CLOTHS[i % 5], proportion)
    yield "one pocket", paint(camera(), SPEC, cloth=CLOTHS[0], pockets=("HL",))


def wrong_corners() -> Iterator[tuple[str, np.ndarray]]:
    """Twenty sets of corners for one good picture."""
    true = camera().to_pixels(list(Table(SPEC).corners_m().values()), height_m=SPEC.nose_height_m)[[0, 2, 3, 1]]
    yield "bow tie", true[[0, 2, 1, 3]]
    yield "other bow tie", true[[0, 1, 3, 2]]
    for i, (dx, dy) in enumerate(((40, 0), (-30, 0), (0, 25), (35, -20))):
        yield f"all moved {i}", true + np.array([dx, dy])
    for i in range(4):
        sticker = true.copy()
        sticker[i] += 0.06 * (true.mean(axis=0) - true[i])
        yield f"sticker beside corner {i}", sticker
    for factor in (0.7, 0.85, 1.08):
        yield f"{factor} as large", true.mean(axis=0) + factor * (true - true.mean(axis=0))
    for factor in (0.9, 1.1):
        yield f"{2 * factor:.1f} to 1", true.mean(axis=0) + (true - true.mean(axis=0)) * [factor, 1.0]
    yield "one point four times", np.repeat(true[:1], 4, axis=0)
    yield "on one line", np.array([[100.0, 100], [300, 100], [500, 100], [800, 100]])
    for seed in range(3):
        yield f"anywhere {seed}", np.random.default_rng(seed).uniform([20, 20], [940, 520], (4, 2))


def test_sixty_things_that_are_no_table_all_end_in_a_reason() -> None:
    """Either a failure with a reason, a refusal of the input, or a calibration that says why it is not good; one line each."""
    good_picture = paint(camera(), SPEC, cloth=CLOTHS[0])
    outcomes: dict[str, str] = {}
    for name, picture in pictures():
        found = calibrate_image(picture, SPEC)
        outcomes[name] = found.reason if isinstance(found, CalibrationFailure) else "; ".join(found.because)
    for name, corners in wrong_corners():
        try:
            made = calibrate_corners(corners, SIZE, SPEC, image=good_picture)
            outcomes[name] = made.reason if isinstance(made, CalibrationFailure) else "; ".join(made.because)
        except InputError as error:
            outcomes[name] = str(error)

    assert len(outcomes) >= 60
    assert [name for name, reason in outcomes.items() if not reason or "\n" in reason] == []
    assert all(len(reason.split()) >= 4 for reason in outcomes.values())


@pytest.mark.parametrize("order", [(3, 2, 1, 0), (1, 0, 3, 2)])
def test_corners_the_other_way_round_never_give_a_mirrored_table(order: tuple[int, ...]) -> None:
    """Given anticlockwise they are read the right way round: left stays left of a person who looks at the foot."""
    true = camera().to_pixels(list(Table(SPEC).corners_m().values()), height_m=SPEC.nose_height_m)[[0, 2, 3, 1]]
    made = calibrate_corners(true[list(order)], SIZE, SPEC, image=paint(camera(), SPEC, cloth=CLOTHS[0]))

    assert isinstance(made, Calibration)
    assert made.good
    assert np.linalg.det(made.camera.rotation) == pytest.approx(1.0)
