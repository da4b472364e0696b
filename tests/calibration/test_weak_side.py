"""A nose that hardly shows, and a false edge beside it."""

import cv2
import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.equipment import find_table
from calibration.landmarks import Step
from calibration.search import Fit, find_fit, judge_fit
from calibration.solve import EdgePoints, distances_m, side_points_m, solve
from calibration.table import Table
from calibration.weak_side import weak_sides, with_weak_side_checked

from .picture import paint

SPEC = find_table("wpa-9ft")
SIZE = (960, 540)


def _false_nose(camera: CameraModel, side: str, inward_m: float) -> EdgePoints:
    """A few landmarks in a row, well inside the bed, on a third of a cushion."""
    along = np.linspace(-0.9, -0.2, 14)
    points = side_points_m(side, along, np.full(14, -inward_m), SPEC)
    return EdgePoints(
        side=side,
        points_px=camera.to_pixels(points, height_m=SPEC.nose_height_m),
        along_m=along,
        outer=False,
        sigma_m=0.001,
    )


@pytest.fixture(scope="module")
def seen() -> tuple[np.ndarray, CameraModel, Fit]:
    """A painted table, its camera, and the fit to it."""
    tilt = np.asarray(cv2.Rodrigues(np.array([0.02, 0.0, 0.0]))[0])
    camera = CameraModel(
        matrix=np.array([[900.0, 0, 479.5], [0, 900.0, 269.5], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=tilt @ np.diag([1.0, -1.0, -1.0]),
        translation_m=np.array([0.0, 0.0, 3.0]),
        image_size_px=SIZE,
    )
    image = paint(camera, SPEC, cloth=(190, 120, 10))
    fit = find_fit(image, SPEC)
    assert isinstance(fit, Fit)
    return image, camera, fit


def test_a_false_edge_beside_a_nose_is_replaced_by_the_nose(seen: tuple[np.ndarray, CameraModel, Fit]) -> None:
    """The other three noses say where it must be, and there it shows."""
    image, camera, fit = seen
    edges = [edge for edge in fit.edges if edge.side != "right"] + [_false_nose(camera, "right", 0.03)]
    places = {side: Step(outward_m=0.0, sign=-1, share=1.0) for side in ("head", "left", "foot")}
    assert weak_sides(edges, Table(SPEC)) == ["right"]

    solution, kept = with_weak_side_checked(image, fit.cloth, Table(SPEC), fit.solution, edges, places, None)

    corners = list(Table(SPEC).corners_m().values())
    off = solution.camera.to_pixels(corners, height_m=SPEC.nose_height_m) - camera.to_pixels(corners, height_m=SPEC.nose_height_m)
    assert np.abs(off).max() < 1.0
    assert weak_sides(kept, Table(SPEC)) == []


def test_two_weak_noses_are_refused(seen: tuple[np.ndarray, CameraModel, Fit]) -> None:
    """Neither can vouch for the other."""
    _, camera, fit = seen
    edges = [edge for edge in fit.edges if edge.side not in ("right", "left") or edge.outer]
    edges += [_false_nose(camera, side, 0.0) for side in ("right", "left")]

    assert any("left and the right" in reason for reason in judge_fit(fit.solution, edges, SPEC)[2])


def test_a_line_that_runs_askew_over_a_cushion_is_replaced_by_the_nose(seen: tuple[np.ndarray, CameraModel, Fit]) -> None:
    """A graphic's edge from 20 mm inward at one end to the nose at the middle, the nose beyond: the other three say where it is."""
    image, camera, fit = seen
    along = np.linspace(-1.1, 1.1, 46)
    points = side_points_m("right", along, np.minimum(0.0, np.linspace(-0.02, 0.02, 46)), SPEC)
    pixels = camera.to_pixels(points, height_m=SPEC.nose_height_m)
    askew = EdgePoints(side="right", points_px=pixels, along_m=along, outer=False, sigma_m=0.001)
    edges = [edge for edge in fit.edges if edge.side != "right"] + [askew]
    places = {side: Step(outward_m=0.0, sign=-1, share=1.0) for side in ("head", "left", "foot")}
    assert weak_sides(edges, Table(SPEC)) == []

    bent = solve(edges, SPEC, SIZE, fit.solution.parameters)
    solution, kept = with_weak_side_checked(image, fit.cloth, Table(SPEC), bent, edges, places, None)

    nose = next(edge for edge in kept if edge.side == "right" and not edge.outer)
    assert np.abs(distances_m(nose, solution, SPEC)).max() < 0.003
    corners = list(Table(SPEC).corners_m().values())
    there, here, before = (c.to_pixels(corners, height_m=SPEC.nose_height_m) for c in (camera, solution.camera, bent.camera))
    assert np.abs(here - there).max() < 1.0
    assert np.abs(before - there).max() > 2.0
