"""Mutation check of the foul checks: each is switched off in turn, and at least one test has to fail.

    python -m benchmarks.mutants [NAME...]

A check is a function of `referee/rules/` that gives a `Foul` (or several), or a fact that an official states. It is
replaced by one that finds nothing, in a process of its own, so that every list that holds the function is affected and
no file is touched; then the tests of the rules run until the first fails. A check that no test misses is printed as
ALIVE, and the exit code is 1.
"""

import argparse
import ast
import importlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FunctionType

import pytest

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "referee" / "rules"
TESTS = ("tests/referee/test_judge.py", "tests/referee/rules")
RARE = "not random and not coverage"
"""Random matches find a switched-off check by luck only, and the pages of clauses never do."""


def find_checks() -> Iterator[str]:
    """`module:function` of every check, in the order of the files."""
    for path in sorted(RULES.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef) or node.returns is None or node.name.startswith("_"):
                continue
            if gives_fouls(node.returns):
                yield f"referee.rules.{path.stem}:{node.name}"
        stated = getattr(importlib.import_module(f"referee.rules.{path.stem}"), "STATED_FOULS", {})
        yield from (f"referee.rules.{path.stem}:STATED_FOULS[{fact}]" for fact in stated)


def gives_fouls(annotation: ast.expr) -> bool:
    """`Foul | None`, or a collection of `Foul`."""
    text = ast.unparse(annotation)
    return text == "Foul | None" or text.endswith(("[Foul, ...]", "[Foul]"))


def finds_nothing(*_args: object, **_options: object) -> None:
    """What a switched-off check of one foul does."""


def finds_none(*_args: object, **_options: object) -> tuple[()]:
    """What a switched-off check of several fouls does."""
    return ()


def run_without(name: str) -> int:
    """The tests with that check switched off; pytest's exit code."""
    module, _, function = name.partition(":")
    if function.startswith("STATED_FOULS"):
        del importlib.import_module(module).STATED_FOULS[function.partition("[")[2].rstrip("]")]
        return run_tests()
    check = getattr(importlib.import_module(module), function)
    if not isinstance(check, FunctionType):
        raise TypeError(f"{name} is no plain function")
    one = "None" in str(check.__annotations__["return"])
    check.__code__ = (finds_nothing if one else finds_none).__code__
    return run_tests()


def run_tests() -> int:
    """The tests of the rules until the first fails; pytest's exit code."""
    return int(pytest.main(["-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-k", RARE, *TESTS]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line a check; 1 if any survives."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("names", nargs="*", help="checks, all by default; a part of the name is enough")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.one:
        return run_without(given.one)
    alive = []
    checks = [name for name in find_checks() if not given.names or any(part in name for part in given.names)]
    start = time.monotonic()
    for name in checks:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.mutants", "--one", name], cwd=ROOT, capture_output=True, text=True, check=False
        )
        failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
        killed = done.returncode == pytest.ExitCode.TESTS_FAILED
        if not killed:
            alive.append(name)
        sys.stdout.write(
            f"{'killed' if killed else 'ALIVE ':6} {name.removeprefix('referee.rules.'):48} {failed[0][7:110] if failed else ''}\n"
        )
        sys.stdout.flush()
    sys.stdout.write(f"{len(checks)} checks, {len(alive)} alive, {time.monotonic() - start:.0f} s\n")
    return 1 if alive else 0


if __name__ == "__main__":
    raise SystemExit(main())
