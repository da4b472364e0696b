"""A calibrated table: size, camera, quality; and its file, `table.json` (`cueref.table/1` of design.md)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from calibration.camera import CameraModel, FloatArray
from calibration.doubt import PlaceDoubt
from calibration.equipment import TableSpec, find_table
from calibration.errors import InputError
from calibration.table import CORNERS, POCKETS, Table

FORMAT = "cueref.table/1"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """Where a camera stands over which table, and how well that is known.

    Attributes:
        table: Geometry.
        camera: Pose and lens.
        foot_known: False when the ends were named by convention only (left or top end of the picture is the head).
        foot_side: Side of the picture where the foot is: left, right, top or bottom.
        residual_mm: Median and largest distance of a landmark from its modelled place.
        good: Within the stated limits.
        because: Why not good, one line each; empty when good.
        doubt: How well the place of a ball is known over the bed; None where that was not worked out (older files).
    """

    table: Table
    camera: CameraModel
    foot_known: bool
    foot_side: str
    residual_mm: tuple[float, float]
    good: bool
    because: tuple[str, ...] = ()
    doubt: PlaceDoubt | None = None

    @property
    def spec(self) -> TableSpec:
        """Size of the table and of its balls."""
        return self.table.spec

    def corners_px(self) -> dict[str, tuple[float, float]]:
        """Picture points of the four places where nose lines meet, at nose height."""
        places = self.table.corners_m()
        return self._pixels({name: places[name] for name in CORNERS})

    def pockets_px(self) -> dict[str, tuple[float, float]]:
        """Picture points of the middles of the six mouths, at nose height."""
        return self._pixels({name: self.table.mouth_centre_m(name) for name in POCKETS})

    def position_sigma_m(self, places_m: ArrayLike) -> FloatArray:
        """Standard deviations of x and y that a ball's place has from calibration alone.

        Args:
            places_m: Shape (N, 2), metres, table frame.

        Returns:
            Shape (N, 2), metres; NaN where the table file does not say.
        """
        if self.doubt is not None:
            return self.doubt.at(places_m)
        return np.full((np.asarray(places_m, dtype=np.float64).reshape(-1, 2).shape[0], 2), np.nan)

    def _pixels(self, points: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
        pixels = self.camera.to_pixels(list(points.values()), height_m=self.spec.nose_height_m)
        return {name: (float(x), float(y)) for name, (x, y) in zip(points, pixels, strict=True)}

    def to_dict(self) -> dict[str, Any]:
        """The table file as an object."""
        spec, camera = self.spec, self.camera
        doubt = {} if self.doubt is None else {"position_sigma": self.doubt.to_dict()}
        return {
            "format": FORMAT,
            "name": spec.name,
            "length_m": spec.length_m,
            "width_m": spec.width_m,
            "ball_diameter_m": spec.ball_diameter_m,
            "metric": spec.metric,
            "image_size_px": list(camera.image_size_px),
            "camera": {
                "K": camera.matrix.tolist(),
                "distortion": camera.distortion.tolist(),
                "R": camera.rotation.tolist(),
                "t": camera.translation_m.tolist(),
            },
            "foot_known": self.foot_known,
            "foot_side": self.foot_side,
            "corners_px": {name: [round(x, 3), round(y, 3)] for name, (x, y) in self.corners_px().items()},
            "pockets_px": {name: [round(x, 3), round(y, 3)] for name, (x, y) in self.pockets_px().items()},
            "residual_mm": {"median": round(self.residual_mm[0], 3), "max": round(self.residual_mm[1], 3)},
            "good": self.good,
            "because": list(self.because),
            **doubt,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, where: str = "table file") -> "Calibration":
        """The calibration of a table file.

        Raises:
            InputError: If the format is another one or a field is missing or malformed; the message names it.
        """
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise InputError(f"{where}: not a table file ({FORMAT}); make one with cueref calibrate")
        try:
            spec = TableSpec(
                name=data["name"],
                length_m=float(data["length_m"]),
                width_m=float(data["width_m"]),
                ball_diameter_m=float(data["ball_diameter_m"]),
                metric=bool(data.get("metric", True)),
                **_mouths(data["name"]),
            )
            camera = data["camera"]
            width, height = data["image_size_px"]
            model = CameraModel(
                matrix=np.array(camera["K"], dtype=np.float64),
                distortion=np.array(camera["distortion"], dtype=np.float64),
                rotation=np.array(camera["R"], dtype=np.float64),
                translation_m=np.array(camera["t"], dtype=np.float64),
                image_size_px=(int(width), int(height)),
            )
            residual = data["residual_mm"]
            return cls(
                table=Table(spec),
                camera=model,
                foot_known=bool(data["foot_known"]),
                foot_side=str(data["foot_side"]),
                residual_mm=(float(residual["median"]), float(residual["max"])),
                good=bool(data["good"]),
                because=tuple(data.get("because", ())),
                doubt=PlaceDoubt.from_dict(data["position_sigma"]) if data.get("position_sigma") else None,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{where}: missing or malformed field: {error}; make it again with cueref calibrate") from error


def _mouths(name: str) -> dict[str, float | None]:
    try:
        spec = find_table(name)
    except InputError:
        return {}
    return {"corner_mouth_m": spec.corner_mouth_m, "side_mouth_m": spec.side_mouth_m}


def read_calibration(path: Path) -> Calibration:
    """The calibration in a table file.

    Raises:
        InputError: If the file is not a table file.
        OSError: If it cannot be read.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a table file: not text") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: not a table file: {error}") from error
    return Calibration.from_dict(data, where=str(path))


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Write a table file, beside the target first and then renamed, so that it is never half-written."""
    partial = path.with_name(path.name + ".part")
    partial.write_text(json.dumps(calibration.to_dict(), indent=1) + "\n", encoding="utf-8")
    partial.replace(path)
