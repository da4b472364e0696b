"""What comes together in a live match: calls spoken, the clock from true rest, what survives a restart."""

import json
from pathlib import Path
from typing import Any

import plays

from referee.live.board import Board, Mark
from referee.live.health import CameraStatus
from referee.live.kept_match import KeptMatch
from referee.live.session import Session
from referee.live.shot_clock import set_clock
from referee.live.store import MatchStore
from referee.pipeline import FrameUpdate, ShotUpdate
from tracker.history import TableState
from vision.detection import Observation


class Evening:
    """A session with a clock that a test moves, 35 seconds a shot."""

    def __init__(self, folder: Path) -> None:
        self.clock = plays.HandClock()
        self.session: Session = plays.a_session(folder, clock=self.clock, players=("Ann", "Bo"))
        self.session.set_clock(set_clock(self.session.shot_clock, limit_s=35.0))
        self._mark = self.session.board.read()[1]

    def shot(self, number: int, at_s: float, **first: float) -> None:
        """A shot whose last ball stopped at 20 n + 5, known at `at_s`."""
        self.see(at_s, moving=True)
        shot = plays.a_shot(number, **first)
        ruling = self.session.match.record_shot(shot)
        self.session.shot_judged(ShotUpdate(shot=shot, ruling=ruling, paths={"cue": ((0.0, -0.9, 0.1), (0.5, 0.0, 0.0))}))

    def see(self, time_s: float, *, moving: bool) -> None:
        """A picture at that time."""
        state = TableState(time_s=time_s, balls=())
        self.session.frame_seen(FrameUpdate(observation=Observation(time_s=time_s, detections=()), state=state), moving=moving)

    def shown(self, name: str) -> dict[str, Any]:
        """What pages see of it."""
        found: dict[str, Any] = json.loads(self.session.board.read()[0][name])
        return found

    def said(self) -> list[tuple[str, str]]:
        """What was to be spoken since the last question."""
        _, posts, self._mark = self.session.board.news(self._mark)
        return [(post["kind"], post["text"]["en"]) for post in map(json.loads, posts) if post["type"] == "say"]


def test_a_call_is_spoken_and_the_clock_runs_from_true_rest(tmp_path: Path) -> None:
    """The last ball stopped at 25.0; the call came at 25.8."""
    evening = Evening(tmp_path)
    evening.shot(1, 25.8)

    assert evening.said() == [("call", "Legal, nothing pocketed. Bo to shoot.")]
    clock = evening.shown("clock")
    assert (clock["state"], clock["player"], clock["left_s"]) == ("running", "B", 34.2)


def test_ten_seconds_and_time_are_said_once(tmp_path: Path) -> None:
    """Whatever often it ticks; a stroke stops it."""
    evening = Evening(tmp_path)
    evening.shot(1, 25.0)
    evening.said()
    for seconds in (24.0, 25.0, 26.0, 34.9, 35.0, 36.0, 40.0):
        evening.clock.now_s = seconds
        evening.session.tick()
    assert evening.said() == [("ten", "Ten seconds."), ("time", "Time.")]

    evening.see(66.0, moving=True)
    assert evening.shown("clock")["state"] == "waiting"


def test_a_player_on_two_fouls_is_warned_aloud(tmp_path: Path) -> None:
    """N9-13.3: Ann fouls twice, with a legal miss of Bo between."""
    evening = Evening(tmp_path)
    for number, first in enumerate(("b5", "b1", "b5"), start=1):
        evening.shot(number, 20.0 * number + 5, **{first: 1.0})

    assert evening.said()[-1] == ("warning", "Ann is on two fouls.")


def test_the_camera_is_shown_without_its_address(tmp_path: Path) -> None:
    """Only how it is."""
    evening = Evening(tmp_path)
    evening.session.show_camera(CameraStatus(kind="lost", since_s=10.0), 13.0, rate_hz=0.0, judged_hz=0.0, missed=0.0)

    assert evening.shown("camera") == {
        "status": "lost",
        "since_s": 3,
        "text": {"en": "The camera is lost; trying again.", "ru": "Камера потеряна; подключаемся снова."},
        "rate_hz": 0.0,
        "judged_hz": 0.0,
        "missed": 0.0,
    }


def test_after_a_restart_pages_see_the_same_match(tmp_path: Path) -> None:
    """Paths and the setting of the clock too; time goes on after the last shot."""
    evening = Evening(tmp_path)
    evening.shot(1, 25.0, b1=0.6, b2=0.4)
    before = evening.shown("match")["match"]
    store = MatchStore.in_folder(tmp_path)
    match = KeptMatch.resume(store)
    assert match is not None
    again = Session(match, store, Board(), clock=plays.HandClock())

    assert json.loads(again.board.read()[0]["match"])["match"] == before
    assert (again.time_s, again.shot_clock.limit_s) == (25.0, 35.0)
    store.close()


def test_a_board_sends_what_changed_and_never_a_backlog() -> None:
    """Two table pictures while a page was busy: it gets the newer; posts come all, in order."""
    board, calls = Board(), []
    board.listen(lambda: calls.append(1))
    board.put("table", {"n": 1})
    _, mark = board.read()
    for number in (2, 3):
        board.put("table", {"n": number})
        board.post({"say": number})
    board.put("table", {"n": 3})
    values, posts, after = board.news(mark)

    assert (values, posts) == ({"table": '{"n":3}'}, ['{"say":2}', '{"say":3}'])
    assert board.news(after)[:2] == ({}, [])
    assert len(calls) == 5
    assert board.news(Mark({}, 0))[0] == {"table": '{"n":3}'}
