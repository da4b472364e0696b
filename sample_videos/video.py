"""A play as a video with its truth: every picture, and what is true in it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sample_videos.effects import NO_EFFECTS, Effects, Shown, alter, effects_truth, nudged, rows_shift, schedule
from sample_videos.encoder import Encoder
from sample_videos.play import Play
from sample_videos.player import PlayerLook, Pose
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
        effects: What goes wrong on the way to the file.
    """

    play: Play
    scene: Scene
    players: tuple[PlayerLook, ...]
    fps: float
    truth: dict[str, Any] = field(default_factory=dict)
    calls: tuple[dict[str, Any], ...] = ()
    effects: Effects = NO_EFFECTS

    @property
    def schedule(self) -> list[Shown]:
        """When each of its pictures is exposed and shown."""
        return schedule(self.effects, self.play.end_s, self.fps, self.scene.look.sensor.exposure_s)

    @property
    def frames(self) -> int:
        """How many pictures it has."""
        return len(self.schedule)


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
    shown = recording.schedule
    pictures: list[NDArray[np.uint8]] = []
    truth = {**recording.truth, "video": path.name, "frames": len(shown), "pictures": []}
    if recording.effects != NO_EFFECTS:
        truth |= {"effects": effects_truth(recording.effects, shown)}
    filming = _Filming(recording)
    partial = path.with_name(path.stem + ".part.mp4")
    rate = recording.effects.bit_rate_mbps
    try:
        while True:
            with Encoder(partial, recording.scene.camera.image_size_px, recording.fps, crf=crf, bit_rate_mbps=rate) as encoder:
                for k, entry in enumerate(shown):
                    if len(pictures) <= k:
                        image, facts = filming.take(entry)
                        truth["pictures"].append(facts)
                        pictures.append(image)
                        if progress is not None:
                            progress(k + 1, len(shown))
                    encoder.add(pictures[k], entry.stamp_s)
                    if max_bytes is None:
                        pictures[k] = _NOTHING
            if max_bytes is None or partial.stat().st_size <= max_bytes or crf >= 40:
                break
            crf += 2
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    if filming.second is not None:
        truth["effects"]["camera_after"] = filming.second
    _write_json(path.with_suffix(".json"), truth)
    if recording.calls:
        _write_text(path.with_suffix(".calls.jsonl"), "".join(json.dumps(call) + "\n" for call in recording.calls))
    return truth


_STILL_M, _STILL_TURN = 5e-5, 0.02
"""A ball that moves by no more than this (metres), and turns by no more (change of a rotation's entries), in an exposure is at rest."""
_STEP_M = 0.002
"""A body that moves by less during an exposure is sharp."""
_NOTHING: NDArray[np.uint8] = np.zeros((0, 0, 3), np.uint8)


def _write_json(path: Path, data: dict[str, Any]) -> None:
    pictures = data["pictures"]
    head = json.dumps({k: v for k, v in data.items() if k != "pictures"}, indent=1)
    rows = ",\n".join("  " + json.dumps(entry, separators=(",", ":")) for entry in pictures)
    _write_text(path, head[:-2] + ',\n "pictures": [\n' + rows + "\n ]\n}\n")


def _write_text(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


class _Filming:
    """Takes the pictures of a recording, one after the other."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._scenes = {0: recording.scene}
        self._last: NDArray[np.uint8] = _NOTHING
        self._last_facts: dict[str, Any] = {}
        self.second: dict[str, Any] | None = None

    def take(self, shown: Shown) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """The picture of an entry of the schedule, and what is true in it."""
        if not shown.repeated:
            image, self._last_facts = _picture(self._recording, shown.time_s, self._scene(shown.view))
            self._last = alter(image, shown, self._recording.effects)
        facts: dict[str, Any] = {"time_s": round(shown.stamp_s, 5), **{k: v for k, v in self._last_facts.items() if k != "time_s"}}
        if abs(shown.time_s - shown.stamp_s) > 1e-6:
            facts["shown_s"] = round(shown.time_s, 5)
        if abs(shown.gain - 1) > 1e-3:
            facts["gain"] = round(shown.gain, 4)
        extras = {"repeated": shown.repeated, "field": shown.field, "view": shown.view}
        facts |= {name: value for name, value in extras.items() if value or (name == "field" and value == 0)}
        shift = rows_shift(shown, self._recording.effects)
        return self._last, facts | ({"shift_px": [0.0, shift]} if shift else {})

    def _scene(self, view: int) -> Scene:
        if view not in self._scenes:
            self._scenes[view] = self._recording.scene.moved(nudged(self._recording.scene.camera, self._recording.effects))
            self.second = self._scenes[view].camera_dict()
        return self._scenes[view]


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


def _picture(recording: Recording, time_s: float, scene: Scene) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """The picture whose exposure is centred at `time_s`, and what is true then."""
    play, exposure = recording.play, scene.look.sensor.exposure_s
    balls = []
    for ball in play.balls:
        pairs = [(play.centre(ball, float(t)), play.rotation(ball, float(t))) for t in _moments(recording, ball, time_s, exposure)]
        seen = [(centre, rotation) for centre, rotation in pairs if centre is not None]
        if seen:
            centres, rotations = np.stack([c for c, _ in seen]), np.stack([r for _, r in seen])
            balls.append(BallInView(ball=ball, centres_m=centres, rotations=rotations))
    view = scene.render(balls, *_people(recording, time_s, exposure))
    entry: dict[str, Any] = {"time_s": round(time_s, 5), "balls": {}}
    for ball in play.balls:
        place = play.centre(ball, time_s)
        if place is not None and play.is_on_bed(ball, time_s):
            entry["balls"][ball] = [round(float(place[0]), 5), round(float(place[1]), 5), round(view.visible.get(ball, 0.0), 2)]
    return view.image, entry


def _people(recording: Recording, time_s: float, exposure_s: float) -> list[tuple[PlayerLook, Pose]]:
    """Who stands how, each with the way that the body goes during the exposure."""
    before = dict(recording.play.people(time_s - exposure_s / 2))
    after = dict(recording.play.people(time_s + exposure_s / 2))
    result = []
    for number, pose in recording.play.people(time_s):
        if number in before and number in after:
            way = _stand(after[number]) - _stand(before[number])
            if float(np.hypot(*way)) > _STEP_M:
                pose = replace(pose, motion_m=(round(float(way[0]), 4), round(float(way[1]), 4)))
        result.append((recording.players[number % len(recording.players)], pose))
    return result


def _stand(pose: Pose) -> NDArray[np.float64]:
    return np.array(pose.bridge_m) - pose.back_m * np.array([np.cos(pose.direction), np.sin(pose.direction)])
