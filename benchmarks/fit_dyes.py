"""Fit how the dyes of pool balls look (vision/models/dyes.json) to rendered tables, or check the names on others.

    python benchmarks/fit_dyes.py [--tables N] [--seed S]             fit and write
    python benchmarks/fit_dyes.py --check [--tables N] [--seed S]     names right, and whether probabilities are honest

Every table has a set of balls of its own: one of several makes, each dye moved in hue, saturation and brightness, more
than makers differ; another cloth, lamp, camera; and each table is read a second time with the colours of another lamp
and exposure laid over the picture. Real pictures take no part. A row a table is kept in --cache, for it takes 3 s.

Fit: factor analysis by expectation and maximisation (Ghahramani & Hinton 1996) of the dyes' mean colours per table,
with dyes missing where no ball of theirs was seen; what is left, and the scatter within a table, become the covariance.
"""

import argparse
import colorsys
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.equipment import find_ball_set
from sample_videos.looks import BallLook, draw_balls, from_srgb
from sample_videos.training import TrainingView, training_views
from tracker.identity import COUNT_LIMIT
from vision.cloth import ClothLearner
from vision.eyes import VIEW_RADIUS_PX
from vision.identify import Namer, assign_names
from vision.looks import Looks, judge_looks, sample_discs
from vision.outline import OutlineFitter
from vision.rectify import TopView

TARGET = Path(__file__).resolve().parents[1] / "vision" / "models" / "dyes.json"
FACTORS = 3
LAYOUTS = 5
DYES = {
    "yellow": [(238, 186, 20), (250, 180, 10)],
    "blue": [(20, 50, 150), (15, 60, 170), (25, 75, 175)],
    "red": [(205, 25, 30), (225, 15, 40)],
    "purple": [(75, 30, 115), (95, 45, 125), (85, 45, 130)],
    "orange": [(235, 95, 15), (245, 125, 30), (245, 110, 30)],
    "green": [(10, 95, 60), (5, 85, 65), (25, 115, 60)],
    "maroon": [(115, 25, 30), (130, 40, 35)],
    "pink": [(240, 90, 150), (235, 85, 140)],
    "orangered": [(250, 80, 30)],
    "brown": [(150, 75, 30), (165, 95, 45), (190, 130, 75)],
}
"""Display colours of each dye by several makers under white light."""
MAKES = (
    ("yellow", "blue", "red", "purple", "orange", "green", "maroon"),
    ("yellow", "blue", "red", "pink", "orangered", "green", "brown"),
    ("yellow", "blue", "red", "purple", "orange", "green", "maroon"),
    ("yellow", "blue", "red", "pink", "orange", "green", "brown"),
    ("yellow", "blue", "red", "pink", "purple", "green", "brown"),
)
HUE, SATURATION, BRIGHTNESS = 0.014, 0.05, 0.07
"""Standard deviations of a dye between sets: hue in turns (5 degrees), the others as shares."""
WARMTH, TINT, EXPOSURE = 0.09, 0.04, 0.08
"""Standard deviations of the second reading's lamp: logarithms of the channels' gains."""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """One picture of one table: looks and names of its balls, and the dye of each (empty: white or black)."""

    looks: list[Looks]
    names: list[str]
    dyes: list[str]


def draw_set(rng: np.random.Generator) -> tuple[dict[str, BallLook], tuple[str, ...]]:
    """Balls of a set of its own, and the dyes of 1 to 7."""
    make = MAKES[int(rng.integers(len(MAKES)))]
    balls = draw_balls(rng)
    saturation, brightness = rng.uniform(0.85, 1.15), rng.uniform(0.82, 1.2)
    for number, dye in enumerate(make, start=1):
        shades = DYES[dye]
        hue, depth, value = colorsys.rgb_to_hsv(*(c / 255 for c in shades[int(rng.integers(len(shades)))]))
        hue += rng.normal(0, HUE)
        depth = min(depth * saturation * rng.normal(1, SATURATION), 1.0)
        value = min(value * brightness * rng.normal(1, BRIGHTNESS), 1.0)
        for ball in (number, number + 8):
            red, green, blue = colorsys.hsv_to_rgb(hue % 1.0, depth, value * (rng.normal(1, 0.03) if ball > 8 else 1.0))
            old = balls[str(ball)]
            colour = from_srgb(*np.clip(np.array([red, green, blue]) * 255, 0, 255))
            balls[str(ball)] = BallLook(colour=colour, stripe=old.stripe, number=old.number, disc=old.disc)
    return balls, make


def read_table(seed: int) -> list[list[Picture]]:
    """A table's pictures, read as rendered and under another lamp."""
    rng = np.random.default_rng([seed, 7])
    balls, make = draw_set(rng)
    warm, tint, exposure = rng.normal(0, (WARMTH, TINT, EXPOSURE))
    lamp = np.exp(np.array([-warm + tint / 2, -tint, warm + tint / 2]) + exposure)
    readings: list[list[Picture]] = [[], []]
    for view in training_views(np.random.default_rng(seed), layouts=LAYOUTS, balls=balls):
        seen = _discs(view, rng)
        if seen is None:
            continue
        discs, light, names = seen
        dyes = ["" if n in ("cue", "8") else make[(int(n) - 1) % 8] for n in names]
        for reading, gain in zip(readings, (np.ones(3), lamp), strict=True):
            lit = np.clip(discs * gain, 0, 255).astype(np.uint8)
            reading.append(Picture(looks=judge_looks(lit, light), names=names, dyes=dyes))
    return readings


def _discs(view: TrainingView, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, list[str]] | None:
    """Discs, light and names of the balls that are on the bed, hardly covered and not smeared."""
    radius = view.calibration.spec.ball_radius_m
    balls = [b for b in view.balls if b.on_bed and b.visible > 0.75 and np.hypot(*np.subtract(*b.streak_m)) < 0.5 * radius]
    if not balls:
        return None
    centres = np.array([(b.x_m, b.y_m) for b in balls]) + rng.normal(0, 0.03 * radius, (len(balls), 2))
    top = TopView(view.calibration, ball_radius_px=VIEW_RADIUS_PX)
    above = top.view(view.image)
    cloth = ClothLearner(top, view.calibration.table).learn(above, np.zeros(above.shape[:2], dtype=bool))
    places = np.clip(np.rint(top.to_view(centres)).astype(int), 0, np.array(cloth.colour.shape[1::-1]) - 1)
    light = np.linalg.norm(cloth.colour[places[:, 1], places[:, 0]], axis=1) / max(float(np.linalg.norm(cloth.usual)), 1.0)
    fitter = OutlineFitter(view.calibration.camera, radius)
    return sample_discs(view.image, centres, fitter), light, [b.ball for b in balls]


def table_colours(tables: Sequence[list[Picture]]) -> tuple[np.ndarray, np.ndarray]:
    """Median colour of each dye on each table, (T, D, 3) with NaN where unseen, and the scatter within tables, (D, 3, 3)."""
    means = np.full((len(tables), len(DYES), 3), np.nan)
    within: dict[int, list[np.ndarray]] = defaultdict(list)
    for row, pictures in enumerate(tables):
        seen: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
        for picture in pictures:
            for one, dye in zip(picture.looks, picture.dyes, strict=True):
                if dye and one.coloured > 0.15:
                    seen[dye].append(one.lab)
        for dye, labs in seen.items():
            column = list(DYES).index(dye)
            means[row, column] = np.median(labs, axis=0)
            if len(labs) > 1:
                within[column].append(np.cov(np.array(labs).T))
    return means, np.array([np.mean(within[column], axis=0) for column in range(len(DYES))])


def factor_analysis(colours: np.ndarray, rounds: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Middles (D, 3), answers to the light (D, 3, K) and covariances of the rest (D, 3, 3)."""
    tables, dyes, _ = colours.shape
    seen = ~np.isnan(colours[..., 0])
    middle = np.nanmean(colours, axis=0)
    answer = np.random.default_rng(0).normal(0, 3, (dyes, 3, FACTORS))
    rest = np.stack([np.cov(colours[seen[:, d], d].T) for d in range(dyes)])
    for _ in range(rounds):
        light, square = np.zeros((tables, FACTORS)), np.zeros((tables, FACTORS, FACTORS))
        told = np.einsum("dik,dij->dkj", answer, np.linalg.inv(rest))
        for t in range(tables):
            own = np.flatnonzero(seen[t])
            spread = np.linalg.inv(np.eye(FACTORS) + np.einsum("dkj,djl->kl", told[own], answer[own]))
            light[t] = spread @ np.einsum("dkj,dj->k", told[own], colours[t, own] - middle[own])
            square[t] = spread + np.outer(light[t], light[t])
        for d in range(dyes):
            rows = seen[:, d]
            middle[d] = (colours[rows, d] - light[rows] @ answer[d].T).mean(axis=0)
            away = colours[rows, d] - middle[d]
            answer[d] = away.T @ light[rows] @ np.linalg.inv(square[rows].sum(axis=0) + 0.1 * np.eye(FACTORS))
            left = away.T @ away - answer[d] @ (light[rows].T @ away)
            rest[d] = ((left + left.T) / 2 + 12 * np.eye(3)) / (rows.sum() + 3)
    return middle, answer, rest


def write_fit(tables: Sequence[list[Picture]]) -> None:
    """Fit and replace the stored dyes."""
    colours, within = table_colours(tables)
    middle, answer, rest = factor_analysis(colours)
    rows = []
    for d, dye in enumerate(DYES):
        values = {"lab": middle[d], "light": answer[d], "covariance": rest[d] + within[d]}
        rows.append(f"{json.dumps(dye)}: {json.dumps({key: np.round(value, 1).tolist() for key, value in values.items()})}")
    partial = TARGET.with_suffix(".part")
    partial.write_text('{"format": "cueref.dyes/1", "dyes": {\n' + ",\n".join(rows) + "\n}}\n", encoding="utf-8")
    partial.replace(TARGET)


def check(tables: Sequence[list[Picture]]) -> None:
    """Print how many balls are named right, and stated probability against how often it is met."""
    stated, right, wrong = [], [], defaultdict(int)
    for pictures in tables:
        for picture in pictures:
            balls = find_ball_set("nine" if all(n == "cue" or int(n) < 10 for n in picture.names) else "pool")
            alone = Namer(balls).likelihoods(picture.looks)
            fused = [{ball: p**COUNT_LIMIT for ball, p in one.items()} for one in alone]
            for name, posterior in zip(picture.names, assign_names(fused, balls.balls), strict=True):
                top = max(posterior, key=lambda ball: posterior[ball])
                stated.append(posterior[top])
                right.append(top == name)
                wrong[f"{name} called {top}"] += top != name
    p, hit = np.array(stated), np.array(right)
    sys.stdout.write(f"{len(tables)} tables, {len(p)} balls, {100 * hit.mean():.1f} % named right\n")
    for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 0.99), (0.99, 1.01)):
        inside = (p >= low) & (p < high)
        if inside.any():
            sys.stdout.write(
                f"stated {low:.2f} to {high:.2f}: {inside.sum():5} balls, mean {p[inside].mean():.3f}, right {hit[inside].mean():.4f}\n"
            )
    commonest = sorted(wrong.items(), key=lambda item: -item[1])[:8]
    sys.stdout.write(", ".join(f"{text} {count}" for text, count in commonest if count) + "\n")


def read_tables(seed: int, count: int, cache: Path | None) -> list[list[Picture]]:
    """Readings of `count` tables, two each."""
    readings = []
    for number in range(seed, seed + count):
        kept = cache / f"{number}.json" if cache else None
        if kept and kept.exists():
            stored = json.loads(kept.read_text(encoding="utf-8"))
        else:
            stored = [[[[_row(one) for one in p.looks], p.names, p.dyes] for p in pictures] for pictures in read_table(number)]
            if kept:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(stored), encoding="utf-8")
        for pictures in stored:
            readings.append([Picture(looks=[_looks(row) for row in rows], names=names, dyes=dyes) for rows, names, dyes in pictures])
    return readings


def _row(one: Looks) -> list[float]:
    return [round(float(v), 4) for v in (one.white, one.rim_white, one.dark, one.coloured, *one.lab)]


def _looks(row: list[float]) -> Looks:
    return Looks(white=row[0], rim_white=row[1], dark=row[2], coloured=row[3], lab=(row[4], row[5], row[6]))


def main() -> None:
    """Fit, or check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--check", action="store_true", help="measure the stored fit; give a --seed that it was not fitted to")
    parser.add_argument("--cache", type=Path, help="folder that keeps the readings of tables")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    tables = read_tables(options.seed, options.tables, options.cache)
    if options.check:
        check(tables)
    else:
        write_fit(tables)


if __name__ == "__main__":
    main()
