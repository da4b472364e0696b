"""Recordings from outside: the only module that opens videos.

Theory: OpenCV decodes; `CAP_PROP_POS_MSEC` after a read is the time stamp of the picture just read (the container's
own, also with variable frame rate), re-based to the first picture shown. Where a container has no usable stamps
(raw streams, some AVIs give 0 throughout) the stated rate takes their place, which is what such a file means.

Known failures: a file torn in the middle decodes up to the tear and then stops without an error. In MP4 and its kin a
box then reaches beyond the end of the file, which is exact; in other containers the last stamp is compared with the
stated length. (In MP4 that would not do: with an edit list the header counts many more pictures than are shown.)

InputError   The file cannot be used as a video; the message says what, where and what to do.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import InputError
from vision.frame import Frame

Picture = NDArray[np.uint8]

_TORN_SHARE = 0.03
"""Missing share of the stated pictures above which a recording is called torn: edit lists hide up to a second of a
minute (1.7 %), a torn download lacks far more. Lower calls whole files torn, higher hides a lost end."""
_TORN_LEAST_S = 0.5
"""And at least this much must be missing, seconds: the last group of pictures of a short file may not be shown."""
_JUMP_BEFORE_S = 5.0
"""A jump lands this long before its target, seconds: containers count pictures where they should count time, and err by some."""
SAMPLES = 24
"""Pictures that a table is found in: players have moved on in half of them; more cost time and memory only."""
_SEEK_FRAMES = 150
"""Pictures between two samples from which on seeking pays: a seek decodes from the key picture before, which is up to
ten seconds back in usual files."""
_ISO_FIRST_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot", b"styp")
_VIDEO_HINT = "give a video that plays (for instance .mp4, .mkv, .avi)"


class VideoSource:
    """A recording as frames, in order, once.

    Attributes:
        path: The file.
        image_size_px: (width, height) of the first picture.
        rate_hz: Stated mean rate, pictures a second; 0.0 where the file states none.
        frame_count: Stated number of pictures, an estimate; 0 where the file states none.
        torn: One line on why the recording ends early, empty while it has not or where it is whole.
    """

    def __init__(self, path: Path) -> None:
        """Open a recording and decode its first picture.

        Raises:
            InputError: If the file is missing, empty, no video, or has no picture that decodes.
        """
        self.path = path
        _refuse_non_files(path)
        os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")  # The decoder's own lines would drown the one that counts.
        self._capture = cv2.VideoCapture(os.fspath(path))
        if not self._capture.isOpened():
            raise InputError(f"{path}: not a video, or one whose picture stream cannot be read; {_VIDEO_HINT}")
        self.rate_hz = max(float(self._capture.get(cv2.CAP_PROP_FPS)), 0.0)
        self.frame_count = max(int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT)), 0)
        self.torn = ""
        self._origin_ms: float | None = None
        self._first = self._read()
        if self._first is None:
            self._capture.release()
            raise InputError(f"{path}: no picture in this video can be decoded; it is cut off or damaged, {_VIDEO_HINT}")
        height, width = self._first[0].shape[:2]
        self.image_size_px = (int(width), int(height))

    @property
    def duration_s(self) -> float:
        """Stated length, seconds, an estimate for progress; 0.0 where unknown."""
        return self.frame_count / self.rate_hz if self.rate_hz > 0 else 0.0

    def __enter__(self) -> "VideoSource":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._capture.release()

    def __iter__(self) -> Iterator[Frame]:
        """Frames in the order shown, time stamps never falling; `torn` is set when they end too early."""
        picture = self._first
        origin_ms = self._origin_ms if self._origin_ms is not None else picture[1] if picture else 0.0
        self._first = None
        index, last_s = 0, 0.0
        while picture is not None:
            image, stamp_ms = picture
            time_s = (stamp_ms - origin_ms) / 1000.0
            if index and time_s <= last_s:
                time_s = last_s + (1.0 / self.rate_hz if self.rate_hz > 0 else 1.0 / 25.0)
            image.setflags(write=False)
            yield Frame(index=index, time_s=time_s, image=image)
            index, last_s = index + 1, time_s
            picture = self._read()
        self._judge_end(index, last_s)
        self.close()

    def skip_to(self, time_s: float) -> None:
        """Have the iteration begin at the first picture at or after `time_s`, seconds since the first shown.

        Jumps to a little before it where the container can, and reads on from there: times stay those of the container.
        """
        if self._first is None or time_s <= 0:
            return
        origin_ms = self._origin_ms = self._first[1]
        if time_s > 2 * _JUMP_BEFORE_S and self._capture.set(cv2.CAP_PROP_POS_MSEC, origin_ms + 1000 * (time_s - _JUMP_BEFORE_S)):
            self._first = self._read()
            if self._first is None or self._first[1] > origin_ms + 1000 * time_s:  # it went too far: from the start, then
                self._capture.set(cv2.CAP_PROP_POS_FRAMES, 0)
                self._first = self._read()
        while self._first is not None and self._first[1] < origin_ms + 1000 * time_s - 0.5:
            self._first = self._read()

    def sample(self, count: int) -> Iterator[Picture]:
        """About `count` pictures spread evenly over the recording, its first among them; instead of iterating."""
        if self._first is None:
            return
        yield self._first[0]
        step = max(1, self.frame_count // count)
        if step > _SEEK_FRAMES:
            yield from self._jumped_to(step * number for number in range(1, count))
        elif self.rate_hz > 0 and self._capture.get(cv2.CAP_PROP_ORIENTATION_META) == 0:
            yield from self._skimmed(step / self.rate_hz, count - 1)
        else:
            yield from self._passed(step, count - 1)

    def _jumped_to(self, frames: Iterable[int]) -> Iterator[Picture]:
        for number in frames:
            self._capture.set(cv2.CAP_PROP_POS_FRAMES, number)
            picture = self._read()
            if picture is None:
                return
            yield picture[0]

    def _passed(self, step: int, count: int) -> Iterator[Picture]:
        for _ in range(count):
            picture = self._read() if all(self._capture.grab() for _ in range(step - 1)) else None
            if picture is None:
                return
            yield picture[0]

    def _skimmed(self, step_s: float, count: int) -> Iterator[Picture]:
        """Up to `count` pictures at least so far apart, those on which no other depends left undecoded: a third less time
        for a broadcast clip. (OpenCV has no such wish; it also turns the pictures of a phone held upright.)"""
        with av.open(os.fspath(self.path)) as container:
            stream = container.streams.video[0]
            stream.thread_type, stream.codec_context.skip_frame = "AUTO", "NONREF"
            first_s, given = None, 0
            try:
                for number, frame in enumerate(container.decode(stream)):
                    time_s = number / self.rate_hz if frame.time is None else frame.time
                    first_s = time_s if first_s is None else first_s
                    if time_s - first_s < (given + 1) * step_s - 0.5 / self.rate_hz:
                        continue
                    yield np.asarray(frame.to_ndarray(format="bgr24"), dtype=np.uint8)
                    given += 1
                    if given == count:
                        return
            except av.FFmpegError:  # Torn: what came before it is whole.
                return

    def _read(self) -> tuple[Picture, float] | None:
        try:
            read, image = self._capture.read()
        except cv2.error:
            return None
        if not read or image is None:
            return None
        return np.asarray(image, dtype=np.uint8), float(self._capture.get(cv2.CAP_PROP_POS_MSEC))

    def _judge_end(self, shown: int, last_s: float) -> None:
        if self.rate_hz <= 0 or self.frame_count <= 0:
            return
        lacking = missing_bytes(self.path)
        if lacking == 0:
            return
        missing = self.frame_count - shown
        missing_s = min(missing / self.rate_hz, self.duration_s - last_s)
        if lacking or (missing > _TORN_SHARE * self.frame_count and missing_s > _TORN_LEAST_S):
            self.torn = f"{self.path}: ends after {last_s:.2f} s of {self.duration_s:.2f} s: the file is cut off or damaged there"


def open_video(path: Path | str) -> VideoSource:
    """The recording in a file, its first picture already decoded.

    Raises:
        InputError: If the file is missing, empty, no video, or has no picture that decodes.
    """
    return VideoSource(Path(path))


def missing_bytes(path: Path) -> int | None:
    """How far the boxes of an MP4 or QuickTime file reach beyond its end, bytes; None for another container.

    Source: ISO/IEC 14496-12, section 4.2 (box: 32-bit size and type; size 1 means a 64-bit size follows, 0 to the end).

    Raises:
        InputError: If there is no such file, or nothing in it.
    """
    _refuse_non_files(path)
    length = path.stat().st_size
    with path.open("rb") as file:
        start = 0
        while start < length:
            file.seek(start)
            head = file.read(16)
            if start == 0 and head[4:8] not in _ISO_FIRST_BOXES:
                return None
            size = int.from_bytes(head[:4], "big")
            if size == 1:
                size = int.from_bytes(head[8:16], "big")
            if size == 0:
                return 0
            if size < 8 or len(head) < 8:
                return length - start
            start += size
    return start - length


def _refuse_non_files(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path}: is a folder; give a video file")
    if not path.is_file():
        raise InputError(f"{path}: no such video file; check the name")
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty; record or copy it again")


def sample_pictures(path: Path | str, count: int) -> Iterator[Picture]:
    """About `count` pictures spread evenly over a recording, its first among them, for work that needs no clock.

    Pictures between are skipped undecoded where the container allows, else decoded without conversion. A file that
    states no length gives its first `count` pictures.

    Raises:
        InputError: As for `open_video`.
    """
    with VideoSource(Path(path)) as source:
        yield from source.sample(count)
