"""The official's page, tried on states made by hand: it shows them as they are, and asks the server for what a person does."""

from collections.abc import Callable

import pytest

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[browser]'")

from canned import ADDRESS, Canned, a_clock, a_help, a_live, a_match, a_shot, an_undecided_shot, both
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


def test_why_is_one_tap_away(new_page: NewPage) -> None:
    """Behind one tap are the clause, the decisive picture, the probabilities of the readings and the doubts."""
    page = new_page()
    open_official(page, last=an_undecided_shot(number=3))
    press(page, "Why")
    why = page.locator("#why")

    expect(why.locator(".clauses")).to_contain_text("N9-8")
    expect(why.locator(".readings li").first).to_contain_text("62 %")
    expect(why.locator("img")).to_have_attribute("src", "/shots/2/still.jpg")
    expect(why).to_contain_text("hit almost together: 3 and 5")


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


def test_a_refusal_says_why(new_page: NewPage) -> None:
    """What the server refuses is shown with its reason and nothing else happens."""
    page = new_page()
    canned = open_official(page)
    canned.refuse = both("nothing is left to undo")
    press(page, "Undo")

    expect(page.locator("#toast")).to_have_text("Not done: nothing is left to undo")


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
