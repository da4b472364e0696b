"""A browser for the page tests: Debian's chromium driven by Playwright; without either they skip and say why."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

sys.path.insert(0, str(Path(__file__).parent))  # canned.py, which the tests here share

CHROMIUM = os.environ.get("CHROMIUM_PATH") or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One chromium for all tests of a run."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[browser]'")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    # Root needs --no-sandbox; the other flags keep chromium from calling home and from waiting for a graphics card.
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
    api.expect.set_options(timeout=20_000)  # five seconds are little on a machine that has other things to do
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser: "Browser") -> Iterator[Callable[..., "Page"]]:
    """Makes pages, each in a browser of its own; anything that goes wrong inside one fails the test."""
    contexts, faults = [], []

    def make(width: int = 1024, height: int = 768, **options: Any) -> "Page":
        context = browser.new_context(viewport={"width": width, "height": height}, locale="en-GB", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.append(message.text) if _is_fault(message) else None)
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []


def _is_fault(message: "ConsoleMessage") -> bool:
    """An error that the page is to blame for: a server that has ended before the page is not."""
    return message.type == "error" and "net::ERR_CONNECTION" not in message.text
