"""Round things in a picture of which nothing is known but about where they are and about how large: centre, size, stretch.

Theory: along rays from a start the strongest edge against what lies around is sought, as in vision.outline, but nothing is
known of camera and table, so centre, radius and stretch are all free. About a start near its middle the outline of an
ellipse of small shift and stretch is, to first order,

    rho(a) = r + x cos a + y sin a + p cos 2a + q sin 2a

so all five come out of linear least squares, Tukey's biweight leaving out edges that fit no such curve (highlight, number,
neighbour, shadow); a few rounds, each looking nearer to the outline of the round before. A sphere far from the middle of a
wide lens is stretched by up to a half; what is stretched more is no ball.

Fails: less than half of an outline seen leaves size and stretch loose (`support` says so); two things that touch and look
alike are told apart only where the gap's corners show.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_ANGLES = 40
_ALONG = np.linspace(0.35, 1.65, 53, dtype=np.float32)
"""Samples along a ray, expected radii: a start half a radius off, or a size wrong by a sixth with a stretch of a half."""
_FINE_PX = 14.0
"""Larger things are looked at in a picture reduced to this radius: grain and weave average out, a tenth of a radius stays a pixel."""
_PRIORS = (0.32, 0.22, 0.14, 0.10)
"""How far from the curve so far an edge is looked for in each round, standard deviation in expected radii."""
_TERMS = (3, 3, 5, 5)
"""Terms of the curve in each round: a circle first, its stretch when the circle lies."""
_TUKEY = (0.45, 0.3, 0.2, 0.13)
"""Edges further than this from the curve do not count in that round, expected radii."""
_EDGE_LEAST = 8.0
"""Smallest change that is an edge, levels of 255 after the picture's light is evened (`evened`)."""
_BRIGHTNESS_WEIGHT = 0.5
"""As in vision.outline: shadows are weak edges, black balls still edges."""
_KNOWN_PULL = 10.0
"""How many edges a known size weighs as much as: of 40."""
_MOST_ROWS = 20_000
"""Rays read in one go; OpenCV takes pictures of up to 32767 rows."""
_STRETCH_MOST = 0.28
"""Largest stretch over radius: long over short axis 1.75."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rounds:
    """N fitted outlines.

    Attributes:
        centres_px: Shape (N, 2).
        radii_px: Shape (N,), mean of the half axes.
        outlines_px: Shape (N, angles, 2).
        support: Shape (N,), part of the outline that shows a fitting edge, 0 to 1.
        spread: Shape (N,), robust standard deviation of the fitting edges about the curve, radii.
        usable: Shape (N,), False where no round thing of about the expected size came out.
    """

    centres_px: FloatArray
    radii_px: FloatArray
    outlines_px: FloatArray
    support: FloatArray
    spread: FloatArray
    usable: NDArray[np.bool_]


def evened(image: Image) -> Image:
    """The picture with its overall light brought to a common level, so that thresholds in levels hold in the dark.

    One gain for all pixels and channels: colours keep their hue, highlights clip.
    """
    usual = float(np.percentile(image[::8, ::8].max(axis=2), 60))
    return np.asarray(cv2.convertScaleAbs(image, alpha=float(np.clip(110.0 / max(usual, 1.0), 1.0, 4.0))), dtype=np.uint8)


def fit_rounds(image: Image, starts_px: FloatArray, radius_px: float, *, known: bool = False) -> Rounds:
    """Outlines from rough starts.

    Args:
        image: Shape (H, W, 3), BGR, its light `evened`.
        starts_px: Shape (N, 2), right to half a radius.
        radius_px: The expected radius, right to a fifth.
        known: True where the radius is that of the other balls of the picture: then it and the stretch give way to many
            edges only, and neighbours or a sleeve do not make a small circle of half a ball.
    """
    count = len(starts_px)
    scale = min(1.0, _FINE_PX / radius_px)
    small = image if scale == 1.0 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    angles = np.arange(_ANGLES) * (2 * np.pi / _ANGLES)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    basis = np.column_stack([np.ones(_ANGLES), ring, np.cos(2 * angles), np.sin(2 * angles)])
    middle = (starts_px + 0.5) * scale - 0.5
    reach = radius_px * scale * _ALONG
    points = (middle[:, None, None] + ring[None, :, None] * reach[None, None, :, None]).astype(np.float32).reshape(-1, len(_ALONG), 2)
    rays = np.zeros((0, len(_ALONG), 3), np.float32)
    if count:
        parts = np.array_split(points, -(-len(points) // _MOST_ROWS))
        seen = [cv2.remap(small, part[..., 0], part[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) for part in parts]
        rays = np.concatenate(seen).astype(np.float32)
    change = _change(rays.reshape(count, _ANGLES, len(_ALONG), 3))
    terms = np.zeros((count, 5))
    terms[:, 0] = 1.0
    usual = terms.copy()
    pull = np.array([1.0, 0.0, 0.0, 1.0, 1.0]) * (_KNOWN_PULL if known else 0.0) + 0.3
    offsets = used = np.zeros((count, _ANGLES))
    for prior, kept, tukey in zip(_PRIORS, _TERMS, _TUKEY, strict=True):
        curve = terms @ basis.T
        found, strength = _edges(change, curve, prior)
        weight = np.where(strength > _EDGE_LEAST, np.clip(1 - ((found - curve) / tukey) ** 2, 0.0, None) ** 2, 0.0)
        part = basis[:, :kept]
        normal = np.einsum("nk,ki,kj->nij", weight, part, part) + np.diag(pull[:kept])
        right = np.einsum("nk,ki,nk->ni", weight, part, found - curve) + (pull - 0.3)[:kept] * (usual - terms)[:, :kept]
        terms[:, :kept] += np.linalg.solve(normal, right[..., None])[..., 0]
        offsets, used = found - terms @ basis.T, weight
    near = (np.abs(offsets) < 0.6 * _TUKEY[-1]) & (used > 0)
    spread = 1.4826 * np.array([np.median(np.abs(row[fits])) if fits.any() else 1.0 for row, fits in zip(offsets, near, strict=True)])
    curve = terms @ basis.T
    stretch, shift = np.hypot(terms[:, 3], terms[:, 4]), np.hypot(terms[:, 1], terms[:, 2])
    usable = (stretch < _STRETCH_MOST * terms[:, 0]) & (shift < 0.7) & (np.abs(np.log(np.maximum(terms[:, 0], 0.1))) < 0.3)
    outlines = starts_px[:, None] + radius_px * curve[..., None] * ring
    # The mean of points at even angles about the start moves by half the shift's terms.
    centres = starts_px + radius_px * terms[:, 1:3]
    return Rounds(
        centres_px=centres, radii_px=radius_px * terms[:, 0], outlines_px=outlines, support=near.mean(axis=1), spread=spread, usable=usable
    )


def _change(rays: NDArray[np.float32]) -> NDArray[np.float32]:
    """Strength of the edge at each inner sample, shape (N, angles, samples - 4): brightness against what lies around counts half."""
    around = np.median(rays[:, :, -8:].reshape(len(rays), -1, 3), axis=1) if len(rays) else np.zeros((0, 3))
    unit = (around / np.maximum(np.linalg.norm(around, axis=1, keepdims=True), 1.0)).astype(np.float32)
    smooth = rays[:, :, :-2] + 2 * rays[:, :, 1:-1] + rays[:, :, 2:]
    step = (smooth[:, :, 2:] - smooth[:, :, :-2]) / 4
    bright = step @ unit[:, None, :, None]
    squared = np.einsum("nksc,nksc->nks", step, step) - (1 - _BRIGHTNESS_WEIGHT**2) * bright[..., 0] ** 2
    return np.asarray(np.sqrt(np.maximum(squared, 0.0)), dtype=np.float32)


def _edges(change: NDArray[np.float32], curve: FloatArray, prior: float) -> tuple[FloatArray, FloatArray]:
    """Where along each ray the edge lies, expected radii, and its strength, shape (N, angles)."""
    inner = _ALONG[2:-2]
    score = change * np.exp(-0.5 * ((inner - curve[..., None]) / prior) ** 2)
    best = np.clip(score.argmax(axis=2), 1, len(inner) - 2)
    rows, columns = np.indices(best.shape)
    before, at, after = (score[rows, columns, best + k] for k in (-1, 0, 1))
    bend = before - 2 * at + after
    shift = np.where(np.abs(bend) > 1e-6, 0.5 * (before - after) / np.where(bend == 0, 1.0, bend), 0.0)
    return inner[best] + np.clip(shift, -0.5, 0.5) * (_ALONG[1] - _ALONG[0]), change[rows, columns, best].astype(np.float64)
