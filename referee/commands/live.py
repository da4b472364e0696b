"""`cueref live`: referee at the table, from a camera."""

import sys
from pathlib import Path

import click

from calibration.errors import InputError
from referee.commands.review import _players, _table
from referee.rules.games import parse_game
from referee.rules.options import parse_option, read_options

EXAMPLES = """
Examples:

\b
  cueref live --camera 0 --game nine-ball --players "Ana,Bo" --race 7 -o tonight
  cueref live --camera rtsp://... --table table.json --game 14.1 --clock 35 --host 0.0.0.0
  cueref live --camera sample_videos/legal_pot.mp4 --game nine-ball

Start it again with the same folder, and the match goes on where it was.
"""


@click.command(epilog=EXAMPLES)
@click.option("--camera", required=True, help="Number of a USB camera, an RTSP or HTTP address, or a file, played at its own pace.")
@click.option("--game", required=True, help="nine-ball, 14.1, free-pyramid, combined-pyramid, dynamic-pyramid or classic-pyramid.")
@click.option("--table", "table", help="Table file, or a table's name; without it the usual table of the game is looked for.")
@click.option(
    "-o", "--output", "folder", type=click.Path(path_type=Path), default=Path("live"), show_default=True, help="Folder of the match."
)
@click.option("--foot", type=click.Choice(["left", "right", "top", "bottom"]), help="Side of the picture where the balls are racked.")
@click.option("--players", default="A,B", show_default=True, help="Names of the players, the first to shoot first.")
@click.option("--race", type=click.IntRange(min=1), help="Racks (or points) that win the match.")
@click.option("--rules", multiple=True, metavar="OPTION=VALUE", help="A house rule, for instance nine.break_order=alternate; repeatable.")
@click.option("--clock", "clock_s", type=click.FloatRange(min=0), help="Shot clock, seconds; 0 for none.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for the whole network.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535), help="0 for any free one.")
@click.option("--name", "names", multiple=True, help="A further name that the pages are reached by; repeatable.")
@click.option("--store", help="Address of a database as SQLAlchemy takes it; by default SQLite in the folder.")
@click.option("--match", "match", default="match", show_default=True, help="Name of the match in the store.")
@click.option("--log", "log", type=click.Path(path_type=Path), help="A match log to go on from, where the folder has no match yet.")
@click.option("--find-table", is_flag=True, help="Find the table again, though the folder holds it: the camera was moved.")
@click.option("--accept", is_flag=True, help="Go on with a table file that is not good.")
@click.option("--every-frame", is_flag=True, help="Of a file: judge every picture, as review does; it waits where that takes longer.")
@click.option("--until-over", is_flag=True, help="Of a file: end when it is over.")
def command(
    camera: str,
    game: str,
    table: str | None,
    folder: Path,
    foot: str | None,
    players: str,
    race: int | None,
    rules: tuple[str, ...],
    clock_s: float | None,
    host: str,
    port: int,
    names: tuple[str, ...],
    store: str | None,
    match: str,
    log: Path | None,
    find_table: bool,
    accept: bool,
    every_frame: bool,
    until_over: bool,
) -> int:
    """Referee at the table: a page for the official, a scoreboard and a stream overlay for everybody. The official's link,
    printed at start, carries a secret; whoever has it can officiate."""
    import cv2

    from referee.overlap import TURN_S

    cv2.setNumThreads(1)  # The driver's threads carry the cores; OpenCV's own would fight them.
    sys.setswitchinterval(TURN_S)
    game = parse_game(game)
    spec, calibration, assumed = _table(table, game)
    given = read_options(dict(map(parse_option, rules)), where="--rules")
    if not camera.strip():
        raise InputError("--camera: give a number, an address or a file")
    from referee.live.serve import LiveRequest, serve

    request = LiveRequest(
        camera=camera,
        game=game,
        folder=folder,
        spec=spec,
        calibration=calibration,
        players=_players(players),
        race=race,
        options=given,
        foot=foot,
        find_table=find_table,
        accept=accept,
        assumed=assumed,
        store=store,
        match=match,
        log=log,
        clock_s=clock_s,
        host=host,
        port=port,
        names=names,
        every_frame=every_frame,
        until_over=until_over,
    )
    return serve(request, lambda text: click.echo(text, err=True))
