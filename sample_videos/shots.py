"""The library of simulated shots: what they are and where they are kept.

`shots.npz` holds single shots of many kinds on the tables of calibration.equipment, `matches.npz` the shots of whole
passages with what people did between them (matches.py). Both are made by pooltool (simulate.py) and need nothing to be read.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallId
from calibration.errors import InputError

FloatArray = NDArray[np.float64]

_MIRROR = {"left": "right", "right": "left", "HL": "HR", "HR": "HL", "SL": "SR", "SR": "SL", "FL": "FR", "FR": "FL"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedShot:
    """One shot; times from the tip contact.

    Attributes:
        kind: What it was made to be: `legal_pot`, `no_rail`, ..
        phase: `break` or `normal`.
        before: Layout at rest, metres.
        events: In the vocabulary of rules.md 0.1, t in seconds.
        strike: Speed `V0` (m/s) and direction `phi` (radians) of the cue.
        end_s: When all is at rest.
        segments: Ball to rows (t0, p2, v2, a2, w3, alpha3).
        off_table: Ball to (t, x, y, z, vx, vy, vz) at the moment it left the bed.
        table: Name of the table.
        cue_ball: The ball that is struck.
        air: Ball to flights (t0, t1, vz): it leaves the cloth at t0 with vz upwards and is back at t1.
    """

    kind: str
    phase: str
    before: dict[BallId, tuple[float, float]]
    events: tuple[dict[str, Any], ...]
    strike: dict[str, float]
    end_s: float
    segments: dict[BallId, FloatArray]
    off_table: dict[BallId, tuple[float, ...]]
    table: str = "wpa-9ft"
    cue_ball: BallId = "cue"
    air: dict[BallId, tuple[tuple[float, float, float], ...]] = field(default_factory=dict)

    @property
    def after(self) -> dict[BallId, tuple[float, float]]:
        """Layout at rest when it is over."""
        gone = {e["ball"] for e in self.events if e["type"] in ("pocketed", "off_table")}
        return {ball: place_at(rows, self.end_s + 1e-6) for ball, rows in self.segments.items() if ball not in gone}


def place_at(rows: FloatArray, time_s: float) -> tuple[float, float]:
    """(x, y) of a ball with these segments at a time."""
    row = rows[max(0, int(np.searchsorted(rows[:, 0], max(time_s, 0.0), side="right")) - 1)]
    dt = max(time_s, 0.0) - row[0]
    x, y = row[1:3] + row[3:5] * dt + 0.5 * row[5:7] * dt * dt
    return float(x), float(y)


def pack_shots(shots: Sequence[SimulatedShot], extra: dict[str, Any] | None = None) -> bytes:
    """Shots as the bytes of a library file; single precision: a hundredth of a millimetre at the greatest speed."""
    meta = []
    rows: list[FloatArray] = []
    for shot in shots:
        entry = {k: v for k, v in asdict(replace(shot, segments={})).items() if k != "segments"}
        entry["before"] = {ball: [round(v, 7) for v in place] for ball, place in shot.before.items()}
        entry["events"] = [{**e, "t": round(e["t"], 6)} for e in shot.events]
        entry["strike"] = {k: round(v, 5) for k, v in shot.strike.items()}
        entry["counts"] = {ball: len(mine) for ball, mine in shot.segments.items()}
        meta.append(entry)
        rows.extend(shot.segments.values())
    stream = BytesIO()
    text = json.dumps({"shots": meta, **(extra or {})}, separators=(",", ":"))
    # Columns first: like beside like packs better.
    table = np.ascontiguousarray(np.concatenate(rows).astype(np.float32).T)
    np.savez_compressed(stream, meta=np.frombuffer(text.encode(), np.uint8), segments=table)
    return stream.getvalue()


def unpack_shots(data: bytes) -> tuple[tuple[SimulatedShot, ...], dict[str, Any]]:
    """Shots of a library file, and what else it holds."""
    content = np.load(BytesIO(data))
    meta, rows = json.loads(content["meta"].tobytes().decode()), content["segments"].T.astype(np.float64)
    library = []
    start = 0
    for entry in meta.pop("shots"):
        segments = {}
        for ball, count in entry.pop("counts").items():
            segments[ball] = rows[start : start + count]
            start += count
        entry["before"] = {ball: (place[0], place[1]) for ball, place in entry["before"].items()}
        entry["events"] = tuple(entry["events"])
        entry["off_table"] = {ball: tuple(values) for ball, values in entry["off_table"].items()}
        entry["air"] = {ball: tuple(tuple(flight) for flight in flights) for ball, flights in entry["air"].items()}
        library.append(SimulatedShot(segments=segments, **entry))
    return tuple(library), meta


@cache
def read_library() -> tuple[SimulatedShot, ...]:
    """Every single shot of the library that comes with the package; first the few that samples and tests have long been made of."""
    folder = files("sample_videos")
    return tuple(shot for name in ("kept.npz", "shots.npz") for shot in unpack_shots((folder / name).read_bytes())[0])


def kinds(table: str | None = None) -> tuple[str, ...]:
    """The kinds of shot there are, on one table or on any."""
    return tuple(dict.fromkeys(shot.kind for shot in read_library() if table in (None, shot.table)))


def find_shots(kind: str, table: str = "wpa-9ft") -> tuple[SimulatedShot, ...]:
    """All shots of one kind on a table, each also mirrored across the long string.

    Raises:
        InputError: If there is no such kind on that table.
    """
    plain = [shot for shot in read_library() if shot.kind == kind and shot.table == table]
    if not plain:
        raise InputError(f"no shot is called {kind!r} on table {table}; there are {', '.join(kinds(table)) or 'none on it'}")
    return tuple(plain + [mirrored(shot) for shot in plain])


def mirrored(shot: SimulatedShot) -> SimulatedShot:
    """The shot seen in a mirror along the long string: left and right change places, spin turns over."""
    # A mirror across y turns vectors (x, -y) and axial vectors (-x, y, -z).
    signs = np.array([1, 1, -1, 1, -1, 1, -1, -1, 1, -1, -1, 1, -1], dtype=float)
    flip = (1, 1, -1, 1, 1, -1, 1)
    return replace(
        shot,
        before={ball: (x, -y) for ball, (x, y) in shot.before.items()},
        events=tuple(mirrored_names(event) for event in shot.events),
        strike={**shot.strike, "phi": -shot.strike["phi"]},
        segments={ball: rows * signs for ball, rows in shot.segments.items()},
        off_table={ball: tuple(f * v for f, v in zip(flip, values, strict=True)) for ball, values in shot.off_table.items()},
    )


def mirrored_names(fields: dict[str, Any]) -> dict[str, Any]:
    """An event, a call or the like with left and right exchanged."""
    return {k: (_MIRROR.get(v, v) if k in ("cushion", "pocket", "jaw") else v) for k, v in fields.items()}
