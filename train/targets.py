"""Targets of learning: each is a section of the configuration and plays self-play games in its own way.

To add a target, write a class here and a field of `train.config.TrainConfig`; the field's name is the value of
`targets`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from tavla_ai import engine
from tavla_ai.engine import MOST_CANDIDATES
from tavla_ai.errors import RulesetError
from tavla_ai.rules import Ruleset
from train.batch import Afterstates, Batch, Task
from train.section import Section


@dataclass(frozen=True)
class UtilityMix:
    """Utilities that games draw from: values `[M, K]`, network inputs `[M, K − 2]`, shares `[M]`."""

    values: NDArray[np.float32]
    inputs: NDArray[np.float32]
    shares: list[float]


@dataclass(frozen=True)
class SelfPlay:
    """Settings that all games of a run share.

    Attributes:
      ruleset: the game.
      rules: the game, compiled for the engine.
      utilities: stakes that the games draw from.
      tables: bear-off tables with exact values of races; None uses the network's values.
      seed: seed of the dice.
      threads: threads of the engine.
    """

    ruleset: Ruleset
    rules: engine.Rules
    utilities: UtilityMix
    tables: engine.Bearoff | None
    seed: int
    threads: int


class Target(Section, ABC):
    """Plays self-play games and computes the targets of their positions."""

    def play(self, network: engine.Network, self_play: SelfPlay, task: Task) -> Batch:
        """Play the games of a task; the afterstates are the same for any number of threads."""
        started = time.perf_counter()
        result, afterstates = self._play(network, self_play, task)
        scores = result.score_indices
        smallest_win = len(self_play.ruleset.scores) // 2 - 1
        return Batch(
            version=task.version,
            first_game=task.first_game,
            games=task.num_games,
            afterstates=afterstates,
            void_games=int((scores < 0).sum()),
            big_wins=int(((scores >= 0) & (scores < smallest_win)).sum()),
            plies=result.plies,
            evaluated=result.evaluated,
            sum_abs_td_error=result.sum_abs_td_error,
            seconds=time.perf_counter() - started,
        )

    @abstractmethod
    def _play(
        self, network: engine.Network, self_play: SelfPlay, task: Task
    ) -> tuple[engine.SelfPlayResult, Afterstates]:
        """Play the games of a task and return them with their targets."""

    def check_ruleset(self, ruleset: Ruleset) -> None:
        """Raise `ValueError` if the target cannot be learned in a game."""

    @property
    def compares_plays(self) -> bool:
        """Whether a decision may have several afterstates, compared by their `values`."""
        return False


class TDTarget(Target):
    """Temporal-difference targets: λ-returns of the games (Sutton, 1988; Tesauro, 1995)."""

    lambda_: float = Field(
        default=0.7,
        ge=0,
        le=1,
        alias="lambda",
        description="λ of the returns: 0 is the one-step return, 1 the score of the game",
    )
    races: Literal["exact", "network"] = Field(
        default="exact",
        description="values used in races that the bear-off tables cover, in play and in targets: the exact tables' or "
        "the network's; for every kind of `targets`",
    )

    def _play(
        self, network: engine.Network, self_play: SelfPlay, task: Task
    ) -> tuple[engine.SelfPlayResult, Afterstates]:
        result = engine.self_play(
            self_play.rules,
            network,
            self_play.seed,
            task.first_game,
            task.num_games,
            lambda_=self.lambda_,
            values=self_play.utilities.values,
            inputs=self_play.utilities.inputs,
            shares=self_play.utilities.shares,
            threads=self_play.threads,
            tables=self_play.tables,
        )
        return result, Afterstates.of_plays_made(result.boards, result.targets, result.utility_inputs)


class LookaheadTarget(Target):
    """Look-ahead targets: the mean, over the opponent's 21 rolls, of the 0-ply outcomes after the best reply."""

    explore: float = Field(
        default=0.1, ge=0, le=1, description="chance that a play is drawn at random, so that games leave the main lines"
    )
    near: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="chance that a play is drawn from those at most `margin` worse than the best at 0-ply; without it, "
        "an error about a play that is never made is never corrected",
    )
    scramble: float = Field(
        default=0.2, ge=0, le=1, description="chance that a game begins with random plays, which lead to rare positions"
    )
    scrambled: int = Field(
        default=20,
        ge=0,
        le=1000,
        description="most random plays at the start of such a game; the number is drawn uniformly",
    )
    sample: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="chance that a decision is trained on; neighbouring decisions of a game are similar",
    )
    siblings: int = Field(
        default=0,
        ge=0,
        le=100,
        description="how many of the best alternative plays of a decision are also trained on",
    )
    margin: float = Field(
        default=0.15, ge=0, description="most points by which such a play may be worse than the best one at 0-ply"
    )
    lambda_: float = Field(
        default=0.0,
        ge=0,
        le=1,
        alias="lambda",
        description="factor for each turn by which a correction (look-ahead minus prediction) is passed back to the "
        "targets of earlier positions; above 0 every position of a game is trained on, and `sample` holds for the "
        "alternative plays only",
    )
    candidates: int = Field(
        default=0,
        ge=0,
        le=MOST_CANDIDATES,
        description="number of replies to each roll that are evaluated, the best by a first-order estimate; 0 "
        "evaluates all, which takes two to three times as long as 8",
    )
    finalists: int = Field(
        default=0,
        ge=0,
        le=MOST_CANDIDATES,
        description="number of candidates that the whole network evaluates, the best by its exact first layer and a "
        "first-order estimate of the later layers; 0 evaluates all candidates",
    )

    @model_validator(mode="after")
    def _keys_agree(self) -> Self:
        if self.explore + self.near > 1:
            raise ValueError(f"explore and near: a sum of at most 1 expected, not {self.explore + self.near:g}")
        if self.finalists and not self.candidates:
            raise ValueError("finalists: expected candidates of at least 1, from which finalists are chosen")
        return self

    def _play(
        self, network: engine.Network, self_play: SelfPlay, task: Task
    ) -> tuple[engine.SelfPlayResult, Afterstates]:
        result = engine.lookahead(
            self_play.rules,
            network,
            self_play.seed,
            task.first_game,
            task.num_games,
            values=self_play.utilities.values,
            inputs=self_play.utilities.inputs,
            shares=self_play.utilities.shares,
            settings=engine.LookaheadSettings(**self.model_dump()),
            threads=self_play.threads,
            tables=self_play.tables,
        )
        return result, Afterstates(result.boards, result.targets, result.utility_inputs, result.values, result.siblings)

    def check_ruleset(self, ruleset: Ruleset) -> None:
        """Raise `ValueError` for a game with stages: a turn there is more than one of the 21 rolls."""
        try:
            ruleset.check_has_no_stages("targets: lookahead")
        except RulesetError as error:
            raise ValueError(str(error)) from None

    @property
    def compares_plays(self) -> bool:
        """Whether decisions have siblings."""
        return self.siblings > 0
