"""What goes wrong in a recording is in its file and in its truth."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.errors import InputError
from sample_videos.effects import TROUBLES, Effects, Shown, alter, draw_effects, nudged, schedule
from sample_videos.recipes import Wishes, make_recording
from sample_videos.video import Recording, write_recording


@pytest.fixture(scope="module")
def recording() -> Recording:
    """A small, short film."""
    return make_recording("legal_pot", 4, Wishes(size_px=(320, 180), fps=10.0))


def test_without_effects_pictures_come_evenly() -> None:
    """25 pictures a second: every 40 ms, exposed when stamped."""
    shown = schedule(Effects(), 2.0, 25.0, 0.004)

    assert [entry.stamp_s for entry in shown] == pytest.approx([k / 25 for k in range(50)])
    assert all(entry.time_s == entry.stamp_s and entry.gain == 1 for entry in shown)


def test_dropped_pictures_leave_gaps_in_the_stamps() -> None:
    """A tenth of the pictures is missing, and the stamps of the others are true."""
    shown = schedule(Effects(dropped=0.1, seed=3), 40.0, 25.0, 0.004)

    assert 0.8 < len(shown) / 1000 < 0.97
    assert max(b.stamp_s - a.stamp_s for a, b in pairwise(shown)) > 0.079
    assert all(entry.time_s == entry.stamp_s for entry in shown)


def test_repeated_pictures_show_what_was_before() -> None:
    """A repeated picture has an even stamp and the moment of the picture before."""
    shown = schedule(Effects(repeated=0.1, seed=3), 40.0, 25.0, 0.004)
    repeats = [(a, b) for a, b in pairwise(shown) if b.repeated]

    assert 60 < len(repeats) < 140
    assert all(b.time_s == a.time_s and b.stamp_s - a.stamp_s == pytest.approx(0.04) for a, b in repeats)


def test_doubled_fields_lie_twenty_forty_or_sixty_milliseconds_apart() -> None:
    """Under even stamps of 40 ms; each spacing occurs."""
    shown = schedule(Effects(fields=True, seed=5), 40.0, 25.0, 0.004)
    spacing = {round(1000 * (b.time_s - a.time_s)) for a, b in pairwise(shown)}

    assert spacing == {20, 40, 60}
    assert {round(1000 * (b.stamp_s - a.stamp_s)) for a, b in pairwise(shown)} == {40}


def test_a_field_is_made_of_every_second_line() -> None:
    """Corrected, a picture that changes evenly down stays where it is; uncorrected it steps half a line."""
    image = np.repeat(np.arange(0, 160, 2, dtype=np.uint8)[:, None, None], 3, axis=2).repeat(20, axis=1)
    shown = Shown(stamp_s=0.0, time_s=0.0, field=1)

    assert np.abs(alter(image, shown, Effects(fields=True))[4:-4].astype(int) - image[4:-4]).max() <= 1
    moved = alter(image, shown, Effects(fields=True, bob=True))[4:-4].astype(int) - image[4:-4]
    assert 0.4 < abs(moved.mean()) < 1.6


def test_flicker_is_not_seen_by_an_exposure_of_whole_periods() -> None:
    """10 ms at 50 Hz mains are one period of the lamps; 2 ms are not."""
    whole, part = (schedule(Effects(flicker=0.2), 2.0, 24.0, exposure) for exposure in (0.010, 0.002))

    assert max(abs(entry.gain - 1) for entry in whole) < 1e-9
    assert max(abs(entry.gain - 1) for entry in part) > 0.1


def test_a_nudged_camera_stays_where_it_is() -> None:
    """It points aside by what was asked: 0.5 degrees about its x axis move the middle by 0.5 degrees' worth of pixels."""
    camera = CameraModel.overhead(height_m=3.0, image_size_px=(1280, 720))
    after = nudged(camera, Effects(nudge_s=1.0, nudge_deg=(0.5, 0.0, 0.0)))
    moved = after.to_pixels([(0.0, 0.0)]) - camera.to_pixels([(0.0, 0.0)])

    assert np.allclose(after.position_m, camera.position_m)
    assert np.hypot(*moved[0]) == pytest.approx(0.8 * 1280 * np.tan(np.radians(0.5)), rel=1e-3)


@pytest.mark.parametrize("name", TROUBLES)
def test_every_trouble_does_something(name: str) -> None:
    """Each name changes the effects, and the same seed draws the same."""
    first, again = (draw_effects(np.random.default_rng(7), (name,), 10.0) for _ in range(2))

    assert first == again
    assert first != Effects(seed=first.seed, mains_hz=first.mains_hz)


def test_an_unknown_trouble_is_refused() -> None:
    """The message lists those there are."""
    with pytest.raises(InputError, match="fields"):
        draw_effects(np.random.default_rng(1), ("earthquake",), 10.0)


def test_the_file_has_what_the_truth_says(recording: Recording, tmp_path: Path) -> None:
    """Stamps of the file are those of the truth to a tick, repeated pictures are the same, the nudge is told with its camera."""
    effects = Effects(dropped=0.08, repeated=0.1, jitter=0.2, drift=0.2, nudge_s=2.0, nudge_deg=(1.0, 0.0, 0.0), seed=2)
    write_recording(replace(recording, effects=effects), tmp_path / "bad.mp4", crf=10)
    truth = json.loads((tmp_path / "bad.json").read_text())
    with av.open(str(tmp_path / "bad.mp4")) as container:
        stamps = [float(frame.pts * frame.time_base) for frame in container.decode(video=0)]
    pictures = truth["pictures"]
    capture = cv2.VideoCapture(str(tmp_path / "bad.mp4"))
    images = [capture.read()[1].astype(int) for _ in pictures]

    assert stamps == pytest.approx([entry["time_s"] for entry in pictures], abs=2e-5)
    assert truth["frames"] == len(pictures) == len(stamps)
    assert truth["effects"]["dropped"] == 0.08
    assert np.shape(truth["effects"]["camera_after"]["R"]) == (3, 3)
    assert [entry["time_s"] >= 2.0 for entry in pictures if not entry.get("repeated")] == [
        entry.get("view", 0) == 1 for entry in pictures if not entry.get("repeated")
    ]
    repeats = [k for k, entry in enumerate(pictures) if entry.get("repeated")]
    assert repeats
    assert max(np.abs(images[k] - images[k - 1]).mean() for k in repeats) < 1.0


def test_the_same_seed_gives_the_same_file(recording: Recording, tmp_path: Path) -> None:
    """Two films of one recipe agree in every byte, and another seed's do not."""
    wishes = Wishes(size_px=(320, 180), fps=5.0)
    for name, seed in (("a", 4), ("b", 4), ("c", 5)):
        write_recording(make_recording("legal_pot", seed, wishes), tmp_path / f"{name}.mp4")
    first, again, other = ((tmp_path / f"{name}.mp4").read_bytes() for name in "abc")

    assert first == again
    assert first != other
