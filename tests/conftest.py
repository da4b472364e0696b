"""Fixtures shared by all tests."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture
def shared() -> Path:
    """The folder of third-party and reference material beside the checkout; skips where it is missing."""
    if not SHARED.is_dir():
        pytest.skip("the reference material beside the checkout (../shared) is missing")
    return SHARED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow tests after all others, so that a plain mistake shows within seconds."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
