"""Outlines looked for a second time, from other starts: a search from one start ends where an outline fits nearby, which is not
always where it fits best.

Three cases: a ball in the cloth's own colour, of which only the network knows, to half a radius; a ball in a rack, held off its
place by the edges between its neighbours; and a ball at rest of which two outlines fit about as well, so that now one and now
the other would come out and the ball jump by millimetres.

Two more ways to a better place: what the ball's pixels show to have rested is averaged over pictures, and where little of an
outline is seen, the piece of foreground that it was looked for from is a second witness.

Fails: a ball whose first outline was wrong and well seen keeps it until another is clearly better.
A start pulled by a shadow counts too; its deviation allows for that.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.camera import CameraModel
from vision.outline import Outline

FloatArray = NDArray[np.float64]
FitFrom = Callable[[FloatArray], list[Outline | None]]
"""Gives an outline or none for each start, shape (N, 2), metres."""

_ABOUT_RADII = 0.4
_EIGHT = np.array([(math.cos(turn), math.sin(turn)) for turn in np.arange(8) * (math.pi / 4)])
"""Starts around one: this far out, ball radii, in eight directions."""
_CROWD_RADII, _CROWD, _CROWD_SUPPORT = 2.4, 2, 0.9
"""In a rack (more starts than two within so many radii) an outline of which less is seen may be held off its place, 4 mm, by
the edges between its neighbours."""
_TOLD_BY_MET = 0.75
"""Part of an outline from which more of it does not tell the better of two fits: a crossing of lights beside a ball shows 0.84
where the ball in it shows 0.78, but with edges twice as loose."""
_JUMP_RADII, _CLEARLY = 0.06, 0.12
"""How far an outline of a ball at rest trembles, ball radii, and the part of an outline, four normals of 32, by which another is
clearly better."""

_PIECE_RADII, _UNSURE_RADII, _FAR_SIGMAS = 0.055, 0.02, 3.0
"""How badly the foreground knows a ball's place, standard deviation an axis, ball radii: 0.03 of rendered ones at rest, twice that where
shadows are hard; from what of an outline it is asked; and how far apart both are no longer of one place."""


def how_well(fit: Outline | None) -> tuple[float, float]:
    """More of an outline is better, up to where rings of light and neighbours show as much; then a place better known."""
    return (-1.0, 0.0) if fit is None else (min(fit.met, _TOLD_BY_MET), -fit.sigma_m)


def is_unsure(fit: Outline | None, starts: FloatArray, index: int, radius_m: float, *, by_network: bool) -> bool:
    """Whether another start may find more: the network alone knew of it, or neighbours' edges hold it off its place.

    Args:
        fit: What came of one start.
        starts: All starts, shape (N, 2), metres.
        index: That one's row.
        radius_m: A ball's.
        by_network: Only the network knew of it.
    """
    if fit is None:
        return by_network
    near = np.hypot(*(starts - starts[index]).T) < _CROWD_RADII * radius_m
    return fit.support < _CROWD_SUPPORT and int(near.sum()) > _CROWD


def fit_about(starts: FloatArray, radius_m: float, fit_from: FitFrom) -> list[Outline | None]:
    """The best outlines from a ring of starts around each, shape (N, 2)."""
    fits = fit_from((starts[:, None] + _ABOUT_RADII * radius_m * _EIGHT).reshape(-1, 2))
    rings = [fits[first : first + len(_EIGHT)] for first in range(0, len(fits), len(_EIGHT))]
    return [max(ring, key=how_well) for ring in rings]


def hold_places(fits: list[Outline | None], last: Mapping[int, Outline], held: Sequence[Outline | None], radius_m: float) -> None:
    """Where an outline is some way from the last one there, keep what was found from the last place, if it is still there and seen
    about as well.

    Args:
        fits: What came of each start now; changed in place.
        last: By row of `fits`, what came of it in the picture before; of which little was seen is not among them, for it may
            have been wrong.
        held: What came of those places now, in the order of `last`.
        radius_m: A ball's.
    """
    reach = _JUMP_RADII * radius_m
    for (row, before), fit in zip(last.items(), held, strict=True):
        other = fits[row]
        if fit is None or math.dist(fit.position_m, before.position_m) >= reach:
            continue
        if other is None or (math.dist(other.position_m, before.position_m) > reach and other.support < fit.support + _CLEARLY):
            fits[row] = fit


def steady(fits: list[Outline | None], last: Mapping[int, Outline], still: Sequence[int], radius_m: float) -> None:
    """Where the picture says that a ball has not moved, its place is the mean of what is found now and what it was: the noise of one
    picture does not move it.

    Args:
        fits: What came of each start now; changed in place.
        last: As of `hold_places`.
        still: Rows of `last` whose pixels are the same up to noise, shifts of a fiftieth of a pixel told.
        radius_m: A ball's.
    """
    for row in still:
        fit, before = fits[row], last[row]
        if fit is not None and math.dist(fit.position_m, before.position_m) < _JUMP_RADII * radius_m:
            (x, y), (u, v) = (
                (np.array(one) + np.array(other)) / 2 for one, other in ((fit.position_m, before.position_m), (fit.px, before.px))
            )
            fits[row] = replace(fit, position_m=(float(x), float(y)), px=(float(u), float(v)))


def joined(fits: list[Outline | None], starts: FloatArray, by_piece: Sequence[bool], camera: CameraModel, radius_m: float) -> None:
    """Where an outline says little of a place, it and the start from the ball's piece of foreground are averaged by their variances:
    of a dark ball on dark cloth the whole disc stands out better than its rim, which a shadow pulls one way.

    Args:
        fits: What came of each start; changed in place.
        starts: Shape (N, 2), metres.
        by_piece: Which of them the foreground gave; the network's are ten times as rough.
        camera: Of the picture.
        radius_m: A ball's.
    """
    own = _PIECE_RADII * radius_m
    places: dict[int, tuple[Outline, FloatArray]] = {}
    for row, (fit, start) in enumerate(zip(fits, starts, strict=True)):
        if fit is None or not by_piece[row] or fit.sigma_m < _UNSURE_RADII * radius_m:
            continue
        both = math.hypot(fit.sigma_m, own)
        if math.dist(fit.position_m, start) < _FAR_SIGMAS * both:
            moved = np.array(fit.position_m) + (fit.sigma_m / both) ** 2 * (start - fit.position_m)
            places[row] = replace(fit, sigma_m=fit.sigma_m * own / both), moved
    if places:
        pixels = camera.to_pixels([place for _, place in places.values()], height_m=radius_m)
        for (row, (fit, place)), (u, v) in zip(places.items(), pixels.tolist(), strict=True):
            fits[row] = replace(fit, position_m=(float(place[0]), float(place[1])), px=(u, v))
