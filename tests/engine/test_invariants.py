"""What holds in every game of every ruleset, whoever plays it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import untrained

from tavla_ai import engine
from tavla_ai.match import Utility, utilities
from tavla_ai.rules import compile_rules, get_ruleset, ruleset_names

PRESETS = ruleset_names()
seeds = st.integers(0, 2**63 - 1)


def self_play(preset: str, seed: int, games: int, threads: int = 1) -> engine.SelfPlayResult:
    ruleset = get_ruleset(preset)
    values, inputs = utilities(ruleset, None)
    rules = compile_rules(ruleset)
    network = untrained(preset, seed % 1000)
    return engine.self_play(
        rules, network, seed, 0, games, lambda_=0.7, values=values, inputs=inputs, shares=[1.0], threads=threads
    )


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=5)
@given(seed=seeds)
def test_every_position_of_random_play_is_one_the_game_can_have(preset: str, seed: int) -> None:
    rules = compile_rules(get_ruleset(preset))
    boards, dice = engine.random_walk(rules, seed, 0, 3)
    for board in boards:
        rules.check(board)
        rules.check(board[::-1].copy())
    assert ((dice >= 1) & (dice <= 6)).all()


@pytest.mark.parametrize("preset", PRESETS)
@settings(max_examples=3)
@given(seed=seeds)
def test_every_game_ends_with_a_winner_a_draw_or_the_stuck_rule(preset: str, seed: int) -> None:
    ruleset = get_ruleset(preset)
    result = self_play(preset, seed, games=6)
    rules = compile_rules(ruleset)
    assert len(result.score_indices) == len(result.lengths) == 6
    for index, length in zip(result.score_indices, result.lengths, strict=True):
        if index < 0:
            assert length == 0
        else:
            assert ruleset.scores[index] >= 0
            assert length > 0
    assert result.lengths.sum() == len(result.boards) == len(result.targets)
    np.testing.assert_allclose(result.targets.sum(axis=1), 1, atol=1e-5)
    for board in result.boards:
        rules.check(board)


@pytest.mark.parametrize("preset", PRESETS)
def test_scores_are_zero_sum_and_seats_fair(preset: str) -> None:
    """What A wins B loses, and a player against itself scores nothing over a pair."""
    ruleset = get_ruleset(preset)
    rules = compile_rules(ruleset)
    values, inputs = utilities(ruleset, None)
    network, random = engine.Player.network(untrained(preset, 3)), engine.Player.random()
    ours = engine.duel(rules, network, random, 11, 0, 10, values=values, inputs=inputs)
    theirs = engine.duel(rules, random, network, 11, 0, 10, values=values, inputs=inputs)
    # Seats are swapped within a pair, so A's first game is B's second with the players exchanged.
    np.testing.assert_array_equal(ours.points, -theirs.points[:, ::-1])
    assert list(ours.scores) == list(theirs.scores)[::-1]
    for player in (network, random):
        own = engine.duel(rules, player, player, 12, 0, 10, values=values, inputs=inputs)
        np.testing.assert_array_equal(own.points.sum(axis=1), 0)


@pytest.mark.parametrize("preset", PRESETS)
def test_threads_do_not_change_self_play(preset: str) -> None:
    one, two = (self_play(preset, 5, games=8, threads=threads) for threads in (1, 2))
    for name in ("boards", "targets", "utility_inputs", "lengths", "score_indices"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize("preset", PRESETS)
def test_play_by_play_evaluation_is_that_of_the_afterstates(preset: str) -> None:
    """The incremental evaluation of a roll's plays equals evaluating each afterstate from nothing."""
    ruleset = get_ruleset(preset)
    rules = compile_rules(ruleset)
    network = untrained(preset, 9, hidden=40)
    inputs = np.array(Utility.points(ruleset).inputs, np.float32)
    boards, dice = engine.random_walk(rules, 21, 0, 3)
    for board, roll in zip(boards, dice, strict=True):
        first, second = map(int, roll)
        afterstates, _, _ = engine.legal_plays(rules, board, first, second)
        expected = network.evaluate(afterstates, np.tile(inputs, (len(afterstates), 1)))
        found = network.evaluate_plays(rules, board, first, second, inputs)
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("preset", PRESETS)
def test_lambda_one_targets_are_the_outcome_for_each_mover(preset: str) -> None:
    ruleset = get_ruleset(preset)
    values, inputs = utilities(ruleset, None)
    rules = compile_rules(ruleset)
    result = engine.self_play(
        rules, untrained(preset, 2), 4, 0, 4, lambda_=1.0, values=values, inputs=inputs, shares=[1.0]
    )
    begin = 0
    for length, index in zip(result.lengths, result.score_indices, strict=True):
        targets = result.targets[begin : begin + length]
        begin += length
        outcome = np.eye(len(ruleset.scores), dtype=np.float32)[index]
        for target in targets:
            assert (target == outcome).all() or (target == outcome[::-1]).all()
