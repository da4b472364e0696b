"""The half of seeing that needs no ball known: the bed from above, the network's word on it, its cloth, what stands out.

Chain: rectify -> network | cloth -> foreground -> proposals. Two steps, so that three threads can share a core each:
`sight` and, on what it gave, `glance`; both take the pictures in the order of the recording.

The only memory is the cloth's colour, learnt from the pictures themselves about once a second of recording, and what was
found where the picture has not changed since (vision.stillness): a picture in which nothing changed gives the very
object that the one before it gave.

A picture is not usable when most of the bed does not look like this cloth or the pockets are not where they belong:
another view, a replay, a title. The cloth learnt before is kept over such a stretch.

Fails: a recording that starts with another view of a cloth-coloured thing learns that as cloth, until the pockets
are seen.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.calibration import Calibration
from vision.bed import Bed
from vision.changes import Box, ChangeMeter
from vision.circles import CircleFinder
from vision.cloth import Cloth, ClothLearner, foreground
from vision.frame import Frame
from vision.network import Network, Sight
from vision.proposals import Content, Proposals, find_proposals
from vision.rectify import TopView
from vision.stillness import PieceMemory

Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]

VIEW_RADIUS_PX = 7.0
"""Ball radius in the view: at 5 touching balls run together, at 10 a frame costs twice the time."""
COVERED = 0.3
"""The network's word from which a place is hidden: on rendered pictures it then adds 0.28 of what is covered to what
foreground alone finds (0.64 becomes 0.92), and the part that is wrongly called covered stays a third."""
_FINE_RADIUS_PX = 14.0
"""Ball radius where touching balls are told apart; about that of a 1080p picture of a whole table."""
_RELEARN_S = 1.0
"""The cloth is learnt again after this time: lamps and exposure drift within seconds, a resting ball must not fade
into the cloth (it never does: the cloth's field cannot follow anything as small)."""
_KEEP = 0.5
"""Weight of the earlier cloth at each learning."""
_OPEN_SHARE = 0.2
"""Part of the bed that must be left without what covers it to learn from the rest alone: with less, the network has taken the
table for something else."""
_SAME_CLOTH = 0.35
"""Change of the cloth's colour over its length up to which earlier and new are averaged; more is another view, from
which nothing is learnt."""
_LEAST_SHARE = 0.35
"""Part of the bed that must look like cloth: two players leaning over a table leave more than half."""
_POCKETS_KEPT = 0.5
"""Of the pockets seen so far, this part must stay seen; players cover up to three of six. A picture in which none was
ever told from the cloth (black on black) is not doubted for it."""


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """The bed from above, and what the network makes of it.

    Attributes:
        view: Shape (h, w, 3), uint8, BGR.
        sight: The network's word; the object of the picture before where nothing has changed.
        changed: Boxes of the view outside which it is as in the sighting before; None where that is not known.
        number: Counts the sightings.
    """

    view: Image
    sight: Sight
    changed: tuple[Box, ...] | None
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """What stands out of the cloth, before any of it is called a ball.

    Attributes:
        sight: The network's word.
        cloth: As known at this picture.
        mask: Shape of the view: where something other than cloth is seen.
        proposals: What its pieces may be; None for a picture that cannot be used.
        why: Why it cannot be used, one line, else empty.
    """

    sight: Sight
    cloth: Cloth
    mask: Mask
    proposals: Proposals | None
    why: str = ""

    def news(self, last: "Glance | None") -> "GlanceNews":
        """What is to be told of it where the one before, `last`, is known."""
        if self is last:
            return GlanceNews(None, None)
        return GlanceNews((self.sight, self.mask, self.proposals, self.why), None if last and self.cloth is last.cloth else self.cloth)


@dataclass(frozen=True, slots=True, eq=False)
class GlanceNews:
    """A glance for another process: what it shares with the one before is left out, so that there too the same is the same
    object, which is how the eyes know that nothing has changed.

    Attributes:
        parts: Sight, mask, proposals and why not; None where it is the glance before.
        cloth: None where it is that of the glance before.
    """

    parts: tuple[Sight, Mask, Proposals | None, str] | None
    cloth: Cloth | None

    def after(self, last: Glance | None) -> Glance | None:
        """The glance, where the one before was `last`."""
        cloth = self.cloth or (last.cloth if last is not None else None)
        if self.parts is None or cloth is None:
            return last
        sight, mask, proposals, why = self.parts
        return Glance(sight, cloth, mask, proposals, why)


class Surface:
    """One calibrated table's bed, followed through the pictures.

    Attributes:
        view: The table from above, in which masks and places are.
        zone: Shape of the view: where balls may lie.
    """

    def __init__(self, calibration: Calibration, bed: Bed, *, pockets_known: bool, shortcuts: bool) -> None:
        """Precompute the maps (about a second of work at 1080p); arguments as for `vision.eyes.Eyes`."""
        self.view = TopView(calibration, ball_radius_px=VIEW_RADIUS_PX)
        self.zone = bed.zone(self.view)
        self._circles = CircleFinder(self.view, TopView(calibration, ball_radius_px=_FINE_RADIUS_PX))
        self._changes = ChangeMeter(self.view) if shortcuts else None
        self._at_holes = bed.hole_rims(self.view)
        self._size = calibration.camera.image_size_px
        self._network = Network()
        self._learner = ClothLearner(self.view, calibration.table)
        self._pockets_known = pockets_known
        self._pockets_most = 0
        self._cloth: Cloth | None = None
        self._learnt_s = 0.0
        self._pieces: PieceMemory[Content] | None = PieceMemory(pad_px=5) if shortcuts else None
        self._seen: Sighting | None = None
        self._mask: Mask | None = None
        self._mask_cloth: Cloth | None = None
        self._glanced = -1
        self._last: Glance | None = None

    def sight(self, frame: Frame) -> Sighting | None:
        """The bed from above; None for a picture of another size than the calibration's."""
        height, width = frame.image.shape[:2]
        if (width, height) != self._size:
            return None
        last = self._seen
        changed = self._changes.changed(frame.image, frame.time_s) if self._changes is not None else None
        view = self._view_of(frame.image, last.view if last is not None else None, changed)
        sight = self._network.look(view, VIEW_RADIUS_PX, changed)
        self._seen = Sighting(view, sight, changed, 0 if last is None else last.number + 1)
        return self._seen

    def _view_of(self, image: Image, last: Image | None, changed: tuple[Box, ...] | None) -> Image:
        """The bed from above, taken from the last view where nothing has changed."""
        if last is None or changed is None:
            return self.view.view(image)
        if not changed:
            return last
        view = last.copy()
        for box in changed:
            view[box] = self.view.patch(image, *box)
        return view

    def glance(self, frame: Frame, sighting: Sighting) -> Glance:
        """What stands out of the cloth in a picture; the last glance again where nothing has changed."""
        last, time_s = self._last, frame.time_s
        changed = self._changed_since_glance(sighting)
        if last is not None and changed == () and not self._due(time_s):
            return last
        view, sight = sighting.view, sighting.sight
        cloth = self._current_cloth(sighting, time_s)
        mask = self._foreground(view, cloth, changed)
        self._circles.renew(changed)
        why = self._unlike(view, cloth, mask)
        if why:
            self._last = None
            return Glance(sight, cloth, mask, None, why)
        self._cloth = cloth
        proposals = find_proposals(
            mask & self.zone, frame.image, view, self._circles, VIEW_RADIUS_PX, self._at_holes, memory=self._pieces, time_s=time_s
        )
        self._last = Glance(sight, cloth, mask, proposals)
        return self._last

    def _changed_since_glance(self, sighting: Sighting) -> tuple[Box, ...] | None:
        """Boxes that changed since the last glance; None where a sighting between was not glanced at."""
        follows = sighting.number == self._glanced + 1
        self._glanced = sighting.number
        return sighting.changed if follows else None

    def _foreground(self, view: Image, cloth: Cloth, changed: tuple[Box, ...] | None) -> Mask:
        """The foreground, taken from the last where neither picture nor cloth has changed."""
        if self._mask is None or changed is None or cloth is not self._mask_cloth:
            self._mask = foreground(view, cloth)
        elif changed:
            self._mask = self._mask.copy()
            for box in changed:
                self._mask[box] = foreground(view, cloth, box)
        self._mask_cloth = cloth
        return self._mask

    def _due(self, time_s: float) -> bool:
        return self._cloth is None or not 0 <= time_s - self._learnt_s < _RELEARN_S

    def _current_cloth(self, sighting: Sighting, time_s: float) -> Cloth:
        """The cloth known, or one learnt from this view where that is due; kept only if the view shows the table."""
        known = self._cloth
        if known is not None and not self._due(time_s):
            return known
        self._learnt_s = time_s
        covered = self._covered(sighting.sight)
        learnt = self._learner.learn(sighting.view, covered)
        if known is None:
            return learnt
        if np.linalg.norm(learnt.usual - known.usual) > _SAME_CLOTH * np.linalg.norm(known.usual):
            return known
        kept = np.where(covered, 1.0, _KEEP).astype(np.float32)[..., None]
        colour = kept * known.colour + (1 - kept) * learnt.colour
        return Cloth(colour, _KEEP * known.usual + (1 - _KEEP) * learnt.usual, learnt.noise, learnt.share)

    def _covered(self, sight: Sight) -> Mask:
        """Where people and graphics are, of which the cloth is not learnt; nowhere if that would be nearly everywhere."""
        covered = np.asarray(sight.covered > COVERED, dtype=np.bool_)
        bed = self._learner.bed
        return covered if np.count_nonzero(bed & ~covered) > _OPEN_SHARE * np.count_nonzero(bed) else np.zeros_like(covered)

    def _unlike(self, view: Image, cloth: Cloth, mask: Mask) -> str:
        """Why a picture does not show the table; empty where it does."""
        inside = self._learner.bed[::4, ::4]
        share = 1.0 - float(mask[::4, ::4][inside].mean()) if inside.any() else 0.0
        if share < _LEAST_SHARE:
            return f"only {100 * share:.0f} % of the bed looks like its cloth: another view, or the bed is covered"
        if not self._pockets_known:
            return ""
        pockets, faint = self._learner.pockets_seen(view, cloth)
        if faint < _POCKETS_KEPT * self._pockets_most:
            return f"only {faint} of the {self._pockets_most} pockets seen before are where they belong: another view"
        self._pockets_most = max(self._pockets_most, pockets)
        return ""
