"""Joint robust least squares of focal length, lens and pose to the edges of the cushions.

A landmark is a picture point that must lie on a known line of the table: on the nose line of a cushion, z = nose
height, or on the outer edge of the rubber, which runs parallel to it at a distance and a height that are the same on all
four sides (one profile of rubber) and are fitted too: from a low camera that height moves the edge by as much as its width
differs between tables, and held at the nose's it bends the camera. A residual is the distance in the picture, across the line, between the
landmark and the modelled line at the same place along the cushion, lens included, divided by the local scale: metres.
Parameters: log focal length, lens distortion at the picture's corner
(first and second term), rotation vector, translation, width of the rubber, optical axis in the picture, height of the
rubber's outer edge; the table keeps its true proportions.
Robust loss: soft L1 (Triggs et al. 2000, Bundle adjustment, section 4).

A straight overhead view hardly shows the focal length (it trades against height); a weak prior holds it. Wrong by
30 % it moves balls at the rails by less than a millimetre, since their plane is 8 mm from that of the noses.

Fails: fewer than three sides; landmarks on the wrong line (a shadow's edge) on most sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares

from calibration.camera import CameraModel
from calibration.equipment import TableSpec

FloatArray = NDArray[np.float64]

SIDES = ("head", "left", "foot", "right")
"""Cushions clockwise as seen from above."""

_NORMALS = {"head": (-1.0, 0.0), "left": (0.0, 1.0), "foot": (1.0, 0.0), "right": (0.0, -1.0)}
_FOCAL_PRIOR = 1.2
"""Focal length over the longer side of the picture: phones 0.7, webcams 0.8 to 1.0, broadcast 1.2 to 3. A ball at a rail
is off by 8 mm times the difference of the inverse heights, whose middle over tables that fill the picture is here."""
_FOCAL_SIGMA = 0.3
"""Of its logarithm; wider lets a straight overhead view run away, narrower overrules a tilted one."""
_LENS_SIGMA = (0.06, 0.015)
"""Of the two distortion terms at the picture's corner, as a fraction of the radius (lenses: 2 to 10 % barrel)."""
_MIDDLE_SIGMA = 0.03
"""How far the optical axis may be from the picture's middle, of its longer side: lenses 0.01, cropped recordings 0.1.
Held fast, a cropped and tilted view fits its noses and is yet centimetres off within; free, an upright one runs away."""
_RUBBER_M, _BACK_M = 0.047, 0.005
"""Width of rubber seen from above, 30 to 70 mm; and height above the noses of its outer edge, or of the rail's edge that hides it: 4 to
6 mm on pool and pyramid tables."""
_PROFILE_SIGMA_M, _PROFILE_SIGMA_FREE_M = (0.008, 0.008), (0.015, 0.02)
"""Of the two, on a table of known size; and on one of which only the proportion is known, which may be a toy, whose steep rubber, brought
to a usual size, is 10 mm wide and 50 mm high."""
_HELD = np.array([0, 1, 2, 9, 10, 11, 12])
"""Parameters that a prior holds."""
_HELD_AT = np.array([0.0, 0.0, 0.0, _RUBBER_M, 0.0, 0.0, _BACK_M])
_OFF_EXACT_PX = np.array([[0.02, 0.0], [0.0, 0.01], [0.0, -0.02], [-0.01, 0.0]])
"""Moves corners off an exact rectangle, where a first guess of the pose is made from them; far below what a tap is good to."""


def prior_slopes(spec: TableSpec) -> FloatArray:
    """Derivative of the priors by the parameters, shape (7, 13): each holds one."""
    rubber, back = _PROFILE_SIGMA_M if spec.metric else _PROFILE_SIGMA_FREE_M
    slopes = np.zeros((len(_HELD), 13))
    slopes[range(len(_HELD)), _HELD] = 1 / np.array([_FOCAL_SIGMA, *_LENS_SIGMA, rubber, _MIDDLE_SIGMA, _MIDDLE_SIGMA, back])
    return slopes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lens:
    """Intrinsics known beforehand (chessboard pictures): then only the pose is fitted.

    Attributes:
        matrix: K, shape (3, 3), pixels.
        distortion: Shape (5,), k1 k2 p1 p2 k3.
        image_size_px: (width, height) they hold for.
    """

    matrix: FloatArray
    distortion: FloatArray
    image_size_px: tuple[int, int]

    def scaled(self, image_size_px: tuple[int, int]) -> "Lens":
        """The lens for the same view in pictures of another size."""
        factor = np.array(image_size_px) / np.array(self.image_size_px)
        matrix = self.matrix.copy()
        matrix[0] *= factor[0]
        matrix[1] *= factor[1]
        matrix[:2, 2] += (factor - 1) / 2
        return Lens(matrix=matrix, distortion=self.distortion.copy(), image_size_px=image_size_px)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EdgePoints:
    """Picture points on one straight edge of the table.

    Attributes:
        side: One of `SIDES`.
        points_px: Shape (N, 2), pixels.
        along_m: Shape (N,), where along the cushion, from its middle, clockwise; a few millimetres do not matter.
        outer: True for the outer edge of the rubber, False for the nose.
        sigma_m: How far a point may be from its line, metres.
        sight_m: For sights of a rail, how far outward of the nose line they lie; None for edges.
        across: Whether that distance is what a sight is held to; else it is its place along the rail.
    """

    side: str
    points_px: FloatArray
    along_m: FloatArray
    outer: bool
    sigma_m: float
    sight_m: float | None = None
    across: bool = False

    @property
    def nose(self) -> bool:
        """Whether these are points of a nose."""
        return not self.outer and self.sight_m is None

    @property
    def lengthwise(self) -> bool:
        """Whether they are held to places along the cushion."""
        return self.sight_m is not None and not self.across


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """A fitted camera.

    Attributes:
        camera: The model.
        rubber_m: Distance from nose to the outer edge of the rubber, seen from straight above.
        parameters: As fitted, to start the next fit from.
    """

    camera: CameraModel
    rubber_m: float
    parameters: FloatArray

    @property
    def back_m(self) -> float:
        """Height of the rubber's outer edge above the noses, metres."""
        return float(self.parameters[12])


def side_points_m(side: str, along_m: ArrayLike, outward_m: ArrayLike, spec: TableSpec) -> FloatArray:
    """Table points from a place along a cushion (from its middle, clockwise) and a distance outward, shape (N, 2)."""
    normal = np.array(_NORMALS[side])
    half = spec.length_m / 2 if normal[0] else spec.width_m / 2
    clockwise = np.array([normal[1], -normal[0]])
    along, outward = np.asarray(along_m, dtype=np.float64), np.asarray(outward_m, dtype=np.float64)
    return np.asarray(along[..., None] * clockwise + (half + outward)[..., None] * normal, dtype=np.float64)


def _direction(edge: EdgePoints) -> tuple[float, float]:
    """Which way on the table the points of an edge are held: outward, or clockwise along the cushion."""
    x, y = _NORMALS[edge.side]
    return (y, -x) if edge.lengthwise else (x, y)


def start_from_quad(
    quad_px: FloatArray, spec: TableSpec, image_size_px: tuple[int, int], lens: Lens | None = None, rubber_m: float = _RUBBER_M
) -> FloatArray | None:
    """Parameters of a camera that sees the outer edges of the rubber meet at four picture points.

    Args:
        quad_px: Shape (4, 2): where head meets left, left meets foot, foot meets right, right meets head.
        spec: The table.
        image_size_px: (width, height).
        lens: Where it is known.
        rubber_m: Distance from the noses to the edges that meet there; 0 for the noses themselves.

    Returns:
        None where no camera above the table does.
    """
    x, y = spec.length_m / 2 + rubber_m, spec.width_m / 2 + rubber_m
    corners = np.array([[-x, y, 0], [x, y, 0], [x, -y, 0], [-x, -y, 0]], dtype=np.float64)
    focal = _FOCAL_PRIOR * max(image_size_px)
    width, height = image_size_px
    matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])
    bent = None
    if lens is not None:
        matrix, bent = lens.matrix, lens.distortion
    # An exact rectangle, seen from straight above, has a homography that OpenCV's decomposition takes for no rotation.
    quad = np.asarray(quad_px, dtype=np.float64) + _OFF_EXACT_PX
    found, turns, moves, errors = cv2.solvePnPGeneric(corners, quad, matrix, bent, flags=cv2.SOLVEPNP_IPPE)
    best: tuple[float, FloatArray] | None = None
    for i in range(found):
        turn, move = np.asarray(turns[i], dtype=np.float64), np.asarray(moves[i], dtype=np.float64).ravel()
        rotation = np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64)
        error = float(np.ravel(errors)[i])
        move = move - rotation @ np.array([0, 0, spec.nose_height_m])
        if (-rotation.T @ move)[2] > 0 and (best is None or error < best[0]):
            best = error, np.concatenate([[0.0, 0.0, 0.0], turn.ravel(), move, [_RUBBER_M, 0.0, 0.0, _BACK_M]])
    return None if best is None else best[1]


def camera_from(parameters: FloatArray, image_size_px: tuple[int, int], lens: Lens | None = None) -> CameraModel:
    """The camera that a parameter vector means; with a known lens only its pose counts."""
    rotation = np.asarray(cv2.Rodrigues(parameters[3:6])[0], dtype=np.float64)
    if lens is not None:
        return CameraModel(
            matrix=lens.matrix.copy(),
            distortion=lens.distortion.copy(),
            rotation=rotation,
            translation_m=np.array(parameters[6:9], dtype=np.float64),
            image_size_px=image_size_px,
        )
    width, height = image_size_px
    focal = _FOCAL_PRIOR * max(image_size_px) * float(np.exp(parameters[0]))
    corner = (width**2 + height**2) / 4 / focal**2
    middle = np.array([width - 1, height - 1]) / 2 + max(image_size_px) * parameters[10:12]
    return CameraModel(
        matrix=np.array([[focal, 0.0, middle[0]], [0.0, focal, middle[1]], [0.0, 0.0, 1.0]]),
        distortion=np.array([parameters[1] / corner, parameters[2] / corner**2, 0.0, 0.0, 0.0]),
        rotation=rotation,
        translation_m=np.array(parameters[6:9], dtype=np.float64),
        image_size_px=image_size_px,
    )


def solve(
    edges: Sequence[EdgePoints],
    spec: TableSpec,
    image_size_px: tuple[int, int],
    start: FloatArray,
    lens: Lens | None = None,
    *,
    exact: bool = True,
) -> Solution:
    """The camera that fits the edges best.

    Args:
        edges: Landmarks; at least three sides.
        spec: The table.
        image_size_px: (width, height).
        start: Parameters to start from.
        lens: Where it is known.
        exact: False where the edges themselves are rough yet: a third of the time.
    """
    lines = Lines.of(edges, spec, camera_from(start, image_size_px, lens))
    weights, sigmas = landmark_weights(edges)
    prior = prior_slopes(spec)
    held_at = prior[:, _HELD] @ _HELD_AT

    def residuals(parameters: FloatArray) -> FloatArray:
        away = lines.distances_m(camera_from(parameters, image_size_px, lens), parameters)
        landmarks = _soften(np.nan_to_num(away, nan=10.0) / sigmas) * weights
        return np.concatenate([landmarks, prior @ parameters - held_at])

    def slopes(parameters: FloatArray) -> FloatArray:
        camera = camera_from(parameters, image_size_px, lens)
        away = np.nan_to_num(lines.distances_m(camera, parameters), nan=10.0) / sigmas
        landmarks = (_soften_slope(away) * weights / sigmas)[:, None] * lines.slopes(camera, parameters, known_lens=lens is not None)
        return np.concatenate([landmarks, prior])

    enough = 1e-7 if exact else 1e-4
    fit = least_squares(residuals, start, jac=slopes, x_scale="jac", max_nfev=60, ftol=enough, xtol=enough, gtol=enough)
    found = np.asarray(fit.x, dtype=np.float64)
    return Solution(camera=camera_from(found, image_size_px, lens), rubber_m=float(found[9]), parameters=found)


def landmark_weights(edges: Sequence[EdgePoints]) -> tuple[FloatArray, FloatArray]:
    """Weight of each landmark's residual and its standard deviation in metres; a long edge counts at most as 30 points."""
    weights = np.concatenate([np.full(len(e.along_m), min(1.0, np.sqrt(30 / max(1, len(e.along_m))))) for e in edges])
    return weights, np.concatenate([np.full(len(e.along_m), e.sigma_m) for e in edges])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lines:
    """Landmarks of all edges with the table points that they belong to."""

    points_px: FloatArray
    base_m: FloatArray
    normal_m: FloatArray
    outer: FloatArray
    raised: FloatArray
    across: FloatArray
    height_m: float

    @classmethod
    def of(cls, edges: Sequence[EdgePoints], spec: TableSpec, camera: CameraModel) -> "Lines":
        base = np.concatenate([side_points_m(e.side, e.along_m, np.full(len(e.along_m), e.sight_m or 0.0), spec) for e in edges])
        normal = np.concatenate([np.tile(_direction(e), (len(e.along_m), 1)) for e in edges])
        clockwise = np.column_stack([normal[:, 1], -normal[:, 0]])
        height = spec.nose_height_m
        here = camera.to_pixels(base, height_m=height)
        tangent = camera.to_pixels(base + 0.01 * clockwise, height_m=height) - here
        outward = camera.to_pixels(base + 0.01 * normal, height_m=height) - here
        unit = np.column_stack([-tangent[:, 1], tangent[:, 0]]) / np.hypot(*tangent.T)[:, None]
        across = unit * (0.01 / (unit * outward).sum(axis=1))[:, None]
        return cls(
            points_px=np.concatenate([e.points_px for e in edges]),
            base_m=base,
            normal_m=normal,
            outer=np.concatenate([np.full(len(e.along_m), float(e.outer)) for e in edges]),
            raised=np.concatenate([np.full(len(e.along_m), float(not e.nose)) for e in edges]),
            across=across,
            height_m=height,
        )

    def _modelled_m(self, parameters: FloatArray) -> FloatArray:
        """Points of the modelled lines, shape (N, 3)."""
        line = self.base_m + self.normal_m * (self.outer * parameters[9])[:, None]
        return np.column_stack([line, self.height_m + self.raised * parameters[12]])

    def distances_m(self, camera: CameraModel, parameters: FloatArray) -> FloatArray:
        """How far outward of its modelled line each landmark lies, metres, shape (N,); the parameters give the rubber's profile."""
        away = self.points_px - camera.to_pixels((modelled := self._modelled_m(parameters))[:, :2], height_m=modelled[:, 2])
        return np.asarray((away * self.across).sum(axis=1), dtype=np.float64)

    def slopes(self, camera: CameraModel, parameters: FloatArray, *, known_lens: bool) -> FloatArray:
        """Derivative of `distances_m` by each parameter, shape (N, 13); NaN becomes 0."""
        pixels, by_place = pixel_slopes(camera, parameters, self._modelled_m(parameters), known_lens=known_lens)
        pixels[..., 9] = np.einsum("nij,nj->ni", by_place[..., :2], self.normal_m * self.outer[:, None])
        pixels[..., 12] = by_place[..., 2] * self.raised[:, None]
        return np.asarray(np.nan_to_num(-np.einsum("nik,ni->nk", pixels, self.across)), dtype=np.float64)


def pixel_slopes(camera: CameraModel, parameters: FloatArray, points_m: FloatArray, *, known_lens: bool) -> tuple[FloatArray, FloatArray]:
    """Derivatives of the pixels of table points, shape (N, 3), by the parameters, shape (N, 2, 13), and by their places, (N, 2, 3)."""
    turn, move = parameters[3:6], camera.translation_m
    by_all = np.asarray(cv2.projectPoints(points_m, turn, move, camera.matrix, camera.distortion)[1], dtype=np.float64)
    # Columns: turn 0-2, move 3-5, fx fy 6-7, cx cy 8-9, k1 k2 p1 p2 k3 10-14; rows x and y by turns.
    by = by_all.reshape(len(points_m), 2, -1)
    pixels = np.zeros((len(points_m), 2, len(parameters)))
    pixels[..., 3:9] = by[..., :6]
    if not known_lens:
        width, height = camera.image_size_px
        focal, (k1, k2) = camera.matrix[0, 0], camera.distortion[:2]
        corner = (width**2 + height**2) / 4 / focal**2
        # The lens is given at the picture's corner, whose angle shrinks as the focal length grows.
        pixels[..., 0] = focal * by[..., 6:8].sum(axis=2) + 2 * k1 * by[..., 10] + 4 * k2 * by[..., 11]
        pixels[..., 1], pixels[..., 2] = by[..., 10] / corner, by[..., 11] / corner**2
        pixels[..., 10:12] = by[..., 8:10] * max(camera.image_size_px)
    return pixels, np.asarray(by[..., 3:6] @ camera.rotation, dtype=np.float64)


def distances_m(edge: EdgePoints, solution: Solution, spec: TableSpec) -> FloatArray:
    """How far outward of its modelled line each landmark of an edge lies, metres, shape (N,)."""
    return Lines.of([edge], spec, solution.camera).distances_m(solution.camera, solution.parameters)


def modelled_px(edge: EdgePoints, solution: Solution, spec: TableSpec) -> FloatArray:
    """Where the model has the nearest point of each landmark's line, shape (N, 2), pixels."""
    lines = Lines.of([edge], spec, solution.camera)
    away = lines.distances_m(solution.camera, solution.parameters)
    across = lines.across / (lines.across**2).sum(axis=1)[:, None]
    return np.asarray(edge.points_px - across * away[:, None], dtype=np.float64)


def _soften(residuals: FloatArray) -> FloatArray:
    """Residuals whose squares are the soft L1 loss: unchanged when small, growing as the root when large."""
    return np.asarray(np.sign(residuals) * np.sqrt(2 * (np.sqrt(1 + residuals**2) - 1)), dtype=np.float64)


def _soften_slope(residuals: FloatArray) -> FloatArray:
    """Derivative of `_soften`."""
    soft = np.sqrt(2 * (np.sqrt(1 + residuals**2) - 1))
    return np.asarray(np.where(soft > 1e-6, np.abs(residuals) / np.maximum(np.sqrt(1 + residuals**2) * soft, 1e-12), 1.0), dtype=np.float64)
