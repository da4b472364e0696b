"""The official's page, tried on states made by hand: it shows them as they are, to everybody."""

from collections.abc import Callable

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[browser]'")

from canned import ADDRESS, Canned, a_clock, a_help, a_match, a_shot, a_table, an_undecided_shot, both
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


def test_shows_the_state(new_page: NewPage) -> None:
    """Call, score, fouls, ball on and who shoots are those of the state."""
    page = new_page()
    open_official(page)

    expect(page.locator("#call-text")).to_have_text("Legal: 1-ball pocketed. Ann continues.")
    expect(page.locator("[data-score=A]")).to_have_text("2")
    expect(page.locator("[data-score=B]")).to_have_text("1")
    expect(page.locator("[data-fouls=B]")).to_have_text("On two fouls")
    expect(page.locator("[data-on]")).to_have_attribute("data-on", "2")
    expect(page.locator(".side-A .role")).to_have_text("to shoot")
    expect(page.locator("#shots .history li")).to_have_count(3)


def test_the_clock_counts_on_between_messages(new_page: NewPage) -> None:
    """A running clock goes on by itself, a paused one stands, one that ran out says so."""
    page = new_page()
    canned = open_official(page)
    digits = page.locator("#now .digits")

    expect(digits).to_have_text("21")
    canned.see(clock=a_clock(timeout="B"))
    expect(page.locator("[data-lamp=paused]")).to_have_text("Time-out: Bo")
    canned.see(clock=a_clock(state="running", left_s=10.4))
    expect(digits).to_have_text("10")
    expect(page.locator("#now .clock")).to_have_attribute("data-state", "ten")
    expect(digits).to_have_text("9", timeout=3000)
    canned.see(clock=a_clock(state="expired", left_s=0.0))
    expect(digits).to_have_text("0")
    expect(page.locator("#now .clock-state")).to_have_text("Time")


def test_balls_lie_where_the_camera_sees_them(new_page: NewPage) -> None:
    """A ball in the middle of the table is in the middle of the drawing; one that is hidden is faint; one that is gone is not drawn."""
    page = new_page()
    canned = open_official(page)
    moving = {"time_s": 7.0, "moving": True, "handled": False, "usable": True}
    canned.see(table={**moving, "balls": [["cue", 0.0, 0.0, "seen", 0.001], ["9", 0.3, 0.1, "hidden", 0.01]]})

    expect(page.locator("#diagram [data-ball=cue]")).to_have_attribute("transform", "translate(0.0 0.0) scale(1.125)")
    expect(page.locator("#diagram [data-ball='9']")).to_have_class("ball-group unseen")
    expect(page.locator("#diagram [data-ball='4']")).to_have_count(0)
    expect(page.locator("#now .motion")).to_have_text("Balls in motion")
    canned.see(table={**moving, "usable": False, "balls": []})
    expect(page.locator("#now .motion")).to_have_text("The table cannot be seen")
    canned.change(table=a_table() | {"ends_known": False})
    expect(page.locator("#diagram .end").first).to_have_text("HEAD?")


def test_why_is_one_tap_away(new_page: NewPage) -> None:
    """Behind one tap are the clause, the decisive picture, the probabilities of the readings and the doubts."""
    page = new_page()
    open_official(page, last=an_undecided_shot(number=3))
    press(page, "Why")
    why = page.locator("#why")

    expect(why.locator(".clauses")).to_contain_text("N9-8")
    expect(why.locator(".readings li").first).to_contain_text("62 %")
    expect(why.locator(".readings li").last).to_contain_text("Foul: 5-ball first")
    expect(why.locator("img")).to_have_attribute("src", "/shots/2/still.jpg")
    expect(why).to_contain_text("hit almost together: 3 and 5")


def test_what_a_person_at_the_table_needs_is_seen_without_scrolling(new_page: NewPage) -> None:
    """On a tablet all that can be decided and the ball to be spotted; on a phone the table before the queue, which is one tap away."""
    page = new_page()
    shot, spot = an_undecided_shot(number=3), {"ball": "9", "to": [0.635, 0.0], "at": [0.637, 0.003], "off_mm": 3.6, "sigma_mm": 0.8}
    page.set_viewport_size({"width": 1024, "height": 768})
    canned = open_official(page, last=shot, undecided=[shot])
    canned.see(help=a_help(spot=[spot | {"done": False}]), clock=a_clock(state="running", left_s=9.0))
    for seen in ("#queue [data-word=too_close]", "#help [data-to-go]"):
        box = page.locator(seen).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 768 - 60
    expect(page.locator("#to-queue")).to_be_hidden()

    page.set_viewport_size({"width": 390, "height": 844})
    stage, queue = page.locator("#stage").bounding_box(), page.locator("#queue").bounding_box()
    assert stage is not None
    assert queue is not None
    assert stage["y"] < 480
    assert queue["y"] > stage["y"] + stage["height"]
    press(page, "Undecided calls 1")
    expect(page.locator("#queue [data-word=stands]")).to_be_in_viewport()


def test_spotting_help_counts_down_to_a_tick(new_page: NewPage) -> None:
    """A ball to be spotted shows what is still to go in millimetres and which way, on the list and on the table, then a tick."""
    page = new_page()
    canned = open_official(page)
    spot = {"ball": "9", "to": [0.635, 0.0], "at": [0.637, 0.003], "off_mm": 3.6, "sigma_mm": 0.8, "done": False}
    canned.see(help=a_help(spot=[spot]))
    line = page.locator("#help .help-spot li")
    expect(page.locator("[data-to-go='9']")).to_have_text("4 mm to go")
    expect(line).to_contain_text("2 mm towards the head, 3 mm to the right")
    expect(page.locator("#diagram .note")).to_contain_text("9-ball: 4 mm to go")
    canned.see(help=a_help(spot=[spot | {"at": [0.635, 0.0], "off_mm": 0.3, "done": True}]))

    expect(page.locator("[data-to-go='9']")).to_have_text("in place")
    expect(line.locator(".tick")).to_be_visible()
    expect(page.locator("#diagram .note")).to_contain_text("✓")


def test_other_helping_hands(new_page: NewPage) -> None:
    """Ghosts of a layout, the rack check, the zone of the cue ball, gaps with their uncertainty, and balls near a rail."""
    page = new_page()
    canned = open_official(page)
    back = {"ball": "4", "to": [0.3, 0.2], "at": None, "off_mm": None, "sigma_mm": None, "done": False}
    rack = {"on": True, "ok": False, "missing": ["9"], "extra": [], "misplaced": [], "apex_off_mm": 1.2, "widest_gap_mm": 2.6}
    canned.see(
        help=a_help(
            put_back={"on": True, "shot": 3, "done": False, "balls": [back]},
            rack={**rack, "sigma_mm": 0.8, "tight": False},
            zone={"on": True, "ball": "cue", "inside": False, "off_mm": 14.0, "sigma_mm": 0.9},
            frozen=[{"a": "2", "b": "left", "gap_mm": 0.4, "sigma_mm": 0.9, "touching": "unsure"}],
            near_rail=[{"ball": "4", "cushion": "left", "gap_mm": 12.0, "sigma_mm": 0.9, "near": True}],
        )
    )
    panel = page.locator("#help")

    expect(panel.locator(".help-put_back")).to_contain_text("4-ballnot seen yet")
    expect(panel.locator(".help-rack")).to_contain_text("Missing: 9-ball")
    expect(panel.locator(".help-rack")).to_contain_text("Widest gap 2.6 mm ± 0.8 mm: not tight")
    expect(panel.locator(".help-zone")).to_contain_text("14 mm outside the zone ± 0.9 mm")
    expect(panel.locator(".help-frozen")).to_contain_text("2-ball, left cushion0.4 mm ± 0.9 mmcannot be told")
    expect(panel.locator(".help-near_rail")).to_contain_text("12 mm ± 0.9 mmcounts as near")
    press(page, "Put balls back")
    expect(page.locator("#toast")).to_contain_text("Done.")
    assert canned.asked == [{"action": "put_back", "on": False}]


def test_a_broken_line_is_shown_and_the_page_catches_up(new_page: NewPage) -> None:
    """Without a line a banner says so and nothing can be recorded; after the return the page shows the state as it is by then."""
    page = new_page()
    canned = open_official(page)
    canned.cut(comes_back=False)
    expect(page.locator("#banner")).to_contain_text("Not connected.")
    expect(page.locator("[data-lamp=line]")).to_have_text("Not connected")
    press(page, "Undo")
    expect(page.locator("#toast")).to_contain_text("there is no connection")
    page.locator("#banner").get_by_role("button", name="Try now").click()
    canned.match = a_match(score={"A": 3, "B": 1})
    canned.accepts = True

    expect(page.locator("#banner")).to_be_hidden()
    expect(page.locator("[data-score=A]")).to_have_text("3")
    assert canned.asked == []


def test_an_action_under_way_when_the_line_breaks_is_sent_again_once(new_page: NewPage) -> None:
    """The same action goes out under the same id after the return, so that the server can carry it out once."""
    page = new_page()
    canned = open_official(page)
    canned.answers = False
    press(page, "Undo")
    canned.answers = True
    canned.cut()
    expect(page.locator("#toast")).to_contain_text("Taken back.")

    assert len(canned.sent) == 2
    assert canned.sent[0] == canned.sent[1]


def test_camera_trouble_is_shown(new_page: NewPage) -> None:
    """A lost camera is named in the lamps and over the picture."""
    page = new_page()
    canned = open_official(page)
    lost = {
        "status": "lost",
        "since_s": 2.0,
        "text": both("The camera sends nothing for 2 s."),
        "rate_hz": 0.0,
        "judged_hz": 0.0,
        "missed": 1.0,
    }
    canned.see(camera=lost)
    expect(page.locator("[data-lamp=camera]")).to_have_text("Camera lost")
    press(page, "Over the picture")

    expect(page.locator("#camera-note")).to_have_text("The camera sends nothing for 2 s.")


def test_a_reader_has_nothing_to_press(new_page: NewPage) -> None:
    """Without the right the page shows the same and says why nothing can be done."""
    page = new_page()
    canned = Canned(page, a_match(undecided=[an_undecided_shot()]), role="reader")
    canned.open("/official")

    expect(page.locator("#call-text")).to_be_visible()
    expect(page.locator("#lamps")).to_contain_text("Reading only.")
    for part in ("#bar", "#declare", "#ask"):
        expect(page.locator(part)).to_be_hidden()
    expect(page.locator("[data-word]")).to_have_count(0)
    expect(page.get_by_role("button", name="Correct")).to_have_count(0)


def test_text_of_others_stays_text(new_page: NewPage) -> None:
    """A player named like markup is shown as he is written, and runs nothing."""
    page = new_page()
    name = "<img src=x onerror=\"document.title='broken'\">"
    open_official(page, players={"A": name, "B": "Bo"}, last=a_shot(call=both(f"Legal. {name} continues.")))

    expect(page.locator("[data-player=A]")).to_have_text(name)
    expect(page.locator("#call-text")).to_have_text(f"Legal. {name} continues.")
    assert page.title() == "cueref: official"


def test_calls_are_announced_to_a_screen_reader(new_page: NewPage) -> None:
    """What is to be spoken goes to a live region, the same words twice as two announcements; landmarks have names."""
    page = new_page()
    canned = open_official(page)
    canned.send(type="say", kind="call", text=both("Foul: 5-ball first."))
    expect(page.get_by_role("alert")).to_have_text("Foul: 5-ball first.")

    for name in ("Call", "Table", "Score", "Declare", "Shots", "Helping hands"):
        expect(page.get_by_role("region", name=name, exact=True)).to_have_count(1)
    expect(page.get_by_role("navigation", name="Match")).to_be_visible()


def test_speech_says_calls_in_the_language_of_the_page(new_page: NewPage) -> None:
    """With speech on, a call is said by the browser in the chosen language; before that, nothing is."""
    page = new_page()
    page.add_init_script(
        "window.said = []; speechSynthesis.speak = (one) => said.push([one.lang, one.text]); speechSynthesis.cancel = () => {};"
    )
    canned = open_official(page)
    canned.send(type="say", kind="call", text=both("Foul: 5-ball first.", "Фол: первым задет шар 5."))
    expect(page.get_by_role("alert")).to_have_text("Foul: 5-ball first.")
    assert page.evaluate("said") == []
    press(page, "Russian")
    press(page, "Голос")
    canned.send(type="say", kind="ten", text=both("Ten seconds.", "Десять секунд."))
    expect(page.get_by_role("alert")).to_have_text("Десять секунд.")

    said = page.evaluate("said")
    assert said[0] == ["ru-RU", "По правилам: шар 1 в лузе. Ann продолжает."]
    assert said[-1] == ["ru-RU", "Десять секунд."]


def test_russian_has_every_text(new_page: NewPage) -> None:
    """Both languages have the same keys, none of them empty."""
    page = new_page()
    canned = Canned(page)
    canned.open("/official?lang=ru")
    expect(page.locator("[data-lamp=line]")).to_have_text("Связь есть")
    words = page.evaluate(
        f"async () => Promise.all(['en', 'ru'].map(async (name) => (await import('{ADDRESS}/static/js/words_' + name + '.js')).WORDS))"
    )

    assert sorted(words[0]) == sorted(words[1])
    assert all(text for texts in words for text in texts.values())


def test_an_earlier_shot_is_shown_and_left_again(new_page: NewPage) -> None:
    """Showing a shot draws its layout and its call; one tap leads back to now, another asks for that layout to be put back."""
    page = new_page()
    canned = open_official(page)
    page.get_by_role("button", name="Show shot 2 on the table").click()
    expect(page.locator("#views")).to_contain_text("You see shot 2.")
    expect(page.locator("#diagram [data-ball='1']")).to_have_count(1)
    press(page, "Back to now")
    expect(page.locator("#diagram [data-ball='1']")).to_have_count(0)
    page.get_by_role("button", name="Show shot 2 on the table").click()
    press(page, "Put this layout back")

    expect(page.locator("#diagram [data-ball='1']")).to_have_count(0)
    expect(page.locator("#call-text")).to_have_attribute("data-shot", "3")
    expect(page.locator("#toast")).to_contain_text("Done.")
    assert canned.asked == [{"action": "put_back", "on": True, "shot": 2}]
