"""The tracker: observations in, the state of the table out, and afterwards the history of every ball.

Live (`Tracker.update`) every picture is assigned as a whole (`tracker.associate`) to filters that know rest, rolling and
contacts (`tracker.motion`). What comes out is causal and good enough to watch and to cut into shots. Afterwards
(`Tracker.report`) the strands are cut wherever motion alone did not decide and joined again with the looks from before
and after, each ball once (`tracker.relabel`), gaps are filled where an arm hid a ball (`tracker.smooth`), and for
every ball that is gone the evidence is gathered (`tracker.evidence`).

A ball that is not seen under something stays where it was; one not seen in plain view is lost after a while, and its
name is free again. Balls seen in the cups are noted, never followed.

Same observations in the same order give the same result."""

from collections.abc import Sequence
from math import dist, hypot, inf

import numpy as np

from calibration.equipment import BallSet
from calibration.table import Table
from tracker.associate import Assignment, Expected, Seen, assign, first_steps, missed_cost
from tracker.clock import picture_factor, read_clock
from tracker.doubles import TOUCHING_RADII, apart_m, with_whole_blurs, without_doubles, without_merged, without_merged_at_rest
from tracker.evidence import find_ghosts, read_ends
from tracker.history import BallTrack, FloatArray, TableState, TrackedBall, TrackReport
from tracker.identity import NameBook, assign_names, fuse_all, fused_probabilities, identities, news
from tracker.motion import BallFilter
from tracker.pockets import PocketMap
from tracker.relabel import find_chains
from tracker.smooth import build_track
from tracker.strand import EXPECTED_PLACES, FrameRecord, Strand, pack_mask
from vision.detection import Detection, Observation

_LOST_MOVING_S = 0.4
"""A moving ball unseen this long in plain view is no longer predicted; a new strand may continue it."""
_LOST_RESTING_S = 2.0
"""The same for a resting one, which keeps claiming only its own place."""
_LOST_TENTATIVE_S = 0.1
"""The same for a strand that is not confirmed."""
_GAP_S = 0.06
"""A moving ball unseen in plain view for longer is joined with care: what is seen next may be another one, or nothing."""
_GAP_NATS_PER_S = 20.0
"""What each second of such a gap speaks against the joint."""
_NAME_HOLD = 0.7
"""Nats in favour of the name a strand has: names shall not flicker."""
_GHOST_NATS_PER_S = 10.0
"""What a ball unseen in plain view loses of its claim to its name."""
_SLOW_MPS = 0.02
"""Slower balls cause no contact that moves another one visibly."""
_HAND_MPS = 0.5
"""What scores like a hand is not followed over larger leaps: it would take the next ball that passes for itself."""
_EDGE_M = 0.02
"""Nearer than this to where it touches a nose a moving ball may turn."""
_NEAR_MOUTH_M = 0.12
"""Nearer than this to the middle of a mouth a ball may be gone the next moment."""
_ROLLS_MPS = 0.1
"""A ball this fast moves visibly from picture to picture: 2 mm at 50 a second."""
_CREEPS_MPS = 0.02
"""A ball this fast goes half a millimetre at 30 pictures a second; slower ones are told from resting too late."""
_RUNNING = 2  # So many pictures running may repeat the one before.
_SAME_M = 0.0003
"""Two detections closer than this are the same picture coded twice; a new picture differs by its noise."""
_HANDLED_SHARE = 0.005
"""Share of the bed covered that counts as somebody at the table: a cue alone covers about one per cent."""
_BLUR_S = 0.01
"""Exposure assumed for weighing the looks of a fast ball."""


class Tracker:
    """Follows all balls of one table.

    Args:
        table: Geometry; sizes in metres.
        ball_set: Names that can occur.
    """

    def __init__(self, table: Table, ball_set: BallSet) -> None:
        self.table = table
        self.ball_set = ball_set
        self._places = PocketMap(table)
        self._book = NameBook(ball_set)
        self._frames: list[FrameRecord] = []
        self._first_frame = 0
        self._live: list[Strand] = []
        self._strands: list[Strand] = []
        self._swaps: list[tuple[int, int, int, float]] = []
        self._true_s = 0.0
        self._before: tuple[Detection, ...] = ()
        self._bed: list[Detection] = []
        self._repeated: list[int] = []
        self._evidence, self._looks = self._fused()
        self._next_key = 0
        self._next_label = 1

    def update(self, observation: Observation) -> TableState:
        """The table after one more picture; pictures come in time order.

        Raises:
            ValueError: If the picture is older than the one before.
        """
        before_s = self._frames[-1].time_s if self._frames else observation.time_s
        if observation.time_s < before_s:
            raise ValueError(f"observations must come in time order: {observation.time_s} s after {before_s} s")
        step_s = observation.time_s - before_s
        bed = self._record(observation)
        frame = self._first_frame + len(self._frames) - 1
        if not observation.usable:
            self._true_s += step_s
            return self._state(observation, frame)
        bed, repeated = self._cleaned(bed, step_s)
        vectors = self._book.vectors([item.likelihood for item in bed])
        expected = self._expect(self._true_s + step_s, step_s, observation)
        seen = Seen(
            position_m=np.array([item.position_m for item in bed], dtype=np.float64).reshape(-1, 2),
            sigma_m=np.array([item.sigma_m for item in bed], dtype=np.float64),
            score=np.array([item.score for item in bed], dtype=np.float64),
            looks=vectors,
        )
        result = assign(expected, seen)
        self._true_s += step_s * picture_factor(self._steps(result, seen, expected))
        if repeated:
            self._repeated.append(frame)
        self._take(result, bed, self._book.log_ratio(vectors), observation.time_s, frame)
        self._lose(result, step_s, observation)
        self._name()
        return self._state(observation, frame)

    def tracks(self, from_s: float, to_s: float) -> tuple[BallTrack, ...]:
        """The tracks of `report` alone."""
        return self.report(from_s, to_s).tracks

    def report(self, from_s: float, to_s: float) -> TrackReport:
        """Tracks, evidence of ends, identities and clock between two times (both included)."""
        chains = find_chains(self._strands, self._swaps, self._frames, self._first_frame, self._places, self._book)
        tracks, kept, gone = [], [], []
        for chain in chains:
            whole = build_track(chain, self._frames, self._first_frame, self._places)
            track = whole.between(from_s, to_s)
            if track is not None:
                tracks.append(track)
                kept.append(chain)
                if whole.times_s[-1] <= to_s:  # one that came back later has not ended
                    gone.append(track)
        ends = read_ends(gone, tracks, self._frames, self._places, self._book, to_s)
        ghosts = find_ghosts(ends, tracks, {chain.ball: chain.mean_score for chain in kept})
        kept = [chain for chain in kept if chain.ball not in ghosts]
        tracks = [track for track in tracks if track.ball not in ghosts]
        evidence = np.array([chain.evidence for chain in kept]).reshape(len(kept), self._book.count)
        return TrackReport(
            tracks=tuple(tracks),
            ends=tuple(end for end in ends if end.ball not in ghosts),
            identities=identities([chain.ball for chain in kept], evidence, self._book),
            clock=read_clock(
                tracks,
                [record.time_s for record in self._frames if from_s <= record.time_s <= to_s],
                repeated=sum(from_s <= self._frames[frame - self._first_frame].time_s <= to_s for frame in self._repeated),
            ),
        )

    @property
    def history_s(self) -> float:
        """Time between the first and the last picture held, seconds."""
        return self._frames[-1].time_s - self._frames[0].time_s if self._frames else 0.0

    def forget(self, before_s: float) -> None:
        """Drop the history before a time; names and places of balls still followed stay. For long recordings."""
        count = sum(1 for record in self._frames[:-1] if record.time_s < before_s)
        if count == 0:
            return
        del self._frames[:count]
        self._first_frame += count
        for strand in self._strands:
            strand.forget(self._first_frame)
        self._strands = [strand for strand in self._strands if strand.frames or not strand.finished]
        self._repeated = [frame for frame in self._repeated if frame >= self._first_frame]
        self._swaps = [swap for swap in self._swaps if swap[0] >= self._first_frame]

    def _record(self, observation: Observation) -> list[Detection]:
        """Keep what later questions need; give the detections that can be balls on the bed."""
        bed, cups, outside = [], [], []
        for item in observation.detections:
            if self._places.is_open(item.position_m):
                bed.append(item)
                continue
            place = self._places.place(item.position_m)
            if place.kind in ("bed", "jaws"):
                bed.append(item)
            elif place.kind == "cup":
                cups.append((place.pocket, *item.position_m, item.score, self._book.log_ratio(self._book.vectors([item.likelihood]))[0]))
            else:
                outside.append((*item.position_m, item.score))
        hidden, shape = pack_mask(observation.occluded)
        record = FrameRecord(
            time_s=observation.time_s, usable=observation.usable, hidden=hidden, shape=shape, cups=tuple(cups), outside=tuple(outside)
        )
        self._frames.append(record)
        return bed

    def _cleaned(self, bed: list[Detection], step_s: float) -> tuple[list[Detection], bool]:
        """One detection a ball as far as can be told, and whether this is the picture before once more."""
        bed = without_doubles(bed, self.table.spec.ball_radius_m)
        repeated = self._is_repeated(bed)
        self._before = tuple(bed)
        if repeated:
            return self._bed, True
        motions = [(strand.motion, self._true_s + step_s - strand.true_s) for strand in self._live]
        bed = with_whole_blurs(bed, motions, self.table.spec.ball_radius_m)
        bed = without_merged_at_rest(bed, motions, self.table.spec.ball_radius_m)
        if len(bed) < len(self._live):
            bed = without_merged(bed, motions, self.table.spec.ball_radius_m)
        self._bed = bed
        return bed, False

    def _is_repeated(self, bed: Sequence[Detection]) -> bool:
        """The picture before once more: everything exactly where it was, though something rolls.

        A slow ball may stop between pictures: it counts only to the last digit. Pictures of its rest must not keep it rolling.
        """
        now = self._first_frame + len(self._frames) - 1
        if not len(bed) == len(self._before) > 0 or self._repeated[-_RUNNING:] == [now - _RUNNING + row for row in range(_RUNNING)]:
            return False
        fastest = max((strand.motion.speed_mps for strand in self._live if strand.unseen_s == 0), default=0.0)
        again = bool(self._repeated) and self._repeated[-1] == self._first_frame + len(self._frames) - 2
        if fastest <= (_ROLLS_MPS if again else _CREEPS_MPS):
            return False
        limit_m = _SAME_M if fastest > _ROLLS_MPS else 0.0
        return all(min(apart_m(item.position_m, old.position_m) for old in self._before) <= limit_m for item in bed)

    def _expect(self, now_s: float, step_s: float, observation: Observation) -> Expected:
        spec, radius = self.table.spec, self.table.spec.ball_radius_m
        count = len(self._live)
        motions = [strand.motion for strand in self._live]
        rows = [strand.expected(max(now_s - strand.true_s, step_s)) for strand in self._live]
        known = np.ascontiguousarray(np.array(rows, dtype=np.float64).reshape(count, 13).T)
        gap, speed, odds = known[0], known[6], known[11]
        straight, last, memory, woken = (np.ascontiguousarray(known[part].T) for part in EXPECTED_PLACES)
        apart = np.hypot(last[:, None, 0] - last[None, :, 0], last[:, None, 1] - last[None, :, 1])
        np.fill_diagonal(apart, np.inf)
        told = speed.copy()
        for k in np.flatnonzero((apart < TOUCHING_RADII[1] * radius).any(axis=1)).tolist():
            told[k] = motions[k].told_mps
        meets = (told[None, :] > _SLOW_MPS) & (apart < (speed[None, :] + speed[:, None]) * gap[:, None] * 1.3 + 2.4 * radius)
        crowded = (apart < 2.6 * radius + speed[None, :] * gap[:, None]).any(axis=1)
        if not (told > _SLOW_MPS).any():  # in a rack at rest nothing moves by itself
            for k in np.flatnonzero(crowded).tolist():
                straight[k] = motions[k].predict(0.0)
        solid = odds > 0
        striker = np.where(meets, apart, np.inf).argmin(axis=1) if count else np.zeros(0, dtype=np.int64)
        alone = (meets.sum(axis=1) == 1) & ~((apart < 2.6 * radius) & ~meets).any(axis=1) & (speed == 0)
        reach = np.maximum(speed, np.where(meets, speed[None, :], 0.0).max(axis=1, initial=0.0))
        predicted = self._places.reflected(straight[:, :2])
        at_edge = (np.abs(straight[:, :2]) - (self._places.limit_x_m, self._places.limit_y_m) > -_EDGE_M).any(axis=1) & (speed > 0)
        to_mouth = np.hypot(*(straight[:, None, :2] - self._places.middles_m).transpose(2, 0, 1)).min(axis=1, initial=np.inf)
        missed = [
            missed_cost(hidden=observation.is_hidden((x, y), spec.length_m, spec.width_m), crowded=c, near_mouth=m < _NEAR_MOUTH_M)
            for (x, y, _), c, m in zip(straight.tolist(), crowded.tolist(), to_mouth.tolist(), strict=True)
        ]
        return Expected(
            predicted_m=predicted,
            straight_m=straight[:, :2],
            sigma_m=straight[:, 2],
            step_m=straight[:, :2] - last,
            last_m=last,
            memory_m=memory,
            gap_s=gap,
            reach_mps=np.where(solid, reach, np.minimum(reach, _HAND_MPS)),
            contact=(meets.any(axis=1) | at_edge) & solid,
            push_m=np.where(alone[:, None], last - last[striker], 0.0),
            woken=woken + first_steps(last, gap, known[12] > 0),
            solid=solid,
            bounced=(predicted != straight[:, :2]).any(axis=1),
            missed_cost=np.array(missed, dtype=np.float64),
            ball_odds=np.where([strand.confirmed for strand in self._live], inf, odds),
            looks=self._looks,
        )

    def _steps(self, result: Assignment, seen: Seen, expected: Expected) -> list[tuple[float, float]]:
        """(step along the course over the expected step, standard deviation) of each ball that rolls on undisturbed."""
        steps = []
        rows = zip(expected.step_m.tolist(), expected.last_m.tolist(), expected.sigma_m.tolist(), expected.bounced.tolist(), strict=True)
        known = list(rows)
        for i, j, _ in result.pairs:
            (dx, dy), (x, y), sigma, bounced = known[i]
            motion = self._live[i].motion
            lagging = self._true_s - self._live[i].true_s > 1e-6
            if bounced or lagging or motion.told_mps == 0 or not motion.settled:
                continue
            length, noise = hypot(dx, dy), hypot(float(seen.sigma_m[j]), sigma)
            if length < 5 * noise:
                continue
            way_x, way_y = float(seen.position_m[j, 0]) - x, float(seen.position_m[j, 1]) - y
            if abs(way_y * dx - way_x * dy) < (3 * noise + 0.05 * length) * length:
                steps.append(((way_x * dx + way_y * dy) / length**2, noise / length))
        return steps

    def _take(self, result: Assignment, bed: list[Detection], log_ratios: FloatArray, time_s: float, frame: int) -> None:
        repeated = bool(self._repeated) and self._repeated[-1] == frame
        for i, j, cost in result.pairs:
            strand, item = self._live[i], bed[j]
            if repeated and not strand.motion.resting:
                continue  # shows where it was, not where it is
            missed = 0.0 if strand.motion.resting else strand.unseen_s
            strand.motion.update(time_s, *item.position_m, item.sigma_m, self._true_s - strand.true_s)
            strand.true_s, strand.unseen_s = self._true_s, 0.0
            self._append(strand, item, log_ratios[j], frame)
            if result.is_weak(cost) or missed > _GAP_S:
                strand.cut(cost + _GAP_NATS_PER_S * min(missed, _LOST_MOVING_S))
        costs = {i: cost for i, _, cost in result.pairs}
        for i, k, extra in () if repeated else result.swaps:
            self._live[i].cut(costs[i])
            self._live[k].cut(costs[k])
            self._swaps.append((frame, self._live[i].key, self._live[k].key, extra))
        for j in result.new:
            item = bed[j]
            strand = Strand(
                key=self._next_key,
                motion=BallFilter(time_s=time_s, x=item.position_m[0], y=item.position_m[1], sigma_m=item.sigma_m),
                true_s=self._true_s,
                looks_sum=np.zeros(self._book.count),
            )
            self._next_key += 1
            self._append(strand, item, log_ratios[j], frame)
            self._live.append(strand)
            self._strands.append(strand)

    def _append(self, strand: Strand, item: Detection, log_ratio: FloatArray, frame: int) -> None:
        behind = not self._places.is_open(item.position_m) and self._places.place(item.position_m).depth_m > 0
        blur = strand.motion.speed_mps * _BLUR_S if item.streak_m is None else dist(*item.streak_m)
        sharp = 1 / (1 + (2 * blur / self.table.spec.ball_diameter_m) ** 2)
        weight = item.score * sharp * (0.1 if behind else 1.0)
        gap_s = way_m = 0.0
        if strand.frames and strand.frames[-1] >= self._first_frame:
            gap_s = self._frames[-1].time_s - self._frames[strand.frames[-1] - self._first_frame].time_s
            way_m = hypot(item.position_m[0] - strand.xs[-1], item.position_m[1] - strand.ys[-1])
            weight *= news(gap_s, way_m, self.table.spec.ball_radius_m)
        elif behind and any(other.ended_at(item.position_m) for other in self._strands):
            gap_s = way_m = inf
        strand.append(frame, item, weight, log_ratio, fallen=behind and strand.lies_in_pocket(gap_s, way_m))

    def _lose(self, result: Assignment, step_s: float, observation: Observation) -> None:
        matched = {i for i, _, _ in result.pairs}
        old = len(self._live) - len(result.new)
        for i, strand in enumerate(self._live[:old]):
            if i in matched:
                continue
            motion = strand.motion
            x, y, _ = motion.predict(self._true_s - strand.true_s)
            if observation.is_hidden((x, y), self.table.spec.length_m, self.table.spec.width_m):
                strand.unseen_s += step_s if not motion.resting else 0.0
                limit = 2.0
            else:
                strand.unseen_s += step_s
                limit = _LOST_RESTING_S if motion.resting else _LOST_MOVING_S
            strand.finished = strand.unseen_s > (limit if strand.confirmed else _LOST_TENTATIVE_S)
        self._live = [strand for strand in self._live if not strand.finished]

    def _name(self) -> None:
        """Name the live strands, each ball once."""
        self._evidence, self._looks = self._fused()
        if not self._book.count:
            for strand in self._live:
                if not strand.name and strand.confirmed:
                    strand.name = f"b{self._next_label}"
                    self._next_label += 1
            return
        doubts = [_GHOST_NATS_PER_S * strand.unseen_s + (0 if strand.confirmed else 6) for strand in self._live]
        evidence = self._evidence - np.array(doubts).reshape(-1, 1)
        for row, strand in enumerate(self._live):
            if strand.name:
                evidence[row, self._book.column[strand.name]] += _NAME_HOLD
        for strand, column in zip(self._live, assign_names(evidence), strict=True):
            strand.name = "" if column is None else self._book.labels[column]

    def _fused(self) -> tuple[FloatArray, FloatArray]:
        """What looks say of each live strand's name so far, (N, K): nats over chance, and probabilities."""
        sums = np.array([strand.looks_sum for strand in self._live]).reshape(len(self._live), self._book.count)
        evidence = fuse_all(sums, np.array([strand.looks_weight for strand in self._live], dtype=np.float64))
        return evidence, fused_probabilities(evidence)

    def _state(self, observation: Observation, frame: int) -> TableState:
        balls = []
        early = frame - self._first_frame < 3
        for strand, shares in zip(self._live, self._looks.tolist(), strict=True):
            if not strand.name or not (strand.confirmed or early):
                continue
            x, y, sigma = strand.motion.predict(self._true_s - strand.true_s)
            balls.append(
                TrackedBall(
                    ball=strand.name,
                    position_m=(x, y),
                    velocity_mps=(strand.motion.vx, strand.motion.vy),
                    sigma_m=sigma,
                    seen=bool(strand.frames) and strand.frames[-1] == frame,
                    likelihood=dict(zip(self._book.labels, shares, strict=True)),
                )
            )
        mask = observation.occluded
        handled = mask is not None and float(np.count_nonzero(mask)) > _HANDLED_SHARE * mask.size
        return TableState(time_s=observation.time_s, balls=tuple(balls), handled=handled, usable=observation.usable)
