"""Training targets: what a worker's batch holds, in games with any number of places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batches import config_of, play_tasks

from tavla_ai.errors import ConfigError
from tavla_ai.rules import get_ruleset
from train.batch import Task
from train.config import load_config

LOOKAHEAD = {"targets": "lookahead", "lookahead": {"siblings": 2, "sample": 0.5, "scrambled": 5, "candidates": 4}}


@pytest.mark.parametrize(
    ("ruleset", "settings"),
    [
        *((ruleset, {}) for ruleset in ("north-sultan", "plakoto", "fevga", "gul-bara", "tawula")),
        *((ruleset, LOOKAHEAD) for ruleset in ("north-sultan", "plakoto", "fevga", "tawula")),
    ],
)
def test_a_batch_has_the_shapes_of_its_game(ruleset: str, settings: dict[str, Any]) -> None:
    config = config_of(ruleset, **settings)
    batch = play_tasks(config, Task(version=3, first_game=0, num_games=4))
    afterstates = batch.afterstates
    game = get_ruleset(ruleset)
    count, scores = len(afterstates), len(game.scores)
    assert count > 0
    assert afterstates.boards.shape == (count, 2, game.num_places)
    assert afterstates.targets.shape == (count, scores)
    assert afterstates.utility_inputs.shape == (count, scores - 2)
    assert afterstates.values.shape == (count if config.target.compares_plays else 0, scores)
    assert afterstates.siblings.sum() == count
    assert afterstates.boards.dtype == np.int8
    assert afterstates.siblings.dtype == np.int32
    for array in (afterstates.targets, afterstates.utility_inputs, afterstates.values):
        assert array.dtype == np.float32
    assert (batch.version, batch.first_game, batch.games) == (3, 0, 4)
    assert batch.plies > 0


def test_td_learns_one_afterstate_of_each_decision() -> None:
    afterstates = play_tasks(config_of("north-sultan"), Task(0, 0, 3)).afterstates
    assert set(afterstates.siblings.tolist()) == {1}


@pytest.mark.parametrize("settings", [{}, LOOKAHEAD])
def test_tasks_that_come_in_any_order_make_the_same_batch(settings: dict[str, Any]) -> None:
    config = config_of("north-sultan", **settings)
    whole = play_tasks(config, Task(2, 0, 6))
    parts = play_tasks(config, Task(2, 4, 2), Task(2, 0, 4))
    for together, one_by_one in zip(whole.afterstates.arrays(), parts.afterstates.arrays(), strict=True):
        np.testing.assert_array_equal(together, one_by_one)
    counts = ("version", "first_game", "games", "void_games", "big_wins", "plies", "evaluated")
    assert [getattr(whole, name) for name in counts] == [getattr(parts, name) for name in counts]
    assert parts.sum_abs_td_error == pytest.approx(whole.sum_abs_td_error)


def test_a_target_is_named_as_its_section() -> None:
    for name in ("td", "lookahead"):
        config = load_config(None, [f"targets={name}"])
        assert config.target is getattr(config, name)
    with pytest.raises(ConfigError, match=r"--set targets: td or lookahead expected \(got 'network'\)"):
        load_config(None, ["targets=network"])


def test_a_game_with_stages_is_not_looked_ahead_in() -> None:
    with pytest.raises(ConfigError, match="more than one roll"):
        config_of("gul-bara", **LOOKAHEAD)


def test_siblings_are_weighed_only_where_plays_are_compared() -> None:
    weighed = {"learner": {"sibling_weight": 1}}
    assert config_of("north-sultan", **LOOKAHEAD, **weighed).target.compares_plays
    for settings in ({}, {"targets": "lookahead"}, {"lookahead": {"siblings": 2}}):
        with pytest.raises(ConfigError, match=r"learner\.sibling_weight"):
            config_of("north-sultan", **settings, **weighed)
