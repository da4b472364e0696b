"""What no contact explains: balls moved by hand, balls jumped over."""

import pytest
import test_close_contacts as w


def _kinds(shot: object) -> list[tuple[str, tuple[str, ...]]]:
    return [(doubt.kind, doubt.balls) for doubt in shot.doubts]  # type: ignore[attr-defined]


def test_a_ball_that_moves_with_nothing_near_it_was_moved_by_hand() -> None:
    """The 7 lies 3 cm farther at the other end of the table after the shot; the 1 was hit and is no oddity."""
    ways = {
        "cue": w.legs((-0.5, 0.0), (0.5, 1.0, 0.0), (1.0, 0.0, 0.0)),
        "1": w.legs((-0.5 + 0.4875 + 2 * w.R, 0.0), (1.0, 0.4, 0.0)),
        "7": w.legs((-1.0, 0.4), (1.5, 0.1, 0.0), (1.8, 0.0, 0.0)),
    }
    assert ("moved_by_hand", ("7",)) in _kinds(w.read(ways, 5.0))
    assert len([kind for kind, _ in _kinds(w.read(ways, 5.0)) if kind == "moved_by_hand"]) == 1


def test_a_ball_that_passes_over_another_jumped() -> None:
    """The cue ball goes straight through where the 8 lies, which stays; beside it nothing is said."""
    ways = {"cue": w.legs((-0.8, 0.0), (0.5, 2.0, 0.0)), "8": w.legs((-0.2, 0.01))}
    assert ("jump", ("cue", "8")) in _kinds(w.read(ways, 4.0))
    ways["8"] = w.legs((-0.2, 0.07))
    assert "jump" not in {kind for kind, _ in _kinds(w.read(ways, 4.0))}


def test_an_object_ball_displaced_by_a_sleeve_was_not_struck() -> None:
    """The 6 lies 11 mm farther than it did: no shot. The cue ball that does so was struck."""
    still, pushed = w.legs((-0.5, 0.0)), w.legs((0.4, 0.2), (1.0, 0.08, 0.0), (1.15, 0.0, 0.0))
    with pytest.raises(ValueError, match="got 0"):
        w.read({"cue": still, "6": pushed}, 3.0)
    assert w.read({"6": still, "cue": pushed}, 3.0).cue_ball == "cue"
