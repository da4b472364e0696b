"""Stated doubts of places against the errors that fits really make."""

import json

import numpy as np
import pytest

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.covariance import place_doubt
from calibration.doubt import PlaceDoubt
from calibration.ends import with_foot
from calibration.equipment import find_table
from calibration.solve import SIDES, EdgePoints, camera_from, side_points_m, solve
from calibration.table import Table

SPEC = find_table("wpa-9ft")
SIZE = (1920, 1080)
TRUE = np.array([0.05, -0.03, 0.0, 3.1, -0.05, 0.06, 0.04, -0.08, 3.6, 0.047, 0.005, -0.008, 0.0])
"""A camera 3.6 m up, a few degrees tilted, with barrel distortion."""
GRID = [(x, y) for x in (-1.2, -0.6, 0.0, 0.6, 1.2) for y in (-0.55, 0.0, 0.55)]


def noisy_edges(rng: np.random.Generator, *, white_m: float, side_m: float) -> list[EdgePoints]:
    """Nose points of the true camera, each moved by chance and each side as a whole."""
    camera = camera_from(TRUE, SIZE)
    edges = []
    for side in SIDES:
        half = (SPEC.width_m if side in ("head", "foot") else SPEC.length_m) / 2
        along = np.linspace(-0.85 * half, 0.85 * half, 15)
        for outer, width, off in ((False, 0.0, side_m), (True, 0.047, 2 * side_m)):
            outward = width + rng.normal(0, white_m, 15) + rng.normal(0, off)
            points = camera.to_pixels(side_points_m(side, along, outward, SPEC), height_m=SPEC.nose_height_m)
            edges.append(EdgePoints(side=side, points_px=points, along_m=along, outer=outer, sigma_m=0.004 if outer else 0.001))
    return edges


def test_errors_of_many_fits_are_as_large_as_stated() -> None:
    """Eight fits to landmarks with the errors that the model assumes: normalised errors are between 0.67 and 1.5."""
    camera = camera_from(TRUE, SIZE)
    pixels = camera.to_pixels(GRID, height_m=SPEC.ball_radius_m)
    normalised = []
    for seed in range(8):
        edges = noisy_edges(np.random.default_rng(seed), white_m=0.0005, side_m=0.0007)
        solution = solve(edges, SPEC, SIZE, TRUE)
        off = solution.camera.to_table(pixels, height_m=SPEC.ball_radius_m) - GRID
        normalised.append(off / place_doubt(solution, edges, SPEC).at(GRID))

    assert 0.67 < float(np.sqrt(np.mean(np.square(normalised)))) < 1.5


def test_noisier_landmarks_make_places_less_sure() -> None:
    """Twice the scatter gives more doubt at every place."""
    calm, rough = (noisy_edges(np.random.default_rng(1), white_m=white, side_m=0.0) for white in (0.001, 0.003))
    first, second = (place_doubt(solve(edges, SPEC, SIZE, TRUE), edges, SPEC).at(GRID) for edges in (calm, rough))

    assert (second > first).all()


@pytest.fixture
def uneven() -> Calibration:
    """A calibration that is sure at the head and not at the foot."""
    sigma = np.zeros((2, 3, 2))
    sigma[:, :, 0] = [0.001, 0.002, 0.003]
    sigma[:, :, 1] = 0.0005
    return Calibration(
        table=Table(SPEC),
        camera=CameraModel.overhead(height_m=3.0, image_size_px=SIZE),
        foot_known=False,
        foot_side="right",
        residual_mm=(0.5, 2.0),
        good=True,
        doubt=PlaceDoubt(x_m=np.array([-1.0, 0.0, 1.0]), y_m=np.array([-0.5, 0.5]), sigma_m=sigma),
    )


def test_doubt_between_kept_places_is_between_theirs(uneven: Calibration) -> None:
    """Halfway is the mean, outside is the nearest."""
    assert uneven.position_sigma_m([[-0.5, 0.0], [9.0, 9.0]]) == pytest.approx(np.array([[0.0015, 0.0005], [0.003, 0.0005]]))


def test_doubt_turns_with_the_table_and_goes_through_the_file(uneven: Calibration) -> None:
    """Head and foot named the other way round: what was unsure stays where it is in the picture; a file gives it back."""
    other = with_foot(uneven, "left")
    back = Calibration.from_dict(json.loads(json.dumps(other.to_dict())))

    assert back.position_sigma_m([[-1.0, 0.1]])[0, 0] == pytest.approx(0.003)


def test_an_older_file_states_no_doubt(uneven: Calibration) -> None:
    """Without the field nothing is known, which is not zero."""
    data = uneven.to_dict()
    del data["position_sigma"]

    assert np.isnan(Calibration.from_dict(data).position_sigma_m([[0.0, 0.0]])).all()
