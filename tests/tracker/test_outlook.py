"""What balls that still roll can do yet: meet something, and fall."""

import numpy as np

from calibration.equipment import find_table
from calibration.table import Table
from tracker.endings import Ending
from tracker.noses import Surroundings
from tracker.outlook import may_change, may_fall

TABLE = Table(find_table("wpa-9ft"))
AROUND = Surroundings(TABLE, TABLE.spec.ball_radius_m)


def _rolling(place_m: tuple[float, float], velocity_mps: tuple[float, float]) -> Ending:
    """A ball that rolls when the recording ends."""
    return Ending(kind="rolling", p=0.99, time_s=1.0, place_m=np.array(place_m), velocity_mps=velocity_mps)


def _resting(place_m: tuple[float, float]) -> Ending:
    """A ball that lies."""
    return Ending(kind="rest", p=0.99, time_s=0.0, place_m=np.array(place_m))


def test_ball_in_the_open_changes_nothing() -> None:
    """At 0.2 m/s a ball has 0.4 m to go at most; with nothing there it meets nothing and falls nowhere."""
    endings = {"1": _rolling((0.0, 0.0), (0.2, 0.0)), "2": _resting((0.8, 0.0))}

    assert may_change(endings, AROUND) == ()
    assert may_fall(endings, AROUND) == ()


def test_ball_at_a_cushion_far_from_mouths_cannot_fall() -> None:
    """At 0.15 m/s it has 0.22 m: it reaches the cushion, but the side pocket is 0.3 m away."""
    endings = {"1": _rolling((0.33, 0.58), (0.0, 0.15))}

    assert may_change(endings, AROUND) == ("1",)
    assert may_fall(endings, AROUND) == ()


def test_ball_at_a_cushion_beside_a_mouth_may_fall() -> None:
    """The same ball 0.13 m from the middle of the side pocket may get there from the cushion."""
    endings = {"1": _rolling((0.13, 0.58), (0.0, 0.15))}

    assert may_fall(endings, AROUND) == ("1",)


def test_ball_on_its_way_into_a_mouth_may_fall() -> None:
    """A ball that rolls straight at the foot left corner falls if its way is long enough, and only then."""
    towards = (0.3 / 2**0.5, 0.3 / 2**0.5)

    assert may_fall({"9": _rolling((1.05, 0.415), towards)}, AROUND) == ("9",)
    assert may_fall({"9": _rolling((0.4, -0.1), towards)}, AROUND) == ()


def test_ball_that_is_hit_beside_a_mouth_may_fall() -> None:
    """A slow ball that reaches another one on the lip of a pocket may knock it in; one that stops short may not."""
    hanging = _resting((1.22, 0.585))

    assert may_fall({"1": _rolling((1.02, 0.585), (0.2, 0.0)), "9": hanging}, AROUND) == ("1", "9")
    assert may_fall({"1": _rolling((0.7, 0.585), (0.2, 0.0)), "9": hanging}, AROUND) == ()
