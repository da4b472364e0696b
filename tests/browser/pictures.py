"""Takes the pictures of docs/live.md: every page at the width of a phone, a tablet and a hall's screen.

    python tests/browser/pictures.py

States are those of `canned.py`; the camera's picture is the first of the project's own sample. Run it after a change of
the pages, and look at what it made.
"""

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import segno
from canned import Canned, Message, a_clock, a_help, a_live, a_match, a_shot, a_table, an_undecided_shot, both
from conftest import CHROMIUM
from playwright.sync_api import Browser, Route, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
SAMPLE = ROOT / "sample_videos" / "legal_pot"
SIZES = {390: (390, 844), 1024: (1024, 768), 1920: (1920, 1080)}
WIDEST_PX = 1280
QUALITY = 82
"""Of WebP: writing stays crisp, and each picture below 100 KB."""
KITCHEN = [[-1.241, -0.606], [-0.635, -0.606], [-0.635, 0.606], [-1.241, 0.606]]
BALLS = {"cue": (-1.06, -0.407), "1": (-0.656, -0.3), "2": (-0.689, -0.06), "4": (0.363, 0.424), "9": (0.977, -0.371)}


def undecided() -> tuple[Message, Message]:
    """A call for the official, a ball to be spotted, the last ten seconds."""
    shot = an_undecided_shot(number=3)
    spot = {"ball": "9", "to": [0.635, 0.0], "at": [0.64, 0.012], "off_mm": 13.0, "sigma_mm": 0.8, "done": False}
    return a_match(last=shot, undecided=[shot]), a_live(help=a_help(spot=[spot]), clock=a_clock(state="running", left_s=9.0, ten=True))


def in_hand() -> tuple[Message, Message]:
    """A foul, the cue ball in hand for the other player."""
    call = both("Foul: 4-ball first. Ball in hand.", "Фол: первым задет шар 4. Биток с руки.")
    cue = {"ball": "cue", "state": "hand_kitchen", "in_hand": True, "zone": KITCHEN, "text": both("Ball in hand", "Биток с руки")}
    fouls = {"A": {"count": 1, "on_two": False, "warned": False}, "B": {"count": 2, "on_two": True, "warned": True}}
    return a_match(last=a_shot(verdict="foul", call=call), shooter="B", cue=cue, fouls=fouls), a_live()


def over_the_picture() -> tuple[Message, Message]:
    """The balls of the sample before its shot, ringed where the camera sees them."""
    table = json.loads(SAMPLE.with_suffix(".json").read_text())["table"]
    match = a_match(table=a_table({**table["camera"], "image_size_px": table["image_size_px"]}), last=a_shot())
    return match, a_live(balls=BALLS)


PICTURES: Mapping[str, tuple[str, Any, int, str, tuple[str, ...]]] = {
    **{f"official-{width}": ("/official", undecided, width, "light", ()) for width in SIZES},
    **{f"scoreboard-{width}": ("/", in_hand, width, "light", ()) for width in SIZES},
    **{f"overlay-{width}": ("/overlay", undecided, width, "dark", ()) for width in SIZES},
    "official-why": ("/official", undecided, 1024, "light", ("[data-key=why]",)),
    "official-picture": ("/official", over_the_picture, 1024, "dark", ("[data-key=over]",)),
    "scoreboard-dark": ("/?lang=ru", in_hand, 1920, "dark", ()),
}
"""Name to page, state, width, colours, and what is pressed before."""


def main() -> None:
    """Take them all."""
    jpeg = _frame()
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for name, (path, state, width, scheme, presses) in PICTURES.items():
            png = _taken(browser, path, state(), width, scheme, presses, jpeg)
            _write(IMAGES / f"live-{name}.webp", png, behind=jpeg)
        browser.close()


def _taken(
    browser: Browser, path: str, state: tuple[Message, Message], width: int, scheme: Any, presses: tuple[str, ...], jpeg: bytes
) -> bytes:
    """One page as PNG."""
    across, down = SIZES[width]
    context = browser.new_context(viewport={"width": across, "height": down}, color_scheme=scheme, locale="en-GB")
    page = context.new_page()
    canned = Canned(page, *state)
    part = b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg) + jpeg

    def still(route: Route) -> None:
        route.fulfill(content_type="image/jpeg", body=jpeg)

    page.route("**/still.jpg", still)
    page.route("**/camera", lambda route: route.fulfill(content_type="multipart/x-mixed-replace; boundary=picture", body=part))
    code = BytesIO()
    segno.make("http://192.0.2.10:8080/").save(code, kind="svg", xmldecl=False, border=3, light="#fff")
    page.route("**/qr-public.svg", lambda route: route.fulfill(content_type="image/svg+xml", body=code.getvalue()))
    canned.open(path)
    for selector in presses:
        page.click(selector)
    page.wait_for_timeout(300)
    shot = page.screenshot(omit_background=path == "/overlay")
    context.close()
    return shot


def _frame() -> bytes:
    """The first picture of the sample as JPEG."""
    video = cv2.VideoCapture(str(SAMPLE.with_suffix(".mp4")))
    good, image = video.read()
    video.release()
    assert good, "the sample cannot be read"
    return bytes(cv2.imencode(".jpg", image)[1])


def _write(path: Path, png: bytes, *, behind: bytes) -> None:
    """Write a picture; through what is transparent in it the camera's is seen, as in a stream."""
    image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)
    under = cv2.imdecode(np.frombuffer(behind, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    assert under is not None
    if image.shape[2] == 4:
        height, width = image.shape[:2]
        scale = max(width / under.shape[1], height / under.shape[0])
        under = cv2.resize(under, None, fx=scale, fy=scale)[:height, :width]
        share = image[:, :, 3:] / 255.0
        image = np.asarray(image[:, :, :3] * share + under * (1 - share), np.uint8)
    if image.shape[1] > WIDEST_PX:
        image = cv2.resize(image, (WIDEST_PX, round(image.shape[0] * WIDEST_PX / image.shape[1])), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(path), image, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])


if __name__ == "__main__":
    main()
