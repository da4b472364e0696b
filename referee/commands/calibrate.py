"""`cueref calibrate`: find the table in a picture, video or camera and write a table file and a picture of the fit."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.automatic import CalibrationFailure, Finding, find_in_image, find_in_video
from calibration.ball_check import BallCheck, check_balls
from calibration.by_hand import calibrate_corners
from calibration.calibration import Calibration, read_calibration, write_calibration
from calibration.ends import SIDES_OF_PICTURE
from calibration.equipment import TableSpec, find_table
from calibration.errors import InputError
from calibration.lens import calibrate_lens
from calibration.overlay import draw_calibration
from calibration.solve import Lens
from vision.capture import open_video

Image = NDArray[np.uint8]

_SPREAD_S = 60.0
"""How much of a recording is looked at: players move within a minute, decoding more only costs time."""
_PICTURES = 16
"""Pictures taken from it."""
_CAMERA_PICTURES, _CAMERA_SKIP = 16, 10
"""Pictures from a live camera and how many it shows between two of them; its first ones, still dark, are skipped too."""


@click.command(name="calibrate")
@click.option("--image", type=click.Path(path_type=Path), help="Picture of the table from above.")
@click.option("--video", type=click.Path(path_type=Path), help="Recording of the table from above.")
@click.option("--camera", type=int, help="Number of a camera.")
@click.option("--table", "name", help="Name of the table's size (wpa-9ft, wpa-8ft, home-8ft, bar-7ft, pyramid-12ft).")
@click.option("--length-mm", type=float, help="Playing surface nose to nose along the long string.")
@click.option("--width-mm", type=float, help="Playing surface nose to nose across.")
@click.option("--ball-mm", type=float, help="Ball diameter; beside --table, where other balls are played with.")
@click.option("--proportion", type=float, help="Length to width where no size is known; places are then fractions of the length.")
@click.option("--corners", nargs=4, metavar="X,Y X,Y X,Y X,Y", help="Where the noses meet, in turn, when the automatic way fails.")
@click.option(
    "--lens",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Pictures of a chessboard or ChArUco board by this camera; may be repeated.",
)
@click.option("--foot", type=click.Choice(SIDES_OF_PICTURE), help="Side of the picture where the foot of the table is.")
@click.option("--check", type=click.Path(path_type=Path), help="Picture with balls on a spot or at a cushion: read them back in mm.")
@click.option("--page", is_flag=True, help="Serve a page in which a person checks, drags corners, names the foot, and saves.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --page: address to listen on; 0.0.0.0 for a phone.")
@click.option("--port", type=click.IntRange(0, 65535), default=8081, show_default=True, help="With --page: 0 for any free one.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("table.json"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the table file on standard output too.")
@click.argument("more_lens", nargs=-1, type=click.Path(path_type=Path))
def command(
    image: Path | None,
    video: Path | None,
    camera: int | None,
    name: str | None,
    length_mm: float | None,
    width_mm: float | None,
    ball_mm: float | None,
    proportion: float | None,
    corners: tuple[str, ...] | None,
    lens: tuple[Path, ...],
    foot: str | None,
    check: Path | None,
    page: bool,
    host: str,
    port: int,
    output: Path,
    as_json: bool,
    more_lens: tuple[Path, ...],
) -> int:
    """Find the table and write TABLE.json, and TABLE.png with the fit drawn into the picture.

    With --check nothing is written: balls that you put on the foot spot, against a cushion or in a corner are read back
    through the table file given as --table (or -o), in millimetres.

    Pictures given after the options count as further --lens pictures, so that a shell may spread chessboard-*.png.
    """
    if check is not None:
        return _check(check, Path(name) if name else output, as_json=as_json)
    if sum(source is not None for source in (image, video, camera)) != 1:
        raise InputError("give one of --image, --video and --camera")
    if more_lens and not lens:
        raise InputError(f"{more_lens[0]}: what is this for? Chessboard pictures go after --lens")
    if not output.parent.is_dir():
        raise InputError(f"{output.parent}: no such folder to write {output.name} to; make it first")
    spec = _spec(name, length_mm, width_mm, ball_mm, proportion)
    known = _lens((*lens, *more_lens)) if lens else None
    if page:
        from referee.setup_page.serve import serve

        return serve(lambda: _pictures(image, video, camera), spec, lambda found: _write(output, found), foot, known, (host, port), _say)
    pictures = _pictures(image, video, camera)
    if corners:
        place = str(image or video or f"camera {camera}")
        found = _from_corners(corners, pictures[0], spec, foot, known, place)
    elif image is not None:
        found = find_in_image(pictures[0], spec, foot, known)
    else:
        found = find_in_video(pictures, spec, foot, known)
    if isinstance(found, CalibrationFailure):
        raise InputError(f"{image or video or f'camera {camera}'}: {found.reason}")
    _write(output, found)
    _tell(output, found, as_json)
    return 0 if found.calibration.good else 1


def _say(text: str) -> None:
    click.echo(text, err=True)


def _pictures(image: Path | None, video: Path | None, camera: int | None) -> list[Image]:
    if image is not None:
        return [_read_picture(image)]
    return list(_video(video) if video is not None else _camera(camera or 0))


def _check(picture: Path, table: Path, *, as_json: bool) -> int:
    """Read balls back; 1 where one is farther from its place than it may be."""
    if not table.is_file():
        raise InputError(f"--check: {table}: no such table file; give the one to check as --table FILE")
    checks = check_balls(_read_picture(picture), read_calibration(table))
    for ball in checks:
        x, y = (1000 * value for value in ball.place_m)
        at = "at no known place"
        if ball.meant:
            off = ", ".join(f"{1000 * value:+.1f}" for value in ball.off_m)
            at = f"{ball.meant}: read {off} mm off, {'good' if ball.passes else 'too far'}"
        click.echo(f"ball of {1000 * ball.diameter_m:.1f} mm at x {x:+.1f}, y {y:+.1f} mm; {at}", err=True)
    if as_json:
        json.dump([_check_line(ball) for ball in checks], sys.stdout, indent=1)
        sys.stdout.write("\n")
    return 0 if all(ball.passes for ball in checks) else 1


def _check_line(ball: BallCheck) -> dict[str, Any]:
    sigma = [None if np.isnan(value) else round(value, 5) for value in ball.sigma_m]
    return {
        "x_m": round(ball.place_m[0], 5),
        "y_m": round(ball.place_m[1], 5),
        "diameter_m": round(ball.diameter_m, 5),
        "meant": ball.meant or None,
        "off_m": [round(value, 5) for value in ball.off_m],
        "sigma_m": sigma,
        "passes": ball.passes,
    }


def _spec(name: str | None, length: float | None, width: float | None, ball: float | None, proportion: float | None) -> TableSpec:
    sizes = (length, width, ball)
    if name is not None and ball is not None and length is None and width is None and proportion is None:
        return replace(find_table(name), ball_diameter_m=ball / 1000)
    ways = [name is not None, any(size is not None for size in sizes), proportion is not None]
    if sum(ways) > 1:
        raise InputError("give a table's name, its sizes, or its proportion, not several of them")
    if proportion is not None:
        if not 1 <= proportion <= 4:
            raise InputError(f"--proportion is length to width, 2 for most tables; found {proportion:g}")
        return TableSpec(name="custom", length_m=1.0, width_m=1 / proportion, ball_diameter_m=_TYPICAL_BALL / proportion, metric=False)
    if length is not None and width is not None and ball is not None:
        return TableSpec(name="custom", length_m=length / 1000, width_m=width / 1000, ball_diameter_m=ball / 1000)
    if any(size is not None for size in sizes):
        raise InputError("--length-mm, --width-mm and --ball-mm go together; give all three")
    if name is None:
        click.echo("no table given: taking wpa-9ft; say --table if it is another", err=True)
    return find_table(name or "wpa-9ft")


_TYPICAL_BALL = 0.05715 / 1.1684
"""Ball over width where only the proportion is known (an 8 ft table, between 7 and 9 ft)."""


def _read_picture(path: Path) -> Image:
    data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
    if picture is None:
        raise InputError(f"{path}: not a picture that can be read (empty, torn or another kind of file); give a PNG or JPEG")
    return np.asarray(picture, dtype=np.uint8)


def _video(path: Path) -> Iterator[Image]:
    """Pictures spread over the first minute of a recording, its very first among them."""
    with open_video(path) as source:
        length = min(source.duration_s or _SPREAD_S, _SPREAD_S)
        step, due = length / _PICTURES, 0.0
        for frame in source:
            if frame.time_s >= due:
                yield np.asarray(frame.image, dtype=np.uint8)
                due += step
            if frame.time_s >= length:
                return


def _camera(number: int) -> Iterator[Image]:
    capture = cv2.VideoCapture(number)
    try:
        if not capture.isOpened():
            raise InputError(f"camera {number}: cannot be opened; is it plugged in and not in use?")
        for count in range(_CAMERA_PICTURES * _CAMERA_SKIP):
            shown, picture = capture.read()
            if not shown:
                raise InputError(f"camera {number}: gives no picture; is another program using it?")
            if count % _CAMERA_SKIP == _CAMERA_SKIP - 1:
                yield np.asarray(picture, dtype=np.uint8)
    finally:
        capture.release()


def _lens(paths: tuple[Path, ...]) -> Lens:
    lens, residual = calibrate_lens([_read_picture(path) for path in paths])
    click.echo(f"lens: focal length {lens.matrix[0, 0]:.0f} px, board fits to {residual:.2f} px", err=True)
    return lens


def _from_corners(
    texts: tuple[str, ...], picture: Image, spec: TableSpec, foot: str | None, lens: Lens | None, place: str
) -> Finding | CalibrationFailure:
    try:
        points = np.array([[float(number) for number in text.split(",")] for text in texts], dtype=np.float64)
    except ValueError as error:
        raise InputError(f"--corners: each is X,Y in pixels of {place}; found {' '.join(texts)}") from error
    if points.shape != (4, 2):
        raise InputError(f"--corners: each is X,Y in pixels of {place}; found {' '.join(texts)}")
    size = (picture.shape[1], picture.shape[0])
    known = None if lens is None else lens.scaled(size)
    made = calibrate_corners(points, size, spec, foot, known, picture)
    if isinstance(made, CalibrationFailure):
        return made
    return Finding(calibration=made, picture=picture, landmarks_px=points, modelled_px=points, foot_by="as given" if foot else "")


def _write(output: Path, found: Finding) -> None:
    drawn = draw_calibration(found.picture, found.calibration, found.landmarks_px, found.modelled_px)
    encoded = cv2.imencode(".png", drawn)[1]
    overlay = output.with_suffix(".png")
    partial = overlay.with_name(overlay.name + ".part")
    partial.write_bytes(encoded.tobytes())
    write_calibration(output, found.calibration)
    partial.replace(overlay)


def _tell(output: Path, found: Finding, as_json: bool) -> None:
    made: Calibration = found.calibration
    foot = f"foot {made.foot_side} ({found.foot_by})" if made.foot_known else f"foot {made.foot_side} by convention only; say --foot"
    verdict = "good" if made.good else "not good, because " + "; ".join(made.because)
    click.echo(
        f"{output}: {verdict}; noses within {made.residual_mm[0]:.2f} mm (median), {made.residual_mm[1]:.2f} mm at most; {foot}", err=True
    )
    click.echo(f"{output.with_suffix('.png')}: look at the fit", err=True)
    if made.doubt is not None and made.spec.metric:
        sigma = 1000 * np.hypot(*made.doubt.sigma_m.reshape(-1, 2).T)
        click.echo(
            f"a ball is placed to {np.median(sigma):.1f} mm, {sigma.max():.1f} mm where it is worst (one standard deviation)", err=True
        )
    if found.balls is not None and found.balls.told and made.spec.metric:
        click.echo(
            f"{found.balls.count} balls measure {1000 * found.balls.diameter_m:.1f} mm; {1000 * made.spec.ball_diameter_m:.1f} by name",
            err=True,
        )
    if as_json:
        json.dump(made.to_dict(), sys.stdout, indent=1)
        sys.stdout.write("\n")
