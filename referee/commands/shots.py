"""`cueref shots`: read the shots out of tracks."""

import json
from pathlib import Path

import click

from calibration.equipment import find_table
from calibration.errors import InputError
from calibration.table import Table
from tracker.shot import Shot, write_shots

CERTAIN = 0.99
"""A fact less sure than this makes the exit code 1 (design.md, the usual `certain_at`)."""


@click.command()
@click.argument("tracks", type=click.Path(path_type=Path))
@click.option("--table", "table_name", required=True, help="Name of a table (wpa-9ft, ...) or a table file.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write the shots, one a line.")
@click.option("--json", "as_json", is_flag=True, help="Print the shots as one JSON array on standard output.")
def command(tracks: Path, table_name: str, output: Path | None, as_json: bool) -> int:
    """Read the shots out of TRACKS (.csv or .csv.gz): who touched what, what fell, and how surely."""
    from tracker.read import read_shots
    from tracker.tracks_file import read_tracks

    if output is None and not as_json:
        raise InputError("nowhere to put the shots; add -o shots.jsonl, or --json")
    table, ratio = _table(table_name)
    shots = read_shots(read_tracks(tracks), table, touch_ratio=ratio)
    if output is not None:
        write_shots(output, shots)
    if as_json:
        click.echo(json.dumps([shot.to_dict() for shot in shots]))
    else:
        click.echo(f"{len(shots)} shot{'' if len(shots) == 1 else 's'} in {tracks}", err=True)
    return 0 if all(_certain(shot) for shot in shots) else 1


def _table(name: str) -> tuple[Table, float]:
    """The table of a name or a table file, and the touch ratio to use where the tracks do not show it."""
    if Path(name).suffix == ".json" or Path(name).is_file():
        from calibration.calibration import read_calibration
        from tracker.noses import CALIBRATED_TOUCH_RATIO

        return read_calibration(Path(name)).table, CALIBRATED_TOUCH_RATIO
    return Table(find_table(name)), 1.0


def _certain(shot: Shot) -> bool:
    facts = [max(shot.first_contact.values()), *(max(p, 1 - p) for p in (shot.rail_before_contact, shot.rail_after_contact))]
    facts += [event.p for event in shot.events if event.type in ("pocketed", "off_table")]
    return min(facts) >= CERTAIN and shot.complete
