"""The scoreboard and the stream overlay, tried on states made by hand."""

from collections.abc import Callable

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[browser]'")

from canned import Canned, a_clock, a_match, a_shot, an_undecided_shot, both
from playwright.sync_api import Page, expect

NewPage = Callable[..., Page]
pytestmark = pytest.mark.slow  # half a second each on an idle machine, and a browser to be started first


def test_the_scoreboard_shows_the_state(new_page: NewPage) -> None:
    """Game, names, score, call, ball on, clock and the last shots are those of the state; there is nothing to officiate with."""
    page = new_page(1920, 1080)
    Canned(page, role="reader").open("/")

    expect(page.locator("#game")).to_have_text("Nine-ball")
    expect(page.locator("[data-score=A]")).to_have_text("2")
    expect(page.locator("#call-text")).to_have_text("Legal: 1-ball pocketed. Ann continues.")
    expect(page.locator("#now .digits")).to_have_text("21")
    expect(page.locator("[data-on]")).to_have_attribute("data-on", "2")
    expect(page.locator("#shots .history li").first).to_contain_text("Legal: 1-ball pocketed.")
    assert page.locator("main button").count() == 0


def test_the_scoreboard_fits_the_screen_of_a_hall(new_page: NewPage) -> None:
    """At 1920 x 1080 nothing has to be scrolled, neither down nor sideways."""
    page = new_page(1920, 1080)
    Canned(page, role="reader").open("/")

    assert page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]") == [1080, 1920]


@pytest.mark.parametrize("width", [390, 1024])
def test_a_name_of_forty_letters_without_a_gap_stays_on_the_page(new_page: NewPage, width: int) -> None:
    """In the call and in the queue too, where it is written out, nothing runs out of its box."""
    page, shot = new_page(width, 800), an_undecided_shot(number=3)
    Canned(page, a_match(last=shot, undecided=[shot], players={"A": "W" * 40, "B": "Ж" * 40})).open("/official?lang=ru")

    expect(page.locator(".meta").first).to_be_visible()
    assert page.evaluate("[...document.querySelectorAll('.meta')].every((line) => line.scrollWidth <= line.clientWidth)")


@pytest.mark.parametrize("path", ["/", "/official", "/overlay"])
@pytest.mark.parametrize("width", [390, 1024, 1920])
def test_no_page_is_wider_than_its_screen(new_page: NewPage, path: str, width: int) -> None:
    """On phone, tablet and hall screen no page scrolls sideways, long names and undecided calls included."""
    page = new_page(width, 800)
    match = a_match(players={"A": "Anastasia Konstantinopolskaya", "B": "Bo"}, last=an_undecided_shot(), undecided=[an_undecided_shot()])
    Canned(page, match).open(path)

    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_button_of_the_lower_bar_is_on_a_phones_screen(new_page: NewPage, language: str) -> None:
    """Nothing of it has to be scrolled to, in the longer language either, nor does the clock's button stick out."""
    page = new_page(390, 800)
    Canned(page, a_match(last=an_undecided_shot(), undecided=[an_undecided_shot()])).open(f"/official?lang={language}")

    assert page.evaluate("document.querySelector('#bar').scrollWidth") <= 390
    assert page.locator("#bar button").last.bounding_box() is None  # the tablet's link is for larger screens
    rights = "[...document.querySelectorAll('#bar button, #now button')].map((item) => item.getBoundingClientRect().right)"
    assert max(page.evaluate(rights)) <= 390


def test_the_overlay_is_transparent_and_shows_a_call_for_a_while(new_page: NewPage) -> None:
    """Nothing but the strap is painted; a call comes with its colour, an undecided one stays until it is decided."""
    page = new_page(1920, 1080)
    canned = Canned(page, role="reader")
    canned.open("/overlay")
    said = page.locator("#said")
    expect(said).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    canned.change(last=a_shot(number=4, verdict="foul"))
    canned.send(type="say", kind="call", text=both("Foul: 4-ball first. Ball in hand."))
    expect(said).to_have_text("Foul: 4-ball first. Ball in hand.")
    expect(said).to_have_attribute("data-tone", "foul")
    canned.change(last=an_undecided_shot(number=5))
    expect(said).to_have_attribute("data-kept", "true")
    canned.change(last=an_undecided_shot(number=5, decided="stands", verdict="legal"))

    expect(said).to_be_hidden()


def test_the_overlay_shows_score_and_clock(new_page: NewPage) -> None:
    """Score, two fouls, ball on and the clock in its last ten seconds."""
    page = new_page(1280, 720)
    canned = Canned(page, role="reader")
    canned.open("/overlay?lang=ru")
    canned.see(clock=a_clock(state="running", left_s=9.0, ten=True))

    expect(page.locator("[data-score=B]")).to_have_text("1")
    expect(page.locator(".on-two")).to_have_text("Два фола подряд")
    expect(page.locator(".clock")).to_have_attribute("data-state", "ten")
    expect(page.locator(".on .ball-icon")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_writing_stands_out_from_its_ground(new_page: NewPage, scheme: str) -> None:
    """Ink, soft ink and the three colours of calls reach a contrast of 4.5 on the page and on panels (WCAG 2.2, 1.4.3)."""
    page = new_page(color_scheme=scheme)
    Canned(page).open("/official")
    colours = page.evaluate(
        """() => Object.fromEntries(['page', 'panel', 'raised', 'ink', 'soft', 'legal', 'foul', 'doubt', 'link'].map(
            (name) => [name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim()]))"""
    )

    for ground in ("page", "panel", "raised"):
        for writing in ("ink", "soft", "legal", "foul", "doubt", "link"):
            assert _contrast(colours[ground], colours[writing]) >= 4.5, (ground, writing)


def _contrast(one: str, two: str) -> float:
    """WCAG 2.2 contrast ratio of two #rrggbb colours."""
    lighter, darker = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
