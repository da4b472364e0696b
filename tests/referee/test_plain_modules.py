"""The rules, the match and the log load and work where NumPy and OpenCV are missing."""

import json
import subprocess
import sys
from pathlib import Path

MODULES = [
    "tracker.shot",
    "calibration.equipment",
    "calibration.table",
    "referee.ruling",
    "referee.scenario",
    "referee.judge",
    "referee.alternatives",
    "referee.readings",
    "referee.match_setup",
    "referee.layout",
    "referee.shot_ruling",
    "referee.match",
    "referee.log",
    "referee.words",
    "referee.words_en",
    "referee.words_ru",
    "referee.wording",
    "referee.notation",
    "referee.calls",
    "referee.commands.judge",
    "referee.commands.rejudge",
]

BLOCK = """
import importlib, pathlib, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numpy", "cv2", "scipy", "onnxruntime", "av"):
            raise ImportError(f"{name} is blocked")
sys.meta_path.insert(0, Missing())
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a Python without NumPy and OpenCV."""
    return subprocess.run([sys.executable, "-c", BLOCK + code], capture_output=True, text=True, check=False, timeout=60)


def test_plain_modules_load_without_numpy_and_opencv() -> None:
    """Every module of rules, match and log imports with both blocked."""
    rules = sorted(path.stem for path in (Path(__file__).parents[2] / "referee" / "rules").glob("*.py") if path.stem != "__init__")
    names = [*MODULES, *(f"referee.rules.{name}" for name in rules)]
    result = run(f"[importlib.import_module(name) for name in {names!r}]\nassert 'numpy' not in sys.modules")

    assert result.stderr == ""
    assert result.returncode == 0


def test_judge_runs_without_numpy_and_opencv(tmp_path: Path) -> None:
    """`cueref judge` needs neither."""
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"scenarios": []}))
    result = run(f"from referee.cli import main\nsys.exit(main(['judge', {str(path)!r}, '--json']))")

    assert (result.returncode, result.stdout.strip(), result.stderr) == (0, "[]", "")
