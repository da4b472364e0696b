"""Bringing the cue ball into play from the hand in pyramid: zones and placing (PYR-11, 21, COMB-H, DYN-5.2, 7); plain module."""

from collections.abc import Iterable, Mapping

from referee.rules import facts
from referee.rules.base import Case
from referee.rules.pyramid_variants import Variant
from tracker.shot import ShotEvent

HOUSE_U = facts.HEAD_STRING_U
"""The house line; it lies outside the house (PYR-2.2)."""
REAR_U = 0.75
"""The rear line; it lies outside the temporary house (PYR-21.2b, A-P13)."""

ZONE_OPTIONS = {"hand_house": "BIH_HOUSE", "hand_temp_house": "BIH_TEMP_HOUSE", "hand_anywhere": "BIH_ANYWHERE"}


def is_all_in_house(balls: Iterable[str], lying: Mapping[str, tuple[float, float]]) -> bool:
    """PYR-21.2b: the centre of every object ball is known to lie in the house."""
    listed = tuple(balls)
    return bool(listed) and all(ball in lying and lying[ball][0] < HOUSE_U for ball in listed)


def find_zone(case: Case, variant: Variant, balls: Iterable[str], lying: Mapping[str, tuple[float, float]], *, is_penalty: bool) -> str:
    """PYR-21, DYN-5.2, DYN-7: where the cue ball comes into play from, as `cue_next` says it.

    Args:
        case: For the options.
        variant: The game.
        balls: The object balls then on the table.
        lying: Where they lie, as far as known.
        is_penalty: The stroke follows an illegal cue ball, else a legal one.
    """
    anywhere = variant.premium_hand == "hand_anywhere"
    if anywhere and not (is_penalty and case.options.pyr_dynamic_penalty_hand == "house"):
        return "hand_anywhere"
    return "hand_temp_house" if is_all_in_house(balls, lying) else "hand_house"


def current_zone(case: Case, variant: Variant) -> str:
    """The zone of the stroke that is now to be played with the cue ball in hand."""
    state = case.state
    if state.cue_state in ("hand_anywhere", "hand_temp_house"):
        return state.cue_state
    own = variant.cue_ball or state.cue_ball
    balls = [ball for ball in state.balls if ball != own]
    if state.cue_state == "hand_house" or state.phase in ("break", "rebreak"):
        return "hand_temp_house" if is_all_in_house(balls, state.positions) else "hand_house"
    return find_zone(case, variant, balls, state.positions, is_penalty=state.phase == "penalty_hand")


def placement_fault(case: Case, zone: str) -> str | None:
    """COMB-H1, PYR-11: why the cue ball may not lie where it was last set; None where it may.

    `outside` the playing surface, `zone` (on or over its line), `touching` a ball.
    """
    place = facts.cue_ball_set_at(case)
    if place is None:
        return None
    u, v = place
    if not (0 <= u <= 1 and 0 <= v <= 1):
        return "outside"
    if (zone == "hand_house" and u >= HOUSE_U) or (zone == "hand_temp_house" and u <= REAR_U):
        return "zone"
    return "touching" if facts.touches_a_ball(case, place) else None


def is_inside(zone: str, place: tuple[float, float] | None) -> bool:
    """The centre lies inside the house or temporary house of that stroke; a ball of unknown place lies far from any line."""
    if place is None:
        return False
    return place[0] < HOUSE_U if zone == "hand_house" else zone == "hand_temp_house" and place[0] > REAR_U


def is_placing(case: Case, event: ShotEvent) -> bool:
    """COMB-H2: the touch happened with the cue ball in hand, by that ball or while it was being placed (phase or a placement)."""
    if not case.state.in_hand or event not in facts.before_tip(case):
        return False
    if event.fields["ball"] == case.state.cue_ball or event.fields["by"] == "cue_ball_in_hand":
        return True
    if case.state.phase == "premium_placement":
        return True
    earlier = case.events[: case.events.index(event)]
    return any(other.type == "placement" for other in earlier)
