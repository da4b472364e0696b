"""A recording read and glanced at ahead of its use: half of the work of a review, beside the other half.

In a process of its own where that is safe (`referee.forked`), else in a thread; the pictures and what was seen in them are
the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from calibration.errors import InputError
from referee.forked import read_beside
from referee.pipeline import Pipeline
from vision.capture import VideoSource, open_video
from vision.frame import Frame
from vision.surface import Glance, GlanceNews

_BESIDE_BYTES = 12_000_000
"""Room for what goes with a picture from one process to the other: what covers the bed, now and then the cloth."""


@dataclass(frozen=True, slots=True)
class _Head:
    """What the file says of itself."""

    rate_hz: float
    duration_s: float


_Item = _Head | tuple[Frame, GlanceNews | None] | str


class Ahead:
    """Pictures of a recording with what was glanced in them, in order, once.

    Attributes:
        rate_hz: Stated mean rate; 0.0 where the file states none.
        duration_s: Stated length, an estimate; 0.0 where unknown.
        torn: After the last picture: why the recording ends early, empty where it is whole.
    """

    def __init__(self, items: Iterator[_Item]) -> None:
        head = next(items)
        assert isinstance(head, _Head)
        self.rate_hz, self.duration_s, self.torn = head.rate_hz, head.duration_s, ""
        self._items = items

    def __iter__(self) -> Iterator[tuple[Frame, Glance | None]]:
        glance: Glance | None = None
        for item in self._items:
            if isinstance(item, str):
                self.torn = item
            elif isinstance(item, tuple):
                frame, news = item
                glance = None if news is None else news.after(glance)
                yield frame, glance


@contextmanager
def see_ahead(path: Path, pipeline: Pipeline, size_px: tuple[int, int]) -> Iterator[Ahead]:
    """Read a recording and have the pipeline glance at its pictures, a little ahead of their use.

    Args:
        path: The recording.
        pipeline: Fresh, and fed with what comes from here.
        size_px: (width, height) that the table was calibrated at.

    Raises:
        InputError: If the file is no video, or has pictures of another size.
    """

    def read() -> Iterator[_Item]:
        last: Glance | None = None
        with open_video(path) as source:
            _check_size(source, size_px)
            yield _Head(source.rate_hz, source.duration_s)
            for frame in source:
                glance = pipeline.glance(frame, pipeline.sight(frame))
                yield frame, None if glance is None else glance.news(last)
                last = glance
            yield source.torn

    with read_beside(read, 3 * size_px[0] * size_px[1] + _BESIDE_BYTES) as items:
        yield Ahead(items)


def _check_size(source: VideoSource, size_px: tuple[int, int]) -> None:
    if source.image_size_px != size_px:
        found, expected = ("x".join(map(str, size)) for size in (source.image_size_px, size_px))
        raise InputError(f"{source.path}: pictures are {found}, the table file is for {expected}; calibrate this camera again")
