"""Balls in a picture of which no table is known: one size, one cloth, pixels only.

Theory: balls of one table seen from above are about of one size, and they lie on one cloth. The network (vision.network) was
trained at one ball radius, so it is shown the picture at every scale at which balls of a table that fills it can be; each
of its peaks is measured as a round thing (vision.rounds). Of all sizes and colours of surroundings the one is taken at which
the surest round things of one size on one cloth come together: wrong scales bring sights, badges and textures, but those
agree neither in size nor in what lies around them, and what lies around them is no large piece of the picture. Neither
corners nor sides of the table are needed. With size and cloth known every place is judged again, the evidence added up:
how sure the network is, how much of a fitting outline is seen, whether the disc is something else than cloth and whether
cloth lies around it (balls lying in pockets, switches and shoes on the floor have none, or little).

Fails: an oblique view has balls of many sizes; balls in the cloth's own colour under hard light are lost; a lone ball that
the network is less than half sure of is not believed; a cup or a spot of a ball's size on the cloth; a ball in a middle
pocket that is shown from the cloth's side.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.equipment import BallSet
from vision.detection import Detection, Observation
from vision.evidence import network_at
from vision.identify import Namer
from vision.looks import judge_looks, sample_outlines
from vision.network import Network, Sight
from vision.rounds import Rounds, evened, fit_rounds

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_SIZES = (0.005, 0.1)
"""Ball radius over the longer side of the picture: a 12 ft table that fills two thirds of it has 0.006, four balls across a
picture 0.1."""
_LEAST_PX = 4.0
"""Smaller balls show too few pixels to tell them from sights and spots."""
_STEP = 1.15
"""Between scales: the network knows balls a sixth larger or smaller than it was trained with."""
_AROUND = (1 / _STEP, 1.0, _STEP)
"""Sizes at which the network is asked once the size is known, over that."""
_NEAR_RADII = 0.6
"""How far off a place the network's word is for it."""
_SOUGHT, _LOOKED_AT = 0.3, 0.15
"""Network scores from which a place is measured while the size is sought and once it is known."""
_ROUND = 0.3
"""Part of an outline without which nothing is measured."""
_SIZES_DIFFER = 0.13
"""Difference of the logarithms of radii on one table: a tilt by ten degrees under a wide lens gives 0.1."""
_SIZE_KEPT = 0.28
"""The same for a ball once the size is known: a third of the outline seen makes a radius wrong by a fifth."""
_HUE = 0.12
"""Difference of unit colour vectors of one cloth: shade and lamp give up to 0.08, another cloth 0.2."""
_DARKEST, _BRIGHTEST, _BLACK = 0.4, 2.5, 12.0
"""Brightness of one cloth over its usual one across a harshly lit table; and levels below which nothing has a colour."""
_ACROSS = 80.0
"""Balls side by side along the longest table: 68 on a full snooker table, 45 on a pool table. Spots on the cloth are smaller."""
_LEAST_RING = 0.35
"""Part of the ring around a round thing that must be of one colour for it to have a cloth."""
_RING, _DISC = (1.25, 1.37, 1.48, 1.6), (0.15, 0.33, 0.5, 0.68, 0.85)
"""Where cloth is looked for around a ball, and the ball, its outline being 1."""
_WORKED_ON_PX = 1920
"""Larger pictures are reduced to this longer side: a 12 ft table's balls then have a radius of 10, and a 12 megapixel
picture takes two seconds, not eight."""
_SMALL_PX = 160
"""Longer side of the picture in which pieces of one colour are measured."""
_FEWEST = 0.1
"""Sum of squares of what speaks for the best size: one ball that the network is half sure of and half of whose outline is
seen, on a cloth that is the picture's largest piece, gives 0.1; tables without a ball 0.02 to 0.09."""
_CLEAR = 0.4
"""Part of an outline from which it places a ball; with less the network does."""
_WORDS = (-11.8, 9.7, 1.5, 3.4, 6.0, 2.1, 0.9)
"""What speaks for a ball, as log odds: always; times the network's mean score; times the part of the outline seen; times both
together; times the part of the ring around that is cloth; times the part of the disc that is not cloth, up to a half, and all
of it. Logistic regression on 740 balls and 770 other places of three tables in rooms lit well and badly: weights, unlike
thresholds, hold when one of these is spoilt. Green balls on green cloth have an empty disc, balls lying in pockets little
cloth around them, gaps between balls no disc, switches and shoes no cloth."""
_APART_RADII = 1.6
"""Nearer than this two places are one ball: touching balls are 2 apart, under a wide lens and a size wrong by a tenth 1.8."""
_BALL_BESIDE, _LEAST_TOLD = 0.4, 0.3
"""Score times outline from which a round thing counts as another ball; part of the ring that must be free of those."""
_REST, _REST_SHARE, _DIM, _BRIGHT = 14.0, 0.22, 0.45, 1.5
"""Something else than cloth: change of colour in levels and over brightness, brightness against the cloth around."""
_COVERED = 0.5
_BELIEVED = 0.5
"""Score from which a place is told of."""
_NO_BALLS = "no balls of one size on one cloth can be made out; is it a table seen from above? Else calibrate it and use --table"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Places:
    """Round things where the network sees balls.

    Attributes:
        centres: Shape (N, 2), pixels.
        radii: Shape (N,), pixels.
        outlines: Shape (N, angles, 2), pixels.
        scores: Shape (N,), of the network.
        support: Shape (N,), 0 where no outline was found and centre and radius are the network's.
        spread: Shape (N,), of the outline, radii.
    """

    centres: FloatArray
    radii: FloatArray
    outlines: FloatArray
    scores: FloatArray
    support: FloatArray
    spread: FloatArray

    def take(self, chosen: NDArray[np.intp] | Mask | list[int]) -> "_Places":
        """The chosen ones."""
        return _Places(**{name: getattr(self, name)[chosen] for name in self.__slots__})

    def pixels(self, image: NDArray[np.generic], rings: tuple[float, ...]) -> NDArray[np.float32]:
        """The picture on rings, outline 1, shape (N, rings * angles[, 3]); beyond the picture the border's pixels."""
        around = (self.outlines - self.centres[:, None])[:, None] * np.array(rings)[None, :, None, None]
        points = np.asarray(self.centres[:, None, None] + around, dtype=np.float32)
        points = points.reshape(len(points), points.shape[1] * points.shape[2], 2)
        shape = (*points.shape[:2], *image.shape[2:])
        if not len(points):
            return np.zeros(shape, np.float32)
        seen = cv2.remap(np.asarray(image), points[..., 0], points[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(seen, dtype=np.float32).reshape(shape)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scale:
    """Ball radius in pixels; the cloth's unit colour vector, shape (3,), and its usual brightness."""

    radius: float
    hue: FloatArray
    brightness: float


class Untabled:
    """Looks at pictures without a table."""

    def __init__(self, ball_set: BallSet) -> None:
        """Load the network."""
        self._network = Network()
        self._ball_set = ball_set

    def look(self, image: Image) -> Observation:
        """Balls of one picture; metres are pixels in it.

        Args:
            image: Shape (H, W, 3), BGR.
        """
        reduced = min(1.0, _WORKED_ON_PX / max(image.shape[:2]))
        if reduced < 1.0:
            image = np.asarray(cv2.resize(image, None, fx=reduced, fy=reduced, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        even = evened(image)
        scale = self._scale(even)
        if scale is None:
            return Observation(time_s=0.0, detections=(), usable=False, why=_NO_BALLS)
        sights = [self._network.look(even, scale.radius * step) for step in _AROUND]
        mirrored = [self._network.look(np.ascontiguousarray(even[:, ::-1]), scale.radius * step) for step in _AROUND]
        words = [(sight.centres_px, sight.scores) for sight in sights]
        words += [(np.array((even.shape[1] - 1, 0)) + sight.centres_px * (-1, 1), sight.scores) for sight in mirrored]
        cloth = _cloth(even, scale)
        other = _other(even, cloth)
        places, scores = _balls(_measured(even, sights, _AROUND, scale.radius, _LOOKED_AT, known=True), words, other, scale.radius)
        if not len(scores):
            return Observation(time_s=0.0, detections=(), usable=False, why=_NO_BALLS)
        detections = tuple(_enlarged(one, 1 / reduced) for one in self._named(image, places, scores, cloth))
        return Observation(time_s=0.0, detections=detections, occluded=_hidden(sights[1], other))

    def _scale(self, image: Image) -> _Scale | None:
        """The size and cloth on which the surest round things agree; None where nothing is sure enough."""
        longer = max(image.shape[:2])
        count = int(np.log(_SIZES[1] / _SIZES[0]) / np.log(_STEP)) + 1
        steps = tuple(one for one in _SIZES[0] * longer * _STEP ** np.arange(count) if one >= _LEAST_PX)
        found = _measured(image, [self._network.look(image, one) for one in steps], steps, 1.0, _SOUGHT)
        found = found.take(found.support >= _ROUND)
        rings = found.pixels(image, _RING)
        around = np.median(rings, axis=1)
        hues, brightness = _hue(around), np.linalg.norm(around, axis=1)
        even = np.array([_like(ring, *one).mean() for ring, *one in zip(rings, hues, brightness, strict=True)])
        shares, sides = _pieces(image, around)
        weight = found.scores * found.support * shares * (even > _LEAST_RING) * (2 * _ACROSS * found.radii > sides)
        best: tuple[float, list[int]] = (_FEWEST, [])
        for seed in np.argsort(-weight, kind="stable")[:80]:
            alike = np.abs(np.log(found.radii / found.radii[seed])) < _SIZES_DIFFER
            alike &= (np.linalg.norm(hues - hues[seed], axis=1) < _HUE) & (weight > 0)
            kept = _apart(found.centres, np.where(alike, weight, 0.0), _APART_RADII * found.radii[seed])
            best = max(best, (float((weight[kept] ** 2).sum()), kept), key=lambda one: one[0])
        kept = best[1]
        if not kept:
            return None
        radius = float(np.exp(np.average(np.log(found.radii[kept]), weights=weight[kept] ** 2)))
        hue = _hue(np.average(hues[kept], axis=0, weights=weight[kept])[None] * 255)[0]
        return _Scale(radius=radius, hue=hue, brightness=float(np.median(brightness[kept])))

    def _named(self, image: Image, places: _Places, scores: FloatArray, cloth: NDArray[np.float32]) -> tuple[Detection, ...]:
        px = np.clip(np.rint(places.centres).astype(int), 0, np.array(image.shape[1::-1]) - 1)
        bright = np.linalg.norm(cloth[px[:, 1], px[:, 0]], axis=1)
        discs = sample_outlines(image, places.outlines, places.centres)
        named = Namer(self._ball_set).read(judge_looks(discs, bright / np.median(bright)))
        sigma = np.hypot(0.02, places.spread / 4) * places.radii
        return tuple(
            Detection(position_m=(x, y), sigma_m=one_sigma, score=score, px=(x, y), likelihood=name.likelihood)
            for (x, y), one_sigma, score, name in zip(places.centres.tolist(), sigma.tolist(), scores.tolist(), named, strict=True)
        )


def _enlarged(one: Detection, times: float) -> Detection:
    """A detection in the picture as it was before it was reduced."""
    x, y = ((v + 0.5) * times - 0.5 for v in one.position_m)
    return replace(one, position_m=(x, y), px=(x, y), sigma_m=times * one.sigma_m)


def _measured(image: Image, sights: list[Sight], steps: tuple[float, ...], radius: float, least: float, known: bool = False) -> _Places:
    """The network's peaks at several scales, `steps` times `radius`, as round things: of any size near their scale's, or of
    the `known` radius."""
    parts = []
    for sight, step in zip(sights, steps, strict=True):
        sure = sight.scores > least
        starts, scores = sight.centres_px[sure], sight.scores[sure]
        size = radius if known else step * radius
        parts.append(_placed(starts, scores, size, fit_rounds(image, starts, size, known=known), _CLEAR if known else _ROUND))
    return _Places(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in _Places.__slots__})


def _placed(starts: FloatArray, scores: FloatArray, radius: float, rounds: Rounds, clear: float) -> _Places:
    """Round things; the network's own circle where less than `clear` of an outline came out."""
    good = rounds.usable & (rounds.support >= clear)
    angles = np.arange(rounds.outlines_px.shape[1]) * (2 * np.pi / rounds.outlines_px.shape[1])
    circles = starts[:, None] + radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return _Places(
        centres=np.where(good[:, None], rounds.centres_px, starts),
        radii=np.where(good, rounds.radii_px, radius),
        outlines=np.where(good[:, None, None], rounds.outlines_px, circles),
        scores=scores,
        support=np.where(good, rounds.support, 0.0),
        spread=np.where(good, rounds.spread, 1.0),
    )


def _balls(places: _Places, words: list[tuple[FloatArray, FloatArray]], other: Mask, radius: float) -> tuple[_Places, FloatArray]:
    """Those that are balls, best first, and their scores.

    Args:
        places: Everything round, at the right size.
        words: Places and scores of the network at several sizes and mirrored: their mean errs half as much as each.
        other: Shape of the picture: something else than cloth.
        radius: Pixels.
    """
    right = np.abs(np.log(places.radii / radius)) < _SIZE_KEPT
    places = places.take(_apart(places.centres, places.scores * np.maximum(places.support, 0.2) * right, _APART_RADII * radius))
    filled = places.pixels(other.astype(np.float32), _DISC).mean(axis=1)
    cloth = _cloth_around(places, other, radius)
    network = np.mean([network_at(places.centres, seen, said, _NEAR_RADII * radius) for seen, said in words], axis=0)
    both = network * places.support
    told = np.column_stack([np.ones(len(both)), network, places.support, both, cloth, np.minimum(filled, 0.5), filled])
    score = 1 / (1 + np.exp(-told @ np.array(_WORDS)))
    order = np.argsort(-score, kind="stable")[: int((score >= _BELIEVED).sum())]
    return places.take(order), score[order]


def _cloth_around(places: _Places, other: Mask, radius: float) -> FloatArray:
    """Part of the ring around each that shows cloth, shape (N,); where another ball is, nothing is asked."""
    shown = other.astype(np.float32)
    for centre in places.centres[places.scores * places.support > _BALL_BESIDE]:
        cv2.circle(shown, (round(centre[0]), round(centre[1])), round(1.15 * radius), -1.0, -1)
    ring = places.pixels(shown, _RING)
    told = ring >= 0
    cloth = ((ring < 0.5) & told).sum(axis=1) / np.maximum(told.sum(axis=1), _LEAST_TOLD * ring.shape[1])
    return np.asarray(cloth, dtype=np.float64)


def _apart(centres: FloatArray, weight: FloatArray, distance: float) -> list[int]:
    """Indices, heaviest first, of those that are no nearer than `distance` to a heavier one; without weight none."""
    kept: list[int] = []
    for index in np.argsort(-weight, kind="stable")[: int((weight > 0).sum())].tolist():
        if not kept or np.hypot(*(centres[kept] - centres[index]).T).min() > distance:
            kept.append(index)
    return kept


def _hue(colours: FloatArray | NDArray[np.float32]) -> FloatArray:
    """Colours of length 1, last axis BGR; black stays shorter."""
    return np.asarray(colours / np.maximum(np.linalg.norm(colours, axis=-1, keepdims=True), 1.0), dtype=np.float64)


def _like(pixels: NDArray[np.float32], hue: FloatArray, brightness: float) -> Mask:
    """Where pixels, last axis BGR, may be a cloth of this hue and usual brightness."""
    length = np.linalg.norm(pixels, axis=-1)
    near = np.linalg.norm(_hue(pixels) - hue, axis=-1) < _HUE
    return np.asarray(near & (length > max(_DARKEST * brightness, _BLACK)) & (length < _BRIGHTEST * brightness), dtype=np.bool_)


def _pieces(image: Image, colours: NDArray[np.float32]) -> tuple[FloatArray, FloatArray]:
    """Of the picture's largest piece in each colour (N, 3): its size over that of the largest of any colour, which cloth mostly
    is, shape (N,), and its longer side in pixels, shape (N,)."""
    scale = _SMALL_PX / max(image.shape[:2])
    small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), dtype=np.float32)
    rows, columns = (np.linspace(0.15, 0.85, 6) * side for side in small.shape[:2])
    smooth = np.asarray(cv2.medianBlur(small.astype(np.uint8), 5), dtype=np.float32)
    grid = smooth[rows.astype(int)][:, columns.astype(int)].reshape(-1, 3)
    sizes, sides = [], []
    for colour in np.concatenate([colours, grid]):
        piece = _like(small, _hue(colour), float(np.linalg.norm(colour)))
        _, _, stats, _ = cv2.connectedComponentsWithStats(piece.astype(np.uint8), connectivity=4)
        largest = stats[1 + stats[1:, cv2.CC_STAT_AREA].argmax()] if len(stats) > 1 else np.zeros(5, np.int32)
        sizes.append(int(largest[cv2.CC_STAT_AREA]))
        sides.append(float(max(largest[cv2.CC_STAT_WIDTH], largest[cv2.CC_STAT_HEIGHT])) / scale)
    count = len(colours)
    return np.array(sizes[:count], dtype=np.float64) / max(*sizes, 1), np.array(sides[:count], dtype=np.float64)


def _cloth(image: Image, scale: _Scale) -> NDArray[np.float32]:
    """The cloth's colour at every pixel: a smooth field over what looks like it, shape of the picture."""
    cells = tuple(max(8, round(4 * side / scale.radius)) for side in image.shape[1::-1])
    small = np.asarray(cv2.resize(image, cells, interpolation=cv2.INTER_AREA), dtype=np.float32)
    like = _like(small, scale.hue, scale.brightness).astype(np.float32)
    # Three ball radii wide: no ball bends it, the edge of a lamp's light does.
    weight, total = (cv2.GaussianBlur(part, (0, 0), 12.0) for part in (like, small * like[..., None]))
    faint = np.float32(0.02)
    usual = (scale.hue * scale.brightness).astype(np.float32)
    field = (total + faint * usual) / (weight + faint)[..., None]
    return np.maximum(np.asarray(cv2.resize(field, image.shape[1::-1], interpolation=cv2.INTER_LINEAR), dtype=np.float32), 1.0)


def _other(image: Image, cloth: NDArray[np.float32]) -> Mask:
    """Where something else than lit or shaded cloth is seen (vision.cloth has the theory)."""
    pixels = image.astype(np.float32)
    power = (cloth * cloth).sum(axis=-1)
    brightness = (pixels * cloth).sum(axis=-1) / power
    rest = np.sqrt(np.maximum((pixels * pixels).sum(axis=-1) - brightness * brightness * power, 0.0))
    coloured = rest > np.maximum(_REST, _REST_SHARE * brightness * np.sqrt(power))
    return np.asarray(coloured | (brightness < _DIM) | (brightness > _BRIGHT), dtype=np.bool_)


def _hidden(sight: Sight, other: Mask) -> Mask:
    """Where people, cues or graphics lie over the cloth's bounding box, a cell of the picture's 64th part each."""
    rows, columns = np.nonzero(~other)
    if not len(rows):
        return np.zeros((1, 1), dtype=np.bool_)
    (top, bottom), (left, right) = (np.percentile(one, (1, 99)).astype(int) for one in (rows, columns))
    covered = (sight.covered > _COVERED).astype(np.uint8)[top : bottom + 1, left : right + 1] * np.uint8(250)
    return np.asarray(cv2.resize(covered, (64, 48), interpolation=cv2.INTER_AREA) > 125, dtype=np.bool_)
