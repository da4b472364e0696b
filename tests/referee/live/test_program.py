"""`cueref live` as a program: a real server on a real port, killed and started again."""

import json
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import plays
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from calibration.calibration import Calibration
from calibration.equipment import find_table
from referee.cli import main
from referee.live.serve import Live, LiveRequest
from referee.live.store import MatchStore

SAMPLES = Path(__file__).parents[3] / "sample_videos"


def start(folder: Path, *more: str) -> "subprocess.Popen[str]":
    """The program over the first sample, on any free port."""
    table = folder / "truth_table.json"
    if not table.exists():
        table.write_text(json.dumps(json.loads((SAMPLES / "legal_pot.json").read_text(encoding="utf-8"))["table"]), encoding="utf-8")
    command = [sys.executable, "-c", "from referee.cli import run; run()", "live", "--camera", str(SAMPLES / "legal_pot.mp4")]
    command += ["--game", "nine-ball", "--table", str(table), "-o", str(folder / "live"), "--port", "0", "--every-frame", *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def log_of(folder: Path) -> list[str]:
    """The match log in the store; empty where none has begun."""
    if not (folder / "live" / "match.sqlite").exists():
        return []
    store = MatchStore.in_folder(folder / "live")
    text = store.log_text()
    store.close()
    return (text or "").splitlines()


def read_all(page: ClientConnection) -> None:
    """Until the server ends it."""
    while True:
        page.recv(timeout=60)


@pytest.mark.slow
def test_killed_in_the_middle_of_a_film_it_goes_on_and_ends_with_the_same_match(tmp_path: Path) -> None:
    """Four kills at random moments; then it plays to the end, and the log is that of a run that nobody killed."""
    rng = random.Random(3)
    for _ in range(4):
        before = log_of(tmp_path)
        process = start(tmp_path)
        try:
            process.wait(rng.uniform(2.0, 20.0))
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        assert log_of(tmp_path)[: len(before)] == before
    ended = start(tmp_path, "--until-over")
    assert ended.wait(300) == 0
    ended.communicate()
    (tmp_path / "whole").mkdir()
    whole = start(tmp_path / "whole", "--until-over")
    assert whole.wait(300) == 0
    whole.communicate()

    assert log_of(tmp_path) == log_of(tmp_path / "whole")


@pytest.mark.slow
def test_a_page_of_the_real_server_sees_the_shot_and_officiates(tmp_path: Path) -> None:
    """Over a real socket: the call equals the truth, an oversized message ends that page only, the secret is in no log."""
    process = start(tmp_path)
    assert process.stderr is not None
    said = ""
    while "official" not in said:
        said = process.stderr.readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/official\?key=(\S+)", said)
    assert found is not None
    port, origin = found[1], Origin(f"http://127.0.0.1:{found[1]}")
    try:
        with connect(f"ws://127.0.0.1:{port}/ws", origin=origin, compression=None, max_size=None) as page:
            message = json.loads(page.recv(timeout=60))
            while not (message["type"] in ("match", "snapshot") and message["match"]["history"]):
                message = json.loads(page.recv(timeout=60))
            assert message["match"]["last"]["verdict"] == "legal"
            page.send("x" * 100_000)
            with pytest.raises(ConnectionClosed):
                read_all(page)
        with connect(f"ws://127.0.0.1:{port}/ws", origin=origin, compression=None, max_size=None) as page:
            assert json.loads(page.recv(timeout=60))["role"] == "reader"
    finally:
        process.terminate()
    _, rest = process.communicate(timeout=60)
    assert found[2] not in rest


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--camera", "/no/such.mp4", "--game", "nine-ball"], "no such video file"),
        (["--camera", "", "--game", "nine-ball"], "--camera"),
        (["--camera", "ftp://user:secret@host/", "--game", "nine-ball"], "--camera"),
        (["--camera", "rtsp://hall:secret@127.0.0.1:9/1", "--game", "nine-ball"], "the camera cannot be opened"),
        (["--camera", "0", "--game", "snooker"], "snooker"),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], text: str
) -> None:
    """Exit code 2, nothing half-written, no secret of an address."""
    folder = tmp_path / "live"

    assert main(["live", *arguments, "-o", str(folder), "--port", "0"]) == 2
    told = capfd.readouterr().err
    assert text in told
    assert "secret" not in told
    assert told.startswith(("cueref: ", "finding the table"))
    assert not folder.exists()


def test_a_folder_with_another_game_is_not_taken_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what is there and what to do."""
    from referee.live.kept_match import KeptMatch
    from referee.match import Match

    store = MatchStore.in_folder(tmp_path)
    KeptMatch.begin(store, Match.start("straight_14_1", race=100))
    store.close()
    table = tmp_path / "t.json"
    table.write_text(json.dumps(json.loads((SAMPLES / "legal_pot.json").read_text(encoding="utf-8"))["table"]), encoding="utf-8")
    camera = str(SAMPLES / "legal_pot.mp4")

    assert main(["live", "--camera", camera, "--game", "nine-ball", "--table", str(table), "-o", str(tmp_path), "--port", "0"]) == 2
    assert "holds a match of straight_14_1" in capsys.readouterr().err


def test_a_second_match_in_the_same_folder_does_not_show_the_pictures_of_the_first(tmp_path: Path) -> None:
    """Shot 1 of each is another one; of a match that is over the program says how to begin the next."""
    request = LiveRequest(camera=str(SAMPLES / "legal_pot.mp4"), game="nine_ball", folder=tmp_path, spec=find_table("wpa-9ft"), accept=True)
    truth = json.loads((SAMPLES / "legal_pot.json").read_text(encoding="utf-8"))
    request = replace(request, calibration=Calibration.from_dict(truth["table"]), race=1)
    said: list[str] = []
    first = Live(request, said.append)
    first.match.record_shot(plays.a_shot(1, "9", "9"))
    (first.shots / "1").mkdir(parents=True)
    (first.shots / "1" / "still.jpg").write_bytes(b"the first match")
    first.close()
    again, second = Live(request, said.append), Live(replace(request, match="final"), said.append)

    assert again.shots == first.shots
    assert not (second.shots / "1" / "still.jpg").exists()
    assert said == ["the match is over: 1 shots, score 1 : 0; another one begins with: --match NAME"]
    again.close()
    second.close()
