"""Which clause is judged, which is asked of a person, which is not judged and why; plain module.

`python -m referee.rules.coverage > docs/rule-coverage.md` writes the page; a test fails when it is out of date or when a
clause of the rule book is missing.
"""

import sys
from dataclasses import dataclass

JUDGED, ASKED, NOT_JUDGED = "judged", "asked of a person", "not judged"


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause.

    Attributes:
        id: As in rules.md.
        how: `judged`, `asked of a person` or `not judged`.
        note: Where in the code, what is asked, or why not.
    """

    id: str
    how: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """One section of the rule book.

    Attributes:
        title: Its name.
        section: Its number in rules.md.
        clauses: In the order of the book.
    """

    title: str
    section: str
    clauses: tuple[Clause, ...]


def judged(clause: str, where: str) -> Clause:
    """A clause that the code judges, and where."""
    return Clause(clause, JUDGED, where)


def asked(clause: str, what: str) -> Clause:
    """A clause that needs a person, and what he is asked."""
    return Clause(clause, ASKED, what)


def not_judged(clause: str, why: str) -> Clause:
    """A clause that is left alone, and why."""
    return Clause(clause, NOT_JUDGED, why)


def render_coverage(books: tuple[Book, ...]) -> str:
    """The page as Markdown.

    >>> "| N9-8 |" in render_coverage((Book(title="Nine-ball", section="2.2", clauses=(judged("N9-8", "x"),)),))
    True
    """
    lines = ["# Rule coverage", "", "Made by `python -m referee.rules.coverage > docs/rule-coverage.md`; do not edit.", ""]
    for book in books:
        counts = {how: sum(clause.how == how for clause in book.clauses) for how in (JUDGED, ASKED, NOT_JUDGED)}
        said = ", ".join(f"{count} {how}" for how, count in counts.items() if count)
        lines += [f"## {book.section} {book.title}", "", f"{len(book.clauses)} clauses: {said}.", ""]
        lines += ["| clause | how | where, what or why |", "|---|---|---|"]
        lines += [f"| {clause.id} | {clause.how} | {clause.note} |" for clause in book.clauses]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Write the page to standard output."""
    from referee.rules.books import BOOKS  # imported here: the books are made of the types above

    sys.stdout.write(render_coverage(BOOKS))


if __name__ == "__main__":
    main()
