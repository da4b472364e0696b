"""The pictures of a recording, kept small for the annotated video while the recording is short enough for that.

Decoding costs as much as all drawing and encoding together; a recording of half a minute is decoded once, not twice,
for the price of a few hundred megabytes. A longer one is let go as soon as it is too long, and decoded again.

Kept as 4:2:0 planes, which the encoder makes of them in any case: half the room of BGR.
"""

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.video_file import reduce_picture, video_size
from vision.frame import Frame

MOST_BYTES = 400_000_000
"""What is kept at most: 20 s at 25 frames a second and 960 pixels width; a small computer has this to spare."""


class Rushes:
    """Small pictures of a recording from its start, or nothing."""

    def __init__(self, size_px: tuple[int, int], *, most_bytes: int = MOST_BYTES) -> None:
        """Nothing kept yet.

        Args:
            size_px: (width, height) of the recording.
            most_bytes: More is not kept: then all is let go.
        """
        self._size = video_size(size_px)
        self._most = most_bytes
        self._kept: list[tuple[int, float, NDArray[np.uint8]]] | None = []
        self._bytes = 0

    def keep(self, frame: Frame) -> None:
        """Take the next frame."""
        if self._kept is not None:
            planes = np.asarray(cv2.cvtColor(reduce_picture(frame.image, self._size), cv2.COLOR_BGR2YUV_I420), dtype=np.uint8)
            self._bytes += planes.nbytes
            self._kept.append((frame.index, frame.time_s, planes))
            if self._bytes > self._most:
                self._kept = None

    def frames(self) -> Iterator[Frame] | None:
        """The recording in small pictures, once; None where it was too long."""
        if self._kept is None:
            return None
        return (
            Frame(index=index, time_s=time_s, image=np.asarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420), dtype=np.uint8))
            for index, time_s, planes in self._kept
        )
