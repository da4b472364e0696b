"""H.264 in mp4 from pictures, encoded in a thread of its own while the next picture is painted.

The encoder itself runs on one thread, so that the same pictures give the same file.
"""

from fractions import Fraction
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

_CLOCK = 90_000
"""Ticks a second of the stamps; what broadcast uses, and every usual rate is a whole number of."""
_AHEAD = 4
"""Pictures that may wait for the encoder, 6 MB each at 1080p."""


class Encoder:
    """Writes a video; use it as a context, `add` pictures in the order of their stamps.

    Args:
        path: The file to write, ending in .mp4.
        size_px: (width, height), both even.
        fps: Usual rate, for the header.
        crf: Quality of x264; greater is smaller. Not used where a bit rate is given.
        bit_rate_mbps: Mean rate, megabits a second; None for constant quality.
    """

    def __init__(self, path: Path, size_px: tuple[int, int], fps: float, *, crf: int = 25, bit_rate_mbps: float | None = None) -> None:
        self._container = av.open(str(path), "w", options={"movflags": "faststart"})
        self._stream: Any = self._container.add_stream("libx264", rate=Fraction(round(fps * 1000), 1000))
        self._stream.width, self._stream.height = size_px
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.time_base = Fraction(1, _CLOCK)
        # At a given rate speed costs sharpness, as it does in cameras; at a given quality it would cost bytes.
        options: dict[str, object] = {"preset": "veryfast" if bit_rate_mbps is None else "superfast", "threads": "1"}
        if bit_rate_mbps is None:
            options["crf"] = str(crf)
        else:
            self._stream.bit_rate = round(bit_rate_mbps * 1e6)
            options.update(maxrate=str(round(bit_rate_mbps * 1.5e6)), bufsize=str(round(bit_rate_mbps * 2e6)))
        self._stream.options = options
        self._waiting: Queue[tuple[Bytes, int] | None] = Queue(_AHEAD)
        self._error: BaseException | None = None
        self._thread = Thread(target=self._work, daemon=True)

    def __enter__(self) -> "Encoder":
        self._thread.start()
        return self

    def add(self, image: Bytes, stamp_s: float) -> None:
        """Add a picture (H, W, 3), uint8 BGR, that is not changed afterwards, shown from `stamp_s` on.

        Raises:
            OSError: If an earlier picture could not be written.
        """
        if self._error is not None:
            raise OSError(f"video cannot be encoded: {self._error}") from self._error
        self._waiting.put((image, round(stamp_s * _CLOCK)))

    def __exit__(self, *_: object) -> None:
        self._waiting.put(None)
        self._thread.join()
        self._container.close()
        if self._error is not None:
            raise OSError(f"video cannot be encoded: {self._error}") from self._error

    def _work(self) -> None:
        while (item := self._waiting.get()) is not None:
            if self._error is not None:
                continue  # keep emptying the queue, so that nobody waits for ever
            try:
                self._encode(*item)
            except (av.error.FFmpegError, OSError, ValueError) as error:
                self._error = error
        if self._error is None:
            try:
                self._container.mux(self._stream.encode())
            except (av.error.FFmpegError, OSError) as error:
                self._error = error

    def _encode(self, image: Bytes, ticks: int) -> None:
        # Not by OpenCV, whose 4:2:0 takes the colour of each square's first pixel: colours then lie half a pixel off.
        frame = av.VideoFrame.from_ndarray(image, format="bgr24").reformat(format="yuv420p")
        frame.pts, frame.time_base = ticks, Fraction(1, _CLOCK)
        self._container.mux(self._stream.encode(frame))
