"""A play as a video with its truth: every picture, and what is true in it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from sample_videos.play import Play
from sample_videos.player import PlayerLook
from sample_videos.scene import BallInView, Scene
from sample_videos.training import subframes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recording:
    """Everything that goes into one video.

    Attributes:
        play: What happens.
        scene: Where, in which light, before which camera.
        players: The looks of the people that `play` numbers.
        fps: Pictures per second.
        truth: All that is true, but `frames` and `pictures`, which making the video adds.
        calls: Lines of the calls file: what people said and decided, with times.
    """

    play: Play
    scene: Scene
    players: tuple[PlayerLook, ...]
    fps: float
    truth: dict[str, Any] = field(default_factory=dict)
    calls: tuple[dict[str, Any], ...] = ()

    @property
    def frames(self) -> int:
        """How many pictures it has."""
        return int(np.ceil(self.play.end_s * self.fps))


def write_recording(
    recording: Recording, path: Path, *, crf: int = 25, max_bytes: int | None = None, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Write `path` (H.264 in mp4), its truth (`.json`) and, where there are any, its calls (`.calls.jsonl`) beside it; gives the truth.

    Args:
        recording: What to show.
        path: The video's path.
        crf: Quality of x264; greater is smaller.
        max_bytes: When given, the video is encoded again at lower quality until it is no larger.
        progress: Called with (pictures done, pictures in all).
    """
    pictures: list[NDArray[np.uint8]] = []
    truth = {**recording.truth, "video": path.name, "frames": recording.frames, "pictures": []}
    partial = path.with_name(path.stem + ".part.mp4")
    try:
        while True:
            with _Encoder(partial, recording, crf) as encoder:
                for k in range(recording.frames):
                    if len(pictures) <= k:
                        image, entry = _picture(recording, k / recording.fps)
                        truth["pictures"].append(entry)
                        pictures.append(image)
                        if progress is not None:
                            progress(k + 1, recording.frames)
                    encoder.add(pictures[k])
                    if max_bytes is None:
                        pictures[k] = _NOTHING
            if max_bytes is None or partial.stat().st_size <= max_bytes or crf >= 40:
                break
            crf += 2
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    _write_json(path.with_suffix(".json"), truth)
    if recording.calls:
        _write_text(path.with_suffix(".calls.jsonl"), "".join(json.dumps(call) + "\n" for call in recording.calls))
    return truth


_STILL_M, _STILL_TURN = 5e-5, 0.02
"""A ball that moves by no more than this (metres), and turns by no more (change of a rotation's entries), in an exposure is at rest."""
_NOTHING: NDArray[np.uint8] = np.zeros((0, 0, 3), np.uint8)


class _Encoder:
    def __init__(self, path: Path, recording: Recording, crf: int) -> None:
        self._container = av.open(str(path), "w", options={"movflags": "faststart"})
        rate = round(recording.fps * 1000)
        self._stream: Any = self._container.add_stream("libx264", rate=Fraction(rate, 1000))
        self._stream.width, self._stream.height = recording.scene.camera.image_size_px
        self._stream.pix_fmt = "yuv420p"
        self._stream.options = {"crf": str(crf), "preset": "veryfast", "threads": "1"}

    def __enter__(self) -> "_Encoder":
        return self

    def add(self, image: NDArray[np.uint8]) -> None:
        frame = av.VideoFrame.from_ndarray(image, format="bgr24")
        self._container.mux(self._stream.encode(frame))

    def __exit__(self, *_: object) -> None:
        self._container.mux(self._stream.encode())
        self._container.close()


def _write_json(path: Path, data: dict[str, Any]) -> None:
    pictures = data["pictures"]
    head = json.dumps({k: v for k, v in data.items() if k != "pictures"}, indent=1)
    rows = ",\n".join("  " + json.dumps(entry, separators=(",", ":")) for entry in pictures)
    _write_text(path, head[:-2] + ',\n "pictures": [\n' + rows + "\n ]\n}\n")


def _write_text(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def _picture(recording: Recording, time_s: float) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """The picture whose exposure is centred at `time_s` on the file's clock, and what is true then."""
    play, exposure = recording.play, recording.scene.look.sensor.exposure_s
    balls = []
    for ball in play.balls:
        pairs = [(play.centre(ball, float(t)), play.rotation(ball, float(t))) for t in _moments(recording, ball, time_s, exposure)]
        seen = [(centre, rotation) for centre, rotation in pairs if centre is not None]
        if seen:
            centres, rotations = np.stack([c for c, _ in seen]), np.stack([r for _, r in seen])
            balls.append(BallInView(ball=ball, centres_m=centres, rotations=rotations))
    people = [(recording.players[k % len(recording.players)], pose) for k, pose in play.people(time_s)]
    view = recording.scene.render(balls, people[0] if people else None)
    entry: dict[str, Any] = {"time_s": round(time_s, 5), "balls": {}}
    for ball in play.balls:
        place = play.centre(ball, time_s)
        if place is not None and play.is_on_bed(ball, time_s):
            entry["balls"][ball] = [round(float(place[0]), 5), round(float(place[1]), 5), round(view.visible.get(ball, 0.0), 2)]
    return view.image, entry


def _moments(recording: Recording, ball: str, time_s: float, exposure_s: float) -> NDArray[np.float64]:
    """The moments to average for a ball: one at rest, the closer the faster it moves."""
    play = recording.play
    start, end = play.centre(ball, time_s - exposure_s / 2), play.centre(ball, time_s + exposure_s / 2)
    if start is None or end is None:
        return np.array([time_s])
    path = float(np.linalg.norm(end - start))
    turned = np.abs(play.rotation(ball, time_s - exposure_s / 2) - play.rotation(ball, time_s + exposure_s / 2)).max()
    if path <= _STILL_M and turned <= _STILL_TURN:
        return np.array([time_s])
    return np.linspace(-0.5, 0.5, subframes(path, recording.scene.table.spec.ball_radius_m)) * exposure_s + time_s
