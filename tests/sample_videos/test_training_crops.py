"""Training crops carry the truth of the balls in them, the same for any number of workers."""

from itertools import islice

import cv2
import numpy as np
import pytest

from sample_videos.training_crops import CropBatch, crop_batch, training_crops


@pytest.fixture(scope="module")
def batch() -> CropBatch:
    """The crops of a few layouts of one table."""
    return crop_batch((11, 0), layouts=6)


def test_every_ball_belongs_to_a_crop_and_lies_in_it(batch: CropBatch) -> None:
    """Centres are inside their crops or at most half a radius outside; shares are shares."""
    size = batch.images.shape[1]
    reach = 0.5 * batch.radii_px[:, None]

    assert batch.images.shape == (len(batch.images), size, size, 3)
    assert batch.covered.shape == (len(batch.images), size, size)
    assert len(batch.names) == len(batch.crop) > 0.5 * len(batch.images)
    assert (batch.centres_px > -reach - 1e-9).all()
    assert (batch.centres_px < size - 1 + reach + 1e-9).all()
    assert ((batch.visible >= 0) & (batch.visible <= 1)).all()


def test_a_ball_is_where_the_truth_says() -> None:
    """A disc cut out at the stated centre differs from the cloth round it, one cut out elsewhere does not."""
    inside, beside = [], []
    for number in range(2):
        batch = crop_batch((12, number), layouts=5)
        rows, columns = np.indices(batch.images.shape[1:3])
        for k in np.nonzero((batch.visible > 0.95) & (np.hypot(*batch.streaks_px.T) < 1))[0]:
            if (batch.crop == batch.crop[k]).sum() > 1 or batch.covered[batch.crop[k]].any():
                continue
            image = cv2.GaussianBlur(batch.images[batch.crop[k]], (0, 0), 1.0).astype(float)
            away = np.hypot(columns - batch.centres_px[k, 0], rows - batch.centres_px[k, 1]) / batch.radii_px[k]
            cloth = np.median(image[(away > 1.6) & (away < 2.6)], axis=0)
            inside.append(np.abs(image[away < 0.8] - cloth).sum(axis=1).mean())
            beside.append(np.abs(image[(away > 1.7) & (away < 2.2)] - cloth).sum(axis=1).mean())

    assert len(inside) > 10
    assert (np.array(inside) > 1.5 * np.array(beside)).mean() > 0.85


def test_batches_do_not_depend_on_the_number_of_workers() -> None:
    """The first two batches of a seed are the same from one process and from two workers, and differ from another seed's."""
    one, two, other = (list(islice(training_crops(seed, layouts=2, workers=workers), 2)) for seed, workers in ((5, 1), (5, 2), (6, 1)))

    for first, again in zip(one, two, strict=True):
        assert np.array_equal(first.images, again.images)
        assert np.array_equal(first.centres_px, again.centres_px)
        assert first.names == again.names
    assert one[0].images.shape != other[0].images.shape or not np.array_equal(one[0].images, other[0].images)


def test_pyramid_crops_show_pyramid_balls() -> None:
    """On a pyramid table the balls are `Y` and the whites."""
    batch = crop_batch((3, 1), tables=("pyramid-12ft",), layouts=3)

    assert batch.table == "pyramid-12ft"
    assert all(name == "Y" or name[0] == "w" for name in batch.names)
