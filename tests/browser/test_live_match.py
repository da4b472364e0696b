"""The pages before the real `cueref live`, with the project's sample recordings as the camera.

Each match is refereed once for all its tests, every picture of it, so that a busy machine changes nothing. What the
pages show is held against the truth file of the recording, and what a person does against what the rules say of it.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[browser]'")

from playwright.sync_api import Page, expect

from referee.log import write_log
from referee.match import Match

NewPage = Callable[..., Page]
pytestmark = pytest.mark.slow  # decodes and judges recordings: half a minute each

SAMPLES = Path(__file__).resolve().parents[2] / "sample_videos"
JUDGED_MS = 240_000
"""How long a recording of seven seconds may take on a machine with other things to do."""


@contextmanager
def live(folder: Path, video: str, *options: str, log: Match | None = None, port: int = 0, ends_by: int = signal.SIGINT) -> Iterator[str]:
    """`cueref live` on a sample recording; gives the official's link."""
    folder.mkdir(parents=True, exist_ok=True)
    if log is not None:
        write_log(folder / "before.jsonl", log)
        options = (*options, "--log", str(folder / "before.jsonl"))
    command = [sys.executable, "-c", "from referee.cli import run; run()", "live", "--camera", str(SAMPLES / video), "--every-frame"]
    command += ["-o", str(folder / "live"), "--port", str(port), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}) as process:
        try:
            assert process.stderr is not None
            said = []
            for line in process.stderr:
                said.append(line)
                if found := re.search(r"http\S+key=\S+", line):
                    yield found.group()
                    break
            else:
                pytest.fail(f"cueref live ended early: {''.join(said)}")
        finally:
            process.send_signal(ends_by)


def truth_of(video: str) -> dict[str, Any]:
    """The truth file of a sample."""
    data: dict[str, Any] = json.loads((SAMPLES / video).with_suffix(".json").read_text())
    return data


def open_at(page: Page, address: str, shot: int = 1) -> None:
    """A page, when it shows the ruling on that shot."""
    page.goto(address)
    expect(page.locator(f"#call-text[data-shot='{shot}']")).to_be_visible(timeout=JUDGED_MS)


def press(page: Page, name: str) -> None:
    """A press on the visible button of that name."""
    page.get_by_role("button", name=name, exact=True).locator("visible=true").first.click()


@pytest.fixture(scope="module")
def potted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Nine-ball: the 1 falls on a legal shot."""
    options = ("--game", "nine-ball", "--players", "Ann,Bo", "--race", "7", "--clock", "35")
    with live(tmp_path_factory.mktemp("potted"), "legal_pot.mp4", *options) as link:
        yield link


def test_call_score_and_clock_equal_the_truth(new_page: NewPage, potted: str) -> None:
    """The call names the ball that fell, the score and who shoots are those of the truth, the clock runs from true rest."""
    page = new_page()
    open_at(page, potted)
    truth = truth_of("legal_pot.mp4")
    [[ball, _]] = truth["pocketed"]

    expect(page.locator("#call-text")).to_have_text(f"Legal: {ball}-ball pocketed. Ann continues.")
    expect(page.locator("#call")).to_have_attribute("data-tone", "legal")
    expect(page.locator("[data-score=A]")).to_have_text("0")
    expect(page.locator("[data-score=B]")).to_have_text("0")
    expect(page.locator(".side-A .role")).to_have_text("to shoot")
    expect(page.locator("[data-on]")).to_have_attribute("data-on", min(set(truth["after"]) - {"cue"}, key=int))
    expect(page.locator("#now .digits")).to_have_text(re.compile(r"^\d\d?$"))
    for name, (x_m, y_m) in truth["after"].items():
        place = page.locator(f"#diagram [data-ball='{name}']").get_attribute("transform")
        assert place is not None
        drawn = [float(number) for number in re.findall(r"-?[\d.]+", place)[:2]]
        assert drawn == pytest.approx([x_m / 2.54e-3, -y_m / 2.54e-3], abs=2.0), name  # thousandths of the length: 5 mm


def test_why_has_clause_picture_clip_and_probability(new_page: NewPage, potted: str) -> None:
    """Behind one tap: a clause of nine-ball, a still and a clip that load, and the probability."""
    page = new_page()
    open_at(page, potted)
    press(page, "Why")
    why = page.locator("#why")

    expect(why.locator(".clauses")).to_contain_text("N9-")
    expect(why.locator(".readings li").first).to_contain_text("%")
    expect(why.locator("video")).to_have_count(1, timeout=30_000)
    assert page.request.get(page.url.replace("/official", why.locator("video").get_attribute("src") or "")).ok
    page.wait_for_function("() => document.querySelector('#why img').naturalWidth > 0")


def test_the_camera_picture_is_shown(new_page: NewPage, potted: str) -> None:
    """Over the picture: the newest one is there, also after the recording has ended, with the balls ringed where they are."""
    page = new_page()
    open_at(page, potted)
    press(page, "Over the picture")

    expect(page.locator("#camera-picture")).to_have_attribute("data-shown", re.compile("[1-9]"))
    expect(page.locator("#camera-over [data-ball=cue]")).to_be_visible()


def test_a_correction_rejudges_and_a_second_browser_sees_the_same(new_page: NewPage, potted: str) -> None:
    """The first ball is set to the 2: a foul, on both browsers at once; undo brings the first call back, redo the second."""
    official, reader = new_page(), new_page(390, 844)
    open_at(official, potted)
    open_at(reader, potted.partition("/official")[0] + "/")
    call, seen = official.locator("#call-text"), reader.locator("#call-text")
    legal = call.inner_text()
    official.locator("#call").get_by_role("button", name="Correct").click()
    official.get_by_label("First ball hit").select_option("2")
    press(official, "Judge again")

    expect(official.locator("#changes")).to_contain_text("Foul: 2-ball first. Ball in hand.")
    for text in (call, seen):
        expect(text).to_have_text(re.compile(r"^Foul: 2-ball first\. Ball in hand\."))
    expect(reader.locator(".side-B .role")).to_have_text("to shoot")
    expect(official.locator("#diagram .zone")).to_have_count(1)
    press(official, "Undo")
    for text in (call, seen):
        expect(text).to_have_text(legal)
    press(official, "Redo")
    expect(seen).to_have_text(re.compile(r"^Foul"))
    press(official, "Undo")
    expect(seen).to_have_text(legal)


def test_declarations_wait_for_the_next_shot_and_can_be_taken_back(new_page: NewPage, potted: str) -> None:
    """A frozen ball is declared, listed, and taken back; a push-out that is not open is not offered."""
    page = new_page()
    open_at(page, potted)
    expect(page.get_by_role("button", name="Push-out")).to_have_count(0)
    press(page, "Frozen ball")
    page.locator("#declare [data-pick='4']").click()
    page.locator("#declare [data-pick=left]").click()
    expect(page.locator("#now")).to_contain_text("4-ball, left cushion")
    press(page, "Interference")
    press(page, "Position is lost")
    said = page.locator("#shots .people li")
    expect(said).to_have_count(1)
    said.get_by_role("button", name="Take back").click()
    expect(said).to_have_count(0)


def test_a_reader_cannot_officiate(new_page: NewPage, potted: str) -> None:
    """Without the link the official's page shows the same and has nothing to press."""
    page = new_page()
    open_at(page, potted.partition("?")[0])

    expect(page.locator("#lamps")).to_contain_text("Reading only.")
    expect(page.locator("#bar")).to_be_hidden()


def test_the_links_are_codes_to_be_scanned(new_page: NewPage, potted: str) -> None:
    """Both QR codes are pictures that load."""
    page = new_page()
    open_at(page, potted)
    press(page, "Tablet link")

    page.wait_for_function("() => [...document.querySelectorAll('#sheet img')].filter((one) => one.naturalWidth > 0).length === 2")


def test_the_clock_is_set_extended_paused_and_stopped(new_page: NewPage, potted: str) -> None:
    """Pause stands, resume goes on, an extension adds its seconds once, 0 takes the clock away."""
    page = new_page()
    open_at(page, potted)
    press(page, "Settings")
    page.get_by_label("Seconds for a shot").fill("900")
    page.locator("#sheet section", has_text="Shot clock").get_by_role("button", name="Save").click()
    press(page, "Close")
    digits = page.locator("#now .digits")
    expect(digits).to_have_text(re.compile(r"^8\d\d|900$"))
    press(page, "Pause")
    expect(page.locator("[data-lamp=paused]")).to_be_visible()
    press(page, "Resume")
    expect(page.locator("[data-lamp=paused]")).to_have_count(0)
    extension = page.locator("[data-key=extension]")
    expect(extension).to_contain_text("1 left")
    extension.click()
    expect(extension).to_contain_text("0 left")
    press(page, "Settings")
    page.get_by_label("Seconds for a shot").fill("0")
    page.locator("#sheet section", has_text="Shot clock").get_by_role("button", name="Save").click()
    press(page, "Close")

    expect(page.locator("#now .clock")).to_be_hidden()


def test_a_crash_is_survived_by_match_and_page(new_page: NewPage, tmp_path: Path) -> None:
    """The referee is killed after a shot and a correction, and started again: a scoreboard that stayed open says that it has
    no line, then catches up; the shot is there once, with its correction, and an official can take that back."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ("--game", "nine-ball", "--players", "Ann,Bo", "--race", "7")
    board, official = new_page(390, 844), new_page()
    foul = re.compile(r"^Foul: 2-ball first\. Ball in hand\.")
    with live(tmp_path, "legal_pot.mp4", *options, port=port, ends_by=signal.SIGKILL) as link:
        open_at(board, link.partition("/official")[0] + "/")
        open_at(official, link)
        official.locator("#call").get_by_role("button", name="Correct").click()
        official.get_by_label("First ball hit").select_option("2")
        press(official, "Judge again")
        expect(board.locator("#call-text")).to_have_text(foul)
    expect(board.locator("#banner")).to_contain_text("Not connected.")
    with live(tmp_path, "legal_pot.mp4", *options, port=port) as link:
        expect(board.locator("#banner")).to_be_hidden(timeout=JUDGED_MS)
        expect(board.locator("#call-text")).to_have_text(foul)
        expect(board.locator("#shots .history li")).to_have_count(1)
        open_at(official, link)
        press(official, "Undo")
        expect(board.locator("#call-text")).to_have_text(re.compile(r"^Legal: 1-ball pocketed"))


def test_a_push_out_lets_the_other_player_choose(new_page: NewPage, tmp_path: Path) -> None:
    """A foul as a push-out is none: the other player chooses, gives the shot back, and the first shoots again."""
    before = Match.start("nine_ball", players=("Ann", "Bo"), race=7)
    before.record("state", time_s=0.0, phase="after_break", shooter="A")
    before.record("call", time_s=0.0, kind="push_out")
    with live(tmp_path, "wrong_ball_first.mp4", "--game", "nine-ball", log=before) as link:
        page = new_page()
        open_at(page, link)
        expect(page.locator("#call-text")).to_have_text(re.compile(r"^Push-out\."))
        expect(page.locator("#ask h2")).to_have_text("Bo decides")
        page.locator("[data-option=RETURN_SHOT]").click()

        expect(page.locator("#ask")).to_be_hidden()
        expect(page.locator(".side-A .role")).to_have_text("to shoot")


def test_an_undecided_call_is_decided(new_page: NewPage, tmp_path: Path) -> None:
    """14.1 without a call is undecided and waits in the queue until it is decided; undo brings it back there."""
    with live(tmp_path, "legal_pot.mp4", "--game", "14.1", "--players", "Ann,Bo") as link:
        page = new_page()
        open_at(page, link)
        expect(page.locator("#call")).to_have_attribute("data-tone", "undecided")
        expect(page.locator("[data-undecided]")).to_have_text("1")
        page.locator("#queue [data-word=stands]").click()
        expect(page.locator("#queue")).to_be_hidden()
        press(page, "Undo")
        expect(page.locator("[data-undecided]")).to_have_text("1")
        page.locator("#queue [data-word=too_close]").click()
        expect(page.locator("#queue")).to_be_hidden()


def test_a_ball_to_be_spotted_is_shown_until_it_is(new_page: NewPage, tmp_path: Path) -> None:
    """14.1: a ball that falls on a safety is spotted; the page draws where, and an official says when it is done."""
    before = Match.start("straight_14_1", players=("Ann", "Bo"), race=100)
    before.record("call", time_s=0.0, kind="safety")
    with live(tmp_path, "legal_pot.mp4", "--game", "14.1", log=before) as link:
        page = new_page()
        open_at(page, link)
        expect(page.locator("[data-to-go='1']")).to_have_text("not seen yet")
        expect(page.locator("#diagram .ghost")).to_have_count(1)
        press(page, "It is spotted")

        expect(page.locator("[data-to-go='1']")).to_have_text("in place")
        expect(page.locator("#help .help-spot .tick")).to_be_visible()
