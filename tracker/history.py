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

    def between(self, from_s: float, to_s: float) -> "BallTrack | None":
        """The rows with from_s <= time <= to_s; None where there are none."""
        low, high = (int(i) for i in (np.searchsorted(self.times_s, from_s, "left"), np.searchsorted(self.times_s, to_s, "right")))
        if low >= high:
            return None
        return BallTrack(
            ball=self.ball,
            times_s=self.times_s[low:high],
            positions_m=self.positions_m[low:high],
            sigma_m=self.sigma_m[low:high],
            seen=self.seen[low:high],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackEnd:
    """How a ball's track ended, as evidence; what it means is for the event reader to say.

    Attributes:
        ball: Name.
        time_s: Last time it was measured on the bed.
        position_m: Last place on the bed, (x, y), metres.
        velocity_mps: Velocity there, (vx, vy).
        sigma_m: Standard deviation of the place per axis.
        resting: It was at rest there.
        pocket: The mouth its straight path enters within `TrackEnd.entry_s`; else the nearest one.
        pocket_distance_m: From the last place to the middle of that mouth.
        entry_s: Seconds after `time_s` at which the straight path crosses that mouth; None where it does not.
        hidden: Something covered the last place or the way to the mouth when it was last seen or just after.
        watched_s: For how long afterwards the last place and that mouth were in plain view.
        in_pocket: Pocket in which a ball that was not there before was seen afterwards; None where none was.
        in_pocket_s: When it was first seen there; None where it was not.
        off_table: It crossed a nose line outside the mouths, or was last seen beyond one.
        p_pocketed: Probability that it fell into `pocket`.
        p_off_table: Probability that it left the table elsewhere.
        p_hidden: Probability that it is still on the bed, covered or missed.
    """

    ball: BallId
    time_s: float
    position_m: tuple[float, float]
    velocity_mps: tuple[float, float]
    sigma_m: float
    resting: bool
    pocket: str
    pocket_distance_m: float
    entry_s: float | None
    hidden: bool
    watched_s: float
    in_pocket: str | None
    in_pocket_s: float | None
    off_table: bool
    p_pocketed: float
    p_off_table: float
    p_hidden: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BallIdentity:
    """How surely a track carries its name.

    Attributes:
        ball: The name given.
        probability: That the name is right, all evidence and "each ball once" together.
        others: Other names with at least 0.001, likeliest first, and their probabilities.
    """

    ball: BallId
    probability: float
    others: tuple[tuple[BallId, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClockReport:
    """What the rolling balls say about the file's time stamps.

    Attributes:
        times_s: Shape (T,), the stamps.
        spacing: Shape (T,), true time since the picture before over the stamps' difference; 1 where nothing speaks against
            it, 0 for a repeated picture.
        doubtful: At least two pictures whose stamps the balls contradict.
    """

    times_s: FloatArray
    spacing: FloatArray
    doubtful: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrackReport:
    """Everything known about a stretch of the recording.

    Attributes:
        tracks: One per ball that was on the bed.
        ends: One per ball whose track ends before the stretch does, with the evidence.
        identities: One per track.
        clock: What the stamps are worth.
    """

    tracks: tuple[BallTrack, ...]
    ends: tuple[TrackEnd, ...]
    identities: tuple[BallIdentity, ...]
    clock: ClockReport
