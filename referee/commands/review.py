"""`cueref review`: referee a recorded match."""

import json
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import click
import cv2

from calibration.calibration import Calibration, read_calibration
from calibration.equipment import TableSpec, find_table
from calibration.errors import InputError
from referee.calls import read_calls
from referee.forked import read_beside
from referee.overlap import TURN_S
from referee.rules.games import find_ruleset, parse_game
from referee.rules.options import parse_option, read_options
from referee.wording import LANGUAGES, call_text, find_words
from referee.words import fill
from vision.capture import SAMPLES, Picture, sample_pictures

if TYPE_CHECKING:
    from referee.pipeline import ShotUpdate

ON_REAL_VIDEO = ("nine_ball",)
"""Games of which real recordings were reviewed; the others come with a warning."""

_SAMPLE_BYTES = 3840 * 2160 * 3
"""Room for a picture from the other process; larger ones come too, at more cost."""

EXAMPLES = """
Examples:

\b
  cueref review final.mp4 --game nine-ball -o final
  cueref review part1.mp4 part2.mp4 --game nine-ball --table table.json --players "Ana,Bo" --race 9 -o match
  cueref review practice.mp4 --game nine-ball --rules nine.break_order=alternate --json -o out > review.json
"""


@click.command(epilog=EXAMPLES)
@click.argument("videos", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--game", required=True, help="nine-ball, 14.1, free-pyramid, combined-pyramid, dynamic-pyramid or classic-pyramid.")
@click.option("-o", "--output", "folder", required=True, type=click.Path(path_type=Path), help="Folder for log, report and video.")
@click.option("--table", "table", help="Table file, or a table's name; without it the usual table of the game is looked for in the video.")
@click.option("--foot", type=click.Choice(["left", "right", "top", "bottom"]), help="Side of the picture where the balls are racked.")
@click.option("--calls", "calls", type=click.Path(path_type=Path), help="What only people know, JSON Lines (docs/data-flow.md).")
@click.option("--players", default="A,B", show_default=True, help="Names of the players, the first to shoot first.")
@click.option("--race", type=click.IntRange(min=1), help="Racks (or points) that win the match.")
@click.option("--rules", multiple=True, metavar="OPTION=VALUE", help="A house rule, for instance nine.break_order=alternate; repeatable.")
@click.option("--accept", is_flag=True, help="Go on with a table file that is not good.")
@click.option("--partial", is_flag=True, help="Judge what is there of a video that is cut off.")
@click.option("--no-video", is_flag=True, help="Leave the annotated video out.")
@click.option("--assume-calls", is_flag=True, help="Where a needed call is missing, take the ball that fell, marked as assumed.")
@click.option(
    "--lang", "language", type=click.Choice(list(LANGUAGES)), default="en", show_default=True, help="Language of calls and report."
)
@click.option("--dask", metavar="ADDRESS", help="Run on a Dask cluster (not built yet).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def command(
    videos: tuple[Path, ...],
    game: str,
    folder: Path,
    table: str | None,
    foot: str | None,
    calls: Path | None,
    players: str,
    race: int | None,
    rules: tuple[str, ...],
    accept: bool,
    partial: bool,
    no_video: bool,
    assume_calls: bool,
    language: str,
    dask: str | None,
    as_json: bool,
) -> int:
    """Referee the recorded VIDEOS, parts of one match in order: calls on the terminal, and in the output folder match.jsonl,
    report.html and annotated.mp4. Exit code 1 when a call is undecided."""
    cv2.setNumThreads(1)  # Decoder, eyes and encoder have a thread each; OpenCV's own would fight them for two cores.
    sys.setswitchinterval(TURN_S)
    if dask is not None:
        raise InputError("--dask is not built yet; leave it out to review on this machine")
    game = parse_game(game)
    if game not in ON_REAL_VIDEO:
        click.echo(f"judged on real video so far: {', '.join(ON_REAL_VIDEO)}; {game} was tried on rendered video only", err=True)
    spec, calibration, assumed = _table(table, game)
    names, words = _players(players), find_words(language)
    samples = _start_sampling(videos[0]) if calibration is None else None
    from referee.review import ReviewRequest, review

    request = ReviewRequest(
        videos=videos,
        game=game,
        spec=spec,
        calibration=calibration,
        calls=() if calls is None else read_calls(calls),
        players=names,
        race=race,
        options=read_options(dict(map(parse_option, rules)), where="--rules"),
        foot=foot,
        accept=accept,
        partial=partial,
        annotate=not no_video,
        assume_calls=assume_calls,
        language=language,
        assumed=assumed,
        samples=samples,
    )

    def say(text: str) -> None:
        click.echo(text, err=True)

    def on_shot(update: "ShotUpdate") -> None:
        if not as_json:
            said = call_text({**update.shot.to_dict(), **update.ruling.to_dict()}, {"A": names[0], "B": names[1]}, words)
            title = fill(words.labels["shot"], {"number": str(update.shot.number)}, words)
            click.echo(f"{update.shot.start_s:8.2f} s  {title[:1].lower()}{title[1:]}: {said}")

    result = review(request, folder, on_shot=on_shot, say=say, quiet=as_json)
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False))
    else:
        _sum_up(result["shots"], folder)
    return 1 if any(shot["verdict"] == "undecided" for shot in result["shots"]) else 0


def _start_sampling(path: Path) -> "Future[list[Picture]]":
    """Decode the pictures that the table is found in while the rest of the program loads: each takes about a second."""
    sampling = read_beside(lambda: sample_pictures(path, SAMPLES), _SAMPLE_BYTES)
    pictures = sampling.__enter__()  # Here, while there is one thread: a fork copies no other.

    def collect() -> "list[Picture]":
        try:
            return list(pictures)
        finally:
            sampling.__exit__(None, None, None)

    reader = ThreadPoolExecutor(1, "sample pictures")
    collected = reader.submit(collect)
    reader.shutdown(wait=False)
    return collected


def _sum_up(shots: list[dict[str, object]], folder: Path) -> None:
    undecided = sum(shot["verdict"] == "undecided" for shot in shots)
    if not shots:
        click.echo("no shot found")
    click.echo(f"{len(shots)} shots, {undecided} undecided; open {folder / 'report.html'}")


def _table(given: str | None, game: str) -> tuple[TableSpec, Calibration | None, tuple[str, ...]]:
    if given is None:
        spec = find_table(find_ruleset(game).table_name)
        return spec, None, (f"table: {spec.name}, the usual one of the game",)
    if Path(given).suffix == ".json" or Path(given).exists():
        calibration = read_calibration(Path(given))
        return calibration.spec, calibration, ()
    return find_table(given), None, ()


def _players(text: str) -> tuple[str, str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise InputError(f"--players takes two different names with a comma between, found {text!r}")
    return names[0], names[1]
