"""The page about accuracy: figures of simulated shots as a table, two diagrams, and what they mean at the table."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from pathlib import Path
from typing import Any

ROWS = (
    ("first_contact_ordinary", "first ball hit, ordinary shots", "share"),
    ("rail_after_contact", "a cushion after the contact", "share"),
    ("rail_before_contact", "a cushion before the first ball", "share"),
    ("pocketed", "balls pocketed, and where", "share"),
    ("all_four", "all four right (split hits included)", "share"),
    ("break_balls_to_cushion", "breaks: the balls that reached a cushion", "share"),
    ("sure_facts_right", "facts stated as sure (0.99) that are right", "share"),
    ("referred_ordinary", "ordinary shots left to a person", "share"),
    ("ball_ball_recall", "contacts of balls found", "share"),
    ("ball_ball_precision", "contacts of balls stated that were", "share"),
    ("ball_cushion_recall", "cushion contacts found", "share"),
    ("ball_cushion_precision", "cushion contacts stated that were", "share"),
    ("first_contact_ms", "time of the first contact: half within, 95 % within (ms)", "times"),
)

NAMES = {
    "60": "60 fps, 1 mm",
    "30": "30 fps, 2 mm",
    "120": "120 fps, 1 mm",
    "60fps-1mm": "60 fps, 1 mm (shared set)",
    "30fps-2mm": "30 fps, 2 mm (shared set)",
    "60s": "60 fps, 1 mm (compare)",
    "60miss": "15 % not detected",
    "60bias": "1 mm smooth calibration error",
    "60exp": "exposure 1/60 s",
    "60jit": "1 ms jitter of the stamps",
    "60det": "60 fps, 1 mm, without names",
    "60hard": "60 fps, 1 mm, made to be hard",
}

LIMITS = """## What that means at the table

- **Who was hit first** is certain from 60 pictures a second unless the two balls are hit within a thousandth of a second of each
  other. Closer than a tenth of that they really are hit together, and the page says so: "hit almost together".
- **Two balls hit right after the stroke**: where two pictures or fewer show the cue ball on its way (at 30 a second, 10 cm at
  walking speed), which of two close balls was first is never stated as certain.
- **A ball that was only grazed** is seen when it moves a millimetre. A cue ball that passes at walking speed would have to touch
  by a few thousandths of a millimetre to leave no trace, so a miss is called a miss; one that dies beside a ball is left open.
- **A cushion** is certain from about a finger's push (5 cm/s). A ball that crawls there is told by its way back, or by how it is
  stopped where it would have rolled on; its time is then known to a twentieth of a second. A ball that dies within half a
  millimetre of the rubber is left to the official, who can look at the gap; cueref then says how likely a touch is.
- **Just after the stroke, or pinned** between another ball and a cushion, a touch of the cushion is told by where the ball
  lay and where it went, also where it was driven there and back between two pictures; a ball frozen to the cushion that it is
  struck into shows nothing.
- **In the jaws** the way of the ball says whether it clipped a point: sure to about two millimetres.
- **Two things in one picture**, a ball driven into the rubber just behind it or hit twice, are told by playing the moment
  through with what went in and what came out. Two touches of the same two balls within 20 ms count as one.
- **Behind an arm** nothing is certain. If the first contact happened there, the answer has a share of "unknown".
- **A cluster** in a break is not told contact by contact; which balls reached a cushion is.
- **Not seen from above**: which part of the tip hit, a push, a foot off the floor, a sleeve that moves nothing, how high a
  ball hops. A double hit of the cue, and balls frozen within a millimetre, are for a person.

These are simulated shots: flat physics, names given, noise as stated. They are an upper bound for a camera whose errors, those
of calibration included, are that large. What real recordings give is in the README.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One folder of shots.

    Attributes:
        name: Of the folder.
        result: What the scorer said.
        seconds: Median processor time of a shot; None where shots were kept.
        near: Passes without a touch and stops short of a cushion: how many, and how many were called touches.
        exchanged: Balls that tracking exchanged, where no names were given.
    """

    name: str
    result: dict[str, Any]
    seconds: float | None
    near: dict[str, tuple[int, int]]
    exchanged: int | None = None

    @property
    def title(self) -> str:
        """For people: the folder's name is that of its condition, a seed or a number before it."""
        return NAMES.get(self.name, NAMES.get(self.name.split("_", 1)[-1], self.name))


def write_page(path: Path, conditions: Sequence[Condition], note: str = "", made: Sequence[tuple[int, int]] = ()) -> None:
    """Write the page, and its diagrams into `images` beside it.

    Args:
        path: Of the page.
        conditions: A column each.
        note: What a reader must know of this run.
        made: Passes without a touch, then stops short of a cushion, that were made for it: how many, and how many were called touches.
    """
    images = path.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    (images / "accuracy-reliability.svg").write_text(reliability_svg(conditions), encoding="utf-8")
    (images / "accuracy-facts.svg").write_text(facts_svg(conditions), encoding="utf-8")
    parts = [
        "# How accurate event reading is\n",
        "Generated by `benchmarks/sim_events.py --report docs/accuracy.md` from simulated shots with seeds kept apart from those that the",
        "method was made on, scored by `score.py` of the shared simulation; contacts too soft to be seen and ties closer than its limits",
        "count neither way. A column is a condition; a share is of the shots or events that count. Few shots prove little: none wrong",
        "of 100 is 97 % at the least, none of 3,000 is 99.9 %.\n",
        f"{note}\n" if note else "",
        _table(conditions),
        "![Share of facts right in each condition](images/accuracy-facts.svg)\n",
        "## Split hits\n",
        _splits(conditions),
        "## Is a stated probability worth what it says?\n",
        "Of the facts stated with a probability in a band: how many were wrong, and how many the probability admits.\n",
        _bands(conditions),
        "![Stated against true share of errors](images/accuracy-reliability.svg)\n",
        _near(conditions, made),
        LIMITS,
    ]
    path.write_text("\n".join(part for part in parts if part), encoding="utf-8")


def _table(conditions: Sequence[Condition]) -> str:
    rows = ["| | " + " | ".join(c.title for c in conditions) + " |", "| --- |" + " --- |" * len(conditions)]
    rows.append("| shots | " + " | ".join(str(c.result["shots"]) for c in conditions) + " |")
    for key, text, kind in ROWS:
        rows.append(f"| {text} | " + " | ".join(_cell(c.result.get(key), kind) for c in conditions) + " |")
    if any(c.seconds is not None for c in conditions):
        seconds = ("-" if c.seconds is None else f"{c.seconds:.2f}" for c in conditions)
        rows.append("| seconds a shot on one core (median) | " + " | ".join(seconds) + " |")
    if any(c.exchanged is not None for c in conditions):
        cells = ("-" if c.exchanged is None else str(c.exchanged) for c in conditions)
        rows.append("| balls exchanged in tracking | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def _cell(value: Any, kind: str) -> str:
    if value is None:
        return "-"
    if kind == "times":
        return " / ".join("-" if part is None else f"{part:.1f}" for part in value)
    return f"{100 * value:.1f} %"


def _splits(conditions: Sequence[Condition]) -> str:
    spans = ("<1ms", "1-2ms", "2-5ms", "5-13ms")
    rows = ["| apart | " + " | ".join(c.title for c in conditions) + " |", "| --- |" + " --- |" * len(conditions)]
    for span in spans:
        cells = (c.result["first_contact_split"].get(span, (0, 0)) for c in conditions)
        rows.append(f"| {span} | " + " | ".join(f"{right} of {total}" if total else "-" for right, total in cells) + " |")
    return "\n".join(rows) + "\n"


def _pooled(conditions: Sequence[Condition]) -> dict[str, tuple[int, float, float]]:
    pooled: dict[str, tuple[int, float, float]] = {}
    for condition in conditions:
        for band, entry in condition.result["bands"].items():
            count, wrong, claimed = pooled.get(band, (0, 0.0, 0.0))
            n = int(entry["n"])
            pooled[band] = count + n, wrong + n * entry["error"], claimed + n * entry["claimed"]
    return dict(sorted(pooled.items()))


def _bands(conditions: Sequence[Condition]) -> str:
    rows = ["| stated | facts | wrong | admitted |", "| --- | --- | --- | --- |"]
    for band, (count, wrong, claimed) in _pooled(conditions).items():
        name = "from 0.999" if band.endswith("-2") else band.replace("-", " to ", 1)
        rows.append(f"| {name} | {count} | {wrong:.0f} | {claimed:.1f} |")
    return "\n".join(rows) + "\n"


def _near(conditions: Sequence[Condition], made: Sequence[tuple[int, int]]) -> str:
    lines = []
    for condition in conditions:
        (passes, touched), (stops, railed) = condition.near["nearmiss"], condition.near["softrail"]
        if passes or stops:
            lines.append(
                f"{condition.title}: of {passes} passes with a gap of 0.05 to 6 mm {touched} were called contacts; of {stops} balls that "
                f"stopped 0.4 to 6 mm short of a cushion {railed} were called touches.\n"
            )
    if made:
        (passes, touched), (stops, railed) = made
        lines.append(
            f"Made without other balls and on straight ways (60 fps, 1 mm): of {passes} passes with a gap of 0.05 to 8 mm {touched} were "
            f"called contacts; of {stops} stops 0.4 to 10 mm short of a cushion {railed} were called touches.\n"
        )
    return "## Near misses\n\n" + "\n".join(lines) if lines else ""


def facts_svg(conditions: Sequence[Condition]) -> str:
    """Bars of the shares that are wrong, a group for each condition."""
    keys = [(key, text) for key, text, kind in ROWS[:5] if kind == "share"]
    colours = ("#1b6ca8", "#2a9d6f", "#d98324", "#8d5fb0", "#555555")
    width, group, top = 760, 24 + 14 * len(keys), 24
    height = top + group * len(conditions) + 40
    most = max([0.02, *(1 - c.result[key] for c in conditions for key, _ in keys if c.result.get(key) is not None)])
    parts = [_open(width, height), f'<text x="8" y="16" class="t">Wrong, in per cent of the shots (full width {100 * most:.1f} %)</text>']
    for row, condition in enumerate(conditions):
        y = top + row * group
        parts.append(f'<text x="8" y="{y + 16}" class="t">{condition.title}</text>')
        for k, (key, text) in enumerate(keys):
            value = condition.result.get(key)
            if value is None:
                continue
            length = 360 * (1 - value) / most
            line = y + 20 + 14 * k
            parts.append(f'<rect x="240" y="{line}" width="{max(length, 1):.1f}" height="10" fill="{colours[k]}"/>')
            parts.append(f'<text x="234" y="{line + 9}" class="r">{text}</text>')
            parts.append(f'<text x="{244 + max(length, 1):.1f}" y="{line + 9}" class="s">{100 * (1 - value):.2f}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def reliability_svg(conditions: Sequence[Condition]) -> str:
    """Share of errors admitted against found, both on logarithmic axes; the line is what would be right."""
    size, left = 360, 56
    parts = [_open(size + left + 20, size + 70)]

    def at(share: float) -> float:
        return size * (log10(min(max(share, 1e-4), 1.0)) + 4) / 4

    for power in range(-4, 1):
        place = at(10.0**power)
        parts.append(f'<line x1="{left + place}" y1="10" x2="{left + place}" y2="{10 + size}" class="g"/>')
        parts.append(f'<line x1="{left}" y1="{10 + size - place}" x2="{left + size}" y2="{10 + size - place}" class="g"/>')
        parts.append(f'<text x="{left + place}" y="{size + 26}" class="m">{100 * 10.0**power:g} %</text>')
        parts.append(f'<text x="{left - 4}" y="{14 + size - place}" class="r">{100 * 10.0**power:g} %</text>')
    parts.append(f'<line x1="{left}" y1="{10 + size}" x2="{left + size}" y2="10" class="l"/>')
    for count, wrong, claimed in _pooled(conditions).values():
        if count < 5:
            continue
        x, y = left + at(claimed / count), 10 + size - at(wrong / count)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 + min(count, 1000) ** 0.5 / 8:.1f}" fill="#1b6ca8" fill-opacity="0.6"/>')
        parts.append(f'<text x="{x + 8:.1f}" y="{y - 6:.1f}" class="s">{count}</text>')
    parts.append(f'<text x="{left + size / 2}" y="{size + 50}" class="m">errors admitted by the stated probability</text>')
    parts.append(f'<text x="14" y="{10 + size / 2}" class="m" transform="rotate(-90 14 {10 + size / 2})">errors found</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _open(width: int, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        "<style>text{font:11px sans-serif;fill:#333}.t{font-weight:bold}.r{text-anchor:end}.m{text-anchor:middle}"
        ".g{stroke:#ddd}.l{stroke:#888;stroke-dasharray:4 3}</style>"
        f'<rect width="{width}" height="{height}" fill="#fff"/>'
    )
