"""Pictures and crops written as files carry what their readers need."""

import json
from dataclasses import fields
from pathlib import Path

import cv2
import numpy as np

from sample_videos.dataset import write_crops, write_pictures
from sample_videos.training_crops import CropBatch


def test_a_picture_comes_with_its_mask_and_truth(tmp_path: Path) -> None:
    """Three files a picture; the balls' places are those that the stated camera sees, the mask is of the picture's size."""
    made = sum(write_pictures(tmp_path, count=1, seed=4, workers=1))

    assert made == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000.json", "00000.png", "00000_covered.png"]
    truth = json.loads((tmp_path / "00000.json").read_text())
    image, covered = (cv2.imread(str(tmp_path / name)) for name in ("00000.png", "00000_covered.png"))
    assert image is not None
    assert covered is not None
    assert image.shape == covered.shape == (*truth["table"]["image_size_px"][::-1], 3)
    assert {len(ball["px"]) for ball in truth["balls"]} == {2}


def test_a_file_of_crops_holds_a_whole_batch(tmp_path: Path) -> None:
    """A file a table, with every field of a batch, readable without pickle."""
    made = sum(write_crops(tmp_path, count=1, seed=3, size_px=48, workers=1, layouts=2))

    with np.load(tmp_path / "00000.npz") as data:
        assert set(data.files) == {field.name for field in fields(CropBatch)}
        assert data["images"].shape == (made, 48, 48, 3)
        assert len(data["names"]) == len(data["centres_px"]) == len(data["crop"]) > 0
    assert [path.name for path in tmp_path.iterdir()] == ["00000.npz"]
