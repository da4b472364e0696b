"""Train the detector's network on rendered pictures and export it; development only, needs the extra `train`.

Usage, from the checkout: python -m vision.training.train SHARDS OUTPUT.onnx [--minutes M] [--resume STATE.pt]

SHARDS are made by benchmarks/training_pictures.py. Every few minutes the state goes to OUTPUT's name with `.pt` and the
network to OUTPUT, so that a look at real pictures never waits for the end. Loss: penalty-reduced focal loss on centres
(Zhou, Wang & Kraehenbuehl 2019, eq. 1), absolute error of offsets, cross entropies of class and cover. The rate falls as
a cosine over the given minutes; the last weights are exported. With `--keep` they are averaged with those resumed: a network
trained further on rendered pictures knows these better and real ones a little worse, the mean of both keeps most of the one and all
of the other (weight averaging, Wortsman et al. 2022). One thread, so that other work goes on beside it.
"""

import argparse
import copy
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from vision.training.layers import MAPS, Net
from vision.training.pictures import Crop, Pictures

BATCH = 16
RATE = 3e-3
SAVE_EVERY_S = 120.0


def batch(pictures: Pictures) -> list[torch.Tensor]:
    """The fields of `Crop`, stacked."""
    made = [pictures.crop() for _ in range(BATCH)]
    return [torch.from_numpy(np.stack([getattr(one, name) for one in made])) for name in Crop.__slots__]


def loss(out: torch.Tensor, wanted: list[torch.Tensor]) -> torch.Tensor:
    """All heads together; centres per ball."""
    centre, weight, offset, kind, here, cover = wanted
    p = torch.sigmoid(out[:, :1]).clamp(1e-4, 1 - 1e-4)
    at = (centre == 1).float()
    focal = -(at * (1 - p) ** 2 * p.log() + (1 - at) * (1 - centre) ** 4 * p**2 * (1 - p).log() * weight).sum()
    shift = ((out[:, 1:3] - offset).abs().sum(1) * here).sum() / here.sum().clamp(min=1)
    names = F.cross_entropy(out[:, 5:], kind, ignore_index=-1) if (kind >= 0).any() else out.sum() * 0
    covered = F.binary_cross_entropy_with_logits(out[:, 3:5], cover)
    return focal / at.sum().clamp(min=1) + 0.5 * shift + 0.3 * names + 3.0 * covered


def export(net: Net, target: Path) -> None:
    """Write the network for any picture size, without the names: they are learnt beside, because what is a 3 is a ball."""
    seeing = copy.deepcopy(net).eval()
    kept = MAPS.index("cue")
    seeing.head = nn.Conv2d(net.head.in_channels, kept, 1)
    with torch.no_grad():
        seeing.head.weight.copy_(net.head.weight[:kept])
        seeing.head.bias.copy_(net.head.bias[:kept])
    axes = {"picture": {2: "h", 3: "w"}, "maps": {2: "h4", 3: "w4"}}
    partial = target.with_suffix(".part.onnx")
    names = {"input_names": ["picture"], "output_names": ["maps"]}
    torch.onnx.export(seeing, (torch.zeros(1, 3, 96, 128),), str(partial), **names, dynamic_axes=axes, dynamo=False)
    partial.replace(target)


def save(net: Net, target: Path) -> None:
    """State and network."""
    torch.save(net.state_dict(), target.with_suffix(".pt"))
    export(net, target)


def train(net: Net, pictures: Pictures, minutes: float, output: Path, rate: float) -> None:
    """Train for the given time, saving on the way."""
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3)
    start = saved = time.monotonic()
    step, mean = 0, 0.0
    while (spent := (time.monotonic() - start) / 60) < minutes:
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 100) * max(0.01, 0.5 * (1 + np.cos(np.pi * spent / minutes)))
        picture, *wanted = batch(pictures)
        value = loss(net(picture.to(memory_format=torch.channels_last)), wanted)
        optimiser.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        step, mean = step + 1, float(value.detach()) if step == 0 else 0.98 * mean + 0.02 * float(value.detach())
        if step % 50 == 0:
            sys.stderr.write(f"{spent:.1f} min, step {step}, loss {mean:.3f}, {len(pictures)} tables\n")
        if time.monotonic() - saved > SAVE_EVERY_S:
            pictures.refresh()
            save(net, output)
            saved = time.monotonic()
    save(net, output)


def average(net: Net, other: dict[str, torch.Tensor], share: float) -> None:
    """Give a network the weighted mean of its weights and others, of which `share` is taken."""
    own = net.state_dict()
    net.load_state_dict(
        {name: share * other[name] + (1 - share) * own[name] if own[name].is_floating_point() else own[name] for name in own}
    )


def main() -> None:
    """Read the options, train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shards", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--minutes", type=float, default=35)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--keep", type=float, default=0.0, help="share of the resumed weights in the last ones")
    parser.add_argument("--rate", type=float, default=RATE, help="at the start; a third of it where a state is resumed")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(options.seed)
    net = Net().to(memory_format=torch.channels_last)
    if options.resume:
        net.load_state_dict(torch.load(options.resume))
    sys.stderr.write(f"{sum(p.numel() for p in net.parameters())} parameters\n")
    resumed = copy.deepcopy(net.state_dict())
    train(net, Pictures(options.shards, np.random.default_rng(options.seed)), options.minutes, options.output, options.rate)
    if options.resume and options.keep:
        average(net, resumed, options.keep)
        save(net, options.output)


if __name__ == "__main__":
    main()
