"""The outer edge of the rubber, where the cloth ends at the rail, to a fraction of a pixel.

Across each strip of a side (see `landmarks`) the place is sought at which the colour stops being unlike cloth, and then, about it,
the one at which it is halfway from rail to rubber: in linear colour, since video carries colour at half resolution and a threshold
would sit off the edge. Where a dark gap lies between rail and rubber, the gap counts as the rail.

Fails: a rail of the cloth's colour; a graphic's edge along most of a side, which is then as good an edge as the rubber's.
"""

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from calibration.landmarks import Strip, agreeing
from calibration.solve import EdgePoints, side_points_m
from calibration.table import Table

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_GAP_DARK = 0.6
"""Lightness of a gap between rail and rubber, over that of the darker of them: below it the rubber ends at the gap, whose own
width differs from side to side. Where there is none, the darker of them is its own darkest."""
_SIGMA_M = 0.004
"""How far a point may be from the modelled edge: rails differ from side to side by 1 to 5 mm."""


def outer_edges(strips: dict[str, Strip], camera: CameraModel, table: Table, near_m: dict[str, float], reach_m: float) -> list[EdgePoints]:
    """Where the cloth's colour ends outside the cushions.

    Args:
        strips: From `unroll`.
        camera: The model they were unrolled with.
        table: The table.
        near_m: Where each side's edge is expected, outward of the nose line.
        reach_m: How far from there it is sought.
    """
    edges = []
    for side, strip in strips.items():
        blocks, falls = _falls(strip, near_m[side], reach_m)
        if len(blocks) == 0:
            continue
        blocks, places = _halfway(strip, blocks, falls)
        spacing = strip.outward_m[0] - strip.outward_m[1]
        points = agreeing(strip.along_m[blocks], strip.outward_m[0] - places * spacing)
        if points is not None:
            pixels = camera.to_pixels(side_points_m(side, *points, table.spec), height_m=table.spec.nose_height_m)
            edges.append(EdgePoints(side=side, points_px=pixels, along_m=points[0], outer=True, sigma_m=_SIGMA_M))
    return edges


def _falls(strip: Strip, near_m: float, reach_m: float) -> tuple[IntArray, IntArray]:
    """Blocks of which the colour stops being unlike cloth about a place, and the sample nearest to it at which it does, shape (K,) each."""
    window = np.flatnonzero(np.abs(strip.outward_m - near_m) < reach_m)
    if len(window) < 2:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    values = strip.unlike[:, window]
    falls = (values[:, :-1] >= 1) & (values[:, 1:] < 1)
    away = np.where(falls, np.abs(strip.outward_m[window[:-1]] - near_m), np.inf)
    nearest = away.argmin(axis=1)
    blocks = np.flatnonzero(falls.any(axis=1) & np.isfinite(values).all(axis=1))
    return blocks, window[nearest[blocks]]


def _halfway(strip: Strip, blocks: IntArray, falls: IntArray) -> tuple[IntArray, FloatArray]:
    """Blocks, and the samples, to a part of one, at which their colour is halfway from rail to rubber; shape (K,) each."""
    spacing = strip.outward_m[0] - strip.outward_m[1]
    near, far = max(10, round(0.006 / spacing)), max(20, round(0.010 / spacing))  # belongs to the rubber or its blur; is rail
    whole = (falls >= far + near) & (falls + near <= len(strip.outward_m))
    shares = np.where(whole, 0.0, 1.0)  # at the strip's end no gap is seen
    blocks_whole, falls_whole = blocks[whole], falls[whole]
    if len(blocks_whole) == 0:
        return blocks_whole, np.zeros(0)
    first = falls_whole - far - near
    colour = strip.colour[blocks_whole[:, None], first[:, None] + np.arange(far + 2 * near)].astype(np.float64)
    light = colour.mean(axis=2)
    gaps = light.argmin(axis=1)
    darker = np.minimum(light[:, :near].mean(axis=1), light[:, far + near :].mean(axis=1))
    shares[whole] = light.min(axis=1) / np.maximum(1.0, darker)
    rubber = colour[:, far + near + 2 :].mean(axis=1)
    rail, start = colour[:, :near].mean(axis=1), np.full(len(colour), near)
    if np.median(shares) < _GAP_DARK:
        row = np.arange(len(colour))
        rail = np.mean([colour[row, np.clip(gaps + step, 0, colour.shape[1] - 1)] for step in (-1, 0, 1)], axis=0)
        start = gaps
    change = rail - rubber
    towards = np.einsum("kjc,kc->kj", colour - rubber[:, None], change) / np.maximum((change**2).sum(axis=1), 1.0)[:, None]
    passed = (towards[:, :-1] >= 0.5) & (towards[:, 1:] < 0.5) & (np.arange(colour.shape[1] - 1) >= start[:, None])
    last = passed.shape[1] - 1 - passed[:, ::-1].argmax(axis=1)
    found = np.flatnonzero(passed.any(axis=1))
    before, after = towards[found, last[found]], towards[found, last[found] + 1]
    return blocks_whole[found], first[found] + last[found] + (before - 0.5) / (before - after)
