"""Tracks as a file: `time_s,ball,x_m,y_m,sigma_m,seen`, plain or gzipped by its name (design.md, stages and files).

A row per ball and frame while the ball is on the bed; a missing row means not seen. Reading is strict and names the
line: a track that is silently half read gives a wrong shot, and nobody would find out why.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import TextIO

import numpy as np

from calibration.equipment import BallId
from calibration.errors import InputError
from tracker.history import BallTrack

COLUMNS = ("time_s", "ball", "x_m", "y_m", "sigma_m", "seen")

_FARTHEST_M = 100.0
"""No ball lies farther from the centre of its table; beyond it the file is in another unit (millimetres, pixels)."""

_Row = tuple[float, float, float, float, bool]


def read_tracks(path: Path) -> tuple[BallTrack, ...]:
    """The tracks of a `.csv` or `.csv.gz` file, in the order in which their balls first appear.

    Args:
        path: File with the header `time_s,ball,x_m,y_m,sigma_m,seen`; rows of one ball in time order.

    Raises:
        InputError: If it is not such a file; the message names the line.
        OSError: If it cannot be read.
    """
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: not a tracks file: {error}; make one with cueref track") from error
    rows: dict[BallId, list[_Row]] = {}
    lines = _csv_rows(text, path)
    header = next(lines, (1, []))[1]
    if tuple(name.strip() for name in header) != COLUMNS:
        raise InputError(f"{path}: line 1: the header must be {','.join(COLUMNS)}, found {','.join(header)[:80]!r}")
    for number, fields in lines:
        if not fields:
            continue
        ball, row = _parse(fields, f"{path}: line {number}")
        track = rows.setdefault(ball, [])
        if track and row[0] <= track[-1][0]:
            raise InputError(f"{path}: line {number}: ball {ball} at {row[0]} s comes after {track[-1][0]} s; sort the rows by time")
        track.append(row)
    return tuple(_track(ball, track) for ball, track in rows.items())


def write_tracks(path: Path, tracks: Iterable[BallTrack]) -> None:
    """Write tracks in time order, beside the target first and then renamed; gzipped where the name ends in `.gz`.

    The same tracks give the same bytes: the archive carries neither time nor name.
    """
    rows = [
        (float(time), index, track.ball, x, y, sigma, seen)
        for index, track in enumerate(tracks)
        for time, (x, y), sigma, seen in zip(track.times_s, track.positions_m, track.sigma_m, track.seen, strict=True)
    ]
    rows.sort(key=lambda row: row[:2])
    buffer = io.StringIO()
    _write_rows(buffer, rows)
    data = buffer.getvalue().encode("utf-8")
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    partial.replace(path)


def _write_rows(stream: TextIO, rows: Iterable[tuple[float, int, BallId, float, float, float, bool]]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for time, _, ball, x, y, sigma, seen in rows:
        writer.writerow((f"{time:.5f}", ball, f"{x:.5f}", f"{y:.5f}", f"{sigma:.5f}", int(seen)))


def _csv_rows(text: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""))
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"{path}: line {reader.line_num}: {error}") from error
        yield reader.line_num, fields


def _parse(fields: list[str], where: str) -> tuple[BallId, _Row]:
    if len(fields) != len(COLUMNS):
        raise InputError(f"{where}: expected {len(COLUMNS)} fields ({','.join(COLUMNS)}), found {len(fields)}")
    ball = fields[1].strip()
    if not ball:
        raise InputError(f"{where}: no ball is named")
    numbers = []
    for index in (0, 2, 3, 4):
        try:
            number = float(fields[index])
        except ValueError:
            raise InputError(f"{where}: {COLUMNS[index]} must be a number, found {fields[index]!r}") from None
        if not isfinite(number):
            raise InputError(f"{where}: {COLUMNS[index]} must be finite, found {fields[index]!r}; leave out rows that were not seen")
        numbers.append(number)
    time, x, y, sigma = numbers
    if max(abs(x), abs(y)) > _FARTHEST_M:
        raise InputError(f"{where}: ({x}, {y}) is more than {_FARTHEST_M:g} m from the centre; positions are in metres")
    if sigma < 0:
        raise InputError(f"{where}: sigma_m must not be negative, found {fields[4]!r}")
    if fields[5].strip() not in ("0", "1"):
        raise InputError(f"{where}: seen must be 0 or 1, found {fields[5]!r}")
    return ball, (time, x, y, sigma, fields[5].strip() == "1")


def _track(ball: BallId, rows: list[_Row]) -> BallTrack:
    numbers = np.array([row[:4] for row in rows], dtype=np.float64)
    return BallTrack(
        ball=ball,
        times_s=numbers[:, 0].copy(),
        positions_m=numbers[:, 1:3].copy(),
        sigma_m=numbers[:, 3].copy(),
        seen=np.array([row[4] for row in rows], dtype=np.bool_),
    )
