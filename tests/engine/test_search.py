"""Look-ahead in the engine against a plain one written here."""

from __future__ import annotations

import numpy as np
import pytest
from network_reference import possible
from networks import untrained

from tavla_ai import engine
from tavla_ai.errors import RulesetError
from tavla_ai.match import utilities
from tavla_ai.rules import ROLLS, Ruleset, compile_rules, get_ruleset

PRESETS = ("north-sultan", "traditional", "oyna-backgammon", "plakoto", "fevga", "tawula")


def stakes(ruleset: Ruleset) -> tuple[np.ndarray, np.ndarray]:
    return utilities(ruleset, None)


def search(
    ruleset: Ruleset,
    network: engine.Network,
    board: np.ndarray,
    roll: tuple[int, int],
    ply: int,
    keep: int = 4000,
    replies: int = 4000,
    **options: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    searcher = engine.Searcher(
        compile_rules(ruleset), network, root=[(keep, 0, 0.0)], replies=(replies, 0, 0.0), **options
    )
    return searcher.rank(board, *roll, *stakes(ruleset), ply)


def plain_values(
    ruleset: Ruleset, network: engine.Network, board: np.ndarray, roll: tuple[int, int], ply: int
) -> np.ndarray:
    """The value of every play for the mover in points: every roll, every reply, nothing left out."""
    rules = compile_rules(ruleset)
    values, inputs = stakes(ruleset)
    boards, _, scores = engine.legal_plays(rules, board, *roll)
    found = possible(ruleset, boards, network.evaluate(boards, np.repeat(inputs, len(boards), axis=0))) @ values[0]
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
    rules = compile_rules(get_ruleset(preset))
    found = []
    for game in range(count):
        boards, dice = engine.random_walk(rules, 3, game, 1)
        first, second = dice[-2 - game].tolist()
        found.append((boards[-2 - game], (first, second)))
    return found


@pytest.mark.parametrize("preset", PRESETS)
def test_one_ply_is_the_expectation_over_the_best_replies(preset: str) -> None:
    ruleset = get_ruleset(preset)
    network = untrained(preset, 4)
    values, _ = stakes(ruleset)
    for board, (first, second) in late_positions(preset, 4):
        distributions, found, depths, order = search(ruleset, network, board, (first, second), 1)
        assert (depths == 1).all()
        expected = plain_values(ruleset, network, board, (first, second), 1)
        np.testing.assert_allclose(found, expected, atol=1e-4)
        np.testing.assert_allclose(distributions @ values[0], found, atol=1e-5)
        np.testing.assert_allclose(distributions.sum(axis=1), 1, atol=1e-5)
        assert (np.diff(found[order]) <= 0).all()


def test_two_plies_are_the_expectation_over_one_ply_replies() -> None:
    ruleset = get_ruleset("north-sultan")
    network = untrained("north-sultan", 4)
    board = np.zeros((2, 26), np.int8)
    board[0, [0, 6, 2]] = 13, 1, 1
    board[1, [0, 5, 3]] = 13, 1, 1
    _, found, depths, _ = search(ruleset, network, board, (2, 1), 2)
    assert (depths == 2).all()
    np.testing.assert_allclose(found, plain_values(ruleset, network, board, (2, 1), 2), atol=1e-4)


def test_only_the_best_plays_are_looked_at() -> None:
    ruleset = get_ruleset("north-sultan")
    network = untrained("north-sultan", 8)
    board = compile_rules(ruleset).start()
    _, flat, _, _ = search(ruleset, network, board, (3, 1), 0)
    _, found, depths, order = search(ruleset, network, board, (3, 1), 1, keep=3)
    assert set(np.nonzero(depths)[0]) == set(np.argsort(-flat, kind="stable")[:3])
    np.testing.assert_array_equal(found[depths == 0], flat[depths == 0])
    # What was looked at more deeply comes first, whatever a shallow look said of the others.
    assert set(order[:3]) == set(np.nonzero(depths)[0])
    np.testing.assert_array_equal(np.sort(order), np.arange(len(found)))


def test_a_filter_takes_more_plays_where_they_are_close() -> None:
    ruleset = get_ruleset("north-sultan")
    network = untrained("north-sultan", 8)
    rules = compile_rules(ruleset)
    _, flat, _, _ = search(ruleset, network, rules.start(), (3, 1), 0)
    best = np.sort(flat)[::-1]
    margin = float(best[0] - best[5]) + 1e-6
    for extra, expected in ((2, 3), (100, 6)):
        searcher = engine.Searcher(rules, network, root=[(1, extra, margin)], replies=(1, 0, 0.0))
        _, _, depths, _ = searcher.rank(rules.start(), 3, 1, *stakes(ruleset), 1)
        assert (depths == 1).sum() == expected


def test_only_the_best_replies_are_looked_at() -> None:
    """With one reply kept, a 2-ply value is the 1-ply value after the reply that looks best at 0-ply."""
    ruleset = get_ruleset("north-sultan")
    network = untrained("north-sultan", 4)
    board = late_positions("north-sultan", 1)[0][0]
    boards, _, scores = engine.legal_plays(compile_rules(ruleset), board, 2, 1)
    _, found, _, _ = search(ruleset, network, board, (2, 1), 2, replies=1)
    for after, value, score in zip(boards, found, scores, strict=True):
        if score != engine.NO_SCORE:
            continue
        total = 0.0
        for high, low, weight in ROLLS:
            order = search(ruleset, network, after[::-1].copy(), (high, low), 0)[3]
            deeper = search(ruleset, network, after[::-1].copy(), (high, low), 1)[1]
            total += weight * float(deeper[order[0]])
        np.testing.assert_allclose(value, -total / 36, atol=1e-4)


@pytest.mark.parametrize("options", [{"threads": 2}, {"threads": 3, "cache_entries": 64}, {"cache_entries": 1 << 14}])
def test_threads_and_cache_change_nothing(options: dict[str, int]) -> None:
    ruleset = get_ruleset("north-sultan")
    network = untrained("north-sultan", 5)
    rules = compile_rules(ruleset)
    searcher = engine.Searcher(rules, network, root=[(5, 0, 0.0)], replies=(2, 0, 0.0), **options)
    plain = engine.Searcher(rules, network, root=[(5, 0, 0.0)], replies=(2, 0, 0.0))
    for board, roll in late_positions("north-sultan", 4):
        for _ in range(2):  # the second time from the cache
            found = searcher.rank(board, *roll, *stakes(ruleset), 2)
            for one, other in zip(found, plain.rank(board, *roll, *stakes(ruleset), 2), strict=True):
                np.testing.assert_array_equal(one, other)
        after = board[::-1].copy()
        for one, other in zip(
            searcher.evaluate(after, *stakes(ruleset), 2), plain.evaluate(after, *stakes(ruleset), 2), strict=True
        ):
            np.testing.assert_array_equal(one, other)
    assert (searcher.cache_hits > 0) == ("cache_entries" in options)


def test_a_search_stops_when_the_time_is_up() -> None:
    ruleset = get_ruleset("north-sultan")
    network = untrained("north-sultan", 5)
    rules = compile_rules(ruleset)
    searcher = engine.Searcher(rules, network, root=[(4000, 0, 0.0)], replies=(4000, 0, 0.0))
    board = rules.start()
    _, found, depths, _ = searcher.rank(board, 1, 1, *stakes(ruleset), 4, 20.0)
    assert depths.max() < 4
    _, expected, _, _ = searcher.rank(board, 1, 1, *stakes(ruleset), int(depths.max()))
    np.testing.assert_array_equal(found, expected)
    assert searcher.evaluate(board, *stakes(ruleset), 4, 20.0)[1] < 4


def test_rollouts_agree_with_searches_of_a_position_that_ends_soon() -> None:
    """Two rolls from the end a full rollout is unbiased, with and without luck, and adjusted it varies less."""
    ruleset = get_ruleset("north-sultan")
    network = untrained("north-sultan", 4)
    rules = compile_rules(ruleset)
    after = np.zeros((2, 26), np.int8)
    after[0, [0, 6, 5]] = 12, 1, 2
    after[1, [0, 6, 5]] = 12, 1, 2
    searcher = engine.Searcher(rules, network, root=[(4000, 0, 0.0)], replies=(1, 0, 0.0))
    values, inputs = stakes(ruleset)
    plain = (
        searcher.roll_out(
            after, values, inputs, ply=0, truncate=0, adjusts_luck=False, seed=5, first_trial=0, num_trials=36 * 400
        )
        @ values[0]
    )
    adjusted = (
        searcher.roll_out(
            after, values, inputs, ply=0, truncate=0, adjusts_luck=True, seed=5, first_trial=0, num_trials=36 * 400
        )
        @ values[0]
    )
    assert set(np.unique(plain)) <= {1.0, -1.0}
    assert abs(plain.mean() - adjusted.mean()) < 4 * plain.std() / 120
    threaded = engine.Searcher(rules, network, root=[(4000, 0, 0.0)], replies=(1, 0, 0.0), threads=3)
    again = (
        threaded.roll_out(
            after, values, inputs, ply=0, truncate=0, adjusts_luck=True, seed=5, first_trial=36, num_trials=72
        )
        @ values[0]
    )
    np.testing.assert_array_equal(again, adjusted[36:108])


def test_a_rollout_that_is_cut_at_once_is_the_search() -> None:
    ruleset = get_ruleset("north-sultan")
    network = untrained("north-sultan", 4)
    rules = compile_rules(ruleset)
    searcher = engine.Searcher(rules, network, root=[(4000, 0, 0.0)], replies=(4000, 0, 0.0))
    after = compile_rules(ruleset).start()
    found, ply = searcher.evaluate(after, *stakes(ruleset), 1)
    assert ply == 1
    trials = searcher.roll_out(
        after, *stakes(ruleset), ply=0, truncate=1, adjusts_luck=False, seed=5, first_trial=0, num_trials=36
    )
    np.testing.assert_allclose(trials.mean(axis=0), found, atol=1e-5)
    # Without the luck of the only roll each trial is the search itself.
    trials = searcher.roll_out(
        after, *stakes(ruleset), ply=0, truncate=1, adjusts_luck=True, seed=5, first_trial=0, num_trials=36
    )
    np.testing.assert_allclose(trials, np.repeat(found[None], 36, axis=0), atol=1e-5)


def test_what_cannot_be_searched_is_refused() -> None:
    ruleset = get_ruleset("gul-bara")
    rules = compile_rules(ruleset)
    network = untrained("gul-bara", 1)
    searcher = engine.Searcher(rules, network, root=[(5, 0, 0.0)], replies=(1, 0, 0.0))
    with pytest.raises(RulesetError, match="only 0-ply"):
        searcher.rank(rules.start(), 3, 1, *stakes(ruleset), 1)
    with pytest.raises(RulesetError, match="not rolled out"):
        searcher.roll_out(
            rules.start(), *stakes(ruleset), ply=0, truncate=0, adjusts_luck=True, seed=1, first_trial=0, num_trials=36
        )
    with pytest.raises(ValueError, match="ply"):
        searcher.rank(rules.start(), 3, 1, *stakes(ruleset), 9)
    with pytest.raises(ValueError, match="keep"):
        engine.Searcher(rules, network, root=[(0, 0, 0.0)], replies=(1, 0, 0.0))
