"""One live match: what the driver sees and what people do come together here, and go out to the pages.

    driver  -> frame_seen, shot_judged, camera_is, tick          (its thread)
    pages   -> the methods that `referee.live.actions` calls    (the web server's threads)
    board   <- match, table, clock, camera, help, posts

All under the match's lock. The match changes only through `KeptMatch`, so that nothing is shown before it is on disk. Time is
the match's own: the last picture's, carried on by the clock that is handed in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from calibration.calibration import Calibration
from calibration.errors import InputError
from referee.live.board import Board
from referee.live.health import CameraStatus
from referee.live.helping import Wanted, help_view
from referee.live.kept_match import KeptMatch
from referee.live.match_view import Beside, find_options, match_view, shot_lines, spots_due
from referee.live.places import Place, RestPlaces
from referee.live.shot_clock import LIMITS, PYRAMID_LIMIT_S, ShotClock, paused, rested, resumed, struck, turned
from referee.live.shot_view import ShotViews, call_texts, thinned
from referee.live.store import MatchStore, StoreError
from referee.live.texts import CAMERA, SPOKEN, Text, plain, two_fouls_text
from referee.match import Difference
from referee.pipeline import FrameUpdate, ShotUpdate
from referee.ruling import PLAYERS

TABLE_STEP_S = 1 / 30
"""The table is shown at most this often while balls move, seconds of the match's clock."""
REST_STEP_S = 0.25
"""The same while they rest."""
ALL_FILES = 2
"""Files of a shot: still and clip."""
HELP_STEP_S = 0.2
"""Help is worked out at most this often."""


class Session:
    """A live match and everything beside it."""

    def __init__(
        self,
        match: KeptMatch,
        store: MatchStore,
        board: Board,
        *,
        clock: Callable[[], float],
        calibration: Calibration | None = None,
        media: Callable[[int], frozenset[str]] = lambda number: frozenset(),
    ) -> None:
        """A session of a match that is on disk.

        Args:
            match: The match.
            store: Where it is kept; notes are kept there too.
            board: What pages are sent.
            clock: Seconds on a clock that never goes back.
            calibration: Camera over the table.
            media: Files that there are of a shot.
        """
        self.match, self.board, self.calibration = match, board, calibration
        self.moving, self.status = False, "playing"
        self.timeout: str | None = None
        self.wanted = Wanted()
        self._store, self._clock, self._media, self._views = store, clock, media, ShotViews()
        self._notes = store.notes()
        self._paths: dict[int, Mapping[str, Any]] = {
            int(key.removeprefix("paths/")): value for key, value in self._notes.items() if key.startswith("paths/")
        }
        self._places, self._rest_places = RestPlaces(), dict[str, Place]()
        self._last_rest: dict[str, tuple[float, float]] = _layout(self._notes.get("rest"))
        self.shot_clock = _stored_clock(self._notes.get("clock"))
        self._time_s, self._at_s = self._resume_time_s(), clock()
        self._files: dict[int, frozenset[str]] = {}
        self._shown_s, self._helped_s, self._said = -1.0, -1.0, ""
        self._camera = CameraStatus(kind="starting", since_s=self._at_s)
        self._spots: tuple[int, dict[str, tuple[float, float]]] = (-1, {})
        match.listen(self.show_match)
        self.show_match()
        self.show_camera(self._camera, self._at_s, rate_hz=0.0, judged_hz=0.0, missed=0.0)
        board.put("table", {"time_s": self._time_s, "moving": False, "handled": False, "usable": False, "balls": []})
        self._show_rest()

    # Time

    @property
    def time_s(self) -> float:
        """Now, on the match's clock."""
        return self._time_s + max(0.0, self._clock() - self._at_s)

    def _resume_time_s(self) -> float:
        """Where the match's clock stands at the start: after everything that is in the log."""
        times = [float(line["end_s"]) for line, _, _, _ in shot_lines(self.match)]
        times += [float(event.fields["time_s"]) for event in self.match.events if "time_s" in event.fields]
        return max(times, default=0.0)

    # What the driver sees

    def frame_seen(self, update: FrameUpdate, *, moving: bool) -> None:
        """A picture was looked at."""
        state = update.state
        with self.match.lock:
            self._time_s, self._at_s = state.time_s, self._clock()
            if moving and not self.moving:
                self._last_rest = {ball: (place.x_m, place.y_m) for ball, place in self._rest_places.items()} or self._last_rest
                self._set_clock(struck(self.shot_clock))
            self.moving = moving
            self._rest_places = dict(self._places.update(state))
            step = TABLE_STEP_S if moving else REST_STEP_S
            if state.time_s - self._shown_s >= step - 1e-3 or state.time_s < self._shown_s:
                self._shown_s = state.time_s
                balls = [
                    [b.ball, round(b.position_m[0], 4), round(b.position_m[1], 4), "seen" if b.seen else "hidden", round(b.sigma_m, 5)]
                    for b in state.balls
                ]
                shown = {
                    "time_s": round(state.time_s, 3),
                    "moving": moving,
                    "handled": state.handled,
                    "usable": state.usable,
                    "balls": balls,
                }
                self.board.put("table", shown)
            if state.time_s - self._helped_s >= HELP_STEP_S or state.time_s < self._helped_s:
                self._show_rest()

    def shot_judged(self, update: ShotUpdate) -> None:
        """A shot was read, judged and put on disk by the pipeline."""
        with self.match.lock:
            self._paths[update.shot.number] = thinned(update.paths)
            self._keep(f"paths/{update.shot.number}", self._paths[update.shot.number])
            self._keep("rest", {ball: list(place) for ball, place in update.shot.after.items()})
            ruling = update.ruling
            self.moving = False
            self.wanted = replace(self.wanted, put_back=None, put_back_shot=None, spotted=())
            self._set_clock(rested(self.shot_clock, update.shot.end_s, self._player(), new_rack=ruling.ruling.rack_over))
            self.show_match()
            names = self.match.setup.players.to_dict()
            self.board.post({"type": "say", "kind": "call", "text": call_texts(update.shot.to_dict(), ruling, names)})
            for player in ruling.ruling.warn or ():
                self.board.post({"type": "say", "kind": "warning", "text": two_fouls_text(player, names)})

    def shot_lost(self) -> None:
        """A shot could not be read or written: people are told, for nothing else will say so."""
        with self.match.lock:
            self.moving = False
            self.board.post({"type": "say", "kind": "lost", "text": SPOKEN["lost"]})

    def media_written(self) -> None:
        """A still or clip is there now."""
        self.show_match()

    def show_camera(self, status: CameraStatus, now_s: float, *, rate_hz: float, judged_hz: float, missed: float) -> None:
        """How the camera is."""
        self._camera = status
        self.board.put(
            "camera",
            {
                "status": status.kind,
                "since_s": round(now_s - status.since_s),
                "text": CAMERA[status.kind],
                "rate_hz": round(rate_hz, 1),
                "judged_hz": round(judged_hz, 1),
                "missed": round(missed, 3),
            },
        )

    def tick(self) -> None:
        """Time goes on: the clock is shown, its announcements are made."""
        with self.match.lock:
            shown = self._clock_view()
            said = "time" if shown["state"] == "expired" else "ten" if shown["ten"] and shown["state"] == "running" else ""
            if said and said != self._said:
                self.board.post({"type": "say", "kind": said, "text": SPOKEN[said]})
            self._said = said
            self.board.put("clock", shown)

    # What people do

    def pause(self, timeout: str | None = None) -> None:
        """Stop the judging and the clock; `timeout` is the player who took a time-out."""
        self.status, self.timeout = "paused", timeout
        self._set_clock(paused(self.shot_clock, self.time_s))
        self.show_match()

    def resume(self) -> None:
        """Go on."""
        self.status, self.timeout = "playing", None
        self._set_clock(resumed(self.shot_clock, self.time_s))
        self.show_match()

    def set_clock(self, clock: ShotClock) -> None:
        """Another setting of the shot clock, kept over a restart."""
        self._set_clock(clock)
        self._keep("clock", {"limit_s": clock.limit_s, "extension_s": clock.extension_s, "each": clock.each})

    def turn_changed(self) -> None:
        """A choice or correction may have given the turn to another player."""
        self._set_clock(turned(self.shot_clock, self._player(), self.time_s))

    def put_back(self, *, on: bool, shot: int | None = None) -> None:
        """Show a layout as ghosts.

        Raises:
            InputError: If there is no such shot, or no layout yet.
        """
        layout = None
        if on:
            lines = {ruling.number: line for line, ruling, _, _ in shot_lines(self.match)}
            if shot is not None and shot not in lines:
                raise InputError(f"there is no shot {shot}")
            layout = _layout(lines[shot]["before"]) if shot is not None else dict(self._last_rest)
            if not layout:
                raise InputError("no layout has been seen yet")
        self.wanted = replace(self.wanted, put_back=layout, put_back_shot=shot if on else None)
        self._show_rest()

    def want(self, wanted: Wanted) -> None:
        """Other help."""
        self.wanted = wanted
        self._show_rest()

    def tell_changes(self, differences: Sequence[Difference], before: Mapping[int, Text]) -> None:
        """Tell what a correction has changed."""
        now = self.calls()
        gone = plain("–")
        rows = [{"number": item.shot, "was": before.get(item.shot, gone), "now": now.get(item.shot, gone)} for item in differences]
        if rows:
            self.board.post({"type": "changed", "shots": rows})

    def calls(self) -> dict[int, Text]:
        """The call on every shot, by its number."""
        players = self.match.setup.players.to_dict()
        return {ruling.number: call_texts(line, ruling, players) for line, ruling, _, _ in shot_lines(self.match)}

    # What is shown

    def show_match(self) -> None:
        """Send the match as it stands."""
        with self.match.lock:
            self.board.put("match", {"seq": self.match.revision, "match": match_view(self.match, self.beside(), self._views)})

    def beside(self) -> Beside:
        """What the pages are shown beside the log."""
        return Beside(status=self.status, paths=self._paths, media=self._files_of, calibration=self.calibration)

    def _files_of(self, number: int) -> frozenset[str]:
        """Files there are of a shot; the disk is asked until it has all."""
        if len(self._files.get(number, ())) < ALL_FILES:
            self._files[number] = self._media(number)
        return self._files[number]

    def _show_rest(self) -> None:
        self._helped_s = self._time_s
        places = {} if self.moving else self._rest_places
        if self._spots[0] != self.match.revision:
            self._spots = (self.match.revision, spots_due(self.match))
        self.board.put("help", help_view(self.match, places, self.wanted, self._spots[1]))

    def _set_clock(self, clock: ShotClock) -> None:
        self.shot_clock = clock
        self.board.put("clock", self._clock_view())

    def _clock_view(self) -> dict[str, Any]:
        return {**self.shot_clock.to_dict(self.time_s), "timeout": self.timeout}

    def _player(self) -> str | None:
        state = self.match.state.state
        _, chooser = find_options(self.match)
        found = chooser or (None if state is None else state.shooter)
        return found if found in PLAYERS else None

    def _keep(self, key: str, value: Any) -> None:
        """Notes help; a match goes on without them."""
        try:
            self._store.put(key, value)
        except StoreError:
            self._notes[key] = value


def _stored_clock(note: Any) -> ShotClock:
    if not isinstance(note, Mapping):
        return ShotClock()
    return ShotClock(limit_s=float(note["limit_s"]), extension_s=float(note["extension_s"]), each=int(note["each"]))


def usual_limit_s(game: str) -> float:
    """The usual time for a stroke."""
    return LIMITS.get(game, PYRAMID_LIMIT_S)


def _layout(data: Any) -> dict[str, tuple[float, float]]:
    return {str(ball): (float(place[0]), float(place[1])) for ball, place in (data or {}).items()}
