"""Paths parted where a contact was found within a piece.

A graze turns a ball too little for two pieces to be worth their price, and so one curve is laid through the way before it
and the way after. The other ball tells of the contact; from then on the way is told by the samples after it alone, or it
leads where the ball did not go (into the lip of the pocket that it fell into clean).
"""

from collections.abc import Sequence

from calibration.equipment import BallId
from tracker.contacts import Contact
from tracker.kinks import Path
from tracker.trajectory import Piece, fit_piece

KNOWN_FRAMES = 0.5
"""A contact whose time is known to so many frames says which samples lie before it."""
LEAST_SAMPLES = 2
"""On each side, for a way of its own."""


def parted(path: Path, contacts: Sequence[Contact], frame_s: float) -> Path:
    """The path with its moving pieces parted at the contacts of its ball that lie within them.

    Args:
        path: Of a ball.
        contacts: Of all balls.
        frame_s: Usual spacing of the frames.
    """
    times = _known(path.ball, contacts, frame_s)
    pieces: list[Piece] = []
    for piece in path.pieces:
        inside = [t for t in times if piece.start_s < t < piece.end_s] if piece.moving else []
        first = piece.first
        for time in inside:
            border = int((path.times_s <= time).sum())
            if min(border - first, piece.last + 1 - border) >= LEAST_SAMPLES:
                pieces.append(fit_piece(path.times_s, path.xy_m, path.variance, first=first, last=border - 1, moving=True))
                first = border
        pieces.append(
            piece if first == piece.first else fit_piece(path.times_s, path.xy_m, path.variance, first=first, last=piece.last, moving=True)
        )
    return (
        path
        if len(pieces) == len(path.pieces)
        else Path(ball=path.ball, times_s=path.times_s, xy_m=path.xy_m, variance=path.variance, pieces=tuple(pieces))
    )


def _known(ball: BallId, contacts: Sequence[Contact], frame_s: float) -> list[float]:
    return sorted(c.time_s for c in contacts if ball in (c.ball, c.other) and c.sigma_s < KNOWN_FRAMES * frame_s)
