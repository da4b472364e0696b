"""How soon `cueref live` says what it saw: rest to ruling on a page, camera to picture, how much of the film it looks at.

    python benchmarks/live_speed.py VIDEO [--game nine-ball] [--table table.json] [--minutes 0]

Plays the file at its own pace as the camera of a real server on a free port, with one page and one picture viewer
connected, and measures at their end of the line. With `--minutes` it is played again and again for so long. Times hold for
the machine as it is then: run it on an idle one, and say so where it was not.
"""

import argparse
import json
import socket
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread

import cv2
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from calibration.calibration import Calibration, read_calibration
from calibration.equipment import find_table
from referee.live.access import Keeper
from referee.live.serve import Live, LiveRequest, make_server
from referee.live.web import Site
from referee.overlap import TURN_S
from referee.rules.games import find_ruleset, parse_game


def watch_page(port: int, live: Live, started_s: float, rulings: list[float], tables: list[float], stop: Event) -> None:
    """A page: when it has each ruling, and how old its table is."""
    known = live.match.shot_count
    with connect(f"ws://127.0.0.1:{port}/ws", origin=f"http://127.0.0.1:{port}", compression=None, max_size=None) as page:  # type: ignore[arg-type]
        while not stop.is_set():
            try:
                message = json.loads(page.recv(timeout=0.5))
            except TimeoutError:
                continue
            except ConnectionClosed:
                return
            now_s = time.monotonic() - started_s
            if message["type"] == "match":
                history = message["match"]["history"]
                for shot in history[known:]:
                    rulings.append(now_s - shot["end_s"])
                known = len(history)
            elif message["type"] == "table":
                tables.append(now_s - message["table"]["time_s"])


def watch_picture(port: int, started_s: float, delays: list[float], stop: Event) -> None:
    """A viewer of the camera: how old each picture is when it is here whole."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/camera", timeout=10) as stream:
        while not stop.is_set():
            head = {}
            while (line := stream.readline().strip()) or not head:
                if b":" in line:
                    name, _, value = line.partition(b":")
                    head[name.lower()] = value.strip()
            stream.read(int(head[b"content-length"]))
            delays.append(time.monotonic() - started_s - float(head[b"x-time"]))


def row(name: str, values: list[float], limit_s: float) -> str:
    """Median and 95th percentile."""
    if not values:
        return f"{name:28} none"
    p95 = max(values) if len(values) < 20 else quantiles(values, n=20)[-1]
    return f"{name:28} {len(values):6d}  median {median(values):6.3f} s  95 % {p95:6.3f} s  (at most {limit_s} s)"


def run(video: Path, game: str, calibration: Calibration | None, folder: Path) -> tuple[list[float], list[float], list[float], float]:
    """One play of the file."""
    request = LiveRequest(
        camera=str(video), game=game, folder=folder, spec=find_table(find_ruleset(game).table_name), calibration=calibration, accept=True
    )
    live = Live(request, lambda text: print(text, file=sys.stderr))
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    server = make_server(
        Site(session=live.session, keeper=Keeper(), pictures=live.pictures, shots=live.shots, hosts=frozenset({"localhost"}))
    )
    serving = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    serving.start()
    while not server.started:
        time.sleep(0.01)
    rulings: list[float] = []
    tables: list[float] = []
    delays: list[float] = []
    stop, started_s = Event(), time.monotonic()
    threads = [
        Thread(target=watch_page, args=(port, live, started_s, rulings, tables, stop), daemon=True),
        Thread(target=watch_picture, args=(port, started_s, delays, stop), daemon=True),
    ]
    live.start()
    for thread in threads:
        thread.start()
    live.over.wait()
    time.sleep(1.0)
    stop.set()
    looked = live.driver.looked_share
    server.should_exit = True
    live.close()
    serving.join(5.0)
    return rulings, tables, delays, looked


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video", type=Path)
    parser.add_argument("--game", default="nine-ball")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--minutes", type=float, default=0.0)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    sys.setswitchinterval(TURN_S)
    calibration = None if given.table is None else read_calibration(given.table)
    until_s, all_of = time.monotonic() + 60 * given.minutes, ([], [], [])  # type: ignore[var-annotated]
    looked = []
    with tempfile.TemporaryDirectory() as folder:
        while True:
            *lists, share = run(given.video, parse_game(given.game), calibration, Path(folder) / str(len(looked)))
            looked.append(share)
            for kept, new in zip(all_of, lists, strict=True):
                kept.extend(new)
            if time.monotonic() >= until_s:
                break
    print(row("rest to ruling on the page", all_of[0], 1.0))
    print(row("camera to picture", all_of[2], 0.2))
    print(row("camera to table on the page", all_of[1], 0.2))
    print(f"pictures looked at           {100 * min(looked):6.1f} %")


if __name__ == "__main__":
    main()
