"""Legal plays of every other game: the engine against the oracle, in play and on the handed cases."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import oracle
import pytest
from cases import DATA
from oracle.core import stage_ends
from oracle.gulbara import GulBaraPosition, play_passed, stages_of_roll
from oracle.plakoto import PlakotoPosition
from oracle.tawula import TawulaPosition

from tavla_ai import engine
from tavla_ai.errors import RulesetError
from tavla_ai.rules import Position, compile_rules, get_ruleset

RULES = json.loads((DATA / "rules.json").read_text())
PRESETS = ("oyna-backgammon", "plakoto", "plakoto-greek", "fevga", "gul-bara", "tawula")
VARIANTS = {
    "bg": "oyna-backgammon",
    "plakoto": "plakoto",
    "plakoto_gr": "plakoto-greek",
    "fevga": "fevga",
    "fevga_noleave": "fevga-noleave",
    "gulbara": "gul-bara",
    "tawula": "tawula",
}
RESERVE = 26
PINNED = 25


def rules_of(preset: str) -> engine.Rules:
    if preset == "fevga-noleave":
        return compile_rules(get_ruleset("fevga").model_copy(update={"leave_a_move": False}))
    return compile_rules(get_ruleset(preset))


def oracle_position(preset: str, board: Any) -> oracle.Position:
    """The oracle's form of a board; Gul Bara's stages know the two sides only."""
    me, opp = (tuple(side[:26]) for side in board.tolist())
    if preset.startswith("plakoto"):
        pins = [tuple(p for p in range(1, 25) if side[PINNED + p]) for side in board.tolist()]
        return PlakotoPosition(me, opp, *pins)
    if preset == "tawula":
        return TawulaPosition(me, opp, int(board[0][RESERVE]), int(board[1][RESERVE]))
    return me, opp


def engine_board(preset: str, position: oracle.Position) -> np.ndarray:
    board = np.zeros((2, rules_of(preset).num_places), np.int8)
    board[:, :26] = position[:2]
    if preset.startswith("plakoto"):
        for side, pins in enumerate(position[2:]):
            for point in pins:
                board[side, PINNED + point] = 1
    if preset == "tawula":
        board[:, RESERVE] = position[2:]
    return board


def check_stage(preset: str, rules: engine.Rules, board: np.ndarray, dice: tuple[int, ...]) -> None:
    """The afterstates, their scores and the number of dice they used are the oracle's."""
    what = f"{preset}: {board.tolist()} {dice}"
    ends = stage_ends(oracle.PRESETS[preset], oracle_position(preset, board), dice)
    expected = {end.position: end.score for end in ends}
    longest: dict[oracle.Position, int] = {}
    for end in ends:
        longest[end.position] = max(longest.get(end.position, 0), len(end.steps))
    boards, steps, scores = engine.legal_stage(rules, board, list(dice))
    found = {
        oracle_position(preset, after): None if score == engine.NO_SCORE else int(score)
        for after, score in zip(boards, scores, strict=True)
    }
    assert len(found) == len(boards), what
    assert found == expected, what
    for after, path in zip(boards, steps, strict=True):
        assert (path[:, 0] >= 0).sum() == longest[oracle_position(preset, after)], what
        rules.check(after)


def stage_of(roll: Any) -> tuple[int, ...]:
    first, second = sorted(map(int, roll), reverse=True)
    return (first,) * 4 if first == second else (first, second)


def check_games(preset: str, seed: int, turns: int) -> None:
    rules = rules_of(preset)
    checked = 0
    game = 0
    while checked < turns:
        boards, dice = engine.random_walk(rules, seed, game, 5)
        for board, roll in zip(boards, dice, strict=True):
            check_stage(preset, rules, board, stage_of(roll))
        checked += len(boards)
        game += 5


@pytest.mark.parametrize("preset", PRESETS)
def test_games_of_random_play(preset: str) -> None:
    check_games(preset, seed=7, turns=3000)


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_many_games_of_random_play(preset: str) -> None:
    check_games(preset, seed=8, turns=100_000)


def scattered(preset: str, rng: np.random.Generator) -> np.ndarray:
    """A random legal board that need not come from play: crowded or thin, with men off, on the bar or waiting."""
    rules = rules_of(preset)
    while True:
        board = np.zeros((2, rules.num_places), np.int8)
        # Whole boards, far ends and bear-offs, so that every rule of the end of the game is met.
        low, high = [(1, 24), (1, 24), (1, 12), (1, 6), (13, 24)][rng.integers(5)]
        for side in board:
            waiting = int(rng.integers(14)) if preset == "tawula" and rng.random() < 0.5 else 0
            barred = int(rng.integers(3)) if preset in ("tawula", "oyna-backgammon") and rng.random() < 0.3 else 0
            off = int(rng.integers(15 - waiting - barred)) if waiting == 0 and rng.random() < 0.5 else 0
            if waiting:
                side[RESERVE] = waiting
            side[0], side[25] = off, barred
            points = rng.choice(
                np.arange(low, high + 1), size=min(high - low + 1, int(rng.integers(2, 9))), replace=False
            )
            for point in rng.choice(points, size=15 - waiting - barred - off):
                side[point] += 1
            if preset == "gul-bara":
                side[26] = rng.integers(4)
        if preset.startswith("plakoto"):
            for point in range(1, 25):
                mine, theirs = board[0, point], board[1, 25 - point]
                if mine and theirs and (mine == 1 or theirs == 1):
                    pinned = int(rng.integers(2)) if mine == theirs == 1 else int(mine > 1)
                    board[pinned, PINNED + (25 - point if pinned else point)] = 1
        try:
            rules.check(board)
            rules.check(board[::-1].copy())
        except RulesetError:
            continue
        if oracle.score(preset, oracle_position(preset, board)) is None:
            return board


def check_scattered(preset: str, seed: int, count: int) -> None:
    rules = rules_of(preset)
    rng = np.random.default_rng(seed)
    for _ in range(count):
        board = scattered(preset, rng)
        dice = stage_of(rng.integers(1, 7, size=2))
        # Both seats: whoever is to move, the plays are the oracle's.
        check_stage(preset, rules, board, dice)
        check_stage(preset, rules, board[::-1].copy(), dice)


@pytest.mark.parametrize("preset", PRESETS)
def test_positions_not_from_play(preset: str) -> None:
    check_scattered(preset, seed=5, count=500)


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_many_positions_not_from_play(preset: str) -> None:
    check_scattered(preset, seed=6, count=20_000)


def ending_within_a_turn(preset: str, rng: np.random.Generator) -> np.ndarray:
    """A random board on which the mover's next steps can end the game before all dice are played."""
    rules = rules_of(preset)
    while True:
        board = np.zeros((2, rules.num_places), np.int8)
        me, opp = board
        men = int(rng.integers(1, 6))
        for point in rng.integers(1, 13, size=men):
            me[point] += 1
        if preset == "tawula":  # a capote: 14 of the opponent's checkers home, one to hit or on the bar
            me[0] = 15 - men
            for point in rng.integers(1, 7, size=14):
                opp[point] += 1
            opp[rng.choice([25, *range(1, 25)])] += 1
        else:  # the opponent's mother to be pinned, mine alone, pinned or gone
            me[rng.integers(7, 25)] += 15 - men
            opp[24] = 1
            for point in rng.integers(1, 24, size=14):
                opp[point] += 1
            for point in range(1, 25):
                mine, theirs = me[point], opp[25 - point]
                if mine and theirs and (mine == 1 or theirs == 1):
                    pinned = int(rng.integers(2)) if mine == theirs == 1 else int(mine > 1)
                    board[pinned, PINNED + (25 - point if pinned else point)] = 1
        try:
            rules.check(board)
        except RulesetError:
            continue
        if oracle.score(preset, oracle_position(preset, board)) is None:
            return board


@pytest.mark.parametrize("preset", ["tawula", "plakoto", "plakoto-greek"])
def test_turns_that_end_the_game_between_steps(preset: str) -> None:
    """Every order of the steps counts where a step can end the game: a double's canonical order would miss some."""
    rules = rules_of(preset)
    rng = np.random.default_rng(11)
    ended_early = 0
    for _ in range(1000):
        board = ending_within_a_turn(preset, rng)
        die = int(rng.integers(1, 7))
        dice = (die,) * 4 if rng.random() < 0.7 else stage_of(rng.integers(1, 7, size=2))
        check_stage(preset, rules, board, dice)
        _, steps, scores = engine.legal_stage(rules, board, list(dice))
        ended_early += any(
            score != engine.NO_SCORE and (path[:, 0] >= 0).sum() < len(dice)
            for path, score in zip(steps, scores, strict=True)
        )
    assert ended_early > 20, ended_early


@pytest.mark.parametrize(
    ("text", "die", "expected"),
    [("3:1 2:2 off:12 / 13:1 1:14", 2, 3), ("6:1 4:1 2:1 off:12 / 15:1 1:14", 1, 9)],
)
def test_a_capote_after_any_number_of_steps(text: str, die: int, expected: int) -> None:
    position = Position.from_text(text, get_ruleset("tawula"))
    boards, _, scores = engine.legal_plays(rules_of("tawula"), position.board, die, die)
    assert len(boards) == expected
    assert (scores == 7).sum() == expected - (die == 1)


def case_position(preset: str, data: dict[str, Any]) -> oracle.Position:
    off = data.get("off", [0, 0])
    bar = data.get("bar", [0, 0])
    sides = []
    for index, name in enumerate(("me", "opp")):
        counts = {int(point): count for point, count in data.get(name, {}).items()}
        sides.append(oracle.side({**counts, 0: off[index], 25: bar[index]}))
    if preset.startswith("plakoto"):
        return PlakotoPosition(*sides, *(tuple(data.get(key, ())) for key in ("pin_me", "pin_opp")))
    if preset == "tawula":
        return TawulaPosition(*sides, *data.get("res", [0, 0]))
    return sides[0], sides[1]


@pytest.mark.parametrize("case", [case for case in RULES if case["variant"] in VARIANTS], ids=lambda case: case["id"])
def test_handed_case(case: dict[str, Any]) -> None:
    preset = VARIANTS[case["variant"]]
    rules = rules_of(preset)
    position = case_position(preset, case)
    # Mirrored: handed over to the opponent and back, the position is the same to its mover.
    for board in (engine_board(preset, position), engine_board(preset, oracle.swap(oracle.swap(position)))):
        dice = case["dice"]
        boards, steps, scores = engine.legal_stage(rules, board, dice)
        assert len(boards) == case["expect"]["n_afterstates"]
        over = (scores != engine.NO_SCORE).any()
        most = len(dice) if over else (steps[:, :, 0] >= 0).sum(axis=1).max()
        assert most == case["expect"]["max_dice"]
        found = {
            oracle_position(preset, after): None if score == engine.NO_SCORE else int(score)
            for after, score in zip(boards, scores, strict=True)
        }
        for after in case["expect"]["afterstates"]:
            assert found[case_position(preset, after)] == after.get("end")


@pytest.mark.parametrize(
    ("preset", "changes", "fragment"),
    [
        ("fevga", {(0, 25): 1, (0, 24): 14}, "bar"),
        ("fevga", {(0, 24): 14, (0, 12): 1}, "both sides stand on the mover's point 12"),
        ("plakoto", {(0, PINNED + 24): 1}, "pinned with no opponent over it on the mover's point 24"),
        ("plakoto", {(0, 24): 14, (0, 1): 1}, "not exactly one is pinned"),
        ("tawula", {(0, RESERVE): 14, (0, 24): 1}, "14 checkers in reserve"),
        ("gul-bara", {(0, 26): 4}, "4 own rolls"),
        ("gul-bara", {(0, 24): 14}, "14 checkers"),
    ],
)
def test_an_impossible_board_is_refused(preset: str, changes: dict[tuple[int, int], int], fragment: str) -> None:
    rules = rules_of(preset)
    board = rules.start()
    for place, count in changes.items():
        board[place] = count
    with pytest.raises(RulesetError, match=fragment):
        rules.check(board)
    with pytest.raises(RulesetError, match=fragment):
        engine.legal_plays(rules, board, 3, 1)


# Whole turns of Gul Bara


def gul_bara_position(board: np.ndarray, passed_me: Any = (), passed_opp: Any = ()) -> GulBaraPosition:
    me, opp = board.tolist()
    stages = (tuple(tuple(stage) for stage in passed) for passed in (passed_me, passed_opp))
    return GulBaraPosition(tuple(me[:26]), tuple(opp[:26]), me[26], opp[26], *stages)


@pytest.mark.parametrize("seed", range(4))
def test_gul_bara_turns_are_played_and_passed_on_as_the_rules_say(seed: int) -> None:
    """Passed stages first, then the roll with its cascade; what stays unplayed passes on."""
    rules = rules_of("gul-bara")
    passed = cascades = 0
    for game in range(12):
        for turn in engine.random_turns(rules, seed, game):
            before = gul_bara_position(turn["before"][0], turn["passed"])
            after = gul_bara_position(turn["after"][0], (), turn["passed_on"])
            passed += bool(turn["passed"])
            num_stages = len(turn["passed"])
            if turn["dice"] != (0, 0):
                rolled = len(stages_of_roll(turn["dice"], before.rolls_me + 1))
                cascades += rolled > 1
                num_stages += rolled
            # A long cascade has tens of thousands of ends; its stages are checked one by one elsewhere.
            if num_stages > 2:
                continue
            if turn["dice"] == (0, 0):
                assert play_passed(before)[after].score == turn["score"]
                continue
            turns = oracle.legal_turns("gul-bara", before, turn["dice"])
            assert after in turns, f"{turn}"
            score = turns[after].score
            assert turn["score"] == (engine.NO_SCORE if score is None else score)
    assert passed > 10
    assert cascades > 5


@pytest.mark.parametrize(("own_roll", "expected"), [(3, 1), (4, 5)])
def test_a_double_cascades_from_the_fourth_own_roll_on(own_roll: int, expected: int) -> None:
    assert len(stages_of_roll((2, 2), own_roll)) == expected
    rules = rules_of("gul-bara")
    for game in range(200):
        for turn in engine.random_turns(rules, 3, game):
            rolled, count = turn["dice"], int(turn["before"][0][0, 26])
            if rolled != (2, 2) or count + 1 != min(own_roll, 4) or not turn["passed_on"]:
                continue
            # The first stage not completed passes with all later ones.
            first = turn["passed_on"][0][0]
            assert len(turn["passed_on"]) == (6 - first + 1 if own_roll >= 4 else 1)


@pytest.mark.parametrize(
    ("preset", "me", "opp"),
    [
        # All off; his mother pinned and my start empty; both mothers pinned; capote.
        ("fevga", {0: 15}, {24: 15}),
        ("plakoto", {1: 1, 20: 14}, {24: 1, 10: 14, PINNED + 24: 1}),
        ("plakoto", {1: 1, 24: 1, 20: 13, PINNED + 24: 1}, {24: 1, 1: 1, 10: 13, PINNED + 24: 1}),
        ("tawula", {0: 1, 6: 14}, {25: 1, 1: 14}),
    ],
)
def test_a_game_that_is_over_is_not_played_on(preset: str, me: dict[int, int], opp: dict[int, int]) -> None:
    rules = rules_of(preset)
    board = np.zeros((2, rules.num_places), np.int8)
    for side, counts in enumerate((me, opp)):
        for place, count in counts.items():
            board[side, place] = count
    for seen in (board, board[::-1].copy()):
        with pytest.raises(RulesetError, match="the game is over"):
            engine.legal_plays(rules, seen, 3, 1)
