"""The self-play worker: the same class in this process and as a Ray actor."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tavla_ai import engine
from tavla_ai.evaluator import load_tables
from tavla_ai.match import Utility, equal_shares, match_equity
from tavla_ai.network import fold
from tavla_ai.rules import Ruleset, compile_rules, get_ruleset
from train.config import SelfPlayConfig, TrainConfig


@dataclass(frozen=True)
class Batch:
    """Afterstates of a range of games with their targets, in game order.

    Attributes:
      version: version of the weights that played.
      first_game: index of the first game.
      boards: `[N, 2, 26]` int8, the player who has just moved first.
      targets: `[N, K]` float32, λ-returns for that player.
      utility_inputs: `[N, K − 2]` float32, what that player played for.
      values: `[N, K]` float32, what the scores were worth to that player, in points; look-ahead only, else `[0, K]`.
      siblings: `[D]` int32, afterstates of each decision, one after the other; their sum is N.
      games: games played, void ones included.
      void_games: games that the stuck rule ended.
      big_wins: games won with more than the smallest win.
      plies: turns played.
      evaluated: afterstates that the network saw.
      sum_abs_td_error: |expected utility of target − of prediction|, summed over afterstates.
      seconds: time taken.
    """

    version: int
    first_game: int
    boards: NDArray[np.int8]
    targets: NDArray[np.float32]
    utility_inputs: NDArray[np.float32]
    values: NDArray[np.float32]
    siblings: NDArray[np.int32]
    games: int
    void_games: int
    big_wins: int
    plies: int
    evaluated: int
    sum_abs_td_error: float
    seconds: float


def merge(batches: list[Batch]) -> Batch:
    """Return the batches of one round as one, in game order."""
    ordered = sorted(batches, key=lambda batch: batch.first_game)
    return Batch(
        version=min(batch.version for batch in ordered),
        first_game=ordered[0].first_game,
        boards=np.concatenate([batch.boards for batch in ordered]),
        targets=np.concatenate([batch.targets for batch in ordered]),
        utility_inputs=np.concatenate([batch.utility_inputs for batch in ordered]),
        values=np.concatenate([batch.values for batch in ordered]),
        siblings=np.concatenate([batch.siblings for batch in ordered]),
        games=sum(batch.games for batch in ordered),
        void_games=sum(batch.void_games for batch in ordered),
        big_wins=sum(batch.big_wins for batch in ordered),
        plies=sum(batch.plies for batch in ordered),
        evaluated=sum(batch.evaluated for batch in ordered),
        sum_abs_td_error=sum(batch.sum_abs_td_error for batch in ordered),
        seconds=sum(batch.seconds for batch in ordered),
    )


@dataclass(frozen=True)
class UtilityMix:
    """The utilities games are drawn from: values `[M, K]`, network inputs `[M, K − 2]`, shares `[M]`."""

    values: NDArray[np.float32]
    inputs: NDArray[np.float32]
    shares: list[float]


def utility_mix(config: SelfPlayConfig, ruleset: Ruleset) -> UtilityMix:
    """Return the configured stakes as the engine takes them.

    At double match point every win is worth the same; a `match` gives each of its length² scores an
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
        np.array([utility.values for utility, _ in entries], np.float32),
        np.array([utility.inputs for utility, _ in entries], np.float32),
        [share for _, share in entries],
    )


class SelfPlayWorker:
    """Plays games of self-play with the weights it is given.

    Everything is rebuilt from the constructor's arguments, so that a worker that died can be replaced.
    """

    def __init__(self, config: TrainConfig, threads: int = 1) -> None:
        ruleset = get_ruleset(config.ruleset)
        self._rules = compile_rules(ruleset)
        self._mix = utility_mix(config.self_play, ruleset)
        self._spec = config.network_spec
        self._smallest_win = len(ruleset.scores) // 2 - 1
        self._seed = config.seed
        self._lambda = config.td.lambda_
        self._tables = load_tables(ruleset) if config.td.races == "exact" else None
        self._lookahead = config.lookahead if config.targets == "lookahead" else None
        self._threads = threads
        self._version = -1
        self._network: engine.Network | None = None

    def ping(self) -> int:
        """Return the process id: the worker is ready."""
        return os.getpid()

    def play(self, weights: Mapping[str, NDArray[np.float32]], version: int, first_game: int, num_games: int) -> Batch:
        """Play games `first_game … first_game + num_games − 1` of the run's seed.

        Args:
          weights: the network's weights by layer.
          version: their version; weights seen before under this version are not folded again.
        """
        started = time.perf_counter()
        if self._network is None or version != self._version:
            self._network = fold(weights, self._spec)
            self._version = version
        stakes = self._mix.values, self._mix.inputs, self._mix.shares
        if self._lookahead is None:
            result = engine.self_play(
                self._rules,
                self._network,
                self._seed,
                first_game,
                num_games,
                self._lambda,
                *stakes,
                self._threads,
                self._tables,
            )
        else:
            result = engine.lookahead(
                self._rules,
                self._network,
                self._seed,
                first_game,
                num_games,
                *stakes,
                **self._lookahead.model_dump(),
                threads=self._threads,
                tables=self._tables,
            )
        score_indices = result.score_indices
        boards = result.boards
        is_lookahead = self._lookahead is not None
        return Batch(
            version=version,
            first_game=first_game,
            boards=boards,
            targets=result.targets,
            utility_inputs=result.utility_inputs,
            values=result.values if is_lookahead else np.zeros((0, self._mix.values.shape[1]), np.float32),
            siblings=result.siblings if is_lookahead else np.ones(len(boards), np.int32),
            games=num_games,
            void_games=int((score_indices < 0).sum()),
            big_wins=int(((score_indices >= 0) & (score_indices < self._smallest_win)).sum()),
            plies=result.plies,
            evaluated=result.evaluated,
            sum_abs_td_error=result.sum_abs_td_error,
            seconds=time.perf_counter() - started,
        )
