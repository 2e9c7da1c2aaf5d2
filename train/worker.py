"""The self-play worker: the same class in this process and as a Ray actor."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tavla_ai import engine
from tavla_ai.evaluator import load_tables
from tavla_ai.match import Utility, as_utilities, equal_shares, match_equity
from tavla_ai.network import fold
from tavla_ai.rules import Ruleset, compile_rules, get_ruleset
from train.batch import Batch, Task
from train.config import SelfPlayConfig, TrainConfig
from train.targets import SelfPlay, UtilityMix


def utility_mix(config: SelfPlayConfig, ruleset: Ruleset) -> UtilityMix:
    """Return the configured stakes in the engine's form.

    At double match point every win is worth the same; a `match` gives each of its length² match scores an
    equal part of its share.
    """
    entries: list[tuple[Utility, float]] = []
    shares = {ruleset.name: equal_shares(ruleset, config.mars_share)}
    for entry in config.utilities:
        if entry.kind == "single":
            entries.append((Utility.points(ruleset), entry.share))
            continue
        length = entry.length or 1
        grid = match_equity(ruleset, length, shares).utility_grid().reshape(length * length, -1)
        entries += [(Utility(tuple(values), total=1.0), entry.share / len(grid)) for values in grid.tolist()]
    return UtilityMix(
        *as_utilities([utility for utility, _ in entries]),
        [share for _, share in entries],
    )


class SelfPlayWorker:
    """A worker that plays self-play games.

    Its state follows from the constructor's arguments, so a dead worker can be replaced.
    """

    def __init__(self, config: TrainConfig, threads: int = 1) -> None:
        ruleset = get_ruleset(config.ruleset)
        self._target = config.target
        self._spec = config.network_spec
        self._self_play = SelfPlay(
            ruleset=ruleset,
            rules=compile_rules(ruleset),
            utilities=utility_mix(config.self_play, ruleset),
            tables=load_tables(ruleset) if config.td.races == "exact" else None,
            seed=config.seed,
            threads=threads,
        )
        self._version = -1
        self._network: engine.Network | None = None

    def ping(self) -> int:
        """Return the process id; an answer means that the worker is ready."""
        return os.getpid()

    def play(self, weights: Mapping[str, NDArray[np.float32]], task: Task) -> Batch:
        """Play games `first_game … first_game + num_games − 1` of the run's seed.

        Args:
          weights: the network's weights by layer; each version is folded once.
          task: the games, and the version of the weights.
        """
        if self._network is None or task.version != self._version:
            self._network = fold(weights, self._spec)
            self._version = task.version
        return self._target.play(self._network, self._self_play, task)
