"""Where resting balls lie, averaged over their rest: what every measurement for people is made from; pure.

One picture places a ball to about a millimetre by chance; that part shrinks with the number of pictures. What does not
shrink (calibration, lens, light from one side) is taken for `FLOOR_M`. A ball that moves starts its average anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot, sqrt

from calibration.equipment import BallId
from tracker.history import TableState

FLOOR_M = 0.0007
"""What averaging cannot take away, metres per axis: residual of a good calibration over a bed."""
STILL_M = 0.004
"""A ball measured further than this from its average has been moved, metres: four times the scatter of a picture."""
STILL_MPS = 0.03
"""Nor does one this fast rest."""
MOST = 25
"""Measurements that an average holds: a second at 25 a second; more would follow a hand too slowly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one ball lies.

    Attributes:
        x_m: Table frame.
        y_m: Table frame.
        sigma_m: Standard deviation per axis.
        count: Measurements in it.
    """

    x_m: float
    y_m: float
    sigma_m: float
    count: int = 1

    def distance_m(self, other: "tuple[float, float]") -> float:
        """To another point, metres."""
        return hypot(self.x_m - other[0], self.y_m - other[1])


class RestPlaces:
    """Averages of the places of resting balls; same states in the same order, same places."""

    def __init__(self) -> None:
        """Nothing seen."""
        self._places: dict[BallId, Place] = {}

    def update(self, state: TableState) -> Mapping[BallId, Place]:
        """Take the next state; every ball that is on the bed and rests, where it lies."""
        if not state.usable:
            return self._places
        now = {ball.ball: ball for ball in state.balls}
        self._places = {ball: place for ball, place in self._places.items() if ball in now}
        for name, ball in now.items():
            known = self._places.get(name)
            if hypot(*ball.velocity_mps) > STILL_MPS or (not ball.seen and known is None):
                self._places.pop(name, None)
            elif ball.seen:
                self._places[name] = _averaged(known, ball.position_m, ball.sigma_m)
        return dict(self._places)


def _averaged(known: Place | None, position_m: tuple[float, float], sigma_m: float) -> Place:
    x, y = position_m
    if known is None or known.distance_m(position_m) > STILL_M:
        return Place(x_m=x, y_m=y, sigma_m=hypot(sigma_m, FLOOR_M))
    count = min(known.count + 1, MOST)
    share = 1.0 / count
    sigma = hypot(sigma_m / sqrt(count), FLOOR_M)
    return Place(x_m=known.x_m + share * (x - known.x_m), y_m=known.y_m + share * (y - known.y_m), sigma_m=sigma, count=count)
