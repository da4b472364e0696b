"""Fits how badly a ball's centre is known (`vision.outline.SIGMA_LAW`) to rendered balls.

Usage: python benchmarks/fit_sigma.py [--tables 24] [--seed 70000] [--check-seed 80000]

Balls at rest of tables that the renderer makes are placed from starts a tenth of a radius off, and the errors are laid
beside what their outlines show (`vision.outline.Edges.unsure`). The law is the likeliest one for errors that follow a
Student t with six degrees of freedom: no single failure sets the scale of all. It is printed with how far errors are as
large as stated on tables of other seeds, over all and by quarters of the stated deviation: 1 is right.
"""

import argparse
import sys

import cv2
import numpy as np
from scipy.optimize import minimize

from sample_videos.training import TrainingView, training_views
from vision.outline import FLOOR_PX, SIGMA_LAW, OutlineFitter, sigma_px

FREEDOM = 6.0
STARTS_OFF = 0.1
"""Standard deviation of the starts, ball radii."""
AT_REST_M = 0.0004
RING = (1.5, 1.8, 2.2)
"""Where the cloth's colour is taken around a ball, radii."""


def main() -> None:
    """Fit on some tables, check on others, print both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=24)
    parser.add_argument("--seed", type=int, default=70_000)
    parser.add_argument("--check-seed", type=int, default=80_000)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    errors, unsure = collect(options.seed, options.tables)
    law = fit(errors, unsure)
    sys.stdout.write(f"SIGMA_LAW = ({', '.join(f'{value:.3g}' for value in law)}) from {len(errors)} balls\n")
    _tell("these tables", errors, sigma_px(unsure, law))
    errors, unsure = collect(options.check_seed, max(options.tables // 2, 1))
    _tell("other tables", errors, sigma_px(unsure, law))
    _tell("other tables, the law in the code", errors, sigma_px(unsure, SIGMA_LAW))


def collect(seed: int, tables: int) -> tuple[np.ndarray, np.ndarray]:
    """Errors in pixels, shape (N,), and `Edges.unsure`, shape (N, 3), of balls at rest."""
    errors, unsure = [], []
    for table in range(seed, seed + tables):
        for view in training_views(np.random.default_rng(table), layouts=3):
            one_errors, one_unsure = of_view(view, np.random.default_rng(table))
            errors.append(one_errors)
            unsure.append(one_unsure)
    return np.concatenate(errors), np.concatenate(unsure)


def of_view(view: TrainingView, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same of one picture."""
    camera, radius = view.calibration.camera, view.calibration.spec.ball_radius_m
    still = [ball for ball in view.balls if ball.on_bed and ball.visible > 0.9 and np.hypot(*np.subtract(*ball.streak_m)) < AT_REST_M]
    if not still:
        return np.zeros(0), np.zeros((0, 3))
    truth = np.array([(ball.x_m, ball.y_m) for ball in still])
    starts = truth + rng.normal(0, STARTS_OFF * radius, truth.shape)
    edges = OutlineFitter(camera, radius).settle(view.image, starts, _cloth(view, truth))
    away = np.hypot(*(starts + edges.moved * radius - truth).T) / radius * edges.radius_px
    good = (edges.used.sum(axis=1) >= 6) & (away < 0.6 * edges.radius_px)
    return away[good], edges.unsure()[good]


def fit(errors: np.ndarray, unsure: np.ndarray) -> tuple[float, float, float, float]:
    """The likeliest law."""

    def unlikely(values: np.ndarray) -> float:
        sigma = sigma_px(unsure, (float(np.exp(values[0])), *values[1:]))
        return float(np.sum(2 * np.log(sigma) + (FREEDOM + 2) / 2 * np.log1p(errors**2 / (FREEDOM * sigma**2))))

    start = np.array([np.log(SIGMA_LAW[0]), *SIGMA_LAW[1:]])
    found = minimize(unlikely, start, method="Nelder-Mead", options={"maxiter": 4000, "maxfev": 4000, "xatol": 1e-4, "fatol": 1e-3}).x
    return float(np.exp(found[0])), float(found[1]), float(found[2]), float(found[3])


def _cloth(view: TrainingView, places: np.ndarray) -> np.ndarray:
    camera, radius = view.calibration.camera, view.calibration.spec.ball_radius_m
    angles = np.arange(32) * np.pi / 16
    ring = np.concatenate([radius * one * np.column_stack([np.cos(angles), np.sin(angles)]) for one in RING])
    around = camera.to_pixels((places[:, None] + ring).reshape(-1, 2), height_m=radius).reshape(len(places), -1, 2).astype(np.float32)
    seen = cv2.remap(view.image, around[..., 0], around[..., 1], cv2.INTER_LINEAR)
    return np.asarray(np.median(seen, axis=1), dtype=np.float64)


def _tell(title: str, errors: np.ndarray, sigma: np.ndarray) -> None:
    # The length of a normal error in two dimensions: median 1.177, 90 % 2.146, 95 % 2.448 standard deviations an axis.
    over = errors / sigma
    ranked = over[np.argsort(sigma)]
    quarters = " ".join(f"{np.median(part) / 1.177:.2f}" for part in np.array_split(ranked, 4))
    sys.stdout.write(
        f"{title}: {len(errors)} balls, error px median {np.median(errors):.3f}, 95 % {np.percentile(errors, 95):.2f}; error over stated: "
        f"median {np.median(over) / 1.177:.2f}, 90 % {np.percentile(over, 90) / 2.146:.2f}, 95 % {np.percentile(over, 95) / 2.448:.2f}, "
        f"by quarters of stated {quarters} (floor {FLOOR_PX} px)\n"
    )


if __name__ == "__main__":
    main()
