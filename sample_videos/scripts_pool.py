"""Passages of nine-ball and 14.1: what has to happen, and how it is ruled (rules.md 2.2 and 2.3, clauses beside each)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sample_videos.drafts import Draft, Drafter
from sample_videos.kinds import Outcome
from sample_videos.script import Script, Want, need, ruling
from sample_videos.simulate import Simulation

_FOOT_SPOT = 0.25
"""Of the length, from the table's middle."""


def _nine_state(d: Drafter, **fields: Any) -> dict[str, Any]:
    return {
        "table": d.name,
        "shooter": "A",
        "phase": "normal",
        "cue_state": "position",
        "scores": {"A": 0, "B": 0},
        "target": 7,
        "consecutive_fouls": {"A": 0, "B": 0},
        "warned": {"A": False, "B": False},
        "referee": True,
        "frozen": [],
        **fields,
    }


def _anywhere(_: Any) -> bool:
    return True


def legal_miss(o: Outcome, _: Simulation) -> bool:
    """The lowest ball first, nothing falls, a ball reaches a cushion."""
    return o.good and not o.potted and bool(o.rails) and not o.early


def legal_pot(o: Outcome, _: Simulation) -> bool:
    """The lowest ball first, and only it falls."""
    return o.good and o.potted == [o.target] and not o.early


def wrong_first(o: Outcome, _: Simulation) -> bool:
    """Another ball than the lowest first; a cushion is reached, nothing falls."""
    return o.first not in (None, o.target) and not o.potted and bool(o.rails) and o.start > 0.15


def no_rail(o: Outcome, _: Simulation) -> bool:
    """The lowest ball first, and then neither pocket nor cushion."""
    return o.first == o.target and not o.potted and not o.rails and not o.early and o.start > 0.15


def no_contact(o: Outcome, _: Simulation) -> bool:
    """No ball is met, and none nearly."""
    return o.first is None and not o.potted and _closest(o) > 2.6 * o.d.radius


def scratch(o: Outcome, _: Simulation) -> bool:
    """The lowest ball first; the cue ball falls, nothing else."""
    return o.first == o.target and o.potted == [o.draft.cue_ball]


def wins(o: Outcome, _: Simulation) -> bool:
    """The lowest ball first, and the 9 falls."""
    return o.good and "9" in o.potted and len(o.potted) == 1 and not o.early


def _closest(o: Outcome) -> float:
    from sample_videos.kinds import finished, places

    paths = places(finished(o.draft), np.arange(0, o.draft.end_s, 0.005))
    mine = paths[o.draft.cue_ball]
    return min(float(np.nanmin(np.linalg.norm(mine - path, axis=1))) for ball, path in paths.items() if ball != o.draft.cue_ball)


def _nine_rack(d: Drafter) -> dict[str, Any]:
    others = [str(n) for n in d.rng.permutation(np.arange(2, 9))]
    head = -d.table.spec.length_m / 4
    cue = np.array([head - 0.08, d.rng.uniform(-0.2, 0.2)])
    return {"cue": cue, **d.rack(["1", *others[:3], "9", *others[3:]], 2e-4)}


def _break(s: Script, want: Want) -> Draft:
    def strokes() -> Any:
        while True:
            cue = s.layout["cue"]
            way = next(place for ball, place in s.layout.items() if ball != "cue") - cue
            phi = float(np.arctan2(way[1], way[0])) + s.rng.normal(0, 0.004)
            yield s.layout, "cue", phi, s.rng.uniform(5.5, 8.0), -0.05

    return need(s.find(strokes(), want, most=400))


def dry_break(o: Outcome, _: Simulation) -> bool:
    """The 1 first, nothing falls, at least five balls to cushions."""
    driven = {e["ball"] for e in o.rails if e["ball"] != "cue"}
    return o.first == "1" and not o.potted and len(driven) >= 5


def _lowest(s: Script) -> str:
    return min((b for b in s.layout if b != "cue"), key=int)


def nine_ball_rack(seed: int, table: str) -> Script:
    """A breaks dry; B pushes out; A gives the shot back; B fouls; A, ball in hand, clears to the 9 or plays it in."""
    d = Drafter(table, np.random.default_rng([seed, 1]))
    s = Script("nine_ball", d, _nine_rack(d), _nine_state(d, phase="break", cue_state="hand_kitchen"))
    s.play(_break(s, dry_break), ruling("B", options=("DECLARE_PUSH_OUT",)))  # N9-4.1, N9-5.2, N9-6.1
    s.then(shooter="B", phase="after_break", cue_state="position")

    def pushed(o: Outcome, simulation: Simulation) -> bool:
        return no_contact(o, simulation) and 0.9 < o.draft.end_s < 4.0

    push = need(s.find(s.anywhere(["cue"], slow=0.4, fast=1.0), pushed))
    s.play(push, ruling("decide:A", options=("PLAY_POSITION", "RETURN_SHOT")), call={"kind": "push_out"})  # N9-6.2, N9-6.4
    s.say(type="decision", by="A", option="RETURN_SHOT")
    s.then(shooter="B", phase="normal")
    _foul(s, "B")
    if seed % 3:
        _pot_and_miss(s)
        _foul(s, "B")
    _clear(s, "A", most=3)
    return s


def _pot_and_miss(s: Script) -> None:
    """A, ball in hand, pots the lowest ball (N9-1.3) and misses the next (N9-1.5)."""
    lowest = _lowest(s)
    s.play(need(s.find(s.pots_from_hand("cue", [lowest], _anywhere), legal_pot, most=900)), ruling("A"))
    s.then(cue_state="position", consecutive_fouls={**s.state["consecutive_fouls"], "A": 0})
    s.play(need(s.find(s.towards("cue", _lowest(s), slow=0.7, fast=1.8), legal_miss, most=600)), ruling("B"))
    s.then(shooter="B")


def _foul(s: Script, player: str) -> None:
    """The player fouls in some seen way: no ball, wrong ball, no cushion, scratch (N9-8, N9-9, GR-3.20)."""
    lowest = _lowest(s)
    ways: list[tuple[tuple[str, ...], Want, Any]] = [
        (("WRONG_FIRST",), wrong_first, s.anywhere(["cue"], fast=1.6)),
        (("SCRATCH",), scratch, s.towards("cue", lowest, slow=0.9, fast=2.4)),
        (("NO_RAIL",), no_rail, s.towards("cue", lowest, slow=0.3, fast=0.8)),
    ]
    for k in s.rng.permutation(3):
        codes, want, strokes = ways[int(k)]
        draft = s.find(strokes, want, most=500)
        if draft is not None:
            break
    other = "B" if player == "A" else "A"
    s.play(need(draft), ruling(other, *codes, options=("BIH_ANYWHERE",)))  # N9-7.2
    fouls = {**s.state["consecutive_fouls"], player: s.state["consecutive_fouls"][player] + 1}
    s.then(shooter=other, cue_state="hand_anywhere", phase="normal", consecutive_fouls=fouls)


def _clear(s: Script, player: str, *, most: int) -> None:
    """The player, with ball in hand, pots the lowest ball up to `most` times, then the 9 off it or as the last ball."""
    for k in range(most):
        lowest = _lowest(s)
        in_hand = s.state["cue_state"] == "hand_anywhere"
        last = lowest == "9"
        early = None if last else s.find(_nine_shots(s, in_hand), wins, most=300 if k + 1 < most else 2000)
        if early is not None or last:
            strokes = s.pots_from_hand("cue", [lowest], _anywhere) if in_hand else s.pots(["cue"], targets=[lowest])
            draft = early or need(s.find(strokes, wins, most=2000))
            points = (1, 0) if player == "A" else (0, 1)
            s.play(draft, ruling(player, points=points, rack_over=True, winner=player))  # N9-5.3, N9-14.3
            s.then(scores={"A": points[0], "B": points[1]}, phase="break", cue_state="hand_kitchen")
            return
        strokes = s.pots_from_hand("cue", [lowest], _anywhere) if in_hand else s.pots(["cue"], targets=[lowest])
        s.play(need(s.find(strokes, legal_pot, most=900)), ruling(player))  # N9-1.3
        s.then(shooter=player, cue_state="position", consecutive_fouls={**s.state["consecutive_fouls"], player: 0})
    need(None)


def _nine_shots(s: Script, in_hand: bool) -> Any:
    """Strokes at the lowest ball that may bring the 9 down: combinations and luck."""
    lowest = _lowest(s)
    d = s.drafter
    if not in_hand:
        yield from s.towards("cue", lowest, slow=1.2, fast=3.0)
    others = {ball: place for ball, place in s.layout.items() if ball != "cue"}
    for _ in range(20000):
        pocket = str(s.rng.choice(list(d.goals)))
        ghost = d.ghost(others, "9", d.goals[pocket])  # where the lowest has to be when it sends the 9 on
        way = ghost - others[lowest]
        length = float(np.hypot(*way))
        if length < 0.02:
            continue
        behind = others[lowest] - way / length * 2 * d.radius
        place = behind - way / length * s.rng.uniform(0.15, 0.5) + s.rng.normal(0, 0.03, 2)
        half = np.array([d.table.spec.length_m, d.table.spec.width_m]) / 2 - d.radius - 0.03
        if (np.abs(place) > half).any() or any(np.hypot(*(place - p)) < 2 * d.radius + 0.02 for p in others.values()):
            continue
        aim = behind - place
        yield {"cue": place, **others}, "cue", float(np.arctan2(aim[1], aim[0])) + s.rng.normal(0, 0.003), s.rng.uniform(1.2, 2.6), 0.0


def three_fouls(seed: int, table: str) -> Script:
    """A fouls three times running, B plays safe between; A is warned after the second and loses the rack with the third."""
    d = Drafter(table, np.random.default_rng([seed, 2]))
    s = Script("nine_ball", d, d.layout(5), _nine_state(d))
    for count in (1, 2, 3):
        if count < 3:
            _foul(s, "A")
            _safe(s)
            continue
        want = need(s.find(s.anywhere(["cue"], fast=1.6), wrong_first, most=1500))
        # N9-13.1: the rack is B's, and so is the next break (N9-3).
        s.play(want, ruling("B", "WRONG_FIRST", "THREE_FOULS", points=(0, 1), rack_over=True, winner="B"))
    return s


def _safe(s: Script) -> None:
    """B, ball in hand, plays the lowest ball to a cushion; A's fouls stand, and from two on he is warned (N9-13.3)."""
    lowest = _lowest(s)

    def strokes() -> Any:
        for layout, cue, phi, speed, height in s.pots_from_hand("cue", [lowest], _anywhere):
            yield layout, cue, phi + s.rng.normal(0, 0.05), 0.8 * speed, height

    s.play(need(s.find(strokes(), legal_miss, most=1500)), ruling("A"))
    s.then(shooter="A", cue_state="position", warned={"A": s.state["consecutive_fouls"]["A"] == 2, "B": False})


def straight_over_a_rerack(seed: int, table: str) -> Script:
    """A pots the last ball but one of a rack; fourteen are racked; he goes on with the fifteenth, misses, and B plays safe."""
    d = Drafter(table, np.random.default_rng([seed, 3]), nine=False)
    state = {**_nine_state(d, target=150), "near_rail": {}, "rack_pocketed": 13}
    numbers = [str(n) for n in d.rng.permutation(np.arange(1, 16))]
    called, kept = numbers[0], numbers[1]
    layout = {"cue": d.place({})}
    spot = np.array([_FOOT_SPOT * d.table.spec.length_m, 0.0])
    # The fifteenth lies beside the triangle to come, where a good player leaves it.
    layout[kept] = spot + np.array([0.02, d.rng.choice([-1, 1]) * d.rng.uniform(0.2, 0.35)])
    layout[called] = d.place(layout)
    s = Script("straight_14_1", d, layout, state)
    s.drafter.nine = False

    def first(o: Outcome, _: Simulation) -> bool:
        after = o.draft.before[kept]
        cue = _end_of(o, "cue")
        clear = cue is not None and not _near_rack(cue, d) and abs(cue[1]) < 0.5 and kept not in o.touched
        return o.first == called and o.potted == [called] and not o.early and clear and after is not None

    draft = need(s.find(s.pots(["cue"], targets=[called]), first, most=1500, target=called))
    call = {"kind": "ball", "ball": called, "pocket": _pocket(draft, called)}
    # S141-5, 7.3a, T.R4C2: one point, fourteen racked, both balls stay.
    s.play(draft, ruling("A", points=(1, 0), rerack="14", fifteenth="stays", cue_next="position", next_phase="after_rerack"), call=call)
    rack = d.rack(["apex", *(b for b in numbers if b != kept)], 2e-4)
    rack.pop("apex")
    s.move("R", [(ball, place) for ball, place in rack.items()], "rack", together=True)
    s.then(phase="after_rerack", scores={"A": 1, "B": 0}, apex_vacant=True)
    s.state.pop("rack_pocketed")
    _open_the_rack(s, kept)
    return s


def _open_the_rack(s: Script, kept: str) -> None:
    """A pots the fifteenth, if he can off the rack; then calls another and misses, and B plays a called safety."""
    d = s.drafter

    def pots(ball: str) -> Want:
        return lambda o, _: o.first == ball and o.potted == [ball] and not o.early

    draft = need(s.find(s.pots(["cue"], targets=[kept]), pots(kept), most=2500, target=kept))
    s.play(draft, ruling("A", points=(1, 0)), call={"kind": "ball", "ball": kept, "pocket": _pocket(draft, kept)})
    s.then(phase="normal", scores={"A": 2, "B": 0}, rack_pocketed=1, apex_vacant=False)
    corner = str(s.rng.choice([b for b in s.layout if b != "cue"]))

    def missed(o: Outcome, _: Simulation) -> bool:
        return o.first is not None and not o.potted and len({e["ball"] for e in o.rails}) >= 2

    draft = need(s.find(s.towards("cue", corner, slow=1.5, fast=3.5), missed, most=800))
    aimed = Outcome(draft, d).first or corner
    s.play(draft, ruling("B"), call={"kind": "ball", "ball": aimed, "pocket": "FL"})  # S141-7.1, GR-3.5
    s.then(shooter="B")

    def safe(o: Outcome, _: Simulation) -> bool:
        return o.first is not None and not o.potted and bool(o.rails) and not o.early

    target = str(s.rng.choice([b for b in s.layout if b != "cue"]))
    s.play(need(s.find(s.towards("cue", target, slow=0.7, fast=1.6), safe, most=800)), ruling("A"), call={"kind": "safety"})  # S141-7.4
    s.then(shooter="A")


def _pocket(draft: Draft, ball: str) -> str:
    return str(next(e["pocket"] for e in draft.events if e["type"] == "pocketed" and e["ball"] == ball))


def _end_of(o: Outcome, ball: str) -> np.ndarray | None:
    from sample_videos.kinds import finished

    after = finished(o.draft).after
    return np.array(after[ball]) if ball in after else None


def _near_rack(place: np.ndarray, d: Drafter) -> bool:
    """Whether a ball is in or close to the triangle's outline."""
    x = place[0] - _FOOT_SPOT * d.table.spec.length_m
    return bool(-4 * d.radius < x < 11 * d.radius and abs(place[1]) < 8 * d.radius)


def interference(seed: int, table: str) -> Script:
    """Nine-ball with trouble: a bystander moves a ball, and it is put back (GR-3.35); then a pot, a foul, and A clears."""
    d = Drafter(table, np.random.default_rng([seed, 4]))
    s = Script("nine_ball", d, d.layout(5), _nine_state(d))
    s.play(need(s.find(s.towards("cue", _lowest(s), slow=0.6, fast=1.6), legal_miss, most=1500)), ruling("B"))
    s.then(shooter="B")
    loose = str(s.rng.choice([b for b in s.layout if b not in ("cue", _lowest(s))]))
    place = s.layout[loose].copy()
    away = place + np.array([0.12, 0.09]) * np.where(place > 0, -1, 1)
    if any(np.hypot(*(away - p)) < 2 * d.radius + 0.02 for b, p in s.layout.items() if b != loose):
        need(None)
    s.move("X", [(loose, away)], "a bystander moves a ball", lifted=False)
    s.move("R", [(loose, place)], "put back")
    s.play(need(s.find(s.pots(["cue"], targets=[_lowest(s)]), legal_pot, most=1500)), ruling("B"))
    s.then(shooter="B")
    _foul(s, "B")
    _clear(s, "A", most=4)
    return s


def spontaneous_drop(seed: int, table: str) -> Script:
    """A misses; a ball that has hung over a pocket for more than five seconds falls by itself and is put back (GR-3.31); B plays on."""
    d = Drafter(table, np.random.default_rng([seed, 7]))
    layout = d.layout(4)
    hanger = str(d.rng.choice([b for b in layout if b not in ("cue", "9", d.lowest(layout))]))
    pocket = str(d.rng.choice(list(d.goals)))
    layout[hanger] = d.at_lip(pocket, d.rng.uniform(0.002, 0.006))
    s = Script("nine_ball", d, layout, _nine_state(d))

    def untouched(o: Outcome, simulation: Simulation) -> bool:
        return legal_miss(o, simulation) and not any(hanger in (e.get("a"), e.get("b")) for e in o.draft.events)

    s.play(need(s.find(s.towards("cue", _lowest(s), slow=0.6, fast=1.5), untouched, most=800)), ruling("B"))
    s.then(shooter="B")
    s.wait(5.5)
    place = s.layout[hanger].copy()
    s.drop(hanger, pocket)
    s.move("R", [(hanger, place)], "put back")
    s.play(need(s.find(s.towards("cue", _lowest(s), slow=0.6, fast=1.5), untouched, most=800)), ruling("A"))
    return s


SCRIPTS: dict[str, tuple[Callable[[int, str], Script], dict[str, int]]] = {
    "nine_ball_rack": (nine_ball_rack, {"wpa-9ft": 4, "wpa-8ft": 1, "home-8ft": 1, "bar-7ft": 1}),
    "three_fouls": (three_fouls, {"wpa-9ft": 2, "bar-7ft": 1}),
    "straight_rerack": (straight_over_a_rerack, {"wpa-9ft": 2, "wpa-8ft": 1}),
    "interference": (interference, {"wpa-9ft": 2}),
    "spontaneous_drop": (spontaneous_drop, {"wpa-9ft": 1, "home-8ft": 1}),
}
"""Name to its script and how many are made of it on each table."""
