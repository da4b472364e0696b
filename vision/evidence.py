"""How surely a circle is a ball: what its outline shows, what the foreground says of its piece, what the network says.

Theory: three witnesses that err for different reasons. The outline knows edges and nothing of shading; the foreground
knows the cloth and nothing of shape; the network knows how balls look and nothing exactly. The network's word buys
part of the outline that would else be needed, the more the surer it is; without it a circle in something larger must
be nearly whole.

Fails: a round thing on the cloth with a full outline that the renderer never showed is a ball for all three.
"""

import numpy as np
from numpy.typing import NDArray

EXPLAINED = 0.6
"""A piece of foreground explained by discs to this part is balls; below, it is something larger."""
FREE_COVERED = 0.2
"""Part of the ring around a circle at something larger that must be cloth: half a ball under a sleeve has 0.4, a watch
or a badge on it none. The network, where it is sure (`VOUCHED`), knows better."""
KNOWN = 0.25
"""Network score from which a place is a candidate by itself: of the balls in real pictures one in thirty has less than 0.3; at
0.2 rings of light begin."""
SMEAR_KNOWN = 0.3
"""The network's word somewhere on a streak without which that is doubtful: of 45 rendered smears the least has 0.32, bars of a
broadcast's graphics, fingers and cues have 0.21 and less."""
FILLED, VOUCHED = 0.9, 0.6
"""Part of a disc that is not cloth: of 400 balls in real pictures the least filled has 0.98, while crossing lines and rims of
light that look like an outline have 0.2 to 0.8. Below, it may yet be a ball of the cloth's own colour, if the network is as
sure as this: of such crossings it holds 0.25 to 0.55."""
_IN_THE_OPEN = ((0.75, 0.45, 1.1), (0.5, 0.5, 1.25))
"""Or if it has cloth around it: part of the ring that shows cloth, the network's word, and what that and the part of the outline
seen add up to, each at least. Of rendered balls in their cloth's colour one in twenty has less than the first, a green ball on
green cloth in a real picture 1.22; crossings of lights and lettering reach 1.25, but nearly nothing of their ring is cloth."""
_NO_CLOTH, SURE = 0.1, 0.75
"""Part of the ring that is no cloth about a circle, and the network's word that is needed then, where the piece is not all balls:
patches and letters on clothes have up to 0.69."""
_HANGING_KNOWN, _HANGING, _HANGING_CLEAR = 0.4, 1.2, 0.65
"""The network's word for a ball in the mouth of a pocket, and what that and the part of its outline seen add up to, at least:
balls there have 0.66 and 1.35, holes and balls that lie in them, whose outline may be whole, 0.3 and up to 1.3. Less of a word
will do where so much of the ring shows cloth: about holes and what lies in them it is 0.62 and less."""
_LONE, _PACKED, _COVERED, _BY_NETWORK = 0.45, 0.75, 0.95, 0.7
"""Part of the outline that must be seen without the network's word: a lone blob, a ball among balls, a circle on or
under something larger, and any place that the network knows. Lower takes wrinkles for balls, higher loses balls half
under a sleeve. Found rates on real pictures change by less than 1 % for 0.1 either way."""
_MOSTLY_CLOTH, _BESIDE = 0.7, 0.64
"""Part of the ring from which what a circle belongs to lies beside it, a cue that touches it, and the part of its outline needed
then: of rendered balls beside cues the least has 0.66, of tips of fingers the most 0.59."""
_HALF_SURE = 0.45
"""The network's word from which a place is one that it knows: fingers reach 0.36, a ball's black shadow 0.41; balls of which it is
less sure show all of their outline."""
_BOUGHT = 0.7
"""Part of the outline that a network score of 1 replaces: dark balls on dark cloth show 0.2 of theirs at 0.7. A ball among balls
is known to the network, or seen to 0.78; crossings of projected lights beside one are seen to 0.6 and half known. Where there is
no cloth around it, as in a rack and in the hole of a pocket, only its sure word does."""
_FLOOR = 0.15
"""Part of the outline without which there is nothing to place."""
SHARP = 0.7
"""Part of the outline from which a disc on a streak is a ball at rest with its shadow, and no ball that moves: the sides
of a short streak alone give 0.5."""
WHOLE = 0.95
"""Outline seen to this part: as sure as it gets."""


def ball_score(support: float, explained: float, network: float, free: float, filled: float) -> float | None:
    """Score of a circle, 0 to 1; None where it is no ball.

    Args:
        support: Part of its outline that is seen, 0 to 1.
        explained: Part of its piece of foreground that lies on discs (`Proposals.explained`), 0 without a piece.
        network: The network's score there, 0 where it sees nothing.
        free: Part of the ring around it that shows cloth.
        filled: Part of the disc that shows something else than cloth.
    """
    in_the_open = any(free >= ring and network >= word and network + support >= both for ring, word, both in _IN_THE_OPEN)
    if filled < FILLED and network < VOUCHED and not in_the_open:
        return None
    packed = explained > EXPLAINED
    if not packed and free < FREE_COVERED and network < (VOUCHED if free >= _NO_CLOTH else SURE):
        return None
    needed = _LONE if explained == 1.0 else _PACKED if packed else _BESIDE if free >= _MOSTLY_CLOTH else _COVERED
    if network >= _HALF_SURE:
        needed = min(needed, _BY_NETWORK)
    if not packed or network >= VOUCHED or (network >= _HALF_SURE and free >= FREE_COVERED):
        needed = max(_FLOOR, needed - _BOUGHT * network)
    if support < needed:
        return None
    sure = min((support - needed) / max(WHOLE - needed, 0.05), 1.0)
    return (0.6 if packed else 0.3 + 0.3 * network) + 0.39 * sure


def hangs(support: NDArray[np.float64], network: NDArray[np.float64], free: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which circles in a pocket's mouth may be balls on its rim, and no holes or balls lying in them; arguments as of
    `ball_score`, shape (N,) each."""
    known = (network >= _HANGING_KNOWN) | (free >= _HANGING_CLEAR)
    return np.asarray(known & (support + network >= _HANGING), dtype=np.bool_)


def network_at(
    places_m: NDArray[np.float64], seen_m: NDArray[np.float64], scores: NDArray[np.float64], reach_m: float
) -> NDArray[np.float64]:
    """The network's best score within reach of each place, shape (N,): 0 where it saw nothing.

    Args:
        places_m: Shape (N, 2).
        seen_m: Shape (M, 2), what the network saw.
        scores: Shape (M,).
        reach_m: Two thirds of a ball's radius or so: the network's places are good to a third.
    """
    if not len(seen_m) or not len(places_m):
        return np.zeros(len(places_m))
    away = np.hypot(*(places_m[:, None] - seen_m[None]).transpose(2, 0, 1))
    return np.asarray(np.where(away < reach_m, scores[None], 0.0).max(axis=1), dtype=np.float64)


def on_streak(places_m: NDArray[np.float64], ends_m: NDArray[np.float64], reach_m: float) -> NDArray[np.bool_]:
    """Which places lie within reach of a streak's middle line, shape (N,).

    Args:
        places_m: Shape (N, 2).
        ends_m: Shape (2, 2), the middle line's ends.
        reach_m: A little less than a ball's radius.
    """
    along = ends_m[1] - ends_m[0]
    share = np.clip((places_m - ends_m[0]) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
    return np.asarray(np.hypot(*(places_m - ends_m[0] - share[:, None] * along).T) < reach_m, dtype=np.bool_)
