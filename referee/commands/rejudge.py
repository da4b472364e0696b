"""`cueref rejudge`: judge a match log again and list what changes."""

import json
from pathlib import Path

import click

from referee.log import read_log
from referee.match import find_differences, recorded_rulings
from referee.wording import LANGUAGES, find_words, missing_text


@click.command()
@click.argument("log", type=click.Path(path_type=Path))
@click.option(
    "--lang", "language", type=click.Choice(list(LANGUAGES)), default="en", show_default=True, help="Language of what is missing."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(log: Path, language: str, as_json: bool) -> int:
    """Judge the match log LOG again, corrections applied, and list the rulings that differ from those recorded, and what
    must be missing from it because the score does not add up."""
    match, words = read_log(log), find_words(language)
    differences = find_differences(recorded_rulings(match.events), match.rulings)
    undecided = [ruling.number for ruling in match.rulings if not ruling.certain]
    if as_json:
        result = {
            "format": "cueref.rejudge/1",
            "shots": len(match.rulings),
            "undecided": undecided,
            "score": match.score,
            "ledger": [entry.to_dict() for entry in match.state.ledger.entries],
            "differences": [difference.to_dict() for difference in differences],
        }
        click.echo(json.dumps(result, ensure_ascii=False, indent=1))
    else:
        for difference in differences:
            changes = ", ".join(f"{name} {difference.was.get(name)!r} -> {difference.now.get(name)!r}" for name in difference.fields)
            click.echo(f"shot {difference.shot}: {changes}")
        for item in match.state.ledger.missing:
            click.echo(missing_text(item, words))
        click.echo(f"{len(match.rulings)} shots: {len(differences)} ruled otherwise than recorded, {len(undecided)} undecided")
    return 1 if undecided else 0
