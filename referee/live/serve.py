"""Everything of `cueref live` put together: store, match, camera, pages; started, and ended in order."""

import gc
import os
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from urllib.parse import quote

import cv2
import uvicorn

from calibration.automatic import CalibrationFailure, calibrate_video
from calibration.calibration import Calibration, read_calibration, write_calibration
from calibration.equipment import TableSpec
from calibration.errors import InputError
from referee.draft import Job, Work
from referee.live.access import Keeper
from referee.live.board import Board
from referee.live.cameras import Camera, CameraLost, OwnPace, Pace, WaitingPace, open_camera
from referee.live.driver import Driver
from referee.live.kept_match import KeptMatch
from referee.live.match_view import shot_lines
from referee.live.media import Pictures, ShotMedia, files_of
from referee.live.session import Session
from referee.live.shot_clock import set_clock
from referee.live.store import MatchStore
from referee.live.web import Site, make_app
from referee.log import read_log
from referee.match import Match
from referee.pipeline import Pipeline
from referee.reading_process import ReadingProcess
from referee.rules.games import find_ruleset
from referee.rules.options import Options
from tracker.snapshot import snapshot
from tracker.tracks import Tracker
from vision.capture import SAMPLES, Picture, sample_pictures

TABLE_NAME = "table.json"
DEFAULT_MATCH = "match"
SAMPLE_STEP_S = 0.2
"""Between two pictures of a camera that its table is found in: players move on in five seconds of them."""
MOST_SOCKET_BYTES = 64 * 1024
"""A page that sends a larger message is disconnected by the server's own limit before it is read whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRequest:
    """What to referee, and where to show it.

    Attributes:
        camera: Number, address or file.
        game: Name as in files.
        folder: Where match, table, stills and clips are kept.
        spec: Size of the table where it has to be found.
        calibration: A table file's content; None to find the table, or to take the folder's.
        players: Names of A and B.
        race: Racks or points to win; None where nothing is agreed.
        options: House rules.
        foot: Side of the picture where the foot is; None to find out.
        accept: Go on with a calibration that misses its limits.
        assumed: What had to be taken for granted.
        store: Address of a database; None for SQLite in the folder.
        match: Name of the match in the store.
        log: A match log to go on from, where the store has no match yet.
        clock_s: Shot clock; None to leave it as it was.
        host: Address to listen on.
        port: 0 for any free one.
        names: Further names that this server is addressed by.
        secret: Of the official's link; None for a new one.
        every_frame: Judge every picture of a file; where that takes longer than it plays, it waits.
        until_over: End when the recording is over.
        find_table: Find the table again, though the folder holds it: the camera was moved.
    """

    camera: str
    game: str
    folder: Path
    spec: TableSpec
    calibration: Calibration | None = None
    players: tuple[str, str] = ("A", "B")
    race: int | None = None
    options: Options = field(default_factory=Options)
    foot: str | None = None
    accept: bool = False
    assumed: tuple[str, ...] = ()
    store: str | None = None
    match: str = DEFAULT_MATCH
    log: Path | None = None
    clock_s: float | None = None
    host: str = "127.0.0.1"
    port: int = 8080
    names: tuple[str, ...] = ()
    secret: str | None = None
    every_frame: bool = False
    until_over: bool = False
    find_table: bool = False


class Live:
    """A live match with its camera, without its pages; what the command and the tests start."""

    def __init__(self, request: LiveRequest, say: Callable[[str], None], *, pace: Pace | None = None) -> None:
        """Open store, camera and table, and go on with the match or begin one.

        Raises:
            InputError: If something given cannot be used.
            OSError: If the folder or the store cannot be written.
        """
        self.stop, self.over = Event(), Event()
        self._pace = pace or (WaitingPace(self.stop) if request.every_frame else OwnPace(self.stop))
        camera = open_camera(request.camera, self.stop, pace=self._pace)
        self.calibration = _calibrated(request, camera, say)
        request.folder.mkdir(parents=True, exist_ok=True)
        if request.find_table or not (request.folder / TABLE_NAME).is_file():
            write_calibration(request.folder / TABLE_NAME, self.calibration)
        self.store = MatchStore(request.store, request.match) if request.store else MatchStore.in_folder(request.folder, request.match)
        try:
            self.match = _match(request, self.store, self.calibration, say)
        except BaseException:
            self.store.close()
            raise
        self.pictures, self.board = Pictures(), Board()
        self.shots = shots_folder(request.folder, request.match)
        self.session = Session(
            self.match,
            self.store,
            self.board,
            clock=self._pace.now_s,
            calibration=self.calibration,
            media=lambda number: files_of(self.shots, number),
        )
        if request.clock_s is not None:
            self.session.set_clock(set_clock(self.session.shot_clock, limit_s=request.clock_s))
        self.media = ShotMedia(self.shots, self.pictures, self.calibration, self.session.media_written)
        from_s, start_s = _resume(self.store, self.match, camera, request.camera)
        ball_set = find_ruleset(request.game).ball_set
        self._reading = ReadingProcess()
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="reading")
        self.driver = Driver(
            camera,
            lambda: Pipeline(self.calibration, ball_set, self.match, run=self._read_beside, tell=self._tell_beside),
            self.session,
            pace=self._pace,
            stop=self.stop,
            size_px=self.calibration.camera.image_size_px,
            from_s=from_s,
            start_s=start_s,
            lossless=request.every_frame and camera.is_file,
            pictures=self.pictures,
            media=self.media,
            on_ended=self.over.set,
        )
        self._pictures = Thread(target=self.pictures.run, name="pictures", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        gc.collect()
        gc.freeze()  # looking through all that is there already takes a tenth of a second, now and then while a ruling is waited for
        self._reading.start()
        self._pictures.start()
        self.media.start()
        self.driver.start()

    def _read_beside(self, work: Work) -> Job:
        return self._reader.submit(work.by, self._reading.read).result

    def _tell_beside(self, tracker: Tracker) -> None:
        if self._reading.pid is not None:
            self._reader.submit(self._reading.tell, snapshot(tracker))

    def close(self) -> None:
        """End all threads, then let go of the store."""
        self.stop.set()
        self.driver.join(5.0)
        self._reading.close()
        self._reader.shutdown(wait=False, cancel_futures=True)
        self.pictures.close()
        self.media.close()
        self.store.close()


def shots_folder(folder: Path, match: str) -> Path:
    """Where stills and clips of a match are: a folder may hold several matches, and shot 1 of each is another.

    >>> shots_folder(Path("tonight"), "match").name, shots_folder(Path("tonight"), "../final").name
    ('shots', 'shots-..%2Ffinal')
    """
    return folder / ("shots" if match == DEFAULT_MATCH else f"shots-{quote(match, safe='')}")


def serve(request: LiveRequest, say: Callable[[str], None]) -> int:
    """Referee live until stopped; 1 where a call is undecided at the end.

    Raises:
        InputError: If something given cannot be used.
        OSError: If the folder, the store or the port cannot be used.
    """
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # OpenCV's own lines hold the camera's address
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    with closing(_listen(request.host, request.port)) as listening:
        live = Live(request, say)
        base = f"http://{_shown_host(request.host)}:{listening.getsockname()[1]}"
        keeper = Keeper(request.secret)
        links = {"official": f"{base}/official?key={keeper.secret}", "public": f"{base}/"}
        site = Site(session=live.session, keeper=keeper, pictures=live.pictures, shots=live.shots, links=links, hosts=_names(request))
        server = make_server(site)
        live.start()
        say(f"scoreboard  {links['public']}")
        say(f"overlay     {base}/overlay")
        say(f"official    {links['official']}")
        if request.until_over:
            Thread(target=_end_when_over, args=(live, server), daemon=True).start()
        try:
            with suppress(KeyboardInterrupt):  # the usual end of an evening
                server.run(sockets=[listening])
        finally:
            live.close()
    if live.driver.error is not None:
        raise InputError(f"the camera's recording stopped: {live.driver.error}")
    return 1 if any(not ruling.certain for ruling in live.match.rulings) else 0


def _names(request: LiveRequest) -> frozenset[str]:
    """Every name that this server may be addressed by."""
    machine = socket.gethostname()
    return frozenset(name.lower() for name in (*request.names, request.host, "localhost", machine, f"{machine}.local"))


def make_server(site: Site) -> uvicorn.Server:
    """The web server: no compression of messages (a quarter of the delay), no names of software, no access log (it would
    hold the official's key)."""
    return uvicorn.Server(
        uvicorn.Config(
            make_app(site),
            log_level="critical",
            access_log=False,
            server_header=False,
            ws="websockets-sansio",
            ws_per_message_deflate=False,
            ws_max_size=MOST_SOCKET_BYTES,
            ws_ping_interval=10.0,
            timeout_graceful_shutdown=2,
            lifespan="off",
        )
    )


def _end_when_over(live: Live, server: uvicorn.Server) -> None:
    live.over.wait()
    server.should_exit = True


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # the links are printed before the server runs: whoever is quick waits instead of being refused
    except OSError as error:
        listening.close()
        raise InputError(f"--host {host} --port {port}: cannot be listened on ({error.strerror}); choose another port") from error
    listening.set_inheritable(True)
    return listening


def _shown_host(host: str) -> str:
    """The address for links: where the server listens everywhere, the one that other machines see it under."""
    if host not in ("0.0.0.0", "::"):
        return f"[{host}]" if ":" in host else host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent; the system only says which of its addresses it would use
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def _match(request: LiveRequest, store: MatchStore, calibration: Calibration, say: Callable[[str], None]) -> KeptMatch:
    """The match of the store where it was left, else a new one."""
    found = KeptMatch.resume(store)
    if found is not None:
        if found.setup.game != request.game:
            raise InputError(
                f"{request.folder}: holds a match of {found.setup.game}, not {request.game}; choose another folder with -o, or --match"
            )
        over = bool(found.rulings and found.rulings[-1].ruling.match_over)
        score = f"{found.shot_count} shots, score {found.score['A']} : {found.score['B']}"
        say(f"the match is over: {score}; another one begins with: --match NAME" if over else f"the match goes on: {score}")
        return found
    if request.log is not None:
        return KeptMatch.begin(store, read_log(request.log))
    ends = [] if calibration.foot_known else [f"foot: {calibration.foot_side} end of the picture (nothing shows which it is)"]
    new = Match.start(
        request.game,
        players=request.players,
        race=request.race,
        options=request.options,
        table=calibration.spec,
        ends_known=calibration.foot_known,
        assumed=[*request.assumed, *ends],
    )
    return KeptMatch.begin(store, new)


def _resume(store: MatchStore, match: KeptMatch, camera: Camera, name: str) -> tuple[float, float]:
    """Where in a recording to go on, and the match's time of the first picture.

    A recording goes on after the last shot on disk. A camera has gone on meanwhile: so has the match's clock.
    """
    notes, lines = store.notes(), shot_lines(match)
    end_s = max((float(line["end_s"]) for line, _, _, _ in lines), default=0.0)
    source = Path(name).name if camera.is_file else "camera"
    before = notes.get("source")
    if not isinstance(before, dict):
        store.put("source", {"name": source, "offset_s": 0.0, "wall_s": time.time()})
        return 0.0, 0.0
    if camera.is_file and before.get("name") == source:
        return max(0.0, end_s - float(before["offset_s"])), end_s
    if camera.is_file:
        store.put("source", {"name": source, "offset_s": end_s, "wall_s": time.time()})
        return 0.0, end_s
    return 0.0, max(end_s, time.time() - float(before["wall_s"]))


def _calibrated(request: LiveRequest, camera: Camera, say: Callable[[str], None]) -> Calibration:
    """The table given, the folder's, or found in the pictures."""
    kept = request.folder / TABLE_NAME
    if request.calibration is not None:
        calibration = request.calibration
    elif kept.is_file() and not request.find_table:
        calibration = read_calibration(kept)
    else:
        say("finding the table in the picture")
        found = calibrate_video(_samples(request.camera, camera), request.spec, request.foot)
        if isinstance(found, CalibrationFailure):
            raise InputError(f"--camera: {found.reason}; calibrate by hand with: cueref calibrate ... --corners ... -o table.json")
        calibration = found
        median, largest = calibration.residual_mm
        say(f"table {calibration.spec.name} found, noses within {median:.1f} mm (median), {largest:.1f} mm (largest)")
    if not calibration.good and not request.accept:
        raise InputError(f"--camera: the table is not known well enough: {'; '.join(calibration.because)}; to go on all the same: --accept")
    return calibration


def _samples(name: str, camera: Camera) -> Sequence[Picture]:
    """Pictures to find the table in.

    Raises:
        InputError: If the camera gives none.
    """
    if camera.is_file:
        return list(sample_pictures(name, SAMPLES))
    pictures: list[Picture] = []
    due_s = 0.0
    try:
        for captured in camera.pictures(0.0):
            if captured.arrival_s >= due_s:
                pictures.append(captured.image)
                due_s = captured.arrival_s + SAMPLE_STEP_S
            if len(pictures) >= SAMPLES:
                break
    except CameraLost as error:
        if not pictures:
            raise InputError(f"--camera: {error}; check the cable, the number or the address") from error
    return pictures
