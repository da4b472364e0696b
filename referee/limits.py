"""Places too near a limit to be decided by a camera: the other side of the limit is judged too; plain module.

14.1, when the fourteenth ball has fallen: whether the fifteenth ball or the cue ball is in the rack, on the head spot or
behind the head string decides where both are put (S141-T). Within 3 mm of such a limit the official confirms it
(rules.md section 3.3); a place that he gives by a correction settles it.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import cos, pi, sin

from referee.rules.base import Case
from referee.rules.facts import rest_positions
from referee.rules.straight_pool_rack import Place, cue_column, fifteenth_row
from referee.ruling import Reason, Ruling

CONFIRM_M = 0.003
"""Nearer than this to a limit a person confirms (rules.md section 3.3): less would trust a camera whose places err by
1 to 2 mm, more would ask about balls that everybody sees are clear."""
DIRECTIONS = 16
"""Tried around the place; between two of them the limit is missed by less than 0.1 mm."""
NAMES = {"R1": "in the rack", "C1": "in the rack", "R5": "on the head spot", "C3": "on the head spot", "R3": "behind the head string"}


def near_limits(case: Case, ruling: Ruling) -> Iterator[tuple[Case, Reason]]:
    """The case with a ball on the other side of a limit that it lies within 3 mm of, and the question that this asks.

    Args:
        case: Of a stroke.
        ruling: On it; only one that racks fourteen or fifteen balls hangs on places.
    """
    if ruling.rerack not in ("14", "15"):
        return
    places = rest_positions(case)
    cue = case.state.cue_ball
    fallen = {event.fields["ball"] for event in case.events if event.type in ("pocketed", "off_table")}
    for ball, place in places.items():
        if ball not in case.state.balls or ball in fallen:
            continue
        here = _class(case, place, is_cue=ball == cue)
        seen = {here}
        for moved in _around(case, place):
            there = _class(case, moved, is_cue=ball == cue)
            if there not in seen:
                seen.add(there)
                name = next(NAMES[key] for key in sorted((here, there)) if key in NAMES)
                yield _with_place(case, ball, moved), Reason("near_limit", (), {"ball": ball, "place": name})


def _class(case: Case, place: Place, *, is_cue: bool) -> str:
    table = case.state.table
    return cue_column(table, place) if is_cue else fifteenth_row(table, place, is_down=False)


def _around(case: Case, place: Place) -> Iterator[Place]:
    table = case.state.table
    for step in range(DIRECTIONS):
        angle = 2 * pi * step / DIRECTIONS
        yield place[0] + CONFIRM_M * cos(angle) / table.length_m, place[1] + CONFIRM_M * sin(angle) / table.width_m


def _with_place(case: Case, ball: str, place: Place) -> Case:
    events = tuple(
        replace(event, fields={**event.fields, "positions": {**event.fields.get("positions", {}), ball: list(place)}})
        if event.type == "stop"
        else event
        for event in case.events
    )
    return replace(case, events=events)
