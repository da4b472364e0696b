"""Ways of balls as functions of time, for tests of what is read from them."""

from collections.abc import Callable

import numpy as np

SLOWING_MPS2 = 0.1
"""Of a ball that rolls."""

Way = Callable[[float], tuple[float, float]]


def legs(start: tuple[float, float], *parts: tuple[float, float, float]) -> Way:
    """A ball that rests at a place, then from each (time_s, vx, vy) on rolls with that velocity, slowing by 0.1 m/s^2."""

    def place(time_s: float) -> tuple[float, float]:
        x, y = start
        for k, (begin, vx, vy) in enumerate(parts):
            until = min(time_s, parts[k + 1][0]) if k + 1 < len(parts) else time_s
            if until <= begin:
                break
            speed = float(np.hypot(vx, vy))
            if speed == 0:
                continue
            tau = min(until - begin, speed / SLOWING_MPS2)
            way = speed * tau - 0.5 * SLOWING_MPS2 * tau * tau
            x, y = x + way * vx / speed, y + way * vy / speed
        return x, y

    return place
