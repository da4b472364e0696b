"""Pictures for people: the camera as it is now, and of each shot a still and a short clip; none of it decides anything.

A thread makes a small JPEG of the newest picture, about `LIVE_HZ` times a second while somebody watches and `KEPT_HZ` otherwise, and keeps
the last `KEPT_S` seconds. When a shot has been judged, the kept pictures of it are drawn over as in the annotated video and
written beside their names, then renamed: what a page can ask for is whole.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from threading import Condition, Event, Lock, Thread
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from referee.annotate import Overlay
from referee.pipeline import ShotUpdate
from referee.video_file import AnnotatedWriter

Image = NDArray[np.uint8]

SIZE_PX = (1280, 720)
"""Largest live picture."""
QUALITY = 75
"""JPEG quality of the live picture: 90 kB, 2.5 ms."""
LIVE_HZ = 30.0
KEPT_HZ = 12.5
"""Pictures kept a second: half of a 25 Hz camera's, enough to see who was first; 12.5 x 30 s x 90 kB are 34 MB."""
KEPT_S = 30.0
"""Longest clip; a longer shot keeps its end."""
LEAD_S = 0.8
"""A clip begins this long before the strike."""
STILL, CLIP = "still.jpg", "clip.mp4"


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """One kept picture."""

    time_s: float
    jpeg: bytes


class Pictures:
    """The newest picture for the pages, and the last seconds for clips; used from several threads.

    Attributes:
        sparing: Balls have stopped and a shot is being read: `KEPT_HZ` of pictures will do, the reading has the processor.
    """

    def __init__(self) -> None:
        """No picture yet."""
        self._condition = Condition()
        self._newest: tuple[Image, float] | None = None
        self._given = 0
        self._jpeg: tuple[int, bytes, float] | None = None
        self._kept: deque[Kept] = deque()
        self._viewers = 0
        self.sparing = False
        self._stop = Event()
        self._listeners: set[Callable[[], None]] = set()
        self._lock = Lock()

    def offer(self, image: Image, time_s: float) -> None:
        """The newest picture; costs nothing, it is made small elsewhere."""
        with self._condition:
            self._newest, self._given = (image, time_s), self._given + 1
            self._condition.notify_all()

    def run(self) -> None:
        """Make pictures small until `close`; in a thread of its own."""
        done, shown_s, kept_s = 0, -1.0, -1.0
        while not self._stop.is_set():
            with self._condition:
                if self._given == done:
                    self._condition.wait(0.2)
                if self._newest is None or self._given == done:
                    continue
                (image, time_s), done = self._newest, self._given
            is_due = self._viewers > 0 and not self.sparing and not shown_s <= time_s < shown_s + 0.8 / LIVE_HZ
            keeps = not kept_s <= time_s < kept_s + 0.9 / KEPT_HZ
            if not (is_due or keeps):
                continue
            jpeg = encode(shrunk(image))
            shown_s = time_s
            with self._lock:
                self._jpeg = (done, jpeg, time_s)
                if keeps:
                    kept_s = time_s
                    self._keep(Kept(time_s, jpeg))
                listeners = self._listeners
            for listener in listeners:
                listener()

    def close(self) -> None:
        """End the thread."""
        self._stop.set()

    def listen(self, listener: Callable[[], None]) -> None:
        """A page watches; the function is called with each new picture, from another thread."""
        with self._lock:
            self._listeners, self._viewers = {*self._listeners, listener}, self._viewers + 1

    def forget(self, listener: Callable[[], None]) -> None:
        """It watches no more."""
        with self._lock:
            self._listeners, self._viewers = self._listeners - {listener}, self._viewers - 1

    @property
    def viewers(self) -> int:
        """How many pages watch."""
        with self._lock:
            return self._viewers

    def newest(self) -> tuple[int, bytes, float] | None:
        """Number, JPEG and time of the newest picture."""
        with self._lock:
            return self._jpeg

    def between(self, from_s: float, to_s: float) -> list[Kept]:
        """The kept pictures between two times."""
        with self._lock:
            return [kept for kept in self._kept if from_s <= kept.time_s <= to_s]

    def _keep(self, kept: Kept) -> None:
        if self._kept and kept.time_s < self._kept[-1].time_s:
            self._kept.clear()
        self._kept.append(kept)
        while self._kept[0].time_s < kept.time_s - KEPT_S:
            self._kept.popleft()


class ShotMedia:
    """Stills and clips in a folder, `N/still.jpg` and `N/clip.mp4`, written by a thread after the shot."""

    def __init__(self, folder: Path, pictures: Pictures, calibration: Calibration, on_written: Callable[[], None]) -> None:
        """Write into that folder, made if missing; `on_written` is called after each shot."""
        self._folder, self._pictures, self._calibration, self._on_written = folder, pictures, calibration, on_written
        self._due: Queue[ShotUpdate | None] = Queue()
        self._thread = Thread(target=self._run, name="shot media", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def shot_judged(self, update: ShotUpdate) -> None:
        """Make its still and clip in time."""
        self._due.put(update)

    def close(self) -> None:
        """Finish what is due and end."""
        self._due.put(None)
        if self._thread.is_alive():
            self._thread.join(20.0)

    def files(self, number: int) -> frozenset[str]:
        """What there is of a shot."""
        return files_of(self._folder, number)

    def _run(self) -> None:
        while True:
            try:
                update = self._due.get(timeout=0.5)
            except Empty:
                continue
            if update is None:
                return
            try:
                if self._write(update):
                    self._on_written()
            except (OSError, cv2.error):
                continue  # a full disk costs a clip, not the match

    def _write(self, update: ShotUpdate) -> bool:
        shot = {**update.shot.to_dict(), **update.ruling.to_dict()}
        kept = self._pictures.between(update.shot.start_s - LEAD_S, update.shot.end_s + 0.3)
        if not kept:
            return False
        folder = self._folder / str(update.shot.number)
        folder.mkdir(parents=True, exist_ok=True)
        write_media(folder, kept, update, shot, self._calibration)
        return True


def write_media(folder: Path, kept: Sequence[Kept], update: ShotUpdate, shot: dict[str, Any], calibration: Calibration) -> None:
    """Write still and clip of a shot from its pictures."""
    first = decode(kept[0].jpeg)
    size = (first.shape[1], first.shape[0])
    decisive_s = _decisive_s(shot)
    still = min(kept, key=lambda item: abs(item.time_s - decisive_s))
    with AnnotatedWriter(folder / CLIP, size, KEPT_HZ) as writer:
        overlay = Overlay(calibration, update.tracks, [shot], size_px=writer.size_px)
        for item in kept:
            image = writer.shrink(decode(item.jpeg))
            overlay.draw(image, item.time_s)
            writer.write(image, item.time_s - kept[0].time_s)
            if item is still:
                partial = folder / f"{STILL}.part"
                partial.write_bytes(encode(image))
                partial.replace(folder / STILL)


def files_of(folder: Path, number: int) -> frozenset[str]:
    """Which files there are of a shot."""
    return frozenset(name for name in (STILL, CLIP) if (folder / str(number) / name).is_file())


def shrunk(image: Image) -> Image:
    """The picture at most `SIZE_PX`."""
    scale = min(1.0, SIZE_PX[0] / image.shape[1], SIZE_PX[1] / image.shape[0])
    if scale == 1.0:
        return image
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def encode(image: Image) -> bytes:
    """A JPEG file."""
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return bytes(data.tobytes())


def decode(jpeg: bytes) -> Image:
    """The picture of a JPEG file, BGR."""
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), cv2.IMREAD_COLOR), dtype=np.uint8)


def _decisive_s(shot: dict[str, Any]) -> float:
    """The cue ball's first contact, else the strike."""
    for event in shot["events"]:
        if event["type"] == "ball_ball" and shot["cue_ball"] in (event.get("a"), event.get("b")):
            return float(shot["start_s"]) + float(event["t"])
    return float(shot["start_s"])
