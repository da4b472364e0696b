"""One ball's motion: a filter that knows rest, rolling and instant changes of course.

At rest a ball stays exactly where it is, so its place is the weighted mean of everything seen there and its standard
deviation falls with every frame. Rolling it keeps its course and slows a little (roll friction 0.1 m/s^2, sliding up to
2.5 m/s^2): a constant-velocity Kalman filter, one covariance for both axes (Bar-Shalom, Li, Kirubarajan 2001, section
6.2), takes that as acceleration noise. A contact changes the velocity at once: an innovation that the filter cannot explain
starts the velocity afresh instead of being averaged in.

Fails: a roll slower than noise over a tenth of a second is called rest for a while; the mean then lags until the ball has
left it by three standard deviations. Two contacts between two pictures look like one.
"""

from dataclasses import dataclass, field
from math import hypot, sqrt

_ACCELERATION_MPS2 = 1.5
"""Standard deviation of the acceleration between contacts (friction 0.1 to 2.5 m/s^2). Smaller loses sliding balls."""
_SYSTEMATIC_M = 0.0004
"""Slow error of a detection that averaging does not remove (limits.md section 5: 0.3 to 0.7 mm at 1080p)."""
_BLUR_SHARE = 0.03
"""Extra noise along the path as a share of the way between two pictures."""
_SURPRISE = 14.0
"""Squared innovation over its variance, two axes, above which a contact (or a lying clock) is assumed; chi-square 99.9 %."""
_WAKE_SIGMA = 4.0
"""Standard deviations off its place at which a resting ball is taken for moving. Smaller wakes balls by noise."""
_REST_SPAN_S = 0.11
"""A ball has to stay within noise this long to count as resting; longer delays rest, shorter stops slow rolls."""
_FRESH_SPEED_MPS = 1.0
"""Standard deviation of a velocity taken from a single step after a contact, on top of the step's own noise."""
_NEAR = 7.0
"""Squared standard deviations within which they stay of their mean; chi-square, two axes, 97 %, each."""
_APART = 2 * _NEAR**0.5
"""Standard deviations beyond which two of them cannot both be that near."""
_REST_COUNT = 400.0
"""Detections after which a resting place gains no more precision: the rest of the error is systematic."""
_TOLD_SIGMAS, _TOLD_COUNT = 2.5, 3
"""Standard deviations that a speed is off zero, and detections on one course, before it surely is one: among balls that
touch, two found as one seem to leap by a radius, and back, or on to the next."""
_MEMORY_S = 0.25
"""How long a ball that seemed to start keeps its old place in mind, should the start have been a false detection."""


@dataclass(slots=True)
class BallFilter:
    """State of one ball; metres, metres per second, seconds.

    Attributes:
        time_s: Of the last measurement.
        x, y: Place at that time.
        vx, vy: Velocity at that time, per second of true time.
        resting: At rest as far as noise tells.
    """

    time_s: float
    x: float
    y: float
    sigma_m: float
    vx: float = 0.0
    vy: float = 0.0
    resting: bool = False
    woke_s: float = -1e9
    memory: tuple[float, float] | None = None
    _pp: float = 0.0
    _pv: float = 0.0
    _vv: float = 9.0
    _weight: float = 0.0
    _recent: list[tuple[float, float, float, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._pp = self.sigma_m**2
        self._recent.append((self.time_s, self.x, self.y, self.sigma_m))

    @property
    def speed_mps(self) -> float:
        """Length of the velocity."""
        return hypot(self.vx, self.vy)

    @property
    def told_mps(self) -> float:
        """Speed, where it is surely more than noise or a leap or two; else 0."""
        if self.resting or len(self._recent) < _TOLD_COUNT:
            return 0.0
        speed = hypot(self.vx, self.vy)
        return speed if speed * speed > _TOLD_SIGMAS**2 * self._vv else 0.0

    @property
    def woken(self) -> tuple[float, float]:
        """Unit vector of its first step where its last measurement was the first off its resting place; else zero."""
        if self.resting or self.woke_s != self.time_s:
            return 0.0, 0.0
        speed = hypot(self.vx, self.vy)
        return (self.vx / speed, self.vy / speed) if speed > 0 else (0.0, 0.0)

    @property
    def settled(self) -> bool:
        """True when the velocity is known well enough to predict with."""
        return self.resting or self._vv < 0.3**2 + (0.2 * self.speed_mps) ** 2

    def predict(self, dt_s: float) -> tuple[float, float, float]:
        """(x, y, sigma) `dt_s` after the last measurement by constant velocity, no cushion, no contact."""
        if self.resting:
            return self.x, self.y, sqrt(self._pp + _SYSTEMATIC_M**2)
        noise = _ACCELERATION_MPS2**2
        variance = self._pp + 2 * dt_s * self._pv + dt_s * dt_s * self._vv + noise * dt_s**4 / 4
        variance += (_BLUR_SHARE * dt_s * self.speed_mps) ** 2
        return self.x + self.vx * dt_s, self.y + self.vy * dt_s, sqrt(max(variance, 0.0) + _SYSTEMATIC_M**2)

    def update(self, time_s: float, x: float, y: float, sigma_m: float, dt_s: float) -> None:
        """Take a measurement in.

        Args:
            time_s: Its time on the recording's clock.
            x: Metres.
            y: Metres.
            sigma_m: Its standard deviation per axis.
            dt_s: True time since the last measurement as far as known; 0 for a repeated picture.
        """
        self._recent.append((time_s, x, y, sigma_m))
        if len(self._recent) > 12:
            del self._recent[0]
        if self.resting:
            self._update_resting(time_s, x, y, sigma_m, dt_s)
        else:
            self._update_moving(time_s, x, y, sigma_m, dt_s)
            self._settle()
        self.time_s = time_s

    def _update_resting(self, time_s: float, x: float, y: float, sigma_m: float, dt_s: float) -> None:
        variance = sigma_m**2 + _SYSTEMATIC_M**2
        off = (x - self.x) ** 2 + (y - self.y) ** 2
        if off > _WAKE_SIGMA**2 * (variance + self._pp):
            self.memory, self.woke_s, self.resting = (self.x, self.y), time_s, False
            self._restart(x, y, sigma_m, dt_s)
            return
        weight = min(self._weight, _REST_COUNT / variance)
        gain = 1 / variance / (weight + 1 / variance)
        self.x += gain * (x - self.x)
        self.y += gain * (y - self.y)
        self._weight = weight + 1 / variance
        self._pp = 1 / self._weight

    def _update_moving(self, time_s: float, x: float, y: float, sigma_m: float, dt_s: float) -> None:
        if self.memory is not None and time_s - self.woke_s < _MEMORY_S:
            back = (x - self.memory[0]) ** 2 + (y - self.memory[1]) ** 2
            if back < 9 * (sigma_m**2 + _SYSTEMATIC_M**2):  # the start was a false detection
                self._rest_at(*self.memory, 1 / (sigma_m**2 + _SYSTEMATIC_M**2))
                return
        if dt_s <= 0:
            return
        px, py, sigma = self.predict(dt_s)
        measured = sigma_m**2 + _SYSTEMATIC_M**2 + (_BLUR_SHARE * dt_s * self.speed_mps) ** 2
        ix, iy = x - px, y - py
        if ix * ix + iy * iy > _SURPRISE * (sigma**2 + measured):
            self._restart(x, y, sigma_m, dt_s)
            return
        noise = _ACCELERATION_MPS2**2
        pp = self._pp + 2 * dt_s * self._pv + dt_s**2 * self._vv + noise * dt_s**4 / 4
        pv = self._pv + dt_s * self._vv + noise * dt_s**3 / 2
        vv = self._vv + noise * dt_s**2
        total = pp + measured
        kp, kv = pp / total, pv / total
        self.x, self.y = px + kp * ix, py + kp * iy
        self.vx, self.vy = self.vx + kv * ix, self.vy + kv * iy
        self._pp, self._pv, self._vv = (1 - kp) * pp, (1 - kp) * pv, vv - kv * pv

    def _restart(self, x: float, y: float, sigma_m: float, dt_s: float) -> None:
        """A contact somewhere between the two pictures: the step's mean velocity is only a first guess."""
        if dt_s > 0:
            self.vx, self.vy = (x - self.x) / dt_s, (y - self.y) / dt_s
            self._vv = 2 * sigma_m**2 / dt_s**2 + _FRESH_SPEED_MPS**2 + (0.3 * self.speed_mps) ** 2
        self.x, self.y = x, y
        self._pp, self._pv = sigma_m**2, 0.0
        self._recent = self._recent[-1:]

    def _settle(self) -> None:
        """Rest, once the last detections stay within noise of their mean for long enough."""
        if len(self._recent) < 3:
            return
        (_, x, y, one), (end, x_end, y_end, other) = self._recent[-2:]
        if (x_end - x) ** 2 + (y_end - y) ** 2 > _APART**2 * (max(one, other) ** 2 + _SYSTEMATIC_M**2):
            return
        window = []
        for row in reversed(self._recent):
            window.append(row)
            if end - row[0] >= _REST_SPAN_S:
                break
        if len(window) < 3 or end - window[-1][0] < _REST_SPAN_S:
            return
        weights = [1 / (row[3] ** 2 + _SYSTEMATIC_M**2) for row in window]
        total = sum(weights)
        x = sum(w * row[1] for w, row in zip(weights, window, strict=True)) / total
        y = sum(w * row[2] for w, row in zip(weights, window, strict=True)) / total
        if all((row[1] - x) ** 2 + (row[2] - y) ** 2 < _NEAR / w for w, row in zip(weights, window, strict=True)):
            step = hypot(window[0][1] - window[-1][1], window[0][2] - window[-1][2])
            if step < 3 * sqrt(2 / min(weights)):
                self._rest_at(x, y, total)

    def _rest_at(self, x: float, y: float, weight: float) -> None:
        self.resting = True
        self.x, self.y, self.vx, self.vy = x, y, 0.0, 0.0
        self._weight, self._pp, self._pv, self._vv = weight, 1 / weight, 0.0, 0.0
        self.memory = None
