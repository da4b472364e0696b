"""When a ball's centre passes the centre line or the head string."""

import numpy as np

from calibration.table import Table
from tracker.kinks import Path
from tracker.shot import ShotEvent

OVERSHOOT_M = 0.002
"""A centre counts as past a line from this far beyond it; nearer the noise decides."""


def line_crossings(path: Path, table: Table) -> list[ShotEvent]:
    """Crossing events of one ball in time order, `t` on the clock of the path."""
    if not path.moves:
        return []
    events = []
    for name, line in (("centre_line", 0.0), ("head_line", table.head_string_m)):
        side = 0
        since = float(path.times_s[0])
        margins = np.maximum(OVERSHOOT_M, 2 * np.sqrt(path.variance)).tolist()
        for time, x, margin in zip(path.times_s.tolist(), (path.xy_m[:, 0] - line).tolist(), margins, strict=True):
            now = 1 if x > margin else -1 if x < -margin else 0
            if now == 0:
                continue
            if side not in (0, now):
                middle = _crossing_time(path, line, since, time)
                direction = "to_foot" if now > 0 else "to_head"
                p = 0.999 if abs(x) > 2 * margin else 0.97
                events.append(ShotEvent(t=middle, type=name, p=p, fields={"ball": path.ball, "dir": direction}))
            side, since = now, time
    events.sort(key=lambda event: event.t)
    return events


def _crossing_time(path: Path, line: float, low: float, high: float) -> float:
    """Time between two samples on either side of a line at which the path is on it (bisection)."""
    start = path.position(low)[0] > line
    for _ in range(20):
        middle = 0.5 * (low + high)
        if (path.position(middle)[0] > line) == start:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
