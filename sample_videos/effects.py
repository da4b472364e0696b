"""What goes wrong between a table and a file: lost and repeated pictures, uneven clocks, fields, flicker, drift, a nudge.

A schedule says for every picture of the file when it was exposed, which stamp it bears, how bright it is, from which
half of the lines it was made and through which camera. Stamps and exposures never differ by more than a few pictures,
so that times on the file's clock hold for both; the truth gives each picture's own `shown_s` where it differs.

Doubled fields: a source of 50 fields a second in a file of 25 pictures. A picture shows one field, its lines doubled;
which one wanders, so that neighbours lie 20, 40 or 60 ms apart under stamps of 40 (seen in broadcast clips), and where
the doubling is not corrected for the field's place the picture steps half a line up or down.
"""

from dataclasses import asdict, dataclass, replace
from math import pi, sin
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.errors import InputError
from sample_videos.ball_sets import GAMMA

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What goes wrong in a recording; nothing by default.

    Attributes:
        dropped: Share of pictures that are missing; the stamps tell of it.
        repeated: Share of pictures that are missing and replaced by the one before; the stamps do not tell.
        jitter: Unevenness of a variable frame rate, share of the frame period; the stamps tell the truth.
        fields: Whether pictures are doubled fields of a source of twice the rate.
        bob: Whether their half lines of shift are left in.
        flicker: Amplitude of the lamps' flicker, share of the light.
        mains_hz: Of the mains; lamps flicker at twice that.
        drift: Amplitude of a slow change of exposure, share of the light.
        drift_s: Its period.
        nudge_s: When somebody bumps the camera; None for never.
        nudge_deg: How far the camera then points aside: about its x, y and z axis.
        bit_rate_mbps: Of the encoder; None for constant quality.
        seed: Which pictures.
    """

    dropped: float = 0.0
    repeated: float = 0.0
    jitter: float = 0.0
    fields: bool = False
    bob: bool = False
    flicker: float = 0.0
    mains_hz: float = 50.0
    drift: float = 0.0
    drift_s: float = 11.0
    nudge_s: float | None = None
    nudge_deg: tuple[float, float, float] = (0.0, 0.0, 0.0)
    bit_rate_mbps: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("dropped", "repeated", "jitter", "flicker", "drift"):
            value = getattr(self, name)
            if not 0 <= value <= 0.5:
                raise InputError(f"effects: {name} must be between 0 and 0.5, found {value}")
        if self.bit_rate_mbps is not None and not 0.1 <= self.bit_rate_mbps <= 100:
            raise InputError(f"effects: bit rate must be between 0.1 and 100 Mb/s, found {self.bit_rate_mbps}")


NO_EFFECTS = Effects()
TROUBLES = ("dropped", "repeated", "variable", "fields", "flicker", "drift", "nudge", "low-rate")
"""Kinds of trouble by name, for `draw_effects`."""


def draw_effects(rng: np.random.Generator, troubles: tuple[str, ...], end_s: float) -> Effects:
    """Effects of the given kinds, as strong as they happen to be.

    Args:
        rng: Source of chance.
        troubles: Names of `TROUBLES`.
        end_s: Length of the recording, for when the camera is nudged.

    Raises:
        InputError: If a name is not known.
    """
    effects = Effects(seed=int(rng.integers(2**31)), mains_hz=float(rng.choice([50.0, 60.0])))
    for name in troubles:
        if name == "dropped":
            effects = replace(effects, dropped=float(rng.uniform(0.01, 0.10)))
        elif name == "repeated":
            effects = replace(effects, repeated=float(rng.uniform(0.01, 0.10)))
        elif name == "variable":
            effects = replace(effects, jitter=float(rng.uniform(0.05, 0.35)))
        elif name == "fields":
            effects = replace(effects, fields=True, bob=bool(rng.random() < 0.5))
        elif name == "flicker":
            effects = replace(effects, flicker=float(rng.uniform(0.03, 0.20)))
        elif name == "drift":
            effects = replace(effects, drift=float(rng.uniform(0.03, 0.25)), drift_s=float(rng.uniform(4, 25)))
        elif name == "nudge":
            x, y, z = (float(v) for v in rng.normal(0, 0.25, 3))
            effects = replace(effects, nudge_s=float(rng.uniform(0.3, 0.7) * end_s), nudge_deg=(x, y, z))
        elif name == "low-rate":
            effects = replace(effects, bit_rate_mbps=float(rng.uniform(2, 6)))
        else:
            raise InputError(f"no trouble is called {name!r}; there are {', '.join(TROUBLES)}")
    return effects


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One picture of the file.

    Attributes:
        stamp_s: When the file shows it.
        time_s: Middle of its exposure.
        repeated: Whether it is the picture before once more.
        gain: Light over the usual.
        field: 0 or 1: the lines it is made from; None for all.
        view: 0 before a nudge, 1 after.
    """

    stamp_s: float
    time_s: float
    repeated: bool = False
    gain: float = 1.0
    field: int | None = None
    view: int = 0


def schedule(effects: Effects, end_s: float, fps: float, exposure_s: float) -> list[Shown]:
    """The pictures of a file of `end_s` seconds, in order."""
    rng = np.random.default_rng(effects.seed)
    count = int(np.ceil(end_s * fps - 1e-9))
    half = 1 / (2 * fps)
    result: list[Shown] = []
    late = 0
    for k in range(count):
        lost, again, sway = rng.random(3)
        stamp = time = k / fps
        if effects.jitter and k:
            stamp = time = time + (sway - 0.5) * effects.jitter / fps
        field = None
        if effects.fields:
            late = int(np.clip(late + (sway > 0.93) - (sway < 0.07), 0, 1)) if k else 0
            time, field = time + late * half, late
        if k and lost < effects.dropped:
            continue
        shown = Shown(
            stamp_s=stamp,
            time_s=time,
            gain=_gain(effects, time, exposure_s),
            field=field,
            view=int(effects.nudge_s is not None and time >= effects.nudge_s),
        )
        if k and again < effects.repeated:
            shown = replace(result[-1], stamp_s=stamp, repeated=True)
        result.append(shown)
    return result


def _gain(effects: Effects, time_s: float, exposure_s: float) -> float:
    rate = 2 * effects.mains_hz
    # An exposure of whole periods of the lamps sees no flicker.
    seen = float(np.sinc(rate * exposure_s))
    return (1 + effects.flicker * seen * sin(2 * pi * rate * time_s)) * (1 + effects.drift * sin(2 * pi * time_s / effects.drift_s))


def alter(image: Bytes, shown: Shown, effects: Effects) -> Bytes:
    """A finished picture (H, W, 3) as this entry of the schedule has it."""
    if abs(shown.gain - 1) > 1e-3:
        image = np.asarray(cv2.convertScaleAbs(image, alpha=shown.gain ** (1 / GAMMA)), np.uint8)
    if shown.field is not None:
        height, width = image.shape[:2]
        half = image[shown.field :: 2]
        if effects.bob:
            image = np.asarray(cv2.resize(half, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
        else:
            where = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, shown.field]])
            image = np.asarray(
                cv2.warpAffine(half, where, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8
            )
    return image


def rows_shift(shown: Shown, effects: Effects) -> float:
    """Pixels by which the picture stands too low."""
    return 0.0 if shown.field is None or not effects.bob else (0.5 if shown.field == 0 else -0.5)


def nudged(camera: CameraModel, effects: Effects) -> CameraModel:
    """The camera after the nudge: where it was, pointing aside."""
    turn, _ = cv2.Rodrigues(np.radians(effects.nudge_deg))
    rotation = np.asarray(turn @ camera.rotation, np.float64)
    return CameraModel(
        matrix=camera.matrix.copy(),
        distortion=camera.distortion.copy(),
        rotation=rotation,
        translation_m=-rotation @ camera.position_m,
        image_size_px=camera.image_size_px,
    )


def effects_truth(effects: Effects, shown: list[Shown]) -> dict[str, Any]:
    """What a truth file says of the effects."""
    return {
        **asdict(effects),
        "pictures": len(shown),
        "repeats": sum(entry.repeated for entry in shown),
    }


__all__ = ["NO_EFFECTS", "TROUBLES", "Effects", "Shown", "alter", "draw_effects", "effects_truth", "nudged", "rows_shift", "schedule"]
