"""Opponents in a run's evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from tavla_ai.bots import Bot, load_bot, network_player, plays_pubeval
from tavla_ai.network import fold
from tavla_ai.rules import get_ruleset
from tavla_ai.tournament import PairResult, play_pairing
from train.config import TrainConfig

PREVIOUS = "previous"

FloatWeights = Mapping[str, NDArray[np.float32]]


class Opponents:
    """Opponents by name; `previous` plays with the weights of the previous evaluation."""

    def __init__(self, config: TrainConfig) -> None:
        """Load the bots that the configuration names.

        Raises:
          TavlaError: a bot is unknown or does not play the game.
        """
        self._ruleset = get_ruleset(config.ruleset)
        self._spec = config.network_spec
        self._threads = config.self_play.num_threads
        names = config.evaluation.opponents
        if names is None:
            names = ("random", *(("pubeval",) if plays_pubeval(self._ruleset) else ()), PREVIOUS)
        self._bots = {name: None if name == PREVIOUS else load_bot(name, self._ruleset) for name in names}

    def play(
        self, weights: FloatWeights, previous: FloatWeights | None, games: int, seed: int
    ) -> Iterator[tuple[str, PairResult]]:
        """Yield the name of each opponent and the result of the weights against it.

        Args:
          weights: the network's weights by layer.
          previous: weights of the opponent `previous`; None leaves out this opponent.
          games: games per opponent, an even number.
          seed: seed of the dice.
        """
        learner = self._bot("learner", weights)
        for name, bot in self._bots.items():
            opponent = bot
            if opponent is None:
                if previous is None:
                    continue
                opponent = self._bot(name, previous)
            yield (
                name,
                play_pairing(self._ruleset, learner, opponent, games=games, seed=seed, workers=self._threads),
            )

    def _bot(self, name: str, weights: FloatWeights) -> Bot:
        network = fold(weights, self._spec)
        return Bot(name, self._ruleset, network_player(self._ruleset, network))
