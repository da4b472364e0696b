"""What the calibration page works on: a picture, a table, what was found. No web and no files in it.

Every action answers with the whole state, so that a page which was reloaded or opened on a second device shows the same.
Only a good calibration can be saved here: who wants another one says so on the command line, where `--accept` is asked for
again in every match.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.automatic import CalibrationFailure, Finding, find_in_video
from calibration.by_hand import calibrate_corners
from calibration.calibration import Calibration
from calibration.ends import with_foot_at
from calibration.equipment import TABLES, TableSpec, find_table
from calibration.errors import InputError
from calibration.solve import Lens
from calibration.table import POCKETS

Image = NDArray[np.uint8]
FloatArray = NDArray[np.float64]

_CURVE = 24
"""Points of a drawn line: lenses bow noses by a few pixels."""


class Bench:
    """One table being calibrated by a person."""

    def __init__(
        self,
        take: Callable[[], Sequence[Image]],
        spec: TableSpec,
        save: Callable[[Finding], None],
        *,
        foot: str | None = None,
        lens: Lens | None = None,
    ) -> None:
        """Take the first pictures and look for the table.

        Args:
            take: Gives pictures of the view: one, or several over a while; asked again for a new picture.
            spec: The table.
            save: Writes a finding.
            foot: Side of the picture where the foot is; None to find out.
            lens: Where it is known.
        """
        self._take, self._spec, self._save, self._foot, self._lens = take, spec, save, foot, lens
        self._lock = Lock()
        self._found: Finding | CalibrationFailure | None = None
        self._by = "automatic"
        self._given: list[list[float]] | None = None
        self.version = 0
        self.saved: Calibration | None = None
        self.retake()

    @property
    def picture(self) -> Image:
        """What is shown: the clean picture where a table was found in several, else the last one."""
        return self._found.picture if isinstance(self._found, Finding) else self._pictures[-1]

    def retake(self) -> dict[str, Any]:
        """New pictures, and what is found in them."""
        with self._lock:
            self._pictures = list(self._take())
            if not self._pictures:
                raise InputError("no picture came; check the camera or the file")
            self._find()
        return self.state()

    def find(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """Look for the table by itself, as another one where that is given.

        Args:
            table: `{"name"}`, or `{"length_mm", "width_mm", "ball_mm"}`; empty for the one there was.

        Raises:
            InputError: If there is no such table.
        """
        with self._lock:
            self._spec = parse_table(table) or self._spec
            self._find()
        return self.state()

    def corners(self, points_px: FloatArray) -> dict[str, Any]:
        """Calibrate from corners that a person dragged.

        Args:
            points_px: Shape (4, 2), in turn round the table.

        Raises:
            InputError: If they do not go round a table.
        """
        with self._lock:
            picture = self.picture
            size = (picture.shape[1], picture.shape[0])
            lens = None if self._lens is None else self._lens.scaled(size)
            made = calibrate_corners(points_px, size, self._spec, None, lens, picture)
            self._by, self._given = "corners", points_px.tolist()
            if isinstance(made, CalibrationFailure):
                self._found = made
            else:
                before = self._found.calibration if isinstance(self._found, Finding) else None
                if before is not None and before.foot_known:
                    made = _same_foot(before, made)
                self._found = Finding(calibration=made, picture=picture, landmarks_px=points_px, modelled_px=points_px, foot_by="")
        return self.state()

    def foot(self, x_px: float, y_px: float) -> dict[str, Any]:
        """The foot is at the end of the table nearer to that place of the picture.

        Raises:
            InputError: If no table was found, or the place is nearly as far from one end as from the other.
        """
        with self._lock:
            if not isinstance(self._found, Finding):
                raise InputError("there is no table yet; drag the corners onto it first")
            made = self._found.calibration
            x_m = float(made.camera.to_table([[x_px, y_px]], height_m=0.0)[0, 0])
            if not abs(x_m) > 0.1 * made.spec.length_m:
                raise InputError("that is near the middle of the table; tap nearer to the end where the balls are racked")
            self._found = replace(self._found, calibration=with_foot_at(made, x_m), foot_by="as tapped")
        return self.state()

    def save(self) -> dict[str, Any]:
        """Write the table file.

        Raises:
            InputError: If what there is is not good.
            OSError: If it cannot be written.
        """
        with self._lock:
            if not isinstance(self._found, Finding) or not self._found.calibration.good:
                raise InputError("this is not good enough to be saved; see the reasons")
            self._save(self._found)
            self.saved = self._found.calibration
        return self.state()

    def state(self) -> dict[str, Any]:
        """Everything that the page shows, ready for JSON."""
        picture, spec = self.picture, self._spec
        found = self._found
        state: dict[str, Any] = {
            "version": self.version,
            "size_px": [picture.shape[1], picture.shape[0]],
            "table": {
                "name": spec.name,
                "length_mm": 1000 * spec.length_m,
                "width_mm": 1000 * spec.width_m,
                "ball_mm": 1000 * spec.ball_diameter_m,
            },
            "tables": [table.name for table in TABLES],
            "by": self._by,
            "saved": isinstance(found, Finding) and found.calibration is self.saved,
            "found": None,
            "handles_px": self._given,
            "reason": found.reason if isinstance(found, CalibrationFailure) else None,
        }
        if isinstance(found, Finding):
            state["found"] = _shown(found.calibration)
            if found.calibration.good or self._given is None:  # else the corners stay where they were put
                state["handles_px"] = state["found"]["corners_px"]
            if found.balls is not None and found.balls.told and spec.metric:
                state["found"]["balls"] = {"count": found.balls.count, "mm": round(1000 * found.balls.diameter_m, 1)}
        return state

    def _find(self) -> None:
        self._by, self._given = "automatic", None
        self._found = find_in_video(self._pictures, self._spec, self._foot, self._lens)
        self.version += 1  # the clean picture may be another one


def parse_table(data: Mapping[str, Any]) -> TableSpec | None:
    """The table that a page names; None for an empty object.

    Raises:
        InputError: If there is no such table, or a size is missing or no number.
    """
    if not data:
        return None
    if "name" in data:
        return find_table(str(data["name"]))
    try:
        sizes = {key: float(data[key]) for key in ("length_mm", "width_mm", "ball_mm")}
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("length, width and ball are numbers in millimetres; give all three") from error
    if not all(np.isfinite(size) for size in sizes.values()):
        raise InputError("length, width and ball are numbers in millimetres; give all three")
    return TableSpec(
        name="custom", length_m=sizes["length_mm"] / 1000, width_m=sizes["width_mm"] / 1000, ball_diameter_m=sizes["ball_mm"] / 1000
    )


def _same_foot(before: Calibration, made: Calibration) -> Calibration:
    """The new calibration with the foot at the end where it was."""
    there = before.camera.to_pixels([(before.spec.length_m / 2, 0.0)], height_m=0.0)
    return with_foot_at(made, float(made.camera.to_table(there, height_m=0.0)[0, 0]))


def _shown(made: Calibration) -> dict[str, Any]:
    table, spec = made.table, made.spec
    half = spec.width_m / 2
    noses = [_line(made, start, end, spec.nose_height_m) for cushion in table.noses_m().values() for start, end in cushion]
    mouths = [_line(made, *table.mouth_m(pocket), spec.nose_height_m) for pocket in POCKETS]
    strings = [_line(made, (x, -half), (x, half), 0.0) for x in (table.head_string_m, 0.0, -table.head_string_m)]
    corners = made.corners_px()
    doubt = None
    if made.doubt is not None and spec.metric:
        sigma = 1000 * np.hypot(*made.doubt.sigma_m.reshape(-1, 2).T)
        doubt = {"median_mm": round(float(np.median(sigma)), 1), "max_mm": round(float(sigma.max()), 1)}
    return {
        "good": made.good,
        "because": list(made.because),
        "residual_mm": [round(value, 2) for value in made.residual_mm],
        "doubt": doubt,
        "foot_known": made.foot_known,
        "foot_side": made.foot_side,
        "corners_px": [list(corners[name]) for name in ("head_left", "foot_left", "foot_right", "head_right")],
        "noses": noses,
        "mouths": mouths,
        "strings": strings,
        "spots": {name: _line(made, spot, spot, 0.0)[0] for name, spot in table.spots_m().items()},
    }


def _line(made: Calibration, start: tuple[float, float], end: tuple[float, float], height_m: float) -> list[list[float]]:
    pixels = made.camera.to_pixels(np.linspace(start, end, _CURVE), height_m=height_m)
    return [[round(float(x), 2), round(float(y), 2)] for x, y in pixels]
