"""Names: looks to likelihoods, and one picture's names under "each ball exists once"."""

from dataclasses import replace
from itertools import permutations

import cv2
import numpy as np
import pytest

from calibration.equipment import find_ball_set
from vision.dyes import read_dyes
from vision.identify import Namer, assign_names, best_names, likelihoods
from vision.looks import Looks

NINE = find_ball_set("nine")


def solid(lab: tuple[float, float, float]) -> Looks:
    """A ball all of one colour."""
    return Looks(white=0.05, rim_white=0.03, dark=0.0, coloured=0.95, lab=lab)


WHITE = Looks(white=0.98, rim_white=0.97, dark=0.0, coloured=0.02, lab=(80.0, 0.0, 5.0))
STRIPE = Looks(white=0.3, rim_white=0.42, dark=0.0, coloured=0.7, lab=(77.0, 11.0, 70.0))
BLACK = Looks(white=0.05, rim_white=0.03, dark=0.65, coloured=0.3, lab=(18.0, 4.0, -20.0))


def test_plain_cases_are_named() -> None:
    """White is the cue ball, white and yellow the 9, yellow the 1, black the 8."""
    found = likelihoods([WHITE, STRIPE, solid((76.0, 12.0, 70.0)), BLACK], NINE)

    assert [max(one, key=lambda ball: one[ball]) for one in found] == ["cue", "9", "1", "8"]
    assert all(sum(one.values()) == pytest.approx(1.0) for one in found)


def test_pink_four_says_that_seven_is_brown() -> None:
    """One make for all: with a pink 4 on the table a brown ball is more surely the 7 than beside a purple 4."""
    brown, pink, purple = solid((43.0, 28.0, 34.0)), solid((61.0, 58.0, 0.0)), solid((28.0, 36.0, -41.0))

    beside_pink = likelihoods([brown, pink], NINE)[0]["7"]
    beside_purple = likelihoods([brown, purple], NINE)[0]["7"]

    assert beside_pink > beside_purple


def test_a_lone_orange_red_is_the_five_only_as_far_as_light_allows() -> None:
    """Halfway from the red dye to the orange-red one neither name is sure; at the dyes themselves the likelier one is right."""
    dyes = read_dyes()
    red, orange = (dyes.middles[:, dyes.names.index(name)].mean(axis=0) for name in ("red", "orangered"))
    red, orange = (np.linalg.solve(dyes.whiten[dyes.names.index(name)], middle) for name, middle in (("red", red), ("orangered", orange)))
    at = [likelihoods([WHITE, solid(tuple(lab))], NINE)[1] for lab in (red, (red + orange) / 2, orange)]

    assert at[0]["3"] > 0.8
    assert at[2]["5"] > 0.8
    assert max(at[1]["3"], at[1]["5"]) < 0.9


def test_make_once_seen_is_remembered() -> None:
    """A brown ball is more surely the 7 after a pink 4 was seen, also when that has fallen; looking again adds nothing."""
    brown, pink = solid((47.0, 30.0, 28.0)), solid((61.0, 58.0, -6.0))
    namer = Namer(NINE)
    before = namer.likelihoods([WHITE, brown])[1]["7"]
    for _ in range(10):
        namer.likelihoods([WHITE, brown, pink])
    after = namer.likelihoods([WHITE, brown])[1]["7"]
    later = [namer.likelihoods([WHITE, brown])[1]["7"] for _ in range(20)][-1]

    assert after > before
    assert later == pytest.approx(after, abs=0.02)


def test_all_hues_turned_are_turned_back() -> None:
    """A picture whose every hue is off by 30 degrees has its balls named as before: all are odd in the same way."""
    balls = {"cue": WHITE, "9": STRIPE, "3": solid((48.0, 64.0, 34.0)), "6": solid((36.0, -26.0, 4.0)), "4": solid((31.0, 37.0, -45.0))}
    turned = []
    for one in balls.values():
        lab = np.array([[one.lab]], dtype=np.float32)
        hsv = cv2.cvtColor(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR), cv2.COLOR_BGR2HSV)
        hsv[..., 0] = (hsv[..., 0] + 30.0) % 360.0
        back = cv2.cvtColor(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), cv2.COLOR_BGR2LAB)[0, 0].tolist()
        turned.append(replace(one, lab=(back[0], back[1], back[2])))

    assert best_names(likelihoods(turned, NINE), NINE.balls) == list(balls)


def test_stripe_on_its_white_end_stays_possible() -> None:
    """Nearly white with a yellow edge: the cue ball or the 9, none of them excluded; beside a whiter ball it is the 9."""
    end_on = Looks(white=0.9, rim_white=0.84, dark=0.0, coloured=0.1, lab=(80.0, 0.0, 40.0))
    alone = likelihoods([end_on], NINE)[0]
    both = assign_names(likelihoods([end_on, WHITE], NINE), NINE.balls)

    assert alone["9"] > 0.01
    assert alone["9"] + alone["cue"] > 0.9
    assert both[0]["9"] > both[0]["cue"]


def test_second_source_is_weighed_in() -> None:
    """What another source says of one ball moves its name and leaves a ball of which it says nothing alone."""
    red = solid((50.0, 60.0, 38.0))
    alone = Namer(NINE).likelihoods([red, WHITE])
    told = Namer(NINE).likelihoods([red, WHITE], [{"5": 0.9, "3": 0.1}, {}])

    assert told[0]["5"] > alone[0]["5"]
    assert told[1]["cue"] == pytest.approx(alone[1]["cue"], abs=0.01)


def test_unnamed_set_names_nothing() -> None:
    """`any` gives no names, and nothing seen gives nothing."""
    assert likelihoods([WHITE], find_ball_set("any")) == [{}]
    assert likelihoods([], NINE) == []


def test_pyramid_whites_share_one_probability() -> None:
    """A white of pyramid is any of the fifteen, a red ball the coloured one."""
    white, red = likelihoods([WHITE, solid((35.0, 52.0, 28.0))], find_ball_set("pyramid"))

    assert white["w1"] == white["w15"] > white["Y"]
    assert red["Y"] > 0.5


def test_marginals_equal_the_sum_over_all_ways() -> None:
    """Two detections, three names: checked against every way of giving them names."""
    picture = [{"1": 0.6, "3": 0.3, "5": 0.1}, {"1": 0.5, "3": 0.4, "5": 0.1}]
    names = ["1", "3", "5", None, None]
    total: dict[tuple[str | None, ...], float] = {}
    for way in set(permutations(names, 2)):
        weight = 1.0
        for one, name in zip(picture, way, strict=True):
            weight *= one[name] if name else 0.02 / 3
        total[way] = weight
    wanted = sum(weight for way, weight in total.items() if way[0] == "1") / sum(total.values())

    found = assign_names(picture, ["1", "3", "5"])

    assert found[0]["1"] == pytest.approx(wanted, rel=1e-9)
    assert all(sum(one.values()) == pytest.approx(1.0) for one in found)


def test_look_alikes_stay_uncertain_and_distinct() -> None:
    """Two balls that look the same get two names, neither surely."""
    picture = [{"3": 0.5, "5": 0.5}, {"3": 0.5, "5": 0.5}]
    posterior = assign_names(picture, ["3", "5"])

    assert sorted(str(name) for name in best_names(picture, ["3", "5"])) == ["3", "5"]
    assert max(posterior[0].values()) < 0.6


def test_large_sets_agree_roughly_with_the_exact_sum() -> None:
    """Sixteen names take the quick way; its marginals are a distribution and keep clear cases clear."""
    pool = find_ball_set("pool").balls
    picture = [{ball: (0.85 if ball == mine else 0.01) for ball in pool} for mine in pool]
    posterior = assign_names(picture, pool)

    assert [max(one, key=lambda ball: one[ball]) for one in posterior] == list(pool)
    assert np.allclose([sum(one.values()) for one in posterior], 1.0)
