"""One picture to one `Observation`: the per-frame half of seeing, one object, three steps.

Chain: surface (rectify -> network, cloth -> foreground -> proposals) -> outlines -> evidence -> looks -> names. `sight` and
`glance` need no ball known, so other threads may do them ahead; `look` does the rest, and what was not done ahead. What
was found where the picture has not changed since is not looked for again (vision.stillness); the same pictures in the
same order give the same observations, whoever does the steps.

Fails: a ball under a hand is hidden, not seen; half a ball at a sleeve is seen with a low score; and as vision.surface.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from calibration.equipment import BallSet
from vision.bed import Bed
from vision.cloth import Cloth
from vision.crowd import gaps_in_rack, kept_apart
from vision.detection import Detection, Observation
from vision.evidence import FILLED, FREE_COVERED, KNOWN, SHARP, SMEAR_KNOWN, SURE, VOUCHED, WHOLE, ball_score, hangs, network_at, on_streak
from vision.frame import Frame
from vision.identify import Namer, Naming
from vision.looks import judge_looks, room_white, sample_discs
from vision.network import Sight
from vision.outline import Outline, OutlineFitter
from vision.proposals import Proposals, Streak
from vision.second_starts import fit_about, hold_places, how_well, is_unsure, joined, steady
from vision.smears import weighed
from vision.stillness import BallMemory, KnownBall, around
from vision.surface import COVERED, VIEW_RADIUS_PX, Glance, Sighting, Surface

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_SAME_BALL_RADII = 0.4
"""Where foreground and network start this near to each other they mean the same ball, ball radii."""
_SEEN_BY_NETWORK_RADII = 0.6
"""How far off the network may be for its score to be an outline's: its places err by 0.1 to 0.3, ball radii."""
_SHADOW_RADII = 2.5
"""Longest path of a streak that is soon a ball at rest with its shadow, ball radii: a shadow reaches out by 2 at most. A
disc on a longer one must be whole."""
_ASIDE = 0.25
"""How far from the middle of such a streak the disc lies, part of its path: a ball beside its shadow half of it, a ball that
moves in the middle."""
_APART_RADII = 1.7
"""Nearer than this two circles are one ball: touching balls are 2 apart, where the size of a ball is known to a tenth 1.8."""
_ON_STREAK_RADII = 0.9
"""A disc this near to a streak's middle line is the same ball, ball radii; one that touches it is at 2."""
_LOOKED_AT_RADII = 1.6
"""Around a start, ball radii: how far out an outline may be found (a third of a radius off, half beyond)."""
_NOWHERE = (1e6, 1e6)
_ANGLES = np.arange(24) * (2 * np.pi / 24)
_RING_PX = 1.35 * VIEW_RADIUS_PX * np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
"""Where cloth is looked for round a ball, view pixels: beyond the blur of its rim, before a neighbour's middle."""
_DISC_PX = np.array([(x, y) for y in range(-6, 7) for x in range(-6, 7) if math.hypot(x, y) < 0.8 * VIEW_RADIUS_PX], dtype=np.float64)
"""The disc within the blur of its rim."""
_VOUCHED_RADII, _VOUCHED_SCORE = 0.2, 0.55
"""How badly a place that only the network gives is known, ball radii, and its score: a ball, but barely."""
_STREAK_SCORE, _DOUBTFUL_STREAK_SCORE = 0.7, 0.3
"""Of a streak that the network knows, and of one that it does not."""
_ROOM, _IN_RACK = 0.6, 0.7
"""Where a rack lacks a ball: part of that rough place that must stand out for it to be looked at, and the explained part of
its piece, as of a ball among balls."""
_OCCLUDED_CELL = 4
"""View pixels a cell of the occlusion mask, about half a ball radius."""


@dataclass(slots=True, eq=False)
class _Placed:
    """What one start led to.

    Attributes:
        outline: None where none was found.
        disc: The pixels of its disc, once they have been read.
        naming: What they say, once they have been judged.
        context: Number of the picture whose white and make of the set that was judged by.
    """

    outline: Outline | None
    disc: Image | None = None
    naming: Naming | None = None
    context: int = -1


@dataclass(frozen=True, slots=True)
class Seen:
    """One picture's balls, before names, with their scores."""

    finds: tuple[_Placed, ...]
    scores: tuple[float, ...]


class Eyes:
    """Sees the balls on one calibrated table."""

    def __init__(self, calibration: Calibration, ball_set: BallSet, *, pockets_known: bool = True, shortcuts: bool = True) -> None:
        """Precompute the maps (about a second of work at 1080p).

        Args:
            calibration: Camera and table; pictures must have its size.
            ball_set: Names to give.
            pockets_known: False where the calibration is a stand-in (vision.untabled): pockets are then not looked for.
            shortcuts: False works every picture through in full, unchanged places too: the same within noise, slower.
        """
        self._calibration = calibration
        self._namer = Namer(ball_set)
        self._radius = calibration.spec.ball_radius_m
        self._bed = Bed(calibration.table)
        self._surface = Surface(calibration, self._bed, pockets_known=pockets_known, shortcuts=shortcuts)
        self._view = self._surface.view
        self._zone = self._surface.zone
        step = calibration.camera.to_pixels([(0.0, 0.0), (self._radius, 0.0)], height_m=self._radius)
        self._radius_px = float(np.hypot(*(step[1] - step[0])))
        half_size_m = (calibration.spec.length_m / 2, calibration.spec.width_m / 2)
        self._fitter = OutlineFitter(calibration.camera, self._radius, half_size_m=half_size_m)
        self._balls_known: BallMemory[_Placed] | None = BallMemory(self._radius) if shortcuts else None
        self._white = np.ones(3, dtype=np.float32)
        self._context = 0
        self._context_cloth: Cloth | None = None
        self._last: tuple[Glance, Observation] | None = None

    def sight(self, frame: Frame) -> Sighting | None:
        """The first step of `look`, which another thread may do ahead, frame after frame; None for a picture of another size."""
        return self._surface.sight(frame)

    def glance(self, frame: Frame, sighting: Sighting | None) -> Glance | None:
        """The second step, which another thread may do ahead, frame after frame, on what the first gave."""
        return None if sighting is None else self._surface.glance(frame, sighting)

    def look(self, frame: Frame, glance: Glance | None = None) -> Observation:
        """What one picture shows; frames come in the order of the recording.

        Args:
            frame: The picture.
            glance: What `glance` gave for it, where that was done ahead.
        """
        glance = glance or self.glance(frame, self.sight(frame))
        if glance is None:
            height, width = frame.image.shape[:2]
            expected = "x".join(str(v) for v in self._calibration.camera.image_size_px)
            return _blind(frame, f"picture is {width}x{height}, the table was calibrated at {expected}")
        if glance.proposals is None:
            self._last = None
            return _blind(frame, glance.why)
        if self._last is not None and self._last[0] is glance and self._unmoved(frame):
            return replace(self._last[1], time_s=frame.time_s)
        sight = glance.sight
        proposals = weighed(glance.proposals, sight.centres_px, sight.scores, VIEW_RADIUS_PX)
        seen = self._place(frame, glance, proposals)
        detections = self._name(frame.image, seen, glance.cloth)
        detections += self._streaks(frame.image, proposals.streaks, seen, glance.cloth)
        occluded = self._occluded(glance.mask, glance.sight, detections)
        self._last = glance, Observation(time_s=frame.time_s, detections=tuple(detections), occluded=occluded)
        return self._last[1]

    def _unmoved(self, frame: Frame) -> bool:
        """True where every ball of the last picture is known to be where it was."""
        return self._balls_known is not None and self._balls_known.all_hold(frame.image, frame.time_s)

    def _place(self, frame: Frame, glance: Glance, proposals: Proposals) -> Seen:
        """The circles that are balls, best first."""
        sight, cloth = glance.sight, glance.cloth
        starts, explained, in_rack = self._starts(proposals, sight, glance.mask)
        finds = self._fit(frame, starts, len(proposals.discs_px), cloth)
        fits = [find.outline for find in finds]
        places = np.array([fit.position_m if fit else _NOWHERE for fit in fits]).reshape(-1, 2)
        allowed = self._bed.holds(places)
        known = network_at(places, self._view.to_table(sight.centres_px), sight.scores, _SEEN_BY_NETWORK_RADII * self._radius)
        sharp = np.zeros(len(places))
        for streak in (one for one in proposals.streaks if one.known):
            sharp = np.where(self._on_streak(places, streak), np.maximum(sharp, self._sharp(places, known, streak, sight)), sharp)
        clear = 1.0 - self._standing_out(places, glance.mask, _RING_PX)
        filled = self._standing_out(places, glance.mask, _DISC_PX)
        filled[in_rack & (filled >= _ROOM)] = 1.0  # Its neighbours vouch for it.
        support = np.array([fit.support if fit else 0.0 for fit in fits])
        allowed &= ~self._bed.in_jaws(places) | hangs(support, known, clear)
        kept: list[int] = []
        scores: list[float] = []
        for index in sorted(range(len(fits)), key=lambda i: -(fit.support + known[i] if (fit := fits[i]) else 0.0)):
            fit = fits[index]
            if (
                fit is None
                or not allowed[index]
                or any(math.dist(fit.position_m, places[other]) < _APART_RADII * self._radius for other in kept)
            ):
                continue
            if fit.support < sharp[index]:
                continue
            score = ball_score(fit.met, float(explained[index]), float(known[index]), float(clear[index]), float(filled[index]))
            if score is not None:
                kept.append(index)
                scores.append(score)
        vouched = self._vouched(sight, glance.mask, places[kept], proposals.streaks)
        return Seen((*(finds[index] for index in kept), *vouched), (*scores, *(_VOUCHED_SCORE for _ in vouched)))

    def _vouched(self, sight: Sight, mask: Mask, others: FloatArray, streaks: Sequence[Streak]) -> list[_Placed]:
        """Balls of which no outline is seen, in the cloth's own colour or smeared by less than a streak, but of which the network
        is sure: its places."""
        sure, words = self._view.to_table(sight.centres_px[sight.scores >= VOUCHED]), sight.scores[sight.scores >= VOUCHED]
        away = np.hypot(*(sure[:, None] - others[None]).transpose(2, 0, 1)).min(axis=1, initial=np.inf)
        alone = self._bed.holds(sure) & (away > _APART_RADII * self._radius)
        for streak in streaks:
            alone &= ~self._on_streak(sure, streak)
        shaped = ((1.0 - self._standing_out(sure, mask, _RING_PX) >= FREE_COVERED) | (words >= SURE)) & ~self._bed.in_jaws(sure)
        places = sure[alone & (shaped | (self._standing_out(sure, mask, _DISC_PX) < FILLED))]
        pixels = self._calibration.camera.to_pixels(places, height_m=self._radius)
        sigma = _VOUCHED_RADII * self._radius
        return [
            _Placed(Outline(position_m=(x, y), px=(u, v), sigma_m=sigma, support=0.0, met=0.0, spread=1.0))
            for (x, y), (u, v) in zip(places.tolist(), pixels.tolist(), strict=True)
        ]

    def _on_streak(self, places: FloatArray, streak: Streak) -> Mask:
        """Which places lie on a streak, shape (N,)."""
        return on_streak(places, self._view.to_table(streak.ends_px), _ON_STREAK_RADII * self._radius)

    def _sharp(self, places: FloatArray, known: FloatArray, streak: Streak, sight: Sight) -> FloatArray:
        """Part of the outline that a disc on a streak must show to be a ball at rest, shape (N,); in its middle none is enough.

        Nor is a disc a ball beside its shadow where the network knows the middle and not the disc, `known`: it is an end.
        """
        ends = self._view.to_table(streak.ends_px)
        middle, path = ends.mean(axis=0), float(np.linalg.norm(ends[1] - ends[0]))
        word = network_at(middle[None], self._view.to_table(sight.centres_px), sight.scores, _SEEN_BY_NETWORK_RADII * self._radius)[0]
        shadowed = (path < _SHADOW_RADII * self._radius) & ((known >= KNOWN) | (word < SMEAR_KNOWN))
        aside = np.hypot(*(places - middle).T) > _ASIDE * path
        return np.where(aside, np.where(shadowed, SHARP, WHOLE), np.inf)

    def _starts(self, proposals: Proposals, sight: Sight, mask: Mask) -> tuple[FloatArray, FloatArray, Mask]:
        """Rough centres, metres, shape (N, 2), and the part of their pieces that discs explain: the foreground's, then
        those that only the network knows, then those that a rack lacks; and which are these last."""
        more = sight.centres_px[sight.scores >= KNOWN]
        near = np.hypot(*(more[:, None] - proposals.discs_px[None]).transpose(2, 0, 1)) < _SAME_BALL_RADII * VIEW_RADIUS_PX
        more = more[~near.any(axis=1)]
        places = self._view.to_table(np.concatenate([proposals.discs_px, more]))
        lacking = gaps_in_rack(places, self._radius)
        if len(lacking):
            lacking = lacking[self._standing_out(lacking, mask, _DISC_PX) >= _ROOM]
        explained = np.concatenate([proposals.explained, np.zeros(len(more)), np.full(len(lacking), _IN_RACK)])
        in_rack = np.arange(len(explained)) >= len(places)
        return np.concatenate([places, lacking]), explained, in_rack

    def _fit(self, frame: Frame, starts: FloatArray, by_network: int, cloth: Cloth) -> list[_Placed]:
        """Outlines from rough starts, in order, those from `by_network` on the network's alone; where the picture has not
        changed, those found before."""
        memory, image = self._balls_known, frame.image
        before: list[KnownBall[_Placed] | None] = [None] * len(starts) if memory is None else memory.near(starts)
        known = [one if one is not None and one.holds(image, frame.time_s) else None for one in before]
        new = [index for index, one in enumerate(known) if one is None]
        last = {
            row: outline
            for row, index in enumerate(new)
            if (one := before[index]) is not None and (outline := one.find.outline) is not None and outline.support >= SHARP
        }
        # What lay there before is looked for from there too, in the same call: a call costs as much as ten balls.
        places = np.concatenate([starts[new], np.array([outline.position_m for outline in last.values()]).reshape(-1, 2)])

        def fit_from(places: FloatArray) -> list[Outline | None]:
            return self._fitter.fit(image, places, self._cloth_at(places, cloth))

        fits = fit_from(places)
        fits, held = fits[: len(new)], fits[len(new) :]
        again = [row for row, index in enumerate(new) if is_unsure(fits[row], starts, index, self._radius, by_network=index >= by_network)]
        for row, fit in zip(again, fit_about(starts[[new[row] for row in again]], self._radius, fit_from), strict=True):
            fits[row] = max(fits[row], fit, key=how_well)
        still = [row for row in last if (one := before[new[row]]) is not None and one.is_still(image)]
        joined(fits, starts[new], [index < by_network for index in new], self._calibration.camera, self._radius)
        hold_places(fits, last, held, self._radius)
        steady(fits, last, still, self._radius)
        finds = {index: _Placed(outline=fit) for index, fit in zip(new, fits, strict=True)}
        if memory is not None:
            pixels = self._calibration.camera.to_pixels(starts[new], height_m=self._radius)
            for index, px in zip(new, pixels, strict=True):
                box = around(image, px, _LOOKED_AT_RADII * self._radius_px)
                start = (float(starts[index, 0]), float(starts[index, 1]))
                known[index] = KnownBall(start, box, image[box].copy(), finds[index], frame.time_s)
            memory.keep([one for one in known if one is not None])
        return [finds[index] if one is None else one.find for index, one in enumerate(known)]

    def _name(self, image: Image, seen: Seen, cloth: Cloth) -> list[Detection]:
        outlines = [find.outline for find in seen.finds if find.outline is not None]
        unread = [find for find in seen.finds if find.disc is None]
        places = np.array([find.outline.position_m for find in unread if find.outline is not None]).reshape(-1, 2)
        for find, disc in zip(unread, sample_discs(image, places, self._fitter), strict=True):
            find.disc = disc
        self._judge_names(seen.finds, cloth)
        rows = zip(outlines, self._apart(outlines), seen.scores, (find.naming for find in seen.finds), strict=True)
        return [
            Detection(position_m=place, sigma_m=o.sigma_m, score=_if_plausible(score, name.plausible), px=px, likelihood=name.likelihood)
            for o, (place, px), score, name in rows
            if name is not None
        ]

    def _judge_names(self, finds: Sequence[_Placed], cloth: Cloth) -> None:
        """Judge the discs that are new; all of them together where most are, or where the light may have changed."""
        centres = np.array([find.outline.position_m if find.outline else _NOWHERE for find in finds]).reshape(-1, 2)
        new = [row for row, find in enumerate(finds) if find.context != self._context or find.naming is None]
        together = self._balls_known is None or cloth is not self._context_cloth or 2 * len(new) > len(finds)
        if together:
            new = list(range(len(finds)))
        if not new:
            return
        discs, light = np.array([finds[row].disc for row in new], dtype=np.uint8), self._light_at(centres[new], cloth)
        if together:
            self._context, self._context_cloth, self._white = self._context + 1, cloth, room_white(discs, light)
        looks = judge_looks(discs, light, self._white)
        names = self._namer.read(looks) if together else self._namer.read_beside(looks)
        for row, naming in zip(new, names, strict=True):
            finds[row].naming, finds[row].context = naming, self._context

    def _apart(self, outlines: list[Outline]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """Place and pixel of each ball, overlaps taken out where the ball's size is known."""
        measured = [(outline.position_m, outline.px) for outline in outlines]
        if not self._calibration.spec.metric or len(outlines) < 2:
            return measured
        places = np.array([place for place, _ in measured])
        apart = kept_apart(places, np.array([outline.sigma_m for outline in outlines]), 2 * self._radius)
        for index in np.flatnonzero((apart != places).any(axis=1)).tolist():
            px = self._calibration.camera.to_pixels(apart[index : index + 1], height_m=self._radius)[0]
            measured[index] = (float(apart[index, 0]), float(apart[index, 1])), (float(px[0]), float(px[1]))
        return measured

    def _streaks(self, image: Image, streaks: tuple[Streak, ...], seen: Seen, cloth: Cloth) -> list[Detection]:
        found = []
        places = np.array([find.outline.position_m for find in seen.finds if find.outline is not None]).reshape(-1, 2)
        for streak in (one for one in streaks if not self._on_streak(places, one).any()):
            ends = self._view.to_table(streak.ends_px)
            middle = ends.mean(axis=0)
            if not self._bed.holds(middle[None])[0]:
                continue
            px = self._calibration.camera.to_pixels([middle], height_m=self._radius)[0]
            disc = sample_discs(image, middle[None], self._fitter)
            looks = judge_looks(disc, self._light_at(middle[None], cloth), self._white)
            name = _flattened(self._namer.read_beside(looks)[0].likelihood)
            length = float(np.linalg.norm(ends[1] - ends[0]))
            found.append(
                Detection(
                    position_m=(float(middle[0]), float(middle[1])),
                    sigma_m=float(np.hypot(0.06 * self._radius, 0.04 * length)),
                    score=_STREAK_SCORE if streak.known else _DOUBTFUL_STREAK_SCORE,
                    px=(float(px[0]), float(px[1])),
                    likelihood=name,
                    streak_m=((float(ends[0, 0]), float(ends[0, 1])), (float(ends[1, 0]), float(ends[1, 1]))),
                )
            )
        return found

    def _standing_out(self, places: FloatArray, mask: Mask, around_px: FloatArray) -> FloatArray:
        """Part of the points around each place, view pixels from it, that show something else than cloth, shape (N,)."""
        px = np.rint(self._view.to_view(places)[:, None] + around_px).astype(int)
        columns, rows = np.clip(px[..., 0], 0, mask.shape[1] - 1), np.clip(px[..., 1], 0, mask.shape[0] - 1)
        return np.asarray(mask[rows, columns].mean(axis=1), dtype=np.float64)

    def _cloth_at(self, places_m: FloatArray, cloth: Cloth) -> FloatArray:
        px = np.rint(self._view.to_view(places_m)).astype(int)
        height, width = cloth.colour.shape[:2]
        return np.asarray(cloth.colour[np.clip(px[:, 1], 0, height - 1), np.clip(px[:, 0], 0, width - 1)], dtype=np.float64)

    def _light_at(self, places_m: FloatArray, cloth: Cloth) -> FloatArray:
        usual = max(float(np.linalg.norm(cloth.usual)), 1.0)
        return np.asarray(np.linalg.norm(self._cloth_at(places_m, cloth), axis=1) / usual, dtype=np.float64)

    def _occluded(self, mask: Mask, sight: Sight, detections: list[Detection]) -> Mask:
        """What hides the bed: foreground that is no ball, and what the network says; in cells, as `Observation.occluded` wants."""
        left = ((mask | (sight.covered > COVERED)) & self._zone).astype(np.uint8)
        for ball in detections:
            ends = self._view.to_view(ball.streak_m if ball.streak_m else [ball.position_m, ball.position_m])
            a, b = (tuple(round(v) for v in end) for end in ends)
            cv2.line(left, a, b, 0, round(2.9 * VIEW_RADIUS_PX))
        left = np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), dtype=np.uint8)
        spec = self._calibration.spec
        (x0, y0), (x1, y1) = self._view.to_view([(-spec.length_m / 2, spec.width_m / 2), (spec.length_m / 2, -spec.width_m / 2)])
        bed = left[round(y0) : round(y1), round(x0) : round(x1)]
        rows, columns = bed.shape[0] // _OCCLUDED_CELL, bed.shape[1] // _OCCLUDED_CELL
        # Sides to whole cells first: from there areas are sums of whole pixels, ten times as fast.
        whole = cv2.resize(bed * np.uint8(250), (columns * _OCCLUDED_CELL, rows * _OCCLUDED_CELL), interpolation=cv2.INTER_NEAREST)
        share = cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA)
        return np.asarray(np.asarray(share) > 50, dtype=np.bool_)


def _blind(frame: Frame, why: str) -> Observation:
    return Observation(time_s=frame.time_s, detections=(), usable=False, why=why)


def _if_plausible(score: float, plausible: float) -> float:
    """The score after its odds were multiplied by how far a ball can look like that."""
    return score * plausible / (score * plausible + 1 - score)


def _flattened(name: dict[str, float]) -> dict[str, float]:
    """A smeared ball's looks say less, for cloth shines through: fourth roots, made to add up to 1."""
    total = sum(p**0.25 for p in name.values())
    return {ball: p**0.25 / total for ball, p in name.items()}
