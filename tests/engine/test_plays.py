"""Legal plays: the engine against the oracle, on positions of every kind, and against pinned counts.

Mirrored: the engine has no colours and no seats, only a mover, so a mirrored position is the same board
handed over through the other seat. A case is mirrored by giving its position to the opponent and back
(`swap` twice, by way of the Position IDs of both sides), where the plays must be those of the case; and by
leaving it with the opponent, who must then find the plays that the oracle gives him with the same dice. That
exchanged seats give exchanged results over whole games is in test_duel.py.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import oracle
import pytest
from cases import DATA, FAULTS, ROLLS, faults_board, read_side
from hypothesis import given
from hypothesis import strategies as st
from oracle.core import End, stage_ends

from tavla_ai import engine
from tavla_ai.errors import RulesetError
from tavla_ai.rules import Position, check_board, get_ruleset

RULES = json.loads((DATA / "rules.json").read_text())
FREE = ("north-sultan", "oyna-tavla", "portes")
VARIANTS = {"tavla": FREE, "tavla_nhr": ("traditional",)}
START = Position.start(get_ruleset("north-sultan")).board

Dice = tuple[int, int]


# The comparison


def oracle_position(board: np.ndarray) -> oracle.Position:
    me, opp = board.tolist()
    return tuple(me), tuple(opp)


def engine_board(position: oracle.Position) -> np.ndarray:
    return np.array(position, dtype=np.int8)


def oracle_ends(preset: str, board: np.ndarray, dice: Dice) -> list[End]:
    stage = (dice[0],) * 4 if dice[0] == dice[1] else dice
    return stage_ends(oracle.PRESETS[preset], oracle_position(board), stage)


def check_turn(preset: str, rules: engine.Rules, board: np.ndarray, dice: Dice) -> list[End]:
    """Compare the plays of one roll; returns the oracle's ends.

    The sets of afterstates are equal and free of repeats. Each witness is replayed with the oracle's single
    steps: it is a legal end, in an order of the dice that the oracle allows for it, and as long as the
    oracle's longest way there.
    """
    what = f"{preset}: board {board.tolist()}, dice {dice}"
    family = oracle.PRESETS[preset]
    ends = oracle_ends(preset, board, dice)
    longest: dict[oracle.Position, int] = {}
    for end in ends:
        longest[end.position] = max(len(end.steps), longest.get(end.position, 0))
    boards, steps, scores = engine.legal_plays(rules, board, *dice)
    afterstates = [oracle_position(after) for after in boards]
    assert set(afterstates) == set(longest), what
    assert len(afterstates) == len(longest), what
    expected = {end.position: engine.NO_SCORE if end.score is None else end.score for end in ends}
    assert dict(zip(afterstates, scores.tolist(), strict=True)) == expected, what

    allowed = {(end.position, end.order, len(end.steps)) for end in ends}
    after_steps: dict[tuple[Any, ...], dict[Any, Any]] = {}

    def replayed(order: tuple[int, ...], path: tuple[Any, ...]) -> Any:
        """The oracle's state after the steps with the dice in this order, None if one is illegal."""
        state = family.begin(oracle_position(board))
        for i, step in enumerate(path):
            key = (order, *path[:i])
            if key not in after_steps:
                after_steps[key] = dict(family.steps(state, order[i:]))
            if step not in after_steps[key]:
                return None
            state = after_steps[key][step]
        return state

    orders = {end.order for end in ends}
    for after, path in zip(afterstates, steps.tolist(), strict=True):
        played = tuple((source, target) for source, target in path if source >= 0)
        assert path[len(played) :] == [[-1, -1]] * (4 - len(played)), what
        assert len(played) == longest[after], f"{what}: {played} to {after}"
        assert any(
            (after, order, len(played)) in allowed
            and (state := replayed(order, played)) is not None
            and family.position(state) == after
            for order in orders
        ), f"{what}: {played} does not lead to {after}"
    return ends


def check_walk(preset: str, rules: engine.Rules, seed: int, num_turns: int) -> tuple[int, int]:
    """Compare every turn of random games; returns how many turns and afterstates those were."""
    turns = afterstates = game = 0
    while turns < num_turns:
        boards, dice = engine.random_walk(rules, seed, game, 10)
        game += 10
        for board, roll in zip(boards, dice.tolist(), strict=True):
            afterstates += len({end.position for end in check_turn(preset, rules, board, tuple(roll))})
        turns += len(boards)
    return turns, afterstates


# Positions that play does not easily reach


def scatter(rng: np.random.Generator, men: int, points: np.ndarray) -> np.ndarray:
    """Spread men over some of the points; the fewer points, the higher the piles."""
    counts = np.zeros(26, np.int8)
    if men and len(points):
        chosen = rng.permutation(points)[: rng.integers(1, len(points) + 1)]
        shares = rng.dirichlet(np.full(len(chosen), rng.choice([0.3, 1.0, 10.0])))
        counts[chosen] = rng.multinomial(men, shares)
    return counts


def random_board(rng: np.random.Generator, kind: int) -> np.ndarray:
    """A legal position that is not over, of one of `NUM_KINDS` kinds; it need not come from play."""
    me = np.zeros(26, np.int8)
    opp = np.zeros(26, np.int8)
    everywhere, home = np.arange(1, 25), np.arange(1, 7)
    if kind == 0:  # anything, with men on the bar and off
        me[25], opp[25] = rng.integers(0, 4, 2) * rng.integers(0, 2, 2)
        me[0] = rng.integers(0, 15 - me[25]) * rng.integers(0, 2)
        me += scatter(rng, 15 - me[25] - me[0], everywhere)
    elif kind == 1:  # bearing off against men in the home board
        me[0] = rng.integers(0, 15)
        me += scatter(rng, 15 - me[0], home)
    elif kind == 2:  # all home but a straggler or two
        me[0] = rng.integers(0, 13)
        stragglers = int(rng.integers(1, 3))
        me += scatter(rng, stragglers, np.array([7, 8, 9, 10, 11, 12, 25]))
        me += scatter(rng, 15 - me[0] - stragglers, home)
    elif kind == 3:  # about to hit at home, from outside and inside
        me += scatter(rng, 8, np.arange(5, 14))
        me += scatter(rng, 7, everywhere)
    elif kind == 4:  # a handful of men left
        men = int(rng.integers(1, 5))
        me[0] = 15 - men
        me += scatter(rng, men, np.arange(1, 10))
    else:  # on the bar, with some or all ways in closed
        me[25] = rng.integers(1, 5)
        opp[rng.permutation(home)[: rng.integers(2, 7)]] = 2
        me += scatter(rng, 15 - me[25], everywhere[opp[25 - everywhere] == 0])
    free = everywhere[me[25 - everywhere] == 0]
    at_my_home = free[free >= 19]
    blots = rng.permutation(at_my_home)[: rng.integers(0, len(at_my_home) + 1)][: (15 - opp.sum()) // 2]
    if kind != 0 and rng.random() < 0.7:
        opp[blots] = rng.choice([1, 1, 2], len(blots))
    left = 15 - int(opp.sum())
    opp[0] = rng.integers(0, left) if left > 1 and rng.random() < 0.5 else 0
    opp += scatter(rng, left - opp[0], free[free < 19] if kind and (free < 19).any() else free)
    opp[0] += 15 - opp.sum()
    return np.stack([me, opp])


NUM_KINDS = 6


def random_turns(seed: int, number: int) -> Iterator[tuple[np.ndarray, Dice]]:
    rng = np.random.default_rng(seed)
    made = 0
    while made < number:
        board = random_board(rng, made % NUM_KINDS)
        if (board[:, 0] < 15).all():
            made += 1
            yield board, (int(rng.integers(1, 7)), int(rng.integers(1, 7)))


def describe(ends: list[End], board: np.ndarray, dice: Dice) -> set[str]:
    """What a turn is an example of."""
    used = {len(end.steps) for end in ends}
    home = not board[0, 7:].any()
    found = {"pass"} if used == {0} else {"one die"} if used == {1} and dice[0] != dice[1] else set()
    if any(end.score is not None for end in ends):
        found.add("finish")
        if len(used) > 1:
            found.add("finish early or late")
    if dice[0] == dice[1] and used < {1, 2, 3}:
        found.add("part of a double")
    if home and any(end.position[1][25] > board[1, 25] for end in ends):
        found.add("hit while bearing off")
    if board[0, 25] > 1 and used != {0}:
        found.add("several from the bar")
    if any(end.position[1][25] > board[1, 25] + 2 for end in ends):
        found.add("three hits")
    return found


# Engine and oracle


def test_random_games(preset: str, rules: engine.Rules) -> None:
    turns, afterstates = check_walk(preset, rules, seed=1, num_turns=3000)
    assert turns >= 3000
    assert afterstates > 10 * turns


@pytest.mark.slow
def test_many_random_games(preset: str, rules: engine.Rules) -> None:
    seed = 1000 + sorted(oracle.PRESETS).index(preset)
    assert check_walk(preset, rules, seed, num_turns=200_000)[0] >= 200_000


def test_all_rolls_of_positions_from_play(preset: str, rules: engine.Rules) -> None:
    boards, _ = engine.random_walk(rules, 2, 0, 30)
    chosen = np.random.default_rng(2).choice(len(boards), 150, replace=False)
    for board in boards[chosen]:
        for high, low in ROLLS:
            ends = check_turn(preset, rules, board, (high, low))
            if high != low:
                swapped, _, _ = engine.legal_plays(rules, board, low, high)
                assert {oracle_position(after) for after in swapped} == {end.position for end in ends}


def check_positions_not_from_play(preset: str, rules: engine.Rules, seed: int, number: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for board, dice in random_turns(seed, number):
        ends = check_turn(preset, rules, board, dice)
        found.update(describe(ends, board, dice))
        if preset == "traditional":
            free = {end.position for end in oracle_ends("portes", board, dice)}
            legal = {end.position for end in ends}
            home = not board[0, 7:].any()
            found["larger die first"] += home and dice[0] != dice[1] and legal < free
            found["no hit and run"] += not home and legal != free
            found["no hit and run with a double"] += dice[0] == dice[1] and legal != free
            found["a shorter play"] += bool(legal - free)
    return found


def test_positions_not_from_play(preset: str, rules: engine.Rules) -> None:
    """Every kind of position, and among them enough of each rare turn to say that its rule was tried."""
    found = check_positions_not_from_play(preset, rules, seed=3, number=3000)
    wanted = {
        "pass": 100,
        "one die": 100,
        "finish": 100,
        "part of a double": 30,
        "hit while bearing off": 50,
        "several from the bar": 50,
        "three hits": 10,
    }
    if preset == "traditional":
        wanted |= {
            "larger die first": 50,
            "no hit and run": 100,
            "no hit and run with a double": 20,
            "a shorter play": 10,
        }
    else:
        wanted["finish early or late"] = 10
    assert {name: found[name] for name in wanted if found[name] < wanted[name]} == {}


@pytest.mark.slow
def test_many_positions_not_from_play(preset: str, rules: engine.Rules) -> None:
    check_positions_not_from_play(preset, rules, seed=4, number=100_000)


def test_count_plays_is_the_number_of_plays(rules: engine.Rules) -> None:
    boards, dice = engine.random_walk(rules, 5, 0, 20)
    expected = [
        len(engine.legal_plays(rules, board, *roll)[0]) for board, roll in zip(boards, dice.tolist(), strict=True)
    ]
    counts = engine.count_plays(rules, boards, dice)
    assert counts.dtype == np.int32
    np.testing.assert_array_equal(counts, expected)
    assert engine.count_plays(rules, boards[:0], dice[:0]).shape == (0,)


def test_plays_after_very_many_rolls(rules: engine.Rules) -> None:
    """Positions already met in a turn are told by a 16-bit stamp: it comes round, and its last user was a pass."""
    closed = np.zeros((2, 26), np.int8)
    closed[0, 25] = 15
    closed[1, :7] = 3, 2, 2, 2, 2, 2, 2
    for last in range(2**16 - 3, 2**16 + 2):
        boards = np.tile(closed, (last + 1, 1, 1))
        boards[0] = boards[last] = START
        dice = np.tile(np.array([3, 1], np.int8), (len(boards), 1))
        counts = engine.count_plays(rules, boards, dice)
        assert counts[0] == counts[last] == 16
        assert (counts[1:last] == 1).all()


def test_worst_known_position_fits(rules: engine.Rules) -> None:
    """Fifteen scattered men and 1-1: the most plays that a search found."""
    board = np.zeros((2, 26), np.int8)
    board[0, [24, 22, 21, 20, 18, 17, 16, 15, 13, 12, 11, 10, 8, 6, 4]] = 1
    board[1, 0] = 14
    board[1, 25] = 1
    boards, _, _ = engine.legal_plays(rules, board, 1, 1)
    assert 2000 < len(boards) <= engine.MAX_PLAYS
    assert len(np.unique(boards, axis=0)) == len(boards)
    check_turn("portes", rules, board, (1, 1))


# Perft


def oracle_perft(preset: str, position: oracle.Position, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(
        1 if depth == 1 else oracle_perft(preset, oracle.swap(after), depth - 1)
        for roll in ROLLS
        for after, turn in oracle.legal_turns(preset, position, roll).items()
        if depth == 1 or turn.score is None
    )


PERFT_2 = dict.fromkeys(FREE, 202_782) | {"traditional": 200_516}


def test_perft_from_the_start(preset: str, rules: engine.Rules) -> None:
    assert engine.perft(rules, START, 1) == oracle_perft(preset, oracle.start(preset), 1) == 447
    assert engine.perft(rules, START, 2) == PERFT_2[preset]


def test_perft_of_the_oracle_from_the_start() -> None:
    """In traditional tavla; test_oracle.py has the other number."""
    assert oracle_perft("traditional", oracle.start("traditional"), 2) == PERFT_2["traditional"]


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "nodes"), [("north-sultan", 116_154_993), ("traditional", 114_429_099)])
def test_perft_three_turns_deep(preset: str, nodes: int, rules_of: Callable[..., engine.Rules]) -> None:
    """The first number is also that of two independent engines, the second this engine's own."""
    assert engine.perft(rules_of(preset), START, 3) == nodes


def test_perft_stops_at_the_end_of_the_game(preset: str, rules: engine.Rules) -> None:
    rng = np.random.default_rng(6)
    for men, his_men in rng.integers(1, 4, (20, 2)):
        me, opp = (scatter(rng, number, np.arange(1, 13)) for number in (men, his_men))
        me[0], opp[0] = 15 - men, 15 - his_men
        board = np.stack([me, opp])
        assert engine.perft(rules, board, 2) == oracle_perft(preset, oracle_position(board), 2)


# Cases


def rules_board(case: dict[str, Any]) -> np.ndarray:
    off, bar = case.get("off", [0, 0]), case.get("bar", [0, 0])
    return np.stack([read_side(case[who], off[i], bar[i]) for i, who in enumerate(("me", "opp"))])


def plays(rules: engine.Rules, board: np.ndarray, dice: Dice) -> dict[oracle.Position, int]:
    """The afterstates and how many dice each uses."""
    boards, steps, _ = engine.legal_plays(rules, board, *dice)
    assert (boards.sum(axis=2) == 15).all()
    return {oracle_position(after): int((path[:, 0] >= 0).sum()) for after, path in zip(boards, steps, strict=True)}


def check_mirrored(preset: str, rules: engine.Rules, board: np.ndarray, dice: Dice) -> None:
    """See the module's docstring."""
    position = Position(board)
    handed_over = Position.from_id(position.swap().to_id()).swap()
    assert handed_over == Position.from_id(position.to_id()) == position
    assert plays(rules, handed_over.board, dice) == plays(rules, board, dice)
    if (position.board[:, 0] < 15).all():
        check_turn(preset, rules, position.swap().board, dice)


RULES_CASES = [
    pytest.param(preset, case, id=f"{case['id']}-{preset}")
    for case in RULES
    for preset in VARIANTS.get(case["variant"], ())
]


@pytest.mark.parametrize(("preset", "case"), RULES_CASES)
def test_rules_case(preset: str, case: dict[str, Any], rules_of: Callable[..., engine.Rules]) -> None:
    """Here a finished game counts as all dice used."""
    rules, board, dice = rules_of(preset), rules_board(case), tuple(case["dice"])
    if len(dice) == 4:
        assert len(set(dice)) == 1
    roll = dice[0], dice[1]
    expect = case["expect"]
    found = plays(rules, board, roll)
    assert len(found) == expect["n_afterstates"]
    used = {len(dice) if after[0][0] == 15 else steps for after, steps in found.items()}
    assert used == {expect["max_dice"]}
    if expect["afterstates"]:
        assert set(found) == {oracle_position(rules_board(after)) for after in expect["afterstates"]}
    ruleset = get_ruleset(preset)
    for after in expect["afterstates"]:
        assert Position(rules_board(after)).score(ruleset) == after.get("end")
    check_turn(preset, rules, board, roll)
    check_mirrored(preset, rules, board, roll)


def test_every_tavla_case_is_there() -> None:
    assert len(RULES_CASES) == 3 * 7 + 4
    assert len(MOVEGEN_CASES) == 3 * 12


MOVEGEN_CASES = [
    pytest.param(preset, case, id=f"{case['id']}-{preset}")
    for case in FAULTS
    if case["dice"] and "distinct_final_positions" in case["expectation"]
    for preset in FREE
]


@pytest.mark.parametrize(("preset", "case"), MOVEGEN_CASES)
def test_faults_movegen(preset: str, case: dict[str, Any], rules_of: Callable[..., engine.Rules]) -> None:
    """Here dice used are those of the physically longest sequence, finished or not."""
    rules, board, dice = rules_of(preset), faults_board(case["board"]), tuple(case["dice"])
    expect = case["expectation"]
    before = board.copy()
    found = plays(rules, board, dice)
    np.testing.assert_array_equal(board, before)  # generating leaves the position as it was
    assert len(found) == expect["distinct_final_positions"]
    if "max_dice_used" in expect:
        assert max(found.values()) == expect["max_dice_used"]
    if "final_positions" in expect:
        assert set(found) == {oracle_position(faults_board(final)) for final in expect["final_positions"]}
    for final in expect.get("must_not_contain", []):
        assert oracle_position(faults_board(final)) not in found
    if "points" in expect:
        scores = {Position(engine_board(after)).score(get_ruleset(preset)) for after in found}
        assert scores == {expect["points"]["tavla"]}
    if "finals_with_a_hit" in expect:
        assert sum(after[1][25] > board[1, 25] for after in found) == expect["finals_with_a_hit"]
    if "after_undo" in expect:
        np.testing.assert_array_equal(board, faults_board(expect["after_undo"]))
    check_turn(preset, rules, board, dice)
    check_mirrored(preset, rules, board, dice)


def fault(kind: str) -> dict[str, Any]:
    (case,) = (case for case in FAULTS if case["kind"] == kind)
    return case


def test_faults_hit_and_run(rules_of: Callable[..., engine.Rules]) -> None:
    case = fault("rules-variant")
    board, dice = faults_board(case["board"]), tuple(case["dice"])
    western, traditional = (case["expectation"][key] for key in ("same_moves_as_western", "no_hit_and_run_variant"))
    for preset in FREE:
        found = plays(rules_of(preset), board, dice)
        assert len(found) == western["distinct_final_positions"]
        assert oracle_position(faults_board(western["contains"])) in found
    found = plays(rules_of("traditional"), board, dice)
    assert oracle_position(faults_board(traditional["must_not_contain"])) not in found
    for preset in (*FREE, "traditional"):
        check_turn(preset, rules_of(preset), board, dice)
        check_mirrored(preset, rules_of(preset), board, dice)


def test_faults_start_counts(rules: engine.Rules) -> None:
    case = fault("movegen-count")
    board = faults_board(case["board"])
    np.testing.assert_array_equal(board, START)
    counts = {f"{low}{high}": len(plays(rules, board, (low, high))) for high, low in ROLLS}
    assert counts == case["expectation"]["distinct_final_positions_by_roll"]
    assert sum(counts.values()) == case["expectation"]["total_21"]


# Input that is refused

NAMED = {
    "16 checkers for me": "the mover has 16 checkers, expected 15",
    "both sides on the same point": "both sides stand on the mover's point 6",
    "13 checkers accounted for": "the mover has 13 checkers, expected 15",
    "negative count": "-1 .*on place 6, expected 0 to 15",
    "dice 0 or 7": "dice 0-7: expected two numbers from 1 to 6",
    "both sides already finished": "both sides have borne off all their checkers",
}


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(wrong, id=wrong["why"])
        for wrong in fault("input-validation")["expectation"]["reject_each"]
        # In an array place 0 is what is borne off; Position.from_sides refuses it as a point.
        if wrong["why"] != "point 0 or 25 used as a board point"
    ],
)
def test_faults_impossible_input(wrong: dict[str, Any], rules: engine.Rules) -> None:
    board, dice = faults_board(wrong["board"]), wrong.get("dice", [3, 1])
    with pytest.raises(RulesetError, match=NAMED[wrong["why"]]) as error:
        engine.legal_plays(rules, board, *dice)
    assert "\n" not in str(error.value)
    with pytest.raises(RulesetError, match=NAMED[wrong["why"]]):
        engine.count_plays(rules, board[None], np.array([dice], np.int8))


def test_refused_boards_name_the_side_the_place_and_the_count(rules: engine.Rules) -> None:
    def changed(row: int, counts: dict[int, int]) -> np.ndarray:
        board = START.copy()
        for place, count in counts.items():
            board[row, place] = count
        return board

    for board, message in (
        (changed(1, {8: -1}), "-1 checkers of the opponent on place 8"),
        (changed(0, {25: -128}), "-128 checkers of the mover on place 25"),
        (changed(0, {0: 16}), "16 checkers of the mover on place 0"),
        (changed(1, {6: 127}), "127 checkers of the opponent on place 6"),
        (changed(1, {8: 4}), "the opponent has 16 checkers"),
        (changed(0, {8: 2}), "the mover has 14 checkers"),
        (changed(0, {6: 4, 1: 1}), "both sides stand on the mover's point 1"),
    ):
        for refused in (
            lambda board: rules.check(board),
            lambda board: engine.legal_plays(rules, board, 3, 1),
            lambda board: engine.legal_stage(rules, board, [3, 1]),
            lambda board: engine.perft(rules, board, 1),
        ):
            with pytest.raises(RulesetError, match=message):
                refused(board)
        with pytest.raises(RulesetError):
            engine.count_plays(rules, np.stack([START, board]), np.full((2, 2), 3, np.int8))


@pytest.mark.parametrize("dice", [(0, 7), (7, 1), (1, 7), (0, 1), (1, 0), (-1, 3), (3, -6), (300, 1)])
def test_refused_dice_are_named(dice: Dice, rules: engine.Rules) -> None:
    with pytest.raises(RulesetError, match=f"dice {dice[0]}-{dice[1]}: expected two numbers from 1 to 6"):
        engine.legal_plays(rules, START, *dice)
    if max(dice) < 128:
        with pytest.raises(RulesetError, match=f"dice {dice[0]}-{dice[1]}"):
            engine.count_plays(rules, START[None], np.array([dice], np.int8))


@pytest.mark.parametrize("row", [0, 1])
def test_a_finished_game_has_no_plays(row: int, rules: engine.Rules) -> None:
    board = START.copy()
    board[row] = 0
    board[row, 0] = 15
    with pytest.raises(RulesetError, match="the game is over"):
        engine.legal_plays(rules, board, 3, 1)


@pytest.mark.parametrize("row", [0, 1])
def test_a_finished_game_is_not_counted(row: int, rules_of: Callable[..., engine.Rules]) -> None:
    rules = rules_of("portes")
    board = START.copy()
    board[row] = 0
    board[row, 0] = 15
    with pytest.raises(RulesetError, match="the game is over"):
        engine.count_plays(rules, board[None], np.array([[3, 1]], np.int8))
    with pytest.raises(RulesetError, match="the game is over"):
        engine.perft(rules, board, 1)


@pytest.mark.parametrize("board", [START[:, :25], START[:1], START[None], START.tolist(), None])
def test_boards_of_another_shape_are_refused(board: Any, rules: engine.Rules) -> None:
    with pytest.raises((TypeError, ValueError)):
        engine.legal_plays(rules, board, 3, 1)


@pytest.mark.parametrize(("dtype", "count"), [(np.int64, 5 + 256), (np.float32, 5.9)])
def test_counts_that_int8_cannot_hold_are_refused(
    dtype: type, count: float, rules_of: Callable[..., engine.Rules]
) -> None:
    rules = rules_of("portes")
    board = START.astype(dtype)
    board[0, 6] = count
    with pytest.raises((TypeError, RulesetError)):
        engine.legal_plays(rules, board, 3, 1)
    with pytest.raises((TypeError, RulesetError)):
        engine.count_plays(rules, START[None], np.array([[257, 2]]))


@given(
    side=st.integers(0, 1),
    changes=st.dictionaries(st.integers(0, 25), st.integers(-128, 127), min_size=1, max_size=4),
    dice=st.tuples(st.integers(1, 6), st.integers(1, 6)),
)
def test_what_is_not_refused_is_played(
    side: int, changes: dict[int, int], dice: Dice, rules_of: Callable[..., engine.Rules]
) -> None:
    """The engine takes a board exactly when `check_board` does, and then plays it as the oracle does."""
    ruleset = get_ruleset("traditional")
    board = START.copy()
    for place, count in changes.items():
        board[side, place] = count
    if (board >= 0).all() and board[side].sum(dtype=int) < 15:
        board[side, 0] += 15 - board[side].sum(dtype=int)
    rules = rules_of("traditional")
    try:
        check_board(board, ruleset)
    except RulesetError:
        with pytest.raises(RulesetError):
            engine.legal_plays(rules, board, *dice)
        return
    if (board[:, 0] == 15).any():
        return
    check_turn("traditional", rules, board, dice)
