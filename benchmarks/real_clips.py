"""Run `cueref review` on labelled clips and say what is right, wrong and undecided.

    python benchmarks/real_clips.py                         the TV clips of ../shared/real/tv-nine-ball
    python benchmarks/real_clips.py --clips DIR             any folder of clips labelled in the same way
    python benchmarks/real_clips.py --variants              one clip turned, shifted in hue and scaled as well
    python benchmarks/real_clips.py --rendered DIR          videos of `python -m sample_videos` with their truth files
    python benchmarks/real_clips.py --fouls                 ten rendered fouls, made first (kept in --cache)

A row a clip, then totals. Wrong and certain is the worst result and makes the exit code 1.

What counts (labels: ../shared/real/README.md)
- layout: every labelled ball found, named right and within 6 px of its labelled place before the strike.
- first: the likeliest key of `first_contact`.
- pots: the set of (ball, pocket) with p >= 0.5, pockets matched by their place in the picture.
- verdict: certain and right, certain and WRONG, or undecided. Right needs legal or foul, the codes and the turn to agree.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TV_CLIPS = ROOT.parent / "shared" / "real" / "tv-nine-ball"
LAYOUT_PX = 6.0
LAYOUT_MM = 3.0


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What is known of a clip with one shot.

    Attributes:
        layout_px: Ball to its place in the picture before the strike; empty where not known.
        layout_m: The same in metres (rendered videos only).
        first: Ball hit first, "none", or None where the strike is not in the recording.
        pots: (ball, (x, y) of the pocket in the picture).
        legal: True, False, or None where it must stay undecided.
        codes: Codes of the ruling where it is a foul.
        shooter_stays: Whether the shooter goes on.
    """

    layout_px: dict[str, tuple[float, float]]
    layout_m: dict[str, tuple[float, float]]
    first: str | None
    pots: list[tuple[str, tuple[float, float]]]
    legal: bool | None
    codes: set[str]
    shooter_stays: bool | None


@dataclass(frozen=True, kw_only=True)
class Row:
    """One clip compared with its truth; None where the truth does not say."""

    name: str
    layout: bool | None
    worst: str
    first: bool | None
    pots: bool
    verdict: str
    seconds: float
    length_s: float
    note: str

    def text(self) -> str:
        """The row of the table."""

        def mark(value: bool | None) -> str:
            return "-" if value is None else "yes" if value else "NO"

        return (
            f"{self.name:26} {mark(self.layout):7} {self.worst:>9} {mark(self.first):6} {mark(self.pots):5} {self.verdict:20}"
            f"{self.seconds:6.1f} /{self.length_s:5.1f}  {self.note}"
        )


def read_tv_truth(path: Path) -> Truth:
    """Truth of a labelled TV clip."""
    label = json.loads(path.read_text(encoding="utf-8"))
    pockets = label["table_px"]["pockets"]
    seen = label["strike_frame"] is not None
    ruling = label["nine_ball"]
    return Truth(
        layout_px={entry["ball"]: tuple(entry["px"]) for entry in label["before"] or []},
        layout_m={},
        first=(label["first_contact"] or "none") if seen else None,
        pots=[(ball, tuple(pockets[pocket])) for ball, pocket in label["pocketed"]],
        legal=ruling["legal"] if isinstance(ruling["legal"], bool) else None,
        codes=set(),
        shooter_stays=ruling["shooter_continues"] if isinstance(ruling["shooter_continues"], bool) else None,
    )


def read_rendered_truth(path: Path) -> Truth:
    """Truth of a rendered video."""
    label = json.loads(path.read_text(encoding="utf-8"))
    pockets = label["table"]["pockets_px"]
    ruling = label["nine_ball"]
    return Truth(
        layout_px={},
        layout_m={ball: tuple(place) for ball, place in label["before"].items()},
        first=label["first_contact"] or "none",
        pots=[(ball, tuple(pockets[pocket])) for ball, pocket in label["pocketed"]],
        legal=ruling["verdict"] == "legal",
        codes=set(ruling["foul_codes"]),
        shooter_stays=ruling["turn"] == "A",
    )


def review(video: Path, folder: Path) -> tuple[dict[str, Any], float]:
    """The review object of a video, and the seconds it took.

    Raises:
        RuntimeError: If the command fails; the message is its last line.
    """
    command = [
        sys.executable,
        "-c",
        "from referee.cli import run; run()",
        "review",
        str(video),
        "--game",
        "nine-ball",
        "-o",
        str(folder),
        "--json",
    ]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    seconds = time.perf_counter() - start
    if done.returncode > 1 or not done.stdout.strip():
        raise RuntimeError((done.stderr.strip() or "no output").splitlines()[-1])
    return json.loads(done.stdout), seconds


def compare(name: str, truth: Truth, result: dict[str, Any], seconds: float, length_s: float) -> Row:
    """One row: the shot of the review that has most to say, held against the truth."""
    shots = result["shots"]
    if not shots:
        return Row(
            name=name,
            layout=False,
            worst="",
            first=False,
            pots=not truth.pots,
            verdict="undecided",
            seconds=seconds,
            length_s=length_s,
            note="no shot found",
        )
    shot = shots[0]
    layout, worst = _compare_layout(truth, shot, result["table"].get("foot_known", True))
    likeliest = max(shot["first_contact"], key=shot["first_contact"].get)
    pockets = result["table"]["pockets_px"]
    found = {(ball, pocket) for ball, pocket in shot["pocketed"]}
    true = {(ball, min(pockets, key=lambda name, place=place: math.dist(pockets[name], place))) for ball, place in truth.pots}
    note = "" if len(shots) == 1 else f"{len(shots)} shots"
    if shot["doubts"]:
        note += " doubts: " + ", ".join(sorted({doubt["kind"] for doubt in shot["doubts"]}))
    return Row(
        name=name,
        layout=layout,
        worst=worst,
        first=None if truth.first is None else likeliest == truth.first,
        pots=found == true,
        verdict=_compare_verdict(truth, shot),
        seconds=seconds,
        length_s=length_s,
        note=note,
    )


def _compare_layout(truth: Truth, shot: dict[str, Any], foot_known: bool) -> tuple[bool | None, str]:
    if truth.layout_px:
        return _distances(truth.layout_px, shot["before_px"], LAYOUT_PX, "px")
    if truth.layout_m:
        scaled = {ball: (1000 * x, 1000 * y) for ball, (x, y) in shot["before"].items()}
        true = {ball: (1000 * x, 1000 * y) for ball, (x, y) in truth.layout_m.items()}
        straight = _distances(true, scaled, LAYOUT_MM, "mm")
        turned = _distances(true, {ball: (-x, -y) for ball, (x, y) in scaled.items()}, LAYOUT_MM, "mm")
        return turned if not foot_known and turned[0] else straight
    return None, ""


def _distances(true: dict[str, Any], found: dict[str, Any], limit: float, unit: str) -> tuple[bool, str]:
    missing = sorted(set(true) - set(found))
    extra = sorted(set(found) - set(true))
    if missing or extra:
        return False, ("-" + ",".join(missing) if missing else "") + ("+" + ",".join(extra) if extra else "")
    worst = max(math.dist(true[ball], found[ball]) for ball in true)
    return worst <= limit, f"{worst:.1f} {unit}"


def _compare_verdict(truth: Truth, shot: dict[str, Any]) -> str:
    if shot["verdict"] == "undecided":
        return "undecided"
    if truth.legal is None:
        return "certain, WRONG"
    right = (shot["verdict"] == "legal") == truth.legal and set(shot["foul_codes"]) == truth.codes
    if truth.shooter_stays is not None:
        right = right and (shot["turn"] in ("A", "none")) == truth.shooter_stays
    return "certain, right" if right else "certain, WRONG"


def video_length_s(path: Path) -> float:
    """Length by the container, seconds."""
    import cv2

    video = cv2.VideoCapture(str(path))
    try:
        return float(video.get(cv2.CAP_PROP_FRAME_COUNT) / max(video.get(cv2.CAP_PROP_FPS), 1e-6))
    finally:
        video.release()


def make_variant(source: Path, target: Path) -> None:
    """The same video turned by 180 degrees, hue shifted by 15 (OpenCV's scale of 180) and scaled to 1280x720."""
    import av
    import cv2
    import numpy as np

    reader = cv2.VideoCapture(str(source))
    with av.open(str(target), "w") as container:
        stream = container.add_stream("libx264", rate=25, options={"preset": "veryfast", "crf": "18"})
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        while True:
            ok, image = reader.read()
            if not ok:
                break
            small = cv2.resize(cv2.rotate(image, cv2.ROTATE_180), (1280, 720), interpolation=cv2.INTER_AREA)
            hsv = cv2.cvtColor(small, cv2.COLOR_BGR2HSV)
            hsv[..., 0] = (hsv[..., 0].astype(np.int16) + 15) % 180
            frame = av.VideoFrame.from_ndarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), format="bgr24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    reader.release()


def turned(truth: Truth, width: int, height: int) -> Truth:
    """The truth of a clip after `make_variant`, its picture having been (width, height)."""

    def place(px: tuple[float, float]) -> tuple[float, float]:
        x, y = width - 1 - px[0], height - 1 - px[1]
        return (x + 0.5) * 1280 / width - 0.5, (y + 0.5) * 720 / height - 0.5

    return Truth(
        layout_px={ball: place(px) for ball, px in truth.layout_px.items()},
        layout_m={},
        first=truth.first,
        pots=[(ball, place(px)) for ball, px in truth.pots],
        legal=truth.legal,
        codes=truth.codes,
        shooter_stays=truth.shooter_stays,
    )


def clips(arguments: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, Path, Truth]]:
    """The clips asked for: name, video, truth."""
    if arguments.fouls:
        folder = arguments.cache / "fouls" if arguments.cache else scratch / "fouls"
        if not list(folder.glob("*.mp4")):
            subprocess.run([sys.executable, "-m", "sample_videos", "fouls", "-o", str(folder)], check=True, cwd=ROOT)
        arguments.rendered = [*arguments.rendered, folder]
    for folder in arguments.rendered:
        for video in sorted(path for path in folder.glob("*.mp4") if path.with_suffix(".json").exists()):
            yield f"{video.stem}", video, read_rendered_truth(video.with_suffix(".json"))
    if arguments.rendered and not arguments.clips:
        return
    folder = arguments.clips or TV_CLIPS
    if not folder.is_dir():
        sys.stderr.write(f"{folder} is missing; give a folder of labelled clips with --clips\n")
        return
    for video in sorted(folder.glob("*.mp4"), key=lambda path: (len(path.stem), path.stem)):
        if arguments.only and video.stem not in arguments.only:
            continue
        truth = read_tv_truth(video.with_suffix(".json"))
        yield video.stem, video, truth
        if arguments.variants:
            variant = (arguments.cache or scratch) / f"{video.stem}-turned.mp4"
            if not variant.exists():
                make_variant(video, variant)
            yield variant.stem, variant, turned(truth, 1920, 1080)


def main() -> int:
    """Compare and print; 1 when anything is certain and wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=Path, help="folder of clips labelled as in ../shared/real/tv-nine-ball")
    parser.add_argument("--rendered", type=Path, action="append", default=[], help="folder of rendered videos with truth files")
    parser.add_argument("--fouls", action="store_true", help="render ten fouls and run them")
    parser.add_argument("--variants", action="store_true", help="run each clip turned, hue-shifted and scaled as well")
    parser.add_argument("--only", nargs="*", help="clips to run, by name without ending")
    parser.add_argument("--cache", type=Path, help="folder that keeps what is made on the way")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.cache:
            arguments.cache.mkdir(parents=True, exist_ok=True)
        print(f"{'clip':26} {'layout':7} {'worst':>9} {'first':6} {'pots':5} {'verdict':20}{'s':>6} /{'video':>5}")
        for name, video, truth in clips(arguments, Path(scratch)):
            folder = (arguments.cache or Path(scratch)) / "reviews" / name
            try:
                result, seconds = review(video, folder)
                row = compare(name, truth, result, seconds, video_length_s(video))
            except RuntimeError as error:
                row = Row(
                    name=name, layout=False, worst="", first=False, pots=False, verdict="failed", seconds=0, length_s=0, note=str(error)
                )
            rows.append(row)
            print(row.text(), flush=True)
    print(totals(rows))
    return 1 if any("WRONG" in row.verdict for row in rows) else 0


def totals(rows: list[Row]) -> str:
    """The last lines: counts of right, and of certain and right, undecided, certain and wrong."""

    def share(values: list[bool | None]) -> str:
        known = [value for value in values if value is not None]
        return f"{sum(known)} of {len(known)}"

    verdicts = [row.verdict for row in rows]
    return (
        f"\nlayouts {share([row.layout for row in rows])}, first ball {share([row.first for row in rows])}, "
        f"pocketed {share([row.pots for row in rows])}\n"
        f"verdicts: {verdicts.count('certain, right')} certain and right, {verdicts.count('undecided')} undecided, "
        f"{verdicts.count('certain, WRONG')} certain and wrong, {verdicts.count('failed')} failed, of {len(rows)}"
    )


if __name__ == "__main__":
    sys.exit(main())
