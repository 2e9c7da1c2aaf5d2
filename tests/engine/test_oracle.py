"""The oracle against the hand-made cases of rules.md §5 and properties that follow from the rules."""

from __future__ import annotations

import json
import random
from typing import Any

import oracle
import pytest
from cases import DATA, FAULTS, ROLLS
from oracle import GulBaraPosition, PlakotoPosition, Position, Side, TawulaPosition, gulbara, parallel
from oracle.core import RESERVE, stage_ends

RULES = json.loads((DATA / "rules.json").read_text())

VARIANTS = {
    "tavla": ("portes", "north-sultan", "oyna-tavla"),
    "tavla_nhr": ("traditional",),
    "bg": ("oyna-backgammon",),
    "plakoto": ("plakoto",),
    "plakoto_gr": ("plakoto-greek",),
    "fevga": ("fevga",),
    "fevga_noleave": ("fevga-noleave",),
    "gulbara": ("gul-bara",),
    "tawula": ("tawula",),
}
HITTING = {"portes", "north-sultan", "oyna-tavla", "traditional", "oyna-backgammon", "tawula"}
OPPOSED = HITTING - {"tawula"} | {"plakoto", "plakoto-greek"}
WALKED = [preset for preset in oracle.PRESETS if preset not in ("north-sultan", "oyna-tavla", "fevga-noleave")]


def read_side(men: dict[str, int], off: int, bar: int) -> Side:
    return oracle.side({int(point): count for point, count in men.items()} | {0: off, 25: bar})


def rules_position(preset: str, case: dict[str, Any]) -> Position:
    off, bar = case.get("off", [0, 0]), case.get("bar", [0, 0])
    me, opp = (read_side(case[who], off[i], bar[i]) for i, who in enumerate(("me", "opp")))
    if preset.startswith("plakoto"):
        pins = (tuple(sorted(case.get(pin, []))) for pin in ("pin_me", "pin_opp"))
        return PlakotoPosition(me, opp, *pins)
    if preset == "tawula":
        return TawulaPosition(me, opp, *case.get("res", [0, 0]))
    return me, opp


def fault_position(board: dict[str, Any]) -> Position:
    """The faults count both sides' points in my numbering."""
    opp = {str(25 - int(point)): count for point, count in board["opp"].items()}
    return (
        read_side(board["me"], board["off_me"], board["bar_me"]),
        read_side(opp, board["off_opp"], board["bar_opp"]),
    )


def replay(preset: str, position: Position, steps: list[Any]) -> Position:
    """The steps put on the board by hand: men, hits and the reserve, no pins and no legality."""
    me, opp = list(position[0]), list(position[1])
    other = (lambda q: 25 - q) if preset in OPPOSED else parallel.cross
    for source, target in steps:
        if source != RESERVE:
            me[source] -= 1
        me[target] += 1
        if target and opp[other(target)] == 1 and preset in HITTING:
            opp[other(target)] -= 1
            opp[25] += 1
    return tuple(me), tuple(opp)


@pytest.mark.parametrize(
    ("preset", "case"),
    [pytest.param(preset, case, id=f"{case['id']}-{preset}") for case in RULES for preset in VARIANTS[case["variant"]]],
)
def test_rules_case(preset: str, case: dict[str, Any]) -> None:
    position = rules_position(preset, case)
    dice = case["dice"]
    turns = oracle.stage_turns(preset, position, dice)
    expect = case["expect"]
    assert len(turns) == expect["n_afterstates"]
    used = {turn.dice_used if turn.score is None else len(dice) for turn in turns.values()}
    assert used == {expect["max_dice"]}
    if expect["afterstates"]:
        wanted = {rules_position(preset, after): after.get("end") for after in expect["afterstates"]}
        assert {after: turn.score for after, turn in turns.items()} == wanted
    for after in expect["afterstates"]:
        assert rules_position(preset, after)[:2] == replay(preset, position, after["moves"])


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case["id"])
        for case in FAULTS
        if case["dice"] and "distinct_final_positions" in case["expectation"]
    ],
)
def test_faults_movegen(case: dict[str, Any]) -> None:
    position = fault_position(case["board"])
    turns = oracle.legal_turns("portes", position, tuple(case["dice"]))
    expect = case["expectation"]
    assert len(turns) == expect["distinct_final_positions"]
    if "max_dice_used" in expect:
        assert {turn.dice_used for turn in turns.values()} == {expect["max_dice_used"]}
    if "final_positions" in expect:
        assert set(turns) == {fault_position(final) for final in expect["final_positions"]}
    for final in expect.get("must_not_contain", []):
        assert fault_position(final) not in turns
    for house, points in expect.get("points", {}).items():
        preset = {"tavla": "portes", "backgammon": "oyna-backgammon"}[house]
        assert {t.score for t in oracle.legal_turns(preset, position, case["dice"]).values()} == {points}
    if "finals_with_a_hit" in expect:
        assert sum(after[1][25] > position[1][25] for after in turns) == expect["finals_with_a_hit"]


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in FAULTS if c["kind"] == "rules-variant"])
def test_faults_rules_variant(case: dict[str, Any]) -> None:
    position, dice = fault_position(case["board"]), case["dice"]
    western, traditional = (case["expectation"][key] for key in ("same_moves_as_western", "no_hit_and_run_variant"))
    free = oracle.legal_turns("portes", position, dice)
    assert len(free) == western["distinct_final_positions"]
    assert fault_position(western["contains"]) in free
    forbidden = fault_position(traditional["must_not_contain"])
    assert forbidden not in oracle.legal_turns("traditional", position, dice)


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in FAULTS if c["kind"] == "scoring"])
def test_faults_scoring(case: dict[str, Any]) -> None:
    position = fault_position(case["board"])
    for house, points in case["expectation"]["points"].items():
        preset = {"tavla": "portes", "backgammon": "oyna-backgammon"}[house]
        assert oracle.score(preset, position) == points
        assert oracle.score(preset, oracle.swap(position)) == -points


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in FAULTS if c["kind"] == "movegen-count"])
def test_faults_counts(case: dict[str, Any]) -> None:
    position = fault_position(case["board"])
    assert position == oracle.start("portes")
    expect = case["expectation"]
    counts = {f"{low}{high}": len(oracle.legal_turns("portes", position, (low, high))) for high, low in ROLLS}
    assert counts == expect["distinct_final_positions_by_roll"]
    assert sum(counts.values()) == expect["total_21"]


def test_faults_impossible_input() -> None:
    """Wrong counts of men, finished games and impossible dice; the two sides' overlap is not looked at."""
    case = next(case for case in FAULTS if case["kind"] == "input-validation")
    start = oracle.start("portes")
    for wrong in case["expectation"]["reject_each"]:
        if wrong["why"] in (
            "both sides on the same point",
            "negative count",
            "point 0 or 25 used as a board point",
        ):
            continue
        with pytest.raises(ValueError, match=r"wanted|stage|over"):
            oracle.legal_turns("portes", fault_position(wrong["board"]), wrong.get("dice", [3, 1]))
    for dice in ((0, 7), (1, 2, 3), (), (5, 5, 4)):
        with pytest.raises(ValueError, match="no stage"):
            oracle.stage_turns("portes", start, dice)


def perft(preset: str, position: Position, depth: int) -> int:
    """Afterstates of all 21 rolls, `depth` turns deep."""
    total = 0
    for roll in ROLLS:
        turns = oracle.legal_turns(preset, position, roll)
        total += (
            len(turns)
            if depth == 1
            else sum(
                perft(preset, oracle.swap(after), depth - 1) for after, turn in turns.items() if turn.score is None
            )
        )
    return total


def test_perft_tavla() -> None:
    assert perft("portes", oracle.start("portes"), 1) == 447
    assert perft("portes", oracle.start("portes"), 2) == 202_782


@pytest.mark.parametrize("preset", WALKED)
def test_random_games(preset: str) -> None:
    """Men are conserved, witnesses lead where they say, dice use is even, and games end with a score."""
    rng = random.Random(preset)
    finished = 0
    for _ in range(3):
        position = oracle.start(preset)
        for _ in range(400):
            roll = rng.randint(1, 6), rng.randint(1, 6)
            rolls = position.rolls_me if preset == "gul-bara" else 0
            if rolls >= 3 and roll[0] == roll[1] < 6:
                continue
            turns = oracle.legal_turns(preset, position, roll)
            assert turns
            for after, turn in turns.items():
                assert len(turn.steps) == turn.dice_used
                assert replay(preset, position, turn.steps) == after[:2]
                assert oracle.swap(oracle.swap(after)) == after
                assert turn.score == oracle.score(preset, after)
            if preset != "gul-bara":
                going = {turn.dice_used for turn in turns.values() if turn.score is None}
                assert len(going) <= 1
                if turns.keys() == {position}:
                    assert turns[position] == oracle.Turn([], 0, None)
            after = rng.choice(list(turns))
            if turns[after].score is not None:
                finished += 1
                assert oracle.score(preset, oracle.swap(after)) == -turns[after].score
                break
            position = oracle.swap(after)
    assert finished


def test_larger_first_is_least_waste() -> None:
    """§2 a': in a bear-off with all men home it is the same as wasting the fewest pips."""
    rng = random.Random(1)
    differ = 0
    for _ in range(1500):
        men = [rng.randint(1, 6) for _ in range(rng.randint(1, 12))]
        me = oracle.side({point: men.count(point) for point in range(1, 7)} | {0: 15 - len(men)})
        position = me, oracle.side({1: 15})
        high, low = sorted(rng.sample(range(1, 7), 2), reverse=True)
        free: dict[Position, int] = {}
        for end in stage_ends(oracle.PRESETS["portes"], position, (high, low)):
            pips = sum(int(source) - target for source, target in end.steps)
            wasted = sum(end.order[: len(end.steps)]) - pips
            free[end.position] = min(free.get(end.position, wasted), wasted)
        least = {after for after, wasted in free.items() if wasted == min(free.values())}
        legal = set(oracle.legal_turns("traditional", position, (high, low)))
        assert legal == least
        differ += legal != set(free)
    assert differ > 100


def test_gul_bara_stages_of_roll() -> None:
    """§4 and §2 b: what a cascade is made of."""
    fours = {die: (die,) * 4 for die in range(1, 7)}
    assert gulbara.stages_of_roll((2, 2), 4) == tuple(fours[die] for die in (2, 3, 4, 5, 6))
    assert gulbara.stages_of_roll((2, 2), 3) == (fours[2],)
    assert gulbara.stages_of_roll((3, 5), 9) == ((5, 3),)
    sizes = {}
    for die in range(1, 7):
        stages = gulbara.stages_of_roll((die, die), 4)
        sizes[die] = sum(map(len, stages)), sum(map(sum, stages))
    assert sizes == {1: (24, 84), 2: (20, 80), 3: (16, 72), 4: (12, 60), 5: (8, 44), 6: (4, 24)}


def gul_case(case_id: str, **fields: Any) -> GulBaraPosition:
    case = next(case for case in RULES if case["id"] == case_id)
    return GulBaraPosition(*rules_position("gul-bara", case), **fields)


def test_gul_bara_what_passes_on() -> None:
    """GUL3 and GUL4 as the fourth own roll: the rest of the stage and all later stages pass."""
    sixes = (6,) * 4
    (after,) = oracle.legal_turns("gul-bara", gul_case("GUL3-stage55-partial", rolls_me=3), (5, 5))
    assert after.passed_opp == ((5, 5, 5), sixes)
    assert oracle.swap(after).passed_me == after.passed_opp
    (after,) = oracle.legal_turns("gul-bara", gul_case("GUL4-unstarted", rolls_me=3), (5, 5))
    assert after.passed_opp == ((5,) * 4, sixes)
    (after,) = oracle.legal_turns("gul-bara", gul_case("GUL4-unstarted", rolls_me=2), (5, 5))
    assert after.passed_opp == ((5,) * 4,)
    assert after.rolls_me == 3


def test_gul_bara_passed_dice_are_played_before_the_roll() -> None:
    """Unplayable passed dice are lost, later passed stages still played, and a win needs no roll."""
    won = gul_case("GUL3c-passed-6666-wins", passed_me=((6,) * 4,), rolls_me=2)
    (after,) = oracle.legal_turns("gul-bara", won, (2, 1))
    assert (after.me[0], after.rolls_me, after.passed_me) == (15, 2, ())
    blocked = gul_case("GUL4-unstarted", passed_me=((5, 5), (3,)))
    assert set(gulbara.play_passed(blocked)) == {
        blocked._replace(me=oracle.side({0: 14, 21: 1}), passed_me=()),
    }


def test_gul_bara_two_unplayed_dice_pass_as_one_stage() -> None:
    position = GulBaraPosition(oracle.side({0: 14, 24: 1}), oracle.side({0: 13, 7: 1, 8: 1}))
    (after,) = oracle.legal_turns("gul-bara", position, (4, 5))
    assert after.passed_opp == ((5, 4),)
    position = GulBaraPosition(oracle.side({0: 14, 24: 1}), oracle.side({0: 13, 8: 1, 3: 1}))
    (after,) = oracle.legal_turns("gul-bara", position, (4, 5))
    assert (after.me[19], after.passed_opp) == (1, ((4,),))


def test_greek_plakoto_pinned_man_stops_the_bear_off() -> None:
    case = next(case for case in RULES if case["id"].startswith("PLK5"))
    position = rules_position("plakoto", case)
    assert not any(after[0][0] > position[0][0] for after in oracle.legal_turns("plakoto-greek", position, (6, 3)))


def test_plakoto_pin_lifts_when_the_last_man_leaves() -> None:
    men = {10: 2, 1: 13}
    position = PlakotoPosition(oracle.side(men), oracle.side({15: 1, 24: 14}), (), (15,))
    (both,) = [after for after in oracle.legal_turns("plakoto", position, (4, 2)) if not after.me[10]]
    assert both.pin_opp == ()
    assert all(after.pin_opp == (15,) for after in oracle.legal_turns("plakoto", position, (4, 2)) if after.me[10])


def test_tawula_bar_enters_on_the_own_start_only() -> None:
    """§2 e: a bar man may join the own men on 24, on no other point of the starting table."""
    position = TawulaPosition(oracle.side({25: 1, 24: 2, 20: 1, 13: 11}), oracle.side({24: 2}), 0, 13)
    turns = oracle.stage_turns("tawula", position, (1,))
    assert {tuple(turn.steps) for turn in turns.values()} == {((25, 24),)}
    assert set(oracle.stage_turns("tawula", position, (5,))) == {position}


def test_tawula_hit_may_not_shut_the_starting_table() -> None:
    """§2 e: a turn that hits him there may not close all six points; one that does not hit may."""
    me = oracle.side({13: 2, 12: 2, 11: 2, 10: 2, 9: 2, 8: 2, 1: 3})
    closed = oracle.side({12: 2, 11: 2, 10: 2, 9: 2, 8: 2, 7: 2, 1: 3})
    assert parallel.cross(19) == 7
    hit = TawulaPosition(me, oracle.side({19: 1, 1: 14}))
    turns = oracle.stage_turns("tawula", hit, (6, 6))
    assert any(after.opp[25] for after in turns)
    assert all(after.me != closed for after in turns)
    no_hit = TawulaPosition(me, oracle.side({25: 1, 1: 14}))
    assert any(after.me == closed for after in oracle.stage_turns("tawula", no_hit, (6, 6)))


def test_tawula_starters_stay_while_there_is_a_reserve() -> None:
    """§2 e: with no die that enters, ordinary men move, the two starters do not."""
    position = TawulaPosition(oracle.side({24: 2, 21: 1, 13: 11}), oracle.side({24: 2}), 1, 13)
    (after,) = {after for after in oracle.stage_turns("tawula", position, (4,)) if after.me[13] == 11}
    assert after.me[17] == 1
    assert all(after.me[24] == 2 for after in oracle.stage_turns("tawula", position, (4,)))
