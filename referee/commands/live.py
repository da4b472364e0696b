"""`cueref live`: not built yet."""

import click

from calibration.errors import InputError


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Referee at the table, from a camera (not built yet)."""
    raise InputError("live refereeing is not built yet; record the match and use: cueref review VIDEO --game nine-ball -o DIR")
