"""Reviewing recorded videos: the driver around the pipeline, and everything it leaves in the output folder.

Two passes. The first calibrates where no table file is given, then feeds every frame to the pipeline; the second writes
the annotated video, because names and calls are certain only after a shot. Results are written when all is judged, each
beside its target and then renamed: a review that fails or is stopped leaves the folder as it was.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from calibration.automatic import CalibrationFailure, calibrate_video
from calibration.calibration import Calibration
from calibration.equipment import BallSet, TableSpec
from calibration.errors import InputError
from referee.ahead import see_ahead
from referee.annotate import Still, annotate_video
from referee.calls import PersonEvent
from referee.log import write_log
from referee.match import Match
from referee.pipeline import BadInterval, FrameUpdate, Pipeline, ShotUpdate
from referee.progress import show_progress
from referee.report import ShotMedia, write_report
from referee.review_object import review_object
from referee.rules.games import find_ruleset
from referee.rules.options import Options
from referee.rushes import Rushes
from tracker.history import BallTrack, TableState
from tracker.segment import tracks_of
from vision.capture import SAMPLES, Picture, missing_bytes, open_video, sample_pictures
from vision.frame import Frame

LOG_NAME = "match.jsonl"
VIDEO_NAME = "annotated.mp4"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """What to review, and what only people know.

    Attributes:
        videos: Recordings of one match, in order.
        game: Name as in files.
        spec: Size of the table where it has to be found.
        calibration: A table file's content; None to find the table in each video.
        calls: What people said, on the clock of the first video.
        players: Names of A and B.
        race: Racks or points to win; None where nothing is agreed.
        options: House rules.
        samples: Pictures of the first video to find its table in, where that is decoded already or under way.
        foot: Side of the picture where the foot is; None to find out.
        accept: Go on with a calibration that misses its limits.
        partial: Judge what is there of a torn video.
        annotate: Write the annotated video.
        language: Of the report, `en` or `ru`; the video's letters are Latin only.
        assume_calls: Take the ball that fell as called where a needed call is missing.
        assumed: What had to be taken for granted before the first picture.
    """

    videos: tuple[Path, ...]
    game: str
    spec: TableSpec
    calibration: Calibration | None = None
    calls: tuple[PersonEvent, ...] = ()
    players: tuple[str, str] = ("A", "B")
    race: int | None = None
    options: Options = field(default_factory=Options)
    samples: "Future[list[Picture]] | None" = None
    foot: str | None = None
    accept: bool = False
    partial: bool = False
    annotate: bool = True
    assume_calls: bool = False
    language: str = "en"
    assumed: tuple[str, ...] = ()


@dataclass(slots=True)
class _Recording:
    """What the first pass keeps of one video."""

    path: Path
    calibration: Calibration
    rushes: Rushes | None = None
    shots: list[ShotUpdate] = field(default_factory=list)
    states: list[TableState] = field(default_factory=list)
    bad: tuple[BadInterval, ...] = ()
    rate_hz: float = 25.0
    length_s: float = 0.0


def review(
    request: ReviewRequest, folder: Path, *, on_shot: Callable[[ShotUpdate], None], say: Callable[[str], None], quiet: bool = False
) -> dict[str, Any]:
    """Review the videos, write log, report and annotated video into the folder, and give the `cueref.review/1` object.

    Args:
        request: What to review.
        folder: Made if missing.
        on_shot: Called with each shot as it is judged.
        say: Takes a line for the person, for instance where the table was found.
        quiet: Show no progress.

    Raises:
        InputError: If a video or table cannot be used; the folder is then as it was.
        OSError: If the folder cannot be written.
    """
    for path in request.videos:
        _check_whole(path, request.partial)
    for path in request.videos[1:]:
        open_video(path).close()  # No video at all: the first tells so at once in any case.
    with _output_folder(folder):
        return _review(request, folder, on_shot, say, quiet)


def _review(
    request: ReviewRequest, folder: Path, on_shot: Callable[[ShotUpdate], None], say: Callable[[str], None], quiet: bool
) -> dict[str, Any]:
    ball_set = find_ruleset(request.game).ball_set
    first = _calibrated(request, request.videos[0], say, quiet)
    match = Match.start(
        request.game,
        players=request.players,
        race=request.race,
        options=request.options,
        table=first.spec,
        ends_known=first.foot_known,
        assume_calls=request.assume_calls,
        assumed=[*request.assumed, *_assumed_ends(first)],
    )
    recordings = []
    for number, path in enumerate(request.videos):
        calibration = first if number == 0 else _calibrated(request, path, say, quiet)
        calls = request.calls if number == 0 else ()
        recordings.append(_judge(path, calibration, ball_set, match, calls, request.partial, request.annotate, on_shot, quiet))
    result = _result(match, recordings)
    with _written(folder) as written:
        media = _annotate(recordings, result, written, quiet) if request.annotate else _media(recordings, {})
        write_log(written(LOG_NAME), match)
        write_report(folder, result, media=media, video=VIDEO_NAME if request.annotate else None, language=request.language)
    return result


def _check_whole(path: Path, partial: bool) -> None:
    """Refuse a torn video before an hour is spent on it, where its container tells."""
    lacking = missing_bytes(path)
    if not lacking or partial:
        return
    with open_video(path) as source:
        raise InputError(
            f"{path}: cut off or damaged, {lacking / 1e6:.1f} MB of {source.duration_s:.1f} s of video are missing; "
            f"copy it again, or judge what is there with --partial"
        )


@contextmanager
def _output_folder(folder: Path) -> Iterator[None]:
    """The output folder, made and tried; one that was made for nothing is taken away again.

    Raises:
        InputError: If it cannot be made or written to; the message says so.
    """
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"{folder}: cannot be written to ({error.strerror}); choose another folder with -o") from error
    try:
        yield
    finally:
        if made and not any(folder.iterdir()):
            folder.rmdir()


def find_table_in(path: Path, spec: TableSpec, foot: str | None = None, pictures: Sequence[Picture] | None = None) -> Calibration:
    """The table that a video shows; `pictures` spread over it, its first among them, are decoded where not given.

    Raises:
        InputError: If the video cannot be read or shows no such table.
    """
    found = calibrate_video(sample_pictures(path, SAMPLES) if pictures is None else pictures, spec, foot)
    if isinstance(found, CalibrationFailure):
        raise InputError(
            f"{path}: {found.reason}; calibrate by hand with: cueref calibrate --video {path.name} --corners ... -o table.json"
        )
    return found


def _calibrated(request: ReviewRequest, path: Path, say: Callable[[str], None], quiet: bool) -> Calibration:
    if request.calibration is not None:
        calibration = request.calibration
    else:
        with show_progress(f"Finding the table in {path.name}", 0.0, quiet=quiet):
            ready = request.samples.result() if request.samples is not None and path == request.videos[0] else None
            calibration = find_table_in(path, request.spec, request.foot, ready)
        median, largest = calibration.residual_mm
        say(f"{path.name}: table {calibration.spec.name} found, noses within {median:.1f} mm (median), {largest:.1f} mm (largest)")
    if not calibration.good and not request.accept:
        raise InputError(f"{path}: the table is not known well enough: {'; '.join(calibration.because)}; to go on all the same: --accept")
    return calibration


def _assumed_ends(calibration: Calibration) -> list[str]:
    return [] if calibration.foot_known else [f"foot: {calibration.foot_side} end of the picture (nothing shows which it is)"]


def _judge(
    path: Path,
    calibration: Calibration,
    ball_set: BallSet,
    match: Match,
    calls: Sequence[PersonEvent],
    partial: bool,
    annotate: bool,
    on_shot: Callable[[ShotUpdate], None],
    quiet: bool,
) -> _Recording:
    rushes = Rushes(calibration.camera.image_size_px) if annotate else None
    recording = _Recording(path=path, calibration=calibration, rushes=rushes)
    pipeline = Pipeline(calibration, ball_set, match)
    pipeline.declare(calls)

    def take(update: FrameUpdate | ShotUpdate) -> None:
        if isinstance(update, ShotUpdate):
            recording.shots.append(update)
            on_shot(update)
        else:
            recording.states.append(update.state)

    with (
        see_ahead(path, pipeline, calibration.camera.image_size_px) as ahead,
        show_progress(f"Reviewing {path.name}", ahead.duration_s, quiet=quiet) as advance,
    ):
        recording.rate_hz = ahead.rate_hz or recording.rate_hz
        for frame, glance in ahead:
            if rushes is not None:
                rushes.keep(frame)
            for update in pipeline.feed(frame, glance):
                take(update)
            recording.length_s = frame.time_s
            advance(frame.time_s)
    if ahead.torn and not partial:
        raise InputError(f"{ahead.torn}; to judge what is there: --partial")
    for update in pipeline.finish():
        take(update)
    recording.bad = pipeline.bad_intervals
    if ahead.torn:
        recording.bad = (*recording.bad, BadInterval(from_s=recording.length_s, to_s=ahead.duration_s, why="the file is cut off here"))
    return recording


def _result(match: Match, recordings: Sequence[_Recording]) -> dict[str, Any]:
    bad = [
        {"from_s": round(item.from_s, 3), "to_s": round(item.to_s, 3), "why": item.why, **_video_field(recordings, number)}
        for number, recording in enumerate(recordings)
        for item in recording.bad
    ]
    result = review_object(match, table=recordings[0].calibration.to_dict(), bad_intervals=bad)
    if len(recordings) > 1:
        places = [number for number, recording in enumerate(recordings) for _ in recording.shots]
        for shot, number in zip(result["shots"], places, strict=True):
            shot |= _video_field(recordings, number)
    return result


def _video_field(recordings: Sequence[_Recording], number: int) -> dict[str, int]:
    """Which recording a time belongs to, counted from 1; left out where there is only one."""
    return {"video": number + 1} if len(recordings) > 1 else {}


def _annotate(
    recordings: Sequence[_Recording], result: Mapping[str, Any], written: Callable[[str], Path], quiet: bool
) -> dict[int, ShotMedia]:
    stills: dict[int, Still] = {}
    for number, recording in enumerate(recordings):
        name = VIDEO_NAME if number == 0 else f"annotated-{number + 1}.mp4"
        numbers = {update.shot.number for update in recording.shots}
        part = {**result, "shots": [shot for shot in result["shots"] if shot["number"] in numbers]}
        kept = recording.rushes.frames() if recording.rushes is not None else None
        with show_progress(f"Writing {name}", recording.length_s, quiet=quiet) as advance:
            stills |= annotate_video(
                written(name),
                _shown(recording.path) if kept is None else kept,
                recording.calibration,
                _all_tracks(recording),
                part,
                fps=recording.rate_hz,
                on_frame=advance,
            )
    return _media(recordings, stills)


def _shown(path: Path) -> Iterator[Frame]:
    """The recording again, opened when its first picture is asked for."""
    with open_video(path) as source:
        yield from source


def _all_tracks(recording: _Recording) -> list[BallTrack]:
    """Tracks of every frame: as read where a shot was, as followed live in between."""
    tracks = [track for update in recording.shots for track in update.tracks]
    spans = [(min(t.times_s[0] for t in u.tracks), max(t.times_s[-1] for t in u.tracks)) for u in recording.shots if u.tracks]
    between = [state for state in recording.states if not any(low <= state.time_s <= high for low, high in spans)]
    return [*tracks, *tracks_of(between)]


def _media(recordings: Sequence[_Recording], stills: Mapping[int, Still]) -> dict[int, ShotMedia]:
    media = {}
    for recording in recordings:
        for update in recording.shots:
            number = update.shot.number
            media[number] = ShotMedia(paths=update.paths)
            if number in stills:
                media[number] = replace(media[number], still_jpeg=stills[number].jpeg, still_text=stills[number].text)
    return media


@contextmanager
def _written(folder: Path) -> Iterator[Callable[[str], Path]]:
    """Give names beside their targets; all are renamed at the end, or none."""
    names: dict[str, Path] = {}

    def beside(name: str) -> Path:
        target = folder / name
        names[name] = target.with_name(f"{target.stem}.new{target.suffix}")
        return names[name]

    try:
        yield beside
        for name, path in names.items():
            path.replace(folder / name)
    finally:
        for path in names.values():
            path.unlink(missing_ok=True)
