"""Frame in, updates out: the one pipeline of live and review.

Per frame: see (`vision.eyes`), follow (`tracker.tracks`), cut (`tracker.segment`). When a window closes, the whole stretch
is read again with everything seen since (`Tracker.report`, both directions in time), then judged and folded into the
match. The reading is begun a little before that (`referee.draft`). No input or output, no clock: the same frames in the
same order give the same updates, whoever drives.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from calibration.calibration import Calibration
from calibration.equipment import BallId, BallSet
from calibration.watch import Drift
from referee.calls import PersonEvent
from referee.draft import AGAIN_S, AHEAD_S, Basis, Draft, Reading, Runner, Teller, at_need, not_told, read_window
from referee.match import Match
from referee.missing_call import CALL_SHOT_GAMES
from referee.moved import CameraWatch
from referee.shot_ruling import ShotRuling
from tracker.history import BallTrack, TableState, TrackReport
from tracker.missing import find_gaps, with_faint, with_missing
from tracker.pockets import PocketMap
from tracker.segment import Segmenter, ShotWindow
from tracker.shot import NOT_JUDGED, Doubt, Shot
from tracker.tracks import Tracker
from vision.detection import Observation
from vision.eyes import Eyes
from vision.frame import Frame
from vision.surface import Glance, Sighting

KEEP_S = 20.0
"""History kept before a finished shot, seconds: the layout before the next may be read off the rest in between, and a
ball that an arm hides now was seen then. Longer costs memory only."""

SETTLING_S = 0.3
"""So long before the open window can close nothing moves any more as far as can be told: whoever has more pictures than time
may leave some out from then on, for what comes last has to be seen soon."""

TELL_S = 0.5
"""How often whoever reads drafts is told what was seen: a draft then brings half a second at most."""

TIE_S = 0.001
"""Times of pictures are sums of fractions: one that comes just when something is due may come before it by the last bit. At 60 a
second a window closes 21 pictures after the last motion or 22, and the draft must not be thought old in between."""

IDLE_S = 60.0
"""History kept while nothing is played, seconds: a table at rest says all there is to say in that time, and an evening's
pictures do not fit into memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameUpdate:
    """One frame was taken.

    Attributes:
        observation: What it shows.
        state: The table after it.
    """

    observation: Observation
    state: TableState


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotUpdate:
    """A shot is over, read and judged.

    Attributes:
        shot: Its facts.
        ruling: What it means in this match.
        tracks: Every ball's track over the window, smoothed and named with everything seen.
        paths: Ball to its places (t, x, y): seconds from the tip contact, metres; balls that moved. Read only.
    """

    shot: Shot
    ruling: ShotRuling
    tracks: tuple[BallTrack, ...] = ()
    paths: Mapping[BallId, tuple[tuple[float, float, float], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BadInterval:
    """A stretch that does not show the table as calibrated."""

    from_s: float
    to_s: float
    why: str


class Pipeline:
    """The stages of one recording or camera over one table, judged within one match."""

    def __init__(
        self, calibration: Calibration, ball_set: BallSet, match: Match, *, run: Runner = at_need, tell: Teller = not_told
    ) -> None:
        """Set the stages up.

        Args:
            calibration: Camera and table; frames must have its picture size.
            ball_set: Balls that can occur.
            match: Rulings are folded into it; one match may run over several recordings.
            run: Who reads a draft and when; it changes nothing in what comes out.
            tell: Is given what was seen so far, now and then while balls move.
        """
        self._calibration, self._run, self._tell, self._told_s = calibration, run, tell, -inf
        self._places = PocketMap(calibration.table)
        self._draft: Draft | None = None
        self._ball_set = ball_set
        self._match = match
        self._eyes = Eyes(calibration, ball_set)
        self._tracker = Tracker(calibration.table, ball_set)
        self._segmenter = Segmenter(self._places)
        self._declared: list[PersonEvent] = []
        self._seen_s: list[float] = []
        self._forgotten_s = 0.0
        self._bad: list[BadInterval] = []
        self._camera = CameraWatch(calibration)
        self._judging, self._settling, self._awaited_s = False, False, inf

    @property
    def bad_intervals(self) -> tuple[BadInterval, ...]:
        """Stretches so far that do not show the table, or by a camera that had been moved."""
        moved = [BadInterval(from_s=stretch.from_s, to_s=stretch.to_s, why=stretch.why) for stretch in self._camera.stretches]
        return tuple(sorted([*self._bad, *moved], key=lambda interval: interval.from_s))

    @property
    def drift(self) -> Drift | None:
        """What the drift watch says of the camera; None before the first picture of the table."""
        return self._camera.drift

    def declare(self, events: Sequence[PersonEvent]) -> None:
        """What people said or established; each belongs to the first shot that starts at or after its time."""
        self._declared = sorted([*self._declared, *events], key=lambda event: event.time_s)

    def sight(self, frame: Frame) -> Sighting | None:
        """The first part of `feed` that needs no ball known; another thread may do it ahead, in order."""
        return self._eyes.sight(frame)

    def glance(self, frame: Frame, sighting: Sighting | None) -> Glance | None:
        """The second, on what the first gave; a third thread may do it ahead, in order."""
        return self._eyes.glance(frame, sighting)

    def feed(self, frame: Frame, glance: Glance | None = None) -> tuple[FrameUpdate | ShotUpdate, ...]:
        """Take the next frame; the last update is a shot where one is over.

        Args:
            frame: The picture.
            glance: What `glance` gave for it, where that was done ahead.
        """
        observation = self._eyes.look(frame, glance)
        self._note_bad(observation)
        self._camera.look(frame, usable=observation.usable)
        if observation.usable:
            self._seen_s.append(observation.time_s)
        state = self._tracker.update(observation)
        update = FrameUpdate(observation=observation, state=state)
        window = self._segmenter.update(state)
        self._foresee(state)
        self._judging = window is not None
        self._look_forward(state.time_s)
        shot = self._read(window, self._settled(state)) if window is not None else None
        self._judging, self._settling = False, self._settling and self._segmenter.moving
        if not self._segmenter.moving and state.time_s > self._forgotten_s + IDLE_S + KEEP_S:
            self._forget(state.time_s - IDLE_S)
        return (update,) if shot is None else (update, shot)

    @property
    def history_s(self) -> float:
        """How far back pictures are held, seconds."""
        return self._tracker.history_s

    @property
    def moving(self) -> bool:
        """A shot may be under way."""
        return self._segmenter.moving

    @property
    def is_settling(self) -> bool:
        """Balls have just stopped, as far as can be told, or a shot is being read or judged."""
        return self._settling

    @property
    def awaited_s(self) -> float:
        """The picture of this time, or the first after it, is waited for: with it a shot is read, or known to be over; infinite
        while balls move."""
        return self._awaited_s

    @property
    def is_reading(self) -> bool:
        """A shot is being read or judged: what comes meanwhile shows a table at rest."""
        return self._judging or (self._draft is not None and self._draft.is_under_way)

    def abandon(self, why: str) -> tuple[ShotUpdate, ...]:
        """The picture went away for too long: a shot that was under way is recorded as not judged, and all is followed anew.

        Args:
            why: What happened, half a sentence.
        """
        window = self._segmenter.finish()
        shot = self._read(window, not_judged=why) if window is not None else None
        self.restart()
        return () if shot is None else (shot,)

    def restart(self) -> None:
        """Follow everything anew from the next frame on; a shot under way is forgotten."""
        self._drop_draft()
        self._judging, self._settling, self._awaited_s = False, False, inf
        self._tracker, self._segmenter = Tracker(self._calibration.table, self._ball_set), Segmenter(self._places)

    def finish(self) -> tuple[ShotUpdate, ...]:
        """The recording is over: a shot that was under way is closed at the last frame."""
        self._drop_draft()
        window = self._segmenter.finish()
        shot = self._read(window) if window is not None else None
        return () if shot is None else (shot,)

    def _note_bad(self, observation: Observation) -> None:
        if observation.usable:
            return
        last = self._bad[-1] if self._bad else None
        if last is not None and last.why == observation.why and observation.time_s - last.to_s < 0.5:
            self._bad[-1] = replace(last, to_s=observation.time_s)
        else:
            self._bad.append(BadInterval(from_s=observation.time_s, to_s=observation.time_s, why=observation.why))

    def _foresee(self, state: TableState) -> None:
        """Begin a draft where the open window is about to close, drop one where a ball moved after all."""
        segmenter = self._segmenter
        if self._draft is not None and self._draft.basis.last_move_s != segmenter.last_move_s:
            self._drop_draft()
        if segmenter.moving and state.time_s >= self._told_s + TELL_S:
            self._told_s = state.time_s
            self._tell(self._tracker)
        old = self._draft
        if not segmenter.moving or not state.usable or state.time_s < segmenter.closing_s - AHEAD_S:
            return
        basis = self._basis(state)
        if old is not None and old.basis == basis and state.time_s < old.time_s + AGAIN_S + TIE_S:
            return
        self._drop_draft()
        self._draft = Draft(segmenter.preview(), basis, self._tracker, self._calibration.table, self._run)

    def _look_forward(self, now_s: float) -> None:
        self._settling, self._awaited_s = self._judging, inf
        if self._segmenter.moving:
            closing_s = self._segmenter.closing_s
            self._settling = now_s >= closing_s - SETTLING_S
            self._awaited_s = next((due_s for due_s in (closing_s - AHEAD_S + TIE_S, closing_s + TIE_S) if due_s > now_s), inf)

    def _basis(self, state: TableState) -> Basis:
        return Basis(last_move_s=self._segmenter.last_move_s, balls=frozenset(ball.ball for ball in state.balls))

    def _settled(self, state: TableState) -> Reading | None:
        """The draft's reading where nothing has changed since."""
        draft, self._draft = self._draft, None
        if draft is None:
            return None
        if draft.basis != self._basis(state):
            draft.give_up()
            return None
        return draft.reading()

    def _drop_draft(self) -> None:
        if self._draft is not None:
            self._draft.give_up()
            self._draft = None

    def _read(self, window: ShotWindow, reading: Reading | None = None, *, not_judged: str = "") -> ShotUpdate | None:
        reading = reading or read_window(window, self._tracker, self._calibration.table)
        report, shot = reading.report, reading.shot
        seen_s = [time_s for time_s in self._seen_s if window.start_s <= time_s <= reading.until_s]
        self._forget(window.end_s - KEEP_S)
        if shot is None:
            return None
        shot = replace(shot, number=self._match.shot_count + 1)
        shot = with_faint(with_missing(shot, find_gaps(seen_s)), report.tracks)
        shot = replace(shot, before_px=self._pixels(shot.before), doubts=(*shot.doubts, *self._numbers(shot)))
        not_judged = not_judged or self._camera.moved_within(window.start_s, window.end_s)
        if not_judged:
            shot = replace(shot, complete=False, doubts=(Doubt(kind="frames_missing", text=f"{NOT_JUDGED}: {not_judged}"), *shot.doubts))
        ruling = self._match.record_shot(shot, self._take_declared(shot.start_s))
        return ShotUpdate(shot=shot, ruling=ruling, tracks=report.tracks, paths=_paths(shot, report))

    def _forget(self, before_s: float) -> None:
        self._tracker.forget(before_s)
        self._seen_s = [time_s for time_s in self._seen_s if time_s > before_s]
        self._forgotten_s = before_s

    def _numbers(self, shot: Shot) -> tuple[Doubt, ...]:
        """The doubt that what fell has the number it is labelled with, where points and calls go by numbers that nobody read."""
        fell = {event.fields["ball"] for event in shot.events if event.type == "pocketed"}
        whites = tuple(sorted(ball for ball in fell if ball.startswith("w")))
        if not whites or self._match.setup.game not in CALL_SHOT_GAMES:
            return ()
        return (Doubt(kind="identity", balls=whites, text=f"the numbers of the whites that fell were not read: {', '.join(whites)}"),)

    def _pixels(self, layout: Mapping[BallId, tuple[float, float]]) -> dict[BallId, tuple[float, float]]:
        pixels = self._calibration.camera.to_pixels(list(layout.values()), height_m=self._calibration.spec.ball_radius_m)
        return {ball: (float(x), float(y)) for ball, (x, y) in zip(layout, pixels, strict=True)}

    def _take_declared(self, start_s: float) -> tuple[PersonEvent, ...]:
        due = tuple(event for event in self._declared if event.time_s <= start_s)
        self._declared = self._declared[len(due) :]
        return due


def _paths(shot: Shot, report: TrackReport) -> dict[BallId, tuple[tuple[float, float, float], ...]]:
    moved = {}
    for track in report.tracks:
        part = track.between(shot.start_s - 0.1, shot.end_s + 0.1)
        if part is not None and _moves(part):
            moved[track.ball] = tuple(
                (float(t - shot.start_s), float(x), float(y)) for t, (x, y) in zip(part.times_s, part.positions_m, strict=True)
            )
    return moved


def _moves(track: BallTrack) -> bool:
    spread = track.positions_m.max(axis=0) - track.positions_m.min(axis=0)
    return bool(spread.max() > 0.01)
