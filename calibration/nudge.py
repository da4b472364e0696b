"""Has the camera been nudged? How far the table's frame lies from where it was calibrated, by the picture of its rails.

Theory. Across a rail (bed, rubber, nose, wood) the brightness makes a profile that is much the same along the whole
side and does not move unless the camera does. Each side is cut into blocks; in each the mean profile across the rail is laid
over that of a reference and shifted until it fits best, to a fraction of a sample by a parabola. A nudge shifts the
opposite sides of the table the same way in the picture, so outward on one side and inward on the other; a player who leans
over a rail spoils the blocks that he covers and no others. The shift of a side is the median of its blocks, and is told
only where half of them agree.

Fails: a turn about the table's middle shifts the blocks of a side both ways and is noticed only where it exceeds the agreement;
sides without any contrast (black rubber on black wood) say nothing.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.solve import SIDES, side_points_m

Image = NDArray[np.uint8]
FloatArray = NDArray[np.float64]

ACROSS_M = (-0.07, 0.15)
"""From the bed beside the nose to the wood of the rail, metres outward of the nose."""
STEP_M = 0.0025
"""Sampling across the rail: about a pixel of 1080p."""
BLOCKS = 8
"""Blocks a side: a leaning player covers two or three of a long one."""
ALONG = 12
"""Lines in a block, averaged."""
MOST_M = 0.03
"""Largest shift that is looked for: more, and cloth and pockets are not where they belong either, which the eyes notice."""
LEAST_SPREAD = 4.0
"""Grey levels of contrast that a profile must have to say anything."""
LEAST_CORRELATION = 0.8
"""A profile is the same rail from here on: covered ones are below 0.5, lamps and exposure leave it above 0.95."""
AGREE_M = 0.0015
"""Blocks of one side agree within this, metres: the noise of one block is half a millimetre."""
NUDGED_M = 0.004
"""A side that has moved by this counts, metres: a ball is then judged 4 mm off, more than a close call can bear. On three
recordings of televised tables people and shadows came to 2.4 mm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How far the sides of the table have moved outward, where that can be told.

    Attributes:
        sides_m: Side to metres; sides that cannot be told are left out.
    """

    sides_m: dict[str, float]

    @property
    def largest_m(self) -> float:
        """Of any side, metres, above 0; 0 where none can be told."""
        return max((abs(shift) for shift in self.sides_m.values()), default=0.0)

    @property
    def is_nudged(self) -> bool:
        """The camera does not stand where it was calibrated: opposite sides moved the same way in the picture, or three sides moved.

        One side alone is a shadow along its rail, or a player lying on it.
        """
        shifts = self.sides_m
        for one, two in (("head", "foot"), ("left", "right")):
            a, b = shifts.get(one, 0.0), shifts.get(two, 0.0)
            if min(abs(a), abs(b)) >= NUDGED_M and a * b < 0:
                return True
        return sum(abs(shift) >= NUDGED_M for shift in shifts.values()) >= 3


class NudgeWatch:
    """Compares pictures with a reference of the calibrated view; same picture, same answer."""

    def __init__(self, calibration: Calibration, reference: Image) -> None:
        """Take the profiles of the reference.

        Args:
            calibration: Of the reference.
            reference: Shape (h, w, 3), BGR.
        """
        self._maps = _maps(calibration)
        self._reference = self._profiles(reference)

    def shift(self, image: Image) -> Shift:
        """How far the table's frame lies from where it was, shape (h, w, 3), BGR, of the reference's size."""
        profiles = self._profiles(image)
        sides: dict[str, float] = {}
        for index, side in enumerate(SIDES):
            rows = range(index * BLOCKS, (index + 1) * BLOCKS)
            shifts = [found for row in rows if (found := _shift_m(self._reference[row], profiles[row])) is not None]
            if 2 * len(shifts) < BLOCKS:
                continue
            middle = float(np.median(shifts))
            if 2 * sum(abs(shift - middle) <= AGREE_M for shift in shifts) >= BLOCKS:
                sides[side] = middle
        return Shift(sides_m=sides)

    def _profiles(self, image: Image) -> FloatArray:
        """Mean brightness across the rail in each block, shape (sides x BLOCKS, samples)."""
        sampled = cv2.remap(image, self._maps[..., 0], self._maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        grey = np.asarray(cv2.cvtColor(sampled, cv2.COLOR_BGR2GRAY), dtype=np.float64)
        return np.asarray(grey.reshape(len(SIDES) * BLOCKS, ALONG, -1).mean(axis=1))


def _maps(calibration: Calibration) -> NDArray[np.float32]:
    """Picture points, shape (sides x BLOCKS x ALONG, samples, 2)."""
    spec = calibration.spec
    outward = np.arange(ACROSS_M[0], ACROSS_M[1], STEP_M)
    parts = []
    for side in SIDES:
        half = (spec.width_m if side in ("head", "foot") else spec.length_m) / 2
        along = np.linspace(-0.92 * half, 0.92 * half, BLOCKS * ALONG)  # without the corner pockets
        grid = side_points_m(side, np.repeat(along, len(outward)), np.tile(outward, len(along)), spec)
        parts.append(calibration.camera.to_pixels(grid, height_m=spec.nose_height_m).reshape(len(along), len(outward), 2))
    return np.concatenate(parts).astype(np.float32)


def _shift_m(first: FloatArray, second: FloatArray) -> float | None:
    """How far the second profile lies outward of the first; None where they are not the same rail."""
    most = round(MOST_M / STEP_M)
    middle = first[most:-most]
    if middle.std() < LEAST_SPREAD or second.std() < LEAST_SPREAD:
        return None
    scores = np.array([_correlation(middle, second[most + k : len(second) - most + k]) for k in range(-most, most + 1)])
    best = int(scores.argmax())
    if scores[best] < LEAST_CORRELATION or best in (0, 2 * most):
        return None
    before, here, after = scores[best - 1 : best + 2]
    bend = before - 2 * here + after
    part = 0.0 if bend >= 0 else 0.5 * (before - after) / bend
    return float((best - most + part) * STEP_M)


def _correlation(one: FloatArray, two: FloatArray) -> float:
    a, b = one - one.mean(), two - two.mean()
    return float(a @ b / max(np.sqrt(float(a @ a) * float(b @ b)), 1e-9))
