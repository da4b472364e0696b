"""The detector's layers; development only, `vision/network.py` runs what they become.

U-shaped: an eighth-overlapping first layer at stride 4, two steps down to stride 16 for what is a ball and what a
fist, and back up by sums. At a ball radius of 5 pixels an output cell is 0.8 R, so touching balls are 2.5 cells apart,
and the deepest cell sees 28 R: a whole forearm. About 174 k parameters, 0.25 G multiplications a picture of 480 x 256.
"""

import torch
from torch import nn
from torch.nn import functional as F

STRIDE = 4
CLASSES = 16
"""cue, 1 to 15."""
MAPS = ("centre", "offset x", "offset y", "body", "graphics", *("cue", *(str(n) for n in range(1, 16))))
_WIDTHS = (24, 48, 64)
"""Channels at strides 4, 8, 16: a third more costs half as much time again."""


def _block(inputs: int, outputs: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    """Convolution, normalisation, rectifier."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, (size - stride + 1) // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)
    )


class Net(nn.Module):  # type: ignore[misc]  # torch is not there where types are checked
    """Picture to maps named by `MAPS`: logits, but offsets in output cells."""

    def __init__(self) -> None:
        super().__init__()
        fine, middle, coarse = _WIDTHS
        self.fine = nn.Sequential(_block(3, fine, 8, 4), _block(fine, fine))
        self.middle = nn.Sequential(_block(fine, middle, 3, 2), _block(middle, middle))
        self.coarse = nn.Sequential(
            _block(middle, coarse, 3, 2), _block(coarse, coarse), _block(coarse, coarse), nn.Conv2d(coarse, middle, 1)
        )
        self.middle_up = nn.Sequential(_block(middle, middle), nn.Conv2d(middle, fine, 1))
        self.fine_up = _block(fine, fine)
        self.head = nn.Conv2d(fine, len(MAPS), 1)
        with torch.no_grad():
            self.head.bias.zero_()
            self.head.bias[0] = -4.0

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        """(N, 3, h, w) BGR 0..1, h and w multiples of 16, to (N, len(MAPS), h/4, w/4)."""
        fine = self.fine(picture - 0.5)
        middle = self.middle(fine)
        middle = self.middle_up(middle + F.interpolate(self.coarse(middle), scale_factor=2.0, mode="nearest"))
        return self.head(self.fine_up(fine + F.interpolate(middle, scale_factor=2.0, mode="nearest")))
