"""What a film shows, as functions of its clock: where every ball is and how it is turned, and who stands where.

`passages.Passage` is one; whatever else has these names can be filmed by `video.write_recording` just as well.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from sample_videos.player import Pose

FloatArray = NDArray[np.float64]


class Play(Protocol):
    """Balls and people over time; every time is in seconds on the file's clock, 0 at the first picture."""

    @property
    def balls(self) -> tuple[BallId, ...]:
        """Every ball that is to be seen at some time."""

    @property
    def end_s(self) -> float:
        """How long there is something to show."""

    def centre(self, ball: BallId, time_s: float) -> FloatArray | None:
        """(x, y, z) of the centre, metres; z is one radius on the cloth, more in the air; None where it is out of sight."""

    def rotation(self, ball: BallId, time_s: float) -> FloatArray:
        """Ball to table, shape (3, 3)."""

    def is_on_bed(self, ball: BallId, time_s: float) -> bool:
        """False in a pocket, off the table, and while a hand lifts it off the cloth."""

    def people(self, time_s: float) -> list[tuple[int, Pose]]:
        """Which player (0, 1, ..) stands how; empty while nobody is at the table."""
