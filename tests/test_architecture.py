"""The shape of the code: who may import whom, what runs without NumPy and OpenCV, how long a file may be."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("calibration", "vision", "tracker", "referee", "sample_videos")
MAY_IMPORT = {
    "calibration": {"calibration"},
    "vision": {"calibration", "vision"},
    "tracker": {"calibration", "vision", "tracker"},
    "referee": {"calibration", "vision", "tracker", "referee"},
    "sample_videos": {"calibration", "sample_videos"},
}
HEAVY = ("numpy", "cv2", "scipy", "onnxruntime", "av")
LIGHT = (
    "calibration.equipment",
    "calibration.errors",
    "calibration.table",
    "tracker.shot",
    "vision.palette",
    "referee.calls",
    "referee.cli",
    "referee.commands.judge",
    "referee.commands.rejudge",
    "referee.commands.report",
    "referee.diagram",
    "referee.ledger",
    "referee.limits",
    "referee.log",
    "referee.log_event",
    "referee.given_state",
    "referee.match",
    "referee.report",
    "referee.review_object",
    "referee.ruling",
    "referee.scenario",
    "referee.wording",
    "referee.words",
    "referee.words_en",
    "referee.words_ru",
)
JUDGEMENT = re.compile(r"(?<![a-z])(fouls?|scratch|scratched|scratches|legal|legally|illegal|illegally)(?![a-z])", re.IGNORECASE)
MOST_LINES = 400

SCENARIO = {
    "id": "wrong-first",
    "game": "nine_ball",
    "before": {
        "table": "wpa9",
        "shooter": "A",
        "phase": "normal",
        "balls": ["cue", "3", "5", "9"],
        "cue_ball": "cue",
        "cue_state": "position",
        "positions": {},
        "scores": {"A": 0, "B": 0},
        "target": 7,
        "consecutive_fouls": {"A": 0, "B": 0},
        "warned": {"A": False, "B": False},
        "referee": True,
        "call": None,
        "frozen": [],
    },
    "events": [
        {"t": 0.0, "type": "cue_contact"},
        {"t": 0.4, "type": "ball_ball", "a": "cue", "b": "5"},
        {"t": 0.9, "type": "ball_cushion", "ball": "5", "cushion": "foot"},
        {"t": 4.0, "type": "stop"},
    ],
    "expect": {"foul": True, "foul_codes": ["WRONG_FIRST"], "turn": "B", "cue_next": "hand_anywhere"},
}

BLOCKED = f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HEAVY!r}:
            raise ImportError(f"{{name}} was imported")

sys.meta_path.insert(0, Blocked())
"""


def sources(*packages: str) -> list[Path]:
    """Python files of the packages, in a fixed order."""
    return sorted(path for package in packages for path in (ROOT / package).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """Every module name that a file imports, wherever in the file it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            yield node.module or ""


def run_light(code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in the checkout with the heavy libraries blocked."""
    return subprocess.run([sys.executable, "-c", BLOCKED + code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package: str) -> None:
    """referee -> tracker -> vision -> calibration, sample_videos -> calibration, and nothing back."""
    wrong = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in sources(package)
        for module in imports(path)
        if module.partition(".")[0] in PACKAGES and module.partition(".")[0] not in MAY_IMPORT[package]
    ]

    assert wrong == []


def test_every_package_is_known_to_the_build() -> None:
    """A folder with an `__init__.py` that pyproject.toml does not list would be missing after `pip install .`."""
    found = {str(path.parent.relative_to(ROOT)).replace("/", ".") for path in sources(*PACKAGES) if path.name == "__init__.py"}
    listed = re.search(r"^packages = \[(.*?)\]$", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)

    assert listed is not None
    assert set(re.findall(r'"([^"]+)"', listed[1])) == found


def light_modules() -> list[str]:
    """The modules that hold facts, rules and the match, the rule sets found by looking."""
    rules = (str(path.relative_to(ROOT).with_suffix("")).replace("/", ".") for path in sources("referee/rules"))
    return [*LIGHT, *(name.removesuffix(".__init__") for name in rules)]


def test_facts_rules_and_match_load_without_numpy_and_opencv() -> None:
    """The rules are plain Python: a judge's laptop needs no vision to run them."""
    done = run_light(f"import importlib\nfor name in {light_modules()!r}: importlib.import_module(name)")

    assert done.returncode == 0, done.stderr


def test_judge_runs_without_numpy_and_opencv(tmp_path: Path) -> None:
    """`cueref judge` rules on worked cases with the heavy libraries blocked."""
    path = tmp_path / "scenarios.json"
    path.write_text(json.dumps({"version": 1, "defaults": {}, "codes": {}, "scenarios": [SCENARIO]}), encoding="utf-8")
    done = run_light(f"from referee.cli import main\nsys.exit(main(['judge', {str(path)!r}, '--json']))")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["agrees"] is True


def test_the_block_blocks() -> None:
    """The two tests above would prove nothing if NumPy could still be imported."""
    assert run_light("import numpy").returncode != 0


def test_no_heavy_import_hides_in_a_light_module() -> None:
    """A heavy import inside a function of a light module would only fail when it runs."""
    paths = (ROOT / (module.replace(".", "/") + ".py") for module in light_modules())
    wrong = [f"{path}: {name}" for path in paths if path.exists() for name in imports(path) if name.partition(".")[0] in HEAVY]

    assert wrong == []


def test_no_file_is_too_long() -> None:
    """A file that no longer fits a reader's head is two files."""
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in sources(*PACKAGES, "tests", "benchmarks")
    }
    too_long = {path: length for path, length in lengths.items() if length > MOST_LINES}

    assert too_long == {}


def test_facts_are_neutral() -> None:
    """calibration, vision and tracker say what happened; what it means is said in referee only."""
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sources("calibration", "vision", "tracker")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if JUDGEMENT.search(line)
    ]

    assert wrong == []


def test_init_files_hold_a_docstring_only() -> None:
    """A name has one home: packages re-export nothing (an empty file is fine too)."""
    wrong = []
    for path in sources(*PACKAGES):
        if path.name == "__init__.py":
            body = ast.parse(path.read_text(encoding="utf-8")).body
            if len(body) > 1 or not all(isinstance(node, ast.Expr) for node in body):
                wrong.append(str(path.relative_to(ROOT)))

    assert wrong == []


def test_nothing_names_the_machine_it_was_made_on() -> None:
    """A path of one machine in the repository is a mistake on every other."""
    places = re.compile(r"/(?:work|home|root)/|/tmp/")
    texts = [*sources(*PACKAGES, "tests", "benchmarks"), *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "Makefile"]
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in texts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if places.search(line) and path != Path(__file__).resolve()
    ]

    assert wrong == []
