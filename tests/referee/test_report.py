"""The report of a match as one HTML file."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import InputError
from referee.report import ShotMedia, read_clause_texts, render_report, write_report
from referee.rules.books import BOOKS

SAMPLE = Path(__file__).resolve().parents[1] / "formats" / "review-1.json"


@pytest.fixture
def review() -> dict[str, Any]:
    """Three nine-ball shots: a pot, a wrong ball first, a split hit."""
    data: dict[str, Any] = json.loads(SAMPLE.read_text(encoding="utf-8"))
    return data


class Links(HTMLParser):
    """Everything in a page that a browser would fetch or follow."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the addresses of one tag."""
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "action")]


def test_each_shot_shows_its_call_and_how_sure_it_is(review: dict[str, Any]) -> None:
    """The call is the heading, the badge says certain or undecided."""
    page = render_report(review)

    assert page.count('<span class="badge certain">') == 2
    assert page.count('<span class="badge undecided">') == 1
    assert "<h2>Foul: 8-ball first. Ball in hand.</h2>" in page
    assert "<h2>Undecided: first ball 5 or 8. Until a person decides: no foul.</h2>" in page


def test_assumptions_bad_intervals_and_readings_are_told(review: dict[str, Any]) -> None:
    """What is not known stands where a person sees it."""
    page = render_report(review)

    assert "phase: normal" in page
    assert "0:50.00 to 1:01.40" in page
    assert "<dt>62 %</dt><dd>legal: first ball 5 or 8</dd>" in page


def test_the_page_needs_no_other_file(review: dict[str, Any]) -> None:
    """Only links inside the page, to the video beside it, and pictures carried in the page."""
    page = render_report(review, media={1: ShotMedia(still_jpeg=b"\xff\xd8\xff")}, video="annotated.mp4")
    outside = [link for link in Links(page).found if not link.startswith(("#", "annotated.mp4", "data:image/jpeg;base64,"))]

    assert outside == []
    assert "<script" not in page
    assert "url(" not in page
    assert "annotated.mp4#t=11.04,16.96" in page


def test_a_shot_of_a_later_recording_links_the_video_of_that_recording(review: dict[str, Any]) -> None:
    """Times count from the start of each recording, and so do the links."""
    review["shots"][1]["video"] = 2
    links = [link for link in Links(render_report(review, video="annotated.mp4")).found if ".mp4#" in link]

    assert links == ["annotated.mp4#t=11.04,16.96", "annotated-2.mp4#t=40.20,45.60", "annotated.mp4#t=77.52,82.00"]


def test_texts_from_a_log_cannot_break_out_of_the_page(review: dict[str, Any]) -> None:
    """A reason, an assumption or a name is text, whatever it holds."""
    review["assumed"] = ["<script>alert(1)</script>"]
    review["shots"][0]["reasons"] = ["<img src=x onerror=alert(1)>"]
    review["players"] = {"A": "<b>Ann", "B": "Bo"}
    page = render_report(review)

    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page


def test_clauses_stand_with_their_text(review: dict[str, Any]) -> None:
    """A clause without a text is still named."""
    page = render_report(review, clause_texts={"N9-8": "First contact not with the lowest ball: foul."})

    assert "<dt>N9-8</dt><dd>First contact not with the lowest ball: foul.</dd>" in page
    assert "<dt>N9-7.2</dt><dd></dd>" in page


def test_every_clause_of_the_rule_books_has_a_text() -> None:
    """A person need not look up a number."""
    texts = read_clause_texts()

    assert [clause.id for book in BOOKS for clause in book.clauses if clause.id not in texts] == []


def test_a_recording_without_a_shot_says_so(review: dict[str, Any]) -> None:
    """An empty page would look like a fault."""
    assert "No shot was seen" in render_report({**review, "shots": []})


@pytest.mark.parametrize("change", [{"format": "cueref.review/9"}, {"shots": [{}]}, {"shots": [{"number": "one"}]}, {"table": None}])
def test_what_is_not_a_review_is_refused_in_one_line(review: dict[str, Any], change: dict[str, Any]) -> None:
    """The message names what is wrong, and nothing is written."""
    with pytest.raises(InputError) as error:
        render_report({**review, **change})

    assert "\n" not in str(error.value)


def test_report_is_written_whole_and_links_the_video_that_lies_beside_it(review: dict[str, Any], tmp_path: Path) -> None:
    """No part file stays; the video is found by its name."""
    folder = tmp_path / "new"
    assert "annotated.mp4" not in write_report(folder, review).read_text(encoding="utf-8")
    (folder / "annotated.mp4").write_bytes(b"")

    assert "annotated.mp4#t=" in write_report(folder, review).read_text(encoding="utf-8")
    assert sorted(path.name for path in folder.iterdir()) == ["annotated.mp4", "report.html"]
