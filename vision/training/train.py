"""Train the detector's network on rendered pictures and export it; development only, needs the extra `train`.

Usage: python vision/training/train.py SHARDS OUTPUT.onnx [--minutes M] [--resume STATE.pt]

SHARDS are made by benchmarks/training_pictures.py. Every few minutes the state goes to OUTPUT's name with `.pt` and the
network to OUTPUT, so that a look at real pictures never waits for the end. Layers, input and heads: vision/network.py
reads what `export` writes. Loss: penalty-reduced focal loss on centres (Zhou, Wang & Kraehenbuehl 2019, eq. 1), absolute
error of offsets, cross entropies of class and cover. Pictures are turned, mirrored, recoloured, blurred and made noisy
here, on top of what the renderer varies.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

CROP = 224
"""Side of a training crop, view pixels: 32 balls across, enough for arms to be seen as arms."""
BATCH = 12
STRIDE = 4
CLASSES = 16
LEAST_VISIBLE = 0.35
"""Balls less visible are neither wanted nor forbidden."""


def block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    """Convolution, normalisation, rectifier."""
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class Net(nn.Module):  # type: ignore[misc]  # torch is not there where types are checked
    """U-shaped, stride 4: channels 0 centre, 1-2 offset, 3 covered, 4-19 class; about 150 k parameters."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        w = width
        self.stem = nn.Sequential(block(3, w, 2), block(w, 2 * w, 2), block(2 * w, 2 * w))
        self.down1 = nn.Sequential(block(2 * w, 3 * w, 2), block(3 * w, 3 * w))
        self.down2 = nn.Sequential(block(3 * w, 3 * w, 2), block(3 * w, 3 * w))
        self.up1 = block(6 * w, 2 * w)
        self.up2 = block(4 * w, 2 * w)
        self.head = nn.Conv2d(2 * w, 4 + CLASSES, 1)
        with torch.no_grad():
            self.head.bias.zero_()
            self.head.bias[0] = -4.0

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        """(N, 3, h, w) BGR 0..1, h and w multiples of 16, to (N, 20, h/4, w/4)."""
        fine = self.stem(picture - 0.5)
        middle = self.down1(fine)
        coarse = self.down2(middle)
        middle = self.up1(torch.cat([middle, F.interpolate(coarse, scale_factor=2.0, mode="nearest")], 1))
        return self.head(self.up2(torch.cat([fine, F.interpolate(middle, scale_factor=2.0, mode="nearest")], 1)))


class Pictures:
    """Random crops from shards, with their targets."""

    def __init__(self, folder: Path, rng: np.random.Generator) -> None:
        self.folder, self.rng = folder, rng
        self.known: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}

    def refresh(self) -> None:
        """Take in shards made since."""
        for path in sorted(self.folder.glob("*.npz")):
            if path.name not in self.known and not path.name.endswith(".part.npz"):
                data = np.load(path)
                self.known[path.name] = (data["images"], data["covered"], data["balls"])
        self.tables = list(self.known.values())

    def batch(self) -> tuple[torch.Tensor, ...]:
        """Pictures, centre, weight of centre, offset, class, where class and offset count, cover."""
        made = [self.crop() for _ in range(BATCH)]
        return tuple(torch.from_numpy(np.stack(part)) for part in zip(*made, strict=True))

    def crop(self) -> tuple[np.ndarray, ...]:
        """One crop, recoloured and turned."""
        rng = self.rng
        images, covers, balls = self.tables[rng.integers(len(self.tables))]
        index = int(rng.integers(len(images)))
        image, cover = images[index], covers[index]
        mine = balls[balls[:, 0] == index]
        height, width = cover.shape
        top, left = int(rng.integers(height - CROP + 1)), int(rng.integers(width - CROP + 1))
        if len(mine) and rng.random() < 0.7:
            x, y = mine[rng.integers(len(mine)), 1:3]
            top = int(np.clip(y - rng.uniform(0.1, 0.9) * CROP, 0, height - CROP))
            left = int(np.clip(x - rng.uniform(0.1, 0.9) * CROP, 0, width - CROP))
        picture = image[top : top + CROP, left : left + CROP].astype(np.float32) / 255
        hidden = cover[top : top + CROP, left : left + CROP].astype(np.float32)
        places = mine[:, 1:3] - (left, top)
        if rng.random() < 0.5:
            picture, hidden, places = picture[:, ::-1], hidden[:, ::-1], np.column_stack([CROP - 1 - places[:, 0], places[:, 1]])
        if rng.random() < 0.5:
            picture, hidden, places = picture[::-1], hidden[::-1], np.column_stack([places[:, 0], CROP - 1 - places[:, 1]])
        if rng.random() < 0.5:
            picture, hidden, places = picture.transpose(1, 0, 2), hidden.T, places[:, ::-1]
        picture = recolour(rng, picture)
        return (np.ascontiguousarray(picture.transpose(2, 0, 1)), *targets(places, mine), shrink(hidden))


def recolour(rng: np.random.Generator, picture: np.ndarray) -> np.ndarray:
    """Another lamp, exposure, sensor."""
    gains = np.exp(rng.normal(0, 0.08, 3)) * np.exp(rng.normal(0, 0.18))
    picture = np.clip(picture * gains, 0, 1) ** np.exp(rng.normal(0, 0.15))
    if rng.random() < 0.3:
        grey = picture.mean(axis=2, keepdims=True)
        picture = grey + (picture - grey) * rng.uniform(0.6, 1.25)
    if rng.random() < 0.4:
        picture = picture + rng.normal(0, rng.uniform(0.005, 0.03), picture.shape)
    return np.asarray(np.clip(picture, 0, 1), dtype=np.float32)


def targets(places: np.ndarray, balls: np.ndarray) -> tuple[np.ndarray, ...]:
    """Centre, its weight, offset, class (-1 none) of a crop."""
    size = CROP // STRIDE
    centre, weight = np.zeros((1, size, size), np.float32), np.ones((1, size, size), np.float32)
    offset, kind = np.zeros((2, size, size), np.float32), np.full((size, size), -1, np.int64)
    rows, columns = np.mgrid[:size, :size]
    for (x, y), ball in zip((places + 0.5) / STRIDE - 0.5, balls, strict=True):
        near = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * 0.7**2))
        if ball[7] > 0 and ball[4] < LEAST_VISIBLE:
            weight[0][near > 0.1] = 0.0
        elif ball[7] > 0:
            centre[0] = np.maximum(centre[0], near)
            column, row = round(float(x)), round(float(y))
            if 0 <= row < size and 0 <= column < size:
                centre[0, row, column] = 1.0
            around = (np.abs(columns - column) <= 1) & (np.abs(rows - row) <= 1) & (near > 0.3)
            offset[0][around], offset[1][around], kind[around] = (x - columns)[around], (y - rows)[around], int(ball[3])
    return centre, weight, offset, kind


def shrink(hidden: np.ndarray) -> np.ndarray:
    """Cover at the output's scale."""
    size = CROP // STRIDE
    return np.asarray(hidden.reshape(size, STRIDE, size, STRIDE).mean((1, 3))[None], dtype=np.float32)


def loss(
    out: torch.Tensor, centre: torch.Tensor, weight: torch.Tensor, offset: torch.Tensor, kind: torch.Tensor, cover: torch.Tensor
) -> torch.Tensor:
    """All heads together, per ball."""
    p = torch.sigmoid(out[:, :1]).clamp(1e-4, 1 - 1e-4)
    at = (centre == 1).float()
    focal = -(at * (1 - p) ** 2 * p.log() + (1 - at) * (1 - centre) ** 4 * p**2 * (1 - p).log() * weight).sum()
    count = at.sum().clamp(min=1)
    here = kind >= 0
    shift = ((out[:, 1:3] - offset).abs().sum(1) * here).sum() / here.sum().clamp(min=1)
    names = F.cross_entropy(out[:, 4:], kind, ignore_index=-1) if here.any() else out.sum() * 0
    return focal / count + 0.5 * shift + 0.5 * names + 2.0 * F.binary_cross_entropy_with_logits(out[:, 3:4], cover)


def export(net: Net, target: Path) -> None:
    """Write the network for any picture size."""
    net.eval()
    axes = {"picture": {0: "n", 2: "h", 3: "w"}, "maps": {0: "n", 2: "h4", 3: "w4"}}
    partial = target.with_suffix(".part.onnx")
    torch.onnx.export(
        net, (torch.zeros(1, 3, 96, 128),), str(partial), input_names=["picture"], output_names=["maps"], dynamic_axes=axes, dynamo=False
    )
    partial.replace(target)
    net.train()


def main() -> None:
    """Train for the given time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shards", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    net = Net().to(memory_format=torch.channels_last)
    if options.resume:
        net.load_state_dict(torch.load(options.resume))
    sys.stderr.write(f"{sum(p.numel() for p in net.parameters())} parameters\n")
    pictures = Pictures(options.shards, np.random.default_rng(options.seed))
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
    start = saved = time.monotonic()
    step, mean = 0, 0.0
    pictures.refresh()
    while (spent := (time.monotonic() - start) / 60) < options.minutes:
        rate = 2e-3 * min(1.0, (step + 1) / 50) * max(0.03, 0.5 * (1 + np.cos(np.pi * spent / options.minutes)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        picture, *wanted = pictures.batch()
        value = loss(net(picture.to(memory_format=torch.channels_last)), *wanted)
        optimiser.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step, mean = step + 1, float(value.detach()) if step == 0 else 0.98 * mean + 0.02 * float(value.detach())
        if step % 50 == 0:
            sys.stderr.write(f"{spent:.1f} min, step {step}, loss {mean:.3f}, {len(pictures.tables)} tables\n")
        if time.monotonic() - saved > 120:
            pictures.refresh()
            torch.save(net.state_dict(), options.output.with_suffix(".pt"))
            export(net, options.output)
            saved = time.monotonic()
    torch.save(net.state_dict(), options.output.with_suffix(".pt"))
    export(net, options.output)


if __name__ == "__main__":
    main()
