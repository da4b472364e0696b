"""Tables and ball sets by name: sizes with their source; plain module, standard library only.

Sizes are nose to nose in metres (design.md, frame of reference; rules.md section 1.2, from the WPA equipment
specification and the MKP/EKP requirements for pyramid). A size that has no published value is None, never a guess.
"""

from dataclasses import dataclass

from calibration.errors import InputError

BallId = str
"""Name of a ball: `cue`, `1`..`15` in pool; `Y` (coloured), `w1`..`w15` in pyramid; `b1`, `b2`.. where unnamed."""

NOSE_HEIGHT_RATIO = 0.635
"""Height of a cushion's nose above the cloth over the ball's diameter (WPA: 62.5 to 64.5 %)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """Nominal size of a table and of the balls played on it.

    Attributes:
        name: `wpa-9ft` and so on, or `custom`.
        length_m: Playing surface, nose to nose along the long string, metres, > 0.
        width_m: Playing surface, nose to nose across, metres, > 0.
        ball_diameter_m: Metres, > 0.
        corner_mouth_m: Distance of the two nose ends of a corner pocket, metres; None where not standardised.
        side_mouth_m: The same for a side (middle) pocket.
        metric: False when only the proportion is known: positions are then fractions of the length.
    """

    name: str
    length_m: float
    width_m: float
    ball_diameter_m: float
    corner_mouth_m: float | None = None
    side_mouth_m: float | None = None
    metric: bool = True

    def __post_init__(self) -> None:
        if not (self.length_m > 0 and self.width_m > 0 and self.ball_diameter_m > 0):
            raise InputError(
                f"table {self.name}: length, width and ball diameter must be above 0, found "
                f"{self.length_m} x {self.width_m} m, ball {self.ball_diameter_m} m"
            )
        if self.length_m < self.width_m:
            raise InputError(f"table {self.name}: length {self.length_m} m is below width {self.width_m} m; swap them")

    @property
    def ball_radius_m(self) -> float:
        """Half the ball's diameter, metres."""
        return self.ball_diameter_m / 2

    @property
    def nose_height_m(self) -> float:
        """Height of the cushion noses above the cloth, metres."""
        return NOSE_HEIGHT_RATIO * self.ball_diameter_m


_POOL_BALL_M = 0.05715

TABLES: tuple[TableSpec, ...] = (
    TableSpec(name="wpa-9ft", length_m=2.540, width_m=1.270, ball_diameter_m=_POOL_BALL_M, corner_mouth_m=0.1159, side_mouth_m=0.1286),
    TableSpec(name="wpa-8ft", length_m=2.3368, width_m=1.1684, ball_diameter_m=_POOL_BALL_M, corner_mouth_m=0.1159, side_mouth_m=0.1286),
    TableSpec(name="home-8ft", length_m=2.235, width_m=1.1175, ball_diameter_m=_POOL_BALL_M),
    TableSpec(name="bar-7ft", length_m=1.9304, width_m=0.9652, ball_diameter_m=_POOL_BALL_M),
    TableSpec(name="pyramid-12ft", length_m=3.550, width_m=1.775, ball_diameter_m=0.068, corner_mouth_m=0.0725, side_mouth_m=0.0825),
)
"""Every table with a name, the usual one of pool first."""

SCENARIO_TABLE_NAMES = {"wpa9": "wpa-9ft", "rus12": "pyramid-12ft"}
"""Names that scenario files use (design.md, frame of reference)."""

GAME_TABLES = {
    "nine_ball": "wpa-9ft",
    "straight_14_1": "wpa-9ft",
    "free_pyramid": "pyramid-12ft",
    "combined_pyramid": "pyramid-12ft",
    "dynamic_pyramid": "pyramid-12ft",
    "classic_pyramid": "pyramid-12ft",
}
"""Games by their name in files, with the table each is usually played on."""


def find_table(name: str) -> TableSpec:
    """The table of that name; scenario names are understood too.

    Raises:
        InputError: If no table has that name; the message lists those there are.

    >>> find_table("wpa9").length_m
    2.54
    """
    name = SCENARIO_TABLE_NAMES.get(name, name)
    for spec in TABLES:
        if spec.name == name:
            return spec
    names = ", ".join(spec.name for spec in TABLES)
    raise InputError(f"no table is called {name!r}; there are {names}, or give --length-mm, --width-mm and --ball-mm")


def parse_game(name: str) -> str:
    """The game's name as files spell it, from any spelling the command line takes.

    Raises:
        InputError: If there is no such game.

    >>> parse_game("nine-ball"), parse_game("14.1")
    ('nine_ball', 'straight_14_1')
    """
    game = name.strip().lower().replace("-", "_")
    game = {"14.1": "straight_14_1", "9_ball": "nine_ball", "nineball": "nine_ball"}.get(game, game)
    if game not in GAME_TABLES:
        raise InputError(f"no game is called {name!r}; there are {', '.join(GAME_TABLES)}")
    return game


@dataclass(frozen=True, slots=True, kw_only=True)
class BallSet:
    """Which balls can be on the table, and whether each can be told from the others by its looks.

    Attributes:
        name: `nine`, `pool`, `pyramid` or `any`.
        balls: Ids, the cue ball first. Empty for `any`: balls are then counted `b1`, `b2`, ..
        distinct: False where several balls look alike from above (pyramid whites, `any`).
    """

    name: str
    balls: tuple[BallId, ...]
    distinct: bool


BALL_SETS: tuple[BallSet, ...] = (
    BallSet(name="nine", balls=("cue", *(str(n) for n in range(1, 10))), distinct=True),
    BallSet(name="pool", balls=("cue", *(str(n) for n in range(1, 16))), distinct=True),
    BallSet(name="pyramid", balls=("Y", *(f"w{n}" for n in range(1, 16))), distinct=False),
    BallSet(name="any", balls=(), distinct=False),
)


def find_ball_set(name: str) -> BallSet:
    """The ball set of that name (`nine`, `pool`, `pyramid`, `any`) or of a game.

    Raises:
        InputError: If neither a set nor a game has that name.
    """
    for ball_set in BALL_SETS:
        if ball_set.name == name:
            return ball_set
    game = parse_game(name)
    return find_ball_set({"nine_ball": "nine", "straight_14_1": "pool"}.get(game, "pyramid"))
