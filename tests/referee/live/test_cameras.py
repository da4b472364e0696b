"""A recording in a camera's place, and the queue between reader and referee."""

import subprocess
import sys
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from referee.live.cameras import CameraLost, Captured, FileCamera, NoPace, StreamCamera, WaitingPace
from referee.live.handoff import NEWEST_S, Arrived, Handoff
from referee.live.health import Look

SAMPLE = Path(__file__).parents[3] / "sample_videos" / "legal_pot.mp4"


SERVER = """
import http.server, sys, time
import cv2, numpy as np
class Camera(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words): pass
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=b")
        self.end_headers()
        for index in range(100000):
            jpeg = cv2.imencode(".jpg", np.full((48, 64, 3), index * 7 % 256, dtype=np.uint8))[1].tobytes()
            self.wfile.write(b"--b\\r\\nContent-Type: image/jpeg\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(jpeg) + jpeg + b"\\r\\n")
            time.sleep(0.005)
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Camera)
print(server.server_address[1], flush=True)
server.serve_forever()
"""
"""A network camera of motion JPEG, in a process that can be killed."""


def plugged_in(port: int = 0) -> "tuple[subprocess.Popen[str], int]":
    """The camera and its port."""
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(port)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def unplugged(process: "subprocess.Popen[str]") -> None:
    """As by kill -9."""
    process.kill()
    process.communicate()


def test_a_network_camera_that_is_killed_is_lost_and_can_be_opened_again() -> None:
    """Its pictures carry no stamps; the same camera object opens it again when it is back."""
    process, port = plugged_in()
    camera = StreamCamera(f"http://127.0.0.1:{port}/video", Event())
    pictures = camera.pictures(0.0)
    first = next(pictures)
    assert (first.image.shape, first.stamp_s) == ((48, 64, 3), None)
    unplugged(process)
    with pytest.raises(CameraLost):
        for _ in pictures:
            pass
    process, _ = plugged_in(port)
    assert next(iter(camera.pictures(0.0))).image.shape == (48, 64, 3)
    unplugged(process)


def a_picture(arrival_s: float) -> Arrived:
    """Told apart by its time."""
    captured = Captured(image=np.zeros((2, 2, 3), dtype=np.uint8), stamp_s=None, arrival_s=arrival_s)
    return Arrived(captured=captured, time_s=arrival_s, look=Look(0, 50.0))


def take(handoff: Handoff, now_s: float) -> tuple[float, int] | None:
    """Time of the picture taken, and how many were dropped before it."""
    taken = handoff.take(now_s, 0.0)
    return None if taken is None else (taken[0].time_s, taken[1])


def test_a_file_goes_on_where_it_was_left() -> None:
    """What lies before is not shown; arrivals are when pictures are due."""
    found = []
    for captured in FileCamera(SAMPLE, NoPace()).pictures(1.0):
        found.append((captured.stamp_s, captured.arrival_s))
        if len(found) == 3:
            break

    assert [(round(stamp or 0, 2), round(arrival, 2)) for stamp, arrival in found] == [(1.0, 0.0), (1.04, 0.04), (1.08, 0.08)]


def test_a_pause_in_looking_drops_nothing_when_looking_keeps_up() -> None:
    """Half a second of reading a shot: all its pictures are taken afterwards."""
    handoff = Handoff()
    for index in range(12):
        handoff.put(a_picture(index / 25))

    assert [take(handoff, 0.48) for _ in range(12)] == [(index / 25, 0) for index in range(12)]


def test_what_is_too_late_is_dropped_and_counted() -> None:
    """Older than six tenths of a second."""
    handoff = Handoff()
    for index in range(25):
        handoff.put(a_picture(index / 25))

    taken = take(handoff, 1.0)
    assert taken == (0.4, 10)


def lateness(cost: int, turns: int) -> tuple[list[float], list[int]]:
    """How late pictures are taken, and how many were dropped before each, where looking at one takes as long as `cost` come."""
    handoff, late, left_out, now_s, put = Handoff(), [], [], 0.0, 0
    for _ in range(turns):
        while put / 50 <= now_s:
            handoff.put(a_picture(put / 50))
            put += 1
        found = take(handoff, now_s)
        assert found is not None
        late.append(now_s - found[0])
        left_out.append(found[1])
        now_s += cost / 50
    return late, left_out


def test_when_looking_does_not_keep_up_every_other_picture_is_left_out() -> None:
    """Every picture costs two: once that has shown, one is dropped before each, and none is taken late."""
    late, left_out = lateness(cost=2, turns=200)

    assert set(left_out[100:]) == {1}
    assert max(late[100:]) <= NEWEST_S


def test_where_half_of_the_pictures_are_too_many_only_new_ones_are_taken() -> None:
    """Every picture costs five."""
    late, _ = lateness(cost=5, turns=200)

    assert max(late[50:]) <= NEWEST_S


def test_while_a_shot_is_read_some_fifteen_pictures_a_second_are_taken_and_the_one_that_is_waited_for() -> None:
    """Two seconds at 60 a second, looked at at once: every fourth is taken, and one at 0.617 s, from where they are counted on."""
    handoff, times = Handoff(), []
    for index in range(120):
        handoff.put(a_picture(index / 60))
        found = handoff.take(index / 60, 0.0, sparing=True, awaited_s=0.61)
        times += [] if found is None else [found[0].time_s]

    assert [round(60 * time_s) for time_s in times] == [*range(0, 37, 4), *range(37, 120, 4)]
    assert handoff.spared == 120 - len(times)


def test_once_balls_have_stopped_what_waits_is_left_out_for_newer_ones_without_a_gap() -> None:
    """A fifth of a second late: four pictures later it has caught up, then it takes every one."""
    handoff, times = Handoff(), []
    for index in range(13):
        handoff.put(a_picture(index / 60))
    take(handoff, 0.2)
    for index in range(13, 25):
        handoff.put(a_picture(index / 60))
        found = handoff.take(index / 60, 0.0, newest=True)
        times += [] if found is None else [round(found[0].time_s * 60)]

    assert times == [4, 8, 12, 16, 17, 18, 19, 20, 21, 22, 23, 24]


def test_nothing_comes_and_then_it_is_over() -> None:
    """What waits is still given."""
    handoff = Handoff()
    assert take(handoff, 0.0) is None
    handoff.put(a_picture(0.0))
    handoff.close()

    assert not handoff.is_over
    assert take(handoff, 0.0) == (0.0, 0)
    assert handoff.is_over


def test_a_waiting_pace_never_runs_ahead_of_what_is_judged() -> None:
    """A picture that is due already is due now; time does not go back, and stands a moment after the last picture."""
    pace = WaitingPace(Event())
    assert pace.wait_until(-5.0)
    first_s = pace.now_s()
    assert pace.wait_until(-4.0)

    assert first_s <= pace.now_s() <= 0.2
