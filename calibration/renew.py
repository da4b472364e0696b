"""Calibrate again after the camera was moved: the same table, the same ends, from pictures taken since."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.automatic import CalibrationFailure, find_in_video
from calibration.calibration import Calibration
from calibration.ends import with_ends_swapped
from calibration.solve import Lens

Image = NDArray[np.uint8]


def recalibrate(before: Calibration, pictures: Iterable[Image], lens: Lens | None = None) -> Calibration | CalibrationFailure:
    """The calibration that replaces one whose camera was moved; only a good one may go on by itself.

    Head and foot keep their names: a nudge does not turn a table round, so the ends are named as lies nearer to before.

    Args:
        before: What held until the movement.
        pictures: Each of shape (h, w, 3), BGR, taken since, with nothing moving over the table.
        lens: Where the camera's is known.
    """
    found = find_in_video(pictures, before.spec, None, lens)
    if isinstance(found, CalibrationFailure):
        return found
    after = found.calibration
    if after.camera.image_size_px != before.camera.image_size_px:
        return CalibrationFailure(reason="the pictures have another size than before; calibrate anew")
    was, here, there = (np.array(list(c.corners_px().values())) for c in (before, after, with_ends_swapped(after)))
    nearest = after if np.abs(here - was).sum() <= np.abs(there - was).sum() else with_ends_swapped(after)
    return replace(nearest, foot_known=before.foot_known)
