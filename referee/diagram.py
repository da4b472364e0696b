"""A shot as a picture: an SVG table, true to proportion, head at the left; standard library only.

Balls before the shot are discs with their numbers, balls after it outlines. Paths are lines in the ball's colour; the
place of the first contact is a bold ring, other contacts are dots, cushion contacts short bars, pocketed balls small
discs in the pocket. Where no path was recorded, a dotted line joins the two places of a ball and claims nothing more.

One unit is a thousandth of the table's length, so that every table gets the same line widths; y is turned over
because SVG counts downwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, sqrt
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from calibration.equipment import BallId
from calibration.table import POCKETS, Point, Table
from referee.wording import ENGLISH, ball_name, event_text
from referee.words import Words, fill
from vision.palette import ball_rgb, is_dark, is_striped, label

PathPoint = tuple[float, float, float]
"""(t, x, y): seconds from the tip contact, metres in the table frame."""
Paths = Mapping[BallId, Sequence[PathPoint]]

_RAIL = 52.0
"""Width of the rail around the bed, units (about 13 cm on a 9 ft table)."""
_CUSHION = 19.0
"""Width of the rubber shown between nose and wood, units (about 5 cm)."""
_MOVED_M = 0.004
"""A ball that ends nearer than this to where it was is drawn once, metres: below the eye's resolution in the drawing."""
_THIN = 0.6
"""Path points nearer than this to the line of their neighbours are left out, units: half a pixel of a wide report."""
_SURE = 0.9
"""Probability from which an event's mark is drawn full; below it the mark is faint."""


@dataclass(frozen=True, slots=True)
class _Scale:
    """From metres to drawing units."""

    per_m: float

    def point(self, place: Point) -> tuple[float, float]:
        return place[0] * self.per_m, -place[1] * self.per_m


def draw_shot(table: Table, shot: Mapping[str, Any], paths: Paths | None = None, words: Words = ENGLISH) -> str:
    """The SVG element of one shot.

    Args:
        table: Geometry.
        shot: A shot line, or a shot of `cueref.review/1`; `before`, `after` and `events` are read.
        paths: Where each ball went; balls that stayed need no entry.
        words: The language of its texts.

    Returns:
        One `<svg>` with classes for the colours that the page sets (`rail`, `cloth`, `mark`); every text is escaped.
    """
    paths = paths or {}
    scale = _Scale(1000 / table.spec.length_m)
    radius = table.spec.ball_radius_m * scale.per_m
    before, after = _layout(shot, "before"), _layout(shot, "after")
    parts = [*_table(table, scale, words), *_lines(scale, before, after, paths)]
    parts += [_outline(scale, ball, place, radius, words) for ball, place in after.items() if _moved(before.get(ball), place)]
    parts += [_disc(scale.point(place), ball, radius, words) for ball, place in before.items()]
    parts += [*_marks(table, scale, shot, paths, radius, words), *_pocketed(table, scale, shot, radius, words)]
    width, height = drawing_size(table)
    box = f"{-width / 2:.1f} {-height / 2:.1f} {width:.1f} {height:.1f}"
    text = quoteattr(fill(words.labels["diagram"], {"number": str(shot.get("number", ""))}, words))
    return f'<svg class="table" viewBox="{box}" role="img" aria-label={text}>' + "".join(parts) + "</svg>"


def drawing_size(table: Table) -> tuple[float, float]:
    """Width and height of the drawing, rails included, units of a thousandth of the table's length."""
    return 1000 + 2 * _RAIL, 1000 * table.spec.width_m / table.spec.length_m + 2 * _RAIL


def _layout(shot: Mapping[str, Any], key: str) -> dict[BallId, Point]:
    return {str(ball): (float(x), float(y)) for ball, (x, y) in (shot.get(key) or {}).items()}


def _moved(start: Point | None, end: Point) -> bool:
    return start is None or hypot(end[0] - start[0], end[1] - start[1]) > _MOVED_M


def _table(table: Table, scale: _Scale, words: Words) -> list[str]:
    half_width = 500 * table.spec.width_m / table.spec.length_m
    rail, rubber = (500 + _RAIL, half_width + _RAIL), (500 + _CUSHION, half_width + _CUSHION)
    parts = [_rect("rail", *rail, 26), _rect("rubber", *rubber, 6), _rect("cloth", 500, half_width, 0)]
    parts += [_pocket(table, scale, name) for name in POCKETS]
    string_x = table.head_string_m * scale.per_m
    parts.append(f'<path class="string" d="M{string_x:.1f} {-half_width:.1f}V{half_width:.1f}"/>')
    parts += [f'<circle class="spot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in map(scale.point, table.spots_m().values())]
    middle = (_RAIL + _CUSHION) / 2
    for eighth in (1, 2, 3, 5, 6, 7):
        x = -500 + 125 * eighth
        parts += [f'<circle class="sight" cx="{x}" cy="{side * (half_width + middle):.1f}" r="3.2"/>' for side in (-1, 1)]
    for quarter in (-1, 0, 1):
        y = quarter * half_width / 2
        parts += [f'<circle class="sight" cx="{side * (500 + middle):.1f}" cy="{y:.1f}" r="3.2"/>' for side in (-1, 1)]
    for side, word in ((-1, words.labels["head"]), (1, words.labels["foot"])):
        parts.append(_text(side * (500 + middle), half_width / 4, word, 12, "end"))
    return parts


def _rect(name: str, half_width: float, half_height: float, corner: float) -> str:
    return (
        f'<rect class="{name}" x="{-half_width:.1f}" y="{-half_height:.1f}" width="{2 * half_width:.1f}" '
        f'height="{2 * half_height:.1f}" rx="{corner:g}"/>'
    )


def _pocket_centre(table: Table, name: str) -> Point:
    """Middle of the hole, behind the mouth by about half of its width."""
    x, y = table.mouth_centre_m(name)
    mouth = table.side_mouth_m if name[0] == "S" else table.corner_mouth_m
    if name[0] == "S":
        back = 0.42 * mouth
        return x, y + (back if y > 0 else -back)
    back = 0.6 * mouth / sqrt(2)
    return x + (back if x > 0 else -back), y + (back if y > 0 else -back)


def _pocket(table: Table, scale: _Scale, name: str) -> str:
    (ax, ay), (bx, by) = (scale.point(end) for end in table.mouth_m(name))
    x, y = scale.point(_pocket_centre(table, name))
    radius = (table.side_mouth_m if name[0] == "S" else table.corner_mouth_m) * scale.per_m / 2
    mouth = f'<path class="cloth" d="M{ax:.1f} {ay:.1f}L{bx:.1f} {by:.1f}L{x:.1f} {y:.1f}Z"/>'
    return f'{mouth}<circle class="hole" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'


def _lines(scale: _Scale, before: Mapping[BallId, Point], after: Mapping[BallId, Point], paths: Paths) -> list[str]:
    parts = []
    for ball, path in paths.items():
        places = _thinned([scale.point((x, y)) for _, x, y in path])
        if len(places) > 1:
            d = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            parts.append(f'<path class="halo" d="{d}"/><path class="path" stroke="{_hex(ball)}" d="{d}"/>')
    for ball, end in after.items():
        start = before.get(ball)
        if ball not in paths and start is not None and _moved(start, end):
            (ax, ay), (bx, by) = scale.point(start), scale.point(end)
            parts.append(f'<path class="joined" stroke="{_hex(ball)}" d="M{ax:.1f} {ay:.1f}L{bx:.1f} {by:.1f}"/>')
    return parts


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The same line with as few points as keep it within `_THIN` (Douglas & Peucker 1973), so that a report stays small."""
    if len(points) < 3:
        return points
    keep, spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        far, index = max(((_distance(points[i], points[first], points[last]), i) for i in range(first + 1, last)), default=(0.0, first))
        if far > _THIN:
            keep.add(index)
            spans += [(first, index), (index, last)]
    return [points[index] for index in sorted(keep)]


def _distance(point: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    """Distance of a point from the segment a-b."""
    (px, py), (ax, ay), (bx, by) = point, a, b
    length = hypot(bx - ax, by - ay)
    if length == 0:
        return hypot(px - ax, py - ay)
    along = max(0.0, min(1.0, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length**2))
    return hypot(px - ax - along * (bx - ax), py - ay - along * (by - ay))


def _hex(ball: BallId) -> str:
    red, green, blue = ball_rgb(ball)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _disc(place: tuple[float, float], ball: BallId, radius: float, words: Words) -> str:
    x, y = place
    colour, stripe = _hex(ball), ""
    if is_striped(ball):
        high = 0.56 * radius
        wide = sqrt(radius**2 - high**2)
        arcs = f"M{x + wide:.1f} {y - high:.1f}A{radius:.1f} {radius:.1f} 0 0 1 {x + wide:.1f} {y + high:.1f}"
        arcs += f"H{x - wide:.1f}A{radius:.1f} {radius:.1f} 0 0 1 {x - wide:.1f} {y - high:.1f}Z"
        stripe = f'<path fill="{colour}" d="{arcs}"/>'
        colour = "#faf7ec"
    name = f"<title>{escape(ball_name(ball, words))}</title>"
    disc = f'<circle class="ball" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}"/>'
    number = _text(x, y, label(ball), 1.15 * radius, "light" if is_dark(ball_rgb(ball)) else "dark") if label(ball) else ""
    return f"<g>{name}{disc}{stripe}{number}</g>"


def _outline(scale: _Scale, ball: BallId, place: Point, radius: float, words: Words) -> str:
    x, y = scale.point(place)
    ring = f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'
    ring += f'<circle class="after" stroke="{_hex(ball)}" cx="{x:.1f}" cy="{y:.1f}" r="{radius - 1.5:.1f}"/>'
    number = _text(x, y, label(ball), 1.05 * radius, "dark") if label(ball) else ""
    return f"<g><title>{escape(ball_name(ball, words))} {words.labels['after_shot']}</title>{ring}{number}</g>"


def _text(x: float, y: float, text: str, size: float, style: str) -> str:
    return f'<text class="t {style}" x="{x:.1f}" y="{y:.1f}" font-size="{size:.1f}">{escape(text)}</text>'


def place_at(path: Sequence[PathPoint], t: float) -> Point | None:
    """Where the path is at `t`, straight between its points; its ends hold outside. None for an empty path."""
    if not path:
        return None
    if t <= path[0][0]:
        return path[0][1], path[0][2]
    for (ta, xa, ya), (tb, xb, yb) in pairwise(path):
        if ta <= t <= tb:
            share = 0.0 if tb == ta else (t - ta) / (tb - ta)
            return xa + share * (xb - xa), ya + share * (yb - ya)
    return path[-1][1], path[-1][2]


def _marks(table: Table, scale: _Scale, shot: Mapping[str, Any], paths: Paths, radius: float, words: Words) -> list[str]:
    before, cue_ball, first = _layout(shot, "before"), shot.get("cue_ball"), True
    parts = []
    for event in shot.get("events") or ():
        kind, t = event.get("type"), float(event.get("t", 0.0))
        if kind not in ("ball_ball", "ball_cushion"):
            continue
        balls = (event.get("a"), event.get("b")) if kind == "ball_ball" else (event.get("ball"),)
        places = [place_at(paths[ball], t) if ball in paths else before.get(str(ball)) for ball in balls]
        is_first = first and kind == "ball_ball" and cue_ball in balls
        first = first and not is_first
        if not any(ball in paths for ball in balls) or any(place is None for place in places):
            continue
        at = [scale.point(place) for place in places if place is not None]
        faint = "" if float(event.get("p", 1.0)) >= _SURE else " faint"
        shape = _contact(at, is_first, radius) if kind == "ball_ball" else _bar(table, scale, at[0], str(event.get("cushion")), radius)
        parts.append(f'<g class="mark{faint}"><title>{escape(event_text(event, words))}</title>{shape}</g>')
    return parts


def _contact(at: Sequence[tuple[float, float]], is_first: bool, radius: float) -> str:
    (ax, ay), (bx, by) = at
    dot = f'<circle class="dot" cx="{(ax + bx) / 2:.1f}" cy="{(ay + by) / 2:.1f}" r="{0.28 * radius:.1f}"/>'
    return dot + f'<circle class="first" cx="{ax:.1f}" cy="{ay:.1f}" r="{radius:.1f}"/>' if is_first else dot


def _bar(table: Table, scale: _Scale, at: tuple[float, float], cushion: str, radius: float) -> str:
    x, y = at
    half_width = table.spec.width_m * scale.per_m / 2
    if cushion in ("head", "foot"):
        nose = -500.0 if cushion == "head" else 500.0
        return f'<path class="bar" d="M{nose:.1f} {y - radius:.1f}V{y + radius:.1f}"/>'
    nose = -half_width if cushion == "left" else half_width
    return f'<path class="bar" d="M{x - radius:.1f} {nose:.1f}H{x + radius:.1f}"/>'


def _pocketed(table: Table, scale: _Scale, shot: Mapping[str, Any], radius: float, words: Words) -> list[str]:
    parts, fallen = [], dict.fromkeys(POCKETS, 0)
    pairs = shot.get("pocketed")
    if pairs is None:
        pairs = [
            (e.get("ball"), e.get("pocket")) for e in shot.get("events") or () if e.get("type") == "pocketed" and e.get("p", 1.0) >= 0.5
        ]
    for ball, pocket in pairs:
        if pocket in fallen:
            x, y = scale.point(_pocket_centre(table, pocket))
            shift = (1 if x < 0 else -1) * 1.5 * radius * fallen[pocket]
            parts.append(_disc((x + shift, y), str(ball), 0.85 * radius, words))
            fallen[pocket] += 1
    return parts
