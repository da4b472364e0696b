"""Every clause of the rule book is judged, asked of a person, or not judged with a reason."""

import re
from pathlib import Path

import pytest

from referee.rules.books import BOOKS
from referee.rules.coverage import JUDGED, render_coverage

PAGE = Path(__file__).parents[3] / "docs" / "rule-coverage.md"


@pytest.mark.parametrize("book", BOOKS, ids=[book.title for book in BOOKS])
def test_no_clause_of_the_book_is_missing(book: object, shared: Path) -> None:
    """The ids are those of rules.md, in its order, none left out and none invented."""
    book = next(item for item in BOOKS if item is book)
    text = (shared / "rules.md").read_text(encoding="utf-8")
    start = text.index(f"### {book.section} ")
    end = min(place for place in (text.find("\n### ", start + 5), text.find("\n---", start)) if place > 0)
    ids = re.findall(r"^\| ([A-Z0-9]+-[^|]*?) \|", text[start:end], re.MULTILINE)
    if book.section == "2.3":
        ids += [f"S141-T.R{row}C{column}" for row in range(1, 6) for column in range(1, 4)]

    assert [clause.id for clause in book.clauses] == ids


def test_page_is_up_to_date() -> None:
    """docs/rule-coverage.md is what the command writes."""
    assert PAGE.read_text(encoding="utf-8") == render_coverage(BOOKS)


def test_every_clause_has_a_note() -> None:
    """Nothing is only ticked off: where it is judged, what is asked, or why not."""
    assert [clause.id for book in BOOKS for clause in book.clauses if len(clause.note) < 8] == []


def test_functions_named_in_the_page_exist() -> None:
    """`module.function` of a judged clause is in the code."""
    folder = Path(__file__).parents[3] / "referee" / "rules"
    source = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    missing = []
    for book in BOOKS:
        for clause in (clause for clause in book.clauses if clause.how == JUDGED):
            for module, name in re.findall(r"\b(general|facts|spotting|nine_ball\w*|straight_pool\w*|pyramid\w*)\.(\w+)", clause.note):
                if not re.search(rf"\b(def |class )?{name}\b", source[module]):
                    missing.append(f"{clause.id}: {module}.{name}")

    assert missing == []
