"""Cameras of every kind as pictures with a stamp and an arrival: USB, network, and a file played at its own pace.

The only module of the live half that opens a camera. A camera's address may hold a password and a hall's layout: it is
never put into a message; errors say "the camera".

A file is read by `vision.capture` and paced by its own time stamps; `Pace` is handed in, so that a test plays it as fast
as it can be judged. A file's picture arrives when it is due, so that its stamps and arrivals agree.

CameraLost   no picture came, or the camera cannot be opened; try again
"""

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from threading import Event, Lock
from time import monotonic
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from vision.capture import open_video

OPEN_MS = 4000
"""How long a network camera may take to open: RTSP negotiates for one to three seconds."""
READ_MS = 1500
"""How long a picture may take: after that the camera is lost, and opening it again is quicker than waiting."""
AHEAD_S = 0.2
"""How far time runs on beyond the last picture of a recording that waits to be judged, seconds."""
MJPG = cv2.VideoWriter.fourcc(*"MJPG")
"""JPEGs over a network carry no stamps: what the decoder says is its own count at 25 a second."""
WEB_SCHEMES = ("http://", "https://")
SCHEMES = (*WEB_SCHEMES, "rtsp://", "rtsps://", "rtmp://", "udp://", "tcp://", "srt://", "rtp://")


class CameraLost(OSError):
    """No picture comes from the camera."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Captured:
    """One picture as it came.

    Attributes:
        image: Shape (h, w, 3), uint8, BGR. Read only.
        stamp_s: The camera's own stamp, seconds from anywhere; None where it gives none.
        arrival_s: When it was here, seconds on a clock that never goes back.
    """

    image: NDArray[np.uint8]
    stamp_s: float | None
    arrival_s: float


class Pace(Protocol):
    """When the pictures of a file are handed on."""

    def now_s(self) -> float:
        """Seconds on a clock that never goes back."""
        ...

    def wait_until(self, due_s: float) -> bool:
        """Wait until then; False where everything stops."""
        ...

    def run_on(self) -> None:
        """The recording is over."""
        ...


class OwnPace:
    """As the recording ran, whether its pictures can be judged in time or not."""

    def __init__(self, stop: Event) -> None:
        """Waiting ends when `stop` is set."""
        self._stop = stop

    def now_s(self) -> float:
        """The machine's clock."""
        return monotonic()

    def wait_until(self, due_s: float) -> bool:
        """Wait until then; False where everything stops."""
        return not self._stop.wait(max(0.0, due_s - monotonic()))

    def run_on(self) -> None:
        """Time goes on anyway."""


class WaitingPace:
    """As the recording ran, but never faster than it is judged: time stands still while the judging catches up."""

    def __init__(self, stop: Event) -> None:
        """Waiting ends when `stop` is set."""
        self._stop, self._lock = stop, Lock()
        self._slip_s, self._now_s, self._due_s = monotonic(), 0.0, 0.0

    def now_s(self) -> float:
        """Seconds that have been played, at most a moment beyond the last picture."""
        with self._lock:
            self._now_s = max(self._now_s, min(monotonic() - self._slip_s, self._due_s + AHEAD_S))
            return self._now_s

    def wait_until(self, due_s: float) -> bool:
        """Wait until then; where then is past, it is now."""
        if self._stop.wait(max(0.0, due_s + self._slip_s - monotonic())):
            return False
        with self._lock:
            self._slip_s = max(self._slip_s, monotonic() - due_s)
            self._now_s, self._due_s = max(self._now_s, due_s), due_s
        return True

    def run_on(self) -> None:
        """The recording is over: time goes on without it."""
        with self._lock:
            self._due_s = inf


class NoPace:
    """As fast as the pictures are taken: time is what the file says."""

    def __init__(self) -> None:
        """At the file's beginning."""
        self._now_s = 0.0

    def now_s(self) -> float:
        """The stamp of the last picture handed on."""
        return self._now_s

    def wait_until(self, due_s: float) -> bool:
        """It is then now."""
        self._now_s = max(self._now_s, due_s)
        return True

    def run_on(self) -> None:
        """Time stands still."""


class Camera(Protocol):
    """Something that gives pictures until it is lost or over."""

    @property
    def is_file(self) -> bool:
        """A recording, which ends, and goes on where it was left."""
        ...

    def pictures(self, from_s: float) -> Iterator[Captured]:
        """Open it and give its pictures; a recording from `from_s` on.

        Raises:
            CameraLost: If no picture comes any more, or it cannot be opened.
        """
        ...


class FileCamera:
    """A recording in a camera's place."""

    is_file = True

    def __init__(self, path: Path, pace: Pace) -> None:
        """Play that file at that pace."""
        self._path, self._pace = path, pace

    def pictures(self, from_s: float) -> Iterator[Captured]:
        """Its pictures, each when it is due; what lies before `from_s` is left out."""
        start_s = self._pace.now_s()
        with open_video(self._path) as source:
            source.skip_to(from_s)
            for frame in source:
                due_s = start_s + frame.time_s - from_s
                if not self._pace.wait_until(due_s):
                    return
                yield Captured(image=frame.image, stamp_s=frame.time_s, arrival_s=due_s)
        self._pace.run_on()


class StreamCamera:
    """A USB or network camera, through OpenCV."""

    is_file = False

    def __init__(self, address: int | str, stop: Event, *, size_px: tuple[int, int] | None = None) -> None:
        """A camera by its number or address.

        Args:
            address: Number of a USB camera, or an address that OpenCV opens.
            stop: Ends it.
            size_px: (width, height) to ask a USB camera for; it may give another.
        """
        self._address, self._stop, self._size_px = address, stop, size_px

    def pictures(self, from_s: float) -> Iterator[Captured]:
        """Its pictures as they come.

        Raises:
            CameraLost: If it cannot be opened, or a picture does not come within `READ_MS`.
        """
        capture = self._open()
        try:
            finite = isinstance(self._address, str) and self._address.startswith(WEB_SCHEMES) and capture.get(cv2.CAP_PROP_FRAME_COUNT) > 0
            start_s, first_s = monotonic(), None
            stamped = isinstance(self._address, int) or capture.get(cv2.CAP_PROP_FOURCC) != MJPG
            while not self._stop.is_set():
                try:
                    read, image = capture.read()
                except cv2.error:
                    read, image = False, None
                if not read or image is None:
                    raise CameraLost("no picture comes from the camera")
                stamp = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000.0
                stamp_s = stamp if stamped and isfinite(stamp) and stamp > 0 else None
                if finite and stamp_s is not None:  # a whole film behind an address comes as fast as it is read
                    first_s = stamp_s if first_s is None else first_s
                    if self._stop.wait(max(0.0, start_s + stamp_s - first_s - monotonic())):
                        return
                picture = np.asarray(image, dtype=np.uint8)
                picture.setflags(write=False)
                yield Captured(image=picture, stamp_s=stamp_s, arrival_s=monotonic())
        finally:
            capture.release()

    def _open(self) -> cv2.VideoCapture:
        if isinstance(self._address, int):
            capture = cv2.VideoCapture(self._address)
            capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # raw 1080p does not fit through USB 2
            for name, value in zip((cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT), self._size_px or (1920, 1080), strict=True):
                capture.set(name, value)
            capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        else:
            waits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_MS]
            capture = cv2.VideoCapture(self._address, cv2.CAP_FFMPEG, waits)
        if not capture.isOpened():
            capture.release()
            raise CameraLost("the camera cannot be opened")
        return capture


def open_camera(given: str, stop: Event, *, pace: Pace | None = None, size_px: tuple[int, int] | None = None) -> Camera:
    """The camera that a person named: a number, an address, or a file.

    Raises:
        InputError: If it is none of these, or the file is no video; an address is not repeated in the message.
    """
    if given.isdecimal():
        return StreamCamera(int(given), stop, size_px=size_px)
    if "://" in given:
        if not given.lower().startswith(SCHEMES):
            raise InputError(f"--camera: an address must begin with one of {', '.join(SCHEMES)}")
        return StreamCamera(given, stop, size_px=size_px)
    path = Path(given)
    if path.exists() and not path.is_dir() and not stat.S_ISREG(path.stat().st_mode):
        return StreamCamera(given, stop, size_px=size_px)  # a device or a pipe
    with open_video(path):  # refuses what is no video, before anything else is started
        return FileCamera(path, pace or OwnPace(stop))
