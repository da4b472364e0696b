"""Tests of which of two balls that look alike went where, told by their ways back."""

import numpy as np
import pytest
from scenes import wobble

from tracker.departures import sent_home
from tracker.relabel import Chain

RATE_HZ, LEAVES, COUNT = 60.0, 20, 40


def chain(ball: str, place: tuple[float, float], velocity: tuple[float, float]) -> Chain:
    """A ball that lies at a place and leaves it, between two pictures, with a velocity."""
    times = np.arange(COUNT) / RATE_HZ
    gone = np.maximum(times - (LEAVES - 0.5) / RATE_HZ, 0.0)
    noise = np.array([[wobble(2 * k, 0.001), wobble(2 * k + 1, 0.001)] for k in range(COUNT)])
    return Chain(
        ball=ball,
        frames=list(range(COUNT)),
        times_s=times,
        places_m=np.array(place) + gone[:, None] * np.array(velocity) + noise,
        sigma_m=np.full(COUNT, 0.001),
        evidence=np.zeros(0),
        mean_score=0.9,
    )


def exchanged(a: Chain, b: Chain) -> list[Chain]:
    """The two as a tracker has them that took each for the other when they left."""
    return [
        Chain(
            ball=one.ball,
            frames=one.frames,
            times_s=one.times_s,
            places_m=np.concatenate([one.places_m[:LEAVES], other.places_m[LEAVES:]]),
            sigma_m=one.sigma_m,
            evidence=one.evidence,
            mean_score=one.mean_score,
        )
        for one, other in ((a, b), (b, a))
    ]


@pytest.mark.parametrize("alike", [True, False])
def test_balls_that_look_alike_go_on_along_the_ways_that_lead_back_to_them(alike: bool) -> None:
    """Two balls of a rack, 68 mm apart, leave at 4 m/s to either side: exchanged ones are told, but those that looks tell stay."""
    own = [chain("w1", (1.0, 0.034), (1.0, 4.0)), chain("w2", (1.0, -0.034), (1.5, -4.0))]
    for given, wanted in ((own, own), (exchanged(*own), own if alike else exchanged(*own))):
        found = sent_home(given, [alike, alike])
        for got, want in zip(found, wanted, strict=True):
            assert np.array_equal(got.places_m, want.places_m)


def test_what_both_ways_explain_stays_as_it_was() -> None:
    """One ball behind the other on their common way: which went farther only the moment of the blow could tell."""
    own = [chain("w1", (1.0, 0.0), (4.0, 0.0)), chain("w2", (1.004, 0.0), (4.1, 0.0))]
    given = exchanged(*own)
    assert all(np.array_equal(a.places_m, b.places_m) for a, b in zip(sent_home(given, [True, True]), given, strict=True))
