"""The learner's saved state, which must stay readable from checkpoints of older versions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from batches import config_of, play_batch

from train.learner import Learner

WINDOW = {"learner": {"threads": 1, "window_rounds": 3, "batch_size": 256}}


def learner() -> Learner:
    config = config_of(**WINDOW)
    return Learner(config.network_spec, config.learner, config.seed)


def test_the_state_keeps_the_layout_of_saved_runs() -> None:
    """Runs on disk hold the newest rounds as five tensors; with another order they could not be resumed."""
    afterstates = play_batch(games=4).afterstates
    one = learner()
    one.train_round(afterstates, 0, 0.0)
    state = one.state()
    assert set(state) == {"module", "average", "optimizer", "steps", "window"}
    (saved,) = state["window"]
    expected = (
        afterstates.boards,
        afterstates.targets,
        afterstates.utility_inputs,
        afterstates.values,
        afterstates.siblings,
    )
    for tensor, array in zip(saved, expected, strict=True):
        np.testing.assert_array_equal(tensor.numpy(), array)


def test_a_learner_with_a_loaded_state_continues_like_the_one_that_saved_it(tmp_path: Path) -> None:
    first, second = play_batch(games=4).afterstates, play_batch(games=6).afterstates
    one, other = learner(), learner()
    one.train_round(first, 0, 0.0)
    torch.save(one.state(), tmp_path / "state.pt")
    other.load_state(torch.load(tmp_path / "state.pt", weights_only=True))
    assert one.train_round(second, 1, 0.5) == other.train_round(second, 1, 0.5)
    for name, weights in one.weights().items():
        np.testing.assert_array_equal(weights, other.weights()[name])
    for name, weights in one.average_weights().items():
        np.testing.assert_array_equal(weights, other.average_weights()[name])
