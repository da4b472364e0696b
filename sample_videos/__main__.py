"""The command `python -m sample_videos`: make videos with their truth, and pictures for training."""

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click

from calibration.equipment import TABLES
from calibration.errors import InputError
from sample_videos.dataset import write_crops, write_pictures
from sample_videos.effects import TROUBLES
from sample_videos.looks import CLOTHS
from sample_videos.matches import read_matches
from sample_videos.recipes import BALL_SETS, FOULS, SAMPLE_SEED, SAMPLES, Title, Wishes, anew, record
from sample_videos.shots import kinds
from sample_videos.video import write_recording

_MAX_SAMPLE_BYTES = 3_000_000
"""The repository takes videos of at most 3 MB."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Make overhead videos of cue sports with exact truth, of the project's own making.

    \b
    Examples:
      python -m sample_videos make --game nine-ball --seed 3 -o rack.mp4
      python -m sample_videos make --game combined-pyramid --length 30 --size 1920x1080 --fps 50 -o combined.mp4
      python -m sample_videos make --game 14.1 --shot bank --table bar-7ft -o bank.mp4
      python -m sample_videos make --shot legal_pot --seed 3 -o pot.mp4
      python -m sample_videos make --shot break_pot --cloth red --camera-height 2.5 --size 1920x1080 --fps 60 -o break.mp4
      python -m sample_videos fouls -o fouls/
      python -m sample_videos samples --seed 9 -o samples/
      python -m sample_videos dataset -o pictures/ --count 100 --seed 4
      python -m sample_videos dataset -o crops/ --crops --count 20000
    """


def _size(_: click.Context, __: click.Parameter, value: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in value.lower().split("x"))
    except ValueError as error:
        raise click.BadParameter(f"give it as 1920x1080, found {value!r}") from error
    return width, height


@command.command()
@click.option("--game", default="nine-ball", show_default=True, help="nine-ball, 14.1, free-pyramid, combined-pyramid, ..")
@click.option("--table", "table_name", help="wpa-9ft, wpa-8ft, home-8ft, bar-7ft, pyramid-12ft; default the usual one of the game.")
@click.option("--passage", help="A passage of several shots by name; `python -m sample_videos shots` lists them. Default: one by chance.")
@click.option("--shot", "kind", help="A single shot of a kind instead; `python -m sample_videos shots` lists them.")
@click.option("--number", type=int, help="Which shot of the kind, from 0; default by chance.")
@click.option("--length", "length_s", type=float, help="Cut a passage at rest after at most so many seconds; one shot is always shown.")
@click.option("--seed", default=1, show_default=True, help="Draws shot, camera, cloth, light and balls where not given.")
@click.option("--fps", default=25.0, show_default=True, help="Pictures per second.")
@click.option("--size", "size_px", default="1920x1080", show_default=True, callback=_size, help="Picture size.")
@click.option("--camera-height", type=float, help="Metres above the cloth.")
@click.option("--tilt", type=float, help="Degrees from the vertical, at most 15.")
@click.option("--cloth", type=click.Choice(list(CLOTHS)), help="Colour of the cloth.")
@click.option("--balls", type=click.Choice(list(BALL_SETS)), help="Ball set.")
@click.option("--foot", type=click.Choice(["left", "right"]), help="Side of the picture where the foot is.")
@click.option("--trouble", "troubles", multiple=True, type=click.Choice(TROUBLES), help="What goes wrong; may be given several times.")
@click.option("--bit-rate", "bit_rate_mbps", type=float, help="Of the encoder, Mb/s; default constant quality.")
@click.option("--graphics", is_flag=True, help="Broadcast graphics over the picture.")
@click.option("-o", "output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The video; its truth goes beside it.")
def make(
    game: str,
    table_name: str | None,
    passage: str | None,
    kind: str | None,
    number: int | None,
    length_s: float | None,
    seed: int,
    fps: float,
    size_px: tuple[int, int],
    camera_height: float | None,
    tilt: float | None,
    cloth: str | None,
    balls: str | None,
    foot: str | None,
    troubles: tuple[str, ...],
    bit_rate_mbps: float | None,
    graphics: bool,
    output: Path,
) -> None:
    """Make one video, its truth and its calls: a passage of a game, or a single shot."""
    if kind is not None and (passage is not None or length_s is not None):
        raise InputError("--shot: a single shot has its own length and is no passage; leave out --passage and --length")
    wishes = Wishes(
        size_px=size_px,
        fps=fps,
        camera_height_m=camera_height,
        tilt_deg=tilt,
        cloth=cloth,
        balls=balls,
        foot=foot,
        game=game,
        table=table_name,
        length_s=length_s,
        number=number,
        troubles=troubles,
        bit_rate_mbps=bit_rate_mbps,
        graphics=graphics,
    )
    _write(Title(name=output.stem, kind=kind or "", passage=passage or "", wishes=wishes), seed, output)


@command.command()
def shots() -> None:
    """List the kinds of shot on each table, and the passages of each game."""
    for spec in TABLES:
        click.echo(f"{spec.name}: {' '.join(kinds(spec.name))}")
    for match in read_matches():
        click.echo(f"{match.game} on {match.table}: {match.name}, {len(match.shots)} shots")


@command.command()
@click.option("-o", "output", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the videos.")
@click.option("--seed", default=SAMPLE_SEED, show_default=True, help="Another seed than the default draws camera, cloth and balls anew.")
@click.option("--only", "names", multiple=True, help="A name of a sample; may be given several times.")
def samples(output: Path, seed: int, names: tuple[str, ...]) -> None:
    """Make the sample videos, the committed ones or others like them; some minutes each."""
    for title in SAMPLES:
        if not names or title.name in names:
            path = output / f"{title.name}.mp4"
            _write(title if seed == SAMPLE_SEED else anew(title), seed, path)
            if path.stat().st_size > _MAX_SAMPLE_BYTES:
                click.echo(f"{path}: {path.stat().st_size} bytes are more than the repository takes ({_MAX_SAMPLE_BYTES})", err=True)


@command.command()
@click.option("-o", "output", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for the videos.")
@click.option("--seed", default=100, show_default=True, help="Draws everything.")
def fouls(output: Path, seed: int) -> None:
    """Make ten fouls: no contact, wrong ball first, no rail, scratch, ball off the table, two each."""
    for number, title in enumerate(FOULS):
        _write(title, seed + number, output / f"{title.name}.mp4")


@command.command()
@click.option("-o", "output", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for pictures and truth.")
@click.option("--crops", is_flag=True, help="Windows round balls, a file a table, instead of whole pictures.")
@click.option("--count", default=100, show_default=True, help="How many pictures, or at least how many crops.", type=click.IntRange(min=1))
@click.option("--size", "size_px", default=112, show_default=True, help="Side of a crop, pixels.", type=click.IntRange(32, 480))
@click.option("--seed", default=1, show_default=True, help="Draws everything.", type=click.IntRange(min=0))
@click.option("--workers", default=2, show_default=True, help="Processes that paint; the files do not depend on it.")
def dataset(output: Path, crops: bool, count: int, size_px: int, seed: int, workers: int) -> None:
    """Make pictures of tables of all kinds, or crops of them, each with its truth, for training and tests.

    \b
    Examples:
      python -m sample_videos dataset -o pictures/ --count 100 --seed 4
      python -m sample_videos dataset -o crops/ --crops --count 20000 --workers 8
    """
    output.mkdir(parents=True, exist_ok=True)
    parts = (
        write_crops(output, count=count, seed=seed, size_px=size_px, workers=workers)
        if crops
        else write_pictures(output, count=count, seed=seed, workers=workers)
    )
    with closing(parts), click.progressbar(length=count, label="crops" if crops else "pictures", file=sys.stderr, show_pos=True) as bar:
        for made in parts:
            bar.update(made)


def _write(title: Title, seed: int, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    recording = record(title, seed)
    with click.progressbar(length=1, label=path.name, file=sys.stderr) as bar:

        def progress(done: int, count: int) -> None:
            bar.length = count
            bar.update(1)

        step: Callable[[int, int], None] = progress
        write_recording(recording, path, crf=title.crf, progress=step)


def run() -> int:
    """The whole command with its errors as one line."""
    try:
        command.main(standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("stopped; files already finished are whole", err=True)
        return 130
    except click.ClickException as error:
        error.show()
        return 2
    except (InputError, OSError) as error:
        click.echo(f"sample_videos: {error}", err=True)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(run())
