"""Focal length and lens distortion from pictures of a chessboard or ChArUco board (Zhang 2000, IEEE TPAMI 22(11)).

A ChArUco board (a chessboard with markers in its white squares) may be cut off by the picture's edge, so it reaches the
corners where distortion shows; its markers say which corner is which. Its layout is found from the pictures: markers of
the common dictionaries, and the number of squares that explains the ids seen.

Needs the board in at least five pictures, tilted different ways and out to the picture's corners: from flat, central
boards alone the focal length and the distortion are guesses, which the residual does not show.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from calibration.solve import Lens

Image = NDArray[np.uint8]

_BOARDS = ((9, 6), (8, 6), (8, 5), (7, 6), (7, 5), (10, 7), (11, 8), (6, 4), (7, 7), (6, 9), (6, 5), (13, 9))
"""Inner corners of common boards, the commonest first."""
_DICTIONARIES = (
    cv2.aruco.DICT_4X4_50,
    cv2.aruco.DICT_5X5_100,
    cv2.aruco.DICT_6X6_250,
    cv2.aruco.DICT_4X4_1000,
    cv2.aruco.DICT_5X5_1000,
    cv2.aruco.DICT_6X6_1000,
    cv2.aruco.DICT_ARUCO_ORIGINAL,
    cv2.aruco.DICT_7X7_250,
)
"""Markers of ChArUco boards, those of the usual generators first."""
_MARKERS_MIN, _CORNERS_MIN = 4, 6
"""Markers and corners that a picture must show to be used."""
_MARKER_SHARE = 0.75
"""Side of a marker over that of a square; printed boards have 0.6 to 0.8, and corners are refined in the picture anyway."""
_PICTURES_MIN = 5
_RESIDUAL_MAX_PX = 1.5
"""Root mean square reprojection error; a blurred or bent board gives more."""


def calibrate_lens(images: Sequence[Image]) -> tuple[Lens, float]:
    """The lens from pictures of one board, and the root mean square residual in pixels.

    Args:
        images: Each of shape (h, w, 3), BGR, one camera and size.

    Raises:
        InputError: If the sizes differ, fewer than five pictures show the board, or the fit is poor.
    """
    sizes = {image.shape[:2] for image in images}
    if len(sizes) > 1:
        raise InputError("--lens: the pictures differ in size; take them all with one camera setting")
    greys = [np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8) for image in images]
    height, width = greys[0].shape
    charuco, chess = _charuco(greys), _Views(flat=[], seen=[])
    if len(charuco.seen) < max(_PICTURES_MIN, len(greys) // 2):
        chess = _chessboard(greys)
    views = charuco if len(charuco.seen) >= len(chess.seen) else chess
    if len(views.seen) < _PICTURES_MIN:
        raise InputError(
            f"--lens: a chessboard or ChArUco board was found in {len(views.seen)} of {len(greys)} pictures, "
            f"at least {_PICTURES_MIN} are needed"
        )
    residual, matrix, distortion = cv2.calibrateCamera(views.flat, views.seen, (width, height), None, None)[:3]
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Views:
    """Board points, shape (N, 1, 3), and where each picture shows them, shape (N, 1, 2)."""

    flat: list[NDArray[np.float32]]
    seen: list[NDArray[np.float32]]


def _chessboard(greys: Sequence[Image]) -> _Views:
    board = (0, 0)
    found: list[NDArray[np.float32]] = []
    for candidate in _BOARDS:
        corners = [cv2.findChessboardCornersSB(grey, candidate) for grey in greys]
        seen = [np.asarray(points, dtype=np.float32).reshape(-1, 1, 2) for shown, points in corners if shown]
        if len(seen) > len(found):
            board, found = candidate, seen
        if len(found) >= max(_PICTURES_MIN, len(greys) // 2):
            break
    flat = np.zeros((board[0] * board[1], 1, 3), np.float32)
    flat[:, 0, :2] = np.mgrid[0 : board[0], 0 : board[1]].T.reshape(-1, 2)
    return _Views(flat=[flat] * len(found), seen=found)


def _charuco(greys: Sequence[Image]) -> _Views:
    """The ChArUco board that most pictures show; nothing where its markers are of no common dictionary."""
    best = _Views(flat=[], seen=[])
    for name in _DICTIONARIES:
        dictionary = cv2.aruco.getPredefinedDictionary(name)
        detector = cv2.aruco.ArucoDetector(dictionary)
        ids = [np.ravel(found) for found in (detector.detectMarkers(grey)[1] for grey in greys) if found is not None]
        if sum(len(own) >= _MARKERS_MIN for own in ids) < _PICTURES_MIN:
            continue
        markers = int(max(own.max() for own in ids)) + 1
        for columns, rows in _layouts(markers):
            for legacy in (False, True):
                views = _charuco_views(greys, dictionary, columns, rows, legacy=legacy)
                if sum(map(len, views.seen)) > sum(map(len, best.seen)):
                    best = views
        if best.seen:
            break
    return best


def _layouts(markers: int) -> list[tuple[int, int]]:
    """Columns and rows of boards with so many markers: every other square, the odd one without where the product is odd."""
    shapes = [(columns, rows) for columns in range(3, 21) for rows in range(3, 21) if columns * rows // 2 == markers]
    return sorted(shapes, key=lambda shape: abs(max(shape) / min(shape) - 1.4))


def _charuco_views(greys: Sequence[Image], dictionary: cv2.aruco.Dictionary, columns: int, rows: int, *, legacy: bool) -> _Views:
    """Corners as seen; only neighbouring corners that markers vouch for are given, so a wrong layout gives few or none."""
    board = cv2.aruco.CharucoBoard((columns, rows), 1.0, _MARKER_SHARE, dictionary)
    board.setLegacyPattern(legacy)
    detector = cv2.aruco.CharucoDetector(board)
    corners = np.asarray(board.getChessboardCorners(), dtype=np.float32).reshape(-1, 1, 3)
    views = _Views(flat=[], seen=[])
    for grey in greys:
        points, ids = detector.detectBoard(grey)[:2]
        if ids is None or len(np.ravel(ids)) < _CORNERS_MIN:
            continue
        chosen, place = np.ravel(ids), np.asarray(points, dtype=np.float32).reshape(-1, 1, 2)
        flat = corners[chosen]
        # A wrong layout puts corners on no common plane; a fit by a homography shows it at once.
        across, inside = cv2.findHomography(flat[:, 0, :2], place[:, 0], cv2.RANSAC, max(grey.shape) / 100)
        if across is not None and np.mean(inside) > 0.9 and np.linalg.matrix_rank(flat[:, 0, :2] - flat[0, 0, :2]) == 2:
            views.flat.append(flat)
            views.seen.append(place)
    return views
