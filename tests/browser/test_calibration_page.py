"""The calibration page before the real server on a painted table."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread

import cv2
import numpy as np
import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[browser]'")

from playwright.sync_api import Page, expect

from calibration.automatic import Finding
from calibration.calibration import Calibration
from calibration.equipment import find_table
from referee.live.access import Keeper
from referee.setup_page.bench import Bench
from referee.setup_page.site import Site, make_server

NewPage = Callable[..., Page]
pytestmark = pytest.mark.slow  # a browser, and a second or two for each look at the picture
SPEC = find_table("wpa-9ft")


def picture(*, pockets: bool = True) -> np.ndarray:
    """A plain table from straight above: blue bed and rubber, brown rail, six holes."""
    image = np.full((540, 960, 3), (100, 95, 90), np.uint8)
    scale, middle = 300.0, np.array([479.5, 269.5])
    for out, colour in ((0.17, (30, 45, 70)), (0.05, (180, 114, 10)), (0.0, (133, 84, 7)), (-0.008, (190, 120, 10))):
        reach = scale * np.array([SPEC.length_m / 2 + out, SPEC.width_m / 2 + out])
        first, last = (np.round(16 * (middle + sign * reach)).astype(int).tolist() for sign in (-1, 1))
        cv2.rectangle(image, first, last, colour, -1, cv2.LINE_AA, 4)
    for x in (-1.0, 0.0, 1.0) if pockets else ():
        for y in (-1.0, 1.0):
            behind = np.array([0.01 * x, 0.01 * y]) if x else np.array([0.0, 0.04 * y])
            hole = middle + scale * (np.array([x * SPEC.length_m / 2, y * SPEC.width_m / 2]) + behind)
            cv2.circle(image, np.round(16 * hole).astype(int).tolist(), round(16 * scale * 0.065), (12, 12, 12), -1, cv2.LINE_AA, 4)
    noise = np.random.default_rng(1).normal(0, 1.5, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 0.7) + noise, 0, 255).astype(np.uint8)


@dataclass
class Served:
    """A running page."""

    url: str
    saved: list[Calibration] = field(default_factory=list)


@contextmanager
def served(image: np.ndarray) -> Iterator[Served]:
    """The real server over that picture."""
    keeper = Keeper()
    listening = socket.create_server(("127.0.0.1", 0))
    found = Served(url=f"http://127.0.0.1:{listening.getsockname()[1]}/?key={keeper.secret}")

    def save(finding: Finding) -> None:
        found.saved.append(finding.calibration)

    server = make_server(Site(Bench(lambda: [image], SPEC, save), keeper))
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


def test_a_table_found_by_itself_is_saved_after_a_tap_on_the_foot(new_page: NewPage) -> None:
    """On a phone: good at once, nothing scrolls sideways, a tap at the left end makes it the foot, and it is saved so."""
    page = new_page(390, 844, has_touch=True, is_mobile=True)
    with served(picture()) as site:
        page.goto(site.url)
        expect(page.locator("#verdict")).to_have_text("Good, found by itself", timeout=20_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator("#foot").tap()
        box = page.locator("#picture").bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + 0.2 * box["width"], box["y"] + box["height"] / 2)
        expect(page.locator("#figures")).to_contain_text("left")
        page.locator("#save").tap()
        expect(page.locator("#said")).to_have_text("Saved.")

        assert [made.foot_side for made in site.saved] == ["left"]
        assert site.saved[0].foot_known


def test_a_corner_dragged_away_is_refused_with_the_magnifier_shown(new_page: NewPage) -> None:
    """The magnifier shows while a corner is held; let go 60 pixels off, the page says by how much and cannot save."""
    page = new_page(1024, 768)
    with served(picture()) as site:
        page.goto(site.url)
        expect(page.locator("#verdict")).to_have_attribute("data-tone", "good", timeout=20_000)
        corner = page.locator(".handle").first.bounding_box()
        assert corner is not None
        page.mouse.move(corner["x"] + corner["width"] / 2, corner["y"] + corner["height"] / 2)
        page.mouse.down()
        page.mouse.move(corner["x"] + 60, corner["y"] + 60, steps=4)
        expect(page.locator("#lens")).to_be_visible()
        page.mouse.up()
        expect(page.locator("#lens")).to_be_hidden()
        expect(page.locator("#verdict")).to_have_text("Not good enough", timeout=20_000)
        expect(page.locator("#because li").first).to_contain_text("from where the noses meet")
        expect(page.locator("#save")).to_be_disabled()


def test_a_table_without_pockets_is_refused_whatever_the_corners(new_page: NewPage) -> None:
    """No table is found; corners dragged with the keyboard do not make it one."""
    page = new_page(1024, 768)
    with served(picture(pockets=False)) as site:
        page.goto(site.url)
        expect(page.locator("#because")).to_contain_text("pocket", timeout=60_000)
        page.locator(".handle").first.focus()
        page.keyboard.press("Shift+ArrowRight")
        expect(page.locator("#verdict")).to_have_text("Not good enough", timeout=60_000)
        expect(page.locator("#because")).to_contain_text("pocket")
        expect(page.locator("#save")).to_be_disabled()
        assert site.saved == []


def test_without_the_link_nothing_is_shown(new_page: NewPage) -> None:
    """Whoever lacks the key gets neither page, picture nor actions."""
    page = new_page(390, 844)
    with served(picture()) as site:
        base = site.url.split("?")[0]
        answers = [page.request.get(base), page.request.get(base + "picture.jpg"), page.request.post(base + "save")]

        assert [answer.status for answer in answers] == [403, 403, 403]
