"""calibration.solve: the derivatives that the fit stands on."""

import numpy as np
import pytest

from calibration.equipment import find_table
from calibration.solve import EdgePoints, Lines, camera_from

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
