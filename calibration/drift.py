"""Does a picture still show the table as calibrated? Small and fast, for every second of a recording.

The frame of the table (rail, rubber, nose, pockets) never moves, whatever people and balls do. It is cut into blocks;
each block of the picture is compared with that of a reference by normalised correlation, which lamps and exposure do
not change. A person or a graphic spoils the blocks it covers, a cut to another view spoils nearly all, a nudged camera
all of them.

Fails: a block without any texture says nothing and is left out; a frozen picture matches for ever.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.solve import SIDES, side_points_m

Image = NDArray[np.uint8]

SAME_VIEW = 0.35
"""Share of blocks that must match: two people leaning over the table hide up to half, another view matches below 0.2."""
_BLOCKS = 8
"""Blocks a side."""
_ACROSS = 40
_ALONG = 48
"""Samples of a block."""
_ACROSS_M = (-0.06, 0.14)
"""From the bed beside the nose to the middle of the rail."""
_CORRELATION = 0.5
"""A block matches above it: the same rail under noise and other exposure stays above 0.7."""


def view_matches(calibration: Calibration, reference: Image, image: Image) -> float:
    """Share of the table's frame that looks as in the reference, 0 to 1; below `SAME_VIEW` it is another view.

    Args:
        calibration: Of the reference.
        reference: Shape (h, w, 3), BGR, showing the calibrated view.
        image: Shape (h, w, 3), BGR; another size means another view: 0.
    """
    return views_match(calibration, reference, [image])[0]


def views_match(calibration: Calibration, reference: Image, images: Sequence[Image]) -> list[float]:
    """`view_matches` of several pictures; where the frame lies in them is worked out once."""
    maps = _frame_maps(calibration)
    first = _blocks(reference, maps)
    return [_match(first, _blocks(image, maps)) if image.shape == reference.shape else 0.0 for image in images]


def _match(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    first_spread, second_spread = first.std(axis=(1, 2)), second.std(axis=(1, 2))
    told = first_spread > 4.0
    if not told.any():
        return 0.0
    product = ((first - first.mean(axis=(1, 2), keepdims=True)) * (second - second.mean(axis=(1, 2), keepdims=True))).mean(axis=(1, 2))
    correlation = product / np.maximum(first_spread * second_spread, 1e-6)
    return float((correlation[told] > _CORRELATION).mean())


def _frame_maps(calibration: Calibration) -> NDArray[np.float32]:
    spec = calibration.spec
    outward = np.linspace(*_ACROSS_M, _ACROSS)
    maps = []
    for side in SIDES:
        half = (spec.width_m if side in ("head", "foot") else spec.length_m) / 2
        along = np.linspace(-half, half, _BLOCKS * _ALONG)
        grid = side_points_m(side, np.repeat(along, _ACROSS), np.tile(outward, len(along)), spec)
        maps.append(calibration.camera.to_pixels(grid, height_m=spec.nose_height_m).reshape(-1, _ACROSS, 2))
    return np.concatenate(maps).astype(np.float32)


def _blocks(picture: Image, maps: NDArray[np.float32]) -> NDArray[np.float32]:
    sampled = cv2.remap(picture, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    grey = np.asarray(cv2.cvtColor(sampled, cv2.COLOR_BGR2GRAY), dtype=np.float32)
    return grey.reshape(len(SIDES) * _BLOCKS, _ALONG, _ACROSS)
