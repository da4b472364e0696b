"""How far a picture has shifted against a reference: the table's frame and its surroundings, to a tenth of a pixel.

Small patches on noses, rubber, rails and pockets are looked for again near their place by normalised correlation, which
lamps and exposure do not change. A patch on a straight edge tells only the movement across it: each reading d_b carries
its structure matrix A_b (Förstner & Gülch 1987), and a similarity (shift, turn, zoom about the table's middle) is fitted to
all by minimising sum w_b (d_b - M_b q)' A_b (d_b - M_b q), robustly (Cauchy), from two starts: no movement, and the
movement most patches agree on. A person spoils the patches he covers; those correlate badly or disagree, and are left out.

A shift beyond the reach of the patches is found first on the whole picture, reduced, by phase correlation.

Fails: a rail without any texture; a shift along a table whose ends are hidden; a person who fills more than two thirds.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.solve import SIDES, side_points_m

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_ALONG = 10
"""Patches along each cushion."""
_PATCH_M = 0.05
"""Half a patch: nose, rubber and the edge of the rail are in it."""
_OUTWARD_M = 0.025
"""Middle of a patch, outward of the nose."""
_PATCH_PX = (8, 40)
_REACH_M = 0.02
"""How far patches are looked for; farther, the whole picture is asked first."""
_REACH_PX = (4, 20)
_SAME = 0.6
"""Correlation above which a patch shows what it did: noise and other light keep 0.75, people and cues give below 0.4."""
_NOISE_PERCENT = 20.0
"""Of the patches' weaker gradients, the share that is noise: most lie on straight edges, pockets and diamonds do not."""
_CONTRAST = 3.0
"""Spread of grey levels below which a patch tells nothing."""
_AGREE_PX = 0.4
"""Distance within which a patch agrees with the movement of all."""
_PLAIN = 0.8
"""Share of patches that agree from which no other start is tried: no other movement can have more."""
_SETTLED_PX = 0.005
"""Step of the fit at the corners after which it is done."""
_SMALL_PX = 480
"""Width of the picture whose whole is compared."""
_AROUND_M = 0.28
"""Outward of the nose: clear of the rail, on the floor or what stands there."""
_AROUND_FROM_M = 0.001
"""Movement of the table from which its surroundings are looked at; before, their movement would tell nothing."""
_AROUND_MIN = 4
"""Patches around the table that must be readable to say anything of the surroundings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """Movement of a picture against its reference.

    Attributes:
        moved_m: Largest movement of a corner of the bed, metres on the cloth; NaN where too little is seen.
        zoom: Factor of size, 1 is none.
        seen: Share of the frame's patches that show what they did, wherever they moved to, 0 to 1.
        agreeing: Share of those that move as one.
        around_moved_m: The same movement as seen in the surroundings; NaN where they cannot be read
            and where the table has hardly moved.
        parameters: Shift x, y in pixels, turn and zoom about the middle; for taking medians over time.
    """

    moved_m: float
    zoom: float
    seen: float
    agreeing: float
    around_moved_m: float
    parameters: tuple[float, float, float, float]


class ShiftMeter:
    """Compares pictures of one view with a reference; remembers nothing but patches."""

    def __init__(self, calibration: Calibration, reference: Image) -> None:
        """Cut the patches.

        Args:
            calibration: Of the reference.
            reference: Shape (h, w, 3), BGR.
        """
        spec, camera = calibration.spec, calibration.camera
        self._camera, self._height_m = camera, spec.nose_height_m
        self._corners_px = np.array(list(calibration.corners_px().values()))
        self._corners_m = camera.to_table(self._corners_px, height_m=self._height_m)
        self._middle = self._corners_px.mean(axis=0)
        pixel_m = spec.length_m / float(np.ptp(self._corners_px, axis=0).max())
        self._half = int(np.clip(round(_PATCH_M / pixel_m), *_PATCH_PX))
        self._reach = int(np.clip(round(_REACH_M / pixel_m), *_REACH_PX))
        self._size = reference.shape
        grey = _grey(reference)
        self._small = _small(grey)
        self._noise = 0.0
        self._frame = self._cut(grey, self._places(calibration, _OUTWARD_M, list(calibration.pockets_px().values())))
        self._around = self._cut(grey, self._places(calibration, _AROUND_M, []))

    def _places(self, calibration: Calibration, outward_m: float, more: list[tuple[float, float]]) -> list[tuple[float, float]]:
        spec = calibration.spec
        places = list(more)
        for side in SIDES:
            half = (spec.width_m if side in ("head", "foot") else spec.length_m) / 2
            along = (np.arange(_ALONG) + 0.5) / _ALONG * 2 * half - half
            points = side_points_m(side, along, np.full(_ALONG, outward_m), spec)
            places += [(float(x), float(y)) for x, y in calibration.camera.to_pixels(points, height_m=self._height_m) if np.isfinite(x + y)]
        return places

    def _cut(self, grey: Image, places: list[tuple[float, float]]) -> list["_Patch"]:
        """Patches at those places; nearer to the border than their reach they are left out."""
        height, width = grey.shape
        margin = self._half + self._reach + 1
        cut: list[tuple[tuple[int, int], Image]] = []
        for x, y in places:
            u, v = round(x), round(y)
            if not (margin <= u < width - margin and margin <= v < height - margin):
                continue
            looks = grey[v - self._half : v + self._half + 1, u - self._half : u + self._half + 1]
            if looks.std() > _CONTRAST:
                cut.append(((u, v), looks.copy()))
        # Along an edge nothing changes but noise: what most patches show in their weaker direction is taken off both.
        noise = float(np.percentile([_gradients(looks)[0][0] for _, looks in cut], _NOISE_PERCENT)) if cut else 0.0
        self._noise = max(self._noise, noise)
        return [_Patch(at=at, looks=looks, strength=_structure(looks, noise)) for at, looks in cut]

    @property
    def usable(self) -> bool:
        """Whether the frame shows enough to be watched at all."""
        return len(self._frame) >= 8

    def measure(self, image: Image) -> Shift:
        """The movement of a picture.

        Args:
            image: Shape as the reference's; another size is another view: nothing is seen of the table.
        """
        if image.shape != self._size or not self.usable:
            return _NOTHING
        grey = _grey(image)
        found = self._fit(self._frame, grey, (0, 0))
        base = (0, 0)
        if found.seen < 0.4 or found.agreeing < 0.6:
            base = self._whole(grey)
            far = self._fit(self._frame, grey, base) if base != (0, 0) else found
            if far.seen * far.agreeing > found.seen * found.agreeing:
                found = far
            else:
                base = (0, 0)
        moved_m = self._on_cloth(found.parameters) if found.seen > 0 else float("nan")
        around = self._surroundings(grey, base) if moved_m > _AROUND_FROM_M else None
        readable = around is not None and around.seen >= 0.5 and around.agreeing >= 0.6
        q = found.parameters
        return Shift(
            moved_m=moved_m,
            zoom=1 + float(q[3]),
            seen=found.seen,
            agreeing=found.agreeing,
            around_moved_m=self._on_cloth(around.parameters) if around is not None and readable else float("nan"),
            parameters=(float(q[0]), float(q[1]), float(q[2]), float(q[3])),
        )

    def _surroundings(self, grey: Image, base: tuple[int, int]) -> "_Movement | None":
        """Movement of what lies around the table: with it, or not at all, whichever more patches show."""
        if len(self._around) < _AROUND_MIN:
            return None
        still = self._fit(self._around, grey, (0, 0))
        along = self._fit(self._around, grey, base) if base != (0, 0) else still
        return along if along.seen > still.seen else still

    def moved_m(self, parameters: tuple[float, float, float, float]) -> float:
        """Largest movement of a corner of the bed under a movement of the picture, metres."""
        return self._on_cloth(np.array(parameters))

    def refresh(self, image: Image) -> None:
        """Take patches that do not correlate from this picture, which must show the reference's view unmoved."""
        grey = _grey(image)
        for patch in self._frame:
            u, v = patch.at
            looks = grey[v - self._half : v + self._half + 1, u - self._half : u + self._half + 1]
            reading = _look(patch, grey, (0, 0), self._half, self._reach)
            if reading is None and looks.std() > _CONTRAST:
                patch.looks, patch.strength = looks.copy(), _structure(looks, self._noise)

    def _on_cloth(self, q: FloatArray) -> float:
        moved = self._corners_px + _basis(self._corners_px - self._middle) @ q
        places = self._camera.to_table(moved, height_m=self._height_m)
        return float(np.nanmax(np.hypot(*(places - self._corners_m).T), initial=0.0))

    def _fit(self, patches: list["_Patch"], grey: Image, base: tuple[int, int]) -> "_Movement":
        readings = [(patch, _look(patch, grey, base, self._half, self._reach)) for patch in patches]
        told = [(patch, reading) for patch, reading in readings if reading is not None]
        if len(told) < _AROUND_MIN:
            return _Movement(parameters=np.zeros(4), seen=0.0, agreeing=0.0)
        places = np.array([patch.at for patch, _ in told], dtype=np.float64) - self._middle
        moves = np.array([reading for _, reading in told])
        strengths = np.stack([patch.strength for patch, _ in told])
        basis = strengths @ _basis(places)
        targets = np.einsum("nij,nj->ni", strengths, moves)
        shared = np.linalg.lstsq(strengths.reshape(-1, 2), targets.ravel(), rcond=None)[0]
        best: tuple[float, FloatArray, FloatArray] | None = None
        for start in (np.array([*base, 0.0, 0.0], dtype=np.float64), np.array([*shared, 0.0, 0.0])):
            if best is not None and (best[2] < _AGREE_PX).mean() > _PLAIN:
                break
            q = start
            for _ in range(12):
                off = np.hypot(*(targets - basis @ q).T)
                weight = 1 / (1 + (off / (_AGREE_PX / 2)) ** 2)
                normal = np.einsum("nik,n,nil->kl", basis, weight, basis) + _PRIOR
                last = q
                q = np.linalg.solve(normal, np.einsum("nik,n,ni->k", basis, weight, targets) + _PRIOR @ np.array([*base, 0, 0]))
                if np.abs(_basis(self._corners_px - self._middle) @ (q - last)).max() < _SETTLED_PX:
                    break
            off = np.hypot(*(targets - basis @ q).T)
            score = float((1 / (1 + (off / _AGREE_PX) ** 2)).sum())
            if best is None or score > best[0] + 0.5:
                best = score, q, off
        assert best is not None
        return _Movement(
            parameters=np.asarray(best[1], dtype=np.float64),
            seen=len(told) / len(patches),
            agreeing=float((best[2] < _AGREE_PX).mean()),
        )

    def _whole(self, grey: Image) -> tuple[int, int]:
        """Shift of the whole picture in whole pixels; (0, 0) where it is not clear."""
        small = _small(grey)
        window = cv2.createHanningWindow((small.shape[1], small.shape[0]), cv2.CV_32F)
        (x, y), response = cv2.phaseCorrelate(self._small, small, window)
        factor = grey.shape[1] / small.shape[1]
        return (round(x * factor), round(y * factor)) if response > 0.1 else (0, 0)


@dataclass(slots=True, kw_only=True, eq=False)
class _Patch:
    """A patch of the reference: middle, grey levels, and root of its structure matrix (strongest direction 1)."""

    at: tuple[int, int]
    looks: Image
    strength: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Movement:
    parameters: FloatArray
    seen: float
    agreeing: float


_NOTHING = Shift(moved_m=float("nan"), zoom=1.0, seen=0.0, agreeing=0.0, around_moved_m=float("nan"), parameters=(0.0, 0.0, 0.0, 0.0))
_PRIOR = np.diag([1e-3, 1e-3, 10.0, 10.0])
"""Holds turn and zoom where too few patches tell them; a zoom of 1 % moves a corner by 8 pixels, which 40 patches outweigh."""


def _grey(image: Image) -> Image:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _small(grey: Image) -> NDArray[np.float32]:
    factor = min(1.0, _SMALL_PX / grey.shape[1])
    size = (round(grey.shape[1] * factor), round(grey.shape[0] * factor))
    return np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), dtype=np.float32)


def _basis(places: FloatArray) -> FloatArray:
    """Movement of places by shift x, shift y, turn and zoom, shape (N, 2, 4)."""
    x, y = places.T
    one, zero = np.ones(len(x)), np.zeros(len(x))
    return np.asarray(np.stack([np.stack([one, zero, -y, x], axis=1), np.stack([zero, one, x, y], axis=1)], axis=1), dtype=np.float64)


def _gradients(looks: Image) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues, ascending, and eigenvectors of a patch's structure matrix."""
    smooth = np.asarray(cv2.GaussianBlur(looks, (0, 0), 1.0), dtype=np.float64)
    gy, gx = np.gradient(smooth)
    values, vectors = np.linalg.eigh(np.array([[(gx * gx).sum(), (gx * gy).sum()], [(gx * gy).sum(), (gy * gy).sum()]]))
    return np.asarray(values, dtype=np.float64), np.asarray(vectors, dtype=np.float64)


def _structure(looks: Image, noise: float) -> FloatArray:
    """Root of the structure matrix, noise taken off, over its largest eigenvalue; a direction with a twentieth of it tells nothing."""
    values, vectors = _gradients(looks)
    values = np.maximum(values - noise, 0.0)
    share = values / max(float(values[1]), 1e-9)
    root = np.where(share > 0.05, np.sqrt(np.maximum(share, 0.0)), 0.0)
    return np.asarray((vectors * root) @ vectors.T, dtype=np.float64)


def _look(patch: _Patch, grey: Image, base: tuple[int, int], half: int, reach: int) -> FloatArray | None:
    """Movement of a patch in pixels; None where it is not found, or left the picture."""
    u, v = patch.at[0] + base[0], patch.at[1] + base[1]
    outer = half + reach
    if not (outer <= u < grey.shape[1] - outer and outer <= v < grey.shape[0] - outer):
        return None
    window = grey[v - outer : v + outer + 1, u - outer : u + outer + 1]
    match = np.asarray(cv2.matchTemplate(window, patch.looks, cv2.TM_CCOEFF_NORMED), dtype=np.float64)
    j, i = np.unravel_index(int(match.argmax()), match.shape)
    if not match[j, i] > _SAME:
        return None
    moved = np.array([i - reach, j - reach], dtype=np.float64)
    for axis, (before, after) in enumerate((((j, i - 1), (j, i + 1)), ((j - 1, i), (j + 1, i)))):
        if min(before) < 0 or after[0] >= match.shape[0] or after[1] >= match.shape[1]:
            direction = np.eye(2)[axis]
            if np.hypot(*(patch.strength @ direction)) > 0.5:
                return None
            continue
        bend = match[before] - 2 * match[j, i] + match[after]
        if bend < 0:
            moved[axis] += 0.5 * (match[before] - match[after]) / bend
    return np.asarray(moved + base, dtype=np.float64)
