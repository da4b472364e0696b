"""How well balls are found, placed and named: recall, precision, centre error, names.

Usage: python benchmarks/detector.py [FOLDER ...] [--rendered N] [--table FILE] [--network]

A FOLDER holds clip labels (`clipN.json` with `before`/`after` layouts) or `labels.json` (pictures with centres; where it
does not state the table's size, as `cueref detect --no-table` sees them); of two folders without label files the balls are
written down here. Default: all of these beside the checkout, `../shared/real`. `--rendered N` adds N pictures made by the
project's renderer. Tables are calibrated from each picture itself unless `--table` gives one. A folder that is missing is
skipped with a reason. `--network` judges what the network says by itself, before foreground and outlines (scores from 0.3
on), and what it holds to be covered.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.automatic import calibrate_image
from calibration.calibration import Calibration, read_calibration
from calibration.equipment import BallSet, TableSpec, find_ball_set, find_table
from sample_videos.training import training_views
from vision.ball_size import with_ball_size
from vision.capture import open_video
from vision.detection import Detection
from vision.eyes import VIEW_RADIUS_PX, Eyes
from vision.frame import Frame
from vision.identify import best_names
from vision.network import Network
from vision.rectify import TopView
from vision.untabled import Untabled

SHARED = Path(__file__).resolve().parents[2] / "shared" / "real"
DEFAULT = ("tv-nine-ball", "overhead-snooker-balls", "small-snooker", "home-8ft", "garage-8ball")
NEAR_RADII = 0.6
"""A detection this near to a marked centre is that ball; hand marks err by 0.05."""
HAND_PX = 0.5
"""Standard deviation of marks made by hand, pixels an axis (the folders' README)."""
FINE_MM = 1.65
"""Millimetres a pixel of a 9 ft table that fills four fifths of a picture 1920 wide."""
AT_REST_M = 0.0004
"""Way during the exposure up to which a ball rests; centre errors are of those that rest and are nine tenths visible."""
UNSURE_OF_CENTRE = 3.0
"""Centres read off by eye, to a third of a ball: nearness counts, distance is not measured."""
MISSED_BY_LABELS = {"small-snooker": {"IMG_3406.jpg": ((757.0, 882.0),)}}
"""Balls that the labels lack (the folder's README names them)."""
HOME = {
    "empty_table.jpg": {},
    "table_w_balls.jpg": {
        "13": (830, 155), "11": (565, 209), "9": (770, 266), "5": (737, 302), "cue": (768, 343),
        "10": (733, 356), "7": (431, 373), "14": (754, 409), "4": (1069, 432), "6": (518, 493),
    },
}  # fmt: skip
GRID = ("13", "15", "6", "1", "12", "4", "5", "8", "10", "3", "9", "11", "7", "2", "cue", "14")
"""Balls of `home-8ft/grid_4k.jpg` row by row; no table is in that picture, so it is seen without one."""
GARAGE = {
    "broken_topdown_1.jpg": (
        (297, 160), (207, 192), (371, 187), (279, 240), (153, 284), (342, 280), (460, 298), (398, 357),
        (370, 389), (281, 440), (335, 546), (212, 592), (176, 629), (459, 621), (385, 688), (334, 763),
    ),
    "unbroken_topdown_b.jpg": (
        (228, 184), (320, 614), (311, 630), (328, 628), (302, 642), (319, 642), (335, 643), (294, 656), (310, 657),
        (326, 659), (342, 659), (286, 669), (302, 670), (317, 671), (333, 673), (349, 672),
    ),
}  # fmt: skip
"""Centres in `garage-8ball`, 4080 pixels reduced to 900."""
GARAGE_SCALE = 4080 / 900


@dataclass
class Case:
    """One labelled picture."""

    name: str
    image: np.ndarray
    calibration: Calibration | None
    balls: BallSet
    truth_px: np.ndarray
    names: list[str | None]
    optional: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))
    covered: np.ndarray | None = None
    still: np.ndarray | None = None
    radius_px: float = 0.0
    near_radii: float = NEAR_RADII


@dataclass
class Tally:
    """Counts over pictures."""

    pictures: int = 0
    wanted: int = 0
    found: int = 0
    invented: int = 0
    clean: int = 0
    named: int = 0
    right: int = 0
    errors_mm: list[float] = field(default_factory=list)
    errors_px: list[float] = field(default_factory=list)
    errors_fine_mm: list[float] = field(default_factory=list)
    sigmas: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    still: list[bool] = field(default_factory=list)
    moving: list[bool] = field(default_factory=list)
    still_names: list[bool] = field(default_factory=list)
    both: int = 0
    either: int = 0


NETWORK_LEAST = 0.3


def judge(case: Case, tally: Tally, least_score: float) -> None:
    """Look at one picture and compare."""
    frame = Frame(index=0, time_s=0.0, image=case.image)
    seen = Untabled(case.balls).look(case.image) if case.calibration is None else Eyes(case.calibration, case.balls).look(frame)
    if not seen.usable:
        tally.notes.append(f"{case.name}: not usable: {seen.why}")
    if case.covered is not None and seen.occluded is not None and case.calibration is not None:
        rows, columns = seen.occluded.shape
        spec = case.calibration.spec
        x, y = np.meshgrid((np.arange(columns) + 0.5) / columns - 0.5, 0.5 - (np.arange(rows) + 0.5) / rows)
        places = np.column_stack([x.ravel() * spec.length_m, y.ravel() * spec.width_m])
        px = np.rint(case.calibration.camera.to_pixels(places, height_m=spec.ball_radius_m)).astype(int)
        inside = (px >= 0).all(1) & (px < (case.image.shape[1], case.image.shape[0])).all(1)
        _overlap(tally, case.covered[px[inside, 1], px[inside, 0]] > 0, seen.occluded.ravel()[inside])
    compare(case, tally, [one for one in seen.detections if one.score >= least_score])


def judge_network(case: Case, tally: Tally, network: Network) -> None:
    """The network by itself, on the bed; nothing without a table."""
    if case.calibration is None:
        return
    view = TopView(case.calibration, ball_radius_px=VIEW_RADIUS_PX)
    sight = network.look(view.view(case.image), VIEW_RADIUS_PX)
    spec = case.calibration.spec
    places = view.to_table(sight.centres_px)
    sure = (sight.scores >= NETWORK_LEAST) & (np.abs(places) < (spec.length_m / 2, spec.width_m / 2)).all(axis=1)
    pixels = case.calibration.camera.to_pixels(places[sure], height_m=spec.ball_radius_m)
    detections = [
        Detection(position_m=(float(x), float(y)), sigma_m=0.1 * spec.ball_radius_m, score=float(score), px=(float(u), float(v)))
        for (x, y), (u, v), score in zip(places[sure], pixels, sight.scores[sure], strict=True)
    ]
    if case.covered is not None:
        truth = view.view(np.repeat((case.covered > 0).astype(np.uint8)[..., None] * 255, 3, axis=2))[..., 0] > 127
        _overlap(tally, truth, sight.covered > 0.5)
    compare(Case(**{**vars(case), "names": [None] * len(case.names)}), tally, detections)


def _overlap(tally: Tally, truth: np.ndarray, said: np.ndarray) -> None:
    tally.both += int((truth & said).sum())
    tally.either += int((truth | said).sum())


def compare(case: Case, tally: Tally, detections: list[Detection]) -> None:
    """Compare one picture's detections with its labels."""
    table = case.calibration
    radius = table.spec.ball_radius_m if table else case.radius_px
    truth = table.camera.to_table(case.truth_px, height_m=radius) if table else case.truth_px
    places = np.array([one.position_m for one in detections]).reshape(-1, 2)
    known = bool(case.balls.balls) and all(one.likelihood for one in detections)
    names = best_names([one.likelihood for one in detections], case.balls.balls) if known else [None] * len(detections)
    optional = case.optional if len(case.optional) else np.zeros(len(truth), dtype=bool)
    used: set[int] = set()
    tally.pictures += 1
    still = np.ones(len(truth), dtype=bool) if case.still is None else case.still
    for px, place, name, free, rests in zip(case.truth_px, truth, case.names, optional, still, strict=True):
        distance = np.hypot(*(places - place).T) if len(places) else np.array([np.inf])
        index = int(distance.argmin())
        hit = bool(distance[index] < case.near_radii * radius)
        if hit:
            used.add(index)
        if free:
            continue
        tally.wanted += 1
        if case.still is not None:
            (tally.still if rests else tally.moving).append(hit)
        if not hit:
            tally.notes.append(f"{case.name}: missed {name or 'a ball'} at {np.round(px).tolist()}")
            continue
        tally.found += 1
        one = detections[index]
        if rests and one.streak_m is None and one.px is not None and case.near_radii == NEAR_RADII:
            tally.errors_px.append(float(np.hypot(*(np.array(one.px) - px))))
            if table is not None and table.spec.metric:
                tally.errors_mm.append(1000 * float(distance[index]))
                if tally.errors_mm[-1] <= FINE_MM * max(tally.errors_px[-1], 1e-3):
                    tally.errors_fine_mm.append(tally.errors_mm[-1])
                marks_m = HAND_PX * float(distance[index]) / max(tally.errors_px[-1], 1e-3) if case.still is None else 0.0
                tally.sigmas.append(float(distance[index]) / float(np.hypot(one.sigma_m, marks_m)))
        if name is not None:
            tally.named += 1
            tally.right += names[index] == name
            if case.still is not None and rests:
                tally.still_names.append(names[index] == name)
            if names[index] != name:
                tally.notes.append(f"{case.name}: {name} called {names[index]}")
    invented = [index for index in range(len(detections)) if index not in used]
    tally.invented += len(invented)
    tally.clean += not invented
    for index in invented:
        one = detections[index]
        tally.notes.append(f"{case.name}: invented {names[index]} at {_round(one)} score {one.score:.2f}")


def _round(one: Detection) -> list[int]:
    return [round(v) for v in one.px] if one.px else []


def clip_cases(folder: Path, table: Calibration | None) -> Iterator[Case]:
    """Layouts before and after each labelled clip."""
    for path in sorted(folder.glob("clip*.json")):
        label = json.loads(path.read_text(encoding="utf-8"))
        wanted = {label.get(f"{when}_frame"): when for when in ("before", "after")}
        for frame in open_video(folder / label["clip"]):
            when = wanted.get(frame.index)
            if when is None or not label.get(when):
                continue
            calibration = table or _calibrated(frame.image, find_table("wpa-9ft"), path.name)
            if calibration is not None:
                yield _case(f"{path.stem} {when}", frame.image, calibration, "nine", label[when], 0.0)


def picture_cases(folder: Path, table: Calibration | None) -> Iterator[Case]:
    """Pictures of a `labels.json`."""
    label = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    size = label.get("playing_surface_mm")
    if size is None:
        yield from untabled_cases(folder, label)
        return
    spec = TableSpec(name="custom", length_m=size[0] / 1000, width_m=size[1] / 1000, ball_diameter_m=label["ball_diameter_mm"] / 1000)
    for entry in label["images"]:
        image = np.asarray(cv2.imread(str(folder / entry["image"])), dtype=np.uint8)
        calibration = table or _calibrated(image, spec, entry["image"])
        if calibration is not None:
            yield _case(entry["image"], image, calibration, "any", entry["balls"], 0.5)


def untabled_cases(folder: Path, label: dict[str, Any]) -> Iterator[Case]:
    """Pictures with boxes, of tables whose size is not known, as `cueref detect --no-table` sees them."""
    more = MISSED_BY_LABELS.get(folder.name, {})
    for entry in label["images"]:
        image = np.asarray(cv2.imread(str(folder / entry["image"])), dtype=np.uint8)
        radius = float(np.median([min(mark["box_px"]) for mark in entry["balls"]])) / 2
        marks = entry["balls"] + [{"px": px} for px in more.get(entry["image"], ())]
        case = _case(entry["image"], image, None, "any", [{"px": mark["px"]} for mark in marks], 0.5)
        case.radius_px = radius
        yield case


def home_cases(folder: Path, table: Calibration | None) -> Iterator[Case]:
    """An 8 ft table, empty and with balls, and sixteen balls in a grid without a table."""
    for name, balls in HOME.items():
        image = np.asarray(cv2.imread(str(folder / name)), dtype=np.uint8)
        calibration = table or _calibrated(image, find_table("home-8ft"), name)
        if calibration is not None:
            yield _case(name, image, calibration, "pool", [{"ball": ball, "px": px} for ball, px in balls.items()], 0.0)
    image = np.asarray(cv2.imread(str(folder / "grid_4k.jpg")), dtype=np.uint8)
    across, down = image.shape[1] / 4, image.shape[0] / 4
    seen = Untabled(find_ball_set("any")).look(image)
    rows = sorted((one.px for one in seen.detections if one.px), key=lambda px: px[1])
    ordered = [px for first in range(0, len(rows), 4) for px in sorted(rows[first : first + 4])]
    if len(ordered) == len(GRID):
        marks = [{"ball": ball, "px": px} for ball, px in zip(GRID, ordered, strict=True)]
        case = _case("grid_4k.jpg", image, None, "pool", marks, 0.0)
        case.radius_px, case.near_radii = min(across, down) / 4, UNSURE_OF_CENTRE
        yield case
    else:
        sys.stderr.write(f"grid_4k.jpg: skipped: {len(ordered)} balls found, not sixteen, so names cannot be laid beside them\n")


def garage_cases(folder: Path, table: Calibration | None) -> Iterator[Case]:
    """Two pictures of a table of which only the proportion is known."""
    spec = TableSpec(name="custom", length_m=1.0, width_m=0.5, ball_diameter_m=0.05715 / 1.1684 / 2, metric=False)
    for name, marks in GARAGE.items():
        image = np.asarray(cv2.imread(str(folder / name)), dtype=np.uint8)
        calibration = table or _calibrated(image, spec, name)
        if calibration is not None:
            pixels = [{"px": ((x + 0.5) * GARAGE_SCALE - 0.5, (y + 0.5) * GARAGE_SCALE - 0.5)} for x, y in marks]
            case = _case(name, image, with_ball_size(calibration, image), "any", pixels, 0.0)
            case.near_radii = 0.9
            yield case


def rendered_cases(count: int, seed: int) -> Iterator[Case]:
    """Pictures of the project's renderer; balls less than half visible and in pockets count neither way."""
    made = 0
    while made < count:
        for index, view in enumerate(training_views(np.random.default_rng(seed + made), layouts=4)):
            names = [ball.ball for ball in view.balls]
            free = np.array([ball.visible < 0.5 or not ball.on_bed for ball in view.balls], dtype=bool)
            still = np.array([ball.visible > 0.9 and np.hypot(*np.subtract(*ball.streak_m)) < AT_REST_M for ball in view.balls], dtype=bool)
            balls = find_ball_set("pool" if any(int(n) > 9 for n in names if n != "cue") else "nine")
            pixels = np.array([ball.px for ball in view.balls]).reshape(-1, 2)
            name = f"rendered {seed + made} {index}"
            yield Case(name, view.image, view.calibration, balls, pixels, list(names), free, covered=view.covered, still=still)
        made += 4


def _case(name: str, image: np.ndarray, calibration: Calibration | None, balls: str, marks: list[dict[str, Any]], corner: float) -> Case:
    pixels = np.array([mark["px"] for mark in marks], dtype=np.float64).reshape(-1, 2) - corner
    return Case(name, image, calibration, find_ball_set(balls), pixels, [mark.get("ball") for mark in marks])


def _calibrated(image: np.ndarray, spec: TableSpec, name: str) -> Calibration | None:
    found = calibrate_image(image, spec)
    if isinstance(found, Calibration):
        return found
    sys.stderr.write(f"{name}: skipped: {found.reason}\n")
    return None


def report(title: str, tally: Tally, *, notes: bool) -> None:
    """One row, and what went wrong."""
    if not tally.pictures:
        return
    said = tally.found + tally.invented
    out = [
        f"{title}: {tally.pictures} pictures, found {tally.found} of {tally.wanted} (recall {_share(tally.found, tally.wanted)}), "
        f"invented {tally.invented} (precision {_share(tally.found, said)}), nothing invented in {tally.clean} of them, "
        f"names right {tally.right} of {tally.named}"
    ]
    if tally.still or tally.moving:
        parts = ((title, hits) for title, hits in (("whole and at rest", tally.still), ("moving or partly hidden", tally.moving)) if hits)
        told = ", ".join(f"{title} found {sum(hits)} of {len(hits)}" for title, hits in parts)
        out.append(f"  {told}; names at rest right {sum(tally.still_names)} of {len(tally.still_names)}")
    for unit, errors in (("px", tally.errors_px), ("mm", tally.errors_mm), ("mm at 1.65 mm a pixel or finer", tally.errors_fine_mm)):
        if errors:
            out.append(
                f"  centre error {unit} median {np.median(errors):.2f}, 95 % {np.percentile(errors, 95):.2f}, largest {max(errors):.2f}"
            )
    if tally.sigmas:
        # The length of a two-dimensional normal error has its median at 1.18 standard deviations an axis, 95 % below 2.45.
        ratios = np.array(tally.sigmas)
        out.append(
            f"  errors over stated sigma (marks' own error added) against what they should be: median {np.median(ratios) / 1.177:.2f}, "
            f"95 % {np.percentile(ratios, 95) / 2.448:.2f} times"
        )
    if tally.either:
        out.append(f"  covered: what is and what is said to be overlap by {100 * tally.both / tally.either:.0f} % of both together")
    sys.stdout.write("\n".join(out + ([f"    {note}" for note in tally.notes] if notes else [])) + "\n")
    sys.stdout.flush()


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def main() -> None:
    """Print a row a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--rendered", type=int, default=0)
    parser.add_argument("--seed", type=int, default=50_000)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--least-score", type=float, default=0.5)
    parser.add_argument("--notes", action="store_true", help="list every miss, invention and wrong name")
    parser.add_argument("--network", action="store_true", help="judge the network by itself")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    network = Network() if options.network else None

    def judge_one(case: Case, tally: Tally) -> None:
        if network is None:
            judge(case, tally, options.least_score)
        else:
            judge_network(case, tally, network)

    table = read_calibration(options.table) if options.table else None
    default = [] if options.rendered else [SHARED / name for name in DEFAULT]
    by_name = {"home-8ft": home_cases, "garage-8ball": garage_cases}
    for folder in options.folders or default:
        if not folder.is_dir():
            sys.stderr.write(f"{folder}: skipped: no such folder\n")
            continue
        tally = Tally()
        cases = by_name.get(folder.name) or (picture_cases if (folder / "labels.json").is_file() else clip_cases)
        for case in cases(folder, table):
            judge_one(case, tally)
        report(folder.name, tally, notes=options.notes)
    if options.rendered:
        tally = Tally()
        for case in rendered_cases(options.rendered, options.seed):
            judge_one(case, tally)
        report("rendered", tally, notes=options.notes)


if __name__ == "__main__":
    main()
