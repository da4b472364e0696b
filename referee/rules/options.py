"""The settings of rules.md section 5.1: keys, defaults and what else they may be; plain module.

A key `nine.break_order` is the attribute `nine_break_order`. The seed wins by default; the modern rule is the option.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from calibration.errors import InputError

CHOICES: dict[str, tuple[Any, ...]] = {
    "nine.nine_on_break": ("wins", "spotted"),
    "nine.break_order": ("winner", "alternate", "loser", "trailing"),
    "nine.unwarned_third": ("counts_as_second", "loses_rack"),
    "pool.no_referee_fouls": ("cue_ball_only", "all_balls"),
    "s141.third_foul": ("seed_choice", "forced_rerack"),
    "s141.deliberate_penalty": (16, 0),
    "pyr.cond20": ("union", "chain", "seed_only"),
    "pyr.break_fail": ("accept_or_rerack_self", "rerack_self_forced", "rerack_offender"),
    "pyr.dynamic_penalty_hand": ("anywhere", "house"),
    "pyr.classic_penalty": ("opponent_plus_5", "offender_minus_5"),
}
"""Values of the settings that are neither yes/no nor a number."""
RANGES = {"pyr.spot_gap_mm": (0.5, 3.0)}
"""Bounds of numbers that section 5.1 gives bounds for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the organiser settles what the rule book leaves open; each default is section 5.1's."""

    nine_nine_on_spot: bool = False
    """The 9 instead of the 1 on the foot spot when racking (A-N1)."""
    nine_three_point_break: bool = False
    """WPA-REG16: three object balls pocketed or past the head string, or the break is illegal (A-N2)."""
    nine_nine_on_break: str = "wins"
    """A 9 made on a legal break wins the rack or is spotted (A-N3)."""
    nine_break_order: str = "winner"
    """Who breaks the next rack (A-N9)."""
    nine_unwarned_third: str = "counts_as_second"
    """A third foul without the warning (A-N7)."""
    pool_no_referee_fouls: str = "cue_ball_only"
    """What a touch costs without a referee (A-N8)."""
    pool_hanging_s: float = 5.0
    """Seconds at rest after which a ball that drops by itself is put back (A-G1)."""
    pool_pocketed_is_rail: bool = True
    """A pocketed or jumped ball counts as driven to a cushion (A-S5)."""
    s141_third_foul: str = "seed_choice"
    s141_legal_miss_clears: bool = True
    s141_near_rail_rule: bool = True
    s141_deliberate_penalty: int = 16
    s141_deliberate_counts: bool = True
    s141_rack_1_and_5: bool = True
    pyr_cond20: str = "union"
    pyr_pass_back: bool = True
    pyr_break_fail: str = "accept_or_rerack_self"
    pyr_dynamic_penalty_hand: str = "anywhere"
    pyr_spot_gap_mm: float = 1.0
    pyr_lip_wait_s: float = 5.0
    pyr_classic_penalty: str = "opponent_plus_5"

    def to_dict(self) -> dict[str, Any]:
        """The settings that differ from their defaults, by key."""
        return {key: getattr(self, name) for key, name in KEYS.items() if getattr(self, name) != getattr(DEFAULTS, name)}


KEYS = {field.name.replace("_", ".", 1): field.name for field in fields(Options)}
DEFAULTS = Options()


def read_options(given: Mapping[str, Any], *, where: str = "rules_options") -> Options:
    """The settings with those given in place of the defaults.

    Raises:
        InputError: If a key is unknown or a value is not one of its kind; the message starts with the field.

    >>> read_options({"nine.break_order": "loser"}).nine_break_order
    'loser'
    """
    values: dict[str, Any] = {}
    for key, value in given.items():
        name = KEYS.get(key)
        if name is None:
            raise InputError(f"{where}.{key}: unknown field; there are {', '.join(KEYS)}")
        values[name] = _checked(key, value, getattr(DEFAULTS, name), where)
    return Options(**values)


def parse_option(text: str) -> tuple[str, Any]:
    """Key and value of `option=value` as a command line gives it.

    Raises:
        InputError: If there is no `=`.

    >>> parse_option("nine.nine_on_spot=true")
    ('nine.nine_on_spot', True)
    """
    key, separator, value = text.partition("=")
    if not separator:
        raise InputError(f"--rules {text}: expected option=value, for example nine.break_order=alternate")
    value = value.strip()
    if value.lower() in ("true", "false"):
        return key.strip(), value.lower() == "true"
    try:
        return key.strip(), float(value) if "." in value else int(value)
    except ValueError:
        return key.strip(), value


def _checked(key: str, value: Any, default: Any, where: str) -> Any:
    choices = CHOICES.get(key)
    if choices is not None:
        if value not in choices or isinstance(value, bool):
            raise InputError(f"{where}.{key}: must be one of {', '.join(map(str, choices))}, found {value!r}")
        return value
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise InputError(f"{where}.{key}: must be true or false, found {value!r}")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise InputError(f"{where}.{key}: must be a number of 0 or more, found {value!r}")
    low, high = RANGES.get(key, (0.0, float("inf")))
    if not low <= value <= high:
        raise InputError(f"{where}.{key}: must be {low:g} to {high:g}, found {value!r}")
    return value
