"""calibration.solve: the derivatives that the fit stands on, and the fit."""

import numpy as np
import pytest

from calibration.equipment import find_table
from calibration.solve import SIDES, EdgePoints, Lines, camera_from, side_points_m, solve
from calibration.table import Table

SPEC = find_table("wpa-9ft")
SIZE = (1920, 1080)
CAMERA = np.array([0.1, -0.05, 0.01, 2.8, -0.05, 0.12, 0.04, -0.08, 3.6, 0.05, 0.01, -0.02, 0.006])
"""A camera 3.6 m up, a few degrees tilted, with barrel distortion, its axis off the picture's middle."""


@pytest.mark.parametrize("parameter", range(13))
@pytest.mark.parametrize(("side", "outer"), [("head", True), ("left", False)])
def test_slopes_are_those_of_small_steps(parameter: int, side: str, outer: bool) -> None:
    """Each derivative equals the change over a small step of its parameter."""
    edge = EdgePoints(side=side, points_px=np.array([[500.0, 300], [900, 700]]), along_m=np.array([-0.3, 0.4]), outer=outer, sigma_m=0.001)

    lines = Lines.of([edge], SPEC, camera_from(CAMERA, SIZE))

    def away(at: np.ndarray) -> np.ndarray:
        return lines.distances_m(camera_from(at, SIZE), at)

    step = np.zeros(13)
    step[parameter] = 1e-6
    by_step = (away(CAMERA + step) - away(CAMERA - step)) / 2e-6
    assert lines.slopes(camera_from(CAMERA, SIZE), CAMERA, known_lens=False)[:, parameter] == pytest.approx(by_step, rel=1e-4, abs=1e-6)


def test_a_low_camera_is_placed_although_the_rubber_rises_behind_its_nose() -> None:
    """Outer edges 20 mm above the noses, seen from 1.3 m: corners to a millimetre, and the height comes out."""
    true = np.array([0.0, 0.0, 0.0, 2.9, -0.05, 0.12, 0.04, -0.2, 1.3, 0.04, 0.0, 0.0, 0.02])
    camera = camera_from(true, SIZE)
    edges = []
    for side in SIDES:
        along = np.linspace(-0.5, 0.5, 15)
        for outer in (False, True):
            places = side_points_m(side, along, np.full(15, 0.04 * outer), SPEC)
            pixels = camera.to_pixels(places, height_m=SPEC.nose_height_m + 0.02 * outer)
            edges.append(EdgePoints(side=side, points_px=pixels, along_m=along, outer=outer, sigma_m=0.004 if outer else 0.001))
    start = true.copy()
    start[[9, 12]] = 0.047, 0.005

    solution = solve(edges, SPEC, SIZE, start)

    corners = np.array(list(Table(SPEC).corners_m().values()))
    seen = solution.camera.to_table(camera.to_pixels(corners, height_m=SPEC.nose_height_m), height_m=SPEC.nose_height_m)
    assert np.abs(seen - corners).max() < 0.001
    assert solution.back_m == pytest.approx(0.02, abs=0.005)
