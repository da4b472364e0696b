"""The outline of grey cloth, which runs on into other grey things: on drawn pictures of known corners."""

import cv2
import numpy as np

from calibration.cloth import STRICTNESS, Cloth, find_cloth

LEFT, TOP, RIGHT, BOTTOM = 120, 80, 520, 280
GREY = (140, 144, 138)


def _drawn(rail: tuple[int, int, int], floor: tuple[int, int, int]) -> np.ndarray:
    """640 x 360: cloth, a rail of 40 pixels round it, floor; with noise."""
    picture = np.full((360, 640, 3), floor, dtype=np.float64)
    picture[TOP - 40 : BOTTOM + 40, LEFT - 40 : RIGHT + 40] = rail
    picture[TOP:BOTTOM, LEFT:RIGHT] = GREY
    return picture + np.random.default_rng(3).normal(0, 2.0, picture.shape)


def _off_px(cloth: Cloth | None) -> float:
    """Distance of the farthest corner from the drawn one."""
    if cloth is None:
        return np.inf
    true = [(LEFT, TOP), (RIGHT, TOP), (RIGHT, BOTTOM), (LEFT, BOTTOM)]
    return max(float(np.hypot(*(cloth.quad_px - corner).T).min()) for corner in true)


def test_castings_at_the_corners_do_not_belong_to_the_cloth() -> None:
    """Squares of the cloth's own grey about the pockets, all round: the four sides are those of the cloth all the same."""
    picture = _drawn(rail=(40, 40, 90), floor=(60, 90, 110))
    for x, y in ((LEFT, TOP), (RIGHT, TOP), (RIGHT, BOTTOM), (LEFT, BOTTOM)):
        away = np.sign([x - 320, y - 180])
        middle = np.array([x, y]) + 9 * away
        (left, top), (right, bottom) = middle - 27, middle + 27
        picture[top:bottom, left:right] = GREY
        cv2.circle(picture, middle.tolist(), 17, (12, 12, 12), -1)
    seen = np.clip(picture, 0, 255).astype(np.uint8)

    assert _off_px(find_cloth(seen, STRICTNESS[1])) < 5.0


def test_cloth_floor_and_rails_of_one_grey_are_parted_by_their_lightness() -> None:
    """Rails and floor half as light as the cloth, all without colour: found where little lightness is allowed to differ."""
    seen = np.clip(_drawn(rail=(68, 70, 67), floor=(70, 72, 70)), 0, 255).astype(np.uint8)

    assert min(_off_px(find_cloth(seen, strictness)) for strictness in STRICTNESS) < 5.0
