"""What tracking hands on: the state of the table per frame and the history of each ball."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedBall:
    """One ball in one frame.

    Attributes:
        ball: Its name as known now (a name can be corrected later in the recording).
        position_m: (x, y), metres, table frame.
        velocity_mps: (vx, vy), metres per second.
        sigma_m: Standard deviation of the position per axis, metres.
        seen: True when measured in this frame, False when carried on.
        likelihood: Ball id to probability, all evidence so far. Read only.
    """

    ball: BallId
    position_m: tuple[float, float]
    velocity_mps: tuple[float, float]
    sigma_m: float
    seen: bool
    likelihood: Mapping[BallId, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """Every ball on the bed at one instant.

    Attributes:
        time_s: Middle of the exposure, seconds on the recording's clock.
        balls: Balls on the bed.
        handled: A person or cue covers part of the bed.
        usable: False in a bad interval (another view, a torn picture); `balls` is then what was carried on.
    """

    time_s: float
    balls: tuple[TrackedBall, ...]
    handled: bool = False
    usable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BallTrack:
    """One ball over time, a row per frame in which it is on the bed; frames without a row are frames not seen.

    Attributes:
        ball: Name.
        times_s: Shape (T,), seconds, increasing.
        positions_m: Shape (T, 2), metres.
        sigma_m: Shape (T,), metres per axis.
        seen: Shape (T,), True measured, False carried on.
    """

    ball: BallId
    times_s: FloatArray
    positions_m: FloatArray
    sigma_m: FloatArray
    seen: BoolArray

    def __post_init__(self) -> None:
        count = len(self.times_s)
        shapes = (self.times_s.shape, self.positions_m.shape, self.sigma_m.shape, self.seen.shape)
        if shapes != ((count,), (count, 2), (count,), (count,)):
            raise ValueError(f"track of {self.ball}: expected shapes (T,), (T, 2), (T,), (T,), found {shapes}")
        for array in (self.times_s, self.positions_m, self.sigma_m, self.seen):
            array.setflags(write=False)
