"""Officiating, tried on states made by hand: what a person does on the official's page is asked of the server as the protocol has it."""

from collections.abc import Callable

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[browser]'")

from canned import Canned, a_live, a_match, an_undecided_shot, both
from playwright.sync_api import Page, expect

NewPage = Callable[..., Page]
pytestmark = pytest.mark.slow  # half a second each on an idle machine, and a browser to be started first


def open_official(page: Page, **match: object) -> Canned:
    """The official's page with one state."""
    canned = Canned(page, a_match(**match))
    canned.open("/official")
    return canned


def press(page: Page, name: str) -> None:
    """A press on the visible button of that name."""
    page.get_by_role("button", name=name, exact=True).locator("visible=true").first.click()


def test_call_a_ball_by_tapping_ball_and_pocket(new_page: NewPage) -> None:
    """Tap the ball, tap the pocket: the call goes to the server; a tap beside a ball counts for the nearest."""
    page = new_page()
    canned = open_official(page, game="straight_14_1", call_needed=True)
    expect(page.locator("#now .warn")).to_be_visible()
    press(page, "Ball and pocket")
    expect(page.locator("#prompt")).to_contain_text("Tap the ball.")
    box = page.locator("#diagram [data-ball='4']").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] + 8, box["y"] + box["height"] / 2)
    expect(page.locator("#prompt")).to_contain_text("4-ball: tap the pocket.")
    page.locator("#diagram [data-pocket=FL] .hole").click()

    expect(page.locator("#prompt")).to_be_hidden()
    assert canned.asked == [{"action": "call", "kind": "ball", "ball": "4", "pocket": "FL"}]


def test_call_a_ball_with_the_keyboard_alone(new_page: NewPage) -> None:
    """Without a pointer the same call is made with Tab and Enter; Escape leaves it."""
    page = new_page()
    canned = open_official(page, game="straight_14_1", call_needed=True)
    page.get_by_role("button", name="Ball and pocket").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator("#prompt")).to_be_hidden()
    page.get_by_role("button", name="Ball and pocket").focus()
    page.keyboard.press("Enter")
    page.locator("#diagram [data-ball='9']").focus()
    page.keyboard.press("Enter")
    page.locator("#diagram [data-pocket=HR]").focus()
    page.keyboard.press("Space")

    expect(page.locator("#prompt")).to_be_hidden()
    assert canned.asked == [{"action": "call", "kind": "ball", "ball": "9", "pocket": "HR"}]


def test_declarations(new_page: NewPage) -> None:
    """Safety, push-out, a frozen ball, a time-out and an interference are declared as the protocol has them."""
    page = new_page()
    canned = open_official(page, game="straight_14_1", call_needed=True, push_out={"allowed": True, "declared": False})
    press(page, "Safety")
    press(page, "Push-out")
    press(page, "Time-out: Bo")
    press(page, "Frozen ball")
    page.locator("#declare [data-pick='2']").click()
    page.locator("#declare [data-pick=left]").click()
    press(page, "Interference")
    press(page, "Balls can be put back")
    expect(page.locator("#sheet")).to_be_hidden()

    assert canned.asked == [
        {"action": "call", "kind": "safety"},
        {"action": "call", "kind": "push_out"},
        {"action": "timeout", "player": "B"},
        {"action": "watch", "pairs": [["2", "left"], ["2", "head"], ["2", "cue"]]},
        {"action": "frozen", "ball": "2", "to": "left"},
        {"action": "interference", "restorable": True},
    ]


def test_state_a_fact(new_page: NewPage) -> None:
    """A touch is recorded with ball, means and player; a missing foot of an earlier shot with the shot."""
    page = new_page()
    canned = open_official(page)
    press(page, "State a fact")
    page.get_by_label("Ball", exact=True).select_option("4")
    page.get_by_label("Touched with").select_option("sleeve")
    press(page, "Record")
    expect(page.locator("#sheet")).to_be_hidden()
    press(page, "State a fact")
    page.get_by_label("What", exact=True).select_option("no_foot")
    page.get_by_label("Shot", exact=True).select_option("2")
    expect(page.get_by_label("Ball", exact=True)).to_be_hidden()
    press(page, "Record")
    expect(page.locator("#sheet")).to_be_hidden()

    assert canned.asked == [
        {"action": "touch", "ball": "4", "by": "sleeve", "actor": "A"},
        {"action": "official", "fact": "no_foot", "shot": 2},
    ]


def test_choices_that_the_rules_offer(new_page: NewPage) -> None:
    """A choice is shown to whoever has it; one that needs a ball asks for it."""
    page = new_page()
    offered = [
        {"option": "PASS_BACK", "text": both("let the other player go on")},
        {"option": "CHOOSE_PENALTY_BALL", "text": both("take a penalty ball"), "balls": ["w3", "w7"]},
    ]
    canned = open_official(page, options={"player": "B", "list": offered}, deciding="B")
    expect(page.locator("#ask h2")).to_have_text("Bo decides")
    press(page, "Let the other player go on")
    press(page, "Take a penalty ball")
    press(page, "white 7")

    expect(page.locator("#toast")).to_contain_text("Chosen.")
    assert canned.asked == [
        {"action": "choose", "option": "PASS_BACK", "by": "B"},
        {"action": "choose", "option": "CHOOSE_PENALTY_BALL", "ball": "w7", "by": "B"},
    ]


def test_undecided_calls_are_decided(new_page: NewPage) -> None:
    """The queue shows what each call may have been; stands, overturned and too close go to the server, then the queue is empty."""
    page = new_page()
    shot = an_undecided_shot()
    canned = open_official(page, undecided=[shot])
    queue = page.locator("#queue")
    expect(queue.locator("[data-undecided]")).to_have_text("1")
    expect(queue.locator("[data-word=overturned]")).to_contain_text("Foul: 5-ball first.")
    for word in ("stands", "overturned", "too_close"):
        queue.locator(f"[data-word={word}]").click()
    expect(page.locator("#toast")).to_contain_text("Decided.")
    canned.change(undecided=[])

    expect(queue).to_be_hidden()
    assert canned.asked == [
        {"action": "decide", "shot": 2, "word": "stands"},
        {"action": "decide", "shot": 2, "word": "overturned", "choice": 1},
        {"action": "decide", "shot": 2, "word": "too_close"},
    ]


def test_a_correction_sends_only_what_differs_and_shows_what_changed(new_page: NewPage) -> None:
    """The first ball of the last shot is set right; the differences that come back stay until they are closed."""
    page = new_page()
    canned = open_official(page)
    changed = {"number": 3, "was": both("Legal: 1-ball pocketed."), "now": both("Foul: 4-ball first. Ball in hand.")}
    canned.on_do = lambda _: canned.send(type="changed", shots=[changed])
    page.locator("#call").get_by_role("button", name="Correct").click()
    page.get_by_label("First ball hit").select_option("4")
    press(page, "Judge again")

    expect(page.locator("#changes")).to_contain_text("Foul: 4-ball first. Ball in hand.")
    assert canned.asked == [{"action": "fix", "shot": 3, "facts": {"first": "4"}}]


def test_correct_where_a_ball_went(new_page: NewPage) -> None:
    """An earlier shot is fetched whole; a fall that was none is taken back, a ball off the table put in."""
    page = new_page()
    canned = open_official(page)
    page.get_by_role("button", name="Correct shot 1").click()
    page.get_by_label("1-ball").select_option("")
    page.get_by_label("4-ball").select_option("off")
    press(page, "Judge again")
    expect(page.locator("#sheet")).to_be_hidden()

    assert canned.asked == [{"action": "fix", "shot": 1, "facts": {"pocketed": [], "off_table": ["4"]}}]


def test_a_shot_that_was_none_is_taken_out_after_a_question(new_page: NewPage) -> None:
    """Taking a shot out asks once more before it is done."""
    page = new_page()
    canned = open_official(page)
    page.locator("#call").get_by_role("button", name="Correct").click()
    press(page, "There was no such shot")
    assert canned.asked == []
    press(page, "Take it out")
    expect(page.locator("#sheet")).to_be_hidden()

    assert canned.asked == [{"action": "correct", "event": 7, "void": True}]


def test_undo_redo_pause_next_rack(new_page: NewPage) -> None:
    """The bar does what it says, also by Ctrl Z; what cannot be done now cannot be pressed."""
    page = new_page()
    canned = open_official(page)
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()
    press(page, "Undo")
    canned.change(can={"undo": True, "redo": True})
    expect(page.get_by_role("button", name="Redo")).to_be_enabled()
    press(page, "Redo")
    page.keyboard.press("Control+z")
    press(page, "Pause")
    canned.change(status="paused")
    press(page, "Resume")
    press(page, "Next rack")
    press(page, "Bo breaks")
    expect(page.locator("#sheet")).to_be_hidden()

    assert [asked["action"] for asked in canned.asked] == ["undo", "redo", "undo", "pause", "resume", "next_rack"]
    assert canned.asked[-1]["breaker"] == "B"


def test_start_asks_who_breaks(new_page: NewPage) -> None:
    """Before anything was seen the page asks who breaks, and says that it waits."""
    page = new_page()
    canned = Canned(page, a_match(status="waiting") | {"last": None, "history": []}, a_live(balls={}))
    canned.open("/official")
    expect(page.locator("#call h2")).to_have_text("Waiting for the break")
    press(page, "Ann breaks")

    expect(page.locator("#toast")).to_contain_text("Recorded.")
    assert canned.asked == [{"action": "start", "breaker": "A"}]


def test_a_refusal_says_why(new_page: NewPage) -> None:
    """What the server refuses is shown with its reason and nothing else happens."""
    page = new_page()
    canned = open_official(page)
    canned.refuse = both("nothing is left to undo")
    press(page, "Undo")

    expect(page.locator("#toast")).to_have_text("Not done: nothing is left to undo")


def test_house_rules_and_settings(new_page: NewPage) -> None:
    """Names, score, shot clock and house rules are changed from the settings; only what differs is sent."""
    page = new_page(1024, 1400)
    canned = open_official(page)
    press(page, "Settings")
    sheet = page.locator("#sheet")
    sheet.get_by_label("Who breaks the next rack").select_option(label="in turn")
    sheet.get_by_label("Score, Bo").fill("4")
    sheet.locator("section", has_text="How things stand").get_by_role("button", name="Save").click()
    sheet.get_by_label("Seconds for a shot").fill("30")
    sheet.locator("section", has_text="Shot clock").get_by_role("button", name="Save").click()
    sheet.get_by_label("Player B").fill("Boris")
    sheet.locator("section", has_text="Players and length").get_by_role("button", name="Save").click()
    expect(page.locator("#toast")).to_contain_text("Recorded.")

    assert canned.asked == [
        {"action": "house_rule", "key": "nine.break_order", "value": "alternate"},
        {"action": "state", "fields": {"scores": {"A": 2, "B": 4}}},
        {"action": "clock", "limit_s": 30, "extension_s": 25, "extensions_each": 1},
        {"action": "setup", "players": {"A": "Ann", "B": "Boris"}, "race": 7},
    ]
