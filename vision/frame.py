"""One picture of a recording or camera, and what its clock means."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """One picture.

    Attributes:
        index: Counted from 0 at the first frame shown; identifies, does not measure.
        time_s: Seconds since the first frame shown, on the container's or the camera's clock.
        image: Shape (H, W, 3), uint8, BGR. Read only.
        dropped_before: Frames known to be lost just before this one.
    """

    index: int
    time_s: float
    image: NDArray[np.uint8]
    dropped_before: int = 0
