"""How soon `cueref live` says what it saw, and whether it keeps up: rest to ruling on a page, camera to picture, memory.

    python benchmarks/live_speed.py VIDEO [--game nine-ball] [--table table.json] [--minutes 10] [--json]

Plays the file at its own pace as the camera of a real server on a free port; a page and a viewer of the camera's picture,
in a process of their own as a tablet would be, measure at their end of the line. With `--minutes` it is one film of the
file again and again, joined without coding it anew: at every joint the balls jump, as after a cut.

    rest to ruling     from the shot's rest as it was read, and from the truth beside the video where there is one: when the
                       last ball stood, be it still spinning on its spot, which no camera over a table sees; of the shots
                       that the truth knows, for at a joint the balls jump and the jump is no rest (`at_joints` counts those)
    waiting            pictures that have come and are not looked at yet, ten times a second: a backlog would grow
    memory             of the server, in every minute

Times hold for the machine as it is then: run it on an idle one, and say so where it was not.
"""

import argparse
import json
import multiprocessing
import os
import socket
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import dist
from multiprocessing.queues import Queue
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread
from typing import Any

import av
import cv2
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from calibration.calibration import Calibration, read_calibration
from calibration.equipment import find_table
from referee.live.access import Keeper
from referee.live.cameras import OwnPace
from referee.live.serve import Live, LiveRequest, make_server
from referee.live.web import Site
from referee.overlap import TURN_S
from referee.rules.games import find_ruleset, parse_game

STEP_S = 0.1
"""How often the server is looked at."""
STANDS_M = 0.0001
"""A ball this near to where it stays stands: the truth is written to a hundredth of a millimetre."""


@dataclass(slots=True)
class Seen:
    """What a page saw: arrivals on the machine's clock beside times of the match."""

    rulings: list[tuple[float, float, float]] = field(default_factory=list)
    tables: list[tuple[float, float]] = field(default_factory=list)
    pictures: list[tuple[float, float]] = field(default_factory=list)


class NotedPace(OwnPace):
    """The file's own pace; when it began."""

    began_s: float | None = None

    def wait_until(self, due_s: float) -> bool:
        """As ever."""
        self.began_s = due_s if self.began_s is None else self.began_s
        return super().wait_until(due_s)


def watch(port: int, until: Any, results: "Queue[Seen]") -> None:
    """A tablet: page and picture, until told to end."""
    seen, stop = Seen(), Event()
    threads = [Thread(target=watch_page, args=(port, seen, stop)), Thread(target=watch_picture, args=(port, seen, stop), daemon=True)]
    for thread in threads:
        thread.start()
    until.wait()
    stop.set()
    threads[0].join()
    results.put(seen)


def watch_page(port: int, seen: Seen, stop: Event) -> None:
    """When it has each ruling, and each table."""
    known, origin = 0, Origin(f"http://127.0.0.1:{port}")
    with connect(f"ws://127.0.0.1:{port}/ws", origin=origin, compression=None, max_size=None) as page:
        while not stop.is_set():
            try:
                message = json.loads(page.recv(timeout=0.5))
            except TimeoutError:
                continue
            except ConnectionClosed:
                return
            now_s = time.monotonic()
            if message["type"] == "match":
                history = message["match"]["history"]
                new = [shot for shot in history if shot["number"] > known]
                seen.rulings += [(now_s, shot["start_s"], shot["end_s"]) for shot in new]
                known = max([known, *(shot["number"] for shot in new)])
            elif message["type"] == "table":
                seen.tables.append((now_s, message["table"]["time_s"]))


def watch_picture(port: int, seen: Seen, stop: Event) -> None:
    """When each picture of the camera is here whole."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/camera", timeout=10) as stream:
        while not stop.is_set():
            head: dict[bytes, bytes] = {}
            while (line := stream.readline().strip()) or not head:
                if b":" in line:
                    name, _, value = line.partition(b":")
                    head[name.lower()] = value.strip()
            stream.read(int(head[b"content-length"]))
            seen.pictures.append((time.monotonic(), float(head[b"x-time"])))


def join_plays(video: Path, minutes: float, to: Path) -> tuple[Path, float]:
    """The file again and again for so long, as one; and how long one play of it is, seconds."""
    with av.open(str(video)) as source:
        stream = source.streams.video[0]
        packets = [packet for packet in source.demux(stream) if packet.dts is not None]
        time_base = stream.time_base
        assert time_base is not None
        length = max((packet.pts or 0) + (packet.duration or 0) for packet in packets)
        play_s = float(length * time_base)
        stamps = [(packet.pts, packet.dts) for packet in packets]
        with av.open(str(to), "w") as target:
            copied = target.add_stream_from_template(stream)
            for play in range(max(1, round(60 * minutes / play_s))):
                for packet, (pts, dts) in zip(packets, stamps, strict=True):
                    packet.stream = copied
                    packet.time_base = time_base
                    packet.pts, packet.dts = (pts or 0) + play * length, (dts or 0) + play * length
                    target.mux(packet)
    return to, play_s


def memory_mb() -> float:
    """What this process holds."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def run(video: Path, game: str, calibration: Calibration | None, folder: Path) -> dict[str, Any]:
    """One play of a film."""
    request = LiveRequest(
        camera=str(video), game=game, folder=folder, spec=find_table(find_ruleset(game).table_name), calibration=calibration, accept=True
    )
    pace = NotedPace(Event())
    live = Live(request, lambda text: print(text, file=sys.stderr), pace=pace)
    listening = socket.create_server(("127.0.0.1", 0))
    server = make_server(
        Site(session=live.session, keeper=Keeper(), pictures=live.pictures, shots=live.shots, hosts=frozenset({"localhost"}))
    )
    serving = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    serving.start()
    while not server.started:
        time.sleep(0.01)
    apart = multiprocessing.get_context("spawn")
    until, results = apart.Event(), apart.Queue()
    tablet = apart.Process(target=watch, args=(listening.getsockname()[1], until, results), daemon=True)
    tablet.start()
    while live.pictures.viewers == 0:
        time.sleep(0.01)
    live.start()
    waiting: list[int] = []
    memory: list[int] = []
    since_s, busy_s = time.monotonic(), time.process_time()
    while not live.over.wait(STEP_S):
        waiting.append(live.driver.waiting)
        if time.monotonic() - since_s >= 60 * len(memory):
            memory.append(round(memory_mb()))
    cores = (time.process_time() - busy_s) / (time.monotonic() - since_s)
    memory.append(round(memory_mb()))
    time.sleep(1.0)
    until.set()
    seen = results.get()
    tablet.join()
    found = {
        "seen": seen,
        "began_s": pace.began_s,
        "looked_at": live.driver.looked_share,
        "spared": live.driver.spared_share,
        "waiting": waiting,
        "memory_mb": memory,
        "cores": cores,
        "undecided": sum(not ruling.certain for ruling in live.match.rulings),
    }
    server.should_exit = True
    live.close()
    serving.join(5.0)
    return found


def true_rests(video: Path, play_s: float) -> list[tuple[float, float]]:
    """(strike, rest) of the shots in the truth file beside a video; how often they come again is for the reader to count."""
    path = video.with_suffix(".json")
    truth = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    pictures = truth.get("pictures", [])
    shots = [(shot["strike_s"], shot["rest_s"]) for shot in truth.get("shots", []) if shot["rest_s"] < play_s]
    return [(strike_s, stood_s(pictures, strike_s, rest_s)) for strike_s, rest_s in shots]


def stood_s(pictures: Sequence[dict[str, Any]], strike_s: float, rest_s: float) -> float:
    """When the last ball stood: from then to the true rest each is within `STANDS_M` of where it stays, or has fallen already."""
    shown = [picture for picture in pictures if strike_s <= picture["time_s"] <= rest_s]
    if not shown:
        return rest_s
    final = shown[-1]["balls"]
    for picture in reversed(shown):
        balls = picture["balls"]
        if balls.keys() != final.keys() or any(dist(place[:2], final[ball][:2]) > STANDS_M for ball, place in balls.items()):
            return float(picture["time_s"])
    return strike_s


def summary(found: dict[str, Any], truth: Sequence[tuple[float, float]], play_s: float) -> dict[str, Any]:
    """The figures."""
    seen, began_s = found["seen"], found["began_s"]
    told, by_truth = [], []
    for now_s, start_s, end_s in seen.rulings:
        play = start_s // play_s
        rests = [rest for strike, rest in truth if abs(start_s - play * play_s - strike) < 0.3]
        if rests or not truth:
            told.append(now_s - began_s - end_s)
        by_truth += [now_s - began_s - play * play_s - rest for rest in rests]
    return {
        "rest_to_ruling_s": spread(told),
        "true_rest_to_ruling_s": spread(by_truth),
        "at_joints": len(seen.rulings) - len(told),
        "camera_to_picture_s": spread([now_s - began_s - time_s for now_s, time_s in seen.pictures]),
        "camera_to_table_s": spread([now_s - began_s - time_s for now_s, time_s in seen.tables]),
        "looked_at": round(found["looked_at"], 3),
        "left_out_while_reading": round(found["spared"], 3),
        "waiting_pictures": spread([float(count) for count in found["waiting"]]),
        "memory_mb": found["memory_mb"],
        "cores": round(found["cores"], 2),
        "undecided": found["undecided"],
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    """Count, median, 95th percentile, most."""
    if not values:
        return {"count": 0}
    p95 = max(values) if len(values) < 20 else quantiles(values, n=20)[-1]
    return {"count": len(values), "median": round(median(values), 3), "p95": round(p95, 3), "most": round(max(values), 3)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video", type=Path)
    parser.add_argument("--game", default="nine-ball")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    sys.setswitchinterval(TURN_S)
    calibration = None if given.table is None else read_calibration(given.table)
    with tempfile.TemporaryDirectory() as folder:
        film, play_s = join_plays(given.video, given.minutes, Path(folder) / "film.mp4")
        found = run(film, parse_game(given.game), calibration, Path(folder) / "match")
    figures = summary(found, true_rests(given.video, play_s), play_s)
    if given.json:
        print(json.dumps(figures, indent=1))
        return
    for name, value in figures.items():
        shown = "  ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        print(f"{name:24} {shown}")


if __name__ == "__main__":
    main()
