"""Self-play of an untrained network, for tests of what is learned."""

from __future__ import annotations

from typing import Any

import torch

from tavla_ai.network.module import ValueNetwork, to_numpy
from train.batch import Batch, Task, merge
from train.config import TrainConfig, parse_config
from train.worker import SelfPlayWorker


def config_of(ruleset: str = "north-sultan", **data: Any) -> TrainConfig:
    """The configuration of a small network for a game."""
    return parse_config({"ruleset": ruleset, "network": {"hidden": [8]}, "learner": {"threads": 1}, **data}, [], "test")


def play_tasks(config: TrainConfig, *tasks: Task) -> Batch:
    """The games of the tasks, played by an untrained network."""
    torch.manual_seed(1)
    weights = to_numpy(ValueNetwork(config.network_spec))
    worker = SelfPlayWorker(config)
    return merge([worker.play(weights, task) for task in tasks])


def play_batch(games: int) -> Batch:
    """Games of tavla with TD targets."""
    return play_tasks(config_of(), Task(0, 0, games))
