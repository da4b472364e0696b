"""`cueref judge`: judge worked cases and compare with what they expect."""

import json
from pathlib import Path

import click

from referee.judge import judge_scenarios, read_scenario_file


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, one entry a scenario, and nothing else.")
def command(file: Path, as_json: bool) -> int:
    """Judge the worked cases of FILE (scenarios.json) and say where the rulings differ from those expected."""
    entries = judge_scenarios(*read_scenario_file(file))
    if as_json:
        click.echo(json.dumps([entry.to_dict() for entry in entries], ensure_ascii=False, indent=1))
    else:
        for entry in entries:
            what = entry.error or (
                "agrees" if entry.agrees else "nothing expected" if entry.agrees is None else f"differs in {', '.join(entry.differs)}"
            )
            click.echo(f"{entry.id}: {what}")
        agree, wrong = sum(entry.agrees is True for entry in entries), sum(entry.agrees is False for entry in entries)
        failed = sum(entry.error is not None for entry in entries)
        click.echo(f"{len(entries)} scenarios: {agree} agree, {wrong} differ, {failed} could not be judged")
    return 1 if any(entry.agrees is False or entry.error is not None for entry in entries) else 0
