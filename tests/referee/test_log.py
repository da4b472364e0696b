"""The match log as a file: it comes back as it was, grows safely, and is judged again."""

import json
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import InputError
from referee.cli import main
from referee.log import FORMAT, append_events, format_log, parse_log, read_log, write_log
from referee.match import Match
from referee.rules.options import Options
from tracker.shot import Shot


def a_shot(number: int = 1, **first: float) -> Shot:
    """The 3 is met first (or as given) and a cushion reached."""
    line: dict[str, Any] = {
        "format": "cueref.shot/1",
        "number": number,
        "start_s": 20.0 * number,
        "end_s": 20.0 * number + 5,
        "cue_ball": "cue",
        "complete": True,
        "before": {"cue": [-0.9, 0.1], "3": [0.1234567, 0.2], "5": [0.4, 0.1], "9": [0.5, -0.3]},
        "after": {},
        "events": [{"t": 0.0, "type": "cue_contact"}, {"t": 1.0, "type": "ball_cushion", "ball": "3", "cushion": "foot"}],
        "first_contact": {ball.removeprefix("b"): p for ball, p in first.items()} or {"3": 1.0},
        "rail_before_contact": 0.0,
        "rail_after_contact": 1.0,
    }
    return Shot.from_dict(line)


def a_match(*shots: Shot) -> Match:
    """A match with these shots."""
    match = Match.start(
        "nine_ball", players=("Ann", "Bo"), race=5, options=Options(nine_break_order="loser"), assumed=["ends: left is the head"]
    )
    for shot in shots:
        match.record_shot(shot)
    return match


def test_log_comes_back_as_it_was(tmp_path: Path) -> None:
    """Writing and reading gives the same match, and the same file again."""
    match = a_match(a_shot(), a_shot(2, b3=0.6, b5=0.4))
    match.correct(3, {"first_contact": {"3": 1.0}})
    write_log(tmp_path / "match.jsonl", match)
    again = read_log(tmp_path / "match.jsonl")

    assert again.setup == match.setup
    assert again.events == match.events
    assert again.state == match.state
    assert format_log(again) == format_log(match)
    assert [path.name for path in tmp_path.iterdir()] == ["match.jsonl"]


def test_header_says_what_was_agreed() -> None:
    """The first line holds format, game, players, race, options, edition and what was assumed."""
    header = json.loads(format_log(a_match())[0])

    assert (header["format"], header["game"], header["players"]) == ("cueref.match/1", "nine_ball", {"A": "Ann", "B": "Bo"})
    assert (header["race"], header["options"], header["assumed"]) == (5, {"nine.break_order": "loser"}, ["ends: left is the head"])
    assert "rules.md" in header["edition"]


def test_events_are_counted_and_hold_no_wall_clock() -> None:
    """Ids count from 1; two matches from the same shots are the same file."""
    lines = [json.loads(line) for line in format_log(a_match(a_shot()))[1:]]

    assert [(line["id"], line["type"]) for line in lines] == [(1, "shot"), (2, "ruling")]
    assert format_log(a_match(a_shot())) == format_log(a_match(a_shot()))


def test_log_grows_at_its_end(tmp_path: Path) -> None:
    """Appending the new events gives the file that writing all would."""
    path = tmp_path / "match.jsonl"
    match = a_match(a_shot())
    write_log(path, match)
    known = len(match.events)
    match.record_shot(a_shot(2))
    append_events(path, match.events[known:])

    assert path.read_text().splitlines() == format_log(match)


def test_line_that_was_cut_off_was_never_there(tmp_path: Path) -> None:
    """A power cut in the middle of a line loses that line and no other, and the next append goes on behind the last whole one."""
    path = tmp_path / "match.jsonl"
    match = a_match(a_shot())
    write_log(path, match)
    with path.open("a") as file:
        file.write('{"id": 3, "type": "sh')

    assert read_log(path).events == match.events
    append_events(path, [])
    assert path.read_text().splitlines() == format_log(match)


HEADER = format_log(a_match())[0]
BAD = [
    ("", "empty"),
    ("{}\n", "line 1: format must be"),
    ("nonsense\n", "line 1: not JSON"),
    ("[]\n", "line 1: must be an object"),
    (json.dumps({"format": "cueref.match/2"}) + "\n", "line 1: format must be"),
    (json.dumps({"format": FORMAT, "game": "nine_ball"}) + "\n", "line 1: missing or malformed"),
    (HEADER + '\n{"id": 1, "type": "weather"}\n', "line 2: log event 1: type must be"),
    (HEADER + '\n{"id": 0, "type": "rack", "breaker": "A"}\n', "line 2: id must be"),
    (HEADER + '\n{"id": 1, "type": "shot"}\n', "line 2: a shot needs the field 'shot'"),
    (HEADER + '\n{"id": 1, "type": "correction", "of": 1}\n', "line 2: a correction needs"),
    (HEADER + '\n{"id": 1, "type": "shot", "shot": {}}\n', "shot line: format must be"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[row[1] for row in BAD])
def test_file_that_is_no_log_is_refused_in_one_line(text: str, message: str) -> None:
    """What is wrong and in which line."""
    with pytest.raises(InputError) as error:
        parse_log(text, name="match.jsonl")

    assert str(error.value).startswith("match.jsonl")
    assert message in str(error.value)


def test_rejudge_lists_what_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A correction written into the log by hand changes its shot; without one nothing changes."""
    path = tmp_path / "match.jsonl"
    write_log(path, a_match(a_shot()))
    assert main(["rejudge", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["differences"] == []

    with path.open("a") as file:
        file.write(json.dumps({"id": 3, "type": "correction", "of": 1, "fields": {"first_contact": {"5": 1.0}}}) + "\n")
    assert main(["rejudge", str(path), "--json"]) == 0
    (difference,) = json.loads(capsys.readouterr().out)["differences"]
    assert (difference["shot"], difference["was"]["verdict"], difference["now"]["verdict"]) == (1, "legal", "foul")
    assert main(["rejudge", str(path)]) == 0
    assert "shot 1: verdict 'legal' -> 'foul'" in capsys.readouterr().out


def test_rejudge_says_when_something_is_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, and the shot is listed."""
    path = tmp_path / "match.jsonl"
    write_log(path, a_match(a_shot(1, b3=0.6, b5=0.4)))

    assert main(["rejudge", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["undecided"] == [1]


def test_rejudge_of_something_else_is_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, nothing on stdout."""
    path = tmp_path / "notes.txt"
    path.write_bytes(b"\xff\xfe")

    assert main(["rejudge", str(path)]) == 2
    assert capsys.readouterr().out == ""
