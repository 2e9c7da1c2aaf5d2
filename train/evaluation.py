"""Opponents in a run's evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tavla_ai.bots import Bot, baselines_of, load_bot, network_player
from tavla_ai.network import fold
from tavla_ai.rules import get_ruleset
from tavla_ai.tournament import PairResult, play_pairing
from train.config import TrainConfig

PREVIOUS = "previous"

# A network that beats that of the evaluation before by less than this many points per game has come to a floor.
_FLAT = 0.08
# Number of standard errors by which the results of two evaluations have to differ.
_CERTAIN = 2.0

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
            names = (*baselines_of(self._ruleset), PREVIOUS)
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


def false_floor(before: Mapping[str, Sequence[float]], results: Mapping[str, PairResult]) -> str | None:
    """Return a warning if a run looks finished and is not; None otherwise.

    Self-play ends on a false floor where a network meets only its like: it no longer beats its own past, and still
    gains on opponents that it did not learn from.

    Args:
      before: points per game and standard error against each opponent at the evaluation before.
      results: results of this evaluation, by opponent.
    """
    past = results.get(PREVIOUS)
    if past is None or past.standard_error is None or past.points_per_game >= _FLAT:
        return None
    gains = []
    for name, result in results.items():
        if name == PREVIOUS or name not in before or result.standard_error is None:
            continue
        points, error = before[name]
        gain = result.points_per_game - points
        if gain > _CERTAIN * (error**2 + result.standard_error**2) ** 0.5:
            gains.append(f"{name} ({points:+.3f} to {result.points_per_game:+.3f})")
    if not gains:
        return None
    flat = f"{past.points_per_game:+.3f} ± {past.standard_error:.3f} against {PREVIOUS}"
    return (
        f"a false floor: {flat} looks finished, but "
        f"the network still gains on {' and '.join(gains)}; train longer, with the learning rate held or begun again"
    )
