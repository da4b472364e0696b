"""Standard deviation of a ball's place over the bed, as calibration knows it; `calibration.covariance` makes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlaceDoubt:
    """Standard deviation of a ball's place over the bed, from calibration alone.

    Attributes:
        x_m: Where it is kept, shape (X,), ascending, table frame.
        y_m: Shape (Y,), ascending.
        sigma_m: Shape (Y, X, 2): of x and of y, metres.
    """

    x_m: FloatArray
    y_m: FloatArray
    sigma_m: FloatArray

    def __post_init__(self) -> None:
        expected = (len(self.y_m), len(self.x_m), 2)
        if self.sigma_m.shape != expected or min(expected) < 2:
            raise ValueError(f"sigma_m: expected shape {expected}, two places each way at least, found {self.sigma_m.shape}")
        if not (np.isfinite(self.sigma_m).all() and (self.sigma_m >= 0).all()):
            raise ValueError("sigma_m: standard deviations must be 0 or above")

    def at(self, places_m: ArrayLike) -> FloatArray:
        """Standard deviations of x and y at places of the bed, shape (N, 2), metres; outside the nearest place counts."""
        places = np.asarray(places_m, dtype=np.float64).reshape(-1, 2)
        i, u = _between(self.x_m, places[:, 0])
        j, v = _between(self.y_m, places[:, 1])
        u, v = u[:, None], v[:, None]
        near = (1 - u) * self.sigma_m[j, i] + u * self.sigma_m[j, i + 1]
        far = (1 - u) * self.sigma_m[j + 1, i] + u * self.sigma_m[j + 1, i + 1]
        return np.asarray((1 - v) * near + v * far, dtype=np.float64)

    def turned(self) -> "PlaceDoubt":
        """The same with head and foot named the other way round."""
        return PlaceDoubt(x_m=-self.x_m[::-1], y_m=-self.y_m[::-1], sigma_m=self.sigma_m[::-1, ::-1].copy())

    def to_dict(self) -> dict[str, Any]:
        """As in a table file: `x_m`, `y_m` and `sigma_m[y][x] = [of x, of y]`."""
        return {"x_m": self.x_m.round(4).tolist(), "y_m": self.y_m.round(4).tolist(), "sigma_m": self.sigma_m.round(6).tolist()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "PlaceDoubt":
        """From a table file.

        Raises:
            KeyError: If a field is missing.
            ValueError: If one is malformed.
        """
        arrays = {name: np.array(data[name], dtype=np.float64) for name in ("x_m", "y_m", "sigma_m")}
        return cls(**arrays)


def _between(knots: FloatArray, values: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """The knot before each value and how far on it is to the next, 0 to 1."""
    index = np.clip(np.searchsorted(knots, values, side="right") - 1, 0, len(knots) - 2).astype(np.int64)
    share = np.clip((values - knots[index]) / (knots[index + 1] - knots[index]), 0.0, 1.0)
    return index, np.asarray(share, dtype=np.float64)
