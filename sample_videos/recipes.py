"""From a seed and wishes to a whole recording: which shot, look, camera, player."""

from dataclasses import asdict, dataclass, replace
from math import pi, radians

import numpy as np

from calibration.camera import CameraModel
from calibration.equipment import GAME_TABLES, find_ball_set, find_table, parse_game
from calibration.errors import InputError
from calibration.table import Table
from sample_videos.effects import NO_EFFECTS, Effects, draw_effects
from sample_videos.graphics import draw_graphics
from sample_videos.looks import CLOTHS, Look, draw_look
from sample_videos.matches import PLAYERS, find_matches, match_truth, tell
from sample_videos.passages import Passage
from sample_videos.player import PlayerLook, draw_player
from sample_videos.poses import MAX_TILT_DEG, make_camera
from sample_videos.scene import Scene
from sample_videos.shots import find_shots
from sample_videos.truth import film_truth, nine_ball_ruling, shot_truth
from sample_videos.video import Recording

BALL_SETS = {"standard": False, "television": True}
"""Ball sets by name and whether their 4, 5 and 7 are pink, orange-red and brown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the person asked for; None leaves it to the seed.

    Attributes:
        size_px: (width, height).
        fps: Pictures per second.
        camera_height_m: Above the cloth.
        tilt_deg: Of the camera's axis.
        cloth: A name of `looks.CLOTHS`.
        balls: A name of `BALL_SETS`; pool only.
        foot: Side of the picture where the foot is, left or right.
        game: By any of its names.
        table: By name; None the usual one of the game.
        length_s: A passage is cut at rest after at most so long, but has at least one shot.
        number: Which shot of the kind, from 0; None by chance.
        troubles: Names of `effects.TROUBLES`.
        bit_rate_mbps: Of the encoder; None for constant quality.
        graphics: Broadcast graphics over the picture.
    """

    size_px: tuple[int, int] = (1280, 720)
    fps: float = 25.0
    camera_height_m: float | None = None
    tilt_deg: float | None = None
    cloth: str | None = None
    balls: str | None = None
    foot: str | None = None
    game: str = "nine_ball"
    table: str | None = None
    length_s: float | None = None
    number: int | None = None
    troubles: tuple[str, ...] = ()
    bit_rate_mbps: float | None = None
    graphics: bool = False


def make_recording(kind: str, seed: int, wishes: Wishes) -> Recording:
    """A recording of one shot of a kind; the same arguments give the same pictures.

    Raises:
        InputError: If the kind, game, table, cloth, ball set or camera cannot be had.
    """
    game, table = _check(wishes)
    names = set(find_ball_set(game).balls)
    choices = [shot for shot in find_shots(kind, table.spec.name) if set(shot.before) <= names]
    if not choices:
        raise InputError(f"no shot {kind!r} on table {table.spec.name} has only balls of {game}; take another kind or game")
    rng = _chance(seed, kind)
    by_chance = int(rng.integers(len(choices)))
    number = by_chance if wishes.number is None else wishes.number
    if not 0 <= number < len(choices):
        raise InputError(f"number: there are shots 0 to {len(choices) - 1} of {kind!r} on {table.spec.name}, found {number}")
    shot = choices[number]
    scene, people = _stage(rng, table, wishes)
    passage = Passage(table, shot.before, np.random.default_rng(seed), stay_visible=bool(rng.random() < 0.5))
    passage.add_shot(shot, 0)
    truth = film_truth(passage, scene, wishes.fps, {"shot": kind, "seed": seed, **asdict(wishes)})
    of_shot = shot_truth(shot, passage.strikes[0], passage.rests[0], scene)
    truth |= {"game": game, "seed": seed, **of_shot}
    if game == "nine_ball":
        truth["nine_ball"] = nine_ball_ruling(shot, of_shot)
    return Recording(play=passage, scene=scene, players=people, fps=wishes.fps, truth=truth, effects=_effects(wishes, seed, passage.end_s))


def make_match(name: str | None, seed: int, wishes: Wishes) -> Recording:
    """A recording of a passage of the game wished for: the one of that name, or one by chance, as it is or in a mirror.

    Raises:
        InputError: If the passage, game, table, cloth, ball set or camera cannot be had.
    """
    game, _ = _check(wishes)
    choices = [m for m in find_matches(game, name) if wishes.table in (None, m.table)]
    if not choices:
        raise InputError(f"no passage of {game} on table {wishes.table}; on it there are single shots (--shot)")
    rng = _chance(seed, name or game)
    match = choices[int(rng.integers(len(choices)))]
    mirror = bool(rng.random() < 0.5)
    table = Table(find_table(match.table))
    scene, people = _stage(rng, table, wishes)
    told = tell(match, np.random.default_rng(seed), mirror=mirror, length_s=wishes.length_s, stay_visible=bool(rng.random() < 0.7))
    recipe = {"passage": match.name, "mirror": mirror, "seed": seed, **asdict(wishes)}
    truth = film_truth(told.passage, scene, wishes.fps, recipe) | {"seed": seed} | match_truth(match, told, scene, mirror=mirror)
    return Recording(
        play=told.passage,
        scene=scene,
        players=people,
        fps=wishes.fps,
        truth=truth,
        calls=tuple(told.calls),
        effects=_effects(wishes, seed, told.passage.end_s),
    )


def _effects(wishes: Wishes, seed: int, end_s: float) -> Effects:
    effects = draw_effects(np.random.default_rng([seed, 77]), wishes.troubles, end_s) if wishes.troubles else NO_EFFECTS
    return effects if wishes.bit_rate_mbps is None else replace(effects, bit_rate_mbps=wishes.bit_rate_mbps)


def _chance(seed: int, kind: str) -> np.random.Generator:
    return np.random.default_rng([seed, sum(ord(c) * (i + 1) for i, c in enumerate(kind))])


def _stage(rng: np.random.Generator, table: Table, wishes: Wishes) -> tuple[Scene, tuple[PlayerLook, ...]]:
    """Look, camera and people (two players, a referee, a bystander)."""
    television = None if wishes.balls is None else BALL_SETS[wishes.balls]
    look = calm(draw_look(rng, cloth=wishes.cloth or _usual_cloth(rng), television=television, table=table))
    graphics = draw_graphics(rng, wishes.size_px, look.balls) if wishes.graphics else None
    return Scene(_camera(rng, table, look, wishes), table, look, graphics), tuple(draw_player(rng) for _ in PLAYERS)


def _usual_cloth(rng: np.random.Generator) -> str:
    usual = [name for name in CLOTHS if name not in ("orange", "purple", "tan")]
    return str(rng.choice(usual))


def calm(look: Look) -> Look:
    """The look without the excesses that only a detector's training needs: a picture as a decent camera gives it."""
    sensor = replace(
        look.sensor,
        noise=min(look.sensor.noise, 1.2),
        blur_px=min(look.sensor.blur_px, 0.6),
        sharpen=min(look.sensor.sharpen, 0.6),
        vignette=min(look.sensor.vignette, 0.12),
        exposure_s=min(max(look.sensor.exposure_s, 0.003), 0.012),
    )
    return replace(
        look,
        sensor=sensor,
        wear=min(look.wear, 0.35),
        cloth_noise=min(look.cloth_noise, 0.01),
        exposure_gain=min(max(look.exposure_gain, 0.9), 1.1),
    )


def _camera(rng: np.random.Generator, table: Table, look: Look, wishes: Wishes) -> CameraModel:
    foot_right = rng.random() < 0.5 if wishes.foot is None else wishes.foot == "right"
    return make_camera(
        table,
        height_m=wishes.camera_height_m or float(rng.uniform(2.3, 5.0)),
        tilt_deg=float(rng.uniform(0, 6)) if wishes.tilt_deg is None else wishes.tilt_deg,
        tilt_direction=float(rng.uniform(0, 2 * pi)),
        turn=(0.0 if foot_right else pi) + radians(float(rng.normal(0, 0.8))),
        bow=float(rng.uniform(-0.025, 0.025)),
        fill=float(rng.uniform(0.84, 0.96)),
        image_size_px=wishes.size_px,
        shift=(float(rng.uniform(-0.5, 0.5)), float(rng.uniform(-0.5, 0.5))),
        frame=look.frame,
    )


def _check(wishes: Wishes) -> tuple[str, Table]:
    """The game and the table wished for.

    Raises:
        InputError: If anything wished for cannot be had.
    """
    game = parse_game(wishes.game)
    table = Table(find_table(wishes.table or GAME_TABLES[game]))
    if (find_ball_set(game).name == "pyramid") != (table.spec.name == GAME_TABLES["free_pyramid"]):
        raise InputError(f"table: {game} is not played on {table.spec.name}")
    if wishes.length_s is not None and wishes.length_s <= 0:
        raise InputError(f"length: must be above 0 seconds, found {wishes.length_s}")
    width, height = wishes.size_px
    if width % 2 or height % 2 or not (160 <= width <= 7680 and 120 <= height <= 4320):
        raise InputError(f"size: width and height must be even and between 160x120 and 7680x4320, found {width}x{height}")
    if not 1 <= wishes.fps <= 240:
        raise InputError(f"fps: must be between 1 and 240, found {wishes.fps}")
    if wishes.camera_height_m is not None and not 1.2 <= wishes.camera_height_m <= 30:
        raise InputError(f"camera height: must be between 1.2 and 30 m, found {wishes.camera_height_m}")
    if wishes.tilt_deg is not None and not 0 <= wishes.tilt_deg <= MAX_TILT_DEG:
        raise InputError(f"tilt: must be between 0 and {MAX_TILT_DEG} degrees, found {wishes.tilt_deg}")
    if wishes.cloth is not None and wishes.cloth not in CLOTHS:
        raise InputError(f"no cloth is called {wishes.cloth!r}; there are {', '.join(CLOTHS)}")
    if wishes.balls is not None and wishes.balls not in BALL_SETS:
        raise InputError(f"no ball set is called {wishes.balls!r}; there are {', '.join(BALL_SETS)}")
    return game, table


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """A video with a fixed name.

    Attributes:
        name: Its file's stem.
        kind: Kind of shot; empty for a passage.
        passage: Name of a passage; empty for a single shot.
        wishes: Fixed for the committed one; another seed draws height, cloth and balls anew.
        crf: Quality of x264; greater is smaller.
    """

    name: str
    wishes: Wishes
    kind: str = ""
    passage: str = ""
    crf: int = 18


SAMPLES = (
    Title(
        name="legal_pot",
        kind="legal_pot",
        wishes=Wishes(camera_height_m=3.0, tilt_deg=2.0, cloth="blue", balls="television", foot="right", number=0),
    ),
    Title(
        name="wrong_ball_first",
        kind="wrong_first",
        wishes=Wishes(fps=30.0, camera_height_m=2.4, tilt_deg=4.0, cloth="green", balls="standard", foot="left", number=0),
    ),
    Title(
        name="break",
        kind="break_pot",
        wishes=Wishes(
            size_px=(1920, 1080), camera_height_m=5.0, tilt_deg=1.0, cloth="tournament blue", balls="television", foot="left", number=0
        ),
    ),
    Title(
        name="nine_ball_rack",
        passage="nine_ball_rack_3",
        wishes=Wishes(camera_height_m=3.2, tilt_deg=2.0, cloth="tournament blue", balls="television", foot="right"),
        crf=23,
    ),
    Title(
        name="trouble",
        passage="interference_1",
        wishes=Wishes(
            camera_height_m=2.8, tilt_deg=5.0, cloth="green", balls="standard", troubles=("dropped", "flicker", "drift"), bit_rate_mbps=0.45
        ),
    ),
    Title(
        name="straight_rerack",
        passage="straight_rerack_1",
        wishes=Wishes(game="straight_14_1", camera_height_m=3.4, tilt_deg=2.0, cloth="blue-green", balls="standard", foot="left"),
        crf=23,
    ),
    Title(
        name="free_pyramid",
        passage="free_pyramid_1",
        wishes=Wishes(game="free_pyramid", camera_height_m=3.8, tilt_deg=2.0, cloth="green", foot="right"),
        crf=23,
    ),
    Title(
        name="combined_pyramid",
        passage="combined_pyramid_1",
        wishes=Wishes(game="combined_pyramid", camera_height_m=3.6, tilt_deg=3.0, cloth="blue", foot="left"),
        crf=23,
    ),
    Title(
        name="dynamic_pyramid",
        passage="dynamic_pyramid_1",
        wishes=Wishes(
            game="dynamic_pyramid", size_px=(960, 540), length_s=22.0, camera_height_m=4.0, tilt_deg=1.0, cloth="red", foot="right"
        ),
        crf=23,
    ),
    Title(
        name="classic_pyramid",
        passage="classic_pyramid_1",
        wishes=Wishes(
            game="classic_pyramid", size_px=(960, 540), length_s=12.0, camera_height_m=3.8, tilt_deg=2.0, cloth="dark green", foot="left"
        ),
        crf=23,
    ),
)
"""The committed videos; their seed is `SAMPLE_SEED`."""
SAMPLE_SEED = 1

FOULS = tuple(
    Title(name=f"{kind}_{number}", kind=kind, wishes=Wishes())
    for kind, names in (
        ("no_contact", (1, 2)),
        ("wrong_first", (1, 2)),
        ("no_rail", (1, 2)),
        ("scratch", (1, 2)),
        ("object_off", (1,)),
        ("cue_off", (1,)),
    )
    for number in names
)
"""The ten fouls of the benchmark, two of each sort; the balls off the table are one object ball and one cue ball."""


def anew(title: Title) -> Title:
    """The title with height, tilt, cloth, balls and ends left to the seed."""
    kept = {name: getattr(title.wishes, name) for name in ("size_px", "fps", "game", "table", "length_s", "troubles", "bit_rate_mbps")}
    return replace(title, wishes=Wishes(**kept))


def record(title: Title, seed: int) -> Recording:
    """The recording of a title."""
    if title.kind:
        return make_recording(title.kind, seed, title.wishes)
    return make_match(title.passage or None, seed, title.wishes)
