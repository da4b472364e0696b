"""How well the place of a ball is known: the covariance of the camera fit, carried to the bed.

The fit's parameters p minimise a weighted sum over landmarks, so a small error d of the landmarks moves them by
H^-1 A' W d (A: derivatives, W: weights as the robust loss left them, H = A' W A + priors). With the errors'
covariance C that gives cov(p) = H^-1 (A' W C W A + P) H^-1 (the "sandwich", White 1980), and with the derivatives of
a ball's place by p at a given pixel, the covariance of that place.

C is where honesty is needed: neighbouring landmarks err together. It has four parts: scatter that fades along a
cushion, taken from the fit's own residuals; a shift of one whole nose; a shift of all noses together, outward or inward
(a shade's edge taken for the nose); and for the outer edges of the rubber a shift of each. The shifts cannot be seen
in the residuals, they are measured on rendered tables with known cameras. P is the spread of real cameras about what
the priors say, which is wider than the priors' own.

Fails: a fit that is wrong as a whole (a side that is no nose) is worse than this says; the verdict is there for that.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.doubt import PlaceDoubt
from calibration.equipment import TableSpec
from calibration.solve import EdgePoints, Lens, Lines, Solution, landmark_weights, pixel_slopes, prior_slopes

FloatArray = NDArray[np.float64]

_ACROSS_X, _ACROSS_Y = 9, 5
"""Places along and across the bed at which the doubt is kept; between them it changes by less than a tenth."""
_COMMON_M = 0.0003
"""Shift of all noses together: a shade taken for a nose gives 1 to 3 mm, but on few tables. With these figures the errors of 188
rendered tables were 0.81 of what is stated (root mean square), 0.66 on the usual one, 1.2 on one in ten and 2.0 on the worst."""
_SIDE_M = 0.0002
"""Shift of one nose on its own, rendered tables."""
_OUTER_M = 0.0004
"""Shift of one outer edge of the rubber: rails and lamps differ from side to side by 1 to 5 mm, and the robust loss passes
over the large ones."""
_FADE_M = 0.25
"""Length along a cushion over which errors of landmarks fade: a worn stretch, a lamp's patch."""
_SPREAD = np.array([1.2, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
"""How much wider real cameras spread than the priors of `solve` say: focal lengths run from 0.6 to 4 pictures."""
_LEAST_M = 0.0002
"""What remains with a perfect fit: tangential distortion, a nose height that differs by 1 % of the ball."""


def place_doubt(solution: Solution, edges: Sequence[EdgePoints], spec: TableSpec, lens: Lens | None = None) -> PlaceDoubt:
    """How well balls are placed by a fitted camera.

    Args:
        solution: The fit.
        edges: What it was fitted to.
        spec: The table.
        lens: Where it was known.
    """
    x = np.linspace(-0.5, 0.5, _ACROSS_X) * spec.length_m
    y = np.linspace(-0.5, 0.5, _ACROSS_Y) * spec.width_m
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    sigma = place_sigma_m(solution, edges, spec, grid, lens)
    return PlaceDoubt(x_m=x, y_m=y, sigma_m=sigma.reshape(_ACROSS_Y, _ACROSS_X, 2))


def place_sigma_m(
    solution: Solution, edges: Sequence[EdgePoints], spec: TableSpec, places_m: FloatArray, lens: Lens | None = None
) -> FloatArray:
    """Standard deviations of x and y of balls at places, shape (N, 2) each, metres; other arguments as for `place_doubt`."""
    covariance = parameter_covariance(solution, edges, spec, lens)
    points = np.column_stack([places_m, np.full(len(places_m), spec.ball_radius_m)])
    pixels, by_place = pixel_slopes(solution.camera, solution.parameters, points, known_lens=lens is not None)
    (a, b), (c, d) = np.moveaxis(by_place[..., :2], 0, -1)[..., None]
    with np.errstate(all="ignore"):
        # A pixel stays where it is: what the parameters move it by, the place has to take back.
        by = np.stack([b * pixels[:, 1] - d * pixels[:, 0], c * pixels[:, 0] - a * pixels[:, 1]], axis=1) / (a * d - b * c)[:, None]
        variance = np.einsum("gik,kl,gil->gi", by, covariance, by)
    known = np.isfinite(variance) & (variance >= 0)  # else the fit holds nothing: not known
    return np.sqrt(np.where(known, variance, 1.0) + _LEAST_M**2)


def parameter_covariance(solution: Solution, edges: Sequence[EdgePoints], spec: TableSpec, lens: Lens | None = None) -> FloatArray:
    """Covariance of the parameters of a fit, shape (13, 13); those that a known lens fixes have their prior's."""
    lines = Lines.of(edges, spec, solution.camera)
    by = lines.slopes(solution.camera, solution.parameters, known_lens=lens is not None)
    away = np.nan_to_num(lines.distances_m(solution.camera, solution.parameters))
    weights, sigmas = landmark_weights(edges)
    robust = (weights / sigmas) ** 2 / np.sqrt(1 + (away / sigmas) ** 2)
    held = prior_slopes(spec)
    bread = np.linalg.inv(by.T @ (robust[:, None] * by) + held.T @ held)
    prior = _SPREAD[:, None] * held
    meat = prior.T @ prior
    pulls = robust[:, None] * by
    common = np.zeros(by.shape[1])
    start = 0
    for edge in edges:
        own = slice(start, start + len(edge.along_m))
        start = own.stop
        pull, spread = pulls[own], float(np.sqrt(np.mean(np.minimum(np.abs(away[own]), 3 * edge.sigma_m) ** 2)))
        by_hand = len(edge.along_m) <= 2
        scatter = max(spread, edge.sigma_m / 2) if not by_hand else edge.sigma_m
        fade = np.abs(edge.along_m[:, None] - edge.along_m) / (1e-6 if by_hand else _FADE_M)
        meat += scatter**2 * pull.T @ np.exp(-fade) @ pull
        if by_hand:
            continue
        whole = pull.sum(axis=0)
        meat += (_OUTER_M if edge.outer else _SIDE_M) ** 2 * np.outer(whole, whole)
        common += whole if edge.nose else 0.0
    meat += _COMMON_M**2 * np.outer(common, common)
    return np.asarray(bread @ meat @ bread, dtype=np.float64)
