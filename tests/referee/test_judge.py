"""`cueref judge`: the worked cases of the rule book, and files that are not what they should be."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from calibration.equipment import find_table
from calibration.errors import InputError
from referee.cli import main
from referee.judge import differing_fields, judge_scenarios, read_scenario_file
from referee.rules.games import RULESETS

MISS: dict[str, Any] = {
    "id": "miss",
    "game": "nine_ball",
    "title": "Legal miss",
    "rules_options": {},
    "before": {
        "table": "wpa9",
        "shooter": "A",
        "phase": "normal",
        "balls": ["cue", "2", "6", "9"],
        "cue_ball": "cue",
        "cue_state": "position",
        "positions": {"6": [0.75, 0.5]},
        "scores": {"A": 3, "B": 2},
        "target": 7,
    },
    "events": [
        {"t": 0, "type": "cue_contact"},
        {"t": 0.3, "type": "ball_ball", "a": "cue", "b": "2"},
        {"t": 0.9, "type": "ball_cushion", "ball": "2", "cushion": "foot"},
        {"t": 3, "type": "stop"},
    ],
    "expect": {"foul": False, "foul_codes": [], "turn": "B", "options": []},
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The legal miss with one field set (`before.balls`, `events.1.b`)."""
    scenario = copy.deepcopy(MISS)
    *parents, last = path.split(".")
    place: Any = scenario
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
    place[int(last) if isinstance(place, list) else last] = value
    return scenario


def write(folder: Path, *scenarios: Any, **more: Any) -> Path:
    """A scenario file."""
    path = folder / "cases.json"
    path.write_text(json.dumps({"version": 1, "scenarios": list(scenarios), **more}))
    return path


def test_every_worked_case_of_a_built_game_agrees(shared: Path) -> None:
    """The rulings are those of the reference cases, the doubtful ones included where they agree by themselves."""
    items, defaults = read_scenario_file(shared / "scenarios.json")
    built = {rules.game for rules in RULESETS}
    pairs = list(zip(items, judge_scenarios(items, defaults), strict=True))
    wrong = [(entry.id, entry.differs, entry.error) for item, entry in pairs if item["game"] in built and not entry.agrees]

    assert [row for row in wrong if not _is_doubtful(items, row[0])] == []


def _is_doubtful(items: list[Any], ident: str | None) -> bool:
    return any(item["id"] == ident and "doubtful" in item for item in items)


def test_reasoning_cites_the_clauses_of_the_worked_cases(shared: Path) -> None:
    """Every clause that the reference gives for a nine-ball case is among those cited."""
    items, defaults = read_scenario_file(shared / "scenarios.json")
    missing = {}
    for item, entry in zip(items, judge_scenarios(items, defaults), strict=True):
        if item["game"] == "nine_ball" and set(item["clause_ids"]) - set(entry.clauses):
            missing[entry.id] = set(item["clause_ids"]) - set(entry.clauses)

    assert missing == {}


def test_entry_has_the_result_the_clauses_and_the_reasons() -> None:
    """An entry says what was found, asked for or not."""
    (entry,) = judge_scenarios([MISS], {})
    data = entry.to_dict()

    assert list(data) == ["id", "agrees", "result", "clauses", "reasons"]
    assert data["agrees"] is True
    assert data["result"]["cue_next"] == "position"
    assert data["result"]["fouls_after"] == {"A": 0, "B": 0}
    assert data["reasons"][0].startswith("Nothing fell on a legal shot")


def test_case_without_expectation_is_judged() -> None:
    """Nothing expected: a result, and `agrees` is null."""
    scenario = {key: value for key, value in MISS.items() if key != "expect"}
    (entry,) = judge_scenarios([scenario], {})

    assert (entry.agrees, entry.result is not None) == (None, True)


def test_only_expected_fields_are_compared() -> None:
    """A field that differs is named; an optional one left out equals its nothing."""
    wrong, same = changed("expect.turn", "A"), changed("expect.placement_rejected", False)

    assert judge_scenarios([wrong], {})[0].differs == ("turn",)
    assert judge_scenarios([same], {})[0].agrees is True


def test_expectation_that_is_malformed_differs() -> None:
    """A place that is no place is not the place found, and stops nothing."""
    table = find_table("wpa-9ft")
    for wrong in ("here", {"9": "here"}, {"9": [0.75]}, {"9": {}}, {"6": [0.75, 0.5]}):
        assert differing_fields({"spotted_pos": wrong}, {"spotted_pos": {"9": [0.75, 0.5]}}, table) == ("spotted_pos",)


def test_options_come_from_file_and_case() -> None:
    """The case's options go before the file's defaults, and those before the rule book's."""
    last = changed("before.balls", ["cue", "9"])
    last["before"]["positions"] = {}
    last["events"] = [*MISS["events"][:1], {"t": 0.3, "type": "ball_ball", "a": "cue", "b": "9"}]
    last["events"].append({"t": 1, "type": "pocketed", "ball": "9", "pocket": "FL"})
    last["expect"] = {"next_breaker": "B"}
    own = {**last, "rules_options": {"nine.break_order": "winner"}}

    assert judge_scenarios([last], {"nine.break_order": "loser"})[0].agrees is True
    assert judge_scenarios([own], {"nine.break_order": "loser"})[0].agrees is False


FAULTS = [
    ("colour", "red", "colour: unknown field"),
    ("game", "snooker", "game: 'snooker' is not built yet"),
    ("before.weather", "dry", "before.weather: unknown field"),
    ("before.shooter", "C", "before.shooter: must be one of A, B"),
    ("before.phase", "tea", "before.phase: must be one of"),
    ("before.phase", "break", "before.balls: a break needs all nine"),
    ("before.phase", "premium", "before.phase: 'premium' does not occur"),
    ("before.balls", ["cue", "2", "2", "9"], "before.balls: ball '2' is listed twice"),
    ("before.balls", ["cue", "2", "6"], "before.balls: the 9 is not on the table"),
    ("before.balls", ["cue", "12", "9", "6"], "before.balls: '12' is no ball"),
    ("before.balls", ["cue"], "before.balls: no object ball"),
    ("before.balls", "all", "before.balls: must be a list"),
    ("before.cue_ball", "3", "before.cue_ball: must be one of"),
    ("before.cue_ball", "9", "before.cue_ball: must be 'cue'"),
    ("before.cue_state", "pocket", "before.cue_state: must be one of"),
    ("before.positions", {"3": [0.5, 0.5]}, "before.positions.3: the ball is not on the table"),
    ("before.positions", {"6": [1.5, 0.5]}, "before.positions.6: (1.5, 0.5) lies outside"),
    ("before.positions", {"6": [0.5, 0.5], "9": [0.505, 0.5]}, "before.positions.9: the ball lies inside ball 6"),
    ("before.positions", {"6": [0.5]}, "before.positions.6: must be [u, v]"),
    ("before.scores", {"A": 7, "B": 2}, "before.scores: 7 reaches the target 7"),
    ("before.scores", {"A": 1}, "before.scores: must have A and B"),
    ("before.scores", {"A": 1.5, "B": 0}, "before.scores.A: must be a whole number"),
    ("before.target", 0, "before.target: must be a whole number above 0"),
    ("before.consecutive_fouls", {"A": 3, "B": 0}, "before.consecutive_fouls: must be 0 to 2"),
    ("before.table", "pool", "before.table:"),
    ("before.call", {"kind": "wish"}, "before.call.kind"),
    ("before.call", {"kind": "ball", "ball": "2", "pocket": "XX"}, "before.call.pocket"),
    ("before.call", {"kind": "safety", "ball": "2"}, "before.call.ball: unknown field"),
    ("before.frozen", [{"ball": "2", "to": "moon", "declared": True}], "before.frozen[0].to"),
    ("before.frozen", [{"ball": "2", "to": "left", "declared": "yes"}], "before.frozen[0].declared"),
    ("before.clock", {"limit_s": 45}, "before.clock.introduced: missing"),
    ("before.near_rail", {"A": {"7": 1}}, "before.near_rail.A"),
    ("events.1.type", "bang", "events[1].type: unknown event 'bang'"),
    ("events.1.type", {}, "events[1].type: unknown event {}"),
    ("events.1.b", "3", "events[1].b: ball '3' is not on the table"),
    ("events.1.b", "cue", "events[1].b: a ball cannot hit itself"),
    ("events.1.speed", 3, "events[1].speed: unknown field"),
    ("events.1.t", "soon", "events[1].t: must be seconds"),
    ("events.2.t", 0.1, "events[2].t: 0.1 lies before"),
    ("events.2.cushion", "north", "events[2].cushion"),
    ("events.2", {"t": 0.9, "type": "pocketed", "ball": "2"}, "events[2].pocket: missing"),
    ("events.2", {"t": 0.9, "type": "official", "fact": "push"}, "events[2].fact"),
    ("events", "none", "events: must be a list"),
    ("rules_options", {"nine.magic": True}, "rules_options.nine.magic: unknown field"),
    ("rules_options", {"nine.break_order": "nobody"}, "rules_options.nine.break_order: must be one of"),
    ("rules_options", {"nine.nine_on_spot": "yes"}, "rules_options.nine.nine_on_spot: must be true or false"),
    ("rules_options", {"pool.hanging_s": -1}, "rules_options.pool.hanging_s"),
    ("expect.mood", "good", "expect.mood: unknown field"),
]


@pytest.mark.parametrize(("path", "value", "message"), FAULTS, ids=[f"{row[0]} {row[2]}"[:60] for row in FAULTS])
def test_fault_is_named_by_its_field(path: str, value: Any, message: str) -> None:
    """An unknown field, a state that cannot be or a game not built gives an error that starts with the field."""
    (entry,) = judge_scenarios([changed(path, value)], {})

    assert entry.agrees is None
    assert entry.error is not None
    assert entry.error.startswith(message)
    assert "\n" not in entry.error


def test_ball_that_acts_after_it_fell_is_refused() -> None:
    """A ball that is down can do nothing any more."""
    scenario = changed("events.2", {"t": 0.9, "type": "pocketed", "ball": "2", "pocket": "FL"})
    scenario["events"].insert(3, {"t": 1.2, "type": "ball_cushion", "ball": "2", "cushion": "left"})

    assert judge_scenarios([scenario], {})[0].error == "events[3].ball: ball 2 has left the table before"


@pytest.mark.parametrize("field", ["before", "events", "game"])
def test_missing_part_is_named(field: str) -> None:
    """A case without its before, events or game is refused by that name."""
    scenario = {key: value for key, value in MISS.items() if key != field}

    assert judge_scenarios([scenario], {})[0].error == f"{field}: missing"


def test_fault_does_not_stop_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One entry a scenario in file order; the exit code tells that something is wrong."""
    code = main(["judge", str(write(tmp_path, "nonsense", changed("game", "chess"), MISS)), "--json"])
    entries = json.loads(capsys.readouterr().out)

    assert code == 1
    assert [(entry["id"], entry["agrees"]) for entry in entries] == [(None, None), ("miss", None), ("miss", True)]


def test_exit_code_is_0_when_all_agree_and_1_when_one_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All agree: 0. One differs: 1, and the text names the field."""
    assert main(["judge", str(write(tmp_path, MISS))]) == 0
    assert main(["judge", str(write(tmp_path, changed("expect.turn", "A")))]) == 1
    assert "miss: differs in turn" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"scenarios": 3}', '{"version": 2, "scenarios": []}', '{"scenarios": [], "defaults": []}']
)
def test_file_that_holds_no_scenarios_is_one_line_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Not a scenario file: one line on stderr, nothing on stdout."""
    path = tmp_path / "other.json"
    path.write_text(text)
    code = main(["judge", str(path), "--json"])
    out = capsys.readouterr()

    assert (code, out.out, out.err.count("\n")) == (2, "", 1)


def test_missing_file_is_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No such file: one line."""
    assert main(["judge", str(tmp_path / "none.json")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_unknown_default_is_an_error_of_each_case() -> None:
    """A default that is no option cannot be guessed at."""
    with pytest.raises(InputError):
        read_scenario_file(Path(__file__).with_name("no such file.json").parent / "test_judge.py")
    assert judge_scenarios([MISS], {"nine.magic": 1})[0].error is not None


def test_places_are_compared_within_two_millimetres() -> None:
    """`spotted_pos` is exact geometry: 1.9 mm is the same place, 2.1 mm is another."""
    table = find_table("wpa-9ft")
    for off_m, differs in ((0.0019, ()), (0.0021, ("spotted_pos",))):
        found = {"spotted_pos": {"9": [0.75 + off_m / 2.54, 0.5]}}
        assert differing_fields({"spotted_pos": {"9": [0.75, 0.5]}}, found, table) == differs
