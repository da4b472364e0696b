"""A match as the review object, and the report command on its log."""

import json
from pathlib import Path

import pytest

from referee.cli import main
from referee.log import write_log
from referee.match import Match
from referee.review_object import review_object
from tracker.shot import Shot

SHOTS = Path(__file__).resolve().parents[1] / "formats" / "shots-1.jsonl"


@pytest.fixture
def match() -> Match:
    """A nine-ball match with a pot and a wrong ball first."""
    match = Match.start("nine_ball", players=("Ann", "Bo"))
    for line in SHOTS.read_text(encoding="utf-8").splitlines()[:2]:
        match.record_shot(Shot.from_dict(json.loads(line)))
    return match


def test_every_shot_carries_its_facts_and_its_ruling(match: Match) -> None:
    """A shot line plus what the referee says about it."""
    review = review_object(match)

    assert review["format"] == "cueref.review/1"
    assert [shot["first_contact"] for shot in review["shots"]] == [{"3": 0.9996, "5": 0.0004}, {"8": 0.9991, "9": 0.0009}]
    assert [shot["verdict"] for shot in review["shots"]] == ["legal", "foul"]
    assert review["players"] == {"A": "Ann", "B": "Bo"}


def test_report_command_needs_the_log_only(match: Match, tmp_path: Path) -> None:
    """Every shot stands in the page, under the call, with the players' names."""
    write_log(tmp_path / "match.jsonl", match)

    assert main(["report", str(tmp_path / "match.jsonl"), "-o", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Legal: 3-ball pocketed. Ann continues." in page
    assert "Foul: 8-ball first. Ball in hand." in page


def test_report_as_json_is_the_review_object_and_nothing_else(match: Match, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output holds one object."""
    write_log(tmp_path / "match.jsonl", match)

    assert main(["report", str(tmp_path / "match.jsonl"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(review_object(match)))


@pytest.mark.parametrize("text", [None, "", "not a log\n"])
def test_what_is_no_log_is_told_in_one_line(text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Code 2, one line, no folder made."""
    log = tmp_path / "match.jsonl"
    if text is not None:
        log.write_text(text, encoding="utf-8")

    assert main(["report", str(log), "-o", str(tmp_path / "out")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_report_speaks_russian(match: Match, tmp_path: Path) -> None:
    """Calls, reasons and headings; no English heading is left."""
    write_log(tmp_path / "match.jsonl", match)

    assert main(["report", str(tmp_path / "match.jsonl"), "-o", str(tmp_path / "out"), "--lang", "ru"]) == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert '<html lang="ru">' in page
    assert "Фол: первым задет шар 8. Биток с руки." in page
    assert "Первым биток коснулся шара 8; должен был шара" in page
    assert not any(f">{word}<" in page for word in ("What happened", "Pocketed", "First contact", "Shot 1", "HEAD", "Why"))
