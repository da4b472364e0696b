"""Detections as a file, a picture a line (JSON Lines): the border between seeing and tracking.

    {"time_s": 0.04, "detections": [{"x_m": 0.1, "y_m": 0.2, "sigma_m": 0.001, "score": 0.9, "likelihood": {"3": 0.97}}]}

Optional, written by `cueref track --detections`: `px` and `streak_m` of a detection, `usable` and `why` of a picture, and
`occluded`, the mask of what covers the bed as {"shape": [rows, columns], "runs": [...]}: lengths of alternating runs in
row order, uncovered first. Without it nothing is ever hidden, and a ball not seen in plain view is lost sooner.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from calibration.errors import InputError
from tracker.history import BoolArray
from vision.detection import Detection, Observation

_FARTHEST_M = 20.0
"""No ball lies farther from the centre of its table; beyond it the file is in another unit (millimetres, pixels)."""
_DEFAULT_SIGMA_M = 0.002
"""Standard deviation where a line gives none: a good 1080p detector (limits.md section 5)."""


def read_detections(path: Path) -> Iterator[Observation]:
    """The pictures of a detections file, one at a time; `.gz` is not read.

    Raises:
        InputError: At the first line that is not such a line; the message names it. Also when the file holds none.
        OSError: If it cannot be read.
    """
    last_s: float | None = None
    with path.open("rb") as lines:
        for number, raw in enumerate(lines, start=1):
            if not raw.strip():
                continue
            where = f"{path}: line {number}"
            observation = _parse_line(raw, where)
            if last_s is not None and observation.time_s < last_s:
                raise InputError(f"{where}: time_s {observation.time_s} comes after {last_s}; sort the lines by time")
            last_s = observation.time_s
            yield observation
    if last_s is None:
        raise InputError(f"{path}: no detections in it; make some with cueref track VIDEO --detections {path.name}")


def to_line(observation: Observation) -> str:
    """The observation as a line, without the line's end."""
    data: dict[str, Any] = {
        "time_s": round(observation.time_s, 6),
        "detections": [_to_dict(item) for item in observation.detections],
    }
    if observation.occluded is not None:
        data["occluded"] = {"shape": list(observation.occluded.shape), "runs": _to_runs(observation.occluded)}
    if not observation.usable:
        data |= {"usable": False, "why": observation.why}
    return json.dumps(data)


def write_detections(path: Path, observations: Iterable[Observation]) -> None:
    """Write a detections file, beside the target first and then renamed."""
    partial = path.with_name(path.name + ".part")
    with partial.open("w", encoding="utf-8") as stream:
        stream.writelines(to_line(observation) + "\n" for observation in observations)
    partial.replace(path)


def _to_dict(item: Detection) -> dict[str, Any]:
    data: dict[str, Any] = {
        "x_m": round(item.position_m[0], 6),
        "y_m": round(item.position_m[1], 6),
        "sigma_m": round(item.sigma_m, 6),
        "score": round(item.score, 4),
        "likelihood": {ball: round(p, 5) for ball, p in item.likelihood.items() if p >= 5e-6},
    }
    if item.px is not None:
        data["px"] = [round(value, 2) for value in item.px]
    if item.streak_m is not None:
        data["streak_m"] = [[round(value, 6) for value in end] for end in item.streak_m]
    return data


def _parse_line(raw: bytes, where: str) -> Observation:
    try:
        data = json.loads(raw)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{where}: not a line of JSON: {error}") from error
    if not isinstance(data, dict):
        raise InputError(f"{where}: expected an object with time_s and detections, found {str(data)[:40]!r}")
    items = data.get("detections")
    if not isinstance(items, list):
        raise InputError(f"{where}: detections must be a list, found {str(items)[:40]!r}")
    return Observation(
        time_s=_number(data, "time_s", where),
        detections=tuple(_parse_detection(item, f"{where}: detection {index}") for index, item in enumerate(items, start=1)),
        occluded=_parse_mask(data.get("occluded"), where),
        usable=bool(data.get("usable", True)),
        why=str(data.get("why", "")),
    )


def _parse_detection(item: Any, where: str) -> Detection:
    if not isinstance(item, dict):
        raise InputError(f"{where}: expected an object with x_m and y_m, found {str(item)[:40]!r}")
    x, y = _number(item, "x_m", where), _number(item, "y_m", where)
    if max(abs(x), abs(y)) > _FARTHEST_M:
        raise InputError(f"{where}: ({x}, {y}) is more than {_FARTHEST_M:g} m from the centre; positions are in metres")
    sigma, score = _number(item, "sigma_m", where, _DEFAULT_SIGMA_M), _number(item, "score", where, 1.0)
    if sigma <= 0:
        raise InputError(f"{where}: sigma_m must be above 0, found {sigma}")
    if not 0 <= score <= 1:
        raise InputError(f"{where}: score must lie in 0..1, found {score}")
    likelihood = item.get("likelihood") or {}
    if not isinstance(likelihood, Mapping) or not all(_is_share(p) for p in likelihood.values()):
        raise InputError(f"{where}: likelihood must map ball ids to probabilities, found {str(likelihood)[:60]!r}")
    return Detection(
        position_m=(x, y),
        sigma_m=sigma,
        score=score,
        px=_parse_point(item["px"], f"{where}: px") if item.get("px") is not None else None,
        likelihood={str(ball): float(p) for ball, p in likelihood.items()},
        streak_m=_parse_streak(item.get("streak_m"), where),
    )


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _number(data: Mapping[str, Any], key: str, where: str, default: float | None = None) -> float:
    value = data.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise InputError(f"{where}: {key} must be a number, found {value!r}")
    return float(value)


def _parse_point(value: Any, where: str) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise InputError(f"{where}: expected two numbers, found {str(value)[:40]!r}")
    pair = {"x": value[0], "y": value[1]}
    return _number(pair, "x", where), _number(pair, "y", where)


def _parse_streak(value: Any, where: str) -> tuple[tuple[float, float], tuple[float, float]] | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise InputError(f"{where}: streak_m must be two points, found {str(value)[:40]!r}")
    return _parse_point(value[0], f"{where}: streak_m"), _parse_point(value[1], f"{where}: streak_m")


def _to_runs(mask: BoolArray) -> list[int]:
    flat = mask.ravel().astype(np.int8)
    changes = np.flatnonzero(np.diff(flat, prepend=np.int8(0)))
    return [int(length) for length in np.diff(np.concatenate([[0], changes, [flat.size]]))]


def _parse_mask(value: Any, where: str) -> BoolArray | None:
    if value is None:
        return None
    try:
        rows, columns = (int(n) for n in value["shape"])
        runs = [int(n) for n in value["runs"]]
    except (TypeError, KeyError, ValueError) as error:
        raise InputError(f"{where}: occluded must have a shape [rows, columns] and runs: {error}") from error
    if not 0 < rows * columns <= 4_000_000 or min(runs, default=0) < 0 or sum(runs) != rows * columns:
        raise InputError(f"{where}: the runs of occluded must add up to {rows} x {columns}, found {sum(runs)}")
    flat = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return np.asarray(flat.reshape(rows, columns), dtype=np.bool_)
