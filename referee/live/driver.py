"""The live driver: a camera in, the same `Pipeline.feed` as review, and everything that a camera can do wrong survived.

    reader thread    opens the camera, stamps the pictures, tells health; opens again with back-off when it is lost
    sight thread     the half of seeing that needs no ball known, one picture ahead
    feed thread      gate, pipeline, session
    reading thread   waits for a process that reads a shot while it is not yet sure that the table rests (`referee.draft`)

Nothing here judges. What was not looked at (dropped, held back, lost) is missing for the tracker, and a shot of which
too much is missing is recorded as not judged. With `lossless` nothing is dropped and the source waits instead: the
same recording then gives the same log as a review of it.

A file goes on where the match was left: at the end of the last shot on disk. So a shot that was under way when the
program was killed is seen again from before its stroke, and nothing is judged twice.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import hypot
from threading import Event, Thread

from calibration.errors import InputError
from calibration.watch import MOVED
from referee.live.cameras import Camera, CameraLost, Captured, Pace
from referee.live.handoff import Arrived, Handoff
from referee.live.health import NOT_JUDGED_S, CameraHealth, Gate, Look, look_at
from referee.live.media import Pictures, ShotMedia
from referee.live.session import Session
from referee.live.stamps import StampClock
from referee.live.texts import NOT_JUDGED
from referee.overlap import read_ahead
from referee.pipeline import FrameUpdate, Pipeline, ShotUpdate
from vision.frame import Frame
from vision.surface import Glance

TICK_S = 0.1
"""How often health and clocks are looked at when no picture comes."""
BACKOFF_S = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Waits before a lost camera is opened again; the last one is repeated."""
RATE_STEP_S = 0.5
RATES = 5
"""Rates are counted over so many steps, two seconds and a half."""

FORGOTTEN_S = 3.0
"""After so long without a picture at rest the balls are followed anew: anything may have been moved."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Step:
    """A picture on its way through the threads; all empty where none came."""

    look: Look | None = None
    frame: Frame | None = None
    glance: Glance | None = None


class Driver:
    """Drives one match from one camera."""

    def __init__(
        self,
        camera: Camera,
        make_pipeline: Callable[[], Pipeline],
        session: Session,
        *,
        pace: Pace,
        stop: Event,
        size_px: tuple[int, int],
        from_s: float = 0.0,
        start_s: float = 0.0,
        lossless: bool = False,
        pictures: Pictures | None = None,
        media: ShotMedia | None = None,
        on_ended: Callable[[], None] = lambda: None,
    ) -> None:
        """Nothing runs before `start`.

        Args:
            camera: Where pictures come from.
            make_pipeline: A new pipeline over the session's match.
            session: Where it all goes.
            pace: The clock of the arrivals.
            stop: Ends everything.
            size_px: (width, height) that the table was calibrated for; another size is not looked at.
            from_s: Where in a recording to begin.
            start_s: Match time of the first picture.
            lossless: Never drop a picture.
            pictures: Where pictures for people go.
            media: Who makes stills and clips.
            on_ended: Called when a recording is over and its last shot judged.
        """
        self._camera, self._session, self._pace, self._stop = camera, session, pace, stop
        self._pipeline = make_pipeline()
        self._size_px, self._from_s, self._lossless = size_px, from_s, lossless
        self._pictures, self._media, self._on_ended = pictures, media, on_ended
        self._handoff = Handoff(lossless=lossless)
        self._stamps = StampClock(start_s)
        self._health = CameraHealth(pace.now_s())
        self._gate, self._fastest_mps, self._index = Gate(), 0.0, 0
        self._rates = [(pace.now_s(), 0, 0)]
        self._given = self._picked = 0
        self._turn = Event()
        self._threads = [Thread(target=self._read, name="camera", daemon=True), Thread(target=self._run, name="referee", daemon=True)]
        self.error: BaseException | None = None

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until all is judged, or stopped."""
        for thread in self._threads:
            if thread.ident is not None:  # was started
                thread.join(timeout_s)

    @property
    def looked_share(self) -> float:
        """Part of the pictures that came which were looked at."""
        return self._handoff.taken / max(1, self._handoff.came)

    @property
    def spared_share(self) -> float:
        """Part of them that was left out because balls had just stopped or a shot was being read."""
        return self._handoff.spared / max(1, self._handoff.came)

    @property
    def waiting(self) -> int:
        """Pictures that have come and are not looked at yet."""
        return self._handoff.waiting

    # The reader thread

    def _read(self) -> None:
        tries = 0
        while not self._stop.is_set():
            try:
                for captured in self._camera.pictures(self._from_s):
                    tries = 0
                    self._arrived(captured)
                    if self._stop.is_set():
                        break
                if self._camera.is_file:
                    break
            except CameraLost:
                pass
            except InputError as error:  # a file that was there at the start and is not any more
                self.error = error
                break
            self._stop.wait(BACKOFF_S[min(tries, len(BACKOFF_S) - 1)])
            tries += 1
        self._handoff.close()

    def _arrived(self, captured: Captured) -> None:
        look = look_at(captured.image)
        stamped = self._stamps.time_of(captured.stamp_s, captured.arrival_s)
        self._health.picture(captured.arrival_s, look, restarted=stamped.restarted)
        if self._pictures is not None:
            self._pictures.offer(captured.image, stamped.time_s)
        if stamped.is_new:
            self._handoff.put(Arrived(captured=captured, time_s=stamped.time_s, look=look))

    # The referee's threads

    def _run(self) -> None:
        try:
            with read_ahead((self._sighted(step) for step in self._steps()), 1) as sighted:
                for step in sighted:
                    self._take(step)
            if not self._stop.is_set():
                self._end()
        except Exception as error:
            self.error = error
            log.exception("live refereeing stopped")
        finally:
            self._on_ended()
        while not self._stop.wait(TICK_S):  # the recording is over, the evening is not: clocks run on
            self._tick()

    def _steps(self) -> Iterator[_Step]:
        """Pictures as they come; a step without one where time has only gone on."""
        while not self._stop.is_set() and not self._handoff.is_over:
            self._wait_for_turn()
            pipeline = self._pipeline
            taken = self._handoff.take(
                self._pace.now_s(),
                TICK_S,
                newest=pipeline.is_settling,
                sparing=pipeline.is_reading,
                awaited_s=pipeline.awaited_s,
            )
            self._given += 1
            if self._pictures is not None:
                self._pictures.sparing = pipeline.is_settling
            if taken is None:
                yield _Step()
                continue
            arrived, dropped = taken
            height, width = arrived.captured.image.shape[:2]
            frame = None
            if not arrived.look.is_grey and (width, height) == self._size_px:
                frame = Frame(index=self._index, time_s=arrived.time_s, image=arrived.captured.image, dropped_before=dropped)
                self._index += 1
            yield _Step(look=arrived.look, frame=frame)

    def _wait_for_turn(self) -> None:
        """While balls settle no picture waits behind another that is waiting: it would be old when its turn comes."""
        while self._pipeline.is_settling and not self._lossless and self._given > self._picked and not self._stop.is_set():
            self._turn.clear()
            if self._given > self._picked:
                self._turn.wait(TICK_S)

    def _sighted(self, step: _Step) -> _Step:
        if step.frame is None:
            return step
        return replace(step, glance=self._pipeline.glance(step.frame, self._pipeline.sight(step.frame)))

    def _take(self, step: _Step) -> None:
        self._picked += 1
        self._turn.set()
        moving = self._pipeline.moving
        try:
            if step.frame is not None and step.look is not None:
                self._see(step.frame, step.look, step.glance)
            self._tick()
        except (InputError, OSError, ValueError, ArithmeticError, LookupError):
            # One shot that cannot be read or written must not end the evening: what comes next is judged again.
            log.exception("a picture or shot could not be taken")
            self._pipeline.restart()
            if moving:
                self._session.shot_lost()

    def _see(self, frame: Frame, look: Look, glance: Glance | None) -> None:
        unseen_s = self._gate.unseen_s(frame.time_s)
        is_paused = self._session.status == "paused"
        if is_paused or not self._gate.admits(frame.time_s, look, self._fastest_mps):
            if is_paused and self._pipeline.moving:
                self._abandon("paused")
            return
        if unseen_s > (NOT_JUDGED_S if self._pipeline.moving else FORGOTTEN_S):
            self._abandon("stalled")
        for update in self._pipeline.feed(frame, glance):
            self._took(update)
        drift = self._pipeline.drift
        self._health.moved(moved=drift is not None and drift.kind in MOVED)

    def _took(self, update: FrameUpdate | ShotUpdate) -> None:
        if isinstance(update, FrameUpdate):
            self._fastest_mps = max((hypot(*ball.velocity_mps) for ball in update.state.balls if ball.seen), default=0.0)
            self._session.frame_seen(update, moving=self._pipeline.moving)
            return
        self._session.shot_judged(update)
        if self._media is not None:
            self._media.shot_judged(update)

    def _abandon(self, why: str) -> None:
        self._fastest_mps = 0.0
        for update in self._pipeline.abandon(NOT_JUDGED[why]):
            self._took(update)

    def _tick(self) -> None:
        now_s = self._pace.now_s()
        status = self._health.status(now_s)
        if status.kind in ("lost", "frozen", "grey") and self._pipeline.moving and self._gate.unseen_s(self._session.time_s) > NOT_JUDGED_S:
            self._abandon(status.kind)
        came, taken = self._handoff.came, self._handoff.taken + self._handoff.spared
        since_s, came_before, taken_before = self._rates[0]
        if now_s - self._rates[-1][0] >= RATE_STEP_S:
            self._rates = [*self._rates, (now_s, came, taken)][-RATES:]
        span_s, new, looked = max(now_s - since_s, 1e-3), came - came_before, taken - taken_before
        missed = 0.0 if new == 0 else max(0.0, 1.0 - looked / new)
        self._session.show_camera(status, now_s, rate_hz=new / span_s, judged_hz=looked / span_s, missed=missed)
        self._session.tick()

    def _end(self) -> None:
        """The recording is over: a shot that was under way is closed at its last picture."""
        for update in self._pipeline.finish():
            self._took(update)
        self._health.end()
        self._tick()
