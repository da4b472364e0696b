"""Players stand on the floor, whatever they have to reach."""

import numpy as np

from calibration.equipment import find_table
from calibration.table import Table
from sample_videos.matches import read_matches
from sample_videos.player import draw_player
from sample_videos.posture import GRIP_M, cue_line, posture
from sample_videos.shots import SimulatedShot, read_library
from sample_videos.stance import stroke_pose

_STRETCHED_M = 1.15
"""From the shoulder to the stroking hand: an arm, and what the trunk leans and turns."""


def _shots() -> list[SimulatedShot]:
    return [*read_library(), *(shot for match in read_matches() for shot in match.shots)]


def test_hips_are_never_over_the_bed() -> None:
    """At every stroke of the library the middle of the hips lies outside the nose lines, mechanical bridge or not."""
    look = draw_player(np.random.default_rng(0))
    inside, rests = [], 0
    for shot in _shots():
        table = Table(find_table(shot.table))
        pose = stroke_pose(shot, table, -0.5)
        assert pose is not None
        rests += pose.rest
        hips = next(limb for limb in posture(look, pose).body if limb.colour == look.trousers)
        middle = (np.array(hips.start) + hips.end) / 2
        inside.append(min(table.spec.length_m / 2 - abs(middle[0]), table.spec.width_m / 2 - abs(middle[1])))

    assert rests > 20
    assert max(inside) < 0


def test_who_stands_beside_the_cue_reaches_it() -> None:
    """Where the player stands at a rail beside his cue, his hand is on the cue and within an arm's reach of a shoulder."""
    look = draw_player(np.random.default_rng(0))
    count = 0
    for shot in _shots():
        pose = stroke_pose(shot, Table(find_table(shot.table)), -0.5)
        if pose is None or pose.stand is None:
            continue
        count += 1
        limbs = posture(look, pose)
        tip, way = cue_line(pose)
        sleeve, shoulders = limbs.grip[0], limbs.body[0]
        assert np.allclose(sleeve.start[:2], (tip + way * GRIP_M)[:2])
        assert min(np.hypot(*(np.array(end) - sleeve.start)[:2]) for end in (shoulders.start, shoulders.end)) < _STRETCHED_M

    assert count > 5
