"""The driver with a sample as its camera: the same log as review, and everything that can go wrong with a camera."""

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Condition
from typing import Any

import numpy as np
import plays
import pytest

from calibration.calibration import Calibration
from calibration.equipment import find_table
from referee.live.cameras import CameraLost, Captured, NoPace, open_camera
from referee.live.driver import Driver
from referee.live.serve import Live, LiveRequest
from referee.log import format_log
from referee.pipeline import Pipeline
from referee.review import ReviewRequest, review
from referee.rules.games import find_ruleset
from vision.capture import open_video

SAMPLES = Path(__file__).parents[3] / "sample_videos"
RATE_HZ = 25.0
STRIKE_S, REST_S = 2.4, 5.76
"""Of legal_pot, from its truth file."""


def truth(name: str) -> dict[str, Any]:
    """A sample's truth file."""
    data: dict[str, Any] = json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return data


def a_table(name: str = "legal_pot") -> Calibration:
    """The sample's table, as it truly stands."""
    return Calibration.from_dict(truth(name)["table"])


class Script:
    """A camera that plays a sample with faults: every step is a picture, a change of one, or something to be done in between."""

    is_file = False

    def __init__(self, steps: Callable[[], Iterator[Captured | None]], pace: NoPace) -> None:
        self._steps, self._pace = steps(), pace

    def pictures(self, from_s: float) -> Iterator[Captured]:
        """Until the script loses the camera (None), then on from there; the end of the script is the end of everything."""
        for captured in self._steps:
            if captured is None:
                raise CameraLost("unplugged")
            self._pace.wait_until(captured.arrival_s)
            yield captured
        self.is_file = True  # a recording that is over


class Stand:
    """A table with a scripted camera, and a board to wait on."""

    def __init__(self, folder: Path, steps: Callable[["Stand"], Iterator[Captured | None]]) -> None:
        from threading import Event

        self.pace, self.over = NoPace(), Event()
        self.session = plays.a_session(folder, clock=self.pace.now_s)
        self._changed = Condition()
        self.statuses: list[str] = []
        self.session.board.listen(self._note)
        calibration, balls = a_table(), find_ruleset("nine_ball").ball_set
        self.driver = Driver(
            Script(lambda: steps(self), self.pace),
            lambda: Pipeline(calibration, balls, self.session.match),
            self.session,
            pace=self.pace,
            stop=Event(),
            size_px=calibration.camera.image_size_px,
            lossless=True,
            on_ended=self.over.set,
        )

    def _note(self) -> None:
        status = json.loads(self.session.board.read()[0]["camera"])["status"]
        with self._changed:
            if not self.statuses or self.statuses[-1] != status:
                self.statuses.append(status)
                self._changed.notify_all()

    def wait_for(self, status: str) -> None:
        """Until pages have been told so."""
        with self._changed:
            assert self._changed.wait_for(lambda: status in self.statuses, timeout=60), self.statuses

    def play(self) -> "Stand":
        """Until the script is over and everything is judged."""
        self.driver.start()
        assert self.over.wait(300)
        assert self.driver.error is None
        return self

    @property
    def verdicts(self) -> list[str]:
        """On every shot."""
        return [ruling.verdict for ruling in self.session.match.rulings]


def film(until_s: float = 99.0, from_s: float = -1.0) -> Iterator[Captured]:
    """The sample's pictures between two times."""
    with open_video(SAMPLES / "legal_pot.mp4") as source:
        for frame in source:
            if from_s < frame.time_s <= until_s:
                yield Captured(image=frame.image, stamp_s=frame.time_s + 1.0, arrival_s=frame.time_s)


def later(captured: Captured, by_s: float, *, stamp_s: float | None = None) -> Captured:
    """The picture, arriving later."""
    stamp = captured.stamp_s + by_s if stamp_s is None and captured.stamp_s is not None else stamp_s
    return Captured(image=captured.image, stamp_s=stamp, arrival_s=captured.arrival_s + by_s)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["legal_pot", "wrong_ball_first"])
def test_the_same_sample_gives_the_same_log_as_a_review(tmp_path: Path, name: str) -> None:
    """Line by line."""
    video, table = SAMPLES / f"{name}.mp4", a_table(name)
    request = ReviewRequest(videos=(video,), game="nine_ball", spec=table.spec, calibration=table, annotate=False)
    review(request, tmp_path / "review", on_shot=lambda shot: None, say=lambda text: None, quiet=True)
    live = Live(
        LiveRequest(camera=str(video), game="nine_ball", folder=tmp_path / "live", spec=table.spec, calibration=table, every_frame=True),
        print,
    )
    live.start()
    assert live.over.wait(300)
    log = "".join(f"{line}\n" for line in format_log(live.match))
    shots = json.loads(live.board.read()[0]["match"])["match"]["history"]
    live.close()

    assert log == (tmp_path / "review" / "match.jsonl").read_text(encoding="utf-8")
    assert [shot["verdict"] for shot in shots] == [truth(name)["nine_ball"]["verdict"]]
    assert (tmp_path / "live" / "shots" / "1" / "clip.mp4").stat().st_size > 1000
    assert (tmp_path / "live" / "shots" / "1" / "still.jpg").stat().st_size > 1000


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_with_pictures_missing_no_verdict_is_different_only_less_certain(tmp_path: Path, seed: int) -> None:
    """5 % dropped at random and three stalls of half a second, one in the middle of the shot."""
    rng = random.Random(seed)
    stalls = [rng.uniform(0.5, 1.5), rng.uniform(STRIKE_S, STRIKE_S + 1.5), rng.uniform(4.2, 5.0)]

    def steps(stand: Stand) -> Iterator[Captured | None]:
        for captured in film():
            stalled = any(start <= captured.arrival_s < start + 0.5 for start in stalls)
            if rng.random() >= 0.05 and not stalled:
                yield captured

    stand = Stand(tmp_path, steps).play()
    assert stand.verdicts in (["legal"], ["undecided"])


@pytest.mark.slow
def test_a_shot_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk takes nothing any more: the match stays as it was, the evening goes on, and the official hears of it."""
    monkeypatch.setattr("referee.live.kept_match.TRIES", 1)
    stand = Stand(tmp_path, lambda stand: film())
    with sqlite3.connect(tmp_path / "match.sqlite") as disk:
        disk.execute("create trigger full before insert on events begin select raise(abort, 'database or disk is full'); end")
    mark = stand.session.board.read()[1]
    stand.play()

    assert stand.session.match.rulings == ()
    posts = [json.loads(post) for post in stand.session.board.news(mark)[1]]
    assert [post["kind"] for post in posts] == ["lost"]


@pytest.mark.slow
def test_a_camera_lost_in_the_middle_of_a_shot_is_told_and_the_shot_is_not_judged(tmp_path: Path) -> None:
    """Unplugged while balls roll; it comes back three seconds later, its clock begun anew, and the next shot is judged."""

    def steps(stand: Stand) -> Iterator[Captured | None]:
        yield from film(until_s=STRIKE_S + 0.6)
        stand.pace.wait_until(STRIKE_S + 2.4)
        stand.wait_for("lost")
        yield None
        yield from (later(captured, 6.0, stamp_s=captured.arrival_s) for captured in film())

    stand = Stand(tmp_path, steps).play()
    first, second = stand.session.match.rulings

    assert stand.statuses[:2] == ["starting", "ok"]
    assert "restarted" in stand.statuses
    assert (first.verdict, second.verdict) == ("undecided", "legal")
    assert not plays.Shot.from_dict(stand.session.match.events[0].fields["shot"]).judged


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["frozen", "grey"])
def test_a_picture_that_shows_nothing_new_in_the_middle_of_a_shot_is_told_and_the_shot_is_not_judged(tmp_path: Path, kind: str) -> None:
    """Five seconds of the same picture, or of grey ones; then the rest of the film."""

    def steps(stand: Stand) -> Iterator[Captured | None]:
        last = None
        for last in film(until_s=STRIKE_S + 0.6):
            yield last
        assert last is not None
        grey = np.full_like(last.image, 128)
        for index in range(1, int(5 * RATE_HZ)):
            shown = later(last, index / RATE_HZ)
            yield shown if kind == "frozen" else Captured(image=grey, stamp_s=shown.stamp_s, arrival_s=shown.arrival_s)
            if index == int(1.9 * RATE_HZ):
                stand.wait_for(kind)
        yield from (later(captured, 5.0) for captured in film(from_s=STRIKE_S + 0.6))

    stand = Stand(tmp_path, steps).play()

    assert stand.verdicts[0] == "undecided"
    assert not plays.Shot.from_dict(stand.session.match.events[0].fields["shot"]).judged
    assert stand.statuses[-2] == "ok"


def test_addresses_of_cameras_are_never_repeated() -> None:
    """Neither by an unknown kind of address nor by a camera that does not answer."""
    from threading import Event

    from calibration.errors import InputError

    with pytest.raises(InputError) as refused:
        open_camera("gopher://hall:secret@camera/1", Event())
    assert "secret" not in str(refused.value)
    camera = open_camera("http://hall:secret@127.0.0.1:9/stream.mjpg", Event())
    with pytest.raises(CameraLost) as lost:
        next(iter(camera.pictures(0.0)))
    assert "secret" not in str(lost.value)


def test_a_missing_file_is_refused_before_anything_starts(tmp_path: Path) -> None:
    """One line, and no folder is made."""
    from calibration.errors import InputError

    request = LiveRequest(camera=str(tmp_path / "none.mp4"), game="nine_ball", folder=tmp_path / "live", spec=find_table("wpa-9ft"))
    with pytest.raises(InputError, match="no such video file"):
        Live(request, print)
    assert not (tmp_path / "live").exists()
