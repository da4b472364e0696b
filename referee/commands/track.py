"""`cueref track`: follow the balls through a video or a file of detections."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibration.equipment import BallSet, find_ball_set, find_table, parse_game
from calibration.errors import InputError
from calibration.table import Table
from referee.progress import Advance, show_progress

if TYPE_CHECKING:
    from calibration.calibration import Calibration
    from tracker.history import BallTrack
    from vision.detection import Observation

DETECTION_SUFFIXES = (".jsonl", ".ndjson", ".json")


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--table", "table_name", help="A table file (cueref calibrate), or a table's name: a video is then calibrated by itself.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="Where to write the tracks, .csv or .csv.gz.")
@click.option("--detections", type=click.Path(path_type=Path), help="Also write what was seen, a picture a line (.jsonl).")
@click.option("--balls", "balls_name", help="pool, nine, pyramid or any; default: from --game, else pool.")
@click.option("--game", help="The game, for its set of balls.")
@click.option("--quiet", is_flag=True, help="No progress.")
def command(
    source: Path, table_name: str | None, output: Path, detections: Path | None, balls_name: str | None, game: str | None, quiet: bool
) -> int:
    """Follow the balls through SOURCE, a video or a file of detections (.jsonl)."""
    from tracker.tracks_file import write_tracks

    if table_name is None:
        raise InputError("track: say which table it is: --table table.json (cueref calibrate) or --table wpa-9ft")
    for target in (output, detections):
        if target is not None and not target.parent.is_dir():
            raise InputError(f"{target}: there is no folder {target.parent}; make it first")
    if not source.exists():
        raise InputError(f"{source}: no such file; give a video or a file of detections (.jsonl)")
    ball_set = find_ball_set(balls_name or (parse_game(game) if game else "pool"))
    if source.suffix.lower() in DETECTION_SUFFIXES:
        from tracker.detections_file import read_detections

        table, observations = _read_table(table_name), read_detections(source)
        total_s = 0.0
    else:
        calibration, total_s = _calibrated(source, table_name)
        table, observations = calibration.table, _look(source, calibration, ball_set)
    with show_progress(f"Tracking {source.name}", total_s, quiet=quiet) as advance:
        tracks = _follow(observations, table, ball_set, detections, advance)
    write_tracks(output, tracks)
    click.echo(f"{len(tracks)} balls tracked into {output}", err=True)
    return 0 if tracks else 1


def _read_table(name: str) -> Table:
    if Path(name).suffix == ".json" or Path(name).is_file():
        from calibration.calibration import read_calibration

        return read_calibration(Path(name)).table
    return Table(find_table(name))


def _calibrated(source: Path, name: str) -> "tuple[Calibration, float]":
    """The table file, or the table found in the video itself; and the video's stated length in seconds."""
    from calibration.calibration import read_calibration
    from vision.capture import open_video

    with open_video(source) as video:
        size, total_s = video.image_size_px, video.duration_s
    if Path(name).suffix == ".json" or Path(name).is_file():
        calibration = read_calibration(Path(name))
        if calibration.camera.image_size_px != size:
            width, height = calibration.camera.image_size_px
            raise InputError(f"{name}: calibrated at {width}x{height}, but {source.name} is {size[0]}x{size[1]}; calibrate with this video")
        return calibration, total_s
    from referee.review import find_table_in

    return find_table_in(source, find_table(name), None), total_s


def _look(source: Path, calibration: "Calibration", ball_set: BallSet) -> "Iterator[Observation]":
    from vision.capture import open_video
    from vision.eyes import Eyes

    eyes = Eyes(calibration, ball_set)
    with open_video(source) as video:
        for frame in video:
            yield eyes.look(frame)
        torn = video.torn
    if torn:
        click.echo(f"{source}: {torn}", err=True)


def _follow(
    observations: "Iterator[Observation]", table: Table, ball_set: BallSet, detections: Path | None, advance: Advance
) -> "tuple[BallTrack, ...]":
    from tracker.detections_file import write_detections
    from tracker.tracks import Tracker

    tracker = Tracker(table, ball_set)
    times = []

    def taken() -> "Iterator[Observation]":
        for observation in observations:
            tracker.update(observation)
            times.append(observation.time_s)
            advance(observation.time_s)
            yield observation

    if detections is not None:
        write_detections(detections, taken())
    else:
        for _ in taken():
            pass
    return tracker.tracks(times[0], times[-1]) if times else ()
