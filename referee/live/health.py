"""Whether the camera still shows the table as it is: lost, frozen, grey, moved, restarted; pure, no clock of its own.

Two questions, kept apart:

    `CameraHealth`  what people are told; slow to say so, within two seconds
    `Gate`          which pictures the referee may look at; at once

Theory of the gate. A picture identical to the last bit of every pixel looked at is the same picture again: a sensor is
never that quiet. At rest that does no harm (a well packed film repeats itself), but while a ball rolls a repeated
picture would make it stand still, and a shot would be over that is not. So repeats are held back while something moves
fast enough to have moved on the picture, once they go on for longer than a film with doubled fields can; to the tracker
they are pictures missing. A grey picture (nothing was decoded) shows nothing and is held back always.

`Gate.unseen_s` says for how long nothing was seen. A shot under way is not judged from `NOT_JUDGED_S` on: a ball at 2 m/s
has crossed the table by then.

Fails: a camera that freezes while the table rests is told to people, but a stroke played meanwhile is only noticed by its layout.
"""

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LOST_S = 1.0
"""No picture for this long is a lost camera: the issue asks for two seconds, and a hiccup of a network lasts half of one."""
FROZEN_S = 1.2
"""The same picture for this long is a frozen one."""
GREY_S = 0.4
"""Grey for this long is told; a single grey picture at the start of a stream is nothing."""
SHOWN_S = 5.0
"""How long a restart is shown after it, seconds."""
GREY_SPREAD = 6.0
"""Standard deviation of brightness, of 255, below which a picture shows nothing: a table has 30 and more, an empty decode 0 to 2."""
REPEAT_S = 0.1
"""Repeats shorter than this are doubled fields or a film at half its rate."""
FAST_MPS = 0.05
"""A ball this fast moves 5 mm, some pixels, within `REPEAT_S`; slower ones may look the same twice in a packed film."""
NOT_JUDGED_S = 1.0
"""A shot of which this much was not seen is not judged; shorter gaps leave it less sure."""
_STEP_PX = 8
"""Every so many pixels one is looked at: 32 000 of 1080p, 0.1 ms."""

STATUSES = ("starting", "ok", "lost", "frozen", "grey", "moved", "restarted", "ended")


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture looks like, for telling the same from another.

    Attributes:
        digest: Equal only for pictures that are the same.
        spread: Standard deviation of brightness.
    """

    digest: int
    spread: float

    @property
    def is_grey(self) -> bool:
        """It shows nothing."""
        return self.spread < GREY_SPREAD


def look_at(image: NDArray[np.uint8]) -> Look:
    """The look of a picture of shape (h, w, 3), BGR."""
    green = np.ascontiguousarray(image[_STEP_PX // 2 :: _STEP_PX, _STEP_PX // 2 :: _STEP_PX, 1])
    return Look(digest=zlib.crc32(green.tobytes()), spread=float(green.std()))


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraStatus:
    """How the camera is.

    Attributes:
        kind: One of `STATUSES`.
        since_s: When that began, on the clock of the arrivals.
    """

    kind: str
    since_s: float


class CameraHealth:
    """What to tell people about the camera; same pictures and times, same words."""

    def __init__(self, start_s: float) -> None:
        """A camera that has shown nothing yet."""
        self._last_s: float | None = None
        self._start_s = start_s
        self._look: Look | None = None
        self._same_since_s = start_s
        self._grey_since_s: float | None = None
        self._restarted_s: float | None = None
        self._ended = self._moved = False
        self._status = CameraStatus(kind="starting", since_s=start_s)

    def picture(self, arrival_s: float, look: Look, *, restarted: bool = False) -> None:
        """A picture came."""
        if self._look is None or look.digest != self._look.digest:
            self._same_since_s = arrival_s
        self._grey_since_s = None if not look.is_grey else arrival_s if self._grey_since_s is None else self._grey_since_s
        self._restarted_s = arrival_s if restarted else self._restarted_s
        self._look, self._last_s = look, arrival_s

    def moved(self, *, moved: bool) -> None:
        """The camera does not stand where it was calibrated, or does again."""
        self._moved = moved

    def end(self) -> None:
        """The recording is over; there will be no more pictures."""
        self._ended = True

    def status(self, now_s: float) -> CameraStatus:
        """How it is at `now_s`."""
        kind = self._kind(now_s)
        if kind != self._status.kind:
            self._status = CameraStatus(kind=kind, since_s=now_s)
        return self._status

    def _kind(self, now_s: float) -> str:
        if self._ended:
            return "ended"
        if self._last_s is None:
            return "starting" if now_s - self._start_s <= LOST_S else "lost"
        if now_s - self._last_s > LOST_S:
            return "lost"
        if self._grey_since_s is not None and now_s - self._grey_since_s > GREY_S:
            return "grey"
        if self._grey_since_s is None and now_s - self._same_since_s > FROZEN_S:
            return "frozen"
        if self._moved:
            return "moved"
        return "restarted" if self._restarted_s is not None and now_s - self._restarted_s <= SHOWN_S else "ok"


class Gate:
    """Which pictures the referee may look at; same pictures in the same order, same answers."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self._look: Look | None = None
        self._new_s: float | None = None
        self._fast: bool | None = None
        self._admitted_s: float | None = None

    def unseen_s(self, time_s: float) -> float:
        """For how long nothing has been looked at, seconds."""
        return 0.0 if self._admitted_s is None else time_s - self._admitted_s

    def admits(self, time_s: float, look: Look, fastest_mps: float) -> bool:
        """Whether to look at the next picture.

        Args:
            time_s: Its time.
            look: What it looks like.
            fastest_mps: Speed of the fastest ball when it was last looked.
        """
        if look.is_grey:
            self._look = look
            return False
        if self._look is None or look.digest != self._look.digest or self._new_s is None:
            self._look, self._new_s, self._fast = look, time_s, None
        else:
            if self._fast is None:  # how fast it was in the picture itself: its repeats make everything stand still
                self._fast = fastest_mps > FAST_MPS
            if self._fast and time_s - self._new_s >= REPEAT_S:
                return False
        self._admitted_s = time_s
        return True
