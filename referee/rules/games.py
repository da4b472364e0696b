"""The games that are built: one line each; plain module."""

from calibration import equipment
from calibration.errors import InputError
from referee.rules import nine_ball, pyramid, straight_pool
from referee.rules.base import Ruleset

RULESETS: tuple[Ruleset, ...] = (nine_ball.RULES, straight_pool.RULES, *pyramid.RULES)
"""To add a game: write its module with a `RULES` object and list it here."""


def find_ruleset(game: str) -> Ruleset:
    """The rules of that game, by its name in files.

    Raises:
        InputError: `game: ...`, if it is not built.

    >>> find_ruleset("nine_ball").game
    'nine_ball'
    """
    for rules in RULESETS:
        if rules.game == game:
            return rules
    built = ", ".join(rules.game for rules in RULESETS)
    raise InputError(f"game: {game!r} is not built yet; there is {built}")


def parse_game(name: str) -> str:
    """The game's name as files spell it, from any spelling the command line takes; only games that are built.

    Raises:
        InputError: If there is no such game.

    >>> parse_game("14.1")
    'straight_14_1'
    """
    game = name.strip().lower().replace("-", "_")
    if all(rules.game != game for rules in RULESETS):
        game = equipment.parse_game(name)
    return find_ruleset(game).game
