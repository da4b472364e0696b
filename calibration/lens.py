"""Focal length and lens distortion from pictures of a chessboard (Zhang 2000, IEEE TPAMI 22(11)).

Needs the board in at least five pictures, tilted different ways and out to the picture's corners: from flat, central
boards alone the focal length and the distortion are guesses, which the residual does not show.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.solve import Lens

Image = NDArray[np.uint8]

_BOARDS = ((9, 6), (8, 6), (8, 5), (7, 6), (7, 5), (10, 7), (11, 8), (6, 4), (7, 7), (6, 9), (6, 5), (13, 9))
"""Inner corners of common boards, the commonest first."""
_PICTURES_MIN = 5
_RESIDUAL_MAX_PX = 1.5
"""Root mean square reprojection error; a blurred or bent board gives more."""


def calibrate_lens(images: Sequence[Image]) -> tuple[Lens, float]:
    """The lens from chessboard pictures, and the root mean square residual in pixels.

    Args:
        images: Each of shape (h, w, 3), BGR, one camera and size.

    Raises:
        InputError: If the sizes differ, fewer than five pictures show the board, or the fit is poor.
    """
    sizes = {image.shape[:2] for image in images}
    if len(sizes) > 1:
        raise InputError("--lens: the pictures differ in size; take them all with one camera setting")
    greys = [cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) for image in images]
    board = (0, 0)
    found: list[NDArray[np.float32]] = []
    for candidate in _BOARDS:
        corners = [cv2.findChessboardCornersSB(grey, candidate) for grey in greys]
        seen = [np.asarray(points, dtype=np.float32).reshape(-1, 1, 2) for shown, points in corners if shown]
        if len(seen) > len(found):
            board, found = candidate, seen
        if len(found) >= max(_PICTURES_MIN, len(greys) // 2):
            break
    if len(found) < _PICTURES_MIN:
        raise InputError(f"--lens: a chessboard was found in {len(found)} of {len(greys)} pictures, at least {_PICTURES_MIN} are needed")
    flat = np.zeros((board[0] * board[1], 3), np.float32)
    flat[:, :2] = np.mgrid[0 : board[0], 0 : board[1]].T.reshape(-1, 2)
    height, width = greys[0].shape
    residual, matrix, distortion = cv2.calibrateCamera([flat] * len(found), found, (width, height), None, None)[:3]
    if residual > _RESIDUAL_MAX_PX:
        raise InputError(
            f"--lens: the board fits only to {residual:.1f} px, limit {_RESIDUAL_MAX_PX}; retake sharp pictures of a flat board"
        )
    lens = Lens(
        matrix=np.asarray(matrix, dtype=np.float64),
        distortion=np.asarray(distortion, dtype=np.float64).ravel()[:5],
        image_size_px=(width, height),
    )
    return lens, float(residual)
