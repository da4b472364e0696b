"""Every event is on disk before it is shown, and a killed program goes on where it was."""

import os
import random
import signal
import sqlite3
import time
from pathlib import Path

import plays
import pytest

from calibration.errors import InputError
from referee.live.kept_match import KeptMatch
from referee.live.store import MatchStore, StoreError
from referee.log import format_log
from referee.match import Match
from referee.rules.options import Options

a_kept_match, a_shot = plays.a_kept_match, plays.a_shot

SHOTS = 40
"""Shots of the match that is killed again and again."""


def on_disk(folder: Path) -> list[str]:
    """What another program reads there."""
    connection = sqlite3.connect(folder / "match.sqlite")
    lines = [row[0] for row in connection.execute("select line from events order by id")]
    connection.close()
    return lines


def test_a_change_is_on_disk_before_anybody_is_told(tmp_path: Path) -> None:
    """The listener finds it in the file already."""
    store, match = a_kept_match(tmp_path)
    found: list[int] = []
    match.listen(lambda: found.append(len(on_disk(tmp_path))))
    match.record("call", kind="safety")
    match.record_shot(a_shot(1))
    match.undo()

    assert found == [1, 3, 4]
    assert on_disk(tmp_path) == format_log(match)[1:]
    store.close()


def test_it_goes_on_where_it_was(tmp_path: Path) -> None:
    """Setup, events and state; what is written next follows."""
    store, match = a_kept_match(tmp_path, players=("Ann", "Bo"), options=Options(nine_break_order="loser"))
    match.record_shot(a_shot(1, "1 2 5 9", "1"))
    store.close()
    again_store = MatchStore.in_folder(tmp_path)
    again = KeptMatch.resume(again_store)

    assert again is not None
    assert (again.setup, again.events, again.state) == (match.setup, match.events, match.state)
    again.record_shot(a_shot(2, "2 5 9"))
    assert again_store.log_text() == "".join(f"{line}\n" for line in format_log(again))
    again_store.close()


def test_what_cannot_be_written_has_not_happened(tmp_path: Path) -> None:
    """The store holds that event already: nothing is changed, nobody is told."""
    store, match = a_kept_match(tmp_path)
    told: list[bool] = []
    match.listen(lambda: told.append(True))
    store.append([*Match(match.setup).events, *_one_event()])

    with pytest.raises(StoreError):
        match.record("call", kind="safety")
    assert (match.events, match.state.call, told) == ((), None, [])
    store.close()


def _one_event() -> list[object]:
    match = Match.start("nine_ball", race=3)
    match.record("call", kind="safety")
    return list(match.events)


def test_a_word_that_cannot_be_never_costs_a_shot(tmp_path: Path) -> None:
    """A touch of a ball that turns out not to be there is made void, and the shot is judged."""
    store, match = a_kept_match(tmp_path)
    match.record("touch", ball="7", by="hand", actor="A")
    ruling = match.record_shot(a_shot(1, "1 2 5 9"))

    assert ruling.verdict == "legal"
    assert [event.type for event in match.events] == ["touch", "correction", "shot", "ruling"]
    store.close()


def test_another_house_rule_judges_the_match_again(tmp_path: Path) -> None:
    """Header and new rulings are on disk together; nonsense changes nothing."""
    store, match = a_kept_match(tmp_path)
    match.record_shot(a_shot(1, "1 2 9", "1", "9"))
    assert match.score == {"A": 1, "B": 0}
    changed = match.change_setup(players=type(match.setup.players)("Ann", "Bo"))
    assert changed == ()
    with pytest.raises(InputError, match="race"):
        match.change_setup(race=0)
    store.close()
    store = MatchStore.in_folder(tmp_path)
    again = KeptMatch.resume(store)

    assert again is not None
    assert again.setup.players.a == "Ann"
    store.close()


def test_two_matches_in_one_store_do_not_mix(tmp_path: Path) -> None:
    """A hall with many tables has one database."""
    url = f"sqlite:///{tmp_path / 'hall.sqlite'}"
    stores = [MatchStore(url, name) for name in ("table 1", "table 2")]
    matches = [KeptMatch.begin(store, Match.start("nine_ball", race=3)) for store in stores]
    matches[0].record_shot(a_shot(1))

    again = KeptMatch.resume(stores[1])
    assert again is not None
    assert again.shot_count == 0
    for store in stores:
        store.close()


def test_an_address_with_a_password_is_never_told() -> None:
    """Neither by an unknown kind of database nor by one that does not answer."""
    for url in ("nosuch://hall:secret@db/cueref", "sqlite:////nowhere/secret/match.sqlite"):
        with pytest.raises(StoreError) as raised:
            MatchStore(url)
        assert "secret" not in str(raised.value)


def _play_on(folder: Path, acknowledged: int) -> None:
    """Go on with the match until it has all its shots, saying after each what is on disk; in a process that is killed."""
    store = MatchStore.in_folder(folder)
    match = KeptMatch.resume(store)
    assert match is not None
    while match.shot_count < SHOTS:
        number = match.shot_count + 1
        waiting = match.events and match.events[-1].type == "call"
        if number % 3 == 0 and not waiting:
            match.record("call", time_s=20.0 * number, kind="safety")
            os.write(acknowledged, f"{match.events[-1].id}\n".encode())
        match.record_shot(a_shot(number, b1=0.6 if number % 5 == 0 else 1.0))
        os.write(acknowledged, f"{match.events[-1].id}\n".encode())


def _killed(folder: Path, after_s: float) -> list[int]:
    """Start the match, kill it after a moment; what it had said was on disk."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            _play_on(folder, writing)
        finally:
            os._exit(0)
    os.close(writing)
    time.sleep(after_s)  # the moment of the kill is what is random here; nothing waits for it
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    said = b""
    while block := os.read(reading, 65536):
        said += block
    os.close(reading)
    return [int(line) for line in said.split()]


def kill_and_check(folder: Path, kills: int, longest_s: float) -> None:
    """Kill a match at random moments; nothing committed is lost or doubled, and it can always go on."""
    rng, played = random.Random(8), 0
    for _ in range(kills):
        said = _killed(folder, rng.uniform(0.0, longest_s))
        store = MatchStore.in_folder(folder)
        match = KeptMatch.resume(store)
        assert match is not None
        ids = [event.id for event in match.events]
        assert ids == list(range(1, len(ids) + 1))
        assert len(ids) >= max([played, *said])
        assert [ruling.number for ruling in match.rulings] == list(range(1, match.shot_count + 1))
        played = len(ids) if match.shot_count < SHOTS else 0
        store.close()
        if match.shot_count == SHOTS:
            assert on_disk(folder) == whole_match()
            for path in folder.iterdir():
                path.unlink()
            a_kept_match(folder)[0].close()


def whole_match() -> list[str]:
    """The log of the same match that nobody killed."""
    match = Match.start("nine_ball", race=3)
    for number in range(1, SHOTS + 1):
        if number % 3 == 0:
            match.record("call", time_s=20.0 * number, kind="safety")
        match.record_shot(a_shot(number, b1=0.6 if number % 5 == 0 else 1.0))
    return format_log(match)[1:]


def test_killed_ten_times_no_event_is_lost_or_doubled(tmp_path: Path) -> None:
    """The quick form of the two hundred."""
    a_kept_match(tmp_path)[0].close()
    kill_and_check(tmp_path, kills=10, longest_s=0.06)


@pytest.mark.slow
def test_killed_two_hundred_times_no_event_is_lost_or_doubled(tmp_path: Path) -> None:
    """At random moments of several matches."""
    a_kept_match(tmp_path)[0].close()
    kill_and_check(tmp_path, kills=200, longest_s=0.25)
