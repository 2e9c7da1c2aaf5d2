"""Look-ahead in the engine against a plain one written here."""

from __future__ import annotations

import numpy as np
import pytest
from test_invariants import untrained

from tavla_ai import engine
from tavla_ai.errors import RulesetError
from tavla_ai.match import Utility
from tavla_ai.rulesets import Ruleset, get_ruleset

PRESETS = ("north-sultan", "traditional", "oyna-backgammon", "plakoto", "fevga", "tawula")
ROLLS = [(high, low, 1 if high == low else 2) for high in range(1, 7) for low in range(1, high + 1)]


def stakes(ruleset: Ruleset) -> tuple[np.ndarray, np.ndarray]:
    utility = Utility.points(ruleset)
    return np.array([utility.values], np.float32), np.array([utility.inputs], np.float32)


def plain_values(
    ruleset: Ruleset, network: engine.Network, board: np.ndarray, roll: tuple[int, int], ply: int
) -> np.ndarray:
    """The value of every play for the mover in points: every roll, every reply, nothing left out."""
    rules = engine.compile_rules(ruleset)
    values, inputs = stakes(ruleset)
    boards, _, scores = engine.legal_plays(rules, board, *roll)
    found = network.evaluate(boards, np.repeat(inputs, len(boards), axis=0)) @ values[0]
    for i, score in enumerate(scores):
        if score != engine.NO_SCORE:
            found[i] = score
        elif ply > 0:
            replies = sum(
                weight * plain_values(ruleset, network, boards[i, ::-1].copy(), (high, low), ply - 1).max()
                for high, low, weight in ROLLS
            )
            found[i] = -replies / 36
    return found


def late_positions(preset: str, count: int) -> list[tuple[np.ndarray, tuple[int, int]]]:
    """Positions near the end of random games, where plays are few and games may end within the search."""
    rules = engine.compile_rules(get_ruleset(preset))
    found = []
    for game in range(count):
        boards, dice = engine.random_walk(rules, 3, game, 1)
        first, second = dice[-2 - game].tolist()
        found.append((boards[-2 - game], (first, second)))
    return found


@pytest.mark.parametrize("preset", PRESETS)
def test_one_ply_is_the_expectation_over_the_best_replies(preset: str) -> None:
    ruleset = get_ruleset(preset)
    rules = engine.compile_rules(ruleset)
    network = untrained(preset, 4)
    values, inputs = stakes(ruleset)
    for board, (first, second) in late_positions(preset, 4):
        found, depths = engine.search_plays(network, rules, board, first, second, values, inputs, 1, 4000)
        assert (depths == 1).all()
        expected = plain_values(ruleset, network, board, (first, second), 1)
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_two_plies_are_the_expectation_over_one_ply_replies() -> None:
    ruleset = get_ruleset("north-sultan")
    rules = engine.compile_rules(ruleset)
    network = untrained("north-sultan", 4)
    values, inputs = stakes(ruleset)
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 6, 2]] = 13, 1, 1
    board[1, [0, 5, 3]] = 13, 1, 1
    found, depths = engine.search_plays(network, rules, board, 2, 1, values, inputs, 2, 4000)
    assert (depths == 2).all()
    np.testing.assert_allclose(found, plain_values(ruleset, network, board, (2, 1), 2), atol=1e-4)


def test_only_the_best_plays_are_looked_at() -> None:
    ruleset = get_ruleset("north-sultan")
    rules = engine.compile_rules(ruleset)
    network = untrained("north-sultan", 8)
    values, inputs = stakes(ruleset)
    board = rules.start()
    flat, _ = engine.search_plays(network, rules, board, 3, 1, values, inputs, 0, 1)
    found, depths = engine.search_plays(network, rules, board, 3, 1, values, inputs, 1, 3)
    assert set(np.nonzero(depths)[0]) == set(np.argsort(-flat, kind="stable")[:3])
    np.testing.assert_array_equal(found[depths == 0], flat[depths == 0])


def test_what_cannot_be_searched_is_refused() -> None:
    ruleset = get_ruleset("gul-bara")
    rules = engine.compile_rules(ruleset)
    network = untrained("gul-bara", 1)
    values, inputs = stakes(ruleset)
    with pytest.raises(RulesetError, match="only 0-ply"):
        engine.search_plays(network, rules, rules.start(), 3, 1, values, inputs, 1, 5)
    with pytest.raises(ValueError, match="ply"):
        engine.search_plays(network, rules, rules.start(), 3, 1, values, inputs, 9, 5)
