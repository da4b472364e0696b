"""A simulated shot as a video with its truth: the player comes, strikes and leaves; the file ends after rest."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import cos, sin
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.table import Table
from sample_videos.player import PlayerLook, Pose
from sample_videos.scene import BallInView, Scene
from sample_videos.shots import Motion, SimulatedShot
from sample_videos.training import foot_side, subframes
from sample_videos.truth import facts, nine_ball_ruling

FORMAT = "cueref.truth/1"
LEAD_S = 2.4
"""Before the strike: half a second alone, then the player comes in and aims."""
TAIL_S = 0.9
"""Stillness at the end; a reader needs 0.7 s to call it rest."""
_ENTER_S, _AIM_S, _LEAVE_S, _GONE_S = -1.9, -1.1, 0.45, 1.2
_AWAY_M = 1.9
"""How far a player who is not there stands back."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recording:
    """Everything that goes into one video.

    Attributes:
        shot: What happens.
        scene: Where, in which light, before which camera.
        player: Who strikes.
        fps: Pictures per second.
        seed: For the balls' orientations and the bridge.
        pockets_visible: Whether pocketed balls stay to be seen in their pockets.
    """

    shot: SimulatedShot
    scene: Scene
    player: PlayerLook
    fps: float
    seed: int
    pockets_visible: bool = True


def write_recording(
    recording: Recording, path: Path, *, crf: int = 25, max_bytes: int | None = None, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Write `path` (H.264 in mp4) and its truth beside it (`.json`); gives the truth.

    Args:
        recording: What to show.
        path: The video's path.
        crf: Quality of x264; greater is smaller.
        max_bytes: When given, the video is encoded again at lower quality until it is no larger.
        progress: Called with (pictures done, pictures in all).
    """
    pictures: list[NDArray[np.uint8]] = []
    truth = _truth_head(recording, path.name)
    motion = Motion(recording.shot, recording.scene.table, np.random.default_rng(recording.seed), stay_visible=recording.pockets_visible)
    count = truth["frames"]
    partial = path.with_name(path.stem + ".part.mp4")
    try:
        while True:
            with _Encoder(partial, recording, crf) as encoder:
                for k in range(count):
                    if len(pictures) <= k:
                        image, entry = _picture(recording, motion, k / recording.fps)
                        truth["pictures"].append(entry)
                        pictures.append(image)
                        if progress is not None:
                            progress(k + 1, count)
                    encoder.add(pictures[k])
                    if max_bytes is None:
                        pictures[k] = _NOTHING
            if max_bytes is None or partial.stat().st_size <= max_bytes or crf >= 40:
                break
            crf += 2
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    _finish(truth, motion)
    _write_json(path.with_suffix(".json"), truth)
    return truth


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
    partial = path.with_name(path.name + ".part")
    pictures = data["pictures"]
    head = json.dumps({k: v for k, v in data.items() if k != "pictures"}, indent=1)
    rows = ",\n".join("  " + json.dumps(entry, separators=(",", ":")) for entry in pictures)
    partial.write_text(head[:-2] + ',\n "pictures": [\n' + rows + "\n ]\n}\n", encoding="utf-8")
    partial.replace(path)


def _truth_head(recording: Recording, name: str) -> dict[str, Any]:
    shot, scene = recording.shot, recording.scene
    last = max(shot.end_s, _GONE_S, *(e["t"] + 0.4 for e in shot.events)) + TAIL_S
    frames = int(np.ceil((LEAD_S + last) * recording.fps))
    calibration = Calibration(
        table=scene.table, camera=scene.camera, foot_known=True, foot_side=foot_side(scene), residual_mm=(0.0, 0.0), good=True
    )
    known = facts(shot)
    before = {ball: [round(v, 6) for v in place] for ball, place in shot.before.items()}
    pixels = scene.camera.to_pixels(list(shot.before.values()), height_m=scene.table.spec.ball_radius_m)
    return {
        "format": FORMAT,
        "video": name,
        "kind": shot.kind,
        "game": "nine_ball",
        "seed": recording.seed,
        "fps": recording.fps,
        "frames": frames,
        "exposure_s": round(scene.look.sensor.exposure_s, 5),
        "table": calibration.to_dict(),
        "strike_s": LEAD_S,
        "rest_s": round(LEAD_S + shot.end_s, 4),
        "before": before,
        "before_px": {b: [round(float(x), 2), round(float(y), 2)] for b, (x, y) in zip(shot.before, pixels, strict=True)},
        "after": {},
        "events": [{**e, "t": round(e["t"], 5)} for e in shot.events],
        **known,
        "nine_ball": nine_ball_ruling(shot, known),
        "pictures": [],
    }


def _finish(truth: dict[str, Any], motion: Motion) -> None:
    for ball in motion.shot.before:
        if motion.is_on_bed(ball, motion.shot.end_s + TAIL_S):
            place = motion.centre(ball, motion.shot.end_s + TAIL_S)
            assert place is not None, ball
            truth["after"][ball] = [round(float(place[0]), 6), round(float(place[1]), 6)]


def _picture(recording: Recording, motion: Motion, clock_s: float) -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """The picture whose exposure is centred at `clock_s`, and what is true then."""
    time_s = clock_s - LEAD_S
    exposure = recording.scene.look.sensor.exposure_s
    balls = []
    for ball in motion.shot.before:
        times = _moments(motion, ball, time_s, exposure)
        pairs = [(motion.centre(ball, float(t)), motion.rotation(ball, float(t))) for t in times]
        seen = [(centre, rotation) for centre, rotation in pairs if centre is not None]
        if seen:
            centres, rotations = np.stack([c for c, _ in seen]), np.stack([r for _, r in seen])
            balls.append(BallInView(ball=ball, centres_m=centres, rotations=rotations))
    pose = stance(recording, time_s)
    view = recording.scene.render(balls, None if pose is None else (recording.player, pose))
    entry: dict[str, Any] = {"time_s": round(clock_s, 5), "balls": {}}
    for ball in motion.shot.before:
        place = motion.centre(ball, time_s)
        if place is not None and motion.is_on_bed(ball, time_s):
            entry["balls"][ball] = [round(float(place[0]), 5), round(float(place[1]), 5), round(view.visible.get(ball, 0.0), 2)]
    return view.image, entry


def _moments(motion: Motion, ball: str, time_s: float, exposure_s: float) -> NDArray[np.float64]:
    """The moments to average for a ball: one at rest, the closer the faster it moves."""
    if not motion.is_moving(ball, time_s, exposure_s):
        return np.array([time_s])
    start, end = motion.centre(ball, time_s - exposure_s / 2), motion.centre(ball, time_s + exposure_s / 2)
    assert start is not None, ball
    assert end is not None, ball
    count = subframes(float(np.linalg.norm(end - start)), motion.table.spec.ball_radius_m)
    return np.linspace(-0.5, 0.5, count) * exposure_s + time_s


def stance(recording: Recording, time_s: float) -> Pose | None:
    """Where the player is at a time from the tip contact; None while he is away."""
    if not _ENTER_S < time_s < _GONE_S:
        return None
    shot, table = recording.shot, recording.scene.table
    radius = table.spec.ball_radius_m
    angle = shot.strike["phi"]
    direction = np.array([cos(angle), sin(angle)])
    cue_ball = np.array(shot.before["cue"])
    tip = cue_ball - direction * radius
    bridge = tip - direction * _bridge_length(recording, tip, direction)
    if time_s < _AIM_S:
        back = _AWAY_M * (1 - _smooth((time_s - _ENTER_S) / (_AIM_S - _ENTER_S)))
    else:
        back = _AWAY_M * _smooth((time_s - _LEAVE_S) / (_GONE_S - _LEAVE_S))
    return Pose(
        tip_m=(float(tip[0]), float(tip[1]), radius),
        direction=angle,
        bridge_m=(float(bridge[0]), float(bridge[1])),
        back_m=back,
        draw_m=_draw(time_s, shot.strike["V0"]),
    )


def _bridge_length(recording: Recording, tip: NDArray[np.float64], direction: NDArray[np.float64]) -> float:
    others = [np.array(p) for b, p in recording.shot.before.items() if b != "cue"]
    for length in (0.20, 0.24, 0.16, 0.28, 0.13):
        if all(np.linalg.norm(tip - direction * length - p) > 0.10 for p in others):
            return length
    return 0.20


def _draw(time_s: float, speed_mps: float) -> float:
    """How far the tip is behind its place of contact: two practice strokes, the stroke, the follow-through."""
    pull = 0.06 + 0.02 * min(speed_mps, 6.0)
    rest = 0.018
    if time_s < -0.35:
        return rest + 0.5 * pull * (0.5 - 0.5 * cos(2 * np.pi * (time_s + 1.1) / 0.375)) if time_s > -1.1 else rest
    run = max(0.05, min(0.2, 2 * pull / max(speed_mps, 0.3)))
    if time_s < -run:
        return rest + (pull - rest) * _smooth((time_s + 0.35) / max(0.35 - run, 1e-3))
    if time_s < 0:
        return pull * (1 - ((time_s + run) / run) ** 2)
    return -0.5 * pull * _smooth(time_s / 0.12) if time_s < 0.25 else -0.5 * pull * (1 - _smooth((time_s - 0.25) / 0.2))


def _smooth(share: float) -> float:
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


__all__ = ["FORMAT", "LEAD_S", "Recording", "Table", "stance", "write_recording"]
