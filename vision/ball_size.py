"""How large the balls are where only the table's proportion is known.

Theory: a camera tells a table's size from nothing, but it tells balls from tables: the network (vision.network) knows balls a
sixth larger or smaller than expected, and each place it is sure of is measured as a round thing (vision.rounds) against the
radius that a ball of the expected size would show there. The median of the ratios is the correction; stretch by perspective
and shadows pull single balls, not the median.

Fails: fewer than three balls, or sizes that differ by more than a tenth about their median, say nothing: the expected size stays.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.table import Table
from vision.network import Network
from vision.rectify import TopView
from vision.rounds import evened, fit_rounds

Image = NDArray[np.uint8]

_VIEW_RADIUS_PX = 7.0
_SURE, _CLEAR = 0.6, 0.7
"""Network's score and part of the outline from which a ball is measured."""
_FEWEST = 3
_SPREAD_MOST = 0.1
"""Median distance of the ratios from their median above which they are no balls of one size."""


def with_ball_size(calibration: Calibration, image: Image) -> Calibration:
    """The calibration with the size of the balls in a picture, where the table's own size is not known; else as it is.

    Args:
        calibration: Of the table in the picture.
        image: Shape (H, W, 3), BGR, of the calibration's size.
    """
    spec, camera = calibration.spec, calibration.camera
    if spec.metric or image.shape[1::-1] != tuple(camera.image_size_px):
        return calibration
    view = TopView(calibration, ball_radius_px=_VIEW_RADIUS_PX)
    sight = Network().look(view.view(image), _VIEW_RADIUS_PX)
    places = view.to_table(sight.centres_px[sight.scores >= _SURE])
    places = places[(np.abs(places) < (spec.length_m / 2, spec.width_m / 2)).all(axis=1)]
    if len(places) < _FEWEST:
        return calibration
    steps = spec.ball_radius_m * np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])
    middle, along, across = (camera.to_pixels(places + step, height_m=spec.ball_radius_m) for step in steps)
    expected = (np.hypot(*(along - middle).T) + np.hypot(*(across - middle).T)) / 2
    usual = float(np.median(expected))
    rounds = fit_rounds(evened(image), middle, usual)
    ratios = (rounds.radii_px / expected)[rounds.usable & (rounds.support >= _CLEAR)]
    if len(ratios) < _FEWEST or np.median(np.abs(ratios - np.median(ratios))) > _SPREAD_MOST:
        return calibration
    return replace(calibration, table=Table(replace(spec, ball_diameter_m=spec.ball_diameter_m * float(np.median(ratios)))))
