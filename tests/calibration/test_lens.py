"""The lens from pictures of a board whose camera is known."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.lens import calibrate_lens

Image = NDArray[np.uint8]
SIZE = (960, 720)
MATRIX = np.array([[820.0, 0, 489.5], [0, 820.0, 352.5], [0, 0, 1]])
TILTS = ((0.5, 0.0, 0.0), (-0.5, 0.1, 0.3), (0.1, 0.55, -0.2), (0.0, -0.5, 0.1), (0.4, 0.4, 0.2), (-0.35, -0.4, -0.3), (0.3, -0.5, 1.2))


def charuco() -> Image:
    """A board of 7 by 5 squares, 1400 x 1000 pixels."""
    board = cv2.aruco.CharucoBoard((7, 5), 1.0, 0.7, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100))
    return np.asarray(cv2.cvtColor(board.generateImage((1400, 1000)), cv2.COLOR_GRAY2BGR), dtype=np.uint8)


def chessboard() -> Image:
    """A board of 10 by 7 squares with a white rim."""
    squares = np.kron(np.indices((7, 10)).sum(axis=0) % 2, np.ones((100, 100))) * 255
    return np.asarray(cv2.cvtColor(np.pad(squares, 100, constant_values=255).astype(np.uint8), cv2.COLOR_GRAY2BGR), dtype=np.uint8)


def views(board: Image) -> list[Image]:
    """The board from seven sides by the camera `MATRIX`, on grey."""
    height, width = board.shape[:2]
    pictures = []
    for turn in TILTS:
        rotation = np.asarray(cv2.Rodrigues(np.array(turn))[0])
        flat = np.array([[1.0 / width, 0, -0.5], [0, 1.0 / width, -0.5 * height / width], [0, 0, 1]])
        pose = np.column_stack([rotation[:, :2], [0.03, 0.02, 1.15]])
        picture = cv2.warpPerspective(board, MATRIX @ pose @ flat, SIZE, flags=cv2.INTER_AREA, borderValue=(128, 128, 128))
        pictures.append(np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.7), dtype=np.uint8))
    return pictures


@pytest.mark.parametrize("board", [charuco(), pytest.param(chessboard(), marks=pytest.mark.slow)], ids=["charuco", "chessboard"])
def test_focal_length_and_axis_come_back(board: Image) -> None:
    """Within 1.5 % and 10 pixels of the camera that took the pictures, with a residual below half a pixel."""
    lens, residual = calibrate_lens(views(board))

    assert residual < 0.5
    assert lens.matrix[0, 0] == pytest.approx(820, rel=0.015)
    assert lens.matrix[:2, 2] == pytest.approx([489.5, 352.5], abs=10)


def test_pictures_without_a_board_are_refused() -> None:
    """The message says what was looked for and how many pictures are needed."""
    with pytest.raises(InputError, match="chessboard or ChArUco board was found in 0 of 5"):
        calibrate_lens([np.full((240, 320, 3), 90, np.uint8)] * 5)
