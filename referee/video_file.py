"""Writing video that a browser plays, whole or not at all.

H.264 in mp4 through PyAV: OpenCV's wheel has no such encoder, and browsers do not play what it can write. The index
stands in front, so that a page can jump to a time before the file is loaded.
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

MOST_WIDTH_PX = 960
"""Width of the video at most: a 9 ft table's balls are still 17 pixels wide; 1280 takes nearly twice the time."""
_TIME_BASE = Fraction(1, 90000)
_X264 = {
    # A third of the time of "veryfast" at crf 25 for a better picture and 1.7 times the bytes, 40 kB a second.
    "preset": "ultrafast",
    "crf": "29",
    "threads": "1",
    # The colours are those of OpenCV's conversion (BT.601).
    "x264-params": "bframes=0:colormatrix=smpte170m:colorprim=smpte170m:transfer=smpte170m",
}


def video_size(size_px: tuple[int, int], most_width_px: int = MOST_WIDTH_PX) -> tuple[int, int]:
    """(width, height) of the annotated video of a recording of the given size, even numbers."""
    scale = min(1.0, most_width_px / size_px[0])
    return max(2, round(size_px[0] * scale / 2) * 2), max(2, round(size_px[1] * scale / 2) * 2)


def reduce_picture(image: Image, size_px: tuple[int, int], into: Image | None = None) -> Image:
    """A picture at the size of the video, in a new array or in the one given."""
    halved = image.shape[1] == 2 * size_px[0]
    return np.asarray(cv2.resize(image, size_px, dst=into, interpolation=cv2.INTER_AREA if halved else cv2.INTER_LINEAR), dtype=np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """One picture for the encoder: Y, U, V (4:2:0) below each other, and its time in ticks."""

    yuv: Image
    pts: int


class AnnotatedWriter:
    """An mp4 file that grows picture by picture beside its name and gets the name when it is whole.

    Use as a context manager: an error inside leaves nothing behind, and no picture at all gives no file.

    Attributes:
        size_px: (width, height) of the video, even numbers.
    """

    def __init__(self, path: Path, size_px: tuple[int, int], fps: float, *, most_width_px: int = MOST_WIDTH_PX) -> None:
        """Open the file.

        Args:
            path: The target, `.mp4`.
            size_px: (width, height) of the frames to come.
            fps: Mean rate of the recording; only the encoder's estimate, times come with each picture.
            most_width_px: Wider frames are scaled down to this.

        Raises:
            OSError: If the file cannot be written.
        """
        self.size_px = video_size(size_px, most_width_px)
        self._target, self._partial = path, path.with_name(f"{path.stem}.part{path.suffix}")
        self._last_pts = -1
        self._small = np.empty((self.size_px[1], self.size_px[0], 3), dtype=np.uint8)
        self._partial.touch()  # PyAV opens late; a folder that cannot be written must be told before the work is done.
        self._container = av.open(str(self._partial), "w", format="mp4", options={"movflags": "faststart"})
        self._stream = self._container.add_stream("libx264", rate=Fraction(fps if fps > 0 else 25.0).limit_denominator(1001))
        self._stream.width, self._stream.height = self.size_px
        self._stream.pix_fmt = "yuv420p"
        self._stream.options = dict(_X264)
        self._stream.codec_context.time_base = _TIME_BASE

    def shrink(self, image: Image) -> Image:
        """The frame at the size of the video, a picture to draw on; the next call overwrites it."""
        return reduce_picture(image, self.size_px, self._small)

    def planes(self, image: Image, time_s: float) -> Planes:
        """A picture of the video's size, BGR, as the encoder takes it, to be shown from `time_s` on."""
        return Planes(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420), dtype=np.uint8), round(time_s / _TIME_BASE))

    def encode(self, planes: Planes) -> None:
        """Add a picture; one that is not later than the last is left out. May run in another thread than `planes`."""
        if planes.pts <= self._last_pts:
            return
        picture = av.VideoFrame.from_ndarray(planes.yuv, format="yuv420p")
        picture.pts, picture.time_base, self._last_pts = planes.pts, _TIME_BASE, planes.pts
        self._container.mux(self._stream.encode(picture))

    def write(self, image: Image, time_s: float) -> None:
        """`planes` and `encode` in one."""
        self.encode(self.planes(image, time_s))

    def close(self) -> None:
        """Finish the file and give it its name."""
        if self._last_pts < 0:
            self.discard()
            return
        self._container.mux(self._stream.encode(None))
        self._container.close()
        self._partial.replace(self._target)

    def discard(self) -> None:
        """Stop and leave nothing behind."""
        self._container.close()
        self._partial.unlink(missing_ok=True)

    def __enter__(self) -> "AnnotatedWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()
