"""The annotated video: the recording again with balls, paths, events and calls drawn in, as a browser plays it.

A second pass over the recording, because names and calls are certain only after a shot: a ring must not change its
name half way, and an event is shown when it happens, not when it is understood. Drawing happens on the picture
already scaled down; time stamps are those of the frames.

Where the recording ends with a call not yet readable, the last picture is held for as long as a call is shown.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.equipment import BallId
from referee.forked import read_beside
from referee.video_file import AnnotatedWriter, Planes
from referee.wording import call_text, event_text
from tracker.history import BallTrack
from vision.draw import FIRST, OUTLINE, draw_ball, draw_caption, draw_polyline, draw_ring, draw_trail
from vision.frame import Frame
from vision.palette import Rgb

Image = NDArray[np.uint8]
FloatArray = NDArray[np.float64]

CALL_SHOWN_S = 4.0
"""A call stays this long after its shot, seconds: shorter cannot be read, longer runs into the next shot."""
_EVENT_SHOWN_S = 0.8
"""An event's ring and text stay this long, seconds."""
_SHOWN = ("cue_contact", "ball_ball", "ball_cushion", "pocketed", "pocket_rebound", "off_table", "rail_top")
"""Events worth a mark; crossings of lines would only clutter the picture."""
_TRAIL_S = 1.5
"""Length of a trail, seconds: whole paths would cover a break."""
_SAME_FRAME_S = 0.012
"""A track's row belongs to a frame when their times differ by less than this, seconds: half a period at 40 Hz."""
_MOVING_M = 0.012
"""A ball whose trail spans less than this is at rest, metres: about five times the noise of a place."""
TONES: Mapping[str, Rgb] = {"legal": (140, 230, 180), "foul": (255, 140, 130), "undecided": (255, 200, 110)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """A small picture of a shot for the report.

    Attributes:
        jpeg: A JPEG file.
        text: What it shows, the key of a label of the report.
    """

    jpeg: bytes
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class _Path:
    """One track in pixels of the video."""

    ball: BallId
    times_s: FloatArray
    places_px: FloatArray
    places_m: FloatArray
    seen: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class _Mark:
    """One event with its time on the recording's clock and, where a track knows it, its place in pixels."""

    time_s: float
    text: str
    place_px: tuple[float, float] | None
    is_first: bool


def _time_of(mark: _Mark) -> float:
    return mark.time_s


class Overlay:
    """What is drawn over a frame, from the calibration, the tracks and the judged shots of a recording."""

    def __init__(
        self,
        calibration: Calibration,
        tracks: Iterable[BallTrack],
        shots: Sequence[Mapping[str, Any]],
        *,
        size_px: tuple[int, int],
        players: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare everything that does not change from frame to frame.

        Args:
            calibration: Of the recording.
            tracks: Every ball's track.
            shots: Shots of the review object.
            size_px: (width, height) of the pictures to draw on.
            players: Names for A and B where given.
        """
        self._camera, self._scale = calibration.camera, np.array(size_px) / np.array(calibration.camera.image_size_px)
        self._radius_m = calibration.spec.ball_radius_m
        self._noses = [
            self._pixels(_along(a, b), calibration.spec.nose_height_m) for part in calibration.table.noses_m().values() for a, b in part
        ]
        self._paths = [
            _Path(t.ball, t.times_s, self._pixels(t.positions_m, self._radius_m), t.positions_m, t.seen) for t in tracks if len(t.times_s)
        ]
        centre = self._pixels(np.array([[0.0, 0.0], [self._radius_m, 0.0]]), self._radius_m)
        self._radius_px = float(np.hypot(*(centre[1] - centre[0])))
        self._calls = [(float(shot["start_s"]), float(shot["end_s"]), str(shot["verdict"]), call_text(shot, players)) for shot in shots]
        self._numbers = [int(shot["number"]) for shot in shots]
        self._marks = sorted((mark for shot in shots for mark in self._marks_of(shot)), key=_time_of)

    @property
    def held_until_s(self) -> float:
        """Time until which the last call should stay on the screen; 0 without shots."""
        return max((end_s + CALL_SHOWN_S for _, end_s, _, _ in self._calls), default=0.0)

    def draw(self, image: Image, time_s: float, *, call_at_s: float | None = None) -> None:
        """Draw on a picture of the size given at the start, as of `time_s`; the call as of `call_at_s` where given."""
        for nose in self._noses:
            draw_polyline(image, nose, OUTLINE)
        for path in self._paths:
            self._draw_path(image, path, time_s)
        caption: list[tuple[str, Rgb]] = []
        first, last = (bisect_right(self._marks, at_s, key=_time_of) for at_s in (time_s - _EVENT_SHOWN_S, time_s))
        for mark in self._marks[first:last]:
            if mark.place_px is not None:
                grown = 1.3 + (time_s - mark.time_s) / _EVENT_SHOWN_S
                draw_ring(image, mark.place_px, grown * self._radius_px, FIRST if mark.is_first else OUTLINE)
            caption = [(mark.text, FIRST if mark.is_first else OUTLINE)]
        draw_caption(image, self._call_line(time_s if call_at_s is None else call_at_s) + caption)

    def _call_line(self, time_s: float) -> list[tuple[str, Rgb]]:
        for number, (start_s, end_s, verdict, text) in zip(reversed(self._numbers), reversed(self._calls), strict=True):
            if start_s <= time_s < end_s:
                return [(f"Shot {number}", OUTLINE)]
            if end_s <= time_s <= end_s + CALL_SHOWN_S:
                return [(text, TONES.get(verdict, OUTLINE))]
        return []

    def _draw_path(self, image: Image, path: _Path, time_s: float) -> None:
        index = min(int(np.searchsorted(path.times_s, time_s)), len(path.times_s) - 1)
        if index > 0 and time_s - path.times_s[index - 1] < abs(path.times_s[index] - time_s):
            index -= 1
        if abs(path.times_s[index] - time_s) > _SAME_FRAME_S:
            return
        first = int(np.searchsorted(path.times_s, time_s - _TRAIL_S))
        recent = path.places_m[first : index + 1]
        if np.ptp(recent, axis=0).max() > _MOVING_M:
            draw_trail(image, path.places_px[first : index + 1], path.ball)
        x, y = path.places_px[index]
        if np.isfinite(x) and np.isfinite(y):
            draw_ball(image, (float(x), float(y)), self._radius_px, path.ball, seen=bool(path.seen[index]))

    def _pixels(self, points_m: FloatArray, height_m: float) -> FloatArray:
        # Pixel centres are whole numbers: scaling maps their corners, hence the halves.
        return np.asarray((self._camera.to_pixels(points_m, height_m=height_m) + 0.5) * self._scale - 0.5, dtype=np.float64)

    def _marks_of(self, shot: Mapping[str, Any]) -> list[_Mark]:
        marks, is_first = [], True
        for event in shot.get("events") or ():
            if event["type"] not in _SHOWN or float(event.get("p", 1.0)) < 0.5:
                continue
            time_s = float(shot["start_s"]) + float(event["t"])
            contact = event["type"] == "ball_ball" and shot.get("cue_ball") in (event.get("a"), event.get("b"))
            ball = event.get("a") if event["type"] == "ball_ball" else event.get("ball", shot.get("cue_ball"))
            marks.append(_Mark(time_s, event_text(event), self._place(ball, time_s), contact and is_first))
            is_first = is_first and not contact
        return marks

    def _place(self, ball: BallId | None, time_s: float) -> tuple[float, float] | None:
        for path in self._paths:
            if path.ball == ball and path.times_s[0] - 0.1 <= time_s <= path.times_s[-1] + 0.1:
                x, y = (float(np.interp(time_s, path.times_s, path.places_px[:, axis])) for axis in (0, 1))
                return (x, y) if np.isfinite(x) and np.isfinite(y) else None
        return None


def _along(a: tuple[float, float], b: tuple[float, float]) -> FloatArray:
    """Points along a nose, shape (9, 2), so that it bends with the lens."""
    share = np.linspace(0.0, 1.0, 9)[:, None]
    return np.asarray((1 - share) * np.array(a) + share * np.array(b), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A picture of the video for the encoder, stills made of it by number of shot, and its time on the recording's clock."""

    planes: Planes
    stills: dict[int, Still]
    time_s: float


def annotate_video(
    path: Path,
    frames: Iterable[Frame],
    calibration: Calibration,
    tracks: Iterable[BallTrack],
    review: Mapping[str, Any],
    *,
    fps: float = 25.0,
    on_frame: Callable[[float], None] | None = None,
) -> dict[int, Still]:
    """Write the annotated video of one recording and give a still picture of each shot, by shot number.

    Args:
        path: The target, `.mp4`; written beside it first.
        frames: The recording again, from its start; taken in another process where there may be one, so it opens its own files.
        calibration: Of the recording.
        tracks: Every ball's track on the recording's clock.
        review: The `cueref.review/1` object; its shots lie on the same clock.
        fps: Mean rate of the recording.
        on_frame: Called after each frame with its time, for progress.

    Raises:
        OSError: If the file cannot be written; nothing half-written stays.
    """
    shots, stills = review["shots"], dict[int, Still]()
    with AnnotatedWriter(path, calibration.camera.image_size_px, fps) as writer:
        overlay = Overlay(calibration, tracks, shots, size_px=writer.size_px, players=review.get("players"))
        width, height = writer.size_px
        with read_beside(lambda: _drawn(frames, writer, overlay, shots, fps), 3 * width * height) as pictures:
            for drawn in pictures:
                writer.encode(drawn.planes)
                stills |= drawn.stills
                if on_frame is not None:
                    on_frame(drawn.time_s)
    return stills


def _drawn(
    frames: Iterable[Frame], writer: AnnotatedWriter, overlay: Overlay, shots: Sequence[Mapping[str, Any]], fps: float
) -> Iterator[_Drawn]:
    """The video's pictures; at the end the last call on the last picture, for as long as a call is shown."""
    due = sorted(((_decisive(shot), shot) for shot in shots), key=lambda item: item[0][0])
    frame = None
    for frame in frames:
        image = writer.shrink(frame.image)
        overlay.draw(image, frame.time_s)
        stills: dict[int, Still] = {}
        while due and due[0][0][0] <= frame.time_s:
            (_, text), shot = due.pop(0)
            stills[int(shot["number"])] = Still(jpeg=_jpeg(image), text=text)
        yield _Drawn(writer.planes(image, frame.time_s), stills, frame.time_s)
    if frame is not None and frame.time_s < overlay.held_until_s:
        from_s = max(frame.time_s + 1.0 / fps, overlay.held_until_s - CALL_SHOWN_S)
        image = writer.shrink(frame.image)
        overlay.draw(image, frame.time_s, call_at_s=from_s)
        for time_s in (from_s, overlay.held_until_s):
            yield _Drawn(writer.planes(image, time_s), {}, frame.time_s)


def _decisive(shot: Mapping[str, Any]) -> tuple[float, str]:
    """The moment that a shot hangs on and its name: the cue ball's first contact, else the strike."""
    start_s = float(shot["start_s"])
    for event in shot.get("events") or ():
        if event["type"] == "ball_ball" and shot.get("cue_ball") in (event.get("a"), event.get("b")):
            return start_s + float(event["t"]), "still_contact"
    return start_s, "still_strike"


def _jpeg(image: Image) -> bytes:
    width = min(640, image.shape[1])
    small = cv2.resize(image, (width, round(image.shape[0] * width / image.shape[1])), interpolation=cv2.INTER_AREA)
    _, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 72])
    return bytes(data.tobytes())
