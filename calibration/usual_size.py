"""A table of which only the proportion is known, calibrated as if it were of a usual size.

Widths of rubber, limits of a good fit and heights are in metres; a table whose length is called 1 would be measured with
those of one two and a half times smaller than any. So it is found at a length between those of tables that there are, and
the result is brought to the length it is called afterwards: a camera cannot tell the two apart.

Fails: on a table half or twice that length the limits are twice as strict or as loose; none is claimed in millimetres.
"""

from dataclasses import replace

from calibration.calibration import Calibration
from calibration.camera import CameraModel
from calibration.doubt import PlaceDoubt
from calibration.equipment import TableSpec
from calibration.table import Table

_USUAL_M = 2.2
"""Between bar tables (1.9) and tournament ones (2.5); home tables of 1.4 and pyramid of 3.5 lie 1.6 times to either side."""


def in_usual_size(spec: TableSpec) -> TableSpec:
    """The table at a usual length where its own is not known, else as it is."""
    if spec.metric:
        return spec
    factor = _USUAL_M / spec.length_m
    return replace(spec, length_m=_USUAL_M, width_m=spec.width_m * factor, ball_diameter_m=spec.ball_diameter_m * factor)


def in_size_of(calibration: Calibration, spec: TableSpec) -> Calibration:
    """The same view of a table of the same proportions with the lengths of `spec`."""
    factor = spec.length_m / calibration.spec.length_m
    camera, doubt = calibration.camera, calibration.doubt
    moved = CameraModel(
        matrix=camera.matrix.copy(),
        distortion=camera.distortion.copy(),
        rotation=camera.rotation.copy(),
        translation_m=camera.translation_m * factor,
        image_size_px=camera.image_size_px,
    )
    median, largest = calibration.residual_mm
    return replace(
        calibration,
        table=Table(spec),
        camera=moved,
        residual_mm=(median * factor, largest * factor),
        doubt=None if doubt is None else PlaceDoubt(x_m=doubt.x_m * factor, y_m=doubt.y_m * factor, sigma_m=doubt.sigma_m * factor),
    )
