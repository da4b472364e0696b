"""What the documents say is so: commands, files, examples in docstrings."""

import doctest
import importlib
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli import COMMANDS, DEBIAN_LINE, cueref

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
PACKAGES = ("calibration", "vision", "tracker", "referee", "sample_videos")


def modules_with_examples() -> list[str]:
    """Every module whose docstrings hold an example."""
    paths = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in paths
        if re.search(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_in_docstrings_are_true(name: str) -> None:
    """Each example gives what it says it gives."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    """A relative link names a file of the repository."""
    links = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    missing = [link for link in links if not link.startswith("http") and not (path.parent / link).exists()]

    assert missing == []


@pytest.mark.parametrize("path", [ROOT / "README.md", ROOT / "docs" / "data-flow.md"], ids=lambda path: path.name)
def test_files_named_in_documents_exist(path: Path) -> None:
    """A module that a document points to has not moved."""
    named = re.findall(
        r"`((?:calibration|vision|tracker|referee|sample_videos|benchmarks|tests)/[\w/.]+\.\w+)`", path.read_text(encoding="utf-8")
    )
    missing = [name for name in named if not (ROOT / name).exists()]

    assert missing == []


def test_readme_names_every_command() -> None:
    """And each of them is there, with help in its own words."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        done = CliRunner().invoke(cueref, [name, "--help"])

        assert f"| `cueref {name}" in text
        assert done.exit_code == 0, f"cueref {name} --help: {done.output}"


def test_options_in_the_readme_exist() -> None:
    """Every option shown behind a command is one that the command takes."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    wrong = []
    for name, rest in re.findall(r"cueref (\w+)([^\n`]*)", text):
        if name in COMMANDS:
            command = importlib.import_module(f"referee.commands.{name}").command
            known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
            wrong += [
                f"{name} {option}"
                for option in re.findall(r"(?<!\S)--?[a-z][\w-]*", rest.partition("#")[0])
                if option not in known | {"--help"}
            ]

    assert wrong == []


def test_readme_and_program_name_the_same_system_libraries() -> None:
    """The line for a bare Debian is one line, wherever it stands."""
    assert DEBIAN_LINE in (ROOT / "README.md").read_text(encoding="utf-8")
