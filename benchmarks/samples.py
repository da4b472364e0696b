"""Review the sample videos with their calls files and hold every ruling against the truth file; writes the accuracy ledger.

    python -m benchmarks.samples                          the committed samples; a table
    python -m benchmarks.samples --write                  and docs/accuracy-ledger.md
    python -m benchmarks.samples --videos DIR             any folder of videos of `python -m sample_videos` with their truth

Each shot of the truth is looked for by its tip contact (within 0.6 s). A shot counts as right when verdict, codes and turn
are certain and those of the truth file. Else the row names the first stage that misses, and by how much:

    calibration    a corner of the playing surface lies off by more than 5 mm
    segmentation   no shot at that time, or one too many in the video
    layout         a ball missing, invented, or off by more than 8 mm before the strike
    contact, pots, rail    first ball, pocketed balls, rail after contact are not the truth's
    doubt          all facts right, but the readings that give the ruling add up to less than 0.99
    rules          all facts right, and the ruling is another: the state before it, or what was said

Whites of pyramid are matched by their place before the shot; where the foot is not known a turn by 180 degrees is allowed.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_videos"
LEDGER = ROOT / "docs" / "accuracy-ledger.md"
_CORNER_MM, _LAYOUT_MM, _TIME_S = 5.0, 8.0, 0.6
_TURNED = {"HL": "FR", "HR": "FL", "SL": "SR", "SR": "SL", "FL": "HR", "FR": "HL"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One shot of one sample.

    Attributes:
        sample: The video's stem.
        game: Of its truth.
        shot: Counted from 1 in the truth; 0 for what concerns the whole video.
        state: right, undecided or wrong; `extra` for a shot that never was.
        stage: The first stage that misses; empty where right.
        figure: By how much.
    """

    sample: str
    game: str
    shot: int
    state: str
    stage: str = ""
    figure: str = ""


def review(video: Path, game: str) -> dict[str, Any]:
    """What `cueref review --json` prints for a video, its calls file given where there is one.

    Raises:
        RuntimeError: If the command fails; the message is its last line.
    """
    calls = video.with_suffix(".calls.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", "from referee.cli import run; run()", "review", str(video), "--game", game, "-o", folder, "--json"]
        if calls.exists():
            command += ["--calls", str(calls)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode > 1 or not done.stdout.strip():
        raise RuntimeError((done.stderr.strip() or "no output").splitlines()[-1])
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def true_shots(truth: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The shots of a truth file, those of a single shot in the shape of a passage's."""
    if "shots" in truth:
        return list(truth["shots"])
    ruling = truth["nine_ball"]
    expect = {"foul": ruling["verdict"] == "foul", "foul_codes": ruling["foul_codes"], "turn": ruling["turn"]}
    return [{**{k: truth[k] for k in truth if k != "pictures"}, "ruling": expect}]


def rows_of(name: str, truth: Mapping[str, Any], result: Mapping[str, Any]) -> list[Row]:
    """A row a shot of the truth, and one for every shot too many."""
    game = str(truth["game"])
    off_mm = _corners_off_mm(truth["table"], result["table"])
    turned = _is_turned(truth, result)
    left = list(result["shots"])
    rows = []
    for number, true in enumerate(true_shots(truth), start=1):
        near = [s for s in left if abs(s["start_s"] - true["strike_s"]) < _TIME_S]
        if not near:
            times = ", ".join(f"{s['start_s']:.1f}" for s in left[:3]) or "none"
            rows.append(_row(name, game, number, "undecided", "segmentation", f"strike at {true['strike_s']:.1f} s; left over: {times}"))
            continue
        shot = min(near, key=lambda s: abs(s["start_s"] - true["strike_s"]))
        left.remove(shot)
        rows.append(_judged(name, game, number, true, shot, off_mm, turned))
    rows += [_row(name, game, 0, "extra", "segmentation", f"a shot at {shot['start_s']:.1f} s that never was") for shot in left]
    return rows


def _row(sample: str, game: str, shot: int, state: str, stage: str, figure: str) -> Row:
    return Row(sample=sample, game=game, shot=shot, state=state, stage=stage, figure=figure)


def _judged(name: str, game: str, number: int, true: dict[str, Any], shot: dict[str, Any], off_mm: float, turned: bool) -> Row:
    expect = true["ruling"]
    certain = shot["verdict"] != "undecided"
    same = (shot["verdict"] == "foul") == expect["foul"] and set(shot["foul_codes"]) == set(expect["foul_codes"])
    if certain and same and shot["turn"] == expect["turn"]:
        return Row(sample=name, game=game, shot=number, state="right")
    state = "wrong" if certain else "undecided"
    stage, figure = _first_miss(true, shot, off_mm, turned)
    if not stage:
        best = max((reading["p"] for reading in shot["readings"]), default=0.0)
        said = f"said {shot['verdict']} {','.join(shot['foul_codes'])} turn {shot['turn']}, "
        said += f"true {','.join(expect['foul_codes']) or 'legal'} turn {expect['turn']}"
        stage, figure = ("rules", said) if certain else ("doubt", f"best reading p {best:.3f}; " + _doubts(shot))
    return _row(name, game, number, state, stage, figure)


def _doubts(shot: Mapping[str, Any]) -> str:
    return ", ".join(sorted({doubt["kind"] for doubt in shot["doubts"]})) or "no doubt named"


def _first_miss(true: dict[str, Any], shot: dict[str, Any], off_mm: float, turned: bool) -> tuple[str, str]:
    if off_mm > _CORNER_MM:
        return "calibration", f"corner off by {off_mm:.1f} mm"
    names, problem = _names(true["before"], shot["before"], turned)
    if problem:
        return "layout", problem
    first = true["first_contact"] or "none"
    chances = {names.get(ball, ball): p for ball, p in shot["first_contact"].items()}
    likeliest = max(chances, key=lambda ball: chances[ball])
    if likeliest != first:
        return "contact", f"first ball {likeliest} p {chances[likeliest]:.3f}, true {first} p {chances.get(first, 0.0):.3f}"
    found = {(names.get(ball, ball), _TURNED[pocket] if turned else pocket) for ball, pocket in shot["pocketed"]}
    fallen = {(ball, pocket) for ball, pocket in true["pocketed"]}
    if found != fallen:
        return "pots", f"found {sorted(found)}, true {sorted(fallen)}"
    if (shot["rail_after_contact"] >= 0.5) != true["rail_after_contact"]:
        return "rail", f"rail after contact p {shot['rail_after_contact']:.3f}"
    return "", ""


def _names(true: Mapping[str, Any], found: Mapping[str, Any], turned: bool) -> tuple[dict[str, str], str]:
    """Found names to true ones, whites by place; and what is wrong with the layout, if anything."""
    sign = -1.0 if turned else 1.0
    names: dict[str, str] = {}
    worst, worst_ball = 0.0, ""
    for ball, (x, y) in found.items():
        place = (sign * x, sign * y)
        nearest = min(true, key=lambda name: math.dist(true[name], place))
        gap = 1000 * math.dist(true[nearest], place)
        names[ball] = nearest
        if gap > worst:
            worst, worst_ball = gap, ball
        if not ball.startswith("w") and nearest != ball:
            return names, f"{nearest} taken for {ball}" if gap < _LAYOUT_MM else f"{ball} off by {gap:.0f} mm"
    missing = sorted(set(true) - set(names.values()))
    if missing or len(found) != len(true):
        return names, f"{len(found)} balls of {len(true)}; missing {','.join(missing) or 'none'}"
    return names, f"{worst_ball} off by {worst:.1f} mm" if worst > _LAYOUT_MM else ""


def _corners_off_mm(true: Mapping[str, Any], found: Mapping[str, Any]) -> float:
    """The greatest distance of a found corner from the nearest true one, in millimetres at the table's scale."""
    scale = 1000 * true["length_m"] / math.dist(true["corners_px"]["head_left"], true["corners_px"]["foot_left"])
    return float(max(scale * min(math.dist(p, q) for q in true["corners_px"].values()) for p in found["corners_px"].values()))


def _is_turned(truth: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
    if result["table"].get("foot_known", True):
        return False
    corner = result["table"]["corners_px"]["head_left"]
    places = truth["table"]["corners_px"]
    return math.dist(corner, places["foot_right"]) < math.dist(corner, places["head_left"])


def ledger(rows: Sequence[Row]) -> str:
    """The accuracy ledger as a page."""
    lines = [
        "# Accuracy ledger",
        "",
        "Every ruling of `cueref review` on the committed sample videos, with their calls files, held against the truth files.",
        "Made by `python -m benchmarks.samples --write`; what the stages mean stands at the top of that file.",
        "",
        "| sample | game | shots | right | undecided | wrong | shots that never were |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row.sample for row in rows):
        mine = [row for row in rows if row.sample == name]
        count = {state: sum(row.state == state for row in mine) for state in ("right", "undecided", "wrong", "extra")}
        shots = sum(row.state != "extra" for row in mine)
        lines.append(
            f"| {name} | {mine[0].game} | {shots} | {count['right']} | {count['undecided']} | {count['wrong']} | {count['extra']} |"
        )
    lines += ["", "## Exceptions", "", "| sample | shot | what | stage | missed by |", "|---|---|---|---|---|"]
    lines += [f"| {row.sample} | {row.shot or '-'} | {row.state} | {row.stage} | {row.figure} |" for row in rows if row.state != "right"]
    if all(row.state == "right" for row in rows):
        lines.append("| none | | | | |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row a shot; 1 if any certain ruling is wrong."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--videos", type=Path, default=SAMPLES, help="folder of videos with truth files")
    parser.add_argument("--only", nargs="*", help="names of samples")
    parser.add_argument("--write", action="store_true", help="write docs/accuracy-ledger.md")
    given = parser.parse_args(arguments)
    rows: list[Row] = []
    for video in sorted(given.videos.glob("*.mp4")):
        if given.only and video.stem not in given.only:
            continue
        truth = json.loads(video.with_suffix(".json").read_text(encoding="utf-8"))
        try:
            mine = rows_of(video.stem, truth, review(video, truth["game"]))
        except RuntimeError as error:
            count = len(true_shots(truth))
            mine = [_row(video.stem, truth["game"], k + 1, "undecided", "calibration", str(error)) for k in range(count)]
        rows += mine
        for row in mine:
            sys.stdout.write(f"{row.sample:24} shot {row.shot}  {row.state:9} {row.stage:12} {row.figure}\n")
        sys.stdout.flush()
    if given.write:
        partial = LEDGER.with_suffix(".part")
        partial.write_text(ledger(rows), encoding="utf-8")
        partial.replace(LEDGER)
    return 1 if any(row.state == "wrong" for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
