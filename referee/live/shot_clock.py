"""The shot clock: from true rest, with a ten-second announcement and extensions; pure, times are arguments.

It runs from the moment the last ball stopped, which is known only when the shot has been read, so that it begins with
some tenths already gone. It stops at the next stroke. It announces; that a player was too slow is for the official to say.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from calibration.errors import InputError
from referee.ruling import PLAYERS, Pair

TEN_S = 10.0
"""The announcement comes this long before the end (PYR-26.3, WPA regulations)."""
LIMITS = {"straight_14_1": 35.0, "nine_ball": 35.0}
"""Usual limit, seconds (WPA regulations, shot clock); pyramid has 45 (PYR-26.1)."""
PYRAMID_LIMIT_S = 45.0
EXTENSION_S = 25.0
"""Usual length of an extension (WPA regulations); in pyramid it doubles the limit (PYR-26.5)."""
LONGEST_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotClock:
    """How the clock is set and what happened to it.

    Attributes:
        limit_s: Time for a stroke; 0 where the clock is off.
        extension_s: What an extension adds.
        each: Extensions a player has in a rack.
        used: Extensions taken in this rack.
        player: Whose time it is.
        rest_s: When the table came to rest; None while balls move or nothing was seen.
        granted_s: What extensions have added to this stroke.
        held_s: Time of this stroke that did not count, pauses that are over.
        paused_s: Since when it is paused; None while it is not.
    """

    limit_s: float = 0.0
    extension_s: float = EXTENSION_S
    each: int = 1
    used: Pair[int] = field(default_factory=lambda: Pair(0, 0))
    player: str | None = None
    rest_s: float | None = None
    granted_s: float = 0.0
    held_s: float = 0.0
    paused_s: float | None = None

    def reading(self, time_s: float) -> "Reading":
        """What it shows at `time_s`."""
        if self.rest_s is None:
            return Reading(state="paused" if self.paused_s is not None else "waiting" if self.limit_s else "off")
        until_s = time_s if self.paused_s is None else max(self.paused_s, self.rest_s)
        since_s = max(0.0, until_s - self.rest_s - self.held_s)
        if not self.limit_s:
            return Reading(state="paused" if self.paused_s is not None else "off", since_rest_s=since_s)
        left_s = self.limit_s + self.granted_s - since_s
        state = "paused" if self.paused_s is not None else "expired" if left_s <= 0 else "running"
        return Reading(state=state, since_rest_s=since_s, left_s=max(0.0, left_s), ten=left_s <= TEN_S)

    def to_dict(self, time_s: float) -> dict[str, Any]:
        """The `clock` object of the protocol."""
        shown = self.reading(time_s)
        return {
            "state": shown.state,
            "player": self.player,
            "limit_s": self.limit_s,
            "left_s": None if shown.left_s is None else round(shown.left_s, 2),
            "since_rest_s": None if shown.since_rest_s is None else round(shown.since_rest_s, 2),
            "ten": shown.ten,
            "extension_s": self.extension_s,
            "extensions": self.used.to_dict(),
            "extensions_each": self.each,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the clock shows.

    Attributes:
        state: `off`, `waiting`, `running`, `paused`, `expired`.
        since_rest_s: Time since rest that counts; None while balls move.
        left_s: Time left; None where there is no limit, or no rest.
        ten: The last ten seconds have begun.
    """

    state: str
    since_rest_s: float | None = None
    left_s: float | None = None
    ten: bool = False


def set_clock(clock: ShotClock, *, limit_s: float, extension_s: float | None = None, each: int | None = None) -> ShotClock:
    """The clock with another setting.

    Raises:
        InputError: If a value cannot be one.
    """
    extension = clock.extension_s if extension_s is None else extension_s
    for name, value in (("limit_s", limit_s), ("extension_s", extension)):
        if not 0 <= value <= LONGEST_S:
            raise InputError(f"clock.{name}: must be 0 to {LONGEST_S:g} seconds, found {value!r}")
    count = clock.each if each is None else each
    if not 0 <= count <= 99:
        raise InputError(f"clock.extensions_each: must be 0 to 99, found {count!r}")
    return replace(clock, limit_s=float(limit_s), extension_s=float(extension), each=count)


def rested(clock: ShotClock, rest_s: float, player: str | None, *, new_rack: bool = False) -> ShotClock:
    """The balls lie still since `rest_s`, and it is `player`'s turn; a new rack gives the extensions back."""
    paused = None if clock.paused_s is None else max(clock.paused_s, rest_s)
    used = Pair(0, 0) if new_rack else clock.used
    return replace(clock, rest_s=rest_s, player=player, granted_s=0.0, held_s=0.0, paused_s=paused, used=used)


def struck(clock: ShotClock) -> ShotClock:
    """A stroke was played: the clock waits for the next rest."""
    return replace(clock, rest_s=None, granted_s=0.0, held_s=0.0)


def turned(clock: ShotClock, player: str | None, time_s: float) -> ShotClock:
    """A choice gave the turn to another player: his time begins now."""
    return clock if player == clock.player or clock.rest_s is None else rested(clock, time_s, player)


def extended(clock: ShotClock, player: str) -> ShotClock:
    """The player takes an extension.

    Raises:
        InputError: If the clock is off, it is not his time, or he has none left.
    """
    if player not in PLAYERS:
        raise InputError(f"player: must be A or B, found {player!r}")
    if not clock.limit_s or clock.rest_s is None:
        raise InputError("the shot clock is not running")
    if clock.player not in (None, player):
        raise InputError(f"it is not the time of player {player}")
    if clock.used[player] >= clock.each:
        raise InputError(f"player {player} has no extension left in this rack")
    used = clock.used.replaced(player, clock.used[player] + 1)
    return replace(clock, used=used, granted_s=clock.granted_s + clock.extension_s)


def paused(clock: ShotClock, time_s: float) -> ShotClock:
    """The clock stands from `time_s` on."""
    return clock if clock.paused_s is not None else replace(clock, paused_s=time_s)


def resumed(clock: ShotClock, time_s: float) -> ShotClock:
    """The clock runs again."""
    if clock.paused_s is None:
        return clock
    held = 0.0 if clock.rest_s is None else max(0.0, time_s - max(clock.paused_s, clock.rest_s))
    return replace(clock, paused_s=None, held_s=clock.held_s + held)
