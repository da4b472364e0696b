"""A video and its truth belong together."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.calibration import Calibration
from calibration.equipment import GAME_TABLES
from calibration.errors import InputError
from sample_videos.__main__ import command
from sample_videos.recipes import FOULS, SAMPLES, Wishes, make_match, make_recording
from sample_videos.video import write_recording

COMMITTED = Path(__file__).resolve().parents[2] / "sample_videos"


def test_a_video_has_as_many_pictures_as_its_truth(tmp_path: Path) -> None:
    """The file plays, its truth has one entry a picture, and the table file inside it can be read."""
    recording = make_recording("legal_pot", 4, Wishes(size_px=(320, 180), fps=4.0))
    truth = write_recording(recording, tmp_path / "pot.mp4")
    capture = cv2.VideoCapture(str(tmp_path / "pot.mp4"))
    count = 0
    while capture.read()[0]:
        count += 1
    written = json.loads((tmp_path / "pot.json").read_text())

    assert count == len(written["pictures"]) == written["frames"] == truth["frames"]
    assert Calibration.from_dict(written["table"]).camera.image_size_px == (320, 180)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pot.json", "pot.mp4"]
    assert set(written["after"]) == set(written["before"]) - {ball for ball, _ in written["pocketed"]}


def test_the_player_is_away_at_the_start_and_at_the_end() -> None:
    """Balls are seen alone first; the tip meets the cue ball at the strike."""
    recording = make_recording("safety", 2, Wishes(size_px=(320, 180)))
    strike_s, cue_ball = recording.truth["strike_s"], recording.truth["before"]["cue"]
    people = recording.play.people(strike_s)

    assert recording.play.people(0.0) == recording.play.people(strike_s + 2.0) == []
    assert len(people) == 1
    assert people[0][1].draw_m == pytest.approx(0.0, abs=1e-9)
    assert np.hypot(people[0][1].tip_m[0] - cue_ball[0], people[0][1].tip_m[1] - cue_ball[1]) == pytest.approx(0.028575, abs=1e-5)


def test_a_passage_has_its_calls_and_a_truth_for_every_shot(tmp_path: Path) -> None:
    """A short passage: calls beside the video, as many shots as it shows, the recipe whole, time after the last rest."""
    recording = make_match("nine_ball_rack", 3, Wishes(size_px=(320, 180), fps=2.0, length_s=28.0))
    write_recording(recording, tmp_path / "rack.mp4")
    truth = json.loads((tmp_path / "rack.json").read_text())
    calls = [json.loads(line) for line in (tmp_path / "rack.calls.jsonl").read_text().splitlines()]

    assert calls == truth["calls"]
    assert [call["kind"] for call in calls if call["type"] == "call"] == ["push_out"]
    assert len(truth["shots"]) >= 2
    assert truth["pictures"][-1]["time_s"] > truth["shots"][-1]["rest_s"]
    assert {"passage", "seed", "game", "table", "size_px", "fps", "mirror", "length_s", "cloth"} <= set(truth["recipe"])


@pytest.mark.parametrize(
    ("wishes", "word"), [(Wishes(table="pyramid-12ft"), "not played"), (Wishes(game="chess"), "game"), (Wishes(length_s=0.0), "length")]
)
def test_a_passage_that_cannot_be_made_is_refused(wishes: Wishes, word: str) -> None:
    """The message names what is wrong."""
    with pytest.raises(InputError, match=word):
        make_match(None, 1, wishes)


@pytest.mark.parametrize("title", SAMPLES, ids=lambda title: title.name)
def test_committed_samples_are_small_and_whole(title) -> None:  # type: ignore[no-untyped-def]
    """Each is at most 3 MB, has its truth with its recipe beside it, begins and ends at rest."""
    path = COMMITTED / f"{title.name}.mp4"
    truth = json.loads(path.with_suffix(".json").read_text())
    shots = truth.get("shots", [truth])

    assert path.stat().st_size <= 3_000_000
    assert shots[0]["strike_s"] > 1.0
    assert truth["pictures"][-1]["time_s"] - shots[-1]["rest_s"] > 0.7
    assert truth["recipe"]["game"] == truth["game"]


def test_committed_samples_together_are_small_and_show_each_game() -> None:
    """Six to ten videos, 20 MB at most, each of the six games at least once."""
    truths = [json.loads((COMMITTED / f"{title.name}.json").read_text()) for title in SAMPLES]

    assert 6 <= len(SAMPLES) <= 10
    assert sum(path.stat().st_size for path in COMMITTED.glob("*.mp4")) <= 20_000_000
    assert {truth["game"] for truth in truths} == set(GAME_TABLES)


def test_there_are_two_of_each_foul() -> None:
    """Ten videos: no contact, wrong ball first, no rail, scratch, off the table."""
    sorts = [title.kind.replace("object_off", "off").replace("cue_off", "off") for title in FOULS]

    assert {sort: sorts.count(sort) for sort in sorts} == {"no_contact": 2, "wrong_first": 2, "no_rail": 2, "scratch": 2, "off": 2}


@pytest.mark.parametrize(
    ("wishes", "word"),
    [
        (Wishes(size_px=(321, 180)), "size"),
        (Wishes(tilt_deg=30.0), "tilt"),
        (Wishes(cloth="plaid"), "cloth"),
        (Wishes(balls="square"), "ball set"),
        (Wishes(fps=0.0), "fps"),
        (Wishes(camera_height_m=0.5), "height"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line(wishes: Wishes, word: str) -> None:
    """The message names what is wrong."""
    with pytest.raises(InputError, match=word) as error:
        make_recording("legal_pot", 1, wishes)

    assert "\n" not in str(error.value)


def test_help_has_examples() -> None:
    """`--help` shows commands that can be copied."""
    result = CliRunner().invoke(command, ["--help"])

    assert result.exit_code == 0
    assert "python -m sample_videos make" in result.output


def test_shots_and_passages_are_listed() -> None:
    """`shots` says which kinds each table has, and which passages each game."""
    result = CliRunner().invoke(command, ["shots"])

    assert result.exit_code == 0
    assert all(f"{name}: " in result.output for name in ("wpa-9ft", "bar-7ft", "pyramid-12ft"))
    assert all(game in result.output for game in GAME_TABLES)
