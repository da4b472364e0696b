"""A cue seen from above: strips of wood with a ferrule, a joint and a wrapped butt, and a mechanical bridge."""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from sample_videos.ball_sets import Colour, from_srgb
from sample_videos.layers import Box
from sample_videos.looks import encode
from sample_videos.player import PlayerLook, Pose
from sample_videos.posture import CUE_M, cue_line, step_back

FloatArray = NDArray[np.float64]
Float32 = NDArray[np.float32]
Bytes = NDArray[np.uint8]

_SHIFT = 4
_PIECES = (
    (0.0, 0.008, 0.0056, 0.0058, "tip"),
    (0.008, 0.030, 0.0060, 0.0061, "ferrule"),
    (0.030, 0.735, 0.0061, 0.0100, "shaft"),
    (0.735, 0.760, 0.0102, 0.0104, "joint"),
    (0.760, 0.960, 0.0104, 0.0120, "butt"),
    (0.960, 1.260, 0.0122, 0.0145, "wrap"),
    (1.260, CUE_M, 0.0145, 0.0155, "butt"),
)
"""From, to along the cue, radius at both ends, metres; pool cues are 1.46 m long, 12 to 13 mm at the tip, 31 mm at the butt."""


def cue_box(camera: CameraModel, pose: Pose) -> Box:
    """The pixels that a cue may touch."""
    tip, way = cue_line(pose)
    ends = np.array([tip, tip + way * CUE_M])
    pixels = camera.to_pixels(ends[:, :2], height_m=ends[:, 2])
    if not np.isfinite(pixels).all():
        return Box(left=0, top=0, right=0, bottom=0)
    low, high = pixels.min(axis=0) - 16, pixels.max(axis=0) + 17
    return Box(left=int(low[0]), top=int(low[1]), right=int(high[0]), bottom=int(high[1]))


def paint_cue(piece: Bytes, covered: Bytes, outer: Box, camera: CameraModel, look: PlayerLook, pose: Pose, gain: Float32) -> None:
    """Paint the cue of a pose over a piece of picture (h, w, 3) at `outer`, and mark with 1 what it hides, both in place."""
    tip, way = cue_line(pose)
    colours = {
        "tip": from_srgb(60, 110, 160),
        "ferrule": from_srgb(235, 232, 222),
        "shaft": look.cue,
        "joint": from_srgb(170, 165, 150),
        "butt": look.butt,
        "wrap": from_srgb(38, 36, 36),
    }
    ends = np.concatenate([[tip + way * start, tip + way * end] for start, end, *_ in _PIECES])
    seen = _project(camera, ends)
    if seen is None:
        return
    for k, (_, _, thin, thick, name) in enumerate(_PIECES):
        _strip(piece, covered, outer, seen[0][2 * k : 2 * k + 2], seen[1][2 * k : 2 * k + 2] * (thin, thick), colours[name], gain)
    if pose.rest:
        _paint_rest(piece, covered, outer, camera, pose, gain)


def _paint_rest(piece: Bytes, covered: Bytes, outer: Box, camera: CameraModel, pose: Pose, gain: Float32) -> None:
    """A mechanical bridge: a stick beside the cue that ends in a crosspiece below it."""
    back = -np.array([np.cos(pose.direction), np.sin(pose.direction), 0.0])
    side = np.array([-back[1], back[0], 0.0])
    head = np.array([*pose.bridge_m, 0.03]) + step_back(pose)
    brass, wood = from_srgb(190, 160, 90), from_srgb(120, 80, 50)
    seen = _project(camera, np.array([head, head + back * 1.5 + side * 0.12, head - side * 0.05, head + side * 0.05]))
    if seen is not None:
        _strip(piece, covered, outer, seen[0][:2], seen[1][:2] * (0.011, 0.014), wood, gain)
        _strip(piece, covered, outer, seen[0][2:], seen[1][2:] * (0.009, 0.009), brass, gain)


def _project(camera: CameraModel, points_m: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Pixels of points (N, 3) and pixels a metre there; None where any is out of sight."""
    beside = np.concatenate([points_m, points_m + np.array([0.01, 0.0, 0.0])])
    pixels = camera.to_pixels(beside[:, :2], height_m=beside[:, 2])
    if not np.isfinite(pixels).all():
        return None
    count = len(points_m)
    return pixels[:count], np.linalg.norm(pixels[count:] - pixels[:count], axis=1) / 0.01


def _strip(piece: Bytes, covered: Bytes, outer: Box, pixels: FloatArray, widths: FloatArray, colour: Colour, gain: Float32) -> None:
    """A round bar: dark at its sides, lighter along the middle, with a line of light."""
    axis = pixels - (outer.left, outer.top)
    along = axis[1] - axis[0]
    across = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-6)
    base = np.array(colour, np.float32) * gain
    for share, shift, tone in ((1.0, 0.0, 0.45), (0.72, 0.05, 0.85), (0.36, 0.12, 1.15)):
        sides = [axis[k] + across * widths[k] * (shift + sign * share) for k, sign in ((0, 1), (1, 1), (1, -1), (0, -1))]
        corners = np.round(np.array(sides) * 2**_SHIFT).astype(np.int32)
        low, high = corners.min(axis=0) >> _SHIFT, corners.max(axis=0) >> _SHIFT
        if high.min() < 0 or low[0] > piece.shape[1] or low[1] > piece.shape[0]:
            return
        shown = encode((base * np.float32(tone))[None])[0]
        cv2.fillConvexPoly(piece, corners, [float(c) for c in shown], cv2.LINE_AA, _SHIFT)
        if share == 1.0:
            cv2.fillConvexPoly(covered, corners, 1, cv2.LINE_8, _SHIFT)
