"""What the eyes hand on: balls seen in one picture and what was covered."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """One ball seen in one picture.

    Attributes:
        position_m: (x, y) of the centre, metres, table frame, in the plane one radius above the cloth.
        sigma_m: Honest standard deviation per axis, metres.
        score: How surely it is a ball, 0 to 1.
        px: (x, y) of the centre in the picture as decoded; None where it came from a file without pixels.
        likelihood: Ball id to probability of that name by looks alone, adds up to 1; empty where unnamed. Read only.
        streak_m: ((x, y), (x, y)) ends of the centre's path during the exposure where blurred, else None.
    """

    position_m: tuple[float, float]
    sigma_m: float
    score: float
    px: tuple[float, float] | None = None
    likelihood: Mapping[BallId, float] = field(default_factory=dict)
    streak_m: tuple[tuple[float, float], tuple[float, float]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Observation:
    """All that one picture shows of the table.

    Attributes:
        time_s: Middle of the exposure where known, seconds on the recording's clock.
        detections: Balls seen.
        occluded: Shape (h, w), bool, True where a person, cue or graphic hides the bed; axis order (row, column) with
            row 0 at y = +W/2 (left cushion) and column 0 at x = -L/2 (head). None when not known.
        usable: False when the picture does not show the table as calibrated (another view, a torn picture).
        why: One line where not usable.
    """

    time_s: float
    detections: tuple[Detection, ...]
    occluded: NDArray[np.bool_] | None = None
    usable: bool = True
    why: str = ""

    def is_hidden(self, position_m: tuple[float, float], length_m: float, width_m: float) -> bool:
        """True where something covers the bed at (x, y); False outside the bed or when not known."""
        if self.occluded is None:
            return False
        rows, columns = self.occluded.shape
        column = int((position_m[0] / length_m + 0.5) * columns)
        row = int((0.5 - position_m[1] / width_m) * rows)
        return 0 <= row < rows and 0 <= column < columns and bool(self.occluded[row, column])
