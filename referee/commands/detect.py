"""`cueref detect`: find and name the balls in pictures."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibration.equipment import BallSet, find_ball_set, find_table, parse_game
from calibration.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibration.calibration import Calibration
    from vision.detection import Observation

LEAST_TOLD = 0.001
"""Names less likely than this are left out of a likelihood."""


@click.command()
@click.argument("images", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--table", "table_name", help="A table file (cueref calibrate), or a table's name to calibrate on each picture itself.")
@click.option("--no-table", is_flag=True, help="No table is known: work on the whole picture, pixels only.")
@click.option("--balls", "balls_name", help="pool, nine, pyramid or any; default: from --game, else pool.")
@click.option("--game", help="The game, for its set of balls.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array, one entry a picture, and nothing else.")
@click.option("--draw", type=click.Path(path_type=Path, file_okay=False), help="Folder for copies of the pictures with the balls marked.")
def command(
    images: tuple[Path, ...],
    table_name: str | None,
    no_table: bool,
    balls_name: str | None,
    game: str | None,
    as_json: bool,
    draw: Path | None,
) -> int:
    """Find and name the balls in IMAGES."""
    if no_table == (table_name is not None):
        raise InputError("detect: give either --table FILE (or a table's name) or --no-table")
    ball_set = find_ball_set(balls_name or (parse_game(game) if game else "pool"))
    calibration = _read_table(table_name) if table_name else None
    pictures = [_read_picture(path) for path in images]
    entries = []
    for path, picture in zip(images, pictures, strict=True):
        entry, observation = _detect(picture, str(path), table_name, calibration, ball_set)
        entries.append(entry)
        if draw is not None and observation is not None:
            _draw(draw / f"{path.stem}.png", picture, entry)
    click.echo(json.dumps(entries, ensure_ascii=False) if as_json else "\n".join(_lines(entries)))
    return 1 if any("error" in entry for entry in entries) else 0


def _read_table(name: str) -> "Calibration | None":
    """The calibration of a table file; None for a table's name (each picture is then calibrated by itself)."""
    from calibration.calibration import read_calibration

    if Path(name).suffix == ".json" or Path(name).is_file():
        return read_calibration(Path(name))
    find_table(name)
    return None


def _read_picture(path: Path) -> "NDArray[np.uint8]":
    import cv2
    import numpy as np

    if not path.is_file():
        raise InputError(f"{path}: no such picture; check the name")
    data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if picture is None:
        raise InputError(f"{path}: not a picture that can be read; give a .jpg or .png")
    return np.asarray(picture, dtype=np.uint8)


def _detect(
    picture: "NDArray[np.uint8]", name: str, table_name: str | None, calibration: "Calibration | None", ball_set: BallSet
) -> "tuple[dict[str, Any], Observation | None]":
    from calibration.automatic import calibrate_image
    from calibration.calibration import Calibration
    from vision.ball_size import with_ball_size
    from vision.eyes import Eyes
    from vision.frame import Frame
    from vision.untabled import Untabled

    if table_name is None:
        observation = Untabled(ball_set).look(picture)
    else:
        found = calibration or calibrate_image(picture, find_table(table_name))
        if not isinstance(found, Calibration):
            return {"image": name, "error": found.reason}, None
        observation = Eyes(with_ball_size(found, picture), ball_set).look(Frame(index=0, time_s=0.0, image=picture))
    if not observation.usable:
        return {"image": name, "error": observation.why}, None
    balls = _balls(observation, ball_set, metric=table_name is not None)
    hidden = float(observation.occluded.mean()) if observation.occluded is not None else 0.0
    return {"image": name, "balls": balls, "occluded": round(hidden, 4)}, observation


def _balls(observation: "Observation", ball_set: BallSet, *, metric: bool) -> list[dict[str, Any]]:
    from vision.identify import best_names

    names = best_names([one.likelihood for one in observation.detections], ball_set.balls) if ball_set.balls else None
    balls = []
    for index, one in enumerate(observation.detections):
        (x, y), px = one.position_m, one.px or (float("nan"), float("nan"))
        told = {ball: round(p, 4) for ball, p in sorted(one.likelihood.items(), key=lambda item: -item[1]) if p >= LEAST_TOLD}
        balls.append(
            {
                "ball": names[index] if names else None,
                "x_m": round(x, 5) if metric else None,
                "y_m": round(y, 5) if metric else None,
                "px": [round(px[0], 2), round(px[1], 2)],
                "sigma_m": round(one.sigma_m, 5) if metric else None,
                "score": round(one.score, 3),
                "likelihood": told,
            }
        )
    return balls


def _lines(entries: list[dict[str, Any]]) -> list[str]:
    lines = []
    for entry in entries:
        if "error" in entry:
            lines.append(f"{entry['image']}: {entry['error']}")
            continue
        lines.append(f"{entry['image']}: {len(entry['balls'])} balls, {100 * entry['occluded']:.0f} % of the bed hidden")
        for ball in entry["balls"]:
            place = "" if ball["x_m"] is None else f"  {ball['x_m']:+.3f} {ball['y_m']:+.3f} m"
            sure = ball["likelihood"].get(ball["ball"], 0.0)
            lines.append(f"  {ball['ball'] or '?':4s} px {ball['px'][0]:7.1f} {ball['px'][1]:7.1f}{place}  by looks {sure:.2f}")
    return lines


def _draw(target: Path, picture: "NDArray[np.uint8]", entry: dict[str, Any]) -> None:
    import cv2

    target.parent.mkdir(parents=True, exist_ok=True)
    drawn = picture.copy()
    for ball in entry["balls"]:
        x, y = (round(v) for v in ball["px"])
        colour = (0, 255, 0) if ball["score"] >= 0.6 else (0, 160, 255)
        cv2.drawMarker(drawn, (x, y), colour, cv2.MARKER_CROSS, 14, 1, cv2.LINE_AA)
        cv2.putText(drawn, ball["ball"] or "?", (x + 14, y - 10), cv2.FONT_HERSHEY_SIMPLEX, 0.7, colour, 2, cv2.LINE_AA)
    partial = target.with_name(f".{target.name}.part.png")
    if not cv2.imwrite(str(partial), drawn):
        raise OSError(f"{target}: the picture cannot be written")
    partial.replace(target)
