"""`cueref report`: write the report of a match log."""

import json
from pathlib import Path

import click

from calibration.errors import InputError
from referee.log import read_log
from referee.report import write_report
from referee.review_object import review_object
from referee.wording import LANGUAGES


@click.command()
@click.argument("log", type=click.Path(path_type=Path))
@click.option("-o", "--output", "directory", type=click.Path(path_type=Path), help="Folder for report.html; made if missing.")
@click.option("--lang", "language", type=click.Choice(list(LANGUAGES)), default="en", show_default=True, help="Language of the report.")
@click.option("--json", "as_json", is_flag=True, help="Print the match as one cueref.review/1 object and nothing else.")
def command(log: Path, directory: Path | None, language: str, as_json: bool) -> int:
    """Write the report of the match log LOG, corrections applied; no video is needed.

    Paths of the balls are not in a log: the diagrams join where each ball was and where it came to rest.
    """
    if directory is None and not as_json:
        raise InputError("nowhere to put the report; add -o DIR, or --json")
    match = read_log(log)
    review = review_object(match)
    if directory is not None:
        path = write_report(directory, review, language=language)
        click.echo(f"{path}: {len(match.rulings)} shot{'' if len(match.rulings) == 1 else 's'}", err=True)
    if as_json:
        click.echo(json.dumps(review, ensure_ascii=False))
    return 0 if all(ruling.certain for ruling in match.rulings) else 1
