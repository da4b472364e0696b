"""Names: looks as correlated evidence, each ball once."""

import numpy as np
import pytest

from calibration.equipment import find_ball_set, find_table
from calibration.table import Table
from tracker.identity import COUNT_LIMIT, NameBook, assign_names, fuse, identities, joint_probabilities, news
from tracker.tracks import Tracker
from vision.detection import Detection, Observation

NINE = NameBook(find_ball_set("nine"))


def test_many_pictures_count_no_more_than_a_few() -> None:
    """Two hundred equal pictures say as much as the limit, not forty times that."""
    one = NINE.log_ratio(NINE.vectors([{"3": 0.6, "7": 0.4}]))[0]
    np.testing.assert_allclose(fuse(one * 200, 200.0), one * COUNT_LIMIT)
    np.testing.assert_allclose(fuse(one * 2, 2.0), one * 2)
    np.testing.assert_allclose(fuse(one * 0, 0.0), 0.0)


def test_unknown_names_say_nothing() -> None:
    """A likelihood over other sets' names, or none, is uniform."""
    table = NINE.vectors([{}, {"w3": 1.0}])
    np.testing.assert_allclose(table, 0.1)


def test_a_sure_four_makes_the_other_the_seven() -> None:
    """Two tracks look like the 4; one could as well be the 7."""
    evidence = np.zeros((2, 10))
    evidence[0, NINE.labels.index("4")] = 10.0
    evidence[1, NINE.labels.index("4")] = 3.0
    evidence[1, NINE.labels.index("7")] = 2.5
    names = [NINE.labels[column] for column in assign_names(evidence) if column is not None]
    assert names == ["4", "7"]
    first, second = identities(names, evidence, NINE)
    assert first.probability > 0.99
    assert second.ball == "7"
    assert second.probability > 0.5
    np.testing.assert_allclose(joint_probabilities(evidence).sum(axis=1), 1.0)


def test_alike_balls_share_their_looks() -> None:
    """In pyramid any white is white: the label is sure as such, and the coloured one is not it."""
    book = NameBook(find_ball_set("pyramid"))
    table = book.log_ratio(book.vectors([{"w3": 0.9, "Y": 0.1}, {"Y": 0.95, "w1": 0.05}]))
    white, coloured = identities(["w1", "Y"], table * 5, book)
    assert white.probability > 0.99
    assert coloured.probability > 0.99


def test_a_set_without_names_has_no_doubt_about_them() -> None:
    """Counted names are labels."""
    book = NameBook(find_ball_set("any"))
    assert book.vectors([{"3": 1.0}]).shape == (1, 0)
    (only,) = identities(["b1"], np.zeros((1, 0)), book)
    assert only.probability == pytest.approx(1.0)


def test_a_picture_is_news_by_time_or_by_rolling() -> None:
    """The same side a 25th of a second later tells a quarter; a quarter turn, or a sixth of a second, tells anew."""
    assert news(0.04, 0.0, 0.028575) == pytest.approx(0.04 / 0.15)
    assert news(0.04, 0.05, 0.028575) == 1.0
    assert news(0.25, 0.0, 0.028575) == 1.0


def test_a_stripe_shown_while_rolling_outweighs_its_white_end_at_rest() -> None:
    """Five seconds of looking like the cue ball, then two of rolling (nudged) as a stripe: the ball is the 9."""
    tracker = Tracker(Table(find_table("wpa-9ft")), find_ball_set("nine"))
    for frame in range(175):
        rolling = max(frame - 125, 0)
        likelihood = {"9": 0.9, "cue": 0.1} if rolling else {"9": 0.1, "cue": 0.9}
        ball = Detection(position_m=(-0.8 + 0.0012 * rolling * min(rolling, 20), 0.1), sigma_m=0.0005, score=0.9, likelihood=likelihood)
        tracker.update(Observation(time_s=0.04 * frame, detections=(ball,)))

    (identity,) = tracker.report(0.0, 7.0).identities

    assert identity.ball == "9"
